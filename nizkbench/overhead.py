"""What the harness costs: every system of a runner against a plain program that proves the same.

A plain program (Criterion, `go test -bench`, a loop in Node) measures prove and verify without the
runner protocol, of MiMC or, where a system proves none, of a hash.
Both prove a fresh instance every time, and both verify one proof again and again: in a run, where
each verification follows its proof, caches are colder.
Both are processes of their own, one right after the other on the same cores, so that a machine that
slows down slows both; which of the two comes first, and which case comes next, is shuffled.

What is compared is the median of one process with the median of the other: a pair gives one ratio.
Of these ratios the median and its interval over pairs are reported, since pairs, not samples, are
independent. The ratio of the two medians over all pairs is close to it, but not the same number: it
sets times against each other that were not taken side by side.

What a comparison shows is decided by the whole interval, not by the ratio in it: an interval that
is too wide to tell shows nothing (`nizkbench.harness_cost`). A table holds the interval alone, and
who reads it decides.

The medians of every pair are in a journal beside the table, at once and on the disk, so that a
comparison that is stopped goes on where it was. The table supersedes it.
"""

import hashlib
import json
import os
import random
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

import msgspec
import numpy as np
import polars as pl

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.harness_cost import Cost
from nizkbench.intervals import LEVEL, MEDIAN
from nizkbench.manifest import file_hash, steal_ns, utc_now
from nizkbench.measure import stoppable
from nizkbench.messages import OptionValue, RunRequest, Sample, Stop
from nizkbench.plan import canonical_variant, cores_of
from nizkbench.profile import HashFunctions, Mimc, ThreadsLabel
from nizkbench.progress import RunProgress
from nizkbench.runner import (
    Exchange,
    Limits,
    Offer,
    Runner,
    available_cores,
    describe,
    exchange,
    run,
)
from nizkbench.trials import Begun, Trial, journal_of

ComparedPhase = Literal["prove", "verify"]
PHASES: tuple[ComparedPhase, ...] = ("prove", "verify")

#: Counted samples of one process, after one that warms up. Verifying is so quick that its samples
#: are many, to last longer than a disturbance. Proving has few, since more pairs narrow an interval
#: further than more samples of each do. Criterion takes no fewer than ten.
SAMPLES: dict[ComparedPhase, int] = {"prove": 12, "verify": 100}

#: Fewest pairs from which an interval is made.
FEWEST_REPETITIONS = 6

#: Bounds on one process; a set-up of the largest size fits.
LIMITS = Limits(timeout_seconds=600.0, memory_bytes=20_000_000_000)

#: The statements that plain programs have.
COMPARED = (Mimc.STATEMENT, HashFunctions.STATEMENT)

#: What is hashed where a system proves hashes alone: the cheapest circuit shows a cost best.
HASHED_BYTES, HASHED_WITH = 32, {"function": "poseidon"}

#: The seed of constants and instances, and of the order in which processes start.
SEED = bytes(32)

SCHEMA: dict[str, type[pl.DataType]] = {
    "runner": pl.String,
    "system": pl.String,
    "phase": pl.String,
    "statement": pl.String,
    "size": pl.Int64,
    "variant": pl.String,
    "threads": pl.Int32,
    "plain_ns": pl.Float64,
    "runner_ns": pl.Float64,
    "ratio": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "repetitions": pl.Int32,
}

#: What the journal calls its trials.
PAIRS = "pairs"

_GO_LINE = re.compile(
    rb"^Benchmark(?P<name>[^\s-]+)(?:-\d+)?\s+\d+\s+(?P<ns>\d+(?:\.\d+)?) ns/op", re.MULTILINE
)


class OverheadError(NizkBenchError):
    """A comparison of a runner with its plain program could not be made."""


