//! `legal` says what the library does: over grids of small sizes, the library proves and verifies
//! exactly where it says so.

use nizk_protocol::{Seed, Verdict};
use nizk_winterfell::air::{Constants, Shape};
use nizk_winterfell::options::Parameters;
use nizk_winterfell::rules::{MOST_DISTINCT_QUERIES, legal};
use nizk_winterfell::session::Engine;
use nizk_winterfell::systems::{F64, F128};
use winterfell::crypto::hashers::Blake3_256;
use winterfell::math::fields::f64;
use winterfell::{BatchingMethod, FieldExtension};

use crate::instances::{instance, library_accepts, prove, small, unwound};

const BATCHINGS: [BatchingMethod; 3] =
    [BatchingMethod::Linear, BatchingMethod::Algebraic, BatchingMethod::Horner];

/// Whether the library makes a proof and the verifier accepts it.
pub(crate) fn works(engine: &dyn Engine, rounds: usize, parameters: Parameters) -> bool {
    unwound(|| {
        let shape = Shape { rounds, constants: Constants::Public, preimage_public: false };
        let mut session = engine.open(parameters, shape, &Seed::new([1; 32]), 1);
        session.load_instance(0).is_ok()
            && session.witness().is_ok()
            && session.prove().is_ok()
            && session.verify() == Ok(Verdict::Accepted)
            // The library's accounts of security must not panic either.
            && session.security().len() == 3
    })
    .unwrap_or(false)
}

/// The engine of `f64` with the hash that is quickest to prove with.
fn quick() -> &'static dyn Engine {
    F64.engines().iter().find(|(hash, _)| *hash == "blake3-256").expect("f64 has blake3-256").1
}

#[test]
fn queries_blowup_folding_and_remainder_work_together_exactly_where_they_are_legal() {
    for rounds in [7, 15, 31] {
        for blowup in [2, 4, 16] {
            let domain = (rounds + 1) * blowup;
            for folding in [2, 4, 8, 16] {
                for remainder_max_degree in [0, 1, 3, 7, 15, 31, 255] {
                    for queries in [1, 5, domain - 1, domain, domain + 1] {
                        let parameters = Parameters {
                            queries: queries.min(MOST_DISTINCT_QUERIES),
                            blowup,
                            folding,
                            remainder_max_degree,
                            ..small()
                        };
                        let legal = legal(rounds, &parameters);
                        let works = works(quick(), rounds, parameters);
                        assert_eq!(works, legal.is_ok(), "{rounds} {parameters:?}: {legal:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_hash_works_with_every_extension_of_its_field_and_every_batching_and_partition() {
    let extensions = [FieldExtension::None, FieldExtension::Quadratic, FieldExtension::Cubic];
    let partitions = [(1, 1), (1, 255), (2, 1), (2, 2), (2, 4), (3, 1), (16, 1), (16, 255)];
    for (system, extensions) in [(F128, &extensions[..2]), (F64, &extensions[..])] {
        for (hash, engine) in system.engines() {
            for extension in extensions {
                for (partitions, hash_rate) in partitions {
                    for batching in 0..9 {
                        let parameters = Parameters {
                            extension: *extension,
                            batching_constraints: BATCHINGS[batching / 3],
                            batching_deep: BATCHINGS[batching % 3],
                            partitions,
                            hash_rate,
                            ..small()
                        };
                        assert_eq!(legal(7, &parameters), Ok(()));
                        assert!(works(*engine, 7, parameters), "{hash} {parameters:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn f128_has_no_cubic_extension() {
    let parameters = Parameters { extension: FieldExtension::Cubic, ..small() };
    for (hash, engine) in F128.engines() {
        assert!(!works(*engine, 7, parameters), "{hash}");
    }
}

#[test]
fn the_verifier_of_the_library_cannot_read_255_distinct_queries() {
    for (queries, readable) in [(255, false), (254, true)] {
        let parameters = Parameters { queries, blowup: 128, ..small() };
        assert_eq!(legal(127, &parameters).is_ok(), readable);
        // Draws repeat by chance, so some seed gives all distinct queries before long.
        let (instance, proof) = (0..=u8::MAX)
            .map(|seed| {
                let instance = instance::<f64::BaseElement>(127, seed, Constants::Public);
                let proof = prove::<_, Blake3_256<_>>(&parameters, &instance);
                (instance, proof)
            })
            .find(|(_, proof)| usize::from(proof.num_unique_queries) == queries)
            .expect("a seed without repeated queries");
        let bytes = proof.to_bytes();
        let accepted = library_accepts::<_, Blake3_256<_>>(&parameters, &instance.public, &bytes);
        assert_eq!(accepted, readable, "{queries} queries");
    }
}

#[test]
fn sizes_that_are_no_power_of_two_less_one_are_refused() {
    for rounds in [0, 1, 3, 6, 8, 100, 4096] {
        assert_eq!(legal(rounds, &small()).map_err(|refusal| refusal.option), Err("size.rounds"));
    }
    for rounds in [7, 15, 4095, 16383] {
        assert_eq!(legal(rounds, &small()), Ok(()));
    }
}
