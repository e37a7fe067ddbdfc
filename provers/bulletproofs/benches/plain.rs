//! The same proofs without the loop of the runner protocol: what Criterion alone measures. The
//! runner's times are held against these by `nizkbench overhead`.
//!
//! The configuration comes from the environment, see `nizk_protocol::plain`.

use std::hint::black_box;

use criterion::{BatchSize, Criterion};
use nizk_bulletproofs::gadget::Gadget;
use nizk_bulletproofs::proof::{Generators, Preimage, Public, prove, verify};
use nizk_bulletproofs::{Ristretto255, SYSTEM};
use nizk_protocol::plain::{self, Plain};
use nizk_protocol::{Configuration, Seed, mimc};

fn main() {
    let descriptions: Vec<_> = nizk_bulletproofs::runner()
        .systems
        .iter()
        .map(|system| system.description())
        .filter(|description| description.system == SYSTEM)
        .collect();
    let Plain { configuration, seed, .. } =
        plain::from_environment(&descriptions).unwrap_or_else(|failure| {
            eprintln!("error: {}", failure.message);
            std::process::exit(2);
        });
    let mut criterion = Criterion::default().configure_from_args();
    measure(&mut criterion, &configuration, &seed);
    criterion.final_summary();
}

fn measure(criterion: &mut Criterion, configuration: &Configuration, seed: &Seed) {
    let gadget = Gadget::of(configuration);
    let constants = mimc::constants::<Ristretto255>(seed, configuration.size());
    let generators = Generators::for_rounds(configuration.size());
    let instance = |index| {
        let (left, right) = mimc::preimage::<Ristretto255>(seed, index);
        let image = mimc::image::<Ristretto255>(&constants, (left, right));
        (Public { image, constants: constants.clone() }, Preimage { left, right })
    };

    let mut next = 0;
    criterion.bench_function("prove", |bencher| {
        bencher.iter_batched(
            || {
                next += 1;
                instance(next - 1)
            },
            |(public, preimage)| {
                let proven =
                    prove(&generators, gadget, &public, &preimage).expect("the prover proves");
                // Handed out so that Criterion drops it outside the time, as the runner does.
                (proven, public)
            },
            BatchSize::PerIteration,
        );
    });

    let (public, preimage) = instance(0);
    let (proof, _) = prove(&generators, gadget, &public, &preimage).expect("the prover proves");
    criterion.bench_function("verify", |bencher| {
        bencher.iter(|| {
            verify(&generators, gadget, black_box(&public), black_box(&proof))
                .expect("the verifier accepts");
        });
    });
}
