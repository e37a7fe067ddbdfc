//! The runner's executable.

use std::process::ExitCode;

fn main() -> ExitCode {
    nizk_protocol::main(nizk_bulletproofs::runner())
}
