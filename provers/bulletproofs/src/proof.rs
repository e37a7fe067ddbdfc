//! Proving and verifying knowledge of a MiMC preimage: the transcript, the commitments and the
//! bytes of a proof.

use bulletproofs::r1cs::{Prover, R1CSError, R1CSProof, Verifier};
use bulletproofs::{BulletproofGens, PedersenGens};
use curve25519_dalek_ng::ristretto::CompressedRistretto;
use curve25519_dalek_ng::scalar::Scalar;
use merlin::Transcript;
use rand::thread_rng;

use crate::gadget::{Counts, Gadget, constrain_image, multipliers_padded};

/// Bytes of a compressed group element and of a scalar.
const ELEMENT: usize = 32;

/// Bytes of the two Pedersen commitments, to the left and the right half, in front of every proof.
pub const COMMITMENTS: usize = 2 * ELEMENT;

/// The library's mark of a proof without commitments of a second, randomised phase. This circuit
/// has none.
const ONE_PHASE: u8 = 0;

/// What prover and verifier both know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Public {
    /// The image of the preimage.
    pub image: Scalar,
    /// One constant a round.
    pub constants: Vec<Scalar>,
}

/// What only the prover knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preimage {
    /// Left half of the state before the first round.
    pub left: Scalar,
    /// Right half.
    pub right: Scalar,
}

/// The group elements that both sides need; they follow from fixed labels alone and hold no
/// trapdoor.
pub struct Generators {
    pedersen: PedersenGens,
    vectors: BulletproofGens,
}

impl Generators {
    /// As many as a circuit of so many rounds needs after padding.
    pub fn for_rounds(rounds: usize) -> Self {
        Self {
            pedersen: PedersenGens::default(),
            vectors: BulletproofGens::new(multipliers_padded(rounds), 1),
        }
    }
}

/// Length in bytes of every proof for so many rounds: commitments, mark, eight points and three
/// scalars, two points a halving of the vectors, two last scalars.
pub const fn proof_length(rounds: usize) -> usize {
    let halvings = multipliers_padded(rounds).trailing_zeros() as usize;
    COMMITMENTS + 1 + ELEMENT * (8 + 3 + 2 * halvings + 2)
}

/// A transcript that has absorbed the whole statement.
///
/// The library absorbs the commitments and the prover's messages, never the circuit: constants and
/// image would reach the verifier's equation only as coefficients, and a prover could choose an
/// image after it has seen the challenges. Absorbed first, they fix every challenge.
fn statement_transcript(gadget: Gadget, public: &Public) -> Transcript {
    let mut transcript = Transcript::new(b"nizk-bench/v1/mimc-preimage");
    transcript.append_message(b"gadget", gadget.name().as_bytes());
    transcript.append_u64(b"rounds", public.constants.len() as u64);
    let mut constants = Vec::with_capacity(ELEMENT * public.constants.len());
    for constant in &public.constants {
        constants.extend_from_slice(constant.as_bytes());
    }
    transcript.append_message(b"constants", &constants);
    transcript.append_message(b"image", public.image.as_bytes());
    transcript
}

/// Proves knowledge of a preimage. Gives the two commitments followed by the library's proof, and
/// what the circuit was made of.
///
/// The blinding factors come from the operating system's randomness, so two proofs of one statement
/// differ. A preimage that is none gives bytes that no verifier accepts: the library does not look.
///
/// # Errors
/// Where the generators are too few for the rounds.
pub fn prove(
    generators: &Generators,
    gadget: Gadget,
    public: &Public,
    preimage: &Preimage,
) -> Result<(Vec<u8>, Counts), R1CSError> {
    let mut transcript = statement_transcript(gadget, public);
    let mut prover = Prover::new(&generators.pedersen, &mut transcript);
    let mut rng = thread_rng();
    let (left_commitment, left) = prover.commit(preimage.left, Scalar::random(&mut rng));
    let (right_commitment, right) = prover.commit(preimage.right, Scalar::random(&mut rng));
    let counts = constrain_image(&mut prover, gadget, left, right, &public.constants, public.image);
    let proof = prover.prove(&generators.vectors)?;
    let mut bytes = Vec::with_capacity(proof_length(public.constants.len()));
    bytes.extend_from_slice(left_commitment.as_bytes());
    bytes.extend_from_slice(right_commitment.as_bytes());
    bytes.extend_from_slice(&proof.to_bytes());
    Ok((bytes, counts))
}

