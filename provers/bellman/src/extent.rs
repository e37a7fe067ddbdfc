//! The size of a circuit.

use bellman::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls12_381::Scalar;

/// How large a circuit is, counted by synthesising it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Constraints that the circuit enforces. bellman adds one more, x · 0 = 0, for each input.
    pub constraints: usize,
    /// Inputs, the constant one among them.
    pub inputs: usize,
    /// Variables only the prover knows.
    pub auxiliary: usize,
    /// Terms of all linear combinations.
    pub terms: usize,
}

impl Extent {
    /// Counts a circuit.
    pub fn of(circuit: impl Circuit<Scalar>) -> Result<Extent, SynthesisError> {
        let mut extent = Extent { inputs: 1, ..Extent::default() };
        circuit.synthesize(&mut extent)?;
        Ok(extent)
    }
}

impl ConstraintSystem<Scalar> for Extent {
    type Root = Extent;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.auxiliary += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.auxiliary - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        self.constraints += 1;
        let sides = [
            a(LinearCombination::zero()),
            b(LinearCombination::zero()),
            c(LinearCombination::zero()),
        ];
        self.terms += sides.iter().map(|side| side.as_ref().len()).sum::<usize>();
    }

    fn push_namespace<NR: Into<String>, N: FnOnce() -> NR>(&mut self, _: N) {}

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Extent {
        self
    }
}
