//! The system `zokrates-native/groth16/bn254`.

use std::fs;

use ark_bn254::{Bn254, Fr};
use ark_ff::PrimeField;
use ark_groth16::{PreparedVerifyingKey, Proof};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress};
use nizk_hash_speed::digest::digest;
use nizk_protocol::hash::{self, Function};
use nizk_protocol::{
    AbsentPhase, BatchVerification, Configuration, Counter, Encoding, Failure, FieldDescription,
    Phase, ProofSize, Properties, PublicInput, Rejection, Seed, Session, Size, SizeOf,
    StatementDescription, System, SystemDescription, Threads, TimedPhase, TrustedSetup,
    VariantDescription, Verdict, Verifier, ZeroKnowledge, ZeroKnowledgeLevel,
};

use crate::circuit::Circuit;
use crate::groth16::{self, Keys};
use crate::iden3::ELEMENT_BYTES;
use crate::witness;
use crate::zokrates::{Witnesses, ZoKrates};

/// The file of a circuit's folder that has its constraints.
const CIRCUIT_FILE: &str = "circuit.r1cs";

/// The variant that says which circuit of SHA-256 it is: the compression function that the compiler
/// embeds, or the standard library's own hash of bytes.
const GADGET: &str = "gadget";
const EMBEDDED: &str = "embedded";
const STANDARD_LIBRARY: &str = "standard-library";

fn statement() -> StatementDescription {
    let mut described = hash::described(&Function::ALL);
    described.variants.push(VariantDescription {
        name: GADGET,
        values: vec![EMBEDDED, STANDARD_LIBRARY],
        default: EMBEDDED,
    });
    described
}

/// The system.
pub struct Native {
    zokrates: ZoKrates,
}

impl Native {
    /// The system with the circuits of this ZoKrates.
    pub fn new(zokrates: ZoKrates) -> Native {
        Native { zokrates }
    }

    /// Has the circuit of a configuration compiled, reads it and starts what computes its witnesses.
    ///
    /// # Errors
    ///
    /// `ZoKrates`' own, and those of a circuit that is not the statement's.
    pub fn prepare(&self, configuration: &Configuration) -> Result<(Circuit, Instances), Failure> {
        let function = Function::of(configuration);
        let bytes = configuration.size();
        let message = configuration.variant(hash::MESSAGE);
        let gadget = configuration.variant(GADGET);
        let folder = self.zokrates.circuit(function.name(), bytes, message, gadget)?;
        let path = folder.join(CIRCUIT_FILE);
        let wrong =
            |what: String| Failure::internal(format!("the circuit {}: {what}", path.display()));
        let file = fs::read(&path).map_err(|error| wrong(format!("it cannot be read: {error}")))?;
        let circuit = Circuit::read(&file).map_err(|malformed| wrong(malformed.to_string()))?;
        let inputs = public_inputs(function);
        if circuit.public() != inputs {
            let public = circuit.public();
            return Err(wrong(format!("it has {public} public inputs, its statement {inputs}")));
        }
        let witnesses = self.zokrates.witnesses(&folder)?;
        Ok((circuit, Instances { function, bytes, witnesses }))
    }
}

/// The instances of a circuit, with what computes their witnesses.
pub struct Instances {
    function: Function,
    bytes: usize,
    witnesses: Witnesses,
}

impl Instances {
    /// The instance that a seed gives at an index, with its witness.
    ///
    /// # Errors
    ///
    /// `ZoKrates`' own, and those of a witness that does not belong to the instance.
    pub fn of(&mut self, circuit: &Circuit, seed: &Seed, index: u64) -> Result<Instance, Failure> {
        let (function, bytes) = (self.function, self.bytes);
        let message = hash::message(seed, index, bytes);
        let file = self.witnesses.of(&message)?;
        let assignment = witness::read(&file)
            .map_err(|malformed| Failure::internal(format!("the witness file: {malformed}")))?;
        let input = hash::PublicInput { function, bytes, digest: digest(function, &message) };
        Instance::check(input, circuit, assignment)
    }
}

