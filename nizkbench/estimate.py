"""From records to estimates: one value an invocation, then a statistic over invocations.

Samples of one process share its memory layout, its neighbours and its moment, so they count as one:
an invocation is represented by the median of its counted samples, and intervals are taken over
invocations (Georges, Buytaert and Eeckhout 2007, doi:10.1145/1297027.1297033). Quantities that a
runner declares to be the same in every sample are held to it and have no interval.

Where a proof contains proof of work, `DRAWN` metrics are represented by the arithmetic mean of the
samples. The work is a geometric draw, whose expectation is what proving costs; the median of many
draws is ln 2 = 69 % of it, that of one draw is 100 %, so medians would compare configurations by
how many samples fitted into their time. The column `summary` says which of the two was taken.
The geometric mean over invocations stays below the expectation by half the squared relative error
of an invocation's mean: little where an invocation has many draws or proves for longer than it
grinds.

Values and their units: times in `ns`, sizes and memory in `bytes`, counters in `1`.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from nizkbench.errors import NizkBenchError
from nizkbench.intervals import (
    GEOMETRIC_MEAN,
    LEVEL,
    MEDIAN,
    Floats,
    attained_level,
    geometric_mean,
)
from nizkbench.plan import grinds
from nizkbench.records import TIMED_SHARE, Records

#: Samples of these phases are numbered by the loop; `compile` and `setup` run once an invocation.
LOOP = ("witness", "prove", "verify")

#: Counters that name a thing and do not measure one: no statistic of them means anything.
IDENTITIES = ("pow_nonce",)

#: What proof of work makes a skewed draw: summarised by the mean where a configuration grinds.
DRAWN = ("time_to_proof", "prove", "cpu_prove", "pow_attempts")

#: How the counted samples of one invocation become its value.
MEDIAN_OF_SAMPLES, MEAN_OF_SAMPLES = "median of samples", "mean of samples"

#: Fewer invocations than this have no interval of the median: not even their range attains 92 %.
MEDIAN_MINIMUM = 5

#: One thread cannot use more than one second of CPU time a second; the rest is the clocks' grain.
CPU_TOLERANCE = 0.05

#: Phases shorter than this are not held to `CPU_TOLERANCE`: CPU time counts in scheduler ticks.
CPU_GRAIN_NS = 20_000_000

VALUES_SCHEMA = pl.Schema(
    {
        "configuration": pl.String,
        "invocation": pl.Int32,
        "block": pl.Int32,
        "metric": pl.String,
        "unit": pl.String,
        "value": pl.Float64,
        "summary": pl.String,
        "samples": pl.Int64,
    }
)


class RecordsDisagreeError(NizkBenchError):
    """Records contradict what they themselves declare, so that no estimate can be made of them."""


def done(records: Records) -> pl.DataFrame:
    """Invocations whose times count: configuration, invocation, block.

    They ended in `done`, and no invocation of their configuration failed a check: a configuration
    that fails a check has no times, only the failure.
    """
    failed = pl.concat(
        [
            records.checks.filter(pl.col("passed") == pl.col("expected_to_fail")).select(
                "configuration"
            ),
            records.invocations.filter(pl.col("outcome") == "check-failed").select("configuration"),
        ]
    )
    return (
        records.invocations.filter(pl.col("outcome") == "done")
        .join(failed, on="configuration", how="anti")
        .select("configuration", "invocation", "block")
        .sort("configuration", "invocation")
    )


def invocation_values(records: Records) -> pl.DataFrame:
    """One row an invocation and metric that varies: the median over its counted samples.

    It is their mean instead for `DRAWN` metrics of a configuration that grinds; `summary` says so.
    Columns: configuration, invocation, block, metric, unit, value, summary, samples.
    `RecordsDisagreeError` names a configuration whose prove samples lack the witness that they do
    not contain.
    """
    kept = done(records)
    grinding = [
        name
        for name, options in records.configurations.select("configuration", "options").iter_rows()
        if grinds(json.loads(options))
    ]
    averaged = pl.col("configuration").is_in(grinding) & pl.col("metric").is_in(DRAWN)
    key = ["configuration", "invocation"]
    counted = records.samples.filter(~pl.col("warmup")).join(kept.select(key), on=key, how="semi")
    loop = counted.filter(pl.col("phase").is_in(LOOP)).select(*key, "sample").unique()
    parts = [
        _summaries(_time_to_proof(counted, records.configurations), "time_to_proof", "ns"),
        *(
            _summaries(
                counted.select(*key, "phase", value=quantity).drop_nulls("value"),
                pl.concat_str(pl.lit(prefix), "phase"),
                unit,
            )
            for prefix, unit, quantity in (
                ("", "ns", pl.col("wall_ns")),
                ("cpu_", "ns", pl.col("user_ns") + pl.col("system_ns")),
                ("peak_memory_", "bytes", pl.col("peak_rss_bytes")),
            )
        ),
        _summaries(
            records.sizes.join(loop, on=[*key, "sample"], how="semi").select(
                *key, "of", "encoding", value="bytes"
            ),
            pl.concat_str(pl.lit("size_"), "of", pl.lit("_"), "encoding"),
            "bytes",
        ),
        _summaries(
            records.counters.filter(~pl.col("name").is_in(IDENTITIES))
            .join(loop, on=[*key, "sample"], how="semi")
            .select(*key, "name", "value"),
            pl.col("name"),
            "1",
        ),
    ]
    return (
        pl.concat(parts)
        .join(kept, on=key)
        .with_columns(
            pl.when(averaged).then("mean").otherwise("median").alias("value"),
            pl.when(averaged)
            .then(pl.lit(MEAN_OF_SAMPLES))
            .otherwise(pl.lit(MEDIAN_OF_SAMPLES))
            .alias("summary"),
        )
        .select(pl.col(name).cast(kind) for name, kind in VALUES_SCHEMA.items())
        .sort("configuration", "metric", "invocation")
    )


def exact_values(records: Records) -> pl.DataFrame:
    """One row a configuration and metric that its runner declares constant.

    Columns: configuration, metric, unit, value, invocations. `RecordsDisagreeError` names a
    configuration in which such a quantity differs between invocations.
    """
    kept = done(records)
    key = ["configuration", "invocation"]
    constant = pl.concat(
        [
            records.sizes.filter(pl.col("sample").is_null()).select(
                *key,
                pl.concat_str(pl.lit("size_"), "of", pl.lit("_"), "encoding").alias("metric"),
                pl.lit("bytes").alias("unit"),
                pl.col("bytes").cast(pl.Float64).alias("value"),
            ),
            records.counters.filter(pl.col("sample").is_null()).select(
                *key, pl.col("name").alias("metric"), pl.lit("1").alias("unit"), "value"
            ),
        ]
    ).join(kept.select(key), on=key, how="semi")
    found = (
        constant.group_by("configuration", "metric", "unit")
        .agg(
            pl.col("value").first(),
            pl.col("value").min().alias("least"),
            pl.col("value").max().alias("greatest"),
            pl.col("invocation").n_unique().cast(pl.Int32).alias("invocations"),
        )
        .sort("configuration", "metric")
    )
    torn = found.filter(pl.col("least") != pl.col("greatest"))
    if not torn.is_empty():
        row = torn.row(0, named=True)
        raise RecordsDisagreeError(
            f"{_title(records, row['configuration'])}: {row['metric']} was recorded as constant,"
            f" but is {row['least']:g} in one invocation and {row['greatest']:g} in another; a"
            " runner must record a quantity that varies with the number of its sample"
        )
    return found.drop("least", "greatest")


def estimate(records: Records, values: pl.DataFrame, exact: pl.DataFrame) -> pl.DataFrame:
    """Every metric of every configuration, with its interval.

    `values` and `exact` are those of `invocation_values` and `exact_values`.

    All columns of `configurations`, then metric, unit, statistic (`exact`, `geometric mean` or
    `median`, over invocations), value, low, high, level, method, summary (how the samples of each
    invocation became one value, null where exact), invocations, samples. Where there is no interval
    (one invocation; fewer than five for a median) low, high and level are null; where the nominal
    level cannot be had (the median of five) `level` is the one that is attained.
    """
    varying = summarise(values)
    constant = exact.select(
        "configuration",
        "metric",
        "unit",
        pl.lit("exact").alias("statistic"),
        "value",
        pl.col("value").alias("low"),
        pl.col("value").alias("high"),
        pl.lit(None, pl.Float64).alias("level"),
        pl.lit("exact").alias("method"),
        pl.lit(None, pl.String).alias("summary"),
        "invocations",
        pl.lit(None, pl.Int64).alias("samples"),
    )
    identity = records.configurations
    return identity.join(pl.concat([varying, constant]), on="configuration", how="inner").sort(
        "track", "series", "size", "threads_label", "metric", "statistic"
    )


def summarise(values: pl.DataFrame) -> pl.DataFrame:
    """Geometric mean and median over invocations of every (configuration, metric, unit).

    Columns from `configuration` to `samples` as in `estimate`. A geometric mean is left out where a
    value is not positive.
    """
    by = ["configuration", "metric", "unit"]
    groups = (
        values.sort(*by, "invocation")
        .group_by(by, maintain_order=True)
        .agg(
            pl.col("value"),
            pl.col("summary").first(),
            pl.len().cast(pl.Int32).alias("invocations"),
            pl.col("samples").sum(),
        )
    )
    parts: list[pl.DataFrame] = []
    for (n,), group in sorted(groups.group_by("invocations"), key=lambda pair: int(pair[0][0])):
        matrix = group["value"].explode().to_numpy().reshape(group.height, int(n))
        positive = matrix.min(axis=1) > 0
        means = matrix[positive]
        parts.append(
            _statistic(
                group.filter(pl.Series(positive)),
                "geometric mean",
                geometric_mean(means),
                GEOMETRIC_MEAN.bounds(means, LEVEL) if n > 1 else None,
                LEVEL,
                GEOMETRIC_MEAN.name,
            )
        )
        parts.append(
            _statistic(
                group,
                "median",
                np.median(matrix, axis=1),
                MEDIAN.bounds(matrix, LEVEL) if n >= MEDIAN_MINIMUM else None,
                attained_level(int(n)),
                MEDIAN.name,
            )
        )
    columns = ["statistic", "value", "low", "high", "level"]
    columns += ["method", "summary", "invocations", "samples"]
    if not parts:
        return values.select(
            *by,
            pl.lit("").alias("statistic"),
            *(pl.col("value").alias(name) for name in ("value", "low", "high", "level")),
            pl.lit("").alias("method"),
            "summary",
            pl.col("invocation").alias("invocations"),
            "samples",
        )
    return pl.concat(parts).select(*by, *columns)


def timed_share(records: Records) -> pl.DataFrame:
    """Where the run's wall time went: one row a track, and one for `all` of them.

    Columns: track, invocations, elapsed_ns (end of the invocation before to the end of this one's
    checks, which add up to the run's wall time without interruptions), wall_ns (of the runner
    processes), timed_ns (inside timed phases, warm-up included), share (timed over elapsed). Every
    invocation counts, the failed ones too.
    """
    sums = ("elapsed_ns", "wall_ns", "timed_ns")
    tracked = records.invocations.join(
        records.configurations.select("configuration", "track"), on="configuration"
    )
    whole = tracked.with_columns(pl.lit("all").alias("track"))
    return (
        pl.concat([tracked, whole])
        .group_by("track")
        .agg(
            pl.len().alias("invocations"),
            *(pl.col(name).sum() for name in sums),
            TIMED_SHARE.alias("share"),
        )
        .sort("track")
    )


def threads_used(records: Records) -> pl.DataFrame:
    """CPU time over wall time of every phase, against the threads that the configuration allows.

    Columns: configuration, series, size, threads_label, threads, phase, cpu_per_wall (over all
    counted samples of all invocations), violation: more CPU time was used than `threads` can, by
    more than `CPU_TOLERANCE`, in a phase long enough to tell.
    """
    key = ["configuration", "invocation"]
    return (
        records.samples.filter(~pl.col("warmup"))
        .join(done(records).select(key), on=key, how="semi")
        .group_by("configuration", "phase")
        .agg(
            (pl.col("user_ns").sum() + pl.col("system_ns").sum()).alias("cpu_ns"),
            pl.col("wall_ns").sum(),
        )
        .join(
            records.configurations.select(
                "configuration", "series", "size", "threads_label", "threads"
            ),
            on="configuration",
        )
        .with_columns((pl.col("cpu_ns") / pl.col("wall_ns")).alias("cpu_per_wall"))
        .with_columns(
            (
                (pl.col("wall_ns") >= CPU_GRAIN_NS)
                & (pl.col("cpu_per_wall") > pl.col("threads") * (1 + CPU_TOLERANCE))
            ).alias("violation")
        )
        .select(
            "configuration",
            "series",
            "size",
            "threads_label",
            "threads",
            "phase",
            "cpu_per_wall",
            "violation",
        )
        .sort("series", "size", "threads_label", "phase")
    )


def write_tables(tables: Mapping[str, pl.DataFrame], folder: Path) -> list[Path]:
    """Write each table to `folder`/NAME.parquet, the same bytes for the same rows; the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, frame in tables.items():
        path, beside = folder / f"{name}.parquet", folder / f".{name}.parquet"
        frame.write_parquet(beside, compression="zstd", statistics=True)
        beside.replace(path)
        paths.append(path)
    return paths


