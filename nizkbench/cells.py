"""From the records of an option grid to one row a cell: what each combination of options cost.

A grid has thousands of cells and a cell few samples, so that everything here works on whole columns
and the luck of the proof of work has to be taken out. With g bits of grinding a prover tries nonces
until one fits: a geometric number of attempts, of mean 2^g and of a standard deviation as large,
which for most cells is the greater part of what scatters. The mean is known and the runner counts
the attempts, so each time is moved to it (a control variate; Glasserman, Monte Carlo Methods in
Financial Engineering, 2003, section 4.1):

    adjusted = time − (attempts − 2^g) · cost of one attempt

The cost of one attempt is the same in all cells of one field and hash. Every invocation of every
cell has a slope of time on attempts, each about its own mean, and the weighted median of these
slopes is the cost: thousands of invocations are many, and one that was interrupted tilts nothing.
How far it may be off is told by the blocks. Slopes of one process, and of processes that run beside
each other, share the machine's pace of that time, and all of these are of one block; blocks share
nothing but the machine. So each block has a weighted median of its own, and what these differ by is
the error. What is left of it enters each invocation with its own draw and so widens its cell's
interval. A stop rule that looks at times ends an invocation after a long draw, which the
mean of its times shows and an adjusted time does not know of.

A process measures many cells, one after the other, and while it does the machine is now faster, now
slower: cells that were measured next to each other are off alike. Their order is random, so that
what neighbours have in common is the machine's pace and not the cells'. It is what is done about
the fertility of soil in field trials, by nearest neighbours (Papadakis 1937; Bartlett 1978, Nearest
Neighbour Models in the Analysis of Field Experiments, J. R. Statist. Soc. B 40): the deviation of
an invocation from its cell, in logarithms, is regressed on the mean deviation of those before and
after it in its process, itself left out, and what the regression says is divided out as the pace.
Where neighbours tell nothing, the slope is nothing. An attempt costs more while the machine is
slower, so that luck is taken out at the pace of its time. That takes nothing from the differences
between cells, and from the level of all only what blocks vary in, which is put back into every
cell's interval. A process of few cells keeps its times.

Adjusted times are no longer skewed draws, so an invocation is represented by their median like
every other time (`nizkbench.estimate`), and the mean of the times as they were is kept beside it.

Times are nanoseconds, sizes bytes, security bits.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from scipy import sparse

from nizkbench.distributions import t_quantile
from nizkbench.errors import NizkBenchError
from nizkbench.estimate import RecordsDisagreeError, done
from nizkbench.grinding import ATTEMPTS
from nizkbench.intervals import GEOMETRIC_MEAN, LEVEL, Floats, geometric_mean, student_t
from nizkbench.records import Records

#: The systems whose options make the grid, all of this scheme.
SCHEME = "stark"

#: The options of a cell under the names that the runner gives them.
OPTIONS = pl.Schema(
    {
        "queries": pl.Int64,
        "blowup": pl.Int64,
        "grinding": pl.Int64,
        "extension": pl.String,
        "folding": pl.Int64,
        "remainder_max_degree": pl.Int64,
        "hash": pl.String,
        "batching_constraints": pl.String,
        "batching_deep": pl.String,
        "partitions": pl.Int64,
        "hash_rate": pl.Int64,
    }
)

#: What is estimated for every cell with an interval, as columns NAME, NAME_low and NAME_high.
METRICS = ("prove_ns", "verify_ns", "proof_bytes")

#: The columns that the runner's own bits of security stand in.
SECURITY = {
    "conjectured": "security_conjectured",
    "proven-unique-decoding": "security_udr",
    "proven-list-decoding": "security_ldr",
}

#: One row an invocation of a cell: what `cells` summarises and comparisons are made of.
INVOCATIONS_SCHEMA = pl.Schema(
    {
        "configuration": pl.String,
        "invocation": pl.Int32,
        "block": pl.Int32,
        "prove_ns": pl.Float64,
        "prove_raw_ns": pl.Float64,
        "verify_ns": pl.Float64,
        "proof_bytes": pl.Float64,
        "attempts": pl.Float64,
        "prove_pace": pl.Float64,
        "verify_pace": pl.Float64,
        "samples": pl.Int64,
    }
)

_CELL: dict[str, pl.DataType | type[pl.DataType]] = {
    "configuration": pl.String,
    "track": pl.String,
    "series": pl.String,
    "rounds": pl.Int64,
    "field": pl.String,
    **OPTIONS,
    **{f"{metric}{bound}": pl.Float64 for metric in METRICS for bound in ("", "_low", "_high")},
    "prove_raw_ns": pl.Float64,
    "attempts": pl.Float64,
    "attempt_cost_ns": pl.Float64,
    **dict.fromkeys(SECURITY.values(), pl.Float64),
    "invocations": pl.Int64,
    "samples": pl.Int64,
}

#: One row a cell. Bounds are null where a cell was measured in one invocation alone.
CELLS_SCHEMA = pl.Schema(_CELL)

#: One row a field and hash. Bounds are null where there is but one block.
ATTEMPT_COSTS_SCHEMA = pl.Schema(
    {
        "field": pl.String,
        "hash": pl.String,
        "cost_ns": pl.Float64,
        "cost_low": pl.Float64,
        "cost_high": pl.Float64,
        "r_squared": pl.Float64,
        "cells": pl.Int64,
        "invocations": pl.Int64,
        "samples": pl.Int64,
    }
)

_KEY = ["configuration", "invocation"]

#: The columns of an invocation's paces, by the time that they are of.
_PACE = {"prove_ns": "prove_pace", "verify_ns": "verify_pace"}

#: A process of fewer cells has no pace of its own.
FEWEST_CELLS = 30

#: How many invocations before and after one are its neighbours.
NEIGHBOURS = 4

#: A deviation beyond this, of logarithms, counts as this: an interruption tells of no neighbour.
FARTHEST = 0.3

#: How often cells and paces are fitted in turns; the third time moves nothing that matters.
_PASSES = 3


class NoGridError(NizkBenchError):
    """Records hold no cell of an option grid."""


def identities(records: Records) -> pl.DataFrame:
    """The cells that a run was to measure: configuration, track, series, rounds, field, `OPTIONS`.

    A cell is a sound configuration of a STARK on one thread with fresh instances. With more threads
    attempts cannot be counted, and a fixed instance is one draw of the proof of work, however often
    it is timed. `NoGridError` where there is none.
    """
    chosen = records.configurations.filter(
        (pl.col("scheme") == SCHEME)
        & pl.col("sound")
        & (pl.col("instances") == "fresh")
        & (pl.col("threads") == 1)
    )
    if chosen.is_empty():
        raise NoGridError(
            "the records hold no cell of an option grid, which is a STARK measured on one thread"
            " with fresh instances; `nizkbench measure` with a profile that has [stark_grid] makes"
            " them"
        )
    return (
        chosen.with_columns(pl.col("options").str.json_decode(pl.Struct(dict(OPTIONS))))
        .select("configuration", "track", "series", "field", "options", rounds="size")
        .unnest("options")
        .sort("configuration")
    )


#: What `GridRecords` is large by.
_NOT_KEPT = {"records", "samples"}


@dataclass(frozen=True)
class GridRecords:
    """The records of a grid and what they come to, each part made once, when first asked for.

    Whoever needs one part alone calls the function of its name.
    """

    records: Records

    def __getstate__(self) -> dict[str, object]:
        """What is kept by pickling: the parts that were made, without the samples that made them.

        A part that was not made before is an `AttributeError` after.
        """
        return {name: part for name, part in vars(self).items() if name not in _NOT_KEPT}

    @cached_property
    def identities(self) -> pl.DataFrame:
        """See `identities`."""
        return identities(self.records)

    @cached_property
    def samples(self) -> pl.DataFrame:
        """One row a counted sample of a cell.

        Columns: configuration, invocation, block, field, hash, grinding, time_ns (witness + prove),
        verify_ns, proof_bytes, attempts (null without grinding).
        """
        return _samples(self.records, self.identities)

    @cached_property
    def attempt_costs(self) -> pl.DataFrame:
        """See `attempt_costs`."""
        return _attempt_costs(self.samples)

    @cached_property
    def unpaced(self) -> pl.DataFrame:
        """`summarise` of the invocations at the pace that the machine had, none divided out."""
        at_its_pace = [pl.lit(1.0).alias(name) for name in _PACE.values()]
        found = _fair(self.samples.with_columns(at_its_pace), self.attempt_costs)
        return summarise(found.with_columns(at_its_pace))

    @cached_property
    def cell_invocations(self) -> pl.DataFrame:
        """See `cell_invocations`."""
        return _invocations(self.samples, self.attempt_costs, _processes(self.records))

    @cached_property
    def cells(self) -> pl.DataFrame:
        """See `cells`."""
        return _cells(
            self.identities, self.cell_invocations, self.attempt_costs, self.records.security
        )

    @cached_property
    def attempt_samples(self) -> pl.DataFrame:
        """See `attempt_samples`."""
        return _attempt_samples(self.samples, self.attempt_costs)

    @cached_property
    def shards(self) -> pl.DataFrame:
        """See `shards`."""
        return shards(self.records)


def attempt_costs(records: Records) -> pl.DataFrame:
    """What one attempt at the proof of work costs, for each field and hash that grinds.

    Columns as in `ATTEMPT_COSTS_SCHEMA`. The slope of an invocation has as its weight the sum of
    squares of its attempts about their mean, over the square of its mean time, since errors of
    times are relative. Bounds at the level `LEVEL` are Student's t over the weighted medians of the
    blocks, each as good as any other, about the weighted median of all; null with one block.
    `r_squared` is the share of the weighted variance of time inside invocations that attempts
    explain. A field and hash whose attempts never vary inside an invocation is left out.
    """
    return GridRecords(records).attempt_costs


def cell_invocations(records: Records) -> pl.DataFrame:
    """One row an invocation of a cell, columns as in `INVOCATIONS_SCHEMA`.

    `prove_ns` is the median of witness + prove with the attempts' luck taken out, `prove_raw_ns`
    the mean of witness + prove as it was, `verify_ns` the median, `proof_bytes` and `attempts` the
    mean (null without grinding). `prove_ns` and `verify_ns` are divided by the machine's pace at
    the time, `prove_pace` and `verify_pace`. Only counted samples of invocations that
    `nizkbench.estimate.done` takes. `RecordsDisagreeError` names a cell that grinds and whose
    attempts were not counted.
    """
    return GridRecords(records).cell_invocations


def cells(records: Records) -> pl.DataFrame:
    """One row a cell that has times, columns as in `CELLS_SCHEMA`.

    Every metric is the geometric mean over invocations with Student's t interval on logarithms at
    the level `nizkbench.intervals.LEVEL`; those of times are as wide as `summarise` says.
    """
    return GridRecords(records).cells


def attempt_samples(records: Records) -> pl.DataFrame:
    """Attempts and the time they took, one row a counted sample of a cell that grinds.

    Columns: configuration, invocation, field, hash, grinding, attempts, time_ns (witness + prove),
    structure_ns (what the sample's invocation takes without attempts: the median of time − attempts
    · cost of one), attempts_ns (time_ns − structure_ns).
    """
    return GridRecords(records).attempt_samples


def shards(records: Records) -> pl.DataFrame:
    """Which part of a run each cell was measured in: columns configuration and shard, from 0 on.

    A run in shards divides its cells among cores, and a cell stays with its core in all blocks. So
    cells that shared a process, or of which each shared one with a third, are of one shard: the
    connected components of cells and processes, numbered by their first cell.
    """
    of = _processes(records).select("configuration", "process")
    names = of["configuration"].unique().sort()
    cell = of["configuration"].replace_strict(names, np.arange(len(names)), return_dtype=pl.Int64)
    process = of["process"].cast(pl.Int64) - 1 + len(names)  # a rank, from one on
    size = len(names) + of["process"].n_unique()
    shared = sparse.coo_array((np.ones(of.height), (cell, process)), shape=(size, size))
    _, labels = sparse.csgraph.connected_components(shared, directed=False)
    return pl.DataFrame({"configuration": names, "label": labels[: len(names)]}).select(
        "configuration",
        shard=pl.col("configuration").min().over("label").rank("dense").cast(pl.Int64) - 1,
    )


def _cells(
    named: pl.DataFrame, invocations: pl.DataFrame, costs: pl.DataFrame, security: pl.DataFrame
) -> pl.DataFrame:
    estimated = summarise(invocations)
    bits = (
        security.filter(pl.col("kind").is_in(list(SECURITY)))
        .with_columns(pl.col("kind").replace_strict(SECURITY))
        .group_by("configuration", "kind")
        .agg(pl.col("bits").min())
        .pivot("kind", index="configuration", values="bits")
    )
    for name in SECURITY.values():
        if name not in bits.columns:
            bits = bits.with_columns(pl.lit(None, pl.Float64).alias(name))
    return (
        named.join(estimated, on="configuration")
        .join(bits, on="configuration", how="left")
        .join(
            costs.select("field", "hash", attempt_cost_ns="cost_ns"),
            on=["field", "hash"],
            how="left",
        )
        .select(pl.col(name).cast(kind) for name, kind in CELLS_SCHEMA.items())
        .sort("configuration")
    )


def summarise(invocations: pl.DataFrame) -> pl.DataFrame:
    """Every cell of `cell_invocations` with its estimates.

    Columns: configuration, each of `METRICS` with its bounds, prove_raw_ns, attempts (mean over
    invocations), invocations, samples.

    The error of a cell's mean logarithm has two parts: its own, from the variance between its
    invocations, and that of the level of all cells, from the variance between the mean paces of the
    blocks. Their sum has the degrees of freedom of Welch and Satterthwaite.
    """
    levels = {metric: _level(invocations, metric) for metric in _PACE}
    groups = (
        invocations.sort("configuration", "invocation")
        .group_by("configuration", maintain_order=True)
        .agg(
            *METRICS,
            # The raw mean stays an arithmetic mean: that is what its draws have an expectation of.
            pl.col("prove_raw_ns", "attempts").mean(),
            pl.len().alias("invocations"),
            pl.col("samples").sum(),
        )
    )
    parts = []
    for (n,), group in sorted(groups.group_by("invocations"), key=lambda pair: int(pair[0][0])):
        found: list[pl.Series] = []
        for metric in METRICS:
            matrix = group[metric].explode().to_numpy().reshape(group.height, int(n))
            low, high = _bounds(matrix, *levels.get(metric, (0.0, 0)))
            found += [
                pl.Series(metric, geometric_mean(matrix)),
                pl.Series(f"{metric}_low", low).fill_nan(None),
                pl.Series(f"{metric}_high", high).fill_nan(None),
            ]
        parts.append(
            group.select(
                "configuration", *found, "prove_raw_ns", "attempts", "invocations", "samples"
            )
        )
    return pl.concat(parts).sort("configuration")


def _level(invocations: pl.DataFrame, metric: str) -> tuple[float, int]:
    """The variance of the level of all cells, of logarithms, and its degrees of freedom."""
    pace = pl.col(_PACE[metric])
    of_blocks = invocations.group_by("block").agg(pace.log().mean())[_PACE[metric]].to_numpy()
    if len(of_blocks) < 2:
        return 0.0, 0
    return float(of_blocks.var(ddof=1)) / len(of_blocks), len(of_blocks) - 1


def _bounds(matrix: Floats, level: float, degrees: int) -> tuple[Floats, Floats]:
    """Student's t on logarithms, with the variance of a level beside that of the rows' means."""
    if not level:
        return GEOMETRIC_MEAN.bounds(matrix, LEVEL)
    n = matrix.shape[1]
    if n < 2:
        return np.full(len(matrix), np.nan), np.full(len(matrix), np.nan)
    logs = np.log(matrix)
    own = logs.var(axis=1, ddof=1) / n
    freedom = (own + level) ** 2 / (own**2 / (n - 1) + level**2 / degrees)
    reach = t_quantile((1 + LEVEL) / 2, freedom) * np.sqrt(own + level)
    middle = logs.mean(axis=1)
    return np.exp(middle - reach), np.exp(middle + reach)


def half_widths(estimated: pl.DataFrame, metric: str) -> pl.Series:
    """How far each cell's interval of `metric` reaches up, relative to it; null without one."""
    return estimated.select((pl.col(f"{metric}_high") / pl.col(metric) - 1).alias(metric))[metric]


