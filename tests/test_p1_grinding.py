"""Luck of the nonce is told from the cost of an option, on records whose truth is known."""

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from nizkbench import layout
from nizkbench.cli import main
from nizkbench.errors import NizkBenchError
from nizkbench.measure import InterruptedRunError, measure
from nizkbench.p1_grinding import (
    OPTIONS,
    VARIANT,
    NoP1GrindingError,
    attempts_table,
    chance_of_ratio,
    experiment,
    jackknife,
    luck_table,
    measured,
    queries_table,
)
from nizkbench.p1_published import (
    ALONE,
    DEFAULTS,
    PUBLISHED_ROUNDS,
    SCHEMA,
    TABLE,
    TOGETHER,
    Options,
    PublishedError,
    changed_alone,
    compared,
    known_attempts,
    levels,
    picks,
    published_attempts,
    read_published,
    table_of,
    timed,
)
from nizkbench.p1_published_measure import (
    JOURNAL,
    PROGRAM,
    WARMUP,
    measure_published,
    samples_of,
)
from nizkbench.p1_together import alone_table, options_in, repeated, together_table
from nizkbench.plan import canonical_variant
from nizkbench.profile import P1Grinding, read_profile
from nizkbench.records import Records, records_of, write_records
from nizkbench.trials import TrialsError
from tests.harness import StopsAfter

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


def alike(options: Options) -> float:
    """The published proofs' structure where no option costs anything, in ns."""
    del options
    return 2.5e6


#: Attempts of the picks together, by their form.
DRAWN = {"all": 55, "all but grinding": 26_646}


def made_published(
    structure: Callable[[Options], float] = alike,
    *,
    blocks: int = 6,
    samples: int = 5,
    spread: float = 0.01,
    drawn: Mapping[str, int] = DRAWN,
    seed: int = 2,
) -> pl.DataFrame:
    """Published proofs that take structure + attempts · COST, scattered as in `made`."""
    rng = np.random.default_rng(seed)

    def stage(name: str, wanted: Sequence[tuple[Options, int]]) -> list[dict[str, Any]]:
        rows = []
        for block in range(blocks):
            speed = math.exp(rng.normal(0, 0.03))
            for options, attempts in wanted:
                slowed = speed * math.exp(rng.normal(0, spread))
                for sample in range(samples):
                    wall = (structure(options) + COST * attempts) * slowed * rng.normal(1, 0.005)
                    rows.append(
                        {
                            "stage": name,
                            **options,
                            "block": block,
                            "sample": sample,
                            "witness_ns": round(0.01 * wall),
                            "prove_ns": round(0.99 * wall),
                            "user_ns": round(wall),
                            "system_ns": 0,
                            "attempts": attempts,
                            "proof_bytes": 25_000,
                        }
                    )
        return rows

    alone = stage(ALONE, [(one, known_attempts(one) or 0) for one in changed_alone()])
    wanted = []
    for form, options in compared(picks(timed(table_of(alone), ALONE))).items():
        known = known_attempts(options)
        one = (options, drawn[form] if known is None else known)
        if one not in wanted:
            wanted.append(one)
    return table_of([*alone, *stage(TOGETHER, wanted)])


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
    assert found["between_low"] < found["between"] < found["between_high"] <= 1
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


def test_the_published_proofs_are_measured_and_their_times_predicted() -> None:
    assert (published_attempts()["41"], published_attempts()["42"]) == (654, 157_864)
    records, published = made(SAME, ALIKE, version="0.8.1"), made_published()
    table = queries_table(records, published)
    for queries in (41, 42):
        truth = 2.5e6 + COST * published_attempts()[str(queries)]
        found = row(table, queries=queries)
        for name in ("published_ns", "predicted_ns"):
            assert found[name] == pytest.approx(truth, rel=0.04)
            assert found[f"{name}_low"] < found[name] < found[f"{name}_high"]
        assert within(found, "predicted", 1.0)
    found = row(luck_table(records, published=published), instance="published")
    assert found["ratio"] == pytest.approx(
        (2.5e6 + COST * 157_864) / (2.5e6 + COST * 654), rel=0.04
    )
    assert found["luck"] == pytest.approx(1, abs=0.02)
    assert found["between"] == pytest.approx(1, abs=0.01)
    assert found["predicted"] == pytest.approx(1, rel=0.04)
    assert within(found, "predicted", 1.0)
    assert (found["attempts"], found["attempts_below"], found["blocks"]) == (157_864, 654, 6)