/// Verifies a proof as `prove` writes it.
///
/// Each proof has one encoding: its length follows from the rounds, it has no second phase (the
/// library would also read one whose second-phase commitments are the identity), its scalars are
/// less than the group order and its points are canonical.
///
/// # Errors
/// One sentence that says why the proof is rejected.
pub fn verify(
    generators: &Generators,
    gadget: Gadget,
    public: &Public,
    proof: &[u8],
) -> Result<(), String> {
    let expected = proof_length(public.constants.len());
    if proof.len() != expected {
        return Err(format!(
            "the proof has {} bytes where {} rounds need exactly {expected}",
            proof.len(),
            public.constants.len()
        ));
    }
    let (commitments, proof) = proof.split_at(COMMITMENTS);
    if proof[0] != ONE_PHASE {
        return Err(format!(
            "the proof is marked {} where a circuit without randomised constraints has {ONE_PHASE}",
            proof[0]
        ));
    }
    let proof = R1CSProof::from_bytes(proof)
        .map_err(|error| format!("the proof could not be read: {error}"))?;
    let (left, right) = commitments.split_at(ELEMENT);
    let mut transcript = statement_transcript(gadget, public);
    let mut verifier = Verifier::new(&mut transcript);
    let left = verifier.commit(CompressedRistretto::from_slice(left));
    let right = verifier.commit(CompressedRistretto::from_slice(right));
    constrain_image(&mut verifier, gadget, left, right, &public.constants, public.image);
    verifier
        .verify(&proof, &generators.pedersen, &generators.vectors)
        .map_err(|error| format!("the proof does not hold: {error}"))
}

#[cfg(test)]
mod tests {
    use nizk_protocol::{Seed, mimc};

    use super::*;
    use crate::field::Ristretto255;

    const SEED: [u8; 32] = [7; 32];

    fn statement(rounds: usize) -> (Public, Preimage) {
        let seed = Seed::new(SEED);
        let constants = mimc::constants::<Ristretto255>(&seed, rounds);
        let (left, right) = mimc::preimage::<Ristretto255>(&seed, 0);
        let image = mimc::image::<Ristretto255>(&constants, (left, right));
        (Public { image, constants }, Preimage { left, right })
    }

    struct Proven {
        generators: Generators,
        public: Public,
        proof: Vec<u8>,
    }

    /// A proof of the constant-terms gadget for seven rounds.
    fn proven() -> Proven {
        let (public, preimage) = statement(7);
        let generators = Generators::for_rounds(7);
        let (proof, _) = prove(&generators, Gadget::ConstantTerms, &public, &preimage).unwrap();
        Proven { generators, public, proof }
    }

    impl Proven {
        fn verdict(&self, proof: &[u8]) -> Result<(), String> {
            verify(&self.generators, Gadget::ConstantTerms, &self.public, proof)
        }
    }

    #[test]
    fn both_gadgets_prove_the_same_image_and_no_other() {
        for rounds in [7, 8, 9, 15] {
            let generators = Generators::for_rounds(rounds);
            let (public, preimage) = statement(rounds);
            let mut wrong = public.clone();
            wrong.image += Scalar::one();
            for gadget in Gadget::ALL {
                let (proof, _) = prove(&generators, gadget, &public, &preimage).unwrap();
                assert_eq!(verify(&generators, gadget, &public, &proof), Ok(()), "{rounds}");
                let (false_proof, _) = prove(&generators, gadget, &wrong, &preimage).unwrap();
                assert!(verify(&generators, gadget, &wrong, &false_proof).is_err(), "{rounds}");
            }
        }
    }

    #[test]
    fn a_proof_has_the_length_that_its_rounds_say() {
        for rounds in [7, 8, 9, 31] {
            let (public, preimage) = statement(rounds);
            for gadget in Gadget::ALL {
                let generators = Generators::for_rounds(rounds);
                let (proof, _) = prove(&generators, gadget, &public, &preimage).unwrap();
                assert_eq!(proof.len(), proof_length(rounds), "{rounds} rounds");
            }
        }
        assert_eq!(proof_length(255), 64 + 993);
        assert_eq!(proof_length(4095), 64 + 1249);
    }

    #[test]
    fn a_flipped_bit_in_any_byte_is_rejected() {
        let proven = proven();
        for byte in 0..proven.proof.len() {
            let mut tampered = proven.proof.clone();
            tampered[byte] ^= 1 << (byte % 8);
            assert!(proven.verdict(&tampered).is_err(), "byte {byte}");
        }
        for bit in 0..8 {
            let mut tampered = proven.proof.clone();
            tampered[COMMITMENTS] ^= 1 << bit;
            assert!(proven.verdict(&tampered).is_err(), "bit {bit} of the mark");
        }
    }

    #[test]
    fn a_proof_of_any_other_length_is_rejected() {
        let proven = proven();
        for length in 0..proven.proof.len() {
            assert!(proven.verdict(&proven.proof[..length]).is_err(), "{length} bytes");
        }
        for extra in [1, 31, 32, 64, 96, 4096] {
            let mut longer = proven.proof.clone();
            longer.resize(proven.proof.len() + extra, 0);
            assert!(proven.verdict(&longer).is_err(), "{extra} bytes more");
        }
    }

    #[test]
    fn random_bytes_of_the_right_length_are_rejected_without_a_panic() {
        let proven = proven();
        for _ in 0..64 {
            let mut bytes: Vec<u8> = (0..proven.proof.len()).map(|_| rand::random()).collect();
            bytes[COMMITMENTS] = ONE_PHASE;
            assert!(proven.verdict(&bytes).is_err());
            // Scalars in range, so that the verifier reads the points too.
            for scalar in [8, 9, 10].map(|at| COMMITMENTS + 1 + at * ELEMENT) {
                bytes[scalar + ELEMENT - 1] = 0;
            }
            let end = bytes.len();
            bytes[end - 1] = 0;
            bytes[end - ELEMENT - 1] = 0;
            assert!(proven.verdict(&bytes).is_err());
        }
    }

