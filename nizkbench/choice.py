"""Which options to take: what no other cell beats, and the best cell for what a user demands.

A cell is better than another if it is no worse in time to proof, verify time, proof size and bits
of security, and better in one of them. The cells that none beats are the Pareto front.

`recommend` takes the cell that is best in one of the costs among those that meet the demands, and
holds every other of them against it. A cell has few invocations, three perhaps, so its own variance
says little; but thousands of cells were measured alike, and what they have in common is known well.
So each cell's variance is shrunk towards that of all (the moderated t-statistic of Smyth 2004,
doi:10.2202/1544-6115.1027), after what the invocations of one block share has been taken out:

    log cost = cell + block + error,   s²_moderated = (d₀ s₀² + d s²) / (d₀ + d)

with d₀ and s₀² estimated from all cells. P-values are Holm's over the cells compared. Cells that
are the same computation (`nizkbench.operations.computations`) are compared once, as the one that
was measured best.

Which of the cells that cannot be told apart is the best is a draw, and some of them verify much
faster with a smaller proof. So of these the one is taken whose other two costs are lowest together,
in their geometric mean. A cell that was measured badly is told apart from nothing, however slow it
is, so that only those count that are measured as within `nizkbench.ratios.MARGIN` of the best.

The best cell is the best that was *measured*: the lowest of many noisy values, and so lower than it
would be if measured again. The one to take is chosen among the lowest. By how much it is lower is
told by the blocks: `cross_validated` chooses on half of them, by the same rule, and reads what was
chosen on the other half, which took no part in the choice (Stone 1974,
doi:10.1111/j.2517-6161.1974.tb00994.x). Paces were taken out in all blocks together.

A smaller field makes a cheaper proof of a smaller statement, so that a demand can name the field.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

from nizkbench.cells import OPTIONS, in_crossing
from nizkbench.distributions import t_quantile, t_tail
from nizkbench.errors import NizkBenchError
from nizkbench.intervals import LEVEL, Floats, generator
from nizkbench.operations import IDLE, computations
from nizkbench.ratios import MARGIN, holm
from nizkbench.security import FIELD_ORDERS

#: What a cell costs: each to be made small, and to be recommended by.
COSTS = ("prove_ns", "verify_ns", "proof_bytes")

#: Bits of security as a column of a cell, by the regime a user asks for. What is proven in either
#: decoding regime is proven.
REGIMES: Mapping[str, pl.Expr] = {
    "conjectured": pl.col("security_conjectured"),
    "proven": pl.max_horizontal("security_udr", "security_ldr"),
    "unique-decoding": pl.col("security_udr"),
    "list-decoding": pl.col("security_ldr"),
}

#: The defaults of earlier work (El-Hajj and Oude Roelink 2024).
EARLIER_DEFAULT: Mapping[str, Any] = {
    "field": "f128",
    "queries": 42,
    "blowup": 8,
    "grinding": 16,
    "extension": "none",
    "folding": 8,
    "remainder_max_degree": 31,
    "hash": "blake3-256",
    "batching_constraints": "linear",
    "batching_deep": "linear",
    "partitions": 1,
    "hash_rate": 1,
}

#: The crossing of the profiles that changes one option at a time, as earlier work did.
ALONE = "one-at-a-time"

#: The options that earlier work changed one at a time.
EARLIER_CHANGED = (
    "queries",
    "blowup",
    "grinding",
    "extension",
    "folding",
    "remainder_max_degree",
    "hash",
)

#: What the rule of `individually_best` picks from the proofs that earlier work published, each with
#: the nonce it had (`nizkbench.p1_published.picks`).
PUBLISHED_BEST: Mapping[str, Any] = {
    **EARLIER_DEFAULT,
    "queries": 41,
    "blowup": 4,
    "grinding": 0,
    "extension": "quadratic",
    "folding": 4,
    "remainder_max_degree": 255,
    "hash": "blake3-192",
}

# Landmarks: the default of earlier work, and the best of each option alone put together: by its own
# proofs, by these with the grinding of the default, by the times of a grid.
DEFAULT = "default"
BEST_PUBLISHED = "individually best, published"
BEST_WITH_GRINDING = "individually best, published, grinding kept"
BEST_HERE = "individually best, measured here"

#: How a demand that nothing meets is said: name, scale and unit.
_NAMED = {
    "bits": ("security", 1.0, "bits"),
    "proof_bytes": ("proof", 1e3, "kB"),
    "verify_ns": ("verify time", 1e6, "ms"),
    "prove_ns": ("time to proof", 1e6, "ms"),
}

COMPARED_SCHEMA = pl.Schema(
    {
        "configuration": pl.String,
        "ratio": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "p_value": pl.Float64,
        "p_value_holm": pl.Float64,
        "apart": pl.Boolean,
    }
)

CROSS_VALIDATED_SCHEMA = pl.Schema(
    {
        "split": pl.Int64,
        "chosen": pl.String,
        "seen": pl.Float64,
        "told": pl.Float64,
        "reference": pl.Float64,
    }
)

#: Of more splits of the blocks into halves than this, so many are drawn.
MOST_SPLITS = 500


class NothingQualifiesError(NizkBenchError):
    """No measured cell meets the demands."""


@dataclass(frozen=True, slots=True)
class Demands:
    """What a user asks of a cell; a bound that is None is none.

    `regime` is one of `REGIMES`, `objective` one of `COSTS`; `rounds` is the size of the statement
    and `field` the field that it is over, any if None.
    """

    rounds: int
    min_bits: float
    regime: str = "conjectured"
    field: str | None = None
    max_proof_bytes: float | None = None
    max_verify_ns: float | None = None
    max_prove_ns: float | None = None
    objective: str = "prove_ns"

    def __post_init__(self) -> None:
        for name, value, legal in (
            ("regime", self.regime, tuple(REGIMES)),
            ("objective", self.objective, COSTS),
            ("field", self.field, (None, *FIELD_ORDERS)),
        ):
            if value not in legal:
                raise NizkBenchError(
                    f"{name} is {value}, legal are {', '.join(one for one in legal if one)}"
                )


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The best measured cell, how the others that qualify compare with it, and which one to take.

    `best` is a row of the cells frame. `runners_up` are the cells that cannot be told apart from
    it in the objective, best first, with the columns of the cells frame and those of
    `COMPARED_SCHEMA` (`ratio` is their objective over the best cell's). They are of different
    computations: `NAME_alike`, for each option of `nizkbench.operations.IDLE`, lists the levels
    that the same computation was measured with, the cell's own among them, ascending. `take` is the
    best or one of its runners-up whose objective is at most `nizkbench.ratios.MARGIN` higher: of
    these the one with the lowest geometric mean of the two costs that are not the objective, so
    that no other of them can be better in both. `qualified` counts the cells that meet the demands,
    the best one included, and `computations` how many different ones these are.
    """

    demands: Demands
    best: dict[str, Any]
    take: dict[str, Any]
    runners_up: pl.DataFrame
    qualified: int
    computations: int


