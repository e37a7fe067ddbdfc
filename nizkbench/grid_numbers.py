"""Every number of the paper's section on the option grid: keys `grid.…`, generated, never typed.

Beside the run that the rest of the paper is about there may be a recorded grid. Its numbers are
added to those of `nizkbench.numbers`, with `rows.stark-grid` and the like, by which the section is
left out where there is none.
"""

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from nizkbench.cells import METRICS, half_widths, in_crossing
from nizkbench.effects import RESIDUAL
from nizkbench.grid_advice import ADVICE, TUNED
from nizkbench.grid_claims import READINGS, grid_verdicts, reading
from nizkbench.grid_figures import SMALL_CLOUD_POINTS, attempt_bins
from nizkbench.grid_findings import FINDINGS
from nizkbench.grid_prose import (
    PROSE,
    SEEN,
    chance_of_seen,
    luck_brief,
    luck_line,
    luck_repeated,
    luck_shown,
    luck_together,
    model_part,
    part_agrees,
)
from nizkbench.grid_results import FIELD, HEADLINE, MIN_BITS, ROUNDS, GridResults
from nizkbench.grid_tables import AGAIN, TABLES, attempt_cost
from nizkbench.numbers import Number, _count, _number, _text, of_table
from nizkbench.p1_together import Repeated, of_row
from nizkbench.quantities import Quantity, exact
from nizkbench.ratios import MARGIN
from nizkbench.results import key_part
from nizkbench.security import NOTIONS

#: What the metrics are called in keys.
SHORT = {"prove_ns": "prove", "verify_ns": "verify", "proof_bytes": "size"}


def grid_numbers(
    grid: GridResults, again: Repeated | None = None, part: GridResults | None = None
) -> dict[str, Number]:
    """Every number of the section by its key.

    `again` is of `nizkbench.p1_together.repeated`, None where that experiment was not recorded.
    `part` is a run of a balanced part of the same grid, if one is recorded as well.
    """
    luck = None if again is None else again.luck
    stages = (
        _of_the_run(grid),
        _of_twins(grid),
        _of_effects(grid),
        _of_attempts(grid),
        _of_luck(grid, luck),
        _of_together(again),
        _of_the_model(grid, part),
        _of_security(grid),
        _of_choice(grid),
        _of_claims(grid, again),
        _of_rows(grid, again),
    )
    found = {number.key: number for stage in stages for number in stage}
    sentences = {name: function(grid) for name, function in (FINDINGS | PROSE | ADVICE).items()}
    sentences["luck-repeated"] = luck_repeated(again)
    sentences["luck-brief"] = luck_brief(again)
    sentences["luck-line"] = luck_line(again)
    sentences["luck-shown"] = luck_shown(again)
    sentences["luck-together"] = luck_together(again)
    sentences["part-agrees"] = part_agrees(grid, part)
    sentences["model-part"] = model_part(grid, part)
    found["rows.stark-grid-part"] = _rows("stark-grid-part", 0 if part is None else 1)
    for name, sentence in sentences.items():
        key = f"finding.grid-{name}"
        found[key] = _text(key, sentence, "grid findings")
    return found


def _percent(key: str, share: float, source: str) -> Number:
    return _number(key, exact(share, "percent"), source)


