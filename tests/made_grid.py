"""Records of a made-up option grid whose truth is known: for tests of the statistics alone."""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from nizkbench.choice import EARLIER_DEFAULT
from nizkbench.records import SCHEMAS, Records

Cost = Callable[[Mapping[str, Any]], float]

#: What one attempt costs in the made-up prover, in ns.
ATTEMPT_NS = {"blake3-256": 60.0, "blake3-192": 60.0, "sha3-256": 300.0, "rp64-256": 5_000.0}


def crossed(**levels: Sequence[Any]) -> list[dict[str, Any]]:
    """Every combination of the levels; options not named are the defaults of earlier work."""
    return [
        {"rounds": 255, **EARLIER_DEFAULT, **dict(zip(levels, values, strict=True))}
        for values in itertools.product(*levels.values())
    ]


def structure(cell: Mapping[str, Any]) -> float:
    """The prove time without attempts, in ns: a product of powers of the options."""
    hash_factor = {"blake3-192": 1.0, "blake3-256": 1.0, "sha3-256": 3.0, "rp64-256": 40.0}
    base = 2e5 * cell["blowup"] ** 0.9 * cell["queries"] ** 0.1 * hash_factor[cell["hash"]]
    return float(base * (cell["rounds"] + 1) / 256)


def verifying(cell: Mapping[str, Any]) -> float:
    """The verify time, in ns."""
    return 1e5 + 2e3 * float(cell["queries"])


def proof_size(cell: Mapping[str, Any]) -> float:
    """The expected size of a proof, in bytes."""
    return 1e3 + 200.0 * float(cell["queries"])


def bits(cell: Mapping[str, Any]) -> float:
    """Conjectured bits as the textbook has them."""
    return float(min(128.0, cell["queries"] * np.log2(cell["blowup"]) + cell["grinding"]))


def expected_time(cell: Mapping[str, Any], cost: Cost = structure) -> float:
    """What proving costs on average: structure and proof of work."""
    attempts = 2.0 ** cell["grinding"] if cell["grinding"] else 0.0
    return cost(cell) + attempts * ATTEMPT_NS[cell["hash"]]


def made_grid(
    wanted: Sequence[Mapping[str, Any]],
    *,
    blocks: int = 5,
    samples: int = 8,
    spread: float = 0.01,
    shared: float = 0.02,
    noise: float = 0.005,
    cost: Cost = structure,
    verify: Cost = verifying,
    size: Cost = proof_size,
    size_spread: float = 0.01,
    seed: int = 1,
) -> Records:
    """A grid of these cells, all of them once in every block.

    `spread`, `shared` and `noise` are σ of logarithms: of an invocation, of a block, of a sample.
    Each invocation has one warm-up sample that is ten times as slow, and must not count.
    """
    rng = np.random.default_rng(seed)
    names = [f"c{index:05}" for index in range(len(wanted))]
    count, each = len(wanted), samples + 1
    speed = np.exp(rng.normal(0, shared, (1, blocks)) + rng.normal(0, spread, (count, blocks)))
    grinding = np.array([cell["grinding"] for cell in wanted])
    attempts = rng.geometric(2.0 ** -grinding[:, None, None], (count, blocks, each)).astype(float)
    price = np.array([ATTEMPT_NS[cell["hash"]] for cell in wanted])[:, None, None]
    jitter = np.exp(rng.normal(0, noise, (count, blocks, each)))
    base = np.array([cost(cell) for cell in wanted])[:, None, None]
    prove = speed[:, :, None] * (
        base * jitter + np.where(grinding > 0, 1.0, 0.0)[:, None, None] * attempts * price
    )
    judged = speed[:, :, None] * np.array([verify(cell) for cell in wanted])[:, None, None]
    judged = judged * np.exp(rng.normal(0, noise, judged.shape))
    sizes = np.array([size(cell) for cell in wanted])[:, None, None]
    sizes = sizes * np.exp(rng.normal(0, size_spread, prove.shape))
    slow = np.where(np.arange(each) == 0, 10.0, 1.0)
    long = pl.DataFrame(
        {
            "configuration": np.repeat(names, blocks * each),
            "invocation": np.repeat(np.arange(count * blocks), each),
            "sample": np.tile(np.arange(each), count * blocks),
            "prove": (prove * slow).round().ravel(),
            "verify": (judged * slow).round().ravel(),
            "bytes": sizes.round().ravel(),
            "attempts": attempts.ravel(),
            "grinds": np.repeat(grinding > 0, blocks * each),
        }
    )
    frames = {
        "configurations": _configurations(wanted, names),
        "invocations": pl.DataFrame(
            {
                "configuration": np.repeat(names, blocks),
                "invocation": np.arange(count * blocks),
                "block": np.tile(np.arange(blocks), count),
                "outcome": ["done"] * (count * blocks),
            }
        ),
        "samples": pl.concat(
            long.select(
                "configuration",
                "invocation",
                "sample",
                phase=pl.lit(phase),
                instance=pl.col("sample"),
                warmup=pl.col("sample") == 0,
                wall_ns=wall.cast(pl.Int64),
            )
            for phase, wall in (
                ("witness", pl.col("prove") * 0.01),
                ("prove", pl.col("prove") * 0.99),
                ("verify", pl.col("verify")),
            )
        ),
        "sizes": long.select(
            "configuration",
            "invocation",
            "bytes",
            "sample",
            of=pl.lit("proof"),
            encoding=pl.lit("native"),
        ),
        "counters": long.filter("grinds").select(
            "configuration",
            "invocation",
            "sample",
            name=pl.lit("pow_attempts"),
            value="attempts",
        ),
        "security": pl.DataFrame(
            {
                "configuration": np.repeat(names, 3),
                "invocation": np.repeat(np.arange(count) * blocks, 3),
                "kind": ["conjectured", "proven-unique-decoding", "proven-list-decoding"] * count,
                "bits": [factor * bits(cell) for cell in wanted for factor in (1.0, 0.4, 0.6)],
            }
        ),
    }
    return Records(**{name: _table(name, frames.get(name)) for name in SCHEMAS})


def _configurations(wanted: Sequence[Mapping[str, Any]], names: Sequence[str]) -> pl.DataFrame:
    rows = []
    for name, cell in zip(names, wanted, strict=True):
        options = {key: value for key, value in cell.items() if key not in ("rounds", "field")}
        rows.append(
            {
                "configuration": name,
                "track": "grid",
                "series": name,
                "runner": "winterfell",
                "system": f"winterfell/stark/{cell['field']}",
                "scheme": "stark",
                "field": cell["field"],
                "statement": "mimc-preimage",
                "size_name": "rounds",
                "size": cell["rounds"],
                "variant": "constants=public,preimage=witness",
                "options": json.dumps(options, sort_keys=True, separators=(",", ":")),
                "instances": "fresh",
                "threads": 1,
                "threads_label": "one",
                "sound": True,
                "includes": '{"prove":["compile"],"verify":["compile"],"witness":[]}',
            }
        )
    return pl.DataFrame(rows)


def _table(name: str, frame: pl.DataFrame | None) -> pl.DataFrame:
    """The frame with all columns of its table; those it lacks are null."""
    schema = SCHEMAS[name]
    if frame is None:
        return pl.DataFrame(schema=schema)
    return frame.select(
        (pl.col(column) if column in frame.columns else pl.lit(None)).cast(kind).alias(column)
        for column, kind in schema.items()
    )
