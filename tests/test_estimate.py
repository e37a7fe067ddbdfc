"""Estimates, ratios and controls on records whose truth is known."""

import os
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from nizkbench.analysis import analyse
from nizkbench.cli import main
from nizkbench.estimate import (
    MEAN_OF_SAMPLES,
    MEDIAN_OF_SAMPLES,
    RecordsDisagreeError,
    estimate,
    exact_values,
    invocation_values,
    threads_used,
    timed_share,
    write_tables,
)
from nizkbench.grinding import geometric_p_value, grinding
from nizkbench.intervals import RESAMPLES, bca_mean
from nizkbench.measure import time_to_proof
from nizkbench.messages import Sample
from nizkbench.ratios import PAIRED, control, false_positives, holm, ratios
from nizkbench.records import Records, records_of, write_records
from tests.measured import MS, Made, made_records

SLOW = Made("slow", lambda n: 0.3 * n)
FAST = Made("fast", lambda n: 0.1 * n)


def estimates(records: Records) -> pl.DataFrame:
    return estimate(records, invocation_values(records), exact_values(records))


def one(frame: pl.DataFrame, **where: object) -> dict[str, object]:
    for column, value in where.items():
        frame = frame.filter(pl.col(column) == value)
    assert frame.height == 1, frame
    return frame.row(0, named=True)


def number(value: object) -> float:
    assert isinstance(value, float)
    return value


def compared(records: Records) -> pl.DataFrame:
    return ratios(invocation_values(records), exact_values(records), records.configurations)


# ── What counts ───────────────────────────────────────────────────────────────────────────────────


def test_warm_up_samples_do_not_count() -> None:
    records = made_records([SLOW], [100], spread=0.001, shared=0.0)
    row = one(estimates(records), metric="prove", statistic="geometric mean")
    assert row["value"] == pytest.approx(30 * MS, rel=0.01)
    assert (row["invocations"], row["samples"]) == (10, 50)


def test_time_to_proof_adds_the_witness_only_where_proving_does_not_contain_it() -> None:
    apart = made_records([replace(SLOW, witness_apart=True)], [100], spread=0.001, shared=0.0)
    within = made_records([SLOW], [100], spread=0.001, shared=0.0)
    for records, expected in ((apart, 45), (within, 30)):
        row = one(estimates(records), metric="time_to_proof", statistic="median")
        assert row["value"] == pytest.approx(expected * MS, rel=0.01)


def test_prove_time_without_its_witness_is_refused() -> None:
    records = made_records([replace(SLOW, witness_apart=True)], [100])
    torn = records.samples.filter((pl.col("phase") != "witness") | (pl.col("sample") != 3))
    with pytest.raises(RecordsDisagreeError, match=r"slow/100.*sample 3.*no witness"):
        invocation_values(replace(records, samples=torn))


GRINDS = Made("grinds", lambda n: 0.001, options={"grinding": 16}, ns_per_attempt=60.0)


def test_proof_of_work_is_summarised_by_what_it_costs_on_average() -> None:
    records = made_records([GRINDS, SLOW], [63], blocks=40, samples=30, shared=0.0)
    values = invocation_values(records)
    of_grinds = values.filter(pl.col("configuration") == "grinds/63")
    averaged = {"prove", "time_to_proof", "cpu_prove", "pow_attempts"}
    for metric, summary in of_grinds.select("metric", "summary").unique().iter_rows():
        assert summary == (MEAN_OF_SAMPLES if metric in averaged else MEDIAN_OF_SAMPLES), metric
    others = values.filter(pl.col("configuration") == "slow/63")
    assert others["summary"].unique().to_list() == [MEDIAN_OF_SAMPLES]
    # 2^16 attempts of 60 ns: the medians of thirty draws would be ln 2 = 69 % of it.
    mean = number(of_grinds.filter(pl.col("metric") == "prove")["value"].mean())
    assert mean == pytest.approx(2**16 * 60, rel=0.1)
    row = one(estimates(records), configuration="grinds/63", metric="prove", statistic="median")
    assert row["summary"] == MEAN_OF_SAMPLES


