//! Verification that leaves nothing of the proof unread and nothing in it unchecked.

use std::marker::PhantomData;

use winterfell::crypto::{DefaultRandomCoin, ElementHasher, MerkleTree};
use winterfell::math::FieldElement;
use winterfell::math::fields::{CubeExtension, QuadExtension};
use winterfell::{AcceptableOptions, FieldExtension, Proof};

use crate::air::{MimcAir, PublicInputs, Shape};
use crate::field::BaseField;
use crate::options::Parameters;
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
        let committed = match self.extension {
            FieldExtension::None => self.remainder_is_committed::<B>(&proof),
            FieldExtension::Quadratic => self.remainder_is_committed::<QuadExtension<B>>(&proof),
            FieldExtension::Cubic => self.remainder_is_committed::<CubeExtension<B>>(&proof),
        };
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

    /// Whether the remainder polynomial is the one whose digest went into the public coin.
    ///
    /// winterfell 0.13.1 has the prover commit to it and the coin absorb the commitment, but its
    /// verifier never compares the two (it has an error for it, `RemainderCommitmentMismatch`, that
    /// nothing raises). Without the comparison a prover may choose the remainder *after* it has seen
    /// the queries: with no more distinct positions in the last domain than coefficients it can
    /// interpolate whatever it needs, and prove false statements. `tests/soundness.rs` shows one.
    fn remainder_is_committed<E: FieldElement<BaseField = B>>(&self, proof: &Proof) -> bool {
        let commitments = proof.commitments.clone().parse::<H>(1, self.layout.fri_layers());
        let remainder = proof.fri_proof.parse_remainder::<E>();
        match (commitments, remainder) {
            (Ok((_, _, fri)), Ok(remainder)) => fri.last() == Some(&H::hash_elements(&remainder)),
            _ => false,
        }
    }
}
