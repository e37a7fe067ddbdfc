//! `hash-preimage` as a rank-1 constraint system, with the gadgets that bellman brings along.

use bellman::gadgets::blake2s::blake2s;
use bellman::gadgets::boolean::{AllocatedBit, Boolean};
use bellman::gadgets::sha256::sha256;
use bellman::{Circuit, ConstraintSystem, LinearCombination, SynthesisError};
use bls12_381::Scalar;
use ff::Field;
use nizk_protocol::Seed;
use nizk_protocol::hash::{self, Digest, Function};
use sha2::Sha256;

/// The functions that bellman has a gadget for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gadget {
    /// `bellman::gadgets::sha256::sha256`, which pads the message itself.
    Sha256,
    /// `bellman::gadgets::blake2s::blake2s`, with the personalisation that RFC 7693 has: none.
    Blake2s,
}

/// Eight zero bytes leave the initial state as RFC 7693, section 3.3, has it.
const NO_PERSONALISATION: [u8; 8] = [0; 8];

impl Gadget {
    /// All gadgets, the default first.
    pub const ALL: [Gadget; 2] = [Gadget::Sha256, Gadget::Blake2s];

    /// The gadget for a function, if bellman has one.
    pub fn for_function(function: Function) -> Option<Gadget> {
        Gadget::ALL.into_iter().find(|gadget| gadget.function() == function)
    }

    /// The function that it computes.
    pub const fn function(self) -> Function {
        match self {
            Gadget::Sha256 => Function::Sha256,
            Gadget::Blake2s => Function::Blake2s,
        }
    }

    /// The digest of a message, without a circuit.
    pub fn digest(self, message: &[u8]) -> Digest {
        match self {
            Gadget::Sha256 => <Sha256 as sha2::Digest>::digest(message).into(),
            Gadget::Blake2s => *blake2s_simd::blake2s(message).as_array(),
        }
    }

    /// The bits of the digest. Message and digest are bytes in their order, each from its most
    /// significant bit to its least.
    fn synthesize<CS: ConstraintSystem<Scalar>>(
        self,
        cs: CS,
        message: &[Boolean],
    ) -> Result<Vec<Boolean>, SynthesisError> {
        match self {
            Gadget::Sha256 => sha256(cs, message),
            // BLAKE2s reads its words from the least significant byte on, and so the gadget its bits.
            Gadget::Blake2s => {
                let digest = blake2s(cs, &bytes_reversed(message), &NO_PERSONALISATION)?;
                Ok(bytes_reversed(&digest))
            }
        }
    }
}

/// The same bytes, the bits of each in the opposite order.
fn bytes_reversed(bits: &[Boolean]) -> Vec<Boolean> {
    bits.chunks(8).flat_map(|byte| byte.iter().rev()).cloned().collect()
}

/// A message and its digest.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The message.
    pub message: Vec<u8>,
    /// The digest.
    pub digest: Digest,
}

impl Instance {
    /// Instance `index` of a seed: a message of this many bytes.
    pub fn derive(gadget: Gadget, bytes: usize, seed: &Seed, index: u64) -> Instance {
        let message = hash::message(seed, index, bytes);
        let digest = gadget.digest(&message);
        Instance { message, digest }
    }

    /// What a file of the instance says.
    pub fn public_input(&self, gadget: Gadget) -> hash::PublicInput {
        hash::PublicInput {
            function: gadget.function(),
            bytes: self.message.len(),
            digest: self.digest,
        }
    }
}

/// What the verifier is handed with the proof: the two halves of the digest.
pub fn inputs(public_input: &hash::PublicInput) -> [Scalar; 2] {
    public_input.halves().map(|half| Scalar::from_raw([half as u64, (half >> 64) as u64, 0, 0]))
}

/// The circuit; without an instance it can be set up, not proven.
pub struct HashPreimage<'a> {
    /// The function.
    pub gadget: Gadget,
    /// Bytes of the message.
    pub bytes: usize,
    /// What is to be proven; its message has as many bytes.
    pub instance: Option<&'a Instance>,
}

