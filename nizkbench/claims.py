"""What earlier work claims of MiMC in four libraries, decided on its terms and on equal ones.

Each claim of the register (`data/claims.toml`) is decided over the estimates of a run
(`nizkbench.predicates`), once on the terms of the earlier paper and once on equal ones. What is
added here is what the register's names mean in this experiment, and the sentence with the numbers
that each verdict comes with.

Subjects are systems, or `SYSTEM with NAME=VALUE` for the series that differs from a system's own in
one option or variant, `SYSTEM with all options changed` for the one that differs in the most.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from nizkbench.claim_register import claims_on, decided_on, members
from nizkbench.intervals import LEVEL, MEDIAN
from nizkbench.predicates import (
    SIDES,
    Outcome,
    Side,
    Subjects,
    Verdict,
    below,
    corrected,
)
from nizkbench.quantities import Quantity, plain, times
from nizkbench.results import Results, system_label
from nizkbench.security import of_configuration
from nizkbench.words import listed

BELLMAN = "bellman/groth16/bls12-381"
GNARK = "gnark/groth16/bls12-381"
BULLETPROOFS = "bulletproofs/r1cs/ristretto255"
STARK = "winterfell/stark/f128"
SNARKS = (BELLMAN, GNARK)

#: The STARK with what P1.10 and P1.11 change of its options.
FEWER_QUERIES = f"{STARK} with queries=41"
LARGE_REMAINDER = f"{STARK} with remainder_max_degree=255"
ALL_CHANGED = f"{STARK} with all options changed"

#: What the register has these claims under.
EXPERIMENT: Final = "mimc"
SOURCE: Final = "p1"


@dataclass(frozen=True, slots=True)
class Terms:
    """One side of the comparison: which series stands for a system, and on how many threads."""

    results: Results
    side: Side

    @property
    def series(self) -> dict[str, str]:
        """System → the series that stands for it."""
        published = self.side == "published"
        return self.results.as_published if published else self.results.equal_terms

    @property
    def threads(self) -> str | None:
        """The thread track; None is that of each series' own, as earlier work compared them."""
        return None if self.side == "published" else "one"

    @property
    def invocations(self) -> int:
        """From how many invocations of each configuration estimates are, at least."""
        return self.results.fewest_invocations

    def members(self, subjects: Subjects) -> tuple[str, ...]:
        """The systems that a name of the register stands for."""
        return members(EXPERIMENT, subjects)

    def name(self, subject: str) -> str:
        """What a subject is called in a sentence."""
        return subject_name(subject)

    def place(self, size: int) -> str:
        """A size in words."""
        return f"at {size} {self.results.size_name}"

    def stands_for(self, subject: str) -> str | None:
        """The series of a subject, or None."""
        system, _, changed = subject.partition(" with ")
        series = self.series.get(system)
        if series is None or not changed:
            return series
        if changed == "all options changed":
            return self.results.with_options_combined(series)
        name, _, value = changed.partition("=")
        option = int(value) if value.isdigit() else value
        return self.results.with_option(series, name, option) or self.results.with_variant(
            series, name, value
        )

    def value(self, subject: str, metric: str, size: int) -> Quantity | None:
        """The headline estimate of a subject, or None."""
        series = self.stands_for(subject)
        if series is None:
            return None
        return self.results.value(series, metric, size, self.threads)

    def ratio(self, above: str, below: str, metric: str, size: int) -> Quantity | None:
        """The ratio of two subjects, or None."""
        first, second = self.stands_for(above), self.stands_for(below)
        if first is None or second is None:
            return None
        return self.results.ratio(first, second, metric, size, self.threads)

    def change(
        self, above: str, below: str, metric: str, sizes: tuple[int, int]
    ) -> Quantity | None:
        """The ratio of two subjects at the second size over that at the first, or None."""
        first, second = self.stands_for(above), self.stands_for(below)
        if first is None or second is None:
            return None
        return self.results.change_of_ratio(first, second, metric, sizes, self.threads)

    def sizes(self, subjects: Iterable[str], metric: str) -> tuple[int, ...]:
        """The sizes at which all these subjects have a value."""
        known = tuple(subjects)
        return tuple(
            size
            for size in self.results.grid
            if all(self.value(subject, metric, size) is not None for subject in known)
        )

    def figure(self, figure: str, subject: str) -> Quantity | None:
        """The spread of the bits of security, those of one system, or what the harness costs.

        None where there are none. The last is the median of all ratios of `nizkbench.overhead`.
        """
        if figure == HARNESS:
            table = self.results.overhead
            if table is None or table.is_empty():
                return None
            ratios = table["ratio"].to_numpy()[None, :]
            low, high = MEDIAN.bounds(ratios, LEVEL)
            return Quantity(float(np.median(ratios)), float(low[0]), float(high[0]))
        if figure == CONJECTURED_BITS:
            series = self.stands_for(subject)
            bits = None if series is None else conjectured_bits(self.results, series)
            return None if bits is None else Quantity(bits, bits, bits)
        if figure != SPREAD_OF_BITS:
            return None
        levels = _levels(self)
        if levels is None:
            return None
        known = [*levels["stark"], *levels["curves"]]
        spread = max(known) - min(known)
        return Quantity(spread, spread, spread)


