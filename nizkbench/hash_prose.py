"""What the run on hash functions shows, as sentences computed from its analysis.

Every function takes `HashResults` and returns plain text, also where the run is too small to show
anything.
"""

from collections.abc import Callable

import polars as pl

from nizkbench.claims import _listed
from nizkbench.hash_claims import OVER_BYTES, POSEIDON
from nizkbench.hash_figures import FUNCTION_NAMES
from nizkbench.hash_results import (
    COMPARED_FROM,
    FUNCTIONS,
    GAIN_ASKED,
    LEDGER_LIMITS,
    NATIVE,
    ZOKRATES,
    Bound,
    HashResults,
    crossing_point,
)
from nizkbench.hash_speed import HASH, MERKLE, per_hash, whole_task
from nizkbench.quantities import exact, plain
from nizkbench.results import system_label


def measured(results: HashResults) -> str:
    """What was measured, and what could not be."""
    run = results.results
    sizes = ", ".join(map(str, run.grid))
    done = run.configurations.height - len(results.failures)
    said = (
        f"{done} of {run.configurations.height} configurations have times: messages of {sizes}"
        f" bytes, in {run.invocations.height} invocations{_beside(results)}."
    )
    lost = [one for one in results.failures if one.outcome == "out-of-memory"]
    if not lost:
        return said
    first: dict[tuple[str, str], int] = {}
    for one in lost:
        first.setdefault((one.system, one.function), one.size)
    named = [
        f"{FUNCTION_NAMES[function]} from {size} bytes in {system_label(system)}"
        for (system, function), size in first.items()
    ]
    return f"{said} Out of memory ran {_listed(named)}."


def _beside(results: HashResults) -> str:
    """How many invocations ran at once, where it was more than one."""
    profile = results.results.manifest.get("profile") or {}
    count = int((profile.get("blocks") or {}).get("side_by_side", 1))
    return f", {count} at a time, each on a core of its own" if count > 1 else ""


def choose(results: HashResults) -> str:
    """Which function to take, by whether anybody else computes it, and what that costs."""
    for system in (NATIVE, ZOKRATES):
        shared = results.shared_sizes(list(results.functions_of(system).values()))
        found = results.friendly_gain(system, shared[-1], "prove") if shared else None
        if found is not None:
            break
    else:
        return "No system of this run has functions of both kinds at one size, to choose between."
    dear, cheap, ratio = found
    size = shared[-1]
    times = [
        plain(results.results.value(series, "prove", size), interval=True)
        for function in (cheap, dear)
        if (series := results.main(system, function)) is not None
    ]
    said = (
        f"Where nothing but circuits computes the hash, take {FUNCTION_NAMES[cheap]}: {size} bytes"
        f" take {times[0]} to prove in {system_label(system)}. Where others compute it too,"
        f" {FUNCTION_NAMES[dear]} costs least of what they use, {times[1]},"
        f" {plain(ratio, interval=True)} times as much."
    )
    table = results.speed
    alone = [None if table is None else per_hash(table, name, HASH) for name in (cheap, dear)]
    if alone[0] is not None and alone[1] is not None and alone[0].value > alone[1].value:
        said += (
            f" Outside a circuit it is the other way round: 64 bytes take {plain(alone[0])} with"
            f" {FUNCTION_NAMES[cheap]} and {plain(alone[1])} with {FUNCTION_NAMES[dear]}."
        )
    return said


def which(results: HashResults) -> str:
    """Which function costs least in each system at the largest size that it shares."""
    said = []
    for system in results.systems:
        functions = results.functions_of(system)
        shared = results.shared_sizes(list(functions.values()))
        if len(functions) < 2 or not shared:
            continue
        size = shared[-1]
        costs = [
            (value, function)
            for function, series in functions.items()
            if (value := results.results.value(series, "prove", size)) is not None
        ]
        least = min(costs, key=lambda pair: pair[0].value)
        most = max(costs, key=lambda pair: pair[0].value)
        said.append(
            f"in {system_label(system)} at {size} bytes {FUNCTION_NAMES[least[1]]} costs least"
            f" ({plain(least[0], interval=True)} of proving) and {FUNCTION_NAMES[most[1]]} most"
            f" ({plain(most[0], interval=True)})"
        )
    if not said:
        return "No system has two functions at one size."
    return _sentence("; ".join(said))


def friendly(results: HashResults) -> str:
    """How much cheaper functions over a field are."""
    said = []
    for system in (ZOKRATES, NATIVE):
        shared = results.shared_sizes(list(results.functions_of(system).values()))
        if not shared:
            continue
        found = results.friendly_gain(system, shared[-1], "prove")
        if found is None:
            continue
        dear, cheap, ratio = found
        said.append(
            f"in {system_label(system)} the cheapest function over bytes ({FUNCTION_NAMES[dear]})"
            f" takes {plain(ratio, interval=True)} times as long to prove at {shared[-1]} bytes as"
            f" the cheapest over a field ({FUNCTION_NAMES[cheap]})"
        )
    if not said:
        return "No system of this run has functions of both kinds at one size."
    return _sentence("; ".join(said))


