"""What a grid of options shows, as sentences computed from its analysis.

Every function takes `GridResults` and returns plain text, also where the run is too small to show
anything.
"""

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from nizkbench.cells import METRICS
from nizkbench.choice import (
    BEST_HERE,
    BEST_PUBLISHED,
    BEST_WITH_GRINDING,
    COSTS,
    DEFAULT,
    Recommendation,
    options_of,
)
from nizkbench.grid_figures import METRIC_NAMES, factor_name
from nizkbench.grid_results import CROSSING, FIELD, HEADLINE, MIN_BITS, ROUNDS, GridResults
from nizkbench.grid_tables import NOTION_NAMES, _bits, attempt_cost, cell_text, signed_bits
from nizkbench.quantities import Quantity, plain
from nizkbench.ratios import MARGIN
from nizkbench.words import capitalised

#: More rules than this are counted and not named.
MOST_RULES_NAMED = 3

#: Shares of variance below this are not named.
LEAST_SHARE_NAMED = 0.01


def measured(results: GridResults) -> str:
    """How many cells were measured, and what of the grid the library cannot do."""
    said = (
        f"{results.cells.height} of {results.planned} cells have times,"
        f" {_listed([str(size) for size in results.sizes])} rounds,"
        f" in {results.invocations.height} invocations."
    )
    excluded = results.excluded
    if excluded.is_empty():
        return said
    rules = [
        f"{row['rule']} ({row['combinations']})"
        for row in excluded.head(MOST_RULES_NAMED).iter_rows(named=True)
    ]
    most = "most of them" if excluded.height > MOST_RULES_NAMED else "all of them"
    return (
        f"{said} {results.unsupported} combinations that the profile asks for are unsupported,"
        f" {most} by {_listed(rules)}."
    )


def front(results: GridResults) -> str:
    """How many computations nobody beats, and what they have in common."""
    on_front, every = results.on_front(ROUNDS)
    if not every:
        return f"No cell was measured at {ROUNDS} rounds."
    enough = results.secure_front
    said = (
        f"At {ROUNDS} rounds {on_front} of {every} different computations are beaten by no other"
        " in time to proof, verify time, proof size and conjectured bits together"
    )
    if enough.is_empty():
        return f"{said}; none of them has {MIN_BITS:g} conjectured bits."
    times = [results.quantity(row, "prove_ns") for row in _ends(enough, "prove_ns")]
    sizes = [results.quantity(row, "proof_bytes") for row in _ends(enough, "proof_bytes")]
    return (
        f"{said}; {enough.height} of them have {MIN_BITS:g} bits or more, from"
        f" {plain(times[0])} to {plain(times[1])} of proving and from {plain(sizes[0])} to"
        f" {plain(sizes[1])} of proof, over both fields; among cells over {FIELD} alone, the"
        f" statement of earlier work, it is {results.on_front_of_field}."
    )


def variance(results: GridResults) -> str:
    """Which options decide each metric, and how much pairs of options add."""
    if results.variance.is_empty():
        return _unfit(results, "variance", "what options account for")
    said = []
    for metric in METRICS:
        of_metric = results.variance.filter(pl.col("metric") == metric)
        alone = of_metric.filter(
            pl.col("second").is_null()
            & pl.col("first").is_not_null()
            & (pl.col("share") >= LEAST_SHARE_NAMED)
        ).head(3)
        pairs = float(of_metric.filter(pl.col("second").is_not_null())["share"].sum())
        named = [
            f"{factor_name(row['first'])} ({_percent(row['share'])})"
            for row in alone.iter_rows(named=True)
        ]
        said.append(
            f"{METRIC_NAMES[metric][0]} varies most with {_listed(named)}, pairs of options"
            f" together account for {_percent(pairs)}"
        )
    sentence = "; ".join(said)
    return f"{capitalised(sentence)}."


def effects(results: GridResults) -> str:
    """The level that slows proving most, and the one that saves most."""
    found = results.effects.filter(
        (pl.col("metric") == "prove_ns") & (pl.col("level") != pl.col("reference"))
    ).sort("effect")
    if found.is_empty():
        return _unfit(results, "effects", "what a level does")

    def said(row: dict[str, Any]) -> str:
        effect = plain(Quantity(row["effect"], row["low"], row["high"]), interval=True)
        return f"{factor_name(row['factor'])} {row['level']} takes {effect} times"

    least, most = (found.row(place, named=True) for place in (0, -1))
    return (
        f"Averaged over all other options, {said(most)} the time to proof of {most['reference']},"
        f" the most of all levels, and {said(least)} that of {least['reference']}, the least."
    )


