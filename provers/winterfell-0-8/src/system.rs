//! The system of this runner, and how a request becomes a configuration of the library.

use std::collections::BTreeMap;

use nizk_protocol::{
    AbsentPhase, Configuration, Failure, FieldDescription, OptionDescription, Phase, ProofSize,
    Properties, Rejection, Seed, Session, SizeRange, SizeRule, StatementDescription, System,
    SystemDescription, Threads, TimedPhase, TrustedSetup, Unsound, VariantDescription, Verifier,
    ZeroKnowledge, ZeroKnowledgeLevel, mimc,
};
use winterfell::FieldExtension;
use winterfell::crypto::ElementHasher;
use winterfell::crypto::hashers::{Blake3_192, Blake3_256, Sha3_256};
use winterfell::math::fields::f128::BaseElement;

use crate::air::{Constants, Shape};
use crate::options::{Parameters, Refusal, legal};
use crate::session::{Judge, MimcSession};

/// STARKs over the 128-bit field, the one that earlier work used.
pub struct F128;

/// What a hash is a type parameter of, behind one type: a request names the hash.
struct Engine {
    open: fn(Parameters, Shape, &Seed) -> Box<dyn Session>,
    verifier: fn(&Parameters, Shape) -> Box<dyn Verifier>,
}

const fn engine<H: ElementHasher<BaseField = BaseElement> + 'static>() -> Engine {
    Engine {
        open: |parameters, shape, seed| {
            Box::new(MimcSession::<BaseElement, H>::new(parameters, shape, seed))
        },
        verifier: |parameters, shape| Box::new(Judge::<BaseElement, H>::new(parameters, shape)),
    }
}

const HASHES: [(&str, Engine); 3] = [
    ("blake3-192", engine::<Blake3_192<BaseElement>>()),
    ("blake3-256", engine::<Blake3_256<BaseElement>>()),
    ("sha3-256", engine::<Sha3_256<BaseElement>>()),
];

/// The library has no cubic extension of this field.
const EXTENSIONS: [(&str, FieldExtension); 2] =
    [("none", FieldExtension::None), ("quadratic", FieldExtension::Quadratic)];

impl System for F128 {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: "winterfell-0-8/stark/f128",
            scheme: "stark",
            curve: None,
            field: FieldDescription {
                name: "f128",
                modulus: "0xffffffffffffffffffffd30000000001",
                bits: 128,
            },
            properties: Properties {
                trusted_setup: TrustedSetup::None,
                transparent: true,
                post_quantum: true,
                zero_knowledge: ZeroKnowledge {
                    level: ZeroKnowledgeLevel::No,
                    source: "\"The current implementation provides succinct proofs but NOT perfect \
                             zero-knowledge.\" (README.md of github.com/facebook/winterfell, \
                             Planned features)",
                },
                assumptions: "collision-resistant hash, random oracle",
            },
            phases: vec![
                TimedPhase { phase: Phase::Witness, includes: Vec::new() },
                TimedPhase { phase: Phase::Prove, includes: vec![Phase::Compile] },
                TimedPhase { phase: Phase::Verify, includes: vec![Phase::Compile] },
            ],
            absent_phases: vec![AbsentPhase {
                phase: Phase::Setup,
                reason: "the scheme has no keys and no generators",
            }],
            threads: Threads {
                minimum: 1,
                maximum: Some(1),
                how: "the library is built without its feature concurrent, as in earlier work, and \
                      computes in one thread",
            },
            proof_size: ProofSize::Varies,
            statements: vec![statement()],
            options: options(),
            malleable: Vec::new(),
        }
    }

    fn legal(&self, configuration: &Configuration) -> Result<(), Failure> {
        let Err(Refusal { rule, option, message }) =
            legal(configuration.rounds(), &parameters(configuration))
        else {
            return Ok(());
        };
        Err(Failure::unsupported(rule, option, message))
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        let engine = hash(configuration);
        Ok((engine.open)(parameters(configuration), shape(configuration), seed))
    }

    fn verifier(
        &self,
        configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection> {
        if !verifying_key.is_empty() {
            return Err(Rejection::new("a STARK has no verifying key, but the file holds one"));
        }
        let parameters = parameters(configuration);
        legal(configuration.rounds(), &parameters)
            .map_err(|refusal| Rejection::new(refusal.message))?;
        Ok((hash(configuration).verifier)(&parameters, shape(configuration)))
    }
}

