"""Ranges of committed values: what a proof costs by its bits and values, and in a batch.

Built on `nizkbench.results`: a series is a system at a number of bits, its size is the number of
values. Times are nanoseconds, sizes bytes.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from nizkbench.analysed import read_analysed
from nizkbench.criteria import p_value
from nizkbench.errors import NizkBenchError
from nizkbench.intervals import LEVEL
from nizkbench.profile import RangeProofs
from nizkbench.quantities import Quantity
from nizkbench.ratios import holm
from nizkbench.results import Results, variant_of

BULLETPROOFS = "bulletproofs/range/ristretto255"
BELLMAN = "bellman/groth16/bls12-381"

#: The bits that systems are compared at, and the thread track.
BITS = 64
THREADS = "one"

#: A sample of this metric is a whole batch.
TOGETHER = "verify-batch"


class NoRangesError(NizkBenchError):
    """Records hold no configuration of `range`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A system at a number of bits, and the series that stands for it."""

    system: str
    bits: int
    series: str


@dataclass(frozen=True, slots=True)
class Batch:
    """So many proofs verified together, and what each takes of that time."""

    system: str
    values: int
    proofs: int
    each: Quantity
    #: `each` over the time to verify one proof alone.
    over_alone: Quantity | None


@dataclass(frozen=True)
class RangeResults:
    """A run of the experiment on ranges."""

    results: Results

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every system and number of bits without batches, in order."""
        found = [
            Cell(system, bits, series)
            for system, bits, batch, series in self._series()
            if batch is None
        ]
        return tuple(sorted(found, key=lambda one: (one.system, one.bits)))

    @property
    def systems(self) -> tuple[str, ...]:
        """Every system of the run, in alphabetical order."""
        return tuple(dict.fromkeys(cell.system for cell in self.cells))

    def series(self, system: str, bits: int = BITS) -> str | None:
        """The series of a system at a number of bits, or None."""
        return next(
            (one.series for one in self.cells if (one.system, one.bits) == (system, bits)), None
        )

    def value(self, series: str, metric: str, values: int) -> Quantity | None:
        """An estimate, as `Results.value` has it."""
        return self.results.value(series, metric, values, THREADS)

    def ratio(self, above: str, below: str, metric: str, values: int) -> Quantity | None:
        """The ratio of two series, within blocks where some have both, else the widest."""
        pair = self.value(above, metric, values), self.value(below, metric, values)
        if pair[0] is None or pair[1] is None:
            return None
        paired = self.results.ratio(above, below, metric, values, THREADS)
        return quotient(pair[0], pair[1]) if paired is None else paired

    def alike(self, best: str, others: Sequence[str], metric: str, values: int) -> frozenset[str]:
        """Those of the other series that are not told apart from the best.

        By Student's t on logarithms paired within blocks, with Holm's correction over all others,
        as `nizkbench.criteria` has it of sums.
        """
        first, *rest = (
            self.results.by_block(series, metric, values, THREADS) for series in (best, *others)
        )
        p_values = [
            p_value({block: blocks[block] - first[block] for block in blocks.keys() & first.keys()})
            for blocks in rest
        ]
        corrected = holm(np.array(p_values))
        return frozenset(
            series for series, p in zip(others, corrected, strict=True) if not p < 1 - LEVEL
        )

    @property
    def invocations_each(self) -> tuple[int, int]:
        """From how many invocations the estimates of a configuration are: the fewest and the most.

        Of those that have times.
        """
        done = self.results.invocations.filter(pl.col("outcome") == "done")
        counts = done.group_by("configuration").len()["len"].to_list()
        return min(counts, default=0), max(counts, default=0)

    def per_value(self, series: str, metric: str, values: int) -> Quantity | None:
        """An estimate divided by the number of values."""
        whole = self.value(series, metric, values)
        return None if whole is None else divided(whole, values)

    def sizes(self, series: str) -> tuple[int, ...]:
        """The numbers of values that a series has a proof of."""
        found = (size for size in self.results.grid if self.value(series, "size:proof", size))
        return tuple(found)

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        """Every batch, by system, values and the number of its proofs."""
        found = []
        for system, bits, proofs, series in self._series():
            alone = self.series(system, bits)
            if proofs is None:
                continue
            for values in self.results.grid:
                whole = self.value(series, TOGETHER, values)
                if whole is None:
                    continue
                each = divided(whole, proofs)
                single = None if alone is None else self.value(alone, "verify", values)
                over = None if single is None else quotient(each, single)
                found.append(Batch(system, values, proofs, each, over))
        return tuple(sorted(found, key=lambda one: (one.system, one.values, one.proofs)))

    def _series(self) -> Iterator[tuple[str, int, int | None, str]]:
        for row in self.results.series_table.iter_rows(named=True):
            batch = json.loads(row["options"]).get("batch")
            yield row["system"], int(variant_of(row["variant"])["bits"]), batch, row["series"]


def divided(quantity: Quantity, by: int) -> Quantity:
    """A quantity over a whole number."""
    return Quantity(quantity.value / by, quantity.low / by, quantity.high / by, quantity.unit)


def quotient(above: Quantity, below: Quantity) -> Quantity:
    """The ratio of two quantities with the widest interval that theirs allow."""
    return Quantity(above.value / below.value, above.low / below.high, above.high / below.low)


def range_results(results: Results) -> RangeResults:
    """The results of a run; `NoRangesError` where it has none of this statement."""
    if set(results.configurations["statement"].to_list()) != {RangeProofs.STATEMENT}:
        raise NoRangesError(f"run {results.profile} is none of {RangeProofs.STATEMENT}")
    return RangeResults(results)


def read_range_results(records: Path) -> RangeResults:
    """A recorded run, analysed."""
    return range_results(read_analysed(records))
