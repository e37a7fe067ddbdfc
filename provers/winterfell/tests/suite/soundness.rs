//! What an accepted proof means: the AIR binds the round constants, the one of earlier work does not;
//! the remainder of FRI is the one committed to, which the library alone does not check.

use std::sync::Arc;

use nizk_protocol::mimc;
use nizk_winterfell::air::{Constants, MimcAir, PublicInputs};
use nizk_winterfell::field::Prime;
use nizk_winterfell::options::Parameters;
use winter_air::proof::{
    Commitments, Context, OodFrame, Queries, QuotientOodFrame, TraceOodFrame, merge_ood_evaluations,
};
use winter_utils::{Deserializable, Serializable};
use winterfell::crypto::hashers::Blake3_256;
use winterfell::crypto::{DefaultRandomCoin, ElementHasher, MerkleTree, RandomCoin};
use winterfell::math::fields::f128;
use winterfell::math::{FieldElement, StarkField, ToElements, polynom};
use winterfell::{Air, Proof};

use crate::instances::{Instance, accepts, instance, library_accepts, prove, small};

type Field = f128::BaseElement;
type Hash = Blake3_256<Field>;

/// The public inputs of an honest proof, with one round constant changed after the fact.
fn with_other_constants(public: &PublicInputs<Field>) -> PublicInputs<Field> {
    let mut constants = public.round_constants.to_vec();
    constants[3] += Field::ONE;
    PublicInputs { round_constants: Arc::from(constants), ..public.clone() }
}

fn image_is_right(instance: &Instance<Field>, claimed: &PublicInputs<Field>) -> bool {
    let image = mimc::image::<Prime<Field>>(&claimed.round_constants, instance.preimage);
    image == claimed.image
}

#[test]
fn without_bound_constants_a_proof_is_accepted_under_which_the_image_is_wrong() {
    for preimage_public in [false, true] {
        let mut instance = instance::<Field>(15, 2, Constants::Unbound);
        instance.public.preimage = preimage_public.then_some(instance.preimage);
        let proof = prove::<_, Hash>(&small(), &instance).to_bytes();
        let claimed = with_other_constants(&instance.public);

        assert!(!image_is_right(&instance, &claimed), "the claim is false");
        assert!(library_accepts::<_, Hash>(&small(), &claimed, &proof));
        assert!(accepts::<_, Hash>(&small(), &claimed, &proof), "yet it is accepted");
    }
}

#[test]
fn with_bound_constants_the_same_proof_is_rejected() {
    for preimage_public in [false, true] {
        let mut instance = instance::<Field>(15, 2, Constants::Public);
        instance.public.preimage = preimage_public.then_some(instance.preimage);
        let proof = prove::<_, Hash>(&small(), &instance).to_bytes();
        assert!(accepts::<_, Hash>(&small(), &instance.public, &proof));

        let claimed = with_other_constants(&instance.public);
        assert!(!library_accepts::<_, Hash>(&small(), &claimed, &proof));
        assert!(!accepts::<_, Hash>(&small(), &claimed, &proof));
    }
}

#[test]
fn a_proof_is_rejected_for_another_image_or_another_public_preimage() {
    for constants in [Constants::Public, Constants::Unbound] {
        let mut instance = instance::<Field>(7, 3, constants);
        instance.public.preimage = Some(instance.preimage);
        let proof = prove::<_, Hash>(&small(), &instance).to_bytes();
        assert!(accepts::<_, Hash>(&small(), &instance.public, &proof));

        let mut claimed = instance.public.clone();
        claimed.image += Field::ONE;
        assert!(!accepts::<_, Hash>(&small(), &claimed, &proof), "another image");

        let (left, right) = instance.preimage;
        for preimage in [(left + Field::ONE, right), (left, right + Field::ONE)] {
            let claimed = PublicInputs { preimage: Some(preimage), ..instance.public.clone() };
            assert!(!accepts::<_, Hash>(&small(), &claimed, &proof), "another preimage");
        }
        let claimed = PublicInputs { preimage: None, ..instance.public.clone() };
        assert!(!accepts::<_, Hash>(&small(), &claimed, &proof), "a hidden preimage");
    }
}

/// Options of earlier work but for the remainder, which is large enough to leave no FRI layer.
/// By the library's own account they give 127 conjectured bits.
fn one_large_remainder() -> Parameters {
    Parameters { queries: 42, blowup: 8, folding: 8, remainder_max_degree: 63, ..small() }
}

#[test]
fn a_remainder_chosen_after_the_queries_proves_a_false_statement_to_the_library_but_not_to_us() {
    let parameters = Parameters { grinding: 1, ..one_large_remainder() };
    let honest = instance::<Field>(63, 4, Constants::Public);
    // Nobody is known to know a preimage of this image.
    let claimed = PublicInputs { image: Field::new(42), ..honest.public.clone() };
    let forged = forge(&parameters, &claimed);

    assert!(forged.conjectured_security::<Hash>().bits() >= 100);
    let bytes = forged.to_bytes();
    assert!(library_accepts::<_, Hash>(&parameters, &claimed, &bytes));
    assert!(!accepts::<_, Hash>(&parameters, &claimed, &bytes));

    // The honest proof under the same options is fine with both.
    let proof = prove::<_, Hash>(&parameters, &honest).to_bytes();
    assert!(library_accepts::<_, Hash>(&parameters, &honest.public, &proof));
    assert!(accepts::<_, Hash>(&parameters, &honest.public, &proof));
}

