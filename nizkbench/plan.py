"""From an experiment to what is carried out: configurations, and shuffled blocks of them.

Everything here is a pure function of the profile, of what the runners describe and of the number of
cores; the order of any block can be told without carrying out the ones before.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nizkbench.messages import PHASES, Instances, OptionValue, RunRequest, Stop
from nizkbench.profile import Mimc, ProfileError, Series, ThreadsLabel, Track
from nizkbench.runner import Offer

STATEMENT = "mimc-preimage"

#: How schemes and curves are written in labels; what is not here is shown as its runner writes it.
_WRITTEN = {
    "groth16": "Groth16",
    "plonk": "PLONK",
    "r1cs": "R1CS",
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
    size: int
    variant: dict[str, str]
    options: dict[str, OptionValue]
    instances: Instances
    threads: int
    threads_label: ThreadsLabel

    @property
    def configuration(self) -> str:
        """The identity of the configuration: 12 hexadecimal digits of SHA-256 over its members."""
        identity = {
            "track": self.track,
            "system": self.system,
            "statement": STATEMENT,
            "size": self.size,
            "variant": self.variant,
            "options": self.options,
            "instances": self.instances,
            "threads": self.threads,
            "threads_label": self.threads_label,
        }
        return hashlib.sha256(canonical_json(identity).encode()).hexdigest()[:12]

    @property
    def title(self) -> str:
        """The configuration in words, for a person who watches."""
        return f"{self.series}, {self.size} rounds, {self.threads_label} thread" + (
            "s" if self.threads_label == "all" else ""
        )

    def request(
        self, identifier: str, seed: bytes, stop: Stop, artifacts: str | None = None
    ) -> RunRequest:
        """The request that measures this configuration once."""
        return RunRequest(
            id=identifier,
            system=self.system,
            statement=STATEMENT,
            size={"rounds": self.size},
            variant=self.variant,
            options=self.options,
            threads=self.threads,
            seed=seed.hex(),
            instances=self.instances,
            stop=stop,
            phases=PHASES,
            artifacts=artifacts,
        )

    def row(self, offer: Offer) -> dict[str, Any]:
        """The configuration as a row of the table of that name."""
        system, statement = offer.system, offer.system.statement(STATEMENT)
        unsound = statement.unsound_check(self.variant)
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
            "statement": STATEMENT,
            "size_name": statement.size.name,
            "size": self.size,
            "variant": canonical_variant(self.variant),
            "options": canonical_json(self.options),
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
    experiment: Mimc, offers: Mapping[str, Offer], cores: int
) -> tuple[Configuration, ...]:
    """Every configuration of an experiment, in the order of the profile, on `cores` cores.

    `ProfileError` names the series and what its system does not have: the system itself, a size, a
    variant or an option.
    """
    found: dict[str, Configuration] = {}
    labels: dict[str, int] = {}
    for number, series in enumerate(experiment.series, start=1):
        where = f"series {number} ({series.system})"
        offer = _offer(series, offers, where)
        variant = _variant(series, offer, where)
        options = _options(series, offer, where)
        label = series_label(series, offer, variant, options)
        if labels.setdefault(label, number) != number:
            raise ProfileError(f"{where} is the same as series {labels[label]}: {label}")
        sizes = [
            rounds
            for rounds in series.rounds or experiment.rounds
            if series.rounds_maximum is None or rounds <= series.rounds_maximum
        ]
        if not sizes:
            raise ProfileError(f"{where} has no rounds left under {series.rounds_maximum}")
        for threads_label in series.threads or experiment.threads:
            threads = _threads(threads_label, offer, cores)
            for size in sizes:
                refusal = offer.system.statement(STATEMENT).size.refusal(size)
                if refusal:
                    raise ProfileError(f"{where}: {refusal}")
                one = Configuration(
                    track=series.track,
                    series=label,
                    system=series.system,
                    size=size,
                    variant=variant,
                    options=options,
                    instances=series.instances,
                    threads=threads,
                    threads_label=threads_label,
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
    series: Series, offer: Offer, variant: Mapping[str, str], options: Mapping[str, OptionValue]
) -> str:
    """What a series is called in figures and tables.

    The system in words; then the treatment of the constants, where there is a choice; then what
    differs from the system's defaults.
    """
    system = offer.system
    over = system.curve or system.field.name
    words = (offer.runner.name, *(_WRITTEN.get(word, word) for word in (system.scheme, over)))
    parts = [" ".join(words)]
    for choice in sorted(system.statement(STATEMENT).variants, key=lambda one: one.name):
        value = variant[choice.name]
        if value != choice.default or (choice.name == "constants" and len(choice.values) > 1):
            parts.append(f"{choice.name}={value}")
    for option in system.options:
        if options[option.name] != option.default:
            parts.append(f"{option.name}={options[option.name]}")
    if series.instances == "fixed" and series.track != "as-published":
        parts.append("fixed instance")
    if series.track == "as-published":
        parts.append("as published")
    return ", ".join(parts)


def _offer(series: Series, offers: Mapping[str, Offer], where: str) -> Offer:
    if series.system not in offers:
        known = ", ".join(sorted(offers)) or "none"
        raise ProfileError(f"{where}: no runner offers this system, there are {known}")
    return offers[series.system]


def _variant(series: Series, offer: Offer, where: str) -> dict[str, str]:
    choices = {one.name: one for one in offer.system.statement(STATEMENT).variants}
    for name, value in series.variant.items():
        if name not in choices:
            known = ", ".join(sorted(choices)) or "none"
            raise ProfileError(f"{where}: the system has no variant {name}, it has {known}")
        if value not in choices[name].values:
            legal = ", ".join(choices[name].values)
            raise ProfileError(f"{where}: variant {name} is {value}, legal are {legal}")
    return {name: series.variant.get(name, choices[name].default) for name in sorted(choices)}


def _options(series: Series, offer: Offer, where: str) -> dict[str, OptionValue]:
    known = {one.name: one for one in offer.system.options}
    for name, value in series.options.items():
        if name not in known:
            names = ", ".join(known) or "none"
            raise ProfileError(f"{where}: the system has no option {name}, it has {names}")
        if not known[name].allows(value):
            raise ProfileError(f"{where}: option {name} is {value}, legal are {known[name].legal}")
    return {name: series.options.get(name, known[name].default) for name in sorted(known)}


def _threads(label: ThreadsLabel, offer: Offer, cores: int) -> int:
    limits = offer.system.threads
    wanted = 1 if label == "one" else cores
    return max(limits.minimum, wanted if limits.maximum is None else min(wanted, limits.maximum))
