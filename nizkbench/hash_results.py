"""Hash functions in circuits: what each costs by the length of its message, and in which system.

Built on `nizkbench.results`: a series is one function in one system (with its options and the
variant `message`), its size is the length of the message in bytes. What is added here follows from
values per block, since a block holds every configuration once: a slope, a ratio or the size at
which two functions cost the same is taken in every block, and its interval is Student's t over
blocks.

Times are nanoseconds, sizes and memory bytes. Nothing is extrapolated: what would lie beyond the
sizes that were measured is a bound, and `Bound` says so.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from nizkbench.analysed import read_analysed
from nizkbench.distributions import t_quantile
from nizkbench.errors import NizkBenchError
from nizkbench.estimate import invocation_values
from nizkbench.hash_reference import OVER_A_FIELD, calls
from nizkbench.hash_speed import read_speed
from nizkbench.intervals import LEVEL, student_t
from nizkbench.profile import HashFunctions
from nizkbench.quantities import Quantity
from nizkbench.results import Results, variant_of

#: Functions in the order in which figures and tables have them: over bytes, then over a field.
FUNCTIONS = ("sha256", "sha3-256", "blake2s", "mimc-sponge", "mimc-7", "poseidon")
OVER_BYTES = tuple(name for name in FUNCTIONS if name not in OVER_A_FIELD)

#: The system of ZoKrates's own provers, and the one that proves the same circuits natively.
ZOKRATES = "zokrates/groth16/bn254"
NATIVE = "zokrates-native/groth16/bn254"

#: The options that a system's main series have, where a run has others too.
DEFAULTS = {ZOKRATES: {"backend": "ark"}}

#: The values of the variant `gadget`: which circuit of SHA-256 it is.
EMBEDDED, STANDARD_LIBRARY = "embedded", "standard-library"

#: The thread track that is compared: one thread, which every system has.
THREADS = "one"

#: From so many constraints on the native prover is compared with the one in WebAssembly, and how
#: many times as fast it is expected to be there at least.
COMPARED_FROM, GAIN_ASKED = 26_000, 4.0

#: What ZoKrates' runner says of a circuit that did not fit into memory while it was compiled.
_COMPILING = "in phase compile"

#: How a series ended that was not asked for a circuit which nobody could compile.
UNCOMPILED = "uncompiled"

#: What may fit into a block of a ledger, in bytes.
LEDGER_LIMITS = (1_000_000, 10_000_000, 100_000_000)

#: Fewer sizes than this have no fit of a line: it would go through them.
FIT_MINIMUM = 3

#: Fewer sizes than this have no fit of a line in bytes and blocks.
LEFT_OVER_MINIMUM = 4

GROWTH_SCHEMA = pl.Schema(
    {
        "series": pl.String,
        "metric": pl.String,
        "unit": pl.String,
        "smallest": pl.Int64,
        "largest": pl.Int64,
        "points": pl.Int64,
        **{
            f"{name}{bound}": pl.Float64
            for name in ("per_byte", "exponent")
            for bound in ("", "_low", "_high")
        },
        "constant_term": pl.Float64,
        "r_squared": pl.Float64,
        "blocks": pl.Int64,
        "level": pl.Float64,
    }
)

CROSSOVER_SCHEMA = pl.Schema(
    {
        "system": pl.String,
        "metric": pl.String,
        "cheaper_below": pl.String,
        "cheaper_above": pl.String,
        "bytes": pl.Float64,
        "bytes_low": pl.Float64,
        "bytes_high": pl.Float64,
        "between": pl.Int64,
        "and": pl.Int64,
        "blocks": pl.Int64,
    }
)


class NoHashFunctionsError(NizkBenchError):
    """Records hold no configuration of `hash-preimage`."""


class Bound(StrEnum):
    """What a size that was looked for is."""

    MEASURED = "measured"
    AT_LEAST = "at least"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Fits:
    """The largest message, in bytes, whose proving key is no larger than a limit.

    `AT_LEAST` where the largest that was measured still is, `NONE` where the smallest is larger.
    `next_size` is the smallest measured that is not.
    """

    bound: Bound
    size: int | None
    next_size: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A configuration that has no times: at which size, how it ended, and what was said.

    `memory_bytes` is the most that the runner and what it started were seen to hold, None where
    nobody looked.
    """

    series: str
    function: str
    system: str
    size: int
    outcome: str
    message: str
    memory_bytes: int | None


