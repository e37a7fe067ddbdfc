"""Every figure, once: the same function gives the vector PDF of the paper and the report's HTML.

A figure function takes `Results` and returns a plotly figure, or None where the run has nothing to
show in it. `FIGURES` lists them all by file name.

Sizes are in CSS pixels at 96 to the inch, so that a PDF is included at its natural size and its
letters are the paper's footnote size.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import polars as pl
from plotly.subplots import make_subplots

from nizkbench import layout
from nizkbench.harness_cost import MARGIN
from nizkbench.quantities import SCALES, Quantity, plain
from nizkbench.results import THREAD_NAMES, Results, system_label

PAGE_WIDTH = 650  # 172 mm, the text width of the paper
COLUMN_WIDTH = 312  # 82.5 mm, one column of it
FONT = "Latin Modern Sans, LMSans10, Helvetica, Arial, sans-serif"
FONT_SIZE = 10.5
INK = "#222222"
LABEL_WIDTH = 168  # the longest name of a system on a y axis
BELOW_AXIS = 42  # tick labels and title of an x axis
LEFT_OF_AXIS = 58  # tick labels and title of a y axis
RIGHT_OF_AXIS = 8
LEGEND_ROW = 19

#: Okabe and Ito's colours (Color Universal Design, 2008), its yellow replaced by a grey, since
#: yellow does not show on white; every system also has its own marker, for a print in grey.
PALETTE = (
    "#0072B2",
    "#000000",
    "#56B4E9",
    "#009E73",
    "#E69F00",
    "#CC79A7",
    "#D55E00",
    "#7F7F7F",
)
MARKERS = (
    "circle",
    "x",
    "square",
    "diamond",
    "triangle-up",
    "triangle-down",
    "star",
    "hexagon",
)
DASHES = ("solid", "dot", "dash", "dashdot", "longdash", "longdashdot", "solid", "dot")

#: Colours and markers of the systems that came later: Paul Tol's muted colours (Colour Schemes,
#: SRON/EPS/TN/09-002, 2021) that keep apart from those above, and markers that none above has.
LATER_PALETTE = ("#332288", "#999933", "#882255", "#44AA99", "#CC6677", "#AA4499")
LATER_MARKERS = ("pentagon", "cross", "hourglass", "bowtie", "star-diamond", "triangle-left")

#: The systems that have had their look from the start; the others' follow from their names.
FIRST_SYSTEMS = (
    "bellman/groth16/bls12-381",
    "bulletproofs/r1cs/ristretto255",
    "gnark/groth16/bls12-381",
    "gnark/groth16/bn254",
    "gnark/plonk/bls12-381",
    "gnark/plonk/bn254",
    "winterfell/stark/f128",
    "winterfell/stark/f64",
)

METRIC_NAMES = {
    "time_to_proof": "time to proof",
    "prove": "prove time",
    "verify": "verify time",
    "setup": "setup time",
    "compile": "compile time",
    "witness": "witness time",
    "cpu_prove": "CPU time of proving",
    "peak_memory_prove": "peak memory",
    "peak_memory_setup": "peak memory of setup",
    "size:proof": "size",
    "size:verifying_key": "size",
    "size:proving_key": "proving key",
    "pow_attempts": "proof-of-work attempts",
}


@dataclass(frozen=True, slots=True)
class Look:
    """How one line is drawn."""

    colour: str
    marker: str
    dash: str


@dataclass(frozen=True, slots=True)
class Line:
    """One series: its name, its look, and under which name the legend has it."""

    series: str
    name: str
    look: Look
    legend: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel of a figure: a metric of some lines on a thread track (None: the first), titled."""

    lines: Sequence[Line]
    metric: str
    threads: str | None
    title: str


#: What a size of each statement is called on an axis and in a sentence about one point.
SIZE_NAMES = {"rounds": ("rounds", "rounds"), "bytes": ("bytes of message", "bytes")}


def system_look(system: str, systems: Iterable[str] = ()) -> Look:
    """The one look of a system, the same in every figure.

    `systems` are all systems of the run. One that is not among `FIRST_SYSTEMS` takes the place that
    its name says, so that its look stays when others are added; of those that their names send to
    the same place, the first in alphabetical order has it and the next takes the next free one.
    """
    if system in FIRST_SYSTEMS:
        place = FIRST_SYSTEMS.index(system)
        return Look(PALETTE[place], MARKERS[place], DASHES[place])
    place = _later_places({*systems, system})[system]
    turn, colour = divmod(place, len(LATER_PALETTE))
    return Look(
        LATER_PALETTE[colour],
        LATER_MARKERS[(colour + turn) % len(LATER_MARKERS)],
        DASHES[(colour + 1 + turn) % len(DASHES)],
    )