def test_cost_of_proof_of_work_does_not_depend_on_the_number_of_samples() -> None:
    few, many = (
        invocation_values(made_records([GRINDS], [63], blocks=blocks, samples=samples))
        for blocks, samples in ((1200, 1), (60, 20))
    )
    means = [number(f.filter(pl.col("metric") == "prove")["value"].mean()) for f in (few, many)]
    assert means[0] == pytest.approx(means[1], rel=0.15)


def test_stop_rule_and_analysis_summarise_an_invocation_alike() -> None:
    records = made_records([GRINDS, SLOW], [63], blocks=1, samples=9)
    for row in invocation_values(records).filter(metric="time_to_proof").iter_rows(named=True):
        samples = records.samples.filter(invocation=row["invocation"])
        told = [
            Sample("0", s["phase"], s["sample"], 0, s["warmup"], s["wall_ns"], 0, 0, None)
            for s in samples.iter_rows(named=True)
        ]
        ground = row["summary"] == MEAN_OF_SAMPLES
        assert time_to_proof(told, ground) == pytest.approx(row["value"], rel=1e-12)


def test_failed_invocations_and_failed_checks_have_no_times() -> None:
    records = made_records([SLOW, FAST], [100])
    first = records.invocations.filter(pl.col("configuration") == "slow/100")["invocation"][0]
    crashed = records.invocations.with_columns(
        pl.when(pl.col("invocation") == first)
        .then(pl.lit("crash"))
        .otherwise("outcome")
        .alias("outcome")
    )
    checks = records_of(
        {
            "checks": [
                {
                    "configuration": "fast/100",
                    "invocation": 2,
                    "check": "reject-bit-flips",
                    "passed": False,
                    "expected_to_fail": False,
                    "detail": "",
                }
            ]
        }
    ).checks
    found = estimates(replace(records, invocations=crashed, checks=checks))
    assert found["series"].unique().to_list() == ["slow"]
    assert one(found, metric="prove", statistic="median")["invocations"] == 9


def test_declared_flaw_that_fails_its_check_keeps_its_times() -> None:
    records = made_records([SLOW], [100])
    checks = records_of(
        {
            "checks": [
                {
                    "configuration": "slow/100",
                    "invocation": 1,
                    "check": "reject-wrong-constants",
                    "passed": False,
                    "expected_to_fail": True,
                    "detail": "",
                }
            ]
        }
    ).checks
    assert estimates(replace(records, checks=checks)).height > 0


def test_constant_size_is_exact_and_a_changing_one_is_refused_by_name() -> None:
    records = made_records([SLOW], [100])
    row = one(estimates(records), metric="size_proof_compressed")
    assert (row["statistic"], row["value"], row["low"], row["high"]) == ("exact", 192, 192, 192)
    grown = records.sizes.with_columns(
        pl.when(pl.int_range(pl.len()) == 4).then(193).otherwise("bytes").alias("bytes")
    )
    with pytest.raises(RecordsDisagreeError, match=r"slow, rounds 100.*size_proof_compressed.*193"):
        exact_values(replace(records, sizes=grown))


def test_varying_size_gets_an_interval() -> None:
    records = made_records([SLOW], [100])
    counted = records.samples.filter(pl.col("phase") == "prove")
    varying = counted.select(
        "configuration",
        "invocation",
        pl.lit("proof").alias("of"),
        pl.lit("native").alias("encoding"),
        (20_000 + (pl.col("invocation") * 7919 + pl.col("sample") * 31) % 500).alias("bytes"),
        "sample",
    ).cast(records.sizes.schema)
    found = estimates(replace(records, sizes=pl.concat([records.sizes, varying])))
    row = one(found, metric="size_proof_native", statistic="geometric mean")
    assert number(row["low"]) < number(row["value"]) < number(row["high"])


def test_three_invocations_have_no_interval_of_the_median_and_say_so() -> None:
    found = estimates(made_records([SLOW], [100], blocks=3))
    median = one(found, metric="prove", statistic="median")
    assert (median["low"], median["level"]) == (None, None)
    assert "too few" in str(median["method"])
    assert one(found, metric="prove", statistic="geometric mean")["low"] is not None


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000))
def test_order_of_records_does_not_matter(seed: int) -> None:
    records = made_records([SLOW, FAST], [15, 63])
    shuffled = Records(
        **{
            name: records.table(name).sample(fraction=1.0, shuffle=True, seed=seed)
            for name in Records.__dataclass_fields__
        }
    )
    for name, table in analyse(records).items():
        assert_frame_equal(table, analyse(shuffled)[name], check_exact=True)


