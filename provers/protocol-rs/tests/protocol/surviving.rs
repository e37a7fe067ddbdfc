use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::json;

use crate::process::{Ended, answers, request, toy};

/// One request with a fault, then one without.
fn with_fault(fault: &str) -> Ended {
    let faulty = request(json!({"id": "faulty", "options": {"fault": fault}}));
    answers("run", &[faulty, request(json!({"id": "next"}))])
}

#[test]
fn a_panic_is_an_internal_error_on_one_line_and_the_next_request_is_answered() {
    for (fault, words) in [
        ("panic-setup", "the toy broke in its setup"),
        ("panic-prove", "the toy broke in proof 2"),
        ("panic-pool", "the toy broke in the pool"),
    ] {
        let ended = with_fault(fault);
        assert_eq!(ended.status, Some(1));
        let error = ended.the("error");
        assert_eq!(error["id"], "faulty");
        assert_eq!(error["kind"], "internal");
        assert_eq!(error["message"], format!("panic: {words}"));
        assert_eq!(ended.the("done")["id"], "next");
        assert!(!ended.log.contains("backtrace"), "{}", ended.log);
        assert!(ended.log.contains(words), "{}", ended.log);
    }
}

#[test]
fn records_before_a_panic_stay() {
    let ended = with_fault("panic-prove");
    let kept = ended.samples("prove").filter(|sample| sample["id"] == "faulty").count();
    assert_eq!(kept, 2);
}

#[test]
fn a_proof_that_its_own_verifier_rejects_is_an_internal_error() {
    let ended = with_fault("wrong-proof");
    let check = ended.of_type("check").next().unwrap();
    assert_eq!(check["passed"], false);
    assert_eq!(check["detail"], "the preimage has another image");
    assert_eq!(ended.the("error")["kind"], "internal");
    assert_eq!(ended.the("done")["id"], "next");
}

#[test]
fn what_a_system_cannot_do_is_unsupported() {
    let ended = with_fault("unsupported");
    assert_eq!(ended.the("error")["kind"], "unsupported");
    assert_eq!(ended.the("error")["option"], "fault");
    assert_eq!(ended.the("done")["id"], "next");
}

#[test]
fn memory_that_runs_out_is_the_last_record() {
    let ended = with_fault("exhaustion");
    assert_eq!(ended.status, Some(1));
    assert_eq!(ended.the("error")["kind"], "out-of-memory");
    assert_eq!(ended.the("error")["id"], "faulty");
    assert_eq!(ended.records.last(), Some(ended.the("error")));
}

#[test]
fn a_reader_that_goes_away_ends_the_runner_quietly() {
    let mut command = toy();
    command.arg("run").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let stop = json!({"warmup": 0, "minimum": 1000, "maximum": 1000, "seconds": 3600});
    let changes = json!({"stop": stop, "options": {"milliseconds": 5}});
    writeln!(stdin, "{}", request(changes)).unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
