"""Timing the published proofs again, in randomised blocks, each proof's options in a new process.

The program `nizk-published-p1` is no runner: the protocol lets a request choose a seed, and the
published instance is not one that a seed of ours gives. It times what the protocol calls witness
and prove. `nizkbench.trials` starts it and keeps what it says in `published.jsonl`.

When all is timed, `published.parquet` has one row a counted proof, with the columns of
`nizkbench.p1_published.SCHEMA`.
"""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
from msgspec.structs import asdict

from nizkbench.manifest import file_hash
from nizkbench.measure import stoppable
from nizkbench.messages import OptionValue
from nizkbench.p1_published import (
    ALONE,
    DEFAULTS,
    SCHEMA,
    TABLE,
    TOGETHER,
    Options,
    PublishedError,
    changed_alone,
    compared,
    options_words,
    picks,
    refuse_other_attempts,
    table_of,
    timed,
)
from nizkbench.plan import canonical_json
from nizkbench.profile import P1Grinding
from nizkbench.progress import RunProgress
from nizkbench.runner import Exchange
from nizkbench.trials import Begun, Trial, Work, how_it_ended, journal_of, keep, program_path

#: The program that makes the published proofs.
PROGRAM = "nizk-published-p1"

JOURNAL = "published.jsonl"

#: Proofs of a process that only warm up.
WARMUP = 1

#: Of a proof with more bits of grinding than the default a process takes this part of the samples:
#: it takes sixteen times as long, and scatters no more.
PART_OF_LONG, FEWEST_OF_LONG = 4, 3


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    pass


class PublishedSample(_Line, frozen=True, tag="sample"):
    """One proof; times in nanoseconds, processor time of witness and prove together."""

    sample: int
    warmup: bool
    witness_ns: int
    prove_ns: int
    user_ns: int
    system_ns: int
    attempts: int
    proof_bytes: int


class _Done(_Line, frozen=True, tag="done"):
    pass


class _Error(_Line, frozen=True, tag="error"):
    message: str


_ANSWERS: msgspec.json.Decoder[PublishedSample | _Done | _Error] = msgspec.json.Decoder(
    PublishedSample | _Done | _Error
)
_JOURNAL: msgspec.json.Decoder[Begun | Trial[PublishedSample]] = msgspec.json.Decoder(
    Begun | Trial[PublishedSample]
)


def measure_published(
    parameters: P1Grinding, folder: Path, progress: RunProgress | None = None
) -> pl.DataFrame:
    """Time the published proofs, or what is still missing of them, and return the table (`SCHEMA`).

    `folder` is that of the run; the table and the journal are kept there, and its manifest, if it
    has one, says when and with which program. `TrialsError` says why a proof could not be timed,
    `InterruptedRunError` that somebody stopped it; what has been timed is kept in either case.
    """
    program = program_path(PROGRAM, "the program that makes the published proofs")
    decided_by = {name: getattr(parameters, name) for name in ("seed", "blocks", "samples")}
    shown = progress or RunProgress(folder.name)
    with journal_of(folder / JOURNAL, Begun(file_hash(program), decided_by), _JOURNAL) as journal:

        def kept() -> str:
            return (
                f"the {len(journal.trials)} processes with published proofs so far are kept,"
                " `nizkbench p1-grinding` goes on"
            )

        with shown, stoppable(kept) as stop_if_asked:
            carry_out = partial(
                journal.carry_out,
                seed=parameters.seed,
                blocks=parameters.blocks,
                limits=parameters.limits,
                progress=shown,
                stop_if_asked=stop_if_asked,
            )

            def works(wanted: Sequence[Options]) -> list[Work[PublishedSample]]:
                return [_work(program, options, parameters.samples) for options in wanted]

            carry_out(ALONE, works(changed_alone()))
            together = compared(picks(timed(_table(journal.trials), ALONE))).values()
            carry_out(TOGETHER, works(_distinct(list(together))))
        table = _table(journal.trials)
        keep(table, folder / TABLE, journal.description(), "published")
        return table


def samples_of(options: Options, samples: int) -> int:
    """How many counted proofs a process makes where others make `samples`."""
    if int(options["grinding"]) <= int(DEFAULTS["grinding"]):
        return samples
    return min(samples, max(FEWEST_OF_LONG, samples // PART_OF_LONG))


def _work(program: Path, options: Options, samples: int) -> Work[PublishedSample]:
    """A process that makes the proof with these options, named by them."""
    number = samples_of(options, samples)
    request = {"options": dict(options), "warmup": WARMUP, "samples": number}
    return Work(
        name=canonical_json(dict(options)),
        words=f"published proofs, {options_words(options)}",
        command=(str(program),),
        request=msgspec.json.encode(request) + b"\n",
        read=partial(samples_from, options=options, samples=number),
    )


def samples_from(
    exchanged: Exchange, options: Options, samples: int
) -> tuple[PublishedSample, ...]:
    """What a process said of its proofs; `PublishedError` unless that is whole and as on record."""

    def failed(why: str) -> PublishedError:
        return PublishedError(
            f"the published proof with {options_words(options)} could not be timed: {why}"
        )

    if exchanged.ending != "exit":
        raise failed(how_it_ended(exchanged, PROGRAM))
    answers = []
    for line in exchanged.stdout.splitlines():
        try:
            answers.append(_ANSWERS.decode(line))
        except msgspec.MsgspecError as error:
            raise failed(f"{PROGRAM} wrote a line that is none of its answers ({error})") from error
    last = answers[-1] if answers else None
    if isinstance(last, _Error):
        raise failed(last.message)
    if exchanged.exit_status != 0 or not isinstance(last, _Done):
        raise failed(how_it_ended(exchanged, PROGRAM))
    proofs = tuple(one for one in answers if isinstance(one, PublishedSample))
    if len(proofs) != WARMUP + samples:
        raise failed(f"{PROGRAM} made {len(proofs)} proofs, {WARMUP + samples} were asked for")
    if sum(one.witness_ns + one.prove_ns for one in proofs) > exchanged.wall_ns:
        raise failed("its phases add up to more than the life of the process")
    for one in proofs:
        refuse_other_attempts(options, one.attempts)
    return proofs


def _table(trials: Sequence[Trial[PublishedSample]]) -> pl.DataFrame:
    return table_of(
        [
            {
                "stage": trial.stage,
                **_options_of(trial),
                "block": trial.block,
                **{name: value for name, value in asdict(one).items() if name in SCHEMA},
            }
            for trial in trials
            for one in trial.samples
            if not one.warmup
        ]
    )


def _options_of(trial: Trial[PublishedSample]) -> dict[str, OptionValue]:
    options: dict[str, Any] = json.loads(trial.name)
    return options


def _distinct(wanted: Sequence[Options]) -> list[Options]:
    """Each of these options once, in their order."""
    found: list[Options] = []
    for options in wanted:
        if options not in found:
            found.append(options)
    return found
