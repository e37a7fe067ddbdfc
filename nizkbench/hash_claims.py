"""What earlier work claims of hash functions in circuits, decided over a run of that experiment.

Source of the claims: Kondyrev (2024), who compared functions of ZoKrates' standard library with
Groth16 over BN254. Each is decided twice, in the form of `nizkbench.claims`:

- *published*: ZoKrates' own prover, functions over a field take elements, not bytes, and SHA-256 is
  the standard library's hash of bytes where it was measured.
- *equal*: the native prover on the same circuits, and every function hashes the same bytes.

Absolute times are those of another machine. Where a claim names one, it is decided over ours, since
it says which sizes are practical; orders and growth do not depend on the machine.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import polars as pl

from nizkbench.claims import (
    Comparison,
    Outcome,
    Verdict,
    _decided,
    _holds,
    _is_above,
    _is_below,
    _listed,
    _times,
    every,
)
from nizkbench.hash_figures import FUNCTION_NAMES
from nizkbench.hash_reference import OVER_A_FIELD
from nizkbench.hash_results import (
    FUNCTIONS,
    LEFT_OVER_MINIMUM,
    NATIVE,
    OVER_BYTES,
    STANDARD_LIBRARY,
    ZOKRATES,
    HashResults,
)
from nizkbench.hash_speed import HASH, MERKLE, per_hash, whole_task
from nizkbench.quantities import Quantity, plain, power

MIMC = ("mimc-7", "mimc-sponge")
POSEIDON = "poseidon"

#: Growth is linear where no circuit is further than this from a line in the bytes and in the blocks
#: of its message. Poseidon's last call may take fewer elements, and costs less then.
LINEAR = 0.1

#: A prove time whose exponent over the constraints is above this grows faster than they do.
FASTER_THAN_LINEAR = 1.1

#: What "far cheaper" has to exceed, and within what "does not depend on the circuit" has to be.
FAR_CHEAPER, ALIKE = 10.0, 1.25

#: Earlier work's "minutes" and "above 1 KB", in ns and bytes.
MINUTE, KILOBYTE = 60e9, 1024

#: Earlier work's least prove times at 2 KB, in ns; ours are of the smallest size from there on.
SLOWEST = {"sha3-256": 60e9, "blake2s": 20e9, "sha256": 600e9}
TWO_KILOBYTES = 2000

#: Earlier work's proving keys: functions, bytes of the message, and least bytes of the key.
KEYS = (
    (MIMC, 1536, 10e6),
    (("sha256",), 1536, 100e6),
    (("blake2s",), 1536, 100e6),
    (("sha3-256",), 2560, 1e9),
)

#: Earlier work's Table 1: a hash of 512 bits "in ms", and a tree of 2^20 leaves in s. One function
#: of ours for each of its names.
PUBLISHED_SPEED = {
    "sha256": (0.32, 0.624),
    "sha3-256": (0.42, 0.439),
    "blake2s": (0.21, 0.222),
    "poseidon": (20.0, 22.6),
    "mimc-sponge": (38.0, 42.2),
}
PUBLISHED_LEAVES_LOG2 = 20

CLAIMS = {
    "p2.1": "Constraints grow linearly with the input for all functions, and fastest for SHA-3,"
    " SHA-256 and BLAKE2.",
    "p2.2": "At 2 KB proving takes more than 60 s for SHA-3 and 20 s for BLAKE2; for SHA-256 it"
    " grows non-linearly and takes more than 10 min.",
    "p2.3": "Setup takes minutes for these three above 1 KB (decided as: more than one, at the"
    " smallest size measured from there on).",
    "p2.4": "MiMC and Poseidon are far cheaper (decided as: more than ten times); Poseidon is best,"
    " but for small inputs alone.",
    "p2.5": "Proving keys exceed 10 MB for MiMC at 1.5 KB, hundreds of MB for SHA-256 and BLAKE2"
    " there, and 1 GB for SHA-3 beyond 2.5 KB.",
    "p2.6": "Proof size and verify time do not depend on the circuit (decided as: by no more than a"
    " quarter).",
    "p2.7": "Natively, 512 bits take SHA-256 0.32 ms, SHA-3 0.42 ms, BLAKE2 0.21 ms, Poseidon 20 ms"
    " and MiMC 38 ms.",
}


@dataclass(frozen=True, slots=True)
class HashTerms:
    """One side of the comparison: which prover, and what functions over a field take."""

    results: HashResults
    system: str
    message: str

    def series(self, function: str) -> str | None:
        """The series that stands for a function, or None."""
        message = self.message if function in OVER_A_FIELD else "bytes"
        if function == "sha256" and self.message == "elements":
            theirs = self.results.main(self.system, function, message, STANDARD_LIBRARY)
            if theirs is not None:
                return theirs
        return self.results.main(self.system, function, message)

    def value(self, function: str, metric: str, size: int) -> Quantity | None:
        """An estimate of a function, or None."""
        series = self.series(function)
        return None if series is None else self.results.results.value(series, metric, size)

    def ratio(self, above: str, below: str, metric: str, size: int) -> Quantity | None:
        """A metric of one function over that of another at a size, or None."""
        first, second = self.series(above), self.series(below)
        if first is None or second is None:
            return None
        return self.results.between(metric, (first, size), (second, size))

    def sizes(self, function: str, metric: str = "prove") -> tuple[int, ...]:
        """Sizes at which a function has a value."""
        series = self.series(function)
        return () if series is None else self.results.sizes(series, metric)

    def shared(self, functions: Iterable[str], metric: str = "prove") -> tuple[int, ...]:
        """Sizes at which all these functions have one."""
        series = [self.series(function) for function in functions]
        known = [one for one in series if one is not None]
        return self.results.shared_sizes(known, metric) if len(known) == len(series) else ()

    def ran_out(self, functions: Iterable[str]) -> list[str]:
        """What ran out of memory: `SHA3-256 from 1024 bytes`."""
        said = []
        for function in functions:
            series = self.series(function)
            sizes = () if series is None else self.results.out_of_memory(series)
            if sizes:
                said.append(f"{FUNCTION_NAMES[function]} from {sizes[0]} bytes")
        return said


def hash_verdicts(results: HashResults) -> dict[str, tuple[Verdict, Verdict]]:
    """The verdicts on P2.1 to P2.7 as published and on equal terms, by the claim's key."""
    published = HashTerms(results, ZOKRATES, "elements")
    equal = HashTerms(results, NATIVE, "bytes")
    deciders = {
        "p2.1": _linear_constraints,
        "p2.2": _prove_times,
        "p2.3": _setup_minutes,
        "p2.4": _far_cheaper,
        "p2.5": _proving_keys,
        "p2.6": _constant_proofs,
        "p2.7": _native_speed,
    }
    return {key: (decide(published), decide(equal)) for key, decide in deciders.items()}


