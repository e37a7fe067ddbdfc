"""Size of a proof: its expectation from first principles, its bytes from what it opens."""

import itertools
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from nizkbench.proof_size import (
    PARTS,
    Opening,
    Shape,
    distinct_covariance,
    expected_distinct,
    proof_size,
    shapes,
    vint_bytes,
)
from nizkbench.security import Air
from tests.stark_proofs import AS_PUBLISHED, DEFAULT, drawn_cells, prove

WIDE = drawn_cells(
    4000,
    seed=5,
    rounds=[2**k - 1 for k in range(3, 13)],
    blowups=[2, 4, 8, 16, 32, 64, 128],
    grinding=[0],
)

#: What the runner proves in a few milliseconds each.
PROVED = drawn_cells(
    60,
    seed=7,
    rounds=[7, 15, 31, 63, 127, 255],
    blowups=[2, 4, 8, 16, 32],
    grinding=[0, 3],
)

PROOFS = 16


@pytest.fixture(scope="module")
def proofs(tmp_path_factory: pytest.TempPathFactory) -> tuple[pl.DataFrame, Path]:
    folder = tmp_path_factory.mktemp("proofs")
    sizes, _ = prove(PROVED, PROOFS, folder)
    return sizes, folder


@pytest.mark.slow
def test_mean_size_of_real_proofs_is_the_predicted_one(
    proofs: tuple[pl.DataFrame, Path],
) -> None:
    sizes, _ = proofs
    found = sizes.group_by("cell").agg(pl.col("bytes").mean(), pl.len()).sort("cell")
    assert found["len"].to_list() == [PROOFS] * PROVED.height
    predicted = proof_size(PROVED)
    mean, expected = found["bytes"].to_numpy(), predicted["predicted_bytes"].to_numpy()
    spread = predicted["predicted_std"].to_numpy() / np.sqrt(PROOFS)
    vary = spread > 0.5
    assert np.abs(mean - expected)[~vary].max(initial=0) < 1
    deviation = (mean - expected)[vary] / spread[vary]
    # The sum of squares and the sum are those of standard normal deviates.
    assert 0.001 < stats.chi2.sf((deviation**2).sum(), vary.sum()) < 0.999
    assert abs(deviation.sum()) / np.sqrt(vary.sum()) < 3.3
    assert abs((mean / expected).mean() - 1) < 0.002
    assert np.abs(deviation).max() < 4
    assert np.median(np.abs(mean / expected - 1)) < 0.005


@pytest.mark.slow
def test_real_proofs_scatter_as_predicted(proofs: tuple[pl.DataFrame, Path]) -> None:
    sizes, _ = proofs
    variance = sizes.group_by("cell").agg(pl.col("bytes").var()).sort("cell")["bytes"].to_numpy()
    predicted = proof_size(PROVED)["predicted_std"].to_numpy()
    vary = predicted > 5
    ratio = (variance[vary] / predicted[vary] ** 2).mean()
    assert abs(ratio - 1) < 4 * np.sqrt(2 / (PROOFS - 1) / vary.sum())


@pytest.mark.slow
def test_distinct_queries_of_real_proofs_are_the_expected_ones(
    proofs: tuple[pl.DataFrame, Path],
) -> None:
    sizes, _ = proofs
    mean = sizes.group_by("cell").agg(pl.col("unique_queries").mean()).sort("cell")
    expected, variance = [], []
    for shape in shapes(PROVED):
        bits = np.array(float(shape.depth))
        expected.append(float(expected_distinct(shape.queries, bits)))
        variance.append(float(distinct_covariance(shape.queries, bits, bits, bits)))
    gap = mean["unique_queries"].to_numpy() - np.array(expected)
    vary = np.array(variance) > 1e-3
    deviation = gap[vary] / np.sqrt(np.array(variance)[vary] / PROOFS)
    assert 0.001 < stats.chi2.sf((deviation**2).sum(), vary.sum()) < 0.999
    assert np.abs(gap[~vary]).max(initial=0) < 0.05


@pytest.mark.slow
def test_size_is_exact_given_what_a_real_proof_opens(proofs: tuple[pl.DataFrame, Path]) -> None:
    _, folder = proofs
    for place, shape in enumerate(shapes(PROVED)):
        proof = (folder / str(place) / "proof.bin").read_bytes()
        assert shape.proof_bytes(openings_of(proof, shape)) == len(proof)


