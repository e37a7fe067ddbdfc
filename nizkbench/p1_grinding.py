"""Why 42 queries proved six times slower than 41: the experiment of earlier work, taken apart.

El-Hajj and Oude Roelink (2024) timed the proofs of one fixed instance, once for each number of
queries. A proof takes

    T = structure(queries) + attempts · cost of one attempt

and attempts at the proof of work are geometric: with 16 bits their mean is 65 536, their standard
deviation the same. With a fixed instance every sample repeats one draw of it, however many are
averaged, and another number of queries is another draw. Here the experiment is made three times:

- `fixed`: as it was, on one instance of this run's seed. A ratio of two numbers of queries is what
  the option costs and what the nonces cost, and nothing in it tells which is which.
- `fresh`: with a new instance for each sample, and each time moved to the expected number of
  attempts (T − (attempts − 2^g) · cost, a control variate). Luck is gone, the option is left.
- `published`: the very proofs of earlier work, timed again (`nizkbench.p1_published`). Older
  records lack them, and then nothing is said of them but what they would take.

What a proof on a fixed instance takes is also *predicted*, from fresh instances and its attempts
alone: structure + attempts · cost. The prediction stands beside the measured time as a check.

Of a ratio R between two numbers of queries, ln(R / R_fresh) / ln R is luck of the nonce: 1 where
the option costs nothing, 0 where nothing was luck.

Every interval leaves out one block at a time, which holds one process of every configuration (the
jackknife over blocks; Efron and Stein 1981, doi:10.1214/aos/1176345462), with Student's t, on the
logarithm where the value is a time or a ratio. Published proofs have blocks of their own, and the
variances that the two kinds of blocks account for add up. Times are times to proof, in nanoseconds.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nizkbench.distributions import gamma_quantile, t_quantile
from nizkbench.errors import NizkBenchError
from nizkbench.estimate import done
from nizkbench.grinding import ATTEMPTS, geometric_p_value
from nizkbench.intervals import LEVEL, Floats
from nizkbench.messages import Instances, OptionValue
from nizkbench.p1_published import (
    ALONE,
    DEFAULTS,
    FEWEST_BLOCKS,
    PUBLISHED_ROUNDS,
    PUBLISHED_VERSION,
    Timed,
    published_attempts,
    timed,
)
from nizkbench.plan import canonical_variant
from nizkbench.profile import Blocks, Mimc, P1Grinding, Samples, Series
from nizkbench.records import Records

#: The STARK of earlier work: round constants a column that nothing binds, the preimage public.
VARIANT = {"constants": "unbound", "preimage": "public"}

#: Its default options, but for the queries.
OPTIONS: dict[str, OptionValue] = {
    name: value for name, value in DEFAULTS.items() if name != "queries"
}

QUERIES_SCHEMA = pl.Schema(
    {
        "system": pl.String,
        "library_version": pl.String,
        "rounds": pl.Int64,
        "queries": pl.Int64,
        "attempts_expected": pl.Float64,
        "attempts_fixed": pl.Float64,
        "attempts_fresh": pl.Float64,
        "attempts_published": pl.Float64,
        **{
            f"{name}{bound}": pl.Float64
            for name in (
                "structure_ns",
                "fixed_ns",
                "fresh_ns",
                "published_ns",
                "predicted_ns",
                "predicted_fixed_ns",
                "predicted",
            )
            for bound in ("", "_low", "_high")
        },
    }
)

PROOFS_SCHEMA = pl.Schema(
    {
        "system": pl.String,
        "library_version": pl.String,
        "rounds": pl.Int64,
        "instances": pl.String,
        "queries": pl.Int64,
        "block": pl.Int64,
        "attempts": pl.Float64,
        "time_ns": pl.Float64,
    }
)

LUCK_SCHEMA = pl.Schema(
    {
        "system": pl.String,
        "library_version": pl.String,
        "rounds": pl.Int64,
        "instance": pl.String,
        "queries": pl.Int64,
        "queries_below": pl.Int64,
        "attempts": pl.Float64,
        "attempts_below": pl.Float64,
        **{
            f"{name}{bound}": pl.Float64
            for name in ("ratio", "ratio_fresh", "luck", "between", "chance", "predicted")
            for bound in ("", "_low", "_high")
        },
        "blocks": pl.Int64,
        "level": pl.Float64,
        "method": pl.String,
    }
)

ATTEMPTS_SCHEMA = pl.Schema(
    {
        "system": pl.String,
        "library_version": pl.String,
        "rounds": pl.Int64,
        "draws": pl.Int64,
        "expected": pl.Float64,
        "mean": pl.Float64,
        "mean_low": pl.Float64,
        "mean_high": pl.Float64,
        "p_value_geometric": pl.Float64,
        "cost_ns": pl.Float64,
        "cost_ns_low": pl.Float64,
        "cost_ns_high": pl.Float64,
        "r_squared": pl.Float64,
        "level": pl.Float64,
    }
)


class NoP1GrindingError(NizkBenchError):
    """Records do not hold the experiment, or not enough of it."""


def experiment(parameters: P1Grinding) -> Mimc:
    """The experiment as one that `nizkbench.measure` carries out.

    Every system with every number of queries, on one fixed instance and on fresh ones. An
    invocation has the same number of samples whatever they take: stopping by the clock would favour
    those with few attempts.
    """
    policies: tuple[Instances, ...] = ("fixed", "fresh")
    return Mimc(
        seed=parameters.seed,
        rounds=(parameters.rounds,),
        threads=("one",),
        blocks=Blocks(
            minimum=parameters.blocks,
            maximum=parameters.blocks,
            target_half_width=1e-9,
            seconds=86400.0,
        ),
        samples=Samples(
            warmup=1, minimum=parameters.samples, maximum=parameters.samples, seconds=86400.0
        ),
        limits=parameters.limits,
        bit_flips=parameters.bit_flips,
        series=tuple(
            Series(
                # On fresh instances it is no longer what was published.
                track="as-published" if instances == "fixed" else "priced",
                system=system,
                variant=dict(VARIANT),
                options=OPTIONS | {"queries": queries},
                instances=instances,
            )
            for system in parameters.systems
            for instances in policies
            for queries in parameters.queries
        ),
    )


@dataclass(frozen=True)
class Measured:
    """What was measured of one system, as arrays over queries, blocks and samples.

    `wall` and `attempts` are of fresh instances, of shape (queries, blocks, samples); `fixed` are
    the medians of invocations on the fixed instance, of shape (queries, blocks), and
    `fixed_attempts` of shape (queries,). `published` are the medians of processes that proved the
    published instance, of shape (queries, blocks of theirs), NaN for what was not timed, and
    `published_attempts` of shape (queries,) what is on record, NaN for what is not.
    """

    system: str
    library_version: str
    rounds: int
    queries: tuple[int, ...]
    expected: float
    wall: Floats
    attempts: Floats
    fixed: Floats
    fixed_attempts: Floats
    published: Floats
    published_attempts: Floats

    @property
    def blocks(self) -> tuple[int, int]:
        """How many blocks there are of the run, and of the published proofs."""
        return self.wall.shape[1], self.published.shape[1]

    @property
    def has_published(self) -> bool:
        """Whether published proofs were timed with any of the numbers of queries."""
        return bool(np.isfinite(self.published).any())


@dataclass(frozen=True)
class Estimate:
    """What some of the blocks say: times by queries, and the cost of one attempt."""

    cost: float
    fixed: Floats
    fresh: Floats
    structure: Floats
    published: Floats

    def predicted(self, attempts: Floats) -> Floats:
        """What proofs with these attempts take, by fresh instances alone; of shape (queries,)."""
        return self.structure + self.cost * attempts


def measured(records: Records, published: pl.DataFrame | None = None) -> list[Measured]:
    """The experiment's measurements, one system after the other.

    `published` is of `nizkbench.p1_published.read_published`, None where those proofs were not
    timed; they belong to the system of their library's version.

    Only blocks in which every configuration of a system was measured count. `NoP1GrindingError`
    where there is no such system, where a system lacks a policy of instances, or where fewer than
    `FEWEST_BLOCKS` blocks are left.
    """
    drawn = _drawn(records)
    if drawn.is_empty():
        raise NoP1GrindingError(
            "the records hold no proofs of the published STARK that count their attempts;"
            " `nizkbench p1-grinding` measures them"
        )
    found = []
    for (system, version, rounds), group in drawn.group_by(
        "system", "library_version", "size", maintain_order=True
    ):
        same = (version, rounds) == (PUBLISHED_VERSION, PUBLISHED_ROUNDS)
        proofs = timed(published, ALONE) if same and published is not None else None
        found.append(_arrays(str(system), str(version), int(rounds), group, same, proofs))
    return found


def estimate(
    data: Measured,
    kept: NDArray[np.bool_] | None = None,
    kept_published: NDArray[np.bool_] | None = None,
) -> Estimate:
    """Times and the cost of one attempt from the blocks that are `kept`, by default from all.

    An invocation on fresh instances is represented by the median of its times, each moved to the
    expected number of attempts, and blocks are averaged on logarithms.
    """
    blocks = slice(None) if kept is None else kept
    wall, attempts = data.wall[:, blocks], data.attempts[:, blocks]
    x = attempts - attempts.mean(axis=2, keepdims=True)
    y = wall - wall.mean(axis=2, keepdims=True)
    cost = float((x * y).sum() / (x * x).sum())
    moved = np.median(wall - cost * (attempts - data.expected), axis=2)
    fresh = np.exp(np.log(moved).mean(axis=1))
    fixed = np.exp(np.log(data.fixed[:, blocks]).mean(axis=1))
    theirs = data.published if kept_published is None else data.published[:, kept_published]
    published = np.exp(np.log(theirs).mean(axis=1))
    return Estimate(cost, fixed, fresh, fresh - cost * data.expected, published)


def queries_table(records: Records, published: pl.DataFrame | None = None) -> pl.DataFrame:
    """Times for every system and number of queries, columns as in `QUERIES_SCHEMA`.

    `structure_ns` is what is left without any attempt, `fixed_ns` the time on the fixed instance,
    `fresh_ns` that at the expected number of attempts, and `published_ns` that of the published
    proof, timed again; null where it was not. `predicted_ns` is what fresh instances say that the
    published proof takes, null for a proof that is not among the published ones, and `predicted`
    the ratio of that to what it took; `predicted_fixed_ns` is what they say of the proof on the
    fixed instance. `published` is as in `measured`.
    """
    rows: list[dict[str, Any]] = []
    names = (
        *("structure_ns", "fixed_ns", "fresh_ns", "published_ns"),
        *("predicted_ns", "predicted_fixed_ns", "predicted"),
    )
    for data in measured(records, published):

        def times(
            one: Estimate,
            known: Floats = data.published_attempts,
            fixed: Floats = data.fixed_attempts,
        ) -> Floats:
            predicted = one.predicted(known)
            said = (predicted, one.predicted(fixed), predicted / one.published)
            return np.log(np.stack([one.structure, one.fixed, one.fresh, one.published, *said]))

        value, low, high = (np.exp(part) for part in _jackknife(data, times))
        for place, queries in enumerate(data.queries):
            row: dict[str, Any] = {
                "system": data.system,
                "library_version": data.library_version,
                "rounds": data.rounds,
                "queries": queries,
                "attempts_expected": data.expected,
                "attempts_fixed": data.fixed_attempts[place],
                "attempts_fresh": data.attempts[place].mean(),
                "attempts_published": data.published_attempts[place],
            }
            for which, name in enumerate(names):
                row[name] = value[which, place]
                row[f"{name}_low"] = low[which, place]
                row[f"{name}_high"] = high[which, place]
            rows.append(row)
    return pl.DataFrame(rows, schema=QUERIES_SCHEMA).fill_nan(None)


def proofs_table(records: Records) -> pl.DataFrame:
    """Every counted proof of the run with its attempts, one row each, as in `PROOFS_SCHEMA`.

    On the fixed instance and on fresh ones; `time_ns` is the time to proof.
    """
    found = _drawn(records).rename({"size": "rounds", "wall_ns": "time_ns"})
    return found.select(pl.col(name).cast(kind) for name, kind in PROOFS_SCHEMA.items())


def luck_table(
    records: Records,
    queries: int = 42,
    below: int = 41,
    published: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """How much of a ratio of prove times is luck of the nonce, columns as in `LUCK_SCHEMA`.

    One row a system, size and instance: `fixed`, and `published` where those proofs were timed
    (`published` is as in `measured`). `ratio` is the measured time with `queries` over that with
    `below`, `ratio_fresh` the same at the expected number of attempts, and `luck` the share of the
    logarithm of the first that the second leaves. `between` is the share of the variance of the
    measured times of *all* numbers of queries that the attempts explain. `chance` is the
    probability that two independent draws of the nonce alone put two proofs of equal structure that
    far apart, in either direction. `predicted` is what fresh instances say that these proofs take
    over what they took, the geometric mean over all numbers of queries. Bounds of `luck` are not
    cut to between 0 and 1.
    """
    rows: list[dict[str, Any]] = []
    for data in measured(records, published):
        if not {queries, below} <= set(data.queries):
            raise NoP1GrindingError(
                f"{data.system} was not measured with {below} and {queries} queries,"
                f" but with {', '.join(map(str, data.queries))}"
            )
        above, under = data.queries.index(queries), data.queries.index(below)
        instances = [("fixed", data.fixed_attempts)]
        if data.has_published:
            instances.append(("published", data.published_attempts))
        for instance, attempts in instances:

            def shares(
                one: Estimate,
                taken: Floats = attempts,
                seen: bool = instance == "fixed",
                at: float = data.expected,
                pair: tuple[int, int] = (above, under),
            ) -> Floats:
                times = one.fixed if seen else one.published
                known = np.isfinite(times)
                ratio = math.log(times[pair[0]] / times[pair[1]])
                fresh = math.log(one.fresh[pair[0]] / one.fresh[pair[1]])
                luck = 1 - fresh / ratio if ratio else math.nan
                left = times[known] - one.cost * taken[known]
                between = math.log(float(np.var(left) / np.var(times[known])))
                structure = float(np.sqrt(one.structure[pair[0]] * one.structure[pair[1]]))
                chance = math.log(chance_of_ratio(math.exp(abs(ratio)), structure, one.cost * at))
                predicted = float(np.log(one.predicted(taken)[known] / times[known]).mean())
                return np.array([ratio, fresh, luck, between, chance, predicted])

            value, low, high = _jackknife(data, shares)
            for part in (value, low, high):
                part[[0, 1, 3, 4, 5]] = np.exp(part[[0, 1, 3, 4, 5]])
            # Of the variance that is left, so that no bound of what is explained exceeds one.
            value[3], low[3], high[3] = 1 - value[3], 1 - high[3], 1 - low[3]
            row: dict[str, Any] = {
                "system": data.system,
                "library_version": data.library_version,
                "rounds": data.rounds,
                "instance": instance,
                "queries": queries,
                "queries_below": below,
                "attempts": attempts[above],
                "attempts_below": attempts[under],
                "blocks": data.blocks[instance == "published"],
                "level": LEVEL,
                "method": "jackknife over blocks",
            }
            for place, name in enumerate(
                ("ratio", "ratio_fresh", "luck", "between", "chance", "predicted")
            ):
                row[name], row[f"{name}_low"], row[f"{name}_high"] = (
                    float(part[place]) for part in (value, low, high)
                )
            rows.append(row)
    return pl.DataFrame(rows, schema=LUCK_SCHEMA)


def attempts_table(records: Records) -> pl.DataFrame:
    """Attempts of all fresh proofs of a system together, and their cost, as in `ATTEMPTS_SCHEMA`.

    `p_value_geometric` is a Kolmogorov and Smirnov test against the geometric distribution of mean
    `expected`; the interval of `mean` is that distribution's own. `r_squared` is the share of the
    variance of prove time inside invocations that attempts explain.
    """
    rows: list[dict[str, Any]] = []
    tail = (1 - LEVEL) / 2
    for data in measured(records):
        draws = data.attempts.ravel()
        total, n = float(draws.sum()), len(draws)
        cost, low, high = _jackknife(data, lambda one: np.array([one.cost]))
        x = data.attempts - data.attempts.mean(axis=2, keepdims=True)
        y = data.wall - data.wall.mean(axis=2, keepdims=True)
        rows.append(
            {
                "system": data.system,
                "library_version": data.library_version,
                "rounds": data.rounds,
                "draws": n,
                "expected": data.expected,
                "mean": total / n,
                # A sum of n geometric counts above 2^8 is as good as gamma with shape n.
                "mean_low": total / gamma_quantile(1 - tail, n),
                "mean_high": total / gamma_quantile(tail, n),
                "p_value_geometric": geometric_p_value(draws, data.expected),
                "cost_ns": float(cost[0]),
                "cost_ns_low": float(low[0]),
                "cost_ns_high": float(high[0]),
                "r_squared": 1 - float(((y - cost[0] * x) ** 2).sum() / (y**2).sum()),
                "level": LEVEL,
            }
        )
    return pl.DataFrame(rows, schema=ATTEMPTS_SCHEMA)


def chance_of_ratio(ratio: float, structure: float, work: float) -> float:
    """The probability that two proofs differ at least `ratio`-fold by luck of the nonce alone.

    Both take `structure` and an independent amount of work of mean `work`, exponential, as a
    geometric count above 2^8 is to all intents. With X, Y of mean 1 and s = structure / work,
    P(s + X ≥ r (s + Y)) = ∫ e^(−y) e^(−(r − 1) s − r y) dy = e^(−(r − 1) s) / (r + 1); twice that
    for either direction. 1 for a ratio of 1.
    """
    return 2 * math.exp(-(ratio - 1) * structure / work) / (ratio + 1)


# ---- from records to arrays ----------------------------------------------------------------------


def _drawn(records: Records) -> pl.DataFrame:
    """Counted proofs of the experiment's configurations: time to proof and attempts."""
    key = ["configuration", "invocation"]
    chosen = []
    for row in records.configurations.iter_rows(named=True):
        options = json.loads(row["options"])
        same = all(options.get(name) == value for name, value in OPTIONS.items())
        if row["variant"] == canonical_variant(VARIANT) and same and row["threads"] == 1:
            chosen.append({"configuration": row["configuration"], "queries": options["queries"]})
    identities = pl.DataFrame(
        chosen, schema={"configuration": pl.String, "queries": pl.Int64}
    ).join(
        records.configurations.select(
            "configuration", "system", "library_version", "size", "instances"
        ),
        on="configuration",
    )
    attempts = records.counters.filter(pl.col("name") == ATTEMPTS).select(
        *key, "sample", attempts="value"
    )
    return (
        records.samples.filter(pl.col("phase").is_in(["witness", "prove"]) & ~pl.col("warmup"))
        .group_by(*key, "sample")
        .agg(pl.col("wall_ns").sum())
        .join(done(records), on=key)
        .join(identities, on="configuration")
        .join(attempts, on=[*key, "sample"])
        .sort("system", "size", "instances", "queries", "block", "sample")
    )


