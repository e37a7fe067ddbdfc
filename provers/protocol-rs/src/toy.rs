//! A system that proves nothing, for the tests: its proof is the preimage itself, of MiMC over the
//! field of order 2³¹ − 1 or of SHA-256. Its options make it fail in every way the loop has to survive.

use std::time::Duration;

use nizk_protocol::mimc::Field;
use nizk_protocol::{
    AbsentPhase, Batch, BatchItem, BatchVerification, Configuration, Counter, ElementBytes,
    Encoding, Failure, FieldDescription, OptionDescription, Phase, ProofSize, Properties,
    PublicInput, Rejection, Security, SecurityKind, Seed, Session, Size, SizeOf, SizeRange,
    SizeRule, StatementDescription, System, SystemDescription, Threads, TimedPhase, TrustedSetup,
    VariantDescription, Verdict, Verifier, ZeroKnowledge, ZeroKnowledgeLevel, hash, mimc,
};
use sha2::{Digest, Sha256};

const ORDER: u64 = (1 << 31) - 1;

pub(crate) struct Mersenne31;

impl Field for Mersenne31 {
    type Element = u64;

    fn reduce(digest: &[u8; 64]) -> u64 {
        digest.iter().rev().fold(0, |rest, byte| (rest * 256 + u64::from(*byte)) % ORDER)
    }

    fn add(left: u64, right: u64) -> u64 {
        (left + right) % ORDER
    }

    fn multiply(left: u64, right: u64) -> u64 {
        left * right % ORDER
    }

    fn to_bytes(element: u64) -> ElementBytes {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&element.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &ElementBytes) -> Option<u64> {
        let (low, high) = bytes.split_first_chunk::<8>()?;
        let element = u64::from_le_bytes(*low);
        (high.iter().all(|byte| *byte == 0) && element < ORDER).then_some(element)
    }
}

pub(crate) struct Toy;

impl System for Toy {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: "toy/nothing/m31",
            scheme: "nothing",
            curve: None,
            field: FieldDescription { name: "m31", modulus: "0x7fffffff", bits: 31 },
            properties: Properties {
                trusted_setup: TrustedSetup::None,
                transparent: true,
                post_quantum: true,
                zero_knowledge: ZeroKnowledge {
                    level: ZeroKnowledgeLevel::No,
                    source: "the proof is the witness",
                },
                assumptions: "none",
                batch_verification: BatchVerification {
                    supported: true,
                    source: "every proof is compared with its public input",
                },
            },
            phases: vec![
                TimedPhase { phase: Phase::Setup, includes: vec![] },
                TimedPhase { phase: Phase::Witness, includes: vec![] },
                TimedPhase { phase: Phase::Prove, includes: vec![] },
                TimedPhase { phase: Phase::Verify, includes: vec![] },
            ],
            absent_phases: vec![AbsentPhase {
                phase: Phase::Compile,
                reason: "there is no circuit",
            }],
            threads: Threads { minimum: 1, maximum: None, how: "it has one thread" },
            proof_size: ProofSize::Constant,
            statements: vec![of_mimc(), of_hash()],
            options: vec![
                OptionDescription::Integer {
                    name: "milliseconds",
                    minimum: 0,
                    maximum: 1000,
                    values: vec![],
                    default: 0,
                    help: "how long a proof takes",
                },
                OptionDescription::Integer {
                    name: "power",
                    minimum: 2,
                    maximum: 16,
                    values: vec![2, 4, 8, 16],
                    default: 4,
                    help: "a number of which few are legal",
                },
                OptionDescription::Choice {
                    name: "fault",
                    values: vec![
                        "none",
                        "unsupported",
                        "panic-setup",
                        "panic-prove",
                        "panic-pool",
                        "panic-verifier",
                        "wrong-proof",
                        "exhaustion",
                    ],
                    default: "none",
                    help: "how it fails",
                },
            ],
            malleable: vec![],
        }
    }

    fn legal(&self, configuration: &Configuration) -> Result<(), Failure> {
        match configuration.option_choice("fault") {
            "unsupported" => Err(Failure::unsupported(
                "fault-of-the-toy",
                "fault",
                "fault is unsupported, which is unsupported",
            )),
            _ => Ok(()),
        }
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        let secret = match configuration.statement() {
            hash::STATEMENT => Secret::Message(Vec::new()),
            _ => Secret::Preimage {
                constants: mimc::constants::<Mersenne31>(seed, configuration.size()),
                left: 0,
                right: 0,
            },
        };
        Ok(Box::new(ToySession {
            configuration: configuration.clone(),
            seed: *seed,
            secret,
            proof: Vec::new(),
            proofs: 0,
        }))
    }

    fn verifier(
        &self,
        configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection> {
        match verifying_key {
            b"toy" => Ok(Box::new(ToyVerifier { configuration: configuration.clone() })),
            _ => Err(Rejection::new("the verifying key is not three letters long")),
        }
    }
}

