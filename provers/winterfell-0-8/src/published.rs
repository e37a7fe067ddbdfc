//! The very proofs of earlier work: its instance, its AIR and its options, on the library that it used.
//!
//! El-Hajj and Oude Roelink (2024) proved one instance, drawn from a fixed seed, and found that 42
//! queries prove six times slower than 41. Their proofs can be made again bit by bit, and with them
//! the one number of attempts that each of their averages stood on: `data/vectors/p1-attempts.json`.
//! It is told apart from the variant `constants=unbound` by one thing: their public coin absorbed the
//! verifier's constants, which changes every nonce.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use nizk_protocol::mimc;
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};
use winter_air::proof::StarkProof;
use winterfell::crypto::{DefaultRandomCoin, ElementHasher, RandomCoin, RandomCoinError};
use winterfell::math::fields::f128::BaseElement;
use winterfell::math::{FieldElement, ToElements};
use winterfell::matrix::ColMatrix;
use winterfell::{
    AcceptableOptions, Air, AirContext, Assertion, AuxTraceRandElements,
    ConstraintCompositionCoefficients, DefaultConstraintEvaluator, DefaultTraceLde,
    EvaluationFrame, FieldExtension, ProofOptions, Prover, ProverError, StarkDomain, TraceInfo,
    TracePolyTable, TraceTable,
};

use crate::air::{Constants, MimcAir, PublicInputs, trace};
use crate::field::Prime;
use crate::options::Parameters;

/// Rounds of the published instance.
pub const ROUNDS: usize = 255;

/// `RANDOMNESS_SEED` of the published code (github.com/bjornouderoelink/NIZKP-Benchmark at e7f77af,
/// rust/src/hash/mimc.rs).
const SEED: [u8; 32] = [24; 32];

/// The options that the published code begins with; its hash is Blake3 of 256 bits.
pub const DEFAULTS: Parameters = Parameters {
    queries: 42,
    blowup: 8,
    grinding: 16,
    extension: FieldExtension::None,
    folding: 8,
    remainder_max_degree: 31,
};

/// The public inputs in the order in which the published code has the coin absorb them.
#[derive(Clone)]
struct Absorbed {
    public_inputs: PublicInputs<BaseElement>,
    preimage: (BaseElement, BaseElement),
}

impl ToElements<BaseElement> for Absorbed {
    fn to_elements(&self) -> Vec<BaseElement> {
        let PublicInputs { image, round_constants, .. } = &self.public_inputs;
        let (left, right) = self.preimage;
        [&[left, right, *image], round_constants.as_ref()].concat()
    }
}

struct PublishedAir(MimcAir<BaseElement>);

impl Air for PublishedAir {
    type BaseField = BaseElement;
    type PublicInputs = Absorbed;

    fn new(info: TraceInfo, absorbed: Absorbed, options: ProofOptions) -> Self {
        PublishedAir(MimcAir::new(info, absorbed.public_inputs, options))
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

/// The published prover, with its hash `H` and a coin `C` over it.
struct PublishedProver<H, C> {
    options: ProofOptions,
    absorbed: Absorbed,
    types: PhantomData<fn() -> (H, C)>,
}

impl<H, C> Prover for PublishedProver<H, C>
where
    H: ElementHasher<BaseField = BaseElement>,
    C: RandomCoin<BaseField = BaseElement, Hasher = H>,
{
    type BaseField = BaseElement;
    type Air = PublishedAir;
    type Trace = TraceTable<BaseElement>;
    type HashFn = H;
    type RandomCoin = C;
    type TraceLde<E: FieldElement<BaseField = BaseElement>> = DefaultTraceLde<E, H>;
    type ConstraintEvaluator<'a, E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintEvaluator<'a, PublishedAir, E>;

    fn get_pub_inputs(&self, _trace: &TraceTable<BaseElement>) -> Absorbed {
        self.absorbed.clone()
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

/// An instance under the published AIR: what its verifier knows, the preimage among it.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The preimage (left, right).
    pub preimage: (BaseElement, BaseElement),
    /// One constant a round.
    pub round_constants: Arc<[BaseElement]>,
    /// The image that is claimed.
    pub image: BaseElement,
}

impl Instance {
    /// The published one: constants, then preimage, each from 64 bits of one generator.
    pub fn published() -> Instance {
        let mut generator = StdRng::from_seed(SEED);
        let mut element = || BaseElement::new(u128::from(generator.next_u64()));
        let round_constants: Arc<[BaseElement]> = (0..ROUNDS).map(|_| element()).collect();
        let preimage = (element(), element());
        let image = mimc::image::<Prime<BaseElement>>(&round_constants, preimage);
        Instance { preimage, round_constants, image }
    }

    fn absorbed(&self) -> Absorbed {
        let public_inputs = PublicInputs {
            image: self.image,
            preimage: Some(self.preimage),
            round_constants: Arc::clone(&self.round_constants),
            constants: Constants::Unbound,
        };
        Absorbed { public_inputs, preimage: self.preimage }
    }

    /// The trace of a prover with these constants, which an honest one takes from the instance.
    pub fn trace(&self, constants: &[BaseElement]) -> TraceTable<BaseElement> {
        trace(self.preimage, constants, Constants::Unbound)
    }

    /// Proves with a trace, as the published code does.
    ///
    /// # Errors
    ///
    /// The library's own; it panics where [`legal`](crate::rules::legal) is not.
    pub fn prove<H: ElementHasher<BaseField = BaseElement>>(
        &self,
        parameters: &Parameters,
        trace: TraceTable<BaseElement>,
    ) -> Result<StarkProof, ProverError> {
        self.prove_with::<H, DefaultRandomCoin<H>>(parameters, trace)
    }

    /// Proves likewise, and counts the nonces that were tried.
    ///
    /// # Errors
    ///
    /// As [`prove`](Self::prove).
    pub fn prove_counting<H: ElementHasher<BaseField = BaseElement>>(
        &self,
        parameters: &Parameters,
        trace: TraceTable<BaseElement>,
    ) -> Result<(StarkProof, u64), ProverError> {
        TRIED.set(0);
        let proof = self.prove_with::<H, Counting<H>>(parameters, trace)?;
        Ok((proof, TRIED.get()))
    }

    fn prove_with<H, C>(
        &self,
        parameters: &Parameters,
        trace: TraceTable<BaseElement>,
    ) -> Result<StarkProof, ProverError>
    where
        H: ElementHasher<BaseField = BaseElement>,
        C: RandomCoin<BaseField = BaseElement, Hasher = H>,
    {
        PublishedProver::<H, C> {
            options: parameters.proof_options(),
            absorbed: self.absorbed(),
            types: PhantomData,
        }
        .prove(trace)
    }

    /// Whether the library's verifier accepts a serialised proof with exactly these options. What
    /// makes it panic is no proof.
    pub fn accepts<H: ElementHasher<BaseField = BaseElement>>(
        &self,
        parameters: &Parameters,
        bytes: &[u8],
    ) -> bool {
        let acceptable = AcceptableOptions::OptionSet(vec![parameters.proof_options()]);
        let verified = catch_unwind(AssertUnwindSafe(|| {
            StarkProof::from_bytes(bytes).is_ok_and(|proof| {
                winterfell::verify::<PublishedAir, H, DefaultRandomCoin<H>>(
                    proof,
                    self.absorbed(),
                    &acceptable,
                )
                .is_ok()
            })
        }));
        verified.unwrap_or(false)
    }
}
