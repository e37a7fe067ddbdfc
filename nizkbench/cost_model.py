"""What a cell will cost before it is measured: models of prove time, verify time and proof size.

A cost is a sum of parts that are each a count times a price:

    cost = Σ count(options, rounds) · price(field, extension or hash)

Counts come from the algorithm (`nizkbench.operations`); prices are what is fitted, and none may be
negative (non-negative least squares; Lawson and Hanson, Solving Least Squares Problems, 1974,
chapter 23). Errors of times are relative, so squared relative errors are minimised. With prices for
hashing by field and hash and for arithmetic by field and extension, options act together as they do
in the prover: a dear hash costs more under a greater blowup, without a parameter for the pair.

Passed over: a regression of logarithms on the levels of the options with every two-way interaction
(`nizkbench.effects`). It needs a parameter for each pair of levels, knows nothing of a level it has
not seen, and cannot say that a cost is a sum of which proof of work is one part.

A model is judged on cells it never saw: a random fifth of them (`held_out`), and every level of an
option in turn (`leave_one_level_out`), which asks whether it knows more than its table. Cells that
are the same computation are held out together: seen in its twin, a cell is no stranger. What is
held out depends on names alone; the parts were written down from the algorithm, and were not
selected by the error on what was held out. `elsewhere` predicts another run, made at another time.
`regressed` gives what the regression that was passed over says of the same cells.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nizkbench.effects import UnfitGridError, factors_of
from nizkbench.intervals import Floats, generator
from nizkbench.operations import computations, operations
from nizkbench.proof_size import PARTS as SIZE_PARTS
from nizkbench.proof_size import proof_size

#: What a price may depend on: these columns of a cell.
GLOBAL: tuple[str, ...] = ()
FIELD = ("field",)
COINS = ("field", "extension")
HASH = ("field", "hash")

#: The parts of each metric's cost, and whose price each has: counts of `nizkbench.operations`, and
#: bytes of `nizkbench.proof_size`, whose price is one if they are right.
PARTS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "prove_ns": (
        ("one", HASH),
        ("attempts", HASH),
        ("prover_permutations", HASH),
        ("prover_calls", HASH),
        ("prover_base_elements", HASH),
        ("prover_merges", HASH),
        ("one", COINS),
        ("rows", COINS),
        ("rows_log", COINS),
        ("prover_domain", COINS),
        ("prover_domain_log", COINS),
        ("prover_layer_points", COINS),
        ("prover_layer_points_log", COINS),
        ("prover_layer_rows", COINS),
        ("prover_last", COINS),
        ("prover_last_log", COINS),
        ("layers", GLOBAL),
        ("prover_opened", GLOBAL),
        ("prover_siblings", GLOBAL),
        ("prover_scans", GLOBAL),
    ),
    "verify_ns": (
        ("one", HASH),
        ("verifier_permutations", HASH),
        ("verifier_calls", HASH),
        ("verifier_base_elements", HASH),
        ("verifier_merges", HASH),
        ("one", COINS),
        ("rows", COINS),
        ("rows_log", FIELD),
        ("verifier_opened", COINS),
        ("verifier_opened_log", FIELD),
        ("verifier_folded", COINS),
        ("verifier_folded_points", COINS),
        ("verifier_folded_squares", COINS),
        ("verifier_folded_log", FIELD),
        ("verifier_remainder", COINS),
        ("verifier_last_log", FIELD),
        ("verifier_siblings", GLOBAL),
        ("layers", GLOBAL),
        ("verifier_scans", GLOBAL),
    ),
    "proof_bytes": tuple((f"predicted_{part}", GLOBAL) for part in SIZE_PARTS),
}

#: The share of the cells that a random split keeps from the fit.
HELD_OUT_SHARE = 0.2

#: Directions of prices that cells tell of by less than this share of the greatest are not told of.
UNDETERMINED = 1e-6

PRICES_SCHEMA = pl.Schema(
    {
        "metric": pl.String,
        "part": pl.String,
        "of": pl.String,
        "price": pl.Float64,
        "share": pl.Float64,
        "cells": pl.Int64,
    }
)

PREDICTIONS_SCHEMA = pl.Schema(
    {
        "metric": pl.String,
        "split": pl.String,
        "factor": pl.String,
        "level": pl.String,
        "configuration": pl.String,
        "measured": pl.Float64,
        "predicted": pl.Float64,
        "relative_error": pl.Float64,
    }
)

ERRORS_SCHEMA = pl.Schema(
    {
        "metric": pl.String,
        "split": pl.String,
        "factor": pl.String,
        "level": pl.String,
        "cells": pl.Int64,
        "predicted": pl.Int64,
        "median": pl.Float64,
        "quantile_90": pl.Float64,
        "greatest": pl.Float64,
        "bias": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True)
class CostModel:
    """A fitted model of one metric.

    `prices` has columns as in `PRICES_SCHEMA`: `of` names whose price it is (`f64/quadratic`,
    `f64/sha3-256`, `f64`, or `all`), `price` is in the metric's unit for one count, `share` the
    mean over the fitted cells it applies to of the part of their cost, `cells` how many these are.
    """

    metric: str
    prices: pl.DataFrame

    def predict(self, cells: pl.DataFrame) -> Floats:
        """The metric of every cell, shape (cells,); NaN for a cell with a price that is unknown.

        A price is unknown where no fitted cell had that field, extension or hash.
        """
        design, columns = _design(cells, self.metric)
        known = {
            (part, of): price
            for part, of, price in self.prices.select("part", "of", "price").iter_rows()
        }
        prices = np.array([known.get(column, np.nan) for column in columns])
        unknown = np.isnan(prices)
        predicted = design @ np.where(unknown, 0.0, prices)
        return np.asarray(np.where((design[:, unknown] != 0).any(axis=1), np.nan, predicted))


def fit(cells: pl.DataFrame, metric: str) -> CostModel:
    """The prices that explain `metric` of `cells` best, in squared relative error.

    `cells` is a frame as `nizkbench.cells.cells` gives it. `UnfitGridError` where there are fewer
    cells than prices.
    """
    design, columns = _design(cells, metric)
    y = cells[metric].cast(pl.Float64).to_numpy()
    _enough(len(y), len(columns), metric)
    relative = design / y[:, None]
    prices = _prices(_triangle(relative))
    applies = design != 0
    numbers = applies.sum(axis=0)
    shares = (relative * prices).sum(axis=0) / np.maximum(numbers, 1)
    rows = [
        {
            "metric": metric,
            "part": part,
            "of": of,
            "price": float(prices[index]),
            "share": float(shares[index]),
            "cells": int(numbers[index]),
        }
        for index, (part, of) in enumerate(columns)
    ]
    return CostModel(metric, pl.DataFrame(rows, schema=PRICES_SCHEMA, orient="row"))


def held_out(
    cells: pl.DataFrame, metric: str, *, share: float = HELD_OUT_SHARE, name: str = "held-out"
) -> pl.DataFrame:
    """Predictions for a random `share` of the computations by a model of the others.

    Columns as in `PREDICTIONS_SCHEMA`, `split` is `random`, factor and level are null. All cells of
    one computation (`nizkbench.operations.computations`) are on the same side. Which ones are held
    out depends on `name` and their configurations alone.
    """
    ordered = cells.sort("configuration")
    computation = computations(ordered)
    every = computation.unique().sort()
    drawn = generator(name, metric).permutation(len(every)) < round(share * len(every))
    kept_out = computation.is_in(every.filter(pl.Series(drawn)).implode())
    train, test = ordered.filter(~kept_out), ordered.filter(kept_out)
    predicted = fit(train, metric).predict(test)
    return _predictions(test, predicted, metric, "random")


def elsewhere(cells: pl.DataFrame, others: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Predictions for `others`, cells of another run, by a model of what they are not.

    The model is fitted to those of `cells` that are none of their computations. Columns as in
    `PREDICTIONS_SCHEMA`, `split` is `elsewhere`, factor and level are null. Both frames are as
    `nizkbench.cells.cells` gives them. `UnfitGridError` where too few are left to fit.
    """
    every = pl.concat([others, cells]).unique("configuration", keep="first", maintain_order=True)
    computation = pl.DataFrame([every["configuration"], computations(every)])
    seen = computation.join(others, on="configuration", how="semi")
    train = cells.join(
        computation.join(seen, on="computation", how="anti"), on="configuration", how="semi"
    )
    if train.is_empty():
        raise UnfitGridError(f"no cell is left to fit {metric} to: the other run measured them all")
    return _predictions(others, fit(train, metric).predict(others), metric, "elsewhere")


