//! Groth16 of arkworks on BLS12-381 and on BN254: the circuit of `mimc-preimage` and the systems
//! around it.

pub mod circuit;
pub mod field;
pub mod scheme;
pub mod system;
