//! MiMC in winterfell 0.8.1, the version that earlier work measured.
//!
//! The AIR and its field are the very files of the runner of winterfell 0.13, compiled against the
//! older library, so that a difference between the two runners is one of the libraries.

#[path = "../../winterfell/src/air.rs"]
pub mod air;
#[path = "../../winterfell/src/field.rs"]
pub mod field;
pub mod options;
pub mod prover;
pub mod session;
pub mod system;
pub mod verifier;
