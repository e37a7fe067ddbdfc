"""`nizkbench numbers`: the numbers of the prose by key, and a check that none is typed by hand."""

from pathlib import Path
from typing import Annotated

import typer

from nizkbench.beside import Grid, Hashes, P1Grinding, Ranges
from nizkbench.errors import NizkBenchError


def numbers(
    records: Annotated[Path | None, typer.Argument(help="The folder of a run's records.")] = None,
    analysis: Annotated[
        Path | None,
        typer.Option("--analysis", help="The folder that `nizkbench estimate` wrote to."),
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="The folder for numbers.tex and numbers.json.")
    ] = None,
    grid: Grid = None,
    p1_grinding: P1Grinding = None,
    grid_part: Annotated[
        Path | None,
        typer.Option("--grid-part", help="Records of a balanced part of the same grid."),
    ] = None,
    hashes: Hashes = None,
    ranges: Ranges = None,
    lint: Annotated[
        Path | None,
        typer.Option("--lint", help="Refuse LaTeX below this folder with numbers typed by hand."),
    ] = None,
) -> None:
    """Write the numbers of a run for LaTeX, or check prose for numbers typed by hand."""
    from nizkbench import numbers as generated
    from nizkbench.results import read_results

    if lint is not None:
        generated.lint(lint)
        return
    if records is None or analysis is None or into is None:
        raise NizkBenchError("numbers needs RECORDS, --analysis and --into, or --lint alone")
    for name, given in (("--p1-grinding", p1_grinding), ("--grid-part", grid_part)):
        if grid is None and given is not None:
            raise NizkBenchError(f"{name} is part of the section on a grid and needs --grid")
    results = read_results(records, analysis)
    beside: dict[str, generated.Number] = {}
    if grid is not None:
        from nizkbench.grid_claims import read_grid, with_grid
        from nizkbench.grid_numbers import grid_numbers

        run, luck = read_grid(grid, p1_grinding)
        part = None if grid_part is None else read_grid(grid_part)[0]
        results = with_grid(results, run, luck)
        of_grid = grid_numbers(run, luck, part)
        beside |= generated.computed_from(of_grid, grid, p1_grinding, grid_part)
    if hashes is not None:
        from nizkbench.hash_numbers import hash_numbers
        from nizkbench.hash_results import read_hash_results

        of_hashes = hash_numbers(read_hash_results(hashes))
        beside |= generated.computed_from(of_hashes, hashes)
    if ranges is not None:
        from nizkbench.range_numbers import range_numbers
        from nizkbench.range_results import read_range_results

        of_ranges = range_numbers(read_range_results(ranges))
        beside |= generated.computed_from(of_ranges, ranges)
    found = generated.computed_from(generated.numbers(results), records)
    # Where there is a grid, it decides what earlier work claims of a STARK's options.
    starts = tuple(f"{what}.{key}." for what in ("verdict", "because") for key in results.elsewhere)
    decided = {key: number for key, number in found.items() if key.startswith(starts)}
    found |= generated.computed_from(decided, records, grid, p1_grinding)
    for path in generated.write_numbers(found | beside, into):
        print(path)
