//! ZoKrates at work: the program `nizk-zokrates` compiles circuits and computes witnesses. Nothing here
//! is timed.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use nizk_protocol::{Failure, FailureKind};
use serde_json::Value;

/// The program, beside this runner's executable.
const PROGRAM: &str = "nizk-zokrates";
/// Names the folder of circuits.
const CIRCUITS: &str = "NIZK_BENCH_CIRCUITS";
/// The folder of circuits where nothing names one, beside the folder of this runner's executable.
const CIRCUITS_FOLDER: &str = "circuits";
/// The rule by which a circuit is unsupported that ZoKrates does not take.
const REFUSED: &str = "refused-by-zokrates";

/// Where the program is, and where its circuits are kept.
#[derive(Clone, Debug)]
pub struct ZoKrates {
    program: PathBuf,
    circuits: PathBuf,
}

impl ZoKrates {
    /// The program at a path, with circuits in a folder.
    pub fn new(program: PathBuf, circuits: PathBuf) -> ZoKrates {
        ZoKrates { program, circuits }
    }

    /// The program beside this executable, with circuits in the folder of the environment.
    ///
    /// # Errors
    ///
    /// If the system cannot say where this executable is.
    pub fn beside_this_executable() -> io::Result<ZoKrates> {
        let executable = std::env::current_exe()?;
        let folder = executable.parent().unwrap_or(Path::new("."));
        let circuits = match std::env::var_os(CIRCUITS).filter(|named| !named.is_empty()) {
            Some(named) => PathBuf::from(named),
            None => folder.parent().unwrap_or(folder).join(CIRCUITS_FOLDER),
        };
        Ok(ZoKrates::new(folder.join(PROGRAM), circuits))
    }

    /// The folder with the circuit of a function; it is compiled if it is not there.
    ///
    /// # Errors
    ///
    /// What ZoKrates says, or why it cannot be asked.
    pub fn circuit(
        &self,
        function: &str,
        bytes: usize,
        message: &str,
        gadget: &str,
    ) -> Result<PathBuf, Failure> {
        let folder = self.circuits.join(format!("{function}-{bytes}-{message}-{gadget}"));
        let mut command = Command::new(&self.program);
        command.args(["circuit", "--function", function, "--bytes", &bytes.to_string()]);
        command.args(["--message", message, "--gadget", gadget, "--into"]);
        command.arg(&folder).stdin(Stdio::null());
        let ended = command.output().map_err(|error| self.not_started(&error))?;
        if ended.status.success() {
            return Ok(folder);
        }
        Err(stated_failure(&ended.stdout)
            .unwrap_or_else(|| without_a_word(ended.status, &ended.stderr)))
    }

    /// Begins to compute witnesses for the circuit of a folder.
    ///
    /// # Errors
    ///
    /// If the program cannot be started.
    pub fn witnesses(&self, folder: &Path) -> Result<Witnesses, Failure> {
        let mut command = Command::new(&self.program);
        command.arg("witness").arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| self.not_started(&error))?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::internal("the program of witnesses has no input or output"));
        };
        let answers = BufReader::new(answers);
        Ok(Witnesses { child, questions: Some(questions), answers })
    }

    fn not_started(&self, error: &io::Error) -> Failure {
        Failure::internal(format!(
            "the program {} cannot be started, which makes the circuits and must stand beside this \
             runner: {error}",
            self.program.display()
        ))
    }
}

