"""Interval estimators: what they promise for any values at all."""

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nizkbench.intervals import (
    ESTIMATORS,
    GEOMETRIC_MEAN,
    LEVEL,
    MEDIAN,
    Bounds,
    Estimator,
    Floats,
    attained_level,
    bca_mean,
    generator,
    geometric_mean,
    interpolated_median,
    percentile_mean,
    percentile_median,
    relative_half_width,
    student_t,
    studentised_mean,
)

TIMES = st.lists(st.floats(1e3, 1e12), min_size=5, max_size=30, unique=True)
BY_NAME = pytest.mark.parametrize(
    "estimator", ESTIMATORS, ids=lambda one: f"{one.name}, {one.statistic}"
)
FEW = settings(max_examples=40, deadline=None)


def point(estimator: Estimator, values: Floats) -> float:
    if estimator.statistic == "median":
        return float(np.median(values))
    return float(geometric_mean(values)[0])


@BY_NAME
@FEW
@given(TIMES)
def test_interval_lies_inside_the_range_or_around_the_estimate(
    estimator: Estimator, times: list[float]
) -> None:
    values = np.array([times])
    low, high = estimator.bounds(values, LEVEL)
    assert low[0] <= high[0]
    if estimator in (GEOMETRIC_MEAN, MEDIAN):
        value = point(estimator, values)
        assert low[0] <= value * (1 + 1e-12)
        assert value * (1 - 1e-12) <= high[0]


@BY_NAME
@FEW
@given(TIMES, st.floats(1e-6, 1e6))
def test_another_unit_of_time_changes_nothing_but_the_unit(
    estimator: Estimator, times: list[float], factor: float
) -> None:
    # A bootstrap ranks resamples whose statistics may tie but for the last bit, hence the width.
    values = np.array([times])
    low, high = estimator.bounds(values, LEVEL)
    scaled_low, scaled_high = estimator.bounds(values * factor, LEVEL)
    close = 1e-6 * max(1.0, math.log(max(times) / min(times)))
    assert math.log(scaled_low[0] / low[0] / factor) == pytest.approx(0, abs=close)
    assert math.log(scaled_high[0] / high[0] / factor) == pytest.approx(0, abs=close)


@BY_NAME
@FEW
@given(st.data(), TIMES)
def test_order_of_invocations_does_not_matter(
    estimator: Estimator, data: st.DataObject, times: list[float]
) -> None:
    shuffled = data.draw(st.permutations(times))
    one = estimator.bounds(np.array([times]), LEVEL)
    other = estimator.bounds(np.array([shuffled]), LEVEL)
    assert (one[0][0], one[1][0]) == (other[0][0], other[1][0])


@BY_NAME
def test_equal_values_have_an_interval_without_width(estimator: Estimator) -> None:
    low, high = estimator.bounds(np.full((3, 10), 7.0), LEVEL)
    assert low == pytest.approx(7.0)
    assert high == pytest.approx(7.0)


@BY_NAME
def test_rows_do_not_influence_each_other(estimator: Estimator) -> None:
    values = generator("test", "rows").lognormal(0, 0.3, (50, 11))
    together = estimator.bounds(values, LEVEL)
    alone = estimator.bounds(values[17:18], LEVEL)
    assert together[0][17] == pytest.approx(alone[0][0], rel=1e-12)
    assert together[1][17] == pytest.approx(alone[1][0], rel=1e-12)


@given(TIMES, st.floats(0.5, 0.94))
def test_interval_of_a_lower_level_is_inside(times: list[float], level: float) -> None:
    values = np.array([times])
    for estimator in (GEOMETRIC_MEAN, MEDIAN):
        wide, narrow = estimator.bounds(values, LEVEL), estimator.bounds(values, level)
        assert wide[0][0] <= narrow[0][0] * (1 + 1e-12)
        assert narrow[1][0] <= wide[1][0] * (1 + 1e-12)


def test_student_t_is_that_of_scipy() -> None:
    values = generator("test", "t").normal(0, 1, (20, 12))
    low, high = student_t(values, LEVEL)
    for row, below, above in zip(values, low, high, strict=True):
        known = stats.ttest_1samp(row, 0).confidence_interval(LEVEL)
        assert (below, above) == pytest.approx((known.low, known.high))


@pytest.mark.parametrize(
    ("method", "ours"),
    [("BCa", bca_mean), ("percentile", percentile_mean)],
)
def test_bootstraps_of_the_mean_are_those_of_scipy(
    method: Literal["BCa", "percentile"], ours: Callable[[Floats, float], Bounds]
) -> None:
    row = generator("test", "bootstrap").exponential(1, 12)
    low, high = ours(row[None, :], LEVEL)
    known = scipy_bootstrap(row, np.mean, method)
    # Two bootstraps of one sample differ by their resamples: a few percent of the width.
    room = 0.08 * (known[1] - known[0])
    assert (low[0], high[0]) == pytest.approx(known, abs=room)


def scipy_bootstrap(
    row: Floats, statistic: Callable[..., Any], method: Literal["BCa", "percentile"]
) -> tuple[float, float]:
    rng = np.random.default_rng(5)
    found = stats.bootstrap([row.tolist()], statistic, n_resamples=50_000, method=method, rng=rng)
    interval = found.confidence_interval
    return float(interval.low), float(interval.high)


def test_bootstrap_of_the_median_is_that_of_scipy() -> None:
    row = generator("test", "median").exponential(1, 15)
    low, high = percentile_median(row[None, :], LEVEL)
    known = scipy_bootstrap(row, np.median, "percentile")
    assert (low[0], high[0]) == pytest.approx(known)


def test_studentised_interval_leans_to_the_long_tail() -> None:
    row = np.sort(generator("test", "tail").exponential(1, 15))[None, :]
    low, high = studentised_mean(row, LEVEL)
    assert high[0] - row.mean() > row.mean() - low[0]


def test_median_interval_has_the_level_between_its_order_statistics() -> None:
    # At ten values the pair of the second smallest and greatest has 97.9 %, the third 89.1 %.
    values = np.arange(1.0, 11.0)[None, :]
    low, high = interpolated_median(values, 0.95)
    assert 2 < low[0] < 3
    assert 8 < high[0] < 9
    assert low[0] + high[0] == pytest.approx(11)


def test_median_of_few_values_admits_the_level_it_attains() -> None:
    assert attained_level(5) == pytest.approx(0.9375)
    assert attained_level(10) == LEVEL
    low, high = interpolated_median(np.arange(1.0, 6.0)[None, :], LEVEL)
    assert (low[0], high[0]) == (1, 5)


def test_stop_rule_never_ends_on_one_invocation() -> None:
    assert relative_half_width([]) == math.inf
    assert relative_half_width([1e6]) == math.inf
    assert relative_half_width([1e6, 1e6]) == pytest.approx(0)


@given(TIMES)
def test_half_width_of_the_stop_rule_is_that_of_the_estimate(times: list[float]) -> None:
    values = np.array([times])
    low, high = GEOMETRIC_MEAN.bounds(values, LEVEL)
    centre = geometric_mean(values)[0]
    width = relative_half_width(times)
    assert width == pytest.approx(high[0] / centre - 1)
    assert width >= (1 - low[0] / centre) * (1 - 1e-9)
