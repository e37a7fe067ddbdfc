"""`nizkbench p1-grinding`: why 42 queries proved six times slower than 41, measured again."""

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.estimate import write_tables
from nizkbench.measure import measure
from nizkbench.p1_grinding import attempts_table, experiment, luck_table, queries_table
from nizkbench.profile import read_profile
from nizkbench.records import read_records


def p1_grinding(
    profile: Annotated[str, typer.Argument(help="A name in profiles/, or a path.")],
    records: Annotated[
        Path | None, typer.Option(help="Analyse these records and measure nothing.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option(help="Write the tables of the analysis to this folder.")
    ] = None,
) -> None:
    """Repeat the experiment of earlier work on the number of queries, and take it apart.

    Measures into runs/PROFILE-p1-grinding, or goes on there, and says how much of the difference
    between 41 and 42 queries is luck of the nonce.
    """
    if records is None:
        read = read_profile(profile)
        if read.p1_grinding is None:
            raise NizkBenchError(f"profile {read.name} has no section p1_grinding")
        name = f"{read.name}-p1-grinding"
        found = measure(name, experiment(read.p1_grinding), folder=layout.runs() / name).records
    else:
        found = read_records(records)
    tables = {
        "p1_queries": queries_table(found),
        "p1_luck": luck_table(found),
        "p1_attempts": attempts_table(found),
    }
    if into is not None:
        write_tables(tables, into)
    console = Console(highlight=False, width=150)  # whole rows, also in a file
    console.print(_luck(tables["p1_luck"]))
    console.print(_attempts(tables["p1_attempts"]))


def _luck(table: pl.DataFrame) -> Table:
    shown = Table(box=None, pad_edge=False)
    for heading in ("system", "instance", "queries", "attempts", "ratio", "at equal attempts"):
        shown.add_column(heading, no_wrap=True)
    shown.add_column("luck", no_wrap=True)
    for row in table.iter_rows(named=True):
        shown.add_row(
            row["system"],
            row["instance"],
            f"{row['queries']} / {row['queries_below']}",
            f"{row['attempts']:.0f} / {row['attempts_below']:.0f}",
            *(
                f"{row[name]:.2f} ({row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f})"
                for name in ("ratio", "ratio_fresh")
            ),
            f"{row['luck']:.0%} ({row['luck_low']:.0%} to {row['luck_high']:.0%})",
        )
    return shown


def _attempts(table: pl.DataFrame) -> Table:
    shown = Table(box=None, pad_edge=False)
    for heading in ("system", "proofs", "attempts", "geometric: p", "cost of one", "explained"):
        shown.add_column(heading, no_wrap=True)
    for row in table.iter_rows(named=True):
        shown.add_row(
            row["system"],
            str(row["draws"]),
            f"{row['mean']:.0f} ({row['mean_low']:.0f} to {row['mean_high']:.0f})",
            f"{row['p_value_geometric']:.2f}",
            f"{row['cost_ns']:.1f} ns ({row['cost_ns_low']:.1f} to {row['cost_ns_high']:.1f})",
            f"{row['r_squared']:.1%}",
        )
    return shown
