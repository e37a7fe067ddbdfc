"""What a run shows, as sentences computed from its estimates.

The paper and the notebook say them word for word, so that no verdict in prose can outlive the data
that it was read from. Every function takes `Results` and returns plain text.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from nizkbench.claims import verdicts
from nizkbench.coverage import ACCEPTED, HARNESS_PAIRS, STANDARD, STOPPED, reported
from nizkbench.coverage import SCHEMA as COVERAGE_SCHEMA
from nizkbench.criteria import choices, times_best
from nizkbench.estimate import threads_used
from nizkbench.figures import grinding_samples
from nizkbench.harness_cost import MARGIN_WORDS, Cost
from nizkbench.intervals import LEVEL
from nizkbench.lead import lead_in_words, lead_on_all_cores, lead_options
from nizkbench.predicates import Outcome, Verdict
from nizkbench.profile import HashFunctions, Mimc
from nizkbench.quantities import Quantity, plain, times
from nizkbench.results import THREAD_NAMES, Results, system_label
from nizkbench.words import capitalised, listed

#: Variants that differ in one choice, by its name: the one on equal terms, and the one changed.
PRICED: tuple[tuple[str, tuple[str, str]], ...] = (
    ("constants", ("fixed", "public")),
    ("constants", ("public", "unbound")),
    ("gadget", ("constant-terms", "growing-terms")),
    ("preimage", ("witness", "public")),
)

#: More pairs than this are counted and not named: a figure shows them all.
MOST_PAIRS_NAMED = 4


def _ranked(
    results: Results, metric: str, size: int, threads: str | None
) -> list[tuple[str, Quantity]]:
    found = [
        (system, value)
        for system, series in results.equal_terms.items()
        if (value := results.value(series, metric, size, threads)) is not None
    ]
    return sorted(found, key=lambda pair: (pair[1].value, pair[0]))


def _apart(results: Results, above: str, below: str, metric: str, threads: str) -> bool:
    one, other = results.equal_terms[above], results.equal_terms[below]
    return bool(results.told_apart(one, other, metric, results.largest, threads))


def _ends(results: Results, metric: str, words: str, least: str, most: str) -> str:
    """Who has the least and who the most, on one thread, at the largest size, and who as well."""
    ranked = _ranked(results, metric, results.largest, "one")
    if len(ranked) < 2:
        return f"This run has too few systems to rank their {words}."
    (first, low), (last, high) = ranked[0], ranked[-1]

    def doubt(end: str) -> str:
        alike = [
            system_label(other)
            for other, _ in ranked
            if other != end and not _apart(results, end, other, metric, "one")
        ]
        return f", not told apart from {listed(alike)} by this run" if alike else ""

    return (
        f"At {results.largest} rounds on one thread, {system_label(first)} {least} "
        f"({plain(low, interval=True)}){doubt(first)}; {system_label(last)} {most} "
        f"({plain(high, interval=True)}){doubt(last)}."
    )


def proof_size(results: Results) -> str:
    """Smallest and largest proof, and whose size does not depend on rounds."""
    ranked = _ranked(results, "size:proof", results.largest, None)
    if not ranked:
        return "This run has no proof sizes."
    constant = [
        system_label(system)
        for system, series in results.equal_terms.items()
        if len(
            {
                value.value
                for size in results.grid
                if (value := results.size_of(series, "proof", size)) is not None
            }
        )
        == 1
    ]
    (first, low), (last, high) = ranked[0], ranked[-1]
    return (
        f"At {results.largest} rounds proofs range from {plain(low)} ({system_label(first)}) to "
        f"{plain(high)} ({system_label(last)}). "
        + (
            f"The size does not depend on the number of rounds for {listed(constant)}."
            if constant
            else "Every system's proof grows with the number of rounds."
        )
    )


def time_to_proof(results: Results) -> str:
    """Fastest and slowest prover."""
    return _ends(results, "time_to_proof", "times to proof", "proves fastest", "slowest")


def verify_time(results: Results) -> str:
    """Fastest and slowest verifier."""
    return _ends(results, "verify", "verify times", "verifies fastest", "slowest")


def setup_time(results: Results) -> str:
    """Shortest and longest setup of those that have one."""
    absent = [
        system_label(system)
        for system, series in results.equal_terms.items()
        if results.value(series, "setup", results.largest) is None
        and results.failure(series, results.largest) is None
    ]
    without = f" There is no setup phase in {listed(absent)}." if absent else ""
    return _ends(results, "setup", "setups", "sets up fastest", "slowest") + without


def key_sizes(results: Results) -> str:
    """Smallest and largest verifying key."""
    ranked = _ranked(results, "size:verifying_key", results.largest, None)
    if not ranked:
        return "No system of this run has a verifying key."
    (first, low), (last, high) = ranked[0], ranked[-1]
    return (
        f"At {results.largest} rounds verifying keys range from {plain(low)} "
        f"({system_label(first)}) to {plain(high)} ({system_label(last)})."
    )


def memory(results: Results) -> str:
    """Least and most memory while proving."""
    return _ends(
        results, "peak_memory_prove", "memory", "needs the least memory to prove", "the most"
    )


def threads(results: Results) -> str:
    """What all cores change against one thread, at the largest size, paired within blocks."""
    if len(results.thread_tracks) < 2:
        return "This run has one thread track."
    drawn = [s for s, series in results.equal_terms.items() if results.grinds(series)]
    gains = {
        system: gain
        for system, series in results.equal_terms.items()
        if system not in drawn
        and (gain := results.gain_of_threads(series, "time_to_proof", results.largest)) is not None
    }
    if not gains:
        return "This run has no system on both thread tracks whose times are no draws."
    many_threads = results.configurations.filter(pl.col("threads_label") == "all")["threads"]
    cores = max(many_threads.to_list())
    least, most = (choose(gains, key=lambda s: gains[s].value) for choose in (max, min))
    left_out = (
        f" Left out are {listed([system_label(system) for system in drawn])}, whose times are "
        "draws of a proof of work."
        if drawn
        else ""
    )
    return (
        f"With {cores} threads instead of one, the time to proof at {results.largest} rounds is "
        f"multiplied by {plain(gains[most], interval=True)} ({system_label(most)}) to "
        f"{plain(gains[least], interval=True)} ({system_label(least)}), paired within blocks."
        f"{left_out}"
    )


def scaling(results: Results) -> str:
    """Slowest and fastest growth of time to proof with rounds."""
    rows = results.scaling.filter(
        pl.col("series").is_in(list(results.equal_terms.values()))
        & (pl.col("metric") == "time_to_proof")
        & (pl.col("threads_label") == "one")
        & pl.col("exponent").is_not_null()
    ).sort("exponent")
    if rows.height < 2:
        return "This run has too few sizes to fit an exponent."
    first, last = rows.row(0, named=True), rows.row(-1, named=True)

    def said(row: dict[str, Any]) -> str:
        name = system_label(results.system_of(str(row["series"])))
        exponent = Quantity(row["exponent"], row["low"], row["high"])
        return f"{plain(exponent, interval=True)} for {name}"

    return (
        f"Over {results.smallest} to {results.largest} rounds the exponent of the time to proof on "
        f"one thread lies between {said(first)} and {said(last)}."
    )


def ratios(results: Results) -> str:
    """How many pairs of systems a run cannot tell apart."""
    chosen = set(results.equal_terms.values())
    pairs = results.ratios.filter(
        pl.col("numerator").is_in(chosen)
        & pl.col("denominator").is_in(chosen)
        & (pl.col("metric") == "time_to_proof")
        & (pl.col("size") == results.largest)
        & (pl.col("threads_label") == "one")
    )
    if pairs.is_empty():
        return "This run has no pairs of systems."
    unclear = pairs.filter(~(pl.col("p_value_holm") < 1 - LEVEL))
    names = [
        f"{system_label(results.system_of(a))} from {system_label(results.system_of(b))}"
        for a, b in unclear.select("numerator", "denominator").iter_rows()
    ]
    told = (
        f"Of {pairs.height} pairs at {results.largest} rounds on one thread, after Holm's "
        "correction"
    )
    if not names:
        return f"{told}, the times to proof of all are told apart."
    if len(names) > MOST_PAIRS_NAMED:
        return f"{told}, this run does not tell the times to proof of {len(names)} apart."
    return f"{told}, this run does not tell the time to proof of {listed(names)}."


def _price(results: Results, pair: tuple[str, str], metric: str) -> tuple[int, Quantity] | None:
    """Second over first of a pair at the largest size that both have, on one thread."""
    for size in reversed(results.grid):
        ratio = results.ratio(pair[1], pair[0], metric, size, "one")
        if ratio is not None:
            return size, ratio
    return None


def _prices(
    results: Results, name: str, values: tuple[str, str], metrics: dict[str, str], what: str
) -> str:
    pairs = {
        system: pair
        for system in results.systems
        if (pair := results.variant_pair(system, name, values)) is not None
    }
    parts, sizes = [], set()
    for metric, words in metrics.items():
        found = {}
        for system, pair in pairs.items():
            price = _price(results, pair, metric)
            if price is not None:
                sizes.add(price[0])
                found[system] = price[1]
        if found:
            parts.append(_multiplied(words, found))
    if not parts:
        return f"This run has no pair that prices {what}."
    at = listed([str(size) for size in sorted(sizes)])
    names = listed([system_label(system) for system in pairs])
    return f"{capitalised(what)}, at {at} rounds with {names}, {listed(parts)}."


def _multiplied(words: str, found: dict[str, Quantity]) -> str:
    if all(price.exact and price.value == 1 for price in found.values()):
        return f"leaves {words} as it is"
    least, most = (choose(found, key=lambda s: found[s].value) for choose in (min, max))
    if least == most:
        return f"multiplies {words} by {plain(found[least], interval=True)}"
    return (
        f"multiplies {words} by {plain(found[least], interval=True)} ({system_label(least)}) "
        f"to {plain(found[most], interval=True)} ({system_label(most)})"
    )


def dearest_choice(results: Results) -> str:
    """The one choice of a circuit that moves a cost of a sound system the most."""
    found = [
        (abs(math.log(price[1].value)), name, values, system, price, words)
        for system in results.systems
        for name, values in PRICED
        if (pair := results.variant_pair(system, name, values)) is not None
        and all(map(results.is_sound, pair))
        for metric, words in (("time_to_proof", "prove"), ("verify", "verify"))
        if (price := _price(results, pair, metric)) is not None
    ]
    if not found:
        return "This run prices no choice of a circuit."
    _, name, values, system, (size, ratio), words = max(found, key=lambda one: one[0])
    return (
        f"A circuit with {name}={values[1]} in the place of {name}={values[0]} takes "
        f"{system_label(system)} {times(ratio)} as long to {words}, at {size} rounds."
    )


def fixed_against_public(results: Results) -> str:
    """The price of handing the constants to the verifier."""
    return _prices(
        results,
        "constants",
        ("fixed", "public"),
        {
            "verify": "the verify time",
            "size:verifying_key": "the verifying key",
            "time_to_proof": "the time to proof",
        },
        "handing the round constants to the verifier",
    )


def sound_against_unbound(results: Results) -> str:
    """What leaving the constants unbound saved."""
    return _prices(
        results,
        "constants",
        ("public", "unbound"),
        {
            "time_to_proof": "the time to proof",
            "verify": "the verify time",
            "size:proof": "the proof size",
        },
        "leaving the round constants unbound (which is unsound)",
    )


def growing_gadget(results: Results) -> str:
    """The price of ever longer linear combinations."""
    return _prices(
        results,
        "gadget",
        ("constant-terms", "growing-terms"),
        {"time_to_proof": "the time to proof", "verify": "the verify time"},
        "carrying ever longer linear combinations",
    )


def grinding(results: Results) -> str:
    """How much of the spread of prove times the luck of the nonce explains."""
    chosen = results.grinding.filter(
        pl.col("series").is_in(list(results.equal_terms.values()))
        & (pl.col("threads_label") == "one")
        & (pl.col("size") == results.smallest)
        & pl.col("r_squared").is_not_null()
    ).sort("system")
    sentences = []
    for row in chosen.iter_rows(named=True):
        times = grinding_samples(results).filter(
            (pl.col("system") == row["system"]) & (pl.col("size") == row["size"])
        )["wall_ns"]
        spread = max(times.to_list()) / min(times.to_list())
        cost = Quantity(row["cost_ns"], row["cost_low"], row["cost_high"], "ns")
        sentences.append(
            f"with {system_label(row['system'])}, {row['samples']} proofs of {row['size']} rounds "
            f"differ by a factor of up to {spread:.1f}, an attempt costs "
            f"{plain(cost, interval=True)}, and attempts explain "
            f"{100 * row['r_squared']:.0f}\u202f% of the variance inside invocations"
        )
    if not sentences:
        return "This run has too few proofs of work to compare."
    text = "; ".join(sentences)
    return f"{capitalised(text)}."


def control(results: Results) -> str:
    """How often the same configuration was found to differ from itself."""
    rows = results.false_positives.filter(pl.col("metric") == "time_to_proof")
    if rows.is_empty():
        return "This run has too few blocks to compare configurations with themselves."
    row = rows.row(0, named=True)
    return (
        f"Held against itself, block against block, a configuration's time to proof was found to "
        f"differ in {row['positives']} of {row['comparisons']} cases "
        f"({100 * row['rate']:.1f}\u202f% [{100 * row['low']:.1f}–{100 * row['high']:.1f}], "
        "nominally 5\u202f%)."
    )


def published(results: Results) -> str:
    """How many verdicts change with the terms."""
    found = verdicts(results)
    changed = _by_terms(found)["changed"]
    words = {
        outcome: tuple(
            sum(pair[side].outcome == outcome for pair in found.values()) for side in (0, 1)
        )
        for outcome in Outcome
    }
    absent = words[Outcome.NOT_MEASURED]
    return (
        f"Of {len(found)} claims, {words[Outcome.REPRODUCED][0]} are reproduced on the terms of "
        f"the earlier paper and {words[Outcome.REPRODUCED][1]} on equal terms, "
        f"{words[Outcome.CONTRADICTED][0]} and {words[Outcome.CONTRADICTED][1]} are contradicted, "
        f"{words[Outcome.INCONCLUSIVE][0]} and {words[Outcome.INCONCLUSIVE][1]} stay "
        "inconclusive"
        + (f", {absent[0]} and {absent[1]} are not measured by this profile" if any(absent) else "")
        + f". The terms turn a verdict round for {_keys(changed)}."
    )


def _by_terms(found: Mapping[str, tuple[Verdict, Verdict]]) -> dict[str, list[str]]:
    """Claims by what the two terms make of them.

    `reproduced` and `contradicted`: under both; `changed`: from one to the other; `open`: at least
    one side is not decided, which says nothing about the terms.
    """
    decided = {Outcome.REPRODUCED, Outcome.CONTRADICTED}
    sorted_: dict[str, list[str]] = {
        name: [] for name in ("reproduced", "contradicted", "changed", "open")
    }
    for key, (then, now) in found.items():
        if not {then.outcome, now.outcome} <= decided:
            sorted_["open"].append(key)
        elif then.outcome != now.outcome:
            sorted_["changed"].append(key)
        else:
            sorted_[str(then.outcome)].append(key)
    return sorted_


def _keys(keys: list[str]) -> str:
    return listed([key.upper() for key in keys]) if keys else "none"


def terms(results: Results) -> str:
    """What may be said of the terms' part in each finding of earlier work."""
    found = _by_terms(verdicts(results))
    sentences = []
    if found["reproduced"]:
        sentences.append(
            f"Reproduced under both terms: {_keys(found['reproduced'])}; these findings do not "
            "depend on the terms that we changed."
        )
    if found["changed"]:
        sentences.append(
            f"Turned from reproduced to contradicted or back: {_keys(found['changed'])}; here what "
            "differs between the terms decided: circuit, instance, threads or library version."
        )
    if found["contradicted"]:
        sentences.append(
            f"Contradicted under both: {_keys(found['contradicted'])}; here the libraries' "
            "versions, the machine, or what one instance could not show are left as reasons, and "
            "the terms are not needed as one."
        )
    if found["open"]:
        sentences.append(
            f"Undecided on at least one side: {_keys(found['open'])}; this run says nothing about "
            "what the terms did to them."
        )
    return " ".join(sentences)


