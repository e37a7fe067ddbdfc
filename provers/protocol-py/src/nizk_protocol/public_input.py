"""The public input of any statement, in memory and as a file (STATEMENTS.md)."""

import json
from collections.abc import Callable

from nizk_protocol import hash_preimage, mimc
from nizk_protocol.configuration import Configuration
from nizk_protocol.failure import Failure, Rejection
from nizk_protocol.hash_preimage import HashPublicInput
from nizk_protocol.mimc import MimcPublicInput
from nizk_protocol.strict_json import JsonError, Members, parse_json

PublicInput = MimcPublicInput | HashPublicInput

_READERS: dict[str, Callable[[Members, Configuration, int], PublicInput]] = {
    mimc.STATEMENT: MimcPublicInput.read,
    hash_preimage.STATEMENT: HashPublicInput.read,
}


def write_public_input(public_input: PublicInput, configuration: Configuration) -> bytes:
    """The file of a public input."""
    return json.dumps(public_input.file(configuration)).encode()


def read_public_input(file: bytes, configuration: Configuration, order: int) -> PublicInput:
    """Read the file of another process; `order` is that of the system's field.

    `Rejection` for whatever is not exactly what could have been written for this configuration.
    """
    try:
        members = Members.of(parse_json(file.decode()))
        return _READERS[configuration.statement](members, configuration, order)
    except Failure as failure:
        raise Rejection(f"public input: {failure.message}") from None
    except (JsonError, UnicodeDecodeError) as error:
        raise Rejection(f"public input: {error}") from None
