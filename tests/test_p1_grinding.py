"""Luck of the nonce is told from the cost of an option, on records whose truth is known."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from nizkbench.measure import measure
from nizkbench.p1_grinding import (
    OPTIONS,
    PUBLISHED_ROUNDS,
    VARIANT,
    NoP1GrindingError,
    attempts_table,
    chance_of_ratio,
    experiment,
    luck_table,
    measured,
    published_attempts,
    queries_table,
)
from nizkbench.plan import canonical_variant
from nizkbench.profile import P1Grinding, read_profile
from nizkbench.records import Records, records_of

COST = 80.0
EXPECTED = 2.0**16
#: Attempts of the fixed instance with 41 and with 42 queries.
UNLIKE = {41: 2_000.0, 42: 150_000.0}
ALIKE = {41: 60_000.0, 42: 60_000.0}


def made(
    structure: Mapping[int, float],
    fixed: Mapping[int, float],
    *,
    version: str = "0.13.1",
    blocks: int = 10,
    samples: int = 15,
    spread: float = 0.01,
    seed: int = 1,
) -> Records:
    """Times are structure + attempts · COST, scattered; `spread` is σ of logarithms of blocks."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("configurations", "invocations", "samples", "counters")
    }
    for instances in ("fixed", "fresh"):
        for queries in structure:
            rows["configurations"].append(configuration(instances, queries, version))
    for block in range(blocks):
        speed = math.exp(rng.normal(0, 0.03))
        for one in rows["configurations"]:
            queries = json.loads(one["options"])["queries"]
            key = {
                "configuration": one["configuration"],
                "invocation": len(rows["invocations"]),
            }
            rows["invocations"].append({**key, "block": block, "outcome": "done"})
            slowed = speed * math.exp(rng.normal(0, spread))
            for sample in range(samples + 1):
                attempts = float(rng.geometric(1 / EXPECTED))
                if one["instances"] == "fixed":
                    attempts = fixed[queries]
                wall = (structure[queries] + COST * attempts) * slowed * rng.normal(1, 0.005)
                warmup = sample == 0
                times = {"phase": "prove", "sample": sample, "warmup": warmup}
                rows["samples"].append({**key, **times, "wall_ns": round(wall * (1 + 9 * warmup))})
                rows["counters"].append(
                    {**key, "name": "pow_attempts", "value": attempts, "sample": sample}
                )
    return records_of(rows)


def configuration(instances: str, queries: int, version: str) -> dict[str, Any]:
    return {
        "configuration": f"{instances}-{queries}",
        "track": "as-published" if instances == "fixed" else "priced",
        "variant": canonical_variant(VARIANT),
        "system": "library/stark/f128",
        "library_version": version,
        "size": 255,
        "options": json.dumps(OPTIONS | {"queries": queries}),
        "instances": instances,
        "threads": 1,
        "sound": False,
    }


def row(table: pl.DataFrame, **where: object) -> dict[str, Any]:
    for column, value in where.items():
        table = table.filter(pl.col(column) == value)
    assert table.height == 1, table
    return table.row(0, named=True)


def within(found: Mapping[str, Any], name: str, truth: float) -> bool:
    return bool(found[f"{name}_low"] <= truth <= found[f"{name}_high"])


SAME = {41: 2.5e6, 42: 2.5e6}
TWICE = {41: 2.5e6, 42: 5.0e6}


# ---- what is luck ------------------------------------------------------------------------------


def test_a_ratio_that_is_all_luck_is_called_luck() -> None:
    found = row(luck_table(made(SAME, UNLIKE)), instance="fixed")
    truth = (2.5e6 + COST * 150_000) / (2.5e6 + COST * 2_000)
    assert found["ratio"] == pytest.approx(truth, rel=0.02)
    assert found["ratio_low"] < found["ratio"] < found["ratio_high"]
    assert found["ratio_fresh"] == pytest.approx(1, abs=0.02)
    assert found["luck"] == pytest.approx(1, abs=0.02)
    assert found["luck_low"] > 0.95
    assert found["between"] == pytest.approx(1, abs=0.01)
    assert (found["attempts"], found["attempts_below"]) == (150_000, 2_000)


