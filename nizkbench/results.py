"""What a run and its analysis hold, read back for figures, tables and prose.

This module finds the estimate that a reader asks for, and says which configurations stand for a
system on equal terms. Ratios that the ratio table lacks are estimated as that table's are: by
Student's t on logarithms paired within blocks.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from nizkbench.errors import NizkBenchError
from nizkbench.estimate import invocation_values
from nizkbench.intervals import LEVEL, student_t
from nizkbench.plan import grinds
from nizkbench.quantities import Quantity
from nizkbench.records import SCHEMAS, TIMED_SHARE, Records, Run, read_run

if TYPE_CHECKING:
    from nizkbench.predicates import Verdict

ANALYSIS_TABLES = ("estimates", "ratios", "scaling", "grinding", "false_positives")
HEADLINE = "geometric mean"

SCHEME_NAMES = {
    "groth16": "Groth16",
    "plonk": "PLONK",
    "r1cs": "R1CS",
    "range": "range proofs",
    "stark": "STARK",
}
FIELD_NAMES = {"bls12-381": "BLS12-381", "bn254": "BN254"}
THREAD_NAMES = {"one": "one thread", "all": "all cores"}

#: One quantity of a run: series, metric, size and thread track.
Cell = tuple[str, str, int, str]

#: Where a size has several encodings, the one that would be sent or stored, first choice first.
ENCODINGS = ("compressed", "native", "uncompressed")

#: A proving key is sent to nobody: a prover keeps it in the form that it reads fastest.
KEPT = ("uncompressed", "native", "compressed")


def system_label(system: str) -> str:
    """`gnark/groth16/bn254` as a reader would say it: `gnark Groth16 BN254`."""
    parts = system.split("/")
    names = [SCHEME_NAMES.get(part, FIELD_NAMES.get(part, part)) for part in parts]
    return " ".join(names)


def key_part(text: str) -> str:
    """A name as a part of a key: lower case, words joined by hyphens."""
    kept = "".join(c if c.isalnum() else "-" for c in text.lower())
    return "-".join(filter(None, kept.split("-")))


def encodings(of: str) -> tuple[str, ...]:
    """The encodings in which something is counted, first choice first."""
    return KEPT if of == "proving_key" else ENCODINGS


def variant_of(text: str) -> dict[str, str]:
    """A canonical variant `a=b,c=d` as a mapping."""
    return dict(part.split("=", 1) for part in text.split(",") if part)


@dataclass(frozen=True)
class Results:
    """The tables of one run and of its analysis; columns as the modules that write them say."""

    profile: str
    manifest: Mapping[str, Any]
    configurations: pl.DataFrame
    invocations: pl.DataFrame
    samples: pl.DataFrame
    sizes: pl.DataFrame
    counters: pl.DataFrame
    checks: pl.DataFrame
    security: pl.DataFrame
    stops: pl.DataFrame
    estimates: pl.DataFrame
    ratios: pl.DataFrame
    scaling: pl.DataFrame
    grinding: pl.DataFrame
    false_positives: pl.DataFrame
    coverage: pl.DataFrame | None = None
    overhead: pl.DataFrame | None = None
    #: Verdicts that the records of another experiment decide, as published and on equal terms, by
    #: the claim's key (`nizkbench.grid_claims`).
    elsewhere: Mapping[str, tuple["Verdict", "Verdict"]] = field(default_factory=dict)

    @cached_property
    def grid(self) -> tuple[int, ...]:
        """Sizes (rounds) of the run, ascending."""
        return tuple(sorted(self.configurations["size"].unique().to_list()))

    @property
    def smallest(self) -> int:
        """The smallest size that was measured."""
        return self.grid[0]

    @property
    def largest(self) -> int:
        """The largest size that was measured."""
        return self.grid[-1]

    @property
    def size_name(self) -> str:
        """What the size of the run's statement is called: `rounds` or `bytes`."""
        return str(self.configurations["size_name"][0])

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Every system of the run, in alphabetical order."""
        return tuple(sorted(self.configurations["system"].unique().to_list()))

    @cached_property
    def thread_tracks(self) -> tuple[str, ...]:
        """The thread tracks of the main track, one thread first."""
        main = self.configurations.filter(pl.col("track") == "main")
        found = set(main["threads_label"].to_list())
        return tuple(label for label in THREAD_NAMES if label in found)

    @cached_property
    def _lookup(self) -> dict[Cell, Quantity]:
        rows = self.estimates.filter(
            pl.col("statistic").is_in([HEADLINE, "exact"]) & pl.col("value").is_not_null()
        ).select("series", "metric", "size", "threads_label", "value", "low", "high", "unit")
        table: dict[Cell, Quantity] = {}
        for series, metric, size, threads, value, low, high, unit in rows.iter_rows():
            table[series, metric, size, threads] = Quantity(
                value,
                value if low is None else low,
                value if high is None else high,
                unit,
            )
        return table

    @cached_property
    def metrics(self) -> frozenset[str]:
        """Every metric that has an estimate."""
        return frozenset(self.estimates["metric"].unique().to_list())

    def quantity(
        self, series: str, metric: str, size: int, threads: str | None = None
    ) -> Quantity | None:
        """The headline estimate, or None. Without `threads`, the first track that has one."""
        labels = tuple(THREAD_NAMES) if threads is None else (threads,)
        for label in labels:
            found = self._lookup.get((series, metric, size, label))
            if found is not None:
                return found
        return None

    def size_of(self, series: str, of: str, size: int) -> Quantity | None:
        """Bytes of `proof`, `verifying_key`, … in the encoding that would be sent.

        `proof+verifying_key` is their sum; a part that the system does not have adds nothing, but
        the first part must be there.
        """
        first, *others = of.split("+")
        if others:
            total = self.size_of(series, first, size)
            for other in others:
                part = self.size_of(series, other, size)
                if total is not None and part is not None:
                    total = Quantity(
                        total.value + part.value,
                        total.low + part.low,
                        total.high + part.high,
                        "bytes",
                    )
            return total
        for encoding in encodings(of):
            found = self.quantity(series, f"size_{of}_{encoding}", size)
            if found is not None:
                return found
        return None

    def value(
        self, series: str, metric: str, size: int, threads: str | None = None
    ) -> Quantity | None:
        """`quantity`, where `size:proof` asks for the size of a proof in its sent encoding."""
        if metric.startswith("size:"):
            return self.size_of(series, metric.removeprefix("size:"), size)
        return self.quantity(series, metric, size, threads)

    @cached_property
    def series_table(self) -> pl.DataFrame:
        """One row a series: series, track, system, variant, options, instances, sound."""
        return (
            self.configurations.select(
                "series", "track", "system", "variant", "options", "instances", "sound"
            )
            .unique(maintain_order=True)
            .sort("system", "track", "series")
        )

    def series_in(self, track: str, system: str | None = None) -> list[str]:
        """Names of the series of a track, and of one system where given."""
        rows = self.series_table.filter(pl.col("track") == track)
        if system is not None:
            rows = rows.filter(pl.col("system") == system)
        return list(dict.fromkeys(rows["series"].to_list()))

    def system_of(self, series: str) -> str:
        """The system of a series."""
        rows = self.series_table.filter(pl.col("series") == series)
        if rows.is_empty():
            raise NizkBenchError(f"series {series!r} is not part of this run")
        return str(rows["system"][0])

    def is_sound(self, series: str) -> bool:
        """Whether a series is declared sound."""
        return bool(self.series_table.filter(pl.col("series") == series)["sound"].all())

    @cached_property
    def equal_terms(self) -> dict[str, str]:
        """System → the series that stands for it on equal terms: the sound one of the main track.

        Where a profile has several for one system, the first in alphabetical order stands for it.
        """
        rows = self.series_table.filter((pl.col("track") == "main") & pl.col("sound"))
        chosen: dict[str, str] = {}
        for series, system in rows.select("series", "system").iter_rows():
            chosen.setdefault(system, series)
        return chosen

    def variant_pair(
        self, system: str, name: str, values: tuple[str, str]
    ) -> tuple[str, str] | None:
        """Two series of a system, equal but for the variant `name`, which has these values.

        Series of earlier work's track are left out: they differ in their instances as well.
        """
        rows = self.series_table.filter(
            (pl.col("system") == system) & (pl.col("track") != "as-published")
        ).sort("track")
        found: dict[tuple[str, str], dict[str, str]] = {}
        for series, variant, options in rows.select("series", "variant", "options").iter_rows():
            chosen = variant_of(variant)
            value = chosen.pop(name, None)
            if value in values:
                group = found.setdefault((json.dumps(chosen, sort_keys=True), options), {})
                group.setdefault(value, series)
        for group in found.values():
            if len(group) == len(values):
                return group[values[0]], group[values[1]]
        return None

    def options_changed(self, series: str) -> dict[str, dict[str, Any]]:
        """Series that differ from this one in options alone → the options that they change."""
        anchor = self.series_table.filter(pl.col("series") == series).row(0, named=True)
        wanted = json.loads(anchor["options"])
        rows = self.series_table.filter(
            (pl.col("system") == anchor["system"])
            & (pl.col("variant") == anchor["variant"])
            & (pl.col("instances") == anchor["instances"])
            & (pl.col("series") != series)
        )
        found = {}
        for other, text in rows.select("series", "options").iter_rows():
            options = json.loads(text)
            names = sorted({*options, *wanted})
            found[other] = {n: options.get(n) for n in names if options.get(n) != wanted.get(n)}
        return found

    def with_option(self, series: str, name: str, value: int | str) -> str | None:
        """The series that differs from this one in a single option, which has this value."""
        for other, changed in self.options_changed(series).items():
            if changed == {name: value}:
                return other
        return None

    def with_variant(self, series: str, name: str, value: str) -> str | None:
        """The series that differs from this one in a single variant, which has this value."""
        anchor = self.series_table.filter(pl.col("series") == series).row(0, named=True)
        wanted = variant_of(anchor["variant"]) | {name: value}
        rows = self.series_table.filter(
            (pl.col("system") == anchor["system"])
            & (pl.col("options") == anchor["options"])
            & (pl.col("instances") == anchor["instances"])
            & (pl.col("series") != series)
        )
        for other, variant in rows.select("series", "variant").iter_rows():
            if variant_of(variant) == wanted:
                return str(other)
        return None

    @cached_property
    def fewest_invocations(self) -> int:
        """How many invocations with times a configuration has at least, of those that have any."""
        done = self.invocations.filter(pl.col("outcome") == "done")
        least = done.group_by("configuration").len()["len"].min()
        return int(least) if isinstance(least, int) else 0

    def with_options_combined(self, series: str) -> str | None:
        """The series that changes the most options at once, if it changes more than one."""
        found = self.options_changed(series)
        most = max(found, key=lambda other: len(found[other]), default=None)
        return most if most is not None and len(found[most]) > 1 else None

    @cached_property
    def as_published(self) -> dict[str, str]:
        """System → its series on the terms of earlier work.

        Where a profile has several of one system, with options changed one at a time, the one
        with the system's own default options is what they were changed from; without such, the one
        closest to all of them.
        """
        rows = self.series_table.filter(pl.col("track") == "as-published")
        chosen = {}
        for system in sorted(rows["system"].unique().to_list()):
            names = rows.filter(pl.col("system") == system)["series"].to_list()
            chosen[system] = min(
                names,
                key=lambda s: (
                    self._options_off_default(s),
                    sum(map(len, self.options_changed(s).values())),
                    s,
                ),
            )
        return chosen

    def options_of(self, series: str) -> dict[str, Any]:
        """The options of a series."""
        row = self.series_table.filter(pl.col("series") == series).row(0, named=True)
        options: dict[str, Any] = json.loads(row["options"])
        return options

    def _options_off_default(self, series: str) -> int:
        """How many options of a series are not what its runner describes as default."""
        described = self.descriptions.get(self.system_of(series), {}).get("options", [])
        options = self.options_of(series)
        return sum(options.get(one["name"], one["default"]) != one["default"] for one in described)

    def ratio(
        self,
        numerator: str,
        denominator: str,
        metric: str,
        size: int,
        threads: str | None = None,
    ) -> Quantity | None:
        """The ratio of two series, from the ratio table where it holds the pair.

        That table has no pairs of series of different thread tracks (earlier work compared such),
        nor of different encodings of a size; these are paired within blocks here, in the same way.
        None where one has no value, or where fewer than two blocks have both.
        """
        above = self._cell(numerator, metric, size, threads)
        below = self._cell(denominator, metric, size, threads)
        if above is None or below is None:
            return None
        if above[1] == below[1]:
            found = self._ratio_lookup(numerator, denominator, above[1], size, threads)
            if found is not None:
                return found
        return self._paired([above], [below])

    def change_of_ratio(
        self,
        numerator: str,
        denominator: str,
        metric: str,
        sizes: tuple[int, int],
        threads: str | None = None,
    ) -> Quantity | None:
        """The ratio of two series at the second size over that at the first, paired within blocks.

        A block has all four, so its difference of differences of logarithms is one value, and the
        interval is Student's t over blocks.
        """
        first, last = sizes
        above = [
            self._cell(numerator, metric, last, threads),
            self._cell(denominator, metric, first, threads),
        ]
        below = [
            self._cell(numerator, metric, first, threads),
            self._cell(denominator, metric, last, threads),
        ]
        return self._paired(above, below)

    def gain_of_threads(self, series: str, metric: str, size: int) -> Quantity | None:
        """All cores' value over one thread's, paired within blocks."""
        return self._paired(
            [self._cell(series, metric, size, "all")], [self._cell(series, metric, size, "one")]
        )

    def _paired(
        self, above: Sequence[Cell | None], below: Sequence[Cell | None]
    ) -> Quantity | None:
        """The product of some quantities over that of others, paired within blocks.

        An exact quantity is the same in every block; where all are exact, so is the result.
        """
        signed = [*((cell, 1) for cell in above), *((cell, -1) for cell in below)]
        exact, varying = 1.0, []
        for cell, sign in signed:
            if cell is None or self._lookup[cell].value <= 0:
                return None
            if cell in self._by_block:
                varying.append((self._by_block[cell], sign))
            else:
                exact *= self._lookup[cell].value ** sign
        if not varying:
            return Quantity(exact, exact, exact)
        blocks = set.intersection(*(set(logarithms) for logarithms, _ in varying))
        if len(blocks) < 2:
            return None
        differences = sorted(
            math.log(exact) + sum(sign * logarithms[block] for logarithms, sign in varying)
            for block in blocks
        )
        matrix = np.array([differences])
        low, high = student_t(matrix, LEVEL)
        return Quantity(
            math.exp(float(matrix.mean())), math.exp(float(low[0])), math.exp(float(high[0]))
        )

    def _cell(self, series: str, metric: str, size: int, threads: str | None) -> Cell | None:
        """Where the headline estimate of `value` stands; None where there is none."""
        metrics = [metric]
        if metric.startswith("size:"):
            of = metric.removeprefix("size:")
            metrics = [f"size_{of}_{encoding}" for encoding in encodings(of)]
        labels = tuple(THREAD_NAMES) if threads is None else (threads,)
        for name in metrics:
            for label in labels:
                if (series, name, size, label) in self._lookup:
                    return series, name, size, label
        return None

    @cached_property
    def _by_block(self) -> dict[Cell, dict[int, float]]:
        """Logarithms of the invocations' values of what varies, by block."""
        rows = (
            invocation_values(self.records)
            .filter(pl.col("value") > 0)
            .join(
                self.configurations.select("configuration", "series", "size", "threads_label"),
                on="configuration",
            )
            .group_by("series", "metric", "size", "threads_label", "block")
            .agg(pl.col("value").log().mean())
        )
        table: dict[Cell, dict[int, float]] = {}
        for series, metric, size, threads, block, logarithm in rows.iter_rows():
            table.setdefault((series, metric, size, threads), {})[block] = logarithm
        return table

    def by_block(self, series: str, metric: str, size: int, threads: str) -> Mapping[int, float]:
        """Logarithms of what a configuration's invocations came to, by block; none where exact.

        Metrics are those of `value`, in base units.
        """
        cell = self._cell(series, metric, size, threads)
        return {} if cell is None else self._by_block.get(cell, {})

    def told_apart(
        self, numerator: str, denominator: str, metric: str, size: int, threads: str
    ) -> bool | None:
        """Whether two series differ: by their p-value after Holm's correction, at 5 %.

        Exact quantities differ where they are not equal; None where the run has no such ratio.
        """
        rows = self.ratios.filter(
            pl.col("numerator").is_in([numerator, denominator])
            & pl.col("denominator").is_in([numerator, denominator])
            & (pl.col("metric") == metric)
            & (pl.col("size") == size)
            & (pl.col("threads_label") == threads)
        )
        if rows.is_empty():
            return None
        row = rows.row(0, named=True)
        if row["p_value_holm"] is None:
            return row["low"] is not None and not row["low"] <= 1 <= row["high"]
        return bool(row["p_value_holm"] < 1 - LEVEL)

    @cached_property
    def records(self) -> Records:
        """The tables of the run as they were recorded."""
        return Records(**{name: getattr(self, name) for name in SCHEMAS})

    def grinds(self, series: str) -> bool:
        """Whether proofs of a series contain proof of work, so that their times are draws."""
        return grinds(self.options_of(series))

    @cached_property
    def _ratio_table(self) -> dict[tuple[str, str, str, int, str], Quantity]:
        columns = ("numerator", "denominator", "metric", "size", "threads_label")
        rows = self.ratios.filter(pl.col("value").is_not_null())
        table: dict[tuple[str, str, str, int, str], Quantity] = {}
        for row in rows.iter_rows(named=True):
            above, below, metric, size, threads = (row[column] for column in columns)
            value, low, high = row["value"], row["low"], row["high"]
            low, high = (value if low is None else low), (value if high is None else high)
            table[above, below, metric, size, threads] = Quantity(value, low, high)
            table[below, above, metric, size, threads] = Quantity(1 / value, 1 / high, 1 / low)
        return table

    def _ratio_lookup(
        self, numerator: str, denominator: str, metric: str, size: int, threads: str | None
    ) -> Quantity | None:
        labels = tuple(THREAD_NAMES) if threads is None else (threads,)
        for label in labels:
            found = self._ratio_table.get((numerator, denominator, metric, size, label))
            if found is not None:
                return found
        return None

    def failure(self, series: str, size: int, threads: str | None = None) -> str | None:
        """How a configuration that has no value failed (`timeout`, `out-of-memory`, …), or None."""
        rows = self.configurations.filter((pl.col("series") == series) & (pl.col("size") == size))
        if threads is not None:
            rows = rows.filter(pl.col("threads_label") == threads)
        outcomes = self.invocations.join(
            rows.select("configuration"), on="configuration", how="semi"
        ).filter(pl.col("outcome") != "done")["outcome"]
        return str(outcomes[0]) if len(outcomes) else None

    @cached_property
    def verify_regimes(self) -> dict[str, float]:
        """System → how much longer its verify takes after a proof than again and again.

        The first is the run's estimate, where every verification follows its proof; the second the
        runner's median in `overhead`. Both on one thread, at the rounds and in the variant of the
        latter. They are not interleaved, so a difference of some percent may be the machine's.
        """
        if self.overhead is None:
            return {}
        alone = self.overhead.filter(
            (pl.col("phase") == "verify")
            & (pl.col("threads") == 1)
            & pl.col("statement").is_in(self.configurations["statement"].unique().implode())
        )
        found = {}
        for system, variant, rounds, again_ns in alone.select(
            "system", "variant", "size", "runner_ns"
        ).iter_rows():
            series = self.equal_terms.get(system)
            if series is None or variant != self._variant(series):
                continue
            after = self.quantity(series, "verify", rounds, "one")
            if after is not None:
                found[system] = after.value / again_ns
        return found

    def _variant(self, series: str) -> str:
        return str(self.series_table.filter(pl.col("series") == series)["variant"][0])

    @cached_property
    def timed_share(self) -> float:
        """Share of the run's wall time inside timed phases; interruptions are no part of it."""
        return float(self.invocations.select(TIMED_SHARE).item())

    @property
    def epoch(self) -> int:
        """When the run began, in seconds since 1970: the date of everything made from it."""
        return epoch_of(self.manifest)

    @cached_property
    def descriptions(self) -> dict[str, dict[str, Any]]:
        """What its runner says of a system (`describe`), by the system's name."""
        return {
            system["system"]: system | {"library": runner["library"]}
            for runner in self.manifest.get("runners", {}).values()
            for system in runner["systems"]
        }


