use serde_json::{Value, json};

use crate::malformed::malformed;
use crate::process::{Ended, answers, finish, request, toy};

fn answered(verb: &str, input: &[u8]) -> Ended {
    let mut command = toy();
    command.arg(verb);
    finish(command, input)
}

#[test]
fn classify_refuses_what_run_refuses_in_the_same_words_and_nothing_else() {
    let mut lines: Vec<Vec<u8>> = malformed().into_iter().map(|(line, _)| line).collect();
    for changes in [
        json!({"id": "legal"}),
        json!({"id": "legal"}),
        json!({"id": "size", "size": {"rounds": 16}}),
        json!({"id": "fault", "options": {"fault": "unsupported"}}),
        json!({"id": "threads", "threads": 2}),
        json!({"id": "last"}),
    ] {
        lines.push(request(changes).to_string().into_bytes());
    }
    let input = lines.join(&b'\n');
    let (ran, classified) = (answered("run", &input), answered("classify", &input));
    let expected: Vec<Value> = ran
        .records
        .iter()
        .filter_map(|record| match record["type"].as_str() {
            Some("done") => Some(json!({"type": "legal", "id": record["id"]})),
            Some("error") => Some(record.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(classified.records, expected);
    assert_eq!(classified.of_type("legal").count(), 2);
    assert_eq!(classified.status, Some(1));
}

#[test]
fn a_legal_request_is_not_carried_out() {
    let broken = json!({"id": "b", "options": {"fault": "panic-setup"}});
    let ended = answers("classify", &[request(json!({})), request(broken)]);
    assert_eq!(
        ended.records,
        [json!({"type": "legal", "id": "a"}), json!({"type": "legal", "id": "b"})]
    );
    assert_eq!(ended.log, "");
    assert_eq!(ended.status, Some(0));
}

#[test]
fn an_unsupported_configuration_names_its_rule_and_no_other_failure_does() {
    for (changes, rule) in [
        (json!({"size": {"rounds": 16}}), json!("power-of-two-minus-one")),
        (json!({"options": {"fault": "unsupported"}}), json!("fault-of-the-toy")),
        (
            json!({
                "statement": "hash-preimage", "size": {"bytes": 1},
                "variant": {"message": "elements"}
            }),
            json!("elements-need-a-function-over-a-field"),
        ),
        (json!({"threads": 1_000_000}), json!("threads-beyond-processors")),
        (json!({"seed": "00"}), Value::Null),
    ] {
        let ended = answers("classify", &[request(changes)]);
        let error = ended.the("error");
        assert_eq!(error["rule"], rule, "{error}");
        assert_eq!(error["kind"] == "unsupported", rule != Value::Null, "{error}");
    }
}

#[test]
fn too_many_threads_are_refused_with_the_number_there_may_be() {
    let ended = answers("run", &[request(json!({"threads": 1_000_000}))]);
    let error = ended.the("error");
    assert_eq!(error["option"], "threads");
    let message = error["message"].as_str().unwrap();
    let shape = "threads is 1000000, supported are at most ";
    assert!(message.starts_with(shape), "{message}");
}