def _of_the_run(grid: GridResults) -> Iterator[Number]:
    cells, manifest = grid.cells, grid.manifest
    yield _text("grid.profile", grid.profile, "grid: manifest")
    yield _count("grid.rounds", ROUNDS, "grid: the size that options are compared at")
    yield _text("grid.sizes", ", ".join(map(str, grid.sizes)), "grid: configurations")
    yield _count("grid.planned", grid.planned, "grid: configurations")
    yield _count("grid.cells", cells.height, "grid: cells")
    for rounds in grid.sizes:
        number = cells.filter(pl.col("rounds") == rounds).height
        yield _count(f"grid.cells.{rounds}", number, "grid: cells")
    yield _count("grid.crossed", grid.crossed.height, "grid: cells of the crossing of options")
    yield _count("grid.invocations", int(cells["invocations"].sum()), "grid: invocations")
    yield _count("grid.samples", int(cells["samples"].sum()), "grid: samples, without warm-up")
    fewest = cells["invocations"].min()
    assert isinstance(fewest, int)
    yield _count("grid.invocations.fewest", fewest, "grid: invocations")
    processes = (manifest.get("finished") or {}).get("processes")
    if processes is not None:
        yield _count("grid.processes", processes, "grid: manifest")
    if grid.unsupported is not None:
        # A combination that several crossings have is legal in each of them.
        source = "grid: manifest, summed over crossings"
        yield _count("grid.legal", int(grid.crossings["legal"].sum()), source)
        yield _count("grid.unsupported", grid.unsupported, "grid: manifest, excluded")
        yield _count("grid.rules", grid.excluded.height, "grid: manifest, excluded")
    for metric in ("prove_ns", "verify_ns"):
        widths = half_widths(cells, metric).drop_nulls()
        if len(widths):
            middle = widths.median()
            assert isinstance(middle, float)
            yield _percent(f"grid.half-width.{SHORT[metric]}", middle, f"grid: cells, {metric}")
            unpaced = half_widths(grid.unpaced, metric).median()
            assert isinstance(unpaced, float)
            source = f"grid: cells, {metric}, no pace divided out"
            yield _percent(f"grid.half-width-unpaced.{SHORT[metric]}", unpaced, source)
    finished = manifest.get("finished") or {}
    for name in ("median_load1", "highest_load1"):
        if finished.get(name) is not None:
            value = exact(round(finished[name], 2))
            yield _number(f"grid.{key_part(name)}", value, "grid: manifest, finished")
    if finished.get("steal_share") is not None:
        yield _percent("grid.steal-share", finished["steal_share"], "grid: manifest, finished")


def _of_twins(grid: GridResults) -> Iterator[Number]:
    source = "grid: cells that are the same computation"
    yield _count("grid.computations", grid.computation.n_unique(), source)
    yield _count("grid.twins", grid.twins.height, source)
    for metric in METRICS:
        share, ratio = grid.told_apart(metric), grid.between_shards(metric)
        if share is not None:
            yield _number(f"grid.told-apart.{SHORT[metric]}", share, source)
        if ratio is not None:
            yield _number(f"grid.between-shards.{SHORT[metric]}", ratio, source)


def _of_effects(grid: GridResults) -> Iterator[Number]:
    for row in grid.effects.filter(pl.col("level") != pl.col("reference")).iter_rows(named=True):
        name = f"{key_part(row['factor'])}.{key_part(row['level'])}"
        yield _number(
            f"grid.effect.{SHORT[row['metric']]}.{name}",
            Quantity(row["effect"], row["low"], row["high"]),
            f"grid: effects, relative to {row['reference']}",
        )
    for metric in METRICS:
        rows = grid.variance.filter(pl.col("metric") == metric)
        if rows.is_empty():
            continue
        source = f"grid: what main effects leave of {metric}"
        yield _number(f"grid.departure.{SHORT[metric]}", exact(grid.departure(metric)), source)
        source, short = f"grid: analysis of variance of {metric}", SHORT[metric]
        for row in rows.filter(pl.col("second").is_null()).iter_rows(named=True):
            name = key_part(row["first"] or RESIDUAL)
            yield _percent(f"grid.share.{short}.{name}", row["share"], source)
        pairs = rows.filter(pl.col("second").is_not_null())["share"].sum()
        yield _percent(f"grid.share.{short}.pairs", float(pairs), source)


def _of_attempts(grid: GridResults) -> Iterator[Number]:
    for row in grid.attempt_costs.iter_rows(named=True):
        name = f"{row['field']}.{key_part(row['hash'])}"
        source = f"grid: attempts with {row['hash']} over {row['field']}"
        yield _number(f"grid.attempt-cost.{name}", attempt_cost(row), source)
        yield _percent(f"grid.attempt-share.{name}", row["r_squared"], source)


def _of_luck(grid: GridResults, luck: pl.DataFrame | None) -> Iterator[Number]:
    yield _count("grid.luck.seen", int(SEEN), "earlier work")
    chance = chance_of_seen(grid)
    if chance is not None:
        source = "grid: cell with earlier work's defaults, and the cost of an attempt"
        yield _number("grid.luck.structure", exact(chance.structure, "ns"), source)
        yield _number("grid.luck.work", exact(chance.work, "ns"), source)
        yield _percent("grid.luck.chance", chance.chance, source)
    if luck is None:
        return
    for row in luck.iter_rows(named=True):
        name = f"grid.p1.{key_part(row['library_version'])}.{row['instance']}"
        source = f"p1-grinding: {row['system']}, {row['method']}"
        for column, unit in (
            ("ratio", "1"),
            ("ratio_fresh", "1"),
            ("luck", "percent"),
            ("between", "percent"),
            ("chance", "percent"),
            ("predicted", "1"),
        ):
            low, high = row[f"{column}_low"], row[f"{column}_high"]
            quantity = Quantity(row[column], low, high, unit)
            yield _number(f"{name}.{key_part(column)}", quantity, source)
        yield _count(f"{name}.attempts", int(row["attempts"]), source)
        yield _count(f"{name}.attempts-below", int(row["attempts_below"]), source)