#: The figures of this experiment.
SPREAD_OF_BITS = "spread of the bits of security"
CONJECTURED_BITS = "conjectured bits"
HARNESS = "median of the harness over plain programs"


def _name(system: str) -> str:
    if system == STARK:
        return "the STARK"
    return system.split("/")[0] if system in (*SNARKS, BULLETPROOFS) else system_label(system)


def subject_name(subject: str) -> str:
    """What a subject of this experiment is called in a sentence."""
    system, _, changed = subject.partition(" with ")
    return f"{_name(system)} ({changed})" if changed else _name(system)


def _without(terms: Terms, systems: Iterable[str], metric: str) -> Verdict:
    lacking = [s for s in systems if not terms.sizes([s], metric)]
    names = listed([system_label(s) for s in lacking]) if lacking else "all systems at one size"
    return Verdict(
        Outcome.NOT_MEASURED, f"Not measured by this profile: there are no values of {names}."
    )


# ── The sentences: what was found, or why nothing could be ────────────────────────────────────


def _snarks_smallest(terms: Terms) -> str | Verdict:
    others = (BULLETPROOFS, STARK)
    sizes = terms.sizes((*SNARKS, *others), "size:proof")
    if not sizes:
        return _without(terms, (*SNARKS, *others), "size:proof")
    constant = all(
        len({terms.value(snark, "size:proof", size) for size in sizes}) == 1 for snark in SNARKS
    )
    bytes_ = [plain(terms.value(snark, "size:proof", sizes[-1])) for snark in SNARKS]
    return (
        f"bellman's proof has {bytes_[0]} and gnark's {bytes_[1]}, "
        f"{'the same at every size' if constant else 'not the same at every size'}; "
        f"the smallest other proof has {_smallest_other(terms, others, sizes)}."
    )


def _smallest_other(terms: Terms, others: Sequence[str], sizes: Sequence[int]) -> str:
    values = [terms.value(other, "size:proof", size) for other in others for size in sizes]
    return plain(min((v for v in values if v is not None), key=lambda v: v.value))


def _bulletproofs_near_snarks(terms: Terms) -> str | Verdict:
    systems = (*SNARKS, BULLETPROOFS)
    sizes = terms.sizes(systems, "size:proof")
    if len(sizes) < 2:
        return _without(terms, systems, "size:proof")
    first, last = (plain(terms.value(BULLETPROOFS, "size:proof", s)) for s in (sizes[0], sizes[-1]))
    largest = terms.ratio(BULLETPROOFS, BELLMAN, "size:proof", sizes[-1])
    return (
        f"A Bulletproof grows from {first} to {last}, "
        f"{times(largest)} bellman's proof at {sizes[-1]} rounds."
    )


def _stark_largest(terms: Terms) -> str | Verdict:
    others = (*SNARKS, BULLETPROOFS)
    sizes = terms.sizes((*others, STARK), "size:proof")
    if not sizes:
        return _without(terms, (*others, STARK), "size:proof")
    least = min(
        (
            ratio
            for size in sizes
            if (ratio := terms.ratio(STARK, BULLETPROOFS, "size:proof", size)) is not None
        ),
        key=lambda ratio: ratio.value,
        default=None,
    )
    most = terms.ratio(STARK, BELLMAN, "size:proof", sizes[-1])
    return (
        f"The STARK's proof is at least {times(least)} a Bulletproof and {times(most)} "
        f"bellman's proof at {sizes[-1]} rounds."
    )


