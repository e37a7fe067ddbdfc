"""Predicates of claims, and how estimates decide them.

A predicate is a list of conditions in `data/claims.toml` (`nizkbench.claim_register`), each of
which holds one quantity against one bound. A claim is *reproduced* where the whole interval of
every quantity satisfies its condition, and *contradicted* where the whole interval of one does not.
Otherwise it is *not measured* where a run has nothing that it is about, or lacks the sizes that a
ratio, a change, a rise or a spread is taken at, and *inconclusive* where an interval reaches over a
bound, or where a value or figure is absent while something else that it is about was measured. What
a quantity is belongs to the experiment, which answers as `Evidence`.

An interval also gives a p-value: it is read as Student's t on logarithms (or on the values, where
one may be negative), so that a bound outside a 95 % interval has p below 5 %. The claims of one
source on one experiment, on the same terms, are a family, whose p-values are corrected by Holm
(1979); every claim counts that has an estimate, decided by itself or not.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Literal, Protocol

import msgspec

from nizkbench.distributions import t_quantile, t_tail
from nizkbench.intervals import LEVEL
from nizkbench.quantities import Quantity, exact, plain
from nizkbench.words import listed

Side = Literal["published", "equal"]
SIDES: tuple[Side, Side] = ("published", "equal")

#: More invocations than this are not worth a number.
MOST_INVOCATIONS = 1000


class Outcome(StrEnum):
    """How a claim came out."""

    REPRODUCED = "reproduced"
    CONTRADICTED = "contradicted"
    INCONCLUSIVE = "inconclusive"
    NOT_MEASURED = "not measured"
    NOT_YET_TESTED = "not yet tested"


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome and the sentence that says why.

    `p_value` is the chance of a decided outcome by luck alone, before any correction. `more` is how
    many more invocations of each configuration would decide an inconclusive one, if the estimate
    stayed where it is; None where no number would, or none up to `MOST_INVOCATIONS`.
    """

    outcome: Outcome
    sentence: str
    p_value: float = 0.0
    more: int | None = None


# ── Conditions, as data/claims.toml has them ──────────────────────────────────────────────────────

Subjects = str | tuple[str, ...]


