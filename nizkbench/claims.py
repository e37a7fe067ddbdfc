"""What earlier work claims, decided over estimates, on its terms and on equal ones.

A claim is a predicate over intervals: it is *reproduced* where the whole interval satisfies it,
*contradicted* where none of it does, *inconclusive* otherwise, and *not measured* where the profile
lacks what would decide it. Each verdict comes with the sentence that says why, with the comparison
that decided it and its threshold, so that no prose has to guess.

Source of the claims: El-Hajj and Oude Roelink (2024), numbered as in the paper's Section 4.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from nizkbench.quantities import Quantity, exact, plain
from nizkbench.results import Results, system_label

BELLMAN = "bellman/groth16/bls12-381"
GNARK = "gnark/groth16/bls12-381"
BULLETPROOFS = "bulletproofs/r1cs/ristretto255"
STARK = "winterfell/stark/f128"
SNARKS = (BELLMAN, GNARK)

#: What "six times slower" has to exceed to be the same finding: half of it.
SIXFOLD = 3.0


class Outcome(StrEnum):
    """How a claim came out."""

    REPRODUCED = "reproduced"
    CONTRADICTED = "contradicted"
    INCONCLUSIVE = "inconclusive"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome and the one sentence that says why."""

    outcome: Outcome
    sentence: str


