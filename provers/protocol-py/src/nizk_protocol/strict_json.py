"""JSON read without losing what `json.loads` would, and its members taken out one by one.

A member given twice is refused, `NaN` and lone surrogates are, and `15.0` is not the integer 15.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import NoReturn

from nizk_protocol.failure import Failure

#: A JSON value. Objects are dictionaries; a number written as an integer is an int.
type Json = bool | int | float | str | list[Json] | dict[str, Json] | None

#: Longest quotation of a value in a message, in characters.
_QUOTED_CHARACTERS = 80

#: More digits than any legal number has; Python refuses to read a few thousand.
_MOST_DIGITS = 400


class JsonError(ValueError):
    """A text that is no JSON, with what is wrong in words."""


def parse_json(text: str) -> Json:
    """Read a JSON text whole; `JsonError` says what is wrong."""
    try:
        value: Json = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_no_constant,
            parse_int=_integer,
            parse_float=_number,
        )
    except JsonError:
        raise
    except RecursionError:
        raise JsonError("it is nested too deeply") from None
    except ValueError as error:
        raise JsonError(str(error)) from None
    _refuse_lone_surrogates(text, value)
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise JsonError(f"member {quoted(twice)} is given twice")
    return members


def _no_constant(text: str) -> NoReturn:
    raise JsonError(f"{text} is no number of JSON")


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise JsonError("a number has too many digits")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise JsonError("a number is too large")
    return value


def _refuse_lone_surrogates(text: str, value: Json) -> None:
    """An escape can write half of a character, which no answer could repeat."""
    if "\\u" not in text:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise JsonError("a text holds half of a character") from None


def shown(value: Json) -> str:
    """A value as a message quotes it."""
    match value:
        case str():
            return quoted(value)
        case list():
            return f"an array of {len(value)}"
        case dict():
            return f"an object of {len(value)}"
        case _:
            return json.dumps(value)


def quoted(text: str) -> str:
    """A text in quotation marks, cut off where it is long."""
    cut = text[:_QUOTED_CHARACTERS]
    return json.dumps(cut if cut == text else f"{cut}…", ensure_ascii=False)


def within(minimum: int, maximum: int) -> str:
    """A range in words."""
    return f"an integer from {minimum} to {maximum}"


def listed(values: Sequence[str | int]) -> str:
    """Names in words."""
    return ", ".join(map(str, values)) or "none"


def is_integer(value: Json) -> bool:
    """Whether a value was written as an integer: `true` and `15.0` were not."""
    return isinstance(value, int) and not isinstance(value, bool)


class Members:
    """The members of an object, taken out one by one; `prefix` stands before names in messages."""

    def __init__(self, prefix: str, members: Mapping[str, Json]) -> None:
        self._prefix = prefix
        self._members = dict(members)

    @classmethod
    def of(cls, value: Json) -> "Members":
        """The members of a request or of a file, which is an object."""
        if isinstance(value, dict):
            return cls("", value)
        raise Failure.invalid_request(None, f"the line is {shown(value)}, legal is a JSON object")

    def __contains__(self, name: str) -> bool:
        """Whether a member is there and was not taken yet."""
        return name in self._members

    def object(self, name: str) -> "Members":
        """The object that stands as member `name`; empty where it is missing."""
        if name not in self:
            return Members(f"{self._prefix}{name}.", {})
        value = self._members.pop(name)
        if isinstance(value, dict):
            return Members(f"{self._prefix}{name}.", value)
        raise self.wrong(name, value, "an object")

    def require(self, name: str, legal: str) -> Json:
        """Take out a member that has to be there."""
        if name not in self:
            full = f"{self._prefix}{name}"
            raise Failure.invalid_request(full, f"member {full} is missing, legal is {legal}")
        return self._members.pop(name)

    def text(self, name: str, legal: str) -> str:
        """Take out a text that has to be there."""
        value = self.require(name, legal)
        if isinstance(value, str):
            return value
        raise self.wrong(name, value, legal)

    def integer(self, name: str, minimum: int, maximum: int) -> int:
        """Take out an integer of a range that has to be there."""
        legal = within(minimum, maximum)
        value = self.require(name, legal)
        if isinstance(value, int) and is_integer(value) and minimum <= value <= maximum:
            return value
        raise self.wrong(name, value, legal)

    def choice[T: str](self, name: str, values: Sequence[T]) -> T:
        """Take out one of several names that has to be there."""
        value = self.require(name, listed(values))
        for one in values:
            if value == one:
                return one
        raise self.wrong(name, value, listed(values))

    def wrong(self, name: str, value: Json, legal: str) -> Failure:
        """The failure of a member whose value is not legal."""
        full = f"{self._prefix}{name}"
        return Failure.invalid_request(full, f"{full} is {shown(value)}, legal is {legal}")

    def finish(self, legal: str) -> None:
        """Refuse members that nobody took."""
        for name in self._members:
            full = f"{self._prefix}{name}"
            raise Failure.invalid_request(
                full[:_QUOTED_CHARACTERS],
                f"member {quoted(full)} is unknown, legal members are {legal}",
            )
