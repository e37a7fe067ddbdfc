//! `mimc-preimage` as a rank-1 constraint system, two constraints a round.

use ark_ff::PrimeField;
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystem, ConstraintSystemRef, LinearCombination, Matrix,
    OptimizationGoal, R1CS_PREDICATE_LABEL, SynthesisError, SynthesisMode, Variable,
};
use nizk_protocol::{Seed, mimc};

use crate::field::Scalar;

/// Where the round constants stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    /// In the circuit, as coefficients: whoever holds the verifying key has fixed them.
    Fixed,
    /// In the public input, one element each.
    Public,
}

impl Constants {
    /// From the value of the variant `constants`.
    pub fn of_variant(value: &str) -> Constants {
        match value {
            "public" => Constants::Public,
            _ => Constants::Fixed,
        }
    }

    /// How many elements the verifier is handed with the proof.
    pub fn inputs(self, rounds: usize) -> usize {
        match self {
            Constants::Fixed => 1,
            Constants::Public => 1 + rounds,
        }
    }

    /// What the verifier is handed with the proof: the image, then the constants if they are public.
    pub fn public_input<F: Copy>(self, image: F, constants: &[F]) -> Vec<F> {
        let handed = match self {
            Constants::Fixed => &[],
            Constants::Public => constants,
        };
        std::iter::once(image).chain(handed.iter().copied()).collect()
    }
}

/// A preimage and its image.
#[derive(Clone, Copy, Debug)]
pub struct Instance<F> {
    /// The preimage (left, right).
    pub preimage: (F, F),
    /// The image.
    pub image: F,
}

impl<F: PrimeField> Instance<F> {
    /// Instance `index` of a seed under these constants.
    pub fn derive(seed: &Seed, index: u64, constants: &[F]) -> Instance<F> {
        let preimage = mimc::preimage::<Scalar<F>>(seed, index);
        Instance { preimage, image: mimc::image::<Scalar<F>>(constants, preimage) }
    }
}

/// The circuit; without an instance it can be set up, not proven.
#[derive(Clone, Copy)]
pub struct MimcPreimage<'a, F> {
    /// The round constants.
    pub constants: &'a [F],
    /// Where they stand.
    pub placed: Constants,
    /// What is to be proven.
    pub instance: Option<Instance<F>>,
}

/// A variable with its value, where there is one.
#[derive(Clone, Copy)]
struct Wire<F> {
    variable: Variable,
    value: Option<F>,
}

impl<F: PrimeField> ConstraintSynthesizer<F> for MimcPreimage<'_, F> {
    /// For each round (l, r, c) ↦ (r + (l + c)³, l):
    ///
    /// ```text
    /// (l + c) · (l + c) = square
    /// square  · (l + c) = next − r
    /// ```
    ///
    /// with the image for `next` in the last round, so that nothing ties it but the round itself.
    /// Under fixed constants c is the coefficient of the constant one, else a public input; either
    /// way no linear combination has more than two terms.
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        if self.constants.is_empty() {
            return Err(SynthesisError::Unsatisfiable);
        }
        let image = input(&cs, self.instance.map(|instance| instance.image))?;
        // Under fixed constants each is its multiple of one, under public ones one time its variable.
        let places = match self.placed {
            Constants::Fixed => {
                self.constants.iter().map(|constant| (*constant, Variable::One)).collect()
            }
            Constants::Public => self
                .constants
                .iter()
                .map(|constant| Ok((F::one(), input(&cs, Some(*constant))?.variable)))
                .collect::<Result<Vec<(F, Variable)>, SynthesisError>>()?,
        };
        let mut left = witness(&cs, self.instance.map(|instance| instance.preimage.0))?;
        let mut right = witness(&cs, self.instance.map(|instance| instance.preimage.1))?;
        for (round, (constant, place)) in self.constants.iter().zip(places).enumerate() {
            let base_value = left.value.map(|left| left + constant);
            let square = witness(&cs, base_value.map(|base| base.square()))?;
            let next = if round + 1 == self.constants.len() {
                image
            } else {
                let cube = square.value.zip(base_value).map(|(square, base)| square * base);
                witness(&cs, right.value.zip(cube).map(|(right, cube)| right + cube))?
            };
            let base = || LinearCombination(vec![(F::one(), left.variable), place]);
            let term = |wire: Wire<F>| LinearCombination(vec![(F::one(), wire.variable)]);
            let difference =
                || LinearCombination(vec![(F::one(), next.variable), (-F::one(), right.variable)]);
            cs.enforce_r1cs_constraint(base, base, || term(square))?;
            cs.enforce_r1cs_constraint(|| term(square), base, difference)?;
            (left, right) = (next, left);
        }
        Ok(())
    }
}

