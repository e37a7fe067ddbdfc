"""Requests one after another, each answered before the next is read."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO

from nizk_protocol.failure import Failure, in_one_line
from nizk_protocol.record import Output
from nizk_protocol.request import LONGEST_LINE, Envelope
from nizk_protocol.strict_json import quoted


def answer_all(input_: BinaryIO, output: Output, carry_out: Callable[[Envelope], None]) -> bool:
    """Answer every request of a stream; whether none of them failed.

    `carry_out` pushes the records of a request, the last one too, unless it raises; then the last
    one is the error.
    """
    ids: set[str] = set()
    none_failed = True
    for line in _lines(input_):
        name = None
        try:
            envelope = Envelope(line)
            name = envelope.id
            if name in ids:
                raise Failure.invalid_request(
                    "id",
                    f"id is {quoted(name)}, which an earlier request of this process had, legal is"
                    " one of its own",
                )
            ids.add(name)
            carry_out(envelope)
        except BrokenPipeError:
            raise  # nobody reads the records any more, which is no failure of a request
        except Exception as thrown:
            none_failed = False
            failure = _failure_of(thrown)
            record = {
                "type": "error",
                "id": name,
                "kind": failure.kind,
                "message": failure.message,
                "option": failure.option,
            }
            output.push(record if failure.rule is None else record | {"rule": failure.rule})
        output.flush()
    return none_failed


def _lines(input_: BinaryIO) -> Iterator[bytes]:
    """Lines without their ends; of one that is too long only so much as shows that it is."""
    while line := input_.readline(LONGEST_LINE + 2):
        if not line.endswith(b"\n") and len(line) > LONGEST_LINE:
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = input_.readline(LONGEST_LINE)
        yield line.removesuffix(b"\n")


def _failure_of(thrown: Exception) -> Failure:
    """What was raised as the failure of a request; one that nobody expected is logged."""
    if isinstance(thrown, Failure):
        return thrown
    if isinstance(thrown, MemoryError):
        return Failure.out_of_memory("the library asked for more memory than there is")
    message = f"exception: {in_one_line(thrown)}"
    with contextlib.suppress(OSError):
        print(message, file=sys.stderr)
    return Failure.internal(message)
