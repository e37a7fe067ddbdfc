//! A rank-1 constraint system in iden3's binary format `r1cs`, version 1
//! (<https://github.com/iden3/r1csfile>, `doc/r1cs_bin_format.md`), and as arkworks takes it.

use ark_bn254::Fr;
use ark_groth16::r1cs_to_qap::evaluate_constraint;
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystemRef, LinearCombination, Matrix, SynthesisError, Variable,
};
use rayon::prelude::*;

use crate::iden3::{ELEMENT_BYTES, Malformed, Reader, Sections};

const NAME: &[u8; 4] = b"r1cs";
const VERSION: u32 = 1;
const HEADER: u32 = 1;
const CONSTRAINTS: u32 = 2;
const LABELS: u32 = 3;

/// Bytes of a wire's number.
const WIRE_BYTES: usize = 4;
/// Bytes of the number of terms of a linear combination.
const COUNT_BYTES: usize = 4;
/// Bytes of a wire's label, which says what a compiler called it and is not read.
const LABEL_BYTES: usize = 8;

/// Constraints ⟨a, w⟩ · ⟨b, w⟩ = ⟨c, w⟩ over wires *w*: the constant one, then what the verifier is
/// handed, then what the prover alone knows.
///
/// The matrices have the form in which arkworks' prover takes them, so that one copy serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    wires: usize,
    public: usize,
    matrices: [Matrix<Fr>; 3],
}

/// A row of a matrix: coefficients with their wires.
type Row = Vec<(Fr, usize)>;

impl Circuit {
    /// Reads a file whose wires and constraints are all that there is: custom gates, which the format
    /// has sections for, are none of Groth16's.
    ///
    /// # Errors
    ///
    /// What is wrong with the file, as a sentence without its subject.
    pub fn read(file: &[u8]) -> Result<Circuit, Malformed> {
        let sections = Sections::read(file, NAME, VERSION, &[HEADER, CONSTRAINTS, LABELS])?;
        let mut header = sections.require(HEADER)?;
        header.field()?;
        let wires = header.u32()? as usize;
        let [outputs, inputs, private] = [header.u32()?, header.u32()?, header.u32()?];
        header.u64()?; // Labels there are in the compiler's own numbering.
        let constraints = header.u32()? as usize;
        header.finish()?;
        let named = 1 + u64::from(outputs) + u64::from(inputs) + u64::from(private);
        if named > wires as u64 {
            let message = format!("it has {wires} wires, fewer than the {named} that it names");
            return Err(Malformed::new(message));
        }
        if let Some(labels) = sections.get(LABELS)
            && labels.left() != wires.saturating_mul(LABEL_BYTES)
        {
            let bytes = labels.left();
            return Err(Malformed::new(format!(
                "it has {bytes} bytes of labels for {wires} wires"
            )));
        }
        let mut rows = sections.require(CONSTRAINTS)?;
        if constraints.saturating_mul(3 * COUNT_BYTES) > rows.left() {
            return Err(Malformed::new("it announces more constraints than it has bytes for"));
        }
        let mut matrices: [Matrix<Fr>; 3] =
            std::array::from_fn(|_| Vec::with_capacity(constraints));
        for _ in 0..constraints {
            for matrix in &mut matrices {
                matrix.push(read_row(&mut rows, wires)?);
            }
        }
        rows.finish()?;
        let public = outputs as usize + inputs as usize;
        Ok(Circuit { wires, public, matrices })
    }

    /// Constraints.
    pub fn constraints(&self) -> usize {
        self.matrices[0].len()
    }

    /// Wires, the constant one among them.
    pub fn wires(&self) -> usize {
        self.wires
    }

    /// Wires that the verifier is handed, without the constant one.
    pub fn public(&self) -> usize {
        self.public
    }

    /// Terms of all linear combinations.
    pub fn terms(&self) -> usize {
        self.matrices.iter().flatten().map(Vec::len).sum()
    }

    /// The matrices a, b and c, one row a constraint.
    pub(crate) fn matrices(&self) -> &[Matrix<Fr>] {
        &self.matrices
    }

    /// The first constraint that values of all wires do not satisfy.
    ///
    /// # Panics
    ///
    /// If there are fewer values than wires.
    pub fn first_unsatisfied(&self, assignment: &[Fr]) -> Option<usize> {
        let [a, b, c] = &self.matrices;
        (0..self.constraints()).into_par_iter().find_first(|row| {
            let [a, b, c] = [a, b, c].map(|matrix| evaluate_constraint(&matrix[*row], assignment));
            a * b != c
        })
    }

    fn variable(&self, wire: usize) -> Variable {
        match wire {
            0 => Variable::One,
            _ if wire <= self.public => Variable::instance(wire),
            _ => Variable::witness(wire - 1 - self.public),
        }
    }
}

fn read_row(rest: &mut Reader<'_>, wires: usize) -> Result<Row, Malformed> {
    let terms = rest.count(WIRE_BYTES + ELEMENT_BYTES)?;
    let mut row = Vec::with_capacity(terms);
    for _ in 0..terms {
        let wire = rest.u32()? as usize;
        let coefficient = rest.element()?;
        if wire >= wires {
            return Err(Malformed::new(format!("a term has wire {wire} of {wires} wires")));
        }
        row.push((coefficient, wire));
    }
    Ok(row)
}

