"""`hash-preimage`: the message of an instance, and the public input."""

import re
from dataclasses import dataclass
from typing import Any

from nizk_protocol.configuration import Configuration
from nizk_protocol.seed import Seed
from nizk_protocol.strict_json import Members

#: Name of the statement and of its size, and the fewest and most bytes.
STATEMENT = "hash-preimage"
SIZE = "bytes"
MINIMUM_BYTES = 1
MAXIMUM_BYTES = 4096

#: Functions whose digest is an element of BN254's scalar field, and the order of that field.
_OVER_ELEMENTS = ("mimc-sponge", "mimc-7", "poseidon")
_BN254_ORDER = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001

_DIGEST = re.compile(r"[0-9a-f]{64}")
_LEGAL = "64 lower-case hexadecimal digits"


def message(seed: Seed, index: int, size: int) -> bytes:
    """The message of an instance: the first bytes of the digests labelled `hash/message/0`, …."""
    parts = [seed.digest(f"hash/message/{part}", index) for part in range((size + 63) // 64)]
    return b"".join(parts)[:size]


@dataclass(frozen=True, slots=True)
class HashPublicInput:
    """A digest that is public: its 32 bytes."""

    digest: bytes

    def file(self, configuration: Configuration) -> dict[str, Any]:
        """The file of STATEMENTS.md."""
        return {
            "statement": configuration.statement,
            "function": configuration.variant["function"],
            SIZE: configuration.size,
            "digest": self.digest.hex(),
        }

    def constants_of_key(self, configuration: Configuration) -> tuple[int, ...]:
        """The statement has no constants."""
        del configuration
        return ()

    @classmethod
    def read(cls, members: Members, configuration: Configuration, order: int) -> "HashPublicInput":
        """Take the members of a file of another process; `Failure` for what is not as written."""
        del order
        function = configuration.variant["function"]
        members.choice("statement", [STATEMENT])
        members.choice("function", [function])
        members.integer(SIZE, configuration.size, configuration.size)
        digits = members.text("digest", _LEGAL)
        if not _DIGEST.fullmatch(digits):
            raise members.wrong("digest", digits, _LEGAL)
        if function in _OVER_ELEMENTS and int(digits, 16) >= _BN254_ORDER:
            legal = f"an element below the order of the field of {function}"
            raise members.wrong("digest", digits, legal)
        members.finish(f"statement, function, {SIZE}, digest")
        return cls(bytes.fromhex(digits))