def uses(results: Results) -> str:
    """Which systems are the best choice, and under how many of the criteria."""
    found = choices(results)
    parts, costs = [], len({choice.criterion.words for choice in found})
    for demand, counted in times_best(found).items():
        ordered = sorted(counted, key=lambda system: (-counted[system], system))
        named = listed([f"{system_label(one)} for {counted[one]}" for one in ordered])
        parts.append(f"of {demand}, {named}")
    if not parts:
        return "This run has no system to choose."
    return f"Counted over {costs} costs, the best or not told apart from it is, {'; '.join(parts)}."


def spread(results: Results) -> str:
    """How many times the least of each cost the greatest is, of the systems on equal terms."""
    parts = []
    for metric, words in (
        ("size:proof", "proof size"),
        ("time_to_proof", "time to proof"),
        ("verify", "verify time"),
        ("peak_memory_prove", "memory"),
    ):
        ranked = _ranked(results, metric, results.largest, "one")
        if len(ranked) < 2:
            continue
        least, most = (results.equal_terms[system] for system, _ in (ranked[0], ranked[-1]))
        ratio = results.ratio(most, least, metric, results.largest, "one")
        parts.append(f"{times(ratio)} the least in {words}")
    if not parts:
        return "This run has too few systems to compare."
    return (
        f"Of all systems at {results.largest} rounds on one thread, the greatest is "
        f"{listed(parts)}."
    )


