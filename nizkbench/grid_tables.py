"""The tables of the option grid, each a function of `GridResults`.

A table whose part of the analysis the run is too small for has no rows. Those of `AGAIN` are
functions of the repeated experiment of earlier work instead.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from nizkbench import cost_model
from nizkbench.cells import METRICS
from nizkbench.choice import COSTS, EARLIER_DEFAULT, Recommendation, alike, cell_of, options_of
from nizkbench.effects import FACTORS
from nizkbench.grid_figures import METRIC_NAMES, factor_name, ordered_levels
from nizkbench.grid_results import FIELD, HEADLINE, ROUNDS, GridResults
from nizkbench.messages import OptionValue
from nizkbench.operations import IDLE
from nizkbench.p1_together import Repeated, of_row
from nizkbench.quantities import Quantity, exact, plain
from nizkbench.tables import Cell, Stacked, Table, written

#: Runners-up that a table shows at most, beside the one to take.
MOST_RUNNERS_UP = 24

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

#: Options that the layers of FRI follow from.
OF_LAYERS = ("blowup", *IDLE)

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
        levels = alike(cell, name)
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
        references = dict(here.select("level", "reference").iter_rows())
        for place, level in enumerate(ordered_levels(references)):
            if place == 0:
                rules.add(len(rows))
            title = factor_name(factor) if place == 0 else ""
            shown: tuple[Cell, ...] = tuple(
                "1"
                if level == references[level]
                else Stacked(results.effect(metric, factor, level))
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


#: What the counts of a cost model are of, as the heads of tables have it: those of a hash, whose
#: prices are by field and hash, and all others.
_HASHED = {
    "one": "proof",
    "attempts": "attempt",
    "permutations": "permutation",
    "calls": "call",
    "base_elements": "element",
    "merges": "merge",
}
_COUNTED = {
    "one": "proof",
    "rows": "row of the trace",
    "rows_log": "row of the trace × log2 rows",
    "layers": "FRI layer",
    "prover_domain": "point of the domain",
    "prover_domain_log": "point of the domain × log2 rows",
    "prover_layer_points": "point of a FRI layer",
    "prover_layer_points_log": "point of a FRI layer × log2 folding",
    "prover_layer_rows": "row of a FRI layer",
    "prover_last": "point of the last domain",
    "prover_last_log": "point of the last domain × log2 points",
    "prover_opened": "row opened in a tree",
    "prover_siblings": "sibling digest",
    "prover_scans": "row opened in a layer × position",
    "verifier_opened": "position",
    "verifier_opened_log": "position × log2 domain",
    "verifier_folded": "row opened in a layer",
    "verifier_folded_points": "point of such a row",
    "verifier_folded_squares": "such a row × folding squared",
    "verifier_folded_log": "such a row × log2 layer",
    "verifier_remainder": "position in the last domain × coefficient",
    "verifier_last_log": "position in the last domain × log2 points",
    "verifier_siblings": "sibling digest",
    "verifier_scans": "row opened in a layer × position",
}


def hashing_prices(results: GridResults, metric: str) -> Table:
    """What the cost model prices the counts of a hash at, by field and hash, in ns.

    In brackets the mean share of the cost of the cells that it applies to.
    """
    parts = [part for part, of in cost_model.PARTS[metric] if of == cost_model.HASH]
    names = [part.removeprefix("prover_").removeprefix("verifier_") for part in parts]
    priced = _priced(results, metric)
    known = sorted({of for part, of in priced if part == parts[-1]})
    rows = [(of.replace("/", ", "), *(priced[part, of] for part in parts)) for of in known]
    heads = ("field, hash", *(f"{_HASHED[name]}, ns" for name in names))
    return Table(heads, f"l{'r' * len(parts)}", tuple(rows))


def arithmetic_prices(results: GridResults, metric: str) -> Table:
    """What the cost model prices all other counts at, by field and extension, in ns.

    In brackets the mean share of the cost of the cells that it applies to. A price of a field, or
    of all cells, stands in each of its columns.
    """
    parts = [(part, of) for part, of in cost_model.PARTS[metric] if of != cost_model.HASH]
    priced = _priced(results, metric)
    first = next(part for part, of in parts if of == cost_model.COINS and part != "one")
    known = sorted({of for part, of in priced if part == first})
    rows = []
    for part, group in parts if known else ():
        whose = {cost_model.COINS: "{}/{}", cost_model.FIELD: "{}", cost_model.GLOBAL: "all"}[group]
        paid = [priced[part, whose.format(*of.split("/"))] for of in known]
        rows.append((_COUNTED[part], *paid))
    heads = ("ns for one", *(of.replace("/", ", ") for of in known))
    return Table(heads, f"l{'r' * len(known)}", tuple(rows))


def _priced(results: GridResults, metric: str) -> dict[tuple[str, str], str]:
    """Price and share of each part of a metric, by the part and whose price it is."""
    if metric not in results.models:
        return {}
    return {
        (row["part"], row["of"]): f"{plain(exact(row['price']))} ({_percent(row['share'])})"
        for row in results.models[metric].prices.iter_rows(named=True)
    }


def size_prices(results: GridResults) -> Table:
    """What the cost model prices a byte that is computed from first principles at, in bytes."""
    model = results.models.get("proof_bytes")
    rows = [
        (
            row["part"].removeprefix("predicted_").replace("_", " "),
            f"{row['price']:.4f}",
            _percent(row["share"]),
        )
        for row in (() if model is None else model.prices.iter_rows(named=True))
    ]
    return Table(("part of the proof", "bytes for one", "mean share"), "lrr", tuple(rows))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}\u202f%"


def recommendation(results: GridResults) -> Table:
    """The fastest cell that is secure enough, those that cannot be told apart, and which to take.

    Over the field of earlier work's default. `over it` is the time to proof over that of the
    fastest cell. Of the others the first `MOST_RUNNERS_UP` have a row, and the one to take.
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