@pytest.mark.slow
def test_size_is_exact_for_another_air(tmp_path: Path) -> None:
    cells = drawn_cells(12, seed=19, rounds=[15, 255], blowups=[4, 16], grinding=[0])
    prove(cells, 1, tmp_path, AS_PUBLISHED)
    for place, shape in enumerate(shapes(cells, Air(width=3, constraints=5, degree=3))):
        proof = (tmp_path / str(place) / "proof.bin").read_bytes()
        assert shape.proof_bytes(openings_of(proof, shape)) == len(proof)


class Bytes:
    """Serialised bytes, read from the front."""

    def __init__(self, content: bytes) -> None:
        self.rest = content

    def take(self, count: int) -> bytes:
        assert count <= len(self.rest)
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def integer(self, length: int) -> int:
        return int.from_bytes(self.take(length), "little")

    def vint(self) -> int:
        length = (self.rest[0] & -self.rest[0]).bit_length()
        return self.integer(length) >> length


def openings_of(proof: bytes, shape: Shape) -> list[Opening]:
    """What a proof says that it opens, read by its own lengths to its last byte."""
    left = Bytes(proof)
    left.take(shape.context)
    distinct = left.integer(1)
    left.take(left.integer(2))
    found = []
    for tree, (row, depth) in enumerate(zip(shape.rows, shape.depths, strict=True)):
        if tree == 2:
            skip_out_of_domain(left, shape)
        length = left.vint if tree < 2 else lambda: left.integer(4)
        values = left.take(length())
        leaves, odd = divmod(len(values), row)
        assert odd == 0
        found.append(opening(Bytes(left.take(length())), leaves, depth, shape.digest))
    if shape.layers == 0:
        skip_out_of_domain(left, shape)
    left.take(left.integer(2))
    left.take(1 + 8)
    assert left.rest == b""
    assert found[0].leaves == found[1].leaves == distinct
    return found


def skip_out_of_domain(left: Bytes, shape: Shape) -> None:
    left.take(left.integer(2))
    left.take(left.integer(2))
    assert left.integer(1) == shape.layers


def opening(paths: Bytes, leaves: int, depth: int, digest: int) -> Opening:
    assert paths.integer(1) == depth
    lists = paths.vint()
    nodes = 0
    for _ in range(lists):
        nodes += len(paths.take(paths.vint() * digest)) // digest
    assert paths.rest == b""
    return Opening(leaves, lists, nodes)


@pytest.mark.slow
def test_expectation_and_spread_are_those_of_positions_drawn_at_random() -> None:
    rng = np.random.default_rng(11)
    draws = 200
    cells = WIDE[:40]
    predicted = proof_size(cells)
    deviations, ratios = [], []
    for shape, mean, spread in zip(
        shapes(cells), predicted["predicted_bytes"], predicted["predicted_std"], strict=True
    ):
        sizes = np.array(
            [
                shape.proof_bytes(shape.openings(rng.integers(0, 1 << shape.depth, shape.queries)))
                for _ in range(draws)
            ]
        )
        if spread < 5:
            assert abs(sizes.mean() - mean) < 1
            continue
        deviations.append((sizes.mean() - mean) / (spread / np.sqrt(draws)))
        ratios.append(sizes.var(ddof=1) / spread**2)
    squares = (np.array(deviations) ** 2).sum()
    assert 0.001 < stats.chi2.sf(squares, len(deviations)) < 0.999
    assert abs(np.mean(ratios) - 1) < 4 * np.sqrt(2 / (draws - 1) / len(ratios))


@pytest.mark.parametrize("queries", [4, 8, 42, 88, 89, 90, 140, 254])
def test_expected_lengths_of_vints_are_those_of_positions_drawn_at_random(queries: int) -> None:
    """Four distinct queries open 128 bytes of the trace, where a vint takes a second byte."""
    cells = pl.DataFrame([DEFAULT | {"queries": queries, "rounds": 2047}])
    (shape,) = shapes(cells)
    levels = expected_distinct(queries, np.arange(1.0, shape.depth + 1))
    nodes = 2 + levels[:-1].sum() - levels[-1]
    counted = levels[-1] * shape.trace_row + 1 + levels[-2] + nodes * shape.digest
    expected = proof_size(cells)["predicted_trace"].item() - counted
    rng = np.random.default_rng(29)
    drawn = []
    for _ in range(300):
        one = shape.openings(rng.integers(0, 1 << shape.depth, queries))[0]
        paths = 1 + vint_bytes(one.lists) + one.lists + one.nodes * shape.digest
        values = one.leaves * shape.trace_row
        drawn.append(vint_bytes(one.lists) + vint_bytes(values) + vint_bytes(paths))
    assert expected == pytest.approx(np.mean(drawn), abs=0.1)


