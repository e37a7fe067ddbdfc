"""What the harness costs is told without bias, and a comparison that fails says why."""

import json
import os
import re
import stat
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nizkbench import overhead
from nizkbench.cli import main
from nizkbench.findings import findings
from nizkbench.harness_cost import MARGIN, Cost
from nizkbench.layout import BINARIES_VARIABLE
from nizkbench.measure import InterruptedRunError
from nizkbench.messages import Library
from nizkbench.overhead import (
    SCHEMA,
    OverheadError,
    cases,
    compare,
    criterion_times,
    go_times,
    journal_of_table,
    measure,
    node_times,
    write,
)
from nizkbench.progress import RunProgress
from nizkbench.quantities import Quantity
from nizkbench.results import Results, system_label
from nizkbench.runner import Runner, find_runners
from nizkbench.tables import Stacked, Table, harness_cost
from nizkbench.trials import TrialsError
from tests.harness import StopsAfter

times = st.lists(st.floats(min_value=1e3, max_value=1e12), min_size=6, max_size=40)

# ---- the comparison ------------------------------------------------------------------------------


def noisy(seed: int, repetitions: int = 15) -> np.ndarray:
    """Medians of processes on a machine with 2 % of noise, in nanoseconds."""
    return 1e8 * np.random.default_rng(seed).lognormal(0.0, 0.02, repetitions)


@given(times)
def test_a_program_compared_with_itself_costs_nothing(plain: list[float]) -> None:
    same = compare(plain, plain)
    assert (same.ratio, same.low, same.high, same.cost) == (1.0, 1.0, 1.0, Cost.WITHIN)


@given(times, st.data())
def test_the_ratio_lies_in_its_interval(plain: list[float], data: st.DataObject) -> None:
    runner = data.draw(st.lists(st.sampled_from(plain), min_size=len(plain), max_size=len(plain)))
    compared = compare(plain, runner)
    last_digit = 1e-12 * compared.ratio  # bounds are interpolated, and rounded on the way
    assert compared.low - last_digit <= compared.ratio <= compared.high + last_digit


@pytest.mark.parametrize("slower", [1.10, 2.0])
def test_a_runner_that_costs_something_is_found_out(slower: float) -> None:
    compared = compare(list(noisy(1)), list(slower * noisy(2)))
    assert compared.cost == Cost.SLOWER
    assert MARGIN < compared.low <= slower <= compared.high


def test_a_faster_runner_is_within() -> None:
    assert compare(list(noisy(1)), list(0.5 * noisy(2))).cost == Cost.WITHIN


@pytest.mark.parametrize("typical", [1.0, 1.05])
def test_an_interval_too_wide_to_tell_decides_nothing(typical: float) -> None:
    wide = np.tile([0.8, 1.0, 1.2], 5)
    compared = compare([1e8] * 15, list(1e8 * typical * wide))
    assert compared.ratio == pytest.approx(typical)
    assert compared.cost == Cost.UNDECIDED


@given(st.floats(0.5, 2.0), st.floats(0.5, 2.0))
def test_one_side_of_the_margin_is_shown_or_nothing(one: float, other: float) -> None:
    low, high = sorted((one, other))
    shown = {
        Cost.WITHIN: high <= MARGIN,
        Cost.SLOWER: low > MARGIN,
        Cost.UNDECIDED: low <= MARGIN < high,
    }
    assert [cost for cost, so in shown.items() if so] == [Cost.of(low, high)]


def test_a_machine_that_slows_down_changes_no_ratio() -> None:
    drift = np.linspace(1.0, 4.0, 15)
    steady = compare(list(noisy(1)), list(noisy(2)))
    drifting = compare(list(drift * noisy(1)), list(drift * noisy(2)))
    assert drifting.ratio == pytest.approx(steady.ratio)
    assert drifting.high - drifting.low == pytest.approx(steady.high - steady.low)


def test_one_disturbed_process_does_not_move_the_verdict() -> None:
    plain, runner = noisy(1), noisy(2)
    runner[3] *= 50
    assert compare(list(plain), list(runner)).cost == Cost.WITHIN


def test_too_few_repetitions_are_refused() -> None:
    with pytest.raises(OverheadError, match="5 repetitions give no interval"):
        compare([1.0] * 5, [1.0] * 5)


