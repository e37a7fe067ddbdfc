"""Seeds and what follows from them; the definitions are in STATEMENTS.md."""

import hashlib
import re
from dataclasses import dataclass

_TEXT = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Seed:
    """The 32 bytes from which everything random in a statement follows."""

    content: bytes

    @classmethod
    def parse(cls, text: str) -> "Seed | None":
        """Read 64 lower-case hexadecimal digits; nothing else is a seed."""
        return cls(bytes.fromhex(text)) if _TEXT.fullmatch(text) else None

    def digest(self, label: str, index: int) -> bytes:
        """The 64 bytes that a field reduces to `element(label, seed, index)`."""
        named = b"nizk-bench/v1\0" + label.encode("ascii") + b"\0"
        return hashlib.sha512(named + self.content + index.to_bytes(8, "little")).digest()

    def element(self, label: str, index: int, order: int) -> int:
        """`element(label, seed, index)` in the prime field of that order."""
        return int.from_bytes(self.digest(label, index), "little") % order