def in_crossing(name: str) -> pl.Expr:
    """Whether a cell is of a crossing: its series is `name`, alone or beside others."""
    return pl.col("series").str.split("+").list.contains(name)


def of_crossing(estimated: pl.DataFrame, name: str) -> pl.DataFrame:
    """The cells of one crossing of a grid: those whose series is `name`, alone or beside others.

    `NoGridError` where there is none.
    """
    found = estimated.filter(in_crossing(name))
    if found.is_empty():
        known = ", ".join(sorted(set("+".join(estimated["series"]).split("+"))))
        raise NoGridError(f"no cell is of crossing {name}, there are {known}")
    return found


def _attempt_samples(samples: pl.DataFrame, costs: pl.DataFrame) -> pl.DataFrame:
    rest = pl.col("time_ns") - pl.col("attempts") * pl.col("cost_ns")
    return (
        samples.filter(pl.col("grinding") > 0)
        .join(costs.select("field", "hash", "cost_ns"), on=["field", "hash"])
        .with_columns(rest.median().over(_KEY).alias("structure_ns"))
        .with_columns((pl.col("time_ns") - pl.col("structure_ns")).alias("attempts_ns"))
        .select(
            *_KEY,
            "field",
            "hash",
            "grinding",
            "attempts",
            "time_ns",
            "structure_ns",
            "attempts_ns",
        )
        .sort(*_KEY, "attempts")
    )


