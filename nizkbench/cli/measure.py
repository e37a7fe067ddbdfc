"""`nizkbench measure`: carry a profile out, or go on with it."""

from typing import Annotated

import typer
from rich.console import Console

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.measure import failures, records_so_far
from nizkbench.measure import measure as carry_out
from nizkbench.profile import HashFunctions, Mimc, read_profile
from nizkbench.records import Run, write_records

#: Everything was measured, and some configurations have no times: a result, but not a clean one.
COMPLETE_WITH_FAILURES = 3


def measure(
    profile: Annotated[str, typer.Argument(help="A name in profiles/, or a path.")],
    experiment: Annotated[
        str, typer.Option(help="Which one of the profile: mimc, hash_functions or range_proofs.")
    ] = Mimc.SECTION,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Keep an older run under another name, start anew.")
    ] = False,
    only_records: Annotated[
        bool,
        typer.Option("--only-records", help="Write the tables of what is journalled so far."),
    ] = False,
) -> None:
    """Measure an experiment of a profile into runs/, or what is still missing of it.

    The experiment on hash functions also times each of them alone.

    Ends with status 0 when every configuration has times, with 3 when the run is complete and
    some have none, with 1 when it is not complete; then the same command goes on.
    """
    read = read_profile(profile)
    asked = read.experiment(experiment)
    folder = layout.runs() / f"{read.name}{asked.SUFFIX}"
    if only_records:
        for path in write_records(records_so_far(folder), folder):
            print(path.relative_to(layout.root()))
        return
    run = carry_out(read.name, asked, fresh=fresh)
    if isinstance(asked, HashFunctions):
        # Its estimates load what takes longer to load than a trial takes.
        from nizkbench.hash_speed import measure_speed

        measure_speed(asked, folder)
    Console(highlight=False, soft_wrap=True).print(summary(run))
    if failed := failures(run.records):
        first, *others = (f"{title} ({why})" for title, why in failed.items())
        more = f"; {len(others)} more are in its table `invocations`" if others else ""
        Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print(
            f"error: run {folder.name} is complete, {len(failed)} of"
            f" {run.records.configurations.height} configurations have no times: {first}{more}"
        )
        raise typer.Exit(COMPLETE_WITH_FAILURES)


def summary(run: Run) -> str:
    """A run in one line."""
    ended = run.manifest["finished"]
    if ended is None:
        raise NizkBenchError("the run is not complete")
    reasons = dict(run.records.stops["reason"].value_counts(sort=True, name="n").iter_rows())
    stopped = ", ".join(f"{count} at {reason}" for reason, count in reasons.items())
    return (
        f"{run.manifest['name']}: {run.records.configurations.height} configurations"
        f" ({stopped}), {ended['invocations']} invocations,"
        f" {ended['elapsed_ns'] / 6e10:.1f} min, {ended['timed_share']:.0%} in timed phases"
    )