def test_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    records = made_records([SLOW, FAST], [15, 63])
    first, second = (
        write_tables(analyse(records), tmp_path / name) for name in ("first", "second")
    )
    for one_path, other_path in zip(first, second, strict=True):
        assert one_path.read_bytes() == other_path.read_bytes()


def test_run_without_a_single_success_still_has_all_tables() -> None:
    records = made_records([SLOW], [15])
    failed = records.invocations.with_columns(pl.lit("timeout").alias("outcome"))
    tables = analyse(replace(records, invocations=failed))
    assert tables["estimates"].is_empty()
    full = analyse(records)
    for name, table in tables.items():
        assert table.schema == full[name].schema, name


def test_share_of_timed_phases_counts_everything_that_took_time() -> None:
    records = made_records([SLOW, FAST], [15])
    share = one(timed_share(records), track="all")
    assert share["share"] == pytest.approx(1 / 1.25, rel=1e-4)


def test_more_cores_than_allowed_are_a_violation() -> None:
    records = made_records([SLOW], [1000])
    assert not threads_used(records)["violation"].any()
    two = records.samples.with_columns(pl.col("user_ns") * 2)
    found = threads_used(replace(records, samples=two))
    assert one(found, phase="prove")["violation"] is True


# ── Ratios ────────────────────────────────────────────────────────────────────────────────────────


def test_ratio_of_two_series_is_found_and_noise_of_blocks_falls_out() -> None:
    records = made_records([SLOW, FAST], [100], spread=0.01, shared=0.3)
    row = one(compared(records), metric="prove")
    assert (row["numerator"], row["denominator"], row["method"]) == ("fast", "slow", PAIRED)
    assert number(row["low"]) < 1 / 3 < number(row["high"])
    assert number(row["high"]) / number(row["low"]) < 1.05  # the blocks' 30 % would give 1.3
    assert row["equivalent"] is False
    assert number(row["p_value_holm"]) < 1e-6


def test_series_that_share_fewer_than_two_blocks_have_no_ratio() -> None:
    records = made_records([SLOW, FAST], [100], blocks=12, shared=0.0, seed=2)
    slow = pl.col("configuration") == "slow/100"
    for shared in (1, 2):
        kept = records.invocations.filter(
            pl.when(slow).then(pl.col("block") < 6 + shared).otherwise(pl.col("block") >= 6)
        )
        rows = compared(replace(records, invocations=kept)).filter(pl.col("metric") == "prove")
        assert rows["blocks"].to_list() == ([] if shared == 1 else [2])


def test_equal_series_are_shown_equivalent_and_noisy_ones_are_left_open() -> None:
    twin = Made("twin", SLOW.prove)
    precise = compared(made_records([SLOW, twin], [100], spread=0.01))
    assert one(precise, metric="prove")["equivalent"] is True
    noisy = compared(made_records([SLOW, twin], [100], spread=0.3))
    assert one(noisy, metric="prove")["equivalent"] is None


def test_exact_quantities_have_an_exact_ratio() -> None:
    big = Made("big", SLOW.prove, proof_bytes=lambda size: 384)
    row = one(compared(made_records([SLOW, big], [100])), metric="size_proof_compressed")
    assert (row["value"], row["low"], row["high"]) == (2.0, 2.0, 2.0)
    assert (row["method"], row["p_value_holm"]) == ("exact", None)


def test_series_of_other_track_and_system_are_no_pair() -> None:
    other = Made("other", SLOW.prove, track="priced", system="b/scheme/curve")
    assert compared(made_records([SLOW, other], [100])).is_empty()


