"""The figures of ranges of committed values.

Every function takes `RangeResults` and returns a plotly figure, or None where the run has nothing
to show in it. Looks are those of `nizkbench.figures`, a colour, a marker and dashes for each
system; where several numbers of bits are drawn, dashes are theirs.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nizkbench.figures import (
    LEGEND_ROW,
    PAGE_WIDTH,
    Look,
    decade_ticks,
    empty_figure,
    framed,
    rows_of_legend,
    system_look,
)
from nizkbench.quantities import Quantity, plain
from nizkbench.range_results import BITS, BULLETPROOFS, Cell, RangeResults
from nizkbench.results import system_label

#: Dashes by bits.
_DASHES = {8: "dot", 16: "dashdot", 32: "dash", BITS: "solid"}

#: The system of the library of Bulletproofs that proves circuits.
OF_CIRCUITS = "bulletproofs/r1cs/ristretto255"

#: Points of one line: at a number of values or proofs, a quantity.
_Points = list[tuple[int, Quantity]]

#: A line: its name in the legend, its look and its points.
_Drawn = tuple[str, Look, _Points]


def sizes(results: RangeResults) -> go.Figure | None:
    """Bytes of a proof by the number of values: Bulletproofs at all bits, the others at 64."""
    lines = []
    for cell in results.cells:
        if cell.system != BULLETPROOFS and cell.bits != BITS:
            continue
        points = _points(results, cell, "size:proof", each=False)
        look = replace(_look(results, cell), dash=_DASHES[cell.bits])
        lines.append((_name(cell), look, points))
    return _figure([("proof", "values in a proof", lines)])


def times(results: RangeResults) -> go.Figure | None:
    """Time to proof and to verify by value, and to verify by proof of a batch; 64 bits."""
    at_bits = [cell for cell in results.cells if cell.bits == BITS]
    panels: list[tuple[str, str, list[_Drawn]]] = []
    for metric, title in (
        ("time_to_proof", "time to proof, a value"),
        ("verify", "verify, a value"),
    ):
        lines = [
            (
                system_label(one.system),
                _look(results, one),
                _points(results, one, metric, each=True),
            )
            for one in at_bits
        ]
        panels.append((title, "values in a proof", lines))
    together = [
        (system_label(cell.system), _look(results, cell), points)
        for cell in at_bits
        if (points := list(_of_batches(results, cell)))
    ]
    if together:
        panels.append(("verify, a proof of a batch", "proofs verified together", together))
    return _figure(panels)


def _of_batches(results: RangeResults, cell: Cell) -> Iterator[tuple[int, Quantity]]:
    found = [one for one in results.batches if one.system == cell.system and one.values == 1]
    alone = results.value(cell.series, "verify", 1)
    if found and alone is not None:
        yield 1, alone
        yield from ((one.proofs, one.each) for one in found)


def _points(results: RangeResults, cell: Cell, metric: str, *, each: bool) -> _Points:
    value = results.per_value if each else results.value
    found = ((count, value(cell.series, metric, count)) for count in results.results.grid)
    return [(count, quantity) for count, quantity in found if quantity is not None]


def _look(results: RangeResults, cell: Cell) -> Look:
    # Both systems of one library have its colour; they are in no figure together.
    system = OF_CIRCUITS if cell.system == BULLETPROOFS else cell.system
    return system_look(system, results.systems)


def _name(cell: Cell) -> str:
    label = system_label(cell.system)
    return f"{label}, {cell.bits} bits" if cell.system == BULLETPROOFS else label


def _figure(panels: list[tuple[str, str, list[_Drawn]]]) -> go.Figure | None:
    """Panels side by side, logarithmic both ways; None without a point."""
    quantities = [one for _, _, lines in panels for _, _, points in lines for _, one in points]
    if not quantities:
        return None
    figure = make_subplots(
        rows=1,
        cols=len(panels),
        subplot_titles=[title for title, _, _ in panels],
        horizontal_spacing=0.1 if len(panels) > 1 else 0,
    )
    shown: set[str] = set()
    for column, (_, axis, lines) in enumerate(panels, start=1):
        for name, look, points in lines:
            figure.add_trace(_trace(name, look, points, first=name not in shown), 1, column)
            shown.add(name)
        counts = sorted({count for _, _, points in lines for count, _ in points})
        figure.update_xaxes(
            type="log",
            tickvals=counts,
            ticktext=[str(count) for count in counts],
            title_text=axis,
            row=1,
            col=column,
        )
        there = [one for _, _, points in lines for _, one in points]
        ends = [end for one in there for end in (one.low, one.high)]
        ticks, names, span = decade_ticks(ends, there[0].unit) if there else ([], [], [0, 1])
        figure.update_yaxes(
            type="log", tickvals=ticks, ticktext=names, range=span, row=1, col=column
        )
    rows = rows_of_legend(shown, PAGE_WIDTH)
    return framed(figure, PAGE_WIDTH, 210 + LEGEND_ROW * rows, rows)


def _trace(name: str, look: Look, points: _Points, *, first: bool) -> go.Scatter:
    return go.Scatter(
        x=[count for count, _ in points],
        y=[one.value for _, one in points],
        error_y={
            "type": "data",
            "array": [one.high - one.value for _, one in points],
            "arrayminus": [one.value - one.low for _, one in points],
            "thickness": 0.9,
            "width": 2.5,
        },
        mode="lines+markers",
        name=name,
        legendgroup=name,
        showlegend=first,
        line={"color": look.colour, "width": 1.3, "dash": look.dash},
        marker={"symbol": look.marker, "size": 5.5, "color": look.colour},
        hovertext=[f"{name}<br>{count}: {plain(one, interval=True)}" for count, one in points],
        hoverinfo="text",
    )


FIGURES: dict[str, Callable[[RangeResults], go.Figure | None]] = {"sizes": sizes, "times": times}


def draw_ranges(results: RangeResults) -> dict[str, go.Figure]:
    """Every figure by name; one without data says so."""
    drawn = {name: function(results) for name, function in FIGURES.items()}
    return {
        name: empty_figure("no data in this run") if figure is None else figure
        for name, figure in drawn.items()
    }
