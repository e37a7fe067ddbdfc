"""What on this machine makes times noisy or a runner fail, and what to do about it."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.manifest import (
    container,
    governors,
    memory_bytes,
    read,
    smt,
    steal_ns,
    turbo,
    variables_set,
    virtualisation,
)
from nizkbench.runner import UnbuiltRunnerError, available_cores, describe, find_runners

#: `fine`: nothing to do. `noisy`: times will scatter. `missing`: something will not work.
#: `unbuilt`: made before anything is measured. `unknown`: the system does not tell.
Level = Literal["fine", "noisy", "missing", "unbuilt", "unknown"]

#: Memory that the largest circuits of the standard profile need, with room to spare, in bytes.
ENOUGH_MEMORY = 4 * 1024**3

#: Space for a full run with its build, in bytes.
ENOUGH_DISK = 10 * 1024**3

#: Programs that a whole reproduction needs, and what for.
PROGRAMS = {
    "cargo": "builds the Rust runners",
    "go": "builds the Go runners",
    "git": "records the revision in the manifest",
    "latexmk": "typesets the paper",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: what was found, and what to do about it (empty where it is fine)."""

    subject: str
    level: Level
    found: str
    advice: str = ""


def examine() -> list[Finding]:
    """Everything that is known to matter, in the order in which it should be mended."""
    return [
        *_runners(),
        *_programs(),
        _browser(),
        _clear_refs(),
        _disk(),
        _memory(),
        _swap(),
        _load(),
        _variables(),
        _cores(),
        _governor(),
        _turbo(),
        _smt(),
        _virtual_machine(),
        _steal(),
        _perf(),
    ]


def _runners() -> Iterator[Finding]:
    runners = find_runners()
    if not runners:
        yield Finding("runners", "missing", "no runner in provers/", "check out the repository")
    unbuilt = []
    for runner in runners.values():
        try:
            described = describe(runner)
        except UnbuiltRunnerError:
            unbuilt.append(runner.name)
        except NizkBenchError as error:
            yield Finding(f"runner {runner.name}", "missing", str(error))
        else:
            library = described.library
            yield Finding(f"runner {runner.name}", "fine", f"{library.name} {library.version}")
    if unbuilt:
        yield Finding(
            "runners",
            "unbuilt",
            f"not built yet: {', '.join(unbuilt)}",
            "`just build` builds them, and so does whatever measures",
        )


def _programs() -> Iterator[Finding]:
    for program, purpose in PROGRAMS.items():
        path = shutil.which(program)
        if path is None:
            yield Finding(
                program, "missing", f"not on the PATH; it {purpose}", "enter with `./enter`"
            )
        else:
            yield Finding(program, "fine", f"there; it {purpose}")


def _browser() -> Finding:
    try:
        path = layout.browser()
    except NizkBenchError as error:
        return Finding("browser", "missing", str(error))
    return Finding("browser", "fine", f"{path}; it makes the figures' PDFs")


def _clear_refs() -> Finding:
    try:
        Path("/proc/self/clear_refs").write_bytes(b"5")
    except OSError as error:
        return Finding(
            "peak memory",
            "missing",
            f"/proc/self/clear_refs cannot be written ({error.strerror})",
            "without it the peak memory of a phase is recorded as null; use a kernel with"
            " CONFIG_PROC_PAGE_MONITOR, and a container that shows /proc",
        )
    return Finding("peak memory", "fine", "can be reset for every phase")


def _disk() -> Finding:
    free = shutil.disk_usage(layout.root()).free
    found = f"{free / 1e9:.1f} GB free"
    if free < ENOUGH_DISK:
        return Finding(
            "disk", "noisy", found, f"a build and a full run want {ENOUGH_DISK / 1e9:.0f} GB"
        )
    return Finding("disk", "fine", found)


def _memory() -> Finding:
    available = memory_bytes("MemAvailable")
    if available is None:
        return Finding("memory", "unknown", "the system does not tell")
    found = f"{available / 1e9:.1f} GB available"
    if available < ENOUGH_MEMORY:
        return Finding(
            "memory",
            "noisy",
            found,
            "the largest circuits want 4 GB; close other programs, or expect rows out-of-memory",
        )
    return Finding("memory", "fine", found)


