"""Another machine's run set against a recorded one: on ratios, orders and growth, not on times.

Two runs of one experiment are two samples that have nothing in common but the programs, so their
intervals are combined as those of independent estimates: on logarithms, the half-width of a
difference is the root of the sum of squares. Two quantities are *equivalent* where the whole
interval of their quotient lies within a margin, *different* where none of it does, and *open*
otherwise (two one-sided tests, Schuirmann 1987, by intervals of 95 %).

Compared are the sound series of the main track on one thread, which both runs have.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl

from nizkbench.errors import NizkBenchError
from nizkbench.figures import scaling_row
from nizkbench.predicates import Outcome, within
from nizkbench.quantities import Quantity, plain
from nizkbench.records import read_manifest
from nizkbench.results import Results
from nizkbench.words import listed

#: Ratios are equivalent within this factor, exponents within this difference.
MARGIN, EXPONENT_MARGIN = 1.25, 0.1

METRICS = ("time_to_proof", "prove", "verify")
THREADS = "one"

#: What of a run is compared, of its configurations or its series.
_COMPARED = (pl.col("track") == "main") & pl.col("sound")

#: More cases than this are counted and not named.
MOST_NAMED = 8

#: Instructions that field arithmetic and hashes of the measured libraries use where a processor has
#: them, and what for.
INSTRUCTIONS = {
    "adx": "carries in products of large fields, in gnark",
    "bmi2": "products of large fields, in gnark",
    "avx2": "Blake3 in winterfell, BLAKE2s outside a circuit",
    "avx512f": "Blake3 in winterfell, vectors of field elements in gnark",
    "sha_ni": "SHA-256 outside a circuit",
}


@dataclass(frozen=True, slots=True)
class Compared:
    """A quantity in both runs, and the quotient or difference of the two with its outcome.

    `itself` is the outcome of the recorded run held against itself.
    """

    what: str
    here: Quantity
    there: Quantity
    outcome: Outcome
    itself: Outcome


def recorded_as(run: Path, reference: Path) -> Path:
    """The recorded run of the same name; `NizkBenchError` names those that can be compared."""
    recorded = reference / run.name
    if (recorded / "manifest.json").exists():
        return recorded
    statements = _compared_statements(run)
    others = sorted(
        path.parent.name
        for path in reference.glob("*/configurations.parquet")
        if statements & _compared_statements(path.parent)
    )
    if not others:
        raise NizkBenchError(f"no run is recorded as {run.name}, and none of the same statement")
    raise NizkBenchError(
        f"no run is recorded as {run.name}; of the same statement there is {listed(others)}:"
        f" `nizkbench compare {run} --against {reference / others[0]}`"
    )


def comparable(run: Path) -> None:
    """`NizkBenchError` where a run is of a kind that is not compared, with the kinds that are."""
    read_manifest(run)
    if (run / "configurations.parquet").exists() and not _compared_statements(run):
        raise NizkBenchError(
            f"{run} has no sound series on equal terms, which is what is compared: runs of MiMC, of"
            " hash functions and of ranges are, a grid of a STARK's options and the experiment of"
            " earlier work on queries (p1-grinding) are not"
        )


def _compared_statements(run: Path) -> set[str]:
    """The statements of the sound series of a run's main track, which is what is compared."""
    configurations = pl.read_parquet(run / "configurations.parquet")
    return set(configurations.filter(_COMPARED)["statement"])


def main_series(here: Results, there: Results) -> list[str]:
    """The sound series of the main track that both runs have, in alphabetical order."""
    both = (set(one.series_table.filter(_COMPARED)["series"]) for one in (here, there))
    return sorted(set.intersection(*both))


def over(here: Quantity, there: Quantity) -> Quantity:
    """The quotient of two independent estimates; exact where both are."""
    middle = math.log(here.value) - math.log(there.value)
    half = math.hypot(*(math.log(one.high / one.low) / 2 for one in (here, there)))
    return Quantity(math.exp(middle), math.exp(middle - half), math.exp(middle + half))


def ratios(here: Results, there: Results) -> list[Compared]:
    """The ratio of every two series in both runs, at every metric and size that all have."""
    found = []
    for metric, size, first, second in _pairs(here, there):
        mine = here.ratio(first, second, metric, size, THREADS)
        theirs = there.ratio(first, second, metric, size, THREADS)
        if mine is None or theirs is None:
            continue
        what = f"{metric} of {first} over {second} at {size} {here.size_name}"
        outcome, itself = (within(over(one, theirs), MARGIN) for one in (mine, theirs))
        found.append(Compared(what, mine, theirs, outcome, itself))
    return found


