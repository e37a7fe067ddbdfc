"""`nizkbench report`: an executed notebook as one page."""

from pathlib import Path
from typing import Annotated

import typer

from nizkbench.errors import NizkBenchError


def report(
    notebook: Annotated[Path, typer.Argument(help="An executed notebook.")],
    into: Annotated[Path, typer.Option("--into", help="The HTML file to write.")],
    see: Annotated[
        list[str] | None,
        typer.Option("--see", help="FILE=TITLE of another page beside it, to link to."),
    ] = None,
) -> None:
    """Turn an executed notebook into one HTML file with interactive figures, no network needed."""
    from nizkbench.report import write_report

    pages = {}
    for one in see or ():
        file, sign, title = one.partition("=")
        if not sign:
            raise NizkBenchError(f"--see is {one!r}, it must be FILE=TITLE")
        pages[file] = title
    write_report(notebook, into, pages)
    print(into)
