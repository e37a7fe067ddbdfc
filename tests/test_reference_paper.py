"""The paper of the recorded runs, as a reader holds it: of a length, legible, and whole."""

import re
import shutil
from pathlib import Path

import polars as pl
import pytest

from nizkbench import layout
from nizkbench.analysis import analyse
from nizkbench.coverage import STANDARD, coverage
from nizkbench.figures import draw, write_drawn
from nizkbench.grid_claims import read_grid, with_grid
from nizkbench.grid_figures import draw_grid
from nizkbench.grid_numbers import grid_numbers
from nizkbench.grid_tables import write_grid_tables
from nizkbench.hash_figures import draw_hashes
from nizkbench.hash_numbers import hash_numbers
from nizkbench.hash_results import read_hash_results
from nizkbench.hash_tables import write_hash_tables
from nizkbench.numbers import numbers, write_numbers
from nizkbench.paper import DOCUMENTS, build_paper
from nizkbench.range_figures import draw_ranges
from nizkbench.range_numbers import range_numbers
from nizkbench.range_results import read_range_results
from nizkbench.range_tables import write_range_tables
from nizkbench.records import read_run
from nizkbench.results import results_of
from nizkbench.tables import write_tables

REFERENCE = layout.reference()
PAPER = layout.root() / "paper"

#: The smallest letters of a table have seven points; what may be left of that where it is too wide.
LEGIBLE = {"paper": 0.95, "supplement": 0.85}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("latexmk") is None, reason="no LaTeX here"),
]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What LaTeX said of each document, typeset from all recorded runs."""
    folder = tmp_path_factory.mktemp("built")
    generated = folder / "generated"
    run = read_run(REFERENCE / "standard")
    overhead = pl.read_parquet(REFERENCE / "standard" / "overhead.parquet")
    grid, again = read_grid(REFERENCE / "full-stark-grid", REFERENCE / "standard-p1-grinding")
    hashes = read_hash_results(REFERENCE / "full-hash-functions")
    ranges = read_range_results(REFERENCE / "full-range-proofs")
    results = with_grid(
        results_of(run, analyse(run.records), coverage(STANDARD, 40), overhead), grid, again
    )
    beside = grid_numbers(grid, again) | hash_numbers(hashes) | range_numbers(ranges)
    write_numbers(numbers(results) | beside, generated)
    write_tables(results, generated / "tables")
    write_grid_tables(grid, generated / "tables" / "grid", again)
    write_hash_tables(hashes, generated / "tables" / "hashes")
    write_range_tables(ranges, generated / "tables" / "ranges")
    drawn = {
        generated / "figures": draw(results),
        generated / "figures" / "grid": draw_grid(grid, again),
        generated / "figures" / "hashes": draw_hashes(hashes),
        generated / "figures" / "ranges": draw_ranges(ranges),
    }
    write_drawn(drawn, results.epoch)
    for document in DOCUMENTS:
        build_paper(PAPER, generated, folder / f"{document}.pdf", results.epoch)
    return {one: _log(folder, one) for one in DOCUMENTS}


def _log(folder: Path, document: str) -> str:
    return (folder / "latex" / document / f"{document}.log").read_text("utf-8", "replace")


def test_paper_has_eight_to_fourteen_pages(logs: dict[str, str]) -> None:
    pages = re.search(r"Output written on .*paper\.pdf \((\d+) pages", logs["paper"])
    assert pages is not None
    assert 8 <= int(pages[1]) <= 14


@pytest.mark.parametrize("document", DOCUMENTS)
def test_nothing_runs_out_of_its_column(logs: dict[str, str], document: str) -> None:
    wide = re.findall(r"^Overfull \\hbox \(([\d.]+)pt", logs[document], re.MULTILINE)
    assert not [one for one in wide if float(one) > 1], wide


@pytest.mark.parametrize("document", DOCUMENTS)
def test_nothing_runs_off_its_page(logs: dict[str, str], document: str) -> None:
    assert "Float too large" not in logs[document]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_table_is_made_too_small_to_read(logs: dict[str, str], document: str) -> None:
    shrunk = re.findall(
        r"nizkbench: table (\S+) has ([\d.]+)pt, of which ([\d.]+)pt", logs[document]
    )
    small = {name: float(fits) / float(width) for name, width, fits in shrunk}
    assert all(share > LEGIBLE[document] for share in small.values()), small
