from nizkbench.claims import CLAIMS, Comparison, Outcome, above, below, every, verdicts
from nizkbench.quantities import Quantity
from nizkbench.results import Results


def test_claim_is_decided_only_where_the_whole_interval_agrees() -> None:
    assert above(Quantity(12, 11, 13), 10) == Outcome.REPRODUCED
    assert above(Quantity(8, 7, 9), 10) == Outcome.CONTRADICTED
    assert above(Quantity(10.5, 9, 12), 10) == Outcome.INCONCLUSIVE
    assert below(Quantity(10.5, 9, 12), 10) == Outcome.INCONCLUSIVE
    assert below(Quantity(8, 7, 9), 10) == Outcome.REPRODUCED
    assert above(None, 10) == Outcome.INCONCLUSIVE


def test_one_contradiction_outweighs_any_doubt_and_is_the_one_that_is_named() -> None:
    holds = Comparison(Outcome.REPRODUCED, "one")
    open_ = Comparison(Outcome.INCONCLUSIVE, "another")
    against = Comparison(Outcome.CONTRADICTED, "a third")
    assert every([holds, open_]) == open_
    assert every([holds, open_, against]) == against
    assert every([holds, holds]) == holds
    assert every([]).outcome == Outcome.INCONCLUSIVE


def test_every_claim_has_a_verdict_and_a_sentence_under_both_terms(results: Results) -> None:
    found = verdicts(results)
    assert list(found) == [claim.key for claim in CLAIMS]
    for then, now in found.values():
        assert then.sentence.endswith(".")
        assert now.sentence.endswith(".")


def test_growth_of_a_verifying_key_follows_the_circuit_and_not_the_library(
    results: Results,
) -> None:
    then, now = verdicts(results)["p1.8"]
    assert then.outcome == Outcome.REPRODUCED  # public constants, as the earlier circuit had them
    assert now.outcome == Outcome.CONTRADICTED  # fixed constants, as on equal terms


def test_price_of_one_query_is_told_with_its_attempts(results: Results) -> None:
    then, now = verdicts(results)["p1.10"]
    assert "42 queries take" in then.sentence
    assert "attempts" in then.sentence
    assert "a single draw" in then.sentence
    assert "more than 3" in then.sentence
    assert now.outcome == Outcome.NOT_MEASURED
    assert "nothing changed but the instance" in now.sentence


def test_claim_without_the_configurations_that_decide_it_is_not_measured(
    results: Results,
) -> None:
    _, now = verdicts(results)["p1.11"]
    assert now.outcome == Outcome.NOT_MEASURED
    assert "Not measured by this profile" in now.sentence


def test_verdict_that_is_not_reproduced_names_the_comparison_that_decided(
    results: Results,
) -> None:
    compared = {f"p1.{n}" for n in (2, 3, 4, 5, 6, 7)}
    named = 0
    for key, pair in verdicts(results).items():
        for verdict in pair if key in compared else ():
            if verdict.outcome == Outcome.CONTRADICTED:
                assert "What contradicts: " in verdict.sentence
                named += 1
            if verdict.outcome == Outcome.REPRODUCED:
                assert "What " not in verdict.sentence
    assert named