def test_what_is_measured_is_not_what_is_predicted() -> None:
    """Published proofs with a structure of their own show in every row but the predictions."""

    def dear(options: Options) -> float:
        return 12.5e6 if options["queries"] == 42 else 2.5e6

    records, published = made(SAME, ALIKE, version="0.8.1"), made_published(dear)
    found = row(luck_table(records, published=published), instance="published")
    assert found["ratio"] == pytest.approx(
        (12.5e6 + COST * 157_864) / (2.5e6 + COST * 654), rel=0.04
    )
    assert found["between"] < 0.9
    at_42 = row(queries_table(records, published), queries=42)
    truth = (2.5e6 + COST * 157_864) / (12.5e6 + COST * 157_864)
    assert at_42["predicted"] == pytest.approx(truth, rel=0.04)
    assert at_42["predicted_high"] < 1


def test_records_without_the_published_proofs_say_nothing_measured_of_them() -> None:
    records = made(SAME, ALIKE, version="0.8.1")
    assert luck_table(records)["instance"].to_list() == ["fixed"]
    table = queries_table(records)
    assert table["published_ns"].null_count() == table["predicted"].null_count() == 2
    truth = 2.5e6 + COST * 157_864
    assert row(table, queries=42)["predicted_ns"] == pytest.approx(truth, rel=0.04)


def test_another_version_makes_no_claim_about_the_published_proofs() -> None:
    records, published = made(SAME, UNLIKE), made_published()
    assert luck_table(records, published=published)["instance"].to_list() == ["fixed"]
    table = queries_table(records, published)
    assert table["published_ns"].null_count() == table["predicted_ns"].null_count() == 2


def test_variances_of_two_kinds_of_blocks_add_up() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.normal(5, 1, 12), rng.normal(3, 2, 7)
    value, low, high = jackknife(
        lambda kept: np.array([one[kept[0]].mean() - other[kept[1]].mean()]), (12, 7)
    )
    error = math.sqrt(one.var(ddof=1) / 12 + other.var(ddof=1) / 7)
    assert value[0] == pytest.approx(one.mean() - other.mean())
    # Student's t with six degrees of freedom, those of the smaller kind.
    assert high[0] - value[0] == pytest.approx(2.4469 * error, rel=1e-4)
    assert value[0] - low[0] == pytest.approx(high[0] - value[0])


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


# ---- the published proofs, alone and together --------------------------------------------------


def test_every_level_of_earlier_work_is_changed_alone() -> None:
    wanted = changed_alone()
    assert len(wanted) == 31
    assert wanted[0] == DEFAULTS
    assert len({json.dumps(dict(one)) for one in wanted}) == len(wanted)
    assert levels("queries") == tuple(range(38, 47))
    assert levels("hash") == ("blake3-192", "blake3-256", "sha3-256")
    recorded = [known_attempts(one) for one in wanted]
    assert recorded.count(None) == 0
    assert known_attempts({**DEFAULTS, "queries": 41, "folding": 2}) is None


def test_the_plain_rule_picks_the_fastest_however_little_it_gains() -> None:
    found = picks(timed(made_published(spread=0.0), ALONE))
    # With no structure, the fewest attempts; of grinding, the fewest bits.
    assert found == {
        "queries": 41,
        "blowup": 4,
        "grinding": 0,
        "extension": "quadratic",
        "folding": 4,
        "remainder_max_degree": 255,
        "hash": "blake3-192",
    }

    def shaded(options: Options) -> float:
        return 2.5e6 + (COST * 654 if options["hash"] == "sha3-256" else 0.0)

    table = made_published(shaded, spread=0.0)
    assert picks(timed(table, ALONE))["hash"] == "blake3-192"


