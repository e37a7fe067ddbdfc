//! Proofs of one configuration as bytes, made and judged with one hash.

use p3_air::symbolic::AirLayout;
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{
    ConjecturedSecurity, LegacySecurity, OpeningShape, ProvenSecurity, StarkSecurityParams, prove,
    verify,
};

use crate::air::{MimcAir, Shape};
use crate::config::{ByteHash, Challenge, Config, Proof, config, fri};
use crate::field::{Base, Element};
use crate::options::Parameters;

/// What the coins begin with, before the rounds and the digest of their constants.
const DOMAIN: &[u8] = b"nizk-bench/mimc-preimage";

/// Bits that a collision of any of the hashes costs: half of a digest.
const COLLISION_BITS: usize = 128;

/// A configuration over one hash.
#[derive(Clone, Copy, Debug)]
pub struct Stark<H> {
    /// The hash of commitments and coins.
    pub hash: H,
    /// The options.
    pub parameters: Parameters,
    /// The trace.
    pub shape: Shape,
}

/// Levels of security in bits, by the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The library's conjecture: no better attack than random words.
    pub conjectured: usize,
    /// The conjecture of ethSTARK, which the library calls its legacy.
    pub ethstark: usize,
    /// Proven where a word is close to one codeword.
    pub unique_decoding: usize,
    /// Proven up to the Johnson bound.
    pub list_decoding: usize,
}

impl<H: ByteHash> Stark<H> {
    /// The library's configuration for the verifier of these constants. Nobody commits to periodic
    /// columns, and the library absorbs none, so the coins begin with them.
    pub fn config(&self, round_constants: &[Element]) -> Config<H> {
        let constants = round_constants
            .iter()
            .flat_map(|constant| -> &[Base] { constant.as_basis_coefficients_slice() })
            .flat_map(|coordinate| coordinate.to_unique_u32().to_le_bytes());
        let digest = self.hash.hash_iter(constants);
        let rounds = (self.shape.rounds as u64).to_le_bytes();
        let transcript = [DOMAIN, &rounds, &digest].concat();
        config(self.hash, &self.parameters, transcript)
    }

    /// Proves that the trace is one of these constants and this image; its cells are not looked at.
    ///
    /// # Errors
    ///
    /// What the library says if it makes no proof, in one sentence.
    pub fn prove(
        &self,
        round_constants: &[Element],
        image: Element,
        trace: RowMajorMatrix<Base>,
    ) -> Result<Proof<H>, String> {
        let air = MimcAir::new(self.shape, round_constants);
        prove(&self.config(round_constants), &air, trace, image.as_basis_coefficients_slice())
            .map_err(|error| format!("Plonky3 made no proof: {error:?}"))
    }

    /// Judges a serialised proof. The library may still panic on bytes it should reject; callers
    /// catch the unwinding and count it as a rejection.
    ///
    /// # Errors
    ///
    /// Why the proof is rejected, in one sentence.
    pub fn verify(
        &self,
        round_constants: &[Element],
        image: Element,
        bytes: &[u8],
    ) -> Result<(), String> {
        let proof: Proof<H> = postcard::from_bytes(bytes)
            .map_err(|error| format!("the proof cannot be read: {error}"))?;
        // A longer trace would repeat the constants, and prove more rounds than were asked about.
        if proof.degree_bits != self.shape.trace_length().ilog2() as usize {
            return Err(format!(
                "the proof is of a trace of 2^{} rows, not of {}",
                proof.degree_bits,
                self.shape.trace_length()
            ));
        }
        if serialised(&proof)? != bytes {
            return Err("the proof is not encoded as an honest prover would".to_owned());
        }
        let air = MimcAir::new(self.shape, round_constants);
        verify(&self.config(round_constants), &air, &proof, image.as_basis_coefficients_slice())
            .map_err(|error| format!("Plonky3 rejects the proof: {error:?}"))
    }

    /// What the library thinks of proofs with these options, of this AIR; `None` for a trace longer than
    /// the field has roots of unity.
    pub fn levels(&self) -> Option<Levels> {
        let air = MimcAir::new(self.shape, &[]);
        let fri = fri(&self.parameters, ());
        let rows = self.shape.trace_length().ilog2() as usize;
        let domain = TwoAdicMultiplicativeCoset::new(Base::ONE, rows)?;
        let params = StarkSecurityParams::from_air::<Base, Challenge, _>(
            fri.security_regime(),
            &air,
            AirLayout::from_air::<Base>(&air),
            domain,
            challenge_bits(),
            COLLISION_BITS,
            2,
            OpeningShape::TwoAdic,
            fri.grinding_sites(),
        );
        let proven = ProvenSecurity::compute_from_proof(rows, &params);
        Some(Levels {
            conjectured: ConjecturedSecurity::compute_from_params(&params, rows).security_bits,
            ethstark: LegacySecurity::compute_from_params(&params, rows).security_bits,
            unique_decoding: proven.unique_decoding_bits,
            list_decoding: proven.list_decoding_bits,
        })
    }
}

/// A proof as it is sent.
///
/// # Errors
///
/// What the encoder says, in one sentence.
pub fn serialised<P: serde::Serialize>(proof: &P) -> Result<Vec<u8>, String> {
    postcard::to_allocvec(proof).map_err(|error| format!("the proof cannot be written: {error}"))
}

/// Whole bits of the order of the field of challenges.
fn challenge_bits() -> usize {
    let order = f64::from(Base::ORDER_U32);
    (order.log2() * <Challenge as BasedVectorSpace<Base>>::DIMENSION as f64).floor() as usize
}