def cpu_time(results: Results) -> str:
    """How often a phase used more CPU time than its threads have."""
    table = threads_used(results.records)
    broken = table.filter("violation")
    if broken.is_empty():
        return (
            f"CPU time beside wall time was held against the threads allowed in {table.height} "
            "phases of configurations, and exceeded them in none."
        )
    row = broken.sort("cpu_per_wall", descending=True).row(0, named=True)
    return (
        f"CPU time beside wall time was held against the threads allowed in {table.height} phases "
        f"of configurations, and exceeded them in {broken.height}, most in {row['phase']} of "
        f"{row['series']} at {row['size']} rounds on {THREAD_NAMES[row['threads_label']]} "
        f"({row['cpu_per_wall']:.2f} seconds a second)."
    )


def failures(results: Results) -> str:
    """Configurations that ended in something else than a time."""
    bad = results.invocations.filter(pl.col("outcome") != "done")
    total = results.configurations.height
    if bad.is_empty():
        return f"All {total} configurations of this run ended in a time."
    named = (
        bad.group_by("configuration")
        .agg(pl.col("outcome").first())
        .join(results.configurations, on="configuration")
        .sort("system", "series", "size", "threads")
    )
    parts = [
        f"{row['series']} at {row['size']} rounds on {THREAD_NAMES[row['threads_label']]} "
        f"({row['outcome']})"
        for row in named.iter_rows(named=True)
    ]
    return f"Of {total} configurations, {named.height} failed at least once: {'; '.join(parts)}."


