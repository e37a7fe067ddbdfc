//! Groth16 by arkworks on any pairing-friendly curve of its own.

use ark_ec::AffineRepr;
use ark_ec::pairing::Pairing;
use ark_ff::UniformRand;
use ark_groth16::{
    Groth16, PreparedVerifyingKey, Proof, ProvingKey, VerifyingKey, prepare_verifying_key,
};
use ark_poly::{EvaluationDomain, GeneralEvaluationDomain};
use ark_relations::gr1cs::SynthesisError;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress};
use nizk_protocol::{Encoding, Failure, Rejection, Size, SizeOf, Verdict};
use rand::rngs::OsRng;

use crate::circuit::{Matrices, MimcPreimage};

/// What is made once for a circuit: its matrices and both keys, the verifying one also prepared, with
/// e(α, β) and the lines of −γ and −δ.
pub struct Keys<E: Pairing> {
    matrices: Matrices<E::ScalarField>,
    proving: ProvingKey<E>,
    prepared: PreparedVerifyingKey<E>,
}

impl<E: Pairing> Keys<E> {
    /// Circuit to keys. The trapdoor comes from the operating system and is dropped inside arkworks.
    ///
    /// # Errors
    ///
    /// arkworks' own, such as a circuit with more constraints than the field has roots of unity for.
    pub fn generate(circuit: MimcPreimage<'_, E::ScalarField>) -> Result<Keys<E>, Failure> {
        let matrices = Matrices::of(circuit).map_err(arkworks_failure)?;
        let proving = Groth16::<E>::generate_random_parameters_with_reduction(circuit, &mut OsRng)
            .map_err(arkworks_failure)?;
        let prepared = prepare_verifying_key(&proving.vk);
        Ok(Keys { matrices, proving, prepared })
    }

    /// Values of all variables to serialised proof. The blinding comes from the operating system, so
    /// no two proofs of one instance are alike.
    ///
    /// # Errors
    ///
    /// arkworks' own; that the values satisfy the circuit is not checked.
    pub fn prove(&self, assignment: &[E::ScalarField]) -> Result<Vec<u8>, Failure> {
        let proof = Groth16::<E>::create_proof_with_reduction_and_matrices(
            &self.proving,
            E::ScalarField::rand(&mut OsRng),
            E::ScalarField::rand(&mut OsRng),
            &self.matrices.rows,
            self.matrices.inputs,
            self.matrices.constraints(),
            assignment,
        )
        .map_err(arkworks_failure)?;
        serialised(&proof)
    }

    /// Serialised proof and public input to verdict, with the key of the process that made it.
    pub fn verify(&self, public_input: &[E::ScalarField], proof: &[u8]) -> Verdict {
        judge(&self.prepared, public_input, proof)
    }

    /// The verifying key as [`read_key`] reads it.
    ///
    /// # Errors
    ///
    /// Writing into memory has none.
    pub fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        serialised(&self.proving.vk)
    }

    /// The matrices of the circuit.
    pub fn matrices(&self) -> &Matrices<E::ScalarField> {
        &self.matrices
    }

    /// Sizes of proof and keys in both encodings of points.
    pub fn sizes(&self) -> Vec<Size> {
        [(Encoding::Compressed, Compress::Yes), (Encoding::Uncompressed, Compress::No)]
            .into_iter()
            .flat_map(|(encoding, compress)| {
                let verifying = self.proving.vk.serialized_size(compress);
                let proving = self.proving.serialized_size(compress);
                [
                    Size::new(SizeOf::Proof, encoding, proof_bytes::<E>(compress)),
                    Size::new(SizeOf::VerifyingKey, encoding, verifying),
                    Size::new(SizeOf::ProvingKey, encoding, proving),
                ]
            })
            .collect()
    }

    /// Rows of the domain over which the prover interpolates: a power of two with room for every
    /// constraint and, as in libsnark's reduction, every variable that the verifier knows.
    pub fn domain(&self) -> Option<usize> {
        let rows = self.matrices.constraints() + self.matrices.inputs;
        GeneralEvaluationDomain::<E::ScalarField>::compute_size_of_domain(rows)
    }
}

