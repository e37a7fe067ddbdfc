"""Bits of security of a STARK, computed from its parameters alone.

Three answers, in bits, to what it costs to have a false statement accepted:

- *conjectured*: what the best attack known would cost, if it is the best there is.
- *proven, unique decoding* and *proven, list decoding*: minus the logarithm of the greatest
  round-by-round soundness error that is proven, with agreements down to (1 + ρ)/2, where a word is
  close to one codeword, or down to √ρ (the Johnson bound), where it may be close to several. Under
  the Fiat–Shamir transform a prover may try again at each round, so rounds count one by one and
  proof of work, which stands before the last, counts there.

None exceeds what a collision of the hash costs, half of its digest. All three take for granted that
the verifier holds every message against its commitment, FRI's remainder too. The verifier of
winterfell 0.13.1 leaves that one out; the runner's has it (`provers/winterfell/README.md`).

The protocol
    A trace of T rows is committed to on a domain of N = T/ρ points, disjoint from the trace's own;
    then come the rounds below. Each challenge is drawn from S, the extension field, or as much of
    it as the digest of the hash can fill (`_challenge_bits`). A round's error is that of a state
    that is doomed becoming one that is not. With agreement α, let a *candidate* be a tuple of
    polynomials of degree at most T + 1, one for each committed column, that agrees with all of
    them at the same αN points or more. DEEP needs T + 1 and not T − 1: quotients by two points of
    a function that agrees with degree below T do (BGKS20).

    1. *constraints*: their combination. Each of L candidates that breaks a constraint survives
       with probability 1/|S|, or (C − 1)/|S| for C constraints under powers of one challenge.
    2. *out-of-domain*: the point z. A candidate for trace and composition columns together that
       breaks the identity of the constraints does so at all z but the roots of a polynomial of
       degree d(T + 1) + 1 at most, for constraints of degree d (`_identity_degree`). One z more
       for each candidate: both quotients of a column have one challenge, which leaves room for
       words with a pole midway between the two points. To these come the N + T points of both
       domains, which winterfell does not exclude and where quotients do not exist.
    3. *batching*: M columns into one word. Correlated agreement (BCIKS20, theorems 6.1 and 6.2)
       fails for fewer challenges than N in unique decoding, or (m + ½)⁷ N² / (3 ρ^(3/2)) in list
       decoding, times M − 1 under powers of one challenge.
    4. *folding*: F cosets of a layer into one of the next; powers of one challenge, so times
       F − 1. Points weigh as much as the queries that reach them, and so the theorems are those
       for weights, whose common denominator is such that n points of a layer make N: fewer than
       N + 1, or the greater of (m + ½)⁷ n² / (3 ρ^(3/2)) and (2m + 1)(N + 1) / √ρ (theorem 7.2).
       The first layer is the worst.
    5. *queries*: a word without αN agreeing points passes q queries with probability αᑫ, and each
       try costs 2^g hashes.

    In unique decoding L = 1 and α = (1 + ρ⁺)/2 with ρ⁺ = (T + 2)/N. In list decoding
    α = √ρ (1 + 1/(2m)) for an integer m ≥ 3, here the best one: queries gain by a greater m, all
    other rounds lose. L is Johnson's bound: words of which two agree at ρ⁺N points at most, and
    each with a given one at αN or more, are no more than (α − ρ⁺)/(α² − ρ⁺), if that is positive.

The conjecture
    ethSTARK's conjecture 1, with its equation 19: min(q · log₂(1/ρ) + g, log₂|S|) − 1. It goes with
    the conjecture that proximity gaps reach up to capacity, α = ρ, which has been refuted close to
    it since (Crites and Stewart 2025, eprint.iacr.org/2025/2046): these bits bound what the proof
    can offer from above.

Sources
    BCIKS20: Ben-Sasson, Carmon, Ishai, Kopparty, Saraf, Proximity Gaps for Reed–Solomon Codes,
    eprint.iacr.org/2020/654. BGKS20: Ben-Sasson, Goldberg, Kopparty, Saraf, DEEP-FRI,
    eprint.iacr.org/2019/336. ethSTARK: StarkWare, ethSTARK Documentation,
    eprint.iacr.org/2021/582. Haböck, A summary on the FRI low degree test,
    eprint.iacr.org/2022/1216: FRI and DEEP-ALI put together, with both quotients of a column under
    one challenge. Round by round: Block, Garreta, Katz, Thaler, Tiwari, Zając, Fiat–Shamir Security
    of FRI and Related SNARKs, eprint.iacr.org/2023/1071. What has sharpened BCIKS20 since
    (eprint.iacr.org/2025/2055) is not used: the library's figures rest on BCIKS20 too.

The library's figures
    winterfell 0.13.1 (winter-air, `src/proof/security.rs`) computes the same three from the same
    literature, by way of theorems 2 and 3 of STARK-based Signatures from the RPO Permutation
    (eprint.iacr.org/2024/1553), with other bounds in places. `library_bits` gives its figures to
    the bit, and `explain` goes from ours to its own one difference at a time, each of `STEPS` with
    its reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nizkbench.intervals import Floats

Notion = Literal["conjectured", "udr", "ldr"]

NOTIONS: tuple[Notion, ...] = ("conjectured", "udr", "ldr")

#: Orders of the base fields of the grid (winter-math 0.13.1, `src/field`).
FIELD_ORDERS = {"f128": 2**128 - 45 * 2**40 + 1, "f64": 2**64 - 2**32 + 1}

#: Orders of all base fields (p3-koala-bear 0.8.0, `src/koala_bear.rs`).
BASE_ORDERS = {**FIELD_ORDERS, "koalabear": 2**31 - 2**24 + 1}

EXTENSION_DEGREES = {"none": 1, "quadratic": 2, "cubic": 3, "quintic": 5}

#: Bits of a digest (winter-crypto 0.13.1, `src/hash`; p3-keccak 0.8.0). Those of Rescue are four
#: elements of f64.
DIGEST_BITS = {
    "keccak-256": 256.0,
    "blake3-192": 192.0,
    "blake3-256": 256.0,
    "sha3-256": 256.0,
    "rp64-256": 4 * float(np.log2(float(FIELD_ORDERS["f64"]))),
    "rpjive64-256": 4 * float(np.log2(float(FIELD_ORDERS["f64"]))),
}

#: Bits that queries must give before the library counts grinding (`GRINDING_CONTRIBUTION_FLOOR`).
LIBRARY_GRINDING_FLOOR = 80

#: The library looks for m below this (`MAX_PROXIMITY_PARAMETER`).
LIBRARY_GREATEST_M = 1000

#: The theorems on list decoding are for no smaller m.
FEWEST_M = 3.0

#: Of what a security level is the least.
LIMITS = (
    "collisions",
    "challenge field",
    "constraints",
    "out-of-domain",
    "batching",
    "folding",
    "queries",
)


@dataclass(frozen=True, slots=True)
class Air:
    """What security and size depend on of the constraints that a trace has to satisfy.

    `constraints` counts transitions and assertions, `degree` is the greatest of a transition.
    `openings` counts the quotients that are batched into one word where each has a challenge of its
    own; None where both quotients of a column share one.
    """

    width: int
    constraints: int
    degree: int
    openings: int | None = None

    @property
    def composition_columns(self) -> int:
        """Columns of T rows that the quotient of the constraints is split into.

        A constraint of degree d in columns of degree T − 1 over a divisor of degree T − 1 leaves
        degree (d − 1)(T − 1).
        """
        return max(self.degree - 1, 1)


#: `mimc-preimage` with public constants and a preimage that is a witness: two columns, one round a
#: transition of degrees 3 and 1, and the image asserted.
MIMC = Air(width=2, constraints=3, degree=3)

#: Coordinates of an element in the trace of `plonky3`, fewest rows that it leaves a trace, and
#: columns of the quotient: two parts of five coordinates (`provers/plonky3/src/`: `air.rs`,
#: `rules.rs`, `config.rs`).
PLONKY3_COORDINATES, PLONKY3_FEWEST_ROWS, PLONKY3_QUOTIENT_COLUMNS = 4, 4, 10


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Where a bound can be taken in more ways than one; as it stands, ours."""

    #: Challenges are counted as all of the extension field, whatever the hash can fill.
    unfilled_challenges: bool = False
    #: An element of a field of b-bit order is worth b bits, a digest its length in bytes.
    whole_bits: bool = False
    #: Grinding counts from so many bits of queries on (conjectured alone).
    grinding_floor: int = 0
    #: L = m / (ρ − 2m/N).
    rough_list: bool = False
    #: The trace and the composition columns each have L candidates of their own.
    pairs_of_candidates: bool = False
    #: Constraints have degree 1/ρ + 1 in both, and the identity (1/ρ + 1)(T + 1) + T − 1.
    degree_by_blowup: bool = False
    #: The points of both domains and the pole are left out.
    only_roots: bool = False
    #: There are 1/ρ composition columns.
    columns_by_blowup: bool = False
    #: In list decoding folding is left out.
    no_folding: bool = False
    #: m is below this, and below the first that is too large.
    greatest_m: int | None = None
    #: Bits are rounded down.
    rounded_down: bool = False


