//! `mimc-preimage` as an algebraic intermediate representation.
//!
//! Row *i* of the trace is the state *(lᵢ, rᵢ)* before round *i*; row *n*, the last, is the state after
//! all rounds and holds the image. One transition is one round:
//!
//! ```text
//! lᵢ₊₁ = rᵢ + (lᵢ + cᵢ)³        degree 3
//! rᵢ₊₁ = lᵢ                     degree 1
//! ```
//!
//! Where *cᵢ* comes from is all that the two variants differ in: see [`Constants`].

use std::sync::Arc;

use winterfell::math::{FieldElement, ToElements};
use winterfell::{
    Air, AirContext, Assertion, EvaluationFrame, ProofOptions, TraceInfo, TraceTable,
    TransitionConstraintDegree,
};

use crate::field::BaseField;

const LEFT: usize = 0;
const RIGHT: usize = 1;
/// Column of the constants, where they are one.
const CONSTANT: usize = 2;

/// Where the AIR takes the round constants from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    /// From the verifier: a periodic column as long as the trace, interpolated by the verifier itself
    /// from the public input, which the public coin absorbs.
    Public,
    /// From a third column of the trace, that is from the prover. No constraint and no public coin
    /// ties it to the verifier's constants, so the statement proven is "for *some* constants".
    /// Unsound; kept because earlier work measured it.
    Unbound,
}

/// What all instances of a configuration have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rounds of the permutation.
    pub rounds: usize,
    /// Whether the AIR binds the round constants.
    pub constants: Constants,
    /// Whether the verifier is given the preimage too, as in earlier work.
    pub preimage_public: bool,
}

impl Shape {
    /// Columns of the trace.
    pub fn trace_width(&self) -> usize {
        match self.constants {
            Constants::Public => 2,
            Constants::Unbound => 3,
        }
    }

    /// Rows of the trace: one for each state.
    pub fn trace_length(&self) -> usize {
        self.rounds + 1
    }

    /// Elements that the verifier is handed, whether it uses them or not.
    pub fn public_elements(&self) -> usize {
        1 + if self.preimage_public { 2 } else { 0 } + self.rounds
    }

    /// Constraints as the library counts them: transitions and assertions.
    pub fn constraints(&self) -> usize {
        TRANSITION_DEGREES.len() + self.assertions()
    }

    /// The library's own account of the AIR.
    pub fn air_context<B: BaseField>(&self, options: ProofOptions) -> AirContext<B> {
        let info = TraceInfo::new(self.trace_width(), self.trace_length());
        let degrees = TRANSITION_DEGREES.map(TransitionConstraintDegree::new).to_vec();
        AirContext::new(info, degrees, self.assertions(), options)
    }

    /// Cells of the trace that the verifier's values are asserted in.
    fn assertions(&self) -> usize {
        if self.preimage_public { 3 } else { 1 }
    }
}

/// What the verifier is given besides the proof.
#[derive(Clone, Debug)]
pub struct PublicInputs<B> {
    /// The image.
    pub image: B,
    /// The preimage (left, right), under `preimage=public` alone.
    pub preimage: Option<(B, B)>,
    /// One constant a round; shared, because an AIR takes its public inputs by value.
    pub round_constants: Arc<[B]>,
    /// Whether the AIR binds them.
    pub constants: Constants,
}

impl<B> PublicInputs<B> {
    /// The shape they belong to.
    pub fn shape(&self) -> Shape {
        Shape {
            rounds: self.round_constants.len(),
            constants: self.constants,
            preimage_public: self.preimage.is_some(),
        }
    }
}

impl<B: BaseField> ToElements<B> for PublicInputs<B> {
    /// What the public coin is seeded with. Width of the trace and number of constraints, which
    /// differ between the variants, are absorbed before it, so that no two layouts collide.
    fn to_elements(&self) -> Vec<B> {
        let mut elements = vec![self.image];
        if let Some((left, right)) = self.preimage {
            elements.extend([left, right]);
        }
        if self.constants == Constants::Public {
            elements.extend_from_slice(&self.round_constants);
        }
        elements
    }
}

/// Degrees of the two transition constraints. The periodic column has the degree of a trace column,
/// since its period is the whole trace, so that the cube has degree 3 with either source of constants.
const TRANSITION_DEGREES: [usize; 2] = [3, 1];

/// The AIR.
pub struct MimcAir<B: BaseField> {
    context: AirContext<B>,
    public_inputs: PublicInputs<B>,
}

impl<B: BaseField> Air for MimcAir<B> {
    type BaseField = B;
    type PublicInputs = PublicInputs<B>;

    /// The trace's shape follows from the public inputs. Proof bytes also carry one, which is not
    /// consulted: the verifier compares it with its own before it comes here.
    fn new(_: TraceInfo, public_inputs: PublicInputs<B>, options: ProofOptions) -> Self {
        MimcAir { context: public_inputs.shape().air_context(options), public_inputs }
    }

    fn context(&self) -> &AirContext<B> {
        &self.context
    }

    fn evaluate_transition<E: FieldElement<BaseField = B>>(
        &self,
        frame: &EvaluationFrame<E>,
        periodic_values: &[E],
        result: &mut [E],
    ) {
        let (current, next) = (frame.current(), frame.next());
        let constant = match self.public_inputs.constants {
            Constants::Public => periodic_values[0],
            Constants::Unbound => current[CONSTANT],
        };
        let base = current[LEFT] + constant;
        result[0] = next[LEFT] - current[RIGHT] - base * base * base;
        result[1] = next[RIGHT] - current[LEFT];
    }

    fn get_assertions(&self) -> Vec<Assertion<B>> {
        let last = self.trace_length() - 1;
        let mut assertions = vec![Assertion::single(LEFT, last, self.public_inputs.image)];
        if let Some((left, right)) = self.public_inputs.preimage {
            assertions.push(Assertion::single(LEFT, 0, left));
            assertions.push(Assertion::single(RIGHT, 0, right));
        }
        assertions
    }

    fn get_periodic_column_values(&self) -> Vec<Vec<B>> {
        match self.public_inputs.constants {
            Constants::Public => {
                // No transition leaves the last row, so its entry is padding.
                let mut column = self.public_inputs.round_constants.to_vec();
                column.push(B::ZERO);
                vec![column]
            }
            Constants::Unbound => Vec::new(),
        }
    }
}

/// The trace of one instance. `round_constants` are the prover's: an honest one takes them from the
/// public inputs.
pub fn trace<B: BaseField>(
    preimage: (B, B),
    round_constants: &[B],
    constants: Constants,
) -> TraceTable<B> {
    let length = round_constants.len() + 1;
    let mut left = Vec::with_capacity(length);
    let mut right = Vec::with_capacity(length);
    let mut state = preimage;
    left.push(state.0);
    right.push(state.1);
    for constant in round_constants {
        let base = state.0 + *constant;
        state = (state.1 + base * base * base, state.0);
        left.push(state.0);
        right.push(state.1);
    }
    let mut columns = vec![left, right];
    if constants == Constants::Unbound {
        let mut column = Vec::with_capacity(length);
        column.extend_from_slice(round_constants);
        column.push(B::ZERO);
        columns.push(column);
    }
    TraceTable::init(columns)
}
