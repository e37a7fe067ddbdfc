"""Experiments beside a main run: where their records are, and their results.

Figures, tables, numbers and verdicts need the same analyses, which take longer than what is made of
them. So `nizkbench beside` makes them once, every part of them, and keeps them in a file that the
other verbs read. The file is a pickle: whoever reads it trusts who wrote it, and another version of
the code may not read it.
"""

import inspect
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from nizkbench.errors import NizkBenchError
from nizkbench.grid_claims import read_grid, with_grid
from nizkbench.grid_results import GridResults
from nizkbench.hash_results import HashResults, read_hash_results
from nizkbench.p1_together import Repeated
from nizkbench.range_results import RangeResults, read_range_results
from nizkbench.results import Results

#: The experiments that may stand beside a main run, by the end of their folders' names.
GRID, P1_GRINDING = "stark-grid", "p1-grinding"
HASHES, RANGES = "hash-functions", "range-proofs"

#: What a part of a grid is called among the folders of `Beside`.
PART = "part-of-stark-grid"

#: What a grid is compared with its balanced part by.
OF_PART = ("cells", "crossed", "effects")


@dataclass(frozen=True, slots=True)
class Beside:
    """The results of the experiments beside a main run; None of one that is not there.

    `again` is the experiment of earlier work on queries, and `part` a balanced part of the same
    grid: both belong to a grid. `folders` has those that were read, by `GRID`, `PART` and the like.
    """

    grid: GridResults | None = None
    again: Repeated | None = None
    part: GridResults | None = None
    hashes: HashResults | None = None
    ranges: RangeResults | None = None
    folders: Mapping[str, Path] = field(default_factory=dict)

    def deciding(self, results: Results) -> Results:
        """The results of the main run, with the verdicts that a grid beside it decides."""
        return results if self.grid is None else with_grid(results, self.grid, self.again)


def beside(
    *,
    grid: Path | None = None,
    p1_grinding: Path | None = None,
    grid_part: Path | None = None,
    hashes: Path | None = None,
    ranges: Path | None = None,
) -> Beside:
    """The results of the runs in these folders.

    `NizkBenchError` where a folder holds none, or what belongs to a grid is given without one.
    """
    folders = {
        GRID: grid,
        P1_GRINDING: p1_grinding,
        PART: grid_part,
        HASHES: hashes,
        RANGES: ranges,
    }
    for name in (P1_GRINDING, PART):
        if grid is None and folders[name] is not None:
            raise NizkBenchError(f"{folders[name]} is {name}, which is read with a grid alone")
    of_grid, again = (None, None) if grid is None else read_grid(grid, p1_grinding)
    return Beside(
        of_grid,
        again,
        None if grid_part is None else read_grid(grid_part)[0],
        None if hashes is None else read_hash_results(hashes),
        None if ranges is None else read_range_results(ranges),
        {name: folder for name, folder in folders.items() if folder is not None},
    )


def keep(found: Beside, path: Path) -> None:
    """Make every part of the results and write them to a file, for `read_kept`.

    Of the balanced part of a grid only `OF_PART`.
    """
    for one in (found.grid, found.hashes, found.ranges):
        _make_parts(one)
    for name in OF_PART if found.part else ():
        getattr(found.part, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL))


def read_kept(path: Path | None) -> Beside:
    """What `keep` wrote; without a path, nothing. `NizkBenchError` for a file it did not write."""
    if path is None:
        return Beside()
    try:
        found = pickle.loads(path.read_bytes())
    except FileNotFoundError:
        raise NizkBenchError(f"{path} does not exist; `nizkbench beside` writes it") from None
    except (pickle.UnpicklingError, AttributeError, EOFError, ImportError) as error:
        raise NizkBenchError(f"{path} was not written by this version ({error})") from None
    if not isinstance(found, Beside):
        raise NizkBenchError(f"{path} holds no results; `nizkbench beside` writes them")
    return found


def _make_parts(results: object) -> None:
    """Make what is otherwise made when it is first asked for, and the parts of that."""
    for name, member in inspect.getmembers_static(type(results)):
        if isinstance(member, cached_property):
            _make_parts(getattr(results, name))
