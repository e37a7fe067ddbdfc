"""The journal of a shard of a grid: its cells, then one line a process, appended and never changed.

A line holds thousands of records, and a journal a hundred megabytes: lines are read one by one, and
of those written only what is needed to go on is kept in memory.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from nizkbench.journal import AppendOnly, Invocation, JournalError, file_name
from nizkbench.measure import FAILURES_IN_A_ROW


class GridPlan(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="grid-plan"
):
    """The first line of a shard's journal: its cells as rows of the table `configurations`."""

    configurations: tuple[dict[str, Any], ...]


class Process(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="process"
):
    """A line of a shard's journal: one process and the cells that it answered.

    `elapsed_ns` is from its start to the end of its checks. `ending` is `interrupted` where the
    harness was killed while it ran: then how it ended and what it used is null.
    """

    process: int
    block: int
    started_utc: str
    wall_ns: int | None
    elapsed_ns: int
    cpu_ns: int | None
    steal_ns: int | None
    load1: float
    core: int
    ending: str
    exit_status: int | None
    invocations: tuple[Invocation, ...]


_LINE: msgspec.json.Decoder[GridPlan | Process] = msgspec.json.Decoder(GridPlan | Process)
_ENCODER = msgspec.json.Encoder()


@dataclass(slots=True)
class Standing:
    """What a shard has of one cell."""

    blocks: set[int] = field(default_factory=set)
    failures_in_a_row: int = 0
    checked: bool = False

    def add(self, entry: Invocation) -> None:
        """Take another invocation into account."""
        self.blocks.add(entry.block)
        if entry.outcome != "done":
            self.failures_in_a_row += 1
            return
        self.failures_in_a_row = 0
        # A runner checks its own proofs always; the harness's checks are more than that.
        if any(one.check == "known-answer" for one in entry.checks):
            self.checked = True

    @property
    def failed(self) -> bool:
        """Whether the cell is not tried again."""
        return self.failures_in_a_row >= FAILURES_IN_A_ROW


class ShardJournal:
    """The journal of a shard, opened for writing by this process alone.

    Only what is needed to go on is kept in memory; `read_shard` reads the lines back one by one.
    """

    def __init__(self, folder: Path) -> None:
        """Open, lock and repair the journal; `JournalError` if another harness holds it."""
        self._file = AppendOnly(file_name(folder))
        try:
            self.repaired = self._file.repaired
            self.plan: GridPlan | None = None
            self.standings: dict[str, Standing] = {}
            self.processes = self.invocations = self.spent_ns = 0
            for line in _lines(self._file.content.splitlines(), self._file.path):
                self._take(line)
        except BaseException:
            self._file.close()
            raise
        self._file.content = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def begin(self, plan: GridPlan) -> None:
        """Write the first line of a new journal; one that has it already must have the same."""
        if self.plan is None:
            self._append(plan)
        elif self.plan != plan:
            raise JournalError(
                f"{self._file.path} was begun with other cells than the profile has now"
            )

    def append(self, process: Process) -> None:
        """Add a process; when this returns, it is on the disk."""
        self._append(process)

    def _append(self, line: GridPlan | Process) -> None:
        self._file.append(_ENCODER.encode(line) + b"\n", self.invocations)
        self._take(line)

    def _take(self, line: GridPlan | Process) -> None:
        if isinstance(line, GridPlan):
            self.plan = line
            return
        self.processes += 1
        self.spent_ns += line.elapsed_ns
        self.invocations += len(line.invocations)
        for entry in line.invocations:
            self.standings.setdefault(entry.configuration, Standing()).add(entry)


def read_shard(folder: Path) -> Iterator[GridPlan | Process]:
    """The whole lines of a shard's journal, one by one; `JournalError` if there is none."""
    path = file_name(folder)
    try:
        with path.open("rb") as file:
            yield from _lines((line for line in file if line.endswith(b"\n")), path)
    except FileNotFoundError:
        raise JournalError(f"{folder} holds no journal") from None


def _lines(lines: Iterable[bytes], path: Path) -> Iterator[GridPlan | Process]:
    for number, line in enumerate(lines, start=1):
        try:
            yield _LINE.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise JournalError(f"{path}, line {number}, cannot be read ({error})") from error
