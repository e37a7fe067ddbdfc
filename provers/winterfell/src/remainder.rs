//! The check that the library's verifier leaves out.

use winterfell::FieldExtension;
use winterfell::crypto::ElementHasher;
use winterfell::math::FieldElement;
use winterfell::math::fields::{CubeExtension, QuadExtension};

use crate::field::BaseField;
use crate::library::Proof;

/// Whether the remainder polynomial of a proof with so many FRI layers is the one whose digest went
/// into the public coin.
///
/// The prover of winterfell, in 0.8.1 as in 0.13.1, commits to it and has the coin absorb the
/// commitment, but the verifier never compares the two (it has an error for it,
/// `RemainderCommitmentMismatch`, that nothing raises). Without the comparison a prover may choose
/// the remainder *after* it has seen the queries: with no more distinct positions in the last domain
/// than coefficients it can interpolate whatever it needs, and prove false statements.
/// `provers/winterfell/tests/suite/soundness.rs` shows one.
pub(crate) fn is_committed<B: BaseField, H: ElementHasher<BaseField = B>>(
    proof: &Proof,
    extension: FieldExtension,
    fri_layers: usize,
) -> bool {
    let compare = match extension {
        FieldExtension::None => is_committed_over::<H, B>,
        FieldExtension::Quadratic => is_committed_over::<H, QuadExtension<B>>,
        FieldExtension::Cubic => is_committed_over::<H, CubeExtension<B>>,
    };
    compare(proof, fri_layers)
}

fn is_committed_over<H, E>(proof: &Proof, fri_layers: usize) -> bool
where
    H: ElementHasher<BaseField = E::BaseField>,
    E: FieldElement,
{
    let commitments = proof.commitments.clone().parse::<H>(1, fri_layers);
    let remainder = proof.fri_proof.parse_remainder::<E>();
    match (commitments, remainder) {
        (Ok((_, _, fri)), Ok(remainder)) => fri.last() == Some(&H::hash_elements(&remainder)),
        _ => false,
    }
}
