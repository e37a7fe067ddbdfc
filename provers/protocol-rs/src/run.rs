//! `RUNNER run`: the loop that every system is measured by.

use std::io::{self, BufRead};
use std::path::Path;
use std::time::Duration;

use crate::admission::Admission;
use crate::answers::{Catalogue, End, answer_all};
use crate::configuration::Configuration;
use crate::description::{Phase, SystemDescription};
use crate::key_file;
use crate::measurement::{Meter, give_back_memory};
use crate::record::{Output, Record, StoppedBy};
use crate::request::{Envelope, Instances, RunRequest, Stop};
use crate::system::{BatchItem, Counter, Failure, Session, Verdict};
use crate::threads::Pool;

/// Answers every request of `input`; whether all of them ended in `done`.
pub(crate) fn run(
    catalogue: Catalogue<'_>,
    input: &mut dyn BufRead,
    output: &mut Output<'_>,
) -> io::Result<bool> {
    let mut process =
        Process { admission: Admission::new(catalogue), pool: None, meter: Meter::new() };
    answer_all(input, output, |envelope, output| process.carry_out(envelope, output))
}

/// What lasts from one request to the next.
struct Process<'s> {
    admission: Admission<'s>,
    /// The pool, once a legal request has needed it.
    pool: Option<Pool>,
    meter: Meter,
}

impl Process<'_> {
    fn carry_out(&mut self, envelope: Envelope, output: &mut Output<'_>) -> Result<(), End> {
        let id = envelope.id.clone();
        let (position, request) = self.admission.admit(envelope)?;
        if self.pool.is_none() {
            self.pool = Some(Pool::start(request.configuration.threads)?);
        }
        let Catalogue { systems, descriptions } = &self.admission.catalogue;
        let session = systems[position].open(&request.configuration, &request.seed)?;
        let description = &descriptions[position];
        let meter = &mut self.meter;
        let Finished { samples, stopped_by } =
            Loop { id: &id, description, request: &request, session, meter, output: &mut *output }
                .carry_out()?;
        output.push(&Record::Done { id: &id, samples, stopped_by })?;
        Ok(())
    }
}

/// What samples of proofs verified together are of.
const VERIFY_BATCH: &str = "verify-batch";

/// How a request ends well.
struct Finished {
    samples: u64,
    stopped_by: StoppedBy,
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
        let finished = self.carry_out_loop()?;
        if let Some(batch) = self.request.batch {
            self.verify_together(batch)?;
        }
        Ok(finished)
    }

    fn carry_out_loop(&mut self) -> Result<Finished, End> {
        let once = Position { sample: 0, instance: None, warmup: false };
        // What one phase left behind must not count as the memory of the next.
        self.execute(Phase::Compile, once, |session| session.compile())?;
        give_back_memory();
        self.execute(Phase::Setup, once, |session| session.setup())?;
        give_back_memory();
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
            self.output.flush_if_due()?;
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
        self.output.push(&Record::sample(
            self.id,
            phase.name(),
            sample,
            instance,
            warmup,
            measurement,
        ))?;
        Ok(Duration::from_nanos(measurement.elapsed.wall_ns))
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

    /// Makes proofs of instances one after the other, and verifies them together by the same stop
    /// rule as the loop's, whose proofs are others. A batch with a fault in it must be rejected.
    fn verify_together(&mut self, batch: u64) -> Result<(), End> {
        let first = self.request.first_instance;
        let items = (first..first + batch)
            .map(|instance| {
                self.session.load_instance(instance)?;
                self.session.witness()?;
                self.session.prove()?;
                let public_input = self.session.public_input();
                Ok(BatchItem { public_input, proof: self.session.proof().to_vec() })
            })
            .collect::<Result<Vec<BatchItem>, Failure>>()?;
        let Stop { warmup, minimum, maximum, seconds } = self.request.stop;
        let prepared = self.session.batch(&items)?;
        let mut spent = Duration::ZERO;
        for sample in 0..warmup + maximum {
            let warming = sample < warmup;
            let (verdict, measurement) = self.meter.measure(|| prepared.verify());
            if let Verdict::Rejected(reason) = verdict {
                let message = format!(
                    "the system's own verifier rejects {batch} of its proofs together: {reason}"
                );
                return Err(End::Failed(Failure::internal(message)));
            }
            let record = Record::sample(self.id, VERIFY_BATCH, sample, None, warming, measurement);
            self.output.push(&record)?;
            self.output.flush_if_due()?;
            if !warming {
                spent += Duration::from_nanos(measurement.elapsed.wall_ns);
            }
            if sample + 1 >= warmup + minimum && spent.as_secs_f64() >= seconds {
                break;
            }
        }
        let counter = Counter::new("batch", batch);
        self.output.push(&Record::Counter { id: self.id, counter, sample: None })?;
        let accepted = accepted_faults(self.session.as_ref(), &items)?;
        let detail = match accepted.as_slice() {
            [] => String::new(),
            faults => format!("accepted together: {}", faults.join(", ")),
        };
        self.output.push(&Record::Check {
            id: self.id,
            check: "reject-tampered-batch",
            passed: accepted.is_empty(),
            detail: &detail,
        })?;
        Ok(())
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

/// What of a batch can be changed without its being rejected: nothing, of a sound system. Tried are a
/// bit of the first, the middle and the last proof, and the first two proofs exchanged.
fn accepted_faults(session: &dyn Session, items: &[BatchItem]) -> Result<Vec<String>, Failure> {
    let mut faults = Vec::new();
    for place in [0, items.len() / 2, items.len() - 1] {
        let mut changed = items.to_vec();
        let middle = changed[place].proof.len() / 2;
        changed[place].proof[middle] ^= 1;
        faults.push((format!("a flipped bit in proof {place}"), changed));
    }
    let mut exchanged = items.to_vec();
    exchanged[0].proof.clone_from(&items[1].proof);
    exchanged[1].proof.clone_from(&items[0].proof);
    faults.push(("the first two proofs exchanged".to_owned(), exchanged));
    let mut accepted = Vec::new();
    for (what, changed) in faults {
        if session.batch(&changed)?.verify() == Verdict::Accepted {
            accepted.push(what);
        }
    }
    Ok(accepted)
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
