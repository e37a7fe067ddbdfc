"""Coverage: the intervals in use contain the truth as often as they say, where they can."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

from nizkbench.coverage import (
    ACCEPTED,
    HARNESS_PAIRS,
    HARNESS_STATISTIC,
    JACKKNIFE,
    STANDARD,
    STOPPED,
    TARGET,
    USED,
    _welch_t,
    coverage,
    reported,
)
from nizkbench.intervals import LEVEL


@pytest.fixture(scope="module")
def simulated() -> pl.DataFrame:
    return coverage(invocations=(8, 10), repetitions=1500)


#: What no interval of a geometric mean covers at so few invocations, as the paper says: if one in
#: ten processes is slowed by a quarter, a third of all runs never sees what they estimate, and if
#: one in five is slowed by a tenth most runs see too few of them.
BEYOND = pl.col("distribution").str.contains("noisy neighbour, (severe|frequent)")


@pytest.mark.slow
def test_intervals_in_use_cover_as_nominal_at_the_standard_number_of_invocations(
    simulated: pl.DataFrame,
) -> None:
    medians = pl.col("statistic").is_in(["median", HARNESS_STATISTIC])
    used = simulated.filter(pl.col("used") & ~(BEYOND & ~medians))
    least, greatest = ACCEPTED
    # Where the simulation's own interval excludes 92 to 98 %.
    outside = used.filter((pl.col("high") < least) | (pl.col("low") > greatest))
    assert outside.is_empty(), outside


@pytest.mark.slow
def test_rejected_estimators_are_rejected_for_a_reason(simulated: pl.DataFrame) -> None:
    for estimator, statistic in (
        ("percentile bootstrap", "geometric mean"),
        ("BCa bootstrap", "geometric mean"),
        ("Welch's t on logarithms", "ratio"),
        ("least squares over invocations", "scaling exponent"),
        ("least squares over samples", "cost per attempt"),
    ):
        rows = simulated.filter(
            (pl.col("estimator") == estimator) & (pl.col("statistic") == statistic) & ~BEYOND
        )
        assert not rows["within"].all(), f"{estimator} of the {statistic} covers after all"


@pytest.mark.slow
def test_studentised_bootstrap_is_wider_for_no_more_coverage_than_nominal(
    simulated: pl.DataFrame,
) -> None:
    # The stop rule is simulated with what is used alone.
    fixed = ~pl.col("distribution").str.ends_with(STOPPED)
    rows = simulated.filter((pl.col("statistic") == "geometric mean") & ~BEYOND & fixed)
    width = {
        name: float(rows.filter(pl.col("estimator") == name)["width"].sum())
        for name in ("studentised bootstrap", "Student's t on logarithms")
    }
    assert width["studentised bootstrap"] > 1.05 * width["Student's t on logarithms"]


@pytest.mark.slow
def test_ending_on_a_narrow_interval_costs_coverage_but_only_where_times_can_look_calm(
    simulated: pl.DataFrame,
) -> None:
    stops = pl.col("distribution").str.ends_with(STOPPED)
    mean = simulated.filter(pl.col("used") & (pl.col("statistic") == "geometric mean"))
    fixed = mean.filter((pl.col("invocations") == max(STANDARD)) & ~stops).with_columns(
        pl.col("distribution") + f", {STOPPED}"
    )
    both = mean.filter(stops).join(fixed, on="distribution", suffix="_fixed", how="left")
    assert both.height == both["coverage_fixed"].len() == 6
    lost = {
        row["distribution"]: row["coverage_fixed"] - row["coverage"]
        for row in both.iter_rows(named=True)
    }
    # Its interval is never as narrow as the target, so that the rule has nothing to decide.
    assert lost[f"shifted exponential, {STOPPED}"] == 0
    assert max(lost.values()) > 0
    assert max(lost.values()) < 0.03


@pytest.mark.slow
def test_every_limit_is_stated_and_only_for_what_is_used(simulated: pl.DataFrame) -> None:
    stated = pl.col("limit").is_not_null()
    assert simulated.filter(stated != (pl.col("used") & ~pl.col("within"))).is_empty()
    assert simulated.filter(stated & ~pl.col("used")).is_empty()
    assert not simulated.filter(stated & BEYOND).is_empty()


def test_every_estimator_in_use_is_simulated_at_what_results_rest_on() -> None:
    rows = reported(coverage((5, *STANDARD), 40)).filter("used")
    assert set(rows.select("estimator", "statistic").iter_rows()) == USED
    for (statistic,), group in rows.group_by("statistic"):
        numbers = {HARNESS_PAIRS} if statistic == HARNESS_STATISTIC else set(STANDARD)
        assert set(group["invocations"].to_list()) == numbers, statistic


def test_every_interval_of_a_run_is_of_an_estimator_whose_coverage_is_simulated() -> None:
    from tests.synthetic_results import synthetic_results

    results = synthetic_results(blocks=8)
    methods = {
        *results.estimates.filter(pl.col("low").is_not_null())["method"].to_list(),
        *results.ratios.filter(pl.col("low").is_not_null())["method"].to_list(),
        *results.scaling.filter(pl.col("low").is_not_null())["method"].to_list(),
    }
    assert methods == {"exact", *(name for name, _ in USED)} - {JACKKNIFE}


def test_harness_is_compared_over_the_number_of_pairs_that_was_simulated() -> None:
    import inspect

    from nizkbench.cli.overhead import overhead

    assert inspect.signature(overhead).parameters["repeat"].default == HARNESS_PAIRS


def test_welchs_interval_is_that_of_scipy() -> None:
    rng = np.random.default_rng(1)
    above, below = rng.normal(1, 0.3, (20, 8)), rng.normal(1, 0.1, (20, 8))
    found = stats.ttest_ind(above, below, axis=1, equal_var=False).confidence_interval(LEVEL)
    low, high = _welch_t(above, below)
    assert low == pytest.approx(found.low)
    assert high == pytest.approx(found.high)


def test_simulation_is_the_same_every_time() -> None:
    assert_frame_equal(coverage((5,), 40), coverage((5,), 40))


def test_standard_profile_stays_where_coverage_was_simulated() -> None:
    from nizkbench.profile import read_profile

    blocks = read_profile("standard").mimc.blocks
    assert (blocks.minimum, blocks.maximum) == (min(STANDARD), max(STANDARD))
    assert list(range(blocks.minimum, blocks.maximum + 1)) == list(STANDARD)
    assert blocks.target_half_width == TARGET


def test_sentence_on_coverage_counts_the_invocations_of_the_standard_profile() -> None:
    from dataclasses import replace

    from nizkbench.findings import coverage as sentence
    from nizkbench.findings import coverage_limits
    from tests.synthetic_results import synthetic_results

    simulated = coverage((5, *STANDARD, 12), 40)
    results = replace(synthetic_results(), coverage=simulated)
    used = reported(simulated).filter("used")
    said = sentence(results)
    assert f"at {min(STANDARD)} to {max(STANDARD)} invocations" in said
    assert f"{used['within'].sum()} of {used.height} cases" in said
    lowest = min(used["coverage"].to_list())
    assert f"lowest coverage is {100 * lowest:.1f}\u202f%" in said
    elsewhere = simulated.with_columns(
        pl.when(pl.col("invocations").is_in(STANDARD) | (pl.col("statistic") == HARNESS_STATISTIC))
        .then("coverage")
        .otherwise(0.0)
    )
    assert sentence(replace(results, coverage=elsewhere)) == said
    assert coverage_limits(replace(results, coverage=elsewhere)) == coverage_limits(results)
