"""The analysis of ranges says what is true of made-up ones, and no more."""

import re
from dataclasses import replace
from functools import cache, partial
from math import log2

import polars as pl
import pytest

from nizkbench import layout
from nizkbench.analysis import analyse
from nizkbench.claim_verdicts import own_verdicts
from nizkbench.predicates import Outcome
from nizkbench.range_claims import EXPERIMENT, range_terms
from nizkbench.range_figures import FIGURES, draw_ranges
from nizkbench.range_numbers import range_numbers
from nizkbench.range_prose import PROSE, aggregation, batching, choose, growth, measured, single
from nizkbench.range_results import (
    BELLMAN,
    BULLETPROOFS,
    TOGETHER,
    NoRangesError,
    RangeResults,
    quotient,
    range_results,
)
from nizkbench.range_tables import TABLES
from nizkbench.records import Run
from nizkbench.results import results_of
from tests.measured import Made, made_records
from tests.prose import keys

VALUES = (1, 4, 16, 32)
GNARK = "gnark/groth16/bls12-381"

#: So many proofs are verified together, each in a share of the time that one alone takes.
PROOFS, SHARE = 64, 0.5

#: Of every system, what a value takes to prove in ms.
MS_A_VALUE = {BULLETPROOFS: 10, BELLMAN: 200, GNARK: 60}


def bulletproof(bits: int, values: int) -> int:
    """Bytes of a proof: nine elements and two for every halving."""
    return 32 * (9 + 2 * round(log2(bits * values)))


def described(system: str, batches: bool) -> dict[str, object]:
    """What the manifest has of a system."""
    field = "ristretto255-scalar" if system == BULLETPROOFS else "bls12-381-fr"
    return {
        "library": {"name": system, "version": "1"},
        "systems": [
            {
                "system": system,
                "curve": system.rpartition("/")[2],
                "field": {"name": field, "bits": 253},
                "properties": {"batch_verification": {"supported": batches, "source": "its words"}},
            }
        ],
    }


@cache
def run() -> Run:
    wanted = [
        Made(
            "Bulletproofs" if bits == 64 else "Bulletproofs, 8 bits",
            lambda values: MS_A_VALUE[BULLETPROOFS] * values,
            BULLETPROOFS,
            proof_bytes=partial(bulletproof, bits),
        )
        for bits in (64, 8)
    ]
    wanted += [
        Made("bellman", lambda values: MS_A_VALUE[BELLMAN] * values, BELLMAN),
        Made("gnark", lambda values: MS_A_VALUE[GNARK] * values, GNARK),
        Made("together", lambda values: 200 * values, BELLMAN, options={"batch": PROOFS}),
    ]
    records = made_records(wanted, VALUES, blocks=6, samples=2, spread=0.005, shared=0.01)
    small = pl.col("series").str.ends_with("8 bits")
    configurations = records.configurations.with_columns(
        statement=pl.lit("range"),
        size_name=pl.lit("values"),
        variant=pl.when(small).then(pl.lit("bits=8")).otherwise(pl.lit("bits=64")),
    )
    verified = pl.col("configuration").str.starts_with("together/") & (pl.col("phase") == "verify")
    together = records.samples.filter(verified).with_columns(
        phase=pl.lit(TOGETHER),
        wall_ns=(pl.col("wall_ns") * PROOFS * SHARE).cast(pl.Int64),
    )
    samples = pl.concat([records.samples, together])
    runners = {system: described(system, system == BELLMAN) for system in MS_A_VALUE}
    return Run(
        replace(records, configurations=configurations, samples=samples),
        {"name": "made", "runners": runners},
    )


@cache
def made() -> RangeResults:
    return range_results(results_of(run(), analyse(run().records)))


def test_cells_are_systems_by_bits_and_a_batch_is_none() -> None:
    found = [(cell.system, cell.bits) for cell in made().cells]
    assert found == [(BELLMAN, 64), (BULLETPROOFS, 8), (BULLETPROOFS, 64), (GNARK, 64)]
    assert made().series(GNARK, 8) is None


def test_a_value_costs_its_share_of_the_proof() -> None:
    series = made().series(BULLETPROOFS)
    assert series is not None
    for values in VALUES:
        each = made().per_value(series, "time_to_proof", values)
        assert each is not None
        assert each.low < each.value < each.high
        assert each.value == pytest.approx(10e6, rel=0.05)