def _samples(records: Records, named: pl.DataFrame) -> pl.DataFrame:
    kept = done(records).join(named.select("configuration"), on="configuration", how="semi")
    by = [*_KEY, "sample"]
    phases = (
        records.samples.lazy()
        .filter(~pl.col("warmup") & pl.col("phase").is_in(["witness", "prove", "verify"]))
        .join(kept.lazy().select(_KEY), on=_KEY, how="semi")
        .group_by(by)
        .agg(
            pl.col("wall_ns").filter(pl.col("phase") != "verify").sum().alias("time_ns"),
            pl.col("wall_ns").filter(pl.col("phase") == "verify").first().alias("verify_ns"),
            pl.col("phase").n_unique().alias("phases"),
        )
    )
    proofs = (
        records.sizes.lazy()
        .filter(pl.col("of") == "proof")
        .select(*by, proof_bytes=pl.col("bytes").cast(pl.Float64))
    )
    counted = (
        records.counters.lazy()
        .filter(pl.col("name") == ATTEMPTS)
        .select(*by, attempts=pl.col("value"))
    )
    found = (
        phases.join(proofs, on=by, how="left")
        .join(counted, on=by, how="left")
        .join(kept.lazy(), on=_KEY)
        .join(named.lazy().select("configuration", "field", "hash", "grinding"), on="configuration")
        .with_columns(pl.col("time_ns", "verify_ns").cast(pl.Float64))
        .sort(by)
        .collect()
    )
    for wrong, what in (
        (pl.col("phases") != 3, "lacks the time of a phase (witness, prove and verify are needed)"),
        (pl.col("proof_bytes").is_null(), "lacks the size of its proof"),
        (
            (pl.col("grinding") > 0) & pl.col("attempts").is_null(),
            "grinds, but its attempts were not counted",
        ),
    ):
        if not (at := found.filter(wrong)).is_empty():
            row = at.row(0, named=True)
            raise RecordsDisagreeError(
                f"configuration {row['configuration']}, invocation {row['invocation']}: sample"
                f" {row['sample']} {what}"
            )
    return found.drop("phases")


