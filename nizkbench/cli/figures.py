"""`nizkbench figures`: every figure of a run as vector PDF."""

from pathlib import Path
from typing import Annotated

import typer

from nizkbench.beside import Grid, Hashes, P1Grinding, Ranges


def figures(
    records: Annotated[Path, typer.Argument(help="The folder of a run's records.")],
    analysis: Annotated[
        Path, typer.Option("--analysis", help="The folder that `nizkbench estimate` wrote to.")
    ],
    into: Annotated[Path, typer.Option("--into", help="The folder to write the figures to.")],
    grid: Grid = None,
    p1_grinding: P1Grinding = None,
    hashes: Hashes = None,
    ranges: Ranges = None,
) -> None:
    """Draw every figure of a run as PDF, the same bytes from the same records.

    Those of a grid go to the folder grid/ beside the others, those on hash functions to hashes/,
    those on ranges to ranges/.
    """
    from nizkbench.figures import write_drawn, write_figures
    from nizkbench.results import read_results

    results = read_results(records, analysis)
    paths = write_figures(results, into, results.epoch)
    if grid is not None:
        from nizkbench.grid_claims import read_grid
        from nizkbench.grid_figures import draw_grid

        drawn = draw_grid(*read_grid(grid, p1_grinding))
        paths += write_drawn(drawn, into / "grid", results.epoch)
    if hashes is not None:
        from nizkbench.hash_figures import draw_hashes
        from nizkbench.hash_results import read_hash_results

        paths += write_drawn(draw_hashes(read_hash_results(hashes)), into / "hashes", results.epoch)
    if ranges is not None:
        from nizkbench.range_figures import draw_ranges
        from nizkbench.range_results import read_range_results

        paths += write_drawn(
            draw_ranges(read_range_results(ranges)), into / "ranges", results.epoch
        )
    print(f"{into}: {len(paths)} figures")
