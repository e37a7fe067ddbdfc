r"""Every number of the paper's prose: a macro `\result{key}`, generated, never typed.

Keys speak and are relative to the run (`largest`, not 4095), so that the paper builds from any
profile. `numbers.tex` holds them for LaTeX, where an unknown key stops the build, and
`numbers.json` holds value, interval and source of each.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from nizkbench.claim_register import read_register
from nizkbench.claims import verdicts
from nizkbench.figures import scaling_row
from nizkbench.findings import findings
from nizkbench.lead import ROUNDS as LEAD_ROUNDS
from nizkbench.lead import lead
from nizkbench.predicates import Outcome
from nizkbench.quantities import Quantity, escape, exact, interval_latex, latex
from nizkbench.results import Results, key_part, system_label
from nizkbench.tables import TABLES, Stacked, Table, plain_cell
from nizkbench.words import listed

#: Metrics that have a key for each system, size and thread track.
METRICS = ("time_to_proof", "verify", "setup", "peak_memory_prove", "pow_attempts")
SIZES = ("proof", "verifying_key", "proving_key")

#: What is made of all verdicts: these sentences, the counts of `_of_claims`, and two tables.
OF_VERDICTS = (
    *("finding.published", "finding.terms", "claims."),
    *("table.claims.", "table.claim-reasons."),
)

#: What the keys of a table's cells begin with. The prose does not have them.
CELL = "table."

#: Sections on other experiments, which are left out where those were not recorded.
SECTIONS_BESIDE = ("stark-grid", "hash-functions", "range-proofs")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the prose: what LaTeX prints, and where it comes from.

    `quantity` is None for a text, and for a configuration that has no value; `text` then says so.
    `records` are the folders of the runs that it is computed from.
    """

    key: str
    text: str
    quantity: Quantity | None
    source: str
    records: tuple[str, ...] = ()


def _number(key: str, quantity: Quantity, source: str) -> Number:
    return Number(key, latex(quantity), quantity, source)


def _count(key: str, value: int, source: str) -> Number:
    return Number(key, rf"\num{{{value}}}", exact(value), source)


def _text(key: str, text: str, source: str) -> Number:
    return Number(key, escape(text), None, source)


def _of_run(results: Results) -> Iterator[Number]:
    manifest, machine = results.manifest, results.manifest.get("machine", {})
    counted = results.samples.filter(~pl.col("warmup"))
    done = results.invocations.filter(pl.col("outcome") == "done")
    blocks = done.group_by("configuration").len()["len"].to_list()
    yield _text("run.profile", results.profile, "profile")
    yield _count("run.rounds.smallest", results.smallest, "configurations")
    yield _count("run.rounds.largest", results.largest, "configurations")
    yield _count("run.sizes", len(results.grid), "configurations")
    yield _text("run.grid", ", ".join(map(str, results.grid)), "configurations")
    yield _count("run.systems", len(results.systems), "configurations")
    described = (results.descriptions.get(system) for system in results.systems)
    libraries = sorted({one["library"]["name"] for one in described if one is not None})
    yield _count("run.libraries", len(libraries), "manifest: runners")
    yield _text("run.library-names", listed(libraries or ["none"]), "manifest: runners")
    yield _count("run.configurations", results.configurations.height, "configurations")
    yield _count("run.invocations", results.invocations.height, "invocations")
    yield _count("run.samples", counted.height, "samples, without warm-up")
    yield _count("run.failed-invocations", results.invocations.height - done.height, "invocations")
    yield _count("run.invocations.fewest", min(blocks, default=0), "invocations that ended in done")
    yield _count("run.invocations.most", max(blocks, default=0), "invocations that ended in done")
    for key, name, values in (
        ("fixed-against-public", "constants", ("fixed", "public")),
        ("growing-gadget", "gadget", ("constant-terms", "growing-terms")),
    ):
        pairs = (results.variant_pair(system, name, values) for system in results.systems)
        series = [pair[1] for pair in pairs if pair is not None]
        sizes = results.configurations.filter(pl.col("series").is_in(series))["size"]
        reached = int(str(sizes.max())) if len(sizes) else 0
        yield _count(f"run.rounds.{key}", reached, f"configurations, {name}={values[1]}")
    elapsed = float(results.invocations["elapsed_ns"].sum())
    yield Number(
        "run.minutes",
        rf"\qty{{{elapsed / 60e9:.1f}}}{{\minute}}",
        exact(elapsed, "ns"),
        "invocations, elapsed_ns",
    )
    yield _number(
        "run.timed-share",
        exact(round(results.timed_share, 3), "percent"),
        "invocations: timed_ns over elapsed_ns, which add up to the run's wall time",
    )
    checks = results.checks
    expected = checks.filter(pl.col("expected_to_fail")).height
    yield _count("run.checks", checks.height, "checks")
    yield _count("run.checks.passed", int(checks["passed"].sum()), "checks")
    yield _count("run.checks.expected-to-fail", expected, "checks")
    yield _text("machine.processor", str(machine.get("processor") or "not known"), "manifest")
    yield _text("machine.cores", str(machine.get("usable_cores") or "not known"), "manifest")
    revision = (manifest.get("revision") or {}).get("commit") or "not recorded"
    yield _text("run.revision", str(revision)[:12], "manifest")
    yield _text("run.date", str(manifest.get("started_utc", ""))[:10], "manifest")
    parameters = manifest.get("profile", {})
    limits, rule = parameters.get("limits", {}), parameters.get("blocks", {})
    samples = parameters.get("samples", {})
    for key, value in (
        ("profile.timeout-seconds", limits.get("timeout_seconds")),
        ("profile.blocks.minimum", rule.get("minimum")),
        ("profile.blocks.maximum", rule.get("maximum")),
        ("profile.samples.minimum", samples.get("minimum")),
        ("profile.samples.maximum", samples.get("maximum")),
        ("profile.samples.seconds", samples.get("seconds")),
        ("profile.samples.warmup", samples.get("warmup")),
        ("profile.bit-flips", parameters.get("bit_flips")),
    ):
        if value is not None:
            yield Number(key, rf"\num{{{value}}}", exact(float(value)), "manifest: profile")
    if "target_half_width" in rule:
        yield _number(
            "profile.target-half-width",
            exact(rule["target_half_width"], "percent"),
            "manifest: profile",
        )


