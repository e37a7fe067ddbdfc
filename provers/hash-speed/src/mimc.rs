//! MiMC over the scalar field of BN254 in circomlib's two forms (Albrecht, Grassi, Rechberger, Roy,
//! Tiessen: *MiMC*, ASIACRYPT 2016; constants and modes as in circomlib, see STATEMENTS.md).

use std::sync::LazyLock;

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, Field, PrimeField};
use sha3::{Digest, Keccak256};

/// Rounds of the Feistel network with x⁵.
const SPONGE_ROUNDS: usize = 220;
/// Rounds of the permutation with x⁷.
const SEVEN_ROUNDS: usize = 91;

/// c₀ = c₂₁₉ = 0, cᵢ = Keccak-256ⁱ⁺¹ of "mimcsponge".
static SPONGE_CONSTANTS: LazyLock<[Fr; SPONGE_ROUNDS]> = LazyLock::new(|| {
    let mut constants = keccak_chain("mimcsponge");
    constants[SPONGE_ROUNDS - 1] = Fr::ZERO;
    constants
});

/// c₀ = 0, cᵢ = Keccak-256ⁱ⁺¹ of "mimc".
static SEVEN_CONSTANTS: LazyLock<[Fr; SEVEN_ROUNDS]> = LazyLock::new(|| keccak_chain("mimc"));

/// Zero, then element *i* is the Keccak-256 of the digest behind the one before it, as a big-endian
/// integer modulo the order; the first of these digests is that of the seed.
fn keccak_chain<const ROUNDS: usize>(seed: &str) -> [Fr; ROUNDS] {
    let mut digest = Keccak256::digest(seed);
    std::array::from_fn(|round| {
        if round == 0 {
            return Fr::ZERO;
        }
        digest = Keccak256::digest(digest);
        Fr::from_be_bytes_mod_order(&digest)
    })
}

/// The sponge with one element of capacity and one of output, key 0.
pub(crate) fn sponge(elements: &[Fr]) -> Fr {
    let constants = &*SPONGE_CONSTANTS;
    elements
        .iter()
        .fold((Fr::ZERO, Fr::ZERO), |(left, right), element| {
            feistel(constants, left + element, right)
        })
        .0
}

/// (l, r) ↦ (r + (l + c)⁵, l) for every constant; the last round leaves the halves where they are.
fn feistel(constants: &[Fr; SPONGE_ROUNDS], mut left: Fr, mut right: Fr) -> (Fr, Fr) {
    for constant in constants {
        let base = left + constant;
        let fifth = base.square().square() * base;
        (left, right) = (right + fifth, left);
    }
    (right, left)
}

/// The chain r ← r + e + MiMC7(e, key r), from r = 0.
pub(crate) fn seven(elements: &[Fr]) -> Fr {
    let constants = &*SEVEN_CONSTANTS;
    elements.iter().fold(Fr::ZERO, |chained, element| {
        chained + element + keyed_seven(constants, *element, chained)
    })
}

/// MiMC7: x ↦ (x + k + c)⁷ for every constant, then k once more.
fn keyed_seven(constants: &[Fr; SEVEN_ROUNDS], element: Fr, key: Fr) -> Fr {
    let state = constants.iter().fold(element, |state, constant| {
        let base = state + key + constant;
        let square = base.square();
        square.square() * square * base
    });
    state + key
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    fn elements(values: &[u64]) -> Vec<Fr> {
        values.iter().map(|value| Fr::from(*value)).collect()
    }

    fn hexadecimal(element: Fr) -> String {
        crate::element::to_digest(element).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The answers of circomlib's own tests (`test/mimcsponge.js`, `test/mimccircuit.js`), and the
    /// chained one of go-iden3-crypto (`mimc7/mimc7_test.go`).
    #[test]
    fn known_answers_of_circomlib() {
        assert_eq!(
            hexadecimal(sponge(&elements(&[1, 2]))),
            "2bcea035a1251603f1ceaf73cd4ae89427c47075bb8e3a944039ff1e3d6d2a6f"
        );
        assert_eq!(
            hexadecimal(keyed_seven(&SEVEN_CONSTANTS, Fr::from(1), Fr::from(2))),
            "176c6eefc3fdf8d6136002d8e6f7a885bbd1c4e3957b93ddc1ec3ae7859f1a08"
        );
        let chained =
            "18226366069841799622585958305961373004333097209608110160936134895615261821931";
        assert_eq!(seven(&elements(&[12, 45, 78, 41])), Fr::from_str(chained).unwrap());
    }
}
