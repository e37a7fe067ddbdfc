"""`nizkbench conform`: whether runners keep every promise of the protocol."""

import time
from collections.abc import Iterable
from typing import Annotated

import typer
from rich.console import Console

from nizkbench.conform import Finding, structure, unfinished
from nizkbench.conform import conform as findings_of
from nizkbench.errors import NizkBenchError
from nizkbench.runner import Runner, find_runner, find_runners


class NonconformanceError(NizkBenchError):
    """A runner broke a promise."""


def conform(
    runner: Annotated[
        str | None,
        typer.Argument(help="A runner, or its folder; all of them if none is named."),
    ] = None,
    flips: Annotated[
        int,
        typer.Option(
            min=8,
            help="How many bits of each proof are flipped; an eighth for options not default.",
        ),
    ] = 256,
    system: Annotated[
        str | None, typer.Option(help="Check this system alone, of all that the runner has.")
    ] = None,
    statement: Annotated[
        str | None, typer.Option(help="Check this statement alone, of all that the runner proves.")
    ] = None,
    structural: Annotated[
        bool,
        typer.Option(
            "--structure", help="Check what needs no proof, and say what is left to implement."
        ),
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Print kept promises too.")] = False,
) -> None:
    """Check known answers, tampering, bad requests, thread limits, seeds and stop rules."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    name = runner.rstrip("/").rsplit("/", 1)[-1] if runner else None
    broken = 0
    for one in [find_runner(name)] if name else list(find_runners().values()):
        started, kept = time.monotonic(), 0
        findings = (
            structure(one, system=system, statement=statement)
            if structural
            else findings_of(one, flips, system=system, statement=statement)
        )
        for finding in findings:
            if finding.kept:
                kept += 1
            else:
                broken += 1
            if every or not finding.kept:
                mark = "kept  " if finding.kept else "BROKEN"
                detail = f" [{finding.detail}]" if finding.detail else ""
                console.print(f"{mark} {finding.subject}: {finding.promise}{detail}")
        part = " of the structure" if structural else ""
        seconds = time.monotonic() - started
        console.print(f"{one.name}: {kept} promises{part} kept ({seconds:.0f} s)")
        if structural:
            _say_what_is_left(console, one, unfinished(one, system=system, statement=statement))
    if broken:
        raise NonconformanceError(f"{broken} promises of the protocol are broken, listed above")


def _say_what_is_left(console: Console, runner: Runner, left: Iterable[Finding]) -> None:
    """List what a runner says it has yet to implement, each sentence once."""
    sentences = dict.fromkeys(finding.detail for finding in left)
    for sentence in sentences:
        console.print(f"left   {sentence}")
    if sentences:
        console.print(f"Then: just conform {runner.name}; EXTENDING.md is the guide.")
