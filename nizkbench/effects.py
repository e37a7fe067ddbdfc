"""What each option costs, on average over all others, and which options do not act alone.

Costs multiply, so everything is linear on logarithms of a metric. Two models are fitted to the
cells by least squares, of main effects alone and of main effects with every two-way interaction,
whether the grid is balanced or not (rules exclude some combinations, so it never quite is).

- *Analysis of variance*: how much of the spread between cells each option, and each pair of
  options, accounts for. Sums of squares are those of Yates (1934, doi:10.2307/2278245), "type II":
  a main effect beyond all other main effects, an interaction beyond all other terms. The error is
  what the model with all two-way interactions leaves: interactions of three and more, and noise, of
  which the former are no chance where all combinations were measured. So the effect sizes are what
  to read: partial η² (Cohen 1973, doi:10.1177/001316447303300111), and the factor by which the term
  typically moves a cell, exp of the root mean square of its share.
- *Level effects*: by what factor a level changes the metric relative to a reference level, averaged
  over the other options. They are estimates of the effects in all legal combinations of the grid,
  and their intervals hold the two errors of that. Which combinations were measured, where not all
  were: the scatter of cells about the model of main effects, variances not taken as equal (HC3 of
  MacKinnon and White 1985, doi:10.1016/0304-4076(85)90158-7), since an option often acts more
  strongly under one level of another, and less of it the more of the combinations were taken
  (Cochran, Sampling Techniques, 1977, section 2.6); where all were, that scatter is what options do
  together, and no error. And measuring: what the effects of each block differ by, one value a
  block, since cells of one block share the machine's time. A fraction is held against the whole
  grid with these intervals. They take it as a random one, which for a balanced one is rather wide.

Cells that are the same computation are not independent: their deviations from the model are added
before they are squared, and degrees of freedom count computations (Liang and Zeger 1986,
doi:10.1093/biomet/73.1.13). `cells` has them as column `computation`
(`nizkbench.operations.computations`); without it every cell is a computation of its own.

P-values are corrected by Holm's method over all terms, or all levels, of one table.

A field decides which extensions and hashes there are, so field and extension are one factor,
`field_extension`; hashes that only one field has are compared within it.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nizkbench.distributions import f_tail, t_quantile, t_tail
from nizkbench.errors import NizkBenchError
from nizkbench.intervals import LEVEL, Floats
from nizkbench.ratios import holm

#: Field and extension as one factor: `f128/none`, `f64/cubic`, …
FIELD_EXTENSION = "field_extension"

#: The factors of a grid, in the order that tables and figures have them.
FACTORS = (
    "queries",
    "blowup",
    "grinding",
    FIELD_EXTENSION,
    "folding",
    "remainder_max_degree",
    "hash",
    "batching_constraints",
    "batching_deep",
    "partitions",
    "hash_rate",
    "rounds",
)

#: The level that every effect is relative to where the grid has it: the defaults of earlier work.
REFERENCE: Mapping[str, str] = {
    "queries": "42",
    "blowup": "8",
    "grinding": "16",
    FIELD_EXTENSION: "f128/none",
    "folding": "8",
    "remainder_max_degree": "31",
    "hash": "blake3-256",
    "batching_constraints": "linear",
    "batching_deep": "linear",
    "partitions": "1",
    "hash_rate": "1",
    "rounds": "255",
}

#: Name of the row of an analysis of variance that holds what no term explains.
RESIDUAL = "residual"

VARIANCE_SCHEMA = pl.Schema(
    {
        "metric": pl.String,
        "term": pl.String,
        "first": pl.String,
        "second": pl.String,
        "degrees": pl.Int64,
        "sum_of_squares": pl.Float64,
        "share": pl.Float64,
        "partial_eta_squared": pl.Float64,
        "typical_factor": pl.Float64,
        "f": pl.Float64,
        "p_value": pl.Float64,
        "p_value_holm": pl.Float64,
    }
)

EFFECTS_SCHEMA = pl.Schema(
    {
        "metric": pl.String,
        "factor": pl.String,
        "level": pl.String,
        "reference": pl.String,
        "effect": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "log_effect": pl.Float64,
        "standard_error": pl.Float64,
        "degrees": pl.Float64,
        "p_value": pl.Float64,
        "p_value_holm": pl.Float64,
        "cells": pl.Int64,
    }
)

AGREEMENT_SCHEMA = pl.Schema(
    {
        "metric": pl.String,
        "factor": pl.String,
        "level": pl.String,
        "reference": pl.String,
        "fraction": pl.Float64,
        "fraction_low": pl.Float64,
        "fraction_high": pl.Float64,
        "whole": pl.Float64,
        "whole_low": pl.Float64,
        "whole_high": pl.Float64,
        "ratio": pl.Float64,
        "inside": pl.Boolean,
        "p_value": pl.Float64,
        "p_value_holm": pl.Float64,
        "agrees": pl.Boolean,
    }
)

#: Directions of the design that carry less than this share of the greatest are redundant.
_RANK_TOLERANCE = 1e-9


class UnfitGridError(NizkBenchError):
    """The cells cannot answer what was asked of them."""


@dataclass(frozen=True, slots=True)
class Factor:
    """An option that varies: its levels in order, and the level of each cell by its place."""

    name: str
    levels: tuple[str, ...]
    places: NDArray[np.intp]

    def indicators(self, reference: int = 0) -> Floats:
        """One column for each level but the reference; shape (cells, levels − 1)."""
        one_hot = np.eye(len(self.levels))[self.places]
        return np.delete(one_hot, reference, axis=1)


def factors_of(cells: pl.DataFrame, names: Sequence[str] = FACTORS) -> list[Factor]:
    """The factors with two levels or more in `cells`, a frame as `nizkbench.cells.cells` gives.

    Numbers are ordered by size, names by the alphabet.
    """
    found = []
    for name in names:
        column = with_field_extension(cells)[name]
        levels = column.unique().sort()
        if len(levels) < 2:
            continue
        places = column.replace_strict(levels, np.arange(len(levels)), return_dtype=pl.Int64)
        found.append(Factor(name, tuple(map(str, levels)), places.to_numpy().astype(np.intp)))
    return found


def with_field_extension(cells: pl.DataFrame) -> pl.DataFrame:
    """The cells with the column `field_extension`."""
    return cells.with_columns(
        pl.concat_str("field", pl.lit("/"), "extension").alias(FIELD_EXTENSION)
    )


def analysis_of_variance(
    cells: pl.DataFrame, metric: str, names: Sequence[str] = FACTORS
) -> pl.DataFrame:
    """Every main effect and two-way interaction of `metric`, columns as in `VARIANCE_SCHEMA`.

    One row a term, the greatest sum of squares first, and last the row `residual`. `share` is of
    the total sum of squares; shares of an unbalanced grid need not add up to one. `typical_factor`
    is exp √(sum of squares / cells). A pair of options whose combinations leave nothing to estimate
    has no row. `UnfitGridError` where no option varies or there are not more cells than parameters.
    """
    factors = factors_of(cells, names)
    if not factors:
        raise UnfitGridError("no option varies in these cells, so there is no effect to analyse")
    y = _logarithms(cells, metric)
    main: dict[tuple[str, ...], Floats] = {(one.name,): one.indicators() for one in factors}
    pairs: dict[tuple[str, ...], Floats] = {
        (one.name, other.name): _products(one.indicators(), other.indicators())
        for one, other in itertools.combinations(factors, 2)
    }
    fit = _Subsets(main | pairs, y)
    everything = tuple(fit.blocks)
    full = fit.residual(everything)
    freedom = len(y) - 1 - full.rank
    if freedom < 1:
        raise UnfitGridError(
            f"{len(y)} cells are too few for {full.rank} effects and interactions; take a larger"
            " fraction of the grid"
        )
    repeated = len(y) - len(np.unique(_computation(cells)))
    freedom = max(freedom - repeated, 1)
    mains_only = fit.residual(tuple(main))
    rows: list[dict[str, Any]] = []
    for term in everything:
        scope, whole = (tuple(main), mains_only) if len(term) == 1 else (everything, full)
        without = fit.residual(tuple(name for name in scope if name != term))
        degrees = whole.rank - without.rank
        if degrees < 1:
            continue
        squares = max(without.squares - whole.squares, 0.0)
        f = (squares / degrees) / (full.squares / freedom) if full.squares > 0 else math.inf
        rows.append(
            {
                "term": " × ".join(term),
                "first": term[0],
                "second": term[1] if len(term) > 1 else None,
                "degrees": degrees,
                "sum_of_squares": squares,
                "share": squares / fit.total,
                "partial_eta_squared": squares / (squares + full.squares),
                "typical_factor": math.exp(math.sqrt(squares / len(y))),
                "f": f,
                "p_value": f_tail(f, degrees, freedom),
            }
        )
    corrected = holm(np.array([row["p_value"] for row in rows]))
    for row, p_value in zip(rows, corrected, strict=True):
        row["p_value_holm"] = float(p_value)
    rows.sort(key=lambda row: row["sum_of_squares"], reverse=True)
    rows.append(
        {
            "term": RESIDUAL,
            "degrees": freedom,
            "sum_of_squares": full.squares,
            "share": full.squares / fit.total,
            "typical_factor": math.exp(math.sqrt(full.squares / len(y))),
        }
    )
    return pl.DataFrame(
        [{"metric": metric, **row} for row in rows], schema=VARIANCE_SCHEMA, orient="row"
    )


def level_effects(
    cells: pl.DataFrame,
    metric: str,
    names: Sequence[str] = FACTORS,
    reference: Mapping[str, str] = REFERENCE,
    *,
    invocations: pl.DataFrame | None = None,
    legal: int | None = None,
) -> pl.DataFrame:
    """The factor by which each level changes `metric`, columns as in `EFFECTS_SCHEMA`.

    One row a level of every option that varies; the reference itself has effect 1, equal bounds and
    no p-value. Where the grid lacks an option's reference level, its first level is taken, and the
    column `reference` says so. `UnfitGridError` names options that never vary apart.

    `invocations` (`nizkbench.cells.cell_invocations`) tell the error of measuring, and `legal` how
    many combinations the cells are of. Without invocations of two blocks, or without that number,
    the cells are taken as few of very many.
    """
    factors = factors_of(cells, names)
    y = _logarithms(cells, metric)
    at = [
        one.levels.index(reference[one.name]) if reference.get(one.name) in one.levels else 0
        for one in factors
    ]
    blocks = [one.indicators(place) for one, place in zip(factors, at, strict=True)]
    design = np.hstack([np.ones((len(y), 1)), *blocks])
    count = design.shape[1]
    if len(y) <= count:
        raise UnfitGridError(
            f"{len(y)} cells are too few for {count} effects; take a larger fraction of the grid"
        )
    if np.linalg.matrix_rank(design) < count:
        raise UnfitGridError(
            f"the effects of {', '.join(_confounded(factors, blocks))} cannot be told apart, since"
            " these options never vary independently in the cells; measure more combinations"
        )
    inverse = np.linalg.inv(design.T @ design)
    coefficients = inverse @ (design.T @ y)
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    # A cell that alone carries a level has leverage one: no residual tells about its error.
    scaled = (y - design @ coefficients) / np.maximum(1 - leverage, _RANK_TOLERANCE)
    computation = _computation(cells)
    scores = np.zeros((computation.max() + 1, count))
    np.add.at(scores, computation, design * scaled[:, None])
    of_taking = ((scores @ inverse) ** 2).sum(axis=0)
    of_measuring, blocks_less_one = _of_measuring(cells, metric, inverse @ design.T, invocations)
    if blocks_less_one and legal is not None:
        of_taking = of_taking * max(1 - len(y) / legal, 0.0)
    variance = of_taking + of_measuring
    errors = np.sqrt(variance)
    # Welch and Satterthwaite's degrees of freedom for the sum of two estimated variances.
    spent = of_taking**2 / max(len(scores) - count, 1) + of_measuring**2 / max(blocks_less_one, 1)
    degrees = np.where(spent > 0, variance**2 / np.where(spent > 0, spent, 1.0), 1.0)
    reaches = t_quantile((1 + LEVEL) / 2, degrees) * errors
    rows, column = [], 1
    for one, place in zip(factors, at, strict=True):
        numbers = np.bincount(one.places, minlength=len(one.levels))
        for index, level in enumerate(one.levels):
            row = {
                "metric": metric,
                "factor": one.name,
                "level": level,
                "reference": one.levels[place],
                "cells": int(numbers[index]),
            }
            centre = error = reach = 0.0
            if index != place:
                centre, error = float(coefficients[column]), float(errors[column])
                reach, freedom = float(reaches[column]), float(degrees[column])
                ratio = abs(centre) / error if error > 0 else math.inf
                row |= {"degrees": freedom, "p_value": float(2 * t_tail(ratio, freedom))}
                column += 1
            row |= {
                "effect": math.exp(centre),
                "low": math.exp(centre - reach),
                "high": math.exp(centre + reach),
                "log_effect": centre,
                "standard_error": error,
            }
            rows.append(row)
    found = pl.DataFrame(rows, schema=EFFECTS_SCHEMA, orient="row")
    return _with_holm(found)


def departure(cells: pl.DataFrame, metric: str, names: Sequence[str] = FACTORS) -> float:
    """By what factor a cell typically departs from the product of the effects of its levels.

    exp of the root mean square residual of the model of main effects. `UnfitGridError` where no
    option varies.
    """
    factors = factors_of(cells, names)
    if not factors:
        raise UnfitGridError("no option varies in these cells, so nothing departs from an effect")
    y = _logarithms(cells, metric)
    design = np.hstack([np.ones((len(y), 1)), *(one.indicators() for one in factors)])
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return math.exp(math.sqrt(float(np.mean(residual**2))))


def interaction_effects(
    cells: pl.DataFrame, metric: str, first: str, second: str, names: Sequence[str] = FACTORS
) -> pl.DataFrame:
    """By what factor two levels together differ from what their main effects say.

    Columns: metric, first, first_level, second, second_level, effect, cells; one row a pair of
    levels that some cell has. `effect` is the geometric mean over these cells of the metric over
    what the model of main effects gives.
    """
    factors = {one.name: one for one in factors_of(cells, names)}
    y = _logarithms(cells, metric)
    design = np.hstack([np.ones((len(y), 1)), *(one.indicators() for one in factors.values())])
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    for name in (first, second):
        if name not in factors:
            raise UnfitGridError(f"option {name} does not vary in these cells")
    one, other = factors[first], factors[second]
    shape = (len(one.levels), len(other.levels))
    flat = one.places * shape[1] + other.places
    numbers = np.bincount(flat, minlength=shape[0] * shape[1])
    sums = np.bincount(flat, residual, minlength=shape[0] * shape[1])
    rows = [
        {
            "metric": metric,
            "first": first,
            "first_level": one.levels[place // shape[1]],
            "second": second,
            "second_level": other.levels[place % shape[1]],
            "effect": math.exp(sums[place] / numbers[place]),
            "cells": int(numbers[place]),
        }
        for place in range(shape[0] * shape[1])
        if numbers[place]
    ]
    return pl.DataFrame(rows)


def agreement(fraction: pl.DataFrame, whole: pl.DataFrame) -> pl.DataFrame:
    """The level effects of a fraction of a grid against those of the whole grid.

    Both are of `level_effects`, of the same metrics; columns as in `AGREEMENT_SCHEMA`, one row a
    level that both have, references left out. `inside` tells whether the whole grid's effect lies
    in the interval of the fraction's; at a level of 95 % one in twenty does not although nothing is
    wrong. `agrees` is about all levels of a metric together: the difference is not significant
    after Holm's correction. `UnfitGridError` where the two have other references or nothing in
    common.
    """
    key = ["metric", "factor", "level"]
    both = fraction.join(whole, on=key, suffix="_whole").filter(
        pl.col("level") != pl.col("reference")
    )
    if both.is_empty():
        raise UnfitGridError("the two grids have no level of an option in common")
    if not (other := both.filter(pl.col("reference") != pl.col("reference_whole"))).is_empty():
        row = other.row(0, named=True)
        raise UnfitGridError(
            f"effects of {row['factor']} are relative to {row['reference']} in one grid and to"
            f" {row['reference_whole']} in the other"
        )
    difference = (both["log_effect"] - both["log_effect_whole"]).to_numpy()
    variances = [both[f"standard_error{end}"].to_numpy() ** 2 for end in ("", "_whole")]
    degrees = [both[f"degrees{end}"].to_numpy() for end in ("", "_whole")]
    error = np.sqrt(variances[0] + variances[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        # Welch and Satterthwaite's degrees of freedom for the sum of two estimated variances.
        freedom = error**4 / sum(v**2 / d for v, d in zip(variances, degrees, strict=True))
        ratio = np.where(error > 0, np.abs(difference) / error, np.where(difference, np.inf, 0.0))
    p_value = np.asarray(2 * t_tail(ratio, np.where(error > 0, freedom, 1.0)))
    found = both.with_columns(
        pl.col("effect").alias("fraction"),
        pl.col("low").alias("fraction_low"),
        pl.col("high").alias("fraction_high"),
        pl.col("effect_whole").alias("whole"),
        pl.col("low_whole").alias("whole_low"),
        pl.col("high_whole").alias("whole_high"),
        pl.Series("ratio", np.exp(difference)),
        (
            (pl.col("low") <= pl.col("effect_whole")) & (pl.col("effect_whole") <= pl.col("high"))
        ).alias("inside"),
        pl.Series("p_value", p_value),
    )
    return (
        _with_holm(found)
        .with_columns((pl.col("p_value_holm") >= 1 - LEVEL).alias("agrees"))
        .select(pl.col(name).cast(kind) for name, kind in AGREEMENT_SCHEMA.items())
    )


# ── Least squares ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Left:
    """What a model leaves: its residual sum of squares, and its rank without the constant."""

    squares: float
    rank: int


class _Subsets:
    """Least-squares fits of many subsets of the same columns, all from one matrix of products."""

    def __init__(self, blocks: Mapping[tuple[str, ...], Floats], y: Floats) -> None:
        design = np.hstack(list(blocks.values()))
        design = design - design.mean(axis=0)  # takes the constant out of every model
        scale = np.linalg.norm(design, axis=0)
        design = design / np.where(scale > _RANK_TOLERANCE, scale, 1.0)
        centred = y - y.mean()
        self.total = float(centred @ centred)
        self._products = design.T @ design
        self._towards = design.T @ centred
        ends = np.cumsum([block.shape[1] for block in blocks.values()])
        self.blocks = {
            name: np.arange(end - block.shape[1], end)
            for (name, block), end in zip(blocks.items(), ends, strict=True)
        }
        self._found: dict[tuple[tuple[str, ...], ...], _Left] = {}

    def residual(self, names: tuple[tuple[str, ...], ...]) -> _Left:
        """The fit with the blocks called `names`."""
        if names not in self._found:
            self._found[names] = self._fit(names)
        return self._found[names]

    def _fit(self, names: tuple[tuple[str, ...], ...]) -> _Left:
        if not names:
            return _Left(self.total, 0)
        at = np.concatenate([self.blocks[name] for name in names])
        values, vectors = np.linalg.eigh(self._products[np.ix_(at, at)])
        kept = values > _RANK_TOLERANCE * values[-1]
        along = vectors[:, kept].T @ self._towards[at]
        explained = float((along**2 / values[kept]).sum())
        return _Left(max(self.total - explained, 0.0), int(kept.sum()))


def _computation(cells: pl.DataFrame) -> NDArray[np.intp]:
    """A number from 0 on for the computation of each cell; shape (cells,)."""
    if "computation" not in cells.columns:
        return np.arange(cells.height)
    return cells["computation"].rank("dense").to_numpy().astype(np.intp) - 1


def _of_measuring(
    cells: pl.DataFrame, metric: str, estimator: Floats, invocations: pl.DataFrame | None
) -> tuple[Floats, int]:
    """The variance of estimates that measuring makes, and its degrees of freedom; none is zero.

    `estimator`, of shape (estimates, cells), makes them of the logarithms of `metric`, which are
    means over invocations. What a block adds to an estimate is that of its deviations from them;
    with a value of each cell in each block this is Student's variance of the estimates of blocks.
    What a cell keeps over all blocks, as its core is, no block tells of.
    """
    nothing = np.zeros(len(estimator)), 0
    if invocations is None:
        return nothing
    log = pl.col(metric).log()
    aside = (log - log.mean().over("configuration")) / pl.len().over("configuration")
    found = (
        invocations.join(cells.select("configuration").with_row_index("place"), on="configuration")
        .select("block", "place", aside=aside)
        .sort("block", "place", "aside")
    )
    added = np.stack(
        [
            estimator[:, block["place"].to_numpy()] @ block["aside"].to_numpy()
            for _, block in found.group_by("block", maintain_order=True)
        ]
    )
    blocks = len(added)
    if blocks < 2:
        return nothing
    return blocks / (blocks - 1) * (added**2).sum(axis=0), blocks - 1


def _logarithms(cells: pl.DataFrame, metric: str) -> Floats:
    values = cells[metric].cast(pl.Float64)
    if values.null_count() or values.is_nan().any() or (values <= 0).any():
        raise UnfitGridError(f"{metric} is missing or not positive in a cell, so it has no log")
    return np.log(values.to_numpy())


def _products(one: Floats, other: Floats) -> Floats:
    """Every column of one factor times every column of another."""
    return np.asarray((one[:, :, None] * other[:, None, :]).reshape(len(one), -1))


def _confounded(factors: Sequence[Factor], blocks: Sequence[Floats]) -> list[str]:
    """The factors one of whose columns follows from those of the others."""
    ones = np.ones((len(blocks[0]), 1))
    names = []
    for index, one in enumerate(factors):
        others = np.hstack([ones, *(b for place, b in enumerate(blocks) if place != index)])
        both = np.hstack([others, blocks[index]])
        ranks = np.linalg.matrix_rank(both), np.linalg.matrix_rank(others)
        if ranks[0] - ranks[1] < blocks[index].shape[1]:
            names.append(one.name)
    return names


def _with_holm(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with `p_value_holm`, over its rows that have a p-value."""
    numbers = frame["p_value"].cast(pl.Float64).to_numpy().astype(np.float64, copy=True)
    known = ~np.isnan(numbers)
    numbers[known] = holm(numbers[known])
    return frame.with_columns(pl.Series("p_value_holm", numbers).fill_nan(None))