def _of_systems(results: Results) -> Iterator[Number]:
    places = {"smallest": results.smallest, "largest": results.largest}
    for terms, chosen in (("equal", results.equal_terms), ("published", results.as_published)):
        for system, series in sorted(chosen.items()):
            name = key_part(system)
            for place, size in places.items():
                for of in SIZES:
                    value = results.size_of(series, of, size)
                    key = f"{terms}.{key_part(of)}.{name}.{place}"
                    if value is not None:
                        yield _number(key, value, f"{series}, {size} rounds")
                for metric in METRICS:
                    yield from _timed(
                        results, f"{terms}.{key_part(metric)}.{name}.{place}", series, metric, size
                    )
            for metric in METRICS:
                for threads in results.thread_tracks:
                    row = scaling_row(results, series, metric, threads)
                    if row is not None and row["low"] is not None:
                        quantity = Quantity(row["exponent"], row["low"], row["high"])
                        key = f"{terms}.exponent.{key_part(metric)}.{name}.{threads}"
                        yield _number(key, quantity, f"{series}, {threads}: {row['method']}")


def _of_options(results: Results) -> Iterator[Number]:
    """The options of every system that has any; schemes that differ by field share a part."""
    schemes: dict[str, list[str]] = {}
    for system in results.equal_terms:
        if results.options_of(results.equal_terms[system]):
            schemes.setdefault(system.rpartition("/")[0], []).append(system)
    said = []
    for scheme, systems in sorted(schemes.items()):
        found = [results.options_of(results.equal_terms[system]) for system in systems]
        described = results.descriptions.get(systems[0], {}).get("options", [])
        order = [one["name"] for one in described if one["name"] in found[0]] or list(found[0])
        levels = {name: dict.fromkeys(str(one[name]) for one in found) for name in order}
        words = [f"{name.replace('_', ' ')} {' and '.join(levels[name])}" for name in order]
        said.append(f"{system_label(scheme)} with {', '.join(words)}")
    yield _text("run.options", "; ".join(said) or "none", "configurations: options")


def _timed(results: Results, key: str, series: str, metric: str, size: int) -> Iterator[Number]:
    for threads in results.thread_tracks:
        source = f"{series}, {size} rounds, threads {threads}"
        value = results.value(series, metric, size, threads)
        if value is not None:
            yield _number(f"{key}.{threads}", value, source)
        elif (how := results.failure(series, size, threads)) is not None:
            yield _text(f"{key}.{threads}", f"no value ({how})", source)


def _of_claims(results: Results) -> Iterator[Number]:
    found = verdicts(results)
    yield _count("claims", len(found), "claims")
    turned = sum(
        {then.outcome, now.outcome} == {Outcome.REPRODUCED, Outcome.CONTRADICTED}
        for then, now in found.values()
    )
    yield _count("claims.turned", turned, "claims")
    for side, terms in enumerate(("published", "equal")):
        for outcome in Outcome:
            number = sum(pair[side].outcome == outcome for pair in found.values())
            yield _count(f"claims.{key_part(outcome)}.{terms}", number, "claims")
    for key, pair in found.items():
        for terms, verdict in zip(("published", "equal"), pair, strict=True):
            yield _text(f"verdict.{key}.{terms}", str(verdict.outcome), "claims")
            yield _text(f"because.{key}.{terms}", verdict.sentence, "claims")


def _of_register() -> Iterator[Number]:
    claims = read_register()
    waiting = [claim for claim in claims if not claim.decidable]
    source = "data/claims.toml: claims without conditions"
    yield _count("register.not-yet-tested", len(waiting), source)
    for name in dict.fromkeys(claim.source for claim in waiting):
        count = sum(claim.source == name for claim in waiting)
        yield _count(f"register.not-yet-tested.{name}", count, source)


