"""Points as the explorer of the report reads them: one script that holds every configuration.

A page that is opened from a disk may read no other file but a script, so the data are one. They are
columns: what few configurations differ in stands once, with its place for each of them. Values and
bounds are those of the Parquet to the last bit; the text beside them is `quantities.plain`, so that
a number reads as it does in the tables.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import polars as pl

from nizkbench.figures import SIZE_NAMES, metric_name, system_look
from nizkbench.points import GRID, Points
from nizkbench.quantities import SCALES, Quantity, plain
from nizkbench.results import THREAD_NAMES, system_label, variant_of

#: What a metric is called where its figure's title does not say the rest, in the order of a list to
#: choose from; the others follow in alphabetical order.
METRICS = {
    "time_to_proof": "time to proof",
    "prove": "prove time",
    "verify": "verify time",
    "setup": "setup time",
    "witness": "witness time",
    "compile": "compile time",
    "size:proof": "proof size",
    "size:verifying_key": "size of the verifying key",
    "size:proving_key": "size of the proving key",
    "size:public_input": "size of the public input",
    "size:witness": "size of the witness",
    "security:conjectured": "conjectured security",
    "security:proven-list-decoding": "proven security, list decoding",
    "security:proven-unique-decoding": "proven security, unique decoding",
    "peak_memory_prove": "peak memory of proving",
    "peak_memory_verify": "peak memory of verifying",
    "peak_memory_setup": "peak memory of setup",
    "constraints": "constraints",
}

#: Columns that a configuration has beside its name, its variant and its options.
_COLUMNS = (
    *("configuration", "track", "system", "library", "library_version", "statement"),
    *("size_name", "size", "threads", "threads_label", "instances", "sound", "unsound_check"),
    *("invocations", "outcome"),
)


def explorer_script(points: Points) -> str:
    """The script that assigns all of it to `window.explorer`; the same text for the same points."""
    known = points.estimates["metric"].unique().to_list()
    ordered = [name for name in METRICS if name in known]
    ordered += sorted(set(known) - set(METRICS))
    units = dict(points.estimates.select("metric", "unit").unique().sort("metric").iter_rows())
    systems = points.configurations["system"].unique().sort().to_list()
    sources = points.estimates["how"].unique().sort().to_list()
    content = {
        "metrics": [{"key": key, "name": _name(key), "unit": units[key]} for key in ordered],
        "systems": [_system(system, systems) for system in systems],
        "threads": THREAD_NAMES,
        "sizes": {name: axis for name, (axis, _) in SIZE_NAMES.items()},
        "how": sources,
        "runs": [
            _run(name, points, {source: place for place, source in enumerate(sources)})
            for name in points.folders
        ],
    }
    # "</" must not stand in a script: it would end it.
    told = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return f"window.explorer = {told};\n"


def _name(metric: str) -> str:
    if metric in METRICS:
        return METRICS[metric]
    kind, _, of = metric.partition(":")
    if of:
        return f"{kind} of the {of.replace('_', ' ')}"
    for prefix, words in (("cpu_", "CPU time of"), ("peak_memory_", "peak memory of")):
        if metric.startswith(prefix):
            return f"{words} {metric.removeprefix(prefix)}"
    return metric_name(metric)


def _system(system: str, systems: Sequence[str]) -> dict[str, str]:
    look = system_look(system, systems)
    return {
        "system": system,
        "label": system_label(system),
        "colour": look.colour,
        "marker": look.marker,
    }


def _run(name: str, points: Points, sources: dict[str, int]) -> dict[str, Any]:
    configurations = points.configurations.filter(pl.col("run") == name)
    estimates = points.estimates.filter(pl.col("run") == name)
    order = configurations["configuration"].to_list()
    columns = {column: _coded(configurations[column].to_list()) for column in _COLUMNS}
    columns["name"] = _coded(
        [
            system_label(system) if track == GRID else series
            for series, system, track in configurations.select(
                "series", "system", "track"
            ).iter_rows()
        ]
    )
    columns["contains"] = _coded(configurations["includes"].to_list(), _contains)
    return {
        "name": name,
        "folder": points.folders[name],
        "configurations": len(order),
        "columns": columns,
        "variant": _named(configurations["variant"].to_list(), variant_of),
        "options": _named(configurations["options"].to_list(), json.loads),
        "metrics": {
            metric: _metric(rows, order, sources)
            for (metric,), rows in sorted(
                estimates.partition_by("metric", as_dict=True).items(), key=lambda pair: pair[0]
            )
        },
    }


def _contains(includes: str) -> str:
    """`prove contains compile and witness`, of the phases that a library fuses into others."""
    fused = {phase: inner for phase, inner in sorted(json.loads(includes).items()) if inner}
    return "; ".join(f"{phase} contains {' and '.join(inner)}" for phase, inner in fused.items())


def _coded(
    values: Sequence[Hashable], said: Callable[[Any], object] | None = None
) -> dict[str, list[Any]]:
    """Every different value once, as `said` of it, and which of them each configuration has.

    Without the latter, all of them have the one there is, or each has its own, in their order.
    """
    places: dict[Hashable, int] = {}
    codes = [places.setdefault(value, len(places)) for value in values]
    different = [value if said is None else said(value) for value in places]
    if len(different) in (1, len(codes)):
        return {"values": different}
    return {"values": different, "codes": codes}


def _named(
    texts: Sequence[str], parsed: Callable[[str], dict[str, Any]]
) -> dict[str, dict[str, list[Any]]]:
    """A column for each name in texts of names and values; null where one lacks it."""
    each = {text: parsed(text) for text in dict.fromkeys(texts)}
    names = sorted({name for values in each.values() for name in values})
    return {name: _coded([each[text].get(name) for text in texts]) for name in names}


def _metric(rows: pl.DataFrame, order: Iterable[str], sources: dict[str, int]) -> dict[str, Any]:
    """Different estimates of a metric in columns, and the place of each configuration's, or −1."""
    unit = str(rows["unit"][0])
    of = {
        configuration: estimate
        for configuration, *estimate in rows.select(
            "configuration", "value", "low", "high", "how"
        ).iter_rows()
    }
    places: dict[tuple[Any, ...], int] = {}
    codes = [places.setdefault(tuple(of[one]), len(places)) if one in of else -1 for one in order]
    value, low, high, how = (list(column) for column in zip(*places, strict=True))
    found: dict[str, Any] = {
        "value": [_number(one) for one in value],
        "text": [text(*bounds, unit) for bounds in zip(value, low, high, strict=True)],
        "how": [sources[one] for one in how],
    }
    if low != value or high != value:
        found |= {"low": [_number(one) for one in low], "high": [_number(one) for one in high]}
    if codes != list(range(len(codes))):
        found["codes"] = codes
    return found


def text(value: float, low: float | None, high: float | None, unit: str) -> str:
    """A value with its interval and unit as tables have it; without bounds, the value alone."""
    bounds = (value if low is None else low), (value if high is None else high)
    written = plain(Quantity(value, *bounds, unit if unit in SCALES else "1"), interval=True)
    return f"{written}\u202f{unit}" if unit == "bits" else written


def _number(value: float | None) -> float | int | None:
    """A number in as few letters as JSON needs for all of it."""
    return int(value) if value is not None and float(value).is_integer() else value