def epoch_of(manifest: Mapping[str, Any]) -> int:
    """When a run began, in seconds since 1970."""
    return int(datetime.fromisoformat(manifest["started_utc"]).timestamp())


def _read(path: Path, made_by: str) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except FileNotFoundError:
        raise NizkBenchError(f"{path} does not exist; `nizkbench {made_by}` writes it") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise NizkBenchError(f"{path} cannot be read as a table ({error})") from error


def results_of(
    run: Run,
    tables: Mapping[str, pl.DataFrame],
    coverage: pl.DataFrame | None = None,
    overhead: pl.DataFrame | None = None,
) -> Results:
    """A run and its analysis together; without `coverage` and `overhead` their tables are empty."""
    return Results(
        profile=run.manifest["name"],
        manifest=run.manifest,
        coverage=coverage,
        overhead=overhead,
        elsewhere={},
        **{name: run.records.table(name) for name in SCHEMAS},
        **{name: tables[name] for name in ANALYSIS_TABLES},
    )


def read_results(records: Path, analysis: Path) -> Results:
    """Everything of a run: its records in `records`, its estimates in `analysis`.

    The simulated coverage of the estimators belongs to no run and stands beside `analysis`.
    """
    return results_of(
        read_run(records),
        {name: _read(analysis / f"{name}.parquet", "estimate") for name in ANALYSIS_TABLES},
        _read(analysis.parent / "coverage.parquet", "coverage"),
        read_overhead(records),
    )


def read_overhead(records: Path) -> pl.DataFrame | None:
    """What the harness costs (`nizkbench.overhead.SCHEMA`), where that is kept beside records."""
    path = records / "overhead.parquet"
    return _read(path, "overhead") if path.exists() else None