# ---- what plain programs leave behind ------------------------------------------------------------


def leave(folder: Path, benchmark: str, text: str) -> None:
    new = folder / benchmark / "new"
    new.mkdir(parents=True)
    (new / "sample.json").write_text(text)


def test_times_of_criterion_are_per_iteration(tmp_path: Path) -> None:
    leave(tmp_path, "prove", '{"sampling_mode":"Flat","iters":[1.0,2.0],"times":[30.0,50.0]}')
    leave(tmp_path, "verify", '{"sampling_mode":"Flat","iters":[1.0],"times":[7.0]}')
    assert criterion_times(tmp_path, "prove") == [30.0, 25.0]
    assert criterion_times(tmp_path, "verify") == [7.0]


def test_a_benchmark_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OverheadError, match="0 benchmarks called prove"):
        criterion_times(tmp_path, "prove")


def test_two_benchmarks_of_one_name_are_not_mixed(tmp_path: Path) -> None:
    for group in ("a", "b"):
        leave(tmp_path / group, "prove", '{"iters":[1.0],"times":[1.0]}')
    with pytest.raises(OverheadError, match="2 benchmarks called prove"):
        criterion_times(tmp_path, "prove")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"iters":[1.0],"times":[]}', '{"iters":[0],"times":[1]}', "null"]
)
def test_a_broken_file_of_criterion_is_one_sentence(tmp_path: Path, text: str) -> None:
    leave(tmp_path, "prove", text)
    with pytest.raises(OverheadError, match="cannot be read"):
        criterion_times(tmp_path, "prove")


def test_times_of_go_leave_out_the_warm_up_and_other_benchmarks() -> None:
    output = b"""goos: linux
goarch: amd64
BenchmarkProve-2         1   9000000 ns/op
BenchmarkProve-2         1   1500000 ns/op
BenchmarkVerify-2        1   77 ns/op
BenchmarkProve           1   1500000.5 ns/op\t  12 B/op
BenchmarkPlain/prove-2   1   1600000 ns/op
BenchmarkProver-2        1   1 ns/op
PASS
"""
    assert go_times(output, "prove") == [1500000.0, 1500000.5, 1600000.0]
    assert go_times(output, "verify") == []


def test_times_of_node_are_those_of_the_phase() -> None:
    assert node_times(b'{"prove":[1500000,1600000.5]}\n', "prove") == [1500000.0, 1600000.5]


@pytest.mark.parametrize("output", [b"", b"[]", b"{}", b'{"verify":[1]}', b'{"prove":1}'])
def test_a_broken_answer_of_node_is_one_sentence(output: bytes) -> None:
    with pytest.raises(OverheadError, match="cannot be read"):
        node_times(output, "prove")


# ---- processes -----------------------------------------------------------------------------------

RUNNER = """
import json, os, sys
DESCRIBE = {describe}
if sys.argv[1] == "describe":
    print(json.dumps(DESCRIBE))
    sys.exit()
request = json.loads(sys.stdin.readline())
with open({log!r}, "a") as log:
    print(json.dumps(["runner", request["phases"][0], request["system"], request["size"]["rounds"],
        ",".join(f"{{k}}={{v}}" for k, v in sorted(request["variant"].items())),
        ",".join(f"{{k}}={{v}}" for k, v in request["options"].items()),
        request["threads"], request["seed"], sorted(os.sched_getaffinity(0))]), file=log)
if {fails}:
    print(json.dumps(dict(type="error", id=request["id"], kind="internal",
        message="no proof today", option=None)))
    sys.exit(1)
stop = request["stop"]
for sample in range(stop["warmup"] + stop["maximum"]):
    warmup = sample < stop["warmup"]
    print(json.dumps(dict(type="sample", id=request["id"], phase=request["phases"][0],
        sample=sample, instance=sample, warmup=warmup, wall_ns=9000 if warmup else 1010,
        user_ns=1, system_ns=0, peak_rss_bytes=None)))
print(json.dumps(dict(type="done", id=request["id"], samples=stop["maximum"],
    stopped_by="maximum")))
"""

