"""A small repository in a temporary folder, with the revealing runner and a profile for it."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nizkbench.profile import Mimc
from nizkbench.progress import RunProgress

SOURCES = Path(__file__).resolve().parent.parent
SYSTEM = "revealing/preimage/f128"

#: Eight cells of the real STARK.
STARK_CELLS = {
    "systems": ["winterfell/stark/f128"],
    "rounds": [15],
    "options": {"queries": [20, 30], "blowup": [4, 8], "grinding": [0, 4]},
}


@dataclass(frozen=True)
class Repository:
    """A repository with one runner; `environment` is what its commands are started with."""

    root: Path
    environment: dict[str, str]

    @property
    def run(self) -> Path:
        """The run of the profile called `small`."""
        return self.root / "runs" / "small"

    @property
    def journal(self) -> Path:
        """The journal of that run."""
        return self.run / "journal.jsonl"

    def nizkbench(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command line in the repository to its end."""
        return self._ended(command_line(*arguments), self.environment, 120)

    def on_a_small_disk(self, blocks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command line where no file can become larger than `blocks` of 512 bytes.

        It keeps no bytecode there: CPython before 3.13.1 leaves half a file where one does not fit
        (python/cpython#126606), and whoever loads the module next would break off.
        """
        limited = ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *command_line(*arguments)]
        return self._ended(limited, self.environment | {"PYTHONDONTWRITEBYTECODE": "1"}, 60)

    def _ended(
        self, command: list[str], environment: dict[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start the command line in the repository."""
        return subprocess.Popen(
            command_line(*arguments),
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def grid(self) -> Path:
        """The run of the grid of that profile."""
        return self.root / "runs" / "small-stark-grid"

    def grid_profile(self, **changes: object) -> None:
        """Write the profile `small` with a grid, with some of its parameters replaced."""
        self._write(
            {"name": "small", "mimc": parameters(), "stark_grid": grid_parameters(**changes)}
        )

    def profile(self, **changes: object) -> None:
        """Write the profile `small`, with some of its parameters replaced."""
        self._write({"name": "small", "mimc": parameters(**changes)})

    def workflow(self) -> None:
        """Bring the Snakefile, the notebooks and the real STARK, whose grid the notebook shows."""
        shutil.copy(SOURCES / "Snakefile", self.root)
        shutil.copytree(SOURCES / "notebooks", self.root / "notebooks")
        (self.root / "provers" / "winterfell").mkdir()
        shutil.copy(SOURCES / "provers/winterfell/runner.toml", self.root / "provers/winterfell")
        (self.root / "bin" / "nizk-winterfell").symlink_to(SOURCES / "build/bin/nizk-winterfell")

    def _write(self, table: dict[str, object]) -> None:
        lines = [f"{name} = {_toml(value)}\n" for name, value in table.items()]
        (self.root / "profiles" / "small.toml").write_text("".join(lines), encoding="utf-8")


def repository(folder: Path) -> Repository:
    """Lay out a repository with the revealing runner and the profile `small`."""
    for name in ("provers/revealing", "profiles", "bin"):
        (folder / name).mkdir(parents=True)
    (folder / "provers" / "PROTOCOL.md").write_text("See the real one.\n")
    (folder / "data").mkdir()
    shutil.copy(SOURCES / "data" / "claims.toml", folder / "data")
    (folder / "provers" / "revealing" / "runner.toml").write_text(
        'name = "revealing"\nlanguage = "python"\nbinary = "nizk-revealing"\n'
    )
    binary = folder / "bin" / "nizk-revealing"
    runner = SOURCES / "tests" / "runners" / "revealing.py"
    binary.write_text(
        f'#!/bin/sh\nPYTHONPATH="{SOURCES}" exec "{sys.executable}" -S "{runner}" "$@"\n'
    )
    binary.chmod(0o755)
    environment = os.environ | {
        "NIZK_BENCH_BIN": str(folder / "bin"),
        "PYTHONPATH": str(SOURCES),
        "NO_COLOR": "1",
    }
    made = Repository(folder, environment)
    made.profile()
    return made


def parameters(**changes: object) -> dict[str, Any]:
    """The parameters of a run that takes a second or two."""
    return {
        "seed": "00" * 32,
        "rounds": [7, 15],
        "threads": ["one"],
        "blocks": {"minimum": 2, "maximum": 2, "target_half_width": 0.001, "seconds": 600.0},
        "samples": {"warmup": 1, "minimum": 2, "maximum": 4, "seconds": 0.01},
        "limits": {"timeout_seconds": 20.0, "memory_bytes": 300_000_000},
        "bit_flips": 8,
        "series": [series()],
    } | changes


def grid_parameters(**changes: object) -> dict[str, Any]:
    """The parameters of a grid of twelve cells in three blocks, two processes each."""
    every = {"systems": [SYSTEM], "rounds": [15, 31], "options": {"strength": [1, 2, 3, 4, 5, 6]}}
    return {
        "seed": "00" * 32,
        "blocks": 3,
        "cells_per_process": 6,
        "samples": {"warmup": 1, "minimum": 2, "maximum": 4, "seconds": 0.01},
        "limits": {"timeout_seconds": 20.0, "memory_bytes": 300_000_000},
        "bit_flips": 8,
        "crossings": {"every": every},
    } | changes


def experiment(**changes: object) -> Mimc:
    """The same parameters as an experiment."""
    return Mimc.of(parameters(**changes))


def series(fault: str = "none", /, **changes: object) -> dict[str, Any]:
    """A series of the revealing runner."""
    return {"track": "main", "system": SYSTEM, "options": {"fault": fault}} | changes


def command_line(*arguments: str) -> list[str]:
    """The command line under test."""
    return [sys.executable, "-c", "from nizkbench.cli import main; main()", *arguments]


def _toml(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case dict():
            return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case str():
            return f'"{value}"'
        case _:
            return repr(value)


class StopsAfter(RunProgress):
    """Stops a run as a person would, after so many processes."""

    def __init__(self, processes: int) -> None:
        super().__init__("test")
        self.processes = processes

    def show(self, spent: float, left: float, trial: str) -> None:
        del spent, left, trial
        self.processes -= 1
        if not self.processes:
            signal.raise_signal(signal.SIGINT)
