//! MiMC preimages proven with the R1CS proofs of `bulletproofs` over ristretto255, and ranges with its
//! range proofs. The choices made here are explained in this folder's README.md.

mod field;
pub mod gadget;
pub mod proof;
pub mod range_proof;
mod range_system;
mod system;

pub use field::Ristretto255;
pub use range_system::RANGE_SYSTEM;
pub use system::{SYSTEM, runner};
