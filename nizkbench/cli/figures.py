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
) -> None:
    """Draw every figure of a run as PDF, the same bytes from the same records."""
    from nizkbench.figures import write_figures
    from nizkbench.results import read_results

    results = read_results(records, analysis)
    paths = write_figures(results, into, results.epoch)
    print(f"{into}: {len(paths)} figures")