def harness_cost(results: Results) -> str:
    """How far runners are from plain programs, and how much colder a run verifies than either."""
    table = results.overhead
    if table is None or table.is_empty():
        return "The cost of the harness was not measured beside this run."
    rows = table.sort("ratio", descending=True, maintain_order=True).to_dicts()
    costs = [Cost.of(row["low"], row["high"]) for row in rows]
    slower = [_compared(row) for row, cost in zip(rows, costs, strict=True) if cost == Cost.SLOWER]
    in_slower = f"{len(slower)} ({'; '.join(slower)})" if slower else "none"
    margin = MARGIN_WORDS.replace(" ", "\u202f")
    worst, best = rows[0], rows[-1]
    sizes = dict(table.select("statement", "size").unique().iter_rows())
    where = []
    if (rounds := sizes.get(Mimc.STATEMENT)) is not None:
        where.append(f"at {rounds} rounds")
    if (hashed := sizes.get(HashFunctions.STATEMENT)) is not None:
        where.append(f"with a hash of {hashed} bytes where a system proves nothing else")
    place = " and ".join(where)
    text = (
        f"{capitalised(place)}, in {costs.count(Cost.WITHIN)} of {table.height} "
        f"comparisons of {table['system'].n_unique()} systems, {worst['repetitions']} pairs of "
        f"processes each, the whole interval shows the runner at most {margin} slower than the "
        f"plain program, in {in_slower} over {margin} slower, and "
        f"{costs.count(Cost.UNDECIDED) or 'none'} are undecided; the "
        f"largest ratio is {worst['ratio']:.3f} "
        f"[{worst['low']:.3f}–{worst['high']:.3f}] for {_compared(worst)}, the smallest "
        f"{best['ratio']:.3f} [{best['low']:.3f}–{best['high']:.3f}] for {_compared(best)}."
    )
    regimes = results.verify_regimes
    if not regimes:
        return text
    least, most = min(regimes, key=regimes.__getitem__), max(regimes, key=regimes.__getitem__)
    return (
        f"{text} After a proof, as in this run, the same runners on one thread take "
        f"{regimes[least]:.2f} ({system_label(least)}) to {regimes[most]:.2f} "
        f"({system_label(most)}) times as long to verify."
    )