def regressed(cells: pl.DataFrame, metric: str, out: pl.Series) -> tuple[pl.DataFrame, int]:
    """Predictions for the cells whose configurations are in `out` by a regression on the others.

    The regression is of the logarithm of `metric` on every level of every option that varies in
    `cells` and on every pair of levels of two options, by ordinary least squares. Predictions have
    columns as in `PREDICTIONS_SCHEMA`, `split` is `regression`, factor and level are null; the
    number is of the coefficients that the cells determine. `UnfitGridError` where there are fewer
    cells than coefficients.
    """
    mains = [one.indicators() for one in factors_of(cells)]
    pairs = [
        (one[:, :, None] * other[:, None, :]).reshape(cells.height, -1)
        for one, other in itertools.combinations(mains, 2)
    ]
    design = np.hstack([np.ones((cells.height, 1)), *mains, *pairs])
    at = cells["configuration"].is_in(out.implode()).to_numpy()
    y = np.log(cells[metric].cast(pl.Float64).to_numpy())
    if (~at).sum() < design.shape[1]:
        raise UnfitGridError(
            f"{(~at).sum()} cells are too few to fit {design.shape[1]} coefficients to {metric};"
            " take a larger fraction of the grid"
        )
    coefficients, _, rank, _ = np.linalg.lstsq(design[~at], y[~at], rcond=None)
    predicted = np.exp(design[at] @ coefficients)
    test = cells.filter(pl.Series(at))
    return _predictions(test, predicted, metric, "regression"), int(rank)


