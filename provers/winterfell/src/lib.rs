//! MiMC in winterfell: an AIR that binds the round constants, the AIR of earlier work that does not,
//! and the runner that measures both.

pub mod air;
pub mod field;
pub mod options;
pub mod prover;
pub mod session;
pub mod systems;
pub mod verifier;
pub mod wire;
