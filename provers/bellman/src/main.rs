//! The runner `nizk-bellman`.

use std::process::ExitCode;

use nizk_bellman::groth16::Groth16;
use nizk_protocol::{Library, Runner};

fn main() -> ExitCode {
    nizk_protocol::main(Runner {
        name: "bellman",
        library: Library { name: "bellman", version: "0.14.0" },
        build_features: vec!["groth16", "multicore"],
        systems: vec![Box::new(Groth16)],
    })
}
