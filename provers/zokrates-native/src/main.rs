//! The runner `nizk-zokrates-native`.

use std::process::ExitCode;

use nizk_protocol::{Library, Runner};
use nizk_zokrates_native::system::Native;
use nizk_zokrates_native::zokrates::ZoKrates;

fn main() -> ExitCode {
    let zokrates = match ZoKrates::beside_this_executable() {
        Ok(zokrates) => zokrates,
        Err(error) => {
            eprintln!("error: the folder of this runner's executable is not known: {error}");
            return ExitCode::FAILURE;
        }
    };
    nizk_protocol::main(Runner {
        name: "zokrates-native",
        library: Library { name: "ark-groth16", version: "0.6.0" },
        build_features: vec!["parallel"],
        systems: vec![Box::new(Native::new(zokrates))],
    })
}
