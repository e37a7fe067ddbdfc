//! Seeds and what follows from them; the definition is in STATEMENTS.md.

use std::fmt;

use sha2::{Digest, Sha512};

use crate::hexadecimal;

/// The 32 bytes from which everything random in a statement follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// A seed from its bytes.
    pub fn new(bytes: [u8; 32]) -> Seed {
        Seed(bytes)
    }

    /// Reads 64 lower-case hexadecimal digits; nothing else is a seed.
    pub fn parse(text: &str) -> Option<Seed> {
        hexadecimal::decode_32(text).map(Seed)
    }

    /// The digest that a field reduces to `element(label, seed, index)`: SHA-512 over
    /// `"nizk-bench/v1" ‖ 0 ‖ label ‖ 0 ‖ seed ‖ LE64(index)`, an unsigned little-endian integer.
    pub fn digest(&self, label: &str, index: u64) -> [u8; 64] {
        let mut hash = Sha512::new();
        hash.update(b"nizk-bench/v1\0");
        hash.update(label.as_bytes());
        hash.update([0]);
        hash.update(self.0);
        hash.update(index.to_le_bytes());
        hash.finalize().into()
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Seed({})", hexadecimal::encode(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_definition() {
        let seed = Seed::new(std::array::from_fn(|index| index as u8));
        // Python: hashlib.sha512(b"nizk-bench/v1\0mimc/constant\0" + bytes(range(32)) +
        // (258).to_bytes(8, "little")).hexdigest()
        let expected = "ac2eb712658ba01e320c1e1f00cdaeb582d3e1e81085cd17fa8508d575a90865\
                        2118ef970e7862ff200b5ca28318b1bff2c2b3dc6ef68811e52abb0a6a3ba8c8";
        assert_eq!(hexadecimal::encode(&seed.digest("mimc/constant", 258)), expected);
    }

    #[test]
    fn only_64_lower_case_digits_are_a_seed() {
        let digits = "0123456789abcdef".repeat(4);
        assert_eq!(format!("{:?}", Seed::parse(&digits).unwrap()), format!("Seed({digits})"));
        for text in ["", "00", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64), &"A".repeat(64)] {
            assert_eq!(Seed::parse(text), None, "{text:?}");
        }
    }
}
