//! The runner protocol of nizk-bench (PROTOCOL.md) for Rust: messages, loop, clock, peak memory, CPU
//! time, seeds and errors. A runner implements [`System`], [`Session`] and [`Verifier`] for its
//! circuit and hands them to [`main`].

#[cfg(test)]
extern crate self as nizk_protocol;

mod admission;
mod answers;
mod classify;
mod command;
mod configuration;
mod description;
mod exhaustion;
pub mod hash;
mod hexadecimal;
mod json;
mod key_file;
mod lines;
mod measurement;
pub mod mimc;
mod panics;
pub mod plain;
mod public_input;
pub mod range;
mod record;
mod request;
mod run;
mod seed;
pub mod stopwatch;
mod system;
mod threads;
#[cfg(test)]
mod toy;
mod verify;

pub use command::{Runner, main};
pub use configuration::Configuration;
pub use description::{
    AbsentPhase, BatchVerification, Build, FieldDescription, Library, Malleable, OptionDescription,
    Phase, ProofSize, Properties, SizeRange, SizeRule, StatementDescription, SystemDescription,
    Threads, TimedPhase, TrustedSetup, Unsound, VariantDescription, ZeroKnowledge,
    ZeroKnowledgeLevel,
};
pub use public_input::{ElementBytes, PublicInput};
pub use seed::Seed;
pub use system::{
    Batch, BatchItem, Counter, Encoding, Failure, FailureKind, Rejection, Security, SecurityKind,
    Session, Size, SizeOf, System, Verdict, Verifier,
};
