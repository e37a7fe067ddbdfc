"""How much faster the fastest system is than those of earlier work, and who may compete."""

import math

import pytest

from nizkbench.analysis import analyse
from nizkbench.claim_verdicts import judged
from nizkbench.lead import (
    FOUR,
    ROUNDS,
    TENFOLD,
    lead,
    lead_in_words,
    lead_on_all_cores,
    lead_options,
)
from nizkbench.numbers import _of_options, numbers
from nizkbench.predicates import Outcome
from nizkbench.quantities import plain
from nizkbench.results import Results, results_of
from tests import synthetic_results
from tests.synthetic_results import synthetic_run

PLONKY3 = "plonky3/stark/koalabear-4"
STARK = "winterfell/stark/f128"
CLAIM = "own.13"


def measured(monkeypatch: pytest.MonkeyPatch, times_faster: float, **options: int) -> Results:
    """A run up to the largest size of earlier work, with Plonky3 so many times faster."""
    stark = synthetic_results.SPEED[STARK]
    speed = synthetic_results.SPEED | {PLONKY3: lambda n: stark(n) / times_faster}
    monkeypatch.setattr(synthetic_results, "SPEED", speed)
    monkeypatch.setattr(
        synthetic_results, "PLONKY3_OPTIONS", synthetic_results.PLONKY3_OPTIONS | options
    )
    run = synthetic_run((63, ROUNDS))
    return results_of(run, analyse(run.records))


def outcome(results: Results) -> Outcome:
    """How the claim came out on a run."""
    return next(one.equal.outcome for one in judged(results, None, None) if one.claim.key == CLAIM)


def test_lead_is_over_the_fastest_of_the_four_and_has_its_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = measured(monkeypatch, 15)
    found = lead(results)
    assert found is not None
    assert (found.behind, found.ahead) == (STARK, PLONKY3)
    # The synthetic run has a witness phase besides, and three blocks.
    assert found.ratio.value == pytest.approx(15, rel=0.2)
    assert found.ratio.low < found.ratio.value < found.ratio.high
    assert found.bits_behind == pytest.approx(127, abs=1e-6)
    assert found.bits_ahead == 128
    assert outcome(results) is Outcome.REPRODUCED
    known = numbers(results)
    assert known["lead.ratio"].quantity == found.ratio
    assert known["rows.lead"].text == "1"
    assert "127 conjectured bits against 128" in lead_in_words(results)
    assert found.all_cores is not None
    assert known["lead.ratio.all-cores"].quantity == found.all_cores
    said = lead_on_all_cores(results)
    assert f"{plain(found.all_cores, interval=True)} times as long as plonky3" in said
    assert ("less than tenfold" in said) == (found.all_cores.high < TENFOLD)
    assert f"on all cores {plain(found.all_cores, interval=True)} times" in lead_in_words(results)
    ratios = [
        math.exp(
            results.by_block(results.equal_terms[STARK], "time_to_proof", ROUNDS, "one")[block]
            - logarithm
        )
        for block, logarithm in results.by_block(
            results.equal_terms[PLONKY3], "time_to_proof", ROUNDS, "one"
        ).items()
    ]
    tenfold = sum(ratio >= TENFOLD for ratio in ratios)
    assert said.endswith(f"times, 10 or more in {tenfold} of {len(ratios)} blocks.")


def test_lead_comes_with_the_options_of_both_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    results = measured(monkeypatch, 15)
    time = results.value(results.equal_terms[STARK], "time_to_proof", ROUNDS, "one")
    said = lead_options(results)
    assert "of plonky3 STARK koalabear-4 are chosen for speed; winterfell STARK f128" in said
    assert said.endswith(f"takes {plain(time, interval=True)} with those of earlier work.")
    known = numbers(results)
    assert "chosen for speed" in known["finding.lead-options"].text
    options = known["run.options"].text
    assert "plonky3 STARK with " in options
    assert "queries 142" in options
    assert "; winterfell STARK with " in options
    assert "queries 42" in options
    assert "remainder max degree 31" in options


def test_options_that_differ_by_field_are_told_in_the_order_of_the_fields(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = {"f128": "none", "f64": "quadratic"}
    monkeypatch.setattr(Results, "options_of", lambda _self, series: {"extension": levels[series]})
    systems = {f"winterfell/stark/{field}": field for field in ("f128", "f64")}
    monkeypatch.setitem(vars(results), "equal_terms", systems)
    options = {number.key: number.text for number in _of_options(results)}["run.options"]
    assert options == "winterfell STARK with extension none and quadratic"


def test_lead_below_ten_contradicts_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    results = measured(monkeypatch, 6)
    assert outcome(results) is Outcome.CONTRADICTED
    assert "less than tenfold" in lead_on_all_cores(results)


def test_system_with_fewer_bits_does_not_compete(monkeypatch: pytest.MonkeyPatch) -> None:
    results = measured(monkeypatch, 15, queries=100)
    found = lead(results)
    assert found is None or found.ahead != PLONKY3
    assert outcome(results) is Outcome.CONTRADICTED


def test_run_without_the_largest_size_has_no_lead_and_says_so() -> None:
    run = synthetic_run((15, 63))
    results = results_of(run, analyse(run.records))
    assert lead(results) is None
    assert "no system to hold against" in lead_in_words(results)
    known = numbers(results)
    assert known["rows.lead"].text == "0"
    assert "lead.ratio" not in known
    assert "lead.ratio.all-cores" not in known
    assert "no lead" in lead_on_all_cores(results)
    assert "no lead" in known["finding.lead-options"].text


def test_four_systems_are_those_of_earlier_work() -> None:
    assert [one.split("/")[0] for one in FOUR] == [
        "bellman",
        "gnark",
        "bulletproofs",
        "winterfell",
    ]
