"""`nizkbench describe`: what the runners are and what they can prove."""

from typing import Annotated

import typer
from rich.console import Console

from nizkbench.messages import encode_line
from nizkbench.runner import Offer, find_runner, find_runners, offers
from nizkbench.runner import describe as ask


def describe(
    runner: Annotated[
        str | None, typer.Argument(help="A runner; all of them if none is named.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what the runners say, one object a line.")
    ] = False,
) -> None:
    """Show the systems that the runners offer, with their statements, variants and options."""
    runners = [find_runner(runner)] if runner else list(find_runners().values())
    if as_json:
        for one in runners:
            print(encode_line(ask(one)).decode(), end="")
        return
    console = Console(highlight=False, soft_wrap=True)
    for offer in offers(runners).values():
        console.print(offer.system.system, style="bold")
        for subject, what in _lines(offer):
            console.print(f"  {subject:15}{what}", markup=False)


def _lines(offer: Offer) -> list[tuple[str, str]]:
    system, library, build = offer.system, offer.describe.library, offer.describe.build
    lines = [
        ("library", f"{library.name} {library.version} ({build.profile}, {build.target_cpu})"),
        ("field", f"{system.field.name}, {system.field.bits} bits"),
        ("setup", system.properties.trusted_setup),
        ("hides", system.properties.zero_knowledge.level),
        ("phases", ", ".join(_phase(one.phase, one.includes) for one in system.phases)),
    ]
    for one in system.statements:
        size = one.size
        rule = "" if size.rule == "any" else ", powers of two minus one"
        lines.append((one.statement, f"{size.name} {size.minimum} to {size.maximum}{rule}"))
        for variant in one.variants:
            legal = ", ".join(variant.values)
            lines.append(("variant", f"{variant.name}={variant.default} ({legal})"))
        for declared in one.unsound:
            shown = ", ".join(f"{name}={value}" for name, value in declared.variant.items())
            lines.append(("unsound", f"{shown} must fail {declared.check}"))
    for option in system.options:
        lines.append(("option", f"{option.name}={option.default} ({option.legal}): {option.help}"))
    return lines


def _phase(name: str, includes: tuple[str, ...]) -> str:
    return f"{name} (with {' and '.join(includes)})" if includes else name