@dataclass(frozen=True, slots=True)
class Case:
    """One phase of one system, measured by its runner and by its plain program."""

    offer: Offer
    phase: ComparedPhase
    statement: str
    size: int
    variant: dict[str, str]
    options: dict[str, OptionValue]
    threads: int
    cores: tuple[int, ...]

    @property
    def samples(self) -> int:
        """Counted samples of one process."""
        return SAMPLES[self.phase]

    @property
    def title(self) -> str:
        """The case in words, for a person who watches."""
        words = "thread" if self.threads == 1 else "threads"
        return f"{self.offer.system.system}, {self.phase}, {self.threads} {words}"


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Medians of two processes, one right after the other, in nanoseconds."""

    plain_ns: float
    runner_ns: float


_JOURNAL: msgspec.json.Decoder[Begun | Trial[Pair]] = msgspec.json.Decoder(Begun | Trial[Pair])


@dataclass(frozen=True, slots=True)
class Comparison:
    """A runner against its plain program: medians in nanoseconds, and the ratio of the two.

    `low` and `high` bound the ratio at the level of every interval of the analysis.
    """

    plain_ns: float
    runner_ns: float
    ratio: float
    low: float
    high: float
    repetitions: int

    @property
    def cost(self) -> Cost:
        """What the interval shows."""
        return Cost.of(self.low, self.high)


def compare(plain: Sequence[float], runner: Sequence[float]) -> Comparison:
    """Compare the medians of paired processes, in nanoseconds; pair *k* is at index *k* of both.

    The interval is of the median of the pairs' ratios, `nizkbench.intervals.MEDIAN`.
    `OverheadError` for fewer than six pairs, which have no such interval.
    """
    repetitions = len(plain)
    if repetitions < FEWEST_REPETITIONS:
        raise OverheadError(
            f"{repetitions} repetitions give no interval, at least {FEWEST_REPETITIONS} are needed"
        )
    ratios = np.asarray(runner, dtype=np.float64) / np.asarray(plain, dtype=np.float64)
    low, high = MEDIAN.bounds(ratios[None, :], LEVEL)
    return Comparison(
        plain_ns=float(np.median(plain)),
        runner_ns=float(np.median(runner)),
        ratio=float(np.median(ratios)),
        low=float(low[0]),
        high=float(high[0]),
        repetitions=repetitions,
    )


def cases(runners: Iterable[Runner], rounds: int) -> list[Case]:
    """What is compared: prove and verify of each runner's systems, with their defaults.

    MiMC of so many rounds, or a hash where a system proves no MiMC; a system that proves neither is
    not compared, since plain programs have no other statement. On one core, and on all
    where the system can use them. There is no proof of work: how long one takes is luck, not a cost
    of either program. `OverheadError` for rounds that a system does not have, or a runner without a
    plain program.
    """
    found: list[Case] = []
    for runner in runners:
        if not runner.plain:
            raise OverheadError(f"the runner.toml of {runner.name} names no plain program")
        described = describe(runner)
        for system in described.systems:
            found += _cases_of(Offer(runner, described, system), rounds)
    return found


def _cases_of(offer: Offer, rounds: int) -> list[Case]:
    system, available = offer.system, available_cores()
    statement = next((one for one in system.statements if one.statement in COMPARED), None)
    if statement is None:
        return []
    variant = {one.name: one.default for one in statement.variants}
    size = rounds
    if statement.statement == HashFunctions.STATEMENT:
        size, variant = HASHED_BYTES, variant | HASHED_WITH
    if refusal := statement.size.refusal(size):
        raise OverheadError(f"system {system.system}: {refusal}")
    options: dict[str, OptionValue] = {
        one.name: 0 for one in system.options if one.name == "grinding"
    }
    threads: dict[int, ThreadsLabel] = {1: "one"}
    most = system.threads.maximum
    threads.setdefault(len(available) if most is None else min(len(available), most), "all")
    return [
        Case(
            offer,
            phase,
            statement.statement,
            size,
            variant,
            options,
            count,
            cores_of(label, available),
        )
        for count, label in threads.items()
        for phase in PHASES
    ]


def measure(
    compared: Sequence[Case],
    repetitions: int,
    *,
    journal: Path | None = None,
    progress: RunProgress | None = None,
) -> pl.DataFrame:
    """Run every case `repetitions` times, shuffled, and compare: one row a case (`SCHEMA`).

    What the file `journal` has of it is not run again. `OverheadError` if a process fails,
    `TrialsError` if the journal was begun with other cases, programs or libraries,
    `InterruptedRunError` if somebody stopped it; the pairs so far are kept in any case.
    """
    if repetitions < FEWEST_REPETITIONS:
        raise OverheadError(
            f"{repetitions} repetitions give no interval, at least {FEWEST_REPETITIONS} are needed"
        )
    shown = progress or RunProgress("overhead")
    with (
        tempfile.TemporaryDirectory(prefix="nizk-overhead-") as nowhere,
        journal_of(journal or Path(nowhere) / PAIRS, _begun(compared), _JOURNAL) as kept,
    ):

        def how_to_go_on() -> str:
            if journal is None:
                return "no pair is kept, since --out names no table"
            return f"the {len(kept.trials)} pairs so far are kept, the same command goes on"

        pairs = {
            (trial.name, trial.block): trial for trial in kept.trials if trial.block < repetitions
        }
        total, before = len(compared) * repetitions, len(pairs)
        shown.say(f"going on after {before} pairs" if before else f"comparing in {total} pairs")
        begun = time.monotonic()
        with shown, stoppable(how_to_go_on) as stop_if_asked:
            for case, place, programs in _order(compared, repetitions):
                if (case.title, place[0]) in pairs:
                    continue
                stop_if_asked()
                trial = _pair(case, place, programs, stop_if_asked)
                kept.append(trial)
                pairs[case.title, trial.block] = trial
                each = (time.monotonic() - begun) / (len(pairs) - before)
                shown.show(each * len(pairs), each * (total - len(pairs)), case.title)
    rows = []
    for case in compared:
        of_case = [pairs[case.title, repetition].samples[0] for repetition in range(repetitions)]
        comparison = compare([one.plain_ns for one in of_case], [one.runner_ns for one in of_case])
        rows.append(_row(case, comparison))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


#: Nanoseconds of the counted samples of one process, which the function that it calls now and then
#: may end.
Times = Callable[[Case, Callable[[], None]], list[float]]


def _order(
    compared: Sequence[Case], repetitions: int
) -> Iterator[tuple[Case, tuple[int, int], list[Times]]]:
    """All pairs as they run: the case, its repetition and place in that, and which comes first."""
    order = random.Random(SEED)
    for repetition in range(repetitions):
        for place, case in enumerate(order.sample(compared, len(compared))):
            yield case, (repetition, place), order.sample((plain_times, runner_times), 2)


def _pair(
    case: Case, place: tuple[int, int], programs: Sequence[Times], stop_if_asked: Callable[[], None]
) -> Trial[Pair]:
    """Run one process of each program, in this order."""
    started_utc, load1, stolen = utc_now(), os.getloadavg()[0], steal_ns()
    begun = time.monotonic_ns()
    medians = {times: median(times(case, stop_if_asked)) for times in programs}
    return Trial(
        stage=PAIRS,
        name=case.title,
        block=place[0],
        order=place[1],
        started_utc=started_utc,
        wall_ns=time.monotonic_ns() - begun,
        steal_ns=steal_ns() - stolen,
        load1=load1,
        samples=(Pair(medians[plain_times], medians[runner_times]),),
    )


def _begun(compared: Sequence[Case]) -> Begun:
    """What must not change while pairs are added: programs, libraries and cases."""
    runners = {case.offer.runner.name: case.offer for case in compared}
    files = [
        path
        for offer in runners.values()
        for path in (offer.runner.path(), Path(plain_command(offer.runner)[0]))
    ]
    hashes = "".join(file_hash(path) for path in files)
    parameters = {
        "libraries": {name: offer.describe.library for name, offer in runners.items()},
        "cases": [
            {
                "case": case.title,
                "statement": case.statement,
                "size": case.size,
                "variant": case.variant,
                "options": case.options,
                "cores": case.cores,
                "samples": case.samples,
            }
            for case in compared
        ],
    }
    # As they are read back.
    told: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(parameters))
    return Begun(hashlib.sha256(hashes.encode()).hexdigest(), told)


def journal_of_table(path: Path) -> Path:
    """Where the pairs of the table at `path` are kept until it is written."""
    return path.with_name(f"{path.name}.jsonl")


def write(overheads: pl.DataFrame, path: Path) -> None:
    """Write the table as Parquet, and remove its journal; `OverheadError` if it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        overheads.write_parquet(path, compression="zstd")
        journal_of_table(path).unlink(missing_ok=True)
    except OSError as error:
        raise OverheadError(f"{path} cannot be written ({error.strerror})") from error


