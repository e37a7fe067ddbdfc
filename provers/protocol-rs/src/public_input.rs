//! The public input of `mimc-preimage`, in memory and as a file.

use serde::Serialize;

use crate::configuration::Configuration;
use crate::hexadecimal;
use crate::json::{Json, Members};
use crate::system::{Failure, Rejection};

/// A field element as 32 little-endian bytes, below the order of the field.
pub type ElementBytes = [u8; 32];

/// The public input of `mimc-preimage`, independent of the field it lives in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicInput {
    /// The image y.
    pub image: ElementBytes,
    /// The round constants, one for each round.
    pub constants: Vec<ElementBytes>,
    /// The preimage (left, right), under `preimage=public` alone.
    pub preimage: Option<[ElementBytes; 2]>,
}

#[derive(Serialize)]
struct File {
    statement: &'static str,
    rounds: u64,
    image: String,
    constants: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preimage: Option<[String; 2]>,
}

impl PublicInput {
    /// The file of STATEMENTS.md.
    pub(crate) fn to_json(&self, configuration: &Configuration) -> Result<Vec<u8>, Failure> {
        let file = File {
            statement: configuration.statement,
            rounds: configuration.size,
            image: hexadecimal::encode_integer(&self.image),
            constants: self.constants.iter().map(hexadecimal::encode_integer).collect(),
            preimage: self
                .preimage
                .as_ref()
                .map(|preimage| preimage.each_ref().map(hexadecimal::encode_integer)),
        };
        serde_json::to_vec(&file)
            .map_err(|error| Failure::internal(format!("the public input has no JSON: {error}")))
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
    members.integer("rounds", configuration.size, configuration.size)?;
    let image = members.require("image", ELEMENT)?;
    let image = element(&members, "image", &image, modulus)?;
    let constants = elements(&mut members, "constants", configuration.rounds(), modulus)?;
    let preimage = match configuration.variant.get("preimage") {
        Some(&"public") => match elements(&mut members, "preimage", 2, modulus)?.as_slice() {
            [left, right] => Some([*left, *right]),
            _ => None,
        },
        _ => None,
    };
    members.finish("the public input of the variant asked for")?;
    Ok(PublicInput { image, constants, preimage })
}

const ELEMENT: &str = "a field element in canonical hexadecimal, below the order of the field";

fn elements(
    members: &mut Members,
    name: &str,
    count: usize,
    modulus: &ElementBytes,
) -> Result<Vec<ElementBytes>, Failure> {
    let legal = format!("an array of {count} field elements");
    match members.require(name, &legal)? {
        Json::Array(items) if items.len() == count => {
            items.iter().map(|item| element(members, name, item, modulus)).collect()
        }
        other => Err(members.wrong(name, &other, &legal)),
    }
}

fn element(
    members: &Members,
    name: &str,
    value: &Json,
    modulus: &ElementBytes,
) -> Result<ElementBytes, Failure> {
    let decoded = match value {
        Json::Text(text) => hexadecimal::decode_integer(text),
        _ => None,
    };
    match decoded {
        // Little-endian integers of equal length compare from the last byte.
        Some(bytes) if bytes.iter().rev().lt(modulus.iter().rev()) => Ok(bytes),
        _ => Err(members.wrong(name, value, ELEMENT)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn modulus() -> ElementBytes {
        hexadecimal::decode_integer("0x7fffffff").unwrap()
    }

    fn configuration(preimage: &'static str) -> Configuration {
        Configuration {
            system: "toy/nothing/m31",
            statement: "mimc-preimage",
            size: 2,
            variant: [("preimage", preimage)].into_iter().collect(),
            options: BTreeMap::new(),
            threads: 1,
        }
    }

    #[test]
    fn a_file_is_read_as_it_is_written() {
        let witness = PublicInput {
            image: hexadecimal::decode_integer("0x7ffffffe").unwrap(),
            constants: vec![[0; 32], hexadecimal::decode_integer("0x10").unwrap()],
            preimage: None,
        };
        let public = PublicInput { preimage: Some([[0; 32]; 2]), ..witness.clone() };
        for (input, variant) in [(witness, "witness"), (public, "public")] {
            let configuration = configuration(variant);
            let file = input.to_json(&configuration).unwrap();
            assert_eq!(PublicInput::from_json(&file, &configuration, &modulus()), Ok(input));
        }
    }

    #[test]
    fn a_file_that_nobody_would_write_is_rejected() {
        let good =
            r#"{"statement":"mimc-preimage","rounds":2,"image":"0x1","constants":["0x0","0x2"]}"#;
        let read = |text: &str| {
            PublicInput::from_json(text.as_bytes(), &configuration("witness"), &modulus())
        };
        assert!(read(good).is_ok());
        let changes = [
            ("mimc-preimage", "keccak256-preimage"),
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
        for (part, other) in changes {
            let bad = good.replacen(part, other, 1);
            assert_ne!(bad, good);
            assert!(read(&bad).is_err(), "{bad}");
        }
        assert!(read("").is_err() && read("[]").is_err() && read("\u{1}").is_err());
    }
}