/// A process that computes the witnesses of one circuit, which it reads once. It sleeps between two.
pub struct Witnesses {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Witnesses {
    /// The witness of a message, as a file in iden3's format.
    ///
    /// # Errors
    ///
    /// What ZoKrates says, or that it says nothing any more.
    pub fn of(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut line: String = message.iter().map(|byte| format!("{byte:02x}")).collect();
        line.push('\n');
        let mut answer = Vec::new();
        let asked = match &mut self.questions {
            Some(questions) => {
                questions.write_all(line.as_bytes()).and_then(|()| questions.flush())
            }
            None => Ok(()),
        };
        let read = asked.and_then(|()| self.answers.read_until(b'\n', &mut answer));
        if read.is_err() || answer.is_empty() {
            return Err(match self.child.wait() {
                Ok(status) => without_a_word(status, &[]),
                Err(error) => Failure::internal(format!("ZoKrates is gone: {error}")),
            });
        }
        let path = witness_path(&answer)?;
        let witness = fs::read(&path).map_err(|error| {
            Failure::internal(format!("the witness {} cannot be read: {error}", path.display()))
        })?;
        // The folder keeps circuits; a witness that stays in it does no harm.
        let _ = fs::remove_file(&path);
        Ok(witness)
    }
}

impl Drop for Witnesses {
    /// Ends the process by ending its input, as whoever has asked enough does.
    fn drop(&mut self) {
        drop(self.questions.take());
        // An error means that it has been waited for.
        let _ = self.child.wait();
    }
}

/// `{"wtns":"/path"}`, or an error.
fn witness_path(answer: &[u8]) -> Result<PathBuf, Failure> {
    let value: Option<Value> = serde_json::from_slice(answer).ok();
    match value.as_ref().and_then(|value| value.get("wtns")).and_then(Value::as_str) {
        Some(path) => Ok(PathBuf::from(path)),
        None => Err(stated_failure(answer).unwrap_or_else(|| {
            let answer = String::from_utf8_lossy(answer);
            let answer = answer.trim_end();
            Failure::internal(format!("ZoKrates answers {answer:?}, which names no witness"))
        })),
    }
}

/// The failure that the last line of an output states, if it states one, as the runner protocol does:
/// `{"type":"error","kind":"…","message":"…"}`. What is the request's fault there is this runner's.
fn stated_failure(output: &[u8]) -> Option<Failure> {
    let text = String::from_utf8_lossy(output);
    let value: Value = serde_json::from_str(text.trim_end().lines().next_back()?).ok()?;
    let member = |name: &str| value.get(name).and_then(Value::as_str);
    let message = member("message").filter(|_| member("type") == Some("error"))?.to_owned();
    Some(match member("kind") {
        Some("unsupported") => Failure::unsupported(REFUSED, "size.bytes", message),
        Some("out-of-memory") => {
            Failure { kind: FailureKind::OutOfMemory, ..Failure::internal(message) }
        }
        _ => Failure::internal(format!("ZoKrates: {message}")),
    })
}

/// The failure of a process that ended without saying why; the last line of its log may tell.
fn without_a_word(status: ExitStatus, log: &[u8]) -> Failure {
    let log = String::from_utf8_lossy(log);
    let last = log.trim_end().lines().next_back().unwrap_or_default();
    Failure::internal(format!("ZoKrates ended with {status} and no answer, its log with {last:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(path: &str) -> ZoKrates {
        ZoKrates::new(PathBuf::from(path), std::env::temp_dir())
    }

    #[test]
    fn an_error_of_zokrates_keeps_its_kind() {
        let answer = |kind: &str| {
            let line =
                format!("log\n{{\"type\":\"error\",\"kind\":\"{kind}\",\"message\":\"so\"}}\n");
            stated_failure(line.as_bytes()).unwrap()
        };
        let refused = answer("unsupported");
        assert_eq!((refused.kind, refused.rule), (FailureKind::Unsupported, Some(REFUSED)));
        assert_eq!(refused.message, "so");
        let exhausted = answer("out-of-memory");
        assert_eq!((exhausted.kind, exhausted.rule), (FailureKind::OutOfMemory, None));
        for kind in ["internal", "invalid-request", "other"] {
            assert_eq!(answer(kind), Failure::internal("ZoKrates: so"));
        }
    }

    #[test]
    fn an_output_that_states_no_error_is_none() {
        for output in ["", "\n", "so", "[]", "{\"type\":\"circuit\",\"message\":\"bytes\"}"] {
            assert_eq!(stated_failure(output.as_bytes()), None, "{output}");
        }
    }

    #[test]
    fn an_answer_is_a_path_or_a_failure() {
        assert_eq!(witness_path(b"{\"wtns\":\"/a/b\"}\n"), Ok(PathBuf::from("/a/b")));
        for answer in ["{}", "{\"wtns\":3}", "null", "nothing", "\u{ff}"] {
            let failure = witness_path(answer.as_bytes()).unwrap_err();
            assert_eq!(failure.kind, FailureKind::Internal);
            assert!(failure.message.contains("names no witness"), "{}", failure.message);
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let zokrates = program("/nowhere/nizk-zokrates");
        let failures = [
            zokrates.circuit("sha256", 64, "bytes", "embedded").err().unwrap(),
            zokrates.witnesses(Path::new("/nowhere")).err().unwrap(),
        ];
        for failure in failures {
            assert_eq!(failure.kind, FailureKind::Internal);
            assert!(failure.message.contains("/nowhere/nizk-zokrates"), "{}", failure.message);
        }
    }

    #[test]
    fn a_program_that_ends_without_a_word_is_an_internal_error() {
        let zokrates = program("false");
        let failure = zokrates.circuit("sha256", 64, "bytes", "embedded").unwrap_err();
        assert!(failure.message.contains("exit status: 1"), "{}", failure.message);
        let mut witnesses = zokrates.witnesses(Path::new("/nowhere")).unwrap();
        let failure = witnesses.of(b"message").unwrap_err();
        assert_eq!(failure.kind, FailureKind::Internal);
        assert!(failure.message.contains("ended with exit status: 1"), "{}", failure.message);
    }
}
