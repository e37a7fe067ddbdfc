//! The two tasks, and a sample of one.

use std::hint::black_box;

use nizk_protocol::Seed;
use nizk_protocol::hash::{self, Digest, Function};
use nizk_protocol::stopwatch::{self, Elapsed};
use serde::Serialize;

use crate::native::{
    Blake2s, Mimc7, MimcSponge, Native, OverBytes, OverElements, Poseidon, Sha3, Sha256,
};
use crate::tree;

/// Bytes of the message that is hashed, that of instance 0 of `hash-preimage`.
const MESSAGE_BYTES: usize = 64;
/// A sample of hashes keeps the processor busy for at least this long, so that the clock and reading it
/// do not count.
const LEAST_CPU_NS: u64 = 20_000_000;
/// A tree this deep is hashed before the first sample, to load what is loaded once.
const WARM_UP_LEAVES: usize = 1 << 6;

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// One message of 64 bytes, over and over.
    Hash,
    /// The root of a Merkle tree.
    Merkle {
        /// Binary logarithm of the number of leaves, at least 1.
        leaves_log2: u32,
    },
}

impl Task {
    fn name(self) -> &'static str {
        match self {
            Task::Hash => "hash",
            Task::Merkle { .. } => "merkle",
        }
    }
}

/// One measurement, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// Name of the function.
    pub function: &'static str,
    /// Name of the task.
    pub task: &'static str,
    /// Hashes within the region.
    pub iterations: u64,
    /// Wall time of the region.
    pub wall_ns: u64,
    /// User time of the region.
    pub user_ns: u64,
    /// System time of the region.
    pub system_ns: u64,
    /// The digest of the message, or the root, as 64 hexadecimal digits.
    pub digest: String,
}

