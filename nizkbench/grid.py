"""The grid of a STARK's options: every combination, classified before anything is measured.

Crossings of the profile are laid over what the runner describes. Whether a combination is legal,
and by which rule it is not, is the runner's own answer to the very request that would measure it;
so the rules stand in one place, beside the library they belong to. Everything here is a pure
function of the profile and of those answers.
"""

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nizkbench.messages import OptionValue, RunnerError, Stop
from nizkbench.plan import Configuration, block_order
from nizkbench.profile import Crossing, Mimc, ProfileError, StarkGrid, Together
from nizkbench.runner import Limits, Offer, Runner, classify, find_runners, offers

#: Rounds of exchanges that `balanced` makes at most; it ends before if none helps any more.
MOST_EXCHANGES = 20

#: Bounds on the process that classifies: it proves nothing.
_CLASSIFYING = Limits(timeout_seconds=120, memory_bytes=4 * 1024**3)


@dataclass(frozen=True, slots=True)
class Excluded:
    """A combination that is not measured, the rule that excludes it, and the rule in words."""

    cell: Configuration
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class Part:
    """What a crossing keeps of its legal combinations; `imbalance` is explained at its function."""

    legal: int
    kept: int
    imbalance: float


@dataclass(frozen=True, slots=True)
class Grid:
    """Every combination of a profile's crossings.

    `cells` are measured, `excluded` the runner refuses, and `parts` tells of every crossing, by its
    name, what of it is measured.
    """

    cells: tuple[Configuration, ...]
    excluded: tuple[Excluded, ...]
    parts: dict[str, Part]

    def by_rule(self) -> dict[str, int]:
        """How many combinations each rule excludes, the most frequent first."""
        return dict(Counter(one.rule for one in self.excluded).most_common())

    def summary(self) -> dict[str, Any]:
        """What of the crossings is measured and what no library can do, for a manifest.

        `parts` holds every `Part` by its crossing; `excluded` has an entry a rule: how many
        combinations it excludes, the most first, and the message for one of them.
        """
        told = {one.rule: one.message for one in reversed(self.excluded)}
        return {
            "parts": {name: asdict(part) for name, part in self.parts.items()},
            "excluded": [
                {"rule": rule, "combinations": count, "message": told[rule]}
                for rule, count in self.by_rule().items()
            ],
        }


def grid_of(experiment: StarkGrid) -> tuple[Grid, dict[str, Offer]]:
    """The grid of an experiment with the runners of this machine, and the systems it uses.

    `ProfileError` names what a crossing asks for and no runner offers.
    """
    asked = {
        system.partition("/")[0]
        for crossing in experiment.crossings.values()
        for system in crossing.systems
    }
    runners = [runner for name, runner in find_runners().items() if name in asked]
    offered = offers(runners)
    combined = {
        name: tuple(combinations(name, crossing, experiment.variant, offered))
        for name, crossing in experiment.crossings.items()
    }
    every = {one.configuration: one for cells in combined.values() for one in cells}
    if len({offered[one.system].runner.name for one in every.values()}) != 1:
        raise ProfileError("the systems of a grid must be those of one runner")
    refusals = classified(runners[0], tuple(every.values()))
    return _united(experiment, combined, refusals), {
        one.system: offered[one.system] for one in every.values()
    }


def combinations(
    name: str, crossing: Crossing, variant: Mapping[str, str], offered: Mapping[str, Offer]
) -> Iterator[Configuration]:
    """Every combination of a crossing, legal or not, in the order of its lists.

    The crossing's name becomes the series. `ProfileError` names an option that a system lacks.
    """
    for system in crossing.systems:
        where = f"crossing {name} ({system})"
        if system not in offered:
            known = ", ".join(sorted(offered)) or "none"
            raise ProfileError(f"{where}: no runner offers this system, there are {known}")
        offer = offered[system]
        known_options = {option.name: option for option in offer.system.options}
        together = crossing.together
        asked = [*crossing.options, *(together.options if together else ())]
        for unknown in (name for name in asked if name not in known_options):
            raise ProfileError(
                f"{where}: the system has no option {unknown}, it has {', '.join(known_options)}"
            )
        statement = offer.system.statement(Mimc.STATEMENT)
        choices = {one.name: one.default for one in statement.variants}
        for unknown in variant.keys() - choices.keys():
            raise ProfileError(f"{where}: the system has no variant {unknown}")
        values: dict[str, tuple[OptionValue, ...]] = {}
        for option in offer.system.options:
            given = crossing.options.get(option.name, (option.default,))
            if given == "all":
                if option.values is None:
                    raise ProfileError(
                        f"{where}: option {option.name} is a range of integers, name its values"
                    )
                given = option.values
            values[option.name] = tuple(given)
        for rounds in crossing.rounds:
            for options in _combined(values, crossing):
                yield Configuration(
                    track="grid",
                    series=name,
                    system=system,
                    statement=statement.statement,
                    size_name=statement.size.name,
                    size=rounds,
                    variant=choices | dict(variant),
                    options=options,
                    instances="fresh",
                    threads=1,
                    threads_label="one",
                )


