//! One timed phase: the stopwatch, and peak memory around it.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;

use crate::stopwatch::{self, Elapsed};

/// What one execution of a phase took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measurement {
    pub(crate) elapsed: Elapsed,
    /// `None` where the peak cannot be reset: the peak of a whole process is not that of a phase.
    pub(crate) peak_rss_bytes: Option<u64>,
}

/// Takes measurements of this process.
pub(crate) struct Meter {
    peak: Option<PeakMemory>,
}

impl Meter {
    pub(crate) fn new() -> Meter {
        Meter { peak: PeakMemory::open() }
    }

    /// Runs `region` and measures it. Peak memory is reset before and read after the stopwatch.
    pub(crate) fn measure<T>(&mut self, region: impl FnOnce() -> T) -> (T, Measurement) {
        let resettable = self.peak.as_mut().is_some_and(PeakMemory::reset);
        let (result, elapsed) = stopwatch::time(region);
        let peak_rss_bytes = self.peak.as_ref().filter(|_| resettable).and_then(PeakMemory::read);
        (result, Measurement { elapsed, peak_rss_bytes })
    }
}

/// Gives the memory that was freed back to the system, as far as the allocator can: glibc keeps what
/// is freed below the top of its heaps, and it would count as resident memory of whatever phase comes
/// next.
pub(crate) fn give_back_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: `malloc_trim` takes the allocator's own locks and touches free memory alone.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// The kernel's high-water mark of resident memory (proc(5): `VmHWM`, reset by `clear_refs`).
struct PeakMemory {
    clear_refs: File,
    status: File,
}

impl PeakMemory {
    /// `None` where the kernel keeps no such mark or does not let it be reset.
    fn open() -> Option<PeakMemory> {
        let clear_refs = File::options().write(true).open("/proc/self/clear_refs").ok()?;
        let status = File::open("/proc/self/status").ok()?;
        let mut peak = PeakMemory { clear_refs, status };
        peak.falls_when_reset().then_some(peak)
    }

    /// Sandboxes exist that take the write and keep the mark; a mark that does not fall after memory
    /// was given back is none. The memory is mapped directly, so that it is really given back.
    fn falls_when_reset(&mut self) -> bool {
        const PROBE_BYTES: usize = 16 << 20;
        // SAFETY: an anonymous private mapping of our own, written within its length and unmapped
        // once; a failed mapping is not touched.
        let mapped = unsafe {
            let start = libc::mmap(
                std::ptr::null_mut(),
                PROBE_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            if start != libc::MAP_FAILED {
                start.cast::<u8>().write_bytes(1, PROBE_BYTES);
                libc::munmap(start, PROBE_BYTES);
            }
            start != libc::MAP_FAILED
        };
        let before = self.read();
        let reset = self.reset();
        match (before, self.read()) {
            (Some(before), Some(after)) => {
                mapped && reset && after + PROBE_BYTES as u64 / 2 < before
            }
            _ => false,
        }
    }

    fn reset(&mut self) -> bool {
        self.clear_refs.write_all(b"5").is_ok()
    }

    fn read(&self) -> Option<u64> {
        let mut buffer = [0; 4096];
        let length = self.status.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(&buffer[..length]).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kibibytes * 1024)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    #[test]
    fn without_a_mark_there_is_no_peak() {
        let ((), measurement) = Meter { peak: None }.measure(|| ());
        assert_eq!(measurement.peak_rss_bytes, None);
    }

    /// Peaks are those of the process: the tests that watch them take turns.
    static MEMORY: Mutex<()> = Mutex::new(());

    #[test]
    #[cfg(target_env = "gnu")]
    fn memory_given_back_does_not_count_for_the_next_region() {
        const PIECE_BYTES: usize = 1 << 10;
        let _turn = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
        let mut meter = Meter::new();
        if meter.peak.is_none() {
            return; // This kernel cannot say, and then `null` is recorded.
        }
        // In pieces too small to be mapped each for itself, with one that stays above them, without
        // which the top of the heap would fall by itself.
        let pieces: Vec<_> = (0..64 << 10).map(|_| Box::new([1u8; PIECE_BYTES])).collect();
        let above = std::hint::black_box(Box::new([1u8; PIECE_BYTES]));
        drop(std::hint::black_box(pieces));
        let mut peak = || meter.measure(|| ()).1.peak_rss_bytes.unwrap();
        let kept = peak();
        give_back_memory();
        let given_back = peak();
        drop(above);
        assert!(given_back + (48 << 20) < kept, "{given_back} after {kept}");
    }

    #[test]
    fn the_peak_of_a_region_is_its_own() {
        let _turn = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
        let mut meter = Meter::new();
        if meter.peak.is_none() {
            return; // This kernel cannot say, and then `null` is recorded.
        }
        let touch = |bytes: usize| move || std::hint::black_box(vec![1u8; bytes]).len();
        let (_, large) = meter.measure(touch(96 << 20));
        let (_, small) = meter.measure(touch(1 << 20));
        let (large, small) = (large.peak_rss_bytes.unwrap(), small.peak_rss_bytes.unwrap());
        assert!(large > small + (48 << 20), "{large} after {small}");
    }
}
