//! The systems `arkworks/groth16/bls12-381` and `arkworks/groth16/bn254`.

use std::marker::PhantomData;

use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use ark_ec::pairing::Pairing;
use ark_groth16::PreparedVerifyingKey;
use nizk_protocol::{
    BatchVerification, Configuration, Counter, Encoding, Failure, FieldDescription, Phase,
    ProofSize, Properties, PublicInput, Rejection, Seed, Session, Size, SizeOf, SizeRule, System,
    SystemDescription, Threads, TimedPhase, TrustedSetup, Verdict, Verifier, ZeroKnowledge,
    ZeroKnowledgeLevel, mimc,
};

use crate::circuit::{Constants, Instance, MimcPreimage, assignment};
use crate::field::Scalar;
use crate::scheme::{Keys, arkworks_failure, judge, read_key};

/// Bytes of an element of either field.
const ELEMENT_BYTES: usize = 32;

/// A curve of arkworks with the words that `describe` has for it.
pub trait Curve: Pairing {
    /// Name of the system.
    const SYSTEM: &'static str;
    /// Name of the curve.
    const NAME: &'static str;
    /// The field of the statement.
    const FIELD: FieldDescription;
    /// What the scheme assumes.
    const ASSUMPTIONS: &'static str;
}

impl Curve for Bls12_381 {
    const SYSTEM: &'static str = "arkworks/groth16/bls12-381";
    const NAME: &'static str = "bls12-381";
    const FIELD: FieldDescription = FieldDescription {
        name: "bls12-381-fr",
        modulus: "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
        bits: 255,
    };
    const ASSUMPTIONS: &'static str = "generic bilinear group model on BLS12-381, honest set-up";
}

impl Curve for Bn254 {
    const SYSTEM: &'static str = "arkworks/groth16/bn254";
    const NAME: &'static str = "bn254";
    const FIELD: FieldDescription = FieldDescription {
        name: "bn254-fr",
        modulus: "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
        bits: 254,
    };
    const ASSUMPTIONS: &'static str = "generic bilinear group model on BN254, honest set-up";
}

/// Groth16 on a curve.
pub struct OnCurve<E>(PhantomData<fn() -> E>);

impl<E> OnCurve<E> {
    /// The system.
    pub const NEW: OnCurve<E> = OnCurve(PhantomData);
}

/// The systems of the runner.
pub fn all() -> Vec<Box<dyn System>> {
    vec![Box::new(OnCurve::<Bls12_381>::NEW), Box::new(OnCurve::<Bn254>::NEW)]
}

impl<E: Curve> System for OnCurve<E> {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: E::SYSTEM,
            scheme: "groth16",
            curve: Some(E::NAME),
            field: E::FIELD,
            properties: Properties {
                trusted_setup: TrustedSetup::PerCircuit,
                transparent: false,
                post_quantum: false,
                zero_knowledge: ZeroKnowledge {
                    level: ZeroKnowledgeLevel::Yes,
                    source: "ark-groth16 0.6.0, src/prover.rs: \"Create a Groth16 proof that is \
                             zero-knowledge\"",
                },
                assumptions: E::ASSUMPTIONS,
                batch_verification: BatchVerification {
                    supported: false,
                    source: "ark-groth16 0.6.0, src/verifier.rs: verify_proof takes one proof, and \
                             nothing in the library takes many",
                },
            },
            phases: vec![
                TimedPhase { phase: Phase::Setup, includes: vec![Phase::Compile] },
                TimedPhase { phase: Phase::Witness, includes: vec![] },
                TimedPhase { phase: Phase::Prove, includes: vec![] },
                TimedPhase { phase: Phase::Verify, includes: vec![] },
            ],
            absent_phases: vec![],
            threads: Threads {
                minimum: 1,
                maximum: None,
                how: "rayon's global pool of this many threads, on which arkworks computes, and the \
                      CPU affinity the harness sets",
            },
            proof_size: ProofSize::Constant,
            statements: vec![mimc::described(SizeRule::Any, vec!["fixed", "public"])],
            options: vec![],
            malleable: vec![],
        }
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        Ok(Box::new(Proving::<E> {
            constants: mimc::constants::<Scalar<E::ScalarField>>(seed, configuration.size()),
            placed: Constants::of_variant(configuration.variant("constants")),
            seed: *seed,
            keys: None,
            loaded: None,
            assignment: Vec::new(),
            proof: Vec::new(),
        }))
    }

    fn verifier(
        &self,
        configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection> {
        let placed = Constants::of_variant(configuration.variant("constants"));
        let key = read_key::<E>(verifying_key, placed.inputs(configuration.size()))?;
        Ok(Box::new(Verifying { placed, key }))
    }
}

/// An instance with what the verifier is handed of it.
struct Loaded<F> {
    instance: Instance<F>,
    public_input: Vec<F>,
}

/// One configuration at work.
struct Proving<E: Pairing> {
    constants: Vec<E::ScalarField>,
    placed: Constants,
    seed: Seed,
    keys: Option<Keys<E>>,
    loaded: Option<Loaded<E::ScalarField>>,
    assignment: Vec<E::ScalarField>,
    proof: Vec<u8>,
}