@dataclass(frozen=True, slots=True)
class Terms:
    """One side of the comparison: which series stands for a system, and on how many threads."""

    results: Results
    series: dict[str, str]
    threads: str | None

    def value(self, system: str, metric: str, size: int) -> Quantity | None:
        """The headline estimate of a system, or None."""
        series = self.series.get(system)
        if series is None:
            return None
        return self.results.value(series, metric, size, self.threads)

    def ratio(self, above: str, below: str, metric: str, size: int) -> Quantity | None:
        """The ratio of two systems, or None."""
        if above not in self.series or below not in self.series:
            return None
        return self.results.ratio(
            self.series[above], self.series[below], metric, size, self.threads
        )

    def change(
        self, above: str, below: str, metric: str, sizes: tuple[int, int]
    ) -> Quantity | None:
        """The ratio of two systems at the second size over that at the first, or None."""
        if above not in self.series or below not in self.series:
            return None
        return self.results.change_of_ratio(
            self.series[above], self.series[below], metric, sizes, self.threads
        )

    def ratio_of_sizes(self, system: str, metric: str, sizes: tuple[int, int]) -> float:
        """The value at the second size over that at the first, of a quantity that both have."""
        first, last = (self.value(system, metric, size) for size in sizes)
        assert first is not None
        assert last is not None
        return last.value / first.value

    def complete(self, systems: Iterable[str], metric: str) -> tuple[int, ...]:
        """The sizes at which all these systems have a value."""
        return tuple(
            size
            for size in self.results.grid
            if all(self.value(system, metric, size) is not None for system in systems)
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its number, what earlier work says, and the predicate that decides it."""

    key: str
    text: str
    decide: Callable[[Terms], Verdict]


# ── Deciding over intervals ───────────────────────────────────────────────────────────────────


def above(quantity: Quantity | None, bound: float) -> Outcome:
    """Whether a quantity is above a bound, as far as its interval tells."""
    if quantity is None:
        return Outcome.INCONCLUSIVE
    if quantity.low > bound:
        return Outcome.REPRODUCED
    return Outcome.CONTRADICTED if quantity.high <= bound else Outcome.INCONCLUSIVE


def below(quantity: Quantity | None, bound: float) -> Outcome:
    """Whether a quantity is below a bound, as far as its interval tells."""
    if quantity is None:
        return Outcome.INCONCLUSIVE
    if quantity.high < bound:
        return Outcome.REPRODUCED
    return Outcome.CONTRADICTED if quantity.low >= bound else Outcome.INCONCLUSIVE


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison of a claim: how it came out, and in words what was held against what."""

    outcome: Outcome
    words: str


def every(comparisons: Iterable[Comparison]) -> Comparison:
    """The comparison that decides all of them: the first contradiction, else the first doubt.

    Where there is neither, the first one; no comparison at all is a doubt.
    """
    found = list(comparisons)
    for outcome in (Outcome.CONTRADICTED, Outcome.INCONCLUSIVE):
        for comparison in found:
            if comparison.outcome == outcome:
                return comparison
    return found[0] if found else Comparison(Outcome.INCONCLUSIVE, "nothing was compared")


def _is_above(words: str, quantity: Quantity | None, bound: float) -> Comparison:
    return Comparison(
        above(quantity, bound), f"{words} is {_said(quantity)}, not above {_bound(quantity, bound)}"
    )


def _is_below(words: str, quantity: Quantity | None, bound: float) -> Comparison:
    return Comparison(
        below(quantity, bound), f"{words} is {_said(quantity)}, not below {_bound(quantity, bound)}"
    )


def _said(quantity: Quantity | None) -> str:
    return plain(quantity, interval=True)


def _bound(quantity: Quantity | None, bound: float) -> str:
    """A bound in the unit of what is held against it; as it is written where there is none."""
    if quantity is None or quantity.unit == "1":
        return f"{bound:g}"
    return plain(exact(bound, quantity.unit))


#: What a metric is called in the words of a comparison.
_METRICS = {"size:proof": "proof size", "time_to_proof": "time to proof", "verify": "verify time"}


def _pair(above: str, below: str, metric: str, size: int) -> str:
    return f"{_name(above)}'s {_METRICS[metric]} over {_name(below)}'s at {size} rounds"


def _more(terms: Terms, above: str, below: str, metric: str, size: int, bound: float) -> Comparison:
    """Whether one system has more than `bound` times another's."""
    ratio = terms.ratio(above, below, metric, size)
    return _is_above(_pair(above, below, metric, size), ratio, bound)


def _less(terms: Terms, above: str, below: str, metric: str, size: int, bound: float) -> Comparison:
    """Whether one system has less than `bound` times another's."""
    ratio = terms.ratio(above, below, metric, size)
    return _is_below(_pair(above, below, metric, size), ratio, bound)


def _holds(condition: bool, words: str) -> Comparison:
    """A comparison of exact quantities; `words` say what is the case where it does not hold."""
    return Comparison(Outcome.REPRODUCED if condition else Outcome.CONTRADICTED, words)


def _decided(decisive: Comparison, sentence: str) -> Verdict:
    """The verdict of the deciding comparison, which the sentence names unless all held."""
    match decisive.outcome:
        case Outcome.CONTRADICTED:
            sentence += f" What contradicts: {decisive.words}."
        case Outcome.INCONCLUSIVE:
            sentence += f" What leaves it open: {decisive.words} for certain."
        case _:
            pass
    return Verdict(decisive.outcome, sentence)


def _name(system: str) -> str:
    return system.split("/")[0] if system in (*SNARKS, BULLETPROOFS) else "the STARK"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _times(ratio: Quantity | None) -> str:
    return f"{plain(ratio, interval=True)} times"


def _without(terms: Terms, systems: Iterable[str], metric: str) -> Verdict:
    lacking = [s for s in systems if not terms.complete([s], metric)]
    names = _listed([system_label(s) for s in lacking]) if lacking else "all systems at one size"
    return Verdict(
        Outcome.NOT_MEASURED, f"Not measured by this profile: there are no values of {names}."
    )


# ── The claims ────────────────────────────────────────────────────────────────────────────────


def _snarks_smallest(terms: Terms) -> Verdict:
    others = (BULLETPROOFS, STARK)
    sizes = terms.complete((*SNARKS, *others), "size:proof")
    if not sizes:
        return _without(terms, (*SNARKS, *others), "size:proof")
    constant = all(
        len({terms.value(snark, "size:proof", size) for size in sizes}) == 1 for snark in SNARKS
    )
    smaller = every(
        _less(terms, snark, other, "size:proof", size, 1.0)
        for snark in SNARKS
        for other in others
        for size in sizes
    )
    bytes_ = [plain(terms.value(snark, "size:proof", sizes[-1])) for snark in SNARKS]
    return _decided(
        every([smaller, _holds(constant, "the size of a SNARK's proof depends on the rounds")]),
        f"bellman's proof has {bytes_[0]} and gnark's {bytes_[1]}, "
        f"{'the same at every size' if constant else 'not the same at every size'}; "
        f"the smallest other proof has {_smallest_other(terms, others, sizes)}.",
    )


def _smallest_other(terms: Terms, others: Sequence[str], sizes: Sequence[int]) -> str:
    values = [terms.value(other, "size:proof", size) for other in others for size in sizes]
    return plain(min((v for v in values if v is not None), key=lambda v: v.value))


def _bulletproofs_near_snarks(terms: Terms) -> Verdict:
    systems = (*SNARKS, BULLETPROOFS)
    sizes = terms.complete(systems, "size:proof")
    if len(sizes) < 2:
        return _without(terms, systems, "size:proof")
    near = every(
        _less(terms, BULLETPROOFS, snark, "size:proof", size, 10.0)
        for snark in SNARKS
        for size in sizes
    )
    first, last = (terms.value(BULLETPROOFS, "size:proof", s) for s in (sizes[0], sizes[-1]))
    assert first is not None
    assert last is not None
    growth = Quantity(last.value - first.value, last.low - first.high, last.high - first.low)
    grows = _is_above("the growth of a Bulletproof in bytes", growth, 0)
    largest = terms.ratio(BULLETPROOFS, BELLMAN, "size:proof", sizes[-1])
    return _decided(
        every([near, grows]),
        f"A Bulletproof grows from {plain(first)} to {plain(last)}, "
        f"{_times(largest)} bellman's proof at {sizes[-1]} rounds.",
    )


def _stark_largest(terms: Terms) -> Verdict:
    others = (*SNARKS, BULLETPROOFS)
    sizes = terms.complete((*others, STARK), "size:proof")
    if not sizes:
        return _without(terms, (*others, STARK), "size:proof")
    decisive = every(
        _more(terms, STARK, other, "size:proof", size, 10.0) for other in others for size in sizes
    )
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
    return _decided(
        decisive,
        f"The STARK's proof is at least {_times(least)} a Bulletproof and {_times(most)} "
        f"bellman's proof at {sizes[-1]} rounds.",
    )


def _stark_proves_fastest(terms: Terms) -> Verdict:
    others = (*SNARKS, BULLETPROOFS)
    metric = "time_to_proof"
    sizes = terms.complete((*others, STARK), metric)
    if not sizes:
        return _without(terms, (*others, STARK), metric)
    fastest = every(
        _less(terms, STARK, other, metric, size, 1.0) for other in others for size in sizes
    )
    near = every(
        _less(terms, snark, STARK, metric, size, 10.0) for snark in SNARKS for size in sizes
    )
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
        f"{_listed([str(size) for size in lost])} rounds"
    )
    ratios = [terms.ratio(snark, STARK, metric, sizes[-1]) for snark in SNARKS]
    return _decided(
        every([fastest, near]),
        f"{where}; at {sizes[-1]} rounds bellman takes {_times(ratios[0])} as long as it "
        f"and gnark {_times(ratios[1])}.",
    )