_OURS = _Bounds()


@dataclass(frozen=True, slots=True)
class Step:
    """One difference between our bounds and the library's, and the notions that it concerns."""

    name: str
    why: str
    notions: tuple[Notion, ...]
    changes: dict[str, Any]


#: The differences from ours to the library's, in the order that `explain` takes them.
STEPS = (
    Step(
        name="challenges from a short digest",
        why="the coin takes a challenge from one digest; 192 bits do not fill an element of 256,"
        " whose upper bytes stay zero, and the library counts the whole field",
        notions=NOTIONS,
        changes={"unfilled_challenges": True},
    ),
    Step(
        name="orders in whole bits",
        why="an order a little under 2^64 counts as 64 bits there, which is over by 3e-10 bits a"
        " coordinate, and decides where one rounds down",
        notions=NOTIONS,
        changes={"whole_bits": True},
    ),
    Step(
        name="grinding counted from 80 bits on",
        why="a policy of the library: below 80 bits of queries it leaves grinding out, though an"
        " attacker pays for it there too",
        notions=("conjectured",),
        changes={"grinding_floor": LIBRARY_GRINDING_FLOOR},
    ),
    Step(
        name="size of the list",
        why="m / (ρ − 2m/N) is 1/(2η√ρ) to first order, more than 1/√ρ times Johnson's own count",
        notions=("ldr",),
        changes={"rough_list": True},
    ),
    Step(
        name="pairs of candidates",
        why="out-of-domain, the library pairs each candidate for the trace with each for the"
        " composition; correlated agreement has both at the same points, so that L are enough",
        notions=("ldr",),
        changes={"pairs_of_candidates": True},
    ),
    Step(
        name="degree from the blowup",
        why="the library takes the greatest degree that the blowup could carry, and one more; ours"
        " is that of the statement's constraints",
        notions=("udr", "ldr"),
        changes={"degree_by_blowup": True},
    ),
    Step(
        name="points inside the domains",
        why="nothing keeps the out-of-domain point out of the domains, or from leaving a pole; the"
        " library neglects both",
        notions=("udr", "ldr"),
        changes={"only_roots": True},
    ),
    Step(
        name="columns from the blowup",
        why="the library bounds the composition columns by the blowup; they are one less than the"
        " degree of the constraints",
        notions=("udr", "ldr"),
        changes={"columns_by_blowup": True},
    ),
    Step(
        name="folding in list decoding",
        why="the library leaves folding out there; it is smaller than batching",
        notions=("ldr",),
        changes={"no_folding": True},
    ),
    Step(
        name="range of m",
        why="the library looks for m below 1000",
        notions=("ldr",),
        changes={"greatest_m": LIBRARY_GREATEST_M},
    ),
    Step(
        name="rounded down",
        why="the library's bits are integers",
        notions=NOTIONS,
        changes={"rounded_down": True},
    ),
)


