//! Multiplication of fixed points of Jubjub in a circuit: what bellman has no gadget for.
//!
//! bellman is published without the gadgets of the curve that it is mostly used with; those of Zcash's
//! `sapling-crypto` are private to it. This is the same construction, three bits at a time, which the
//! circuit of the runner `gnark` has too.

use bellman::gadgets::boolean::Boolean;
use bellman::gadgets::lookup::lookup3_xy;
use bellman::gadgets::num::AllocatedNum;
use bellman::{ConstraintSystem, LinearCombination, SynthesisError};
use bls12_381::Scalar;
use ff::Field;
use group::Curve;
use jubjub::{ExtendedPoint, SubgroupPoint};

/// Bits that are looked up together.
const WINDOW: usize = 3;

/// The multiples 0 to 7 of a point, of eight times it, and so on: coordinates (u, v).
pub struct Table(Vec<Vec<(Scalar, Scalar)>>);

impl Table {
    /// The table for factors of so many bits.
    pub fn of(generator: SubgroupPoint, bits: usize) -> Table {
        let mut base = ExtendedPoint::from(generator);
        let window = |_| {
            let mut multiple = ExtendedPoint::identity();
            let multiples = (0..1 << WINDOW)
                .map(|_| {
                    let point = multiple.to_affine();
                    multiple += base;
                    (point.get_u(), point.get_v())
                })
                .collect();
            base = multiple;
            multiples
        };
        Table((0..bits.div_ceil(WINDOW)).map(window).collect())
    }
}

/// A point in a circuit. It is on the curve, since only points that are can be made.
#[derive(Clone)]
pub struct Point {
    u: AllocatedNum<Scalar>,
    v: AllocatedNum<Scalar>,
}

impl Point {
    /// The sum of the factors times the points of their tables. Bits are from the least significant
    /// on; there is at least one.
    pub fn combined<CS: ConstraintSystem<Scalar>>(
        mut cs: CS,
        factors: &[(&Table, &[Boolean])],
    ) -> Result<Point, SynthesisError> {
        let mut sum: Option<Point> = None;
        for (number, (table, bits)) in factors.iter().enumerate() {
            for (place, (chunk, window)) in bits.chunks(WINDOW).zip(&table.0).enumerate() {
                let mut cs = cs.namespace(|| format!("window {place} of factor {number}"));
                let mut padded = chunk.to_vec();
                padded.resize(WINDOW, Boolean::constant(false));
                let (u, v) = lookup3_xy(cs.namespace(|| "lookup"), &padded, window)?;
                let point = Point { u, v };
                sum = Some(match sum {
                    None => point,
                    Some(sum) => sum.plus(cs.namespace(|| "sum"), &point)?,
                });
            }
        }
        sum.ok_or(SynthesisError::AssignmentMissing)
    }

    /// Hands the coordinates to the verifier, u first.
    pub fn inputize<CS: ConstraintSystem<Scalar>>(&self, mut cs: CS) -> Result<(), SynthesisError> {
        self.u.inputize(cs.namespace(|| "u"))?;
        self.v.inputize(cs.namespace(|| "v"))
    }

    /// The sum by the law of twisted Edwards curves with a = −1, which has no exceptions where d is no
    /// square: six constraints.
    fn plus<CS: ConstraintSystem<Scalar>>(
        &self,
        mut cs: CS,
        other: &Point,
    ) -> Result<Point, SynthesisError> {
        let all = product(
            cs.namespace(|| "(u₁ + v₁)(u₂ + v₂)"),
            &[(&self.u, Scalar::ONE), (&self.v, Scalar::ONE)],
            &[(&other.u, Scalar::ONE), (&other.v, Scalar::ONE)],
        )?;
        let first = self.u.mul(cs.namespace(|| "u₁ v₂"), &other.v)?;
        let second = self.v.mul(cs.namespace(|| "v₁ u₂"), &other.u)?;
        let cross =
            product(cs.namespace(|| "d u₁ v₂ v₁ u₂"), &[(&first, d())], &[(&second, Scalar::ONE)])?;
        let u = quotient(
            cs.namespace(|| "u"),
            &[(&first, Scalar::ONE), (&second, Scalar::ONE)],
            (&cross, Scalar::ONE),
        )?;
        let v = quotient(
            cs.namespace(|| "v"),
            &[(&all, Scalar::ONE), (&first, -Scalar::ONE), (&second, -Scalar::ONE)],
            (&cross, -Scalar::ONE),
        )?;
        Ok(Point { u, v })
    }
}

/// −10240/10241.
fn d() -> Scalar {
    -Scalar::from(10240) * Scalar::from(10241).invert().unwrap_or(Scalar::ZERO)
}

/// A number and what it is multiplied by.
type Term<'a> = (&'a AllocatedNum<Scalar>, Scalar);

