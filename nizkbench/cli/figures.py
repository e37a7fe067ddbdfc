"""`nizkbench figures`: every figure of a run as vector PDF."""

from pathlib import Path
from typing import Annotated

import typer


def figures(
    records: Annotated[Path, typer.Argument(help="The folder of a run's records.")],
    analysis: Annotated[
        Path, typer.Option("--analysis", help="The folder that `nizkbench estimate` wrote to.")
    ],
    into: Annotated[Path, typer.Option("--into", help="The folder to write the figures to.")],
    grid: Annotated[
        Path | None, typer.Option("--grid", help="The folder of a grid's records, if there is one.")
    ] = None,
) -> None:
    """Draw every figure of a run as PDF, the same bytes from the same records.

    Those of a grid go to the folder grid/ beside the others.
    """
    from nizkbench.figures import write_drawn, write_figures
    from nizkbench.results import read_results

    results = read_results(records, analysis)
    paths = write_figures(results, into, results.epoch)
    if grid is not None:
        from nizkbench.grid_figures import draw_grid
        from nizkbench.grid_results import grid_results
        from nizkbench.records import read_run

        run = grid_results(read_run(grid))
        paths += write_drawn(draw_grid(run), into / "grid", results.epoch)
    print(f"{into}: {len(paths)} figures")
