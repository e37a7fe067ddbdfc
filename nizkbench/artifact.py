"""The parts of ARTIFACT.md that were measured: what claims came to, what runs and steps cost.

Each part stands between two comments that name it and the command that makes it, and is written
anew as a whole.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import polars as pl

from nizkbench.claim_verdicts import claims_table, read_judged
from nizkbench.errors import NizkBenchError
from nizkbench.records import read_manifest
from nizkbench.tables import Table
from nizkbench.words import listed

COMMAND = "just artifact"


def parts(data: Path) -> dict[str, str]:
    """Every part by its name, as Markdown, from the folder of recorded runs and steps."""
    reference = data / "reference"
    return {
        "claims": claims_table(read_judged(reference / "standard")),
        "costs": costs_table(reference),
        "steps": steps_table(data / "steps.json"),
    }


def costs_table(reference: Path) -> str:
    """What each recorded run took: minutes, processes, the largest of them, and its records."""
    rows = []
    for folder in sorted(path.parent for path in reference.glob("*/manifest.json")):
        manifest = read_manifest(folder)
        invocations = pl.read_parquet(folder / "invocations.parquet")
        peaks = pl.scan_parquet(folder / "samples.parquet").select(pl.col("peak_rss_bytes").max())
        held = [peaks.collect().item(), *invocations.select(pl.col("memory_bytes").max()).row(0)]
        first, last = (
            datetime.fromisoformat(manifest["finished"][f"{end}_invocation_utc"])
            for end in ("first", "last")
        )
        minutes = (last - first).total_seconds() / 60
        kept = sum(path.stat().st_size for path in folder.iterdir())
        memory = max((one for one in held if one), default=None)
        rows.append(
            (
                f"`{folder.name}`",
                f"{minutes:.0f}",
                str(invocations.height),
                None if memory is None else _bytes(memory),
                _bytes(kept),
            )
        )
    heads = ("run", "minutes", "processes", "largest process", "records")
    return Table(heads, "lrrrr", tuple(rows)).markdown().rstrip()


def steps_table(path: Path) -> str:
    """What each command took that `.ci/follow` carried out in a fresh clone, and when that was."""
    try:
        steps = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise NizkBenchError(f"{path} does not exist; `.ci/follow` writes it") from None
    rows = tuple(
        (
            step["heading"],
            f"`{step['command']}`",
            _time(step["seconds"]),
            _bytes(step["largest_process_bytes"]),
            _bytes(step["disk_bytes"]),
        )
        for step in steps
    )
    table = Table(("part", "command", "took", "largest process", "disk"), "llrrr", rows)
    dates = listed(sorted({step["date"] for step in steps}))
    revisions = dict.fromkeys(f"`{step['revision'][:12]}`" for step in steps)
    cores = listed(sorted({str(step["cores"]) for step in steps}))
    took = _time(sum(step["seconds"] for step in steps))
    return (
        f"Followed on {dates} at revision {listed(list(revisions))}, on {cores} cores, in"
        f" {took}.\n\n{table.markdown().rstrip()}"
    )


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _bytes(count: int) -> str:
    for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= scale:
            return f"{count / scale:.{0 if count >= 10 * scale else 1}f} {unit}"
    return f"{count} B"


def spliced(text: str, made: Mapping[str, str]) -> str:
    """A document with every part between its comments written anew.

    `NizkBenchError` where the document lacks the place of one.
    """
    for name, part in made.items():
        begin, end = f"<!-- {name}: made by `{COMMAND}` -->", f"<!-- end of {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise NizkBenchError(f"the document has no single place for {name}, after {begin}")
        before, rest = text.split(begin)
        after = rest.split(end)[1]
        text = f"{before}{begin}\n\n{part}\n\n{end}{after}"
    return text