def _named(functions: Iterable[str]) -> str:
    return _listed([FUNCTION_NAMES[function] for function in functions])


def _not_measured(terms: HashTerms, what: str, functions: Iterable[str] = OVER_BYTES) -> Verdict:
    lost = terms.ran_out(functions)
    because = f" {_listed(lost)} ran out of memory." if lost else ""
    return Verdict(Outcome.NOT_MEASURED, f"This run has no {what}.{because}")


def _linear_constraints(terms: HashTerms) -> Verdict:
    rows, left = {}, {}
    for function in FUNCTIONS:
        if (series := terms.series(function)) is None:
            continue
        row, off = terms.results.growth_of(series, "constraints"), terms.results.left_over(series)
        if row is not None and off is not None:
            rows[function], left[function] = row, off
    missing = [function for function in FUNCTIONS if function not in rows]
    if missing:
        return _not_measured(terms, f"{LEFT_OVER_MINIMUM} sizes of {_named(missing)}")
    straight = every(
        _holds(
            off <= LINEAR,
            f"the constraints of {FUNCTION_NAMES[function]} are up to {100 * off:.2g}\u202f% off a"
            " line in bytes and blocks",
        )
        for function, off in left.items()
    )
    steeper = every(
        _holds(
            rows[above]["per_byte"] > rows[below]["per_byte"],
            f"{FUNCTION_NAMES[above]} has fewer constraints a byte than {FUNCTION_NAMES[below]}",
        )
        for above, below in product(OVER_BYTES, sorted(OVER_A_FIELD))
    )
    slopes = _listed(
        [f"{FUNCTION_NAMES[name]} {row['per_byte']:.0f}" for name, row in rows.items()]
    )
    largest = min(row["largest"] for row in rows.values())
    return _decided(
        every([straight, steeper]),
        f"Constraints a byte of message, fitted up to {largest} bytes at least: {slopes}; none is"
        f" further than {100 * max(left.values()):.2g}\u202f% off a line in the bytes and blocks of"
        " the message.",
    )


