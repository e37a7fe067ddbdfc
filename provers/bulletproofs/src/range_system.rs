//! The system of range proofs as the runner protocol knows it.

use curve25519_dalek_ng::scalar::Scalar;
use nizk_protocol::{
    AbsentPhase, BatchVerification, Configuration, Counter, Encoding, Failure, Phase, ProofSize,
    Properties, PublicInput, Rejection, Seed, Session, Size, SizeOf, SizeRule, System,
    SystemDescription, TimedPhase, TrustedSetup, Verdict, Verifier, ZeroKnowledge,
    ZeroKnowledgeLevel, range,
};

use crate::field;
use crate::range_proof::{Generators, Openings, prove, vector_length, verify};
use crate::system::{no_key, one_thread, verdict};

/// Name of the system.
pub const RANGE_SYSTEM: &str = "bulletproofs/range/ristretto255";

pub(crate) struct Range;

impl System for Range {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: RANGE_SYSTEM,
            scheme: "range",
            curve: Some("ristretto255"),
            field: field::description(),
            properties: Properties {
                trusted_setup: TrustedSetup::None,
                transparent: true,
                post_quantum: false,
                zero_knowledge: ZeroKnowledge {
                    level: ZeroKnowledgeLevel::Yes,
                    source: "bulletproofs 4.0.0, docs/range-proof-protocol.md: \"The aggregated range \
                             proof is a zero-knowledge proof of the following relation\"",
                },
                assumptions: "discrete logarithm in ristretto255, random oracle",
                batch_verification: BatchVerification {
                    supported: false,
                    source: "bulletproofs 4.0.0, src/range_proof/mod.rs: verify_single and \
                             verify_multiple take one proof each; many values of one prover are \
                             aggregated into one proof instead",
                },
            },
            phases: vec![
                TimedPhase { phase: Phase::Setup, includes: vec![] },
                TimedPhase { phase: Phase::Prove, includes: vec![Phase::Witness] },
                TimedPhase { phase: Phase::Verify, includes: vec![] },
            ],
            absent_phases: vec![AbsentPhase {
                phase: Phase::Compile,
                reason: "the scheme is made for this one statement and takes no circuit",
            }],
            threads: one_thread(),
            proof_size: ProofSize::Constant,
            statements: vec![range::described(SizeRule::PowerOfTwo)],
            options: vec![],
            malleable: vec![],
        }
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        Ok(Box::new(Measured {
            bits: range::bits(configuration),
            values: configuration.size(),
            seed: *seed,
            generators: None,
            openings: Openings::default(),
            commitments: Vec::new(),
            proof: Vec::new(),
        }))
    }

    fn verifier(
        &self,
        configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection> {
        no_key(verifying_key)?;
        let bits = range::bits(configuration);
        Ok(Box::new(Prepared { bits, generators: Generators::of(bits, configuration.size()) }))
    }
}

/// The openings of instance `index`.
pub(crate) fn openings(seed: &Seed, index: u64, bits: u32, values: usize) -> Openings {
    let blinding = |place| Scalar::from_bytes_mod_order_wide(&range::blinding(seed, index, place));
    Openings {
        values: (0..values).map(|place| range::value(seed, index, place, bits)).collect(),
        blindings: (0..values).map(blinding).collect(),
    }
}

/// One configuration at work.
struct Measured {
    bits: u32,
    values: usize,
    seed: Seed,
    generators: Option<Generators>,
    openings: Openings,
    commitments: Vec<range::Commitment>,
    proof: Vec<u8>,
}

impl Measured {
    fn generators(&self) -> Result<&Generators, Failure> {
        self.generators
            .as_ref()
            .ok_or_else(|| Failure::internal("generators are needed before they were made"))
    }
}

impl Session for Measured {
    fn setup(&mut self) -> Result<(), Failure> {
        self.generators = Some(Generators::of(self.bits, self.values));
        Ok(())
    }

    fn load_instance(&mut self, index: u64) -> Result<(), Failure> {
        self.openings = openings(&self.seed, index, self.bits, self.values);
        self.commitments = self.openings.commitments();
        self.proof = Vec::new();
        Ok(())
    }

    fn prove(&mut self) -> Result<(), Failure> {
        self.proof =
            prove(self.generators()?, self.bits, &self.openings).map_err(Failure::internal)?;
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        Ok(verdict(verify(self.generators()?, self.bits, &self.commitments, &self.proof)))
    }

    fn proof(&self) -> &[u8] {
        &self.proof
    }

    fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }

    fn public_input(&self) -> PublicInput {
        let commitments = self.commitments.clone();
        PublicInput::Range(range::PublicInput { bits: self.bits, commitments })
    }

    fn sizes(&self) -> Vec<Size> {
        vec![
            Size::new(SizeOf::Proof, Encoding::Compressed, self.proof.len()),
            Size::new(SizeOf::PublicInput, Encoding::Native, 32 * self.values),
        ]
    }

    fn counters(&self) -> Vec<Counter> {
        vec![Counter::new("vector_length", vector_length(self.bits, self.values) as u64)]
    }
}

/// A verifier with its generators made.
struct Prepared {
    bits: u32,
    generators: Generators,
}

impl Verifier for Prepared {
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        match public_input {
            PublicInput::Range(public_input) => {
                verdict(verify(&self.generators, self.bits, &public_input.commitments, proof))
            }
            _ => Verdict::rejected("the public input is of another statement"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_has_no_fault() {
        assert_eq!(Range.description().faults(), Vec::<String>::new());
    }

    fn proven(values: usize) -> Measured {
        let mut session = Measured {
            bits: 16,
            values,
            seed: Seed::new([3; 32]),
            generators: None,
            openings: Openings::default(),
            commitments: Vec::new(),
            proof: Vec::new(),
        };
        session.setup().unwrap();
        session.load_instance(4).unwrap();
        session.prove().unwrap();
        session
    }

    #[test]
    fn a_session_proves_what_another_verifier_accepts() {
        let mut session = proven(2);
        assert_eq!(session.verify().unwrap(), Verdict::Accepted);
        let verifier = Prepared { bits: 16, generators: Generators::of(16, 2) };
        let verdict = verifier.verify(&session.public_input(), session.proof());
        assert_eq!(verdict, Verdict::Accepted);
    }

    #[test]
    fn sizes_are_those_of_the_proof_and_the_encoded_commitments() {
        let session = proven(4);
        let bytes = |of| session.sizes().into_iter().find(|s| s.of == of).map(|s| s.bytes);
        assert_eq!(bytes(SizeOf::Proof), Some(session.proof().len() as u64));
        assert_eq!(bytes(SizeOf::PublicInput), Some(128));
        assert_eq!(bytes(SizeOf::Commitments), None, "they are public input, not proof");
    }

    /// Of `data/vectors/range.json`: 64 bits, one value, instance 0 of the seed of zeros.
    #[test]
    fn commitments_are_the_known_ones() {
        let openings = openings(&Seed::new([0; 32]), 0, 64, 1);
        let encoded: String =
            openings.commitments()[0].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(encoded, KNOWN);
    }

    const KNOWN: &str = "62dcf1a5b8e993d9e08afb325b996a874b557cd66da5c2602f4d7d9770ce3d33";
}
