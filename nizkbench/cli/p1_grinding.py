"""`nizkbench p1-grinding`: the experiment of earlier work on a STARK's options, made again."""

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.estimate import write_tables
from nizkbench.grid_tables import options_text
from nizkbench.measure import measure
from nizkbench.p1_grinding import attempts_table, experiment
from nizkbench.p1_published import DEFAULTS, read_published
from nizkbench.p1_published_measure import measure_published
from nizkbench.p1_together import options_in, repeated
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
    """Repeat the experiment of earlier work on a STARK's options, and take it apart.

    Measures into runs/PROFILE-p1-grinding, or goes on there: numbers of queries on a fixed instance
    and on fresh ones, and then the very proofs that were published. Says how much of the difference
    between 41 and 42 queries is luck of the nonce, and what the best options come to together.
    """
    if records is None:
        read = read_profile(profile)
        if read.p1_grinding is None:
            raise NizkBenchError(f"profile {read.name} has no section p1_grinding")
        name = f"{read.name}-p1-grinding"
        folder = layout.runs() / name
        found = measure(name, experiment(read.p1_grinding), folder=folder).records
        published: pl.DataFrame | None = measure_published(read.p1_grinding, folder)
    else:
        found, published = read_records(records), read_published(records)
    again = repeated(found, published)
    tables = {
        "p1_queries": again.queries,
        "p1_luck": again.luck,
        "p1_attempts": attempts_table(found),
    }
    if again.alone is not None and again.together is not None:
        tables |= {"p1_alone": again.alone, "p1_together": again.together}
    if into is not None:
        write_tables(tables, into)
    console = Console(highlight=False, width=150)  # whole rows, also in a file
    console.print(_luck(tables["p1_luck"]))
    console.print(_attempts(tables["p1_attempts"]))
    if again.together is None:
        console.print("the published proofs are not timed in these records")
    else:
        console.print(_together(again.together))


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


def _together(table: pl.DataFrame) -> Table:
    shown = Table(box=None, pad_edge=False)
    for heading in ("published proof", "attempts", "time to proof", "gain"):
        shown.add_column(heading, no_wrap=True)
    shown.add_column("options")
    for row in table.iter_rows(named=True):
        shown.add_row(
            row["form"],
            str(row["attempts"]),
            f"{row['time_ns'] / 1e6:.2f} ms",
            f"{row['gain']:.2f} ({row['gain_low']:.2f} to {row['gain_high']:.2f})",
            options_text(options_in(row), DEFAULTS),
        )
    return shown
