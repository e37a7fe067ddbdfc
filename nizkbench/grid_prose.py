"""Sentences of the paper's section on the option grid that go beyond `nizkbench.grid_findings`.

They say more of one metric or one demand than a report needs, or hold the grid against the repeated
experiment of earlier work. The same contract: plain text, computed, also where a run is too small.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from nizkbench.cells import METRICS, half_widths
from nizkbench.choice import EARLIER_DEFAULT, Demands, Recommendation
from nizkbench.effects import FIELD_EXTENSION, RESIDUAL, agreement
from nizkbench.grid_claims import QUERIES, QUERIES_BELOW, changed_alone, ratio
from nizkbench.grid_figures import METRIC_NAMES, factor_name
from nizkbench.grid_findings import costs_text, to_take
from nizkbench.grid_results import CROSSING, MIN_BITS, ROUNDS, GridResults
from nizkbench.grid_tables import IN_A_SENTENCE, NOTION_NAMES, cell_text
from nizkbench.p1_grinding import chance_of_ratio
from nizkbench.p1_published import PUBLISHED_VERSION
from nizkbench.p1_together import Repeated, of_row
from nizkbench.quantities import Quantity, exact, plain
from nizkbench.security import NOTIONS

#: The ratio of two numbers of queries that earlier work saw.
SEEN = 6.0

#: An option none of whose levels moves a metric by more than this factor is said to do nothing.
NEGLIGIBLE = 1.05

#: Options that account for a smaller share of the variance are not named among what decides.
LEAST_SHARE = 0.01

#: How many options or pairs of options are named; tables have all.
MOST_NAMED = 3


def percent(share: float) -> str:
    """A share as a percentage of three digits."""
    return plain(exact(share, "percent"))


def precision(grid: GridResults) -> str:
    """How wide intervals of single cells are."""
    parts = []
    for metric in ("prove_ns", "verify_ns"):
        widths = half_widths(grid.cells, metric).drop_nulls()
        if widths.is_empty():
            return "No cell was measured in two processes, so that no time has an interval."
        middle = widths.median()
        assert isinstance(middle, float)
        parts.append(f"{percent(middle)} for the {METRIC_NAMES[metric][0]}")
    numbers = sorted(grid.cells["invocations"].unique().to_list())
    each = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    paces = grid.invocations.select(pl.col("prove_pace", "verify_pace").log().std()).row(0)
    paced = (
        f" Paces have a standard deviation of {percent(paces[0])} for the time to proof and"
        f" {percent(paces[1])} for the verify time."
        if any(paces)
        else ""
    )
    return (
        f"With {each} processes a cell, the median half-width of a cell's interval is"
        f" {_listed(parts)}.{paced}"
    )


def effects(grid: GridResults, metric: str) -> str:
    """Which options a cost depends on most, by how much, and which leave it as it is."""
    title = METRIC_NAMES[metric][0]
    levels = grid.effects.filter(pl.col("metric") == metric)
    if levels.is_empty():
        return _too_small(grid, "effects", f"say what options do to the {title}")
    main = grid.variance.filter(
        (pl.col("metric") == metric) & pl.col("second").is_null() & (pl.col("term") != RESIDUAL)
    )
    order = main["first"].to_list() or _by_span(levels)
    shares = dict(main.select("first", "share").iter_rows())
    parts = []
    named = [name for name in order if shares.get(name, 1.0) >= LEAST_SHARE][:MOST_NAMED]
    for place, name in enumerate(named):
        of_what = "" if place else " of the variance between cells"
        share = f" ({percent(shares[name])}{of_what})" if shares else ""
        parts.append(f"{_said(name)}{share}, {_span(levels, name)}")
    idle = [_said(one) for one in order if one not in named and _reach(levels, one) < NEGLIGIBLE]
    said = (
        f" No level of {_listed(idle, 'or')} moves it by more than"
        f" {100 * (NEGLIGIBLE - 1):.0f}\u202f% on average."
        if idle
        else ""
    )
    return f"The {title} depends most on {'; on '.join(parts)}.{said}"


def effects_beside(grid: GridResults) -> str:
    """What the options cost that have a crossing of their own, and which of them nothing."""
    parts, idle = [], []
    for (_, name), rows in grid.effects_beside.group_by("crossing", "factor", maintain_order=True):
        costs = []
        for metric, (title, *_) in METRIC_NAMES.items():
            levels = rows.filter(pl.col("metric") == metric)
            if not levels.is_empty() and _reach(levels, str(name)) >= NEGLIGIBLE:
                costs.append(f"the {title} by {_ends(levels)}")
        if not costs:
            idle.append(_said(str(name)))
            continue
        reference = rows["reference"][0]
        parts.append(
            f"the choice of {_said(str(name))} multiplies {_listed(costs)}, relative to {reference}"
        )
    if not parts and not idle:
        return _too_small(grid, "effects_beside", "say what the other options cost")
    said = f"Of the options with a crossing of their own, {'; '.join(parts)}." if parts else ""
    if idle:
        said += (
            f" No level of {_listed(idle, 'or')} moves any cost by more than"
            f" {100 * (NEGLIGIBLE - 1):.0f}\u202f% on average."
        )
    return said.strip()


def _said(name: str) -> str:
    """An option as a sentence says it, where a comma would mislead."""
    known = {**IN_A_SENTENCE, FIELD_EXTENSION: "field and extension"}
    return known.get(name, factor_name(name))


def _by_span(levels: pl.DataFrame) -> list[str]:
    """Factors by how far their levels are apart, the farthest first."""
    span = pl.col("log_effect").max() - pl.col("log_effect").min()
    spans = levels.group_by("factor").agg(span.alias("span"))
    return spans.sort("span", "factor", descending=[True, False])["factor"].to_list()


def _span(levels: pl.DataFrame, name: str) -> str:
    """`which multiplies it by … at 2 to … at 128, relative to 8`."""
    rows = levels.filter(pl.col("factor") == name)
    reference = rows["reference"][0]
    return f"which multiplies it by {_ends(rows)}, relative to {reference}"


def _ends(rows: pl.DataFrame) -> str:
    """`… at 2 to … at 128`: the least and the greatest effect of an option's levels."""
    others = rows.filter(pl.col("level") != pl.col("reference")).sort("effect").to_dicts()
    said = [
        f"{plain(Quantity(row['effect'], row['low'], row['high']), interval=True)} at"
        f" {row['level']}"
        for row in (others[:1] + others[-1:] if len(others) > 1 else others)
    ]
    return " to ".join(said)


