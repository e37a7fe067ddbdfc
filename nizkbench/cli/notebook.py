"""`nizkbench notebook`: run an experiment's notebook with the parameters of a profile."""

from pathlib import Path
from typing import Annotated

import typer


def notebook(
    experiment: Annotated[str, typer.Argument(help="A notebook in notebooks/, such as mimc.")],
    profile: Annotated[str, typer.Option("--profile", help="A name in profiles/, or a path.")],
    into: Annotated[Path, typer.Option("--into", help="The executed notebook to write.")],
    records: Annotated[
        Path | None,
        typer.Option("--records", help="Show the records of this folder instead of measuring."),
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option("--beside", help="The file that `nizkbench beside` wrote of these records."),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-p", help="NAME=VALUE, in TOML, instead of the profile's."),
    ] = None,
) -> None:
    """Run a notebook by papermill: it measures what is missing, then shows everything."""
    from nizkbench.notebook_run import run_notebook

    run_notebook(experiment, profile, into, records=records, kept=beside, overrides=parameter or [])
    print(into)