def _row(case: Case, comparison: Comparison) -> tuple[object, ...]:
    return (
        case.offer.runner.name,
        case.offer.system.system,
        case.phase,
        case.statement,
        case.size,
        canonical_variant(case.variant),
        case.threads,
        comparison.plain_ns,
        comparison.runner_ns,
        comparison.ratio,
        comparison.low,
        comparison.high,
        comparison.repetitions,
    )


# ---- one process of either kind ----------------------------------------------------------------


def runner_times(case: Case, watch: Callable[[], None]) -> list[float]:
    """Nanoseconds of the counted samples of one runner process; `OverheadError` if it fails."""
    statement = case.offer.system.statement(case.statement)
    request = RunRequest(
        id=case.phase,
        system=case.offer.system.system,
        statement=case.statement,
        size={statement.size.name: case.size},
        variant=case.variant,
        options=case.options,
        threads=case.threads,
        seed=SEED.hex(),
        instances="fresh",
        stop=Stop(
            warmup=1,
            minimum=case.samples,
            maximum=case.samples,
            seconds=LIMITS.timeout_seconds,
        ),
        phases=(case.phase,),
    )
    answer = run(case.offer.runner, request, limits=LIMITS, cores=case.cores, watch=watch)
    if answer.outcome != "done":
        raise OverheadError(f"{case.title}: {answer.message}")
    return [
        float(record.wall_ns)
        for record in answer.records
        if isinstance(record, Sample) and record.phase == case.phase and not record.warmup
    ]


