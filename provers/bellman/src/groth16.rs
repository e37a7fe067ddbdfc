//! The system `bellman/groth16/bls12-381`.

use std::borrow::Cow;
use std::io::{self, Write};

use bellman::groth16::{
    Parameters, PreparedVerifyingKey, Proof, VerifyingKey, batch, create_random_proof,
    generate_random_parameters, prepare_verifying_key, verify_proof,
};
use bellman::{Circuit, SynthesisError, VerificationError};
use bls12_381::{Bls12, Scalar};
use nizk_protocol::{
    Batch, BatchItem, BatchVerification, Configuration, Counter, Encoding, Failure,
    FieldDescription, Phase, ProofSize, Properties, PublicInput, Rejection, Seed, Session, Size,
    SizeOf, SizeRule, System, SystemDescription, Threads, TimedPhase, TrustedSetup, Verdict,
    Verifier, ZeroKnowledge, ZeroKnowledgeLevel, hash, mimc, range,
};
use rand::rngs::OsRng;

use crate::extent::Extent;
use crate::field::Bls12Scalar;
use crate::hash_preimage::{self, Gadget, HashPreimage};
use crate::mimc_preimage::{self, Constants, MimcPreimage};
use crate::range::{self as range_circuit, Opening};

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
                batch_verification: BatchVerification {
                    supported: true,
                    source: "bellman 0.14.0, src/groth16/verifier/batch.rs: \"Batch verification asks \
                             whether *all* proofs in some set are valid, rather than asking whether \
                             *each* of them is valid. This allows sharing computations among all proof \
                             verifications, performing less work overall\"",
                },
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
            statements: vec![
                mimc::described(SizeRule::Any, vec!["fixed", "public"]),
                hash::described(&Gadget::ALL.map(Gadget::function)),
                range::described(SizeRule::Any),
            ],
            options: vec![],
            malleable: vec![],
        }
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        let handed = Handed::of(configuration);
        let threads = configuration.threads();
        Ok(match handed {
            Handed::Image { placed, rounds } => {
                let constants = mimc::constants::<Bls12Scalar>(seed, rounds);
                Groth16Session::open(Mimc { constants, placed }, handed, *seed, threads)
            }
            Handed::Digest { gadget } => {
                let bytes = configuration.size();
                Groth16Session::open(Hash { gadget, bytes }, handed, *seed, threads)
            }
            Handed::Commitments { values } => {
                let bits = range::bits(configuration);
                Groth16Session::open(Range { bits, values }, handed, *seed, threads)
            }
        })
    }

    fn verifier(
        &self,
        configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection> {
        let handed = Handed::of(configuration);
        let inputs = handed.count();
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
        Ok(Box::new(Groth16Verifier { handed, key: prepare_verifying_key(&key) }))
    }
}

/// What the verifier is handed with the proof, by statement and variant.
#[derive(Clone, Copy)]
enum Handed {
    /// The image, and the constants where they are public.
    Image { placed: Constants, rounds: usize },
    /// The two halves of the digest.
    Digest { gadget: Gadget },
    /// The encoded commitments.
    Commitments { values: usize },
}

impl Handed {
    /// Of a configuration.
    ///
    /// # Panics
    ///
    /// If the description names a function that bellman has no gadget for: a fault of the runner.
    fn of(configuration: &Configuration) -> Handed {
        match configuration.statement() {
            hash::STATEMENT => Handed::Digest {
                gadget: Gadget::for_function(hash::Function::of(configuration))
                    .expect("the description names functions that have a gadget"),
            },
            range::STATEMENT => Handed::Commitments { values: configuration.size() },
            _ => Handed::Image {
                placed: Constants::of_variant(configuration.variant("constants")),
                rounds: configuration.size(),
            },
        }
    }

    /// How many elements.
    fn count(self) -> usize {
        match self {
            Handed::Image { placed: Constants::Fixed, .. } => 1,
            Handed::Image { placed: Constants::Public, rounds } => 1 + rounds,
            Handed::Digest { .. } => 2,
            Handed::Commitments { values } => 2 * values,
        }
    }

    /// Bytes of what the verifier is handed: an element has as many as an encoded commitment, of which
    /// two elements are made.
    fn bytes(self) -> usize {
        let handed = match self {
            Handed::Commitments { values } => values,
            Handed::Image { .. } | Handed::Digest { .. } => self.count(),
        };
        handed * size_of_val(&Scalar::zero().to_bytes())
    }

