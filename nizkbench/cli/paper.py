"""`nizkbench paper`: from LaTeX and generated files to the PDF of the paper or its supplement."""

from pathlib import Path
from typing import Annotated

import typer


def paper(
    records: Annotated[Path, typer.Argument(help="The folder of a run's records.")],
    generated: Annotated[
        Path, typer.Option("--generated", help="The folder with numbers, tables and figures.")
    ],
    into: Annotated[
        Path, typer.Option("--into", help="The PDF to write: paper.pdf or supplement.pdf.")
    ],
) -> None:
    """Typeset the paper or its supplement from the figures, tables and numbers of a run."""
    from nizkbench import layout
    from nizkbench.paper import build_paper
    from nizkbench.records import read_manifest
    from nizkbench.results import epoch_of

    epoch = epoch_of(read_manifest(records))
    build_paper(layout.root() / "paper", generated, into, epoch)
    print(into)