class Condition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One condition: a quantity, and the bound that it has to be on one side of.

    Exactly one of `value`, `ratio`, `change`, `rise` and `spread` says of which subjects:

    - `value`: an estimate of each subject;
    - `ratio`: that of the first over that of the second, for every pair;
    - `change`: such a ratio at the largest size over that at the smallest;
    - `rise`: an estimate at the largest size over that at the smallest;
    - `spread`: the largest of all sizes over the smallest, 1 where it is the same at every size.

    `metric` is what is estimated (two metrics for a ratio whose subjects differ in it); `figure`,
    in its place, a number that the experiment derives for a subject over all sizes. `at` chooses
    among the sizes that have everything a claim asks for; `since` the first size from so many
    rounds or bytes on, for each subject by itself; `between` the two sizes of a change, rise or
    spread in the place of the smallest and the largest. `above` and `below` are exclusive; `within`
    a factor f means from 1/f to f. `side` limits a condition to one of the two terms.
    """

    value: Subjects | None = None
    ratio: tuple[Subjects, Subjects] | None = None
    change: tuple[Subjects, Subjects] | None = None
    rise: Subjects | None = None
    spread: Subjects | None = None
    metric: str | tuple[str, str] | None = None
    figure: str | None = None
    at: Literal["all", "first", "last", "later"] | Annotated[int, msgspec.Meta(ge=1)] = "all"
    since: Annotated[int, msgspec.Meta(ge=1)] | None = None
    between: tuple[int, int] | None = None
    above: float | None = None
    below: float | None = None
    within: Annotated[float, msgspec.Meta(ge=1)] | None = None
    side: Side | None = None

    def __post_init__(self) -> None:
        kinds = [self.value, self.ratio, self.change, self.rise, self.spread]
        _one(kinds, "value, ratio, change, rise and spread")
        _one([self.above, self.below, self.within], "above, below and within")
        _one([self.metric, self.figure], "metric and figure")
        if self.figure is not None and self.value is None and self.ratio is None:
            raise ValueError("a figure has no sizes to change or to spread over")
        if isinstance(self.metric, tuple) and self.ratio is None:
            raise ValueError("two metrics have a ratio only")
        if self.between is not None and (self.value or self.ratio):
            raise ValueError("only a change, a rise or a spread is between two sizes")

    @property
    def pair(self) -> tuple[Subjects, Subjects] | None:
        """The subjects of what has two."""
        return self.ratio or self.change

    @property
    def alone(self) -> Subjects:
        """The subjects of what has one."""
        return self.value or self.rise or self.spread or ()


def _one(given: Sequence[object], names: str) -> None:
    if sum(one is not None for one in given) != 1:
        raise ValueError(f"a condition has exactly one of {names}")


class Evidence(Protocol):
    """What an experiment answers on one side of a comparison."""

    @property
    def side(self) -> Side:
        """Which terms these are."""

    def members(self, subjects: Subjects) -> tuple[str, ...]:
        """The subjects that a name stands for: a group's members, or itself."""

    def name(self, subject: str) -> str:
        """What a subject is called in a sentence."""

    def place(self, size: int) -> str:
        """A size in words: `at 63 rounds`."""

    def sizes(self, subjects: Iterable[str], metric: str) -> tuple[int, ...]:
        """The sizes at which all these subjects have a value, ascending."""

    def value(self, subject: str, metric: str, size: int) -> Quantity | None:
        """An estimate, or None."""

    def ratio(self, above: str, below: str, metric: str, size: int) -> Quantity | None:
        """The ratio of two subjects, or None."""

    def change(
        self, above: str, below: str, metric: str, sizes: tuple[int, int]
    ) -> Quantity | None:
        """The ratio of two subjects at the second size over that at the first, or None."""

    def figure(self, figure: str, subject: str) -> Quantity | None:
        """A number derived over all sizes, or None."""

    @property
    def invocations(self) -> int:
        """From how many invocations of each configuration estimates are, at least."""


# ── Deciding over intervals ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Comparison:
    """A quantity held against a bound: how it came out, and in words what was held against what.

    `shown` is the quantity and what it is of, without the bound; empty where it is not known.
    `distance` is from the estimate to the nearer bound, on logarithms where both are positive, and
    `condition` the place of what it was compared for among a claim's conditions.
    """

    outcome: Outcome
    words: str
    shown: str = ""
    p_value: float = 0.0
    more: int | None = None
    distance: float = math.inf
    condition: int = 0

    @property
    def known(self) -> bool:
        """Whether there is a quantity at all."""
        return bool(self.shown)


def above(quantity: Quantity | None, bound: float) -> Outcome:
    """Whether a quantity is above a bound, as far as its interval tells."""
    if quantity is None:
        return Outcome.INCONCLUSIVE
    if quantity.low > bound:
        return Outcome.REPRODUCED
    return Outcome.CONTRADICTED if quantity.high <= bound else Outcome.INCONCLUSIVE


def below(quantity: Quantity | None, bound: float) -> Outcome:
    """Whether a quantity is below a bound, as far as its interval tells."""
    if quantity is None:
        return Outcome.INCONCLUSIVE
    if quantity.high < bound:
        return Outcome.REPRODUCED
    return Outcome.CONTRADICTED if quantity.low >= bound else Outcome.INCONCLUSIVE


def within(quantity: Quantity | None, factor: float) -> Outcome:
    """Whether a quantity is between 1/factor and factor, as far as its interval tells."""
    if quantity is None:
        return Outcome.INCONCLUSIVE
    if 1 / factor <= quantity.low and quantity.high <= factor:
        return Outcome.REPRODUCED
    outside = quantity.high < 1 / factor or quantity.low > factor
    return Outcome.CONTRADICTED if outside else Outcome.INCONCLUSIVE


def is_above(words: str, quantity: Quantity | None, bound: float, n: int = 0) -> Comparison:
    """Holds a quantity from `n` invocations, called `words`, against a lower bound."""
    said = f"not above {_bound(quantity, bound)}"
    return _compared(words, quantity, above(quantity, bound), said, (bound,), n)


