"""The figures of the option grid: the front, what options cost, and what attempts take.

Each function takes tables of `nizkbench.cells`, `nizkbench.choice`, `nizkbench.effects`,
`nizkbench.cost_model` and `nizkbench.p1_grinding` and returns a plotly figure, or None where they
have nothing to show. In the report, hovering over a cell gives all of its options. Looks are those
of `nizkbench.figures`; here a metric and a hash have one as well.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import polars as pl
from plotly.subplots import make_subplots

from nizkbench import choice
from nizkbench.cells import OPTIONS
from nizkbench.effects import FACTORS
from nizkbench.figures import (
    FONT_SIZE,
    INK,
    LEGEND_ROW,
    PAGE_WIDTH,
    Look,
    _tick,
    decade_ticks,
    empty_figure,
    framed,
    rows_of_legend,
    system_look,
    thousands,
)
from nizkbench.grid_results import MIN_BITS, ROUNDS, GridResults
from nizkbench.p1_together import Repeated, of_row
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

#: The colour and the marker of a metric, where metrics stand side by side.
METRIC_LOOKS = {
    "prove_ns": ("#0072B2", "circle"),
    "verify_ns": ("#E69F00", "square"),
    "proof_bytes": ("#000000", "diamond"),
}

#: The colour and the marker of a hash, in the order that figures and tables have hashes.
HASH_LOOKS = {
    "blake3-192": ("#56B4E9", "circle-open"),
    "blake3-256": ("#0072B2", "circle"),
    "sha3-256": ("#E69F00", "square"),
    "rp64-256": ("#009E73", "diamond"),
    "rpjive64-256": ("#CC79A7", "triangle-up"),
}

#: Levels that are no numbers, in the order that figures and tables have them.
_LEVELS = ("none", "quadratic", "cubic", "linear", "algebraic", "horner", *HASH_LOOKS)

#: Of more cells than this of a kind behind the front, a PDF has every n-th: it would be slow to
#: draw with all. The report has all.
CLOUD_POINTS = 1500

#: The same where each size has a small panel.
SMALL_CLOUD_POINTS = 500

#: Fewer proofs than this have no typical time.
FEWEST_PROOFS = 20

#: A typical time of attempts whose standard error is a greater share of what they cost is noise.
KNOWN_TO = 0.25

#: How many times the expected number of attempts the figure of the repeated experiment reaches.
P1_REACH = 4.0

#: Marked proofs that are closer than this share of the axis have one label.
_LABEL_APART = 0.027

#: An axis of factors spans at least this, so that what does nothing is seen to do nothing.
_LEAST_SPAN = (0.95, 1.05)

#: More predictions than this a panel are thinned evenly.
PREDICTION_POINTS = 700

#: What of earlier work and of ours is marked on the front; a ring hides nothing that is within it.
_LANDMARKS = {
    choice.DEFAULT: ("star-diamond", "#000000"),
    choice.BEST_PUBLISHED: ("x", "#000000"),
    choice.BEST_HERE: ("cross", "#000000"),
    "recommended": ("circle-open", "#009E73"),
}

#: The symbols of the small points of each field, in the fields' order: a print in grey shows them
#: where it does not show their colours.
_CLOUD_SYMBOLS = ("circle", "line-ns", "line-ew")


def factor_name(name: str) -> str:
    """An option as a figure says it."""
    return FACTOR_NAMES.get(name, name.replace("_", " "))


def ordered_levels(levels: Iterable[str]) -> list[str]:
    """Levels of an option in order: numbers by size, a field before its extensions, known names."""

    def place(level: str) -> list[tuple[int, int, str]]:
        return [
            (0, int(part), "")
            if part.isdigit()
            else (0, _LEVELS.index(part), "")
            if part in _LEVELS
            else (1, 0, part)
            for part in level.split("/")
        ]

    return sorted(levels, key=place)


def hover(cells: pl.DataFrame) -> dict[str, Any]:
    """What hovering over cells says, as a trace takes it: costs with intervals, bits and options.

    A line each, whose names stand in a template alone: a front has thousands of cells.
    """
    names = [
        *(title for title, _ in METRIC_NAMES.values()),
        "bits (conjectured / unique / list decoding)",
        *(factor_name(name) for name in ("field", *OPTIONS)),
    ]
    lines = [f"{name}: %{{customdata[{place}]}}" for place, name in enumerate(names)]
    return {
        "customdata": [_told(cell) for cell in cells.iter_rows(named=True)],
        "hovertemplate": "<br>".join(lines) + "<extra></extra>",
    }


def _told(cell: Mapping[str, Any]) -> list[Any]:
    """The values of a cell in the order of the lines of `hover`."""
    costs = []
    for metric, (_, unit) in METRIC_NAMES.items():
        low, high = (cell[f"{metric}{end}"] for end in ("_low", "_high"))
        value = cell[metric]
        bounds = (value, value) if low is None or high is None else (low, high)
        costs.append(plain(Quantity(value, *bounds, unit), interval=True))
    known = [cell[f"security_{kind}"] for kind in ("conjectured", "udr", "ldr")]
    bits = " / ".join("–" if one is None else f"{one:g}" for one in known)
    return [*costs, bits, cell["field"], *(cell[name] for name in OPTIONS)]


def clouds(judged: pl.DataFrame, rounds: int, min_bits: float) -> dict[str, pl.DataFrame]:
    """What lies behind the front of one size, by its name: cells with too few bits, then by field.

    `judged` is of `nizkbench.choice.pareto`. Cells on the front with `min_bits` are in none.
    """
    here = judged.filter((pl.col("rounds") == rounds) & pl.col("bits").is_not_null())
    enough = here.filter(pl.col("bits") >= min_bits)
    found = {f"less than {min_bits:g} bits": here.filter(pl.col("bits") < min_bits)}
    for field in enough["field"].unique().sort():
        of_field = enough.filter((pl.col("field") == field) & ~pl.col("front"))
        found[f"{field}, {min_bits:g} bits or more"] = of_field
    return found


def front(
    judged: pl.DataFrame,
    rounds: int,
    min_bits: float = 100,
    landmarks: Sequence[tuple[str, Mapping[str, Any]]] = (),
    most: int | None = None,
) -> go.Figure | None:
    """Time to proof against proof size and against verify time, for one size of the statement.

    `judged` is of `nizkbench.choice.pareto`. Cells of `min_bits` or more are points in their
    field's colour and symbol; on the front they are large and outlined, and a line joins those that
    are best in the two costs of the panel alone. All others are a pale cloud. `landmarks` are
    (name, cell) to be marked, of the names in `_LANDMARKS`. Of each of `clouds` at most `most`
    cells are drawn, evenly thinned, and by default all; on the front always all.
    """
    here = judged.filter((pl.col("rounds") == rounds) & pl.col("bits").is_not_null())
    enough = here.filter(pl.col("bits") >= min_bits)
    if enough.is_empty():
        return None
    panels = ("proof_bytes", "verify_ns")
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.03)
    behind, *of_fields = clouds(judged, rounds, min_bits).items()
    fields = enough["field"].unique().sort().to_list()
    looks = [system_look(f"winterfell/stark/{field}") for field in fields]
    names: list[str] = []

    def add(frame: pl.DataFrame, name: str, marker: dict[str, Any]) -> None:
        """The cells of `frame` in both panels."""
        if frame.is_empty():
            return
        names.append(name)
        told = hover(frame)
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
                    **told,
                ),
                row=1,
                col=column,
            )

    name, cells = behind
    add(_thinned(cells, most), name, {"symbol": "circle", "size": 2.4, "color": "#cfe3f3"})
    for place, ((name, cells), look) in enumerate(zip(of_fields, looks, strict=True)):
        add(_thinned(cells, most), name, _cloud_marker(place, look, 2.4))
    for field, look in zip(fields, looks, strict=True):
        add(
            enough.filter((pl.col("field") == field) & pl.col("front")),
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
        title = name if name == "recommended" else f"earlier work: {name}"
        row = pl.DataFrame([dict(cell)], infer_schema_length=None)
        add(row, title, _landmark_marker(name, 11))
    rows = rows_of_legend(names, PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 270 + LEGEND_ROW * rows, rows)
    figure.update_layout(legend_itemsizing="constant")
    for column, metric in enumerate(panels, start=1):
        title, unit = METRIC_NAMES[metric]
        ticks, said, span = _fine_ticks([float(v) for v in here[metric]], unit, 7)
        figure.update_xaxes(
            type="log", tickvals=ticks, ticktext=said, range=span, title_text=title, col=column
        )
    ticks, said, span = _fine_ticks([float(v) for v in here["prove_ns"]], "ns", 9)
    figure.update_yaxes(type="log", tickvals=ticks, ticktext=said, range=span)
    figure.update_yaxes(title_text="time to proof", col=1)
    figure.update_yaxes(showticklabels=False, col=2)
    return figure


def _cloud_marker(place: int, look: Look, size: float) -> dict[str, Any]:
    """The small points of the field in this place."""
    symbol = _CLOUD_SYMBOLS[place % len(_CLOUD_SYMBOLS)]
    marker: dict[str, Any] = {"symbol": symbol, "color": look.colour, "opacity": 0.55, "size": size}
    if symbol.startswith("line"):
        # A stroke has no area and needs some length.
        marker |= {"size": 2 * size, "line": {"width": 0.7, "color": look.colour}}
    return marker


def _landmark_marker(name: str, size: float) -> dict[str, Any]:
    """What of earlier work and of ours is marked."""
    symbol, colour = _LANDMARKS[name]
    if symbol.endswith("-open"):
        return {"symbol": symbol, "size": 1.4 * size, "color": colour, "line": {"width": 2}}
    return {
        "symbol": symbol,
        "size": size,
        "color": colour,
        "line": {"width": 1, "color": "white"},
    }


def fronts_by_size(
    judged: pl.DataFrame,
    min_bits: float,
    marked: Mapping[int, Sequence[tuple[str, Mapping[str, Any]]]],
    most: int | None = None,
) -> go.Figure | None:
    """Time to proof against proof size, a small panel a size of the statement.

    `judged` is of `nizkbench.choice.pareto`, `marked` has the sizes to draw and the cells to mark
    of each, as `front` takes them. Looks and `most` are those of `front`; each panel has its own
    axes. None where no cell of these sizes has `min_bits`.
    """
    enough = judged.filter((pl.col("bits") >= min_bits) & pl.col("rounds").is_in(list(marked)))
    sizes = enough["rounds"].unique().sort().to_list()
    if not sizes:
        return None
    columns = min(3, len(sizes))
    count = math.ceil(len(sizes) / columns)
    figure = make_subplots(
        rows=count,
        cols=columns,
        subplot_titles=[f"{rounds} rounds" for rounds in sizes],
        horizontal_spacing=0.085,
        vertical_spacing=0.32 / count,
    )
    names: dict[str, None] = {}

    def add(frame: pl.DataFrame, name: str, marker: dict[str, Any], place: int) -> None:
        if frame.is_empty():
            return
        figure.add_trace(
            go.Scatter(
                x=frame["proof_bytes"].to_list(),
                y=frame["prove_ns"].to_list(),
                mode="markers",
                name=name,
                legendgroup=name,
                showlegend=name not in names,
                marker=marker,
                **hover(frame),
            ),
            row=place // columns + 1,
            col=place % columns + 1,
        )
        names[name] = None

    for place, rounds in enumerate(sizes):
        here = judged.filter((pl.col("rounds") == rounds) & pl.col("bits").is_not_null())
        secure = here.filter(pl.col("bits") >= min_bits)
        behind, *of_fields = clouds(judged, rounds, min_bits).items()
        fields = secure["field"].unique().sort().to_list()
        looks = [system_look(f"winterfell/stark/{field}") for field in fields]
        name, cells = behind
        pale = {"symbol": "circle", "size": 2.2, "color": "#cfe3f3"}
        add(_thinned(cells, most), name, pale, place)
        for kind, ((name, cells), look) in enumerate(zip(of_fields, looks, strict=True)):
            add(_thinned(cells, most), name, _cloud_marker(kind, look, 2.2), place)
        for field, look in zip(fields, looks, strict=True):
            on_it = secure.filter((pl.col("field") == field) & pl.col("front"))
            outlined = {"color": look.colour, "line": {"width": 0.8, "color": INK}}
            add(
                on_it,
                f"{field}, on the front",
                {"symbol": look.marker, "size": 4.5, **outlined},
                place,
            )
        for landmark, cell in marked[rounds]:
            title = landmark if landmark == "recommended" else f"earlier work: {landmark}"
            row = pl.DataFrame([dict(cell)], infer_schema_length=None)
            add(row, title, _landmark_marker(landmark, 10), place)
        at = {"row": place // columns + 1, "col": place % columns + 1}
        for metric, update in (
            ("proof_bytes", figure.update_xaxes),
            ("prove_ns", figure.update_yaxes),
        ):
            values = [float(value) for value in here[metric]]
            ticks, said, span = _fine_ticks(values, METRIC_NAMES[metric][1], 4)
            kept = _spaced(ticks, (span[1] - span[0]) / 4)
            update(
                type="log",
                tickvals=[ticks[one] for one in kept],
                ticktext=[said[one] for one in kept],
                tickangle=0,
                range=span,
                **at,
            )
        if place + columns >= len(sizes):
            figure.update_xaxes(title_text=METRIC_NAMES["proof_bytes"][0], **at)
        if place % columns == 0:
            figure.update_yaxes(title_text=METRIC_NAMES["prove_ns"][0], **at)
    rows = rows_of_legend(list(names), PAGE_WIDTH)
    return framed(figure, PAGE_WIDTH, 40 + 190 * count + LEGEND_ROW * rows, rows)


def main_effects(effects: pl.DataFrame) -> go.Figure | None:
    """By what factor each level of each option changes each metric, with its interval.

    `effects` is of `nizkbench.effects.level_effects`, of one or more metrics. One panel an option,
    each with a range of its own; the reference level stands at one. Levels are those of
    `ordered_levels`, and a line joins them where they are numbers.
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
        horizontal_spacing=0.075,
        vertical_spacing=0.42 / count,
    )
    metrics = [name for name in METRIC_NAMES if name in set(effects["metric"])]
    for place, factor in enumerate(factors):
        row, column = place // columns + 1, place % columns + 1
        here = effects.filter(pl.col("factor") == factor)
        levels = ordered_levels(here["level"].unique())
        numbers = all(level.isdigit() for level in levels)
        for number, metric in enumerate(metrics):
            one = sorted(
                here.filter(pl.col("metric") == metric).iter_rows(named=True),
                key=lambda found, order=tuple(levels): order.index(found["level"]),  # type: ignore[misc]
            )
            title = METRIC_NAMES[metric][0]
            colour, symbol = METRIC_LOOKS[metric]
            # Metrics of one level stand a little beside one another.
            aside = 0.18 * (number - (len(metrics) - 1) / 2)
            figure.add_trace(
                go.Scatter(
                    x=[levels.index(found["level"]) + aside for found in one],
                    y=[found["effect"] for found in one],
                    error_y={
                        "type": "data",
                        "array": [found["high"] - found["effect"] for found in one],
                        "arrayminus": [found["effect"] - found["low"] for found in one],
                        "thickness": 1.2,
                        "width": 3,
                    },
                    mode="lines+markers" if numbers else "markers",
                    name=title,
                    legendgroup=title,
                    showlegend=place == 0,
                    line={"color": colour, "width": 0.7},
                    marker={"symbol": symbol, "size": 4.5, "color": colour},
                    hovertext=[
                        f"{title}, {factor_name(factor)} {r['level']}: × {r['effect']:.3f}"
                        f" [{r['low']:.3f}–{r['high']:.3f}] of {r['reference']}"
                        for r in one
                    ],
                    hoverinfo="text",
                ),
                row=row,
                col=column,
            )
        # A field stands above its extension, and names that would still overlap are turned.
        long = max(len(part) for level in levels for part in level.split("/")) * len(levels) > 46
        figure.update_xaxes(
            tickvals=list(range(len(levels))),
            ticktext=[level.replace("/", "<br>") for level in levels],
            range=[-0.5, len(levels) - 0.5],
            tickangle=-30 if long else 0,
            row=row,
            col=column,
        )
        figure.add_hline(
            y=1.0, line={"color": "#9a9a9a", "width": 0.8, "dash": "dot"}, row=row, col=column
        )
        ends = [float(end) for name in ("low", "high") for end in here[name]]
        ticks, said, span = _factor_ticks(min(ends), max(ends))
        figure.update_yaxes(
            type="log", tickvals=ticks, ticktext=said, range=span, row=row, col=column
        )
    rows = rows_of_legend([METRIC_NAMES[name][0] for name in metrics], PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 30 + 142 * count + LEGEND_ROW * rows, rows)
    figure.update_layout(margin={"l": 40})
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


