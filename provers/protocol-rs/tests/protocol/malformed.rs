use serde_json::{Value, json};

use crate::process::{finish, request, toy};

/// Requests that break one rule each: the line, and the member the error has to name.
pub(crate) fn malformed() -> Vec<(Vec<u8>, Option<&'static str>)> {
    let lines: [(&[u8], Option<&'static str>); 12] = [
        (b"", None),
        (b"prove it", None),
        (b"{", None),
        (b"[1, 2]", None),
        (b"17", None),
        (b"null", None),
        (b"{} {}", None),
        (b"\"run\"", None),
        (b"{\"type\":\"run\",\"id\":\"\xff\"}", None),
        (b"{\"type\":\"run\",\"type\":\"run\",\"id\":\"twice\"}", None),
        (b"{\"id\":\"deep\",\"a\":{\"b\":1,\"b\":2}}", None),
        (b"{}", Some("id")),
    ];
    let mut all: Vec<(Vec<u8>, Option<&'static str>)> =
        lines.into_iter().map(|(line, option)| (line.to_vec(), option)).collect();
    all.push(("[".repeat(100_000).into_bytes(), None));
    all.push((vec![b'x'; 5 << 20], None));
    let changes = [
        (json!({"type": null}), "type"),
        (json!({"type": "verify"}), "type"),
        (json!({"id": null}), "id"),
        (json!({"id": ""}), "id"),
        (json!({"id": 7}), "id"),
        (json!({"id": "é".repeat(65)}), "id"),
        (json!({"speed": "fast"}), "speed"),
        (json!({"system": null}), "system"),
        (json!({"system": "nobody/nothing/nowhere"}), "system"),
        (json!({"statement": "factoring"}), "statement"),
        (json!({"size": null}), "size.rounds"),
        (json!({"size": 15}), "size"),
        (json!({"size": {}}), "size.rounds"),
        (json!({"size": {"rounds": 15, "bits": 15}}), "size.bits"),
        (json!({"size": {"rounds": 3}}), "size.rounds"),
        (json!({"size": {"rounds": 2047}}), "size.rounds"),
        (json!({"size": {"rounds": -15}}), "size.rounds"),
        (json!({"size": {"rounds": 15.0}}), "size.rounds"),
        (json!({"size": {"rounds": "15"}}), "size.rounds"),
        (json!({"size": {"rounds": 1e30}}), "size.rounds"),
        (json!({"statement": "hash-preimage"}), "size.bytes"),
        (json!({"statement": "hash-preimage", "size": {"bytes": 0}}), "size.bytes"),
        (json!({"statement": "hash-preimage", "size": {"bytes": 4097}}), "size.bytes"),
        (json!({"statement": "hash-preimage", "size": {"rounds": 15, "bytes": 1}}), "size.rounds"),
        (
            json!({
                "statement": "hash-preimage", "size": {"bytes": 1}, "variant": {"function": "md5"}
            }),
            "variant.function",
        ),
        (
            json!({
                "statement": "hash-preimage", "size": {"bytes": 1},
                "variant": {"constants": "public"}
            }),
            "variant.constants",
        ),
        (json!({"variant": {"colour": "blue"}}), "variant.colour"),
        (json!({"variant": {"constants": "unbound"}}), "variant.constants"),
        (json!({"variant": {"constants": 1}}), "variant.constants"),
        (json!({"variant": ["constants"]}), "variant"),
        (json!({"batch": 1}), "batch"),
        (json!({"batch": 1025}), "batch"),
        (json!({"batch": "many"}), "batch"),
        (json!({"batch": 2, "phases": ["prove"]}), "batch"),
        (json!({"options": {"turbo": 1}}), "turbo"),
        (json!({"options": {"milliseconds": 1001}}), "milliseconds"),
        (json!({"options": {"milliseconds": -1}}), "milliseconds"),
        (json!({"options": {"milliseconds": true}}), "milliseconds"),
        (json!({"options": {"power": 3}}), "power"),
        (json!({"options": {"fault": "every"}}), "fault"),
        (json!({"options": {"fault": 1}}), "fault"),
        (json!({"threads": null}), "threads"),
        (json!({"threads": 0}), "threads"),
        (json!({"threads": 1_u64 << 32}), "threads"),
        (json!({"threads": "all"}), "threads"),
        (json!({"seed": null}), "seed"),
        (json!({"seed": "00"}), "seed"),
        (json!({"seed": "AB".repeat(32)}), "seed"),
        (json!({"instances": "stale"}), "instances"),
        (json!({"first_instance": -1}), "first_instance"),
        (json!({"first_instance": "one"}), "first_instance"),
        (json!({"stop": null}), "stop.warmup"),
        (
            json!({"stop": {"warmup": 1001, "minimum": 1, "maximum": 1, "seconds": 1}}),
            "stop.warmup",
        ),
        (json!({"stop": {"warmup": 0, "minimum": 0, "maximum": 1, "seconds": 1}}), "stop.minimum"),
        (json!({"stop": {"warmup": 0, "minimum": 2, "maximum": 1, "seconds": 1}}), "stop.maximum"),
        (
            json!({"stop": {"warmup": 0, "minimum": 1, "maximum": 1000001, "seconds": 1}}),
            "stop.maximum",
        ),
        (json!({"stop": {"warmup": 0, "minimum": 1, "maximum": 1, "seconds": 0}}), "stop.seconds"),
        (
            json!({"stop": {"warmup": 0, "minimum": 1, "maximum": 1, "seconds": 86401}}),
            "stop.seconds",
        ),
        (
            json!({"stop": {"warmup": 0, "minimum": 1, "maximum": 1, "seconds": "1"}}),
            "stop.seconds",
        ),
        (
            json!({"stop": {"warmup": 0, "minimum": 1, "maximum": 1, "seconds": 1, "patience": 1}}),
            "stop.patience",
        ),
        (json!({"phases": null}), "phases"),
        (json!({"phases": []}), "phases"),
        (json!({"phases": "prove"}), "phases"),
        (json!({"phases": ["prove", "celebrate"]}), "phases"),
        (json!({"phases": ["prove", "prove"]}), "phases"),
        (json!({"artifacts": "/nonexistent/folder"}), "artifacts"),
        (json!({"artifacts": 7}), "artifacts"),
    ];
    for (number, (changes, option)) in changes.into_iter().enumerate() {
        let mut changes = changes;
        if changes.get("id").is_none() {
            changes["id"] = json!(format!("bad-{number}"));
        }
        all.push((request(changes).to_string().into_bytes(), Some(option)));
    }
    all
}

#[test]
fn every_malformed_request_is_answered_by_one_error_that_names_the_member() {
    let malformed = malformed();
    assert!(malformed.len() >= 30);
    let mut input = Vec::new();
    for (line, _) in &malformed {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(request(json!({})).to_string().as_bytes());
    let mut command = toy();
    command.arg("run");
    let ended = finish(command, &input);
    assert_eq!(ended.status, Some(1));
    let errors: Vec<&Value> = ended.of_type("error").collect();
    assert_eq!(errors.len(), malformed.len());
    for ((line, option), error) in malformed.iter().zip(errors) {
        let line = String::from_utf8_lossy(&line[..line.len().min(200)]);
        let kinds = [json!("invalid-request"), json!("unsupported")];
        assert!(kinds.contains(&error["kind"]), "{line}: {error}");
        assert_eq!(error["option"].as_str(), *option, "{line}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
        assert!(message.len() < 400, "{message}");
        if let Some(option) = option {
            assert!(message.contains(option), "{message} does not name {option}");
            assert!(message.contains("legal is"), "{message} does not say what is legal");
        }
    }
    assert_eq!(ended.of_type("done").count(), 1, "the process went on");
}

#[test]
fn an_id_serves_once_even_where_its_request_was_refused() {
    let lines = [
        request(json!({"id": "x", "seed": "00"})),
        request(json!({"id": "x"})),
        request(json!({"id": "y"})),
        request(json!({"id": "y"})),
    ]
    .map(|request| format!("{request}\n"));
    let mut command = toy();
    command.arg("run");
    let ended = finish(command, lines.concat().as_bytes());
    let errors: Vec<(&Value, &Value)> =
        ended.of_type("error").map(|error| (&error["id"], &error["option"])).collect();
    let named = |id: &str, option: &str| (json!(id), json!(option));
    let expected = [named("x", "seed"), named("x", "id"), named("y", "id")];
    assert_eq!(errors, expected.iter().map(|(id, option)| (id, option)).collect::<Vec<_>>());
    assert_eq!(ended.the("done")["id"], "y");
}

#[test]
fn a_size_that_only_this_system_refuses_is_unsupported() {
    let mut command = toy();
    command.arg("run");
    let line = format!("{}\n", request(json!({"size": {"rounds": 16}})));
    let ended = finish(command, line.as_bytes());
    assert_eq!(ended.the("error")["kind"], "unsupported");
    assert_eq!(ended.the("error")["option"], "size.rounds");
    assert_eq!(
        ended.the("error")["message"],
        "size.rounds is 16, supported are powers of two minus one from 7 to 1023"
    );
}
