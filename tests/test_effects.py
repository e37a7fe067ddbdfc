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
    departure,
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


BLOCKS = 6


def measured(truth: pl.DataFrame, *, noise: float, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Cells and invocations of a grid that was measured in `BLOCKS` blocks, some slower.

    Half of the cells are slowed by what is their block's alone.
    """
    rng = np.random.default_rng(seed)
    logs = rng.normal(0, noise, (len(truth), BLOCKS)) + rng.normal(0, 3 * noise, BLOCKS)
    logs += np.log(truth["prove_ns"].to_numpy())[:, None]
    logs[truth["blowup"].to_numpy() > 8] += rng.normal(0, noise, BLOCKS)
    named = truth.with_row_index("row").with_columns(pl.format("c{}", "row").alias("configuration"))
    invocations = pl.DataFrame(
        {
            "configuration": np.repeat(named["configuration"].to_list(), BLOCKS),
            "block": np.tile(np.arange(BLOCKS), len(truth)),
            "prove_ns": np.exp(logs).ravel(),
        }
    )
    return named.with_columns(prove_ns=pl.Series(np.exp(logs.mean(axis=1)))), invocations


def test_the_interval_of_a_whole_grid_is_students_of_the_effects_of_its_blocks() -> None:
    cells, invocations = measured(frame(GRID, together=1.5), noise=0.05, seed=1)
    found = level_effects(cells, "prove_ns", invocations=invocations, legal=len(GRID))
    (row,) = rows(found, factor="blowup", level="32")
    of_blocks = [
        rows(
            level_effects(cells.drop("prove_ns").join(block, on="configuration"), "prove_ns"),
            factor="blowup",
            level="32",
        )[0]["log_effect"]
        for _, block in invocations.group_by("block")
    ]
    reach = stats.t.ppf(0.975, BLOCKS - 1) * np.std(of_blocks, ddof=1) / math.sqrt(BLOCKS)
    assert row["effect"] == pytest.approx(math.exp(np.mean(of_blocks)))
    assert row["degrees"] == pytest.approx(BLOCKS - 1)
    assert math.log(row["high"] / row["low"]) == pytest.approx(2 * reach)


@pytest.mark.parametrize("taken", [len(GRID), 80])
def test_intervals_cover_the_effects_of_all_legal_combinations(taken: int) -> None:
    whole = frame(GRID, together=2.0)
    truth = {
        (row["factor"], row["level"]): row["effect"]
        for row in level_effects(whole, "prove_ns").iter_rows(named=True)
    }
    covered, tests, widths = 0, 0, []
    for seed in range(150):
        part = whole.sample(taken, seed=seed)
        cells, invocations = measured(part, noise=0.02, seed=seed)
        found = level_effects(cells, "prove_ns", invocations=invocations, legal=len(GRID))
        many = level_effects(cells, "prove_ns", invocations=invocations)
        widths.append((found["high"] / found["low"]).log().sum())
        assert widths[-1] < (many["high"] / many["low"]).log().sum()
        for row in found.filter(pl.col("level") != pl.col("reference")).iter_rows(named=True):
            covered += row["low"] <= truth[row["factor"], row["level"]] <= row["high"]
            tests += 1
    assert 0.92 < covered / tests < (0.98 if taken == len(GRID) else 1.0)


def test_a_computation_that_was_measured_twice_is_counted_once() -> None:
    alone = frame(GRID, noise=0.1).with_row_index("row")
    alone = alone.with_columns(pl.format("c{}", "row").alias("computation"))
    twice = pl.concat([alone, alone])
    once, again, apart = (
        rows(level_effects(cells, "prove_ns"), factor="blowup", level="32")[0]
        for cells in (alone, twice, twice.drop("computation"))
    )
    assert again["effect"] == pytest.approx(once["effect"])
    assert again["standard_error"] == pytest.approx(once["standard_error"], rel=0.05)
    assert again["degrees"] == once["degrees"]
    assert apart["standard_error"] == pytest.approx(once["standard_error"] / math.sqrt(2), rel=0.05)
    errors = [
        rows(analysis_of_variance(cells, "prove_ns"), term=RESIDUAL)[0]["degrees"]
        for cells in (alone, twice)
    ]
    assert errors[0] == errors[1]


def test_a_cell_departs_from_a_product_of_effects_as_far_as_options_act_together() -> None:
    assert departure(frame(GRID), "prove_ns") == pytest.approx(1.0, abs=1e-9)
    assert departure(frame(GRID, noise=0.1), "prove_ns") == pytest.approx(math.exp(0.1), rel=0.02)
    assert departure(frame(GRID, together=2.0), "prove_ns") > 1.1


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
