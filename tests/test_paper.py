import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from nizkbench import layout
from nizkbench.claim_register import read_register, sources
from nizkbench.claims import verdicts
from nizkbench.doctor import ENOUGH_MEMORY
from nizkbench.errors import NizkBenchError
from nizkbench.figures import FIGURES
from nizkbench.findings import FINDINGS, cpu_time, findings, ratios, threads
from nizkbench.grid_advice import ADVICE
from nizkbench.harness_cost import MARGIN
from nizkbench.hash_prose import PROSE as HASH_PROSE
from nizkbench.intervals import LEVEL
from nizkbench.numbers import (
    CELL,
    SECTIONS_BESIDE,
    numbers,
    numbers_tex,
    write_numbers,
)
from nizkbench.paper import DOCUMENTS, build_paper
from nizkbench.predicates import Outcome
from nizkbench.quantities import exact
from nizkbench.range_prose import PROSE as RANGE_PROSE
from nizkbench.results import Results
from nizkbench.tables import (
    TABLES,
    Stacked,
    Table,
    equal_largest,
    summary,
    write_tables,
)
from nizkbench.typed_numbers import lint, quoted_constants, typed_numbers
from tests.prose import keys

DECIDED = {Outcome.REPRODUCED, Outcome.CONTRADICTED}
PAPER = layout.root() / "paper"
QUOTED = quoted_constants(PAPER)
needs_latex = pytest.mark.skipif(shutil.which("latexmk") is None, reason="no LaTeX here")

