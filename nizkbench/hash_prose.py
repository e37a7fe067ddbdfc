"""What the run on hash functions shows, as sentences computed from its analysis.

Every function takes `HashResults` and returns plain text, also where the run is too small to show
anything.
"""

import math
from collections.abc import Callable, Sequence
from itertools import groupby

import polars as pl

from nizkbench.hash_claims import POSEIDON, faster_than_linear, unit_of_speed
from nizkbench.hash_figures import FUNCTION_NAMES, METRIC_NAMES
from nizkbench.hash_results import (
    COMPARED_FROM,
    FUNCTIONS,
    GAIN_ASKED,
    LEDGER_LIMITS,
    NATIVE,
    OVER_BYTES,
    STANDARD_LIBRARY,
    ZOKRATES,
    Bound,
    HashResults,
    crossing_point,
)
from nizkbench.hash_speed import HASH, MERKLE, per_hash, whole_task
from nizkbench.quantities import Quantity, exact, plain, power
from nizkbench.results import system_label
from nizkbench.words import capitalised, listed

#: How configurations without times ended, behind their count.
ENDED = {"out-of-memory": "ran out of memory", "timeout": "ran out of time"}


def measured(results: HashResults) -> str:
    """What was measured, and how much of it has no times."""
    run = results.results
    lost = {
        outcome: sum(one.outcome == outcome for one in results.failures)
        for outcome in sorted({one.outcome for one in results.failures})
    }
    said = (
        f"{run.configurations.height - len(results.failures)} of"
        f" {run.configurations.height} configurations, of messages of {run.grid[0]} to"
        f" {run.grid[-1]} bytes, have times, in {run.invocations.height} invocations"
        f"{_beside(results)}"
    )
    ends = [f"{count} {ENDED.get(outcome, 'failed')}" for outcome, count in lost.items()]
    return f"{said}; {listed(ends)}." if ends else f"{said}."


def _beside(results: HashResults) -> str:
    """How many invocations ran at once, where it was more than one."""
    profile = results.results.manifest.get("profile") or {}
    count = int((profile.get("blocks") or {}).get("side_by_side", 1))
    return f", {count} at a time, each on a core of its own" if count > 1 else ""


def brief(results: HashResults) -> str:
    """What the choice of a function and that of a prover come to, in one sentence."""
    found = _of_both_kinds(results)
    if found is None:
        return "No system of this run has functions of both kinds at one size, to compare."
    system, gains = found
    size, dear, cheap, ratio = gains[-1]
    said = (
        f"In a circuit, {size} bytes take {plain(ratio, interval=True)} times as long to prove with"
        f" {FUNCTION_NAMES[dear]}, the cheapest function over bytes, as with"
        f" {FUNCTION_NAMES[cheap]} (in {system_label(system)})"
    )
    large = results.compared_natively()
    if large:
        function, length, least = min(large, key=lambda compared: compared[2].value)
        said += (
            f", and of the same circuits of {COMPARED_FROM} constraints or more the one with the"
            f" smallest ratio ({FUNCTION_NAMES[function]} of {length} bytes) takes WebAssembly"
            f" {plain(least, interval=True)} times as long as a native prover"
        )
    return f"{said}."


def choose(results: HashResults) -> str:
    """Which function to take, by whether anybody else computes it, and what that costs."""
    found = _of_both_kinds(results)
    if found is None:
        return "No system of this run has functions of both kinds at one size, to choose between."
    system, gains = found
    size, dear, cheap, _ = gains[-1]
    times = [
        plain(results.results.value(series, "prove", size), interval=True)
        for function in (cheap, dear)
        if (series := results.main(system, function)) is not None
    ]
    said = (
        f"Where nothing but circuits computes the hash, take {FUNCTION_NAMES[cheap]}: {size} bytes"
        f" take {times[0]} to prove in {system_label(system)}. Where others compute it too, what"
        f" costs least there is {_by_size(results, system)}: at {size} bytes {times[1]}."
        f"{_beside_time(results, system, size, (cheap, dear))}"
    )
    table = results.speed
    alone = [None if table is None else per_hash(table, name, HASH) for name in (cheap, dear)]
    if alone[0] is not None and alone[1] is not None and alone[0].value > alone[1].value:
        said += (
            " Outside a circuit it is the other way round: 64 bytes take"
            f" {plain(alone[0], interval=True)} with {FUNCTION_NAMES[cheap]} and"
            f" {plain(alone[1], interval=True)} with {FUNCTION_NAMES[dear]}."
        )
    return said