def test_gains_that_are_the_nonces_are_told_from_those_of_an_option() -> None:
    def cheap(options: Options) -> float:
        return 1.0e6 if options["blowup"] == 4 else 2.5e6

    table = alone_table(made_published(cheap, blocks=12))
    assert set(table.filter("picked")["option"]) == set(DEFAULTS)
    queries = row(table, option="queries", level="41")
    assert queries["gain"] == pytest.approx(
        (2.5e6 + COST * 157_864) / (2.5e6 + COST * 654), rel=0.05
    )
    assert queries["luck"] == pytest.approx(1, abs=0.03)
    assert within(queries, "gain_equal", 1.0)
    blowup = row(table, option="blowup", level="4")
    equal = (2.5e6 + COST * EXPECTED) / (1.0e6 + COST * EXPECTED)
    assert blowup["gain_equal"] == pytest.approx(equal, rel=0.05)
    assert blowup["luck"] == pytest.approx(1 - math.log(equal) / math.log(blowup["gain"]), abs=0.01)
    # Other work for an attempt, or other attempts on average, cannot be compared.
    assert row(table, option="hash", level="blake3-192")["luck"] is None
    assert row(table, option="grinding", level="0")["gain_equal"] is None
    assert row(table, option="folding", level="8")["luck"] is None


def test_options_together_are_held_against_the_default_and_the_remainder_alone() -> None:
    table = together_table(made_published(blocks=12))
    assert table["form"].to_list() == ["default", "remainder", "all", "all but grinding"]
    times = {
        "default": 2.5e6 + COST * 157_864,
        "remainder": 2.5e6 + COST * 9994,
        "all": 2.5e6 + COST * 55,
        "all but grinding": 2.5e6 + COST * 26_646,
    }
    for form, truth in times.items():
        found = row(table, form=form)
        assert found["time_ns"] == pytest.approx(truth, rel=0.05)
        assert found["gain"] == pytest.approx(times["default"] / truth, rel=0.03)
        assert found["over_remainder"] == pytest.approx(truth / times["remainder"], rel=0.03)
    assert options_in(row(table, form="all"))["grinding"] == 0
    kept = options_in(row(table, form="all but grinding"))
    assert kept == options_in(row(table, form="all")) | {"grinding": 16}


def test_other_attempts_than_those_on_record_are_an_error() -> None:
    table = made_published()
    changed = pl.when(pl.col("queries") == 41).then(655).otherwise("attempts").alias("attempts")
    with pytest.raises(PublishedError, match=r"queries 41 took 655 attempts, .* has 654"):
        timed(table.with_columns(changed), ALONE)


def test_proofs_together_that_differ_in_attempts_are_an_error() -> None:
    table = made_published()
    first = (pl.col("attempts") == 55) & (pl.col("block") == 0)
    changed = pl.when(first).then(56).otherwise("attempts").alias("attempts")
    with pytest.raises(PublishedError, match="different numbers of attempts: 55, 56"):
        together_table(table.with_columns(changed))


def test_a_table_that_is_not_whole_is_an_error() -> None:
    table = made_published()
    with pytest.raises(PublishedError, match="2 blocks have every published proof"):
        timed(table.filter(pl.col("block") < 2), ALONE)
    with pytest.raises(PublishedError, match="folding 2 was not timed"):
        picks(timed(table.filter(pl.col("folding") != 2), ALONE))


def test_table_is_read_as_it_was_written_and_refused_otherwise(tmp_path: Path) -> None:
    assert read_published(tmp_path) is None
    table = made_published()
    table.write_parquet(tmp_path / TABLE)
    again = read_published(tmp_path)
    assert again is not None
    assert again.equals(table)
    table.drop("hash").write_parquet(tmp_path / TABLE)
    with pytest.raises(PublishedError, match="other columns than this version reads: hash"):
        read_published(tmp_path)
    (tmp_path / TABLE).write_bytes(b"no table")
    with pytest.raises(PublishedError, match="cannot be read as Parquet"):
        read_published(tmp_path)