def _prove_times(terms: HashTerms) -> Verdict:
    series = terms.series("sha256")
    grows = None if series is None else terms.results.exponent_over(series, "prove")
    if grows is None:
        return _not_measured(terms, "three sizes of SHA-256")
    steep = _is_above("the exponent of SHA-256's prove time", grows, FASTER_THAN_LINEAR)
    at_two, lacking = {}, []
    for name in OVER_BYTES:
        large = [size for size in terms.sizes(name) if size >= TWO_KILOBYTES]
        if large:
            at_two[name] = (large[0], terms.value(name, "prove", large[0]))
        else:
            lacking.append(name)
    slow = [
        _is_above(f"{FUNCTION_NAMES[name]}'s prove time at {size} bytes", value, SLOWEST[name])
        for name, (size, value) in at_two.items()
    ]
    reached = terms.sizes("sha256")[-1]
    times = "".join(
        f" {FUNCTION_NAMES[name]} of {size} bytes takes {plain(value, interval=True)} to prove."
        for name, (size, value) in at_two.items()
    )
    lost = terms.ran_out(OVER_BYTES)
    beyond = f" {_listed(lost)} ran out of memory." if lost else ""
    if lacking:
        have = "has" if len(lacking) == 1 else "have"
        beyond += f" From {TWO_KILOBYTES} bytes on {_named(lacking)} {have} no time here."
    decisive = every([steep, *slow])
    sentence = (
        f"Up to {reached} bytes SHA-256's prove time grows with its constraints to the power"
        f" {plain(grows, interval=True)}.{times}{beyond}"
    )
    if lacking and decisive.outcome == Outcome.REPRODUCED:
        return Verdict(Outcome.INCONCLUSIVE, sentence)
    return _decided(decisive, sentence)


def _setup_minutes(terms: HashTerms) -> Verdict:
    large = {
        function: sizes
        for function in OVER_BYTES
        if (sizes := [size for size in terms.sizes(function, "setup") if size >= KILOBYTE])
    }
    found = {
        name: (first, terms.value(name, "setup", first)) for name, (first, *_) in large.items()
    }
    if not found:
        return _not_measured(terms, f"setup of {KILOBYTE} bytes or more")
    slow = every(
        _is_above(f"{FUNCTION_NAMES[name]}'s setup at {size} bytes", value, MINUTE)
        for name, (size, value) in found.items()
    )
    said = _listed(
        [
            f"{FUNCTION_NAMES[name]} {plain(value, interval=True)} at {size} bytes"
            for name, (size, value) in found.items()
        ]
    )
    lost = terms.ran_out(set(OVER_BYTES) - set(found))
    beyond = f" {_listed(lost)} ran out of memory." if lost else ""
    longest = [
        f"{FUNCTION_NAMES[name]} takes {plain(value, interval=True)} at {sizes[-1]} bytes"
        for name, sizes in large.items()
        if len(sizes) > 1 and (value := terms.value(name, "setup", sizes[-1])) is not None
    ]
    largest = f" At the largest size {_listed(longest)}." if longest else ""
    sentence = f"Setup takes {said}.{largest}{beyond}"
    if len(found) < len(OVER_BYTES) and slow.outcome == Outcome.REPRODUCED:
        return Verdict(Outcome.INCONCLUSIVE, sentence)
    return _decided(slow, sentence)


