"""Ratios of two series at equal size and threads, and what the run says about its own error rate.

A block holds every configuration once, within minutes, so two series of one block share what the
machine was doing. Their logarithms are therefore subtracted block by block and Student's t taken
over the differences: what a block shares falls out, at the price of n − 1 instead of 2n − 2 degrees
of freedom (at ten blocks an interval 8 % wider if nothing was shared). `nizkbench.coverage` shows
this and Welch's t, which takes the two series as independent, where blocks do and do not share
noise. Two series that share fewer than two blocks have no ratio.

A family is what one question asks: which series of one track differ in one metric at one size on
one thread track. Its p-values are corrected by Holm's method (1979, Scandinavian Journal of
Statistics 6, 65–70), and so are those of its equivalence tests (two one-sided tests; Schuirmann
1987, doi:10.1007/BF01068419). A system's series of two tracks are compared too, to price what
differs between them; these pairs are a family of their own for every two tracks.
"""

import math

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nizkbench.distributions import share_interval, t_tail
from nizkbench.intervals import LEVEL, Bounds, Floats, student_t

#: Ratios between 1/1.05 and 1.05 make no difference to a person who chooses a system.
MARGIN = 0.05

PAIRED = "Student's t on paired logarithms"

SCHEMA = pl.Schema(
    {
        "numerator": pl.String,
        "denominator": pl.String,
        "metric": pl.String,
        "size": pl.Int64,
        "threads_label": pl.String,
        "tracks": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "level": pl.Float64,
        "method": pl.String,
        "blocks": pl.Int32,
        "p_value": pl.Float64,
        "p_value_holm": pl.Float64,
        "p_value_equivalence_holm": pl.Float64,
        "equivalent": pl.Boolean,
        "margin": pl.Float64,
    }
)

_CELL = ["numerator", "denominator", "metric", "size", "threads_label", "tracks"]

#: Ratios alike in these are corrected together.
FAMILY = ["metric", "size", "threads_label", "tracks"]


def ratios(
    values: pl.DataFrame,
    exact: pl.DataFrame,
    configurations: pl.DataFrame,
    margin: float = MARGIN,
) -> pl.DataFrame:
    """The ratio of every two series of one track or of one system, columns as in `SCHEMA`.

    `values` and `exact` are those of `nizkbench.estimate`. A pair stands once, the series earlier
    in the alphabet above. `tracks` is their track, or both tracks joined by ` + `. `equivalent` is
    true where the corrected equivalence test rejects at 5 %, false where the whole interval lies
    outside the margin, and null where neither is shown. Exact quantities have an exact ratio and no
    p-value; varying ones that share fewer than two blocks have no row.
    """
    identity = configurations.select(
        "configuration", "series", "track", "system", "size", "threads_label"
    )
    logarithms = (
        values.filter(pl.col("value") > 0)
        .join(identity, on="configuration")
        .group_by("series", "track", "system", "metric", "size", "threads_label", "block")
        .agg(pl.col("value").log().mean().alias("log"))
    )
    paired = (
        _pairs(logarithms, "block")
        .with_columns((pl.col("log") - pl.col("log_below")).alias("difference"))
        .sort(*_CELL, "block")
        .group_by(_CELL, maintain_order=True)
        .agg("difference")
        .with_columns(pl.col("difference").list.len().alias("blocks"))
    )
    enough = paired.filter(pl.col("blocks") >= 2)
    parts = [_exact(exact.join(identity, on="configuration"), margin)]
    for (blocks,), group in sorted(enough.group_by("blocks"), key=lambda pair: int(pair[0][0])):
        matrix = group["difference"].explode().to_numpy().reshape(group.height, int(blocks))
        centre, error = _centre_and_error(matrix)
        bounds = student_t(matrix, LEVEL)
        parts.append(_rows(group, centre, bounds, error, int(blocks) - 1, margin))
    return _corrected(pl.concat(parts)).sort(_CELL)