def test_records_with_and_without_published_proofs_are_analysed_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(made(SAME, UNLIKE, version="0.8.1"), tmp_path)
    into = tmp_path / "tables"
    command = ["p1-grinding", "standard", "--records", str(tmp_path), "--into", str(into)]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 0
    assert "not timed in these records" in capsys.readouterr().out
    assert not (into / "p1_together.parquet").exists()
    made_published().write_parquet(tmp_path / TABLE)
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "all but grinding" in said
    assert "remainder degree 255" in said
    assert pl.read_parquet(into / "p1_together.parquet").height == 4
    assert pl.read_parquet(into / "p1_alone.parquet")["picked"].sum() >= 7


# ---- timing the published proofs ---------------------------------------------------------------

#: The blocks of the tests below.
BLOCKS = 3


class Program:
    """A program in the place of `PROGRAM` that answers from files, and tells how often it ran."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "program"
        self.folder.mkdir()
        monkeypatch.setenv(layout.BINARIES_VARIABLE, str(self.folder))
        path = self.folder / PROGRAM
        path.write_text(
            f'#!/bin/sh\ncd {self.folder}\necho >>started\ncat "$(md5sum | cut -c 1-32)"\n'
        )
        path.chmod(0o755)
        self.picked: Options = {**DEFAULTS, "queries": 41, "grinding": 0}
        for options in [*changed_alone(), *compared(self.picked).values()]:
            self.answer(options, known_attempts(options) or 777)

    def answer(self, options: Options, attempts: int, last: str = '{"type":"done"}') -> None:
        """Have a process with these options answer so; it is the faster the more are picked."""
        samples = samples_of(options, parameters().samples)
        picked = sum(options[name] == self.picked[name] for name in DEFAULTS)
        request = {"options": dict(options), "warmup": WARMUP, "samples": samples}
        lines = [
            {
                "type": "sample",
                "sample": sample,
                "warmup": sample < WARMUP,
                "witness_ns": 1,
                "prove_ns": 20 - picked,
                "user_ns": 1,
                "system_ns": 0,
                "attempts": attempts,
                "proof_bytes": 10,
            }
            for sample in range(WARMUP + samples)
        ]
        content = json.dumps(request, separators=(",", ":")).encode() + b"\n"
        name = hashlib.md5(content, usedforsecurity=False).hexdigest()
        answers = "".join(json.dumps(line) + "\n" for line in lines)
        (self.folder / name).write_text(f"{answers}{last}\n" if last else answers)

    @property
    def started(self) -> int:
        """How many processes there were so far."""
        path = self.folder / "started"
        return len(path.read_text()) if path.exists() else 0


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    return Program(tmp_path, monkeypatch)


def test_a_stopped_run_goes_on_without_timing_anything_twice(
    program: Program, tmp_path: Path
) -> None:
    asked, folder = parameters(blocks=BLOCKS), tmp_path / "run"
    with pytest.raises(InterruptedRunError, match="the 5 processes with published proofs so far"):
        measure_published(asked, folder, StopsAfter(5))
    assert program.started == 5
    assert not (folder / TABLE).exists()
    with (folder / JOURNAL).open("ab") as file:
        file.write(b'{"type":"trial","stage":"al')  # a crash cut this line off
    table = measure_published(asked, folder)
    combined = compared(program.picked)
    processes = BLOCKS * (len(changed_alone()) + len(combined))
    assert program.started == processes
    assert table.schema == SCHEMA
    assert table.select("stage", *DEFAULTS, "block").unique().height == processes
    assert read_published(folder) is not None
    # What is complete is read, and nothing started.
    assert measure_published(asked, folder).equals(table)
    assert program.started == processes


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, Path]:
    """A complete run of the program above, beside a manifest."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "run").mkdir()
    (folder / "run" / "manifest.json").write_text('{"name": "kept"}')
    with pytest.MonkeyPatch.context() as patched:
        program = Program(folder, patched)
        measure_published(parameters(blocks=BLOCKS), folder / "run")
    return program, folder / "run"


