"""Which proof system for which use: the best by a measured criterion, and by how much.

A use asks for properties, such as that there is no trusted setup, and for the least of one cost.
Of the systems on equal terms that have the properties, the one with the least of it is the best;
those that are not told apart from it are as good a choice, and the best of the others says by what
factor the choice matters.

Costs that the ratio table has are told apart as everywhere, by their p-values with Holm's
correction. A sum, as of one proof and several verifications, has no row there: its ratios are
estimated in the same way, by Student's t on logarithms paired within blocks, and Holm's correction
is over the systems that are compared with the best.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nizkbench.intervals import LEVEL, student_t
from nizkbench.quantities import Quantity, exact
from nizkbench.ratios import holm
from nizkbench.results import Results

#: How often a proof may be verified: once, by a hundred, by everybody.
VERIFICATIONS = (1, 100, 10_000)

#: The block of what is exact, and so the same in every block.
EVERY = -1

Properties = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Demand:
    """The systems that a use leaves to choose from, by the properties that are described."""

    words: str
    met: Callable[[Properties], bool]


@dataclass(frozen=True, slots=True)
class Criterion:
    """A cost of which the least is best: metrics of `Results.value`, each so many times, in sum.

    Times and memory are those of the thread track `threads`; sizes are the same on all.
    """

    words: str
    parts: tuple[tuple[str, int], ...]
    threads: str = "one"


@dataclass(frozen=True, slots=True)
class Choice:
    """The best system, those not told apart from it, and the best of the others with the ratio."""

    demand: Demand
    criterion: Criterion
    best: str
    value: Quantity
    alike: tuple[str, ...]
    following: str | None
    factor: Quantity | None


DEMANDS = (
    Demand("all systems", lambda _: True),
    Demand("systems with zero knowledge", lambda of: str(of["zero_knowledge"]["level"]) == "yes"),
    Demand(
        "systems with zero knowledge and no trusted setup",
        lambda of: str(of["zero_knowledge"]["level"]) == "yes" and of["trusted_setup"] == "none",
    ),
    Demand("post-quantum systems", lambda of: bool(of["post_quantum"])),
)

CRITERIA = (
    Criterion("smallest proof", (("size:proof", 1),)),
    Criterion("smallest proof and verifying key", (("size:proof", 1), ("size:verifying_key", 1))),
    Criterion("fastest to prove, one thread", (("time_to_proof", 1),)),
    Criterion("fastest to prove, all cores", (("time_to_proof", 1),), "all"),
    Criterion("fastest to verify, one thread", (("verify", 1),)),
    Criterion("least memory to prove", (("peak_memory_prove", 1),)),
    *(
        Criterion(
            f"one proof, verified {count} times" if count > 1 else "one proof, verified once",
            (("time_to_proof", 1), ("verify", count)),
        )
        for count in VERIFICATIONS
    ),
)


def choices(results: Results) -> list[Choice]:
    """The best of every criterion under every demand, at the largest size, in the order above.

    A demand that fewer than two systems meet, or exactly those that an earlier one left, chooses
    nothing and is left out.
    """
    found, seen = [], set[frozenset[str]]()
    for demand in DEMANDS:
        systems = frozenset(
            system
            for system in results.equal_terms
            if system in results.descriptions
            and demand.met(results.descriptions[system]["properties"])
        )
        if not systems or systems in seen:
            continue
        seen.add(systems)
        chosen = (_choice(results, demand, one, sorted(systems)) for one in CRITERIA)
        found += [choice for choice in chosen if choice is not None]
    return found


def _choice(
    results: Results, demand: Demand, criterion: Criterion, systems: Sequence[str]
) -> Choice | None:
    costs = {
        system: cost
        for system in systems
        if (cost := _cost(results, criterion, system)) is not None
    }
    if not costs:
        return None
    best, *others = sorted(costs, key=lambda system: (costs[system].value, system))
    apart = _told_apart(results, criterion, best, others)
    alike = tuple(system for system in others if not apart[system])
    following = next((system for system in others if apart[system]), None)
    factor = None if following is None else _ratio(results, criterion, following, best)
    return Choice(demand, criterion, best, costs[best], alike, following, factor)


def _cost(results: Results, criterion: Criterion, system: str) -> Quantity | None:
    series = results.equal_terms[system]
    (metric, _), *others = criterion.parts
    alone = results.value(series, metric, results.largest, criterion.threads)
    if not others or alone is None:
        return alone
    totals = _totals(results, criterion, system)
    return None if totals is None else _geometric_mean(totals, alone.unit)


def _ratio(results: Results, criterion: Criterion, above: str, below: str) -> Quantity | None:
    if len(criterion.parts) > 1:
        return _geometric_mean(_differences(results, criterion, above, below), "1")
    of, ((metric, _),) = results.equal_terms, criterion.parts
    return results.ratio(of[above], of[below], metric, results.largest, criterion.threads)


def _told_apart(
    results: Results, criterion: Criterion, best: str, others: Sequence[str]
) -> dict[str, bool]:
    """Whether each of the others differs from the best."""
    if len(criterion.parts) == 1:
        ((metric, _),) = criterion.parts
        return {other: _listed_apart(results, criterion, metric, other, best) for other in others}
    differences = [_differences(results, criterion, other, best) for other in others]
    corrected = holm(np.array([p_value(one) for one in differences]))
    return {other: bool(p < 1 - LEVEL) for other, p in zip(others, corrected, strict=True)}


def _listed_apart(results: Results, criterion: Criterion, metric: str, one: str, two: str) -> bool:
    of, size = results.equal_terms, results.largest
    if not metric.startswith("size:"):
        return bool(results.told_apart(of[one], of[two], metric, size, criterion.threads))
    ratio = _ratio(results, criterion, one, two)
    return ratio is not None and not ratio.low <= 1 <= ratio.high


def p_value(differences: Mapping[int, float]) -> float:
    """Of the hypothesis that two costs are equal; `differences` are of logarithms, by block.

    Exact ones, under `EVERY`, differ where they are not equal.
    """
    from scipy import stats  # slow to load, and only this function needs it

    values = list(differences.values())
    if set(differences) == {EVERY}:
        return float(values[0] == 0)
    return float(stats.ttest_1samp(values, 0.0).pvalue) if len(values) > 1 else 1.0


def _totals(results: Results, criterion: Criterion, system: str) -> dict[int, float] | None:
    """Logarithms of the sum of a criterion's parts by block; None where the first has no value.

    An exact part is the same in every block, and one that a system does not have adds nothing.
    """
    series, size = results.equal_terms[system], results.largest
    constant, varying = 0.0, []
    for metric, count in criterion.parts:
        blocks = results.by_block(series, metric, size, criterion.threads)
        value = results.value(series, metric, size, criterion.threads)
        if blocks:
            varying.append((blocks, count))
        elif value is not None:
            constant += count * value.value
    if not varying:
        return {EVERY: math.log(constant)} if constant else None
    shared = set.intersection(*(set(blocks) for blocks, _ in varying))
    return {
        block: math.log(
            constant + sum(count * math.exp(blocks[block]) for blocks, count in varying)
        )
        for block in sorted(shared)
    }


def _differences(
    results: Results, criterion: Criterion, above: str, below: str
) -> dict[int, float]:
    first, second = (_totals(results, criterion, system) for system in (above, below))
    if first is None or second is None:
        return {}
    if EVERY in first:
        first = dict.fromkeys(second, first[EVERY])
    if EVERY in second:
        second = dict.fromkeys(first, second[EVERY])
    return {block: first[block] - second[block] for block in sorted(first.keys() & second.keys())}


def _geometric_mean(logarithms: Mapping[int, float], unit: str) -> Quantity | None:
    """Of values given by their logarithms, with the interval of Student's t; None below two."""
    values = sorted(logarithms.values())
    if set(logarithms) == {EVERY}:
        return exact(math.exp(values[0]), unit)
    if len(values) < 2:
        return None
    centre = sum(values) / len(values)
    low, high = student_t(np.array([values]), LEVEL)
    return Quantity(math.exp(centre), math.exp(float(low[0])), math.exp(float(high[0])), unit)


def times_best(found: Sequence[Choice]) -> dict[str, dict[str, int]]:
    """By demand, in how many criteria each system is the best or not told apart from it."""
    counted: dict[str, dict[str, int]] = {}
    for choice in found:
        of = counted.setdefault(choice.demand.words, {})
        for system in (choice.best, *choice.alike):
            of[system] = of.get(system, 0) + 1
    return counted
