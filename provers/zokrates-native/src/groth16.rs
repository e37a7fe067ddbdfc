//! Groth16 on BN254 by arkworks, for a circuit that exists already.

use ark_bn254::{Bn254, Fr};
use ark_ff::UniformRand;
use ark_groth16::{Groth16, PreparedVerifyingKey, ProvingKey, prepare_verifying_key};
use ark_poly::{EvaluationDomain, GeneralEvaluationDomain};
use nizk_arkworks::scheme::{arkworks_failure, serialised};
pub(crate) use nizk_arkworks::scheme::{judge, read_key};
use nizk_protocol::{Failure, Verdict};
use rand::rngs::OsRng;

use crate::circuit::Circuit;

/// Bytes of a proof: two points of G1 and one of G2, compressed.
pub const PROOF_BYTES: usize = 32 + 64 + 32;

/// Both keys of a circuit, the verifying one also prepared: e(α, β) and the lines of −γ and −δ.
pub struct Keys {
    pub(crate) proving: ProvingKey<Bn254>,
    prepared: PreparedVerifyingKey<Bn254>,
}

/// Circuit to keys. The trapdoor comes from the operating system and is dropped inside arkworks.
///
/// # Errors
///
/// arkworks' own, such as a circuit with more constraints than BN254 has roots of unity for.
pub fn generate_keys(circuit: &Circuit) -> Result<Keys, Failure> {
    let proving = Groth16::<Bn254>::generate_random_parameters_with_reduction(circuit, &mut OsRng)
        .map_err(arkworks_failure)?;
    let prepared = prepare_verifying_key(&proving.vk);
    Ok(Keys { proving, prepared })
}

/// Circuit and values of its wires to serialised proof. The blinding comes from the operating system,
/// so no two proofs of one instance are alike.
///
/// # Errors
///
/// arkworks' own; that the values satisfy the circuit is not checked.
pub fn prove(keys: &Keys, circuit: &Circuit, assignment: &[Fr]) -> Result<Vec<u8>, Failure> {
    let proof = Groth16::<Bn254>::create_proof_with_reduction_and_matrices(
        &keys.proving,
        Fr::rand(&mut OsRng),
        Fr::rand(&mut OsRng),
        circuit.matrices(),
        1 + circuit.public(),
        circuit.constraints(),
        assignment,
    )
    .map_err(arkworks_failure)?;
    serialised(&proof)
}

/// Serialised proof and public input to verdict, with the key of the process that made it.
pub fn verify(keys: &Keys, public: &[Fr], proof: &[u8]) -> Verdict {
    judge(&keys.prepared, public, proof)
}

impl Keys {
    /// The verifying key as [`read_key`] reads it.
    pub(crate) fn verifying_key(&self) -> Result<Vec<u8>, Failure> {
        serialised(&self.proving.vk)
    }
}

