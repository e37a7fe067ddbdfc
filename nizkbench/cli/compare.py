"""`nizkbench compare`: another machine's run against a recorded one."""

from pathlib import Path
from typing import Annotated

import typer


def compare(
    run: Annotated[Path, typer.Argument(help="The folder of a run's records, runs/standard.")],
    against: Annotated[
        Path | None,
        typer.Option("--against", help="Another run; else the recorded one of the same name."),
    ] = None,
) -> None:
    """Say where a run agrees with a recorded one on ratios, orders and growth, and where not."""
    from nizkbench import layout
    from nizkbench.analysed import read_analysed
    from nizkbench.compare import comparable, recorded_as, sentences
    from nizkbench.errors import NizkBenchError

    # Before anything is analysed: of a whole grid that takes minutes and gigabytes.
    comparable(run)
    here = read_analysed(run)
    recorded = against or recorded_as(run, layout.reference())
    comparable(recorded)
    there = read_analysed(recorded)
    statements = [set(one.configurations["statement"]) for one in (here, there)]
    if statements[0] != statements[1]:
        raise NizkBenchError(f"{run} and {recorded} are of different experiments")
    print(f"{run} against {recorded}\n")
    for sentence in sentences(here, there):
        print(f"- {sentence}")
