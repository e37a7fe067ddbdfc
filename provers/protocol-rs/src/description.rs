//! What a runner says about itself: the answer to `describe`, and the ground on which every request
//! is judged.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::hash;
use crate::public_input::STATEMENTS;

/// The library a runner measures.
#[derive(Clone, Debug, Serialize)]
pub struct Library {
    /// Name in its package registry.
    pub name: &'static str,
    /// Exact version.
    pub version: &'static str,
}

/// How the binary was built; `RUNNER describe` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Build {
    /// Rust target triple.
    pub target: &'static str,
    /// Cargo profile, `release` for anything published.
    pub profile: &'static str,
    /// Features of the measured library that bear on its times.
    pub features: Vec<&'static str>,
    /// Value of `-C target-cpu`, `generic` where none was given.
    pub target_cpu: &'static str,
}

/// The phases of the protocol, in the order in which they happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Source circuit to constraint system.
    Compile,
    /// Constraint system to keys or generators.
    Setup,
    /// Instance to full assignment or trace.
    Witness,
    /// Assignment and keys to serialised proof.
    Prove,
    /// Serialised proof and public input to verdict.
    Verify,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Phase; 5] =
        [Phase::Compile, Phase::Setup, Phase::Witness, Phase::Prove, Phase::Verify];

    /// The name used in messages.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Compile => "compile",
            Phase::Setup => "setup",
            Phase::Witness => "witness",
            Phase::Prove => "prove",
            Phase::Verify => "verify",
        }
    }
}

/// One system: library, version, scheme, field or curve.
#[derive(Clone, Debug, Serialize)]
pub struct SystemDescription {
    /// Name, such as `bellman/groth16/bls12-381`.
    pub system: &'static str,
    /// Proof scheme, such as `groth16`.
    pub scheme: &'static str,
    /// Curve, where there is one.
    pub curve: Option<&'static str>,
    /// Field of the statement.
    pub field: FieldDescription,
    /// What the scheme promises and assumes.
    pub properties: Properties,
    /// Phases that are timed by themselves.
    pub phases: Vec<TimedPhase>,
    /// Phases that do not exist, and why.
    pub absent_phases: Vec<AbsentPhase>,
    /// Legal thread counts.
    pub threads: Threads,
    /// Whether all proofs of a configuration have the same size.
    pub proof_size: ProofSize,
    /// Statements the system proves.
    pub statements: Vec<StatementDescription>,
    /// Options of the proof scheme.
    pub options: Vec<OptionDescription>,
    /// Bits of a proof whose change the library accepts.
    pub malleable: Vec<Malleable>,
}

/// The field in which the statement lives.
#[derive(Clone, Debug, Serialize)]
pub struct FieldDescription {
    /// Short name, such as `bls12-381-scalar`.
    pub name: &'static str,
    /// Order as `0x` and lower-case hexadecimal digits without leading zeros.
    pub modulus: &'static str,
    /// Bits of the order.
    pub bits: u32,
}

/// What a scheme promises and assumes.
#[derive(Clone, Debug, Serialize)]
pub struct Properties {
    /// Whether somebody has to be trusted with secrets of a set-up.
    pub trusted_setup: TrustedSetup,
    /// Whether all parameters are public coin.
    pub transparent: bool,
    /// Whether the assumptions are believed to hold against quantum computers.
    pub post_quantum: bool,
    /// Whether proofs hide the witness.
    pub zero_knowledge: ZeroKnowledge,
    /// Assumptions, in words.
    pub assumptions: &'static str,
    /// Whether the library verifies many proofs together for less than one after the other.
    pub batch_verification: BatchVerification,
}

/// Verification of many proofs under one key in one call, as the library's own interface has it.
#[derive(Clone, Debug, Serialize)]
pub struct BatchVerification {
    /// Whether there is such a call.
    pub supported: bool,
    /// The library's own words, or what was looked at and has none, with where it stands.
    pub source: &'static str,
}

/// Kind of trusted set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustedSetup {
    /// Nobody is trusted.
    None,
    /// One set-up for all circuits up to a size.
    Universal,
    /// One set-up for each circuit.
    PerCircuit,
}

