"""Options of the command line that several verbs have: records beside those of the main run."""

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
