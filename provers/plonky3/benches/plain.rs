//! The same proofs without the loop of the runner protocol: what Criterion alone measures. The
//! runner's times are held against these by `nizkbench overhead`.
//!
//! The configuration comes from the environment, see `nizk_protocol::plain`. Verification is the
//! library's alone, so that the runner is charged for the two checks that it adds (see README.md).

use std::hint::black_box;
use std::process::exit;

use criterion::{BatchSize, Criterion};
use nizk_plonky3::air::{MimcAir, trace};
use nizk_plonky3::config::Proof;
use nizk_plonky3::field::KoalaBear4;
use nizk_plonky3::stark::{Stark, serialised};
use nizk_plonky3::systems::{KoalaBearStark, parameters, shape};
use nizk_protocol::plain::{self, Plain};
use nizk_protocol::{System, mimc};
use p3_blake3::Blake3;
use p3_field::BasedVectorSpace;

/// The one hash that the plain program is built with: the default of the runner.
const HASH: &str = "blake3-256";

fn main() {
    let Plain { configuration, seed, .. } =
        plain::from_environment(&[KoalaBearStark.description()])
            .unwrap_or_else(|failure| refuse(&failure.message));
    let hash = configuration.option_choice("hash");
    if hash != HASH {
        refuse(&format!("option hash is {hash}, the plain program is built with {HASH} alone"));
    }
    let shape = shape(&configuration).unwrap_or_else(|refusal| refuse(&refusal.message));
    let stark = Stark { hash: Blake3, parameters: parameters(&configuration), shape };
    let constants = mimc::constants::<KoalaBear4>(&seed, shape.rounds);
    let instance = |index| {
        let preimage = mimc::preimage::<KoalaBear4>(&seed, index);
        let image = mimc::image::<KoalaBear4>(&constants, preimage);
        (image, trace(preimage, &constants, shape.rounds_per_row))
    };
    let prove = |(image, trace)| -> (Proof<Blake3>, Vec<u8>) {
        rayon::scope(|_| {
            let proof = stark.prove(&constants, image, trace).expect("the prover proves");
            let bytes = serialised(&proof).expect("a proof is written");
            // Both handed out so that Criterion drops them outside the time, as the runner does.
            (proof, bytes)
        })
    };

    let mut criterion = Criterion::default().configure_from_args();
    let mut next = 0;
    criterion.bench_function("prove", |bencher| {
        bencher.iter_batched(
            || {
                next += 1;
                instance(next - 1)
            },
            prove,
            BatchSize::PerIteration,
        );
    });

    let (image, trace) = instance(0);
    let (_, bytes) = prove((image, trace));
    criterion.bench_function("verify", |bencher| {
        bencher.iter(|| {
            let proof: Proof<Blake3> =
                postcard::from_bytes(black_box(&bytes)).expect("the proof is read");
            let air = MimcAir::new(shape, black_box(&constants));
            let config = stark.config(&constants);
            p3_uni_stark::verify(&config, &air, &proof, image.as_basis_coefficients_slice())
                .expect("the verifier accepts");
        });
    });
    criterion.final_summary();
}

fn refuse(message: &str) -> ! {
    eprintln!("error: {message}");
    exit(2);
}