def _far_cheaper(terms: HashTerms) -> Verdict:
    cheap = [name for name in FUNCTIONS if name in OVER_A_FIELD and terms.sizes(name)]
    sizes = terms.shared([*OVER_BYTES, *cheap]) if POSEIDON in cheap else ()
    if not sizes or len(cheap) < len(OVER_A_FIELD):
        return _not_measured(terms, "size of all six functions", FUNCTIONS)
    cheaper = every(
        _is_above(
            f"{FUNCTION_NAMES[above]}'s prove time over {FUNCTION_NAMES[below]}'s at {size} bytes",
            terms.ratio(above, below, "prove", size),
            FAR_CHEAPER,
        )
        for above in OVER_BYTES
        for below in cheap
        for size in sizes
    )
    best = every(
        _is_below(
            f"Poseidon's prove time over {FUNCTION_NAMES[other]}'s at {size} bytes",
            terms.ratio(POSEIDON, other, "prove", size),
            1.0,
        )
        for other in MIMC
        for size in terms.shared([POSEIDON, other])
    )
    last = sizes[-1]
    ratios = _listed(
        [
            f"{FUNCTION_NAMES[name]} {_times(terms.ratio(name, POSEIDON, 'prove', last))}"
            for name in OVER_BYTES
        ]
    )
    largest = terms.sizes(POSEIDON)[-1]
    comparisons: list[Comparison] = [cheaper, best]
    limit = (
        "one call of the library's function takes six elements, which is the limit of earlier work,"
        " and calls are chained here"
    )
    if terms.message == "bytes":
        comparisons.append(
            _holds(largest <= last, f"chained, Poseidon was proven up to {largest} bytes")
        )
        limit = f"chained, such calls hash any length, here up to {largest} bytes"
    return _decided(
        every(comparisons),
        f"At {last} bytes proving takes {ratios} as long as Poseidon; {limit}.",
    )


def _proving_keys(terms: HashTerms) -> Verdict:
    comparisons, said, stands_for, lacking = [], [], [], []
    for functions, size, least in KEYS:
        known = {
            function: value
            for function in functions
            if (value := terms.value(function, "size:proving_key", size)) is not None
        }
        if not known:
            lacking.append(f"{FUNCTION_NAMES[functions[0]]} of {size} bytes")
            continue
        for function, value in known.items():
            words = f"{FUNCTION_NAMES[function]}'s proving key at {size} bytes"
            comparisons.append(_holds(value.value > least, f"{words} has {plain(value)}"))
            said.append(f"{FUNCTION_NAMES[function]} {plain(value)} at {size} bytes")
        if without := [one for one in functions if one not in known]:
            stands_for.append(
                f"{_named(without)} has none at {size} bytes, where {_named(known)} stands for it"
            )
    if not comparisons:
        return _not_measured(terms, f"proving key of {_listed(lacking)}")
    decisive = every(comparisons)
    sentence = f"Proving keys: {_listed(said)}."
    if stands_for:
        sentence += f" {'; '.join(stands_for)}."
    if lacking:
        lost = terms.ran_out([*OVER_BYTES, *MIMC])
        because = f", since {_listed(lost)} ran out of memory" if lost else ""
        sentence += f" Not measured: {_listed(lacking)}{because}."
        if decisive.outcome == Outcome.REPRODUCED:
            return Verdict(Outcome.INCONCLUSIVE, sentence)
    return _decided(decisive, sentence)


