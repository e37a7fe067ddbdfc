"""The hash functions of `provers/STATEMENTS.md`, computed independently of every runner.

Plain Python integers, written from the definitions, with constants derived from where they come
from and not copied: what a circuit, a runner's library and this page agree on is no common mistake.
SHA-256, SHA3-256 and BLAKE2s are Python's own (`hashlib`), Keccak-256 is PyCryptodome's.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from Crypto.Hash import keccak

from nizkbench.errors import NizkBenchError
from nizkbench.reference import DOMAIN, FIELDS, VECTOR_SEEDS

#: The order of BN254's scalar field, over which the algebraic functions are defined.
ORDER = FIELDS["bn254-fr"]

#: Bytes of a message that one element takes.
PIECE = 31

#: Rounds of MiMC as circomlib has them: `MiMCSponge` in Feistel form with x⁵, `MiMC7` with x⁷.
SPONGE_ROUNDS, MIMC7_ROUNDS = 220, 91

#: Poseidon's full rounds, and its partial rounds by the number of inputs (circomlib, after Grassi
#: et al., USENIX Security 2021, for x⁵ over 254 bits at 128 bits of security).
FULL_ROUNDS = 8
PARTIAL_ROUNDS = (56, 57, 56, 60, 60, 63)

#: Sizes of the known answers: around the borders of the blocks of SHA-256 (55, 56, 64), of SHA3-256
#: (135, 136) and of the pieces of 31 bytes, and those of earlier work.
VECTOR_BYTES = (
    *(1, 31, 32, 55, 56, 62, 63, 64, 65, 128, 135, 136, 186, 187),
    *(256, 512, 1024, 1536, 2048, 2560, 4096),
)
VECTOR_INSTANCES = (0, 1)


def message(seed: bytes, instance: int, count: int) -> bytes:
    """The message of `count` bytes of an instance; source: STATEMENTS.md, "Derivation"."""
    found = b""
    while len(found) < count:
        label = f"hash/message/{len(found) // 64}".encode("ascii")
        found += hashlib.sha512(
            DOMAIN + b"\x00" + label + b"\x00" + seed + instance.to_bytes(8, "little")
        ).digest()
    return found[:count]


def elements(content: bytes) -> list[int]:
    """A message as elements: pieces of 31 bytes, big-endian, the last one possibly shorter."""
    return [
        int.from_bytes(content[start : start + PIECE], "big")
        for start in range(0, len(content), PIECE)
    ]


def digest(function: str, content: bytes) -> bytes:
    """The digest of a message, 32 bytes; `NizkBenchError` for a function that nobody defined."""
    try:
        return FUNCTIONS[function](content)
    except KeyError:
        known = ", ".join(FUNCTIONS)
        raise NizkBenchError(
            f"function {function!r} is not known to the reference, which has {known}"
        ) from None


def mimc_sponge(inputs: Sequence[int]) -> int:
    """MiMC's sponge over elements below `ORDER`: one more than the sum of what permutations mix.

    Feistel network with x⁵, key 0, rate and capacity one element (circomlib, `MiMCSponge`).
    """
    constants = _mimc_constants("mimcsponge", SPONGE_ROUNDS)
    constants[-1] = 0
    left = right = 0
    for one in inputs:
        left = (left + one) % ORDER
        for number, constant in enumerate(constants):
            mixed = (right + pow(left + constant, 5, ORDER)) % ORDER
            # The last round does not exchange the halves.
            left, right = (left, mixed) if number == SPONGE_ROUNDS - 1 else (mixed, left)
    return left


def mimc_7(inputs: Sequence[int]) -> int:
    """MiMC with x⁷, chained over elements below `ORDER` from key 0 (circomlib, `MultiMiMC7`)."""
    key = 0
    for one in inputs:
        state = one
        for constant in _mimc_constants("mimc", MIMC7_ROUNDS):
            state = pow(state + key + constant, 7, ORDER)
        key = (key + one + state + key) % ORDER
    return key


def poseidon(inputs: Sequence[int]) -> int:
    """Poseidon over one to six elements below `ORDER`; the first element of the permuted state.

    The state begins with a zero, the inputs follow (circomlib, `poseidon.circom`).
    """
    width = len(inputs) + 1
    constants, matrix = _poseidon_parameters(width)
    rounds = FULL_ROUNDS + PARTIAL_ROUNDS[width - 2]
    state = [0, *inputs]
    for number in range(rounds):
        state = [
            (value + constant) % ORDER
            for value, constant in zip(state, constants[number * width :], strict=False)
        ]
        full = number < FULL_ROUNDS // 2 or number >= rounds - FULL_ROUNDS // 2
        state = [
            pow(value, 5, ORDER) if full or place == 0 else value
            for place, value in enumerate(state)
        ]
        state = [
            sum(m * value for m, value in zip(row, state, strict=True)) % ORDER for row in matrix
        ]
    return state[0]


def chained_poseidon(inputs: Sequence[int]) -> int:
    """Poseidon of any number of elements: up to six, then the digest so far and up to five more."""
    found = poseidon(inputs[:6])
    for start in range(6, len(inputs), 5):
        found = poseidon([found, *inputs[start : start + 5]])
    return found


def hash_vectors() -> dict[str, Any]:
    """The known answers of `data/vectors/hash-preimage.json`, made anew."""
    return {
        "statement": "hash-preimage",
        "definition": "provers/STATEMENTS.md",
        "made_by": "python -m nizkbench.hash_reference",
        "answers": [
            {
                "function": function,
                "bytes": count,
                "seed": seed.hex(),
                "instance": instance,
                "digest": digest(function, message(seed, instance, count)).hex(),
            }
            for function in FUNCTIONS
            for count in VECTOR_BYTES
            for seed in VECTOR_SEEDS
            for instance in VECTOR_INSTANCES
        ],
    }


def write_vectors(folder: Path) -> Path:
    """Write the known answers into `folder` and return the file's path."""
    path = folder / "hash-preimage.json"
    path.write_text(json.dumps(hash_vectors(), indent=1) + "\n", encoding="utf-8")
    return path


