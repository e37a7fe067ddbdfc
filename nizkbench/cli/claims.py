"""`nizkbench claims`: every claim with its verdict, and why."""

from pathlib import Path
from typing import Annotated

import typer


def claims(
    records: Annotated[
        Path | None,
        typer.Argument(help="The folder of a main run; data/reference/standard if none is named."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option("--key", help="Only this claim, or all of a source: own.3, p1. May repeat."),
    ] = None,
) -> None:
    """Decide every claim over a main run and the runs of the other experiments beside it.

    A run that is not there decides nothing, and its claims say so.
    """
    from rich.console import Console

    from nizkbench import layout
    from nizkbench.claim_register import sources
    from nizkbench.claim_verdicts import read_judged
    from nizkbench.errors import NizkBenchError
    from nizkbench.words import listed

    every = read_judged(records or layout.reference() / "standard")
    wanted = {one.lower() for one in key or ()}
    known = {name for one in every for name in (one.claim.key, one.claim.source)}
    if unknown := wanted - known:
        raise NizkBenchError(
            f"no claim and no source of claims is called {listed(sorted(unknown))}"
        )
    found = [one for one in every if not wanted or wanted & {one.claim.key, one.claim.source}]
    console = Console(highlight=False, soft_wrap=True, markup=False)
    source = None
    for one in found:
        if one.claim.source != source:
            source = one.claim.source
            console.print(f"# {sources()[source].title}\n")
        console.print(f"{one.claim.key.upper()}  {one.claim.said}.")
        if one.claim.suspicion is not None:
            console.print(f"    suspected: {one.claim.suspicion}.")
        sides = {"as published": one.published, "on equal terms": one.equal}
        if one.published == one.equal:
            sides = {"": one.equal}
        for side, verdict in sides.items():
            if verdict is not None:
                where = f"{side}: " if side else ""
                console.print(f"    {where}{verdict.outcome}. {verdict.sentence}")
        console.print()