PLAIN = """
import json, os, pathlib, sys
if {fails}:
    sys.exit("no benchmark today")
phase = sys.argv[-1]
env = lambda name: os.environ["NIZK_PLAIN_" + name]
with open({log!r}, "a") as log:
    print(json.dumps(["plain", phase, env("SYSTEM"), int(env("SIZE")), env("VARIANT"),
        env("OPTIONS"), int(env("THREADS")), env("SEED"), sorted(os.sched_getaffinity(0))]),
        file=log)
size = int(sys.argv[sys.argv.index("--sample-size") + 1])
new = pathlib.Path(os.environ["CRITERION_HOME"]) / phase / "new"
new.mkdir(parents=True)
(new / "sample.json").write_text(json.dumps(dict(iters=[1.0] * size, times=[1000.0] * size)))
"""


FIRST, SECOND = "staged/stark/f5", "staged/stark/f7"


def description(
    maximum: int | None = None, systems: tuple[str, ...] = (FIRST,)
) -> dict[str, object]:
    return {
        "type": "describe",
        "protocol": 1,
        "runner": "staged",
        "library": {"name": "staged", "version": "1"},
        "build": {"target": "t", "profile": "release", "features": [], "target_cpu": "generic"},
        "systems": [
            {
                "system": name,
                "scheme": "stark",
                "curve": None,
                "field": {"name": "f5", "modulus": "0x5", "bits": 3},
                "properties": {
                    "trusted_setup": "none",
                    "transparent": True,
                    "post_quantum": True,
                    "zero_knowledge": {"level": "no", "source": "staged"},
                    "assumptions": "none",
                    "batch_verification": {"supported": False, "source": "nothing takes many"},
                },
                "phases": [
                    {"phase": "prove", "includes": ["compile", "witness"]},
                    {"phase": "verify", "includes": ["compile"]},
                ],
                "absent_phases": [{"phase": "setup", "reason": "none"}],
                "threads": {"minimum": 1, "maximum": maximum, "how": "it does nothing"},
                "proof_size": "constant",
                "statements": [
                    {
                        "statement": "mimc-preimage",
                        "size": {"name": "rounds", "minimum": 7, "maximum": 63, "rule": "any"},
                        "variants": [
                            {"name": "preimage", "values": ["witness"], "default": "witness"},
                            {"name": "constants", "values": ["fixed"], "default": "fixed"},
                        ],
                        "unsound": [],
                    }
                ],
                "options": [
                    {
                        "name": "grinding",
                        "type": "integer",
                        "minimum": 0,
                        "maximum": 32,
                        "default": 16,
                        "help": "bits of proof of work",
                    }
                ],
                "malleable": [],
            }
            for name in systems
        ],
    }


