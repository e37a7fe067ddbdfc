"""Why a request ends without `done`, and why a file is rejected."""

from typing import Literal

FailureKind = Literal["invalid-request", "unsupported", "out-of-memory", "timeout", "internal"]

#: Longest part of an exception's message that goes into a record, in characters.
_QUOTED_CHARACTERS = 300


class Failure(Exception):  # noqa: N818 - what PROTOCOL.md calls it
    """A failure that is answered with an `error` record.

    `message` is one sentence with the name, the value given and what is legal; `option` the member
    at fault, such as `queries` or `size.rounds`; `rule` what an unsupported configuration breaks,
    a name in kebab case that stays the same whatever the values are.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        option: str | None = None,
        rule: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.option = option
        self.rule = rule

    @classmethod
    def invalid_request(cls, option: str | None, message: str) -> "Failure":
        """A request that breaks a rule of the protocol or of the description."""
        return cls("invalid-request", message, option)

    @classmethod
    def unsupported(cls, rule: str, option: str, message: str) -> "Failure":
        """A request legal by itself that cannot be carried out in this combination."""
        return cls("unsupported", message, option, rule)

    @classmethod
    def internal(cls, message: str) -> "Failure":
        """A library that failed where it should not."""
        return cls("internal", message)

    @classmethod
    def out_of_memory(cls, message: str) -> "Failure":
        """A library that had not enough memory."""
        return cls("out-of-memory", message)


class Rejection(Exception):  # noqa: N818 - a verdict, not an error
    """A proof, key or public input that cannot be used, for a reason in one sentence."""


def in_one_line(thrown: BaseException) -> str:
    """What was raised, in words on one line."""
    words = " ".join(str(thrown).split())
    name = type(thrown).__name__
    return (f"{name}: {words}" if words else name)[:_QUOTED_CHARACTERS]