def test_p_values_are_corrected_among_the_series_of_one_track_at_one_size_and_metric() -> None:
    alike = [Made(f"main {i}", SLOW.prove, system=f"main{i}/scheme/curve") for i in range(4)]
    priced = Made("priced", SLOW.prove, system="main0/scheme/curve", track="priced")
    found = compared(made_records([*alike, priced], [15, 63])).filter(
        pl.col("p_value").is_not_null()
    )
    families = found.partition_by("metric", "size", "threads_label", "tracks")
    assert {family.height for family in families} == {6, 1}
    for family in families:
        corrected = holm(family["p_value"].to_numpy())
        assert family["p_value_holm"].to_numpy() == pytest.approx(corrected)
        assert set(family["tracks"]) <= {"main", "main + priced"}


def test_more_sizes_and_metrics_do_not_weaken_a_comparison() -> None:
    def p_value(sizes: list[int]) -> object:
        records = made_records([SLOW, replace(FAST, prove=lambda n: 0.299 * n)], [63], seed=5)
        more = made_records([SLOW, FAST], [size for size in sizes if size != 63])
        both = Records(
            **{
                name: pl.concat([records.table(name), more.table(name)]).unique()
                for name in Records.__dataclass_fields__
            }
        )
        return one(compared(both), metric="prove", size=63)["p_value_holm"]

    assert p_value([63]) == pytest.approx(p_value([15, 63, 255]))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_never_lowers_a_p_value_and_keeps_their_order(p_values: list[float]) -> None:
    corrected = holm(np.array(p_values))
    assert (corrected >= p_values).all()
    assert (corrected <= 1).all()
    assert (np.diff(corrected[np.argsort(p_values, kind="stable")]) >= 0).all()
    assert corrected.min() == pytest.approx(min(1.0, min(p_values) * len(p_values)))


def test_holm_gives_the_worked_example_of_the_method() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_control_finds_differences_as_rarely_as_its_level_says() -> None:
    many = [Made(f"series {i}", SLOW.prove) for i in range(60)]
    records = made_records(many, [15, 63], blocks=12, samples=2, shared=0.0)
    found = control(invocation_values(records), records.configurations)
    rate = one(false_positives(found), metric="prove")
    assert rate["comparisons"] == 120
    assert number(rate["low"]) <= 0.05 <= number(rate["high"])


def test_control_finds_a_machine_that_changes_between_its_halves() -> None:
    records = made_records([SLOW], [63], blocks=12, spread=0.001, shared=0.0)
    values = invocation_values(records)
    # Blocks 0, 3, 4, 7, 8, 11 stand above: were they slower, the run would not be one sample.
    above = pl.col("block") % 4
    slowed = values.with_columns(
        pl.when(above.is_in([0, 3])).then(pl.col("value") * 1.2).otherwise("value").alias("value")
    )
    row = one(control(slowed, records.configurations), metric="prove")
    assert row["different"] is True
    assert row["beyond_margin"] is True


# ── Proof of work ─────────────────────────────────────────────────────────────────────────────────


def test_cost_of_an_attempt_is_recovered_from_noisy_proofs() -> None:
    grinds = Made("grinds", lambda n: 5.0, options={"grinding": 16}, ns_per_attempt=60.0)
    row = one(grinding(made_records([grinds], [63], blocks=12, samples=20, shared=0.05)))
    assert number(row["cost_low"]) < 60 < number(row["cost_high"])
    assert number(row["cost_high"]) - number(row["cost_low"]) < 6
    assert row["rest_ns"] == pytest.approx(5 * MS, rel=0.1)
    assert number(row["mean_low"]) < 2**16 < number(row["mean_high"])
    assert number(row["p_value_geometric"]) > 0.001


def test_attempts_of_another_difficulty_are_noticed() -> None:
    grinds = Made("grinds", lambda n: 5.0, options={"grinding": 16}, ns_per_attempt=60.0)
    records = made_records([grinds], [63], blocks=12, samples=20)
    halved = records.counters.with_columns((pl.col("value") / 2).ceil())
    row = one(grinding(replace(records, counters=halved)))
    assert number(row["p_value_geometric"]) < 1e-6
    assert number(row["mean_high"]) < 2**16


