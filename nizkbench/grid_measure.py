"""Measuring a grid of thousands of cells, each of them in several processes, in shards.

A process answers a batch of cells, one after the other, and writes its answers straight into a
file; nothing of the harness runs beside it. When it has ended, what it wrote becomes one line of
the shard's journal. A harness that is killed leaves that file behind: the next one takes over every
cell that was answered in it, so that no more is lost than the cell in flight. A cell that ends its
process has an outcome, and those behind it are asked for again in a new one.

A shard lives in its own folder, `FOLDER/shard-I-of-N/`; `nizkbench.grid_merge` makes one
run of all of them.
"""

import errno
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import msgspec

from nizkbench.checks import (
    ACCEPT,
    CheckResult,
    changes_shown,
    conclusions,
    expected,
    known_answer,
    own_checks,
    read_artifacts,
    thread_limit,
    verify_requests,
)
from nizkbench.errors import NizkBenchError
from nizkbench.grid import Grid, grid_of, shard_of
from nizkbench.grid_journal import GridPlan, Process, ShardJournal, Standing
from nizkbench.journal import Invocation
from nizkbench.manifest import (
    differences,
    identity,
    manifest,
    read_manifest,
    steal_ns,
    utc_now,
    write_manifest,
)
from nizkbench.measure import COMPLETE, stoppable
from nizkbench.messages import (
    Done,
    MessageError,
    RunnerError,
    RunRequest,
    Sample,
    Stop,
    VerifyRequest,
    decode_run_record,
    encode_line,
)
from nizkbench.plan import Configuration, block_order, invocation_seed
from nizkbench.profile import StarkGrid
from nizkbench.progress import RunProgress, duration
from nizkbench.runner import (
    Answer,
    BrokenRunnerError,
    Exchange,
    Limits,
    Offer,
    Outcome,
    Runner,
    answer_of,
    available_cores,
    exchange_through_files,
    verify,
)
from nizkbench.tampering import Tampering

#: Proofs that one verifying process is shown at most; a flipped bit is a proof.
MOST_VERDICTS = 4000

_ENCODER = msgspec.json.Encoder()


class _Begun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is written before a process starts, so that its answers can be read without it."""

    process: int
    block: int
    started_utc: str
    load1: float
    core: int
    seed: str
    cells: tuple[str, ...]
    orders: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shard:
    """Shard `number` of `of`, counted from 1."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise NizkBenchError(f"there is no shard {self.number} of {self.of}")

    @classmethod
    def read(cls, text: str) -> Self:
        """A shard from `I/N`, as the command line has it."""
        number, slash, of = text.partition("/")
        if not (slash and number.isdecimal() and of.isdecimal()):
            raise NizkBenchError(f"shard is {text!r}, it must be like 1/4")
        return cls(int(number), int(of))

    def folder(self, run: Path) -> Path:
        """Where the shard of a run lives."""
        return run / f"shard-{self.number}-of-{self.of}"

    def cores(self, available: Sequence[int]) -> tuple[int, ...]:
        """The cores in the order in which the shard would be bound to them.

        Shards that are measured together begin with different ones; the first, with the last.
        """
        last = len(available) - 1 - (self.number - 1) % len(available)
        return (*available[last::-1], *available[:last:-1])


@contextmanager
def claimed_core(preferred: Sequence[int]) -> Iterator[int | None]:
    """The first of these cores that no other shard of this machine has, until the block ends.

    None if others have all of them. A claim is a socket with an abstract name (unix(7)): the system
    itself gives it up when a harness dies, however it dies.
    """
    with socket.socket(socket.AF_UNIX) as claim:
        claimed = None
        for core in preferred:
            try:
                claim.bind(f"\0nizk-bench core {core}")
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            claimed = core
            break
        yield claimed


