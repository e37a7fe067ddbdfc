"""What the cells of a notebook call: its parameters, and results measured or read."""

import os
from pathlib import Path

from nizkbench import layout
from nizkbench.analysed import analysed, read_analysed
from nizkbench.beside import GRID, HASHES, RANGES, Beside, read_kept
from nizkbench.errors import NizkBenchError
from nizkbench.grid_measure import Shard, measure_shard
from nizkbench.grid_merge import merge, shard_run
from nizkbench.grid_results import GridResults, grid_results
from nizkbench.hash_results import HashResults, read_hash_results
from nizkbench.hash_speed import measure_speed
from nizkbench.measure import measure
from nizkbench.notebook_parameters import KEPT_VARIABLE, experiment, grid_part
from nizkbench.profile import GridPart, HashFunctions, Mimc, RangeProofs, StarkGrid, read_profile
from nizkbench.range_results import RangeResults, range_results, read_range_results
from nizkbench.records import read_run
from nizkbench.results import Results

__all__ = [
    "experiment",
    "grid_part",
    "measured",
    "measured_grid",
    "measured_hashes",
    "measured_ranges",
    "recorded",
    "recorded_hashes",
]


def measured(profile: str, parameters: Mimc, records: str | None) -> Results:
    """Measure what is missing of a run, or read `records`, and estimate from it."""
    if records is not None:
        return read_analysed(Path(records))
    return analysed(measure(read_profile(profile).name, parameters))


def recorded(name: str) -> Results:
    """A run of `data/reference/`, by its name there, and what is estimated from it."""
    return read_analysed(_reference(name))


def recorded_hashes(profile: str) -> HashResults:
    """The run on hash functions that was recorded of a profile."""
    return read_hash_results(_reference(f"{profile}-hash-functions"))


def _reference(name: str) -> Path:
    folder = layout.reference()
    if not (folder / name / "manifest.json").exists():
        known = sorted(path.parent.name for path in folder.glob("*/manifest.json"))
        raise NizkBenchError(f"no run {name} is recorded, there are {', '.join(known)}")
    return folder / name


def measured_hashes(profile: str, parameters: HashFunctions, records: str | None) -> HashResults:
    """Measure what is missing of the experiment on hash functions, or read `records`.

    The functions are also timed alone.
    """
    if records is not None:
        return _kept(HASHES, records).hashes or read_hash_results(Path(records))
    name = read_profile(profile).name
    run = measure(name, parameters)
    speed = measure_speed(parameters, layout.runs() / f"{name}{parameters.SUFFIX}")
    return HashResults(analysed(run), speed)


def measured_ranges(profile: str, parameters: RangeProofs, records: str | None) -> RangeResults:
    """Measure what is missing of the experiment on ranges, or read `records`."""
    if records is not None:
        return _kept(RANGES, records).ranges or read_range_results(Path(records))
    return range_results(analysed(measure(read_profile(profile).name, parameters)))


def measured_grid(
    profile: str, parameters: StarkGrid, part: GridPart, records: str | None
) -> GridResults:
    """Measure what is missing of a grid, or read `records`, for its analysis.

    Shows what was measured so far if the budget ends before the run does, and of a grid in several
    shards the one that was asked for; `nizkbench grid merge` makes a run of all.
    """
    if records is not None:
        return _kept(GRID, records).grid or grid_results(read_run(Path(records)))
    name = read_profile(profile).name
    folder = layout.runs() / f"{name}-stark-grid"
    shard = Shard.read(part.shard)
    complete = measure_shard(name, parameters, folder, shard=shard, budget=part.budget)
    if complete and shard.of == 1:
        return grid_results(merge(folder))
    run = shard_run(shard.folder(folder))
    if run.records.samples.is_empty():
        raise NizkBenchError(
            f"no cell of shard {part.shard} has times yet; the same notebook goes on, with a longer"
            " budget if there is one"
        )
    return grid_results(run)


def _kept(experiment: str, records: str) -> Beside:
    """The analyses that were kept, or nothing where those of an experiment are of other records."""
    path = os.environ.get(KEPT_VARIABLE)
    kept = read_kept(Path(path) if path else None)
    return kept if kept.folders.get(experiment) == Path(records) else Beside()
