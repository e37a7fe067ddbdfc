"""The register of claims: what stands in it, and what it refuses."""

import re
from pathlib import Path

import pytest

from nizkbench import hash_claims, layout
from nizkbench.claim_register import ClaimError, claims_on, members, read_register, sources
from nizkbench.claims import EXPERIMENT, SOURCE, verdicts
from nizkbench.hash_results import FUNCTIONS
from nizkbench.profile import read_profile
from nizkbench.results import Results

REGISTER = layout.root() / "data" / "claims.toml"


def test_every_claim_of_the_five_papers_and_more_than_ten_of_ours_stand_in_it() -> None:
    counts = dict.fromkeys(sources(), 0)
    for claim in read_register():
        counts[claim.source] += 1
        assert claim.key.startswith(f"{claim.source}.")
        assert not claim.text.endswith("."), claim.key
    assert counts == {"p1": 12, "p2": 7, "p3": 6, "p4": 5, "p5": 3, "own": counts["own"]}
    assert counts["own"] >= 10


def test_claims_without_an_experiment_have_no_conditions_and_all_others_have() -> None:
    for claim in read_register():
        assert claim.decidable == (claim.source in {"p1", "p2", "own"}), claim.key


def test_every_source_that_is_cited_stands_in_the_bibliography() -> None:
    bibliography = (layout.root() / "paper" / "references.bib").read_text(encoding="utf-8")
    keys = set(re.findall(r"@\w+\{([^,]+),", bibliography))
    cited = {source.reference for source in sources().values() if source.reference}
    assert cited
    assert cited <= keys


def test_profile_that_a_claim_names_measures_its_experiment() -> None:
    sections = {
        "mimc": "mimc",
        "hash-functions": "hash_functions",
        "range-proofs": "range_proofs",
        "stark-grid": "stark_grid",
    }
    for claim in read_register():
        if claim.profile is not None:
            profile = read_profile(claim.profile)
            assert getattr(profile, sections[claim.experiment]) is not None, claim.key


def test_recipe_that_a_claim_names_is_one_of_just_and_stands_with_a_profile() -> None:
    justfile = (layout.root() / "Justfile").read_text(encoding="utf-8")
    named = {claim.recipe: claim.profile for claim in read_register() if claim.recipe is not None}
    assert named
    for recipe, profile in named.items():
        assert profile is not None
        assert f"\n{recipe} PROFILE" in justfile


def test_subjects_are_systems_functions_or_groups_of_them(results: Results) -> None:
    assert members("mimc", "snarks") == ("bellman/groth16/bls12-381", "gnark/groth16/bls12-381")
    assert members("mimc", ("snarks", "stark"))[-1] == "winterfell/stark/f128"
    assert members("hash-functions", "all") == FUNCTIONS
    assert members("mimc", "gnark/plonk/bn254") == ("gnark/plonk/bn254",)
    profile = read_profile("standard").mimc
    assert profile is not None
    known = {*results.systems, *(one.system for one in profile.series), "all systems"}
    for claim in claims_on("mimc").values():
        for condition in claim.conditions:
            for named in condition.pair or (condition.alone,):
                for subject in members("mimc", named):
                    assert subject.partition(" with ")[0] in known, claim.key


def test_every_claim_of_earlier_work_has_its_sentence(results: Results) -> None:
    assert set(verdicts(results)) == set(claims_on(EXPERIMENT, SOURCE))
    assert set(hash_claims._SENTENCES) == set(claims_on(hash_claims.EXPERIMENT, hash_claims.SOURCE))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("above = 10 }", "above = 10, below = 2 }"), "exactly one of above, below and within"),
        (('metric = "size:proof"', 'metrics = "size:proof"'), "unknown field `metrics`"),
        (('key = "p1.2"', 'key = "p1.1"'), "two claims p1.1"),
        (('source = "p2"', 'source = "p9"'), "has no source p9"),
        (('profile = "smoke"\n', ""), "must have conditions and a profile, or neither"),
        (("[sources.p1]", "[sources.p1"), "is no TOML"),
    ],
)
def test_wrong_register_is_refused_in_one_sentence(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(REGISTER.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    with pytest.raises(ClaimError, match=re.escape(said)) as refused:
        read_register(path)
    assert "\n" not in str(refused.value)


def test_register_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ClaimError, match="does not exist"):
        read_register(tmp_path / "claims.toml")
