//! `mimc-preimage` as a rank-1 constraint system, two constraints a round.

use bellman::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use bls12_381::Scalar;
use nizk_protocol::{Seed, mimc};

use crate::field::Bls12Scalar;

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

    /// What the verifier is handed with the proof: the image, then the constants if they are public.
    pub fn public_input(self, image: Scalar, constants: &[Scalar]) -> Vec<Scalar> {
        let handed: &[Scalar] = match self {
            Constants::Fixed => &[],
            Constants::Public => constants,
        };
        std::iter::once(image).chain(handed.iter().copied()).collect()
    }
}

/// A preimage and its image.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// Left half of the preimage.
    pub left: Scalar,
    /// Right half of the preimage.
    pub right: Scalar,
    /// The image.
    pub image: Scalar,
}

impl Instance {
    /// Instance `index` of a seed under these constants.
    pub fn derive(seed: &Seed, index: u64, constants: &[Scalar]) -> Instance {
        let (left, right) = mimc::preimage::<Bls12Scalar>(seed, index);
        let image = mimc::image::<Bls12Scalar>(constants, (left, right));
        Instance { left, right, image }
    }
}

/// The circuit; without an instance it can be set up, not proven.
pub struct MimcPreimage<'a> {
    /// The round constants.
    pub constants: &'a [Scalar],
    /// Where they stand.
    pub placed: Constants,
    /// What is to be proven.
    pub instance: Option<Instance>,
}

/// A variable with its value, where there is one.
#[derive(Clone, Copy)]
struct Wire {
    variable: Variable,
    value: Option<Scalar>,
}

impl Circuit<Scalar> for MimcPreimage<'_> {
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
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        if self.constants.is_empty() {
            return Err(SynthesisError::Unsatisfiable);
        }
        let value = |element: fn(&Instance) -> Scalar| self.instance.as_ref().map(element);
        let image = input(cs, || "image".to_owned(), value(|instance| instance.image))?;
        let places = match self.placed {
            Constants::Fixed => None,
            Constants::Public => Some(
                self.constants
                    .iter()
                    .enumerate()
                    .map(|(round, constant)| {
                        input(cs, || format!("constant {round}"), Some(*constant))
                    })
                    .collect::<Result<Vec<Wire>, SynthesisError>>()?,
            ),
        };
        let mut left = auxiliary(cs, || "left".to_owned(), value(|instance| instance.left))?;
        let mut right = auxiliary(cs, || "right".to_owned(), value(|instance| instance.right))?;
        for (round, constant) in self.constants.iter().enumerate() {
            let base_value = left.value.map(|left| left + constant);
            let square = base_value.map(|base| base.square());
            let square = auxiliary(cs, || format!("square {round}"), square)?;
            let next = if round + 1 == self.constants.len() {
                image
            } else {
                let cube = square.value.zip(base_value).map(|(square, base)| square * base);
                let next = right.value.zip(cube).map(|(right, cube)| right + cube);
                auxiliary(cs, || format!("left of {}", round + 1), next)?
            };
            let base = |combination: LinearCombination<Scalar>| {
                let combination = combination + left.variable;
                match &places {
                    None => combination + (*constant, CS::one()),
                    Some(places) => combination + places[round].variable,
                }
            };
            cs.enforce(|| format!("square of {round}"), base, base, |lc| lc + square.variable);
            cs.enforce(
                || format!("round {round}"),
                |lc| lc + square.variable,
                base,
                |lc| lc + next.variable - right.variable,
            );
            (left, right) = (next, left);
        }
        Ok(())
    }
}

fn input<CS: ConstraintSystem<Scalar>>(
    cs: &mut CS,
    name: impl FnOnce() -> String,
    value: Option<Scalar>,
) -> Result<Wire, SynthesisError> {
    let assigned = || value.ok_or(SynthesisError::AssignmentMissing);
    let variable = cs.alloc_input(name, assigned)?;
    Ok(Wire { variable, value })
}

fn auxiliary<CS: ConstraintSystem<Scalar>>(
    cs: &mut CS,
    name: impl FnOnce() -> String,
    value: Option<Scalar>,
) -> Result<Wire, SynthesisError> {
    let assigned = || value.ok_or(SynthesisError::AssignmentMissing);
    let variable = cs.alloc(name, assigned)?;
    Ok(Wire { variable, value })
}

#[cfg(test)]
mod tests {
    use bellman::gadgets::test::TestConstraintSystem;