def _arrays(
    system: str,
    version: str,
    rounds: int,
    drawn: pl.DataFrame,
    same: bool,
    published: Timed | None,
) -> Measured:
    """The arrays of one system; `same` is whether the published proofs are of its version."""
    queries = tuple(sorted(drawn["queries"].unique().to_list()))
    cells = 2 * len(queries)
    by_block = drawn.group_by("block").agg(
        pl.struct("instances", "queries").n_unique().alias("cells")
    )
    whole = by_block.filter(pl.col("cells") == cells)["block"]
    if len(whole) < FEWEST_BLOCKS:
        raise NoP1GrindingError(
            f"{len(whole)} blocks have every number of queries of {system} on the fixed and on"
            f" fresh instances, at least {FEWEST_BLOCKS} are needed"
        )
    kept = drawn.filter(pl.col("block").is_in(whole.implode()))
    # The same number of samples everywhere; a process that was asked for more is cut.
    samples = int(kept.group_by("instances", "queries", "block").len()["len"].min())  # type: ignore[arg-type]
    kept = kept.filter(
        pl.col("sample").rank("ordinal").over("instances", "queries", "block") <= samples
    )
    shape = (len(queries), len(whole), samples)

    def values(instances: str, column: str) -> Floats:
        chosen = kept.filter(pl.col("instances") == instances)[column]
        return chosen.to_numpy().astype(np.float64).reshape(shape)

    repeated = values("fixed", "attempts")
    if (repeated != repeated[:, :1, :1]).any():
        raise NoP1GrindingError(
            f"proofs of {system} on one fixed instance took different numbers of attempts"
        )
    return Measured(
        system=system,
        library_version=version,
        rounds=rounds,
        queries=queries,
        expected=2.0 ** int(str(OPTIONS["grinding"])),
        wall=values("fresh", "wall_ns"),
        attempts=values("fresh", "attempts"),
        fixed=np.median(values("fixed", "wall_ns"), axis=2),
        fixed_attempts=repeated[:, 0, 0],
        published=_times(queries, published),
        published_attempts=np.array(
            [(published_attempts() if same else {}).get(str(one), math.nan) for one in queries],
            dtype=np.float64,
        ),
    )


