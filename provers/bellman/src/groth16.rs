//! The system `bellman/groth16/bls12-381`.

use std::io::{self, Write};

use bellman::SynthesisError;
use bellman::groth16::{
    Parameters, PreparedVerifyingKey, Proof, VerifyingKey, create_random_proof,
    generate_random_parameters, prepare_verifying_key, verify_proof,
};
use bls12_381::{Bls12, Scalar};
use nizk_protocol::mimc::{self, MAXIMUM_ROUNDS, MINIMUM_ROUNDS, SIZE, STATEMENT};
use nizk_protocol::{
    Configuration, Counter, Encoding, Failure, FieldDescription, Phase, ProofSize, Properties,
    PublicInput, Rejection, Seed, Session, Size, SizeOf, SizeRange, SizeRule, StatementDescription,
    System, SystemDescription, Threads, TimedPhase, TrustedSetup, VariantDescription, Verdict,
    Verifier, ZeroKnowledge, ZeroKnowledgeLevel,
};
use rand::rngs::OsRng;

use crate::circuit::{Constants, Extent, Instance, MimcPreimage};
use crate::field::Bls12Scalar;

/// Bytes of a proof: two points of G1 and one of G2, compressed.
pub const PROOF_BYTES: usize = 48 + 96 + 48;

/// The system.
pub struct Groth16;

impl System for Groth16 {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: "bellman/groth16/bls12-381",
            scheme: "groth16",
            curve: Some("bls12-381"),
            field: FieldDescription {
                name: "bls12-381-fr",
                modulus: "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
                bits: 255,
            },
            properties: Properties {
                trusted_setup: TrustedSetup::PerCircuit,
                transparent: false,
                post_quantum: false,
                zero_knowledge: ZeroKnowledge {
                    level: ZeroKnowledgeLevel::Yes,
                    source: "bellman 0.14.0, README.md: \"a crate for building zk-SNARK circuits\"",
                },
                assumptions: "generic bilinear group model on BLS12-381, honest set-up",
            },
            phases: vec![
                TimedPhase { phase: Phase::Setup, includes: vec![Phase::Compile] },
                TimedPhase { phase: Phase::Prove, includes: vec![Phase::Compile, Phase::Witness] },
                TimedPhase { phase: Phase::Verify, includes: vec![] },
            ],
            absent_phases: vec![],
            threads: Threads {
                minimum: 1,
                maximum: None,
                how: "rayon's global pool of this many threads, on which bellman's Worker spawns all \
                      its tasks, and the CPU affinity the harness sets; verification is sequential",
            },
            proof_size: ProofSize::Constant,
            statements: vec![StatementDescription {
                statement: STATEMENT,
                size: SizeRange {
                    name: SIZE,
                    minimum: MINIMUM_ROUNDS,
                    maximum: MAXIMUM_ROUNDS,
                    rule: SizeRule::Any,
                },
                variants: vec![VariantDescription {
                    name: "constants",
                    values: vec!["fixed", "public"],
                    default: "fixed",
                }],
                unsound: vec![],
            }],
            options: vec![],
            malleable: vec![],
        }
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        Ok(Box::new(Groth16Session {
            seed: *seed,
            constants: mimc::constants::<Bls12Scalar>(seed, configuration.rounds()),
            placed: Constants::of_variant(configuration.variant("constants")),
            keys: None,
            instance: None,
            public_input: Vec::new(),
            proof: Vec::new(),
        }))
    }

    fn verifier(
        &self,
        configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection> {
        let placed = Constants::of_variant(configuration.variant("constants"));
        let inputs = match placed {
            Constants::Fixed => 1,
            Constants::Public => 1 + configuration.rounds(),
        };
        let mut rest = verifying_key;
        let key = VerifyingKey::<Bls12>::read(&mut rest)
            .map_err(|error| Rejection::new(format!("the verifying key is malformed: {error}")))?;
        if !rest.is_empty() {
            let message = format!("the verifying key has {} bytes after its end", rest.len());
            return Err(Rejection::new(message));
        }
        if key.ic.len() != inputs + 1 {
            let message = format!(
                "the verifying key is for {} public inputs, the statement has {inputs}",
                key.ic.len().saturating_sub(1)
            );
            return Err(Rejection::new(message));
        }
        Ok(Box::new(Groth16Verifier { placed, key: prepare_verifying_key(&key) }))
    }
}

