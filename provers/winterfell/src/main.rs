//! `nizk-winterfell`: describe, run and verify.

use std::process::ExitCode;

use nizk_protocol::{Library, Runner};
use nizk_winterfell::systems::{F64, F128};

fn main() -> ExitCode {
    nizk_protocol::main(Runner {
        name: "winterfell",
        library: Library { name: "winterfell", version: "0.13.1" },
        build_features: vec!["concurrent"],
        systems: vec![Box::new(F128), Box::new(F64)],
    })
}
