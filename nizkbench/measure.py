"""Carrying out a plan: randomised blocks of invocations, each journalled, until the stop rule ends.

A run lives in `runs/NAME/`. It may be interrupted at any moment and goes on where it was; what has
been measured is never measured again, never changed and never deleted.
"""

import json
import os
import shutil
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Literal

import msgspec

from nizkbench import layout
from nizkbench.checks import CheckResult, own_checks, run_checks, thread_limit
from nizkbench.errors import FULL, NizkBenchError
from nizkbench.journal import (
    Invocation,
    Journal,
    Plan,
    cannot_write,
    read_journal,
    table_rows,
)
from nizkbench.manifest import (
    differences,
    finished,
    identity,
    manifest,
    read_manifest,
    steal_ns,
    utc_now,
    write_manifest,
)
from nizkbench.messages import RunRecord, Sample, Stop
from nizkbench.plan import (
    Configuration,
    block_order,
    configurations,
    cores_of,
    grinds,
    invocation_seed,
)
from nizkbench.profile import Blocks, Experiment, ProfileError
from nizkbench.progress import RunProgress, duration
from nizkbench.records import Records, Row, Run, read_run, records_of, write_records
from nizkbench.runner import Limits, Offer, available_cores, find_runners, offers, run

#: Written last, when everything else of a run is on the disk.
COMPLETE = ".complete"

#: A configuration that fails so often in a row is not tried again. One that never succeeded and
#: needs more time or memory than there is will need it again, and is tried once.
FAILURES_IN_A_ROW = 2
FINAL = ("timeout", "out-of-memory")

Reason = Literal["target", "maximum", "budget", "failed"]


class InterruptedRunError(NizkBenchError):
    """A person or the system stopped the run; it can go on."""


# ---- the stop rule -----------------------------------------------------------------------------


def time_to_proof(records: Sequence[RunRecord], ground: bool = False) -> float | None:
    """The time to proof of one invocation in nanoseconds; None without a counted proof.

    Time to proof is witness and prove of the same sample; of the samples it is the median, or where
    proofs are `ground` out of proof of work the mean, as `nizkbench.estimate` takes it.
    """
    totals: dict[int, int] = {}
    for record in records:
        if (
            isinstance(record, Sample)
            and not record.warmup
            and record.phase in ("witness", "prove")
        ):
            totals[record.sample] = totals.get(record.sample, 0) + record.wall_ns
    summary = statistics.fmean if ground else statistics.median
    return summary(totals.values()) if totals else None


def half_width(times: Sequence[float]) -> float | None:
    """How far the 95 % interval of the geometric mean reaches, relative to it; None below two.

    It is the interval that the analysis will give, see `nizkbench.intervals`.
    """
    if len(times) < 2:
        return None
    # Here, since nothing else of a run needs scipy, which takes longer to load than a trial takes.
    from nizkbench.intervals import relative_half_width

    return relative_half_width(times)


@dataclass(slots=True)
class Standing:
    """What a configuration has so far; the stop rule is a function of this and the time spent."""

    times: list[float] = field(default_factory=list)
    failures_in_a_row: int = 0
    checked: bool = False
    invocations: int = 0
    elapsed_ns: int = 0
    checking_ns: int = 0
    ground: bool = False
    done: int = 0

    def add(self, entry: Invocation) -> None:
        """Take another invocation into account."""
        self.invocations += 1
        self.elapsed_ns += entry.elapsed_ns
        if entry.outcome != "done":
            hopeless = entry.outcome in FINAL and not self.done
            self.failures_in_a_row += FAILURES_IN_A_ROW if hopeless else 1
            return
        self.failures_in_a_row = 0
        self.done += 1
        # A runner checks its own proofs always; the harness's checks are more than that.
        if any(one.check == "known-answer" for one in entry.checks):
            self.checked = True
            self.checking_ns += entry.elapsed_ns - entry.wall_ns
        took = time_to_proof(entry.records, self.ground)
        if took is not None:
            self.times.append(took)

    @property
    def usual_seconds(self) -> float | None:
        """How long another invocation will take, from those so far; None if there are none.

        Most checks are made once, so their time is left out.
        """
        if not self.invocations:
            return None
        return (self.elapsed_ns - self.checking_ns) / self.invocations / 1e9

    def stop(self, blocks: Blocks, spent_seconds: float) -> Reason | None:
        """Why the configuration is not measured again, or None if it is."""
        if self.failures_in_a_row >= FAILURES_IN_A_ROW:
            return "failed"
        if self.invocations < blocks.minimum:
            return None
        width = half_width(self.times)
        if width is not None and width <= blocks.target_half_width:
            return "target"
        if self.invocations >= blocks.maximum:
            return "maximum"
        return "budget" if spent_seconds >= blocks.seconds else None


