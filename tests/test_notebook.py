import re
from pathlib import Path
from typing import Any

import nbformat
import nbformat.v4
import papermill
import plotly.graph_objects as go
import pytest

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.grid_merge import merge
from nizkbench.notebook import experiment, grid_part, measured_grid, recorded
from nizkbench.notebook_parameters import EXPERIMENTS
from nizkbench.notebook_run import run_notebook
from nizkbench.profile import GridPart, Mimc, Profile, ProfileError, StarkGrid, read_profile
from nizkbench.report import report_page, write_report, write_shared

#: nbformat's functions are not typed.
made: Any = nbformat.v4
read: Any = nbformat.read
FOLDER = layout.root() / "notebooks"

#: What `just lab` opens: no experiment, but a look at the recorded runs.
VISIT = "visit"


def _parameters(name: str) -> set[str]:
    notebook = read(FOLDER / f"{name}.ipynb", as_version=4)
    cell = next(c for c in notebook.cells if "parameters" in c.metadata.get("tags", []))
    names: dict[str, object] = {}
    exec(cell.source, names)
    return set(names) - {"__builtins__"}


def test_every_notebook_is_an_experiment_and_the_other_way_round() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {*EXPERIMENTS, VISIT}


def test_first_cell_that_a_visitor_runs_shows_a_figure_of_the_recorded_run() -> None:
    cells = read(FOLDER / f"{VISIT}.ipynb", as_version=4).cells
    first = next(cell for cell in cells if cell.cell_type == "code")
    *before, last = first.source.splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(before), names)
    figure = eval(last, names)
    assert isinstance(figure, go.Figure)
    assert any(trace.y is not None and len(trace.y) > 1 for trace in figure.data)


@pytest.mark.slow
def test_every_cell_that_a_visitor_runs_ends_without_measuring(tmp_path: Path) -> None:
    runs = layout.runs()
    before = sorted(runs.iterdir()) if runs.exists() else []
    path = tmp_path / "visit.ipynb"
    papermill.execute_notebook(
        str(FOLDER / f"{VISIT}.ipynb"), str(path), cwd=str(layout.root()), progress_bar=False
    )
    shown = [cell for cell in read(path, as_version=4).cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in shown)
    assert (sorted(runs.iterdir()) if runs.exists() else []) == before


def test_run_that_was_not_recorded_is_named_with_those_that_were() -> None:
    with pytest.raises(NizkBenchError, match=r"no run x is recorded, there are .*standard"):
        recorded("x")


def test_parameters_of_the_notebooks_are_those_of_a_profile() -> None:
    assert _parameters("mimc") == {"profile", "records", *Mimc.__struct_fields__}
    assert _parameters("stark_grid") == {
        "profile",
        "records",
        *StarkGrid.__struct_fields__,
        *GridPart.__struct_fields__,
    }


