//! The layout of a serialised winterfell proof, checked before the library reads it.
//!
//! `Proof::from_bytes` trusts every length it meets: it allocates for a count before it reads what is
//! counted (an allocation that fails ends the process, no unwinding), panics on options out of range,
//! and returns happily when bytes are left over. Public inputs and options determine nearly the whole
//! layout of an honest proof, so a verifier can walk it first: every length must be the one that the
//! configuration dictates or, where it depends on the queries, must stay within what they allow, the
//! variable-length integers must be as short as they can be, and the walk must end with the proof.
//!
//! This closes positions that the library parses and then never looks at: the byte with the number of
//! FRI partitions when there are no FRI layers, FRI layers in excess of those that are verified, bits
//! above the 32nd of the number of constraints, the depth of an opening modulo 64.

use winter_air::proof::Context;
use winter_utils::Serializable;
use winterfell::crypto::Hasher;

use crate::air::Shape;
use crate::field::BaseField;
use crate::options::Parameters;

/// What a proof of one configuration looks like on the wire.
pub struct Layout {
    /// The serialised context: trace, field, options, number of constraints. Fully determined.
    context: Vec<u8>,
    queries: usize,
    digest_bytes: usize,
    /// Bytes of one row of the trace.
    trace_row: usize,
    /// Bytes of one row of constraint evaluations.
    constraint_row: usize,
    /// Bytes of the two out-of-domain rows of the trace, with the byte that says they are two.
    out_of_domain_trace: usize,
    /// The same for the constraint evaluations.
    out_of_domain_constraints: usize,
    /// Depth of the trees over the low-degree-extension domain.
    depth: usize,
    /// log₂ of the folding factor.
    folding_bits: usize,
    /// Bytes of one row of a FRI layer.
    fri_row: usize,
    fri_layers: usize,
    remainder: usize,
}

/// Why bytes are no proof of the configuration, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misshapen(pub String);

impl Layout {
    /// The layout of proofs with these options for statements of this shape.
    pub fn new<B: BaseField, H: Hasher>(parameters: &Parameters, shape: Shape) -> Layout {
        let (width, length) = (shape.trace_width(), shape.trace_length());
        let air = shape.air_context::<B>(parameters.proof_options());
        let context = Context::new::<B>(
            air.trace_info().clone(),
            parameters.proof_options(),
            shape.constraints(),
        );
        let columns = air.num_constraint_composition_columns();
        let coin_bytes = B::ELEMENT_BYTES * parameters.extension.degree() as usize;
        Layout {
            context: context.to_bytes(),
            queries: parameters.queries,
            digest_bytes: H::Digest::default().to_bytes().len(),
            trace_row: width * B::ELEMENT_BYTES,
            constraint_row: columns * coin_bytes,
            out_of_domain_trace: 1 + 2 * width * coin_bytes,
            out_of_domain_constraints: 1 + 2 * columns * coin_bytes,
            depth: parameters.lde_domain(length).ilog2() as usize,
            folding_bits: parameters.folding.ilog2() as usize,
            fri_row: parameters.folding * coin_bytes,
            fri_layers: parameters.fri_layers(length),
            remainder: parameters.remainder_length(length) * coin_bytes,
        }
    }

    /// Layers of FRI below which the remainder follows.
    pub fn fri_layers(&self) -> usize {
        self.fri_layers
    }