@pytest.mark.parametrize("queries", [1, 2, 3, 4])
def test_moments_of_windows_are_those_of_all_words(queries: int) -> None:
    """Every way to draw the words is tried, and every pair of windows of their bits."""
    width = 3
    words = np.array(list(itertools.product(range(1 << width), repeat=queries)))
    windows = [(low, high) for low in range(width) for high in range(low + 1, width + 1)]
    distinct = {
        (low, high): np.array(
            [len(set(draw)) for draw in (words >> low) & ((1 << (high - low)) - 1)]
        )
        for low, high in windows
    }
    for one, other in itertools.product(windows, windows):
        bits, others = (np.array(float(high - low)) for low, high in (one, other))
        assert expected_distinct(queries, bits) == pytest.approx(distinct[one].mean())
        shared = max(min(one[1], other[1]) - max(one[0], other[0]), 0)
        covariance = np.cov(distinct[one], distinct[other], bias=True)[0, 1]
        assert distinct_covariance(queries, bits, others, np.array(float(shared))) == pytest.approx(
            covariance, abs=1e-9
        )


def test_parts_add_up_to_the_whole() -> None:
    found = proof_size(WIDE)
    total = found.select(pl.sum_horizontal(f"predicted_{part}" for part in PARTS)).to_series()
    assert (total - found["predicted_bytes"]).abs().max() == pytest.approx(0, abs=1e-6)
    assert (
        found.select(pl.min_horizontal(f"predicted_{part}" for part in PARTS) > 0).to_series().all()
    )


def test_one_query_has_one_path_to_each_tree() -> None:
    cells = pl.DataFrame([DEFAULT | {"queries": 1}])
    (shape,) = shapes(cells)
    # 2048 leaves, one FRI layer of 256 after folding by 8, down to 32 coefficients.
    assert shape.depths == (11, 11, 8)
    opened = [Opening(1, 1, depth) for depth in shape.depths]
    assert shape.openings(np.array([1234])) == opened
    found = proof_size(cells).row(0, named=True)
    assert found["predicted_std"] == pytest.approx(0, abs=1e-3)
    assert found["predicted_bytes"] == pytest.approx(shape.proof_bytes(opened), abs=1e-6)
    # Context 34, commitments 2 + 4 digests, two rows of 2 elements opened, 2 · 11 + 8 nodes, …
    paths = 2 * (2 + 3) + 2 * 11 * 32 + 3 + 8 * 32
    values = 2 * (1 + 2 * 16) + 4 + 8 * 16 + 4
    frame = 2 * 3 + 2 * 4 * 16
    assert shape.proof_bytes(opened) == (
        34 + 1 + (2 + 4 * 32) + values + paths + frame + 1 + (2 + 32 * 16) + 1 + 8
    )


def test_a_tree_that_is_opened_whole_needs_no_nodes() -> None:
    (shape,) = shapes(pl.DataFrame([DEFAULT | {"rounds": 7, "queries": 30, "blowup": 4}]))
    assert shape.openings(np.arange(32))[0] == Opening(32, 16, 0)


def test_ten_thousand_cells_of_a_grid_take_few_seconds() -> None:
    options: dict[str, list[object]] = {
        "queries": [16, 24, 32, 42, 50, 64, 80, 100, 128, 160, 200, 254],
        "blowup": [8, 16, 32, 64],
        "folding": [2, 4, 8, 16],
        "remainder_max_degree": [7, 15, 31, 63, 127],
        "extension": ["none", "quadratic"],
        "hash": ["blake3-192", "blake3-256", "sha3-256"],
        "field": ["f128", "f64"],
    }
    rows = [
        DEFAULT | dict(zip(options, values, strict=True))
        for values in itertools.product(*options.values())
    ]
    cells = pl.DataFrame(rows)
    assert cells.height > 10_000
    started = time.monotonic()
    proof_size(cells)
    assert time.monotonic() - started < 5
