"""What the harness has to know of a statement: its public input, and the ways to falsify it.

One class a statement of `provers/STATEMENTS.md`; everything else in the harness is the same for all
of them.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from nizkbench import hash_reference, layout, range_reference, reference
from nizkbench.errors import NizkBenchError
from nizkbench.messages import RunRequest, Statement, System, Variant
from nizkbench.tampering import Artifacts, Tampering, flip_bit

PublicInput = Mapping[str, Any]


class StatementDefinition(ABC):
    """A statement as the harness sees it, apart from any system that proves it."""

    NAME: ClassVar[str]

    #: A size at which every system is quick, and one at which a second thread has work to do.
    SMALL: ClassVar[int]
    LARGER: ClassVar[int]

    def quick_variant(self, statement: Statement) -> dict[str, str]:
        """The variant with the smallest circuit, where that differs from the system's defaults."""
        del statement
        return {}

    @abstractmethod
    def public_input(self, system: System, request: RunRequest, instance: int) -> PublicInput:
        """The public input of an instance as the reference computes it.

        `NizkBenchError` if the reference does not know the system's field, or has another one.
        """

    @abstractmethod
    def wrong_public_inputs(self, artifacts: Artifacts, order: int) -> dict[str, list[Tampering]]:
        """Well-formed public inputs that no proof is of, by the name of the check.

        `order` is that of the field that the system states the statement over.
        """

    @abstractmethod
    def misshapen_public_inputs(self, artifacts: Artifacts, order: int) -> list[Tampering]:
        """Public inputs that nobody would write: values out of range, members missing."""

    @abstractmethod
    def known_answers(self, system: System) -> Iterator[tuple[dict[str, Any], PublicInput]]:
        """What `data/vectors/` knows that the system may prove.

        Members of the request that differ from the defaults, and members of the public input.
        """

    @abstractmethod
    def answered(self, public: PublicInput) -> PublicInput:
        """What a runner's public input says of the members that known answers have."""

    @abstractmethod
    def differs_by_seed(self, one: PublicInput, other: PublicInput) -> bool:
        """Whether two public inputs have nothing in common that follows from the seed."""

    def _variant(self, system: System, name: str) -> Variant:
        """A variant as a system describes it; `NizkBenchError` where it has none of the name."""
        for variant in system.statement(self.NAME).variants:
            if variant.name == name:
                return variant
        raise NizkBenchError(f"{system.system} describes no variant {name} of {self.NAME}")

    def vectors(self) -> dict[str, Any]:
        """The committed known answers of the statement."""
        path = layout.root() / "data" / "vectors" / f"{self.NAME}.json"
        read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return read


