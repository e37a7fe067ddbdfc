"""What earlier work claims of a STARK's options is decided where the grid decides it."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest

from nizkbench.claims import Outcome
from nizkbench.grid_claims import (
    QUERIES,
    QUERIES_BELOW,
    REMAINDER,
    changed_alone,
    grid_verdicts,
    ratio,
    with_attempts,
)
from nizkbench.grid_results import GridResults
from nizkbench.p1_grinding import LUCK_SCHEMA
from tests.made_grid import ATTEMPT_NS, Cost, crossed, made_grid, structure

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
    ratio: tuple[float, float, float], instance: str = "published", version: str = "0.8.1"
) -> pl.DataFrame:
    """A luck table of one row in which nothing but the nonce makes the ratio."""
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
    return pl.DataFrame([row], schema=LUCK_SCHEMA, orient="row")


@pytest.fixture(scope="module")
def made() -> GridResults:
    return grid()


def test_six_times_is_contradicted_at_equal_attempts_and_reproduced_by_the_nonce(
    made: GridResults,
) -> None:
    published, equal = grid_verdicts(made, luck((6.1, 5.8, 6.4)))["p1.10"]
    assert published.outcome == Outcome.REPRODUCED
    assert "157864 and 654" in published.sentence
    assert "99.0\u202f% [97.0–101.0]" in published.sentence
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


def test_best_options_together_help_more_than_the_degree_alone(made: GridResults) -> None:
    published, equal = grid_verdicts(made)["p1.11"]
    assert equal.outcome == Outcome.CONTRADICTED
    assert "grinding 0" in equal.sentence
    assert "the degree's alone is 0.0" in equal.sentence
    assert published.outcome == Outcome.NOT_MEASURED
    assert "157864 at the default, 9994 at degree 255" in published.sentence


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


def test_single_processes_decide_nothing() -> None:
    records = made_grid(WANTED, blocks=1, samples=4)
    _, equal = grid_verdicts(GridResults(records, {"name": "made-up"}))["p1.10"]
    assert equal.outcome == Outcome.INCONCLUSIVE


def test_attempts_of_another_draw_move_a_time_by_their_cost(made: GridResults) -> None:
    cell = changed_alone(made)
    assert cell is not None
    there = with_attempts(cell, 2.0**16)
    twice = with_attempts(cell, 2.0**17)
    assert there == pytest.approx(cell["prove_ns"])
    assert twice is not None
    assert there is not None
    assert twice - there == pytest.approx(2**16 * ATTEMPT_NS["blake3-256"], rel=0.02)
    free = changed_alone(made, grinding=0)
    assert free is not None
    assert with_attempts(free, 1e6) == free["prove_ns"]


def test_ratio_has_an_interval_around_the_truth(made: GridResults) -> None:
    free, dear = changed_alone(made, grinding=0), changed_alone(made)
    assert free is not None
    assert dear is not None
    found = ratio(made, dear, free)
    assert found is not None
    truth = 1 + 2**16 * ATTEMPT_NS["blake3-256"] / structure(free)
    assert found.low < truth < found.high
    assert found.high / found.low < 1.2