def _of_together(again: Repeated | None) -> Iterator[Number]:
    """The published proofs with the best options together, by their form."""
    if again is None or again.together is None:
        return
    for row in again.together.iter_rows(named=True):
        name = f"grid.p1.published.{key_part(row['form'])}"
        source = "p1-grinding: published proofs, jackknife over blocks"
        yield _number(f"{name}.time", of_row(row, "time_ns", "ns"), source)
        yield _number(f"{name}.gain", of_row(row, "gain"), source)
        yield _count(f"{name}.attempts", row["attempts"], source)


def _of_the_model(grid: GridResults, part: GridResults | None) -> Iterator[Number]:
    for row in grid.held_out_errors.iter_rows(named=True):
        name, source = f"grid.model.{SHORT[row['metric']]}", "grid: held-out computations"
        yield _count(f"{name}.cells", row["cells"], source)
        for column in ("median", "quantile_90", "greatest", "bias"):
            if row[column] is not None:
                yield _percent(f"{name}.{key_part(column)}", row[column], source)
    for row in grid.regression_errors.iter_rows(named=True):
        source = f"grid: held-out cells of the crossing, {row['coefficients']} coefficients"
        name = f"grid.regression.{SHORT[row['metric']]}"
        yield _percent(f"{name}.median", row["regression"], source)
        yield _percent(f"{name}.model-median", row["model"], source)
    elsewhere = [] if part is None else grid.elsewhere_errors(part).to_dicts()
    for row in elsewhere:
        source = "grid: cells of the balanced part, measured by itself"
        for column in ("median", "bias"):
            if row[column] is not None:
                yield _percent(f"grid.part.{SHORT[row['metric']]}.{column}", row[column], source)
    off = grid.proof_sizes["relative_error"].abs()
    for key, value in (
        ("median", off.median()),
        ("quantile-90", off.quantile(0.9, "linear")),
        ("greatest", off.max()),
    ):
        assert isinstance(value, float)
        yield _percent(f"grid.size.{key}", value, "grid: sizes from first principles")


def _of_security(grid: GridResults) -> Iterator[Number]:
    source = "grid: our bits against the library's"
    yield _count("grid.security.disagreements", grid.library_disagreements.height, source)
    for notion in NOTIONS:
        ours, theirs = grid.secured[f"{notion}_bits"], grid.secured[f"library_{notion}"]
        yield _count(f"grid.security.{notion}.same", int((ours.floor() == theirs).sum()), source)
        yield _count(
            f"grid.security.{notion}.library-higher", int((theirs > ours + 1e-6).sum()), source
        )
    for name, cell in (("default", grid.default), ("individually-best", grid.individually_best)):
        if cell is None:
            continue
        bits = grid.secured.filter(pl.col("configuration") == cell["configuration"])
        for notion in NOTIONS:
            value = exact(round(bits[f"{notion}_bits"][0], 1))
            yield _number(f"grid.security.{notion}.{name}", value, source)


