//! One configuration at work, for one field and one hash.

use std::marker::PhantomData;
use std::sync::Arc;

use nizk_protocol::mimc::Field;
use nizk_protocol::{
    Counter, Encoding, Failure, PublicInput, Security, Seed, Session, Size, SizeOf, Verdict,
    Verifier, mimc,
};
use winterfell::crypto::ElementHasher;
use winterfell::{Prover, TraceTable};

use crate::air::{PublicInputs, Shape, trace};
use crate::field::{BaseField, Prime};
use crate::library::{Proof, security};
use crate::options::Parameters;
use crate::prover::MimcProver;
use crate::verifier::MimcVerifier;

/// A field and a hash, behind one type: the library takes both as type parameters, a request names
/// them.
pub trait Engine: Sync {
    /// Begins a configuration that is [`legal`](crate::rules::legal). `threads` is how
    /// many the library computes in.
    fn open(
        &self,
        parameters: Parameters,
        shape: Shape,
        seed: &Seed,
        threads: usize,
    ) -> Box<dyn Session>;

    /// A verifier for proofs of other processes.
    fn verifier(&self, parameters: &Parameters, shape: Shape) -> Box<dyn Verifier>;
}

/// The engine over field `B` with hash `H`.
pub struct Over<B, H>(pub PhantomData<fn() -> (B, H)>);

impl<B: BaseField, H: ElementHasher<BaseField = B> + Sync + 'static> Engine for Over<B, H> {
    fn open(
        &self,
        parameters: Parameters,
        shape: Shape,
        seed: &Seed,
        threads: usize,
    ) -> Box<dyn Session> {
        let round_constants: Arc<[B]> = mimc::constants::<Prime<B>>(seed, shape.rounds).into();
        Box::new(MimcSession::<B, H> {
            parameters,
            shape,
            threads,
            seed: *seed,
            verifier: MimcVerifier::new(&parameters, shape),
            preimage: (B::ZERO, B::ZERO),
            public_inputs: PublicInputs {
                image: B::ZERO,
                preimage: None,
                round_constants,
                constants: shape.constants,
            },
            trace: None,
            proof: None,
            bytes: Vec::new(),
        })
    }

    fn verifier(&self, parameters: &Parameters, shape: Shape) -> Box<dyn Verifier> {
        Box::new(Judge { shape, verifier: MimcVerifier::<B, H>::new(parameters, shape) })
    }
}

struct MimcSession<B: BaseField, H: ElementHasher<BaseField = B>> {
    parameters: Parameters,
    shape: Shape,
    threads: usize,
    seed: Seed,
    verifier: MimcVerifier<B, H>,
    preimage: (B, B),
    public_inputs: PublicInputs<B>,
    trace: Option<TraceTable<B>>,
    proof: Option<Proof>,
    bytes: Vec<u8>,
}

impl<B: BaseField, H: ElementHasher<BaseField = B> + Sync> Session for MimcSession<B, H> {
    fn load_instance(&mut self, index: u64) -> Result<(), Failure> {
        self.trace = None;
        self.proof = None;
        self.bytes = Vec::new();
        self.preimage = mimc::preimage::<Prime<B>>(&self.seed, index);
        let constants = &self.public_inputs.round_constants;
        self.public_inputs.image = mimc::image::<Prime<B>>(constants, self.preimage);
        self.public_inputs.preimage = self.shape.preimage_public.then_some(self.preimage);
        Ok(())
    }

    fn witness(&mut self) -> Result<(), Failure> {
        let PublicInputs { round_constants, constants, .. } = &self.public_inputs;
        self.trace = Some(trace(self.preimage, round_constants, *constants));
        Ok(())
    }

