//! The program `nizk-hash-speed`.

use std::io::{self, Write};
use std::process::ExitCode;

use nizk_hash_speed::command::Command;
use nizk_hash_speed::description::Description;
use nizk_hash_speed::speed;
use serde::Serialize;

/// Exit status of a wrong command line.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Result<Vec<String>, _> =
        std::env::args_os().skip(1).map(std::ffi::OsString::into_string).collect();
    let command = match arguments {
        Ok(arguments) => Command::parse(&arguments),
        Err(argument) => Err(format!("{} is not UTF-8, legal is text", argument.display())),
    };
    let command = match command {
        Ok(command) => command,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(USAGE);
        }
    };
    match carry_out(&command, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever closed the pipe knows that nothing more will come.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: standard output failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn carry_out(command: &Command, output: &mut impl Write) -> io::Result<()> {
    match command {
        Command::Describe => write_line(output, &Description::of_this_build()),
        Command::Run { function, task, samples, seed } => {
            speed::run(*function, *task, *samples, seed, |sample| write_line(output, sample))
        }
    }
}

fn write_line(output: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}