def _bulletproofs_prove_slowly(terms: Terms) -> Verdict:
    others = (*SNARKS, STARK)
    metric = "time_to_proof"
    sizes = terms.complete((*others, BULLETPROOFS), metric)
    if not sizes:
        return _without(terms, (*others, BULLETPROOFS), metric)
    last = sizes[-1]
    ratios = {other: terms.ratio(BULLETPROOFS, other, metric, last) for other in others}
    decisive = every(_more(terms, BULLETPROOFS, other, metric, last, 10.0) for other in others)
    parts = [f"{_times(ratio)} as long as {_name(other)}" for other, ratio in ratios.items()]
    return _decided(decisive, f"At {last} rounds bulletproofs takes {_listed(parts)} to prove.")


def _stark_verifies_fastest(terms: Terms) -> Verdict:
    others = (*SNARKS, BULLETPROOFS)
    sizes = terms.complete((*others, STARK), "verify")
    if len(sizes) < 2:
        return _without(terms, (*others, STARK), "verify")
    fastest = every(
        _less(terms, STARK, other, "verify", size, 1.0) for other in others for size in sizes
    )
    leads = {
        snark: [terms.ratio(snark, STARK, "verify", size) for size in (sizes[0], sizes[-1])]
        for snark in SNARKS
    }
    shrinks = every(
        _is_below(
            f"the change of {_name(snark)}'s verify time over the STARK's from {sizes[0]} to "
            f"{sizes[-1]} rounds",
            terms.change(snark, STARK, "verify", (sizes[0], sizes[-1])),
            1.0,
        )
        for snark in SNARKS
    )
    well_over = every(_more(terms, snark, STARK, "verify", sizes[0], 10.0) for snark in SNARKS)
    parts = [
        f"{_name(snark)} takes {_times(first)} as long at {sizes[0]} rounds and {_times(last)} "
        f"at {sizes[-1]}"
        for snark, (first, last) in leads.items()
    ]
    return _decided(
        every([fastest, shrinks, well_over]),
        f"Against the STARK's verifier, {_listed(parts)}.",
    )


