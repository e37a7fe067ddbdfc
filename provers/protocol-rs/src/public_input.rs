//! The public input of a statement, in memory and as a file; each statement has its own.

use serde::Serialize;

use crate::configuration::Configuration;
use crate::json::{Json, Members};
use crate::system::{Failure, Rejection};
use crate::{hash, mimc, range};

/// A field element as 32 little-endian bytes, below the order of the field.
pub type ElementBytes = [u8; 32];

/// What the verifier is handed besides the proof, for one of the statements of STATEMENTS.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicInput {
    /// Of `mimc-preimage`.
    Mimc(mimc::PublicInput),
    /// Of `hash-preimage`.
    Hash(hash::PublicInput),
    /// Of `range`.
    Range(range::PublicInput),
}

/// The statements, each with the name of its size.
pub(crate) const STATEMENTS: [(&str, &str); 3] =
    [(mimc::STATEMENT, mimc::SIZE), (hash::STATEMENT, hash::SIZE), (range::STATEMENT, range::SIZE)];

impl PublicInput {
    /// The file of STATEMENTS.md.
    pub(crate) fn to_json(&self, configuration: &Configuration) -> Result<Vec<u8>, Failure> {
        match self {
            PublicInput::Mimc(input) => as_json(&input.file(configuration)),
            PublicInput::Hash(input) => as_json(&input.file()),
            PublicInput::Range(input) => as_json(&input.file()),
        }
    }

    /// Reads the file of another process. Whatever is not exactly what [`PublicInput::to_json`]
    /// could have written for this configuration and a field of this order is rejected.
    pub(crate) fn from_json(
        bytes: &[u8],
        configuration: &Configuration,
        modulus: &ElementBytes,
    ) -> Result<PublicInput, Rejection> {
        read(bytes, configuration, modulus)
            .map_err(|failure| Rejection::new(format!("public input: {}", failure.message)))
    }

    /// What the circuit has fixed, so that the key is bound to it; nothing where it fixes nothing.
    pub(crate) fn fixed_constants(&self, configuration: &Configuration) -> &[ElementBytes] {
        match self {
            PublicInput::Mimc(input) if configuration.has_variant("constants", "fixed") => {
                &input.constants
            }
            PublicInput::Mimc(_) | PublicInput::Hash(_) | PublicInput::Range(_) => &[],
        }
    }
}

fn as_json(file: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(file)
        .map_err(|error| Failure::internal(format!("the public input has no JSON: {error}")))
}