def leave_one_level_out(
    cells: pl.DataFrame, metric: str, names: Sequence[str] = ()
) -> pl.DataFrame:
    """Predictions for all cells of each level by a model of the cells without that level.

    Columns as in `PREDICTIONS_SCHEMA`, `split` is `level`. `names` are factors
    (`nizkbench.effects.FACTORS`), all that vary if empty. Cells whose cost the fitted cells do not
    determine have null predictions: those with a part that none of these has, as the hashing of a
    hash that was never fitted, and those that prices which fit equally well give different costs.
    """
    parts = []
    design, _ = _design(cells, metric)
    relative = design / cells[metric].cast(pl.Float64).to_numpy()[:, None]
    orthogonal, triangle = np.linalg.qr(np.column_stack([relative, np.ones(cells.height)]))
    applies = design != 0
    for factor in factors_of(cells):
        if names and factor.name not in names:
            continue
        rows = [np.flatnonzero(factor.places == place) for place in range(len(factor.levels))]
        # The cells without a level are those of all others, and so are their sums of products:
        # those of orthogonal columns, in which little is lost to rounding.
        products = np.stack([orthogonal[at].T @ orthogonal[at] for at in rows])
        paid = np.array([applies[at].any(axis=0) for at in rows])
        for place, (level, at) in enumerate(zip(factor.levels, rows, strict=True)):
            known = np.delete(paid, place, axis=0).any(axis=0)
            _enough(cells.height - len(at), int(known.sum()), metric)
            left = _root(np.delete(products, place, axis=0).sum(axis=0)) @ triangle
            prices = _prices(left[:, [*known, True]])
            told = _determined(relative[at][:, known], left[:, :-1][:, known])
            told &= ~applies[at][:, ~known].any(axis=1)
            predicted = np.where(told, design[at][:, known] @ prices, np.nan)
            parts.append(_predictions(cells[at], predicted, metric, "level", factor.name, level))
    if not parts:
        raise UnfitGridError("no option varies in these cells, so no level can be left out")
    return pl.concat(parts)


