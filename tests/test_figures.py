import math
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.figures import (
    FIGURES,
    FIRST_SYSTEMS,
    FONT_SIZE,
    MARKERS,
    PAGE_WIDTH,
    _clear_labels,
    draw,
    fixed_dates,
    growing_gadget,
    system_look,
    time_to_proof,
    write_drawn,
)
from nizkbench.quantities import plain
from nizkbench.results import Results, system_label


def _has_browser() -> bool:
    try:
        layout.browser()
    except NizkBenchError:
        return False
    return True


needs_browser = pytest.mark.skipif(not _has_browser(), reason="no Chromium to draw with")


def _traces(figure: Any) -> Iterator[Any]:  # noqa: ANN401
    return (trace for trace in figure.data if trace.type == "scatter" and trace.x[0] is not None)


def test_system_has_one_colour_and_one_marker_in_every_figure(results: Results) -> None:
    names = {system_label(system): system for system in results.systems}
    for name, figure in draw(results).items():
        for trace in _traces(figure):
            system = names.get(trace.name or "")
            if system is None or name == "grinding":
                continue
            look = system_look(system)
            assert trace.marker.color == look.colour, name
            assert str(trace.marker.symbol).removesuffix("-open") == look.marker, name


def test_systems_are_told_apart_without_colour() -> None:
    looks = [system_look(system) for system in FIRST_SYSTEMS]
    assert len({look.marker for look in looks}) == len(looks) == len(MARKERS)
    assert len({look.colour for look in looks}) == len(looks)


def test_added_system_takes_a_place_of_its_own_and_moves_nobody() -> None:
    before = {system: system_look(system) for system in FIRST_SYSTEMS}
    systems = [*FIRST_SYSTEMS, "halo2/plonk/pasta", "aurora/iop/f64"]
    assert {system: system_look(system, systems) for system in FIRST_SYSTEMS} == before
    added = [system_look(system, systems) for system in systems[-2:]]
    assert added[0] != added[1]
    looks = {(look.colour, look.marker) for look in (*before.values(), *added)}
    assert len(looks) == len(systems)


def test_every_figure_has_data_when_the_run_has_everything(results: Results) -> None:
    for name, function in FIGURES.items():
        assert function(results) is not None, name


def test_error_bars_reach_from_low_to_high(results: Results) -> None:
    figure = time_to_proof(results)
    assert figure is not None
    series = results.equal_terms["bellman/groth16/bls12-381"]
    name = system_label("bellman/groth16/bls12-381")
    trace = next(trace for trace in figure.data if trace.name == name)
    for place, size in enumerate(results.grid):
        value = results.value(series, "time_to_proof", size, "one")
        assert value is not None
        assert math.isclose(trace.y[place] + trace.error_y.array[place], value.high)
        assert math.isclose(trace.y[place] - trace.error_y.arrayminus[place], value.low)


def test_failed_configuration_is_marked_and_not_left_out(results: Results) -> None:
    figure = growing_gadget(results)
    assert figure is not None
    crossed = [trace for trace in figure.data if trace.text]
    assert crossed
    symbols = {trace.legendgroup: trace.marker.symbol for trace in figure.data if trace.x[0]}
    for trace in crossed:
        assert set(trace.text) == {"×"}
        assert all("timeout" in said for said in trace.hovertext)
        # Lines stand a little beside one another, and so do their crosses.
        assert all(abs(math.log10(size / results.largest)) < 0.1 for size in trace.x)
        # In grey a marker says whose it is.
        assert symbols[trace.legendgroup] == trace.marker.symbol
    # Two in one panel at one size stand one below the other.
    for axis in {trace.xaxis for trace in crossed}:
        heights = [y for trace in crossed if trace.xaxis == axis for y in trace.y]
        assert len(heights) == len(set(heights))


def test_sizes_too_close_to_be_read_have_no_label_and_the_ends_always_have() -> None:
    grid = (32, 64, 128, 256, 512, 1024, 1536, 2560, 4096)
    wide = _clear_labels(grid, 1000)
    assert wide == [str(size) for size in grid]
    narrow = _clear_labels(grid, 80)
    assert narrow[0] == "32"
    assert narrow[-1] == "4096"
    kept = [int(label) for label in narrow if label]
    assert 2 < len(kept) < len(grid)
    assert all(math.log10(b / a) * 80 > FONT_SIZE for a, b in pairwise(kept))
    assert _clear_labels((32,), 80) == ["32"]


def test_heat_map_writes_ratios_as_tables_do_and_large_enough_to_read(results: Results) -> None:
    figure = FIGURES["ratios-verify-one"](results)
    assert figure is not None
    assert figure.layout.width == PAGE_WIDTH
    systems = sorted(results.equal_terms)
    notes = {(note.x, note.y): note for note in figure.layout.annotations}
    assert len(notes) == len(systems) * (len(systems) - 1)
    for (column, row), note in notes.items():
        pair = (results.equal_terms[systems[row]], results.equal_terms[systems[column]])
        ratio = results.ratio(*pair, "verify", results.largest, "one")
        assert note.text == plain(ratio)
        assert note.font.size >= FONT_SIZE


def test_dates_are_replaced_without_moving_a_byte() -> None:
    pdf = b"<</CreationDate (D:20261120113000+00'00')\n/ModDate (D:20261120113000+00'00')>>"
    dated = fixed_dates(pdf, 0)
    assert len(dated) == len(pdf)
    assert dated.count(b"D:19700101000000+00'00'") == 2


def test_missing_browser_is_one_sentence(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(layout.BROWSER_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NizkBenchError, match=r"^no Chromium or Chrome was found[^\n]+$"):
        write_drawn({tmp_path / "figures": draw(results)}, results.epoch)
    monkeypatch.setenv(layout.BROWSER_VARIABLE, "/opt/chrome")
    with pytest.raises(NizkBenchError, match=r"^BROWSER_PATH names /opt/chrome, [^\n]+$"):
        write_drawn({tmp_path / "figures": draw(results)}, results.epoch)
    assert not (tmp_path / "figures").exists()


def test_named_browser_goes_before_those_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("google-chrome-stable", "chosen"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.delenv(layout.BROWSER_VARIABLE, raising=False)
    assert layout.browser() == tmp_path / "google-chrome-stable"
    monkeypatch.setenv(layout.BROWSER_VARIABLE, str(tmp_path / "chosen"))
    assert layout.browser() == tmp_path / "chosen"


@needs_browser
@pytest.mark.slow
def test_figures_drawn_twice_are_the_same_bytes(results: Results, tmp_path: Path) -> None:
    first = write_drawn({tmp_path / "first": draw(results)}, results.epoch)
    second = write_drawn({tmp_path / "second": draw(results)}, results.epoch)
    assert [path.name for path in first] == [f"{name}.pdf" for name in FIGURES]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
        # A figure is cut off where its page is not as large as the figure.
        assert re.search(rb"/Type\s*/Page\b", one.read_bytes())
