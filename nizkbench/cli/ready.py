"""`nizkbench ready`: whether what a build is asked for exists."""

from pathlib import Path
from typing import Annotated

import typer

from nizkbench.profile import read_profile


def ready(
    profile: Annotated[str, typer.Argument(help="A name in profiles/, or a path.")],
    records: Annotated[
        Path | None, typer.Argument(help="The folder of a run's records, if it is to be read.")
    ] = None,
) -> None:
    """Refuse a profile or a folder of records that cannot be read, before anything is built."""
    read_profile(profile)
    if records is not None:
        from nizkbench.records import read_run

        read_run(records)