@pytest.mark.parametrize("name", [*EXPERIMENTS, VISIT])
def test_notebook_is_committed_without_outputs(name: str) -> None:
    for cell in read(FOLDER / f"{name}.ipynb", as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.parametrize(
    ("name", "override", "said"),
    [
        ("mimc", "round=[15]", "round"),
        ("mimc", 'rounds="many"', "rounds"),
        ("mimc", "rounds=[3]", "rounds"),
        ("mimc", "threads=[2]", "threads"),
        ("mimc", "blocks", "no value"),
        ("mimc", "seed=zz", "no TOML"),
        ("mimc", 'shard="1/2"', "shard"),
        ("stark_grid", "rounds=[15]", "rounds"),
        ("stark_grid", "blocks=2", "blocks"),
        ("stark_grid", "crossings={}", "crossings"),
        ("stark_grid", 'crossings={options={systems=["x"]}}', "crossings.*rounds"),
        ("stark_grid", "shard=1", "shard"),
        ("stark_grid", 'shard="0/2"', "shard"),
        ("stark_grid", 'shard="3/2"', "only 2"),
        ("stark_grid", "budget=0", "budget"),
        ("stark_grid", 'budget="1 h"', "budget"),
    ],
)
def test_unknown_or_ill_typed_parameter_is_refused_before_anything_runs(
    name: str, override: str, said: str, tmp_path: Path
) -> None:
    into = tmp_path / "executed.ipynb"
    with pytest.raises(NizkBenchError, match=said):
        run_notebook(name, "smoke", into, overrides=[override])
    assert not into.exists()


def test_unknown_notebook_is_refused_with_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(NizkBenchError, match="there are mimc, stark_grid"):
        run_notebook("sudoku", "smoke", tmp_path / "out.ipynb")


def test_parameter_that_is_none_is_the_profiles() -> None:
    profiles = experiment(Mimc, "smoke", {})
    assert experiment(Mimc, "smoke", {"rounds": None}) == profiles
    assert experiment(Mimc, "smoke", {"rounds": [7]}).rounds == (7,)
    with pytest.raises(ProfileError):
        experiment(Mimc, "smoke", {"speed": 1})
    assert experiment(StarkGrid, "smoke", {"blocks": 4}).blocks == 4
    assert grid_part({"shard": None, "budget": None}) == GridPart()
    assert grid_part({"shard": "2/3", "budget": 60}) == GridPart(shard="2/3", budget=60.0)


def test_profile_without_a_grid_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Profile(name="plain", mimc=read_profile("smoke").mimc)
    monkeypatch.setattr("nizkbench.notebook_parameters.read_profile", lambda _: plain)
    with pytest.raises(ProfileError, match="plain has no section stark_grid"):
        experiment(StarkGrid, "plain", {})


#: Four cells of the real STARK.
FOUR_CELLS = {
    "systems": ["winterfell/stark/f128"],
    "rounds": [15],
    "options": {"queries": [20], "blowup": [4, 8], "grinding": [0, 4]},
}


@pytest.mark.slow
def test_a_shard_shows_its_own_cells_and_recorded_shards_become_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "runs", lambda: tmp_path)
    parameters = experiment(StarkGrid, "smoke", {"crossings": {"options": FOUR_CELLS}})

    def cells(part: GridPart, records: str | None = None) -> list[str]:
        results = measured_grid("smoke", parameters, part, records)
        return sorted(results.cells["configuration"])

    with pytest.raises(NizkBenchError, match="shard 1/2 has times yet"):
        cells(GridPart(shard="1/2", budget=1e-6))
    first, second = (cells(GridPart(shard=f"{number}/2")) for number in (1, 2))
    assert len(first) == len(second) == 2
    run = tmp_path / "smoke-stark-grid"
    merge(run)
    assert cells(GridPart(), str(run)) == sorted(first + second)

    into = tmp_path / "executed.ipynb"
    run_notebook("stark_grid", "smoke", into, records=run)
    write_report(into, tmp_path / "page.html", {"index.html": "Another & page"})
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "4 of 4 cells have times" in page
    assert '<a href="index.html">Another &amp; page</a>' in page
    assert "Traceback" not in page
    assert str(layout.root()) not in page


def test_page_of_a_notebook_needs_no_network(tmp_path: Path) -> None:
    figure = go.Figure(go.Scatter(x=[1, 2], y=[3, 4], hovertext=["</script>"]))
    output = made.new_output(
        "display_data", data={"application/vnd.plotly.v1+json": figure.to_plotly_json()}
    )
    cells = [
        made.new_markdown_cell("# A title\n\nwords"),
        made.new_markdown_cell("## A section"),
        made.new_code_cell("draw()", outputs=[output]),
    ]
    page = report_page(made.new_notebook(cells=cells))
    assert "<title>A title</title>" in page
    assert page.count("Plotly.newPlot(") >= 1
    assert 'href="#a-section"' in page
    assert "http://" not in page
    assert "https://" not in page
    assert '["<\\/script>"]' in page
    shared = {path.name for path in write_shared(tmp_path)}
    asked = set(re.findall(r'(?:src|rel="stylesheet" href)="([^"]+)"', page))
    assert asked == shared
    assert "plotly.js v" in (tmp_path / "plotly.min.js").read_text(encoding="utf-8")


def test_report_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").write_text("no notebook", encoding="utf-8")
    with pytest.raises(NizkBenchError, match="cannot be read as a notebook"):
        write_report(tmp_path / "x.ipynb", tmp_path / "x.html")
