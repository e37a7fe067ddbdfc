"""`nizkbench overhead`: what the harness costs, against plain programs that prove the same."""

import os
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from nizkbench.harness_cost import Cost
from nizkbench.overhead import FEWEST_REPETITIONS, cases, journal_of_table, measure, write
from nizkbench.runner import find_runner, find_runners

#: Load of the last minute above which a machine is not quiet.
BUSY = 0.5

#: Characters that a line of the table takes; it is printed whole, into a file as well.
WIDEST = 124


def overhead(
    runner: Annotated[
        str | None, typer.Option(help="A runner; all that have a plain program if none is named.")
    ] = None,
    rounds: Annotated[int, typer.Option(help="Rounds of MiMC; 2^k − 1 suits every system.")] = 255,
    repeat: Annotated[
        int, typer.Option(min=FEWEST_REPETITIONS, help="Pairs of processes for each comparison.")
    ] = 15,
    out: Annotated[Path | None, typer.Option(help="Write the table to this Parquet file.")] = None,
) -> None:
    """Compare prove and verify of every system with a plain program of the same statement.

    Stopped before its end, the same command with --out goes on.
    """
    programs = [one for one in find_runners().values() if one.plain]
    runners = [find_runner(runner)] if runner else programs
    compared = cases(runners, rounds)
    console = Console(stderr=True)
    # A short phase fits between two preemptions in one program and not in the other, so that on a
    # busy machine even a narrow interval may lie.
    if (load := os.getloadavg()[0]) > BUSY:
        console.print(f"the load is {load:.1f}: what else is running decides these times as well")
    table = measure(compared, repeat, journal=None if out is None else journal_of_table(out))
    if out is not None:
        write(table, out)
    shown = Console(highlight=False)
    shown.width = max(shown.width, WIDEST)
    shown.print(_shown(table))


def _shown(overheads: pl.DataFrame) -> Table:
    table = Table()
    for heading in ("system", "phase", "threads", "plain", "runner", "ratio", "95 %", "verdict"):
        table.add_column(heading, no_wrap=True)
    for row in overheads.iter_rows(named=True):
        table.add_row(
            row["system"],
            row["phase"],
            str(row["threads"]),
            f"{row['plain_ns'] / 1e6:.3f} ms",
            f"{row['runner_ns'] / 1e6:.3f} ms",
            f"{row['ratio']:.3f}",
            f"{row['low']:.3f}–{row['high']:.3f}",
            Cost.of(row["low"], row["high"]),
        )
    return table
