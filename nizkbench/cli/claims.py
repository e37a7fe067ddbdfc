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
        str | None, typer.Option("--key", help="Only the claims whose key begins so: p1, own.3.")
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

    every = read_judged(records or layout.reference() / "standard")
    found = [one for one in every if key is None or one.claim.key.startswith(key)]
    if not found:
        raise NizkBenchError(f"no claim has a key that begins with {key}")
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