def pareto(cells: pl.DataFrame, regime: str = "conjectured") -> pl.DataFrame:
    """The cells with the columns `front`, `front_possible` and `bits`, the bits of that regime.

    Cells of one number of rounds are compared with one another. `front`: no other cell is better by
    its estimates. `front_possible`: none is better beyond doubt, with all three of its upper bounds
    at or below this one's lower bounds and no fewer bits. A cell without bounds has its estimate
    for both of them, and one without bits of security is never better.
    """
    with_bits = cells.with_columns(REGIMES[regime].cast(pl.Float64).alias("bits"))
    parts = []
    for (_rounds,), group in with_bits.sort("rounds", "configuration").group_by(
        "rounds", maintain_order=True
    ):
        bits = group["bits"].fill_null(-math.inf).to_numpy()
        middle, low, high = (_costs(group, end) for end in ("", "_low", "_high"))
        parts.append(
            group.with_columns(
                pl.Series("front", ~_beaten(middle, middle, bits)),
                pl.Series("front_possible", ~_beaten(high, low, bits)),
            )
        )
    return pl.concat(parts) if parts else with_bits.with_columns(front=True, front_possible=True)


def qualifying(cells: pl.DataFrame, demands: Demands) -> pl.DataFrame:
    """The cells that meet the demands by their estimates, the best in the objective first.

    With the column `bits`, those of the demands' regime. `NothingQualifiesError` says in one
    sentence which demand leaves nothing.
    """
    found = _qualifying(cells.lazy(), demands).collect()
    if found.is_empty():
        raise NothingQualifiesError(_unmet(cells, demands))
    return found