impl Circuit<Scalar> for HashPreimage<'_> {
    /// Every bit of the message is a variable of the prover that (1 − b) · b = 0 shows to be one. The
    /// padding is a constant of the gadget, whose length the circuit has fixed. Each half of the
    /// digest's bits d₀ … d₁₂₇ is tied to its input by
    ///
    /// ```text
    /// (2¹²⁷ d₀ + … + 2⁰ d₁₂₇) · 1 = half
    /// ```
    ///
    /// which no two strings of bits satisfy for one input, since 2¹²⁸ is below the field's order.
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        if self.instance.is_some_and(|instance| instance.message.len() != self.bytes) {
            return Err(SynthesisError::Unsatisfiable);
        }
        let halves = self.instance.map(|instance| inputs(&instance.public_input(self.gadget)));
        let mut handed = Vec::with_capacity(2);
        for position in 0..2 {
            handed.push(cs.alloc_input(
                || format!("half {position}"),
                || halves.map(|halves| halves[position]).ok_or(SynthesisError::AssignmentMissing),
            )?);
        }
        let mut message = Vec::with_capacity(8 * self.bytes);
        for byte in 0..self.bytes {
            let value = self.instance.map(|instance| instance.message[byte]);
            for shift in (0..8).rev() {
                let bit = AllocatedBit::alloc(
                    cs.namespace(|| format!("bit {shift} of byte {byte}")),
                    value.map(|value| value >> shift & 1 == 1),
                )?;
                message.push(Boolean::from(bit));
            }
        }
        let digest = self.gadget.synthesize(cs.namespace(|| "digest"), &message)?;
        for (position, (bits, half)) in digest.chunks(128).zip(handed).enumerate() {
            cs.enforce(
                || format!("digest of half {position}"),
                |_| integer::<CS>(bits),
                |lc| lc + CS::one(),
                |lc| lc + half,
            );
        }
        Ok(())
    }
}

/// The integer that these bits are, from the most significant on.
fn integer<CS: ConstraintSystem<Scalar>>(bits: &[Boolean]) -> LinearCombination<Scalar> {
    let mut coefficient = Scalar::ONE;
    let mut sum = LinearCombination::zero();
    for bit in bits.iter().rev() {
        sum = sum + &bit.lc(CS::one(), coefficient);
        coefficient = coefficient.double();
    }
    sum
}

#[cfg(test)]
mod tests {
    use bellman::gadgets::test::TestConstraintSystem;

    use super::*;
    use crate::extent::Extent;

    fn derived(gadget: Gadget, bytes: usize) -> Instance {
        Instance::derive(gadget, bytes, &Seed::new([7; 32]), 3)
    }

    fn synthesised(gadget: Gadget, instance: &Instance) -> TestConstraintSystem<Scalar> {
        let mut system = TestConstraintSystem::new();
        let bytes = instance.message.len();
        HashPreimage { gadget, bytes, instance: Some(instance) }.synthesize(&mut system).unwrap();
        system
    }

    fn digest_of(digits: &str) -> Digest {
        std::array::from_fn(|byte| u8::from_str_radix(&digits[2 * byte..][..2], 16).unwrap())
    }

    /// FIPS 180-4 has the first in its examples (SHA256.pdf, "abc"), RFC 7693 the second in its
    /// appendix B.
    #[test]
    fn digests_are_the_published_ones() {
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let blake2s = "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982";
        assert_eq!(Gadget::Sha256.digest(b"abc"), digest_of(sha256));
        assert_eq!(Gadget::Blake2s.digest(b"abc"), digest_of(blake2s));
    }

    #[test]
    fn a_function_has_at_most_one_gadget() {
        let found = Function::ALL.map(Gadget::for_function);
        let blake2s = Some(Gadget::Blake2s);
        assert_eq!(found, [Some(Gadget::Sha256), None, blake2s, None, None, None]);
    }

    /// Lengths around the end of a block: BLAKE2s counts the bytes of a last one that is not full,
    /// SHA-256 needs nine bytes after the message.
    #[test]
    fn a_message_of_any_length_satisfies_the_circuit_with_its_digest_alone() {
        for gadget in Gadget::ALL {
            for bytes in [1, 55, 56, 64, 65] {
                let instance = derived(gadget, bytes);
                let system = synthesised(gadget, &instance);
                assert_eq!(system.which_is_unsatisfied(), None, "{gadget:?} {bytes}");
                assert!(system.verify(&inputs(&instance.public_input(gadget))));
            }
        }
    }

