//! Prove and verify with Criterion alone, in the runner's pattern: a fresh instance for every proof,
//! one proof verified again and again. What is measured comes from the environment, see
//! `nizk_protocol::plain`.

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;

use criterion::{BatchSize, Criterion};
use nizk_protocol::{System, Verdict, plain};
use nizk_zokrates_native::groth16::{generate_keys, prove, verify};
use nizk_zokrates_native::system::Native;
use nizk_zokrates_native::zokrates::ZoKrates;

fn measure(criterion: &mut Criterion) -> Result<(), Box<dyn Error>> {
    let native = Native::new(ZoKrates::beside_this_executable()?);
    let plain = plain::from_environment(&[native.description()]).map_err(|f| f.message)?;
    let (circuit, mut instances) = native.prepare(&plain.configuration).map_err(|f| f.message)?;
    let keys = generate_keys(&circuit).map_err(|f| f.message)?;
    let mut indices = 0..;
    let mut next = || {
        let index = indices.next().expect("instances do not run out");
        instances.of(&circuit, &plain.seed, index).expect("every message has a witness")
    };
    let prove_one = |assignment: &[_]| prove(&keys, &circuit, assignment).expect("it is provable");

    let first = next();
    let proof = prove_one(&first.assignment);
    if verify(&keys, &first.public, &proof) != Verdict::Accepted {
        return Err("the proof to be verified is rejected".into());
    }
    criterion.bench_function("prove", |bencher| {
        bencher.iter_batched(
            &mut next,
            |instance| black_box(prove_one(black_box(&instance.assignment))),
            BatchSize::PerIteration,
        );
    });
    criterion.bench_function("verify", |bencher| {
        bencher.iter(|| black_box(verify(&keys, black_box(&first.public), black_box(&proof))));
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
