"""Bits of security: ours follow from the theorems, the library's are met to the bit."""

import math
import time
import warnings
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from nizkbench.security import (
    DIGEST_BITS,
    EXTENSION_DEGREES,
    FIELD_ORDERS,
    MIMC,
    NOTIONS,
    STEPS,
    Air,
    explain,
    library_bits,
    of_configuration,
    security,
)
from tests.stark_proofs import AS_PUBLISHED, DEFAULT, drawn_cells, prove

KINDS = {
    "conjectured": "conjectured",
    "proven-unique-decoding": "udr",
    "proven-list-decoding": "ldr",
}

#: Anywhere in the ranges of the options, far beyond what a test could prove.
WIDE = drawn_cells(
    4000,
    seed=3,
    rounds=[2**k - 1 for k in range(3, 15)],
    blowups=[2, 4, 8, 16, 32, 64, 128],
    grinding=range(33),
)

P1 = pl.DataFrame([DEFAULT])


def bits(cells: pl.DataFrame, notion: str) -> np.ndarray:
    return security(cells)[f"{notion}_bits"].to_numpy()


@pytest.mark.slow
def test_library_is_met_to_the_bit_over_the_grid() -> None:
    cells = drawn_cells(
        200,
        seed=1,
        rounds=[7, 15, 31, 63, 255, 1023],
        blowups=[2, 4, 8, 16, 32],
        grinding=[0, 1, 5, 9, 12],
    )
    # The extremes too, and blowups that cost a while.
    edges = [
        DEFAULT,
        DEFAULT | {"queries": 1, "grinding": 0},
        DEFAULT | {"queries": 27, "grinding": 12},
        DEFAULT | {"queries": 26, "grinding": 12},
        DEFAULT | {"queries": 254, "blowup": 128, "extension": "quadratic"},
        DEFAULT | {"queries": 254, "rounds": 4095, "blowup": 2, "extension": "quadratic"},
        DEFAULT | {"queries": 254, "extension": "quadratic", "hash": "blake3-192"},
        DEFAULT | {"rounds": 7, "queries": 15, "blowup": 2, "folding": 2},
    ]
    cells = pl.concat([cells, pl.DataFrame(edges)])
    assert_library_says(cells, {}, MIMC)


@pytest.mark.slow
def test_library_is_met_to_the_bit_for_another_air() -> None:
    cells = drawn_cells(60, seed=17, rounds=[15, 63, 255], blowups=[2, 4, 8, 16], grinding=[0, 7])
    assert_library_says(cells, AS_PUBLISHED, Air(width=3, constraints=5, degree=3))


def assert_library_says(cells: pl.DataFrame, variant: dict[str, str], air: Air) -> None:
    _, said = prove(cells, samples=1, variant=variant)
    ours = library_bits(cells, air).with_row_index("cell")
    for kind, notion in KINDS.items():
        theirs = said.filter(pl.col("kind") == kind).sort("cell")
        assert theirs.height == cells.height
        wrong = ours.with_columns(said=theirs["bits"]).filter(
            pl.col("said") != pl.col(f"library_{notion}")
        )
        assert wrong.is_empty(), wrong


def test_every_difference_from_the_library_is_explained() -> None:
    changes = (
        explain(WIDE)
        .group_by("cell", "notion")
        .agg(pl.col("ours", "library").first(), pl.col("change").sum())
    )
    assert changes.height == WIDE.height * len(NOTIONS)
    gap = (changes["ours"] + changes["change"] - changes["library"]).abs().max()
    assert isinstance(gap, float)
    assert gap < 1e-9
    ours, library = security(WIDE), library_bits(WIDE)
    for notion in NOTIONS:
        of = changes.filter(pl.col("notion") == notion).sort("cell")
        assert (of["ours"] == ours[f"{notion}_bits"]).all()
        assert (of["library"] == library[f"library_{notion}"]).all()


def test_no_difference_is_named_that_never_shows() -> None:
    shown = explain(WIDE).group_by("step").agg(pl.col("change").abs().max())
    largest = dict(shown.iter_rows())
    assert set(largest) == {step.name for step in STEPS}
    never = {name for name, change in largest.items() if change == 0}
    # Out-of-domain and folding errors are below that of batching, whichever way they are bounded.
    assert never == {"folding in list decoding", "pairs of candidates"}


