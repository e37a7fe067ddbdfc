//! The two fields of winterfell that a MiMC statement is proven over, as the protocol sees a field.

use std::marker::PhantomData;

use nizk_protocol::{ElementBytes, mimc};
use winterfell::math::{ExtensibleField, StarkField};

/// Base fields a prover can be instantiated with.
pub trait BaseField: StarkField + ExtensibleField<2> + ExtensibleField<3> + 'static {}

impl<B: StarkField + ExtensibleField<2> + ExtensibleField<3> + 'static> BaseField for B {}

/// `B` as a field of the statement.
pub struct Prime<B>(PhantomData<B>);

impl<B: BaseField> mimc::Field for Prime<B> {
    type Element = B;

    fn reduce(digest: &[u8; 64]) -> B {
        // Horner's rule from the most significant of sixteen 32-bit limbs.
        let shift = B::from(u32::MAX) + B::ONE;
        digest.rchunks_exact(4).fold(B::ZERO, |value, limb| {
            let limb = limb.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
            value * shift + B::from(limb)
        })
    }

    fn add(left: B, right: B) -> B {
        left + right
    }

    fn multiply(left: B, right: B) -> B {
        left * right
    }

    fn to_bytes(element: B) -> ElementBytes {
        let mut bytes = [0; 32];
        bytes[..B::ELEMENT_BYTES].copy_from_slice(&winter_utils::Serializable::to_bytes(&element));
        bytes
    }

    fn from_bytes(bytes: &ElementBytes) -> Option<B> {
        let (low, high) = bytes.split_at(B::ELEMENT_BYTES);
        if high.iter().any(|byte| *byte != 0) {
            return None;
        }
        B::read_from_bytes(low).ok()
    }
}

#[cfg(test)]
mod tests {
    use nizk_protocol::mimc::Field;
    use winterfell::math::FieldElement;
    use winterfell::math::fields::{f64, f128};

    use super::*;

    fn elements_are_read_as_they_are_written<B: BaseField>() {
        for element in [B::ZERO, B::ONE, -B::ONE, B::GENERATOR] {
            let bytes = Prime::<B>::to_bytes(element);
            assert_eq!(Prime::<B>::from_bytes(&bytes), Some(element));
        }
        let mut order = [0; 32];
        order[..B::ELEMENT_BYTES].copy_from_slice(&B::get_modulus_le_bytes());
        assert_eq!(Prime::<B>::from_bytes(&order), None, "the order is not below itself");
        let mut large = [0; 32];
        large[31] = 1;
        assert_eq!(Prime::<B>::from_bytes(&large), None);
    }

    #[test]
    fn elements_of_both_fields_are_read_as_they_are_written() {
        elements_are_read_as_they_are_written::<f64::BaseElement>();
        elements_are_read_as_they_are_written::<f128::BaseElement>();
    }

    #[test]
    fn a_digest_is_reduced_as_a_little_endian_integer() {
        let mut digest = [0; 64];
        digest[0] = 7;
        assert_eq!(Prime::<f128::BaseElement>::reduce(&digest), f128::BaseElement::new(7));
        digest[4] = 1;
        let expected = f128::BaseElement::new((1 << 32) + 7);
        assert_eq!(Prime::<f128::BaseElement>::reduce(&digest), expected);
        let mut digest = [0; 64];
        digest[63] = 0x80;
        let expected = f64::BaseElement::new(2).exp(511);
        assert_eq!(Prime::<f64::BaseElement>::reduce(&digest), expected);
    }
}