def _of_lead(results: Results) -> Iterator[Number]:
    found = lead(results)
    # Bare digits: LaTeX compares them to leave a sentence out that a run has nothing for.
    there = int(found is not None)
    yield Number("rows.lead", str(there), exact(there), "lead")
    if found is None:
        return
    for key, ratio, threads in (
        ("lead.ratio", found.ratio, "one"),
        ("lead.ratio.all-cores", found.all_cores, "all"),
    ):
        chosen = results.configurations.filter(
            pl.col("series").is_in([results.equal_terms[s] for s in (found.behind, found.ahead)])
            & (pl.col("size") == LEAD_ROUNDS)
            & (pl.col("threads_label") == threads)
        )
        compared = " and ".join(sorted(chosen["configuration"]))
        if ratio is not None:
            source = f"{found.behind} over {found.ahead}: configurations {compared}"
            yield _number(key, ratio, source)
    yield _count("lead.rounds", LEAD_ROUNDS, "lead")
    yield _text("lead.behind", system_label(found.behind), "lead")
    yield _text("lead.ahead", system_label(found.ahead), "lead")
    for key, bits in (("behind", found.bits_behind), ("ahead", found.bits_ahead)):
        yield _count(f"lead.bits.{key}", round(bits), "security, by our own computing")


def numbers(results: Results) -> dict[str, Number]:
    """Every number by its key; a sentence that is computed has a key `finding.…`."""
    found: dict[str, Number] = {}
    stages = (
        _of_run(results),
        _of_systems(results),
        _of_options(results),
        _of_claims(results),
        _of_register(),
        _of_lead(results),
    )
    for number in (number for stage in stages for number in stage):
        found[number.key] = number
    for name, table in TABLES.items():
        found |= {number.key: number for number in of_table(name, table(results))}
    # Overwritten where the numbers of a grid are added: its section is left out without one.
    for section in SECTIONS_BESIDE:
        found[f"rows.{section}"] = Number(f"rows.{section}", "0", exact(0), "not recorded")
    for key, sentence in findings(results).items():
        found[f"finding.{key}"] = _text(f"finding.{key}", sentence, "findings")
    return found


def of_table(name: str, table: Table) -> Iterator[Number]:
    """How many rows a table has, and every cell with a number: `table.NAME.ROW.COLUMN`, from 1."""
    rows = len(table.rows)
    # Bare digits: LaTeX compares them to leave out a table that has no rows.
    yield Number(f"rows.{name}", str(rows), exact(rows), f"table {name}")
    for row, cells in enumerate(table.rows, 1):
        label = plain_cell(cells[0])
        for column, (head, cell) in enumerate(zip(table.heads, cells, strict=True), 1):
            said = plain_cell(cell)
            key, source = f"{CELL}{name}.{row}.{column}", f"table {name}, row {label}: {head}"
            quantity = cell.quantity if isinstance(cell, Stacked) else cell
            if isinstance(quantity, Quantity):
                yield _number(key, quantity, source)
            elif any(map(str.isdigit, said)):
                yield _text(key, said, source)


def numbers_tex(found: Mapping[str, Number]) -> str:
    """The definitions for LaTeX, one line a key of the prose."""
    lines = ["% Generated by `nizkbench numbers`; every line is a key of the prose."]
    for number in found.values():
        if number.key.startswith(CELL):
            continue
        lines.append(rf"\defineresult{{{number.key}}}{{{number.text}}}")
        if number.quantity is not None and not number.quantity.exact:
            lines.append(
                rf"\defineresult{{{number.key}.interval}}{{{interval_latex(number.quantity)}}}"
            )
    return "\n".join([*lines, ""])


def numbers_json(found: Mapping[str, Number]) -> str:
    """Value, interval, unit, source and runs of every key; `nizkbench.whence` reads it back."""
    content = {
        key: {"source": number.source, "records": number.records}
        | (
            {"text": number.text}
            if number.quantity is None
            else {
                "value": number.quantity.value,
                "low": number.quantity.low,
                "high": number.quantity.high,
                "unit": number.quantity.unit,
                "printed": number.text,
            }
        )
        for key, number in found.items()
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def decided_elsewhere(found: Mapping[str, Number], results: Results) -> dict[str, Number]:
    """Those in which verdicts of another experiment (`Results.elsewhere`) have a part."""
    if not results.elsewhere:
        return {}
    verdicts = (f"{what}.{key}." for what in ("verdict", "because") for key in results.elsewhere)
    starts = (*OF_VERDICTS, *verdicts)
    return {key: number for key, number in found.items() if key.startswith(starts)}


def computed_from(found: Mapping[str, Number], *records: Path | None) -> dict[str, Number]:
    """Numbers with the folders of the runs that they are computed from."""
    folders = tuple(folder.as_posix() for folder in records if folder is not None)
    return {key: replace(number, records=folders) for key, number in found.items()}


def write_numbers(found: Mapping[str, Number], folder: Path) -> list[Path]:
    """Write `numbers.tex` and `numbers.json` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tex, listed = folder / "numbers.tex", folder / "numbers.json"
    tex.write_text(numbers_tex(found), encoding="utf-8")
    listed.write_text(numbers_json(found), encoding="utf-8")
    return [tex, listed]
