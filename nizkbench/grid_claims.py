"""What earlier work claims of a STARK's options, decided over an option grid.

Two of the claims of `nizkbench.claims` are about options that the main run does not change. Here
they are decided in the same form, once on the terms of earlier work and once on equal ones:

- *published*: one instance, whose proof of work is one draw for each choice of options. For the
  number of queries the experiment was made again (`nizkbench.p1_grinding`); for the combined
  options the attempts of the published proof are not known, and what can be said is.
- *equal*: fresh instances, each time moved to the expected number of attempts, on the sound circuit
  of the grid.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from nizkbench.choice import EARLIER_DEFAULT, cell_of, compare, options_of
from nizkbench.claims import SIXFOLD, Outcome, Verdict, _decided, _is_above, _times, every
from nizkbench.grid_results import ROUNDS, GridResults, grid_results
from nizkbench.grid_tables import options_text
from nizkbench.messages import OptionValue
from nizkbench.p1_grinding import PUBLISHED_VERSION, luck_table, published_attempts
from nizkbench.quantities import Quantity, plain
from nizkbench.records import read_records, read_run
from nizkbench.results import Results

#: The numbers of queries that earlier work found six times apart.
QUERIES, QUERIES_BELOW = 42, 41

#: The remainder degree that earlier work found to help more, alone, than all best options together.
REMAINDER = 255


def grid_verdicts(
    grid: GridResults, luck: pl.DataFrame | None = None
) -> dict[str, tuple[Verdict, Verdict]]:
    """The verdicts on P1.10 and P1.11 as published and on equal terms, by the claim's key.

    `luck` is of `nizkbench.p1_grinding.luck_table`, None where that experiment was not recorded.
    """
    return {
        "p1.10": (_sixfold_as_published(luck), _sixfold(grid, luck)),
        "p1.11": (_combined_as_published(grid), _combined(grid)),
    }


def read_grid(
    folder: Path, p1_grinding: Path | None = None
) -> tuple[GridResults, pl.DataFrame | None]:
    """A recorded grid, and the luck table of the experiment on queries where one is recorded."""
    luck = None if p1_grinding is None else luck_table(read_records(p1_grinding))
    return grid_results(read_run(folder)), luck


def with_grid(results: Results, grid: GridResults, luck: pl.DataFrame | None = None) -> Results:
    """The results of the main run, with the verdicts that a grid beside it decides."""
    return replace(results, elsewhere=grid_verdicts(grid, luck))


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


def with_attempts(cell: Mapping[str, Any], attempts: float) -> float | None:
    """The time to proof of a cell, in ns, if its proof of work takes this many attempts.

    None where the cost of one attempt is not known.
    """
    if not cell["grinding"]:
        return float(cell["prove_ns"])
    if cell["attempt_cost_ns"] is None:
        return None
    expected = 2.0 ** cell["grinding"]
    return float(cell["prove_ns"] + (attempts - expected) * cell["attempt_cost_ns"])


# ── P1.10: 42 queries prove six times slower than 41 ──────────────────────────────────────────────


def _sixfold_as_published(luck: pl.DataFrame | None) -> Verdict:
    row = _luck_row(luck)
    if row is None:
        return Verdict(
            Outcome.NOT_MEASURED,
            "Not recorded beside this grid: the experiment of earlier work on the number of"
            " queries, which `nizkbench p1-grinding` makes again.",
        )
    found = _of_row(row, "ratio")
    whose = "the published proofs" if row["instance"] == "published" else "one fixed instance"
    return _decided(
        _is_above(f"{QUERIES} queries' time over that of {QUERIES_BELOW}", found, SIXFOLD),
        f"With the attempts of {whose} ({row['attempts']:.0f} and {row['attempts_below']:.0f}),"
        f" winterfell {row['library_version']} takes {_times(found)} as long for {QUERIES} queries"
        f" as for {QUERIES_BELOW}, and {_times(_of_row(row, 'ratio_fresh'))} at equal attempts:"
        f" {plain(_of_row(row, 'luck', 'percent'), interval=True)} of the difference, on the"
        " logarithm, is luck of the nonce.",
    )


def _sixfold(grid: GridResults, luck: pl.DataFrame | None) -> Verdict:
    cell, below = changed_alone(grid), changed_alone(grid, queries=QUERIES_BELOW)
    row = _luck_row(luck)
    again = (
        ""
        if row is None
        else f" The experiment of earlier work, made again with fresh instances, has"
        f" {_times(_of_row(row, 'ratio_fresh'))}."
    )
    if cell is None or below is None:
        lacking = QUERIES if cell is None else QUERIES_BELOW
        return Verdict(
            Outcome.NOT_MEASURED,
            f"Not measured by this grid: the default options with {lacking} queries at {ROUNDS}"
            f" rounds.{again}",
        )
    found = ratio(grid, cell, below)
    return _decided(
        _is_above(f"{QUERIES} queries' time to proof over that of {QUERIES_BELOW}", found, SIXFOLD),
        f"At {ROUNDS} rounds, with fresh instances and at the expected number of attempts,"
        f" {QUERIES} queries take {_times(found)} as long as {QUERIES_BELOW}.{again}",
    )


def _luck_row(luck: pl.DataFrame | None) -> dict[str, Any] | None:
    """The published proofs with their library's version; else an instance of ours with it."""
    if luck is None:
        return None
    rows = luck.filter(
        (pl.col("library_version") == PUBLISHED_VERSION)
        & (pl.col("queries") == QUERIES)
        & (pl.col("queries_below") == QUERIES_BELOW)
    ).sort("instance", descending=True)
    return rows.row(0, named=True) if rows.height else None