class Stage:
    """A runner and a plain program that take the times they are told to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"

    def runner(
        self,
        maximum: int | None = 1,
        *,
        systems: tuple[str, ...] = (FIRST,),
        runner_fails: bool = False,
        plain_fails: bool = False,
        plain: tuple[str, ...] = ("staged-plain",),
    ) -> Runner:
        log = str(self.log)
        described = description(maximum, systems)
        self.program("staged-runner", RUNNER, describe=described, log=log, fails=runner_fails)
        self.program("staged-plain", PLAIN, log=log, fails=plain_fails)
        return Runner("staged", "rust", self.folder, "staged-runner", plain)

    def program(self, name: str, source: str, **settings: object) -> None:
        path = self.folder / name
        path.write_text(f"#!{sys.executable} -IS\n" + source.format(**settings))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def started(self) -> list[list[object]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setenv(BINARIES_VARIABLE, str(tmp_path))
    return Stage(tmp_path)


def test_the_table_holds_the_medians_and_their_ratio(stage: Stage) -> None:
    table = measure(cases([stage.runner()], 15), 6)
    assert table.schema == SCHEMA
    assert table.select("system", "phase", "size", "variant", "threads").rows() == [
        ("staged/stark/f5", "prove", 15, "constants=fixed,preimage=witness", 1),
        ("staged/stark/f5", "verify", 15, "constants=fixed,preimage=witness", 1),
    ]
    for row in table.iter_rows(named=True):
        assert (row["plain_ns"], row["runner_ns"]) == (1000.0, 1010.0)
        assert row["ratio"] == row["low"] == row["high"] == 1.01
        assert row["repetitions"] == 6


def test_every_system_is_compared_by_both_programs(stage: Stage) -> None:
    compared = cases([stage.runner(systems=(FIRST, SECOND))], 15)
    table = measure(compared, 6)
    assert table.select("system", "phase").rows() == [
        (system, phase) for system in (FIRST, SECOND) for phase in ("prove", "verify")
    ]
    started = [(kind, system, phase) for kind, phase, system, *_ in stage.started()]
    for kind in ("plain", "runner"):
        for case in compared:
            assert started.count((kind, case.offer.system.system, case.phase)) == 6


def test_both_programs_get_the_same_configuration_and_cores(stage: Stage) -> None:
    measure(cases([stage.runner(maximum=None)], 15), 6)
    settings: dict[str, set[str]] = {"plain": set(), "runner": set()}
    for kind, *setting in stage.started():
        settings[str(kind)].add(json.dumps(setting))
    assert settings["plain"] == settings["runner"]
    assert all("grinding=0" in setting for setting in settings["plain"])
    tracks = 1 if len(os.sched_getaffinity(0)) == 1 else 2
    assert len(settings["plain"]) == 2 * tracks


def test_pairs_run_side_by_side_in_either_order(stage: Stage) -> None:
    measure(cases([stage.runner()], 15), 8)
    kinds = [(str(kind), str(phase)) for kind, phase, *_ in stage.started()]
    pairs = list(zip(kinds[::2], kinds[1::2], strict=True))
    assert len(pairs) == 16
    assert all({kind for kind, _ in pair} == {"plain", "runner"} for pair in pairs)
    assert all(first[1] == second[1] for first, second in pairs)
    assert {pair[0][0] for pair in pairs} == {"plain", "runner"}


def test_a_single_threaded_system_is_compared_on_one_track(stage: Stage) -> None:
    assert [case.threads for case in cases([stage.runner(maximum=1)], 15)] == [1, 1]


def test_progress_is_told_after_every_pair(stage: Stage) -> None:
    seen: list[tuple[float, str]] = []

    class Seen(RunProgress):
        def show(self, spent: float, left: float, trial: str) -> None:
            seen.append((spent / (spent + left), trial))

    measure(cases([stage.runner()], 15), 6, progress=Seen("test"))
    assert [share for share, _ in seen] == pytest.approx([n / 12 for n in range(1, 13)])
    titles = [f"{FIRST}, {phase}, 1 thread" for phase in ("prove", "verify")]
    assert sorted(trial for _, trial in seen) == sorted(titles * 6)


def test_progress_is_lines_where_there_is_no_terminal(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(cases([stage.runner()], 15), 6)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "overhead: comparing in 12 pairs"
    assert re.fullmatch(r"overhead: 8% done, about \d+ min \d\d s left, measuring .+", said[1])


def test_a_stopped_comparison_goes_on_with_no_pair_twice(stage: Stage) -> None:
    compared = cases([stage.runner(systems=(FIRST, SECOND))], 15)
    measure(compared, 6)
    undisturbed = stage.started()
    stage.log.unlink()
    out = stage.folder / "overhead.parquet"
    journal = journal_of_table(out)
    with pytest.raises(InterruptedRunError, match="the 5 pairs so far are kept, the same command"):
        measure(compared, 6, journal=journal, progress=StopsAfter(5))
    with journal.open("ab") as file:
        file.write(b'{"type":"trial","stage":"pa')  # a crash cut this line off
    table = measure(compared, 6, journal=journal)
    assert stage.started() == undisturbed
    assert table["repetitions"].to_list() == [6] * 4
    # Until the table is written, nothing is lost.
    assert measure(compared, 6, journal=journal).equals(table)
    assert stage.started() == undisturbed
    write(table, out)
    assert not journal.exists()


def test_a_comparison_without_a_table_says_that_nothing_is_kept(stage: Stage) -> None:
    with pytest.raises(InterruptedRunError, match="no pair is kept, since --out names no table"):
        measure(cases([stage.runner()], 15), 6, progress=StopsAfter(2))
    assert {path.name for path in stage.folder.iterdir()} == {
        "log",
        "staged-plain",
        "staged-runner",
    }


@pytest.mark.parametrize("changed", ["rounds", "plain program", "library"])
def test_pairs_of_other_cases_or_programs_are_not_mixed(stage: Stage, changed: str) -> None:
    runner, journal = stage.runner(), stage.folder / "pairs"
    measure(cases([runner], 15), 6, journal=journal)
    before = stage.started()
    rounds, said = 15, "program"
    if changed == "rounds":
        rounds, said = 31, "cases"
    elif changed == "plain program":
        with (stage.folder / "staged-plain").open("a") as file:
            file.write("# another build\n")
    compared = cases([runner], rounds)
    if changed == "library":
        said = "libraries"
        described = msgspec.structs.replace(
            compared[0].offer.describe, library=Library("staged", "2")
        )
        compared = [
            replace(case, offer=replace(case.offer, describe=described)) for case in compared
        ]
    with pytest.raises(TrialsError, match=f"was begun with other {said}; move it aside"):
        measure(compared, 6, journal=journal)
    assert stage.started() == before


def test_more_pairs_go_on_from_fewer(stage: Stage) -> None:
    compared = cases([stage.runner()], 15)
    journal = stage.folder / "pairs"
    measure(compared, 6, journal=journal)
    table = measure(compared, 8, journal=journal)
    assert table["repetitions"].to_list() == [8, 8]
    assert len(stage.started()) == 2 * 2 * 8


def test_too_few_repetitions_are_refused_before_anything_runs(stage: Stage) -> None:
    with pytest.raises(OverheadError, match="at least 6 are needed"):
        measure(cases([stage.runner()], 15), 5)
    assert not stage.log.exists()


def test_a_runner_that_fails_is_quoted(stage: Stage) -> None:
    with pytest.raises(OverheadError, match="no proof today"):
        measure(cases([stage.runner(runner_fails=True)], 15), 6)


def test_a_plain_program_that_fails_is_quoted(stage: Stage) -> None:
    with pytest.raises(OverheadError, match="ended with status 1, saying 'no benchmark today'"):
        measure(cases([stage.runner(plain_fails=True)], 15), 6)


def test_a_plain_program_that_is_not_built_is_named(stage: Stage) -> None:
    with pytest.raises(OverheadError, match="plain program of staged is not built: nowhere"):
        measure(cases([stage.runner(plain=("nowhere-to-be-found",))], 15), 6)


def test_a_runner_without_a_plain_program_is_named(stage: Stage) -> None:
    with pytest.raises(OverheadError, match="names no plain program"):
        cases([stage.runner(plain=())], 15)


def test_rounds_that_a_system_does_not_have_are_refused(stage: Stage) -> None:
    with pytest.raises(OverheadError, match="rounds is 100, legal are 7 to 63"):
        cases([stage.runner()], 100)


def test_too_few_samples_of_a_plain_program_are_an_error(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overhead, "criterion_times", lambda *_: [1.0])
    with pytest.raises(OverheadError, match=r"gave 1 times, \d+ were asked for"):
        measure(cases([stage.runner()], 15), 6)


def test_the_table_is_written_and_read_back(stage: Stage) -> None:
    table = measure(cases([stage.runner()], 15), 6)
    path = stage.folder / "deep" / "overhead.parquet"
    write(table, path)
    assert pl.read_parquet(path).equals(table)


def test_a_table_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OverheadError, match="cannot be written"):
        write(pl.DataFrame(schema=SCHEMA), tmp_path / "file" / "overhead.parquet")


@pytest.mark.slow
def test_a_real_runner_and_its_plain_program_take_about_as_long(tmp_path: Path) -> None:
    out = tmp_path / "overhead.parquet"
    arguments = ["overhead", "--runner", "bulletproofs", "--rounds", "15", "--repeat", "6"]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--out", str(out)])
    assert ended.value.code == 0
    table = pl.read_parquet(out)
    assert table["phase"].to_list() == ["prove", "verify"]
    assert table["ratio"].is_between(0.5, 2.0).all(), table


# ---- what is told of it --------------------------------------------------------------------------


def row_of(table: Table, system: str) -> dict[str, object]:
    """A row of the table of the harness's cost by what its columns mean."""
    columns = ("system", "prove one", "prove all", "verify one", "verify all", "within", "regime")
    (row,) = (row for row in table.rows if row[0] == system_label(system))
    return dict(zip(columns, row, strict=True))


