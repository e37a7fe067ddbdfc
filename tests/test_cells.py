"""Cells of a grid are estimated without the luck of the proof of work, and in seconds."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from nizkbench.cells import (
    CELLS_SCHEMA,
    METRICS,
    GridRecords,
    NoGridError,
    attempt_costs,
    attempt_samples,
    cell_invocations,
    cells,
    half_widths,
    identities,
    of_crossing,
    shards,
)
from nizkbench.choice import compare
from nizkbench.estimate import RecordsDisagreeError
from nizkbench.records import read_run, records_of
from tests.made_grid import (
    ATTEMPT_NS,
    crossed,
    expected_time,
    made_grid,
    proof_size,
    verifying,
)

GRINDING = crossed(queries=[27, 42], blowup=[4, 8, 16], grinding=[8, 12, 16], hash=["blake3-256"])


def test_columns_are_the_options_of_the_runner_and_the_estimates() -> None:
    estimated = cells(made_grid(GRINDING))
    assert estimated.schema == CELLS_SCHEMA
    assert estimated.height == len(GRINDING)
    names = ("rounds", "field", "queries", "blowup", "grinding", "hash", "partitions")
    assert estimated.select(names).rows() == [
        tuple(one[name] for name in names) for one in GRINDING
    ]


def test_cost_of_an_attempt_is_found_for_each_hash() -> None:
    wanted = crossed(blowup=[4, 8, 16, 32], grinding=[12, 14, 16], hash=["blake3-256", "sha3-256"])
    found = attempt_costs(made_grid(wanted, spread=0.0, shared=0.0))
    assert found["hash"].to_list() == ["blake3-256", "sha3-256"]
    for row in found.iter_rows(named=True):
        truth = ATTEMPT_NS[row["hash"]]
        assert row["cost_ns"] == pytest.approx(truth, rel=0.01)
        assert row["cost_high"] - row["cost_low"] < 0.02 * truth
        assert row["r_squared"] > 0.9


@pytest.mark.parametrize(("spread", "shared"), [(0.0, 0.0), (0.01, 0.0), (0.01, 0.03)])
def test_the_interval_of_the_cost_of_an_attempt_covers(spread: float, shared: float) -> None:
    wanted = crossed(blowup=[8, 16, 32], queries=[20, 40], grinding=[10, 12], hash=["blake3-256"])
    covered = 0
    for seed in range(100):
        made = made_grid(wanted, blocks=6, spread=spread, shared=shared, noise=0.02, seed=seed)
        found = attempt_costs(made)
        covered += found["cost_low"][0] <= ATTEMPT_NS["blake3-256"] <= found["cost_high"][0]
    assert 90 <= covered <= 99


def test_the_pace_of_blocks_is_in_the_interval_of_the_cost_of_an_attempt() -> None:
    wanted = crossed(blowup=[8, 16, 32], queries=list(range(20, 40)), grinding=[12, 14, 16])
    paced = attempt_costs(made_grid(wanted, spread=0.0, shared=0.05, blocks=8)).row(0, named=True)
    # Student's t of eight blocks whose paces have a standard deviation of five percent, about.
    half = (paced["cost_high"] - paced["cost_low"]) / 2 / paced["cost_ns"]
    assert 0.015 < half < 0.08
    (alone,) = attempt_costs(made_grid(wanted, blocks=1))["cost_low"].to_list()
    assert alone is None


def test_interrupted_invocations_do_not_tilt_the_cost_of_an_attempt() -> None:
    records = made_grid(GRINDING, spread=0.0, shared=0.0)
    rng = np.random.default_rng(1)
    struck = rng.random(records.invocations.height) < 0.2
    slow = records.invocations.filter(pl.Series(struck)).select("configuration", "invocation")
    key = ["configuration", "invocation"]
    interrupted = records.samples.join(slow.with_columns(by=3.0), on=key, how="left").with_columns(
        (pl.col("wall_ns") * pl.col("by").fill_null(1.0)).cast(pl.Int64).alias("wall_ns")
    )
    found = attempt_costs(replace(records, samples=interrupted.drop("by")))
    assert found["cost_ns"][0] == pytest.approx(ATTEMPT_NS["blake3-256"], rel=0.03)


def test_adjusting_takes_the_luck_out_and_keeps_the_expectation() -> None:
    records = made_grid(GRINDING, spread=0.0, shared=0.0, noise=0.001, blocks=3, samples=4)
    estimated = cells(records)
    truth = np.array([expected_time(one) for one in GRINDING])
    adjusted = estimated["prove_ns"].to_numpy() / truth - 1
    raw = estimated["prove_raw_ns"].to_numpy() / truth - 1
    assert np.abs(adjusted).max() < 0.02
    assert np.abs(raw).max() > 0.2  # twelve draws of a geometric are luck


def test_raw_mean_has_the_same_expectation_as_the_adjusted_estimate() -> None:
    records = made_grid(GRINDING, spread=0.0, shared=0.0, blocks=60, samples=10)
    truth = np.array([expected_time(one) for one in GRINDING])
    raw = cells(records)["prove_raw_ns"].to_numpy() / truth
    assert np.exp(np.log(raw).mean()) == pytest.approx(1, abs=0.02)


def test_without_grinding_nothing_is_adjusted() -> None:
    estimated = cells(made_grid(crossed(grinding=[0], blowup=[2, 4, 8]), noise=0.0))
    assert estimated["prove_ns"].to_numpy() == pytest.approx(
        estimated["prove_raw_ns"].to_numpy(), rel=0.01
    )
    assert estimated["attempts"].null_count() == estimated.height


def test_verify_size_and_security_are_those_of_the_records() -> None:
    wanted = crossed(queries=[27, 42, 80], blowup=[4, 8])
    estimated = cells(made_grid(wanted, spread=0.0, shared=0.0))
    for metric, truth in (("verify_ns", verifying), ("proof_bytes", proof_size)):
        expected = [truth(one) for one in wanted]
        assert estimated[metric].to_numpy() == pytest.approx(np.array(expected), rel=0.01)
    first = estimated.row(0, named=True)
    assert first["security_conjectured"] == pytest.approx(27 * 2 + 16)
    assert first["security_ldr"] > first["security_udr"]


def test_intervals_cover_what_they_estimate() -> None:
    wanted = crossed(queries=list(range(20, 70)), blowup=[2, 4, 8, 16], grinding=[0, 10, 14])
    estimated = cells(made_grid(wanted, spread=0.02, shared=0.0, blocks=5))
    truth = {
        "prove_ns": [expected_time(one) for one in wanted],
        "verify_ns": [verifying(one) for one in wanted],
    }
    for metric, values in truth.items():
        low, high = (estimated[f"{metric}{end}"].to_numpy() for end in ("_low", "_high"))
        covered = float(((low <= values) & (values <= high)).mean())
        assert 0.92 < covered < 0.98, metric


def test_the_pace_of_the_machine_is_no_cost_of_its_cells() -> None:
    wanted = crossed(queries=list(range(20, 70)), blowup=[2, 4])
    quiet = cell_invocations(made_grid(wanted, spread=0.02, shared=0.0, blocks=4))
    paced = cell_invocations(made_grid(wanted, spread=0.02, shared=0.05, blocks=4))
    for metric in ("prove", "verify"):
        logs = pl.col(f"{metric}_ns").log().std()
        spread, without = (
            float(np.mean(found.group_by("configuration").agg(logs)[f"{metric}_ns"].to_numpy()))
            for found in (paced, quiet)
        )
        assert spread == pytest.approx(without, rel=0.12), metric
        paces = paced.group_by("block").agg(pl.col(f"{metric}_pace").log().mean())
        assert np.std(paces[f"{metric}_pace"].to_numpy()) > 0.025


def test_neighbours_that_tell_nothing_change_nothing() -> None:
    wanted = crossed(queries=list(range(20, 70)), blowup=[2, 4], grinding=[0])
    found = cell_invocations(made_grid(wanted, spread=0.02, shared=0.0, blocks=4))
    assert float(np.abs(np.log(found["prove_pace"].to_numpy())).max()) < 0.005


def test_a_process_of_few_cells_keeps_its_times() -> None:
    found = cell_invocations(made_grid(crossed(queries=list(range(20, 45))), shared=0.2))
    assert (found["prove_pace"] == 1).all()


def test_intervals_without_the_pace_taken_out_are_wider_where_there_is_one() -> None:
    wanted = crossed(queries=list(range(20, 70)), blowup=[2, 4], grinding=[0])
    made = made_grid(wanted, spread=0.01, shared=0.0, blocks=6)
    key = ["configuration", "invocation"]
    place = pl.col("configuration").str.slice(1).cast(pl.Float64)
    slower = (0.08 * (place / 8 + 1.7 * pl.col("block")).sin()).exp()
    drifting = (
        made.samples.join(made.invocations.select(*key, "block"), on=key, maintain_order="left")
        .with_columns((pl.col("wall_ns") * slower).cast(pl.Int64))
        .drop("block")
    )
    many = GridRecords(replace(made, samples=drifting))
    for metric in ("prove_ns", "verify_ns"):
        paced, unpaced = (
            float(half_widths(found, metric).to_numpy().mean())
            for found in (many.cells, many.unpaced)
        )
        assert unpaced > 2 * paced
    few = GridRecords(made_grid(wanted[:25], spread=0.01, shared=0.05, blocks=6))
    assert half_widths(few.unpaced, "prove_ns").equals(half_widths(few.cells, "prove_ns"))


def test_the_error_of_the_level_of_all_cells_is_in_every_interval() -> None:
    wanted = crossed(queries=list(range(20, 60)), grinding=[0])
    truth = np.array([expected_time(one) for one in wanted])
    covered, compared = [], []
    for seed in range(60):
        records = made_grid(
            wanted, spread=0.02, shared=0.05, noise=0.0, blocks=6, samples=2, seed=seed
        )
        found = cells(records)
        low, high = (found[f"prove_ns{end}"].to_numpy() for end in ("_low", "_high"))
        covered.append(float(((low <= truth) & (truth <= high)).mean()))
        ratios = compare(cell_invocations(records), "prove_ns", "c00000", ["c00001", "c00039"])
        for name, place in (("c00001", 1), ("c00039", 39)):
            row = ratios.row(by_predicate=pl.col("configuration") == name, named=True)
            compared.append(row["low"] <= truth[place] / truth[0] <= row["high"])
    assert 0.9 < float(np.mean(covered)) <= 0.99
    assert 0.88 < float(np.mean(compared)) <= 1.0


def test_one_invocation_has_estimates_but_no_interval() -> None:
    estimated = cells(made_grid(GRINDING, blocks=1))
    for metric in METRICS:
        assert estimated[metric].null_count() == 0
        assert estimated[f"{metric}_low"].null_count() == estimated.height
        assert half_widths(estimated, metric).null_count() == estimated.height


def test_a_constant_size_has_an_interval_of_no_width() -> None:
    estimated = cells(made_grid(GRINDING, size_spread=0.0))
    assert (half_widths(estimated, "proof_bytes").abs() < 1e-9).all()


def test_a_cell_that_failed_a_check_has_no_row() -> None:
    records = made_grid(GRINDING)
    failed = records_of(
        {
            "checks": [
                {
                    "configuration": "c00003",
                    "invocation": 9,
                    "check": "reject-bit-flips",
                    "passed": False,
                    "expected_to_fail": False,
                    "detail": "",
                }
            ]
        }
    ).checks
    estimated = cells(replace(records, checks=failed))
    assert estimated.height == len(GRINDING) - 1
    assert "c00003" not in estimated["configuration"]


def test_attempts_that_were_not_counted_are_an_error() -> None:
    records = made_grid(GRINDING)
    with pytest.raises(RecordsDisagreeError, match="its attempts were not counted"):
        cells(replace(records, counters=records.counters.clear()))


def test_a_phase_that_is_missing_is_an_error() -> None:
    records = made_grid(GRINDING)
    without = records.samples.filter(pl.col("phase") != "witness")
    with pytest.raises(RecordsDisagreeError, match="lacks the time of a phase"):
        cells(replace(records, samples=without))


def test_cells_of_a_crossing_are_those_that_name_it() -> None:
    estimated = cells(made_grid(GRINDING)).with_columns(
        series=pl.when(pl.col("queries") == 27)
        .then(pl.lit("options+sizes"))
        .otherwise(pl.lit("sizes"))
    )
    assert of_crossing(estimated, "sizes").height == len(GRINDING)
    assert of_crossing(estimated, "options")["queries"].unique().to_list() == [27]
    with pytest.raises(
        NoGridError, match="no cell is of crossing option, there are options, sizes"
    ):
        of_crossing(estimated, "option")


def test_times_of_attempts_are_attempts_times_their_cost() -> None:
    found = attempt_samples(made_grid(GRINDING, spread=0.0, shared=0.0, noise=0.0))
    assert found.height == len(GRINDING) * 5 * 8
    expected = found["attempts"].to_numpy() * ATTEMPT_NS["blake3-256"]
    off = np.abs(found["attempts_ns"].to_numpy() - expected)
    assert (off < 0.001 * found["time_ns"].to_numpy()).all()


def test_records_without_a_grid_are_an_error() -> None:
    records = made_grid(GRINDING)
    others = records.configurations.with_columns(pl.lit("groth16").alias("scheme"))
    with pytest.raises(NoGridError, match="hold no cell of an option grid"):
        identities(replace(records, configurations=others))


def test_the_reference_run_has_cells() -> None:
    records = read_run(Path(__file__).parents[1] / "data" / "reference" / "standard").records
    estimated = cells(records)
    default = estimated.filter(
        (pl.col("field") == "f128") & (pl.col("rounds") == 255) & (pl.col("track") == "main")
    ).row(0, named=True)
    assert (default["queries"], default["grinding"]) == (42, 16)
    assert default["security_conjectured"] >= 100
    # An attempt is one hash of at most 64 bytes: tens of nanoseconds, and most of the time here.
    assert 20 < default["attempt_cost_ns"] < 200
    assert default["prove_ns_low"] < default["prove_ns"] < default["prove_ns_high"]
    assert default["prove_ns"] == pytest.approx(default["prove_raw_ns"], rel=0.1)
    per_invocation = cell_invocations(records)
    assert per_invocation["attempts"].drop_nulls().mean() == pytest.approx(2**16, rel=0.05)


@pytest.mark.slow
def test_ten_thousand_cells_take_seconds_and_little_memory(tmp_path: Path) -> None:
    make = """
