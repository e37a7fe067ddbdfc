"""Conformance: what makes rows of different runners comparable.

A runner that keeps every promise below proves the statements of `provers/STATEMENTS.md`, answers as
`provers/PROTOCOL.md` says, and rejects what must be rejected. The suite drives the binary alone,
through `describe`, `run`, `classify` and `verify`; it knows nothing of the library behind it.

Its structural part needs no proof: a runner that `just new-runner` has just made keeps it.
"""

import itertools
import json
import math
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import jsonschema
import msgspec

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.messages import (
    PHASES,
    Check,
    Counter,
    Describe,
    Done,
    Option,
    OptionValue,
    PhaseName,
    RunnerError,
    RunRequest,
    Sample,
    Size,
    Statement,
    Stop,
    System,
    VerifyRequest,
    encode_line,
)
from nizkbench.plan import grinds
from nizkbench.runner import Answer, Limits, Runner, describe, exchange, run, verify
from nizkbench.statements import StatementDefinition, definition
from nizkbench.tampering import (
    Artifacts,
    Tampering,
    bit_flips,
    flipped,
    key_header,
    other_lengths,
)

SEED = bytes(range(32)).hex()
OTHER_SEED = bytes(range(1, 33)).hex()

#: Enough for any library at these sizes on a slow machine; a hang is still found.
LIMITS = Limits(timeout_seconds=300.0, memory_bytes=8 * 1024**3)

#: How long a proof of work may take before its option counts as accepted, and how long a request
#: that must be refused may take: 32 bits of grinding would take an hour.
PATIENCE = Limits(timeout_seconds=3.0, memory_bytes=8 * 1024**3)

#: The check that a runner makes of a batch by itself.
TAMPERED_BATCH = "reject-tampered-batch"

#: A size that each rule of sizes excludes, within the range of every statement that has the rule.
EXCLUDED_SIZES = {"power-of-two": 3, "power-of-two-minus-one": 16}

ONE_SAMPLE = Stop(warmup=0, minimum=1, maximum=1, seconds=3600.0)

#: A single thread may be seen to use at most this share of one core more than the wall time:
#: the clocks of CPU time tick in microseconds and phases are short.
ONE_THREAD_MOST = 1.10
#: With several threads the second busiest must do at least this share of all work: who did how much
#: does not depend on what else the machine is doing, as CPU time over wall time would.
SECOND_THREAD_LEAST = 0.1


#: What a runner says of a function that is still to be written: `just new-runner` leaves some.
NOT_IMPLEMENTED = "is not implemented yet"

_READ_REQUESTS_TO_RUN: tuple[Literal["run", "classify"], ...] = ("run", "classify")

#: What a library that broke leaves on standard error, which a user should not have to read.
_TRACES = ("panicked at", "goroutine ", "Traceback", "    at ")


@dataclass(frozen=True, slots=True)
class Finding:
    """One promise, whether it was kept, and what was seen."""

    subject: str
    promise: str
    kept: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """A statement of a system of a runner, at the small size that most promises are checked at.

    On so many `threads`: more than one where nothing that is checked depends on them, and keys take
    long.
    """

    runner: Runner
    system: System
    statement: Statement
    threads: int = 1

    @property
    def definition(self) -> StatementDefinition:
        """What the harness knows of the statement."""
        return definition(self.statement.statement)

    @property
    def quick(self) -> dict[str, str]:
        """The variant that promises are checked with which do not depend on it."""
        return self.definition.quick_variant(self.statement)

    @property
    def name(self) -> str:
        """What findings call it."""
        return f"{self.system.system} {self.statement.statement}"

    def request(self, **changes: Any) -> RunRequest:  # noqa: ANN401 - members of RunRequest
        """Make a legal request, changed in some members."""
        request = RunRequest(
            id="conform",
            system=self.system.system,
            statement=self.statement.statement,
            size={self.statement.size.name: self.definition.SMALL},
            variant=self.quick,
            options={},
            threads=self.threads,
            seed=SEED,
            instances="fresh",
            stop=ONE_SAMPLE,
            phases=PHASES,
        )
        return msgspec.structs.replace(request, **changes)

    def measure(self, request: RunRequest) -> Answer:
        """Carry a request out in a process of its own."""
        return run(self.runner, request, limits=LIMITS)

    def finding(self, promise: str, kept: bool, detail: str = "") -> Finding:
        """Report on this subject."""
        return Finding(self.name, promise, kept, detail)


def structure(
    runner: Runner, *, system: str | None = None, statement: str | None = None
) -> Iterator[Finding]:
    """Yield a finding for every promise that can be kept before anything can be proven.

    The description, the command line, requests that must be refused, and files that are no proof,
    over all systems and statements of a runner or those named. `BrokenRunnerError` if the runner
    cannot even be started or described.
    """
    described = describe(runner)
    yield from _description(runner, described)
    yield from _command_line(runner)
    for subject in _subjects(runner, described, system, statement):
        yield from _refused(subject)
        yield from _nonsense(subject)


def unfinished(
    runner: Runner, *, system: str | None = None, statement: str | None = None
) -> Iterator[Finding]:
    """Yield a finding that is not kept for everything that a runner says it has yet to implement.

    A runner says so by the words of `NOT_IMPLEMENTED`: in the error of a request to prove, and in
    the verdict on a proof whose key and public input are as they should be.
    """
    for subject in _subjects(runner, describe(runner), system, statement):
        # A proof that takes longer than this is one that somebody has implemented.
        proven = run(subject.runner, subject.request(), limits=PATIENCE)
        said = {proven.message: "proving", _verdict(subject): "verifying"}
        for sentence, what in said.items():
            if NOT_IMPLEMENTED in sentence:
                yield subject.finding(f"{what} is implemented", False, sentence)