/// Both keys of a circuit, the verifying one also prepared: e(α, β) and the lines of −γ and −δ.
pub struct Keys {
    parameters: Parameters<Bls12>,
    prepared: PreparedVerifyingKey<Bls12>,
}

/// Circuit to keys. The trapdoor comes from the operating system and is dropped inside bellman.
pub fn generate_keys(constants: &[Scalar], placed: Constants) -> Result<Keys, SynthesisError> {
    let circuit = MimcPreimage { constants, placed, instance: None };
    let parameters = generate_random_parameters::<Bls12, _, _>(circuit, &mut OsRng)?;
    let prepared = prepare_verifying_key(&parameters.vk);
    Ok(Keys { parameters, prepared })
}

/// Instance to serialised proof; bellman synthesises the witness inside. The blinding comes from
/// the operating system, so no two proofs of one instance are alike.
pub fn prove(
    keys: &Keys,
    constants: &[Scalar],
    placed: Constants,
    instance: Instance,
) -> Result<Vec<u8>, SynthesisError> {
    let circuit = MimcPreimage { constants, placed, instance: Some(instance) };
    let proof = create_random_proof(circuit, &keys.parameters, &mut OsRng)?;
    let mut bytes = Vec::with_capacity(PROOF_BYTES);
    proof.write(&mut bytes)?;
    Ok(bytes)
}

/// Serialised proof and public input to verdict, with the key of the process that made it.
pub fn verify(keys: &Keys, public_input: &[Scalar], proof: &[u8]) -> Verdict {
    judge(&keys.prepared, public_input, proof)
}

/// Points are checked to be canonical, on the curve, in the subgroup and not zero by
/// `Proof::read`; the length is checked here, since a reader stops at the end of what it needs.
fn judge(key: &PreparedVerifyingKey<Bls12>, public_input: &[Scalar], proof: &[u8]) -> Verdict {
    if proof.len() != PROOF_BYTES {
        return Verdict::rejected(format!(
            "the proof has {} bytes, legal is {PROOF_BYTES}",
            proof.len()
        ));
    }
    let proof = match Proof::<Bls12>::read(proof) {
        Ok(proof) => proof,
        Err(error) => return Verdict::rejected(format!("the proof is malformed: {error}")),
    };
    match verify_proof(key, &proof, public_input) {
        Ok(()) => Verdict::Accepted,
        Err(error) => Verdict::rejected(format!("the pairing equation does not hold: {error}")),
    }
}

struct Groth16Session {
    seed: Seed,
    constants: Vec<Scalar>,
    placed: Constants,
    keys: Option<Keys>,
    instance: Option<Instance>,
    public_input: Vec<Scalar>,
    proof: Vec<u8>,
}

impl Groth16Session {
    fn keys(&self) -> Result<&Keys, Failure> {
        self.keys.as_ref().ok_or_else(|| Failure::internal("the keys are not generated yet"))
    }

    fn instance(&self) -> Result<Instance, Failure> {
        self.instance.ok_or_else(|| Failure::internal("no instance is loaded yet"))
    }
}

impl Session for Groth16Session {
    fn setup(&mut self) -> Result<(), Failure> {
        self.keys = Some(generate_keys(&self.constants, self.placed).map_err(synthesis_failure)?);
        Ok(())
    }

    fn load_instance(&mut self, index: u64) -> Result<(), Failure> {
        self.proof = Vec::new();
        let instance = Instance::derive(&self.seed, index, &self.constants);
        self.public_input = self.placed.public_input(instance.image, &self.constants);
        self.instance = Some(instance);
        Ok(())
    }

