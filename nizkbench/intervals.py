"""Confidence intervals for a location, for many groups of few values at once.

Every function here takes a matrix with one group a row and one invocation a column, and gives the
lower and the upper bound of each row. Those of a mean work on whatever scale they are given: the
geometric mean of times is the mean of their logarithms.

`nizkbench.coverage` simulates how often each of them really contains what it estimates. What that
decided, and what the analysis uses, is `GEOMETRIC_MEAN` (Student's t on logarithms) and `MEDIAN`
(interpolated order statistics). Where one process in ten is slowed by a quarter, no interval of the
geometric mean covers at ten invocations, since a third of all runs never sees what they estimate;
that of the median does. The others are kept to show why they were passed over:

- *BCa* and *percentile* bootstrap (Efron 1987, doi:10.1080/01621459.1987.10478410) cover 90 to 91 %
  at eight to ten log-normal invocations: the resampled variance is (n − 1)/n of the sample's, and
  no quantile of the resamples makes up for it (Hesterberg 2015, doi:10.1080/00031305.2015.1089789).
- The *expanded percentile* bootstrap (the same, section 5.3) mends that, but stays narrow at five
  invocations and where a tail is mildly long, and has no test that belongs to it.
- The *studentised* bootstrap (Hall 1988, doi:10.1214/aos/1176350933) covers too often where times
  have two modes, at several times the width below ten invocations, and gains nothing that is worth
  it where a tail is long.
- The *order statistic* interval of the median (Hahn and Meeker, Statistical Intervals, 1991,
  section 5.2) always covers, but its level jumps from one pair of ranks to the
  next: 99 % at eleven.
- The bootstraps of the median take few distinct values and cover a little less than interpolation
  between order statistics does, which needs no resampling.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from nizkbench.distributions import fair_coin, t_quantile

Floats = NDArray[np.float64]
Bounds = tuple[Floats, Floats]

#: The nominal level of every interval of the analysis.
LEVEL = 0.95

#: Resamples of every bootstrap; at 1999 the 2.5 % quantile is one of the resampled values.
RESAMPLES = 1999

#: Values of one block of resampled statistics, so that memory stays bounded (16 MB a matrix).
_BLOCK = 2_000_000


@dataclass(frozen=True, slots=True)
class Estimator:
    """An interval by the name it has in every table, what it is of, and how it is obtained.

    `bounds` takes positive values, one group a row, and a level.
    """

    name: str
    statistic: str
    bounds: Callable[[Floats, float], Bounds]


def generator(*name: object) -> np.random.Generator:
    """A random generator that depends on its name alone: a second analysis draws the same."""
    text = "/".join(["nizk-bench", *map(str, name)])
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16]))


@lru_cache(maxsize=256)
def _resample_counts(n: int, resamples: int) -> Floats:
    """How often each of `n` sorted values stands in each resample; shape (n, resamples)."""
    rng = generator("bootstrap", n, resamples)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=resamples).T
    return np.ascontiguousarray(counts, dtype=np.float64)


def _blocks(rows: int, resamples: int) -> list[slice]:
    step = max(1, _BLOCK // resamples)
    return [slice(start, start + step) for start in range(0, rows, step)]


def _in_blocks(values: Floats, one: Callable[[Floats], Bounds], resamples: int) -> Bounds:
    """Apply `one` to some rows at a time, each row sorted, so that no order of rows matters."""
    ordered = np.sort(values, axis=1)
    low, high = np.empty(len(ordered)), np.empty(len(ordered))
    for rows in _blocks(len(ordered), resamples):
        low[rows], high[rows] = one(ordered[rows])
    return low, high


def _quantiles(resampled: Floats, probabilities: Floats) -> Floats:
    """The quantile of each row at that row's probability, between neighbours linear.

    `resampled` has shape (rows, resamples), `probabilities` (rows,); definition 6 of Hyndman and
    Fan (1996, doi:10.1080/00031305.1996.10473566), at which p·(B + 1) is a rank.
    """
    count = resampled.shape[1]
    position = np.clip(probabilities * (count + 1) - 1, 0, count - 1)
    below = np.floor(position).astype(np.int64)
    above = np.minimum(below + 1, count - 1)
    rows = np.arange(len(resampled))
    left, right = resampled[rows, below], resampled[rows, above]
    return np.asarray(left + (position - below) * (right - left))


# ── The mean ──────────────────────────────────────────────────────────────────────────────────────


def student_t(values: Floats, level: float = LEVEL) -> Bounds:
    """Student's t interval of the mean of each row; NaN for a row of one value."""
    n = values.shape[1]
    if n < 2:
        return np.full(len(values), math.nan), np.full(len(values), math.nan)
    ordered = np.sort(values, axis=1)  # the sum must not depend on the order of the invocations
    centre = ordered.mean(axis=1)
    reach = t_quantile((1 + level) / 2, n - 1) * ordered.std(axis=1, ddof=1) / math.sqrt(n)
    return centre - reach, centre + reach


