//! MiMC preimages proven with the R1CS proofs of `bulletproofs` over ristretto255. The choices made
//! here are explained in this folder's README.md.

mod field;
pub mod gadget;
pub mod proof;
mod system;

pub use field::Ristretto255;
pub use system::{SYSTEM, runner};
