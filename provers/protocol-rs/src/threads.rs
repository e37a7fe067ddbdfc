//! How many threads there may be, and the pool of them that every parallel library of a process
//! computes on.

use std::io;

use crate::system::Failure;

/// Refuses more threads than there are processors this process may use: they would take turns, and
/// what is recorded as so many threads would not be.
pub(crate) fn within_processors(threads: usize) -> Result<(), Failure> {
    let processors = processors()
        .map_err(|error| Failure::internal(format!("the CPU affinity cannot be read: {error}")))?;
    if threads <= processors {
        return Ok(());
    }
    let message = format!(
        "threads is {threads}, supported are at most {processors}, as many as there are processors \
         this process may use"
    );
    Err(Failure::unsupported("threads-beyond-processors", "threads", message))
}

/// The processors of this process's CPU affinity, which is what the harness sets and Go counts.
/// `std::thread::available_parallelism` would also count a quota of CPU time.
fn processors() -> io::Result<usize> {
    // SAFETY: all-zero is a valid `cpu_set_t`, and the call writes to one that lives here, within the
    // size given; `CPU_COUNT` reads it.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut allowed) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(usize::try_from(libc::CPU_COUNT(&allowed)).unwrap_or_default())
    }
}

/// Proof that rayon's global pool stands.
pub(crate) struct Pool(());

impl Pool {
    /// Builds rayon's global pool with this many threads. Measuring stays on the thread that calls:
    /// bellman refuses to wait for its workers from inside the pool.
    ///
    /// A panic in a detached task would end the process; the panic hook logs it, and
    /// whoever waits for the task's result fails instead.
    pub(crate) fn start(threads: usize) -> Result<Pool, Failure> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .panic_handler(|_| ())
            .build_global()
            .map(|()| Pool(()))
            .map_err(|error| {
                Failure::internal(format!(
                    "a pool of {threads} threads could not be started: {error}"
                ))
            })
    }
}
