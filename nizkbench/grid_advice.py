"""Sentences on what to set: the short answer, and what it rests on.

What is advised first is for the statement of earlier work's default, over its field. A smaller
field makes a cheaper proof of a smaller statement, so that what it gains is said apart. Plain text,
computed, also where a run is too small, as in `nizkbench.grid_findings`.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from nizkbench.cells import METRICS, OPTIONS, in_crossing
from nizkbench.choice import (
    EARLIER_DEFAULT,
    Demands,
    Recommendation,
    alike,
    element_bits,
    options_of,
)
from nizkbench.grid_figures import METRIC_NAMES
from nizkbench.grid_prose import _listed, _said
from nizkbench.grid_results import FIELD, HEADLINE, MIN_BITS, ROUNDS, GridResults
from nizkbench.grid_tables import MOST_RUNNERS_UP, cell_text
from nizkbench.lead import ROUNDS as LEAD_ROUNDS
from nizkbench.operations import IDLE
from nizkbench.quantities import plain

#: Crossings of the profiles that have sizes of the statement other than `ROUNDS`: options crossed,
#: and queries tuned to levels of security.
SIZES, TUNED = "sizes", "tuned"


def brief(grid: GridResults) -> str:
    """What the grid comes to, in one sentence: each ratio without the luck of choosing."""
    found, default = grid.recommendation, grid.default
    read = grid.corrected()
    if found is None or default is None or read is None:
        return "What the options of the STARK come to is not told by this grid."
    said = (
        f"At {ROUNDS} rounds, of {found.computations} different computations that options of the"
        f" STARK make of one statement with {MIN_BITS:g} conjectured bits or more, the one to take"
        f" proves {plain(read.ratio, interval=True)} times as fast as the default of earlier work"
    )
    bits = default["security_conjectured"]
    asked = grid.asked.get("no-fewer-bits")
    as_secure = None if asked is None else grid.corrected(asked)
    if bits is None or as_secure is None:
        return f"{said}."
    return (
        f"{said}, which has {bits:g}; with no fewer bits than that it is"
        f" {plain(as_secure.ratio, interval=True)} times."
    )


def gain_by_size(grid: GridResults) -> str:
    """How the gain over the default changes with the size, without the luck of choosing."""
    read = {rounds: found.ratio for rounds, found in grid.corrected_by_size.items()}
    if len(read) < 2:
        return "How the gain changes with the rounds is not told by this grid."
    gains = list(read.values())
    first, last = (
        f"{plain(read[rounds], interval=True)} at {rounds}" for rounds in (min(read), max(read))
    )
    steps = list(itertools.pairwise(gains))
    if gains[0].low > gains[-1].high and all(one.value > two.value for one, two in steps):
        return f"The gain shrinks with the rounds, from {first} to {last}."
    if gains[0].high < gains[-1].low and all(one.value < two.value for one, two in steps):
        return f"The gain grows with the rounds, from {first} to {last}."
    return f"By the rounds the gain is {first} and {last}."


def lead_options(grid: GridResults) -> str:
    """What the STARK of earlier work takes at the lead's size with the options to take there.

    For no fewer conjectured bits than the default has, without the luck of choosing.
    """
    default, read = grid.default_at(LEAD_ROUNDS), grid.corrected_as_secure.get(LEAD_ROUNDS)
    if default is None or read is None:
        return (
            f"What other options than earlier work's come to at {LEAD_ROUNDS} rounds is not told by"
            " the grid."
        )
    return (
        f"In the grid's run, at {LEAD_ROUNDS} rounds, earlier work's options take"
        f" {plain(grid.quantity(default, 'prove_ns'), interval=True)} and those to take for no"
        f" fewer conjectured bits {plain(read.cost, interval=True)}."
    )


def what_to_set(grid: GridResults) -> str:
    """The value to set for every option, and what that gains over the default."""
    found, default = grid.recommendation, grid.default
    if found is None:
        return f"What to set is not told by this grid: {grid.refused(HEADLINE)}."
    changed, before, kept, measured = [], [], [], []
    for name, value in options_of(found.take).items():
        if name == "field":
            continue
        if EARLIER_DEFAULT[name] in alike(found.take, name):
            kept.append(f"{_said(name)} {EARLIER_DEFAULT[name]}")
            if value != EARLIER_DEFAULT[name]:
                measured.append(f"{_said(name)} {value}")
        else:
            changed.append(f"{_said(name)} {value}")
            before.append(str(EARLIER_DEFAULT[name]))
    setting = (
        f"set {_listed(changed)}, where earlier work's default is {_listed(before)}, and leave all"
        " else"
        if changed
        else "leave everything"
    )
    as_it_is = f" as it is by default: {_listed(kept)}" if kept else ""
    with_ = f", measured as the same computation with {_listed(measured)}," if measured else ""
    gains = [
        f"{METRIC_NAMES[metric][0]} {plain(grid.quantity(found.take, metric), interval=True)}"
        + (
            ""
            if default is None
            else f" instead of {plain(grid.quantity(default, metric), interval=True)}"
        )
        for metric in METRICS
    ]
    over = grid.default_over_recommended
    if default is not None and over is not None:
        gains[0] += f" (the default takes {plain(over)} times as long)"
        bits = [cell["security_conjectured"] for cell in (found.take, default)]
        if None not in bits:
            gains.append(f"{bits[0]:g} conjectured bits instead of {bits[1]:g}")
    return (
        f"For a statement of {ROUNDS} rounds over {FIELD} and {MIN_BITS:g} conjectured bits or"
        f" more, {setting}{as_it_is}. That has{with_} {_listed(gains)}."
        f" {_of_one_computation(found.take)}"
    )


def _of_one_computation(take: Mapping[str, Any]) -> str:
    """Which levels of the options to take make no difference, and that others do."""
    same = [
        f"{_said(name)} {_listed(list(map(str, levels)))}"
        for name in IDLE
        if len(levels := alike(take, name)) > 1
    ]
    said = "".join(f" With these options {one} are the same computation." for one in same)
    usual, degree = EARLIER_DEFAULT["remainder_max_degree"], take["remainder_max_degree"]
    if usual not in alike(take, "remainder_max_degree"):
        said += (
            f" With these options remainder degree {usual} is another computation than {degree},"
            f" and {degree} is the one to take."
        )
    elif len(alike(take, "remainder_max_degree")) == 1:
        said += (
            " No other remainder degree that was measured with these options is the same"
            f" computation as {usual}."
        )
    return said.strip()


def corrected(grid: GridResults) -> str:
    """What is to be taken by some blocks, as it is read on blocks that took no part in choosing."""
    found = grid.corrected()
    if found is None or grid.recommendation is None or grid.default_over_recommended is None:
        return "This grid is too small to choose on some of its blocks and read on the others."
    seen = grid.quantity(grid.recommendation.take, "prove_ns")
    cells = "the same cell" if found.chosen == 1 else f"one of {found.chosen} cells"
    return (
        f"Chosen on half of the blocks and read on the others, in all {found.readings} such ways,"
        f" which choose {cells}, what is to be taken needs"
        f" {plain(found.cost, interval=True)} on average, and the default"
        f" {plain(found.ratio, interval=True)} times as long; chosen and read on all blocks, these"
        f" are {plain(seen, interval=True)} and"
        f" {plain(grid.default_over_recommended, interval=True)}."
    )


def recommended_equal(grid: GridResults) -> str:
    """How much faster than the default a cell is that has no fewer bits than it."""
    if grid.default is None:
        return f"The default options of earlier work were not measured at {ROUNDS} rounds."
    bits, asked = grid.default["bits"], grid.asked
    found = grid.recommended(asked["no-fewer-bits"]) if "no-fewer-bits" in asked else None
    if found is None:
        return "The conjectured bits of the default are not known."
    if found.take["configuration"] == grid.default["configuration"]:
        return f"With no fewer bits than the default, {bits:g}, the default is the one to take."
    return (
        f"With no fewer conjectured bits than the default, {bits:g}, and over {FIELD} as well,"
        f" {_taken(grid, found)} {_times(grid, found.demands)}"
        f"{_over_any_field(grid, asked['no-fewer-bits.any-field'])}"
    )


def _over_any_field(grid: GridResults, demands: Demands) -> str:
    """What the same demands come to over another field, where that is faster; else nothing."""
    found = grid.recommended(demands)
    if found is None or found.take["field"] == FIELD:
        return ""
    changed = cell_text(found.take, {**EARLIER_DEFAULT, "field": found.take["field"]})
    return (
        f" Over {found.take['field']} it is {changed or 'as by default'} that is to be taken."
        f" {_times(grid, demands)}"
    )


def recommended_any_field(grid: GridResults) -> str:
    """What another field gains, and that the statement is then another."""
    demands = grid.asked["conjectured.any-field"]
    found = grid.recommended(demands)
    if found is None:
        return f"With another field it is no better: {grid.refused(demands)}."
    field = str(found.take["field"])
    if field == FIELD:
        return f"What is to be taken is over {FIELD} also where the field may be another."
    beside = grid.over_recommended(found.take, "prove_ns")
    gained = (
        ""
        if beside is None
        else f" That is {plain(beside, interval=True)} times as long as over {FIELD}."
    )
    return (
        f"Where the field may be another, {_taken(grid, found)}{gained}"
        f" {_times(grid, demands)} But that is another statement: over {field} it is a preimage of"
        f" two elements of {element_bits(field)} bits that a proof hides, over {FIELD} one of two"
        f" elements of {element_bits(FIELD)}."
    )


def recommended_proven(grid: GridResults) -> str:
    """What to set where bits must be proven."""
    return _both_fields(grid, "proven", f"Where {MIN_BITS:g} bits must be proven")


def _both_fields(grid: GridResults, name: str, when: str) -> str:
    """What is to be taken over the field of the default, and over any where that is another."""
    first, second = (grid.asked[key] for key in (name, f"{name}.any-field"))
    found, other = grid.recommended(first), grid.recommended(second)
    if found is None and other is None:
        return f"{when}, nothing is to be taken: {grid.refused(second)}."
    said = (
        f"{when}, nothing is to be taken over {FIELD}: {grid.refused(first)}."
        if found is None
        else f"{when}, over {FIELD} {_taken(grid, found)}"
    )
    if other is None or other.take["field"] == FIELD:
        return said
    return f"{said} Over any field, {_taken(grid, other)}"


def recommended_small(grid: GridResults) -> str:
    """The smallest proof and the fastest verifier of as many conjectured bits."""
    parts = []
    for name, words in (("smallest", "smallest proof"), ("fastest-verifier", "fastest verifier")):
        found = grid.recommended(grid.asked[name])
        if found is None:
            return f"No smaller proof is to be had: {grid.refused(grid.asked[name])}."
        parts.append(f"the {words} {_had(grid, found)}")
        other = grid.recommended(grid.asked[f"{name}.any-field"])
        if other is not None and other.best["field"] != FIELD:
            parts[-1] += f" (over any field it {_had(grid, other)})"
    return f"With as many conjectured bits, over {FIELD}, {'; '.join(parts)}."


def _had(grid: GridResults, found: Recommendation) -> str:
    """`is 19.1 kB, with grinding 0, and takes 2.3 ms to prove`."""
    cost = plain(grid.quantity(found.best, found.demands.objective), interval=True)
    time = plain(grid.quantity(found.best, "prove_ns"))
    return f"is {cost}, with {_changes(found.best)}, and takes {time} to prove"


def fronts(grid: GridResults) -> str:
    """How many computations are on the front when proven bits take the place of conjectured."""
    conjectured, every = grid.on_front(ROUNDS)
    if not every:
        return f"No cell was measured at {ROUNDS} rounds."
    unique, lists = (grid.on_other_fronts[name] for name in ("unique-decoding", "list-decoding"))
    sizes = [
        f"{on_front} of {all_} at {rounds}"
        for rounds in grid.sizes
        if rounds != ROUNDS
        for on_front, all_ in [grid.on_front(rounds)]
    ]
    said = (
        f"Where bits proven with unique decoding take the place of conjectured ones, {unique} of"
        f" the {every} are on the front, and {lists} with list decoding, in place of"
        f" {conjectured}."
    )
    return f"{said} With conjectured bits it is {_listed(sizes)} rounds." if sizes else said


def by_size(grid: GridResults) -> str:
    """What the options to take gain at other sizes, and of how many computations they are."""
    others = [rounds for rounds in grid.sizes if rounds != ROUNDS]
    if not others:
        return f"No other size than {ROUNDS} rounds was measured."
    gains = [
        f"{plain(over, interval=True)} at {rounds}"
        for rounds in others
        if (over := grid.default_over(replace(HEADLINE, rounds=rounds))) is not None
    ]
    said = (
        f"Over {FIELD} the default's time to proof over that of what is to be taken is"
        f" {_listed(gains)} rounds."
        if gains
        else f"The default is not measured beside cells with {MIN_BITS:g} conjectured bits at"
        " other sizes."
    )
    counts = sorted(grid.on_front(rounds)[1] for rounds in others)
    computations = "computation was" if counts[-1] == 1 else "different computations were"
    each = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    here = grid.on_front(ROUNDS)[1]
    beside = f", at {ROUNDS} rounds {here}" if here else ""
    return f"{said} At other sizes {each} {computations} measured{_levels(grid)}{beside}."


def _levels(grid: GridResults) -> str:
    """Which levels of options other sizes have; nothing where one crossing alone was measured."""
    others = grid.cells.filter(pl.col("rounds") != ROUNDS)
    tuned = bool(others.select(in_crossing(TUNED).any()).item())
    here = others.filter(in_crossing(SIZES) | in_crossing(TUNED))
    levels = {
        name: here[name].unique().sort().to_list()
        for name in OPTIONS
        if here[name].n_unique() > 1 and not (tuned and name == "queries")
    }
    if not levels:
        return ""
    said = [f"{_said(name)} {_listed(list(map(str, found)))}" for name, found in levels.items()]
    if tuned:
        said.insert(0, "queries tuned to levels of security")
    return f" ({'; '.join(said)}; and earlier work's default with one option changed)"


def runners_up_shown(grid: GridResults) -> str:
    """How many of the cells that cannot be told apart from the fastest a table has."""
    found = grid.recommendation
    runners = 0 if found is None else found.runners_up.height
    if not runners:
        return "No other cell is as good."
    if runners <= MOST_RUNNERS_UP:
        return f"All {runners} that cannot be told apart are listed."
    return (
        f"Of {runners} that cannot be told apart the {MOST_RUNNERS_UP} fastest are listed, and the"
        " one to take."
    )


def _taken(grid: GridResults, found: Recommendation) -> str:
    """`… is to be taken of … cells that qualify, and proves in …`."""
    time = plain(grid.quantity(found.take, "prove_ns"), interval=True)
    cells = "the one cell that qualifies"
    if found.qualified > 1:
        cells = f"{found.qualified} cells that qualify"
    return f"{_changes(found.take)} is to be taken of {cells}, and proves in {time}."


def _times(grid: GridResults, demands: Demands) -> str:
    """How many times as long the default takes, as measured and without the luck of choosing."""
    over, read = grid.default_over(demands), grid.corrected(demands)
    if over is None:
        return "The default was not measured beside it."
    said = f"The default takes {plain(over, interval=True)} times as long as what is to be taken"
    if read is None:
        return f"{said}."
    return (
        f"{said}, and {plain(read.ratio, interval=True)} times where that is chosen on half of the"
        " blocks and read on the others."
    )


def _changes(cell: Mapping[str, Any]) -> str:
    """In what a cell differs from the defaults of earlier work."""
    return cell_text(cell, EARLIER_DEFAULT) or "earlier work's defaults"


#: Every sentence by its name.
ADVICE: dict[str, Callable[[GridResults], str]] = {
    "brief": brief,
    "gain-by-size": gain_by_size,
    "lead-options": lead_options,
    "what-to-set": what_to_set,
    "fronts": fronts,
    "recommended-corrected": corrected,
    "recommended-equal": recommended_equal,
    "recommended-any-field": recommended_any_field,
    "recommended-small": recommended_small,
    "recommended-proven": recommended_proven,
    "by-size": by_size,
    "runners-up-shown": runners_up_shown,
}
