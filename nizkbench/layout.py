"""Where things stand in the repository: everything that reads or writes a path asks here."""

import os
from pathlib import Path

from nizkbench.errors import NizkBenchError

#: The folder of built runners may be given, as the Nix environment and a cluster job do.
BINARIES_VARIABLE = "NIZK_BENCH_BIN"


def root() -> Path:
    """The repository's root: the nearest folder that holds the runner protocol.

    It is looked for above the working directory, then above this file.
    """
    for start in (Path.cwd(), Path(__file__).resolve().parent):
        for folder in (start, *start.parents):
            if (folder / "provers" / "PROTOCOL.md").is_file():
                return folder
    raise NizkBenchError(
        "this is no checkout of nizk-bench: no folder above the working directory holds"
        " provers/PROTOCOL.md"
    )


def binary_folders() -> list[Path]:
    """Folders in which a runner's binary is looked up, first match first."""
    folders = [root() / "build" / "bin"]
    if given := os.environ.get(BINARIES_VARIABLE):
        folders.insert(0, Path(given))
    return folders + [Path(folder) for folder in os.get_exec_path()]


def runs() -> Path:
    """The folder of measured data."""
    return root() / "runs"