def _later_places(systems: Iterable[str]) -> dict[str, int]:
    """The place of every system that came later: each colour once before any comes twice."""
    places: dict[str, int] = {}
    colours = len(LATER_PALETTE)
    for system in sorted(set(systems) - set(FIRST_SYSTEMS)):
        wanted = int.from_bytes(hashlib.sha256(system.encode()).digest()) % colours
        turn = 0
        while (place := turn // colours * colours + (wanted + turn) % colours) in places.values():
            turn += 1
        places[system] = place
    return places


def metric_name(metric: str) -> str:
    """A metric as an axis says it."""
    return METRIC_NAMES.get(metric, metric.replace("_", " "))


# ── Axes and panels ───────────────────────────────────────────────────────────────────────────


#: Multiples of a power of ten that an axis names; finer ones where the axis spans less.
_STEPS = ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.5, *range(2, 10)), tuple(i / 10 for i in range(10, 100)))


def decade_ticks(values: Sequence[float], unit: str) -> tuple[list[float], list[str], list[float]]:
    """Tick values and names of a logarithmic axis, and its range, in the unit's own steps."""
    lowest, highest = min(values), max(values)
    margin = max(0.02, 0.08 * math.log10(highest / lowest))
    span = [math.log10(lowest) - margin, math.log10(highest) + margin]
    decades = range(math.floor(span[0]), math.ceil(span[1]) + 1)
    ticks: list[float] = []
    for steps in _STEPS:
        ticks = [step * 10.0**exponent for exponent in decades for step in steps]
        ticks = [tick for tick in ticks if span[0] <= math.log10(tick) <= span[1]]
        if len(ticks) >= 2:
            break
    kept = ticks[:: math.ceil(len(ticks) / 7)] if ticks else [lowest]
    return kept, [_tick(tick, unit) for tick in kept], span


def _tick(value: float, unit: str) -> str:
    for factor, symbol, _ in SCALES.get(unit, ((1.0, "", ""),)):
        if value >= factor * 0.9999:
            return f"{_digits(value / factor)} {symbol}".strip()
    return _digits(value)


def _digits(value: float) -> str:
    return f"{value:.4g}" if value < 1e4 else thousands(value)


def thousands(value: float) -> str:
    """A whole number with a thin space between thousands."""
    return f"{value:,.0f}".replace(",", "\u202f")


def framed(figure: go.Figure, width: int, height: int, legend_rows: int = 0) -> go.Figure:
    """The layout that all figures share."""
    figure.update_layout(
        template="none",
        width=width,
        height=height,
        autosize=False,
        font={"family": FONT, "size": FONT_SIZE, "color": INK},
        margin={
            "l": LEFT_OF_AXIS,
            "r": RIGHT_OF_AXIS,
            "t": 22,
            "b": BELOW_AXIS + LEGEND_ROW * legend_rows,
            "pad": 0,
        },
        paper_bgcolor="white",
        plot_bgcolor="white",
        hoverlabel={"font": {"family": FONT}},
        legend={
            "orientation": "h",
            "xref": "container",
            "yref": "container",
            "x": 0.5,
            "xanchor": "center",
            "y": 0.0,
            "yanchor": "bottom",
            "font": {"size": FONT_SIZE - 0.5},
            "itemwidth": 34,
            "traceorder": "normal",
            "bgcolor": "rgba(0,0,0,0)",
        },
    )
    axis = {
        "showgrid": True,
        "gridcolor": "#ececec",
        "gridwidth": 0.6,
        "zeroline": False,
        "showline": True,
        "linecolor": INK,
        "linewidth": 0.7,
        "ticks": "outside",
        "ticklen": 3,
        "tickwidth": 0.7,
        "tickcolor": INK,
        "title": {"standoff": 4, "font": {"size": FONT_SIZE}},
    }
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    figure.update_annotations(font_size=FONT_SIZE)
    return figure


def _sizes_axis(figure: go.Figure, results: Results, width: int, **place: int) -> None:
    """A logarithmic axis of sizes with a tick at each, in a figure of `width` pixels.

    A size has its number where that stands clear of its neighbours'; the first and the last do.
    """
    grid = results.grid
    ends = [math.log10(grid[0]) - 0.08, math.log10(grid[-1]) + 0.08]
    if grid[0] == grid[-1]:
        ends = [ends[0] - 0.3, ends[1] + 0.3]
    start, end = next(figure.select_xaxes(**place)).domain or (0.0, 1.0)
    decade = (width - LEFT_OF_AXIS - RIGHT_OF_AXIS) * (end - start) / (ends[1] - ends[0])
    figure.update_xaxes(
        type="log",
        tickvals=list(grid),
        ticktext=_clear_labels(grid, decade),
        tickangle=0,
        range=ends,
        title_text=SIZE_NAMES[results.size_name][0],
        minor={"ticks": ""},
        **place,
    )


