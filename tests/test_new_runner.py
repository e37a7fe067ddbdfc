"""A runner that `just new-runner` makes keeps the protocol's structure and says what is left."""

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from nizkbench import figures, tables
from nizkbench.newcomer import LANGUAGES, LONGEST_NAME
from nizkbench.results import Results, system_label
from tests import synthetic_results
from tests.harness import SOURCES, command_line

NAME = "made-up"
NEWCOMER = "made-up/scheme/f64"

#: What tools leave behind, and what is large and not read.
_NOT_COPIED = shutil.ignore_patterns("target", "vendor", "node_modules", "__pycache__", ".*_cache")


@dataclass(frozen=True)
class Copy:
    """A copy of the repository's sources, with a folder of its own for what is built."""

    root: Path

    def nizkbench(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The command line, in the copy."""
        return subprocess.run(
            command_line(*arguments),
            cwd=self.root,
            env=os.environ
            | {
                "NIZK_BENCH_BIN": str(self.root / "bin"),
                "PYTHONPATH": str(SOURCES),
                "NO_COLOR": "1",
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def build(self, language: str) -> None:
        """Build the runner as the Snakefile does."""
        binary, provers = self.root / "bin" / f"nizk-{NAME}", self.root / "provers"
        if language == "rust":
            # What crates.io has is compiled once, for the copy and for the repository.
            target = SOURCES / "provers" / "target"
            options = ["--release", "--locked", "--offline", "--quiet", "--package", f"nizk-{NAME}"]
            subprocess.run(
                ["cargo", "build", *options, "--manifest-path", str(provers / "Cargo.toml")],
                env=os.environ | {"CARGO_TARGET_DIR": str(target)},
                check=True,
            )
            shutil.copy(target / "release" / f"nizk-{NAME}", binary)
        elif language == "go":
            command = ["go", "build", "-C", str(provers), "-o", str(binary), f"./{NAME}"]
            subprocess.run(command, check=True)
        else:
            binary.symlink_to(provers / NAME / f"nizk-{NAME}")

    def tree(self) -> dict[str, bytes]:
        """Every file with its content."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file()
        }


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    root = tmp_path / "copy"
    shutil.copytree(SOURCES / "provers", root / "provers", ignore=_NOT_COPIED)
    for folder in ("schema", "vectors"):
        shutil.copytree(SOURCES / "data" / folder, root / "data" / folder)
    shutil.copy(SOURCES / "pyproject.toml", root)
    (root / "bin").mkdir()
    return Copy(root)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_runner_keeps_the_structure_and_says_what_is_left(copy: Copy, language: str) -> None:
    made = copy.nizkbench("new-runner", NAME, language)
    assert made.returncode == 0, made.stderr
    assert f"left   provers/{NAME}/" in made.stdout
    copy.build(language)

    structural = copy.nizkbench("conform", NAME, "--structure")
    assert structural.returncode == 0, structural.stdout + structural.stderr
    left = [line for line in structural.stdout.splitlines() if line.startswith("left")]
    assert len(left) == 2
    for line, function in zip(left, ("prove", "verify"), strict=True):
        assert f"is not implemented yet: write the function {function} in" in line
        written = copy.root / line.rpartition(" ")[2]
        assert function in written.read_text(encoding="utf-8")

    whole = copy.nizkbench("conform", NAME)
    assert whole.returncode == 1
    broken = [line for line in whole.stdout.splitlines() if line.startswith("BROKEN")]
    assert len(broken) == 2
    assert all("is not implemented yet" in line for line in broken)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_the_template_is_left_in_a_new_runner(copy: Copy, language: str) -> None:
    before = copy.tree()
    assert copy.nizkbench("new-runner", NAME, language).returncode == 0
    made = {path: text for path, text in copy.tree().items() if path not in before}
    assert f"provers/{NAME}/runner.toml" in made
    assert f"provers/{NAME}/README.md" in made
    for path, content in made.items():
        assert b"newcomer" not in content, path
        assert b"templates/" not in content, path
        assert "newcomer" not in path
    told = tomllib.loads(made[f"provers/{NAME}/runner.toml"].decode())
    assert told == {"name": NAME, "language": language, "binary": f"nizk-{NAME}"}


def test_cargos_lock_stays_as_cargo_writes_it(copy: Copy) -> None:
    before = (copy.root / "provers/Cargo.lock").read_text(encoding="utf-8")
    assert copy.nizkbench("new-runner", NAME, "rust").returncode == 0
    after = (copy.root / "provers/Cargo.lock").read_text(encoding="utf-8")
    own = f'[[package]]\nname = "nizk-{NAME}"\nversion = "0.1.0"\ndependencies = [\n'
    own += ' "nizk-protocol",\n]\n\n'
    assert own in after
    assert after.replace(own, "") == before
    members = tomllib.loads((copy.root / "provers/Cargo.toml").read_text(encoding="utf-8"))
    assert NAME in members["workspace"]["members"]


