//! What the description of every system of the library has, whatever its version.

use std::collections::BTreeMap;

use nizk_protocol::{
    AbsentPhase, BatchVerification, Configuration, OptionDescription, Phase, Properties, SizeRule,
    StatementDescription, TimedPhase, TrustedSetup, Unsound, VariantDescription, ZeroKnowledge,
    ZeroKnowledgeLevel, mimc,
};

use crate::air::{Constants, Shape};

/// A STARK's properties; `zero_knowledge` is what the library says of it in its own words.
pub(crate) fn properties(zero_knowledge: &'static str) -> Properties {
    Properties {
        trusted_setup: TrustedSetup::None,
        transparent: true,
        post_quantum: true,
        zero_knowledge: ZeroKnowledge { level: ZeroKnowledgeLevel::No, source: zero_knowledge },
        assumptions: "collision-resistant hash, random oracle",
        batch_verification: BatchVerification {
            supported: false,
            source: "winterfell, verifier/src/lib.rs: verify takes one proof, and nothing in the library \
                     takes many",
        },
    }
}

/// The timed phases. The library takes an AIR apart within prove and verify.
pub(crate) fn phases() -> Vec<TimedPhase> {
    vec![
        TimedPhase { phase: Phase::Witness, includes: Vec::new() },
        TimedPhase { phase: Phase::Prove, includes: vec![Phase::Compile] },
        TimedPhase { phase: Phase::Verify, includes: vec![Phase::Compile] },
    ]
}

/// The phases that there are none of.
pub(crate) fn absent_phases() -> Vec<AbsentPhase> {
    vec![AbsentPhase { phase: Phase::Setup, reason: "the scheme has no keys and no generators" }]
}

/// The statement, with the variants of the AIR.
pub(crate) fn statement() -> StatementDescription {
    let mut described = mimc::described(SizeRule::PowerOfTwoMinusOne, vec!["public", "unbound"]);
    described.variants.push(VariantDescription {
        name: "preimage",
        values: vec!["witness", "public"],
        default: "witness",
    });
    described.unsound.push(Unsound {
        variant: BTreeMap::from([("constants", "unbound")]),
        check: "reject-wrong-constants",
        reason: "the round constants are a trace column of the prover's choice that no constraint \
                 and no public coin ties to the verifier's, so a proof of an image under other \
                 constants is accepted",
    });
    described
}

/// The options of `ProofOptions` that every version has, in their order, and the hash. The defaults
/// are earlier work's.
pub(crate) fn options(
    extensions: Vec<&'static str>,
    default_extension: &'static str,
    hashes: Vec<&'static str>,
) -> Vec<OptionDescription> {
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
        choice(
            "extension",
            extensions,
            default_extension,
            "extension of the field that the verifier's coins are drawn from",
        ),
        one_of("folding", vec![2, 4, 8, 16], 8, "factor by which a FRI layer is smaller"),
        one_of(
            "remainder_max_degree",
            (0..=8).map(|bits| (1 << bits) - 1).collect(),
            31,
            "greatest degree of the polynomial that FRI ends with",
        ),
        choice("hash", hashes, "blake3-256", "hash of commitments and coins"),
    ]
}

/// An option with every integer from `minimum` to `maximum`.
pub(crate) fn integer(
    name: &'static str,
    minimum: u64,
    maximum: u64,
    default: u64,
    help: &'static str,
) -> OptionDescription {
    OptionDescription::Integer { name, minimum, maximum, values: Vec::new(), default, help }
}

/// An option with these names for its values.
pub(crate) fn choice(
    name: &'static str,
    values: Vec<&'static str>,
    default: &'static str,
    help: &'static str,
) -> OptionDescription {
    OptionDescription::Choice { name, values, default, help }
}

/// The shape of the statement that a validated request asks for.
pub fn shape(configuration: &Configuration) -> Shape {
    Shape {
        rounds: configuration.size(),
        constants: match configuration.variant("constants") {
            "unbound" => Constants::Unbound,
            _ => Constants::Public,
        },
        preimage_public: configuration.variant("preimage") == "public",
    }
}

/// The names of a table.
pub(crate) fn names<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
    table.iter().map(|(name, _)| *name).collect()
}

/// The entry of a table under a name that the description took from the same table.
pub(crate) fn named<T: Copy>(table: &[(&'static str, T)], name: &str) -> T {
    match table.iter().find(|(candidate, _)| *candidate == name) {
        Some((_, value)) => *value,
        None => panic!("the description offers {name}, which its table lacks"),
    }
}
