"""Every number of the paper is traced to its run, its records and its code."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from nizkbench import layout
from nizkbench.cli import application
from nizkbench.errors import NizkBenchError
from nizkbench.harness_cost import MARGIN
from nizkbench.numbers import computed_from, decided_elsewhere, numbers, write_numbers
from nizkbench.predicates import Outcome, Verdict
from nizkbench.results import Results
from nizkbench.tables import TABLES, plain_cell
from nizkbench.whence import MOST_LISTED, UnknownKeyError, printing, read_sources, whence

STANDARD = Path("data/reference/standard")
HASHES = Path("data/reference/full-hash-functions")


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """Numbers with a source of each kind, from the recorded runs."""
    path = tmp_path / "numbers.json"
    of = [STANDARD.as_posix()]
    series = "gnark Groth16 BLS12-381, constants=fixed"
    one = {"value": 2e6, "low": 1.9e6, "high": 2.1e6, "unit": "ns"}
    entries = {
        "equal.verify.x": {"source": f"{series}, 4095 rounds, threads one", "records": of, **one},
        "equal.size.x": {"source": f"{series}, 4095 rounds", "records": of, **one},
        "equal.exponent.x": {"source": f"{series}, one: Student's t", "records": of, **one},
        "run.profile": {"source": "profile", "records": of, "text": "standard"},
        "finding.proof-size": {"source": "findings", "records": of, "text": "A sentence."},
        "hash.prove.x": {
            "source": "hash functions: gnark Groth16 BN254, sha256, 256 bytes",
            "records": [HASHES.as_posix()],
            **one,
        },
        "verdict.p2.1.equal": {"source": "hash claims", "records": [], "text": "reproduced"},
        "finding.harness-cost": {"source": "findings", "records": of, "text": r"Within 3\,\%."},
        "finding.coverage": {"source": "findings", "records": of, "text": "In simulation 1."},
        "finding.time": {
            "source": "findings",
            "records": of,
            "text": r"It takes 2.00\,ms [1.90–2.10], 14 [10–19] times as long, of 2$^2$$^0$.",
        },
        "lead.ratio": {
            "source": "x over y",
            "records": of,
            "value": 14.2,
            "low": 10.2,
            "high": 19.1,
            "unit": "1",
        },
        "hash.speed.hash.x": {
            "source": "hash functions: speed",
            "records": [HASHES.as_posix()],
            **one,
        },
    }
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def test_time_is_traced_to_its_one_configuration(listed: Path) -> None:
    found = whence("equal.verify.x", listed)
    assert found.said == "2.00\u202fms [1.90–2.10]"
    (origin,) = found.origins
    assert origin.configurations.select("series", "size", "threads_label").rows() == [
        ("gnark Groth16 BLS12-381, constants=fixed", 4095, "one")
    ]
    invocations = pl.read_parquet(layout.root() / STANDARD / "invocations.parquet")
    mine = invocations.join(origin.configurations, on="configuration", how="semi")
    assert origin.invocations == mine.height > 1
    assert origin.samples > origin.invocations
    assert origin.manifest["name"] == "standard"


def test_size_is_of_every_thread_track_and_exponent_of_every_size(listed: Path) -> None:
    (of_size,) = whence("equal.size.x", listed).origins
    assert set(of_size.configurations["threads_label"]) == {"one", "all"}
    (of_exponent,) = whence("equal.exponent.x", listed).origins
    assert of_exponent.configurations["size"].n_unique() > 2
    assert set(of_exponent.configurations["threads_label"]) == {"one"}


def test_number_of_another_experiment_is_traced_to_its_run(listed: Path) -> None:
    (origin,) = whence("hash.prove.x", listed).origins
    assert origin.configurations.height == 1
    assert origin.manifest["name"] == "full"


def test_what_is_of_a_whole_run_says_so_and_names_its_code(listed: Path) -> None:
    (origin,) = whence("run.profile", listed).origins
    assert origin.whole
    assert whence("run.profile", listed).code == "nizkbench/numbers.py"
    assert whence("verdict.p2.1.equal", listed).code.startswith("data/claims.toml")
    file, line = whence("finding.proof-size", listed).code.split(":")
    text = (layout.root() / file).read_text(encoding="utf-8").splitlines()
    assert text[int(line) - 1].startswith("def proof_size(")


def test_command_prints_revision_and_locks_and_takes_a_sentence_by_its_last_part(
    listed: Path,
) -> None:
    run = CliRunner().invoke
    arguments = ["--numbers", str(listed)]
    answer = run(application(["whence"]), ["whence", "proof-size", *arguments])
    assert answer.exit_code == 0, answer.output
    manifest = json.loads((layout.root() / STANDARD / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["revision"]["commit"] in answer.output
    assert all(digest in answer.output for digest in manifest["locks"].values())
    assert "the whole run" in answer.output


def said_of(asked: str, listed: Path) -> str:
    """What the command prints."""
    answer = CliRunner().invoke(
        application(["whence"]), ["whence", asked, "--numbers", str(listed)]
    )
    assert answer.exit_code == 0, answer.output
    return answer.output


def test_cost_of_the_harness_is_of_the_table_beside_the_run_with_every_comparison(
    listed: Path,
) -> None:
    (origin,) = whence("finding.harness-cost", listed).origins
    (kept,) = origin.kept
    table = pl.read_parquet(layout.root() / STANDARD / "overhead.parquet")
    assert kept.path == layout.root() / STANDARD / "overhead.parquet"
    assert kept.rows == len(kept.estimates) == table.height
    within = [one for one in kept.estimates if one.endswith("pairs, at most 3 % slower")]
    assert len(within) == (table["high"] <= MARGIN).sum()
    undecided = [one for one in kept.estimates if one.endswith("pairs, undecided")]
    assert len(undecided) == ((table["low"] <= MARGIN) & (table["high"] > MARGIN)).sum()
    printed = said_of("finding.harness-cost", listed)
    assert "at a revision and date that nothing records" in printed
    assert "says        Within 3\u202f%." in printed
    # Neither did the run's own invocations measure it, nor is it said that they did.
    assert "invocations" not in printed
    assert "verify times on one thread, after a proof" in printed


def test_speed_of_functions_is_of_its_table_with_the_time_of_its_measuring(listed: Path) -> None:
    manifest = json.loads((layout.root() / HASHES / "manifest.json").read_text(encoding="utf-8"))
    printed = said_of("hash.speed.hash.x", listed)
    assert "speed.parquet" in printed
    assert manifest["speed"]["first_utc"] in printed
    assert f"{manifest['speed']['processes']} processes" in printed


def test_simulation_is_of_no_run(listed: Path) -> None:
    assert whence("finding.coverage", listed).origins == ()
    printed = said_of("coverage", listed)
    assert "simulated   not measured" in printed
    assert "standard" not in printed


def test_sentence_is_plain_text_and_names_the_estimates_that_it_tells(listed: Path) -> None:
    found = whence("finding.time", listed)
    assert found.said == ("It takes 2.00\u202fms [1.90–2.10], 14 [10–19] times as long, of 2²⁰.")
    keys = [one.split(": ")[0] for one in found.estimates]
    assert keys == ["equal.verify.x", "equal.size.x", "equal.exponent.x", "lead.ratio"]


def test_number_is_found_by_what_is_printed(listed: Path) -> None:
    known = read_sources(listed)
    assert [key for key, _ in printing("14", known)] == ["lead.ratio", "finding.time"]
    assert [key for key, _ in printing("14 [10--19]", known)] == ["lead.ratio", "finding.time"]
    assert "finding.time" in [key for key, _ in printing("2.00 MS", known)]
    # A number is no part of a longer one.
    assert printing("4", known) == []
    assert printing("2.0", known) == []
    assert "lead.ratio: 14 [10–19]" in said_of("14", listed)


def test_more_keys_than_are_listed_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "numbers.json"
    entry = {"source": "profile", "records": [], "text": "many"}
    path.write_text(json.dumps({f"key.{n}": entry for n in range(MOST_LISTED + 3)}))
    printed = said_of("many", path)
    assert printed.count("    key.") == MOST_LISTED
    assert "and 3 more" in printed


def test_grouped_digits_are_found_as_the_paper_prints_them() -> None:
    known = {"grid.invocations": {"value": 177650, "low": 177650, "high": 177650, "unit": "1"}}
    assert printing("177\u202f650", known) == [("grid.invocations", "177650")]


def test_unknown_key_names_what_is_close_and_missing_file_what_makes_it(
    listed: Path, tmp_path: Path
) -> None:
    with pytest.raises(UnknownKeyError, match=r"there are equal\.size\.x"):
        whence("size.x", listed)
    with pytest.raises(UnknownKeyError, match=r"^no number has the key finding\.none, and none"):
        whence("finding.none", listed)
    with pytest.raises(NizkBenchError, match="`just paper` makes it"):
        whence("run.profile", tmp_path / "none.json")


def test_every_number_that_is_written_names_its_run(results: Results, tmp_path: Path) -> None:
    write_numbers(computed_from(numbers(results), STANDARD, None), tmp_path)
    found = read_sources(tmp_path / "numbers.json")
    assert len(found) > 100
    assert {tuple(one["records"]) for one in found.values()} == {(STANDARD.as_posix(),)}


def test_every_cell_of_a_table_with_a_number_is_found_by_what_it_prints(
    results: Results, tmp_path: Path
) -> None:
    write_numbers(computed_from(numbers(results), STANDARD), tmp_path)
    path = tmp_path / "numbers.json"
    known = read_sources(path)
    looked_up = 0
    for name, table in TABLES.items():
        for row, cells in enumerate(table(results).rows, 1):
            for column, cell in enumerate(cells, 1):
                said = plain_cell(cell)
                if not any(map(str.isdigit, said)):
                    continue
                key = f"table.{name}.{row}.{column}"
                assert key in known, said
                looked_up += 1
                if name == "uses":
                    assert key in dict(printing(said, known))
    assert looked_up > 100
    found = whence("table.uses.3.2", path)
    assert found.source.startswith("table uses, row fastest to prove, one thread")
    file, line = found.code.split(":")
    assert (layout.root() / file).read_text().splitlines()[int(line) - 1].startswith("def uses(")
    assert whence(next(key for key in known if key.startswith("table.coverage.")), path).simulated
    assert "table." not in (tmp_path / "numbers.tex").read_text(encoding="utf-8")


def test_what_verdicts_of_another_experiment_change_is_of_that_as_well(results: Results) -> None:
    turned = Verdict(Outcome.REPRODUCED, "So."), Verdict(Outcome.CONTRADICTED, "Not so.")
    with_grid = replace(results, elsewhere={"p1.10": turned, "p1.11": turned})
    before, after = numbers(results), numbers(with_grid)
    changed = {key for key, number in after.items() if before.get(key) != number}
    assert "claims.turned" in changed
    assert changed <= decided_elsewhere(after, with_grid).keys()
    assert decided_elsewhere(before, results) == {}
