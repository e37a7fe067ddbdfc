"""How often a STARK prover and verifier do what costs time, counted from the options.

For the statement `mimc-preimage` as the runner `winterfell` proves it (its README and `air.rs`:
two columns, a composition polynomial of two columns, a periodic column as long as the trace) with
winterfell 0.13.1. Nothing here is measured: with n rows of the trace, blowup b, N = n·b points of
the low-degree-extension domain and folding factor f, the counts follow from the options alone.

Queries are drawn with replacement and opened once each, so that counts of what is opened are
expectations: of q draws, s equally likely places are hit by s·(1 − (1 − 1/s)^q) on average. A query
folds to the place modulo the size of the next domain, which leaves it equally likely.
"""

import numpy as np
import polars as pl

from nizkbench.cells import OPTIONS
from nizkbench.intervals import Floats
from nizkbench.proof_size import DIGEST_BYTES, ELEMENT_BYTES
from nizkbench.security import EXTENSION_DEGREES, MIMC, fri_layers

#: Columns of the trace; the composition polynomial has as many.
COLUMNS = MIMC.width

#: Transition and boundary constraints that a coefficient is drawn for.
CONSTRAINTS = MIMC.constraints

#: Options of which several levels may come to the same computation.
IDLE = ("folding", "remainder_max_degree")

#: What one permutation of each hash absorbs, in bytes, and whether padding may take one more.
_RATES = {
    "blake3-192": (64, False),
    "blake3-256": (64, False),
    "sha3-256": (136, True),
    "rp64-256": (64, False),
    "rpjive64-256": (32, False),
}


def operations(cells: pl.DataFrame) -> pl.DataFrame:
    """The counts of every cell, one row a cell in the same order; all columns are `pl.Float64`.

    `cells` has `rounds`, `field` and the options as columns (`nizkbench.cells.CELLS_SCHEMA`).
    Columns that begin with `prover_` or `verifier_` count that party's operations. Elements are of
    the extension unless they say `base`.
    """
    one = _Cells(cells)
    return pl.DataFrame({**_shape(one), **_prover(one), **_verifier(one)})


def computations(cells: pl.DataFrame) -> pl.Series:
    """Which cells are the same computation: the first configuration of each, shape (cells,).

    FRI folds until what is left is of the greatest degree that the options allow, or less. Folding
    goes in steps, so that several bounds give the same layers and the same remainder, and where no
    layer is needed, no folding factor does anything. Cells that are alike in all but these do the
    same work for the same proof size and the same security; the two options stand in the proof, a
    byte each. The series is called `computation`; columns as for `operations`, and `configuration`.
    """
    rest = [name for name in OPTIONS if name not in IDLE]
    layers = pl.Series("layers", fri_layers(cells))
    used = pl.when(pl.col("layers") > 0).then("folding").alias("used")
    first = pl.col("configuration").min().over("rounds", "field", *rest, "layers", "used")
    return cells.with_columns(layers).with_columns(used).select(computation=first)["computation"]


def twins(cells: pl.DataFrame) -> pl.DataFrame:
    """Cells that were measured as two and are the same computation: columns one and other.

    One pair a computation, of its first two configurations, so that no two pairs share a cell.
    """
    return (
        cells.select("configuration", computations(cells))
        .sort("configuration")
        .group_by("computation", maintain_order=True)
        .agg(
            one=pl.col("configuration").get(0),
            other=pl.col("configuration").get(1, null_on_oob=True),
        )
        .drop_nulls()
        .select("one", "other")
    )


def distinct(places: Floats, draws: Floats) -> Floats:
    """How many of equally likely `places` are hit by so many `draws`, on average."""
    # log1p keeps the difference of nearly equal numbers where there are many places.
    with np.errstate(divide="ignore"):
        return np.asarray(-places * np.expm1(draws * np.log1p(-1 / places)))


