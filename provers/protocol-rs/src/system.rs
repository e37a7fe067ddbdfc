//! What a runner implements: a [`System`] that opens [`Session`]s, one per request, and prepares
//! [`Verifier`]s from the bytes of a key.

use serde::Serialize;

use crate::configuration::Configuration;
use crate::description::SystemDescription;
use crate::public_input::PublicInput;
use crate::seed::Seed;

/// One library, version, scheme and field or curve.
pub trait System: Sync {
    /// What `describe` prints and requests are validated against.
    fn description(&self) -> SystemDescription;

    /// Whether the system can prove this configuration: combinations that no single range of the
    /// description can exclude fail with [`Failure::unsupported`]. Nothing is computed here beyond
    /// that, since `classify` asks it of whole grids. Every configuration is asked about before it is
    /// opened.
    fn legal(&self, configuration: &Configuration) -> Result<(), Failure> {
        let _ = configuration;
        Ok(())
    }

    /// Begins one configuration, which is legal. Nothing here is timed, such as deriving the
    /// constants.
    fn open(&self, configuration: &Configuration, seed: &Seed)
    -> Result<Box<dyn Session>, Failure>;

    /// Prepares the verifying key of another process. `verifying_key` is what stands after the 32
    /// bytes of the header, which has been checked; the bytes themselves are not to be trusted.
    fn verifier(
        &self,
        configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection>;
}

/// One configuration at work. The loop calls `compile` and `setup` once, then `load_instance`,
/// `witness`, `prove`, `verify` for each sample. Only the phases that the description names are
/// timed; the others default to nothing, because some timed phase contains them.
pub trait Session {
    /// Source circuit to constraint system.
    fn compile(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Constraint system to keys, or generators; the verifying key is prepared here.
    fn setup(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Derives instance `index` and drops what the last sample left behind. Never timed.
    fn load_instance(&mut self, index: u64) -> Result<(), Failure>;

    /// Instance to full assignment or trace.
    fn witness(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Leaves the serialised proof, which [`Session::proof`] then lends. May be called again without
    /// a new [`Session::load_instance`] only after another [`Session::witness`].
    fn prove(&mut self) -> Result<(), Failure>;

    /// Judges the serialised proof against the public input with the prepared verifying key. May be
    /// called many times for one proof.
    fn verify(&mut self) -> Result<Verdict, Failure>;

    /// The serialised proof, exactly the bytes its size is counted by.
    fn proof(&self) -> &[u8];

    /// What a verifier must hold, as the library serialises it, without the header; may be empty.
    fn verifying_key(&self) -> Result<Vec<u8>, Failure>;

    /// The public input of the loaded instance.
    fn public_input(&self) -> PublicInput;

    /// Sizes that are the same for every proof; asked once, after the first counted sample.
    fn sizes(&self) -> Vec<Size>;

    /// Counters that are the same for every proof; asked once, after the first counted sample. The
    /// loop itself adds `threads`.
    fn counters(&self) -> Vec<Counter> {
        Vec::new()
    }

    /// Levels of security; asked once, after the first counted sample.
    fn security(&self) -> Vec<Security> {
        Vec::new()
    }

    /// Gets ready to verify proofs together, with the prepared verifying key: all that is no part of
    /// verifying happens here. Asked only where the description says that the library verifies
    /// batches.
    fn batch(&self, items: &[BatchItem]) -> Result<Box<dyn Batch + '_>, Failure> {
        let message = format!("{} proofs cannot be verified together", items.len());
        Err(Failure::internal(message))
    }

    /// Sizes that vary from proof to proof; asked after every sample that made a proof.
    fn sample_sizes(&self) -> Vec<Size> {
        Vec::new()
    }

    /// Counters that vary from proof to proof; asked after every sample that made a proof.
    fn sample_counters(&self) -> Vec<Counter> {
        Vec::new()
    }
}

/// One of the proofs that are verified together.
#[derive(Clone, Debug)]
pub struct BatchItem {
    /// What is public of its instance.
    pub public_input: PublicInput,
    /// The serialised proof.
    pub proof: Vec<u8>,
}

/// Serialised proofs with their public inputs, ready to be verified together.
pub trait Batch {
    /// Judges all of them at once; rejects them if one does not hold. May be called many times.
    fn verify(&self) -> Verdict;
}

/// A prepared verifying key.
pub trait Verifier {
    /// Judges a proof. Neither argument is to be trusted, except that the public input has the
    /// statement, the size, the variants and the canonical elements that the request asks for.
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict;
}

/// What a verifier says about a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The proof is accepted.
    Accepted,
    /// It is not, for a reason in one sentence.
    Rejected(String),
}

impl Verdict {
    /// A rejection with its reason.
    pub fn rejected(reason: impl Into<String>) -> Verdict {
        Verdict::Rejected(reason.into())
    }
}

/// A verifying key that cannot be used, for a reason in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection(pub String);

impl Rejection {
    /// A rejection with its reason.
    pub fn new(reason: impl Into<String>) -> Rejection {
        Rejection(reason.into())
    }
}

/// Why a request ended without `done`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Whose fault it is.
    pub kind: FailureKind,
    /// One sentence with the name, the value given and what is legal.
    pub message: String,
    /// The member at fault, such as `queries` or `size.rounds`.
    pub option: Option<String>,
    /// The rule that an unsupported configuration breaks, a name in kebab case that stays the same
    /// whatever the values are.
    pub rule: Option<&'static str>,
}

impl Failure {
    /// A request that breaks a rule of the protocol or of the description.
    pub fn invalid_request(option: impl Into<String>, message: impl Into<String>) -> Failure {
        Failure {
            kind: FailureKind::InvalidRequest,
            message: message.into(),
            option: Some(option.into()),
            rule: None,
        }
    }

