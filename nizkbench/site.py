"""The front page of the report: the explorer, the claims, the control and the runs' manifests.

It is a folder that needs no network and no server: pages, what they share, and the data as a
script. The same records make the same bytes.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from nizkbench.claim_register import sources
from nizkbench.claim_verdicts import Judged
from nizkbench.explorer import explorer_script
from nizkbench.figures import metric_name, thousands
from nizkbench.findings import control
from nizkbench.points import Points
from nizkbench.predicates import Outcome, Verdict
from nizkbench.quantities import Quantity, plain
from nizkbench.report import WEB, filled, read_notebook, title_of
from nizkbench.results import THREAD_NAMES, Results
from nizkbench.words import capitalised, listed

#: Scripts of the front page, which stand beside it as they are in the package.
SCRIPTS = ("explorer.js", "claims.js")

#: The explorer's data.
DATA = "points.js"

#: What a value of a manifest is called that could not be found out.
UNKNOWN = "not known"


def write_site(
    results: Results,
    points: Points,
    judged: Sequence[Judged],
    notebooks: Mapping[str, Path],
    into: Path,
) -> list[Path]:
    """Write the front page, its scripts and the explorer's data to a folder; the paths.

    `results` are of the main run, `points` of all runs. `notebooks` has the notebook of each page
    that stands beside the front page, by the page's file.
    """
    files = {
        "index.html": front_page(results, points, judged, notebooks),
        DATA: explorer_script(points),
        **{name: (WEB / name).read_text(encoding="utf-8") for name in SCRIPTS},
    }
    into.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (into / name).write_text(text, encoding="utf-8")
    return [into / name for name in files]


def front_page(
    results: Results, points: Points, judged: Sequence[Judged], notebooks: Mapping[str, Path]
) -> str:
    """The front page as HTML; arguments as for `write_site`."""
    configurations = points.configurations
    finished = [manifest.get("finished") or {} for manifest in points.manifests.values()]
    facts = {
        "configurations": thousands(configurations.height),
        "proof systems": str(configurations["system"].n_unique()),
        "runs": str(len(points.folders)),
        "processes that were timed": thousands(sum(one.get("invocations", 0) for one in finished)),
        "claims decided": str(sum(_is_decided(one) for one in judged)),
    }
    return filled(
        "index.html",
        profile=results.profile,
        began=_date(results.manifest["started_utc"]),
        facts=facts.items(),
        outcomes=[str(outcome) for outcome in Outcome],
        sources=[
            (name, _title(name)) for name in dict.fromkeys(one.claim.source for one in judged)
        ],
        claims=[_claim(one) for one in judged],
        tally=_tally(judged),
        pages=[(file, *_opening(path)) for file, path in notebooks.items()],
        control={"said": control(results), "rows": list(_rates(results.false_positives))},
        failures=_failures(configurations),
        runs=[_run(name, points) for name in points.folders],
    )


# ---- claims ------------------------------------------------------------------------------------


def _title(source: str) -> str:
    title = sources()[source].title
    return capitalised(title)


def _is_decided(one: Judged) -> bool:
    decided = {Outcome.REPRODUCED, Outcome.CONTRADICTED}
    return any(side is not None and side.outcome in decided for side in (one.published, one.equal))


def _claim(one: Judged) -> dict[str, object]:
    sides: dict[str, Verdict | None] = {
        "as published": one.published,
        "on equal terms": one.equal,
    }
    outcomes = {str(side.outcome) for side in sides.values() if side is not None}
    suspicion = one.claim.suspicion
    return {
        "key": one.claim.key,
        "source": one.claim.source,
        "title": f"{_title(one.claim.source)}.",
        "said": one.claim.said,
        "suspicion": None if suspicion is None else suspicion.rstrip("."),
        "sides": list(sides.items()),
        "outcomes": "|".join(sorted(outcomes)),
    }


def _tally(judged: Iterable[Judged]) -> str:
    """How many claims came out how, on equal terms: one sentence."""
    counts = {outcome: sum(one.equal.outcome == outcome for one in judged) for outcome in Outcome}
    said = [f"{count} {outcome}" for outcome, count in counts.items() if count]
    return f"On equal terms there are {listed(said)}."


# ---- notebooks and control ---------------------------------------------------------------------


def _opening(path: Path) -> tuple[str, str]:
    """The title of a notebook, and the first sentence below it as plain text."""
    notebook = read_notebook(path)
    first = next((cell.source for cell in notebook.cells if cell.cell_type == "markdown"), "")
    below = [line for line in first.splitlines() if not line.startswith("#")]
    sentence = " ".join(" ".join(below).split()).partition(". ")[0].rstrip(".")
    plainly = sentence.replace("`", "").replace("*", "")
    return title_of(notebook), f"{plainly}." if plainly else ""


def _rates(false_positives: pl.DataFrame) -> Iterator[dict[str, object]]:
    headline = pl.col("metric") != "time_to_proof"
    for row in false_positives.sort(headline, "metric").iter_rows(named=True):
        rate = Quantity(row["rate"], row["low"], row["high"], "percent")
        yield row | {"name": metric_name(row["metric"]), "said": plain(rate, interval=True)}


def _failures(configurations: pl.DataFrame) -> list[dict[str, Any]]:
    order = {
        name: place for place, name in enumerate(configurations["run"].unique(maintain_order=True))
    }
    rows = configurations.filter(pl.col("outcome") != "done").sort(
        pl.col("run").replace_strict(order, return_dtype=pl.Int64),
        "series",
        "size",
        "threads_label",
    )
    return [
        row | {"threads": THREAD_NAMES.get(row["threads_label"], row["threads"])}
        for row in rows.iter_rows(named=True)
    ]


# ---- runs --------------------------------------------------------------------------------------


def _run(name: str, points: Points) -> dict[str, object]:
    manifest = points.manifests[name]
    configurations = points.configurations.filter(pl.col("run") == name)
    identity, finished = manifest.get("identity") or {}, manifest.get("finished") or {}
    hashes = {
        "seed": identity.get("seed"),
        "profile": identity.get("profile"),
        **{f"program {key}": value for key, value in identity.get("binaries", {}).items()},
        **{f"lock {key}": value for key, value in manifest.get("locks", {}).items()},
    }
    return {
        "name": name,
        "groups": [
            _named(_what(manifest, finished, configurations, points.folders[name])),
            _named(_machine(manifest, finished)),
        ],
        "hashes": _named(hashes),
        "manifest": json.dumps(manifest, indent=1, ensure_ascii=False),
    }


def _named(values: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(name, UNKNOWN if value is None else str(value)) for name, value in values.items()]


def _what(
    manifest: Mapping[str, Any],
    finished: Mapping[str, Any],
    configurations: pl.DataFrame,
    folder: str,
) -> dict[str, object]:
    """What was measured, when, by which code."""
    revision = manifest.get("revision") or {}
    libraries = {
        f"{runner['library']['name']} {runner['library']['version']}": None
        for runner in manifest.get("runners", {}).values()
    }
    sizes = configurations.select("size", "size_name").unique().sort("size_name", "size")
    by_name = [
        f"{_joined(group['size'].to_list())} {name}"
        for (name,), group in sizes.group_by("size_name", maintain_order=True)
    ]
    elapsed, share = finished.get("elapsed_ns"), finished.get("timed_share")
    return {
        "records": folder,
        "profile": manifest.get("name"),
        "configurations": thousands(configurations.height),
        "statements": _joined(configurations["statement"].unique().sort().to_list()),
        "sizes": "; ".join(by_name),
        "threads": _joined(
            [
                THREAD_NAMES.get(label, label)
                for label in configurations["threads_label"].unique().sort(descending=True)
            ]
        ),
        "libraries": _joined(list(libraries)),
        "began": _date(manifest.get("started_utc")),
        "ended": _date(finished.get("last_invocation_utc")),
        "processes timed": _counted(finished.get("invocations")),
        "took": None if elapsed is None else _minutes(elapsed),
        "of that in timed phases": _percent(share),
        "revision": revision.get("commit"),
        "tree as committed": _yes(revision.get("clean")),
        "nizk-bench": manifest.get("nizkbench"),
    }


def _machine(manifest: Mapping[str, Any], finished: Mapping[str, Any]) -> dict[str, object]:
    """What an evaluator asks of the machine and of the toolchains."""
    machine = manifest.get("machine") or {}
    every = manifest.get("machines") or [machine]
    flags = set(machine.get("flags") or ())
    wanted = {"avx2": "AVX2", "avx512f": "AVX-512", "adx": "ADX", "bmi2": "BMI2", "sha_ni": "SHA"}
    memory, swap = machine.get("memory_bytes"), machine.get("swap_bytes")
    variables = {
        name: value for name, value in (machine.get("variables") or {}).items() if value is not None
    }
    tools = manifest.get("tools") or {}
    return {
        "processor": machine.get("processor"),
        "architecture": machine.get("architecture"),
        "instructions": _joined([said for flag, said in wanted.items() if flag in flags]) or None,
        "cores": f"{machine.get('usable_cores')} of {machine.get('logical_cores')} usable",
        "two threads a core": _yes(machine.get("smt")),
        "governor": _joined(machine.get("governor") or []) or None,
        "turbo": _yes(machine.get("turbo")),
        "memory": _bytes(memory),
        "swap": _bytes(swap),
        "huge pages": machine.get("transparent_hugepages"),
        "system": machine.get("distribution"),
        "kernel": machine.get("kernel"),
        "virtualisation": machine.get("virtualisation") or "none",
        "container": machine.get("container") or "none",
        "machines": str(len(every)),
        "load, median and highest": f"{_load(finished, 'median_load1')} and"
        f" {_load(finished, 'highest_load1')}",
        "taken by others": _percent(finished.get("steal_share"), decimals=3),
        "variables set": _joined([f"{name}={value}" for name, value in variables.items()])
        or "none",
        "toolchains": _joined([said for said in (_tool(*pair) for pair in tools.items()) if said]),
    }


def _tool(name: str, said: str | None) -> str | None:
    if said is None:
        return None
    return f"{name} {said}" if said.lstrip("v")[0].isdigit() else said


def _joined(values: Sequence[object]) -> str:
    return ", ".join(str(value) for value in values)


def _date(text: str | None) -> str | None:
    return None if text is None else f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M} UTC"


def _minutes(nanoseconds: int) -> str:
    return f"{thousands(nanoseconds / 60e9)} minutes"


def _counted(count: int | None) -> str | None:
    return None if count is None else thousands(count)


def _percent(share: float | None, decimals: int = 0) -> str | None:
    return None if share is None else f"{100 * share:.{decimals}f}\u202f%"


def _bytes(count: int | None) -> str | None:
    return None if count is None else plain(Quantity(count, count, count, "bytes"))


def _yes(value: bool | None) -> str | None:
    return None if value is None else ("yes" if value else "no")


def _load(finished: Mapping[str, Any], name: str) -> str:
    value = finished.get(name)
    return UNKNOWN if value is None else f"{value:.1f}"
