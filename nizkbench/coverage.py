"""How often each interval estimator really contains what it estimates, by simulation.

Every estimator is given many repetitions of an experiment whose truth is known, at the numbers of
invocations that profiles ask for, and times of the kinds that measuring gives. The table depends on
nothing measured, so it is made once for all runs.

The distributions are of one invocation's value, in arbitrary units; what is drawn is what a
benchmark meets: noise that multiplies, processes that a neighbour disturbed from start to end,
proof of work (one sample an invocation, the worst case), and two modes, as memory layouts and
clock frequencies make them.

A run does not choose its number of invocations beforehand: a configuration ends once its interval
is narrow enough, and a narrow interval is more often one that has seen too little. The geometric
mean, whose interval decides, is therefore simulated with that rule as well.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from nizkbench.distributions import share_interval, t_quantile
from nizkbench.grinding import cost_per_attempt
from nizkbench.intervals import (
    ESTIMATORS,
    GEOMETRIC_MEAN,
    LEVEL,
    MEDIAN,
    Bounds,
    Floats,
    generator,
    geometric_mean,
    student_t,
)
from nizkbench.ratios import PAIRED
from nizkbench.scaling import BLOCKWISE, slopes

#: Invocations of a configuration, and among them those that the standard profile may end with.
INVOCATIONS = (5, 8, 9, 10, 12, 20, 30)
STANDARD = (8, 9, 10)

#: Pairs of processes over which the cost of the harness is compared.
HARNESS_PAIRS = 15

#: The relative half-width at which the standard profile ends a configuration early.
TARGET = 0.03

#: What the distribution of a simulation is called whose invocations the stop rule has numbered.
STOPPED = f"stopped at {min(STANDARD)} to {max(STANDARD)}"

#: What an interval of nominal 95 % must reach, or its limit is stated.
ACCEPTED = (0.92, 0.98)

REPETITIONS = 4000

#: Draws from which a distribution's own mean and median are taken: their error is a thousandth of
#: the narrowest interval's width.
_TRUTH = 4_000_000

#: What the cost of the harness is.
HARNESS_STATISTIC = "median of ratios"

JACKKNIFE = "jackknife over invocations"

#: Passed over: each takes as independent what is not.
WELCH = "Welch's t on logarithms"
POOLED = "least squares over invocations"
PER_SAMPLE = "least squares over samples"

#: The estimators that the analysis uses, by name and statistic.
USED = frozenset(
    {
        (GEOMETRIC_MEAN.name, GEOMETRIC_MEAN.statistic),
        (MEDIAN.name, MEDIAN.statistic),
        (MEDIAN.name, HARNESS_STATISTIC),
        (PAIRED, "ratio"),
        (PAIRED, "change of a ratio"),
        (BLOCKWISE, "scaling exponent"),
        (JACKKNIFE, "cost per attempt"),
    }
)

SCHEMA = pl.Schema(
    {
        "estimator": pl.String,
        "statistic": pl.String,
        "distribution": pl.String,
        "invocations": pl.Int32,
        "nominal": pl.Float64,
        "coverage": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "repetitions": pl.Int32,
        "width": pl.Float64,
        "used": pl.Boolean,
        "within": pl.Boolean,
        "limit": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution of positive values by the name it has in the table."""

    name: str
    draw: Callable[[np.random.Generator, tuple[int, ...]], Floats]


def _log_normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return np.asarray(rng.lognormal(0.0, 0.05, shape))