/// Bytes of any proof: two points of G1 and one of G2.
pub fn proof_bytes<E: Pairing>(compress: Compress) -> usize {
    Proof::<E>::default().serialized_size(compress)
}

/// What arkworks cannot do with a circuit.
pub fn arkworks_failure(error: SynthesisError) -> Failure {
    Failure::internal(format!("arkworks: {error}"))
}

/// The bytes of a proof or a key, its points compressed.
///
/// # Errors
///
/// Writing into memory has none.
pub fn serialised(value: &impl CanonicalSerialize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::with_capacity(value.compressed_size());
    value
        .serialize_compressed(&mut bytes)
        .map_err(|error| Failure::internal(format!("arkworks cannot serialise: {error}")))?;
    Ok(bytes)
}

/// The proof's points are checked to be canonical, on the curve and in the subgroup by arkworks' reader;
/// its length and that no point is zero are checked here, since the reader stops at the end of what it
/// needs, and on some curves takes any coordinate for a point that is flagged as zero.
pub fn judge<E: Pairing>(
    key: &PreparedVerifyingKey<E>,
    public_input: &[E::ScalarField],
    proof: &[u8],
) -> Verdict {
    let legal = proof_bytes::<E>(Compress::Yes);
    if proof.len() != legal {
        let bytes = proof.len();
        return Verdict::rejected(format!("the proof has {bytes} bytes, legal is {legal}"));
    }
    let proof = match Proof::<E>::deserialize_compressed(proof) {
        Ok(proof) => proof,
        Err(error) => return Verdict::rejected(format!("the proof is malformed: {error}")),
    };
    if proof.a.is_zero() || proof.b.is_zero() || proof.c.is_zero() {
        return Verdict::rejected("a point of the proof is zero");
    }
    // arkworks would leave out inputs that the key has no point for, or points without an input.
    if key.vk.gamma_abc_g1.len() != public_input.len() + 1 {
        return Verdict::rejected("the verifying key is for another number of public inputs");
    }
    match Groth16::<E>::verify_proof(key, &proof, public_input) {
        Ok(true) => Verdict::Accepted,
        Ok(false) => Verdict::rejected("the pairing equation does not hold"),
        Err(error) => Verdict::rejected(format!("the pairing equation has no sides: {error}")),
    }
}

