//! What a verifier rejects, beyond the tampering of the conformance suite.

use nizk_plonky3::air::{MimcAir, Shape, trace};
use nizk_plonky3::field::{Base, Element, KoalaBear4};
use nizk_plonky3::options::Parameters;
use nizk_plonky3::rules::shape;
use nizk_plonky3::stark::{Stark, serialised};
use nizk_protocol::{Seed, mimc};
use p3_blake3::Blake3;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_matrix::dense::RowMajorMatrix;

const ROUNDS: usize = 63;

const DEFAULT: Parameters = Parameters {
    queries: 142,
    blowup: 2,
    grinding: 0,
    folding_grinding: 0,
    folding: 4,
    remainder_max_degree: 0,
};

fn stark() -> Stark<Blake3> {
    Stark { hash: Blake3, parameters: DEFAULT, shape: shape(ROUNDS, 16).expect("a legal size") }
}

struct Instance {
    constants: Vec<Element>,
    preimage: (Element, Element),
    image: Element,
}

fn instance(seed: u8) -> Instance {
    let seed = Seed::new([seed; 32]);
    let constants = mimc::constants::<KoalaBear4>(&seed, ROUNDS);
    let preimage = mimc::preimage::<KoalaBear4>(&seed, 0);
    let image = mimc::image::<KoalaBear4>(&constants, preimage);
    Instance { constants, preimage, image }
}

impl Instance {
    fn trace(&self, shape: Shape) -> RowMajorMatrix<Base> {
        trace(self.preimage, &self.constants, shape.rounds_per_row)
    }

    fn proof(&self, stark: &Stark<Blake3>) -> Vec<u8> {
        let trace = self.trace(stark.shape);
        let proof = stark.prove(&self.constants, self.image, trace).expect("the prover proves");
        serialised(&proof).expect("a proof is written")
    }
}

#[test]
fn honest_proofs_are_accepted() {
    let (stark, one) = (stark(), instance(1));
    assert_eq!(stark.verify(&one.constants, one.image, &one.proof(&stark)), Ok(()));
}

/// The coins are drawn as the verifier will, so that nothing but the constraints is left to object.
#[test]
fn a_proof_under_other_constants_is_rejected_by_the_constraints_alone() {
    let (stark, one, other) = (stark(), instance(1), instance(2));
    let proof = p3_uni_stark::prove(
        &stark.config(&one.constants),
        &MimcAir::new(stark.shape, &other.constants),
        other.trace(stark.shape),
        other.image.as_basis_coefficients_slice(),
    )
    .expect("the prover proves");
    let bytes = serialised(&proof).expect("a proof is written");
    let rejected = stark.verify(&one.constants, other.image, &bytes).unwrap_err();
    assert!(rejected.contains("OodEvaluationMismatch"), "{rejected}");
}

#[test]
fn any_other_constant_and_any_other_image_is_rejected() {
    let (stark, one) = (stark(), instance(1));
    let proof = one.proof(&stark);
    for round in 0..ROUNDS {
        let mut other = one.constants.clone();
        other[round] += Element::ONE;
        assert!(stark.verify(&other, one.image, &proof).is_err(), "constant {round}");
    }
    let negated = stark.verify(&one.constants, -one.image, &proof);
    assert!(negated.is_err());
}

/// The library takes the length of the trace from the proof. Periodic columns would repeat in a longer
/// one, and the verifier would be shown two rounds of permutations where it asked about one.
#[test]
fn a_longer_trace_that_the_library_accepts_is_rejected() {
    let (stark, one) = (stark(), instance(1));
    let air = MimcAir::new(stark.shape, &one.constants);
    let config = stark.config(&one.constants);
    let image = one.image.as_basis_coefficients_slice();

    // The first elements of the second half follow from the last of the first by a round without a
    // constant, so the first half is computed backwards from what the second begins with.
    let second = one.trace(stark.shape).values;
    let at = |place: usize| -> Element {
        Element::from_basis_coefficients_fn(|coordinate| second[4 * place + coordinate])
    };
    let mut backwards = vec![one.image, at(1) - at(0) * at(0) * at(0)];
    for constant in one.constants.iter().rev() {
        let [.., after, current] = backwards[..] else { unreachable!() };
        let base = current + *constant;
        backwards.push(after - base * base * base);
    }
    let first = backwards[1..].iter().rev().copied().collect::<Vec<_>>();
    let mut values = Element::flatten_to_base(first);
    values.extend(second);
    let long = RowMajorMatrix::new(values, stark.shape.trace_width());
    assert_eq!(long.values.len(), 2 * stark.shape.trace_width() * stark.shape.trace_length());

    let proof = p3_uni_stark::prove(&config, &air, long, image).expect("the prover proves");
    assert!(p3_uni_stark::verify(&config, &air, &proof, image).is_ok());
    let bytes = serialised(&proof).expect("a proof is written");
    let rejected = stark.verify(&one.constants, one.image, &bytes).unwrap_err();
    assert!(rejected.contains("rows"), "{rejected}");
}

#[test]
fn a_proof_has_one_encoding() {
    let (stark, one) = (stark(), instance(1));
    let proof = one.proof(&stark);
    let longer = [&proof[..], &[0]].concat();
    // The first byte is the number of roots, as a variable-length integer.
    assert_eq!(proof[0], 1);
    let overlong = [&[0x81, 0x00], &proof[1..]].concat();
    for other in [longer, overlong] {
        assert!(postcard::from_bytes::<nizk_plonky3::config::Proof<Blake3>>(&other).is_ok());
        let rejected = stark.verify(&one.constants, one.image, &other).unwrap_err();
        assert!(rejected.contains("encoded"), "{rejected}");
    }
}

/// 127 bits are what the options of earlier work have in winterfell.
#[test]
fn the_default_has_at_least_127_bits_by_both_conjectures_of_the_library() {
    for bits in 3..=14 {
        let stark = Stark { shape: shape((1 << bits) - 1, 16).unwrap(), ..stark() };
        let levels = stark.levels().unwrap();
        assert!(levels.conjectured >= 127 && levels.ethstark >= 127, "{bits}: {levels:?}");
    }
}