def _clear_labels(grid: Sequence[int], decade: float) -> list[str]:
    """Sizes as labels, empty where one would touch its neighbour; `decade` is 10 times in px."""

    def apart(one: int, other: int) -> bool:
        needed = FONT_SIZE * (0.58 * (len(str(one)) + len(str(other))) / 2 + 0.5)
        return abs(math.log10(one / other)) * decade >= needed

    kept = [grid[0]]
    for size in grid[1:-1]:
        if apart(size, kept[-1]) and apart(size, grid[-1]):
            kept.append(size)
    return [str(size) if size in kept or size == grid[-1] else "" for size in grid]


def _draw(
    figure: go.Figure, results: Results, panel: Panel, place: tuple[int, int], shown: set[str]
) -> list[Quantity]:
    """Draw the lines of one panel and return what was drawn.

    `shown` are names already in the legend.
    """
    row, column = place
    unit = SIZE_NAMES[results.size_name][1]
    drawn: list[Quantity] = []
    for line, aside in zip(panel.lines, _beside_one_another(results, panel), strict=True):
        values = {
            size: results.value(line.series, panel.metric, size, panel.threads)
            for size in results.grid
        }
        points = [
            (size, value) for size, value in values.items() if value is not None and value.value > 0
        ]
        if not points:
            continue
        drawn += [value for _, value in points]
        figure.add_trace(
            go.Scatter(
                x=[size * aside for size, _ in points],
                y=[value.value for _, value in points],
                error_y={
                    "type": "data",
                    "array": [value.high - value.value for _, value in points],
                    "arrayminus": [value.value - value.low for _, value in points],
                    "thickness": 0.9,
                    "width": 2.5,
                    "visible": any(not value.exact for _, value in points),
                },
                mode="lines+markers",
                name=line.legend,
                legendgroup=line.legend,
                showlegend=line.legend not in shown,
                line={"color": line.look.colour, "width": 1.3, "dash": line.look.dash},
                marker={
                    "symbol": line.look.marker,
                    "size": 5.5,
                    "color": line.look.colour,
                    "line": {"width": 0.8, "color": line.look.colour},
                },
                hovertext=[
                    f"{line.name}<br>{size} {unit}: {plain(value, interval=True)}"
                    for size, value in points
                ],
                hoverinfo="text",
            ),
            row=row,
            col=column,
        )
        shown.add(line.legend)
    return drawn


def _beside_one_another(results: Results, panel: Panel) -> list[float]:
    """What the sizes of each line are multiplied by, so that bars at one size can be told apart."""
    step = 0.006 * math.log10(max(4.0, results.largest / results.smallest))
    middle = (len(panel.lines) - 1) / 2
    return [10 ** (step * (number - middle)) for number in range(len(panel.lines))]


def _draw_failures(
    figure: go.Figure, results: Results, panel: Panel, place: tuple[int, int]
) -> None:
    """Cross out the marker of each configuration that failed, at the upper edge above its size.

    A panel has to have its axes. The marker is the line's own, so that a print in grey tells whose
    it is; of several at one size each stands below the one before.
    """
    row, column = place
    unit = SIZE_NAMES[results.size_name][1]
    span = next(figure.select_yaxes(row=row, col=column)).range
    low, high = (0.0, 0.0) if span is None else span
    above: Counter[int] = Counter()
    for line, aside in zip(panel.lines, _beside_one_another(results, panel), strict=True):
        failures = [
            (size, how)
            for size in results.grid
            if results.value(line.series, panel.metric, size, panel.threads) is None
            and (how := results.failure(line.series, size, panel.threads)) is not None
        ]
        if not failures:
            continue
        heights = [high - 0.075 * (high - low) * above[size] for size, _ in failures]
        above.update(size for size, _ in failures)
        figure.add_trace(
            go.Scatter(
                x=[size * aside for size, _ in failures],
                y=[10**height for height in heights],
                mode="markers+text",
                name=line.legend,
                legendgroup=line.legend,
                showlegend=False,
                cliponaxis=False,
                marker={
                    "symbol": line.look.marker,
                    "size": 6.5,
                    "color": line.look.colour,
                    "line": {"width": 0.8, "color": line.look.colour},
                },
                text=["×"] * len(failures),
                textposition="middle center",
                textfont={"size": 19, "color": INK},
                hovertext=[f"{line.name}: {size} {unit}, {how}" for size, how in failures],
                hoverinfo="text",
            ),
            row=row,
            col=column,
        )


