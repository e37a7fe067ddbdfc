"""Sentences on ranges of committed values, computed from a run."""

from collections.abc import Callable, Mapping

from nizkbench.quantities import plain, times
from nizkbench.range_results import BITS, BULLETPROOFS, RangeResults, quotient
from nizkbench.results import system_label
from nizkbench.words import listed


def measured(results: RangeResults) -> str:
    """What the run holds."""
    run = results.results
    fewest, most = results.invocations_each
    each = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return (
        f"Profile {run.profile} measured {run.configurations.height} configurations of"
        f" {len(results.systems)} systems in {run.invocations.height} processes, on one thread;"
        f" intervals rest on {each} invocations a configuration."
    )


def growth(results: RangeResults) -> str:
    """How the proof of Bulletproofs grows, beside those of circuits."""
    series = results.series(BULLETPROOFS)
    sizes = () if series is None else results.sizes(series)
    if series is None or len(sizes) < 2:
        return "This run has no Bulletproofs of several numbers of values."
    first, last = (results.value(series, "size:proof", count) for count in (sizes[0], sizes[-1]))
    said = (
        f"The proof of Bulletproofs grows from {plain(first)} for {sizes[0]} value of {BITS} bits"
        f" to {plain(last)} for {sizes[-1]}: two elements for every doubling."
    )
    others = [
        f"{plain(results.value(one, 'size:proof', there[0]))} in {system_label(system)}"
        for system in results.systems
        if system != BULLETPROOFS
        and (one := results.series(system))
        and (there := results.sizes(one))
    ]
    return (
        f"{said} A proof of a circuit has {listed(others)}, whatever it proves." if others else said
    )


def single(results: RangeResults) -> str:
    """What one value costs to prove and to verify in every system."""
    said = []
    for system in results.systems:
        series = results.series(system)
        if series is None:
            continue
        prove, verify = (results.value(series, one, 1) for one in ("time_to_proof", "verify"))
        if prove is not None:
            both = (plain(one, interval=True) for one in (prove, verify))
            said.append(f"{' and '.join(both)} in {system_label(system)}")
    if not said:
        return "This run has no proof of a single value."
    return f"One value of {BITS} bits takes to prove and to verify {listed(said)}."


def batching(results: RangeResults) -> str:
    """What verifying together is worth, or that no library of the run does."""
    lacking = [system_label(system) for system in results.systems if not _supports(results, system)]
    no = f"There is no call for it in {listed(lacking)}." if lacking else ""
    if not results.batches:
        return f"No batch was measured. {no}".strip()
    last = max(results.batches, key=lambda one: (one.proofs, -one.values))
    alone = f", {times(last.over_alone)} as long as one alone" if last.over_alone else ""
    return (
        f"Of {last.proofs} proofs verified together by {system_label(last.system)} each takes"
        f" {plain(last.each, interval=True)}{alone}. {no}".strip()
    )


def aggregation(results: RangeResults) -> str:
    """What aggregating values into one Bulletproof is worth."""
    series = results.series(BULLETPROOFS)
    sizes = () if series is None else results.sizes(series)
    if series is None or len(sizes) < 2:
        return "This run has nothing on aggregation."
    said = []
    for metric, words in (("time_to_proof", "proving"), ("verify", "verifying")):
        one, many = (results.per_value(series, metric, count) for count in (sizes[0], sizes[-1]))
        if one is not None and many is not None:
            gain = quotient(many, one)
            doubt = " (not told apart from one)" if gain.low <= 1 <= gain.high else ""
            said.append(f"{words} a value {times(gain)}{doubt}")
    return (
        f"Aggregating {sizes[-1]} values into one Bulletproof makes {listed(said)} as long as"
        " in a proof of its own."
        if said
        else "This run has nothing on aggregation."
    )


def choose(results: RangeResults) -> str:
    """Which system proves and verifies one value fastest, and the most values that all have.

    With those not told apart from it, and the next one.
    """
    series = {one: found for one in results.systems if (found := results.series(one)) is not None}
    shared = [
        count
        for count in results.results.grid
        if all(count in results.sizes(one) for one in series.values())
    ]
    if len(series) < 2 or not shared:
        return "this run has no two systems to choose from."
    said = []
    for metric, words in (("time_to_proof", "prove"), ("verify", "verify")):
        for count in dict.fromkeys((shared[0], shared[-1])):
            times_of = {
                system: taken
                for system, one in series.items()
                if (taken := results.value(one, metric, count)) is not None
            }
            first, *others = sorted(times_of, key=lambda system: times_of[system].value)
            doubted = results.alike(
                series[first], [series[system] for system in others], metric, count
            )
            alike = [system_label(one) for one in others if series[one] in doubted]
            least = f"{system_label(first)} takes the least to {words} {_values(count)}"
            if alike:
                named = listed(alike) if len(alike) < len(others) else "any other"
                least += f" (not told apart from {named})"
            after = next((one for one in others if series[one] not in doubted), None)
            if after is not None:
                lead = results.ratio(series[after], series[first], metric, count)
                least += f", and {system_label(after)} {times(lead)} as long"
            said.append(least)
    return f"{'; '.join(said)}."


def _values(count: int) -> str:
    return f"{count} value" if count == 1 else f"{count} values"


def _supports(results: RangeResults, system: str) -> bool:
    described = results.results.descriptions.get(system, {}).get("properties", {})
    return bool(described.get("batch_verification", {}).get("supported"))


PROSE: Mapping[str, Callable[[RangeResults], str]] = {
    "measured": measured,
    "growth": growth,
    "single": single,
    "aggregation": aggregation,
    "batching": batching,
    "choose": choose,
}
