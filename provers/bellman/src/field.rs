//! The scalar field of BLS12-381 as the statement sees it.

use bls12_381::Scalar;
use nizk_protocol::ElementBytes;
use nizk_protocol::mimc::Field;

/// The field of order r, 255 bits.
pub struct Bls12Scalar;

impl Field for Bls12Scalar {
    type Element = Scalar;

    fn reduce(digest: &[u8; 64]) -> Scalar {
        Scalar::from_bytes_wide(digest)
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
        Scalar::from_bytes(bytes).into_option()
    }
}
