"""Bytes of a STARK proof, predicted from its parameters alone.

A proof of winterfell 0.13.1 is, in this order (as `provers/winterfell/src/wire.rs` reads it; ints
are of fixed length, vints as short as they can be with seven bits a byte):

    context               trace shape 6, modulus 1 + element, options 10, constraints vint
    distinct queries      1
    commitments           2 + one digest for trace, composition, each FRI layer and the remainder
    trace queries         vint + a row an opened point, vint + batch opening
    composition queries   the same with rows of the composition columns
    out-of-domain frame   twice 2 + 1 + two rows, of trace and of composition columns
    FRI                   1 + each layer: 4 + folding elements an opened leaf, 4 + batch opening
    remainder             2 + its coefficients
    partitions, nonce     1 + 8

A *batch opening* of some leaves of a tree is its depth, a vint with the number of its lists, one
for each pair of sibling leaves that holds an opened one, and for each list its length (one byte)
and its nodes. Nodes are digests that cannot be computed from what is opened: in each level, the
sibling of each touched node that is not touched itself.

What is random is which points are opened. Queries are q independent uniform positions among the N
of the evaluation domain, N = 2ⁿ; equal ones are opened once, and a FRI layer with N′ leaves is
opened at the positions modulo N′. Level j of a tree whose leaves are the low s bits of positions is
thus numbered by the bits s − j to s − 1: the touched nodes of every level of every tree are the
distinct values D of some *window* of bits of q uniform words. With b bits in the window,

    E[D] = 2ᵇ (1 − (1 − 2⁻ᵇ)^q).

A level with D touched nodes below one with D′ lacks 2D′ − D, so a tree of depth s has
2 + D₁ + … + D₍ₛ₋₁₎ − Dₛ nodes and D₍ₛ₋₁₎ lists: the size is a constant plus a weighted sum of
distinct values, and its expectation follows by linearity, exactly. So does its variance, from

    Cov(D, D′) = 2^(b + b′ − o) (1 − 2⁻ᵇ − 2⁻ᵇ′ + 2^(o − b − b′))^q
               + (2^(b + b′) − 2^(b + b′ − o)) (1 − 2⁻ᵇ − 2⁻ᵇ′)^q
               − 2^(b + b′) ((1 − 2⁻ᵇ)(1 − 2⁻ᵇ′))^q

for windows that share o bits: of the pairs of values, those that agree in the shared bits can occur
in one word. Only the lengths of the vints are not linear. Their expected number of bytes takes the
number that they hold as normal; they differ from cell to cell by a few bytes and in most cells do
not vary at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

from nizkbench.intervals import Floats
from nizkbench.security import EXTENSION_DEGREES, FIELD_ORDERS, MIMC, Air, fri_layers

Integers = NDArray[np.int64]

#: Bytes of a serialised digest: Rescue's are four elements of f64.
DIGEST_BYTES = {
    "blake3-192": 24,
    "blake3-256": 32,
    "sha3-256": 32,
    "rp64-256": 32,
    "rpjive64-256": 32,
}

#: Bytes of a serialised element of a base field.
ELEMENT_BYTES = {name: (order.bit_length() + 7) // 8 for name, order in FIELD_ORDERS.items()}

#: The parts of a proof, each a column of `proof_size`: trace, composition and fri are the values
#: opened and their Merkle nodes, fixed is the context, the counts and the nonce.
PARTS = ("fixed", "commitments", "trace", "composition", "out_of_domain", "fri", "remainder")

#: A vint is one byte longer from each of these numbers on.
_VINT_STEPS = (1 << 7, 1 << 14, 1 << 21)


@dataclass(frozen=True, slots=True)
class Opening:
    """What a batch opening of a tree has: opened leaves, lists, and nodes in all lists together."""

    leaves: int
    lists: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Shape:
    """All that the size of a proof depends on.

    `depth` is log₂ of the evaluation domain, `folding_bits` that of the folding factor; `layers`
    are those of FRI that are committed to with a tree. `context` is the bytes of the context,
    `digest` of a digest, `element` of an element of the extension field, `trace_row` and
    `composition_row` of what a leaf commits to, `out_of_domain` of the frame's elements, and
    `remainder` of the coefficients that FRI ends with.
    """

    queries: int
    depth: int
    folding_bits: int
    layers: int
    context: int
    digest: int
    element: int
    trace_row: int
    composition_row: int
    out_of_domain: int
    remainder: int

    @property
    def depths(self) -> tuple[int, ...]:
        """Depths of the opened trees: trace, composition, FRI layers."""
        folded = (self.depth - self.folding_bits * layer for layer in range(1, self.layers + 1))
        return self.depth, self.depth, *folded

    @property
    def rows(self) -> tuple[int, ...]:
        """Bytes that an opened leaf of each tree commits to."""
        layer_row = self.element << self.folding_bits
        return self.trace_row, self.composition_row, *([layer_row] * self.layers)

    def openings(self, positions: Integers) -> list[Opening]:
        """What is opened of each tree for these query positions, shape (queries,)."""
        found = []
        for depth in self.depths:
            leaves = np.unique(positions & ((1 << depth) - 1))
            touched, nodes = leaves, 0
            lists = len(np.unique(leaves >> 1))
            for _ in range(depth):
                above = np.unique(touched >> 1)
                nodes += 2 * len(above) - len(touched)
                touched = above
            found.append(Opening(len(leaves), lists, nodes))
        return found

    def proof_bytes(self, openings: Sequence[Opening]) -> int:
        """Bytes of a proof that opens so much of each of `depths`: exact."""
        total = sum(
            _unopened(
                self.layers, self.context, self.digest, self.out_of_domain, self.remainder
            ).values()
        )
        for place, (row, opening) in enumerate(zip(self.rows, openings, strict=True)):
            values = opening.leaves * row
            paths = 1 + vint_bytes(opening.lists) + opening.lists + opening.nodes * self.digest
            total += values + paths
            if place < 2:
                total += vint_bytes(values) + vint_bytes(paths)
        return total


def _unopened[Bytes: (int, Integers)](
    layers: int, context: Bytes, digest: Bytes, out_of_domain: Bytes, remainder: Bytes
) -> dict[str, Bytes | int]:
    """Bytes of the parts that no query changes, and of what fri has besides its openings."""
    return {
        "fixed": context + 1 + 1 + 8,
        "commitments": 2 + (2 + layers + 1) * digest,
        "out_of_domain": 2 * (2 + 1) + out_of_domain,
        "fri": 1 + 8 * layers,
        "remainder": 2 + remainder,
    }


def vint_bytes(number: int) -> int:
    """Bytes of a variable-length integer below 2^28."""
    return 1 + sum(number >= step for step in _VINT_STEPS)


def shapes(cells: pl.DataFrame, air: Air = MIMC) -> list[Shape]:
    """The shape of each cell, in order; cells as for `proof_size`."""
    columns = _columns(cells, air)
    rows = zip(*(columns[name].tolist() for name in columns), strict=True)
    return [Shape(**dict(zip(columns, row, strict=True))) for row in rows]


def proof_size(cells: pl.DataFrame, air: Air = MIMC) -> pl.DataFrame:
    """The cells with the expected bytes of their proofs.

    Adds `predicted_bytes`, the standard deviation of one proof about it, `predicted_std`, and the
    expectation of each of `PARTS` as `predicted_PART`. `cells` has the columns rounds, field,
    extension, queries, blowup, folding, remainder_max_degree and hash, with the values that the
    runner's options have; all cells must be legal. Grinding, batching and partitions change no
    size.
    """
    columns = _columns(cells, air)
    predicted = {name: np.zeros(cells.height) for name in (*PARTS, "std")}
    keys = np.stack([columns[name] for name in ("queries", "depth", "folding_bits", "layers")], 1)
    groups, place = np.unique(keys, axis=0, return_inverse=True)
    place = place.ravel()
    order = np.argsort(place, kind="stable")
    for group, at in enumerate(np.split(order, np.cumsum(np.bincount(place))[:-1])):
        queries, depth, folding_bits, layers = (int(value) for value in groups[group])
        some = {name: values[at] for name, values in columns.items()}
        for name, values in _predict(queries, depth, folding_bits, layers, some).items():
            predicted[name][at] = values
    total = np.sum([predicted[name] for name in PARTS], axis=0)
    return cells.with_columns(
        pl.Series("predicted_bytes", total),
        pl.Series("predicted_std", predicted["std"]),
        *(pl.Series(f"predicted_{name}", predicted[name]) for name in PARTS),
    )


def expected_distinct(queries: int, bits: Floats) -> Floats:
    """Expected distinct values of `queries` uniform words of so many bits."""
    cells = 2.0**bits
    return np.asarray(-cells * np.expm1(queries * np.log1p(-1 / cells)))


def distinct_covariance(queries: int, bits: Floats, others: Floats, shared: Floats) -> Floats:
    """Covariance of the distinct values of two windows of the bits of `queries` uniform words.

    `bits` and `others` are how many bits the windows have, 1 or more, and `shared` how many of them
    are the same. Arranged so that no two large numbers cancel.
    """
    pairs = 2.0 ** (bits + others)
    possible = pairs / 2.0**shared
    x, y = 2.0**-bits, 2.0**-others
    neither = (1 - x) * (1 - y)
    # Probability that a word has neither of two values that exclude each other; 0 for two halves.
    apart = 1 - x - y
    with np.errstate(divide="ignore", invalid="ignore"):
        together = np.where(
            apart > 0,
            apart**queries * np.expm1(queries * np.log1p(x * y * 2.0**shared / apart)),
            (x * y * 2.0**shared) ** queries,
        )
        independent = np.where(
            apart > 0,
            neither**queries * np.expm1(queries * np.log1p(-x * y / neither)),
            -(neither**queries),
        )
    return np.asarray(possible * together + pairs * independent)


@cache
def _windows(depths: tuple[int, ...]) -> tuple[Integers, Integers]:
    """First bit and bit after the last of every level, root left out, of trees of these depths."""
    first = np.concatenate([depth - np.arange(1, depth + 1) for depth in depths])
    return first, np.repeat(np.array(depths), depths)


def _predict(
    queries: int, depth: int, folding_bits: int, layers: int, columns: dict[str, Integers]
) -> dict[str, Floats]:
    """Expected bytes by part and the standard deviation, for cells that open the same trees."""
    # Trace and composition are opened at the same leaves and so have their windows in common.
    depths = (depth, *(depth - folding_bits * layer for layer in range(1, layers + 1)))
    first, end = _windows(depths)
    bits = (end - first).astype(np.float64)
    mean = expected_distinct(queries, bits)
    shared = np.minimum.outer(end, end) - np.maximum.outer(first, first)
    covariance = distinct_covariance(
        queries, bits[:, None], bits[None, :], np.maximum(shared, 0).astype(np.float64)
    )
    cells = len(columns["digest"])
    digest = columns["digest"].astype(np.float64)
    layer_row = columns["element"] << folding_bits
    rows = [columns["trace_row"], columns["composition_row"], *([layer_row] * layers)]
    unopened = _unopened(
        layers,
        columns["context"],
        columns["digest"],
        columns["out_of_domain"],
        columns["remainder"],
    )
    parts = {name: np.zeros(cells) + unopened.get(name, 0) for name in PARTS}
    weights = np.zeros((cells, len(bits)))
    for tree, row in enumerate(rows):
        which = max(tree - 1, 0)
        start = sum(depths[:which])
        levels = slice(start, start + depths[which])
        leaves = levels.stop - 1
        paths = np.zeros_like(weights)
        paths[:, levels] = digest[:, None]
        paths[:, leaves] = -digest
        constant = 1 + 2 * digest
        if depths[which] > 1:
            paths[:, leaves - 1] += 1
            constant += _vint_mean(
                mean[leaves - 1], covariance[leaves - 1, leaves - 1], np.ones(cells)
            )
        else:
            constant += 1 + 1
        opened = paths @ mean + constant
        part = ("trace", "composition")[tree] if tree < 2 else "fri"
        parts[part] += opened + row * mean[leaves]
        if tree < 2:
            spread = _quadratic(paths, covariance)
            parts[part] += _vint_mean(mean[leaves], covariance[leaves, leaves], row)
            parts[part] += _vint_mean(opened, spread, np.ones(cells))
        weights += paths
        weights[:, leaves] += row
    variance = _quadratic(weights, covariance)
    return parts | {"std": np.sqrt(np.maximum(variance, 0))}


def _quadratic(weights: Floats, covariance: Floats) -> Floats:
    """Variance of each row's weighted sum."""
    return np.asarray(((weights @ covariance) * weights).sum(axis=1))


