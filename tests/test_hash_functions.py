"""The experiment on hash functions: what its profile asks for, and a small one carried out."""

from pathlib import Path
from typing import Any

import pytest

from nizkbench.analysis import analyse
from nizkbench.hash_results import NATIVE, ZOKRATES, HashResults
from nizkbench.measure import failures, measure
from nizkbench.messages import Build, Describe, Library
from nizkbench.plan import configurations
from nizkbench.profile import HashFunctions, ProfileError
from nizkbench.results import results_of
from nizkbench.runner import Offer, Runner
from tests.test_statements import system

SYSTEM = "toy/nothing/bn254"


def parameters(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any parameter
    return {
        "seed": "ab" * 32,
        "bytes": [32, 64],
        "threads": ["one"],
        "blocks": {"minimum": 3, "maximum": 3, "target_half_width": 0.5, "seconds": 600.0},
        "samples": {"warmup": 0, "minimum": 1, "maximum": 1, "seconds": 0.1},
        "limits": {"timeout_seconds": 120.0, "memory_bytes": 8_000_000_000},
        "bit_flips": 2,
        "series": [series()],
        "speed": {"blocks": 3, "samples": 3, "leaves_log2": 4},
    } | changes


def series(name: str = SYSTEM, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any member
    return {"track": "main", "system": name, "functions": ["sha256", "poseidon"]} | changes


def offers(*functions: str) -> dict[str, Offer]:
    described = Describe(
        protocol=1,
        runner="toy",
        library=Library("toy", "1.0.0"),
        build=Build("any", "release", (), "generic"),
        systems=(system(*functions),),
    )
    return {
        SYSTEM: Offer(Runner("toy", "python", Path(), "nizk-toy"), described, system(*functions))
    }


def test_a_series_is_a_line_for_each_of_its_functions() -> None:
    experiment = HashFunctions.of(parameters())
    planned = configurations(experiment, offers("sha256", "poseidon"), 2)
    assert [(one.variant["function"], one.size) for one in planned] == [
        ("sha256", 32),
        ("sha256", 64),
        ("poseidon", 32),
        ("poseidon", 64),
    ]
    assert {one.series for one in planned} == {
        "toy none BN254, sha256",
        "toy none BN254, poseidon",
    }
    request = planned[0].request("a", bytes(32), stop=None)  # type: ignore[arg-type]
    assert (request.statement, request.size) == ("hash-preimage", {"bytes": 32})
    row = planned[0].row(offers("sha256", "poseidon")[SYSTEM])
    assert (row["statement"], row["size_name"], row["size"]) == ("hash-preimage", "bytes", 32)


@pytest.mark.parametrize(
    ("maximum", "sizes"),
    [
        (32, {"sha256": {32}, "poseidon": {32}}),
        ({"sha256": 32}, {"sha256": {32}, "poseidon": {32, 64}}),
    ],
)
def test_sizes_are_cut_off_for_all_functions_or_for_some(
    maximum: int | dict[str, int], sizes: dict[str, set[int]]
) -> None:
    experiment = HashFunctions.of(parameters(series=[series(bytes_maximum=maximum)]))
    found: dict[str, set[int]] = {}
    for line in experiment.lines():
        found[line.variant["function"]] = set(line.sizes)
    assert found == sizes


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"series": [series(bytes_maximum={"sha3-256": 32})]}, "names sha3-256, which is none"),
        ({"series": [series(functions=["sha256", "sha256"])]}, "functions names a value twice"),
        ({"bytes": [0]}, "bytes"),
        ({"bytes": [5000]}, "bytes"),
        ({"speed": {"blocks": 3, "samples": 3, "leaves_log2": 40}}, "leaves_log2"),
        ({"hashes": ["md5"]}, "hashes"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ProfileError, match=words):
        HashFunctions.of(parameters(**changes))


def test_a_size_too_small_for_every_function_is_refused() -> None:
    experiment = HashFunctions.of(parameters(series=[series(bytes_maximum=16)]))
    with pytest.raises(ProfileError, match="sha256\\) has no bytes left under 16"):
        experiment.lines()


def test_a_function_that_a_system_lacks_is_refused() -> None:
    experiment = HashFunctions.of(parameters())
    with pytest.raises(ProfileError, match="variant function is poseidon, legal are sha256"):
        configurations(experiment, offers("sha256"), 2)


def test_a_system_that_does_not_prove_the_statement_is_refused() -> None:
    experiment = HashFunctions.of(parameters(series=[series("other/nothing/bn254")]))
    with pytest.raises(ProfileError, match="no runner offers this system"):
        configurations(experiment, offers("sha256"), 2)


@pytest.mark.slow
def test_zokrates_and_the_native_prover_prove_the_same_circuits(tmp_path: Path) -> None:
    functions = ["mimc-7"]
    wanted = HashFunctions.of(
        parameters(
            bytes=[32, 120],
            series=[series(ZOKRATES, functions=functions), series(NATIVE, functions=functions)],
        )
    )
    run = measure("small", wanted, folder=tmp_path / "run")
    assert failures(run.records) == {}
    results = HashResults(results_of(run, analyse(run.records)))
    for function in functions:
        there, here = results.series(ZOKRATES, function), results.series(NATIVE, function)
        assert there is not None
        assert here is not None
        assert results.sizes(here, "time_to_proof") == ()  # its witnesses are made elsewhere
        for size in (32, 120):
            assert results.constraints(there, size) == results.constraints(here, size)
            gain = results.native_gain(function, size)
            assert gain is not None
            assert gain.value > 1.5  # several times, where nothing else is running
    # Every known answer was one: the digests of both are those of the reference.
    checks = run.records.checks.filter(check="known-answer")
    assert checks.height == 4
    assert checks["passed"].all()
