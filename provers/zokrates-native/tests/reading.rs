//! The readers of iden3's formats against files that nobody has made: whatever they are given, they
//! answer, and they take just what was written.

// As in `process.rs`.
#![allow(clippy::unwrap_used)]

use ark_bn254::Fr;
use ark_ff::{BigInteger, PrimeField};
use nizk_zokrates_native::circuit::Circuit;
use nizk_zokrates_native::witness;
use proptest::collection::vec;
use proptest::prelude::*;

const CIRCUIT: &[u8] = include_bytes!("data/mimc-7-1-bytes/circuit.r1cs");
const WITNESS: &[u8] = include_bytes!("data/mimc-7-1-bytes/message-ff.wtns");

/// A constraint system as rows of wires and coefficients, three of them a constraint.
#[derive(Clone, Debug)]
struct Written {
    wires: u32,
    outputs: u32,
    inputs: u32,
    constraints: Vec<[Vec<(u32, u64)>; 3]>,
}

fn element(value: Fr) -> Vec<u8> {
    value.into_bigint().to_bytes_le()
}

fn section(kind: u32, content: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(content.len() as u64).to_le_bytes(), content].concat()
}

impl Written {
    fn sections(&self) -> [Vec<u8>; 3] {
        let mut header = 32u32.to_le_bytes().to_vec();
        header.extend(Fr::MODULUS.to_bytes_le());
        for count in [self.wires, self.outputs, self.inputs, 0] {
            header.extend(count.to_le_bytes());
        }
        header.extend(u64::from(self.wires).to_le_bytes());
        header.extend((self.constraints.len() as u32).to_le_bytes());
        let mut rows = Vec::new();
        for row in self.constraints.iter().flatten() {
            rows.extend((row.len() as u32).to_le_bytes());
            for (wire, coefficient) in row {
                rows.extend(wire.to_le_bytes());
                rows.extend(element(-Fr::from(*coefficient)));
            }
        }
        let labels: Vec<u8> =
            (0..u64::from(self.wires)).flat_map(|label| label.to_le_bytes()).collect();
        [section(1, &header), section(2, &rows), section(3, &labels)]
    }

    fn file(&self, order: [usize; 3]) -> Vec<u8> {
        let sections = self.sections();
        let mut file = b"r1cs\x01\0\0\0\x03\0\0\0".to_vec();
        for index in order {
            file.extend(&sections[index]);
        }
        file
    }

    /// ⟨row, values⟩ of every constraint, and whether they satisfy it, from the definition.
    fn first_unsatisfied(&self, values: &[Fr]) -> Option<usize> {
        self.constraints.iter().position(|rows| {
            let [a, b, c] = rows.each_ref().map(|row| {
                row.iter()
                    .map(|(wire, coefficient)| -Fr::from(*coefficient) * values[*wire as usize])
                    .sum::<Fr>()
            });
            a * b != c
        })
    }
}

fn written() -> impl Strategy<Value = Written> {
    (3u32..12).prop_flat_map(|wires| {
        let row = move || vec((0..wires, any::<u64>()), 0..4);
        let constraint = [row(), row(), row()];
        (0..wires / 3, 0..wires / 3, vec(constraint, 0..6)).prop_map(
            move |(outputs, inputs, constraints)| Written { wires, outputs, inputs, constraints },
        )
    })
}

proptest! {
    #[test]
    fn a_circuit_is_read_as_it_is_written(
        written in written(),
        order in Just([0, 1, 2]).prop_shuffle(),
        values in vec(any::<u64>(), 12),
    ) {
        let circuit = Circuit::read(&written.file(order)).unwrap();
        prop_assert_eq!(circuit.wires(), written.wires as usize);
        prop_assert_eq!(circuit.public(), (written.outputs + written.inputs) as usize);
        prop_assert_eq!(circuit.constraints(), written.constraints.len());
        let terms: usize = written.constraints.iter().flatten().map(Vec::len).sum();
        prop_assert_eq!(circuit.terms(), terms);
        let values: Vec<Fr> = values.into_iter().map(Fr::from).collect();
        prop_assert_eq!(circuit.first_unsatisfied(&values), written.first_unsatisfied(&values));
    }

    #[test]
    fn a_circuit_with_a_wire_too_many_is_refused(mut written in written()) {
        prop_assume!(!written.constraints.is_empty());
        written.constraints[0][0].push((written.wires, 1));
        prop_assert!(Circuit::read(&written.file([0, 1, 2])).is_err());
    }

    #[test]
    fn a_witness_is_read_as_it_is_written(values in vec(any::<u64>(), 0..20)) {
        let values: Vec<Fr> =
            std::iter::once(1).chain(values).map(Fr::from).collect();
        let mut header = 32u32.to_le_bytes().to_vec();
        header.extend(Fr::MODULUS.to_bytes_le());
        header.extend((values.len() as u32).to_le_bytes());
        let content: Vec<u8> = values.iter().flat_map(|value| element(*value)).collect();
        let mut file = b"wtns\x02\0\0\0\x02\0\0\0".to_vec();
        file.extend(section(1, &header));
        file.extend(section(2, &content));
        prop_assert_eq!(witness::read(&file), Ok(values));
    }

    #[test]
    fn any_bytes_are_answered(bytes in vec(any::<u8>(), 0..300)) {
        prop_assert!(Circuit::read(&bytes).is_err());
        prop_assert!(witness::read(&bytes).is_err());
        // With a beginning that is right, the rest is read too.
        let sections = [b"r1cs\x01\0\0\0\x03\0\0\0\x01\0\0\0", bytes.as_slice()].concat();
        prop_assert!(Circuit::read(&sections).is_err());
    }

    #[test]
    fn a_file_that_ends_early_or_late_is_refused(
        part in 0.0..1.0f64,
        more in vec(any::<u8>(), 1..20),
    ) {
        let cut = |file: &[u8]| file[..(file.len() as f64 * part) as usize].to_vec();
        prop_assert!(Circuit::read(&cut(CIRCUIT)).is_err());
        prop_assert!(witness::read(&cut(WITNESS)).is_err());
        prop_assert!(Circuit::read(&[CIRCUIT, &more].concat()).is_err());
        prop_assert!(witness::read(&[WITNESS, &more].concat()).is_err());
    }

    /// The first section is that of constraints, the second the header, the third has labels, which are
    /// not part of the circuit.
    #[test]
    fn a_changed_byte_is_refused_or_makes_another_circuit(
        place in 0..CIRCUIT.len(),
        change in 1..=255u8,
    ) {
        const CONSTRAINTS: std::ops::Range<usize> = 24..55_920;
        let mut file = CIRCUIT.to_vec();
        file[place] ^= change;
        if let (Ok(read), true) = (Circuit::read(&file), CONSTRAINTS.contains(&place)) {
            prop_assert!(Circuit::read(CIRCUIT) != Ok(read));
        }
    }
}