def attempt_bins(samples: pl.DataFrame, costs: pl.DataFrame) -> pl.DataFrame:
    """What attempts typically took, by field, hash and how many there were, within factors of two.

    `samples` is of `nizkbench.cells.attempt_samples`, `costs` of `nizkbench.cells.attempt_costs`.
    Columns: field, hash, bin (log₂ of its fewest attempts), proofs, attempts and attempts_ns
    (medians), low and high (the quartiles of attempts_ns), cost_ns. Times are times to proof
    without what their invocation takes without attempts; noise makes some of few attempts negative,
    and all count. A bin is left out for what it was to show, not for what it shows: with fewer than
    `FEWEST_PROOFS` proofs, or where the standard error of the median exceeds `KNOWN_TO` of what its
    attempts cost.
    """
    quartiles = (pl.col("attempts_ns").quantile(share, "linear") for share in (0.25, 0.75))
    # The quartiles of a normal distribution are 1.349 standard deviations apart, and the median of
    # so many has an error of 1.2533 standard deviations over the root of their number.
    error = 1.2533 / 1.349 * (pl.col("high") - pl.col("low")) / pl.col("proofs").sqrt()
    return (
        samples.group_by("field", "hash", bin=pl.col("attempts").log(2).floor().cast(pl.Int64))
        .agg(
            pl.len().alias("proofs"),
            pl.col("attempts", "attempts_ns").median(),
            *(one.alias(end) for one, end in zip(quartiles, ("low", "high"), strict=True)),
        )
        .join(costs.select("field", "hash", "cost_ns"), on=["field", "hash"])
        .filter(
            pl.col("proofs") >= FEWEST_PROOFS,
            error <= KNOWN_TO * pl.col("cost_ns") * pl.col("attempts"),
        )
        .sort("field", "hash", "bin")
    )