def classified(runner: Runner, cells: Sequence[Configuration]) -> dict[str, RunnerError]:
    """The refusals of a runner, by the identity of the cell; what it does not refuse is legal."""
    stop = Stop(warmup=0, minimum=1, maximum=1, seconds=1.0)
    requests = [one.request(one.configuration, bytes(32), stop) for one in cells]
    answers = classify(runner, requests, limits=_CLASSIFYING)
    return {name: said for name, said in answers.items() if isinstance(said, RunnerError)}


def rule_of(refusal: RunnerError) -> str:
    """The name of the rule that a refusal follows from.

    A value outside what is described of a single option has no rule of its own: the option names
    it.
    """
    return refusal.rule or f"described-values-of-{refusal.option or 'request'}"


def shard_of(
    cells: Iterable[Configuration], seed: bytes, shard: int, shards: int
) -> tuple[Configuration, ...]:
    """The cells of shard `shard` of `shards`, counted from 1: every n-th of a shuffled order.

    The order follows from the seed, so that shards are disjoint, make up the whole, and each gets
    its part of the cells that take long.
    """
    prefix = b"nizk-bench/v1\x00shards\x00" + seed
    by_identity = {one.configuration: one for one in cells}
    order = sorted(by_identity, key=lambda one: hashlib.sha256(prefix + one.encode()).digest())
    return tuple(by_identity[one] for one in order[shard - 1 :: shards])


def balanced(cells: Sequence[Configuration], count: int, seed: bytes) -> tuple[Configuration, ...]:
    """`count` of the cells in which each level, and each pair of levels, is as frequent as in all.

    A nearly orthogonal array of strength two with mixed levels, taken from the combinations that
    are legal: the sum of squares of (frequency − frequency in all × count / all) over all pairs of
    levels of two options (a level alone counts with each of its pairs) is made small, first by
    adding the cell that helps most, then by exchanges of one cell for another until none helps.
    The criterion is J2 of Xu 2002 (doi:10.1198/004017002188618554), whose target is a full
    factorial, held against the legal combinations instead. The seed decides between equals.
    """
    if count >= len(cells):
        return tuple(cells)
    shuffled = {one.configuration: one for one in cells}
    ordered = [shuffled[one] for one in block_order(shuffled, seed, 0)]
    pairs, kinds = _pairs_of_levels(ordered)
    chosen = np.zeros(len(ordered), dtype=bool)
    # Frequency minus its target, by pair of levels. Adding a cell changes the sum of squares by
    # twice the sum of those of its pairs plus their number, which is the same for all cells.
    target = np.bincount(pairs.ravel(), minlength=kinds) * (count / len(ordered))
    surplus = -target
    for _ in range(count):
        gain = surplus[pairs].sum(axis=1)
        gain[chosen] = np.inf
        best = int(np.argmin(gain))
        chosen[best] = True
        surplus[pairs[best]] += 1
    for _ in range(MOST_EXCHANGES):
        if not _exchanged(pairs, chosen, surplus):
            break
    return tuple(ordered[place] for place in np.flatnonzero(chosen))


def imbalance(kept: Sequence[Configuration], cells: Sequence[Configuration]) -> float:
    """How far the frequencies of pairs of levels in `kept` are from those in `cells`.

    The root mean square of (frequency − target) over all pairs, in cells; 0 is perfect balance.
    """
    pairs, kinds = _pairs_of_levels([*kept, *cells])
    found = np.bincount(pairs[: len(kept)].ravel(), minlength=kinds)
    target = np.bincount(pairs[len(kept) :].ravel(), minlength=kinds) * (len(kept) / len(cells))
    return float(np.sqrt(np.mean((found - target) ** 2)))


