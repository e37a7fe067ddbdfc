"""`nizkbench site`: the front page of the report."""

from pathlib import Path
from typing import Annotated

import typer

from nizkbench.beside import Grid, Hashes, P1Grinding, Ranges
from nizkbench.errors import NizkBenchError


def site(
    records: Annotated[Path, typer.Argument(help="The folder of the main run's records.")],
    analysis: Annotated[
        Path, typer.Option("--analysis", help="The folder that `nizkbench estimate` wrote to.")
    ],
    points: Annotated[
        Path, typer.Option("--points", help="The folder that `nizkbench points` wrote to.")
    ],
    into: Annotated[Path, typer.Option("--into", help="The folder of the report.")],
    page: Annotated[
        list[str] | None,
        typer.Option("--page", help="FILE=NOTEBOOK of a page beside it, to link to."),
    ] = None,
    grid: Grid = None,
    p1_grinding: P1Grinding = None,
    hashes: Hashes = None,
    ranges: Ranges = None,
) -> None:
    """Write the front page of the report: explorer, claims, control and manifests, no network."""
    from nizkbench.claim_verdicts import judged
    from nizkbench.points import read_points
    from nizkbench.results import read_results
    from nizkbench.site import write_site

    notebooks = {}
    for one in page or ():
        file, sign, notebook = one.partition("=")
        if not sign:
            raise NizkBenchError(f"--page is {one!r}, it must be FILE=NOTEBOOK")
        notebooks[file] = Path(notebook)
    results = read_results(records, analysis)
    of_hashes = None
    of_ranges = None
    if grid is not None:
        from nizkbench.grid_claims import read_grid, with_grid

        results = with_grid(results, *read_grid(grid, p1_grinding))
    if hashes is not None:
        from nizkbench.hash_results import read_hash_results

        of_hashes = read_hash_results(hashes)
    if ranges is not None:
        from nizkbench.range_results import read_range_results

        of_ranges = read_range_results(ranges)
    verdicts = judged(results, of_hashes, of_ranges)
    for path in write_site(results, read_points(points), verdicts, notebooks, into):
        print(path)