def _compared(row: Mapping[str, Any]) -> str:
    """What a row of `nizkbench.overhead` compares."""
    threads = "one thread" if row["threads"] == 1 else f"{row['threads']} threads"
    return f"{system_label(row['system'])}, {row['phase']} on {threads}"


def coverage(results: Results) -> str:
    """How often simulated intervals of the estimators in use hold the true value."""
    table = _coverage_of_used(results)
    if table.is_empty():
        return "No coverage was simulated."
    values = table["coverage"].to_list()
    inside = int(table["within"].sum())
    least, most = (f"{100 * bound:.0f}" for bound in ACCEPTED)
    text = (
        f"In simulation at {min(STANDARD)} to {max(STANDARD)} invocations, and at {HARNESS_PAIRS} "
        f"pairs for the cost of the harness, {inside} of "
        f"{len(values)} cases of the estimators in use cover the truth between {least} and "
        f"{most}\u202f% of the time; the lowest coverage is {100 * min(values):.1f}\u202f%, the "
        f"highest {100 * max(values):.1f}\u202f%."
    )
    stopped = table.filter(pl.col("distribution").str.ends_with(STOPPED))
    fixed = table.filter(pl.col("invocations") == max(STANDARD)).with_columns(
        pl.col("distribution") + f", {STOPPED}"
    )
    both = stopped.join(fixed, on=["estimator", "statistic", "distribution"], suffix="_fixed")
    if both.is_empty():
        return text
    lost = (both["coverage_fixed"] - both["coverage"]).to_list()
    at = both.row(lost.index(max(lost)), named=True)
    return (
        f"{text} That a configuration may end at {min(STANDARD)} once its interval is narrow costs "
        f"the geometric mean most under {at['distribution'].removesuffix(f', {STOPPED}')}: "
        f"{100 * at['coverage']:.1f}\u202f% instead of the {100 * at['coverage_fixed']:.1f}\u202f% "
        f"of always {max(STANDARD)} invocations."
    )