fn value_of(terms: &[Term<'_>]) -> Option<Scalar> {
    terms.iter().try_fold(Scalar::ZERO, |sum, (number, factor)| {
        number.get_value().map(|value| sum + value * factor)
    })
}

fn sum_of(start: LinearCombination<Scalar>, terms: &[Term<'_>]) -> LinearCombination<Scalar> {
    terms.iter().fold(start, |sum, (number, factor)| sum + (*factor, number.get_variable()))
}

fn product<CS: ConstraintSystem<Scalar>>(
    mut cs: CS,
    left: &[Term<'_>],
    right: &[Term<'_>],
) -> Result<AllocatedNum<Scalar>, SynthesisError> {
    let result = AllocatedNum::alloc(cs.namespace(|| "value"), || {
        let (left, right) = (value_of(left), value_of(right));
        left.zip(right).map(|(left, right)| left * right).ok_or(SynthesisError::AssignmentMissing)
    })?;
    cs.enforce(
        || "product",
        |lc| sum_of(lc, left),
        |lc| sum_of(lc, right),
        |lc| lc + result.get_variable(),
    );
    Ok(result)
}

/// The sum of the terms over 1 + the term below, which is not zero for points on the curve.
fn quotient<CS: ConstraintSystem<Scalar>>(
    mut cs: CS,
    terms: &[Term<'_>],
    below: Term<'_>,
) -> Result<AllocatedNum<Scalar>, SynthesisError> {
    let result = AllocatedNum::alloc(cs.namespace(|| "value"), || {
        let (above, below) = (value_of(terms), value_of(&[below]));
        let (above, below) = above.zip(below).ok_or(SynthesisError::AssignmentMissing)?;
        let inverse = (Scalar::ONE + below).invert().into_option();
        inverse.map(|inverse| above * inverse).ok_or(SynthesisError::DivisionByZero)
    })?;
    cs.enforce(
        || "quotient",
        |lc| lc + CS::one() + (below.1, below.0.get_variable()),
        |lc| lc + result.get_variable(),
        |lc| sum_of(lc, terms),
    );
    Ok(result)
}

#[cfg(test)]
mod tests {
    use bellman::gadgets::boolean::AllocatedBit;
    use bellman::gadgets::test::TestConstraintSystem;
    use group::Group;
    use rand::rngs::OsRng;

    use super::*;

    fn allocated(cs: &mut TestConstraintSystem<Scalar>, name: &str, bits: &[bool]) -> Vec<Boolean> {
        bits.iter()
            .enumerate()
            .map(|(place, bit)| {
                let name = format!("{name} {place}");
                AllocatedBit::alloc(cs.namespace(|| name), Some(*bit)).unwrap().into()
            })
            .collect()
    }

    #[test]
    fn d_is_that_of_the_curve() {
        // The order of the curve would be another one; a point of prime order shows it.
        let point = ExtendedPoint::from(SubgroupPoint::generator()).to_affine();
        let (u, v) = (point.get_u().square(), point.get_v().square());
        assert_eq!(v - u, Scalar::ONE + d() * u * v);
        assert_eq!(Scalar::from(10241) * d(), -Scalar::from(10240));
    }

    /// All of a window, its neighbours, and factors that leave a window of fewer bits.
    #[test]
    fn the_circuit_multiplies_as_the_library_does() {
        let (left, right) = (SubgroupPoint::random(OsRng), SubgroupPoint::random(OsRng));
        for (first, second) in [(0u64, 0u64), (1, 0), (0, 7), (8, 9), (0xffff, 0xabcd), (511, 512)]
        {
            for width in [16, 17, 18] {
                let bits =
                    |number: u64| (0..width).map(|i| number >> i & 1 == 1).collect::<Vec<_>>();
                let mut cs = TestConstraintSystem::new();
                let one = allocated(&mut cs, "first", &bits(first));
                let two = allocated(&mut cs, "second", &bits(second));
                let tables = [Table::of(left, width), Table::of(right, width)];
                let sum =
                    Point::combined(&mut cs, &[(&tables[0], &one), (&tables[1], &two)]).unwrap();
                let expected = left * jubjub::Fr::from(first) + right * jubjub::Fr::from(second);
                let expected = ExtendedPoint::from(expected).to_affine();
                assert_eq!(sum.u.get_value(), Some(expected.get_u()), "{first} {second}");
                assert_eq!(sum.v.get_value(), Some(expected.get_v()), "{first} {second}");
                assert_eq!(cs.which_is_unsatisfied(), None);
            }
        }
    }

    #[test]
    fn another_sum_is_refused_by_the_constraint_that_it_breaks() {
        let mut cs = TestConstraintSystem::new();
        let bits = allocated(&mut cs, "bit", &[true, false, true, true]);
        let table = Table::of(SubgroupPoint::generator(), 4);
        Point::combined(&mut cs, &[(&table, &bits)]).unwrap();
        for coordinate in ["u", "v"] {
            let path = format!("window 1 of factor 0/sum/{coordinate}/value/num");
            let honest = cs.get(&path);
            cs.set(&path, honest + Scalar::ONE);
            let broken = format!("window 1 of factor 0/sum/{coordinate}/quotient");
            assert_eq!(cs.which_is_unsatisfied(), Some(broken.as_str()));
            cs.set(&path, honest);
        }
        assert!(cs.is_satisfied());
    }
}
