"""Conditions of claims: what decides them, what a family costs, and what is still missing."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nizkbench.predicates import (
    Comparison,
    Condition,
    Outcome,
    Side,
    Subjects,
    Verdict,
    above,
    below,
    compared,
    corrected,
    decided,
    every,
    is_above,
    is_below,
    told,
    within,
)
from nizkbench.quantities import Quantity

GROUPS = {"both": ("a", "b")}


@dataclass(frozen=True)
class Known:
    """Evidence from a table of values by subject, metric and size."""

    values: dict[tuple[str, str, int], Quantity]
    figures: dict[tuple[str, str], Quantity] = field(default_factory=dict)
    side: Side = "equal"
    invocations: int = 10

    def members(self, subjects: Subjects) -> tuple[str, ...]:
        names = (subjects,) if isinstance(subjects, str) else subjects
        return tuple(one for name in names for one in GROUPS.get(name, (name,)))

    def name(self, subject: str) -> str:
        return subject.upper()

    def place(self, size: int) -> str:
        return f"at {size} rounds"

    def sizes(self, subjects: Iterable[str], metric: str) -> tuple[int, ...]:
        known = [{n for s, m, n in self.values if (s, m) == (one, metric)} for one in subjects]
        return tuple(sorted(set.intersection(*known)))

    def value(self, subject: str, metric: str, size: int) -> Quantity | None:
        return self.values.get((subject, metric, size))

    def ratio(self, above: str, below: str, metric: str, size: int) -> Quantity | None:
        over, under = (self.value(one, metric, size) for one in (above, below))
        if over is None or under is None:
            return None
        return Quantity(over.value / under.value, over.low / under.high, over.high / under.low)

    def change(
        self, above: str, below: str, metric: str, sizes: tuple[int, int]
    ) -> Quantity | None:
        first, last = (self.ratio(above, below, metric, size) for size in sizes)
        if first is None or last is None:
            return None
        return Quantity(last.value / first.value, last.low / first.high, last.high / first.low)

    def figure(self, figure: str, subject: str) -> Quantity | None:
        return self.figures.get((figure, subject))


def table(**times: dict[int, float]) -> Known:
    """Prove times with an interval of a tenth to either side, in ns."""
    return Known(
        {
            (subject, "prove", size): Quantity(value, 0.9 * value, 1.1 * value, "ns")
            for subject, by_size in times.items()
            for size, value in by_size.items()
        }
    )


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


def test_equivalence_needs_the_whole_interval_inside_the_margin() -> None:
    assert within(Quantity(1.0, 0.9, 1.1), 1.25) == Outcome.REPRODUCED
    assert within(Quantity(1.3, 1.26, 1.4), 1.25) == Outcome.CONTRADICTED
    assert within(Quantity(0.7, 0.6, 0.79), 1.25) == Outcome.CONTRADICTED
    assert within(Quantity(1.2, 1.1, 1.3), 1.25) == Outcome.INCONCLUSIVE
    assert within(Quantity(1, 1, 1), 1) == Outcome.REPRODUCED


def test_ratio_is_of_every_pair_at_every_size_that_all_have() -> None:
    evidence = table(a={1: 50, 2: 60, 4: 70}, b={1: 40, 2: 50}, c={1: 1, 2: 2, 4: 3})
    (found,) = [Condition(ratio=("both", "c"), metric="prove", above=10)]
    comparisons = compared([found], evidence)
    assert [one.outcome for one in comparisons] == [Outcome.REPRODUCED] * 4
    assert comparisons[0].words.startswith("A's prove time over C's at 1 rounds is 50 [")
    assert comparisons[0].words.endswith("not above 10")
    nearest = "Measured: B's prove time over C's at 2 rounds is 25 [20–31], of 4 the nearest to its"
    assert told(comparisons).startswith(nearest)


@pytest.mark.parametrize(
    ("at", "sizes"), [("first", [1]), ("last", [4]), ("later", [2, 4]), (2, [2])]
)
def test_sizes_are_chosen_by_name(at: str | int, sizes: list[int]) -> None:
    evidence = table(a={1: 1, 2: 2, 4: 4}, b={1: 1, 2: 1, 4: 1})
    wanted = Condition(ratio=("a", "b"), metric="prove", above=0.1, at=at)  # type: ignore[arg-type]
    words = [one.words for one in compared([wanted], evidence)]
    assert [f"at {size} rounds" in said for size, said in zip(sizes, words, strict=True)]


def test_first_size_from_a_bound_on_is_each_subjects_own() -> None:
    evidence = table(a={1: 1, 8: 8e9}, b={1: 1, 4: 4e9})
    wanted = Condition(value="both", metric="prove", since=3, above=5e9)
    first, second = compared([wanted], evidence)
    assert (first.outcome, second.outcome) == (Outcome.REPRODUCED, Outcome.CONTRADICTED)
    assert second.words == "B's prove time at 4 rounds is 4.0\u202fs [3.6–4.4], not above 5\u202fs"


def test_member_without_a_value_is_passed_over_and_a_group_without_any_is_a_doubt() -> None:
    evidence = table(a={8: 8e9}, c={8: 1.0})
    wanted = Condition(value="both", metric="prove", at=8, above=5e9)
    assert [one.outcome for one in compared([wanted], evidence)] == [Outcome.REPRODUCED]
    alone = Condition(value="both", metric="prove", at=16, above=5e9)
    (doubt,) = compared([alone], evidence)
    assert doubt.outcome == Outcome.INCONCLUSIVE
    assert doubt.words == "A and B has no prove time at 16 rounds"
    assert not doubt.known


def test_growth_is_held_against_the_first_size_and_spread_against_all() -> None:
    exact = {
        ("a", "size:proof", n): Quantity(v, v, v, "bytes") for n, v in ((1, 8), (2, 9), (4, 8))
    }
    evidence = Known(exact)
    (rise,) = compared([Condition(rise="a", metric="size:proof", within=1)], evidence)
    (spread,) = compared([Condition(spread="a", metric="size:proof", within=1)], evidence)
    assert rise.outcome == Outcome.REPRODUCED
    assert spread.outcome == Outcome.CONTRADICTED
    assert spread.words == "A's proof size, largest over smallest from 1 to 4 rounds is 1.12, not 1"


def test_change_is_of_the_ratio_from_the_smallest_to_the_largest_size() -> None:
    evidence = table(a={1: 100, 2: 100, 4: 100}, b={1: 1, 2: 5, 4: 50})
    (found,) = compared([Condition(change=("a", "b"), metric="prove", below=1)], evidence)
    assert found.outcome == Outcome.REPRODUCED
    assert "the change of A's prove time over B's from 1 to 4 rounds" in found.words


def test_comparison_whose_sizes_a_run_lacks_leaves_the_claim_unmeasured() -> None:
    evidence = table(a={1: 100, 2: 100}, b={1: 1, 2: 5})
    has = Condition(ratio=("a", "b"), metric="prove", above=2, at=2)
    lacks = (
        Condition(ratio=("a", "b"), metric="prove", above=2, at=4095),
        Condition(change=("a", "b"), metric="prove", below=1, between=(1, 4095)),
        Condition(rise="a", metric="prove", below=3, between=(1, 4095)),
        Condition(spread="a", metric="prove", below=3, between=(2, 4095)),
    )
    for condition in lacks:
        whole = every(compared([has, condition], evidence))
        assert whole.outcome == Outcome.NOT_MEASURED
        assert "was not measured" in whole.words
        assert "4095 rounds" in whole.words
        verdict = decided(whole, "Half of it.")
        assert verdict.sentence == f"Half of it. What is lacking: {whole.words}."
    contradicted = Condition(ratio=("a", "b"), metric="prove", below=2, at=2)
    assert every(compared([contradicted, *lacks], evidence)).outcome == Outcome.CONTRADICTED


def test_growth_between_two_sizes_leaves_out_the_others() -> None:
    evidence = table(a={1: 1, 2: 10, 4: 11, 8: 1000})
    (rise,) = compared([Condition(rise="a", metric="prove", below=2, between=(2, 4))], evidence)
    assert rise.outcome == Outcome.REPRODUCED
    assert "last over first from 2 to 4 rounds" in rise.words


def test_one_more_invocation_is_one() -> None:
    open_ = Comparison(Outcome.INCONCLUSIVE, "it is", "it is", more=1)
    assert decided(open_, "So.").sentence.endswith(" 1 more invocation would decide it.")


def test_figure_and_two_metrics_are_compared_as_quotients() -> None:
    figures = {("slope", "a"): Quantity(6, 6, 6), ("slope", "b"): Quantity(2, 2, 2)}
    sizes = {("a", "key", 1): Quantity(9, 9, 9), ("b", "proof", 1): Quantity(3, 3, 3)}
    evidence = Known(sizes, figures)
    (slope,) = compared([Condition(ratio=("a", "b"), figure="slope", above=2)], evidence)
    assert slope.outcome == Outcome.REPRODUCED
    (quotient,) = compared(
        [Condition(ratio=("a", "b"), metric=("key", "proof"), above=4)], evidence
    )
    assert quotient.outcome == Outcome.CONTRADICTED
    assert quotient.words == "A's key over B's proof at 1 rounds is 3, not above 4"


def test_condition_on_one_side_is_not_held_against_the_other() -> None:
    evidence = table(a={1: 1}, b={1: 1})
    wanted = Condition(value="a", metric="prove", above=5, side="published")
    assert compared([wanted], evidence) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"metric": "prove", "above": 1},
        {"value": "a", "rise": "a", "metric": "prove", "above": 1},
        {"value": "a", "metric": "prove"},
        {"value": "a", "metric": "prove", "above": 1, "below": 2},
        {"value": "a", "above": 1},
        {"rise": "a", "figure": "slope", "above": 1},
        {"value": "a", "metric": ("key", "proof"), "above": 1},
    ],
)
def test_condition_that_says_too_little_or_too_much_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"exactly one of|no sizes|a ratio only"):
        Condition(**wrong)  # type: ignore[arg-type]


# ---- p-values, families and what is missing ------------------------------------------------------


@settings(deadline=None)
@given(st.floats(0.1, 10), st.floats(0.01, 2), st.floats(0.1, 10), st.integers(2, 50))
def test_p_value_is_below_five_percent_exactly_where_the_bound_is_outside_the_interval(
    value: float, half: float, bound: float, n: int
) -> None:
    quantity = Quantity(value, value * math.exp(-half), value * math.exp(half))
    decides = is_above("it", quantity, bound, n)
    if abs(abs(math.log(value / bound)) - half) < 1e-9:
        return
    inside = quantity.low <= bound <= quantity.high
    assert (decides.p_value > 0.05) == inside
    assert (decides.outcome == Outcome.INCONCLUSIVE) == inside


def test_p_value_is_that_of_students_t() -> None:
    values = np.log([2.0, 2.5, 2.2, 2.9, 2.4])
    centre, error = values.mean(), stats.sem(values)
    reach = stats.t.ppf(0.975, 4) * error
    quantity = Quantity(*np.exp([centre, centre - reach, centre + reach]))
    expected = stats.ttest_1samp(values, np.log(2.0)).pvalue
    assert is_above("it", quantity, 2.0, 5).p_value == pytest.approx(expected)


def test_claim_has_the_p_value_of_all_its_comparisons() -> None:
    holds = [Comparison(Outcome.REPRODUCED, "x", p_value=p) for p in (0.001, 0.04)]
    assert every(holds).p_value == 0.04
    against = [*holds, *(Comparison(Outcome.CONTRADICTED, "y", p_value=p) for p in (0.03, 0.01))]
    assert every(against).p_value == pytest.approx(0.04)


def test_family_takes_back_what_one_claim_among_many_would_show_by_luck() -> None:
    family = {
        f"p{n}": Verdict(Outcome.REPRODUCED, "It is so.", p)
        for n, p in enumerate((0.0, 0.02, 0.04))
    }
    family["without estimate"] = Verdict(Outcome.INCONCLUSIVE, "Nothing was compared.")
    found = corrected(family)
    assert [one.outcome for one in found.values()] == [
        Outcome.REPRODUCED,
        Outcome.REPRODUCED,  # 0.02 · 2
        Outcome.REPRODUCED,  # 0.04 · 1
        Outcome.INCONCLUSIVE,
    ]
    known = {key: family[key] for key in ("p0", "p1")}
    known["open"] = Verdict(Outcome.INCONCLUSIVE, "Who knows.", 0.5)
    luck = Verdict(Outcome.REPRODUCED, "It is so.", 0.04)
    assert corrected({**known, "p2": luck})["p2"].outcome == Outcome.INCONCLUSIVE  # 0.04 · 2
    more = {**family, **{f"q{n}": Verdict(Outcome.CONTRADICTED, "No.", 0.03) for n in range(3)}}
    found = corrected(more)
    assert found["p0"].outcome == Outcome.REPRODUCED
    assert {found[key].outcome for key in ("p1", "p2", "q0")} == {Outcome.INCONCLUSIVE}
    assert "reproduced by itself (p = 0.02)" in found["p1"].sentence
    assert found["p0"] == family["p0"]


def test_open_claim_says_how_many_more_invocations_would_decide_it() -> None:
    n, spread, distance = 10, 0.3, 0.1
    reach = stats.t.ppf(0.975, n - 1) * spread / math.sqrt(n)
    value, low, high = (math.exp(x) for x in (distance, distance - reach, distance + reach))
    quantity = Quantity(value, low, high)
    found = is_above("it", quantity, 1.0, n)
    assert found.outcome == Outcome.INCONCLUSIVE
    assert found.more is not None
    enough, short = n + found.more, n + found.more - 1
    assert stats.t.ppf(0.975, enough - 1) * spread / math.sqrt(enough) < distance
    assert stats.t.ppf(0.975, short - 1) * spread / math.sqrt(short) >= distance
    verdict = decided(found, "It is so.")
    assert verdict.more == found.more
    assert f"{found.more} more invocations would decide it." in verdict.sentence
    one = decided(replace(found, more=1), "It is so.")
    assert one.sentence.endswith(" 1 more invocation would decide it.")


def test_no_number_decides_what_lies_on_its_bound_and_none_is_needed_where_it_is_decided() -> None:
    assert is_above("it", Quantity(1, 0.5, 2), 1.0, 10).more is None
    assert is_below("it", Quantity(1, 0.9, 1.1), 2.0, 10).more is None
    assert is_above("it", None, 1.0, 10).more is None