def _beside_time(results: HashResults, system: str, size: int, functions: Sequence[str]) -> str:
    """What two functions cost besides the time to prove, as a sentence behind another."""
    said = []
    for metric, words in (
        ("setup", "setup takes"),
        ("size:proving_key", "the proving key has"),
        ("peak_memory_prove", "proving holds"),
    ):
        values = [
            results.results.value(series, metric, size)
            for function in functions
            if (series := results.main(system, function)) is not None
        ]
        if len(values) == len(functions) and None not in values:
            both = (plain(value, interval=True) for value in values)
            said.append(f"{words} {' and '.join(both)}")
    if not said:
        return ""
    names = " and ".join(FUNCTION_NAMES[function] for function in functions)
    return f" Of {size} bytes with {names}, {listed(said)}."


def _by_size(results: HashResults, system: str) -> str:
    """The function over bytes that costs least to prove, by ranges of sizes."""
    series = results.over_bytes_of(system).values()
    there = [size for one in series for size in results.sizes(one)]
    cheapest = [
        (size, f"{_either(functions)}{'' if there.count(size) > 1 else ' (the only one left)'}")
        for size, functions in results.cheapest_over_bytes(system, "prove")
    ]
    return listed(
        [
            f"{said} {_span([size for size, _ in alike])}"
            for said, alike in groupby(cheapest, key=lambda found: found[1])
        ]
    )


def _either(functions: Sequence[str]) -> str:
    """One function, or several that are not told apart."""
    names = " or ".join(FUNCTION_NAMES[name] for name in functions)
    return f"{names} (not told apart)" if len(functions) > 1 else names


def _span(sizes: Sequence[int]) -> str:
    if len(sizes) == 1:
        return f"at {sizes[0]} bytes"
    return f"at {sizes[0]} to {sizes[-1]} bytes"


def _of_both_kinds(
    results: HashResults,
) -> tuple[str, list[tuple[int, str, str, Quantity]]] | None:
    """The native prover, or else that in WebAssembly, with what functions over a field gain in it.

    At sizes where several functions over bytes were proven. None where neither prover has functions
    of both kinds at one size.
    """
    for system in (NATIVE, ZOKRATES):
        if gains := results.contested_gains(system, "prove"):
            return system, gains
    return None


def which(results: HashResults) -> str:
    """Which function over bytes costs least in which systems, at each one's largest shared size."""
    least: dict[tuple[str, ...], list[str]] = {}
    for system in results.systems:
        functions = results.over_bytes_of(system)
        shared = results.shared_sizes(list(functions.values()))
        if len(functions) < 2 or not shared:
            continue
        cheapest = dict(results.cheapest_over_bytes(system, "prove"))[shared[-1]]
        least.setdefault(cheapest, []).append(f"{system_label(system)} at {shared[-1]} bytes")
    if not least:
        return "No system has two functions over bytes at one size."
    said = [f"{_either(functions)} in {listed(systems)}" for functions, systems in least.items()]
    return (
        "Of the functions over bytes, compared at the largest size at which a system has all of its"
        f" own, the fastest to prove is {'; '.join(said)}."
    )


def reach(results: HashResults) -> str:
    """The longest message of each function that a prover of ZoKrates took, and what ended it."""
    said: dict[tuple[int, str], list[str]] = {}
    for function in FUNCTIONS:
        reached = {
            series: (sizes[-1], -(ended[0] if ended else math.inf))
            for system in (ZOKRATES, NATIVE)
            if (series := results.main(system, function)) and (sizes := results.sizes(series))
            for ended in [results.ended_by(series)]
        }
        if not reached:
            continue
        furthest = max(reached, key=lambda series: reached[series])
        ended = results.ended_by(furthest)
        beyond = (
            "the longest asked for"
            if ended is None
            else f"{ended[1].replace('-', ' ')} at {ended[0]}"
        )
        said.setdefault((reached[furthest][0], beyond), []).append(FUNCTION_NAMES[function])
    if not said:
        return "This run proves no circuit of ZoKrates."
    parts = [
        f"{size} bytes ({beyond}) with {listed(names)}"
        for (size, beyond), names in sorted(said.items(), reverse=True)
    ]
    return (
        f"The longest messages proven with ZoKrates' circuits, by either prover, are of"
        f" {'; '.join(parts)}."
    )


