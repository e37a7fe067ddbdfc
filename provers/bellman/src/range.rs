//! `range` as a rank-1 constraint system: openings of commitments in Jubjub.

use std::sync::LazyLock;

use bellman::gadgets::boolean::{AllocatedBit, Boolean};
use bellman::{Circuit, ConstraintSystem, SynthesisError};
use bls12_381::Scalar;
use group::GroupEncoding;
use group::cofactor::CofactorGroup;
use jubjub::{AffinePoint, ExtendedPoint, SubgroupPoint};
use nizk_protocol::Seed;
use nizk_protocol::range::{self, Commitment};

use crate::jubjub_gadget::{Point, Table};

/// Bits of a blinding factor: the order of the group is below 2²⁵².
const BLINDING_BITS: usize = 252;

/// G and H.
struct Generators {
    value: SubgroupPoint,
    blinding: SubgroupPoint,
}

static GENERATORS: LazyLock<Generators> =
    LazyLock::new(|| Generators { value: hashed("value"), blinding: hashed("blinding") });

static TABLES: LazyLock<[Table; 2]> = LazyLock::new(|| {
    [Table::of(GENERATORS.value, 64), Table::of(GENERATORS.blinding, BLINDING_BITS)]
});

/// The generator of this name: eight times the first point whose v is one of the elements of its
/// label, with an even u.
///
/// # Panics
///
/// If no element is; half of them are.
fn hashed(name: &str) -> SubgroupPoint {
    (0..)
        .find_map(|index| {
            let v = Scalar::from_bytes_wide(&range::generator(name, index));
            // The encoding of a point with an even u is v alone.
            let point = AffinePoint::from_bytes(v.to_bytes()).into_option()?;
            let multiple = ExtendedPoint::from(point).clear_cofactor();
            (!bool::from(ExtendedPoint::from(multiple).is_identity())).then_some(multiple)
        })
        .expect("half of all elements are coordinates")
}

/// A value and the blinding factor of its commitment.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// The value.
    pub value: u64,
    /// The blinding factor.
    pub blinding: jubjub::Fr,
}

impl Opening {
    /// The commitment that it opens.
    pub fn commitment(&self) -> Commitment {
        let value = GENERATORS.value * jubjub::Fr::from(self.value);
        ExtendedPoint::from(value + GENERATORS.blinding * self.blinding).to_bytes()
    }
}

/// The openings of instance `index` of a seed.
pub fn openings(seed: &Seed, index: u64, bits: u32, values: usize) -> Vec<Opening> {
    (0..values)
        .map(|place| Opening {
            value: range::value(seed, index, place, bits),
            blinding: jubjub::Fr::from_bytes_wide(&range::blinding(seed, index, place)),
        })
        .collect()
}

/// What the verifier's equation has of the commitments: both coordinates of each. `None` if one is no
/// canonical encoding of a point on the curve. That it is of prime order is what the proof shows.
pub fn inputs(commitments: &[Commitment]) -> Option<Vec<Scalar>> {
    let mut inputs = Vec::with_capacity(2 * commitments.len());
    for commitment in commitments {
        let point = AffinePoint::from_bytes(*commitment).into_option()?;
        inputs.extend([point.get_u(), point.get_v()]);
    }
    Some(inputs)
}

/// The circuit; without openings it can be set up, not proven.
pub struct Range<'a> {
    /// The bits that every value has at most.
    pub bits: u32,
    /// How many values there are.
    pub values: usize,
    /// What is to be proven; as many as there are values.
    pub openings: Option<&'a [Opening]>,
}

impl Circuit<Scalar> for Range<'_> {
    /// A value is `bits` variables that (1 − b) · b = 0 shows to be bits, and so it is in range; a
    /// blinding factor is 252 of them. The sum of both times their generators is what the verifier is
    /// handed.
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        if self.openings.is_some_and(|openings| openings.len() != self.values) {
            return Err(SynthesisError::Unsatisfiable);
        }
        for place in 0..self.values {
            let opening = self.openings.map(|openings| openings[place]);
            let mut cs = cs.namespace(|| format!("value {place}"));
            let value = opening.map(|opening| opening.value.to_le_bytes());
            let blinding = opening.map(|opening| opening.blinding.to_bytes());
            let value = bits_of(cs.namespace(|| "value"), self.bits as usize, value)?;
            let blinding = bits_of(cs.namespace(|| "blinding"), BLINDING_BITS, blinding)?;
            let [of_values, of_blindings] = &*TABLES;
            Point::combined(
                cs.namespace(|| "commitment"),
                &[(of_values, &value), (of_blindings, &blinding)],
            )?
            .inputize(cs.namespace(|| "input"))?;
        }
        Ok(())
    }
}

