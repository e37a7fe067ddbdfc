"""How much faster the fastest system proves than the fastest of the four of earlier work.

All on equal terms, one thread, from one interleaved run, and beside it the same on all cores: the
round constants are bound, the preimage is a witness, and the systems of earlier work have the
options that it had, which are their runners' defaults. Whoever has fewer conjectured bits than the
fastest of the four does not compete.
"""

import math
from dataclasses import dataclass

from nizkbench.claims import BULLETPROOFS, SNARKS, STARK, conjectured_bits
from nizkbench.quantities import Quantity, plain
from nizkbench.results import Results, system_label

#: The largest size of earlier work.
ROUNDS = 4095

#: The four systems of earlier work.
FOUR = (*SNARKS, BULLETPROOFS, STARK)

#: The lead that a claim of ours is about.
TENFOLD = 10.0

#: Systems with options for speed: their runners' defaults are what proves fastest with no fewer
#: conjectured bits than earlier work's options have (`provers/plonky3/README.md`).
FOR_SPEED = ("plonky3/stark/koalabear-4",)


@dataclass(frozen=True, slots=True)
class Lead:
    """Two systems, the ratio of their times to proof, and the conjectured bits of each.

    `all_cores` is the same ratio on all cores; None where the run does not have both there.
    """

    behind: str
    ahead: str
    ratio: Quantity
    all_cores: Quantity | None
    bits_behind: float
    bits_ahead: float


def lead(results: Results) -> Lead | None:
    """The fastest of all against the fastest of the four; None where the run does not have both."""
    times = {
        system: value.value
        for system, series in results.equal_terms.items()
        if (value := results.value(series, "time_to_proof", ROUNDS, "one")) is not None
    }
    bits = {system: conjectured_bits(results, results.equal_terms[system]) for system in times}
    if not all(system in times for system in FOUR):
        return None
    behind = min(FOUR, key=lambda system: times[system])
    least = bits[behind]
    if least is None:
        return None
    others = {
        system: level
        for system, level in bits.items()
        if system not in FOUR and level is not None and level >= least
    }
    if not others:
        return None
    ahead = min(others, key=lambda system: times[system])
    pair = results.equal_terms[behind], results.equal_terms[ahead]
    ratio, all_cores = (
        results.ratio(*pair, "time_to_proof", ROUNDS, threads) for threads in ("one", "all")
    )
    if ratio is None:
        return None
    return Lead(behind, ahead, ratio, all_cores, least, others[ahead])


def lead_in_words(results: Results) -> str:
    """The lead in a sentence, with the bits of both."""
    found = lead(results)
    if found is None:
        return (
            f"This run has no system to hold against the four of earlier work at {ROUNDS} rounds "
            "with no fewer conjectured bits than the fastest of them."
        )
    all_cores = found.all_cores
    beside = f", on all cores {plain(all_cores, interval=True)} times" if all_cores else ""
    return (
        f"At {ROUNDS} rounds on one thread, {system_label(found.behind)}, the fastest of the four "
        "systems of earlier work with its options, takes "
        f"{plain(found.ratio, interval=True)} times as long to prove as "
        f"{system_label(found.ahead)}{beside}, with {found.bits_behind:.0f} conjectured bits "
        f"against {found.bits_ahead:.0f}."
    )


def lead_on_all_cores(results: Results) -> str:
    """The same ratio on all cores, and whether it is still tenfold."""
    found = lead(results)
    if found is None or found.all_cores is None:
        return (
            f"This run has no lead over the four of earlier work at {ROUNDS} rounds on all cores."
        )
    ratio = found.all_cores
    if ratio.high < TENFOLD:
        said = "less than tenfold"
    elif ratio.low >= TENFOLD:
        said = "tenfold or more"
    else:
        said = "not told apart from tenfold"
    return (
        f"On all cores {system_label(found.behind)} takes {plain(ratio, interval=True)} times as "
        f"long as {system_label(found.ahead)}, {said}, where on one thread it takes "
        f"{plain(found.ratio, interval=True)} times, {_tenfold_blocks(results, found)}."
    )


def _tenfold_blocks(results: Results, found: Lead) -> str:
    """In how many blocks the ratio on one thread is tenfold or more."""
    behind, ahead = (
        results.by_block(results.equal_terms[system], "time_to_proof", ROUNDS, "one")
        for system in (found.behind, found.ahead)
    )
    ratios = [math.exp(behind[block] - ahead[block]) for block in behind.keys() & ahead.keys()]
    return f"{TENFOLD:.0f} or more in {sum(r >= TENFOLD for r in ratios)} of {len(ratios)} blocks"


def lead_options(results: Results) -> str:
    """Whose options the two systems have, and what the one behind takes with its own."""
    found = lead(results)
    if found is None:
        return f"This run has no lead over the four of earlier work at {ROUNDS} rounds."
    time = results.value(results.equal_terms[found.behind], "time_to_proof", ROUNDS, "one")
    chosen = "chosen for speed" if found.ahead in FOR_SPEED else "its runner's defaults"
    return (
        f"The options of {system_label(found.ahead)} are {chosen}; {system_label(found.behind)} "
        f"takes {plain(time, interval=True)} with those of earlier work."
    )
