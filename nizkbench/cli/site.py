"""`nizkbench site`: the front page of the report."""

from pathlib import Path
from typing import Annotated

import typer

from nizkbench.errors import NizkBenchError


def site(
    records: Annotated[Path, typer.Argument(help="The folder of the main run's records.")],
    analysis: Annotated[
        Path, typer.Option("--analysis", help="The folder that `nizkbench estimate` wrote to.")
    ],
    points: Annotated[
        Path, typer.Option("--points", help="The folder that `nizkbench points` wrote to.")
    ],
    into: Annotated[Path, typer.Option("--into", help="The folder of the report.")],
    page: Annotated[
        list[str] | None,
        typer.Option("--page", help="FILE=NOTEBOOK of a page beside it, to link to."),
    ] = None,
    beside: Annotated[
        Path | None, typer.Option("--beside", help="The file that `nizkbench beside` wrote.")
    ] = None,
) -> None:
    """Write the front page of the report: explorer, claims, control and manifests, no network."""
    from nizkbench import made_from
    from nizkbench.beside import read_kept
    from nizkbench.claim_verdicts import judged
    from nizkbench.points import read_points
    from nizkbench.results import read_results
    from nizkbench.site import write_site

    notebooks = {}
    for one in page or ():
        file, sign, notebook = one.partition("=")
        if not sign:
            raise NizkBenchError(f"--page is {one!r}, it must be FILE=NOTEBOOK")
        notebooks[file] = Path(notebook)
    others = read_kept(beside)
    results = others.deciding(read_results(records, analysis))
    verdicts = judged(results, others.hashes, others.ranges)
    for path in write_site(results, read_points(points), verdicts, notebooks, into):
        print(path)
    print(made_from.keep({made_from.MAIN: records, **others.folders}, into))
