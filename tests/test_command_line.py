"""The command line says in one sentence what is wrong, and its status tells how it ended."""

import os
import re
from pathlib import Path

import pytest

from nizkbench import layout
from nizkbench.analysis import analyse
from nizkbench.cli import application, verbs
from nizkbench.doctor import examine
from nizkbench.estimate import write_tables
from nizkbench.manifest import variables_set, write_manifest
from nizkbench.messages import decode_describe
from nizkbench.records import write_records
from tests.harness import Repository, repository
from tests.synthetic_results import synthetic_results, synthetic_run


@pytest.fixture
def small(tmp_path: Path) -> Repository:
    """A repository with the revealing runner."""
    return repository(tmp_path)


def test_every_file_of_a_verb_holds_its_verb() -> None:
    commands = application(verbs()).registered_commands
    assert [command.name for command in commands] == [name.replace("_", "-") for name in verbs()]
    for command in commands:
        assert command.callback is not None
        assert command.callback.__doc__, command.name
    assert {"describe", "doctor", "plan", "measure", "estimate", "conform"} <= set(verbs())


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["describe", "nobody"], 1, "there is no runner nobody, there are revealing"),
        (["plan", "nobody"], 1, "there is no profile nobody, there are small"),
        (["measure", "nobody"], 1, "there is no profile nobody, there are small"),
        (["measure", "small", "--only-records"], 1, "is no run"),
    ],
)
def test_a_mistake_is_one_sentence(
    small: Repository, arguments: list[str], status: int, words: str
) -> None:
    ended = small.nizkbench(*arguments)
    assert ended.returncode == status
    assert ended.stdout == ""
    assert ended.stderr.startswith("error: ")
    assert len(ended.stderr.splitlines()) == 1
    assert words in ended.stderr


def test_a_full_disk_is_one_sentence_whoever_writes(small: Repository) -> None:
    records, analysis = small.root / "runs" / "made-up", small.root / "build" / "made-up"
    records.mkdir(parents=True)
    made = synthetic_run()
    write_records(made.records, records)
    write_manifest(made.manifest, records)
    write_tables(analyse(made.records), analysis)
    simulated = synthetic_results().coverage
    assert simulated is not None
    write_tables({"coverage": simulated}, analysis.parent)
    known = ["runs/made-up", "--analysis", "build/made-up", "--into", "full"]
    for arguments in (
        ["estimate", "runs/made-up", "--into", "full"],
        ["numbers", *known],
        ["tables", *known],
        ["figures", *known],
    ):
        (small.root / "full").mkdir(exist_ok=True)
        stopped = small.on_a_small_disk(1, *arguments)
        assert stopped.returncode == 1, (arguments, stopped.stderr)
        assert stopped.stderr.startswith("error: "), (arguments, stopped.stderr)
        assert len(stopped.stderr.splitlines()) == 1, (arguments, stopped.stderr)
        assert "the disk is full" in stopped.stderr, (arguments, stopped.stderr)


@pytest.mark.parametrize("arguments", [["fly"], ["measure"], ["measure", "small", "--speed"]])
def test_wrong_usage_is_status_2(small: Repository, arguments: list[str]) -> None:
    ended = small.nizkbench(*arguments)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr


def test_a_runner_that_is_described_wrongly_is_named(small: Repository) -> None:
    (small.root / "provers" / "revealing" / "runner.toml").write_text("name = 3\n")
    ended = small.nizkbench("describe")
    assert ended.returncode == 1
    assert "is no description of a runner" in ended.stderr


def test_describe_prints_what_the_runner_says(small: Repository) -> None:
    said = small.nizkbench("describe", "--json").stdout.encode()
    assert decode_describe(said).systems[0].system == "revealing/preimage/f128"
    shown = small.nizkbench("describe").stdout
    assert "constants=unbound must fail reject-wrong-constants" in shown
    assert "strength=1 (1 to 8)" in shown


def test_plan_lists_every_configuration(small: Repository) -> None:
    shown = small.nizkbench("plan", "small").stdout
    assert shown.count("revealing preimage f128") == 2
    assert "2 configurations, 2 to 2 blocks: 4 to 4 invocations" in shown


def test_doctor_names_a_runner_that_is_not_built(small: Repository) -> None:
    (small.root / "bin" / "nizk-revealing").unlink()
    ended = small.nizkbench("doctor")
    assert ended.returncode == 0
    assert re.search(r"^unbuilt +runners +not built yet: revealing$", ended.stdout, re.MULTILINE)


def test_doctor_fails_where_a_runner_does_not_run(small: Repository) -> None:
    (small.root / "bin" / "nizk-revealing").write_text("#!/bin/sh\nexit 7\n", encoding="utf-8")
    ended = small.nizkbench("doctor")
    assert ended.returncode == 1
    assert re.search(r"^missing +runner revealing +", ended.stdout, re.MULTILINE)


def test_doctor_says_what_to_do_about_everything_noisy() -> None:
    findings = examine()
    assert {"load", "cores", "memory", "disk", "frequency governor", "peak memory"} <= {
        finding.subject for finding in findings
    }
    for finding in findings:
        assert finding.found
        if finding.level == "noisy":
            assert finding.advice, finding.subject


def test_doctor_sees_a_variable_that_runners_obey(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in variables_set():
        monkeypatch.delenv(name)
    (unset,) = (finding for finding in examine() if finding.subject == "environment")
    assert unset.level == "fine"
    monkeypatch.setenv("GOGC", "off")
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    (given,) = (finding for finding in examine() if finding.subject == "environment")
    assert given.level == "noisy"
    assert given.found == "GOGC=off, MALLOC_ARENA_MAX=1"
    assert "unset" in given.advice


def test_doctor_sees_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (7.5, 7.5, 7.5))
    (load,) = (finding for finding in examine() if finding.subject == "load")
    assert load.level == "noisy"
    assert "7.50" in load.found


@pytest.mark.parametrize("name", layout.BROWSERS)
def test_doctor_knows_every_browser(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.delenv(layout.BROWSER_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    (missing,) = (finding for finding in examine() if finding.subject == "browser")
    assert missing.level == "missing"
    assert missing.found.startswith("no Chromium or Chrome was found")

    program = tmp_path / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (found,) = (finding for finding in examine() if finding.subject == "browser")
    assert found.level == "fine"
    assert found.found.startswith(f"{program};")
