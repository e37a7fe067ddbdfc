//! The published proofs take the attempts that are on record, and prove what nobody should believe.

use std::collections::BTreeMap;

use nizk_protocol::mimc;
use nizk_winterfell_0_8::field::Prime;
use nizk_winterfell_0_8::options::Parameters;
use nizk_winterfell_0_8::published::{DEFAULTS, Instance, ROUNDS};
use nizk_winterfell_0_8::rules::legal;
use winterfell::FieldExtension;
use winterfell::crypto::ElementHasher;
use winterfell::crypto::hashers::{Blake3_192, Blake3_256, Sha3_256};
use winterfell::math::FieldElement;
use winterfell::math::fields::f128::BaseElement;

/// The attempts of the published instance's proof, counted.
fn attempts<H: ElementHasher<BaseField = BaseElement>>(parameters: &Parameters) -> u64 {
    let instance = Instance::published();
    let trace = instance.trace(&instance.round_constants);
    let (proof, tried) = instance.prove_counting::<H>(parameters, trace).expect("it proves");
    assert_eq!(tried, proof.pow_nonce, "the nonce is the number of attempts: {parameters:?}");
    assert!(instance.accepts::<H>(parameters, &proof.to_bytes()), "{parameters:?}");
    tried
}

/// By the values of one option, the others as the published code has them.
fn attempts_by<V: ToString>(
    values: impl IntoIterator<Item = V>,
    changed: impl Fn(&V) -> Parameters,
) -> BTreeMap<String, u64> {
    values
        .into_iter()
        .map(|value| (value.to_string(), attempts::<Blake3_256<BaseElement>>(&changed(&value))))
        .collect()
}

#[test]
fn the_published_instance_takes_the_attempts_that_are_on_record() {
    let extension = |name: &&str| match *name {
        "quadratic" => FieldExtension::Quadratic,
        _ => FieldExtension::None,
    };
    let computed = serde_json::json!({
        "queries": attempts_by(38..=46, |value| Parameters { queries: *value, ..DEFAULTS }),
        "blowup": attempts_by((1..=7).map(|bits| 1 << bits), |value| Parameters {
            blowup: *value,
            ..DEFAULTS
        }),
        "grinding": attempts_by([0, 8, 12, 16, 20], |value| Parameters {
            grinding: *value,
            ..DEFAULTS
        }),
        "extension": attempts_by(["none", "quadratic"], |value| Parameters {
            extension: extension(value),
            ..DEFAULTS
        }),
        "folding": attempts_by([2, 4, 8, 16], |value| Parameters { folding: *value, ..DEFAULTS }),
        "remainder_max_degree": attempts_by(
            (0..=8).map(|bits| (1 << bits) - 1).filter(|degree| {
                legal(ROUNDS, &Parameters { remainder_max_degree: *degree, ..DEFAULTS }).is_ok()
            }),
            |value| Parameters { remainder_max_degree: *value, ..DEFAULTS },
        ),
        "hash": {
            "blake3-192": attempts::<Blake3_192<BaseElement>>(&DEFAULTS),
            "blake3-256": attempts::<Blake3_256<BaseElement>>(&DEFAULTS),
            "sha3-256": attempts::<Sha3_256<BaseElement>>(&DEFAULTS),
        },
    });
    let recorded: serde_json::Value =
        serde_json::from_str(include_str!("../../../data/vectors/p1-attempts.json"))
            .expect("the record is JSON");
    assert!(recorded["attempts"] == computed, "the attempts are {computed:#}");
}

/// What is timed has the library's own coin; it makes the very bytes of the counted proof.
#[test]
fn counting_attempts_changes_no_byte_of_a_proof() {
    type Hash = Blake3_256<BaseElement>;
    let instance = Instance::published();
    let parameters = Parameters { queries: 41, ..DEFAULTS };
    let trace = || instance.trace(&instance.round_constants);
    let (counted, _) = instance.prove_counting::<Hash>(&parameters, trace()).expect("it proves");
    let timed = instance.prove::<Hash>(&parameters, trace()).expect("it proves");
    assert!(counted.to_bytes() == timed.to_bytes());
}

/// The coin absorbs the constants, so a verifier with others rejects an honest proof. A prover who
/// is not honest absorbs the verifier's and proves with its own: no constraint tells them apart.
#[test]
fn the_published_air_proves_a_false_image_to_a_verifier_whose_constants_it_absorbs() {
    type Hash = Blake3_256<BaseElement>;
    let honest = Instance::published();
    let mut others = honest.round_constants.to_vec();
    others[3] += BaseElement::ONE;
    let claimed = Instance {
        image: mimc::image::<Prime<BaseElement>>(&others, honest.preimage),
        ..honest.clone()
    };
    assert_ne!(claimed.image, honest.image, "under the verifier's constants the image is wrong");

    let forged = claimed.prove::<Hash>(&DEFAULTS, claimed.trace(&others)).expect("it proves");
    assert!(claimed.accepts::<Hash>(&DEFAULTS, &forged.to_bytes()));

    // An honest proof does not survive other constants, which is why nobody noticed.
    let trace = honest.trace(&honest.round_constants);
    let proof = honest.prove::<Hash>(&DEFAULTS, trace).expect("it proves");
    let shown = Instance { round_constants: others.into(), ..honest };
    assert!(!shown.accepts::<Hash>(&DEFAULTS, &proof.to_bytes()));
}
