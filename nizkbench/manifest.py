"""The manifest of a run: what an evaluator would ask about the machine, the programs and the code.

What could not be found out is null, never guessed.
"""

import hashlib
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

import nizkbench
from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.messages import PROTOCOL
from nizkbench.plan import canonical_json
from nizkbench.profile import Experiment, StarkGrid
from nizkbench.records import TIMED_SHARE
from nizkbench.runner import Offer, Runner, available_cores

#: Lock files, as patterns from the root: what every version of everything follows from. A runner in
#: Node has its own.
LOCKS = (
    "provers/Cargo.lock",
    "provers/go.sum",
    "provers/*/package-lock.json",
    "uv.lock",
    "flake.lock",
)

#: Tools whose version is recorded, with the arguments that print it.
TOOLS = {
    "rustc": ("rustc", "--version"),
    "cargo": ("cargo", "--version"),
    "go": ("go", "version"),
    "node": ("node", "--version"),
    "uv": ("uv", "--version"),
    "nix": ("nix", "--version"),
    "cc": ("cc", "--version"),
    "git": ("git", "--version"),
    "pdflatex": ("pdflatex", "--version"),
}

#: Environment variables that change the times or the memory of a runner: how often Go's collector
#: works and how much it may hold, and the number of threads, which the request decides.
VARIABLES = (
    "GODEBUG",
    "GOGC",
    "GOMAXPROCS",
    "GOMEMLIMIT",
    "GLIBC_TUNABLES",
    "RAYON_NUM_THREADS",
)

#: What the names of an allocator's variables begin with: glibc has a dozen, jemalloc one.
ALLOCATOR = "MALLOC_"

#: The share of all processor time that a hypervisor may take before a machine counts as shared.
SHARED_STEAL = 0.005


def identity(
    name: str, experiment: Experiment | StarkGrid, runners: Iterable[Runner]
) -> dict[str, Any]:
    """What must not change between two halves of one run: its profile, seed, programs and machine.

    Environment variables that runners obey are a part of it.
    """
    return {
        "protocol": PROTOCOL,
        "profile": hashlib.sha256(
            canonical_json({"name": name, experiment.SECTION: experiment.parameters()}).encode()
        ).hexdigest(),
        "seed": experiment.seed,
        "environment": variables_set(),
        "binaries": {runner.name: file_hash(runner.path()) for runner in runners},
        "machine": {
            "processor": processor_model(),
            "cores": len(available_cores()),
            "memory_bytes": memory_bytes("MemTotal"),
        },
    }


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The parts of an identity that are not as they were, in the order of the alphabet."""
    return sorted(part for part in now if before.get(part) != now[part])


def manifest(
    name: str, experiment: Experiment | StarkGrid, offers: Mapping[str, Offer]
) -> dict[str, Any]:
    """The manifest of a run that begins now."""
    runners = {offer.runner.name: offer for offer in offers.values()}
    return {
        "name": name,
        "nizkbench": nizkbench.__version__,
        "started_utc": utc_now(),
        "identity": identity(name, experiment, [offer.runner for offer in runners.values()]),
        "profile": experiment.parameters(),
        "machine": machine(),
        "tools": tools(),
        "locks": locks(),
        "revision": revision(),
        "cores": {"one": [available_cores()[-1]], "all": list(available_cores())},
        "runners": {
            runner: msgspec.to_builtins(offer.describe) for runner, offer in sorted(runners.items())
        },
        "finished": None,
    }


def finished(invocations: pl.DataFrame, side_by_side: int = 1) -> dict[str, Any]:
    """What can be said about a run when it has ended, from its table `invocations`.

    `elapsed_ns` is the run's wall time without its interruptions, with so many invocations
    `side_by_side`.
    """
    elapsed = int(invocations["elapsed_ns"].sum())
    cores = len(available_cores())
    steal = int(invocations["steal_ns"].sum()) / (elapsed * cores) if elapsed else None
    loads = sorted(invocations["load1"].to_list())
    return {
        "first_invocation_utc": invocations["started_utc"].min(),
        "last_invocation_utc": invocations["started_utc"].max(),
        "invocations": invocations.height,
        "elapsed_ns": round(elapsed / side_by_side),
        "timed_share": invocations.select(TIMED_SHARE).item(),
        "steal_share": steal,
        "highest_load1": max(loads, default=None),
        "median_load1": loads[len(loads) // 2] if loads else None,
        # A virtual machine has its host's other guests beside it, whether or not they showed. The
        # run itself keeps at most every core busy; what the load has above that is others'.
        "shared": bool(
            virtualisation() is not None
            or (steal is not None and steal > SHARED_STEAL)
            or (loads and loads[len(loads) // 2] > cores + 0.5)
        ),
    }


# ---- the machine -------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """The machine as far as it bears on times."""
    return {
        "processor": processor_model(),
        "architecture": platform.machine(),
        "flags": processor_flags(),
        "logical_cores": os.cpu_count(),
        "usable_cores": len(available_cores()),
        "smt": smt(),
        "governor": governors(),
        "turbo": turbo(),
        "memory_bytes": memory_bytes("MemTotal"),
        "swap_bytes": memory_bytes("SwapTotal"),
        "transparent_hugepages": chosen(read("/sys/kernel/mm/transparent_hugepage/enabled")),
        "address_randomisation": read("/proc/sys/kernel/randomize_va_space"),
        "kernel": platform.release(),
        "distribution": distribution(),
        "virtualisation": virtualisation(),
        "container": container(),
        "load1": os.getloadavg()[0],
        "variables": variables(),
    }


def variables() -> dict[str, str | None]:
    """Environment variables that runners inherit and obey, by name; None for one that is not set.

    Of those that begin as an allocator's do, the ones that are set.
    """
    allocator = [name for name in os.environ if name.startswith(ALLOCATOR)]
    return {name: os.environ.get(name) for name in sorted([*VARIABLES, *allocator])}


def variables_set() -> dict[str, str]:
    """Those of `variables` that are set: a runner by itself has none of them."""
    return {name: value for name, value in variables().items() if value is not None}


def processor_model() -> str | None:
    """The processor's name as it gives it itself."""
    return cpuinfo("model name") or cpuinfo("CPU part")


