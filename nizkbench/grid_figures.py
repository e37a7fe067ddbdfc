"""The figures of the option grid: the front, what options cost, and what attempts take.

Each function takes tables of `nizkbench.cells`, `nizkbench.choice`, `nizkbench.effects` and
`nizkbench.cost_model` and returns a plotly figure, or None where they have nothing to show. In the
report, hovering over a cell gives all of its options. Looks are those of `nizkbench.figures`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import polars as pl
from plotly.subplots import make_subplots

from nizkbench.cells import OPTIONS
from nizkbench.effects import FACTORS
from nizkbench.figures import (
    FONT_SIZE,
    INK,
    LEGEND_ROW,
    MARKERS,
    PAGE_WIDTH,
    PALETTE,
    decade_ticks,
    empty_figure,
    framed,
    rows_of_legend,
    system_look,
)
from nizkbench.grid_results import MIN_BITS, ROUNDS, GridResults
from nizkbench.quantities import Quantity, plain

#: What options are called in a figure.
FACTOR_NAMES = {
    "field_extension": "field, extension",
    "remainder_max_degree": "remainder degree",
    "batching_constraints": "batching, constraints",
    "batching_deep": "batching, DEEP",
    "hash_rate": "hash rate",
}

#: What the metrics of a cell are called, and their units.
METRIC_NAMES = {
    "prove_ns": ("time to proof", "ns"),
    "verify_ns": ("verify time", "ns"),
    "proof_bytes": ("proof size", "bytes"),
}

#: More cells than this behind the front are thinned evenly: a PDF of all would be slow to draw.
CLOUD_POINTS = 1500

#: More samples than this a panel are thinned evenly.
SAMPLE_POINTS = 600

#: More predictions than this a panel are thinned evenly.
PREDICTION_POINTS = 700

#: What of earlier work and of ours is marked on the front.
_LANDMARKS = {
    "default": ("star-diamond", "#000000"),
    "individually best": ("cross", "#000000"),
    "recommended": ("star", "#009E73"),
}


def factor_name(name: str) -> str:
    """An option as a figure says it."""
    return FACTOR_NAMES.get(name, name.replace("_", " "))


def hover(cell: Mapping[str, Any]) -> str:
    """Everything about a cell, a line each: its costs with intervals, its bits and its options."""
    lines = []
    for metric, (title, unit) in METRIC_NAMES.items():
        low, high = (cell[f"{metric}{end}"] for end in ("_low", "_high"))
        value = cell[metric]
        bounds = (value, value) if low is None or high is None else (low, high)
        lines.append(f"{title}: {plain(Quantity(value, *bounds, unit), interval=True)}")
    known = [cell[f"security_{kind}"] for kind in ("conjectured", "udr", "ldr")]
    bits = " / ".join("–" if one is None else f"{one:g}" for one in known)
    lines.append(f"bits: {bits} (conjectured / unique / list decoding)")
    options = {"field": cell["field"], **{name: cell[name] for name in OPTIONS}}
    lines += [f"{factor_name(name)}: {value}" for name, value in options.items()]
    return "<br>".join(lines)


def front(
    judged: pl.DataFrame,
    rounds: int,
    min_bits: float = 100,
    landmarks: Sequence[tuple[str, Mapping[str, Any]]] = (),
) -> go.Figure | None:
    """Time to proof against proof size and against verify time, for one size of the statement.

    `judged` is of `nizkbench.choice.pareto`. Cells of `min_bits` or more stand in their field's
    colour, small and open; on the front they are large, filled and outlined, and a line joins those
    that are best in the two costs of the panel alone. All others are a grey cloud. `landmarks` are
    (name, cell) to be marked: `default`, `individually best` or `recommended`.
    """
    here = judged.filter((pl.col("rounds") == rounds) & pl.col("bits").is_not_null())
    enough = here.filter(pl.col("bits") >= min_bits)
    if enough.is_empty():
        return None
    panels = ("proof_bytes", "verify_ns")
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.03)
    behind = here.filter(pl.col("bits") < min_bits)
    fields = enough["field"].unique().sort().to_list()
    names: list[str] = []

    def add(frame: pl.DataFrame, name: str, marker: dict[str, Any]) -> None:
        """The cells of `frame` in both panels."""
        if frame.is_empty():
            return
        names.append(name)
        texts = [hover(row) for row in frame.iter_rows(named=True)]
        for column, metric in enumerate(panels, start=1):
            figure.add_trace(
                go.Scatter(
                    x=frame[metric].to_list(),
                    y=frame["prove_ns"].to_list(),
                    mode="markers",
                    name=name,
                    legendgroup=name,
                    showlegend=column == 1,
                    marker=marker,
                    hovertext=texts,
                    hoverinfo="text",
                ),
                row=1,
                col=column,
            )

    add(
        _thinned(behind, CLOUD_POINTS),
        f"less than {min_bits:g} bits",
        {"symbol": "circle", "size": 2.5, "color": "#d9d9d9"},
    )
    for field in fields:
        look = system_look(f"winterfell/stark/{field}")
        of_field = enough.filter(pl.col("field") == field)
        add(
            _thinned(of_field.filter(~pl.col("front")), CLOUD_POINTS),
            f"{field}, {min_bits:g} bits or more",
            {
                "symbol": f"{look.marker}-open",
                "size": 2.6,
                "color": look.colour,
                "opacity": 0.3,
                "line": {"width": 0.5, "color": look.colour},
            },
        )
        add(
            of_field.filter(pl.col("front")),
            f"{field}, on the front",
            {
                "symbol": look.marker,
                "size": 6.5,
                "color": look.colour,
                "line": {"width": 1, "color": INK},
            },
        )
    for column, metric in enumerate(panels, start=1):
        stairs = _stairs(enough, metric)
        figure.add_trace(
            go.Scatter(
                x=stairs[0],
                y=stairs[1],
                mode="lines",
                line={"color": INK, "width": 0.8, "shape": "hv"},
                showlegend=False,
                hoverinfo="skip",
            ),
            row=1,
            col=column,
        )
    for name, cell in landmarks:
        symbol, colour = _LANDMARKS[name]
        title = name if name == "recommended" else f"earlier work: {name}"
        row = pl.DataFrame([dict(cell)], infer_schema_length=None)
        add(
            row,
            title,
            {
                "symbol": symbol,
                "size": 11,
                "color": colour,
                "line": {"width": 1, "color": "white"},
            },
        )
    rows = rows_of_legend(names, PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 270 + LEGEND_ROW * rows, rows)
    for column, metric in enumerate(panels, start=1):
        title, unit = METRIC_NAMES[metric]
        ticks, said, span = decade_ticks([float(v) for v in here[metric]], unit)
        figure.update_xaxes(
            type="log", tickvals=ticks, ticktext=said, range=span, title_text=title, col=column
        )
    ticks, said, span = decade_ticks([float(v) for v in here["prove_ns"]], "ns")
    figure.update_yaxes(type="log", tickvals=ticks, ticktext=said, range=span)
    figure.update_yaxes(title_text="time to proof", col=1)
    figure.update_yaxes(showticklabels=False, col=2)
    return figure


def main_effects(effects: pl.DataFrame) -> go.Figure | None:
    """By what factor each level of each option changes each metric, with its interval.

    `effects` is of `nizkbench.effects.level_effects`, of one or more metrics. One panel an option;
    the reference level stands at one.
    """
    factors = [name for name in FACTORS if name in set(effects["factor"])]
    if not factors:
        return None
    columns = min(3, len(factors))
    count = math.ceil(len(factors) / columns)
    figure = make_subplots(
        rows=count,
        cols=columns,
        subplot_titles=[factor_name(name) for name in factors],
        horizontal_spacing=0.055,
        vertical_spacing=0.5 / count,
    )
    metrics = [name for name in METRIC_NAMES if name in set(effects["metric"])]
    lowest = highest = 1.0
    for place, factor in enumerate(factors):
        row, column = place // columns + 1, place % columns + 1
        here = effects.filter(pl.col("factor") == factor)
        levels = here.filter(pl.col("metric") == metrics[0])["level"].to_list()
        for number, metric in enumerate(metrics):
            one = here.filter(pl.col("metric") == metric)
            title = METRIC_NAMES[metric][0]
            # Metrics of one level stand a little beside one another.
            aside = 0.16 * (number - (len(metrics) - 1) / 2)
            lowest = min(lowest, *one["low"].to_list())
            highest = max(highest, *one["high"].to_list())
            figure.add_trace(
                go.Scatter(
                    x=[levels.index(level) + aside for level in one["level"]],
                    y=one["effect"].to_list(),
                    error_y={
                        "type": "data",
                        "array": (one["high"] - one["effect"]).to_list(),
                        "arrayminus": (one["effect"] - one["low"]).to_list(),
                        "thickness": 0.9,
                        "width": 2,
                    },
                    mode="lines+markers",
                    name=title,
                    legendgroup=title,
                    showlegend=place == 0,
                    line={"color": PALETTE[number], "width": 0.9},
                    marker={
                        "symbol": MARKERS[(0, 2, 3)[number % 3]],
                        "size": 4.5,
                        "color": PALETTE[number],
                    },
                    hovertext=[
                        f"{title}, {factor_name(factor)} {r['level']}: × {r['effect']:.3f}"
                        f" [{r['low']:.3f}–{r['high']:.3f}] of {r['reference']}"
                        for r in one.iter_rows(named=True)
                    ],
                    hoverinfo="text",
                ),
                row=row,
                col=column,
            )
        long = max(map(len, levels)) * len(levels) > 34
        figure.update_xaxes(
            tickvals=list(range(len(levels))),
            ticktext=levels,
            range=[-0.5, len(levels) - 0.5],
            tickangle=-30 if long else 0,
            row=row,
            col=column,
        )
        figure.add_hline(
            y=1.0, line={"color": "#9a9a9a", "width": 0.8, "dash": "dot"}, row=row, col=column
        )
    rows = rows_of_legend([METRIC_NAMES[name][0] for name in metrics], PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 30 + 152 * count + LEGEND_ROW * rows, rows)
    ticks, _, span = decade_ticks([lowest, highest], "1")
    figure.update_yaxes(
        type="log", tickvals=ticks, ticktext=[f"×{tick:g}" for tick in ticks], range=span
    )
    for place in range(len(factors)):
        if place % columns:
            figure.update_yaxes(
                showticklabels=False, row=place // columns + 1, col=place % columns + 1
            )
    return figure


def interactions(variance: pl.DataFrame) -> go.Figure | None:
    """By what factor each pair of options typically moves a cell beyond their main effects.

    `variance` is of `nizkbench.effects.analysis_of_variance`. In the first panel time to proof
    stands below the diagonal and verify time above it, in the second proof size below it. The
    diagonal is empty: a main effect is not of the same kind. Colours are shares of the metric's
    total sum of squares, numbers typical effects in percent.
    """
    pairs = variance.filter(pl.col("second").is_not_null())
    used = set(pairs["first"]) | set(pairs["second"])
    factors = [name for name in FACTORS if name in used]
    if not factors:
        return None
    at = {name: place for place, name in enumerate(factors)}
    size = len(factors)
    panels = (("prove_ns", "verify_ns"), ("proof_bytes",))
    figure = make_subplots(
        rows=1,
        cols=2,
        shared_yaxes=True,
        horizontal_spacing=0.02,
        subplot_titles=["time to proof below, verify time above (%)", "proof size (%)"],
    )
    for column, metrics in enumerate(panels, start=1):
        shares: list[list[float | None]] = [[None] * size for _ in range(size)]
        texts = [[""] * size for _ in range(size)]
        shown = pairs.filter(pl.col("metric").is_in(metrics))
        for row in shown.iter_rows(named=True):
            later, earlier = sorted((at[row["first"]], at[row["second"]]), reverse=True)
            y, x = (earlier, later) if row["metric"] == "verify_ns" else (later, earlier)
            # A share of a hundred thousandth is as good as none.
            shares[y][x] = math.log10(max(row["share"], 1e-5))
            title = METRIC_NAMES[row["metric"]][0]
            texts[y][x] = (
                f"{title}: {factor_name(row['first'])} × {factor_name(row['second'])}<br>"
                f"typically × {row['typical_factor']:.3f},"
                f" partial η² {row['partial_eta_squared']:.3f},"
                f" share {row['share']:.2%}, p (Holm) {row['p_value_holm']:.2g}"
            )
            moved = (row["typical_factor"] - 1) * 100
            figure.add_annotation(
                x=x,
                y=y,
                text=f"{moved:.1f}" if moved < 9.95 else f"{moved:.0f}",
                showarrow=False,
                font={"color": "white" if row["share"] > 3e-3 else INK, "size": FONT_SIZE - 1},
                row=1,
                col=column,
            )
        figure.add_trace(
            go.Heatmap(
                z=shares,
                x=list(range(size)),
                y=list(range(size)),
                coloraxis="coloraxis",
                hovertext=texts,
                hoverinfo="text",
                hoverongaps=False,
                xgap=1,
                ygap=1,
            ),
            row=1,
            col=column,
        )
    names = [factor_name(name) for name in factors]
    framed(figure, PAGE_WIDTH, 120 + 25 * size)
    bare = {"showgrid": False, "showline": False, "ticks": "", "tickvals": list(range(size))}
    figure.update_xaxes(**bare, ticktext=names, tickangle=-45, title_text=None)
    figure.update_yaxes(**bare, ticktext=names, autorange="reversed", title_text=None)
    figure.update_layout(
        margin={"l": 116, "b": 92, "t": 22, "r": 4},
        coloraxis={
            "cmin": -5,
            "cmax": -1,
            "colorscale": [
                [0.0, "#f7f7f7"],
                [0.4, "#c6ddec"],
                [0.7, "#4a90bf"],
                [1.0, "#0a3f66"],
            ],
            "colorbar": {
                "title": {"text": "share of<br>variance", "font": {"size": FONT_SIZE}},
                "tickvals": [-5, -4, -3, -2, -1],
                "ticktext": ["0.001 %", "0.01 %", "0.1 %", "1 %", "10 %"],
                "thickness": 10,
                "outlinewidth": 0,
                "len": 0.9,
            },
        },
    )
    return figure


def attempts_against_time(samples: pl.DataFrame, costs: pl.DataFrame) -> go.Figure | None:
    """What attempts took against how many there were, one panel a field; a line is their cost.

    `samples` is of `nizkbench.cells.attempt_samples`, `costs` of `nizkbench.cells.attempt_costs`.
    Time is time to proof without what its invocation takes without attempts. Logarithmic both ways;
    a sample whose rest is not positive, which noise makes of one with few attempts, is not drawn.
    """
    drawn = samples.filter(pl.col("attempts_ns") > 0)
    if drawn.is_empty():
        return None
    fields = drawn["field"].unique().sort().to_list()
    hashes = drawn["hash"].unique().sort().to_list()
    figure = make_subplots(
        rows=1, cols=len(fields), subplot_titles=fields, shared_yaxes=True, horizontal_spacing=0.03
    )
    shown: set[str] = set()
    for column, field in enumerate(fields, start=1):
        for number, hash_ in enumerate(hashes):
            points = drawn.filter((pl.col("field") == field) & (pl.col("hash") == hash_))
            if points.is_empty():
                continue
            colour = PALETTE[number % len(PALETTE)]
            points = _thinned(points.sort("attempts"), SAMPLE_POINTS)
            figure.add_trace(
                go.Scatter(
                    x=points["attempts"].to_list(),
                    y=points["attempts_ns"].to_list(),
                    mode="markers",
                    name=hash_,
                    legendgroup=hash_,
                    showlegend=hash_ not in shown,
                    marker={
                        "symbol": MARKERS[number % len(MARKERS)],
                        "size": 2.8,
                        "color": colour,
                        "opacity": 0.55,
                    },
                    hovertext=[
                        f"{hash_}, {attempts:.0f} attempts: {plain(Quantity(t, t, t, 'ns'))}"
                        for attempts, t in points.select("attempts", "attempts_ns").iter_rows()
                    ],
                    hoverinfo="text",
                ),
                row=1,
                col=column,
            )
            shown.add(hash_)
            cost = costs.filter((pl.col("field") == field) & (pl.col("hash") == hash_))
            ends = [float(points["attempts"][0]), float(points["attempts"][-1])]
            price = float(cost["cost_ns"][0])
            figure.add_trace(
                go.Scatter(
                    x=ends,
                    y=[end * price for end in ends],
                    mode="lines",
                    line={"color": INK, "width": 0.9},
                    showlegend=False,
                    hovertext=f"{hash_}: {plain(Quantity(price, price, price, 'ns'))} an attempt",
                    hoverinfo="text",
                ),
                row=1,
                col=column,
            )
    rows = rows_of_legend(hashes, PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 220 + LEGEND_ROW * rows, rows)
    ticks, said, span = decade_ticks([float(v) for v in drawn["attempts_ns"]], "ns")
    figure.update_yaxes(type="log", tickvals=ticks, ticktext=said, range=span)
    figure.update_yaxes(title_text="time of the attempts", col=1)
    ticks, _, span = decade_ticks([float(v) for v in drawn["attempts"]], "1")
    figure.update_xaxes(
        type="log",
        tickvals=ticks,
        ticktext=[f"{tick:,.0f}".replace(",", "\u202f") for tick in ticks],
        range=span,
        title_text="attempts",
    )
    return figure


def predictions(held_out: pl.DataFrame) -> go.Figure | None:
    """Cells that the cost model never saw: the error of its prediction against what was measured.

    `held_out` is of `nizkbench.cost_model.held_out`, of one or more metrics, one panel each. The
    band holds nine cells of ten.
    """
    known = held_out.filter(pl.col("relative_error").is_not_null())
    metrics = [name for name in METRIC_NAMES if name in set(known["metric"])]
    if not metrics:
        return None
    figure = make_subplots(
        rows=1,
        cols=len(metrics),
        subplot_titles=[METRIC_NAMES[name][0] for name in metrics],
        horizontal_spacing=0.075,
    )
    for column, metric in enumerate(metrics, start=1):
        one = known.filter(pl.col("metric") == metric).sort("measured", "configuration")
        off = one["relative_error"].to_numpy() * 100
        reach = float(np.quantile(np.abs(off), 0.9))
        points = _thinned(one, PREDICTION_POINTS)
        unit = METRIC_NAMES[metric][1]
        figure.add_trace(
            go.Scatter(
                x=points["measured"].to_list(),
                y=(points["relative_error"] * 100).to_list(),
                mode="markers",
                marker={"symbol": "circle", "size": 2.8, "color": PALETTE[column - 1]},
                showlegend=False,
                hovertext=[
                    f"{name}: measured {plain(Quantity(m, m, m, unit))}, predicted"
                    f" {plain(Quantity(p, p, p, unit))} ({e:+.1%})"
                    for name, m, p, e in points.select(
                        "configuration", "measured", "predicted", "relative_error"
                    ).iter_rows()
                ],
                hoverinfo="text",
            ),
            row=1,
            col=column,
        )
        figure.add_hrect(
            y0=-reach,
            y1=reach,
            fillcolor="#eeeeee",
            line_width=0,
            layer="below",
            row=1,
            col=column,
        )
        ticks, said, span = decade_ticks([float(v) for v in one["measured"]], unit)
        figure.update_xaxes(
            type="log", tickvals=ticks, ticktext=said, range=span, row=1, col=column
        )
        # An error far out does not squeeze the others: it is drawn at the edge.
        edge = max(2.5 * reach, 0.1)
        figure.update_yaxes(range=[-edge, edge], ticksuffix="\u202f%", row=1, col=column)
    framed(figure, PAGE_WIDTH, 200)
    figure.update_xaxes(title_text="measured")
    figure.update_yaxes(title_text="error of the prediction", col=1)
    return figure


def variance_shares(variance: pl.DataFrame) -> go.Figure | None:
    """How much of the variance between cells each option accounts for, a bar a metric.

    `variance` is of `nizkbench.effects.analysis_of_variance`. Main effects apart, all interactions
    of two options together, and what is left.
    """
    metrics = [name for name in METRIC_NAMES if name in set(variance["metric"])]
    if not metrics:
        return None
    alone = variance.filter(pl.col("second").is_null() & pl.col("first").is_not_null())
    factors = [name for name in FACTORS if name in set(alone["first"])]
    bars = {factor_name(name): alone.filter(pl.col("first") == name) for name in factors}
    bars["pairs of options"] = variance.filter(pl.col("second").is_not_null())
    bars["the rest"] = variance.filter(pl.col("first").is_null())
    figure = go.Figure()
    for number, metric in enumerate(metrics):
        shares = [
            float(frame.filter(pl.col("metric") == metric)["share"].sum())
            for frame in bars.values()
        ]
        title = METRIC_NAMES[metric][0]
        figure.add_trace(
            go.Bar(
                x=[share * 100 for share in shares],
                y=list(bars),
                orientation="h",
                name=title,
                marker={"color": PALETTE[number], "line": {"width": 0}},
                hovertext=[
                    f"{title}, {name}: {share:.2%}"
                    for name, share in zip(bars, shares, strict=True)
                ],
                hoverinfo="text",
            )
        )
    rows = rows_of_legend([METRIC_NAMES[name][0] for name in metrics], PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 60 + 21 * len(bars) + LEGEND_ROW * rows, rows)
    figure.update_layout(barmode="group", bargap=0.25, bargroupgap=0.0, margin={"l": 128, "t": 6})
    figure.update_xaxes(title_text="share of the variance", ticksuffix="\u202f%")
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return figure


def draw_grid(grid: GridResults) -> dict[str, go.Figure]:
    """Every figure of the paper's section by its name; one without data says so."""
    drawn = {
        "front": front(grid.judged, ROUNDS, MIN_BITS, grid.marked),
        "main-effects": main_effects(grid.effects),
        "interactions": interactions(grid.variance),
        "attempts-against-time": attempts_against_time(grid.attempt_samples, grid.attempt_costs),
        "predictions": predictions(grid.held_out),
    }
    return {
        name: empty_figure("this grid is too small") if figure is None else figure
        for name, figure in drawn.items()
    }


def _thinned(frame: pl.DataFrame, most: int) -> pl.DataFrame:
    """Every n-th row, so that no more than `most` are left."""
    return frame.gather_every(max(1, math.ceil(frame.height / most)))


def _stairs(frame: pl.DataFrame, metric: str) -> tuple[list[float], list[float]]:
    """The cells that no other beats in time to proof and `metric` alone, by `metric`."""
    ordered = frame.select(metric, "prove_ns").sort(metric, "prove_ns")
    best = ordered.filter(
        pl.col("prove_ns") < pl.col("prove_ns").cum_min().shift(1, fill_value=math.inf)
    )
    return best[metric].to_list(), best["prove_ns"].to_list()
