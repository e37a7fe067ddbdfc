//! `hash-preimage`: the functions, the message of an instance and the public input. The definition is
//! in STATEMENTS.md. Digests are made by the runner, with a library it trusts.

use serde::Serialize;

use crate::configuration::Configuration;
use crate::description::{SizeRange, SizeRule, StatementDescription, VariantDescription};
use crate::hexadecimal;
use crate::json::{Json, Members};
use crate::public_input::ElementBytes;
use crate::seed::Seed;
use crate::system::Failure;

/// Name of the statement.
pub const STATEMENT: &str = "hash-preimage";
/// Name of its size.
pub const SIZE: &str = "bytes";
/// Shortest message.
pub const MINIMUM_BYTES: u64 = 1;
/// Longest message.
pub const MAXIMUM_BYTES: u64 = 4096;
/// The variant that names the function.
pub const FUNCTION: &str = "function";
/// The variant that says what the circuit shows of the message.
pub const MESSAGE: &str = "message";

/// Bytes of a message that make one element of BN254's scalar field.
const PIECE_BYTES: usize = 31;

/// The order of BN254's scalar field, big-endian (EIP-197, where it is the order of the curve).
const BN254_ORDER: Digest = [
    0x30, 0x64, 0x4e, 0x72, 0xe1, 0x31, 0xa0, 0x29, 0xb8, 0x50, 0x45, 0xb6, 0x81, 0x81, 0x58, 0x5d,
    0x28, 0x33, 0xe8, 0x48, 0x79, 0xb9, 0x70, 0x91, 0x43, 0xe1, 0xf5, 0x93, 0xf0, 0x00, 0x00, 0x01,
];

/// A digest, as the function writes it; one that is a field element as a big-endian integer.
pub type Digest = [u8; 32];

/// The hash functions of the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// FIPS 180-4.
    Sha256,
    /// FIPS 202.
    Sha3_256,
    /// RFC 7693, digest of 32 bytes, no key.
    Blake2s,
    /// MiMC in Feistel form with x⁵, as a sponge.
    MimcSponge,
    /// MiMC with x⁷, chained.
    Mimc7,
    /// Poseidon with x⁵, chained after six elements.
    Poseidon,
}

impl Function {
    /// All functions, in the order of STATEMENTS.md.
    pub const ALL: [Function; 6] = [
        Function::Sha256,
        Function::Sha3_256,
        Function::Blake2s,
        Function::MimcSponge,
        Function::Mimc7,
        Function::Poseidon,
    ];

    /// The name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Function::Sha256 => "sha256",
            Function::Sha3_256 => "sha3-256",
            Function::Blake2s => "blake2s",
            Function::MimcSponge => "mimc-sponge",
            Function::Mimc7 => "mimc-7",
            Function::Poseidon => "poseidon",
        }
    }

    /// The function of this name.
    pub fn from_name(name: &str) -> Option<Function> {
        Function::ALL.into_iter().find(|function| function.name() == name)
    }

    /// The function of a configuration of this statement.
    ///
    /// # Panics
    ///
    /// If the description has no variant `function` or names one that does not exist: a fault of the
    /// runner.
    pub fn of(configuration: &Configuration) -> Function {
        Function::from_name(configuration.variant(FUNCTION))
            .expect("the description names functions that exist")
    }

    /// Whether it hashes elements of BN254's scalar field, and its digest is one; else bytes.
    pub const fn is_over_a_field(self) -> bool {
        match self {
            Function::Sha256 | Function::Sha3_256 | Function::Blake2s => false,
            Function::MimcSponge | Function::Mimc7 | Function::Poseidon => true,
        }
    }
}

/// The statement as a system describes it that has these functions, the first of them its default:
/// every size is legal, and the message may enter as elements where a function is over a field.
///
/// # Panics
///
/// If there is no function: a fault of the runner.
pub fn described(functions: &[Function]) -> StatementDescription {
    let names: Vec<_> = functions.iter().map(|function| function.name()).collect();
    let mut variants =
        vec![VariantDescription { name: FUNCTION, default: names[0], values: names }];
    if functions.iter().any(|function| function.is_over_a_field()) {
        variants.push(VariantDescription {
            name: MESSAGE,
            values: vec!["bytes", "elements"],
            default: "bytes",
        });
    }
    StatementDescription {
        statement: STATEMENT,
        size: SizeRange {
            name: SIZE,
            minimum: MINIMUM_BYTES,
            maximum: MAXIMUM_BYTES,
            rule: SizeRule::Any,
        },
        variants,
        unsound: vec![],
    }
}

/// The message of instance `index`.
pub fn message(seed: &Seed, index: u64, bytes: usize) -> Vec<u8> {
    let mut message: Vec<u8> = (0..bytes.div_ceil(64))
        .flat_map(|block| seed.digest(&format!("hash/message/{block}"), index))
        .collect();
    message.truncate(bytes);
    message
}

/// The elements that a function over a field hashes: pieces of 31 bytes, the last one possibly
/// shorter, each a big-endian integer.
pub fn elements(message: &[u8]) -> Vec<ElementBytes> {
    let element = |piece: &[u8]| {
        let mut element = [0; 32];
        for (place, byte) in element.iter_mut().zip(piece.iter().rev()) {
            *place = *byte;
        }
        element
    };
    message.chunks(PIECE_BYTES).map(element).collect()
}

/// The public input: all but the digest is what the request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicInput {
    /// The function.
    pub function: Function,
    /// Bytes of the message.
    pub bytes: usize,
    /// The digest; below BN254's order where it is an element.
    pub digest: Digest,
}

#[derive(Serialize)]
pub(crate) struct File {
    statement: &'static str,
    function: &'static str,
    bytes: usize,
    digest: String,
}

