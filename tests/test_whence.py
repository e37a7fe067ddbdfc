"""Every number of the paper is traced to its run, its records and its code."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from nizkbench import layout
from nizkbench.cli import application
from nizkbench.errors import NizkBenchError
from nizkbench.numbers import computed_from, numbers, write_numbers
from nizkbench.results import Results
from nizkbench.whence import UnknownKeyError, read_sources, whence

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


def test_unknown_key_names_what_is_close_and_missing_file_what_makes_it(
    listed: Path, tmp_path: Path
) -> None:
    with pytest.raises(UnknownKeyError, match=r"there are equal\.size\.x"):
        whence("size.x", listed)
    with pytest.raises(NizkBenchError, match="`just paper` makes it"):
        whence("run.profile", tmp_path / "none.json")


def test_every_number_that_is_written_names_its_run(results: Results, tmp_path: Path) -> None:
    write_numbers(computed_from(numbers(results), STANDARD, None), tmp_path)
    found = read_sources(tmp_path / "numbers.json")
    assert len(found) > 100
    assert {tuple(one["records"]) for one in found.values()} == {(STANDARD.as_posix(),)}
