//! Poseidon with circomlib's parameters, chained for more than six elements as STATEMENTS.md says.

use std::cell::RefCell;

use ark_bn254::Fr;
use light_poseidon::{Poseidon, PoseidonHasher};

/// Most elements of one call; circomlib has parameters for more, the statement stops here.
const MAXIMUM_INPUTS: usize = 6;

thread_local! {
    /// The hasher for each number of inputs, made when it is first asked for: light-poseidon builds
    /// the parameters anew for every hasher, which takes longer than a hash.
    static HASHERS: RefCell<[Option<Poseidon<Fr>>; MAXIMUM_INPUTS]> =
        const { RefCell::new([const { None }; MAXIMUM_INPUTS]) };
}

/// The digest of one element or more: six at first, then the digest so far with up to five more.
pub(crate) fn chain(elements: &[Fr]) -> Fr {
    let (first, rest) = elements.split_at(elements.len().min(MAXIMUM_INPUTS));
    HASHERS.with_borrow_mut(|hashers| {
        rest.chunks(MAXIMUM_INPUTS - 1).fold(fixed(hashers, first), |digest, more| {
            let mut inputs = [digest; MAXIMUM_INPUTS];
            inputs[1..=more.len()].copy_from_slice(more);
            fixed(hashers, &inputs[..=more.len()])
        })
    })
}

fn fixed(hashers: &mut [Option<Poseidon<Fr>>; MAXIMUM_INPUTS], inputs: &[Fr]) -> Fr {
    let slot = &mut hashers[inputs.len() - 1];
    let hasher = slot.get_or_insert_with(|| {
        Poseidon::<Fr>::new_circom(inputs.len()).expect("light-poseidon has one to twelve inputs")
    });
    hasher.hash(inputs).expect("a hasher takes as many inputs as it was made for")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// circomlib's own test (`test/poseidoncircuit.js`).
    #[test]
    fn known_answer_of_circomlib() {
        let digest = crate::element::to_digest(chain(&[Fr::from(1), Fr::from(2)]));
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digits, "115cc0f5e7d690413df64c6b9662e9cf2a3617f2743245519e19607a4417189a");
    }
}
