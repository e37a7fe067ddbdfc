"""What must hold before the times of a configuration count.

A proof and its public input, as the runner wrote them, are held against the reference, are judged
by another process, and are judged again with every public part and bits all over the proof changed.
A variant declared unsound must fail the one check it declares and no other.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nizkbench.errors import NizkBenchError
from nizkbench.messages import Check, RunRequest, Sample, System, Verdict, VerifyRequest
from nizkbench.runner import Answer, Limits, Runner, verify
from nizkbench.statements import definition
from nizkbench.tampering import Artifacts, Tampering, bit_flips

ACCEPT = "accept-in-other-process"

#: CPU time is read outside the region that is timed, so it may exceed threads × wall time by a
#: share and by some milliseconds.
CPU_SHARE = 0.05
CPU_SLACK_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of one check; `detail` says what was tried or what went wrong."""

    check: str
    passed: bool
    expected_to_fail: bool
    detail: str

    @property
    def as_expected(self) -> bool:
        """Whether the check came out as the soundness of the variant says it must."""
        return self.passed != self.expected_to_fail


def run_checks(
    runner: Runner,
    system: System,
    request: RunRequest,
    answer: Answer,
    *,
    flips: int,
    limits: Limits,
    watch: Callable[[], None] | None = None,
) -> list[CheckResult]:
    """All checks of an invocation that ended in `done`, with `request.artifacts` written.

    `flips` is the number of bits of the proof that are flipped, one at a time.
    """
    results = [*own_checks(answer), thread_limit(answer, request.threads)]
    try:
        artifacts = read_artifacts(request)
        results.append(known_answer(artifacts.public_input, system, request, answer))
        results += judged(
            runner, system, request, artifacts, flips=flips, limits=limits, watch=watch
        )
    except NizkBenchError as error:
        results.append(CheckResult(ACCEPT, False, False, str(error)))
    return expected(results, system, request)


def expected(
    results: Sequence[CheckResult], system: System, request: RunRequest
) -> list[CheckResult]:
    """The same checks, with the one marked that the variant declares it must fail."""
    must_fail = system.statement(request.statement).unsound_check(request.variant)
    return [
        replace(result, expected_to_fail=True) if result.check == must_fail else result
        for result in results
    ]


def own_checks(answer: Answer) -> list[CheckResult]:
    """The checks that the runner made by itself."""
    return [
        CheckResult(record.check, record.passed, False, record.detail)
        for record in answer.records
        if isinstance(record, Check)
    ]


def thread_limit(answer: Answer, threads: int) -> CheckResult:
    """Whether the samples used no more CPU time than their threads allow in their wall time."""
    samples = [record for record in answer.records if isinstance(record, Sample)]
    cpu = sum(sample.user_ns + sample.system_ns for sample in samples)
    wall = sum(sample.wall_ns for sample in samples)
    kept = cpu <= threads * wall * (1 + CPU_SHARE) + CPU_SLACK_NS
    used = cpu / wall if wall else 0.0
    return CheckResult(
        "thread-limit", kept, False, f"{used:.2f} processors in use, {threads} allowed"
    )


def known_answer(
    public: Mapping[str, Any], system: System, request: RunRequest, answer: Answer
) -> CheckResult:
    """Whether the public input is the one that the reference computes for the same instance."""
    instance = _first_counted_instance(answer)
    try:
        expected = definition(request.statement).public_input(system, request, instance)
    except NizkBenchError as error:
        return CheckResult("known-answer", False, False, str(error))
    wrong = sorted(
        member
        for member in expected.keys() | public.keys()
        if public.get(member) != expected.get(member)
    )
    detail = f"other {', '.join(wrong)} than the reference has" if wrong else f"instance {instance}"
    return CheckResult("known-answer", not wrong, False, detail)


def judged(
    runner: Runner,
    system: System,
    request: RunRequest,
    artifacts: Artifacts,
    *,
    flips: int,
    limits: Limits,
    watch: Callable[[], None] | None = None,
) -> list[CheckResult]:
    """What another process says to the proof as it is, and to every change of it.

    `BrokenRunnerError` if something shown to it gets no verdict.
    """
    shown = changes_shown(system, request.statement, artifacts, flips)
    with tempfile.TemporaryDirectory(dir=request.artifacts) as scratch:
        requests = verify_requests("", request, shown, Path(scratch))
        # The bound on time is that of one proof, and so many of them are judged.
        whole = replace(limits, timeout_seconds=limits.timeout_seconds * len(requests))
        verdicts = verify(runner, requests, limits=whole, watch=watch)
    return conclusions("", shown, verdicts)


def changes_shown(
    system: System, statement: str, artifacts: Artifacts, flips: int
) -> dict[str, list[Tampering]]:
    """What another process is shown of one proof, by the check that its verdict decides."""
    malleable = {bit for place in system.malleable for bit in place.bits}
    return {
        ACCEPT: [Tampering("the proof as it is", artifacts)],
        "reject-bit-flips": [
            change for change in bit_flips(artifacts, flips) if change.bit not in malleable
        ],
        **definition(statement).wrong_public_inputs(artifacts, system.field.order),
    }


def verify_requests(
    prefix: str, request: RunRequest, shown: Mapping[str, Sequence[Tampering]], folder: Path
) -> list[VerifyRequest]:
    """The files of everything shown, written into `folder`, and the requests to judge them.

    `prefix` sets the requests apart from those of other proofs judged by the same process.
    """
    return [
        change.artifacts.request(f"{prefix}{check}-{number}", request, folder)
        for check, changes in shown.items()
        for number, change in enumerate(changes)
    ]


def conclusions(
    prefix: str, shown: Mapping[str, Sequence[Tampering]], verdicts: Mapping[str, Verdict]
) -> list[CheckResult]:
    """The checks that verdicts decide, by the same names and `prefix` as in `verify_requests`."""
    results = []
    for check, changes in shown.items():
        wrong = []
        for number, change in enumerate(changes):
            verdict = verdicts[f"{prefix}{check}-{number}"]
            if verdict.accepted != (check == ACCEPT):
                said = "accepted" if verdict.accepted else f"rejected: {verdict.reason}"
                wrong.append(f"{change.what} is {said}")
        detail = _shortened(wrong) if wrong else f"{len(changes)} tried"
        results.append(CheckResult(check, not wrong, False, detail))
    return results


def _shortened(sentences: Sequence[str], most: int = 3) -> str:
    left_out = len(sentences) - most
    more = [f"and {left_out} more"] if left_out > 0 else []
    return "; ".join([*sentences[:most], *more])


def read_artifacts(request: RunRequest) -> Artifacts:
    """What the runner left of the first counted proof; `NizkBenchError` if it did not."""
    folder = Path(request.artifacts or "")
    try:
        return Artifacts.read(folder)
    except FileNotFoundError as error:
        raise NizkBenchError(f"the runner left no {Path(error.filename).name}") from None
    except ValueError as error:
        raise NizkBenchError(f"the runner's public_input.json cannot be read ({error})") from error


def _first_counted_instance(answer: Answer) -> int:
    for record in answer.records:
        if isinstance(record, Sample) and not record.warmup and record.instance is not None:
            return record.instance
    raise NizkBenchError("the runner timed no proof")
