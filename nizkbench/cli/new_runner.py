"""`nizkbench new-runner`: a runner for another library, and what is left to write."""

from typing import Annotated

import typer
from rich.console import Console

from nizkbench.newcomer import new_runner as make


def new_runner(
    name: Annotated[str, typer.Argument(help="The runner's name, as a table will show it.")],
    language: Annotated[str, typer.Argument(help="rust, go, node or python.")],
) -> None:
    """Make a runner that keeps the protocol and proves nothing yet; EXTENDING.md is the guide."""
    made = make(name, language)
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(f"made   provers/{made.name}/")
    for one in made.left:
        console.print(f"left   {one}")