def plain_times(case: Case, watch: Callable[[], None]) -> list[float]:
    """Nanoseconds of each iteration of one plain process; `OverheadError` if it fails."""
    runner = case.offer.runner
    with tempfile.TemporaryDirectory(prefix="nizk-plain-") as folder:
        settings = {
            "NIZK_PLAIN_SYSTEM": case.offer.system.system,
            "NIZK_PLAIN_SIZE": str(case.size),
            "NIZK_PLAIN_VARIANT": canonical_variant(case.variant),
            "NIZK_PLAIN_OPTIONS": ",".join(f"{k}={v}" for k, v in case.options.items()),
            "NIZK_PLAIN_THREADS": str(case.threads),
            "NIZK_PLAIN_SEED": SEED.hex(),
            "CRITERION_HOME": folder,
        }
        if runner.language not in _PLAIN:
            raise OverheadError(
                f"{runner.name}: nothing reads a plain program in {runner.language}"
            )
        arguments, times_of = _PLAIN[runner.language]
        exchanged = exchange(
            [
                "env",
                *(f"{name}={value}" for name, value in settings.items()),
                *plain_command(runner),
                *arguments(case),
            ],
            b"",
            limits=LIMITS,
            cores=case.cores,
            watch=watch,
        )
        if exchanged.ending != "exit" or exchanged.exit_status != 0:
            raise OverheadError(_failure(case, exchanged))
        times = times_of(exchanged.stdout, Path(folder), case.phase)
    if len(times) < case.samples:
        raise OverheadError(
            f"{case.title}: the plain program gave {len(times)} times,"
            f" {case.samples} were asked for"
        )
    return times