fn of_mimc() -> StatementDescription {
    StatementDescription {
        statement: mimc::STATEMENT,
        size: SizeRange {
            name: mimc::SIZE,
            minimum: 7,
            maximum: 1023,
            rule: SizeRule::PowerOfTwoMinusOne,
        },
        variants: vec![
            VariantDescription {
                name: "constants",
                values: vec!["fixed", "public"],
                default: "fixed",
            },
            VariantDescription {
                name: "preimage",
                values: vec!["witness", "public"],
                default: "witness",
            },
        ],
        unsound: vec![],
    }
}

fn of_hash() -> StatementDescription {
    StatementDescription {
        statement: hash::STATEMENT,
        size: SizeRange {
            name: hash::SIZE,
            minimum: hash::MINIMUM_BYTES,
            maximum: hash::MAXIMUM_BYTES,
            rule: SizeRule::Any,
        },
        variants: vec![
            VariantDescription {
                name: hash::FUNCTION,
                values: vec![hash::Function::Sha256.name()],
                default: hash::Function::Sha256.name(),
            },
            VariantDescription {
                name: hash::MESSAGE,
                values: vec!["bytes", "elements"],
                default: "bytes",
            },
        ],
        unsound: vec![],
    }
}

/// What the prover knows.
enum Secret {
    Preimage { constants: Vec<u64>, left: u64, right: u64 },
    Message(Vec<u8>),
}

struct ToySession {
    configuration: Configuration,
    seed: Seed,
    secret: Secret,
    proof: Vec<u8>,
    proofs: u64,
}

impl ToySession {
    fn fails_by(&self, fault: &str) -> bool {
        self.configuration.option_choice("fault") == fault
    }
}

impl Session for ToySession {
    fn setup(&mut self) -> Result<(), Failure> {
        assert!(!self.fails_by("panic-setup"), "the toy broke\nin its setup");
        if self.fails_by("exhaustion") {
            let bytes = usize::try_from(i64::MAX).expect("64 bits") / 2;
            std::hint::black_box(Vec::<u8>::with_capacity(bytes));
        }
        Ok(())
    }