/// Zero knowledge, with the words of the library that say so.
#[derive(Clone, Debug, Serialize)]
pub struct ZeroKnowledge {
    /// Yes, no or partly.
    pub level: ZeroKnowledgeLevel,
    /// The library's own words, with where they stand.
    pub source: &'static str,
}

/// Degree of zero knowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ZeroKnowledgeLevel {
    /// Proofs hide the witness.
    Yes,
    /// The library makes no such promise.
    No,
    /// The library promises less than full hiding.
    Partial,
}

/// A phase that is timed by itself.
#[derive(Clone, Debug, Serialize)]
pub struct TimedPhase {
    /// The phase.
    pub phase: Phase,
    /// Phases the library fuses into it.
    pub includes: Vec<Phase>,
}

/// A phase that does not exist for a system.
#[derive(Clone, Debug, Serialize)]
pub struct AbsentPhase {
    /// The phase.
    pub phase: Phase,
    /// Why there is none.
    pub reason: &'static str,
}

/// Legal thread counts and how they are enforced.
#[derive(Clone, Debug, Serialize)]
pub struct Threads {
    /// Fewest threads.
    pub minimum: u32,
    /// Most threads; no limit where `None`.
    pub maximum: Option<u32>,
    /// How the count is enforced.
    pub how: &'static str,
}

/// Whether the size of a proof depends on the instance or on chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProofSize {
    /// The same for every proof of one configuration.
    Constant,
    /// Different from proof to proof.
    Varies,
}

/// A statement a system proves.
#[derive(Clone, Debug, Serialize)]
pub struct StatementDescription {
    /// Name as in STATEMENTS.md.
    pub statement: &'static str,
    /// Legal sizes.
    pub size: SizeRange,
    /// Design choices of the circuit.
    pub variants: Vec<VariantDescription>,
    /// Variants known to be unsound, and how it shows.
    pub unsound: Vec<Unsound>,
}

/// Legal sizes of a statement.
#[derive(Clone, Debug, Serialize)]
pub struct SizeRange {
    /// Name of the size, such as `rounds`.
    pub name: &'static str,
    /// Smallest size.
    pub minimum: u64,
    /// Largest size.
    pub maximum: u64,
    /// Which sizes between the two are supported.
    pub rule: SizeRule,
}

/// Which sizes of a range are supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SizeRule {
    /// Every one.
    Any,
    /// 2^k.
    PowerOfTwo,
    /// 2^k − 1.
    PowerOfTwoMinusOne,
}

/// A design choice of the circuit.
#[derive(Clone, Debug, Serialize)]
pub struct VariantDescription {
    /// Name, such as `constants`.
    pub name: &'static str,
    /// Legal values.
    pub values: Vec<&'static str>,
    /// Value where a request names none.
    pub default: &'static str,
}

/// A variant that is kept although it is unsound.
#[derive(Clone, Debug, Serialize)]
pub struct Unsound {
    /// The variant, as names and values.
    pub variant: BTreeMap<&'static str, &'static str>,
    /// The one check it must fail.
    pub check: &'static str,
    /// Why it is unsound.
    pub reason: &'static str,
}

/// An option of the proof scheme.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum OptionDescription {
    /// A number.
    Integer {
        /// Name of the option.
        name: &'static str,
        /// Smallest value.
        minimum: u64,
        /// Largest value.
        maximum: u64,
        /// The only legal values; every one of the range where empty.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        values: Vec<u64>,
        /// Value where a request names none.
        default: u64,
        /// What it is, in a few words.
        help: &'static str,
    },
    /// One of several names.
    Choice {
        /// Name of the option.
        name: &'static str,
        /// Legal values.
        values: Vec<&'static str>,
        /// Value where a request names none.
        default: &'static str,
        /// What it is, in a few words.
        help: &'static str,
    },
}

impl OptionDescription {
    /// Name of the option.
    pub fn name(&self) -> &'static str {
        match self {
            OptionDescription::Integer { name, .. } | OptionDescription::Choice { name, .. } => {
                name
            }
        }
    }
}

