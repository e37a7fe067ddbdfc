"""The recorded run on hash functions has the reach, the cost and the findings of its section."""

import json
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from nizkbench.hash_claims import hash_verdicts
from nizkbench.hash_results import (
    COMPARED_FROM,
    EMBEDDED,
    FUNCTIONS,
    GAIN_ASKED,
    NATIVE,
    STANDARD_LIBRARY,
    UNCOMPILED,
    ZOKRATES,
    HashResults,
    read_hash_results,
)
from nizkbench.predicates import Outcome

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "data" / "reference" / "full-hash-functions"

#: What the profiles may take: seconds, and bytes.
MOST_SECONDS = {"standard": 12 * 60.0, "full": 2.5 * 3600}
MOST_MEMORY = 20e9

#: The longest message of earlier work, in bytes: what ends before it ends for want of memory.
P2_BYTES = 2560

#: Up to which message every function over bytes was proven by one of the two provers at least.
REACHED = {"sha256": 4096, "sha3-256": 512, "blake2s": 1024}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def results() -> HashResults:
    return read_hash_results(REFERENCE)


@pytest.mark.parametrize("profile", list(MOST_SECONDS))
def test_it_took_no_longer_and_no_more_memory_than_it_may(profile: str) -> None:
    run = read_hash_results(REFERENCE.with_name(f"{profile}-hash-functions")).results
    assert set(run.manifest["profile"]["bytes"]) >= {32, 256}
    alone = run.manifest["speed"]
    first, last = (datetime.fromisoformat(alone[end]) for end in ("first_utc", "last_utc"))
    seconds = run.manifest["finished"]["elapsed_ns"] / 1e9 + (last - first).total_seconds()
    assert seconds < MOST_SECONDS[profile]
    side_by_side = run.manifest["profile"]["blocks"]["side_by_side"]
    held = sorted(run.invocations["memory_bytes"].to_list())[-side_by_side:]
    assert sum(held) < MOST_MEMORY


def test_every_function_reaches_as_far_as_memory_and_time_allow(results: HashResults) -> None:
    for function in FUNCTIONS:
        series = [results.main(system, function) for system in (ZOKRATES, NATIVE)]
        sizes: set[int] = set()
        for one in series:
            assert one is not None, function
            sizes.update(results.sizes(one))
            ended = results.ended_by(one)
            if max(results.sizes(one)) < P2_BYTES:
                assert ended is not None, one
                assert ended[1] in {"out-of-memory", UNCOMPILED}
        assert max(sizes) >= REACHED.get(function, 256), function


def test_what_ran_out_of_memory_says_at_which_size_and_with_how_much(results: HashResults) -> None:
    lost = [one for one in results.failures if one.outcome == "out-of-memory"]
    assert lost
    for one in lost:
        assert one.memory_bytes is not None
        assert one.memory_bytes > 1e9
        assert str(one.size) in one.message or "used more than" in one.message


def test_constraints_are_the_committed_ones(results: HashResults) -> None:
    committed = json.loads((ROOT / "provers/zokrates/tests/constraints.json").read_bytes())
    known = {
        (row["function"], row["message"], row.get("gadget", EMBEDDED), row["bytes"]): row[
            "constraints"
        ]
        for row in [*committed["circuits"], *committed["recorded"]]
    }
    of_zokrates = results.table.filter(pl.col("system").is_in([ZOKRATES, NATIVE]))
    compared = 0
    for series, *circuit in of_zokrates.select(
        "series", "function", "message", "gadget"
    ).iter_rows():
        for size in results.results.grid:
            if (count := results.constraints(series, size)) is not None:
                assert known[*circuit, size] == count, (*circuit, size)
                compared += 1
    assert compared >= 100


def test_the_native_prover_is_four_times_as_fast_on_every_large_circuit(
    results: HashResults,
) -> None:
    large = results.compared_natively()
    assert len(large) >= 6
    assert COMPARED_FROM == 26_000
    for function, size, gain in large:
        assert gain.low >= GAIN_ASKED, (function, size)


def test_the_native_prover_reaches_a_size_beyond_the_memory_of_webassembly(
    results: HashResults,
) -> None:
    natively, in_webassembly = (results.main(one, "sha256") for one in (NATIVE, ZOKRATES))
    assert natively is not None
    assert in_webassembly is not None
    (alone,) = set(results.sizes(natively)) - set(results.sizes(in_webassembly)) - {1536}
    assert results.lost(in_webassembly)[alone] == "out-of-memory"


def test_every_function_has_a_line_and_its_fit(results: HashResults) -> None:
    for function in FUNCTIONS:
        series = results.main(NATIVE, function)
        assert series is not None
        row = results.growth_of(series, "constraints")
        assert row is not None
        assert row["r_squared"] > 0.9
        # Constraints may lie on the line itself, and then its interval is a point.
        assert row["per_byte_low"] <= row["per_byte"] <= row["per_byte_high"]


def test_both_circuits_of_sha256_are_there(results: HashResults) -> None:
    for system in (ZOKRATES, NATIVE):
        assert results.main(system, "sha256", gadget=STANDARD_LIBRARY) is not None


def test_every_claim_is_decided(results: HashResults) -> None:
    for key, pair in hash_verdicts(results).items():
        assert Outcome.NOT_MEASURED not in {one.outcome for one in pair}, key
