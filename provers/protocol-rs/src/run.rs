//! `RUNNER run`: the loop that every system is measured by.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::path::Path;
use std::time::Duration;

use crate::configuration::Configuration;
use crate::description::{Phase, SystemDescription};
use crate::exhaustion::LastWords;
use crate::key_file;
use crate::lines::{Line, MAXIMUM_LINE_BYTES, next_line};
use crate::measurement::Meter;
use crate::panics;
use crate::record::{Output, Record, StoppedBy};
use crate::request::{Envelope, Instances, RunRequest, Stop};
use crate::system::{Counter, Failure, Session, System, Verdict};
use crate::threads;

/// Answers every request of `input`; whether all of them ended in `done`.
pub(crate) fn run(
    systems: &[Box<dyn System>],
    input: &mut dyn BufRead,
    output: &mut Output<'_>,
) -> io::Result<bool> {
    let mut process = Process {
        systems,
        descriptions: systems.iter().map(|system| system.description()).collect(),
        ids: HashSet::new(),
        threads: None,
        meter: Meter::new(),
    };
    let mut all_done = true;
    while let Some(line) = next_line(input)? {
        all_done &= process.answer(line, output)?;
    }
    Ok(all_done)
}

/// Reads the line of a request as far as its id, which must not have been used before.
pub(crate) fn open_envelope(
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

/// What lasts from one request to the next.
struct Process<'s> {
    systems: &'s [Box<dyn System>],
    descriptions: Vec<SystemDescription>,
    ids: HashSet<String>,
    /// The thread count, once a request has fixed it.
    threads: Option<usize>,
    meter: Meter,
}

impl Process<'_> {
    /// Answers one line; whether with `done`.
    fn answer(&mut self, line: Line, output: &mut Output<'_>) -> io::Result<bool> {
        let envelope = match open_envelope(line, &mut self.ids) {
            Ok(envelope) => envelope,
            Err((id, failure)) => {
                output.push(&Record::error(id.as_deref(), &failure))?;
                output.flush()?;
                return Ok(false);
            }
        };
        let id = envelope.id.clone();
        let ended = match panics::caught(|| self.carry_out(envelope, output)) {
            Ok(ended) => ended,
            Err(message) => Err(End::Failed(Failure::internal(format!("panic: {message}")))),
        };
        match ended {
            Ok(Finished { samples, stopped_by }) => {
                output.push(&Record::Done { id: &id, samples, stopped_by })?;
                output.flush()?;
                Ok(true)
            }
            Err(End::Failed(failure)) => {
                output.push(&Record::error(Some(&id), &failure))?;
                output.flush()?;
                Ok(false)
            }
            Err(End::Closed(error)) => Err(error),
        }
    }

    fn carry_out(&mut self, envelope: Envelope, output: &mut Output<'_>) -> Result<Finished, End> {
        let id = envelope.id.clone();
        let (position, request) = envelope.into_run(&self.descriptions)?;
        self.fix_threads(request.configuration.threads)?;
        let _last_words = LastWords::prepare(&id)?;
        let system = &self.systems[position];
        let session = system.open(&request.configuration, &request.seed)?;
        let description = &self.descriptions[position];
        Loop { id: &id, description, request: &request, session, meter: &mut self.meter, output }
            .carry_out()
    }

    /// A process measures at one thread count, that of its first legal request.
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
                threads::start_pool(threads)?;
                self.threads = Some(threads);
                Ok(())
            }
        }
    }
}

/// How a request ends well.
struct Finished {
    samples: u64,
    stopped_by: StoppedBy,
}

/// How a request ends otherwise.
enum End {
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

/// One request at work.
struct Loop<'a, 'w> {
    id: &'a str,
    description: &'a SystemDescription,
    request: &'a RunRequest,
    session: Box<dyn Session>,
    meter: &'a mut Meter,
    output: &'a mut Output<'w>,
}

/// What one execution of a phase belongs to.
#[derive(Clone, Copy)]
struct Position {
    sample: u64,
    instance: Option<u64>,
    warmup: bool,
}

impl Loop<'_, '_> {
    fn carry_out(mut self) -> Result<Finished, End> {
        let once = Position { sample: 0, instance: None, warmup: false };
        self.execute(Phase::Compile, once, |session| session.compile())?;
        self.execute(Phase::Setup, once, |session| session.setup())?;
        self.output.flush()?;
        if ![Phase::Witness, Phase::Prove, Phase::Verify].iter().any(|phase| self.records(*phase)) {
            return Ok(Finished { samples: 0, stopped_by: StoppedBy::NoLoop });
        }
        let Stop { warmup, minimum, maximum, seconds } = self.request.stop;
        let mut spent = Duration::ZERO;
        let mut counted = 0;
        for sample in 0.. {
            let position = Position {
                sample,
                instance: Some(self.instance_of(sample)),
                warmup: sample < warmup,
            };
            let took = self.take_sample(position)?;
            if !position.warmup {
                spent += took;
                counted += 1;
                if counted == 1 {
                    self.write_what_stays(position)?;
                }
            }
            self.output.flush()?;
            if counted == maximum {
                break;
            }
            if counted >= minimum && spent.as_secs_f64() >= seconds {
                return Ok(Finished { samples: counted, stopped_by: StoppedBy::Seconds });
            }
        }
        Ok(Finished { samples: counted, stopped_by: StoppedBy::Maximum })
    }