def what_to_set(results: GridResults) -> Table:
    """The value to set for every option, and what each alone does to the time to proof.

    `gained alone` is the default's time to proof over that of the default with this option changed
    alone, `lost without` that of the cell to take with this option as by default over that of the
    cell to take, or of another cell of the same computation. Where the default is another level of
    the same computation, nothing is changed.
    """
    heads = ("option", "default", "to set", "gained alone", "lost without")
    found, default = results.recommendation, results.default
    if found is None:
        return Table(heads, "lllrr", ())
    rows: list[tuple[Cell, ...]] = []
    take = options_of(found.take)
    for name, value in take.items():
        usual = EARLIER_DEFAULT[name]
        levels = alike(found.take, name)
        alone = without = None
        if usual not in levels:
            changed = cell_of(results.cells, ROUNDS, {**EARLIER_DEFAULT, name: value})
            back = _with_one_back(results, found.take, name, usual)
            if default is not None and changed is not None:
                alone = results.over(default, changed)
            if back is not None:
                without = results.over(back, found.take)
        title = IN_A_SENTENCE.get(name, factor_name(name))
        told = " or ".join(map(str, levels))
        rows.append((title, str(usual), told, Stacked(alone), Stacked(without)))
    return Table(heads, "lllrr", tuple(rows))


def _with_one_back(
    results: GridResults, take: Mapping[str, Any], name: str, usual: OptionValue
) -> dict[str, Any] | None:
    """The cell to take with one option as by default; None if it was not measured.

    What makes no difference to the layers of FRI leaves the levels alike that make the same.
    """
    options = {**options_of(take), name: usual}
    same = () if name in OF_LAYERS else IDLE
    for levels in product(*(alike(take, one) for one in same)):
        wanted = options | dict(zip(same, levels, strict=True))
        if (cell := cell_of(results.cells, ROUNDS, wanted)) is not None:
            return cell
    return None


def by_size(results: GridResults) -> Table:
    """The cell to take of every size, over the default's field and over any where that is another.

    Among how many computations it is, and how many of these no other beats, over all fields. The
    default's time is over that of the cell to take, at the same size.
    """
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for rounds in results.sizes:
        on_front, every = results.on_front(rounds)
        numbers = str(rounds), str(every), str(on_front)
        demands = replace(HEADLINE, rounds=rounds)
        found = results.recommended(demands)
        rules.add(len(rows))
        taken = (
            (*("–" for _ in METRICS), "–", "–", "none is secure enough")
            if found is None
            else _taken(results, found)
        )
        rows.append((*numbers, FIELD, *taken))
        other = results.recommended(replace(demands, field=None))
        if other is not None and other.take["field"] != FIELD:
            rows.append(("", "", "", str(other.take["field"]), *_taken(results, other)))
    return Table(
        (
            "rounds",
            "computations",
            "on front",
            "field",
            *_METRIC_HEADS,
            "default over it",
            "bits",
            _BESIDE_DEFAULT,
        ),
        r"rrrlrrrrl>{\raggedright\arraybackslash}p{0.32\linewidth}",
        tuple(rows),
        frozenset(rules - {0}),
    )


def _taken(results: GridResults, found: Recommendation) -> tuple[Cell, ...]:
    """What the cell to take costs, the default's time over its own, its bits and its options."""
    over = Stacked(results.default_over(found.demands))
    take = found.take
    return (*_costs(results, take), over, _bits(take), _beside_default(take))