def friendly(results: HashResults) -> str:
    """How much cheaper functions over a field are, at the smallest and the largest shared size."""
    found = _of_both_kinds(results)
    if found is None:
        return "No system of this run has functions of both kinds at one size."
    system, gains = found
    size, dear, cheap, ratio = gains[-1]
    said = (
        f"In {system_label(system)} the cheapest function over bytes ({FUNCTION_NAMES[dear]})"
        f" takes {plain(ratio, interval=True)} times as long to prove at {size} bytes as"
        f" the cheapest over a field ({FUNCTION_NAMES[cheap]})"
    )
    if len(gains) > 1:
        first = gains[0]
        said += f", {plain(first[3], interval=True)} times at {first[0]}"
    open_ = [str(at) for at, _, _, one in gains if one.low <= 1 <= one.high]
    if open_:
        said += f"; at {listed(open_)} bytes this run does not tell the two apart"
    return f"{said}."


def per_byte(results: HashResults) -> str:
    """What another byte costs to prove, from the cheapest function to the dearest."""
    for system in (NATIVE, ZOKRATES):
        found = sorted(
            (
                (value, function)
                for function, series in results.functions_of(system).items()
                if (value := results.per_byte(series, "prove")) is not None
            ),
            key=lambda pair: pair[0].value,
        )
        if found:
            costs = [
                f"{plain(value, interval=True)} with {FUNCTION_NAMES[function]}"
                for value, function in found
            ]
            return (
                f"Another byte of the message takes to prove, in {system_label(system)},"
                f" {listed(costs)}."
            )
    return "This run has fewer than three sizes of every function, too few for a line."


def growth(results: HashResults) -> str:
    """How prove times grow with constraints, and whether any grows faster than they do."""
    found = [
        (value, f"{FUNCTION_NAMES[function]} in {system_label(system)}")
        for system in (ZOKRATES, NATIVE)
        for function in OVER_BYTES
        if (series := results.functions_of(system).get(function)) is not None
        and (value := results.exponent_over(series, "prove")) is not None
    ]
    if not found:
        return "This run has fewer than three sizes of every function, too few for an exponent."
    bound = faster_than_linear()
    faster = [where for value, where in found if value.low > bound]
    open_ = [where for value, where in found if value.low <= bound < value.high]
    if faster:
        conclusion = f"Faster than its constraints grows the prove time of {listed(faster)}."
    elif open_:
        conclusion = f"Whether it grows faster than the constraints is open for {listed(open_)}."
    else:
        conclusion = "No prove time grows faster than its constraints."
    ordered = sorted(found, key=lambda pair: pair[0].value)
    said = " to ".join(
        f"{plain(value, interval=True)} ({where})"
        for value, where in (ordered[0], *ordered[1:][-1:])
    )
    return (
        "Prove times of functions over bytes grow with the constraints to the power of"
        f" {said}. {conclusion}"
    )


