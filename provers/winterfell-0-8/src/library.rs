//! What other versions of the library call otherwise.

use nizk_protocol::{Security, SecurityKind};
use winterfell::crypto::Hasher;

pub(crate) use winter_air::proof::StarkProof as Proof;

/// The levels of security that the library gives a proof.
pub(crate) fn security<H: Hasher>(proof: &Proof) -> Vec<Security> {
    vec![
        Security {
            kind: SecurityKind::Conjectured,
            bits: f64::from(proof.security_level::<H>(true)),
            source: "winterfell: StarkProof::security_level(true)",
        },
        Security {
            kind: SecurityKind::ProvenListDecoding,
            bits: f64::from(proof.security_level::<H>(false)),
            source: "winterfell: StarkProof::security_level(false)",
        },
    ]
}
