"""Every table, once: the same rows give the booktabs tabular of the paper and the report's HTML.

A table function takes `Results` and returns a `Table`. Every row that rests on an unsound system
says so, and none such is on equal terms.
"""

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from nizkbench.claim_register import texts
from nizkbench.claims import CURVE_BITS, EXPERIMENT, SOURCE, security_bits, verdicts
from nizkbench.coverage import reported
from nizkbench.criteria import Choice, choices
from nizkbench.figures import scaling_row
from nizkbench.findings import PRICED, findings
from nizkbench.harness_cost import MARGIN_WORDS, Cost
from nizkbench.predicates import Verdict
from nizkbench.quantities import MISSING, Quantity, escape, exact, interval_latex, latex, plain
from nizkbench.results import FIELD_NAMES, THREAD_NAMES, Results, system_label


@dataclass(frozen=True, slots=True)
class Cited:
    """A text with the work that it is taken from, by its key in `references.bib`."""

    text: str
    key: str


@dataclass(frozen=True, slots=True)
class Stacked:
    """A quantity with its interval below it."""

    quantity: Quantity | None
    missing: str = MISSING


#: What a row that rests on an unsound system is marked with.
UNSOUND = " (unsound)"

#: What stands in the place of a table without rows.
NO_ROWS = "This run has nothing to show here."

Cell = str | Quantity | Stacked | Cited | None