def dense(results: HashResults) -> str:
    """What makes earlier work's SHA-256 grow faster than linearly, beside the embedded function."""
    pairs = [
        (system, mine, theirs)
        for system in (ZOKRATES, NATIVE)
        if (mine := results.main(system, "sha256")) is not None
        and (theirs := results.main(system, "sha256", gadget=STANDARD_LIBRARY)) is not None
    ]
    if not pairs:
        return "This run has not both of ZoKrates' circuits of SHA-256."
    system, mine, theirs = pairs[0]
    shared = results.shared_sizes([mine, theirs], "constraints")
    if not shared:
        return "This run has not both of ZoKrates' circuits of SHA-256 at one size."
    size = shared[-1]
    counts = {
        counter: [results.count(series, size, counter) for series in (theirs, mine)]
        for counter in ("constraints", "terms")
    }
    text = (
        f"Of {size} bytes SHA-256 has {exact_words(counts['constraints'][0])} constraints with the"
        f" standard library's hash and {exact_words(counts['constraints'][1])} with the embedded"
        " compression function"
    )
    if None not in counts["terms"]:
        text += (
            f", but {exact_words(counts['terms'][0])} terms in them against"
            f" {exact_words(counts['terms'][1])}"
        )
    text += "."
    times = [
        f"{plain(ratio, interval=True)} times as long in {system_label(one)}"
        for one, own, other in pairs
        if (at := results.shared_sizes([own, other]))
        and (ratio := results.between("prove", (other, at[-1]), (own, at[-1]))) is not None
    ]
    if times:
        text += f" It is proven in {listed(times)}."
    density = [
        _density(results, series, shared, words)
        for words, series in (("the library's hash", theirs), ("the embedded function", mine))
    ]
    if None not in density:
        text += f" A constraint has {listed([one for one in density if one is not None])}."
    text += _grown(results, system, mine, theirs)
    ended = [
        f"at {found[0]} bytes in {system_label(one)} ({found[1].replace('-', ' ')})"
        for one, _, other in pairs
        if (found := results.ended_by(other)) is not None
    ]
    if ended:
        text += (
            f" It ends {listed(ended)}, so that what grew for earlier work beyond {size} bytes is"
            f" inferred from {shared[0]} to {size} bytes."
        )
    return text


def _density(results: HashResults, series: str, sizes: Sequence[int], words: str) -> str | None:
    """The terms of a constraint at the first and the last of some sizes."""
    found = []
    for size in (sizes[0], sizes[-1]):
        counts = [results.count(series, size, counter) for counter in ("terms", "constraints")]
        if counts[0] is None or not counts[1]:
            return None
        found.append(f"{counts[0] / counts[1]:.2g}")
    return f"{found[0]} terms at {sizes[0]} bytes and {found[1]} at {sizes[-1]} with {words}"


def _grown(results: HashResults, system: str, mine: str, theirs: str) -> str:
    """How both circuits' times grow over the sizes that both have, as sentences behind others."""
    text = ""
    among = results.shared_sizes([mine, theirs])
    proven = [results.exponent_over(series, "prove", among=among) for series in (theirs, mine)]
    domain = results.exponent_over(theirs, "prove", "domain", among)
    if proven[0] is not None and proven[1] is not None and domain is not None:
        first, second = (plain(value, interval=True) for value in proven)
        alike = proven[0].low <= proven[1].high and proven[1].low <= proven[0].high
        text += (
            f" From {among[0]} to {among[-1]} bytes its prove time grows to the power of {first}"
            f" over constraints and {plain(domain, interval=True)} over the domain of the Fourier"
            " transforms, which is a power of two; that of the embedded function grows to the power"
            f" of {second} over constraints, in {system_label(system)}"
            f"{', so that their growth does not tell the two apart' if alike else ''}."
        )
    compiled = [results.exponent_over(one, "compile", among=among) for one in (theirs, mine)]
    if compiled[0] is not None and compiled[1] is not None:
        first, second = (plain(value, interval=True) for value in compiled)
        text += f" Compiling grows to the power of {first} and {second} over constraints."
    return text


def exact_words(count: int | None) -> str:
    """A count written out."""
    return plain(None if count is None else exact(count))


def crossovers(results: HashResults) -> str:
    """Where one function begins to cost less than another."""
    rows = results.crossovers.filter(pl.col("metric") == "prove")
    if rows.is_empty():
        others = results.crossovers["metric"].unique().sort()
        also = listed([METRIC_NAMES[one] for one in others]) if len(others) else ""
        return (
            "This run shows no size from which on one function of a system is proven faster than"
            " another that is faster below it"
            + (f", but one for {also}." if also else ", nor one for constraints, keys or setup.")
        )
    said = []
    for row in rows.iter_rows(named=True):
        said.append(
            f"in {system_label(row['system'])} {FUNCTION_NAMES[row['cheaper_above']]} begins to be"
            f" proven faster than {FUNCTION_NAMES[row['cheaper_below']]} between {row['between']}"
            f" and {row['and']} bytes, by interpolation at"
            f" {plain(crossing_point(row), interval=True)}"
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
        f" interval is above {GAIN_ASKED:g}.{_natively_alone(results)}"
    )


