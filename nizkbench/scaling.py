"""How a metric grows with the size of the statement: an exponent with its interval, and a model.

The exponent is the slope of the least-squares line through (log size, log value). A run measures
every size in every block, so each block gives a slope of its own, and the interval is Student's t
over those slopes: blocks are independent where sizes in one block are not, and the interval does
not widen because a metric is no exact power of its size. A line through all invocations at once
answers to neither (`nizkbench.coverage` shows both). The exponent is one over the sizes that were
measured: the models say whether it may be read beyond them.

Sizes are what the prover really works on: the padded trace, the padded number of multipliers or
the domain of evaluation where the runner counts one, else the size of the statement. bellman's
prover pads its domain too, but its runner counts no padded size.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from nizkbench.intervals import LEVEL, Floats, student_t

#: Counters that are the padded size of what a prover works on.
PADDED = ("trace_length", "multipliers_padded", "domain")

#: Fewer sizes than this have no model: three parameters would go through every point.
MODEL_MINIMUM = 4

#: Relative errors below this are rounding, not lack of fit.
_ROUNDING = 1e-9

BLOCKWISE = "Student's t over blocks"
NO_INTERVAL = "none: fewer than two whole blocks"

SCHEMA = pl.Schema(
    {
        "series": pl.String,
        "threads_label": pl.String,
        "metric": pl.String,
        "over": pl.String,
        "exponent": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "level": pl.Float64,
        "method": pl.String,
        "r_squared": pl.Float64,
        "best_model": pl.String,
        "next_model": pl.String,
        "aicc_lead": pl.Float64,
        "constant_term": pl.Float64,
        "growing_term": pl.Float64,
        "points": pl.Int32,
        "invocations": pl.Int32,
    }
)

#: The growing term of each model with a constant term beside it; `power` has an exponent instead.
GROWTH: dict[str, Callable[[Floats], Floats]] = {
    "logarithmic": np.log2,
    "linear": lambda size: size,
    "n log n": lambda size: size * np.log2(size),
}


def scaling(
    values: pl.DataFrame, exact: pl.DataFrame, configurations: pl.DataFrame
) -> pl.DataFrame:
    """Exponent and model of every series, thread track and metric; columns as in `SCHEMA`.

    `values` and `exact` are those of `nizkbench.estimate`. `points` is the number of sizes, at
    least two; `over` names the size. `aicc_lead` is by how much the best model's AICc is lower than
    the next one's: a lead under 2 decides little. Its terms are in the metric's unit: value =
    constant_term + growing_term · f(size), or growing_term · size^exponent for `power`, whose
    exponent is fitted anew and may differ from `exponent`. Exact quantities have an exact exponent;
    varying ones of which fewer than two blocks have every size have one without interval.
    """
    identity = configurations.select("configuration", "series", "threads_label", "size").join(
        _padded(exact), on="configuration", how="left"
    )
    sized = identity.with_columns(
        pl.col("over").fill_null("size"),
        pl.col("padded").fill_null(pl.col("size").cast(pl.Float64)).alias("padded"),
    )
    by = ["series", "threads_label", "metric"]
    columns = [*by, "over", "padded", "block", "value"]
    rows = pl.concat(
        [
            values.join(sized, on="configuration").select(*columns),
            exact.join(sized, on="configuration")
            .with_columns(pl.lit(None, pl.Int32).alias("block"))
            .select(*columns),
        ]
    )
    found = [
        dict(zip(by, name, strict=True)) | one
        for name, group in rows.filter(pl.col("value") > 0)
        .sort(*by, "padded", "block")
        .group_by(by, maintain_order=True)
        if (one := _fit(group)) is not None
    ]
    return pl.DataFrame(found, schema=SCHEMA).sort(by)


def slopes(sizes: Floats, values: Floats) -> Floats:
    """The least-squares slope of log value over log size along the last axis of `values`.

    `sizes` has shape (points,), `values` (…, points).
    """
    x = np.log(sizes) - np.log(sizes).mean()
    return np.asarray((np.log(values) * x).sum(axis=-1) / (x**2).sum())


def compare_models(sizes: Floats, values: Floats) -> dict[str, tuple[float, float, float]]:
    """AICc, constant term and growing term of each model; `sizes` and `values` have shape (n,).

    Models are fitted to relative errors (weights 1/value), since times differ by orders of
    magnitude and their errors are relative; their terms are not negative, since they are costs.
    AICc is Hurvich and Tsai's (1989, doi:10.1093/biomet/76.2.297), the error variance counted.
    """
    from scipy import optimize  # slow to load, and only fits need it

    ones = np.ones_like(sizes)
    fitted: dict[str, tuple[float, float, float]] = {}
    constant = (ones / values).sum() / (1 / values**2).sum()
    fitted["constant"] = (_aicc(constant / values - 1, 2), float(constant), 0.0)
    for name, growth in GROWTH.items():
        design = np.stack([ones, growth(sizes)], axis=1) / values[:, None]
        scale = np.linalg.norm(design, axis=0)
        terms = optimize.nnls(design / scale, ones)[0] / scale
        fitted[name] = (_aicc(design @ terms - 1, 3), float(terms[0]), float(terms[1]))
    x = np.log(sizes) - np.log(sizes).mean()

    def residuals(parameters: Floats) -> Floats:
        return np.asarray(np.exp(parameters[0] + parameters[1] * x) / values - 1)

    start = [float(np.log(values).mean()), float(slopes(sizes, values))]
    power = optimize.least_squares(residuals, start, method="lm")
    factor = math.exp(power.x[0] - power.x[1] * float(np.log(sizes).mean()))
    fitted["power"] = (_aicc(power.fun, 3), 0.0, factor)
    return fitted


def _aicc(relative_errors: Floats, parameters: int) -> float:
    """The corrected information criterion of a fit with normal relative errors.

    `parameters` counts the variance. Infinite where there are too few points for the correction.
    """
    n = len(relative_errors)
    if n - parameters - 1 <= 0:
        return math.inf
    mean_square = max(float((relative_errors**2).mean()), _ROUNDING**2)
    correction = 2 * parameters * (parameters + 1) / (n - parameters - 1)
    return n * math.log(mean_square) + 2 * parameters + correction


def _padded(exact: pl.DataFrame) -> pl.DataFrame:
    """The padded size of each configuration that counts one: configuration, over, padded."""
    return (
        exact.filter(pl.col("metric").is_in(PADDED))
        .sort("configuration", "metric")
        .group_by("configuration", maintain_order=True)
        .agg(pl.col("metric").first().alias("over"), pl.col("value").first().alias("padded"))
    )


def _fit(group: pl.DataFrame) -> dict[str, Any] | None:
    """The row of one series, thread track and metric; None with fewer than two sizes."""
    sizes = group["padded"].unique().sort().to_numpy()
    if len(sizes) < 2 or group["over"].n_unique() > 1:
        return None
    x, y = group["padded"].to_numpy(), group["value"].to_numpy()
    slope = float(slopes(x, y))
    is_exact = group["block"].null_count() == group.height
    fit: dict[str, Any] = {
        "over": group["over"][0],
        "level": None if is_exact else LEVEL,
        # A quantity that is constant to the last digit is explained fully, by its mean.
        "r_squared": float(np.corrcoef(np.log(x), np.log(y))[0, 1]) ** 2 if np.ptp(y) > 0 else 1.0,
        "points": len(sizes),
        "invocations": None if is_exact else group.height,
    }
    if is_exact:
        exponent = slope if np.ptp(y) > 0 else 0.0
        fit |= {"exponent": exponent, "low": exponent, "high": exponent, "method": "exact"}
    else:
        fit |= _exponent(group, sizes, slope)
    if len(sizes) >= MODEL_MINIMUM:
        fit |= _model(x, y)
    return fit


def _exponent(group: pl.DataFrame, sizes: Floats, of_all: float) -> dict[str, Any]:
    """The exponent over whole blocks; `of_all` invocations, without interval, if fewer than two."""
    whole = (
        group.group_by("block", "padded")
        .agg(pl.col("value").log().mean().exp())
        .sort("block", "padded")
        .group_by("block", maintain_order=True)
        .agg("value")
        .filter(pl.col("value").list.len() == len(sizes))
    )
    if whole.height >= 2:
        matrix = whole["value"].explode().to_numpy().reshape(whole.height, len(sizes))
        of_blocks = np.sort(slopes(sizes, matrix))
        low, high = student_t(of_blocks[None, :], LEVEL)
        return {
            "exponent": float(of_blocks.mean()),
            "low": float(low[0]),
            "high": float(high[0]),
            "method": BLOCKWISE,
        }
    return {
        "exponent": of_all,
        "low": None,
        "high": None,
        "level": None,
        "method": NO_INTERVAL,
    }


def _model(x: Floats, y: Floats) -> dict[str, Any]:
    compared = compare_models(x, y)
    ranked = sorted(compared, key=lambda name: compared[name][0])
    best, following = ranked[0], ranked[1]
    lead = compared[following][0] - compared[best][0]
    return {
        "best_model": best,
        "next_model": following,
        "aicc_lead": lead if math.isfinite(lead) else None,
        "constant_term": compared[best][1],
        "growing_term": compared[best][2],
    }
