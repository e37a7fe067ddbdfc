"""Requests: read strictly, validated against what the runner describes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from nizk_protocol.configuration import Configuration
from nizk_protocol.description import PHASES, ChoiceOption, Option, Phase, Statement
from nizk_protocol.failure import Failure
from nizk_protocol.seed import Seed
from nizk_protocol.strict_json import (
    Json,
    JsonError,
    Members,
    is_integer,
    listed,
    parse_json,
    quoted,
    shown,
    within,
)
from nizk_protocol.system import System

#: Longest line in bytes, its end not counted.
LONGEST_LINE = 4 * 2**20

_LONGEST_ID = 128
_GREATEST_INDEX = 2**64 - 1
_MOST_THREADS = 2**32 - 1
_MOST_SAMPLES = 1_000_000
_MOST_SECONDS = 86_400

_RUN_MEMBERS = (
    "type, id, system, statement, size, variant, options, threads, seed, instances,"
    " first_instance, stop, phases, batch, artifacts"
)
_VERIFY_MEMBERS = (
    "type, id, system, statement, size, variant, options, public_input, verifying_key, proof"
)


#: How many proofs a request may ask to be verified together.
_FEWEST_TOGETHER, _MOST_TOGETHER = 2, 1024


@dataclass(frozen=True, slots=True)
class Stop:
    """When a loop ends."""

    warmup: int
    minimum: int
    maximum: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A request of `RUNNER run`."""

    system: System
    configuration: Configuration
    seed: Seed
    instances: Literal["fresh", "fixed"]
    first_instance: int
    stop: Stop
    phases: tuple[Phase, ...]
    artifacts: Path | None


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """A request of `RUNNER verify`, its files by their paths."""

    system: System
    configuration: Configuration
    public_input: str
    verifying_key: str
    proof: str


class Envelope:
    """A line that is an object with an `id`: as far as every answer must be able to name it."""

    def __init__(self, line: bytes) -> None:
        if len(line) > LONGEST_LINE:
            raise Failure.invalid_request(
                None, f"the line is longer than {LONGEST_LINE} bytes, which is the longest legal"
            )
        self._members = Members.of(_parse(line))
        legal = f"a string of 1 to {_LONGEST_ID} bytes"
        self.id = self._members.text("id", legal)
        if not 0 < len(self.id.encode()) <= _LONGEST_ID:
            raise self._members.wrong("id", self.id, legal)

    def into_run(self, systems: Sequence[System]) -> RunRequest:
        """Read the rest as a request to run."""
        members = self._members
        members.choice("type", ["run"])
        system, cell = _cell(members, systems)
        most = system.description.threads_maximum or _MOST_THREADS
        threads = members.integer("threads", 1, most)
        seed = _seed(members)
        instances: Literal["fresh", "fixed"] = (
            "fresh" if members.choice("instances", ["fresh", "fixed"]) == "fresh" else "fixed"
        )
        stop = _stop(members)
        first_instance = _first_instance(members, stop)
        phases = _phases(members)
        _refuse_batch(members, system, phases)
        artifacts = _artifacts(members)
        members.finish(_RUN_MEMBERS)
        return RunRequest(
            system,
            replace(cell, threads=threads),
            seed,
            instances,
            first_instance,
            stop,
            phases,
            artifacts,
        )

    def into_verify(self, systems: Sequence[System]) -> VerifyRequest:
        """Read the rest as a request to verify."""
        members = self._members
        members.choice("type", ["verify"])
        system, cell = _cell(members, systems)
        public_input, verifying_key, proof = (
            members.text(name, "the path of a file")
            for name in ("public_input", "verifying_key", "proof")
        )
        members.finish(_VERIFY_MEMBERS)
        return VerifyRequest(system, cell, public_input, verifying_key, proof)


def _parse(line: bytes) -> Json:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise Failure.invalid_request(
            None, "the line is not UTF-8, legal is JSON in UTF-8"
        ) from None
    try:
        return parse_json(text)
    except JsonError as error:
        raise Failure.invalid_request(
            None, f"the line is not a legal JSON object: {error}"
        ) from None


def _cell(members: Members, systems: Sequence[System]) -> tuple[System, Configuration]:
    """What `run` and `verify` have in common: system, statement, size, variant and options."""
    by_name = {system.description.system: system for system in systems}
    name = members.choice("system", list(by_name))
    description = by_name[name].description
    statements = {one.statement: one for one in description.statements}
    statement = statements[members.choice("statement", list(statements))]
    return by_name[name], Configuration(
        system=name,
        statement=statement.statement,
        size=_size(members, statement),
        variant=_variant(members, statement),
        options=_options(members, description.options),
    )


def _size(members: Members, statement: Statement) -> int:
    given = members.object("size")
    size = given.integer(statement.size_name, statement.minimum, statement.maximum)
    given.finish(statement.size_name)
    return size