def conform(
    runner: Runner,
    flips: int = 256,
    *,
    system: str | None = None,
    statement: str | None = None,
    every_other_setup: bool = True,
) -> Iterator[Finding]:
    """Yield a finding for every promise of the protocol, over all systems of a runner.

    First the structure, then what a runner has yet to implement, and no more where that is
    anything. The loop, its stop rule, its seeds, its threads and the options of a system are those
    of its first statement; of every other one it is checked what the statement itself decides:
    requests, variants, public inputs and proofs. `system` and `statement` leave out all others.

    `flips` is how many bit positions of each proof are flipped, under every variant. Where a choice
    option (a hash, a field extension) has another value than its default, it is an eighth of them,
    since the proof differs only in part; integer options keep their defaults in these checks.
    The proof and the key of another set-up must be rejected under every variant too; without
    `every_other_setup`, which doubles the time where keys take long, under the first one alone.
    `BrokenRunnerError` if the runner cannot even be started or described.
    """
    yield from structure(runner, system=system, statement=statement)
    left = list(unfinished(runner, system=system, statement=statement))
    yield from left
    if left:
        return
    for subject in _subjects(runner, describe(runner), system, statement):
        if subject.statement is subject.system.statements[0]:
            yield from _malformed_requests(subject)
            yield from _known_answers(subject)
            yield from _loop(subject)
            yield from option_findings(subject)
            yield from _threads(subject)
            yield from _batches(subject)
        for place, variant in enumerate(legal_variants(subject)):
            other_setup = every_other_setup or place == 0
            yield from _proofs(subject, variant, {}, flips, other_setup=other_setup)
        if subject.statement is not subject.system.statements[0]:
            continue
        for option in subject.system.options:
            if option.type == "choice":
                for value in option.values or ():
                    if value != option.default:
                        chosen: dict[str, OptionValue] = {option.name: value}
                        yield from _proofs(subject, subject.quick, chosen, flips // 8)


def _subjects(
    runner: Runner, described: Describe, system: str | None, statement: str | None
) -> Iterator[Subject]:
    """The statements of the systems of a runner, or those named; all but the first on all cores."""
    for offered in described.systems:
        most = offered.threads.maximum or math.inf
        for place, one in enumerate(offered.statements):
            if system not in (None, offered.system) or statement not in (None, one.statement):
                continue
            threads = int(min(most, len(os.sched_getaffinity(0)))) if place else 1
            yield Subject(runner, offered, one, threads)


def variants(statement: Statement) -> list[dict[str, str]]:
    """Return every combination of the variants of a statement."""
    names = [variant.name for variant in statement.variants]
    values = [variant.values for variant in statement.variants]
    return [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*values)]


def legal_variants(subject: Subject) -> list[dict[str, str]]:
    """Those that the system does not refuse, by a named rule, at the size of most promises."""
    found = []
    for variant in variants(subject.statement):
        request = encode_line(subject.request(variant=variant))
        ended = exchange(subject.runner.command("classify"), request, limits=LIMITS)
        answer = json.loads(ended.stdout)
        if answer["type"] == "legal" or not answer.get("rule"):
            found.append(variant)
    return found


# ---- the description and the command line --------------------------------------------------------


@cache
def schema(message: str) -> jsonschema.Draft202012Validator:
    """Return the validator of one message, from `data/schema/`."""
    path = layout.root() / "data" / "schema" / f"{message}.json"
    return jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))


def schema_fault(line: bytes, message: str | None = None) -> str:
    """Say what is wrong with a line as the schema of its type sees it; empty if nothing is."""
    try:
        value = json.loads(line)
        kind = message or value["type"]
        errors = sorted(schema(kind).iter_errors(value), key=str)
    except (ValueError, KeyError, TypeError, OSError) as error:
        return f"{line[:60]!r} is no message of the protocol ({error})"
    return f"{kind}: {errors[0].json_path} {errors[0].message}" if errors else ""


def _description(runner: Runner, described: Describe) -> Iterator[Finding]:
    def finding(promise: str, kept: bool, detail: str = "") -> Finding:
        return Finding(runner.name, promise, kept, detail)

    raw = exchange(runner.command("describe"), b"", limits=LIMITS)
    again = exchange(runner.command("describe"), b"", limits=LIMITS)
    fault = schema_fault(raw.stdout.strip(), "describe")
    yield finding("describe obeys its schema", not fault, fault)
    yield finding("describe says the same twice", raw.stdout == again.stdout)
    for system in described.systems:
        named = [phase.phase for phase in system.phases]
        absent = [phase.phase for phase in system.absent_phases]
        included = {name for phase in system.phases for name in phase.includes}
        accounted = sorted([*named, *absent, *included])
        yield finding(
            f"{system.system}: every phase is timed, included or absent, and only one of these",
            accounted == sorted(PHASES),
            f"timed {named}, included {sorted(included)}, absent {absent}",
        )
        yield finding(
            f"{system.system}: prove and verify are timed",
            {"prove", "verify"} <= set(named),
        )
        bits = int(system.field.modulus, 16).bit_length()
        yield finding(
            f"{system.system}: the field's bits are those of its modulus",
            system.field.bits == bits,
            f"says {system.field.bits}, the modulus has {bits}",
        )
        defaults = [o.name for o in system.options if not o.allows(o.default)]
        yield finding(
            f"{system.system}: every default of an option is legal", not defaults, str(defaults)
        )
        for statement in system.statements:
            wrong = [v.name for v in statement.variants if v.default not in v.values]
            yield finding(
                f"{system.system}: every default of a variant is one of its values",
                not wrong,
                str(wrong),
            )
            standard = {v.name: v.default for v in statement.variants}
            yield finding(
                f"{system.system}: the default variant is sound",
                statement.unsound_check(standard) is None,
            )


