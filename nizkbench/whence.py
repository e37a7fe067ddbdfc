"""Where a number of the paper comes from: its estimate, records, run, revision, locks and code.

`numbers.json` has the source of every key and the runs that it is computed from; a run's manifest
has the rest. What is not of a run's own invocations says so: tables that are kept beside them, and
what was simulated. Who has a number and no key finds the key by what is printed.
"""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from nizkbench import (
    findings,
    grid_advice,
    grid_findings,
    grid_prose,
    grid_tables,
    hash_prose,
    hash_tables,
    layout,
    range_prose,
    range_tables,
    tables,
)
from nizkbench.errors import NizkBenchError
from nizkbench.harness_cost import Cost
from nizkbench.numbers import CELL
from nizkbench.quantities import Quantity, plain, unescape
from nizkbench.records import read_manifest
from nizkbench.results import system_label

#: A configuration's name in a source.
_CONFIGURATION = re.compile(r"\b[0-9a-f]{12}\b")

#: More estimates or keys than this are counted and not listed.
MOST_LISTED = 20

#: Tables that other programs than the runners' make beside a run, and the keys that rest on them.
_KEPT = {
    "overhead": re.compile(r"(finding|rows)\.harness-cost|table\.harness-cost\..+"),
    "speed": re.compile(
        r"hash\.speed\..+|finding\.hash-(speed|units)|rows\.hash-speed|table\.hash-speed\..+"
        r"|(verdict|because)\.p2\.7\..+"
    ),
    "published": re.compile(
        r"grid\.p1\.(.+\.)?published\..+|finding\.grid-luck-(repeated|brief|line)"
    ),
}

#: What of the run itself such a key rests on as well; nothing where none is named.
_OF_RUN_TOO = {
    "finding.harness-cost": "verify times on one thread, after a proof",
    **dict.fromkeys(
        (f"finding.grid-luck-{name}" for name in ("repeated", "brief", "line")), "the whole run"
    ),
}

#: What rests on a simulation and on no run.
_SIMULATED = re.compile(r"finding\.coverage(-limits)?|rows\.coverage|table\.coverage\..+")


class UnknownKeyError(NizkBenchError):
    """No number has this key."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A table beside a run's records behind a number; `estimates` where it is one of them.

    `measured` says when and in how many processes, and is empty where the manifest does not.
    """

    path: Path
    rows: int
    measured: str
    estimates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """One run behind a number, and the configurations of it that the number is of; maybe all.

    `what` says what of the run it is, and is empty where it is nothing but the tables in `kept`.
    """

    folder: Path
    manifest: Mapping[str, Any]
    configurations: pl.DataFrame
    invocations: int
    samples: int
    what: str
    kept: tuple[Kept, ...]

    @property
    def whole(self) -> bool:
        """Whether no single configurations are named, so that it is the whole run."""
        return self.configurations.is_empty()


@dataclass(frozen=True, slots=True)
class Whence:
    """What is known of one key of the paper.

    `estimates` are those with a key of their own that a sentence tells, each with its key.
    """

    key: str
    said: str
    source: str
    estimates: tuple[str, ...]
    origins: tuple[Origin, ...]
    code: str

    @property
    def simulated(self) -> bool:
        """Whether it rests on a simulation, and so on no run."""
        return _SIMULATED.fullmatch(self.key) is not None


def read_sources(path: Path) -> dict[str, dict[str, Any]]:
    """What `numbers.json` says of every key; `NizkBenchError` where there is none."""
    try:
        found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NizkBenchError(f"{path} does not exist; `just paper` makes it") from None
    except ValueError as error:
        raise NizkBenchError(f"{path} is no JSON ({error})") from error
    return found


def key_of(asked: str, known: Mapping[str, object]) -> str | None:
    """The key that is meant: itself, its interval's, or the last part of a sentence's."""
    plain_key = asked.removesuffix(".interval")
    return next((one for one in (plain_key, f"finding.{plain_key}") if one in known), None)


