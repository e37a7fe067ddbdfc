"""The claims of earlier work and of this project, as `data/claims.toml` has them.

A claim has a source, the text of its prediction, the predicate that decides it
(`nizkbench.predicates`), and the experiment and the smallest profile that can decide it. Claims on
experiments that do not exist yet stand in the register without a predicate, and say so.
"""

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.predicates import (
    Condition,
    Evidence,
    Subjects,
    Verdict,
    compared,
    decided,
    every,
)

#: The experiments that a claim may name: sections of a profile, or what is not built yet.
Experiment = Literal[
    "mimc",
    "stark-grid",
    "hash-functions",
    "range-proofs",
    "keccak-circuits",
    "groth16-on-gpu",
    "idemix-on-fabric",
]


class ClaimError(NizkBenchError):
    """The register of claims says what cannot be."""


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who claims something: the title in words, and its key in `paper/references.bib`, if cited."""

    title: str
    reference: str | None = None


class Claim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One claim.

    `rather` is an experiment whose records decide it in place of those of `experiment`, where they
    are beside them; `recipe` is that of `just` which measures what decides it, where no run does:
    it is kept beside a run of `profile`. `decided_as` says how a bound was chosen where the text
    leaves it open; `suspicion`, how the finding may be an artefact of how it was measured.
    """

    key: str
    source: str
    experiment: Experiment
    text: str
    rather: Experiment | None = None
    profile: Literal["smoke", "standard", "full"] | None = None
    recipe: Literal["overhead"] | None = None
    decided_as: str | None = None
    suspicion: str | None = None
    conditions: tuple[Condition, ...] = ()

    @property
    def decidable(self) -> bool:
        """Whether an experiment exists that decides it."""
        return bool(self.conditions)

    @property
    def said(self) -> str:
        """The text with how it is decided, without a full stop."""
        return (
            self.text if self.decided_as is None else f"{self.text} (decided as: {self.decided_as})"
        )


class _Register(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sources: dict[str, Source]
    groups: dict[Experiment, dict[str, tuple[str, ...]]]
    claims: tuple[Claim, ...]


def read_register(path: Path | None = None) -> tuple[Claim, ...]:
    """Every claim, in the register's order; `ClaimError` names what is wrong with it."""
    return _register(path or _path()).claims


def claims_on(experiment: Experiment, source: str | None = None) -> dict[str, Claim]:
    """The claims that an experiment decides, of one source where given, by their keys."""
    return {
        claim.key: claim
        for claim in read_register()
        if claim.experiment == experiment and (source is None or claim.source == source)
    }


def decided_on[E: Evidence](
    experiment: Experiment,
    source: str,
    evidence: E,
    sentences: Mapping[str, Callable[[E], str | Verdict]],
) -> dict[str, Verdict]:
    """The verdicts on the claims of a source, by their keys, before a family is corrected.

    `sentences` say by the claim's key what was found, or give the verdict where nothing could be.
    """
    found = {}
    for key, claim in claims_on(experiment, source).items():
        said = sentences[key](evidence)
        found[key] = (
            decided(every(compared(claim.conditions, evidence)), said)
            if isinstance(said, str)
            else said
        )
    return found


def texts(experiment: Experiment, source: str) -> dict[str, str]:
    """What the claims of a source on an experiment say, and how they are decided, by their keys."""
    return {key: claim.said for key, claim in claims_on(experiment, source).items()}


def sources(path: Path | None = None) -> Mapping[str, Source]:
    """Who claims something, by the name that claims have for it."""
    return _register(path or _path()).sources


def members(experiment: Experiment, subjects: Subjects) -> tuple[str, ...]:
    """The subjects of an experiment that names stand for; a group's name for its members."""
    groups = _register(_path()).groups.get(experiment, {})
    names = (subjects,) if isinstance(subjects, str) else subjects
    found = (member for name in names for member in groups.get(name, (name,)))
    return tuple(dict.fromkeys(found))


def _path() -> Path:
    return layout.root() / "data" / "claims.toml"


@cache
def _register(path: Path) -> _Register:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        register = msgspec.convert(table, _Register, strict=True)
    except FileNotFoundError:
        raise ClaimError(f"{path} does not exist") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ClaimError(f"{path.name} is no TOML ({error})") from error
    except msgspec.ValidationError as error:
        raise ClaimError(f"{path.name}: {_first_lower(str(error))}") from error
    seen: set[str] = set()
    for claim in register.claims:
        if claim.key in seen:
            raise ClaimError(f"{path.name}: there are two claims {claim.key}")
        seen.add(claim.key)
        if claim.source not in register.sources:
            raise ClaimError(f"{path.name}: claim {claim.key} has no source {claim.source}")
        if claim.decidable == (claim.profile is None):
            raise ClaimError(
                f"{path.name}: claim {claim.key} must have conditions and a profile, or neither"
            )
    return register


def _first_lower(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"
