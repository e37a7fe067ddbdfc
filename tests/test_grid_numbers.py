"""The section on the option grid has every number it names, and is left out where there is none."""

import json
import math
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from nizkbench import layout
from nizkbench.cli import main
from nizkbench.errors import NizkBenchError
from nizkbench.figures import FIGURES
from nizkbench.grid_claims import QUERIES_BELOW, read_grid
from nizkbench.grid_figures import attempt_bins, clouds, draw_grid
from nizkbench.grid_numbers import SHORT, _of_the_run, grid_numbers
from nizkbench.grid_prose import (
    SEEN,
    chance_of_seen,
    front_drawn,
    luck_repeated,
    model_part,
    part_agrees,
    precision,
)
from nizkbench.grid_results import GridResults
from nizkbench.grid_tables import AGAIN, TABLES, write_grid_tables
from nizkbench.numbers import CELL, numbers, numbers_tex, write_numbers
from nizkbench.p1_together import repeated
from nizkbench.paper import DOCUMENTS, build_paper
from nizkbench.quantities import exact
from nizkbench.records import write_records
from nizkbench.results import Results
from nizkbench.tables import write_tables
from nizkbench.typed_numbers import lint
from tests.made_grid import ATTEMPT_NS, crossed, made_grid, structure
from tests.prose import keys
from tests.test_grid_claims import luck
from tests.test_p1_grinding import made as made_again
from tests.test_paper import _BLANK, PAPER, needs_latex

#: Each by the document that includes it where a grid is recorded.
SECTION = {
    "sections/stark-grid": "paper",
    "supplement/stark-grid": "supplement",
    "supplement/stark-grid-tables": "supplement",
}

MANIFEST: dict[str, Any] = {
    "name": "made-up",
    "started_utc": "2026-11-01T00:00:00.000Z",
    "grid": {
        "parts": {"options": {"legal": 900, "kept": 432, "imbalance": 0.1}},
        "excluded": [{"rule": "too-few-points", "combinations": 7, "message": "too few"}],
    },
}


def _grid(wanted: list[dict[str, Any]], **how: Any) -> GridResults:  # noqa: ANN401
    records = made_grid(wanted, blocks=3, samples=3, **how)
    configurations = records.configurations.with_columns(series=pl.lit("options"))
    changed = {name: records.table(name) for name in records.__slots__} | {
        "configurations": configurations
    }
    return GridResults(type(records)(**changed), MANIFEST)


@pytest.fixture(scope="module")
def made() -> GridResults:
    return _grid(
        crossed(
            queries=[27, 41, 42],
            blowup=[2, 4, 8],
            grinding=[0, 8, 16],
            hash=["blake3-256", "sha3-256"],
            extension=["none", "quadratic"],
            folding=[4, 8],
            remainder_max_degree=[31, 255],
        )
    )


@pytest.fixture(scope="module")
def small() -> GridResults:
    """Too few cells for anything but their times, and none of earlier work's."""
    return _grid(crossed(queries=[27, 54], blowup=[4], grinding=[0], rounds=[63]))


def _section() -> str:
    return "\n".join((PAPER / f"{name}.tex").read_text("utf-8") for name in SECTION)


@pytest.mark.parametrize("with_luck", [True, False])
def test_every_key_of_the_section_exists_for_any_grid(
    made: GridResults, small: GridResults, *, with_luck: bool
) -> None:
    table = luck((6.1, 5.8, 6.4)) if with_luck else None
    for grid in (made, small):
        assert keys(_section()) <= set(grid_numbers(grid, table))


def test_tables_and_figures_of_the_section_are_generated(made: GridResults) -> None:
    tables = re.findall(r"\\generatedtable\{grid/([^}#]+)\}", _section())
    figures = re.findall(r"\\generatedfigure\{grid/([^}#]+)\}", _section())
    assert set(tables) <= set(TABLES | AGAIN)
    assert set(figures) <= set(draw_grid(made))
    assert len(re.findall(r"\\generated(?:table|figure)", _section())) == len(tables + figures)


def test_run_without_a_grid_leaves_the_section_out(results: Results, made: GridResults) -> None:
    assert numbers(results)["rows.stark-grid"].text == "0"
    both = numbers(results) | grid_numbers(made)
    assert both["rows.stark-grid"].text == str(made.cells.height)
    assert not any(key.startswith("grid.") for key in numbers(results))
    for name, document in SECTION.items():
        included = rf"\whenrows{{stark-grid}}{{\input{{{name}}}}}{{}}"
        assert included in (PAPER / f"{document}.tex").read_text("utf-8")


def test_generated_latex_defines_every_key_once_with_a_grid(
    results: Results, made: GridResults
) -> None:
    both = numbers(results) | grid_numbers(made, luck((6.1, 5.8, 6.4)))
    keys = re.findall(r"^\\defineresult\{([^}]+)\}", numbers_tex(both), re.MULTILINE)
    assert len(keys) == len(set(keys))
    assert set(keys) >= {key for key in both if not key.startswith(CELL)}