def _value_axis(
    figure: go.Figure, drawn: Sequence[Quantity], title: str, *, matched: bool, **place: int
) -> None:
    if not drawn:
        return
    unit = drawn[0].unit
    ticks, names, span = decade_ticks([v for q in drawn for v in (q.low, q.high) if v > 0], unit)
    figure.update_yaxes(type="log", tickvals=ticks, ticktext=names, range=span, **place)
    if not matched:
        figure.update_yaxes(title_text=title, **place)


def rows_of_legend(names: Iterable[str], width: int) -> int:
    """Rows that a horizontal legend takes, every entry as wide as the longest."""
    lengths = [len(name) for name in names]
    if not lengths:
        return 0
    entry = max(lengths) * FONT_SIZE * 0.5 + 50
    return math.ceil(len(lengths) / max(1, int((width - 10) // entry)))


def growth(
    results: Results,
    panels: Sequence[Panel],
    width: int,
    *,
    height: int = 190,
    shared: bool = True,
    strokes: Sequence[tuple[str, str]] = (),
) -> go.Figure | None:
    """Lines against the size of the statement, logarithmic both ways, panels side by side.

    With `shared`, all panels have one y axis. `strokes` are (name, dash) that the legend explains
    beside the lines: filled markers for the first, open ones for the others. None where no panel
    has a point.
    """
    figure = make_subplots(
        rows=1,
        cols=len(panels),
        subplot_titles=[panel.title for panel in panels],
        horizontal_spacing=(0.03 if shared else 0.115) if len(panels) > 1 else 0,
    )
    shown: set[str] = set()
    drawn = [
        _draw(figure, results, panel, (1, column), shown)
        for column, panel in enumerate(panels, start=1)
    ]
    everything = [value for panel in drawn for value in panel]
    if not everything:
        return None
    for place, (name, dash) in enumerate(strokes):
        figure.add_trace(
            go.Scatter(
                x=[None],
                y=[None],
                mode="lines+markers",
                name=name,
                line={"color": "#555555", "width": 1.3, "dash": dash},
                marker={
                    "symbol": "circle-open" if place else "circle",
                    "size": 5.5,
                    "color": "#555555",
                },
            )
        )
        shown.add(name)
    rows = rows_of_legend(shown, width)
    framed(figure, width, height + LEGEND_ROW * rows, rows)
    for column, panel in enumerate(panels, start=1):
        _sizes_axis(figure, results, width, row=1, col=column)
        _value_axis(
            figure,
            everything if shared else drawn[column - 1],
            metric_name(panel.metric),
            matched=column > 1,
            row=1,
            col=column,
        )
        _draw_failures(figure, results, panel, (1, column))
        if shared and column > 1:
            figure.update_yaxes(showticklabels=False, row=1, col=column)
    return figure


def _lines(results: Results, chosen: Mapping[str, str]) -> list[Line]:
    return [
        Line(
            series,
            system_label(system),
            system_look(system, results.systems),
            system_label(system),
        )
        for system, series in sorted(chosen.items())
    ]


def _tracks(results: Results, metric: str) -> list[Panel]:
    """A metric of every system on equal terms, a panel for each thread track."""
    lines = _lines(results, results.equal_terms)
    return [Panel(lines, metric, label, THREAD_NAMES[label]) for label in results.thread_tracks]


# ── The figures ───────────────────────────────────────────────────────────────────────────────


def proof_size(results: Results) -> go.Figure | None:
    """Bytes of a proof, and of proof and verifying key together, against rounds."""
    lines = _lines(results, results.equal_terms)
    panels = [
        Panel(lines, "size:proof", None, "proof"),
        Panel(lines, "size:proof+verifying_key", None, "proof and verifying key"),
    ]
    return growth(results, panels, PAGE_WIDTH)


def time_to_proof(results: Results) -> go.Figure | None:
    """Witness and prove, one panel a thread track."""
    return growth(results, _tracks(results, "time_to_proof"), PAGE_WIDTH)


def verify_time(results: Results) -> go.Figure | None:
    """Time to a verdict, one panel a thread track."""
    return growth(results, _tracks(results, "verify"), PAGE_WIDTH)


def setup_time(results: Results) -> go.Figure | None:
    """Time of setup of the systems that have one, one panel a thread track."""
    return growth(results, _tracks(results, "setup"), PAGE_WIDTH)


def key_sizes(results: Results) -> go.Figure | None:
    """Bytes of verifying and proving key against rounds."""
    lines = _lines(results, results.equal_terms)
    panels = [
        Panel(lines, "size:verifying_key", None, "verifying key"),
        Panel(lines, "size:proving_key", None, "proving key"),
    ]
    return growth(results, panels, PAGE_WIDTH)


def memory(results: Results) -> go.Figure | None:
    """Peak resident memory while proving, one panel a thread track."""
    return growth(results, _tracks(results, "peak_memory_prove"), PAGE_WIDTH)


def ratio_heat_map(results: Results, metric: str, threads: str) -> go.Figure | None:
    """The ratio of every pair at the largest size, row over column; its interval on hovering."""
    chosen = sorted(results.equal_terms.items())
    if len(chosen) < 2:
        return None
    limit = 2.0  # colours are full at a ratio of 100, either way
    figure = go.Figure()
    heat: list[list[float | None]] = []
    hover: list[list[str]] = []
    for i, (row_system, above) in enumerate(chosen):
        ratios = [
            None if i == j else results.ratio(above, below, metric, results.largest, threads)
            for j, (_, below) in enumerate(chosen)
        ]
        heat.append([None if r is None else math.log10(r.value) for r in ratios])
        hover.append(
            [
                f"{system_label(row_system)} / {system_label(system)}: {plain(r, interval=True)}"
                for r, (system, _) in zip(ratios, chosen, strict=True)
            ]
        )
        for j, ratio in enumerate(ratios):
            if ratio is None:
                continue
            dark = abs(math.log10(ratio.value)) > 0.7 * limit
            figure.add_annotation(
                x=j,
                y=i,
                text=plain(ratio),
                showarrow=False,
                font={"color": "white" if dark else INK},
            )
    if not any(cell is not None for row in heat for cell in row):
        return None
    places = list(range(len(chosen)))
    figure.add_trace(
        go.Heatmap(
            z=heat,
            x=places,
            y=places,
            zmin=-limit,
            zmax=limit,
            colorscale=[
                [0.0, "#0a4f7d"],
                [0.25, "#7dbbe2"],
                [0.5, "#f7f7f7"],
                [0.75, "#f2ad6d"],
                [1.0, "#a03d00"],
            ],
            showscale=False,
            hovertext=hover,
            hoverinfo="text",
            xgap=1,
            ygap=1,
        )
    )
    framed(figure, PAGE_WIDTH, 60 + 30 * len(chosen))
    bare = {"showgrid": False, "showline": False, "ticks": "", "tickvals": places}
    figure.update_xaxes(
        **bare,
        side="top",
        tickangle=0,
        ticktext=[system_label(system).replace(" ", "<br>") for system, _ in chosen],
        tickfont={"size": FONT_SIZE},
    )
    figure.update_yaxes(
        **bare,
        ticktext=[system_label(system) for system, _ in chosen],
        autorange="reversed",
    )
    figure.update_layout(margin={"l": LABEL_WIDTH, "b": 4, "t": 56, "r": 4})
    figure.update_annotations(font_size=FONT_SIZE + 2.5)
    return figure


def scaling_exponents(results: Results) -> go.Figure | None:
    """Exponent of growth with rounds, with its interval, of every system and metric."""
    metrics = ("time_to_proof", "verify", "peak_memory_prove")
    chosen = sorted(results.equal_terms.items())
    if results.scaling.is_empty():
        return None
    figure = make_subplots(
        rows=1,
        cols=len(metrics),
        shared_yaxes=True,
        subplot_titles=[metric_name(metric) for metric in metrics],
        horizontal_spacing=0.03,
    )
    found = False
    names = [system_label(system) for system, _ in chosen]
    for column, metric in enumerate(metrics, start=1):
        for place, (system, series) in enumerate(chosen):
            look = system_look(system, results.systems)
            for label in results.thread_tracks:
                row = scaling_row(results, series, metric, label)
                if row is None:
                    continue
                found = True
                figure.add_trace(
                    go.Scatter(
                        x=[row["exponent"]],
                        y=[place + (-0.17 if label == "one" else 0.17)],
                        error_x={
                            "type": "data",
                            "array": [row["high"] - row["exponent"]],
                            "arrayminus": [row["exponent"] - row["low"]],
                            "thickness": 1,
                            "width": 2.5,
                        },
                        mode="markers",
                        marker={
                            "symbol": look.marker if label == "one" else f"{look.marker}-open",
                            "size": 6,
                            "color": look.colour,
                        },
                        showlegend=False,
                        hovertext=(
                            f"{system_label(system)}, {THREAD_NAMES[label]}: "
                            f"{row['exponent']:.2f} [{row['low']:.2f}–{row['high']:.2f}], "
                            f"best described as {row['best_model']}"
                        ),
                        hoverinfo="text",
                    ),
                    row=1,
                    col=column,
                )
    if not found:
        return None
    framed(figure, PAGE_WIDTH, 66 + 21 * len(chosen))
    figure.update_layout(margin={"l": LABEL_WIDTH})
    figure.update_xaxes(title_text="exponent of rounds")
    figure.update_yaxes(
        tickvals=list(range(len(chosen))), ticktext=names, range=[len(chosen) - 0.5, -0.5]
    )
    for guide in (0.0, 1.0):
        figure.add_vline(x=guide, line={"color": "#9a9a9a", "width": 0.8, "dash": "dot"})
    return figure


def scaling_row(results: Results, series: str, metric: str, threads: str) -> dict[str, Any] | None:
    """The row of the scaling table, or None where it has no fitted exponent."""
    rows = results.scaling.filter(
        (pl.col("series") == series)
        & (pl.col("metric") == metric)
        & (pl.col("threads_label") == threads)
        & pl.col("exponent").is_not_null()
    )
    return None if rows.is_empty() else rows.row(0, named=True)


def variant_lines(results: Results, name: str, values: tuple[str, str]) -> list[Line]:
    """Pairs of series that differ within a system in the variant `name` alone.

    The first of `values` is drawn solid with filled markers, the second dotted with open ones.
    """
    lines: list[Line] = []
    for system in results.systems:
        pair = results.variant_pair(system, name, values)
        if pair is None:
            continue
        look = system_look(system, results.systems)
        label = system_label(system)
        open_look = Look(look.colour, f"{look.marker}-open", "dot")
        lines.append(Line(pair[0], f"{label}, {name} {values[0]}", look_solid(look), label))
        lines.append(Line(pair[1], f"{label}, {name} {values[1]}", open_look, label))
    return lines


def look_solid(look: Look) -> Look:
    """The same look with an unbroken line."""
    return Look(look.colour, look.marker, "solid")


def fixed_against_public(results: Results) -> go.Figure | None:
    """What public round constants cost: verify time, verifying key and time to proof."""
    lines = variant_lines(results, "constants", ("fixed", "public"))
    panels = [
        Panel(lines, "verify", "one", "verify time, one thread"),
        Panel(lines, "size:verifying_key", None, "verifying key"),
        Panel(lines, "time_to_proof", "one", "time to proof, one thread"),
    ]
    strokes = [("constants fixed", "solid"), ("constants public", "dot")]
    return _side_by_side(results, panels, strokes)


def sound_against_unbound(results: Results) -> go.Figure | None:
    """What binding the round constants in the AIR costs."""
    lines = variant_lines(results, "constants", ("public", "unbound"))
    panels = [
        Panel(lines, "time_to_proof", "one", "time to proof, one thread"),
        Panel(lines, "verify", "one", "verify time, one thread"),
        Panel(lines, "size:proof", None, "proof size"),
    ]
    strokes = [("constants bound", "solid"), ("constants unbound, unsound", "dot")]
    return _side_by_side(results, panels, strokes)


def growing_gadget(results: Results) -> go.Figure | None:
    """What the ever longer linear combination of earlier work costs."""
    lines = variant_lines(results, "gadget", ("constant-terms", "growing-terms"))
    panels = [
        Panel(lines, "time_to_proof", "one", "time to proof, one thread"),
        Panel(lines, "verify", "one", "verify time, one thread"),
        Panel(lines, "peak_memory_prove", "one", "peak memory, one thread"),
    ]
    strokes = [("terms constant", "solid"), ("terms growing", "dot")]
    return _side_by_side(results, panels, strokes)


def _side_by_side(
    results: Results, panels: Sequence[Panel], strokes: Sequence[tuple[str, str]]
) -> go.Figure | None:
    figure = growth(results, panels, PAGE_WIDTH, shared=False, strokes=strokes)
    if figure is not None:
        figure.update_yaxes(title_text=None)
        figure.update_layout(margin={"l": 46})
    return figure


def as_published_against_equal(results: Results) -> go.Figure | None:
    """The systems of earlier work on its terms (left) and on equal terms (right)."""
    published = results.as_published
    if not published:
        return None
    equal = {s: name for s, name in results.equal_terms.items() if s in published}
    metrics = ("time_to_proof", "verify")
    titles = ["as published", "equal terms, one thread"]
    figure = make_subplots(
        rows=2,
        cols=2,
        subplot_titles=[*titles, "", ""],
        horizontal_spacing=0.03,
        vertical_spacing=0.09,
    )
    shown: set[str] = set()
    for row, metric in enumerate(metrics, start=1):
        left = Panel(_lines(results, published), metric, None, titles[0])
        right = Panel(_lines(results, equal), metric, "one", titles[1])
        drawn = _draw(figure, results, left, (row, 1), shown)
        drawn += _draw(figure, results, right, (row, 2), shown)
        if not drawn:
            return None
        for column, panel in enumerate((left, right), start=1):
            _sizes_axis(figure, results, PAGE_WIDTH, row=row, col=column)
            _value_axis(figure, drawn, metric_name(metric), matched=column > 1, row=row, col=column)
            _draw_failures(figure, results, panel, (row, column))
    rows = rows_of_legend(shown, PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 320 + LEGEND_ROW * rows, rows)
    figure.update_yaxes(showticklabels=False, col=2)
    figure.update_xaxes(title_text=None, showticklabels=False, row=1)
    return figure


def grinding_samples(results: Results) -> pl.DataFrame:
    """Samples with their proof-of-work attempts: system, size, attempts, wall_ns; one thread."""
    chosen = list(results.equal_terms.values())
    configurations = results.configurations.filter(
        pl.col("series").is_in(chosen)
        & (pl.col("track") == "main")
        & (pl.col("threads_label") == "one")
    ).select("configuration", "system", "size")
    attempts = results.counters.filter(pl.col("name") == "pow_attempts").select(
        "configuration", "invocation", "sample", pl.col("value").alias("attempts")
    )
    proofs = results.samples.filter((pl.col("phase") == "prove") & ~pl.col("warmup")).select(
        "configuration", "invocation", "sample", "wall_ns"
    )
    return (
        proofs.join(attempts, on=["configuration", "invocation", "sample"])
        .join(configurations, on="configuration")
        .sort("system", "size", "invocation", "sample")
    )


#: More points than this a panel are thinned evenly: a PDF of all would be slow to draw.
GRINDING_POINTS = 400


def grinding(results: Results) -> go.Figure | None:
    """Attempts at the proof of work against prove time, one point a sample, one panel a system."""
    table = grinding_samples(results)
    if table.is_empty():
        return None
    systems = table["system"].unique(maintain_order=True).to_list()
    sizes = sorted(table["size"].unique().to_list())
    figure = make_subplots(
        rows=1,
        cols=len(systems),
        subplot_titles=[system_label(system) for system in systems],
        shared_yaxes=True,
        horizontal_spacing=0.03,
    )
    ticks, names, span = decade_ticks([float(v) for v in table["wall_ns"] if v > 0], "ns")
    shades = [f"rgba({_shade(i, len(sizes))},0.75)" for i in range(len(sizes))]
    for column, system in enumerate(systems, start=1):
        for place, size in enumerate(sizes):
            points = table.filter((pl.col("system") == system) & (pl.col("size") == size))
            points = points.gather_every(max(1, points.height // GRINDING_POINTS))
            figure.add_trace(
                go.Scatter(
                    x=points["attempts"].to_list(),
                    y=points["wall_ns"].to_list(),
                    mode="markers",
                    name=f"{size} rounds",
                    legendgroup=str(size),
                    showlegend=column == 1,
                    marker={
                        "symbol": ("circle", "square", "diamond", "triangle-up", "cross", "x")[
                            place % 6
                        ],
                        "size": 3.6,
                        "color": shades[place],
                    },
                    hovertext=[
                        f"{a:.0f} attempts: {plain(Quantity(t, t, t, 'ns'))}"
                        for a, t in points.select("attempts", "wall_ns").iter_rows()
                    ],
                    hoverinfo="text",
                ),
                row=1,
                col=column,
            )
    rows = rows_of_legend([f"{size} rounds" for size in sizes], PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 190 + LEGEND_ROW * rows, rows)
    figure.update_xaxes(title_text="proof-of-work attempts", rangemode="tozero", tickformat="~s")
    figure.update_yaxes(type="log", tickvals=ticks, ticktext=names, range=span)
    figure.update_yaxes(title_text="prove time", col=1)
    return figure


def _shade(place: int, count: int) -> str:
    """From light orange to dark brown: sizes are ordered, so their colours are as well."""
    t = place / max(1, count - 1)
    light, dark = (240, 163, 94), (84, 34, 0)
    return ",".join(str(round(a + (b - a) * t)) for a, b in zip(light, dark, strict=True))


def harness_cost(results: Results) -> go.Figure | None:
    """Runner over plain program, with intervals; left of one the runner is faster."""
    table = results.overhead
    if table is None or table.is_empty():
        return None
    table = table.sort("system", "threads", "phase")
    names = [
        f"{system_label(system)}, {phase}, {threads} thread{'s' if threads > 1 else ''}"
        for system, phase, threads in table.select("system", "phase", "threads").iter_rows()
    ]
    figure = go.Figure()
    for place, row in enumerate(table.iter_rows(named=True)):
        look = system_look(row["system"], results.systems)
        figure.add_trace(
            go.Scatter(
                x=[row["ratio"]],
                y=[place],
                error_x={
                    "type": "data",
                    "array": [row["high"] - row["ratio"]],
                    "arrayminus": [row["ratio"] - row["low"]],
                    "thickness": 1,
                    "width": 2.5,
                },
                mode="markers",
                marker={"symbol": look.marker, "size": 6, "color": look.colour},
                showlegend=False,
                hovertext=f"{names[place]}: {row['ratio']:.3f}",
                hoverinfo="text",
            )
        )
    framed(figure, COLUMN_WIDTH, 50 + 15 * len(names))
    figure.update_layout(margin={"l": LABEL_WIDTH + 52, "t": 6})
    figure.add_vrect(x0=2 - MARGIN, x1=MARGIN, fillcolor="#eeeeee", line_width=0, layer="below")
    figure.add_vline(x=1.0, line={"color": "#9a9a9a", "width": 0.8})
    figure.update_xaxes(title_text="runner / plain program", tickformat=".2f", nticks=5)
    figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=names, range=[len(names) - 0.5, -0.5]
    )
    return figure


FIGURES: dict[str, Callable[[Results], go.Figure | None]] = {
    "proof-size": proof_size,
    "time-to-proof": time_to_proof,
    "verify-time": verify_time,
    "setup-time": setup_time,
    "key-sizes": key_sizes,
    "memory": memory,
    "ratios-time-to-proof-one": partial(ratio_heat_map, metric="time_to_proof", threads="one"),
    "ratios-time-to-proof-all": partial(ratio_heat_map, metric="time_to_proof", threads="all"),
    "ratios-verify-one": partial(ratio_heat_map, metric="verify", threads="one"),
    "ratios-verify-all": partial(ratio_heat_map, metric="verify", threads="all"),
    "scaling-exponents": scaling_exponents,
    "fixed-against-public": fixed_against_public,
    "sound-against-unbound": sound_against_unbound,
    "growing-gadget": growing_gadget,
    "as-published-against-equal": as_published_against_equal,
    "grinding": grinding,
    "harness-cost": harness_cost,
}


# ── Writing ───────────────────────────────────────────────────────────────────────────────────


def empty_figure(reason: str) -> go.Figure:
    """A frame that says why there is nothing to see, so that a paper never lacks a file."""
    figure = go.Figure()
    framed(figure, COLUMN_WIDTH, 60)
    figure.update_layout(margin={"l": 4, "r": 4, "t": 4, "b": 4})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    figure.add_annotation(text=reason, showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper")
    return figure


def draw(results: Results) -> dict[str, go.Figure]:
    """Every figure by name; one without data says so."""
    drawn = {}
    for name, function in FIGURES.items():
        figure = function(results)
        drawn[name] = empty_figure("no data in this run") if figure is None else figure
    return drawn


_PDF_DATE = re.compile(rb"\(D:\d{14}[^)]*\)")


def fixed_dates(pdf: bytes, epoch: int) -> bytes:
    """A PDF with every date set to `epoch` (seconds, UTC) and no byte moved."""
    stamp = datetime.fromtimestamp(epoch, UTC).strftime("D:%Y%m%d%H%M%S").encode()

    def dated(match: re.Match[bytes]) -> bytes:
        zone = match.group()[17:-1]
        return b"(" + stamp + zone + b")"

    return _PDF_DATE.sub(dated, pdf)


def write_drawn(drawn: Mapping[Path, Mapping[str, go.Figure]], epoch: int) -> list[Path]:
    """Write the figures of each folder by their names as `NAME.pdf`.

    What else of that kind is in these folders is removed. One browser draws them all.
    `NizkBenchError` where there is none. `epoch` is the date in them.
    """
    # A browser's driver is slow to load, and only this function needs it.
    import kaleido

    browser = layout.browser()
    for folder in drawn:
        folder.mkdir(parents=True, exist_ok=True)
    page = kaleido.PageGenerator(mathjax=False)
    # The browser is asked for margins of a tenth of an inch, which would shrink every figure and
    # cut it off; a rule of the page itself outweighs that.
    page.header += "<style>@page { margin: 0 } html, body { margin: 0; padding: 0 }</style>"
    paths = {
        folder / f"{name}.pdf": figure
        for folder, figures in drawn.items()
        for name, figure in figures.items()
    }
    kaleido.write_fig_from_object_sync(
        [
            {
                "fig": figure,
                "path": str(path),
                "opts": {
                    "format": "pdf",
                    "width": figure.layout.width,
                    "height": figure.layout.height,
                },
            }
            for path, figure in paths.items()
        ],
        kopts={"n": 1, "path": browser, "page_generator": page},
        cancel_on_error=True,
    )
    for path in paths:
        path.write_bytes(fixed_dates(path.read_bytes(), epoch))
    for folder in drawn:
        for stale in set(folder.glob("*.pdf")) - set(paths):
            stale.unlink()
    return list(paths)
