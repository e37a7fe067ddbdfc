"""`nizkbench coverage`: how often the intervals contain what they estimate."""

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console
from rich.table import Table


def coverage(
    into: Annotated[
        Path, typer.Option("--into", help="The folder to write coverage.parquet to.")
    ] = Path("build"),
) -> None:
    """Simulate the coverage of every interval estimator; it depends on no records."""
    from nizkbench.coverage import coverage as simulate
    from nizkbench.estimate import write_tables

    simulated = simulate()
    write_tables({"coverage": simulated}, into)
    table = Table("statistic", "estimator", "used", "least", "greatest", "outside 92–98 %")
    summary = simulated.group_by("statistic", "estimator", "used", maintain_order=True).agg(
        pl.col("coverage").min().alias("least"),
        pl.col("coverage").max().alias("greatest"),
        (~pl.col("within")).sum().alias("outside"),
        pl.len().alias("cases"),
    )
    for statistic, estimator, used, least, greatest, outside, cases in summary.iter_rows():
        table.add_row(
            statistic,
            estimator,
            "yes" if used else "",
            f"{least:.1%}",
            f"{greatest:.1%}",
            f"{outside} of {cases}",
        )
    Console(highlight=False).print(table)
