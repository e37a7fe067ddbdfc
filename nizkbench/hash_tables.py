"""The tables of hash functions in circuits, each a function of `HashResults`.

A table that the run has nothing for has no rows.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from nizkbench.claim_register import texts
from nizkbench.hash_claims import EXPERIMENT, PUBLISHED_SPEED, SOURCE, hash_verdicts
from nizkbench.hash_figures import FUNCTION_NAMES, METRIC_NAMES
from nizkbench.hash_results import (
    FUNCTIONS,
    LEDGER_LIMITS,
    NATIVE,
    STANDARD_LIBRARY,
    THREADS,
    ZOKRATES,
    Bound,
    HashResults,
    crossing_point,
)
from nizkbench.hash_speed import HASH, MERKLE, per_hash, whole_task
from nizkbench.quantities import Quantity, exact, plain, power
from nizkbench.results import system_label
from nizkbench.tables import Cell, Stacked, Table, claims_table, reasons_table, written


def _rows_of_systems(results: HashResults) -> list[tuple[str, str, str]]:
    """(system, function, series) of every main series, systems in order, functions in theirs."""
    return [
        (system, function, series)
        for system in results.systems
        for function, series in results.functions_of(system).items()
    ]


def _grouped(heads: tuple[str, ...], columns: str, rows: list[tuple[Cell, ...]], by: int) -> Table:
    """A table whose first `by` cells stand once for the rows that share them, ruled apart."""
    shown, rules = [], set()
    for place, row in enumerate(rows):
        again = place > 0 and row[:by] == rows[place - 1][:by]
        if not again and place:
            rules.add(place)
        shown.append((*("" for _ in range(by)), *row[by:]) if again else row)
    return Table(heads, columns, tuple(shown), frozenset(rules))


def constraints(results: HashResults) -> Table:
    """Constraints of every function in every system, by the bytes of the message.

    The native prover has ZoKrates' circuits and no row of its own where ZoKrates has that size.
    """
    sizes = results.results.grid
    rows: list[tuple[Cell, ...]] = []
    for system, function, series in _rows_of_systems(results):
        if system == NATIVE and ZOKRATES in results.systems:
            continue
        other = results.main(NATIVE, function) if system == ZOKRATES else None
        counts = [_count(results, (series, other), size) for size in sizes]
        rows.append((system_label(system), FUNCTION_NAMES[function], *counts))
    heads = ("system", "function", *(f"{size} B" for size in sizes))
    return _grouped(heads, "ll" + "r" * len(sizes), rows, by=1)


def _count(results: HashResults, series: tuple[str | None, ...], size: int) -> Cell:
    for one in series:
        count = None if one is None else results.constraints(one, size)
        if count is not None:
            return exact(count)
    ended = [results.lost(one).get(size) for one in series if one is not None]
    return next((one.replace("-", " ") for one in ended if one is not None), None)


def cost(results: HashResults) -> Table:
    """What the largest message of each function costs in each system, one thread."""
    rows: list[tuple[Cell, ...]] = []
    for system, function, series in _rows_of_systems(results):
        sizes = results.sizes(series)
        if not sizes:
            continue
        size = sizes[-1]

        def value(metric: str, series: str = series, size: int = size) -> Quantity | None:
            return results.results.value(series, metric, size, THREADS)

        rows.append(
            (
                system_label(system),
                FUNCTION_NAMES[function],
                str(size),
                *(Stacked(value(metric)) for metric in ("compile", "setup", "prove", "verify")),
                Stacked(value("peak_memory_prove")),
                results.results.value(series, "size:proving_key", size),
                results.results.value(series, "size:proof", size),
                _ended(results, series),
            )
        )
    heads = ("system", "function", "bytes", "compile", "setup", "prove", "verify")
    return _grouped(
        (*heads, "memory, prove", "proving key", "proof", "ended by"),
        r"llrrrrrrrr>{\raggedright\arraybackslash}p{0.08\linewidth}",
        rows,
        by=1,
    )


def _ended(results: HashResults, series: str) -> Cell:
    """What became of the next larger message, if it was tried."""
    ended = results.ended_by(series)
    return None if ended is None else f"{ended[1].replace('-', ' ')} at {ended[0]} B"


def friendly(results: HashResults) -> Table:
    """The cheapest function over bytes against the cheapest over a field, at every size."""
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems:
        for size, dear, cheap, ratio in results.friendly_gains(system, "prove"):
            functions = FUNCTION_NAMES[dear], FUNCTION_NAMES[cheap]
            rows.append((system_label(system), str(size), *functions, Stacked(ratio)))
    heads = ("system", "bytes", "over bytes", "over a field", "prove time, ratio")
    return _grouped(heads, "lrllr", rows, by=1)


def forms(results: HashResults) -> Table:
    """What the form of a circuit and the back end cost: each over the main series, largest size."""
    rows: list[tuple[Cell, ...]] = []
    for system in (ZOKRATES, NATIVE):
        for function in FUNCTIONS:
            main = results.main(system, function)
            others = {
                "elements, not bytes": results.main(system, function, "elements"),
                "standard library": results.main(system, function, gadget=STANDARD_LIBRARY),
                "back end bellman": results.series(
                    system, function, options={"backend": "bellman"}
                ),
            }
            for name, series in others.items():
                if main is None or series is None or series == main:
                    continue
                if shared := results.shared_sizes([main, series]):
                    named = system_label(system), FUNCTION_NAMES[function], name
                    rows.append((*named, *_beside(results, series, main, shared[-1])))
    heads = ("system", "function", "instead", "bytes", "constraints", "terms", "setup", "prove")
    return _grouped(heads, "lllrrrrr", rows, by=2)


def _beside(results: HashResults, series: str, main: str, size: int) -> tuple[Cell, ...]:
    """A series over the main one at a size: bytes, ratios of counts, ratios of times."""
    counted: list[Cell] = []
    for counter in ("constraints", "terms"):
        theirs, ours = (results.count(one, size, counter) for one in (series, main))
        counted.append(f"{theirs / ours:.3g}" if theirs is not None and ours else None)
    times = (results.between(phase, (series, size), (main, size)) for phase in ("setup", "prove"))
    return (str(size), *counted, *map(Stacked, times))


def growth(results: HashResults) -> Table:
    """What another byte of the message costs, and how well a line fits; largest size measured."""
    rows: list[tuple[Cell, ...]] = []
    for system, function, series in _rows_of_systems(results):
        for metric in ("constraints", "setup", "prove"):
            row = results.growth_of(series, metric)
            if row is None:
                continue
            bounds = {
                name: Quantity(row[name], row[f"{name}_low"], row[f"{name}_high"], unit)
                for name, unit in (("per_byte", row["unit"]), ("exponent", "1"))
            }
            rows.append(
                (
                    system_label(system),
                    FUNCTION_NAMES[function],
                    METRIC_NAMES[metric],
                    f"{row['smallest']}–{row['largest']}",
                    Stacked(bounds["per_byte"]),
                    Stacked(bounds["exponent"]),
                    f"{row['r_squared']:.4f}",
                )
            )
    heads = ("system", "function", "metric", "bytes", "for each byte", "exponent", "R² of the line")
    return _grouped(heads, "lllrrrr", rows, by=2)


def crossovers(results: HashResults) -> Table:
    """From which message length on which function costs less; nothing is extrapolated."""
    rows: list[tuple[Cell, ...]] = []
    for row in results.crossovers.iter_rows(named=True):
        rows.append(
            (
                system_label(row["system"]),
                METRIC_NAMES[row["metric"]],
                FUNCTION_NAMES[row["cheaper_below"]],
                FUNCTION_NAMES[row["cheaper_above"]],
                # Exact quantities grow in steps of whole blocks, between which nothing is known.
                None if row["blocks"] < 2 else Stacked(crossing_point(row)),
                f"{row['between']}–{row['and']}",
            )
        )
    heads = ("system", "metric", "cheaper below", "cheaper above", "bytes", "measured at")
    return Table(heads, "llllrr", tuple(rows))


def fits(results: HashResults) -> Table:
    """The longest message measured whose proving key fits into a block of a ledger.

    ZoKrates' circuits have one row, since their keys are the same with either prover.
    """
    rows: list[tuple[Cell, ...]] = []
    for system, function, main in _rows_of_systems(results):
        if system == NATIVE and results.main(ZOKRATES, function) is not None:
            continue
        series = results.circuits[function] if system in (ZOKRATES, NATIVE) else main
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
        rows.append((system_label(system), FUNCTION_NAMES[function], *cells))
    limits = (f"key of {plain(exact(one, 'bytes'))}" for one in LEDGER_LIMITS)
    return _grouped(("system", "function", *limits), "llrrr", rows, by=1)


def native(results: HashResults) -> Table:
    """How many times as long WebAssembly proves the same circuit as the native prover."""
    rows: list[tuple[Cell, ...]] = []
    for function in FUNCTIONS:
        for place, (size, count, gain) in enumerate(results.native_gains(function)):
            title = FUNCTION_NAMES[function] if place == 0 else ""
            slow, fast = (
                None if series is None else results.results.value(series, "prove", size, THREADS)
                for series in (results.main(system, function) for system in (ZOKRATES, NATIVE))
            )
            shown = Stacked(slow), Stacked(fast), Stacked(gain)
            rows.append((title, str(size), exact(count), *shown))
    heads = ("function", "bytes", "constraints", "WebAssembly", "native", "ratio")
    return Table(heads, "lrrrrr", tuple(rows))


def speed(results: HashResults) -> Table:
    """The functions alone on one thread, beside what earlier work printed."""
    if results.speed is None:
        return Table(("function", "64 bytes"), "lr", ())
    described = results.timed.get("describe", {}).get("functions", ())
    code = {one["function"]: f"{one['crate']} {one['version']}" for one in described}
    rows: list[tuple[Cell, ...]] = [
        (
            FUNCTION_NAMES[function],
            code.get(function),
            Stacked(per_hash(results.speed, function, HASH)),
            Stacked(whole_task(results.speed, function, MERKLE)),
            Stacked(per_hash(results.speed, function, MERKLE)),
            *(f"{one:g}" if one else None for one in PUBLISHED_SPEED.get(function, (0, 0))),
        )
        for function in FUNCTIONS
    ]
    leaves = power(2, int(results.timed.get("leaves_log2", 0)))
    return Table(
        (
            "function",
            "code",
            "64 bytes",
            f"tree of {leaves} leaves",
            "a hash of it",
            "published, “ms”",
            "published tree, s",
        ),
        "llrrrrr",
        tuple(rows),
    )


def failures(results: HashResults) -> Table:
    """Every circuit without times: how it ended, the most memory it held, and what was said."""
    rows: list[tuple[Cell, ...]] = [
        (
            system_label(one.system),
            FUNCTION_NAMES[one.function],
            str(one.size),
            one.outcome.replace("-", " "),
            None if one.memory_bytes is None else exact(one.memory_bytes, "bytes"),
            one.message,
        )
        for one in results.failures
    ]
    return Table(
        ("system", "function", "bytes", "outcome", "memory held", "said"),
        r"llrlr>{\raggedright\arraybackslash}p{0.42\linewidth}",
        tuple(rows),
    )


def claims(results: HashResults) -> Table:
    """Every claim with its verdict under both terms."""
    return claims_table(texts(EXPERIMENT, SOURCE), hash_verdicts(results))


def claim_reasons(results: HashResults) -> Table:
    """The sentence behind every verdict."""
    return reasons_table(hash_verdicts(results))


TABLES: Mapping[str, Callable[[HashResults], Table]] = {
    "hash-constraints": constraints,
    "hash-cost": cost,
    "hash-friendly": friendly,
    "hash-forms": forms,
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
