"""The tables of a run: what was measured, in columns, and how they are written and read.

One Parquet file a table, written whole and renamed into place, with the same bytes for the same
rows. `provers/PROTOCOL.md` defines the quantities, all times are nanoseconds, all sizes bytes.
"""

import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from nizkbench.errors import NizkBenchError

Row = Mapping[str, Any]

#: Columns of every table, in order.
SCHEMAS: dict[str, pl.Schema] = {
    "configurations": pl.Schema(
        {
            "configuration": pl.String,
            "track": pl.String,
            "series": pl.String,
            "runner": pl.String,
            "system": pl.String,
            "library": pl.String,
            "library_version": pl.String,
            "scheme": pl.String,
            "curve": pl.String,
            "field": pl.String,
            "field_bits": pl.Int32,
            "statement": pl.String,
            "size_name": pl.String,
            "size": pl.Int64,
            "variant": pl.String,
            "options": pl.String,
            "instances": pl.String,
            "threads": pl.Int32,
            "threads_label": pl.String,
            "sound": pl.Boolean,
            "unsound_check": pl.String,
            "includes": pl.String,
        }
    ),
    "invocations": pl.Schema(
        {
            "configuration": pl.String,
            "invocation": pl.Int32,
            "block": pl.Int32,
            "order": pl.Int32,
            "outcome": pl.String,
            "error_kind": pl.String,
            "message": pl.String,
            "started_utc": pl.String,
            "wall_ns": pl.Int64,
            "elapsed_ns": pl.Int64,
            "timed_ns": pl.Int64,
            "cpu_ns": pl.Int64,
            "steal_ns": pl.Int64,
            "samples": pl.Int32,
            "stopped_by": pl.String,
            "exit_status": pl.Int32,
            "memory_bytes": pl.Int64,
            "seed": pl.String,
            "load1": pl.Float64,
        }
    ),
    "samples": pl.Schema(
        {
            "configuration": pl.String,
            "invocation": pl.Int32,
            "phase": pl.String,
            "sample": pl.Int32,
            "instance": pl.Int64,
            "warmup": pl.Boolean,
            "wall_ns": pl.Int64,
            "user_ns": pl.Int64,
            "system_ns": pl.Int64,
            "peak_rss_bytes": pl.Int64,
        }
    ),
    "sizes": pl.Schema(
        {
            "configuration": pl.String,
            "invocation": pl.Int32,
            "of": pl.String,
            "encoding": pl.String,
            "bytes": pl.Int64,
            "sample": pl.Int32,
        }
    ),
    "counters": pl.Schema(
        {
            "configuration": pl.String,
            "invocation": pl.Int32,
            "name": pl.String,
            "value": pl.Float64,
            "sample": pl.Int32,
        }
    ),
    "checks": pl.Schema(
        {
            "configuration": pl.String,
            "invocation": pl.Int32,
            "check": pl.String,
            "passed": pl.Boolean,
            "expected_to_fail": pl.Boolean,
            "detail": pl.String,
        }
    ),
    "security": pl.Schema(
        {
            "configuration": pl.String,
            "invocation": pl.Int32,
            "kind": pl.String,
            "bits": pl.Float64,
            "source": pl.String,
        }
    ),
    "stops": pl.Schema(
        {
            "configuration": pl.String,
            "reason": pl.String,
            "blocks": pl.Int32,
            "half_width": pl.Float64,
        }
    ),
}

#: From a table `invocations`: the share of their wall time inside timed phases, zero where there
#: are none. What an invocation that failed took counts as well.
TIMED_SHARE = (pl.col("timed_ns").sum() / pl.col("elapsed_ns").sum()).fill_nan(0.0)


@dataclass(frozen=True, slots=True)
class Records:
    """All tables of one run; the columns of each are in `SCHEMAS`.

    `configurations` has one row a configuration, `invocations` one a process, `samples` one a timed
    phase of an invocation that ended in `done`; `stops` one a configuration that is finished.
    """

    configurations: pl.DataFrame
    invocations: pl.DataFrame
    samples: pl.DataFrame
    sizes: pl.DataFrame
    counters: pl.DataFrame
    checks: pl.DataFrame
    security: pl.DataFrame
    stops: pl.DataFrame

    def table(self, name: str) -> pl.DataFrame:
        """A table by its name."""
        frame: pl.DataFrame = getattr(self, name)
        return frame


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run: its tables and its manifest."""

    records: Records
    manifest: dict[str, Any]


class _Manifest(msgspec.Struct):
    """What every manifest has, and of what kind the parts are that it may have."""

    name: str
    started_utc: datetime
    machine: dict[str, object] = {}
    runners: dict[str, dict[str, object]] = {}
    locks: dict[str, str] = {}
    finished: dict[str, object] | None = None


def records_of(rows: Mapping[str, Sequence[Row]]) -> Records:
    """Tables from rows; a table without rows is empty, with its columns all the same."""
    return Records(
        **{
            name: pl.DataFrame(rows.get(name, ()), schema=schema, orient="row")
            for name, schema in SCHEMAS.items()
        }
    )


def write_records(records: Records, folder: Path) -> list[Path]:
    """Write every table into `folder` as Parquet and return the paths."""
    paths = []
    for name in SCHEMAS:
        path = folder / f"{name}.parquet"
        beside = folder / f".{name}.parquet"
        content = io.BytesIO()  # so that a full disk is met by one plain write
        records.table(name).write_parquet(content, compression="zstd", compression_level=19)
        with beside.open("wb") as file:
            file.write(content.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        paths.append(path)
    return paths


def read_records(folder: Path) -> Records:
    """The tables of a run; `NizkBenchError` names a table that is missing or has other columns."""
    frames = {}
    for name, schema in SCHEMAS.items():
        path = folder / f"{name}.parquet"
        if not path.is_file():
            raise NizkBenchError(
                f"{folder} holds no {name}.parquet; `nizkbench measure` writes it"
                " when a run is finished"
            )
        try:
            frame = pl.read_parquet(path)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise NizkBenchError(f"{path} cannot be read as Parquet ({error})") from error
        if frame.schema != schema:
            wrong = sorted(set(frame.schema.items()) ^ set(schema.items()), key=str)
            raise NizkBenchError(
                f"{path} has other columns than this version reads: "
                + ", ".join(sorted({column for column, _ in wrong}) or ["another order"])
            )
        frames[name] = frame
    return Records(**frames)


def read_run(folder: Path) -> Run:
    """The tables and the manifest of a run."""
    manifest = read_manifest(folder)
    return Run(read_records(folder), manifest)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run; `NizkBenchError` where there is none, or another thing in its place.

    `nizkbench.manifest.read_manifest` reads that of a run which may not have begun.
    """
    path = folder / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(path.read_bytes())
        msgspec.convert(manifest, _Manifest)
    except FileNotFoundError:
        raise NizkBenchError(f"{folder} is no run: it holds no manifest.json") from None
    except msgspec.ValidationError as error:
        raise NizkBenchError(f"{path} is no manifest of a run ({error})") from None
    except ValueError as error:
        raise NizkBenchError(f"{path} is no JSON ({error})") from error
    return manifest
