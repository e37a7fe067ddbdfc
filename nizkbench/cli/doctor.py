"""`nizkbench doctor`: what on this machine makes times noisy or a runner fail."""

import typer
from rich.console import Console
from rich.text import Text

from nizkbench.doctor import examine

_STYLES = {"fine": "green", "noisy": "yellow", "missing": "red", "unbuilt": "dim", "unknown": "dim"}


def doctor() -> None:
    """Say what will make times noisy or a runner fail here, and what to do about it.

    Ends with status 1 if something is missing; noise is no reason to fail, nor is a runner that is
    not built yet.
    """
    findings = examine()
    console = Console(highlight=False, soft_wrap=True)
    width = max(len(one.subject) for one in findings)
    for one in findings:
        line = Text(f"{one.level:8}", style=_STYLES[one.level])
        line.append(f"{one.subject:{width}}  {one.found}", style="default")
        console.print(line)
        if one.advice:
            console.print(Text(" " * (10 + width) + f"→ {one.advice}", style="bold"))
    if any(one.level == "missing" for one in findings):
        raise typer.Exit(1)
