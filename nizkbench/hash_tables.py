"""The tables of hash functions in circuits, each a function of `HashResults`.

A table that the run has nothing for has no rows.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from nizkbench.hash_claims import CLAIMS, hash_verdicts
from nizkbench.hash_figures import FUNCTION_NAMES
from nizkbench.hash_results import (
    FUNCTIONS,
    LEDGER_LIMITS,
    NATIVE,
    THREADS,
    ZOKRATES,
    Bound,
    HashResults,
)
from nizkbench.hash_speed import HASH, MERKLE, per_hash, whole_task
from nizkbench.quantities import Quantity, exact, plain
from nizkbench.results import system_label
from nizkbench.tables import Cell, Stacked, Table, written

#: What the metrics of growth and crossovers are called.
METRIC_NAMES = {
    "constraints": "constraints",
    "size:proving_key": "proving key",
    "time_to_proof": "time to proof",
    "setup": "setup",
    "prove": "prove",
}

#: Earlier work's Table 1: a hash of 512 bits "in ms", a tree of 2^20 leaves in s. One function of
#: ours for each of its names.
PUBLISHED_SPEED = {
    "sha256": ("0.32", "0.624"),
    "sha3-256": ("0.42", "0.439"),
    "blake2s": ("0.21", "0.222"),
    "poseidon": ("20", "22.6"),
    "mimc-sponge": ("38", "42.2"),
}


def _rows_of_systems(results: HashResults) -> list[tuple[str, str, str]]:
    """(system, function, series) of every main series, systems in order, functions in theirs."""
    return [
        (system, function, series)
        for system in results.systems
        for function, series in results.functions_of(system).items()
    ]


def constraints(results: HashResults) -> Table:
    """Constraints of every function in every system, by the bytes of the message.

    The native prover has ZoKrates' circuits and no row of its own where ZoKrates has that size.
    """
    sizes = results.results.grid
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    last = None
    for system, function, series in _rows_of_systems(results):
        if system == NATIVE and ZOKRATES in results.systems:
            continue
        if system != last:
            rules.add(len(rows))
        title = system_label(system) if system != last else ""
        last = system
        other = results.series(NATIVE, function) if system == ZOKRATES else None
        counts = [_count(results, (series, other), size) for size in sizes]
        rows.append((title, FUNCTION_NAMES[function], *counts))
    heads = ("system", "function", *(f"{size} B" for size in sizes))
    return Table(heads, "ll" + "r" * len(sizes), tuple(rows), frozenset(rules - {0}))


def _count(results: HashResults, series: tuple[str | None, ...], size: int) -> Cell:
    for one in series:
        count = None if one is None else results.constraints(one, size)
        if count is not None:
            return exact(count)
    lost = [one for one in series if one is not None and size in results.out_of_memory(one)]
    return "out of memory" if lost else None


def cost(results: HashResults) -> Table:
    """What the largest message of each function costs in each system, one thread."""
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    last = None
    for system, function, series in _rows_of_systems(results):
        sizes = results.sizes(series)
        if not sizes:
            continue
        if system != last:
            rules.add(len(rows))
        title = system_label(system) if system != last else ""
        last = system
        size = sizes[-1]

        def value(metric: str, series: str = series, size: int = size) -> Quantity | None:
            return results.results.value(series, metric, size, THREADS)

        rows.append(
            (
                title,
                FUNCTION_NAMES[function],
                str(size),
                *(Stacked(value(metric)) for metric in ("compile", "setup", "prove", "verify")),
                Stacked(value("peak_memory_prove")),
                results.results.value(series, "size:proving_key", size),
                results.results.value(series, "size:proof", size),
            )
        )
    heads = ("system", "function", "bytes", "compile", "setup", "prove", "verify")
    return Table(
        (*heads, "memory, prove", "proving key", "proof"),
        "llrrrrrrrr",
        tuple(rows),
        frozenset(rules - {0}),
    )


def growth(results: HashResults) -> Table:
    """What another byte of the message costs, and how well a line fits; largest size measured."""
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    last = None
    for system, function, series in _rows_of_systems(results):
        for metric in ("constraints", "setup", "prove"):
            row = results.growth_of(series, metric)
            if row is None:
                continue
            if (system, function) != last:
                rules.add(len(rows))
            names = (
                ("", "")
                if (system, function) == last
                else (
                    system_label(system),
                    FUNCTION_NAMES[function],
                )
            )
            last = (system, function)
            bounds = {
                name: Quantity(row[name], row[f"{name}_low"], row[f"{name}_high"], unit)
                for name, unit in (("per_byte", row["unit"]), ("exponent", "1"))
            }
            rows.append(
                (
                    *names,
                    METRIC_NAMES[metric],
                    f"{row['smallest']}–{row['largest']}",
                    Stacked(bounds["per_byte"]),
                    Stacked(bounds["exponent"]),
                    f"{row['r_squared']:.4f}",
                )
            )
    heads = ("system", "function", "metric", "bytes", "for each byte", "exponent", "R² of the line")
    return Table(heads, "lllrrrr", tuple(rows), frozenset(rules - {0}))


def crossovers(results: HashResults) -> Table:
    """From which message length on which function costs less; nothing is extrapolated."""
    rows: list[tuple[Cell, ...]] = []
    for row in results.crossovers.filter(pl.col("metric") != "time_to_proof").iter_rows(named=True):
        low, high = (row["bytes"] if row[end] is None else row[end] for end in _ENDS)
        rows.append(
            (
                system_label(row["system"]),
                METRIC_NAMES[row["metric"]],
                FUNCTION_NAMES[row["cheaper_below"]],
                FUNCTION_NAMES[row["cheaper_above"]],
                Stacked(Quantity(row["bytes"], low, high)),
                f"{row['between']}–{row['and']}",
            )
        )
    heads = ("system", "metric", "cheaper below", "cheaper above", "bytes", "measured at")
    return Table(heads, "llllrr", tuple(rows))


_ENDS = ("bytes_low", "bytes_high")


def fits(results: HashResults) -> Table:
    """The longest message measured whose proving key fits into a block of a ledger."""
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    last = None
    for system, function, series in _rows_of_systems(results):
        cells: list[Cell] = []
        for limit in LEDGER_LIMITS:
            found = results.fits(series, limit)
            if found is None:
                break
            match found.bound:
                case Bound.NONE:
                    cells.append("none")
                case Bound.AT_LEAST:
                    cells.append(f"≥ {found.size} B")
                case Bound.MEASURED:
                    cells.append(f"{found.size} B")
        if len(cells) < len(LEDGER_LIMITS):
            continue
        if system != last:
            rules.add(len(rows))
        title = system_label(system) if system != last else ""
        last = system
        rows.append((title, FUNCTION_NAMES[function], *cells))
    limits = (f"key of {plain(exact(one, 'bytes'))}" for one in LEDGER_LIMITS)
    return Table(("system", "function", *limits), "llrrr", tuple(rows), frozenset(rules - {0}))


def native(results: HashResults) -> Table:
    """How many times as long WebAssembly proves the same circuit as the native prover."""
    rows: list[tuple[Cell, ...]] = []
    for function in FUNCTIONS:
        for place, (size, count, gain) in enumerate(results.native_gains(function)):
            title = FUNCTION_NAMES[function] if place == 0 else ""
            slow, fast = (
                None if series is None else results.results.value(series, "prove", size, THREADS)
                for series in (
                    results.series(ZOKRATES, function, options={"backend": "ark"}),
                    results.series(NATIVE, function),
                )
            )
            shown = Stacked(slow), Stacked(fast), Stacked(gain)
            rows.append((title, str(size), exact(count), *shown))
    heads = ("function", "bytes", "constraints", "WebAssembly", "native", "ratio")
    return Table(heads, "lrrrrr", tuple(rows))


def speed(results: HashResults) -> Table:
    """The functions alone on one thread, beside what earlier work printed."""
    if results.speed is None:
        return Table(("function", "64 bytes"), "lr", ())
    manifest = results.results.manifest.get("speed") or {}
    described = manifest.get("describe", {}).get("functions", ())
    code = {one["function"]: f"{one['crate']} {one['version']}" for one in described}
    rows: list[tuple[Cell, ...]] = [
        (
            FUNCTION_NAMES[function],
            code.get(function),
            Stacked(per_hash(results.speed, function, HASH)),
            Stacked(whole_task(results.speed, function, MERKLE)),
            Stacked(per_hash(results.speed, function, MERKLE)),
            *PUBLISHED_SPEED.get(function, (None, None)),
        )
        for function in FUNCTIONS
    ]
    leaves = manifest.get("leaves_log2", "n")
    return Table(
        (
            "function",
            "code",
            "64 bytes",
            f"tree of 2^{leaves} leaves",
            "a hash of it",
            "published, “ms”",
            "published tree, s",
        ),
        "llrrrrr",
        tuple(rows),
    )


def failures(results: HashResults) -> Table:
    """Every circuit without times: how it ended, and what was said."""
    rows: list[tuple[Cell, ...]] = [
        (
            system_label(one.system),
            FUNCTION_NAMES[one.function],
            str(one.size),
            one.outcome,
            one.message,
        )
        for one in results.failures
    ]
    return Table(
        ("system", "function", "bytes", "outcome", "said"),
        r"llrl>{\raggedright\arraybackslash}p{0.5\linewidth}",
        tuple(rows),
    )


def claims(results: HashResults) -> Table:
    """Every claim with its verdict under both terms."""
    found = hash_verdicts(results)
    rows: list[tuple[Cell, ...]] = [
        (key.upper(), text, *(str(one.outcome) for one in found[key]))
        for key, text in CLAIMS.items()
    ]
    return Table(
        ("", "claim of the earlier paper", "as published", "equal terms"),
        r"lp{0.58\linewidth}ll",
        tuple(rows),
    )


def claim_reasons(results: HashResults) -> Table:
    """The sentence behind every verdict."""
    found = hash_verdicts(results)
    rows: list[tuple[Cell, ...]] = []
    for key in CLAIMS:
        then, now = found[key]
        rows.append((key.upper(), "published", str(then.outcome), then.sentence))
        rows.append(("", "equal", str(now.outcome), now.sentence))
    return Table(
        ("", "terms", "verdict", "because"),
        r"lllp{0.68\linewidth}",
        tuple(rows),
        frozenset(range(2, len(rows), 2)),
    )


TABLES: Mapping[str, Callable[[HashResults], Table]] = {
    "hash-constraints": constraints,
    "hash-cost": cost,
    "hash-growth": growth,
    "hash-crossovers": crossovers,
    "hash-fits": fits,
    "hash-native": native,
    "hash-speed": speed,
    "hash-failures": failures,
    "hash-claims": claims,
    "hash-claim-reasons": claim_reasons,
}


def write_hash_tables(results: HashResults, folder: Path) -> list[Path]:
    """Write every table as a LaTeX `tabular` into `folder`, and nothing else beside them."""
    return written({name: function(results) for name, function in TABLES.items()}, folder)