def whence(asked: str, numbers: Path) -> Whence:
    """Where a number of `numbers.json` comes from; `UnknownKeyError` lists what is close."""
    known = read_sources(numbers)
    key = key_of(asked, known)
    if key is None:
        close = sorted(one for one in known if asked and asked in one)[:5]
        hint = f"; there are {', '.join(close)}" if close else ""
        raise UnknownKeyError(f"no number has the key {asked}{hint}, and none is printed so")
    entry = known[key]
    runs = [] if _SIMULATED.fullmatch(key) else entry["records"]
    return Whence(
        key=key,
        said=_said(entry),
        source=entry["source"],
        estimates=_estimates(key, known),
        origins=tuple(_origin(layout.root() / run, key, entry["source"]) for run in runs),
        code=_code(key),
    )


def printing(text: str, known: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Keys whose printed text contains this one, each with what it prints around it.

    Numbers stand before sentences, and both before cells of tables. A number is no part of a longer
    one.
    """
    asked = _as_read(text)
    if not asked:
        return []
    whole = _whole(asked)
    found = []
    for key, entry in sorted(known.items(), key=_place):
        said = _as_read(_said(entry))
        if match := whole.search(said):
            start, end = max(match.start() - 40, 0), match.end() + 40
            around = said[start:end]
            around = f"…{around}" if start else around
            found.append((key, f"{around}…" if end < len(said) else around))
    return found


def _place(entry: tuple[str, Mapping[str, Any]]) -> tuple[bool, bool]:
    key, number = entry
    return key.startswith(CELL), "text" in number


def _as_read(text: str) -> str:
    """A text with one kind of space and of dash; digits are not grouped."""
    one_space = " ".join(text.replace("--", "–").replace("−", "-").split())
    return re.sub(r"(?<=\d) (?=\d{3}\b)", "", one_space)


def _whole(text: str) -> re.Pattern[str]:
    """A text, of which a number at either end does not go on."""
    before = r"(?<![\d.])" if text[0].isdigit() else ""
    after = r"(?!\.?\d)" if text[-1].isdigit() else ""
    return re.compile(f"{before}{re.escape(text)}{after}", re.IGNORECASE)


def _estimates(key: str, known: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """What a sentence tells of the same runs: the numbers with an interval that it prints."""
    entry = known[key]
    if "text" not in entry:
        return ()
    sentence = _said(entry)
    found = []
    for other, one in known.items():
        if (
            "text" in one
            or other.startswith(CELL)
            or one["low"] == one["high"]
            or not {*one["records"]} & {*entry["records"]}
        ):
            continue
        if _whole(said := _said(one)).search(sentence):
            found.append(f"{other}: {said}")
    return tuple(found)


def _said(entry: Mapping[str, Any]) -> str:
    if "text" in entry:
        return unescape(str(entry["text"]))
    value, low, high = (entry[name] for name in ("value", "low", "high"))
    return plain(Quantity(value, low, high, entry["unit"]), interval=True)


def _origin(folder: Path, key: str, source: str) -> Origin:
    manifest = read_manifest(folder)
    configurations = _named(pl.read_parquet(folder / "configurations.parquet"), source)
    invocations = pl.read_parquet(folder / "invocations.parquet")
    samples = pl.scan_parquet(folder / "samples.parquet")
    if not configurations.is_empty():
        names = configurations.select("configuration")
        invocations = invocations.join(names, on="configuration", how="semi")
        samples = samples.join(names.lazy(), on="configuration", how="semi")
    kept = tuple(
        _kept(path, manifest)
        for name, keys in _KEPT.items()
        if keys.fullmatch(key) and (path := folder / f"{name}.parquet").exists()
    )
    what = ", ".join(configurations["configuration"].sort()) or "the whole run"
    return Origin(
        folder,
        manifest,
        configurations,
        invocations.height,
        int(samples.select(pl.len()).collect().item()),
        _OF_RUN_TOO.get(key, "") if kept else what,
        kept,
    )


def _kept(path: Path, manifest: Mapping[str, Any]) -> Kept:
    table = pl.read_parquet(path)
    about = manifest.get(path.stem)
    measured = (
        f"{about['first_utc']} to {about['last_utc']}, {about['processes']} processes"
        if about
        else ""
    )
    return Kept(path, table.height, measured, _compared(table) if "ratio" in table.columns else ())


def _compared(table: pl.DataFrame) -> tuple[str, ...]:
    """Each comparison of a runner with its plain program (`nizkbench.overhead.SCHEMA`)."""
    return tuple(
        f"{system_label(row['system'])}, {row['phase']}, {row['threads']}"
        f" {'thread' if row['threads'] == 1 else 'threads'}: {row['ratio']:.3f}"
        f" [{row['low']:.3f}–{row['high']:.3f}], {row['repetitions']} pairs,"
        f" {Cost.of(row['low'], row['high'])}"
        for row in table.iter_rows(named=True)
    )


def _named(configurations: pl.DataFrame, source: str) -> pl.DataFrame:
    """The configurations that a source names: by their own names, or by series and size."""
    names = set(_CONFIGURATION.findall(source))
    if names:
        return configurations.filter(pl.col("configuration").is_in(names))
    told = source.removeprefix("hash functions: ")
    rows = []
    for row in configurations.iter_rows(named=True):
        series = re.escape(row["series"])
        size = rf"{series}, {row['size']} {row['size_name']}(?:, threads {row['threads_label']})?"
        every_size = rf"{series}, {row['threads_label']}: .+"
        rows.append(re.fullmatch(size, told) or re.fullmatch(every_size, told))
    return configurations.filter(pl.Series([row is not None for row in rows], dtype=pl.Boolean))


#: What computes the sentences: the keys that begin so, and the functions behind the rest of a key.
_SENTENCES: tuple[tuple[str, Mapping[str, Callable[..., str]]], ...] = (
    ("finding.grid-", grid_findings.FINDINGS | grid_prose.PROSE | grid_advice.ADVICE),
    ("finding.hash-", hash_prose.PROSE),
    ("finding.range-", range_prose.PROSE),
    ("finding.", findings.FINDINGS),
)

#: What makes the tables, by their names.
_TABLES: Mapping[str, Callable[..., object]] = {
    **tables.TABLES,
    **grid_tables.TABLES,
    **grid_tables.AGAIN,
    **hash_tables.TABLES,
    **range_tables.TABLES,
}

#: What computes the others, first match first.
_MODULES = (
    ("grid.", "nizkbench/grid_numbers.py"),
    ("finding.grid-", "nizkbench/grid_prose.py"),
    ("hash.", "nizkbench/hash_numbers.py"),
    ("range.", "nizkbench/range_numbers.py"),
    ("verdict.p2", "data/claims.toml and nizkbench/hash_claims.py"),
    ("because.p2", "data/claims.toml and nizkbench/hash_claims.py"),
    ("verdict.", "data/claims.toml and nizkbench/claims.py"),
    ("because.", "data/claims.toml and nizkbench/claims.py"),
    ("register.", "data/claims.toml and nizkbench/claim_register.py"),
    ("lead.", "nizkbench/lead.py"),
    ("rows.lead", "nizkbench/lead.py"),
    ("rows.grid-", "nizkbench/grid_tables.py"),
    ("rows.hash-", "nizkbench/hash_tables.py"),
    ("rows.range-", "nizkbench/range_tables.py"),
    ("rows.", "nizkbench/tables.py"),
    ("", "nizkbench/numbers.py"),
)


def _code(key: str) -> str:
    """The file that computes a number; of a sentence or a table's cell the line of the function."""
    computing: Callable[..., object] | None = None
    if key.startswith(CELL):
        computing = _TABLES[key.removeprefix(CELL).partition(".")[0]]
    for prefix, functions in _SENTENCES:
        if key.startswith(prefix):
            computing = computing or functions.get(key.removeprefix(prefix))
    if computing is not None:
        path = Path(inspect.getfile(computing)).resolve().relative_to(layout.root())
        return f"{path}:{inspect.getsourcelines(computing)[1]}"
    return next(module for prefix, module in _MODULES if key.startswith(prefix))
