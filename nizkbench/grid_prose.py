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
from nizkbench.effects import FIELD_EXTENSION, RESIDUAL, agreement
from nizkbench.grid_claims import (
    QUERIES,
    QUERIES_BELOW,
    READINGS,
    changed_alone,
    individually_best_in,
    ratio,
)
from nizkbench.grid_figures import (
    CLOUD_POINTS,
    METRIC_NAMES,
    _thinned,
    attempt_bins,
    clouds,
    factor_name,
    p1_reach,
)
from nizkbench.grid_results import CROSSING, MIN_BITS, ROUNDS, GridResults
from nizkbench.grid_tables import IN_A_SENTENCE, NOTION_NAMES
from nizkbench.intervals import LEVEL
from nizkbench.p1_grinding import chance_of_ratio
from nizkbench.p1_published import PUBLISHED_VERSION, REMAINDER
from nizkbench.p1_together import Repeated, beyond_all, of_row
from nizkbench.quantities import Quantity, exact, plain, times
from nizkbench.security import NOTIONS

#: The ratio of two numbers of queries that earlier work saw.
SEEN = 6.0

#: An option none of whose levels moves a metric by more than this factor is said to do nothing.
NEGLIGIBLE = 1.05

#: Options that account for a smaller share of the variance are not named among what decides.
LEAST_SHARE = 0.01

#: How many options or pairs of options are named; tables have all.
MOST_NAMED = 3

#: A load this much above the cores is that of others, as in `nizkbench.manifest.finished`.
LOAD_OF_OTHERS = 0.5


def percent(share: float) -> str:
    """A share as a percentage of three digits."""
    return plain(exact(share, "percent"))


def precision(grid: GridResults) -> str:
    """How wide intervals of single cells are, and how quiet the machine was."""
    parts, without = [], []
    for metric in ("prove_ns", "verify_ns"):
        widths = half_widths(grid.cells, metric).drop_nulls()
        if widths.is_empty():
            return (
                "No cell was measured in two processes, so that no time has an interval."
                f" {_quiet(grid.manifest)}".strip()
            )
        wider = half_widths(grid.unpaced, metric).drop_nulls()
        middle, unpaced = widths.median(), wider.median()
        assert isinstance(middle, float)
        assert isinstance(unpaced, float)
        parts.append(f"{percent(middle)} for the {METRIC_NAMES[metric][0]}")
        without.append(f"{percent(unpaced)} for the {METRIC_NAMES[metric][0]}")
    numbers = sorted(grid.cells["invocations"].unique().to_list())
    each = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    paces = grid.invocations.select(pl.col("prove_pace", "verify_pace").log().std()).row(0)
    paced = (
        f" With no pace divided out it would be {_listed(without)}; paces have a standard deviation"
        f" of {percent(paces[0])} and {percent(paces[1])}."
        if any(paces)
        else ""
    )
    return (
        f"With {each} processes a cell, the median half-width of a cell's interval is"
        f" {_listed(parts)}.{paced} {_quiet(grid.manifest)}".strip()
    )


def _quiet(manifest: Mapping[str, Any]) -> str:
    """How much else the machine did while it measured; nothing where the manifest does not tell."""
    finished: Mapping[str, Any] = manifest.get("finished") or {}
    machines: Sequence[Mapping[str, Any]] = manifest.get("machines") or []
    median, highest = finished.get("median_load1"), finished.get("highest_load1")
    if median is None or highest is None or not machines:
        return ""
    cores = min(one["usable_cores"] for one in machines)
    shards = manifest.get("shards") or 1
    others = ", with the harness's own bookkeeping or with other work"
    own = (
        "the process that is measured makes 1"
        if shards == 1
        else f"the {shards} processes that are measured side by side make {shards}"
    )
    said = (
        f"The load of the machine over a minute was {median:.1f} in the median and {highest:.1f} at"
        f" most on {cores} core{'' if cores == 1 else 's'}, of which {own}"
    )
    said += (
        f": most of the time the cores were shared{others}."
        if median > cores + LOAD_OF_OTHERS
        else f": at times the cores were shared{others}."
        if highest > cores + LOAD_OF_OTHERS
        else f": all else, the harness's own bookkeeping included, made"
        f" {max(highest - shards, 0.0):.1f} at most."
    )
    steal = finished.get("steal_share")
    if steal is not None:
        said += f" Of the time of its cores {percent(steal)} went to the host's other guests."
    return said


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