/// Bits of a proof whose change a library accepts.
#[derive(Clone, Debug, Serialize)]
pub struct Malleable {
    /// The place, in words.
    #[serde(rename = "where")]
    pub place: &'static str,
    /// Bit positions from the start of the serialised proof; bit 0 is the least significant of byte 0.
    pub bits: Vec<u64>,
    /// Why the library accepts the change.
    pub reason: &'static str,
}

impl SystemDescription {
    /// Whether the system times this phase by itself.
    pub fn times(&self, phase: Phase) -> bool {
        self.phases.iter().any(|timed| timed.phase == phase)
    }

    /// What is wrong with the description; empty for a good one. Meant for the tests of a runner:
    /// every phase has exactly one place, statements are defined, defaults are legal, names occur
    /// once, and what is declared unsound exists.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for phase in Phase::ALL {
            let included = self.phases.iter().any(|timed| timed.includes.contains(&phase));
            let absent = self.absent_phases.iter().filter(|absent| absent.phase == phase).count();
            let timed = self.phases.iter().filter(|timed| timed.phase == phase).count();
            if timed + usize::from(included) + absent != 1 {
                faults.push(format!("phase {} has not exactly one place", phase.name()));
            }
        }
        let mut names = BTreeSet::new();
        for option in &self.options {
            if !names.insert(option.name()) {
                faults.push(format!("option {} occurs twice", option.name()));
            }
            let default_is_legal = match option {
                OptionDescription::Integer { minimum, maximum, values, default, .. } => {
                    (minimum..=maximum).contains(&default)
                        && (values.is_empty() || values.contains(default))
                }
                OptionDescription::Choice { values, default, .. } => values.contains(default),
            };
            if !default_is_legal {
                faults.push(format!("the default of option {} is not legal", option.name()));
            }
        }
        for statement in &self.statements {
            let named = (statement.statement, statement.size.name);
            if !STATEMENTS.contains(&named) {
                faults.push(format!("statement {} with size {} is none", named.0, named.1));
            }
            if statement.statement == hash::STATEMENT && !names_functions(statement) {
                faults.push(format!("{} has no functions that exist", hash::STATEMENT));
            }
            let mut names = BTreeSet::new();
            for variant in &statement.variants {
                if !names.insert(variant.name) {
                    faults.push(format!("variant {} occurs twice", variant.name));
                }
                if !variant.values.contains(&variant.default) {
                    faults.push(format!("the default of variant {} is not legal", variant.name));
                }
            }
            for (name, value) in statement.unsound.iter().flat_map(|unsound| &unsound.variant) {
                let known = |variant: &VariantDescription| {
                    variant.name == *name && variant.values.contains(value)
                };
                if !statement.variants.iter().any(known) {
                    faults.push(format!("unsound variant {name}={value} does not exist"));
                }
            }
        }
        if !self.field.modulus.strip_prefix("0x").is_some_and(|digits| {
            !digits.starts_with('0')
                && !digits.is_empty()
                && digits.len() <= 64
                && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        }) {
            faults.push("the field's modulus is not in canonical hexadecimal".to_owned());
        }
        faults
    }
}

/// Whether the variant of a `hash-preimage` that names the function is there and names nothing else.
fn names_functions(statement: &StatementDescription) -> bool {
    let mut variants = statement.variants.iter().filter(|variant| variant.name == hash::FUNCTION);
    variants.next().is_some_and(|variant| {
        variant.values.iter().all(|name| hash::Function::from_name(name).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::System;
    use crate::toy::Toy;

    #[test]
    fn a_good_description_has_no_faults() {
        assert_eq!(Toy.description().faults(), Vec::<String>::new());
    }

    #[test]
    fn a_statement_that_is_not_defined_is_a_fault() {
        let changes: [fn(&mut StatementDescription); 4] = [
            |statement| statement.statement = "factoring",
            |statement| statement.size.name = "rounds",
            |statement| statement.variants[0].values.push("md5"),
            |statement| drop(statement.variants.remove(0)),
        ];
        for change in changes {
            let mut description = Toy.description();
            let hash = description.statements.iter_mut().find(|s| s.statement == hash::STATEMENT);
            change(hash.unwrap());
            assert_eq!(description.faults().len(), 1, "{:?}", description.faults());
        }
    }
}