def test_prose_of_the_section_has_no_number_typed_by_hand() -> None:
    assert all((PAPER / f"{name}.tex").is_file() for name in SECTION)
    lint(PAPER)


def test_sentences_are_whole_for_any_grid(made: GridResults, small: GridResults) -> None:
    for grid, table in ((made, luck((6.1, 5.8, 6.4))), (small, None)):
        for key, number in grid_numbers(grid, table).items():
            if key.startswith(("finding.", "grid.because.")):
                assert number.text.endswith("."), key
                assert number.text[0].isupper() or number.text[0].isdigit(), key
                for wrong in ("nan", "None", ",,", "..", "  "):
                    assert wrong not in number.text, (key, number.text)


def test_numbers_are_those_of_the_grid(made: GridResults) -> None:
    found = grid_numbers(made)
    assert found["grid.cells"].text == rf"\num{{{made.cells.height}}}"
    assert found["grid.legal"].text == r"\num{900}"
    assert found["grid.unsupported"].text == r"\num{7}"
    assert found["grid.rules"].text == r"\num{1}"
    for metric, short in SHORT.items():
        effect = found[f"grid.effect.{short}.blowup.2"].quantity
        assert effect is not None
        assert effect == made.effect(metric, "blowup", "2")
        shares = made.variance.filter((pl.col("metric") == metric) & (pl.col("term") == "blowup"))
        share = found[f"grid.share.{short}.blowup"].quantity
        assert share is not None
        assert share.value == shares["share"][0]
    ratio = found["grid.over-recommended.default.prove"].quantity
    assert ratio == made.default_over_recommended
    assert ratio is not None
    assert ratio.low < ratio.value < ratio.high


LOADS: dict[str, Any] = {
    "shards": 2,
    "machines": [{"processor": "P", "usable_cores": 2}],
    "finished": {"median_load1": 2.84, "highest_load1": 3.23, "steal_share": 0.0005},
}


def test_precision_says_how_quiet_the_machine_was(made: GridResults, small: GridResults) -> None:
    assert "load" not in precision(made)  # its manifest does not tell
    busy = precision(GridResults(made.records, MANIFEST | LOADS))
    assert "was 2.8 in the median and 3.2 at most on 2 cores" in busy
    assert "the 2 processes that are measured side by side make 2: most of the time the" in busy
    assert "0.0500\u202f% went to the host's other guests" in busy
    found = {one.key: one for one in _of_the_run(GridResults(made.records, MANIFEST | LOADS))}
    assert found["grid.median-load1"].quantity == exact(2.84)
    loads = {"median_load1": 1.2, "highest_load1": 1.5}
    quiet = precision(GridResults(small.records, MANIFEST | LOADS | {"finished": loads} | ONE))
    assert "all else, the harness's own bookkeeping included, made 0.5 at most." in quiet
    assert "guests" not in quiet
    sometimes = loads | {"highest_load1": 2.6}
    said = precision(GridResults(small.records, MANIFEST | LOADS | {"finished": sometimes} | ONE))
    assert "the process that is measured makes 1: at times the cores were shared" in said


ONE = {"shards": 1}


def test_widths_are_told_with_and_without_the_pace(made: GridResults) -> None:
    found = grid_numbers(made)
    for metric in ("prove", "verify"):
        paced, unpaced = (
            found[f"grid.{name}.{metric}"].quantity for name in ("half-width", "half-width-unpaced")
        )
        assert paced is not None
        assert unpaced is not None
        assert paced.value > 0
        assert unpaced.value > 0
    assert "With no pace divided out it would be" in precision(made)


def test_a_part_that_was_measured_by_itself_is_predicted_and_compared(
    made: GridResults, small: GridResults
) -> None:
    part = _grid(crossed(queries=[27, 42], blowup=[2, 4, 8], grinding=[0, 8, 16], folding=[4, 8]))
    # The part's names are of other cells: what they are the same as is told by their options.
    renamed = {
        name: table.with_columns(configuration=pl.lit("p") + pl.col("configuration"))
        if "configuration" in table.columns
        else table
        for name in part.records.__slots__
        for table in [part.records.table(name)]
    }
    part = GridResults(type(part.records)(**renamed), MANIFEST | {"name": "half"})
    said = model_part(made, part)
    assert said.startswith("The cells of profile half were measured by themselves")
    errors = made.elsewhere_errors(part)
    assert errors["cells"].to_list() == [part.cells.height] * 3
    assert (errors["median"] < 0.2).all()
    found = grid_numbers(made, part=part)
    assert found["finding.grid-model-part"].text.endswith(".")
    assert found["rows.stark-grid-part"].text == "1"
    median = found["grid.part.prove.median"].quantity
    assert median is not None
    assert median.value == errors["median"][0]
    assert model_part(made, None) == "No balanced part is recorded beside this grid."
    assert model_part(small, part).startswith("This grid is too small to predict a part")
    said = part_agrees(made, part)
    assert "so that its half-width is" in said
    assert "that is more than it errs" in said