def effects_meaning(grid: GridResults) -> str:
    """What the interval of an effect holds, and how many effects differ from one by how much."""
    levels = grid.effects.filter(pl.col("level") != pl.col("reference"))
    if levels.is_empty():
        return _too_small(grid, "effects", "say what an effect means")
    titles = {metric: METRIC_NAMES[metric][0] for metric in METRICS}
    told, little = [], []
    for metric, title in titles.items():
        rows = levels.filter((pl.col("metric") == metric) & (pl.col("p_value_holm") < 1 - LEVEL))
        small = (pl.col("effect").log().abs() < math.log(NEGLIGIBLE)).sum()
        told.append(f"{rows.height} in the {title}")
        little.append(f"{rows.select(small).item()}")
    typical = [f"{grid.departure(metric):.2f} in the {title}" for metric, title in titles.items()]
    return (
        f"{_interval_of_an_effect(grid)} An effect is an average: a single cell departs from the"
        f" product of the effects of its levels by a factor of typically {_listed(typical)}. Of"
        f" the effects of {levels.height // len(titles)} levels {_listed(told)} differ from one,"
        f" with Holm's correction; {_listed(little)} of these are below"
        f" {100 * (NEGLIGIBLE - 1):.0f}\u202f%, so that their size is what to read."
    )


