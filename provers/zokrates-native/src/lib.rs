//! Groth16 on BN254 with arkworks for the circuits that ZoKrates compiles.

pub mod circuit;
pub mod groth16;
pub mod iden3;
pub mod system;
pub mod witness;
pub mod zokrates;
