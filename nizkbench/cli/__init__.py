"""The command line: one file a verb, named after it and holding a function of the same name.

A new verb is a new file; nothing here needs to change. Only the file of the verb that was asked for
is imported, so that a verb pays for what it uses and for nothing else.
"""

import importlib
import pkgutil
import sys
from collections.abc import Sequence

import typer
from rich.console import Console

from nizkbench.errors import NizkBenchError

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
    """Run a command line and exit: 0, or 1 with one sentence, or 2 for wrong usage."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    asked = given[0].replace("-", "_") if given else ""
    known = verbs()
    app = application([asked] if asked in known else known)
    try:
        app(given, prog_name="nizkbench")
    except NizkBenchError as error:
        Console(stderr=True, soft_wrap=True, highlight=False, markup=False).print(f"error: {error}")
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _no_options() -> None:
    """Keep verbs verbs even when only one is loaded."""