def attempts_against_time(samples: pl.DataFrame, costs: pl.DataFrame) -> go.Figure | None:
    """What attempts took against how many there were, one panel a field; a line is their cost.

    Arguments are those of `attempt_bins`, whose medians and quartiles are drawn, logarithmic both
    ways. A quartile that is not positive reaches to the lower edge.
    """
    bins = attempt_bins(samples, costs)
    if bins.is_empty():
        return None
    fields = bins["field"].unique().sort().to_list()
    hashes = ordered_levels(bins["hash"].unique())
    figure = make_subplots(
        rows=1, cols=len(fields), subplot_titles=fields, shared_yaxes=True, horizontal_spacing=0.03
    )
    times = [float(v) for name in ("attempts_ns", "high") for v in bins[name] if v > 0]
    ticks, said, span = decade_ticks(times, "ns")
    edge = 10.0 ** span[0]
    shown: set[str] = set()
    for column, field in enumerate(fields, start=1):
        for hash_ in hashes:
            points = bins.filter((pl.col("field") == field) & (pl.col("hash") == hash_))
            if points.is_empty():
                continue
            colour, symbol = HASH_LOOKS.get(hash_, ("#7F7F7F", "x"))
            price = float(points["cost_ns"][0])
            ends = [float(points["attempts"][place]) for place in (0, -1)]
            least = points["low"].clip(edge)
            figure.add_trace(
                go.Scatter(
                    x=ends,
                    y=[end * price for end in ends],
                    mode="lines",
                    line={"color": colour, "width": 1.1},
                    showlegend=False,
                    hovertext=f"{hash_}: {plain(Quantity(price, price, price, 'ns'))} an attempt",
                    hoverinfo="text",
                ),
                row=1,
                col=column,
            )
            figure.add_trace(
                go.Scatter(
                    x=points["attempts"].to_list(),
                    y=points["attempts_ns"].to_list(),
                    error_y={
                        "type": "data",
                        "array": (points["high"] - points["attempts_ns"]).to_list(),
                        "arrayminus": (points["attempts_ns"] - least).to_list(),
                        "thickness": 0.8,
                        "width": 0,
                    },
                    mode="markers",
                    name=hash_,
                    legendgroup=hash_,
                    showlegend=hash_ not in shown,
                    marker={
                        "symbol": symbol,
                        # An open marker is seen around one that costs the same.
                        "size": 8.5 if symbol.endswith("-open") else 4.5,
                        "color": colour,
                        "line": {"width": 1, "color": colour},
                    },
                    hovertext=[
                        f"{hash_}, {2 ** row['bin']} to {2 ** (row['bin'] + 1) - 1} attempts,"
                        f" {row['proofs']} proofs:"
                        f" {plain(Quantity(row['attempts_ns'], row['low'], row['high'], 'ns'))}"
                        for row in points.iter_rows(named=True)
                    ],
                    hoverinfo="text",
                ),
                row=1,
                col=column,
            )
            shown.add(hash_)
    rows = rows_of_legend(hashes, PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 230 + LEGEND_ROW * rows, rows)
    figure.update_yaxes(type="log", tickvals=ticks, ticktext=said, range=span)
    figure.update_yaxes(title_text="time of the attempts", col=1)
    ticks, _, span = decade_ticks([float(v) for v in bins["attempts"]], "1")
    figure.update_xaxes(
        type="log",
        tickvals=ticks,
        ticktext=list(map(thousands, ticks)),
        range=span,
        title_text="attempts",
    )
    return figure