def _summaries(samples: pl.DataFrame, metric: str | pl.Expr, unit: str) -> pl.DataFrame:
    """Median and mean of `value` by configuration, invocation and metric, and how many it has."""
    named = pl.lit(metric) if isinstance(metric, str) else metric
    return (
        samples.with_columns(named.alias("metric"), pl.col("value").cast(pl.Float64))
        .group_by("configuration", "invocation", "metric")
        .agg(
            pl.col("value").median().alias("median"),
            # The sum of whole nanoseconds is exact, so that no order of the samples matters.
            pl.col("value").mean().alias("mean"),
            pl.len().cast(pl.Int64).alias("samples"),
        )
        .with_columns(pl.lit(unit).alias("unit"))
        .select("configuration", "invocation", "metric", "unit", "median", "mean", "samples")
    )


def _time_to_proof(counted: pl.DataFrame, configurations: pl.DataFrame) -> pl.DataFrame:
    """Witness + prove of the same sample; prove alone where it contains the witness.

    A system that does not make the witness, since another program does, has no time to proof.
    """
    key = ["configuration", "invocation", "sample"]
    timed = {
        name: json.loads(includes)
        for name, includes in configurations.select("configuration", "includes").iter_rows()
    }
    contained = [name for name, phases in timed.items() if "witness" in phases.get("prove", [])]
    own = [name for name, phases in timed.items() if "witness" in phases]
    prove = counted.filter(
        (pl.col("phase") == "prove") & pl.col("configuration").is_in([*contained, *own])
    ).select(*key, "wall_ns")
    witness = counted.filter(pl.col("phase") == "witness").select(*key, witness_ns="wall_ns")
    apart = prove.filter(pl.col("configuration").is_in(own))
    joined = apart.join(witness, on=key, how="left")
    missing = joined.filter(pl.col("witness_ns").is_null())
    if not missing.is_empty():
        row = missing.sort(key).row(0, named=True)
        raise RecordsDisagreeError(
            f"configuration {row['configuration']}, invocation {row['invocation']}: sample"
            f" {row['sample']} has a prove time that does not contain the witness, and no witness"
            " time; time to proof needs both"
        )
    together = prove.join(apart.select(key), on=key, how="anti")
    return pl.concat(
        [
            together.select(*key[:2], value="wall_ns"),
            joined.select(*key[:2], value=pl.col("wall_ns") + pl.col("witness_ns")),
        ]
    )


def _statistic(
    group: pl.DataFrame,
    statistic: str,
    value: Floats,
    bounds: tuple[Floats, Floats] | None,
    level: float,
    method: str,
) -> pl.DataFrame:
    low, high = bounds if bounds is not None else (None, None)
    count = group.height
    return group.select(
        "configuration",
        "metric",
        "unit",
        pl.lit(statistic).alias("statistic"),
        pl.Series("value", value, dtype=pl.Float64),
        pl.Series("low", [None] * count if low is None else low, dtype=pl.Float64),
        pl.Series("high", [None] * count if high is None else high, dtype=pl.Float64),
        pl.lit(None if low is None else level, pl.Float64).alias("level"),
        pl.lit("none: too few invocations" if low is None else method).alias("method"),
        "summary",
        "invocations",
        "samples",
    )


def _title(records: Records, configuration: str) -> str:
    rows = records.configurations.filter(pl.col("configuration") == configuration)
    if rows.is_empty():
        return f"configuration {configuration}"
    row = rows.row(0, named=True)
    return (
        f"{row['series']}, {row['size_name']} {row['size']}, threads {row['threads_label']}"
        f" (configuration {configuration})"
    )