    /// What the verifier is handed of a public input; `None` where an element is not below the field's
    /// order or the public input is of another statement.
    fn given(self, public_input: &PublicInput) -> Option<Given> {
        match (self, public_input) {
            (Handed::Image { placed, .. }, PublicInput::Mimc(public_input)) => {
                let image = mimc::elements::<Bls12Scalar>(&[public_input.image])?;
                let constants = mimc::elements::<Bls12Scalar>(&public_input.constants)?;
                Some(Given::Elements(placed.public_input(*image.first()?, &constants)))
            }
            (Handed::Digest { .. }, PublicInput::Hash(public_input)) => {
                Some(Given::Elements(hash_preimage::inputs(public_input).to_vec()))
            }
            (Handed::Commitments { .. }, PublicInput::Range(public_input)) => {
                Some(Given::Commitments(public_input.commitments.clone()))
            }
            _ => None,
        }
    }
}

/// What the verifier is handed, in the form in which `verify` begins.
#[derive(Clone)]
enum Given {
    /// Elements of the field.
    Elements(Vec<Scalar>),
    /// Encodings, which verifying decodes.
    Commitments(Vec<range::Commitment>),
}

impl Given {
    /// The elements of the verifier's equation.
    fn elements(&self) -> Result<Cow<'_, [Scalar]>, Verdict> {
        match self {
            Given::Elements(elements) => Ok(Cow::Borrowed(elements)),
            Given::Commitments(commitments) => range_circuit::inputs(commitments)
                .map(Cow::Owned)
                .ok_or_else(|| Verdict::rejected("a commitment encodes no point of Jubjub")),
        }
    }
}

/// A statement of one size and variant, as the session proves it.
trait Statement {
    /// What one proof is about.
    type Instance;

    /// Instance `index` of the seed.
    fn instance(&self, seed: &Seed, index: u64) -> Self::Instance;

    /// The circuit, without an instance to be set up, with one to be proven.
    fn circuit<'a>(&'a self, instance: Option<&'a Self::Instance>) -> impl Circuit<Scalar> + 'a;

    /// What is public of an instance.
    fn public_input(&self, instance: &Self::Instance) -> PublicInput;
}

struct Mimc {
    constants: Vec<Scalar>,
    placed: Constants,
}

impl Statement for Mimc {
    type Instance = mimc_preimage::Instance;

    fn instance(&self, seed: &Seed, index: u64) -> Self::Instance {
        mimc_preimage::Instance::derive(seed, index, &self.constants)
    }

    fn circuit<'a>(&'a self, instance: Option<&'a Self::Instance>) -> impl Circuit<Scalar> + 'a {
        let Mimc { constants, placed } = self;
        MimcPreimage { constants, placed: *placed, instance: instance.copied() }
    }

    fn public_input(&self, instance: &Self::Instance) -> PublicInput {
        PublicInput::Mimc(mimc::public_input::<Bls12Scalar>(&self.constants, instance.image))
    }
}

struct Hash {
    gadget: Gadget,
    bytes: usize,
}

impl Statement for Hash {
    type Instance = hash_preimage::Instance;

    fn instance(&self, seed: &Seed, index: u64) -> Self::Instance {
        hash_preimage::Instance::derive(self.gadget, self.bytes, seed, index)
    }

    fn circuit<'a>(&'a self, instance: Option<&'a Self::Instance>) -> impl Circuit<Scalar> + 'a {
        HashPreimage { gadget: self.gadget, bytes: self.bytes, instance }
    }

    fn public_input(&self, instance: &Self::Instance) -> PublicInput {
        PublicInput::Hash(instance.public_input(self.gadget))
    }
}

struct Range {
    bits: u32,
    values: usize,
}

impl Statement for Range {
    type Instance = Vec<Opening>;

    fn instance(&self, seed: &Seed, index: u64) -> Self::Instance {
        range_circuit::openings(seed, index, self.bits, self.values)
    }

    fn circuit<'a>(&'a self, instance: Option<&'a Self::Instance>) -> impl Circuit<Scalar> + 'a {
        let openings = instance.map(Vec::as_slice);
        range_circuit::Range { bits: self.bits, values: self.values, openings }
    }

    fn public_input(&self, instance: &Self::Instance) -> PublicInput {
        let commitments = instance.iter().map(Opening::commitment).collect();
        PublicInput::Range(range::PublicInput { bits: self.bits, commitments })
    }
}

/// Both keys of a circuit, the verifying one also prepared: e(α, β) and the lines of −γ and −δ.
pub struct Keys {
    parameters: Parameters<Bls12>,
    prepared: PreparedVerifyingKey<Bls12>,
}

