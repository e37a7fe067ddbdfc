"""The proofs that earlier work published, timed again: which they are, and what is kept of them.

El-Hajj and Oude Roelink (2024) proved one instance with winterfell 0.8.1, first with default
options, then with one option changed at a time, and last with the best of each together. The
library draws no randomness, so that these very proofs can be made again
(`provers/winterfell-0-8/src/published.rs`), with the attempts at the proof of work that theirs took
(`data/vectors/p1-attempts.json`). `nizkbench.p1_published_measure` times them in two stages:

- `alone`: every option changed alone, at every level that earlier work had.
- `together`: the default, the remainder degree alone, and the picks of earlier work's rule
  together, once all of them and once with the bits of grinding kept, since it is not known which
  was meant.

The rule is plain: of every option the level with the lowest time to proof, the others at their
defaults, by the geometric mean over blocks. Picks are made from the first stage and timed in the
second, so that none of the times compared is the lowest of many. All times are nanoseconds.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from nizkbench import layout
from nizkbench.cells import OPTIONS
from nizkbench.choice import EARLIER_CHANGED, EARLIER_DEFAULT
from nizkbench.errors import NizkBenchError
from nizkbench.intervals import Floats
from nizkbench.messages import OptionValue

#: The version and the size of the published proofs.
PUBLISHED_VERSION, PUBLISHED_ROUNDS = "0.8.1", 255

#: The stages of the experiment.
ALONE, TOGETHER = "alone", "together"

#: The remainder degree that earlier work found to help more, alone, than all best options together.
REMAINDER = 255

#: Fewer blocks have no interval worth the name.
FEWEST_BLOCKS = 3

#: The options that a published proof has, as columns.
CHANGED: dict[str, pl.DataType | type[pl.DataType]] = {
    name: OPTIONS[name] for name in EARLIER_CHANGED
}

#: The table beside the others of a run.
TABLE = "published.parquet"

#: One row a counted proof. Times are of PROTOCOL.md's phases, processor time is of both.
SCHEMA = pl.Schema(
    {
        "stage": pl.String,
        **CHANGED,
        "block": pl.Int64,
        "sample": pl.Int64,
        "witness_ns": pl.Int64,
        "prove_ns": pl.Int64,
        "user_ns": pl.Int64,
        "system_ns": pl.Int64,
        "attempts": pl.Int64,
        "proof_bytes": pl.Int64,
    }
)

Options = Mapping[str, OptionValue]

#: The options that every published proof but for one, or for the picks, has.
DEFAULTS: Options = {name: EARLIER_DEFAULT[name] for name in EARLIER_CHANGED}


class PublishedError(NizkBenchError):
    """The published proofs could not be timed again, or what was kept of them is not whole."""


# ---- which proofs --------------------------------------------------------------------------------


@cache
def published_attempts(option: str = "queries") -> dict[str, int]:
    """Attempts of the published proofs by the value of one option, the others at their defaults."""
    path = layout.root() / "data" / "vectors" / "p1-attempts.json"
    attempts: dict[str, int] = json.loads(path.read_text(encoding="utf-8"))["attempts"][option]
    return attempts


def levels(option: str) -> tuple[OptionValue, ...]:
    """The values of an option that earlier work had, in the order of the record."""
    kind = type(DEFAULTS[option])
    return tuple(kind(value) for value in published_attempts(option))


def changed_alone() -> list[Options]:
    """The default, then every option at each other level, all others at their defaults."""
    changed = (
        {**DEFAULTS, name: value}
        for name in EARLIER_CHANGED
        for value in levels(name)
        if value != DEFAULTS[name]
    )
    return [DEFAULTS, *changed]


def known_attempts(options: Options) -> int | None:
    """Attempts on record for a proof with these options; None if more than one is changed."""
    changed = [name for name in EARLIER_CHANGED if options[name] != DEFAULTS[name]]
    if len(changed) > 1:
        return None
    name = changed[0] if changed else EARLIER_CHANGED[0]
    return published_attempts(name).get(str(options[name]))


def refuse_other_attempts(options: Options, attempts: int) -> None:
    """`PublishedError` if a proof with these options took other attempts than are on record."""
    known = known_attempts(options)
    if known is not None and attempts != known:
        raise PublishedError(
            f"the published proof with {options_words(options)} took {attempts} attempts,"
            f" data/vectors/p1-attempts.json has {known}; it is not the published one"
        )


def options_words(options: Options) -> str:
    """In what options differ from the defaults: `queries 41, blowup 4`."""
    changed = [f"{n} {options[n]}" for n in EARLIER_CHANGED if options[n] != DEFAULTS[n]]
    return ", ".join(changed) or "the default options"


def compared(picked: Options) -> dict[str, Options]:
    """What the second stage times, by its form; `all` are the picks as they are."""
    return {
        "default": DEFAULTS,
        "remainder": {**DEFAULTS, "remainder_max_degree": REMAINDER},
        "all": picked,
        "all but grinding": {**picked, "grinding": DEFAULTS["grinding"]},
    }


# ---- what was timed ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Timed:
    """One stage: `times` are medians of processes, of shape (options, blocks).

    They are times to proof, witness and prove together; `attempts` has shape (options,).
    """

    options: tuple[Options, ...]
    times: Floats
    attempts: Floats

    def place(self, options: Options) -> int | None:
        """The index of these options, None if they were not timed."""
        return self.options.index(options) if options in self.options else None


def timed(table: pl.DataFrame, stage: str) -> Timed:
    """One stage of the table (`SCHEMA`), of the blocks in which everything was timed.

    `PublishedError` where fewer than `FEWEST_BLOCKS` are, where attempts are not those on record,
    or where proofs with the same options took different numbers of attempts.
    """
    rows = table.filter(pl.col("stage") == stage)
    names = list(EARLIER_CHANGED)
    processes = rows.group_by(*names, "block", maintain_order=True).agg(
        (pl.col("witness_ns") + pl.col("prove_ns")).median().alias("time"),
        pl.col("attempts").min().alias("least"),
        pl.col("attempts").max().alias("most"),
    )
    options: Sequence[Options] = processes.select(names).unique(maintain_order=True).to_dicts()
    whole = (
        processes.group_by("block")
        .len()
        .filter(pl.col("len") == len(options))
        .sort("block")["block"]
    )
    if len(whole) < FEWEST_BLOCKS:
        raise PublishedError(
            f"{len(whole)} blocks have every published proof of the stage {stage}, at least"
            f" {FEWEST_BLOCKS} are needed"
        )
    times = np.empty((len(options), len(whole)))
    attempts = np.empty(len(options))
    column = {block: place for place, block in enumerate(whole)}
    for place, one in enumerate(options):
        found = processes.filter(
            *(pl.col(name) == one[name] for name in names), pl.col("block").is_in(whole.implode())
        )
        seen = {*found["least"].to_list(), *found["most"].to_list()}
        if len(seen) > 1:
            raise PublishedError(
                f"proofs of the published instance with {options_words(one)} took different"
                f" numbers of attempts: {', '.join(map(str, sorted(seen)))}"
            )
        attempts[place] = seen.pop()
        refuse_other_attempts(one, int(attempts[place]))
        for row in found.iter_rows(named=True):
            times[place, column[row["block"]]] = row["time"]
    return Timed(tuple(options), times, attempts)


def picks(alone: Timed) -> dict[str, OptionValue]:
    """Of every option the level that is fastest alone, by the geometric mean over blocks.

    `PublishedError` if a level of earlier work was not timed.
    """
    means = np.log(alone.times).mean(axis=1)
    picked: dict[str, OptionValue] = {}
    for name in EARLIER_CHANGED:
        by_level = {}
        for level in levels(name):
            place = alone.place({**DEFAULTS, name: level})
            if place is None:
                raise PublishedError(f"the published proof with {name} {level} was not timed")
            by_level[level] = means[place]
        picked[name] = min(by_level, key=by_level.__getitem__)
    return picked


def read_published(folder: Path) -> pl.DataFrame | None:
    """The table of a run (`SCHEMA`); None if that run has not timed the published proofs.

    `PublishedError` if it cannot be read or has other columns.
    """
    path = folder / TABLE
    if not path.is_file():
        return None
    try:
        table = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise PublishedError(f"{path} cannot be read as Parquet ({error})") from error
    if table.schema != SCHEMA:
        wrong = sorted({name for name, _ in set(table.schema.items()) ^ set(SCHEMA.items())})
        raise PublishedError(
            f"{path} has other columns than this version reads:"
            f" {', '.join(wrong) or 'another order'}"
        )
    return table


def table_of(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """The table (`SCHEMA`) from its rows, in the order of stage, options, block and sample."""
    frame = pl.DataFrame(list(rows), schema=SCHEMA, orient="row")
    return frame.sort("stage", *EARLIER_CHANGED, "block", "sample")
