//! The rules decide over the grid of options as the library does: it proves and verifies every
//! combination that they call legal, and no other.
//!
//! A rule reads the size, the queries, the blowup, the folding factor and the remainder degree, and
//! nothing else (see `legal`): these are combined each with each, and with every field, extension and
//! hash. Batching, partitions and proof of work take turns from one combination to the next;
//! `options.rs` combines them with each other. The recorded grid has every legal combination of its
//! crossings, each proven and verified (`tests/test_reference_grid.py`).

use nizk_winterfell::options::Parameters;
use nizk_winterfell::rules::{MOST_DISTINCT_QUERIES, legal};
use nizk_winterfell::session::Engine;
use nizk_winterfell::systems::{F64, F128};
use winterfell::{BatchingMethod, FieldExtension};

use crate::instances::small;
use crate::options::works;

const BLOWUPS: [usize; 5] = [2, 4, 8, 16, 32];
const FOLDINGS: [usize; 4] = [2, 4, 8, 16];
const REMAINDERS: [usize; 9] = [0, 1, 3, 7, 15, 31, 63, 127, 255];

static EXTENSIONS: [FieldExtension; 3] =
    [FieldExtension::None, FieldExtension::Quadratic, FieldExtension::Cubic];
const BATCHINGS: [BatchingMethod; 3] =
    [BatchingMethod::Linear, BatchingMethod::Algebraic, BatchingMethod::Horner];

/// Every field, hash and extension of the two systems: the engine with a name, and the extension.
fn engines() -> impl Iterator<Item = (String, &'static dyn Engine, FieldExtension)> {
    [("f128", F128, &EXTENSIONS[..2]), ("f64", F64, &EXTENSIONS[..])].into_iter().flat_map(
        |(field, system, extensions)| {
            system.engines().iter().flat_map(move |(hash, engine)| {
                extensions
                    .iter()
                    .map(move |extension| (format!("{field} {hash}"), *engine, *extension))
            })
        },
    )
}

/// Every combination of what the rules read, with queries on both sides of the domain's size.
fn combined<'a>(
    rounds: usize,
    blowups: &'a [usize],
    queries: &'a [usize],
) -> impl Iterator<Item = Parameters> + 'a {
    blowups.iter().flat_map(move |&blowup| {
        let domain = (rounds + 1) * blowup;
        let mut counts: Vec<usize> = queries.to_vec();
        counts.extend([domain - 1, domain]);
        counts.retain(|&count| count <= 255);
        counts.into_iter().flat_map(move |queries| {
            FOLDINGS.into_iter().flat_map(move |folding| {
                REMAINDERS.into_iter().map(move |remainder_max_degree| Parameters {
                    queries,
                    blowup,
                    folding,
                    remainder_max_degree,
                    ..small()
                })
            })
        })
    })
}

/// The options that no rule reads, another choice of them for each number.
fn taking_turns(parameters: Parameters, number: usize) -> Parameters {
    Parameters {
        batching_constraints: BATCHINGS[number % 3],
        batching_deep: BATCHINGS[number / 3 % 3],
        partitions: 1 + number / 9 % 2,
        grinding: (number / 18 % 3 * 2) as u32,
        ..parameters
    }
}

/// How many combinations were legal and how many were not, after each was tried.
fn tried(
    what: &str,
    engine: &dyn Engine,
    rounds: usize,
    combinations: impl Iterator<Item = Parameters>,
) -> (usize, usize) {
    let (mut legal_ones, mut others) = (0, 0);
    for parameters in combinations {
        // 255 queries fail if all of them are distinct, which is a matter of luck on a domain not much
        // larger: `options.rs` shows both outcomes.
        if parameters.queries > MOST_DISTINCT_QUERIES {
            assert!(legal(rounds, &parameters).is_err(), "{rounds} {parameters:?}");
            others += 1;
            continue;
        }
        let verdict = legal(rounds, &parameters);
        let works = works(engine, rounds, parameters);
        assert_eq!(works, verdict.is_ok(), "{what}, {rounds} rounds, {parameters:?}: {verdict:?}");
        if works {
            legal_ones += 1;
        } else {
            others += 1;
        }
    }
    (legal_ones, others)
}

#[test]
fn every_hash_and_extension_works_with_every_combination_exactly_where_it_is_legal() {
    let mut number = 0;
    // The smallest sizes, where every rule bites, and the one that options are compared at.
    let sizes: [(usize, &[usize], &[usize]); 3] =
        [(7, &[2, 8], &[1, 27]), (15, &[2, 8], &[1, 27]), (255, &[2], &[27])];
    for (name, engine, extension) in engines() {
        for (rounds, blowups, queries) in sizes {
            let combinations = combined(rounds, blowups, queries).map(|parameters| {
                number += 1;
                taking_turns(Parameters { extension, ..parameters }, number)
            });
            let what = format!("{name} {extension:?}");
            let (legal, others) = tried(&what, engine, rounds, combinations);
            assert!(legal > 0 && others > 0, "{what}: {legal} legal, {others} not");
        }
    }
}

#[test]
fn every_combination_of_the_grid_works_at_its_sizes_exactly_where_it_is_legal() {
    let (_, engine) = F64.engines().iter().find(|(hash, _)| *hash == "blake3-256").unwrap();
    // At the larger sizes the number of queries is far from every bound, and so is the blowup.
    let sizes: [(usize, &[usize], &[usize]); 5] = [
        (15, &BLOWUPS, &[27, 42, 100]),
        (63, &BLOWUPS, &[27, 42, 100]),
        (255, &BLOWUPS, &[27, 100]),
        (1023, &[2], &[27]),
        (4095, &[2], &[27]),
    ];
    // 4096 is a power of every folding factor: there, any of them reaches any remainder.
    for (rounds, blowups, queries) in sizes {
        let (legal, others) = tried("f64", *engine, rounds, combined(rounds, blowups, queries));
        let all_legal = rounds == 4095;
        assert!(legal > 0 && (others == 0) == all_legal, "{rounds}: {legal} legal, {others} not");
    }
}