def _constant_proofs(terms: HashTerms) -> Verdict:
    circuits = sorted(
        (count, series, size)
        for function in FUNCTIONS
        if (series := terms.series(function)) is not None
        for size in terms.results.sizes(series, "verify")
        if (count := terms.results.constraints(series, size)) is not None
    )
    if len(circuits) < 2:
        return _not_measured(terms, "two circuits")
    sizes = {
        value.value
        for _, series, size in circuits
        if (value := terms.results.results.value(series, "size:proof", size)) is not None
    }
    (fewest, *_), (most, *_) = circuits[0], circuits[-1]
    ratio = terms.results.between("verify", circuits[-1][1:], circuits[0][1:])
    words = "verify time of the largest circuit over that of the smallest"
    same = _holds(len(sizes) == 1, f"proofs have {len(sizes)} different sizes")
    decisive = every([same, _is_below(words, ratio, ALIKE), _is_above(words, ratio, 1 / ALIKE)])
    return _decided(
        decisive,
        f"From {fewest} to {most} constraints the proof has"
        f" {_listed([f'{one:.0f} bytes' for one in sorted(sizes)])}, and the verify time of the"
        f" largest is {_times(ratio)} that of the smallest.",
    )


def _native_speed(terms: HashTerms) -> Verdict:
    speed = terms.results.speed
    if speed is None:
        return _not_measured(terms, "native speed", ())
    measured = _timed_alone(speed)
    if not measured:
        return _not_measured(terms, "native speed", ())
    times = _listed(
        [
            f"{FUNCTION_NAMES[name]} {plain(value, interval=True)}"
            for name, value in measured.items()
        ]
    )
    # Within a factor of ten a column in milliseconds would be right.
    decisive = every(
        _is_above(
            f"the time of {FUNCTION_NAMES[name]}",
            value,
            1e6 * PUBLISHED_SPEED[name][0] / 10,
        )
        for name, value in measured.items()
    )
    trees = ""
    if terms.results.timed.get("leaves_log2") == PUBLISHED_LEAVES_LOG2:
        found = [
            f"{FUNCTION_NAMES[name]} {plain(value, interval=True)}, published"
            f" {PUBLISHED_SPEED[name][1]:g} s"
            for name in measured
            if (value := whole_task(speed, name, MERKLE)) is not None
        ]
        trees = f" A tree of {power(2, PUBLISHED_LEAVES_LOG2)} leaves takes {_listed(found)}."
    return _decided(
        decisive,
        f"Alone, 64 bytes take {times}. {unit_of_speed(speed)}{trees}",
    )


def unit_of_speed(speed: pl.DataFrame) -> str | None:
    """Whether the published column is one of microseconds; None where nothing of it was timed.

    A unit is the likelier the closer the column in it is to what was measured, by its factor.
    """
    measured = _timed_alone(speed)
    if not measured:
        return None
    closer = [
        name
        for name, value in measured.items()
        if abs(math.log(value.value / (PUBLISHED_SPEED[name][0] * 1e3)))
        < abs(math.log(value.value / (PUBLISHED_SPEED[name][0] * 1e6)))
    ]
    published_hash, published_tree = PUBLISHED_SPEED["sha256"]
    implied = published_tree * 1e6 / 2**PUBLISHED_LEAVES_LOG2
    most = 2 * len(closer) > len(measured)
    unit = "microseconds, not of milliseconds" if most else "milliseconds, as it says"
    return (
        f"The published column is one of {unit}: read as microseconds, it is closer to what is"
        f" measured here than read as milliseconds for {len(closer)} of {len(measured)} functions."
        " By itself it is one of microseconds: a"
        f" published tree of {power(2, PUBLISHED_LEAVES_LOG2)} leaves in {published_tree:g} s has"
        f" {implied:.2g} µs for a hash of SHA-256, whose column says {published_hash:g}."
    )


def _timed_alone(speed: pl.DataFrame) -> dict[str, Quantity]:
    """What a hash of 64 bytes takes alone, for the published functions that were timed."""
    return {
        name: value
        for name in PUBLISHED_SPEED
        if (value := per_hash(speed, name, HASH)) is not None
    }