def _pairs(here: Results, there: Results) -> Iterator[tuple[str, int, str, str]]:
    series = main_series(here, there)
    for metric in METRICS:
        for size in sorted({*here.grid} & {*there.grid}):
            for first, second in combinations(series, 2):
                yield metric, size, first, second


def reversed_orders(compared: list[Compared]) -> list[Compared]:
    """The ratios that are above one in one run and below it in the other, by whole intervals."""
    return [
        one
        for one in compared
        if (one.here.low > 1 and one.there.high < 1) or (one.here.high < 1 and one.there.low > 1)
    ]


def growths(here: Results, there: Results) -> list[Compared]:
    """The exponents of every series and metric in both runs."""
    found = []
    for series in main_series(here, there):
        for metric in METRICS:
            mine, theirs = (_exponent(one, series, metric) for one in (here, there))
            if mine is None or theirs is None:
                continue
            outcome, itself = (_apart(one, theirs) for one in (mine, theirs))
            what = f"exponent of {metric} of {series}"
            found.append(Compared(what, mine, theirs, outcome, itself))
    return found


def _apart(here: Quantity, there: Quantity) -> Outcome:
    """Whether two exponents are equivalent."""
    apart = here.value - there.value
    half = math.hypot(*((one.high - one.low) / 2 for one in (here, there)))
    # Differences as quotients, so that one rule decides both.
    quotient = Quantity(math.exp(apart), math.exp(apart - half), math.exp(apart + half))
    return within(quotient, math.exp(EXPONENT_MARGIN))


def _exponent(results: Results, series: str, metric: str) -> Quantity | None:
    row = scaling_row(results, series, metric, THREADS)
    if row is None or row["low"] is None:
        return None
    return Quantity(row["exponent"], row["low"], row["high"])


def paces(here: Results, there: Results) -> dict[str, float]:
    """Series → how many times as long it takes here as there: geometric mean of times to proof.

    Of the native prover of ZoKrates' circuits, which has no time to proof, of prove times.
    """
    found = {}
    for series in main_series(here, there):
        logs = []
        for size in sorted({*here.grid} & {*there.grid}):
            for metric in ("time_to_proof", "prove"):
                mine, theirs = (one.value(series, metric, size, THREADS) for one in (here, there))
                if mine is not None and theirs is not None:
                    logs.append(math.log(mine.value / theirs.value))
                    break
        if logs:
            found[series] = math.exp(sum(logs) / len(logs))
    return found


def only_one_has(here: Results, there: Results) -> list[str]:
    """What has times in one run and failed in the other: series, size and how it ended."""
    found = []
    for series in main_series(here, there):
        for size in sorted({*here.grid} & {*there.grid}):
            has = [one.value(series, "prove", size, THREADS) is not None for one in (here, there)]
            if has[0] == has[1]:
                continue
            lacking, where = (here, "here") if has[1] else (there, "there")
            how = lacking.failure(series, size, THREADS)
            if how is not None:
                found.append(f"{series} at {size} {here.size_name} ({how} {where})")
    return found


def machines(here: Mapping[str, Any], there: Mapping[str, Any]) -> list[str]:
    """How two machines differ, by their manifests, each difference in a few words."""
    mine, theirs = (one.get("machine") or {} for one in (here, there))
    found = []
    for name, words in (
        ("processor", "the processor is"),
        ("usable_cores", "usable cores are"),
        ("kernel", "the kernel is"),
        ("governor", "the governor is"),
        ("virtualisation", "virtualisation is"),
    ):
        if mine.get(name) != theirs.get(name):
            found.append(f"{words} {mine.get(name)} here and {theirs.get(name)} there")
    memory, there_too = (float(one.get("memory_bytes") or 0) for one in (mine, theirs))
    if memory and there_too and abs(memory / there_too - 1) > 0.05:
        found.append(f"memory is {memory / 1e9:.0f} GB here and {there_too / 1e9:.0f} GB there")
    flags = [set(one.get("flags") or ()) for one in (mine, theirs)]
    for flag, use in INSTRUCTIONS.items():
        if (flag in flags[0]) != (flag in flags[1]):
            where = "here" if flag in flags[0] else "there"
            found.append(f"only {where} the processor has {flag.upper()} ({use})")
    for name in sorted({*(here.get("locks") or {})} & {*(there.get("locks") or {})}):
        if here["locks"][name] != there["locks"][name]:
            found.append(f"{name} differs")
    return found


