"""A run is carried out as planned, survives what happens to it, and says what happened."""

import contextlib
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec
import polars as pl
import pytest

from nizkbench.errors import NizkBenchError
from nizkbench.journal import Invocation, read_journal
from nizkbench.manifest import VARIABLES, locks, variables_set
from nizkbench.measure import (
    COMPLETE,
    FINAL,
    Standing,
    forecast,
    half_width,
    measure,
    records_so_far,
    seconds_left,
    time_to_proof,
)
from nizkbench.messages import Sample
from nizkbench.profile import Blocks, read_profile
from nizkbench.records import SCHEMAS, Records, read_run
from nizkbench.runner import Limits, exchange
from tests.harness import (
    SOURCES,
    Repository,
    experiment,
    parameters,
    repository,
    series,
)

#: Where the real runners are, before a test changes that.
BUILT = Path(os.environ.get("NIZK_BENCH_BIN", SOURCES / "build" / "bin"))


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with the revealing runner, which this process works in."""
    made = repository(tmp_path)
    monkeypatch.chdir(made.root)
    monkeypatch.setenv("NIZK_BENCH_BIN", made.environment["NIZK_BENCH_BIN"])
    return made


# ---- a run as it should be ---------------------------------------------------------------------


def test_a_run_has_every_configuration_in_every_block(small: Repository) -> None:
    run = measure("small", experiment())
    counted = run.records.invocations.group_by("configuration", "block").len()
    assert counted["len"].to_list() == [1] * 4
    assert set(run.records.invocations["outcome"]) == {"done"}
    assert read_run(small.run).records.samples.equals(run.records.samples)
    for name, schema in SCHEMAS.items():
        assert run.records.table(name).schema == schema


def test_all_checks_are_made_once_a_configuration(small: Repository) -> None:
    checks = measure("small", experiment()).records.checks
    wanted = {
        "self-verify": 4,  # by the runner, always
        "thread-limit": 4,
        "known-answer": 2,
        "accept-in-other-process": 2,
        "reject-bit-flips": 2,
        "reject-wrong-image": 2,
        "reject-wrong-constants": 2,
    }
    assert dict(Counter(checks["check"])) == wanted
    assert checks["passed"].all()


def test_a_complete_run_is_not_measured_again(small: Repository) -> None:
    measure("small", experiment())
    before = {path.name: path.read_bytes() for path in small.run.iterdir() if path.is_file()}
    (Path(small.environment["NIZK_BENCH_BIN"]) / "moved").touch()
    run = measure("small", experiment())
    assert run.records.invocations.height == 4
    assert before == {path.name: path.read_bytes() for path in small.run.iterdir()}


def test_tables_have_the_same_bytes_from_the_same_journal(small: Repository) -> None:
    measure("small", experiment())
    before = {path.name: path.read_bytes() for path in small.run.glob("*.parquet")}
    assert len(before) == len(SCHEMAS)
    assert small.nizkbench("measure", "small", "--only-records").returncode == 0
    assert before == {path.name: path.read_bytes() for path in small.run.glob("*.parquet")}


def test_every_lock_file_of_the_checkout_is_in_the_manifest() -> None:
    root = Path(__file__).parents[1]
    # Nothing runs from a template.
    made = {"node_modules", "target", "build", "runs", "vendor", "templates"}
    found = set()
    for folder, folders, files in root.walk():
        folders[:] = [name for name in folders if name not in made and not name.startswith(".")]
        found |= {
            str((folder / name).relative_to(root))
            for name in files
            if name.endswith(".lock") or name in ("go.sum", "package-lock.json")
        }
    assert found == set(locks())


def test_the_manifest_tells_what_an_evaluator_would_ask(small: Repository) -> None:
    manifest = measure("small", experiment()).manifest
    machine = manifest["machine"]
    assert machine["usable_cores"] == len(os.sched_getaffinity(0))
    assert {"flags", "governor", "smt", "kernel", "memory_bytes", "virtualisation"} <= set(machine)
    assert len(manifest["identity"]["binaries"]["revealing"]) == 64
    assert manifest["runners"]["revealing"]["library"]["version"] == "1.0.0"
    assert manifest["profile"] == experiment().parameters()
    assert manifest["finished"]["invocations"] == 4
    assert 0 < manifest["finished"]["timed_share"] < 1
    assert {"python", "rustc", "go"} <= set(manifest["tools"])


def test_variables_that_runners_obey_are_recorded_and_must_not_change(
    small: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in variables_set():
        monkeypatch.delenv(name)
    monkeypatch.setenv("GOGC", "400")
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    variables = measure("small", experiment()).manifest["machine"]["variables"]
    assert variables["GOGC"] == "400"
    assert variables["MALLOC_ARENA_MAX"] == "1"
    assert {name for name, value in variables.items() if value is None} == set(VARIABLES) - {"GOGC"}
    (small.run / COMPLETE).unlink()
    monkeypatch.delenv("GOGC")
    with pytest.raises(NizkBenchError, match="begun with other environment"):
        measure("small", experiment())


def test_no_path_of_the_machine_is_in_what_is_recorded(small: Repository) -> None:
    measure("small", experiment())
    for path in small.run.iterdir():
        content = path.read_bytes()
        assert str(small.root).encode() not in content, path.name
        assert str(SOURCES).encode() not in content, path.name


def test_a_fixed_instance_is_the_same_in_every_invocation(small: Repository) -> None:
    run = measure("small", experiment(rounds=[7], series=[series(instances="fixed")]))
    assert run.records.invocations["seed"].n_unique() == 1
    assert run.records.samples["instance"].unique().to_list() == [0]


def test_an_unsound_variant_has_times_and_fails_exactly_its_check(small: Repository) -> None:
    unbound = series(variant={"constants": "unbound"}, track="priced")
    run = measure("small", experiment(rounds=[7], series=[unbound]))
    assert run.records.configurations["sound"].to_list() == [False]
    failed = run.records.checks.filter(~pl.col("passed"))
    assert failed["check"].unique().to_list() == ["reject-wrong-constants"]
    assert failed["expected_to_fail"].all()
    assert run.records.samples.height > 0


# ---- runners that misbehave --------------------------------------------------------------------

MISBEHAVIOUR = {
    "crash": ("crash", "SIGABRT, saying 'library went up in flames'"),
    "crash-after-samples": ("crash", "SIGSEGV"),
    "exit-without-done": ("garbage", "without saying that it was done"),
    "status-without-done": ("crash", "status 3, saying 'could not be bothered'"),
    "error": ("error", "the prover gave up"),
    "hang": ("timeout", "longer than 8 s"),
    "garbage": ("garbage", "proof generated in 12 ms"),
    "not-utf8": ("garbage", "no message of the protocol"),
    "half-a-line": ("garbage", "no message of the protocol"),
    "other-id": ("garbage", "answered to request another"),
    "more-after-done": ("garbage", "after the request had ended"),
    "flood": ("garbage", "and was stopped"),
    "memory": ("out-of-memory", "more than 300000000 bytes"),
    "too-much-time": ("garbage", "add up to"),
    "accept-everything": ("check-failed", "reject-bit-flips failed"),
    "wrong-image": ("check-failed", "known-answer failed"),
}


@pytest.fixture(scope="module")
def misbehaved(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int, Records]:
    """A run in which all but one series misbehave: its sentence, its status and its records."""
    made = repository(tmp_path_factory.mktemp("misbehaved"))
    made.profile(
        rounds=[7],
        series=[*map(series, MISBEHAVIOUR), series()],
        limits={"timeout_seconds": 8.0, "memory_bytes": 300_000_000},
    )
    ended = made.nizkbench("measure", "small")
    return ended.stderr.splitlines()[-1], ended.returncode, read_run(made.run).records


@pytest.mark.parametrize("fault", MISBEHAVIOUR)
def test_a_misbehaving_runner_is_a_row_that_says_how(
    misbehaved: tuple[str, int, Records], fault: str
) -> None:
    outcome, words = MISBEHAVIOUR[fault]
    records = misbehaved[2]
    named = records.invocations.join(records.configurations, on="configuration")
    broken = named.filter(pl.col("series").str.ends_with(f"fault={fault}"))
    tries = 1 if outcome in FINAL else 2  # what needs too much once needs it again
    assert broken["outcome"].to_list() == [outcome] * tries
    for message in broken["message"]:
        assert words in message
        assert "\n" not in message
    reasons = dict(records.stops.select("configuration", "reason").iter_rows())
    assert reasons[broken["configuration"][0]] == "failed"
    if fault == "memory":
        assert all(held > 300_000_000 for held in broken["memory_bytes"])
    assert broken["configuration"][0] not in set(records.samples["configuration"])


def test_a_run_with_failures_ends_with_one_sentence_and_keeps_what_was_measured(
    misbehaved: tuple[str, int, Records],
) -> None:
    sentence, status, records = misbehaved
    assert status == 3
    broken = len(MISBEHAVIOUR)
    assert sentence.startswith(
        f"error: run small is complete, {broken} of {broken + 1} configurations have no times: "
    )
    assert re.search(r" rounds, one thread\b", sentence)
    assert records.samples["configuration"].n_unique() == 1
    done = records.invocations.filter(pl.col("outcome") == "done")
    assert done.height == 2


def test_nothing_of_a_stopped_runner_lives_on(tmp_path: Path) -> None:
    script = "sleep 3600 & echo $! > grandchild; wait"
    ended = exchange(["sh", "-c", f"cd {tmp_path}; {script}"], b"", limits=Limits(0.5, 10**9))
    assert ended.ending == "timeout"
    grandchild = int((tmp_path / "grandchild").read_text())
    assert _until(lambda: not _lives(grandchild))


def test_the_memory_of_a_runner_is_that_of_all_it_started() -> None:
    held = 200_000_000
    child = f"import time; held = bytearray(b'x') * {held}; time.sleep(1)"
    command = ["sh", "-c", f'{sys.executable} -c "{child}" & wait']
    ended = exchange(command, b"", limits=Limits(60.0, 10**10))
    assert (ended.ending, ended.exit_status) == ("exit", 0)
    assert held < (ended.memory_bytes or 0) < held + 100_000_000
    stopped = exchange(command, b"", limits=Limits(60.0, held // 2))
    assert stopped.ending == "out-of-memory"
    assert (stopped.memory_bytes or 0) > held // 2


def test_a_runner_stays_on_the_cores_it_is_given() -> None:
    core = max(os.sched_getaffinity(0))
    said = exchange(
        ["grep", "Cpus_allowed_list", "/proc/self/status"],
        b"",
        limits=Limits(5.0, 10**9),
        cores=[core],
    )
    assert said.stdout.split() == [b"Cpus_allowed_list:", str(core).encode()]
    assert len(os.sched_getaffinity(0)) >= 1


# ---- what a person can get wrong ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"series": [series(system="nobody/groth16/bn254")]}, "no runner offers this system"),
        ({"series": [series("swift")]}, "option fault is swift, legal are none, crash"),
        ({"series": [series(variant={"constants": "fixed"})]}, "legal are public, unbound"),
        ({"rounds": [3]}, "expected `int` >= 7"),
        ({"speed": 3}, "unknown field `speed`"),
    ],
)
def test_a_wrong_profile_is_one_sentence_and_measures_nothing(
    small: Repository, change: dict[str, object], sentence: str
) -> None:
    small.profile(**change)
    refused = small.nizkbench("measure", "small")
    assert refused.returncode == 1
    assert refused.stdout == ""
    assert len(refused.stderr.splitlines()) == 1
    assert refused.stderr.startswith("error: ")
    assert sentence in refused.stderr
    assert not small.run.exists()


def test_a_missing_binary_is_one_sentence_and_what_was_measured_is_kept(small: Repository) -> None:
    measure("small", experiment())
    (small.root / "bin" / "nizk-revealing").unlink()
    refused = small.nizkbench("measure", "small")
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert "runner revealing is not built" in refused.stderr
    assert read_run(small.run).records.invocations.height == 4


def test_another_profile_does_not_continue_a_run_and_fresh_keeps_the_old_one(
    small: Repository,
) -> None:
    measure("small", experiment())
    old = small.journal.read_bytes()
    small.profile(bit_flips=9)
    refused = small.nizkbench("measure", "small")
    assert refused.returncode == 1
    assert "begun with other profile; --fresh keeps it" in refused.stderr
    assert small.journal.read_bytes() == old
    assert small.nizkbench("measure", "small", "--fresh").returncode == 0
    (kept,) = small.root.glob("runs/small-*")
    assert (kept / "journal.jsonl").read_bytes() == old
    assert small.journal.read_bytes() != old


def test_another_binary_does_not_continue_a_run(small: Repository) -> None:
    measure("small", experiment())
    with (small.root / "bin" / "nizk-revealing").open("a") as binary:
        binary.write("# built again\n")
    assert "begun with other binaries" in small.nizkbench("measure", "small").stderr


# ---- interruption -------------------------------------------------------------------------------


def test_two_harnesses_cannot_measure_one_run(small: Repository) -> None:
    # Long enough that the first is at it still when the second has been loaded.
    small.profile(series=[series("slow")], blocks=parameters()["blocks"] | {"maximum": 12})
    first = small.start("measure", "small")
    assert _until(lambda: small.journal.stat().st_size > 0)
    second = small.nizkbench("measure", "small")
    assert second.returncode == 1
    assert "another harness is writing the run small" in second.stderr
    assert first.wait(120) == 0
    assert read_run(small.run).records.invocations.height == 24


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_says_how_to_go_on_and_goes_on(
    small: Repository, number: signal.Signals
) -> None:
    small.profile(series=[series("slow")], blocks=parameters()["blocks"] | {"maximum": 3})
    harness = small.start("measure", "small")
    assert _until(lambda: len(_lines(small)) >= 3)
    harness.send_signal(number)
    _, said = harness.communicate(timeout=30)
    assert harness.returncode == 1, said
    assert f"error: stopped by {number.name}" in said
    assert "`nizkbench measure small` goes on" in said
    kept = _lines(small)
    assert len(kept) >= 3
    assert small.nizkbench("measure", "small").returncode == 0
    assert _lines(small)[: len(kept)] == kept
    assert len(_lines(small)) == 1 + 6


def test_a_full_disk_is_one_sentence_and_the_run_goes_on(small: Repository) -> None:
    small.profile(blocks=parameters()["blocks"] | {"minimum": 6, "maximum": 6})

    stopped = small.on_a_small_disk(16, "measure", "small")
    assert stopped.returncode == 1, stopped.stderr
    assert "the disk is full" in stopped.stderr
    assert "start again to go on" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    kept = _lines(small)
    assert small.nizkbench("measure", "small").returncode == 0
    assert _lines(small)[: len(kept)] == kept
    assert len(_lines(small)) == 1 + 12


def test_a_run_that_is_not_complete_has_its_tables_on_demand(small: Repository) -> None:
    measure("small", experiment())
    lines = small.journal.read_bytes().splitlines(keepends=True)
    small.journal.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    records = records_so_far(small.run)
    assert records.invocations.height == 2
    assert records.stops.is_empty()


def killed_at(moment: Callable[[], bool]) -> bytes:
    """Measure until `moment` comes, kill the harness, and return the journal's whole lines."""
    child = os.fork()
    if child == 0:
        measure_until_killed()
    _until(moment)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    journal = Path("runs/small/journal.jsonl")
    content = journal.read_bytes() if journal.exists() else b""
    return content[: content.rfind(b"\n") + 1]