def test_a_proof_of_a_batch_is_held_against_one_alone() -> None:
    found = [one for one in made().batches if one.values == 1]
    assert [one.proofs for one in found] == [PROOFS]
    over = found[0].over_alone
    assert over is not None
    assert over.value == pytest.approx(SHARE, rel=0.03)
    assert over.low < over.value < over.high
    assert "There is no call for it in" in batching(made())
    assert "bulletproofs range proofs ristretto255" in batching(made())


def test_claims_come_out_as_the_made_up_run_has_it() -> None:
    found = own_verdicts({EXPERIMENT: range_terms(made())})
    outcomes = [verdict.outcome for verdict in found.values()]
    # Growth, size, speed; all systems verify alike; a batch takes half.
    decided = [Outcome.REPRODUCED] * 3 + [Outcome.INCONCLUSIVE] + [Outcome.REPRODUCED]
    assert outcomes == decided


def test_sizes_are_said_to_the_byte() -> None:
    said = growth(made())
    assert f"{bulletproof(64, 1)}\u202fB for 1 value" in said
    assert f"{bulletproof(64, 32)}\u202fB for 32" in said
    assert "32 values into one" in aggregation(made())


def test_systems_that_are_not_told_apart_are_said_to_be() -> None:
    said = choose(made()).split("; ")
    # Times to prove differ by factors, and all systems verify alike.
    for sentence in said[:2]:
        assert "takes the least to prove" in sentence
        assert "not told apart" not in sentence
        assert re.search(r"and gnark Groth16 BLS12-381 [56]\.\d+ \[.+\] times as long", sentence)
    for sentence in said[2:]:
        assert re.search(r"least to verify .+ \(not told apart from any other\)", sentence)
        assert "as long" not in sentence


def test_ratio_is_within_blocks_and_narrower_than_a_quotient() -> None:
    series = [one for system in (GNARK, BULLETPROOFS) if (one := made().series(system))]
    ratio = made().ratio(series[0], series[1], "time_to_proof", 1)
    values = [made().value(one, "time_to_proof", 1) for one in series]
    assert ratio is not None
    assert values[0] is not None
    assert values[1] is not None
    widest = quotient(values[0], values[1])
    assert widest.low < ratio.low < ratio.value < ratio.high < widest.high


def test_every_time_in_prose_has_its_interval_and_says_over_how_many_invocations() -> None:
    for sentence in (single(made()), batching(made())):
        assert re.findall(r"\d\u202f[mµn]?s\b", sentence)
        assert not re.search(r"\d\u202f[mµn]?s\b(?! \[)", sentence), sentence
    assert "rest on 6 invocations a configuration" in measured(made())
    known = range_numbers(made())
    assert known["range.invocations.fewest"].text == known["range.invocations.most"].text


def test_every_table_figure_and_sentence_has_something_to_show() -> None:
    for name, table in TABLES.items():
        assert table(made()).rows, name
        assert table(made()).latex().startswith(r"\begin{tabular}"), name
    assert draw_ranges(made()).keys() == FIGURES.keys()
    for name, figure in FIGURES.items():
        assert figure(made()) is not None, name
    for name, sentence in PROSE.items():
        assert sentence(made()).endswith("."), name


def test_a_run_of_another_statement_is_refused() -> None:
    records = made_records([Made("one", lambda _: 1.0)], (15,), blocks=3)
    with pytest.raises(NoRangesError, match="is none of range"):
        range_results(results_of(Run(records, {"name": "other"}), analyse(records)))


@pytest.mark.parametrize("part", ["sections", "supplement"])
def test_every_key_table_and_figure_of_paper_and_supplement_exists(part: str) -> None:
    files = sorted((layout.root() / "paper" / part).glob("range-proofs*.tex"))
    text = "\n".join(path.read_text("utf-8") for path in files)
    used = keys(text)
    assert used
    # A table of the main run is named beside those of ranges.
    assert used <= set(range_numbers(made())) | {"rows.batch-verification"}
    tables = set(re.findall(r"\\generatedtable\{([^}]+)\}", text))
    assert tables or part == "sections"
    assert tables <= {f"ranges/{name}" for name in TABLES}
    figures = set(re.findall(r"\\generatedfigure\{([^}]+)\}", text))
    assert figures
    assert figures <= {f"ranges/{name}" for name in FIGURES}
