"""Where a number of the paper comes from: its estimate, records, run, revision, locks and code.

`numbers.json` has the source of every key and the runs that it is computed from; a run's manifest
has the rest.
"""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from nizkbench import findings, grid_findings, grid_prose, hash_prose, layout, range_prose
from nizkbench.errors import NizkBenchError
from nizkbench.quantities import Quantity, plain
from nizkbench.results import read_manifest

#: A configuration's name in a source.
_CONFIGURATION = re.compile(r"\b[0-9a-f]{12}\b")


class UnknownKeyError(NizkBenchError):
    """No number has this key."""


@dataclass(frozen=True, slots=True)
class Origin:
    """One run behind a number, and the configurations of it that the number is of; maybe all."""

    folder: Path
    manifest: Mapping[str, Any]
    configurations: pl.DataFrame
    invocations: int
    samples: int

    @property
    def whole(self) -> bool:
        """Whether no single configurations are named, so that it is the whole run."""
        return self.configurations.is_empty()


@dataclass(frozen=True, slots=True)
class Whence:
    """What is known of one key of the paper."""

    key: str
    said: str
    source: str
    origins: tuple[Origin, ...]
    code: str


def read_sources(path: Path) -> dict[str, dict[str, Any]]:
    """What `numbers.json` says of every key; `NizkBenchError` where there is none."""
    try:
        found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NizkBenchError(f"{path} does not exist; `just paper` makes it") from None
    except ValueError as error:
        raise NizkBenchError(f"{path} is no JSON ({error})") from error
    return found


def whence(key: str, numbers: Path) -> Whence:
    """Where a number of `numbers.json` comes from; `UnknownKeyError` lists what is close."""
    known = read_sources(numbers)
    plain_key = key.removesuffix(".interval")
    if plain_key not in known:
        close = sorted(one for one in known if plain_key and plain_key in one)[:5]
        hint = f"; there are {', '.join(close)}" if close else ""
        raise UnknownKeyError(f"no number has the key {key}{hint}")
    entry = known[plain_key]
    folders = [layout.root() / folder for folder in entry["records"]]
    return Whence(
        key=plain_key,
        said=_said(entry),
        source=entry["source"],
        origins=tuple(_origin(folder, entry["source"]) for folder in folders),
        code=_code(plain_key),
    )


def _said(entry: Mapping[str, Any]) -> str:
    if "text" in entry:
        return str(entry["text"])
    value, low, high = (entry[name] for name in ("value", "low", "high"))
    return plain(Quantity(value, low, high, entry["unit"]), interval=True)


def _origin(folder: Path, source: str) -> Origin:
    configurations = _named(pl.read_parquet(folder / "configurations.parquet"), source)
    invocations = pl.read_parquet(folder / "invocations.parquet")
    samples = pl.scan_parquet(folder / "samples.parquet")
    if not configurations.is_empty():
        names = configurations.select("configuration")
        invocations = invocations.join(names, on="configuration", how="semi")
        samples = samples.join(names.lazy(), on="configuration", how="semi")
    return Origin(
        folder,
        read_manifest(folder),
        configurations,
        invocations.height,
        int(samples.select(pl.len()).collect().item()),
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
    ("finding.grid-", {**grid_findings.FINDINGS, **grid_prose.PROSE}),
    ("finding.hash-", hash_prose.PROSE),
    ("finding.range-", range_prose.PROSE),
    ("finding.", findings.FINDINGS),
)

#: What computes the others, first match first.
_MODULES = (
    ("grid.", "nizkbench/grid_numbers.py"),
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
    """The file, and where it is a sentence the line of the function, that computes a number."""
    for prefix, functions in _SENTENCES:
        if key.startswith(prefix) and (function := functions.get(key.removeprefix(prefix))):
            path = Path(inspect.getfile(function)).resolve().relative_to(layout.root())
            return f"{path}:{inspect.getsourcelines(function)[1]}"
    return next(module for prefix, module in _MODULES if key.startswith(prefix))
