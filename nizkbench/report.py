"""Pages of the report: an executed notebook as HTML with interactive figures and no network.

plotly.js and the style stand beside the pages once; every figure of a notebook is drawn from the
JSON that the notebook holds.
"""

import html
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from nizkbench.errors import NizkBenchError

PLOTLY = "application/vnd.plotly.v1+json"

#: What pages are made of: templates, the style and scripts.
WEB = Path(__file__).resolve().parent / "web"

#: What every page of a report needs beside it.
STYLE, FIGURES = "site.css", "plotly.min.js"


def _headings(cells: list[Any]) -> list[str]:
    return [
        line.removeprefix("## ").strip()
        for cell in cells
        if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
        if line.startswith("## ")
    ]


def _anchor(heading: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in heading.lower())


def _markdown(source: str) -> str:
    from nbconvert.filters.markdown_mistune import markdown2html_mistune  # slow to load

    body = str(markdown2html_mistune(source))
    for heading in (line[3:].strip() for line in source.splitlines() if line.startswith("## ")):
        body = body.replace("<h2", f'<a id="{_anchor(heading)}"></a><h2', 1)
    # The converter puts a link that shows on hover behind every heading.
    return body.replace('<a class="anchor-link"', '<a class="anchor-link" hidden')


#: A figure has the paper's letters, which are small on a screen.
ENLARGED = 1.3
_LENGTHS = {
    "size",
    "width",
    "height",
    "ticklen",
    "tickwidth",
    "linewidth",
    "standoff",
    "thickness",
}


def _enlarged(part: Any, key: str = "") -> Any:  # noqa: ANN401
    """A part of a figure's JSON with every length on the page multiplied by `ENLARGED`."""
    if isinstance(part, dict):
        return {
            name: _enlarged(value, "size" if key == "margin" else name)
            for name, value in part.items()
        }
    if isinstance(part, list):
        return [_enlarged(value, key if key in _LENGTHS else "") for value in part]
    if isinstance(part, (int, float)) and not isinstance(part, bool) and key in _LENGTHS:
        return part * ENLARGED
    return part


def _figure(content: dict[str, Any], number: int) -> str:
    # "</" must not stand in a script: it would end it.
    data, layout = (
        json.dumps(_enlarged(content[part]), ensure_ascii=False, separators=(",", ":")).replace(
            "</", "<\\/"
        )
        for part in ("data", "layout")
    )
    return (
        f'<div class="figure"><div id="figure-{number}"></div></div>'
        f'<script>Plotly.newPlot("figure-{number}",{data},{layout},'
        "{displayModeBar:false});</script>"
    )


def _outputs(cell: Any, number: int) -> Iterator[str]:  # noqa: ANN401
    for output in cell.outputs:
        data = output.get("data", {})
        if PLOTLY in data:
            yield _figure(data[PLOTLY], number)
            number += 1
        elif "text/html" in data:
            yield f'<div class="scroll">{data["text/html"]}</div>'
        elif "text/markdown" in data:
            yield f'<div class="finding">{_markdown(data["text/markdown"])}</div>'
        elif output.output_type == "stream" and output.name == "stdout":
            yield f"<pre>{html.escape(output.text)}</pre>"
        elif "text/plain" in data:
            yield f"<pre>{html.escape(data['text/plain'])}</pre>"


def filled(template: str, **values: object) -> str:
    """A template of `WEB` with its values, which are escaped unless the template says otherwise."""
    environment = Environment(
        loader=FileSystemLoader(WEB),
        autoescape=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    return environment.get_template(template).render(values)


def title_of(notebook: Any) -> str:  # noqa: ANN401
    """The first heading of a notebook."""
    headings = (
        line.removeprefix("# ").strip()
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
        if line.startswith("# ")
    )
    return next(headings, "nizk-bench")


def report_page(notebook: Any, see: Mapping[str, str] | None = None) -> str:  # noqa: ANN401
    """The page of an executed notebook, given as nbformat reads it.

    `see` are other pages, title by file, that a bar on top of it leads to.
    """
    from nbconvert.filters.highlight import Highlight2HTML  # slow to load

    cells = notebook.cells
    highlight: Any = Highlight2HTML(pygments_lexer="python3")  # type: ignore[no-untyped-call]
    blocks: list[str] = []
    figures = 0
    for place, cell in enumerate(cells):
        if cell.cell_type == "markdown":
            blocks.append(_markdown(cell.source))
            if place == 0:
                links = "".join(
                    f'<a href="#{_anchor(heading)}">{html.escape(heading)}</a>'
                    for heading in _headings(cells)
                )
                blocks.append(f'<nav class="contents">{links}</nav>')
        elif cell.cell_type == "code":
            code = highlight(cell.source)
            blocks.append(f"<details><summary>code</summary>{code}</details>")
            shown = list(_outputs(cell, figures))
            figures += sum('class="figure"' in block for block in shown)
            blocks += shown
    return filled("notebook.html", title=title_of(notebook), blocks=blocks, see=see or {})


def read_notebook(path: Path) -> Any:  # noqa: ANN401
    """A notebook as nbformat reads it; `NizkBenchError` where the file is none."""
    import nbformat  # slow to load, and not every page is a notebook

    try:
        return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise NizkBenchError(f"{path} cannot be read as a notebook ({error})") from error


def write_report(notebook: Path, into: Path, see: Mapping[str, str] | None = None) -> None:
    """Write the page of an executed notebook; `NizkBenchError` where the notebook is none.

    `see` is as in `report_page`. `write_shared` writes what the page needs beside it.
    """
    page = report_page(read_notebook(notebook), see)
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_text(page, encoding="utf-8")


def write_shared(into: Path) -> list[Path]:
    """Write what all pages in a folder need beside them: plotly.js and the style; the paths."""
    into.mkdir(parents=True, exist_ok=True)
    files = {FIGURES: get_plotlyjs(), STYLE: (WEB / STYLE).read_text(encoding="utf-8")}
    for name, text in files.items():
        (into / name).write_text(text, encoding="utf-8")
    return [into / name for name in files]