@pytest.mark.parametrize(
    ("name", "language", "said"),
    [
        ("Made-Up", "rust", "a name is of lower-case letters"),
        ("made--up", "go", "a name is of lower-case letters"),
        ("../made", "node", "a name is of lower-case letters"),
        ("9lives", "python", "a name is of lower-case letters"),
        ("x" * (LONGEST_NAME + 1), "go", f"at most {LONGEST_NAME} long"),
        ("gnark", "go", "provers/gnark is there already"),
        ("protocol-py", "python", "provers/protocol-py is there already"),
        ("templates", "python", "provers/templates is there already"),
        ("protocol", "rust", "nizk-protocol is the name of another program"),
        ("published-p1", "go", "nizk-published-p1 is the name of another program"),
        ("newcomer", "go", "nizk-newcomer is the name of another program"),
        ("made-up", "haskell", "there is one in rust, go, node and python"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence_and_leaves_nothing(
    copy: Copy, name: str, language: str, said: str
) -> None:
    before = copy.tree()
    refused = copy.nizkbench("new-runner", name, language)
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: ")
    assert len(refused.stderr.splitlines()) == 1
    assert said in refused.stderr
    assert copy.tree() == before


def test_a_runner_that_cannot_be_registered_is_not_left_half_made(copy: Copy) -> None:
    lock = copy.root / "provers/Cargo.lock"
    lock.write_text(lock.read_text(encoding="utf-8").replace('version = "', 'v = "'))
    before = copy.tree()
    assert copy.nizkbench("new-runner", NAME, "rust").returncode == 1
    assert copy.tree() == before


@pytest.mark.slow
def test_the_toy_in_python_keeps_every_promise(copy: Copy) -> None:
    folder = copy.root / "provers" / "toy"
    folder.mkdir()
    (folder / "runner.toml").write_text(
        'name = "toy"\nlanguage = "python"\nbinary = "nizk-toy"\n', encoding="utf-8"
    )
    protocol = copy.root / "provers" / "protocol-py"
    launcher = copy.root / "bin" / "nizk-toy"
    launcher.write_text(
        f'#!/bin/sh\nPYTHONPATH={protocol}/src exec {sys.executable} {protocol}/tests/toy.py "$@"\n'
    )
    launcher.chmod(0o755)
    whole = copy.nizkbench("conform", "toy", "--flips", "64")
    assert whole.returncode == 0, whole.stdout + whole.stderr


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> Results:
    """A run with a system that no code names."""
    monkeypatch.setitem(synthetic_results.SPEED, NEWCOMER, lambda n: 1e6 + 2e3 * n)
    monkeypatch.setitem(synthetic_results.PROOF, "scheme", lambda n: 1000.0)
    return synthetic_results.synthetic_results()


def test_a_system_nobody_knows_is_in_figures_and_tables(results: Results) -> None:
    label = system_label(NEWCOMER)
    known = system_label("gnark/groth16/bn254")
    listed = {name: function(results).markdown() for name, function in tables.TABLES.items()}
    compared = {name for name, text in listed.items() if known in text}
    assert {"equal-largest", "scaling"} <= compared
    for name in compared & {"systems", "equal-largest", "security", "phases", "scaling"}:
        assert label in listed[name], name
    drawn = {
        name
        for name, function in figures.FIGURES.items()
        if (figure := function(results)) is not None and label in str(figure.to_dict())
    }
    # Where a known system on equal terms is drawn, so is this one.
    known = system_label("gnark/groth16/bn254")
    expected = {
        name
        for name, function in figures.FIGURES.items()
        if (figure := function(results)) is not None and known in str(figure.to_dict())
    }
    assert expected and expected <= drawn
    assert not results.estimates.filter(pl.col("series").str.starts_with(NEWCOMER)).is_empty()


def test_later_systems_look_like_nobody_else_and_stay_as_they_are() -> None:
    later = [f"system-{number}/scheme/field" for number in range(12)]
    everybody = [*figures.FIRST_SYSTEMS, *later]
    looks = [figures.system_look(system, everybody) for system in everybody]
    assert len({(look.colour, look.marker) for look in looks}) == len(everybody)
    first = {figures.system_look(system).colour for system in figures.FIRST_SYSTEMS}
    assert not first & {figures.system_look(system, later).colour for system in later}
    alone = figures.system_look(later[0])
    assert figures.system_look(later[0], everybody) == alone
