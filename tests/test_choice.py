"""The front is what nobody beats, and a recommendation is the best cell that meets the demands."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nizkbench.cells import cell_invocations, cells
from nizkbench.choice import (
    ALONE,
    BEST_HERE,
    BEST_PUBLISHED,
    BEST_WITH_GRINDING,
    COMPARED_SCHEMA,
    COSTS,
    CROSS_VALIDATED_SCHEMA,
    DEFAULT,
    EARLIER_DEFAULT,
    PUBLISHED_BEST,
    Demands,
    NothingQualifiesError,
    cell_of,
    compare,
    compare_pairs,
    cross_validated,
    individually_best,
    landmarks,
    options_of,
    pareto,
    prior,
    qualifying,
    recommend,
)
from nizkbench.cli import main
from nizkbench.errors import NizkBenchError
from nizkbench.records import write_records
from tests.made_grid import bits, crossed, expected_time, made_grid

GRID = crossed(
    queries=[20, 27, 42, 60],
    blowup=[4, 8, 16],
    grinding=[0, 8, 16],
    hash=["blake3-256", "sha3-256"],
)


def frame(rows: list[tuple[float, float, float, float]], width: float = 0.0) -> pl.DataFrame:
    """Cells with these prove times, verify times, sizes and bits, and intervals of this width."""
    columns: dict[str, Any] = {
        "configuration": [f"c{index:04}" for index in range(len(rows))],
        "rounds": 255,
        "security_conjectured": [row[3] for row in rows],
        "security_udr": [row[3] * 0.4 for row in rows],
        "security_ldr": [row[3] * 0.6 for row in rows],
    }
    for index, cost in enumerate(COSTS):
        columns[cost] = [float(row[index]) for row in rows]
        columns[f"{cost}_low"] = [row[index] * (1 - width) for row in rows]
        columns[f"{cost}_high"] = [row[index] * (1 + width) for row in rows]
    return pl.DataFrame(columns)


# ── The front ─────────────────────────────────────────────────────────────────────────────────────


def test_a_cell_that_is_worse_in_everything_is_not_on_the_front() -> None:
    judged = pareto(frame([(1, 1, 1, 100), (2, 2, 2, 90), (0.5, 3, 1, 100), (3, 3, 3, 120)]))
    assert judged["front"].to_list() == [True, False, True, True]


def test_equal_cells_do_not_beat_each_other() -> None:
    assert pareto(frame([(1, 1, 1, 100), (1, 1, 1, 100)]))["front"].all()


numbers = st.integers(1, 4).map(float)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=30))
def test_the_front_is_its_definition(rows: list[tuple[float, float, float, float]]) -> None:
    judged = pareto(frame(rows))
    for index, row in enumerate(rows):
        beaten = any(
            all(o <= r for o, r in zip(other[:3], row[:3], strict=True))
            and other[3] >= row[3]
            and other != row
            for other in rows
        )
        assert judged["front"][index] is not beaten
    assert judged["front"].any()


def test_what_is_beaten_within_the_intervals_alone_may_still_be_on_the_front() -> None:
    rows = [(1.0, 1.0, 1.0, 100.0), (1.02, 1.02, 1.02, 100.0), (2.0, 2.0, 2.0, 100.0)]
    judged = pareto(frame(rows, width=0.05))
    assert judged["front"].to_list() == [True, False, False]
    assert judged["front_possible"].to_list() == [True, True, False]


def test_sizes_of_the_statement_are_judged_apart() -> None:
    both = pl.concat(
        [
            frame([(1, 1, 1, 100), (2, 2, 2, 100)]),
            frame([(5, 5, 5, 100)]).with_columns(
                rounds=pl.lit(1023, pl.Int32), configuration=pl.lit("d")
            ),
        ]
    )
    judged = pareto(both).sort("configuration")
    assert judged["front"].to_list() == [True, False, True]


def test_proven_bits_are_those_of_the_better_regime() -> None:
    (row,) = pareto(frame([(1, 1, 1, 100)]), "proven").rows(named=True)
    assert row["bits"] == 60.0
    (row,) = pareto(frame([(1, 1, 1, 100)]), "unique-decoding").rows(named=True)
    assert row["bits"] == 40.0


# ── The moderated t-statistic ─────────────────────────────────────────────────────────────────────


def test_the_prior_of_the_variances_is_recovered() -> None:
    rng = np.random.default_rng(1)
    truth = 0.01 * 8 / rng.chisquare(8, 20_000)
    samples = truth * rng.chisquare(2, truth.shape) / 2
    degrees, variance = prior(samples, np.full_like(samples, 2.0))
    assert degrees == pytest.approx(8, rel=0.15)
    assert variance == pytest.approx(0.01, rel=0.05)


def test_variances_that_are_all_alike_have_an_infinite_prior() -> None:
    rng = np.random.default_rng(3)
    samples = 0.01 * rng.chisquare(2, 100_000) / 2
    degrees, variance = prior(samples, np.full_like(samples, 2.0))
    assert degrees > 50
    assert variance == pytest.approx(0.01, rel=0.02)


def test_comparisons_cover_and_rarely_claim_a_difference_that_is_none() -> None:
    same = crossed(queries=list(range(20, 60)), blowup=[8], grinding=[0], hash=["blake3-256"])
    covered = apart = total = 0
    for seed in range(40):
        records = made_grid(
            same, blocks=3, samples=2, spread=0.02, cost=lambda cell: 1e6, seed=seed
        )
        found = compare(
            cell_invocations(records), "prove_ns", "c00000", [f"c{i:05}" for i in range(1, 40)]
        )
        assert found.schema == COMPARED_SCHEMA
        covered += int(((found["low"] <= 1) & (found["high"] >= 1)).sum())
        apart += bool(found["apart"].any())
        total += found.height
    assert 0.92 < covered / total < 0.98
    assert apart <= 6


def test_a_small_difference_is_seen_with_three_invocations() -> None:
    wanted = crossed(queries=list(range(20, 220)), blowup=[8], grinding=[0], hash=["blake3-256"])

    def cost(cell: Any) -> float:  # noqa: ANN401
        return 1.10e6 if cell["queries"] == 30 else 1.0e6

    records = made_grid(wanted, blocks=3, samples=4, spread=0.01, shared=0.1, cost=cost)
    (row,) = compare(cell_invocations(records), "prove_ns", "c00000", ["c00010"]).rows(named=True)
    assert row["apart"]
    assert row["low"] < 1.10 < row["high"]
    # Student's t on two degrees of freedom could not have.
    assert stats.t.sf(0.1 / (0.01 * math.sqrt(2 / 3)), 2) * 2 * 199 > 0.05


def test_cells_of_one_invocation_each_are_never_apart() -> None:
    records = made_grid(GRID, blocks=1)
    found = compare(cell_invocations(records), "prove_ns", "c00000", ["c00001", "c00071"])
    assert not found["apart"].any()
    assert found["p_value"].null_count() == 2
    assert found["ratio"].null_count() == 0


# ── Recommending ──────────────────────────────────────────────────────────────────────────────────


def test_the_best_cell_that_meets_every_demand_is_recommended() -> None:
    records = made_grid(GRID)
    estimated = cells(records)
    demands = Demands(rounds=255, min_bits=100, max_proof_bytes=10_500, max_verify_ns=2.0e5)
    found = recommend(estimated, cell_invocations(records), demands)
    legal = [
        one
        for one in GRID
        if bits(one) >= 100 and 1000 + 200 * one["queries"] < 1.04e4 and one["queries"] < 48
    ]
    fastest = min(legal, key=expected_time)
    assert options_of(found.best) == {name: fastest[name] for name in options_of(found.best)}
    assert found.qualified == len(legal)
    assert found.best["bits"] >= 100


def test_cells_as_good_as_the_best_are_its_runners_up() -> None:
    twins = crossed(
        blowup=[8, 16],
        grinding=[0],
        hash=["blake3-256"],
        queries=[42],
        batching_deep=["linear", "horner", "algebraic"],
    )
    records = made_grid(twins, spread=0.01)
    found = recommend(cells(records), cell_invocations(records), Demands(rounds=255, min_bits=100))
    assert found.qualified == 6
    assert found.best["blowup"] == 8
    assert found.runners_up["blowup"].to_list() == [8, 8]
    assert found.best["batching_deep"] not in found.runners_up["batching_deep"].to_list()
    assert (found.runners_up["ratio"] >= 1).all()


def test_pairs_are_compared_as_one_with_many() -> None:
    invocations = cell_invocations(made_grid(GRID))
    others = ["c00001", "c00002"]
    one = compare(invocations, "prove_ns", "c00000", others)
    assert compare_pairs(invocations, "prove_ns", ["c00000"] * 2, others).equals(one)
    (turned,) = compare_pairs(invocations, "prove_ns", ["c00001"], ["c00000"]).rows(named=True)
    assert turned["ratio"] == pytest.approx(1 / one["ratio"][0])


def test_cells_that_are_one_computation_are_one_runner_up() -> None:
    # Folded by 16, 256 rows leave one polynomial of degree 15 for all three bounds.
    wanted = crossed(
        folding=[16],
        remainder_max_degree=[15, 31, 127],
        grinding=[0],
        batching_deep=["linear", "horner"],
    )
    records = made_grid(wanted, spread=0.01)
    found = recommend(cells(records), cell_invocations(records), Demands(rounds=255, min_bits=100))
    assert (found.qualified, found.computations) == (6, 2)
    assert found.best["remainder_max_degree_alike"] == [15, 31, 127]
    assert found.runners_up.height == 1
    assert found.runners_up["batching_deep"][0] != found.best["batching_deep"]


def test_of_cells_that_are_as_good_the_one_with_the_lowest_other_costs_is_taken() -> None:
    wanted = crossed(folding=[2, 4, 8], blowup=[8, 16], grinding=[0])
    other = {2: 1.0, 4: 0.5, 8: 0.7}
    records = made_grid(
        wanted,
        spread=0.01,
        cost=lambda cell: 1e6 * cell["blowup"],
        verify=lambda cell: 1e5 * other[cell["folding"]] * (16 / cell["blowup"]) ** 2,
        size=lambda cell: 1e4 * other[cell["folding"]],
    )
    estimated, invocations = cells(records), cell_invocations(records)
    found = recommend(estimated, invocations, Demands(rounds=255, min_bits=100))
    assert sorted([found.best["folding"], *found.runners_up["folding"]]) == [2, 4, 8]
    # A cell that is slower beyond doubt is not taken, however fast it verifies.
    assert (found.take["folding"], found.take["blowup"]) == (4, 8)
    smallest = Demands(rounds=255, min_bits=100, objective="proof_bytes")
    found = recommend(estimated, invocations, smallest)
    assert found.take["folding"] == 4


def test_a_field_is_a_demand() -> None:
    wanted = crossed(field=["f128", "f64"], blowup=[8, 16], grinding=[0])
    dear = {"f128": 4, "f64": 1}
    records = made_grid(wanted, cost=lambda cell: 1e6 * cell["blowup"] * dear[cell["field"]])
    estimated, invocations = cells(records), cell_invocations(records)
    found = recommend(estimated, invocations, Demands(rounds=255, min_bits=100))
    assert (found.best["field"], found.qualified) == ("f64", 4)
    kept = Demands(rounds=255, min_bits=100, field="f128")
    found = recommend(estimated, invocations, kept)
    assert (found.best["field"], found.best["blowup"], found.qualified) == ("f128", 8, 2)
    with pytest.raises(NothingQualifiesError, match="of 2 measured cells over f64 at 255 rounds"):
        qualifying(estimated, Demands(rounds=255, min_bits=200, field="f64"))
    with pytest.raises(
        NothingQualifiesError, match=r"measured over f64 .*, measured are over f128"
    ):
        qualifying(
            estimated.filter(pl.col("field") == "f128"),
            Demands(rounds=255, min_bits=100, field="f64"),
        )


def test_a_cell_that_was_measured_badly_is_not_taken_however_good_its_other_costs() -> None:
    wanted = crossed(folding=[2, 4, 8], grinding=[0])
    slow = {2: 1.0, 4: 1.0, 8: 1.12}
    records = made_grid(
        wanted,
        spread=0.1,
        cost=lambda cell: 1e6 * slow[cell["folding"]],
        verify=lambda cell: 1e5 / cell["folding"] ** 4,
        seed=8,
    )
    found = recommend(cells(records), cell_invocations(records), Demands(rounds=255, min_bits=100))
    assert found.runners_up.height == 2
    ratios = dict(found.runners_up.select("folding", "ratio").iter_rows())
    assert ratios[8] > 1.05  # nothing tells it apart, and it verifies fastest by far
    assert (found.best["folding"], found.take["folding"]) == (2, 4)


# ── Choosing on some blocks and reading on others ─────────────────────────────────────────────────


def test_reading_on_other_blocks_takes_out_the_luck_of_being_chosen() -> None:
    same = crossed(queries=list(range(40, 160)), blowup=[8], grinding=[0], hash=["blake3-256"])
    demands = Demands(rounds=255, min_bits=100)
    naive, corrected = [], []
    for seed in range(8):
        records = made_grid(
            same,
            blocks=6,
            samples=2,
            spread=0.05,
            shared=0.0,
            noise=0.001,
            cost=lambda cell: 1e6,
            verify=lambda cell: 1e5,
            size=lambda cell: 1e4,
            size_spread=0.0,
            seed=seed,
        )
        estimated, invocations = cells(records), cell_invocations(records)
        found = cross_validated(estimated, invocations, demands, "c00000")
        assert found.schema == CROSS_VALIDATED_SCHEMA
        assert found.height == 20
        # A process that is fast proves and verifies fast, so that the one to take is lucky too.
        naive.append(recommend(estimated, invocations, demands).take["prove_ns"])
        corrected.append(np.exp(np.log(found["told"].to_numpy()).mean()))
    # A mean of six has an error of 2 %, and the luckiest of so many is 2.5 of these low.
    assert np.mean(naive) < 0.965e6
    assert np.mean(corrected) == pytest.approx(1e6, rel=0.02)
    assert np.mean(corrected) > np.mean(naive) + 0.02e6


def test_a_cell_that_is_the_best_beyond_doubt_is_chosen_on_every_half() -> None:
    records = made_grid(GRID, blocks=5, spread=0.001)
    estimated, invocations = cells(records), cell_invocations(records)
    demands = Demands(rounds=255, min_bits=100)
    best = recommend(estimated, invocations, demands)
    assert best.runners_up.is_empty()
    found = cross_validated(estimated, invocations, demands, "c00000")
    assert found.height == 20  # two of five blocks, and three of them
    assert found["chosen"].unique().to_list() == [best.take["configuration"]]
    assert found["told"].to_numpy() == pytest.approx(best.take["prove_ns"], rel=0.05)


def test_halves_choose_by_the_rule_that_is_recommended_by() -> None:
    """Of two cells that prove alike the one that verifies faster, not the one that was faster."""
    wanted = crossed(batching_deep=["linear", "horner"], grinding=[0])
    fast = {"linear": 2e5, "horner": 1e5}
    records = made_grid(
        wanted, blocks=4, spread=0.02, verify=lambda cell: fast[cell["batching_deep"]]
    )
    estimated, invocations = cells(records), cell_invocations(records)
    demands = Demands(rounds=255, min_bits=100)
    found = cross_validated(estimated, invocations, demands, "c00000")
    assert found.height == 6
    assert set(found["chosen"]) == {"c00001"}
    halves = invocations.filter(pl.col("configuration") == "c00001").sort("block")
    logs = np.log(halves["prove_ns"].to_numpy())
    assert found["seen"][0] == pytest.approx(np.exp(logs[:2].mean()))
    assert found["told"][0] == pytest.approx(np.exp(logs[2:].mean()))


def test_a_cell_that_lacks_a_block_is_not_chosen_on_the_others() -> None:
    records = made_grid(GRID, blocks=4, spread=0.001)
    estimated, invocations = cells(records), cell_invocations(records)
    demands = Demands(rounds=255, min_bits=100)
    best = recommend(estimated, invocations, demands).take["configuration"]
    lacking = invocations.filter((pl.col("configuration") != best) | (pl.col("block") > 0))
    found = cross_validated(estimated, lacking, demands, "c00000")
    assert found.height == 6
    assert best not in found["chosen"].to_list()


def test_one_block_cannot_be_halved() -> None:
    records = made_grid(GRID, blocks=1)
    found = cross_validated(
        cells(records), cell_invocations(records), Demands(rounds=255, min_bits=100), "c00000"
    )
    assert found.is_empty()
    assert found.schema == CROSS_VALIDATED_SCHEMA


@pytest.mark.parametrize(
    ("demands", "words"),
    [
        ({"min_bits": 200}, "none has 200 bits of security or more .conjectured.: the most is 128"),
        ({"min_bits": 100, "regime": "proven"}, "the most is 76.8"),
        ({"min_bits": 60, "max_proof_bytes": 100}, "a proof of 0.1 kB or less"),
        ({"min_bits": 126, "max_proof_bytes": 6_000}, "and meets the other demands"),
        ({"min_bits": 60, "rounds": 63}, "no cell was measured at 63 rounds, measured are 255"),
    ],
)
def test_nothing_that_qualifies_is_one_sentence(demands: dict[str, Any], words: str) -> None:
    estimated = cells(made_grid(GRID, size_spread=0.0))
    with pytest.raises(NothingQualifiesError, match=words):
        qualifying(estimated, Demands(**{"rounds": 255, **demands}))


def test_demands_are_checked() -> None:
    with pytest.raises(NizkBenchError, match="regime is hoped for, legal are conjectured"):
        Demands(rounds=255, min_bits=100, regime="hoped for")
    with pytest.raises(NizkBenchError, match="objective is attempts, legal are prove_ns"):
        Demands(rounds=255, min_bits=100, objective="attempts")
    with pytest.raises(NizkBenchError, match="field is f32, legal are f128, f64"):
        Demands(rounds=255, min_bits=100, field="f32")


# ── Where earlier work's options lie ──────────────────────────────────────────────────────────────


def test_individually_best_options_are_picked_one_at_a_time() -> None:
    records = made_grid(GRID, spread=0.001)
    estimated = cells(records)
    picked = individually_best(estimated, 255)
    assert (picked["queries"], picked["blowup"], picked["grinding"]) == (20, 4, 0)
    assert picked["hash"] == "blake3-256"
    assert picked["folding"] == EARLIER_DEFAULT["folding"]
    together = cell_of(estimated, 255, picked)
    assert together is not None
    assert together["prove_ns"] == estimated["prove_ns"].min()


def test_levels_that_another_crossing_happens_to_have_are_not_tried() -> None:
    """Tuned numbers of queries stand beside the default; what they were put with was not asked."""
    records = made_grid(crossed(queries=[38, 41, 42]), cost=lambda cell: 1e6 * cell["queries"])
    estimated = cells(records)
    assert individually_best(estimated, 255)["queries"] == 38
    series = pl.when(pl.col("queries") == 38).then(pl.lit("tuned"))
    listed = estimated.with_columns(series=series.otherwise(pl.lit(f"options+{ALONE}")))
    assert individually_best(listed, 255)["queries"] == 41


def test_the_plain_rule_asks_for_no_significance() -> None:
    """Earlier work took whatever was fastest, and so do its picks here."""
    changed = [*crossed(queries=list(range(38, 47))), *crossed(blowup=[2, 4])]
    records = made_grid(changed, spread=0.05, cost=lambda cell: 1e6 * cell["blowup"])
    estimated = cells(records)
    picked = individually_best(estimated, 255)
    assert picked["blowup"] == 2
    alone = [
        row
        for queries in range(38, 47)
        if (row := cell_of(estimated, 255, {**EARLIER_DEFAULT, "queries": queries}))
    ]
    assert len(alone) == 9
    fastest = min(alone, key=lambda row: row["prove_ns"])
    assert picked["queries"] == fastest["queries"] != 42
    default = cell_of(estimated, 255, EARLIER_DEFAULT)
    assert default is not None
    told = compare(
        cell_invocations(records), "prove_ns", default["configuration"], [fastest["configuration"]]
    )
    assert not told["apart"][0]


def test_landmarks_say_how_far_behind_they_are() -> None:
    records = made_grid(GRID, spread=0.0, shared=0.0, noise=0.0, size_spread=0.0)
    estimated = cells(records)
    found = landmarks(estimated, 255)
    assert found["landmark"].to_list() == [DEFAULT, BEST_HERE]
    default, best = found.rows(named=True)
    assert default["beaten_by"] > 0
    assert default["factor"] > 1
    assert not default["front"]
    assert best["front"]
    assert (best["beaten_by"], best["factor"]) == (0, 1.0)
    without = estimated.filter(pl.col("queries") != 42)
    assert DEFAULT not in landmarks(without, 255)["landmark"].to_list()


def test_what_the_published_proofs_picked_is_a_landmark_where_it_was_measured() -> None:
    kept = {**PUBLISHED_BEST, "grinding": EARLIER_DEFAULT["grinding"]}
    wanted = [*GRID, *({"rounds": 255, **options} for options in (PUBLISHED_BEST, kept))]
    found = landmarks(cells(made_grid(wanted, noise=0.0)), 255)
    assert found["landmark"].to_list() == [DEFAULT, BEST_PUBLISHED, BEST_WITH_GRINDING, BEST_HERE]
    assert found["grinding"].to_list()[1:3] == [0, EARLIER_DEFAULT["grinding"]]


# ── The command line ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("grid")
    write_records(made_grid(GRID), folder)
    return folder


def test_recommend_prints_the_best_cell_and_what_may_be_as_good(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["recommend", "--min-bits", "100", "--records", str(recorded)])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    best, *_ = [line for line in said.splitlines() if line.startswith("best")]
    assert "time to proof" in best and "[" in best
    assert "hash=blake3-256" in said
    assert "measured cells qualify" in said


def test_recommend_prints_which_of_the_cells_that_are_as_good_to_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = crossed(
        folding=[16],
        remainder_max_degree=[15, 31],
        grinding=[0],
        batching_deep=["linear", "horner"],
    )
    fast = {"linear": 2e5, "horner": 1e5}
    made = made_grid(wanted, verify=lambda cell: fast[cell["batching_deep"]])
    write_records(made, tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["recommend", "--best", "time", "--records", str(tmp_path)])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    (place,) = [at for at, line in enumerate(said.splitlines()) if line.startswith("take")]
    taken = " ".join(said.splitlines()[place : place + 2])
    best, *_ = [line for line in said.splitlines() if "queries=" in line]
    assert ("batching_deep=horner" in taken) != ("batching_deep=horner" in best)
    assert ("the best" in taken) == ("batching_deep=horner" in best)
    assert "verify time and proof size together" in taken
    assert "remainder_max_degree=15|31" in said  # folded by 16, both bounds are one computation
    assert "4 measured cells qualify, 2 different computations" in said


def test_recommend_says_that_a_smaller_field_is_another_statement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = crossed(field=["f128", "f64"], grinding=[0])
    dear = {"f128": 4, "f64": 1}
    write_records(made_grid(wanted, cost=lambda cell: 1e6 * dear[cell["field"]]), tmp_path)
    for arguments, field, told in (([], "f64", True), (["--field", "f128"], "f128", False)):
        with pytest.raises(SystemExit) as ended:
            main(["recommend", "--records", str(tmp_path), *arguments])
        assert ended.value.code == 0
        said = capsys.readouterr().out
        best, *_ = [line for line in said.splitlines() if "queries=" in line]
        assert f"field={field} " in best
        assert ("elements of 64 bits, that of f128 of 128; --field f128" in said) == told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--min-bits", "500"], "none has 500 bits"),
        (["--proven", "--min-bits", "100"], "(proven): the most is 76.8"),
        (["--best", "luck"], "--best is luck, legal are time, verify, size"),
        (["--proven", "--regime", "conjectured"], "contradict each other"),
        (["--field", "f32"], "field is f32, legal are f128, f64"),
        (["--field", "f64"], "no cell was measured over f64 at 255 rounds, measured are over f128"),
    ],
)
def test_recommend_says_in_one_sentence_why_not(
    recorded: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["recommend", "--records", str(recorded), *arguments])
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert len(said.err.splitlines()) == 1
    assert words in said.err
