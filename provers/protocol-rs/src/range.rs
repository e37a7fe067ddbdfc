//! `range`: values and blinding factors of an instance, and the public input. The definition is in
//! STATEMENTS.md. Commitments are made by the runner, in the group of its system.

use serde::Serialize;

use crate::configuration::Configuration;
use crate::description::{SizeRange, SizeRule, StatementDescription, VariantDescription};
use crate::hexadecimal;
use crate::json::{Json, Members};
use crate::seed::Seed;
use crate::system::Failure;

/// Name of the statement.
pub const STATEMENT: &str = "range";
/// Name of its size.
pub const SIZE: &str = "values";
/// Fewest values of a proof.
pub const MINIMUM_VALUES: u64 = 1;
/// Most values of a proof.
pub const MAXIMUM_VALUES: u64 = 32;
/// The variant that says how many bits a value has at most.
pub const BITS: &str = "bits";

/// The legal bits, the default first.
const LEGAL_BITS: [(&str, u32); 4] = [("64", 64), ("32", 32), ("16", 16), ("8", 8)];

/// A commitment, as its group encodes points.
pub type Commitment = [u8; 32];

/// The statement as a system describes it that proves so many values at once.
pub fn described(rule: SizeRule) -> StatementDescription {
    StatementDescription {
        statement: STATEMENT,
        size: SizeRange { name: SIZE, minimum: MINIMUM_VALUES, maximum: MAXIMUM_VALUES, rule },
        variants: vec![VariantDescription {
            name: BITS,
            values: LEGAL_BITS.map(|(name, _)| name).to_vec(),
            default: LEGAL_BITS[0].0,
        }],
        unsound: vec![],
    }
}

/// The bits of a configuration of this statement.
///
/// # Panics
///
/// If the description has no variant `bits` or names a number that is not legal: a fault of the
/// runner.
pub fn bits(configuration: &Configuration) -> u32 {
    let name = configuration.variant(BITS);
    LEGAL_BITS
        .into_iter()
        .find_map(|(legal, bits)| (legal == name).then_some(bits))
        .expect("the description names bits that are legal")
}

/// Value number `place` of instance `index`, below 2^bits.
pub fn value(seed: &Seed, index: u64, place: usize, bits: u32) -> u64 {
    let digest = seed.digest(&format!("range/value/{place}"), index);
    let lowest = digest.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    // The digest is a little-endian integer, of which 2^bits leaves the lowest bits.
    lowest & (u64::MAX >> (u64::BITS - bits))
}

/// The digest that the order of the group reduces to blinding factor number `place` of instance
/// `index`.
pub fn blinding(seed: &Seed, index: u64, place: usize) -> [u8; 64] {
    seed.digest(&format!("range/blinding/{place}"), index)
}

/// The digest that the order of the field reduces to candidate number `index` for the coordinate of
/// a generator, which is called `value` or `blinding`; for groups that have no generators of their
/// own.
pub fn generator(name: &str, index: u64) -> [u8; 64] {
    Seed::new([0; 32]).digest(&format!("range/generator/{name}"), index)
}

/// The public input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicInput {
    /// The bits that every value has at most.
    pub bits: u32,
    /// One commitment a value; the encodings are not to be trusted.
    pub commitments: Vec<Commitment>,
}

#[derive(Serialize)]
pub(crate) struct File {
    statement: &'static str,
    bits: u32,
    values: usize,
    commitments: Vec<String>,
}

impl PublicInput {
    pub(crate) fn file(&self) -> File {
        let commitments: Vec<String> =
            self.commitments.iter().map(|one| hexadecimal::encode(one)).collect();
        File { statement: STATEMENT, bits: self.bits, values: commitments.len(), commitments }
    }

    /// Reads the members of a file that has the statement of the configuration.
    pub(crate) fn read(
        members: &mut Members,
        configuration: &Configuration,
    ) -> Result<PublicInput, Failure> {
        let bits = bits(configuration);
        members.integer(BITS, u64::from(bits), u64::from(bits))?;
        members.integer(SIZE, configuration.size, configuration.size)?;
        let legal = format!("an array of {} times 64 lower-case digits", configuration.size);
        let given = members.require("commitments", &legal)?;
        let read = match &given {
            Json::Array(items) if items.len() == configuration.size() => items
                .iter()
                .map(|item| match item {
                    Json::Text(text) => hexadecimal::decode_32(text),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        match read {
            Some(commitments) => Ok(PublicInput { bits, commitments }),
            None => Err(members.wrong("commitments", &given, &legal)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python: `nizkbench.range_reference.openings(group, bits, 2, bytes(range(32)), 5)`.
    #[test]
    fn openings_are_those_of_the_definition() {
        let seed = Seed::new(std::array::from_fn(|index| index as u8));
        assert_eq!(value(&seed, 5, 1, 64), VALUE);
        for bits in [8, 16, 32] {
            assert_eq!(value(&seed, 5, 1, bits), VALUE % (1 << bits));
        }
        assert_ne!(value(&seed, 5, 0, 64), VALUE);
        assert_ne!(value(&seed, 6, 1, 64), VALUE);
        assert_ne!(blinding(&seed, 5, 0), blinding(&seed, 5, 1));
    }

    const VALUE: u64 = 11_633_270_733_881_015_751;
}
