"""The tables of the option grid, each a function of `GridResults`.

A table whose part of the analysis the run is too small for has no rows.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from nizkbench.cells import METRICS
from nizkbench.choice import COSTS, EARLIER_DEFAULT, Demands, options_of
from nizkbench.effects import FACTORS
from nizkbench.grid_figures import METRIC_NAMES, factor_name
from nizkbench.grid_results import MIN_BITS, GridResults
from nizkbench.operations import IDLE
from nizkbench.quantities import Quantity, exact
from nizkbench.tables import Cell, Stacked, Table, written

#: Runners-up that a table shows at most.
MOST_RUNNERS_UP = 8

#: What the notions of security are called.
NOTION_NAMES = {
    "conjectured": "conjectured",
    "udr": "unique decoding",
    "ldr": "list decoding",
}

#: Options whose names in figures have a comma.
IN_A_SENTENCE = {
    "batching_constraints": "constraint batching",
    "batching_deep": "DEEP batching",
}

_METRIC_HEADS = tuple(METRIC_NAMES[metric][0] for metric in METRICS)


def options_text(options: Mapping[str, Any], than: Mapping[str, Any] | None = None) -> str:
    """Options in words, or those that differ from `than`: `blowup 4, hash blake3-192`."""
    other = than or {}
    return ", ".join(
        f"{IN_A_SENTENCE.get(name, factor_name(name))} {value}"
        for name, value in options.items()
        if name not in other or other[name] != value
    )


def cell_text(cell: Mapping[str, Any], than: Mapping[str, Any] | None = None) -> str:
    """The options of a cell in words, or those that differ from the options `than`.

    Where a recommendation says that other levels make the same computation, all of them are named,
    and none if `than` has one of them: `folding 16, remainder degree 31 or 127`.
    """
    told = options_of(cell)
    for name in IDLE:
        levels = cell.get(f"{name}_alike") or []
        if than is not None and than.get(name) in levels:
            told[name] = than[name]
        elif len(levels) > 1:
            told[name] = " or ".join(map(str, levels))
    return options_text(told, than)


#: The head above what `_beside_default` gives.
_BESIDE_DEFAULT = "options, where not earlier work's default"


def _beside_default(cell: Mapping[str, Any]) -> str:
    """The options in which a cell is not the default of earlier work."""
    return cell_text(cell, EARLIER_DEFAULT) or "all as the default"


def _bits(cell: Mapping[str, Any]) -> str:
    """Bits of a cell: conjectured, unique decoding, list decoding."""
    known = (cell[f"security_{notion}"] for notion in NOTION_NAMES)
    return " / ".join("–" if one is None else f"{one:g}" for one in known)


def _costs(results: GridResults, cell: Mapping[str, Any]) -> tuple[Cell, ...]:
    return tuple(Stacked(results.quantity(cell, metric)) for metric in METRICS)


def crossings(results: GridResults) -> Table:
    """What each crossing of the profile keeps of the combinations that the library can prove.

    `imbalance` is of `nizkbench.grid.imbalance`, in cells.
    """
    rows = [
        (row["crossing"], str(row["legal"]), str(row["kept"]), f"{row['imbalance']:.2f}")
        for row in results.crossings.iter_rows(named=True)
    ]
    return Table(("crossing", "legal", "measured", "imbalance"), "lrrr", tuple(rows))


def excluded(results: GridResults) -> Table:
    """The rules that exclude combinations, and what the runner says of one of them."""
    rows = [
        (row["rule"], str(row["combinations"]), row["message"])
        for row in results.excluded.iter_rows(named=True)
    ]
    return Table(
        ("rule", "combinations", "for one of them"),
        r"lr>{\raggedright\arraybackslash}p{0.55\linewidth}",
        tuple(rows),
    )


def option_effects(results: GridResults) -> Table:
    """By what factor each level changes time to proof, verify time and proof size.

    Relative to the default of earlier work, averaged over the other options.
    """
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for factor in FACTORS:
        here = results.effects.filter(pl.col("factor") == factor)
        levels = here.unique("level", maintain_order=True)
        for place, (level, reference) in enumerate(levels.select("level", "reference").iter_rows()):
            if place == 0:
                rules.add(len(rows))
            title = factor_name(factor) if place == 0 else ""
            shown: tuple[Cell, ...] = tuple(
                "1" if level == reference else Stacked(results.effect(metric, factor, level))
                for metric in METRICS
            )
            rows.append((title, level, *shown))
    return Table(("option", "level", *_METRIC_HEADS), "llrrr", tuple(rows), frozenset(rules - {0}))


def other_effects(results: GridResults) -> Table:
    """The same of options that have a crossing of their own.

    Batching, partitions, every remainder degree, and the hashes that are cheap inside a circuit.
    """
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    found = results.effects_beside.filter(pl.col("level") != pl.col("reference"))
    by = ["crossing", "factor", "reference"]
    for (_, factor, reference), group in found.group_by(by, maintain_order=True):
        rules.add(len(rows))
        levels = group["level"].unique(maintain_order=True)
        for place, level in enumerate(levels):
            shown: list[Cell] = []
            for metric in METRICS:
                here = group.filter((pl.col("level") == level) & (pl.col("metric") == metric))
                if here.is_empty():
                    shown.append(None)
                    continue
                row = here.row(0, named=True)
                shown.append(Stacked(Quantity(row["effect"], row["low"], row["high"])))
            title = factor_name(str(factor)) if place == 0 else ""
            rows.append((title, level, str(reference), *shown))
    heads = ("option", "level", "relative to", *_METRIC_HEADS)
    return Table(heads, "lllrrr", tuple(rows), frozenset(rules - {0}))


def variance_shares(results: GridResults) -> Table:
    """The share of the variance of each metric's logarithm that each option accounts for.

    Alone, all pairs of options together, and what is left.
    """
    variance = results.variance
    alone = variance.filter(pl.col("second").is_null() & pl.col("first").is_not_null())
    parts = {
        factor_name(factor): alone.filter(pl.col("first") == factor)
        for factor in FACTORS
        if factor in set(alone["first"])
    }
    if not variance.is_empty():
        parts["pairs of options"] = variance.filter(pl.col("second").is_not_null())
        parts["the rest"] = variance.filter(pl.col("first").is_null())
    rows: list[tuple[Cell, ...]] = []
    for name, part in parts.items():
        shares: list[Cell] = []
        for metric in METRICS:
            of_metric = part.filter(pl.col("metric") == metric)["share"]
            shares.append(f"{100 * of_metric.sum():.1f}\u202f%" if len(of_metric) else None)
        rows.append((name, *shares))
    return Table(("option", *_METRIC_HEADS), "lrrr", tuple(rows), frozenset({len(rows) - 2} - {-2}))


def strongest_pairs(results: GridResults, most: int = 8) -> Table:
    """The pairs of options that act together most on the time to proof, beyond each alone."""
    pairs = results.variance.filter(
        pl.col("second").is_not_null() & (pl.col("metric") == "prove_ns")
    ).head(most)
    rows = [
        (
            f"{factor_name(row['first'])} × {factor_name(row['second'])}",
            f"×{row['typical_factor']:.3f}",
            f"{row['partial_eta_squared']:.3f}",
            f"{100 * row['share']:.2f}\u202f%",
            f"{row['p_value_holm']:.2g}",
        )
        for row in pairs.iter_rows(named=True)
    ]
    return Table(
        ("pair", "typical effect", "partial η²", "share", "p (Holm)"), "lrrrr", tuple(rows)
    )


_ERROR_HEADS = ("predicted", "median error", "9 of 10 below", "greatest", "bias")


def _errors(row: Mapping[str, Any]) -> tuple[Cell, ...]:
    known: list[Cell] = [
        None if row[name] is None else f"{100 * row[name]:.1f}\u202f%"
        for name in ("median", "quantile_90", "greatest")
    ]
    bias = None if row["bias"] is None else f"{100 * row['bias']:+.1f}\u202f%"
    return (str(row["predicted"]), *known, bias)


def held_out_errors(results: GridResults) -> Table:
    """How far predictions are off for cells that no fit saw.

    A random fifth of the computations, and proof sizes from first principles, where nothing is
    fitted.
    """
    rows: list[tuple[Cell, ...]] = [
        (METRIC_NAMES[row["metric"]][0], "a fifth of all computations", *_errors(row))
        for row in results.held_out_errors.iter_rows(named=True)
    ]
    off = results.proof_sizes["relative_error"]
    first = {
        "predicted": len(off),
        "median": off.abs().median(),
        "quantile_90": off.abs().quantile(0.9, "linear"),
        "greatest": off.abs().max(),
        "bias": off.median(),
    }
    rows.append((METRIC_NAMES["proof_bytes"][0], "all, nothing fitted", *_errors(first)))
    return Table(("metric", "cells held out", *_ERROR_HEADS), "llrrrrr", tuple(rows))


def level_errors(results: GridResults) -> Table:
    """How far predictions are off for the level of each option that they are furthest off for.

    The model never saw a cell with that level, and predicts those that the others determine. Levels
    that only a price can tell of have none.
    """
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for metric in METRICS:
        known = results.level_errors.filter(
            (pl.col("metric") == metric) & pl.col("median").is_not_null()
        )
        for place, factor in enumerate(
            name for name in FACTORS if name in set(known["factor"].to_list())
        ):
            if place == 0:
                rules.add(len(rows))
            worst = known.filter(pl.col("factor") == factor).sort("median", descending=True)
            row = worst.row(0, named=True)
            title = METRIC_NAMES[metric][0] if place == 0 else ""
            rows.append((title, factor_name(factor), row["level"], *_errors(row)))
    return Table(
        ("metric", "option", "level held out", *_ERROR_HEADS),
        "lllrrrrr",
        tuple(rows),
        frozenset(rules - {0}),
    )


def recommendation(results: GridResults) -> Table:
    """The fastest cell that is secure enough, those that cannot be told apart, and which to take.

    `over it` is the time to proof over that of the fastest cell.
    """
    found = results.recommendation
    if found is None:
        return Table(_CHOICE_HEADS, _CHOICE_COLUMNS, ())
    taken = found.take["configuration"]
    rows: list[tuple[Cell, ...]] = [
        (
            "fastest, to take" if taken == found.best["configuration"] else "fastest",
            *_costs(results, found.best),
            "1",
            _bits(found.best),
            cell_text(found.best),
        )
    ]
    shown = pl.col("place") < MOST_RUNNERS_UP
    for row in (
        found.runners_up.with_row_index("place")
        .filter(shown | (pl.col("configuration") == taken))
        .iter_rows(named=True)
    ):
        bounds = [row["ratio"] if row[end] is None else row[end] for end in ("low", "high")]
        changed = cell_text(row, options_of(found.best))
        ratio = Stacked(Quantity(row["ratio"], *bounds))
        title = "to take" if row["configuration"] == taken else ""
        rows.append((title, *_costs(results, row), ratio, _bits(row), f"with {changed}"))
    return Table(_CHOICE_HEADS, _CHOICE_COLUMNS, tuple(rows))


_CHOICE_HEADS = ("cell", *_METRIC_HEADS, "over it", "bits", "options")
_CHOICE_COLUMNS = r"lrrrrl>{\raggedright\arraybackslash}p{0.3\linewidth}"


def by_size(results: GridResults) -> Table:
    """The fastest cell of every size, among how many computations, and how many no other beats."""
    rows: list[tuple[Cell, ...]] = []
    for rounds in results.sizes:
        on_front, every = results.on_front(rounds)
        numbers = str(rounds), str(every), str(on_front)
        found = results.recommended(Demands(rounds=rounds, min_bits=MIN_BITS))
        if found is None:
            rows.append((*numbers, *("–" for _ in METRICS), "–", "none is secure enough"))
            continue
        rows.append(
            (*numbers, *_costs(results, found.best), _bits(found.best), _beside_default(found.best))
        )
    return Table(
        ("rounds", "computations", "on front", *_METRIC_HEADS, "bits", _BESIDE_DEFAULT),
        r"rrrrrrl>{\raggedright\arraybackslash}p{0.32\linewidth}",
        tuple(rows),
    )


def landmarks(results: GridResults) -> Table:
    """Earlier work's default, its individually best options put together, and the recommended.

    `beaten by` counts the cells that are no worse in the three costs and in conjectured bits, and
    better in one; `over recommended` is of times to proof. Bits: conjectured / unique / list
    decoding.
    """
    cells = {row["landmark"]: row for row in results.landmarks.iter_rows(named=True)}
    rows: list[tuple[Cell, ...]] = [
        (
            f"earlier work: {name}",
            *_costs(results, cell),
            Stacked(results.over_recommended(cell, "prove_ns")),
            _bits(cell),
            str(cell["beaten_by"]),
            _beside_default(cell),
        )
        for name, cell in cells.items()
    ]
    if results.recommendation is not None:
        take = results.recommendation.take
        rows.append(
            (
                "recommended",
                *_costs(results, take),
                "1",
                _bits(take),
                str(_beaten_by(results, take)),
                _beside_default(take),
            )
        )
    return Table(
        ("cell", *_METRIC_HEADS, "over recommended", "bits", "beaten by", _BESIDE_DEFAULT),
        r"lrrrrlr>{\raggedright\arraybackslash}p{0.3\linewidth}",
        tuple(rows),
    )


def _beaten_by(results: GridResults, cell: Mapping[str, Any]) -> int:
    """How many cells of the same size are no worse in costs and conjectured bits, and better."""
    here = results.judged.filter(
        (pl.col("rounds") == cell["rounds"]) & (pl.col("bits") >= cell["bits"]),
        *(pl.col(cost) <= cell[cost] for cost in COSTS),
    )
    better = [pl.col(cost) < cell[cost] for cost in COSTS]
    return here.filter(pl.any_horizontal(*better, pl.col("bits") > cell["bits"])).height


def security_differences(results: GridResults) -> Table:
    """Every difference between our bits and the library's, and what it does to the cells.

    `changed` counts the cells whose bits it changes, `bits` is the range of the change, library −
    ours. Differences that change no cell are left out.
    """
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for notion, name in NOTION_NAMES.items():
        steps = results.security_differences.filter(
            (pl.col("notion") == notion) & (pl.col("changed") > 0)
        )
        for place, row in enumerate(steps.iter_rows(named=True)):
            if place == 0:
                rules.add(len(rows))
            whole = row["step"] == "all"
            median, least, greatest = (
                signed_bits(row[name]) for name in ("median", "least", "greatest")
            )
            rows.append(
                (
                    name if place == 0 else "",
                    "all together" if whole else row["step"],
                    f"{row['changed']} of {row['cells']}",
                    f"{median} ({least} to {greatest})",
                    row["why"],
                )
            )
    return Table(
        ("notion", "difference", "cells changed", "bits: median (range)", "why"),
        r"llrr>{\raggedright\arraybackslash}p{0.38\linewidth}",
        tuple(rows),
        frozenset(rules - {0}),
    )


def signed_bits(bits: float) -> str:
    """A change in bits with its sign and two decimals."""
    return f"{bits:+.2f}".replace("-", "\u2212")


def attempt_costs(results: GridResults) -> Table:
    """What one attempt at the proof of work costs, and how much of the time attempts explain."""
    rows: list[tuple[Cell, ...]] = [
        (
            row["field"],
            row["hash"],
            Stacked(Quantity(row["cost_ns"], row["cost_low"], row["cost_high"], "ns")),
            f"{100 * row['r_squared']:.1f}\u202f%",
            str(row["cells"]),
            str(row["samples"]),
        )
        for row in results.attempt_costs.iter_rows(named=True)
    ]
    return Table(
        ("field", "hash", "one attempt", "variance explained", "cells", "samples"),
        "llrrrr",
        tuple(rows),
    )


def attempts(results: GridResults) -> Table:
    """Attempts that were counted against their expectation, 2 to the power of the bits.

    `geometric: p` is of the Kolmogorov-Smirnov test against the geometric distribution, and
    `with Holm` corrected over the numbers of bits.
    """
    rows: list[tuple[Cell, ...]] = [
        (
            str(row["grinding"]),
            exact(row["expected"]),
            Stacked(Quantity(row["mean"], row["mean_low"], row["mean_high"])),
            f"{row['p_value_geometric']:.2f}",
            f"{row['p_value_holm']:.2f}",
            str(row["samples"]),
        )
        for row in results.attempts.iter_rows(named=True)
    ]
    heads = ("bits of grinding", "expected", "mean", "geometric: p", "with Holm", "proofs")
    return Table(heads, "rrrrrr", tuple(rows))


def front(results: GridResults, most: int = 20) -> Table:
    """Cells on the front that are secure enough, the fastest prover first, evenly thinned."""
    enough = results.secure_front
    rows: list[tuple[Cell, ...]] = [
        (*_costs(results, row), _bits(row), _beside_default(row))
        for row in enough.gather_every(max(1, -(-enough.height // most))).iter_rows(named=True)
    ]
    return Table(
        (*_METRIC_HEADS, "bits", _BESIDE_DEFAULT),
        r"rrrl>{\raggedright\arraybackslash}p{0.4\linewidth}",
        tuple(rows),
    )


#: Every table by the name of its file.
TABLES: dict[str, Callable[[GridResults], Table]] = {
    "grid-crossings": crossings,
    "grid-excluded": excluded,
    "grid-option-effects": option_effects,
    "grid-other-effects": other_effects,
    "grid-variance-shares": variance_shares,
    "grid-strongest-pairs": strongest_pairs,
    "grid-held-out-errors": held_out_errors,
    "grid-level-errors": level_errors,
    "grid-recommendation": recommendation,
    "grid-by-size": by_size,
    "grid-landmarks": landmarks,
    "grid-front": front,
    "grid-security-differences": security_differences,
    "grid-attempt-costs": attempt_costs,
    "grid-attempts": attempts,
}


def write_grid_tables(results: GridResults, folder: Path) -> list[Path]:
    """Write every table as a LaTeX `tabular` into `folder`, and nothing else beside them."""
    return written({name: function(results) for name, function in TABLES.items()}, folder)
