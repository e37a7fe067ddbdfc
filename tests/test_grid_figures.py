"""Figures of the grid show what the tables hold: every cell, level, pair and attempt."""

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go
import polars as pl
import pytest

from nizkbench import grid_figures
from nizkbench.cells import METRICS, OPTIONS, attempt_costs, attempt_samples, cells
from nizkbench.choice import EARLIER_DEFAULT, cell_of, pareto
from nizkbench.cost_model import PREDICTIONS_SCHEMA
from nizkbench.effects import FACTORS, analysis_of_variance, level_effects
from nizkbench.p1_grinding import proofs_table, queries_table
from nizkbench.p1_published import published_attempts
from nizkbench.p1_together import Repeated, repeated
from nizkbench.records import Records
from tests.made_grid import ATTEMPT_NS, crossed, made_grid
from tests.test_p1_grinding import COST, made, made_published

WANTED = crossed(
    queries=[20, 42, 60],
    blowup=[4, 8, 16],
    grinding=[0, 8, 16],
    hash=["blake3-256", "sha3-256"],
    folding=[4, 8],
)


@pytest.fixture(scope="module")
def records() -> Records:
    return made_grid(WANTED)


@pytest.fixture(scope="module")
def estimated(records: Records) -> pl.DataFrame:
    return cells(records)


def traces(figure: go.Figure | None, name: str) -> list[Any]:
    assert figure is not None
    return [trace for trace in figure.data if trace.name == name]


def test_the_front_shows_every_cell_on_it_with_all_of_its_options(estimated: pl.DataFrame) -> None:
    judged = pareto(estimated)
    default = cell_of(judged, 255, EARLIER_DEFAULT)
    assert default is not None
    figure = grid_figures.front(judged, 255, 100, [("default", default)])
    on_it = judged.filter(pl.col("front") & (pl.col("bits") >= 100))
    drawn, beside = traces(figure, "f128, on the front")
    assert sorted(drawn.y) == pytest.approx(sorted(on_it["prove_ns"]))
    assert sorted(drawn.x) == pytest.approx(sorted(on_it["proof_bytes"]))
    assert sorted(beside.x) == pytest.approx(sorted(on_it["verify_ns"]))
    for told, size in zip(drawn.customdata, drawn.x, strict=True):
        said = drawn.hovertemplate.removesuffix("<extra></extra>")
        for place, value in enumerate(told):
            said = said.replace(f"%{{customdata[{place}]}}", str(value))
        cell = on_it.row(by_predicate=pl.col("proof_bytes") == size, named=True)
        for option in OPTIONS:
            assert f"<br>{grid_figures.factor_name(option)}: {cell[option]}" in said
        assert f": {cell['security_conjectured']:g} / " in said
        assert "%" not in said
    (marked, _) = traces(figure, "earlier work: default")
    assert list(marked.y) == [default["prove_ns"]]
    (behind, _) = traces(figure, "less than 100 bits")
    assert len(behind.x) == judged.filter(pl.col("bits") < 100).height


def test_front_has_every_cell_and_one_for_print_every_nth(estimated: pl.DataFrame) -> None:
    judged = pareto(estimated)
    for most in (None, 10):
        figure = grid_figures.front(judged, 255, 100, most=most)
        for name, cloud in grid_figures.clouds(judged, 255, 100).items():
            drawn = len(traces(figure, name)[0].x)
            assert drawn == cloud.height if most is None else drawn <= most < cloud.height
        on_it = judged.filter(pl.col("front") & (pl.col("bits") >= 100))
        assert len(traces(figure, "f128, on the front")[0].x) == on_it.height


def test_clouds_and_front_hold_each_cell_once(estimated: pl.DataFrame) -> None:
    judged = pareto(estimated)
    behind = pl.concat(grid_figures.clouds(judged, 255, 100).values())["configuration"].to_list()
    on_it = judged.filter(pl.col("front") & (pl.col("bits") >= 100))["configuration"].to_list()
    assert sorted([*behind, *on_it]) == sorted(judged["configuration"])


