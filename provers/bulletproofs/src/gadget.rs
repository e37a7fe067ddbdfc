//! The MiMC permutation as a constraint system: two multipliers a round, in two ways of carrying
//! the state.

use bulletproofs::r1cs::{ConstraintSystem, LinearCombination, Variable};
use curve25519_dalek_ng::scalar::Scalar;

/// How the half of the state that a round leaves untouched is carried to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gadget {
    /// It is read off the multiplier's own left wire, which holds it plus the round constant: every
    /// linear combination has at most four terms, and all of them together O(n).
    ConstantTerms,
    /// It stays the linear combination it was, which every second round makes one term longer:
    /// O(n²) terms in all. Kept for the price of it.
    GrowingTerms,
}

impl Gadget {
    /// Both.
    pub const ALL: [Self; 2] = [Self::ConstantTerms, Self::GrowingTerms];

    /// The value of the variant `gadget` that means this one.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ConstantTerms => "constant-terms",
            Self::GrowingTerms => "growing-terms",
        }
    }

    /// The gadget that [`Gadget::name`] calls so.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|gadget| gadget.name() == name)
    }
}

/// What a constraint system is made of, counted where it is handed to the library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Multiplication gates, before padding.
    pub multipliers: usize,
    /// Linear constraints: two for each multiplier's inputs, one for the image.
    pub constraints: usize,
    /// Terms of all linear constraints together.
    pub terms: usize,
}

/// Multipliers of a circuit of so many rounds: one squares, one makes the cube.
pub const fn multipliers(rounds: usize) -> usize {
    2 * rounds
}

/// Length of the vectors of the inner-product argument, which halves them until one element is
/// left.
pub const fn multipliers_padded(rounds: usize) -> usize {
    multipliers(rounds).next_power_of_two()
}

/// Constrains `image = MiMC_constants(left, right)` (see STATEMENTS.md) and tells what that took.
pub fn constrain_image<CS: ConstraintSystem>(
    cs: &mut CS,
    gadget: Gadget,
    left: Variable,
    right: Variable,
    constants: &[Scalar],
    image: Scalar,
) -> Counts {
    let mut circuit = Circuit { cs, counts: Counts::default() };
    let mut left = Half::variable(left);
    let mut right = Half::variable(right);
    for &constant in constants {
        let sum = left.plus_constant(constant);
        let (wire, square) = circuit.square(&sum);
        let cube = circuit.multiply_wires(square, wire);
        let carried = match gadget {
            Gadget::ConstantTerms => Half::variable(wire),
            Gadget::GrowingTerms => sum,
        };
        let untouched = carried.plus_constant(-constant);
        left = right.plus_variable(cube);
        right = untouched;
    }
    circuit.constrain_zero(left.plus_constant(-image));
    circuit.counts
}

/// One half of the state: a sum of variables and a constant, which the verifier knows and which is
/// kept in one term however often it changes.
struct Half {
    variables: Vec<Variable>,
    constant: Scalar,
}

impl Half {
    fn variable(variable: Variable) -> Self {
        Self { variables: vec![variable], constant: Scalar::zero() }
    }

    fn plus_variable(mut self, variable: Variable) -> Self {
        self.variables.push(variable);
        self
    }

    fn plus_constant(mut self, constant: Scalar) -> Self {
        self.constant += constant;
        self
    }

    fn len(&self) -> usize {
        self.variables.len() + 1
    }

    fn to_combination(&self) -> LinearCombination {
        self.variables
            .iter()
            .map(|&variable| (variable, Scalar::one()))
            .chain([(Variable::One(), self.constant)])
            .collect()
    }
}

/// A constraint system that counts what it is given. The library counts multipliers and
/// constraints, but keeps the terms of a linear combination to itself.
struct Circuit<'a, CS: ConstraintSystem> {
    cs: &'a mut CS,
    counts: Counts,
}