def _reach(levels: pl.DataFrame, name: str) -> float:
    """The greatest factor by which a level of an option moves the metric, up or down."""
    furthest = levels.filter(pl.col("factor") == name)["log_effect"].abs().max()
    assert isinstance(furthest, float)
    return math.exp(furthest)


def part_agrees(grid: GridResults, part: GridResults | None) -> str:
    """Whether a balanced part of the grid, measured by itself, has the effects of the whole.

    None where no part is recorded beside the grid.
    """
    if part is None or part.effects.is_empty() or grid.effects.is_empty():
        return "No balanced part is recorded beside this grid."
    compared = agreement(part.effects, grid.effects)
    said = [
        f"{inside} of {count} for the {METRIC_NAMES[metric][0]}"
        for metric in METRICS
        for inside, count in [_inside(compared, metric)]
    ]
    apart = compared.filter(~pl.col("agrees"))
    significant = "no difference is" if apart.is_empty() else f"{apart.height} differences are"
    return (
        f"Of these cells profile {part.profile} takes {part.crossed.height}, and was measured by"
        f" itself: the whole grid's effect of a level lies in the part's interval for"
        f" {_listed(said)}, and {significant} significant with Holm's correction."
    )


def _inside(compared: pl.DataFrame, metric: str) -> tuple[int, int]:
    rows = compared.filter(pl.col("metric") == metric)
    return int(rows["inside"].sum()), rows.height