def is_below(words: str, quantity: Quantity | None, bound: float, n: int = 0) -> Comparison:
    """Holds a quantity from `n` invocations, called `words`, against an upper bound."""
    said = f"not below {_bound(quantity, bound)}"
    return _compared(words, quantity, below(quantity, bound), said, (bound,), n)


def is_within(words: str, quantity: Quantity | None, factor: float, n: int = 0) -> Comparison:
    """Holds a ratio from `n` invocations, called `words`, against 1/factor and factor."""
    said = "not 1" if factor == 1 else f"not between {1 / factor:.3g} and {factor:g}"
    return _compared(words, quantity, within(quantity, factor), said, (1 / factor, factor), n)


def _compared(
    words: str,
    quantity: Quantity | None,
    outcome: Outcome,
    said: str,
    bounds: Sequence[float],
    n: int,
) -> Comparison:
    shown = f"{words} is {plain(quantity, interval=True)}"
    if quantity is None:
        return Comparison(outcome, f"{shown}, {said}")
    values = [_p_value(quantity, bound, n) for bound in bounds]
    # Between two bounds both have to be excluded, outside them one.
    p_value = max(values) if outcome is Outcome.REPRODUCED else min(values)
    more = None
    if outcome is Outcome.INCONCLUSIVE:
        needed = [one for bound in bounds if (one := _more(quantity, bound, n)) is not None]
        more = max(needed, default=None)
    distance = min(_distance(quantity, bound)[0] for bound in bounds)
    return Comparison(outcome, f"{shown}, {said}", shown, p_value, more, distance)


def _bound(quantity: Quantity | None, bound: float) -> str:
    """A bound in the unit of what is held against it; as it is written where there is none."""
    if quantity is None or quantity.unit == "1":
        return f"{bound:g}"
    return plain(exact(bound, quantity.unit))


def _distance(quantity: Quantity, bound: float) -> tuple[float, float]:
    """From the estimate to the bound, and the half of the interval on that side, both positive."""
    ends = [quantity.low, quantity.value, quantity.high, bound]
    if min(ends) > 0:
        ends = [math.log(end) for end in ends]
    low, value, high, against = ends
    return abs(value - against), value - low if against < value else high - value


def _p_value(quantity: Quantity, bound: float, n: int) -> float:
    """Two-sided, of an estimate from `n` invocations that is as far from the bound as this one."""
    if quantity.exact:
        return 0.0
    distance, half = _distance(quantity, bound)
    degrees = max(n - 1, 1)
    reach = t_quantile((1 + LEVEL) / 2, degrees)
    return float(2 * t_tail(reach * distance / half, degrees)) if half > 0 else 0.0


def _more(quantity: Quantity, bound: float, n: int) -> int | None:
    """How many more invocations would exclude the bound, if the estimate stayed where it is.

    The half-width of Student's t over n invocations goes with t(n − 1) / √n. None where it takes
    more than `MOST_INVOCATIONS`, or where that would not help.
    """
    distance, half = _distance(quantity, bound)
    if n < 2 or distance == 0 or half <= distance:
        return None
    deviation = half * math.sqrt(n) / t_quantile((1 + LEVEL) / 2, n - 1)

    def enough(more: int) -> bool:
        reach = t_quantile((1 + LEVEL) / 2, n + more - 1)
        return reach * deviation / math.sqrt(n + more) < distance

    # The half-width falls with every invocation.
    found = bisect_left(range(MOST_INVOCATIONS + 1), x=True, key=enough)
    return found if found <= MOST_INVOCATIONS else None


def every(comparisons: Iterable[Comparison]) -> Comparison:
    """The comparison that decides all of them: the first contradiction, else the first doubt.

    What a run lacks is a graver doubt than a wide interval. Where there is neither, the first one;
    no comparison at all is a doubt. Its p-value is that of the whole: all must hold, so the largest
    of them; one contradiction is enough, so the smallest times their number.
    """
    found = list(comparisons)
    for outcome in (Outcome.CONTRADICTED, Outcome.NOT_MEASURED, Outcome.INCONCLUSIVE):
        ended = [one for one in found if one.outcome == outcome]
        if outcome is Outcome.CONTRADICTED and ended:
            least = min(one.p_value for one in ended)
            return replace(ended[0], p_value=min(1.0, least * len(found)))
        if ended:
            known = [one.more for one in ended]
            most = None if None in known else max(one for one in known if one is not None)
            return replace(ended[0], more=most)
    if not found:
        return Comparison(Outcome.INCONCLUSIVE, "nothing was compared")
    return replace(found[0], p_value=max(one.p_value for one in found))


