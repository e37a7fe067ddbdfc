"""Programs that are no runners, timed in randomised blocks, each trial a new process.

What the protocol of runners cannot ask for (the proofs that earlier work published, a hash function
alone) a program of its own times, on the core that other measurements on one thread have. What a
process said becomes one line of a journal beside the run's other records, at once and on the disk,
so that a harness that is stopped loses the process in flight and nothing else.
"""

import io
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from nizkbench import layout
from nizkbench.errors import FULL, NizkBenchError
from nizkbench.journal import AppendOnly, cannot_write
from nizkbench.manifest import read_manifest, steal_ns, utc_now, write_manifest
from nizkbench.plan import block_order, cores_of
from nizkbench.profile import InvocationLimits
from nizkbench.progress import RunProgress
from nizkbench.runner import Exchange, Limits, available_cores, exchange


class TrialsError(NizkBenchError):
    """A program could not be timed, or what was kept of it is not whole."""


class Begun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="begun"):
    """The first line of a journal: what must not change while it grows.

    `program` is the SHA-256 of the file, or that of the hashes of several; `parameters` are
    whatever decides what is measured.
    """

    program: str
    parameters: dict[str, Any]


class Trial[S](
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="trial"
):
    """One process: where in the experiment it stood, what it said, and the machine meanwhile.

    `samples` are as the program tells them.
    """

    stage: str
    name: str
    block: int
    order: int
    started_utc: str
    wall_ns: int
    steal_ns: int
    load1: float
    samples: tuple[S, ...]


@dataclass(frozen=True, slots=True)
class Work[S]:
    """A kind of process, of which every block has one.

    `name` is its name in the journal, `words` what a person reads. `read` takes what was said to
    samples, and raises `TrialsError` where that is not whole.
    """

    name: str
    words: str
    command: tuple[str, ...]
    request: bytes
    read: Callable[[Exchange], tuple[S, ...]]


