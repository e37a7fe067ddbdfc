//! Groth16 on BLS12-381 with bellman: the circuits of `mimc-preimage`, `hash-preimage` and `range`,
//! and the system around them.

pub mod extent;
pub mod field;
pub mod groth16;
pub mod hash_preimage;
pub mod jubjub_gadget;
pub mod mimc_preimage;
pub mod range;
