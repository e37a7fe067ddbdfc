//! MiMC in Plonky3: an AIR over the degree-4 extension of a 31-bit field that binds the round constants,
//! and the runner that measures it.

pub mod air;
pub mod config;
pub mod field;
pub mod options;
pub mod rules;
pub mod session;
pub mod stark;
pub mod systems;
