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
from nizkbench.effects import analysis_of_variance, level_effects
from nizkbench.records import Records
from tests.made_grid import ATTEMPT_NS, crossed, made_grid

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
    for option in OPTIONS:
        assert grid_figures.factor_name(option) in drawn.hovertext[0]
    assert "bits: 128 / " in "".join(drawn.hovertext)
    (marked, _) = traces(figure, "earlier work: default")
    assert list(marked.y) == [default["prove_ns"]]
    (behind, _) = traces(figure, "less than 100 bits")
    assert len(behind.x) == judged.filter(pl.col("bits") < 100).height


def test_a_front_without_cells_is_none(estimated: pl.DataFrame) -> None:
    assert grid_figures.front(pareto(estimated), 63) is None
    assert grid_figures.front(pareto(estimated), 255, 1000) is None


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
    figure = grid_figures.attempts_against_time(attempt_samples(records), attempt_costs(records))
    assert figure is not None
    (points,) = traces(figure, "sha3-256")
    many = [(x, y) for x, y in zip(points.x, points.y, strict=True) if x > 1e5]
    assert len(many) > 20
    for x, y in many:
        assert y / x == pytest.approx(ATTEMPT_NS["sha3-256"], rel=0.15)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert len(lines) == 2
    assert lines[1].y[1] / lines[1].x[1] == pytest.approx(ATTEMPT_NS["sha3-256"], rel=0.01)


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