/// What arkworks' set-up asks for. Its prover is handed the matrices themselves.
impl ConstraintSynthesizer<Fr> for &Circuit {
    fn generate_constraints(self, cs: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        for _ in 0..self.public {
            let _ = cs.new_input_variable(|| Err(SynthesisError::AssignmentMissing))?;
        }
        for _ in 1 + self.public..self.wires {
            let _ = cs.new_witness_variable(|| Err(SynthesisError::AssignmentMissing))?;
        }
        let combination = |row: &Row| {
            LinearCombination(
                row.iter()
                    .map(|(coefficient, wire)| (*coefficient, self.variable(*wire)))
                    .collect(),
            )
        };
        let [a, b, c] = &self.matrices;
        for ((a, b), c) in a.iter().zip(b).zip(c) {
            cs.enforce_r1cs_constraint(|| combination(a), || combination(b), || combination(c))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use nizk_hash_speed::digest::digest;
    use nizk_hash_speed::element;
    use nizk_protocol::hash::Function;

    use super::*;
    use crate::witness;

    /// `mimc-7` of one byte, as ZoKrates exports it, and its witnesses for the bytes 00 and ff.
    const CIRCUIT: &[u8] = include_bytes!("../tests/data/mimc-7-1-bytes/circuit.r1cs");
    const WITNESS_00: &[u8] = include_bytes!("../tests/data/mimc-7-1-bytes/message-00.wtns");
    const WITNESS_FF: &[u8] = include_bytes!("../tests/data/mimc-7-1-bytes/message-ff.wtns");

    fn circuit() -> Circuit {
        Circuit::read(CIRCUIT).unwrap()
    }

    #[test]
    fn a_circuit_of_zokrates_has_as_many_constraints_as_zokrates_says() {
        let circuit = circuit();
        assert_eq!((circuit.constraints(), circuit.wires(), circuit.public()), (374, 375, 1));
        assert_eq!(circuit.terms(), 1428);
    }

    #[test]
    fn a_witness_of_zokrates_satisfies_its_circuit_and_has_the_native_digest() {
        for (message, file) in [(0x00, WITNESS_00), (0xff, WITNESS_FF)] {
            let assignment = witness::read(file).unwrap();
            assert_eq!(assignment.len(), circuit().wires());
            assert_eq!(circuit().first_unsatisfied(&assignment), None);
            let native = element::of_digest(&digest(Function::Mimc7, &[message])).unwrap();
            assert_eq!(assignment[1], native, "message {message:02x}");
        }
    }

    #[test]
    fn no_wire_can_have_another_value() {
        let circuit = circuit();
        let honest = witness::read(WITNESS_FF).unwrap();
        for wire in 0..honest.len() {
            let mut forged = honest.clone();
            forged[wire] += Fr::from(1);
            assert!(circuit.first_unsatisfied(&forged).is_some(), "wire {wire}");
        }
    }

    #[test]
    fn the_digest_of_one_message_is_not_that_of_another() {
        let mut forged = witness::read(WITNESS_FF).unwrap();
        forged[1] = witness::read(WITNESS_00).unwrap()[1];
        assert!(circuit().first_unsatisfied(&forged).is_some());
    }

    /// What arkworks makes of the circuit in its set-up is the circuit.
    #[test]
    fn synthesis_gives_the_same_matrices() {
        use ark_relations::gr1cs::{ConstraintSystem, R1CS_PREDICATE_LABEL, SynthesisMode};
        let circuit = circuit();
        let cs = ConstraintSystem::new_ref();
        cs.set_mode(SynthesisMode::Setup);
        (&circuit).generate_constraints(cs.clone()).unwrap();
        cs.finalize();
        assert_eq!(cs.num_instance_variables(), 1 + circuit.public());
        assert_eq!(cs.num_variables(), circuit.wires());
        let matrices = &cs.to_matrices().unwrap()[R1CS_PREDICATE_LABEL];
        let assignment: Vec<Fr> = (1..=circuit.wires() as u64).map(Fr::from).collect();
        for (synthesised, read) in matrices.iter().zip(circuit.matrices()) {
            assert_eq!(synthesised.len(), read.len());
            for (one, other) in synthesised.iter().zip(read) {
                let value = |row: &Row| evaluate_constraint(row, &assignment);
                assert_eq!(value(one), value(other));
            }
        }
    }

    fn wrong(change: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut file = CIRCUIT.to_vec();
        change(&mut file);
        Circuit::read(&file).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        assert!(wrong(|file| file[0] = b'R').contains("begin with \"r1cs\""));
        assert!(wrong(|file| file[4] = 2).contains("version is 2"));
        assert!(wrong(|file| file.push(0)).contains("after the end"));
        assert!(wrong(|file| file.truncate(100)).contains("ends before"));
        assert!(wrong(Vec::clear).contains("ends before"));
        // The first section is that of constraints: its type stands behind name, version and count.
        assert_eq!(CIRCUIT[12..16], CONSTRAINTS.to_le_bytes());
        assert!(wrong(|file| file[12] = 4).contains("unknown type 4"));
        assert!(wrong(|file| file[12] = 1).contains("two sections of type 1"));
        // Its first row begins with the number of terms, then a wire and its coefficient.
        assert!(wrong(|file| file[24..28].fill(0xff)).contains("ends before"));
        assert!(wrong(|file| file[28..32].fill(0xff)).contains("wire 4294967295 of"));
        assert!(wrong(|file| file[32..64].fill(0xff)).contains("not below the field's order"));
    }
}