fn input<F: PrimeField>(
    cs: &ConstraintSystemRef<F>,
    value: Option<F>,
) -> Result<Wire<F>, SynthesisError> {
    let variable = cs.new_input_variable(|| value.ok_or(SynthesisError::AssignmentMissing))?;
    Ok(Wire { variable, value })
}

fn witness<F: PrimeField>(
    cs: &ConstraintSystemRef<F>,
    value: Option<F>,
) -> Result<Wire<F>, SynthesisError> {
    let variable = cs.new_witness_variable(|| value.ok_or(SynthesisError::AssignmentMissing))?;
    Ok(Wire { variable, value })
}

/// The constraints ⟨a, w⟩ · ⟨b, w⟩ = ⟨c, w⟩ as arkworks' prover takes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrices<F> {
    /// The matrices a, b and c, a row for each constraint.
    pub rows: Vec<Matrix<F>>,
    /// How many variables the verifier knows, the constant one included.
    pub inputs: usize,
    /// How many variables there are.
    pub variables: usize,
}

impl<F: PrimeField> Matrices<F> {
    /// The matrices of a circuit that has no instance.
    ///
    /// # Errors
    ///
    /// arkworks' own.
    pub fn of(circuit: MimcPreimage<'_, F>) -> Result<Matrices<F>, SynthesisError> {
        let cs = ConstraintSystem::new_ref();
        cs.set_optimization_goal(OptimizationGoal::Constraints);
        cs.set_mode(SynthesisMode::Setup);
        circuit.generate_constraints(cs.clone())?;
        cs.finalize();
        let rows = cs
            .to_matrices()?
            .remove(R1CS_PREDICATE_LABEL)
            .ok_or(SynthesisError::PredicateNotFound)?;
        let (inputs, variables) = (cs.num_instance_variables(), cs.num_variables());
        Ok(Matrices { rows, inputs, variables })
    }

