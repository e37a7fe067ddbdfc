"""The native speed of the hash functions: measuring it, and what is kept of it.

The program `nizk-hash-speed` computes them on one thread, without any proof: a message of 64 bytes
again and again, and the root of a Merkle tree, in both tasks from memory to memory
(`provers/hash-speed/README.md`). `nizkbench.trials` starts a process for every function and task in
every block.

When all is timed, `speed.parquet` beside the other tables of the run has one row a sample, with the
columns of `SCHEMA`; times are nanoseconds of all `iterations` hashes together. The run's manifest
says under `speed` which code computed, and how.
"""

import json
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from nizkbench.hash_reference import FUNCTIONS, digest, message
from nizkbench.intervals import LEVEL, student_t
from nizkbench.manifest import file_hash
from nizkbench.measure import stoppable
from nizkbench.profile import HashFunctions
from nizkbench.progress import RunProgress
from nizkbench.quantities import Quantity
from nizkbench.runner import Exchange
from nizkbench.trials import (
    Begun,
    Trial,
    TrialsError,
    Work,
    how_it_ended,
    journal_of,
    keep,
    program_path,
)

#: The program that times the functions.
PROGRAM = "nizk-hash-speed"

JOURNAL = "speed.jsonl"
TABLE = "speed.parquet"

#: One message, or the root of a tree.
HASH, MERKLE = "hash", "merkle"

#: Bytes of the message that is hashed.
MESSAGE_BYTES = 64

SCHEMA = pl.Schema(
    {
        "function": pl.String,
        "task": pl.String,
        "block": pl.Int64,
        "sample": pl.Int64,
        "iterations": pl.Int64,
        "wall_ns": pl.Int64,
        "user_ns": pl.Int64,
        "system_ns": pl.Int64,
    }
)


class SpeedSample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sample as the program writes it; `digest` is 32 bytes in hexadecimal."""

    function: str
    task: str
    iterations: int
    wall_ns: int
    user_ns: int
    system_ns: int
    digest: str


_SAMPLE = msgspec.json.Decoder(SpeedSample)
_JOURNAL: msgspec.json.Decoder[Begun | Trial[SpeedSample]] = msgspec.json.Decoder(
    Begun | Trial[SpeedSample]
)


def measure_speed(
    parameters: HashFunctions, folder: Path, progress: RunProgress | None = None
) -> pl.DataFrame:
    """Time every function alone, or what is still missing of it, and return the table (`SCHEMA`).

    `folder` is that of the run. `TrialsError` says why a function could not be timed, or that
    processes disagree on a digest; `InterruptedRunError` that somebody stopped it. What has been
    timed is kept in either case.
    """
    program = program_path(PROGRAM, "the program that times hash functions alone")
    speed = parameters.speed
    decided_by = {"seed": parameters.seed, **msgspec.structs.asdict(speed)}
    shown = progress or RunProgress(folder.name)
    with journal_of(folder / JOURNAL, Begun(file_hash(program), decided_by), _JOURNAL) as journal:

        def kept() -> str:
            return (
                f"the {len(journal.trials)} processes that timed hash functions alone are kept,"
                " the same command goes on"
            )

        with shown, stoppable(kept) as stop_if_asked:
            for task in (HASH, MERKLE):
                journal.carry_out(
                    task,
                    [_work(program, function, task, parameters) for function in FUNCTIONS],
                    seed=parameters.seed,
                    blocks=speed.blocks,
                    limits=parameters.limits,
                    progress=shown,
                    stop_if_asked=stop_if_asked,
                )
        _refuse_other_digests(journal.trials, parameters.seed)
        table = _table(journal.trials)
        described = {
            **journal.description(),
            "leaves_log2": speed.leaves_log2,
            "describe": _describe(program),
        }
        keep(table, folder / TABLE, described, "speed")
        return table


def samples_from(
    exchanged: Exchange, function: str, task: str, samples: int
) -> tuple[SpeedSample, ...]:
    """What a process said; `TrialsError` unless that is whole."""

    def failed(why: str) -> TrialsError:
        return TrialsError(f"{function} ({task}) could not be timed: {why}")

    if exchanged.ending != "exit" or exchanged.exit_status != 0:
        raise failed(how_it_ended(exchanged, PROGRAM))
    try:
        found = tuple(_SAMPLE.decode(line) for line in exchanged.stdout.splitlines())
    except msgspec.MsgspecError as error:
        raise failed(f"{PROGRAM} wrote a line that is no sample ({error})") from error
    if len(found) != samples:
        raise failed(f"{PROGRAM} took {len(found)} samples, {samples} were asked for")
    if any((one.function, one.task) != (function, task) for one in found):
        raise failed(f"{PROGRAM} timed something else")
    if sum(one.wall_ns for one in found) > exchanged.wall_ns:
        raise failed("its samples add up to more than the life of the process")
    return found


def read_speed(folder: Path) -> pl.DataFrame | None:
    """The table beside a run's others; None if it was not measured."""
    path = folder / TABLE
    return pl.read_parquet(path) if path.exists() else None