def cost_model(results: GridResults) -> str:
    """How far off predictions for cells that no fit saw are."""
    known = results.held_out_errors.filter(pl.col("median").is_not_null())
    if known.is_empty():
        return _unfit(results, "held_out", "how well costs can be predicted")
    said = [
        f"{METRIC_NAMES[row['metric']][0]} by {_percent(row['median'], 1)} (nine of ten by less"
        f" than {_percent(row['quantile_90'], 1)})"
        for row in known.iter_rows(named=True)
    ]
    return (
        "For a fifth of the computations, which no fit saw, the median prediction is off in"
        f" {_listed(said)}."
    )


def proof_sizes(results: GridResults) -> str:
    """How far sizes from first principles are from what was measured."""
    off = results.proof_sizes["relative_error"].abs()
    within = float((results.proof_sizes["z"].abs() <= 2).to_numpy().mean())
    median, greatest = off.quantile(0.5, "linear") or 0.0, float(off.to_numpy().max())
    return (
        "Computed from its parameters alone, with nothing fitted, the size of a proof is off by"
        f" {_percent(median, 2)} in the median cell and {_percent(greatest, 2)} in the worst of"
        f" {len(off)}; {_percent(within)} of the cells are within two standard errors."
    )


def security(results: GridResults) -> str:
    """Whether the library's bits follow from its formulas, and how far ours are from them."""
    wrong = results.library_disagreements.height
    first = (
        "The library's bits follow from its formulas in every cell and notion."
        if not wrong
        else f"In {wrong} cases the library says other bits than its formulas, computed here, give."
    )
    rows = {
        row["notion"]: row
        for row in results.security_differences.filter(pl.col("step") == "all").iter_rows(
            named=True
        )
    }
    policy = results.security_steps.filter(
        (pl.col("step") == "grinding counted from 80 bits on") & (pl.col("change") < 0)
    ).height
    said = [
        f"{NOTION_NAMES[notion]} {signed_bits(row['median'])} bits in the median"
        f" ({signed_bits(row['least'])} to {signed_bits(row['greatest'])})"
        for notion, row in rows.items()
        if row["changed"]
    ]
    if not said:
        return f"{first} Ours are the same."
    return (
        f"{first} The library's minus ours are, where they differ, {_listed(said)}; in"
        f" {_cells(policy)} the library leaves grinding out of the conjectured bits."
    )


def landmarks(results: GridResults) -> str:
    """What the defaults of earlier work, and its rule of the best of each, come to."""
    said = []
    names = {
        DEFAULT: "defaults take",
        BEST_PUBLISHED: "best of each alone, by the times of its proofs, together take",
        BEST_WITH_GRINDING: "same with its grinding kept take",
        BEST_HERE: "best of each alone, by the times of this grid, together take",
    }
    for row in results.landmarks.iter_rows(named=True):
        over = results.over_recommended(row, "prove_ns")
        takes = "" if over is None else f" ({plain(over, interval=True)} times the recommended)"
        said.append(
            f"{names[row['landmark']]} {plain(results.quantity(row, 'prove_ns'), interval=True)}"
            f"{takes}, have {row['bits']:g} conjectured bits and are beaten by"
            f" {_cells(row['beaten_by'])}"
        )
    if not said:
        return f"Cells with earlier work's options were not measured at {ROUNDS} rounds."
    return f"Of earlier work's options the {'; the '.join(said)}."


def recommendation(results: GridResults) -> str:
    """What to take, what it costs, and how much faster it is than the default."""
    found = results.recommendation
    if found is None:
        why = results.refused(HEADLINE)
        return f"{capitalised(why)}."
    runners = found.runners_up.height
    said = (
        f"Of {found.qualified} cells with {MIN_BITS:g} conjectured bits or more at {ROUNDS} rounds"
        f" over {FIELD}, the field and so the statement of earlier work's default,"
        f" {found.computations} different computations, the fastest to prove is"
        f" {cell_text(found.best)}: {costs_text(results, found.best)};"
        + (
            f" {runners} other{'' if runners == 1 else 's'} cannot be told apart from it."
            if runners
            else " every other one is slower, with Holm's correction."
        )
    )
    if runners:
        said += f" {to_take(results, found)}"
    ratio = results.default_over_recommended
    if ratio is None or results.default is None:
        return said
    return (
        f"{said} The defaults of earlier work take {plain(ratio, interval=True)} times as long as"
        f" what is to be taken. {_security_beside(results.default, found.take)}"
    )


