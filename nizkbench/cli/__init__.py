"""The command line: one file a verb, named after it and holding a function of the same name.

A new verb is a new file; nothing here needs to change. Only the file of the verb that was asked for
is imported, so that a verb pays for what it uses and for nothing else.
"""

import importlib
import pkgutil
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

import typer
from rich.console import Console

from nizkbench.errors import FULL, NizkBenchError

#: One word on why a command ended, as the shell sees it.
FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130


def verbs() -> list[str]:
    """The names of all verbs."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def application(names: Sequence[str]) -> typer.Typer:
    """The command line with the verbs called `names`."""
    app = typer.Typer(
        name="nizkbench",
        help="Measure zero-knowledge proof systems and estimate from what was measured.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_no_options)
    for name in names:
        module = importlib.import_module(f"{__name__}.{name}")
        app.command(name.replace("_", "-"))(getattr(module, name))
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line and exit: 0, or 1 with one sentence, or 2 for wrong usage.

    What the disk refuses, to Python or to polars, is such a sentence too.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    asked = given[0].replace("-", "_") if given else ""
    known = verbs()
    app = application([asked] if asked in known else known)
    try:
        app(given, prog_name="nizkbench")
    except NizkBenchError as error:
        _fail(str(error))
    except OSError as error:
        _fail(_refusal(error))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:
        # Only where a verb has loaded polars can it have raised: loading it here costs every verb.
        polars = sys.modules.get("polars")
        if polars is None or not isinstance(error, polars.exceptions.PolarsError):
            raise
        _fail(_refusal(error))


def _fail(sentence: str) -> NoReturn:
    """Print one sentence and exit with status 1."""
    line = " ".join(sentence.split())
    Console(stderr=True, soft_wrap=True, highlight=False, markup=False).print(f"error: {line}")
    sys.exit(FAILED)


def _refusal(error: Exception) -> str:
    """Why a file, or a table in it, could not be read or written, as one sentence."""
    said = str(error)
    file: str | None = None
    if isinstance(error, OSError):
        number, file = error.errno, error.filename
    else:
        # polars is written in Rust, which names the system's errors by their numbers.
        told = re.search(r"\(os error (\d+)\)", said)
        number = int(told[1]) if told else None
    if number in FULL:
        return f"{file or 'a file'} cannot be written: the disk is full; free some and start again"
    if isinstance(error, OSError) and error.strerror:
        return f"{file}: {error.strerror}" if file else error.strerror
    return f"a table cannot be read or written: {said}"


def _no_options() -> None:
    """Keep verbs verbs even when only one is loaded."""
