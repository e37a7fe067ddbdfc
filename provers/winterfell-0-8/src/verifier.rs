//! Verification that leaves nothing of the proof unread and nothing in it unchecked.

use std::marker::PhantomData;

use winter_air::proof::Context;
use winterfell::crypto::{DefaultRandomCoin, ElementHasher};
use winterfell::{AcceptableOptions, FieldExtension, TraceInfo};

use crate::air::{MimcAir, PublicInputs, Shape};
use crate::field::BaseField;
use crate::library::Proof;
use crate::options::Parameters;
use crate::remainder::is_committed;

/// A verifier of one configuration over field `B` with hash `H`.
pub struct MimcVerifier<B, H> {
    extension: FieldExtension,
    fri_layers: usize,
    context: Context,
    acceptable: AcceptableOptions,
    types: PhantomData<fn() -> (B, H)>,
}

impl<B: BaseField, H: ElementHasher<BaseField = B>> MimcVerifier<B, H> {
    /// A verifier of proofs with exactly these options, for statements of this shape.
    pub fn new(parameters: &Parameters, shape: Shape) -> Self {
        let options = parameters.proof_options();
        let trace = TraceInfo::new(shape.trace_width(), shape.trace_length());
        MimcVerifier {
            extension: parameters.extension,
            fri_layers: parameters.fri_layers(shape.trace_length()),
            context: Context::new::<B>(&trace, options.clone()),
            acceptable: AcceptableOptions::OptionSet(vec![options]),
            types: PhantomData,
        }
    }

    /// Judges a serialised proof. The library may still panic on bytes it should reject; callers
    /// catch the unwinding and count it as a rejection.
    ///
    /// # Errors
    ///
    /// Why the proof is rejected, in one sentence.
    pub fn verify(&self, public_inputs: &PublicInputs<B>, bytes: &[u8]) -> Result<(), String> {
        let proof = Proof::from_bytes(bytes)
            .map_err(|error| format!("winterfell cannot read the proof: {error}"))?;
        if proof.context != self.context {
            return Err(
                "the proof's context (trace, field, options) is not the one asked for".into()
            );
        }
        // One partition is what the library's prover writes. Without FRI layers nothing reads it.
        if proof.fri_proof.num_partitions() != 1 {
            return Err("the proof's number of FRI partitions is not one".into());
        }
        let committed = is_committed::<B, H>(&proof, self.extension, self.fri_layers);
        if !committed {
            return Err("the FRI remainder is not the polynomial the prover committed to".into());
        }
        // `from_bytes` ignores what follows a proof; what it has read is written back the same.
        if proof.to_bytes() != bytes {
            return Err("the bytes are not those of the proof they hold".into());
        }
        winterfell::verify::<MimcAir<B>, H, DefaultRandomCoin<H>>(
            proof,
            public_inputs.clone(),
            &self.acceptable,
        )
        .map_err(|error| format!("winterfell rejects the proof: {error}"))
    }
}
