"""The verdict on every claim of the register, over whatever runs there are.

Claims of earlier work are decided by the experiment that repeats it (`nizkbench.claims`,
`nizkbench.hash_claims`), on its terms and on equal ones; this project's own on equal terms alone,
by the conditions of the register and nothing else. Claims on experiments that do not exist yet are
not yet tested, and those on a run that is not there say that it is absent.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from nizkbench import claims, hash_claims, range_claims
from nizkbench.analysed import read_analysed
from nizkbench.beside import GRID, HASHES, P1_GRINDING, RANGES, beside
from nizkbench.claim_register import Claim, read_register, sources
from nizkbench.errors import NizkBenchError
from nizkbench.hash_results import HashResults
from nizkbench.layout import recorded_beside
from nizkbench.predicates import (
    Evidence,
    Outcome,
    Verdict,
    compared,
    corrected,
    decided,
    every,
    told,
)
from nizkbench.profile import ProfileError, read_profile
from nizkbench.range_results import RangeResults
from nizkbench.results import Results
from nizkbench.tables import Table
from nizkbench.words import capitalised

OWN = "own"


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its verdicts; `published` is None where there are no terms of earlier work."""

    claim: Claim
    published: Verdict | None
    equal: Verdict


def judged(
    results: Results | None, hashes: HashResults | None, ranges: RangeResults | None
) -> list[Judged]:
    """Every claim of the register, in its order. `results` has the verdicts of a grid beside it."""
    pairs = {} if results is None else claims.verdicts(results)
    if hashes is not None:
        pairs |= hash_claims.hash_verdicts(hashes)
    evidence: dict[str, Evidence] = {}
    if results is not None:
        evidence[claims.EXPERIMENT] = claims.Terms(results, "equal")
    if hashes is not None:
        evidence[hash_claims.EXPERIMENT] = hash_claims.HashTerms(hashes, "equal")
    if ranges is not None:
        evidence[range_claims.EXPERIMENT] = range_claims.range_terms(ranges)
    mine = own_verdicts(evidence)
    found = []
    for claim in read_register():
        if claim.key in mine:
            found.append(Judged(claim, None, _where_measured(claim, mine[claim.key])))
        elif claim.key in pairs:
            found.append(Judged(claim, *(_where_measured(claim, one) for one in pairs[claim.key])))
        else:
            absent = _absent(claim)
            found.append(Judged(claim, None if claim.source == OWN else absent, absent))
    return found


def read_judged(main: Path) -> list[Judged]:
    """`judged` of a main run and of the runs that are kept beside it.

    `NizkBenchError` where none of them is there, or where the main run would be of a profile that
    does not exist.
    """
    results = read_analysed(main) if (main / "manifest.json").exists() else None
    if results is None:
        _refuse_unknown(main)
    # A grid decides claims on the main run, and none without it.
    grid = None if results is None else recorded_beside(main, GRID)
    others = beside(
        grid=grid,
        p1_grinding=None if grid is None else recorded_beside(main, P1_GRINDING),
        hashes=recorded_beside(main, HASHES),
        ranges=recorded_beside(main, RANGES),
    )
    if results is None and others.hashes is None and others.ranges is None:
        raise NizkBenchError(f"{main} holds no run, and no other experiment is recorded beside it")
    if results is not None:
        results = others.deciding(results)
    return judged(results, others.hashes, others.ranges)


def _refuse_unknown(main: Path) -> None:
    """Refuse a main run that is not there, nor any beside it of its name, nor a profile of it."""
    own = (main.parent / f"{main.name}-{experiment}" for experiment in (HASHES, RANGES))
    if any((folder / "manifest.json").exists() for folder in own):
        return
    try:
        read_profile(main.resolve().name)
    except ProfileError as error:
        raise NizkBenchError(f"{main} holds no run, and {error}") from None


def own_verdicts(evidence: dict[str, Evidence]) -> dict[str, Verdict]:
    """The verdicts on this project's claims by what each experiment has to say, a family each."""
    families: dict[str, dict[str, Verdict]] = {}
    for claim in read_register():
        if claim.source != OWN or claim.experiment not in evidence:
            continue
        comparisons = compared(claim.conditions, evidence[claim.experiment])
        # A quantity that nothing is known of is a comparison without one.
        known = [one for one in comparisons if one.known]
        whole = every(comparisons)
        if not known:
            whole = replace(whole, outcome=Outcome.NOT_MEASURED)
        families.setdefault(claim.experiment, {})[claim.key] = decided(
            whole, told(known) if known else "This run has nothing that decides it."
        )
    return {key: one for family in families.values() for key, one in corrected(family).items()}


def _where_measured(claim: Claim, verdict: Verdict) -> Verdict:
    """A verdict that, where a run lacks what decides it, names what measures that."""
    if verdict.outcome is not Outcome.NOT_MEASURED:
        return verdict
    measures = _profiles(claim) if claim.recipe is None else _recipe(claim.recipe)
    return replace(verdict, sentence=f"{verdict.sentence} {capitalised(measures)} measures it.")


def _absent(claim: Claim) -> Verdict:
    if not claim.decidable:
        return Verdict(
            Outcome.NOT_YET_TESTED, f"No experiment of this project is on {_words(claim)} yet."
        )
    decides = (
        f"which {_profiles(claim)} decides it by"
        if claim.recipe is None
        else f"beside which {_recipe(claim.recipe)} measures what decides it"
    )
    return Verdict(
        Outcome.NOT_MEASURED,
        f"There are no records of the experiment on {_words(claim)}, {decides}.",
    )


def _profiles(claim: Claim) -> str:
    """The smallest profile that can decide a claim, and those that are larger."""
    larger = "" if claim.profile == "full" else " or a larger one"
    return f"profile {claim.profile}{larger}"


def _recipe(recipe: str) -> str:
    return f"`just {recipe} PROFILE`"


def _words(claim: Claim) -> str:
    words = {
        "mimc": "MiMC",
        "stark-grid": "the options of a STARK",
        "hash-functions": "hash functions",
        "range-proofs": "ranges of committed values",
        "keccak-circuits": "circuits of Keccak-256",
        "groth16-on-gpu": "Groth16 on graphics processors",
        "idemix-on-fabric": "Idemix in Hyperledger Fabric",
    }
    return words[claim.experiment]


def claims_table(judged: Iterable[Judged]) -> str:
    """Every claim that an experiment decides, with its verdicts; others are counted. Markdown."""
    rows: list[tuple[str | None, ...]] = []
    waiting: dict[str, int] = {}
    for one in judged:
        if not one.claim.decidable:
            waiting[one.claim.source] = waiting.get(one.claim.source, 0) + 1
            continue
        published = None if one.published is None else str(one.published.outcome)
        said = one.claim.key.upper(), f"{one.claim.said}."
        rows.append((*said, published, str(one.equal.outcome)))
    heads = ("claim", "what it says", "as published", "on equal terms")
    table = Table(heads, "llll", tuple(rows)).markdown().rstrip()
    later = [f"{count} of {sources()[name].title}" for name, count in waiting.items()]
    return f"{table}\n\nNot yet tested: {'; '.join(later)}." if later else table