def test_the_table_has_a_row_for_every_system(results: Results) -> None:
    assert results.overhead is not None
    changed = verified_on_two_threads(results, (1.5, 0.995, 1.6))
    table = harness_cost(changed)
    assert len(table.rows) == len(results.systems)
    row = row_of(table, "gnark/plonk/bn254")
    same = Stacked(Quantity(1.01, 0.995, 1.02))
    assert [row["prove one"], row["prove all"], row["verify one"]] == [same] * 3
    assert row["verify all"] == Stacked(Quantity(1.5, 0.995, 1.6))
    assert row["within"] == "3 of 4"
    alone = row_of(table, "bulletproofs/r1cs/ristretto255")
    assert alone["prove all"] == alone["verify all"] == Stacked(None)
    assert alone["within"] == "2 of 2"


def verified_on_two_threads(results: Results, found: tuple[float, float, float]) -> Results:
    """The results with this ratio and interval wherever verify on two threads was compared.

    The column `within` is of recorded tables, where it judged by the ratio; nobody reads it.
    """
    assert results.overhead is not None
    there = (pl.col("phase") == "verify") & (pl.col("threads") == 2)
    columns = zip(("ratio", "low", "high"), found, strict=True)
    changed = results.overhead.with_columns(
        *(pl.when(there).then(value).otherwise(name).alias(name) for name, value in columns),
        within=there,
    )
    return replace(results, overhead=changed)


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ((1.5, 1.4, 1.6), "in {more} ({names}) over 3\u202f% slower, and none are undecided"),
        ((1.5, 0.9, 1.6), "in none over 3\u202f% slower, and {more} are undecided"),
        ((1.01, 0.9, 1.04), "in none over 3\u202f% slower, and {more} are undecided"),
    ],
)
def test_the_sentence_counts_by_whole_intervals(
    results: Results, interval: tuple[float, float, float], said: str
) -> None:
    changed = verified_on_two_threads(results, interval)
    assert changed.overhead is not None
    several = changed.overhead.filter(pl.col("within"))["system"].to_list()
    names = "; ".join(f"{system_label(one)}, verify on 2 threads" for one in several)
    sentence = findings(changed)["harness-cost"]
    assert f"in {changed.overhead.height - len(several)} of {changed.overhead.height} " in sentence
    assert said.format(more=len(several), names=names) in sentence
    ratios = changed.overhead["ratio"].to_list()
    assert f"; the largest ratio is {max(ratios):.3f} [" in sentence
    assert f", the smallest {min(ratios):.3f} [" in sentence


