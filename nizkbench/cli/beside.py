"""`nizkbench beside`: the analyses of the experiments beside a main run, made once for all."""

from pathlib import Path
from typing import Annotated

import typer


def beside(
    into: Annotated[Path, typer.Option("--into", help="The file to keep the analyses in.")],
    grid: Annotated[
        Path | None, typer.Option("--grid", help="The folder of a grid's records.")
    ] = None,
    p1_grinding: Annotated[
        Path | None,
        typer.Option("--p1-grinding", help="Records of the experiment on queries, with a grid."),
    ] = None,
    grid_part: Annotated[
        Path | None,
        typer.Option("--grid-part", help="Records of a balanced part of the same grid."),
    ] = None,
    hashes: Annotated[
        Path | None, typer.Option("--hashes", help="Records on hash functions.")
    ] = None,
    ranges: Annotated[Path | None, typer.Option("--ranges", help="Records on ranges.")] = None,
) -> None:
    """Analyse the experiments beside a main run, for figures, tables, numbers and the report."""
    from nizkbench import beside as experiments

    found = experiments.beside(
        grid=grid, p1_grinding=p1_grinding, grid_part=grid_part, hashes=hashes, ranges=ranges
    )
    experiments.keep(found, into)
    print(into)
