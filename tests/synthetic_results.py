"""A run with made-up times and the real analysis of it: for tests alone."""

import hashlib
import json
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from nizkbench import coverage, overhead
from nizkbench.analysis import analyse
from nizkbench.records import SCHEMAS, Run, records_of
from nizkbench.results import Results, results_of

ROUNDS = (15, 63, 255)
SPEED: dict[str, Callable[[int], float]] = {
    "bellman/groth16/bls12-381": lambda n: 3e6 + 5e4 * n,
    "bulletproofs/r1cs/ristretto255": lambda n: 2e6 + 7e5 * n,
    "gnark/groth16/bls12-381": lambda n: 2e6 + 2e4 * n,
    "gnark/groth16/bn254": lambda n: 1e6 + 1e4 * n,
    "gnark/plonk/bls12-381": lambda n: 8e6 + 9e4 * n,
    "gnark/plonk/bn254": lambda n: 5e6 + 6e4 * n,
    "winterfell/stark/f128": lambda n: 4e6 + 9e3 * n,
    "winterfell/stark/f64": lambda n: 4e6 + 6e3 * n,
}
PROOF: dict[str, Callable[[int], float]] = {
    "groth16": lambda n: 192,
    "plonk": lambda n: 584,
    "r1cs": lambda n: 700 + 64 * math.ceil(math.log2(n)),
    "stark": lambda n: 20_000 + 1_500 * math.log2(n),
}

STARK_OPTIONS: dict[str, Any] = {
    "queries": 42,
    "blowup": 8,
    "grinding": 16,
    "extension": "none",
    "folding": 8,
    "remainder_max_degree": 31,
    "hash": "blake3-256",
    "batching_constraints": "linear",
    "batching_deep": "linear",
}

PLONKY3_OPTIONS: dict[str, Any] = {
    "queries": 142,
    "blowup": 2,
    "grinding": 0,
    "folding_grinding": 0,
    "folding": 4,
    "remainder_max_degree": 0,
    "hash": "blake3-256",
    "rounds_per_row": 16,
}


