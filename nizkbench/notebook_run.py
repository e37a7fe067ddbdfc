"""Executes notebooks by papermill, with the parameters of a profile.

It loads nothing that only the cells of a notebook need: they run in a process of their own.
"""

import os
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.notebook_parameters import EXPERIMENTS, KEPT_VARIABLE, all_parameters

#: The tag of the first cell that needs the whole run; a job that measures a shard ends before it.
WHOLE_RUN = "whole-run"

#: How long what a cell shows may take to arrive after the cell has ended, in seconds.
OUTPUT_WITHIN = 120


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
    analysed again. A cell that fails ends in one sentence, and what was executed until then is kept
    in `into`. What measuring says of its progress goes to standard error as well. With a `shard`
    the notebook ends before the cells that need the whole run (`WHOLE_RUN`).
    """
    # Papermill is slow to load, and only this function needs it.
    import nbformat
    import papermill
    from papermill.exceptions import PapermillExecutionError

    source = layout.root() / "notebooks" / f"{name}.ipynb"
    if name not in EXPERIMENTS:
        raise NizkBenchError(f"there is no notebook {name}, there are {', '.join(EXPERIMENTS)}")
    given = dict(map(_assigned, overrides))
    parameters = all_parameters(name, profile, given)
    notebook = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]
    if "shard" in parameters:
        tags = [cell.metadata.get("tags", []) for cell in notebook.cells]
        ends = next((at for at, has in enumerate(tags) if WHOLE_RUN in has), None)
        notebook.cells = notebook.cells[:ends]
    into.parent.mkdir(parents=True, exist_ok=True)
    # The page that comes of it must not say where it was made.
    where = None if records is None else os.path.relpath(records, layout.root())
    if kept is not None:
        os.environ[KEPT_VARIABLE] = str(kept.resolve())
    try:
        papermill.execute_notebook(
            notebook,
            str(into),
            parameters={"profile": profile, "records": where, **parameters},
            cwd=str(layout.root()),
            progress_bar=False,
            stderr_file=sys.stderr,
            # What was measured is worth keeping at once; what is only shown is written at the end.
            request_save_on_cell_execute=records is None,
            # A large figure on a busy machine comes later than the four seconds of the default.
            iopub_timeout=OUTPUT_WITHIN,
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