def _stark_proves_fastest(terms: Terms) -> str | Verdict:
    others = (*SNARKS, BULLETPROOFS)
    metric = "time_to_proof"
    sizes = terms.sizes((*others, STARK), metric)
    if not sizes:
        return _without(terms, (*others, STARK), metric)
    lost = [
        size
        for size in sizes
        if any(
            below(terms.ratio(STARK, o, metric, size), 1.0) != Outcome.REPRODUCED for o in others
        )
    ]
    where = (
        "The STARK proves faster than all others at every size"
        if not lost
        else "The STARK is not shown to be the fastest prover at "
        f"{listed([str(size) for size in lost])} rounds"
    )
    ratios = [terms.ratio(snark, STARK, metric, sizes[-1]) for snark in SNARKS]
    return (
        f"{where}; at {sizes[-1]} rounds bellman takes {times(ratios[0])} as long as it "
        f"and gnark {times(ratios[1])}."
    )


def _bulletproofs_prove_slowly(terms: Terms) -> str | Verdict:
    others = (*SNARKS, STARK)
    metric = "time_to_proof"
    sizes = terms.sizes((*others, BULLETPROOFS), metric)
    if not sizes:
        return _without(terms, (*others, BULLETPROOFS), metric)
    last = sizes[-1]
    ratios = {other: terms.ratio(BULLETPROOFS, other, metric, last) for other in others}
    parts = [f"{times(ratio)} as long as {_name(other)}" for other, ratio in ratios.items()]
    return f"At {last} rounds bulletproofs takes {listed(parts)} to prove."


def _stark_verifies_fastest(terms: Terms) -> str | Verdict:
    others = (*SNARKS, BULLETPROOFS)
    sizes = terms.sizes((*others, STARK), "verify")
    if len(sizes) < 2:
        return _without(terms, (*others, STARK), "verify")
    leads = {
        snark: [terms.ratio(snark, STARK, "verify", size) for size in (sizes[0], sizes[-1])]
        for snark in SNARKS
    }
    parts = [
        f"{_name(snark)} takes {times(first)} as long at {sizes[0]} rounds and {times(last)} "
        f"at {sizes[-1]}"
        for snark, (first, last) in leads.items()
    ]
    return f"Against the STARK's verifier, {listed(parts)}."


def _bulletproofs_verify_slowest(terms: Terms) -> str | Verdict:
    sizes = terms.sizes((*SNARKS, BULLETPROOFS, STARK), "verify")
    if len(sizes) < 2:
        return _without(terms, (*SNARKS, BULLETPROOFS, STARK), "verify")
    ratios = [terms.ratio(BULLETPROOFS, snark, "verify", sizes[-1]) for snark in SNARKS]
    first = terms.ratio(BULLETPROOFS, BELLMAN, "verify", sizes[0])
    return (
        f"bulletproofs takes {times(first)} as long as bellman to verify at {sizes[0]} rounds, "
        f"and at {sizes[-1]} {times(ratios[0])} as long as bellman and {times(ratios[1])} as "
        "long as gnark."
    )


def _gnark_key_grows(terms: Terms) -> str | Verdict:
    key, both, proof = "size:verifying_key", "size:proof+verifying_key", "size:proof"
    sizes = terms.sizes(SNARKS, key)
    ends = (sizes[0], sizes[-1]) if len(sizes) > 1 else None
    alone = None if ends is None else terms.value(BULLETPROOFS, proof, ends[1])
    if ends is None or alone is None:
        return _without(terms, (*SNARKS, BULLETPROOFS), proof)
    stark = terms.value(STARK, proof, ends[1])
    keys = {snark: [plain(terms.value(snark, key, size)) for size in ends] for snark in SNARKS}
    return (
        f"From {ends[0]} to {ends[1]} rounds bellman's verifying key goes from "
        f"{keys[BELLMAN][0]} to {keys[BELLMAN][1]} and gnark's from {keys[GNARK][0]} to "
        f"{keys[GNARK][1]}; gnark's key and proof together have "
        f"{plain(terms.value(GNARK, both, ends[1]))}, a Bulletproof {plain(alone)} and the STARK's "
        f"proof {plain(stark)}."
    )


