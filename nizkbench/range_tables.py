"""The tables of ranges of committed values, each a function of `RangeResults`.

A table that the run has nothing for has no rows.
"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

from nizkbench.claims import CURVE_BITS
from nizkbench.quantities import exact
from nizkbench.range_reference import group_over
from nizkbench.range_results import RangeResults
from nizkbench.results import system_label
from nizkbench.tables import Cell, Cited, Stacked, Table, batch_verification, written


def proof_sizes(results: RangeResults) -> Table:
    """Bytes of a proof in every system, by bits and values."""
    values = results.results.grid
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for place, cell in enumerate(results.cells):
        again = place > 0 and results.cells[place - 1].system == cell.system
        if place and not again:
            rules.add(place)
        sizes = [results.value(cell.series, "size:proof", count) for count in values]
        name = "" if again else system_label(cell.system)
        rows.append((name, str(cell.bits), *sizes))
    heads = ("system", "bits", *(_counted(count) for count in values))
    return Table(heads, "lr" + "r" * len(values), tuple(rows), frozenset(rules))


def cost(results: RangeResults) -> Table:
    """What a value of 64 bits costs in every system, by how many are in a proof; one thread."""
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for system in results.systems:
        series = results.series(system)
        if series is None:
            continue
        if rows:
            rules.add(len(rows))
        for place, count in enumerate(results.sizes(series)):
            rows.append(
                (
                    "" if place else system_label(system),
                    str(count),
                    Stacked(results.value(series, "setup", count)),
                    Stacked(results.per_value(series, "time_to_proof", count)),
                    Stacked(results.per_value(series, "verify", count)),
                    results.value(series, "size:proof", count),
                    results.value(series, "size:verifying_key", count),
                )
            )
    heads = ("system", "values", "setup", "time to proof, a value", "verify, a value", "proof")
    return Table((*heads, "verifying key"), "lrrrrrr", tuple(rows), frozenset(rules))


def batches(results: RangeResults) -> Table:
    """Proofs verified together: what each takes, and that over verifying it alone."""
    rows: list[tuple[Cell, ...]] = [
        (
            system_label(one.system),
            str(one.values),
            exact(one.proofs),
            Stacked(one.each),
            Stacked(one.over_alone),
        )
        for one in results.batches
    ]
    heads = ("system", "values", "proofs", "verify, a proof", "over one alone")
    return Table(heads, "lrrrr", tuple(rows))


def batching(results: RangeResults) -> Table:
    """Which of the systems of this run verify proofs together, and what says so."""
    return batch_verification(results.results)


def security(results: RangeResults) -> Table:
    """Bits of the proof's curve in the literature, and of the group of its commitments, computed.

    A commitment binds as far as nobody has a discrete logarithm in its group of order l, which
    Pollard's rho finds in about the square root of pi l / 4 additions.
    """
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems:
        described = results.results.descriptions[system]
        curve = str(described["curve"])
        group = group_over(str(described["field"]["name"]))
        additions = math.log2(math.pi * group.ORDER / 4) / 2
        bits, source = CURVE_BITS[curve]
        commitments = f"{group.NAME}, {additions:.0f}"
        rows.append((system_label(system), f"{bits:g}", commitments, Cited("literature", source)))
    heads = ("system", "bits of the proof", "group of commitments, bits", "source")
    return Table(heads, "lrll", tuple(rows))


def _counted(values: int) -> str:
    return f"{values} value" if values == 1 else f"{values} values"


TABLES: Mapping[str, Callable[[RangeResults], Table]] = {
    "range-proof-sizes": proof_sizes,
    "range-cost": cost,
    "range-batches": batches,
    "range-batching": batching,
    "range-security": security,
}


def write_range_tables(results: RangeResults, folder: Path) -> list[Path]:
    """Write every table as a LaTeX `tabular` into `folder`, and nothing else beside them."""
    return written({name: function(results) for name, function in TABLES.items()}, folder)