/// The lowest `count` bits of a little-endian integer, from the least significant on.
fn bits_of<CS: ConstraintSystem<Scalar>, const BYTES: usize>(
    mut cs: CS,
    count: usize,
    integer: Option<[u8; BYTES]>,
) -> Result<Vec<Boolean>, SynthesisError> {
    (0..count)
        .map(|place| {
            let bit = integer.map(|bytes| bytes[place / 8] >> (place % 8) & 1 == 1);
            let bit = AllocatedBit::alloc(cs.namespace(|| format!("bit {place}")), bit)?;
            Ok(Boolean::from(bit))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use bellman::gadgets::test::TestConstraintSystem;

    use super::*;
    use crate::extent::Extent;

    fn derived(bits: u32, values: usize) -> Vec<Opening> {
        openings(&Seed::new([7; 32]), 3, bits, values)
    }

    fn synthesised(bits: u32, openings: &[Opening]) -> TestConstraintSystem<Scalar> {
        let mut system = TestConstraintSystem::new();
        let values = openings.len();
        Range { bits, values, openings: Some(openings) }.synthesize(&mut system).unwrap();
        system
    }

    fn commitments(openings: &[Opening]) -> Vec<Commitment> {
        openings.iter().map(Opening::commitment).collect()
    }

    fn digits(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Those of `data/vectors/range.json`; the commitment is of 64 bits, one value, instance 0 of the
    /// seed of zeros.
    #[test]
    fn generators_and_commitments_are_the_known_ones() {
        let value = "19e373348e49232e077a26cd1524f99f8b7455522771aaaf1dafe5e7eff3aa6f";
        let blinding = "7e5b58037d4a400b8edd54196a608f4eafa661114bf4063441e8b8b52cb0380d";
        let commitment = "360da2608d9f9bd45834efc89fe88e8ec87762a2c8c124d402182f1705f4d813";
        assert_eq!(digits(&GENERATORS.value.to_bytes()), value);
        assert_eq!(digits(&GENERATORS.blinding.to_bytes()), blinding);
        let openings = openings(&Seed::new([0; 32]), 0, 64, 1);
        assert_eq!(digits(&openings[0].commitment()), commitment);
    }

    #[test]
    fn openings_satisfy_the_circuit_with_their_commitments_alone() {
        for (bits, values) in [(8, 1), (16, 2), (32, 3), (64, 2)] {
            let openings = derived(bits, values);
            let system = synthesised(bits, &openings);
            assert_eq!(system.which_is_unsatisfied(), None);
            assert!(system.verify(&inputs(&commitments(&openings)).unwrap()));
            let mut others = commitments(&openings);
            others[0] = ExtendedPoint::identity().to_bytes();
            assert!(!system.verify(&inputs(&others).unwrap()));
        }
    }

    #[test]
    fn the_ends_of_the_range_are_in_it() {
        for bits in [8, 64] {
            for value in [0, u64::MAX >> (64 - bits)] {
                let opening = Opening { value, ..derived(bits, 1)[0] };
                let system = synthesised(bits, &[opening]);
                assert!(system.is_satisfied());
                assert!(system.verify(&inputs(&[opening.commitment()]).unwrap()));
            }
        }
    }

    /// A value of more bits has no other bits to be put in: what is left of it makes another
    /// commitment, and what is no bit breaks its constraint.
    #[test]
    fn a_value_out_of_range_cannot_be_proven() {
        let honest = derived(8, 1)[0];
        let opening = Opening { value: 1 << 8 | honest.value, ..honest };
        let mut system = synthesised(8, &[opening]);
        assert!(!system.verify(&inputs(&[opening.commitment()]).unwrap()));
        assert!(system.verify(&inputs(&[honest.commitment()]).unwrap()));
        for value in [Scalar::from(2), Scalar::from(256), -Scalar::one()] {
            system.set("value 0/value/bit 7/boolean", value);
            let broken = "value 0/value/bit 7/boolean constraint";
            assert_eq!(system.which_is_unsatisfied(), Some(broken));
        }
    }

    #[test]
    fn what_encodes_no_point_is_no_input() {
        let good = derived(8, 1)[0].commitment();
        assert!(inputs(&[good]).is_some());
        let mut unreduced = [0xff; 32];
        unreduced[31] = 0x7f;
        // (0, 1) with the parity of an odd u, which zero has not.
        let mut negative_zero = ExtendedPoint::identity().to_bytes();
        negative_zero[31] |= 0x80;
        for bad in [unreduced, negative_zero, [0xff; 32]] {
            assert_eq!(inputs(&[good, bad]), None);
        }
    }

    #[test]
    fn openings_of_another_number_are_refused() {
        let circuit = Range { bits: 8, values: 2, openings: Some(&derived(8, 1)) };
        let refused = circuit.synthesize(&mut TestConstraintSystem::new());
        assert!(matches!(refused, Err(SynthesisError::Unsatisfiable)));
    }

    /// The committed sizes: a change here changes what all published times mean.
    #[test]
    fn the_circuit_has_not_grown() {
        let sizes = [(8, 1), (16, 1), (32, 1), (64, 1), (64, 8), (64, 32)].map(|(bits, values)| {
            let Extent { constraints, inputs, auxiliary, terms } =
                Extent::of(Range { bits, values, openings: None }).unwrap();
            (constraints, inputs, auxiliary, terms)
        });
        let committed = [
            (1038, 3, 1036, 4926),
            (1073, 3, 1071, 5090),
            (1134, 3, 1132, 5382),
            (1265, 3, 1263, 6002),
            (10_120, 17, 10_104, 48_016),
            (40_480, 65, 40_416, 192_064),
        ];
        assert_eq!(sizes, committed);
    }
}
