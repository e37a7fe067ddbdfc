//! The rules that no range of a single option can state.

use crate::air::Shape;
use crate::options::Parameters;

/// Fewest rows that a trace is given; more rounds go into a row only where there are as many rows.
pub const FEWEST_ROWS: usize = 4;

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

/// The shape of the trace of so many rounds with at most `rounds_per_row` in a row. Pure, so that a grid
/// can be planned with it.
///
/// # Errors
///
/// The rule `power-of-two-minus-one`: rounds and one more fill the trace.
pub fn shape(rounds: usize, rounds_per_row: usize) -> Result<Shape, Refusal> {
    let elements = rounds + 1;
    if !elements.is_power_of_two() || elements < 2 * FEWEST_ROWS {
        return Err(Refusal {
            rule: "power-of-two-minus-one",
            option: "size.rounds",
            message: format!(
                "size.rounds is {rounds}, but the trace holds rounds + 1 elements, which must be a \
                 power of two of at least {}",
                2 * FEWEST_ROWS
            ),
        });
    }
    Ok(Shape { rounds, rounds_per_row: rounds_per_row.min(elements / FEWEST_ROWS) })
}

/// Whether Plonky3 makes and verifies proofs of this shape with these options, each of which is within
/// its own range.
///
/// # Errors
///
/// The rule `folding-before-the-remainder`: `FriParameters::validate_input_height` demands a trace longer
/// than the polynomial that FRI ends with, unless that is a constant.
pub fn legal(shape: Shape, parameters: &Parameters) -> Result<(), Refusal> {
    let (rows, remainder) = (shape.trace_length(), parameters.remainder_length());
    if remainder > 1 && rows <= remainder {
        return Err(Refusal {
            rule: "folding-before-the-remainder",
            option: "remainder_max_degree",
            message: format!(
                "option remainder_max_degree is {}, but Plonky3 folds at least once before a remainder \
                 that is no constant, and the trace has {rows} rows, which is no more than the \
                 remainder's {remainder} coefficients; take a smaller remainder or fewer rounds_per_row",
                parameters.remainder_max_degree
            ),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_statements_keep_the_fewest_rows() {
        for (rounds, width) in [(7, 2), (15, 4), (63, 16), (4095, 16)] {
            let shape = shape(rounds, 16).unwrap();
            assert_eq!(shape.rounds_per_row, width, "{rounds} rounds");
            assert!(shape.trace_length() >= FEWEST_ROWS);
        }
    }

    #[test]
    fn rounds_that_do_not_fill_the_trace_are_refused() {
        for rounds in [3, 8, 100, 4096] {
            assert_eq!(shape(rounds, 2).unwrap_err().rule, "power-of-two-minus-one");
        }
    }
}
