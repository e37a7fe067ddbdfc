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
from nizkbench.choice import EARLIER_DEFAULT, Demands, Recommendation, options_of
from nizkbench.effects import FIELD_EXTENSION, RESIDUAL, agreement
from nizkbench.grid_claims import QUERIES, QUERIES_BELOW, changed_alone, ratio
from nizkbench.grid_figures import METRIC_NAMES, factor_name
from nizkbench.grid_results import MIN_BITS, ROUNDS, GridResults
from nizkbench.grid_tables import IN_A_SENTENCE, NOTION_NAMES, options_text
from nizkbench.p1_grinding import PUBLISHED_VERSION, chance_of_ratio
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
    others = rows.filter(pl.col("level") != reference).sort("effect").to_dicts()
    ends = [others[0], others[-1]] if len(others) > 1 else others
    said = [
        f"{plain(Quantity(row['effect'], row['low'], row['high']), interval=True)} at"
        f" {row['level']}"
        for row in ends
    ]
    return f"which multiplies it by {' to '.join(said)}, relative to {reference}"


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


def luck_repeated(luck: pl.DataFrame | None) -> str:
    """What of the difference between two numbers of queries was luck, in the experiment again.

    `luck` is of `nizkbench.p1_grinding.luck_table`, None where nothing was recorded.
    """
    if luck is None or luck.is_empty():
        return (
            "The experiment of earlier work on the number of queries is not recorded beside this"
            " grid."
        )
    sentences = []
    rows = luck.sort("library_version", "instance", descending=[False, True])
    # Versions as text sort wrongly; the published one comes first whatever its digits.
    ordered = sorted(
        rows.iter_rows(named=True), key=lambda row: row["library_version"] != PUBLISHED_VERSION
    )
    for row in ordered:
        ratio, fresh = (plain(_of(row, name), interval=True) for name in ("ratio", "ratio_fresh"))
        published = row["instance"] == "published"
        undecided = row["ratio_low"] <= 1 <= row["ratio_high"]
        told = (
            ""
            if undecided
            else f": {plain(_of(row, 'luck', 'percent'), interval=True)} of the difference is luck"
        )
        sentences.append(
            f"With winterfell {row['library_version']} and the attempts of"
            f" {'the published proofs' if published else 'one instance of ours'}"
            f" ({row['attempts']:.0f} for {QUERIES} queries, {row['attempts_below']:.0f} for"
            f" {QUERIES_BELOW}), the ratio is {ratio}, and at equal attempts {fresh}{told}."
        )
        if not undecided:
            sentences.append(
                "Two single draws alone are that far apart in"
                f" {plain(_of(row, 'chance', 'percent'), interval=True)} of all cases."
            )
        if published:
            sentences.append(
                "Over all numbers of queries that were published, attempts explain"
                f" {plain(_of(row, 'between', 'percent'), interval=True)} of the variance of these"
                " times."
            )
    return " ".join(sentences)


def _of(row: Mapping[str, Any], name: str, unit: str = "1") -> Quantity:
    return Quantity(row[name], row[f"{name}_low"], row[f"{name}_high"], unit)


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
            f" {worst['level']}, which leaves {grid.cells.height - worst['cells']} cells to learn"
            " from"
        )
    if not parts:
        return _too_small(grid, "level_errors", "leave out a level at a time")
    return f"The median error is then {'; '.join(parts)}."


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
    time, verify, proof = (
        plain(grid.quantity(found.best, metric), interval=True) for metric in METRICS
    )
    return (
        f"the fastest of {found.qualified} cells that qualify has {_changes(found.best)}; proving"
        f" takes {time}, verifying {verify}, and a proof has {proof}."
    )


def _changes(cell: Mapping[str, Any]) -> str:
    """In what a cell differs from the defaults of earlier work."""
    return options_text(options_of(cell), EARLIER_DEFAULT) or "earlier work's defaults"


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
    "interactions": interactions,
    "luck-by-chance": luck_by_chance,
    "model-levels": model_levels,
    "security-why": security_why,
    "recommended-equal": recommended_equal,
    "recommended-proven": recommended_proven,
    "recommended-small": recommended_small,
}
