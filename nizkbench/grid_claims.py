"""What earlier work claims of a STARK's options, decided over an option grid.

Two of the claims of `nizkbench.claims` are about options that the main run does not change. Here
they are decided in the same form, once on the terms of earlier work and once on equal ones:

- *published*: one instance, whose proof of work is one draw for each choice of options. The very
  proofs that were published are timed again (`nizkbench.p1_published`), and those of the options
  that are best on that instance put together. Records without them decide nothing on these terms.
- *equal*: fresh instances, each time moved to the expected number of attempts, on the sound circuit
  of the grid.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from nizkbench.choice import EARLIER_DEFAULT, cell_of, compare, individually_best
from nizkbench.claim_register import claims_on, members
from nizkbench.claims import (
    ALL_CHANGED,
    EXPERIMENT,
    FEWER_QUERIES,
    LARGE_REMAINDER,
    SOURCE,
    STARK,
    subject_name,
)
from nizkbench.grid_results import ROUNDS, GridResults, grid_results
from nizkbench.grid_tables import options_text
from nizkbench.messages import OptionValue
from nizkbench.p1_published import DEFAULTS, PUBLISHED_VERSION, REMAINDER, read_published
from nizkbench.p1_together import Repeated, beyond_all, of_row, options_in, repeated
from nizkbench.predicates import (
    Comparison,
    Outcome,
    Side,
    Subjects,
    Verdict,
    compared,
    decided,
    every,
)
from nizkbench.quantities import Quantity, plain, times
from nizkbench.records import read_records, read_run
from nizkbench.results import Results
from nizkbench.words import listed

#: What earlier work gained, by its own figures, with the individually best options together.
PUBLISHED_GAIN = 3.0

#: The numbers of queries that earlier work found six times apart.
QUERIES, QUERIES_BELOW = 42, 41


def grid_verdicts(
    grid: GridResults, again: Repeated | None = None
) -> dict[str, tuple[Verdict, Verdict]]:
    """The verdicts on P1.10 and P1.11 as published and on equal terms, by the claim's key.

    `again` is of `nizkbench.p1_together.repeated`, None where that experiment was not recorded.
    """
    luck = None if again is None else again.luck
    return {
        "p1.10": (_sixfold_as_published(luck), _sixfold(grid, luck)),
        "p1.11": (_combined_as_published(again), _combined(grid, again)),
    }


def read_grid(folder: Path, p1_grinding: Path | None = None) -> tuple[GridResults, Repeated | None]:
    """A recorded grid, and the experiment of earlier work made again where that is recorded."""
    again = (
        None
        if p1_grinding is None
        else repeated(read_records(p1_grinding), read_published(p1_grinding))
    )
    return grid_results(read_run(folder)), again


def with_grid(results: Results, grid: GridResults, again: Repeated | None = None) -> Results:
    """The results of the main run, with the verdicts that a grid beside it decides."""
    return replace(results, elsewhere=grid_verdicts(grid, again))


def ratio(
    grid: GridResults, above: Mapping[str, Any], below: Mapping[str, Any], metric: str = "prove_ns"
) -> Quantity | None:
    """A metric of one cell over that of another, with the interval of `nizkbench.choice.compare`.

    None where the run tells nothing of the error of the ratio.
    """
    row = compare(grid.invocations, metric, below["configuration"], [above["configuration"]]).row(
        0, named=True
    )
    if row["low"] is None or row["high"] is None:
        return None
    return Quantity(row["ratio"], row["low"], row["high"])


def changed_alone(grid: GridResults, **options: OptionValue) -> dict[str, Any] | None:
    """The cell with the defaults of earlier work but for these options; None if not measured."""
    return cell_of(grid.judged, ROUNDS, {**EARLIER_DEFAULT, **options})


@dataclass(frozen=True, slots=True)
class _Ratios:
    """Ratios of times to proof at the rounds of a grid, by their subjects: all that it has.

    What it answers is `nizkbench.predicates.Evidence`.
    """

    side: Side
    known: Mapping[tuple[str, str], Quantity | None]
    invocations: int

    def members(self, subjects: Subjects) -> tuple[str, ...]:
        return members(EXPERIMENT, subjects)

    def name(self, subject: str) -> str:
        return subject_name(subject)

    def place(self, size: int) -> str:
        return f"at {size} rounds"

    def sizes(self, subjects: Iterable[str], metric: str) -> tuple[int, ...]:
        there = {subject for pair in self.known for subject in pair}
        return (ROUNDS,) if metric == "time_to_proof" and there >= set(subjects) else ()

    def value(self, subject: str, metric: str, size: int) -> None:
        return None

    def ratio(self, above: str, below: str, metric: str, size: int) -> Quantity | None:
        return self.known.get((above, below))

    def change(self, above: str, below: str, metric: str, sizes: tuple[int, int]) -> None:
        return None

    def figure(self, figure: str, subject: str) -> None:
        return None


def _held(
    key: str, side: Side, known: Mapping[tuple[str, str], Quantity | None], invocations: int
) -> Comparison:
    """The conditions of a claim of the register, held against ratios."""
    conditions = claims_on(EXPERIMENT, SOURCE)[key].conditions
    return every(compared(conditions, _Ratios(side, known, invocations)))


# ── P1.10: 42 queries prove six times slower than 41 ──────────────────────────────────────────────


def _sixfold_as_published(luck: pl.DataFrame | None) -> Verdict:
    row = _luck_row(luck, "published")
    if row is None:
        return Verdict(
            Outcome.NOT_MEASURED,
            "Not recorded beside this grid: times of the published proofs, which"
            " `nizkbench p1-grinding` makes again.",
        )
    found = of_row(row, "ratio")
    return decided(
        _held("p1.10", "published", {(STARK, FEWER_QUERIES): found}, row["blocks"]),
        f"The published proofs, timed again with winterfell {row['library_version']}"
        f" ({row['attempts']:.0f} attempts for {QUERIES} queries, {row['attempts_below']:.0f} for"
        f" {QUERIES_BELOW}), take {times(found)} as long for {QUERIES} queries as for"
        f" {QUERIES_BELOW}; fresh instances take {times(of_row(row, 'ratio_fresh'))} as long at"
        f" equal attempts, so that {plain(of_row(row, 'luck', 'percent'), interval=True)} of the"
        f" logarithm of the measured ratio is luck of the nonce.{beyond_all(row['luck_high'])}",
    )


def _sixfold(grid: GridResults, luck: pl.DataFrame | None) -> Verdict:
    cell, below = changed_alone(grid), changed_alone(grid, queries=QUERIES_BELOW)
    row = _luck_row(luck, "published") or _luck_row(luck, "fixed")
    again = (
        ""
        if row is None
        else f" The experiment of earlier work, made again with fresh instances, has"
        f" {times(of_row(row, 'ratio_fresh'))}."
    )
    if cell is None or below is None:
        lacking = QUERIES if cell is None else QUERIES_BELOW
        return Verdict(
            Outcome.NOT_MEASURED,
            f"Not measured by this grid: the default options with {lacking} queries at {ROUNDS}"
            f" rounds.{again}",
        )
    found = ratio(grid, cell, below)
    return decided(
        _held("p1.10", "equal", {(STARK, FEWER_QUERIES): found}, grid.fewest_invocations),
        f"At {ROUNDS} rounds, with fresh instances and at the expected number of attempts,"
        f" {QUERIES} queries take {times(found)} as long as {QUERIES_BELOW}.{again}",
    )


def _luck_row(luck: pl.DataFrame | None, instance: str) -> dict[str, Any] | None:
    """The row of an instance with the published proofs' version; None where there is none."""
    if luck is None:
        return None
    rows = luck.filter(
        (pl.col("library_version") == PUBLISHED_VERSION)
        & (pl.col("instance") == instance)
        & (pl.col("queries") == QUERIES)
        & (pl.col("queries_below") == QUERIES_BELOW)
    )
    return rows.row(0, named=True) if rows.height else None


