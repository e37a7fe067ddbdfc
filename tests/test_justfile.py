"""`just` alone tells everything that can be done, and the documents name nothing else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
JUST = Path(sys.executable).parent / "just"


@pytest.fixture(scope="module")
def recipes() -> dict[str, dict[str, Any]]:
    """The public recipes, as `just` reads them."""
    dumped = subprocess.run(
        [JUST, "--dump", "--dump-format", "json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    every: dict[str, dict[str, Any]] = json.loads(dumped.stdout)["recipes"]
    return {name: recipe for name, recipe in every.items() if not recipe["private"]}


def test_list_shows_every_recipe_with_one_line(recipes: dict[str, dict[str, Any]]) -> None:
    shown = subprocess.run([JUST], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name, recipe in recipes.items():
        assert recipe["doc"], f"{name} is not explained"
        assert re.search(rf"^ +{name}\b.* # {re.escape(recipe['doc'])}$", shown, re.M), name


def test_every_recipe_that_a_document_names_exists(recipes: dict[str, dict[str, Any]]) -> None:
    for document in sorted(ROOT.glob("*.md")):
        named = re.findall(r"\./enter just (?!RECIPE)([a-z-]+)", document.read_text())
        assert set(named) <= recipes.keys(), document.name


def test_clean_keeps_what_was_measured_and_the_environment(tmp_path: Path) -> None:
    (tmp_path / "Justfile").write_text((ROOT / "Justfile").read_text())
    kept = ["runs/standard/journal", ".venv/entered", "build/nix/entered", "data/reference/x"]
    gone = ["build/bin/nizk-gnark", "build/smoke/paper.pdf", "provers/target/x"]
    for name in kept + gone:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for _ in range(2):  # the second time there is nothing left to remove
        subprocess.run([JUST, "clean"], cwd=tmp_path, capture_output=True, check=True)
    assert [name for name in kept + gone if (tmp_path / name).exists()] == kept


def test_only_a_complete_run_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "Justfile").write_text((ROOT / "Justfile").read_text())
    run = tmp_path / "runs/standard"
    run.mkdir(parents=True)
    for name in ("manifest.json", "samples.parquet", "journal.jsonl"):
        (run / name).touch()
    refused = subprocess.run(
        [JUST, "record"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert refused.returncode != 0
    assert "no run of standard is complete" in refused.stderr

    (run / ".complete").touch()
    subprocess.run([JUST, "record"], cwd=tmp_path, capture_output=True, check=True)
    recorded = sorted(path.name for path in (tmp_path / "data/reference/standard").iterdir())
    assert recorded == ["manifest.json", "samples.parquet"]

    # A grid is complete when its shards have been merged.
    grid = tmp_path / "runs/standard-stark-grid"
    (grid / "shard-1-of-1").mkdir(parents=True)
    subprocess.run([JUST, "record"], cwd=tmp_path, capture_output=True, check=True)
    for name in ("manifest.json", "samples.parquet"):
        assert not (tmp_path / "data/reference/standard-stark-grid").exists()
        (grid / name).touch()
        subprocess.run([JUST, "record"], cwd=tmp_path, capture_output=True, check=True)
    assert not (tmp_path / "data/reference/standard-stark-grid").exists()
    (grid / "shard-1-of-1" / ".complete").touch()
    subprocess.run([JUST, "record"], cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "data/reference/standard-stark-grid/manifest.json").is_file()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["reproduce", "nobody"], "there is no profile nobody, there are full, smoke, standard"),
        (["measure", "nobody"], "there is no profile nobody"),
        (["claims", "nobody"], "there is no profile nobody, there are full, smoke, standard"),
        (["report", "standard", "/nonexistent"], "/nonexistent is no run"),
        (["paper", "standard", "provers"], "provers is no run: it holds no manifest.json"),
    ],
)
def test_wrong_name_is_one_sentence_before_anything_is_built(
    command: list[str], words: str
) -> None:
    refused = subprocess.run(
        [JUST, *command],
        cwd=ROOT,
        env=os.environ | {"PATH": f"{JUST.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode != 0
    assert refused.stdout == ""
    assert refused.stderr.startswith("error: ")
    assert words in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
