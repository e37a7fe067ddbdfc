//! Verification that leaves nothing of the proof unread and nothing in it unchecked.

use std::marker::PhantomData;

use winterfell::crypto::{DefaultRandomCoin, ElementHasher, MerkleTree};
use winterfell::{AcceptableOptions, FieldExtension, Proof};

use crate::air::{MimcAir, PublicInputs, Shape};
use crate::field::BaseField;
use crate::options::Parameters;
use crate::remainder::is_committed;
use crate::wire::Layout;

/// A verifier of one configuration over field `B` with hash `H`.
pub struct MimcVerifier<B, H> {
    extension: FieldExtension,
    layout: Layout,
    acceptable: AcceptableOptions,
    types: PhantomData<fn() -> (B, H)>,
}

impl<B: BaseField, H: ElementHasher<BaseField = B>> MimcVerifier<B, H> {
    /// A verifier of proofs with exactly these options, for statements of this shape.
    pub fn new(parameters: &Parameters, shape: Shape) -> Self {
        MimcVerifier {
            extension: parameters.extension,
            layout: Layout::new::<B, H>(parameters, shape),
            acceptable: AcceptableOptions::OptionSet(vec![parameters.proof_options()]),
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
        self.layout.check(bytes).map_err(|misshapen| misshapen.0)?;
        let proof = Proof::from_bytes(bytes)
            .map_err(|error| format!("winterfell cannot read the proof: {error}"))?;
        let committed = is_committed::<B, H>(&proof, self.extension, self.layout.fri_layers());
        if !committed {
            return Err(
                "the FRI remainder is not the polynomial the prover committed to".to_owned()
            );
        }
        winterfell::verify::<MimcAir<B>, H, DefaultRandomCoin<H>, MerkleTree<H>>(
            proof,
            public_inputs.clone(),
            &self.acceptable,
        )
        .map_err(|error| format!("winterfell rejects the proof: {error}"))
    }
}
