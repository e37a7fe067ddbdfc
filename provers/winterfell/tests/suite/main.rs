//! What this runner promises about its circuit, its options and its verifier.

#![allow(clippy::unwrap_used, reason = "a test that unwraps fails with the place that failed")]

mod grid;
mod instances;
mod options;
mod soundness;
mod tampering;
mod threads;
