"""`nizkbench claims`: every claim with its verdict, and why."""

from pathlib import Path
from typing import Annotated

import typer

from nizkbench.beside import recorded_beside


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
    from nizkbench.analysis import analyse
    from nizkbench.claim_register import sources
    from nizkbench.claim_verdicts import judged
    from nizkbench.errors import NizkBenchError
    from nizkbench.grid_claims import read_grid, with_grid
    from nizkbench.hash_results import read_hash_results
    from nizkbench.records import read_run
    from nizkbench.results import results_of

    main = records or layout.root() / "data" / "reference" / "standard"
    results = hashes = None
    if (main / "manifest.json").exists():
        run = read_run(main)
        results = results_of(run, analyse(run.records))
        if (grid := recorded_beside(main, "stark-grid")) is not None:
            results = with_grid(results, *read_grid(grid, recorded_beside(main, "p1-grinding")))
    if (folder := recorded_beside(main, "hash-functions")) is not None:
        hashes = read_hash_results(folder)
    if results is None and hashes is None:
        raise NizkBenchError(f"{main} holds no run, and no other experiment is recorded beside it")
    found = [one for one in judged(results, hashes) if key is None or one.claim.key.startswith(key)]
    if not found:
        raise NizkBenchError(f"no claim has a key that begins with {key}")
    console = Console(highlight=False, soft_wrap=True, markup=False)
    source = None
    for one in found:
        if one.claim.source != source:
            source = one.claim.source
            console.print(f"# {sources()[source].title}\n")
        console.print(f"{one.claim.key.upper()}  {one.claim.said}.")
        sides = {"as published": one.published, "on equal terms": one.equal}
        if one.published == one.equal:
            sides = {"": one.equal}
        for side, verdict in sides.items():
            if verdict is not None:
                where = f"{side}: " if side else ""
                console.print(f"    {where}{verdict.outcome}. {verdict.sentence}")
        console.print()
