from pathlib import Path
from typing import Any

import nbformat
import nbformat.v4
import plotly.graph_objects as go
import pytest

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.notebook import experiment, run_notebook
from nizkbench.profile import Mimc, ProfileError
from nizkbench.report import report_page, write_report

#: nbformat's functions are not typed.
made: Any = nbformat.v4
read: Any = nbformat.read
NOTEBOOK = layout.root() / "notebooks" / "mimc.ipynb"


def _parameters() -> set[str]:
    notebook = read(NOTEBOOK, as_version=4)
    cell = next(c for c in notebook.cells if "parameters" in c.metadata.get("tags", []))
    names: dict[str, object] = {}
    exec(cell.source, names)
    return set(names) - {"__builtins__"}


def test_parameters_of_the_notebook_are_those_of_a_profile() -> None:
    assert _parameters() == {"profile", "records", *Mimc.__struct_fields__}


def test_notebook_is_committed_without_outputs() -> None:
    for cell in read(NOTEBOOK, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("round=[15]", "round"),
        ('rounds="many"', "rounds"),
        ("rounds=[3]", "rounds"),
        ("threads=[2]", "threads"),
        ("blocks", "no value"),
        ("seed=zz", "no TOML"),
    ],
)
def test_unknown_or_ill_typed_parameter_is_refused_before_anything_runs(
    override: str, said: str, tmp_path: Path
) -> None:
    into = tmp_path / "mimc.ipynb"
    with pytest.raises(NizkBenchError, match=said):
        run_notebook("mimc", "smoke", into, overrides=[override])
    assert not into.exists()


def test_unknown_notebook_is_refused_with_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(NizkBenchError, match="there are mimc"):
        run_notebook("sudoku", "smoke", tmp_path / "out.ipynb")


def test_parameter_that_is_none_is_the_profiles() -> None:
    assert experiment("smoke", {"rounds": None}).rounds == experiment("smoke", {}).rounds
    assert experiment("smoke", {"rounds": [7]}).rounds == (7,)
    with pytest.raises(ProfileError):
        experiment("smoke", {"speed": 1})


def test_report_is_one_page_that_needs_no_network(tmp_path: Path) -> None:
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
    assert page.count("plotly.js v") == 1
    assert 'href="#a-section"' in page
    ours = page[page.index("</head>") :]
    assert "http://" not in ours
    assert "https://" not in ours
    assert '["<\\/script>"]' in ours
    assert "<script src" not in page


def test_report_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").write_text("no notebook", encoding="utf-8")
    with pytest.raises(NizkBenchError, match="cannot be read as a notebook"):
        write_report(tmp_path / "x.ipynb", tmp_path / "x.html")
