"""What is journalled is on the disk, is never lost, and has one writer."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nizkbench.checks import CheckResult
from nizkbench.journal import Invocation, Journal, JournalError, Plan, read_journal, table_rows
from nizkbench.messages import Check, Counter, Done, Sample, Security, Size
from nizkbench.records import records_of
from nizkbench.runner import Outcome

PLAN = Plan(({"configuration": "0" * 12, "series": "a series", "curve": None, "size": 7},))


def invocation(number: int, outcome: Outcome = "done", checks: bool = False) -> Invocation:
    """An invocation as a run would journal it."""
    name = str(number)
    return Invocation(
        configuration="0" * 12,
        invocation=number,
        block=number,
        order=0,
        outcome=outcome,
        error_kind=None,
        message=None if outcome == "done" else "it said “no”\r\nand ended",
        started_utc="2026-01-01T00:00:00.000Z",
        wall_ns=10,
        elapsed_ns=20,
        timed_ns=5,
        cpu_ns=5,
        steal_ns=0,
        samples=1,
        stopped_by="maximum",
        exit_status=0,
        seed="00" * 32,
        load1=0.1,
        records=(
            Sample(name, "prove", 0, 0, False, 5, 5, 0, None),
            Size(name, "proof", "native", 32, None),
            Counter(name, "constraints", 7, None),
            Security(name, "conjectured", 95.5, "the library"),
            Check(name, "self-verify", True, ""),
            Done(name, 1, "maximum"),
        ),
        checks=(CheckResult("self-verify", True, False, ""),) if checks else (),
    )


def write(folder: Path, count: int) -> bytes:
    """Journal `count` invocations and return the file's content."""
    with Journal(folder) as journal:
        journal.begin(PLAN)
        for number in range(len(journal.entries), count):
            journal.append(invocation(number))
        return journal.path.read_bytes()


def test_what_was_appended_is_read_back(tmp_path: Path) -> None:
    write(tmp_path, 3)
    assert read_journal(tmp_path) == (PLAN, [invocation(number) for number in range(3)])


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_journal_cut_anywhere_keeps_its_whole_lines_and_goes_on(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    content = write(folder, 3)
    length = data.draw(st.integers(0, len(content)))
    whole = content[:length].count(b"\n")
    (folder / "journal.jsonl").write_bytes(content[:length])
    with Journal(folder) as journal:
        assert len(journal.entries) == max(whole - 1, 0)
        assert (journal.plan is None) == (whole == 0)
        assert (journal.repaired > 0) == (not content[:length].endswith(b"\n") and length > 0)
    assert write(folder, 3) == content


def test_a_cut_off_line_is_not_read_but_is_left_alone_by_a_reader(tmp_path: Path) -> None:
    content = write(tmp_path, 2)
    torn = content + b'{"type":"invocation","config'
    (tmp_path / "journal.jsonl").write_bytes(torn)
    assert len(read_journal(tmp_path)[1]) == 2
    assert (tmp_path / "journal.jsonl").read_bytes() == torn


def test_a_damaged_line_in_the_middle_is_named_and_not_skipped(tmp_path: Path) -> None:
    lines = write(tmp_path, 3).splitlines(keepends=True)
    lines[2] = b"x" + lines[2]
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match="line 3, cannot be read"):
        Journal(tmp_path)


def test_a_journal_of_other_configurations_is_not_continued(tmp_path: Path) -> None:
    write(tmp_path, 1)
    with Journal(tmp_path) as journal, pytest.raises(JournalError, match="other configurations"):
        journal.begin(Plan(({"configuration": "1" * 12},)))


def test_two_harnesses_cannot_write_one_run(tmp_path: Path) -> None:
    write(tmp_path, 1)
    second = (
        "import sys; from pathlib import Path; from nizkbench.journal import Journal\n"
        "Journal(Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", second, str(tmp_path)]
    with Journal(tmp_path):
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "another harness is writing the run" in refused.stderr
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond `size` bytes: a full disk, for root too and without a mount.

    No bytecode is kept meanwhile, see `Repository.on_a_small_disk`.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_keeps_every_whole_line_and_the_run_goes_on(tmp_path: Path) -> None:
    content = write(tmp_path, 2)
    with Journal(tmp_path) as journal:
        with largest_file(len(content) + 100), pytest.raises(JournalError) as refused:
            journal.append(invocation(2))
        assert journal.path.read_bytes() == content
        assert "the disk is full" in str(refused.value)
        assert "the 2 invocations measured so far are kept" in str(refused.value)
    assert len(write(tmp_path, 3)) > len(content)
    assert len(read_journal(tmp_path)[1]) == 3


def test_an_invocation_is_on_the_disk_before_the_next_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size))
    with Journal(tmp_path) as journal:
        journal.begin(PLAN)
        for number in range(3):
            journal.append(invocation(number))
            assert synced[-1] == journal.path.stat().st_size


def test_every_record_has_its_row() -> None:
    tables = records_of(table_rows(None, [invocation(0), invocation(1, checks=True)]))
    assert tables.invocations["invocation"].to_list() == [0, 1]
    for name in ("samples", "sizes", "counters", "security"):
        assert tables.table(name)["invocation"].to_list() == [0, 1], name
    # The runner's own check, once: from the record, or from the harness that judged it.
    assert tables.checks["invocation"].to_list() == [0, 1]


def test_a_failed_invocation_keeps_its_row_and_has_no_times() -> None:
    tables = records_of(table_rows(None, [invocation(0), invocation(1, "timeout")]))
    assert tables.invocations["outcome"].to_list() == ["done", "timeout"]
    assert tables.samples["invocation"].to_list() == [0]


def test_a_configuration_that_failed_a_check_has_no_times_at_all() -> None:
    tables = records_of(table_rows(None, [invocation(0), invocation(1, "check-failed")]))
    assert tables.invocations.height == 2
    assert tables.samples.is_empty()
    assert tables.sizes.is_empty()
    assert tables.checks.height == 2