/// Prepares the verifying key that another process has serialised, for so many public inputs.
///
/// # Errors
///
/// What is wrong with the bytes.
pub fn read_key<E: Pairing>(
    bytes: &[u8],
    inputs: usize,
) -> Result<PreparedVerifyingKey<E>, Rejection> {
    let point = E::G1Affine::default().compressed_size();
    let legal = VerifyingKey::<E>::default().compressed_size() + point * (inputs + 1);
    if bytes.len() != legal {
        let message = format!(
            "the verifying key has {} bytes, legal is {legal} for {inputs} public inputs",
            bytes.len()
        );
        return Err(Rejection::new(message));
    }
    let key = VerifyingKey::<E>::deserialize_compressed(bytes)
        .map_err(|error| Rejection::new(format!("the verifying key is malformed: {error}")))?;
    if key.gamma_abc_g1.len() != inputs + 1 {
        let inputs = key.gamma_abc_g1.len().saturating_sub(1);
        let message = format!("the verifying key says that it is for {inputs} public inputs");
        return Err(Rejection::new(message));
    }
    Ok(prepare_verifying_key(&key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Constants, Instance, assignment};
    use crate::field::Scalar;
    use ark_bls12_381::Bls12_381;
    use ark_bn254::Bn254;
    use nizk_protocol::{Seed, mimc};

    const ROUNDS: usize = 7;

    struct Made<E: Pairing> {
        keys: Keys<E>,
        public_input: Vec<E::ScalarField>,
        proof: Vec<u8>,
    }

    fn made<E: Pairing>(placed: Constants) -> Made<E> {
        let seed = Seed::new([5; 32]);
        let constants = mimc::constants::<Scalar<E::ScalarField>>(&seed, ROUNDS);
        let instance = Instance::derive(&seed, 0, &constants);
        let circuit = MimcPreimage { constants: &constants, placed, instance: None };
        let keys = Keys::generate(circuit).unwrap();
        let values = assignment(MimcPreimage { instance: Some(instance), ..circuit }).unwrap();
        let proof = keys.prove(&values).unwrap();
        Made { keys, public_input: placed.public_input(instance.image, &constants), proof }
    }

    fn proves_and_rejects<E: Pairing>(compressed: usize, uncompressed: usize) {
        assert_eq!(proof_bytes::<E>(Compress::Yes), compressed);
        assert_eq!(proof_bytes::<E>(Compress::No), uncompressed);
        for placed in [Constants::Fixed, Constants::Public] {
            let Made { keys, public_input, proof } = made::<E>(placed);
            assert_eq!(keys.verify(&public_input, &proof), Verdict::Accepted);
            let key = read_key::<E>(&keys.verifying_key().unwrap(), public_input.len()).unwrap();
            assert_eq!(judge(&key, &public_input, &proof), Verdict::Accepted);
            for position in 0..public_input.len() {
                let mut wrong = public_input.clone();
                wrong[position] += E::ScalarField::from(1u64);
                assert_ne!(keys.verify(&wrong, &proof), Verdict::Accepted, "input {position}");
            }
            assert_ne!(keys.verify(&public_input[1..], &proof), Verdict::Accepted);
            assert_ne!(keys.verify(&public_input, &proof[1..]), Verdict::Accepted);
            assert_ne!(keys.verify(&public_input, &[&proof[..], &[0]].concat()), Verdict::Accepted);
            assert_ne!(made::<E>(placed).keys.verify(&public_input, &proof), Verdict::Accepted);
        }
    }

    #[test]
    fn an_honest_proof_is_accepted_on_bls12_381_and_nothing_else() {
        proves_and_rejects::<Bls12_381>(192, 384);
    }

    #[test]
    fn an_honest_proof_is_accepted_on_bn254_and_nothing_else() {
        proves_and_rejects::<Bn254>(128, 256);
    }

    /// The first and the last byte of a point hold its flags, on one curve here, on the other there.
    fn flags_are_read<E: Pairing>() {
        let Made { keys, public_input, proof } = made::<E>(Constants::Fixed);
        let g1 = E::G1Affine::default().compressed_size();
        let g2 = E::G2Affine::default().compressed_size();
        for place in [0, g1 - 1, g1, g1 + g2 - 1, g1 + g2, proof.len() - 1] {
            for change in 1..=u8::MAX {
                let mut wrong = proof.clone();
                wrong[place] ^= change;
                assert_ne!(
                    keys.verify(&public_input, &wrong),
                    Verdict::Accepted,
                    "byte {place} changed by {change}"
                );
            }
        }
        let zeros = serialised(&Proof::<E>::default()).unwrap();
        assert_ne!(keys.verify(&public_input, &zeros), Verdict::Accepted);
    }

    #[test]
    fn no_flag_of_a_point_can_be_changed() {
        flags_are_read::<Bls12_381>();
        flags_are_read::<Bn254>();
    }

    fn keys_are_read<E: Pairing>() {
        let bytes = made::<E>(Constants::Fixed).keys.verifying_key().unwrap();
        assert!(read_key::<E>(&bytes, 1).is_ok());
        assert!(read_key::<E>(&bytes, 2).is_err());
        assert!(read_key::<E>(&bytes[..bytes.len() - 1], 1).is_err());
        assert!(read_key::<E>(&[bytes.as_slice(), &[0]].concat(), 1).is_err());
        let point = E::G1Affine::default().compressed_size();
        let count = bytes.len() - 2 * point - 8;
        for claimed in [0, 1, 3, 0xff] {
            let mut wrong = bytes.clone();
            wrong[count] = claimed;
            assert!(read_key::<E>(&wrong, 1).is_err(), "{claimed} points");
        }
        let mut wrong = bytes;
        wrong[count + 7] = 0xff;
        assert!(read_key::<E>(&wrong, 1).is_err(), "more points than there is memory for");
    }

    #[test]
    fn a_key_that_is_no_key_is_rejected() {
        keys_are_read::<Bls12_381>();
        keys_are_read::<Bn254>();
    }
}
