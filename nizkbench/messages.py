"""Every message of the runner protocol (`provers/PROTOCOL.md`) as a typed struct.

Decoding is strict: a missing or unknown member, a wrong type or a line that is not JSON is refused
with one sentence, so that nothing a runner says is silently left out of the records.
"""

from typing import Annotated, Any, Literal

import msgspec

from nizkbench.errors import NizkBenchError

PROTOCOL = 1

#: Longest line that either side accepts, in bytes.
LONGEST_LINE = 4 * 1024 * 1024

PhaseName = Literal["compile", "setup", "witness", "prove", "verify"]
PHASES: tuple[PhaseName, ...] = ("compile", "setup", "witness", "prove", "verify")

#: What a sample is of: a phase, or a batch of proofs that are verified together.
SampleOf = PhaseName | Literal["verify-batch"]

Instances = Literal["fresh", "fixed"]
ErrorKind = Literal["invalid-request", "unsupported", "out-of-memory", "timeout", "internal"]
OptionValue = int | str

#: A measured quantity; a time or a size that could not be measured is null, never zero.
Positive = Annotated[int, msgspec.Meta(ge=1)]
Natural = Annotated[int, msgspec.Meta(ge=0)]


class MessageError(NizkBenchError):
    """A runner wrote something that the protocol does not allow."""


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all messages have in common: they are values, and a member nobody defined is refused."""


# ---- describe ----------------------------------------------------------------------------------


class Library(_Message, frozen=True):
    """The library that does the proving, with its exact version."""

    name: str
    version: str


class Build(_Message, frozen=True):
    """How the runner was built."""

    target: str
    profile: str
    features: tuple[str, ...]
    target_cpu: str


class Field(_Message, frozen=True):
    """The field that statements are instantiated over; `modulus` is its number of elements."""

    name: str
    modulus: str
    bits: int

    @property
    def order(self) -> int:
        """The order of the field."""
        return int(self.modulus, 16)


class ZeroKnowledge(_Message, frozen=True):
    """Whether proofs hide the witness, in the library's own words."""

    level: Literal["yes", "no", "partial"]
    source: str


class BatchVerification(_Message, frozen=True):
    """Whether many proofs are verified in one call, in the library's own words or what it lacks."""

    supported: bool
    source: str


class Properties(_Message, frozen=True):
    """What a scheme offers beyond its times and sizes."""

    trusted_setup: Literal["none", "universal", "per-circuit"]
    transparent: bool
    post_quantum: bool
    zero_knowledge: ZeroKnowledge
    assumptions: str
    batch_verification: BatchVerification


class Phase(_Message, frozen=True):
    """A phase that the system times, and the phases that are fused into it."""

    phase: PhaseName
    includes: tuple[PhaseName, ...]


class AbsentPhase(_Message, frozen=True):
    """A phase that does not exist for a system, and why."""

    phase: PhaseName
    reason: str


class ThreadLimits(_Message, frozen=True):
    """How many threads a system can use; `maximum` is None where it does not matter."""

    minimum: int
    maximum: int | None
    how: str


class SizeRange(_Message, frozen=True):
    """Legal sizes of a statement."""

    name: str
    minimum: int
    maximum: int
    rule: Literal["any", "power-of-two", "power-of-two-minus-one"]

    def refusal(self, size: int) -> str | None:
        """What is wrong with a size, as a sentence without its subject; None if nothing is."""
        if not self.minimum <= size <= self.maximum:
            return f"{self.name} is {size}, legal are {self.minimum} to {self.maximum}"
        if self.rule == "power-of-two" and size & (size - 1):
            return f"{self.name} is {size}, legal are powers of two"
        if self.rule == "power-of-two-minus-one" and size & (size + 1):
            return f"{self.name} is {size}, legal are powers of two minus one"
        return None


class Variant(_Message, frozen=True):
    """A design choice of the circuit."""

    name: str
    values: tuple[str, ...]
    default: str


