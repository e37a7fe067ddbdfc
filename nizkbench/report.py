"""The report: an executed notebook as one HTML page with interactive figures and no network.

plotly.js stands in the page once; every figure of the notebook is drawn from the JSON that the
notebook holds.
"""

import html
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
from jinja2 import Environment
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import markdown2html_mistune
from plotly.offline import get_plotlyjs

from nizkbench.errors import NizkBenchError

PLOTLY = "application/vnd.plotly.v1+json"

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
:root { --ink: #1d2329; --soft: #5b6570; --rule: #e1e5ea; --paper: #fff; --accent: #0072b2; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 17px/1.6 "Source Serif 4", "Charter", "Georgia", serif; }
main { max-width: 960px; margin: 0 auto; padding: 3.5rem 1.25rem 6rem; }
h1 { font-size: 2.1rem; line-height: 1.2; letter-spacing: -.01em; margin: 0 0 .6rem; }
h2 { font-size: 1.35rem; margin: 3.2rem 0 .5rem; padding-top: 1.2rem;
  border-top: 1px solid var(--rule); }
h3 { font-size: 1.08rem; margin: 2rem 0 .3rem; }
h1, h2, h3, table, nav, details { font-family: "Inter", "Helvetica Neue", Arial, sans-serif; }
p { margin: .6rem 0; max-width: 44rem; }
a { color: var(--accent); }
nav { font-size: .86rem; color: var(--soft); columns: 2; margin: 1.5rem 0 0; }
nav a { display: block; text-decoration: none; padding: .08rem 0; }
.figure { margin: 1.2rem 0 .4rem; overflow-x: auto; display: flex; justify-content: center; }
.finding { border-left: 3px solid var(--accent); padding: .1rem 0 .1rem .9rem; margin: .9rem 0; }
.scroll { overflow-x: auto; margin: .6rem 0 1.2rem; }
table { border-collapse: collapse; font-size: .8rem; line-height: 1.35; margin: 1rem 0;
  font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .32rem .8rem .32rem 0; vertical-align: top; }
thead th { border-bottom: 1.5px solid var(--ink); font-weight: 600; white-space: nowrap; }
tbody tr { border-bottom: 1px solid var(--rule); }
td:first-child { white-space: nowrap; }
small { color: var(--soft); white-space: nowrap; }
details { font-size: .72rem; margin: .1rem 0; color: #9aa3ad; }
summary { cursor: pointer; user-select: none; }
pre { background: #f6f8fa; padding: .7rem .9rem; overflow-x: auto; border-radius: 5px;
  font: .8rem/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; color: var(--ink); }
code { font: .88em ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
.highlight .k, .highlight .kn { color: #8c3a00; } .highlight .s1, .highlight .s2 { color: #00664a; }
.highlight .c1 { color: #6a737d; } .highlight .mi, .highlight .mf { color: #004f80; }
@media print { details { display: none; } main { max-width: none; padding: 0; } }
</style>
<script>{{ plotly }}</script>
</head>
<body><main>
{% for block in blocks %}{{ block }}
{% endfor %}
</main></body>
</html>
"""


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
        json.dumps(_enlarged(content[part]), separators=(",", ":")).replace("</", "<\\/")
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


def report_page(notebook: Any, see: Mapping[str, str] | None = None) -> str:  # noqa: ANN401
    """The page of an executed notebook, given as nbformat reads it.

    `see` are other pages, file by title, that its contents end with.
    """
    cells = notebook.cells
    title = next(
        (
            line.removeprefix("# ").strip()
            for cell in cells
            if cell.cell_type == "markdown"
            for line in cell.source.splitlines()
            if line.startswith("# ")
        ),
        "nizk-bench",
    )
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
                ) + "".join(
                    f'<a href="{html.escape(file)}">→ {html.escape(words)}</a>'
                    for file, words in (see or {}).items()
                )
                blocks.append(f"<nav>{links}</nav>")
        elif cell.cell_type == "code":
            code = highlight(cell.source)
            blocks.append(f"<details><summary>code</summary>{code}</details>")
            shown = list(_outputs(cell, figures))
            figures += sum('class="figure"' in block for block in shown)
            blocks += shown
    template = Environment(autoescape=False).from_string(_PAGE)
    return template.render(title=html.escape(title), plotly=get_plotlyjs(), blocks=blocks)


def write_report(notebook: Path, into: Path, see: Mapping[str, str] | None = None) -> None:
    """Write the page of an executed notebook; `NizkBenchError` where the notebook is none.

    `see` is as in `report_page`.
    """
    try:
        read = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise NizkBenchError(f"{notebook} cannot be read as a notebook ({error})") from error
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_text(report_page(read, see), encoding="utf-8")
