from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from scipy import stats

from nizkbench.claim_register import claims_on
from nizkbench.claims import BULLETPROOFS, EXPERIMENT, GNARK, SOURCE, STARK, Terms, verdicts
from nizkbench.predicates import Outcome, compared, every
from nizkbench.quantities import Quantity, exact, plain
from nizkbench.results import Results
from tests.synthetic_results import synthetic_results


def test_every_claim_has_a_verdict_and_a_sentence_under_both_terms(results: Results) -> None:
    found = verdicts(results)
    assert list(found) == list(claims_on(EXPERIMENT, SOURCE))
    for then, now in found.values():
        assert then.sentence.endswith(".")
        assert now.sentence.endswith(".")


def test_growth_of_a_verifying_key_follows_the_circuit_and_not_the_library() -> None:
    then, now = verdicts(synthetic_results((15, 63, 4095)))["p1.8"]
    assert then.outcome == Outcome.REPRODUCED  # public constants, as the earlier circuit had them
    assert now.outcome == Outcome.CONTRADICTED  # fixed constants, as on equal terms


@pytest.mark.parametrize("key", ["p1.5", "p1.7", "p1.8", "p1.9"])
def test_claim_about_a_size_is_not_decided_by_a_run_that_ends_below_it(
    results: Results, key: str
) -> None:
    assert results.largest < 4095
    for verdict in verdicts(results)[key]:
        if verdict.outcome == Outcome.CONTRADICTED:  # by what it says of every size
            assert "at 4095 rounds" not in verdict.sentence
        else:
            assert verdict.outcome == Outcome.NOT_MEASURED
            assert "was not measured at 4095 rounds." in verdict.sentence


def test_price_of_one_query_is_told_with_its_attempts(results: Results) -> None:
    then, now = verdicts(results)["p1.10"]
    assert "42 queries take" in then.sentence
    assert "attempts" in then.sentence
    assert "a single draw" in then.sentence
    assert "more than 3" in then.sentence
    assert now.outcome == Outcome.NOT_MEASURED
    assert "nothing changed but the instance" in now.sentence


def test_claim_on_security_says_where_the_stark_was_unsound(results: Results) -> None:
    then, now = verdicts(results)["p1.12"]
    assert "the STARK is unsound" in then.sentence
    assert "unsound" not in now.sentence


def _blocks(results: Results, series: str, size: int, threads: str) -> np.ndarray:
    """Logarithms of the median verify time by block, straight from the samples."""
    chosen = results.configurations.filter(
        (pl.col("series") == series)
        & (pl.col("size") == size)
        & (pl.col("threads_label") == threads)
    )
    rows = (
        results.samples.join(chosen.select("configuration"), on="configuration", how="semi")
        .filter((pl.col("phase") == "verify") & ~pl.col("warmup"))
        .group_by("invocation")
        .agg(pl.col("wall_ns").median().log())
        .join(results.invocations, on="invocation")
        .sort("block")
    )
    return rows["wall_ns"].to_numpy()


def _interval(differences: np.ndarray) -> tuple[float, float, float]:
    n = len(differences)
    reach = stats.t.ppf(0.975, n - 1) * differences.std(ddof=1) / np.sqrt(n)
    centre = differences.mean()
    return tuple(np.exp([centre, centre - reach, centre + reach]))


def test_ratio_across_thread_tracks_is_paired_within_blocks() -> None:
    results = synthetic_results(blocks=8)
    snark, stark = results.as_published[GNARK], results.as_published[STARK]
    size = results.largest
    ratio = results.ratio(snark, stark, "verify", size)
    assert ratio is not None
    differences = _blocks(results, snark, size, "all") - _blocks(results, stark, size, "one")
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx(_interval(differences))
    back = results.ratio(stark, snark, "verify", size)
    assert back is not None
    assert (1 / back.value, 1 / back.high, 1 / back.low) == pytest.approx(_interval(differences))


def test_change_of_a_ratio_is_paired_within_blocks_and_decides_the_lead_over_snarks() -> None:
    results = synthetic_results(blocks=8)
    terms = Terms(results, "published")
    ends = (results.smallest, results.largest)
    change = terms.change(GNARK, STARK, "verify", ends)
    assert change is not None
    snark, stark = results.as_published[GNARK], results.as_published[STARK]
    at = {
        size: _blocks(results, snark, size, "all") - _blocks(results, stark, size, "one")
        for size in ends
    }
    expected = _interval(at[ends[1]] - at[ends[0]])
    assert (change.value, change.low, change.high) == pytest.approx(expected)
    then, _ = verdicts(results)["p1.6"]
    assert plain(change, interval=True) in then.sentence


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        (10.0, Outcome.REPRODUCED),
        (2.5, Outcome.CONTRADICTED),
        (25.0, Outcome.CONTRADICTED),
    ],
)
def test_lead_in_verifying_has_to_shrink_to_about_one_order_of_magnitude(
    last: float, outcome: Outcome
) -> None:
    conditions = claims_on(EXPERIMENT, SOURCE)["p1.6"].conditions
    assert every(compared(conditions, _Lead(synthetic_results(), "equal", last))).outcome == outcome


@dataclass(frozen=True)
class _Lead(Terms):
    """Evidence in which every other system verifies 40 times as long, at 4095 rounds `last`."""

    last: float

    def sizes(self, subjects: Iterable[str], metric: str) -> tuple[int, ...]:
        return 15, 4095

    def ratio(self, above: str, below: str, metric: str, size: int) -> Quantity:
        lead = 40.0 if size == 15 else self.last
        return exact(1 / lead if above == STARK else lead)

    def change(self, above: str, below: str, metric: str, sizes: tuple[int, int]) -> Quantity:
        return exact(self.last / 40.0)


def test_ratio_of_exact_sizes_is_exact_and_single_blocks_have_none(results: Results) -> None:
    snark, bulletproof = results.as_published[GNARK], results.as_published[BULLETPROOFS]
    ratio = results.ratio(bulletproof, snark, "size:proof", results.largest)
    assert ratio is not None
    assert ratio.exact
    sizes = [results.value(s, "size:proof", results.largest) for s in (bulletproof, snark)]
    assert None not in sizes
    assert ratio.value == sizes[0].value / sizes[1].value  # type: ignore[union-attr]
    stark = results.as_published[STARK]
    once = synthetic_results(blocks=1)
    assert once.value(snark, "verify", once.largest) is not None
    assert once.ratio(snark, stark, "verify", once.largest) is None


def test_claim_without_the_configurations_that_decide_it_is_not_measured(
    results: Results,
) -> None:
    _, now = verdicts(results)["p1.11"]
    assert now.outcome == Outcome.NOT_MEASURED
    assert "Not measured by this profile" in now.sentence


def test_verdict_that_is_not_reproduced_names_the_comparison_that_decided(
    results: Results,
) -> None:
    compared = {f"p1.{n}" for n in (2, 3, 4, 5, 6, 7)}
    named = 0
    for key, pair in verdicts(results).items():
        for verdict in pair if key in compared else ():
            if verdict.outcome == Outcome.CONTRADICTED:
                assert "What contradicts: " in verdict.sentence
                named += 1
            if verdict.outcome == Outcome.REPRODUCED:
                assert "What " not in verdict.sentence
    assert named