def _attempt_costs(samples: pl.DataFrame) -> pl.DataFrame:
    by = ["field", "hash"]
    x = pl.col("attempts") - pl.col("attempts").mean()
    y = pl.col("time_ns") - pl.col("time_ns").mean()
    weight = pl.col("time_ns").mean() ** -2
    slopes = (
        samples.filter(pl.col("grinding") > 0)
        .group_by(*by, "block", *_KEY)
        .agg(
            (weight * (x * y).sum()).alias("xy"),
            (weight * (x**2).sum()).alias("xx"),
            (weight * (y**2).sum()).alias("yy"),
            pl.len().alias("samples"),
        )
        .filter(pl.col("xx") > 0)
        .with_columns((pl.col("xy") / pl.col("xx")).alias("slope"))
        .sort(*by, "slope", *_KEY)
    )
    rows = []
    for (field, hash_), group in slopes.group_by(by, maintain_order=True):
        cost = _median_slope(group)
        of_blocks = [
            _median_slope(block) for _, block in group.group_by("block", maintain_order=True)
        ]
        low, high = student_t(np.array([of_blocks]), LEVEL)
        aside = float(high[0] - low[0]) / 2
        xx, xy, yy = (float(group[name].to_numpy().sum()) for name in ("xx", "xy", "yy"))
        rows.append(
            {
                "field": field,
                "hash": hash_,
                "cost_ns": cost,
                "cost_low": cost - aside,
                "cost_high": cost + aside,
                "r_squared": cost * (2 * xy - cost * xx) / yy if yy else None,
                "cells": group["configuration"].n_unique(),
                "invocations": group.height,
                "samples": group["samples"].sum(),
            }
        )
    return pl.DataFrame(rows, schema=ATTEMPT_COSTS_SCHEMA, orient="row").fill_nan(None)