def _bounds(demands: Demands) -> list[tuple[str, float]]:
    """What is demanded of each column, in the order in which a demand is said to be unmet."""
    bounds = (
        ("bits", demands.min_bits),
        ("proof_bytes", demands.max_proof_bytes),
        ("verify_ns", demands.max_verify_ns),
        ("prove_ns", demands.max_prove_ns),
    )
    return [(column, bound) for column, bound in bounds if bound is not None]


def _within(column: str, bound: float) -> pl.Expr:
    return pl.col(column) >= bound if column == "bits" else pl.col(column) <= bound


def _sized(demands: Demands) -> list[pl.Expr]:
    """What makes a cell one of the size, and over the field, that is demanded."""
    of_field = [] if demands.field is None else [pl.col("field") == demands.field]
    return [pl.col("rounds") == demands.rounds, *of_field]


def _with_bits(demands: Demands) -> pl.Expr:
    return REGIMES[demands.regime].cast(pl.Float64).alias("bits")


def _qualifying(cells: pl.LazyFrame, demands: Demands) -> pl.LazyFrame:
    """As `qualifying`, but for the error where nothing does."""
    return (
        cells.filter(*_sized(demands))
        .with_columns(_with_bits(demands))
        .filter(*(_within(column, bound) for column, bound in _bounds(demands)))
        .sort(demands.objective, "configuration")
    )


def _unmet(cells: pl.DataFrame, demands: Demands) -> str:
    """The first demand that leaves nothing of these cells, in one sentence."""
    sized = cells.filter(pl.col("rounds") == demands.rounds)
    if sized.is_empty():
        known = ", ".join(map(str, sorted(cells["rounds"].unique())))
        return f"no cell was measured at {demands.rounds} rounds, measured are {known}"
    where = f"at {demands.rounds} rounds"
    if demands.field is not None:
        known = ", ".join(sorted(sized["field"].unique()))
        where = f"over {demands.field} {where}"
        sized = sized.filter(pl.col("field") == demands.field)
        if sized.is_empty():
            return f"no cell was measured {where}, measured are over {known}"
    rest = sized.with_columns(_with_bits(demands))
    for column, bound in _bounds(demands):
        left = rest.filter(_within(column, bound))
        if left.is_empty():
            is_bits = column == "bits"
            name, scale, unit = _NAMED[column]
            found = rest[column].drop_nulls().to_list() or [math.nan]
            nearest = (max(found) if is_bits else min(found)) / scale
            return (
                f"of {sized.height} measured cells {where} none has"
                + (
                    f" {bound:g} bits of security or more ({demands.regime})"
                    if is_bits
                    else f" a {name} of {bound / scale:.4g} {unit} or less"
                )
                + (" and meets the other demands" if rest.height < sized.height else "")
                + f": the {'most' if is_bits else 'least'} is {nearest:.4g} {unit}"
            )
        rest = left
    raise AssertionError(f"{rest.height} cells meet the demands")


def recommend(cells: pl.DataFrame, invocations: pl.DataFrame, demands: Demands) -> Recommendation:
    """The best measured cell that meets the demands, and those that may be as good.

    `cells` and `invocations` are of `nizkbench.cells` and of one run.
    """
    named = cells.with_columns(computations(cells))
    alike = named.group_by("computation").agg(
        pl.col(name).unique().sort().alias(f"{name}_alike") for name in IDLE
    )
    qualified = qualifying(named, demands)
    distinct = qualified.unique("computation", keep="first", maintain_order=True).join(
        alike, on="computation", maintain_order="left"
    )
    logs = _moderated(_Invocations.of(invocations, [demands.objective]), demands.objective)
    against_best = _against_best(distinct, logs)
    compared = pl.DataFrame(against_best).fill_nan(None)
    runners_up = distinct.tail(-1).hstack(compared).filter(~pl.col("apart"))
    place = _place_to_take(distinct, against_best, demands.objective)
    best, take = (distinct.row(at, named=True) for at in (0, place))
    return Recommendation(demands, best, take, runners_up, qualified.height, distinct.height)


def _against_best(distinct: pl.DataFrame, logs: "_Logarithms") -> dict[str, NDArray[Any]]:
    """How these cells but the first, which is the best, compare with it, as `_ratios`."""
    best, *others = distinct["configuration"].to_list()
    return _ratios(logs, [best] * len(others), others)


