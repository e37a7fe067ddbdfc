"""`nizkbench shared`: what all pages of a report need beside them."""

from pathlib import Path
from typing import Annotated

import typer


def shared(
    into: Annotated[Path, typer.Option("--into", help="The folder of the pages.")],
) -> None:
    """Write plotly.js and the style once, beside the pages of a report."""
    from nizkbench.report import write_shared

    for path in write_shared(into):
        print(path)