def test_default_of_earlier_work() -> None:
    row = security(P1).row(0, named=True)
    # 42 · 3 + 16 bits of queries and grinding are more than the 128 bits of the field.
    assert row["conjectured_bits"] == pytest.approx(127)
    assert row["conjectured_limit"] == "challenge field"
    assert row["udr_bits"] == pytest.approx(16 - 42 * math.log2((1 + 258 / 2048) / 2))
    assert row["udr_limit"] == "queries"
    m = row["ldr_m"]
    assert row["ldr_bits"] == pytest.approx(16 - 42 * math.log2(8**-0.5 * (1 + 1 / (2 * m))))
    library = library_bits(P1).row(0, named=True)
    assert [library[f"library_{notion}"] for notion in NOTIONS] == [127, 50, 76]


def proven_by_fractions(cell: dict[str, object], air: Air, m: int | None) -> dict[str, float]:
    """The errors of the rounds in exact arithmetic but for square roots, each as bits.

    Unique decoding without an m. Written from the theorems once more, one cell at a time.
    """
    length = int(str(cell["rounds"])) + 1
    blowup, folding = int(str(cell["blowup"])), int(str(cell["folding"]))
    queries, grinding = int(str(cell["queries"])), int(str(cell["grinding"]))
    domain = length * blowup
    field = FIELD_ORDERS[str(cell["field"])] ** EXTENSION_DEGREES[str(cell["extension"])]
    space = Fraction(min(field, round(2 ** DIGEST_BITS[str(cell["hash"])])))
    wide = Fraction(length + 2, domain)
    if m is None:
        agreement, candidates = (1 + wide) / 2, Fraction(1)
        line = folded = Fraction(domain)
        weighted = Fraction(domain + 1)
    else:
        agreement = Fraction((1 + 1 / (2 * m)) * blowup**-0.5)
        candidates = (agreement - wide) / (agreement**2 - wide)
        line = Fraction((2 * m + 1) ** 7, 3 * 2**7) * Fraction(blowup**1.5) * domain**2
        folded = line / folding**2
        weighted = Fraction((2 * m + 1) * (domain + 1)) * Fraction(blowup**0.5)
    roots = max(
        # transitions, assertions, composition: each over X^T − 1
        air.degree * (length + 1) + 1,
        (length + 1) + (length - 1),
        (air.degree - 2) * length + (length + 1) + length,
    )
    batched = air.width + air.degree - 1
    errors = {
        "constraints": candidates
        * (1 if cell["batching_constraints"] == "linear" else air.constraints - 1),
        "out-of-domain": candidates * (roots + 1) + domain + length,
        "batching": line * (1 if cell["batching_deep"] == "linear" else batched - 1),
        "folding": (folding - 1) * (max(folded, weighted) if m is not None else weighted),
    }
    found = {name: _bits(space) - _bits(error) for name, error in errors.items()}
    if length <= int(str(cell["remainder_max_degree"])) + 1:
        del found["folding"]
    found["queries"] = grinding - queries * _bits(agreement)
    found["collisions"] = DIGEST_BITS[str(cell["hash"])] / 2
    return found


def _bits(number: Fraction) -> float:
    return math.log2(number.numerator) - math.log2(number.denominator)


@pytest.mark.parametrize("air", [MIMC, Air(width=40, constraints=1 << 24, degree=7)])
def test_proven_bits_are_those_of_the_theorems_in_exact_arithmetic(air: Air) -> None:
    for row in security(WIDE[:600], air).iter_rows(named=True):
        for notion, m in (("udr", None), ("ldr", row["ldr_m"])):
            rounds = proven_by_fractions(row, air, m)
            bits = row[f"{notion}_bits"]
            assert bits == pytest.approx(max(min(rounds.values()), 0), abs=1e-6)
            assert max(rounds[row[f"{notion}_limit"]], 0) == pytest.approx(bits, abs=1e-6)