def test_the_geometric_law_itself_is_not_refused_however_large_the_sample() -> None:
    # The step of the law at 8 bits is 1/256: a test that takes it for a distance finds it here.
    rng = np.random.default_rng(8)
    refused = [
        geometric_p_value(rng.geometric(2.0**-8, 200_000).astype(float), 2.0**8) < 0.05
        for _ in range(100)
    ]
    assert sum(refused) <= 12
    skewed = rng.geometric(2.0**-8 * 1.02, 200_000).astype(float)
    assert geometric_p_value(skewed, 2.0**8) < 1e-4
    assert geometric_p_value(np.ones(200_000), 2.0**8) < 1e-9


# ── The command line and its speed ────────────────────────────────────────────────────────────────


def test_estimate_refuses_a_folder_without_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["estimate", str(tmp_path), "--into", str(tmp_path)])
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert "configurations.parquet" in said
    assert said.count("\n") == 1


def test_estimate_writes_every_table_of_a_run(tmp_path: Path) -> None:
    records = made_records([SLOW, FAST], [15, 63])
    (tmp_path / "run").mkdir()
    write_records(records, tmp_path / "run")
    with pytest.raises(SystemExit) as ended:
        main(["estimate", str(tmp_path / "run"), "--into", str(tmp_path / "made")])
    assert not ended.value.code
    for name, table in analyse(records).items():
        assert_frame_equal(pl.read_parquet(tmp_path / "made" / f"{name}.parquet"), table)


def many_samples(sizes: int, loops: int) -> Records:
    """Samples of 16 series at `sizes` sizes, 12 invocations each of `loops` loops of two phases."""
    rng = np.random.default_rng(3)
    made = [Made(f"series {i:02}", lambda n: float(n)) for i in range(16)]
    records = made_records(made, sizes=range(7, 7 + sizes), blocks=12, samples=1)
    repeated = records.invocations.select("configuration", "invocation").join(
        pl.DataFrame({"sample": range(loops)}, schema={"sample": pl.Int32}), how="cross"
    )
    phases = []
    for phase in ("prove", "verify"):
        wall = (rng.lognormal(0, 0.1, repeated.height) * 1e6).astype(np.int64)
        phases.append(
            repeated.with_columns(
                pl.lit(phase).alias("phase"),
                pl.col("sample").cast(pl.Int64).alias("instance"),
                (pl.col("sample") == 0).alias("warmup"),
                pl.Series("wall_ns", wall),
                pl.Series("user_ns", wall),
                pl.lit(0, pl.Int64).alias("system_ns"),
                pl.lit(10_000_000, pl.Int64).alias("peak_rss_bytes"),
            ).select(records.samples.columns)
        )
    return replace(records, samples=pl.concat(phases))


@pytest.mark.slow
def test_analysis_of_a_million_samples_grows_linearly_and_stays_within_two_gigabytes() -> None:
    # In a process of its own, whose memory is its own; CPU time, since others share the machine.
    source = (
        "import resource\n"
        "from tests.test_estimate import analyse_many, many_samples\n"
        "analyse_many(many_samples(5, 3))\n"  # what is loaded and compiled once
        "tenth = analyse_many(many_samples(5, 53))\n"
        "whole = analyse_many(many_samples(25, 105))\n"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        "print(*tenth, *whole, peak)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    print(ended.stderr)
    tenth, tenth_seconds, whole, whole_seconds, peak_bytes = map(float, ended.stdout.split())
    assert tenth >= 100_000
    assert whole >= 1_000_000
    assert peak_bytes < 2e9
    assert whole_seconds <= 15 * tenth_seconds
    assert whole_seconds < 15


def analyse_many(records: Records) -> tuple[int, float]:
    """The whole analysis and a bootstrap of every metric: samples, and CPU seconds taken."""
    wall, cpu = time.monotonic(), time.process_time()
    tables = analyse(records)
    values = invocation_values(records).sort("configuration", "metric", "invocation")
    matrix = values["value"].to_numpy().reshape(-1, 12)
    low, high = bca_mean(np.log(matrix))
    assert not np.isnan(low + high).any()
    took, spent = time.monotonic() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{records.samples.height} samples: {took:.1f} s, {spent:.1f} s of CPU time, {peak:.2f} GB,"
        f" {len(tables['ratios'])} ratios, {len(low) * RESAMPLES} resamples",
        file=sys.stderr,
    )
    return records.samples.height, spent