def _command_line(runner: Runner) -> Iterator[Finding]:
    program = str(runner.path())
    for arguments in ([], ["prove"], ["describe", "more"]):
        ended = exchange([program, *arguments], b"", limits=LIMITS)
        said = ended.stderr.strip().splitlines()
        yield Finding(
            runner.name,
            f"the command line {arguments} is refused with one sentence and status 2",
            ended.exit_status == 2 and len(said) == 1 and not ended.stdout,
            f"status {ended.exit_status}, {len(said)} lines",
        )
    for verb in ("run", "classify", "verify"):
        ended = exchange([program, verb], b"", limits=LIMITS)
        yield Finding(
            runner.name,
            f"{verb} without a request ends well and says nothing",
            ended.exit_status == 0 and not ended.stdout,
            f"status {ended.exit_status}",
        )


# ---- requests that must be refused ---------------------------------------------------------------


def malformed_requests(subject: Subject) -> list[tuple[str, bytes]]:
    """Return requests that break one rule each, with the rule; every one must be refused."""
    good: dict[str, Any] = json.loads(encode_line(subject.request()))
    good["stop"] = {"warmup": 0, "minimum": 1, "maximum": 1, "seconds": 1.0}
    size = subject.statement.size
    count = iter(range(1000))

    def changed(**members: Any) -> bytes:  # noqa: ANN401 - any JSON
        return json.dumps({**good, "id": f"bad-{next(count)}", **members}).encode()

    def without(member: str) -> bytes:
        return json.dumps(
            {k: v for k, v in {**good, "id": f"bad-{next(count)}"}.items() if k != member}
        ).encode()

    def stop(**members: Any) -> bytes:  # noqa: ANN401 - any JSON
        return changed(stop={**good["stop"], **members})

    requests = [
        ("an empty object", b"{}"),
        ("no JSON", b"prove it"),
        ("a cut-off object", b'{"type":"run","id":"cut'),
        ("an array", b"[1, 2]"),
        ("a number", b"17"),
        ("a string", b'"run"'),
        ("null", b"null"),
        ("two objects on a line", b"{} {}"),
        ("bytes that are no UTF-8", b'{"type":"run","id":"\xff\xfe"}'),
        ("JSON nested 100000 deep", b"[" * 100_000),
        ("a line of more than 4 MiB", b'{"type":"run","id":"' + b"a" * (5 * 1024 * 1024) + b'"}'),
        ("no type", without("type")),
        ("another type", changed(type="verify")),
        ("no id", without("id")),
        ("an empty id", changed(id="")),
        ("an id that is a number", changed(id=7)),
        ("an id of 129 bytes", changed(id="x" * 129)),
        ("an unknown member", changed(speed="fast")),
        ("no system", without("system")),
        ("an unknown system", changed(system="nobody/groth16/nowhere")),
        ("an unknown statement", changed(statement="factoring")),
        ("no size", without("size")),
        ("an empty size", changed(size={})),
        ("a size by another name", changed(size={"bits": 15})),
        ("two sizes", changed(size={size.name: 15, "bits": 15})),
        ("a size below the minimum", changed(size={size.name: size.minimum - 1})),
        ("a size above the maximum", changed(size={size.name: size.maximum + 1})),
        ("a negative size", changed(size={size.name: -15})),
        ("a size that is a string", changed(size={size.name: "15"})),
        ("a size that is no whole number", changed(size={size.name: 15.5})),
        ("a size beyond 64 bits", changed(size={size.name: 2**70})),
        ("an unknown variant", changed(variant={"colour": "blue"})),
        ("a variant that is a number", changed(variant={subject.statement.variants[0].name: 1})),
        (
            "an illegal value of a variant",
            changed(variant={subject.statement.variants[0].name: "sometimes"}),
        ),
        ("an unknown option", changed(options={"turbo": 1})),
        ("no threads", without("threads")),
        ("zero threads", changed(threads=0)),
        ("negative threads", changed(threads=-1)),
        ("threads in words", changed(threads="all")),
        ("no seed", without("seed")),
        ("a short seed", changed(seed="00")),
        ("a seed that is not hexadecimal", changed(seed="g" * 64)),
        ("a seed in upper case", changed(seed="AB" * 32)),
        ("an unknown policy of instances", changed(instances="stale")),
        ("a negative first instance", changed(first_instance=-1)),
        ("no stop rule", without("stop")),
        ("a stop rule with an unknown member", stop(patience=1)),
        ("a minimum of zero samples", stop(minimum=0)),
        ("a maximum below the minimum", stop(minimum=5, maximum=4)),
        ("a maximum beyond a million", stop(maximum=1_000_001)),
        ("a negative warm-up", stop(warmup=-1)),
        ("a warm-up beyond a thousand", stop(warmup=1001)),
        ("zero seconds", stop(seconds=0)),
        ("negative seconds", stop(seconds=-1.0)),
        ("seconds beyond a day", stop(seconds=86401)),
        ("no phases", without("phases")),
        ("an empty list of phases", changed(phases=[])),
        ("an unknown phase", changed(phases=["prove", "celebrate"])),
        ("a batch of one proof", changed(batch=1)),
        ("a batch beyond 1024 proofs", changed(batch=1025)),
        ("a batch in words", changed(batch="many")),
        ("a batch without verify", changed(batch=2, phases=["prove"])),
        ("a folder of artifacts that does not exist", changed(artifacts="/nonexistent/folder")),
    ]
    for option in subject.system.options:
        requests += [
            (f"option {option.name} = {value!r}", changed(options={option.name: value}))
            for value in illegal_values(option)
        ]
    return requests


