"""The cost model finds the prices that made the costs, and is judged on cells it never saw."""

import math

import numpy as np
import polars as pl
import pytest

from nizkbench.cost_model import (
    ERRORS_SCHEMA,
    PARTS,
    PREDICTIONS_SCHEMA,
    PRICES_SCHEMA,
    elsewhere,
    errors,
    fit,
    held_out,
    leave_one_level_out,
    regressed,
)
from nizkbench.effects import UnfitGridError
from nizkbench.operations import computations, operations
from nizkbench.proof_size import proof_size
from tests.made_grid import crossed

METRICS = tuple(PARTS)


def grid(count: int = 600) -> list[dict[str, object]]:
    """Cells of both fields, drawn at random from a crossed grid."""
    shared = {
        "queries": [16, 27, 42, 80],
        "blowup": [4, 8, 16],
        "grinding": [0, 8, 16],
        "folding": [2, 4, 8],
        "remainder_max_degree": [15, 63, 255],
        "partitions": [1, 2],
    }
    every = [
        {**cell, "field": field, "extension": extension, "hash": hash_, "rounds": rounds}
        for cell in crossed(**shared)
        for field, extension, hash_ in (
            ("f128", "none", "blake3-256"),
            ("f128", "quadratic", "sha3-256"),
            ("f64", "quadratic", "blake3-256"),
            ("f64", "cubic", "sha3-256"),
        )
        for rounds in (63, 255)
    ]
    order = np.random.default_rng(1).permutation(len(every))[:count]
    return [every[index] for index in order]


