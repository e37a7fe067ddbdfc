use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Ended, answers, request, request_of_hash};

/// A folder with a proof and what belongs to it.
fn proven(variant: &Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let run = request(json!({"variant": variant, "artifacts": folder.path()}));
    assert_eq!(answers("run", &[run]).status, Some(0));
    folder
}

fn to_verify(folder: &Path, variant: &Value, id: &str) -> Value {
    json!({
        "type": "verify", "id": id, "system": "toy/nothing/m31", "statement": "mimc-preimage",
        "size": {"rounds": 15}, "variant": variant, "options": {},
        "public_input": folder.join("public_input.json"),
        "verifying_key": folder.join("verifying_key.bin"),
        "proof": folder.join("proof.bin"),
    })
}

fn judged(folder: &Path, variant: &Value) -> Ended {
    answers("verify", &[to_verify(folder, variant, "a")])
}

fn accepted(folder: &Path, variant: &Value) -> bool {
    let ended = judged(folder, variant);
    assert_eq!(ended.status, Some(0), "{:?} {}", ended.records, ended.log);
    let verdict = ended.the("verdict");
    let accepted = verdict["accepted"].as_bool().unwrap();
    assert_eq!(accepted, verdict["reason"].as_str().unwrap().is_empty());
    accepted
}

#[test]
fn an_honest_proof_is_accepted_in_another_process() {
    for variant in [json!({}), json!({"constants": "public"}), json!({"preimage": "public"})] {
        assert!(accepted(proven(&variant).path(), &variant), "{variant}");
    }
}

/// What is done to the bytes of a file.
type Change = fn(&mut Vec<u8>);

#[test]
fn changed_files_are_rejected_not_errors() {
    let variant = json!({"constants": "public"});
    let changes: [(&str, Change); 9] = [
        ("proof.bin", |bytes| bytes[3] ^= 1),
        ("proof.bin", |bytes| bytes.push(0)),
        ("proof.bin", |bytes| bytes.truncate(15)),
        ("proof.bin", Vec::clear),
        ("verifying_key.bin", |bytes| bytes[0] ^= 1),
        ("verifying_key.bin", |bytes| bytes.push(0)),
        ("verifying_key.bin", |bytes| bytes.truncate(31)),
        ("public_input.json", |bytes| bytes.push(b'x')),
        ("public_input.json", Vec::clear),
    ];
    for (name, change) in changes {
        let folder = proven(&variant);
        let path = folder.path().join(name);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        assert!(!accepted(folder.path(), &variant), "{name}");
    }
}

#[test]
fn another_image_or_other_constants_are_rejected() {
    for constants in ["fixed", "public"] {
        let variant = json!({"constants": constants});
        let changes: [fn(&mut Value); 2] =
            [|input| input["image"] = json!("0x5"), |input| input["constants"][4] = json!("0x5")];
        for change in changes {
            let folder = proven(&variant);
            let path = folder.path().join("public_input.json");
            let mut input: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            change(&mut input);
            fs::write(&path, input.to_string()).unwrap();
            assert!(!accepted(folder.path(), &variant), "{constants}");
        }
    }
}

#[test]
fn a_key_of_another_variant_is_rejected() {
    let folder = proven(&json!({"constants": "fixed"}));
    assert!(!accepted(folder.path(), &json!({"constants": "public"})));
}

#[test]
fn a_kept_key_is_not_used_for_other_fixed_constants() {
    let variant = json!({"constants": "fixed"});
    let folder = proven(&variant);
    let mut input: Value =
        serde_json::from_slice(&fs::read(folder.path().join("public_input.json")).unwrap())
            .unwrap();
    input["constants"][4] = json!("0x5");
    let other = folder.path().join("other.json");
    fs::write(&other, input.to_string()).unwrap();
    let mut wrong = to_verify(folder.path(), &variant, "wrong");
    wrong["public_input"] = json!(other);
    let first = to_verify(folder.path(), &variant, "first");
    let again = to_verify(folder.path(), &variant, "again");
    let ended = answers("verify", &[first, wrong, again]);
    let verdicts: Vec<&Value> = ended.of_type("verdict").map(|v| &v["accepted"]).collect();
    assert_eq!(verdicts, [true, false, true]);
}

/// A folder with a message, its digest and what belongs to them, and the request to verify them.
fn proven_message() -> (TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let run = request_of_hash(json!({"artifacts": folder.path()}));
    assert_eq!(answers("run", &[run]).status, Some(0));
    let mut verify = to_verify(folder.path(), &json!({}), "a");
    verify["statement"] = json!("hash-preimage");
    verify["size"] = json!({"bytes": 70});
    (folder, verify)
}

/// The verdict on one request, which has none of the faults that an error names.
fn verdict(request: &Value) -> Value {
    let ended = answers("verify", std::slice::from_ref(request));
    assert_eq!(ended.status, Some(0), "{:?} {}", ended.records, ended.log);
    ended.the("verdict").clone()
}