def _median_slope(slopes: pl.DataFrame) -> float:
    """The median of the column `slope`, which is ascending, weighted by `xx`."""
    weights = slopes["xx"].to_numpy()
    # The share of the weight below each slope, half of its own counted.
    below = (np.cumsum(weights) - weights / 2) / weights.sum()
    return float(np.interp(0.5, below, slopes["slope"].to_numpy()))


def _processes(records: Records) -> pl.DataFrame:
    """The process of every invocation: configuration, invocation, process (a number), order.

    Those of one process have its start and its time in common; `order` counts within a block.
    """
    return records.invocations.select(
        *_KEY, "order", process=pl.struct("block", "started_utc", "wall_ns").rank("dense")
    )


def _at_common_pace(found: pl.DataFrame) -> pl.DataFrame:
    """The times of invocations divided by their paces, and the paces; see the module's account.

    `found` has the columns of `_processes` beside those of times.
    """
    size = pl.col("configuration").n_unique().over("process")
    found = found.with_columns((size >= FEWEST_CELLS).alias("paced")).sort(
        "process", "order", *_KEY
    )
    shifts = [shift for shift in range(-NEIGHBOURS, NEIGHBOURS + 1) if shift]
    for metric, name in _PACE.items():
        found = found.with_columns(pl.col(metric).log().alias("log"), pl.lit(0.0).alias("pace"))
        for _ in range(_PASSES):
            fair = pl.col("log") - pl.col("pace")
            found = found.with_columns(fair.mean().over("configuration").alias("cell"))
            aside = (pl.col("log") - pl.col("cell")).clip(-FARTHEST, FARTHEST)
            found = found.with_columns(aside.alias("aside"))
            near = [pl.col("aside").shift(shift).over("process") for shift in shifts]
            found = found.with_columns(pl.mean_horizontal(near).fill_null(0.0).alias("near"))
            known = found.filter("paced").select("aside", "near")
            square = float((known["near"] ** 2).sum())
            slope = float((known["near"] * known["aside"]).sum()) / square if square else 0.0
            pace = pl.when("paced").then(slope * pl.col("near")).otherwise(0.0)
            found = found.with_columns(pace.alias("pace"))
        factor = pl.col("pace").exp()
        found = found.with_columns((pl.col(metric) / factor).alias(metric), factor.alias(name))
    return found.sort(_KEY)