def interactions(grid: GridResults) -> str:
    """Which options do not act alone on the time to proof."""
    found = grid.variance.filter(pl.col("metric") == "prove_ns")
    pairs = found.filter(pl.col("second").is_not_null())
    if pairs.is_empty():
        return _too_small(grid, "variance", "say which options do not act alone")
    parts = [
        f"{_said(row['first'])} with {_said(row['second'])} (a further factor of"
        f" typically {row['typical_factor']:.2f})"
        for row in pairs.head(MOST_NAMED).iter_rows(named=True)
    ]
    left = found.filter(pl.col("term") == RESIDUAL)["typical_factor"][0]
    return (
        f"Of {pairs.height} pairs of options, those that act together most on the time to proof are"
        f" {_listed(parts)}. What single options and pairs do not explain moves a cell by a factor"
        f" of typically {left:.3f}."
    )


@dataclass(frozen=True, slots=True)
class Chance:
    """How likely two single draws are to be `SEEN` times apart, and from what; times in ns."""

    structure: float
    work: float

    @property
    def chance(self) -> float:
        """The probability, of either being the slower one."""
        return chance_of_ratio(SEEN, self.structure, self.work)


def chance_of_seen(grid: GridResults) -> Chance | None:
    """At the default options of earlier work; None where the grid does not tell."""
    cell = changed_alone(grid)
    if cell is None or not cell["grinding"] or cell["attempt_cost_ns"] is None:
        return None
    work = 2.0 ** cell["grinding"] * cell["attempt_cost_ns"]
    structure = cell["prove_ns"] - work
    return Chance(structure, work) if structure > 0 and work > 0 else None


def luck_by_chance(grid: GridResults) -> str:
    """How often single draws alone make the ratio that earlier work saw."""
    found = chance_of_seen(grid)
    if found is None:
        return "This grid lacks the default options of earlier work, or the cost of their attempts."
    return (
        f"At the default options a proof takes {plain(exact(found.structure, 'ns'))} without any"
        f" attempt, and the expected number of attempts takes {plain(exact(found.work, 'ns'))}. Two"
        f" such proofs, alike but for the nonce, are {SEEN:g} times or more apart in"
        f" {percent(found.chance)} of all cases."
    )


def luck_repeated(again: Repeated | None) -> str:
    """What of the difference between two numbers of queries was luck, in the experiment again.

    `again` is of `nizkbench.p1_together.repeated`, None where nothing was recorded.
    """
    if again is None or again.luck.is_empty():
        return (
            "The experiment of earlier work on the number of queries is not recorded beside this"
            " grid."
        )
    sentences = []
    rows = again.luck.sort("library_version", "instance", descending=[False, True])
    # Versions as text sort wrongly; the published one comes first whatever its digits.
    ordered = sorted(
        rows.iter_rows(named=True), key=lambda row: row["library_version"] != PUBLISHED_VERSION
    )
    if "published" not in again.luck["instance"]:
        sentences.append(
            "The published proofs are not timed in these records; `nizkbench p1-grinding` times"
            " them."
        )
    for row in ordered:
        ratio, fresh = (
            plain(of_row(row, name), interval=True) for name in ("ratio", "ratio_fresh")
        )
        published = row["instance"] == "published"
        undecided = row["ratio_low"] <= 1 <= row["ratio_high"]
        told = (
            ""
            if undecided
            else f": {plain(of_row(row, 'luck', 'percent'), interval=True)} of the measured"
            " difference is luck"
        )
        sentences.append(
            f"With winterfell {row['library_version']} and"
            f" {'the published proofs' if published else 'one instance of ours'}"
            f" ({row['attempts']:.0f} attempts for {QUERIES} queries, {row['attempts_below']:.0f}"
            f" for {QUERIES_BELOW}), the measured ratio is {ratio}, and that of fresh instances at"
            f" equal attempts {fresh}{told}."
        )
        if not undecided:
            sentences.append(
                "Two single draws alone are that far apart in"
                f" {plain(of_row(row, 'chance', 'percent'), interval=True)} of all cases."
            )
        if published:
            sentences.append(
                "Over all numbers of queries that were published, attempts explain"
                f" {plain(of_row(row, 'between', 'percent'), interval=True)} of the variance of the"
                " measured times; predicted from fresh instances and from their attempts alone,"
                f" these times are {plain(of_row(row, 'predicted'), interval=True)} times what was"
                " measured, in the geometric mean."
            )
    return " ".join(sentences)