#[test]
fn a_message_is_accepted_for_its_digest_alone() {
    let (folder, verify) = proven_message();
    let path = folder.path().join("public_input.json");
    let written = fs::read_to_string(&path).unwrap();
    let mut input: Value = serde_json::from_str(&written).unwrap();
    let digest = input["digest"].as_str().unwrap().to_owned();
    let fields = format!(
        r#"{{"statement":"hash-preimage","function":"sha256","bytes":70,"digest":"{digest}"}}"#
    );
    assert_eq!(written, fields);
    assert_eq!(verdict(&verify)["accepted"], true);
    let changed = if digest.starts_with('0') { "1" } else { "0" };
    let changes = [
        ("digest", json!(format!("{changed}{}", &digest[1..]))),
        ("bytes", json!(71)),
        ("function", json!("blake2s")),
        ("statement", json!("mimc-preimage")),
    ];
    for (member, value) in changes {
        let honest = std::mem::replace(&mut input[member], value);
        fs::write(&path, input.to_string()).unwrap();
        let verdict = verdict(&verify);
        assert_eq!(verdict["accepted"], false, "{member}");
        assert!(verdict["reason"].as_str().unwrap().contains("digest") || member != "digest");
        input[member] = honest;
    }
    fs::write(&path, input.to_string()).unwrap();
    assert_eq!(verdict(&verify)["accepted"], true);
}

#[test]
fn a_key_of_another_size_of_message_is_rejected() {
    let (folder, mut verify) = proven_message();
    verify["size"] = json!({"bytes": 71});
    let path = folder.path().join("public_input.json");
    let written = fs::read_to_string(&path).unwrap();
    fs::write(&path, written.replace(":70,", ":71,")).unwrap();
    let verdict = verdict(&verify);
    assert_eq!(verdict["accepted"], false);
    assert!(verdict["reason"].as_str().unwrap().contains("another system, variant, size"));
}

#[test]
fn files_of_one_statement_do_not_serve_another() {
    let (hashed, of_hash) = proven_message();
    let mimc = proven(&json!({}));
    for member in ["public_input", "verifying_key", "proof"] {
        let file = |folder: &TempDir| {
            let name = Path::new(of_hash[member].as_str().unwrap()).file_name().unwrap();
            folder.path().join(name)
        };
        let mut request = of_hash.clone();
        request[member] = json!(file(&mimc));
        assert_eq!(verdict(&request)["accepted"], false, "{member}");
        let mut request = to_verify(mimc.path(), &json!({}), "a");
        request[member] = json!(file(&hashed));
        assert_eq!(verdict(&request)["accepted"], false, "{member}");
    }
}

#[test]
fn a_missing_file_is_an_error_that_names_its_member() {
    let folder = proven(&json!({}));
    for member in ["public_input", "verifying_key", "proof"] {
        let mut request = to_verify(folder.path(), &json!({}), "a");
        request[member] = json!(folder.path().join("missing"));
        let ended = answers("verify", &[request]);
        assert_eq!(ended.status, Some(1));
        assert_eq!(ended.the("error")["kind"], "invalid-request");
        assert_eq!(ended.the("error")["option"], member);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_a_rejection() {
    let folder = proven(&json!({}));
    for member in ["public_input", "verifying_key", "proof"] {
        let mut request = to_verify(folder.path(), &json!({}), "a");
        request[member] = json!(folder.path());
        let ended = answers("verify", &[request]);
        assert_eq!(ended.status, Some(0), "{:?}", ended.records);
        assert_eq!(ended.the("verdict")["accepted"], false);
    }
}

#[test]
fn a_panic_of_the_library_is_a_rejection_that_says_so() {
    let folder = proven(&json!({}));
    let mut request = to_verify(folder.path(), &json!({}), "a");
    request["options"] = json!({"fault": "panic-verifier"});
    let ended = answers("verify", &[request, to_verify(folder.path(), &json!({}), "b")]);
    assert_eq!(ended.status, Some(0));
    let verdicts: Vec<&Value> = ended.of_type("verdict").collect();
    assert_eq!(verdicts[0]["accepted"], false);
    assert!(verdicts[0]["reason"].as_str().unwrap().contains("panicked"));
    assert_eq!(verdicts[1]["accepted"], true);
}

#[test]
fn a_malformed_request_to_verify_is_one_error() {
    let folder = proven(&json!({}));
    let good = to_verify(folder.path(), &json!({}), "good");
    let mut requests = vec![good.clone()];
    for (number, (member, value)) in [
        ("type", json!("run")),
        ("system", json!("nobody")),
        ("threads", json!(1)),
        ("proof", json!(7)),
        ("size", json!({"rounds": 0})),
    ]
    .into_iter()
    .enumerate()
    {
        let mut bad = good.clone();
        bad["id"] = json!(format!("bad-{number}"));
        bad[member] = value;
        requests.push(bad);
    }
    requests.push(good);
    let ended = answers("verify", &requests);
    assert_eq!(ended.status, Some(1));
    assert_eq!(ended.of_type("error").count(), 6);
    assert_eq!(ended.the("verdict")["accepted"], true);
}
