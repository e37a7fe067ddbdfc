"""Everything that is estimated from the records of one run, table by table."""

import polars as pl

from nizkbench.estimate import (
    estimate,
    exact_values,
    invocation_values,
    threads_used,
    timed_share,
)
from nizkbench.grinding import grinding
from nizkbench.ratios import MARGIN, control, false_positives, ratios
from nizkbench.records import Records
from nizkbench.scaling import scaling


def analyse(records: Records, margin: float = MARGIN) -> dict[str, pl.DataFrame]:
    """The tables of an analysis by name; each is described by the function that makes it.

    `estimates`, `ratios`, `scaling`, `grinding`; `control` (every configuration against itself) and
    `false_positives` (its error rate); `harness` (share of the time inside timed phases) and
    `threads` (CPU time against the threads allowed). `coverage` depends on no records and is made
    by `nizkbench.coverage`.
    """
    values, exact = invocation_values(records), exact_values(records)
    compared = control(values, records.configurations, margin)
    return {
        "estimates": estimate(records, values, exact),
        "ratios": ratios(values, exact, records.configurations, margin),
        "scaling": scaling(values, exact, records.configurations),
        "grinding": grinding(records),
        "control": compared,
        "false_positives": false_positives(compared),
        "harness": timed_share(records),
        "threads": threads_used(records),
    }