    fn prove(&mut self) -> Result<(), Failure> {
        let trace = self
            .trace
            .take()
            .ok_or_else(|| Failure::internal("prove was asked for without a trace"))?;
        let options = self.parameters.proof_options();
        let proof = MimcProver::<B, H>::new(options, self.public_inputs.clone())
            .prove(trace)
            .map_err(|error| Failure::internal(format!("winterfell made no proof: {error}")))?;
        self.bytes = proof.to_bytes();
        self.proof = Some(proof);
        Ok(())
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        Ok(match self.verifier.verify(&self.public_inputs, &self.bytes) {
            Ok(()) => Verdict::Accepted,
            Err(reason) => Verdict::Rejected(reason),
        })
    }

    fn proof(&self) -> &[u8] {
        &self.bytes
    }

    fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }

    fn public_input(&self) -> PublicInput {
        let PublicInputs { image, preimage, round_constants, .. } = &self.public_inputs;
        PublicInput::Mimc(mimc::PublicInput {
            preimage: preimage.map(|(left, right)| [Prime::to_bytes(left), Prime::to_bytes(right)]),
            ..mimc::public_input::<Prime<B>>(round_constants, *image)
        })
    }

    fn sizes(&self) -> Vec<Size> {
        let (width, length) = (self.shape.trace_width(), self.shape.trace_length());
        let public = self.shape.public_elements() * B::ELEMENT_BYTES;
        vec![
            Size::new(SizeOf::PublicInput, Encoding::Native, public),
            Size::new(SizeOf::Witness, Encoding::Native, width * length * B::ELEMENT_BYTES),
        ]
    }

    fn counters(&self) -> Vec<Counter> {
        let length = self.shape.trace_length();
        vec![
            Counter::new("trace_length", length as u64),
            Counter::new("trace_width", self.shape.trace_width() as u64),
            Counter::new("lde_domain", self.parameters.lde_domain(length) as u64),
        ]
    }

    fn security(&self) -> Vec<Security> {
        self.proof.as_ref().map(security::<H>).unwrap_or_default()
    }

    fn sample_sizes(&self) -> Vec<Size> {
        vec![Size::new(SizeOf::Proof, Encoding::Native, self.bytes.len())]
    }

    fn sample_counters(&self) -> Vec<Counter> {
        let Some(proof) = &self.proof else {
            return Vec::new();
        };
        let mut counters = vec![
            Counter::new("pow_nonce", proof.pow_nonce),
            Counter::new("unique_queries", u64::from(proof.num_unique_queries)),
        ];
        // A single thread tries nonces from 1 on, and so has tried as many as the nonce says. Rayon
        // halves their range among its threads and takes whichever finds one first: with more
        // threads the nonce says how far one of them came.
        if self.threads == 1 && self.parameters.grinding > 0 {
            counters.push(Counter::new("pow_attempts", proof.pow_nonce));
        }
        counters
    }
}

struct Judge<B: BaseField, H: ElementHasher<BaseField = B>> {
    shape: Shape,
    verifier: MimcVerifier<B, H>,
}

impl<B: BaseField, H: ElementHasher<BaseField = B>> Judge<B, H> {
    fn read(&self, public_input: &PublicInput) -> Option<PublicInputs<B>> {
        let PublicInput::Mimc(public_input) = public_input else {
            return None;
        };
        let preimage = match public_input.preimage {
            Some([left, right]) => Some((Prime::from_bytes(&left)?, Prime::from_bytes(&right)?)),
            None => None,
        };
        let public_inputs = PublicInputs {
            image: Prime::from_bytes(&public_input.image)?,
            preimage,
            round_constants: mimc::elements::<Prime<B>>(&public_input.constants)?.into(),
            constants: self.shape.constants,
        };
        (public_inputs.shape() == self.shape).then_some(public_inputs)
    }
}

impl<B: BaseField, H: ElementHasher<BaseField = B>> Verifier for Judge<B, H> {
    fn verify(&self, public_input: &PublicInput, proof: &[u8]) -> Verdict {
        let Some(public_inputs) = self.read(public_input) else {
            return Verdict::rejected(
                "the public input has not the elements that this statement and variant call for",
            );
        };
        match self.verifier.verify(&public_inputs, proof) {
            Ok(()) => Verdict::Accepted,
            Err(reason) => Verdict::Rejected(reason),
        }
    }
}
