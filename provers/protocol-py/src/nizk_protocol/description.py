"""What a runner says about itself: the ground on which every request is judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Phase = Literal["compile", "setup", "witness", "prove", "verify"]

#: The phases of the protocol, in the order in which they happen.
PHASES: tuple[Phase, ...] = ("compile", "setup", "witness", "prove", "verify")


@dataclass(frozen=True, slots=True)
class Library:
    """What a runner measures."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Field:
    """The prime field of a statement, by its name in `data/vectors/`."""

    name: str
    order: int


@dataclass(frozen=True, slots=True)
class Properties:
    """What a scheme promises and assumes; `zero_knowledge_source` is the library's own words."""

    trusted_setup: Literal["none", "universal", "per-circuit"]
    transparent: bool
    post_quantum: bool
    zero_knowledge: Literal["yes", "no", "partial"]
    zero_knowledge_source: str
    assumptions: str
    #: What was looked at and has no call that verifies many proofs, with where it stands: this
    #: package has no loop for a library that does, and refuses to measure it.
    no_batches: str


@dataclass(frozen=True, slots=True)
class Variant:
    """A design choice of the circuit."""

    name: str
    values: tuple[str, ...]
    default: str


@dataclass(frozen=True, slots=True)
class Unsound:
    """A variant that is kept although it is unsound, with the one check it must fail."""

    variant: dict[str, str]
    check: str
    reason: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that a system proves, with its legal sizes and variants."""

    statement: str
    size_name: str
    minimum: int
    maximum: int
    variants: tuple[Variant, ...]
    rule: Literal["any", "power-of-two-minus-one"] = "any"
    unsound: tuple[Unsound, ...] = ()


@dataclass(frozen=True, slots=True)
class IntegerOption:
    """An option that is a whole number; `values` are the only legal ones where there are any."""

    name: str
    minimum: int
    maximum: int
    default: int
    help: str
    values: tuple[int, ...] = ()

    def legal(self, value: int) -> bool:
        """Whether the option may have a value."""
        inside = self.minimum <= value <= self.maximum
        return inside and (not self.values or value in self.values)


@dataclass(frozen=True, slots=True)
class ChoiceOption:
    """An option that is one of several names."""

    name: str
    values: tuple[str, ...]
    default: str
    help: str


Option = IntegerOption | ChoiceOption


@dataclass(frozen=True, slots=True)
class Malleable:
    """A place of a proof whose change the library accepts, in bits from the start of the proof."""

    where: str
    bits: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class SystemDescription:
    """One system: library, version, scheme, field or curve; the members of PROTOCOL.md.

    `phases` says of every phase that is timed which others it includes, `absent_phases` of every
    one that does not exist why.
    """

    system: str
    scheme: str
    curve: str | None
    field: Field
    properties: Properties
    phases: dict[Phase, tuple[Phase, ...]]
    absent_phases: dict[Phase, str]
    statements: tuple[Statement, ...]
    proof_size: Literal["constant", "varies"]
    threads_maximum: int | None
    threads_how: str
    options: tuple[Option, ...] = ()
    malleable: tuple[Malleable, ...] = ()

    def times(self, phase: Phase) -> bool:
        """Whether the system times a phase by itself."""
        return phase in self.phases

    def faults(self) -> list[str]:
        """What is wrong with the description; empty for a good one. Meant for a runner's tests."""
        included = {name for includes in self.phases.values() for name in includes}
        faults = []
        for phase in PHASES:
            places = (phase in self.phases) + (phase in self.absent_phases) + (phase in included)
            if places != 1:
                faults.append(f"phase {phase} has {places} places instead of one")
        faults += [f"option {name} occurs twice" for name in _doubled(self.options)]
        for option in self.options:
            if isinstance(option, IntegerOption):
                legal = option.legal(option.default)
            else:
                legal = option.default in option.values
            if not legal:
                faults.append(f"the default of option {option.name} is not legal")
        for statement in self.statements:
            values = {variant.name: variant.values for variant in statement.variants}
            faults += [f"variant {name} occurs twice" for name in _doubled(statement.variants)]
            faults += [
                f"the default of variant {variant.name} is not legal"
                for variant in statement.variants
                if variant.default not in variant.values
            ]
            faults += [
                f"unsound variant {name}={value} does not exist"
                for unsound in statement.unsound
                for name, value in unsound.variant.items()
                if value not in values.get(name, ())
            ]
        return faults

    def record(self) -> dict[str, Any]:
        """The description as `describe` prints it."""
        properties = self.properties
        return {
            "system": self.system,
            "scheme": self.scheme,
            "curve": self.curve,
            "field": {
                "name": self.field.name,
                "modulus": hex(self.field.order),
                "bits": self.field.order.bit_length(),
            },
            "properties": {
                "trusted_setup": properties.trusted_setup,
                "transparent": properties.transparent,
                "post_quantum": properties.post_quantum,
                "zero_knowledge": {
                    "level": properties.zero_knowledge,
                    "source": properties.zero_knowledge_source,
                },
                "assumptions": properties.assumptions,
                "batch_verification": {"supported": False, "source": properties.no_batches},
            },
            "phases": [
                {"phase": phase, "includes": list(self.phases[phase])}
                for phase in PHASES
                if phase in self.phases
            ],
            "absent_phases": [
                {"phase": phase, "reason": reason} for phase, reason in self.absent_phases.items()
            ],
            "threads": {"minimum": 1, "maximum": self.threads_maximum, "how": self.threads_how},
            "proof_size": self.proof_size,
            "statements": [_statement(one) for one in self.statements],
            "options": [_option(one) for one in self.options],
            "malleable": [
                {"where": one.where, "bits": list(one.bits), "reason": one.reason}
                for one in self.malleable
            ],
        }


def _doubled(named: Sequence[Option] | Sequence[Variant]) -> list[str]:
    names = [one.name for one in named]
    return sorted({name for name in names if names.count(name) > 1})


def _statement(statement: Statement) -> dict[str, Any]:
    return {
        "statement": statement.statement,
        "size": {
            "name": statement.size_name,
            "minimum": statement.minimum,
            "maximum": statement.maximum,
            "rule": statement.rule,
        },
        "variants": [
            {"name": one.name, "values": list(one.values), "default": one.default}
            for one in statement.variants
        ],
        "unsound": [
            {"variant": one.variant, "check": one.check, "reason": one.reason}
            for one in statement.unsound
        ],
    }


def _option(option: Option) -> dict[str, Any]:
    if isinstance(option, ChoiceOption):
        return {
            "name": option.name,
            "type": "choice",
            "values": list(option.values),
            "default": option.default,
            "help": option.help,
        }
    range_ = {"minimum": option.minimum, "maximum": option.maximum}
    values = {"values": list(option.values)} if option.values else {}
    return (
        {"name": option.name, "type": "integer"}
        | range_
        | values
        | {"default": option.default, "help": option.help}
    )