def landmarks(results: GridResults) -> Table:
    """Earlier work's default, its individually best options put together, and the recommended.

    Recommended are the fastest that are secure enough, those with no fewer conjectured bits than
    the default, and those with as many proven bits; each over the default's field, and over any
    where that is another. `beaten by` counts the cells that are no worse in the
    three costs and in conjectured bits, and better in one; `over recommended` is of times to proof.
    Bits: conjectured / unique / list decoding.
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
    for name, asked in _RECOMMENDED.items():
        if (demands := results.asked.get(asked)) is None:
            continue
        found = results.recommended(demands)
        if found is None or (demands.field is None and found.take["field"] == FIELD):
            continue
        take = found.take
        rows.append(
            (
                name,
                *_costs(results, take),
                Stacked(results.over_recommended(take, "prove_ns")),
                _bits(take),
                str(_beaten_by(results, take)),
                _beside_default(take),
            )
        )
    return Table(
        ("cell", *_METRIC_HEADS, "over recommended", "bits", "beaten by", _BESIDE_DEFAULT),
        r">{\raggedright\arraybackslash}p{0.15\linewidth}rrrrlr"
        r">{\raggedright\arraybackslash}p{0.27\linewidth}",
        tuple(rows),
    )


#: What the recommended cells are called beside those of earlier work, and what they are asked by.
_RECOMMENDED = {
    "recommended": "conjectured",
    "no fewer bits than the default": "no-fewer-bits",
    "as many bits, proven": "proven",
    "any field": "conjectured.any-field",
    "any field, no fewer bits": "no-fewer-bits.any-field",
    "any field, as many bits proven": "proven.any-field",
}


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


def attempt_cost(row: Mapping[str, Any]) -> Quantity:
    """A row of `nizkbench.cells.attempt_costs` in ns; without bounds, exact."""
    low, high = (row["cost_ns"] if row[end] is None else row[end] for end in _COST_BOUNDS)
    return Quantity(row["cost_ns"], low, high, "ns")


_COST_BOUNDS = ("cost_low", "cost_high")


def attempt_costs(results: GridResults) -> Table:
    """What one attempt at the proof of work costs, and how much of the time attempts explain."""
    rows: list[tuple[Cell, ...]] = [
        (
            row["field"],
            row["hash"],
            Stacked(attempt_cost(row)),
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


def p1_queries(again: Repeated | None) -> Table:
    """The repeated experiment on the number of queries: what was measured, and what is predicted.

    Predictions are from fresh instances and the attempts of the proof. `fresh` is the time of fresh
    instances at the expected number of attempts.
    """
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    by = ["system", "library_version"]
    for (_, version), group in (
        [] if again is None else again.queries.group_by(by, maintain_order=True)
    ):
        rules.add(len(rows))
        for place, row in enumerate(group.sort("queries").iter_rows(named=True)):
            cells: list[Cell] = []
            for kind, predicted in (("published", "predicted"), ("fixed", "predicted_fixed")):
                attempts = row[f"attempts_{kind}"]
                cells.append(None if attempts is None else exact(attempts))
                cells += [_time(row, f"{kind}_ns"), _time(row, f"{predicted}_ns")]
            title = str(version) if place == 0 else ""
            rows.append((title, str(row["queries"]), *cells, _time(row, "fresh_ns")))
    measured = [(f"{whose}: attempts", "time", "predicted") for whose in ("published", "ours")]
    heads = ("winterfell", "queries", *measured[0], *measured[1], "fresh")
    return Table(heads, "lrrrrrrrr", tuple(rows), frozenset(rules - {0}))


def _time(row: Mapping[str, Any], name: str) -> Stacked | None:
    """A time of a row with its interval, None where it was not measured."""
    return None if row[name] is None else Stacked(of_row(dict(row), name, "ns"))


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
    "grid-prices-prove-hashing": lambda results: hashing_prices(results, "prove_ns"),
    "grid-prices-prove-arithmetic": lambda results: arithmetic_prices(results, "prove_ns"),
    "grid-prices-verify-hashing": lambda results: hashing_prices(results, "verify_ns"),
    "grid-prices-verify-arithmetic": lambda results: arithmetic_prices(results, "verify_ns"),
    "grid-prices-size": size_prices,
    "grid-recommendation": recommendation,
    "grid-what-to-set": what_to_set,
    "grid-by-size": by_size,
    "grid-landmarks": landmarks,
    "grid-front": front,
    "grid-security-differences": security_differences,
    "grid-attempt-costs": attempt_costs,
    "grid-attempts": attempts,
}


#: Every table of the repeated experiment of earlier work by the name of its file.
AGAIN: dict[str, Callable[[Repeated | None], Table]] = {"grid-p1-queries": p1_queries}


def write_grid_tables(
    results: GridResults, folder: Path, again: Repeated | None = None
) -> list[Path]:
    """Write every table as a LaTeX `tabular` into `folder`, and nothing else beside them.

    `again` is of `nizkbench.p1_together.repeated`, None where nothing was recorded.
    """
    tables = {name: function(results) for name, function in TABLES.items()}
    return written(tables | {name: function(again) for name, function in AGAIN.items()}, folder)