def test_no_other_m_proves_more() -> None:
    for row in security(WIDE[:150]).iter_rows(named=True):
        length = row["rounds"] + 1
        most = math.ceil(1 / (2 * (math.sqrt((length + 2) / length) - 1)))
        tried = range(3, min(most, 400))
        best = max(min(proven_by_fractions(row, MIMC, m).values()) for m in tried)
        assert row["ldr_bits"] >= best - 1e-6


def test_conjectured_bits_are_the_least_of_queries_field_and_hash() -> None:
    for row in security(WIDE).iter_rows(named=True):
        queries = row["queries"] * math.log2(row["blowup"]) + row["grinding"] - 1
        field = EXTENSION_DEGREES[row["extension"]] * math.log2(FIELD_ORDERS[row["field"]])
        digest = DIGEST_BITS[row["hash"]]
        expected = min(queries, min(field, digest) - 1, digest / 2)
        assert row["conjectured_bits"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("notion", NOTIONS)
def test_what_costs_an_attacker_more_is_never_rated_less(notion: str) -> None:
    before = bits(WIDE, notion)
    harder = {
        "queries": pl.col("queries") + 1,
        "grinding": pl.col("grinding") + 1,
        "batching_constraints": pl.lit("linear"),
        "batching_deep": pl.lit("linear"),
        "extension": pl.lit("quadratic"),
    }
    for name, harder_value in harder.items():
        at = WIDE["extension"] == "none" if name == "extension" else WIDE["rounds"] > 0
        after = bits(WIDE.with_columns(harder_value.alias(name)), notion)
        assert (after - before)[at.to_numpy()].min() >= -1e-9, name


def test_proven_bits_do_not_exceed_conjectured_ones() -> None:
    found = security(WIDE)
    least_loss = (
        found["conjectured_bits"]
        - found.select(pl.max_horizontal("udr_bits", "ldr_bits")).to_series()
    ).min()
    # The conjecture takes one bit off, which the theorems, counting round by round, do not.
    assert isinstance(least_loss, float)
    assert least_loss >= -1


def test_ten_thousand_cells_take_less_than_a_second() -> None:
    cells = pl.concat([WIDE] * 3)
    started = time.monotonic()
    security(cells)
    library_bits(cells)
    assert time.monotonic() - started < 1


def test_plonky3_is_rated_as_its_library_rates_it() -> None:
    # `LegacySecurity` and `ProvenSecurity` of p3-uni-stark 0.8.0 at 4095 rounds: integers, and in
    # list decoding after a sharper bound than BCIKS20.
    options = {
        "queries": 128,
        "blowup": 2,
        "grinding": 0,
        "folding_grinding": 0,
        "folding": 4,
        "remainder_max_degree": 0,
        "hash": "blake3-256",
        "rounds_per_row": 16,
    }
    bits = of_configuration("plonky3/stark/koalabear-4", 4095, options)
    assert bits["conjectured"] == 127
    assert bits["udr"] == pytest.approx(52.5, abs=1)
    assert bits["ldr"] == pytest.approx(62, abs=3)
    more = of_configuration("plonky3/stark/koalabear-4", 4095, options | {"queries": 142})
    assert more["conjectured"] == 128


def test_trace_too_short_for_list_decoding_is_proven_no_bits_by_it() -> None:
    options = {"queries": 142, "blowup": 2, "grinding": 0, "folding_grinding": 0, "folding": 4}
    rest = {"remainder_max_degree": 0, "hash": "blake3-256", "rounds_per_row": 16}
    # 64 rounds, 16 to a row, are four rows: no m from 3 on leaves α² above ρ⁺.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of_four_rows = of_configuration("plonky3/stark/koalabear-4", 63, options | rest)
        of_eight_rows = of_configuration("plonky3/stark/koalabear-4", 127, options | rest)
        short = security(P1.with_columns(rounds=pl.lit(3)))
    assert of_four_rows["ldr"] == 0
    assert of_four_rows["conjectured"] > of_four_rows["udr"] > 0
    assert of_eight_rows["ldr"] > 0
    assert short.select("ldr_bits", "ldr_limit", "ldr_m").row(0) == (0, "constraints", None)


def test_what_is_no_stark_has_no_bits_of_one() -> None:
    assert of_configuration("bellman/groth16/bls12-381", 4095, {}) == {}
