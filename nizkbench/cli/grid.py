"""`nizkbench grid`: plan, measure and merge the grid of a STARK's options."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.grid import Grid, grid_of
from nizkbench.grid_measure import Shard, measure_shard
from nizkbench.grid_merge import merge
from nizkbench.profile import StarkGrid, read_profile

#: The budget is spent and something is left to measure: the same command goes on.
NOT_COMPLETE = 1


def grid(
    action: Annotated[Literal["plan", "measure", "merge"], typer.Argument(help="What to do.")],
    profile: Annotated[str, typer.Argument(help="A name in profiles/, or a path.")],
    shard: Annotated[str, typer.Option(help="Measure shard I of N only, as I/N.")] = "1/1",
    budget: Annotated[
        float | None, typer.Option(help="Seconds after which to stop, to go on another time.")
    ] = None,
    incomplete: Annotated[
        bool, typer.Option("--incomplete", help="Merge what shards have measured so far.")
    ] = False,
    into: Annotated[
        Path | None, typer.Option(help="The folder of the run, runs/PROFILE-stark-grid if none.")
    ] = None,
) -> None:
    """Show, measure or merge every combination of a STARK's options that a profile crosses.

    A run that is not sharded is merged at once. Ends with status 0 when all that was asked for is
    measured, with 1 when the budget ended before; then the same command goes on.
    """
    read = read_profile(profile)
    if read.stark_grid is None:
        raise NizkBenchError(f"profile {read.name} has no section stark_grid")
    run = into or layout.runs() / f"{read.name}-stark-grid"
    console = Console(highlight=False, soft_wrap=True)
    if action == "plan":
        planned, _ = grid_of(read.stark_grid)
        _show(planned, read.stark_grid, console)
        return
    if action == "measure":
        asked = Shard.read(shard)
        if not measure_shard(read.name, read.stark_grid, run, shard=asked, budget=budget):
            raise typer.Exit(NOT_COMPLETE)
        if asked.of > 1:
            return
    ended = merge(run, incomplete=incomplete)
    cells, finished = ended.records.configurations.height, ended.manifest["finished"]
    console.print(
        f"{read.name}: {cells} cells, {finished['invocations']} invocations in"
        f" {finished['processes']} processes, {finished['elapsed_ns'] / 6e10:.1f} min of"
        f" {ended.manifest['shards']} shards, {finished['timed_share'] or 0:.0%} in timed phases"
    )


def _show(planned: Grid, experiment: StarkGrid, console: Console) -> None:
    legal = Table("crossing", "rounds", "legal", "measured", "imbalance", box=None, pad_edge=False)
    for name, part in planned.parts.items():
        legal.add_row(
            name,
            ", ".join(map(str, experiment.crossings[name].rounds)),
            str(part.legal),
            str(part.kept),
            f"{part.imbalance:.2f}" if part.kept < part.legal else "",
        )
    console.print(legal)
    excluded = Table("rule", "combinations", "for one", box=None, pad_edge=False)
    told = {one.rule: one.message for one in reversed(planned.excluded)}
    for rule, count in planned.by_rule().items():
        excluded.add_row(rule, str(count), told[rule])
    console.print(excluded)
    by_rounds: dict[int, int] = {}
    for one in planned.cells:
        by_rounds[one.size] = by_rounds.get(one.size, 0) + 1
    rounds = ", ".join(f"{count} at {size}" for size, count in sorted(by_rounds.items()))
    console.print(
        f"{len(planned.cells)} cells to measure ({rounds} rounds), {len(planned.excluded)}"
        f" combinations unsupported; {experiment.blocks} processes a cell:"
        f" {len(planned.cells) * experiment.blocks} invocations in about"
        f" {-(-len(planned.cells) // experiment.cells_per_process) * experiment.blocks} processes"
    )