impl System for Native {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: "zokrates-native/groth16/bn254",
            scheme: "groth16",
            curve: Some("bn254"),
            field: FieldDescription {
                name: "bn254-fr",
                modulus: "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
                bits: 254,
            },
            properties: Properties {
                trusted_setup: TrustedSetup::PerCircuit,
                transparent: false,
                post_quantum: false,
                zero_knowledge: ZeroKnowledge {
                    level: ZeroKnowledgeLevel::Yes,
                    source: "ark-groth16 0.6.0, src/prover.rs: \"Create a Groth16 proof that is \
                             zero-knowledge\"",
                },
                assumptions: "generic bilinear group model on BN254, honest set-up",
                batch_verification: BatchVerification {
                    supported: false,
                    source: "ark-groth16 0.6.0, src/verifier.rs: verify_proof takes one proof, and \
                             nothing in the library takes many",
                },
            },
            phases: vec![
                TimedPhase { phase: Phase::Setup, includes: vec![] },
                TimedPhase { phase: Phase::Prove, includes: vec![] },
                TimedPhase { phase: Phase::Verify, includes: vec![] },
            ],
            absent_phases: vec![
                AbsentPhase {
                    phase: Phase::Compile,
                    reason: "ZoKrates compiles the circuit; the runner zokrates times it",
                },
                AbsentPhase {
                    phase: Phase::Witness,
                    reason: "ZoKrates computes the witness; the runner zokrates times it",
                },
            ],
            threads: Threads {
                minimum: 1,
                maximum: None,
                how: "rayon's global pool of this many threads, on which arkworks computes, and the \
                      CPU affinity the harness sets",
            },
            proof_size: ProofSize::Constant,
            statements: vec![statement()],
            options: vec![],
            malleable: vec![],
        }
    }

    fn legal(&self, configuration: &Configuration) -> Result<(), Failure> {
        let function = Function::of(configuration);
        if configuration.variant(GADGET) == STANDARD_LIBRARY && function != Function::Sha256 {
            let name = function.name();
            return Err(Failure::unsupported(
                "standard-library-gadget-is-of-sha256",
                "variant.gadget",
                format!(
                    "variant.gadget is standard-library, supported with function {name} is embedded"
                ),
            ));
        }
        Ok(())
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        let (circuit, instances) = self.prepare(configuration)?;
        Ok(Box::new(NativeSession {
            seed: *seed,
            circuit,
            instances,
            keys: None,
            instance: None,
            proof: Vec::new(),
        }))
    }

    fn verifier(
        &self,
        configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection> {
        let inputs = public_inputs(Function::of(configuration));
        Ok(Box::new(NativeVerifier { key: groth16::read_key(verifying_key, inputs)? }))
    }
}

/// Elements that a verifier is handed: a digest of bytes in two halves, one that is an element as it is.
fn public_inputs(function: Function) -> usize {
    if function.is_over_a_field() { 1 } else { 2 }
}

fn public_elements(input: &hash::PublicInput) -> Vec<Fr> {
    if input.function.is_over_a_field() {
        vec![Fr::from_le_bytes_mod_order(&input.element())]
    } else {
        input.halves().map(Fr::from).to_vec()
    }
}

/// One message with what is proven about it.
pub struct Instance {
    input: hash::PublicInput,
    /// The digest as the verifier is handed it.
    pub public: Vec<Fr>,
    /// The values of all wires.
    pub assignment: Vec<Fr>,
}

impl Instance {
    /// Takes a witness only if it belongs to the digest and satisfies the circuit: what a circuit that
    /// is not what it should be would lead to is an error here, and no proof.
    fn check(
        input: hash::PublicInput,
        circuit: &Circuit,
        assignment: Vec<Fr>,
    ) -> Result<Instance, Failure> {
        let public = public_elements(&input);
        if assignment.len() != circuit.wires() {
            let (values, wires) = (assignment.len(), circuit.wires());
            let message = format!("the witness has {values} values, the circuit {wires} wires");
            return Err(Failure::internal(message));
        }
        if assignment.get(1..=public.len()) != Some(public.as_slice()) {
            let name = input.function.name();
            let message = format!("the circuit's digest of the message is not that of {name}");
            return Err(Failure::internal(message));
        }
        if let Some(constraint) = circuit.first_unsatisfied(&assignment) {
            let message = format!("the witness does not satisfy constraint {constraint}");
            return Err(Failure::internal(message));
        }
        Ok(Instance { input, public, assignment })
    }
}

struct NativeSession {
    seed: Seed,
    circuit: Circuit,
    instances: Instances,
    keys: Option<Keys>,
    instance: Option<Instance>,
    proof: Vec<u8>,
}

impl NativeSession {
    fn keys(&self) -> Result<&Keys, Failure> {
        self.keys.as_ref().ok_or_else(|| Failure::internal("the keys are not generated yet"))
    }

    fn instance(&self) -> Result<&Instance, Failure> {
        self.instance.as_ref().ok_or_else(|| Failure::internal("no instance is loaded yet"))
    }
}

impl Session for NativeSession {
    fn setup(&mut self) -> Result<(), Failure> {
        self.keys = Some(groth16::generate_keys(&self.circuit)?);
        Ok(())
    }

    fn load_instance(&mut self, index: u64) -> Result<(), Failure> {
        self.proof = Vec::new();
        self.instance = None;
        self.instance = Some(self.instances.of(&self.circuit, &self.seed, index)?);
        Ok(())
    }

    fn prove(&mut self) -> Result<(), Failure> {
        self.proof = groth16::prove(self.keys()?, &self.circuit, &self.instance()?.assignment)?;
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        Ok(groth16::verify(self.keys()?, &self.instance()?.public, &self.proof))
    }

    fn proof(&self) -> &[u8] {
        &self.proof
    }

    fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        self.keys()?.verifying_key()
    }

    fn public_input(&self) -> PublicInput {
        PublicInput::Hash(match &self.instance {
            Some(instance) => instance.input.clone(),
            None => {
                let Instances { function, bytes, .. } = self.instances;
                hash::PublicInput { function, bytes, digest: [0; 32] }
            }
        })
    }

    fn sizes(&self) -> Vec<Size> {
        let encodings =
            [(Encoding::Compressed, Compress::Yes), (Encoding::Uncompressed, Compress::No)];
        let mut sizes = vec![
            Size::new(
                SizeOf::PublicInput,
                Encoding::Native,
                public_inputs(self.instances.function) * ELEMENT_BYTES,
            ),
            Size::new(SizeOf::Witness, Encoding::Native, self.circuit.wires() * ELEMENT_BYTES),
        ];
        for (encoding, compress) in encodings {
            if let Ok(proof) = Proof::<Bn254>::deserialize_compressed(self.proof.as_slice()) {
                sizes.push(Size::new(SizeOf::Proof, encoding, proof.serialized_size(compress)));
            }
            if let Some(Keys { proving, .. }) = &self.keys {
                let verifying = proving.vk.serialized_size(compress);
                sizes.push(Size::new(SizeOf::VerifyingKey, encoding, verifying));
                let proving = proving.serialized_size(compress);
                sizes.push(Size::new(SizeOf::ProvingKey, encoding, proving));
            }
        }
        sizes
    }

    fn counters(&self) -> Vec<Counter> {
        let circuit = &self.circuit;
        let domain = groth16::domain(circuit);
        let counted = [
            ("constraints", Some(circuit.constraints())),
            ("variables", Some(circuit.wires())),
            ("terms", Some(circuit.terms())),
            ("domain", domain),
        ];
        counted
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| Counter::new(name, value as u64)))
            .collect()
    }
}

struct NativeVerifier {
    key: PreparedVerifyingKey<Bn254>,
}

impl Verifier for NativeVerifier {
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        let PublicInput::Hash(input) = public_input else {
            return Verdict::rejected("the public input is of another statement");
        };
        groth16::judge(&self.key, &public_elements(input), proof)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use ark_ff::BigInteger;

    use super::*;

    fn system() -> Native {
        Native::new(ZoKrates::new(PathBuf::from("nizk-zokrates"), PathBuf::from("circuits")))
    }

    #[test]
    fn the_description_is_consistent() {
        assert_eq!(system().description().faults(), Vec::<String>::new());
    }

    #[test]
    fn the_order_described_is_the_order_of_the_field() {
        let digits: String =
            Fr::MODULUS.to_bytes_be().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(format!("0x{digits}"), system().description().field.modulus);
    }

    #[test]
    fn a_digest_of_bytes_is_two_elements_and_one_that_is_an_element_is_one() {
        let mut digest = [0; 32];
        (digest[0], digest[15], digest[16], digest[31]) = (1, 2, 3, 4);
        for function in Function::ALL {
            let input = hash::PublicInput { function, bytes: 1, digest };
            let public = public_elements(&input);
            assert_eq!(public.len(), public_inputs(function));
            if !function.is_over_a_field() {
                let half = |first: u128, last: u128| Fr::from((first << 120) + last);
                assert_eq!(public, [half(1, 2), half(3, 4)]);
            } else {
                assert_eq!(nizk_hash_speed::element::of_digest(&digest), Some(public[0]));
            }
        }
    }

    /// `mimc-7` of the byte ff.
    fn honest() -> (hash::PublicInput, Circuit, Vec<Fr>) {
        let circuit = include_bytes!("../tests/data/mimc-7-1-bytes/circuit.r1cs");
        let assignment = include_bytes!("../tests/data/mimc-7-1-bytes/message-ff.wtns");
        let function = Function::Mimc7;
        let input = hash::PublicInput { function, bytes: 1, digest: digest(function, &[0xff]) };
        (input, Circuit::read(circuit).unwrap(), witness::read(assignment).unwrap())
    }

    #[test]
    fn an_honest_witness_is_taken() {
        let (input, circuit, assignment) = honest();
        let instance = Instance::check(input, &circuit, assignment.clone()).ok().unwrap();
        assert_eq!(instance.public, [assignment[1]]);
    }

    #[test]
    fn a_wrong_circuit_is_an_internal_error_and_no_proof() {
        let message = |input, circuit: &Circuit, assignment| {
            let failure = Instance::check(input, circuit, assignment).err().unwrap();
            assert_eq!(failure.kind, nizk_protocol::FailureKind::Internal);
            failure.message
        };
        let (input, circuit, assignment) = honest();
        let mut other = input.clone();
        other.digest = digest(Function::Mimc7, &[0xfe]);
        assert!(message(other, &circuit, assignment.clone()).contains("is not that of mimc-7"));
        let shorter = assignment[..assignment.len() - 1].to_vec();
        assert!(message(input.clone(), &circuit, shorter).contains("values"));
        let mut unsatisfying = assignment;
        unsatisfying[2] += Fr::from(1);
        assert!(message(input, &circuit, unsatisfying).contains("does not satisfy constraint"));
    }
}