def measure_shard(
    name: str,
    experiment: StarkGrid,
    run: Path,
    *,
    shard: Shard | None = None,
    budget: float | None = None,
    progress: RunProgress | None = None,
) -> bool:
    """Measure what is still missing of a shard, below the folder `run`; whether it is complete.

    No process starts that is not expected to end within `budget` seconds from now. `NizkBenchError`
    says why nothing, or nothing more, can be measured.
    """
    shard = shard or Shard(1, 1)
    began = time.monotonic()
    grid, used = grid_of(experiment)
    folder = shard.folder(run)
    folder.mkdir(parents=True, exist_ok=True)
    title = name if shard.of == 1 else f"{name} {shard.number}/{shard.of}"
    progress = progress or RunProgress(title)
    with ShardJournal(folder) as journal:
        _same_or_new(folder, journal, name, experiment, used, shard, grid)
        if (folder / COMPLETE).is_file():
            return True
        if journal.repaired:
            progress.say(f"removed a line of {journal.repaired} bytes that had been cut off")
        cells = shard_of(grid.cells, bytes.fromhex(experiment.seed), shard.number, shard.of)
        journal.begin(GridPlan(tuple(one.row(used[one.system]) for one in cells)))

        def kept() -> str:
            return (
                f"the {journal.invocations} cells measured so far are kept,"
                " the same command goes on"
            )

        preferred = shard.cores(available_cores())
        with progress, stoppable(kept) as stop_if_asked, claimed_core(preferred) as core:
            if core is None:
                progress.say(
                    f"other shards measure on all {len(preferred)} cores; this one shares one with"
                    " them, which spoils the times of both"
                )
            bench = _Bench(
                folder=folder,
                experiment=experiment,
                cells={one.configuration: one for one in cells},
                used=used,
                journal=journal,
                core=preferred[0] if core is None else core,
                progress=progress,
                stop_if_asked=stop_if_asked,
            )
            adopted = bench.adopt()
            if not journal.invocations:
                progress.say(f"measuring {len(cells)} cells in {experiment.blocks} blocks")
            else:
                progress.say(
                    f"going on after {journal.invocations} cells"
                    + (f", {adopted} of them from an interrupted process" if adopted else "")
                )
            ends = None if budget is None else began + budget
            complete = bench.carry_out(ends)
        if complete:
            (folder / COMPLETE).write_text(f"{journal.invocations} invocations\n", encoding="utf-8")
        else:
            left = bench.left()
            progress.say(
                f"the budget of {duration(budget or 0)} is spent with {left} of"
                f" {len(cells) * experiment.blocks} invocations to go; the same command goes on"
            )
        return complete