def luck_together(again: Repeated | None) -> str:
    """Why the best options did not combine: how much of the gain of each was its nonce.

    `again` is of `nizkbench.p1_together.repeated`, None where nothing was recorded.
    """
    if again is None or again.alone is None:
        return (
            "Why the best options did not combine is not measured beside this grid: the published"
            " proofs, which `nizkbench p1-grinding` times."
        )
    alone, kept = again.form("remainder"), again.form("all but grinding")
    assert alone is not None
    assert kept is not None
    picked = again.alone.filter(
        pl.col("picked") & ~pl.col("default") & pl.col("luck").is_not_null()
    ).sort("luck", descending=True)
    if picked.is_empty():
        return (
            "On the instance of earlier work no option that leaves the work of an attempt as it is"
            " has a better level than its default, so that no luck could be combined."
        )
    told = [
        f"{plain(of_row(row, 'luck', 'percent'), interval=True)} with {_said(row['option'])}"
        f" {row['level']} ({row['attempts']} attempts)"
        for row in picked.iter_rows(named=True)
    ]
    mostly = picked.filter(pl.col("luck") > 0.5).height
    return (
        f"Of {picked.height} best levels that are not the default, and with which attempts are as"
        f" dear and as many on average, {mostly} owed more than half of the gain to the nonce,"
        " which every other choice of options draws anew: the default took"
        f" {again.alone.filter('default')['attempts'][0]} attempts, and of each gain, on the"
        f" logarithm, luck was {_listed(told)}. Together, with the grinding kept, they drew"
        f" {kept['attempts']} attempts, the remainder degree alone {alone['attempts']}; the gains"
        f" of all multiply to {plain(exact(_multiplied(again.alone)))}, and"
        f" {plain(of_row(kept, 'gain'), interval=True)} was measured."
    )


def _multiplied(alone: pl.DataFrame) -> float:
    """The product of the gains of all best levels but that of grinding."""
    rows = alone.filter(pl.col("picked") & ~pl.col("default") & (pl.col("option") != "grinding"))
    return math.exp(float(rows["gain"].log().sum()))


def model_levels(grid: GridResults) -> str:
    """How far predictions for whole levels that no fit saw are off."""
    parts = []
    for metric in METRICS:
        rows = grid.level_errors.filter(
            (pl.col("metric") == metric) & pl.col("median").is_not_null()
        ).sort("median")
        if rows.is_empty():
            continue
        middle, worst = rows["median"].median(), rows.row(-1, named=True)
        assert isinstance(middle, float)
        parts.append(
            f"for the {METRIC_NAMES[metric][0]} {percent(middle)} at the median level and"
            f" {percent(worst['median'])} at the worst, {_said(worst['factor'])}"
            f" {worst['level']} ({worst['predicted']} of its {worst['cells']} cells)"
        )
    if not parts:
        return _too_small(grid, "level_errors", "leave out a level at a time")
    return (
        f"The median error is then {'; '.join(parts)}; cells whose cost the others do not determine"
        " are left out."
    )


def security_why(grid: GridResults) -> str:
    """Which difference between our bounds and the library's moves the bits most."""
    parts = []
    for notion in NOTIONS:
        steps = (
            grid.security_differences.filter(
                (pl.col("notion") == notion)
                & ~pl.col("step").is_in(["all", "rounded down"])
                & (pl.col("changed") > 0)
            )
            .with_columns(
                pl.max_horizontal(pl.col("least").abs(), pl.col("greatest").abs()).alias("reach")
            )
            .filter(pl.col("reach") >= 0.05)  # less is nothing to a reader
            .sort("reach", descending=True)
        )
        if steps.is_empty():
            parts.append(f"{NOTION_NAMES[notion]}, nothing but rounding")
            continue
        row = steps.row(0, named=True)
        parts.append(
            f"{NOTION_NAMES[notion]}, “{row['step']}” (up to {row['reach']:.1f} bits, in"
            f" {row['changed']} of {row['cells']} cells)"
        )
    return f"The difference that moves the figures most is, {'; '.join(parts)}."