def decided(decisive: Comparison, sentence: str) -> Verdict:
    """The verdict of the deciding comparison, which the sentence names unless all held."""
    match decisive.outcome:
        case Outcome.CONTRADICTED:
            sentence += f" What contradicts: {decisive.words}."
        case Outcome.INCONCLUSIVE:
            certain = " for certain" if decisive.known else ""
            sentence += f" What leaves it open: {decisive.words}{certain}."
            if decisive.more is not None:
                counted = "invocation" if decisive.more == 1 else "invocations"
                sentence += f" {decisive.more} more {counted} would decide it."
        case Outcome.NOT_MEASURED:
            sentence += f" What is lacking: {decisive.words}."
        case _:
            pass
    return Verdict(decisive.outcome, sentence, decisive.p_value, decisive.more)


def told(comparisons: Sequence[Comparison]) -> str:
    """What was compared, in a sentence: of each condition the quantity nearest to its bound.

    That is the one with the largest p-value, and of exact ones the one with the least distance.
    """
    parts = []
    for condition in sorted({one.condition for one in comparisons}):
        mine = [one for one in comparisons if one.condition == condition]
        nearest = max(mine, key=lambda one: (one.p_value, -one.distance))
        others = f", of {len(mine)} the nearest to its bound" if len(mine) > 1 else ""
        parts.append(f"{nearest.shown}{others}")
    return f"Measured: {'; '.join(parts)}."


