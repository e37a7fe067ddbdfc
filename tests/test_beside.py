"""Analyses that were kept say what those that were just made say."""

import pickle
from pathlib import Path

import pytest

from nizkbench.analysed import analysed
from nizkbench.beside import Beside, keep, read_kept
from nizkbench.errors import NizkBenchError
from nizkbench.grid_numbers import grid_numbers
from nizkbench.grid_results import GridResults
from nizkbench.hash_numbers import hash_numbers
from nizkbench.hash_results import HashResults
from nizkbench.range_numbers import range_numbers
from nizkbench.range_results import range_results
from tests import test_hash_results, test_range_results
from tests.made_grid import crossed, made_grid


def made() -> Beside:
    cells = crossed(queries=[27, 41], blowup=[4, 8], grinding=[0, 8])
    records = made_grid(cells, blocks=3, samples=2)
    return Beside(
        grid=GridResults(records, {"name": "made-up"}),
        part=GridResults(records, {"name": "its part"}),
        hashes=HashResults(analysed(test_hash_results.run())),
        ranges=range_results(analysed(test_range_results.run())),
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Beside:
    path = tmp_path_factory.mktemp("kept") / "new" / "beside.pickle"
    keep(made(), path)
    return read_kept(path)


def test_what_was_kept_gives_the_same_numbers(kept: Beside) -> None:
    again = made()
    assert kept.grid is not None
    assert again.grid is not None
    assert grid_numbers(kept.grid, part=kept.part) == grid_numbers(again.grid, part=again.part)
    assert kept.hashes is not None
    assert again.hashes is not None
    assert hash_numbers(kept.hashes) == hash_numbers(again.hashes)
    assert kept.ranges is not None
    assert again.ranges is not None
    assert range_numbers(kept.ranges) == range_numbers(again.ranges)


def test_every_part_is_made_before_it_is_kept(kept: Beside) -> None:
    assert {"held_out", "effects", "secured"} <= vars(kept.grid).keys()


def test_without_a_file_there_is_nothing_beside() -> None:
    assert read_kept(None) == Beside()


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps("another object")])
def test_file_that_holds_no_results_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "beside.pickle"
    path.write_bytes(content)
    with pytest.raises(NizkBenchError, match=r"beside\.pickle"):
        read_kept(path)


def test_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NizkBenchError, match="`nizkbench beside` writes it"):
        read_kept(tmp_path / "beside.pickle")