def security(cells: pl.DataFrame, air: Air = MIMC) -> pl.DataFrame:
    """The cells with their bits of security: each notion of `NOTIONS` as `NOTION_bits`.

    Bits are real numbers, not rounded. `NOTION_limit` says which of `LIMITS` is the least, and
    `ldr_m` is the m of the list decoding regime, null where the trace is so short that no m bounds
    the list, which proves nothing. `cells` has the columns rounds, field, extension,
    queries, blowup, grinding, folding, remainder_max_degree, hash, batching_constraints and
    batching_deep, with the values that the runner's options have; all cells must be legal.
    """
    parameters = _Parameters.of(cells, air)
    columns = []
    for notion in NOTIONS:
        bits, limit, m = _bits(notion, parameters, _OURS)
        columns += [
            pl.Series(f"{notion}_bits", bits),
            pl.Series(f"{notion}_limit", [LIMITS[one] for one in limit], dtype=pl.String),
        ]
        if notion == "ldr":
            columns.append(pl.Series("ldr_m", m).fill_nan(None).cast(pl.Int64))
    return cells.with_columns(columns)


def of_configuration(system: str, rounds: int, options: Mapping[str, Any]) -> dict[Notion, float]:
    """The bits of one recorded configuration of `mimc-preimage`; empty where it is no STARK.

    `options` are all of the runner's, under its own names. Of Plonky3, proof of work before folding
    challenges is not counted, which leaves folding with fewer bits than it has.
    """
    library, _, field = system.split("/")
    described = {"field": field, "rounds": rounds, **options}
    air = MIMC
    if library == "plonky3":
        in_row = min(options["rounds_per_row"], (rounds + 1) // PLONKY3_FEWEST_ROWS)
        width = PLONKY3_COORDINATES * in_row
        described |= {
            "field": field.removesuffix("-4"),
            "extension": "quintic",
            # The trace's rows, counted as above: one more than the rounds that are one to a row.
            "rounds": (rounds + 1) // in_row - 1,
            "batching_constraints": "algebraic",
            "batching_deep": "algebraic",
        }
        # Columns of the trace are opened at two points, those of the quotient at one.
        openings = 2 * width + PLONKY3_QUOTIENT_COLUMNS
        air = Air(width=width, constraints=width, degree=3, openings=openings)
    elif not library.startswith("winterfell"):
        return {}
    row = security(pl.DataFrame([described]), air).row(0, named=True)
    return {notion: float(row[f"{notion}_bits"]) for notion in NOTIONS}


def library_bits(cells: pl.DataFrame, air: Air = MIMC) -> pl.DataFrame:
    """The cells with winterfell 0.13.1's own figures, `library_NOTION` for each of `NOTIONS`.

    Integers, equal to what `Proof::conjectured_security` and `Proof::proven_security` say. Cells as
    for `security`.
    """
    parameters = _Parameters.of(cells, air)
    theirs = _library()
    return cells.with_columns(
        pl.Series(f"library_{notion}", _bits(notion, parameters, theirs)[0].astype(np.int64))
        for notion in NOTIONS
    )


def explain(cells: pl.DataFrame, air: Air = MIMC) -> pl.DataFrame:
    """How ours become the library's bits, one difference of `STEPS` after the other.

    One row for each cell, notion and step that concerns it: cell (its row in `cells`), notion,
    step, why, ours (bits), change (bits that the step adds), library (bits). The changes of a cell
    and notion add up to library − ours. Which change a difference makes depends on those before it,
    since a level is a minimum: the order is that of `STEPS`.
    """
    parameters = _Parameters.of(cells, air)
    frames = []
    for notion in NOTIONS:
        bounds = _OURS
        first = before = _bits(notion, parameters, bounds)[0]
        steps = []
        for step in STEPS:
            if notion not in step.notions:
                continue
            bounds = replace(bounds, **step.changes)
            after = _bits(notion, parameters, bounds)[0]
            steps.append(
                pl.DataFrame(
                    {
                        "cell": np.arange(cells.height),
                        "notion": pl.repeat(notion, cells.height, eager=True),
                        "step": pl.repeat(step.name, cells.height, eager=True),
                        "why": pl.repeat(step.why, cells.height, eager=True),
                        "ours": first,
                        "change": after - before,
                    }
                )
            )
            before = after
        frames += [frame.with_columns(pl.Series("library", before)) for frame in steps]
    return pl.concat(frames)


@dataclass(frozen=True, slots=True)
class _Parameters:
    """The parameters of n cells, each an array of shape (n,)."""

    trace_length: Floats
    domain: Floats
    blowup: Floats
    queries: Floats
    grinding: Floats
    folding: Floats
    layers: NDArray[np.int64]
    field_bits: Floats
    whole_field_bits: Floats
    digest_bits: Floats
    constraint_powers: NDArray[np.bool_]
    deep_powers: NDArray[np.bool_]
    air: Air

    @classmethod
    def of(cls, cells: pl.DataFrame, air: Air) -> "_Parameters":
        def numbers(name: str) -> Floats:
            return cells[name].cast(pl.Float64).to_numpy()

        def looked_up(name: str, table: dict[str, float]) -> Floats:
            return cells[name].replace_strict(table, return_dtype=pl.Float64).to_numpy()

        trace_length = numbers("rounds") + 1
        blowup = numbers("blowup")
        degree = looked_up("extension", {name: float(d) for name, d in EXTENSION_DEGREES.items()})
        orders = {name: float(np.log2(float(order))) for name, order in BASE_ORDERS.items()}
        lengths = {name: float(order.bit_length()) for name, order in BASE_ORDERS.items()}
        return cls(
            trace_length=trace_length,
            domain=trace_length * blowup,
            blowup=blowup,
            queries=numbers("queries"),
            grinding=numbers("grinding"),
            folding=numbers("folding"),
            layers=fri_layers(cells),
            field_bits=degree * looked_up("field", orders),
            whole_field_bits=degree * looked_up("field", lengths),
            digest_bits=looked_up("hash", DIGEST_BITS),
            constraint_powers=(cells["batching_constraints"] != "linear").to_numpy(),
            deep_powers=(cells["batching_deep"] != "linear").to_numpy(),
            air=air,
        )


def fri_layers(cells: pl.DataFrame) -> NDArray[np.int64]:
    """Layers of FRI with a Merkle tree, shape (n,): folds until the remainder's degree is reached.

    From columns rounds, folding and remainder_max_degree.
    """
    coefficients = (cells["rounds"].cast(pl.Int64) + 1).to_numpy().copy()
    folding = cells["folding"].cast(pl.Int64).to_numpy()
    most = cells["remainder_max_degree"].cast(pl.Int64).to_numpy() + 1
    layers = np.zeros(cells.height, dtype=np.int64)
    while (more := coefficients > most).any():
        coefficients[more] //= folding[more]
        layers[more] += 1
    return layers


def _library() -> _Bounds:
    bounds = _OURS
    for step in STEPS:
        bounds = replace(bounds, **step.changes)
    return bounds


def _bits(
    notion: Notion, parameters: _Parameters, bounds: _Bounds
) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Bits, index of the least of `LIMITS`, and m (nan but in list decoding); shape (n,) each."""
    collisions = parameters.digest_bits / 2
    if bounds.whole_bits:
        collisions = np.ceil(collisions)
    m = np.full(len(collisions), np.nan)
    match notion:
        case "conjectured":
            limits = _conjectured(parameters, bounds)
        case "udr":
            limits = _unique_decoding(parameters, bounds)
        case "ldr":
            limits, m = _list_decoding(parameters, bounds)
    stacked = np.stack([limits.get(name, np.inf) * np.ones(len(collisions)) for name in LIMITS])
    stacked[LIMITS.index("collisions")] = collisions
    # An error that is bounded by more than one proves nothing.
    bits = np.maximum(stacked.min(axis=0), 0)
    if bounds.rounded_down:
        bits = np.floor(bits)
    return bits, stacked.argmin(axis=0), m


def _conjectured(parameters: _Parameters, bounds: _Bounds) -> dict[str, Floats]:
    queries = parameters.queries * _log2(parameters.blowup)
    counted = queries >= bounds.grinding_floor
    return {
        "challenge field": _challenge_bits(parameters, bounds) - 1,
        "queries": queries + np.where(counted, parameters.grinding, 0) - 1,
    }


def _unique_decoding(parameters: _Parameters, bounds: _Bounds) -> dict[str, Floats]:
    challenges = _challenge_bits(parameters, bounds)
    domain = parameters.domain
    agreement = (1 + (parameters.trace_length + 2) / domain) / 2
    folding = challenges - _log2((parameters.folding - 1) * (domain + 1))
    return _algebra(parameters, bounds, challenges, np.ones_like(domain)) | {
        "batching": challenges - _log2(domain * _batch(parameters, bounds)),
        "folding": np.where(parameters.layers > 0, folding, np.inf),
        "queries": _query_bits(parameters, agreement),
    }


def _list_decoding(parameters: _Parameters, bounds: _Bounds) -> tuple[dict[str, Floats], Floats]:
    """The limits at the best m, and that m; nan where no m bounds the list.

    Queries gain with m and everything else loses, so the best is on either side of where they
    cross, found by bisection over the integers.
    """

    def limits(m: Floats) -> dict[str, Floats]:
        return _list_decoding_at(m, parameters, bounds)

    def queries_bind(m: Floats) -> NDArray[np.bool_]:
        at = limits(m)
        return at["queries"] <= _least(at, without="queries")

    length = parameters.trace_length
    # α² > ρ⁺, or there is no bound on the list.
    beyond = np.ceil(1 / (2 * (np.sqrt((length + 2) / length) - 1)))
    low = np.full_like(length, FEWEST_M)
    high = np.maximum(beyond - 1, low)
    if bounds.greatest_m is not None:
        high = np.maximum(np.minimum(beyond, bounds.greatest_m) - 1, low)
    greatest = high.copy()
    while (open_ := low < high).any():
        middle = np.ceil((low + high) / 2)
        bind = queries_bind(middle)
        low = np.where(open_ & bind, middle, low)
        high = np.where(open_ & ~bind, middle - 1, high)
    after = np.minimum(low + 1, greatest)
    m = np.where(_least(limits(after)) > _least(limits(low)), after, low)
    return limits(m), np.where(beyond > FEWEST_M, m, np.nan)


def _list_decoding_at(m: Floats, parameters: _Parameters, bounds: _Bounds) -> dict[str, Floats]:
    challenges = _challenge_bits(parameters, bounds)
    domain, rate = parameters.domain, 1 / parameters.blowup
    agreement = (1 + 1 / (2 * m)) * np.sqrt(rate)
    wide = (parameters.trace_length + 2) / domain
    if bounds.rough_list:
        with np.errstate(divide="ignore"):
            candidates = m / (rate - 2 * m / domain)
    else:
        # Nothing bounds the candidates where α² ≤ ρ⁺: of a trace of four rows, at every m.
        bounded = agreement**2 > wide
        unbounded = np.full_like(agreement, np.inf)
        candidates = np.divide(agreement - wide, agreement**2 - wide, out=unbounded, where=bounded)
    line = (m + 0.5) ** 7 / (3 * rate**1.5)
    layer = domain / parameters.folding
    folding = challenges - _log2(
        (parameters.folding - 1)
        * np.maximum(line * layer**2, (2 * m + 1) * (domain + 1) / np.sqrt(rate))
    )
    if bounds.no_folding:
        folding = np.full_like(folding, np.inf)
    return _algebra(parameters, bounds, challenges, candidates) | {
        "batching": challenges - _log2(line * domain**2 * _batch(parameters, bounds)),
        "folding": np.where(parameters.layers > 0, folding, np.inf),
        "queries": _query_bits(parameters, agreement),
    }


def _challenge_bits(parameters: _Parameters, bounds: _Bounds = _OURS) -> Floats:
    """Bits of the set that challenges are drawn from.

    winterfell's coin reads an element of the extension field off a single digest, which it pads
    with zeros to 32 bytes (winter-crypto 0.13.1, `ByteDigest::as_bytes`).
    """
    field = parameters.whole_field_bits if bounds.whole_bits else parameters.field_bits
    return field if bounds.unfilled_challenges else np.minimum(field, parameters.digest_bits)


def _algebra(
    parameters: _Parameters, bounds: _Bounds, challenges: Floats, candidates: Floats
) -> dict[str, Floats]:
    """Rounds 1 and 2, which are the same in both regimes but for the number of candidates."""
    powers = np.where(parameters.constraint_powers, parameters.air.constraints - 1, 1)
    tuples = candidates**2 if bounds.pairs_of_candidates else candidates
    roots = _identity_degree(parameters, bounds)
    if bounds.only_roots:
        bad = tuples * roots
    else:
        bad = tuples * (roots + 1) + parameters.domain + parameters.trace_length
    return {
        "constraints": challenges - _log2(candidates * powers),
        "out-of-domain": challenges - _log2(bad),
    }


def _identity_degree(parameters: _Parameters, bounds: _Bounds) -> Floats:
    """Degree of the identity that is checked at z, in candidates of degree at most T + 1.

    Multiplied by X^T − 1, which every divisor divides, a transition has degree d(T + 1) and 1 for
    the last row that it leaves out; an assertion T + 1 + T − 1; the composition of d − 1 columns
    (d − 2)T + T + 1 + T.
    """
    length = parameters.trace_length
    if bounds.degree_by_blowup:
        return (parameters.blowup + 1) * (length + 1) + length - 1
    degree = parameters.air.degree
    columns = parameters.air.composition_columns
    assertions, composition = 2 * length, (columns + 1) * length + 1
    return np.maximum(np.maximum(degree * (length + 1) + 1, assertions), composition)


def _batch(parameters: _Parameters, bounds: _Bounds) -> Floats:
    """The factor of the error of batching: one less than the columns under powers."""
    if parameters.air.openings is not None:
        return np.where(parameters.deep_powers, parameters.air.openings - 1, 1.0)
    columns: Floats | int = parameters.air.composition_columns
    if bounds.columns_by_blowup:
        columns = parameters.blowup
    return np.where(parameters.deep_powers, parameters.air.width + columns - 1, 1.0)


def _query_bits(parameters: _Parameters, agreement: Floats) -> Floats:
    return parameters.grinding - parameters.queries * np.log2(agreement)


def _least(limits: dict[str, Floats], without: str = "") -> Floats:
    return np.asarray(np.min([bits for name, bits in limits.items() if name != without], axis=0))


def _log2(values: Floats) -> Floats:
    """Logarithm to base 2 that is exact for powers of two, which rounding down depends on."""
    mantissa, exponent = np.frexp(values)
    return np.asarray(np.log2(2 * mantissa) + (exponent - 1))
