"""`nizkbench tables`: every table of a run for LaTeX, and one page of results to read."""

from pathlib import Path
from typing import Annotated

import typer

from nizkbench.beside import Grid, Hashes, P1Grinding, Ranges


def tables(
    records: Annotated[Path, typer.Argument(help="The folder of a run's records.")],
    analysis: Annotated[
        Path, typer.Option("--analysis", help="The folder that `nizkbench estimate` wrote to.")
    ],
    into: Annotated[Path, typer.Option("--into", help="The folder to write the tables to.")],
    grid: Grid = None,
    p1_grinding: P1Grinding = None,
    hashes: Hashes = None,
    ranges: Ranges = None,
    summary: Annotated[
        Path | None, typer.Option("--summary", help="Also write one page of results as Markdown.")
    ] = None,
) -> None:
    """Write every table of a run as a LaTeX tabular.

    Those of a grid go to the folder grid/ beside the others, those on hash functions to hashes/,
    those on ranges to ranges/.
    """
    from nizkbench import tables as generated
    from nizkbench.results import read_results

    results = read_results(records, analysis)
    of_hashes = None
    of_ranges = None
    paths = []
    if grid is not None:
        from nizkbench.grid_claims import read_grid, with_grid
        from nizkbench.grid_tables import write_grid_tables

        run, luck = read_grid(grid, p1_grinding)
        results = with_grid(results, run, luck)
        paths += write_grid_tables(run, into / "grid", luck)
    if hashes is not None:
        from nizkbench.hash_results import read_hash_results
        from nizkbench.hash_tables import write_hash_tables

        of_hashes = read_hash_results(hashes)
        paths += write_hash_tables(of_hashes, into / "hashes")
    if ranges is not None:
        from nizkbench.range_results import read_range_results
        from nizkbench.range_tables import write_range_tables

        of_ranges = read_range_results(ranges)
        paths += write_range_tables(of_ranges, into / "ranges")
    paths += generated.write_tables(results, into)
    print(f"{into}: {len(paths)} tables")
    if summary is not None:
        from nizkbench.claim_verdicts import claims_table, judged

        seen = claims_table(judged(results, of_hashes, of_ranges))
        page = f"{generated.summary(results)}\n## What this run sees, claim by claim\n\n{seen}\n"
        summary.write_text(page, encoding="utf-8")
        print(summary)
