"""Whether a request to run can be carried out: all that `run` finds out before it begins."""

import os
from collections.abc import Sequence

from nizk_protocol.failure import Failure
from nizk_protocol.request import Envelope, RunRequest, power_of_two_minus_one
from nizk_protocol.system import System


class Admission:
    """Judges the requests of one process."""

    def __init__(self, systems: Sequence[System]) -> None:
        self._systems = systems
        self._threads: int | None = None

    def admit(self, envelope: Envelope) -> RunRequest:
        """The request of an envelope, if it can be carried out; else a `Failure`."""
        request = envelope.into_run(self._systems)
        configuration = request.configuration
        self._fix_threads(configuration.threads)
        for statement in request.system.description.statements:
            if statement.statement == configuration.statement:
                power_of_two_minus_one(statement, configuration.size)
        request.system.legal(configuration)
        return request

    def _fix_threads(self, threads: int) -> None:
        """A process measures at one thread count, that of its first well-formed request."""
        if self._threads is None:
            # More would take turns, and what is recorded as so many threads would not be.
            processors = len(os.sched_getaffinity(0))
            if threads > processors:
                raise Failure.unsupported(
                    "threads-beyond-processors",
                    "threads",
                    f"threads is {threads}, supported are at most {processors}, as many as there"
                    " are processors this process may use",
                )
            self._threads = threads
        elif self._threads != threads:
            raise Failure.invalid_request(
                "threads",
                f"threads is {threads}, legal in this process is {self._threads} alone, as first"
                " asked for",
            )
