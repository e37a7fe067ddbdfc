"""`nizkbench whence`: where a number of the paper comes from."""

from pathlib import Path
from typing import Annotated

import typer


def whence(
    key: Annotated[str, typer.Argument(help="A key, as the sources of the paper have it.")],
    numbers: Annotated[
        Path, typer.Option("--numbers", help="The numbers.json that the paper was built from.")
    ] = Path("build/standard/generated/numbers.json"),
) -> None:
    """Print a number's estimate, its records, run, revision and locks, and what computes it."""
    from rich.console import Console

    from nizkbench.whence import UnknownKeyError
    from nizkbench.whence import whence as look_up

    try:
        found = look_up(key, numbers)
    except UnknownKeyError:
        # A sentence of the paper is called by its last part: \\finding{hash-dense}.
        found = look_up(f"finding.{key}", numbers)
    console = Console(highlight=False, soft_wrap=True, markup=False)

    def line(name: str, text: str) -> None:
        console.print(f"{name:<12}{text}")

    line("key", found.key)
    line("says", found.said)
    line("is", found.source)
    line("code", found.code)
    for origin in found.origins:
        manifest = origin.manifest
        revision = manifest.get("revision") or {}
        console.print()
        line("run", str(origin.folder))
        line("", f"begun {manifest['started_utc']}, profile {manifest['name']}")
        clean = "" if revision.get("clean") else ", with changes that were not committed"
        line("revision", f"{revision.get('commit') or 'not recorded'}{clean}")
        for name, digest in (manifest.get("locks") or {}).items():
            line("lock", f"{name} {digest}")
        which = (
            "the whole run"
            if origin.whole
            else ", ".join(origin.configurations["configuration"].sort())
        )
        line("records", f"{which}: {origin.invocations} invocations, {origin.samples} samples")