/// Rows of the domain over which the prover interpolates: a power of two with room for every
/// constraint and, as in libsnark's reduction, every wire that is public.
pub(crate) fn domain(circuit: &Circuit) -> Option<usize> {
    let rows = circuit.constraints() + 1 + circuit.public();
    GeneralEvaluationDomain::<Fr>::compute_size_of_domain(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::witness;

    struct Made {
        circuit: Circuit,
        keys: Keys,
        assignment: Vec<Fr>,
        public: Vec<Fr>,
        proof: Vec<u8>,
    }

    /// A proof of the byte ff under `mimc-7`, with the circuit and the witness that ZoKrates exports.
    fn made() -> Made {
        let circuit = include_bytes!("../tests/data/mimc-7-1-bytes/circuit.r1cs");
        let circuit = Circuit::read(circuit).unwrap();
        let assignment = include_bytes!("../tests/data/mimc-7-1-bytes/message-ff.wtns");
        let assignment = witness::read(assignment).unwrap();
        let keys = generate_keys(&circuit).unwrap();
        let proof = prove(&keys, &circuit, &assignment).unwrap();
        Made { circuit, keys, public: vec![assignment[1]], assignment, proof }
    }

    #[test]
    fn an_honest_proof_is_accepted_and_has_128_bytes() {
        let Made { keys, public, proof, .. } = made();
        assert_eq!(proof.len(), 128);
        assert_eq!(verify(&keys, &public, &proof), Verdict::Accepted);
    }

    #[test]
    fn a_key_that_was_written_and_read_accepts_the_proof() {
        let Made { keys, public, proof, .. } = made();
        let key = read_key::<Bn254>(&keys.verifying_key().unwrap(), 1).unwrap();
        assert_eq!(judge(&key, &public, &proof), Verdict::Accepted);
        assert_ne!(judge(&key, &[public[0] + Fr::from(1)], &proof), Verdict::Accepted);
    }

    #[test]
    fn a_key_that_is_no_key_is_rejected() {
        let bytes = made().keys.verifying_key().unwrap();
        assert!(read_key::<Bn254>(&bytes, 2).is_err());
        assert!(read_key::<Bn254>(&bytes[..bytes.len() - 1], 1).is_err());
        assert!(read_key::<Bn254>(&[bytes.as_slice(), &[0]].concat(), 1).is_err());
        assert!(read_key::<Bn254>(&vec![0xff; bytes.len()], 1).is_err());
        let mut other_count = bytes.clone();
        other_count[32 + 3 * 64] = 1;
        assert!(read_key::<Bn254>(&other_count, 1).is_err());
    }

    #[test]
    fn verify_with_wrong_inputs_is_rejected() {
        let Made { keys, public, proof, .. } = made();
        for wrong in [public[0] + Fr::from(1), -public[0], Fr::from(0)] {
            assert_ne!(verify(&keys, &[wrong], &proof), Verdict::Accepted);
        }
        for inputs in [&[][..], &[public[0], Fr::from(0)]] {
            assert_ne!(verify(&keys, inputs, &proof), Verdict::Accepted, "{}", inputs.len());
        }
    }

    #[test]
    fn a_key_of_another_set_up_rejects_the_proof() {
        let Made { circuit, public, proof, .. } = made();
        let other = generate_keys(&circuit).unwrap();
        assert_ne!(verify(&other, &public, &proof), Verdict::Accepted);
    }

    #[test]
    fn a_proof_with_a_flipped_bit_is_rejected() {
        let Made { keys, public, proof, .. } = made();
        // The two highest bits of each point are its flags: of the sign, and of zero.
        let flags = [31, 95, 127].into_iter().flat_map(|byte| [8 * byte + 6, 8 * byte + 7]);
        for bit in (0..PROOF_BYTES * 8).step_by(29).chain(flags) {
            let mut flipped = proof.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(verify(&keys, &public, &flipped), Verdict::Accepted, "bit {bit}");
        }
    }

    #[test]
    fn a_proof_of_another_length_is_rejected() {
        let Made { keys, public, proof, .. } = made();
        for length in [0, 1, 32, PROOF_BYTES - 1] {
            assert_ne!(verify(&keys, &public, &proof[..length]), Verdict::Accepted);
        }
        let longer = [proof.as_slice(), &[0]].concat();
        assert_ne!(verify(&keys, &public, &longer), Verdict::Accepted);
    }

    #[test]
    fn blinding_makes_two_proofs_of_one_instance_differ() {
        let Made { circuit, keys, assignment, proof, .. } = made();
        assert_ne!(prove(&keys, &circuit, &assignment).unwrap(), proof);
    }

    #[test]
    fn values_that_do_not_satisfy_the_circuit_have_no_proof_that_verifies() {
        let Made { circuit, keys, mut assignment, .. } = made();
        assignment[1] += Fr::from(1);
        let proof = prove(&keys, &circuit, &assignment).unwrap();
        assert_ne!(verify(&keys, &[assignment[1]], &proof), Verdict::Accepted);
    }
}