def sentences(here: Results, there: Results) -> list[str]:
    """What the comparison shows, a sentence each; the last says where to look for reasons.

    `NizkBenchError` where the two have nothing to compare.
    """
    compared, grown = ratios(here, there), growths(here, there)
    if not compared:
        raise NizkBenchError(
            "the two runs have no ratio in common: no two sound series of the main track have times"
            " at a size of both, on one thread"
        )
    differing = [one for one in compared if one.outcome is Outcome.CONTRADICTED]
    found = [_machine_sentence(here, there), *_pace_sentences(paces(here, there))]
    found.append(
        f"Of {len(compared)} ratios of two series, {_count(compared, Outcome.REPRODUCED)} are"
        f" equivalent within a factor of {MARGIN:g}, {len(differing)} differ and"
        f" {_count(compared, Outcome.INCONCLUSIVE)} are open. {_ceiling(compared)}"
    )
    found += [f"{_shown(one)}." for one in _worst(differing)]
    turned = reversed_orders(compared)
    found.append(
        f"No order that both runs tell is another: {_told(compared)} of the ratios."
        if not turned
        else f"{len(turned)} orders are the other way round: "
        f"{'; '.join(_shown(one) for one in _worst(turned))}."
    )
    if grown:
        steeper = [one for one in grown if one.outcome is Outcome.CONTRADICTED]
        found.append(
            f"Of {len(grown)} exponents, {_count(grown, Outcome.REPRODUCED)} are equivalent within"
            f" {EXPONENT_MARGIN:g}, {len(steeper)} differ and"
            f" {_count(grown, Outcome.INCONCLUSIVE)} are open. {_ceiling(grown)}"
        )
        found += [f"{_shown(one)}." for one in _worst(steeper)]
    if lost := only_one_has(here, there):
        found.append(f"Only one run has {listed(lost)}.")
    return found


def _machine_sentence(here: Results, there: Results) -> str:
    apart = machines(here.manifest, there.manifest)
    if not apart:
        return "By their manifests the two machines do not differ."
    return f"The machines differ: {'; '.join(apart)}."


def _pace_sentences(found: Mapping[str, float]) -> list[str]:
    overall = math.exp(sum(math.log(pace) for pace in found.values()) / len(found))
    said = [f"This machine takes {overall:.2f} times as long as the recorded one, on average."]
    off = {series: pace / overall for series, pace in found.items()}
    apart = {s: one for s, one in off.items() if not 1 / MARGIN <= one <= MARGIN}
    if apart:
        parts = [f"{series} {one:.2f} times" for series, one in sorted(apart.items())]
        said.append(f"Against that average, {listed(parts)} as long.")
    else:
        said.append(f"No series is further than a factor of {MARGIN:g} from that average.")
    return said


def _count(compared: list[Compared], outcome: Outcome) -> int:
    return sum(one.outcome is outcome for one in compared)


def _ceiling(compared: list[Compared]) -> str:
    """How far a verdict can go, by how many the recorded run does not decide against itself."""
    left = sum(one.itself is Outcome.INCONCLUSIVE for one in compared)
    if not left:
        return "Held against itself, the recorded run leaves none open."
    return (
        f"Held against itself, the recorded run leaves {left} of the {len(compared)} open, because"
        f" its own intervals are too wide: a run that is no more precise can be shown equivalent in"
        f" {len(compared) - left} at most."
    )


def _told(compared: list[Compared]) -> int:
    """How many ratios exclude one in both runs."""
    return sum(
        all(not one.low <= 1 <= one.high for one in (pair.here, pair.there)) for pair in compared
    )


def _worst(compared: list[Compared]) -> list[Compared]:
    """Those that differ the most, the largest first, and no more than can be read."""

    def distance(one: Compared) -> float:
        return abs(math.log(one.here.value / one.there.value)) if one.there.value > 0 else math.inf

    return sorted(compared, key=distance, reverse=True)[:MOST_NAMED]


def _shown(one: Compared) -> str:
    mine, theirs = (plain(quantity, interval=True) for quantity in (one.here, one.there))
    return f"{one.what} is {mine} here and {theirs} there"