    fn prove(&mut self) -> Result<(), Failure> {
        let proof = prove(self.keys()?, &self.constants, self.placed, self.instance()?);
        self.proof = proof.map_err(synthesis_failure)?;
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        Ok(verify(self.keys()?, &self.public_input, &self.proof))
    }

    fn proof(&self) -> &[u8] {
        &self.proof
    }

    fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        self.keys()?.parameters.vk.write(&mut bytes).map_err(|error| {
            Failure::internal(format!("the verifying key has no bytes: {error}"))
        })?;
        Ok(bytes)
    }

    fn public_input(&self) -> PublicInput {
        let image = self.instance.map_or(Scalar::zero(), |instance| instance.image);
        mimc::public_input::<Bls12Scalar>(&self.constants, image)
    }

    fn sizes(&self) -> Vec<Size> {
        let public_input = self.public_input.len() * size_of_val(&Scalar::zero().to_bytes());
        let mut sizes = vec![
            Size::new(SizeOf::Proof, Encoding::Compressed, self.proof.len()),
            Size::new(SizeOf::PublicInput, Encoding::Native, public_input),
        ];
        if let Ok(proof) = Proof::<Bls12>::read(self.proof.as_slice()) {
            let uncompressed = [
                proof.a.to_uncompressed().len(),
                proof.b.to_uncompressed().len(),
                proof.c.to_uncompressed().len(),
            ];
            let bytes = uncompressed.iter().sum();
            sizes.push(Size::new(SizeOf::Proof, Encoding::Uncompressed, bytes));
        }
        if let Some(Keys { parameters, .. }) = &self.keys {
            let verifying_key = bytes_written(|sink| parameters.vk.write(sink));
            let proving_key = bytes_written(|sink| parameters.write(sink));
            for (of, bytes) in
                [(SizeOf::VerifyingKey, verifying_key), (SizeOf::ProvingKey, proving_key)]
            {
                sizes.extend(bytes.map(|bytes| Size::new(of, Encoding::Uncompressed, bytes)));
            }
        }
        sizes
    }

    fn counters(&self) -> Vec<Counter> {
        let circuit =
            MimcPreimage { constants: &self.constants, placed: self.placed, instance: None };
        Extent::of(circuit).map_or_else(
            |_| Vec::new(),
            |extent| {
                vec![
                    Counter::new("constraints", extent.constraints as u64),
                    Counter::new("variables", (extent.inputs + extent.auxiliary) as u64),
                    Counter::new("terms", extent.terms as u64),
                ]
            },
        )
    }
}

struct Groth16Verifier {
    placed: Constants,
    key: PreparedVerifyingKey<Bls12>,
}

impl Verifier for Groth16Verifier {
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        let image = mimc::elements::<Bls12Scalar>(&[public_input.image]);
        let constants = mimc::elements::<Bls12Scalar>(&public_input.constants);
        match (image.as_deref(), constants) {
            (Some([image]), Some(constants)) => {
                judge(&self.key, &self.placed.public_input(*image, &constants), proof)
            }
            _ => Verdict::rejected("an element of the public input is not below the field's order"),
        }
    }
}

fn synthesis_failure(error: SynthesisError) -> Failure {
    Failure::internal(format!("bellman: {error}"))
}

/// How many bytes something writes of itself; nothing of it is kept.
fn bytes_written(write: impl FnOnce(&mut ByteCount) -> io::Result<()>) -> Option<usize> {
    let mut count = ByteCount(0);
    write(&mut count).ok().map(|()| count.0)
}

struct ByteCount(usize);

