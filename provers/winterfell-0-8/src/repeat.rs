//! Timing the published proofs: one request a line, its samples a line each.
//!
//! ```text
//! {"options":{"queries":41,"blowup":8,"grinding":16,"extension":"none","folding":8,
//!             "remainder_max_degree":31,"hash":"blake3-256"},"warmup":1,"samples":20}
//! {"type":"sample","sample":0,"warmup":true,"witness_ns":…,"prove_ns":…,"user_ns":…,"system_ns":…,
//!  "attempts":654,"proof_bytes":…}
//! {"type":"done"}                                or {"type":"error","message":"…"}
//! ```
//!
//! A sample is `witness` and `prove` of PROTOCOL.md, from the instance to the serialised proof;
//! processor time is of both. The first proof of a request is not timed: it counts its attempts one
//! by one, and every timed proof must have the same bytes. Each is verified, outside the timed
//! regions, and the first also with one bit flipped, which must be rejected.

use std::io::{self, BufRead, Write};

use nizk_protocol::{OptionDescription, System, stopwatch};
use serde::{Deserialize, Serialize};
use winterfell::crypto::ElementHasher;
use winterfell::crypto::hashers::{Blake3_192, Blake3_256, Sha3_256};
use winterfell::math::fields::f128::BaseElement;

use crate::description::named;
use crate::options::Parameters;
use crate::published::{Instance, ROUNDS};
use crate::rules::legal;
use crate::system::{EXTENSIONS, F128};

/// Most samples of one request, warm-up included.
const MOST_SAMPLES: u64 = 1_000_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    options: Options,
    warmup: u64,
    samples: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    queries: u64,
    blowup: u64,
    grinding: u64,
    extension: String,
    folding: u64,
    remainder_max_degree: u64,
    hash: String,
}

/// What is answered.
#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Answer {
    /// One proof.
    Sample {
        /// Its number, those that warm up included.
        sample: u64,
        /// Whether it only warms up.
        warmup: bool,
        /// Building the trace.
        witness_ns: u64,
        /// Proving, to serialised bytes.
        prove_ns: u64,
        /// Processor time of both in user mode.
        user_ns: u64,
        /// Processor time of both in the kernel.
        system_ns: u64,
        /// Nonces tried.
        attempts: u64,
        /// Length of the proof.
        proof_bytes: u64,
    },
    /// The last line of a request that was carried out.
    Done,
    /// The last line of one that was not.
    Error {
        /// Why, in one sentence.
        message: String,
    },
}

/// Why a request came to no good end.
enum Failure {
    /// Something about the request or its proofs, in one sentence.
    Told(String),
    /// Nobody reads the answers.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

/// Answers every request of `input`; whether all of them were carried out.
///
/// # Errors
///
/// Those of reading and of writing.
pub fn answer_all(input: impl BufRead, output: &mut impl Write) -> io::Result<bool> {
    let mut all = true;
    for line in input.lines() {
        let last = match carry_out(&line?, output) {
            Ok(()) => Answer::Done,
            Err(Failure::Told(message)) => {
                all = false;
                Answer::Error { message }
            }
            Err(Failure::Output(error)) => return Err(error),
        };
        write_line(output, &last)?;
    }
    Ok(all)
}

fn carry_out(line: &str, output: &mut impl Write) -> Result<(), Failure> {
    let request: Request = serde_json::from_str(line)
        .map_err(|error| Failure::Told(format!("the request cannot be read: {error}")))?;
    request.check().map_err(Failure::Told)?;
    match request.options.hash.as_str() {
        "blake3-192" => repeat::<Blake3_192<BaseElement>>(&request, output),
        "blake3-256" => repeat::<Blake3_256<BaseElement>>(&request, output),
        // The only other one that the check lets pass.
        _ => repeat::<Sha3_256<BaseElement>>(&request, output),
    }
}

impl Request {
    /// The options are held against those of the runner, which has the same library.
    fn check(&self) -> Result<(), String> {
        let total = self.warmup.saturating_add(self.samples);
        if self.samples == 0 || total > MOST_SAMPLES {
            return Err(format!(
                "warmup and samples are {} and {}, legal is at least one sample and at most \
                 {MOST_SAMPLES} of both",
                self.warmup, self.samples
            ));
        }
        for option in F128.description().options {
            self.options.check(&option)?;
        }
        legal(ROUNDS, &self.parameters()).map_err(|refusal| refusal.message)
    }