def _place_to_take(
    distinct: pl.DataFrame, against_best: Mapping[str, NDArray[Any]], objective: str
) -> int:
    """Which of these cells to take, of which the first is the best in the objective."""
    close = ~against_best["apart"] & (against_best["ratio"] <= 1 + MARGIN)
    rest = [np.log(distinct[cost].to_numpy()) for cost in COSTS if cost != objective]
    return int(np.argmin(np.where(np.append(True, close), np.sum(rest, axis=0), np.inf)))


@dataclass(frozen=True)
class Half:
    """Some blocks of a grid's invocations, and what they alone say, each part made once."""

    invocations: "_Invocations"
    blocks: tuple[int, ...]
    _logs: dict[str, "_Logarithms"] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _inside(self) -> "_Invocations":
        return self.invocations.of_blocks(self.blocks)

    @cached_property
    def estimated(self) -> pl.DataFrame:
        """The costs of every cell over these blocks: their geometric means."""
        inside = self._inside
        means = {cost: np.exp(inside.mean(inside.logs[cost])) for cost in COSTS}
        measured = pl.Series("configuration", inside.configurations)
        return pl.DataFrame({"configuration": measured, **means}).filter(inside.counts > 0)

    def logs(self, cost: str) -> "_Logarithms":
        """Means and moderated variances of the logarithms of a cost over these blocks."""
        if cost not in self._logs:
            self._logs[cost] = _moderated(self._inside, cost)
        return self._logs[cost]