    /// How many constraints there are.
    pub fn constraints(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// How many coefficients the matrices have that are not zero.
    pub fn terms(&self) -> usize {
        self.rows.iter().flatten().map(Vec::len).sum()
    }
}

/// The values of all variables of a circuit with its instance: the constant one, what the verifier is
/// handed, and what the prover alone knows.
///
/// # Errors
///
/// arkworks' own, such as an instance that is missing.
pub fn assignment<F: PrimeField>(circuit: MimcPreimage<'_, F>) -> Result<Vec<F>, SynthesisError> {
    let cs = ConstraintSystem::new_ref();
    cs.set_optimization_goal(OptimizationGoal::Constraints);
    cs.set_mode(SynthesisMode::Prove { construct_matrices: false, generate_lc_assignments: false });
    circuit.generate_constraints(cs.clone())?;
    let cs = cs.into_inner().ok_or(SynthesisError::MissingCS)?.assignments;
    Ok([cs.instance_assignment, cs.witness_assignment].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bn254::Fr;

    fn seed() -> Seed {
        Seed::new([7; 32])
    }

    fn constants(rounds: usize) -> Vec<Fr> {
        mimc::constants::<Scalar<Fr>>(&seed(), rounds)
    }

    fn matrices(constants: &[Fr], placed: Constants) -> Matrices<Fr> {
        Matrices::of(MimcPreimage { constants, placed, instance: None }).unwrap()
    }

    fn values(
        constants: &[Fr],
        placed: Constants,
        change: impl FnOnce(&mut Instance<Fr>),
    ) -> Vec<Fr> {
        let mut instance = Instance::derive(&seed(), 3, constants);
        change(&mut instance);
        assignment(MimcPreimage { constants, placed, instance: Some(instance) }).unwrap()
    }

    fn first_unsatisfied(matrices: &Matrices<Fr>, values: &[Fr]) -> Option<usize> {
        let of =
            |row: &[(Fr, usize)]| -> Fr { row.iter().map(|(k, wire)| *k * values[*wire]).sum() };
        let [a, b, c] = matrices.rows.as_slice() else { panic!("three matrices") };
        (0..matrices.constraints()).find(|row| of(&a[*row]) * of(&b[*row]) != of(&c[*row]))
    }

    #[test]
    fn a_true_statement_satisfies_the_circuit() {
        for placed in [Constants::Fixed, Constants::Public] {
            for rounds in [7, 8, 63, 100] {
                let constants = constants(rounds);
                let matrices = matrices(&constants, placed);
                let values = values(&constants, placed, |_| {});
                assert_eq!(values.len(), matrices.variables);
                assert_eq!(first_unsatisfied(&matrices, &values), None, "{placed:?} {rounds}");
                let image = Instance::derive(&seed(), 3, &constants).image;
                let public_input = placed.public_input(image, &constants);
                assert_eq!(values[1..matrices.inputs], public_input);
                assert_eq!(placed.inputs(rounds), public_input.len());
            }
        }
    }

    #[test]
    fn a_wrong_image_or_preimage_breaks_the_last_round() {
        let changes: [fn(&mut Instance<Fr>); 3] = [
            |instance| instance.image += Fr::from(1),
            |instance| instance.preimage.0 += Fr::from(1),
            |instance| instance.preimage.1 += Fr::from(1),
        ];
        let constants = constants(15);
        for placed in [Constants::Fixed, Constants::Public] {
            for change in changes {
                let values = values(&constants, placed, change);
                let matrices = matrices(&constants, placed);
                assert_eq!(first_unsatisfied(&matrices, &values), Some(29), "{placed:?}");
            }
        }
    }

    /// The preimage too: another one has another image. The constant one, in front, is no value that
    /// anybody chooses.
    #[test]
    fn no_value_can_be_changed_alone() {
        let constants = constants(9);
        for placed in [Constants::Fixed, Constants::Public] {
            let matrices = matrices(&constants, placed);
            let honest = values(&constants, placed, |_| {});
            for position in 1..honest.len() {
                let mut values = honest.clone();
                values[position] += Fr::from(1);
                assert_ne!(first_unsatisfied(&matrices, &values), None, "{placed:?} {position}");
            }
        }
    }

    #[test]
    fn a_circuit_without_rounds_or_instance_is_an_error() {
        let circuit =
            MimcPreimage::<Fr> { constants: &[], placed: Constants::Fixed, instance: None };
        assert!(Matrices::of(circuit).is_err());
        assert!(assignment(MimcPreimage { constants: &constants(7), ..circuit }).is_err());
    }

    /// The committed sizes: a change here changes what all published times mean.
    #[test]
    fn the_circuit_has_two_constraints_a_round_and_has_not_grown() {
        let extent = |rounds, placed| {
            let matrices = matrices(&constants(rounds), placed);
            (matrices.constraints(), matrices.inputs, matrices.variables, matrices.terms())
        };
        assert_eq!(extent(7, Constants::Fixed), (14, 2, 17, 70));
        assert_eq!(extent(7, Constants::Public), (14, 9, 24, 70));
        assert_eq!(extent(255, Constants::Fixed), (510, 2, 513, 2550));
        assert_eq!(extent(255, Constants::Public), (510, 257, 768, 2550));
        assert_eq!(extent(4095, Constants::Fixed), (8190, 2, 8193, 40950));
        assert_eq!(extent(4095, Constants::Public), (8190, 4097, 12288, 40950));
    }

    #[test]
    fn no_linear_combination_has_more_than_two_terms() {
        for placed in [Constants::Fixed, Constants::Public] {
            let matrices = matrices(&constants(100), placed);
            assert_eq!(matrices.rows.iter().flatten().map(Vec::len).max(), Some(2));
        }
    }
}