    fn parameters(&self) -> Parameters {
        let Options { queries, blowup, grinding, folding, remainder_max_degree, .. } = self.options;
        // Every integer option is bounded by 255 in the description.
        Parameters {
            queries: queries as usize,
            blowup: blowup as usize,
            grinding: grinding as u32,
            extension: named(&EXTENSIONS, &self.options.extension),
            folding: folding as usize,
            remainder_max_degree: remainder_max_degree as usize,
        }
    }
}

impl Options {
    fn check(&self, option: &OptionDescription) -> Result<(), String> {
        match option {
            OptionDescription::Integer { name, minimum, maximum, values, .. } => {
                let value = match *name {
                    "queries" => self.queries,
                    "blowup" => self.blowup,
                    "grinding" => self.grinding,
                    "folding" => self.folding,
                    _ => self.remainder_max_degree,
                };
                let within = (*minimum..=*maximum).contains(&value);
                if within && (values.is_empty() || values.contains(&value)) {
                    return Ok(());
                }
                let range = if values.is_empty() {
                    format!("{minimum} to {maximum}")
                } else {
                    listed(values)
                };
                Err(format!("{name} is {value}, legal is {range}"))
            }
            OptionDescription::Choice { name, values, .. } => {
                let value = if *name == "hash" { &self.hash } else { &self.extension };
                if values.contains(&value.as_str()) {
                    return Ok(());
                }
                Err(format!("{name} is {value:?}, legal is {}", listed(values)))
            }
        }
    }
}

fn listed<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn repeat<H: ElementHasher<BaseField = BaseElement>>(
    request: &Request,
    output: &mut impl Write,
) -> Result<(), Failure> {
    let (instance, parameters) = (Instance::published(), request.parameters());
    let no_proof = |error| Failure::Told(format!("winterfell made no proof: {error}"));
    let wrong = |what: &str| Failure::Told(what.to_owned());

    let trace = instance.trace(&instance.round_constants);
    let (proof, attempts) = instance.prove_counting::<H>(&parameters, trace).map_err(no_proof)?;
    if attempts != proof.pow_nonce {
        return Err(wrong("the nonce of a proof is not the number of attempts it took"));
    }
    let expected = proof.to_bytes();
    // In the middle of a proof are openings, all of which a tree commits to.
    let mut flipped = expected.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    if instance.accepts::<H>(&parameters, &flipped) {
        return Err(wrong("a proof with one bit flipped was accepted"));
    }

    for sample in 0..request.warmup + request.samples {
        let (trace, witness) = stopwatch::time(|| instance.trace(&instance.round_constants));
        let (bytes, prove) = stopwatch::time(|| {
            instance.prove::<H>(&parameters, trace).map(|proof| proof.to_bytes())
        });
        let bytes = bytes.map_err(no_proof)?;
        if bytes != expected {
            return Err(wrong("two proofs of the published instance are not the same"));
        }
        if !instance.accepts::<H>(&parameters, &bytes) {
            return Err(wrong("a proof of the published instance was rejected"));
        }
        let answer = Answer::Sample {
            sample,
            warmup: sample < request.warmup,
            witness_ns: witness.wall_ns,
            prove_ns: prove.wall_ns,
            user_ns: witness.user_ns + prove.user_ns,
            system_ns: witness.system_ns + prove.system_ns,
            attempts,
            proof_bytes: bytes.len() as u64,
        };
        write_line(output, &answer)?;
    }
    Ok(())
}

fn write_line(output: &mut impl Write, answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: &str = r#"{"options":{"queries":41,"blowup":8,"grinding":16,"extension":"none",
        "folding":8,"remainder_max_degree":31,"hash":"blake3-256"},"warmup":1,"samples":2}"#;

    fn answers(requests: &str) -> (bool, Vec<serde_json::Value>) {
        let mut output = Vec::new();
        let all = answer_all(requests.as_bytes(), &mut output).unwrap();
        let lines = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        (all, lines.map(|line| serde_json::from_slice(line).unwrap()).collect())
    }

    fn one_line(request: &str) -> String {
        request.split_whitespace().collect()
    }

    #[test]
    fn every_sample_has_its_times_and_the_attempts_on_record() {
        let (all, lines) = answers(&one_line(FAST));
        assert!(all);
        assert_eq!(lines.len(), 4);
        for (number, line) in lines[..3].iter().enumerate() {
            assert_eq!((&line["type"], &line["sample"]), (&"sample".into(), &number.into()));
            assert_eq!(line["warmup"], number == 0);
            assert_eq!(line["attempts"], 654);
            assert_eq!(line["proof_bytes"], lines[0]["proof_bytes"]);
            assert!(line["witness_ns"].as_u64() > Some(0) && line["prove_ns"].as_u64() > Some(0));
        }
        assert_eq!(lines[3], serde_json::json!({"type": "done"}));
    }

    #[test]
    fn what_cannot_be_carried_out_is_said_in_one_sentence_and_the_next_request_is_answered() {
        for (part, other, says) in [
            ("41", "256", "queries is 256, legal is 1 to 255"),
            ("\"blowup\":8", "\"blowup\":12", "blowup is 12, legal is 2, 4, 8, 16, 32, 64, 128"),
            ("none", "cubic", "extension is \"cubic\", legal is none, quadratic"),
            ("blake3-256", "md5", "hash is \"md5\", legal is blake3-192, blake3-256, sha3-256"),
            ("\"samples\":2", "\"samples\":0", "legal is at least one sample"),
            ("\"warmup\":1,", "", "missing field `warmup`"),
            ("\"folding\":8", "\"folding\":8,\"rate\":1", "unknown field `rate`"),
            (":31", ":1", "fold"),
        ] {
            let wrong = one_line(FAST).replacen(part, other, 1);
            let (all, lines) = answers(&format!("{wrong}\n{}\n", one_line(FAST)));
            assert!(!all);
            assert_eq!(lines[0]["type"], "error", "{wrong}");
            let message = lines[0]["message"].as_str().unwrap();
            assert!(message.contains(says) && !message.contains('\n'), "{wrong}: {message}");
            assert_eq!(lines.last().unwrap()["type"], "done");
        }
    }
}