# ── P1.11: the individually best options together help less than the remainder degree alone ───────


#: Earlier work's rule takes of every option the level that is fastest alone, all together, and does
#: not say whether the bits of grinding were among the options: its two readings, in words, by their
#: form in `nizkbench.p1_published.compared`. The first is the literal one.
READINGS = {
    "all": "with the grinding combined like the others",
    "all but grinding": "with the grinding kept",
}

#: The forms that decide P1.11.
_FORMS = ("default", "remainder", *READINGS)


def reading(again: Repeated | None) -> str:
    """The reading that decides P1.11 on both terms: that with the gain closer to the published one.

    By the published instance; the literal one where that was not timed.
    """
    rows = [] if again is None else [row for form in READINGS if (row := again.form(form))]
    if not rows:
        return next(iter(READINGS))
    return str(min(rows, key=lambda row: abs(math.log(row["gain"] / PUBLISHED_GAIN)))["form"])


def _combined_as_published(again: Repeated | None) -> Verdict:
    rows = {} if again is None else {form: again.form(form) for form in _FORMS}
    default, alone, whole, kept = (rows.get(form) for form in _FORMS)
    if default is None or alone is None or whole is None or kept is None:
        return Verdict(
            Outcome.NOT_MEASURED,
            "Not recorded beside this grid: times of the published proofs with the options that are"
            " best on the published instance, which `nizkbench p1-grinding` takes.",
        )
    held = {
        form: _held(
            "p1.11",
            "published",
            {
                (ALL_CHANGED, LARGE_REMAINDER): of_row(row, "over_remainder"),
                (STARK, ALL_CHANGED): of_row(row, "gain"),
            },
            row["blocks"],
        )
        for form, row in zip(READINGS, (whole, kept), strict=True)
    }
    taken = reading(again)
    changed = options_text(options_in(whole), DEFAULTS) or "the default options"
    return decided(
        held[taken],
        f"On the published instance, measured with winterfell {PUBLISHED_VERSION}, the remainder"
        f" degree {REMAINDER} alone makes proving {times(of_row(alone, 'gain'))} as fast"
        f" ({alone['attempts']} attempts instead of {default['attempts']}), the level of each"
        f" option that is fastest alone on that instance together ({changed})"
        f" {times(of_row(whole, 'gain'))} ({_attempts(whole)}), and the same with the grinding kept"
        f" at {DEFAULTS['grinding']} bits {times(of_row(kept, 'gain'))} ({_attempts(kept)})."
        f" Earlier work had a gain of {PUBLISHED_GAIN:g}, to which the reading {READINGS[taken]}"
        f" comes closer: it decides, here and on equal terms.{_other_reading(taken, held)}",
    )