def p1_reach(queries: pl.DataFrame) -> float:
    """How many attempts the axis of `p1_attempts` goes to: none of those that it marks is beyond.

    `queries` is of `nizkbench.p1_grinding.queries_table`.
    """
    marked = [
        float(attempts)
        for name in ("attempts_published", "attempts_fixed")
        for attempts in queries[name].drop_nulls()
    ]
    return max(P1_REACH * float(queries["attempts_expected"][0]), 1.05 * max(marked))


def p1_attempts(proofs: pl.DataFrame, queries: pl.DataFrame) -> go.Figure | None:
    """Time to proof against attempts in the repeated experiment, a panel a version of the library.

    `proofs` is of `nizkbench.p1_grinding.proofs_table`, `queries` of `queries_table`. Small points
    are proofs on fresh instances with every number of queries, as far as `p1_reach`. Large ones are
    the published proofs, labelled with their queries, and those on the fixed instance, labelled
    where nothing was published. The line is structure + attempts · cost of one attempt, structure
    averaged over the numbers of queries.
    """
    if queries.is_empty() or proofs.is_empty():
        return None
    systems = queries["system"].unique(maintain_order=True).to_list()
    version = dict(queries.select("system", "library_version").iter_rows())
    figure = make_subplots(
        rows=1,
        cols=len(systems),
        subplot_titles=[f"winterfell {version[system]}" for system in systems],
        shared_yaxes=True,
        horizontal_spacing=0.03,
    )
    reach, highest = p1_reach(queries), 0.0
    names: dict[str, None] = {}

    def add(column: int, name: str, **trace: Any) -> None:  # noqa: ANN401
        figure.add_trace(
            go.Scatter(
                name=name,
                legendgroup=name,
                showlegend=name not in names,
                hoverinfo="text",
                **trace,
            ),
            row=1,
            col=column,
        )
        names.setdefault(name)

    for column, system in enumerate(systems, start=1):
        here = queries.filter(pl.col("system") == system).sort("queries")
        fresh = proofs.filter(
            (pl.col("system") == system)
            & (pl.col("instances") == "fresh")
            & (pl.col("attempts") <= reach)
        )
        structure = float(here["structure_ns"].mean())  # type: ignore[arg-type]
        work = float((here["fresh_ns"] - here["structure_ns"]).mean())  # type: ignore[arg-type]
        expected = float(here["attempts_expected"][0])
        top = structure + work / expected * reach
        highest = max(highest, top)
        add(
            column,
            "fresh instances, a point a proof",
            x=fresh["attempts"].to_list(),
            y=fresh["time_ns"].to_list(),
            mode="markers",
            marker={"symbol": "circle", "size": 2.4, "color": "#9dbfd9"},
            hovertext=[
                f"{row['queries']} queries, {row['attempts']:.0f} attempts:"
                f" {plain(Quantity(row['time_ns'], row['time_ns'], row['time_ns'], 'ns'))}"
                for row in fresh.iter_rows(named=True)
            ],
        )
        add(
            column,
            "structure + attempts · cost of one",
            x=[0.0, reach],
            y=[structure, top],
            mode="lines",
            line={"color": INK, "width": 0.9},
            hovertext=f"{plain(Quantity(structure, structure, structure, 'ns'))} and"
            f" {plain(Quantity(work / expected, work / expected, work / expected, 'ns'))} an"
            " attempt",
        )
        was_published = bool(here["published_ns"].is_not_null().any())
        kinds = {
            "one instance of ours": ("fixed", "#0072B2", "diamond-open"),
            "the published proofs": ("published", "#D55E00", "circle"),
        }
        for name, (kind, colour, symbol) in kinds.items():
            known = here.filter(pl.col(f"{kind}_ns").is_not_null()).sort(f"attempts_{kind}")
            if known.is_empty():
                continue
            times = known[f"{kind}_ns"]
            add(
                column,
                name,
                x=known[f"attempts_{kind}"].to_list(),
                y=times.to_list(),
                error_y={
                    "type": "data",
                    "array": (known[f"{kind}_ns_high"] - times).to_list(),
                    "arrayminus": (times - known[f"{kind}_ns_low"]).to_list(),
                    "thickness": 0.9,
                    "width": 2,
                },
                mode="markers",
                marker={
                    "symbol": symbol,
                    "size": 6.5,
                    "color": colour,
                    "line": {"width": 1, "color": colour},
                },
                hovertext=[
                    f"{row['queries']} queries, {row[f'attempts_{kind}']:.0f} attempts:"
                    f" {plain(of_row(row, f'{kind}_ns', 'ns'), interval=True)}"
                    for row in known.iter_rows(named=True)
                ],
            )
            if (kind == "published") == was_published:
                _label_queries(figure, known, kind, reach, column)
        figure.add_vline(
            x=expected,
            line={"color": "#9a9a9a", "width": 0.8, "dash": "dot"},
            annotation_text="expected",
            annotation_position="bottom right",
            annotation_font_color="#6a6a6a",
            row=1,
            col=column,
        )
    rows = rows_of_legend(names, PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 270 + LEGEND_ROW * rows, rows)
    figure.update_layout(legend_itemsizing="constant")
    ticks = _even_ticks(0.0, highest, 6)
    figure.update_yaxes(
        tickvals=ticks,
        ticktext=["0", *(_tick(tick, "ns") for tick in ticks[1:])],
        range=[0.0, 1.03 * highest],
    )
    figure.update_yaxes(title_text="time to proof", col=1)
    ticks = _even_ticks(0.0, reach, 6)
    figure.update_xaxes(
        tickvals=ticks,
        ticktext=list(map(thousands, ticks)),
        range=[-0.02 * reach, reach],  # the axis cuts no point on the left
        title_text="attempts",
    )
    return figure


