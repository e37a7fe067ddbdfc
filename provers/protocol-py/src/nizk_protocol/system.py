"""What a runner implements: a System that opens Sessions, and prepares Verifiers from keys."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nizk_protocol.configuration import Configuration
from nizk_protocol.description import SystemDescription
from nizk_protocol.public_input import PublicInput
from nizk_protocol.seed import Seed


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verifier says about a proof; why in one sentence, empty when accepted."""

    accepted: bool
    reason: str = ""


ACCEPTED = Verdict(True)


def rejected(reason: str) -> Verdict:
    """A rejection with its reason."""
    return Verdict(False, reason)


@dataclass(frozen=True, slots=True)
class Size:
    """The size of something serialised, in bytes."""

    of: Literal["proof", "verifying_key", "proving_key", "public_input", "witness", "commitments"]
    encoding: Literal["compressed", "uncompressed", "native"]
    bytes: int


@dataclass(frozen=True, slots=True)
class Counter:
    """A number that explains a time, by one of the names in PROTOCOL.md."""

    name: str
    value: int | float


@dataclass(frozen=True, slots=True)
class Security:
    """A level of security in bits, and where the figure comes from."""

    kind: Literal["conjectured", "proven-unique-decoding", "proven-list-decoding"]
    bits: float
    source: str


class Session(ABC):
    """One configuration at work.

    The loop calls `compile` and `setup` once, then `load_instance`, `witness`, `prove`, `verify`
    for each sample. Only the phases that the description names are timed; the others default to
    nothing, because some timed phase contains them.
    """

    def compile(self) -> None:  # noqa: B027 - a phase that a system does not have
        """Source circuit to constraint system."""

    def setup(self) -> None:  # noqa: B027 - a phase that a system does not have
        """Constraint system to keys, or generators; the verifying key is prepared here."""

    @abstractmethod
    def load_instance(self, index: int) -> None:
        """Derive an instance and drop what the last sample left behind. Never timed."""

    def witness(self) -> None:  # noqa: B027 - a phase that a system does not have
        """Instance to full assignment or trace."""

    @abstractmethod
    def prove(self) -> None:
        """Leave the serialised proof. Called again for an instance only after `witness`."""

    @abstractmethod
    def verify(self) -> Verdict:
        """Judge the serialised proof with the prepared verifying key; many times for one proof."""

    @abstractmethod
    def proof(self) -> bytes:
        """The serialised proof, exactly the bytes its size is counted by."""

    @abstractmethod
    def verifying_key(self) -> bytes:
        """What a verifier must hold, as the library serialises it, without the header."""

    @abstractmethod
    def public_input(self) -> PublicInput:
        """The public input of the loaded instance."""

    @abstractmethod
    def sizes(self) -> Sequence[Size]:
        """Sizes that are the same for every proof; asked once, after the first counted sample."""

    def counters(self) -> Sequence[Counter]:
        """Counters that are the same for every proof; the loop itself adds `threads`."""
        return ()

    def security(self) -> Sequence[Security]:
        """Levels of security; asked once, after the first counted sample."""
        return ()

    def sample_sizes(self) -> Sequence[Size]:
        """Sizes that vary from proof to proof; asked after every sample that made a proof."""
        return ()

    def sample_counters(self) -> Sequence[Counter]:
        """Counters that vary from proof to proof; asked after every sample that made a proof."""
        return ()


class Verifier(ABC):
    """A prepared verifying key."""

    @abstractmethod
    def verify(self, public_input: PublicInput, proof: bytes) -> Verdict:
        """Judge a proof.

        Neither argument is to be trusted, except that the public input has the statement, the size
        and the canonical elements that the request asks for.
        """


class System(ABC):
    """One library, version, scheme and field or curve."""

    @property
    @abstractmethod
    def description(self) -> SystemDescription:
        """What `describe` prints and requests are validated against."""

    def legal(self, configuration: Configuration) -> None:  # noqa: B027 - most can prove all
        """Raise `Failure.unsupported` for combinations that no single range can exclude.

        Nothing is computed here beyond that, since `classify` asks it of whole grids.
        """

    @abstractmethod
    def open(self, configuration: Configuration, seed: Seed) -> Session:
        """Begin one configuration, which is legal. Never timed."""

    @abstractmethod
    def verifier(self, configuration: Configuration, verifying_key: bytes) -> Verifier:
        """Prepare the verifying key of another process: what stands after the header.

        The bytes are not to be trusted. `Rejection` for a key that cannot be used.
        """