def where(grid: GridResults) -> str:
    """On what the grid was measured, and with which revision."""
    machines = grid.manifest.get("machines") or []
    named = sorted({f"{one['processor']} ({one['usable_cores']} usable cores)" for one in machines})
    on = f" on {_listed(named)}" if named else ""
    commit = (grid.manifest.get("git") or {}).get("commit")
    at = f", at revision {commit[:7]}" if commit else ""
    shards = grid.manifest.get("shards")
    parts = f" in {shards} shards" if shards and shards > 1 else ""
    return f"The grid is that of profile {grid.profile}, measured{on}{parts}{at}."


def recommended_equal(grid: GridResults) -> str:
    """How much faster than the default a cell is that has no fewer bits than it."""
    if grid.default is None:
        return f"The default options of earlier work were not measured at {ROUNDS} rounds."
    bits = grid.default["bits"]
    found = grid.recommended(Demands(rounds=ROUNDS, min_bits=bits))
    if found is None or found.best["configuration"] == grid.default["configuration"]:
        return f"No cell with the {bits:g} bits of the default is faster than it."
    over = ratio(grid, grid.default, found.best)
    times = "" if over is None else f", and the default takes {plain(over, interval=True)} times it"
    return (
        f"With no fewer bits than the default, {bits:g}, {_changes(found.best)} is the fastest:"
        f" proving takes {plain(grid.quantity(found.best, 'prove_ns'), interval=True)}{times}."
    )


def recommended_proven(grid: GridResults) -> str:
    """What to set where bits must be proven."""
    found = grid.recommended(Demands(rounds=ROUNDS, min_bits=MIN_BITS, regime="proven"))
    if found is None:
        return f"Where bits must be proven, {grid.unfit['recommendation']}."
    return f"Where {MIN_BITS:g} bits must be proven, {_recommended(grid, found)}"


def recommended_small(grid: GridResults) -> str:
    """The smallest proof and the fastest verifier of as many conjectured bits."""
    parts = []
    for objective, words in (("proof_bytes", "smallest proof"), ("verify_ns", "fastest verifier")):
        found = grid.recommended(Demands(rounds=ROUNDS, min_bits=MIN_BITS, objective=objective))
        if found is None:
            return f"No smaller proof is recommended: {grid.unfit['recommendation']}."
        cost = plain(grid.quantity(found.best, objective), interval=True)
        time = plain(grid.quantity(found.best, "prove_ns"))
        parts.append(
            f"the {words} ({cost}) is had with {_changes(found.best)}, and takes {time} to prove"
        )
    return f"With as many conjectured bits, {'; '.join(parts)}."


def _recommended(grid: GridResults, found: Recommendation) -> str:
    said = (
        f"the fastest of {found.qualified} cells that qualify has {_changes(found.best)}:"
        f" {costs_text(grid, found.best)}."
    )
    if found.runners_up.is_empty():
        return said
    runners = found.runners_up.height
    other = "One other" if runners == 1 else f"{runners} others"
    return f"{said} {other} cannot be told apart from it. {to_take(grid, found)}"


def corrected(grid: GridResults) -> str:
    """What the fastest cell takes on blocks that took no part in choosing it."""
    found = grid.corrected
    if found is None or grid.recommendation is None or grid.default is None:
        return "This grid is too small to choose on some of its blocks and read on the others."
    best = grid.recommendation.best
    seen = grid.over(grid.default, best)
    ends = [
        [plain(exact(end, one.unit)) for end in (one.low, one.high)]
        for one in (found.cost, found.ratio)
    ]
    cells = "one cell" if found.chosen == 1 else f"{found.chosen} different cells"
    return (
        f"Chosen on half of the blocks and read on the others, in all {found.readings} such ways,"
        f" the fastest cell takes {plain(exact(found.cost.value, found.cost.unit))} on average, and"
        f" the default {plain(exact(found.ratio.value))} times as long; chosen and read on all"
        f" blocks, these seem to be {plain(exact(best['prove_ns'], 'ns'))} and"
        f" {plain(exact(seen.value))}. Single readings, of {cells}, go from {ends[0][0]} to"
        f" {ends[0][1]} and from {ends[1][0]} to {ends[1][1]} times, which is their spread and no"
        " interval, since they share blocks; their mean is about as uncertain as that of one cell."
    )


