"""Combinations of STARK options drawn at random, and proofs of the real runner with them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from nizkbench.messages import (
    Counter,
    Done,
    RunRequest,
    Security,
    Size,
    Stop,
    decode_run_record,
    encode_line,
)
from nizkbench.runner import Limits, exchange, find_runner

#: What earlier work took as its default, at 255 rounds.
DEFAULT: dict[str, Any] = {
    "rounds": 255,
    "field": "f128",
    "extension": "none",
    "queries": 42,
    "blowup": 8,
    "grinding": 16,
    "folding": 8,
    "remainder_max_degree": 31,
    "hash": "blake3-256",
    "batching_constraints": "linear",
    "batching_deep": "linear",
}

#: The statement as earlier work had it, which is unsound: the constants are a third column, and the
#: preimage is asserted besides the image.
AS_PUBLISHED = {"constants": "unbound", "preimage": "public"}

_EXTENSIONS = {"f128": ("none", "quadratic"), "f64": ("none", "quadratic", "cubic")}
_HASHES = {
    "f128": ("blake3-192", "blake3-256", "sha3-256"),
    "f64": ("blake3-192", "blake3-256", "sha3-256", "rp64-256", "rpjive64-256"),
}
_BATCHINGS = ("linear", "algebraic", "horner")


def drawn_cells(
    count: int, seed: int, *, rounds: Sequence[int], blowups: Sequence[int], grinding: Sequence[int]
) -> pl.DataFrame:
    """Legal combinations with all other options anywhere in their ranges."""
    rng = np.random.default_rng(seed)

    def one[T](values: Sequence[T]) -> T:
        return values[int(rng.integers(len(values)))]

    cells: list[dict[str, Any]] = []
    while len(cells) < count:
        field = one(("f128", "f64"))
        cell = {
            "rounds": one(rounds),
            "field": field,
            "extension": one(_EXTENSIONS[field]),
            "queries": int(rng.integers(1, 255)),
            "blowup": one(blowups),
            "grinding": one(grinding),
            "folding": one((2, 4, 8, 16)),
            "remainder_max_degree": one((0, 1, 3, 7, 15, 31, 63, 127, 255)),
            "hash": one(_HASHES[field]),
            "batching_constraints": one(_BATCHINGS),
            "batching_deep": one(_BATCHINGS),
        }
        if _legal(cell):
            cells.append(cell)
    return pl.DataFrame(cells)


def _legal(cell: dict[str, Any]) -> bool:
    length = coefficients = cell["rounds"] + 1
    layers = 0
    while coefficients > cell["remainder_max_degree"] + 1:
        coefficients //= cell["folding"]
        layers += 1
    return bool(
        cell["queries"] < length * cell["blowup"] and length % cell["folding"] ** layers == 0
    )


def prove(
    cells: pl.DataFrame,
    samples: int,
    artifacts: Path | None = None,
    variant: dict[str, str] | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Proofs of each cell: their sizes, and what the library says of their security.

    Sizes: cell, sample, bytes, unique_queries. Security: cell, kind, bits. The first proof of cell
    i is left in `artifacts`/i/proof.bin.
    """
    requests = b""
    for place, row in enumerate(cells.iter_rows(named=True)):
        options = {name: row[name] for name in DEFAULT if name not in ("rounds", "field")}
        folder = artifacts / str(place) if artifacts is not None else None
        if folder is not None:
            folder.mkdir()
        requests += encode_line(
            RunRequest(
                id=str(place),
                system=f"winterfell/stark/{row['field']}",
                statement="mimc-preimage",
                size={"rounds": row["rounds"]},
                variant=variant or {},
                options=options,
                threads=1,
                seed=f"{place:064x}",
                instances="fresh",
                stop=Stop(warmup=0, minimum=samples, maximum=samples, seconds=3600.0),
                phases=("prove",),
                artifacts=str(folder) if folder is not None else None,
            )
        )
    ended = exchange(
        find_runner("winterfell").command("run"),
        requests,
        limits=Limits(timeout_seconds=600, memory_bytes=2 << 30),
    )
    assert ended.exit_status == 0, ended.stdout[-2000:]
    records = [decode_run_record(line) for line in ended.stdout.splitlines()]
    assert sum(isinstance(record, Done) for record in records) == cells.height
    sizes = pl.DataFrame(
        [
            {"cell": int(record.id), "sample": record.sample, "bytes": record.bytes}
            for record in records
            if isinstance(record, Size) and record.of == "proof"
        ]
    )
    queries = pl.DataFrame(
        [
            {"cell": int(record.id), "sample": record.sample, "unique_queries": int(record.value)}
            for record in records
            if isinstance(record, Counter) and record.name == "unique_queries"
        ]
    )
    security = pl.DataFrame(
        [
            {"cell": int(record.id), "kind": record.kind, "bits": record.bits}
            for record in records
            if isinstance(record, Security)
        ]
    )
    return sizes.join(queries, on=["cell", "sample"]), security