def per_byte(results: HashResults) -> str:
    """What another byte costs to prove."""
    said = []
    for system in (ZOKRATES, NATIVE):
        found = [
            f"{plain(value, interval=True)} ({FUNCTION_NAMES[function]})"
            for function, series in results.functions_of(system).items()
            if (value := results.per_byte(series, "prove")) is not None
        ]
        if found:
            said.append(f"in {system_label(system)} {_listed(found)}")
    if not said:
        return "This run has fewer than three sizes of every function, too few for a line."
    return f"Another byte of the message takes to prove, {'; '.join(said)}."


def growth(results: HashResults) -> str:
    """How prove times grow with constraints: what the suspicion about SHA-256 comes to."""
    said = []
    for system in (ZOKRATES, NATIVE):
        found = [
            f"{FUNCTION_NAMES[function]} {plain(value, interval=True)}"
            for function in OVER_BYTES
            if (series := results.functions_of(system).get(function)) is not None
            and (value := results.exponent_over_constraints(series, "prove")) is not None
        ]
        if found:
            said.append(f"{system_label(system)}: {_listed(found)}")
    if not said:
        return "This run has fewer than three sizes of every function, too few for an exponent."
    return (
        "Prove times grow with the constraints to a power of about one where it is the hash that"
        f" costs; measured were, in {'; in '.join(said)}."
    )


def crossovers(results: HashResults) -> str:
    """Where one function begins to cost less than another."""
    rows = results.crossovers.filter(pl.col("metric") == "prove")
    if rows.is_empty():
        return (
            "Between the sizes measured, no function of a system begins to be proven faster than"
            " another: which is faster does not depend on the message."
        )
    said = []
    for row in rows.iter_rows(named=True):
        at = plain(crossing_point(row), interval=True)
        said.append(
            f"in {system_label(row['system'])} {FUNCTION_NAMES[row['cheaper_above']]} is proven"
            f" faster than {FUNCTION_NAMES[row['cheaper_below']]} from {at} bytes on"
        )
    return _sentence("; ".join(said))


def native(results: HashResults) -> str:
    """What WebAssembly costs, and whether the native prover gains what was expected."""
    large = results.compared_natively()
    if not large:
        return (
            f"No circuit of {COMPARED_FROM} constraints or more was proven both natively and in"
            " WebAssembly."
        )
    ratios = sorted((gain for _, _, gain in large), key=lambda gain: gain.value)
    enough = sum(gain.low >= GAIN_ASKED for gain in ratios)
    return (
        f"The same circuits of {COMPARED_FROM} constraints or more take WebAssembly from"
        f" {plain(ratios[0], interval=True)} to {plain(ratios[-1], interval=True)} times as long to"
        f" prove as the native prover, on one thread; in {enough} of {len(large)} the whole"
        f" interval is above {GAIN_ASKED:g}."
    )


def compilers(results: HashResults) -> str:
    """The same function from several compilers: constraints and prove times side by side."""
    said = []
    for function in OVER_BYTES:
        series = {
            system: found
            for system in results.systems
            if system != NATIVE and (found := results.functions_of(system).get(function))
        }
        shared = results.shared_sizes(list(series.values()))
        if len(series) < 2 or not shared:
            continue
        size = shared[0]
        parts = [
            f"{results.constraints(one, size)} constraints and"
            f" {plain(results.results.value(one, 'prove', size), interval=True)} in"
            f" {system_label(system)}"
            for system, one in series.items()
        ]
        said.append(f"{FUNCTION_NAMES[function]} of {size} bytes has {_listed(parts)}")
    if not said:
        return "No function over bytes was proven in two systems at one size."
    return f"{'; '.join(said)}."


def ledger(results: HashResults) -> str:
    """What fits into a block of a ledger."""
    middle = LEDGER_LIMITS[1]
    said = []
    for function, series in results.functions_of(ZOKRATES).items():
        found = results.fits(series, middle)
        if found is None:
            continue
        match found.bound:
            case Bound.NONE:
                said.append(f"{FUNCTION_NAMES[function]} at no size measured")
            case Bound.AT_LEAST:
                said.append(f"{FUNCTION_NAMES[function]} up to at least {found.size} bytes")
            case Bound.MEASURED:
                said.append(f"{FUNCTION_NAMES[function]} up to {found.size} bytes")
    if not said:
        return "This run has no proving keys of ZoKrates."
    return f"A proving key of {plain(exact(middle, 'bytes'))} is enough for {_listed(said)}."


def speed(results: HashResults) -> str:
    """How fast the functions are alone."""
    if results.speed is None:
        return "The speed of the functions alone was not measured beside this run."
    table = results.speed
    times = [
        f"{FUNCTION_NAMES[name]} {plain(value, interval=True)}"
        for name in FUNCTIONS
        if (value := per_hash(table, name, HASH)) is not None
    ]
    tree = whole_task(table, POSEIDON, MERKLE)
    leaves = results.timed.get("leaves_log2")
    trees = (
        ""
        if tree is None
        else (
            f" A Merkle tree of 2^{leaves} leaves takes {plain(tree, interval=True)} with Poseidon"
            f" and {plain(whole_task(table, 'sha256', MERKLE), interval=True)} with SHA-256."
        )
    )
    return f"Outside a circuit, on one thread, 64 bytes take {_listed(times)}.{trees}"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


PROSE: dict[str, Callable[[HashResults], str]] = {
    "measured": measured,
    "choose": choose,
    "which": which,
    "friendly": friendly,
    "per-byte": per_byte,
    "growth": growth,
    "crossovers": crossovers,
    "native": native,
    "compilers": compilers,
    "ledger": ledger,
    "speed": speed,
}