def measure_until_killed() -> None:
    """In a child of the test: measure, and never return to it."""
    try:
        measure("small", read_profile("small").mimc)
    finally:
        os._exit(0)


#: Measures, and dies when the file of this name is on the disk but not yet in its place.
DIES_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
from nizkbench.cli import main

move = Path.replace

def replace(beside, place):
    if Path(place).name == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGKILL)
    return move(beside, place)

Path.replace = replace
main(["measure", "small"])
"""


def killed_while_writing(small: Repository, name: str) -> bytes:
    """Measure, be killed just before the file `name` is moved to its place; the journal."""
    ended = subprocess.run(
        [sys.executable, "-c", DIES_WHILE_WRITING, name],
        cwd=small.root,
        env=small.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL, f"{name} was never written: {ended.stderr}"
    assert not (small.run / COMPLETE).exists()
    return small.journal.read_bytes()


# ---- invocations side by side --------------------------------------------------------------------

pair = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="this machine has one core: nothing runs side by side"
)


def side_by_side(**changes: int) -> dict[str, object]:
    """The stop rule of the small profile, with two invocations at a time."""
    return {**parameters()["blocks"], "side_by_side": 2, **changes}


@pair
def test_two_invocations_run_at_once_and_each_is_measured_once(small: Repository) -> None:
    slow = {"series": [series("slow")], "rounds": [7, 15, 31]}
    before = os.sched_getaffinity(0)
    run = measure("small", experiment(blocks=side_by_side(), **slow))
    assert os.sched_getaffinity(0) == before
    plan, entries = read_journal(small.run)
    assert plan is not None
    trials = Counter((entry.configuration, entry.block) for entry in entries)
    assert len(trials) == len(plan.configurations) * 2 == 6
    assert set(trials.values()) == {1}
    assert sorted(entry.invocation for entry in entries) == list(range(6))
    assert {entry.outcome for entry in entries} == {"done"}
    spans = sorted(
        (begun, begun + entry.wall_ns / 1e9, entry.configuration)
        for entry in entries
        for begun in [datetime.fromisoformat(entry.started_utc).timestamp()]
    )
    together = [
        (one, other) for one, other in itertools.combinations(spans, 2) if other[0] < one[1] - 0.01
    ]
    assert together
    assert all(one[2] != other[2] for one, other in together)
    # Never three at a time.
    for begun, _, _ in spans:
        assert sum(one[0] <= begun < one[1] - 0.01 for one in spans) <= 2
    elapsed = run.records.invocations["elapsed_ns"].sum()
    assert run.manifest["finished"]["elapsed_ns"] == round(elapsed / 2)


@pair
def test_each_of_two_keeps_to_a_core_of_its_own(small: Repository) -> None:
    tell = small.root / "cores"
    binary = small.root / "bin" / "nizk-revealing"
    grep = f"grep Cpus_allowed_list /proc/self/status >> {tell}"
    binary.write_text(binary.read_text().replace("#!/bin/sh", f"#!/bin/sh\n{grep}", 1))
    measure("small", experiment(blocks=side_by_side()))
    cores = {line.split()[1] for line in tell.read_text().splitlines()}
    last = [str(core) for core in sorted(os.sched_getaffinity(0))[-2:]]
    assert cores >= set(last)


@pair
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_two_at_once_are_stopped_and_go_on(small: Repository, number: signal.Signals) -> None:
    # So many that a busy machine sees the third long before the last.
    small.profile(
        series=[series("slow")], rounds=[7, 15, 31], blocks=side_by_side(minimum=9, maximum=9)
    )
    harness = small.start("measure", "small")
    assert _until(lambda: len(_lines(small)) >= 3)
    harness.send_signal(number)
    _, said = harness.communicate(timeout=30)
    assert harness.returncode == 1, said
    assert said.count("error:") == 1
    assert f"error: stopped by {number.name}" in said
    kept = _lines(small)
    assert small.nizkbench("measure", "small").returncode == 0
    assert _lines(small)[: len(kept)] == kept
    entries = read_journal(small.run)[1]
    assert len({entry.invocation for entry in entries}) == len(entries) == 27
    assert len({(entry.configuration, entry.block) for entry in entries}) == 27


@pair
def test_an_error_of_one_ends_the_other_with_one_sentence(small: Repository) -> None:
    small.profile(rounds=[7, 15, 31], blocks=side_by_side(minimum=9, maximum=9))
    stopped = small.on_a_small_disk(16, "measure", "small")
    assert stopped.returncode == 1, stopped.stderr
    assert stopped.stderr.count("the disk is full") == 1
    assert "Traceback" not in stopped.stderr


def test_what_runs_side_by_side_has_one_thread(small: Repository) -> None:
    with pytest.raises(NizkBenchError, match="side by side on one thread alone"):
        measure("small", experiment(blocks=side_by_side(), threads=["one", "all"]))
    assert not small.run.exists()


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["revealing", "smoke"])
def test_killed_run_resumes_without_loss(small: Repository, profile: str) -> None:
    blocks, kept = 20, dict[str, object]()
    if profile == "smoke":
        smoke = read_profile(str(SOURCES / "profiles" / "smoke.toml")).mimc
        for name in sorted({one.system.partition("/")[0] for one in smoke.series}):
            install(small, name)
        plain = smoke.parameters()
        every = [{key: one[key] for key in one if one[key] is not None} for one in plain["series"]]
        blocks = 2
        kept = {"rounds": [15], "series": every} | {
            key: plain[key] for key in ("threads", "limits")
        }
    exactly = {"minimum": blocks, "maximum": blocks, "target_half_width": 0.001, "seconds": 600.0}
    small.profile(blocks=exactly, **kept)
    chance = random.Random(2026)
    begun = time.monotonic()
    seen = [killed_at(lambda: len(_lines(small)) >= 2)]
    assert seen[0]
    # As long as one start and one trial take here and now, so that about half of them get on.
    usual = time.monotonic() - begun
    for _ in range(20):
        end = time.monotonic() + chance.uniform(0.0, 2.0) * usual
        seen.append(killed_at(partial(_is_past, end)))
    # Whatever is left is measured, and then it dies between the journal and the tables. A run that
    # got to its end before it was killed is set back to just before it.
    (small.run / COMPLETE).unlink(missing_ok=True)
    for name in ("configurations.parquet", "samples.parquet", "stops.parquet", "manifest.json"):
        seen.append(killed_while_writing(small, name))
    finished = small.nizkbench("measure", "small")
    assert finished.returncode == 0, finished.stderr
    seen.append(small.journal.read_bytes())
    assert seen[-1] == seen[-5]  # complete before the tables were, and not measured again
    for before, after in itertools.pairwise(seen):
        assert after.startswith(before)  # nothing that was on the disk is lost or changed
    assert len(set(seen)) > 5  # it did get on between the killings
    plan, entries = read_journal(small.run)
    trials = Counter((entry.configuration, entry.block) for entry in entries)
    assert plan is not None
    assert len(trials) == len(plan.configurations) * blocks
    assert set(trials.values()) == {1}  # none twice
    assert [entry.invocation for entry in entries] == list(range(len(trials)))
    records = read_run(small.run).records
    for name in SCHEMAS:
        assert records.table(name).equals(records_so_far(small.run).table(name)), name
    keys = ["configuration", "invocation", "phase", "sample"]
    samples = records.samples
    assert samples.select(keys).n_unique() == samples.height > len(trials) * 2


def install(small: Repository, name: str) -> None:
    """Put a built runner of the real repository into the small one."""
    (toml,) = SOURCES.glob(f"provers/{name}/runner.toml")
    (small.root / "provers" / name).mkdir()
    shutil.copy(toml, small.root / "provers" / name)
    binary = BUILT / f"nizk-{name}"
    assert binary.is_file(), f"{binary.name} is not built: run `just build`"
    (small.root / "bin" / binary.name).symlink_to(binary)


def test_a_killed_harness_takes_its_runner_with_it(small: Repository) -> None:
    small.profile(series=[series("hang")])
    harness = small.start("measure", "small")

    def runners() -> list[int]:
        script = str(Path(__file__).parent / "runners" / "revealing.py").encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if (
                    script in (folder / "cmdline").read_bytes()
                    and str(small.root).encode() in (folder / "environ").read_bytes()
                ):
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    assert _until(lambda: bool(runners()))
    harness.kill()
    harness.wait()
    assert _until(lambda: not runners())


# ---- the stop rule ------------------------------------------------------------------------------

RULE = Blocks(minimum=3, maximum=6, target_half_width=0.05, seconds=100.0)


def standing(times: list[float], failures: int = 0, seconds: float = 1.0) -> Standing:
    """What a configuration would have after invocations with these times to proof."""
    count = len(times) + failures
    return Standing(times, failures, True, count, round(count * seconds * 1e9))


def test_no_configuration_stops_before_its_minimum() -> None:
    assert standing([1.0, 1.0]).stop(RULE, spent_seconds=1e9) is None


def test_a_narrow_interval_stops_at_the_minimum_and_a_wide_one_does_not() -> None:
    assert standing([1.0, 1.001, 1.002]).stop(RULE, 0.0) == "target"
    assert standing([1.0, 1.5, 2.0]).stop(RULE, 0.0) is None
    assert standing([1.0, 1.5, 2.0]).stop(RULE, 100.0) == "budget"
    assert standing([1.0, 1.5, 2.0] * 2).stop(RULE, 0.0) == "maximum"


def test_two_failures_in_a_row_stop_a_configuration_one_does_not() -> None:
    assert standing([], failures=1).stop(RULE, 0.0) is None
    assert standing([], failures=2).stop(RULE, 0.0) == "failed"


def test_a_success_forgives_a_failure(small: Repository) -> None:
    (entry, *_) = read_entries(small)
    have = Standing()
    for outcome in ("timeout", "done", "timeout"):
        have.add(replaced(entry, outcome))
    assert have.failures_in_a_row == 1
    assert have.invocations == 3
    assert len(have.times) == 1


@pytest.mark.parametrize(
    ("outcomes", "reason"),
    [
        (["timeout"], "failed"),
        (["out-of-memory"], "failed"),
        (["crash"], None),
        (["done", "timeout"], None),
        (["done", "timeout", "timeout"], "failed"),
    ],
)
def test_what_needs_too_much_and_never_succeeded_is_tried_once(
    small: Repository, outcomes: list[str], reason: str | None
) -> None:
    (entry, *_) = read_entries(small)
    have = Standing()
    for outcome in outcomes:
        have.add(replaced(entry, outcome))
    assert have.stop(RULE, 0.0) == reason


def read_entries(small: Repository) -> list[Invocation]:
    """The invocations of a small run."""
    measure("small", experiment())
    return read_journal(small.run)[1]


def replaced(entry: Invocation, outcome: str) -> Invocation:
    """The same invocation with another outcome."""
    return msgspec.structs.replace(entry, outcome=outcome)


def test_half_width_is_the_interval_of_the_geometric_mean() -> None:
    assert half_width([1.0]) is None
    assert half_width([2.0, 2.0, 2.0]) == pytest.approx(0.0)
    # t(0.975, 2) = 4.302653, s = 0.1 on logarithms, n = 3: e^(4.302653 · 0.1 / √3) − 1.
    assert half_width([0.9048374180, 1.0, 1.1051709181]) == pytest.approx(0.281990, rel=1e-4)


def test_time_to_proof_is_witness_and_prove_of_the_same_sample_without_warm_up() -> None:
    def sample(phase: str, number: int, wall: int, warmup: bool = False) -> Sample:
        return Sample("0", phase, number, number, warmup, wall, 0, 0, None)  # type: ignore[arg-type]

    records = [
        sample("setup", 0, 1000),
        sample("witness", 0, 500, warmup=True),
        sample("prove", 0, 500, warmup=True),
        *(sample("witness", number, 1) for number in (1, 2, 3)),
        *(sample("prove", number, 10 * number) for number in (1, 2, 3)),
        *(sample("verify", number, 7000) for number in (1, 2, 3)),
    ]
    assert time_to_proof(records) == 21
    assert time_to_proof(records[:3]) is None


def test_the_time_left_ends_with_the_budget() -> None:
    fresh = [standing([1.0, 1.5], seconds=2.0), standing([1.0, 1.5], seconds=4.0)]
    # One more block each until the minimum, three more until the maximum.
    assert seconds_left(RULE, fresh, spent=12.0) == pytest.approx((2 + 4) * 4)
    assert seconds_left(RULE, fresh, spent=99.0) == pytest.approx(2 + 4)
    assert seconds_left(RULE, [standing([], failures=2)], spent=0.0) == 0.0
    assert seconds_left(RULE, fresh, spent=12.0, at_a_time=2) == pytest.approx((2 + 4) * 4 / 2)


def test_the_checks_of_the_first_block_are_not_expected_in_every_block() -> None:
    first = Standing([1.0], 0, True, 1, 9_000_000_000, checking_ns=7_000_000_000)
    assert seconds_left(RULE, [first], spent=9.0) == pytest.approx(2 * 5)


def test_a_budget_that_the_fewest_blocks_exceed_is_told_after_the_first_block() -> None:
    slow = [standing([1.0], seconds=40.0)]
    said = forecast(RULE, slow, spent=40.0)
    assert "the 3 blocks of every configuration take about 2 min 00 s" in said
    assert "exceeds the budget of 1 min 40 s" in said
    said = forecast(RULE, [standing([1.0], seconds=10.0)], spent=10.0)
    assert "takes at most about 1 min 00 s" in said
    assert "exceeds" not in said


def test_a_run_foretells_its_length_once(small: Repository) -> None:
    small.profile(blocks=parameters()["blocks"] | {"minimum": 3, "maximum": 3, "seconds": 0.001})
    said = small.nizkbench("measure", "small").stderr
    assert said.count("at the pace so far") == 1
    assert "exceeds the budget" in said


def test_invocations_add_up_to_the_wall_time_of_the_run(small: Repository) -> None:
    begun = time.monotonic_ns()
    run = measure("small", experiment())
    whole = time.monotonic_ns() - begun
    entries = read_journal(small.run)[1]
    begins = [datetime.fromisoformat(entry.started_utc) for entry in entries]
    between = (begins[-1] - begins[0]).total_seconds() * 1e9
    elapsed = run.records.invocations["elapsed_ns"].sum()
    # Nothing between two invocations is left out: what the first start and the last end span is
    # all there, up to the millisecond that a time of day is rounded to.
    assert between + entries[-1].wall_ns - 2e6 < elapsed <= whole
    assert run.manifest["finished"]["elapsed_ns"] == elapsed


def _lines(small: Repository) -> list[bytes]:
    """The whole lines of the journal so far."""
    content = small.journal.read_bytes()
    return content[: content.rfind(b"\n") + 1].splitlines()


def _is_past(end: float) -> bool:
    return time.monotonic() > end


def _lives(process: int) -> bool:
    """Whether a process is there and is more than a name in its parent's books."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def _until(holds: Callable[[], bool], within: float = 30.0) -> bool:
    """Whether a condition comes to hold before too long; a file that is not there is none yet."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        with contextlib.suppress(FileNotFoundError):
            if holds():
                return True
        time.sleep(0.01)
    return False
