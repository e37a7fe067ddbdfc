"""The file of a verifying key: a header that binds it, then the library's own bytes."""

import hashlib

from nizk_protocol.configuration import Configuration
from nizk_protocol.failure import Rejection
from nizk_protocol.public_input import PublicInput

#: Bytes of the header.
HEADER_BYTES = 32


def header_of(configuration: Configuration, public_input: PublicInput) -> bytes:
    """SHA-256 over system, canonical variant, size and the constants that the circuit has fixed.

    Source: PROTOCOL.md, "Files".
    """
    names = ("nizk-bench/v1/key", configuration.system, configuration.canonical_variant())
    content = b"".join(name.encode() + b"\0" for name in names)
    content += configuration.size.to_bytes(8, "little")
    for constant in public_input.constants_of_key(configuration):
        content += constant.to_bytes(32, "little")
    return hashlib.sha256(content).digest()


def compose_key_file(
    configuration: Configuration, public_input: PublicInput, library_bytes: bytes
) -> bytes:
    """A key file as it is written."""
    return header_of(configuration, public_input) + library_bytes


def open_key_file(file: bytes, configuration: Configuration, public_input: PublicInput) -> bytes:
    """The library's bytes of a key file; `Rejection` for one that belongs to something else."""
    if len(file) < HEADER_BYTES:
        raise Rejection(
            f"the verifying key has {len(file)} bytes, its header alone has {HEADER_BYTES}"
        )
    if file[:HEADER_BYTES] != header_of(configuration, public_input):
        raise Rejection(
            "the verifying key belongs to another system, variant, size or other constants"
        )
    return file[HEADER_BYTES:]
