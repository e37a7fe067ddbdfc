//! Groth16 on BLS12-381 with bellman: the circuit of `mimc-preimage` and the system around it.

pub mod circuit;
pub mod field;
pub mod groth16;