def plain_command(runner: Runner) -> list[str]:
    """The command line of a runner's plain program, its executable looked up where runners are.

    `OverheadError` if it is not built.
    """
    program, *arguments = runner.plain
    path = shutil.which(program, path=os.pathsep.join(map(str, layout.binary_folders())))
    if path is None:
        raise OverheadError(
            f"the plain program of {runner.name} is not built: {program} is neither in build/bin"
            f" nor in ${layout.BINARIES_VARIABLE} nor on the PATH; `just build` makes it"
        )
    return [path, *arguments]


def _criterion_arguments(case: Case) -> list[str]:
    """Criterion's arguments for samples of one iteration each, as a runner takes them.

    Criterion puts as many iterations into a sample as its target time asks for, so a target that is
    passed at once leaves one. The one iteration of the warm-up likewise.
    """
    return [
        "--bench",
        "--noplot",
        "--sample-size",
        str(case.samples),
        "--warm-up-time",
        "0.000001",
        "--measurement-time",
        "0.000001",
        "--nresamples",
        "1000",
        case.phase,
    ]


def _go_arguments(case: Case) -> list[str]:
    """`go test`'s arguments for benchmarks of one iteration each, the first of which warms up."""
    return [
        "-test.run=^$",
        f"-test.bench=(?i){case.phase}",
        "-test.benchtime=1x",
        f"-test.count={case.samples + 1}",
    ]


def _node_arguments(case: Case) -> list[str]:
    """The arguments of a program in Node: the phase, and how many samples follow one warm-up."""
    return [case.phase, str(case.samples)]


def criterion_times(folder: Path, phase: str) -> list[float]:
    """Nanoseconds an iteration, a sample each, from what Criterion left of the benchmark `phase`.

    `OverheadError` if it left nothing, or something else.
    """
    found = sorted(folder.glob(f"**/{phase}/new/sample.json"))
    if len(found) != 1:
        raise OverheadError(
            f"the plain program has {len(found)} benchmarks called {phase}, it should have one"
        )
    try:
        sample = json.loads(found[0].read_bytes())
        return [
            time / iterations
            for time, iterations in zip(sample["times"], sample["iters"], strict=True)
        ]
    except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise OverheadError(f"{found[0].name} of Criterion cannot be read ({error})") from error


def go_times(output: bytes, phase: str) -> list[float]:
    """Nanoseconds an operation of every line of `phase` that `go test` wrote, without the first."""
    times = [
        float(line["ns"])
        for line in _GO_LINE.finditer(output)
        if line["name"].decode().rsplit("/", 1)[-1].lower() == phase
    ]
    return times[1:]


def node_times(output: bytes, phase: str) -> list[float]:
    """Nanoseconds of every sample, from the one line of JSON that a program in Node writes.

    `OverheadError` if it wrote something else.
    """
    try:
        return [float(one) for one in json.loads(output)[phase]]
    except (ValueError, KeyError, TypeError) as error:
        raise OverheadError(f"the plain program's answer cannot be read ({error})") from error


#: By language: the arguments of a plain program, and its times from what it writes and leaves.
_PLAIN: dict[
    str,
    tuple[Callable[[Case], list[str]], Callable[[bytes, Path, str], list[float]]],
] = {
    "rust": (_criterion_arguments, lambda _, folder, phase: criterion_times(folder, phase)),
    "go": (_go_arguments, lambda output, _, phase: go_times(output, phase)),
    "node": (_node_arguments, lambda output, _, phase: node_times(output, phase)),
}


def _failure(case: Case, exchanged: Exchange) -> str:
    lines = [line.strip() for line in exchanged.stderr.splitlines() if line.strip()]
    ended = (
        f"ended with status {exchanged.exit_status}"
        if exchanged.ending == "exit"
        else f"was stopped ({exchanged.ending})"
    )
    words = f", saying {lines[-1][:200]!r}" if lines else ""
    return f"{case.title}: the plain program {ended}{words}"