def priced(wanted: list[dict[str, object]], noise: float = 0.0, seed: int = 1) -> pl.DataFrame:
    """Cells whose metrics are sums of counts times prices that depend on whose they are."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(wanted).with_row_index("row")
    frame = frame.with_columns(pl.format("c{}", "row").alias("configuration"))
    for metric, parts in PARTS.items():
        counts = proof_size(frame) if metric == "proof_bytes" else operations(frame)
        total = np.zeros(frame.height)
        for part, group in parts:
            of = (
                frame.select(pl.concat_str(*group, separator="/").alias("of"))["of"]
                if group
                else pl.Series(["all"] * frame.height)
            )
            # A price that its name decides, so that every seed has the same prices.
            price = {one: 1 + (sum(map(ord, f"{metric}{part}{one}")) % 17) for one in of.unique()}
            scale = {"one": 500.0, "attempts": 0.1}.get(part, 1.0)
            total += counts[part].to_numpy() * scale * of.replace_strict(price).to_numpy()
        total *= np.exp(rng.normal(0, noise, frame.height))
        frame = frame.with_columns(pl.Series(metric, total))
    return frame


@pytest.mark.parametrize("metric", METRICS)
def test_costs_that_are_sums_of_parts_are_predicted_exactly(metric: str) -> None:
    cells = priced(grid())
    found = held_out(cells, metric)
    assert found.schema == PREDICTIONS_SCHEMA
    every = cells.with_columns(computations(cells))
    out = every.join(found.select("configuration"), on="configuration", how="semi")
    assert out["computation"].n_unique() == round(0.2 * every["computation"].n_unique())
    assert (found["relative_error"].abs() < 1e-6).all()


@pytest.mark.parametrize("metric", METRICS)
def test_noise_of_a_cell_is_all_that_the_model_misses(metric: str) -> None:
    (row,) = errors(held_out(priced(grid(), noise=0.02), metric)).rows(named=True)
    half_normal = 0.6745
    assert row["median"] < 1.4 * half_normal * 0.02
    assert abs(row["bias"]) < 0.01


def test_no_price_is_negative_and_shares_of_every_cell_add_up() -> None:
    cells = priced(grid(), noise=0.1)
    for metric in METRICS:
        model = fit(cells, metric)
        assert model.prices.schema == PRICES_SCHEMA
        assert (model.prices["price"] >= 0).all()
        weighted = (model.prices["share"] * model.prices["cells"]).sum() / cells.height
        mean = float((model.predict(cells) / cells[metric].to_numpy()).mean())
        assert weighted == pytest.approx(mean)


def test_which_cells_are_held_out_depends_on_their_names_alone() -> None:
    cells = priced(grid(400), noise=0.05)
    first = held_out(cells, "prove_ns")
    again = held_out(cells.reverse(), "prove_ns")
    assert first["configuration"].to_list() == again["configuration"].to_list()
    assert first["predicted"].to_numpy() == pytest.approx(again["predicted"].to_numpy(), rel=1e-9)
    other = held_out(cells, "prove_ns", name="another split")
    assert set(other["configuration"]) != set(first["configuration"])


def test_cells_that_are_the_same_computation_are_held_out_together() -> None:
    cells = priced(grid())
    cells = cells.with_columns(computations(cells))
    assert cells["computation"].n_unique() < cells.height
    out = set(held_out(cells, "prove_ns")["configuration"])
    for _, group in cells.group_by("computation"):
        assert len(out & set(group["configuration"])) in (0, group.height)


def test_held_out_cells_do_not_touch_the_fit() -> None:
    cells = priced(grid(400))
    out = held_out(cells, "verify_ns")["configuration"].to_list()
    spoilt = cells.with_columns(
        verify_ns=pl.col("verify_ns")
        * pl.when(pl.col("configuration").is_in(out)).then(100.0).otherwise(1.0)
    )
    first, second = held_out(cells, "verify_ns"), held_out(spoilt, "verify_ns")
    assert second["predicted"].to_numpy() == pytest.approx(first["predicted"].to_numpy(), rel=1e-6)


def test_a_level_that_was_never_fitted_is_predicted_where_counts_tell_of_it() -> None:
    names = ["queries", "blowup", "grinding", "folding", "remainder_max_degree"]
    found = errors(leave_one_level_out(priced(grid()), "prove_ns", names))
    assert found.schema == ERRORS_SCHEMA
    assert found["factor"].unique(maintain_order=True).to_list() == names
    assert found["level"].to_list()[:4] == ["16", "27", "42", "80"]
    # Costs that the rest determines are exact, and there are some of every level but few.
    assert (found["greatest"] < 1e-4).all()
    assert (found["predicted"] > 0).sum() > 0.7 * found.height


def test_a_cost_that_equally_good_prices_disagree_about_is_not_predicted() -> None:
    # Cells of one size do not tell what a row costs from what comes with every proof.
    found = leave_one_level_out(priced(grid(), noise=0.01), "prove_ns", ["rounds"])
    assert found.height == 600
    assert found["predicted"].null_count() == found.height
    known = errors(found)
    assert known["predicted"].to_list() == [0, 0]
    assert known["median"].null_count() == 2


def test_a_price_that_nobody_paid_is_unknown_and_not_nothing() -> None:
    cells = priced(grid())
    model = fit(cells.filter(pl.col("hash") != "sha3-256"), "prove_ns")
    predicted = model.predict(cells)
    assert np.isnan(predicted).tolist() == (cells["hash"] == "sha3-256").to_list()
    found = errors(leave_one_level_out(cells, "prove_ns", ["hash"]))
    assert found["median"].null_count() == found.height == 2


def test_another_run_is_predicted_from_what_it_did_not_measure() -> None:
    cells = priced(grid())
    others = cells.sample(80, seed=1)
    found = elsewhere(cells, others, "prove_ns")
    assert found.schema == PREDICTIONS_SCHEMA
    assert found["configuration"].to_list() == others["configuration"].to_list()
    assert (found["relative_error"].abs() < 1e-6).all()
    # What is spoilt here is what the other run measured, some of it as another cell.
    seen = cells.with_columns(computations(cells)).join(
        others.select("configuration"), on="configuration", how="semi"
    )
    both = pl.col("computation").is_in(seen["computation"].implode())
    factor = pl.when(both).then(100.0).otherwise(1.0)
    spoilt = cells.with_columns(computations(cells)).with_columns(pl.col("prove_ns") * factor)
    again = elsewhere(spoilt.drop("computation"), others, "prove_ns")
    assert again["predicted"].to_numpy() == pytest.approx(found["predicted"].to_numpy())
    with pytest.raises(UnfitGridError, match="the other run measured them all"):
        elsewhere(cells, cells, "proof_bytes")


def test_a_regression_on_pairs_is_exact_where_costs_multiply_in_pairs() -> None:
    wanted = crossed(queries=[16, 27, 42], blowup=[2, 4, 8], hash=["blake3-256", "sha3-256"])
    cells = pl.DataFrame(wanted).with_row_index("row")
    product = pl.col("queries") ** 0.5 * pl.col("blowup") ** (pl.col("queries") / 40)
    cells = cells.with_columns(
        pl.format("c{}", "row").alias("configuration"),
        (product * pl.when(pl.col("hash") == "sha3-256").then(3.0).otherwise(1.0)).alias(
            "prove_ns"
        ),
    )
    out = pl.Series(["c4"])
    found, coefficients = regressed(cells, "prove_ns", out)
    assert coefficients == 1 + (2 + 2 + 1) + (4 + 2 + 2)
    assert found.schema == PREDICTIONS_SCHEMA
    assert found["configuration"].to_list() == ["c4"]
    assert abs(found["relative_error"][0]) < 1e-9
    with pytest.raises(UnfitGridError, match="13 cells are too few to fit 14 coefficients"):
        regressed(cells, "prove_ns", cells["configuration"].head(5))


def test_too_few_cells_are_an_error() -> None:
    with pytest.raises(UnfitGridError, match="30 cells are too few to fit"):
        fit(priced(grid(30)), "prove_ns")


def test_errors_are_quantiles_of_the_absolute_relative_error() -> None:
    off = [-0.10, -0.02, 0.0, 0.01, 0.05]
    predictions = pl.DataFrame(
        {
            "metric": "prove_ns",
            "split": "random",
            "factor": None,
            "level": None,
            "configuration": [f"c{index}" for index in range(5)],
            "measured": 1.0,
            "predicted": [1 + one for one in off],
            "relative_error": off,
        },
        schema=PREDICTIONS_SCHEMA,
    )
    (row,) = errors(predictions).rows(named=True)
    assert (row["median"], row["greatest"], row["bias"]) == (0.02, 0.10, 0.0)
    assert (row["cells"], row["predicted"]) == (5, 5)
    assert math.isclose(row["quantile_90"], 0.08)
