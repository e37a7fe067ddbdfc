//! The rules that no range of a single option can state. They are the same in every version of the
//! library that there is a runner of.

use crate::options::Parameters;

/// Shortest trace the library takes (`TraceInfo::MIN_TRACE_LENGTH`).
pub const MINIMUM_TRACE_LENGTH: usize = 8;

/// Most *distinct* queries that the library's verifier reads: `Table::from_bytes` of winter-air asserts
/// that there are fewer than 255 rows, although `ProofOptions` takes 255 queries.
pub const MOST_DISTINCT_QUERIES: usize = 254;

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
        // Folding stops as soon as no more than `remainder_max_degree + 1` coefficients are left. Both
        // sides of the library's own comparison of domain sizes carry the blowup as a factor.
        let mut coefficients = trace_length;
        let mut layers = 0;
        while coefficients > self.remainder_max_degree + 1 {
            coefficients /= self.folding;
            layers += 1;
        }
        layers
    }

    /// Coefficients of the polynomial that FRI ends with.
    pub fn remainder_length(&self, trace_length: usize) -> usize {
        trace_length / self.folding.pow(self.fri_layers(trace_length) as u32)
    }
}

/// Whether winterfell makes and verifies proofs of `rounds` rounds with these options, each of
/// which is within its own range. Pure, so that a grid can be planned with it.
///
/// # Errors
///
/// The first rule that is broken:
///
/// - `power-of-two-minus-one`: the trace has one row a state, so `rounds + 1` is a power of two and at
///   least 8;
/// - `queries-below-domain`: `draw_integers` asserts fewer queries than points of the
///   low-degree-extension domain;
/// - `distinct-queries-readable`: the verifier's table asserts fewer than 255 rows, one for each
///   distinct query;
/// - `folding-to-whole-layers`: the last FRI layer must not fold below one coefficient: with *k* layers,
///   `folding^k` divides the trace length.
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
                 {trace_length} coefficients {folded} times, below one; take a smaller folding or a \
                 remainder_max_degree of at least folding / 2 - 1",
                parameters.folding, parameters.remainder_max_degree
            ),
        });
    }
    Ok(())
}