    use super::*;
    use crate::extent::Extent;

    const SEED: [u8; 32] = [7; 32];

    fn synthesised(
        rounds: usize,
        placed: Constants,
        change: impl FnOnce(&mut Instance),
    ) -> (TestConstraintSystem<Scalar>, Vec<Scalar>) {
        let seed = Seed::new(SEED);
        let constants = mimc::constants::<Bls12Scalar>(&seed, rounds);
        let mut instance = Instance::derive(&seed, 3, &constants);
        change(&mut instance);
        let mut system = TestConstraintSystem::new();
        let circuit = MimcPreimage { constants: &constants, placed, instance: Some(instance) };
        circuit.synthesize(&mut system).unwrap();
        (system, placed.public_input(instance.image, &constants))
    }

    #[test]
    fn a_true_statement_satisfies_the_circuit() {
        for placed in [Constants::Fixed, Constants::Public] {
            for rounds in [7, 8, 63, 100] {
                let (system, inputs) = synthesised(rounds, placed, |_| {});
                assert_eq!(system.which_is_unsatisfied(), None, "{placed:?} {rounds}");
                assert!(system.verify(&inputs));
            }
        }
    }

    #[test]
    fn a_wrong_image_or_preimage_breaks_the_last_round() {
        let changes: [fn(&mut Instance); 3] = [
            |instance| instance.image += Scalar::one(),
            |instance| instance.left += Scalar::one(),
            |instance| instance.right += Scalar::one(),
        ];
        for placed in [Constants::Fixed, Constants::Public] {
            for change in changes {
                let (system, _) = synthesised(15, placed, change);
                assert_eq!(system.which_is_unsatisfied(), Some("round 14"));
            }
        }
    }

    #[test]
    fn every_auxiliary_value_but_the_preimage_is_forced() {
        for placed in [Constants::Fixed, Constants::Public] {
            for round in 0..9 {
                let (mut system, _) = synthesised(9, placed, |_| {});
                let path = format!("square {round}");
                let honest = system.get(&path);
                system.set(&path, honest + Scalar::one());
                assert!(!system.is_satisfied(), "{path}");
            }
            for round in 1..9 {
                let (mut system, _) = synthesised(9, placed, |_| {});
                let path = format!("left of {round}");
                let honest = system.get(&path);
                system.set(&path, honest + Scalar::one());
                assert!(!system.is_satisfied(), "{path}");
            }
        }
    }

    #[test]
    fn other_public_constants_do_not_satisfy_the_circuit() {
        for round in 0..7 {
            let (mut system, _) = synthesised(7, Constants::Public, |_| {});
            let path = format!("constant {round}");
            let honest = system.get_input(round + 2, &path);
            system.set(&path, honest + Scalar::one());
            assert!(!system.is_satisfied(), "{path}");
        }
    }

    /// The committed sizes: a change here changes what all published times mean.
    #[test]
    fn the_circuit_has_two_constraints_a_round_and_has_not_grown() {
        let extent = |rounds, placed| {
            let constants = mimc::constants::<Bls12Scalar>(&Seed::new(SEED), rounds);
            let circuit = MimcPreimage { constants: &constants, placed, instance: None };
            let Extent { constraints, inputs, auxiliary, terms } = Extent::of(circuit).unwrap();
            (constraints, inputs, auxiliary, terms)
        };
        assert_eq!(extent(7, Constants::Fixed), (14, 2, 15, 70));
        assert_eq!(extent(7, Constants::Public), (14, 9, 15, 70));
        assert_eq!(extent(255, Constants::Fixed), (510, 2, 511, 2550));
        assert_eq!(extent(255, Constants::Public), (510, 257, 511, 2550));
        assert_eq!(extent(4095, Constants::Fixed), (8190, 2, 8191, 40950));
        assert_eq!(extent(4095, Constants::Public), (8190, 4097, 8191, 40950));
    }

    #[test]
    fn the_constraint_system_counted_is_the_one_bellman_sees() {
        for placed in [Constants::Fixed, Constants::Public] {
            let (system, _) = synthesised(31, placed, |_| {});
            let constants = mimc::constants::<Bls12Scalar>(&Seed::new(SEED), 31);
            let circuit = MimcPreimage { constants: &constants, placed, instance: None };
            let extent = Extent::of(circuit).unwrap();
            assert_eq!(extent.constraints, system.num_constraints());
            assert_eq!(extent.inputs, system.num_inputs());
        }
    }
}
