//! Proving and verifying that committed values are in a range: the library's aggregated range proofs.

use bulletproofs::{BulletproofGens, PedersenGens, RangeProof};
use curve25519_dalek_ng::ristretto::CompressedRistretto;
use curve25519_dalek_ng::scalar::Scalar;
use merlin::Transcript;
use nizk_protocol::range::Commitment;

/// Bytes of a compressed group element and of a scalar.
const ELEMENT: usize = 32;

/// The group elements that both sides need; they follow from fixed labels alone and hold no
/// trapdoor.
pub struct Generators {
    pedersen: PedersenGens,
    vectors: BulletproofGens,
}

impl Generators {
    /// As many as so many values of so many bits need.
    pub fn of(bits: u32, values: usize) -> Self {
        Self {
            pedersen: PedersenGens::default(),
            vectors: BulletproofGens::new(bits as usize, values),
        }
    }
}

/// What only the prover knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openings {
    /// The values.
    pub values: Vec<u64>,
    /// One blinding factor a value.
    pub blindings: Vec<Scalar>,
}

impl Openings {
    /// The commitments that these open.
    pub fn commitments(&self) -> Vec<Commitment> {
        let pedersen = PedersenGens::default();
        self.values
            .iter()
            .zip(&self.blindings)
            .map(|(&value, &blinding)| {
                pedersen.commit(Scalar::from(value), blinding).compress().to_bytes()
            })
            .collect()
    }
}

/// Length of the vectors of the inner-product argument: an element for each bit of each value.
pub const fn vector_length(bits: u32, values: usize) -> usize {
    bits as usize * values
}

/// Length in bytes of every proof of so many values, a power of two, of so many bits: four points and
/// three scalars, two points a halving of the vectors, two last scalars.
pub const fn proof_length(bits: u32, values: usize) -> usize {
    let halvings = vector_length(bits, values).trailing_zeros() as usize;
    ELEMENT * (4 + 3 + 2 * halvings + 2)
}

/// The library itself absorbs bits, number of values and commitments before the prover's first
/// message.
fn transcript() -> Transcript {
    Transcript::new(b"nizk-bench/v1/range")
}

/// Proves that values are in range. Gives the library's proof.
///
/// The library's blinding comes from the operating system's randomness, so two proofs of one
/// statement differ. A value that is out of range gives bytes that no verifier accepts: the library
/// does not look.
///
/// # Errors
/// One sentence, where the generators are too few or the values are no power of two.
pub fn prove(generators: &Generators, bits: u32, openings: &Openings) -> Result<Vec<u8>, String> {
    let (proof, _) = RangeProof::prove_multiple(
        &generators.vectors,
        &generators.pedersen,
        &mut transcript(),
        &openings.values,
        &openings.blindings,
        bits as usize,
    )
    .map_err(|error| format!("the library cannot prove: {error}"))?;
    Ok(proof.to_bytes())
}

/// Verifies a proof as `prove` writes it. The library decodes the commitments and refuses what is no
/// canonical encoding of a point.
///
/// # Errors
/// One sentence that says why the proof is rejected.
pub fn verify(
    generators: &Generators,
    bits: u32,
    commitments: &[Commitment],
    proof: &[u8],
) -> Result<(), String> {
    let expected = proof_length(bits, commitments.len());
    if proof.len() != expected {
        return Err(format!(
            "the proof has {} bytes where {} values of {bits} bits need exactly {expected}",
            proof.len(),
            commitments.len()
        ));
    }
    let proof = RangeProof::from_bytes(proof)
        .map_err(|error| format!("the proof could not be read: {error}"))?;
    let commitments: Vec<CompressedRistretto> =
        commitments.iter().map(|one| CompressedRistretto(*one)).collect();
    proof
        .verify_multiple(
            &generators.vectors,
            &generators.pedersen,
            &mut transcript(),
            &commitments,
            bits as usize,
        )
        .map_err(|error| format!("the proof does not hold: {error}"))
}

#[cfg(test)]
mod tests {
    use nizk_protocol::Seed;

    use super::*;
    use crate::range_system::openings;

    fn derived(bits: u32, values: usize) -> Openings {
        openings(&Seed::new([7; 32]), 0, bits, values)
    }

