//! The field of the statement: that of order 2⁶⁴ − 2³² + 1, until it is the library's own.

use nizk_protocol::ElementBytes;
use nizk_protocol::mimc::Field;

/// Order of the field.
const ORDER: u64 = 0xffff_ffff_0000_0001;

/// The field by its name in `data/vectors/`.
pub(crate) struct F64;

impl Field for F64 {
    type Element = u64;

    fn reduce(digest: &[u8; 64]) -> u64 {
        digest
            .iter()
            .rev()
            .fold(0, |rest, byte| remainder(u128::from(rest) * 256 + u128::from(*byte)))
    }

    fn add(left: u64, right: u64) -> u64 {
        remainder(u128::from(left) + u128::from(right))
    }

    fn multiply(left: u64, right: u64) -> u64 {
        remainder(u128::from(left) * u128::from(right))
    }

    fn to_bytes(element: u64) -> ElementBytes {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&element.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &ElementBytes) -> Option<u64> {
        let (low, high) = bytes.split_first_chunk::<8>()?;
        let element = u64::from_le_bytes(*low);
        (high.iter().all(|byte| *byte == 0) && element < ORDER).then_some(element)
    }
}

/// A remainder fits into 64 bits, since the order does.
fn remainder(number: u128) -> u64 {
    (number % u128::from(ORDER)) as u64
}
