"""Records beside those of a main run: where they are, and the options of verbs that name them."""

from pathlib import Path
from typing import Annotated

import typer

Grid = Annotated[
    Path | None, typer.Option("--grid", help="The folder of a grid's records, if there is one.")
]
P1Grinding = Annotated[
    Path | None,
    typer.Option("--p1-grinding", help="Records of the experiment on queries, with a grid."),
]
Hashes = Annotated[
    Path | None, typer.Option("--hashes", help="Records on hash functions, if there are any.")
]
Ranges = Annotated[
    Path | None, typer.Option("--ranges", help="Records on ranges, if there are any.")
]


def recorded_beside(records: Path, experiment: str) -> Path | None:
    """The run of an experiment that is kept beside a main run, the largest there is; or None."""
    folders = (records.parent / f"{name}-{experiment}" for name in ("full", records.name))
    return next((one for one in folders if (one / "manifest.json").exists()), None)