def _times(queries: Sequence[int], published: Timed | None) -> Floats:
    """Times of the published proofs with these numbers of queries, by blocks; NaN for none."""
    blocks = FEWEST_BLOCKS if published is None else published.times.shape[1]
    times = np.full((len(queries), blocks), math.nan)
    for row, one in enumerate(queries):
        place = None if published is None else published.place({**DEFAULTS, "queries": one})
        if published is not None and place is not None:
            times[row] = published.times[place]
    return times


def _jackknife(
    data: Measured, statistic: Callable[[Estimate], Floats]
) -> tuple[Floats, Floats, Floats]:
    """A statistic of all blocks, and the bounds of its interval, each of the statistic's shape."""
    blocks, published = data.blocks
    return jackknife(
        lambda kept: statistic(estimate(data, *kept)),
        (blocks, published) if data.has_published else (blocks,),
    )


def jackknife(
    statistic: Callable[[Sequence[NDArray[np.bool_]]], Floats], sizes: Sequence[int]
) -> tuple[Floats, Floats, Floats]:
    """A statistic of independent kinds of blocks, and the bounds of its interval.

    `sizes` are the numbers of blocks of each kind, and `statistic` takes a mask of the blocks that
    are kept for each. One block at a time is left out; variances of the kinds add up, and Student's
    t has the fewest degrees of freedom that any kind has. Three arrays of the statistic's shape.
    """
    everything = [np.ones(size, dtype=bool) for size in sizes]
    value = statistic(everything)
    variance = np.zeros_like(value)
    for place, size in enumerate(sizes):
        left_out = np.stack(
            [
                statistic([*everything[:place], one, *everything[place + 1 :]])
                for one in ~np.eye(size, dtype=bool)
            ]
        )
        spread = ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
        variance += (size - 1) / size * spread
    reach = t_quantile((1 + LEVEL) / 2, min(sizes) - 1) * np.sqrt(variance)
    return value, value - reach, value + reach
