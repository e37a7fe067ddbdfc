//! Requests one after another, each answered before the next is read: what every verb that reads
//! requests has in common.

use std::collections::HashSet;
use std::io::{self, BufRead};

use crate::description::SystemDescription;
use crate::exhaustion::LastWords;
use crate::lines::{Line, MAXIMUM_LINE_BYTES, next_line};
use crate::panics;
use crate::record::{Output, Record};
use crate::request::Envelope;
use crate::system::{Failure, System};

/// The systems of a runner, each with the description that its requests are judged by.
pub(crate) struct Catalogue<'s> {
    pub(crate) systems: &'s [Box<dyn System>],
    /// In the order of `systems`.
    pub(crate) descriptions: Vec<SystemDescription>,
}

impl<'s> Catalogue<'s> {
    pub(crate) fn of(systems: &'s [Box<dyn System>]) -> Catalogue<'s> {
        let descriptions = systems.iter().map(|system| system.description()).collect();
        Catalogue { systems, descriptions }
    }
}

/// How a request ends that does not end well.
pub(crate) enum End {
    /// With an error record.
    Failed(Failure),
    /// Nobody reads the records any more.
    Closed(io::Error),
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Failed(failure)
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> End {
        End::Closed(error)
    }
}

/// Answers every request of `input`: `carry_out` writes its records, the last one too, unless it
/// fails; then the last one is the error. Whether none of them failed.
pub(crate) fn answer_all(
    input: &mut dyn BufRead,
    output: &mut Output<'_>,
    mut carry_out: impl FnMut(Envelope, &mut Output<'_>) -> Result<(), End>,
) -> io::Result<bool> {
    let mut ids = HashSet::new();
    let mut none_failed = true;
    while let Some(line) = next_line(input)? {
        let (id, ended) = match open_envelope(line, &mut ids) {
            Ok(envelope) => {
                let id = envelope.id.clone();
                let last_words = LastWords::prepare(&id)?;
                let ended =
                    panics::caught(|| carry_out(envelope, output)).unwrap_or_else(|message| {
                        Err(End::Failed(Failure::internal(format!("panic: {message}"))))
                    });
                drop(last_words);
                (Some(id), ended)
            }
            Err((id, failure)) => (id, Err(End::Failed(failure))),
        };
        match ended {
            Ok(()) => {}
            Err(End::Failed(failure)) => {
                none_failed = false;
                output.push(&Record::error(id.as_deref(), &failure))?;
            }
            Err(End::Closed(error)) => return Err(error),
        }
        output.flush()?;
    }
    Ok(none_failed)
}

/// Reads the line of a request as far as its id, which must not have been used before.
fn open_envelope(
    line: Line,
    ids: &mut HashSet<String>,
) -> Result<Envelope, (Option<String>, Failure)> {
    let Line::Whole(line) = line else {
        let message = format!(
            "the line is longer than {MAXIMUM_LINE_BYTES} bytes, which is the longest legal"
        );
        let failure = Failure { option: None, ..Failure::invalid_request("", message) };
        return Err((None, failure));
    };
    let envelope = Envelope::read(&line).map_err(|failure| (None, failure))?;
    if !ids.insert(envelope.id.clone()) {
        let message =
            format!("id is {:?}, which an earlier request of this process had", envelope.id);
        return Err((Some(envelope.id), Failure::invalid_request("id", message)));
    }
    Ok(envelope)
}
