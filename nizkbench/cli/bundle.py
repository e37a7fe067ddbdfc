"""`nizkbench bundle`: a run and those beside it, with verdicts and what was built, in one file."""

from pathlib import Path
from typing import Annotated

import typer


def bundle(
    run: Annotated[Path, typer.Argument(help="The folder of a main run's records.")],
    into: Annotated[Path, typer.Option("--into", help="The file to write, ending in .zip.")],
    build: Annotated[
        Path | None, typer.Option("--build", help="What was built from it, build/PROFILE.")
    ] = None,
) -> None:
    """Pack runs as an RO-Crate that another copy can verify and analyse without measuring.

    With the main run go the runs that `nizkbench claims` finds beside it.
    """
    from nizkbench.bundle import pack

    names = pack(run, into, build)
    print(f"{into}: {len(names)} files, {into.stat().st_size / 1e6:.1f} MB")