def _disturbed(
    slowdown: float, share: float = 0.1
) -> Callable[[np.random.Generator, tuple[int, ...]], Floats]:
    """Log-normal with σ = 3 %; a `share` is slower by an exponential amount of mean `slowdown`."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        hit = rng.random(shape) < share
        slower = 1 + np.where(hit, rng.exponential(slowdown, shape), 0.0)
        return np.asarray(rng.lognormal(0.0, 0.03, shape) * slower)

    return draw


def _shifted_exponential(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return np.asarray(1.0 + rng.exponential(1.0, shape))


def _bimodal(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    slow = rng.random(shape) < 0.3
    return np.asarray(rng.lognormal(0.0, 0.01, shape) * np.where(slow, 1.1, 1.0))


DISTRIBUTIONS = (
    Distribution("log-normal", _log_normal),
    Distribution("noisy neighbour, mild", _disturbed(0.10)),
    Distribution("noisy neighbour, frequent", _disturbed(0.10, share=0.2)),
    Distribution("noisy neighbour, severe", _disturbed(0.25)),
    Distribution("shifted exponential", _shifted_exponential),
    Distribution("bimodal", _bimodal),
)


def coverage(
    invocations: tuple[int, ...] = INVOCATIONS, repetitions: int = REPETITIONS
) -> pl.DataFrame:
    """The coverage of every estimator; one row an estimator, distribution and n.

    Columns: estimator, statistic, distribution, invocations, nominal, coverage, low, high (Clopper
    and Pearson's interval of the simulation), repetitions, width (median of high − low, relative to
    the truth where the statistic is a mean, median, ratio or cost), used (by the analysis), within
    (`ACCEPTED`), limit (a sentence where a used estimator is not within, else null).

    Rows whose distribution ends in `STOPPED` follow the stop rule of the standard profile, whatever
    `invocations` are; theirs is the greatest number that the rule allows. The rows of
    `HARNESS_STATISTIC` have `HARNESS_PAIRS`, whatever `invocations` are.
    """
    rows = [
        _row(case, repetitions)
        for simulated in (_locations, _ratios, _changes, _exponents, _costs)
        for n in invocations
        for case in simulated(n, repetitions)
    ]
    rows += [
        _row(case, repetitions)
        for simulated in (_stopped, _harness)
        for case in simulated(repetitions)
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def reported(simulated: pl.DataFrame) -> pl.DataFrame:
    """The rows with as many invocations, or pairs, as what is published may rest on."""
    return simulated.filter(
        pl.col("invocations").is_in(STANDARD) | (pl.col("statistic") == HARNESS_STATISTIC)
    )


@dataclass(frozen=True, slots=True)
class _Case:
    """An estimator's intervals in all repetitions, the truth, and what a width is relative to."""

    estimator: str
    statistic: str
    distribution: str
    invocations: int
    truth: float
    bounds: Bounds
    scale: float


def _row(case: _Case, repetitions: int) -> dict[str, Any]:
    low, high = case.bounds
    hits = int(((low <= case.truth) & (case.truth <= high)).sum())
    least, most = share_interval(hits, repetitions, LEVEL)
    share = hits / repetitions
    used = (case.estimator, case.statistic) in USED
    within = ACCEPTED[0] <= share <= ACCEPTED[1]
    limit = None
    if used and not within:
        ruled = case.distribution.endswith(STOPPED)
        number = f"{min(STANDARD)} to {max(STANDARD)}" if ruled else str(case.invocations)
        limit = (
            f"covers {share:.1%} at {number} invocations, outside"
            f" {ACCEPTED[0]:.0%} to {ACCEPTED[1]:.0%}"
        )
    return {
        "estimator": case.estimator,
        "statistic": case.statistic,
        "distribution": case.distribution,
        "invocations": case.invocations,
        "nominal": LEVEL,
        "coverage": share,
        "low": least,
        "high": most,
        "repetitions": repetitions,
        "width": float(np.median(high - low)) / case.scale,
        "used": used,
        "within": within,
        "limit": limit,
    }


@lru_cache
def _truths(distribution: Distribution) -> dict[str, float]:
    values = distribution.draw(generator("truth", distribution.name), (_TRUTH,))
    return {
        "geometric mean": float(np.exp(np.log(values).mean())),
        "median": float(np.median(values)),
    }


def _locations(n: int, repetitions: int) -> Iterator[_Case]:
    """Geometric mean and median of one configuration.

    What was passed over is simulated only where the standard profile may end: bootstraps take long.
    """
    for distribution in DISTRIBUTIONS:
        truths = _truths(distribution)
        values = distribution.draw(generator("location", distribution.name, n), (repetitions, n))
        for estimator in ESTIMATORS:
            if n not in STANDARD and (estimator.name, estimator.statistic) not in USED:
                continue
            truth = truths[estimator.statistic]
            yield _Case(
                estimator.name,
                estimator.statistic,
                distribution.name,
                n,
                truth,
                estimator.bounds(values, LEVEL),
                truth,
            )


