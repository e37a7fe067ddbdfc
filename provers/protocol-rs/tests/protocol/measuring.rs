use std::fs;

use serde_json::{Value, json};

use crate::process::{answers, numbers, request};

#[test]
fn the_maximum_ends_the_loop_and_warm_up_is_not_counted() {
    let stop = json!({"warmup": 2, "minimum": 1, "maximum": 4, "seconds": 3600});
    let ended = answers("run", &[request(json!({"stop": stop, "first_instance": 5}))]);
    assert_eq!(ended.status, Some(0));
    for phase in ["witness", "prove", "verify"] {
        let samples = || ended.samples(phase);
        assert_eq!(numbers(samples(), "sample"), (0..6).map(Some).collect::<Vec<_>>());
        assert_eq!(numbers(samples(), "instance"), (5..11).map(Some).collect::<Vec<_>>());
        let warm: Vec<bool> = samples().map(|s| s["warmup"].as_bool().unwrap()).collect();
        assert_eq!(warm, [true, true, false, false, false, false]);
    }
    assert_eq!(
        *ended.the("done"),
        json!({"type": "done", "id": "a", "samples": 4, "stopped_by": "maximum"})
    );
}

#[test]
fn the_seconds_end_the_loop_but_not_before_the_minimum() {
    let stop = json!({"warmup": 1, "minimum": 3, "maximum": 50, "seconds": 1e-9});
    let ended = answers("run", &[request(json!({"stop": stop}))]);
    assert_eq!(ended.samples("prove").count(), 4);
    assert_eq!(ended.the("done")["stopped_by"], "seconds");
    assert_eq!(ended.the("done")["samples"], 3);
}

#[test]
fn the_seconds_are_those_of_the_counted_timed_phases() {
    let stop = json!({"warmup": 3, "minimum": 1, "maximum": 50, "seconds": 0.05});
    let options = json!({"milliseconds": 20});
    let ended = answers("run", &[request(json!({"stop": stop, "options": options}))]);
    let counted =
        || ended.of_type("sample").filter(|s| s["phase"] != "setup" && s["warmup"] == false);
    let last = ended.of_type("sample").filter_map(|s| s["sample"].as_u64()).max();
    let total = |skip: Option<u64>| -> u64 {
        counted()
            .filter(|s| s["sample"].as_u64() != skip)
            .filter_map(|s| s["wall_ns"].as_u64())
            .sum()
    };
    assert!(total(None) >= 50_000_000);
    assert!(total(last) < 50_000_000);
    assert!(ended.samples("prove").all(|s| s["wall_ns"].as_u64() >= Some(20_000_000)));
}

#[test]
fn a_batch_is_verified_after_the_loop_by_the_same_stop_rule() {
    let stop = json!({"warmup": 1, "minimum": 2, "maximum": 2, "seconds": 3600});
    let ended = answers("run", &[request(json!({"stop": stop, "batch": 5}))]);
    assert_eq!(ended.status, Some(0), "{}", ended.log);
    let samples = || ended.samples("verify-batch");
    assert_eq!(numbers(samples(), "sample"), [Some(0), Some(1), Some(2)]);
    assert_eq!(numbers(samples(), "instance"), [None, None, None]);
    let warm: Vec<bool> = samples().map(|s| s["warmup"].as_bool().unwrap()).collect();
    assert_eq!(warm, [true, false, false]);
    let counter = ended.of_type("counter").find(|counter| counter["name"] == "batch").unwrap();
    assert_eq!(counter["value"], 5);
    let check = ended.of_type("check").find(|check| check["check"] == "reject-tampered-batch");
    assert_eq!(check.unwrap()["passed"], true);
    assert_eq!(ended.the("done")["samples"], 2, "those of the loop");
}

#[test]
fn without_a_batch_asked_for_none_is_verified() {
    assert_eq!(answers("run", &[request(json!({}))]).samples("verify-batch").count(), 0);
}

#[test]
fn set_up_is_timed_once_and_belongs_to_no_instance() {
    let ended = answers("run", &[request(json!({}))]);
    let setup: Vec<&Value> = ended.samples("setup").collect();
    assert_eq!(setup.len(), 1);
    assert_eq!(setup[0]["instance"], Value::Null);
    assert_eq!(setup[0]["sample"], 0);
    assert_eq!(setup[0]["warmup"], false);
    assert_eq!(ended.samples("compile").count(), 0, "the system has no such phase");
}

#[test]
fn what_stays_is_written_once_and_what_varies_with_every_sample() {
    let ended = answers("run", &[request(json!({"threads": 2}))]);
    let counters = |name: &'static str| ended.of_type("counter").filter(move |c| c["name"] == name);
    assert_eq!(numbers(counters("constraints"), "value"), [Some(4)]);
    assert_eq!(numbers(counters("threads"), "value"), [Some(2)]);
    assert_eq!(numbers(counters("constraints"), "sample"), [None]);
    assert_eq!(numbers(counters("pow_nonce"), "sample"), [0, 1, 2, 3].map(Some));
    assert_eq!(ended.the("size")["bytes"], 16);
    assert_eq!(ended.the("size")["of"], "proof");
    assert_eq!(ended.the("size")["encoding"], "native");
    assert_eq!(ended.the("security")["bits"], 0.5);
    assert_eq!(
        *ended.the("check"),
        json!({"type": "check", "id": "a", "check": "self-verify", "passed": true, "detail": ""})
    );
}

