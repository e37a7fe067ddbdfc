"""The journal of a run: what was planned, then one line an invocation, appended and never changed.

A line is written at once and is on the disk before the next invocation starts, so that killing the
harness at any moment loses at most the invocation in flight. A line that was cut off by a crash is
removed when the run goes on. Two harnesses cannot write one journal.
"""

import errno
import fcntl
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from nizkbench.checks import CheckResult
from nizkbench.errors import FULL, NizkBenchError
from nizkbench.messages import Check, Counter, RunRecord, Sample, Security, Size
from nizkbench.records import Row
from nizkbench.runner import Outcome


class JournalError(NizkBenchError):
    """A journal cannot be read or written; what it already holds is kept."""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="plan"):
    """The first line: the rows of the table `configurations`."""

    configurations: tuple[dict[str, Any], ...]


class Invocation(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="invocation"
):
    """One line: everything about one invocation.

    `wall_ns` is the life of the runner's process, `elapsed_ns` the time from the end of the
    invocation before it (for the first after a start of the harness, from that start) to the end of
    its checks, so that all of them add up to the run's wall time without its interruptions, or
    where several run side by side, to that of all workers;
    `timed_ns` the timed regions (null where the runner was not done), `steal_ns` what a hypervisor
    took from all processors meanwhile; `load1` is the load of the machine just before.
    `memory_bytes` is the most that was seen resident at once of the runner and all that it
    started, null where many configurations share a process.
    """

    configuration: str
    invocation: int
    block: int
    order: int
    outcome: Outcome
    error_kind: str | None
    message: str | None
    started_utc: str
    wall_ns: int
    elapsed_ns: int
    timed_ns: int | None
    cpu_ns: int
    steal_ns: int
    samples: int
    stopped_by: str | None
    exit_status: int | None
    seed: str
    load1: float
    records: tuple[RunRecord, ...]
    checks: tuple[CheckResult, ...]
    memory_bytes: int | None = None


Line = Plan | Invocation

_DECODER: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)
_ENCODER = msgspec.json.Encoder()


def file_name(folder: Path) -> Path:
    """The journal of the run in `folder`."""
    return folder / "journal.jsonl"


def read_journal(folder: Path) -> tuple[Plan | None, list[Invocation]]:
    """What the journal in `folder` holds so far, without a line that is cut off.

    `JournalError` if there is none, or if a whole line cannot be read.
    """
    path = file_name(folder)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise JournalError(f"{folder} holds no journal") from None
    return _parse(content[: _whole(content)], path)


class AppendOnly:
    """A file of lines, appended to by this process alone until it is closed.

    `content` is what it held when it was opened, without a line that was cut off, which is removed;
    `repaired` is the length of that line in bytes.
    """

    def __init__(self, path: Path) -> None:
        """Open, lock and repair the file; `JournalError` if another process holds it."""
        self.path = path
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            self._lock()
            content = self.path.read_bytes()
            self._size = _whole(content)
            self.repaired = len(content) - self._size
            self.content = content[: self._size]
            if self.repaired:
                os.ftruncate(self._file, self._size)
                os.fsync(self._file)
            _sync_folder(path.parent)
        except BaseException:
            os.close(self._file)
            raise

    def close(self) -> None:
        """Let another process have the file."""
        os.close(self._file)

    def append(self, line: bytes, kept: int) -> None:
        """Add a line; when this returns, it is on the disk.

        `JournalError` if it cannot be, which says that `kept` invocations are.
        """
        try:
            written = os.write(self._file, line)
            if written != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file)
        except OSError as error:
            # Half a line is worth nothing, and leaves no room for telling so.
            os.ftruncate(self._file, self._size)
            raise JournalError(cannot_write(self.path, error, kept)) from error
        self._size += len(line)

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(
                f"another harness is writing the run {self.path.parent.name};"
                " wait until it has ended, or stop it"
            ) from None


class Journal:
    """A journal opened for writing, by this process alone, until it is closed.

    `entries` are all invocations, those read and those appended; `repaired` is the length in bytes
    of a cut-off line that was removed.
    """

    def __init__(self, folder: Path) -> None:
        """Open, lock and repair the journal in `folder`; `JournalError` if another holds it."""
        self.path = file_name(folder)
        self._file = AppendOnly(self.path)
        try:
            self.repaired = self._file.repaired
            self.plan, self.entries = _parse(self._file.content, self.path)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def begin(self, plan: Plan) -> None:
        """Write the first line of a new journal; one that has it already must have the same."""
        if self.plan is None:
            self._append(plan)
            self.plan = plan
        elif self.plan != plan:
            raise JournalError(
                f"{self.path} was begun with other configurations than the profile has now"
            )

    def append(self, entry: Invocation) -> None:
        """Add an invocation; when this returns, it is on the disk."""
        self._append(entry)
        self.entries.append(entry)

    def _append(self, line: Line) -> None:
        self._file.append(_ENCODER.encode(line) + b"\n", len(self.entries))


def cannot_write(path: Path, error: OSError, kept: int) -> str:
    """Why a file of a run cannot be written, and what has become of the run, as one sentence."""
    why = "the disk is full" if error.errno in FULL else f"it says {error.strerror!r}"
    return (
        f"{path.parent.name}/{path.name} cannot be written: {why};"
        f" the {kept} invocations measured so far are kept, start again to go on"
    )


def table_rows(plan: Plan | None, entries: Sequence[Invocation]) -> dict[str, list[Row]]:
    """The rows of every table but `stops`, from a journal.

    The records of an invocation that did not end in `done` stay in the journal alone, since its
    times do not count, and so do all records of a configuration that once failed a check; the rows
    in `invocations` and `checks` tell what happened.
    """
    failed = {entry.configuration for entry in entries if entry.outcome == "check-failed"}
    rows: dict[str, list[Row]] = {
        "configurations": list(plan.configurations) if plan else [],
        "invocations": [],
        "samples": [],
        "sizes": [],
        "counters": [],
        "checks": [],
        "security": [],
    }
    table_of = {Sample: "samples", Size: "sizes", Counter: "counters", Security: "security"}
    for entry in entries:
        place = {"configuration": entry.configuration, "invocation": entry.invocation}
        counts = entry.outcome == "done" and entry.configuration not in failed
        whole = msgspec.structs.asdict(entry)
        rows["invocations"].append(_without(whole, "records", "checks"))
        for check in entry.checks:
            rows["checks"].append(place | msgspec.to_builtins(check))
        for record in entry.records:
            if isinstance(record, Check) and not entry.checks:
                rows["checks"].append(
                    place
                    | _without(msgspec.structs.asdict(record), "id")
                    | {"expected_to_fail": False}
                )
            elif counts and (table := table_of.get(type(record))):
                rows[table].append(place | _without(msgspec.structs.asdict(record), "id"))
    return rows


def _without(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _whole(content: bytes) -> int:
    """The length of a journal without a line that is cut off."""
    return content.rfind(b"\n") + 1


def _parse(content: bytes, path: Path) -> tuple[Plan | None, list[Invocation]]:
    plan: Plan | None = None
    entries: list[Invocation] = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            decoded = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise JournalError(f"{path}, line {number}, cannot be read ({error})") from error
        if isinstance(decoded, Plan):
            if number != 1:
                raise JournalError(f"{path}, line {number}, is a second plan")
            plan = decoded
        else:
            entries.append(decoded)
    if entries and plan is None:
        raise JournalError(f"{path} does not begin with its plan")
    return plan, entries


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file last, too."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
