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

#: Prime field by its name in `describe`, with its order. Sources: BLS12-381 r and BN254 r from the
#: curves' specifications (draft-irtf-cfrg-pairing-friendly-curves-11, §4.2.1; EIP-197),
#: ristretto255's group order from RFC 9496 §4, f128 and f64 from winterfell's `math::fields`
#: (2^128 - 45·2^40 + 1 and 2^64 - 2^32 + 1).
FIELDS: dict[str, int] = {
    "bls12-381-fr": 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
    "bn254-fr": 21888242871839275222246405745257275088548364400416034343698204186575808495617,
    "ristretto255-scalar": 2**252 + 27742317777372353535851937790883648493,
    "f128": 2**128 - 45 * 2**40 + 1,
    "f64": 2**64 - 2**32 + 1,
}

#: Seeds, rounds and instances of the known answers; few, and each chosen to see another thing: an
#: all-zero, a counting and an all-ones seed; the fewest rounds and those of earlier work; two
#: instances.
VECTOR_SEEDS = (bytes(32), bytes(range(32)), bytes([0xFF] * 32))
VECTOR_ROUNDS = (7, 15, 63, 255, 4095)
VECTOR_INSTANCES = (0, 1)


@dataclass(frozen=True, slots=True)
class MimcInstance:
    """One instance of `mimc-preimage`; all elements are integers in [0, p)."""

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
    """Element `index` under `label` of a 32-byte seed, in [0, modulus).

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


def mimc_instance(field: str, rounds: int, seed: bytes, instance: int) -> MimcInstance:
    """Instance number `instance` of `mimc-preimage(rounds)` over `field`, from a 32-byte seed."""
    modulus = field_modulus(field)
    constants = tuple(element("mimc/constant", seed, i, modulus) for i in range(rounds))
    left = element("mimc/left", seed, instance, modulus)
    right = element("mimc/right", seed, instance, modulus)
    return MimcInstance(left, right, constants, mimc(left, right, constants, modulus))


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