class Unsound(_Message, frozen=True):
    """A variant that is kept although it proves less than the statement."""

    variant: dict[str, str]
    check: str
    reason: str


class Statement(_Message, frozen=True):
    """A statement that a system can prove, with its legal sizes and variants."""

    statement: str
    size: SizeRange
    variants: tuple[Variant, ...]
    unsound: tuple[Unsound, ...]

    def unsound_check(self, variant: dict[str, str]) -> str | None:
        """The check that this variant must fail, or None for a sound variant."""
        for declared in self.unsound:
            if declared.variant.items() <= variant.items():
                return declared.check
        return None


class Option(_Message, frozen=True):
    """An option of a system: an integer within a range, or a choice among values."""

    name: str
    type: Literal["integer", "choice"]
    default: OptionValue
    help: str
    minimum: int | None = None
    maximum: int | None = None
    values: tuple[OptionValue, ...] | None = None

    @property
    def legal(self) -> str:
        """What may be given, in words."""
        if self.values is not None:
            return ", ".join(str(value) for value in self.values)
        return f"{self.minimum} to {self.maximum}"

    def allows(self, value: object) -> bool:
        """Whether the value has the option's type and lies in its range."""
        if self.type == "choice":
            return isinstance(value, str) and value in (self.values or ())
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        if self.values is not None and value not in self.values:
            return False
        return (self.minimum is None or value >= self.minimum) and (
            self.maximum is None or value <= self.maximum
        )


class Malleable(_Message, frozen=True):
    """Bits of a proof whose change the library really accepts."""

    where: str
    bits: tuple[int, ...]
    reason: str


class System(_Message, frozen=True):
    """A proof system as its runner describes it."""

    system: str
    scheme: str
    curve: str | None
    field: Field
    properties: Properties
    phases: tuple[Phase, ...]
    absent_phases: tuple[AbsentPhase, ...]
    threads: ThreadLimits
    proof_size: Literal["constant", "varies"]
    statements: tuple[Statement, ...]
    options: tuple[Option, ...]
    malleable: tuple[Malleable, ...]

    def statement(self, name: str) -> Statement:
        """The statement called `name`; `NizkBenchError` if the system does not prove it."""
        for statement in self.statements:
            if statement.statement == name:
                return statement
        known = ", ".join(statement.statement for statement in self.statements)
        raise NizkBenchError(f"system {self.system} does not prove {name}, it proves {known}")


class Describe(_Message, frozen=True, tag_field="type", tag="describe"):
    """What a runner is and what it can prove."""

    protocol: int
    runner: str
    library: Library
    build: Build
    systems: tuple[System, ...]


# ---- requests ----------------------------------------------------------------------------------


class Stop(_Message, frozen=True):
    """When the sampling loop of one invocation ends; `seconds` counts timed phases only."""

    warmup: int
    minimum: int
    maximum: int
    seconds: float


class RunRequest(_Message, frozen=True, tag_field="type", tag="run", omit_defaults=True):
    """A configuration to measure. `artifacts` is a folder that exists.

    `batch` is how many proofs are also verified together.
    """

    id: str
    system: str
    statement: str
    size: dict[str, int]
    variant: dict[str, str]
    options: dict[str, OptionValue]
    threads: int
    seed: str
    instances: Instances
    stop: Stop
    phases: tuple[PhaseName, ...]
    first_instance: int = 0
    batch: int | None = None
    artifacts: str | None = None


class VerifyRequest(_Message, frozen=True, tag_field="type", tag="verify"):
    """A proof to verify, given as files."""

    id: str
    system: str
    statement: str
    size: dict[str, int]
    variant: dict[str, str]
    options: dict[str, OptionValue]
    public_input: str
    verifying_key: str
    proof: str


# ---- records -----------------------------------------------------------------------------------


