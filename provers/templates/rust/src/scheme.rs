//! The two functions that only the library can carry out. Everything else is `system.rs`.

use nizk_protocol::{Failure, Rejection, Verdict};

/// What is proven: that somebody knows the preimage of the image under these round constants.
pub(crate) struct Instance<'a> {
    /// The round constants, one for each round.
    pub(crate) constants: &'a [u64],
    /// The preimage (left, right), the prover's alone.
    pub(crate) preimage: (u64, u64),
    /// The image.
    pub(crate) image: u64,
}

/// The serialised proof of an instance; timed as `prove`.
pub(crate) fn prove(instance: &Instance<'_>) -> Result<Vec<u8>, Failure> {
    let Instance { constants, preimage, image } = instance;
    let _ = (constants, preimage, image);
    Err(Failure::unsupported(
        "not-implemented",
        "system",
        "proving is not implemented yet: write the function prove in provers/newcomer/src/scheme.rs",
    ))
}

/// Whether a serialised proof convinces; timed as `verify`. The bytes are not to be trusted: a proof
/// that cannot be read is a rejection, and so are bytes left over behind it.
pub(crate) fn verify(constants: &[u64], image: u64, proof: &[u8]) -> Result<Verdict, Rejection> {
    let _ = (constants, image, proof);
    Err(Rejection::new(
        "verifying is not implemented yet: write the function verify in provers/newcomer/src/scheme.rs",
    ))
}