def _of_choice(grid: GridResults) -> Iterator[Number]:
    yield _number("grid.min-bits", exact(MIN_BITS), "the demand that is recommended for")
    yield _percent("grid.margin", MARGIN, "what is as good, nizkbench.ratios")
    for rounds in grid.sizes:
        on_front, every = grid.on_front(rounds)
        yield _count(f"grid.front.{rounds}", on_front, "grid: front, computations")
        yield _count(f"grid.computations.{rounds}", every, "grid: computations")
    yield _count("grid.front.points", SMALL_CLOUD_POINTS, "nizkbench.grid_figures")
    for regime, number in grid.on_other_fronts.items():
        yield _count(f"grid.front.{regime}", number, f"grid: front with bits of {regime}")
    for name, demands in grid.asked.items():
        found = grid.recommended(demands)
        if found is None:
            continue
        key, source = f"grid.recommended.{name}", f"grid: {found.take['configuration']}"
        objective = grid.quantity(found.best, demands.objective)
        best = f"grid: {found.best['configuration']}"
        yield _number(f"{key}.best.{SHORT[demands.objective]}", objective, best)
        for metric in METRICS:
            yield _number(f"{key}.{SHORT[metric]}", grid.quantity(found.take, metric), source)
        for column in ("security_conjectured", "security_udr", "security_ldr"):
            if found.take[column] is not None:
                bits = exact(found.take[column])
                yield _number(f"{key}.bits.{column.removeprefix('security_')}", bits, source)
        for option in ("field", "queries", "blowup", "grinding", "extension", "folding", "hash"):
            yield _text(f"{key}.{option}", str(found.take[option]), source)
        remainder = str(found.take["remainder_max_degree"])
        yield _text(f"{key}.remainder-max-degree", remainder, source)
        yield _count(f"{key}.qualified", found.qualified, source)
        yield _count(f"{key}.runners-up", found.runners_up.height, source)
        over = grid.default_over(demands)
        if over is not None:
            yield _number(f"{key}.default-over", over, f"{source}, time to proof")
    for name, corrected in grid.corrected_as_asked.items():
        if corrected is not None:
            source = "grid: chosen on half of the blocks, read on the others"
            yield _number(f"grid.corrected.{name}.prove", corrected.cost, source)
            yield _number(f"grid.corrected.{name}.default-over", corrected.ratio, source)
    for rounds, corrected_there in grid.corrected_by_size.items():
        source = f"grid: chosen on half of the blocks, read on the others, {rounds} rounds"
        key = f"grid.corrected.at.{rounds}.default-over"
        yield _number(key, corrected_there.ratio, source)
    for rounds, corrected_there in grid.corrected_as_secure.items():
        source = f"grid: as secure as the default, read on the other blocks, {rounds} rounds"
        yield _number(f"grid.as-secure.at.{rounds}.prove", corrected_there.cost, source)
        yield _number(f"grid.as-secure.at.{rounds}.default-over", corrected_there.ratio, source)
    for rounds in grid.sizes:
        ratio = grid.default_over(replace(HEADLINE, rounds=rounds))
        if ratio is not None:
            source = f"grid: the default over what is recommended at {rounds} rounds, {FIELD}"
            yield _number(f"grid.default-over.{rounds}", ratio, source)
    for metric in METRICS:
        for name, cell in (
            ("default", grid.default),
            ("individually-best", grid.individually_best),
        ):
            if cell is not None:
                quantity = grid.quantity(cell, metric)
                yield _number(f"grid.{name}.{SHORT[metric]}", quantity, f"grid: {name}")
            ratio = grid.over_recommended(cell, metric)
            if ratio is not None:
                source = f"grid: {name} over the recommended cell"
                yield _number(f"grid.over-recommended.{name}.{SHORT[metric]}", ratio, source)


def _of_claims(grid: GridResults, again: Repeated | None) -> Iterator[Number]:
    for key, pair in grid_verdicts(grid, again).items():
        for terms, verdict in zip(("published", "equal"), pair, strict=True):
            yield _text(f"grid.verdict.{key}.{terms}", str(verdict.outcome), "grid claims")
            yield _text(f"grid.because.{key}.{terms}", verdict.sentence, "grid claims")
    yield _text("grid.reading.p1.11", READINGS[reading(again)], "p1-grinding: published proofs")


def _rows(name: str, rows: int) -> Number:
    return Number(f"rows.{name}", str(rows), exact(rows), "grid")


def _of_rows(grid: GridResults, again: Repeated | None) -> Iterator[Number]:
    """How much of each part there is, bare digits: LaTeX leaves out what has none."""
    for name, rows in (
        ("stark-grid", grid.cells.height),
        ("stark-grid-effects", grid.effects.height),
        ("stark-grid-variance", grid.variance.height),
        ("stark-grid-attempts", attempt_bins(grid.attempt_samples, grid.attempt_costs).height),
        ("stark-grid-luck", 0 if chance_of_seen(grid) is None else 1),
        ("stark-grid-p1", 0 if again is None else again.luck.height),
        ("stark-grid-model", grid.held_out.height),
        ("stark-grid-front", grid.front.height),
        ("stark-grid-fronts", len(grid.secure_sizes)),
        ("grid-tuned", grid.cells.filter(in_crossing(TUNED)).height),
    ):
        yield _rows(name, rows)
    tables = {name: table(grid) for name, table in TABLES.items()}
    for name, made in (tables | {name: table(again) for name, table in AGAIN.items()}).items():
        yield from of_table(name, made)
