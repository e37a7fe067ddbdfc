//! What other versions of the library call otherwise.

use nizk_protocol::{Security, SecurityKind};
use winterfell::crypto::Hasher;

pub(crate) use winterfell::Proof;

/// The levels of security that the library gives a proof.
pub(crate) fn security<H: Hasher>(proof: &Proof) -> Vec<Security> {
    let conjectured = proof.conjectured_security::<H>();
    let proven = proof.proven_security::<H>();
    vec![
        Security {
            kind: SecurityKind::Conjectured,
            bits: f64::from(conjectured.bits()),
            source: "winterfell: Proof::conjectured_security().bits()",
        },
        Security {
            kind: SecurityKind::ProvenUniqueDecoding,
            bits: f64::from(proven.udr_bits()),
            source: "winterfell: Proof::proven_security().udr_bits()",
        },
        Security {
            kind: SecurityKind::ProvenListDecoding,
            bits: f64::from(proven.ldr_bits()),
            source: "winterfell: Proof::proven_security().ldr_bits()",
        },
    ]
}