def _invocations(
    samples: pl.DataFrame, costs: pl.DataFrame, processes: pl.DataFrame
) -> pl.DataFrame:
    # An attempt costs more while the machine is slower: the paces that are found with the cost as
    # it is on the whole say what it was at the time, and then they are found once more.
    found = _fair(samples.with_columns(pl.lit(1.0).alias("prove_pace")), costs)
    for again in (True, False):
        found = _at_common_pace(found.join(processes, on=_KEY, maintain_order="left"))
        if again:
            paces = found.select(*_KEY, "prove_pace")
            found = _fair(samples.join(paces, on=_KEY, maintain_order="left"), costs)
    return found.select(pl.col(name).cast(kind) for name, kind in INVOCATIONS_SCHEMA.items())


def _fair(samples: pl.DataFrame, costs: pl.DataFrame) -> pl.DataFrame:
    """One row an invocation, its `prove_ns` without luck; `samples` have their `prove_pace`."""
    luck = (pl.col("attempts") - 2.0 ** pl.col("grinding")) * pl.col("cost_ns")
    found = (
        samples.join(costs.select("field", "hash", "cost_ns"), on=["field", "hash"], how="left")
        .with_columns(
            pl.when(pl.col("grinding") > 0)
            .then(pl.col("time_ns") - luck * pl.col("prove_pace"))
            .otherwise("time_ns")
            .alias("adjusted")
        )
        .group_by(*_KEY, "block")
        .agg(
            pl.col("adjusted").median().alias("prove_ns"),
            pl.col("adjusted").null_count().alias("unadjusted"),
            pl.col("time_ns").mean().alias("prove_raw_ns"),
            pl.col("verify_ns").median(),
            pl.col("proof_bytes").mean(),
            pl.col("attempts").mean(),
            pl.len().alias("samples"),
        )
        .sort(_KEY)
    )
    impossible = (pl.col("unadjusted") > 0) | (pl.col("prove_ns") <= 0)
    if not (at := found.filter(impossible)).is_empty():
        row = at.row(0, named=True)
        raise RecordsDisagreeError(
            f"configuration {row['configuration']}, invocation {row['invocation']}: its time cannot"
            " be adjusted for the attempts of its proof of work; two samples or more are needed in"
            " an invocation, and times that grow with their attempts"
        )
    return found
