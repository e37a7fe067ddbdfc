//! `nizk-winterfell-0-8`: describe, run and verify.

use std::process::ExitCode;

use nizk_protocol::{Library, Runner};
use nizk_winterfell_0_8::system::F128;

fn main() -> ExitCode {
    nizk_protocol::main(Runner {
        name: "winterfell-0-8",
        library: Library { name: "winterfell", version: "0.8.1" },
        build_features: Vec::new(),
        systems: vec![Box::new(F128)],
    })
}
