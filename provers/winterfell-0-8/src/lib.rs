//! MiMC in winterfell 0.8.1, the version that earlier work measured.
//!
//! What does not depend on the version is the very files of the runner of winterfell 0.13, compiled
//! against the older library, so that a difference between the two runners is one of the libraries.

#[path = "../../winterfell/src/air.rs"]
pub mod air;
#[path = "../../winterfell/src/description.rs"]
pub mod description;
#[path = "../../winterfell/src/field.rs"]
pub mod field;
mod library;
pub mod options;
pub mod prover;
pub mod published;
#[path = "../../winterfell/src/remainder.rs"]
mod remainder;
pub mod repeat;
#[path = "../../winterfell/src/rules.rs"]
pub mod rules;
#[path = "../../winterfell/src/session.rs"]
pub mod session;
pub mod system;
pub mod verifier;
