"""The table of which system for which use says what the estimates say, and no more."""

from dataclasses import replace

import polars as pl
import pytest

from nizkbench.criteria import CRITERIA, DEMANDS, Choice, choices, times_best
from nizkbench.findings import uses
from nizkbench.results import Results, system_label
from nizkbench.tables import TABLES, _by_field


@pytest.fixture(scope="module")
def found(results: Results) -> dict[tuple[str, str], Choice]:
    return {(one.demand.words, one.criterion.words): one for one in choices(results)}


ALL = DEMANDS[0].words


def test_best_has_the_least_of_a_cost_of_all_that_have_it(
    results: Results, found: dict[tuple[str, str], Choice]
) -> None:
    choice = found[ALL, "fastest to prove, one thread"]
    times = {
        system: value.value
        for system, series in results.equal_terms.items()
        if (value := results.value(series, "time_to_proof", results.largest, "one")) is not None
    }
    assert choice.best == min(times, key=lambda system: times[system])
    assert choice.value.value == min(times.values())


def test_next_is_told_apart_by_the_factor_of_the_ratio_table(
    results: Results, found: dict[tuple[str, str], Choice]
) -> None:
    choice = found[ALL, "fastest to prove, one thread"]
    assert choice.following is not None
    of, size = results.equal_terms, results.largest
    expected = results.ratio(of[choice.following], of[choice.best], "time_to_proof", size, "one")
    assert choice.factor == expected
    assert choice.factor is not None
    assert choice.factor.low > 1


def test_demand_leaves_only_systems_that_have_the_property(
    results: Results, found: dict[tuple[str, str], Choice]
) -> None:
    demanded = {demand.words: demand for demand in DEMANDS}
    assert len({words for words, _ in found}) > 1
    for (words, _), choice in found.items():
        for system in filter(None, (choice.best, *choice.alike, choice.following)):
            assert demanded[words].met(results.descriptions[system]["properties"]), words


def test_verified_often_enough_the_verifier_alone_decides(
    found: dict[tuple[str, str], Choice],
) -> None:
    verifier = found[ALL, "fastest to verify, one thread"]
    often = found[ALL, "one proof, verified 10000 times"]
    assert often.best in {verifier.best, *verifier.alike}
    once = found[ALL, "one proof, verified once"]
    prover = found[ALL, "fastest to prove, one thread"]
    assert once.value.value > prover.value.value


def test_proof_and_key_are_added_and_a_system_without_a_key_has_none(
    results: Results, found: dict[tuple[str, str], Choice]
) -> None:
    choice = found[ALL, "smallest proof and verifying key"]
    series = results.equal_terms[choice.best]
    both = results.size_of(series, "proof+verifying_key", results.largest)
    assert both is not None
    assert choice.value.value == pytest.approx(both.value)


def test_what_is_not_told_apart_is_no_next(results: Results) -> None:
    doubtful = results.ratios.with_columns(
        pl.when(pl.col("metric") == "verify")
        .then(pl.lit(0.9))
        .otherwise("p_value_holm")
        .alias("p_value_holm")
    )
    for choice in choices(replace(results, ratios=doubtful)):
        if choice.criterion.words == "fastest to verify, one thread":
            assert choice.following is None
            assert choice.factor is None


def test_every_criterion_is_a_row_and_every_choice_is_counted(results: Results) -> None:
    rows = TABLES["uses"](results).rows
    assert [row[0] for row in rows] == [criterion.words for criterion in CRITERIA]
    assert len(TABLES["all-uses"](results).rows) == len(choices(results))
    for counted in times_best(choices(results)).values():
        assert sum(counted.values()) >= len(CRITERIA)
        assert all(system_label(system) in uses(results) for system in counted)


def test_properties_are_in_the_librarys_own_words(results: Results) -> None:
    page = TABLES["properties"](results).markdown()
    for system in results.equal_terms:
        source = results.descriptions[system]["properties"]["zero_knowledge"]["source"]
        assert source.replace('"', "") in page.replace("“", "").replace("”", "")


def test_words_that_fields_do_not_share_stand_for_each_of_them() -> None:
    fields = ("BLS12-381", "BN254")
    assert _by_field(fields, ("no", "no")) == "no"
    assert _by_field(fields, ("126", "100")) == "126; 100"
    pairings = [f"generic group model on {field}, honest set-up" for field in fields]
    assert _by_field(fields, pairings) == (
        "generic group model on BLS12-381 or BN254, honest set-up"
    )
    assert _by_field(fields[:1], pairings[:1]) == pairings[0]
