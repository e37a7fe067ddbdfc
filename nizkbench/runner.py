"""Runners: where they are, how a process of one is started and bounded, and what it answered.

A runner times itself; from here a process is only started on the cores it may use, watched for its
time and memory, and read to its end. Nothing is decoded while it measures.
"""

import contextlib
import ctypes
import os
import resource
import selectors
import signal
import subprocess
import tempfile
import threading
import time
import tomllib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.messages import (
    LONGEST_LINE,
    Describe,
    Done,
    Legal,
    MessageError,
    RunnerError,
    RunRecord,
    RunRequest,
    Sample,
    System,
    Verdict,
    VerifyRequest,
    decode_classify_record,
    decode_describe,
    decode_run_record,
    decode_verify_record,
    encode_line,
)

#: A runner that has written more than this is not measuring, it is stuck in a loop.
MOST_OUTPUT = 256 * 1024 * 1024

#: How often time and memory are looked at, in seconds; often enough to catch a prover that
#: allocates gigabytes a second well before the machine swaps, seldom enough to cost it nothing.
WATCH_INTERVAL = 0.1

#: How often a process with its own core and files is looked at, in seconds: it shares the core.
LOOK_INTERVAL = 1.0

#: `describe` proves nothing; one that takes longer than this hangs.
DESCRIBE_SECONDS = 30.0

Outcome = Literal["done", "error", "timeout", "out-of-memory", "crash", "garbage", "check-failed"]
Ending = Literal["exit", "timeout", "out-of-memory", "flood"]

#: What the allocators of Rust and Go say last when memory ends.
_OUT_OF_MEMORY_WORDS = ("memory allocation of", "out of memory", "cannot allocate memory")

_PR_SET_PDEATHSIG = 1
_PAGE = resource.getpagesize()
_libc = ctypes.CDLL(None, use_errno=True)

#: Held while a process is started.
_STARTING = threading.Lock()


class BrokenRunnerError(NizkBenchError):
    """A runner did not do what the protocol asks of it."""


class UnbuiltRunnerError(BrokenRunnerError):
    """A runner's executable is nowhere."""


# ---- where runners are -------------------------------------------------------------------------


class _Plain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    command: tuple[str, ...]


class _RunnerFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    language: Literal["rust", "go", "node", "python"]
    binary: str
    plain: _Plain | None = None


@dataclass(frozen=True, slots=True)
class Runner:
    """A runner as its `runner.toml` names it; `plain` starts its program without the protocol."""

    name: str
    language: str
    folder: Path
    binary: str
    plain: tuple[str, ...] = ()

    def path(self) -> Path:
        """The executable; `UnbuiltRunnerError` says where it was looked for."""
        for folder in layout.binary_folders():
            candidate = folder / self.binary
            if candidate.is_file() and os.access(candidate, os.X_OK):
                return candidate
        raise UnbuiltRunnerError(
            f"runner {self.name} is not built: {self.binary} is neither in build/bin"
            f" nor in ${layout.BINARIES_VARIABLE} nor on the PATH; `just build` makes it"
        )

    def command(self, verb: Literal["describe", "run", "classify", "verify"]) -> list[str]:
        """The command line of one verb."""
        return [str(self.path()), verb]


def find_runners() -> dict[str, Runner]:
    """Every runner of the repository by its name, in the order of the names."""
    folder = layout.root() / "provers"
    runners = (_read_runner(path) for path in sorted(folder.glob("*/runner.toml")))
    return {runner.name: runner for runner in runners}


def find_runner(name: str) -> Runner:
    """The runner called `name`; `BrokenRunnerError` lists those that exist."""
    runners = find_runners()
    if name not in runners:
        raise BrokenRunnerError(
            f"there is no runner {name}, there are {', '.join(runners) or 'none'}"
        )
    return runners[name]


