"""Another machine's run is judged by ratios, orders and growth, and reasons are named."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from nizkbench import layout
from nizkbench.analysis import analyse
from nizkbench.cli import application
from nizkbench.compare import (
    MARGIN,
    growths,
    machines,
    only_one_has,
    over,
    paces,
    ratios,
    reversed_orders,
    sentences,
)
from nizkbench.errors import NizkBenchError
from nizkbench.predicates import Outcome
from nizkbench.quantities import Quantity
from nizkbench.records import Run
from nizkbench.results import Results, results_of
from tests.synthetic_results import synthetic_run

BULLETPROOFS = "bulletproofs/r1cs/ristretto255"
REFERENCE = layout.root() / "data" / "reference"


def measured(slower: float = 1.0, only: dict[str, float] | None = None) -> Results:
    """A run in which everything is so many times slower, and some systems by factors of their own.

    A factor for a system may depend on the size: it is raised to the logarithm of the rounds.
    """
    made = synthetic_run(blocks=6)
    records = made.records
    named = records.configurations.select("configuration", "system")
    factor = pl.col("system").replace_strict(only or {}, default=1.0) * slower
    samples = (
        records.samples.join(named, on="configuration", maintain_order="left")
        .with_columns((pl.col("wall_ns") * factor).cast(pl.Int64))
        .select(records.samples.columns)
    )
    run = Run(replace(records, samples=samples), made.manifest)
    return results_of(run, analyse(run.records))


@pytest.fixture(scope="module")
def recorded() -> Results:
    return measured()


@pytest.fixture(scope="module")
def twice() -> Results:
    return measured(2.0)


@pytest.fixture(scope="module")
def one_is_slow() -> Results:
    return measured(1.0, {BULLETPROOFS: 3.0})


def test_quotient_of_independent_estimates_has_both_their_errors() -> None:
    found = over(Quantity(2, 1.6, 2.5), Quantity(1, 0.8, 1.25))
    assert found.value == pytest.approx(2)
    assert found.high / found.value == pytest.approx(1.25 ** (2**0.5))
    assert over(Quantity(3, 3, 3), Quantity(2, 2, 2)).exact


def test_slower_machine_has_the_same_ratios_orders_and_growth(
    recorded: Results, twice: Results
) -> None:
    compared = ratios(twice, recorded)
    assert len(compared) > 50
    assert not [one for one in compared if one.outcome is Outcome.CONTRADICTED]
    assert not reversed_orders(compared)
    assert {one.outcome for one in growths(twice, recorded)} <= {
        Outcome.REPRODUCED,
        Outcome.INCONCLUSIVE,
    }
    assert all(pace == pytest.approx(2, rel=0.01) for pace in paces(twice, recorded).values())
    said = sentences(twice, recorded)
    assert "This machine takes 2.00 times as long as the recorded one, on average." in said
    assert f"No series is further than a factor of {MARGIN:g} from that average." in said
    assert any(one.startswith("No order that both runs tell is another") for one in said)


def test_system_that_is_slow_alone_is_named_and_differs_in_every_ratio(
    recorded: Results, one_is_slow: Results
) -> None:
    compared = ratios(one_is_slow, recorded)
    different = [one for one in compared if one.outcome is Outcome.CONTRADICTED]
    assert different
    assert all("bulletproofs" in one.what for one in different)
    said = " ".join(sentences(one_is_slow, recorded))
    assert "Against that average, bulletproofs/r1cs/ristretto255" in said
    turned = reversed_orders(compared)
    assert all("bulletproofs" in one.what for one in turned)


def test_run_compared_with_itself_differs_in_nothing(recorded: Results) -> None:
    assert not [one for one in ratios(recorded, recorded) if one.outcome is Outcome.CONTRADICTED]
    assert sentences(recorded, recorded)[0] == "By their manifests the two machines do not differ."
    assert only_one_has(recorded, recorded) == []


def test_machines_differ_by_what_explains_times() -> None:
    there = {
        "machine": {
            "processor": "A",
            "usable_cores": 2,
            "memory_bytes": 24e9,
            "flags": ["adx", "avx2", "avx512f"],
        },
        "locks": {"uv.lock": "1", "provers/go.sum": "2"},
    }
    here = {
        "machine": {
            "processor": "B",
            "usable_cores": 16,
            "memory_bytes": 8e9,
            "flags": ["avx2", "adx", "sha_ni"],
        },
        "locks": {"uv.lock": "1", "provers/go.sum": "3"},
    }
    found = machines(here, there)
    assert "the processor is B here and A there" in found
    assert "usable cores are 16 here and 2 there" in found
    assert "memory is 8 GB here and 24 GB there" in found
    assert any(one.startswith("only there the processor has AVX512F") for one in found)
    assert any(one.startswith("only here the processor has SHA_NI") for one in found)
    assert "provers/go.sum differs" in found
    assert not any("AVX2 " in one or "ADX" in one or "uv.lock" in one for one in found)
    assert machines(there, there) == []


def test_what_ran_out_of_memory_on_one_machine_alone_is_named(recorded: Results) -> None:
    series = next(iter(paces(recorded, recorded)))
    size = recorded.largest
    chosen = (pl.col("series") == series) & (pl.col("size") == size)
    mine = recorded.configurations.filter(chosen & (pl.col("threads_label") == "one"))
    lost = pl.col("configuration").is_in(mine["configuration"].implode())
    here = replace(
        recorded,
        estimates=recorded.estimates.filter(~chosen),
        invocations=recorded.invocations.with_columns(
            outcome=pl.when(lost).then(pl.lit("out-of-memory")).otherwise("outcome")
        ),
    )
    assert only_one_has(here, recorded) == [f"{series} at {size} rounds (out-of-memory here)"]
    assert only_one_has(recorded, here) == [f"{series} at {size} rounds (out-of-memory there)"]


def test_runs_of_different_experiments_are_refused() -> None:
    answer = CliRunner().invoke(
        application(["compare"]),
        [
            *("compare", str(REFERENCE / "standard")),
            *("--against", str(REFERENCE / "full-hash-functions")),
        ],
    )
    assert answer.exit_code != 0
    assert "different experiments" in str(answer.exception)


@pytest.mark.parametrize("content", ["{}", "[]"])
def test_manifest_that_is_none_is_refused_in_one_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
    said = f"{tmp_path / 'manifest.json'} is no manifest of a run"
    for arguments in (
        [str(tmp_path)],
        [str(REFERENCE / "standard"), "--against", str(tmp_path)],
    ):
        answer = CliRunner().invoke(application(["compare"]), ["compare", *arguments])
        assert isinstance(answer.exception, NizkBenchError)
        assert str(answer.exception).startswith(said)


def test_run_that_is_not_recorded_names_those_that_can_be_compared_and_how(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    for name, kept in (("standard-range-proofs", "full-range-proofs"), ("standard", "standard")):
        shutil.copytree(REFERENCE / name, mine, dirs_exist_ok=True)
        answer = CliRunner().invoke(application(["compare"]), ["compare", str(mine)])
        said = str(answer.exception)
        assert "no run is recorded as mine; of the same statement there is " in said
        assert f"nizkbench compare {mine} --against {REFERENCE / kept}`" in said
        # Neither a grid nor an experiment that is only as published has anything that is compared.
        assert "grid" not in said
        assert "grinding" not in said


@pytest.mark.parametrize("kind", ["full-stark-grid", "standard-p1-grinding"])
def test_run_of_a_kind_that_is_not_compared_is_refused_before_it_is_analysed(
    kind: str, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    for name in ("manifest.json", "configurations.parquet"):
        shutil.copy(REFERENCE / kind / name, mine)
    for given in ((str(mine),), (str(REFERENCE / "standard"), "--against", str(mine))):
        answer = CliRunner().invoke(application(["compare"]), ["compare", *given])
        assert answer.exit_code != 0
        assert answer.output == ""
        assert isinstance(answer.exception, NizkBenchError)
        said = str(answer.exception)
        assert f"{mine} has no sound series on equal terms" in said
        assert "runs of MiMC, of hash functions and of ranges are" in said


def test_runs_without_a_ratio_in_common_are_an_error(recorded: Results) -> None:
    none = replace(recorded, estimates=recorded.estimates.clear())
    with pytest.raises(NizkBenchError, match="the two runs have no ratio in common"):
        sentences(none, recorded)


def test_recorded_run_agrees_with_itself_as_far_as_it_can_and_says_how_far(
    capsys: pytest.CaptureFixture[str],
) -> None:
    application(["compare"])(["compare", str(Path(REFERENCE / "standard"))], standalone_mode=False)
    printed = capsys.readouterr().out
    assert "do not differ" in printed
    assert " 0 differ and" in printed
    told = re.search(
        r"Of (\d+) ratios of two series, (\d+) are .+ and (\d+) are open\. Held against itself, the"
        r" recorded run leaves (\d+) of the (\d+) open, .+ equivalent in (\d+) at most\.",
        printed,
    )
    assert told is not None
    every, equivalent, left, ceiling, of, most = map(int, told.groups())
    assert (ceiling, of, most) == (left, every, equivalent)
    assert left > 0


def test_ceiling_is_of_the_recorded_run_and_not_of_the_other(
    recorded: Results, one_is_slow: Results
) -> None:
    for compare in (ratios, growths):
        itself = [one.outcome for one in compare(recorded, recorded)]
        assert [one.itself for one in compare(one_is_slow, recorded)] == itself
        assert Outcome.CONTRADICTED not in itself
