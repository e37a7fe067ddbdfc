//! The whole runner with the real `nizk-zokrates`: circuits compiled, proven, and verified in another
//! process. Node and the packages of `../zokrates` must be there for what is ignored; `just test` runs it.

// A test that unwraps fails with the place that failed, which is what a test is for; clippy knows
// this of test functions, not of what they share.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const SYSTEM: &str = "zokrates-native/groth16/bn254";
const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// A folder with this runner alone.
fn alone() -> TempDir {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let runner = env!("CARGO_BIN_EXE_nizk-zokrates-native");
    // A symbolic link would lead back to where it was built, and what is still open for writing, as a
    // copy is in a child that another test starts meanwhile, cannot be executed.
    fs::hard_link(runner, bin.join("nizk-zokrates-native")).unwrap();
    folder
}

/// A folder with this runner and `nizk-zokrates` side by side.
fn installed() -> TempDir {
    let folder = alone();
    let zokrates = concat!(env!("CARGO_MANIFEST_DIR"), "/../zokrates/nizk-zokrates");
    symlink(zokrates, folder.path().join("bin/nizk-zokrates")).unwrap();
    folder
}

fn ask(folder: &Path, command: &str, requests: &[Value]) -> (Output, Vec<Value>) {
    let mut child = Command::new(folder.join("bin/nizk-zokrates-native"))
        .arg(command)
        .env_remove("NIZK_BENCH_CIRCUITS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let records = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output, records)
}

fn run_request(function: &str, bytes: u64, message: &str, artifacts: &Path) -> Value {
    json!({
        "type": "run", "id": format!("{function}-{bytes}-{message}"), "system": SYSTEM,
        "statement": "hash-preimage", "size": {"bytes": bytes},
        "variant": {"function": function, "message": message}, "threads": 1, "seed": SEED,
        "instances": "fresh", "stop": {"warmup": 0, "minimum": 2, "maximum": 2, "seconds": 1},
        "phases": ["setup", "prove", "verify"], "artifacts": artifacts,
    })
}

fn verify_request(id: &str, function: &str, bytes: u64, message: &str, files: &Path) -> Value {
    json!({
        "type": "verify", "id": id, "system": SYSTEM, "statement": "hash-preimage",
        "size": {"bytes": bytes}, "variant": {"function": function, "message": message},
        "public_input": files.join("public_input.json"),
        "verifying_key": files.join("verifying_key.bin"), "proof": files.join("proof.bin"),
    })
}

#[test]
#[ignore = "needs Node and the packages of ../zokrates"]
fn every_function_over_elements_is_proven_and_verified_in_another_process() {
    let cases = [
        ("mimc-7", 64, "bytes"),
        ("mimc-7", 64, "elements"),
        ("mimc-sponge", 31, "bytes"),
        ("mimc-sponge", 31, "elements"),
        ("poseidon", 187, "bytes"),
        ("poseidon", 64, "elements"),
    ];
    let folder = installed();
    for (function, bytes, message) in cases {
        let files = folder.path().join(format!("{function}-{bytes}-{message}"));
        fs::create_dir(&files).unwrap();
        let request = run_request(function, bytes, message, &files);
        let (output, records) = ask(folder.path(), "run", &[request]);
        assert!(output.status.success(), "{records:?}");
        assert_eq!(records.last().unwrap()["type"], "done");
        let honest = verify_request("honest", function, bytes, message, &files);
        let (_, verdicts) = ask(folder.path(), "verify", &[honest]);
        assert_eq!(verdicts[0]["accepted"], true, "{verdicts:?}");
        assert_eq!(fs::metadata(files.join("proof.bin")).unwrap().len(), 128);

        let text = fs::read_to_string(files.join("public_input.json")).unwrap();
        let mut other: Value = serde_json::from_str(&text).unwrap();
        let digest = other["digest"].as_str().unwrap();
        // The last digit, so that an element stays below the order.
        let last = if digest.ends_with('0') { "1" } else { "0" };
        other["digest"] = json!(format!("{}{last}", &digest[..63]));
        fs::write(files.join("public_input.json"), other.to_string()).unwrap();
        let forged = verify_request("forged", function, bytes, message, &files);
        let (_, verdicts) = ask(folder.path(), "verify", &[forged]);
        assert_eq!(verdicts[0]["accepted"], false, "{verdicts:?}");
    }
    // Circuits are kept where nothing names another folder; witnesses are not.
    for (function, bytes, message) in cases {
        let circuit = folder.path().join(format!("circuits/{function}-{bytes}-{message}-embedded"));
        assert!(circuit.join("circuit.r1cs").exists());
        let left = fs::read_dir(circuit).unwrap();
        let witnesses = left.filter(|entry| {
            entry.as_ref().unwrap().path().extension().is_some_and(|suffix| suffix == "wtns")
        });
        assert_eq!(witnesses.count(), 0);
    }
}

#[test]
fn without_zokrates_the_program_is_missed_by_name() {
    let folder = alone();
    let request = run_request("sha256", 64, "bytes", folder.path());
    let (output, records) = ask(folder.path(), "run", &[request]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(records[0]["kind"], "internal");
    let message = records[0]["message"].as_str().unwrap();
    assert!(message.contains("bin/nizk-zokrates cannot be started"), "{message}");
}

#[test]
fn elements_of_a_function_over_bytes_are_unsupported_and_all_else_is_legal() {
    let folder = alone();
    let functions = ["sha256", "sha3-256", "blake2s", "mimc-sponge", "mimc-7", "poseidon"];
    for (index, function) in functions.into_iter().enumerate() {
        let requests = ["bytes", "elements"]
            .map(|message| run_request(function, 4096, message, folder.path()));
        let (_, answers) = ask(folder.path(), "classify", &requests);
        assert_eq!(answers[0]["type"], "legal", "{answers:?}");
        if index < 3 {
            assert_eq!(answers[1]["rule"], "elements-need-a-function-over-a-field");
        } else {
            assert_eq!(answers[1]["type"], "legal", "{answers:?}");
        }
        let mut library = run_request(function, 4096, "bytes", folder.path());
        library["variant"]["gadget"] = json!("standard-library");
        let (_, answers) = ask(folder.path(), "classify", &[library]);
        if function == "sha256" {
            assert_eq!(answers[0]["type"], "legal", "{answers:?}");
        } else {
            assert_eq!(answers[0]["rule"], "standard-library-gadget-is-of-sha256");
        }
    }
}