    fn load_instance(&mut self, index: u64) -> Result<(), Failure> {
        self.proof.clear();
        match &mut self.secret {
            Secret::Preimage { left, right, .. } => {
                (*left, *right) = mimc::preimage::<Mersenne31>(&self.seed, index);
            }
            Secret::Message(message) => {
                *message = hash::message(&self.seed, index, self.configuration.size());
            }
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<(), Failure> {
        assert!(!(self.fails_by("panic-prove") && self.proofs == 2), "the toy broke in proof 2");
        if self.fails_by("panic-pool") {
            rayon::join(|| panic!("the toy broke in the pool"), || ());
        }
        std::thread::sleep(Duration::from_millis(
            self.configuration.option_integer("milliseconds"),
        ));
        self.proofs += 1;
        self.proof = match &self.secret {
            Secret::Preimage { left, right, .. } => {
                [left.to_le_bytes(), right.to_le_bytes()].concat()
            }
            Secret::Message(message) => message.clone(),
        };
        if self.fails_by("wrong-proof") {
            self.proof[0] ^= 1;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        Ok(judge(&self.public_input(), &self.proof))
    }

    fn proof(&self) -> &[u8] {
        &self.proof
    }

    fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        Ok(b"toy".to_vec())
    }

    fn public_input(&self) -> PublicInput {
        match &self.secret {
            Secret::Preimage { constants, left, right } => {
                let image = mimc::image::<Mersenne31>(constants, (*left, *right));
                let public_input = mimc::public_input::<Mersenne31>(constants, image);
                let preimage = [*left, *right].map(Mersenne31::to_bytes);
                PublicInput::Mimc(match self.configuration.variant("preimage") {
                    "public" => mimc::PublicInput { preimage: Some(preimage), ..public_input },
                    _ => public_input,
                })
            }
            Secret::Message(message) => PublicInput::Hash(hash::PublicInput {
                function: hash::Function::of(&self.configuration),
                bytes: message.len(),
                digest: Sha256::digest(message).into(),
            }),
        }
    }

    fn batch(&self, items: &[BatchItem]) -> Result<Box<dyn Batch + '_>, Failure> {
        Ok(Box::new(ToyBatch(items.to_vec())))
    }

    fn sizes(&self) -> Vec<Size> {
        vec![Size::new(SizeOf::Proof, Encoding::Native, self.proof.len())]
    }

    fn counters(&self) -> Vec<Counter> {
        vec![Counter::new("constraints", self.configuration.option_integer("power"))]
    }

    fn security(&self) -> Vec<Security> {
        vec![Security { kind: SecurityKind::Conjectured, bits: 0.5, source: "a toy" }]
    }

    fn sample_counters(&self) -> Vec<Counter> {
        vec![Counter::new("pow_nonce", self.proofs)]
    }
}

struct ToyBatch(Vec<BatchItem>);

impl Batch for ToyBatch {
    fn verify(&self) -> Verdict {
        let verdicts = self.0.iter().map(|item| judge(&item.public_input, &item.proof));
        verdicts.into_iter().find(|one| *one != Verdict::Accepted).unwrap_or(Verdict::Accepted)
    }
}

struct ToyVerifier {
    configuration: Configuration,
}

impl Verifier for ToyVerifier {
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        assert!(self.configuration.option_choice("fault") != "panic-verifier", "the toy broke");
        judge(public_input, proof)
    }
}

fn judge(public_input: &PublicInput, proof: &[u8]) -> Verdict {
    match public_input {
        PublicInput::Mimc(public_input) => judge_preimage(public_input, proof),
        PublicInput::Hash(public_input) => judge_message(public_input, proof),
        PublicInput::Range(_) => Verdict::rejected("the toy proves no range"),
    }
}

fn judge_preimage(public_input: &mimc::PublicInput, proof: &[u8]) -> Verdict {
    let number = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    let halves = proof.split_at_checked(8).filter(|_| proof.len() == 16);
    let preimage = halves.and_then(|(left, right)| Some((number(left)?, number(right)?)));
    let image = Mersenne31::from_bytes(&public_input.image);
    match (preimage, mimc::elements::<Mersenne31>(&public_input.constants)) {
        (Some((left, right)), Some(constants)) if left < ORDER && right < ORDER => {
            if Some(mimc::image::<Mersenne31>(&constants, (left, right))) == image {
                Verdict::Accepted
            } else {
                Verdict::rejected("the preimage has another image")
            }
        }
        _ => Verdict::rejected("the proof is not two field elements"),
    }
}

fn judge_message(public_input: &hash::PublicInput, proof: &[u8]) -> Verdict {
    if proof.len() != public_input.bytes {
        Verdict::rejected("the message has another length")
    } else if public_input.digest != *Sha256::digest(proof) {
        Verdict::rejected("the message has another digest")
    } else {
        Verdict::Accepted
    }
}
