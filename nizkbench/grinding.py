"""Proof of work inside a proof: how many nonces were tried, and what one try costs.

With g bits of grinding a nonce succeeds with probability 2^-g, so the number of attempts is
geometric with mean 2^g and a standard deviation as large as that. Earlier work timed one fixed
seed, that is one draw: what it took for the price of an option may have been luck of the nonce.
Here the attempts are held against the geometric distribution, and prove time is regressed on them.
"""

import json
import math
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nizkbench.distributions import gamma_quantile, t_quantile
from nizkbench.estimate import done
from nizkbench.intervals import LEVEL, Floats
from nizkbench.records import Records

ATTEMPTS = "pow_attempts"

SCHEMA = pl.Schema(
    {
        "configuration": pl.String,
        "series": pl.String,
        "track": pl.String,
        "system": pl.String,
        "size": pl.Int64,
        "threads_label": pl.String,
        "grinding": pl.Int32,
        "samples": pl.Int32,
        "invocations": pl.Int32,
        "expected": pl.Float64,
        "mean": pl.Float64,
        "mean_low": pl.Float64,
        "mean_high": pl.Float64,
        "p_value_geometric": pl.Float64,
        "cost_ns": pl.Float64,
        "cost_low": pl.Float64,
        "cost_high": pl.Float64,
        "rest_ns": pl.Float64,
        "r_squared": pl.Float64,
        "level": pl.Float64,
        "method": pl.String,
    }
)


def grinding(records: Records) -> pl.DataFrame:
    """Attempts and their cost for every configuration that counts them; columns as in `SCHEMA`.

    `mean` is over draws: one a counted sample, one an invocation where its instance is fixed. Its
    interval is that of the mean of a geometric distribution, `p_value_geometric` a Kolmogorov
    and Smirnov test against the one with mean `expected` = 2^grinding. `cost_ns` is nanoseconds of
    wall time an attempt, `rest_ns` the mean prove time without attempts, `r_squared` the share of
    the variance of prove time inside invocations that attempts explain; all null where attempts did
    not vary inside two invocations.
    """
    key = ["configuration", "invocation"]
    prove = (
        records.samples.filter((pl.col("phase") == "prove") & ~pl.col("warmup"))
        .join(done(records).select(key), on=key, how="semi")
        .select(*key, "sample", "wall_ns")
    )
    attempts = records.counters.filter(pl.col("name") == ATTEMPTS).select(
        *key, "sample", attempts="value"
    )
    drawn = prove.join(attempts, on=[*key, "sample"]).sort(*key, "sample")
    rows = []
    for (name,), group in drawn.group_by("configuration", maintain_order=True):
        identity = records.configurations.filter(pl.col("configuration") == name).row(0, named=True)
        bits = int(json.loads(identity["options"]).get("grinding", 0))
        if bits == 0:
            continue
        fixed = identity["instances"] == "fixed"
        row: dict[str, Any] = {
            column: identity[column]
            for column in ("configuration", "series", "track", "system", "size", "threads_label")
        }
        row |= {"grinding": bits, "samples": group.height, "level": LEVEL}
        row |= {"invocations": group["invocation"].n_unique()}
        draws = group.unique("invocation", maintain_order=True) if fixed else group
        row |= distribution(draws["attempts"].to_numpy(), bits)
        row |= _cost(
            group["invocation"].to_numpy(),
            group["attempts"].to_numpy(),
            group["wall_ns"].cast(pl.Float64).to_numpy(),
        )
        rows.append(row)
    return pl.DataFrame(rows, schema=SCHEMA).sort("series", "size", "threads_label")


def cost_per_attempt(
    invocations: NDArray[Any], attempts: Floats, wall: Floats, level: float = LEVEL
) -> tuple[float, float, float] | None:
    """Slope of `wall` on `attempts` inside invocations, with its interval; arrays of shape (n,).

    Both are taken relative to their invocation's mean, so that an invocation that is slow as a
    whole does not tilt the line. The interval leaves out one invocation at a time (the jackknife
    over clusters; Cameron and Miller 2015, doi:10.3368/jhr.50.2.317), with Student's t. None where
    fewer than two invocations have attempts that vary.
    """
    _, place = np.unique(invocations, return_inverse=True)
    size = np.bincount(place)
    x = attempts - (np.bincount(place, attempts) / size)[place]
    y = wall - (np.bincount(place, wall) / size)[place]
    products, squares = np.bincount(place, x * y), np.bincount(place, x * x)
    varied = squares > 0
    products, squares = products[varied], squares[varied]
    clusters = len(squares)
    if clusters < 2:
        return None
    slope = products.sum() / squares.sum()
    left_out = (products.sum() - products) / (squares.sum() - squares)
    variance = (clusters - 1) / clusters * ((left_out - slope) ** 2).sum()
    reach = t_quantile((1 + level) / 2, clusters - 1) * math.sqrt(variance)
    return float(slope), float(slope - reach), float(slope + reach)


def distribution(attempts: Floats, bits: int) -> dict[str, Any]:
    """Mean of the attempts and its interval, and the test against the geometric distribution.

    The sum of n geometric counts above 2^8 is as good as gamma with shape n, whose quantiles give
    the interval; the test is that of `geometric_p_value`.
    """
    expected = 2.0**bits
    n = len(attempts)
    total = float(attempts.sum())
    tail = (1 - LEVEL) / 2
    return {
        "expected": expected,
        "mean": total / n,
        "mean_low": total / gamma_quantile(1 - tail, n),
        "mean_high": total / gamma_quantile(tail, n),
        "p_value_geometric": geometric_p_value(attempts, expected),
    }


def geometric_p_value(attempts: Floats, expected: float) -> float:
    """The test of Kolmogorov and Smirnov of whole counts against the geometric law of this mean.

    The greatest distance of the two distribution functions is taken over whole numbers, where alone
    they are compared: `scipy.stats.kstest` also compares the law at a count with the sample below
    it, and finds the step of the law itself, 1 / `expected`, in any large sample. On a discrete law
    p-values of the continuous one are too large, if anything (Conover 1972,
    doi:10.1080/01621459.1972.10481254).
    """
    # Slow to load, and only this function needs it.
    from scipy import stats

    law, n = stats.geom(1 / expected), len(attempts)
    values, counts = np.unique(attempts, return_counts=True)
    seen = np.cumsum(counts) / n
    # At every value that was seen, and at the count before it, up to which the law goes on rising.
    at = np.abs(seen - law.cdf(values))
    before = np.abs(np.append(0.0, seen[:-1]) - law.cdf(values - 1))
    distance = np.maximum(at, before).max()
    return float(stats.kstwo.sf(distance, n))


def _cost(invocations: NDArray[Any], attempts: Floats, wall: Floats) -> dict[str, Any]:
    found = cost_per_attempt(invocations, attempts, wall)
    if found is None:
        return {"method": "none: attempts do not vary"}
    slope, low, high = found
    _, place = np.unique(invocations, return_inverse=True)
    size = np.bincount(place)
    x = attempts - (np.bincount(place, attempts) / size)[place]
    y = wall - (np.bincount(place, wall) / size)[place]
    spread = float((y**2).sum())
    explained = 1 - float(((y - slope * x) ** 2).sum()) / spread if spread > 0 else None
    return {
        "cost_ns": slope,
        "cost_low": low,
        "cost_high": high,
        "rest_ns": float((wall - slope * attempts).mean()),
        "r_squared": explained,
        "method": "jackknife over invocations",
    }
