//! MiMC in winterfell: an AIR that binds the round constants, the AIR of earlier work that does not,
//! and the runner that measures both.

pub mod air;
pub mod description;
pub mod field;
mod library;
pub mod options;
pub mod prover;
mod remainder;
pub mod rules;
pub mod session;
pub mod systems;
pub mod verifier;
pub mod wire;