def illegal_values(option: Option) -> list[OptionValue]:
    """Return values that an option must refuse: outside its range and of the wrong type."""
    if option.type == "choice":
        return ["none-of-these", 1]
    low, high = option.minimum or 0, option.maximum or 0
    between = [] if option.values is None else sorted(set(range(low, high)) - set(option.values))
    return [low - 1, high + 1, "many", *between[:1]]


def _malformed_requests(subject: Subject) -> Iterator[Finding]:
    rules = malformed_requests(subject)
    good = encode_line(subject.request(id="good"))
    again = encode_line(subject.request(id="good"))
    more_threads = encode_line(subject.request(id="threads", threads=2))
    lines = [good, *(line + b"\n" for _, line in rules), again, more_threads]
    lines.append(encode_line(subject.request(id="last")))
    ended = exchange(subject.runner.command("run"), b"".join(lines), limits=LIMITS)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    last_records = [a for a in answers if a["type"] in ("done", "error")]
    expected = len(lines)
    yield subject.finding(
        f"{len(rules) + 2} malformed requests are answered by one record each",
        len(last_records) == expected and len(rules) >= 30,
        f"{expected} requests, {len(last_records)} answers",
    )
    faults = [fault for line in ended.stdout.splitlines() if (fault := schema_fault(line))]
    yield subject.finding("every record obeys its schema", not faults, "; ".join(faults[:2]))
    if len(last_records) == expected:
        refusals = last_records[1:-1]
        names = [rule for rule, _ in rules] + ["an id used twice", "another thread count"]
        for rule, refusal in zip(names, refusals, strict=True):
            message = refusal.get("message", "")
            yield subject.finding(
                f"refused in one sentence: {rule}",
                refusal["type"] == "error"
                and refusal["kind"] == "invalid-request"
                and "\n" not in message
                and 10 <= len(message) <= 400,
                f"{refusal.get('kind', 'done')}: {message}",
            )
        yield subject.finding(
            "a good request is carried out before and after the bad ones",
            last_records[0]["type"] == "done" and last_records[-1]["type"] == "done",
        )
    yield from _classified(subject, lines, last_records)
    yield subject.finding(
        "the exit status is 1 when a request failed",
        ended.exit_status == 1,
        f"status {ended.exit_status}",
    )
    shown = [one for one in _TRACES if one in ended.stderr]
    yield subject.finding("a bad request leaves no traceback", not shown, str(shown))
    if subject.statement.size.rule != "any":
        excluded = EXCLUDED_SIZES[subject.statement.size.rule]
        answer = subject.measure(subject.request(size={subject.statement.size.name: excluded}))
        yield subject.finding(
            "a size that the rule excludes is unsupported, with the rule",
            answer.error_kind == "unsupported" and "power" in answer.message,
            f"{answer.error_kind}: {answer.message}",
        )


def _refused(subject: Subject) -> Iterator[Finding]:
    """Hold both verbs that read requests to run against those that must be refused."""
    rules = malformed_requests(subject)
    lines = b"".join(line + b"\n" for _, line in rules)
    answered = {}
    for verb in _READ_REQUESTS_TO_RUN:
        ended = exchange(subject.runner.command(verb), lines, limits=LIMITS)
        answers = _records(ended.stdout)
        taken = [
            rule
            for (rule, _), answer in zip(rules, answers, strict=False)
            if answer.get("type") != "error" or answer.get("kind") != "invalid-request"
        ]
        yield subject.finding(
            f"{len(rules)} malformed requests are refused by {verb}, in one record each",
            len(answers) == len(rules) and not taken,
            f"{len(answers)} answers, taken: {', '.join(taken[:3])}",
        )
        faults = [fault for line in ended.stdout.splitlines() if (fault := schema_fault(line))]
        yield subject.finding(
            f"every refusal by {verb} obeys its schema", not faults, "; ".join(faults[:2])
        )
        unclear = [
            rule
            for (rule, _), answer in zip(rules, answers, strict=False)
            if not _is_sentence(answer.get("message"))
        ]
        yield subject.finding(
            f"every refusal by {verb} is one sentence", not unclear, ", ".join(unclear[:3])
        )
        yield subject.finding(
            f"the exit status of {verb} is 1 when a request was refused",
            ended.exit_status == 1,
            f"status {ended.exit_status}",
        )
        shown = [one for one in _TRACES if one in ended.stderr]
        yield subject.finding(f"a request refused by {verb} leaves no traceback", not shown)
        answered[verb] = answers
    yield subject.finding(
        "run and classify refuse in the same words", answered["run"] == answered["classify"]
    )
    legal = exchange(
        subject.runner.command("classify"), encode_line(subject.request()), limits=LIMITS
    )
    yield subject.finding(
        "classify takes the defaults of the description at a small size",
        _records(legal.stdout) == [{"type": "legal", "id": "conform"}] and legal.exit_status == 0,
        legal.stdout.decode(errors="replace").strip()[:200],
    )