impl PublicInput {
    /// A digest of bytes as circuits hand it over: its first and its last 16 bytes as big-endian
    /// integers.
    pub fn halves(&self) -> [u128; 2] {
        // The halves of an integer of 256 bits are 16 bytes each.
        let half = |bytes: &[u8]| bytes.iter().fold(0, |rest, byte| rest << 8 | u128::from(*byte));
        let (first, last) = self.digest.split_at(16);
        [half(first), half(last)]
    }

    /// A digest that is an element as circuits hand it over.
    pub fn element(&self) -> ElementBytes {
        let mut little_endian = self.digest;
        little_endian.reverse();
        little_endian
    }

    pub(crate) fn file(&self) -> File {
        File {
            statement: STATEMENT,
            function: self.function.name(),
            bytes: self.bytes,
            digest: hexadecimal::encode(&self.digest),
        }
    }

    /// Reads the members of a file that has the statement of the configuration.
    pub(crate) fn read(
        members: &mut Members,
        configuration: &Configuration,
    ) -> Result<PublicInput, Failure> {
        let function = Function::of(configuration);
        members.choice(FUNCTION, &[function.name()])?;
        members.integer(SIZE, configuration.size, configuration.size)?;
        let legal = if function.is_over_a_field() {
            "64 lower-case hexadecimal digits, below the order of BN254's scalar field"
        } else {
            "64 lower-case hexadecimal digits"
        };
        let text = members.text("digest", legal)?;
        match hexadecimal::decode_32(&text) {
            // Big-endian integers of equal length compare from the first byte.
            Some(digest) if !function.is_over_a_field() || digest < BN254_ORDER => {
                Ok(PublicInput { function, bytes: configuration.size(), digest })
            }
            _ => Err(members.wrong("digest", &Json::Text(text), legal)),
        }
    }
}

/// Whether the variants of a configuration go together: elements can stand for the message only where
/// the function takes elements.
pub(crate) fn legal(configuration: &Configuration) -> Result<(), Failure> {
    if configuration.has_variant(MESSAGE, "elements")
        && !Function::of(configuration).is_over_a_field()
    {
        let message = format!(
            "variant.message is \"elements\", supported with function {} is bytes",
            configuration.variant(FUNCTION)
        );
        return Err(Failure::unsupported(
            "elements-need-a-function-over-a-field",
            "variant.message",
            message,
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn seed() -> Seed {
        Seed::new(std::array::from_fn(|index| index as u8))
    }

    fn configuration(function: Function, message: &'static str) -> Configuration {
        Configuration {
            system: "toy/nothing/m31",
            statement: STATEMENT,
            size: 64,
            variant: [(FUNCTION, function.name()), (MESSAGE, message)].into_iter().collect(),
            options: BTreeMap::new(),
            threads: 1,
        }
    }

    #[test]
    fn functions_are_found_by_their_names_and_no_other() {
        for function in Function::ALL {
            assert_eq!(Function::from_name(function.name()), Some(function));
        }
        for name in ["", "sha-256", "SHA256", "sha3", "mimc7"] {
            assert_eq!(Function::from_name(name), None);
        }
    }

    /// Python, with `d(k, j)` for the digest of STATEMENTS.md over `bytes(range(32))` as seed:
    /// `d(0, 5)[:4]`, `d(1, 5)[-4:]` and `d(2, 5)[:2]`.
    #[test]
    fn messages_are_those_of_the_definition() {
        let long = message(&seed(), 5, 130);
        assert_eq!(long.len(), 130);
        assert_eq!(hexadecimal::encode(&long[..4]), "85762a56");
        assert_eq!(hexadecimal::encode(&long[124..128]), "53265e86");
        assert_eq!(hexadecimal::encode(&long[128..]), "13d8");
        for bytes in [1, 63, 64, 65, 128] {
            assert_eq!(message(&seed(), 5, bytes), long[..bytes]);
        }
        assert_ne!(message(&seed(), 6, 64), long[..64]);
        assert_eq!(message(&seed(), 0, 4096).len(), 4096);
    }

    #[test]
    fn elements_are_pieces_of_31_bytes_read_from_the_largest_digit() {
        let message: Vec<u8> = (1..=33).collect();
        let [first, last] = elements(&message).try_into().unwrap();
        assert_eq!((first[0], first[30], first[31]), (31, 1, 0));
        assert_eq!((last[0], last[1], &last[2..]), (33, 32, &[0; 30][..]));
        assert_eq!(elements(&message[..31]).len(), 1);
        assert_eq!(elements(&message[..1]), [std::array::from_fn(|place| u8::from(place == 0))]);
    }

    #[test]
    fn a_digest_is_handed_over_by_halves_or_as_an_element() {
        let digest = std::array::from_fn(|index| index as u8);
        let input = PublicInput { function: Function::Sha256, bytes: 1, digest };
        let [first, last] = input.halves();
        assert_eq!(first, 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f);
        assert_eq!(last, 0x1011_1213_1415_1617_1819_1a1b_1c1d_1e1f);
        assert_eq!(input.element(), std::array::from_fn(|index| 31 - index as u8));
    }

    #[test]
    fn elements_stand_for_the_message_only_where_the_function_takes_them() {
        for function in Function::ALL {
            assert_eq!(legal(&configuration(function, "bytes")), Ok(()));
            let elements = legal(&configuration(function, "elements"));
            assert_eq!(elements.is_ok(), function.is_over_a_field(), "{function:?}");
            if let Err(failure) = elements {
                assert_eq!(failure.rule, Some("elements-need-a-function-over-a-field"));
                assert_eq!(failure.option.as_deref(), Some("variant.message"));
            }
        }
    }
}
