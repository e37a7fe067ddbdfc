"""Notebooks: run by papermill with the parameters of a profile, checked before anything starts."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nizkbench import layout
from nizkbench.analysis import analyse
from nizkbench.errors import NizkBenchError
from nizkbench.measure import measure
from nizkbench.profile import Mimc, read_profile
from nizkbench.records import read_run
from nizkbench.results import Results, results_of


def experiment(profile: str, given: Mapping[str, Any]) -> Mimc:
    """The parameters of a profile with those that are given in their place.

    A parameter that is None is the profile's. `ProfileError` names one that is unknown or of the
    wrong type.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    return Mimc.of(read_profile(profile).mimc.parameters() | chosen)


def measured(profile: str, parameters: Mimc, records: str | None) -> Results:
    """Measure what is missing of a run, or read `records`, and estimate from it."""
    name = read_profile(profile).name
    run = measure(name, parameters) if records is None else read_run(Path(records))
    return results_of(run, analyse(run.records))


def run_notebook(
    name: str,
    profile: str,
    into: Path,
    *,
    records: Path | None = None,
    overrides: Sequence[str] = (),
) -> None:
    """Execute `notebooks/NAME.ipynb` into `into`.

    `overrides` are `parameter=value` with a TOML value. An unknown or ill-typed parameter is
    refused before the notebook starts; a cell that fails ends in one sentence, and what was
    executed until then is kept in `into`.
    """
    # Papermill is slow to load, and only this function needs it.
    import papermill
    from papermill.exceptions import PapermillExecutionError

    source = layout.root() / "notebooks" / f"{name}.ipynb"
    if not source.is_file():
        known = ", ".join(sorted(path.stem for path in source.parent.glob("*.ipynb")))
        raise NizkBenchError(f"there is no notebook {name}, there are {known or 'none'}")
    parameters = experiment(profile, dict(map(_assigned, overrides))).parameters()
    into.parent.mkdir(parents=True, exist_ok=True)
    # The page that comes of it must not say where it was made.
    where = None if records is None else os.path.relpath(records, layout.root())
    try:
        papermill.execute_notebook(
            str(source),
            str(into),
            parameters={"profile": profile, "records": where, **parameters},
            cwd=str(layout.root()),
            progress_bar=False,
            log_output=False,
        )
    except PapermillExecutionError as error:
        raise NizkBenchError(
            f"cell {error.exec_count} of notebook {name} failed with {error.ename}: {error.evalue}"
            f" (executed so far: {into})"
        ) from None


def _assigned(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign:
        raise NizkBenchError(f"parameter {text!r} has no value; write NAME=VALUE with a TOML value")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError as error:
        raise NizkBenchError(f"parameter {name.strip()}: {value!r} is no TOML ({error})") from None