def _bulletproofs_verify_slowest(terms: Terms) -> Verdict:
    sizes = terms.complete((*SNARKS, BULLETPROOFS, STARK), "verify")
    if len(sizes) < 2:
        return _without(terms, (*SNARKS, BULLETPROOFS, STARK), "verify")
    at_smallest = every(
        _less(terms, BULLETPROOFS, snark, "verify", sizes[0], 1.0) for snark in SNARKS
    )
    slowest = every(
        _more(terms, BULLETPROOFS, other, "verify", size, 1.0)
        for other in (*SNARKS, STARK)
        for size in sizes[1:]
    )
    ratios = [terms.ratio(BULLETPROOFS, snark, "verify", sizes[-1]) for snark in SNARKS]
    far = every(_more(terms, BULLETPROOFS, s, "verify", sizes[-1], 100.0) for s in SNARKS)
    first = terms.ratio(BULLETPROOFS, BELLMAN, "verify", sizes[0])
    return _decided(
        every([at_smallest, slowest, far]),
        f"bulletproofs takes {_times(first)} as long as bellman to verify at {sizes[0]} rounds, "
        f"and at {sizes[-1]} {_times(ratios[0])} as long as bellman and {_times(ratios[1])} as "
        "long as gnark.",
    )


def _gnark_key_grows(terms: Terms) -> Verdict:
    key, both = "size:verifying_key", "size:proof+verifying_key"
    sizes = terms.complete(SNARKS, key)
    ends = (sizes[0], sizes[-1]) if len(sizes) > 1 else None
    alone = None if ends is None else terms.value(BULLETPROOFS, "size:proof", ends[1])
    if ends is None or alone is None:
        return _without(terms, (*SNARKS, BULLETPROOFS), "size:proof")
    bellman, gnark = (terms.ratio_of_sizes(snark, key, ends) for snark in SNARKS)
    with_key = terms.value(GNARK, both, ends[1])
    assert with_key is not None
    holds = bellman == 1.0 and gnark > 1.0 and with_key.value > alone.value
    keys = {snark: [plain(terms.value(snark, key, size)) for size in ends] for snark in SNARKS}
    return Verdict(
        Outcome.REPRODUCED if holds else Outcome.CONTRADICTED,
        f"From {ends[0]} to {ends[1]} rounds bellman's verifying key goes from "
        f"{keys[BELLMAN][0]} to {keys[BELLMAN][1]} and gnark's from {keys[GNARK][0]} to "
        f"{keys[GNARK][1]}; gnark's key and proof together have {plain(with_key)}, a Bulletproof "
        f"{plain(alone)}.",
    )


