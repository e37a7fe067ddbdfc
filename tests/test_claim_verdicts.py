"""Every claim over whatever runs there are."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from nizkbench import layout
from nizkbench.claim_register import read_register
from nizkbench.claim_verdicts import judged, own_verdicts
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
    assert printed.count("not measured") == absent


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


def test_command_refuses_a_folder_without_runs(tmp_path: Path) -> None:
    main = application(["claims"])
    with pytest.raises(NizkBenchError, match="holds no run"):
        main(["claims", str(tmp_path / "none")], standalone_mode=False)