# ---- a run -------------------------------------------------------------------------------------


def measure(
    name: str,
    experiment: Experiment,
    *,
    folder: Path | None = None,
    fresh: bool = False,
    progress: RunProgress | None = None,
) -> Run:
    """Measure an experiment, or what is still missing of it, and return its records.

    The run is kept in `folder`, by default `runs/NAME` with the experiment's suffix; one that is
    complete is only read. `fresh` moves an older run aside and starts anew. Configurations that
    fail are rows like the others.
    `NizkBenchError` says why nothing, or nothing more, can be measured.
    """
    folder = folder or layout.runs() / f"{name}{experiment.SUFFIX}"
    progress = progress or RunProgress(name)
    planned, used = plan_of(experiment)
    with _sentences(folder):
        if fresh:
            _move_aside(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with Journal(folder) as journal:
            _same_or_new(folder, journal, name, experiment, used)
            if (folder / COMPLETE).is_file():
                return read_run(folder)
            if journal.repaired:
                progress.say(f"removed a line of {journal.repaired} bytes that had been cut off")
            if journal.entries:
                progress.say(f"going on after {len(journal.entries)} invocations")
            journal.begin(Plan(tuple(one.row(used[one.system]) for one in planned)))

            def kept() -> str:
                return (
                    f"the {len(journal.entries)} invocations measured so far are kept,"
                    f" `nizkbench measure {name}{_chosen(experiment)}` goes on"
                )

            with progress, stoppable(kept) as stop_if_asked:
                _carry_out(journal, folder, experiment, planned, used, progress, stop_if_asked)
            return _finish(journal, folder, experiment.blocks)


def plan_of(experiment: Experiment) -> tuple[tuple[Configuration, ...], dict[str, Offer]]:
    """The configurations of an experiment on this machine, and the systems they use.

    Only runners that the experiment asks for need to be built: a system is named after its runner.
    """
    asked = {line.system.partition("/")[0] for line in experiment.lines()}
    offered = offers([runner for name, runner in find_runners().items() if name in asked])
    planned = configurations(experiment, offered, len(available_cores()))
    if experiment.blocks.side_by_side > 1 and any(one.threads_label != "one" for one in planned):
        raise ProfileError("invocations run side by side on one thread alone: ask for threads one")
    return planned, {one.system: offered[one.system] for one in planned}


def records_so_far(folder: Path) -> Records:
    """The tables of a run from its journal, finished or not.

    `stops` has the configurations that would not be measured again.
    """
    begun = read_manifest(folder)
    if begun is None:
        raise NizkBenchError(f"{folder} is no run: it holds no manifest.json")
    blocks = msgspec.convert(begun["profile"]["blocks"], Blocks)
    return _records(*read_journal(folder), blocks)


def failures(records: Records) -> dict[str, str]:
    """Configurations without times, each with what its last invocation said, by their titles."""
    told = {}
    entries = records.invocations.sort("invocation").join(
        records.configurations, on="configuration", how="left"
    )
    for key, rows in entries.group_by("configuration", maintain_order=True):
        del key
        if (rows["outcome"] != "done").all():
            last = rows.row(-1, named=True)
            threads = "one thread" if last["threads_label"] == "one" else "all threads"
            title = f"{last['series']}, {last['size']} {last['size_name']}, {threads}"
            told[title] = f"{last['outcome']}: {last['message']}"
    return told


def _chosen(experiment: Experiment) -> str:
    return f" --experiment {experiment.SECTION}" if experiment.SUFFIX else ""


def workers(blocks: Blocks) -> int:
    """How many invocations run side by side on this machine.

    Not to be asked of a thread that already keeps to its core, which sees no other.
    """
    return min(blocks.side_by_side, len(available_cores()))


def _carry_out(
    journal: Journal,
    folder: Path,
    experiment: Experiment,
    planned: Sequence[Configuration],
    used: Mapping[str, Offer],
    progress: RunProgress,
    stop_if_asked: Callable[[], None],
) -> None:
    """Run blocks until every configuration has stopped; what is journalled is not run again."""
    cores = available_cores()[-workers(experiment.blocks) :]
    with _scratch(folder) as scratch:
        work = _Work(journal, experiment, planned, used, progress, stop_if_asked, scratch)
        if len(cores) == 1:
            work.carry_out()
            return
        with ThreadPoolExecutor(len(cores)) as pool:
            for core in cores:
                pool.submit(work.carry_out_on, core)
        work.raise_if_broken()


class _Work:
    """The trials of a run that are still to be made, by one worker or several side by side.

    They are begun in the order of the blocks. A configuration is never in two trials at once, so
    that the next one knows what the one before it came to.
    """

    def __init__(
        self,
        journal: Journal,
        experiment: Experiment,
        planned: Sequence[Configuration],
        used: Mapping[str, Offer],
        progress: RunProgress,
        stop_if_asked: Callable[[], None],
        scratch: Path,
    ) -> None:
        self._journal, self._experiment, self._used = journal, experiment, used
        self._progress, self._scratch = progress, scratch
        self._asked = stop_if_asked
        self._by_identity = {one.configuration: one for one in planned}
        self._standings = {
            key: Standing(ground=grinds(one.options)) for key, one in self._by_identity.items()
        }
        for entry in journal.entries:
            self._standings[entry.configuration].add(entry)
        self._journalled = {(entry.configuration, entry.block) for entry in journal.entries}
        self._number = max((entry.invocation for entry in journal.entries), default=-1) + 1
        self._elapsed_ns = sum(entry.elapsed_ns for entry in journal.entries)
        self._workers = workers(experiment.blocks)
        #: Held while anything of the above is read or changed; told when a trial has ended.
        self._turn = threading.Condition()
        self._busy: set[str] = set()
        self._broken: BaseException | None = None
        self._left = self._trials()

    def carry_out_on(self, core: int) -> None:
        """Make trials on a core until none is left, in a thread of its own.

        What a thread starts, and what that starts, keeps to the thread's core. Its error ends the
        others as well, and is raised by `raise_if_broken`.
        """
        os.sched_setaffinity(0, (core,))
        try:
            self.carry_out()
        except BaseException as error:
            with self._turn:
                self._broken = self._broken or error
                self._turn.notify_all()

    def raise_if_broken(self) -> None:
        """Raise what ended a worker."""
        if self._broken is not None:
            raise self._broken

    def carry_out(self) -> None:
        """Make trials until none is left."""
        ended = time.monotonic_ns()
        while (taken := self._take()) is not None:
            number, block, order, one, watch = taken
            configuration = self._by_identity[one]
            entry = _trial(
                configuration,
                self._used[configuration.system],
                self._experiment,
                invocation=number,
                block=block,
                order=order,
                check=not self._standings[one].checked,
                since=ended,
                scratch=self._scratch,
                watch=watch,
            )
            with self._turn:
                self._journal.append(entry)
                self._standings[one].add(entry)
                self._elapsed_ns += entry.elapsed_ns
                self._busy.remove(one)
                self._turn.notify_all()
            ended += entry.elapsed_ns

    @property
    def _spent(self) -> float:
        """Seconds that the run has taken so far, without its interruptions."""
        return self._elapsed_ns / 1e9 / self._workers

    def _take(self) -> tuple[int, int, int, str, Callable[[], None]] | None:
        """The next trial with its number and what watches it; None if there is no more."""
        with self._turn:
            for block, order, one in self._left:
                self._turn.wait_for(partial(self._free, one))
                if self._standings[one].stop(self._experiment.blocks, self._spent) is not None:
                    continue
                self._stop_if_asked()
                self._busy.add(one)
                self._number += 1
                left = seconds_left(
                    self._experiment.blocks,
                    self._standings.values(),
                    self._spent,
                    at_a_time=self._workers,
                )
                watch = Watch(
                    self._progress,
                    self._spent,
                    left,
                    self._by_identity[one].title,
                    time.monotonic(),
                    self._stop_if_asked,
                )
                return self._number - 1, block, order, one, watch
            return None

    def _free(self, one: str) -> bool:
        """Whether a configuration is in no trial, or it does not matter any more."""
        return one not in self._busy or self._broken is not None

    def _trials(self) -> Iterator[tuple[int, int, str]]:
        """Block, place in it and configuration of every trial that is not journalled, in order."""
        seed = bytes.fromhex(self._experiment.seed)
        blocks = self._experiment.blocks
        for block in range(blocks.maximum):
            for order, one in enumerate(block_order(self._by_identity, seed, block)):
                if (one, block) not in self._journalled:
                    yield block, order, one
            if block == 0:
                standings = self._standings.values()
                self._progress.say(
                    forecast(blocks, standings, self._spent, at_a_time=self._workers)
                )

    def _stop_if_asked(self) -> None:
        """End this worker if the run was asked to stop, or if another has ended with an error."""
        self._asked()
        if self._broken is not None:
            raise _StopSignal("another worker")


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """An empty folder for proofs on their way to a verifier; what a killed harness left goes."""
    scratch = folder / ".scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _trial(
    configuration: Configuration,
    offer: Offer,
    experiment: Experiment,
    *,
    invocation: int,
    block: int,
    order: int,
    check: bool,
    since: int,
    scratch: Path,
    watch: Callable[[], None],
) -> Invocation:
    """One invocation, and the checks if they have not passed yet.

    It elapses from `since` on, on the monotonic clock: when the one before it ended.
    """
    started_utc = utc_now()
    load1, stolen = os.getloadavg()[0], steal_ns()
    seed = invocation_seed(bytes.fromhex(experiment.seed), block, configuration.instances)
    limits = Limits(experiment.limits.timeout_seconds, experiment.limits.memory_bytes)
    samples = experiment.samples
    with tempfile.TemporaryDirectory(dir=scratch) as artifacts:
        request = configuration.request(
            str(invocation),
            seed,
            Stop(samples.warmup, samples.minimum, samples.maximum, samples.seconds),
            artifacts if check else None,
        )
        cores = cores_of(configuration.threads_label, available_cores())
        answer = run(offer.runner, request, limits=limits, cores=cores, watch=watch)
        checks: list[CheckResult] = []
        if answer.outcome == "done":
            checks = (
                run_checks(
                    offer.runner,
                    offer.system,
                    request,
                    answer,
                    flips=experiment.bit_flips,
                    limits=limits,
                    watch=watch,
                )
                if check
                else [*own_checks(answer), thread_limit(answer, request.threads)]
            )
    outcome, message = answer.outcome, answer.message or None
    wrong = [one for one in checks if not one.as_expected]
    if wrong:
        outcome = "check-failed"
        message = "; ".join(
            f"{one.check} {'passed, which it must not' if one.passed else 'failed'}: {one.detail}"
            for one in wrong
        )
    done = answer.done
    return Invocation(
        configuration=configuration.configuration,
        invocation=invocation,
        block=block,
        order=order,
        outcome=outcome,
        error_kind=answer.error_kind,
        message=message,
        started_utc=started_utc,
        wall_ns=answer.exchange.wall_ns,
        elapsed_ns=time.monotonic_ns() - since,
        timed_ns=answer.timed_ns if answer.outcome == "done" else None,
        cpu_ns=answer.exchange.cpu_ns,
        steal_ns=steal_ns() - stolen,
        samples=done.samples if done else 0,
        stopped_by=done.stopped_by if done else None,
        exit_status=answer.exchange.exit_status,
        memory_bytes=answer.exchange.memory_bytes,
        seed=seed.hex(),
        load1=load1,
        records=answer.records,
        checks=tuple(checks),
    )