def processor_flags() -> list[str] | None:
    """What the processor can do, as Linux names it."""
    flags = cpuinfo("flags") or cpuinfo("Features")
    return sorted(flags.split()) if flags else None


def cpuinfo(name: str) -> str | None:
    """A member of the first processor in /proc/cpuinfo."""
    for line in (read("/proc/cpuinfo") or "").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return None


def memory_bytes(name: str) -> int | None:
    """A quantity of /proc/meminfo in bytes."""
    for line in (read("/proc/meminfo") or "").splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value.split()[0]) * 1024
    return None


def smt() -> bool | None:
    """Whether two logical processors share a core."""
    active = read("/sys/devices/system/cpu/smt/active")
    return None if active is None else active == "1"


def governors() -> list[str] | None:
    """The frequency governors in use; None where the system shows none, as in most VMs."""
    found = {
        value
        for path in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
        if (value := read(path)) is not None
    }
    return sorted(found) or None


def turbo() -> bool | None:
    """Whether the processor may run above its base frequency; None where it cannot be told."""
    if (no_turbo := read("/sys/devices/system/cpu/intel_pstate/no_turbo")) is not None:
        return no_turbo == "0"
    boost = read("/sys/devices/system/cpu/cpufreq/boost")
    return None if boost is None else boost == "1"


def virtualisation() -> str | None:
    """The hypervisor below this system, `unknown` if there is one without a name, None if none."""
    vendor = " ".join(
        filter(None, (read(f"/sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name")))
    )
    known = {
        "KVM": "kvm",
        "QEMU": "kvm",
        "VMware": "vmware",
        "VirtualBox": "virtualbox",
        "Microsoft": "hyper-v",
        "Xen": "xen",
        "Amazon EC2": "amazon",
        "Google": "google",
    }
    if "hypervisor" not in (processor_flags() or []) and not Path("/sys/hypervisor/type").exists():
        return None
    return next((name for word, name in known.items() if word in vendor), "unknown")


def container() -> str | None:
    """The kind of container around this process, or None."""
    if Path("/.dockerenv").exists():
        return "docker"
    if Path("/run/.containerenv").exists():
        return "podman"
    if named := os.environ.get("container"):  # noqa: SIM112 (systemd and others write it so)
        return named
    groups = read("/proc/1/cgroup") or ""
    return next((kind for kind in ("docker", "kubepods", "lxc") if kind in groups), None)


def distribution() -> str | None:
    """The distribution's name and version."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def steal_ns() -> int:
    """Nanoseconds that the hypervisor gave to others while this machine wanted to run.

    Summed over all processors since the start of the system; 0 where none is counted.
    """
    fields = (read("/proc/stat") or "").partition("\n")[0].split()
    if len(fields) < 9:
        return 0
    return int(fields[8]) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


# ---- programs and code -------------------------------------------------------------------------


def tools() -> dict[str, str | None]:
    """Versions of the toolchains; null for one that is not there."""
    versions = {name: first_line_of(command) for name, command in TOOLS.items()}
    try:
        browser = first_line_of((str(layout.browser()), "--version"))
    except NizkBenchError:
        browser = None
    return {"python": platform.python_version(), **versions, "chromium": browser}


def locks() -> dict[str, str]:
    """SHA-256 of every lock file that is there, by its path from the root."""
    root = layout.root()
    found = [path for pattern in LOCKS for path in sorted(root.glob(pattern))]
    return {str(path.relative_to(root)): file_hash(path) for path in found}


def revision() -> dict[str, Any]:
    """The revision of the repository, and whether the tree is as committed."""
    git = ("git", "-C", str(layout.root()))
    commit = first_line_of((*git, "rev-parse", "--verify", "HEAD"))
    changed = output_of((*git, "status", "--porcelain"))
    return {
        "commit": commit,
        "clean": None if changed is None or commit is None else changed == "",
    }


def output_of(command: Sequence[str]) -> str | None:
    """What a command prints on standard output; None if it is missing or fails."""
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def first_line_of(command: Sequence[str]) -> str | None:
    """The first line of what a command prints."""
    lines = (output_of(command) or "").splitlines()
    return lines[0].strip() if lines else None


def file_hash(path: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def utc_now() -> str:
    """Now, in ISO 8601 and UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read(path: str | Path) -> str | None:
    """A small text file of the system, stripped; None if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def chosen(line: str | None) -> str | None:
    """The choice in brackets of a line such as `always [madvise] never`."""
    if line is None or "[" not in line:
        return line
    return line.partition("[")[2].partition("]")[0]


# ---- as a file ---------------------------------------------------------------------------------


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest in `folder`, or None if there is none that can be read."""
    try:
        read_back = json.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return None
    return read_back if isinstance(read_back, dict) else None


def write_manifest(content: Mapping[str, Any], folder: Path) -> None:
    """Write the manifest into `folder`, whole or not at all."""
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    beside = folder / ".manifest.json"
    with beside.open("wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
    beside.replace(folder / "manifest.json")
