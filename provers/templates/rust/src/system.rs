//! The system as the protocol sees it: what it says of itself, and its loop around `scheme.rs`.

use nizk_protocol::mimc::Field;
use nizk_protocol::{
    AbsentPhase, BatchVerification, Configuration, Encoding, Failure, FieldDescription, Phase,
    ProofSize, Properties, PublicInput, Rejection, Seed, Session, Size, SizeOf, SizeRule, System,
    SystemDescription, Threads, TimedPhase, TrustedSetup, Verdict, Verifier, ZeroKnowledge,
    ZeroKnowledgeLevel, mimc,
};

use crate::field::F64;
use crate::scheme::{self, Instance};

/// One library, scheme and field.
pub(crate) struct Measured;

impl System for Measured {
    // Every word of this is printed in tables: EXTENDING.md says what each must be.
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: "newcomer/scheme/f64",
            scheme: "scheme",
            curve: None,
            field: FieldDescription { name: "f64", modulus: "0xffffffff00000001", bits: 64 },
            properties: Properties {
                trusted_setup: TrustedSetup::None,
                transparent: true,
                post_quantum: false,
                zero_knowledge: ZeroKnowledge {
                    level: ZeroKnowledgeLevel::No,
                    source: "not said yet: quote the library, and where it stands",
                },
                assumptions: "not said yet",
                batch_verification: BatchVerification {
                    supported: false,
                    source: "not said yet: whether it verifies many proofs in one call, and what says so",
                },
            },
            phases: vec![
                TimedPhase { phase: Phase::Prove, includes: vec![Phase::Compile, Phase::Witness] },
                TimedPhase { phase: Phase::Verify, includes: vec![Phase::Compile] },
            ],
            absent_phases: vec![AbsentPhase {
                phase: Phase::Setup,
                reason: "not said yet: time it, or say why the scheme has none",
            }],
            threads: Threads { minimum: 1, maximum: Some(1), how: "it computes on one thread" },
            proof_size: ProofSize::Constant,
            statements: vec![mimc::described(SizeRule::Any, vec!["public"])],
            options: vec![],
            malleable: vec![],
        }
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        Ok(Box::new(Proving {
            constants: mimc::constants::<F64>(seed, configuration.size()),
            seed: *seed,
            preimage: (0, 0),
            image: 0,
            proof: Vec::new(),
        }))
    }

    fn verifier(
        &self,
        _configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection> {
        match verifying_key {
            [] => Ok(Box::new(Verifying)),
            _ => Err(Rejection::new("the scheme has no verifying key, and there is one")),
        }
    }
}

/// One configuration at work.
struct Proving {
    constants: Vec<u64>,
    seed: Seed,
    preimage: (u64, u64),
    image: u64,
    proof: Vec<u8>,
}

impl Session for Proving {
    fn load_instance(&mut self, index: u64) -> Result<(), Failure> {
        self.proof.clear();
        self.preimage = mimc::preimage::<F64>(&self.seed, index);
        self.image = mimc::image::<F64>(&self.constants, self.preimage);
        Ok(())
    }

    fn prove(&mut self) -> Result<(), Failure> {
        let Proving { constants, preimage, image, .. } = self;
        self.proof = scheme::prove(&Instance { constants, preimage: *preimage, image: *image })?;
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        let verdict = scheme::verify(&self.constants, self.image, &self.proof);
        Ok(verdict.unwrap_or_else(|Rejection(reason)| Verdict::rejected(reason)))
    }

    fn proof(&self) -> &[u8] {
        &self.proof
    }

    fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }

    fn public_input(&self) -> PublicInput {
        PublicInput::Mimc(mimc::public_input::<F64>(&self.constants, self.image))
    }

    fn sizes(&self) -> Vec<Size> {
        vec![Size::new(SizeOf::Proof, Encoding::Native, self.proof.len())]
    }
}

/// The verifier of another process: the scheme has no key that would have to be prepared.
struct Verifying;

impl Verifier for Verifying {
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        let PublicInput::Mimc(public_input) = public_input else {
            return Verdict::rejected("the public input is not that of mimc-preimage");
        };
        let image = F64::from_bytes(&public_input.image);
        let constants = mimc::elements::<F64>(&public_input.constants);
        let (Some(image), Some(constants)) = (image, constants) else {
            return Verdict::rejected("an element of the public input is not below the order");
        };
        scheme::verify(&constants, image, proof)
            .unwrap_or_else(|Rejection(reason)| Verdict::rejected(reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_has_no_faults() {
        assert_eq!(Measured.description().faults(), Vec::<String>::new());
    }

    #[test]
    fn elements_are_read_as_they_are_written() {
        for element in [0, 1, 0xffff_ffff_0000_0000] {
            assert_eq!(F64::from_bytes(&F64::to_bytes(element)), Some(element));
        }
        assert_eq!(F64::from_bytes(&[0xff; 32]), None);
    }
}