def test_kinds_of_cells_on_the_front_differ_in_colour(estimated: pl.DataFrame) -> None:
    judged = pareto(estimated)
    other = judged.with_columns(field=pl.lit("f64"), configuration="f64" + pl.col("configuration"))
    both = pl.concat([judged, other])
    figure = grid_figures.front(both, 255, 100)
    clouds = [traces(figure, name)[0].marker for name in grid_figures.clouds(both, 255, 100)]
    assert len({marker.color for marker in clouds}) == len(clouds) == 3
    # In grey, symbols tell apart the fields, in the cloud and on the front, and the marks.
    assert clouds[1].symbol != clouds[2].symbol
    large = [traces(figure, f"{field}, on the front")[0].marker for field in ("f128", "f64")]
    marks = [symbol for symbol, _ in grid_figures._LANDMARKS.values()]
    assert len({*marks, *(marker.symbol for marker in large)}) == len(marks) + len(large)


def test_axes_of_the_front_name_more_than_two_numbers(estimated: pl.DataFrame) -> None:
    figure = grid_figures.front(pareto(estimated), 255, 100)
    assert figure is not None
    layout = figure.layout
    for axis in (layout.xaxis, layout.xaxis2, layout.yaxis):
        assert len(axis.tickvals) >= 3
        assert list(axis.tickvals) == sorted(axis.tickvals)
        assert all(axis.range[0] <= math.log10(tick) <= axis.range[1] for tick in axis.tickvals)


def test_a_front_without_cells_is_none(estimated: pl.DataFrame) -> None:
    assert grid_figures.front(pareto(estimated), 63) is None
    assert grid_figures.front(pareto(estimated), 255, 1000) is None


def test_the_fronts_of_all_sizes_have_a_panel_each() -> None:
    wanted = [
        *WANTED,
        *crossed(rounds=[63], queries=[42, 60], grinding=[0, 16]),
        *crossed(rounds=[15], queries=[20], blowup=[4], grinding=[0]),
    ]
    judged = pareto(cells(made_grid(wanted)))
    marked = {}
    for rounds in (15, 63, 255):
        default = cell_of(judged, rounds, EARLIER_DEFAULT)
        marked[rounds] = [] if default is None else [("default", default)]
    figure = grid_figures.fronts_by_size(judged, 100, marked)
    assert figure is not None
    # No cell of 15 rounds is secure enough.
    assert [one.text for one in figure.layout.annotations] == ["63 rounds", "255 rounds"]
    on_it = judged.filter(pl.col("front") & (pl.col("bits") >= 100))
    drawn = traces(figure, "f128, on the front")
    assert [len(trace.x) for trace in drawn] == [
        on_it.filter(pl.col("rounds") == rounds).height for rounds in (63, 255)
    ]
    assert sorted(drawn[0].y) == sorted(on_it.filter(pl.col("rounds") == 63)["prove_ns"])
    stars = traces(figure, "earlier work: default")
    assert [list(star.y) for star in stars] == [
        [marked[rounds][0][1]["prove_ns"]] for rounds in (63, 255)
    ]
    in_legend = [trace.name for trace in figure.data if trace.showlegend]
    assert len(in_legend) == len(set(in_legend))
    assert grid_figures.fronts_by_size(judged, 1000, marked) is None


def test_stairs_go_down_over_cells_that_none_beats_in_two_costs(estimated: pl.DataFrame) -> None:
    sizes, times = grid_figures._stairs(estimated, "proof_bytes")
    assert sizes == sorted(sizes)
    assert times == sorted(times, reverse=True)
    points = estimated.select("proof_bytes", "prove_ns").rows()
    for size, time in zip(sizes, times, strict=True):
        assert not any(s <= size and t < time for s, t in points)