def _swap() -> Finding:
    swap = memory_bytes("SwapTotal")
    if swap:
        return Finding(
            "swap",
            "noisy",
            f"{swap / 1e9:.1f} GB",
            "a prover that swaps measures the disk: `swapoff -a` while measuring",
        )
    return Finding("swap", "fine", "none")


def _load() -> Finding:
    load = os.getloadavg()[0]
    found = f"{load:.2f} over the last minute"
    if load > 0.5:
        return Finding("load", "noisy", found, "something else is running: stop it, or wait")
    return Finding("load", "fine", found)


def _variables() -> Finding:
    found = variables_set()
    if found:
        return Finding(
            "environment",
            "noisy",
            ", ".join(f"{name}={value}" for name, value in found.items()),
            "runners obey these, and others' times are without: `unset` them to measure",
        )
    return Finding("environment", "fine", "no variable that a runtime or an allocator obeys")


def _cores() -> Finding:
    cores = len(available_cores())
    quota = _cpu_quota()
    if quota is not None and quota < cores:
        return Finding(
            "cores",
            "noisy",
            f"{cores} visible, {quota:g} granted",
            "the quota stops provers in mid-proof; grant whole cores with --cpuset-cpus",
        )
    if cores == 1:
        return Finding("cores", "noisy", "1", "the harness and all threads share it; use two")
    return Finding("cores", "fine", f"{cores}, numbers {', '.join(map(str, available_cores()))}")


def _cpu_quota() -> float | None:
    """Processors granted by the control group, in version 2 or 1; None if it grants all."""
    granted = (read("/sys/fs/cgroup/cpu.max") or "").split()
    if len(granted) == 2 and granted[0] != "max":
        return int(granted[0]) / int(granted[1])
    quota = read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")
    period = read("/sys/fs/cgroup/cpu/cpu.cfs_period_us")
    if quota is not None and period is not None and int(quota) > 0:
        return int(quota) / int(period)
    return None


def _governor() -> Finding:
    found = governors()
    if found is None:
        return Finding("frequency governor", "unknown", "the system shows none")
    if found != ["performance"]:
        return Finding(
            "frequency governor",
            "noisy",
            ", ".join(found),
            "`cpupower frequency-set -g performance` keeps the frequency up between samples",
        )
    return Finding("frequency governor", "fine", "performance")


def _turbo() -> Finding:
    active = turbo()
    if active is None:
        return Finding("turbo", "unknown", "the system does not tell")
    if active:
        return Finding(
            "turbo",
            "noisy",
            "on",
            "one thread runs at a higher frequency than all do; turn it off in"
            " /sys/devices/system/cpu to compare the two tracks",
        )
    return Finding("turbo", "fine", "off")


def _smt() -> Finding:
    active = smt()
    if active is None:
        return Finding("simultaneous threads", "unknown", "the system does not tell")
    if active:
        return Finding(
            "simultaneous threads",
            "noisy",
            "on",
            "two threads share a core: `echo off > /sys/devices/system/cpu/smt/control`",
        )
    return Finding("simultaneous threads", "fine", "off, or not shown to this machine")


def _virtual_machine() -> Finding:
    below, around = virtualisation(), container()
    found = " in ".join(
        filter(None, (around, f"a virtual machine ({below} hypervisor)" if below else None))
    )
    if below is not None:
        return Finding(
            "virtual machine",
            "noisy",
            found,
            "neighbours may take processor time; the manifest records how much was stolen",
        )
    return Finding("virtual machine", "fine", found or "none")


def _steal() -> Finding:
    uptime = float((read("/proc/uptime") or "0").split()[0])
    share = steal_ns() / (uptime * 1e9 * (os.cpu_count() or 1)) if uptime else 0.0
    found = f"{share:.2%} of the processor time since the start"
    if share > 0.005:
        return Finding("stolen time", "noisy", found, "measure on a machine that is not shared")
    return Finding("stolen time", "fine", found)


def _perf() -> Finding:
    level = read("/proc/sys/kernel/perf_event_paranoid")
    if level is None:
        return Finding("perf", "unknown", "this kernel has no performance events")
    if int(level) > 1 and os.geteuid() != 0:
        return Finding(
            "perf",
            "unknown",
            f"perf_event_paranoid is {level}",
            "nothing here needs it; `sysctl kernel.perf_event_paranoid=1` to profile a runner",
        )
    return Finding("perf", "fine", f"perf_event_paranoid is {level}")
