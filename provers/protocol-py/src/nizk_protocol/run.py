"""`RUNNER run`: the loop that every system is measured by. And `RUNNER classify`, without it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import BinaryIO, Literal

from nizk_protocol.admission import Admission
from nizk_protocol.answers import answer_all
from nizk_protocol.description import Phase
from nizk_protocol.failure import Failure
from nizk_protocol.key_file import compose_key_file
from nizk_protocol.measurement import Meter, give_back_memory
from nizk_protocol.public_input import write_public_input
from nizk_protocol.record import Output
from nizk_protocol.request import Envelope, RunRequest
from nizk_protocol.system import ACCEPTED, Counter, Session, Size, System

StoppedBy = Literal["maximum", "seconds", "no-loop"]


def classify(systems: Sequence[System], input_: BinaryIO, output: Output) -> bool:
    """Answer every request of a stream without carrying it out; whether all of them are legal."""
    admission = Admission(systems)

    def carry_out(envelope: Envelope) -> None:
        admission.admit(envelope)
        output.push({"type": "legal", "id": envelope.id})

    return answer_all(input_, output, carry_out)


def run(systems: Sequence[System], input_: BinaryIO, output: Output) -> bool:
    """Answer every request of a stream; whether all of them ended in `done`."""
    admission = Admission(systems)
    meter = Meter()

    def carry_out(envelope: Envelope) -> None:
        request = admission.admit(envelope)
        session = request.system.open(request.configuration, request.seed)
        samples, stopped_by = _Loop(envelope.id, request, session, meter, output).carry_out()
        done = {"type": "done", "id": envelope.id}
        output.push(done | {"samples": samples, "stopped_by": stopped_by})

    return answer_all(input_, output, carry_out)


@dataclass(frozen=True, slots=True)
class _Position:
    """What one execution of a phase belongs to."""

    sample: int
    instance: int | None
    warmup: bool


_ONCE = _Position(0, None, False)


class _Loop:
    """One request at work."""

    def __init__(
        self, name: str, request: RunRequest, session: Session, meter: Meter, output: Output
    ) -> None:
        self._id = name
        self._request = request
        self._session = session
        self._meter = meter
        self._output = output

    def carry_out(self) -> tuple[int, StoppedBy]:
        """Go through the loop; how many samples counted, and what stopped it."""
        # What one phase left behind must not count as the memory of the next.
        self._execute("compile", _ONCE, self._session.compile)
        give_back_memory()
        self._execute("setup", _ONCE, self._session.setup)
        give_back_memory()
        self._output.flush()
        if not any(self._records(phase) for phase in ("witness", "prove", "verify")):
            return 0, "no-loop"
        stop = self._request.stop
        budget, spent, counted, sample = stop.seconds * 1e9, 0, 0, 0
        while True:
            position = _Position(sample, self._instance(sample), sample < stop.warmup)
            took = self._take_sample(position)
            if not position.warmup:
                spent += took
                counted += 1
                if counted == 1:
                    self._write_what_stays(position)
            self._output.flush_if_due()
            if counted == stop.maximum:
                return counted, "maximum"
            if counted >= stop.minimum and spent >= budget:
                return counted, "seconds"
            sample += 1

    def _records(self, phase: Phase) -> bool:
        """Whether executions of this phase are timed and written."""
        return phase in self._request.phases and self._request.system.description.times(phase)

    def _verifies_one_proof(self) -> bool:
        """Whether one proof serves all samples: nothing but verification is asked for."""
        return self._records("verify") and not (self._records("witness") or self._records("prove"))

    def _instance(self, sample: int) -> int:
        fresh = self._request.instances == "fresh" and not self._verifies_one_proof()
        return self._request.first_instance + (sample if fresh else 0)

    def _take_sample(self, position: _Position) -> int:
        """One pass of the loop; the time of its timed phases, in nanoseconds."""
        spent = 0
        if position.sample == 0 or not self._verifies_one_proof():
            self._session.load_instance(position.instance or 0)
            spent += self._execute("witness", position, self._session.witness)
            if self._records("prove") or self._records("verify"):
                spent += self._execute("prove", position, self._session.prove)
                self._write_what_varies(position.sample)
        if self._records("verify"):
            spent += self._verify(position)
        return spent

    def _execute(self, phase: Phase, position: _Position, action: Callable[[], None]) -> int:
        """Execute a phase, timed if it is to be recorded; its time then, else nothing."""
        if not self._records(phase):
            action()
            return 0
        taken = self._meter.measure(action)
        of = {"type": "sample", "id": self._id, "phase": phase}
        self._output.push(of | asdict(position) | asdict(taken))
        return taken.wall_ns

    def _verify(self, position: _Position) -> int:
        """Verify the proof at hand. One that its own verifier rejects ends the request."""
        verdict = ACCEPTED

        def action() -> None:
            nonlocal verdict
            verdict = self._session.verify()

        spent = self._execute("verify", position, action)
        if not verdict.accepted:
            self._write_self_verify(False, verdict.reason)
            raise Failure.internal(
                f"the system's own verifier rejects its proof of instance {position.instance}:"
                f" {verdict.reason}"
            )
        return spent

    def _write_self_verify(self, passed: bool, detail: str) -> None:
        check = {"type": "check", "id": self._id, "check": "self-verify"}
        self._output.push(check | {"passed": passed, "detail": detail})

    def _write_what_varies(self, sample: int) -> None:
        self._write("size", self._session.sample_sizes(), sample)
        self._write("counter", self._session.sample_counters(), sample)

    def _write(
        self, kind: str, records: Sequence[Size] | Sequence[Counter], sample: int | None
    ) -> None:
        for record in records:
            of = {"type": kind, "id": self._id}
            self._output.push(of | asdict(record) | {"sample": sample})

    def _write_what_stays(self, position: _Position) -> None:
        """After the first counted sample: that its proof verifies, what stays, the artifacts."""
        if not self._records("verify"):
            if not self._records("prove"):
                self._session.prove()
                self._write_what_varies(position.sample)
            self._verify(position)
        self._write_self_verify(True, "")
        self._write("size", self._session.sizes(), None)
        threads = Counter("threads", self._request.configuration.threads)
        self._write("counter", [*self._session.counters(), threads], None)
        for security in self._session.security():
            self._output.push({"type": "security", "id": self._id} | asdict(security))
        self._write_artifacts()

    def _write_artifacts(self) -> None:
        folder, configuration = self._request.artifacts, self._request.configuration
        if folder is None:
            return
        public_input = self._session.public_input()
        key = compose_key_file(configuration, public_input, self._session.verifying_key())
        files = {
            "proof.bin": self._session.proof(),
            "verifying_key.bin": key,
            "public_input.json": write_public_input(public_input, configuration),
        }
        for name, content in files.items():
            try:
                (folder / name).write_bytes(content)
            except OSError as error:
                raise Failure.internal(
                    f"{folder / name} could not be written: {error.strerror}"
                ) from error