def test_main_effects_have_a_point_for_each_level_and_metric(estimated: pl.DataFrame) -> None:
    effects = pl.concat(level_effects(estimated, m) for m in ("prove_ns", "proof_bytes"))
    figure = grid_figures.main_effects(effects)
    drawn = traces(figure, "time to proof")
    assert len(drawn) == effects["factor"].n_unique()
    points = [y for trace in drawn for y in trace.y]
    assert sorted(points) == pytest.approx(
        sorted(effects.filter(pl.col("metric") == "prove_ns")["effect"])
    )
    assert len(traces(figure, "proof size")) == len(drawn)
    assert grid_figures.main_effects(effects.clear()) is None


def test_levels_stand_in_order_and_lines_join_numbers_alone(estimated: pl.DataFrame) -> None:
    effects = level_effects(estimated, "prove_ns")
    figure = grid_figures.main_effects(effects)
    assert figure is not None
    titles = [one.text for one in figure.layout.annotations]
    drawn = dict(zip(titles, traces(figure, "time to proof"), strict=True))
    assert drawn["queries"].mode == "lines+markers"
    assert drawn["hash"].mode == "markers"
    place = titles.index("grinding") + 1
    assert list(figure.layout[f"xaxis{place}"].ticktext) == ["0", "8", "16"]
    by_level = dict(effects.filter(factor="grinding").select("level", "effect").iter_rows())
    assert list(drawn["grinding"].y) == [by_level[level] for level in ("0", "8", "16")]


def test_levels_that_are_no_numbers_have_a_meaningful_order() -> None:
    shuffled = ["f64/cubic", "f128/quadratic", "f64/none", "f64/quadratic", "f128/none"]
    assert grid_figures.ordered_levels(shuffled) == [
        *("f128/none", "f128/quadratic"),
        *("f64/none", "f64/quadratic", "f64/cubic"),
    ]
    assert grid_figures.ordered_levels(["128", "7", "31"]) == ["7", "31", "128"]
    hashes = ["sha3-256", "rp64-256", "blake3-256", "blake3-192"]
    assert grid_figures.ordered_levels(hashes)[-2:] == ["sha3-256", "rp64-256"]
    assert grid_figures.ordered_levels(["unknown", "linear"]) == ["linear", "unknown"]


def test_every_panel_of_effects_has_a_range_that_holds_its_intervals(
    estimated: pl.DataFrame,
) -> None:
    effects = pl.concat(level_effects(estimated, m) for m in METRICS)
    figure = grid_figures.main_effects(effects)
    assert figure is not None
    factors = [name for name in FACTORS if name in set(effects["factor"])]
    ranges = set()
    for place, factor in enumerate(factors, start=1):
        here = effects.filter(factor=factor)
        axis = figure.layout[f"yaxis{place if place > 1 else ''}"]
        low, high = (10**end for end in axis.range)
        assert low < min(here["low"]) < max(here["high"]) < high
        assert len(axis.tickvals) >= 3
        ranges.add(axis.range)
    assert len(ranges) == len(factors)
    looks = {(one.line.color, one.marker.symbol) for one in figure.data}
    assert len(looks) == len(METRICS)


def test_an_option_that_does_nothing_does_not_fill_its_panel() -> None:
    ticks, said, span = grid_figures._factor_ticks(0.9995, 1.0004)
    assert 10 ** (span[1] - span[0]) > 1.1
    assert "×1" in said
    assert len(ticks) == len(said) >= 3