def _series() -> Iterator[dict[str, Any]]:
    def one(
        track: str, system: str, variant: str, options: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        options = options or {}
        default = {"winterfell": STARK_OPTIONS, "plonky3": PLONKY3_OPTIONS}.get(
            system.split("/")[0], {}
        )
        changed = ",".join(f"{k}={v}" for k, v in options.items())
        instances = "fixed" if track == "as-published" else "fresh"
        words = [system, variant, changed, "as published" if track == "as-published" else ""]
        return {
            "track": track,
            "system": system,
            "variant": variant,
            "options": json.dumps(default | options, sort_keys=True),
            "instances": instances,
            "sound": "unbound" not in variant,
            "series": ", ".join(filter(None, words)),
        }

    for system in SPEED:
        if "bulletproofs" in system:
            yield one("main", system, "constants=public,gadget=constant-terms")
            yield one("priced", system, "constants=public,gadget=growing-terms")
            yield one("as-published", system, "constants=public,gadget=growing-terms")
        elif "winterfell" in system:
            yield one("main", system, "constants=public,preimage=witness")
            yield one("priced", system, "constants=unbound,preimage=witness")
            yield one(
                "priced", system, "constants=public,preimage=witness", options={"grinding": 0}
            )
            if "f128" in system:
                yield one("as-published", system, "constants=unbound,preimage=public")
                for changed in (
                    {"queries": 41},
                    {"hash": "blake3-192"},
                    {"remainder_max_degree": 255},
                ):
                    yield one(
                        "as-published",
                        system,
                        "constants=unbound,preimage=public",
                        options=changed,
                    )
        elif "plonky3" in system:
            yield one("main", system, "constants=public")
        else:
            yield one("main", system, "constants=fixed")
            yield one("priced", system, "constants=public")
            if system == "bellman/groth16/bls12-381":
                yield one("as-published", system, "constants=fixed")
            if system == "gnark/groth16/bls12-381":
                yield one("as-published", system, "constants=public")


def _threads(series: dict[str, Any]) -> tuple[str, ...]:
    if series["track"] != "as-published":
        return ("one", "all")
    return ("all",) if series["system"].startswith(("bellman", "gnark")) else ("one",)


def synthetic_run(rounds: tuple[int, ...] = ROUNDS, *, blocks: int = 3) -> Run:
    """A whole run: every system, all three tracks, one configuration that timed out."""
    noise = random.Random(1)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
    trials = [
        (series, size, label)
        for series in _series()
        for size in rounds
        for label in _threads(series)
    ]
    for series, size, label in trials:
        rows["configurations"].append(_configuration(series, size, label))
    number = 0
    for block in range(blocks):
        for (series, size, label), identity in zip(trials, rows["configurations"], strict=True):
            number += 1
            _invocation(rows, identity, series, size, label, block, number, noise)
    for (series, size, _label), identity in zip(trials, rows["configurations"], strict=True):
        failed = _fails(series, size, rounds[-1])
        rows["stops"].append(
            {
                "configuration": identity["configuration"],
                "reason": "failed" if failed else "maximum",
                "blocks": blocks,
                "half_width": None if failed else 0.02,
            }
        )
    return Run(records_of(rows), _manifest())


def _fails(series: dict[str, Any], size: int, largest: int) -> bool:
    return "growing" in series["variant"] and series["track"] == "priced" and size == largest


def _configuration(series: dict[str, Any], size: int, label: str) -> dict[str, Any]:
    runner, scheme, curve = series["system"].split("/")
    return {
        "configuration": hashlib.sha256(f"{series['series']}{size}{label}".encode()).hexdigest()[
            :12
        ],
        **series,
        "runner": runner,
        "library": runner,
        "library_version": "1.2.3",
        "scheme": scheme,
        "curve": None if scheme == "stark" else curve,
        "field": curve,
        "field_bits": {"f128": 128, "f64": 64}.get(curve, 255),
        "statement": "mimc-preimage",
        "size_name": "rounds",
        "size": size,
        "threads": 1 if label == "one" else 2,
        "threads_label": label,
        "unsound_check": None if series["sound"] else "reject-wrong-constants",
        "includes": json.dumps({"prove": ["witness"]}),
    }


def _invocation(
    rows: dict[str, list[dict[str, Any]]],
    identity: dict[str, Any],
    series: dict[str, Any],
    size: int,
    label: str,
    block: int,
    number: int,
    noise: random.Random,
) -> None:
    largest = max(row["size"] for row in rows["configurations"])
    failed = _fails(series, size, largest)
    scheme = identity["scheme"]
    public = "constants=public" in series["variant"]
    speed = SPEED[series["system"]](size) * (0.6 if label == "all" else 1.0)
    if "growing" in series["variant"]:
        speed *= 1 + size / 100
    verify = 2e5 * size if scheme == "r1cs" else 1e6 + (400.0 * size if public else 0.0)
    key = {"configuration": identity["configuration"], "invocation": number}
    rows["invocations"].append(
        {
            **key,
            "block": block,
            "order": number,
            "outcome": "timeout" if failed else "done",
            "message": "",
            "started_utc": "2026-01-01T00:00:00.000Z",
            "wall_ns": 120_000_000_000 if failed else int(3 * speed),
            "elapsed_ns": 120_000_000_000 if failed else int(3.2 * speed),
            "timed_ns": 0 if failed else int(2.8 * speed),
            "cpu_ns": int(2 * speed),
            "samples": 4,
            "stopped_by": "seconds",
            "exit_status": 0,
            "memory_bytes": 50_000_000,
            "seed": "00" * 32,
            "load1": 0.1,
        }
    )
    if failed:
        return
    shift = math.exp(noise.gauss(0, 0.01))

    def sample(phase: str, number_: int, time: float) -> None:
        spent = int(time * shift * math.exp(noise.gauss(0, 0.01)))
        rows["samples"].append(
            {
                **key,
                "phase": phase,
                "sample": number_,
                "instance": None if phase == "setup" else number_,
                "warmup": phase != "setup" and number_ == 0,
                "wall_ns": spent,
                "user_ns": spent,
                "system_ns": 0,
                "peak_rss_bytes": int(1e7 + 2e4 * size),
            }
        )

    if scheme != "stark":
        sample("setup", 0, 1.7 * speed)
    for index in range(4):
        attempts = 0
        if scheme == "stark":
            grinding = json.loads(series["options"])["grinding"]
            attempts = 1 + int(noise.expovariate(1 / 2**grinding)) if grinding else 0
            rows["counters"].append(
                {**key, "name": "pow_attempts", "value": float(attempts), "sample": index}
            )
        sample("prove", index, speed + attempts * 60.0)
        sample("verify", index, verify)
    sizes = {
        "proof": PROOF[scheme](size),
        "verifying_key": 500.0 + (48 * size if public else 0),
        "proving_key": 900.0 * size,
    }
    for of, count in sizes.items():
        if scheme != "stark" or of == "proof":
            rows["sizes"].append(
                {**key, "of": of, "encoding": "compressed", "bytes": int(count), "sample": None}
            )
    for check in ("self-verify", "reject-wrong-constants"):
        fails = not series["sound"] and check == "reject-wrong-constants"
        rows["checks"].append(
            {**key, "check": check, "passed": not fails, "expected_to_fail": fails, "detail": ""}
        )
    if scheme == "stark":
        for kind, bits in (
            ("conjectured", 127.0),
            ("proven-unique-decoding", 65.0),
            ("proven-list-decoding", 80.0),
        ):
            rows["security"].append({**key, "kind": kind, "bits": bits, "source": "synthetic"})


def synthetic_results(rounds: tuple[int, ...] = ROUNDS, *, blocks: int = 3) -> Results:
    """A synthetic run with the real analysis of it, a coverage table and a cost of the harness."""
    run = synthetic_run(rounds, blocks=blocks)
    return results_of(run, analyse(run.records), _coverage(), _overhead())


def _coverage() -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "estimator": estimator,
                "statistic": "geometric mean",
                "distribution": distribution,
                "invocations": invocations,
                "nominal": 0.95,
                "coverage": 0.944,
                "low": 0.938,
                "high": 0.951,
                "repetitions": 4000,
                "width": 0.05,
                "used": estimator.startswith("Student"),
                "within": True,
                "limit": None,
            }
            for estimator in ("Student's t on logarithms", "BCa bootstrap")
            for distribution in ("log-normal", "two modes")
            for invocations in (*coverage.STANDARD, 12)
        ],
        schema=coverage.SCHEMA,
    )


