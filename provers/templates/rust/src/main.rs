//! The runner's executable.

mod field;
mod scheme;
mod system;

use std::process::ExitCode;

use nizk_protocol::{Library, Runner};

fn main() -> ExitCode {
    nizk_protocol::main(Runner {
        name: "newcomer",
        library: Library { name: "newcomer", version: "0.0.0" },
        build_features: vec![],
        systems: vec![Box::new(system::Measured)],
    })
}