def _combined(
    values: Mapping[str, tuple[OptionValue, ...]], crossing: Crossing
) -> Iterator[dict[str, OptionValue]]:
    if crossing.combine == "one-at-a-time":
        base = {name: values[name][0] for name in sorted(values)}
        yield base
        for name in base:
            for value in values[name][1:]:
                yield base | {name: value}
        return
    together = crossing.together or Together((), ((),))
    single = sorted(values.keys() - set(together.options))
    names = (*single, *together.options)
    for row in together.values:
        for combination in itertools.product(*(values[name] for name in single)):
            yield dict(zip(names, (*combination, *row), strict=True))


def _united(
    experiment: StarkGrid,
    combined: Mapping[str, Sequence[Configuration]],
    refusals: Mapping[str, RunnerError],
) -> Grid:
    """The cells of all crossings, each once, with the names of the crossings that have it."""
    kept: dict[str, Configuration] = {}
    excluded: dict[str, Excluded] = {}
    parts: dict[str, Part] = {}
    for name, cells in combined.items():
        legal = [one for one in cells if one.configuration not in refusals]
        for one in cells:
            if refusal := refusals.get(one.configuration):
                excluded.setdefault(
                    one.configuration, Excluded(one, rule_of(refusal), refusal.message)
                )
        wanted = experiment.crossings[name].cells
        chosen: Sequence[Configuration] = legal
        if wanted != "all":
            seed = hashlib.sha256(bytes.fromhex(experiment.seed) + name.encode()).digest()
            chosen = balanced(legal, wanted, seed)
        apart = imbalance(chosen, legal) if len(chosen) < len(legal) else 0.0
        parts[name] = Part(len(legal), len(chosen), apart)
        for one in chosen:
            before = kept.get(one.configuration)
            kept[one.configuration] = (
                replace(before, series=f"{before.series}+{name}") if before else one
            )
    return Grid(tuple(kept.values()), tuple(excluded.values()), parts)


def _levels(cells: Sequence[Configuration]) -> NDArray[np.int64]:
    """The level of each cell (row) in each factor (column) that has more than one."""
    columns: list[Sequence[object]] = [
        [one.system for one in cells],
        [one.size for one in cells],
        *([one.options.get(name) for one in cells] for name in _option_names(cells)),
    ]
    coded = []
    for column in columns:
        codes = {value: code for code, value in enumerate(sorted(set(column), key=repr))}
        if len(codes) > 1:
            coded.append([codes[value] for value in column])
    return np.array(coded, dtype=np.int64).reshape(len(coded), len(cells)).T


def _option_names(cells: Iterable[Configuration]) -> list[str]:
    return sorted({name for one in cells for name in one.options})


def _pairs_of_levels(cells: Sequence[Configuration]) -> tuple[NDArray[np.int64], int]:
    """A number for each level and pair of levels that a cell (row) has, and how many there are."""
    levels = _levels(cells)
    heights = levels.max(axis=0, initial=0) + 1
    columns = []
    before = 0
    for first, second in itertools.combinations(range(levels.shape[1]), 2):
        columns.append(before + levels[:, first] * heights[second] + levels[:, second])
        before += int(heights[first] * heights[second])
    for factor in range(levels.shape[1]):
        columns.append(before + levels[:, factor])
        before += int(heights[factor])
    if not columns:
        return np.zeros((len(cells), 1), dtype=np.int64), 1
    return np.stack(columns, axis=1), before


def _exchanged(
    pairs: NDArray[np.int64], chosen: NDArray[np.bool_], surplus: NDArray[np.floating]
) -> bool:
    """Try to exchange each chosen cell for the best of the others; whether any exchange helped."""
    helped = False
    for place in np.flatnonzero(chosen):
        surplus[pairs[place]] -= 1
        chosen[place] = False
        gain = surplus[pairs].sum(axis=1)
        gain[chosen] = np.inf
        best = int(np.argmin(gain))
        if gain[best] < gain[place] - 1e-9:
            helped = True
        else:
            best = int(place)
        chosen[best] = True
        surplus[pairs[best]] += 1
    return helped
