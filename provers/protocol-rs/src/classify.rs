//! `RUNNER classify`: which requests to run can be carried out, without carrying them out.

use std::io::{self, BufRead};

use crate::admission::Admission;
use crate::answers::{Catalogue, answer_all};
use crate::record::{Output, Record};

/// Answers every request of `input`; whether all of them are legal.
pub(crate) fn classify(
    catalogue: Catalogue<'_>,
    input: &mut dyn BufRead,
    output: &mut Output<'_>,
) -> io::Result<bool> {
    let mut admission = Admission::new(catalogue);
    answer_all(input, output, |envelope, output| {
        let id = envelope.id.clone();
        admission.admit(envelope)?;
        output.push(&Record::Legal { id: &id })?;
        Ok(())
    })
}
