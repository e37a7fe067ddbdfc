"""`nizkbench estimate`: from the records of a run to its estimates."""

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from nizkbench.errors import NizkBenchError


def estimate(
    records: Annotated[
        Path,
        typer.Argument(help="The folder of a run's records, runs/NAME or data/reference/NAME."),
    ],
    into: Annotated[Path, typer.Option("--into", help="The folder to write the tables to.")],
    margin: Annotated[
        float,
        typer.Option(help="Ratios between 1/(1 + MARGIN) and 1 + MARGIN count as equivalent."),
    ] = 0.05,
) -> None:
    """Estimate everything that a run's records hold: statistics, ratios, scaling, controls."""
    from nizkbench.analysis import analyse
    from nizkbench.estimate import write_tables
    from nizkbench.records import read_records

    if margin <= 0:
        raise NizkBenchError(f"margin is {margin:g}, it must be more than 0")
    tables = analyse(read_records(records), margin)
    write_tables(tables, into)
    share = tables["harness"].filter(pl.col("track") == "all")["share"]
    said = [f"{name} {frame.height}" for name, frame in tables.items()]
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{into}: rows of " + ", ".join(said))
    if len(share) and share[0] is not None:
        console.print(f"{share[0]:.0%} of the run's time was inside timed phases")
    violations = tables["threads"].filter(pl.col("violation"))
    for row in violations.iter_rows(named=True):
        console.print(
            f"warning: {row['series']}, size {row['size']}, {row['phase']}: used"
            f" {row['cpu_per_wall']:.2f} cores on {row['threads']} thread(s)"
        )
