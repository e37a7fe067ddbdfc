//! Prove and verify with Criterion alone, in the runner's pattern: a fresh instance for every proof,
//! one proof verified again and again. What is measured comes from the environment, see
//! `nizk_protocol::plain`.

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;

use criterion::{BatchSize, Criterion};
use nizk_bellman::field::Bls12Scalar;
use nizk_bellman::groth16::{Groth16, generate_keys, prove, verify};
use nizk_bellman::mimc_preimage::{Constants, Instance, MimcPreimage};
use nizk_protocol::{System, Verdict, mimc, plain};

fn measure(criterion: &mut Criterion) -> Result<(), Box<dyn Error>> {
    let plain = plain::from_environment(&[Groth16.description()]).map_err(|f| f.message)?;
    let placed = Constants::of_variant(plain.configuration.variant("constants"));
    let constants = mimc::constants::<Bls12Scalar>(&plain.seed, plain.configuration.size());
    let circuit = |instance| MimcPreimage { constants: &constants, placed, instance };
    let keys = generate_keys(circuit(None))?;

    let mut instances = (0..).map(|index| Instance::derive(&plain.seed, index, &constants));
    let mut next = || instances.next().expect("instances do not run out");
    let prove_one = |instance| prove(&keys, circuit(Some(instance))).expect("it is provable");

    let first = next();
    let proof = prove_one(first);
    let public_input = placed.public_input(first.image, &constants);
    if verify(&keys, &public_input, &proof) != Verdict::Accepted {
        return Err("the proof to be verified is rejected".into());
    }
    criterion.bench_function("prove", |bencher| {
        bencher.iter_batched(
            &mut next,
            |instance| black_box(prove_one(black_box(instance))),
            BatchSize::PerIteration,
        );
    });
    criterion.bench_function("verify", |bencher| {
        bencher.iter(|| black_box(verify(&keys, black_box(&public_input), black_box(&proof))));
    });
    Ok(())
}

fn main() -> ExitCode {
    let mut criterion = Criterion::default().configure_from_args();
    match measure(&mut criterion) {
        Ok(()) => {
            criterion.final_summary();
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
