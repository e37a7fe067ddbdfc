//! The proof options of winterfell as plain data.

use winterfell::{BatchingMethod, FieldExtension, ProofOptions};

/// Every proof option of winterfell but the hash, which is a type parameter there.
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
    /// How the constraints are combined into one.
    pub batching_constraints: BatchingMethod,
    /// How the openings are combined into the DEEP polynomial.
    pub batching_deep: BatchingMethod,
    /// Parts a row is split into before hashing.
    pub partitions: usize,
    /// Elements that one permutation of the hash absorbs; no part of a row is smaller.
    pub hash_rate: usize,
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
            self.batching_constraints,
            self.batching_deep,
        )
        .with_partitions(self.partitions, self.hash_rate)
    }
}
