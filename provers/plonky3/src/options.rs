//! The options of a STARK as plain data.

/// Every option but the hash, which is a type parameter of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Number of queries drawn.
    pub queries: usize,
    /// Low-degree-extension domain over trace length, a power of two.
    pub blowup: usize,
    /// Bits of proof of work before the queries are drawn.
    pub grinding: usize,
    /// Bits of proof of work before each of FRI's folding challenges is drawn.
    pub folding_grinding: usize,
    /// Greatest factor by which a FRI layer is smaller than the one before, a power of two.
    pub folding: usize,
    /// Greatest degree of the polynomial that FRI ends with, one less than a power of two.
    pub remainder_max_degree: usize,
}

impl Parameters {
    /// Coefficients of the polynomial that FRI ends with.
    pub fn remainder_length(&self) -> usize {
        self.remainder_max_degree + 1
    }
}
