"""The system as the protocol sees it: what it says of itself, and its loop around `scheme.py`."""

from nizk_protocol import (
    Configuration,
    Field,
    MimcPublicInput,
    Properties,
    PublicInput,
    Rejection,
    Seed,
    Session,
    Size,
    Statement,
    System,
    SystemDescription,
    Variant,
    Verdict,
    Verifier,
    mimc,
    rejected,
)

from .scheme import Instance, prove, verify

#: Order of the field of the statement, until it is the library's own.
ORDER = 2**64 - 2**32 + 1

#: Every word of this is printed in tables: EXTENDING.md says what each must be.
DESCRIPTION = SystemDescription(
    system="newcomer/scheme/f64",
    scheme="scheme",
    curve=None,
    field=Field("f64", ORDER),
    properties=Properties(
        trusted_setup="none",
        transparent=True,
        post_quantum=False,
        zero_knowledge="no",
        zero_knowledge_source="not said yet: quote the library, and where it stands",
        assumptions="not said yet",
        no_batches="not said yet: whether it verifies many proofs in one call, and what says so",
    ),
    phases={"prove": ("compile", "witness"), "verify": ("compile",)},
    absent_phases={"setup": "not said yet: time it, or say why the scheme has none"},
    statements=(
        Statement(
            mimc.STATEMENT,
            mimc.SIZE,
            mimc.MINIMUM_ROUNDS,
            mimc.MAXIMUM_ROUNDS,
            (Variant("constants", ("public",), "public"),),
        ),
    ),
    proof_size="constant",
    threads_maximum=1,
    threads_how="it computes on one thread",
)


class Measured(System):
    """One library, scheme and field."""

    @property
    def description(self) -> SystemDescription:
        """What the system says of itself."""
        return DESCRIPTION

    def open(self, configuration: Configuration, seed: Seed) -> Session:
        """Begin one configuration."""
        return Proving(configuration, seed)

    def verifier(self, configuration: Configuration, verifying_key: bytes) -> Verifier:
        """Prepare the key of another process; the scheme has none."""
        del configuration
        if verifying_key:
            raise Rejection("the scheme has no verifying key, and there is one")
        return Verifying()


class Proving(Session):
    """One configuration at work."""

    def __init__(self, configuration: Configuration, seed: Seed) -> None:
        self._seed = seed
        self._constants = tuple(mimc.constants(seed, configuration.size, ORDER))
        self._instance = Instance((), (0, 0), 0)
        self._proof = b""

    def load_instance(self, index: int) -> None:
        """Derive an instance."""
        self._proof = b""
        halves = mimc.preimage(self._seed, index, ORDER)
        image = mimc.image(self._constants, *halves, ORDER)
        self._instance = Instance(self._constants, halves, image)

    def prove(self) -> None:
        """Leave the serialised proof."""
        self._proof = prove(self._instance)

    def verify(self) -> Verdict:
        """Judge it."""
        try:
            return verify(self._constants, self._instance.image, self._proof)
        except Rejection as rejection:
            return rejected(str(rejection))

    def proof(self) -> bytes:
        """The serialised proof."""
        return self._proof

    def verifying_key(self) -> bytes:
        """The scheme has none."""
        return b""

    def public_input(self) -> PublicInput:
        """The public input of the loaded instance."""
        return MimcPublicInput(self._instance.image, self._constants)

    def sizes(self) -> list[Size]:
        """Sizes that are the same for every proof."""
        return [Size("proof", "native", len(self._proof))]


class Verifying(Verifier):
    """The verifier of another process."""

    def verify(self, public_input: PublicInput, proof: bytes) -> Verdict:
        """Judge a proof."""
        if not isinstance(public_input, MimcPublicInput):
            return rejected("the public input is not that of mimc-preimage")
        return verify(public_input.constants, public_input.image, proof)