    /// Whether executions of this phase are timed and written.
    fn records(&self, phase: Phase) -> bool {
        self.description.times(phase) && self.request.phases.contains(&phase)
    }

    /// Whether one proof serves all samples: nothing but verification is asked for.
    fn verifies_one_proof(&self) -> bool {
        self.records(Phase::Verify) && !self.records(Phase::Witness) && !self.records(Phase::Prove)
    }

    fn instance_of(&self, sample: u64) -> u64 {
        let first = self.request.first_instance;
        match self.request.instances {
            Instances::Fresh if !self.verifies_one_proof() => first + sample,
            Instances::Fresh | Instances::Fixed => first,
        }
    }

    /// One pass of the loop; the time of its timed phases.
    fn take_sample(&mut self, position: Position) -> Result<Duration, End> {
        let mut spent = Duration::ZERO;
        if position.sample == 0 || !self.verifies_one_proof() {
            self.session.load_instance(position.instance.unwrap_or_default())?;
            spent += self.execute(Phase::Witness, position, |session| session.witness())?;
            if self.records(Phase::Prove) || self.records(Phase::Verify) {
                spent += self.execute(Phase::Prove, position, |session| session.prove())?;
                self.write_what_varies(position.sample)?;
            }
        }
        if self.records(Phase::Verify) {
            spent += self.verify(position)?;
        }
        Ok(spent)
    }

    /// Executes a phase, timed if it is to be recorded; its time then, else nothing.
    fn execute(
        &mut self,
        phase: Phase,
        position: Position,
        action: impl FnOnce(&mut dyn Session) -> Result<(), Failure>,
    ) -> Result<Duration, End> {
        let session = self.session.as_mut();
        if !(self.description.times(phase) && self.request.phases.contains(&phase)) {
            action(session)?;
            return Ok(Duration::ZERO);
        }
        let (result, measurement) = self.meter.measure(|| action(session));
        result?;
        let Position { sample, instance, warmup } = position;
        self.output.push(&Record::sample(self.id, phase, sample, instance, warmup, measurement))?;
        Ok(measurement.wall)
    }

    /// Verifies the proof at hand. One that its own verifier rejects ends the request.
    fn verify(&mut self, position: Position) -> Result<Duration, End> {
        let mut verdict = Verdict::Accepted;
        let spent = self.execute(Phase::Verify, position, |session| {
            verdict = session.verify()?;
            Ok(())
        })?;
        let Verdict::Rejected(reason) = verdict else {
            return Ok(spent);
        };
        self.write_self_verify(false, &reason)?;
        let instance = position.instance.unwrap_or_default();
        let message =
            format!("the system's own verifier rejects its proof of instance {instance}: {reason}");
        Err(End::Failed(Failure::internal(message)))
    }

    fn write_self_verify(&mut self, passed: bool, detail: &str) -> io::Result<()> {
        self.output.push(&Record::Check { id: self.id, check: "self-verify", passed, detail })
    }

    fn write_what_varies(&mut self, sample: u64) -> io::Result<()> {
        let (id, sample) = (self.id, Some(sample));
        for size in self.session.sample_sizes() {
            self.output.push(&Record::Size { id, size, sample })?;
        }
        for counter in self.session.sample_counters() {
            self.output.push(&Record::Counter { id, counter, sample })?;
        }
        Ok(())
    }

    /// After the first counted sample: that its proof verifies (seen above, or seen to now without
    /// the clock), what is the same for all proofs, and the artifacts.
    fn write_what_stays(&mut self, position: Position) -> Result<(), End> {
        if !self.records(Phase::Verify) {
            if !self.records(Phase::Prove) {
                self.session.prove()?;
                self.write_what_varies(position.sample)?;
            }
            self.verify(position)?;
        }
        self.write_self_verify(true, "")?;
        let (id, sample) = (self.id, None);
        for size in self.session.sizes() {
            self.output.push(&Record::Size { id, size, sample })?;
        }
        let threads = Counter::new("threads", self.request.configuration.threads as u64);
        for counter in self.session.counters().into_iter().chain([threads]) {
            self.output.push(&Record::Counter { id, counter, sample })?;
        }
        for security in self.session.security() {
            self.output.push(&Record::Security { id, security })?;
        }
        if let Some(folder) = &self.request.artifacts {
            write_artifacts(folder, &self.request.configuration, self.session.as_ref())?;
        }
        Ok(())
    }
}

fn write_artifacts(
    folder: &Path,
    configuration: &Configuration,
    session: &dyn Session,
) -> Result<(), Failure> {
    let public_input = session.public_input();
    let key = key_file::compose(configuration, &public_input, &session.verifying_key()?);
    let files = [
        ("proof.bin", session.proof().to_vec()),
        ("verifying_key.bin", key),
        ("public_input.json", public_input.to_json(configuration)?),
    ];
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| {
            Failure::internal(format!("{} could not be written: {error}", path.display()))
        })?;
    }
    Ok(())
}