def test_a_ratio_without_luck_is_the_options() -> None:
    found = row(luck_table(made(TWICE, ALIKE)), instance="fixed")
    assert found["ratio"] == pytest.approx((5 + 4.8) / (2.5 + 4.8), rel=0.02)
    assert found["ratio_fresh"] == pytest.approx(
        (5e6 + COST * EXPECTED) / (2.5e6 + COST * EXPECTED), rel=0.02
    )
    assert abs(found["luck"]) < 0.1
    assert abs(found["between"]) < 0.1


def test_intervals_contain_the_truth_about_as_often_as_they_say() -> None:
    truth = math.log(TWICE[42] + COST * EXPECTED) - math.log(TWICE[41] + COST * EXPECTED)
    seen = math.log((5e6 + COST * 150_000) / (2.5e6 + COST * 2_000))
    contained = {"ratio_fresh": 0, "luck": 0}
    for seed in range(100):
        found = row(
            luck_table(made(TWICE, UNLIKE, blocks=8, samples=6, seed=seed)), instance="fixed"
        )
        contained["ratio_fresh"] += within(found, "ratio_fresh", math.exp(truth))
        contained["luck"] += within(found, "luck", 1 - truth / seen)
    # 95 of 100 expected: fewer than 88 have a probability below 0.3 %.
    assert min(contained.values()) >= 88, contained


def test_the_published_proofs_are_predicted_from_their_attempts() -> None:
    assert (published_attempts()["41"], published_attempts()["42"]) == (654, 157_864)
    records = made(SAME, ALIKE, version="0.8.1")
    table = queries_table(records)
    for queries in (41, 42):
        truth = 2.5e6 + COST * published_attempts()[str(queries)]
        found = row(table, queries=queries)
        assert found["published_ns"] == pytest.approx(truth, rel=0.04)
        assert found["published_ns_low"] < found["published_ns"] < found["published_ns_high"]
    found = row(luck_table(records), instance="published")
    assert found["ratio"] == pytest.approx(
        (2.5e6 + COST * 157_864) / (2.5e6 + COST * 654), rel=0.04
    )
    assert found["luck"] == pytest.approx(1, abs=0.02)


def test_another_version_makes_no_claim_about_the_published_proofs() -> None:
    records = made(SAME, UNLIKE)
    assert luck_table(records)["instance"].to_list() == ["fixed"]
    assert queries_table(records)["published_ns"].null_count() == 2


def test_times_are_taken_apart_into_structure_and_work() -> None:
    table = queries_table(made(TWICE, UNLIKE, blocks=12))
    for queries, structure in TWICE.items():
        found = row(table, queries=queries)
        assert found["structure_ns"] == pytest.approx(structure, rel=0.05)
        assert found["fresh_ns"] == pytest.approx(structure + COST * EXPECTED, rel=0.04)
        assert found["fixed_ns"] == pytest.approx(structure + COST * UNLIKE[queries], rel=0.04)


# ---- attempts ----------------------------------------------------------------------------------


def test_cost_and_distribution_of_attempts_are_recovered() -> None:
    found = row(attempts_table(made(SAME, UNLIKE, blocks=12)))
    assert found["draws"] == 2 * 12 * 15
    assert found["cost_ns"] == pytest.approx(COST, rel=0.05)
    assert within(found, "cost_ns", COST)
    assert within(found, "mean", EXPECTED)
    assert found["p_value_geometric"] > 0.001
    assert found["r_squared"] > 0.95


def test_attempts_of_another_difficulty_are_noticed() -> None:
    records = made(SAME, UNLIKE, blocks=12)
    halved = records.counters.with_columns((pl.col("value") / 2).ceil())
    found = row(attempts_table(replace(records, counters=halved)))
    assert found["p_value_geometric"] < 1e-6
    assert found["mean_high"] < EXPECTED


@pytest.mark.parametrize(("ratio", "structure"), [(1.0, 0.5), (2.0, 0.3), (6.0, 0.44), (6.0, 0.0)])
def test_the_chance_of_a_ratio_is_that_of_simulated_nonces(ratio: float, structure: float) -> None:
    rng = np.random.default_rng(5)
    times = structure * EXPECTED + rng.geometric(1 / EXPECTED, (2, 400_000))
    apart = np.maximum(times[0] / times[1], times[1] / times[0])
    simulated = float((apart >= ratio).mean())
    found = chance_of_ratio(ratio, structure * EXPECTED, EXPECTED)
    assert found == pytest.approx(simulated, abs=4 * math.sqrt(max(found, 1e-4) / 400_000) + 1e-4)