/// A proof of any statement without its witness, for options that leave no FRI layer and fewer queries
/// than coefficients of the remainder.
///
/// All committed columns are zero. The out-of-domain values are chosen to satisfy the constraints at
/// the out-of-domain point. The quotients that result are no low-degree polynomial, but the only
/// places where anybody looks are the queries, and a polynomial through those is found once they are
/// known: its commitment, absorbed before, is never opened.
fn forge(parameters: &Parameters, claimed: &PublicInputs<Field>) -> Proof {
    let options = parameters.proof_options();
    let shape = claimed.shape();
    let air_context = shape.air_context::<Field>(options.clone());
    let info = air_context.trace_info().clone();
    let (width, columns) = (info.width(), air_context.num_constraint_composition_columns());
    let domain = parameters.lde_domain(shape.trace_length());
    let context = Context::new::<Field>(info.clone(), options.clone(), shape.constraints());
    let air = MimcAir::new(info, claimed.clone(), options);

    let mut seed = context.to_elements();
    seed.extend(claimed.to_elements());
    let mut coin = DefaultRandomCoin::<Hash>::new(&seed);

    let zeros = |columns: usize| {
        let leaf = Hash::hash_elements(&vec![Field::ZERO; columns]);
        MerkleTree::<Hash>::new(vec![leaf; domain]).unwrap()
    };
    let (trace_tree, constraint_tree) = (zeros(width), zeros(columns));
    coin.reseed(*trace_tree.root());
    let coefficients = air.get_constraint_composition_coefficients::<Field, _>(&mut coin).unwrap();
    coin.reseed(*constraint_tree.root());
    let z: Field = coin.draw().unwrap();

    let trace_frame = TraceOodFrame::new(vec![Field::ONE; width], vec![Field::ZERO; width], width);
    let frame = trace_frame.main_frame();
    let periodic: Vec<Field> =
        air.get_periodic_column_polys().iter().map(|column| polynom::eval(column, z)).collect();
    let mut transitions = vec![Field::ZERO; air_context.num_transition_constraints()];
    air.evaluate_transition(&frame, &periodic, &mut transitions);
    let transition = air.get_transition_constraints(&coefficients.transition);
    let mut composed = transition.combine_evaluations(&transitions, &[], z);
    let boundary = air.get_boundary_constraints(None, &coefficients.boundary);
    for group in boundary.main_constraints() {
        composed += group.evaluate_at(frame.current(), z);
    }
    let mut quotients = vec![Field::ZERO; columns];
    quotients[0] = composed;
    let quotient_frame = QuotientOodFrame::new(quotients.clone(), vec![Field::ZERO; columns]);
    coin.reseed(Hash::hash_elements(&merge_ood_evaluations(&trace_frame, &quotient_frame)));
    let deep = air.get_deep_composition_coefficients::<Field, _>(&mut coin).unwrap();

    // A commitment to nothing in particular.
    let remainder_commitment = Hash::hash_elements::<Field>(&[]);
    coin.reseed(remainder_commitment);
    let pow_nonce = (1..)
        .find(|nonce| coin.check_leading_zeros(*nonce) >= parameters.grinding)
        .expect("some nonce will do");
    let mut positions = coin.draw_integers(parameters.queries, domain, pow_nonce).unwrap();
    positions.sort_unstable();
    positions.dedup();

    let next_z = z * Field::get_root_of_unity(shape.trace_length().ilog2());
    let generator = Field::get_root_of_unity(domain.ilog2());
    let points: Vec<Field> = positions
        .iter()
        .map(|position| Field::GENERATOR * generator.exp((*position as u64).into()))
        .collect();
    let opened: Vec<Field> = deep.trace.iter().chain(&deep.constraints).copied().collect();
    let at_z: Vec<Field> = frame.current().iter().chain(&quotients).copied().collect();
    let at_z = opened.iter().zip(at_z).fold(Field::ZERO, |sum, (c, value)| sum + *c * value);
    // Every column is zero at x, and at the second out-of-domain point.
    let needed: Vec<Field> = points.iter().map(|x| -at_z / (*x - z)).collect();
    assert!(points.iter().all(|x| *x != next_z));
    let mut remainder = polynom::interpolate(&points, &needed, false);
    remainder.resize(parameters.remainder_length(shape.trace_length()), Field::ZERO);
    remainder.reverse();

    let queries = |tree: &MerkleTree<Hash>, columns: usize| {
        let (_, opening) = tree.prove_batch(&positions).unwrap();
        let rows = vec![vec![Field::ZERO; columns]; positions.len()];
        Queries::new::<Hash, Field, MerkleTree<Hash>>(opening, rows)
    };
    let mut ood_frame = OodFrame::default();
    ood_frame.set_trace_states(&trace_frame);
    ood_frame.set_quotient_states(&quotient_frame);
    // No layers, the remainder with its length in bytes, one partition.
    let mut fri = vec![0];
    fri.extend(((remainder.len() * Field::ELEMENT_BYTES) as u16).to_le_bytes());
    remainder.iter().for_each(|coefficient| fri.extend(coefficient.to_bytes()));
    fri.push(0);

    Proof {
        context,
        num_unique_queries: positions.len() as u8,
        commitments: Commitments::new::<Hash>(
            vec![*trace_tree.root()],
            *constraint_tree.root(),
            vec![remainder_commitment],
        ),
        trace_queries: vec![queries(&trace_tree, width)],
        constraint_queries: queries(&constraint_tree, columns),
        ood_frame,
        fri_proof: Deserializable::read_from_bytes(&fri).unwrap(),
        pow_nonce,
    }
}
