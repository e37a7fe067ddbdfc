"""Scaling: exponents and models are those that the values were made with."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nizkbench.estimate import exact_values, invocation_values
from nizkbench.records import Records
from nizkbench.scaling import BLOCKWISE, NO_INTERVAL, PADDED, compare_models, scaling, slopes
from tests.measured import Made, made_records

SIZES = np.array([16.0, 64.0, 256.0, 1024.0, 4096.0])


def grown(records: Records, metric: str = "prove") -> dict[str, object]:
    rows = scaling(invocation_values(records), exact_values(records), records.configurations)
    return rows.filter(pl.col("metric") == metric).row(0, named=True)


def number(value: object) -> float:
    assert isinstance(value, float)
    return value


def best(values: np.ndarray[tuple[int], np.dtype[np.float64]], spread: float = 0.01) -> str:
    noise = np.exp(np.random.default_rng(1).normal(0, spread, (10, len(SIZES))))
    compared = compare_models(np.tile(SIZES, 10), (values * noise).ravel())
    return min(compared, key=lambda name: compared[name][0])


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_exponent_of_a_power_law_lies_in_its_interval(exponent: float) -> None:
    made = Made("a", lambda n: 0.01 * (n + 1) ** exponent, padded="trace_length")
    row = grown(made_records([made]))
    assert number(row["low"]) < exponent < number(row["high"])
    assert number(row["high"]) - number(row["low"]) < 0.03
    assert (row["over"], row["method"], row["points"]) == ("trace_length", BLOCKWISE, 5)
    assert number(row["r_squared"]) > 0.99


def test_noise_that_a_block_shares_does_not_widen_the_interval() -> None:
    made = Made("a", lambda n: 0.01 * n)
    calm, rough = (grown(made_records([made], shared=shared)) for shared in (0.0, 0.5))
    widths = [number(row["high"]) - number(row["low"]) for row in (calm, rough)]
    assert widths[0] == pytest.approx(widths[1], rel=0.01)


@pytest.mark.parametrize("counter", PADDED)
def test_exponent_is_one_over_the_padded_size_where_the_runner_counts_it(counter: str) -> None:
    # Padded to twice n + 1, and to four times from 1023 on, as a longer circuit may be.
    def padded(n: int) -> float:
        return (4.0 if n >= 1023 else 2.0) * (n + 1)

    made = Made("a", lambda n: 0.01 * padded(n), padded=counter)
    records = made_records([made])
    rounds = pl.col("configuration").str.split("/").list.last().cast(pl.Int64)
    counters = records.counters.with_columns(
        pl.when(pl.col("name") == counter)
        .then(rounds.map_elements(padded, return_dtype=pl.Float64))
        .otherwise("value")
        .alias("value")
    )
    row = grown(replace(records, counters=counters))
    assert row["over"] == counter
    assert number(row["low"]) < 1 < number(row["high"])
    assert number(row["high"]) - number(row["low"]) < 0.03


def test_exponent_has_no_interval_where_no_block_has_every_size() -> None:
    records = made_records([Made("a", lambda n: 0.01 * n)], blocks=10)
    ordered = records.invocations.with_columns(pl.col("configuration").rank("dense").alias("rank"))
    torn = ordered.filter(pl.col("block") % 5 != pl.col("rank") - 1).drop("rank")
    object.__setattr__(records, "invocations", torn)
    row = grown(records)
    assert row["method"] == NO_INTERVAL
    assert (row["low"], row["high"], row["level"]) == (None, None, None)
    assert number(row["exponent"]) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("constant", np.full(5, 3.0)),
        ("logarithmic", 2 + np.log2(SIZES)),
        ("linear", 100 + 2 * SIZES),
        ("n log n", SIZES * np.log2(SIZES)),
        ("power", SIZES**1.7),
    ],
)
def test_model_that_made_the_values_is_the_best(
    name: str, values: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> None:
    assert best(values) == name
    assert best(values, spread=0.0) in {name, "linear"} if name == "power" else name


def test_time_of_verifying_that_does_not_grow_is_constant() -> None:
    row = grown(made_records([Made("a", lambda n: n)]), "verify")
    assert row["best_model"] == "constant"
    assert number(row["low"]) < 0 < number(row["high"])


def test_exact_size_has_an_exact_exponent() -> None:
    made = Made("a", lambda n: n, proof_bytes=lambda n: 48 * (n + 1), padded="multipliers_padded")
    row = grown(made_records([made]), "size_proof_compressed")
    assert row["exponent"] == pytest.approx(1)
    assert (row["low"], row["high"], row["method"]) == (row["exponent"], row["exponent"], "exact")


def test_constant_size_has_exponent_zero() -> None:
    row = grown(made_records([Made("a", lambda n: n)]), "size_proof_compressed")
    assert (row["exponent"], row["best_model"], row["r_squared"]) == (0, "constant", 1)


def test_one_size_has_no_exponent_and_three_have_no_model() -> None:
    made = Made("a", lambda n: n)
    one_size = made_records([made], [15])
    values, exact = invocation_values(one_size), exact_values(one_size)
    assert scaling(values, exact, one_size.configurations).is_empty()
    row = grown(made_records([made], [15, 63, 255]))
    assert row["best_model"] is None
    assert row["exponent"] is not None


@settings(deadline=None)
@given(
    st.lists(st.floats(1.0, 1e9), min_size=5, max_size=5),
    st.floats(1e-6, 1e6),
    st.floats(1e-3, 1e3),
)
def test_exponent_depends_on_no_unit(values: list[float], unit: float, size_unit: float) -> None:
    plain = slopes(SIZES, np.array([values]))
    scaled = slopes(SIZES * size_unit, np.array([values]) * unit)
    assert scaled == pytest.approx(plain, abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(1.0, 1e3), min_size=20, max_size=20), st.floats(1e-3, 1e6))
def test_choice_of_model_depends_on_no_unit(values: list[float], unit: float) -> None:
    sizes = np.tile(SIZES, 4)
    plain = compare_models(sizes, np.array(values))
    scaled = compare_models(sizes, np.array(values) * unit)
    for name, (aicc, *_) in plain.items():
        assert scaled[name][0] == pytest.approx(aicc, abs=1e-3), name