def _bellman_key_and_proof(terms: Terms) -> str | Verdict:
    sizes = terms.sizes((BELLMAN, BULLETPROOFS), "size:proof")
    if not sizes:
        return _without(terms, (BELLMAN, BULLETPROOFS), "size:proof")
    with_key = terms.value(BELLMAN, "size:proof+verifying_key", sizes[-1])
    alone = terms.value(BULLETPROOFS, "size:proof", sizes[-1])
    assert with_key is not None
    assert alone is not None
    return (
        f"At {sizes[-1]} rounds bellman's key and proof have {plain(with_key)}, "
        f"{with_key.value / alone.value:.2f} times a Bulletproof's {plain(alone)}."
    )


def _one_query_sixfold(terms: Terms) -> str | Verdict:
    results = terms.results
    base = terms.series.get(STARK)
    if base is None:
        return _without(terms, (STARK,), "time_to_proof")
    sizes = terms.sizes((STARK, FEWER_QUERIES), "time_to_proof")
    if sizes:
        size = sizes[-1]
        ratio = terms.ratio(STARK, FEWER_QUERIES, "time_to_proof", size)
        attempts = terms.ratio(STARK, FEWER_QUERIES, "pow_attempts", size)
        decided_as = claims_on(EXPERIMENT, SOURCE)["p1.10"].decided_as
        return (
            f"At {size} rounds 42 queries take {times(ratio)} as long as 41, "
            f"with {times(attempts)} the proof-of-work attempts{_draws(results, base)}; six "
            f"times is taken to mean {decided_as}."
        )
    spread = _instance_spread(results, base)
    if spread is None:
        return Verdict(
            Outcome.NOT_MEASURED, "Not measured by this profile: no configuration has 41 queries."
        )
    return Verdict(
        Outcome.NOT_MEASURED,
        "Not measured by this profile: no configuration has 41 queries; with 42 alone and nothing "
        f"changed but the instance, the slowest of {spread[2]} proofs of {spread[1]} rounds takes "
        f"{spread[0]:.1f} times as long as the fastest.",
    )


def _draws(results: Results, series: str) -> str:
    """Says of a series with one fixed instance that its proof of work was drawn once."""
    row = results.series_table.filter(pl.col("series") == series).row(0, named=True)
    if row["instances"] != "fixed":
        return ""
    return ", of which the one instance of each option is a single draw"


def _instance_spread(results: Results, series: str) -> tuple[float, int, int] | None:
    """Slowest over fastest proof of the smallest size of one series; its size and their number."""
    chosen = results.configurations.filter(
        (pl.col("series") == series) & (pl.col("size") == results.smallest)
    ).head(1)
    times = results.samples.join(chosen.select("configuration"), on="configuration", how="semi")
    times = times.filter((pl.col("phase") == "prove") & ~pl.col("warmup"))
    if times.height < 2:
        return None
    fastest, slowest = times["wall_ns"].min(), times["wall_ns"].max()
    assert isinstance(fastest, int)
    assert isinstance(slowest, int)
    return slowest / fastest, results.smallest, times.height


def _best_options_do_not_combine(terms: Terms) -> str | Verdict:
    sizes = terms.sizes((STARK, LARGE_REMAINDER, ALL_CHANGED), "time_to_proof")
    if not sizes:
        return Verdict(
            Outcome.NOT_MEASURED,
            "Not measured by this profile: no configurations have the options changed together.",
        )
    alone = terms.ratio(STARK, LARGE_REMAINDER, "time_to_proof", sizes[-1])
    together = terms.ratio(STARK, ALL_CHANGED, "time_to_proof", sizes[-1])
    return (
        f"At {sizes[-1]} rounds the remainder degree alone speeds proving up {times(alone)}, "
        f"all changed options together {times(together)}."
    )


#: Bits of security of the groups, with their sources.
#: BLS12-381: Guillevic, Masson and Thomé (2020), Designs, Codes and Cryptography 88; BN254:
#: Barbulescu and Duquesne (2019), J. Cryptology 32; both after the special tower number field
#: sieve, with cost models of their own. ristretto255: half the bits of its group order, 2^252 and
#: some (RFC 9496), by Pollard's rho.
CURVE_BITS: dict[str, tuple[float, str]] = {
    "bls12-381": (126.0, "guillevic2020cocks"),
    "bn254": (100.0, "barbulescu2019"),
    "ristretto255": (126.0, "ristretto"),
}


