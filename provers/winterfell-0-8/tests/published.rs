//! The very proofs of earlier work: its instance, its AIR and its options, on the library that it used.
//!
//! El-Hajj and Oude Roelink (2024) proved one instance, drawn from a fixed seed, and found that 42
//! queries prove six times slower than 41. Their proofs can be made again bit by bit, and with them
//! the one number of attempts that each of their averages stood on: `data/vectors/p1-attempts.json`.
//! It is told apart from the variant `constants=unbound` by one thing: their public coin absorbed the
//! verifier's constants, which changes every nonce.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use nizk_protocol::mimc;
use nizk_winterfell_0_8::air::{Constants, MimcAir, PublicInputs, trace};
use nizk_winterfell_0_8::field::Prime;
use nizk_winterfell_0_8::options::Parameters;
use nizk_winterfell_0_8::rules::legal;
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};
use winter_air::proof::StarkProof;
use winterfell::crypto::hashers::{Blake3_192, Blake3_256, Sha3_256};
use winterfell::crypto::{DefaultRandomCoin, ElementHasher, RandomCoin, RandomCoinError};
use winterfell::math::fields::f128::BaseElement;
use winterfell::math::{FieldElement, ToElements};
use winterfell::matrix::ColMatrix;
use winterfell::{
    AcceptableOptions, Air, AirContext, Assertion, AuxTraceRandElements,
    ConstraintCompositionCoefficients, DefaultConstraintEvaluator, DefaultTraceLde,
    EvaluationFrame, FieldExtension, ProofOptions, Prover, StarkDomain, TraceInfo, TracePolyTable,
    TraceTable,
};

const ROUNDS: usize = 255;
/// `RANDOMNESS_SEED` of the published code (github.com/bjornouderoelink/NIZKP-Benchmark at e7f77af,
/// rust/src/hash/mimc.rs).
const SEED: [u8; 32] = [24; 32];

/// The public inputs in the order in which the published code has the coin absorb them.
#[derive(Clone)]
struct Absorbed(PublicInputs<BaseElement>);

impl ToElements<BaseElement> for Absorbed {
    fn to_elements(&self) -> Vec<BaseElement> {
        let PublicInputs { image, preimage, round_constants, .. } = &self.0;
        let (left, right) = preimage.expect("the published code asserts the preimage");
        [&[left, right, *image], round_constants.as_ref()].concat()
    }
}

struct PublishedAir(MimcAir<BaseElement>);

impl Air for PublishedAir {
    type BaseField = BaseElement;
    type PublicInputs = Absorbed;

    fn new(info: TraceInfo, public_inputs: Absorbed, options: ProofOptions) -> Self {
        PublishedAir(MimcAir::new(info, public_inputs.0, options))
    }

    fn context(&self) -> &AirContext<BaseElement> {
        self.0.context()
    }

    fn evaluate_transition<E: FieldElement<BaseField = BaseElement>>(
        &self,
        frame: &EvaluationFrame<E>,
        periodic_values: &[E],
        result: &mut [E],
    ) {
        self.0.evaluate_transition(frame, periodic_values, result);
    }

    fn get_assertions(&self) -> Vec<Assertion<BaseElement>> {
        self.0.get_assertions()
    }
}

thread_local! {
    static TRIED: Cell<u64> = const { Cell::new(0) };
}

/// The library's coin, which also counts the nonces that are tried on it.
struct Counting<H: ElementHasher<BaseField = BaseElement>>(DefaultRandomCoin<H>);

impl<H: ElementHasher<BaseField = BaseElement>> RandomCoin for Counting<H> {
    type BaseField = BaseElement;
    type Hasher = H;

    fn new(seed: &[BaseElement]) -> Self {
        Counting(DefaultRandomCoin::new(seed))
    }

    fn reseed(&mut self, data: H::Digest) {
        self.0.reseed(data);
    }

    fn check_leading_zeros(&self, value: u64) -> u32 {
        TRIED.set(TRIED.get() + 1);
        self.0.check_leading_zeros(value)
    }

    fn draw<E: FieldElement<BaseField = BaseElement>>(&mut self) -> Result<E, RandomCoinError> {
        self.0.draw()
    }

    fn draw_integers(
        &mut self,
        values: usize,
        domain: usize,
        nonce: u64,
    ) -> Result<Vec<usize>, RandomCoinError> {
        self.0.draw_integers(values, domain, nonce)
    }
}

struct PublishedProver<H> {
    options: ProofOptions,
    public_inputs: Absorbed,
    hash: PhantomData<fn() -> H>,
}

impl<H: ElementHasher<BaseField = BaseElement>> Prover for PublishedProver<H> {
    type BaseField = BaseElement;
    type Air = PublishedAir;
    type Trace = TraceTable<BaseElement>;
    type HashFn = H;
    type RandomCoin = Counting<H>;
    type TraceLde<E: FieldElement<BaseField = BaseElement>> = DefaultTraceLde<E, H>;
    type ConstraintEvaluator<'a, E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintEvaluator<'a, PublishedAir, E>;

