"""What is counted of a prover and a verifier is what happens."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

from nizkbench.operations import computations, distinct, operations, twins
from nizkbench.proof_size import proof_size
from nizkbench.security import library_bits, security
from tests.made_grid import crossed

WANTED = crossed(
    queries=[8, 42, 120],
    blowup=[4, 16],
    folding=[2, 8],
    remainder_max_degree=[7, 255],
    extension=["none", "quadratic"],
)


def counted(cell: Mapping[str, Any]) -> dict[str, float]:
    return operations(pl.DataFrame([cell])).row(0, named=True)


def opened(positions: set[int], leaves: int) -> tuple[int, int]:
    """Merges and sibling digests of a batch opening, level by level."""
    merges = siblings = 0
    while leaves > 1:
        parents = {position // 2 for position in positions}
        merges += len(parents)
        siblings += 2 * len(parents) - len(positions)
        positions, leaves = parents, leaves // 2
    return merges, siblings


def simulated(cell: Mapping[str, Any], rng: np.random.Generator) -> tuple[int, int, int]:
    """Merges, sibling digests and opened rows of the layers of one proof with random queries."""
    rows = cell["rounds"] + 1
    domain = rows * cell["blowup"]
    positions = {int(one) for one in rng.integers(domain, size=cell["queries"])}
    merges, siblings = (2 * one for one in opened(positions, domain))
    folded, coefficients = 0, rows
    while coefficients > cell["remainder_max_degree"] + 1:
        domain //= cell["folding"]
        coefficients //= cell["folding"]
        positions = {one % domain for one in positions}
        folded += len(positions)
        layer = opened(positions, domain)
        merges, siblings = merges + layer[0], siblings + layer[1]
    return merges, siblings, folded


def test_expected_distinct_queries_are_those_of_a_simulation() -> None:
    rng = np.random.default_rng(1)
    drawn = [len(set(rng.integers(128, size=42).tolist())) for _ in range(4000)]
    expected = float(distinct(np.array([128.0]), np.array([42.0]))[0])
    assert np.mean(drawn) == pytest.approx(expected, rel=0.01)
    assert float(distinct(np.array([2.0**40]), np.array([42.0]))[0]) == pytest.approx(42.0)
    assert float(distinct(np.array([1.0]), np.array([42.0]))[0]) == 1.0


@pytest.mark.parametrize("cell", WANTED[:: len(WANTED) // 12])
def test_expected_openings_are_those_of_a_simulation(cell: dict[str, Any]) -> None:
    rng = np.random.default_rng(2)
    mean = np.mean([simulated(cell, rng) for _ in range(400)], axis=0)
    found = counted(cell)
    columns = ("verifier_merges", "verifier_siblings", "verifier_folded")
    assert [found[name] for name in columns] == pytest.approx(mean.tolist(), rel=0.02, abs=0.3)


def test_layers_stop_at_the_remainder() -> None:
    for cell in WANTED:
        found = counted(cell)
        remainder = (cell["rounds"] + 1) / cell["folding"] ** found["layers"]
        assert remainder <= cell["remainder_max_degree"] + 1
        assert remainder * cell["folding"] > cell["remainder_max_degree"] + 1 or not found["layers"]


def test_prover_hashes_two_rows_a_point_and_merges_them_to_one_root() -> None:
    (cell,) = crossed(remainder_max_degree=[255], queries=[1])
    found = counted(cell)
    assert found["layers"] == 0
    assert found["prover_domain"] == 2048
    assert found["prover_merges"] == 2 * 2047
    coin = found["prover_calls"] - 2 * 2048
    assert 0 < coin < 100


def test_partitions_split_a_row_no_finer_than_the_hash_rate() -> None:
    calls = {
        (parts, rate): counted({**crossed()[0], "partitions": parts, "hash_rate": rate})[
            "prover_calls"
        ]
        for parts in (1, 2, 4)
        for rate in (1, 2)
    }
    assert calls[2, 1] == calls[4, 1]
    assert calls[2, 1] - calls[1, 1] == 2 * 2 * 2048
    assert calls[2, 2] == calls[1, 1]


def test_rows_do_not_depend_on_one_another() -> None:
    together = operations(pl.DataFrame(WANTED))
    for index, cell in enumerate(WANTED):
        alone = counted(cell)
        for name, value in together.row(index, named=True).items():
            assert math.isclose(value, alone[name], rel_tol=1e-12), name


def named(wanted: list[dict[str, Any]]) -> pl.DataFrame:
    return (
        pl.DataFrame(wanted)
        .with_row_index("row")
        .with_columns(
            pl.format("c{}", pl.col("row").cast(pl.String).str.zfill(4)).alias("configuration")
        )
    )


#: 256 rows fold to 128, 64, 32, …, to 64, 16, 4, or to 16, 1.
IDLE = crossed(
    folding=[2, 4, 16], remainder_max_degree=[7, 15, 31, 127, 255], grinding=[0], blowup=[4, 8]
)


def test_bounds_that_folding_does_not_tell_apart_are_one_computation() -> None:
    cells = named(IDLE)
    cells = cells.with_columns(computations(cells)).filter(pl.col("blowup") == 8)
    groups = {
        (folding, tuple(sorted(group["remainder_max_degree"])))
        for (_, folding), group in cells.filter(pl.col("remainder_max_degree") < 255).group_by(
            "computation", "folding"
        )
    }
    by_two = {(2, (7,)), (2, (15,)), (2, (31,)), (2, (127,))}
    assert groups == by_two | {
        (4, (7,)),
        (4, (15, 31)),
        (4, (127,)),
        (16, (7,)),
        (16, (15, 31, 127)),
    }
    # Without a layer no folding factor does anything.
    whole = cells.filter(pl.col("remainder_max_degree") == 255)
    assert whole["computation"].n_unique() == 1
    assert whole["folding"].n_unique() == 3


def test_what_is_one_computation_has_the_same_counts_size_and_security() -> None:
    cells = named(IDLE)
    known = proof_size(library_bits(security(cells))).with_columns(computations(cells))
    for _, group in known.group_by("computation"):
        assert operations(group).unique().height == 1
        for name in ("predicted_bytes", "predicted_std", "library_conjectured", "library_udr"):
            assert group[name].n_unique() == 1
    assert known["computation"].n_unique() < known.height


def test_twins_share_no_cell() -> None:
    cells = named(IDLE)
    pairs = twins(cells)
    both = [*pairs["one"], *pairs["other"]]
    assert len(both) == len(set(both)) > 0
    of = dict(zip(cells["configuration"], computations(cells), strict=True))
    assert all(of[one] == of[other] for one, other in pairs.iter_rows())
    several = computations(cells).value_counts().filter(pl.col("count") > 1)
    assert pairs.height == several.height
