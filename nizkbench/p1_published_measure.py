"""Timing the published proofs again, in randomised blocks, each proof's options in a new process.

The program `nizk-published-p1` is no runner: the protocol lets a request choose a seed, and the
published instance is not one that a seed of ours gives. It times what the protocol calls witness
and prove, on the core that other measurements on one thread have.

What a process said becomes one line of `published.jsonl` beside the run's other records, at once
and on the disk, so that a harness that is stopped loses the process in flight and nothing else.
When all is timed, `published.parquet` has one row a counted proof, with the columns of
`nizkbench.p1_published.SCHEMA`.
"""

import io
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.journal import FULL, AppendOnly, cannot_write
from nizkbench.manifest import file_hash, read_manifest, steal_ns, utc_now, write_manifest
from nizkbench.measure import stoppable
from nizkbench.messages import OptionValue
from nizkbench.p1_published import (
    ALONE,
    DEFAULTS,
    SCHEMA,
    TABLE,
    TOGETHER,
    Options,
    PublishedError,
    changed_alone,
    compared,
    options_words,
    picks,
    refuse_other_attempts,
    table_of,
    timed,
)
from nizkbench.plan import block_order, canonical_json, cores_of
from nizkbench.profile import P1Grinding
from nizkbench.progress import RunProgress
from nizkbench.runner import Exchange, Limits, available_cores, exchange

#: The program that makes the published proofs.
PROGRAM = "nizk-published-p1"

JOURNAL = "published.jsonl"

#: Proofs of a process that only warm up.
WARMUP = 1

#: Of a proof with more bits of grinding than the default a process takes this part of the samples:
#: it takes sixteen times as long, and scatters no more.
PART_OF_LONG, FEWEST_OF_LONG = 4, 3


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    pass


class PublishedSample(_Line, frozen=True, tag="sample"):
    """One proof; times in nanoseconds, processor time of witness and prove together."""

    sample: int
    warmup: bool
    witness_ns: int
    prove_ns: int
    user_ns: int
    system_ns: int
    attempts: int
    proof_bytes: int


class _Done(_Line, frozen=True, tag="done"):
    pass


class _Error(_Line, frozen=True, tag="error"):
    message: str


class Begun(_Line, frozen=True, tag="begun"):
    """The first line of the journal: what must not change while it grows."""

    program: str
    seed: str
    blocks: int
    samples: int


class Trial(_Line, frozen=True, tag="trial"):
    """One process: where in the experiment it stood, what it said, and the machine meanwhile."""

    stage: str
    options: dict[str, OptionValue]
    block: int
    order: int
    started_utc: str
    wall_ns: int
    steal_ns: int
    load1: float
    samples: tuple[PublishedSample, ...]


_ANSWERS: msgspec.json.Decoder[PublishedSample | _Done | _Error] = msgspec.json.Decoder(
    PublishedSample | _Done | _Error
)
_JOURNAL: msgspec.json.Decoder[Begun | Trial] = msgspec.json.Decoder(Begun | Trial)


def measure_published(
    parameters: P1Grinding, folder: Path, progress: RunProgress | None = None
) -> pl.DataFrame:
    """Time the published proofs, or what is still missing of them, and return the table (`SCHEMA`).

    `folder` is that of the run; the table and the journal are kept there, and its manifest, if it
    has one, says when and with which program. `PublishedError` says why a proof could not be timed,
    `InterruptedRunError` that somebody stopped it; what has been timed is kept in either case.
    """
    program = program_path()
    begun = Begun(file_hash(program), parameters.seed, parameters.blocks, parameters.samples)
    with _journal(folder) as file:
        trials = _begin(file, begun)
        experiment = _Experiment(
            file, program, parameters, trials, progress or RunProgress(folder.name)
        )

        def kept() -> str:
            return (
                f"the {len(trials)} processes with published proofs so far are kept,"
                " `nizkbench p1-grinding` goes on"
            )

        with experiment.progress, stoppable(kept) as stop_if_asked:
            singles = changed_alone()
            experiment.carry_out(ALONE, singles, stop_if_asked)
            alone = timed(_table(trials), ALONE)
            together = compared(picks(alone)).values()
            experiment.carry_out(TOGETHER, _distinct(list(together)), stop_if_asked)
        table = _table(trials)
        _write(table, folder, trials)
        _describe(folder, begun, trials)
        return table


