"""`nizkbench plan`: what a profile would measure."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from nizkbench.measure import plan_of
from nizkbench.profile import Mimc, read_profile


def plan(
    profile: Annotated[str, typer.Argument(help="A name in profiles/, or a path.")],
    experiment: Annotated[
        str, typer.Option(help="Which one of the profile: mimc, hash_functions or range_proofs.")
    ] = Mimc.SECTION,
) -> None:
    """Show the configurations of a profile, and how long they take at least and at most."""
    asked = read_profile(profile).experiment(experiment)
    planned, _ = plan_of(asked)
    table = Table(box=None, pad_edge=False)
    for column in ("configuration", "track", "series", "size", "threads"):
        table.add_column(column, justify="right" if column == "size" else "left")
    for one in planned:
        threads = f"{one.threads_label} ({one.threads})"
        table.add_row(
            one.configuration, one.track, one.series, f"{one.size} {one.size_name}", threads
        )
    console = Console(highlight=False)
    console.print(table)
    blocks = asked.blocks
    console.print(
        f"{len(planned)} configurations, {blocks.minimum} to {blocks.maximum} blocks:"
        f" {len(planned) * blocks.minimum} to {len(planned) * blocks.maximum} invocations;"
        f" after {blocks.minimum} blocks, none begins later than {blocks.seconds:g} s",
        soft_wrap=True,
    )