def _interval_of_an_effect(grid: GridResults) -> str:
    legal, taken = grid.legal(CROSSING), grid.crossed.height
    blocks = grid.invocations["block"].n_unique()
    again = f"what the effects of {blocks} blocks differ by, with Student's t"
    scatter = (
        "the scatter of the cells about the product of the effects of their levels, cells that are"
        " the same computation counted as one"
    )
    if blocks < 2:
        return f"The interval of an effect is from {scatter}."
    if legal is not None and taken >= legal:
        return (
            f"All {legal} legal combinations of the crossing were measured, so that an effect is"
            " that of the crossing itself, and its interval says only what measuring it again may"
            f" change: {again}."
        )
    of_all = "all legal combinations" if legal is None else f"all {legal} legal combinations"
    return (
        f"{taken} combinations were measured, and an effect is an estimate of that in {of_all} of"
        f" the crossing. Its interval holds what other combinations may change, from {scatter}, and"
        f" what measuring them again may change: {again}."
    )


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
    """`… at 2 to … at 128`: the least and the greatest effect of an option's levels.

    Intervals are left to the tables, which have every level.
    """
    others = rows.filter(pl.col("level") != pl.col("reference")).sort("effect").to_dicts()
    said = [
        f"{plain(Quantity(row['effect'], row['low'], row['high']))} at {row['level']}"
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
    half = (pl.col("fraction_high") - pl.col("fraction_low")) / 2 / pl.col("fraction")
    reach, differ = [], []
    for metric in METRICS:
        wide, off = (
            compared.filter(pl.col("metric") == metric)
            .select(half.median().alias("wide"), (pl.col("ratio") - 1).abs().median().alias("off"))
            .row(0)
        )
        reach.append(f"{percent(wide)} for the {METRIC_NAMES[metric][0]}")
        differ.append(percent(off))
    apart = compared.filter(~pl.col("agrees"))
    significant = "no difference is" if apart.is_empty() else f"{apart.height} differences are"
    return (
        f"Of these cells profile {part.profile} takes {part.crossed.height}, and was measured by"
        f" itself: the whole grid's effect of a level lies in the part's interval for"
        f" {_listed(said)}, and {significant} significant with Holm's correction. The part's"
        " interval is that of a random draw of so many cells, and holds what all other cells may"
        f" change, so that its half-width is {_listed(reach)} in the median. For a part in which"
        " pairs of levels are balanced that is more than it errs: the two effects differ by"
        f" {_listed(differ)} in the median."
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


def attempts_drawn(grid: GridResults) -> str:
    """How many proofs the figure of attempts and their time is made of."""
    drawn = int(attempt_bins(grid.attempt_samples, grid.attempt_costs)["proofs"].sum())
    if not drawn:
        return "No proof of this grid takes attempts that can be told from noise."
    every = grid.attempt_samples.height
    said = f"{drawn} of {every} proofs that grind are in bins that are drawn"
    if drawn == every:
        return f"{said}."
    return f"{said}; the others have too few attempts to be told from noise, or too few of a kind."


def front_drawn(grid: GridResults) -> str:
    """What of the cells behind the front a PDF shows."""
    kinds = clouds(grid.judged, ROUNDS, MIN_BITS)
    parts = [
        f"{_thinned(cells, CLOUD_POINTS).height} of the {cells.height} cells with {name}"
        for name, cells in kinds.items()
        if cells.height > CLOUD_POINTS
    ]
    if not parts:
        return "Every cell is drawn."
    return f"Behind it, evenly thinned, {_listed(parts)} are drawn; the report has every cell."


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
    highest = 0.0
    for row in ordered:
        ratio, fresh = (
            plain(of_row(row, name), interval=True) for name in ("ratio", "ratio_fresh")
        )
        published = row["instance"] == "published"
        undecided = row["ratio_low"] <= 1 <= row["ratio_high"]
        told = (
            ""
            if undecided
            else f": {plain(of_row(row, 'luck', 'percent'), interval=True)} of the logarithm of the"
            " measured ratio is luck"
        )
        if not undecided:
            highest = max(highest, row["luck_high"])
        sentences.append(
            f"With winterfell {row['library_version']} and"
            f" {'the published proofs' if published else 'one instance of ours'}"
            f" ({row['attempts']:.0f} attempts for {QUERIES} queries, {row['attempts_below']:.0f}"
            f" for {QUERIES_BELOW}), the measured ratio is {ratio}, and that of fresh instances at"
            f" equal attempts {fresh}{told}."
        )
        if published and not undecided:
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
            sentences += [_not_repetition(again.luck, row), _other_ratio(row)]
    return f"{' '.join(filter(None, sentences))}{beyond_all(highest)}"


def _not_repetition(luck: pl.DataFrame, published: Mapping[str, Any]) -> str:
    """Whether repeating one proof is why predictions are off; nothing where they are not."""
    ours = luck.filter(
        (pl.col("library_version") == published["library_version"])
        & (pl.col("instance") == "fixed")
    ).to_dicts()
    if not ours or published["predicted_low"] <= 1 <= published["predicted_high"]:
        return ""
    same = plain(of_row(ours[0], "predicted"), interval=True)
    said = f"Of one instance of ours, proven again and again too, they are {same} times"
    program = "the program that makes the published ones, which is not the runner, with the circuit"
    if ours[0]["predicted_low"] > 1:
        return f"{said}: repeating one proof makes it faster than fresh instances tell."
    if published["predicted_low"] > ours[0]["predicted_high"]:
        return (
            f"{said}: it is not that one proof is repeated that makes the difference, but"
            f" {program} of that time."
        )
    return (
        f"{said}, which does not tell whether it is that one proof is repeated that makes the"
        f" difference, or {program} of that time."
    )


def _other_ratio(row: Mapping[str, Any]) -> str:
    """Why the same two proofs are not as far apart here as in earlier work; nothing if untold."""

    def rest(ratio: float) -> float:
        """What a proof takes beside its attempts, in attempts, if the two are `ratio` apart."""
        return float(row["attempts"] - ratio * row["attempts_below"]) / (ratio - 1)

    if row["ratio"] <= 1 or rest(SEEN) <= 0 or rest(row["ratio"]) <= 0:
        return ""
    there, here = (plain(exact(round(rest(ratio), -2))) for ratio in (SEEN, row["ratio"]))
    return (
        f"Earlier work saw {SEEN:g} instead: what two proofs with so many attempts come to where"
        f" the rest of a proof takes as long as {there} attempts, which here takes as long as"
        f" {here}. How fast a machine hashes beside all else decides the figure."
    )


def luck_brief(again: Repeated | None) -> str:
    """The published proofs, made again: how far apart they are, and how far at equal attempts."""
    rows = [] if again is None else again.luck.filter(instance="published").to_dicts()
    row = next((row for row in rows if row["library_version"] == PUBLISHED_VERSION), None)
    if row is None:
        return "The published proofs are not timed beside this grid."
    measured, fresh = (times(of_row(row, name)) for name in ("ratio", "ratio_fresh"))
    return (
        f"Made again with winterfell {PUBLISHED_VERSION}, the published proof for {QUERIES} queries"
        f" took {row['attempts']:.0f} attempts and that for {QUERIES_BELOW} took"
        f" {row['attempts_below']:.0f}: the one takes {measured} as long as the other. At equal"
        f" attempts, over fresh instances, it is {fresh}."
    )


def together_brief(grid: GridResults) -> str:
    """What the individually best options gain together, and the remainder degree alone."""
    default, alone = changed_alone(grid), changed_alone(grid, remainder_max_degree=REMAINDER)
    together = {form: individually_best_in(grid, form)[1] for form in READINGS}
    gained = [
        f"{times(ratio(grid, default, cell))} {READINGS[form]}"
        for form, cell in together.items()
        if default is not None and cell is not None
    ]
    if default is None or alone is None or not gained:
        return f"This grid lacks earlier work's options or the best of each at {ROUNDS} rounds."
    return (
        f"With fresh instances and at the expected number of attempts, the remainder degree"
        f" {REMAINDER} alone makes proving {times(ratio(grid, default, alone))} as fast, and the"
        f" individually best options together {_listed(gained)}."
    )


def luck_line(again: Repeated | None) -> str:
    """Whether structure and attempts alone give the time of every published proof.

    And how early the nonce of the luckiest of them was found. `again` is as in `luck_repeated`.
    """
    rows = [] if again is None else again.queries.drop_nulls("published_ns").to_dicts()
    if not rows:
        return (
            "How far structure and attempts alone give the times of the published proofs is not"
            " measured beside this grid."
        )
    by_ratio = max(rows, key=lambda row: abs(math.log(row["predicted"])))
    by_time = max(rows, key=_off)
    times = sorted(row["published_ns"] for row in rows)
    luckiest = min(rows, key=lambda row: row["attempts_published"])
    early = 1 - (1 - 1 / luckiest["attempts_expected"]) ** luckiest["attempts_published"]
    return (
        f"The times of the {len(rows)} published proofs go from {plain(exact(times[0], 'ns'))} to"
        f" {plain(exact(times[-1], 'ns'))}; predicted from what fresh instances take without any"
        f" attempt and from the attempts of each, they are off by"
        f" {plain(exact(_off(by_time), 'ns'))} at most, with {by_time['queries']} queries, and in"
        f" proportion by {percent(abs(by_ratio['predicted'] - 1))} at most, with"
        f" {by_ratio['queries']}. The nonce for"
        f" {luckiest['queries']} queries was found after {luckiest['attempts_published']:.0f}"
        f" attempts: so early it is found in {percent(early)} of all proofs, and the earliest of"
        f" {len(rows)} in {percent(1 - (1 - early) ** len(rows))} of all cases."
    )


def _off(row: Mapping[str, Any]) -> float:
    """How far the predicted time of a published proof is from the measured one, in ns."""
    return abs(float(row["predicted_ns"] - row["published_ns"]))


def luck_shown(again: Repeated | None) -> str:
    """How many proofs on fresh instances the figure of the repeated experiment leaves out."""
    if again is None or again.queries.is_empty() or again.proofs.is_empty():
        return "No proof of the repeated experiment is recorded beside this grid."
    fresh = again.proofs.filter(pl.col("instances") == "fresh")
    beyond = fresh.filter(pl.col("attempts") > p1_reach(again.queries)).height
    if not beyond:
        return f"All {fresh.height} proofs on fresh instances are shown."
    return (
        f"Of {fresh.height} proofs on fresh instances {beyond} took more attempts than the axis has"
        " and are not shown."
    )


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
    why = beyond_all(*picked["luck_high"])
    return (
        f"Of {picked.height} best levels that are not the default, and with which attempts are as"
        f" dear and as many on average, {mostly} owed more than half of the logarithm of the gain"
        " to the nonce, which every other choice of options draws anew: the default took"
        f" {again.alone.filter('default')['attempts'][0]} attempts, and of the logarithm of each"
        f" gain luck was {_listed(told)}.{why} Together, with the grinding kept, they drew"
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


def model_part(grid: GridResults, part: GridResults | None) -> str:
    """How far the model is off in a part of the grid that was measured by itself."""
    if part is None:
        return "No balanced part is recorded beside this grid."
    rows = grid.elsewhere_errors(part).drop_nulls("median").to_dicts()
    if not rows:
        return _too_small(grid, "elsewhere", "predict a part that was measured by itself")
    said = [
        f"{percent(row['median'])} in the {METRIC_NAMES[row['metric']][0]}"
        f" ({100 * row['bias']:+.1f}\u202f% with its sign)".replace("-", "\u2212")
        for row in rows
    ]
    return (
        f"The cells of profile {part.profile} were measured by themselves, at another time. The"
        " model that is fitted to those cells of this grid that are none of their computations"
        f" predicts them with a median error of {_listed(said)}."
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
    commit = (grid.manifest.get("revision") or {}).get("commit")
    at = f", at revision {commit[:7]}" if commit else ""
    shards = grid.manifest.get("shards")
    parts = f" in {shards} shards" if shards and shards > 1 else ""
    return f"The grid is that of profile {grid.profile}, measured{on}{parts}{at}."


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


def _too_small(grid: GridResults, part: str, what: str) -> str:
    why = grid.unfit.get(part)
    return f"This grid is too small to {what}" + (f": {why}." if why else ".")


def _listed(words: Sequence[str], last: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


#: Every sentence by its name, but for those that need another run as well.
PROSE: dict[str, Callable[[GridResults], str]] = {
    "together-brief": together_brief,
    "where": where,
    "precision": precision,
    "effects-prove": lambda grid: effects(grid, "prove_ns"),
    "effects-verify": lambda grid: effects(grid, "verify_ns"),
    "effects-size": lambda grid: effects(grid, "proof_bytes"),
    "effects-beside": effects_beside,
    "effects-meaning": effects_meaning,
    "interactions": interactions,
    "luck-by-chance": luck_by_chance,
    "attempts-drawn": attempts_drawn,
    "front-drawn": front_drawn,
    "model-levels": model_levels,
    "security-why": security_why,
    "computations": distinct_computations,
    "told-apart": told_apart,
    "shards": shards,
    "regression": regression,
}