def _overhead() -> pl.DataFrame:
    variants = {one["system"]: one["variant"] for one in _series() if one["track"] == "main"}
    return pl.DataFrame(
        [
            {
                "runner": system.split("/")[0],
                "system": system,
                "phase": phase,
                "statement": "mimc-preimage",
                "size": 255,
                "variant": variants[system],
                "threads": threads,
                "plain_ns": 1.0e6,
                "runner_ns": 1.01e6,
                "ratio": 1.01,
                "low": 0.995,
                "high": 1.02,
                "repetitions": 20,
            }
            for system in SPEED
            for threads in ((1,) if "bulletproofs" in system else (1, 2))
            for phase in ("prove", "verify")
        ],
        schema=overhead.SCHEMA,
    )


def _manifest() -> dict[str, Any]:
    def described(system: str) -> dict[str, Any]:
        scheme, curve = system.split("/")[1:]
        stark = scheme == "stark"
        names = ("prove", "verify") if stark else ("setup", "prove", "verify")
        return {
            "system": system,
            "scheme": scheme,
            "field": {"name": curve, "bits": 255},
            "properties": {
                "trusted_setup": "none" if scheme in ("stark", "r1cs") else "per-circuit",
                "post_quantum": stark,
                "zero_knowledge": {"level": "partial" if stark else "yes", "source": "its words"},
                "assumptions": "collision-resistant hash, random oracle",
                "batch_verification": {"supported": False, "source": "nothing takes many"},
            },
            "options": [
                {"name": name, "default": default} for name, default in STARK_OPTIONS.items()
            ]
            if stark
            else [],
            "phases": [
                {"phase": name, "includes": ["witness"] if name == "prove" else []}
                for name in names
            ],
        }

    return {
        "name": "synthetic",
        "started_utc": "2026-01-01T00:00:00.000Z",
        "profile": {
            "blocks": {"minimum": 10, "maximum": 12, "target_half_width": 0.03, "seconds": 1650},
            "samples": {"warmup": 1, "minimum": 2, "maximum": 100, "seconds": 0.3},
            "limits": {"timeout_seconds": 120.0, "memory_bytes": 1},
            "bit_flips": 8,
        },
        "machine": {
            "processor": "A Processor @ 2.0 GHz",
            "usable_cores": 2,
            "memory_bytes": 8_000_000_000,
            "kernel": "6.1.0",
            "governor": None,
        },
        "tools": {"rustc": "rustc 1.95.0", "go": "go version go1.26.0", "python": "3.13.0"},
        "revision": {"commit": "0123456789abcdef", "clean": True},
        "finished": {"steal_share": 0.001, "shared": False},
        "runners": {
            runner: {
                "library": {"name": runner, "version": "1.2.3"},
                "systems": [described(s) for s in SPEED if s.startswith(f"{runner}/")],
            }
            for runner in sorted({system.split("/")[0] for system in SPEED})
        },
    }