def _of_row(row: Mapping[str, Any], name: str, unit: str = "1") -> Quantity:
    return Quantity(row[name], row[f"{name}_low"], row[f"{name}_high"], unit)


# ── P1.11: the individually best options together help less than the remainder degree alone ───────


def _combined_as_published(grid: GridResults) -> Verdict:
    sentence = (
        "Not measured: how many attempts the published proof with all options put together took is"
        " not known."
    )
    default, alone = changed_alone(grid), changed_alone(grid, remainder_max_degree=REMAINDER)
    if default is None or alone is None:
        return Verdict(Outcome.NOT_MEASURED, sentence)
    known = published_attempts("remainder_max_degree")
    attempts = known[str(EARLIER_DEFAULT["remainder_max_degree"])], known[str(REMAINDER)]
    times = with_attempts(default, attempts[0]), with_attempts(alone, attempts[1])
    fair = ratio(grid, default, alone)
    if times[0] is None or times[1] is None or times[1] <= 0 or fair is None:
        return Verdict(Outcome.NOT_MEASURED, sentence)
    return Verdict(
        Outcome.NOT_MEASURED,
        f"{sentence} The remainder degree alone, with the attempts of its published proofs"
        f" ({attempts[0]} at the default, {attempts[1]} at degree {REMAINDER}), makes proving"
        f" {times[0] / times[1]:.1f} times as fast on this machine, and {_times(fair)} as fast at"
        " equal attempts.",
    )


def _combined(grid: GridResults) -> Verdict:
    default, together = changed_alone(grid), grid.individually_best
    alone = changed_alone(grid, remainder_max_degree=REMAINDER)
    if default is None or alone is None or together is None:
        lacking = next(
            what
            for cell, what in (
                (default, "the default options"),
                (alone, f"remainder degree {REMAINDER} alone"),
                (together, "the individually best options together"),
            )
            if cell is None
        )
        return Verdict(
            Outcome.NOT_MEASURED, f"Not measured by this grid: {lacking} at {ROUNDS} rounds."
        )
    same = together["configuration"] == alone["configuration"]
    less = Quantity(1.0, 1.0, 1.0) if same else ratio(grid, together, alone)
    gain, gain_alone = ratio(grid, default, together), ratio(grid, default, alone)
    changed = options_text(options_of(together), EARLIER_DEFAULT) or "the default options"
    return _decided(
        every(
            [
                _is_above("the time of all options together over the degree's alone", less, 1.0),
                _is_above("the gain of all options together", gain, 2.0),
            ]
        ),
        f"At {ROUNDS} rounds, with fresh instances and at the expected number of attempts, the"
        f" remainder degree {REMAINDER} alone makes proving {_times(gain_alone)} as fast, and the"
        f" individually best options together ({changed}) {_times(gain)}.",
    )