def control(
    values: pl.DataFrame, configurations: pl.DataFrame, margin: float = MARGIN
) -> pl.DataFrame:
    """Each configuration against itself: neighbouring blocks as if they were two series.

    Two neighbouring blocks make one pair, and which of them stands above changes from pair to pair,
    so that a drift in one direction is no difference. Columns: configuration, series, size,
    threads_label, metric, value, low, high, blocks (pairs), p_value, different (p < 5 %, not
    corrected), beyond_margin (different, and the whole interval outside the margin).
    """
    logarithms = (
        values.filter(pl.col("value") > 0)
        .group_by("configuration", "metric", "block")
        .agg(pl.col("value").log().mean().alias("log"))
        .with_columns((pl.col("block") // 2).alias("pair"))
    )
    above = logarithms.filter(pl.col("block") % 2 == pl.col("pair") % 2)
    below = logarithms.filter(pl.col("block") % 2 != pl.col("pair") % 2)
    by = ["configuration", "metric"]
    differences = (
        above.join(below, on=[*by, "pair"], suffix="_below")
        .with_columns((pl.col("log") - pl.col("log_below")).alias("difference"))
        .sort(*by, "pair")
        .group_by(by, maintain_order=True)
        .agg("difference")
        .with_columns(pl.col("difference").list.len().cast(pl.Int32).alias("blocks"))
        .filter(pl.col("blocks") >= 2)
    )
    parts = []
    for (blocks,), group in sorted(
        differences.group_by("blocks"), key=lambda pair: int(pair[0][0])
    ):
        matrix = group["difference"].explode().to_numpy().reshape(group.height, int(blocks))
        centre, error = _centre_and_error(matrix)
        low, high = student_t(matrix, LEVEL)
        p_value = _two_sided(centre, error, np.full(len(centre), int(blocks) - 1.0))
        outside = (low > math.log1p(margin)) | (high < -math.log1p(margin))
        parts.append(
            group.select(
                *by,
                pl.Series("value", np.exp(centre)),
                pl.Series("low", np.exp(low)),
                pl.Series("high", np.exp(high)),
                "blocks",
                pl.Series("p_value", p_value),
                pl.Series("different", p_value < 1 - LEVEL),
                pl.Series("beyond_margin", outside),
            )
        )
    schema = {
        "configuration": pl.String,
        "metric": pl.String,
        **dict.fromkeys(("value", "low", "high"), pl.Float64),
        "blocks": pl.Int32,
        "p_value": pl.Float64,
        "different": pl.Boolean,
        "beyond_margin": pl.Boolean,
    }
    found = pl.concat([pl.DataFrame(schema=schema), *parts])
    names = configurations.select("configuration", "series", "size", "threads_label")
    return names.join(found, on="configuration").sort("series", "size", "threads_label", "metric")


def false_positives(compared: pl.DataFrame) -> pl.DataFrame:
    """How often the control found a difference: one row a metric.

    Columns: metric, comparisons, positives, rate, low, high, beyond_margin. The interval is Clopper
    and Pearson's, and takes the comparisons as independent; configurations of one block are not
    quite, so it is rather too narrow.
    """
    rows = []
    counted = compared.group_by("metric").agg(
        pl.len(), pl.col("different").sum(), pl.col("beyond_margin").sum()
    )
    for metric, comparisons, positives, beyond in counted.sort("metric").iter_rows():
        low, high = share_interval(positives, comparisons, LEVEL)
        rows.append(
            {
                "metric": metric,
                "comparisons": comparisons,
                "positives": positives,
                "rate": positives / comparisons,
                "low": low,
                "high": high,
                "beyond_margin": beyond,
            }
        )
    schema = {
        "metric": pl.String,
        **dict.fromkeys(("comparisons", "positives"), pl.Int64),
        **dict.fromkeys(("rate", "low", "high"), pl.Float64),
        "beyond_margin": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema)


def holm(p_values: Floats) -> Floats:
    """Holm's step-down correction of a family of p-values, in the order given."""
    count = len(p_values)
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(p_values[order] * (count - np.arange(count)))
    corrected = np.empty(count)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def _pairs(frame: pl.DataFrame, *on: str) -> pl.DataFrame:
    """Every two series of `frame` that are compared: those of one track, or of one system."""
    cell = ["metric", "size", "threads_label", *on]
    return (
        frame.join(frame, on=cell, suffix="_below")
        .filter(
            (pl.col("series") < pl.col("series_below"))
            & (
                (pl.col("track") == pl.col("track_below"))
                | (pl.col("system") == pl.col("system_below"))
            )
        )
        .with_columns(
            pl.when(pl.col("track") == pl.col("track_below"))
            .then("track")
            .otherwise(
                pl.concat_str(
                    pl.min_horizontal("track", "track_below"),
                    pl.max_horizontal("track", "track_below"),
                    separator=" + ",
                )
            )
            .alias("tracks")
        )
        .rename({"series": "numerator", "series_below": "denominator"})
    )


def _centre_and_error(matrix: Floats) -> tuple[Floats, Floats]:
    ordered = np.sort(matrix, axis=1)
    return ordered.mean(axis=1), ordered.std(axis=1, ddof=1) / math.sqrt(matrix.shape[1])


def _two_sided(centre: Floats, error: Floats, freedom: Floats) -> Floats:
    return np.asarray(2 * t_tail(np.abs(_scaled(centre, error)), freedom))


def _scaled(distance: Floats, error: Floats) -> Floats:
    """`distance` in standard errors; where nothing varied, infinite unless it is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = distance / error
    certain = np.where(distance == 0, 0.0, np.copysign(math.inf, distance))
    return np.where(error > 0, scaled, certain)


def _rows(
    group: pl.DataFrame,
    centre: Floats,
    bounds: Bounds,
    error: Floats,
    freedom: int,
    margin: float,
) -> pl.DataFrame:
    degrees = np.full(centre.shape, float(freedom))
    reach = math.log1p(margin)
    not_above = t_tail(_scaled(reach - centre, error), degrees)
    not_below = t_tail(_scaled(reach + centre, error), degrees)
    return group.select(
        *_CELL,
        pl.Series("value", np.exp(centre)),
        pl.Series("low", np.exp(bounds[0])),
        pl.Series("high", np.exp(bounds[1])),
        pl.lit(LEVEL).alias("level"),
        pl.lit(PAIRED).alias("method"),
        pl.col("blocks").cast(pl.Int32),
        pl.Series("p_value", _two_sided(centre, error, degrees)),
        pl.Series("p_value_equivalence", np.maximum(not_above, not_below)),
        pl.lit(margin).alias("margin"),
    )


def _exact(exact: pl.DataFrame, margin: float) -> pl.DataFrame:
    """Ratios of exact quantities."""
    pairs = _pairs(exact.filter(pl.col("value") > 0)).with_columns(
        (pl.col("value") / pl.col("value_below")).alias("ratio")
    )
    nothing = pl.lit(None, pl.Float64)
    return pairs.select(
        *_CELL,
        *(pl.col("ratio").alias(name) for name in ("value", "low", "high")),
        nothing.alias("level"),
        pl.lit("exact").alias("method"),
        pl.lit(None, pl.Int32).alias("blocks"),
        nothing.alias("p_value"),
        nothing.alias("p_value_equivalence"),
        pl.lit(margin).alias("margin"),
    )


def _corrected(rows: pl.DataFrame) -> pl.DataFrame:
    """Holm's correction within each family, and the verdict on equivalence."""
    rows = rows.sort(_CELL).with_columns(
        _holm("p_value").alias("p_value_holm"),
        _holm("p_value_equivalence").alias("p_value_equivalence_holm"),
    )
    outside = (pl.col("low") > 1 + pl.col("margin")) | (pl.col("high") < 1 / (1 + pl.col("margin")))
    shown = pl.col("p_value_equivalence_holm") < 1 - LEVEL
    within = (pl.col("value") <= 1 + pl.col("margin")) & (
        pl.col("value") >= 1 / (1 + pl.col("margin"))
    )
    verdict = (
        pl.when(pl.col("method") == "exact")
        .then(within)
        .when(shown)
        .then(True)
        .when(outside)
        .then(False)
        .otherwise(None)
    )
    return rows.with_columns(verdict.alias("equivalent")).select(
        pl.col(name).cast(kind) for name, kind in SCHEMA.items()
    )


def _holm(column: str) -> pl.Expr:
    """The corrected column; rows without a p-value are no part of the family."""

    def correct(family: pl.Series) -> pl.Series:
        numbers = family.to_numpy().astype(np.float64)
        known: NDArray[np.bool_] = ~np.isnan(numbers)
        numbers[known] = holm(numbers[known])
        return pl.Series(numbers, nan_to_null=True)

    return pl.col(column).map_batches(correct, return_dtype=pl.Float64).over(FAMILY)