def _records(written: bytes) -> list[dict[str, Any]]:
    """What a runner wrote, line by line; a line that is no object stands as an empty one."""
    found = []
    for line in written.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        found.append(value if isinstance(value, dict) else {})
    return found


def _is_sentence(message: object) -> bool:
    return isinstance(message, str) and "\n" not in message and 10 <= len(message) <= 400


# ---- files that are no proof ---------------------------------------------------------------------


def _nonsense(subject: Subject) -> Iterator[Finding]:
    """Hand files to `verify` that nobody could take for a proof, and none at all."""
    request = subject.request()
    nonsense = {
        "nothing": b"",
        "an empty object": b"{}",
        "zero bytes": bytes(1000),
        "bytes of ones": b"\xff" * 1000,
        "words": b"this is no proof\n",
    }
    with tempfile.TemporaryDirectory(prefix="nizk-conform-") as folder:
        wanted: list[VerifyRequest] = []
        for name, content in nonsense.items():
            artifacts = Artifacts(proof=content, verifying_key=content, public_input={})
            one = artifacts.request(name, request, Path(folder))
            (Path(folder) / f"{len(wanted)}.json").write_bytes(content)
            wanted.append(msgspec.structs.replace(one, public_input=f"{folder}/{len(wanted)}.json"))
        lines = b"".join(encode_line(one) for one in wanted)
        missing = msgspec.structs.replace(wanted[0], id="missing", proof=f"{folder}/missing")
        ended = exchange(subject.runner.command("verify"), lines, limits=LIMITS)
        refused = exchange(
            subject.runner.command("verify"), encode_line(missing) + b"{}\n", limits=LIMITS
        )
    answers = _records(ended.stdout)
    accepted = [one.get("id") for one in answers if not _is_rejection(one)]
    yield subject.finding(
        f"{len(nonsense)} files that are no proof are rejected, each with a sentence",
        len(answers) == len(nonsense) and not accepted and ended.exit_status == 0,
        f"{len(answers)} answers, status {ended.exit_status}, not rejected: {accepted[:3]}",
    )
    faults = [
        fault
        for line in [*ended.stdout.splitlines(), *refused.stdout.splitlines()]
        if (fault := schema_fault(line))
    ]
    yield subject.finding("every answer of verify obeys its schema", not faults, str(faults[:2]))
    kinds = [one.get("kind") for one in _records(refused.stdout)]
    yield subject.finding(
        "a file that is missing, and an empty object, are errors of the request of verify",
        kinds == ["invalid-request"] * 2 and refused.exit_status == 1,
        f"{kinds}, status {refused.exit_status}",
    )
    shown = [one for one in _TRACES if one in ended.stderr + refused.stderr]
    yield subject.finding("files that are no proof leave no traceback", not shown, str(shown))


def _is_rejection(answer: dict[str, Any]) -> bool:
    rejected = answer.get("type") == "verdict" and answer.get("accepted") is False
    return rejected and _is_sentence(answer.get("reason"))


def _verdict(subject: Subject) -> str:
    """What `verify` says of a zero byte as the proof of what the reference has as public input."""
    full = {one.name: one.default for one in subject.statement.variants} | subject.quick
    request = subject.request(variant=full)
    try:
        public = subject.definition.public_input(subject.system, request, 0)
    except NizkBenchError:
        return ""  # the known answers, of which the field must be one, say so
    artifacts = Artifacts(bytes(1), key_header(request, public), public)
    with tempfile.TemporaryDirectory(prefix="nizk-conform-") as folder:
        wanted = artifacts.request("unfinished", request, Path(folder))
        return verify(subject.runner, [wanted], limits=LIMITS)["unfinished"].reason


def _classified(
    subject: Subject, lines: Sequence[bytes], answers: Sequence[dict[str, Any]]
) -> Iterator[Finding]:
    """Hold `classify` against how `run` ended the same requests."""
    ended = exchange(subject.runner.command("classify"), b"".join(lines), limits=LIMITS)
    classified = ended.stdout.splitlines()
    faults = [fault for line in classified if (fault := schema_fault(line))]
    yield subject.finding("every record of classify obeys its schema", not faults, str(faults[:2]))
    expected = [
        {"type": "legal", "id": answer["id"]} if answer["type"] == "done" else answer
        for answer in answers
    ]
    seen = [json.loads(line) for line in classified]
    differing = [(s, e) for s, e in zip(seen, expected, strict=False) if s != e]
    yield subject.finding(
        "classify refuses what run refuses, in the same words, and nothing else",
        seen == expected and ended.exit_status == 1,
        f"{len(seen)} answers to {len(expected)} requests, status {ended.exit_status},"
        f" differing: {differing[:1]}",
    )


# ---- what is proven ------------------------------------------------------------------------------


def _public_input(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "public_input.json").read_bytes())
    return value


def _known_answers(subject: Subject) -> Iterator[Finding]:
    try:
        answers = list(subject.definition.known_answers(subject.system))
    except NizkBenchError as error:
        yield subject.finding("the field is one of the known answers", False, str(error))
        return
    wrong, proven = [], 0
    for members, known in answers:
        size = ", ".join(str(value) for value in members["size"].values())
        with tempfile.TemporaryDirectory(prefix="nizk-conform-") as folder:
            measured = subject.measure(subject.request(**members, artifacts=folder))
            if measured.error_kind == "unsupported" and len(measured.message) > 20:
                continue  # a size that the system's library cannot take, by a named rule
            if measured.outcome != "done":
                wrong.append(f"{size}: {measured.message}")
                continue
            public = _public_input(Path(folder))
        proven += 1
        seen = subject.definition.answered(public)
        if seen != known:
            wrong.append(f"{size}: {seen} instead of {known}")
    yield subject.finding(
        f"{len(answers)} known answers are proven, or unsupported by a named rule",
        proven > 0 and not wrong,
        "; ".join(wrong[:2]),
    )