import sys
from pathlib import Path
from nizkbench.records import write_records
from tests.made_grid import crossed, made_grid
wanted = crossed(queries=list(range(1, 51)), blowup=[2, 4, 8, 16, 32], grinding=[0, 4, 8, 12, 16],
                 folding=[2, 4, 8, 16], remainder_max_degree=[31, 255])
assert len(wanted) == 10_000
write_records(made_grid(wanted), Path(sys.argv[1]))
"""
    estimate = """
import resource, sys, time
from pathlib import Path
from nizkbench.cells import cells
from nizkbench.records import read_records
started = time.monotonic()
assert cells(read_records(Path(sys.argv[1]))).height == 10_000
print(time.monotonic() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

    def python(program: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            cwd=Path(__file__).parents[1],
            env={**os.environ, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    python(make)
    seconds, kilobytes = map(float, python(estimate).split())
    assert seconds < 30
    assert kilobytes < 2_000_000


def test_one_pass_over_the_records_gives_what_its_parts_give() -> None:
    records = made_grid(GRINDING)
    together = GridRecords(records)
    assert together.cells.equals(cells(records))
    assert together.cell_invocations.equals(cell_invocations(records))
    assert together.attempt_costs.equals(attempt_costs(records))
    assert together.attempt_samples.equals(attempt_samples(records))
    assert together.samples is together.samples


def test_cells_that_share_processes_are_of_one_shard() -> None:
    records = made_grid(GRINDING)
    assert shards(records)["shard"].unique().to_list() == [0]
    place = pl.col("configuration").str.slice(1).cast(pl.Int64)
    odd = place % 2
    # Three processes a block in each of two shards, of other cells in every second block.
    part = pl.when(pl.col("block") % 2 == 0).then(place // 2).otherwise(place // 6) % 3
    split = records.invocations.with_columns(wall_ns=(odd * 3 + part).cast(pl.Int64))
    found = shards(replace(records, invocations=split))
    assert found["configuration"].is_sorted()
    assert found["shard"].to_list() == [place % 2 for place in range(len(GRINDING))]
