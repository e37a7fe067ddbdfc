"""Every number of the paper's section on ranges: keys `range.…`, generated, never typed.

They are added to those of `nizkbench.numbers`, with `rows.range-proofs` and the like, by which the
section is left out where that experiment was not recorded.
"""

from collections.abc import Iterator

from nizkbench.numbers import Number, _count, _number, _text, of_table
from nizkbench.quantities import exact
from nizkbench.range_prose import PROSE
from nizkbench.range_results import RangeResults
from nizkbench.range_tables import TABLES
from nizkbench.results import key_part

#: Metrics that have a key for every system, number of bits and of values.
METRICS = ("constraints", "setup", "time_to_proof", "verify", "size:proof")


def range_numbers(results: RangeResults) -> dict[str, Number]:
    """Every number of the section by its key."""
    stages = (_of_the_run(results), _of_proofs(results), _of_batches(results), _of_rows(results))
    found = {number.key: number for stage in stages for number in stage}
    for name, function in PROSE.items():
        key = f"finding.range-{name}"
        found[key] = _text(key, function(results), "range findings")
    return found


def _of_the_run(results: RangeResults) -> Iterator[Number]:
    run = results.results
    yield _text("range.profile", run.profile, "ranges: manifest")
    yield _count("range.smallest", run.smallest, "ranges: configurations")
    yield _count("range.largest", run.largest, "ranges: configurations")
    yield _count("range.configurations", run.configurations.height, "ranges: configurations")
    yield _count("range.invocations", run.invocations.height, "ranges: invocations")
    for name, count in zip(("fewest", "most"), results.invocations_each, strict=True):
        yield _count(f"range.invocations.{name}", count, "ranges: invocations that ended in done")


def _of_proofs(results: RangeResults) -> Iterator[Number]:
    for cell in results.cells:
        for metric in METRICS:
            for values in results.sizes(cell.series):
                value = results.value(cell.series, metric, values)
                if value is not None:
                    name = ".".join(map(key_part, (metric, cell.system, str(cell.bits))))
                    source = f"ranges: {cell.series}, {values} values"
                    yield _number(f"range.{name}.{values}", value, source)


def _of_batches(results: RangeResults) -> Iterator[Number]:
    for one in results.batches:
        name = f"{key_part(one.system)}.{one.values}.{one.proofs}"
        source = f"ranges: {one.system}, batches of {one.proofs}"
        yield _number(f"range.batch.{name}", one.each, source)
        if one.over_alone is not None:
            yield _number(f"range.batch-over-alone.{name}", one.over_alone, source)


def _of_rows(results: RangeResults) -> Iterator[Number]:
    """How much of each part there is, bare digits: LaTeX leaves out what has none."""
    rows = results.results.configurations.height
    yield Number("rows.range-proofs", str(rows), exact(rows), "ranges")
    for name, table in TABLES.items():
        yield from of_table(name, table(results))
