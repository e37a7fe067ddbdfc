"""ARTIFACT.md says what the recorded runs say, and names nothing that is not there."""

import json
import re
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from nizkbench import layout
from nizkbench.artifact import costs_table, parts, spliced, steps_table
from nizkbench.claim_register import read_register
from nizkbench.claim_verdicts import claims_table, judged, read_judged
from nizkbench.errors import NizkBenchError
from nizkbench.harness_cost import Cost
from nizkbench.predicates import Outcome
from nizkbench.results import Results

DOCUMENT = layout.root() / "ARTIFACT.md"
DATA = layout.root() / "data"
REFERENCE = DATA / "reference"

#: What committees ask for, in their order.
HEADINGS = [
    "Abstract",
    "Description and requirements",
    "Set-up",
    "Evaluation workflow",
    "Limitations",
    "Reusability",
    "Version",
]


def test_document_has_the_parts_that_committees_ask_for() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS
    experiments = re.findall(
        r"^\*\*E(\d): .+\*\* \(human \d+ min, compute [^)]+\)", text, re.MULTILINE
    )
    assert experiments == [str(n) for n in range(1, len(experiments) + 1)]
    assert set(re.findall(r"\bE(\d)\b", text)) <= set(experiments)
    workflow = text.partition("### What runs took")[0]
    for experiment in re.split(r"^\*\*E\d: ", workflow, flags=re.MULTILINE)[1:]:
        labels = re.findall(r"^- \*(\w+)\*:", experiment, re.MULTILINE)
        assert labels == ["Preparation", "Execution", "Result", "Variation"], experiment


def test_every_command_of_the_document_is_a_recipe_and_every_key_a_claim() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    recipes = set(re.findall(r"^([a-z][a-z0-9-]*)(?: [A-Z=\"a-z/-]+)*:", JUSTFILE, re.MULTILINE))
    used = re.findall(r"\./enter just ([a-z-]+)", text)
    assert used
    assert set(used) <= recipes
    keys = {claim.key.upper() for claim in read_register()}
    named = set(re.findall(r"\b(?:P\d|OWN)\.\d+\b", text))
    assert named
    assert named <= keys


JUSTFILE = (layout.root() / "Justfile").read_text(encoding="utf-8")


@pytest.mark.slow
def test_spliced_parts_are_what_the_command_makes_of_the_recorded_runs() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert spliced(text, parts(DATA)) == text


def test_table_of_claims_has_every_claim_that_an_experiment_decides(results: Results) -> None:
    table = claims_table(judged(results, None, None))
    for claim in read_register():
        assert (f"| {claim.key.upper()} |" in table) == claim.decidable
    assert "Not yet tested: 6 of Karashchuk" in table


def test_costs_are_of_every_recorded_run() -> None:
    table = costs_table(REFERENCE)
    for folder in REFERENCE.iterdir():
        assert f"`{folder.name}`" in table
    assert len(table.splitlines()) == 2 + len(list(REFERENCE.iterdir()))


def test_steps_that_were_followed_are_the_commands_of_the_document() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    printed = re.findall(r"^ {4,}(\./enter .+)$", text, re.MULTILINE)
    steps = json.loads((DATA / "steps.json").read_bytes())
    assert [step["command"] for step in steps] == printed
    assert all(step["seconds"] > 0 for step in steps)
    table = steps_table(DATA / "steps.json")
    for command in printed:
        assert f"`{command}`" in table


def test_document_cannot_be_made_before_it_was_followed(tmp_path: Path) -> None:
    with pytest.raises(
        NizkBenchError, match=r"steps\.json does not exist; `\.ci/follow` writes it"
    ):
        steps_table(tmp_path / "steps.json")


def test_cost_of_the_harness_is_what_c6_says() -> None:
    table = pl.read_parquet(REFERENCE / "standard" / "overhead.parquet")
    costs = Counter(Cost.of(low, high) for low, high in table.select("low", "high").iter_rows())
    assert costs[Cost.WITHIN] > table.height / 2, "C6 says most"
    assert costs[Cost.SLOWER] == 0, "C6 says none"
    assert costs[Cost.UNDECIDED] > 0, "C6 says that there are others"
    largest = table.sort("ratio", descending=True).row(0, named=True)
    assert (largest["runner"], largest["phase"]) == ("plonky3", "verify")


@pytest.mark.slow
def test_every_major_claim_is_decided_by_the_command_below_it() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = re.split(
        r"^- \*\*\(C\d\)\*\*", text.partition("### Experiments")[0], flags=re.MULTILINE
    )
    found = read_judged(REFERENCE / "standard")
    outcomes = {one.claim.key: one.equal.outcome for one in found}
    on_mimc = {one.claim.key: one for one in found if one.claim.source == "p1"}
    turned = [
        key
        for key, one in on_mimc.items()
        if one.published is not None and one.published.outcome != one.equal.outcome
    ]
    assert len(turned) == 3, "C1 says how many turn"
    assert re.findall(r"P1\.\d+", blocks[1]) == [key.upper() for key in turned]
    decided = {Outcome.REPRODUCED, Outcome.CONTRADICTED}
    assert len(blocks) > 8
    for block in blocks[1:]:
        named = re.findall(r"--key (\S+)", block)
        assert named, block
        for key in [one for name in named for one in (on_mimc if name == "p1" else [name])]:
            assert outcomes[key] in decided, key


def test_document_without_a_place_for_a_part_is_refused() -> None:
    with pytest.raises(NizkBenchError, match="no single place for claims"):
        spliced("nothing", {"claims": "x"})
    text = "a\n<!-- x: made by `just artifact` -->\nold\n<!-- end of x -->\nb"
    once = spliced(text, {"x": "new"})
    assert once == "a\n<!-- x: made by `just artifact` -->\n\nnew\n\n<!-- end of x -->\nb"
    assert spliced(once, {"x": "new"}) == once