fn read(
    bytes: &[u8],
    configuration: &Configuration,
    modulus: &ElementBytes,
) -> Result<PublicInput, Failure> {
    let value: Json = serde_json::from_slice(bytes).map_err(|error| {
        Failure::invalid_request("", format!("the file is not a legal JSON object: {error}"))
    })?;
    let mut members = Members::of_request(value)?;
    members.choice("statement", &[configuration.statement])?;
    let input = match configuration.statement {
        mimc::STATEMENT => {
            PublicInput::Mimc(mimc::PublicInput::read(&mut members, configuration, modulus)?)
        }
        hash::STATEMENT => PublicInput::Hash(hash::PublicInput::read(&mut members, configuration)?),
        range::STATEMENT => {
            PublicInput::Range(range::PublicInput::read(&mut members, configuration)?)
        }
        other => {
            return Err(Failure::internal(format!("no file is defined for statement {other}")));
        }
    };
    members.finish("the public input of the variant asked for")?;
    Ok(input)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::hexadecimal;

    fn modulus() -> ElementBytes {
        hexadecimal::decode_integer("0x7fffffff").unwrap()
    }

    fn of_mimc(preimage: &'static str) -> Configuration {
        Configuration {
            system: "toy/nothing/m31",
            statement: mimc::STATEMENT,
            size: 2,
            variant: [("preimage", preimage)].into_iter().collect(),
            options: BTreeMap::new(),
            threads: 1,
        }
    }

    fn of_hash(function: &'static str) -> Configuration {
        Configuration {
            statement: hash::STATEMENT,
            size: 64,
            variant: [("function", function)].into_iter().collect(),
            ..of_mimc("witness")
        }
    }

    fn of_range(bits: &'static str) -> Configuration {
        Configuration {
            statement: range::STATEMENT,
            variant: [("bits", bits)].into_iter().collect(),
            ..of_mimc("witness")
        }
    }

    fn read(text: &str, configuration: &Configuration) -> Result<PublicInput, Rejection> {
        PublicInput::from_json(text.as_bytes(), configuration, &modulus())
    }

    /// A good file, and everything it becomes by replacing one part of it.
    fn assert_only_the_good_one_is_read(
        good: &str,
        configuration: &Configuration,
        changes: &[(&str, &str)],
    ) {
        assert!(read(good, configuration).is_ok(), "{:?}", read(good, configuration));
        for (part, other) in changes {
            let bad = good.replacen(part, other, 1);
            assert_ne!(bad, good);
            assert!(read(&bad, configuration).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_file_is_read_as_it_is_written() {
        let witness = mimc::PublicInput {
            image: hexadecimal::decode_integer("0x7ffffffe").unwrap(),
            constants: vec![[0; 32], hexadecimal::decode_integer("0x10").unwrap()],
            preimage: None,
        };
        let public = mimc::PublicInput { preimage: Some([[0; 32]; 2]), ..witness.clone() };
        let digest = std::array::from_fn(|index| index as u8);
        let hashed = hash::PublicInput { function: hash::Function::Poseidon, bytes: 64, digest };
        let ranged = range::PublicInput { bits: 16, commitments: vec![[1; 32], [0xff; 32]] };
        for (input, configuration) in [
            (PublicInput::Range(ranged), of_range("16")),
            (PublicInput::Mimc(witness), of_mimc("witness")),
            (PublicInput::Mimc(public), of_mimc("public")),
            (PublicInput::Hash(hashed), of_hash("poseidon")),
        ] {
            let file = input.to_json(&configuration).unwrap();
            assert_eq!(PublicInput::from_json(&file, &configuration, &modulus()), Ok(input));
        }
    }

    #[test]
    fn a_file_of_mimc_that_nobody_would_write_is_rejected() {
        let good =
            r#"{"statement":"mimc-preimage","rounds":2,"image":"0x1","constants":["0x0","0x2"]}"#;
        let changes = [
            ("mimc-preimage", "keccak256-preimage"),
            ("mimc-preimage", "hash-preimage"),
            (":2,", ":3,"),
            (":2,", ":2.0,"),
            ("\"0x1\"", "\"0x01\""),
            ("\"0x1\"", "\"0x7fffffff\""),
            ("\"0x1\"", "1"),
            ("\"0x1\"", "\"0xA\""),
            (",\"0x2\"", ""),
            (",\"0x2\"", ",\"0x2\",\"0x3\""),
            ("\"0x2\"", "\"0xffffffffff\""),
            ("\"rounds\":2,", ""),
            ("\"rounds\":2,", "\"rounds\":2,\"rounds\":2,"),
            ("\"rounds\":2,", "\"rounds\":2,\"more\":2,"),
            ("\"rounds\":2,", "\"rounds\":2,\"preimage\":[\"0x1\",\"0x1\"],"),
            ("]}", "]} x"),
            ("]}", "]"),
        ];
        let configuration = of_mimc("witness");
        assert_only_the_good_one_is_read(good, &configuration, &changes);
        for nothing in ["", "[]", "\u{1}"] {
            assert!(read(nothing, &configuration).is_err(), "{nothing:?}");
        }
    }

    #[test]
    fn a_file_of_a_hash_that_nobody_would_write_is_rejected() {
        let digits = "0123456789abcdef".repeat(4);
        let good = format!(
            r#"{{"statement":"hash-preimage","function":"sha256","bytes":64,"digest":"{digits}"}}"#
        );
        let changes = [
            ("hash-preimage", "mimc-preimage"),
            ("sha256", "blake2s"),
            ("sha256", "SHA256"),
            ("\"sha256\"", "256"),
            (":64,", ":65,"),
            (":64,", ":64.0,"),
            (":64,", ":\"64\","),
            ("0123456789abcdef", "0123456789abcde"),
            ("0123456789abcdef", "0123456789abcdeff"),
            ("0123456789abcdef", "0123456789ABCDEF"),
            ("0123456789abcdef", "0x23456789abcdef"),
            ("0123456789abcdef", "g123456789abcdef"),
            ("\"digest\":\"", "\"digest\":\"0x"),
            ("\"bytes\":64,", ""),
            ("\"function\":\"sha256\",", ""),
            ("\"bytes\":64,", "\"bytes\":64,\"bytes\":64,"),
            ("\"bytes\":64,", "\"bytes\":64,\"message\":\"00\","),
            ("\"}", "\"} x"),
            ("\"}", "\""),
        ];
        assert_only_the_good_one_is_read(&good, &of_hash("sha256"), &changes);
        let without_digest = r#"{"statement":"hash-preimage","function":"sha256","bytes":64}"#;
        assert!(read(without_digest, &of_hash("sha256")).is_err());
    }

    #[test]
    fn a_file_of_a_range_that_nobody_would_write_is_rejected() {
        let digits = "0123456789abcdef".repeat(4);
        let good = format!(
            r#"{{"statement":"range","bits":32,"values":2,"commitments":["{digits}","{digits}"]}}"#
        );
        let changes = [
            ("range", "hash-preimage"),
            (":32,", ":64,"),
            (":32,", ":\"32\","),
            (":2,", ":3,"),
            (":2,", ":2.0,"),
            ("0123456789abcdef", "0123456789abcde"),
            ("0123456789abcdef", "0123456789abcdeff"),
            ("0123456789abcdef", "0123456789ABCDEF"),
            ("0123456789abcdef", "0x23456789abcdef"),
            ("[\"", "[1,\""),
            ("[\"", "\""),
            ("[", "[["),
            ("\"bits\":32,", ""),
            ("\"values\":2,", ""),
            ("\"values\":2,", "\"values\":2,\"values\":2,"),
            ("\"values\":2,", "\"values\":2,\"value\":1,"),
            ("]}", "]} x"),
        ];
        assert_only_the_good_one_is_read(&good, &of_range("32"), &changes);
        let one =
            format!(r#"{{"statement":"range","bits":32,"values":2,"commitments":["{digits}"]}}"#);
        assert!(read(&one, &of_range("32")).is_err());
    }

    #[test]
    fn a_digest_over_a_field_is_below_its_order_and_a_digest_of_bytes_is_any() {
        // The order of BN254's scalar field, and its predecessor (EIP-197).
        let order = "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001";
        let largest = "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000000";
        let accepts = |function: &'static str, digits: &str| {
            let file = format!(
                r#"{{"statement":"hash-preimage","function":"{function}","bytes":64,"digest":"{digits}"}}"#
            );
            read(&file, &of_hash(function)).is_ok()
        };
        for function in ["mimc-sponge", "mimc-7", "poseidon"] {
            assert!(accepts(function, largest), "{function}");
            assert!(!accepts(function, order), "{function}");
            assert!(!accepts(function, &"f".repeat(64)), "{function}");
        }
        for function in ["sha256", "sha3-256", "blake2s"] {
            assert!(accepts(function, order), "{function}");
            assert!(accepts(function, &"f".repeat(64)), "{function}");
        }
    }

    #[test]
    fn only_fixed_round_constants_are_bound_to_the_key() {
        let constants = vec![[1; 32], [2; 32]];
        let input =
            mimc::PublicInput { image: [0; 32], constants: constants.clone(), preimage: None };
        let hashed =
            hash::PublicInput { function: hash::Function::Sha256, bytes: 64, digest: [3; 32] };
        let fixing = |value| {
            let variant = [("constants", value)].into_iter().collect();
            Configuration { variant, ..of_mimc("witness") }
        };
        let input = PublicInput::Mimc(input);
        assert_eq!(input.fixed_constants(&fixing("fixed")), constants);
        assert!(input.fixed_constants(&fixing("public")).is_empty());
        assert!(PublicInput::Hash(hashed).fixed_constants(&of_hash("sha256")).is_empty());
    }
}