def _columns(cells: pl.DataFrame, air: Air) -> dict[str, Integers]:
    """The fields of `Shape`, an array of shape (n,) each."""

    def looked_up(name: str, table: dict[str, int]) -> Integers:
        return cells[name].replace_strict(table, return_dtype=pl.Int64).to_numpy()

    def numbers(name: str) -> Integers:
        return cells[name].cast(pl.Int64).to_numpy()

    length, folding = numbers("rounds") + 1, numbers("folding")
    layers = fri_layers(cells)
    base = looked_up("field", ELEMENT_BYTES)
    element = base * looked_up("extension", EXTENSION_DEGREES)
    composition_row = air.composition_columns * element
    return {
        "queries": numbers("queries"),
        "depth": _log2(length * numbers("blowup")),
        "folding_bits": _log2(folding),
        "layers": layers,
        "context": 6 + 1 + base + 10 + vint_bytes(air.constraints),
        "digest": looked_up("hash", DIGEST_BYTES),
        "element": element,
        "trace_row": air.width * base,
        "composition_row": composition_row,
        "out_of_domain": 2 * (air.width * element + composition_row),
        "remainder": length // folding**layers * element,
    }


def _log2(powers: Integers) -> Integers:
    """Exponents of powers of two."""
    return np.frexp(powers.astype(np.float64))[1].astype(np.int64) - 1


def _vint_mean(mean: Floats | float, variance: Floats | float, scale: Integers | Floats) -> Floats:
    """Expected bytes of the vint of `scale` times a whole number with this mean and variance."""
    bytes_ = np.ones(len(scale))
    spread = np.sqrt(np.maximum(variance, 1e-12))
    for step in _VINT_STEPS:
        bytes_ += special.ndtr((mean - np.ceil(step / scale) + 0.5) / spread)
    return bytes_
