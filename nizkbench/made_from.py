"""What was built of which runs: the SHA-256 of every run's records, kept beside what is built.

By it a bundle tells that what was built belongs to the records that it packs, wherever these stand:
it has the contents of the runs and not their folders.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from nizkbench.beside import PART
from nizkbench.errors import NizkBenchError
from nizkbench.manifest import file_hash

#: The file that keeps it, in every folder that is built at once: `generated/` and `report/`.
KEPT = "runs.json"

#: What the main run is called there; the others are called as `Beside.folders` calls them.
MAIN = "main"

#: What a run of each name is of, for a sentence.
SAID = {MAIN: "main run", PART: "balanced part of the grid"}


def records_of(run: Path) -> list[Path]:
    """The files of a run's records: its manifest, and its tables in alphabetical order."""
    return [run / "manifest.json", *sorted(run.glob("*.parquet"))]


def digest(run: Path) -> str:
    """The SHA-256 of a run's records, over the name and the SHA-256 of each of its files."""
    found = hashlib.sha256()
    for path in records_of(run):
        found.update(f"{path.name} {file_hash(path)}\n".encode())
    return found.hexdigest()


def digests(runs: Mapping[str, Path]) -> dict[str, str]:
    """The SHA-256 of the records of each run, by the names of the runs in alphabetical order."""
    return {name: digest(runs[name]) for name in sorted(runs)}


def keep(runs: Mapping[str, Path], folder: Path) -> Path:
    """Write to `folder` what is made there of these runs; the file."""
    path = folder / KEPT
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(digests(runs), indent=1) + "\n", encoding="utf-8")
    return path


def read_kept(folder: Path) -> dict[str, str] | None:
    """What `keep` wrote to a folder; None where it never did."""
    path = folder / KEPT
    try:
        found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise NizkBenchError(f"{path} is no JSON ({error})") from None
    return found


def apart(kept: Mapping[str, str], runs: Mapping[str, str]) -> list[str]:
    """The runs that are others in one than in the other, or are missing in one, in a few words."""
    names = sorted({*kept} | {*runs}, key=lambda name: (name != MAIN, name))
    return [SAID.get(name, name) for name in names if kept.get(name) != runs.get(name)]
