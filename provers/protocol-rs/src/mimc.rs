//! `mimc-preimage` over any field: constants and instances from a seed, and the permutation
//! outside any proof system; and the public input. The definition is in STATEMENTS.md.

use serde::Serialize;

use crate::configuration::Configuration;
use crate::description::{SizeRange, SizeRule, StatementDescription, VariantDescription};
use crate::hexadecimal;
use crate::json::{Json, Members};
use crate::public_input::ElementBytes;
use crate::seed::Seed;
use crate::system::Failure;

/// Name of the statement.
pub const STATEMENT: &str = "mimc-preimage";
/// Name of its size.
pub const SIZE: &str = "rounds";
/// Fewest rounds.
pub const MINIMUM_ROUNDS: u64 = 7;
/// Most rounds.
pub const MAXIMUM_ROUNDS: u64 = 16383;

/// The statement as a system describes it that has these values of the variant `constants`, the default
/// first.
///
/// # Panics
///
/// If there is no value: a fault of the runner.
pub fn described(rule: SizeRule, constants: Vec<&'static str>) -> StatementDescription {
    StatementDescription {
        statement: STATEMENT,
        size: SizeRange { name: SIZE, minimum: MINIMUM_ROUNDS, maximum: MAXIMUM_ROUNDS, rule },
        variants: vec![VariantDescription {
            name: "constants",
            default: constants[0],
            values: constants,
        }],
        unsound: vec![],
    }
}

/// A field, as a runner hands it over. The implementor is a unit type of the runner, so that the
/// element may be any library's. In all that is read and written an element is an integer below the
/// order; in an extension, its digits to the base of the prime are the coordinates.
pub trait Field {
    /// An element of the field.
    type Element: Copy;

    /// The digest, read as an unsigned little-endian integer, modulo the order of the field.
    fn reduce(digest: &[u8; 64]) -> Self::Element;

    /// The sum of two elements.
    fn add(left: Self::Element, right: Self::Element) -> Self::Element;

    /// The product of two elements.
    fn multiply(left: Self::Element, right: Self::Element) -> Self::Element;

    /// The element as a little-endian integer below the order.
    fn to_bytes(element: Self::Element) -> ElementBytes;

    /// Reads what [`Field::to_bytes`] writes; `None` for an integer not below the order.
    fn from_bytes(bytes: &ElementBytes) -> Option<Self::Element>;
}

/// `element(label, seed, index)` of STATEMENTS.md.
pub fn element<F: Field>(label: &str, seed: &Seed, index: u64) -> F::Element {
    F::reduce(&seed.digest(label, index))
}

/// The round constants of a seed.
pub fn constants<F: Field>(seed: &Seed, rounds: usize) -> Vec<F::Element> {
    (0..rounds as u64).map(|index| element::<F>("mimc/constant", seed, index)).collect()
}

/// The preimage (left, right) of instance `index`.
pub fn preimage<F: Field>(seed: &Seed, index: u64) -> (F::Element, F::Element) {
    (element::<F>("mimc/left", seed, index), element::<F>("mimc/right", seed, index))
}

/// The state after one round: (r + (l + c)³, l).
pub fn round<F: Field>(
    (left, right): (F::Element, F::Element),
    constant: F::Element,
) -> (F::Element, F::Element) {
    let base = F::add(left, constant);
    let cube = F::multiply(F::multiply(base, base), base);
    (F::add(right, cube), left)
}

/// The image of a preimage: the left half after the last round.
pub fn image<F: Field>(constants: &[F::Element], preimage: (F::Element, F::Element)) -> F::Element {
    constants.iter().fold(preimage, |state, constant| round::<F>(state, *constant)).0
}

/// The public input under `preimage=witness`.
pub fn public_input<F: Field>(constants: &[F::Element], image: F::Element) -> PublicInput {
    PublicInput {
        image: F::to_bytes(image),
        constants: constants.iter().map(|constant| F::to_bytes(*constant)).collect(),
        preimage: None,
    }
}

/// Reads elements that another process wrote; `None` where one is not below the order.
pub fn elements<F: Field>(bytes: &[ElementBytes]) -> Option<Vec<F::Element>> {
    bytes.iter().map(F::from_bytes).collect()
}

/// The public input, independent of the field it lives in.
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
pub(crate) struct File {
    statement: &'static str,
    rounds: u64,
    image: String,
    constants: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preimage: Option<[String; 2]>,
}

impl PublicInput {
    pub(crate) fn file(&self, configuration: &Configuration) -> File {
        File {
            statement: STATEMENT,
            rounds: configuration.size,
            image: hexadecimal::encode_integer(&self.image),
            constants: self.constants.iter().map(hexadecimal::encode_integer).collect(),
            preimage: self
                .preimage
                .as_ref()
                .map(|preimage| preimage.each_ref().map(hexadecimal::encode_integer)),
        }
    }

    /// Reads the members of a file that has the statement of the configuration, over a field of this
    /// order.
    pub(crate) fn read(
        members: &mut Members,
        configuration: &Configuration,
        modulus: &ElementBytes,
    ) -> Result<PublicInput, Failure> {
        members.integer(SIZE, configuration.size, configuration.size)?;
        let image = members.require("image", ELEMENT)?;
        let image = read_element(members, "image", &image, modulus)?;
        let constants = read_elements(members, "constants", configuration.size(), modulus)?;
        let preimage = if configuration.has_variant("preimage", "public") {
            match read_elements(members, "preimage", 2, modulus)?.as_slice() {
                [left, right] => Some([*left, *right]),
                _ => None,
            }
        } else {
            None
        };
        Ok(PublicInput { image, constants, preimage })
    }
}

const ELEMENT: &str = "a field element in canonical hexadecimal, below the order of the field";

fn read_elements(
    members: &mut Members,
    name: &str,
    count: usize,
    modulus: &ElementBytes,
) -> Result<Vec<ElementBytes>, Failure> {
    let legal = format!("an array of {count} field elements");
    match members.require(name, &legal)? {
        Json::Array(items) if items.len() == count => {
            items.iter().map(|item| read_element(members, name, item, modulus)).collect()
        }
        other => Err(members.wrong(name, &other, &legal)),
    }
}

fn read_element(
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
    use super::*;
    use crate::toy::Mersenne31;

    fn seed() -> Seed {
        Seed::new(std::array::from_fn(|index| index as u8))
    }

    /// Answers of an independent computation in Python over the field of order 2³¹ − 1.
    #[test]
    fn images_are_those_of_the_definition() {
        let answer = |rounds, index| {
            let constants = constants::<Mersenne31>(&seed(), rounds);
            let image = image::<Mersenne31>(&constants, preimage::<Mersenne31>(&seed(), index));
            (constants[0], constants[rounds - 1], image)
        };
        assert_eq!(answer(7, 0), (46_790_512, 658_730_447, 72_031_002));
        assert_eq!(answer(255, 1), (46_790_512, 908_727_395, 1_798_764_708));
    }

    #[test]
    fn all_instances_of_a_seed_share_its_constants() {
        let short = constants::<Mersenne31>(&seed(), 7);
        assert_eq!(constants::<Mersenne31>(&seed(), 15)[..7], short);
        assert_ne!(preimage::<Mersenne31>(&seed(), 0), preimage::<Mersenne31>(&seed(), 1));
    }

    #[test]
    fn elements_not_below_the_order_are_refused() {
        let order = Mersenne31::to_bytes((1 << 31) - 1);
        assert_eq!(elements::<Mersenne31>(&[order]), None);
        assert_eq!(elements::<Mersenne31>(&[Mersenne31::to_bytes(5)]), Some(vec![5]));
    }
}
