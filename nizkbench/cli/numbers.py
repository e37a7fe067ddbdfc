"""`nizkbench numbers`: the numbers of the prose by key, and a check that none is typed by hand."""

from pathlib import Path
from typing import Annotated

import typer

from nizkbench.errors import NizkBenchError


def numbers(
    records: Annotated[Path | None, typer.Argument(help="The folder of a run's records.")] = None,
    analysis: Annotated[
        Path | None,
        typer.Option("--analysis", help="The folder that `nizkbench estimate` wrote to."),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option("--into", help="The folder for numbers.tex, numbers.json, runs.json."),
    ] = None,
    beside: Annotated[
        Path | None, typer.Option("--beside", help="The file that `nizkbench beside` wrote.")
    ] = None,
    lint: Annotated[
        Path | None,
        typer.Option("--lint", help="Refuse LaTeX below this folder with numbers typed by hand."),
    ] = None,
) -> None:
    """Write the numbers of a run for LaTeX, or check prose for numbers typed by hand."""
    if lint is not None:
        from nizkbench import typed_numbers

        typed_numbers.lint(lint)
        return
    if records is None or analysis is None or into is None:
        raise NizkBenchError("numbers needs RECORDS, --analysis and --into, or --lint alone")
    from nizkbench import made_from
    from nizkbench import numbers as generated
    from nizkbench.beside import GRID, HASHES, P1_GRINDING, PART, RANGES, read_kept
    from nizkbench.results import read_results

    others = read_kept(beside)
    results = others.deciding(read_results(records, analysis))
    found = generated.computed_from(generated.numbers(results), records)
    of: dict[str, generated.Number] = {}
    folders = others.folders
    if others.grid is not None:
        from nizkbench.grid_numbers import grid_numbers

        of_grid = grid_numbers(others.grid, others.again, others.part)
        read = (folders.get(name) for name in (GRID, P1_GRINDING, PART))
        of |= generated.computed_from(of_grid, *read)
    if others.hashes is not None:
        from nizkbench.hash_numbers import hash_numbers

        of |= generated.computed_from(hash_numbers(others.hashes), folders[HASHES])
    if others.ranges is not None:
        from nizkbench.range_numbers import range_numbers

        of |= generated.computed_from(range_numbers(others.ranges), folders[RANGES])
    # Where there is a grid, it decides what earlier work claims of a STARK's options.
    decided = generated.decided_elsewhere(found, results)
    found |= generated.computed_from(decided, records, folders.get(GRID), folders.get(P1_GRINDING))
    for path in generated.write_numbers(found | of, into):
        print(path)
    print(made_from.keep({made_from.MAIN: records, **folders}, into))
