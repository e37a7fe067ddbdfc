"""Every configuration of any number of runs as a point: what it is, and what each metric of it is.

A run of any experiment is read in the same way, so that one that is added needs nothing here. Where
a run is a grid of options, times and the proof's size are those of its cells (`nizkbench.cells`),
from which the luck of the proof of work and the machine's pace have been taken out; everything else
is a headline estimate of `nizkbench.estimate`.

Times are nanoseconds, sizes and memory bytes, security bits.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from nizkbench.cells import METRICS, cells
from nizkbench.claims import CURVE_BITS
from nizkbench.errors import NizkBenchError
from nizkbench.estimate import done, estimate, exact_values, invocation_values, write_tables
from nizkbench.records import SCHEMAS, Records, read_run
from nizkbench.results import HEADLINE, encodings

#: The track of a grid's cells.
GRID = "grid"

#: What a cell's columns are called where every configuration has them.
_OF_CELLS = {
    "prove_ns": ("time_to_proof", "ns"),
    "verify_ns": ("verify", "ns"),
    "proof_bytes": ("size:proof", "bytes"),
}
assert tuple(_OF_CELLS) == METRICS

#: How the estimates of a grid's cells were made.
_ADJUSTED = (
    "geometric mean over invocations, the luck of the proof of work and the machine's pace"
    " taken out"
)

#: Counters that repeat what a configuration asks for.
_ASKED_FOR = ("threads",)

#: One row a configuration. `invocations` counts those whose times count; `outcome` is `done`, or
#: how a configuration without times ended, and `reason` what was said then.
CONFIGURATIONS_SCHEMA = pl.Schema(
    {
        "run": pl.String(),
        **SCHEMAS["configurations"],
        "invocations": pl.Int32(),
        "outcome": pl.String(),
        "reason": pl.String(),
    }
)

#: One row a configuration and metric that it has. Bounds are null where one invocation alone was
#: made, and the value where it is exact. `how` says in words how value and bounds were made.
ESTIMATES_SCHEMA = pl.Schema(
    {
        "run": pl.String,
        "configuration": pl.String,
        "metric": pl.String,
        "unit": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "how": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class Points:
    """The configurations and estimates of some runs, and their manifests by the run's name.

    `folders` has the folder that each run was read from, as it was given, in that order.
    """

    configurations: pl.DataFrame
    estimates: pl.DataFrame
    manifests: Mapping[str, Mapping[str, Any]]
    folders: Mapping[str, str]


def points(runs: Sequence[Path]) -> Points:
    """The points of the runs in these folders, in their order.

    `NizkBenchError` where a folder is no run, or two have the same name.
    """
    folders = {folder.name: str(folder) for folder in runs}
    if len(folders) < len(runs):
        raise NizkBenchError("two of the runs have the same name, so that no link could tell them")
    read = {folder.name: read_run(folder) for folder in runs}
    return Points(
        pl.concat(_configurations(name, run.records) for name, run in read.items()),
        pl.concat(_estimates(name, run.records) for name, run in read.items()),
        {name: run.manifest for name, run in read.items()},
        folders,
    )


def write_points(found: Points, into: Path) -> list[Path]:
    """Write both tables and what is known of their runs to a folder; the paths."""
    paths = write_tables(
        {"configurations": found.configurations, "estimates": found.estimates}, into
    )
    runs = {
        name: {"folder": found.folders[name], "manifest": manifest}
        for name, manifest in found.manifests.items()
    }
    path = into / "runs.json"
    path.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    return [*paths, path]


def read_points(folder: Path) -> Points:
    """What `write_points` wrote; `NizkBenchError` where it did not."""
    try:
        runs = json.loads((folder / "runs.json").read_bytes())
        return Points(
            pl.read_parquet(folder / "configurations.parquet"),
            pl.read_parquet(folder / "estimates.parquet"),
            {name: run["manifest"] for name, run in runs.items()},
            {name: run["folder"] for name, run in runs.items()},
        )
    except FileNotFoundError as error:
        raise NizkBenchError(
            f"{error.filename or folder} does not exist; `nizkbench points` writes it"
        ) from None


def _configurations(name: str, records: Records) -> pl.DataFrame:
    ended = (
        records.invocations.sort("configuration", "invocation")
        .group_by("configuration", maintain_order=True)
        .agg(
            (pl.col("outcome") == "done").sum().cast(pl.Int32).alias("invocations"),
            pl.col("outcome").sort_by(pl.col("outcome") == "done", maintain_order=True).first(),
            pl.col("message")
            .sort_by(pl.col("outcome") == "done", maintain_order=True)
            .first()
            .alias("reason"),
        )
    )
    failed = (
        records.checks.filter(pl.col("passed") == pl.col("expected_to_fail"))
        .sort("configuration", "invocation")
        .group_by("configuration", maintain_order=True)
        .agg(pl.concat_str("check", pl.lit(": "), "detail").first().alias("failed"))
    )
    has_times = pl.col("invocations") > 0
    return (
        records.configurations.join(ended, on="configuration", how="left", maintain_order="left")
        .join(failed, on="configuration", how="left", maintain_order="left")
        .with_columns(pl.col("invocations").fill_null(0))
        .with_columns(
            pl.when(pl.col("failed").is_not_null())
            .then(pl.lit("check-failed"))
            .when(has_times)
            .then(pl.lit("done"))
            .otherwise(pl.col("outcome").fill_null("not measured"))
            .alias("outcome"),
            pl.when(pl.col("failed").is_not_null())
            .then("failed")
            .when(~has_times)
            .then("reason")
            .alias("reason"),
            pl.when(pl.col("failed").is_null())
            .then("invocations")
            .otherwise(pl.lit(0, pl.Int32))
            .alias("invocations"),
            pl.lit(name).alias("run"),
        )
        .select(CONFIGURATIONS_SCHEMA.names())
        .sort("track", "system", "series", "size", "threads_label", "configuration")
    )


def _estimates(name: str, records: Records) -> pl.DataFrame:
    gridded = records.configurations.filter(pl.col("track") == GRID)
    constant = exact_values(records)
    parts = [_security(records)]
    if gridded.is_empty():
        parts.append(_headlines(estimate(records, invocation_values(records), constant)))
    else:
        # Everything that varies in a grid and is compared is a metric of its cells.
        exact = constant.select(
            "configuration",
            *("metric", "unit", "value"),
            pl.col("value").alias("low"),
            pl.col("value").alias("high"),
            pl.lit("exact").alias("how"),
        )
        parts += [_of_cells(cells(records)), exact]
    return (
        _sent(pl.concat(parts))
        .filter(~pl.col("metric").is_in(_ASKED_FOR))
        .join(done(records).select("configuration").unique(), on="configuration", how="semi")
        .select(pl.lit(name).alias("run"), *ESTIMATES_SCHEMA.names()[1:])
        .sort("configuration", "metric")
    )


def _headlines(estimates: pl.DataFrame) -> pl.DataFrame:
    """The headline of every metric, in the columns of `ESTIMATES_SCHEMA` but the run."""
    made = pl.concat_str(
        pl.lit(f"{HEADLINE} over "),
        "invocations",
        pl.lit(" invocations, each the "),
        "summary",
        pl.lit("; "),
        "method",
    )
    exact = pl.col("statistic") == "exact"
    return estimates.filter(
        pl.col("statistic").is_in([HEADLINE, "exact"]) & pl.col("value").is_not_null()
    ).select(
        "configuration",
        *("metric", "unit", "value", "low", "high"),
        pl.when(exact).then(pl.lit("exact")).otherwise(made).alias("how"),
    )


def _of_cells(found: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(
        found.select(
            "configuration",
            pl.lit(metric).alias("metric"),
            pl.lit(unit).alias("unit"),
            pl.col(column).alias("value"),
            pl.col(f"{column}_low").alias("low"),
            pl.col(f"{column}_high").alias("high"),
            pl.lit(_ADJUSTED).alias("how"),
        )
        for column, (metric, unit) in _OF_CELLS.items()
    )


def _security(records: Records) -> pl.DataFrame:
    """The library's own bits by their kind; the level of the curve where a system has one."""
    said = (
        records.security.sort("configuration", "kind", "invocation")
        .group_by("configuration", "kind", maintain_order=True)
        .agg(pl.col("bits", "source").first())
        .select(
            "configuration",
            pl.concat_str(pl.lit("security:"), "kind").alias("metric"),
            pl.col("bits").alias("value"),
            pl.concat_str(pl.lit("the library's own figure, "), "source").alias("how"),
        )
    )
    curves = (
        records.configurations.filter(pl.col("curve").is_in(list(CURVE_BITS)))
        .join(said, on="configuration", how="anti")
        .select(
            "configuration",
            pl.lit("security:conjectured").alias("metric"),
            pl.col("curve")
            .replace_strict({curve: bits for curve, (bits, _) in CURVE_BITS.items()})
            .cast(pl.Float64)
            .alias("value"),
            pl.concat_str(pl.lit("the level of "), "curve", pl.lit(" in the literature")).alias(
                "how"
            ),
        )
    )
    return pl.concat([said, curves]).select(
        "configuration",
        "metric",
        pl.lit("bits").alias("unit"),
        "value",
        pl.col("value").alias("low"),
        pl.col("value").alias("high"),
        "how",
    )


def _sent(estimates: pl.DataFrame) -> pl.DataFrame:
    """Of what has several encodings the one that is sent or kept, as the metric `size:NAME`."""
    encoded = estimates.select(
        pl.all(),
        pl.col("metric").str.extract_groups(r"^size_(?<of>.+)_(?<encoding>[a-z]+)$").alias("parts"),
    ).unnest("parts")
    names = encoded["of"].drop_nulls().unique().sort().to_list()
    rank = {
        f"{of} {encoding}": place for of in names for place, encoding in enumerate(encodings(of))
    }
    chosen = (
        encoded.filter(pl.col("of").is_not_null())
        .with_columns(
            pl.concat_str("of", pl.lit(" "), "encoding")
            .replace_strict(rank, default=len(rank), return_dtype=pl.Int64)
            .alias("rank")
        )
        .sort("configuration", "of", "rank")
        .unique(["configuration", "of"], keep="first", maintain_order=True)
        .with_columns(
            pl.concat_str(pl.lit("size:"), "of").alias("metric"),
            pl.concat_str("encoding", pl.lit(", "), "how").alias("how"),
        )
    )
    columns = estimates.columns
    return pl.concat(
        [encoded.filter(pl.col("of").is_null()).select(columns), chosen.select(columns)]
    )
