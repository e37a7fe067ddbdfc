"""The whole analysis of an option grid, each part made when a reader first asks for it.

Figures, tables, findings, numbers and claims of the grid all take a `GridResults`. A run may be too
small for some of it (the smoke profile's is for most): then tables are empty, quantities None, and
`unfit` says why in one sentence.

Times are nanoseconds, sizes bytes, security bits.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl

from nizkbench import cells as grid_cells
from nizkbench import choice, cost_model, effects
from nizkbench.cells import METRICS, GridRecords, NoGridError
from nizkbench.choice import Demands, NothingQualifiesError, Recommendation
from nizkbench.cost_model import CostModel
from nizkbench.distributions import share_interval
from nizkbench.effects import UnfitGridError
from nizkbench.grinding import distribution
from nizkbench.intervals import GEOMETRIC_MEAN, LEVEL
from nizkbench.operations import computations, twins
from nizkbench.proof_size import proof_size
from nizkbench.quantities import Quantity, exact
from nizkbench.ratios import holm
from nizkbench.records import Records, Run
from nizkbench.security import NOTIONS, explain, library_bits, security

#: The crossing that effects are estimated from: the options of earlier work, each with each.
CROSSING = "options"

#: Options that have a crossing of their own, since the library combines them with few others, or
#: since their levels are many: effects are estimated from it.
BESIDE: Mapping[str, tuple[str, ...]] = {
    "batching": ("batching_constraints", "batching_deep", "partitions"),
    "remainder": ("remainder_max_degree",),
    "algebraic-hashes": ("hash",),
}

#: The size of the statement that options are recommended and compared for.
ROUNDS = 255

#: Bits of conjectured security that a recommendation has at least.
MIN_BITS = 100.0

#: The field of earlier work's default. Over another one the statement is another.
FIELD = str(choice.EARLIER_DEFAULT["field"])

#: What is recommended first: the fastest that is secure enough, for the default's own statement.
HEADLINE = Demands(rounds=ROUNDS, min_bits=MIN_BITS, field=FIELD)

#: The base unit of each metric.
UNITS = {"prove_ns": "ns", "verify_ns": "ns", "proof_bytes": "bytes"}

EXCLUDED_SCHEMA = pl.Schema({"rule": pl.String, "combinations": pl.Int64, "message": pl.String})

CROSSINGS_SCHEMA = pl.Schema(
    {"crossing": pl.String, "legal": pl.Int64, "kept": pl.Int64, "imbalance": pl.Float64}
)

ATTEMPTS_SCHEMA = pl.Schema(
    {
        "grinding": pl.Int64,
        "expected": pl.Float64,
        "mean": pl.Float64,
        "mean_low": pl.Float64,
        "mean_high": pl.Float64,
        "p_value_geometric": pl.Float64,
        "p_value_holm": pl.Float64,
        "samples": pl.Int64,
    }
)

REGRESSION_SCHEMA = pl.Schema(
    {
        "metric": pl.String,
        "cells": pl.Int64,
        "regression": pl.Float64,
        "model": pl.Float64,
        "coefficients": pl.Int64,
        "prices": pl.Int64,
    }
)

DIFFERENCES_SCHEMA = pl.Schema(
    {
        "notion": pl.String,
        "step": pl.String,
        "why": pl.String,
        "cells": pl.Int64,
        "changed": pl.Int64,
        "least": pl.Float64,
        "median": pl.Float64,
        "greatest": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True)
class Corrected:
    """The cell to take, as it is read on blocks that took no part in the choice.

    `cost` is in the unit of the objective, `ratio` is earlier work's default at the same size over
    it; both are geometric means over `readings`, one a split of the blocks and way of using it.
    Their intervals are as wide, in logarithms, as those of the cell that is taken on all blocks and
    of its ratio, which the error of such a mean does not exceed (`choice.cross_validated`).
    `chosen` counts the different cells that were chosen.
    """

    cost: Quantity
    ratio: Quantity
    readings: int
    chosen: int


#: Of what is recommended for the time to proof, by its name in keys, how luck is taken out is told.
CORRECTED = (
    "conjectured",
    "conjectured.any-field",
    "no-fewer-bits",
    "no-fewer-bits.any-field",
)

#: What `GridResults` is large by.
_NOT_KEPT = {"records", "_halves"}


@dataclass(frozen=True)
class GridResults:
    """One run of an option grid and its analysis; frames have the columns of who makes them."""

    records: Records
    manifest: Mapping[str, Any]
    #: Why a part of the analysis is empty, by its name; it is there once the part was asked for.
    unfit: dict[str, str] = field(default_factory=dict)
    _found: dict[Demands, Recommendation | NothingQualifiesError] = field(
        default_factory=dict, init=False, repr=False
    )
    _corrected: dict[Demands, Corrected | None] = field(
        default_factory=dict, init=False, repr=False
    )

    def __getstate__(self) -> dict[str, object]:
        """What is kept by pickling: every part that was made, without the records.

        A part that was not made before is an `AttributeError` after.
        """
        return {name: one for name, one in vars(self).items() if name not in _NOT_KEPT}

    # ── What was measured ────────────────────────────────────────────────────────────────────────

    @property
    def profile(self) -> str:
        """The name of the profile that was measured."""
        return str(self.manifest["name"])

    @cached_property
    def _measured(self) -> GridRecords:
        return GridRecords(self.records)

    @property
    def cells(self) -> pl.DataFrame:
        """One row a cell that has times (`nizkbench.cells.CELLS_SCHEMA`)."""
        return self._measured.cells

    @property
    def invocations(self) -> pl.DataFrame:
        """One row an invocation of a cell (`nizkbench.cells.INVOCATIONS_SCHEMA`)."""
        return self._measured.cell_invocations

    @cached_property
    def fewest_invocations(self) -> int:
        """How many invocations a cell has at least."""
        least = self.invocations.group_by("configuration").len()["len"].min()
        return int(least) if isinstance(least, int) else 0

    @property
    def unpaced(self) -> pl.DataFrame:
        """The estimates without the machine's pace taken out (`GridRecords.unpaced`)."""
        return self._measured.unpaced

    @property
    def planned(self) -> int:
        """How many cells the run was to measure."""
        return self._measured.identities.height

    @cached_property
    def computation(self) -> pl.Series:
        """Which cells are the same computation (`nizkbench.operations.computations`)."""
        return computations(self.cells)

    @cached_property
    def twins(self) -> pl.DataFrame:
        """Pairs of cells that are the same computation, measured as two: an A/A control.

        Columns: one, other (`nizkbench.operations.twins`), one_shard, other_shard.
        """
        shards = dict(self._measured.shards.iter_rows())
        return twins(self.cells).with_columns(
            pl.col(name).replace_strict(shards, return_dtype=pl.Int64).alias(f"{name}_shard")
            for name in ("one", "other")
        )

    @cached_property
    def twins_compared(self) -> pl.DataFrame:
        """The comparison of each pair of twins in each metric, one below another.

        Columns: metric, those of `twins`, and ratio (other over one) and p_value of
        `nizkbench.choice.compare_pairs`, both uncorrected.
        """
        pairs = [self.twins[name].to_list() for name in ("one", "other")]
        return pl.concat(
            self.twins.hstack(
                choice.compare_pairs(self.invocations, metric, *pairs).select("ratio", "p_value")
            ).select(pl.lit(metric).alias("metric"), pl.all())
            for metric in METRICS
        )

    def told_apart(self, metric: str) -> Quantity | None:
        """The share of twins that are told apart at 5 % without correction; None if none can be.

        With the exact interval of Clopper and Pearson (1934, doi:10.1093/biomet/26.4.404).
        """
        p_values = self.twins_compared.filter(pl.col("metric") == metric)["p_value"].drop_nulls()
        if p_values.is_empty():
            return None
        found = int((p_values < 1 - LEVEL).sum())
        low, high = share_interval(found, len(p_values), LEVEL)
        return Quantity(found / len(p_values), low, high, "percent")

    @cached_property
    def shards(self) -> int:
        """In how many shards the cells were measured, as far as the records tell."""
        return self._measured.shards["shard"].n_unique()

    def between_shards(self, metric: str) -> Quantity | None:
        """The slower of two shards over the faster: the same computation, measured in both.

        The geometric mean over twins of which each shard has one, with Student's t interval on
        logarithms. None but for two shards, or with fewer than two such twins.
        """
        across = self.twins_compared.filter(
            (pl.col("metric") == metric) & (pl.col("one_shard") != pl.col("other_shard"))
        )
        if self.shards != 2 or across.height < 2:
            return None
        turned = pl.when(pl.col("other_shard") == 1).then("ratio").otherwise(1 / pl.col("ratio"))
        ratios = across.select(turned.alias("ratio"))["ratio"].to_numpy()
        if np.log(ratios).mean() < 0:
            ratios = 1 / ratios
        low, high = GEOMETRIC_MEAN.bounds(ratios[None, :], LEVEL)
        return Quantity(float(np.exp(np.log(ratios).mean())), float(low[0]), float(high[0]))

    @cached_property
    def failures(self) -> pl.DataFrame:
        """Cells of the plan without times: configuration, field, options and last outcome."""
        last = (
            self.records.invocations.sort("invocation")
            .group_by("configuration")
            .agg(pl.col("outcome", "message").last())
        )
        return self._measured.identities.join(
            self.cells.select("configuration"), on="configuration", how="anti"
        ).join(last, on="configuration", how="left")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The rounds that were measured, ascending."""
        return tuple(sorted(self.cells["rounds"].unique().to_list()))

    @cached_property
    def crossings(self) -> pl.DataFrame:
        """What each crossing keeps of its legal combinations, columns as in `CROSSINGS_SCHEMA`.

        Empty where the manifest does not tell.
        """
        parts = (self.manifest.get("grid") or {}).get("parts", {})
        rows = [{"crossing": name, **part} for name, part in parts.items()]
        return pl.DataFrame(rows, schema=CROSSINGS_SCHEMA, orient="row")

    @cached_property
    def excluded(self) -> pl.DataFrame:
        """How many combinations each rule of the library excludes, the most frequent first.

        Columns as in `EXCLUDED_SCHEMA`, `message` is that of one of them. Empty where the manifest
        does not tell.
        """
        rows = (self.manifest.get("grid") or {}).get("excluded", [])
        return pl.DataFrame(rows, schema=EXCLUDED_SCHEMA, orient="row")

    @property
    def unsupported(self) -> int | None:
        """How many combinations the library excludes; None where the manifest does not tell."""
        return int(self.excluded["combinations"].sum()) if self.manifest.get("grid") else None

    def quantity(self, cell: Mapping[str, Any], metric: str) -> Quantity:
        """A metric of a cell with its interval; the interval is the value where there is none."""
        low, high = cell[f"{metric}_low"], cell[f"{metric}_high"]
        value = float(cell[metric])
        if low is None or high is None:
            return exact(value, UNITS[metric])
        return Quantity(value, float(low), float(high), UNITS[metric])

    # ── What options cost ────────────────────────────────────────────────────────────────────────

    @cached_property
    def crossed(self) -> pl.DataFrame:
        """The cells of `CROSSING` with their `computation`; empty where it was not measured."""
        empty = self.cells.with_columns(self.computation).clear()
        return self._fitted("crossing", empty, self._crossing)

    @cached_property
    def variance(self) -> pl.DataFrame:
        """The analysis of variance of every metric (`nizkbench.effects.VARIANCE_SCHEMA`)."""
        return self._each_metric(
            "variance",
            pl.DataFrame(schema=effects.VARIANCE_SCHEMA),
            lambda metric: effects.analysis_of_variance(self._crossing(), metric),
        )

    @cached_property
    def effects(self) -> pl.DataFrame:
        """By what factor each level changes each metric (`nizkbench.effects.EFFECTS_SCHEMA`)."""
        return self._each_metric(
            "effects",
            pl.DataFrame(schema=effects.EFFECTS_SCHEMA),
            lambda metric: effects.level_effects(
                self._crossing(),
                metric,
                invocations=self.invocations,
                legal=self.legal(CROSSING),
            ),
        )

    def legal(self, crossing: str) -> int | None:
        """How many combinations of a crossing the library can prove; None where nothing tells."""
        found = self.crossings.filter(pl.col("crossing") == crossing)["legal"]
        return int(found[0]) if len(found) else None

    def departure(self, metric: str) -> float:
        """By what factor a cell typically departs from its main effects (`effects.departure`)."""
        return effects.departure(self._crossing(), metric)

    @cached_property
    def effects_beside(self) -> pl.DataFrame:
        """Effects of the options that have a crossing of their own (`BESIDE`).

        `nizkbench.effects.EFFECTS_SCHEMA` with the column `crossing` in front; `reference` is the
        default of earlier work. Crossings that were not measured have no rows.
        """
        nothing = pl.DataFrame(schema={"crossing": pl.String, **effects.EFFECTS_SCHEMA})
        return pl.concat(
            self._fitted("effects_beside", nothing, partial(self._beside, name, names, metric))
            for name, names in BESIDE.items()
            for metric in METRICS
        )

    def _beside(self, crossing: str, names: tuple[str, ...], metric: str) -> pl.DataFrame:
        every = self.cells.with_columns(self.computation)
        chosen = grid_cells.of_crossing(every, crossing)
        # The reference of an option may lie in another crossing, at the same other options.
        others = ["rounds", "field", *(name for name in grid_cells.OPTIONS if name not in names)]
        references = every.filter(
            *(pl.col(name).cast(pl.String) == effects.REFERENCE[name] for name in names)
        ).join(chosen.select(others).unique(), on=others, how="semi")
        together = pl.concat([chosen, references]).unique("configuration").sort("configuration")
        legal = self.legal(crossing)
        found = effects.level_effects(
            together,
            metric,
            invocations=self.invocations,
            legal=None if legal is None else legal + together.height - chosen.height,
        )
        return found.filter(pl.col("factor").is_in(names)).select(
            pl.lit(crossing).alias("crossing"), *effects.EFFECTS_SCHEMA
        )

    def effect(self, metric: str, factor: str, level: str) -> Quantity | None:
        """The factor by which a level changes a metric, None if the grid does not tell."""
        found = self.effects.filter(
            (pl.col("metric") == metric) & (pl.col("factor") == factor) & (pl.col("level") == level)
        )
        if found.is_empty():
            return None
        row = found.row(0, named=True)
        return Quantity(row["effect"], row["low"], row["high"])

    # ── What a cell will cost ────────────────────────────────────────────────────────────────────

    @cached_property
    def models(self) -> dict[str, CostModel]:
        """The cost model of every metric that the cells are enough for, fitted to all of them."""
        found = {}
        for metric in METRICS:
            try:
                found[metric] = cost_model.fit(self.cells, metric)
            except UnfitGridError as error:
                self.unfit["models"] = str(error)
        return found

    @cached_property
    def held_out(self) -> pl.DataFrame:
        """Predictions for the fifth of the cells that no fit saw (`PREDICTIONS_SCHEMA`)."""
        return self._each_metric(
            "held_out",
            pl.DataFrame(schema=cost_model.PREDICTIONS_SCHEMA),
            lambda metric: cost_model.held_out(self.cells, metric),
        )

    @cached_property
    def held_out_errors(self) -> pl.DataFrame:
        """How far these are off, one row a metric (`nizkbench.cost_model.ERRORS_SCHEMA`)."""
        return cost_model.errors(self.held_out)

    @cached_property
    def level_errors(self) -> pl.DataFrame:
        """How far predictions for levels that no fit saw are off, one row a metric and level."""
        return cost_model.errors(
            self._each_metric(
                "level_errors",
                pl.DataFrame(schema=cost_model.PREDICTIONS_SCHEMA),
                lambda metric: cost_model.leave_one_level_out(self.cells, metric),
            )
        )

    @cached_property
    def regression_errors(self) -> pl.DataFrame:
        """The cost model beside a regression on options and their pairs, on cells neither saw.

        One row a metric, columns as in `REGRESSION_SCHEMA`: `regression` and `model` are medians of
        the absolute relative error over the held-out cells of `CROSSING`, which the regression is
        fitted to the others of. Empty where these are too few.
        """

        def compared() -> pl.DataFrame:
            rows = []
            for metric in METRICS:
                model = self.held_out.filter(pl.col("metric") == metric)
                found, coefficients = cost_model.regressed(
                    self._crossing(), metric, model["configuration"]
                )
                same = model.join(found.select("configuration"), on="configuration", how="semi")
                rows.append(
                    {
                        "metric": metric,
                        "cells": found.height,
                        "regression": found["relative_error"].abs().median(),
                        "model": same["relative_error"].abs().median(),
                        "coefficients": coefficients,
                        "prices": self.models[metric].prices.height,
                    }
                )
            return pl.DataFrame(rows, schema=REGRESSION_SCHEMA, orient="row")

        empty = pl.DataFrame(schema=REGRESSION_SCHEMA)
        if self.held_out["metric"].n_unique() < len(METRICS):
            return empty
        return self._fitted("regression_errors", empty, compared)

    def elsewhere_errors(self, other: "GridResults") -> pl.DataFrame:
        """How far predictions for another run are off, one row a metric (`ERRORS_SCHEMA`).

        By the model of those cells here that are none of its computations
        (`nizkbench.cost_model.elsewhere`).
        """
        return cost_model.errors(
            self._each_metric(
                "elsewhere",
                pl.DataFrame(schema=cost_model.PREDICTIONS_SCHEMA),
                lambda metric: cost_model.elsewhere(self.cells, other.cells, metric),
            )
        )

    @cached_property
    def proof_sizes(self) -> pl.DataFrame:
        """The cells with the sizes of their proofs from first principles, nothing fitted.

        Beside the columns of `nizkbench.proof_size.proof_size`: `relative_error` of the prediction,
        and `z`, measured − predicted in standard errors of the mean of so many samples.
        """
        deviation = pl.col("proof_bytes") - pl.col("predicted_bytes")
        return proof_size(self.cells).with_columns(
            (pl.col("predicted_bytes") / pl.col("proof_bytes") - 1).alias("relative_error"),
            (deviation / (pl.col("predicted_std") / pl.col("samples").sqrt())).alias("z"),
        )

    # ── Security ─────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def secured(self) -> pl.DataFrame:
        """The cells with our bits, and with the library's as its formulas give them.

        Columns of `nizkbench.security.security` (`conjectured_bits`, `udr_bits`, `ldr_bits`, …) and
        of `library_bits`; what the library said when it was run is in `security_conjectured` etc.
        """
        return library_bits(security(self.cells))

    @cached_property
    def library_disagreements(self) -> pl.DataFrame:
        """Cells where the library's formulas do not give what the library said: none, or an error.

        Columns: configuration, notion, said, computed.
        """
        return pl.concat(
            self.secured.select(
                "configuration",
                pl.lit(notion).alias("notion"),
                pl.col(f"security_{notion}").alias("said"),
                pl.col(f"library_{notion}").cast(pl.Float64).alias("computed"),
            ).filter(pl.col("said") != pl.col("computed"))
            for notion in NOTIONS
        )

    @cached_property
    def security_steps(self) -> pl.DataFrame:
        """From ours to the library's bits, one row a cell, notion and step (`security.explain`)."""
        return explain(self.cells)

    @cached_property
    def security_differences(self) -> pl.DataFrame:
        """What each difference between our bits and the library's does to the cells.

        Columns as in `DIFFERENCES_SCHEMA`: `changed` of `cells` cells have other bits by it; least,
        median and greatest are of the change in bits (library − ours) of those. The row with step
        `all` is their sum.
        """
        steps = self.security_steps
        whole = steps.unique(["cell", "notion"], keep="first", maintain_order=True).with_columns(
            pl.lit("all").alias("step"),
            pl.lit("").alias("why"),
            (pl.col("library") - pl.col("ours")).alias("change"),
        )
        some = pl.col("change").filter(pl.col("change").abs() > 1e-9)
        return (
            pl.concat([steps, whole])
            .group_by("notion", "step", "why", maintain_order=True)
            .agg(
                pl.len().alias("cells"),
                some.len().alias("changed"),
                some.min().alias("least"),
                some.median().alias("median"),
                some.max().alias("greatest"),
            )
            .select(pl.col(name).cast(kind) for name, kind in DIFFERENCES_SCHEMA.items())
        )

    # ── Choosing ─────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def judged(self) -> pl.DataFrame:
        """The cells with `bits` (conjectured) and whether they are on the front (`pareto`).

        Beside them `computation`: cells with the same one differ in nothing that costs.
        """
        return choice.pareto(self.cells.with_columns(self.computation))

    @cached_property
    def front(self) -> pl.DataFrame:
        """The cells of `ROUNDS` rounds that no other beats, the fastest prover first.

        Of cells that are the same computation, the fastest alone.
        """
        on_it = self.judged.filter(pl.col("front") & (pl.col("rounds") == ROUNDS))
        return on_it.sort("prove_ns", "configuration").unique(
            "computation", keep="first", maintain_order=True
        )

    def on_front(self, rounds: int) -> tuple[int, int]:
        """How many computations of a size no other cell beats, and how many there are."""
        here = self.judged.filter(pl.col("rounds") == rounds)
        return here.filter("front")["computation"].n_unique(), here["computation"].n_unique()

    @cached_property
    def on_front_of_field(self) -> int:
        """How many computations over `FIELD` no other over it beats at `ROUNDS` rounds.

        With `MIN_BITS` conjectured bits or more.
        """
        here = self.judged.filter((pl.col("rounds") == ROUNDS) & (pl.col("field") == FIELD))
        alone = choice.pareto(here.drop("front", "front_possible"))
        enough = alone.filter(pl.col("front") & (pl.col("bits") >= MIN_BITS))
        return enough["computation"].n_unique()

    @cached_property
    def on_other_fronts(self) -> dict[str, int]:
        """How many computations no other beats at `ROUNDS` rounds, by the regime of the bits.

        The proven ones, which take the place of conjectured bits.
        """
        here = self.judged.filter(pl.col("rounds") == ROUNDS).drop("front", "front_possible")
        return {
            regime: choice.pareto(here, regime).filter("front")["computation"].n_unique()
            for regime in ("unique-decoding", "list-decoding")
        }

    @cached_property
    def secure_sizes(self) -> tuple[int, ...]:
        """The rounds that a cell of `MIN_BITS` conjectured bits or more was measured at."""
        enough = self.judged.filter(pl.col("bits") >= MIN_BITS)
        return tuple(sorted(enough["rounds"].unique().to_list()))

    @cached_property
    def secure_front(self) -> pl.DataFrame:
        """The cells of the front with `MIN_BITS` conjectured bits or more."""
        return self.front.filter(pl.col("bits") >= MIN_BITS)

    @cached_property
    def landmarks(self) -> pl.DataFrame:
        """Where earlier work's options lie at `ROUNDS` rounds (`nizkbench.choice.landmarks`)."""
        return choice.landmarks(self.cells, ROUNDS)

    @cached_property
    def default(self) -> dict[str, Any] | None:
        """The cell with the defaults of earlier work at `ROUNDS` rounds; None if not measured."""
        return self.default_at(ROUNDS)

    def default_at(self, rounds: int) -> dict[str, Any] | None:
        """The cell with the defaults of earlier work at a size; None if not measured."""
        return choice.cell_of(self.judged, rounds, choice.EARLIER_DEFAULT)

    @cached_property
    def individually_best(self) -> dict[str, Any] | None:
        """The cell that puts together what is best of each option alone; None if not measured."""
        picked = choice.individually_best(self.cells, ROUNDS)
        return choice.cell_of(self.judged, ROUNDS, picked)

    @property
    def marked(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The cells to be marked on the front, as `nizkbench.grid_figures.front` takes them."""
        return self.marked_at(ROUNDS)

    def marked_at(self, rounds: int) -> list[tuple[str, Mapping[str, Any]]]:
        """The same of any size."""
        best = self.recommended(replace(HEADLINE, rounds=rounds))
        found: dict[str, Mapping[str, Any] | None] = {choice.DEFAULT: self.default_at(rounds)}
        if rounds == ROUNDS:
            found[choice.BEST_PUBLISHED] = choice.cell_of(
                self.judged, rounds, choice.PUBLISHED_BEST
            )
            found[choice.BEST_HERE] = self.individually_best
        found["recommended"] = None if best is None else best.take
        return [(name, cell) for name, cell in found.items() if cell is not None]

    @cached_property
    def asked(self) -> dict[str, Demands]:
        """What is asked for at `ROUNDS` rounds, by its name in keys; `no-fewer-bits` if known.

        Each once over the field of earlier work's default and once over any field.
        """
        asked = {
            "conjectured": HEADLINE,
            "proven": replace(HEADLINE, regime="proven"),
            "smallest": replace(HEADLINE, objective="proof_bytes"),
            "fastest-verifier": replace(HEADLINE, objective="verify_ns"),
        }
        if (as_secure := self.as_secure(ROUNDS)) is not None:
            asked["no-fewer-bits"] = as_secure
        any_field = {
            f"{name}.any-field": replace(demands, field=None) for name, demands in asked.items()
        }
        return asked | any_field

    @property
    def recommendation(self) -> Recommendation | None:
        """The fastest cell of `MIN_BITS` conjectured bits or more at `ROUNDS` rounds, and its like.

        Over the field of earlier work's default. What is recommended is its `take`.
        """
        return self.recommended(HEADLINE)

    def recommended(self, demands: Demands) -> Recommendation | None:
        """The best cell that meets the demands, None if none does."""
        if demands not in self._found:
            try:
                found = choice.recommend(self.cells, self.invocations, demands)
            except NothingQualifiesError as error:
                self._found[demands] = error
            else:
                self._found[demands] = found
        known = self._found[demands]
        return None if isinstance(known, NothingQualifiesError) else known

    def refused(self, demands: Demands) -> str:
        """Why no cell meets the demands, as a part of a sentence; nothing where one does."""
        return "" if self.recommended(demands) is not None else str(self._found[demands])

    @property
    def default_over_recommended(self) -> Quantity | None:
        """Time to proof with the defaults of earlier work over that with the recommended options.

        With the interval of `nizkbench.choice.compare`; None where either is missing.
        """
        return self.over_recommended(self.default, "prove_ns")

    def over_recommended(self, cell: Mapping[str, Any] | None, metric: str) -> Quantity | None:
        """A metric of a cell over that of the recommended one; None where either is missing."""
        if cell is None or self.recommendation is None:
            return None
        return self.over(cell, self.recommendation.take, metric)

    def default_over(self, demands: Demands) -> Quantity | None:
        """The default's time to proof at the size of the demands over that of the cell to take.

        None where either is missing.
        """
        found, default = self.recommended(demands), self.default_at(demands.rounds)
        return None if found is None or default is None else self.over(default, found.take)

    def over(
        self, cell: Mapping[str, Any], other: Mapping[str, Any], metric: str = "prove_ns"
    ) -> Quantity:
        """A metric of a cell over that of another, with the interval of `choice.compare`.

        The interval is the ratio where the run tells nothing of its error.
        """
        names = [one["configuration"] for one in (other, cell)]
        if names[0] == names[1]:
            return exact(1.0)
        row = choice.compare(self.invocations, metric, names[0], names[1:]).row(0, named=True)
        low, high = (row["ratio"] if row[end] is None else row[end] for end in ("low", "high"))
        return Quantity(row["ratio"], low, high)

    def corrected(self, demands: Demands = HEADLINE) -> Corrected | None:
        """The cell to take without the luck of being chosen (`choice.cross_validated`).

        None where nothing qualifies, the default was not measured at that size or is the one to
        take, or there is but one block.
        """
        if demands not in self._corrected:
            self._corrected[demands] = self._without_luck(demands)
        return self._corrected[demands]

    @cached_property
    def corrected_as_asked(self) -> dict[str, Corrected | None]:
        """`corrected` for what is `asked` in `CORRECTED`, by its name."""
        return {name: self.corrected(self.asked[name]) for name in CORRECTED if name in self.asked}

    @cached_property
    def corrected_by_size(self) -> dict[int, Corrected]:
        """`corrected` for the headline's demands at every size that has it, ascending in rounds."""
        found = {size: self.corrected(replace(HEADLINE, rounds=size)) for size in self.sizes}
        return {size: one for size, one in found.items() if one is not None}

    def as_secure(self, rounds: int) -> Demands | None:
        """What is demanded for no fewer conjectured bits than the default has at a size.

        None where that is not known.
        """
        default = self.default_at(rounds)
        if default is None or default["bits"] is None:
            return None
        return replace(HEADLINE, rounds=rounds, min_bits=default["bits"])

    @cached_property
    def corrected_as_secure(self) -> dict[int, Corrected]:
        """`corrected` for no fewer conjectured bits than the default has, at every size with it."""
        found = {}
        for size in self.sizes:
            demands = self.as_secure(size)
            one = None if demands is None else self.corrected(demands)
            if one is not None:
                found[size] = one
        return found

    @cached_property
    def _halves(self) -> list[choice.Half]:
        return choice.halves(self.invocations)

    def _without_luck(self, demands: Demands) -> Corrected | None:
        found, default = self.recommended(demands), self.default_at(demands.rounds)
        if found is None or default is None:
            return None
        if found.take["configuration"] == default["configuration"]:
            return None
        read = choice.cross_validated(
            self.cells, self.invocations, demands, default["configuration"], self._halves
        ).drop_nulls()
        if read.is_empty():
            return None

        def moved(like: Quantity, values: pl.Series) -> Quantity:
            """The geometric mean of the readings, with the relative interval of `like`."""
            factor = float(np.exp(np.log(values.to_numpy()).mean())) / like.value
            return replace(
                like, value=like.value * factor, low=like.low * factor, high=like.high * factor
            )

        return Corrected(
            moved(self.quantity(found.take, demands.objective), read["told"]),
            moved(
                self.over(default, found.take, demands.objective), read["reference"] / read["told"]
            ),
            read.height,
            read["chosen"].n_unique(),
        )

    # ── Proof of work ────────────────────────────────────────────────────────────────────────────

    @property
    def attempt_costs(self) -> pl.DataFrame:
        """What one attempt costs by field and hash (`nizkbench.cells.ATTEMPT_COSTS_SCHEMA`)."""
        return self._measured.attempt_costs

    @property
    def attempt_samples(self) -> pl.DataFrame:
        """Attempts and their time, one row a sample (`nizkbench.cells.attempt_samples`)."""
        return self._measured.attempt_samples

    @cached_property
    def attempts(self) -> pl.DataFrame:
        """Attempts by bits of grinding against 2^bits, columns as in `ATTEMPTS_SCHEMA`.

        Bounds and test are those of `nizkbench.grinding.distribution`; `p_value_holm` is corrected
        over the numbers of bits.
        """
        rows: list[dict[str, Any]] = []
        for (bits,), group in self.attempt_samples.sort("grinding").group_by(
            "grinding", maintain_order=True
        ):
            told = distribution(group["attempts"].to_numpy(), int(str(bits)))
            rows.append({"grinding": bits, "samples": group.height, **told})
        corrected = holm(np.array([row["p_value_geometric"] for row in rows]))
        for row, p_value in zip(rows, corrected, strict=True):
            row["p_value_holm"] = float(p_value)
        return pl.DataFrame(rows, schema=ATTEMPTS_SCHEMA, orient="row")

    # ── What may be too small ────────────────────────────────────────────────────────────────────

    def _crossing(self) -> pl.DataFrame:
        return grid_cells.of_crossing(self.cells.with_columns(self.computation), CROSSING)

    def _each_metric(
        self, part: str, empty: pl.DataFrame, of: Callable[[str], pl.DataFrame]
    ) -> pl.DataFrame:
        """A table of every metric, one below another; without those that the cells do not fit."""

        def made(metric: str) -> pl.DataFrame:
            return self._fitted(part, empty, lambda: of(metric))

        return pl.concat([empty, *map(made, METRICS)])

    def _fitted(
        self, part: str, empty: pl.DataFrame, made: Callable[[], pl.DataFrame]
    ) -> pl.DataFrame:
        try:
            return made()
        except (UnfitGridError, NoGridError) as error:
            self.unfit[part] = str(error)
            return empty


def grid_results(run: Run) -> GridResults:
    """The analysis of a run of an option grid; `NoGridError` where it is none."""
    found = GridResults(run.records, run.manifest)
    grid_cells.identities(run.records)
    return found
