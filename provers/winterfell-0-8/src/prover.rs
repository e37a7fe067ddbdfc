//! The prover: winterfell's default parts around the AIR.

use std::marker::PhantomData;

use winterfell::crypto::{DefaultRandomCoin, ElementHasher};
use winterfell::math::FieldElement;
use winterfell::matrix::ColMatrix;
use winterfell::{
    AuxTraceRandElements, ConstraintCompositionCoefficients, DefaultConstraintEvaluator,
    DefaultTraceLde, ProofOptions, Prover, StarkDomain, TraceInfo, TracePolyTable, TraceTable,
};

use crate::air::{MimcAir, PublicInputs};
use crate::field::BaseField;

/// Proves one instance over field `B` with hash `H`.
pub struct MimcProver<B, H> {
    options: ProofOptions,
    public_inputs: PublicInputs<B>,
    hash: PhantomData<fn() -> H>,
}

impl<B: BaseField, H: ElementHasher<BaseField = B>> MimcProver<B, H> {
    /// A prover for the instance with these public inputs.
    pub fn new(options: ProofOptions, public_inputs: PublicInputs<B>) -> Self {
        MimcProver { options, public_inputs, hash: PhantomData }
    }
}

impl<B: BaseField, H: ElementHasher<BaseField = B>> Prover for MimcProver<B, H> {
    type BaseField = B;
    type Air = MimcAir<B>;
    type Trace = TraceTable<B>;
    type HashFn = H;
    type RandomCoin = DefaultRandomCoin<H>;
    type TraceLde<E: FieldElement<BaseField = B>> = DefaultTraceLde<E, H>;
    type ConstraintEvaluator<'a, E: FieldElement<BaseField = B>> =
        DefaultConstraintEvaluator<'a, MimcAir<B>, E>;

    fn get_pub_inputs(&self, _trace: &TraceTable<B>) -> PublicInputs<B> {
        self.public_inputs.clone()
    }

    fn options(&self) -> &ProofOptions {
        &self.options
    }

    fn new_trace_lde<E: FieldElement<BaseField = B>>(
        &self,
        trace_info: &TraceInfo,
        main_trace: &ColMatrix<B>,
        domain: &StarkDomain<B>,
    ) -> (Self::TraceLde<E>, TracePolyTable<E>) {
        DefaultTraceLde::new(trace_info, main_trace, domain)
    }

    fn new_evaluator<'a, E: FieldElement<BaseField = B>>(
        &self,
        air: &'a MimcAir<B>,
        aux_rand_elements: AuxTraceRandElements<E>,
        composition_coefficients: ConstraintCompositionCoefficients<E>,
    ) -> Self::ConstraintEvaluator<'a, E> {
        DefaultConstraintEvaluator::new(air, aux_rand_elements, composition_coefficients)
    }
}