def test_interactions_have_time_to_proof_below_the_diagonal(estimated: pl.DataFrame) -> None:
    variance = pl.concat(analysis_of_variance(estimated, m) for m in METRICS)
    figure = grid_figures.interactions(variance)
    assert figure is not None
    heat, of_size = figure.data
    shares = np.array(heat.z, dtype=float)
    assert np.isnan(np.diag(shares)).all()
    assert np.isfinite(shares[~np.eye(len(shares), dtype=bool)]).all()
    row = variance.filter(
        (pl.col("metric") == "prove_ns") & (pl.col("term") == "grinding × hash")
    ).row(0, named=True)
    labels = list(figure.layout.yaxis.ticktext)
    y, x = labels.index("hash"), labels.index("grinding")
    assert y > x
    assert shares[y][x] == pytest.approx(math.log10(row["share"]))
    assert "time to proof: grinding × hash" in heat.hovertext[y][x]
    assert "verify time" in heat.hovertext[x][y]
    below = np.tril(np.ones(shares.shape, dtype=bool), -1)
    assert (np.isfinite(np.array(of_size.z, dtype=float)) == below).all()
    assert "proof size: grinding × hash" in of_size.hovertext[y][x]
    assert grid_figures.interactions(variance.clear()) is None


def test_attempts_lie_on_the_line_of_their_cost(records: Records) -> None:
    samples, costs = attempt_samples(records), attempt_costs(records)
    figure = grid_figures.attempts_against_time(samples, costs)
    assert figure is not None
    (points,) = traces(figure, "sha3-256")
    many = [(x, y) for x, y in zip(points.x, points.y, strict=True) if x > 1e4]
    assert len(many) >= 3
    for x, y in many:
        assert y / x == pytest.approx(ATTEMPT_NS["sha3-256"], rel=0.05)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert len(lines) == 2
    assert lines[1].y[1] / lines[1].x[1] == pytest.approx(ATTEMPT_NS["sha3-256"], rel=0.01)
    assert len({trace.line.color for trace in lines}) == 2
    assert grid_figures.attempts_against_time(samples.clear(), costs) is None


def noisy_samples(attempts: int, noise_ns: float, proofs: int = 10_000) -> pl.DataFrame:
    """Proofs of equally many attempts, 80 ns each, with noise about zero."""
    rng = np.random.default_rng(4)
    return pl.DataFrame(
        {
            "field": "f128",
            "hash": "blake3-256",
            "attempts": np.full(proofs, float(attempts)),
            "attempts_ns": attempts * 80.0 + rng.normal(0, noise_ns, proofs),
        }
    )


PRICE = pl.DataFrame({"field": ["f128"], "hash": ["blake3-256"], "cost_ns": [80.0]})


def test_times_that_noise_makes_negative_count() -> None:
    samples = noisy_samples(100, 1e5)
    assert 0.4 < (samples["attempts_ns"] < 0).to_numpy().mean() < 0.5
    row = grid_figures.attempt_bins(samples, PRICE).row(0, named=True)
    assert (row["proofs"], row["bin"], row["attempts"]) == (10_000, 6, 100)
    # Four standard errors of the median; of the positive times alone it would be 70 µs.
    assert row["attempts_ns"] == pytest.approx(8e3, abs=4 * 1.2533 * 1e3)
    figure = grid_figures.attempts_against_time(samples, PRICE)
    (points,) = traces(figure, "blake3-256")
    assert figure is not None
    # The lower quartile is negative: its bar ends at the lower edge.
    edge = 10 ** figure.layout.yaxis.range[0]
    assert points.y[0] - points.error_y.arrayminus[0] == pytest.approx(edge)


def test_bins_are_left_out_by_their_noise_and_not_by_their_times() -> None:
    assert grid_figures.attempt_bins(noisy_samples(100, 4e5), PRICE).is_empty()
    assert grid_figures.attempt_bins(noisy_samples(100, 1.0, proofs=19), PRICE).is_empty()
    assert grid_figures.attempt_bins(noisy_samples(100, 1.0, proofs=20), PRICE).height == 1


QUERIES = range(38, 47)


@pytest.fixture(scope="module")
def again() -> Repeated:
    records = made(
        dict.fromkeys(QUERIES, 2.5e6),
        {one: 20_000.0 * (one - 37) for one in QUERIES},
        version="0.8.1",
        blocks=4,
        samples=5,
    )
    return repeated(records, made_published(blocks=4, samples=3))