def test_the_picks_are_timed_in_both_forms_and_warm_up_does_not_count(
    whole: tuple[Program, Path],
) -> None:
    program, folder = whole
    table = read_published(folder)
    assert table is not None
    assert picks(timed(table, ALONE)) == program.picked
    forms = {row["form"]: options_in(row) for row in together_table(table).to_dicts()}
    assert forms["all"] == program.picked
    assert forms["all but grinding"] == dict(program.picked) | {"grinding": 16}
    assert table["sample"].min() == WARMUP
    long = table.filter((pl.col("grinding") == 20) & (pl.col("block") == 0))
    usual = parameters().samples
    assert long.height == samples_of({**DEFAULTS, "grinding": 20}, usual) < usual


def test_blocks_are_shuffled_each_for_itself(whole: tuple[Program, Path]) -> None:
    program, folder = whole
    lines = [json.loads(line) for line in (folder / JOURNAL).read_text().splitlines()]
    orders = [
        [one["name"] for one in lines[1:] if (one["stage"], one["block"]) == place]
        for place in ((ALONE, 0), (ALONE, 1), (ALONE, 2))
    ]
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(orders[2])
    assert orders[0] != orders[1] != orders[2]
    assert program.started == len(lines) - 1


def test_the_manifest_says_how_published_proofs_were_timed(whole: tuple[Program, Path]) -> None:
    program, folder = whole
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["name"] == "kept"
    assert manifest["published"]["processes"] == program.started
    digest = hashlib.sha256((program.folder / PROGRAM).read_bytes()).hexdigest()
    assert manifest["published"]["program"] == digest


@pytest.mark.parametrize(
    ("attempts", "last", "said"),
    [
        (655, '{"type":"done"}', "queries 41 took 655 attempts"),
        (654, '{"type":"error","message":"no luck"}', "queries 41 could not be timed: no luck"),
        (654, '{"type":"sample"}', "none of its answers"),
        (654, "", "ended with status 0"),
    ],
    ids=["attempts", "error", "garbage", "nothing"],
)
def test_a_process_that_fails_is_named_in_one_sentence(
    program: Program, tmp_path: Path, attempts: int, last: str, said: str
) -> None:
    program.answer({**DEFAULTS, "queries": 41}, attempts, last)
    with pytest.raises(PublishedError, match=said) as raised:
        measure_published(parameters(blocks=BLOCKS), tmp_path / "run")
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "run" / TABLE).exists()


def test_another_program_or_profile_does_not_go_on_in_the_same_run(
    program: Program, tmp_path: Path
) -> None:
    with pytest.raises(InterruptedRunError):
        measure_published(parameters(blocks=BLOCKS), tmp_path / "run", StopsAfter(1))
    with pytest.raises(TrialsError, match=r"begun with other blocks; move it aside"):
        measure_published(parameters(blocks=BLOCKS + 1), tmp_path / "run")
    path = program.folder / PROGRAM
    path.write_text(path.read_text() + "# another one\n")
    with pytest.raises(TrialsError, match=r"begun with other program; move it aside"):
        measure_published(parameters(blocks=BLOCKS), tmp_path / "run")
    assert program.started == 1


def test_a_program_that_is_not_built_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "binary_folders", lambda: [tmp_path])
    with pytest.raises(NizkBenchError, match=f"{PROGRAM} is neither in build/bin"):
        measure_published(parameters(), tmp_path / "run")


@pytest.mark.slow
def test_real_published_proofs_take_the_attempts_on_record(tmp_path: Path) -> None:
    """Every one of them, alone and together, with few samples."""
    table = measure_published(parameters(blocks=BLOCKS, samples=2), tmp_path)
    seen = table.filter(pl.col("stage") == ALONE).unique(["attempts", *DEFAULTS])
    assert seen.height == len(changed_alone())
    for options in changed_alone():
        taken = table.filter(*(pl.col(name) == value for name, value in options.items()))
        assert taken["attempts"].unique().to_list() == [known_attempts(options)]
    together = together_table(table)
    assert row(together, form="remainder")["attempts"] == 9994
    # A lucky nonce gains, whatever else the machine does.
    gain = row(alone_table(table), option="queries", level="41")["gain"]
    assert gain > 2
    again = repeated(made(SAME, ALIKE, version="0.8.1"), table)
    assert row(again.luck, instance="published")["attempts"] == 157_864


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
