//! The file of a verifying key: 32 bytes that bind it to system, variant, size and fixed constants,
//! then the library's own bytes.

use sha2::{Digest, Sha256};

use crate::configuration::Configuration;
use crate::public_input::PublicInput;
use crate::system::Rejection;

/// Bytes of the header.
pub(crate) const HEADER_BYTES: usize = 32;

/// SHA-256 over `"nizk-bench/v1/key" ‖ 0 ‖ system ‖ 0 ‖ canonical variant ‖ 0 ‖ LE64(size) ‖
/// constants`. The constants are hashed where the circuit has fixed them and nowhere else.
pub(crate) fn header(
    configuration: &Configuration,
    public_input: &PublicInput,
) -> [u8; HEADER_BYTES] {
    let mut hash = Sha256::new();
    hash.update(b"nizk-bench/v1/key\0");
    hash.update(configuration.system.as_bytes());
    hash.update([0]);
    hash.update(configuration.canonical_variant().as_bytes());
    hash.update([0]);
    hash.update(configuration.size.to_le_bytes());
    for constant in public_input.fixed_constants(configuration) {
        hash.update(constant);
    }
    hash.finalize().into()
}

/// A key file as it is written.
pub(crate) fn compose(
    configuration: &Configuration,
    public_input: &PublicInput,
    library_bytes: &[u8],
) -> Vec<u8> {
    let mut file = header(configuration, public_input).to_vec();
    file.extend_from_slice(library_bytes);
    file
}

/// A key file taken apart; the header is yet to be compared.
pub(crate) fn split(file: &[u8]) -> Result<([u8; HEADER_BYTES], &[u8]), Rejection> {
    match file.split_first_chunk::<HEADER_BYTES>() {
        Some((header, library_bytes)) => Ok((*header, library_bytes)),
        None => Err(Rejection::new(format!(
            "the verifying key has {} bytes, its header alone has {HEADER_BYTES}",
            file.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{hash, mimc};

    fn configuration(variant: &[(&'static str, &'static str)]) -> Configuration {
        Configuration {
            system: "toy/nothing/m31",
            statement: "mimc-preimage",
            size: 7,
            variant: variant.iter().copied().collect(),
            options: BTreeMap::new(),
            threads: 1,
        }
    }

    fn public_input(constant: u8) -> PublicInput {
        let constants = vec![[constant; 32]; 7];
        PublicInput::Mimc(mimc::PublicInput { image: [1; 32], constants, preimage: None })
    }

    #[test]
    fn the_header_is_that_of_the_definition() {
        let fixed = configuration(&[("preimage", "witness"), ("constants", "fixed")]);
        let mut message = b"nizk-bench/v1/key\0toy/nothing/m31\0".to_vec();
        message.extend_from_slice(b"constants=fixed,preimage=witness\0");
        message.extend_from_slice(&[7, 0, 0, 0, 0, 0, 0, 0]);
        message.extend_from_slice(&[2; 7 * 32]);
        let expected: [u8; 32] = Sha256::digest(&message).into();
        assert_eq!(header(&fixed, &public_input(2)), expected);
    }

    #[test]
    fn only_fixed_constants_are_bound() {
        let fixed = configuration(&[("constants", "fixed")]);
        assert_ne!(header(&fixed, &public_input(2)), header(&fixed, &public_input(3)));
        for value in ["public", "unbound"] {
            let handed = configuration(&[("constants", value)]);
            assert_eq!(header(&handed, &public_input(2)), header(&handed, &public_input(3)));
            assert_ne!(header(&handed, &public_input(2)), header(&fixed, &public_input(2)));
        }
    }

    #[test]
    fn a_statement_without_constants_binds_function_and_size() {
        let of = |function: hash::Function, bytes: usize| {
            let configuration = Configuration {
                statement: hash::STATEMENT,
                size: bytes as u64,
                ..configuration(&[("function", function.name())])
            };
            let input = hash::PublicInput { function, bytes, digest: [9; 32] };
            header(&configuration, &PublicInput::Hash(input))
        };
        let message = [
            b"nizk-bench/v1/key\0toy/nothing/m31\0function=sha256\0".as_slice(),
            &[64, 0, 0, 0, 0, 0, 0, 0],
        ];
        let expected: [u8; 32] = Sha256::digest(message.concat()).into();
        assert_eq!(of(hash::Function::Sha256, 64), expected);
        assert_ne!(of(hash::Function::Sha256, 65), expected);
        assert_ne!(of(hash::Function::Blake2s, 64), expected);
    }

    #[test]
    fn a_file_shorter_than_its_header_is_rejected() {
        assert!(split(&[0; 31]).is_err());
        assert_eq!(split(&[0; 33]), Ok(([0; 32], &[0u8][..])));
    }
}
