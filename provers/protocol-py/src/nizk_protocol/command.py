"""The command line of every runner: `describe`, `run`, `classify`, `verify`."""

import contextlib
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from nizk_protocol.description import Library
from nizk_protocol.record import PROTOCOL, Output
from nizk_protocol.run import classify, run
from nizk_protocol.system import System
from nizk_protocol.verify import verify

_DONE, _FAILED, _USAGE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Runner:
    """A runner: its name as in `runner.toml`, the library it measures, the systems it implements.

    `build_features` are those of the library that bear on its times.
    """

    name: str
    library: Library
    systems: Sequence[System]
    build_features: tuple[str, ...] = ()


def main(runner: Runner, arguments: Sequence[str] | None = None) -> int:
    """The whole command line of a runner.

    The exit status is 0 if no request ended in an error, 1 if any did, 2 for a wrong command line.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    output, requests = Output(), sys.stdin.buffer
    try:
        match given:
            case ["describe"]:
                output.push(_describe(runner))
                output.flush()
                return _DONE
            case ["run"]:
                all_well = run(runner.systems, requests, output)
            case ["classify"]:
                all_well = classify(runner.systems, requests, output)
            case ["verify"]:
                all_well = verify(runner.systems, requests, output)
            case _:
                _complain(
                    f"{runner.name} takes exactly one argument, legal are describe, run, classify"
                    " and verify"
                )
                return _USAGE
    except BrokenPipeError:
        return _FAILED  # whoever closed the pipe knows that nothing more will come
    except OSError as error:
        _complain(f"standard input or output failed: {error.strerror}")
        return _FAILED
    return _DONE if all_well else _FAILED


def _describe(runner: Runner) -> dict[str, object]:
    interpreter = f"{platform.python_implementation()} {platform.python_version()}"
    return {
        "type": "describe",
        "protocol": PROTOCOL,
        "runner": runner.name,
        "library": asdict(runner.library),
        "build": {
            "target": f"{sys.platform}/{platform.machine()}",
            "profile": "release",
            "features": [interpreter, *runner.build_features],
            "target_cpu": "generic",
        },
        "systems": [system.description.record() for system in runner.systems],
    }


def _complain(sentence: str) -> None:
    """One sentence on standard error; that it is closed is no reason to end otherwise."""
    with contextlib.suppress(OSError):
        print(f"error: {sentence}", file=sys.stderr)
