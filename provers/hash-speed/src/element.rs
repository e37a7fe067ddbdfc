//! Messages and digests as elements of the scalar field of BN254 (STATEMENTS.md).

use ark_bn254::Fr;
use ark_ff::{BigInteger, PrimeField};
use nizk_protocol::hash::{self, Digest};

/// The elements that a message is hashed as; every one is below 2²⁴⁸, so below the order.
pub fn elements(message: &[u8]) -> Vec<Fr> {
    let pieces = hash::elements(message);
    pieces.iter().map(|piece| Fr::from_le_bytes_mod_order(piece)).collect()
}

/// An element as a digest: 32 big-endian bytes.
pub fn to_digest(element: Fr) -> Digest {
    let mut digest = [0; 32];
    digest.copy_from_slice(&element.into_bigint().to_bytes_be());
    digest
}

/// The element of a digest; `None` if it is not below the order.
pub fn of_digest(digest: &Digest) -> Option<Fr> {
    let element = Fr::from_be_bytes_mod_order(digest);
    (to_digest(element) == *digest).then_some(element)
}

#[cfg(test)]
mod tests {
    use ark_ff::AdditiveGroup;

    use super::*;

    #[test]
    fn a_message_is_cut_into_31_bytes_and_read_from_the_left() {
        let message = [&[0; 30][..], &[7], &[1, 2]].concat();
        assert_eq!(elements(&message), [Fr::from(7), Fr::from(0x0102)]);
        let below = (0..248).fold(Fr::from(1), |power, _| power.double()) - Fr::from(1);
        assert_eq!(elements(&[0xff; 31]), [below]);
    }

    #[test]
    fn a_digest_is_an_element_only_below_the_order() {
        let last = -Fr::from(1);
        let mut digest = to_digest(last);
        assert_eq!(of_digest(&digest), Some(last));
        assert_eq!(digest[31], 0);
        digest[31] = 1;
        assert_eq!(of_digest(&digest), None);
        assert_eq!(of_digest(&[0xff; 32]), None);
        assert_eq!(of_digest(&[0; 32]), Some(Fr::ZERO));
    }
}