impl<E: Pairing> Proving<E> {
    fn circuit(&self, instance: Option<Instance<E::ScalarField>>) -> Circuit<'_, E> {
        MimcPreimage { constants: &self.constants, placed: self.placed, instance }
    }

    fn keys(&self) -> Result<&Keys<E>, Failure> {
        self.keys.as_ref().ok_or_else(|| Failure::internal("the keys are not generated yet"))
    }

    fn loaded(&self) -> Result<&Loaded<E::ScalarField>, Failure> {
        self.loaded.as_ref().ok_or_else(|| Failure::internal("no instance is loaded yet"))
    }
}

type Circuit<'a, E> = MimcPreimage<'a, <E as Pairing>::ScalarField>;

impl<E: Pairing> Session for Proving<E> {
    fn setup(&mut self) -> Result<(), Failure> {
        self.keys = Some(Keys::generate(self.circuit(None))?);
        Ok(())
    }

    fn load_instance(&mut self, index: u64) -> Result<(), Failure> {
        (self.assignment, self.proof) = (Vec::new(), Vec::new());
        let instance = Instance::derive(&self.seed, index, &self.constants);
        let public_input = self.placed.public_input(instance.image, &self.constants);
        self.loaded = Some(Loaded { instance, public_input });
        Ok(())
    }

    fn witness(&mut self) -> Result<(), Failure> {
        let circuit = self.circuit(Some(self.loaded()?.instance));
        self.assignment = assignment(circuit).map_err(arkworks_failure)?;
        Ok(())
    }

    fn prove(&mut self) -> Result<(), Failure> {
        self.proof = self.keys()?.prove(&self.assignment)?;
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        Ok(self.keys()?.verify(&self.loaded()?.public_input, &self.proof))
    }

    fn proof(&self) -> &[u8] {
        &self.proof
    }

    fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        self.keys()?.verifying_key()
    }

    /// # Panics
    ///
    /// Before an instance is loaded: a fault of the loop, which loads one first.
    fn public_input(&self) -> PublicInput {
        let loaded = self.loaded.as_ref().expect("the loop loads an instance first");
        PublicInput::Mimc(mimc::public_input::<Scalar<E::ScalarField>>(
            &self.constants,
            loaded.instance.image,
        ))
    }

    fn sizes(&self) -> Vec<Size> {
        let inputs = self.placed.inputs(self.constants.len());
        let mut sizes = vec![
            Size::new(SizeOf::PublicInput, Encoding::Native, inputs * ELEMENT_BYTES),
            Size::new(SizeOf::Witness, Encoding::Native, self.assignment.len() * ELEMENT_BYTES),
        ];
        sizes.extend(self.keys.iter().flat_map(Keys::sizes));
        sizes
    }

    fn counters(&self) -> Vec<Counter> {
        let Some(keys) = &self.keys else { return Vec::new() };
        let matrices = keys.matrices();
        let counted = [
            ("constraints", Some(matrices.constraints())),
            ("variables", Some(matrices.variables)),
            ("terms", Some(matrices.terms())),
            ("domain", keys.domain()),
        ];
        counted
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| Counter::new(name, value as u64)))
            .collect()
    }
}

/// The verifier of another process.
struct Verifying<E: Pairing> {
    placed: Constants,
    key: PreparedVerifyingKey<E>,
}

impl<E: Pairing> Verifier for Verifying<E> {
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        let PublicInput::Mimc(public_input) = public_input else {
            return Verdict::rejected("the public input is not that of mimc-preimage");
        };
        let image = mimc::elements::<Scalar<E::ScalarField>>(&[public_input.image]);
        let constants = mimc::elements::<Scalar<E::ScalarField>>(&public_input.constants);
        let (Some([image]), Some(constants)) = (image.as_deref(), constants) else {
            return Verdict::rejected("an element of the public input is not below the order");
        };
        judge(&self.key, &self.placed.public_input(*image, &constants), proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{BigInteger, PrimeField};

    #[test]
    fn the_descriptions_have_no_faults() {
        for system in all() {
            assert_eq!(system.description().faults(), Vec::<String>::new());
        }
    }

    fn the_order_is_the_field_s<E: Curve>() {
        let order = E::ScalarField::MODULUS;
        let digits: String = order.to_bytes_be().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(format!("0x{digits}"), E::FIELD.modulus);
        assert_eq!(order.num_bits(), E::FIELD.bits);
    }

    #[test]
    fn the_order_described_is_the_order_of_the_field() {
        the_order_is_the_field_s::<Bls12_381>();
        the_order_is_the_field_s::<Bn254>();
    }

    #[test]
    fn a_session_proves_what_its_own_verifier_accepts_once_it_has_keys() {
        let seed = Seed::new([3; 32]);
        let mut session = Proving::<Bn254> {
            constants: mimc::constants::<Scalar<ark_bn254::Fr>>(&seed, 7),
            placed: Constants::Fixed,
            seed,
            keys: None,
            loaded: None,
            assignment: Vec::new(),
            proof: Vec::new(),
        };
        assert!(session.witness().is_err());
        assert!(session.prove().is_err());
        session.setup().unwrap();
        session.load_instance(0).unwrap();
        session.witness().unwrap();
        session.prove().unwrap();
        assert_eq!(session.verify().unwrap(), Verdict::Accepted);
        assert_eq!(session.sizes().len(), 8);
        let counters = session.counters();
        assert_eq!(counters.last(), Some(&Counter::new("domain", 16)));
        session.load_instance(1).unwrap();
        assert!(session.proof().is_empty());
    }
}