def power_of_two_minus_one(statement: Statement, size: int) -> None:
    """Refuse a size that the rule of a statement excludes."""
    if statement.rule == "power-of-two-minus-one" and size & (size + 1):
        name = f"size.{statement.size_name}"
        raise Failure.unsupported(
            "power-of-two-minus-one",
            name,
            f"{name} is {size}, supported are powers of two minus one from {statement.minimum} to"
            f" {statement.maximum}",
        )


def _variant(members: Members, statement: Statement) -> dict[str, str]:
    given = members.object("variant")
    chosen = {
        one.name: given.choice(one.name, one.values) if one.name in given else one.default
        for one in statement.variants
    }
    given.finish(listed([one.name for one in statement.variants]))
    return chosen


def _options(members: Members, described: Sequence[Option]) -> dict[str, int | str]:
    """Read the options; PROTOCOL.md names one at fault by its own name alone."""
    given = members.object("options")
    chosen = {
        one.name: _option(one, given.require(one.name, "")) if one.name in given else one.default
        for one in described
    }
    try:
        given.finish(listed([one.name for one in described]))
    except Failure as failure:
        option = (failure.option or "").removeprefix("options.")
        raise Failure.invalid_request(option, failure.message) from None
    return chosen


def _option(option: Option, value: Json) -> int | str:
    if isinstance(option, ChoiceOption):
        legal = listed(option.values)
        if isinstance(value, str) and value in option.values:
            return value
    else:
        legal = listed(option.values) if option.values else within(option.minimum, option.maximum)
        if isinstance(value, int) and is_integer(value) and option.legal(value):
            return value
    raise Failure.invalid_request(
        option.name, f"option {option.name} is {shown(value)}, legal is {legal}"
    )


def _seed(members: Members) -> Seed:
    legal = "64 lower-case hexadecimal digits"
    text = members.text("seed", legal)
    seed = Seed.parse(text)
    if seed is None:
        raise members.wrong("seed", text, legal)
    return seed


def _stop(members: Members) -> Stop:
    given = members.object("stop")
    warmup = given.integer("warmup", 0, 1000)
    minimum = given.integer("minimum", 1, _MOST_SAMPLES)
    maximum = given.integer("maximum", 1, _MOST_SAMPLES)
    if maximum < minimum:
        legal = f"an integer from stop.minimum, which is {minimum}, to {_MOST_SAMPLES}"
        raise given.wrong("maximum", maximum, legal)
    legal = f"a number above 0 and at most {_MOST_SECONDS}"
    seconds = given.require("seconds", legal)
    if (
        isinstance(seconds, bool)
        or not isinstance(seconds, int | float)
        or not 0 < seconds <= _MOST_SECONDS
    ):
        raise given.wrong("seconds", seconds, legal)
    given.finish("warmup, minimum, maximum, seconds")
    return Stop(warmup, minimum, maximum, float(seconds))


def _first_instance(members: Members, stop: Stop) -> int:
    """The first instance leaves room for all the loop may use after it."""
    greatest = _GREATEST_INDEX - stop.warmup - stop.maximum
    if "first_instance" not in members:
        return 0
    return members.integer("first_instance", 0, greatest)


def _phases(members: Members) -> tuple[Phase, ...]:
    legal = f"a non-empty array of {listed(PHASES)}, each at most once"
    given = members.require("phases", legal)
    if not isinstance(given, list) or not given:
        raise members.wrong("phases", given, legal)
    phases: list[Phase] = []
    for item in given:
        phase = next((one for one in PHASES if one == item), None)
        if phase is None or phase in phases:
            what = shown(item) if phase is None else f"{phase} twice"
            raise Failure.invalid_request("phases", f"phases has {what}, legal is {legal}")
        phases.append(phase)
    return tuple(phases)


def _refuse_batch(members: Members, system: System, phases: Sequence[Phase]) -> None:
    """Refuse proofs to be verified together, which no library behind this package does."""
    if "batch" not in members:
        return
    batch = members.integer("batch", _FEWEST_TOGETHER, _MOST_TOGETHER)
    if "verify" not in phases:
        raise Failure.invalid_request(
            "batch", f"batch is {batch}, legal is none without verify among the phases"
        )
    raise Failure.unsupported(
        "no-batch-verification",
        "batch",
        f"batch is {batch}, supported is none, since {system.description.system} verifies proofs"
        " one by one",
    )


def _artifacts(members: Members) -> Path | None:
    if "artifacts" not in members:
        return None
    legal = "the path of an existing folder"
    text = members.text("artifacts", legal)
    if "\0" in text or not Path(text).is_dir():
        raise Failure.invalid_request("artifacts", f"artifacts is {quoted(text)}, legal is {legal}")
    return Path(text)
