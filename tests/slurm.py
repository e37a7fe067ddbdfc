"""A SLURM cluster of one node, for tests: this machine, with daemons, keys and ports of its own.

Nothing of it touches a SLURM that the machine may have: configuration, key, sockets, logs and
state are in one folder, and the commands find them through `SLURM_CONF`. There are no control
groups and no accounting, so that it starts in a container; a scheduler is all that is left of it,
which is what is tested.
"""

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sbatch", "srun", "squeue", "scontrol", "sinfo", "scancel")

#: Where Debian keeps daemons, which is not on everybody's path.
SEARCHED = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])

STARTS_WITHIN = 30.0
ENDS_WITHIN = 10.0

CONFIGURATION = """\
ClusterName=nizkbench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
ReturnToService=2
# Finished jobs stay visible to squeue, which is all that is there to ask.
MinJobAge=300
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} State=UNKNOWN
PartitionName=grid Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class NoSlurmError(Exception):
    """There is no cluster of one node here, for a reason in one sentence."""


@dataclass(frozen=True)
class Cluster:
    """A running cluster; `environment` is what its commands are started with."""

    folder: Path
    environment: dict[str, str]

    def command(self, *arguments: str) -> str:
        """Run a command of SLURM and return what it prints."""
        done = subprocess.run(
            arguments, env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, f"{' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def jobs(self) -> dict[str, str]:
        """The state of every job by its number, finished ones included."""
        listed = self.command("squeue", "--states=all", "--noheader", "--format=%i|%T")
        return dict(line.split("|") for line in listed.splitlines())


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Run a cluster of one node in `folder`, which must not exist; `NoSlurmError` says why not."""
    programs = {name: _found(name) for name in (*DAEMONS, *COMMANDS)}
    if os.geteuid() != 0:
        raise NoSlurmError("slurmd runs jobs as their users, and only root may start it")
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    configuration = folder / "slurm.conf"
    controller_port, node_port = _free_ports(2)
    configuration.write_text(
        CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0],
            folder=folder,
            controller_port=controller_port,
            node_port=node_port,
            cores=os.cpu_count(),
            memory=_memory_mebibytes(),
        )
    )
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    environment = os.environ | {
        "SLURM_CONF": str(configuration),
        "PATH": f"{_wrapped(folder, programs['srun'], configuration)}{os.pathsep}{SEARCHED}",
    }
    running = Cluster(folder, environment)

    with ExitStack() as daemons:
        # --force: folders of tests are closed to other users, who would have to reach its socket.
        munged = [
            programs["munged"], "--foreground", "--force", f"--key-file={key}",
            f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
            f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed",
        ]  # fmt: skip
        started = [daemons.enter_context(_daemon(munged, running))]
        _wait(running, started, (folder / "munge.socket").exists, "munged opens no socket")
        controller = [programs["slurmctld"], "-D", "-f", str(configuration)]
        node = [programs["slurmd"], "-D", "-f", str(configuration)]
        started.append(daemons.enter_context(_daemon(controller, running)))
        started.append(daemons.enter_context(_daemon(node, running)))
        _wait(running, started, lambda: _is_idle(running), "the node does not become idle")
        try:
            yield running
        finally:
            _end_jobs(running)


def _found(program: str) -> str:
    path = shutil.which(program, path=SEARCHED)
    if path is None:
        raise NoSlurmError(f"{program} is not installed (Debian: apt-get install slurm-wlm munge)")
    return path


def _wrapped(folder: Path, srun: str, configuration: Path) -> Path:
    """A folder with an `srun` that knows its configuration.

    Snakemake's executor starts it inside of jobs with most of SLURM's variables taken away, this
    one too, and would then need the configuration to be where the distribution has it.
    """
    wrapper = folder / "bin" / "srun"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nSLURM_CONF="{configuration}" exec "{srun}" "$@"\n')
    wrapper.chmod(0o755)
    return wrapper.parent


@contextmanager
def _daemon(command: list[str], running: Cluster) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon in the foreground, ended when the context is left."""
    said = running.folder / f"{Path(command[0]).name}.out"
    with said.open("wb") as out:
        process = subprocess.Popen(
            command, env=running.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(ENDS_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _is_idle(running: Cluster) -> bool:
    asked = subprocess.run(
        ["sinfo", "--noheader", "--format=%T"], env=running.environment,
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    return asked.stdout.strip() == "idle"


def _end_jobs(running: Cluster) -> None:
    """Kill every job, and wait for it: their processes would outlive the daemons."""
    running.command("scancel", "--signal=KILL", "--full", "--user=root")
    deadline = time.monotonic() + ENDS_WITHIN
    while {"RUNNING", "COMPLETING"} & set(running.jobs().values()) and time.monotonic() < deadline:
        time.sleep(0.1)


def _wait(
    running: Cluster,
    started: Sequence[subprocess.Popen[bytes]],
    ready: Callable[[], bool],
    complaint: str,
) -> None:
    """Wait until the cluster is ready; `NoSlurmError` if a daemon ends or time runs out."""
    deadline = time.monotonic() + STARTS_WITHIN
    while not ready():
        for process in started:
            if process.poll() is not None:
                raise NoSlurmError(f"a daemon ended: {_last_words(running.folder)}")
        if time.monotonic() > deadline:
            raise NoSlurmError(f"{complaint}: {_last_words(running.folder)}")
        time.sleep(0.1)


def _last_words(folder: Path) -> str:
    """The last complaint in the logs."""
    lines = [
        f"{path.name}: {line.strip()}"
        for path in sorted([*folder.glob("*.out"), *folder.glob("*.log")])
        for line in path.read_text(errors="replace").splitlines()
        if "error" in line.lower() or "fatal" in line.lower()
    ]
    return " / ".join(lines[-3:]) or "the logs say nothing"


def _free_ports(count: int) -> list[int]:
    with ExitStack() as sockets:
        opened = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in opened:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in opened]


def _memory_mebibytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20 // 2
