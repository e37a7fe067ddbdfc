//! What this runner promises about its circuit, its options and its verifier.

mod instances;
mod options;
mod soundness;
mod tampering;
mod threads;