    /// A request legal by itself that cannot be carried out in this combination: the name of the
    /// rule, the member that breaks it given the others, and the rule as a sentence.
    pub fn unsupported(
        rule: &'static str,
        option: impl Into<String>,
        message: impl Into<String>,
    ) -> Failure {
        Failure {
            kind: FailureKind::Unsupported,
            message: message.into(),
            option: Some(option.into()),
            rule: Some(rule),
        }
    }

    /// A library that failed where it should not.
    pub fn internal(message: impl Into<String>) -> Failure {
        Failure { kind: FailureKind::Internal, message: message.into(), option: None, rule: None }
    }
}

/// Kinds of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The request breaks a rule.
    InvalidRequest,
    /// Legal by itself, not in this combination.
    Unsupported,
    /// The machine has not enough memory.
    OutOfMemory,
    /// A time limit was reached.
    Timeout,
    /// A fault of the library or of the runner.
    Internal,
}

/// The size of something serialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// What was serialised.
    pub of: SizeOf,
    /// In which encoding.
    pub encoding: Encoding,
    /// Its bytes.
    pub bytes: u64,
}

impl Size {
    /// A size from a length in memory.
    pub fn new(of: SizeOf, encoding: Encoding, bytes: usize) -> Size {
        Size { of, encoding, bytes: bytes as u64 }
    }
}

/// Things that have a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeOf {
    /// The proof, as it is sent.
    Proof,
    /// What the verifier holds.
    VerifyingKey,
    /// What the prover holds.
    ProvingKey,
    /// What the verifier is handed with each proof besides the proof.
    PublicInput,
    /// The full assignment or trace.
    Witness,
    /// Commitments sent with the proof and counted in it.
    Commitments,
}

/// Encodings of curve points; `native` where a library has one encoding alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// One coordinate and a sign.
    Compressed,
    /// Both coordinates.
    Uncompressed,
    /// The library's only one.
    Native,
}

/// A number that explains a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counter {
    /// Name, one of those in PROTOCOL.md.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
}

impl Counter {
    /// A counter.
    pub fn new(name: &'static str, value: u64) -> Counter {
        Counter { name, value }
    }
}

/// A level of security.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Security {
    /// How it was arrived at.
    pub kind: SecurityKind,
    /// The level in bits.
    pub bits: f64,
    /// What says so.
    pub source: &'static str,
}

/// How a level of security was arrived at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecurityKind {
    /// Under conjectures or hardness assumptions about the best known attack.
    Conjectured,
    /// Proven in the unique-decoding regime.
    ProvenUniqueDecoding,
    /// Proven in the list-decoding regime.
    ProvenListDecoding,
}
