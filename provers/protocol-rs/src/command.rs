//! The command line of every runner: `describe`, `run`, `verify`.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use crate::description::{Build, Library, SystemDescription};
use crate::panics;
use crate::record::{Output, PROTOCOL, Record};
use crate::run::run;
use crate::system::System;
use crate::verify::verify;

/// Exit status of a wrong command line.
const USAGE: u8 = 2;

/// A runner: its name, the library it measures and the systems it implements.
pub struct Runner {
    /// Name, as in `runner.toml`.
    pub name: &'static str,
    /// The library measured.
    pub library: Library,
    /// Features of the library that bear on its times.
    pub build_features: Vec<&'static str>,
    /// The systems.
    pub systems: Vec<Box<dyn System>>,
}

/// The whole command line of a runner. Ends with 0 if every request ended in `done` or a verdict, 1
/// if any did not, 2 for a wrong command line.
pub fn main(runner: Runner) -> ExitCode {
    panics::log_quietly();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = match arguments.as_slice() {
        [command] => command.to_str(),
        _ => None,
    };
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let ended = match command {
        Some("describe") => describe(&runner, &mut output),
        Some(command @ ("run" | "verify")) => serve(&runner, command, &mut input, &mut output),
        _ => {
            let name = runner.name;
            panics::eprintln_if_open(&format!(
                "error: {name} takes exactly one argument, legal are describe, run and verify"
            ));
            return ExitCode::from(USAGE);
        }
    };
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // Whoever closed the pipe knows that nothing more will come.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            panics::eprintln_if_open(&format!("error: standard input or output failed: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Answers the requests of `input` on `output`; whether all ended well.
pub(crate) fn serve(
    runner: &Runner,
    command: &str,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<bool> {
    let mut output = Output::new(output);
    match command {
        "verify" => verify(&runner.systems, input, &mut output),
        _ => run(&runner.systems, input, &mut output),
    }
}

fn describe(runner: &Runner, output: &mut dyn Write) -> io::Result<bool> {
    let systems: Vec<SystemDescription> =
        runner.systems.iter().map(|system| system.description()).collect();
    let build = Build {
        target: env!("NIZK_BUILD_TARGET"),
        profile: env!("NIZK_BUILD_PROFILE"),
        features: runner.build_features.clone(),
        target_cpu: env!("NIZK_BUILD_TARGET_CPU"),
    };
    let mut output = Output::new(output);
    output.push(&Record::Describe {
        protocol: PROTOCOL,
        runner: runner.name,
        library: &runner.library,
        build: &build,
        systems: &systems,
    })?;
    output.flush()?;
    Ok(true)
}