def _bellman_key_and_proof(terms: Terms) -> Verdict:
    both = "size:proof+verifying_key"
    sizes = terms.complete((BELLMAN, BULLETPROOFS), "size:proof")
    if not sizes:
        return _without(terms, (BELLMAN, BULLETPROOFS), "size:proof")
    with_key = terms.value(BELLMAN, both, sizes[-1])
    alone = terms.value(BULLETPROOFS, "size:proof", sizes[-1])
    assert with_key is not None
    assert alone is not None
    share = with_key.value / alone.value
    outcome = Outcome.REPRODUCED if 0.8 <= share <= 1.25 else Outcome.CONTRADICTED
    return Verdict(
        outcome,
        f"At {sizes[-1]} rounds bellman's key and proof have {plain(with_key)}, "
        f"{share:.2f} times a Bulletproof's {plain(alone)}.",
    )


def _common_size(terms: Terms, *series: str) -> int | None:
    """The largest size at which all these series have a time to proof."""
    for size in reversed(terms.results.grid):
        if all(
            terms.results.value(one, "time_to_proof", size, terms.threads) is not None
            for one in series
        ):
            return size
    return None


def _one_query_sixfold(terms: Terms) -> Verdict:
    results = terms.results
    base = terms.series.get(STARK)
    if base is None:
        return _without(terms, (STARK,), "time_to_proof")
    other = results.with_option(base, "queries", 41)
    size = None if other is None else _common_size(terms, base, other)
    if other is not None and size is not None:
        ratio = results.ratio(base, other, "time_to_proof", size, terms.threads)
        attempts = results.ratio(base, other, "pow_attempts", size, terms.threads)
        return _decided(
            _is_above("42 queries' time to proof over that of 41", ratio, SIXFOLD),
            f"At {size} rounds 42 queries take {_times(ratio)} as long as 41, "
            f"with {_times(attempts)} the proof-of-work attempts{_draws(results, base)}; six "
            f"times is taken to mean more than {SIXFOLD:g}.",
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


def _best_options_do_not_combine(terms: Terms) -> Verdict:
    results = terms.results
    base = terms.series.get(STARK)
    remainder = None if base is None else results.with_option(base, "remainder_max_degree", 255)
    combined = None if base is None else results.with_options_combined(base)
    size = None
    if base is not None and remainder is not None and combined is not None:
        size = _common_size(terms, base, remainder, combined)
    if base is None or remainder is None or combined is None or size is None:
        return Verdict(
            Outcome.NOT_MEASURED,
            "Not measured by this profile: no configurations have the options changed together.",
        )
    alone = results.ratio(base, remainder, "time_to_proof", size, terms.threads)
    together = results.ratio(base, combined, "time_to_proof", size, terms.threads)
    less = results.ratio(combined, remainder, "time_to_proof", size, terms.threads)
    return _decided(
        every(
            [
                _is_above("the time of all options together over the degree's alone", less, 1.0),
                _is_above("the gain of all options together", together, 2.0),
            ]
        ),
        f"At {size} rounds the remainder degree alone speeds proving up {_times(alone)}, "
        f"all changed options together {_times(together)}.",
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


def _security_comparable(terms: Terms) -> Verdict:
    series = {s: terms.series[s] for s in (*SNARKS, BULLETPROOFS, STARK) if s in terms.series}
    levels = {s: security_bits(terms.results, name) for s, name in series.items()}
    stark = levels.get(STARK, {})
    curves = [bits["curve"] for bits in levels.values() if "curve" in bits]
    if "conjectured" not in stark or not curves:
        return Verdict(
            Outcome.NOT_MEASURED, "Not measured by this profile: no security level of the STARK."
        )
    spread = max(*curves, stark["conjectured"]) - min(*curves, stark["conjectured"])
    proven = max(
        (bits for kind, bits in stark.items() if kind.startswith("proven")), default=math.nan
    )
    said = f" and {proven:.0f} proven" if not math.isnan(proven) else ""
    unsound = (
        ""
        if terms.results.is_sound(series[STARK])
        else " On these terms the STARK is unsound: a proof does not bind the round constants, and "
        "its bits are those of its parameters alone."
    )
    return Verdict(
        Outcome.REPRODUCED if spread <= 16 else Outcome.CONTRADICTED,
        f"The STARK has {stark['conjectured']:.0f} bits conjectured{said}, the curves of the "
        f"others {_range(curves)} bits.{unsound}",
    )


def _range(values: Sequence[float]) -> str:
    least, most = f"{min(values):.0f}", f"{max(values):.0f}"
    return least if least == most else f"{least} to {most}"


CLAIMS: tuple[Claim, ...] = (
    Claim("p1.1", "SNARK proofs are the smallest and constant in size", _snarks_smallest),
    Claim(
        "p1.2",
        "Bulletproofs are within one order of magnitude of a SNARK's size and grow with rounds",
        _bulletproofs_near_snarks,
    ),
    Claim(
        "p1.3",
        "STARK proofs are at least one order of magnitude larger than all others",
        _stark_largest,
    ),
    Claim(
        "p1.4",
        "The STARK proves fastest; both SNARKs are within one order of magnitude",
        _stark_proves_fastest,
    ),
    Claim(
        "p1.5",
        "Bulletproofs prove more than one order of magnitude slower at the upper rounds",
        _bulletproofs_prove_slowly,
    ),
    Claim(
        "p1.6",
        "The STARK verifies fastest; its lead over the SNARKs shrinks with rounds, from more than "
        "one order of magnitude",
        _stark_verifies_fastest,
    ),
    Claim(
        "p1.7",
        "Bulletproofs verify slowest except at the smallest size; at the largest more than two "
        "orders of magnitude slower than the SNARKs",
        _bulletproofs_verify_slowest,
    ),
    Claim(
        "p1.8",
        "bellman's verifying key is constant, gnark's grows, so that key and proof exceed a "
        "Bulletproof",
        _gnark_key_grows,
    ),
    Claim(
        "p1.9",
        "bellman's key and proof are almost as large as a Bulletproof (within a quarter)",
        _bellman_key_and_proof,
    ),
    Claim(
        "p1.10",
        f"42 queries prove six times slower than 41 (decided as: more than {SIXFOLD:g} times)",
        _one_query_sixfold,
    ),
    Claim(
        "p1.11",
        "The individually best options together help less than the remainder degree alone",
        _best_options_do_not_combine,
    ),
    Claim(
        "p1.12",
        "The security levels of the four are comparable (within 16 bits)",
        _security_comparable,
    ),
)


def verdicts(results: Results) -> dict[str, tuple[Verdict, Verdict]]:
    """Every claim's verdict as published and on equal terms (one thread), by its key.

    Another experiment's verdict (`Results.elsewhere`) stands in the place of this run's, unless
    only this run has measured what decides it.
    """
    published = Terms(results, results.as_published, None)
    equal = Terms(results, results.equal_terms, "one")
    found = {claim.key: (claim.decide(published), claim.decide(equal)) for claim in CLAIMS}
    for key, there in results.elsewhere.items():
        here = found[key]
        found[key] = _rather(there[0], here[0]), _rather(there[1], here[1])
    return found


def _rather(there: Verdict, here: Verdict) -> Verdict:
    undecided = there.outcome is Outcome.NOT_MEASURED
    return here if undecided and here.outcome is not Outcome.NOT_MEASURED else there
