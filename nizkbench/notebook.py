"""Notebooks: run by papermill with the parameters of a profile, checked before anything starts.

A notebook is an experiment: `notebooks/NAME.ipynb` has the parameters of the table NAME of a
profile, besides `profile`, `records`, and what `_BESIDE` adds.
"""

import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
from nizkbench.profile import (
    GridPart,
    HashFunctions,
    Mimc,
    NotebookParameters,
    ProfileError,
    RangeProofs,
    StarkGrid,
    read_profile,
)
from nizkbench.range_results import RangeResults, range_results, read_range_results
from nizkbench.records import read_run
from nizkbench.results import Results

#: The experiments that have a notebook, by its name.
EXPERIMENTS: dict[str, type[NotebookParameters]] = {
    kind.SECTION: kind for kind in (Mimc, StarkGrid, HashFunctions, RangeProofs)
}

#: The tag of the first cell that needs the whole run; a job that measures a shard ends before it.
WHOLE_RUN = "whole-run"

#: Parameters of a notebook that are no part of the experiment's profile.
_BESIDE = {StarkGrid.SECTION: GridPart}

#: The variable that tells a notebook of the file that `nizkbench beside` wrote.
KEPT = "NIZK_BENCH_BESIDE"

#: How long what a cell shows may take to arrive after the cell has ended, in seconds.
OUTPUT_WITHIN = 120


def experiment[E: NotebookParameters](kind: type[E], profile: str, given: Mapping[str, Any]) -> E:
    """The parameters of a profile with those that are given in their place.

    A parameter that is None is the profile's. `ProfileError` names one that is unknown or of the
    wrong type, or a profile without this experiment.
    """
    found: E | None = getattr(read_profile(profile), kind.SECTION)
    if found is None:
        raise ProfileError(f"profile {profile} has no section {kind.SECTION}")
    return kind.of(found.parameters() | _chosen(given))


def grid_part(given: Mapping[str, Any]) -> GridPart:
    """What of a grid is measured; a parameter that is None has its default.

    `ProfileError` names one that is unknown or of the wrong type.
    """
    return GridPart.of(_chosen(given))


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
    path = os.environ.get(KEPT)
    kept = read_kept(Path(path) if path else None)
    return kept if kept.folders.get(experiment) == Path(records) else Beside()


def _chosen(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def run_notebook(
    name: str,
    profile: str,
    into: Path,
    *,
    records: Path | None = None,
    kept: Path | None = None,
    overrides: Sequence[str] = (),
) -> None:
    """Execute `notebooks/NAME.ipynb` into `into`.

    `overrides` are `parameter=value` with a TOML value. An unknown or ill-typed parameter is
    refused before the notebook starts. What `nizkbench beside` has `kept` of these records is not
    analysed again. A cell that fails ends in one sentence, and what was
    executed until then is kept in `into`. What measuring says of its progress goes to standard
    error as well. With a `shard` the notebook ends before the cells that need the whole run
    (`WHOLE_RUN`).
    """
    # Papermill is slow to load, and only this function needs it.
    import nbformat
    import papermill
    from papermill.exceptions import PapermillExecutionError

    source = layout.root() / "notebooks" / f"{name}.ipynb"
    if name not in EXPERIMENTS:
        raise NizkBenchError(f"there is no notebook {name}, there are {', '.join(EXPERIMENTS)}")
    given = dict(map(_assigned, overrides))
    parameters = _checked(name, profile, given)
    notebook = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]
    if "shard" in parameters:
        tags = [cell.metadata.get("tags", []) for cell in notebook.cells]
        ends = next((at for at, has in enumerate(tags) if WHOLE_RUN in has), None)
        notebook.cells = notebook.cells[:ends]
    into.parent.mkdir(parents=True, exist_ok=True)
    # The page that comes of it must not say where it was made.
    where = None if records is None else os.path.relpath(records, layout.root())
    if kept is not None:
        os.environ[KEPT] = str(kept.resolve())
    try:
        papermill.execute_notebook(
            notebook,
            str(into),
            parameters={"profile": profile, "records": where, **parameters},
            cwd=str(layout.root()),
            progress_bar=False,
            stderr_file=sys.stderr,
            # A large figure on a busy machine comes later than the four seconds of the default.
            iopub_timeout=OUTPUT_WITHIN,
        )
    except PapermillExecutionError as error:
        raise NizkBenchError(
            f"cell {error.exec_count} of notebook {name} failed with {error.ename}: {error.evalue}"
            f" (executed so far: {into})"
        ) from None


def _checked(name: str, profile: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of a notebook but `profile` and `records`, the profile's and those given."""
    beside: dict[str, Any] = {}
    if kind := _BESIDE.get(name):
        beside = {one: given[one] for one in kind.__struct_fields__ if one in given}
        kind.of(beside)
    own = {one: value for one, value in given.items() if one not in beside}
    return experiment(EXPERIMENTS[name], profile, own).parameters() | beside


def _assigned(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign:
        raise NizkBenchError(f"parameter {text!r} has no value; write NAME=VALUE with a TOML value")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError as error:
        raise NizkBenchError(f"parameter {name.strip()}: {value!r} is no TOML ({error})") from None