def _over_elements(function: Callable[[Sequence[int]], int]) -> Callable[[bytes], bytes]:
    return lambda content: function(elements(content)).to_bytes(32, "big")


#: Digest of 32 bytes by the name of the function.
FUNCTIONS: Mapping[str, Callable[[bytes], bytes]] = {
    "sha256": lambda content: hashlib.sha256(content).digest(),
    "sha3-256": lambda content: hashlib.sha3_256(content).digest(),
    "blake2s": lambda content: hashlib.blake2s(content).digest(),
    "mimc-sponge": _over_elements(mimc_sponge),
    "mimc-7": _over_elements(mimc_7),
    "poseidon": _over_elements(chained_poseidon),
}

#: Those whose digest is an element below `ORDER`.
OVER_A_FIELD = frozenset({"mimc-sponge", "mimc-7", "poseidon"})


@cache
def calls(function: str, count: int) -> int:
    """How often a function calls its permutation or compression on a message of so many bytes."""
    pieces = -(-count // PIECE)
    match function:
        case "sha256":
            return (count + 8) // 64 + 1
        case "sha3-256":
            return count // 136 + 1
        case "blake2s":
            return max(1, -(-count // 64))
        case "poseidon":
            return 1 + max(0, -(-(pieces - 6) // 5))
        case _:
            return pieces


def _hashes_of(name: str, count: int) -> tuple[int, ...]:
    """Keccak-256 of a name, again and again: the second hash is the first one given."""
    state = name.encode("ascii")
    found = []
    for _ in range(count + 1):
        state = keccak.new(digest_bits=256, data=state).digest()
        found.append(int.from_bytes(state, "big") % ORDER)
    return tuple(found[1:])


def _mimc_constants(name: str, rounds: int) -> list[int]:
    return [0, *_hashes_of(name, rounds - 1)]


@cache
def _poseidon_parameters(width: int) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Round constants and MDS matrix for a state of `width` elements.

    Drawn from the Grain generator in the mode of Grassi et al. (2021), appendix E; the matrix is
    Cauchy's of the next 2 · width draws.
    """
    partial = PARTIAL_ROUNDS[width - 2]
    bits = _grain(width, partial)

    def draw() -> int:
        found = 0
        for _ in range(ORDER.bit_length()):
            found = 2 * found + next(bits)
        return found

    def below_order() -> int:
        while (found := draw()) >= ORDER:
            pass
        return found

    constants = tuple(below_order() for _ in range(width * (FULL_ROUNDS + partial)))
    # Those of the matrix are reduced instead of drawn again.
    drawn = [draw() % ORDER for _ in range(2 * width)]
    matrix = tuple(
        tuple(pow(row + column, -1, ORDER) for column in drawn[width:]) for row in drawn[:width]
    )
    return constants, matrix


def _grain(width: int, partial: int) -> Iterator[int]:
    """The bits of the Grain generator, self-shrunk, for a prime field with x⁵."""
    described = (
        (1, 2),  # a prime field
        (0, 4),  # x to a power
        (ORDER.bit_length(), 12),
        (width, 12),
        (FULL_ROUNDS, 10),
        (partial, 10),
        (2**30 - 1, 30),
    )
    state = [int(bit) for value, length in described for bit in f"{value:0{length}b}"]

    def step() -> int:
        new = state[62] ^ state[51] ^ state[38] ^ state[23] ^ state[13] ^ state[0]
        del state[0]
        state.append(new)
        return new

    for _ in range(160):
        step()
    while True:
        kept, bit = step(), step()
        if kept:
            yield bit


if __name__ == "__main__":
    print(write_vectors(Path(__file__).resolve().parent.parent / "data" / "vectors"))
