//! Whether a request to run can be carried out: all that `run` finds out before it begins, and all
//! that `classify` does.

use crate::answers::Catalogue;
use crate::request::{Envelope, RunRequest};
use crate::system::Failure;
use crate::threads;

/// Judges the requests of one process.
pub(crate) struct Admission<'s> {
    pub(crate) catalogue: Catalogue<'s>,
    /// The thread count, once a request has fixed it.
    threads: Option<usize>,
}

impl<'s> Admission<'s> {
    pub(crate) fn new(catalogue: Catalogue<'s>) -> Admission<'s> {
        Admission { catalogue, threads: None }
    }

    /// The request of an envelope and the position of its system, if it can be carried out.
    pub(crate) fn admit(&mut self, envelope: Envelope) -> Result<(usize, RunRequest), Failure> {
        let (position, request) = envelope.into_run(&self.catalogue.descriptions)?;
        self.fix_threads(request.configuration.threads)?;
        self.catalogue.systems[position].legal(&request.configuration)?;
        Ok((position, request))
    }

    /// A process measures at one thread count, that of its first well-formed request.
    fn fix_threads(&mut self, threads: usize) -> Result<(), Failure> {
        match self.threads {
            Some(fixed) if fixed == threads => Ok(()),
            Some(fixed) => {
                let message = format!(
                    "threads is {threads}, legal in this process is {fixed} alone, as first asked for"
                );
                Err(Failure::invalid_request("threads", message))
            }
            None => {
                threads::within_processors(threads)?;
                self.threads = Some(threads);
                Ok(())
            }
        }
    }
}