def security_bits(results: Results, series: str) -> dict[str, float]:
    """Bits by kind at the largest size: what the library says, or the level of the curve."""
    system = results.system_of(series)
    curve = system.rsplit("/", 1)[-1]
    if curve in CURVE_BITS:
        return {"curve": CURVE_BITS[curve][0]}
    configurations = results.configurations.filter(pl.col("series") == series).sort(
        "size", descending=True
    )
    rows = results.security.join(
        configurations.select("configuration", "size"), on="configuration"
    ).sort("size", descending=True)
    bits: dict[str, float] = {}
    for kind, value in rows.select("kind", "bits").iter_rows():
        bits.setdefault(kind, value)
    return bits


def conjectured_bits(results: Results, series: str) -> float | None:
    """Bits at the largest size by our own computing, of a curve by the literature."""
    system = results.system_of(series)
    curve = system.rsplit("/", 1)[-1]
    if curve in CURVE_BITS:
        return CURVE_BITS[curve][0]
    sizes = results.configurations.filter(pl.col("series") == series)["size"].to_list()
    found = of_configuration(system, max(sizes), results.options_of(series))
    return found.get("conjectured")


def _levels(terms: Terms) -> dict[str, list[float]] | None:
    """Bits of the STARK, conjectured and proven, and of the curves; None without the STARK's."""
    series = {s: terms.series[s] for s in (*SNARKS, BULLETPROOFS, STARK) if s in terms.series}
    bits = {s: security_bits(terms.results, name) for s, name in series.items()}
    stark = bits.get(STARK, {})
    curves = [one["curve"] for one in bits.values() if "curve" in one]
    if "conjectured" not in stark or not curves:
        return None
    proven = [value for kind, value in stark.items() if kind.startswith("proven")]
    return {"stark": [stark["conjectured"]], "proven": proven, "curves": curves}


def _security_comparable(terms: Terms) -> str | Verdict:
    levels = _levels(terms)
    if levels is None:
        return Verdict(
            Outcome.NOT_MEASURED, "Not measured by this profile: no security level of the STARK."
        )
    said = f" and {max(levels['proven']):.0f} proven" if levels["proven"] else ""
    unsound = (
        ""
        if terms.results.is_sound(terms.series[STARK])
        else " On these terms the STARK is unsound: a proof does not bind the round constants, and "
        "its bits are those of its parameters alone."
    )
    return (
        f"The STARK has {levels['stark'][0]:.0f} bits conjectured{said}, the curves of the "
        f"others {_range(levels['curves'])} bits.{unsound}"
    )


def _range(values: Sequence[float]) -> str:
    least, most = f"{min(values):.0f}", f"{max(values):.0f}"
    return least if least == most else f"{least} to {most}"


_SENTENCES: dict[str, Callable[[Terms], str | Verdict]] = {
    "p1.1": _snarks_smallest,
    "p1.2": _bulletproofs_near_snarks,
    "p1.3": _stark_largest,
    "p1.4": _stark_proves_fastest,
    "p1.5": _bulletproofs_prove_slowly,
    "p1.6": _stark_verifies_fastest,
    "p1.7": _bulletproofs_verify_slowest,
    "p1.8": _gnark_key_grows,
    "p1.9": _bellman_key_and_proof,
    "p1.10": _one_query_sixfold,
    "p1.11": _best_options_do_not_combine,
    "p1.12": _security_comparable,
}


def verdicts(results: Results) -> dict[str, tuple[Verdict, Verdict]]:
    """Every claim's verdict as published and on equal terms (one thread), by its key.

    Another experiment's verdict (`Results.elsewhere`) stands in the place of this run's, unless
    only this run has measured what decides it. Each side is a family of its own.
    """
    then, now = (decided_on(EXPERIMENT, SOURCE, Terms(results, side), _SENTENCES) for side in SIDES)
    for key, there in results.elsewhere.items():
        then[key] = _rather(there[0], then[key])
        now[key] = _rather(there[1], now[key])
    then, now = corrected(then), corrected(now)
    return {key: (then[key], now[key]) for key in then}


def _rather(there: Verdict, here: Verdict) -> Verdict:
    undecided = there.outcome is Outcome.NOT_MEASURED
    return here if undecided and here.outcome is not Outcome.NOT_MEASURED else there
