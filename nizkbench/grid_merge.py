"""From the journals of a grid's shards to one run: its tables and its manifest."""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from nizkbench.errors import NizkBenchError
from nizkbench.grid_journal import GridPlan, Process, read_shard
from nizkbench.journal import table_rows
from nizkbench.manifest import differences, finished, read_manifest, write_manifest
from nizkbench.measure import COMPLETE, FAILURES_IN_A_ROW
from nizkbench.profile import StarkGrid
from nizkbench.records import SCHEMAS, Records, Row, Run, records_of, write_records

#: Processes of a grid, one row each. Their invocations are those of the same block, start and wall
#: time, which no two processes have in common.
PROCESSES = pl.Schema(
    {
        "process": pl.Int32,
        "shard": pl.Int32,
        "block": pl.Int32,
        "invocations": pl.Int32,
        "started_utc": pl.String,
        "wall_ns": pl.Int64,
        "elapsed_ns": pl.Int64,
        "cpu_ns": pl.Int64,
        "steal_ns": pl.Int64,
        "load1": pl.Float64,
        "core": pl.Int32,
        "ending": pl.String,
        "exit_status": pl.Int32,
    }
)

#: What makes two rows of a table say the same of a cell, where they do not belong to a sample.
_SAYING = {
    "sizes": ["of", "encoding", "bytes"],
    "counters": ["name", "value"],
    "checks": ["check", "passed", "expected_to_fail", "detail"],
    "security": ["kind", "bits", "source"],
}

#: The order of rows: neighbours that are alike make small files.
_ORDER = {
    "configurations": ["configuration"],
    "invocations": ["invocation"],
    "samples": ["configuration", "invocation", "phase", "sample"],
    "sizes": ["of", "configuration", "invocation", "sample"],
    "counters": ["name", "configuration", "invocation", "sample"],
    "checks": ["check", "configuration", "invocation"],
    "security": ["kind", "configuration", "invocation"],
    "stops": ["configuration"],
}


def shard_folders(run: Path) -> list[Path]:
    """The folders of all shards of a run, in their order; `NizkBenchError` if one is missing."""
    found: dict[tuple[int, int], Path] = {}
    for path in run.glob("shard-*-of-*"):
        _, number, _, of = path.name.split("-")
        if number.isdecimal() and of.isdecimal():
            found[int(of), int(number)] = path
    counts = {of for of, _ in found}
    if len(counts) != 1:
        raise NizkBenchError(
            f"{run} holds shards of {len(counts)} divisions, one is needed to make a run of them"
        )
    shards = counts.pop()
    missing = [str(one) for one in range(1, shards + 1) if (shards, one) not in found]
    if missing:
        raise NizkBenchError(f"{run} lacks shard {', '.join(missing)} of {shards}")
    return [found[shards, one] for one in range(1, shards + 1)]


def merge(run: Path, *, incomplete: bool = False) -> Run:
    """Make one run of the shards below `run`, and write its tables and its manifest there.

    Beside the tables of any run there is `processes.parquet`, with columns as in `PROCESSES`.
    Shards must have the same identity but for the machine: `machines` in the manifest lists those
    that they ran on. With `incomplete`, shards that are not complete are taken as they are.
    `NizkBenchError` names the shard that does not belong or is not complete.
    """
    folders = shard_folders(run)
    merged, processes = _united(folders, incomplete=incomplete)
    write_records(merged.records, run)
    content = io.BytesIO()
    processes.write_parquet(content, compression="zstd")
    (run / "processes.parquet").write_bytes(content.getbuffer())
    write_manifest(merged.manifest, run)
    return merged


def shard_run(folder: Path) -> Run:
    """What one shard has measured so far, complete or not, as a run of its own; writes nothing."""
    return _united([folder], incomplete=True)[0]


def _united(folders: Sequence[Path], *, incomplete: bool) -> tuple[Run, pl.DataFrame]:
    """One run of some shards, and its processes."""
    manifests = [_manifest(folder, incomplete) for folder in folders]
    first = manifests[0]
    for folder, described in zip(folders, manifests, strict=True):
        changed = differences(described["identity"], first["identity"])
        if any(part != "machine" for part in changed):
            raise NizkBenchError(f"{folder} was measured with other {' and '.join(changed)}")
    journals = _Journals()
    for number, folder in enumerate(folders, start=1):
        journals.read(number, folder)
    records = _records(journals, StarkGrid.of(first["profile"]).blocks)
    machines = {
        json.dumps(one["machine"] | {"load1": None}, sort_keys=True): one["machine"]
        for one in manifests
    }
    described = {name: value for name, value in first.items() if name != "shard"} | {
        "shards": len(folders),
        "machines": list(machines.values()),
        # Times are those of all shards together, which may have run beside each other.
        "finished": finished(records.invocations) | {"processes": len(journals.processes)},
    }
    processes = pl.DataFrame(journals.processes, schema=PROCESSES, orient="row")
    return Run(records, described), processes


def _manifest(folder: Path, incomplete: bool) -> dict[str, Any]:
    described = read_manifest(folder)
    if described is None:
        raise NizkBenchError(f"{folder} holds no manifest.json")
    if not incomplete and not (folder / COMPLETE).is_file():
        raise NizkBenchError(f"{folder} is not complete; `nizkbench grid measure` goes on")
    return described