/// Circuit to keys. The trapdoor comes from the operating system and is dropped inside bellman.
pub fn generate_keys(circuit: impl Circuit<Scalar>) -> Result<Keys, SynthesisError> {
    let parameters = generate_random_parameters::<Bls12, _, _>(circuit, &mut OsRng)?;
    let prepared = prepare_verifying_key(&parameters.vk);
    Ok(Keys { parameters, prepared })
}

/// Circuit with its instance to serialised proof; bellman synthesises the witness inside. The
/// blinding comes from the operating system, so no two proofs of one instance are alike.
pub fn prove(keys: &Keys, circuit: impl Circuit<Scalar>) -> Result<Vec<u8>, SynthesisError> {
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
    match read(proof) {
        Ok(proof) => told(verify_proof(key, &proof, public_input)),
        Err(verdict) => verdict,
    }
}

fn read(proof: &[u8]) -> Result<Proof<Bls12>, Verdict> {
    if proof.len() != PROOF_BYTES {
        let message = format!("the proof has {} bytes, legal is {PROOF_BYTES}", proof.len());
        return Err(Verdict::rejected(message));
    }
    Proof::read(proof)
        .map_err(|error| Verdict::rejected(format!("the proof is malformed: {error}")))
}

fn told(outcome: Result<(), VerificationError>) -> Verdict {
    match outcome {
        Ok(()) => Verdict::Accepted,
        Err(error) => Verdict::rejected(format!("the pairing equation does not hold: {error}")),
    }
}

/// Serialised proofs with what the verifier is handed of each, and the key of all.
struct Groth16Batch<'a> {
    key: &'a VerifyingKey<Bls12>,
    items: Vec<(Given, Vec<u8>)>,
    threads: usize,
}

impl Groth16Batch<'_> {
    fn judge(&self) -> Result<Verdict, Verdict> {
        let mut verifier = batch::Verifier::new();
        for (given, proof) in &self.items {
            verifier.queue((read(proof)?, given.elements()?.into_owned()));
        }
        Ok(told(match self.threads {
            1 => verifier.verify(OsRng, self.key),
            _ => verifier.verify_multicore(self.key),
        }))
    }
}

impl Batch for Groth16Batch<'_> {
    fn verify(&self) -> Verdict {
        self.judge().unwrap_or_else(|rejected| rejected)
    }
}

/// An instance with what is public of it, as a file and as the verifier is handed it.
struct Loaded<I> {
    instance: I,
    public_input: PublicInput,
    given: Given,
}

struct Groth16Session<S: Statement> {
    statement: S,
    handed: Handed,
    seed: Seed,
    threads: usize,
    keys: Option<Keys>,
    loaded: Option<Loaded<S::Instance>>,
    proof: Vec<u8>,
}

impl<S: Statement + 'static> Groth16Session<S> {
    fn open(statement: S, handed: Handed, seed: Seed, threads: usize) -> Box<dyn Session> {
        let (keys, loaded, proof) = (None, None, Vec::new());
        Box::new(Groth16Session { statement, handed, seed, threads, keys, loaded, proof })
    }

    fn keys(&self) -> Result<&Keys, Failure> {
        self.keys.as_ref().ok_or_else(|| Failure::internal("the keys are not generated yet"))
    }

    fn given(&self, public_input: &PublicInput) -> Result<Given, Failure> {
        self.handed.given(public_input).ok_or_else(|| {
            Failure::internal("the public input of an instance has another shape than its circuit")
        })
    }

    fn loaded(&self) -> Result<&Loaded<S::Instance>, Failure> {
        self.loaded.as_ref().ok_or_else(|| Failure::internal("no instance is loaded yet"))
    }
}

