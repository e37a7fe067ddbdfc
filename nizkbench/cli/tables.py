"""`nizkbench tables`: every table of a run for LaTeX, and one page of results to read."""

from pathlib import Path
from typing import Annotated

import typer


def tables(
    records: Annotated[Path, typer.Argument(help="The folder of a run's records.")],
    analysis: Annotated[
        Path, typer.Option("--analysis", help="The folder that `nizkbench estimate` wrote to.")
    ],
    into: Annotated[Path, typer.Option("--into", help="The folder to write the tables to.")],
    beside: Annotated[
        Path | None, typer.Option("--beside", help="The file that `nizkbench beside` wrote.")
    ] = None,
    summary: Annotated[
        Path | None, typer.Option("--summary", help="Also write one page of results as Markdown.")
    ] = None,
) -> None:
    """Write every table of a run as a LaTeX tabular.

    Those of a grid go to the folder grid/ beside the others, those on hash functions to hashes/,
    those on ranges to ranges/.
    """
    from nizkbench import tables as generated
    from nizkbench.beside import read_kept
    from nizkbench.results import read_results

    others = read_kept(beside)
    results = others.deciding(read_results(records, analysis))
    paths = []
    if others.grid is not None:
        from nizkbench.grid_tables import write_grid_tables

        paths += write_grid_tables(others.grid, into / "grid", others.again)
    if others.hashes is not None:
        from nizkbench.hash_tables import write_hash_tables

        paths += write_hash_tables(others.hashes, into / "hashes")
    if others.ranges is not None:
        from nizkbench.range_tables import write_range_tables

        paths += write_range_tables(others.ranges, into / "ranges")
    paths += generated.write_tables(results, into)
    print(f"{into}: {len(paths)} tables")
    if summary is not None:
        from nizkbench.claim_verdicts import claims_table, judged

        seen = claims_table(judged(results, others.hashes, others.ranges))
        page = f"{generated.summary(results)}\n## What this run sees, claim by claim\n\n{seen}\n"
        summary.write_text(page, encoding="utf-8")
        print(summary)