def _finish(journal: Journal, folder: Path, blocks: Blocks) -> Run:
    """Write the tables, complete the manifest, and say that the run is complete."""
    records = _records(journal.plan, journal.entries, blocks)
    write_records(records, folder)
    described = read_manifest(folder) or {}
    described["finished"] = finished(records.invocations, workers(blocks))
    write_manifest(described, folder)
    (folder / COMPLETE).write_text(f"{len(journal.entries)} invocations\n", encoding="utf-8")
    return Run(records, described)


def _records(plan: Plan | None, entries: Sequence[Invocation], blocks: Blocks) -> Records:
    """The tables of a journal; what the stop rule decided follows from the same journal."""
    ground = {
        row["configuration"]: grinds(json.loads(row["options"]))
        for row in (plan.configurations if plan else ())
    }
    standings: dict[str, Standing] = {}
    for entry in entries:
        key = entry.configuration
        standings.setdefault(key, Standing(ground=ground.get(key, False))).add(entry)
    spent = sum(entry.elapsed_ns for entry in entries) / 1e9 / workers(blocks)
    stops: list[Row] = [
        {
            "configuration": configuration,
            "reason": reason,
            "blocks": standing.invocations,
            "half_width": half_width(standing.times),
        }
        for configuration, standing in sorted(standings.items())
        if (reason := standing.stop(blocks, spent)) is not None
    ]
    return records_of({**table_rows(plan, entries), "stops": stops})