def test_a_run_without_comparisons_has_no_table(results: Results) -> None:
    without = replace(results, overhead=None)
    assert not harness_cost(without).rows
    assert without.verify_regimes == {}
    assert "not measured" in findings(without)["harness-cost"]


def test_the_two_regimes_of_verifying_are_held_against_each_other(results: Results) -> None:
    system = "winterfell/stark/f64"
    after = results.quantity(results.equal_terms[system], "verify", 255, "one")
    assert after is not None
    regimes = results.verify_regimes
    assert set(regimes) == set(results.systems)
    assert regimes[system] == pytest.approx(after.value / 1.01e6)
    assert row_of(harness_cost(results), system)["regime"] == f"{regimes[system]:.2f}"
    said = findings(results)["harness-cost"]
    assert all(f"{edge(regimes.values()):.2f} (" in said for edge in (min, max))


def test_regimes_of_other_variants_or_rounds_are_not_compared(results: Results) -> None:
    assert results.overhead is not None
    for changed in (
        results.overhead.with_columns(variant=pl.lit("constants=unbound")),
        results.overhead.with_columns(size=pl.lit(254, pl.Int64)),
        results.overhead.with_columns(statement=pl.lit("hash-preimage")),
    ):
        other = replace(results, overhead=changed)
        assert other.verify_regimes == {}
        assert "times as long to verify" not in findings(other)["harness-cost"]


def test_every_runner_that_is_compared_with_others_has_a_plain_program() -> None:
    without = [name for name, runner in find_runners().items() if not runner.plain]
    # It repeats an experiment of earlier work and stands in no comparison of libraries.
    assert without == ["winterfell-0-8"]
