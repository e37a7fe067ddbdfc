"""What is claimed of hash functions in circuits, decided over a run of that experiment.

The claims are those of the register (`data/claims.toml`) on this experiment. Those of earlier work,
Kondyrev (2024), who compared functions of ZoKrates' standard library with Groth16 over BN254, are
decided twice:

- *published*: ZoKrates' own prover, functions over a field take elements, not bytes, and SHA-256 is
  the standard library's hash of bytes where it was measured.
- *equal*: the native prover on the same circuits, and every function hashes the same bytes.

Absolute times are those of another machine. Where a claim names one, it is decided over ours, since
it says which sizes are practical; orders and growth do not depend on the machine.

Subjects are functions, by their names; `FUNCTION in SYSTEM` is one in another system, and
`FUNCTION with gadget=standard-library` the standard library's hash of bytes.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import polars as pl

from nizkbench.claim_register import claims_on, decided_on, members
from nizkbench.hash_figures import FUNCTION_NAMES
from nizkbench.hash_reference import OVER_A_FIELD
from nizkbench.hash_results import (
    FUNCTIONS,
    LEFT_OVER_MINIMUM,
    NATIVE,
    OVER_BYTES,
    STANDARD_LIBRARY,
    THREADS,
    ZOKRATES,
    HashResults,
)
from nizkbench.hash_speed import HASH, MERKLE, per_hash, whole_task
from nizkbench.predicates import (
    SIDES,
    Outcome,
    Side,
    Subjects,
    Verdict,
    corrected,
)
from nizkbench.quantities import Quantity, plain, power, times
from nizkbench.results import system_label
from nizkbench.words import listed

#: What the register has these claims under.
EXPERIMENT: Final = "hash-functions"
SOURCE: Final = "p2"

MIMC = ("mimc-7", "mimc-sponge")
POSEIDON = "poseidon"

#: Earlier work's "above 1 KB" and "at 2 KB", in bytes: ours are of the smallest size from there on.
KILOBYTE, TWO_KILOBYTES = 1024, 2000

#: Earlier work's proving keys: functions and the bytes of the message.
KEYS = ((MIMC, 1536), (("sha256",), 1536), (("blake2s",), 1536), (("sha3-256",), 2560))

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

# What the register calls the figures of this experiment.
OFF_A_LINE = "distance of constraints from a line"
CONSTRAINTS_A_BYTE = "constraints a byte"
EXPONENT = "exponent of prove time over constraints"
LONGEST = "longest message over the longest that all functions share"
PROOF_SIZES = "number of different proof sizes"
VERIFY_OF_LARGEST = "verify time of the largest circuit over that of the smallest"
OVER_PUBLISHED = "time of 64 bytes alone over the published one"
TREE_OVER_PUBLISHED = "time of a tree over the published one"
LEAST_GAIN = "least gain of the native prover over WebAssembly"


@dataclass(frozen=True, slots=True)
class HashTerms:
    """One side of the comparison: which prover, and what functions over a field take."""

    results: HashResults
    side: Side

    @property
    def system(self) -> str:
        """Whose prover it is."""
        return ZOKRATES if self.side == "published" else NATIVE

    @property
    def message(self) -> str:
        """What functions over a field take."""
        return "elements" if self.side == "published" else "bytes"

    @property
    def invocations(self) -> int:
        """From how many invocations of each configuration estimates are, at least."""
        return self.results.results.fewest_invocations

    def members(self, subjects: Subjects) -> tuple[str, ...]:
        """The functions that a name of the register stands for."""
        return members(EXPERIMENT, subjects)

    def name(self, subject: str) -> str:
        """What a subject is called in a sentence."""
        function, _, rest = subject.partition(" ")
        known = FUNCTION_NAMES.get(function, function)
        if rest.startswith("in "):
            return f"{known} in {system_label(rest.removeprefix('in '))}"
        if rest == _WITH_LIBRARY:
            return f"the standard library's {known}"
        return f"{known} {rest}".strip()

    def place(self, size: int) -> str:
        """A size in words."""
        return f"at {size} bytes"

    def series(self, subject: str) -> str | None:
        """The series that stands for a subject, or None."""
        function, _, rest = subject.partition(" ")
        if rest.startswith("in "):
            return self.results.main(rest.removeprefix("in "), function)
        if rest == _WITH_LIBRARY:
            return self.results.main(self.system, function, gadget=STANDARD_LIBRARY)
        message = self.message if function in OVER_A_FIELD else "bytes"
        if function == "sha256" and self.side == "published":
            theirs = self.results.main(self.system, function, message, STANDARD_LIBRARY)
            if theirs is not None:
                return theirs
        return self.results.main(self.system, function, message)

    def value(self, subject: str, metric: str, size: int) -> Quantity | None:
        """An estimate of a subject, or None."""
        series = self.series(subject)
        return None if series is None else self.results.results.value(series, metric, size)

    def ratio(self, above: str, below: str, metric: str, size: int) -> Quantity | None:
        """A metric of one subject over that of another at a size, or None."""
        first, second = self.series(above), self.series(below)
        if first is None or second is None:
            return None
        return self.results.between(metric, (first, size), (second, size))

    def change(
        self, above: str, below: str, metric: str, sizes: tuple[int, int]
    ) -> Quantity | None:
        """The ratio of two subjects at the second size over that at the first, or None."""
        first, second = self.series(above), self.series(below)
        if first is None or second is None:
            return None
        return self.results.results.change_of_ratio(first, second, metric, sizes, THREADS)

    def sizes(self, subjects: Iterable[str], metric: str = "prove") -> tuple[int, ...]:
        """The sizes at which all these subjects have a value."""
        series = [self.series(subject) for subject in subjects]
        known = [one for one in series if one is not None]
        return self.results.shared_sizes(known, metric) if len(known) == len(series) else ()

    def figure(self, figure: str, subject: str) -> Quantity | None:
        """A number over all sizes of a subject, or over all circuits; None without."""
        if figure == VERIFY_OF_LARGEST:
            circuits = self.circuits()
            if len(circuits) < 2:
                return None
            return self.results.between("verify", circuits[-1][1:], circuits[0][1:])
        if figure == PROOF_SIZES:
            return _exactly(len(self.proof_sizes()) or None)
        if figure == LEAST_GAIN:
            gains = [gain for _, _, gain in self.results.compared_natively()]
            return min(gains, key=lambda gain: gain.low, default=None)
        if figure in (OVER_PUBLISHED, TREE_OVER_PUBLISHED):
            return self._over_published(subject, tree=figure == TREE_OVER_PUBLISHED)
        series = self.series(subject)
        return None if series is None else self._of_series(figure, subject, series)

    def _of_series(self, figure: str, subject: str, series: str) -> Quantity | None:
        if figure == EXPONENT:
            return self.results.exponent_over(series, "prove")
        if figure == OFF_A_LINE:
            return _exactly(self.results.left_over(series))
        if figure == CONSTRAINTS_A_BYTE:
            row = self.results.growth_of(series, "constraints")
            return _exactly(None if row is None else row["per_byte"])
        own, shared = self.sizes([subject]), self.sizes(FUNCTIONS)
        if figure == LONGEST and own and shared:
            return _exactly(own[-1] / shared[-1])
        return None

    def _over_published(self, function: str, *, tree: bool) -> Quantity | None:
        speed = self.results.speed
        if speed is None or function not in PUBLISHED_SPEED:
            return None
        alone, of_tree = PUBLISHED_SPEED[function]
        if not tree:
            found, published = per_hash(speed, function, HASH), 1e6 * alone
        elif self.has_published_trees:
            found, published = whole_task(speed, function, MERKLE), 1e9 * of_tree
        else:
            return None
        if found is None:
            return None
        return Quantity(found.value / published, found.low / published, found.high / published)

    @property
    def has_published_trees(self) -> bool:
        """Whether trees were timed with as many leaves as the published ones."""
        return self.results.timed.get("leaves_log2") == PUBLISHED_LEAVES_LOG2

    def circuits(self) -> list[tuple[int, str, int]]:
        """Every circuit that was verified: its constraints, series and size, fewest first."""
        return sorted(
            (count, series, size)
            for function in FUNCTIONS
            if (series := self.series(function)) is not None
            for size in self.results.sizes(series, "verify")
            if (count := self.results.constraints(series, size)) is not None
        )

    def proof_sizes(self) -> list[int]:
        """The bytes of proofs, of all circuits, each once, ascending."""
        found = {
            int(value.value)
            for _, series, size in self.circuits()
            if (value := self.results.results.value(series, "size:proof", size)) is not None
        }
        return sorted(found)

    def ran_out(self, functions: Iterable[str]) -> list[str]:
        """What ran out of memory: `SHA3-256 from 1024 bytes`."""
        said = []
        for function in functions:
            series = self.series(function)
            sizes = () if series is None else self.results.out_of_memory(series)
            if sizes:
                said.append(f"{FUNCTION_NAMES[function]} from {sizes[0]} bytes")
        return said


_WITH_LIBRARY = f"with gadget={STANDARD_LIBRARY}"


def _exactly(value: float | None) -> Quantity | None:
    """A number that does not vary, of no unit."""
    return None if value is None else Quantity(value, value, value)


def hash_verdicts(results: HashResults) -> dict[str, tuple[Verdict, Verdict]]:
    """The verdicts on P2.1 to P2.7 as published and on equal terms, by the claim's key.

    Each side is a family of its own.
    """
    then, now = (
        corrected(decided_on(EXPERIMENT, SOURCE, HashTerms(results, side), _SENTENCES))
        for side in SIDES
    )
    return {key: (then[key], now[key]) for key in then}


def faster_than_linear() -> float:
    """A prove time whose exponent over the constraints is above this grows faster than they do."""
    (bound,) = (
        condition.above
        for condition in claims_on(EXPERIMENT, SOURCE)["p2.2"].conditions
        if condition.figure == EXPONENT and condition.above is not None
    )
    return bound


def _named(functions: Iterable[str]) -> str:
    return listed([FUNCTION_NAMES[function] for function in functions])


def _lost(terms: HashTerms, functions: Iterable[str]) -> str:
    """What ran out of memory, as a sentence behind another."""
    lost = terms.ran_out(functions)
    return f" {listed(lost)} ran out of memory." if lost else ""


def _not_measured(terms: HashTerms, what: str, functions: Iterable[str] = OVER_BYTES) -> Verdict:
    return Verdict(Outcome.NOT_MEASURED, f"This run has no {what}.{_lost(terms, functions)}")


# ── The sentences: what was found, or why nothing could be ────────────────────────────────────


def _linear_constraints(terms: HashTerms) -> str | Verdict:
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
    slopes = listed([f"{FUNCTION_NAMES[name]} {row['per_byte']:.0f}" for name, row in rows.items()])
    largest = min(row["largest"] for row in rows.values())
    return (
        f"Constraints a byte of message, fitted up to {largest} bytes at least: {slopes}; none is"
        f" further than {100 * max(left.values()):.2g}\u202f% off a line in the bytes and blocks of"
        " the message."
    )


def _prove_times(terms: HashTerms) -> str | Verdict:
    grows = terms.figure(EXPONENT, "sha256")
    if grows is None:
        return _not_measured(terms, "three sizes of SHA-256")
    times, lacking = "", []
    for name in OVER_BYTES:
        large = [size for size in terms.sizes([name]) if size >= TWO_KILOBYTES]
        if large:
            value = plain(terms.value(name, "prove", large[0]), interval=True)
            times += f" {FUNCTION_NAMES[name]} of {large[0]} bytes takes {value} to prove."
        else:
            lacking.append(name)
    beyond = _lost(terms, OVER_BYTES)
    if lacking:
        have = "has" if len(lacking) == 1 else "have"
        beyond += f" From {TWO_KILOBYTES} bytes on {_named(lacking)} {have} no time here."
    return (
        f"Up to {terms.sizes(['sha256'])[-1]} bytes SHA-256's prove time grows with its constraints"
        f" to the power {plain(grows, interval=True)}.{times}{beyond}"
    )


def _setup_minutes(terms: HashTerms) -> str | Verdict:
    large = {
        function: sizes
        for function in OVER_BYTES
        if (sizes := [size for size in terms.sizes([function], "setup") if size >= KILOBYTE])
    }
    if not large:
        return _not_measured(terms, f"setup of {KILOBYTE} bytes or more")

    def setup(name: str, size: int) -> str:
        return plain(terms.value(name, "setup", size), interval=True)

    said = listed(
        [
            f"{FUNCTION_NAMES[name]} {setup(name, sizes[0])} at {sizes[0]} bytes"
            for name, sizes in large.items()
        ]
    )
    longest = [
        f"{FUNCTION_NAMES[name]} takes {setup(name, sizes[-1])} at {sizes[-1]} bytes"
        for name, sizes in large.items()
        if len(sizes) > 1
    ]
    largest = f" At the largest size {listed(longest)}." if longest else ""
    without = [name for name in OVER_BYTES if name not in large]
    return f"Setup takes {said}.{largest}{_lost(terms, without)}"


def _far_cheaper(terms: HashTerms) -> str | Verdict:
    sizes = terms.sizes(FUNCTIONS)
    if not sizes:
        return _not_measured(terms, "size of all six functions", FUNCTIONS)
    last = sizes[-1]
    ratios = listed(
        [
            f"{FUNCTION_NAMES[name]} {times(terms.ratio(name, POSEIDON, 'prove', last))}"
            for name in OVER_BYTES
        ]
    )
    limit = (
        "one call of the library's function takes six elements, which is the limit of earlier work,"
        " and calls are chained here"
    )
    if terms.side == "equal":
        largest = terms.sizes([POSEIDON])[-1]
        limit = f"chained, such calls hash any length, here up to {largest} bytes"
    return f"At {last} bytes proving takes {ratios} as long as Poseidon; {limit}."


def _proving_keys(terms: HashTerms) -> str | Verdict:
    said, stands_for, lacking = [], [], []
    for functions, size in KEYS:
        known = {
            function: value
            for function in functions
            if (value := terms.value(function, "size:proving_key", size)) is not None
        }
        if not known:
            lacking.append(f"{FUNCTION_NAMES[functions[0]]} of {size} bytes")
            continue
        said += [
            f"{FUNCTION_NAMES[function]} {plain(value)} at {size} bytes"
            for function, value in known.items()
        ]
        if without := [one for one in functions if one not in known]:
            stands_for.append(
                f"{_named(without)} has none there, for which {_named(known)} cannot stand"
            )
    if not said:
        return _not_measured(terms, f"proving key of {listed(lacking)}")
    sentence = f"Proving keys: {listed(said)}."
    if stands_for:
        sentence += f" {'; '.join(stands_for)}."
    if lacking:
        have = "has" if len(lacking) == 1 else "have"
        lost = _lost(terms, [*OVER_BYTES, *MIMC])
        sentence += f" {listed(lacking)} {have} no key here.{lost}"
    return sentence


def _constant_proofs(terms: HashTerms) -> str | Verdict:
    circuits = terms.circuits()
    if len(circuits) < 2:
        return _not_measured(terms, "two circuits")
    sizes = listed([f"{one} bytes" for one in terms.proof_sizes()])
    ratio = terms.figure(VERIFY_OF_LARGEST, "all circuits")
    return (
        f"From {circuits[0][0]} to {circuits[-1][0]} constraints the proof has {sizes}, compressed,"
        f" and the verify time of the largest is {times(ratio)} that of the smallest."
    )


def _native_speed(terms: HashTerms) -> str | Verdict:
    speed = terms.results.speed
    measured = {} if speed is None else _timed_alone(speed)
    if speed is None or not measured:
        return _not_measured(terms, "native speed", ())
    times = listed(
        [
            f"{FUNCTION_NAMES[name]} {plain(value, interval=True)}"
            for name, value in measured.items()
        ]
    )
    trees = ""
    if terms.has_published_trees:
        found = [
            f"{FUNCTION_NAMES[name]} {plain(value, interval=True)}, published"
            f" {PUBLISHED_SPEED[name][1]:g} s"
            for name in measured
            if (value := whole_task(speed, name, MERKLE)) is not None
        ]
        trees = f" A tree of {power(2, PUBLISHED_LEAVES_LOG2)} leaves takes {listed(found)}."
    return f"Alone, 64 bytes take {times}. {unit_of_speed(speed)}{trees}"


_SENTENCES: dict[str, Callable[[HashTerms], str | Verdict]] = {
    "p2.1": _linear_constraints,
    "p2.2": _prove_times,
    "p2.3": _setup_minutes,
    "p2.4": _far_cheaper,
    "p2.5": _proving_keys,
    "p2.6": _constant_proofs,
    "p2.7": _native_speed,
}


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
