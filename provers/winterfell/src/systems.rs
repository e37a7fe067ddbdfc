//! The systems of this runner, and how a request becomes a configuration of the library.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use nizk_protocol::{
    AbsentPhase, Configuration, Failure, FieldDescription, OptionDescription, Phase, ProofSize,
    Properties, Rejection, Seed, Session, SizeRange, SizeRule, StatementDescription, System,
    SystemDescription, Threads, TimedPhase, TrustedSetup, Unsound, VariantDescription, Verifier,
    ZeroKnowledge, ZeroKnowledgeLevel, mimc,
};
use winterfell::crypto::hashers::{Blake3_192, Blake3_256, Rp64_256, RpJive64_256, Sha3_256};
use winterfell::math::fields::{f64, f128};
use winterfell::{BatchingMethod, FieldExtension};

use crate::air::{Constants, Shape};
use crate::options::{Parameters, Refusal, legal};
use crate::session::{Engine, Over};

const EXTENSIONS: [(&str, FieldExtension); 3] = [
    ("none", FieldExtension::None),
    ("quadratic", FieldExtension::Quadratic),
    ("cubic", FieldExtension::Cubic),
];

const BATCHINGS: [(&str, BatchingMethod); 3] = [
    ("linear", BatchingMethod::Linear),
    ("algebraic", BatchingMethod::Algebraic),
    ("horner", BatchingMethod::Horner),
];

/// What the systems of this library differ in.
pub struct Stark {
    system: &'static str,
    field: FieldDescription,
    /// How many of [`EXTENSIONS`] the field has.
    extensions: usize,
    default_extension: &'static str,
    hashes: &'static [(&'static str, &'static dyn Engine)],
}

/// STARKs over the 128-bit field, for which the library has no cubic extension.
pub const F128: Stark = Stark {
    system: "winterfell/stark/f128",
    field: FieldDescription {
        name: "f128",
        modulus: "0xffffffffffffffffffffd30000000001",
        bits: 128,
    },
    extensions: 2,
    default_extension: "none",
    hashes: &[
        ("blake3-192", &Over::<f128::BaseElement, Blake3_192<f128::BaseElement>>(PhantomData)),
        ("blake3-256", &Over::<f128::BaseElement, Blake3_256<f128::BaseElement>>(PhantomData)),
        ("sha3-256", &Over::<f128::BaseElement, Sha3_256<f128::BaseElement>>(PhantomData)),
    ],
};

/// STARKs over the 64-bit field, whose coins need an extension to be worth anything.
pub const F64: Stark = Stark {
    system: "winterfell/stark/f64",
    field: FieldDescription { name: "f64", modulus: "0xffffffff00000001", bits: 64 },
    extensions: 3,
    default_extension: "quadratic",
    hashes: &[
        ("blake3-192", &Over::<f64::BaseElement, Blake3_192<f64::BaseElement>>(PhantomData)),
        ("blake3-256", &Over::<f64::BaseElement, Blake3_256<f64::BaseElement>>(PhantomData)),
        ("sha3-256", &Over::<f64::BaseElement, Sha3_256<f64::BaseElement>>(PhantomData)),
        ("rp64-256", &Over::<f64::BaseElement, Rp64_256>(PhantomData)),
        ("rpjive64-256", &Over::<f64::BaseElement, RpJive64_256>(PhantomData)),
    ],
};

impl Stark {
    /// The field with each of its hashes, under the names that the option `hash` has.
    pub fn engines(&self) -> &'static [(&'static str, &'static dyn Engine)] {
        self.hashes
    }

    fn engine(&self, configuration: &Configuration) -> &'static dyn Engine {
        named(self.hashes, configuration.option_choice("hash"))
    }

    fn statement(&self) -> StatementDescription {
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
                         constraint and no public coin ties to the verifier's, so a proof of an \
                         image under other constants is accepted",
            }],
        }
    }

    fn options(&self) -> Vec<OptionDescription> {
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
        let choice =
            |name, values, default, help| OptionDescription::Choice { name, values, default, help };
        let batching = || names(&BATCHINGS);
        vec![
            integer("queries", 1, 255, 42, "number of FRI queries"),
            one_of(
                "blowup",
                (1..=7).map(|bits| 1 << bits).collect(),
                8,
                "size of the low-degree-extension domain over the length of the trace",
            ),
            integer("grinding", 0, 32, 16, "bits of proof of work before the queries are drawn"),
            choice(
                "extension",
                names(&EXTENSIONS[..self.extensions]),
                self.default_extension,
                "extension of the field that the verifier's coins are drawn from",
            ),
            one_of("folding", vec![2, 4, 8, 16], 8, "factor by which a FRI layer is smaller"),
            one_of(
                "remainder_max_degree",
                (0..=8).map(|bits| (1 << bits) - 1).collect(),
                31,
                "greatest degree of the polynomial that FRI ends with",
            ),
            choice("hash", names(self.hashes), "blake3-256", "hash of commitments and coins"),
            choice(
                "batching_constraints",
                batching(),
                "linear",
                "how the constraints are combined into one",
            ),
            choice(
                "batching_deep",
                batching(),
                "linear",
                "how the openings are combined into the DEEP polynomial",
            ),
            integer("partitions", 1, 16, 1, "parts that a row is split into before it is hashed"),
            integer(
                "hash_rate",
                1,
                255,
                1,
                "elements that one permutation of the hash absorbs, the least size of a part",
            ),
        ]
    }
}