@dataclass(slots=True)
class _Bench:
    """A shard at work."""

    folder: Path
    experiment: StarkGrid
    cells: Mapping[str, Configuration]
    used: Mapping[str, Offer]
    journal: ShardJournal
    core: int
    progress: RunProgress
    stop_if_asked: Callable[[], None]

    @property
    def _runner(self) -> Runner:
        return next(iter(self.used.values())).runner

    @property
    def _limits(self) -> Limits:
        limits = self.experiment.limits
        return Limits(limits.timeout_seconds, limits.memory_bytes)

    def _standing(self, cell: str) -> Standing:
        return self.journal.standings.setdefault(cell, Standing())

    def pending(self, block: int) -> list[tuple[int, str]]:
        """The cells that a block still has to measure, in its order, with their place in it."""
        order = block_order(self.cells, bytes.fromhex(self.experiment.seed), block)
        return [
            (place, cell)
            for place, cell in enumerate(order)
            if block not in (standing := self._standing(cell)).blocks and not standing.failed
        ]

    def left(self) -> int:
        """How many invocations are still to be made."""
        live = (self._standing(cell) for cell in self.cells)
        return sum(self.experiment.blocks - len(one.blocks) for one in live if not one.failed)

    def adopt(self) -> int:
        """Journal what interrupted processes of an earlier harness answered; how many cells."""
        adopted = 0
        for folder in sorted(self.folder.glob("process-*")):
            try:
                begun = msgspec.json.decode((folder / "begun.json").read_bytes(), type=_Begun)
                answers = (folder / "answers.jsonl").read_bytes()
            except (OSError, msgspec.DecodeError):
                begun = None  # killed before the process could have started
            if begun is not None and begun.process == self.journal.processes:
                requests = self._requests(begun, folder)
                adopted += self._journal(folder, begun, requests, answers, None, 0)
            shutil.rmtree(folder)
        return adopted

    def carry_out(self, ends: float | None) -> bool:
        """Run blocks until every cell has its blocks, or no process would end by `ends`."""
        for block in range(self.experiment.blocks):
            while pending := self.pending(block):
                self.stop_if_asked()
                count = self.experiment.cells_per_process
                if ends is not None:
                    left = ends - time.monotonic()
                    pace = self._pace()
                    count = min(count, int(left / pace)) if pace else (count if left > 0 else 0)
                    if count < 1:
                        return False
                self._process(block, pending[:count])
        return True

    def _pace(self) -> float:
        """Seconds that an invocation takes, checks included; 0 where nobody knows yet."""
        return self.journal.spent_ns / 1e9 / max(self.journal.invocations, 1)

    def _process(self, block: int, batch: Sequence[tuple[int, str]]) -> None:
        """Measure a batch of cells in a new process, check the new ones, journal all."""
        seed = invocation_seed(bytes.fromhex(self.experiment.seed), block, "fresh")
        number = self.journal.processes
        folder = self.folder / f"process-{number:06}"
        folder.mkdir()
        begun = _Begun(
            process=number,
            block=block,
            started_utc=utc_now(),
            load1=os.getloadavg()[0],
            core=self.core,
            seed=seed.hex(),
            cells=tuple(cell for _, cell in batch),
            orders=tuple(place for place, _ in batch),
        )
        requests = self._requests(begun, folder)
        for request in requests:
            if request.artifacts:
                Path(request.artifacts).mkdir()
        (folder / "requests.jsonl").write_bytes(b"".join(map(encode_line, requests)))
        (folder / "begun.json").write_bytes(_ENCODER.encode(begun))
        started, stolen = time.monotonic_ns(), steal_ns()
        missing, spent = self.left(), self.journal.spent_ns / 1e9
        left = missing * self._pace()
        what = f"block {block + 1} of {self.experiment.blocks}, {missing} invocations left"

        def watch() -> None:
            self.stop_if_asked()
            if not spent:
                return  # nobody knows yet how long a cell takes
            within = (time.monotonic_ns() - started) / 1e9
            self.progress.show(spent + within, max(left - within, 0.0), what)

        exchanged = exchange_through_files(
            self._runner.command("run"),
            folder / "requests.jsonl",
            folder / "answers.jsonl",
            limits=self._limits,
            cores=(self.core,),
            watch=watch,
        )
        self._journal(
            folder, begun, requests, exchanged.stdout, exchanged, started, steal_ns() - stolen
        )
        shutil.rmtree(folder)

    def _requests(self, begun: _Begun, folder: Path) -> list[RunRequest]:
        """The requests of a process; a cell that has not been checked leaves a proof behind."""
        samples = self.experiment.samples
        stop = Stop(samples.warmup, samples.minimum, samples.maximum, samples.seconds)
        return [
            self.cells[cell].request(
                cell,
                bytes.fromhex(begun.seed),
                stop,
                None if self._standing(cell).checked else str(folder / cell),
            )
            for cell in begun.cells
        ]

    def _journal(
        self,
        folder: Path,
        begun: _Begun,
        requests: Sequence[RunRequest],
        said: bytes,
        exchanged: Exchange | None,
        started: int,
        stolen: int | None = None,
    ) -> int:
        """Journal a process that has ended, with the checks of its cells; how many it answered."""
        answers = answers_of(requests, said, exchanged)
        checks = self._checks(folder, requests, answers)
        timed = sum(answer.timed_ns for answer in answers)
        elapsed = time.monotonic_ns() - started if exchanged else timed
        # Nothing looks at a clock between two cells: each has its share of the process.
        shares = [answer.timed_ns / timed if timed else 1 / len(answers) for answer in answers]
        entries = []
        for place, (request, answer) in enumerate(zip(requests, answers, strict=False)):
            done = answer.done
            cpu = sum(
                record.user_ns + record.system_ns
                for record in answer.records
                if isinstance(record, Sample)
            )
            outcome, message = _outcome(answer, checks[place])
            entries.append(
                Invocation(
                    configuration=request.id,
                    invocation=self.journal.invocations + place,
                    block=begun.block,
                    order=begun.orders[place],
                    outcome=outcome,
                    error_kind=answer.error_kind,
                    message=message,
                    started_utc=begun.started_utc,
                    wall_ns=exchanged.wall_ns if exchanged else timed,
                    elapsed_ns=round(elapsed * shares[place]),
                    timed_ns=answer.timed_ns if answer.outcome == "done" else None,
                    cpu_ns=cpu,
                    steal_ns=round((stolen or 0) * shares[place]),
                    samples=done.samples if done else 0,
                    stopped_by=done.stopped_by if done else None,
                    exit_status=exchanged.exit_status if exchanged else None,
                    seed=begun.seed,
                    load1=begun.load1,
                    records=answer.records,
                    checks=tuple(checks[place]),
                )
            )
        self.journal.append(
            Process(
                process=begun.process,
                block=begun.block,
                started_utc=begun.started_utc,
                wall_ns=exchanged.wall_ns if exchanged else None,
                elapsed_ns=elapsed,
                cpu_ns=exchanged.cpu_ns if exchanged else None,
                steal_ns=stolen,
                load1=begun.load1,
                core=begun.core,
                ending=exchanged.ending if exchanged else "interrupted",
                exit_status=exchanged.exit_status if exchanged else None,
                invocations=tuple(entries),
            )
        )
        return len(entries)

    # ---- the checks ----------------------------------------------------------------------------

    def _checks(
        self, folder: Path, requests: Sequence[RunRequest], answers: Sequence[Answer]
    ) -> list[list[CheckResult]]:
        """The checks of each answered cell: all four where it has left a proof, else its own."""
        results: list[list[CheckResult]] = []
        shown: dict[int, dict[str, list[Tampering]]] = {}
        for place, (request, answer) in enumerate(zip(requests, answers, strict=False)):
            if answer.outcome != "done":
                results.append([])
                continue
            found = [*own_checks(answer), thread_limit(answer, request.threads)]
            if request.artifacts is not None:
                system = self.used[request.system].system
                try:
                    artifacts = read_artifacts(request)
                    found.append(known_answer(artifacts.public_input, system, request, answer))
                    shown[place] = changes_shown(
                        system, request.statement, artifacts, self.experiment.bit_flips
                    )
                except NizkBenchError as error:
                    found.append(CheckResult(ACCEPT, False, False, str(error)))
            results.append(found)
        for place, judged in self._judged(folder, requests, shown).items():
            system = self.used[requests[place].system].system
            results[place] = expected([*results[place], *judged], system, requests[place])
        return results

    def _judged(
        self,
        folder: Path,
        requests: Sequence[RunRequest],
        shown: Mapping[int, Mapping[str, Sequence[Tampering]]],
    ) -> dict[int, list[CheckResult]]:
        """What other processes say to everything shown, some thousand proofs each."""
        found: dict[int, list[CheckResult]] = {}
        together: list[int] = []
        verdicts = 0
        for place, changes in shown.items():
            count = sum(map(len, changes.values()))
            if together and verdicts + count > MOST_VERDICTS:
                found |= self._judged_together(folder, requests, shown, together)
                together, verdicts = [], 0
            together.append(place)
            verdicts += count
        if together:
            found |= self._judged_together(folder, requests, shown, together)
        return found

    def _judged_together(
        self,
        folder: Path,
        requests: Sequence[RunRequest],
        shown: Mapping[int, Mapping[str, Sequence[Tampering]]],
        places: Sequence[int],
    ) -> dict[int, list[CheckResult]]:
        """The checks of the cells in `places`, by one process; by one each if that one fails."""
        scratch = folder / "shown"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        asked: list[VerifyRequest] = []
        for place in places:
            asked += verify_requests(f"{place}-", requests[place], shown[place], scratch)
        limits = self._limits
        try:
            verdicts = verify(
                self._runner,
                asked,
                limits=Limits(limits.timeout_seconds * len(asked), limits.memory_bytes),
                cores=(self.core,),
                watch=self.stop_if_asked,
            )
        except BrokenRunnerError as error:
            if len(places) == 1:
                return {places[0]: [CheckResult(ACCEPT, False, False, str(error))]}
            alone = (self._judged_together(folder, requests, shown, [one]) for one in places)
            return {place: checks for one in alone for place, checks in one.items()}
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return {place: conclusions(f"{place}-", shown[place], verdicts) for place in places}