def corrected(verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """A family of verdicts, of which those that Holm's correction takes back are inconclusive.

    Open claims count as well where there is an estimate, which has a p-value.
    """
    decided_alone = {Outcome.REPRODUCED, Outcome.CONTRADICTED}
    family = sorted(
        (
            (verdict.p_value, key)
            for key, verdict in verdicts.items()
            if verdict.outcome in decided_alone
            or (verdict.outcome is Outcome.INCONCLUSIVE and verdict.p_value > 0)
        ),
    )
    found = dict(verdicts)
    adjusted = 0.0
    for place, (p_value, key) in enumerate(family):
        adjusted = max(adjusted, min(1.0, p_value * (len(family) - place)))
        was = verdicts[key]
        if adjusted >= 1 - LEVEL and was.outcome in decided_alone:
            found[key] = Verdict(
                Outcome.INCONCLUSIVE,
                f"{was.sentence} What leaves it open: {was.outcome} by itself (p = {p_value:.2g}),"
                f" it is not among {len(family)} claims (p = {adjusted:.2g} after Holm).",
                was.p_value,
            )
    return found


# ── Carrying out conditions ───────────────────────────────────────────────────────────────────────

#: What a metric is called in the words of a comparison; others by their own names.
METRIC_NAMES = {
    "size:proof": "proof size",
    "size:verifying_key": "verifying key",
    "size:proving_key": "proving key",
    "size:proof+verifying_key": "key and proof",
    "time_to_proof": "time to proof",
    "prove": "prove time",
    "setup": "setup",
    "compile": "compile time",
    "verify": "verify time",
    "constraints": "constraints",
}


def compared(conditions: Iterable[Condition], evidence: Evidence) -> list[Comparison]:
    """Every comparison of a claim's conditions on one side, in their order.

    The sizes are those at which every subject of the claim has the metric. A member of a group
    without a value is passed over if another has one; a group without any leaves the claim open. A
    ratio, a change, a rise or a spread without its sizes is a comparison that is not measured.
    """
    mine = [condition for condition in conditions if condition.side in {None, evidence.side}]
    subjects: dict[str, set[str]] = {}
    for condition in mine:
        for metric, named in _asked(condition):
            subjects.setdefault(metric, set()).update(evidence.members(named))
    sizes = {metric: evidence.sizes(sorted(named), metric) for metric, named in subjects.items()}
    return [
        replace(comparison, condition=place)
        for place, condition in enumerate(mine)
        for comparison in _carried_out(condition, evidence, sizes)
    ]


def _asked(condition: Condition) -> list[tuple[str, Subjects]]:
    """The metrics of a condition with the subjects that are asked for them; none of a figure."""
    if condition.metric is None or condition.since is not None:
        return []
    if condition.pair is None:
        assert isinstance(condition.metric, str)
        return [(condition.metric, condition.alone)]
    return list(zip(_both(condition.metric), condition.pair, strict=True))


def _both(metric: str | tuple[str, str]) -> tuple[str, str]:
    return (metric, metric) if isinstance(metric, str) else metric


def _carried_out(
    condition: Condition, evidence: Evidence, sizes: Mapping[str, tuple[int, ...]]
) -> list[Comparison]:
    if condition.figure is not None:
        return _of_figure(condition, condition.figure, evidence)
    assert condition.metric is not None
    if condition.pair is not None:
        shared = _shared(condition, sizes)
        return [
            comparison
            for above in evidence.members(condition.pair[0])
            for below in evidence.members(condition.pair[1])
            for comparison in _of_pair(condition, evidence, (above, below), shared)
        ]
    assert isinstance(condition.metric, str)
    found, without = [], []
    for subject in evidence.members(condition.alone):
        of_subject = _of_one(condition, evidence, subject, sizes)
        found += of_subject
        if not of_subject:
            without.append(evidence.name(subject))
    if found or not without:
        return found
    beyond = "" if condition.since is None else f" from {_size(evidence, condition.since)} on"
    where = f" {evidence.place(condition.at)}" if isinstance(condition.at, int) else beyond
    words = (
        f"{listed(without)} has no {METRIC_NAMES.get(condition.metric, condition.metric)}{where}"
    )
    return [Comparison(Outcome.INCONCLUSIVE, words)]


def _shared(condition: Condition, sizes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    assert condition.metric is not None
    found = [set(sizes.get(metric, ())) for metric in _both(condition.metric)]
    return tuple(sorted(set.intersection(*found)))


def _chosen(at: str | int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes that a condition names, of those there are."""
    if isinstance(at, int):
        return (at,) if at in sizes else ()
    return {"all": sizes, "first": sizes[:1], "last": sizes[-1:], "later": sizes[1:]}[at]


def _of_pair(
    condition: Condition, evidence: Evidence, pair: tuple[str, str], sizes: tuple[int, ...]
) -> list[Comparison]:
    assert condition.metric is not None
    first, second = (METRIC_NAMES.get(one, one) for one in _both(condition.metric))
    others = "" if first == second else f" {second}"
    words = f"{evidence.name(pair[0])}'s {first} over {evidence.name(pair[1])}'s{others}"
    if condition.change is not None:
        assert isinstance(condition.metric, str)
        ends = _ends(condition, sizes)
        if ends is None:
            return [_lacking(condition, f"the change of {words}", evidence)]
        quantity = evidence.change(*pair, condition.metric, ends)
        said = f"the change of {words} from {ends[0]} to {_size(evidence, ends[1])}"
        return [_judged(condition, said, quantity, evidence)]
    found = []
    chosen = _chosen(condition.at, sizes)
    if not chosen and condition.at != "later":
        return [_lacking(condition, words, evidence)]
    for size in chosen:
        if isinstance(condition.metric, str):
            quantity = evidence.ratio(*pair, condition.metric, size)
        else:
            quantity = _over(
                *(
                    evidence.value(subject, metric, size)
                    for subject, metric in zip(pair, condition.metric, strict=True)
                )
            )
        found.append(_judged(condition, f"{words} {evidence.place(size)}", quantity, evidence))
    return found


def _ends(condition: Condition, sizes: tuple[int, ...]) -> tuple[int, int] | None:
    """The two sizes of a change, a rise or a spread; None where there are not two, or not these."""
    if condition.between is not None:
        return condition.between if {*condition.between} <= {*sizes} else None
    return (sizes[0], sizes[-1]) if len(sizes) > 1 else None


def _lacking(condition: Condition, words: str, evidence: Evidence) -> Comparison:
    """A comparison that has not the sizes that its condition asks for."""
    if isinstance(condition.at, int):
        where = f" {evidence.place(condition.at)}"
    elif condition.between is not None:
        first, last = condition.between
        where = f" from {first} to {_size(evidence, last)}"
    else:
        where = " at two sizes" if condition.ratio is None else " at any size"
    return Comparison(Outcome.NOT_MEASURED, f"{words} was not measured{where}")


def _size(evidence: Evidence, size: int) -> str:
    """A size behind a preposition that is not that of its place."""
    return evidence.place(size).removeprefix("at ").removeprefix("for ")


def _of_one(
    condition: Condition, evidence: Evidence, subject: str, sizes: Mapping[str, tuple[int, ...]]
) -> list[Comparison]:
    assert isinstance(condition.metric, str)
    name = evidence.name(subject)
    metric = METRIC_NAMES.get(condition.metric, condition.metric)
    own = evidence.sizes([subject], condition.metric)
    if condition.value is not None:
        if condition.since is not None:
            chosen = tuple(size for size in own if size >= condition.since)[:1]
        else:
            known = own if isinstance(condition.at, int) else sizes.get(condition.metric, ())
            chosen = _chosen(condition.at, known)
        return [
            _judged(
                condition,
                f"{name}'s {metric} {evidence.place(size)}",
                evidence.value(subject, condition.metric, size),
                evidence,
            )
            for size in chosen
        ]
    known = sizes.get(condition.metric, ())
    ends = _ends(condition, known)
    if ends is None:
        return [_lacking(condition, f"{name}'s {metric}", evidence)]
    between = [size for size in known if ends[0] <= size <= ends[1]]
    values = [evidence.value(subject, condition.metric, size) for size in between]
    there = [value for value in values if value is not None]
    if len(there) < 2:
        return []
    first, last = there[0], there[-1]
    span = f"from {ends[0]} to {_size(evidence, ends[1])}"
    if condition.rise is not None:
        return [
            _judged(
                condition,
                f"{name}'s {metric}, last over first {span}",
                _over(last, first),
                evidence,
            )
        ]
    least, most = (pick(there, key=lambda value: value.value) for pick in (min, max))
    words = f"{name}'s {metric}, largest over smallest {span}"
    return [_judged(condition, words, _over(most, least), evidence)]


def _of_figure(condition: Condition, figure: str, evidence: Evidence) -> list[Comparison]:
    found, without = [], []
    if condition.ratio is not None:
        for above in evidence.members(condition.ratio[0]):
            for below in evidence.members(condition.ratio[1]):
                quantity = _over(*(evidence.figure(figure, one) for one in (above, below)))
                words = (
                    f"the {figure} of {evidence.name(above)} over that of {evidence.name(below)}"
                )
                found.append(_judged(condition, words, quantity, evidence))
        return found
    for subject in evidence.members(condition.alone):
        quantity = evidence.figure(figure, subject)
        if quantity is None:
            without.append(evidence.name(subject))
        else:
            words = f"the {figure} of {evidence.name(subject)}"
            found.append(_judged(condition, words, quantity, evidence))
    if found or not without:
        return found
    return [Comparison(Outcome.INCONCLUSIVE, f"{listed(without)} has no {figure}")]


def _over(above: Quantity | None, below: Quantity | None) -> Quantity | None:
    """A quotient whose interval holds all quotients of the two intervals."""
    if above is None or below is None or below.low <= 0:
        return None
    return Quantity(above.value / below.value, above.low / below.high, above.high / below.low)


def _judged(
    condition: Condition, words: str, quantity: Quantity | None, evidence: Evidence
) -> Comparison:
    n = evidence.invocations
    if condition.above is not None:
        return is_above(words, quantity, condition.above, n)
    if condition.below is not None:
        return is_below(words, quantity, condition.below, n)
    assert condition.within is not None
    return is_within(words, quantity, condition.within, n)