def test_published_proofs_lie_on_one_line_with_their_queries_beside_them(again: Repeated) -> None:
    figure = grid_figures.p1_attempts(again.proofs, again.queries)
    (published,) = traces(figure, "the published proofs")
    (line,) = traces(figure, "structure + attempts · cost of one")
    assert sorted(published.x) == sorted(published_attempts().values())
    slope = (line.y[1] - line.y[0]) / (line.x[1] - line.x[0])
    assert slope == pytest.approx(COST, rel=0.1)
    for x, y in zip(published.x, published.y, strict=True):
        assert y == pytest.approx(line.y[0] + slope * x, rel=0.1)
    assert figure is not None
    labels = [one.text for one in figure.layout.annotations if one.text[:1].isdigit()]
    named = sorted(int(text) for label in labels for text in label.split(", "))
    assert named == list(QUERIES)
    # 38 and 40 took nearly as many attempts.
    assert "40, 38" in labels
    (ours,) = traces(figure, "one instance of ours")
    assert len(ours.x) == 9


def test_proofs_on_fresh_instances_are_shown_as_far_as_the_axis(again: Repeated) -> None:
    reach = grid_figures.p1_reach(again.queries)
    assert reach == grid_figures.P1_REACH * 2**16
    figure = grid_figures.p1_attempts(again.proofs, again.queries)
    (points,) = traces(figure, "fresh instances, a point a proof")
    fresh = again.proofs.filter(pl.col("instances") == "fresh")
    assert fresh.height == 9 * 4 * 5
    assert len(points.x) == fresh.filter(pl.col("attempts") <= reach).height < fresh.height
    assert figure is not None
    assert figure.layout.xaxis.range[1] == reach


def test_without_published_proofs_those_of_the_fixed_instance_have_labels() -> None:
    records = made({41: 2.5e6, 42: 2.5e6}, {41: 500_000.0, 42: 1_000.0}, blocks=3, samples=4)
    queries = queries_table(records)
    assert grid_figures.p1_reach(queries) == 525_000
    figure = grid_figures.p1_attempts(proofs_table(records), queries)
    assert not traces(figure, "the published proofs")
    assert figure is not None
    labels = [one.text for one in figure.layout.annotations if one.text[:1].isdigit()]
    assert sorted(labels) == ["41", "42"]
    assert grid_figures.p1_attempts(proofs_table(records), queries.clear()) is None


def test_predictions_are_drawn_with_the_band_of_nine_in_ten() -> None:
    off = np.linspace(-0.1, 0.1, 201)
    held_out = pl.DataFrame(
        {
            "metric": "prove_ns",
            "split": "random",
            "factor": None,
            "level": None,
            "configuration": [f"c{index:03}" for index in range(201)],
            "measured": np.geomspace(1e6, 1e8, 201),
            "predicted": np.geomspace(1e6, 1e8, 201) * (1 + off),
            "relative_error": off,
        },
        schema=PREDICTIONS_SCHEMA,
    )
    figure = grid_figures.predictions(held_out)
    assert figure is not None
    assert len(figure.data[0].x) == 201
    (band,) = figure.layout.shapes
    assert (band.y0, band.y1) == pytest.approx((-9.0, 9.0))
    assert grid_figures.predictions(held_out.clear()) is None


def test_shares_of_the_variance_add_up_to_all_of_it(estimated: pl.DataFrame) -> None:
    variance = pl.concat(analysis_of_variance(estimated, m) for m in ("prove_ns", "verify_ns"))
    figure = grid_figures.variance_shares(variance)
    assert figure is not None
    for bar in figure.data:
        assert sum(bar.x) == pytest.approx(100, abs=0.1)
        assert list(bar.y)[-2:] == ["pairs of options", "the rest"]


def test_a_cloud_is_thinned_evenly_and_a_front_never(estimated: pl.DataFrame) -> None:
    thinned = grid_figures._thinned(estimated, 50)
    assert 25 < thinned.height <= 50
    assert grid_figures._thinned(estimated, 10_000).height == estimated.height
