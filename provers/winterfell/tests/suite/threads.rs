//! One thread is one thread, many are many, and the nonce counts attempts with one alone.

use std::fs;

use nizk_protocol::Seed;
use nizk_winterfell::air::{Constants, PublicInputs, Shape};
use nizk_winterfell::options::Parameters;
use nizk_winterfell::systems::F128;
use rayon::ThreadPoolBuilder;
use winter_air::proof::merge_ood_evaluations;
use winterfell::Proof;
use winterfell::crypto::hashers::Blake3_256;
use winterfell::crypto::{DefaultRandomCoin, ElementHasher, RandomCoin};
use winterfell::math::ToElements;
use winterfell::math::fields::f128;

use crate::instances::{instance, prove, small};

type Field = f128::BaseElement;
type Hash = Blake3_256<Field>;

/// CPU time in nanoseconds of every thread of this process whose name begins so.
fn cpu_of_threads(prefix: &str) -> Vec<u64> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    tasks
        .filter_map(|task| {
            // A thread may end between the listing and the reading.
            let name = fs::read_to_string(task.path().join("comm")).ok()?;
            let times = fs::read_to_string(task.path().join("schedstat")).ok()?;
            let cpu = times.split(' ').next()?.parse().ok()?;
            name.starts_with(prefix).then_some(cpu)
        })
        .collect()
}

/// Proves in a pool of so many threads; the CPU times of its threads.
fn prove_in_pool(threads: usize, prefix: &'static str) -> Vec<u64> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |index| format!("{prefix}{index}"))
        .build()
        .unwrap();
    let shape = Shape { rounds: 255, constants: Constants::Public, preimage_public: false };
    // Enough proof of work to outweigh what the library checks in debug builds, on one thread.
    let parameters = Parameters { grinding: 18, ..small() };
    let (_, engine) = F128.engines()[1];
    pool.install(|| {
        let mut session = engine.open(parameters, shape, &Seed::new([6; 32]), threads);
        for index in 0..8 {
            session.load_instance(index).unwrap();
            session.witness().unwrap();
            session.prove().unwrap();
        }
    });
    cpu_of_threads(prefix)
}

#[test]
fn a_proof_is_made_by_as_many_threads_as_the_pool_has() {
    let one = prove_in_pool(1, "one-");
    assert_eq!(one.len(), 1);

    let three = prove_in_pool(3, "three-");
    assert_eq!(three.len(), 3);
    let total: u64 = three.iter().sum();
    for cpu in &three {
        assert!(cpu * 20 > total, "a thread did less than a twentieth of the work: {three:?}");
    }
}

#[test]
fn with_one_thread_the_nonce_is_the_number_of_attempts() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    // No FRI layer, so that the coin is quickly replayed.
    let parameters = Parameters { grinding: 6, remainder_max_degree: 7, ..small() };
    for seed in 0..4 {
        let instance = instance::<Field>(7, seed, Constants::Public);
        let proof = pool.install(|| prove::<_, Hash>(&parameters, &instance));
        let coin = coin_before_the_queries(&proof, &instance.public);
        let first = (1..).find(|nonce| coin.check_leading_zeros(*nonce) >= 6);
        assert_eq!(Some(proof.pow_nonce), first);
    }
}

/// The public coin at the moment of the proof of work, for a proof without FRI layers.
fn coin_before_the_queries(proof: &Proof, public: &PublicInputs<Field>) -> DefaultRandomCoin<Hash> {
    let mut seed = proof.context.to_elements();
    seed.extend(public.to_elements());
    let mut coin = DefaultRandomCoin::<Hash>::new(&seed);
    let (trace, constraints, fri) = proof.commitments.clone().parse::<Hash>(1, 0).unwrap();
    let (trace_frame, quotient_frame) =
        proof.ood_frame.clone().parse::<Field>(public.shape().trace_width(), 0, 2).unwrap();
    coin.reseed(trace[0]);
    coin.reseed(constraints);
    coin.reseed(Hash::hash_elements(&merge_ood_evaluations(&trace_frame, &quotient_frame)));
    coin.reseed(fri[0]);
    coin
}
