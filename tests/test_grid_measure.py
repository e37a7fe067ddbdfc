"""A grid is measured cell by cell in batches, survives what happens to it, and loses nothing."""

import itertools
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nizkbench.errors import NizkBenchError
from nizkbench.grid_journal import Process, read_shard
from nizkbench.grid_measure import Shard, answers_of, claimed_core, measure_shard
from nizkbench.grid_merge import merge
from nizkbench.messages import Done, RunnerError, RunRequest, Sample, Stop, encode_line
from nizkbench.profile import StarkGrid, read_profile
from nizkbench.records import SCHEMAS, Records, Run, read_run
from nizkbench.runner import Ending, Exchange, Limits
from tests.harness import SYSTEM, Repository, grid_parameters, repository


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with the revealing runner, which this process works in."""
    made = repository(tmp_path)
    monkeypatch.chdir(made.root)
    monkeypatch.setenv("NIZK_BENCH_BIN", made.environment["NIZK_BENCH_BIN"])
    return made


def measured(small: Repository, **changes: object) -> Run:
    """A grid measured to its end in one shard."""
    assert measure_shard("small", StarkGrid.of(grid_parameters(**changes)), small.grid)
    return merge(small.grid)


def crossings(**options: list[Any]) -> dict[str, Any]:
    return {"every": {"systems": [SYSTEM], "rounds": [15], "options": options}}


def answered(small: Repository, shard: str = "shard-1-of-1") -> Counter[tuple[str, int]]:
    """How often each cell is journalled in each block."""
    lines = read_shard(small.grid / shard)
    return Counter(
        (entry.configuration, entry.block)
        for line in lines
        if isinstance(line, Process)
        for entry in line.invocations
    )


def in_each_block(cells: int, blocks: int = 3) -> Counter[int]:
    return Counter(dict.fromkeys(range(blocks), cells))


# ---- a run as it should be ---------------------------------------------------------------------


def test_every_cell_is_measured_in_every_block_each_time_in_another_process(
    small: Repository,
) -> None:
    run = measured(small)
    invocations = run.records.invocations
    assert set(invocations["outcome"]) == {"done"}
    assert invocations.group_by("configuration", "block").len()["len"].to_list() == [1] * 36
    processes = pl.read_parquet(small.grid / "processes.parquet")
    assert processes["invocations"].to_list() == [6] * 6
    # Invocations of one process have its start and its time in common.
    of_process = invocations.select(
        "configuration", process=pl.struct("started_utc", "wall_ns").rank("dense")
    )
    assert of_process.group_by("process").len()["len"].to_list() == [6] * 6
    assert (
        of_process.group_by("configuration").agg(pl.col("process").n_unique())["process"].to_list()
        == [3] * 12
    )


def test_every_block_is_shuffled_anew_and_proves_other_instances(small: Repository) -> None:
    invocations = measured(small).records.invocations
    orders = [
        block.sort("order")["configuration"].to_list() for _, block in invocations.group_by("block")
    ]
    assert len({tuple(order) for order in orders}) == 3
    assert len({tuple(sorted(order)) for order in orders}) == 1
    assert invocations.group_by("block").agg(pl.col("seed").n_unique())["seed"].to_list() == [1] * 3
    assert invocations["seed"].n_unique() == 3


def test_all_checks_are_made_once_a_cell(small: Repository) -> None:
    checks = measured(small).records.checks
    assert checks["configuration"].n_unique() == 12
    assert dict(Counter(checks["check"])) == {
        "self-verify": 12,
        "thread-limit": checks.filter(check="thread-limit").height,  # says how busy it was
        "known-answer": 12,
        "accept-in-other-process": 12,
        "reject-bit-flips": 12,
        "reject-wrong-image": 12,
        "reject-wrong-constants": 12,
    }
    assert checks["passed"].all()


def test_the_tables_are_those_of_any_run(small: Repository) -> None:
    run = measured(small)
    for name, schema in SCHEMAS.items():
        assert run.records.table(name).schema == schema
    read = read_run(small.grid)
    assert read.records.samples.equals(run.records.samples)
    assert read.manifest["finished"]["invocations"] == 36
    assert run.records.samples.group_by("configuration").len()["len"].min() == 2 * 2 * 3
    assert not run.records.samples["warmup"].any()
    assert run.records.stops["reason"].to_list() == ["maximum"] * 12


def test_no_path_of_the_machine_is_in_what_is_recorded(small: Repository) -> None:
    measured(small)
    for path in small.grid.rglob("*"):
        if path.is_file():
            assert str(small.root).encode() not in path.read_bytes(), path.name


def test_a_complete_shard_is_not_measured_again(small: Repository) -> None:
    first = measured(small)
    journal = small.grid / "shard-1-of-1" / "journal.jsonl"
    before = journal.read_bytes()
    again = measured(small)
    assert journal.read_bytes() == before
    assert again.records.samples.equals(first.records.samples)


# ---- shards ------------------------------------------------------------------------------------


def test_shards_merge_into_the_cells_and_schema_of_the_whole(small: Repository) -> None:
    whole = measured(small)
    experiment = StarkGrid.of(grid_parameters())
    run = small.root / "runs" / "sharded"
    for number in (1, 2):
        assert measure_shard("small", experiment, run, shard=Shard(number, 2))
    merged = merge(run)
    for name, schema in SCHEMAS.items():
        assert merged.records.table(name).schema == schema
        assert (run / f"{name}.parquet").is_file()
    assert merged.records.configurations.equals(whole.records.configurations)
    counted = merged.records.invocations.group_by("configuration", "block").len()
    assert counted.height == 36
    assert merged.records.invocations["invocation"].to_list() == list(range(36))
    made = [one.records.checks.filter(pl.col("check") != "thread-limit") for one in (merged, whole)]
    assert Counter(made[0]["check"]) == Counter(made[1]["check"])
    assert set(pl.read_parquet(run / "processes.parquet")["shard"]) == {1, 2}


def test_shards_use_different_cores_as_long_as_there_are_any() -> None:
    assert [Shard(one, 4).cores((4, 5, 6)) for one in (1, 2, 3, 4)] == [
        (6, 5, 4),
        (5, 4, 6),
        (4, 6, 5),
        (6, 5, 4),
    ]
    nowhere = (10**6, 10**6 + 1)  # numbers of no machine, so that no run is disturbed
    with claimed_core(nowhere) as first, claimed_core(nowhere) as second:
        assert (first, second) == nowhere
        with claimed_core(nowhere) as third:
            assert third is None
    with claimed_core(nowhere) as again:
        assert again == nowhere[0]


def test_what_does_not_belong_together_is_not_merged(small: Repository) -> None:
    experiment = StarkGrid.of(grid_parameters())
    other = StarkGrid.of(grid_parameters(seed="11" * 32))
    assert measure_shard("small", experiment, small.grid, shard=Shard(1, 2))
    with pytest.raises(NizkBenchError, match="lacks shard 2 of 2"):
        merge(small.grid)
    assert measure_shard("small", other, small.grid, shard=Shard(2, 2))
    with pytest.raises(NizkBenchError, match="measured with other profile and seed"):
        merge(small.grid)


def test_an_unfinished_shard_is_not_merged(small: Repository) -> None:
    experiment = StarkGrid.of(grid_parameters(cells_per_process=1))
    assert measure_shard("small", experiment, small.grid, shard=Shard(1, 2))
    assert not measure_shard("small", experiment, small.grid, shard=Shard(2, 2), budget=0.0)
    with pytest.raises(NizkBenchError, match="shard-2-of-2 is not complete"):
        merge(small.grid)


def test_two_harnesses_cannot_write_one_shard(small: Repository) -> None:
    small.grid_profile(crossings=crossings(fault=["slow"], strength=[1, 2, 3, 4]))
    first = small.start("grid", "measure", "small")
    journal = small.grid / "shard-1-of-1" / "journal.jsonl"
    wait_until(lambda: journal.is_file() and b"grid-plan" in journal.read_bytes())
    second = small.nizkbench("grid", "measure", "small")
    assert second.returncode == 1
    assert "another harness is writing the run shard-1-of-1" in second.stderr
    assert first.wait(timeout=120) == 0
    assert Counter(block for _, block in answered(small)) == in_each_block(4)


# ---- budgets and interruptions -----------------------------------------------------------------


def test_a_budget_ends_a_shard_which_goes_on_later(small: Repository) -> None:
    slow = crossings(fault=["slow"], strength=[1, 2, 3, 4])
    small.grid_profile(crossings=slow, cells_per_process=2)
    ended = small.nizkbench("grid", "measure", "small", "--budget", "3")
    assert ended.returncode == 1
    assert "budget" in ended.stderr
    some = answered(small)
    assert 0 < len(some) < 12
    assert small.nizkbench("grid", "measure", "small").returncode == 0
    assert answered(small) == Counter(dict.fromkeys(answered(small), 1))
    assert Counter(block for _, block in answered(small)) == in_each_block(4)


def test_a_polite_kill_keeps_what_was_answered_and_says_how_to_go_on(small: Repository) -> None:
    small.grid_profile(crossings=crossings(fault=["slow"], strength=[1, 2, 3, 4]))
    started = small.start("grid", "measure", "small")
    answers = small.grid / "shard-1-of-1" / "process-000000" / "answers.jsonl"
    wait_until(lambda: finished_in(answers) >= 2)
    started.send_signal(signal.SIGTERM)
    _, said = started.communicate(timeout=60)
    assert started.returncode == 1
    assert "the same command goes on" in said
    again = small.nizkbench("grid", "measure", "small")
    assert again.returncode == 0
    assert "from an interrupted process" in again.stderr
    assert Counter(block for _, block in answered(small)) == in_each_block(4)


@pytest.mark.slow
def test_killing_a_shard_anywhere_loses_at_most_the_cell_in_flight(small: Repository) -> None:
    every = crossings(fault=["none", "slow"], strength=[1, 2, 3, 4, 5])
    small.grid_profile(crossings=every, cells_per_process=4)
    shard = small.grid / "shard-1-of-1"
    chance = random.Random(1)
    kept = 0
    for _ in range(6):
        wanted = kept + chance.randrange(4)
        started = small.start("grid", "measure", "small")
        wait_until(lambda: measured_in(shard) >= wanted)  # noqa: B023
        time.sleep(chance.random())
        started.send_signal(signal.SIGKILL)
        started.wait(timeout=60)
        time.sleep(0.2)  # the runner dies with its harness, a moment later
        before, kept = kept, measured_in(shard)
        assert kept >= max(before, wanted)
        # Without a moment to measure, the next one takes over what was left behind.
        small.nizkbench("grid", "measure", "small", "--budget", "0")
        assert len(answered(small)) == measured_in(shard) == kept
    assert 6 <= kept <= 30
    assert small.nizkbench("grid", "measure", "small").returncode == 0
    assert answered(small) == Counter(dict.fromkeys(answered(small), 1))
    assert Counter(block for _, block in answered(small)) == in_each_block(10)
    assert not list(shard.glob("process-*"))
    checks = read_run(small.grid).records.checks
    assert set(checks.filter(check="reject-bit-flips")["configuration"]) == set(
        read_run(small.grid).records.configurations["configuration"]
    )


def test_a_line_that_was_cut_off_is_removed_and_its_process_is_taken_over(
    small: Repository,
) -> None:
    measured(small)
    shard = small.grid / "shard-1-of-1"
    journal = shard / "journal.jsonl"
    content = journal.read_bytes()
    (shard / ".complete").unlink()
    journal.write_bytes(content[: content.rfind(b"\n", 0, -1) + 100])
    assert len(answered(small)) == 30
    run = measured(small)
    assert len(answered(small)) == 36
    assert run.records.invocations.height == 36


# ---- runners that misbehave --------------------------------------------------------------------

MISBEHAVIOUR = {
    "crash": ("crash", "SIGABRT, saying 'library went up in flames'"),
    "crash-after-samples": ("crash", "SIGSEGV"),
    "exit-without-done": ("garbage", "without saying that it was done"),
    "status-without-done": ("crash", "status 3, saying 'could not be bothered'"),
    "error": ("error", "the prover gave up"),
    "hang": ("timeout", "longer than 3 s"),
    "garbage": ("garbage", "proof generated in 12 ms"),
    "not-utf8": ("garbage", "no message of the protocol"),
    "half-a-line": ("garbage", "no message of the protocol"),
    "other-id": ("garbage", "answered to request another"),
    "more-after-done": ("garbage", "after the request had ended"),
    "accept-everything": ("check-failed", "reject-bit-flips failed"),
    "wrong-image": ("check-failed", "known-answer failed"),
    "verifier-crash": ("check-failed", "accept-in-other-process failed"),
}


@pytest.fixture(scope="module")
def misbehaved(tmp_path_factory: pytest.TempPathFactory) -> Records:
    """A grid in which all cells but six misbehave."""
    made = repository(tmp_path_factory.mktemp("misbehaved"))
    made.grid_profile(
        crossings=crossings(fault=[*MISBEHAVIOUR, "none"], strength=[1, 2, 3]),
        cells_per_process=50,
        limits={"timeout_seconds": 3.0, "memory_bytes": 300_000_000},
    )
    ended = made.nizkbench("grid", "measure", "small")
    assert ended.returncode == 0, ended.stderr
    return read_run(made.grid).records


@pytest.mark.slow
@pytest.mark.parametrize("fault", MISBEHAVIOUR)
def test_a_cell_that_misbehaves_has_no_times_but_a_row_that_says_how(
    misbehaved: Records, fault: str
) -> None:
    outcome, words = MISBEHAVIOUR[fault]
    of_fault = misbehaved.configurations.filter(
        pl.col("options").str.contains(f'"fault":"{fault}"')
    )
    broken = misbehaved.invocations.join(of_fault, on="configuration", how="semi")
    assert broken.height == 3 * 2  # once, and once more
    assert set(broken["outcome"]) == {outcome}
    for message in broken["message"]:
        assert words in message
    assert misbehaved.samples.join(of_fault, on="configuration", how="semi").is_empty()


@pytest.mark.slow
def test_the_cells_behind_one_that_ends_its_process_are_measured_all_the_same(
    misbehaved: Records,
) -> None:
    good = misbehaved.configurations.filter(pl.col("options").str.contains('"fault":"none"'))
    entries = misbehaved.invocations.join(good, on="configuration", how="semi")
    assert set(entries["outcome"]) == {"done"}
    assert entries.group_by("configuration", "block").len()["len"].to_list() == [1] * 9


# ---- what a process has said -------------------------------------------------------------------


def asked(count: int) -> list[RunRequest]:
    return [
        RunRequest(
            id=f"cell-{number}",
            system=SYSTEM,
            statement="mimc-preimage",
            size={"rounds": 7},
            variant={},
            options={},
            threads=1,
            seed="00" * 32,
            instances="fresh",
            stop=Stop(0, 1, 1, 1.0),
            phases=("prove",),
        )
        for number in range(count)
    ]


def said_of(request: RunRequest, *, failed: bool = False) -> bytes:
    """What a runner says of one request: a sample and its end."""
    sample = Sample(request.id, "prove", 0, 0, False, 10, 10, 0, None)
    last = (
        RunnerError(request.id, "unsupported", "not this one", None)
        if failed
        else Done(request.id, 1, "maximum")
    )
    return encode_line(sample) + encode_line(last)


def ended(said: bytes, status: int = 0, ending: Ending = "exit") -> Exchange:
    return Exchange(ending, status, said, "ouch", 10**9, 10**9, Limits(5.0, 10**9))


@given(cut=st.integers(0, 2000), failed=st.sets(st.integers(0, 3)))
def test_of_a_process_killed_anywhere_all_whole_answers_are_taken(
    cut: int, failed: set[int]
) -> None:
    requests = asked(4)
    said = [said_of(one, failed=number in failed) for number, one in enumerate(requests)]
    whole = sum(length <= cut for length in itertools.accumulate(map(len, said)))
    answers = answers_of(requests, b"".join(said)[:cut], None)
    assert [one.outcome for one in answers] == [
        "error" if number in failed else "done" for number in range(whole)
    ]
    for request, answer in zip(requests, answers, strict=False):
        assert {record.id for record in answer.records} == {request.id}


def test_an_error_of_one_request_is_no_crash_of_the_next() -> None:
    requests = asked(3)
    said = b"".join(said_of(one, failed=one.id == "cell-1") for one in requests)
    outcomes = [one.outcome for one in answers_of(requests, said, ended(said, status=1))]
    assert outcomes == ["done", "error", "done"]


def test_what_ends_a_process_is_the_outcome_of_the_request_in_flight() -> None:
    requests = asked(3)
    begun = said_of(requests[1]).splitlines(keepends=True)[0]
    said = said_of(requests[0]) + begun
    crashed = answers_of(requests, said, ended(said, status=-6))
    assert [one.outcome for one in crashed] == ["done", "crash"]
    assert "SIGABRT, saying 'ouch'" in crashed[1].message
    silent = answers_of(requests, said, ended(said, status=-9, ending="timeout"))
    assert [one.outcome for one in silent] == ["done", "timeout"]


def test_a_request_that_was_not_begun_is_asked_again_unless_it_was_the_first() -> None:
    requests = asked(3)
    said = said_of(requests[0])
    assert [one.outcome for one in answers_of(requests, said, ended(said, status=-6))] == ["done"]
    assert [one.outcome for one in answers_of(requests, b"", ended(b"", status=-6))] == ["crash"]


def test_a_record_after_the_end_spoils_the_answer_it_belongs_to() -> None:
    requests = asked(2)
    said = said_of(requests[0]) + said_of(requests[0]) + said_of(requests[1])
    (spoilt,) = answers_of(requests, said, ended(said))
    assert spoilt.outcome == "garbage"
    last = said_of(requests[0]) + said_of(requests[1]) * 2
    assert [one.outcome for one in answers_of(requests, last, ended(last))] == ["done", "garbage"]


# ---- the real runner ---------------------------------------------------------------------------


@pytest.mark.slow
def test_the_smoke_grid_is_measured_whole_in_twenty_seconds(tmp_path: Path) -> None:
    profile = read_profile("smoke")
    assert profile.stark_grid is not None
    begun = time.monotonic()
    assert measure_shard("smoke", profile.stark_grid, tmp_path)
    run = merge(tmp_path)
    assert time.monotonic() - begun < 20
    assert run.records.configurations.height >= 24
    assert set(run.records.invocations["outcome"]) == {"done"}
    assert run.records.checks["passed"].all()
    attempts = run.records.counters.filter(pl.col("name") == "pow_attempts")
    assert attempts.height > 0
    assert (attempts["value"] >= 1).all()


# ---- what the tests look at --------------------------------------------------------------------


def finished_in(path: Path) -> int:
    """How many cells a file of answers has to their end."""
    return path.read_bytes().count(b'"done"') if path.is_file() else 0


def measured_in(shard: Path) -> int:
    """How many invocations a shard has, in its journal or in what a process left behind."""
    if not (shard / "journal.jsonl").is_file():
        return 0
    lines = [line for line in read_shard(shard) if isinstance(line, Process)]
    journalled = {line.process for line in lines}
    left = [
        finished_in(path / "answers.jsonl")
        for path in shard.glob("process-*")
        if int(path.name.removeprefix("process-")) not in journalled
    ]
    return sum(len(line.invocations) for line in lines) + sum(left)


def wait_until(condition: Any, seconds: float = 60.0) -> None:  # noqa: ANN401
    """Wait until a condition holds; the test fails if it does not in time."""
    for _ in itertools.takewhile(
        lambda end: time.monotonic() < end, itertools.repeat(time.monotonic() + seconds)
    ):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail(f"nothing happened within {seconds} s")
