"""From an experiment to what is carried out: configurations, and shuffled blocks of them.

Everything here is a pure function of the profile, of what the runners describe and of the number of
cores; the order of any block can be told without carrying out the ones before.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nizkbench.errors import NizkBenchError
from nizkbench.messages import PHASES, Instances, OptionValue, RunRequest, Statement, Stop
from nizkbench.profile import Experiment, Line, ProfileError, ThreadsLabel, Track
from nizkbench.runner import Offer

#: How schemes and curves are written in labels; what is not here is shown as its runner writes it.
_WRITTEN = {
    "groth16": "Groth16",
    "plonk": "PLONK",
    "r1cs": "R1CS",
    "range": "range proofs",
    "stark": "STARK",
    "bls12-381": "BLS12-381",
    "bn254": "BN254",
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """One cell of the grid: what is measured, with every variant and option spelt out."""

    track: Track
    series: str
    system: str
    statement: str
    size_name: str
    size: int
    variant: dict[str, str]
    options: dict[str, OptionValue]
    instances: Instances
    threads: int
    threads_label: ThreadsLabel
    #: How many proofs are also verified together.
    batch: int | None = None

    @property
    def configuration(self) -> str:
        """The identity of the configuration: 12 hexadecimal digits of SHA-256 over its members."""
        identity = {
            "track": self.track,
            "system": self.system,
            "statement": self.statement,
            "size": self.size,
            "variant": self.variant,
            "options": self.options,
            "instances": self.instances,
            "threads": self.threads,
            "threads_label": self.threads_label,
        }
        if self.batch is not None:
            identity["batch"] = self.batch
        return hashlib.sha256(canonical_json(identity).encode()).hexdigest()[:12]

    @property
    def title(self) -> str:
        """The configuration in words, for a person who watches."""
        return f"{self.series}, {self.size} {self.size_name}, {self.threads_label} thread" + (
            "s" if self.threads_label == "all" else ""
        )

    def request(
        self, identifier: str, seed: bytes, stop: Stop, artifacts: str | None = None
    ) -> RunRequest:
        """The request that measures this configuration once."""
        return RunRequest(
            id=identifier,
            system=self.system,
            statement=self.statement,
            size={self.size_name: self.size},
            variant=self.variant,
            options=self.options,
            threads=self.threads,
            seed=seed.hex(),
            instances=self.instances,
            stop=stop,
            phases=PHASES,
            batch=self.batch,
            artifacts=artifacts,
        )

    def row(self, offer: Offer) -> dict[str, Any]:
        """The configuration as a row of the table of that name."""
        system, statement = offer.system, offer.system.statement(self.statement)
        unsound = statement.unsound_check(self.variant)
        batch = {} if self.batch is None else {"batch": self.batch}
        return {
            "configuration": self.configuration,
            "track": self.track,
            "series": self.series,
            "runner": offer.runner.name,
            "system": self.system,
            "library": offer.describe.library.name,
            "library_version": offer.describe.library.version,
            "scheme": system.scheme,
            "curve": system.curve,
            "field": system.field.name,
            "field_bits": system.field.bits,
            "statement": self.statement,
            "size_name": self.size_name,
            "size": self.size,
            "variant": canonical_variant(self.variant),
            "options": canonical_json(self.options | batch),
            "instances": self.instances,
            "threads": self.threads,
            "threads_label": self.threads_label,
            "sound": unsound is None,
            "unsound_check": unsound,
            "includes": canonical_json(
                {phase.phase: list(phase.includes) for phase in system.phases}
            ),
        }


def grinds(options: Mapping[str, Any]) -> bool:
    """Whether a proof with these options (defaults filled in) contains proof of work.

    Its times are draws from a skewed distribution: an invocation is summarised by their mean then,
    by their median otherwise (`nizkbench.estimate` says why).
    """
    return int(options.get("grinding", 0)) > 0


def configurations(
    experiment: Experiment, offers: Mapping[str, Offer], cores: int
) -> tuple[Configuration, ...]:
    """Every configuration of an experiment, in the order of the profile, on `cores` cores.

    `ProfileError` names the series and what its system does not have: the system itself, the
    statement, a size, a variant or an option.
    """
    found: dict[str, Configuration] = {}
    labels: dict[str, str] = {}
    for line in experiment.lines():
        offer = _offer(line, offers)
        statement = _statement(experiment, line, offer)
        variant = _variant(line, statement)
        options = _options(line, offer)
        label = series_label(line, offer, statement, variant, options)
        if labels.setdefault(label, line.where) != line.where:
            raise ProfileError(f"{line.where} is the same as {labels[label]}: {label}")
        for threads_label in line.threads:
            threads = _threads(threads_label, offer, cores)
            for size in line.sizes:
                if refusal := statement.size.refusal(size):
                    raise ProfileError(f"{line.where}: {refusal}")
                one = Configuration(
                    track=line.track,
                    series=label,
                    system=line.system,
                    statement=statement.statement,
                    size_name=statement.size.name,
                    size=size,
                    variant=variant,
                    options=options,
                    instances=line.instances,
                    threads=threads,
                    threads_label=threads_label,
                    batch=line.batch,
                )
                found[one.configuration] = one
    return tuple(found.values())


def block_order(identities: Iterable[str], seed: bytes, block: int) -> list[str]:
    """The configurations in the order in which a block measures them.

    A random permutation (by the digest of each with the run's seed and the block), in which leaving
    out some configurations leaves the others in the same order.
    """
    prefix = b"nizk-bench/v1\x00order\x00" + seed + block.to_bytes(8, "little")
    return sorted(identities, key=lambda one: hashlib.sha256(prefix + one.encode()).digest())


def invocation_seed(seed: bytes, block: int, instances: Instances) -> bytes:
    """The 32-byte seed of one invocation.

    All configurations of a block prove the same instances; other blocks prove others, unless the
    series measures one fixed instance, which then is the same in every block.
    """
    number = 0 if instances == "fixed" else block
    return hashlib.sha256(
        b"nizk-bench/v1\x00invocation\x00" + seed + number.to_bytes(8, "little")
    ).digest()


def cores_of(label: ThreadsLabel, available: Sequence[int]) -> tuple[int, ...]:
    """The cores that a thread track is bound to.

    One thread runs on the last core, since the first one usually serves the interrupts.
    """
    return tuple(available) if label == "all" else (available[-1],)


def canonical_variant(variant: Mapping[str, str]) -> str:
    """`name=value` joined by commas, names in alphabetical order."""
    return ",".join(f"{name}={variant[name]}" for name in sorted(variant))


def canonical_json(value: object) -> str:
    """JSON with sorted names and no spaces, the same for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def series_label(
    line: Line,
    offer: Offer,
    statement: Statement,
    variant: Mapping[str, str],
    options: Mapping[str, OptionValue],
) -> str:
    """What a series is called in figures and tables.

    The system in words; then the function or the bits of the statement and the treatment of the
    constants, where there is a choice; then what differs from the system's defaults.
    """
    system = offer.system
    over = system.curve or system.field.name
    words = (offer.runner.name, *(_WRITTEN.get(word, word) for word in (system.scheme, over)))
    parts = [" ".join(words)]
    if "function" in variant:
        parts.append(variant["function"])
    if "bits" in variant:
        parts.append(f"{variant['bits']} bits")
    for choice in sorted(statement.variants, key=lambda one: one.name):
        value = variant[choice.name]
        if choice.name in ("function", "bits"):
            continue
        if value != choice.default or (choice.name == "constants" and len(choice.values) > 1):
            parts.append(f"{choice.name}={value}")
    for option in system.options:
        if options[option.name] != option.default:
            parts.append(f"{option.name}={options[option.name]}")
    if line.batch is not None:
        parts.append(f"batch={line.batch}")
    if line.instances == "fixed" and line.track != "as-published":
        parts.append("fixed instance")
    if line.track == "as-published":
        parts.append("as published")
    return ", ".join(parts)


def _offer(line: Line, offers: Mapping[str, Offer]) -> Offer:
    if line.system not in offers:
        known = ", ".join(sorted(offers)) or "none"
        raise ProfileError(f"{line.where}: no runner offers this system, there are {known}")
    return offers[line.system]


def _statement(experiment: Experiment, line: Line, offer: Offer) -> Statement:
    try:
        return offer.system.statement(experiment.STATEMENT)
    except NizkBenchError as error:
        raise ProfileError(f"{line.where}: {error}") from error


def _variant(line: Line, statement: Statement) -> dict[str, str]:
    choices = {one.name: one for one in statement.variants}
    for name, value in line.variant.items():
        if name not in choices:
            known = ", ".join(sorted(choices)) or "none"
            raise ProfileError(f"{line.where}: the system has no variant {name}, it has {known}")
        if value not in choices[name].values:
            legal = ", ".join(choices[name].values)
            raise ProfileError(f"{line.where}: variant {name} is {value}, legal are {legal}")
    return {name: line.variant.get(name, choices[name].default) for name in sorted(choices)}


def _options(line: Line, offer: Offer) -> dict[str, OptionValue]:
    known = {one.name: one for one in offer.system.options}
    for name, value in line.options.items():
        if name not in known:
            names = ", ".join(known) or "none"
            raise ProfileError(f"{line.where}: the system has no option {name}, it has {names}")
        if not known[name].allows(value):
            legal = known[name].legal
            raise ProfileError(f"{line.where}: option {name} is {value}, legal are {legal}")
    return {name: line.options.get(name, known[name].default) for name in sorted(known)}


def _threads(label: ThreadsLabel, offer: Offer, cores: int) -> int:
    limits = offer.system.threads
    wanted = 1 if label == "one" else cores
    return max(limits.minimum, wanted if limits.maximum is None else min(wanted, limits.maximum))