impl Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Made {
        keys: Keys,
        constants: Vec<Scalar>,
        instance: Instance,
        proof: Vec<u8>,
    }

    fn made(rounds: usize, placed: Constants) -> Made {
        let seed = Seed::new([5; 32]);
        let constants = mimc::constants::<Bls12Scalar>(&seed, rounds);
        let keys = generate_keys(&constants, placed).unwrap();
        let instance = Instance::derive(&seed, 0, &constants);
        let proof = prove(&keys, &constants, placed, instance).unwrap();
        Made { keys, constants, instance, proof }
    }

    #[test]
    fn the_description_is_consistent() {
        assert_eq!(Groth16.description().faults(), Vec::<String>::new());
    }

    #[test]
    fn the_order_described_is_the_order_of_the_field() {
        let largest = (-Scalar::one()).to_bytes();
        let digits: String = largest.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        let modulus = Groth16.description().field.modulus;
        // The order is odd and ends in 1, so that its predecessor differs in the last digit alone.
        assert_eq!(format!("0x{digits}"), modulus.replace("ffffffff00000001", "ffffffff00000000"));
    }

    #[test]
    fn an_honest_proof_is_accepted_and_has_192_bytes() {
        for placed in [Constants::Fixed, Constants::Public] {
            let Made { keys, constants, instance, proof } = made(7, placed);
            assert_eq!(proof.len(), PROOF_BYTES);
            let inputs = placed.public_input(instance.image, &constants);
            assert_eq!(verify(&keys, &inputs, &proof), Verdict::Accepted);
        }
    }

    #[test]
    fn verify_with_wrong_inputs_is_rejected() {
        let one = Scalar::one();
        let Made { keys, constants, instance, proof } = made(7, Constants::Public);
        let honest = Constants::Public.public_input(instance.image, &constants);
        for position in 0..honest.len() {
            let mut wrong = honest.clone();
            wrong[position] += one;
            assert_ne!(verify(&keys, &wrong, &proof), Verdict::Accepted, "input {position}");
        }
        assert_ne!(verify(&keys, &honest[..7], &proof), Verdict::Accepted);
        let Made { keys, instance, proof, .. } = made(7, Constants::Fixed);
        assert_ne!(verify(&keys, &[instance.image + one], &proof), Verdict::Accepted);
    }

    #[test]
    fn a_key_for_other_fixed_constants_rejects_the_proof() {
        let Made { instance, proof, mut constants, .. } = made(7, Constants::Fixed);
        constants[3] += Scalar::one();
        let other = generate_keys(&constants, Constants::Fixed).unwrap();
        assert_ne!(verify(&other, &[instance.image], &proof), Verdict::Accepted);
    }

    #[test]
    fn a_proof_with_a_flipped_bit_is_rejected() {
        let Made { keys, instance, proof, .. } = made(7, Constants::Fixed);
        for bit in (0..PROOF_BYTES * 8).step_by(37).chain([0, 5, 6, 7, PROOF_BYTES * 8 - 1]) {
            let mut flipped = proof.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let verdict = verify(&keys, &[instance.image], &flipped);
            assert_ne!(verdict, Verdict::Accepted, "bit {bit}");
        }
    }

    #[test]
    fn a_proof_of_another_length_is_rejected() {
        let Made { keys, instance, proof, .. } = made(7, Constants::Fixed);
        for length in [0, 1, 48, PROOF_BYTES - 1] {
            assert_ne!(verify(&keys, &[instance.image], &proof[..length]), Verdict::Accepted);
        }
        let longer = [proof.as_slice(), &[0]].concat();
        assert_ne!(verify(&keys, &[instance.image], &longer), Verdict::Accepted);
    }

    #[test]
    fn blinding_makes_two_proofs_of_one_instance_differ() {
        let Made { keys, constants, instance, proof } = made(7, Constants::Fixed);
        assert_ne!(prove(&keys, &constants, Constants::Fixed, instance).unwrap(), proof);
    }

    #[test]
    fn a_false_statement_has_no_proof_that_verifies() {
        let Made { keys, constants, mut instance, .. } = made(7, Constants::Fixed);
        instance.image += Scalar::one();
        let proof = prove(&keys, &constants, Constants::Fixed, instance).unwrap();
        assert_ne!(verify(&keys, &[instance.image], &proof), Verdict::Accepted);
    }
}
