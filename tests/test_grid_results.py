"""The analysis of a grid says what is true of a made-up one, and says when it cannot."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from nizkbench import grid_advice, grid_findings, grid_tables
from nizkbench.cells import METRICS, NoGridError
from nizkbench.choice import BEST_HERE, DEFAULT, EARLIER_DEFAULT, Demands, options_of, pareto
from nizkbench.cost_model import PARTS
from nizkbench.effects import level_effects
from nizkbench.grid import Excluded, Grid, Part
from nizkbench.grid_prose import (
    distinct_computations,
    effects_beside,
    effects_meaning,
    shards,
    told_apart,
)
from nizkbench.grid_results import (
    CROSSING,
    FIELD,
    HEADLINE,
    MIN_BITS,
    ROUNDS,
    GridResults,
    grid_results,
)
from nizkbench.plan import Configuration
from nizkbench.proof_size import proof_size
from nizkbench.quantities import Quantity, plain
from nizkbench.records import SCHEMAS, Records, Run
from nizkbench.security import library_bits
from nizkbench.tables import Stacked
from tests.made_grid import ATTEMPT_NS, bits, crossed, expected_time, made_grid, verifying

WANTED = crossed(
    queries=[20, 42, 60],
    blowup=[4, 8, 16],
    grinding=[0, 8, 16],
    hash=["blake3-256", "sha3-256"],
    folding=[4, 8],
)

#: What the library says of the security of each cell, as the records have it.
KINDS = {
    "conjectured": "conjectured",
    "udr": "proven-unique-decoding",
    "ldr": "proven-list-decoding",
}


def predicted(cell: Mapping[str, Any]) -> float:
    return float(proof_size(pl.DataFrame([dict(cell)]))["predicted_bytes"][0])


def one_crossing(records: Records, name: str = CROSSING) -> Records:
    """The records with all of their cells in one crossing."""
    named = records.configurations.with_columns(series=pl.lit(name))
    return replace(records, configurations=named)


def with_the_librarys_bits(records: Records) -> Records:
    """The records with the bits that the library does say."""
    found = library_bits(pl.DataFrame(WANTED))
    rows = [
        {
            "configuration": f"c{place:05}",
            "invocation": 0,
            "kind": kind,
            "bits": float(row[f"library_{notion}"]),
            "source": "made",
        }
        for place, row in enumerate(found.iter_rows(named=True))
        for notion, kind in KINDS.items()
    ]
    table = pl.DataFrame(rows, schema=SCHEMAS["security"], orient="row")
    return replace(records, security=table)


@pytest.fixture(scope="module")
def records() -> Records:
    return one_crossing(made_grid(WANTED, size=predicted, size_spread=0.0))


@pytest.fixture(scope="module")
def results(records: Records) -> GridResults:
    return grid_results(Run(records, {"name": "made"}))


@pytest.fixture(scope="module")
def small() -> GridResults:
    """Too few cells for any statistics, and none with enough bits."""
    few = made_grid(crossed(queries=[20], blowup=[2], grinding=[0, 8]), blocks=3, samples=2)
    return grid_results(Run(one_crossing(few), {"name": "small"}))


def test_effects_are_those_of_the_crossing_and_hold_the_truth(results: GridResults) -> None:
    assert results.crossed.height == len(WANTED)
    for metric in METRICS:
        alone = level_effects(results.crossed, metric, invocations=results.invocations)
        assert results.effects.filter(pl.col("metric") == metric).equals(alone)
    effect = results.effect("verify_ns", "queries", "20")
    assert effect is not None
    truth = verifying({"queries": 20}) / verifying({"queries": 42})
    assert effect.value == pytest.approx(truth, rel=0.01)
    assert effect.low < effect.value < effect.high
    reference = results.effect("verify_ns", "queries", "42")
    assert reference is not None
    assert reference.exact
    assert reference.value == 1
    assert results.effect("verify_ns", "queries", "43") is None


def test_cells_of_other_crossings_are_not_in_the_effects(records: Records) -> None:
    others = pl.when(pl.col("configuration") < "c00040").then(pl.lit("sizes+options"))
    named = records.configurations.with_columns(series=others.otherwise(pl.lit("sizes")))
    found = grid_results(Run(replace(records, configurations=named), {"name": "made"}))
    assert sorted(found.crossed["configuration"]) == [f"c{place:05}" for place in range(40)]


def test_an_option_with_a_crossing_of_its_own_is_held_against_the_default_elsewhere() -> None:
    wanted = crossed(
        queries=[20, 42, 60], blowup=[4, 8], grinding=[0], hash=["blake3-256", "rp64-256"]
    )
    made = made_grid(wanted, spread=0.005)
    algebraic = [f"c{place:05}" for place, cell in enumerate(wanted) if cell["hash"] == "rp64-256"]
    own = pl.col("configuration").is_in(algebraic)
    named = made.configurations.with_columns(
        series=pl.when(own).then(pl.lit("algebraic-hashes")).otherwise(pl.lit(CROSSING))
    )
    found = grid_results(Run(replace(made, configurations=named), {"name": "made"}))
    effects = found.effects_beside
    assert set(effects["crossing"]) == {"algebraic-hashes"}  # the others were not measured
    assert set(effects["factor"]) == {"hash"}
    prove = effects.filter((pl.col("metric") == "prove_ns") & (pl.col("level") == "rp64-256"))
    assert prove["reference"].to_list() == ["blake3-256"]
    assert prove["effect"][0] == pytest.approx(40, rel=0.02)  # as the made-up prover has it
    assert "hash multiplies the time to proof by" in effects_beside(found)
    titles = [row[0] for row in grid_tables.other_effects(found).rows]
    assert titles == ["hash"]


def test_the_recommended_cell_is_the_fastest_that_is_secure_enough(results: GridResults) -> None:
    enough = [cell for cell in WANTED if bits(cell) >= MIN_BITS]
    truth = min(expected_time(cell) for cell in enough)
    found = results.recommendation
    assert found is not None
    assert found.qualified == len(enough)
    assert found.best["prove_ns"] == pytest.approx(truth, rel=0.05)
    assert found.best["security_conjectured"] >= MIN_BITS


def test_the_ratio_to_the_default_holds_the_truth(results: GridResults) -> None:
    default = expected_time({"rounds": ROUNDS, **EARLIER_DEFAULT})
    truth = default / min(expected_time(cell) for cell in WANTED if bits(cell) >= MIN_BITS)
    ratio = results.default_over_recommended
    assert ratio is not None
    assert ratio.value == pytest.approx(truth, rel=0.05)
    assert ratio.low < ratio.value < ratio.high
    assert results.recommendation is not None
    same = results.over_recommended(results.recommendation.best, "prove_ns")
    assert same is not None
    assert same.exact
    assert {name for name, _ in results.marked} == {DEFAULT, BEST_HERE, "recommended"}
    assert results.landmarks.height == 2


@pytest.fixture(scope="module")
def twinned() -> GridResults:
    """Cells in two shards, one of them slower, of which each is twice the same computation."""
    wanted = crossed(
        queries=list(range(40, 100)), remainder_max_degree=[31, 127], folding=[16], grinding=[0]
    )
    made = made_grid(wanted, blocks=8, samples=3, spread=0.01, shared=0.0, noise=0.001)
    slow = (pl.col("configuration").str.slice(1).cast(pl.Int64) // 2) % 2
    twin = pl.col("configuration").str.slice(1).cast(pl.Int64) % 2
    shard = (slow + twin * (pl.col("configuration") < "c00060")).mod(2)
    slower = made.samples.with_columns(
        wall_ns=(pl.col("wall_ns") * (1 + 0.1 * shard)).cast(pl.Int64)
    )
    split = made.invocations.with_columns(wall_ns=shard.cast(pl.Int64))
    return grid_results(Run(replace(made, samples=slower, invocations=split), {"name": "twins"}))


def test_twins_tell_the_cores_apart_and_little_else(twinned: GridResults) -> None:
    assert twinned.twins.height == 60
    assert twinned.shards == 2
    ratio = twinned.between_shards("prove_ns")
    assert ratio is not None
    assert ratio.low < 1.1 < ratio.high
    assert ratio.high - ratio.low < 0.02
    share = twinned.told_apart("prove_ns")
    assert share is not None
    # The half that stands in two shards is told apart, of the others one in twenty.
    assert share.value == pytest.approx(0.5, abs=0.1)
    assert share.low < share.value < share.high
    assert f"one is slower than the other by {100 * (ratio.value - 1):.2f}" in shards(twinned)
    assert "In 60 pairs" in told_apart(twinned)
    assert "120 cells at 255 rounds are 60 different computations" in distinct_computations(twinned)


def test_the_front_counts_a_computation_once(twinned: GridResults) -> None:
    on_front, every = twinned.on_front(ROUNDS)
    assert every == 60
    assert on_front == twinned.front.height == twinned.front["computation"].n_unique()
    assert f"{on_front} of 60 different computations" in grid_findings.front(twinned)


def test_twins_that_are_alike_are_told_apart_as_rarely_as_was_said() -> None:
    wanted = crossed(
        queries=list(range(40, 240)), remainder_max_degree=[31, 127], folding=[16], grinding=[0]
    )
    made = made_grid(wanted, blocks=6, samples=2, spread=0.02)
    found = grid_results(Run(made, {"name": "twins"}))
    share = found.told_apart("prove_ns")
    assert share is not None
    assert 0.01 < share.value < 0.11
    assert found.between_shards("prove_ns") is None
    assert shards(found) == "All cells were measured in one part."


def test_the_recommended_cell_is_told_without_the_luck_of_its_choice(results: GridResults) -> None:
    found = results.corrected()
    assert found is not None
    assert results.corrected(HEADLINE) is found
    default = expected_time({"rounds": ROUNDS, **EARLIER_DEFAULT})
    fastest = min(expected_time(cell) for cell in WANTED if bits(cell) >= MIN_BITS)
    assert found.cost.value == pytest.approx(fastest, rel=0.05)
    assert found.cost.low < found.cost.value < found.cost.high
    assert found.ratio.value == pytest.approx(default / fastest, rel=0.05)
    assert found.readings == 20
    # As wide, in logarithms, as the interval of the ratio over all blocks.
    seen = results.default_over(HEADLINE)
    assert seen is not None
    assert found.ratio.high / found.ratio.low == pytest.approx(seen.high / seen.low)
    said = grid_advice.corrected(results)
    assert f"in all {found.readings} such ways" in said
    assert plain(found.ratio, interval=True) in said


def test_the_interval_of_the_correction_holds_the_truth() -> None:
    """All cells prove alike, so that the lowest is lowest by luck and the ratio is one."""
    alike = crossed(queries=list(range(36, 66)))
    default = crossed()[0]
    runs = 40
    held = above = 0
    for seed in range(runs):
        records = made_grid(
            alike,
            blocks=4,
            samples=2,
            spread=0.04,
            noise=0.001,
            cost=lambda cell: 1e8,
            # A fast process verifies fast, so that the one to take is lucky; never the default.
            verify=lambda cell: 1e6 if cell["queries"] == default["queries"] else 1e5,
            size=lambda cell: 1e4,
            size_spread=0.0,
            seed=seed,
        )
        made = GridResults(records, {"name": "alike"})
        found, seen = made.corrected(), made.default_over_recommended
        assert found is not None
        assert seen is not None
        held += found.ratio.low <= 1.0 <= found.ratio.high
        above += seen.value > found.ratio.value
    # Of intervals that hold it 95 times of 100, fewer than 34 of 40 do once in a hundred times.
    assert held >= 34
    assert above > 0.8 * runs


def test_a_default_that_is_the_one_to_take_has_nothing_to_correct() -> None:
    wanted = crossed(blowup=[8, 16, 32])
    made = GridResults(made_grid(wanted, blocks=4, spread=0.001), {"name": "made"})
    assert made.recommendation is not None
    assert made.recommendation.take["blowup"] == EARLIER_DEFAULT["blowup"]
    assert made.corrected() is None
    assert "the default is the one to take" in grid_advice.recommended_equal(made)
    assert "leave everything as it is by default" in grid_advice.what_to_set(made)


@pytest.fixture(scope="module")
def two_fields() -> GridResults:
    """Two fields, the smaller one four times as fast, at three sizes, few options at two of them.

    Folded by 16, 256 rows are the same computation for all degrees here.
    """
    crossings = [
        crossed(
            field=["f128", "f64"],
            rounds=rounds,
            queries=queries,
            grinding=[0, 16],
            blowup=[4, 8],
            folding=folding,
            remainder_max_degree=degrees,
        )
        for rounds, queries, folding, degrees in (
            ([255], [36, 42, 60], [8, 16], [31, 127]),
            ([63, 1023], [42, 60], [8], [31]),
        )
    ]
    dear = {"f128": 4.0, "f64": 1.0}
    records = made_grid(
        [cell for part in crossings for cell in part],
        blocks=4,
        samples=3,
        spread=0.005,
        cost=lambda cell: 1e6 * cell["blowup"] * dear[cell["field"]] * (cell["rounds"] + 1) / 256,
        verify=lambda cell: 1e5 * cell["folding"] + 1e3 * cell["queries"],
    )
    series = pl.when(pl.col("size") == ROUNDS).then(pl.lit(CROSSING)).otherwise(pl.lit("sizes"))
    named = records.configurations.with_columns(series=series)
    return grid_results(Run(replace(records, configurations=named), {"name": "two fields"}))


def test_what_is_recommended_is_over_the_field_of_the_default(two_fields: GridResults) -> None:
    found, default = two_fields.recommendation, two_fields.default
    assert found is not None
    assert default is not None
    assert found.take["field"] == FIELD == default["field"]
    other = two_fields.recommended(two_fields.asked["conjectured.any-field"])
    assert other is not None
    assert other.take["field"] == "f64"
    ratio, wider = (
        two_fields.default_over(two_fields.asked[name])
        for name in ("conjectured", "conjectured.any-field")
    )
    assert ratio is not None
    assert wider is not None
    assert ratio == two_fields.default_over_recommended
    assert wider.value == pytest.approx(4 * ratio.value, rel=0.05)
    said = grid_advice.recommended_any_field(two_fields)
    assert plain(wider, interval=True) in said
    gained = two_fields.over(other.take, found.take)
    assert gained.value == pytest.approx(0.25, rel=0.05)
    assert f"{plain(gained, interval=True)} times as long as over f128" in said
    assert "64 bits that a proof hides, over f128 one of two elements of 128" in said
    assert f"over {FIELD}" in grid_findings.recommendation(two_fields)


def test_the_bits_of_both_cells_stand_beside_their_ratio(two_fields: GridResults) -> None:
    found, default = two_fields.recommendation, two_fields.default
    assert found is not None
    assert default is not None
    # The default has 128 bits, 42 queries of three bits each and 16; the fastest has 120.
    assert found.take["security_conjectured"] < default["security_conjectured"] == 128
    said = grid_findings.recommendation(two_fields)
    for cell in (default, found.take):
        assert grid_tables._bits(cell) in said
    assert "not equally secure" in said
    equal = two_fields.recommended(two_fields.asked["no-fewer-bits"])
    assert equal is not None
    assert equal.take["field"] == FIELD
    assert equal.take["security_conjectured"] >= 128
    read = two_fields.corrected(equal.demands)
    over = two_fields.default_over(equal.demands)
    assert read is not None
    said = grid_advice.recommended_equal(two_fields)
    for ratio in (over, read.ratio):
        assert plain(ratio, interval=True) in said
    names = [row[0] for row in grid_tables.landmarks(two_fields).rows]
    # Nothing is proven here to so many bits, and the other field is faster for both demands.
    assert names[-4:] == [
        "recommended",
        "no fewer bits than the default",
        "any field",
        "any field, no fewer bits",
    ]


def test_the_short_answer_has_a_value_for_every_option(two_fields: GridResults) -> None:
    found = two_fields.recommendation
    assert found is not None
    assert found.take["blowup"] == 4
    assert found.take["grinding"] == 0
    read = two_fields.corrected()
    assert read is not None
    brief = grid_advice.brief(two_fields)
    assert brief.startswith(f"At {ROUNDS} rounds, of {found.computations} different computations")
    assert f"proves {plain(read.ratio, interval=True)} times as fast" in brief
    assert "of earlier work, which has 128" in brief
    said = grid_advice.what_to_set(two_fields)
    options = options_of(found.take)
    for name in options:
        if name not in ("field", "remainder_max_degree"):
            assert grid_tables.options_text({name: found.take[name]}) in said, name
    assert "remainder degree 31 and 127 are the same computation" in said
    assert "no other remainder degree" not in said
    table = grid_tables.what_to_set(two_fields)
    assert len(table.rows) == len(options)
    rows = {str(row[0]): row for row in table.rows}
    assert rows["grinding"][1:3] == ("16", "0")
    alone, without = rows["grinding"][3:]
    assert isinstance(alone, Stacked)
    assert isinstance(without, Stacked)
    work = 2**16 * ATTEMPT_NS["blake3-256"]
    # The made-up proof takes 32 ms at blowup 8 and 16 ms at blowup 4.
    assert alone.quantity is not None
    assert without.quantity is not None
    assert alone.quantity.value == pytest.approx((32e6 + work) / 32e6, rel=0.02)
    assert without.quantity.value == pytest.approx((16e6 + work) / 16e6, rel=0.02)
    assert rows["hash"][3:] == (Stacked(None), Stacked(None))


def test_every_size_is_held_against_the_default_there(two_fields: GridResults) -> None:
    rows = grid_tables.by_size(two_fields).rows
    assert [row[0] for row in rows] == ["63", "", "255", "", "1023", ""]
    assert [row[3] for row in rows] == ["f128", "f64"] * 3
    for row, rounds in zip(rows[::2], (63, 255, 1023), strict=True):
        over = two_fields.default_over(replace(HEADLINE, rounds=rounds))
        assert over is not None
        assert row[7] == Stacked(over)
        assert over.low < over.value < over.high
    said = grid_advice.by_size(two_fields)
    every = two_fields.on_front(ROUNDS)[1]
    assert "At other sizes 16 different computations were measured (queries 42 and 60; " in said
    assert f"one option changed), at 255 rounds {every}." in said
    assert [name for name, _ in two_fields.marked_at(63)] == ["default", "recommended"]


def test_gain_is_told_to_change_with_the_rounds_only_where_it_does(
    two_fields: GridResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = two_fields.corrected_by_size
    assert list(read) == [63, 255, 1023]
    assert read[ROUNDS] == two_fields.corrected()

    def said(*gains: tuple[float, float, float]) -> str:
        found = {
            size: replace(read[size], ratio=Quantity(*gain))
            for size, gain in zip(read, gains, strict=False)
        }
        monkeypatch.setitem(vars(two_fields), "corrected_by_size", found)
        return grid_advice.gain_by_size(two_fields)

    high, middle, low = (25.0, 24.0, 26.0), (9.7, 9.2, 10.2), (3.8, 3.6, 4.0)
    falling = said(high, middle, low)
    assert falling.startswith("The gain shrinks with the rounds, from 25.0 [24.0–26.0] at 63 to")
    assert falling.endswith("to 3.80 [3.60–4.00] at 1023.")
    assert said(low, middle, high).startswith("The gain grows with the rounds, from 3.80")
    assert said(low, high, middle).startswith("By the rounds the gain is 3.80")
    assert said(middle, (9.6, 9.1, 10.1), (9.5, 9.0, 10.0)).startswith(
        "By the rounds the gain is 9.7"
    )
    assert "not told" in said(high)


def test_options_as_secure_as_the_default_are_told_at_the_size_of_the_lead(
    two_fields: GridResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "is not told by the grid" in grid_advice.lead_options(two_fields)
    size = 1023
    monkeypatch.setattr(grid_advice, "LEAD_ROUNDS", size)
    default, demands = two_fields.default_at(size), two_fields.as_secure(size)
    assert default is not None
    assert demands is not None
    assert (demands.rounds, demands.min_bits) == (size, default["security_conjectured"])
    read = two_fields.corrected_as_secure[size]
    assert read == two_fields.corrected(demands)
    said = grid_advice.lead_options(two_fields)
    time = plain(two_fields.quantity(default, "prove_ns"), interval=True)
    assert f"at {size} rounds, earlier work's options take {time} and those to take for" in said
    assert said.endswith(f"conjectured bits {plain(read.cost, interval=True)}.")


def test_the_front_is_counted_over_proven_bits_as_well(two_fields: GridResults) -> None:
    for regime, number in two_fields.on_other_fronts.items():
        judged = pareto(two_fields.judged.drop("front", "front_possible"), regime)
        on_it = judged.filter(pl.col("front") & (pl.col("rounds") == ROUNDS))
        assert number == on_it["computation"].n_unique()
    said = grid_advice.fronts(two_fields)
    assert all(f"{number} " in said for number in two_fields.on_other_fronts.values())
    assert f"of {two_fields.on_front(63)[1]} at 63" in said


def test_runners_up_are_all_shown_or_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = ["linear", "horner", "algebraic"]
    alike = crossed(batching_deep=ways, batching_constraints=ways, grinding=[0])
    made = GridResults(made_grid(alike), {"name": "alike"})
    found = made.recommendation
    assert found is not None
    runners = found.runners_up.height
    assert runners > 3
    assert len(grid_tables.recommendation(made).rows) == 1 + runners
    assert grid_advice.runners_up_shown(made).startswith(f"All {runners} that")
    for module in (grid_tables, grid_advice):
        monkeypatch.setattr(module, "MOST_RUNNERS_UP", 1)
    shown = grid_tables.recommendation(made).rows
    assert len(shown) - 1 in (1, 2)  # the first, and the one to take
    assert any("to take" in str(row[0]) for row in shown)
    assert grid_advice.runners_up_shown(made).startswith(f"Of {runners} that")


def test_a_regression_is_judged_on_the_cells_that_the_model_is(results: GridResults) -> None:
    rows = results.regression_errors
    assert rows["metric"].to_list() == list(METRICS)
    assert set(rows["cells"]) == {round(0.2 * len(WANTED))}
    # Three levels of three options, two of two, and all of their pairs.
    assert set(rows["coefficients"]) == {1 + 8 + (2 * 2 * 3 + 2 * 1 * 6 + 1)}
    assert (rows["regression"] > 0).all()
    size = rows.filter(pl.col("metric") == "proof_bytes").row(0, named=True)
    assert size["model"] < size["regression"]


def test_the_front_is_of_one_size_and_ordered(results: GridResults) -> None:
    assert results.front["front"].all()
    assert set(results.front["rounds"]) == {ROUNDS}
    assert results.front["prove_ns"].is_sorted()
    assert results.secure_front["bits"].min() >= MIN_BITS  # type: ignore[operator]
    assert 0 < results.secure_front.height < results.front.height


def test_sizes_from_first_principles_agree_with_measured_ones(results: GridResults) -> None:
    # The made-up proofs have the predicted sizes, rounded to whole bytes.
    assert results.proof_sizes["relative_error"].abs().max() < 1e-3  # type: ignore[operator]
    assert results.proof_sizes["z"].abs().max() < 0.5  # type: ignore[operator]


def test_attempts_and_their_costs_are_found(results: GridResults) -> None:
    assert results.attempts["grinding"].to_list() == [8, 16]
    for row in results.attempts.iter_rows(named=True):
        assert row["expected"] == 2.0 ** row["grinding"]
        # Wider than the interval, which one in twenty of such counts misses.
        assert row["mean"] == pytest.approx(row["expected"], rel=0.1)
        assert row["mean_low"] < row["mean"] < row["mean_high"]
        assert row["p_value_holm"] >= row["p_value_geometric"]
    smallest = min(results.attempts["p_value_geometric"].to_list())
    assert min(results.attempts["p_value_holm"].to_list()) == min(1.0, 2 * smallest)
    assert "one for each of 2 numbers of bits" in grid_findings.attempts(results)
    for row in results.attempt_costs.iter_rows(named=True):
        assert row["cost_ns"] == pytest.approx(ATTEMPT_NS[row["hash"]], rel=0.05)


def test_predictions_are_judged_on_a_fifth_of_the_cells(results: GridResults) -> None:
    assert set(results.models) == set(METRICS)
    assert set(results.held_out_errors["cells"]) == {round(0.2 * len(WANTED))}
    size = results.held_out_errors.filter(pl.col("metric") == "proof_bytes")
    assert size["greatest"].item() < 0.01
    assert {"queries", "blowup", "hash"} <= set(results.level_errors["factor"])


def test_a_library_that_says_other_bits_than_its_formulas_is_found(
    records: Records, results: GridResults
) -> None:
    made_up = results.library_disagreements.filter(pl.col("notion") == "conjectured")
    assert made_up.height == len(WANTED)  # the textbook's bits are one more
    honest = grid_results(Run(with_the_librarys_bits(records), {"name": "made"}))
    assert honest.library_disagreements.is_empty()
    assert grid_findings.security(honest).startswith("The library's bits follow from its formulas")


def test_differences_in_security_add_up(results: GridResults) -> None:
    for notion in KINDS:
        secured = results.secured
        change = secured[f"library_{notion}"] - secured[f"{notion}_bits"]
        row = results.security_differences.filter(
            (pl.col("notion") == notion) & (pl.col("step") == "all")
        ).row(0, named=True)
        changed = change.filter(change.abs() > 1e-9)
        assert row["changed"] == changed.len()
        assert row["cells"] == len(WANTED)
        assert row["least"] == pytest.approx(changed.min())
        assert row["greatest"] == pytest.approx(changed.max())
    policy = results.security_differences.filter(
        pl.col("step") == "grinding counted from 80 bits on"
    )
    # 20 queries at blowups 4 and 8 give less than 80 bits, 20 at 16 give 80.
    below = [c for c in WANTED if c["queries"] == 20 and c["blowup"] < 16 and c["grinding"]]
    assert policy["changed"].to_list() == [len(below)]


def test_what_a_small_run_cannot_tell_is_empty_and_said(small: GridResults) -> None:
    assert small.effects.is_empty()
    assert small.variance.is_empty()
    assert small.held_out.is_empty()
    assert small.recommendation is None
    assert small.default_over_recommended is None
    assert small.default is None
    assert "too few" in small.unfit["effects"]
    assert "none has 100 bits" in small.refused(HEADLINE)
    assert small.recommended(Demands(rounds=ROUNDS, min_bits=1)) is not None
    for finding in ("effects", "variance", "cost-model"):
        assert "does not tell" in grid_findings.FINDINGS[finding](small)


@pytest.mark.parametrize("name", [*grid_findings.FINDINGS, *grid_advice.ADVICE])
def test_every_finding_is_one_line_of_whole_sentences(
    name: str, results: GridResults, small: GridResults, two_fields: GridResults
) -> None:
    for one in (results, small, two_fields):
        said = (grid_findings.FINDINGS | grid_advice.ADVICE)[name](one)
        assert said.endswith(".")
        assert said[0].isupper() or said[0].isdigit()
        assert "\n" not in said
        assert "nan" not in said
        assert "None" not in said


@pytest.mark.parametrize("name", list(grid_tables.TABLES))
def test_every_table_has_as_many_cells_as_heads(
    name: str, results: GridResults, small: GridResults
) -> None:
    for one in (results, small):
        table = grid_tables.TABLES[name](one)
        assert {len(row) for row in table.rows} <= {len(table.heads)}
        assert table.html()
        # pdflatex knows no other letters than those that are escaped, and the dash.
        assert table.latex().replace("–", "--").isascii()
    if name not in ("grid-crossings", "grid-excluded", "grid-other-effects"):
        assert grid_tables.TABLES[name](results).rows


def test_the_table_of_effects_marks_references(results: GridResults) -> None:
    rows = grid_tables.option_effects(results).rows
    assert ("", "42", "1", "1", "1") in rows
    assert len(rows) == 3 + 3 + 3 + 2 + 2


def test_prices_are_those_of_the_model_and_stand_where_they_are_paid(results: GridResults) -> None:
    prices = results.models["prove_ns"].prices
    hashing = grid_tables.TABLES["grid-prices-prove-hashing"](results)
    assert [row[0] for row in hashing.rows] == ["f128, blake3-256", "f128, sha3-256"]
    attempt = hashing.heads.index("attempt, ns")
    for row in hashing.rows:
        of = str(row[0]).replace(", ", "/")
        (price,) = prices.filter((pl.col("part") == "attempts") & (pl.col("of") == of))["price"]
        assert float(str(row[attempt]).split(" ", maxsplit=1)[0]) == pytest.approx(price, rel=0.01)
        assert price == pytest.approx(ATTEMPT_NS[of.removeprefix("f128/")], rel=0.1)
    arithmetic = grid_tables.TABLES["grid-prices-prove-arithmetic"](results)
    assert arithmetic.heads == ("ns for one", "f128, none")
    assert len(arithmetic.rows) + len(hashing.heads) - 1 == len(PARTS["prove_ns"])
    verify = [grid_tables.TABLES[f"grid-prices-verify-{kind}"](results) for kind in _KINDS]
    assert len(verify[0].heads) - 1 + len(verify[1].rows) == len(PARTS["verify_ns"])
    size = grid_tables.TABLES["grid-prices-size"](results)
    fri = next(row for row in size.rows if row[0] == "fri")
    assert float(str(fri[1])) == pytest.approx(1, abs=0.01)  # sizes are as predicted


_KINDS = ("hashing", "arithmetic")


def test_effects_say_whether_all_combinations_were_measured(records: Records) -> None:
    said = {}
    for name, legal in (("whole", len(WANTED)), ("part", 10 * len(WANTED))):
        part = {"legal": legal, "kept": len(WANTED), "imbalance": 0.0}
        manifest = {"name": name, "grid": {"parts": {CROSSING: part}, "excluded": []}}
        found = grid_results(Run(records, manifest))
        assert found.legal(CROSSING) == legal
        said[name] = effects_meaning(found), found.effects
    (whole, few), (part_said, many) = said["whole"], said["part"]
    assert whole.startswith(f"All {len(WANTED)} legal combinations of the crossing were measured")
    assert "what the effects of 5 blocks differ by" in whole
    assert f"in all {10 * len(WANTED)} legal combinations" in part_said
    assert few["effect"].to_list() == pytest.approx(many["effect"].to_list())
    widths = [float(np.log(found["high"] / found["low"]).sum()) for found in (few, many)]
    assert widths[0] < 0.5 * widths[1]
    assert f"{len(few) // 3 - 5} levels" in whole


def test_shares_of_variance_add_up_to_the_whole(results: GridResults) -> None:
    # The made-up grid is balanced, so that nothing is counted twice.
    table = grid_tables.variance_shares(results)
    for column in (1, 2, 3):
        shares = [float(str(row[column]).removesuffix("\u202f%")) for row in table.rows]
        assert sum(shares) == pytest.approx(100, abs=0.5)


def test_tables_are_written_and_nothing_else_left(results: GridResults, tmp_path: Path) -> None:
    (tmp_path / "stale.tex").write_text("old", encoding="utf-8")
    paths = grid_tables.write_grid_tables(results, tmp_path)
    assert {path.stem for path in paths} == {*grid_tables.TABLES, *grid_tables.AGAIN}
    assert set(tmp_path.iterdir()) == set(paths)


def test_what_the_library_excludes_is_read_from_the_manifest(records: Records) -> None:
    cell = Configuration(
        track="grid",
        series="options",
        system="winterfell/stark/f128",
        statement="mimc-preimage",
        size_name="rounds",
        size=15,
        variant={},
        options={"folding": 8},
        instances="fresh",
        threads=1,
        threads_label="one",
    )
    refused = [("a", "one"), ("b", "two"), ("b", "three")]
    grid = Grid(
        (cell,),
        tuple(Excluded(cell, rule, message) for rule, message in refused),
        {"options": Part(legal=9, kept=4, imbalance=0.5)},
    )
    found = grid_results(Run(records, {"name": "made", "grid": grid.summary()}))
    assert found.unsupported == 3
    assert found.excluded.rows() == [("b", 2, "two"), ("a", 1, "one")]
    assert found.crossings.rows() == [("options", 9, 4, 0.5)]
    assert "3 combinations" in grid_findings.measured(found)
    assert grid_tables.excluded(found).rows[0] == ("b", "2", "two")


def test_cells_without_times_are_counted(records: Records) -> None:
    ended = records.invocations.with_columns(
        outcome=pl.when(pl.col("configuration") == "c00007")
        .then(pl.lit("timeout"))
        .otherwise("outcome")
    )
    found = grid_results(Run(replace(records, invocations=ended), {"name": "made"}))
    assert found.failures["configuration"].to_list() == ["c00007"]
    assert grid_findings.failures(found) == f"1 of {len(WANTED)} cells have no times: 1 timeout."


def test_a_run_without_a_grid_is_refused() -> None:
    empty = Records(**{name: pl.DataFrame(schema=schema) for name, schema in SCHEMAS.items()})
    with pytest.raises(NoGridError):
        grid_results(Run(empty, {"name": "made"}))