    /// Walks a proof from its first byte to its last.
    ///
    /// # Errors
    ///
    /// The first place that an honest proof of this configuration cannot have.
    pub fn check(&self, proof: &[u8]) -> Result<(), Misshapen> {
        let mut walk = Walk { proof, position: 0 };
        let context = walk.take(self.context.len(), "context")?;
        if context != self.context {
            return Err(Misshapen(
                "the proof's context (trace, field, options, number of constraints) is not the one \
                 asked for"
                    .to_owned(),
            ));
        }
        let distinct = usize::from(walk.take(1, "number of distinct queries")?[0]);
        if !(1..=self.queries).contains(&distinct) {
            return Err(walk.refuse("number of distinct queries"));
        }

        let commitments = walk.unsigned(2, "length of the commitments")?;
        // One for the trace, one for the constraints, one for each FRI layer and for the remainder.
        if commitments != (2 + self.fri_layers + 1) * self.digest_bytes {
            return Err(walk.refuse("length of the commitments"));
        }
        walk.take(commitments, "commitments")?;

        for (row, what) in
            [(self.trace_row, "trace queries"), (self.constraint_row, "constraint queries")]
        {
            if walk.variable(what)? != distinct * row {
                return Err(walk.refuse(what));
            }
            walk.take(distinct * row, what)?;
            let opening = walk.variable(what)?;
            self.check_opening(walk.take(opening, what)?, self.depth, distinct, what)?;
        }

        for (bytes, what) in [
            (self.out_of_domain_trace, "out-of-domain trace rows"),
            (self.out_of_domain_constraints, "out-of-domain constraint rows"),
        ] {
            if walk.unsigned(2, what)? != bytes || walk.take(bytes, what)?[0] != 2 {
                return Err(walk.refuse(what));
            }
        }

        if walk.unsigned(1, "number of FRI layers")? != self.fri_layers {
            return Err(walk.refuse("number of FRI layers"));
        }
        let mut rows_above = distinct;
        for layer in 1..=self.fri_layers {
            let what = "FRI layer";
            let values = walk.unsigned(4, what)?;
            let rows = values / self.fri_row;
            // Folding can only merge positions.
            if !values.is_multiple_of(self.fri_row) || !(1..=rows_above).contains(&rows) {
                return Err(walk.refuse(what));
            }
            walk.take(values, what)?;
            let opening = walk.unsigned(4, what)?;
            let depth = self.depth - layer * self.folding_bits;
            self.check_opening(walk.take(opening, what)?, depth, rows, what)?;
            rows_above = rows;
        }
        if walk.unsigned(2, "length of the remainder")? != self.remainder {
            return Err(walk.refuse("length of the remainder"));
        }
        walk.take(self.remainder, "remainder")?;
        // A logarithm: one partition, the only number that the library's prover writes.
        if walk.unsigned(1, "number of FRI partitions")? != 0 {
            return Err(walk.refuse("number of FRI partitions"));
        }
        walk.take(8, "proof-of-work nonce")?;
        walk.end()
    }

    /// Walks a batch opening of `rows` leaves in a tree of this depth.
    fn check_opening(
        &self,
        opening: &[u8],
        depth: usize,
        rows: usize,
        what: &'static str,
    ) -> Result<(), Misshapen> {
        let mut walk = Walk { proof: opening, position: 0 };
        if walk.unsigned(1, what)? != depth {
            return Err(walk.refuse(what));
        }
        // Two neighbouring leaves share one list of nodes.
        let lists = walk.variable(what)?;
        if !(rows.div_ceil(2)..=rows).contains(&lists) {
            return Err(walk.refuse(what));
        }
        for _ in 0..lists {
            let nodes = walk.variable(what)?;
            if nodes > depth {
                return Err(walk.refuse(what));
            }
            walk.take(nodes * self.digest_bytes, what)?;
        }
        walk.end()
    }
}

struct Walk<'a> {
    proof: &'a [u8],
    position: usize,
}

impl<'a> Walk<'a> {
    fn refuse(&self, what: &str) -> Misshapen {
        Misshapen(format!(
            "the proof's {what} before byte {} cannot be that of an honest proof",
            self.position
        ))
    }

    fn take(&mut self, length: usize, what: &str) -> Result<&'a [u8], Misshapen> {
        let rest = &self.proof[self.position..];
        if length > rest.len() {
            return Err(Misshapen(format!("the proof ends within its {what}")));
        }
        self.position += length;
        Ok(&rest[..length])
    }

    /// An integer of a fixed number of bytes.
    fn unsigned(&mut self, length: usize, what: &str) -> Result<usize, Misshapen> {
        let bytes = self.take(length, what)?;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte)))
    }

    /// The library's variable-length integer: as many trailing zeros in the first byte as bytes follow.
    /// Nothing in a proof is longer than four bytes can say, and none may be longer than it has to be.
    fn variable(&mut self, what: &str) -> Result<usize, Misshapen> {
        let first = self.take(1, what)?[0];
        let length = first.trailing_zeros() as usize + 1;
        if length > 4 {
            return Err(self.refuse(what));
        }
        self.position -= 1;
        let value = self.unsigned(length, what)? >> length;
        if length > 1 && value >> (7 * (length - 1)) == 0 {
            return Err(self.refuse(what));
        }
        Ok(value)
    }

    fn end(&self) -> Result<(), Misshapen> {
        let left = self.proof.len() - self.position;
        if left == 0 {
            return Ok(());
        }
        Err(Misshapen(format!("{left} bytes follow where the proof should have ended")))
    }
}
