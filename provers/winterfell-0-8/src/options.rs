//! The proof options of winterfell 0.8.1 as plain data, and the rules that no range of a single option
//! can state.

use winterfell::{FieldExtension, ProofOptions};

/// Shortest trace the library takes (`TraceInfo::MIN_TRACE_LENGTH`).
const MINIMUM_TRACE_LENGTH: usize = 8;

/// Most *distinct* queries that the library's verifier reads: `Table::from_bytes` of winter-air 0.8.1
/// asserts that there are fewer than 255 rows, although `ProofOptions` takes 255 queries.
const MOST_DISTINCT_QUERIES: usize = 254;

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

/// Why the library cannot carry a combination out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The name of the rule.
    pub rule: &'static str,
    /// The option (or size) that breaks the rule, given the others.
    pub option: &'static str,
    /// The rule, in one sentence.
    pub message: String,
}

impl Parameters {
    /// Size of the low-degree-extension domain of a trace.
    pub fn lde_domain(&self, trace_length: usize) -> usize {
        trace_length * self.blowup
    }

    /// FRI layers that are committed to with a Merkle tree, the remainder not counted.
    pub fn fri_layers(&self, trace_length: usize) -> usize {
        let mut coefficients = trace_length;
        let mut layers = 0;
        while coefficients > self.remainder_max_degree + 1 {
            coefficients /= self.folding;
            layers += 1;
        }
        layers
    }

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

/// Whether winterfell 0.8.1 makes and verifies proofs of `rounds` rounds with these options, each of
/// which is within its own range.
///
/// # Errors
///
/// The first rule that is broken; they are those of `provers/winterfell`, under the same names.
pub fn legal(rounds: usize, parameters: &Parameters) -> Result<(), Refusal> {
    let trace_length = rounds + 1;
    if !trace_length.is_power_of_two() || trace_length < MINIMUM_TRACE_LENGTH {
        return Err(Refusal {
            rule: "power-of-two-minus-one",
            option: "size.rounds",
            message: format!(
                "size.rounds is {rounds}, but the trace has one row a state, so rounds + 1 must be \
                 a power of two of at least {MINIMUM_TRACE_LENGTH}"
            ),
        });
    }
    let domain = parameters.lde_domain(trace_length);
    if parameters.queries >= domain {
        return Err(Refusal {
            rule: "queries-below-domain",
            option: "queries",
            message: format!(
                "option queries is {}, but winterfell draws fewer queries than the low-degree-extension \
                 domain has points, and (rounds + 1) x blowup is {domain}",
                parameters.queries
            ),
        });
    }
    if parameters.queries > MOST_DISTINCT_QUERIES {
        return Err(Refusal {
            rule: "distinct-queries-readable",
            option: "queries",
            message: format!(
                "option queries is {}, but winterfell's verifier reads at most \
                 {MOST_DISTINCT_QUERIES} distinct queries",
                parameters.queries
            ),
        });
    }
    let layers = parameters.fri_layers(trace_length);
    let folded = parameters.folding.pow(layers as u32);
    if !trace_length.is_multiple_of(folded) {
        return Err(Refusal {
            rule: "folding-to-whole-layers",
            option: "folding",
            message: format!(
                "option folding is {} with remainder_max_degree {}, but {layers} FRI layers would fold \
                 {trace_length} coefficients {folded} times, below one",
                parameters.folding, parameters.remainder_max_degree
            ),
        });
    }
    Ok(())
}
