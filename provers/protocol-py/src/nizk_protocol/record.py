"""Records on standard output, one JSON object a line."""

import json
import os
import time
from collections.abc import Mapping

#: Version of the protocol.
PROTOCOL = 1

#: How long records of samples may be held, in nanoseconds: waking the reader disturbs the next
#: sample, so it is not done after each.
_LONGEST_HELD = 100_000_000


class Output:
    """Standard output. Lines written together reach the reader together."""

    def __init__(self, descriptor: int = 1) -> None:
        self._descriptor = descriptor
        self._pending: list[str] = []
        self._flushed = time.monotonic_ns()

    def push(self, record: Mapping[str, object]) -> None:
        """Hold a record until the next flush."""
        self._pending.append(json.dumps(record, ensure_ascii=False) + "\n")

    def flush(self) -> None:
        """Hand all held records to the reader; `OSError` if there is none any more."""
        rest = "".join(self._pending).encode()
        self._pending.clear()
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        self._flushed = time.monotonic_ns()

    def flush_if_due(self) -> None:
        """Hand them over if that was last done long ago."""
        if time.monotonic_ns() - self._flushed >= _LONGEST_HELD:
            self.flush()
