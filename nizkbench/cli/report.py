"""`nizkbench report`: an executed notebook as one page."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    notebook: Annotated[Path, typer.Argument(help="An executed notebook.")],
    into: Annotated[Path, typer.Option("--into", help="The HTML file to write.")],
) -> None:
    """Turn an executed notebook into one HTML file with interactive figures, no network needed."""
    from nizkbench.report import write_report

    write_report(notebook, into)
    print(into)