class Journal[S]:
    """The journal of the processes of one program, and what it has so far (`trials`)."""

    def __init__(
        self, file: AppendOnly, begun: Begun, decoder: msgspec.json.Decoder[Begun | Trial[S]]
    ) -> None:
        """Go on with a file, or begin it; `TrialsError` if it was begun with something else."""
        self.begun = begun
        self._file = file
        self.trials: list[Trial[S]] = []
        lines = []
        for number, line in enumerate(file.content.splitlines(), start=1):
            try:
                lines.append(decoder.decode(line))
            except msgspec.MsgspecError as error:
                raise TrialsError(
                    f"line {number} of {file.path} cannot be read ({error}); move the file aside to"
                    " begin anew"
                ) from error
        if not lines:
            file.append(msgspec.json.encode(begun) + b"\n", 0)
            return
        if lines[0] != begun:
            was = _flat(lines[0]) if isinstance(lines[0], Begun) else {}
            now = _flat(begun)
            changed = sorted(name for name in now | was if was.get(name) != now.get(name))
            raise TrialsError(
                f"{file.path} was begun with other {' and '.join(changed)}; move it aside to begin"
                " anew"
            )
        self.trials += [line for line in lines[1:] if isinstance(line, Trial)]

    def append(self, trial: Trial[S]) -> None:
        """Add a trial; when this returns, it is on the disk."""
        self._file.append(msgspec.json.encode(trial) + b"\n", len(self.trials))
        self.trials.append(trial)

    def carry_out(
        self,
        stage: str,
        wanted: Sequence[Work[S]],
        *,
        seed: str,
        blocks: int,
        limits: InvocationLimits,
        progress: RunProgress,
        stop_if_asked: Callable[[], None],
    ) -> None:
        """Time this work in every block of a stage, but for what the journal has."""
        by_name = {work.name: work for work in wanted}
        done = {
            (one.name, one.block)
            for one in self.trials
            if one.stage == stage and one.name in by_name and one.block < blocks
        }
        missing = len(by_name) * blocks - len(done)
        begun, made = time.monotonic(), 0
        for block in range(blocks):
            # Stages are shuffled apart.
            order = block_order((f"{stage} {name}" for name in by_name), bytes.fromhex(seed), block)
            for place, key in enumerate(order):
                name = key.removeprefix(f"{stage} ")
                if (name, block) in done:
                    continue
                stop_if_asked()
                work = by_name[name]
                trial = _trial(work, (stage, block, place), limits, stop_if_asked)
                self.append(trial)
                made += 1
                spent = time.monotonic() - begun
                progress.show(spent, spent / made * (missing - made), work.words)

    def description(self) -> dict[str, Any]:
        """How the program was timed, for the manifest of its run."""
        loads = sorted(trial.load1 for trial in self.trials)
        return {
            "program": self.begun.program,
            "first_utc": min(trial.started_utc for trial in self.trials),
            "last_utc": max(trial.started_utc for trial in self.trials),
            "processes": len(self.trials),
            "wall_ns": sum(trial.wall_ns for trial in self.trials),
            "steal_ns": sum(trial.steal_ns for trial in self.trials),
            "highest_load1": loads[-1],
            "median_load1": loads[len(loads) // 2],
        }


@contextmanager
def journal_of[S](
    path: Path,
    begun: Begun,
    decoder: msgspec.json.Decoder[Begun | Trial[S]],
) -> Iterator[Journal[S]]:
    """The journal at `path`, locked while it is open; `TrialsError` if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = AppendOnly(path)
    except OSError as error:
        if error.errno not in FULL and not isinstance(error, PermissionError):
            raise
        raise TrialsError(cannot_write(path, error, 0)) from error
    try:
        yield Journal(file, begun, decoder)
    finally:
        file.close()


def program_path(program: str, what: str) -> Path:
    """A program by its name; `TrialsError` if it is not built, in which it is called `what`."""
    path = shutil.which(program, path=os.pathsep.join(map(str, layout.binary_folders())))
    if path is None:
        raise TrialsError(
            f"{what} is not built: {program} is neither in build/bin nor in"
            f" ${layout.BINARIES_VARIABLE} nor on the PATH; `just build` makes it"
        )
    return Path(path)


def how_it_ended(exchanged: Exchange, program: str) -> str:
    """How a process ended, in words: by whom it was stopped, or with which status."""
    if exchanged.ending != "exit":
        return f"{program} was stopped ({exchanged.ending})"
    words = [line.strip() for line in exchanged.stderr.splitlines() if line.strip()]
    said = f", saying {words[-1][:200]!r}" if words else ""
    return f"{program} ended with status {exchanged.exit_status}{said}"


def keep(table: pl.DataFrame, path: Path, described: dict[str, Any], name: str) -> None:
    """Write a table beside the others of a run, whole or not at all, and the manifest's `name`."""
    content = io.BytesIO()
    table.write_parquet(content, compression="zstd", compression_level=19)
    beside = path.with_name(f".{path.name}")
    try:
        with beside.open("wb") as file:
            file.write(content.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        manifest = read_manifest(path.parent)
        if manifest is not None:
            write_manifest(manifest | {name: described}, path.parent)
    except OSError as error:
        raise TrialsError(cannot_write(path, error, described["processes"])) from error


def _trial[S](
    work: Work[S],
    place: tuple[str, int, int],
    limits: InvocationLimits,
    stop_if_asked: Callable[[], None],
) -> Trial[S]:
    stage, block, order = place
    started_utc, load1, stolen = utc_now(), os.getloadavg()[0], steal_ns()
    exchanged = exchange(
        list(work.command),
        work.request,
        limits=Limits(limits.timeout_seconds, limits.memory_bytes),
        cores=cores_of("one", available_cores()),
        watch=stop_if_asked,
    )
    return Trial(
        stage=stage,
        name=work.name,
        block=block,
        order=order,
        started_utc=started_utc,
        wall_ns=exchanged.wall_ns,
        steal_ns=steal_ns() - stolen,
        load1=load1,
        samples=work.read(exchanged),
    )


def _flat(begun: Begun) -> dict[str, Any]:
    return {"program": begun.program, **begun.parameters}