@dataclass(frozen=True, slots=True)
class Table:
    """Column heads, LaTeX column letters, and rows of cells; `rules` are rows with a rule above."""

    heads: tuple[str, ...]
    columns: str
    rows: tuple[tuple[Cell, ...], ...]
    rules: frozenset[int] = frozenset()

    def latex(self) -> str:
        """A booktabs `tabular`, without its float; a sentence where there are no rows."""
        if not self.rows:
            return f"{NO_ROWS}\n"
        lines = [
            rf"\begin{{tabular}}{{@{{}}{self.columns}@{{}}}}",
            r"\toprule",
            " & ".join(escape(head) for head in self.heads) + r" \\",
            r"\midrule",
        ]
        for number, row in enumerate(self.rows):
            if number in self.rules:
                lines.append(r"\addlinespace")
            lines.append(" & ".join(_latex_cell(cell) for cell in row) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])

    def html(self) -> str:
        """An HTML table; a sentence where there are no rows."""
        if not self.rows:
            return f"<p>{NO_ROWS}</p>"
        head = "".join(f"<th>{html.escape(text)}</th>" for text in self.heads)
        body = "".join(
            "<tr>" + "".join(f"<td>{_html_cell(cell)}</td>" for cell in row) + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _repr_html_(self) -> str:
        return self.html()

    def markdown(self) -> str:
        """A table in Markdown."""
        lines = [f"| {' | '.join(self.heads)} |", "|" + " --- |" * len(self.heads)]
        lines += [f"| {' | '.join(plain_cell(cell) for cell in row)} |" for row in self.rows]
        return "\n".join([*lines, ""])


def _latex_cell(cell: Cell) -> str:
    match cell:
        case None:
            return "--"
        case Quantity():
            return latex(cell)
        case Stacked(quantity=None):
            return escape(cell.missing)
        case Stacked(quantity=Quantity() as quantity):
            if quantity.exact:
                return latex(quantity)
            return rf"\stacked{{{latex(quantity)}}}{{{interval_latex(quantity)}}}"
        case Cited():
            return rf"{escape(cell.text)}~\cite{{{cell.key}}}"
        case _:
            return escape(str(cell))


def plain_cell(cell: Cell) -> str:
    """What a cell says, without any markup."""
    match cell:
        case None:
            return MISSING
        case Quantity():
            return plain(cell)
        case Stacked(quantity=None):
            return cell.missing
        case Stacked():
            return plain(cell.quantity, interval=True)
        case Cited():
            return cell.text
        case _:
            return str(cell)


def _html_cell(cell: Cell) -> str:
    text = html.escape(plain_cell(cell))
    if isinstance(cell, Stacked) and cell.quantity is not None:
        return text.replace(" [", "<br><small>[").replace("]", "]</small>")
    return text


def _measured(
    results: Results, series: str, metric: str, size: int, threads: str | None
) -> Stacked:
    value = results.value(series, metric, size, threads)
    how = results.failure(series, size, threads) if value is None else None
    return Stacked(value, how or MISSING)


# ── The tables ────────────────────────────────────────────────────────────────────────────────


def headline(results: Results, size: int, threads: str) -> Table:
    """One row a system on equal terms: times with intervals, sizes, memory."""
    metrics = ("time_to_proof", "verify", "setup", "peak_memory_prove")
    sizes = ("size:proof", "size:verifying_key", "size:proving_key")
    rows: list[tuple[Cell, ...]] = [
        (
            system_label(system),
            *(_measured(results, series, metric, size, threads) for metric in metrics),
            *(results.value(series, metric, size, threads) for metric in sizes),
        )
        for system, series in sorted(results.equal_terms.items())
    ]
    return Table(
        (
            "system",
            "time to proof",
            "verify",
            "setup",
            "memory, prove",
            "proof",
            "verifying key",
            "proving key",
        ),
        "lrrrrrrr",
        tuple(rows),
    )


def equal_smallest(results: Results) -> Table:
    """Equal terms, smallest size, one thread."""
    return headline(results, results.smallest, "one")


def equal_largest(results: Results) -> Table:
    """Equal terms, largest size, one thread."""
    return headline(results, results.largest, "one")


def equal_largest_all(results: Results) -> Table:
    """Equal terms, largest size, all cores."""
    return headline(results, results.largest, "all")


def as_published(results: Results) -> Table:
    """The terms of earlier work: its threads, its variants, one fixed instance.

    Of a system with several series, that with its default options comes first; the others name the
    options that they change.
    """
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    table = results.series_table.filter(pl.col("track") == "as-published")
    ordered = sorted(
        table.select("series", "system", "variant").iter_rows(),
        key=lambda row: (row[1], row[0] != results.as_published[row[1]], row[0]),
    )
    for series, system, variant in ordered:
        base = results.as_published[system]
        changed = {} if series == base else results.options_changed(base).get(series, {})
        what = ", ".join([*variant.split(","), *(f"{k}={v}" for k, v in changed.items())])
        what += "" if results.is_sound(series) else UNSOUND
        rules.add(len(rows))
        labels = results.configurations.filter(pl.col("series") == series)["threads_label"]
        threads = str(labels[0])
        for size in (results.smallest, results.largest):
            rows.append(
                (
                    system_label(system) if size == results.smallest else "",
                    what if size == results.smallest else "",
                    THREAD_NAMES[threads] if size == results.smallest else "",
                    str(size),
                    _measured(results, series, "time_to_proof", size, threads),
                    _measured(results, series, "verify", size, threads),
                    results.value(series, "size:proof", size),
                    results.value(series, "size:verifying_key", size),
                )
            )
    return Table(
        (
            "system",
            "variant",
            "threads",
            "rounds",
            "time to proof",
            "verify",
            "proof",
            "verifying key",
        ),
        r"l>{\raggedright}p{0.2\linewidth}lrrrrr",
        tuple(rows),
        frozenset(rules - {0}),
    )


def priced(results: Results) -> Table:
    """What one choice costs: the changed variant or option over the main one, one thread."""
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems:
        pairs: list[tuple[str, str, str]] = []
        for name, values in PRICED:
            pair = results.variant_pair(system, name, values)
            if pair is not None:
                mark = "" if all(map(results.is_sound, pair)) else UNSOUND
                pairs.append((f"{name}: {values[0]} → {values[1]}{mark}", *pair))
        base = results.equal_terms.get(system)
        for other, changed in results.options_changed(base).items() if base else ():
            before = results.options_of(str(base))
            words = ", ".join(f"{key}: {before[key]} → {changed[key]}" for key in changed)
            pairs.append((words, str(base), other))
        for words, first, second in pairs:
            size = next(
                (
                    size
                    for size in reversed(results.grid)
                    if results.ratio(second, first, "time_to_proof", size, "one") is not None
                ),
                None,
            )
            if size is None:
                continue
            rows.append(
                (
                    system_label(system),
                    words,
                    str(size),
                    *(
                        Stacked(results.ratio(second, first, metric, size, "one"))
                        for metric in ("time_to_proof", "verify")
                    ),
                    results.ratio(second, first, "size:proof", size),
                    results.ratio(second, first, "size:verifying_key", size),
                )
            )
    return Table(
        ("system", "change", "rounds", "time to proof", "verify", "proof", "verifying key"),
        "llrrrrr",
        tuple(rows),
    )


def claims(results: Results) -> Table:
    """Every claim of earlier work with its verdict under both terms."""
    return claims_table(texts(EXPERIMENT, SOURCE), verdicts(results))


def claims_table(texts: Mapping[str, str], found: Mapping[str, tuple[Verdict, Verdict]]) -> Table:
    """Claims by their keys, each with its verdicts as published and on equal terms."""
    rows: list[tuple[Cell, ...]] = [
        (key.upper(), text, *(str(one.outcome) for one in found[key]))
        for key, text in texts.items()
    ]
    return Table(
        ("", "claim of the earlier paper", "as published", "equal terms"),
        r"l>{\raggedright\arraybackslash}p{0.73\linewidth}ll",
        tuple(rows),
    )


def claim_reasons(results: Results) -> Table:
    """The sentence behind every verdict."""
    return reasons_table(verdicts(results))


def reasons_table(found: Mapping[str, tuple[Verdict, Verdict]]) -> Table:
    """The sentence behind each verdict on some claims, as published and on equal terms."""
    rows: list[tuple[Cell, ...]] = []
    for key, (then, now) in found.items():
        rows.append((key.upper(), "published", str(then.outcome), then.sentence))
        rows.append(("", "equal", str(now.outcome), now.sentence))
    return Table(
        ("", "terms", "verdict", "because"),
        r"lllp{0.68\linewidth}",
        tuple(rows),
        frozenset(range(2, len(rows), 2)),
    )


def security(results: Results) -> Table:
    """Bits of security of every series on equal terms and as published, with their sources."""
    rows: list[tuple[Cell, ...]] = []
    chosen = [("equal", s, name) for s, name in sorted(results.equal_terms.items())]
    chosen += [("published", s, name) for s, name in sorted(results.as_published.items())]
    for terms, system, series in chosen:
        bits = security_bits(results, series)
        curve = system.rsplit("/", 1)[-1]
        source: Cell = (
            Cited("literature", CURVE_BITS[curve][1])
            if "curve" in bits
            else "the library's own figures"
            if bits
            else None
        )
        rows.append(
            (
                system_label(system),
                terms if results.is_sound(series) else f"{terms}{UNSOUND}",
                *(
                    f"{bits[kind]:.0f}" if kind in bits else None
                    for kind in (
                        "curve",
                        "conjectured",
                        "proven-list-decoding",
                        "proven-unique-decoding",
                    )
                ),
                source,
            )
        )
    return Table(
        ("system", "terms", "curve", "conjectured", "proven, list", "proven, unique", "source"),
        "llrrrrl",
        tuple(rows),
        frozenset({len(results.equal_terms)}),
    )


def properties(results: Results) -> Table:
    """What every scheme of a library promises, in its runner's and in the library's own words.

    Systems that differ in their field alone share a row, and what differs is told field by field.
    """
    alike: dict[str, list[str]] = {}
    for system in results.systems:
        if system in results.descriptions and system in results.equal_terms:
            alike.setdefault(system.rpartition("/")[0], []).append(system)
    rows: list[tuple[Cell, ...]] = []
    for scheme, found in sorted(alike.items()):
        library = results.descriptions[found[0]]["library"]
        named = (library["name"], library["version"])[scheme.startswith(f"{library['name']}/") :]
        fields = [system.rpartition("/")[2] for system in found]
        fields = [FIELD_NAMES.get(name, name) for name in fields]
        promised = [results.descriptions[system]["properties"] for system in found]
        knowledge = [of["zero_knowledge"] for of in promised]
        said = (
            [str(of["trusted_setup"]) for of in promised],
            ["yes" if of["post_quantum"] else "no" for of in promised],
            [f"{of['level']}. {_quotation_marks(str(of['source']))}" for of in knowledge],
            [str(of["assumptions"]) for of in promised],
            [_bits(results, results.equal_terms[system]) for system in found],
        )
        rows.append(
            (
                f"{system_label(scheme)}, {' '.join(named)}",
                "; ".join(fields),
                *(_by_field(fields, words) for words in said),
            )
        )
    left = r">{\raggedright\arraybackslash}"
    return Table(
        (
            "system",
            "fields",
            "trusted setup",
            "post-quantum",
            "zero knowledge, in the library's own words",
            "assumptions",
            "security, bits",
        ),
        rf"{left}p{{0.105\linewidth}}{left}p{{0.085\linewidth}}{left}p{{0.065\linewidth}}"
        rf"{left}p{{0.065\linewidth}}{left}p{{0.315\linewidth}}{left}p{{0.14\linewidth}}"
        rf"{left}p{{0.115\linewidth}}",
        tuple(rows),
        frozenset(range(1, len(rows))),
    )


def _by_field(fields: Sequence[str], words: Sequence[str]) -> str:
    """What is said of each field: once where it is the same but for the field's own name."""
    alike = {one.replace(field, "{}") for field, one in zip(fields, words, strict=True)}
    if len(alike) == 1:
        return words[0].replace(fields[0], " or ".join(fields))
    return "; ".join(dict.fromkeys(words))


def _quotation_marks(text: str) -> str:
    """Straight quotation marks in pairs, the way they are printed."""
    parts = text.split('"')
    marked = (mark + part for mark, part in zip("“”" * len(parts), parts[1:], strict=False))
    return parts[0] + "".join(marked)


def _bits(results: Results, series: str) -> str:
    """Bits of a series at the largest size: of its curve, or conjectured and proven."""
    bits = security_bits(results, series)
    if "curve" in bits:
        return f"{bits['curve']:.0f}"
    words = {
        "conjectured": "conjectured",
        "proven-list-decoding": "list decoding",
        "proven-unique-decoding": "unique decoding",
    }
    said = [f"{bits[kind]:.0f} {word}" for kind, word in words.items() if kind in bits]
    return ", ".join(said) or MISSING


def uses(results: Results) -> Table:
    """The best system by each criterion under each demand, those alike, and by what factor."""
    found = choices(results)
    demands = list(dict.fromkeys(choice.demand.words for choice in found))
    cells = {(one.criterion.words, one.demand.words): one for one in found}
    rows = [
        (words, *(_chosen(cells.get((words, demand))) for demand in demands))
        for words in dict.fromkeys(choice.criterion.words for choice in found)
    ]
    width = 0.79 / max(len(demands), 1)
    column = rf">{{\raggedright\arraybackslash}}p{{{width:.3f}\linewidth}}"
    return Table(
        ("the least of", *(f"of {demand}" for demand in demands)),
        r">{\raggedright\arraybackslash}p{0.13\linewidth}" + column * len(demands),
        tuple(rows),
        frozenset(range(1, len(rows))),
    )


def _chosen(choice: Choice | None) -> str | None:
    if choice is None:
        return None
    names = " or ".join(system_label(system) for system in (choice.best, *choice.alike))
    after = "" if choice.factor is None else f"; next {plain(choice.factor, interval=True)} times"
    return f"{names}: {plain(choice.value)}{after}"


def all_uses(results: Results) -> Table:
    """Every choice of `uses` in a row of its own, with the system that follows it."""
    rows: list[tuple[Cell, ...]] = []
    rules, last = set(), ""
    for one in choices(results):
        if one.demand.words != last:
            rules.add(len(rows))
        rows.append(
            (
                one.demand.words if one.demand.words != last else "",
                one.criterion.words,
                system_label(one.best),
                Stacked(one.value),
                ", ".join(map(system_label, one.alike)) or MISSING,
                MISSING if one.following is None else system_label(one.following),
                Stacked(one.factor),
            )
        )
        last = one.demand.words
    left = r">{\raggedright\arraybackslash}"
    return Table(
        ("of", "the least of", "best", "cost", "not told apart", "next", "times as much"),
        rf"{left}p{{0.09\linewidth}}{left}p{{0.15\linewidth}}lr{left}p{{0.13\linewidth}}lr",
        tuple(rows),
        frozenset(rules - {0}),
    )


def batch_verification(results: Results) -> Table:
    """Which system verifies many proofs together, in its runner's words; old records do not say."""
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems:
        properties = results.descriptions.get(system, {}).get("properties", {})
        batches = properties.get("batch_verification")
        if batches is not None:
            said = "yes" if batches["supported"] else "no"
            source = _quotation_marks(str(batches["source"]))
            rows.append((system_label(system), said, source))
    columns = r"ll>{\raggedright\arraybackslash}p{0.6\linewidth}"
    return Table(("system", "in batches", "what says so"), columns, tuple(rows))


def systems(results: Results) -> Table:
    """What every system is, in its runner's own description."""
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems:
        description = results.descriptions.get(system)
        if description is None:
            continue
        properties = description["properties"]
        library = description["library"]
        rows.append(
            (
                system_label(system),
                f"{library['name']} {library['version']}",
                f"{description['field']['name']}, {description['field']['bits']} bits",
                str(properties["trusted_setup"]),
                "yes" if properties["post_quantum"] else "no",
                str(properties["zero_knowledge"]["level"]),
                str(properties["assumptions"]),
            )
        )
    return Table(
        (
            "system",
            "library",
            "field",
            "trusted setup",
            "post-quantum",
            "zero knowledge",
            "assumptions",
        ),
        r"l>{\raggedright}p{0.12\linewidth}lp{0.09\linewidth}lp{0.07\linewidth}"
        r">{\raggedright\arraybackslash}p{0.27\linewidth}",
        tuple(rows),
    )


def phases(results: Results) -> Table:
    """Which phase is timed, in which other it is included, or that it does not exist."""
    names = ("compile", "setup", "witness", "prove", "verify")
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems:
        description = results.descriptions.get(system)
        if description is None:
            continue
        timed = {entry["phase"]: entry["includes"] for entry in description["phases"]}
        cells = []
        for name in names:
            holders = [phase for phase, included in timed.items() if name in included]
            if name in timed:
                cells.append("timed")
            else:
                cells.append(f"in {', '.join(holders)}" if holders else "absent")
        rows.append((system_label(system), *cells))
    return Table(("system", *names), "llllll", tuple(rows))


def scaling(results: Results) -> Table:
    """Exponents of growth, one thread, with the model that describes each best."""
    metrics = ("time_to_proof", "verify", "setup", "peak_memory_prove")
    rows: list[tuple[Cell, ...]] = []
    for system, series in sorted(results.equal_terms.items()):
        cells: list[Cell] = []
        for metric in metrics:
            row = scaling_row(results, series, metric, "one")
            if row is None:
                cells += [None, None]
                continue
            low = row["exponent"] if row["low"] is None else row["low"]
            high = row["exponent"] if row["high"] is None else row["high"]
            cells += [Stacked(Quantity(row["exponent"], low, high)), row["best_model"]]
        rows.append((system_label(system), *cells))
    return Table(
        (
            "system",
            "time to proof",
            "model",
            "verify",
            "model",
            "setup",
            "model",
            "memory",
            "model",
        ),
        "lrlrlrlrl",
        tuple(rows),
    )


def ratios(results: Results) -> Table:
    """Ratio of every pair of main systems at the largest size on one thread, after Holm."""
    chosen = set(results.equal_terms.values())
    pairs = results.ratios.filter(
        pl.col("numerator").is_in(chosen)
        & pl.col("denominator").is_in(chosen)
        & (pl.col("size") == results.largest)
        & (pl.col("threads_label") == "one")
        & pl.col("metric").is_in(["time_to_proof", "verify"])
    )
    names = {series: system_label(system) for system, series in results.equal_terms.items()}
    found: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in pairs.iter_rows(named=True):
        found.setdefault((row["numerator"], row["denominator"]), {})[row["metric"]] = row
    rows: list[tuple[Cell, ...]] = []
    for (above, below), metrics in sorted(found.items()):
        cells: list[Cell] = []
        for metric in ("time_to_proof", "verify"):
            measured = metrics.get(metric)
            if measured is None:
                cells += [None, None]
                continue
            value = Quantity(measured["value"], measured["low"], measured["high"])
            p = measured["p_value_holm"]
            text = None if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"
            cells += [Stacked(value), text]
        rows.append((names[above], names[below], *cells))
    return Table(
        ("system", "over system", "time to proof", "p", "verify", "p"), "llrrrr", tuple(rows)
    )


def ratios_first(results: Results) -> Table:
    """The rows of `ratios` that a page has room for."""
    table = ratios(results)
    return replace(table, rows=table.rows[:RATIOS_A_PAGE])


def ratios_rest(results: Results) -> Table:
    """The other rows of `ratios`."""
    table = ratios(results)
    return replace(table, rows=table.rows[RATIOS_A_PAGE:])


def harness_cost(results: Results) -> Table:
    """Runner over plain program, one row a system; and its verify after a proof over that alone."""
    found: dict[str, list[dict[str, Any]]] = {}
    if results.overhead is not None:
        for row in results.overhead.sort("system").iter_rows(named=True):
            found.setdefault(row["system"], []).append(row)
    rows: list[tuple[Cell, ...]] = []
    for system, compared in found.items():
        ratios = {
            (row["phase"], row["threads"] > 1): Quantity(row["ratio"], row["low"], row["high"])
            for row in compared
        }
        costs = [Cost.of(row["low"], row["high"]) for row in compared]
        colder = results.verify_regimes.get(system)
        rows.append(
            (
                system_label(system),
                *(
                    Stacked(ratios.get((phase, several)))
                    for phase in ("prove", "verify")
                    for several in (False, True)
                ),
                f"{costs.count(Cost.WITHIN)} of {len(compared)}",
                None if colder is None else f"{colder:.2f}",
            )
        )
    return Table(
        (
            "system",
            "prove, one thread",
            "all cores",
            "verify, one thread",
            "all cores",
            f"within {MARGIN_WORDS}",
            "after a proof",
        ),
        "lrrrrrr",
        tuple(rows),
    )


def _percentages(least: float, greatest: float) -> str:
    """A range of shares in percent, or the one percentage where both ends are printed alike."""
    low, high = f"{100 * least:.1f}", f"{100 * greatest:.1f}"
    return low if low == high else f"{low}–{high}"


def coverage(results: Results) -> Table:
    """Simulated coverage of the interval estimators at the numbers that results rest on.

    One row a distribution for the estimators in use, one row over all distributions for the others;
    least and greatest coverage, and the mean width relative to the truth.
    """
    if results.coverage is None:
        return Table(("statistic", "estimator"), "ll", ())
    simulated = reported(results.coverage)
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for used in (True, False):
        by = ["statistic", "estimator", *(["distribution"] if used else [])]
        grouped = (
            simulated.filter(pl.col("used") == used)
            .group_by(by, maintain_order=True)
            .agg(
                pl.col("coverage").min().alias("least"),
                pl.col("coverage").max().alias("greatest"),
                pl.col("width").mean(),
                pl.col("within").all(),
            )
            .sort("statistic", "estimator", maintain_order=True)
        )
        last = None
        for row in grouped.iter_rows(named=True):
            heading = (row["statistic"], row["estimator"])
            again = heading == last
            if (used and not again) or last is None:
                rules.add(len(rows))
            rows.append(
                (
                    *(("", "", "") if again else (*heading, "yes" if used else "no")),
                    row["distribution"] if used else "all of these",
                    _percentages(row["least"], row["greatest"]),
                    "" if row["width"] is None else f"{row['width']:.2f}",
                    "yes" if row["within"] else "no",
                )
            )
            last = heading
    return Table(
        (
            "statistic",
            "estimator",
            "used",
            "distribution",
            "coverage, %",
            "relative width",
            "92–98 %",
        ),
        "lllllrl",
        tuple(rows),
        frozenset(rules - {0}),
    )


def machine(results: Results) -> Table:
    """The machine and the toolchains, from the manifest."""
    manifest = results.manifest
    machine_: dict[str, Any] = manifest.get("machine", {})
    tools: dict[str, Any] = manifest.get("tools", {})
    finished: dict[str, Any] = manifest.get("finished") or {}

    def said(value: object) -> str:
        match value:
            case None:
                return "not known"
            case bool():
                return "yes" if value else "no"
            case list():
                return ", ".join(map(str, value))
            case _:
                return str(value)

    rows: list[tuple[Cell, ...]] = [
        ("processor", said(machine_.get("processor"))),
        ("usable cores", said(machine_.get("usable_cores"))),
        (
            "memory",
            exact(machine_["memory_bytes"], "bytes") if machine_.get("memory_bytes") else None,
        ),
    ]
    names = {
        "smt": "simultaneous multithreading",
        "governor": "frequency governor",
        "turbo": "turbo",
        "kernel": "kernel",
        "distribution": "distribution",
        "virtualisation": "virtualisation",
        "container": "container",
    }
    rows += [(name, said(machine_.get(key))) for key, name in names.items()]
    if (variables := machine_.get("variables")) is not None:
        given = [f"{name}={value}" for name, value in variables.items() if value is not None]
        rows.append(("environment of runners", ", ".join(given) or "sets nothing that they obey"))
    steal = finished.get("steal_share")
    rows.append(
        (
            "time stolen by others",
            None if steal is None else f"{100 * steal:.2f} %",
        )
    )
    rows.append(("shared while measuring", said(finished.get("shared"))))
    rows += [
        (name, said(version))
        for name, version in tools.items()
        if version is not None and name in ("rustc", "go", "python")
    ]
    revision = manifest.get("revision", {})
    rows.append(("revision", said((revision.get("commit") or "not known")[:12])))
    rows.append(("run began", said(manifest.get("started_utc"))))
    return Table(("", ""), r"lp{0.62\linewidth}", tuple(rows))


#: Rows of `ratios` on a page of the supplement.
RATIOS_A_PAGE = 30

STOP_REASONS = {
    "target": "interval narrower than the target",
    "maximum": "maximum of invocations",
    "budget": "time budget of the run",
    "failed": "failed, and would again",
}


def stops(results: Results) -> Table:
    """What ended each configuration, and how wide its interval was by then."""
    rows: list[tuple[Cell, ...]] = []
    for reason, words in STOP_REASONS.items():
        found = results.stops.filter(pl.col("reason") == reason)
        if found.is_empty():
            continue
        widths = found["half_width"].drop_nulls()
        blocks = found["blocks"].to_list()
        rows.append(
            (
                words,
                str(found.height),
                f"{min(blocks)}–{max(blocks)}" if min(blocks) != max(blocks) else str(blocks[0]),
                exact(_median(widths), "percent") if len(widths) else None,
            )
        )
    return Table(
        ("ended by", "configurations", "invocations of each", "median half-width"),
        "lrrr",
        tuple(rows),
    )


def _median(values: pl.Series) -> float:
    ordered = sorted(values.to_list())
    return float(ordered[len(ordered) // 2])


def failures(results: Results) -> Table:
    """Every configuration that failed, with how and after how long."""
    bad = results.invocations.filter(pl.col("outcome") != "done")
    rows: list[tuple[Cell, ...]] = []
    grouped = (
        bad.group_by("configuration", "outcome")
        .agg(pl.len().alias("times"), pl.col("wall_ns").max(), pl.col("message").first())
        .join(results.configurations, on="configuration")
        .sort("system", "series", "size", "threads", "outcome")
    )
    for row in grouped.iter_rows(named=True):
        rows.append(
            (
                row["series"],
                str(row["size"]),
                THREAD_NAMES[row["threads_label"]],
                row["outcome"],
                str(row["times"]),
                exact(row["wall_ns"], "ns"),
            )
        )
    return Table(
        ("series", "rounds", "threads", "outcome", "invocations", "after"), "lrllrr", tuple(rows)
    )


TABLES: dict[str, Callable[[Results], Table]] = {
    "equal-smallest": equal_smallest,
    "batch-verification": batch_verification,
    "equal-largest": equal_largest,
    "equal-largest-all": equal_largest_all,
    "as-published": as_published,
    "priced": priced,
    "claims": claims,
    "claim-reasons": claim_reasons,
    "security": security,
    "properties": properties,
    "uses": uses,
    "all-uses": all_uses,
    "systems": systems,
    "phases": phases,
    "scaling": scaling,
    "ratios": ratios_first,
    "ratios-continued": ratios_rest,
    "harness-cost": harness_cost,
    "coverage": coverage,
    "machine": machine,
    "stops": stops,
    "failures": failures,
}


def write_tables(results: Results, folder: Path) -> list[Path]:
    """Write every table as a LaTeX `tabular` into `folder`, and nothing else beside them."""
    return written({name: function(results) for name, function in TABLES.items()}, folder)


def written(tables: Mapping[str, Table], folder: Path) -> list[Path]:
    """Write tables by their names as `NAME.tex`, and remove what else of that kind is there."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, table in tables.items():
        path = folder / f"{name}.tex"
        path.write_text(table.latex(), encoding="utf-8")
        paths.append(path)
    for stale in set(folder.glob("*.tex")) - set(paths):
        stale.unlink()
    return paths


def summary(results: Results) -> str:
    """One page of results in Markdown: the headline, what it shows, and what failed."""
    found = findings(results)
    share = 100 * results.timed_share
    shown = ("proof-size", "time-to-proof", "verify-time", "threads", "published", "failures")
    return "\n".join(
        [
            f"# {results.profile}: {results.largest} rounds, one thread",
            "",
            equal_largest(results).markdown(),
            *(f"- {found[key]}" for key in shown),
            f"- {share:.0f}\u202f% of the run's wall time was inside timed phases.",
            "",
        ]
    )