def _stopped(repetitions: int) -> Iterator[_Case]:
    """Geometric mean of one configuration that ends as soon as its interval reaches `TARGET`."""
    most = max(STANDARD)
    for distribution in DISTRIBUTIONS:
        truth = _truths(distribution)[GEOMETRIC_MEAN.statistic]
        # The draws of `_locations` at as many invocations: only the rule makes a difference.
        rng = generator("location", distribution.name, most)
        values = distribution.draw(rng, (repetitions, most))
        low, high = np.empty(repetitions), np.empty(repetitions)
        going = np.ones(repetitions, dtype=np.bool_)
        for n in STANDARD:
            bounds = GEOMETRIC_MEAN.bounds(values[going, :n], LEVEL)
            low[going], high[going] = bounds
            wide = bounds[1] / geometric_mean(values[going, :n]) - 1 > TARGET
            going[going] = wide
        yield _Case(
            GEOMETRIC_MEAN.name,
            GEOMETRIC_MEAN.statistic,
            f"{distribution.name}, {STOPPED}",
            most,
            truth,
            (low, high),
            truth,
        )


def _ratios(n: int, repetitions: int) -> Iterator[_Case]:
    """Ratio of two configurations, the lower one log-normal, with and without shared block noise.

    What a block shares multiplies both: log-normal with σ = 5 %.
    """
    for distribution in DISTRIBUTIONS:
        for shared, words in ((0.05, "blocks share noise"), (0.0, "blocks share nothing")):
            rng = generator("ratio", distribution.name, words, n)
            shape = (repetitions, n)
            block = rng.normal(0.0, 1.0, shape) * shared
            above = np.log(distribution.draw(rng, shape)) + block
            below = np.log(_log_normal(rng, shape)) + block
            truth = _truths(distribution)["geometric mean"]
            for name, (low, high) in (
                (PAIRED, student_t(above - below, LEVEL)),
                (WELCH, _welch_t(above, below)),
            ):
                yield _Case(
                    name,
                    "ratio",
                    f"{distribution.name}, {words}",
                    n,
                    truth,
                    (np.exp(low), np.exp(high)),
                    truth,
                )


def _welch_t(above: Floats, below: Floats) -> Bounds:
    """Welch's t interval of the difference of the means of each row of two independent samples.

    Both have the same shape.
    """
    n = above.shape[1]
    one, other = above.var(axis=1, ddof=1) / n, below.var(axis=1, ddof=1) / n
    freedom = (one + other) ** 2 / ((one**2 + other**2) / (n - 1))
    reach = t_quantile((1 + LEVEL) / 2, freedom) * np.sqrt(one + other)
    difference = above.mean(axis=1) - below.mean(axis=1)
    return difference - reach, difference + reach


def _changes(n: int, repetitions: int) -> Iterator[_Case]:
    """How a ratio of two configurations changes from one size to another; blocks share noise.

    A block has all four, of which the two numerators have the distribution that is named.
    """
    for distribution in DISTRIBUTIONS:
        rng = generator("change of a ratio", distribution.name, n)
        shape = (2, repetitions, n)
        block = rng.normal(0.0, 1.0, shape[1:]) * 0.05
        above = np.log(distribution.draw(rng, shape)) + block
        below = np.log(_log_normal(rng, shape)) + block
        first, last = above - below
        low, high = student_t(last - first, LEVEL)
        yield _Case(
            PAIRED,
            "change of a ratio",
            distribution.name,
            n,
            1.0,
            (np.exp(low), np.exp(high)),
            1.0,
        )


