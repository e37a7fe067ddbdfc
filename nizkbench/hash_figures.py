"""The figures of hash functions in circuits.

Every function takes `HashResults` and returns a plotly figure, or None where the run has nothing
to show in it. Looks are those of `nizkbench.figures`; here a function has a colour, and where lines
are systems, a system has.
"""

from collections.abc import Callable, Mapping

import plotly.graph_objects as go

from nizkbench.figures import (
    LEGEND_ROW,
    PAGE_WIDTH,
    Line,
    Look,
    Panel,
    decade_ticks,
    empty_figure,
    framed,
    growth,
    rows_of_legend,
    system_look,
)
from nizkbench.hash_results import (
    FUNCTIONS,
    GAIN_ASKED,
    NATIVE,
    OVER_BYTES,
    STANDARD_LIBRARY,
    THREADS,
    ZOKRATES,
    HashResults,
)
from nizkbench.quantities import plain
from nizkbench.results import system_label

#: How a function is called.
FUNCTION_NAMES = {
    "sha256": "SHA-256",
    "sha3-256": "SHA3-256",
    "blake2s": "BLAKE2s",
    "mimc-sponge": "MiMC (sponge)",
    "mimc-7": "MiMC-7",
    "poseidon": "Poseidon",
}

#: How a metric of a circuit is called.
METRIC_NAMES = {
    "constraints": "constraints",
    "size:proving_key": "proving key",
    "time_to_proof": "time to proof",
    "setup": "setup",
    "prove": "prove",
}

#: The one look of a function; those over a field have open markers and dotted lines.
_LOOKS = {
    "sha256": Look("#0072B2", "circle", "solid"),
    "sha3-256": Look("#D55E00", "square", "solid"),
    "blake2s": Look("#000000", "diamond", "solid"),
    "mimc-sponge": Look("#CC79A7", "triangle-up-open", "dot"),
    "mimc-7": Look("#E69F00", "triangle-down-open", "dot"),
    "poseidon": Look("#009E73", "star-open", "dot"),
}

#: The standard library's circuit of SHA-256, beside the one that everything else is about.
_LIBRARY = ("SHA-256 (library)", Look("#56B4E9", "pentagon", "dash"))

#: ZoKrates' own provers and the native one; no STARK is drawn beside them.
_SYSTEMS = {
    ZOKRATES: Look("#D55E00", "star", "solid"),
    NATIVE: Look("#7F7F7F", "hexagon", "dash"),
}


def function_look(function: str) -> Look:
    """The one look of a function, the same in every figure."""
    return _LOOKS[function]


def _lines(functions: Mapping[str, str]) -> list[Line]:
    """Functions as lines, by the series that stands for each."""
    return [
        Line(series, FUNCTION_NAMES[function], _LOOKS[function], FUNCTION_NAMES[function])
        for function, series in functions.items()
    ]


def _library(results: HashResults) -> list[Line]:
    """The standard library's SHA-256 in WebAssembly as a line, if it was measured."""
    series = results.main(ZOKRATES, "sha256", gadget=STANDARD_LIBRARY)
    name, look = _LIBRARY
    return [] if series is None else [Line(series, name, look, name)]


def system_lines(results: HashResults, function: str) -> list[Line]:
    """One function in every system that has it, as lines."""
    return [
        Line(
            series,
            system_label(system),
            _SYSTEMS.get(system) or system_look(system, results.systems),
            system_label(system),
        )
        for system in results.systems
        if (series := results.main(system, function)) is not None
    ]


def circuits(results: HashResults) -> go.Figure | None:
    """Constraints and proving key of ZoKrates' circuits by the length of the message."""
    lines = [*_lines(results.circuits), *_library(results)]
    return _of_zokrates(results, lines, ("constraints", "size:proving_key"))


def times(results: HashResults) -> go.Figure | None:
    """Setup and time to proof of ZoKrates' circuits in WebAssembly by the length of the message."""
    lines = [*_lines(results.functions_of(ZOKRATES)), *_library(results)]
    return _of_zokrates(results, lines, ("setup", "time_to_proof"))


def _of_zokrates(
    results: HashResults, lines: list[Line], metrics: tuple[str, ...]
) -> go.Figure | None:
    """A panel for each metric, with a heading that says what its y axis would."""
    panels = [Panel(lines, metric, THREADS, METRIC_NAMES[metric]) for metric in metrics]
    figure = growth(results.results, panels, PAGE_WIDTH, shared=False)
    if figure is not None:
        figure.update_yaxes(title_text=None)
    return figure


def systems(results: HashResults) -> go.Figure | None:
    """Prove time of the functions over bytes in every system, one panel a function."""
    panels = [
        Panel(system_lines(results, function), "prove", THREADS, FUNCTION_NAMES[function])
        for function in OVER_BYTES
        if system_lines(results, function)
    ]
    return growth(results.results, panels, PAGE_WIDTH) if panels else None


def native_gain(results: HashResults) -> go.Figure | None:
    """How many times as long WebAssembly proves the same circuit, against its constraints."""
    figure = go.Figure()
    shown: list[str] = []
    values: list[float] = []
    counts: list[float] = []
    for function in FUNCTIONS:
        found = results.native_gains(function)
        if not found:
            continue
        name, look = FUNCTION_NAMES[function], _LOOKS[function]
        shown.append(name)
        values += [end for _, _, gain in found for end in (gain.low, gain.high)]
        counts += [float(count) for _, count, _ in found]
        figure.add_trace(
            go.Scatter(
                x=[count for _, count, _ in found],
                y=[gain.value for _, _, gain in found],
                error_y={
                    "type": "data",
                    "array": [gain.high - gain.value for _, _, gain in found],
                    "arrayminus": [gain.value - gain.low for _, _, gain in found],
                    "thickness": 0.9,
                    "width": 2.5,
                },
                mode="lines+markers",
                name=name,
                line={"color": look.colour, "width": 1.0, "dash": look.dash},
                marker={"symbol": look.marker, "size": 5.5, "color": look.colour},
                hovertext=[
                    f"{name}<br>{size} bytes, {count} constraints: {plain(gain, interval=True)}"
                    for size, count, gain in found
                ],
                hoverinfo="text",
            )
        )
    if not shown:
        return None
    rows = rows_of_legend(shown, PAGE_WIDTH)
    framed(figure, PAGE_WIDTH, 200 + LEGEND_ROW * rows, rows)
    figure.add_hline(y=GAIN_ASKED, line={"color": "#9a9a9a", "width": 0.8, "dash": "dot"})
    ticks, names, span = decade_ticks(counts, "1")
    figure.update_xaxes(
        type="log", tickvals=ticks, ticktext=names, range=span, title_text="constraints"
    )
    ticks, _, span = decade_ticks([*values, GAIN_ASKED], "1")
    figure.update_yaxes(
        type="log",
        tickvals=ticks,
        ticktext=[f"×{tick:g}" for tick in ticks],
        range=span,
        title_text="WebAssembly over native",
    )
    return figure


FIGURES: dict[str, Callable[[HashResults], go.Figure | None]] = {
    "circuits": circuits,
    "times": times,
    "systems": systems,
    "native-gain": native_gain,
}


def draw_hashes(results: HashResults) -> dict[str, go.Figure]:
    """Every figure by name; one without data says so."""
    drawn = {name: function(results) for name, function in FIGURES.items()}
    return {
        name: empty_figure("no data in this run") if figure is None else figure
        for name, figure in drawn.items()
    }