    #[test]
    fn every_number_of_bits_and_values_is_proven_in_a_proof_of_its_length() {
        for bits in [8, 16, 32, 64] {
            for values in [1, 2, 4] {
                let generators = Generators::of(bits, values);
                let openings = derived(bits, values);
                let proof = prove(&generators, bits, &openings).unwrap();
                assert_eq!(proof.len(), proof_length(bits, values));
                assert_eq!(verify(&generators, bits, &openings.commitments(), &proof), Ok(()));
            }
        }
        assert_eq!(
            [proof_length(64, 1), proof_length(64, 8), proof_length(64, 32)],
            [672, 864, 992]
        );
        assert_eq!(proof_length(8, 1), 480);
    }

    #[test]
    fn a_value_out_of_range_has_no_proof_that_verifies() {
        for bits in [8, 16, 32] {
            for value in [1 << bits, (1 << bits) + 5, u64::MAX] {
                for place in [0, 1] {
                    let generators = Generators::of(bits, 2);
                    let mut openings = derived(bits, 2);
                    openings.values[place] = value;
                    let commitments = openings.commitments();
                    let proof = prove(&generators, bits, &openings).unwrap();
                    assert!(verify(&generators, bits, &commitments, &proof).is_err(), "{value}");
                }
            }
        }
    }

    #[test]
    fn the_largest_and_the_smallest_value_are_in_range() {
        for bits in [8, 64] {
            let generators = Generators::of(bits, 2);
            let mut openings = derived(bits, 2);
            openings.values = vec![0, u64::MAX >> (64 - bits)];
            let proof = prove(&generators, bits, &openings).unwrap();
            assert_eq!(verify(&generators, bits, &openings.commitments(), &proof), Ok(()));
        }
    }

    #[test]
    fn every_other_statement_is_rejected() {
        let generators = Generators::of(64, 4);
        let openings = derived(16, 2);
        let proof = prove(&generators, 16, &openings).unwrap();
        let commitments = openings.commitments();
        assert_eq!(verify(&generators, 16, &commitments, &proof), Ok(()));
        for bits in [8, 32, 64] {
            assert!(verify(&generators, bits, &commitments, &proof).is_err(), "{bits} bits");
        }
        // As many bits in all, and so a proof of the same length.
        let four: Vec<Commitment> = commitments.iter().chain(&commitments).copied().collect();
        assert_eq!(proof_length(8, 4), proof.len());
        assert!(verify(&generators, 8, &four, &proof).is_err());
        assert!(verify(&generators, 32, &commitments[..1], &proof).is_err());
        let exchanged = [commitments[1], commitments[0]];
        assert!(verify(&generators, 16, &exchanged, &proof).is_err());
        let identity = [[0; 32], commitments[1]];
        assert!(verify(&generators, 16, &identity, &proof).is_err());
    }

    #[test]
    fn a_commitment_that_encodes_no_point_is_rejected() {
        let generators = Generators::of(8, 1);
        let openings = derived(8, 1);
        let proof = prove(&generators, 8, &openings).unwrap();
        // An odd and therefore negative number, and 2²⁵⁵ − 19, which is not reduced.
        let mut order = [0xff; 32];
        (order[0], order[31]) = (0xed, 0x7f);
        for commitment in [[1; 32], order, [0xff; 32]] {
            assert!(verify(&generators, 8, &[commitment], &proof).is_err());
        }
    }

    #[test]
    fn a_flipped_bit_in_any_byte_is_rejected() {
        let generators = Generators::of(8, 2);
        let openings = derived(8, 2);
        let commitments = openings.commitments();
        let proof = prove(&generators, 8, &openings).unwrap();
        for byte in 0..proof.len() {
            let mut tampered = proof.clone();
            tampered[byte] ^= 1 << (byte % 8);
            assert!(verify(&generators, 8, &commitments, &tampered).is_err(), "byte {byte}");
        }
    }

    #[test]
    fn what_the_library_cannot_aggregate_is_an_error() {
        let generators = Generators::of(8, 4);
        assert!(prove(&generators, 8, &derived(8, 3)).is_err());
        assert!(prove(&Generators::of(8, 1), 8, &derived(8, 2)).is_err());
    }
}
