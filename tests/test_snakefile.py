"""A result is made again when the code that it follows from has changed."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SNAKEMAKE = Path(sys.executable).parent / "snakemake"

#: Modules that make records and nothing else. No rule follows from them: what was measured stays,
#: whatever becomes of the code that measured it.
MEASURING = {
    *("checks", "journal", "layout", "manifest", "measure", "messages", "profile", "progress"),
    *("reference", "runner", "tampering", "grid_journal", "grid_measure", "grid_merge"),
}

#: Modules that only the results of an option grid follow from.
OF_THE_GRID = {
    *("cells", "choice", "cost_model", "effects", "grid", "grid_advice", "grid_claims"),
    "grid_figures",
    *("grid_findings", "grid_numbers", "grid_prose", "grid_results", "grid_tables", "operations"),
    *("p1_grinding", "proof_size", "security"),
}

#: Modules that only results on hash functions follow from.
OF_HASHES = {
    *("hash_claims", "hash_figures", "hash_numbers", "hash_prose", "hash_reference"),
    *("hash_results", "hash_speed", "hash_tables", "trials"),
}

#: Modules that only results on ranges follow from.
OF_RANGES = {
    *("range_claims", "range_figures", "range_numbers", "range_prose", "range_reference"),
    *("range_results", "range_tables"),
}


@cache
def imports(file: str) -> frozenset[str]:
    """The files of the package that a file of it, or a notebook, imports, each as in `modules`."""
    text = (ROOT / file).read_text(encoding="utf-8")
    if file.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    files = {f"{name.replace('.', '/')}.py" for name in names if name.startswith("nizkbench.")}
    return frozenset(found for found in files if (ROOT / found).is_file())


def follows_from(files: set[str], without: set[str]) -> set[str]:
    """The files of the package that `files` need, themselves included, `without` some modules."""
    left_out = {f"nizkbench/{name}.py" for name in without}
    found, new = set(), files
    while new:
        found |= new
        new = {needed for file in new for needed in imports(file)} - left_out - found
    return {file for file in found if file.startswith("nizkbench/")}


@dataclass(frozen=True)
class Job:
    """What Snakemake would carry out: files and the shell command."""

    inputs: set[str]
    outputs: set[str]
    command: str


@pytest.fixture(scope="module")
def jobs() -> list[Job]:
    """Every job on the way from records to paper and report, from a dry run."""
    told = subprocess.run(
        [
            *(SNAKEMAKE, "--cores", "1", "--dry-run", "--forceall", "--printshellcmds"),
            *("--config", "profile=standard", "records=data/reference/standard", "--", "all"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.findall(
        r"^ +input: (.+)\n +output: (.+)\n(?: +.+\n)*Shell command: (.+)$", told, re.MULTILINE
    )
    return [Job(set(i.split(", ")), set(o.split(", ")), command) for i, o, command in found]


def test_every_module_that_a_result_follows_from_is_an_input(jobs: list[Job]) -> None:
    makers = {output: job for job in jobs for output in job.outputs}
    made = {
        f"build/standard/{name}" for name in ("paper.pdf", "supplement.pdf", "report/index.html")
    }
    assert made <= makers.keys()

    def inputs(job: Job) -> set[str]:
        """Inputs of a job and of the jobs that make those."""
        return job.inputs.union(*(inputs(makers[file]) for file in job.inputs & makers.keys()))

    stale = {}
    for job in jobs:
        files = {
            f"nizkbench/cli/{verb}.py" for verb in re.findall("nizkbench ([a-z]+)", job.command)
        }
        assert files, job.command
        files |= {file for file in job.inputs - makers.keys() if file.endswith(".ipynb")}
        everything = "beside" in job.command
        of_the_grid = everything or "stark_grid" in job.command
        of_hashes = everything or "hash_functions" in job.command
        without = MEASURING | (set() if of_the_grid else OF_THE_GRID)
        of_ranges = everything or "range_proofs" in job.command
        without |= set() if of_hashes else OF_HASHES
        without |= set() if of_ranges else OF_RANGES
        if missing := follows_from(files, without) - inputs(job):
            stale[job.command] = missing
    assert not stale
