//! Records on standard output, one JSON object a line.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::description::{Build, Library, SystemDescription};
use crate::measurement::Measurement;
use crate::system::{Counter, Failure, FailureKind, Security, Size};

/// Version of the protocol.
pub(crate) const PROTOCOL: u32 = 1;

/// Everything a runner writes.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum Record<'a> {
    Describe {
        protocol: u32,
        runner: &'a str,
        library: &'a Library,
        build: &'a Build,
        systems: &'a [SystemDescription],
    },
    Sample {
        id: &'a str,
        phase: &'static str,
        sample: u64,
        instance: Option<u64>,
        warmup: bool,
        wall_ns: u64,
        user_ns: u64,
        system_ns: u64,
        peak_rss_bytes: Option<u64>,
    },
    Size {
        id: &'a str,
        #[serde(flatten)]
        size: Size,
        sample: Option<u64>,
    },
    Counter {
        id: &'a str,
        #[serde(flatten)]
        counter: Counter,
        sample: Option<u64>,
    },
    Security {
        id: &'a str,
        #[serde(flatten)]
        security: Security,
    },
    Check {
        id: &'a str,
        check: &'a str,
        passed: bool,
        detail: &'a str,
    },
    Done {
        id: &'a str,
        samples: u64,
        stopped_by: StoppedBy,
    },
    Legal {
        id: &'a str,
    },
    Verdict {
        id: &'a str,
        accepted: bool,
        reason: &'a str,
    },
    Error {
        id: Option<&'a str>,
        kind: FailureKind,
        message: &'a str,
        option: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        rule: Option<&'static str>,
    },
}

/// What ended a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoppedBy {
    Maximum,
    Seconds,
    NoLoop,
}

impl<'a> Record<'a> {
    /// A timed execution.
    pub(crate) fn sample(
        id: &'a str,
        phase: &'static str,
        sample: u64,
        instance: Option<u64>,
        warmup: bool,
        measurement: Measurement,
    ) -> Record<'a> {
        Record::Sample {
            id,
            phase,
            sample,
            instance,
            warmup,
            wall_ns: measurement.elapsed.wall_ns,
            user_ns: measurement.elapsed.user_ns,
            system_ns: measurement.elapsed.system_ns,
            peak_rss_bytes: measurement.peak_rss_bytes,
        }
    }

    /// The end of a request that failed.
    pub(crate) fn error(id: Option<&'a str>, failure: &'a Failure) -> Record<'a> {
        Record::Error {
            id,
            kind: failure.kind,
            message: &failure.message,
            option: failure.option.as_deref(),
            rule: failure.rule,
        }
    }

    /// The record as a line.
    pub(crate) fn to_line(&self) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }
}

/// How long records of samples may be held: waking the reader disturbs the next sample, so it is not
/// done after each.
const LONGEST_HELD: Duration = Duration::from_millis(100);

/// Standard output, or what stands for it in a test. Lines written together reach the reader
/// together.
pub(crate) struct Output<'w> {
    sink: &'w mut dyn Write,
    pending: Vec<u8>,
    flushed: Instant,
}

impl<'w> Output<'w> {
    pub(crate) fn new(sink: &'w mut dyn Write) -> Output<'w> {
        Output { sink, pending: Vec::new(), flushed: Instant::now() }
    }

    /// Holds a record until the next [`Output::flush`].
    pub(crate) fn push(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.pending.extend_from_slice(&record.to_line()?);
        Ok(())
    }

    /// Hands all held records to the reader.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.pending)?;
        self.pending.clear();
        self.flushed = Instant::now();
        self.sink.flush()
    }

    /// Hands them over if that was last done [`LONGEST_HELD`] ago.
    pub(crate) fn flush_if_due(&mut self) -> io::Result<()> {
        if self.flushed.elapsed() < LONGEST_HELD {
            return Ok(());
        }
        self.flush()
    }
}