def distinct_computations(grid: GridResults) -> str:
    """How many different computations the cells are."""
    here = grid.cells["rounds"] == ROUNDS
    if not here.any():
        return f"No cell was measured at {ROUNDS} rounds."
    every = grid.computation.filter(here)
    said = (
        f"The {int(here.sum())} cells at {ROUNDS} rounds are {every.n_unique()} different"
        " computations: several bounds on the degree of the remainder give the same layers of FRI,"
        " and without a layer no folding factor does anything."
    )
    crossed = grid.computation.filter(
        grid.cells["configuration"].is_in(grid.crossed["configuration"].implode())
    )
    if crossed.is_empty():
        return said
    return (
        f"{said} The {len(crossed)} of crossing {CROSSING}, over which effects are averaged, are"
        f" {crossed.n_unique()}."
    )


def told_apart(grid: GridResults) -> str:
    """How often a comparison tells apart what is the same computation."""
    shares = [(metric, grid.told_apart(metric)) for metric in METRICS]
    known = [
        f"{plain(share, interval=True)} of them in {METRIC_NAMES[metric][0]}"
        for metric, share in shares
        if share is not None
    ]
    if not known:
        return "No computation was measured as two cells that could be compared."
    return (
        f"In {grid.twins.height} pairs two cells are the same computation, and were measured as if"
        " they were not: a comparison at 5\u202f% and without correction tells apart"
        f" {_listed(known)}."
    )


def shards(grid: GridResults) -> str:
    """By how much the cores differ, from computations that were measured on both."""
    if grid.shards == 1:
        return "All cells were measured in one part."
    known = []
    for metric in ("prove_ns", "verify_ns"):
        ratio = grid.between_shards(metric)
        if ratio is not None:
            more = Quantity(ratio.value - 1, ratio.low - 1, ratio.high - 1, "percent")
            title = METRIC_NAMES[metric][0]
            known.append(f"{plain(more, interval=True)} of the {title}")
    if not known:
        return "What the cores differ by cannot be told from these cells."
    return (
        "Computations that were measured on both cores tell that one is slower than the other by"
        f" {_listed(known)}. That is not corrected: the ratio of two cells on different cores may"
        " be off by as much."
    )


def regression(grid: GridResults) -> str:
    """The model beside a regression on options and pairs, on the same cells."""
    rows = grid.regression_errors.to_dicts()
    if not rows:
        return _too_small(grid, "regression_errors", "fit a regression on all pairs of options")
    said = [
        f"{percent(row['regression'])} in the {METRIC_NAMES[row['metric']][0]}"
        f" (the model: {percent(row['model'])})"
        for row in rows
    ]
    prices = _listed([str(row["prices"]) for row in rows])
    return (
        f"Fitted to the cells of crossing {CROSSING} that are not held out, a regression of"
        f" logarithms on every level and every pair of levels has {rows[0]['coefficients']}"
        f" coefficients, where the model has {prices} prices for all crossings together; on the"
        f" cells held out its median error is {_listed(said)}."
    )


def _changes(cell: Mapping[str, Any]) -> str:
    """In what a cell differs from the defaults of earlier work."""
    return cell_text(cell, EARLIER_DEFAULT) or "earlier work's defaults"


def _too_small(grid: GridResults, part: str, what: str) -> str:
    why = grid.unfit.get(part)
    return f"This grid is too small to {what}" + (f": {why}." if why else ".")


def _listed(words: Sequence[str], last: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


#: Every sentence by its name, but for those of luck, which need another run as well.
PROSE: dict[str, Callable[[GridResults], str]] = {
    "where": where,
    "precision": precision,
    "effects-prove": lambda grid: effects(grid, "prove_ns"),
    "effects-verify": lambda grid: effects(grid, "verify_ns"),
    "effects-size": lambda grid: effects(grid, "proof_bytes"),
    "effects-beside": effects_beside,
    "interactions": interactions,
    "luck-by-chance": luck_by_chance,
    "model-levels": model_levels,
    "security-why": security_why,
    "recommended-equal": recommended_equal,
    "recommended-proven": recommended_proven,
    "recommended-small": recommended_small,
    "recommended-corrected": corrected,
    "computations": distinct_computations,
    "told-apart": told_apart,
    "shards": shards,
    "regression": regression,
}
