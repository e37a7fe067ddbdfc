//! The runner `nizk-arkworks`.

use std::process::ExitCode;

use nizk_arkworks::system;
use nizk_protocol::{Library, Runner};

fn main() -> ExitCode {
    nizk_protocol::main(Runner {
        name: "arkworks",
        library: Library { name: "ark-groth16", version: "0.6.0" },
        build_features: vec!["parallel"],
        systems: system::all(),
    })
}
