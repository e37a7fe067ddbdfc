"""A run and what is estimated from it: the results of records that nobody analysed before.

`nizkbench.results.read_results` reads estimates that were written before.
"""

from pathlib import Path

import polars as pl

from nizkbench.analysis import analyse
from nizkbench.records import Run, read_run
from nizkbench.results import Results, read_overhead, results_of


def analysed(run: Run, overhead: pl.DataFrame | None = None) -> Results:
    """The results of a run, with what the harness costs where that was compared."""
    return results_of(run, analyse(run.records), overhead=overhead)


def read_analysed(records: Path) -> Results:
    """The results of the run in a folder; `NizkBenchError` where none is there."""
    return analysed(read_run(records), read_overhead(records))