impl System for Stark {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: self.system,
            scheme: "stark",
            curve: None,
            field: self.field.clone(),
            properties: Properties {
                trusted_setup: TrustedSetup::None,
                transparent: true,
                post_quantum: true,
                zero_knowledge: ZeroKnowledge {
                    level: ZeroKnowledgeLevel::No,
                    source: "\"The current implementation provides succinct proofs but NOT perfect \
                             zero-knowledge. This means that, in its current form, the library may \
                             not be suitable for use cases where proofs must not leak any info \
                             about secret inputs.\" (README.md of github.com/facebook/winterfell, \
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
                maximum: None,
                how: "rayon global pool of this many threads, and the CPU affinity the harness sets",
            },
            proof_size: ProofSize::Varies,
            statements: vec![self.statement()],
            options: self.options(),
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
        let (parameters, shape) = (parameters(configuration), shape(configuration));
        Ok(self.engine(configuration).open(parameters, shape, seed, configuration.threads()))
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
        Ok(self.engine(configuration).verifier(&parameters, shape(configuration)))
    }
}

/// The options of a validated request.
pub fn parameters(configuration: &Configuration) -> Parameters {
    let integer = |name| configuration.option_integer(name);
    let choice = |name| configuration.option_choice(name);
    // Every integer option is bounded by 255 in the description.
    let small = |name| integer(name) as usize;
    Parameters {
        queries: small("queries"),
        blowup: small("blowup"),
        grinding: integer("grinding") as u32,
        extension: named(&EXTENSIONS, choice("extension")),
        folding: small("folding"),
        remainder_max_degree: small("remainder_max_degree"),
        batching_constraints: named(&BATCHINGS, choice("batching_constraints")),
        batching_deep: named(&BATCHINGS, choice("batching_deep")),
        partitions: small("partitions"),
        hash_rate: small("hash_rate"),
    }
}

/// The shape of the statement that a validated request asks for.
pub fn shape(configuration: &Configuration) -> Shape {
    Shape {
        rounds: configuration.rounds(),
        constants: match configuration.variant("constants") {
            "unbound" => Constants::Unbound,
            _ => Constants::Public,
        },
        preimage_public: configuration.variant("preimage") == "public",
    }
}

fn names<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
    table.iter().map(|(name, _)| *name).collect()
}

/// The entry of a table under a name that the description took from the same table.
fn named<T: Copy>(table: &[(&'static str, T)], name: &str) -> T {
    match table.iter().find(|(candidate, _)| *candidate == name) {
        Some((_, value)) => *value,
        None => panic!("the description offers {name}, which its table lacks"),
    }
}

#[cfg(test)]
mod tests {
    use winterfell::math::StarkField;

    use super::*;

    #[test]
    fn descriptions_have_no_faults() {
        for stark in [F128, F64] {
            assert_eq!(stark.description().faults(), Vec::<String>::new(), "{}", stark.system);
        }
    }

    #[test]
    fn moduli_are_those_of_the_library() {
        assert_eq!(F128.field.modulus, format!("{:#x}", f128::BaseElement::MODULUS));
        assert_eq!(F64.field.modulus, format!("{:#x}", f64::BaseElement::MODULUS));
        assert_eq!(F128.field.bits, f128::BaseElement::MODULUS_BITS);
        assert_eq!(F64.field.bits, f64::BaseElement::MODULUS_BITS);
    }
}