# ---- the loop ------------------------------------------------------------------------------------


def _samples(answer: Answer, phase: str) -> list[Sample]:
    return [r for r in answer.records if isinstance(r, Sample) and r.phase == phase]


def _loop(subject: Subject) -> Iterator[Finding]:
    timed = [phase.phase for phase in subject.system.phases]
    fresh = subject.measure(
        subject.request(stop=Stop(warmup=2, minimum=1, maximum=4, seconds=3600.0), first_instance=5)
    )
    proofs = _samples(fresh, "prove")
    yield subject.finding(
        "the maximum ends the loop: two to warm up and four that count",
        [s.warmup for s in proofs] == [True] * 2 + [False] * 4
        and [s.sample for s in proofs] == list(range(6))
        and fresh.done is not None
        and (fresh.done.stopped_by, fresh.done.samples) == ("maximum", 4),
        f"{fresh.outcome} {fresh.message} {fresh.done}",
    )
    yield subject.finding(
        "fresh instances count up from the first",
        [s.instance for s in proofs] == list(range(5, 11)),
        str([s.instance for s in proofs]),
    )
    seen = {r.phase for r in fresh.records if isinstance(r, Sample)}
    yield subject.finding(
        "exactly the phases of the description are timed",
        seen == set(timed),
        f"{sorted(seen)} against {sorted(timed)}",
    )
    once = [s for p in ("compile", "setup") for s in _samples(fresh, p)]
    yield subject.finding(
        "compile and setup are timed once, without an instance",
        all(s.sample == 0 and s.instance is None and not s.warmup for s in once)
        and len(once) == len({"compile", "setup"} & set(timed)),
    )
    memory = [r.peak_rss_bytes for r in fresh.records if isinstance(r, Sample)]
    can_reset = os.access("/proc/self/clear_refs", os.W_OK)
    yield subject.finding(
        "peak memory is measured, or null where it cannot be",
        all((m is not None and m > 2**20) if can_reset else m is None for m in memory),
        str(memory[:3]),
    )
    quick = subject.measure(
        subject.request(stop=Stop(warmup=1, minimum=3, maximum=50, seconds=1e-9))
    )
    yield subject.finding(
        "the seconds end the loop, but not before the minimum",
        quick.done is not None
        and (quick.done.stopped_by, quick.done.samples) == ("seconds", 3)
        and len(_samples(quick, "prove")) == 4,
        f"{quick.outcome} {quick.message} {quick.done}",
    )
    long = subject.measure(
        subject.request(stop=Stop(warmup=0, minimum=1, maximum=100_000, seconds=0.3))
    )
    spent = sum(s.wall_ns for p in PHASES[2:] for s in _samples(long, p)) / 1e9
    last = sum(_samples(long, p)[-1].wall_ns for p in PHASES[2:] if _samples(long, p)) / 1e9
    yield subject.finding(
        "the seconds are those of the timed phases",
        long.done is not None and long.done.stopped_by == "seconds" and spent >= 0.3 > spent - last,
        f"{spent:.4f} s in all, {last:.4f} s the last",
    )
    fixed = subject.measure(
        subject.request(
            instances="fixed",
            first_instance=9,
            stop=Stop(warmup=1, minimum=3, maximum=3, seconds=3600.0),
        )
    )
    yield subject.finding(
        "a fixed instance stays the same",
        [s.instance for s in _samples(fixed, "prove")] == [9] * 4,
    )
    yield from _phases(subject)
    yield from _seeds(subject)
    yield from _sizes(subject, fresh)


def _phases(subject: Subject) -> Iterator[Finding]:
    timed = [phase.phase for phase in subject.system.phases]
    stop = Stop(warmup=0, minimum=2, maximum=2, seconds=3600.0)

    def seen(phases: tuple[PhaseName, ...]) -> tuple[set[str], Done | None, int]:
        answer = subject.measure(subject.request(phases=phases, stop=stop))
        samples = [r for r in answer.records if isinstance(r, Sample)]
        return {s.phase for s in samples}, answer.done, len(samples)

    yield subject.finding("prove alone is recorded alone", seen(("prove",))[::2] == ({"prove"}, 2))
    yield subject.finding(
        "verify alone is recorded alone, over one proof", seen(("verify",))[::2] == ({"verify"}, 2)
    )
    phases, done, _ = seen(("compile", "setup"))
    yield subject.finding(
        "without witness, prove and verify there is no loop",
        phases == {"compile", "setup"} & set(timed)
        and done is not None
        and (done.stopped_by, done.samples) == ("no-loop", 0),
        f"{phases} {done}",
    )


