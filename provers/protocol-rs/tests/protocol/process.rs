//! Starting the toy runner and reading its records.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Map, Value, json};

/// What a process left behind.
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    pub(crate) records: Vec<Value>,
    pub(crate) log: String,
}

impl Ended {
    /// The records of one type, in order.
    pub(crate) fn of_type<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Value> {
        self.records.iter().filter(move |record| record["type"] == name)
    }

    /// The samples of one phase, in order.
    pub(crate) fn samples<'a>(&'a self, phase: &'a str) -> impl Iterator<Item = &'a Value> {
        self.of_type("sample").filter(move |record| record["phase"] == phase)
    }

    /// The only record of a type.
    pub(crate) fn the<'a>(&'a self, name: &'a str) -> &'a Value {
        let mut found = self.of_type(name);
        match (found.next(), found.next()) {
            (Some(record), None) => record,
            _ => panic!("not exactly one {name} in {:#?}\n{}", self.records, self.log),
        }
    }
}

/// The toy runner's command, beside the test's own executable.
pub(crate) fn toy() -> Command {
    let mut path: PathBuf = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.extend(["examples", "toy"]);
    assert!(path.exists(), "{} is not built; `cargo test` builds it", path.display());
    Command::new(path)
}

/// Runs a command with this input to its end.
pub(crate) fn finish(mut command: Command, input: &[u8]) -> Ended {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A process that ends early closes its input, which is no fault of the test.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    Ended {
        status: output.status.code(),
        records: text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        log: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the toy with one argument and these requests.
pub(crate) fn answers(argument: impl AsRef<OsStr>, requests: &[Value]) -> Ended {
    let lines: Vec<String> = requests.iter().map(|request| format!("{request}\n")).collect();
    let mut command = toy();
    command.arg(argument);
    finish(command, lines.concat().as_bytes())
}

/// A legal request to run, with these members changed; `null` takes one away.
pub(crate) fn request(changes: Value) -> Value {
    let mut request = json!({
        "type": "run", "id": "a", "system": "toy/nothing/m31", "statement": "mimc-preimage",
        "size": {"rounds": 15}, "variant": {}, "options": {}, "threads": 1,
        "seed": "00".repeat(32), "instances": "fresh",
        "stop": {"warmup": 1, "minimum": 2, "maximum": 3, "seconds": 60},
        "phases": ["compile", "setup", "witness", "prove", "verify"],
    });
    change(request.as_object_mut().unwrap(), changes);
    request
}

/// A legal request to run that proves a message of 70 bytes, with these members changed.
pub(crate) fn request_of_hash(changes: Value) -> Value {
    let mut request = request(json!({"statement": "hash-preimage", "size": {"bytes": 70}}));
    change(request.as_object_mut().unwrap(), changes);
    request
}

fn change(members: &mut Map<String, Value>, changes: Value) {
    let Value::Object(changes) = changes else { panic!("changes are an object") };
    for (name, value) in changes {
        if value.is_null() {
            members.remove(&name);
        } else {
            members.insert(name, value);
        }
    }
}

/// The numbers of one member of some records.
pub(crate) fn numbers<'a>(
    records: impl Iterator<Item = &'a Value>,
    member: &str,
) -> Vec<Option<u64>> {
    records.map(|record| record[member].as_u64()).collect()
}