def errors(predictions: pl.DataFrame) -> pl.DataFrame:
    """How far predictions are off, columns as in `ERRORS_SCHEMA`.

    One row a metric, split, factor and level; `predicted` counts the cells with a prediction.
    `median`, `quantile_90` and `greatest` are of the absolute relative error, `bias` is the median
    of the signed one; all null where nothing could be predicted.
    """
    by = ["metric", "split", "factor", "level"]
    off = pl.col("relative_error")
    return (
        predictions.group_by(by, maintain_order=True)
        .agg(
            pl.len().alias("cells"),
            off.count().alias("predicted"),
            off.abs().median().alias("median"),
            off.abs().quantile(0.9, "linear").alias("quantile_90"),
            off.abs().max().alias("greatest"),
            off.median().alias("bias"),
        )
        .select(pl.col(name).cast(kind) for name, kind in ERRORS_SCHEMA.items())
    )


def _triangle(relative: Floats) -> Floats:
    """The triangular factor of a design beside a target of ones; shape (columns + 1, columns + 1).

    It has the same least squares in as many rows as there are columns.
    """
    return np.linalg.qr(np.column_stack([relative, np.ones(len(relative))]), mode="r")


def _root(products: Floats) -> Floats:
    """A matrix whose products with itself are `products`; shape (columns, columns), both."""
    values, vectors = np.linalg.eigh(products)
    return np.asarray(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)


def _determined(rows: Floats, factor: Floats) -> NDArray[np.bool_]:
    """Which rows have one cost by all prices of least squares; shape (rows,).

    Those that lie in the space of the rows that were fitted, of which `factor` is a factor.
    """
    scale = np.linalg.norm(factor, axis=0)
    scaled = rows / scale
    _, values, directions = np.linalg.svd(factor / scale)
    open_ = directions[values < UNDETERMINED * values[0]]
    aside = np.linalg.norm(scaled @ open_.T, axis=1)
    return np.asarray(aside <= UNDETERMINED * np.linalg.norm(scaled, axis=1))


def _prices(factor: Floats) -> Floats:
    """The prices, none below zero, of the least squares of a factor; its last column is the target.

    `factor` has shape (rows, prices + 1).
    """
    from scipy import optimize  # slow to load, and only this function needs it

    design, target = factor[:, :-1], factor[:, -1]
    scale = np.linalg.norm(design, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return np.asarray(optimize.nnls(design / scale, target)[0] / scale)


def _enough(cells: int, prices: int, metric: str) -> None:
    if cells < prices:
        raise UnfitGridError(
            f"{cells} cells are too few to fit the {prices} prices of {metric}; take a larger"
            " fraction of the grid"
        )


def _predictions(
    test: pl.DataFrame,
    costs: Floats,
    metric: str,
    split: str,
    factor: str | None = None,
    level: str | None = None,
) -> pl.DataFrame:
    predicted = pl.Series("predicted", costs).fill_nan(None)
    found = test.select(
        pl.lit(metric).alias("metric"),
        pl.lit(split).alias("split"),
        pl.lit(factor, pl.String).alias("factor"),
        pl.lit(level, pl.String).alias("level"),
        "configuration",
        pl.col(metric).cast(pl.Float64).alias("measured"),
        predicted,
        (predicted / pl.col(metric) - 1).alias("relative_error"),
    )
    return found.select(pl.col(name).cast(kind) for name, kind in PREDICTIONS_SCHEMA.items())


def _counted(cells: pl.DataFrame, metric: str) -> pl.DataFrame:
    """The cells with the counts of every part of a metric; as they are if they have them."""
    if all(part in cells.columns for part, _ in PARTS[metric]):
        return cells
    if metric == "proof_bytes":
        return proof_size(cells)
    counts = operations(cells)  # expected attempts among them, in the place of the measured ones
    return cells.drop(counts.columns, strict=False).hstack(counts)


def _design(cells: pl.DataFrame, metric: str) -> tuple[Floats, list[tuple[str, str]]]:
    """Counts of every part for whoever has the price; shape (cells, prices), and what they are."""
    counts = _counted(cells, metric)
    columns: list[Floats] = []
    names: list[tuple[str, str]] = []
    for part, group in PARTS[metric]:
        count = counts[part].to_numpy()
        if not group:
            columns.append(count)
            names.append((part, "all"))
            continue
        of = cells.select(pl.concat_str(*group, separator="/").alias("of"))["of"]
        for one in of.unique().sort():
            columns.append(np.where(of == one, count, 0.0))
            names.append((part, one))
    return np.stack(columns, axis=1), names