def _batches(subject: Subject) -> Iterator[Finding]:
    answer = subject.measure(
        subject.request(batch=3, stop=Stop(warmup=1, minimum=2, maximum=2, seconds=3600.0))
    )
    if not subject.system.properties.batch_verification.supported:
        refusal = answer.records[-1] if answer.records else None
        yield subject.finding(
            "proofs to be verified together are unsupported, as described",
            isinstance(refusal, RunnerError)
            and (refusal.kind, refusal.rule) == ("unsupported", "no-batch-verification"),
            f"{answer.outcome} {answer.error_kind} {answer.message}",
        )
        return
    batches = _samples(answer, "verify-batch")
    yield subject.finding(
        "three proofs are verified together, one batch to warm up and two that count",
        [(s.sample, s.instance, s.warmup) for s in batches]
        == [(0, None, True), (1, None, False), (2, None, False)],
        f"{answer.outcome} {answer.message} {batches}",
    )
    yield subject.finding(
        "the batch is rejected with any fault in it",
        [r.passed for r in answer.records if isinstance(r, Check) and r.check == TAMPERED_BATCH]
        == [True],
    )
    yield subject.finding(
        "the number of proofs in the batch is counted",
        [r.value for r in answer.records if isinstance(r, Counter) and r.name == "batch"] == [3],
    )


def _seeds(subject: Subject) -> Iterator[Finding]:
    def public(seed: str, warmup: int) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="nizk-conform-") as folder:
            stop = Stop(warmup=warmup, minimum=2, maximum=2, seconds=3600.0)
            subject.measure(subject.request(seed=seed, artifacts=folder, stop=stop))
            return _public_input(Path(folder))

    first, again, warm, other = (
        public(SEED, 0),
        public(SEED, 0),
        public(SEED, 1),
        public(OTHER_SEED, 0),
    )
    yield subject.finding("the same seed gives the same public input", first == again)
    yield subject.finding(
        "another seed gives another public input",
        subject.definition.differs_by_seed(first, other),
    )
    expected = subject.definition.public_input(subject.system, subject.request(), 1)
    yield subject.finding(
        "the artifacts are those of the first sample that counts",
        warm == expected != first,
    )


def _sizes(subject: Subject, answer: Answer) -> Iterator[Finding]:
    sizes = [r for r in answer.records if isinstance(r, Size)]
    proofs = [s for s in sizes if s.of == "proof"]
    varies = subject.system.proof_size == "varies"
    yield subject.finding(
        "the proof's size is recorded, per sample where it varies",
        bool(proofs) and all((s.sample is not None) == varies for s in proofs),
        str(proofs[:2]),
    )
    yield subject.finding(
        "no size is zero but that of something that does not exist",
        all(s.bytes > 0 for s in sizes),
        str([s for s in sizes if not s.bytes]),
    )
    with tempfile.TemporaryDirectory(prefix="nizk-conform-") as folder:
        again = subject.measure(subject.request(artifacts=folder))
        proof = (Path(folder) / "proof.bin").stat().st_size
        key = (Path(folder) / "verifying_key.bin").stat().st_size - 32
        measured = [r for r in again.records if isinstance(r, Size)]
        yield subject.finding(
            "the proof is as long as its recorded size",
            proof in {s.bytes for s in measured if s.of == "proof"},
            f"{proof} bytes on disk, recorded {[s.bytes for s in measured if s.of == 'proof']}",
        )
        keys = {s.bytes for s in measured if s.of == "verifying_key"}
        yield subject.finding(
            "the verifying key is as long as its recorded size, without the header",
            key in keys if keys else key == 0,
            f"{key} bytes on disk, recorded {sorted(keys)}",
        )
    names = [(r.name, r.sample) for r in answer.records if isinstance(r, Counter)]
    yield subject.finding("no counter is written twice", len(names) == len(set(names)))


# ---- options and threads -------------------------------------------------------------------------