def answers_of(
    requests: Sequence[RunRequest], said: bytes, exchanged: Exchange | None
) -> list[Answer]:
    """What a process answered to its requests, in their order, as far as it came.

    Without `exchanged` the harness was killed, and so was the process: the request in flight is not
    answered. Otherwise whatever ended the process is the outcome of the request in flight, if the
    process had said anything to it or had been asked nothing before; if not, nobody can tell which
    of two requests it was, and that one has no answer. Nothing is taken that follows garbage.
    """
    answers: list[Answer] = []
    begin = end = 0
    lived = exchanged.wall_ns if exchanged else 2**63
    whole = Limits(float("inf"), 0)
    for line in said.splitlines(keepends=True):
        end += len(line)
        if len(answers) == len(requests) or not line.endswith(b"\n"):
            break
        if not _ends(line):
            continue
        # A process whose requests did not all end well has status 1, which is no crash of any.
        chunk = Exchange("exit", 0, said[begin:end], "", lived, 0, whole)
        begin = end
        if not _taken(answers, requests, chunk):
            return answers
    if exchanged is not None and (begin < len(said) or not answers):
        _taken(answers, requests, replace(exchanged, stdout=said[begin:]))
    return answers


def _taken(answers: list[Answer], requests: Sequence[RunRequest], chunk: Exchange) -> bool:
    """Add what was said to the next request, or spoil the answer before it; whether it was good."""
    if answers and (len(answers) == len(requests) or _is_of(chunk.stdout, answers[-1])):
        message = "the runner wrote another record after the request had ended"
        answers[-1] = replace(answers[-1], outcome="garbage", message=message)
        return False
    answers.append(answer_of(requests[len(answers)], chunk))
    return answers[-1].outcome != "garbage"


