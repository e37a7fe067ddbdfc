//! Panics of a library: caught, logged on standard error, answered as an error.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

/// Longest part of a panic's message that goes into a record, in characters.
const QUOTED_CHARACTERS: usize = 300;

/// Logs a panic as one line on standard error, without a backtrace: a user reads the record.
pub(crate) fn log_quietly() {
    panic::set_hook(Box::new(|information| {
        let place = information.location().map(ToString::to_string).unwrap_or_default();
        let message = one_line(words_of(information.payload()));
        eprintln_if_open(&format!("panic at {place}: {message}"));
    }));
}

/// Runs `action`; a panic in it becomes its message, on one line.
///
/// Whatever the action has borrowed is dropped or no longer read by the callers in this crate: they
/// end the request, and its session with it.
pub(crate) fn caught<T>(action: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(action)).map_err(|payload| {
        let message = one_line(words_of(payload.as_ref()));
        // Dropping a payload may panic itself, and nothing would catch that.
        std::mem::forget(payload);
        message
    })
}

/// A line of the log; a closed standard error is no reason to end.
pub(crate) fn eprintln_if_open(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn words_of(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "no message"
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(QUOTED_CHARACTERS).collect()
}
