//! The scalar field of a curve as the statement sees it.

use std::marker::PhantomData;

use ark_ff::{BigInteger, PrimeField};
use nizk_protocol::ElementBytes;
use nizk_protocol::mimc::Field;

/// A prime field of arkworks below 2²⁵⁶.
pub struct Scalar<F>(PhantomData<F>);

impl<F: PrimeField> Field for Scalar<F> {
    type Element = F;

    fn reduce(digest: &[u8; 64]) -> F {
        F::from_le_bytes_mod_order(digest)
    }

    fn add(left: F, right: F) -> F {
        left + right
    }

    fn multiply(left: F, right: F) -> F {
        left * right
    }

    fn to_bytes(element: F) -> ElementBytes {
        let mut bytes = [0; 32];
        for (byte, digit) in bytes.iter_mut().zip(element.into_bigint().to_bytes_le()) {
            *byte = digit;
        }
        bytes
    }

    fn from_bytes(bytes: &ElementBytes) -> Option<F> {
        F::deserialize_compressed(bytes.as_slice()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements_are_read_as_they_are_written<F: PrimeField>() {
        let mut order = [0; 32];
        order.copy_from_slice(&F::MODULUS.to_bytes_le());
        for element in [F::zero(), F::one(), -F::one()] {
            let bytes = Scalar::<F>::to_bytes(element);
            assert_eq!(Scalar::<F>::from_bytes(&bytes), Some(element));
        }
        assert_eq!(Scalar::<F>::from_bytes(&order), None);
        assert_eq!(Scalar::<F>::from_bytes(&[0xff; 32]), None);
    }

    #[test]
    fn elements_below_the_order_are_read_and_no_others() {
        elements_are_read_as_they_are_written::<ark_bls12_381::Fr>();
        elements_are_read_as_they_are_written::<ark_bn254::Fr>();
    }
}
