//! Groth16 on BLS12-381 with bellman: the circuits of `mimc-preimage` and `hash-preimage`, and the
//! system around them.

pub mod extent;
pub mod field;
pub mod groth16;
pub mod hash_preimage;
pub mod mimc_preimage;