def per_hash(table: pl.DataFrame, function: str, task: str) -> Quantity | None:
    """Time of one hash; None if it was not measured.

    A block's value is the median of its samples, the interval is Student's t of their logarithms
    over blocks.
    """
    return _over_blocks(table, function, task, pl.col("wall_ns") / pl.col("iterations"))


def whole_task(table: pl.DataFrame, function: str, task: str) -> Quantity | None:
    """Time of a whole sample, such as that of a tree; as `per_hash`."""
    return _over_blocks(table, function, task, pl.col("wall_ns"))


def _over_blocks(table: pl.DataFrame, function: str, task: str, what: pl.Expr) -> Quantity | None:
    blocks = (
        table.filter((pl.col("function") == function) & (pl.col("task") == task))
        .group_by("block")
        .agg(what.median().alias("value"))
        .sort("block")
    )
    if blocks.is_empty():
        return None
    logarithms = np.log(np.sort(blocks["value"].to_numpy()))[None, :]
    low, high = student_t(logarithms, LEVEL)
    middle = float(np.exp(logarithms.mean()))
    if len(blocks) < 2:
        return Quantity(middle, middle, middle, "ns")
    return Quantity(middle, float(np.exp(low[0])), float(np.exp(high[0])), "ns")


def _work(program: Path, function: str, task: str, parameters: HashFunctions) -> Work[SpeedSample]:
    """A process of one function and task; a tree is hashed once, which is many hashes by itself."""
    speed = parameters.speed
    samples = speed.samples if task == HASH else 1
    leaves = ("--leaves-log2", str(speed.leaves_log2)) if task == MERKLE else ()
    return Work(
        name=function,
        words=f"{function} alone ({task})",
        command=(
            *(str(program), "run", "--function", function, "--task", task, *leaves),
            *("--samples", str(samples), "--seed", parameters.seed),
        ),
        request=b"",
        read=partial(samples_from, function=function, task=task, samples=samples),
    )


def _refuse_other_digests(trials: Sequence[Trial[SpeedSample]], seed: str) -> None:
    """`TrialsError` if a digest is not the statement's, or if a tree has two roots."""
    content = message(bytes.fromhex(seed), 0, MESSAGE_BYTES)
    right = {(HASH, function): digest(function, content).hex() for function in FUNCTIONS}
    for trial in trials:
        for one in trial.samples:
            if one.digest != right.setdefault((one.task, one.function), one.digest):
                raise TrialsError(
                    f"{PROGRAM} found {one.digest} for {one.function} ({one.task}),"
                    f" not {right[one.task, one.function]}"
                )


def _table(trials: Sequence[Trial[SpeedSample]]) -> pl.DataFrame:
    rows = [
        {
            "function": one.function,
            "task": one.task,
            "block": trial.block,
            "sample": number,
            "iterations": one.iterations,
            "wall_ns": one.wall_ns,
            "user_ns": one.user_ns,
            "system_ns": one.system_ns,
        }
        for trial in trials
        for number, one in enumerate(trial.samples)
    ]
    return pl.DataFrame(rows, schema=SCHEMA).sort("task", "function", "block", "sample")


def _describe(program: Path) -> dict[str, Any]:
    done = subprocess.run([str(program), "describe"], capture_output=True, check=True)
    described: dict[str, Any] = json.loads(done.stdout)
    return described