# ---- which run ---------------------------------------------------------------------------------


def _same_or_new(
    folder: Path, journal: Journal, name: str, experiment: Experiment, used: Mapping[str, Offer]
) -> None:
    """Begin a new run with its manifest, or see that the old one is the same."""
    begun = read_manifest(folder)
    if begun is None:
        if journal.entries:
            raise NizkBenchError(
                f"{folder} holds a journal without a manifest, so nobody can tell whether it is"
                " the same run; --fresh keeps it under another name and starts anew"
            )
        write_manifest(manifest(name, experiment, used), folder)
        return
    before = begun.get("identity", {})
    now = identity(name, experiment, {offer.runner for offer in used.values()})
    changed = differences(before, now)
    if changed:
        raise NizkBenchError(
            f"run {folder.name} was begun with other {' and '.join(changed)};"
            " --fresh keeps it under another name and starts anew"
        )


def _move_aside(folder: Path) -> None:
    """Keep an older run as NAME-<when it was started>."""
    if not folder.exists():
        return
    with Journal(folder):
        begun = read_manifest(folder) or {}
        started = str(begun.get("started_utc", utc_now())).translate(str.maketrans("", "", "-:."))
        kept = folder.with_name(f"{folder.name}-{started}")
        if kept.exists():
            raise NizkBenchError(f"{folder} cannot be kept as {kept.name}, which exists already")
        folder.rename(kept)