@dataclass(frozen=True)
class HashResults:
    """The analysis of one run of the experiment on hash functions; `results` holds its tables.

    `speed` is how fast the functions are alone (`nizkbench.hash_speed`), if that was measured.
    """

    results: Results
    speed: pl.DataFrame | None = None

    def __post_init__(self) -> None:
        if set(self.results.configurations["statement"]) != {HashFunctions.STATEMENT}:
            raise NoHashFunctionsError(
                "these records are not of the experiment on hash functions;"
                " `nizkbench measure PROFILE --experiment hash_functions` makes them"
            )

    # ---- which series --------------------------------------------------------------------------

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row a series: series, track, system, function, message, gadget, options.

        Variants that a system lacks are null.
        """
        rows = []
        for row in self.results.series_table.iter_rows(named=True):
            variant = variant_of(row["variant"])
            rows.append(
                {
                    "series": row["series"],
                    "track": row["track"],
                    "system": row["system"],
                    "function": variant["function"],
                    "message": variant.get("message"),
                    "gadget": variant.get("gadget"),
                    "options": row["options"],
                }
            )
        schema = dict.fromkeys(
            ("series", "track", "system", "function", "message", "gadget", "options"), pl.String
        )
        order = pl.col("function").replace_strict({f: n for n, f in enumerate(FUNCTIONS)})
        return pl.DataFrame(rows, schema=schema).sort("track", "system", order, "series")

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Every system of the run, in alphabetical order."""
        return self.results.systems

    def series(
        self,
        system: str,
        function: str,
        *,
        message: str = "bytes",
        gadget: str = EMBEDDED,
        options: dict[str, str] | None = None,
    ) -> str | None:
        """The series of a function in a system with these options (others: any); None without.

        A system need not have the variants `message` and `gadget`.
        """
        variants = {"message": message, "gadget": gadget}
        rows = self.table.filter(
            (pl.col("system") == system) & (pl.col("function") == function),
            *((pl.col(name) == value) | pl.col(name).is_null() for name, value in variants.items()),
        )
        wanted = (options or {}).items()
        for series, given in rows.select("series", "options").iter_rows():
            if wanted <= json.loads(given).items():
                return str(series)
        return None

    def main(
        self, system: str, function: str, message: str = "bytes", gadget: str = EMBEDDED
    ) -> str | None:
        """The series of a function in a system with its default options; None without."""
        return self.series(
            system, function, message=message, gadget=gadget, options=DEFAULTS.get(system)
        )

    def functions_of(self, system: str) -> dict[str, str]:
        """Function → its main series in a system, the message as bytes."""
        return {
            function: series
            for function in FUNCTIONS
            if (series := self.main(system, function)) is not None
        }

    def over_bytes_of(self, system: str) -> dict[str, str]:
        """`functions_of` a system that are over bytes."""
        series = self.functions_of(system)
        return {function: series[function] for function in OVER_BYTES if function in series}

    @cached_property
    def circuits(self) -> dict[str, str]:
        """Function → the main series that tells most of ZoKrates' circuit of it.

        Constraints and keys are the same with either prover. It is the one that reached further,
        or else had more sizes, or else the one whose end is known more closely.
        """

        def told(series: str) -> tuple[int, int, float]:
            sizes, ended = self.sizes(series, "constraints"), self.ended_by(series)
            return max(sizes, default=0), len(sizes), -math.inf if ended is None else -ended[0]

        found = {}
        for function in FUNCTIONS:
            series = [self.main(system, function) for system in (ZOKRATES, NATIVE)]
            if known := [one for one in series if one is not None]:
                found[function] = max(known, key=told)
        return found

    @property
    def timed(self) -> Mapping[str, Any]:
        """What the manifest says of how `speed` was measured; empty if it was not."""
        found: Mapping[str, Any] = self.results.manifest.get("speed") or {}
        return found

    def sizes(self, series: str, metric: str = "prove") -> tuple[int, ...]:
        """The sizes at which a series has a value, ascending.

        The native prover takes its witnesses from ZoKrates and has no time to proof.
        """
        return tuple(
            size
            for size in self.results.grid
            if self.results.value(series, metric, size) is not None
        )

    def shared_sizes(self, series: Sequence[str], metric: str = "prove") -> tuple[int, ...]:
        """The sizes at which all of these series have a value, ascending; none of no series."""
        found = [set(self.sizes(one, metric)) for one in series]
        return tuple(sorted(set.intersection(*found))) if found else ()

    # ---- growth with the message ---------------------------------------------------------------

    @cached_property
    def growth(self) -> pl.DataFrame:
        """Lines and exponents over the length of messages; columns as in `GROWTH_SCHEMA`.

        Constraints and keys are exact: the interval of a slope is that of ordinary least squares,
        whose residuals are the steps of whole blocks. Times have one slope a block. `exponent` is
        the slope of logarithms; `r_squared` is of the line, over the means of each size.
        """
        rows = [
            row
            for series in self.table["series"]
            for metric in ("constraints", "size:proving_key", "time_to_proof", "setup", "prove")
            if (row := self._growth(series, metric)) is not None
        ]
        return pl.DataFrame(rows, schema=GROWTH_SCHEMA)

    def _growth(self, series: str, metric: str) -> dict[str, object] | None:
        # Slow to load, and only this function needs it.
        from scipy import stats

        sizes = self.sizes(series, metric)
        if len(sizes) < FIT_MINIMUM:
            return None
        quantities = [self.results.value(series, metric, size) for size in sizes]
        known = [one for one in quantities if one is not None]
        x = np.array(sizes, dtype=np.float64)
        y = np.array([one.value for one in known])
        line = stats.linregress(x, y)
        found: dict[str, object] = {
            "series": series,
            "metric": metric,
            "unit": known[0].unit,
            "smallest": sizes[0],
            "largest": sizes[-1],
            "points": len(sizes),
            "constant_term": float(line.intercept),
            "r_squared": float(line.rvalue) ** 2 if np.ptp(y) > 0 else 1.0,
            "level": LEVEL,
        }
        if all(one.exact for one in known):
            power = stats.linregress(np.log(x), np.log(y))
            reach = t_quantile((1 + LEVEL) / 2, len(sizes) - 2)
            for name, fit in (("per_byte", line), ("exponent", power)):
                slope, error = float(fit.slope), reach * float(fit.stderr)
                found |= {name: slope, f"{name}_low": slope - error, f"{name}_high": slope + error}
            return found
        blocks = self._blocks(metric, [(series, size) for size in sizes])
        if blocks.shape[0] < 2:
            return None
        centred = x - x.mean()
        logs = np.log(x) - np.log(x).mean()
        of_blocks = {
            "per_byte": blocks @ centred / (centred**2).sum(),
            "exponent": np.log(blocks) @ logs / (logs**2).sum(),
        }
        for name, slopes in of_blocks.items():
            low, high = student_t(np.sort(slopes)[None, :], LEVEL)
            found |= {
                name: float(np.sort(slopes).mean()),
                f"{name}_low": float(low[0]),
                f"{name}_high": float(high[0]),
            }
        return found | {"blocks": blocks.shape[0]}

    def growth_of(self, series: str, metric: str) -> dict[str, Any] | None:
        """The row of `growth` of a series and metric, or None."""
        rows = self.growth.filter((pl.col("series") == series) & (pl.col("metric") == metric))
        return rows.row(0, named=True) if rows.height else None

    def per_byte(self, series: str, metric: str = "time_to_proof") -> Quantity | None:
        """What another byte of the message costs, or None."""
        row = self.growth_of(series, metric)
        if row is None:
            return None
        return Quantity(row["per_byte"], row["per_byte_low"], row["per_byte_high"], row["unit"])

    def _blocks(self, metric: str, cells: Sequence[tuple[str, int]]) -> np.ndarray:
        """Values of the blocks that have every cell (series, size); shape (blocks, cells)."""
        by_cell = [self._by_block.get((series, metric, size), {}) for series, size in cells]
        whole = sorted(set.intersection(*(set(values) for values in by_cell)))
        return np.array([[values[block] for values in by_cell] for block in whole]).reshape(
            len(whole), len(cells)
        )

    @cached_property
    def _by_block(self) -> dict[tuple[str, str, int], dict[int, float]]:
        rows = (
            invocation_values(self.results.records)
            .join(
                self.results.configurations.filter(pl.col("threads_label") == THREADS).select(
                    "configuration", "series", "size"
                ),
                on="configuration",
            )
            .select("series", "metric", "size", "block", "value")
        )
        table: dict[tuple[str, str, int], dict[int, float]] = {}
        for series, metric, size, block, value in rows.iter_rows():
            table.setdefault((series, metric, size), {})[block] = value
        return table

    # ---- which function from which size on -----------------------------------------------------

    @cached_property
    def crossovers(self) -> pl.DataFrame:
        """Where one function begins to cost less than another; columns as in `CROSSOVER_SCHEMA`.

        Between two sizes at which the ratio of two functions of a system lies on different sides of
        one, by its whole interval, logarithms are interpolated in every block. Sizes between them
        whose interval contains one are passed over. Nothing is said of sizes beyond those measured.
        """
        rows: list[dict[str, object]] = []
        for system in self.systems:
            names = list(self.functions_of(system).values())
            for metric in ("constraints", "size:proving_key", "setup", "prove"):
                for first, second in combinations(names, 2):
                    rows += self._crossings(system, metric, first, second)
        return pl.DataFrame(rows, schema=CROSSOVER_SCHEMA)

    def _crossings(
        self, system: str, metric: str, first: str, second: str
    ) -> Iterable[dict[str, object]]:
        functions = dict(self.table.select("series", "function").iter_rows())
        decided = [
            (size, ratio)
            for size in self.shared_sizes([first, second], metric)
            if (ratio := self.results.ratio(first, second, metric, size)) is not None
            and not ratio.low <= 1 <= ratio.high
        ]
        for (below, lower), (above, upper) in pairwise(decided):
            if (lower.value < 1) == (upper.value < 1):
                continue
            cheaper = (first, second) if lower.value < 1 else (second, first)
            logs = np.log([below, above])
            if lower.exact and upper.exact:
                values = np.log([[lower.value, upper.value]])
            else:
                # Ratios of the blocks that have all four.
                cells = [(series, size) for series in (first, second) for size in (below, above)]
                four = np.log(self._blocks(metric, cells))
                values = four[:, :2] - four[:, 2:]
            at = logs[0] - values[:, 0] / (values[:, 1] - values[:, 0]) * (logs[1] - logs[0])
            found = _of_logarithms(at)
            yield {
                "system": system,
                "metric": metric,
                "cheaper_below": functions[cheaper[0]],
                "cheaper_above": functions[cheaper[1]],
                "bytes": found.value,
                "bytes_low": found.low if len(at) > 1 else None,
                "bytes_high": found.high if len(at) > 1 else None,
                "between": below,
                "and": above,
                "blocks": len(at),
            }

    # ---- ratios --------------------------------------------------------------------------------

    def between(
        self, metric: str, above: tuple[str, int], below: tuple[str, int]
    ) -> Quantity | None:
        """A metric of one circuit over that of another, each a series at a size.

        Paired within blocks, by Student's t on logarithms; None where fewer than two have both.
        """
        values = [self.results.value(series, metric, size) for series, size in (above, below)]
        if values[0] is None or values[1] is None:
            return None
        if values[0].exact and values[1].exact:
            ratio = values[0].value / values[1].value
            return Quantity(ratio, ratio, ratio)
        blocks = self._blocks(metric, [above, below])
        if len(blocks) < 2:
            return None
        return _of_logarithms(np.log(blocks[:, 0]) - np.log(blocks[:, 1]))

    def exponent_over(
        self,
        series: str,
        metric: str,
        counter: str = "constraints",
        among: Sequence[int] | None = None,
    ) -> Quantity | None:
        """The slope of a time's logarithm over that of a count: 1 where it is linear.

        `counter` is any that `count` has: `constraints`, `terms`, `domain`; `among` leaves out all
        other sizes. Least squares in every block, then Student's t over blocks; None with fewer
        than `FIT_MINIMUM` sizes or two blocks.
        """
        sizes = [
            size
            for size in self.sizes(series, metric)
            if self.count(series, size, counter) and (among is None or size in among)
        ]
        if len(sizes) < FIT_MINIMUM:
            return None
        blocks = self._blocks(metric, [(series, size) for size in sizes])
        if len(blocks) < 2:
            return None
        logs = np.log([float(self.count(series, size, counter) or 0) for size in sizes])
        logs -= logs.mean()
        slopes = np.sort(np.log(blocks) @ logs / (logs**2).sum())
        low, high = student_t(slopes[None, :], LEVEL)
        return Quantity(float(slopes.mean()), float(low[0]), float(high[0]))

    def native_gain(self, function: str, size: int, message: str = "bytes") -> Quantity | None:
        """How many times as long WebAssembly proves the same circuit as the native prover does."""
        slow, fast = (self.main(system, function, message) for system in (ZOKRATES, NATIVE))
        if slow is None or fast is None:
            return None
        return self.results.ratio(slow, fast, "prove", size, THREADS)

    def constraints(self, series: str, size: int) -> int | None:
        """The constraints of a series at a size, or None."""
        return self.count(series, size, "constraints")

    def count(self, series: str, size: int, counter: str) -> int | None:
        """What a series counts of its circuit at a size, or None.

        The terms of ZoKrates' circuits are those that the native prover counts of the same circuit.
        """
        found = self.results.quantity(series, counter, size)
        if found is None and (same := self._same_circuit.get(series)) is not None:
            found = self.results.quantity(same, counter, size)
        return None if found is None else int(found.value)

    @cached_property
    def _same_circuit(self) -> dict[str, str]:
        """Series of ZoKrates → the series that proves the same circuits natively."""
        circuit = ["function", "message", "gadget"]
        theirs, ours = (
            self.table.filter(pl.col("system") == system).select("series", *circuit)
            for system in (ZOKRATES, NATIVE)
        )
        both = theirs.join(ours, on=circuit, suffix="_native", nulls_equal=True)
        return dict(both.select("series", "series_native").iter_rows())

    def left_over(self, series: str) -> float | None:
        """How far constraints are from a line in the bytes and in the blocks of a message.

        The largest relative residual of least squares on a constant, the bytes and the number of
        times that the function is called on a block of them (`hash_reference.calls`); None with
        fewer than four sizes, through which there is always a line.
        """
        row = self.table.row(by_predicate=pl.col("series") == series, named=True)
        counts = {
            size: count
            for size in self.results.grid
            if (count := self.constraints(series, size)) is not None
        }
        if len(counts) < LEFT_OVER_MINIMUM:
            return None
        sizes = np.array(list(counts), dtype=np.float64)
        values = np.array(list(counts.values()), dtype=np.float64)
        called = np.array([calls(row["function"], size) for size in counts], dtype=np.float64)
        columns = np.column_stack([np.ones_like(sizes), sizes, called])
        fit, *_ = np.linalg.lstsq(columns / values[:, None], np.ones_like(values), rcond=None)
        return float(np.abs(columns @ fit / values - 1).max())

    def native_gains(self, function: str) -> list[tuple[int, int, Quantity]]:
        """The bytes of the message, the constraints and `native_gain` at every size that has it."""
        native = self.main(NATIVE, function)
        found = []
        for size in self.sizes(native) if native else ():
            count = self.constraints(native, size) if native else None
            gain = self.native_gain(function, size)
            if count is not None and gain is not None:
                found.append((size, count, gain))
        return found

    def compared_natively(self) -> list[tuple[str, int, Quantity]]:
        """`native_gain` of every circuit of `COMPARED_FROM` constraints or more.

        With the function and the bytes of its message.
        """
        return [
            (function, size, gain)
            for function in FUNCTIONS
            for size, count, gain in self.native_gains(function)
            if count >= COMPARED_FROM
        ]

    def friendly_gain(
        self, system: str, size: int, metric: str = "time_to_proof"
    ) -> tuple[str, str, Quantity] | None:
        """The cheapest function over bytes, the cheapest over a field, and their ratio.

        None where a system lacks either at this size.
        """
        found: dict[bool, tuple[float, str, str]] = {}
        for function in FUNCTIONS:
            series = self.main(system, function)
            value = None if series is None else self.results.value(series, metric, size)
            if series is None or value is None:
                continue
            mine = (value.value, function, series)
            kind = function in OVER_A_FIELD
            found[kind] = min(found.get(kind, mine), mine)
        if len(found) < 2:
            return None
        ratio = self.results.ratio(found[False][2], found[True][2], metric, size, THREADS)
        return None if ratio is None else (found[False][1], found[True][1], ratio)

    def friendly_gains(
        self, system: str, metric: str = "time_to_proof"
    ) -> list[tuple[int, str, str, Quantity]]:
        """`friendly_gain` at every size that has it, ascending, the size in front.

        The cheapest are of the functions that have a value there.
        """
        return [
            (size, *found)
            for size in self.results.grid
            if (found := self.friendly_gain(system, size, metric)) is not None
        ]

    def contested_gains(
        self, system: str, metric: str = "time_to_proof"
    ) -> list[tuple[int, str, str, Quantity]]:
        """`friendly_gains` where the cheapest function over bytes has another beside it.

        Of a system that has one alone, every size.
        """
        rivals = [set(self.sizes(one, metric)) for one in self.over_bytes_of(system).values()]
        return [
            gain
            for gain in self.friendly_gains(system, metric)
            if sum(gain[0] in sizes for sizes in rivals) >= min(2, len(rivals))
        ]

    def cheapest_over_bytes(self, system: str, metric: str) -> list[tuple[int, tuple[str, ...]]]:
        """The functions over bytes that cost least, by size, ascending, functions in their order.

        More than one where the interval of their ratio contains one; at each size of those that
        have a value there.
        """
        series = self.over_bytes_of(system)
        found = []
        for size in self.results.grid:
            costs = {
                function: value.value
                for function, one in series.items()
                if (value := self.results.value(one, metric, size)) is not None
            }
            if not costs:
                continue
            least = min(costs, key=lambda function: costs[function])
            ratios = {
                function: self.results.ratio(series[function], series[least], metric, size, THREADS)
                for function in costs
                if function != least
            }
            dearer = {name for name, one in ratios.items() if one is not None and one.low > 1}
            found.append((size, tuple(name for name in costs if name not in dearer)))
        return found

    # ---- what fits, and what did not -----------------------------------------------------------

    def fits(self, series: str, limit: int) -> Fits | None:
        """The largest message measured whose proving key is within `limit`; None without keys."""
        sizes = self.sizes(series, "size:proving_key")
        if not sizes:
            return None
        within = [
            size
            for size in sizes
            if (key := self.results.size_of(series, "proving_key", size)) is not None
            and key.value <= limit
        ]
        if not within:
            return Fits(Bound.NONE, None, sizes[0])
        if within[-1] == sizes[-1]:
            return Fits(Bound.AT_LEAST, within[-1])
        return Fits(Bound.MEASURED, within[-1], sizes[len(within)])

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Configurations without times, each with how its last invocation ended."""
        last = (
            self.results.invocations.sort("invocation")
            .group_by("configuration", maintain_order=True)
            .last()
            .join(
                self.results.invocations.filter(pl.col("outcome") == "done"),
                on="configuration",
                how="anti",
            )
        )
        named = last.join(
            self.results.configurations.select("configuration", "series", "size", "system"),
            on="configuration",
        ).join(self.table.select("series", "function"), on="series")
        return tuple(
            Failure(
                series=row["series"],
                function=row["function"],
                system=row["system"],
                size=row["size"],
                outcome=row["outcome"],
                message=_sentence(row["message"] or row["outcome"]),
                memory_bytes=row["memory_bytes"],
            )
            for row in named.sort("system", "function", "size", "series").iter_rows(named=True)
        )

    def lost(self, series: str) -> dict[int, str]:
        """The sizes of a series without times, ascending, each with how it ended."""
        return {one.size: one.outcome for one in self.failures if one.series == series}

    def ended_by(self, series: str) -> tuple[int, str] | None:
        """The first size without times above all that have some, and its outcome; None without.

        A circuit that cannot be compiled is in reach of no prover: where WebAssembly ran out of
        memory compiling it, a native series that was asked for no more has ended there as well,
        with the outcome `UNCOMPILED`.
        """
        reached = max(self.sizes(series), default=0)
        uncompiled = {
            one.size: UNCOMPILED
            for one in self.failures
            if self._same_circuit.get(one.series) == series and _COMPILING in one.message
        }
        lost = sorted({**uncompiled, **self.lost(series)}.items())
        return next(((size, why) for size, why in lost if size > reached), None)

    def out_of_memory(self, series: str) -> tuple[int, ...]:
        """The sizes at which a series ran out of memory, ascending."""
        return tuple(size for size, why in self.lost(series).items() if why == "out-of-memory")


def crossing_point(row: Mapping[str, Any]) -> Quantity:
    """The bytes of a row of `HashResults.crossovers`, exact where constraints decide."""
    low, high = (
        row["bytes"] if row[f"bytes_{end}"] is None else row[f"bytes_{end}"]
        for end in ("low", "high")
    )
    return Quantity(row["bytes"], low, high)


def read_hash_results(records: Path) -> HashResults:
    """The run in a folder, and the native speed beside it, analysed."""
    return HashResults(read_analysed(records), read_speed(records))


def _of_logarithms(values: np.ndarray) -> Quantity:
    """The geometric mean of what blocks say, with Student's t interval; exact for one value."""
    ordered = np.sort(values)
    middle = float(np.exp(ordered.mean()))
    if len(ordered) < 2:
        return Quantity(middle, middle, middle)
    low, high = student_t(ordered[None, :], LEVEL)
    return Quantity(middle, float(np.exp(low[0])), float(np.exp(high[0])))


def _sentence(text: str) -> str:
    """A message in one line, without the addresses that differ from run to run."""
    return re.sub(r"\s+", " ", text).strip()