def _read_runner(path: Path) -> Runner:
    try:
        described = msgspec.toml.decode(path.read_bytes(), type=_RunnerFile)
    except (msgspec.MsgspecError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BrokenRunnerError(f"{path} is no description of a runner ({error})") from error
    return Runner(
        name=described.name,
        language=described.language,
        folder=path.parent,
        binary=described.binary,
        plain=described.plain.command if described.plain else (),
    )


@dataclass(frozen=True, slots=True)
class Offer:
    """A system together with the runner that offers it."""

    runner: Runner
    describe: Describe
    system: System


def describe(runner: Runner) -> Describe:
    """What a runner says about itself; `BrokenRunnerError` if it cannot."""
    exchanged = exchange(
        runner.command("describe"), b"", limits=Limits(DESCRIBE_SECONDS, 4 * 1024**3)
    )
    lines = exchanged.stdout.splitlines()
    if exchanged.ending != "exit" or exchanged.exit_status != 0 or len(lines) != 1:
        raise BrokenRunnerError(
            f"runner {runner.name} does not describe itself: it {_ended(exchanged)}"
            f" after {len(lines)} lines{_last_words(exchanged)}"
        )
    try:
        described = decode_describe(lines[0])
    except MessageError as error:
        raise BrokenRunnerError(
            f"runner {runner.name} does not describe itself: {error}"
        ) from error
    if described.runner != runner.name:
        raise BrokenRunnerError(
            f"{runner.binary} calls itself {described.runner}, its runner.toml {runner.name}"
        )
    return described


def offers(runners: Sequence[Runner]) -> dict[str, Offer]:
    """Every system of these runners by its name; `BrokenRunnerError` if two offer the same."""
    found: dict[str, Offer] = {}
    for runner in runners:
        described = describe(runner)
        for system in described.systems:
            if system.system in found:
                raise BrokenRunnerError(
                    f"system {system.system} is offered by both"
                    f" {found[system.system].runner.name} and {runner.name}"
                )
            found[system.system] = Offer(runner, described, system)
    return found


# ---- one process -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one process and all that it starts: wall time in seconds, resident memory in bytes.

    Memory is bounded by watching the resident set and not by `RLIMIT_AS` or `RLIMIT_DATA`: those
    count what is reserved, and Go reserves far more than it touches; besides, the resident set is
    the very quantity that is published as peak memory.
    """

    timeout_seconds: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a process was, from its start to its end.

    `exit_status` is negative for a signal, as in `subprocess`; `cpu_ns` is user and system time of
    the process; `stderr` is cut to its last 64 KiB. `memory_bytes` is the most that was seen
    resident at once, of the process and all that it started, None where nobody looked.
    """

    ending: Ending
    exit_status: int
    stdout: bytes
    stderr: str
    wall_ns: int
    cpu_ns: int
    limits: Limits
    memory_bytes: int | None = None


def available_cores() -> tuple[int, ...]:
    """The logical processors that this process may use."""
    return tuple(sorted(os.sched_getaffinity(0)))


def exchange(
    command: Sequence[str],
    requests: bytes,
    *,
    limits: Limits,
    cores: Sequence[int] | None = None,
    watch: Callable[[], None] | None = None,
) -> Exchange:
    """Start a command on `cores`, write `requests` to it and read all it says until it ends.

    The process leads its own process group, which is killed when a bound is passed, and dies with
    this one. `watch` is called every tenth of a second. `BrokenRunnerError` if it does not start.
    """
    started = time.monotonic_ns()
    process = _start(command, cores)
    memory = _Memory(process.pid)
    stdout, stderr = bytearray(), bytearray()
    ending: Ending = "exit"
    pidfd = os.pidfd_open(process.pid)
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        streams = {process.stdout.fileno(): stdout, process.stderr.fileno(): stderr}
        for stream in (*streams, process.stdin.fileno()):
            os.set_blocking(stream, False)
        deadline = started + round(limits.timeout_seconds * 1e9)
        unsent = memoryview(requests)
        with selectors.DefaultSelector() as selector:
            selector.register(pidfd, selectors.EVENT_READ)
            for stream in streams:
                selector.register(stream, selectors.EVENT_READ)
            if unsent:
                selector.register(process.stdin, selectors.EVENT_WRITE)
            else:
                process.stdin.close()
            ended = False
            while not ended:
                for key, _ in selector.select(WATCH_INTERVAL):
                    if key.fd == pidfd:
                        ended = True
                    elif key.fd in streams:
                        if not _read_into(streams[key.fd], key.fd):
                            selector.unregister(key.fd)
                    else:
                        unsent = _send(process, unsent)
                        if not unsent:
                            selector.unregister(process.stdin)
                            process.stdin.close()
                if ended:
                    break
                if time.monotonic_ns() > deadline:
                    ending = "timeout"
                elif memory.now() > limits.memory_bytes:
                    ending = "out-of-memory"
                elif len(stdout) > MOST_OUTPUT:
                    ending = "flood"
                if ending != "exit":
                    break
                del stderr[: -64 * 1024]
                if watch is not None:
                    watch()
        if ending != "exit":
            os.killpg(process.pid, signal.SIGKILL)
        _, status, usage = os.wait4(process.pid, 0)
        wall_ns = time.monotonic_ns() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        for stream, buffer in streams.items():
            while _read_into(buffer, stream, when_empty=False):
                pass
    finally:
        os.close(pidfd)
        _end(process)
    return Exchange(
        ending=ending,
        exit_status=process.returncode,
        stdout=bytes(stdout),
        stderr=stderr[-64 * 1024 :].decode("utf-8", "replace"),
        wall_ns=wall_ns,
        cpu_ns=round((usage.ru_utime + usage.ru_stime) * 1e9),
        limits=limits,
        memory_bytes=memory.most,
    )


def exchange_through_files(
    command: Sequence[str],
    requests: Path,
    answers: Path,
    *,
    limits: Limits,
    cores: Sequence[int] | None = None,
    watch: Callable[[], None] | None = None,
) -> Exchange:
    """Start a command on `cores` that reads `requests` and writes `answers`, and wait for its end.

    For long conversations: nothing runs beside the process but a look every second, and what it
    has written outlives this one. `limits.timeout_seconds` bounds how long it may write nothing;
    otherwise as `exchange`.
    """
    started = time.monotonic_ns()
    with (
        requests.open("rb") as given,
        answers.open("ab") as said,
        tempfile.TemporaryFile() as log,
    ):
        process = _start(command, cores, (given.fileno(), said.fileno(), log.fileno()))
        memory = _Memory(process.pid)
        ending: Ending = "exit"
        pidfd = os.pidfd_open(process.pid)
        try:
            size, grown = 0, time.monotonic()
            with selectors.DefaultSelector() as selector:
                selector.register(pidfd, selectors.EVENT_READ)
                while not selector.select(LOOK_INTERVAL):
                    now, written = time.monotonic(), os.fstat(said.fileno()).st_size
                    if written > size:
                        size, grown = written, now
                        os.fdatasync(said.fileno())
                    if now - grown > limits.timeout_seconds:
                        ending = "timeout"
                    elif memory.now() > limits.memory_bytes:
                        ending = "out-of-memory"
                    elif size > MOST_OUTPUT:
                        ending = "flood"
                    if ending != "exit":
                        os.killpg(process.pid, signal.SIGKILL)
                        break
                    if watch is not None:
                        watch()
            _, status, usage = os.wait4(process.pid, 0)
            wall_ns = time.monotonic_ns() - started
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            os.close(pidfd)
            _end(process)
        log.seek(max(log.seek(0, os.SEEK_END) - 64 * 1024, 0))
        stderr = log.read().decode("utf-8", "replace")
    return Exchange(
        ending=ending,
        exit_status=process.returncode,
        stdout=answers.read_bytes(),
        stderr=stderr,
        wall_ns=wall_ns,
        cpu_ns=round((usage.ru_utime + usage.ru_stime) * 1e9),
        limits=limits,
        memory_bytes=memory.most,
    )


def _start(
    command: Sequence[str],
    cores: Sequence[int] | None,
    streams: tuple[int, int, int] = (subprocess.PIPE, subprocess.PIPE, subprocess.PIPE),
) -> subprocess.Popen[bytes]:
    parent = os.getpid()

    def in_child() -> None:
        # The child must not outlive the harness, or it would disturb the run that is resumed;
        # and when memory ends, the kernel is to take the prover and not the harness.
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        if cores is not None:
            os.sched_setaffinity(0, cores)
        with open("/proc/self/oom_score_adj", "wb") as file:  # noqa: PTH123
            file.write(b"1000")

    try:
        # What is done to warnings is done to those of every thread.
        with _STARTING, warnings.catch_warnings():
            # The child touches nothing that another thread of this process could have locked.
            warnings.simplefilter("ignore", DeprecationWarning)
            return subprocess.Popen(
                list(command),
                stdin=streams[0],
                stdout=streams[1],
                stderr=streams[2],
                bufsize=0,
                start_new_session=True,
                preexec_fn=in_child,
            )
    except (OSError, subprocess.SubprocessError) as error:
        raise BrokenRunnerError(f"{command[0]} cannot be started ({error})") from error


def _send(process: subprocess.Popen[bytes], unsent: memoryview) -> memoryview:
    assert process.stdin is not None
    try:
        return unsent[os.write(process.stdin.fileno(), unsent) :]
    except BlockingIOError:
        return unsent
    except BrokenPipeError:
        return unsent[:0]  # it reads no more; its answers and its end will tell why


def _read_into(buffer: bytearray, stream: int, *, when_empty: bool = True) -> bool:
    """Append what a stream holds; False at its end, `when_empty` if it holds nothing now."""
    try:
        chunk = os.read(stream, 1024 * 1024)
    except BlockingIOError:
        return when_empty
    buffer += chunk
    return bool(chunk)


class _Memory:
    """What a process and all that it started hold, and the most that was seen of it, in bytes."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.most = 0

    def now(self) -> int:
        """What is resident now; pages that processes share count once for each."""
        held = sum(_resident_bytes(pid) for pid in _family(self._pid))
        self.most = max(self.most, held)
        return held


def _family(pid: int) -> Iterator[int]:
    """A process and its descendants, as far as they live."""
    yield pid
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return  # it has just ended
    for task in tasks:
        with contextlib.suppress(OSError):
            for child in (task / "children").read_bytes().split():
                yield from _family(int(child))


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0  # it has just ended


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing behind: neither the process nor what it started, nor a stream."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


# ---- what it answered --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Answer:
    """How a request to measure ended, and the records it left.

    `message` is empty when the outcome is `done`, one sentence otherwise.
    """

    outcome: Outcome
    error_kind: str | None
    message: str
    records: tuple[RunRecord, ...]
    exchange: Exchange

    @property
    def timed_ns(self) -> int:
        """Nanoseconds inside timed regions, warm-up included."""
        return _timed_ns(self.records)

    @property
    def done(self) -> Done | None:
        """The record that ended the request well, if one did."""
        last = self.records[-1] if self.records else None
        return last if isinstance(last, Done) else None


def run(
    runner: Runner,
    request: RunRequest,
    *,
    limits: Limits,
    cores: Sequence[int] | None = None,
    watch: Callable[[], None] | None = None,
) -> Answer:
    """Measure one configuration in a process of its own; failures are outcomes, not exceptions."""
    return answer_of(
        request,
        exchange(
            runner.command("run"), encode_line(request), limits=limits, cores=cores, watch=watch
        ),
    )


def answer_of(request: RunRequest, exchanged: Exchange) -> Answer:
    """What a process that was given one request answered to it."""
    records: list[RunRecord] = []
    fault: str | None = None
    for line in exchanged.stdout.splitlines():
        try:
            if len(line) > LONGEST_LINE:
                raise MessageError(f"the runner wrote a line of {len(line)} bytes")
            record = decode_run_record(line)
        except MessageError as error:
            fault = str(error)
            break
        if record.id != request.id:
            fault = f"the runner answered to request {record.id}, it was given {request.id}"
            break
        if records and isinstance(records[-1], Done | RunnerError):
            fault = "the runner wrote another record after the request had ended"
            break
        records.append(record)
    last = records[-1] if records else None
    outcome: Outcome
    kind: str | None = None
    message = ""
    if exchanged.ending in ("timeout", "out-of-memory"):
        outcome = "timeout" if exchanged.ending == "timeout" else "out-of-memory"
        message = f"the runner {_ended(exchanged)}"
    elif exchanged.ending == "flood":
        outcome, message = "garbage", f"the runner {_ended(exchanged)}"
    elif isinstance(last, RunnerError) and fault is None:
        outcome, kind, message = "error", last.kind, last.message
        if last.kind in ("out-of-memory", "timeout"):
            outcome = "out-of-memory" if last.kind == "out-of-memory" else "timeout"
    elif exchanged.exit_status != 0:
        outcome = "out-of-memory" if _ran_out_of_memory(exchanged) else "crash"
        message = f"the runner {_ended(exchanged)}{_last_words(exchanged)}"
    elif fault is not None:
        outcome, message = "garbage", fault
    elif not isinstance(last, Done):
        outcome, message = "garbage", "the runner ended without saying that it was done"
    elif (timed := _timed_ns(records)) > exchanged.wall_ns:
        outcome = "garbage"
        message = (
            f"the phases add up to {timed} ns, the process lived for {exchanged.wall_ns} ns only"
        )
    else:
        outcome = "done"
    return Answer(outcome, kind, message, tuple(records), exchanged)


def verify(
    runner: Runner,
    requests: Sequence[VerifyRequest],
    *,
    limits: Limits,
    cores: Sequence[int] | None = None,
    watch: Callable[[], None] | None = None,
) -> dict[str, Verdict]:
    """Verdicts of a new process on proofs given as files, by the id of the request.

    `BrokenRunnerError` if one of them is not answered by a verdict.
    """
    lines = b"".join(encode_line(request) for request in requests)
    exchanged = exchange(runner.command("verify"), lines, limits=limits, cores=cores, watch=watch)
    verdicts: dict[str, Verdict] = {}
    try:
        for line in exchanged.stdout.splitlines():
            record = decode_verify_record(line)
            if isinstance(record, RunnerError):
                raise BrokenRunnerError(
                    f"runner {runner.name} did not judge proof {record.id}: {record.message}"
                )
            verdicts[record.id] = record
    except MessageError as error:
        if exchanged.exit_status == 0:
            raise BrokenRunnerError(f"runner {runner.name} does not verify: {error}") from error
    missing = [request.id for request in requests if request.id not in verdicts]
    if missing:
        raise BrokenRunnerError(
            f"runner {runner.name} did not judge proof {missing[0]}: the verifier"
            f" {_ended(exchanged)}{_last_words(exchanged)}"
        )
    return verdicts


def classify(
    runner: Runner, requests: Sequence[RunRequest], *, limits: Limits
) -> dict[str, Legal | RunnerError]:
    """Whether a runner would carry requests out, by their ids, without carrying them out.

    `BrokenRunnerError` if one of them is not answered.
    """
    lines = b"".join(encode_line(request) for request in requests)
    exchanged = exchange(runner.command("classify"), lines, limits=limits)
    answers: dict[str, Legal | RunnerError] = {}
    try:
        for line in exchanged.stdout.splitlines():
            record = decode_classify_record(line)
            if record.id is not None:
                answers[record.id] = record
    except MessageError as error:
        raise BrokenRunnerError(f"runner {runner.name} does not classify: {error}") from error
    missing = [request.id for request in requests if request.id not in answers]
    if missing:
        raise BrokenRunnerError(
            f"runner {runner.name} did not classify request {missing[0]}: it"
            f" {_ended(exchanged)}{_last_words(exchanged)}"
        )
    return answers


def _timed_ns(records: Sequence[RunRecord]) -> int:
    return sum(record.wall_ns for record in records if isinstance(record, Sample))


def _ended(exchanged: Exchange) -> str:
    """How a process ended, as the rest of a sentence."""
    if exchanged.ending == "timeout":
        return f"ran longer than {exchanged.limits.timeout_seconds:g} s and was stopped"
    if exchanged.ending == "out-of-memory":
        return f"used more than {exchanged.limits.memory_bytes} bytes of memory and was stopped"
    if exchanged.ending == "flood":
        return f"wrote more than {MOST_OUTPUT} bytes and was stopped"
    if exchanged.exit_status < 0:
        return f"was ended by {signal.Signals(-exchanged.exit_status).name}"
    return f"ended with status {exchanged.exit_status}"


def _last_words(exchanged: Exchange) -> str:
    lines = [line.strip() for line in exchanged.stderr.splitlines() if line.strip()]
    return f", saying {lines[-1][:200]!r}" if lines else ""


def _ran_out_of_memory(exchanged: Exchange) -> bool:
    """Whether a process died for want of memory: by its own last words, or by the kernel's hand.

    Nobody else sends SIGKILL to a runner; the harness's own are another ending.
    """
    words = exchanged.stderr.lower()
    return exchanged.exit_status == -signal.SIGKILL or any(
        phrase in words for phrase in _OUT_OF_MEMORY_WORDS
    )