def _harness(repetitions: int) -> Iterator[_Case]:
    """Median of the ratios of paired processes, the lower one log-normal.

    What a pair shares multiplies both and falls out of its ratio, so there is none here.
    """

    def ratios(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return np.asarray(distribution.draw(rng, shape) / _log_normal(rng, shape))

    for distribution in DISTRIBUTIONS:
        truth = float(np.median(ratios(generator("truth of ratios", distribution.name), (_TRUTH,))))
        rng = generator("harness", distribution.name)
        yield _Case(
            MEDIAN.name,
            HARNESS_STATISTIC,
            f"{distribution.name}, {HARNESS_PAIRS} pairs",
            HARNESS_PAIRS,
            truth,
            MEDIAN.bounds(ratios(rng, (repetitions, HARNESS_PAIRS)), LEVEL),
            truth,
        )


def _exponents(n: int, repetitions: int) -> Iterator[_Case]:
    """Exponent over the five sizes of the standard profile, measured in blocks that share noise.

    Once of an exact power law, once of a fixed cost beside a linear one, which is none.
    """
    sizes = np.array([16.0, 64.0, 256.0, 1024.0, 4096.0])
    for law, growth in (("power law", sizes), ("fixed cost + linear", 1 + sizes / 256)):
        for distribution in DISTRIBUTIONS:
            name = f"{law}, {distribution.name}"
            rng = generator("exponent", name, n)
            noise = distribution.draw(rng, (repetitions, n, len(sizes)))
            noise *= np.exp(rng.normal(0.0, 0.05, (repetitions, n, 1)))
            values = growth * noise
            # The noise is alike at every size, so the line through the expected logarithms has the
            # slope of the growth itself.
            truth = float(slopes(sizes, growth[None, :])[0])
            of_blocks = slopes(sizes, values)
            for estimator, bounds in (
                (BLOCKWISE, student_t(of_blocks, LEVEL)),
                (POOLED, _pooled_slopes(sizes, np.log(values))),
            ):
                yield _Case(estimator, "scaling exponent", name, n, truth, bounds, 1.0)


def _pooled_slopes(sizes: Floats, logarithms: Floats) -> Bounds:
    """The usual interval of a slope, all invocations taken as independent; a repetition each."""
    repetitions, n, points = logarithms.shape
    x = np.tile(np.log(sizes) - np.log(sizes).mean(), n)
    y = logarithms.reshape(repetitions, n * points)
    y = y - y.mean(axis=1, keepdims=True)
    slope = (y * x).sum(axis=1) / (x**2).sum()
    freedom = n * points - 2
    residual = ((y - slope[:, None] * x) ** 2).sum(axis=1) / freedom
    reach = t_quantile((1 + LEVEL) / 2, freedom) * np.sqrt(residual / (x**2).sum())
    return slope - reach, slope + reach


def _costs(n: int, repetitions: int) -> Iterator[_Case]:
    """Cost of a proof-of-work attempt: 16 bits, 60 ns an attempt, eight proofs of 5 ms at 1 %.

    Invocations differ in speed by σ = 5 %, in the proof as in the attempts.
    """
    samples, cost, rest = 8, 60.0, 5e6
    rng = generator("cost", n)
    attempts = rng.geometric(2.0**-16, (repetitions, n, samples)).astype(np.float64)
    speed = np.exp(rng.normal(0.0, 0.05, (repetitions, n, 1)))
    noise = np.exp(rng.normal(0.0, 0.01, (repetitions, n, samples)))
    wall = (rest + cost * attempts) * speed * noise
    invocation = np.repeat(np.arange(n), samples)
    # Speed multiplies the cost and its mean is not 1.
    truth = cost * math.exp(0.05**2 / 2)
    clustered, pooled = np.empty((repetitions, 2)), np.empty((repetitions, 2))
    x, y = attempts.reshape(repetitions, -1), wall.reshape(repetitions, -1)
    for i in range(repetitions):
        found = cost_per_attempt(invocation, x[i], y[i])
        clustered[i] = (math.nan, math.nan) if found is None else found[1:]
    dx = x - x.mean(axis=1, keepdims=True)
    dy = y - y.mean(axis=1, keepdims=True)
    slope = (dx * dy).sum(axis=1) / (dx**2).sum(axis=1)
    freedom = n * samples - 2
    residual = ((dy - slope[:, None] * dx) ** 2).sum(axis=1) / freedom
    reach = t_quantile((1 + LEVEL) / 2, freedom) * np.sqrt(residual / (dx**2).sum(axis=1))
    pooled[:, 0], pooled[:, 1] = slope - reach, slope + reach
    for name, bounds in ((JACKKNIFE, clustered), (PER_SAMPLE, pooled)):
        yield _Case(
            name,
            "cost per attempt",
            "geometric attempts",
            n,
            truth,
            (bounds[:, 0], bounds[:, 1]),
            truth,
        )