impl<S: Statement + 'static> Session for Groth16Session<S> {
    fn setup(&mut self) -> Result<(), Failure> {
        self.keys = Some(generate_keys(self.statement.circuit(None)).map_err(synthesis_failure)?);
        Ok(())
    }

    fn load_instance(&mut self, index: u64) -> Result<(), Failure> {
        self.proof = Vec::new();
        let instance = self.statement.instance(&self.seed, index);
        let public_input = self.statement.public_input(&instance);
        let given = self.given(&public_input)?;
        self.loaded = Some(Loaded { instance, public_input, given });
        Ok(())
    }

    fn prove(&mut self) -> Result<(), Failure> {
        let circuit = self.statement.circuit(Some(&self.loaded()?.instance));
        self.proof = prove(self.keys()?, circuit).map_err(synthesis_failure)?;
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        let keys = self.keys()?;
        Ok(match self.loaded()?.given.elements() {
            Ok(elements) => verify(keys, &elements, &self.proof),
            Err(verdict) => verdict,
        })
    }

    fn batch(&self, items: &[BatchItem]) -> Result<Box<dyn Batch + '_>, Failure> {
        let items = items
            .iter()
            .map(|item| Ok((self.given(&item.public_input)?, item.proof.clone())))
            .collect::<Result<_, Failure>>()?;
        let key = &self.keys()?.parameters.vk;
        Ok(Box::new(Groth16Batch { key, items, threads: self.threads }))
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

    /// # Panics
    ///
    /// Before an instance is loaded: a fault of the loop, which loads one first.
    fn public_input(&self) -> PublicInput {
        self.loaded.as_ref().expect("the loop loads an instance first").public_input.clone()
    }

    fn sizes(&self) -> Vec<Size> {
        let mut sizes = vec![
            Size::new(SizeOf::Proof, Encoding::Compressed, self.proof.len()),
            Size::new(SizeOf::PublicInput, Encoding::Native, self.handed.bytes()),
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
        Extent::of(self.statement.circuit(None)).map_or_else(
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
    handed: Handed,
    key: PreparedVerifyingKey<Bls12>,
}

impl Verifier for Groth16Verifier {
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        let elements = self.handed.given(public_input);
        match elements.as_ref().map(Given::elements) {
            Some(Ok(elements)) => judge(&self.key, &elements, proof),
            Some(Err(verdict)) => verdict,
            None => Verdict::rejected(
                "the public input is of another statement or has an element that is not below the \
                 field's order",
            ),
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
    use std::sync::LazyLock;

    use super::*;
    use crate::mimc_preimage::Instance;

    struct Made {
        keys: Keys,
        constants: Vec<Scalar>,
        instance: Instance,
        proof: Vec<u8>,
    }

    fn made(rounds: usize, placed: Constants) -> Made {
        let seed = Seed::new([5; 32]);
        let constants = mimc::constants::<Bls12Scalar>(&seed, rounds);
        let instance = Instance::derive(&seed, 0, &constants);
        let keys = generate_keys(circuit(&constants, placed, None)).unwrap();
        let proof = prove(&keys, circuit(&constants, placed, Some(instance))).unwrap();
        Made { keys, constants, instance, proof }
    }

    fn circuit(
        constants: &[Scalar],
        placed: Constants,
        instance: Option<Instance>,
    ) -> MimcPreimage<'_> {
        MimcPreimage { constants, placed, instance }
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
        let other = generate_keys(circuit(&constants, Constants::Fixed, None)).unwrap();
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
        let again = prove(&keys, circuit(&constants, Constants::Fixed, Some(instance))).unwrap();
        assert_ne!(again, proof);
    }

    #[test]
    fn a_false_statement_has_no_proof_that_verifies() {
        let Made { keys, constants, mut instance, .. } = made(7, Constants::Fixed);
        instance.image += Scalar::one();
        let proof = prove(&keys, circuit(&constants, Constants::Fixed, Some(instance))).unwrap();
        assert_ne!(verify(&keys, &[instance.image], &proof), Verdict::Accepted);
    }

    /// Proofs of ranges, of instances one after the other.
    fn ranged(statement: &Range, keys: &Keys, count: u64) -> Vec<(Given, Vec<u8>)> {
        (0..count)
            .map(|index| {
                let instance = statement.instance(&Seed::new([5; 32]), index);
                let handed = Handed::Commitments { values: statement.values };
                let given = handed.given(&statement.public_input(&instance)).unwrap();
                (given, prove(keys, statement.circuit(Some(&instance))).unwrap())
            })
            .collect()
    }

    #[test]
    fn a_value_out_of_range_has_no_proof_that_verifies() {
        let statement = Range { bits: 8, values: 1 };
        let keys = generate_keys(statement.circuit(None)).unwrap();
        let mut instance = statement.instance(&Seed::new([5; 32]), 0);
        instance[0].value += 1 << 8;
        let proof = prove(&keys, statement.circuit(Some(&instance))).unwrap();
        let inputs = range_circuit::inputs(&[instance[0].commitment()]).unwrap();
        assert_ne!(verify(&keys, &inputs, &proof), Verdict::Accepted);
    }

    #[test]
    fn a_batch_holds_if_each_of_its_proofs_does_and_not_otherwise() {
        let statement = Range { bits: 8, values: 1 };
        let keys = generate_keys(statement.circuit(None)).unwrap();
        let honest = ranged(&statement, &keys, 3);
        for threads in [1, 2] {
            let judge = |items: Vec<(Given, Vec<u8>)>| {
                Groth16Batch { key: &keys.parameters.vk, items, threads }.verify()
            };
            assert_eq!(judge(honest.clone()), Verdict::Accepted);
            for place in 0..3 {
                let mut changed = honest.clone();
                changed[place].1 = honest[(place + 1) % 3].1.clone();
                assert_ne!(judge(changed), Verdict::Accepted, "proof {place}");
                let mut changed = honest.clone();
                changed[place].1[100] ^= 1;
                assert_ne!(judge(changed), Verdict::Accepted, "bit of proof {place}");
                let mut changed = honest.clone();
                changed[place].0 = Given::Commitments(vec![[0xff; 32]]);
                assert_ne!(judge(changed), Verdict::Accepted, "commitment {place}");
            }
        }
    }

    /// A message of three bytes, proven once for all tests: its circuit has a whole block.
    struct Hashed {
        gadget: Gadget,
        keys: Keys,
        public_input: hash::PublicInput,
        proof: Vec<u8>,
    }

    const BYTES: usize = 3;

    static HASHED: LazyLock<[Hashed; 2]> = LazyLock::new(|| {
        Gadget::ALL.map(|gadget| {
            let statement = Hash { gadget, bytes: BYTES };
            let instance = statement.instance(&Seed::new([5; 32]), 0);
            let keys = generate_keys(statement.circuit(None)).unwrap();
            let proof = prove(&keys, statement.circuit(Some(&instance))).unwrap();
            Hashed { gadget, keys, public_input: instance.public_input(gadget), proof }
        })
    });

    /// The verdict of the key of one circuit over the public input and proof of another.
    fn verdict(key: &Hashed, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        let handed = Handed::Digest { gadget: key.gadget };
        let key = prepare_verifying_key(&key.keys.parameters.vk);
        Groth16Verifier { handed, key }.verify(public_input, proof)
    }

    #[test]
    fn an_honest_proof_of_a_message_is_accepted_and_has_192_bytes() {
        for hashed in HASHED.iter() {
            assert_eq!(hashed.proof.len(), PROOF_BYTES);
            let public_input = PublicInput::Hash(hashed.public_input.clone());
            assert_eq!(verdict(hashed, &public_input, &hashed.proof), Verdict::Accepted);
        }
    }

    #[test]
    fn a_proof_of_a_message_is_rejected_for_another_digest() {
        for hashed in HASHED.iter() {
            for bit in [0, 7, 127, 128, 255] {
                let mut other = hashed.public_input.clone();
                other.digest[bit / 8] ^= 1 << (bit % 8);
                let verdict = verdict(hashed, &PublicInput::Hash(other), &hashed.proof);
                assert_ne!(verdict, Verdict::Accepted, "bit {bit}");
            }
        }
    }

    #[test]
    fn a_proof_of_a_message_is_rejected_under_the_key_of_another_function_or_size() {
        let [sha256, blake2s] = &*HASHED;
        for (key, proven) in [(sha256, blake2s), (blake2s, sha256)] {
            let public_input = PublicInput::Hash(proven.public_input.clone());
            assert_ne!(verdict(key, &public_input, &proven.proof), Verdict::Accepted);
        }
        let longer = Hash { gadget: Gadget::Blake2s, bytes: BYTES + 1 };
        let instance = longer.instance(&Seed::new([5; 32]), 0);
        let keys = generate_keys(longer.circuit(None)).unwrap();
        let proof = prove(&keys, longer.circuit(Some(&instance))).unwrap();
        let public_input = longer.public_input(&instance);
        assert_ne!(verdict(blake2s, &public_input, &proof), Verdict::Accepted);
    }

    #[test]
    fn a_public_input_of_another_statement_is_rejected() {
        let Made { keys, constants, instance, proof } = made(7, Constants::Fixed);
        let image = Mimc { constants, placed: Constants::Fixed }.public_input(&instance);
        let [hashed, _] = &*HASHED;
        assert_ne!(verdict(hashed, &image, &hashed.proof), Verdict::Accepted);
        let handed = Handed::Image { placed: Constants::Fixed, rounds: 7 };
        let verifier = Groth16Verifier { handed, key: keys.prepared };
        assert_eq!(verifier.verify(&image, &proof), Verdict::Accepted);
        let digest = PublicInput::Hash(hashed.public_input.clone());
        assert_ne!(verifier.verify(&digest, &proof), Verdict::Accepted);
    }
}
