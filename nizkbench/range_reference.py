"""The statement `range` of `provers/STATEMENTS.md`, computed independently of every runner.

Two groups of prime order, written from their specifications with plain Python integers:
ristretto255 (RFC 9496) and the subgroup of Jubjub (Zcash protocol specification, §5.4.9.3). Nothing
here is constant in time, and nothing that is secret should ever be put in.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from nizkbench.errors import NizkBenchError
from nizkbench.reference import FIELDS, VECTOR_SEEDS, element

#: Bits of a range that systems prove, and how many values one proof may be about.
BITS = (8, 16, 32, 64)
MAXIMUM_VALUES = 32

#: Sizes and instances of the known answers.
VECTOR_VALUES = (1, 2, 8)
VECTOR_INSTANCES = (0, 1)

#: x·z, y·z, z and x·y·z of a point (x, y): extended coordinates (Hisil, Wong, Carter, Dawson 2008).
Extended = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Opening:
    """A value and the blinding factor of its commitment."""

    value: int
    blinding: int


class Group(ABC):
    """A group of prime order on the twisted Edwards curve −x² + y² = 1 + d·x²·y² over F_p."""

    NAME: ClassVar[str]
    P: ClassVar[int]
    D: ClassVar[int]
    ORDER: ClassVar[int]

    #: The field of the systems that state `range` over this group, as in `describe`.
    FIELD: ClassVar[str]

    IDENTITY: ClassVar[Extended] = (0, 1, 1, 0)

    @abstractmethod
    def encode(self, point: Extended) -> bytes:
        """The 32 bytes of a point."""

    @abstractmethod
    def decode(self, content: bytes) -> Extended:
        """The point of 32 bytes; `NizkBenchError` if they encode none, or not canonically."""

    @abstractmethod
    def base_points(self) -> tuple[Extended, Extended]:
        """The generators G, of values, and H, of blinding factors."""

    def add(self, left: Extended, right: Extended) -> Extended:
        """The sum of two points; the formula has no exceptions (a = −1, d is no square)."""
        p = self.P
        x1, y1, z1, t1 = left
        x2, y2, z2, t2 = right
        a, b = (y1 - x1) * (y2 - x2) % p, (y1 + x1) * (y2 + x2) % p
        c, d = 2 * self.D * t1 * t2 % p, 2 * z1 * z2 % p
        e, f, g, h = b - a, d - c, d + c, b + a
        return (e * f % p, g * h % p, f * g % p, e * h % p)

    def multiply(self, scalar: int, point: Extended) -> Extended:
        """A point taken `scalar` times, which is not negative."""
        return _sum_of(self, scalar, _doublings(self, point, scalar.bit_length()))

    def commit(self, opening: Opening) -> Extended:
        """value·G + blinding·H."""
        values, blindings = self._tables
        return self.add(
            _sum_of(self, opening.value, values), _sum_of(self, opening.blinding, blindings)
        )

    @cached_property
    def _tables(self) -> tuple[list[Extended], list[Extended]]:
        value, blinding = self.base_points()
        bits = self.ORDER.bit_length()
        return _doublings(self, value, bits), _doublings(self, blinding, bits)

    def affine(self, point: Extended) -> tuple[int, int]:
        """The coordinates x and y of a point."""
        x, y, z, _ = point
        inverse = pow(z, -1, self.P)
        return x * inverse % self.P, y * inverse % self.P


def _doublings(group: Group, point: Extended, count: int) -> list[Extended]:
    found = []
    for _ in range(count):
        found.append(point)
        point = group.add(point, point)
    return found


def _sum_of(group: Group, scalar: int, doublings: list[Extended]) -> Extended:
    total = group.IDENTITY
    for position, point in enumerate(doublings):
        if scalar >> position & 1:
            total = group.add(total, point)
    return total


class Ristretto255(Group):
    """ristretto255, RFC 9496, with the generators of bulletproofs 4.0 (`PedersenGens::default`).

    G is the base point, H the group element that RFC 9496, §4.3.4, derives of SHA3-512 of G's
    encoding.
    """

    NAME = "ristretto255"
    P = 2**255 - 19
    D = -121665 * pow(121666, -1, 2**255 - 19) % (2**255 - 19)
    ORDER = FIELDS["ristretto255-scalar"]
    FIELD = "ristretto255-scalar"

    #: RFC 8032, §5.1: the base point has y = 4/5 and an even x.
    _ROOT = pow(2, (P - 1) // 4, P)

    def encode(self, point: Extended) -> bytes:
        """RFC 9496, §4.3.2."""
        p = self.P
        x0, y0, z0, t0 = point
        u1, u2 = (z0 + y0) * (z0 - y0) % p, x0 * y0 % p
        _, inverse = self._root_of_ratio(1, u1 * u2 * u2 % p)
        one, two = inverse * u1 % p, inverse * u2 % p
        z = one * two * t0 % p
        _, magic = self._root_of_ratio(1, -1 - self.D)
        if t0 * z % p & 1:
            x, y, other = y0 * self._ROOT % p, x0 * self._ROOT % p, one * magic % p
        else:
            x, y, other = x0, y0, two
        if x * z % p & 1:
            y = -y % p
        return _absolute(other * (z0 - y), p).to_bytes(32, "little")

    def decode(self, content: bytes) -> Extended:
        """RFC 9496, §4.3.1."""
        p = self.P
        s = int.from_bytes(content, "little")
        if len(content) != 32 or s >= p or s & 1:
            raise NizkBenchError(f"{content.hex()} is no canonical encoding of ristretto255")
        u1, u2 = (1 - s * s) % p, (1 + s * s) % p
        v = (-(self.D * u1 * u1) - u2 * u2) % p
        square, inverse = self._root_of_ratio(1, v * u2 * u2 % p)
        x_denominator = inverse * u2 % p
        y_denominator = inverse * x_denominator * v % p
        x = _absolute(2 * s * x_denominator, p)
        y = u1 * y_denominator % p
        t = x * y % p
        if not square or t & 1 or y == 0:
            raise NizkBenchError(f"{content.hex()} encodes no point of ristretto255")
        return x, y, 1, t

    def base_points(self) -> tuple[Extended, Extended]:
        """The base point, and what SHA3-512 of its encoding is mapped to."""
        p = self.P
        y = 4 * pow(5, -1, p) % p
        _, x = self._root_of_ratio((y * y - 1) % p, (self.D * y * y + 1) % p)
        base = (x, y, 1, x * y % p)
        digest = hashlib.sha3_512(self.encode(base)).digest()
        halves = (digest[:32], digest[32:])
        first, second = (self._mapped(int.from_bytes(half, "little") % 2**255) for half in halves)
        return base, self.add(first, second)

    def _mapped(self, given: int) -> Extended:
        """The function MAP of RFC 9496, §4.3.4."""
        p, d = self.P, self.D
        r = self._ROOT * given * given % p
        u = (r + 1) * (1 - d * d) % p
        v = (-1 - r * d) * (r + d) % p
        square, s = self._root_of_ratio(u, v)
        c = -1
        if not square:
            s, c = -_absolute(s * given, p) % p, r
        n = (c * (r - 1) * (d - 1) ** 2 - v) % p
        # The root of a·d − 1 that the specification takes is the odd one (§4.1).
        _, even = self._root_of_ratio(-d - 1, 1)
        w0, w1 = 2 * s * v % p, n * -even % p
        w2, w3 = (1 - s * s) % p, (1 + s * s) % p
        return w0 * w3 % p, w2 * w1 % p, w1 * w3 % p, w0 * w2 % p

    def _root_of_ratio(self, u: int, v: int) -> tuple[bool, int]:
        """SQRT_RATIO_M1 of RFC 9496, §4.2: the even root of u/v, or of i·u/v if that is none."""
        p = self.P
        root = u * pow(v, 3, p) * pow(u * pow(v, 7, p) % p, (p - 5) // 8, p) % p
        check = v * root * root % p
        if check in (-u % p, -u * self._ROOT % p):
            root = root * self._ROOT % p
        return check in (u % p, -u % p), _absolute(root, p)


class Jubjub(Group):
    """The subgroup of prime order of Jubjub, the curve over the scalar field of BLS12-381.

    d = −10240/10241, the cofactor is 8. The encoding has v, here y, in 255 bits and the parity of
    u, here x, in the last one (Zcash protocol specification, §5.4.9.3).
    """

    NAME = "jubjub"
    P = FIELDS["bls12-381-fr"]
    D = -10240 * pow(10241, -1, FIELDS["bls12-381-fr"]) % FIELDS["bls12-381-fr"]
    ORDER = 0x0E7DB4EA6533AFA906673B0101343B00A6682093CCC81082D0970E5ED6F72CB7
    FIELD = "bls12-381-fr"

    def encode(self, point: Extended) -> bytes:
        """The coordinate v as an integer of 255 bits, and the parity of u as bit 255."""
        u, v = self.affine(point)
        return (v | (u & 1) << 255).to_bytes(32, "little")

    def decode(self, content: bytes) -> Extended:
        """The point on the curve; whether it is of prime order is for the proof to show."""
        number = int.from_bytes(content, "little")
        v, parity = number % 2**255, number >> 255
        if len(content) != 32 or v >= self.P:
            raise NizkBenchError(f"{content.hex()} is no canonical encoding of Jubjub")
        u = self._root((v * v - 1) * pow(1 + self.D * v * v, -1, self.P))
        if u is None or (u == 0 and parity):
            raise NizkBenchError(f"{content.hex()} encodes no point of Jubjub")
        if u & 1 != parity:
            u = self.P - u
        return u, v, 1, u * v % self.P

    def base_points(self) -> tuple[Extended, Extended]:
        """Eight times the first point with an even u that the labels' elements are the v of."""
        return self._hashed("range/generator/value"), self._hashed("range/generator/blinding")

    def _hashed(self, label: str) -> Extended:
        for index in range(256):
            v = element(label, bytes(32), index, self.P)
            try:
                point = self.decode(v.to_bytes(32, "little"))
            except NizkBenchError:
                continue
            multiple = self.multiply(8, point)
            if self.affine(multiple) != (0, 1):
                return multiple
        raise NizkBenchError(f"no element under {label} is the coordinate of a point")

    def _root(self, square: int) -> int | None:
        """The root of Tonelli and Shanks, p − 1 being 2³² times an odd number; None without one."""
        p = self.P
        square %= p
        if square == 0:
            return 0
        if pow(square, (p - 1) // 2, p) != 1:
            return None
        odd, order = (p - 1) >> 32, 32
        generator = pow(5, odd, p)  # 5 is no square
        root, rest = pow(square, (odd + 1) // 2, p), pow(square, odd, p)
        while rest != 1:
            length, power = 0, rest
            while power != 1:
                power, length = power * power % p, length + 1
            factor = pow(generator, 1 << (order - length - 1), p)
            generator, order = factor * factor % p, length
            root, rest = root * factor % p, rest * generator % p
        return root


def _absolute(number: int, p: int) -> int:
    """The even one of a number and its negative."""
    number %= p
    return p - number if number & 1 else number


GROUPS: dict[str, Group] = {one.NAME: one for one in (Ristretto255(), Jubjub())}


def group_over(field: str) -> Group:
    """The group in which systems over a field commit; `NizkBenchError` if they have none."""
    for group in GROUPS.values():
        if field == group.FIELD:
            return group
    known = ", ".join(group.FIELD for group in GROUPS.values())
    raise NizkBenchError(f"no group is defined for range over {field}, there are those for {known}")


def openings(group: Group, bits: int, values: int, seed: bytes, instance: int) -> list[Opening]:
    """Values below 2^bits and blinding factors below the group's order, of a 32-byte seed."""
    return [
        Opening(
            element(f"range/value/{place}", seed, instance, 2**bits),
            element(f"range/blinding/{place}", seed, instance, group.ORDER),
        )
        for place in range(values)
    ]


def commitments(group: Group, bits: int, values: int, seed: bytes, instance: int) -> list[bytes]:
    """The encoded commitments of an instance, in the order of its values."""
    found = openings(group, bits, values, seed, instance)
    return [group.encode(group.commit(opening)) for opening in found]


def _answers() -> Iterator[dict[str, Any]]:
    for group in GROUPS.values():
        for seed in VECTOR_SEEDS:
            for bits in BITS:
                for values in VECTOR_VALUES:
                    for instance in VECTOR_INSTANCES:
                        first = openings(group, bits, 1, seed, instance)[0]
                        found = commitments(group, bits, values, seed, instance)
                        yield {
                            "group": group.NAME,
                            "seed": seed.hex(),
                            "bits": bits,
                            "values": values,
                            "instance": instance,
                            "first_value": hex(first.value),
                            "first_blinding": hex(first.blinding),
                            "commitments": [one.hex() for one in found],
                        }


def range_vectors() -> dict[str, Any]:
    """The known answers of `data/vectors/range.json`, made anew."""
    return {
        "statement": "range",
        "definition": "provers/STATEMENTS.md",
        "made_by": "python -m nizkbench.range_reference",
        "groups": {
            name: {
                "field": group.FIELD,
                "order": hex(group.ORDER),
                "value_generator": group.encode(group.base_points()[0]).hex(),
                "blinding_generator": group.encode(group.base_points()[1]).hex(),
            }
            for name, group in GROUPS.items()
        },
        "answers": list(_answers()),
    }


def write_vectors(folder: Path) -> Path:
    """Write the known answers into `folder` and return the file's path."""
    path = folder / "range.json"
    path.write_text(json.dumps(range_vectors(), indent=1) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(write_vectors(Path(__file__).resolve().parent.parent / "data" / "vectors"))