    #[test]
    fn the_second_encoding_that_the_library_would_accept_is_rejected() {
        let proven = proven();
        let (front, rest) = proven.proof.split_at(COMMITMENTS + 1 + 3 * ELEMENT);
        let mut two_phase = front.to_vec();
        two_phase[COMMITMENTS] = 1;
        two_phase.extend_from_slice(&[0; 3 * ELEMENT]);
        two_phase.extend_from_slice(rest);
        let read = R1CSProof::from_bytes(&two_phase[COMMITMENTS..]).unwrap();
        assert_eq!(read.to_bytes(), proven.proof[COMMITMENTS..], "the same proof to the library");
        assert!(proven.verdict(&two_phase).is_err());
    }

    #[test]
    fn a_scalar_written_with_the_group_order_added_is_rejected() {
        let proven = proven();
        let order = {
            let mut bytes = (-Scalar::one()).to_bytes();
            bytes[0] += 1;
            bytes
        };
        let first_scalar = COMMITMENTS + 1 + 8 * ELEMENT;
        let last_scalar = proven.proof.len() - ELEMENT;
        for start in [first_scalar, last_scalar] {
            let mut tampered = proven.proof.clone();
            let mut carry = 0u16;
            for (byte, addend) in tampered[start..start + ELEMENT].iter_mut().zip(order) {
                let sum = u16::from(*byte) + u16::from(addend) + carry;
                *byte = sum.to_le_bytes()[0];
                carry = sum >> 8;
            }
            assert_eq!(carry, 0, "the same scalar modulo the order");
            assert!(proven.verdict(&tampered).is_err());
        }
    }

    #[test]
    fn every_other_statement_is_rejected() {
        let proven = proven();
        let rejects = |gadget, public: &Public| {
            verify(&proven.generators, gadget, public, &proven.proof).is_err()
        };
        assert!(!rejects(Gadget::ConstantTerms, &proven.public));
        let mut other = proven.public.clone();
        other.image += Scalar::one();
        assert!(rejects(Gadget::ConstantTerms, &other), "image");
        for position in 0..proven.public.constants.len() {
            let mut other = proven.public.clone();
            other.constants[position] += Scalar::one();
            assert!(rejects(Gadget::ConstantTerms, &other), "constant {position}");
        }
        assert!(rejects(Gadget::GrowingTerms, &proven.public), "gadget");
    }

    #[test]
    fn exchanged_commitments_are_rejected() {
        let proven = proven();
        let mut tampered = proven.proof.clone();
        tampered[..COMMITMENTS].rotate_left(ELEMENT);
        assert!(proven.verdict(&tampered).is_err());
    }

    /// The challenges must follow from the whole statement: what is not absorbed could be chosen
    /// after them.
    #[test]
    fn every_public_part_of_the_statement_changes_the_challenges() {
        let challenge = |gadget, public: &Public| {
            let mut bytes = [0; 32];
            statement_transcript(gadget, public).challenge_bytes(b"test", &mut bytes);
            bytes
        };
        let (public, _) = statement(7);
        let mut statements = vec![(Gadget::ConstantTerms, public.clone())];
        statements.push((Gadget::GrowingTerms, public.clone()));
        for position in 0..public.constants.len() {
            let mut other = public.clone();
            other.constants[position] += Scalar::one();
            statements.push((Gadget::ConstantTerms, other));
        }
        let mut other = public.clone();
        other.image += Scalar::one();
        statements.push((Gadget::ConstantTerms, other));
        let mut longer = public;
        longer.constants.push(longer.image);
        statements.push((Gadget::ConstantTerms, longer));
        let challenges: std::collections::BTreeSet<_> =
            statements.iter().map(|(gadget, public)| challenge(*gadget, public)).collect();
        assert_eq!(challenges.len(), statements.len());
    }

    #[test]
    fn two_proofs_of_one_statement_share_neither_commitments_nor_proof() {
        let (first, second) = (proven().proof, proven().proof);
        for part in [0..ELEMENT, ELEMENT..COMMITMENTS, COMMITMENTS + 1..first.len()] {
            assert_ne!(first[part.clone()], second[part]);
        }
    }

    #[test]
    fn too_few_generators_are_an_error_and_a_rejection() {
        let (public, preimage) = statement(9);
        let few = Generators::for_rounds(8);
        let enough = Generators::for_rounds(9);
        assert!(prove(&few, Gadget::ConstantTerms, &public, &preimage).is_err());
        let (proof, _) = prove(&enough, Gadget::ConstantTerms, &public, &preimage).unwrap();
        assert!(verify(&few, Gadget::ConstantTerms, &public, &proof).is_err());
    }
}
