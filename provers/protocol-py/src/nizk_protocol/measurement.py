"""One timed region: monotonic clock inside, CPU time and peak memory around it."""

import ctypes
import gc
import mmap
import os
import re
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass

#: Bytes that are mapped and given back to see whether the mark falls.
_PROBE_BYTES = 16 * 2**20

_MARK = re.compile(rb"^VmHWM:\s*([0-9]+) kB$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one execution of a phase took.

    Times are nanoseconds. The peak of resident memory is in bytes, None where it cannot be reset:
    the peak of a whole process is not that of a phase.
    """

    wall_ns: int
    user_ns: int
    system_ns: int
    peak_rss_bytes: int | None


def give_back_memory() -> None:
    """Collect garbage, and give freed memory back to the system where the C library can."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


class Meter:
    """Takes measurements of this process."""

    def __init__(self) -> None:
        self._clear_refs = _open_clear_refs()

    def measure(self, region: Callable[[], None]) -> Measurement:
        """Run a region and measure it.

        Nothing stands between the clock's two readings but the region: peak memory is reset and CPU
        time read before, both are read after. `time.monotonic_ns` is `CLOCK_MONOTONIC`.
        """
        resettable = self._clear_refs is not None and _reset(self._clear_refs)
        before = resource.getrusage(resource.RUSAGE_SELF)
        start = time.monotonic_ns()
        region()
        end = time.monotonic_ns()
        after = resource.getrusage(resource.RUSAGE_SELF)
        return Measurement(
            # A clock too coarse to see the region cannot say that it took no time.
            wall_ns=max(end - start, 1),
            user_ns=_nanoseconds(after.ru_utime - before.ru_utime),
            system_ns=_nanoseconds(after.ru_stime - before.ru_stime),
            peak_rss_bytes=_mark() if resettable else None,
        )


def _nanoseconds(seconds: float) -> int:
    """Seconds of `getrusage`, which counts microseconds."""
    return max(round(seconds * 1e6), 0) * 1000


def _open_clear_refs() -> int | None:
    """A descriptor that resets the kernel's mark (proc(5): `VmHWM`); None where none does.

    Sandboxes exist that take the write and keep the mark: one that does not fall after memory was
    given back is none.
    """
    try:
        descriptor = os.open("/proc/self/clear_refs", os.O_WRONLY)
    except OSError:
        return None
    with mmap.mmap(-1, _PROBE_BYTES) as probe:
        probe.write(b"\1" * _PROBE_BYTES)
        before = _mark()
    after = _mark() if _reset(descriptor) else None
    if before is not None and after is not None and after + _PROBE_BYTES // 2 < before:
        return descriptor
    os.close(descriptor)
    return None


def _reset(descriptor: int) -> bool:
    try:
        return os.pwrite(descriptor, b"5", 0) == 1
    except OSError:
        return False


def _mark() -> int | None:
    try:
        with open("/proc/self/status", "rb", buffering=0) as status:  # noqa: PTH123 - no allocation
            found = _MARK.search(status.read())
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None
