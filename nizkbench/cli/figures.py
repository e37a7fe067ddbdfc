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
    beside: Annotated[
        Path | None, typer.Option("--beside", help="The file that `nizkbench beside` wrote.")
    ] = None,
) -> None:
    """Draw every figure of a run as PDF, the same bytes from the same records.

    Those of a grid go to the folder grid/ beside the others, those on hash functions to hashes/,
    those on ranges to ranges/.
    """
    from nizkbench.beside import read_kept
    from nizkbench.figures import draw, write_drawn
    from nizkbench.results import read_results

    results = read_results(records, analysis)
    drawn = {into: draw(results)}
    others = read_kept(beside)
    if others.grid is not None:
        from nizkbench.grid_figures import draw_grid

        drawn[into / "grid"] = draw_grid(others.grid, others.again)
    if others.hashes is not None:
        from nizkbench.hash_figures import draw_hashes

        drawn[into / "hashes"] = draw_hashes(others.hashes)
    if others.ranges is not None:
        from nizkbench.range_figures import draw_ranges

        drawn[into / "ranges"] = draw_ranges(others.ranges)
    paths = write_drawn(drawn, results.epoch)
    print(f"{into}: {len(paths)} figures")