fn statement() -> StatementDescription {
    StatementDescription {
        statement: mimc::STATEMENT,
        size: SizeRange {
            name: mimc::SIZE,
            minimum: mimc::MINIMUM_ROUNDS,
            maximum: mimc::MAXIMUM_ROUNDS,
            rule: SizeRule::PowerOfTwoMinusOne,
        },
        variants: vec![
            VariantDescription {
                name: "constants",
                values: vec!["public", "unbound"],
                default: "public",
            },
            VariantDescription {
                name: "preimage",
                values: vec!["witness", "public"],
                default: "witness",
            },
        ],
        unsound: vec![Unsound {
            variant: BTreeMap::from([("constants", "unbound")]),
            check: "reject-wrong-constants",
            reason: "the round constants are a trace column of the prover's choice that no \
                     constraint and no public coin ties to the verifier's, so a proof of an image \
                     under other constants is accepted",
        }],
    }
}

/// The options of `ProofOptions` in their order, and the hash. The defaults are earlier work's.
fn options() -> Vec<OptionDescription> {
    let integer = |name, minimum, maximum, default, help| OptionDescription::Integer {
        name,
        minimum,
        maximum,
        values: Vec::new(),
        default,
        help,
    };
    let one_of = |name, values: Vec<u64>, default, help| OptionDescription::Integer {
        name,
        minimum: values[0],
        maximum: values[values.len() - 1],
        values,
        default,
        help,
    };
    vec![
        integer("queries", 1, 255, 42, "number of FRI queries"),
        one_of(
            "blowup",
            (1..=7).map(|bits| 1 << bits).collect(),
            8,
            "size of the low-degree-extension domain over the length of the trace",
        ),
        integer("grinding", 0, 32, 16, "bits of proof of work before the queries are drawn"),
        OptionDescription::Choice {
            name: "extension",
            values: names(&EXTENSIONS),
            default: "none",
            help: "extension of the field that the verifier's coins are drawn from",
        },
        one_of("folding", vec![2, 4, 8, 16], 8, "factor by which a FRI layer is smaller"),
        one_of(
            "remainder_max_degree",
            (0..=8).map(|bits| (1 << bits) - 1).collect(),
            31,
            "greatest degree of the polynomial that FRI ends with",
        ),
        OptionDescription::Choice {
            name: "hash",
            values: names(&HASHES),
            default: "blake3-256",
            help: "hash of commitments and coins",
        },
    ]
}

fn parameters(configuration: &Configuration) -> Parameters {
    // Every integer option is bounded by 255 in the description.
    let small = |name| configuration.option_integer(name) as usize;
    Parameters {
        queries: small("queries"),
        blowup: small("blowup"),
        grinding: small("grinding") as u32,
        extension: *named(&EXTENSIONS, configuration.option_choice("extension")),
        folding: small("folding"),
        remainder_max_degree: small("remainder_max_degree"),
    }
}

fn shape(configuration: &Configuration) -> Shape {
    Shape {
        rounds: configuration.rounds(),
        constants: match configuration.variant("constants") {
            "unbound" => Constants::Unbound,
            _ => Constants::Public,
        },
        preimage_public: configuration.variant("preimage") == "public",
    }
}

fn hash(configuration: &Configuration) -> &'static Engine {
    named(&HASHES, configuration.option_choice("hash"))
}

fn names<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
    table.iter().map(|(name, _)| *name).collect()
}

/// The entry of a table under a name that the description took from the same table.
fn named<T>(table: &'static [(&'static str, T)], name: &str) -> &'static T {
    match table.iter().find(|(candidate, _)| *candidate == name) {
        Some((_, value)) => value,
        None => panic!("the description offers {name}, which its table lacks"),
    }
}

#[cfg(test)]
mod tests {
    use winterfell::math::StarkField;

    use super::*;

    #[test]
    fn the_description_has_no_faults() {
        assert_eq!(F128.description().faults(), Vec::<String>::new());
    }

    #[test]
    fn the_modulus_is_that_of_the_library() {
        let field = F128.description().field;
        assert_eq!(field.modulus, format!("{:#x}", BaseElement::MODULUS));
        assert_eq!(field.bits, BaseElement::MODULUS_BITS);
    }
}