def program_path() -> Path:
    """The program that makes the published proofs; `PublishedError` if it is not built."""
    path = shutil.which(PROGRAM, path=os.pathsep.join(map(str, layout.binary_folders())))
    if path is None:
        raise PublishedError(
            f"the program that makes the published proofs is not built: {PROGRAM} is neither in"
            f" build/bin nor in ${layout.BINARIES_VARIABLE} nor on the PATH; `just build` makes it"
        )
    return Path(path)


def samples_of(options: Options, samples: int) -> int:
    """How many counted proofs a process makes where others make `samples`."""
    if int(options["grinding"]) <= int(DEFAULTS["grinding"]):
        return samples
    return min(samples, max(FEWEST_OF_LONG, samples // PART_OF_LONG))


# ---- carrying out --------------------------------------------------------------------------------


class _Experiment:
    """The blocks of one experiment; `trials` grows with its journal."""

    def __init__(
        self,
        file: AppendOnly,
        program: Path,
        parameters: P1Grinding,
        trials: list[Trial],
        progress: RunProgress,
    ) -> None:
        self.file = file
        self.program = program
        self.parameters = parameters
        self.trials = trials
        self.progress = progress

    def carry_out(
        self, stage: str, wanted: Sequence[Options], stop_if_asked: Callable[[], None]
    ) -> None:
        """Time these options in every block of a stage, but for what the journal has."""
        by_name = {canonical_json(dict(options)): options for options in wanted}
        done = {(canonical_json(t.options), t.block) for t in self.trials if t.stage == stage}
        seed = bytes.fromhex(self.parameters.seed)
        missing = len(by_name) * self.parameters.blocks - len(done & self._all(by_name))
        begun, made = time.monotonic(), 0
        for block in range(self.parameters.blocks):
            # The two stages are shuffled apart.
            order = block_order((f"{stage} {name}" for name in by_name), seed, block)
            for place, key in enumerate(order):
                name = key.removeprefix(f"{stage} ")
                if (name, block) in done:
                    continue
                stop_if_asked()
                options = by_name[name]
                trial = self._trial(stage, options, block, place, stop_if_asked)
                self.file.append(msgspec.json.encode(trial) + b"\n", len(self.trials))
                self.trials.append(trial)
                made += 1
                spent = time.monotonic() - begun
                left = spent / made * (missing - made)
                self.progress.show(spent, left, f"published proofs, {options_words(options)}")

    def _all(self, names: dict[str, Options]) -> set[tuple[str, int]]:
        return {(name, block) for name in names for block in range(self.parameters.blocks)}

    def _trial(
        self,
        stage: str,
        options: Options,
        block: int,
        order: int,
        stop_if_asked: Callable[[], None],
    ) -> Trial:
        samples = samples_of(options, self.parameters.samples)
        request = {"options": dict(options), "warmup": WARMUP, "samples": samples}
        started_utc, load1, stolen = utc_now(), os.getloadavg()[0], steal_ns()
        limits = self.parameters.limits
        exchanged = exchange(
            [str(self.program)],
            msgspec.json.encode(request) + b"\n",
            limits=Limits(limits.timeout_seconds, limits.memory_bytes),
            cores=cores_of("one", available_cores()),
            watch=stop_if_asked,
        )
        return Trial(
            stage=stage,
            options=dict(options),
            block=block,
            order=order,
            started_utc=started_utc,
            wall_ns=exchanged.wall_ns,
            steal_ns=steal_ns() - stolen,
            load1=load1,
            samples=samples_from(exchanged, options, samples),
        )


def samples_from(
    exchanged: Exchange, options: Options, samples: int
) -> tuple[PublishedSample, ...]:
    """What a process said of its proofs; `PublishedError` unless that is whole and as on record."""

    def failed(why: str) -> PublishedError:
        return PublishedError(
            f"the published proof with {options_words(options)} could not be timed: {why}"
        )

    if exchanged.ending != "exit":
        raise failed(f"{PROGRAM} was stopped ({exchanged.ending})")
    answers = []
    for line in exchanged.stdout.splitlines():
        try:
            answers.append(_ANSWERS.decode(line))
        except msgspec.MsgspecError as error:
            raise failed(f"{PROGRAM} wrote a line that is none of its answers ({error})") from error
    last = answers[-1] if answers else None
    if isinstance(last, _Error):
        raise failed(last.message)
    if exchanged.exit_status != 0 or not isinstance(last, _Done):
        words = [line.strip() for line in exchanged.stderr.splitlines() if line.strip()]
        said = f", saying {words[-1][:200]!r}" if words else ""
        raise failed(f"{PROGRAM} ended with status {exchanged.exit_status}{said}")
    proofs = tuple(one for one in answers if isinstance(one, PublishedSample))
    if len(proofs) != WARMUP + samples:
        raise failed(f"{PROGRAM} made {len(proofs)} proofs, {WARMUP + samples} were asked for")
    if sum(one.witness_ns + one.prove_ns for one in proofs) > exchanged.wall_ns:
        raise failed("its phases add up to more than the life of the process")
    for one in proofs:
        refuse_other_attempts(options, one.attempts)
    return proofs


# ---- the journal ---------------------------------------------------------------------------------


@contextmanager
def _journal(folder: Path) -> Iterator[AppendOnly]:
    path = folder / JOURNAL
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = AppendOnly(path)
    except OSError as error:
        if error.errno not in FULL and not isinstance(error, PermissionError):
            raise
        raise PublishedError(cannot_write(path, error, 0)) from error
    try:
        yield file
    finally:
        file.close()


def _begin(file: AppendOnly, begun: Begun) -> list[Trial]:
    """The processes that the journal has; `PublishedError` if it was begun with something else."""
    lines = []
    for number, line in enumerate(file.content.splitlines(), start=1):
        try:
            lines.append(_JOURNAL.decode(line))
        except msgspec.MsgspecError as error:
            raise PublishedError(
                f"line {number} of {file.path} cannot be read ({error}); move the file aside to"
                " begin anew"
            ) from error
    if not lines:
        file.append(msgspec.json.encode(begun) + b"\n", 0)
        return []
    before = lines[0]
    if not isinstance(before, Begun) or before != begun:
        was: dict[str, Any] = msgspec.structs.asdict(before)
        now = msgspec.structs.asdict(begun)
        changed = sorted(name for name in now if was.get(name) != now[name])
        raise PublishedError(
            f"{file.path} was begun with other {' and '.join(changed)}; move it aside to begin anew"
        )
    return [line for line in lines[1:] if isinstance(line, Trial)]


def _table(trials: Sequence[Trial]) -> pl.DataFrame:
    return table_of(
        [
            {
                "stage": trial.stage,
                **trial.options,
                "block": trial.block,
                **{name: value for name, value in asdict(one).items() if name in SCHEMA},
            }
            for trial in trials
            for one in trial.samples
            if not one.warmup
        ]
    )


asdict = msgspec.structs.asdict


def _write(table: pl.DataFrame, folder: Path, trials: Sequence[Trial]) -> None:
    """Write the table, whole or not at all."""
    content = io.BytesIO()
    table.write_parquet(content, compression="zstd", compression_level=19)
    beside = folder / f".{TABLE}"
    try:
        with beside.open("wb") as file:
            file.write(content.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(folder / TABLE)
    except OSError as error:
        raise PublishedError(cannot_write(folder / TABLE, error, len(trials))) from error


def _describe(folder: Path, begun: Begun, trials: Sequence[Trial]) -> None:
    """Say in the run's manifest how the published proofs were timed."""
    described = read_manifest(folder)
    if described is None:
        return
    loads = sorted(trial.load1 for trial in trials)
    described["published"] = {
        "program": begun.program,
        "first_utc": min(trial.started_utc for trial in trials),
        "last_utc": max(trial.started_utc for trial in trials),
        "processes": len(trials),
        "wall_ns": sum(trial.wall_ns for trial in trials),
        "steal_ns": sum(trial.steal_ns for trial in trials),
        "highest_load1": loads[-1],
        "median_load1": loads[len(loads) // 2],
    }
    try:
        write_manifest(described, folder)
    except OSError as error:
        raise NizkBenchError(cannot_write(folder / "manifest.json", error, len(trials))) from error


def _distinct(wanted: Sequence[Options]) -> list[Options]:
    """Each of these options once, in their order."""
    found: list[Options] = []
    for options in wanted:
        if options not in found:
            found.append(options)
    return found