def _natively_alone(results: HashResults) -> str:
    """Which sizes the native prover alone reaches, as a sentence behind another."""
    said = []
    for function, series in results.functions_of(NATIVE).items():
        other = results.main(ZOKRATES, function)
        lost = {} if other is None else results.lost(other)
        alone = [size for size in results.sizes(series) if size in lost]
        if alone:
            ended = {lost[size].replace("-", " ") for size in alone}
            said.append(
                f"{FUNCTION_NAMES[function]} of {listed(list(map(str, alone)))} bytes"
                f" ({listed(sorted(ended))} in WebAssembly)"
            )
    if said:
        return f" The native prover alone proves {listed(said)}."
    return " At no size that both were asked for does it prove what WebAssembly cannot."


def compilers(results: HashResults) -> str:
    """The same function from several compilers with native provers, at the largest size shared."""
    said = []
    for function in OVER_BYTES:
        circuits = results.main(NATIVE, function)
        beside = None if circuits is None else _beside_circuits(results, function, circuits)
        if circuits is None or beside is None:
            continue
        size, others = beside
        parts = [
            f"{exact_words(results.constraints(one, size))} constraints and"
            f" {plain(results.results.value(one, 'prove', size), interval=True)} in"
            f" {system_label(system)}"
            for system, one in {NATIVE: circuits, **others}.items()
        ]
        said.append(f"{FUNCTION_NAMES[function]} of {size} bytes has {listed(parts)}")
    if not said:
        return "No function over bytes was proven in two systems at one size."
    return f"{'; '.join(said)}."


def _beside_circuits(
    results: HashResults, function: str, circuits: str
) -> tuple[int, dict[str, str]] | None:
    """The largest size that another native system shares with these circuits, and all who do."""
    shared = {
        system: (sizes[-1], series)
        for system in results.systems
        if system not in (NATIVE, ZOKRATES)
        and (series := results.main(system, function)) is not None
        and (sizes := results.shared_sizes([circuits, series]))
    }
    if not shared:
        return None
    largest = max(size for size, _ in shared.values())
    return largest, {system: one for system, (size, one) in shared.items() if size == largest}


def ledger(results: HashResults) -> str:
    """What fits into a block of a ledger."""
    middle = LEDGER_LIMITS[1]
    said = []
    for function, series in results.circuits.items():
        found = results.fits(series, middle)
        if found is None:
            continue
        match found.bound:
            case Bound.NONE:
                said.append(f"{FUNCTION_NAMES[function]} at no size measured")
            case Bound.AT_LEAST:
                said.append(f"{FUNCTION_NAMES[function]} up to at least {found.size} bytes")
            case Bound.MEASURED:
                said.append(
                    f"{FUNCTION_NAMES[function]} up to {found.size} bytes, not at {found.next_size}"
                )
    if not said:
        return "This run has no proving keys of ZoKrates."
    return f"A proving key of {plain(exact(middle, 'bytes'))} is enough for {listed(said)}."


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
    leaves = power(2, int(results.timed.get("leaves_log2", 0)))
    trees = (
        ""
        if tree is None
        else (
            f" A Merkle tree of {leaves} leaves takes {plain(tree, interval=True)} with Poseidon"
            f" and {plain(whole_task(table, 'sha256', MERKLE), interval=True)} with SHA-256."
        )
    )
    return f"Outside a circuit, on one thread, 64 bytes take {listed(times)}.{trees}"


def units(results: HashResults) -> str:
    """Which unit the published speeds have, by what the functions take here and by themselves."""
    if results.speed is None:
        return "The speed of the functions alone was not measured beside this run."
    said = unit_of_speed(results.speed)
    return "No function of those published was timed alone." if said is None else said


def _sentence(text: str) -> str:
    return f"{capitalised(text)}."


PROSE: dict[str, Callable[[HashResults], str]] = {
    "brief": brief,
    "measured": measured,
    "choose": choose,
    "which": which,
    "reach": reach,
    "friendly": friendly,
    "per-byte": per_byte,
    "growth": growth,
    "dense": dense,
    "crossovers": crossovers,
    "native": native,
    "compilers": compilers,
    "ledger": ledger,
    "speed": speed,
    "units": units,
}