def option_findings(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for both ends of every option's range, and for every choice."""
    for option in subject.system.options:
        if option.type == "choice":
            values: Sequence[OptionValue] = option.values or ()
        else:
            legal = option.values or (option.minimum or 0, option.maximum or 0)
            values = sorted({legal[0], legal[-1]}, key=int)
        for value in values:
            # Proof of work alone may take as long as it likes.
            grinding = grinds({option.name: value})
            answer = run(
                subject.runner,
                subject.request(options={option.name: value}),
                limits=PATIENCE if grinding else LIMITS,
            )
            yield subject.finding(
                f"option {option.name} = {value} is proven, or unsupported by a named rule"
                + (f", or still sought after {PATIENCE.timeout_seconds:g} s" if grinding else ""),
                answer.outcome == "done"
                or (grinding and answer.outcome == "timeout")
                or (answer.error_kind == "unsupported" and len(answer.message) > 20),
                f"{answer.outcome} {answer.error_kind or ''} {answer.message}",
            )


def _threads(subject: Subject) -> Iterator[Finding]:
    cores = len(os.sched_getaffinity(0))
    size = {subject.statement.size.name: subject.definition.LARGER}

    stop = Stop(warmup=1, minimum=2, maximum=50, seconds=1.0)

    # The runner alone enforces its limit: no affinity is set from outside.
    answer = subject.measure(subject.request(threads=1, size=size, stop=stop))
    samples = [s for s in _samples(answer, "prove") if not s.warmup]
    wall = sum(s.wall_ns for s in samples)
    share = sum(s.user_ns + s.system_ns for s in samples) / wall if wall else math.nan
    yield subject.finding(
        "one thread is one thread, without any affinity set from outside",
        share <= ONE_THREAD_MOST,
        f"CPU over wall {share:.3f} {answer.message}",
    )
    most = subject.system.threads.maximum
    if most is not None:
        refused = run(subject.runner, subject.request(threads=most + 1), limits=PATIENCE)
        yield subject.finding(
            f"{most + 1} threads, one more than the system can use, are refused",
            refused.error_kind == "invalid-request",
            f"{refused.outcome} {refused.message}",
        )
    if most is None or most > cores:
        refused = run(subject.runner, subject.request(threads=cores + 1), limits=PATIENCE)
        yield subject.finding(
            f"{cores + 1} threads, one more than there are processors, are unsupported",
            refused.error_kind == "unsupported"
            and refused.message.startswith(
                f"threads is {cores + 1}, supported are at most {cores},"
            ),
            f"{refused.outcome} {refused.message}",
        )
    if cores == 1 or most == 1:
        return  # one core, or one thread, cannot show more; `doctor` says so
    ticks: dict[int, int] = {}
    answer = run(
        subject.runner,
        subject.request(threads=cores, size=size, stop=stop),
        limits=LIMITS,
        watch=lambda: ticks.update(_cpu_of_child_threads()),
    )
    by_thread = sorted(ticks.values(), reverse=True)
    second = by_thread[1] / sum(by_thread) if len(by_thread) > 1 else 0.0
    yield subject.finding(
        f"{cores} threads share the work",
        second >= SECOND_THREAD_LEAST,
        f"the second busiest of {len(by_thread)} did {second:.0%} {answer.message}",
    )


def _cpu_of_child_threads() -> dict[int, int]:
    """CPU time of every thread of this process's children so far, in clock ticks, by thread."""
    ticks = {}
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text().split():
            for thread in Path(f"/proc/{child}/task").glob("*"):
                try:
                    # Behind the name in parentheses: fields 14 and 15 of proc_pid_stat(5).
                    fields = (thread / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue  # it has just ended
                ticks[int(thread.name)] = int(fields[11]) + int(fields[12])
    return ticks


# ---- what is accepted and what is rejected -------------------------------------------------------


def _proofs(
    subject: Subject,
    variant: dict[str, str],
    options: dict[str, OptionValue],
    flips: int,
    *,
    other_setup: bool = True,
) -> Iterator[Finding]:
    chosen = ", ".join(f"{k}={v}" for k, v in {**variant, **options}.items()) or "defaults"
    full = {v.name: variant.get(v.name, v.default) for v in subject.statement.variants}
    declared = subject.statement.unsound_check(full)
    with (
        tempfile.TemporaryDirectory(prefix="nizk-conform-") as folder,
        tempfile.TemporaryDirectory(prefix="nizk-conform-") as elsewhere,
    ):
        request = subject.request(variant=variant, options=options, artifacts=folder)
        other = subject.request(
            variant=variant, options=options, artifacts=elsewhere, seed=OTHER_SEED
        )
        for wanted in (request, other) if other_setup else (request,):
            answer = subject.measure(wanted)
            if answer.outcome != "done":
                yield subject.finding(f"{chosen}: is proven", False, answer.message)
                return
        artifacts = Artifacts.read(Path(folder))
        known = subject.definition.public_input(subject.system, request, 0)
        yield subject.finding(
            f"{chosen}: the public input is that of the reference",
            artifacts.public_input == known,
            f"{artifacts.public_input} instead of {known}"[:400],
        )
        foreign = Artifacts.read(Path(elsewhere)) if other_setup else artifacts
        malleable = {bit for m in subject.system.malleable for bit in m.bits}
        cases: dict[str, list[Tampering]] = {
            "reject-bit-flips": [t for t in bit_flips(artifacts, flips) if t.bit not in malleable],
            "reject-other-lengths": other_lengths(artifacts),
            "reject-misshapen-public-input": subject.definition.misshapen_public_inputs(
                artifacts, subject.system.field.order
            ),
            "reject-another-proof": [
                Tampering("the proof of another instance", replace(artifacts, proof=foreign.proof))
            ]
            if other_setup
            else [],
            "reject-another-key": [
                Tampering(
                    "the key of another set-up",
                    replace(artifacts, verifying_key=foreign.verifying_key),
                )
            ]
            if foreign.verifying_key != artifacts.verifying_key
            else [],
            "accept-malleable": [flipped(artifacts, bit) for bit in sorted(malleable)],
            "accept-in-other-process": [Tampering("nothing", artifacts)],
        }
        cases |= subject.definition.wrong_public_inputs(artifacts, subject.system.field.order)
        verdicts = _judge(subject, request, cases)
    for check, tamperings in cases.items():
        if not tamperings:
            continue
        accepted = [t.what for t in tamperings if verdicts[(check, t.what)]]
        if check.startswith("accept"):
            kept = len(accepted) == len(tamperings)
            detail = f"{len(tamperings) - len(accepted)} of {len(tamperings)} rejected"
        elif check == declared:
            kept = bool(accepted)
            detail = "declared unsound, but this check does not fail" if not kept else "as declared"
        else:
            kept = not accepted
            detail = f"accepted: {', '.join(accepted[:3])}" if accepted else ""
        promise = f"fails {check}, as declared" if check == declared else check
        yield subject.finding(f"{chosen}: {promise} ({len(tamperings)})", kept, detail)


def _judge(
    subject: Subject, request: RunRequest, cases: dict[str, list[Tampering]]
) -> dict[tuple[str, str], bool]:
    """Let a fresh process judge every tampered proof."""
    with tempfile.TemporaryDirectory(prefix="nizk-conform-") as folder:
        requests: dict[str, tuple[tuple[str, str], Artifacts]] = {}
        for check, tamperings in cases.items():
            for tampering in tamperings:
                name = f"{len(requests)}"
                requests[name] = ((check, tampering.what), tampering.artifacts)
        verdicts = verify(
            subject.runner,
            [
                artifacts.request(name, request, Path(folder))
                for name, (_, artifacts) in requests.items()
            ],
            limits=LIMITS,
        )
        return {key: verdicts[name].accepted for name, (key, _) in requests.items()}
