"""`RUNNER verify`: a proof from files, judged in another process than the one that made it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from nizk_protocol.answers import answer_all
from nizk_protocol.configuration import Configuration
from nizk_protocol.failure import Failure, Rejection, in_one_line
from nizk_protocol.key_file import header_of, open_key_file
from nizk_protocol.public_input import PublicInput, read_public_input
from nizk_protocol.record import Output
from nizk_protocol.request import Envelope, VerifyRequest
from nizk_protocol.strict_json import quoted
from nizk_protocol.system import System, Verdict, Verifier, rejected

#: No file of any runner is this long; a longer one is not read.
_LONGEST_FILE = 256 * 2**20


def verify(systems: Sequence[System], input_: BinaryIO, output: Output) -> bool:
    """Answer every request of a stream; whether all of them ended in a verdict."""
    judge = _Judge()

    def carry_out(envelope: Envelope) -> None:
        verdict = judge.judge(envelope.into_verify(systems))
        answer = {"type": "verdict", "id": envelope.id, "accepted": verdict.accepted}
        output.push(answer | {"reason": verdict.reason})

    return answer_all(input_, output, carry_out)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A verifying key ready for use, with what it was prepared from."""

    path: str
    configuration: Configuration
    header: bytes
    verifier: Verifier


class _Judge:
    """What lasts from one request to the next: the last key, since proofs for one come in a row."""

    def __init__(self) -> None:
        self._prepared: _Prepared | None = None

    def judge(self, request: VerifyRequest) -> Verdict:
        files = {name: _read(name, getattr(request, name)) for name in ("public_input", "proof")}
        key = None if self._serves(request) else _read("verifying_key", request.verifying_key)
        try:
            order = request.system.description.field.order
            public_input = read_public_input(
                _bytes(files["public_input"]), request.configuration, order
            )
            verifier = self._verifier(request, None if key is None else _bytes(key), public_input)
            return verifier.verify(public_input, _bytes(files["proof"]))
        except Rejection as rejection:
            return rejected(str(rejection))
        except Failure as failure:
            return rejected(failure.message)
        except Exception as thrown:
            # Whatever a library makes of hostile bytes, they are no proof.
            return rejected(f"the library broke over the files: {in_one_line(thrown)}")

    def _serves(self, request: VerifyRequest) -> bool:
        prepared = self._prepared
        return (
            prepared is not None
            and prepared.path == request.verifying_key
            and prepared.configuration == request.configuration
        )

    def _verifier(
        self, request: VerifyRequest, key: bytes | None, public_input: PublicInput
    ) -> Verifier:
        """The prepared key; its header is compared for every proof, for constants may be in it."""
        configuration = request.configuration
        if key is None and self._prepared is not None:
            open_key_file(self._prepared.header, configuration, public_input)
            return self._prepared.verifier
        library_bytes = open_key_file(key or b"", configuration, public_input)
        verifier = request.system.verifier(configuration, library_bytes)
        header = header_of(configuration, public_input)
        self._prepared = _Prepared(request.verifying_key, configuration, header, verifier)
        return verifier


def _bytes(content: bytes | Rejection) -> bytes:
    if isinstance(content, Rejection):
        raise content
    return content


def _read(member: str, path: str) -> bytes | Rejection:
    """A file whole, or why it is rejected; one that is missing is a fault of the request."""
    if "\0" in path or not Path(path).exists():
        raise Failure.invalid_request(
            member, f"{member} is {quoted(path)}, legal is the path of a file"
        )
    try:
        if Path(path).stat().st_size > _LONGEST_FILE:
            return Rejection(
                f"{member} is longer than {_LONGEST_FILE} bytes, which nothing of this runner is"
            )
        return Path(path).read_bytes()
    except OSError as error:
        return Rejection(f"{member} cannot be read: {error.strerror}")
