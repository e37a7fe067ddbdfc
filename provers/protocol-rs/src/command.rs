//! The command line of every runner: `describe`, `run`, `classify`, `verify`.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use crate::answers::Catalogue;
use crate::classify::classify;
use crate::description::{Build, Library};
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

/// The whole command line of a runner. Ends with 0 if no request ended in an error, 1 if any did, 2
/// for a wrong command line.
pub fn main(runner: Runner) -> ExitCode {
    panics::log_quietly();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = match arguments.as_slice() {
        [command] => command.to_str(),
        _ => None,
    };
    let mut input = io::stdin().lock();
    let mut sink = io::stdout().lock();
    let mut output = Output::new(&mut sink);
    let ended = match command {
        Some("describe") => describe(&runner, &mut output),
        Some("run") => run(Catalogue::of(&runner.systems), &mut input, &mut output),
        Some("classify") => classify(Catalogue::of(&runner.systems), &mut input, &mut output),
        Some("verify") => verify(Catalogue::of(&runner.systems), &mut input, &mut output),
        _ => {
            let name = runner.name;
            panics::eprintln_if_open(&format!(
                "error: {name} takes exactly one argument, legal are describe, run, classify and \
                 verify"
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

fn describe(runner: &Runner, output: &mut Output<'_>) -> io::Result<bool> {
    let Catalogue { descriptions, .. } = Catalogue::of(&runner.systems);
    let build = Build {
        target: env!("NIZK_BUILD_TARGET"),
        profile: env!("NIZK_BUILD_PROFILE"),
        features: runner.build_features.clone(),
        target_cpu: env!("NIZK_BUILD_TARGET_CPU"),
    };
    output.push(&Record::Describe {
        protocol: PROTOCOL,
        runner: runner.name,
        library: &runner.library,
        build: &build,
        systems: &descriptions,
    })?;
    output.flush()?;
    Ok(true)
}
