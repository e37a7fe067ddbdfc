//! The system as the runner protocol knows it.

use curve25519_dalek_ng::scalar::Scalar;
use nizk_protocol::{
    BatchVerification, Configuration, Counter, Encoding, Failure, Library, Phase, ProofSize,
    Properties, PublicInput, Rejection, Runner, Seed, Session, Size, SizeOf, SizeRule,
    StatementDescription, System, SystemDescription, Threads, TimedPhase, TrustedSetup,
    VariantDescription, Verdict, Verifier, ZeroKnowledge, ZeroKnowledgeLevel, mimc,
};

use crate::field::{self, Ristretto255};
use crate::gadget::{Counts, Gadget, multipliers_padded};
use crate::proof::{COMMITMENTS, Generators, Preimage, Public, prove, verify};
use crate::range_system::Range;

/// Name of the system.
pub const SYSTEM: &str = "bulletproofs/r1cs/ristretto255";

/// Name of the variant that chooses the gadget.
const GADGET: &str = "gadget";

/// The runner, with its two systems.
pub fn runner() -> Runner {
    Runner {
        name: "bulletproofs",
        library: Library { name: "bulletproofs", version: "4.0.0" },
        build_features: vec!["yoloproofs"],
        systems: vec![Box::new(R1cs), Box::new(Range)],
    }
}

struct R1cs;

impl System for R1cs {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: SYSTEM,
            scheme: "r1cs",
            curve: Some("ristretto255"),
            field: field::description(),
            properties: Properties {
                trusted_setup: TrustedSetup::None,
                transparent: true,
                post_quantum: false,
                zero_knowledge: ZeroKnowledge {
                    level: ZeroKnowledgeLevel::Yes,
                    source: "bulletproofs 4.0.0, docs/notes-r1cs.md: \"The resulting proof is \
                             zero-knowledge: the constraints are known to both the prover and the \
                             verifier, but the variables remain secret\"; its README: the \
                             constraint system API is \"FOR EXPERIMENTS ONLY\"",
                },
                assumptions: "discrete logarithm in ristretto255, random oracle",
                batch_verification: BatchVerification {
                    supported: false,
                    source: "bulletproofs 4.0.0, src/r1cs/verifier.rs: Verifier::verify takes one \
                             proof, and nothing in the library takes many",
                },
            },
            phases: vec![
                TimedPhase { phase: Phase::Setup, includes: vec![] },
                TimedPhase { phase: Phase::Prove, includes: vec![Phase::Compile, Phase::Witness] },
                TimedPhase { phase: Phase::Verify, includes: vec![Phase::Compile] },
            ],
            absent_phases: vec![],
            threads: one_thread(),
            proof_size: ProofSize::Constant,
            statements: vec![statement()],
            options: vec![],
            malleable: vec![],
        }
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        Ok(Box::new(Measured::new(Gadget::of(configuration), configuration.size(), *seed)))
    }

    fn verifier(
        &self,
        configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection> {
        no_key(verifying_key)?;
        Ok(Box::new(Prepared {
            gadget: Gadget::of(configuration),
            generators: Generators::for_rounds(configuration.size()),
        }))
    }
}

/// MiMC, with the choice of gadget.
fn statement() -> StatementDescription {
    let mut described = mimc::described(SizeRule::Any, vec!["public"]);
    described.variants.push(VariantDescription {
        name: GADGET,
        values: Gadget::ALL.map(Gadget::name).to_vec(),
        default: Gadget::ConstantTerms.name(),
    });
    described
}

/// The threads of every system of this library.
pub(crate) fn one_thread() -> Threads {
    Threads {
        minimum: 1,
        maximum: Some(1),
        how: "the library computes in one thread, on however many cores it may run",
    }
}

/// Refuses bytes in the place of a verifying key.
pub(crate) fn no_key(verifying_key: &[u8]) -> Result<(), Rejection> {
    if verifying_key.is_empty() {
        return Ok(());
    }
    Err(Rejection::new(format!(
        "the verifying key has {} bytes after its header, where the generators follow from fixed \
         labels and none is needed",
        verifying_key.len()
    )))
}

impl Gadget {
    /// The gadget of a configuration.
    ///
    /// # Panics
    ///
    /// If the description names a gadget that does not exist: a fault of the runner.
    pub fn of(configuration: &Configuration) -> Self {
        Self::from_name(configuration.variant(GADGET))
            .expect("the description names gadgets that exist")
    }
}

/// One configuration at work.
struct Measured {
    gadget: Gadget,
    seed: Seed,
    generators: Option<Generators>,
    preimage: Preimage,
    public: Public,
    proof: Vec<u8>,
    counts: Counts,
}

impl Measured {
    fn new(gadget: Gadget, rounds: usize, seed: Seed) -> Self {
        Self {
            gadget,
            seed,
            generators: None,
            preimage: Preimage { left: Scalar::zero(), right: Scalar::zero() },
            public: Public {
                image: Scalar::zero(),
                constants: mimc::constants::<Ristretto255>(&seed, rounds),
            },
            proof: Vec::new(),
            counts: Counts::default(),
        }
    }

    fn generators(&self) -> Result<&Generators, Failure> {
        self.generators
            .as_ref()
            .ok_or_else(|| Failure::internal("generators are needed before they were made"))
    }
}

impl Session for Measured {
    fn setup(&mut self) -> Result<(), Failure> {
        self.generators = Some(Generators::for_rounds(self.public.constants.len()));
        Ok(())
    }

