"""A grid in shards through the Snakefile on this machine: killed anywhere, it goes on."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from nizkbench.records import read_run
from tests.harness import STARK_CELLS, Repository, repository
from tests.test_grid_measure import answered, finished_in, wait_until

pytestmark = pytest.mark.slow

#: What the Justfile starts, with two shards.
WORKFLOW = (
    *(sys.executable, "-m", "snakemake", "--cores", "2", "--nolock", "--rerun-incomplete"),
    *("--config", "profile=small", "shards=2", "--", "grid"),
)


def start(small: Repository) -> subprocess.Popen[str]:
    """Start the workflow in a process group of its own."""
    path = os.pathsep.join([str(Path(sys.executable).parent), small.environment["PATH"]])
    return subprocess.Popen(
        WORKFLOW,
        cwd=small.root,
        env=small.environment | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def test_everything_killed_at_once_loses_the_cells_in_flight_alone(tmp_path: Path) -> None:
    small = repository(tmp_path)
    small.workflow()
    slow = {"warmup": 0, "minimum": 2, "maximum": 10_000, "seconds": 0.4}
    small.grid_profile(crossings={"every": STARK_CELLS}, cells_per_process=4, samples=slow)

    workflow = start(small)

    def finished() -> int:
        return sum(map(finished_in, small.grid.glob("*/process-*/answers.jsonl")))

    wait_until(lambda: finished() >= 3, 120)
    seen = finished()
    os.killpg(workflow.pid, signal.SIGKILL)
    workflow.communicate()

    # The kernels, in sessions of their own, end by themselves; the same command goes on.
    def released() -> bool:
        ended = [
            small.nizkbench("grid", "measure", "small", "--shard", f"{shard}/2", "--budget", "0")
            for shard in (1, 2)
        ]
        return all(one.returncode in (0, 1) for one in ended)

    wait_until(released, 60)
    kept = {shard: answered(small, shard) for shard in ("shard-1-of-2", "shard-2-of-2")}
    assert sum(map(len, kept.values())) >= seen

    workflow = start(small)
    said, _ = workflow.communicate(timeout=240)
    assert workflow.returncode == 0, said
    for shard, before in kept.items():
        assert before <= answered(small, shard)
    measured = Counter(
        read_run(small.grid).records.invocations.select("configuration", "block").rows()
    )
    assert len(measured) == 8 * 3
    assert set(measured.values()) == {1}