def halves(invocations: pl.DataFrame) -> list[Half]:
    """All splits of the blocks into two halves, both ways, or `MOST_SPLITS` of them; see below.

    None with fewer than two blocks.
    """
    blocks = invocations["block"].unique().sort().to_list()
    if len(blocks) < 2:
        return []
    places = list(itertools.combinations(range(len(blocks)), len(blocks) // 2))
    if len(blocks) % 2:  # of unequal halves, either is chosen on
        places += [tuple(sorted(set(range(len(blocks))) - set(half))) for half in places]
    if len(places) > MOST_SPLITS:
        drawn = generator("splits", len(blocks)).permutation(len(places))[:MOST_SPLITS]
        places = [places[place] for place in sorted(drawn)]
    whole = _Invocations.of(invocations)
    return [Half(whole, tuple(blocks[place] for place in half)) for half in places]


def cross_validated(
    cells: pl.DataFrame,
    invocations: pl.DataFrame,
    demands: Demands,
    reference: str,
    chosen_on: Sequence[Half] | None = None,
) -> pl.DataFrame:
    """What is to be taken by half of the blocks, read on the other half.

    Columns as in `CROSS_VALIDATED_SCHEMA`, one row a split of the blocks and way of using it, all
    splits into two halves both ways (with an odd number of blocks, halves that differ by one;
    `MOST_SPLITS` drawn at random of more than these). `chosen` is the cell that `recommend` takes
    from the estimates and comparisons of the blocks chosen on, `seen` the geometric mean of the
    objective over these, `told` its mean over the other blocks, and `reference` that of the cell
    `reference` over these; in the unit of the objective. A cell without a value in some block is
    not chosen, and halves on which nothing qualifies have no row. Empty with fewer than two blocks.

    Rows share blocks: their scatter is no standard error. The geometric mean of `reference / told`
    over all rows has at most the error that the ratio of two cells has over all blocks: as much
    where every row chooses the same cell, and less where they choose different ones.
    """
    chosen_on = halves(invocations) if chosen_on is None else chosen_on
    if not chosen_on:
        return pl.DataFrame(schema=CROSS_VALIDATED_SCHEMA)
    blocks = invocations["block"].unique().sort().to_list()
    means = invocations.group_by("configuration", "block").agg(
        pl.col(demands.objective).log().mean().alias("log")
    )
    wide = means.pivot("block", index="configuration", values="log")
    logs = {name: row for name, *row in wide.select("configuration", *map(str, blocks)).iter_rows()}
    whole = [name for name, found in logs.items() if None not in found]
    named = cells.with_columns(computations(cells)).filter(
        pl.col("configuration").is_in(whole), *_sized(demands)
    )
    rows = []
    for split, half in enumerate(chosen_on):
        inside = np.isin(blocks, half.blocks)
        if (chosen := _taken_on(named, half, demands)) is None:
            continue
        read, base = (np.array(logs[name], dtype=np.float64) for name in (chosen, reference))
        rows.append(
            {
                "split": split,
                "chosen": chosen,
                "seen": math.exp(read[inside].mean()),
                "told": math.exp(read[~inside].mean()),
                "reference": math.exp(base[~inside].mean()),
            }
        )
    return pl.DataFrame(rows, schema=CROSS_VALIDATED_SCHEMA).fill_nan(None)


def _taken_on(named: pl.DataFrame, half: Half, demands: Demands) -> str | None:
    """The cell that `recommend` takes from these blocks alone; None where nothing qualifies.

    `named` are cells with their computation.
    """
    read = named.drop(COSTS).lazy().join(half.estimated.lazy(), on="configuration")
    distinct = (
        _qualifying(read, demands)
        .unique("computation", keep="first", maintain_order=True)
        .select("configuration", *COSTS)
        .collect()
    )
    if distinct.is_empty():
        return None
    against_best = _against_best(distinct, half.logs(demands.objective))
    place = _place_to_take(distinct, against_best, demands.objective)
    return str(distinct["configuration"][place])


def compare(invocations: pl.DataFrame, cost: str, one: str, others: list[str]) -> pl.DataFrame:
    """The cost of `others` over that of the cell `one`, columns as in `COMPARED_SCHEMA`.

    `invocations` is of `nizkbench.cells.cell_invocations`, with all cells of the run, since their
    variance is estimated from all. Bounds are at the level `LEVEL` and not corrected; `apart` is
    true where the ratio differs from one after Holm's correction. A row is `ratio` alone where
    nothing tells of the error, that is where no cell has two invocations; then nothing is apart.
    """
    return compare_pairs(invocations, cost, [one] * len(others), others)


def compare_pairs(
    invocations: pl.DataFrame, cost: str, ones: list[str], others: list[str]
) -> pl.DataFrame:
    """The cost of each of `others` over that of the cell in its place in `ones`, as `compare`."""
    return _compared(_moderated(_Invocations.of(invocations, [cost]), cost), ones, others)


def _compared(logs: "_Logarithms", ones: list[str], others: list[str]) -> pl.DataFrame:
    columns = {"configuration": others, **_ratios(logs, ones, others)}
    return pl.DataFrame(columns, schema=COMPARED_SCHEMA).fill_nan(None)


def _ratios(logs: "_Logarithms", ones: list[str], others: list[str]) -> dict[str, NDArray[Any]]:
    """The columns of `COMPARED_SCHEMA` but the first, NaN where nothing is known."""
    places = np.array([logs.places[name] for name in others], dtype=np.intp)
    base = np.array([logs.places[name] for name in ones], dtype=np.intp)
    difference = logs.means[places] - logs.means[base]
    error = np.sqrt(
        logs.variances[places] / logs.counts[places] + logs.variances[base] / logs.counts[base]
    )
    # The pooled part is common to both variances; each cell adds its own degrees of freedom.
    freedom = logs.prior_degrees + np.minimum(logs.degrees[places], logs.degrees[base])
    known = np.isfinite(error) & (freedom > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(error > 0, np.abs(difference) / error, np.where(difference, np.inf, 0.0))
        reach = t_quantile((1 + LEVEL) / 2, freedom) * error
        p_value = np.where(known, 2 * t_tail(ratio, freedom), np.nan)
    corrected = p_value.copy()
    corrected[known] = holm(p_value[known])
    return {
        "ratio": np.exp(difference),
        "low": np.where(known, np.exp(difference - reach), np.nan),
        "high": np.where(known, np.exp(difference + reach), np.nan),
        "p_value": p_value,
        "p_value_holm": corrected,
        "apart": known & (corrected < 1 - LEVEL),
    }


def cell_of(cells: pl.DataFrame, rounds: int, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """The cell with exactly these options (and field) at this size; None if it was not measured."""
    found = cells.filter(
        pl.col("rounds") == rounds, *(pl.col(name) == value for name, value in options.items())
    ).sort("configuration")
    return found.row(0, named=True) if found.height else None


def individually_best(cells: pl.DataFrame, rounds: int, cost: str = "prove_ns") -> dict[str, Any]:
    """The options that earlier work's rule picks from these cells: each for itself the best.

    The rule is plain: every option of `EARLIER_CHANGED` takes the level with which the default,
    changed in that option alone, costs least, however little that is; then all are put together,
    whether or not that cell was measured. An option keeps its default where no other level was
    measured. `cells` are of `nizkbench.cells`, whose times are at the expected number of attempts;
    where they have the crossing `ALONE`, its levels are those that are tried, as earlier work had
    a list for each option, and not what other crossings happen to have beside the default.
    """
    picked = dict(EARLIER_DEFAULT)
    listed = cells.filter(in_crossing(ALONE))
    tried = listed if listed.height else cells
    for name in EARLIER_CHANGED:
        others = {key: value for key, value in EARLIER_DEFAULT.items() if key != name}
        alone = tried.filter(
            pl.col("rounds") == rounds, *(pl.col(key) == value for key, value in others.items())
        ).sort(cost, "configuration")
        if alone.height:
            picked[name] = alone[name][0]
    return picked


def landmarks(cells: pl.DataFrame, rounds: int, regime: str = "conjectured") -> pl.DataFrame:
    """Where earlier work's options lie: rows of `pareto` with a column `landmark` in front.

    `landmark` is `DEFAULT` or a `BEST_…`; one that was not measured has no row.
    `beaten_by` counts the cells that are better by their estimates, and `factor` is how many times
    the time to proof of the fastest of those, or of itself, it takes.
    """
    judged = pareto(cells.filter(pl.col("rounds") == rounds), regime)
    rows = []
    for name, options in (
        (DEFAULT, EARLIER_DEFAULT),
        (BEST_PUBLISHED, PUBLISHED_BEST),
        (BEST_WITH_GRINDING, {**PUBLISHED_BEST, "grinding": EARLIER_DEFAULT["grinding"]}),
        (BEST_HERE, individually_best(cells, rounds)),
    ):
        if (row := cell_of(judged, rounds, options)) is None:
            continue
        better = judged.filter(
            *(pl.col(cost) <= row[cost] for cost in COSTS),
            pl.col("bits") >= row["bits"],
            pl.any_horizontal(
                *(pl.col(cost) < row[cost] for cost in COSTS), pl.col("bits") > row["bits"]
            ),
        )
        fastest = better["prove_ns"].min() if better.height else row["prove_ns"]
        assert isinstance(fastest, float)
        rows.append(
            {
                "landmark": name,
                **row,
                "beaten_by": better.height,
                "factor": row["prove_ns"] / fastest,
            }
        )
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "landmark": pl.String,
        **judged.schema,
        "beaten_by": pl.Int64,
        "factor": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def element_bits(field: str) -> int:
    """The bits of an element of a field: the preimage of the statement has two elements."""
    return FIELD_ORDERS[field].bit_length()


def options_of(cell: Mapping[str, Any]) -> dict[str, Any]:
    """The field and the options of a cell, in the runner's names."""
    return {"field": cell["field"], **{name: cell[name] for name in OPTIONS}}


def alike(cell: Mapping[str, Any], name: str) -> list[Any]:
    """The levels of an option that make the same computation as the cell's, ascending.

    The cell's own alone, where a recommendation has not said which others do.
    """
    return list(cell.get(f"{name}_alike") or [cell[name]])


# ── The moderated t-statistic ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Logarithms:
    """Means of the logarithms of all cells, and their moderated variances.

    `places` are those of the configurations in the arrays.
    """

    places: Mapping[str, int]
    means: Floats
    counts: Floats
    variances: Floats
    degrees: Floats
    prior_degrees: float


def prior(variances: Floats, degrees: Floats) -> tuple[float, float]:
    """d₀ and s₀² of Smyth (2004, section 6.2) from sample variances and their degrees of freedom.

    d₀ is infinite where the variances scatter no more than samples of one variance do. Variances of
    zero carry no logarithm and are left out.
    """
    known = (variances > 0) & (degrees > 0)
    if known.sum() < 2:
        return 0.0, math.nan
    s, d = variances[known], degrees[known]
    e = np.log(s) - special.digamma(d / 2) + np.log(d / 2)
    spread = float(((e - e.mean()) ** 2).sum() / (len(e) - 1) - special.polygamma(1, d / 2).mean())
    if spread <= 1e-7:  # less than variances of so many degrees of freedom would scatter
        return math.inf, float(np.exp(e.mean()))
    from scipy import optimize  # slow to load, and only this function needs it

    half = optimize.brentq(lambda x: float(special.polygamma(1, x)) - spread, 1e-6, 1e8)
    return 2 * half, float(np.exp(e.mean() + special.digamma(half) - np.log(half)))


@dataclass(frozen=True, slots=True)
class _Invocations:
    """Invocations of cells: which cell and block each is of, and the logarithms of its costs.

    `cells` are places in `configurations`; arrays have shape (invocations,), and NaN where there is
    no value.
    """

    configurations: list[str]
    cells: NDArray[np.intp]
    blocks: NDArray[np.intp]
    logs: Mapping[str, Floats]

    @classmethod
    def of(cls, invocations: pl.DataFrame, costs: Sequence[str] = COSTS) -> Self:
        """Those of a frame as `nizkbench.cells.cell_invocations` makes it, in a fixed order."""
        ordered = invocations.sort("configuration", "invocation")
        return cls(
            ordered["configuration"].unique(maintain_order=True).to_list(),
            ordered["configuration"].rle_id().to_numpy().astype(np.intp),
            ordered["block"].to_numpy().astype(np.intp),
            {cost: ordered[cost].log().cast(pl.Float64).to_numpy() for cost in costs},
        )

    def of_blocks(self, blocks: Sequence[int]) -> Self:
        """The invocations of these blocks; some cells may then have none."""
        inside = np.isin(self.blocks, blocks)
        logs = {cost: values[inside] for cost, values in self.logs.items()}
        return type(self)(self.configurations, self.cells[inside], self.blocks[inside], logs)

    @property
    def counts(self) -> Floats:
        """How many invocations each cell has; shape (cells,)."""
        return np.bincount(self.cells, minlength=len(self.configurations)).astype(np.float64)

    def mean(self, values: Floats) -> Floats:
        """The mean of each cell; NaN of one without invocations; shape (cells,)."""
        sums = np.bincount(self.cells, values, minlength=len(self.configurations))
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / self.counts)


def _moderated(invocations: _Invocations, cost: str) -> _Logarithms:
    """Cell means and moderated variances of the logarithms of a cost, of cells that have any."""
    values, cells = invocations.logs[cost], invocations.cells
    # A block's effect is the mean of what is left of its cells.
    left = values - invocations.mean(values)[cells]
    with np.errstate(invalid="ignore"):  # numbers of blocks between those that there are
        effects = np.bincount(invocations.blocks, left) / np.bincount(invocations.blocks)
    values = values - effects[invocations.blocks]
    means = invocations.mean(values)
    squares = np.bincount(cells, (values - means[cells]) ** 2, minlength=len(means))
    counts = invocations.counts
    there = counts > 0
    means, squares, counts = means[there], squares[there], counts[there]
    # Estimating what each block shares takes one degree of freedom a block, but for the first.
    every = float((counts - 1).sum())
    kept = max(every - (len(np.unique(invocations.blocks)) - 1), 0.0) / every if every else 0.0
    degrees = (counts - 1) * kept
    with np.errstate(divide="ignore", invalid="ignore"):
        variances = squares / np.maximum(counts - 1, 1) / kept
    prior_degrees, prior_variance = prior(variances, degrees)
    if math.isinf(prior_degrees):
        moderated: Floats = np.full_like(variances, prior_variance)
    else:
        weighted = degrees * variances
        if prior_degrees > 0:
            weighted = weighted + prior_degrees * prior_variance
        with np.errstate(divide="ignore", invalid="ignore"):
            moderated = weighted / (prior_degrees + degrees)
    return _Logarithms(
        {name: at for at, name in enumerate(itertools.compress(invocations.configurations, there))},
        means,
        counts,
        np.asarray(moderated),
        degrees,
        min(prior_degrees, 1e6),
    )


# ── Dominance ─────────────────────────────────────────────────────────────────────────────────────


def _costs(group: pl.DataFrame, end: str) -> Floats:
    """The costs of each cell, or their bounds where it has any; shape (cells, costs)."""
    return group.select(
        pl.coalesce(f"{cost}{end}", cost).cast(pl.Float64) for cost in COSTS
    ).to_numpy()


def _beaten(above: Floats, below: Floats, bits: Floats) -> NDArray[np.bool_]:
    """Which cells have another whose `above` is at or below their `below`, and better somewhere.

    With no fewer bits. `above` and `below` have shape (cells, costs), `bits` (cells,).
    """
    beaten = np.zeros(len(bits), dtype=bool)
    for index in range(len(bits)):
        no_worse = (above <= below[index]).all(axis=1) & (bits >= bits[index])
        better = (above < below[index]).any(axis=1) | (bits > bits[index])
        no_worse &= better
        no_worse[index] = False
        beaten[index] = no_worse.any()
    return beaten