def _label_queries(
    figure: go.Figure, known: pl.DataFrame, kind: str, reach: float, column: int
) -> None:
    """Numbers of queries beside their proofs, of those that lie close together in one label.

    `known` is in ascending order of attempts.
    """
    groups: list[list[dict[str, Any]]] = []
    for row in known.iter_rows(named=True):
        last = groups[-1][-1][f"attempts_{kind}"] if groups else -math.inf
        if row[f"attempts_{kind}"] - last < _LABEL_APART * reach:
            groups[-1].append(row)
        else:
            groups.append([row])
    for group in groups:
        x = group[0][f"attempts_{kind}"]
        text = ", ".join(str(row["queries"]) for row in group)
        # Left of the proof and above the line, and higher up where the axis would be in the way; a
        # proof of next to no attempts has its label below.
        above = x > _LABEL_APART / 2 * reach
        lacking = max(0.0, 6.2 * len(text) + 2 - 0.44 * PAGE_WIDTH * x / reach)
        figure.add_annotation(
            x=x,
            y=group[0][f"{kind}_ns"],
            text=text,
            showarrow=False,
            xanchor="right" if above else "left",
            yanchor="bottom" if above else "top",
            xshift=lacking - 2 if above else 4,
            yshift=0.75 * lacking + 2 if above else 0,
            font={"size": FONT_SIZE - 0.5},
            row=1,
            col=column,
        )


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
        # An error far out does not squeeze the others: it is drawn at the edge, as a triangle.
        edge = max(2.5 * reach, 0.1)
        errors = [error * 100 for error in points["relative_error"]]
        far = [abs(error) > edge for error in errors]
        figure.add_trace(
            go.Scatter(
                x=points["measured"].to_list(),
                y=[max(-edge, min(edge, error)) for error in errors],
                mode="markers",
                cliponaxis=False,
                marker={
                    "symbol": [
                        ("triangle-up" if error > 0 else "triangle-down") if out else "circle"
                        for error, out in zip(errors, far, strict=True)
                    ],
                    "size": [5.5 if out else 2.8 for out in far],
                    "color": METRIC_LOOKS[metric][0],
                },
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
    for metric in metrics:
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
                marker={"color": METRIC_LOOKS[metric][0], "line": {"width": 0}},
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


def draw_grid(grid: GridResults, again: Repeated | None = None) -> dict[str, go.Figure]:
    """Every figure of the paper's section by its name; one without data says so.

    `again` is of `nizkbench.p1_together.repeated`, None where nothing was recorded.
    """
    drawn = {
        "front": front(grid.judged, ROUNDS, MIN_BITS, grid.marked, CLOUD_POINTS),
        "fronts-by-size": fronts_by_size(
            grid.judged,
            MIN_BITS,
            {rounds: grid.marked_at(rounds) for rounds in grid.secure_sizes},
            SMALL_CLOUD_POINTS,
        ),
        "main-effects": main_effects(grid.effects),
        "interactions": interactions(grid.variance),
        "attempts-against-time": attempts_against_time(grid.attempt_samples, grid.attempt_costs),
        "p1-attempts": None if again is None else p1_attempts(again.proofs, again.queries),
        "predictions": predictions(grid.held_out),
    }
    return {
        name: empty_figure("this grid is too small") if figure is None else figure
        for name, figure in drawn.items()
    }


def _thinned(frame: pl.DataFrame, most: int | None) -> pl.DataFrame:
    """Every n-th row, so that no more than `most` are left; all rows for None."""
    return frame if most is None else frame.gather_every(max(1, math.ceil(frame.height / most)))


def _fine_ticks(
    values: Sequence[float], unit: str, most: int
) -> tuple[list[float], list[str], list[float]]:
    """As `decade_ticks`, with four ticks or more where they are no more than `most`."""
    ticks, said, span = decade_ticks(values, unit)
    decades = range(math.floor(span[0]), math.ceil(span[1]) + 1)
    within = [
        [
            tick
            for decade in decades
            for step in steps
            if span[0] <= math.log10(tick := step * 10.0**decade) <= span[1]
        ]
        for steps in ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0, 2.0, 3.0, 5.0, 7.0))
    ]
    for finer in (*within, _even_ticks(10 ** span[0], 10 ** span[1], most)):
        if 4 <= len(finer) <= most:
            return finer, [_tick(tick, unit) for tick in finer], span
    return ticks, said, span


