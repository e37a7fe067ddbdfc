//! The system of this runner, and how a request becomes a configuration of the library.

use nizk_protocol::{
    AbsentPhase, BatchVerification, Configuration, Failure, FieldDescription, OptionDescription,
    Phase, ProofSize, Properties, Rejection, Seed, Session, SizeRule, System, SystemDescription,
    Threads, TimedPhase, TrustedSetup, Verifier, ZeroKnowledge, ZeroKnowledgeLevel, mimc,
};
use p3_blake3::Blake3;
use p3_keccak::Keccak256Hash;

use crate::air::Shape;
use crate::options::Parameters;
use crate::rules::{self, Refusal};
use crate::session::{Engine, Over};

/// The hashes of 256 bits over bytes, under the names that the option `hash` has.
pub const HASHES: [(&str, &dyn Engine); 2] =
    [("blake3-256", &Over(Blake3)), ("keccak-256", &Over(Keccak256Hash))];

/// STARKs over the degree-4 extension of KoalaBear.
pub struct KoalaBearStark;

impl System for KoalaBearStark {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: "plonky3/stark/koalabear-4",
            scheme: "stark",
            curve: None,
            field: FieldDescription {
                name: "koalabear-4",
                modulus: "0xf817e017d05fc017a060001fc000001",
                bits: 124,
            },
            properties: Properties {
                trusted_setup: TrustedSetup::None,
                transparent: true,
                post_quantum: true,
                zero_knowledge: ZeroKnowledge {
                    level: ZeroKnowledgeLevel::No,
                    source: "\"Returns 1 if the [`Pcs`] is zero-knowledge, 0 otherwise.\" \
                             (StarkGenericConfig::is_zk, p3-uni-stark 0.8.0), which is 0 here: \
                             \"const ZK: bool = false\" (TwoAdicFriPcs, p3-fri 0.8.0); the hiding \
                             HidingFriPcs is not used",
                },
                assumptions: "collision-resistant hash, random oracle",
                batch_verification: BatchVerification {
                    supported: false,
                    source: "p3-uni-stark 0.8.0, src/verifier.rs: verify takes one proof; \
                             p3-batch-stark makes one proof of many instances instead",
                },
            },
            phases: vec![
                TimedPhase { phase: Phase::Witness, includes: Vec::new() },
                TimedPhase { phase: Phase::Prove, includes: vec![Phase::Compile] },
                TimedPhase { phase: Phase::Verify, includes: vec![Phase::Compile] },
            ],
            absent_phases: vec![AbsentPhase {
                phase: Phase::Setup,
                reason: "the scheme has no keys and no generators, and no column is committed to in \
                         advance",
            }],
            threads: Threads {
                minimum: 1,
                maximum: None,
                how: "rayon global pool of this many threads, and the CPU affinity the harness sets",
            },
            proof_size: ProofSize::Varies,
            statements: vec![mimc::described(SizeRule::PowerOfTwoMinusOne, vec!["public"])],
            options: options(),
            malleable: Vec::new(),
        }
    }

    fn legal(&self, configuration: &Configuration) -> Result<(), Failure> {
        let legal =
            shape(configuration).and_then(|shape| rules::legal(shape, &parameters(configuration)));
        legal.map_err(|Refusal { rule, option, message }| {
            Failure::unsupported(rule, option, message)
        })
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        let shape = shape(configuration).map_err(|refusal| Failure::internal(refusal.message))?;
        Ok(engine(configuration).open(parameters(configuration), shape, seed))
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
        let shape = shape(configuration)
            .and_then(|shape| rules::legal(shape, &parameters).map(|()| shape))
            .map_err(|refusal| Rejection::new(refusal.message))?;
        Ok(engine(configuration).verifier(parameters, shape))
    }
}

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
    let powers = |from: u32, to: u32| (from..=to).map(|bits| 1 << bits).collect();
    vec![
        integer("queries", 1, 255, 142, "number of FRI queries"),
        one_of(
            "blowup",
            powers(1, 7),
            2,
            "size of the low-degree-extension domain over the length of the trace",
        ),
        integer("grinding", 0, 24, 0, "bits of proof of work before the queries are drawn"),
        integer(
            "folding_grinding",
            0,
            24,
            0,
            "bits of proof of work before each folding challenge is drawn",
        ),
        one_of("folding", powers(1, 4), 4, "greatest factor by which a FRI layer is smaller"),
        one_of(
            "remainder_max_degree",
            (0..=8).map(|bits| (1 << bits) - 1).collect(),
            0,
            "greatest degree of the polynomial that FRI ends with",
        ),
        OptionDescription::Choice {
            name: "hash",
            values: HASHES.iter().map(|(name, _)| *name).collect(),
            default: "blake3-256",
            help: "hash of commitments and coins",
        },
        one_of(
            "rounds_per_row",
            powers(1, 6),
            16,
            "most rounds in a row of the trace, fewer where it would have less than four rows",
        ),
    ]
}

/// The options of a validated request.
pub fn parameters(configuration: &Configuration) -> Parameters {
    // Every integer option is bounded by 255 in the description.
    let small = |name| configuration.option_integer(name) as usize;
    Parameters {
        queries: small("queries"),
        blowup: small("blowup"),
        grinding: small("grinding"),
        folding_grinding: small("folding_grinding"),
        folding: small("folding"),
        remainder_max_degree: small("remainder_max_degree"),
    }
}

/// The trace of a validated request.
///
/// # Errors
///
/// See [`rules::shape`].
pub fn shape(configuration: &Configuration) -> Result<Shape, Refusal> {
    let rounds_per_row = configuration.option_integer("rounds_per_row") as usize;
    rules::shape(configuration.size(), rounds_per_row)
}

fn engine(configuration: &Configuration) -> &'static dyn Engine {
    let name = configuration.option_choice("hash");
    match HASHES.iter().find(|(candidate, _)| *candidate == name) {
        Some((_, engine)) => *engine,
        None => panic!("the description offers {name}, which its table lacks"),
    }
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeField32;

    use super::*;
    use crate::field::{Base, DEGREE};

    #[test]
    fn the_description_has_no_faults() {
        assert_eq!(KoalaBearStark.description().faults(), Vec::<String>::new());
    }

    #[test]
    fn the_order_is_that_of_the_extension() {
        let order = u128::from(Base::ORDER_U32).pow(DEGREE as u32);
        let FieldDescription { modulus, bits, .. } = KoalaBearStark.description().field;
        assert_eq!(modulus, format!("{:#x}", order));
        assert_eq!(bits, 128 - order.leading_zeros());
    }
}