class Sample(_Message, frozen=True, tag_field="type", tag="sample"):
    """One timed execution of one phase; times in nanoseconds, memory in bytes."""

    id: str
    phase: SampleOf
    sample: Natural
    instance: Natural | None
    warmup: bool
    wall_ns: Positive
    user_ns: Natural
    system_ns: Natural
    peak_rss_bytes: Positive | None


class Size(_Message, frozen=True, tag_field="type", tag="size"):
    """Bytes of a serialised object; `sample` is None where the size does not vary."""

    id: str
    of: str
    encoding: str
    bytes: Natural
    sample: Natural | None


class Counter(_Message, frozen=True, tag_field="type", tag="counter"):
    """A quantity that explains a time."""

    id: str
    name: str
    value: float
    sample: Natural | None


class Security(_Message, frozen=True, tag_field="type", tag="security"):
    """Security in bits as the library itself computes it."""

    id: str
    kind: str
    bits: float
    source: str


class Check(_Message, frozen=True, tag_field="type", tag="check"):
    """A check made by the runner itself."""

    id: str
    check: str
    passed: bool
    detail: str


class Done(_Message, frozen=True, tag_field="type", tag="done"):
    """The end of a request that was carried out."""

    id: str
    samples: int
    stopped_by: str


class RunnerError(_Message, frozen=True, tag_field="type", tag="error"):
    """The end of a request that was not carried out."""

    id: str | None
    kind: ErrorKind
    message: str
    option: str | None
    #: Which rule an `unsupported` configuration breaks, the same name whatever the values are.
    rule: str | None = None


class Legal(_Message, frozen=True, tag_field="type", tag="legal"):
    """What `classify` says of a request that `run` would carry out."""

    id: str


class Verdict(_Message, frozen=True, tag_field="type", tag="verdict"):
    """Whether a proof was accepted; `reason` is empty when it was."""

    id: str
    accepted: bool
    reason: str


RunRecord = Sample | Size | Counter | Security | Check | Done | RunnerError
ClassifyRecord = Legal | RunnerError
VerifyRecord = Verdict | RunnerError

_DESCRIBE = msgspec.json.Decoder(Describe)
_RUN_RECORD: msgspec.json.Decoder[RunRecord] = msgspec.json.Decoder(RunRecord)
_CLASSIFY_RECORD: msgspec.json.Decoder[ClassifyRecord] = msgspec.json.Decoder(ClassifyRecord)
_VERIFY_RECORD: msgspec.json.Decoder[VerifyRecord] = msgspec.json.Decoder(VerifyRecord)
_ENCODER = msgspec.json.Encoder()


def decode_describe(line: bytes) -> Describe:
    """The answer of `RUNNER describe`; `MessageError` if it is not one of this protocol."""
    describe = _decode(_DESCRIBE, line)
    if describe.protocol != PROTOCOL:
        raise MessageError(
            f"the runner speaks protocol {describe.protocol}, this program speaks {PROTOCOL}"
        )
    return describe


def decode_run_record(line: bytes) -> RunRecord:
    """One line of `RUNNER run`; `MessageError` if it is none."""
    return _decode(_RUN_RECORD, line)


def decode_classify_record(line: bytes) -> ClassifyRecord:
    """One line of `RUNNER classify`; `MessageError` if it is none."""
    return _decode(_CLASSIFY_RECORD, line)


def decode_verify_record(line: bytes) -> VerifyRecord:
    """One line of `RUNNER verify`; `MessageError` if it is none."""
    return _decode(_VERIFY_RECORD, line)


def encode_line(message: msgspec.Struct | dict[str, Any]) -> bytes:
    """A message as one line of JSON, with its line feed."""
    return _ENCODER.encode(message) + b"\n"


def _decode[T](decoder: msgspec.json.Decoder[T], line: bytes) -> T:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        shown = line[:80].decode("utf-8", "replace").strip()
        more = "…" if len(line) > 80 else ""
        raise MessageError(
            f"the runner wrote {shown + more!r}, which is no message of the protocol"
            f" ({str(error).rstrip('.')})"
        ) from error