# ---- what cannot be analysed -------------------------------------------------------------------


def test_a_block_that_lacks_a_configuration_does_not_count() -> None:
    records = made(SAME, UNLIKE, blocks=5)
    lost = (pl.col("block") == 2) & (pl.col("configuration") == "fresh-41")
    partial = replace(records, invocations=records.invocations.filter(~lost))
    assert [data.wall.shape[1] for data in measured(records)] == [5]
    assert [data.wall.shape[1] for data in measured(partial)] == [4]


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (made(SAME, UNLIKE, blocks=2), "2 blocks have"),
        (records_of({}), "no proofs of the published STARK"),
    ],
    ids=["too-few-blocks", "nothing"],
)
def test_too_little_is_an_error_in_one_sentence(records: Records, said: str) -> None:
    with pytest.raises(NoP1GrindingError, match=said) as raised:
        luck_table(records)
    assert "\n" not in str(raised.value)


def test_a_fixed_instance_whose_nonce_changes_is_an_error() -> None:
    records = made(SAME, UNLIKE, blocks=4)
    changed = records.counters.with_columns(
        pl.when((pl.col("configuration") == "fixed-41") & (pl.col("sample") == 3))
        .then(pl.col("value") + 1)
        .otherwise("value")
        .alias("value")
    )
    with pytest.raises(NoP1GrindingError, match="different numbers of attempts"):
        measured(replace(records, counters=changed))


def test_numbers_of_queries_that_were_not_measured_are_named() -> None:
    with pytest.raises(NoP1GrindingError, match="40 and 42 queries, but with 41, 42"):
        luck_table(made(SAME, UNLIKE), 42, 40)


# ---- the experiment ----------------------------------------------------------------------------


def parameters(**changes: object) -> P1Grinding:
    asked = read_profile("standard").p1_grinding
    assert asked is not None
    known = {name: getattr(asked, name) for name in asked.__struct_fields__}
    return P1Grinding(**(known | changes))


def test_every_system_proves_with_every_number_of_queries_fixed_and_fresh() -> None:
    asked = experiment(parameters())
    seen = {(one.system, one.instances, one.options["queries"]) for one in asked.series}
    assert len(seen) == len(asked.series) == 2 * 2 * 9
    assert {queries for _, _, queries in seen} == set(range(38, 47))
    assert all(one.variant == VARIANT for one in asked.series)
    assert asked.rounds == (255,)
    # No clock decides how many samples there are, and no width how many blocks.
    assert asked.samples.minimum == asked.samples.maximum
    assert asked.blocks.minimum == asked.blocks.maximum


def test_what_is_repeated_is_what_was_published() -> None:
    recorded = json.loads(Path("data/vectors/p1-attempts.json").read_text())
    assert recorded["grinding"] == OPTIONS["grinding"]
    assert recorded["rounds"] == PUBLISHED_ROUNDS == parameters().rounds
    assert set(published_attempts()) == set(map(str, parameters().queries))
    # The default of every option is the same proof.
    defaults = OPTIONS | {"queries": 42}
    assert {published_attempts(name)[str(defaults[name])] for name in defaults} == {157_864}


@pytest.mark.slow
def test_real_proofs_on_a_fixed_instance_repeat_their_nonce_and_fresh_ones_do_not(
    tmp_path: Path,
) -> None:
    few: Sequence[int] = (41, 42)
    asked = experiment(parameters(queries=tuple(few), blocks=3, samples=4, rounds=15))
    records = measure("p1-grinding", asked, folder=tmp_path / "run").records
    found = measured(records)
    assert [(data.system, data.library_version) for data in found] == [
        ("winterfell-0-8/stark/f128", "0.8.1"),
        ("winterfell/stark/f128", "0.13.1"),
    ]
    for data in found:
        assert data.attempts.shape == (2, 3, 4)
        assert len(np.unique(data.attempts)) == 2 * 3 * 4
    table = luck_table(records)
    # The published proofs are of another number of rounds.
    assert set(table["instance"]) == {"fixed"}
    assert table["ratio"].is_finite().all()
    assert attempts_table(records)["r_squared"].min() > 0.5  # type: ignore[operator]
