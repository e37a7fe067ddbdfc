use crate::process::{answers, finish, toy};

#[test]
fn describe_is_one_object_and_status_zero() {
    let ended = answers("describe", &[]);
    assert_eq!(ended.status, Some(0));
    let [describe] = ended.records.as_slice() else { panic!("{:?}", ended.records) };
    assert_eq!(describe["type"], "describe");
    assert_eq!(describe["protocol"], 1);
    assert_eq!(describe["runner"], "toy");
    assert_eq!(describe["library"]["version"], "0.0.0");
    assert!(describe["build"]["target"].as_str().unwrap().contains('-'));
    assert!(!describe["build"]["target_cpu"].as_str().unwrap().is_empty());
    let system = &describe["systems"][0];
    assert_eq!(system["curve"], serde_json::Value::Null);
    assert_eq!(system["properties"]["trusted_setup"], "none");
    assert_eq!(system["statements"][0]["size"]["rule"], "power-of-two-minus-one");
    assert_eq!(system["statements"][1]["size"]["name"], "bytes");
    assert_eq!(system["options"][0]["type"], "integer");
    assert_eq!(system["options"][0].get("values"), None);
    assert_eq!(system["options"][1]["values"], serde_json::json!([2, 4, 8, 16]));
    assert_eq!(system["options"][2]["type"], "choice");
}

#[test]
fn a_wrong_command_line_is_one_sentence_and_status_two() {
    let lines: [&[&str]; 5] = [&[], &["prove"], &["run", "fast"], &["--help"], &[""]];
    for arguments in lines {
        let mut command = toy();
        command.args(arguments);
        let ended = finish(command, b"");
        assert_eq!(ended.status, Some(2), "{arguments:?}");
        assert!(ended.records.is_empty());
        assert_eq!(ended.log.lines().count(), 1, "{}", ended.log);
    }
}
