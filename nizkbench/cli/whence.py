"""`nizkbench whence`: where a number of the paper comes from."""

from pathlib import Path
from typing import Annotated

import typer


def whence(
    key: Annotated[
        str,
        typer.Argument(help="A key, as the sources of the paper have it, or what is printed."),
    ],
    numbers: Annotated[
        Path, typer.Option("--numbers", help="The numbers.json that the paper was built from.")
    ] = Path("build/standard/generated/numbers.json"),
) -> None:
    """Print a number's estimate, its records, run, revision and locks, and what computes it.

    What is no key is looked for in what is printed, and the keys that print it are listed.
    """
    from rich.console import Console

    from nizkbench.whence import MOST_LISTED, key_of, printing, read_sources
    from nizkbench.whence import whence as look_up

    console = Console(highlight=False, soft_wrap=True, markup=False)

    def line(name: str, text: str) -> None:
        console.print(f"{name:<12}{text}")

    def lines(name: str, texts: tuple[str, ...]) -> None:
        for number, text in enumerate(texts[:MOST_LISTED]):
            line("" if number else name, text)
        if len(texts) > MOST_LISTED:
            line("", f"and {len(texts) - MOST_LISTED} more")

    known = read_sources(numbers)
    if key_of(key, known) is None and (hits := printing(key, known)):
        console.print(f"{key} is no key. It is printed by")
        for name, around in hits[:MOST_LISTED]:
            console.print(f"    {name}: {around}")
        if len(hits) > MOST_LISTED:
            console.print(f"    and {len(hits) - MOST_LISTED} more: more of the text finds fewer.")
        return
    found = look_up(key, numbers)
    line("key", found.key)
    line("says", found.said)
    line("is", found.source)
    line("code", found.code)
    lines("estimates", found.estimates)
    if found.simulated:
        line("simulated", "not measured: `nizkbench coverage` draws times and rests on no run")
    for origin in found.origins:
        manifest = origin.manifest
        revision = manifest.get("revision") or {}
        console.print()
        for kept in origin.kept:
            line("table", f"{kept.path}, {kept.rows} rows, kept beside the run's own records")
            line("measured", kept.measured or "at a revision and date that nothing records")
            for number, text in enumerate(kept.estimates):
                line("" if number else "compared", text)
        line("run", str(origin.folder))
        line("", f"begun {manifest['started_utc']}, profile {manifest['name']}")
        clean = "" if revision.get("clean") else ", with changes that were not committed"
        line("revision", f"{revision.get('commit') or 'not recorded'}{clean}")
        for name, digest in (manifest.get("locks") or {}).items():
            line("lock", f"{name} {digest}")
        if origin.kept:
            line("records", origin.what or "of the table alone, none of the run's own invocations")
        else:
            counts = f"{origin.invocations} invocations, {origin.samples} samples"
            line("records", f"{origin.what}: {counts}")
