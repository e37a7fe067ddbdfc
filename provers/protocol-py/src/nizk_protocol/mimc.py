"""`mimc-preimage` over any prime field: what follows from a seed, and its public input."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nizk_protocol.configuration import Configuration
from nizk_protocol.seed import Seed
from nizk_protocol.strict_json import Json, Members

#: Name of the statement and of its size, and the fewest and most rounds.
STATEMENT = "mimc-preimage"
SIZE = "rounds"
MINIMUM_ROUNDS = 7
MAXIMUM_ROUNDS = 16383

_ELEMENT = re.compile(r"0x(0|[1-9a-f][0-9a-f]{0,63})")
_LEGAL = "an element: 0x and lower-case hexadecimal digits without leading zeros, below the order"


def constants(seed: Seed, rounds: int, order: int) -> list[int]:
    """The round constants of a seed."""
    return [seed.element("mimc/constant", index, order) for index in range(rounds)]


def preimage(seed: Seed, index: int, order: int) -> tuple[int, int]:
    """The preimage (left, right) of an instance."""
    return seed.element("mimc/left", index, order), seed.element("mimc/right", index, order)


def image(constants: Sequence[int], left: int, right: int, order: int) -> int:
    """The left half after the last of the rounds (l, r) ↦ (r + (l + c)³, l)."""
    for constant in constants:
        left, right = (right + pow(left + constant, 3, order)) % order, left
    return left


@dataclass(frozen=True, slots=True)
class MimcPublicInput:
    """Image and constants, each below the order; the preimage under `preimage=public` alone."""

    image: int
    constants: tuple[int, ...]
    preimage: tuple[int, int] | None = None

    def file(self, configuration: Configuration) -> dict[str, Any]:
        """The file of STATEMENTS.md."""
        members: dict[str, Any] = {
            "statement": configuration.statement,
            SIZE: configuration.size,
            "image": hex(self.image),
            "constants": [hex(constant) for constant in self.constants],
        }
        if self.preimage is not None:
            members["preimage"] = [hex(half) for half in self.preimage]
        return members

    def constants_of_key(self, configuration: Configuration) -> tuple[int, ...]:
        """The round constants where the circuit has fixed them."""
        return self.constants if configuration.variant.get("constants") == "fixed" else ()

    @classmethod
    def read(cls, members: Members, configuration: Configuration, order: int) -> "MimcPublicInput":
        """Take the members of a file of another process; `Failure` for what is not as written."""
        members.choice("statement", [STATEMENT])
        members.integer(SIZE, configuration.size, configuration.size)
        image = _element(members, "image", members.require("image", _LEGAL), order)
        constants = _elements(members, "constants", configuration.size, order)
        halves = None
        if configuration.variant.get("preimage") == "public":
            left, right = _elements(members, "preimage", 2, order)
            halves = (left, right)
        members.finish(f"statement, {SIZE}, image, constants" + (", preimage" if halves else ""))
        return cls(image, constants, halves)


def _elements(members: Members, name: str, count: int, order: int) -> tuple[int, ...]:
    legal = f"an array of {count} elements"
    given = members.require(name, legal)
    if not isinstance(given, list) or len(given) != count:
        raise members.wrong(name, given, legal)
    return tuple(_element(members, name, one, order) for one in given)


def _element(members: Members, name: str, given: Json, order: int) -> int:
    if isinstance(given, str) and _ELEMENT.fullmatch(given) and (found := int(given, 16)) < order:
        return found
    raise members.wrong(name, given, _LEGAL)
