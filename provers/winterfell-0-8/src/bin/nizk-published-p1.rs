//! `nizk-published-p1`: times the proofs that earlier work published, for requests on standard input.

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use nizk_winterfell_0_8::repeat::answer_all;

fn main() -> ExitCode {
    match answer_all(io::stdin().lock(), &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // Whoever closed the pipe knows that nothing more will come.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: standard input or output failed: {error}");
            ExitCode::FAILURE
        }
    }
}