class _Cells:
    """The options of the cells as columns of numbers, and what follows from them."""

    def __init__(self, cells: pl.DataFrame) -> None:
        self.rows = cells["rounds"].to_numpy().astype(np.float64) + 1
        self.queries = cells["queries"].to_numpy().astype(np.float64)
        self.blowup = cells["blowup"].to_numpy().astype(np.float64)
        self.grinding = cells["grinding"].to_numpy().astype(np.float64)
        self.folding = cells["folding"].to_numpy().astype(np.float64)
        self.degree = _looked_up(cells["extension"], EXTENSION_DEGREES)
        self.element = _looked_up(cells["field"], ELEMENT_BYTES)
        self.digest = _looked_up(cells["hash"], DIGEST_BYTES)
        self.rate = _looked_up(cells["hash"], {name: rate for name, (rate, _) in _RATES.items()})
        self.pads = _looked_up(cells["hash"], {name: pads for name, (_, pads) in _RATES.items()})
        self.partitions = cells["partitions"].to_numpy().astype(np.float64)
        self.hash_rate = cells["hash_rate"].to_numpy().astype(np.float64)
        self.draws = np.where(cells["batching_constraints"] == "linear", CONSTRAINTS, 1) + np.where(
            cells["batching_deep"] == "linear", 2 * COLUMNS, 1
        )
        self.domain = self.rows * self.blowup
        self.opened = distinct(self.domain, self.queries)
        self.sizes, self.exists = self._layers(cells["remainder_max_degree"].to_numpy())
        self.layers = self.exists.sum(axis=0).astype(np.float64)
        self.remainder = self.rows / self.folding**self.layers

    def _layers(self, greatest_degree: Floats) -> tuple[Floats, Floats]:
        """Size of the domain that each FRI layer is committed over; shape (layers, cells), and 0/1.

        Layers that a cell lacks have one leaf, so that their logarithms are defined.
        """
        sizes, exists = [], []
        coefficients = self.rows.copy()
        while (more := coefficients > greatest_degree + 1).any():
            sizes.append(np.where(more, coefficients * self.blowup, self.folding))
            exists.append(more.astype(np.float64))
            coefficients = np.where(more, coefficients / self.folding, coefficients)
        shape = (len(sizes), len(self.rows))
        return np.array(sizes).reshape(shape), np.array(exists).reshape(shape)

    def permutations(self, elements: Floats) -> Floats:
        """Permutations of the hash that absorb so many base-field elements in one call."""
        size = elements * self.element
        whole = np.floor(size / self.rate) + 1
        return np.asarray(np.where(self.pads > 0, whole, np.maximum(np.ceil(size / self.rate), 1)))

    def row_hash(self, columns: int, degree: Floats) -> tuple[Floats, Floats, Floats]:
        """Permutations, calls and elements that hash one row, split into partitions or not.

        `PartitionOptions::partition_size`: a row is not split finer than the declared hash rate.
        """
        least = np.floor(self.hash_rate / degree)
        size = np.maximum(np.ceil(columns / self.partitions), least)
        size = np.where(self.partitions == 1, columns, size)
        parts = np.ceil(columns / size)
        split = parts > 1
        last = columns - (parts - 1) * size
        elements = np.full_like(self.rows, columns) * degree
        inner = (parts - 1) * self.permutations(size * degree) + self.permutations(last * degree)
        # The digests of the parts are hashed as bytes, one after another.
        outer = self.permutations(parts * self.digest / self.element)
        return (
            np.where(split, inner + outer, self.permutations(elements)),
            np.where(split, parts + 1, 1.0),
            np.where(split, elements + parts * self.digest / self.element, elements),
        )

    def layer_sum(self, each: Floats) -> Floats:
        """The sum over the layers that a cell has; `each` has shape (layers, cells)."""
        return np.asarray((each * self.exists).sum(axis=0))

    def tree_openings(self, leaves: Floats) -> tuple[Floats, Floats]:
        """Merges to the root and sibling digests of one batch opening."""
        merges, siblings = np.zeros_like(leaves), np.zeros_like(leaves)
        size = leaves.copy()
        while (size >= 2).any():
            inner = size >= 2
            parents = np.where(inner, distinct(np.maximum(size / 2, 1), self.queries), 0.0)
            children = np.where(inner, distinct(np.maximum(size, 1), self.queries), 0.0)
            merges += parents
            siblings += 2 * parents - children
            size = size / 2
        return merges, siblings

    def openings(self) -> tuple[Floats, Floats]:
        """Merges and sibling digests over all trees: trace, composition and layers."""
        total = [2 * one for one in self.tree_openings(self.domain)]
        for size, exists in zip(self.sizes, self.exists, strict=True):
            layer = self.tree_openings(np.maximum(size / self.folding, 1))
            total = [sum_ + exists * one for sum_, one in zip(total, layer, strict=True)]
        return total[0], total[1]

    def coin(self) -> tuple[Floats, Floats, Floats]:
        """Permutations, calls and elements of the public coin, but for the proof of work.

        It absorbs the round constants, the evaluations out of the domain and the remainder, is
        seeded anew after every commitment, and draws coefficients, points and positions.
        """
        frames = np.full_like(self.rows, 4 * COLUMNS) * self.degree
        remainder = self.remainder * self.degree
        absorbed = [self.rows, frames, remainder]
        single = 2 + 2 + self.draws + 2 * self.layers + self.queries
        permutations = sum(self.permutations(one) for one in absorbed) + single
        return permutations, single + len(absorbed), self.rows + frames + remainder


