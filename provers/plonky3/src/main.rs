//! `nizk-plonky3`: describe, run and verify.

use std::process::ExitCode;

use nizk_plonky3::systems::KoalaBearStark;
use nizk_protocol::{Library, Runner};

fn main() -> ExitCode {
    nizk_protocol::main(Runner {
        name: "plonky3",
        library: Library { name: "p3-uni-stark", version: "0.8.0" },
        build_features: vec!["parallel"],
        systems: vec![Box::new(KoalaBearStark)],
    })
}
