"""Every claim over whatever runs there are."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from nizkbench import layout
from nizkbench.claim_register import read_register
from nizkbench.claim_verdicts import Judged, judged, own_verdicts, read_judged
from nizkbench.claims import EXPERIMENT, Terms
from nizkbench.cli import application
from nizkbench.errors import NizkBenchError
from nizkbench.layout import recorded_beside
from nizkbench.predicates import Outcome
from nizkbench.results import Results
from tests.synthetic_results import synthetic_results

REFERENCE = layout.root() / "data" / "reference"


def test_every_claim_has_a_verdict_and_what_is_absent_says_so(results: Results) -> None:
    found = judged(results, None, None)
    assert [one.claim.key for one in found] == [claim.key for claim in read_register()]
    by_key = {one.claim.key: one for one in found}
    assert by_key["p3.1"].equal.outcome == Outcome.NOT_YET_TESTED
    assert "circuits of Keccak-256 yet" in by_key["p3.1"].equal.sentence
    assert by_key["p2.2"].equal.outcome == Outcome.NOT_MEASURED
    assert "no records of the experiment on hash functions" in by_key["p2.2"].equal.sentence
    assert "profile full" in by_key["p2.2"].equal.sentence
    assert by_key["own.4"].published is None
    assert by_key["own.4"].equal.outcome == Outcome.REPRODUCED
    for one in found:
        assert one.equal.sentence.endswith("."), one.claim.key


def test_own_claims_are_decided_by_the_register_alone(results: Results) -> None:
    found = own_verdicts({EXPERIMENT: Terms(results, "equal")})
    assert "verifying key, largest over smallest" in found["own.4"].sentence
    assert "of 2 the nearest to its bound." in found["own.4"].sentence
    decided = {one.outcome for one in found.values()}
    assert Outcome.REPRODUCED in decided
    assert all(key.startswith("own.") for key in found)


@pytest.fixture(scope="module")
def printed() -> str:
    """What the command prints of the recorded runs."""
    answer = CliRunner().invoke(application(["claims"]), ["claims", str(REFERENCE / "standard")])
    assert answer.exit_code == 0, answer.output
    return answer.output


#: Claims about a system that the recorded run of their experiment does not have yet.
AWAITED: set[str] = set()

#: Claims that the recorded run of their experiment leaves open.
OPEN = {"own.17", "own.18"}


def recorded() -> set[str]:
    """The experiments that a run is recorded of."""
    named = {"": "mimc"} | {f"-{one}": one for one in ("hash-functions", "range-proofs")}
    return {
        experiment
        for suffix, experiment in named.items()
        for profile in ("standard", "full")
        if (REFERENCE / f"{profile}{suffix}" / "manifest.json").exists()
    }


def test_command_prints_every_verdict_of_the_recorded_runs(printed: str) -> None:
    for claim in read_register():
        assert f"{claim.key.upper()}  " in printed
        assert claim.suspicion is None or f"suspected: {claim.suspicion}." in printed
    assert "as published: reproduced" in printed
    absent = sum(
        claim.experiment not in recorded() or claim.key in AWAITED
        for claim in read_register()
        if claim.decidable
    )
    assert printed.lower().count("not measured") == absent


def test_every_own_claim_but_open_ones_is_decided_by_the_recorded_runs(printed: str) -> None:
    own = printed[printed.index("OWN.1  ") :]
    assert own.count("on equal terms: reproduced") == sum(
        claim.source == "own" and claim.experiment in recorded() and claim.key not in AWAITED | OPEN
        for claim in read_register()
    )
    assert own.count("on equal terms: inconclusive") == len(OPEN)


def test_own_claim_is_not_decided_by_the_half_of_it_that_a_run_has() -> None:
    found = own_verdicts({EXPERIMENT: Terms(synthetic_results((15, 63)), "equal")})
    assert found["own.13"].outcome == Outcome.NOT_MEASURED
    assert "was not measured at 4095 rounds" in found["own.13"].sentence


def test_claim_that_a_run_cannot_decide_names_the_profile_that_can(results: Results) -> None:
    verdicts = {one.claim.key: one.equal for one in judged(results, None, None)}
    assert verdicts["own.19"].sentence.endswith("Profile standard or a larger one measures it.")


def test_runs_beside_another_profiles_run_are_not_its_own(tmp_path: Path) -> None:
    for name in ("standard", "full-range-proofs", "smoke-range-proofs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").touch()
    assert recorded_beside(tmp_path / "standard", "range-proofs") is None
    own = tmp_path / "smoke-range-proofs"
    assert recorded_beside(tmp_path / "smoke", "range-proofs") == own
    reference = layout.reference()
    largest = reference / "full-range-proofs"
    assert recorded_beside(reference / "standard", "range-proofs") == largest


def test_claim_that_only_the_largest_profile_decides_names_no_larger_one(results: Results) -> None:
    verdicts = {one.claim.key: one.equal for one in judged(results, None, None)}
    assert verdicts["p2.1"].sentence.endswith(", which profile full decides it by.")


@pytest.fixture(scope="module")
def standard(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Judged]:
    """Every claim by its key, over the recorded runs of profile standard and nothing else."""
    alone = tmp_path_factory.mktemp("standard-alone")
    for run in REFERENCE.glob("standard*"):
        (alone / run.name).mkdir()
        for path in run.iterdir():
            if path.name != "overhead.parquet":
                (alone / run.name / path.name).symlink_to(path)
    return {one.claim.key: one for one in read_judged(alone / "standard")}


def test_claims_of_profile_standard_are_decided_by_its_recorded_runs(
    standard: dict[str, Judged],
) -> None:
    for one in standard.values():
        if one.claim.profile in {"smoke", "standard"} and one.claim.recipe is None:
            for verdict in (one.published, one.equal):
                assert verdict is None or verdict.outcome is not Outcome.NOT_MEASURED, one.claim.key


def test_claims_of_profile_full_need_it(standard: dict[str, Judged]) -> None:
    needing = [one for one in standard.values() if one.claim.profile == "full"]
    assert needing
    for one in needing:
        lacking = [
            verdict
            for verdict in (one.published, one.equal)
            if verdict is not None and verdict.outcome is Outcome.NOT_MEASURED
        ]
        assert lacking, one.claim.key
        for verdict in lacking:
            assert verdict.sentence.endswith(" Profile full measures it."), one.claim.key


def test_claim_on_the_harness_names_the_recipe_that_measures_it(
    standard: dict[str, Judged],
) -> None:
    verdict = standard["own.20"].equal
    assert verdict.outcome is Outcome.NOT_MEASURED
    assert verdict.sentence.endswith(" `just overhead PROFILE` measures it.")
    absent = {one.claim.key: one.equal.sentence for one in judged(None, None, None)}["own.20"]
    assert absent.endswith(", beside which `just overhead PROFILE` measures what decides it.")


def test_command_refuses_a_folder_without_runs(tmp_path: Path) -> None:
    main = application(["claims"])
    for name in ("none", "standard"):
        with pytest.raises(NizkBenchError, match="holds no run"):
            main(["claims", str(tmp_path / name)], standalone_mode=False)


def test_command_refuses_a_profile_that_does_not_exist_beside_recorded_runs() -> None:
    answer = CliRunner().invoke(application(["claims"]), ["claims", str(REFERENCE / "nosuch")])
    assert answer.exit_code != 0
    assert answer.output == ""
    said = "holds no run, and there is no profile nosuch, there are full, smoke, standard"
    assert str(answer.exception) == f"{REFERENCE / 'nosuch'} {said}"


@pytest.mark.parametrize("content", ["{}", "[]", "null", '{"name": "x", "started_utc": 1}'])
@pytest.mark.parametrize("run", ["standard", "standard-hash-functions"])
def test_command_refuses_a_manifest_that_is_none(tmp_path: Path, run: str, content: str) -> None:
    (tmp_path / run).mkdir()
    (tmp_path / run / "manifest.json").write_text(content, encoding="utf-8")
    answer = CliRunner().invoke(application(["claims"]), ["claims", str(tmp_path / "standard")])
    assert isinstance(answer.exception, NizkBenchError)
    assert f"{tmp_path / run / 'manifest.json'} is no manifest of a run" in str(answer.exception)
    assert answer.output == ""