def _security_beside(default: Mapping[str, Any], take: Mapping[str, Any]) -> str:
    """The bits of the two cells that a ratio is of, and whether they are as secure."""
    notions = "conjectured / proven with unique / with list decoding"
    ours, theirs = _bits(take), _bits(default)
    if ours == theirs:
        return f"Both have {ours} bits ({notions})."
    said = f"They have {theirs} bits ({notions}), and what is to be taken has {ours}"
    known = [cell["security_conjectured"] for cell in (take, default)]
    if None in known or known[0] >= known[1]:
        return f"{said}."
    return f"{said}: the two are not equally secure, and part of the ratio is bits given up."


def to_take(results: GridResults, found: Recommendation) -> str:
    """Which of the cells that cannot be told apart to take, and what it costs."""
    others = [METRIC_NAMES[cost][0] for cost in COSTS if cost != found.demands.objective]
    lowest = f"whose {_listed(others)} are lowest together"
    if found.take["configuration"] == found.best["configuration"]:
        return (
            f"It is also the one {lowest}, of those within {_percent(MARGIN)} of it, and so the one"
            " to take."
        )
    changed = cell_text(found.take, options_of(found.best))
    return (
        f"Of those within {_percent(MARGIN)} of it the one to take, {lowest}, is that with"
        f" {changed}: {costs_text(results, found.take)}."
    )


def costs_text(results: GridResults, cell: Mapping[str, Any]) -> str:
    """The three costs of a cell with their intervals."""
    return _listed(
        [
            f"{METRIC_NAMES[metric][0]} {plain(results.quantity(cell, metric), interval=True)}"
            for metric in METRICS
        ]
    )


def attempts(results: GridResults) -> str:
    """Whether attempts are as many as they should be, and what one costs."""
    if results.attempts.is_empty():
        return "No cell of this run grinds."
    most = results.attempts.sort("grinding").row(-1, named=True)
    mean = Quantity(most["mean"], most["mean_low"], most["mean_high"])
    said = (
        f"With {most['grinding']} bits of grinding a proof took {plain(mean, interval=True)}"
        f" attempts on average, {most['expected']:.0f} are expected"
    )
    tests = results.attempts.height
    smallest = min(results.attempts["p_value_holm"].to_list())
    said += (
        "; of the Kolmogorov–Smirnov tests against the geometric distribution, one for each of"
        f" {tests} numbers of bits, the smallest p with Holm's correction is"
        f" {smallest:.2g}"
        if tests > 1
        else "; the Kolmogorov–Smirnov test against the geometric distribution has"
        f" p = {most['p_value_geometric']:.2g}"
    )
    costs = results.attempt_costs.filter(pl.col("cost_low") > 0).sort("cost_ns")
    if costs.is_empty():
        return f"{said}; this run is too small to tell what one attempt costs."

    def one(row: dict[str, Any]) -> str:
        cost = plain(attempt_cost(row), interval=True)
        return f"{cost} with {row['hash']} over {row['field']}"

    ends = [one(row) for row in _ends(costs, "cost_ns")[: costs.height]]
    return f"{said}; one attempt costs {' to '.join(ends)}."


def failures(results: GridResults) -> str:
    """Whether every cell that is legal was measured and passed its checks."""
    lost = results.failures
    if lost.is_empty():
        parts = results.crossings
        every = not parts.is_empty() and bool((parts["kept"] == parts["legal"]).all())
        with_that = (
            "; with that, every combination that was classified as legal was proven and verified"
            if every
            else ""
        )
        return f"Every cell was measured and passed its checks{with_that}."
    kinds = lost.group_by(pl.col("outcome").fill_null("not measured")).len().sort("outcome")
    said = [f"{count} {outcome}" for outcome, count in kinds.iter_rows()]
    return f"{lost.height} of {results.planned} cells have no times: {_listed(said)}."


def _unfit(results: GridResults, part: str, what: str) -> str:
    why = results.unfit.get(part, f"no cell is of crossing {CROSSING}")
    return f"This run does not tell {what}: {why}."


def _ends(cells: pl.DataFrame, metric: str) -> tuple[dict[str, Any], dict[str, Any]]:
    ordered = cells.sort(metric)
    return ordered.row(0, named=True), ordered.row(-1, named=True)


def _percent(share: float, decimals: int = 0) -> str:
    return f"{100 * share:.{decimals}f}\u202f%"


def _cells(count: int) -> str:
    return f"{count or 'no'} cell{'' if count == 1 else 's'}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


#: Every finding by its name.
FINDINGS: dict[str, Callable[[GridResults], str]] = {
    "measured": measured,
    "failures": failures,
    "front": front,
    "recommendation": recommendation,
    "landmarks": landmarks,
    "effects": effects,
    "variance": variance,
    "cost-model": cost_model,
    "proof-sizes": proof_sizes,
    "security": security,
    "attempts": attempts,
}
