"""The grid of a profile goes to a cluster: shards through SLURM, and one run comes back."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import polars as pl
import pytest

from nizkbench.records import SCHEMAS, Run, read_run
from tests.harness import STARK_CELLS, Repository, repository
from tests.slurm import Cluster, NoSlurmError, cluster
from tests.test_grid_measure import answered, finished_in, wait_until

pytestmark = pytest.mark.slow

SHARDS = ("shard-1-of-2", "shard-2-of-2")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of this machine; tests are skipped, with the reason, where it cannot start."""
    with ExitStack() as running:
        try:
            yield running.enter_context(cluster(tmp_path_factory.mktemp("slurm") / "cluster"))
        except NoSlurmError as reason:
            pytest.skip(f"no SLURM on this machine: {reason}")


@pytest.fixture
def small(tmp_path: Path) -> Repository:
    """A repository with the real Snakefile, notebook and STARK, and a grid of eight cells."""
    made = repository(tmp_path)
    made.workflow()
    made.grid_profile(crossings={"every": STARK_CELLS})
    return made


def submit(small: Repository, slurm: Cluster, shards: int = 2) -> subprocess.Popen[str]:
    """Start what a person at a cluster types, from the repository."""
    command = [
        sys.executable, "-m", "snakemake",
        "--executor", "slurm", "--jobs", str(shards), "--cores", "1",
        # Without accounting there is only the queue to ask, and this one is never long.
        "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "1",
        "--seconds-between-status-checks", "1",
        "--default-resources", "slurm_partition=grid", "mem_mb=900", "runtime=10",
        "--config", "profile=small", f"shards={shards}", "--", "grid",
    ]  # fmt: skip
    path = [slurm.environment["PATH"], str(Path(sys.executable).parent)]
    environment = small.environment | {
        "SLURM_CONF": slurm.environment["SLURM_CONF"],
        "PATH": os.pathsep.join(path),
    }
    return subprocess.Popen(
        command,
        cwd=small.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(snakemake: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit status of Snakemake and what it said."""
    said, _ = snakemake.communicate(timeout=240)
    return snakemake.returncode, said


def cells(run: Run) -> Counter[tuple[str, int]]:
    """How often each cell was measured in each block."""
    return Counter(run.records.invocations.select("configuration", "block").iter_rows())


def test_a_job_runs_on_the_node_and_ends(slurm: Cluster, tmp_path: Path) -> None:
    said = tmp_path / "said"
    number = slurm.command("sbatch", "--parsable", "--wait", f"--output={said}", "--wrap=nproc")
    assert slurm.jobs()[number.strip()] == "COMPLETED"
    assert said.read_text().strip() == str(len(os.sched_getaffinity(0)))


def test_a_grid_through_the_cluster_is_the_unsharded_one(slurm: Cluster, small: Repository) -> None:
    before = slurm.jobs()
    status, said = finish(submit(small, slurm))
    assert status == 0, said
    jobs = {number: state for number, state in slurm.jobs().items() if number not in before}
    assert list(jobs.values()) == ["COMPLETED"] * 2, said

    merged = read_run(small.grid)
    assert merged.manifest["shards"] == 2
    whole_folder = small.root / "runs" / "whole"
    alone = small.nizkbench("grid", "measure", "small", "--into", str(whole_folder))
    assert alone.returncode == 0, alone.stderr
    whole = read_run(whole_folder)
    for name, schema in SCHEMAS.items():
        assert merged.records.table(name).schema == whole.records.table(name).schema == schema
    assert merged.records.configurations.equals(whole.records.configurations)
    assert cells(merged) == cells(whole)
    assert set(cells(merged).values()) == {1}
    assert set(merged.records.invocations["outcome"]) == {"done"}
    processes = pl.read_parquet(small.grid / "processes.parquet")
    assert processes.group_by("shard").agg(pl.col("core").n_unique())["core"].to_list() == [1, 1]
    assert processes["core"].n_unique() == min(2, len(os.sched_getaffinity(0)))
    # What each job leaves behind is its notebook, carried out as far as it needs no other shard.
    for shard in (1, 2):
        executed = small.root / "build" / "small" / "grid" / f"{shard}-of-2.ipynb"
        assert "4 of 4 cells have times" in executed.read_text(encoding="utf-8")


def test_jobs_that_are_killed_go_on_where_they_were(slurm: Cluster, small: Repository) -> None:
    slow = {"warmup": 0, "minimum": 2, "maximum": 10_000, "seconds": 0.5}
    small.grid_profile(crossings={"every": STARK_CELLS}, cells_per_process=4, samples=slow)
    snakemake = submit(small, slurm)

    def answers() -> int:
        return sum(finished_in(path) for path in small.grid.glob("*/process-*/answers.jsonl"))

    wait_until(lambda: answers() >= 2, 240)
    slurm.command("scancel", "--signal=KILL", "--full", "--user=root")
    status, said = finish(snakemake)
    assert status != 0, said
    held = [small.nizkbench("grid", "measure", "small", "--shard", f"{i}/2", "--budget", "0")
            for i in (1, 2)]  # fmt: skip
    assert {one.returncode for one in held} <= {0, 1}, [one.stderr for one in held]
    kept = {shard: answered(small, shard) for shard in SHARDS}
    assert 2 <= sum(map(len, kept.values())) < 24

    status, said = finish(submit(small, slurm))
    assert status == 0, said
    for shard in SHARDS:
        assert kept[shard] <= answered(small, shard)
    assert cells(read_run(small.grid)) == Counter(dict.fromkeys(cells(read_run(small.grid)), 1))
    assert sum(cells(read_run(small.grid)).values()) == 24
