"""The speed of hash functions alone is timed, resumed and checked."""

import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.hash_reference import FUNCTIONS, digest, message
from nizkbench.hash_speed import (
    HASH,
    JOURNAL,
    MERKLE,
    PROGRAM,
    SCHEMA,
    TABLE,
    measure_speed,
    per_hash,
    read_speed,
    whole_task,
)
from nizkbench.measure import InterruptedRunError
from nizkbench.profile import HashFunctions, read_profile
from nizkbench.trials import TrialsError
from tests.harness import StopsAfter

BLOCKS, SAMPLES = 3, 2


def parameters(**changes: Any) -> HashFunctions:  # noqa: ANN401 - values of a profile
    asked = read_profile("standard").hash_functions
    assert asked is not None
    speed = {"blocks": BLOCKS, "samples": SAMPLES, "leaves_log2": 3} | changes
    return HashFunctions.of(asked.parameters() | {"speed": speed})


class Program:
    """A program in the place of `PROGRAM` that answers from files, and tells how often it ran."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "program"
        self.folder.mkdir()
        monkeypatch.setenv(layout.BINARIES_VARIABLE, str(self.folder))
        path = self.folder / PROGRAM
        path.write_text(
            "#!/bin/sh\n"
            f"cd {self.folder}\n"
            'if [ "$1" = describe ]; then echo \'{"type":"describe"}\'; exit; fi\n'
            "echo >>started\n"
            'cat "$3-$5"\n'
        )
        path.chmod(0o755)
        content = message(bytes.fromhex(parameters().seed), 0, 64)
        for number, function in enumerate(FUNCTIONS, start=1):
            self.answer(function, HASH, digest(function, content).hex(), 100 * number, SAMPLES)
            self.answer(function, MERKLE, "ab" * 32, 1000 * number, 1)

    def answer(self, function: str, task: str, found: str, wall_ns: int, samples: int) -> None:
        """Have a process of this function and task answer so."""
        line = {
            "function": function,
            "task": task,
            "iterations": 10,
            "wall_ns": wall_ns,
            "user_ns": wall_ns,
            "system_ns": 0,
            "digest": found,
        }
        (self.folder / f"{function}-{task}").write_text((json.dumps(line) + "\n") * samples)

    @property
    def started(self) -> int:
        """How many processes there were so far."""
        path = self.folder / "started"
        return len(path.read_text()) if path.exists() else 0


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    return Program(tmp_path, monkeypatch)


def test_a_stopped_run_goes_on_without_timing_anything_twice(
    program: Program, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    with pytest.raises(InterruptedRunError, match="the 5 processes that timed hash functions"):
        measure_speed(parameters(), folder, StopsAfter(5))
    assert program.started == 5
    assert read_speed(folder) is None
    with (folder / JOURNAL).open("ab") as file:
        file.write(b'{"type":"trial","stage":"ha')  # a crash cut this line off
    table = measure_speed(parameters(), folder)
    assert program.started == 2 * len(FUNCTIONS) * BLOCKS
    assert table.schema == SCHEMA
    by_task = dict(table.group_by("task").len().iter_rows())
    assert by_task == {HASH: len(FUNCTIONS) * BLOCKS * SAMPLES, MERKLE: len(FUNCTIONS) * BLOCKS}
    # What is complete is read, and nothing started.
    assert measure_speed(parameters(), folder).equals(table)
    assert program.started == 2 * len(FUNCTIONS) * BLOCKS


def test_the_manifest_says_what_computed_and_how(program: Program, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "kept"}')
    measure_speed(parameters(), tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["name"] == "kept"
    assert manifest["speed"]["processes"] == program.started
    assert manifest["speed"]["leaves_log2"] == 3
    assert manifest["speed"]["describe"] == {"type": "describe"}
    digest_of = hashlib.sha256((program.folder / PROGRAM).read_bytes()).hexdigest()
    assert manifest["speed"]["program"] == digest_of


def test_a_wrong_digest_and_a_second_root_are_refused(program: Program, tmp_path: Path) -> None:
    program.answer("poseidon", HASH, "00" * 32, 100, SAMPLES)
    with pytest.raises(TrialsError, match=r"found 0{64} for poseidon \(hash\), not [0-9a-f]{64}$"):
        measure_speed(parameters(), tmp_path / "wrong")
    assert not (tmp_path / "wrong" / TABLE).exists()


@pytest.mark.parametrize(
    ("samples", "task", "said"),
    [(3, HASH, "took 3 samples, 2 were asked for"), (2, "other", "timed something else")],
)
def test_a_process_that_answers_wrongly_is_named(
    program: Program, tmp_path: Path, samples: int, task: str, said: str
) -> None:
    path = program.folder / f"sha256-{HASH}"
    line = json.loads(path.read_text().splitlines()[0]) | {"task": task}
    path.write_text((json.dumps(line) + "\n") * samples)
    with pytest.raises(TrialsError, match=rf"sha256 \(hash\) could not be timed: .*{said}"):
        measure_speed(parameters(), tmp_path / "run")


def test_another_profile_does_not_go_on_in_the_same_run(program: Program, tmp_path: Path) -> None:
    with pytest.raises(InterruptedRunError):
        measure_speed(parameters(), tmp_path, StopsAfter(1))
    with pytest.raises(TrialsError, match="begun with other leaves_log2; move it aside"):
        measure_speed(parameters(leaves_log2=4), tmp_path)
    assert program.started == 1


def test_a_program_that_is_not_built_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "binary_folders", lambda: [tmp_path])
    with pytest.raises(NizkBenchError, match=f"{PROGRAM} is neither in build/bin"):
        measure_speed(parameters(), tmp_path / "run")


def made(times: dict[int, list[int]]) -> pl.DataFrame:
    rows = [
        ("sha256", HASH, block, sample, 10, wall, wall, 0)
        for block, walls in times.items()
        for sample, wall in enumerate(walls)
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_a_block_counts_by_its_median_and_the_interval_is_over_blocks() -> None:
    table = made({0: [1000, 1100, 99_000], 1: [1200, 1210, 1190], 2: [1000, 1000, 1000]})
    found = per_hash(table, "sha256", HASH)
    assert found is not None
    assert found.value == pytest.approx((110 * 120 * 100) ** (1 / 3))
    assert found.low < 100 < 120 < found.high
    assert found.unit == "ns"
    whole = whole_task(table, "sha256", HASH)
    assert whole is not None
    assert whole.value == pytest.approx(10 * found.value)
    assert math.isclose(whole.high / whole.low, found.high / found.low)
    assert per_hash(table, "poseidon", HASH) is None


def test_one_block_has_no_interval() -> None:
    found = per_hash(made({0: [1000]}), "sha256", HASH)
    assert found is not None
    assert found.exact


@pytest.mark.slow
def test_the_real_program_computes_the_digests_of_the_statement(tmp_path: Path) -> None:
    """A wrong one would have been refused; a tree of eight leaves has seven hashes."""
    table = measure_speed(parameters(samples=1), tmp_path)
    assert set(table["function"]) == set(FUNCTIONS)
    trees = table.filter(pl.col("task") == MERKLE)
    assert trees["iterations"].unique().to_list() == [7]
    assert (table["wall_ns"] > 0).all()
    described = (tmp_path / JOURNAL).read_text()
    assert re.search(r'"leaves_log2":3', described)