def _shape(one: _Cells) -> dict[str, Floats]:
    return {
        "one": np.ones_like(one.rows),
        "rows": one.rows,
        "rows_log": one.rows * np.log2(one.rows),
        "layers": one.layers,
        "attempts": np.where(one.grinding > 0, 2.0**one.grinding, 0.0),
    }


def _prover(one: _Cells) -> dict[str, Floats]:
    base = np.ones_like(one.rows)
    trace, composition = one.row_hash(COLUMNS, base), one.row_hash(COLUMNS, one.degree)
    coin = one.coin()
    leaves = one.sizes / one.folding
    layer_row = one.permutations(one.folding * one.degree)
    counts = [one.domain * (a + b) + c for a, b, c in zip(trace, composition, coin, strict=True)]
    merges = 2 * (one.domain - 1) + one.layer_sum(leaves - 1)
    _, siblings = one.openings()
    last = one.remainder * one.blowup
    return {
        "prover_permutations": counts[0] + one.layer_sum(leaves * layer_row),
        "prover_calls": counts[1] + one.layer_sum(leaves),
        "prover_base_elements": counts[2] + one.layer_sum(one.sizes) * one.degree,
        "prover_merges": merges,
        "prover_domain": one.domain,
        "prover_domain_log": one.domain * np.log2(one.rows),
        "prover_layer_points": one.layer_sum(one.sizes),
        "prover_layer_points_log": one.layer_sum(one.sizes) * np.log2(one.folding),
        "prover_layer_rows": one.layer_sum(leaves),
        "prover_last": last,
        "prover_last_log": last * np.log2(np.maximum(last, 1)),
        "prover_opened": one.opened * (2 + one.layers),
        "prover_siblings": siblings,
        "prover_scans": one.layer_sum(distinct(leaves, one.queries)) * one.opened,
    }


def _verifier(one: _Cells) -> dict[str, Floats]:
    base = np.ones_like(one.rows)
    trace, composition = one.row_hash(COLUMNS, base), one.row_hash(COLUMNS, one.degree)
    coin = one.coin()
    folded = distinct(one.sizes / one.folding, one.queries)
    layer_row = one.permutations(one.folding * one.degree)
    merges, siblings = one.openings()
    counts = [one.opened * (a + b) + c for a, b, c in zip(trace, composition, coin, strict=True)]
    total = one.layer_sum(folded)
    last = distinct(one.remainder * one.blowup, one.queries)
    return {
        "verifier_permutations": counts[0] + total * layer_row,
        "verifier_calls": counts[1] + total,
        "verifier_base_elements": counts[2] + total * one.folding * one.degree,
        "verifier_merges": merges,
        "verifier_siblings": siblings,
        "verifier_opened": one.opened,
        "verifier_opened_log": one.opened * np.log2(one.domain),
        "verifier_folded": total,
        "verifier_folded_points": total * one.folding,
        "verifier_folded_squares": total * one.folding**2,
        "verifier_folded_log": one.layer_sum(folded * np.log2(one.sizes)),
        "verifier_remainder": last * one.remainder,
        "verifier_last_log": last * np.log2(np.maximum(one.remainder * one.blowup, 1)),
        "verifier_scans": one.layer_sum(folded) * one.opened,
    }


def _looked_up(names: pl.Series, values: dict[str, int] | dict[str, bool]) -> Floats:
    return names.replace_strict(values, return_dtype=pl.Float64).to_numpy()