def test_chance_of_six_is_that_of_the_structure_and_the_work(made: GridResults) -> None:
    chance = chance_of_seen(made)
    assert chance is not None
    cell = crossed()[0]
    work = 2**16 * ATTEMPT_NS["blake3-256"]
    assert chance.work == pytest.approx(work, rel=0.05)
    assert chance.structure == pytest.approx(structure(cell), rel=0.3)
    s = chance.structure / chance.work
    assert chance.chance == pytest.approx(2 / (SEEN + 1) * math.exp(-(SEEN - 1) * s))
    share = grid_numbers(made)["grid.luck.chance"].quantity
    assert share is not None
    assert share.value == chance.chance
    assert share.unit == "percent"


def test_luck_is_told_only_where_a_ratio_differs_from_one() -> None:
    assert "is luck" in luck_repeated(luck((6.1, 5.8, 6.4)))
    assert "is luck" not in luck_repeated(luck((1.1, 0.8, 1.4)))
    assert f"for {QUERIES_BELOW}" in luck_repeated(luck((6.1, 5.8, 6.4)))
    assert "not recorded" in luck_repeated(None)


def test_repeated_experiment_has_its_table_and_figure_only_where_it_is_recorded(
    made: GridResults, tmp_path: Path
) -> None:
    again = repeated(made_again({41: 2.5e6, 42: 2.5e6}, {41: 2e3, 42: 1.5e5}))
    assert grid_numbers(made, again)["rows.grid-p1-queries"].text == "2"
    assert grid_numbers(made)["rows.grid-p1-queries"].text == "0"
    write_grid_tables(made, tmp_path, again)
    assert {path.stem for path in tmp_path.iterdir()} == set(TABLES | AGAIN)
    assert "0.13.1" in (tmp_path / "grid-p1-queries.tex").read_text("utf-8")
    with_it, without = draw_grid(made, again), draw_grid(made)
    assert with_it["p1-attempts"].data
    assert not without["p1-attempts"].data


def test_captions_say_what_is_drawn(made: GridResults, small: GridResults) -> None:
    found = grid_numbers(made)
    assert found["finding.grid-front-drawn"].text == "Every cell is drawn."
    bins = attempt_bins(made.attempt_samples, made.attempt_costs)
    assert found["finding.grid-attempts-drawn"].text.startswith(f"{bins['proofs'].sum()} ")
    assert found["rows.stark-grid-attempts"].text == str(bins.height)
    assert grid_numbers(small)["rows.stark-grid-attempts"].text == "0"


def test_caption_of_a_large_front_counts_what_is_thinned(
    made: GridResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nizkbench.grid_prose.CLOUD_POINTS", 20)
    every = clouds(made.judged, 255, 100)["less than 100 bits"].height
    drawn = -(-every // -(-every // 20))
    assert f"{drawn} of the {every} cells with less than 100 bits" in front_drawn(made)


def test_written_numbers_hold_those_of_the_grid(
    results: Results, made: GridResults, tmp_path: Path
) -> None:
    folder = tmp_path / "grid"
    folder.mkdir()
    write_records(made.records, folder)
    (folder / "manifest.json").write_text(json.dumps(MANIFEST), "utf-8")
    again, table = read_grid(folder, None)
    assert table is None
    write_numbers(numbers(results) | grid_numbers(again), tmp_path)
    listed = json.loads((tmp_path / "numbers.json").read_text("utf-8"))
    assert listed["grid.over-recommended.default.prove"]["low"] > 0
    assert listed["rows.stark-grid"]["value"] == made.cells.height
    assert str(layout.root()) not in (tmp_path / "numbers.tex").read_text("utf-8")


@pytest.mark.parametrize("option", ["--p1-grinding", "--grid-part"])
def test_what_belongs_to_a_grid_is_refused_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    with pytest.raises(SystemExit):
        main(["beside", option, str(tmp_path), "--into", str(tmp_path / "kept")])
    assert "with a grid alone" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_folder_that_is_no_grid_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NizkBenchError, match=r"manifest\.json"):
        read_grid(tmp_path, None)


@needs_latex
@pytest.mark.slow
@pytest.mark.parametrize("which", ["made", "small"])
def test_paper_with_a_grid_is_typeset(
    which: str, results: Results, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    grid: GridResults = request.getfixturevalue(which)
    generated = tmp_path / "generated"
    table = luck((6.1, 5.8, 6.4)) if which == "made" else None
    write_numbers(numbers(results) | grid_numbers(grid, table), generated)
    write_tables(results, generated / "tables")
    write_grid_tables(grid, generated / "tables" / "grid")
    names = [*FIGURES, *(f"grid/{name}" for name in draw_grid(grid))]
    (generated / "figures" / "grid").mkdir(parents=True)
    for name in names:
        (generated / "figures" / f"{name}.pdf").write_bytes(_BLANK)
    for document in DOCUMENTS:
        output = tmp_path / f"{document}.pdf"
        build_paper(PAPER, generated, output, results.epoch)
        assert output.read_bytes().startswith(b"%PDF")
