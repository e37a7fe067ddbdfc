"""The two functions that only the library can carry out. Everything else is `system.py`."""

from collections.abc import Sequence
from dataclasses import dataclass

from nizk_protocol import Failure, Rejection, Verdict


@dataclass(frozen=True, slots=True)
class Instance:
    """What is proven: that somebody knows the preimage of the image under these constants."""

    constants: Sequence[int]
    preimage: tuple[int, int]
    image: int


def prove(instance: Instance) -> bytes:
    """The serialised proof of an instance; timed as `prove`."""
    del instance
    raise Failure.unsupported(
        "not-implemented",
        "system",
        "proving is not implemented yet: write the function prove in"
        " provers/newcomer/src/nizk_newcomer/scheme.py",
    )


def verify(constants: Sequence[int], image: int, proof: bytes) -> Verdict:
    """Whether a serialised proof convinces; timed as `verify`.

    The bytes are not to be trusted: a proof that cannot be read is a rejection, and so are bytes
    left over behind it.
    """
    del constants, image, proof
    raise Rejection(
        "verifying is not implemented yet: write the function verify in"
        " provers/newcomer/src/nizk_newcomer/scheme.py"
    )