    fn get_pub_inputs(&self, _trace: &TraceTable<BaseElement>) -> Absorbed {
        self.public_inputs.clone()
    }

    fn options(&self) -> &ProofOptions {
        &self.options
    }

    fn new_trace_lde<E: FieldElement<BaseField = BaseElement>>(
        &self,
        trace_info: &TraceInfo,
        main_trace: &ColMatrix<BaseElement>,
        domain: &StarkDomain<BaseElement>,
    ) -> (Self::TraceLde<E>, TracePolyTable<E>) {
        DefaultTraceLde::new(trace_info, main_trace, domain)
    }

    fn new_evaluator<'a, E: FieldElement<BaseField = BaseElement>>(
        &self,
        air: &'a PublishedAir,
        aux_rand_elements: AuxTraceRandElements<E>,
        composition_coefficients: ConstraintCompositionCoefficients<E>,
    ) -> Self::ConstraintEvaluator<'a, E> {
        DefaultConstraintEvaluator::new(air, aux_rand_elements, composition_coefficients)
    }
}

/// The published instance: constants, then preimage, each from 64 bits of one generator.
fn published() -> PublicInputs<BaseElement> {
    let mut generator = StdRng::from_seed(SEED);
    let mut element = || BaseElement::new(u128::from(generator.next_u64()));
    let round_constants: Arc<[BaseElement]> = (0..ROUNDS).map(|_| element()).collect();
    let preimage = (element(), element());
    PublicInputs {
        image: mimc::image::<Prime<BaseElement>>(&round_constants, preimage),
        preimage: Some(preimage),
        round_constants,
        constants: Constants::Unbound,
    }
}

/// The options that the published code begins with; its hash is Blake3 of 256 bits.
const DEFAULTS: Parameters = Parameters {
    queries: 42,
    blowup: 8,
    grinding: 16,
    extension: FieldExtension::None,
    folding: 8,
    remainder_max_degree: 31,
};

/// Proves with the prover's own constants, which an honest one takes from the public inputs.
fn prove<H: ElementHasher<BaseField = BaseElement>>(
    parameters: &Parameters,
    constants: &[BaseElement],
    public_inputs: &PublicInputs<BaseElement>,
) -> StarkProof {
    let preimage = public_inputs.preimage.expect("the preimage is public");
    PublishedProver::<H> {
        options: parameters.proof_options(),
        public_inputs: Absorbed(public_inputs.clone()),
        hash: PhantomData,
    }
    .prove(trace(preimage, constants, Constants::Unbound))
    .expect("the prover proves")
}

fn accepts<H: ElementHasher<BaseField = BaseElement>>(
    parameters: &Parameters,
    proof: StarkProof,
    public_inputs: &PublicInputs<BaseElement>,
) -> bool {
    winterfell::verify::<PublishedAir, H, DefaultRandomCoin<H>>(
        proof,
        Absorbed(public_inputs.clone()),
        &AcceptableOptions::OptionSet(vec![parameters.proof_options()]),
    )
    .is_ok()
}

/// The attempts of the published instance's proof, counted.
fn attempts<H: ElementHasher<BaseField = BaseElement>>(parameters: &Parameters) -> u64 {
    let public_inputs = published();
    TRIED.set(0);
    let proof = prove::<H>(parameters, &public_inputs.round_constants, &public_inputs);
    let nonce = proof.pow_nonce;
    assert_eq!(TRIED.get(), nonce, "the nonce is the number of attempts: {parameters:?}");
    assert!(accepts::<H>(parameters, proof, &public_inputs), "{parameters:?}");
    nonce
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

/// The coin absorbs the constants, so a verifier with others rejects an honest proof. A prover who
/// is not honest absorbs the verifier's and proves with its own: no constraint tells them apart.
#[test]
fn the_published_air_proves_a_false_image_to_a_verifier_whose_constants_it_absorbs() {
    type Hash = Blake3_256<BaseElement>;
    let honest = published();
    let mut others = honest.round_constants.to_vec();
    others[3] += BaseElement::ONE;
    let preimage = honest.preimage.expect("the preimage is public");
    let claimed = PublicInputs {
        image: mimc::image::<Prime<BaseElement>>(&others, preimage),
        ..honest.clone()
    };
    assert_ne!(claimed.image, honest.image, "under the verifier's constants the image is wrong");

    let forged = prove::<Hash>(&DEFAULTS, &others, &claimed);
    assert!(accepts::<Hash>(&DEFAULTS, forged, &claimed));

    // An honest proof does not survive other constants, which is why nobody noticed.
    let proof = prove::<Hash>(&DEFAULTS, &honest.round_constants, &honest);
    let shown = PublicInputs { round_constants: others.into(), ..honest };
    assert!(!accepts::<Hash>(&DEFAULTS, proof, &shown));
}
