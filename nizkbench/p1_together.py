"""Why the best options of earlier work did not combine: the published proofs, alone and together.

Earlier work put together the level of each option that was fastest alone on its one instance. What
made a level fastest is taken apart here: the gain over the default, and what is left of it at equal
attempts, each time moved to the expected number by the cost of one attempt. That cost is what the
proofs with the most and with the fewest bits of grinding differ in, measured in the same blocks. It
is the cost with the default's hash, so nothing is said of another hash, nor of other bits of
grinding, which change the expected number itself.

Intervals are those of `nizkbench.p1_grinding.jackknife`, on logarithms; times are nanoseconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nizkbench.choice import EARLIER_CHANGED
from nizkbench.intervals import Floats
from nizkbench.messages import OptionValue
from nizkbench.p1_grinding import (
    PROOFS_SCHEMA,
    QUERIES_SCHEMA,
    jackknife,
    luck_table,
    proofs_table,
    queries_table,
)
from nizkbench.p1_published import (
    ALONE,
    CHANGED,
    DEFAULTS,
    TOGETHER,
    Options,
    PublishedError,
    compared,
    levels,
    picks,
    timed,
)
from nizkbench.quantities import Quantity
from nizkbench.records import Records

#: Options whose change leaves the expected number of attempts and the cost of one as they are.
SAME_WORK = tuple(name for name in EARLIER_CHANGED if name not in ("grinding", "hash"))

_BOUNDS = ("", "_low", "_high")

#: One row a level of an option. `gain` is the default's time over the level's, `gain_equal` the
#: same at equal attempts and `luck` the share of the logarithm of the first that the second leaves;
#: both are null where attempts do not compare, and for the default itself.
ALONE_SCHEMA = pl.Schema(
    {
        "option": pl.String,
        "level": pl.String,
        "default": pl.Boolean,
        "picked": pl.Boolean,
        "attempts": pl.Int64,
        **{
            f"{name}{bound}": pl.Float64
            for name in ("time_ns", "gain", "gain_equal", "luck")
            for bound in _BOUNDS
        },
        "blocks": pl.Int64,
    }
)

#: One row a form (`nizkbench.p1_published.compared`), with its options. `gain` is the default's
#: time over the form's, `over_remainder` the form's time over that of the remainder degree alone.
TOGETHER_SCHEMA = pl.Schema(
    {
        "form": pl.String,
        **CHANGED,
        "attempts": pl.Int64,
        **{
            f"{name}{bound}": pl.Float64
            for name in ("time_ns", "gain", "over_remainder")
            for bound in _BOUNDS
        },
        "blocks": pl.Int64,
    }
)


@dataclass(frozen=True)
class Repeated:
    """The experiment of earlier work made again, as far as records hold it.

    `luck`, `queries` and `proofs` are of the functions of `nizkbench.p1_grinding`; `alone` and
    `together` are of `alone_table` and `together_table`, None where the published proofs were not
    timed.
    """

    luck: pl.DataFrame
    alone: pl.DataFrame | None = None
    together: pl.DataFrame | None = None
    queries: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=QUERIES_SCHEMA))
    proofs: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=PROOFS_SCHEMA))

    def form(self, name: str) -> dict[str, Any] | None:
        """The row of one form of `together`, None where there is none."""
        rows = None if self.together is None else self.together.filter(pl.col("form") == name)
        return rows.row(0, named=True) if rows is not None and rows.height else None


def repeated(records: Records, published: pl.DataFrame | None = None) -> Repeated:
    """What records of the experiment say, and the published proofs where they were timed."""
    return Repeated(
        luck=luck_table(records, published=published),
        alone=None if published is None else alone_table(published),
        together=None if published is None else together_table(published),
        queries=queries_table(records, published),
        proofs=proofs_table(records),
    )


def of_row(row: dict[str, Any], name: str, unit: str = "1") -> Quantity:
    """A value of a row of these tables with its bounds."""
    return Quantity(row[name], row[f"{name}_low"], row[f"{name}_high"], unit)


def beyond_all(*shares: float) -> str:
    """Why a share of luck is above one, as a sentence behind others; nothing if none of these is.

    `shares` are upper bounds.
    """
    if max(shares) <= 1:
        return ""
    return (
        " A share goes beyond 100\u202f% where the slower of the two is the faster at equal"
        " attempts, or may be by noise: the option itself then makes none of the difference."
    )


def options_in(row: dict[str, Any]) -> dict[str, OptionValue]:
    """The options of a row of `together_table`."""
    return {name: row[name] for name in EARLIER_CHANGED}


def alone_table(published: pl.DataFrame) -> pl.DataFrame:
    """Every level of every option alone on the published instance, columns as in `ALONE_SCHEMA`."""
    proofs = timed(published, ALONE)
    picked = picks(proofs)
    default = _place(proofs.options, DEFAULTS)
    ground = [_place(proofs.options, {**DEFAULTS, "grinding": one}) for one in levels("grinding")]
    most = max(ground, key=lambda place: proofs.attempts[place])
    fewest = min(ground, key=lambda place: proofs.attempts[place])
    expected = 2.0 ** int(DEFAULTS["grinding"])

    def statistics(kept: Sequence[NDArray[np.bool_]]) -> Floats:
        times = np.exp(np.log(proofs.times[:, kept[0]]).mean(axis=1))
        cost = (times[most] - times[fewest]) / (proofs.attempts[most] - proofs.attempts[fewest])
        moved = times - cost * (proofs.attempts - expected)
        gain = np.log(times[default] / times)
        # A time that its own attempts exceed says nothing.
        logs = np.log(np.where(moved > 0, moved, np.nan))
        equal = logs[default] - logs
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.stack([np.log(times), gain, equal, 1 - equal / gain])

    bounds = jackknife(statistics, [proofs.times.shape[1]])
    for part in bounds:
        part[:3] = np.exp(part[:3])
    rows = []
    for place, options in enumerate(proofs.options):
        changed = [name for name in EARLIER_CHANGED if options[name] != DEFAULTS[name]]
        for name in changed or EARLIER_CHANGED:
            row: dict[str, Any] = {
                "option": name,
                "level": str(options[name]),
                "default": not changed,
                "picked": picked[name] == options[name],
                "attempts": int(proofs.attempts[place]),
                "blocks": proofs.times.shape[1],
            }
            compares = bool(changed) and name in SAME_WORK
            for which, column in enumerate(("time_ns", "gain", "gain_equal", "luck")):
                for end, part in zip(_BOUNDS, bounds, strict=True):
                    told = compares or column in ("time_ns", "gain")
                    row[f"{column}{end}"] = float(part[which, place]) if told else None
            rows.append(row)
    return pl.DataFrame(rows, schema=ALONE_SCHEMA, orient="row").fill_nan(None)


def together_table(published: pl.DataFrame) -> pl.DataFrame:
    """The default, the remainder degree alone, and the picks together in both forms.

    Columns as in `TOGETHER_SCHEMA`; `PublishedError` if one of them was not timed.
    """
    picked = picks(timed(published, ALONE))
    proofs = timed(published, TOGETHER)
    forms = compared(picked)
    places = {form: _place(proofs.options, options) for form, options in forms.items()}
    default, remainder = places["default"], places["remainder"]

    def statistics(kept: Sequence[NDArray[np.bool_]]) -> Floats:
        logs = np.log(proofs.times[:, kept[0]]).mean(axis=1)
        return np.stack([logs, logs[default] - logs, logs - logs[remainder]])

    bounds = [np.exp(part) for part in jackknife(statistics, [proofs.times.shape[1]])]
    rows = []
    for form, options in forms.items():
        row: dict[str, Any] = {
            "form": form,
            **options,
            "attempts": int(proofs.attempts[places[form]]),
            "blocks": proofs.times.shape[1],
        }
        for which, column in enumerate(("time_ns", "gain", "over_remainder")):
            for end, part in zip(_BOUNDS, bounds, strict=True):
                row[f"{column}{end}"] = float(part[which, places[form]])
        rows.append(row)
    return pl.DataFrame(rows, schema=TOGETHER_SCHEMA, orient="row")


def _place(options: Sequence[Options], wanted: Options) -> int:
    if wanted not in options:
        raise PublishedError(
            "the published proofs were timed without"
            f" {', '.join(f'{name} {value}' for name, value in wanted.items())};"
            " `nizkbench p1-grinding` times them"
        )
    return list(options).index(wanted)
