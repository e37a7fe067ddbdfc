"""A system that proves nothing, for the tests: its proof is the witness itself.

It keeps the whole protocol, so that the conformance suite finds nothing; its option `fault` makes
it fail in the ways that the loop has to survive.
"""

import hashlib
import sys
import time

from nizk_protocol import (
    ACCEPTED,
    ChoiceOption,
    Configuration,
    Counter,
    Failure,
    Field,
    HashPublicInput,
    IntegerOption,
    Library,
    MimcPublicInput,
    Properties,
    PublicInput,
    Rejection,
    Runner,
    Security,
    Seed,
    Session,
    Size,
    Statement,
    System,
    SystemDescription,
    Variant,
    Verdict,
    Verifier,
    hash_preimage,
    main,
    mimc,
    rejected,
)

ORDER = 2**64 - 2**32 + 1
_WIDTH = 8  # bytes of an element

_DESCRIPTION = SystemDescription(
    system="toy/nothing/f64",
    scheme="nothing",
    curve=None,
    field=Field("f64", ORDER),
    properties=Properties(
        trusted_setup="none",
        transparent=True,
        post_quantum=True,
        zero_knowledge="no",
        zero_knowledge_source="the proof is the witness",
        assumptions="none",
        no_batches="a toy has no batches",
    ),
    phases={"setup": (), "witness": (), "prove": (), "verify": ()},
    absent_phases={"compile": "there is no circuit"},
    statements=(
        Statement(
            mimc.STATEMENT,
            mimc.SIZE,
            mimc.MINIMUM_ROUNDS,
            mimc.MAXIMUM_ROUNDS,
            (
                Variant("constants", ("fixed", "public"), "fixed"),
                Variant("preimage", ("witness", "public"), "witness"),
            ),
        ),
        Statement(
            hash_preimage.STATEMENT,
            hash_preimage.SIZE,
            hash_preimage.MINIMUM_BYTES,
            hash_preimage.MAXIMUM_BYTES,
            (Variant("function", ("sha256",), "sha256"),),
        ),
    ),
    proof_size="constant",
    threads_maximum=1,
    threads_how="it computes on one thread",
    options=(
        IntegerOption("milliseconds", 0, 1000, 0, "how long a proof takes"),
        IntegerOption("power", 2, 16, 4, "a number of which few are legal", (2, 4, 8, 16)),
        ChoiceOption("coat", ("plain", "dyed"), "plain", "nothing that a proof shows"),
    ),
)

#: What the option `fault` may be; only the tests of this package have it described.
FAULTS = ("none", "unsupported", "raise-setup", "raise-prove", "raise-verifier", "wrong", "memory")


class Toy(System):
    """The system; `faulty` if it has the option `fault`."""

    def __init__(self, faulty: bool) -> None:
        fault = ChoiceOption("fault", FAULTS, "none", "how it fails")
        options = (*_DESCRIPTION.options, fault) if faulty else _DESCRIPTION.options
        members = {name: getattr(_DESCRIPTION, name) for name in _DESCRIPTION.__slots__}
        self._description = SystemDescription(**members | {"options": options})

    @property
    def description(self) -> SystemDescription:
        return self._description

    def legal(self, configuration: Configuration) -> None:
        if _fault(configuration) == "unsupported":
            raise Failure.unsupported(
                "fault-of-the-toy", "fault", "fault is unsupported, which is unsupported"
            )

    def open(self, configuration: Configuration, seed: Seed) -> Session:
        return ToySession(configuration, seed)

    def verifier(self, configuration: Configuration, verifying_key: bytes) -> Verifier:
        if verifying_key != b"toy":
            raise Rejection("the verifying key is not three letters long")
        return ToyVerifier(configuration)


class ToySession(Session):
    def __init__(self, configuration: Configuration, seed: Seed) -> None:
        self._configuration = configuration
        self._seed = seed
        self._index = 0
        self._witness = b""
        self._proof = b""
        self._proofs = 0
        self._constants = (
            tuple(mimc.constants(seed, configuration.size, ORDER))
            if configuration.statement == mimc.STATEMENT
            else ()
        )

    def setup(self) -> None:
        if _fault(self._configuration) == "raise-setup":
            raise RuntimeError("the toy broke\nin its setup")
        if _fault(self._configuration) == "memory":
            bytearray(2**62)

    def load_instance(self, index: int) -> None:
        self._index, self._proof = index, b""

    def witness(self) -> None:
        if self._configuration.statement == mimc.STATEMENT:
            halves = mimc.preimage(self._seed, self._index, ORDER)
            self._witness = b"".join(half.to_bytes(_WIDTH) for half in halves)
        else:
            size = self._configuration.size
            self._witness = hash_preimage.message(self._seed, self._index, size)

    def prove(self) -> None:
        if _fault(self._configuration) == "raise-prove" and self._proofs == 2:
            raise RuntimeError("the toy broke in proof 2")
        time.sleep(self._configuration.option_integer("milliseconds") / 1000)
        self._proofs += 1
        wrong = _fault(self._configuration) == "wrong"
        self._proof = bytes(len(self._witness)) if wrong else self._witness

    def verify(self) -> Verdict:
        return ToyVerifier(self._configuration).verify(self.public_input(), self._proof)

    def proof(self) -> bytes:
        return self._proof

    def verifying_key(self) -> bytes:
        return b"toy"

    def public_input(self) -> PublicInput:
        if self._configuration.statement != mimc.STATEMENT:
            message = hash_preimage.message(self._seed, self._index, self._configuration.size)
            return HashPublicInput(hashlib.sha256(message).digest())
        left, right = mimc.preimage(self._seed, self._index, ORDER)
        image = mimc.image(self._constants, left, right, ORDER)
        shown = self._configuration.variant["preimage"] == "public"
        return MimcPublicInput(image, self._constants, (left, right) if shown else None)

    def sizes(self) -> list[Size]:
        return [Size("proof", "native", len(self._proof)), Size("verifying_key", "native", 3)]

    def counters(self) -> list[Counter]:
        return [Counter("constraints", self._configuration.option_integer("power"))]

    def security(self) -> list[Security]:
        return [Security("conjectured", 0.5, "a toy")]

    def sample_counters(self) -> list[Counter]:
        return [Counter("pow_nonce", self._proofs)]


class ToyVerifier(Verifier):
    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    def verify(self, public_input: PublicInput, proof: bytes) -> Verdict:
        if _fault(self._configuration) == "raise-verifier":
            raise RuntimeError("the toy broke")
        if isinstance(public_input, HashPublicInput):
            known = hashlib.sha256(proof).digest() == public_input.digest
            return ACCEPTED if known else rejected("the message has another digest")
        if len(proof) != 2 * _WIDTH:
            return rejected("the proof is not two field elements")
        left, right = int.from_bytes(proof[:_WIDTH]), int.from_bytes(proof[_WIDTH:])
        if max(left, right) >= ORDER:
            return rejected("the proof is not two field elements")
        if public_input.preimage not in (None, (left, right)):
            return rejected("the public preimage is another one")
        image = mimc.image(public_input.constants, left, right, ORDER)
        return ACCEPTED if image == public_input.image else rejected("the image is another one")


def _fault(configuration: Configuration) -> int | str:
    return configuration.options.get("fault", "none")


if __name__ == "__main__":
    faulty = sys.argv[1:2] == ["--faulty"]
    toy = Runner("toy", Library("toy", "0.0.0"), [Toy(faulty)])
    sys.exit(main(toy, sys.argv[2:] if faulty else sys.argv[1:]))
