"""Effects of options are those that the made-up cells were given, and intervals cover them."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nizkbench.effects import (
    AGREEMENT_SCHEMA,
    EFFECTS_SCHEMA,
    FIELD_EXTENSION,
    REFERENCE,
    RESIDUAL,
    VARIANCE_SCHEMA,
    UnfitGridError,
    agreement,
    analysis_of_variance,
    factors_of,
    interaction_effects,
    level_effects,
)
from tests.made_grid import crossed

QUERIES = {16: 0.8, 42: 1.0, 80: 1.5}
BLOWUP = {4: 0.55, 8: 1.0, 16: 1.9, 32: 3.7}
HASH = {"blake3-256": 1.0, "sha3-256": 2.5}
GRID = crossed(
    queries=list(QUERIES),
    blowup=list(BLOWUP),
    hash=list(HASH),
    folding=[2, 4, 8],
    partitions=[1, 2],
)


def frame(
    wanted: list[dict[str, Any]], *, noise: float = 0.0, together: float = 1.0, seed: int = 1
) -> pl.DataFrame:
    """Cells whose time is a product of effects; `together` is an interaction of hash and blowup."""
    rng = np.random.default_rng(seed)

    def cost(cell: Mapping[str, Any]) -> float:
        product = QUERIES[cell["queries"]] * BLOWUP[cell["blowup"]] * HASH[cell["hash"]]
        if cell["hash"] == "sha3-256" and cell["blowup"] == 32:
            product *= together
        return 1e6 * product * math.exp(rng.normal(0, noise))

    return pl.DataFrame(wanted).with_columns(prove_ns=pl.Series([cost(cell) for cell in wanted]))


def rows(table: pl.DataFrame, **where: object) -> list[dict[str, Any]]:
    for column, value in where.items():
        table = table.filter(pl.col(column) == value)
    return table.rows(named=True)


def test_only_options_that_vary_are_factors_and_numbers_are_ordered_by_size() -> None:
    found = {one.name: one.levels for one in factors_of(frame(GRID))}
    assert set(found) == {"queries", "blowup", "hash", "folding", "partitions"}
    assert found["blowup"] == ("4", "8", "16", "32")


def test_field_and_extension_are_one_factor() -> None:
    wanted = [
        {**cell, "field": field, "extension": extension}
        for cell in crossed(blowup=[4, 8])
        for field, extension in (("f128", "none"), ("f64", "quadratic"), ("f64", "cubic"))
    ]
    found = {one.name: one.levels for one in factors_of(frame(wanted))}
    assert found[FIELD_EXTENSION] == ("f128/none", "f64/cubic", "f64/quadratic")


def test_exact_effects_are_recovered_relative_to_the_defaults_of_earlier_work() -> None:
    found = level_effects(frame(GRID), "prove_ns")
    assert found.schema == EFFECTS_SCHEMA
    truths: dict[str, Mapping[Any, float]] = {"queries": QUERIES, "blowup": BLOWUP, "hash": HASH}
    for factor, truth in truths.items():
        for row in rows(found, factor=factor):
            level = next(value for value in truth if str(value) == row["level"])
            assert row["effect"] == pytest.approx(truth[level], rel=1e-9)
            assert row["reference"] == REFERENCE[factor]
    for row in rows(found, factor="folding"):
        assert row["effect"] == pytest.approx(1.0, rel=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31))
def test_exact_effects_are_recovered_from_an_unbalanced_part(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = [GRID[index] for index in rng.permutation(len(GRID))[:60]]
    found = level_effects(frame(part), "prove_ns")
    for row in rows(found, factor="blowup"):
        assert row["effect"] == pytest.approx(BLOWUP[int(row["level"])], rel=1e-6)


def test_a_reference_that_was_not_measured_is_replaced_and_said() -> None:
    found = level_effects(frame(crossed(queries=[16, 80], blowup=[4, 8, 16])), "prove_ns")
    assert {row["reference"] for row in rows(found, factor="queries")} == {"16"}
    (other,) = rows(found, factor="queries", level="80")
    assert other["effect"] == pytest.approx(QUERIES[80] / QUERIES[16])


def test_intervals_of_effects_cover_and_no_effect_is_rarely_significant() -> None:
    covered, significant, tests = 0, 0, 0
    for seed in range(200):
        found = level_effects(frame(GRID, noise=0.1, seed=seed), "prove_ns")
        for factor, truth in (("queries", QUERIES), ("blowup", BLOWUP), ("folding", None)):
            for row in rows(found, factor=factor):
                if row["level"] == row["reference"]:
                    continue
                value = 1.0 if truth is None else truth[int(row["level"])]
                covered += row["low"] <= value <= row["high"]
                tests += 1
                significant += truth is None and row["p_value_holm"] < 0.05
    assert 0.93 < covered / tests < 0.97
    assert significant / 200 < 0.05


def test_sums_of_squares_of_a_balanced_grid_add_up_to_the_total() -> None:
    found = analysis_of_variance(frame(GRID, noise=0.1), "prove_ns")
    assert found.schema == VARIANCE_SCHEMA
    assert found["share"].sum() == pytest.approx(1.0, abs=1e-9)
    assert found["term"][-1] == RESIDUAL
    assert int(found["degrees"].sum()) == len(GRID) - 1


def test_analysis_of_variance_is_the_textbook_one() -> None:
    cells = frame(crossed(queries=list(QUERIES), blowup=list(BLOWUP), folding=[4, 8]), noise=0.3)
    found = analysis_of_variance(cells, "prove_ns")
    (row,) = rows(found, term="queries")
    groups = cells.with_columns(pl.col("prove_ns").log()).group_by("queries").agg("prove_ns")
    between = sum(
        len(values) * (np.mean(values) - cells["prove_ns"].log().mean()) ** 2
        for values in groups["prove_ns"].to_list()
    )
    assert row["sum_of_squares"] == pytest.approx(between)
    residual = rows(found, term=RESIDUAL)[0]
    f = (between / 2) / (residual["sum_of_squares"] / residual["degrees"])
    assert row["f"] == pytest.approx(f)
    assert row["p_value"] == pytest.approx(stats.f.sf(f, 2, residual["degrees"]))
    assert row["partial_eta_squared"] == pytest.approx(
        between / (between + residual["sum_of_squares"])
    )


def test_the_interaction_that_was_made_is_found_and_no_other() -> None:
    found = analysis_of_variance(frame(GRID, noise=0.05, together=2.0), "prove_ns")
    pairs = found.filter(pl.col("second").is_not_null())
    assert pairs["term"][0] == "blowup × hash"
    assert pairs["p_value_holm"][0] < 1e-6
    assert (pairs["p_value_holm"][1:] > 0.05).all()
    seen = interaction_effects(frame(GRID, together=2.0), "prove_ns", "blowup", "hash")
    (both,) = rows(seen, first_level="32", second_level="sha3-256")
    (other,) = rows(seen, first_level="32", second_level="blake3-256")
    # Main effects take up all but (1 − 1/4) (1 − 1/2) of a logarithm that one of 4 × 2 pairs has.
    assert both["effect"] == pytest.approx(2 ** (3 / 8))
    assert other["effect"] == pytest.approx(2 ** (-3 / 8))


def test_interactions_of_a_perfect_product_are_nothing() -> None:
    seen = interaction_effects(frame(GRID), "prove_ns", "queries", "blowup")
    assert seen["effect"].to_numpy() == pytest.approx(1.0, abs=1e-9)


def test_a_random_fraction_agrees_with_the_whole() -> None:
    agreed, inside, levels = 0, 0, 0
    for seed in range(40):
        whole = frame(GRID, noise=0.1, together=1.5, seed=seed)
        part = whole.sample(80, seed=seed)
        compared = agreement(level_effects(part, "prove_ns"), level_effects(whole, "prove_ns"))
        assert compared.schema == AGREEMENT_SCHEMA
        agreed += bool(compared["agrees"].all())
        inside += int(compared["inside"].sum())
        levels += compared.height
    assert agreed >= 38
    assert inside / levels > 0.9


def test_a_fraction_of_another_grid_does_not_agree() -> None:
    whole = frame(GRID, noise=0.05)
    slower = frame(GRID, noise=0.05, seed=2).with_columns(
        prove_ns=pl.col("prove_ns") * pl.when(pl.col("queries") == 80).then(1.5).otherwise(1.0)
    )
    compared = agreement(level_effects(slower, "prove_ns"), level_effects(whole, "prove_ns"))
    wrong = compared.filter(~pl.col("agrees"))
    assert wrong.select("factor", "level").rows() == [("queries", "80")]
    assert wrong["ratio"][0] == pytest.approx(1.5, rel=0.05)


def test_options_that_never_vary_apart_are_named() -> None:
    tied = [cell for cell in GRID if (cell["folding"] == 2) == (cell["partitions"] == 2)]
    tied = [cell for cell in tied if cell["folding"] != 4]
    with pytest.raises(UnfitGridError, match="folding, partitions cannot be told apart"):
        level_effects(frame(tied), "prove_ns")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (frame(GRID[:1]), "no option varies"),
        (frame(crossed(queries=list(QUERIES), blowup=list(BLOWUP))), "too few"),
        (frame(GRID).with_columns(prove_ns=0.0), "not positive"),
    ],
)
def test_cells_that_cannot_answer_are_an_error(cells: pl.DataFrame, words: str) -> None:
    with pytest.raises(UnfitGridError, match=words):
        analysis_of_variance(cells, "prove_ns")