@dataclass(slots=True)
class _Journals:
    """The journals of all shards as frames, process by process, so that few rows are in memory."""

    frames: dict[str, list[pl.DataFrame]] = field(
        default_factory=lambda: {name: [] for name in SCHEMAS}
    )
    processes: list[Row] = field(default_factory=list)
    cells: set[str] = field(default_factory=set)
    invocations: int = 0

    def read(self, number: int, folder: Path) -> None:
        """Take a shard in; `NizkBenchError` if another one has some of its cells."""
        offset = self.invocations
        for line in read_shard(folder):
            if isinstance(line, GridPlan):
                cells = {row["configuration"] for row in line.configurations}
                if twice := cells & self.cells:
                    raise NizkBenchError(
                        f"{folder} has {len(twice)} cells that another shard has too"
                    )
                self.cells |= cells
                self._add("configurations", line.configurations)
            else:
                self._process(number, line, offset)

    def _process(self, shard: int, line: Process, offset: int) -> None:
        self.processes.append(
            msgspec.structs.asdict(line)
            | {
                "process": len(self.processes),
                "shard": shard,
                "invocations": len(line.invocations),
            }
        )
        self.invocations += len(line.invocations)
        for name, rows in table_rows(None, line.invocations).items():
            self._add(name, [{**row, "invocation": row["invocation"] + offset} for row in rows])

    def _add(self, name: str, rows: Sequence[Row]) -> None:
        if rows:
            self.frames[name].append(pl.DataFrame(rows, schema=SCHEMAS[name], orient="row"))

    def table(self, name: str) -> pl.DataFrame:
        """A table of all shards."""
        return pl.concat([pl.DataFrame(schema=SCHEMAS[name]), *self.frames[name]])


def _records(journals: _Journals, blocks: int) -> Records:
    """The tables of a grid.

    They are those of any run, made small enough for ten thousand cells. The warm-up and the
    processor times of single samples stay in the journals (an invocation's `cpu_ns` is their sum,
    and the check `thread-limit` has been made on them), and so does `pow_nonce` where
    `pow_attempts` says the same. A size, counter, check or level of security that comes out the
    same in several processes of a cell has one row, in the first of them. The records of a cell
    that once failed a check stay in the journals, all of them. Invocations are numbered cell by
    cell, in the order in which they were made.
    """
    tables = _numbered_by_cell({name: journals.table(name) for name in SCHEMAS})
    failed = tables["invocations"].filter(pl.col("outcome") == "check-failed")
    for name in ("samples", "sizes", "counters", "security"):
        tables[name] = tables[name].join(
            failed, on="configuration", how="anti", maintain_order="left"
        )
    samples, counters = tables["samples"], tables["counters"]
    warmup = samples.filter(pl.col("warmup")).select("invocation", "sample").unique()
    tables["samples"] = samples.filter(~pl.col("warmup")).with_columns(
        user_ns=pl.lit(None, pl.Int64), system_ns=pl.lit(None, pl.Int64)
    )
    nonces = counters.filter(pl.col("name") == "pow_attempts").with_columns(
        name=pl.lit("pow_nonce")
    )
    tables["counters"] = counters.join(
        nonces, on=["invocation", "sample", "name", "value"], how="anti", maintain_order="left"
    )
    for name, saying in _SAYING.items():
        whole, varying = tables[name], tables[name].clear()
        if "sample" in whole.columns:
            varying = whole.filter(pl.col("sample").is_not_null()).join(
                warmup, on=["invocation", "sample"], how="anti", maintain_order="left"
            )
            whole = whole.filter(pl.col("sample").is_null())
        once = whole.unique(["configuration", *saying], keep="first", maintain_order=True)
        tables[name] = pl.concat([once, varying])
    tables["stops"] = records_of({"stops": _stops(tables["invocations"], blocks)}).stops
    return Records(**{name: table.sort(_ORDER[name]) for name, table in tables.items()})


def _numbered_by_cell(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    numbers = (
        tables["invocations"]
        .select("configuration", "invocation")
        .sort("configuration", "invocation")
        .select("invocation", pl.int_range(pl.len(), dtype=pl.Int32).alias("number"))
    )

    def numbered(table: pl.DataFrame) -> pl.DataFrame:
        if "invocation" not in table.columns:
            return table
        found = table.join(numbers, on="invocation", how="left", maintain_order="left")
        return found.with_columns(invocation="number").drop("number")

    return {name: numbered(table) for name, table in tables.items()}


def _stops(invocations: pl.DataFrame, blocks: int) -> list[Row]:
    """Why each cell that is not measured again is not."""
    found: list[Row] = []
    per_cell = (
        invocations.sort("invocation")
        .group_by("configuration")
        .agg(pl.len(), last=pl.col("outcome").tail(FAILURES_IN_A_ROW))
    )
    for configuration, count, last in per_cell.iter_rows():
        lost = len(last) == FAILURES_IN_A_ROW and "done" not in last
        if lost or count >= blocks:
            reason = "failed" if lost else "maximum"
            stop = {"configuration": configuration, "reason": reason, "blocks": count}
            found.append({**stop, "half_width": None})
    return found