/// Takes `samples` samples and hands each over as soon as it is taken.
///
/// # Errors
///
/// The first one of `each`.
pub fn run<E>(
    function: Function,
    task: Task,
    samples: u64,
    seed: &Seed,
    mut each: impl FnMut(&Sample) -> Result<(), E>,
) -> Result<(), E> {
    let mut sample = |(iterations, elapsed, digest): Taken| {
        each(&Sample {
            function: function.name(),
            task: task.name(),
            iterations,
            wall_ns: elapsed.wall_ns,
            user_ns: elapsed.user_ns,
            system_ns: elapsed.system_ns,
            digest: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    };
    match function {
        Function::Sha256 => measure(&OverBytes(Sha256), task, samples, seed, &mut sample),
        Function::Sha3_256 => measure(&OverBytes(Sha3), task, samples, seed, &mut sample),
        Function::Blake2s => measure(&OverBytes(Blake2s), task, samples, seed, &mut sample),
        Function::MimcSponge => {
            measure(&OverElements(MimcSponge), task, samples, seed, &mut sample)
        }
        Function::Mimc7 => measure(&OverElements(Mimc7), task, samples, seed, &mut sample),
        Function::Poseidon => measure(&OverElements(Poseidon), task, samples, seed, &mut sample),
    }
}

/// Hashes, time and digest of one sample.
type Taken = (u64, Elapsed, Digest);

fn measure<N: Native, E>(
    native: &N,
    task: Task,
    samples: u64,
    seed: &Seed,
    each: &mut impl FnMut(Taken) -> Result<(), E>,
) -> Result<(), E> {
    match task {
        Task::Hash => {
            let input = N::input(&hash::message(seed, 0, MESSAGE_BYTES));
            let iterations = enough_iterations(native, &input);
            for _ in 0..samples {
                let (digest, elapsed) = hash(native, &input, iterations);
                each((iterations, elapsed, N::to_digest(digest)))?;
            }
        }
        Task::Merkle { leaves_log2 } => {
            let leaves: Vec<N::Node> = (0..1u64 << leaves_log2)
                .map(|index| N::leaf(&seed.digest("hash/leaf", index)))
                .collect();
            let mut level = leaves[..leaves.len() / 2].to_vec();
            let first = &leaves[..leaves.len().min(WARM_UP_LEAVES)];
            black_box(N::to_digest(tree::root(native, first, &mut level)));
            for _ in 0..samples {
                let (root, elapsed) =
                    stopwatch::time(|| tree::root(native, black_box(&leaves), &mut level));
                each((leaves.len() as u64 - 1, elapsed, N::to_digest(root)))?;
            }
        }
    }
    Ok(())
}

/// Hashes one input `iterations` times; the compiler must take every input for another one, and every
/// digest for one that is used.
fn hash<N: Native>(native: &N, input: &[N::Atom], iterations: u64) -> (N::Node, Elapsed) {
    stopwatch::time(|| {
        for _ in 1..iterations {
            black_box(native.hash(black_box(input)));
        }
        native.hash(black_box(input))
    })
}

/// The first power of two of hashes that takes long enough, in CPU time, which does not grow where the
/// processor is taken away. Finding it is the warm-up.
fn enough_iterations<N: Native>(native: &N, input: &[N::Atom]) -> u64 {
    let mut iterations = 1;
    loop {
        let (_, elapsed) = hash(native, input, iterations);
        if elapsed.user_ns + elapsed.system_ns >= LEAST_CPU_NS {
            return iterations;
        }
        iterations *= 2;
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::digest::digest;

    fn samples(function: Function, task: Task, count: u64) -> Vec<Sample> {
        let mut taken = Vec::new();
        let ended = run(function, task, count, &Seed::new([3; 32]), |sample| {
            taken.push(sample.clone());
            Ok::<(), Infallible>(())
        });
        assert_eq!(ended, Ok(()));
        taken
    }

    #[test]
    fn every_sample_of_hashes_has_the_digest_of_the_first_instance() {
        let message = hash::message(&Seed::new([3; 32]), 0, 64);
        for function in Function::ALL {
            let answer: String =
                digest(function, &message).iter().map(|byte| format!("{byte:02x}")).collect();
            let taken = samples(function, Task::Hash, 2);
            assert_eq!(taken.len(), 2);
            for sample in taken {
                assert_eq!((sample.function, sample.task), (function.name(), "hash"));
                assert_eq!(sample.digest, answer);
                assert!(sample.iterations.is_power_of_two() && sample.wall_ns > 0, "{sample:?}");
            }
        }
    }

    #[test]
    fn a_tree_of_four_leaves_is_three_hashes() {
        let seed = Seed::new([3; 32]);
        let leaf = |index| seed.digest("hash/leaf", index)[..32].to_vec();
        let pair = |left: &[u8], right: &[u8]| digest(Function::Sha256, &[left, right].concat());
        let root = pair(&pair(&leaf(0), &leaf(1)), &pair(&leaf(2), &leaf(3)));
        let digits: String = root.iter().map(|byte| format!("{byte:02x}")).collect();
        for sample in samples(Function::Sha256, Task::Merkle { leaves_log2: 2 }, 3) {
            assert_eq!((sample.task, sample.iterations), ("merkle", 3));
            assert_eq!(sample.digest, digits);
        }
    }

    #[test]
    fn every_function_has_a_tree_and_no_two_the_same() {
        let mut roots: Vec<String> = Function::ALL
            .into_iter()
            .flat_map(|function| samples(function, Task::Merkle { leaves_log2: 3 }, 1))
            .map(|sample| sample.digest)
            .collect();
        roots.sort();
        roots.dedup();
        assert_eq!(roots.len(), Function::ALL.len());
    }

    #[test]
    fn what_cannot_be_written_ends_the_run() {
        let task = Task::Merkle { leaves_log2: 1 };
        let mut written = 0;
        let ended = run(Function::Blake2s, task, 5, &Seed::new([0; 32]), |_| {
            written += 1;
            if written == 2 { Err("closed") } else { Ok(()) }
        });
        assert_eq!((ended, written), (Err("closed"), 2));
    }
}