impl<CS: ConstraintSystem> Circuit<'_, CS> {
    /// Allocates (v, v, v²) for the value v of `half`; gives the wires of v and v².
    fn square(&mut self, half: &Half) -> (Variable, Variable) {
        self.count_multiplier(half.len(), half.len());
        let (wire, _, square) = self.cs.multiply(half.to_combination(), half.to_combination());
        (wire, square)
    }

    fn multiply_wires(&mut self, a: Variable, b: Variable) -> Variable {
        self.count_multiplier(1, 1);
        let (_, _, product) = self.cs.multiply(a.into(), b.into());
        product
    }

    fn constrain_zero(&mut self, half: Half) {
        self.counts.constraints += 1;
        self.counts.terms += half.len();
        self.cs.constrain(half.to_combination());
    }

    /// A multiplier's two inputs are two constraints, each with the terms given and the wire they
    /// are equal to.
    fn count_multiplier(&mut self, left_terms: usize, right_terms: usize) {
        self.counts.multipliers += 1;
        self.counts.constraints += 2;
        self.counts.terms += left_terms + 1 + right_terms + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bulletproofs::PedersenGens;
    use bulletproofs::r1cs::Prover;
    use merlin::Transcript;

    fn counts(gadget: Gadget, rounds: usize) -> Counts {
        let pedersen = PedersenGens::default();
        let mut transcript = Transcript::new(b"test");
        let mut prover = Prover::new(&pedersen, &mut transcript);
        let (_, left) = prover.commit(Scalar::from(3u8), Scalar::one());
        let (_, right) = prover.commit(Scalar::from(5u8), Scalar::one());
        let constants: Vec<Scalar> = (1..=rounds as u64).map(Scalar::from).collect();
        let counts =
            constrain_image(&mut prover, gadget, left, right, &constants, Scalar::from(7u8));
        let library = prover.metrics();
        assert_eq!(
            (counts.multipliers, counts.constraints),
            (library.multipliers, library.constraints),
            "what is counted is not what the library was given"
        );
        counts
    }

    /// Committed figures: a change of the circuit must be meant, and shows in the paper.
    #[test]
    fn counts_are_the_committed_ones() {
        for (gadget, rounds, terms) in [
            (Gadget::ConstantTerms, 7, 85),
            (Gadget::ConstantTerms, 15, 181),
            (Gadget::ConstantTerms, 255, 3_061),
            (Gadget::ConstantTerms, 1023, 12_277),
            (Gadget::GrowingTerms, 7, 100),
            (Gadget::GrowingTerms, 15, 272),
            (Gadget::GrowingTerms, 255, 35_192),
            (Gadget::GrowingTerms, 1023, 534_008),
        ] {
            assert_eq!(
                counts(gadget, rounds),
                Counts { multipliers: 2 * rounds, constraints: 4 * rounds + 1, terms },
                "{} with {rounds} rounds",
                gadget.name()
            );
        }
    }

    #[test]
    fn terms_grow_linearly_in_one_gadget_and_quadratically_in_the_other() {
        for n in 7..200 {
            assert_eq!(counts(Gadget::ConstantTerms, n).terms, 12 * n + 1);
            assert_eq!(
                counts(Gadget::GrowingTerms, n).terms,
                2 * (n * n / 4) + 10 * n + n.div_ceil(2) + 2
            );
        }
    }

    #[test]
    fn padding_is_to_the_next_power_of_two() {
        assert_eq!(multipliers_padded(7), 16);
        assert_eq!(multipliers_padded(8), 16);
        assert_eq!(multipliers_padded(9), 32);
        assert_eq!(multipliers_padded(4095), 8192);
    }

    #[test]
    fn every_gadget_is_found_by_its_name_and_nothing_else_is() {
        for gadget in Gadget::ALL {
            assert_eq!(Gadget::from_name(gadget.name()), Some(gadget));
        }
        assert_eq!(Gadget::from_name("growing"), None);
    }
}
