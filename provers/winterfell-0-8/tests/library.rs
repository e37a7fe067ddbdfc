//! What this runner promises about the library: `legal` says what it does, and every bit of a proof
//! matters.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use nizk_protocol::{Seed, Session, Verdict, Verifier};
use nizk_winterfell_0_8::air::{Constants, Shape};
use nizk_winterfell_0_8::options::Parameters;
use nizk_winterfell_0_8::rules::legal;
use nizk_winterfell_0_8::session::{Engine, Over};
use winterfell::FieldExtension;
use winterfell::crypto::hashers::Blake3_256;
use winterfell::math::fields::f128::BaseElement;

const ENGINE: &dyn Engine = &Over::<BaseElement, Blake3_256<BaseElement>>(PhantomData);

fn small() -> Parameters {
    Parameters {
        queries: 4,
        blowup: 4,
        grinding: 0,
        extension: FieldExtension::None,
        folding: 2,
        remainder_max_degree: 1,
    }
}

fn shape(rounds: usize) -> Shape {
    Shape { rounds, constants: Constants::Public, preimage_public: false }
}

fn session(rounds: usize, parameters: Parameters) -> Box<dyn Session> {
    let mut session = ENGINE.open(parameters, shape(rounds), &Seed::new([7; 32]), 1);
    session.load_instance(0).expect("there is an instance");
    session.witness().expect("there is a trace");
    session.prove().expect("the prover proves");
    session
}

/// Whether the library makes a proof and the verifier accepts it.
fn works(rounds: usize, parameters: Parameters) -> bool {
    catch_unwind(AssertUnwindSafe(|| {
        let mut session = session(rounds, parameters);
        session.verify() == Ok(Verdict::Accepted) && session.security().len() == 2
    }))
    .unwrap_or(false)
}

fn rejects(judge: &dyn Verifier, session: &dyn Session, proof: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| judge.verify(&session.public_input(), proof)))
        .map_or(true, |verdict| verdict != Verdict::Accepted)
}

#[test]
fn options_work_together_exactly_where_they_are_legal() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut seen = [0, 0];
    for rounds in [7, 15, 31] {
        for blowup in [2, 8] {
            let domain = (rounds + 1) * blowup;
            for folding in [2, 4, 8, 16] {
                for remainder_max_degree in [0, 1, 3, 7, 31, 255] {
                    for queries in [1, domain - 1, domain] {
                        for extension in [FieldExtension::None, FieldExtension::Quadratic] {
                            let parameters = Parameters {
                                queries: queries.min(254),
                                blowup,
                                folding,
                                remainder_max_degree,
                                extension,
                                ..small()
                            };
                            let legal = legal(rounds, &parameters);
                            let works = works(rounds, parameters);
                            assert_eq!(works, legal.is_ok(), "{rounds} {parameters:?}: {legal:?}");
                            seen[usize::from(works)] += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?} refused and legal");
}

#[test]
fn a_proof_with_any_bit_flipped_is_rejected() {
    std::panic::set_hook(Box::new(|_| {}));
    for parameters in [
        Parameters { queries: 3, ..small() },
        // No FRI layer: the library alone never looks at the number of FRI partitions.
        Parameters { queries: 3, remainder_max_degree: 15, ..small() },
        Parameters { queries: 2, extension: FieldExtension::Quadratic, folding: 4, ..small() },
    ] {
        let session = session(7, parameters);
        let judge = ENGINE.verifier(&parameters, shape(7));
        let mut proof = session.proof().to_vec();
        assert!(!rejects(judge.as_ref(), session.as_ref(), &proof));
        for bit in 0..8 * proof.len() {
            proof[bit / 8] ^= 1 << (bit % 8);
            assert!(rejects(judge.as_ref(), session.as_ref(), &proof), "{parameters:?}: bit {bit}");
            proof[bit / 8] ^= 1 << (bit % 8);
        }
        proof.push(0);
        assert!(rejects(judge.as_ref(), session.as_ref(), &proof), "a byte more");
    }
}

/// A failed allocation would end this process, and with it the test.
#[test]
fn no_length_in_a_proof_is_allocated_before_it_is_checked() {
    std::panic::set_hook(Box::new(|_| {}));
    let session = session(7, small());
    let judge = ENGINE.verifier(&small(), shape(7));
    for position in 0..session.proof().len() - 4 {
        let mut proof = session.proof().to_vec();
        if proof[position..position + 4] == [0xff; 4] {
            continue;
        }
        proof[position..position + 4].fill(0xff);
        assert!(rejects(judge.as_ref(), session.as_ref(), &proof), "byte {position}");
    }
}