def _attempts(row: Mapping[str, Any]) -> str:
    return f"{row['attempts']} attempt{'' if row['attempts'] == 1 else 's'}"


def _other_reading(taken: str, held: Mapping[str, Comparison]) -> str:
    """What the reading that does not decide would give, as a sentence behind others."""
    other = next(form for form in READINGS if form != taken)
    said = _given(held[other], held[taken]) if other in held else "it is not measured by this grid"
    return f" {READINGS[other].capitalize()} {said}."


def _given(other: Comparison, decisive: Comparison) -> str:
    if other.outcome == decisive.outcome:
        return "the outcome is the same"
    return f"the claim would be {other.outcome}"


def individually_best_in(
    grid: GridResults, form: str
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What is individually best on a grid's instances, in one of `READINGS`, and its cell.

    The cell is None where it was not measured.
    """
    picked = individually_best(grid.cells, ROUNDS)
    if form != "all":
        picked["grinding"] = EARLIER_DEFAULT["grinding"]
    return picked, changed_alone(grid, **picked)


def _combined(grid: GridResults, again: Repeated | None) -> Verdict:
    default, alone = changed_alone(grid), changed_alone(grid, remainder_max_degree=REMAINDER)
    picks = {form: individually_best_in(grid, form) for form in READINGS}
    taken = reading(again)
    picked, together = picks[taken]
    if default is None or alone is None or together is None:
        changed = options_text(picked, EARLIER_DEFAULT) or "the default options"
        lacking = next(
            what
            for cell, what in (
                (default, "the default options"),
                (alone, f"remainder degree {REMAINDER} alone"),
                (together, f"the individually best options together ({changed})"),
            )
            if cell is None
        )
        return Verdict(
            Outcome.NOT_MEASURED,
            f"Not measured by this grid: {lacking} at {ROUNDS} rounds; the reading"
            f" {READINGS[taken]} decides.",
        )

    def held(cell: Mapping[str, Any]) -> Comparison:
        same = cell["configuration"] == alone["configuration"]
        less = Quantity(1.0, 1.0, 1.0) if same else ratio(grid, cell, alone)
        known = {(ALL_CHANGED, LARGE_REMAINDER): less, (STARK, ALL_CHANGED): gain(cell)}
        return _held("p1.11", "equal", known, grid.fewest_invocations)

    def gain(cell: Mapping[str, Any]) -> Quantity | None:
        return ratio(grid, default, cell)

    cells = {form: cell for form, (_, cell) in picks.items() if cell is not None}
    gained = [f"{times(gain(cell))} as fast {READINGS[form]}" for form, cell in cells.items()]
    outcomes = {form: held(cell) for form, cell in cells.items()}
    published = None if again is None else again.form(taken)
    theirs = None if published is None else changed_alone(grid, **options_in(published))
    said = (
        f"At {ROUNDS} rounds, with fresh instances and at the expected number of attempts, the"
        f" remainder degree {REMAINDER} alone makes proving {times(gain(alone))} as fast. The"
        " levels of the options that are fastest alone on these instances, together"
        f" ({options_text(picks['all'][0], EARLIER_DEFAULT) or 'the default options'}), make it"
        f" {listed(gained)}. The reading {READINGS[taken]} decides"
        f"{'' if published is None else ', as on the published instance'}."
        f"{_other_reading(taken, outcomes)}"
    )
    if theirs is not None:
        said += (
            " The levels that are fastest alone on the published instance, in the same reading,"
            f" make it {times(gain(theirs))} as fast here, and"
            f" {_given(held(theirs), outcomes[taken])}."
        )
    return decided(outcomes[taken], said)
