//! The proof options of winterfell 0.8.1 as plain data.

use winterfell::{FieldExtension, ProofOptions};

/// Every proof option of winterfell 0.8.1 but the hash, which is a type parameter there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Number of queries drawn; repeated ones are opened once.
    pub queries: usize,
    /// Low-degree-extension domain over trace length.
    pub blowup: usize,
    /// Bits of proof of work before the queries are drawn.
    pub grinding: u32,
    /// Extension of the base field that the verifier's coins are drawn from.
    pub extension: FieldExtension,
    /// Factor by which each FRI layer is smaller than the one before.
    pub folding: usize,
    /// Greatest degree of the polynomial that FRI ends with.
    pub remainder_max_degree: usize,
}

impl Parameters {
    /// The same options for the library, which panics where a single one is out of its range.
    pub fn proof_options(&self) -> ProofOptions {
        ProofOptions::new(
            self.queries,
            self.blowup,
            self.grinding,
            self.extension,
            self.folding,
            self.remainder_max_degree,
        )
    }
}
