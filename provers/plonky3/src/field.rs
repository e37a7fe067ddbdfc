//! The field of the statement: the extension of degree 4 of KoalaBear, as the protocol sees a field.

use nizk_protocol::{ElementBytes, mimc};
use p3_field::extension::BinomialExtensionField;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use p3_koala_bear::KoalaBear;

/// The field of the trace, of prime order *p* = 2³¹ − 2²⁴ + 1.
pub type Base = KoalaBear;

/// Coordinates of an element of the statement's field.
pub const DEGREE: usize = 4;

/// An element of the statement's field, F_p[X] / (X⁴ − 3).
pub type Element = BinomialExtensionField<Base, DEGREE>;

/// X⁴.
pub const NONRESIDUE: u32 = 3;

/// The field of the statement. An element is written as the integer whose digits to the base *p* are its
/// coordinates, that of 1 the least significant.
pub struct KoalaBear4;

impl mimc::Field for KoalaBear4 {
    type Element = Element;

    fn reduce(digest: &[u8; 64]) -> Element {
        // The four least significant digits of the whole integer are those of its residue modulo p⁴.
        let mut limbs: Vec<u32> = digest.chunks_exact(4).map(little_endian).collect();
        Element::from_basis_coefficients_fn(|_| Base::from_u32(divide(&mut limbs)))
    }

    fn add(left: Element, right: Element) -> Element {
        left + right
    }

    fn multiply(left: Element, right: Element) -> Element {
        left * right
    }

    fn to_bytes(element: Element) -> ElementBytes {
        let coordinates: &[Base] = element.as_basis_coefficients_slice();
        let integer = coordinates.iter().rev().fold(0, |value, coordinate| {
            value * u128::from(Base::ORDER_U32) + u128::from(coordinate.as_canonical_u32())
        });
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&integer.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &ElementBytes) -> Option<Element> {
        let mut limbs: Vec<u32> = bytes.chunks_exact(4).map(little_endian).collect();
        let element = Element::from_basis_coefficients_fn(|_| Base::from_u32(divide(&mut limbs)));
        limbs.iter().all(|limb| *limb == 0).then_some(element)
    }
}

fn little_endian(limb: &[u8]) -> u32 {
    limb.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// Divides an integer of 32-bit limbs, the least significant first, by *p*, and returns the remainder.
fn divide(limbs: &mut [u32]) -> u32 {
    let order = u64::from(Base::ORDER_U32);
    let remainder = limbs.iter_mut().rev().fold(0, |above, limb| {
        let value = above << 32 | u64::from(*limb);
        // The remainder above is less than the order, so the quotient fits a limb.
        *limb = (value / order) as u32;
        value % order
    });
    remainder as u32
}

#[cfg(test)]
mod tests {
    use nizk_protocol::mimc::Field;
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    fn element(coordinates: [u32; DEGREE]) -> Element {
        Element::from_basis_coefficients_fn(|place| Base::from_u32(coordinates[place]))
    }

    #[test]
    fn elements_are_read_as_they_are_written() {
        let most = Base::ORDER_U32 - 1;
        for coordinates in [[0; 4], [1, 0, 0, 0], [1, 2, 3, 4], [0, 0, 0, most], [most; 4]] {
            let bytes = KoalaBear4::to_bytes(element(coordinates));
            assert_eq!(KoalaBear4::from_bytes(&bytes), Some(element(coordinates)));
        }
    }

    #[test]
    fn integers_not_below_the_order_are_refused() {
        let order = u128::from(Base::ORDER_U32).pow(DEGREE as u32);
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&order.to_le_bytes());
        assert_eq!(KoalaBear4::from_bytes(&bytes), None);
        let mut large = [0; 32];
        large[31] = 1;
        assert_eq!(KoalaBear4::from_bytes(&large), None);
    }

    #[test]
    fn the_coordinate_of_one_is_the_least_significant_digit() {
        let mut digest = [0; 64];
        digest[..4].copy_from_slice(&(Base::ORDER_U32 + 5).to_le_bytes());
        assert_eq!(KoalaBear4::reduce(&digest), element([5, 1, 0, 0]));
    }

    #[test]
    fn the_fourth_power_of_x_is_the_nonresidue() {
        let x = element([0, 1, 0, 0]);
        let square = KoalaBear4::multiply(x, x);
        assert_eq!(KoalaBear4::multiply(square, square), element([NONRESIDUE, 0, 0, 0]));
    }
}