def percentile_mean(values: Floats, level: float = LEVEL) -> Bounds:
    """The percentile bootstrap interval of the mean of each row."""
    return _percentile(values, (1 - level) / 2, _resampled_means)


def expanded_percentile_mean(values: Floats, level: float = LEVEL) -> Bounds:
    """The percentile interval with its percentiles moved outwards (Hesterberg 2015, section 5.3).

    The percentiles are those at which it would agree with Student's t for normal values.
    """
    n = values.shape[1]
    reach = math.sqrt(n / (n - 1)) * t_quantile((1 + level) / 2, n - 1)
    return _percentile(values, float(special.ndtr(-reach)), _resampled_means)


def bca_mean(values: Floats, level: float = LEVEL) -> Bounds:
    """The bias-corrected and accelerated bootstrap interval of the mean of each row."""
    return _bca(values, level, _resampled_means, lambda x: x.mean(axis=1), _jackknife_means)


def studentised_mean(values: Floats, level: float = LEVEL) -> Bounds:
    """The studentised bootstrap interval of the mean of each row.

    Resamples of one repeated value have no studentised mean and are drawn again by leaving them
    out; with a row of equal values the bounds are that value.
    """
    n = values.shape[1]
    counts = _resample_counts(n, RESAMPLES)
    counts = counts[:, (counts > 0).sum(axis=0) > 1]
    tail = (1 - level) / 2

    def one(rows: Floats) -> Bounds:
        centre = rows.mean(axis=1, keepdims=True)
        deviations = rows - centre
        means = deviations @ counts / n
        variances = np.maximum(deviations**2 @ counts / n - means**2, 0.0) * n / (n - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(variances > 0, means / np.sqrt(variances / n), 0.0)
        t.sort(axis=1)
        error = deviations.std(axis=1, ddof=1) / math.sqrt(n)
        upper = _quantiles(t, np.full(len(rows), 1 - tail))
        lower = _quantiles(t, np.full(len(rows), tail))
        return centre[:, 0] - upper * error, centre[:, 0] - lower * error

    return _in_blocks(values, one, RESAMPLES)


# ── The median ────────────────────────────────────────────────────────────────────────────────────


def order_statistic_median(values: Floats, level: float = LEVEL) -> Bounds:
    """The narrowest symmetric pair of order statistics that covers the median at `level` or more.

    Where even the smallest and the greatest value do not, those two.
    """
    n = values.shape[1]
    ordered = np.sort(values, axis=1)
    rank = _rank(n, level)
    return ordered[:, rank], ordered[:, n - 1 - rank]


def interpolated_median(values: Floats, level: float = LEVEL) -> Bounds:
    """The interval between neighbouring order statistics that covers the median at about `level`.

    Hettmansperger and Sheather (1986, doi:10.1016/0167-7152(86)90021-0): with γ_d the level of the
    d-th smallest and d-th greatest value, and I = (γ_d − level)/(γ_d − γ_{d+1}), the weight of the
    (d+1)-th is λ = (n − d) I / (d + (n − 2d) I). Fewer than six values have no such pair and
    yield the smallest and the greatest, whose level is `attained_level`.
    """
    n = values.shape[1]
    ordered = np.sort(values, axis=1)
    rank = _rank(n, level)
    outer = _median_level(n, rank)
    if outer <= level or 2 * rank + 2 >= n:
        return ordered[:, rank], ordered[:, n - 1 - rank]
    d = rank + 1
    share = (outer - level) / (outer - _median_level(n, rank + 1))
    weight = (n - d) * share / (d + (n - 2 * d) * share)
    low = (1 - weight) * ordered[:, rank] + weight * ordered[:, rank + 1]
    high = (1 - weight) * ordered[:, n - 1 - rank] + weight * ordered[:, n - 2 - rank]
    return low, high


def percentile_median(values: Floats, level: float = LEVEL) -> Bounds:
    """The percentile bootstrap interval of the median of each row."""
    return _percentile(values, (1 - level) / 2, _resampled_medians)


def bca_median(values: Floats, level: float = LEVEL) -> Bounds:
    """The bias-corrected and accelerated bootstrap interval of the median of each row."""
    return _bca(
        values, level, _resampled_medians, lambda x: np.median(x, axis=1), _jackknife_medians
    )


def attained_level(n: int, level: float = LEVEL) -> float:
    """The level of `interpolated_median`: `level`, or 1 − 2^(1−n) where n values cannot have it."""
    return min(level, _median_level(n, 0))


def _median_level(n: int, rank: int) -> float:
    """The level of the pair of values that have `rank` values below and above them."""
    return 1 - 2 * fair_coin(rank, n)


def _rank(n: int, level: float) -> int:
    """The greatest rank whose pair covers the median at `level`; 0 where none does."""
    rank = 0
    while 2 * (rank + 1) < n - 1 and _median_level(n, rank + 1) >= level:
        rank += 1
    return rank


# ── What the bootstrap intervals share ────────────────────────────────────────────────────────────


def _resampled_means(ordered: Floats) -> Floats:
    n = ordered.shape[1]
    centre = ordered.mean(axis=1, keepdims=True)
    return np.asarray(centre + (ordered - centre) @ _resample_counts(n, RESAMPLES) / n)


def _resampled_medians(ordered: Floats) -> Floats:
    """Medians of the resamples: which sorted values they lie on follows from the counts alone."""
    n = ordered.shape[1]
    reached = np.cumsum(_resample_counts(n, RESAMPLES), axis=0)
    lower = (reached <= (n - 1) // 2).sum(axis=0)
    upper = (reached <= n // 2).sum(axis=0)
    return np.asarray((ordered[:, lower] + ordered[:, upper]) / 2)


def _jackknife_means(ordered: Floats) -> Floats:
    n = ordered.shape[1]
    return np.asarray((ordered.sum(axis=1, keepdims=True) - ordered) / (n - 1))


def _jackknife_medians(ordered: Floats) -> Floats:
    columns = [
        np.median(np.delete(ordered, left_out, axis=1), axis=1)
        for left_out in range(ordered.shape[1])
    ]
    return np.stack(columns, axis=1)


def _sorted_statistics(resampled: Callable[[Floats], Floats], rows: Floats) -> Floats:
    """The statistics of each row's resamples, in order; several bootstraps ask for the same."""
    return _sorted_of_bytes(resampled, rows.shape, rows.tobytes())


# As many blocks as the 4000 rows of a simulation have: what one bootstrap leaves for the next.
@lru_cache(maxsize=4)
def _sorted_of_bytes(
    resampled: Callable[[Floats], Floats], shape: tuple[int, ...], content: bytes
) -> Floats:
    found = np.sort(resampled(np.frombuffer(content).reshape(shape)), axis=1)
    found.flags.writeable = False
    return found


def _percentile(values: Floats, tail: float, resampled: Callable[[Floats], Floats]) -> Bounds:
    def one(rows: Floats) -> Bounds:
        statistics = _sorted_statistics(resampled, rows)
        ends = np.full(len(rows), tail)
        return _quantiles(statistics, ends), _quantiles(statistics, 1 - ends)

    return _in_blocks(values, one, RESAMPLES)


def _bca(
    values: Floats,
    level: float,
    resampled: Callable[[Floats], Floats],
    statistic: Callable[[Floats], Floats],
    jackknife: Callable[[Floats], Floats],
) -> Bounds:
    """Efron's BCa interval; where bias or acceleration is undefined, the percentile interval."""

    def one(rows: Floats) -> Bounds:
        statistics = _sorted_statistics(resampled, rows)
        observed = statistic(rows)[:, None]
        # Resamples that tie with the observed statistic may differ from it in the last bits.
        tie = 1e-9 * rows.std(axis=1, keepdims=True)
        below = (statistics < observed - tie).mean(axis=1)
        at = (np.abs(statistics - observed) <= tie).mean(axis=1)
        bias = special.ndtri(below + at / 2)
        left_out = jackknife(rows)
        influence = left_out.mean(axis=1, keepdims=True) - left_out
        squares = (influence**2).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            acceleration = (influence**3).sum(axis=1) / (6 * squares**1.5)
            defined = np.isfinite(bias) & np.isfinite(acceleration)
            bounds = []
            for tail in ((1 - level) / 2, (1 + level) / 2):
                z = bias + special.ndtri(tail)
                moved = special.ndtr(bias + z / (1 - acceleration * z))
                probability = np.where(defined & np.isfinite(moved), moved, tail)
                bounds.append(_quantiles(statistics, probability))
        return bounds[0], bounds[1]

    return _in_blocks(values, one, RESAMPLES)


# ── What the analysis uses, and what was passed over ──────────────────────────────────────────────


def _on_logarithms(bounds: Callable[[Floats, float], Bounds]) -> Callable[[Floats, float], Bounds]:
    """The interval of a geometric mean from the interval of a mean."""

    def of_geometric_mean(values: Floats, level: float) -> Bounds:
        low, high = bounds(np.log(values), level)
        with np.errstate(over="ignore"):  # a studentised bound may be beyond any number
            return np.exp(low), np.exp(high)

    return of_geometric_mean


GEOMETRIC_MEAN = Estimator("Student's t on logarithms", "geometric mean", _on_logarithms(student_t))
MEDIAN = Estimator("interpolated order statistics", "median", interpolated_median)

#: Every estimator whose coverage is simulated; those of the analysis first.
ESTIMATORS = (
    GEOMETRIC_MEAN,
    Estimator("percentile bootstrap", "geometric mean", _on_logarithms(percentile_mean)),
    Estimator(
        "expanded percentile bootstrap", "geometric mean", _on_logarithms(expanded_percentile_mean)
    ),
    Estimator("BCa bootstrap", "geometric mean", _on_logarithms(bca_mean)),
    Estimator("studentised bootstrap", "geometric mean", _on_logarithms(studentised_mean)),
    MEDIAN,
    Estimator("order statistics", "median", order_statistic_median),
    Estimator("percentile bootstrap", "median", percentile_median),
    Estimator("BCa bootstrap", "median", bca_median),
)


def geometric_mean(values: Floats) -> Floats:
    """The geometric mean of each row of positive values, the same for every order of a row."""
    return np.asarray(np.exp(np.sort(np.log(values), axis=1).mean(axis=1)))


def relative_half_width(values: Sequence[float], level: float = LEVEL) -> float:
    """How far the interval of the geometric mean reaches to the farther side, relative to it.

    Infinite for fewer than two values: what a stop rule compares with its target.
    """
    if len(values) < 2:
        return math.inf
    row = np.asarray(values, dtype=np.float64)[None, :]
    _, high = GEOMETRIC_MEAN.bounds(row, level)
    return float(high[0] / geometric_mean(row)[0] - 1)
