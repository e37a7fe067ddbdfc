"""Proofs changed in one place, each of which a verifier must reject.

The harness checks a handful of these before a configuration's times count (`nizkbench.checks`), the
conformance suite checks all of them (`nizkbench.conform`).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nizkbench.messages import RunRequest, VerifyRequest

#: Bytes in front of every verifying key: see "Files" in `provers/PROTOCOL.md`.
KEY_HEADER = 32


@dataclass(frozen=True, slots=True)
class Artifacts:
    """What a verifier is given: serialised proof and key, and the public input as JSON."""

    proof: bytes
    verifying_key: bytes
    public_input: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path) -> "Artifacts":
        """Read the files that a runner wrote into its `artifacts` folder."""
        return cls(
            proof=(folder / "proof.bin").read_bytes(),
            verifying_key=(folder / "verifying_key.bin").read_bytes(),
            public_input=json.loads((folder / "public_input.json").read_bytes()),
        )

    def request(self, name: str, configuration: RunRequest, folder: Path) -> VerifyRequest:
        """Write the files for one verdict into `folder`, and return the request for it.

        Files with the same content are written once, so that a runner may keep a prepared key.
        """
        public = json.dumps(dict(self.public_input)).encode()
        paths = {
            member: str(_written(folder, content))
            for member, content in (
                ("public_input", public),
                ("verifying_key", self.verifying_key),
                ("proof", self.proof),
            )
        }
        return VerifyRequest(
            id=name,
            system=configuration.system,
            statement=configuration.statement,
            size=configuration.size,
            variant=configuration.variant,
            options=configuration.options,
            **paths,
        )


@dataclass(frozen=True, slots=True)
class Tampering:
    """Artifacts with one change, in words; `bit` is the flipped bit of the proof, if that is it."""

    what: str
    artifacts: Artifacts
    bit: int | None = None


def _written(folder: Path, content: bytes) -> Path:
    # Python's hash of bytes is keyed per process, and a file never outlives the process.
    path = folder / f"{hash(content) & (2**64 - 1):016x}-{len(content)}.bin"
    if not path.exists():
        path.write_bytes(content)
    return path


def key_header(configuration: RunRequest, public_input: Mapping[str, Any]) -> bytes:
    """The first bytes of a verifying key, which bind it to what it was made for.

    `configuration` has every variant of its statement. Source: "Files" in `provers/PROTOCOL.md`.
    """
    variant = ",".join(f"{name}={value}" for name, value in sorted(configuration.variant.items()))
    names = ("nizk-bench/v1/key", configuration.system, variant)
    content = b"".join(name.encode() + b"\0" for name in names)
    (size,) = configuration.size.values()
    content += size.to_bytes(8, "little")
    if configuration.variant.get("constants") == "fixed":
        for constant in public_input["constants"]:
            content += int(constant, 16).to_bytes(KEY_HEADER, "little")
    return hashlib.sha256(content).digest()


def flip_positions(bits: int, count: int) -> list[int]:
    """Return `count` distinct positions (all, if there are fewer) spread over `bits` positions.

    The first and the last bit are among them, the gaps differ by at most one.
    """
    if count >= bits:
        return list(range(bits))
    if count == 1:
        return [0]
    return [step * (bits - 1) // (count - 1) for step in range(count)]


def flip_bit(content: bytes, bit: int) -> bytes:
    """Return `content` with one bit flipped; bit 0 is the least significant of byte 0."""
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)


def bit_flips(artifacts: Artifacts, count: int) -> list[Tampering]:
    """Flip one bit of the proof, at `count` positions spread over all of it."""
    return [flipped(artifacts, bit) for bit in flip_positions(8 * len(artifacts.proof), count)]


def flipped(artifacts: Artifacts, bit: int) -> Tampering:
    """Flip one bit of the proof."""
    proof = flip_bit(artifacts.proof, bit)
    return Tampering(f"bit {bit} flipped", replace(artifacts, proof=proof), bit)


def other_lengths(artifacts: Artifacts) -> list[Tampering]:
    """Cut the proof off, or lengthen it."""
    proof = artifacts.proof
    lengths = {
        "no proof at all": b"",
        "one byte of the proof": proof[:1],
        "half of the proof": proof[: len(proof) // 2],
        "all but the last byte": proof[:-1],
        "one byte more": proof + b"\x00",
        "the proof twice": proof + proof,
        "a megabyte more": proof + bytes(2**20),
        "as many zero bytes": bytes(len(proof)),
        "as many bytes of ones": b"\xff" * len(proof),
    }
    return [Tampering(what, replace(artifacts, proof=cut)) for what, cut in lengths.items()]
