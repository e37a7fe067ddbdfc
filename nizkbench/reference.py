"""The statements of `provers/STATEMENTS.md`, computed independently of every runner.

Nothing here is timed and nothing is shared with a runner: plain Python integers, written from the
definition, so that a mistake in a circuit cannot hide behind the same mistake in the check.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nizkbench.errors import NizkBenchError

DOMAIN = b"nizk-bench/v1"


@dataclass(frozen=True, slots=True)
class Extension:
    """F_p[X] / (X^d − w). An element is an integer below p^d, whose base-p digits are coordinates.

    The least significant digit is the coordinate of 1.
    """

    prime: int
    degree: int
    nonresidue: int

    @property
    def order(self) -> int:
        """Elements of the field."""
        return int(self.prime**self.degree)

    def coordinates(self, element: int) -> list[int]:
        """The digits of an element, in [0, prime), the coordinate of 1 first."""
        digits = []
        for _ in range(self.degree):
            element, digit = divmod(element, self.prime)
            digits.append(digit)
        return digits

    def element(self, coordinates: Sequence[int]) -> int:
        """The element with these coordinates, which need not be reduced."""
        value = 0
        for coordinate in reversed(coordinates):
            value = value * self.prime + coordinate % self.prime
        return value

    def add(self, left: int, right: int) -> int:
        """The sum of two elements."""
        pairs = zip(self.coordinates(left), self.coordinates(right), strict=True)
        return self.element([one + other for one, other in pairs])

    def multiply(self, left: int, right: int) -> int:
        """The product of two elements."""
        product = [0] * self.degree
        for i, one in enumerate(self.coordinates(left)):
            for j, other in enumerate(self.coordinates(right)):
                # X^d is w.
                wrapped = self.nonresidue if i + j >= self.degree else 1
                product[(i + j) % self.degree] += one * other * wrapped
        return self.element(product)


#: Extension field by its name in `describe`. Source: p3-koala-bear 0.8.0, `src/koala_bear.rs`
#: (2^31 − 2^24 + 1, and X⁴ − 3 of `BinomialExtensionData<4>`).
EXTENSIONS: dict[str, Extension] = {
    "koalabear-4": Extension(prime=2**31 - 2**24 + 1, degree=4, nonresidue=3),
}

#: Field by its name in `describe`, with its order; all but `EXTENSIONS` are prime fields. Sources:
#: BLS12-381 r and BN254 r from the curves' specifications
#: (draft-irtf-cfrg-pairing-friendly-curves-11, §4.2.1; EIP-197), ristretto255's group order from
#: RFC 9496 §4, f128 and f64 from winterfell's `math::fields` (2^128 - 45·2^40 + 1 and
#: 2^64 - 2^32 + 1).
FIELDS: dict[str, int] = {
    "bls12-381-fr": 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
    "bn254-fr": 21888242871839275222246405745257275088548364400416034343698204186575808495617,
    "ristretto255-scalar": 2**252 + 27742317777372353535851937790883648493,
    "f128": 2**128 - 45 * 2**40 + 1,
    "f64": 2**64 - 2**32 + 1,
    **{name: extension.order for name, extension in EXTENSIONS.items()},
}

#: Seeds, rounds and instances of the known answers; few, and each chosen to see another thing: an
#: all-zero, a counting and an all-ones seed; the fewest rounds and those of earlier work; two
#: instances.
VECTOR_SEEDS = (bytes(32), bytes(range(32)), bytes([0xFF] * 32))
VECTOR_ROUNDS = (7, 15, 63, 255, 4095)
VECTOR_INSTANCES = (0, 1)


@dataclass(frozen=True, slots=True)
class MimcInstance:
    """One instance of `mimc-preimage`; all elements are integers below the order of the field."""

    left: int
    right: int
    constants: tuple[int, ...]
    image: int


def field_modulus(field: str) -> int:
    """The order of a field named as in `describe`; `NizkBenchError` for a name nobody defined."""
    try:
        return FIELDS[field]
    except KeyError:
        known = ", ".join(sorted(FIELDS))
        raise NizkBenchError(
            f"field {field!r} is not known to the reference, which has {known}"
        ) from None


def element(label: str, seed: bytes, index: int, modulus: int) -> int:
    """Element `index` under `label` of a 32-byte seed, in [0, modulus), the order of the field.

    Source: `provers/STATEMENTS.md`, "Deriving elements from a seed".
    """
    message = (
        DOMAIN + b"\x00" + label.encode("ascii") + b"\x00" + seed + index.to_bytes(8, "little")
    )
    return int.from_bytes(hashlib.sha512(message).digest(), "little") % modulus


def mimc(left: int, right: int, constants: Sequence[int], modulus: int) -> int:
    """MiMC in Feistel form with x³: the final left half. Albrecht et al., ASIACRYPT 2016, §2.1."""
    for constant in constants:
        left, right = (right + pow(left + constant, 3, modulus)) % modulus, left
    return left


def mimc_in_extension(left: int, right: int, constants: Sequence[int], extension: Extension) -> int:
    """What `mimc` is in a prime field, in an extension."""
    for constant in constants:
        base = extension.add(left, constant)
        cube = extension.multiply(extension.multiply(base, base), base)
        left, right = extension.add(right, cube), left
    return left


def mimc_instance(field: str, rounds: int, seed: bytes, instance: int) -> MimcInstance:
    """Instance number `instance` of `mimc-preimage(rounds)` over `field`, from a 32-byte seed."""
    modulus = field_modulus(field)
    constants = tuple(element("mimc/constant", seed, i, modulus) for i in range(rounds))
    left = element("mimc/left", seed, instance, modulus)
    right = element("mimc/right", seed, instance, modulus)
    if field in EXTENSIONS:
        image = mimc_in_extension(left, right, constants, EXTENSIONS[field])
    else:
        image = mimc(left, right, constants, modulus)
    return MimcInstance(left, right, constants, image)


def mimc_vectors() -> dict[str, Any]:
    """The known answers of `data/vectors/mimc-preimage.json`, made anew."""
    answers = [
        {
            "field": field,
            "seed": seed.hex(),
            "rounds": rounds,
            "instance": number,
            "left": hex(one.left),
            "right": hex(one.right),
            "first_constant": hex(one.constants[0]),
            "last_constant": hex(one.constants[-1]),
            "image": hex(one.image),
        }
        for field in FIELDS
        for seed in VECTOR_SEEDS
        for rounds in VECTOR_ROUNDS
        for number in VECTOR_INSTANCES
        for one in [mimc_instance(field, rounds, seed, number)]
    ]
    return {
        "statement": "mimc-preimage",
        "definition": "provers/STATEMENTS.md",
        "made_by": "python -m nizkbench.reference",
        "fields": {name: hex(order) for name, order in FIELDS.items()},
        "answers": answers,
    }


def write_vectors(folder: Path) -> Path:
    """Write the known answers into `folder` and return the file's path."""
    path = folder / "mimc-preimage.json"
    path.write_text(json.dumps(mimc_vectors(), indent=1) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(write_vectors(Path(__file__).resolve().parent.parent / "data" / "vectors"))
