"""`nizkbench unbundle`: verify a run that came as one file, and lay it out for analysis."""

from pathlib import Path
from typing import Annotated

import typer


def unbundle(
    bundle: Annotated[Path, typer.Argument(help="A file that `nizkbench bundle` wrote.")],
    into: Annotated[Path, typer.Option("--into", help="The folder to make.")],
) -> None:
    """Verify every file of a bundle, and write them to a new folder if all are as they were."""
    from nizkbench.bundle import unpack

    names = unpack(bundle, into)
    print(f"{into}: {len(names)} files as they were bundled; `nizkbench claims {into / 'records'}`")