def _is_of(said: bytes, answer: Answer) -> bool:
    """Whether the first line of what was said belongs to the request of an earlier answer."""
    try:
        record = decode_run_record(said.partition(b"\n")[0])
    except MessageError:
        return False
    return bool(answer.records) and record.id == answer.records[0].id


def _ends(line: bytes) -> bool:
    """Whether a line is the last one of an answer."""
    if b'"done"' not in line and b'"error"' not in line:
        return False
    try:
        return isinstance(decode_run_record(line), Done | RunnerError)
    except MessageError:
        return False


def _outcome(answer: Answer, checks: Sequence[CheckResult]) -> tuple[Outcome, str | None]:
    wrong = [one for one in checks if not one.as_expected]
    if not wrong:
        return answer.outcome, answer.message or None
    return "check-failed", "; ".join(
        f"{one.check} {'passed, which it must not' if one.passed else 'failed'}: {one.detail}"
        for one in wrong
    )


def _same_or_new(
    folder: Path,
    journal: ShardJournal,
    name: str,
    experiment: StarkGrid,
    used: Mapping[str, Offer],
    shard: Shard,
    grid: Grid,
) -> None:
    """Begin a new shard with its manifest, or see that the old one is the same."""
    begun = read_manifest(folder)
    if begun is None:
        if journal.processes:
            raise NizkBenchError(
                f"{folder} holds a journal without a manifest, so nobody can tell whether it is"
                " the same run; move it away to start anew"
            )
        described = manifest(name, experiment, used)
        described["shard"] = {"number": shard.number, "of": shard.of}
        described["grid"] = grid.summary()
        write_manifest(described, folder)
        return
    now = identity(name, experiment, {offer.runner for offer in used.values()})
    changed = differences(begun.get("identity", {}), now)
    if changed:
        raise NizkBenchError(
            f"{folder} was begun with other {' and '.join(changed)}; move it away to start anew"
        )