#: A whole PDF page of nothing: figures are drawn, and tested, elsewhere.
_BLANK = rb"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 40]>>endobj
trailer<</Root 1 0 R>>
"""


def _generated(results: Results, folder: Path) -> Path:
    write_numbers(numbers(results), folder)
    write_tables(results, folder / "tables")
    (folder / "figures").mkdir()
    for name in FIGURES:
        (folder / "figures" / f"{name}.pdf").write_bytes(_BLANK)
    return folder


def _prose() -> str:
    """All LaTeX but the sections on other experiments, of which there are other tests."""
    paths = [
        path
        for path in sorted(PAPER.rglob("*.tex"))
        if not path.name.startswith(("stark-grid", "hash-functions", "range-proofs"))
    ]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def test_prose_has_no_number_typed_by_hand() -> None:
    lint(PAPER)


@pytest.mark.parametrize(
    "typed",
    [
        "It takes 12.3 ms to verify.",
        r"It takes 12~ms.",
        "three and 192 bytes",
        r"a proof of 38\,kB",
        r"2.5 times slower",
        r"5\,\% of all",
        r"$2.5\times$ faster",
        r"\qty{12}{\milli\second}",
        r"\num{42}",
        "It takes 12\nms to verify.",
        r"\textbf{12 ms}",
        "12.3 milliseconds",
        "12 microseconds",
        "12 kilobytes",
        "2.5x faster",
        "3x",
        "the ratio is 1.94",
        "a ratio of .5",
        "a factor of 6.75",
        "a factor of 7",
        "a factor\nof~7",
        "a ratio of 14 [10--19]",
        "14 [10–19]",
        "a ratio of~14~[10, 19] or so",
        r"$14\,[10$--$19]$",
        "14\n[10 to 19]",
        "1 [-2–3]",
        r"\quoted{12.3\,ms}",
        r"\quoted{96\,\%}",
    ],
)
def test_measured_number_typed_by_hand_is_refused(typed: str) -> None:
    assert typed_numbers(typed, QUOTED)


@pytest.mark.parametrize(
    "allowed",
    [
        r"\result{equal.verify.gnark-plonk-bn254.largest.one}",
        r"\quoted{95\,\%} intervals",
        r"the \quoted{64}-bit field",
        "Groth16 on BLS12-381 and BN254",
        r"% a comment may say 12 ms",
        r"\cref{tab:largest} and \cite{groth2016}",
        "Section 4.2 of the protocol",
        "\\quoted{64 and\n255~bits}",
        r"\setlength{\itemsep}{1.5pt}",
        r"p{0.3\linewidth}",
        r"\renewcommand{\arraystretch}{0.9}",
        "three divides $p-1$",
        "of the 4 systems and all 12 claims",
        r"as BLS12 [17] has it, in 2 steps \cite[10--19]{groth2016}",
        r"a \\[2pt] row of 3 [see below]",
        "\\usepackage[scale=0.9]{x} 12 ms\n\\begin{document}",
    ],
)
def test_names_and_quoted_constants_pass(allowed: str) -> None:
    assert not typed_numbers(allowed, QUOTED)


def test_quoted_number_has_a_source_and_is_quoted() -> None:
    prose = "\n".join(path.read_text(encoding="utf-8") for path in PAPER.rglob("*.tex"))
    said = {" ".join(text.split()) for text in re.findall(r"\\quoted\{([^}]+)\}", prose)}
    assert said == QUOTED.keys()
    assert all(QUOTED.values())


def test_quoted_number_that_is_defined_somewhere_is_that_one() -> None:
    assert rf"{LEVEL * 100:.0f}\,\%" in QUOTED
    assert rf"{(1 - LEVEL) * 100:.0f}\,\%" in QUOTED
    assert rf"{(MARGIN - 1) * 100:.0f}\,\%" in QUOTED
    assert rf"{ENOUGH_MEMORY // 2**30}\,GiB" in QUOTED
    enter = (layout.root() / "enter").read_text("utf-8")
    assert re.findall(r"^nix_oldest=(.+)$", enter, re.MULTILINE) == ["2.18"]
    assert "2.18" in QUOTED


def test_lint_names_the_file_the_line_and_the_number(tmp_path: Path) -> None:
    prose = "fine % a comment of some length\nIt takes 7\nms.\n"
    (tmp_path / "bad.tex").write_text(prose, encoding="utf-8")
    with pytest.raises(NizkBenchError, match=r"bad\.tex:2: 7 ms"):
        lint(tmp_path)


#: What stands in the prose where the run of another experiment is recorded beside the main one.
BESIDE = re.compile(
    rf"\\whenrows\{{(?:{'|'.join(SECTIONS_BESIDE)})\}}"
    r"(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})\{\}"
)


def test_every_key_of_the_prose_exists_for_any_run(results: Results) -> None:
    known = numbers(results)
    used = keys(BESIDE.sub("", _prose()))
    assert used
    assert used <= set(known)


def test_keys_of_other_experiments_stand_where_these_are_recorded() -> None:
    sentences = {f"grid-{name}" for name in ADVICE} | {f"hash-{name}" for name in HASH_PROSE}
    sentences |= {f"range-{name}" for name in RANGE_PROSE}
    used = {key for part in BESIDE.findall(_prose()) for key in keys(part)}
    assert used
    assert used <= {f"finding.{name}" for name in sentences} | {"grid.reading.p1.11"}


def test_every_table_and_figure_of_the_paper_is_generated() -> None:
    assert set(re.findall(r"\\generatedtable\{([^}#]+)\}", _prose())) <= set(TABLES)
    assert set(re.findall(r"\\generatedfigure\{([^}#]+)\}", _prose())) <= set(FIGURES)


def test_every_citation_is_in_the_bibliography_and_every_work_is_cited(
    results: Results, tmp_path: Path
) -> None:
    works = set(re.findall(r"@\w+\{([^,]+),", (PAPER / "references.bib").read_text("utf-8")))
    write_tables(results, tmp_path)
    written = [*sorted(tmp_path.glob("*.tex")), *sorted(PAPER.rglob("*.tex"))]
    everything = "\n".join(path.read_text("utf-8") for path in written)
    cited = {
        key.strip()
        for keys in re.findall(r"\\cite\{([^}]+)\}", everything)
        for key in keys.split(",")
    }
    assert cited == works


def test_numbers_json_has_value_interval_and_source_of_every_key(
    results: Results, tmp_path: Path
) -> None:
    write_numbers(numbers(results), tmp_path)
    listed = json.loads((tmp_path / "numbers.json").read_text("utf-8"))
    assert list(listed) == list(numbers(results))
    entry = listed["equal.time-to-proof.bellman-groth16-bls12-381.largest.one"]
    assert entry["low"] <= entry["value"] <= entry["high"]
    assert entry["unit"] == "ns"
    assert str(results.largest) in entry["source"]


def test_generated_latex_defines_every_key_once(results: Results) -> None:
    found = numbers(results)
    keys = re.findall(r"^\\defineresult\{([^}]+)\}", numbers_tex(found), re.MULTILINE)
    of_prose = {key for key in found if not key.startswith(CELL)}
    assert len(keys) == len(set(keys))
    assert set(keys) >= of_prose


def test_unsound_systems_stand_in_no_table_of_sound_ones(results: Results) -> None:
    unsound = set(
        results.configurations.filter(~results.configurations["sound"])["series"].to_list()
    )
    assert unsound
    assert not unsound & set(results.equal_terms.values())


def test_every_row_of_every_table_that_rests_on_an_unsound_system_says_so(
    results: Results,
) -> None:
    sound = replace(results, configurations=results.configurations.filter("sound"))
    marked = 0
    # Verdicts are about both terms at once; theirs on security says it (`tests/test_claims.py`).
    for name, function in TABLES.items():
        if name in ("claims", "claim-reasons"):
            continue
        without = set(_labelled_rows(function(sound)))
        for row in _labelled_rows(function(results)):
            if row not in without:
                assert "unsound" in row, f"{name}: {row}"
                marked += 1
    assert marked >= 4


def _labelled_rows(table: Table) -> list[str]:
    """Rows as text, each with the label of the row that it continues."""
    rows, label = [], ""
    for text in table.markdown().splitlines()[2:]:
        if not text.startswith("|  |"):
            label = text
        rows.append(f"{label} {text}")
    return rows


@pytest.mark.parametrize("name", ["time-to-proof", "verify-time", "setup-time", "memory"])
def test_whoever_is_first_or_last_is_told_apart_or_said_not_to_be(
    results: Results, name: str
) -> None:
    all_apart = results.ratios.with_columns(p_value_holm=pl.lit(0.0))
    none_apart = results.ratios.with_columns(p_value_holm=pl.lit(1.0))
    counts = [
        FINDINGS[name](replace(results, ratios=table)).count("not told apart")
        for table in (all_apart, none_apart)
    ]
    assert counts == [0, 2]


def test_claims_that_wait_for_an_experiment_are_counted_by_their_source(results: Results) -> None:
    waiting = [claim for claim in read_register() if not claim.decidable]
    known = numbers(results)
    assert known["register.not-yet-tested"].quantity == exact(len(waiting))
    for source in {claim.source for claim in waiting}:
        cited = sources()[source].reference
        assert cited is not None
        assert f"register.not-yet-tested.{source}}}" in _prose()
        assert f"\\cite{{{cited}}}" in _prose()


def test_failed_configuration_is_a_row_of_the_table_of_failures(results: Results) -> None:
    text = TABLES["failures"](results).markdown()
    assert "timeout" in text
    assert "growing-terms" in text


def test_table_without_rows_is_a_sentence_and_no_table() -> None:
    empty = Table(("a", "b"), "ll", ())
    assert "tabular" not in empty.latex()
    assert "<table" not in empty.html()
    assert empty.latex().strip().endswith(".")


def test_numbers_say_how_many_rows_a_table_has(results: Results) -> None:
    found = numbers(results)
    for name, function in TABLES.items():
        assert found[f"rows.{name}"].text == str(len(function(results).rows))


def test_published_table_names_the_option_that_differs_after_the_default(results: Results) -> None:
    stark = [str(row[1]) for row in TABLES["as-published"](results).rows if "STARK" in str(row[0])]
    assert stark[0] == "constants=unbound, preimage=public (unsound)"
    assert "constants=unbound, preimage=public, queries=41 (unsound)" in stark[1:]


def test_default_options_stand_for_a_system_whatever_the_alphabet_says(results: Results) -> None:
    stark = "winterfell/stark/f128"
    names = results.series_in("as-published", stark)
    fewer = next(name for name in names if results.options_of(name)["queries"] == 41)
    alone = results.configurations.filter(
        (results.configurations["track"] != "as-published")
        | (results.configurations["system"] != stark)
        | results.configurations["series"].is_in([fewer, results.as_published[stark]])
    )
    # Of two series that differ in one option, both are equally close to all others.
    renamed = alone.with_columns(pl.col("series").replace(fewer, "0 first of all"))
    tied = replace(results, configurations=renamed)
    assert tied.options_of(tied.as_published[stark])["queries"] == 42


def test_told_apart_follows_the_corrected_p_value_and_not_the_interval(results: Results) -> None:
    pair = [results.equal_terms[s] for s in sorted(results.equal_terms)[:2]]

    def apart(held: Results) -> bool | None:
        return held.told_apart(pair[0], pair[1], "time_to_proof", held.largest, "one")

    assert apart(results)
    doubtful = replace(
        results, ratios=results.ratios.with_columns(pl.lit(0.68).alias("p_value_holm"))
    )
    assert apart(doubtful) is False
    assert "does not tell the times to proof of 28 apart" in ratios(doubtful)


def test_gain_of_threads_has_an_interval_and_leaves_draws_out(results: Results) -> None:
    sentence = threads(results)
    # The synthetic provers take 0.6 of the time on all cores.
    for low, high in re.findall(r"\[([\d.]+)–([\d.]+)\]", sentence):
        assert float(low) < 0.63
        assert float(high) > 0.57
    assert "Left out are winterfell STARK f128 and winterfell STARK f64" in sentence
    said, left = sentence.split("Left out")
    assert said.count("[") == 2
    assert "winterfell" not in said
    assert "draws" in left


def test_only_decided_verdicts_count_as_changed_by_the_terms(results: Results) -> None:
    found = verdicts(results)
    sentence = findings(results)["terms"]
    for key, (then, now) in found.items():
        place = "Undecided" if {then.outcome, now.outcome} - DECIDED else "under both"
        if place == "under both" and then.outcome != now.outcome:
            place = "Turned"
        part = next(p for p in sentence.split(". ") if _names(p, key))
        assert place in part, key


def _names(text: str, key: str) -> bool:
    return re.search(rf"\b{re.escape(key.upper())}\b(?!\d)", text) is not None


def test_phase_with_more_cpu_time_than_threads_is_counted_in_the_paper(results: Results) -> None:
    assert "exceeded them in none" in cpu_time(results)
    busy = results.samples.with_columns(pl.col("wall_ns") * 100, pl.col("user_ns") * 1000)
    sentence = cpu_time(replace(results, samples=busy))
    assert "exceeded them in none" not in sentence
    assert "seconds a second" in sentence


def test_table_says_how_a_value_is_missing() -> None:
    table = Table(("a",), "l", ((Stacked(None, "timeout"),), (Stacked(None),), (None,)))
    assert "timeout" in table.latex()
    assert "| timeout |" in table.markdown()
    assert " 0" not in table.latex()


def test_findings_are_whole_sentences_for_any_run(results: Results) -> None:
    for key, sentence in findings(results).items():
        assert sentence.endswith("."), key
        assert sentence[0].isupper() or sentence[0].isdigit(), key
        assert "nan" not in sentence, key
        assert "None" not in sentence, key
        assert ",," not in sentence, key


def test_summary_has_a_row_for_every_system(results: Results) -> None:
    page = summary(results)
    assert all(row[0] in page for row in equal_largest(results).rows if isinstance(row[0], str))


@needs_latex
@pytest.mark.slow
def test_paper_built_twice_is_the_same_bytes(results: Results, tmp_path: Path) -> None:
    generated = _generated(results, tmp_path / "generated")
    for document in DOCUMENTS:
        pdfs = []
        for name in ("first", "second"):
            output = tmp_path / name / f"{document}.pdf"
            output.parent.mkdir(exist_ok=True)
            build_paper(PAPER, generated, output, results.epoch)
            pdfs.append(output.read_bytes())
        assert pdfs[0] == pdfs[1]
        assert pdfs[0].startswith(b"%PDF")
        assert str(tmp_path).encode() not in pdfs[0]


#: What a reader looks for in the paper, in this order.
SECTIONS = (
    *("Introduction", "Background", "Method", "MiMC on equal terms", "Earlier work"),
    *("The options of the STARK", "Hash functions in a circuit", "Ranges of committed values"),
    "Which system for which use",
    *("Threats to validity", "Related work", "Conclusion", "Artifact"),
)


def test_paper_has_every_section_in_its_order() -> None:
    included = re.findall(r"\\input\{(sections/[^}]+)\}", (PAPER / "paper.tex").read_text("utf-8"))
    prose = "".join((PAPER / f"{name}.tex").read_text("utf-8") for name in included)
    places = [prose.index(rf"\section{{{title}") for title in SECTIONS]
    assert places == sorted(places)
    assert set(included) == {f"sections/{path.stem}" for path in (PAPER / "sections").iterdir()}


def test_part_of_the_supplement_that_the_paper_names_is_in_it() -> None:
    named, there = (
        set(re.findall(rf"\\{macro}\{{([^}}#]+)\}}", "".join(text)))
        for macro, folder in (("supplement", "sections"), ("supplementpart", "supplement"))
        for text in [[path.read_text("utf-8") for path in sorted((PAPER / folder).iterdir())]]
    )
    assert named
    assert named <= there
    parts = (PAPER / "nizkbench.sty").read_text("utf-8")
    assert there == set(re.findall(r"^\\definepart\{([^}]+)\}", parts, re.MULTILINE))


def test_pdf_that_is_no_document_is_refused(results: Results, tmp_path: Path) -> None:
    with pytest.raises(NizkBenchError, match="paper and supplement"):
        build_paper(PAPER, tmp_path, tmp_path / "thesis.pdf", results.epoch)


@needs_latex
@pytest.mark.slow
def test_unknown_key_stops_the_build_and_leaves_no_pdf(results: Results, tmp_path: Path) -> None:
    generated = _generated(results, tmp_path / "generated")
    sources = tmp_path / "paper"
    shutil.copytree(PAPER, sources)
    conclusion = sources / "sections" / "conclusion.tex"
    conclusion.write_text(conclusion.read_text("utf-8") + r"\result{no.such.key}", "utf-8")
    output = tmp_path / "paper.pdf"
    with pytest.raises(NizkBenchError, match=r"Unknown result 'no\.such\.key'"):
        build_paper(sources, generated, output, results.epoch)
    assert not output.exists()
    shutil.copyfile(PAPER / "sections" / "conclusion.tex", conclusion)
    build_paper(sources, generated, output, results.epoch)
    assert output.exists()


def test_missing_latex_is_one_sentence_that_says_what_to_do(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NizkBenchError, match=r"\./enter"):
        build_paper(PAPER, tmp_path, tmp_path / "paper.pdf", results.epoch)


def test_no_path_of_this_machine_is_in_what_is_generated(results: Results, tmp_path: Path) -> None:
    generated = _generated(results, tmp_path / "generated")
    for path in generated.rglob("*.tex"):
        assert str(layout.root()) not in path.read_text("utf-8")
