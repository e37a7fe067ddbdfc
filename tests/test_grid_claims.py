"""What earlier work claims of a STARK's options is decided where the grid decides it."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from nizkbench.choice import EARLIER_DEFAULT, PUBLISHED_BEST
from nizkbench.grid_claims import (
    QUERIES,
    QUERIES_BELOW,
    READINGS,
    changed_alone,
    grid_verdicts,
    ratio,
    reading,
)
from nizkbench.grid_prose import luck_line, luck_repeated, luck_shown, luck_together, percent
from nizkbench.grid_results import GridResults
from nizkbench.grid_tables import p1_queries
from nizkbench.p1_grinding import LUCK_SCHEMA
from nizkbench.p1_published import REMAINDER, Options
from nizkbench.p1_together import Repeated, alone_table, repeated, together_table
from nizkbench.predicates import Outcome
from nizkbench.quantities import exact, plain
from nizkbench.tables import Stacked
from tests.made_grid import ATTEMPT_NS, Cost, crossed, made_grid, structure
from tests.test_p1_grinding import COST, DRAWN, alike, made_published
from tests.test_p1_grinding import made as made_again

#: Every option of earlier work that the made-up grid changes, each with each.
WANTED = crossed(
    queries=[27, 41, 42],
    blowup=[2, 4, 8],
    grinding=[0, 16],
    remainder_max_degree=[31, 255],
)


def grid(cost: Cost = structure, wanted: list[dict[str, Any]] = WANTED) -> GridResults:
    return GridResults(made_grid(wanted, blocks=4, samples=4, cost=cost), {"name": "made-up"})


def luck(
    ratio: tuple[float, float, float],
    instance: str = "published",
    version: str = "0.8.1",
    published: pl.DataFrame | None = None,
) -> Repeated:
    """The experiment again, with one ratio that nothing but the nonce makes."""
    row: dict[str, Any] = {
        "system": "winterfell-0-8/stark/f128",
        "library_version": version,
        "rounds": 255,
        "instance": instance,
        "queries": QUERIES,
        "queries_below": QUERIES_BELOW,
        "attempts": 157_864.0,
        "attempts_below": 654.0,
        "blocks": 10,
        "level": 0.95,
        "method": "jackknife over blocks",
    }
    bounds = dict(zip(("", "_low", "_high"), ratio, strict=True))
    fresh = {"": 1.0, "_low": 0.98, "_high": 1.02}
    share = {"": 0.99, "_low": 0.97, "_high": 1.01}
    for end in bounds:
        row[f"ratio{end}"] = bounds[end]
        row[f"ratio_fresh{end}"] = fresh[end]
        row[f"luck{end}"] = row[f"between{end}"] = share[end]
        row[f"chance{end}"] = 0.02
        row[f"predicted{end}"] = fresh[end]
    table = pl.DataFrame([row], schema=LUCK_SCHEMA, orient="row")
    if published is None:
        return Repeated(table)
    return Repeated(table, alone_table(published), together_table(published))


SIXFOLD_SEEN = (6.1, 5.8, 6.4)


@pytest.fixture(scope="module")
def made() -> GridResults:
    return grid()


def test_six_times_is_contradicted_at_equal_attempts_and_reproduced_by_the_nonce(
    made: GridResults,
) -> None:
    published, equal = grid_verdicts(made, luck((6.1, 5.8, 6.4)))["p1.10"]
    assert published.outcome == Outcome.REPRODUCED
    assert "157864 attempts for 42 queries, 654 for 41" in published.sentence
    assert "99.0\u202f% [97.0–101.0] of the logarithm of the measured ratio" in published.sentence
    assert "A share goes beyond 100" in published.sentence
    assert equal.outcome == Outcome.CONTRADICTED
    assert "not above 3" in equal.sentence
    assert "made again with fresh instances" in equal.sentence


def test_option_that_does_cost_six_times_is_reproduced() -> None:
    def dear(cell: Mapping[str, Any]) -> float:
        return 3e6 if cell["queries"] == QUERIES_BELOW else 100e6

    _, equal = grid_verdicts(grid(dear))["p1.10"]
    assert equal.outcome == Outcome.REPRODUCED
    assert "What" not in equal.sentence


def test_wide_interval_of_the_published_ratio_leaves_it_open(made: GridResults) -> None:
    published, _ = grid_verdicts(made, luck((6.0, 1.0, 36.0)))["p1.10"]
    assert published.outcome == Outcome.INCONCLUSIVE


def test_experiment_that_was_not_recorded_is_said_to_be_absent(made: GridResults) -> None:
    published, equal = grid_verdicts(made)["p1.10"]
    assert published.outcome == Outcome.NOT_MEASURED
    assert "Not recorded" in published.sentence
    assert equal.outcome == Outcome.CONTRADICTED
    assert "made again" not in equal.sentence


def test_another_version_of_the_library_is_not_what_was_published(made: GridResults) -> None:
    published, _ = grid_verdicts(made, luck((6.1, 5.8, 6.4), version="0.13.1"))["p1.10"]
    assert published.outcome == Outcome.NOT_MEASURED


def test_fixed_instance_of_ours_is_not_the_published_one(made: GridResults) -> None:
    published, _ = grid_verdicts(made, luck(SIXFOLD_SEEN, instance="fixed"))["p1.10"]
    assert published.outcome == Outcome.NOT_MEASURED
    assert "`nizkbench p1-grinding`" in published.sentence


def test_best_options_together_help_more_than_the_degree_alone(made: GridResults) -> None:
    published, equal = grid_verdicts(made, luck(SIXFOLD_SEEN))["p1.11"]
    assert equal.outcome == Outcome.CONTRADICTED
    assert "grinding 0" in equal.sentence
    assert "over the STARK (remainder_max_degree=255)'s at 255 rounds is 0.0" in equal.sentence
    # Records without the published proofs decide nothing on the terms of earlier work.
    assert published.outcome == Outcome.NOT_MEASURED
    assert "`nizkbench p1-grinding`" in published.sentence


def test_published_options_together_are_decided_in_the_reading_close_to_the_published_gain(
    made: GridResults,
) -> None:
    published, _ = grid_verdicts(made, luck(SIXFOLD_SEEN, published=made_published()))["p1.11"]
    # 26646 attempts take longer than 9994: with the grinding kept the claim holds.
    assert published.outcome == Outcome.REPRODUCED
    assert "9994 attempts instead of 157864" in published.sentence
    assert "queries 41, blowup 4, grinding 0, extension quadratic" in published.sentence
    assert "(55 attempts)" in published.sentence
    assert "kept at 16 bits" in published.sentence
    assert "(26646 attempts)" in published.sentence
    assert "to which the reading with the grinding kept comes closer" in published.sentence
    assert "it decides, here and on equal terms." in published.sentence
    assert "combined like the others the claim would be contradicted." in published.sentence


def hindered(cell: Mapping[str, Any]) -> float:
    """Options that do not combine while the nonce is ground for, and are all cheap without."""
    if cell["grinding"] == 0:
        return 1e5
    usual = {"queries": 42, "blowup": 8, "remainder_max_degree": 31}
    changed = [bool(cell[name] != level) for name, level in usual.items()]
    if changed == [False, False, True]:
        return 1e6
    return 100e6 - 35e6 * min(sum(changed), 2)


@pytest.mark.parametrize(
    ("drawn", "words", "outcome"),
    [
        (DRAWN, "with the grinding kept", Outcome.REPRODUCED),
        (
            {"all": 26_646, "all but grinding": 55},
            "with the grinding combined like the others",
            Outcome.CONTRADICTED,
        ),
    ],
)
def test_reading_that_decides_on_the_published_instance_decides_on_equal_terms(
    drawn: Mapping[str, int], words: str, outcome: Outcome
) -> None:
    again = luck(SIXFOLD_SEEN, published=made_published(drawn=drawn))
    assert READINGS[reading(again)] == words
    published, equal = grid_verdicts(grid(hindered), again)["p1.11"]
    assert f"the reading {words} comes closer" in published.sentence
    assert equal.outcome == outcome
    assert f"The reading {words} decides, as on the published instance." in equal.sentence
    other = Outcome.REPRODUCED if outcome == Outcome.CONTRADICTED else Outcome.CONTRADICTED
    assert f"the claim would be {other}." in equal.sentence
    # The picks of the published instance are no cell of this grid.
    assert "fastest alone on the published instance" not in equal.sentence


def test_literal_reading_decides_where_the_published_instance_was_not_timed() -> None:
    _, equal = grid_verdicts(grid(hindered), luck(SIXFOLD_SEEN))["p1.11"]
    assert equal.outcome == Outcome.CONTRADICTED
    assert "The reading with the grinding combined like the others decides." in equal.sentence


def test_picks_of_the_published_instance_are_told_on_equal_terms_where_they_were_measured() -> None:
    kept = {**PUBLISHED_BEST, "rounds": 255, "grinding": EARLIER_DEFAULT["grinding"]}
    again = luck(SIXFOLD_SEEN, published=made_published())
    _, equal = grid_verdicts(grid(hindered, [*WANTED, kept]), again)["p1.11"]
    assert "The levels that are fastest alone on the published instance" in equal.sentence
    assert "as fast here, and the outcome is the same." in equal.sentence


def test_cell_of_the_reading_that_decides_is_not_measured_if_the_grid_lacks_it() -> None:
    again = luck(SIXFOLD_SEEN, published=made_published())
    some = [
        cell
        for cell in WANTED
        if cell["grinding"] == 0 or cell["queries"] == 42 or cell["blowup"] == 8
    ]
    made = grid(wanted=some)
    _, literal = grid_verdicts(made)["p1.11"]
    assert literal.outcome == Outcome.CONTRADICTED
    assert "With the grinding kept it is not measured by this grid." in literal.sentence
    _, equal = grid_verdicts(made, again)["p1.11"]
    assert equal.outcome == Outcome.NOT_MEASURED
    assert "the reading with the grinding kept decides" in equal.sentence


def test_lucky_draw_of_both_forms_is_decided_alike(made: GridResults) -> None:
    lucky = made_published(drawn={"all": 55, "all but grinding": 70})
    published, _ = grid_verdicts(made, luck(SIXFOLD_SEEN, published=lucky))["p1.11"]
    assert published.outcome == Outcome.CONTRADICTED
    assert "combined like the others the outcome is the same." in published.sentence


def test_options_that_hinder_each_other_reproduce_the_published_claim(made: GridResults) -> None:
    def hinders(options: Options) -> float:
        return 4e6 if options["queries"] == 41 and options["blowup"] == 4 else 2.5e6

    published, _ = grid_verdicts(made, luck(SIXFOLD_SEEN, published=made_published(hinders)))[
        "p1.11"
    ]
    assert published.outcome == Outcome.REPRODUCED
    assert "What" not in published.sentence


def test_scattered_published_times_leave_it_open(made: GridResults) -> None:
    scattered = made_published(alike, spread=1.0, blocks=3, seed=5)
    published, _ = grid_verdicts(made, luck(SIXFOLD_SEEN, published=scattered))["p1.11"]
    assert published.outcome == Outcome.INCONCLUSIVE
    assert "for certain" in published.sentence


def test_prose_says_why_the_best_options_did_not_combine() -> None:
    again = luck(SIXFOLD_SEEN, published=made_published(blocks=12))
    said = luck_together(again)
    assert "Of 5 best levels" in said
    # Nothing in these proofs but the nonce and the cost of an attempt.
    assert "5 owed more than half of the logarithm of the gain to the nonce" in said
    assert f"they drew {DRAWN['all but grinding']} attempts" in said
    assert "the remainder degree alone 9994" in said
    assert again.alone is not None
    picked = again.alone.filter(
        pl.col("picked") & ~pl.col("default") & (pl.col("option") != "grinding")
    )
    product = float(said.partition("multiply to ")[2].partition(",")[0])
    assert product == pytest.approx(math.prod(picked["gain"]), rel=0.01)


def test_prose_tells_options_from_luck() -> None:
    def cheap(options: Options) -> float:
        return 1e6 if options["blowup"] == 4 else 50e6

    again = luck(SIXFOLD_SEEN, published=made_published(cheap, blocks=12))
    said = luck_together(again)
    assert "4 owed more than half of the logarithm of the gain to the nonce" in said
    # The least lucky gain is named last.
    assert "] with blowup 4 (3178 attempts)." in said


def test_prose_without_the_published_proofs_says_so() -> None:
    for again in (None, luck(SIXFOLD_SEEN, instance="fixed")):
        assert "`nizkbench p1-grinding`" in luck_together(again)
    said = luck_repeated(luck(SIXFOLD_SEEN, instance="fixed"))
    assert said.startswith("The published proofs are not timed in these records")
    assert "explain" not in said


def test_prose_holds_predicted_times_against_measured_ones() -> None:
    said = luck_repeated(luck(SIXFOLD_SEEN))
    assert "the measured ratio is 6.1" in said
    assert "predicted from fresh instances" in said
    assert "1.000 [0.980–1.020] times what was measured" in said


def test_a_share_of_luck_is_one_of_the_logarithm_and_said_to_go_beyond_all_only_where_it_does() -> (
    None
):
    said = luck_repeated(luck(SIXFOLD_SEEN))
    assert "% [97.0–101.0] of the logarithm of the measured ratio is luck" in said
    assert said.count("A share goes beyond 100\u202f% where the slower") == 1
    within = luck(SIXFOLD_SEEN)
    capped = Repeated(within.luck.with_columns(luck_high=pl.lit(0.999)))
    assert "goes beyond" not in luck_repeated(capped)
    # Without a difference there is no share, and nothing to explain.
    assert "goes beyond" not in luck_repeated(luck((1.1, 0.8, 1.4)))


@pytest.fixture(scope="module")
def again() -> Repeated:
    queries = range(38, 47)
    records = made_again(
        dict.fromkeys(queries, 2.5e6),
        dict.fromkeys(queries, 60_000.0),
        version="0.8.1",
        blocks=4,
        samples=5,
    )
    return repeated(records, made_published(blocks=4))


@pytest.mark.parametrize(
    ("published", "ours", "words"),
    [
        ((0.99, 1.02), (0.98, 1.02), None),
        ((1.02, 1.06), (1.01, 1.05), "repeating one proof makes it faster"),
        ((1.02, 1.06), (0.98, 1.01), "it is not that one proof is repeated"),
        ((1.001, 1.06), (0.98, 1.02), "does not tell whether it is that one proof is repeated"),
    ],
)
def test_prose_blames_repetition_only_where_our_own_instance_shows_it(
    published: tuple[float, float], ours: tuple[float, float], words: str | None
) -> None:
    rows = [luck(SIXFOLD_SEEN).luck, luck(SIXFOLD_SEEN, instance="fixed").luck]
    off = [
        row.with_columns(
            predicted=pl.lit((low + high) / 2),
            predicted_low=pl.lit(low),
            predicted_high=pl.lit(high),
        )
        for row, (low, high) in zip(rows, (published, ours), strict=True)
    ]
    said = luck_repeated(Repeated(pl.concat(off)))
    if words is None:
        assert "one proof" not in said
    else:
        assert words in said


def test_prose_names_the_luckiest_proof_and_the_one_that_is_predicted_worst(
    again: Repeated,
) -> None:
    said = luck_line(again)
    assert "The nonce for 41 queries was found after 654 attempts" in said
    chance = 1 - (1 - 2**-16) ** 654
    assert f"in {percent(chance)} of all proofs" in said
    assert f"the earliest of 9 in {percent(1 - (1 - chance) ** 9)} of all cases" in said
    off = again.queries.with_columns(off=pl.col("predicted").log().abs()).sort("off")
    worst = off.row(-1, named=True)
    share = percent(abs(worst["predicted"] - 1))
    assert f"in proportion by {share} at most, with {worst['queries']}." in said
    furthest = (again.queries["predicted_ns"] - again.queries["published_ns"]).abs().max()
    assert isinstance(furthest, float)
    assert f"they are off by {plain(exact(furthest, 'ns'))} at most" in said
    assert "not measured" in luck_line(None)
    assert "not measured" in luck_line(luck(SIXFOLD_SEEN))


def test_prose_counts_the_proofs_that_the_figure_leaves_out(again: Repeated) -> None:
    beyond = again.proofs.filter((pl.col("instances") == "fresh") & (pl.col("attempts") > 2**18))
    assert beyond.height
    assert f"Of 180 proofs on fresh instances {beyond.height} took more" in luck_shown(again)
    few = replace(again, proofs=again.proofs.filter(pl.col("attempts") <= 2**18))
    assert luck_shown(few).startswith("All ")
    assert "No proof" in luck_shown(None)


def test_table_has_every_number_of_queries_measured_and_predicted(again: Repeated) -> None:
    table = p1_queries(again)
    assert [row[1] for row in table.rows] == [str(one) for one in range(38, 47)]
    assert [row[0] for row in table.rows] == ["0.8.1", *[""] * 8]
    at_41 = table.rows[3]
    assert at_41[2] == exact(654.0)
    assert at_41[5] == exact(60_000.0)
    times = [cell.quantity for cell in at_41 if isinstance(cell, Stacked)]
    truths = [654, 654, 60_000, 60_000, 2**16]
    for time, attempts in zip(times, truths, strict=True):
        assert time is not None
        assert time.value == pytest.approx(2.5e6 + COST * attempts, rel=0.1)
        assert time.low < time.value < time.high
    assert "\\num{654}" in table.latex()
    assert p1_queries(None).rows == p1_queries(luck(SIXFOLD_SEEN)).rows == ()


def test_table_of_another_version_has_no_published_proof() -> None:
    table = p1_queries(repeated(made_again({41: 2.5e6, 42: 2.5e6}, {41: 9e3, 42: 9e4})))
    assert [row[:5] for row in table.rows] == [
        ("0.13.1", "41", None, None, None),
        ("", "42", None, None, None),
    ]
    assert all(row[5:] for row in table.rows)


def test_degree_that_helps_most_alone_is_reproduced() -> None:
    """A prover that is slow unless the degree alone is changed, so that nothing else combines."""

    def stubborn(cell: Mapping[str, Any]) -> float:
        changed = {
            "queries": cell["queries"] != 42,
            "blowup": cell["blowup"] != 8,
            "grinding": cell["grinding"] != 16,
        }
        time = 100e6 * (1 - 0.3 * min(sum(changed.values()), 2))
        alone = cell["remainder_max_degree"] == REMAINDER and not any(changed.values())
        return 1e6 if alone else time

    _, equal = grid_verdicts(grid(stubborn))["p1.11"]
    assert equal.outcome == Outcome.REPRODUCED


def test_cells_that_were_not_measured_are_named() -> None:
    some = [cell for cell in WANTED if cell["queries"] != QUERIES_BELOW]
    some = [cell for cell in some if cell["remainder_max_degree"] != REMAINDER]
    found = grid_verdicts(grid(wanted=some))
    assert found["p1.10"][1].outcome == found["p1.11"][1].outcome == Outcome.NOT_MEASURED
    assert "41 queries" in found["p1.10"][1].sentence
    assert "remainder degree 255 alone" in found["p1.11"][1].sentence


def test_combination_that_was_not_measured_is_named() -> None:
    apart = [*crossed(grinding=[0, 16]), *crossed(remainder_max_degree=[31, 255], grinding=[16])]
    _, equal = grid_verdicts(grid(wanted=apart))["p1.11"]
    assert equal.outcome == Outcome.NOT_MEASURED
    assert "together (grinding 0, remainder degree 255)" in equal.sentence


def test_single_processes_decide_nothing() -> None:
    records = made_grid(WANTED, blocks=1, samples=4)
    _, equal = grid_verdicts(GridResults(records, {"name": "made-up"}))["p1.10"]
    assert equal.outcome == Outcome.INCONCLUSIVE


def test_ratio_has_an_interval_around_the_truth(made: GridResults) -> None:
    free, dear = changed_alone(made, grinding=0), changed_alone(made)
    assert free is not None
    assert dear is not None
    found = ratio(made, dear, free)
    assert found is not None
    truth = 1 + 2**16 * ATTEMPT_NS["blake3-256"] / structure(free)
    assert found.low < truth < found.high
    assert found.high / found.low < 1.2
