//! The smallest runner: a system whose proof is the witness. The tests of this crate drive it as a
//! process; a new runner can start from it.

use std::process::ExitCode;

use nizk_protocol::{Library, Runner};

#[path = "../src/toy.rs"]
mod toy;

fn main() -> ExitCode {
    nizk_protocol::main(Runner {
        name: "toy",
        library: Library { name: "toy", version: "0.0.0" },
        build_features: vec![],
        systems: vec![Box::new(toy::Toy)],
    })
}
