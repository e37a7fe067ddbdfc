"""`nizkbench points`: every configuration of some runs with what is estimated of it."""

from pathlib import Path
from typing import Annotated

import typer


def points(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs, of any experiment.")],
    into: Annotated[Path, typer.Option("--into", help="The folder to write the tables to.")],
) -> None:
    """Write every configuration of some runs, and every estimate of it, as two tables.

    They are what the explorer of the report shows.
    """
    from nizkbench.points import points as found
    from nizkbench.points import write_points

    for path in write_points(found(runs), into):
        print(path)
