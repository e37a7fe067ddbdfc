"""Where things stand in the repository: everything that reads or writes a path asks here."""

import os
import shutil
from pathlib import Path

from nizkbench.errors import NizkBenchError

#: The folder of built runners may be given, as the Nix environment and a cluster job do.
BINARIES_VARIABLE = "NIZK_BENCH_BIN"

#: The browser may be given too, as `./enter` and the Nix environment do; kaleido obeys it as well.
BROWSER_VARIABLE = "BROWSER_PATH"

#: Browsers that draw the figures, by the names of their programs, first match first; `./enter`
#: looks for the same.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


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


def browser() -> Path:
    """The browser that draws the figures: the one that `BROWSER_PATH` names, or the first found.

    `NizkBenchError` where there is none.
    """
    if given := os.environ.get(BROWSER_VARIABLE):
        if path := shutil.which(given):
            return Path(path)
        raise NizkBenchError(
            f"{BROWSER_VARIABLE} names {given}, which is no program; set it to a Chromium or"
            " Chrome, or enter the project by `./enter`"
        )
    for name in BROWSERS:
        if path := shutil.which(name):
            return Path(path)
    raise NizkBenchError(
        "no Chromium or Chrome was found to draw the figures; install `chromium`, set"
        f" {BROWSER_VARIABLE}, or enter the project by `./enter`"
    )


def reference() -> Path:
    """The folder of recorded runs."""
    return root() / "data" / "reference"


def runs() -> Path:
    """The folder of measured data."""
    return root() / "runs"


def recorded_beside(records: Path, experiment: str) -> Path | None:
    """The run of an experiment that is kept beside a main run, by their names; None without one.

    Among the recorded runs that is the largest there is, elsewhere the one of the same profile:
    what a machine measured of another profile is another run.
    """
    names = ("full", records.name) if records.resolve().parent == reference() else (records.name,)
    folders = (records.parent / f"{name}-{experiment}" for name in names)
    return next((one for one in folders if (one / "manifest.json").exists()), None)
