"""Figures, tables, sentences, numbers and verdicts on hash functions, from made-up records."""

import re
from dataclasses import replace

import polars as pl
import pytest

from nizkbench import layout
from nizkbench.analysis import analyse
from nizkbench.claim_register import claims_on
from nizkbench.hash_claims import (
    EXPERIMENT,
    OVER_PUBLISHED,
    SOURCE,
    TREE_OVER_PUBLISHED,
    HashTerms,
    faster_than_linear,
    hash_verdicts,
)
from nizkbench.hash_figures import FIGURES, FUNCTION_NAMES, draw_hashes, function_look, native_gain
from nizkbench.hash_numbers import hash_numbers
from nizkbench.hash_prose import PROSE
from nizkbench.hash_results import FUNCTIONS, NATIVE, HashResults
from nizkbench.hash_speed import HASH, MERKLE, SCHEMA
from nizkbench.hash_tables import TABLES, constraints, native, speed
from nizkbench.predicates import Outcome
from nizkbench.quantities import Quantity, exact
from nizkbench.results import results_of
from tests.prose import keys
from tests.test_hash_results import BELLMAN, LOST, count, run, series

PAPER = layout.root() / "paper"


def made_speed() -> pl.DataFrame:
    """SHA-256 in 500 ns and Poseidon in 50 µs, a tree of eight leaves in proportion."""
    rows = [
        (function, task, block, 0, hashes, wall * hashes, wall * hashes, 0)
        for function, wall in (("sha256", 500), ("poseidon", 50_000))
        for task, hashes in ((HASH, 100), (MERKLE, 7))
        for block in range(3)
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


@pytest.fixture(scope="module")
def results() -> HashResults:
    made = run()
    found = results_of(made, analyse(made.records))
    described = [{"function": "sha256", "crate": "sha2", "version": "1"}]
    manifest = {"speed": {"leaves_log2": 3, "describe": {"functions": described}}}
    return HashResults(replace(found, manifest={**found.manifest, **manifest}), made_speed())


@pytest.fixture(scope="module")
def tiny() -> HashResults:
    """One function in one system at one size, without native speed."""
    made = run()
    kept = made.records.configurations.filter(
        (pl.col("series") == series(NATIVE, "poseidon")) & (pl.col("size") == 32)
    )
    names = kept.select("configuration")
    records = replace(
        made.records,
        **{
            name: getattr(made.records, name).join(names, on="configuration", how="semi")
            for name in (
                *("configurations", "invocations", "samples", "sizes", "counters"),
                *("checks", "security", "stops"),
            )
        },
    )
    return HashResults(results_of(replace(made, records=records), analyse(records)))


# ---- figures -------------------------------------------------------------------------------------


def test_every_figure_is_drawn_and_every_function_has_one_look(results: HashResults) -> None:
    drawn = draw_hashes(results)
    assert set(drawn) == set(FIGURES)
    names = {FUNCTION_NAMES[function]: function_look(function) for function in FUNCTIONS}
    assert len({(look.colour, look.marker) for look in names.values()}) == len(FUNCTIONS)
    for title in ("circuits", "times", "native-gain"):
        traces = [trace for trace in drawn[title].data if trace.name in names]
        assert traces, title
        for trace in traces:
            assert trace.marker.color == names[trace.name].colour
            assert trace.marker.symbol == names[trace.name].marker


def test_a_size_that_ran_out_of_memory_stands_at_the_upper_edge(results: HashResults) -> None:
    for title in ("times", "systems"):
        figure = draw_hashes(results)[title]
        crossed = [trace for trace in figure.data if trace.text]
        assert crossed, title
        for trace in crossed:
            assert all(f"{LOST[1]} bytes, out-of-memory" in said for said in trace.hovertext)
            axis = figure.layout[trace.yaxis.replace("y", "yaxis")]
            # A panel in which nothing was measured has no scale.
            assert trace.y[0] == pytest.approx(10 ** axis.range[1] if axis.range else 1.0)


def test_sizes_are_bytes_on_the_axis_and_on_hovering(results: HashResults) -> None:
    figure = draw_hashes(results)["circuits"]
    assert figure.layout.xaxis.title.text == "bytes of message"
    assert "32 bytes: " in figure.data[0].hovertext[0]


def test_a_run_too_small_to_show_anything_says_so(tiny: HashResults) -> None:
    assert native_gain(tiny) is None
    assert set(draw_hashes(tiny)) == set(FIGURES)


# ---- tables --------------------------------------------------------------------------------------


def test_every_table_is_latex_and_html(results: HashResults) -> None:
    for name, table in TABLES.items():
        made = table(results)
        assert all(len(row) == len(made.heads) for row in made.rows), name
        assert "tabular" in made.latex(), name
        assert made.html()


def test_constraints_name_what_ran_out_of_memory(results: HashResults) -> None:
    every = [row for row in constraints(results).rows if row[1] == "SHA-256"]
    # That circuit was made natively, so its constraints are known all the same.
    assert all(cell is not None for row in every for cell in row)
    last = every[-1][-1]
    assert isinstance(last, Quantity)
    assert last.value == count("sha256", 256)


def test_the_native_table_has_the_ratio_of_the_same_circuit(results: HashResults) -> None:
    rows = native(results).rows
    assert {row[1] for row in rows if row[0] == "SHA-256"} == {"32"}
    assert len(rows) == 3 * 4 - 1  # one circuit ran out of memory


def test_native_speed_stands_beside_what_was_published(results: HashResults) -> None:
    rows = {row[0]: row for row in speed(results).rows}
    assert rows["SHA-256"][1] == "sha2 1"
    assert rows["SHA-256"][-2:] == ("0.32", "0.624")
    assert "tree of 2³ leaves" in speed(results).heads
    assert speed(replace(results, speed=None)).rows == ()


# ---- sentences and numbers -----------------------------------------------------------------------


def test_every_sentence_is_whole_also_where_there_is_nothing_to_say(
    results: HashResults, tiny: HashResults
) -> None:
    for name, function in PROSE.items():
        for said in (function(results), function(tiny)):
            assert said[0].isupper() or said[0].isdigit(), name
            assert said.endswith("."), name
            assert "None" not in said, name
            assert "nan" not in said.split(), name


def test_sentences_say_what_is_true_of_the_records(results: HashResults) -> None:
    assert PROSE["measured"](results).endswith("; 1 ran out of memory.")
    assert "in 5 of 5 the whole interval is above 4" in PROSE["native"](results)
    assert (
        "BLAKE2s begins to be proven faster than SHA-256 between 64 and 128 bytes, by interpolation"
        " at 7"
    ) in PROSE["crossovers"](results)
    alone = "The native prover alone proves SHA-256 of 256 bytes (out of memory in WebAssembly)."
    assert alone in PROSE["native"](results)
    assert PROSE["growth"](results).endswith("No prove time grows faster than its constraints.")
    dense = PROSE["dense"](results)
    assert "112640 constraints" in dense
    assert f"{55 * 256**2} terms" in dense
    assert "Of 256 bytes SHA-256 has" in dense
    reach = PROSE["reach"](results)
    assert "256 bytes (the longest asked for) with SHA-256" in reach
    choose = PROSE["choose"](results)
    assert choose.startswith("Where nothing but circuits computes the hash, take Poseidon: 256")
    assert "Outside a circuit it is the other way round" not in choose  # BLAKE2s was not timed
    assert "64 bytes take SHA-256 500" in PROSE["speed"](results)
    assert "A Merkle tree of 2³ leaves takes" in PROSE["speed"](results)
    assert "is one of microseconds, not of milliseconds: " in PROSE["units"](results)
    brief = PROSE["brief"](results)
    assert re.match(r"In a circuit, 256 bytes take 5\.2\d* \[", brief)
    assert "with BLAKE2s, the cheapest function over bytes, as with Poseidon" in brief
    assert re.search(r"the smallest ratio \(.+\) takes WebAssembly (9\.9|10\.)", brief)


def test_numbers_have_a_key_for_every_circuit_and_table(
    results: HashResults, tiny: HashResults
) -> None:
    found = hash_numbers(results)
    key = "hash.constraints.bellman-groth16-bls12-381.blake2s.128"
    assert found[key].quantity == exact(count("blake2s", 128))
    assert found["hash.speed.hash.sha256"].quantity is not None
    assert {f"rows.{name}" for name in TABLES} <= set(found)
    assert {f"finding.hash-{name}" for name in PROSE} <= set(found)
    assert found["rows.hash-failures"].text == "1"
    assert hash_numbers(tiny)["rows.hash-native"].text == "0"


def test_every_key_table_and_figure_of_the_section_exists(
    results: HashResults, tiny: HashResults
) -> None:
    files = sorted(PAPER.rglob("hash-functions*.tex"))
    assert len(files) == 3
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    used = keys(text)
    assert used
    for found in (results, tiny):
        assert used <= set(hash_numbers(found))
    tables = {f"hashes/{name}" for name in TABLES}
    assert set(re.findall(r"\\generatedtable\{([^}]+)\}", text)) == tables
    figures = set(re.findall(r"\\generatedfigure\{([^}]+)\}", text))
    assert figures == {f"hashes/{name}" for name in FIGURES}
    # A reference reaches no further than the document that it stands in.
    for folder in {path.parent for path in files}:
        text = "\n".join(path.read_text("utf-8") for path in files if path.parent == folder)
        labels = set(re.findall(r"\\label\{([^}]+)\}", text))
        cited = re.findall(r"\\[cC]ref\{([^}]+)\}", text)
        assert {label for one in cited for label in one.split(",")} <= labels


# ---- verdicts ------------------------------------------------------------------------------------


def test_every_claim_has_a_verdict_on_both_terms(results: HashResults, tiny: HashResults) -> None:
    assert set(hash_verdicts(results)) == set(claims_on(EXPERIMENT, SOURCE))
    for pair in hash_verdicts(tiny).values():
        assert [one.outcome for one in pair] == [Outcome.NOT_MEASURED] * 2
        assert all(one.sentence.endswith(".") for one in pair)


def test_what_has_not_all_functions_decides_nothing_of_all(results: HashResults) -> None:
    verdict = hash_verdicts(results)["p2.1"][1]
    assert verdict.outcome == Outcome.NOT_MEASURED
    assert "4 sizes of SHA3-256" in verdict.sentence


def test_proofs_of_any_circuit_are_alike(results: HashResults) -> None:
    published, equal = hash_verdicts(results)["p2.6"]
    for verdict in (published, equal):
        assert "192 bytes" in verdict.sentence
    assert HashTerms(results, "equal").sizes(["sha256"])[-1] == 256
    ran_out = HashTerms(results, "published").ran_out(["sha256"])
    assert ran_out == ["SHA-256 from 256 bytes"]


def test_microseconds_are_no_milliseconds(results: HashResults) -> None:
    for verdict in hash_verdicts(results)["p2.7"]:
        assert verdict.outcome == Outcome.CONTRADICTED
        assert "read as milliseconds for 2 of 2 functions" in verdict.sentence
        assert PROSE["units"](results) in verdict.sentence
    silent = hash_verdicts(replace(results, speed=None))["p2.7"][0]
    assert silent.outcome == Outcome.NOT_MEASURED


def test_trees_are_held_against_published_ones_of_as_many_leaves(results: HashResults) -> None:
    assert HashTerms(results, "equal").figure(TREE_OVER_PUBLISHED, "sha256") is None
    speed = {**results.timed, "leaves_log2": 20}
    manifest = {**results.results.manifest, "speed": speed}
    grown = replace(results, results=replace(results.results, manifest=manifest))
    of_tree = HashTerms(grown, "equal").figure(TREE_OVER_PUBLISHED, "sha256")
    assert of_tree is not None
    assert of_tree.value == pytest.approx(7 * 500 / 0.624e9)
    alone = HashTerms(grown, "equal").figure(OVER_PUBLISHED, "sha256")
    assert alone is not None
    assert alone.value == pytest.approx(500 / 0.32e6)


def test_linear_growth_is_told_from_faster_growth(results: HashResults) -> None:
    grows = results.exponent_over(series(NATIVE, "sha256"), "prove")
    assert grows is not None
    assert grows.low < 1 < grows.high < faster_than_linear()
    assert grows.high - grows.low < 0.2
    assert results.exponent_over(series(BELLMAN, "poseidon"), "prove") is None