    #[test]
    fn another_digest_breaks_the_half_that_differs() {
        for gadget in Gadget::ALL {
            for (byte, broken) in [(0, 0), (15, 0), (16, 1), (31, 1)] {
                let mut instance = derived(gadget, 5);
                instance.digest[byte] ^= 1;
                let system = synthesised(gadget, &instance);
                let name = format!("digest of half {broken}");
                assert_eq!(system.which_is_unsatisfied(), Some(name.as_str()));
            }
            let mut instance = derived(gadget, 5);
            instance.digest.rotate_left(16);
            assert!(!synthesised(gadget, &instance).is_satisfied(), "the halves are exchanged");
        }
    }

    #[test]
    fn another_message_has_another_digest() {
        for gadget in Gadget::ALL {
            for (bytes, byte, bit) in [(5, 0, 7), (5, 4, 0), (65, 64, 3)] {
                let mut instance = derived(gadget, bytes);
                instance.message[byte] ^= 1 << bit;
                let system = synthesised(gadget, &instance);
                assert_eq!(system.which_is_unsatisfied(), Some("digest of half 0"));
            }
        }
    }

    #[test]
    fn a_message_one_byte_longer_or_shorter_is_no_preimage() {
        for gadget in Gadget::ALL {
            let Instance { message, digest } = derived(gadget, 3);
            let shorter = Instance { message: message[..2].to_vec(), digest };
            assert!(!synthesised(gadget, &shorter).is_satisfied());
            // What pads a block of BLAKE2s, and what begins the padding of SHA-256.
            for appended in [0, 0x80] {
                let longer =
                    Instance { message: [message.as_slice(), &[appended]].concat(), digest };
                assert!(!synthesised(gadget, &longer).is_satisfied());
            }
            let other_circuit =
                HashPreimage { gadget, bytes: 2, instance: Some(&derived(gadget, 3)) };
            let refused = other_circuit.synthesize(&mut TestConstraintSystem::new());
            assert!(matches!(refused, Err(SynthesisError::Unsatisfiable)));
        }
    }

    #[test]
    fn what_is_no_bit_is_no_part_of_a_message() {
        for gadget in Gadget::ALL {
            let mut system = synthesised(gadget, &derived(gadget, 3));
            for value in [Scalar::from(2), -Scalar::one()] {
                let path = "bit 4 of byte 2";
                let honest = system.get(&format!("{path}/boolean"));
                system.set(&format!("{path}/boolean"), value);
                let constraint = format!("{path}/boolean constraint");
                assert_eq!(system.which_is_unsatisfied(), Some(constraint.as_str()));
                system.set(&format!("{path}/boolean"), honest);
            }
            assert!(system.is_satisfied());
        }
    }

    #[test]
    fn another_bit_of_the_message_does_not_go_with_the_rest() {
        for gadget in Gadget::ALL {
            let mut system = synthesised(gadget, &derived(gadget, 3));
            let path = "bit 4 of byte 2/boolean";
            let other = Scalar::one() - system.get(path);
            system.set(path, other);
            assert!(!system.is_satisfied());
        }
    }

    fn extent(gadget: Gadget, bytes: usize) -> Extent {
        Extent::of(HashPreimage { gadget, bytes, instance: None }).unwrap()
    }

    /// The committed sizes: a change here changes what all published times mean.
    #[test]
    fn the_circuit_has_not_grown() {
        let sizes = |gadget| {
            [32, 64, 256, 4096].map(|bytes| {
                let Extent { constraints, inputs, auxiliary, terms } = extent(gadget, bytes);
                (constraints, inputs, auxiliary, terms)
            })
        };
        let sha256 = [
            (25502, 3, 25474, 163_189),
            (45388, 3, 45340, 289_570),
            (125_500, 3, 125_374, 802_342),
            (1_727_740, 3, 1_726_054, 11_056_260),
        ];
        let blake2s = [
            (21264, 3, 21216, 133_165),
            (21520, 3, 21472, 136_493),
            (87226, 3, 87040, 553_078),
            (1_401_346, 3, 1_398_400, 8_884_702),
        ];
        assert_eq!([sizes(Gadget::Sha256), sizes(Gadget::Blake2s)], [sha256, blake2s]);
    }

    #[test]
    fn the_constraint_system_counted_is_the_one_bellman_sees() {
        for gadget in Gadget::ALL {
            let system = synthesised(gadget, &derived(gadget, 33));
            let extent = extent(gadget, 33);
            assert_eq!(extent.constraints, system.num_constraints());
            assert_eq!(extent.inputs, system.num_inputs());
        }
    }
}
