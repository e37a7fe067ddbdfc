"""Records of a made-up run whose truth is known: for tests of the statistics alone."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from nizkbench.records import SCHEMAS, Records

MS = 1e6


@dataclass(frozen=True)
class Made:
    """One series: what proving costs in ms at a size, and how it scatters."""

    series: str
    prove: Callable[[int], float]
    system: str = "a/scheme/curve"
    track: str = "main"
    witness_apart: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    ns_per_attempt: float = 0.0
    padded: str | None = None
    proof_bytes: Callable[[int], int] = lambda size: 192


def made_records(
    made: Sequence[Made],
    sizes: Sequence[int] = (15, 63, 255, 1023, 4095),
    *,
    blocks: int = 10,
    samples: int = 5,
    spread: float = 0.02,
    shared: float = 0.05,
    seed: int = 1,
) -> Records:
    """Every series at every size in every block; `spread` and `shared` are σ of logarithms.

    Each invocation has one warm-up sample that is ten times as slow, and must not count.
    """
    rng = np.random.default_rng(seed)
    tables: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
    number = 0
    for one in made:
        for size in sizes:
            name = f"{one.series}/{size}"
            tables["configurations"].append(_configuration(one, name, size))
    noise = rng.normal(0, shared, blocks)
    for block in range(blocks):
        for one in made:
            for size in sizes:
                number += 1
                key = {"configuration": f"{one.series}/{size}", "invocation": number}
                speed = float(np.exp(noise[block] + rng.normal(0, spread)))
                timed = _samples(tables, key, one, size, speed, samples, rng)
                tables["invocations"].append(
                    {
                        **key,
                        "block": block,
                        "order": number,
                        "outcome": "done",
                        "wall_ns": int(timed * 1.1),
                        "elapsed_ns": int(timed * 1.25),
                        "timed_ns": int(timed),
                        "cpu_ns": int(timed),
                        "samples": samples,
                    }
                )
                tables["sizes"].append(
                    {
                        **key,
                        "of": "proof",
                        "encoding": "compressed",
                        "bytes": one.proof_bytes(size),
                        "sample": None,
                    }
                )
                if one.padded:
                    tables["counters"].append(
                        {**key, "name": one.padded, "value": 2.0 * (size + 1), "sample": None}
                    )
    return Records(
        **{
            name: pl.DataFrame(rows, schema=SCHEMAS[name], orient="row", infer_schema_length=None)
            for name, rows in tables.items()
        }
    )


def _configuration(one: Made, name: str, size: int) -> dict[str, Any]:
    runner, scheme, curve = one.system.split("/")
    return {
        "configuration": name,
        "track": one.track,
        "series": one.series,
        "runner": runner,
        "system": one.system,
        "library": runner,
        "library_version": "1.0.0",
        "scheme": scheme,
        "curve": curve,
        "field": curve,
        "field_bits": 255,
        "statement": "mimc-preimage",
        "size_name": "rounds",
        "size": size,
        "variant": "",
        "options": json.dumps(dict(one.options)),
        "instances": "fresh",
        "threads": 1,
        "threads_label": "one",
        "sound": True,
        "unsound_check": None,
        "includes": json.dumps(
            {"witness": [], "prove": []} if one.witness_apart else {"prove": ["witness"]}
        ),
    }


def _samples(
    tables: dict[str, list[dict[str, Any]]],
    key: dict[str, Any],
    one: Made,
    size: int,
    speed: float,
    samples: int,
    rng: np.random.Generator,
) -> float:
    """Write the samples of an invocation; the timed nanoseconds."""
    timed = 0.0
    for sample in range(samples + 1):
        wall = one.prove(size) * MS * speed * float(np.exp(rng.normal(0, 0.005)))
        if one.ns_per_attempt:
            attempts = float(rng.geometric(2.0 ** -one.options["grinding"]))
            wall += attempts * one.ns_per_attempt * speed
            tables["counters"].append(
                {**key, "name": "pow_attempts", "value": attempts, "sample": sample}
            )
        parts = {"prove": wall, "verify": 1 * MS * speed}
        if one.witness_apart:
            parts["witness"] = wall / 2
        for phase, took in parts.items():
            took *= 10 if sample == 0 else 1
            timed += took
            tables["samples"].append(
                {
                    **key,
                    "phase": phase,
                    "sample": sample,
                    "instance": sample,
                    "warmup": sample == 0,
                    "wall_ns": round(took),
                    "user_ns": round(took * 0.98),
                    "system_ns": 0,
                    "peak_rss_bytes": 1_000_000 + size,
                }
            )
    return timed
