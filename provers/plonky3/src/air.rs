//! `mimc-preimage` as an algebraic intermediate representation.
//!
//! The right half of a state is the left half of the state before, so the states of *n* rounds are one
//! sequence of *n* + 2 elements, of which the last is the image:
//!
//! ```text
//! s₀ = x_R    s₁ = x_L    sᵢ₊₂ = sᵢ + (sᵢ₊₁ + cᵢ)³    sₙ₊₁ = y
//! ```
//!
//! The trace holds *s₀ … sₙ*, a power of two of elements, row after row, with *k* elements a row and four
//! columns, one for each coordinate, an element. Round *i* is constrained in the row of *sᵢ*:
//!
//! - the first *k* − 2 rounds of a row read that row alone;
//! - the last but one gives the first element of the next row, or in the last row the image, which is
//!   public and no part of the trace;
//! - the last one gives the second element of the next row; in the last row there is no such round.
//!
//! All constraints have degree 3. The round constants are periodic columns whose period is the whole
//! trace: nobody commits to them, and the verifier interpolates its own.

use std::borrow::Cow;

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::{Algebra, BasedVectorSpace, PrimeCharacteristicRing};
use p3_matrix::dense::RowMajorMatrix;

use crate::field::{Base, DEGREE, Element};

/// What all instances of a configuration have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rounds of the permutation; one more is a power of two.
    pub rounds: usize,
    /// Elements of the trace in one row, a power of two and at least 2.
    pub rounds_per_row: usize,
}

impl Shape {
    /// Columns of the trace.
    pub fn trace_width(&self) -> usize {
        self.rounds_per_row * DEGREE
    }

    /// Rows of the trace.
    pub fn trace_length(&self) -> usize {
        (self.rounds + 1) / self.rounds_per_row
    }
}

/// The AIR of a statement with these round constants.
pub struct MimcAir {
    shape: Shape,
    /// The constants column by column, and one column that is 1 in the last row and 0 above. It is no
    /// selector of the library: those are not 1 where they are not 0.
    periodic: Vec<Vec<Base>>,
}

impl MimcAir {
    /// The AIR; there is one constant for each round of the shape.
    pub fn new(shape: Shape, round_constants: &[Element]) -> Self {
        let (width, length) = (shape.trace_width(), shape.trace_length());
        // The last place of the last row has no round.
        let mut flat = Element::flatten_to_base(round_constants.to_vec());
        flat.resize(width * length, Base::ZERO);
        let mut periodic: Vec<Vec<Base>> = (0..width)
            .map(|column| flat.iter().skip(column).step_by(width).copied().collect())
            .collect();
        let mut last = Base::zero_vec(length);
        last[length - 1] = Base::ONE;
        periodic.push(last);
        MimcAir { shape, periodic }
    }
}

impl BaseAir<Base> for MimcAir {
    fn width(&self) -> usize {
        self.shape.trace_width()
    }

    fn num_periodic_columns(&self) -> usize {
        self.periodic.len()
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<Base>]> {
        Cow::Borrowed(&self.periodic)
    }

    fn num_public_values(&self) -> usize {
        DEGREE
    }
}

impl<AB: AirBuilder<F = Base>> Air<AB> for MimcAir {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (local, next) = (main.current_slice(), main.next_slice());
        let places = self.shape.rounds_per_row;
        let element = |place: usize| -> [AB::Expr; DEGREE] {
            let (row, place) = if place < places { (local, place) } else { (next, place - places) };
            std::array::from_fn(|coordinate| row[place * DEGREE + coordinate].into())
        };
        let image: [AB::Expr; DEGREE] =
            std::array::from_fn(|coordinate| builder.public_values()[coordinate].into());
        let mut constants: Vec<AB::Expr> =
            builder.periodic_values().iter().map(|value| (*value).into()).collect();
        let in_last_row = constants.pop().unwrap_or_default();

        for place in 0..places {
            let base = element(place + 1);
            let base: [AB::Expr; DEGREE] = std::array::from_fn(|coordinate| {
                base[coordinate].clone() + constants[place * DEGREE + coordinate].clone()
            });
            let cube = multiply(&square(&base), &base);
            let before = element(place);
            let mut after = element(place + 2);
            if place + 2 == places {
                after = std::array::from_fn(|coordinate| {
                    let (first, image) = (after[coordinate].clone(), image[coordinate].clone());
                    first.clone() + in_last_row.clone() * (image - first)
                });
            }
            for ((after, before), cube) in after.into_iter().zip(before).zip(cube) {
                let broken = after - before - cube;
                if place + 1 == places {
                    builder.when_transition().assert_zero(broken);
                } else {
                    builder.assert_zero(broken);
                }
            }
        }
    }
}

/// a·b in F_p[X] / (X⁴ − 3).
fn multiply<E: Algebra<Base>>(a: &[E; DEGREE], b: &[E; DEGREE]) -> [E; DEGREE] {
    let product = |i: usize, j: usize| a[i].clone() * b[j].clone();
    [
        product(0, 0) + triple(product(1, 3) + product(2, 2) + product(3, 1)),
        product(0, 1) + product(1, 0) + triple(product(2, 3) + product(3, 2)),
        product(0, 2) + product(1, 1) + product(2, 0) + triple(product(3, 3)),
        product(0, 3) + product(1, 2) + product(2, 1) + product(3, 0),
    ]
}

/// a² in the same field.
fn square<E: Algebra<Base>>(a: &[E; DEGREE]) -> [E; DEGREE] {
    let product = |i: usize, j: usize| a[i].clone() * a[j].clone();
    [
        product(0, 0) + triple(product(1, 3).double() + product(2, 2)),
        (product(0, 1) + triple(product(2, 3))).double(),
        product(0, 2).double() + product(1, 1) + triple(product(3, 3)),
        (product(0, 3) + product(1, 2)).double(),
    ]
}

fn triple<E: PrimeCharacteristicRing>(value: E) -> E {
    value.double() + value
}

/// The trace of one instance. `round_constants` are the prover's: an honest one takes them from the
/// public input.
pub fn trace(
    (left, right): (Element, Element),
    round_constants: &[Element],
    rounds_per_row: usize,
) -> RowMajorMatrix<Base> {
    let mut values = Vec::with_capacity((round_constants.len() + 1) * DEGREE);
    let (mut before, mut current) = (right, left);
    values.extend_from_slice(before.as_basis_coefficients_slice());
    for constant in round_constants {
        values.extend_from_slice(current.as_basis_coefficients_slice());
        let base = current + *constant;
        (before, current) = (current, before + base * base * base);
    }
    RowMajorMatrix::new(values, rounds_per_row * DEGREE)
}