#[test]
fn a_fixed_instance_stays_the_same() {
    let ended = answers("run", &[request(json!({"instances": "fixed", "first_instance": 9}))]);
    assert_eq!(numbers(ended.samples("prove"), "instance"), [9; 4].map(Some));
}

#[test]
fn the_largest_first_instance_leaves_room_for_the_loop() {
    let largest = u64::MAX - 4;
    let ended = answers("run", &[request(json!({"first_instance": largest}))]);
    assert_eq!(ended.status, Some(0));
    let ended = answers("run", &[request(json!({"first_instance": largest + 1}))]);
    assert_eq!(ended.the("error")["option"], "first_instance");
}

#[test]
fn only_the_phases_asked_for_are_recorded_and_every_proof_is_verified_once() {
    for phases in [&["prove"][..], &["witness"], &["witness", "prove"], &["verify", "witness"]] {
        let ended = answers("run", &[request(json!({"phases": phases}))]);
        assert_eq!(ended.status, Some(0), "{phases:?} {}", ended.log);
        let seen: std::collections::BTreeSet<&str> =
            ended.of_type("sample").filter_map(|s| s["phase"].as_str()).collect();
        assert_eq!(seen, phases.iter().copied().collect());
        assert_eq!(ended.the("check")["passed"], true);
        assert_eq!(ended.the("size")["bytes"], 16);
    }
}

#[test]
fn verification_alone_uses_one_proof() {
    let ended = answers("run", &[request(json!({"phases": ["verify"], "first_instance": 4}))]);
    assert_eq!(numbers(ended.samples("verify"), "instance"), [4; 4].map(Some));
    let nonces = ended.of_type("counter").filter(|c| c["name"] == "pow_nonce");
    assert_eq!(numbers(nonces, "value"), [Some(1)], "one proof was made");
}

#[test]
fn without_witness_prove_and_verify_there_is_no_loop() {
    let ended = answers("run", &[request(json!({"phases": ["compile", "setup"]}))]);
    assert_eq!(ended.samples("setup").count(), 1);
    assert_eq!(ended.of_type("sample").count(), 1);
    assert_eq!(ended.the("done")["stopped_by"], "no-loop");
    assert_eq!(ended.the("done")["samples"], 0);
}

#[test]
fn the_artifacts_are_those_of_the_first_counted_sample() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = json!({"artifacts": folder.path()});
    let with_warm_up = answers("run", &[request(artifacts.clone())]);
    assert_eq!(with_warm_up.status, Some(0));
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let warm = (read("proof.bin"), read("public_input.json"));
    let changes = json!({
        "artifacts": folder.path(), "first_instance": 1,
        "stop": {"warmup": 0, "minimum": 1, "maximum": 1, "seconds": 1},
    });
    answers("run", &[request(changes)]);
    assert_eq!((read("proof.bin"), read("public_input.json")), warm);
    assert_eq!(read("verifying_key.bin").len(), 32 + 3);
    let public: Value = serde_json::from_slice(&warm.1).unwrap();
    assert_eq!(public["rounds"], 15);
    assert_eq!(public["constants"].as_array().unwrap().len(), 15);
    assert_eq!(public.get("preimage"), None);
}

#[test]
fn the_same_seed_gives_the_same_statement_and_another_seed_another() {
    let folder = tempfile::tempdir().unwrap();
    let public_input = |seed: &str| {
        answers("run", &[request(json!({"seed": seed, "artifacts": folder.path()}))]);
        fs::read_to_string(folder.path().join("public_input.json")).unwrap()
    };
    let first = public_input(&"01".repeat(32));
    assert_eq!(public_input(&"01".repeat(32)), first);
    assert_ne!(public_input(&"02".repeat(32)), first);
}

#[test]
fn times_are_never_zero_and_memory_is_null_or_real() {
    let ended = answers("run", &[request(json!({}))]);
    for sample in ended.of_type("sample") {
        assert!(sample["wall_ns"].as_u64() > Some(0));
        assert!(sample["user_ns"].is_u64() && sample["system_ns"].is_u64());
        let peak = &sample["peak_rss_bytes"];
        assert!(peak.is_null() || peak.as_u64() > Some(1 << 18), "{peak}");
    }
}

#[test]
fn a_process_measures_at_one_thread_count() {
    let ended = answers(
        "run",
        &[
            request(json!({"id": "refused", "threads": 3, "seed": "00"})),
            request(json!({"id": "first", "threads": 2})),
            request(json!({"id": "other", "threads": 1})),
            request(json!({"id": "same", "threads": 2})),
        ],
    );
    assert_eq!(ended.status, Some(1));
    let done: Vec<&Value> = ended.of_type("done").map(|record| &record["id"]).collect();
    assert_eq!(done, ["first", "same"]);
    let errors: Vec<&Value> = ended.of_type("error").map(|record| &record["option"]).collect();
    assert_eq!(errors, ["seed", "threads"]);
}