    fn load_instance(&mut self, index: u64) -> Result<(), Failure> {
        let (left, right) = mimc::preimage::<Ristretto255>(&self.seed, index);
        self.public.image = mimc::image::<Ristretto255>(&self.public.constants, (left, right));
        self.preimage = Preimage { left, right };
        self.proof = Vec::new();
        Ok(())
    }

    fn prove(&mut self) -> Result<(), Failure> {
        (self.proof, self.counts) =
            prove(self.generators()?, self.gadget, &self.public, &self.preimage)
                .map_err(|error| Failure::internal(format!("the library cannot prove: {error}")))?;
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        Ok(verdict(verify(self.generators()?, self.gadget, &self.public, &self.proof)))
    }

    fn proof(&self) -> &[u8] {
        &self.proof
    }

    fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }

    fn public_input(&self) -> PublicInput {
        let Public { image, constants } = &self.public;
        PublicInput::Mimc(mimc::public_input::<Ristretto255>(constants, *image))
    }

    fn sizes(&self) -> Vec<Size> {
        let elements = 1 + self.public.constants.len();
        vec![
            Size::new(SizeOf::Proof, Encoding::Compressed, self.proof.len()),
            Size::new(SizeOf::Commitments, Encoding::Compressed, COMMITMENTS),
            Size::new(SizeOf::PublicInput, Encoding::Native, 32 * elements),
        ]
    }

    fn counters(&self) -> Vec<Counter> {
        let padded = multipliers_padded(self.public.constants.len());
        vec![
            Counter::new("multipliers", self.counts.multipliers as u64),
            Counter::new("multipliers_padded", padded as u64),
            Counter::new("constraints", self.counts.constraints as u64),
            Counter::new("terms", self.counts.terms as u64),
        ]
    }
}

/// A verifier with its generators made.
struct Prepared {
    gadget: Gadget,
    generators: Generators,
}

impl Verifier for Prepared {
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        let PublicInput::Mimc(public_input) = public_input else {
            return Verdict::rejected("the public input is of another statement");
        };
        let image = mimc::elements::<Ristretto255>(&[public_input.image]);
        let constants = mimc::elements::<Ristretto255>(&public_input.constants);
        match (image.as_deref(), constants) {
            (Some(&[image]), Some(constants)) => {
                verdict(verify(&self.generators, self.gadget, &Public { image, constants }, proof))
            }
            _ => Verdict::rejected("the public input holds an integer not below the field's order"),
        }
    }
}

pub(crate) fn verdict(outcome: Result<(), String>) -> Verdict {
    match outcome {
        Ok(()) => Verdict::Accepted,
        Err(reason) => Verdict::Rejected(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUNDS: usize = 7;

    fn proven(gadget: Gadget) -> Measured {
        let mut session = Measured::new(gadget, ROUNDS, Seed::new([3; 32]));
        session.setup().unwrap();
        session.load_instance(4).unwrap();
        session.prove().unwrap();
        session
    }

    #[test]
    fn the_description_has_no_fault() {
        assert_eq!(R1cs.description().faults(), Vec::<String>::new());
    }

    #[test]
    fn every_gadget_of_the_description_exists() {
        let description = R1cs.description();
        let variants = &description.statements[0].variants;
        let gadgets = variants.iter().find(|variant| variant.name == GADGET).unwrap();
        assert!(gadgets.values.iter().all(|name| Gadget::from_name(name).is_some()));
        assert_eq!(gadgets.values.len(), Gadget::ALL.len());
    }

    #[test]
    fn a_session_proves_what_another_verifier_accepts() {
        for gadget in Gadget::ALL {
            let mut session = proven(gadget);
            assert_eq!(session.verify().unwrap(), Verdict::Accepted);
            let verifier = Prepared { gadget, generators: Generators::for_rounds(ROUNDS) };
            let verdict = verifier.verify(&session.public_input(), session.proof());
            assert_eq!(verdict, Verdict::Accepted);
        }
    }

    #[test]
    fn a_public_input_out_of_range_is_rejected() {
        let session = proven(Gadget::ConstantTerms);
        let verifier =
            Prepared { gadget: Gadget::ConstantTerms, generators: Generators::for_rounds(ROUNDS) };
        let PublicInput::Mimc(mut input) = session.public_input() else {
            panic!("the session proves mimc-preimage alone")
        };
        input.constants[2] = [0xff; 32];
        let verdict = verifier.verify(&PublicInput::Mimc(input), session.proof());
        assert!(matches!(verdict, Verdict::Rejected(_)));
    }

    #[test]
    fn proving_before_the_setup_fails_with_a_sentence() {
        let mut session = Measured::new(Gadget::ConstantTerms, ROUNDS, Seed::new([3; 32]));
        session.load_instance(0).unwrap();
        assert!(session.prove().unwrap_err().message.contains("generators"));
    }

    #[test]
    fn loading_an_instance_drops_the_last_proof() {
        let mut session = proven(Gadget::ConstantTerms);
        session.load_instance(5).unwrap();
        assert!(session.proof().is_empty());
    }

    #[test]
    fn sizes_count_the_commitments_once() {
        let session = proven(Gadget::ConstantTerms);
        let bytes = |of| session.sizes().into_iter().find(|s| s.of == of).map(|s| s.bytes);
        assert_eq!(bytes(SizeOf::Proof), Some(session.proof().len() as u64));
        assert_eq!(bytes(SizeOf::Commitments), Some(64));
        assert_eq!(bytes(SizeOf::PublicInput), Some(32 * 8));
    }
}