def _spaced(ticks: Sequence[float], least: float) -> list[int]:
    """Places of ticks of a logarithmic axis that are so far apart, in decades, from the last on."""
    kept: list[int] = []
    for place in reversed(range(len(ticks))):
        if not kept or math.log10(ticks[kept[-1]] / ticks[place]) >= least:
            kept.append(place)
    return kept[::-1]


def _factor_ticks(low: float, high: float) -> tuple[list[float], list[str], list[float]]:
    """Ticks of a logarithmic axis of factors, their names, and its range."""
    low, high = min(low, _LEAST_SPAN[0]), max(high, _LEAST_SPAN[1])
    if high / low > 4:
        ticks, _, span = _fine_ticks([low, high], "1", 6)
    else:
        margin = 0.08 * math.log10(high / low)
        span = [math.log10(low) - margin, math.log10(high) + margin]
        ticks = _even_ticks(10 ** span[0], 10 ** span[1], 7)
    return ticks, [f"×{tick:g}" for tick in ticks], span


def _even_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from `low` to `high`, evenly apart and about as many as `most`."""
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(one * power for one in (1, 2, 2.5, 5, 10) if one * power * most >= high - low)
    places = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [round(place * step, 9) for place in places]


def _stairs(frame: pl.DataFrame, metric: str) -> tuple[list[float], list[float]]:
    """The cells that no other beats in time to proof and `metric` alone, by `metric`."""
    ordered = frame.select(metric, "prove_ns").sort(metric, "prove_ns")
    best = ordered.filter(
        pl.col("prove_ns") < pl.col("prove_ns").cum_min().shift(1, fill_value=math.inf)
    )
    return best[metric].to_list(), best["prove_ns"].to_list()
