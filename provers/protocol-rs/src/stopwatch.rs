//! One timed region: the monotonic clock inside, CPU time around it. For programs that time something
//! else than the phases of a statement; the loop's own regions are measured with it too.

use std::time::Instant;

/// What a region took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed {
    /// Monotonic time, at least 1 ns.
    pub wall_ns: u64,
    /// Time of all threads in user mode.
    pub user_ns: u64,
    /// Time of all threads in the kernel.
    pub system_ns: u64,
}

/// Runs `region` with nothing but itself between the two readings of the clock.
pub fn time<T>(region: impl FnOnce() -> T) -> (T, Elapsed) {
    let (user_before, system_before) = cpu_time();
    let start = Instant::now();
    let result = region();
    // A clock too coarse to see the region cannot say that it took no time.
    let wall_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX).max(1);
    let (user_after, system_after) = cpu_time();
    let elapsed = Elapsed {
        wall_ns,
        user_ns: user_after.saturating_sub(user_before),
        system_ns: system_after.saturating_sub(system_before),
    };
    (result, elapsed)
}

/// User and system time of all threads of this process, in nanoseconds; the kernel gives
/// microseconds.
fn cpu_time() -> (u64, u64) {
    // SAFETY: all-zero is a valid `rusage`, and `getrusage` writes to one that lives here. It cannot
    // fail with these arguments (getrusage(2): EFAULT and EINVAL alone).
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let nanoseconds = |time: libc::timeval| {
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        let microseconds = u64::try_from(time.tv_usec).unwrap_or_default();
        seconds * 1_000_000_000 + microseconds * 1000
    };
    (nanoseconds(usage.ru_utime), nanoseconds(usage.ru_stime))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn wall_time_covers_a_sleep() {
        let ((), elapsed) = time(|| std::thread::sleep(Duration::from_millis(50)));
        assert!(elapsed.wall_ns >= 50_000_000);
    }

    #[test]
    fn no_region_takes_no_time() {
        let shortest = (0..10_000).map(|_| time(|| ()).1.wall_ns).min();
        assert!(shortest >= Some(1));
    }

    #[test]
    fn cpu_time_grows_with_work() {
        let ((), elapsed) = time(|| {
            let (user, system) = cpu_time();
            while cpu_time().0 + cpu_time().1 < user + system + 20_000_000 {
                std::hint::black_box((0..10_000u64).sum::<u64>());
            }
        });
        assert!(elapsed.user_ns + elapsed.system_ns >= 20_000_000);
    }
}
