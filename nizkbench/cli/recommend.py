"""`nizkbench recommend`: which STARK options to take, by what was measured."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from nizkbench import layout
from nizkbench.errors import NizkBenchError

#: Names of the objectives on the command line.
OBJECTIVES = {"time": "prove_ns", "verify": "verify_ns", "size": "proof_bytes"}

#: How many cells that cannot be told apart from the best are printed.
SHOWN = 10


def recommend(
    min_bits: Annotated[float, typer.Option(help="Fewest bits of security.")] = 100,
    proven: Annotated[
        bool, typer.Option("--proven", help="Count proven bits, of either decoding regime.")
    ] = False,
    regime: Annotated[
        str | None,
        typer.Option(help="conjectured, proven, unique-decoding or list-decoding."),
    ] = None,
    max_proof_kb: Annotated[float | None, typer.Option(help="Largest proof, 1000 bytes.")] = None,
    max_verify_ms: Annotated[float | None, typer.Option(help="Longest verify time.")] = None,
    max_prove_ms: Annotated[float | None, typer.Option(help="Longest time to proof.")] = None,
    rounds: Annotated[int, typer.Option(help="Rounds of MiMC: the size of the statement.")] = 255,
    field: Annotated[
        str | None,
        typer.Option(help="f128 or f64: the field of the statement, the smaller one hides less."),
    ] = None,
    best: Annotated[str, typer.Option("--best", help="What to minimise: time, verify, size.")] = (
        "time"
    ),
    records: Annotated[
        Path | None, typer.Option(help="The folder of a grid's records; the reference grid.")
    ] = None,
) -> None:
    """Recommend STARK options: the best measured, which of its like to take, and the others."""
    from nizkbench.cells import GridRecords
    from nizkbench.choice import EARLIER_DEFAULT, Demands, element_bits
    from nizkbench.choice import recommend as best_of
    from nizkbench.ratios import MARGIN
    from nizkbench.records import read_records

    if best not in OBJECTIVES:
        raise NizkBenchError(f"--best is {best}, legal are {', '.join(OBJECTIVES)}")
    if proven and regime not in (None, "proven"):
        raise NizkBenchError(f"--proven and --regime {regime} contradict each other, give one")
    demands = Demands(
        rounds=rounds,
        min_bits=min_bits,
        regime=regime or ("proven" if proven else "conjectured"),
        field=field,
        max_proof_bytes=None if max_proof_kb is None else max_proof_kb * 1e3,
        max_verify_ns=None if max_verify_ms is None else max_verify_ms * 1e6,
        max_prove_ns=None if max_prove_ms is None else max_prove_ms * 1e6,
        objective=OBJECTIVES[best],
    )
    folder = records or layout.reference() / "full-stark-grid"
    read = GridRecords(read_records(folder))
    found = best_of(read.cells, read.cell_invocations, demands)
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"best   {_costs(found.best)}")
    console.print(f"       {_bits(found.best)}")
    console.print(f"       {_options(found.best)}")
    if found.runners_up.height:
        others = " and ".join(title for cost, title in COSTS.items() if cost != demands.objective)
        why = (
            f"of those within {100 * MARGIN:g} % of the best that cannot be told apart from it,"
            f" lowest in {others} together"
        )
        if found.take["configuration"] == found.best["configuration"]:
            console.print(f"take   the best: {why}")
        else:
            console.print(f"take   {_costs(found.take)}; {_bits(found.take)}")
            console.print(f"       with {_options(found.take, found.best)}: {why}")
    others_than_taken = found.runners_up.filter(
        found.runners_up["configuration"] != found.take["configuration"]
    )
    for row in others_than_taken.head(SHOWN).iter_rows(named=True):
        console.print(f"or     {_costs(row)}; {_bits(row)}")
        console.print(f"       with {_options(row, found.best)}")
    more = found.runners_up.height
    console.print(
        f"{found.qualified} measured cells qualify, {found.computations} different computations;"
        f" {more} cannot be told apart from the best in {COSTS[demands.objective]}"
        + (f", {SHOWN} others of them shown" if others_than_taken.height > SHOWN else "")
    )
    usual, taken = str(EARLIER_DEFAULT["field"]), str(found.take["field"])
    if demands.field is None and element_bits(taken) < element_bits(usual):
        console.print(
            f"{taken} makes another statement: its preimage has elements of {element_bits(taken)}"
            f" bits, that of {usual} of {element_bits(usual)}; --field {usual} keeps to the latter"
        )


#: What each cost is called.
COSTS = {"prove_ns": "time to proof", "verify_ns": "verify time", "proof_bytes": "proof size"}


def _costs(row: dict[str, Any]) -> str:
    """The costs of a cell with their intervals."""
    from nizkbench.quantities import Quantity, plain

    said = []
    for name, title in COSTS.items():
        low, high = (row[f"{name}{end}"] for end in ("_low", "_high"))
        bounds = (row[name], row[name]) if low is None else (low, high)
        unit = "bytes" if name == "proof_bytes" else "ns"
        said.append(f"{title} {plain(Quantity(row[name], *bounds, unit), interval=True)}")
    return ", ".join(said)


def _bits(row: dict[str, Any]) -> str:
    """The bits of security of a cell in every regime."""
    regimes = {"conjectured": "conjectured", "udr": "unique decoding", "ldr": "list decoding"}
    known = {title: row[f"security_{name}"] for name, title in regimes.items()}
    return "bits: " + ", ".join(f"{one:g} {title}" for title, one in known.items() if one)


def _options(row: dict[str, Any], than: dict[str, Any] | None = None) -> str:
    """The options of a cell, or those that it has other than another one.

    Levels that make the same computation are given together: `remainder_max_degree=31|127`.
    """
    from nizkbench.choice import alike, options_of
    from nizkbench.operations import IDLE

    told = options_of(row)
    other = {} if than is None else options_of(than)
    for name in IDLE:
        levels = alike(row, name)
        same = other.get(name) in levels
        told[name] = other[name] if same else "|".join(map(str, levels))
    return " ".join(f"{name}={value}" for name, value in told.items() if other.get(name) != value)
