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
