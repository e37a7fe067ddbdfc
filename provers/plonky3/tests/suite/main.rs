//! What the runner's own promises rest on, tried on real proofs.

mod soundness;
mod trace;
