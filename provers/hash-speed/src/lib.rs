//! The six functions of `hash-preimage` (STATEMENTS.md) outside any proof system: their digests, and
//! how fast one thread computes them.

pub mod command;
pub mod description;
pub mod digest;
pub mod element;
mod mimc;
pub mod native;
mod poseidon;
pub mod speed;
mod tree;