@contextmanager
def _sentences(folder: Path) -> Iterator[None]:
    """Turn what the disk refuses into a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL and not isinstance(error, PermissionError):
            raise
        path = Path(error.filename or folder / "journal.jsonl")
        raise NizkBenchError(cannot_write(path, error, _kept(folder))) from error


def _kept(folder: Path) -> int:
    try:
        return len(read_journal(folder)[1])
    except (NizkBenchError, OSError):
        return 0


class _StopSignal(BaseException):
    """A signal on its way out; no error of a trial, so that nothing on the way takes it for one."""


@contextmanager
def stoppable(how_to_go_on: Callable[[], str]) -> Iterator[Callable[[], None]]:
    """Turn Ctrl-C and a polite kill into a sentence that says what is kept and how to go on.

    Yields what is to be called often, and raises there if a signal has come: raised wherever it
    comes, it may be lost, in a hook around a fork for one.
    """
    come: list[str] = []

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        come.append(signal.Signals(number).name)

    def raise_if_come() -> None:
        if come:
            raise _StopSignal(come[0])

    if threading.current_thread() is not threading.main_thread():
        yield raise_if_come  # only the main thread is told of signals
        return
    before = {one: signal.signal(one, stop) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield raise_if_come
    except _StopSignal as stopped:
        raise InterruptedRunError(f"stopped by {stopped}: {how_to_go_on()}") from None
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


# ---- the time left -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Watch:
    """Shows the trial in hand whenever the runner's process is looked at."""

    progress: RunProgress
    spent: float
    left: float
    title: str
    begun: float
    stop_if_asked: Callable[[], None]

    def __call__(self) -> None:
        """Show how far the run has come by now, or end it if that was asked for."""
        self.stop_if_asked()
        within = time.monotonic() - self.begun
        self.progress.show(self.spent + within, max(self.left - within, 0.0), self.title)


def seconds_left(
    blocks: Blocks, standings: Iterable[Standing], spent: float, *, at_a_time: int = 1
) -> float:
    """At most how long a run will still take, from how long its trials have taken so far.

    The least number of blocks is always measured; what comes after it ends with the budget. So many
    trials run `at_a_time`.
    """
    least, more = _missing(blocks, standings, spent, at_a_time)
    return least + min(more, max(blocks.seconds - spent - least, 0.0))


def forecast(
    blocks: Blocks, standings: Collection[Standing], spent: float, *, at_a_time: int = 1
) -> str:
    """How long a whole run takes by what it has taken so far, and whether its budget suffices.

    The budget ends no configuration before its least number of blocks, so that a slow machine
    takes longer: the person who waits has to be told.
    """
    least, _ = _missing(blocks, standings, spent, at_a_time)
    if spent + least > blocks.seconds:
        return (
            f"at the pace so far the {blocks.minimum} blocks of every configuration take about"
            f" {duration(spent + least)}, which exceeds the budget of {duration(blocks.seconds)};"
            " they are measured all the same"
        )
    whole = spent + seconds_left(blocks, standings, spent, at_a_time=at_a_time)
    return f"at the pace so far the run takes at most about {duration(whole)}"


def _missing(
    blocks: Blocks, standings: Iterable[Standing], spent: float, at_a_time: int
) -> tuple[float, float]:
    """Seconds until all live configurations have their least, and from there their most, blocks."""
    live = [one for one in standings if one.stop(blocks, spent) is None]
    known = [one.usual_seconds for one in live if one.usual_seconds is not None]
    usual = statistics.fmean(known) if known else 1.0
    least = more = 0.0
    for one in live:
        each = usual if one.usual_seconds is None else one.usual_seconds
        missing = max(blocks.minimum - one.invocations, 0)
        least += each * missing
        more += each * (blocks.maximum - one.invocations - missing)
    return least / at_a_time, more / at_a_time