class MimcPreimage(StatementDefinition):
    """`mimc-preimage(rounds)`."""

    NAME = "mimc-preimage"
    SMALL = 15
    LARGER = 1023

    #: The member of the public input that each check changes.
    _PARTS: ClassVar[Mapping[str, str]] = {
        "reject-wrong-image": "image",
        "reject-wrong-constants": "constants",
        "reject-wrong-preimage": "preimage",
    }

    def public_input(self, system: System, request: RunRequest, instance: int) -> PublicInput:
        """Image and constants, and the preimage where it is public."""
        field, rounds = system.field.name, request.size["rounds"]
        if reference.field_modulus(field) != system.field.order:
            raise NizkBenchError(f"{field} has another modulus")
        known = reference.mimc_instance(field, rounds, bytes.fromhex(request.seed), instance)
        found: dict[str, Any] = {
            "statement": self.NAME,
            "rounds": rounds,
            "image": hex(known.image),
            "constants": [hex(constant) for constant in known.constants],
        }
        if request.variant.get("preimage") == "public":
            found["preimage"] = [hex(known.left), hex(known.right)]
        return found

    def wrong_public_inputs(self, artifacts: Artifacts, order: int) -> dict[str, list[Tampering]]:
        """Elements changed in three places: by one, and to the order less them."""
        public = artifacts.public_input
        found: dict[str, list[Tampering]] = {}
        for check, member in self._PARTS.items():
            if member not in public:
                continue
            part = public[member]
            elements = [part] if isinstance(part, str) else part
            found[check] = [
                Tampering(f"{member} {where}: {what}", replace(artifacts, public_input=changed))
                for where in sorted({0, len(elements) // 2, len(elements) - 1})
                for what, other in _other_elements(elements[where], order)
                for changed in [_with(public, member, where, other)]
            ]
        return found

    def misshapen_public_inputs(self, artifacts: Artifacts, order: int) -> list[Tampering]:
        """Elements that are not reduced or no numbers, members missing, too many or too few."""
        public = artifacts.public_input
        constants = public["constants"]
        image = int(public["image"], 16)
        return _broken(
            artifacts,
            {
                "an image that is not reduced": {"image": hex(image + order)},
                "an image that is no number": {"image": "forty-two"},
                "an image without its prefix": {"image": format(image, "x")},
                "a constant too few": {"constants": constants[:-1]},
                "a constant too many": {"constants": [*constants, "0x1"]},
                "no constants": {"constants": []},
                "another number of rounds": {"rounds": len(constants) + 1},
            },
            missing="image",
        )

    def known_answers(self, system: System) -> Iterator[tuple[dict[str, Any], PublicInput]]:
        """Those over the system's field; `NizkBenchError` if its order is another one."""
        vectors = self.vectors()
        order = vectors["fields"].get(system.field.name)
        if order != system.field.modulus:
            raise NizkBenchError(
                f"{system.field.name} is {order} in the known answers, {system.field.modulus} here"
            )
        for answer in vectors["answers"]:
            if answer["field"] == system.field.name:
                members = {
                    "size": {"rounds": answer["rounds"]},
                    "seed": answer["seed"],
                    "first_instance": answer["instance"],
                }
                yield (
                    members,
                    {
                        "image": answer["image"],
                        "first_constant": answer["first_constant"],
                        "last_constant": answer["last_constant"],
                        "rounds": answer["rounds"],
                        "constants": answer["rounds"],
                    },
                )

    def answered(self, public: PublicInput) -> PublicInput:
        """Image, first and last constant, the rounds that it names, the number of constants."""
        constants = public["constants"]
        return {
            "image": public["image"],
            "first_constant": constants[0],
            "last_constant": constants[-1],
            "rounds": public["rounds"],
            "constants": len(constants),
        }

    def differs_by_seed(self, one: PublicInput, other: PublicInput) -> bool:
        """Another image and no constant in common."""
        return one["image"] != other["image"] and not set(one["constants"]) & set(
            other["constants"]
        )


class HashPreimage(StatementDefinition):
    """`hash-preimage(function, bytes)`."""

    NAME = "hash-preimage"
    SMALL = 32
    LARGER = 1024

    #: The sizes of the known answers that the conformance suite proves, each function another one,
    #: besides `SMALL`, which it proves of all; a measuring run holds every size against the
    #: reference.
    _CONFORM_BYTES = (1, 65, 31)

    #: Functions with small circuits, the smallest first.
    _QUICK = ("mimc-7", "poseidon", "blake2s")

    def quick_variant(self, statement: Statement) -> dict[str, str]:
        """A function over a field where the system has one."""
        offered = {value for one in statement.variants for value in one.values}
        return next(({"function": one} for one in self._QUICK if one in offered), {})

    def public_input(self, system: System, request: RunRequest, instance: int) -> PublicInput:
        """Function, number of bytes and digest."""
        described = self._variant(system, "function")
        function = request.variant.get("function", described.default)
        count = request.size["bytes"]
        content = hash_reference.message(bytes.fromhex(request.seed), instance, count)
        return {
            "statement": self.NAME,
            "function": function,
            "bytes": count,
            "digest": hash_reference.digest(function, content).hex(),
        }

    def wrong_public_inputs(self, artifacts: Artifacts, order: int) -> dict[str, list[Tampering]]:
        """Single bits of the digest changed, in its first and last bytes and about its middle.

        A digest that is an element is changed to another element.
        """
        del order  # a digest over elements is one of BN254's field, whatever the system
        public = artifacts.public_input
        content = bytes.fromhex(public["digest"])
        if public["function"] in hash_reference.OVER_A_FIELD:
            below, value = hash_reference.ORDER, int.from_bytes(content, "big")
            others = {
                "one more": (value + 1) % below,
                "negated": -value % below if value else 1,
                "shifted": (value + 2**128) % below,
            }
            changed = {what: one.to_bytes(32, "big") for what, one in others.items()}
        else:
            changed = {f"bit {bit}": flip_bit(content, bit) for bit in (0, 7, 127, 128, 248, 255)}
        return {
            "reject-wrong-digest": [
                Tampering(
                    f"digest: {what}",
                    replace(artifacts, public_input={**public, "digest": other.hex()}),
                )
                for what, other in changed.items()
            ]
        }

    def misshapen_public_inputs(self, artifacts: Artifacts, order: int) -> list[Tampering]:
        """Digests of another form, another size or function, members missing or too many."""
        del order
        public = artifacts.public_input
        digest = public["digest"]
        other = "sha256" if public["function"] != "sha256" else "blake2s"
        changes: dict[str, dict[str, Any]] = {
            "a digest too short": {"digest": digest[:-2]},
            "a digest too long": {"digest": digest + "00"},
            "a digest that is no number": {"digest": "forty-two"},
            "a digest with a prefix": {"digest": "0x" + digest[2:]},
            "a digest in a list": {"digest": [digest]},
            "a digest in upper case": {"digest": "A" + digest[1:]},
            "another number of bytes": {"bytes": public["bytes"] + 1},
            "another function": {"function": other},
        }
        if public["function"] in hash_reference.OVER_A_FIELD:
            value = int(digest, 16) + hash_reference.ORDER
            changes["a digest that is not reduced"] = {"digest": f"{value:064x}"}
        return _broken(artifacts, changes, missing="digest")

    def known_answers(self, system: System) -> Iterator[tuple[dict[str, Any], PublicInput]]:
        """One of each of the system's functions, of a small size."""
        functions = self._variant(system, "function").values
        for number, answer in enumerate(self.vectors()["answers"]):
            if answer["function"] not in functions:
                continue
            place = functions.index(answer["function"])
            sized = answer["bytes"] == self._CONFORM_BYTES[place % len(self._CONFORM_BYTES)]
            # Six answers have the same function and size; each function takes another of them.
            if sized and number % 6 == (2 * place + 1) % 6:
                members = {
                    "size": {"bytes": answer["bytes"]},
                    "variant": {"function": answer["function"]},
                    "seed": answer["seed"],
                    "first_instance": answer["instance"],
                }
                yield members, self.answered(answer)

    def answered(self, public: PublicInput) -> PublicInput:
        """Function, number of bytes and digest."""
        return {name: public[name] for name in ("function", "bytes", "digest")}

    def differs_by_seed(self, one: PublicInput, other: PublicInput) -> bool:
        """Another digest."""
        return bool(one["digest"] != other["digest"])


class Range(StatementDefinition):
    """`range(bits, values)`."""

    NAME = "range"
    SMALL = 2
    LARGER = 16

    def quick_variant(self, statement: Statement) -> dict[str, str]:
        """The fewest bits."""
        offered = {one.name: one.values for one in statement.variants}
        return {"bits": min(offered["bits"], key=int)}

    def public_input(self, system: System, request: RunRequest, instance: int) -> PublicInput:
        """Bits, number of values and commitments."""
        group = range_reference.group_over(system.field.name)
        described = self._variant(system, "bits")
        bits = int(request.variant.get("bits", described.default))
        values = request.size["values"]
        seed = bytes.fromhex(request.seed)
        found = range_reference.commitments(group, bits, values, seed, instance)
        return {
            "statement": self.NAME,
            "bits": bits,
            "values": values,
            "commitments": [one.hex() for one in found],
        }

    def wrong_public_inputs(self, artifacts: Artifacts, order: int) -> dict[str, list[Tampering]]:
        """Other points in the place of the first, the middle and the last commitment.

        They are commitments to the next value and to the same one under another blinding factor,
        the negative, the identity and, where the encoding has it, the same with the point of order
        two added; besides, two commitments exchanged.
        """
        group = _group_of(order)
        public = artifacts.public_input
        given: list[str] = list(public["commitments"])
        changed: dict[str, list[str]] = {}
        for where in sorted({0, len(given) // 2, len(given) - 1}):
            for what, other in _other_commitments(group, bytes.fromhex(given[where])):
                changed[f"commitment {where}: {what}"] = [
                    *given[:where],
                    other.hex(),
                    *given[where + 1 :],
                ]
        if len(given) > 1:
            changed["the first two commitments exchanged"] = [given[1], given[0], *given[2:]]
        return {
            "reject-wrong-commitments": [
                Tampering(
                    what, replace(artifacts, public_input={**public, "commitments": commitments})
                )
                for what, commitments in changed.items()
            ]
        }

    def misshapen_public_inputs(self, artifacts: Artifacts, order: int) -> list[Tampering]:
        """Encodings of no point or not canonical, other bits or values, members missing."""
        group = _group_of(order)
        public = artifacts.public_input
        bits, first, rest = public["bits"], public["commitments"][0], public["commitments"][1:]
        beyond = int.from_bytes(bytes.fromhex(first), "little") % 2**255 + group.P
        # Two multiples of the field's order have more bits than an encoding.
        unreduced = (beyond if beyond < 2**255 else group.P).to_bytes(32, "little")
        return _broken(
            artifacts,
            {
                "other bits": {"bits": 32 if bits != 32 else 64},
                "bits in words": {"bits": str(bits)},
                "another number of values": {"values": public["values"] + 1},
                "a commitment too few": {"commitments": rest},
                "a commitment too many": {"commitments": [first, first, *rest]},
                "commitments that are no list": {"commitments": first},
                "a commitment too short": {"commitments": [first[:-2], *rest]},
                "a commitment too long": {"commitments": [first + "00", *rest]},
                "a commitment with a prefix": {"commitments": ["0x" + first[2:], *rest]},
                "a commitment in upper case": {"commitments": ["A" + first[1:], *rest]},
                "a coordinate that is not reduced": {"commitments": [unreduced.hex(), *rest]},
                "a commitment of ones": {"commitments": ["ff" * 32, *rest]},
                "an encoding of no point": {"commitments": [_no_point(group).hex(), *rest]},
            },
            missing="commitments",
        )

    def known_answers(self, system: System) -> Iterator[tuple[dict[str, Any], PublicInput]]:
        """Those in the group of the system's field, one of each seed, bits and number of values."""
        group = range_reference.group_over(system.field.name)
        for number, answer in enumerate(self.vectors()["answers"]):
            # Two answers differ in their instance alone; every other pair takes the other one.
            if answer["group"] == group.NAME and number % 2 == number // 2 % 2:
                members = {
                    "size": {"values": answer["values"]},
                    "variant": {"bits": str(answer["bits"])},
                    "seed": answer["seed"],
                    "first_instance": answer["instance"],
                }
                yield members, self.answered(answer)

    def answered(self, public: PublicInput) -> PublicInput:
        """Bits, number of values and commitments."""
        return {name: public[name] for name in ("bits", "values", "commitments")}

    def differs_by_seed(self, one: PublicInput, other: PublicInput) -> bool:
        """No commitment in common."""
        return not set(one["commitments"]) & set(other["commitments"])


_DEFINITIONS = {one.NAME: one for one in (MimcPreimage(), HashPreimage(), Range())}


def definition(statement: str) -> StatementDefinition:
    """The definition of a statement; `NizkBenchError` for a name that nobody defined."""
    try:
        return _DEFINITIONS[statement]
    except KeyError:
        known = ", ".join(_DEFINITIONS)
        raise NizkBenchError(f"statement {statement!r} is not known, there are {known}") from None


def _broken(
    artifacts: Artifacts, changes: Mapping[str, Mapping[str, Any]], *, missing: str
) -> list[Tampering]:
    """The public input with members changed, and with what is wrong in any statement."""
    public = artifacts.public_input
    broken: dict[str, PublicInput] = {what: {**public, **new} for what, new in changes.items()}
    broken |= {
        f"no {missing}": {name: value for name, value in public.items() if name != missing},
        "another statement": {**public, "statement": "factoring"},
        "an unknown member": {**public, "comment": "trust me"},
    }
    return [
        Tampering(what, replace(artifacts, public_input=changed))
        for what, changed in broken.items()
    ]


def _other_elements(element: str, order: int) -> Iterator[tuple[str, str]]:
    value = int(element, 16)
    yield "one more", hex((value + 1) % order)
    # The negative, in a prime field.
    yield "the order less it", hex((order - value) % order if value else 1)


def _group_of(order: int) -> range_reference.Group:
    for name, one in reference.FIELDS.items():
        if one == order:
            return range_reference.group_over(name)
    raise NizkBenchError(f"no field of order {order:#x} is known to the reference")


def _other_commitments(group: range_reference.Group, given: bytes) -> Iterator[tuple[str, bytes]]:
    point = group.decode(given)
    value, blinding = group.base_points()
    yield "to the next value", group.encode(group.add(point, value))
    yield "with another blinding factor", group.encode(group.add(point, blinding))
    yield "negated", group.encode(group.multiply(group.ORDER - 1, point))
    yield "the identity", group.encode(group.IDENTITY)
    of_order_two = group.add(point, (0, -1, 1, 0))
    if group.encode(of_order_two) != given:
        yield "outside the group of prime order", group.encode(of_order_two)


def _no_point(group: range_reference.Group) -> bytes:
    for number in range(2, 256, 2):
        content = number.to_bytes(32, "little")
        try:
            group.decode(content)
        except NizkBenchError:
            return content
    raise NizkBenchError(f"every small even number encodes a point of {group.NAME}")


def _with(public: PublicInput, member: str, where: int, element: str) -> PublicInput:
    if isinstance(public[member], str):
        return {**public, member: element}
    elements = list(public[member])
    elements[where] = element
    return {**public, member: elements}
