//! Prove and verify with Criterion alone, in the runner's pattern: a fresh instance for every proof,
//! one proof verified again and again. What is measured comes from the environment, see
//! `nizk_protocol::plain`.

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;

use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use ark_ec::pairing::Pairing;
use criterion::{BatchSize, Criterion};
use nizk_arkworks::circuit::{Constants, Instance, MimcPreimage, assignment};
use nizk_arkworks::field::Scalar;
use nizk_arkworks::scheme::Keys;
use nizk_arkworks::system;
use nizk_protocol::plain::{self, Plain};
use nizk_protocol::{Verdict, mimc};

fn measure<E: Pairing>(criterion: &mut Criterion, plain: &Plain) -> Result<(), Box<dyn Error>> {
    let placed = Constants::of_variant(plain.configuration.variant("constants"));
    let constants =
        mimc::constants::<Scalar<E::ScalarField>>(&plain.seed, plain.configuration.size());
    let circuit = |instance| MimcPreimage { constants: &constants, placed, instance };
    let keys = Keys::<E>::generate(circuit(None)).map_err(|failure| failure.message)?;

    let mut instances = (0..).map(|index| Instance::derive(&plain.seed, index, &constants));
    let mut next = || instances.next().expect("instances do not run out");
    let witness = |instance| assignment(circuit(Some(instance))).expect("it has a witness");
    let prove_one = |values: Vec<_>| keys.prove(&values).expect("it is provable");

    let first = next();
    let proof = prove_one(witness(first));
    let public_input = placed.public_input(first.image, &constants);
    if keys.verify(&public_input, &proof) != Verdict::Accepted {
        return Err("the proof to be verified is rejected".into());
    }
    criterion.bench_function("prove", |bencher| {
        bencher.iter_batched(
            || witness(next()),
            |values| black_box(prove_one(black_box(values))),
            BatchSize::PerIteration,
        );
    });
    criterion.bench_function("verify", |bencher| {
        bencher.iter(|| black_box(keys.verify(black_box(&public_input), black_box(&proof))));
    });
    Ok(())
}

fn measure_one(criterion: &mut Criterion) -> Result<(), Box<dyn Error>> {
    let descriptions: Vec<_> = system::all().iter().map(|system| system.description()).collect();
    let plain = plain::from_environment(&descriptions).map_err(|failure| failure.message)?;
    match descriptions[plain.position].curve {
        Some("bn254") => measure::<Bn254>(criterion, &plain),
        _ => measure::<Bls12_381>(criterion, &plain),
    }
}

fn main() -> ExitCode {
    let mut criterion = Criterion::default().configure_from_args();
    match measure_one(&mut criterion) {
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
