//! The pool that every parallel library of a process computes on.

use crate::system::Failure;

/// Builds rayon's global pool with this many threads. Measuring stays on the thread that calls:
/// bellman refuses to wait for its workers from inside the pool.
///
/// A panic in a detached task would end the process; the panic hook logs it, and
/// whoever waits for the task's result fails instead.
pub(crate) fn start_pool(threads: usize) -> Result<(), Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .panic_handler(|_| ())
        .build_global()
        .map_err(|error| {
            Failure::internal(format!("a pool of {threads} threads could not be started: {error}"))
        })
}
