"""Every number of the paper's section on hash functions: keys `hash.…`, generated, never typed.

They are added to those of `nizkbench.numbers`, with `rows.hash-functions` and the like, by which
the section is left out where that experiment was not recorded.
"""

from collections.abc import Iterator

from nizkbench.hash_claims import hash_verdicts
from nizkbench.hash_prose import PROSE
from nizkbench.hash_results import FUNCTIONS, THREADS, HashResults
from nizkbench.hash_speed import HASH, MERKLE, per_hash, whole_task
from nizkbench.hash_tables import TABLES
from nizkbench.numbers import Number, _count, _number, _text, of_table
from nizkbench.quantities import exact
from nizkbench.results import key_part

#: Metrics that have a key for every system, function and size.
METRICS = ("constraints", "compile", "setup", "prove", "verify", "size:proving_key", "size:proof")


def hash_numbers(results: HashResults) -> dict[str, Number]:
    """Every number of the section by its key."""
    stages = (
        _of_the_run(results),
        _of_circuits(results),
        _of_speed(results),
        _of_claims(results),
        _of_rows(results),
    )
    found = {number.key: number for stage in stages for number in stage}
    for name, function in PROSE.items():
        key = f"finding.hash-{name}"
        found[key] = _text(key, function(results), "hash findings")
    return found


def _of_the_run(results: HashResults) -> Iterator[Number]:
    run = results.results
    yield _text("hash.profile", run.profile, "hash functions: manifest")
    yield _text("hash.date", str(run.manifest.get("started_utc", ""))[:10], "hash: manifest")
    yield _count("hash.smallest", run.smallest, "hash functions: configurations")
    yield _count("hash.largest", run.largest, "hash functions: configurations")
    yield _count("hash.configurations", run.configurations.height, "hash: configurations")
    yield _count("hash.invocations", run.invocations.height, "hash functions: invocations")
    blocks = run.invocations["block"].max()
    assert isinstance(blocks, int)
    yield _count("hash.blocks", blocks + 1, "hash functions: invocations")


def _of_circuits(results: HashResults) -> Iterator[Number]:
    for system in results.systems:
        for function, series in results.functions_of(system).items():
            for metric in METRICS:
                for size in results.results.grid:
                    value = results.results.value(series, metric, size, THREADS)
                    if value is None:
                        continue
                    name = ".".join(map(key_part, (metric, system, function)))
                    source = f"hash functions: {series}, {size} bytes"
                    yield _number(f"hash.{name}.{size}", value, source)


def _of_speed(results: HashResults) -> Iterator[Number]:
    if results.speed is None:
        return
    for function in FUNCTIONS:
        for task, quantity in (
            (HASH, per_hash(results.speed, function, HASH)),
            (MERKLE, whole_task(results.speed, function, MERKLE)),
        ):
            if quantity is not None:
                yield _number(f"hash.speed.{task}.{function}", quantity, "hash functions: speed")


def _of_claims(results: HashResults) -> Iterator[Number]:
    for key, pair in hash_verdicts(results).items():
        for terms, verdict in zip(("published", "equal"), pair, strict=True):
            yield _text(f"verdict.{key}.{terms}", str(verdict.outcome), "hash claims")
            yield _text(f"because.{key}.{terms}", verdict.sentence, "hash claims")


def _of_rows(results: HashResults) -> Iterator[Number]:
    """How much of each part there is, bare digits: LaTeX leaves out what has none."""
    rows = results.results.configurations.height
    yield Number("rows.hash-functions", str(rows), exact(rows), "hash functions")
    for name, table in TABLES.items():
        yield from of_table(name, table(results))
