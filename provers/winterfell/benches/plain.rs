//! The same proofs without the loop of the runner protocol: what Criterion alone measures. The
//! runner's times are held against these by `nizkbench overhead`.
//!
//! The configuration comes from the environment, see `nizk_protocol::plain`. Two things differ from
//! the runner on purpose. Proof of work is off by default, because its luck would hide what is
//! compared. And verification is the library's alone, so that the runner is charged for the two
//! checks that it adds (see README.md).

use std::hint::black_box;
use std::process::exit;
use std::sync::Arc;

use criterion::{BatchSize, Criterion};
use nizk_protocol::plain::{self, Plain};
use nizk_protocol::{Configuration, OptionDescription, Seed, System, SystemDescription, mimc};
use nizk_winterfell::air::{MimcAir, PublicInputs, trace};
use nizk_winterfell::description::shape;
use nizk_winterfell::field::{BaseField, Prime};
use nizk_winterfell::prover::MimcProver;
use nizk_winterfell::systems::{F64, F128, parameters};
use winterfell::crypto::hashers::Blake3_256;
use winterfell::crypto::{DefaultRandomCoin, ElementHasher, MerkleTree};
use winterfell::math::fields::{f64, f128};
use winterfell::{AcceptableOptions, Proof, Prover, TraceTable};

/// The one hash that the plain program is built with: the default of the runner.
const HASH: &str = "blake3-256";

fn main() {
    let descriptions = [F128, F64].map(|stark| without_proof_of_work(stark.description()));
    let Plain { position, configuration, seed } =
        plain::from_environment(&descriptions).unwrap_or_else(|failure| refuse(&failure.message));
    let hash = configuration.option_choice("hash");
    if hash != HASH {
        refuse(&format!("option hash is {hash}, the plain program is built with {HASH} alone"));
    }
    let mut criterion = Criterion::default().configure_from_args();
    match descriptions[position].field.name {
        "f64" => measure::<f64::BaseElement, Blake3_256<_>>(&mut criterion, &configuration, &seed),
        _ => measure::<f128::BaseElement, Blake3_256<_>>(&mut criterion, &configuration, &seed),
    }
    criterion.final_summary();
}

fn refuse(message: &str) -> ! {
    eprintln!("error: {message}");
    exit(2);
}

fn without_proof_of_work(mut description: SystemDescription) -> SystemDescription {
    for option in &mut description.options {
        if let OptionDescription::Integer { name: "grinding", default, .. } = option {
            *default = 0;
        }
    }
    description
}

fn measure<B: BaseField, H: ElementHasher<BaseField = B> + Sync>(
    criterion: &mut Criterion,
    configuration: &Configuration,
    seed: &Seed,
) {
    let options = parameters(configuration).proof_options();
    let shape = shape(configuration);
    let round_constants: Arc<[B]> = mimc::constants::<Prime<B>>(seed, shape.rounds).into();
    let instance = |index| -> (PublicInputs<B>, TraceTable<B>) {
        let preimage = mimc::preimage::<Prime<B>>(seed, index);
        let public_inputs = PublicInputs {
            image: mimc::image::<Prime<B>>(&round_constants, preimage),
            preimage: shape.preimage_public.then_some(preimage),
            round_constants: round_constants.clone(),
            constants: shape.constants,
        };
        (public_inputs, trace(preimage, &round_constants, shape.constants))
    };
    let prove = |(public_inputs, trace): (PublicInputs<B>, TraceTable<B>)| -> (Proof, Vec<u8>) {
        let proof = MimcProver::<B, H>::new(options.clone(), public_inputs)
            .prove(trace)
            .expect("the prover proves");
        let bytes = proof.to_bytes();
        // Both handed out so that Criterion drops them outside the time, as the runner does.
        (proof, bytes)
    };

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

    let (public_inputs, trace) = instance(0);
    let (_, bytes) = prove((public_inputs.clone(), trace));
    let acceptable = AcceptableOptions::OptionSet(vec![options.clone()]);
    criterion.bench_function("verify", |bencher| {
        bencher.iter(|| {
            let proof = Proof::from_bytes(black_box(&bytes)).expect("the proof is read");
            winterfell::verify::<MimcAir<B>, H, DefaultRandomCoin<H>, MerkleTree<H>>(
                proof,
                black_box(&public_inputs).clone(),
                &acceptable,
            )
            .expect("the verifier accepts");
        });
    });
}