def _coverage_of_used(results: Results) -> pl.DataFrame:
    """The estimators in use at the numbers of invocations or pairs that results rest on."""
    if results.coverage is None:
        return pl.DataFrame(schema=COVERAGE_SCHEMA)
    return reported(results.coverage).filter("used")


def coverage_limits(results: Results) -> str:
    """Where an estimator in use covers less, or more, than it says."""
    table = _coverage_of_used(results)
    if table.is_empty():
        return "No coverage was simulated."
    outside = (
        table.group_by("statistic", "estimator", "distribution", maintain_order=True)
        .agg(
            pl.col("coverage").min().alias("least"),
            pl.col("coverage").max().alias("greatest"),
            pl.col("within").all(),
        )
        .filter(~pl.col("within"))
    )

    def span(least: float, greatest: float) -> str:
        low, high = f"{100 * least:.1f}", f"{100 * greatest:.1f}"
        return f"{low}\u202f%" if low == high else f"{low} to {high}\u202f%"

    parts = [
        f"the {row['statistic']} under {row['distribution']} "
        f"({span(row['least'], row['greatest'])})"
        for row in outside.iter_rows(named=True)
    ]
    if not parts:
        return "No case falls outside these bounds."
    return f"Intervals do not hold what they say for {listed(parts)}."


FINDINGS: dict[str, Callable[[Results], str]] = {
    "proof-size": proof_size,
    "time-to-proof": time_to_proof,
    "lead": lead_in_words,
    "lead-all-cores": lead_on_all_cores,
    "lead-options": lead_options,
    "verify-time": verify_time,
    "setup-time": setup_time,
    "key-sizes": key_sizes,
    "memory": memory,
    "threads": threads,
    "scaling": scaling,
    "ratios": ratios,
    "dearest-choice": dearest_choice,
    "uses": uses,
    "spread": spread,
    "fixed-against-public": fixed_against_public,
    "sound-against-unbound": sound_against_unbound,
    "growing-gadget": growing_gadget,
    "grinding": grinding,
    "control": control,
    "published": published,
    "terms": terms,
    "cpu-time": cpu_time,
    "failures": failures,
    "harness-cost": harness_cost,
    "coverage": coverage,
    "coverage-limits": coverage_limits,
}


def findings(results: Results) -> dict[str, str]:
    """Every finding by its key."""
    return {key: function(results) for key, function in FINDINGS.items()}
