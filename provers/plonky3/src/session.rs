//! One configuration at work.

use nizk_protocol::mimc::{self, Field};
use nizk_protocol::{
    Counter, Encoding, Failure, PublicInput, Security, SecurityKind, Seed, Session, Size, SizeOf,
    Verdict, Verifier,
};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;

use crate::air::{Shape, trace};
use crate::config::{ByteHash, Proof};
use crate::field::{Base, DEGREE, Element, KoalaBear4};
use crate::options::Parameters;
use crate::stark::{Stark, serialised};

/// A hash, behind one type: the library takes it as a type parameter, a request names it.
pub trait Engine: Sync {
    /// Begins a configuration that is [`legal`](crate::rules::legal).
    fn open(&self, parameters: Parameters, shape: Shape, seed: &Seed) -> Box<dyn Session>;

    /// A verifier for proofs of other processes.
    fn verifier(&self, parameters: Parameters, shape: Shape) -> Box<dyn Verifier>;
}

/// The engine over one hash.
pub struct Over<H>(pub H);

impl<H: ByteHash> Engine for Over<H> {
    fn open(&self, parameters: Parameters, shape: Shape, seed: &Seed) -> Box<dyn Session> {
        Box::new(MimcSession {
            stark: Stark { hash: self.0, parameters, shape },
            seed: *seed,
            round_constants: mimc::constants::<KoalaBear4>(seed, shape.rounds),
            preimage: (Element::ZERO, Element::ZERO),
            image: Element::ZERO,
            trace: None,
            proof: None,
            bytes: Vec::new(),
        })
    }

    fn verifier(&self, parameters: Parameters, shape: Shape) -> Box<dyn Verifier> {
        Box::new(Judge { stark: Stark { hash: self.0, parameters, shape } })
    }
}

struct MimcSession<H: ByteHash> {
    stark: Stark<H>,
    seed: Seed,
    round_constants: Vec<Element>,
    preimage: (Element, Element),
    image: Element,
    trace: Option<RowMajorMatrix<Base>>,
    proof: Option<Proof<H>>,
    bytes: Vec<u8>,
}

impl<H: ByteHash> Session for MimcSession<H> {
    fn load_instance(&mut self, index: u64) -> Result<(), Failure> {
        self.trace = None;
        self.proof = None;
        self.bytes = Vec::new();
        self.preimage = mimc::preimage::<KoalaBear4>(&self.seed, index);
        self.image = mimc::image::<KoalaBear4>(&self.round_constants, self.preimage);
        Ok(())
    }

    fn witness(&mut self) -> Result<(), Failure> {
        let places = self.stark.shape.rounds_per_row;
        self.trace = Some(trace(self.preimage, &self.round_constants, places));
        Ok(())
    }

    fn prove(&mut self) -> Result<(), Failure> {
        let trace = self
            .trace
            .take()
            .ok_or_else(|| Failure::internal("prove was asked for without a trace"))?;
        let (stark, constants, image) = (&self.stark, &self.round_constants, self.image);
        // From a thread of the pool: from any other one each of the prover's many parallel steps would
        // be handed over and waited for, which costs more than most of them.
        let proved = rayon::scope(|_| -> Result<_, String> {
            let proof = stark.prove(constants, image, trace)?;
            let bytes = serialised(&proof)?;
            Ok((proof, bytes))
        });
        let (proof, bytes) = proved.map_err(Failure::internal)?;
        self.bytes = bytes;
        self.proof = Some(proof);
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        Ok(judge(&self.stark, &self.round_constants, self.image, &self.bytes))
    }

    fn proof(&self) -> &[u8] {
        &self.bytes
    }

    fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }

    fn public_input(&self) -> PublicInput {
        let constants = &self.round_constants;
        PublicInput::Mimc(mimc::public_input::<KoalaBear4>(constants, self.image))
    }

    fn sizes(&self) -> Vec<Size> {
        let shape = self.stark.shape;
        let cells = shape.trace_width() * shape.trace_length();
        let public = (1 + shape.rounds) * DEGREE;
        vec![
            Size::new(SizeOf::PublicInput, Encoding::Native, public * size_of::<Base>()),
            Size::new(SizeOf::Witness, Encoding::Native, cells * size_of::<Base>()),
        ]
    }

    fn counters(&self) -> Vec<Counter> {
        let length = self.stark.shape.trace_length();
        vec![
            Counter::new("trace_length", length as u64),
            Counter::new("trace_width", self.stark.shape.trace_width() as u64),
            Counter::new("lde_domain", (length * self.stark.parameters.blowup) as u64),
        ]
    }

    fn security(&self) -> Vec<Security> {
        let Some(levels) = self.stark.levels() else {
            return Vec::new();
        };
        let level = |kind, bits: usize, source| Security { kind, bits: bits as f64, source };
        vec![
            level(
                SecurityKind::Conjectured,
                levels.ethstark,
                "p3-uni-stark: LegacySecurity::compute_from_params(), of ethSTARK's conjecture",
            ),
            level(
                SecurityKind::ProvenUniqueDecoding,
                levels.unique_decoding,
                "p3-uni-stark: ProvenSecurity::compute_from_proof().unique_decoding_bits",
            ),
            level(
                SecurityKind::ProvenListDecoding,
                levels.list_decoding,
                "p3-uni-stark: ProvenSecurity::compute_from_proof().list_decoding_bits",
            ),
        ]
    }

    fn sample_sizes(&self) -> Vec<Size> {
        vec![Size::new(SizeOf::Proof, Encoding::Native, self.bytes.len())]
    }

    fn sample_counters(&self) -> Vec<Counter> {
        let nonce = self.proof.as_ref().map(|proof| proof.opening_proof.query_pow_witness);
        nonce
            .map(|nonce| Counter::new("pow_nonce", u64::from(nonce.as_canonical_u32())))
            .into_iter()
            .collect()
    }
}

struct Judge<H> {
    stark: Stark<H>,
}

impl<H: ByteHash> Verifier for Judge<H> {
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        let Some((constants, image)) = read(public_input, self.stark.shape) else {
            return Verdict::rejected(
                "the public input has not the elements that this statement and variant call for",
            );
        };
        judge(&self.stark, &constants, image, proof)
    }
}

fn read(public_input: &PublicInput, shape: Shape) -> Option<(Vec<Element>, Element)> {
    let PublicInput::Mimc(public_input) = public_input else {
        return None;
    };
    let constants = mimc::elements::<KoalaBear4>(&public_input.constants)?;
    let image = KoalaBear4::from_bytes(&public_input.image)?;
    (constants.len() == shape.rounds).then_some((constants, image))
}

fn judge<H: ByteHash>(
    stark: &Stark<H>,
    constants: &[Element],
    image: Element,
    bytes: &[u8],
) -> Verdict {
    match stark.verify(constants, image, bytes) {
        Ok(()) => Verdict::Accepted,
        Err(reason) => Verdict::Rejected(reason),
    }
}
