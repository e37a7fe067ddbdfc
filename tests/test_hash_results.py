"""The analysis of hash functions says what is true of made-up ones, and no more."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import polars as pl
import pytest

from nizkbench.analysis import analyse
from nizkbench.hash_results import (
    NATIVE,
    UNCOMPILED,
    ZOKRATES,
    Bound,
    HashResults,
    NoHashFunctionsError,
)
from nizkbench.quantities import Quantity
from nizkbench.records import SCHEMAS, Records, Run
from nizkbench.results import Results, results_of
from tests.measured import Made, made_records

SIZES = (32, 64, 128, 256)
BELLMAN = "bellman/groth16/bls12-381"

#: Constraints a byte, and what a constraint takes to prove, in ms; the field's function costs more
#: below 40 bytes, for it has a constant term.
CONSTRAINTS = {"sha256": (0, 440), "blake2s": (10_000, 300), "poseidon": (14_000, 10)}
MS_A_CONSTRAINT = {ZOKRATES: 0.1, NATIVE: 0.01, BELLMAN: 0.02}


def count(function: str, size: int) -> int:
    constant, slope = CONSTRAINTS[function]
    return constant + slope * size


def proving(function: str, price: float) -> Callable[[int], float]:
    return lambda size: count(function, size) * price


def series(system: str, function: str) -> str:
    return f"{system.partition('/')[0]} Groth16, {function}"


#: The standard library's circuit of SHA-256: as many constraints, whose terms grow with the square
#: of the message, and a prover that takes its time for each of them.
LIBRARY = "zokrates-native Groth16, sha256, library"


def terms(size: int, library: bool) -> int:
    """Terms of a circuit of SHA-256."""
    return 55 * size**2 if library else 10 * count("sha256", size)


#: The one that ran out of memory: compiled to no end in WebAssembly.
LOST = (series(ZOKRATES, "sha256"), 256)


@cache
def run() -> Run:
    wanted = [
        Made(
            series(system, function),
            proving(function, price),
            system=system,
        )
        for system, price in MS_A_CONSTRAINT.items()
        for function in CONSTRAINTS
        if (system, function) != (BELLMAN, "poseidon")
    ]
    wanted.append(Made(LIBRARY, lambda size: terms(size, True) * 0.001, system=NATIVE))
    records = made_records(wanted, SIZES, blocks=6, samples=2, spread=0.01)
    functions = {one.series: one.series.split(", ")[1] for one in wanted}
    message = (
        pl.when(pl.col("system") == BELLMAN)
        .then(pl.lit(""))
        .when(pl.col("series") == LIBRARY)
        .then(pl.lit(",gadget=standard-library,message=bytes"))
        .otherwise(pl.lit(",gadget=embedded,message=bytes"))
    )
    function = pl.col("series").replace_strict(functions)
    backend = pl.when(pl.col("system") == ZOKRATES).then(pl.lit('{"backend":"ark"}'))
    configurations = records.configurations.with_columns(
        statement=pl.lit("hash-preimage"),
        size_name=pl.lit("bytes"),
        variant=pl.concat_str(pl.lit("function="), function, message),
        options=backend.otherwise(pl.lit("{}")),
    )
    done = records.invocations.select("configuration", "invocation").join(
        configurations.select("configuration", "series", "size"), on="configuration"
    )
    counted = {(one, size): count(name, size) for one, name in functions.items() for size in SIZES}
    constraints = pl.Series([counted[row] for row in done.select("series", "size").iter_rows()])
    counters = done.select(
        "configuration",
        "invocation",
        name=pl.lit("constraints"),
        value=constraints.cast(pl.Float64),
        sample=pl.lit(None, pl.Int32),
    )
    of_native = done.filter(pl.col("series").is_in([series(NATIVE, "sha256"), LIBRARY]))
    counted_terms = of_native.select(
        "configuration",
        "invocation",
        name=pl.lit("terms"),
        value=pl.struct("series", "size").map_elements(
            lambda row: float(terms(row["size"], row["series"] == LIBRARY)),
            return_dtype=pl.Float64,
        ),
        sample=pl.lit(None, pl.Int32),
    )
    keys = done.select(
        "configuration",
        "invocation",
        of=pl.lit("proving_key"),
        encoding=pl.lit("native"),
        bytes=(constraints * 400).cast(pl.Int64),
        sample=pl.lit(None, pl.Int32),
    )
    return Run(
        _lost(
            replace(
                records,
                configurations=configurations,
                counters=_typed("counters", records.counters, counters, counted_terms),
                sizes=_typed("sizes", records.sizes, keys),
            )
        ),
        {"name": "made"},
    )


def _typed(name: str, *frames: pl.DataFrame) -> pl.DataFrame:
    schema = SCHEMAS[name]
    return pl.concat(
        frame.select(pl.col(column).cast(kind) for column, kind in schema.items())
        for frame in frames
    )


def _lost(records: Records) -> Records:
    """The records with one configuration out of memory."""
    chosen = records.configurations.filter(
        (pl.col("series") == LOST[0]) & (pl.col("size") == LOST[1])
    )["configuration"][0]
    is_it = pl.col("configuration") == chosen
    said = pl.when(is_it)
    invocations = records.invocations.with_columns(
        outcome=said.then(pl.lit("out-of-memory")).otherwise("outcome"),
        message=said.then(pl.lit("compiling sha256 of 256 bytes\n ran out")).otherwise("message"),
        memory_bytes=said.then(pl.lit(3_500_000_000)).otherwise("memory_bytes"),
    )
    return replace(
        records,
        invocations=invocations,
        samples=records.samples.filter(~is_it),
        sizes=records.sizes.filter(~is_it),
        counters=records.counters.filter(~is_it),
    )


@pytest.fixture(scope="module")
def results() -> HashResults:
    made = run()
    return HashResults(results_of(made, analyse(made.records)))


def row(results: HashResults, series: str, metric: str) -> Mapping[str, Any]:
    found = results.growth_of(series, metric)
    assert found is not None
    return found


def test_records_of_another_statement_are_refused() -> None:
    made = run()
    others = made.records.configurations.with_columns(statement=pl.lit("mimc-preimage"))
    records = replace(made.records, configurations=others)
    with pytest.raises(NoHashFunctionsError, match="not of the experiment on hash functions"):
        HashResults(results_of(Run(records, made.manifest), analyse(records)))


def test_a_series_is_found_by_system_function_and_options(results: HashResults) -> None:
    assert results.series(ZOKRATES, "sha256", options={"backend": "ark"}) == LOST[0]
    assert results.series(ZOKRATES, "sha256", options={"backend": "bellman"}) is None
    assert results.series(ZOKRATES, "sha256", message="elements") is None
    assert results.series(BELLMAN, "blake2s") == series(BELLMAN, "blake2s")  # without a variant
    assert results.series(BELLMAN, "poseidon") is None


def test_constraints_grow_by_what_a_byte_costs(results: HashResults) -> None:
    found = row(results, series(NATIVE, "blake2s"), "constraints")
    assert found["per_byte"] == pytest.approx(300)
    assert found["constant_term"] == pytest.approx(10_000)
    assert found["r_squared"] == pytest.approx(1)
    assert (found["smallest"], found["largest"], found["points"]) == (32, 256, 4)
    proportional = row(results, series(NATIVE, "sha256"), "constraints")
    assert proportional["exponent"] == pytest.approx(1)


def test_the_time_of_another_byte_has_an_interval_over_blocks(results: HashResults) -> None:
    name = series(BELLMAN, "sha256")
    found = results.per_byte(name)
    assert found is not None
    assert found.unit == "ns"
    assert found.low < 440 * 0.02 * 1e6 < found.high
    assert (found.high - found.low) / found.value < 0.2
    assert row(results, name, "time_to_proof")["blocks"] == 6


def test_growth_ends_at_the_largest_size_that_was_measured(results: HashResults) -> None:
    found = row(results, LOST[0], "time_to_proof")
    assert (found["largest"], found["points"]) == (128, 3)


def test_a_crossover_lies_between_the_sizes_that_tell_of_it(results: HashResults) -> None:
    of_native = results.crossovers.filter(pl.col("system") == NATIVE)
    # 440 n = 10 000 + 300 n at 71.4 bytes; 440 n = 14 000 + 10 n at 32.6, close to the first size.
    exact = of_native.filter(
        (pl.col("metric") == "constraints")
        & (pl.col("cheaper_below") == "sha256")
        & (pl.col("cheaper_above") == "blake2s")
    ).row(0, named=True)
    assert (exact["between"], exact["and"]) == (64, 128)
    assert exact["bytes"] == pytest.approx(71.4, rel=0.05)
    assert exact["bytes_low"] is None  # constraints do not vary
    timed = of_native.filter(
        (pl.col("metric") == "prove") & (pl.col("cheaper_above") == "blake2s")
    ).row(0, named=True)
    assert timed["bytes_low"] < exact["bytes"] < timed["bytes_high"]
    assert timed["blocks"] == 6


def test_a_crossover_is_found_beyond_sizes_that_tell_nothing(
    results: HashResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Results.ratio

    def undecided(
        of_run: Results, above: str, below: str, metric: str, size: int, threads: str | None = None
    ) -> Quantity | None:
        """At 64 bytes no function is told from another."""
        found = honest(of_run, above, below, metric, size, threads)
        return found if found is None or size != 64 else replace(found, low=0.9, high=1.1)

    monkeypatch.setattr(Results, "ratio", undecided)
    found = HashResults(results.results).crossovers.filter(
        (pl.col("system") == NATIVE)
        & (pl.col("metric") == "prove")
        & (pl.col("cheaper_above") == "blake2s")
    )
    assert found.select("cheaper_below", "between", "and").rows() == [("sha256", 32, 128)]


def test_what_never_crosses_has_no_crossover(results: HashResults) -> None:
    found = results.crossovers
    pairs = set(found.select("cheaper_below", "cheaper_above").iter_rows())
    assert ("poseidon", "blake2s") not in pairs
    assert found.filter(pl.col("between") >= pl.col("and")).is_empty()


def test_the_native_prover_is_compared_on_the_same_circuit(results: HashResults) -> None:
    gain = results.native_gain("sha256", 128)
    assert gain is not None
    assert gain.low < 10 < gain.high
    assert gain.high / gain.low < 1.1
    assert results.native_gain("sha256", 256) is None  # WebAssembly ran out of memory there
    large = results.compared_natively()
    assert {(function, size) for function, size, _ in large} == {
        ("sha256", 64),
        ("sha256", 128),
        ("blake2s", 64),
        ("blake2s", 128),
        ("blake2s", 256),
    }


def test_functions_over_a_field_are_held_against_those_that_have_a_rival(
    results: HashResults,
) -> None:
    # In WebAssembly SHA-256 of 256 bytes ran out of memory, and BLAKE2s is alone there.
    assert [size for size, *_ in results.friendly_gains(ZOKRATES, "prove")] == [32, 64, 128, 256]
    assert [size for size, *_ in results.contested_gains(ZOKRATES, "prove")] == [32, 64, 128]
    assert [size for size, *_ in results.contested_gains(NATIVE, "prove")] == [32, 64, 128, 256]


def test_the_cheapest_over_bytes_is_that_of_every_size(results: HashResults) -> None:
    assert results.cheapest_over_bytes(NATIVE, "prove") == [
        (32, ("sha256",)),
        (64, ("sha256",)),
        (128, ("blake2s",)),
        (256, ("blake2s",)),
    ]
    assert results.cheapest_over_bytes(ZOKRATES, "prove")[-1] == (256, ("blake2s",))


def test_a_function_of_the_field_is_held_against_the_best_of_the_others(
    results: HashResults,
) -> None:
    found = results.friendly_gain(NATIVE, 256)
    assert found is not None
    conventional, friendly, ratio = found
    assert (conventional, friendly) == ("blake2s", "poseidon")
    assert ratio.low < count("blake2s", 256) / count("poseidon", 256) < ratio.high
    assert results.friendly_gain(BELLMAN, 256) is None  # it has none over a field


@pytest.mark.parametrize(
    ("limit", "bound", "size"),
    [
        (400 * count("sha256", 128), Bound.MEASURED, 128),
        (400 * count("sha256", 256), Bound.AT_LEAST, 256),
        (1_000, Bound.NONE, None),
    ],
)
def test_what_fits_is_a_size_that_was_measured(
    results: HashResults, limit: int, bound: Bound, size: int | None
) -> None:
    found = results.fits(series(NATIVE, "sha256"), limit)
    assert found is not None
    assert (found.bound, found.size) == (bound, size)
    assert found.next_size == {Bound.MEASURED: 256, Bound.AT_LEAST: None, Bound.NONE: 32}[bound]


def test_running_out_of_memory_is_a_row_with_its_size(results: HashResults) -> None:
    (failure,) = results.failures
    assert (failure.series, failure.size) == LOST
    assert (failure.function, failure.system) == ("sha256", ZOKRATES)
    assert failure.outcome == "out-of-memory"
    assert failure.message == "compiling sha256 of 256 bytes ran out"
    assert failure.memory_bytes == 3_500_000_000
    assert results.lost(LOST[0]) == {256: "out-of-memory"}
    assert results.ended_by(LOST[0]) == (256, "out-of-memory")
    assert results.ended_by(series(NATIVE, "sha256")) is None


def test_a_circuit_that_cannot_be_compiled_ends_the_native_prover_too(
    results: HashResults,
) -> None:
    native = (pl.col("series") == series(NATIVE, "sha256")) & (pl.col("size") == LOST[1])
    for phase, ended in (("compile", (256, UNCOMPILED)), ("setup", None)):
        said = pl.lit(f"sha256 over 256 bytes ran out of memory in phase {phase} with 4095 MiB")
        unreached = replace(
            results.results,
            estimates=results.results.estimates.filter(~native),
            invocations=results.results.invocations.with_columns(
                message=pl.when(pl.col("outcome") == "out-of-memory").then(said)
            ),
        )
        found = HashResults(unreached)
        assert found.sizes(series(NATIVE, "sha256"))[-1] == 128
        assert found.ended_by(series(NATIVE, "sha256")) == ended


def test_the_gadget_of_the_library_is_a_series_of_its_own(results: HashResults) -> None:
    assert results.main(NATIVE, "sha256") == series(NATIVE, "sha256")
    assert results.main(NATIVE, "sha256", gadget="standard-library") == LIBRARY
    assert results.main(ZOKRATES, "sha256", gadget="standard-library") is None
    assert LIBRARY not in results.functions_of(NATIVE).values()


def test_terms_are_those_of_the_same_circuit(results: HashResults) -> None:
    for name in (LOST[0], series(NATIVE, "sha256")):
        assert results.count(name, 64, "terms") == terms(64, False)
    assert results.count(LIBRARY, 64, "terms") == terms(64, True)
    assert results.count(series(BELLMAN, "sha256"), 64, "terms") is None


def test_time_that_follows_terms_grows_faster_than_the_constraints(results: HashResults) -> None:
    over = {
        counter: results.exponent_over(LIBRARY, "prove", counter)
        for counter in ("constraints", "terms")
    }
    for counter, power in (("constraints", 2), ("terms", 1)):
        found = over[counter]
        assert found is not None
        assert found.low < power < found.high


def test_what_is_linear_is_told_from_what_is_not(results: HashResults) -> None:
    for function in CONSTRAINTS:
        left = results.left_over(series(NATIVE, function))
        assert left is not None
        assert left < 1e-6
    squares = replace(
        results,
        results=replace(
            results.results,
            estimates=results.results.estimates.with_columns(
                pl.when(pl.col("metric") == "constraints")
                .then(pl.col("size").cast(pl.Float64) ** 2)
                .otherwise("value")
                .alias("value")
            ),
        ),
    )
    left = squares.left_over(series(NATIVE, "blake2s"))
    assert left is not None
    assert left > 0.1


def test_the_ratio_of_both_kinds_is_at_every_size_that_has_both(results: HashResults) -> None:
    gains = results.friendly_gains(NATIVE, "prove")
    assert [size for size, *_ in gains] == list(SIZES)
    assert [dear for _, dear, _, _ in gains] == ["sha256", "sha256", "blake2s", "blake2s"]
    assert results.friendly_gains(BELLMAN, "prove") == []
    assert results.out_of_memory(LOST[0]) == (256,)
    assert results.out_of_memory(series(NATIVE, "sha256")) == ()
