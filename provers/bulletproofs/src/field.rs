//! The scalar field of ristretto255, over which the statement lives.

use curve25519_dalek_ng::scalar::Scalar;
use nizk_protocol::mimc::Field;
use nizk_protocol::{ElementBytes, FieldDescription};

/// Integers modulo the order of ristretto255, 2²⁵² + 27742317777372353535851937790883648493.
#[derive(Clone, Copy, Debug)]
pub struct Ristretto255;

impl Field for Ristretto255 {
    type Element = Scalar;

    fn reduce(digest: &[u8; 64]) -> Scalar {
        Scalar::from_bytes_mod_order_wide(digest)
    }

    fn add(left: Scalar, right: Scalar) -> Scalar {
        left + right
    }

    fn multiply(left: Scalar, right: Scalar) -> Scalar {
        left * right
    }

    fn to_bytes(element: Scalar) -> ElementBytes {
        element.to_bytes()
    }

    fn from_bytes(bytes: &ElementBytes) -> Option<Scalar> {
        Scalar::from_canonical_bytes(*bytes)
    }
}

/// The field as systems describe it.
pub(crate) fn description() -> FieldDescription {
    FieldDescription {
        name: "ristretto255-scalar",
        modulus: "0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed",
        bits: 253,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Little-endian bytes of the field's order.
    const ORDER: ElementBytes = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];

    #[test]
    fn integers_from_the_order_on_are_no_elements() {
        let mut below = ORDER;
        below[0] -= 1;
        assert_eq!(Ristretto255::from_bytes(&below), Some(-Scalar::one()));
        assert_eq!(Ristretto255::from_bytes(&ORDER), None);
        assert_eq!(Ristretto255::from_bytes(&[0xff; 32]), None);
    }

    #[test]
    fn digests_are_read_as_little_endian_integers() {
        let mut digest = [0; 64];
        digest[1] = 1;
        assert_eq!(Ristretto255::reduce(&digest), Scalar::from(256u64));
        digest = [0; 64];
        digest[..32].copy_from_slice(&ORDER);
        assert_eq!(Ristretto255::reduce(&digest), Scalar::zero());
    }
}
