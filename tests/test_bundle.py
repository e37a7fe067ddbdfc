"""A bundled run is the run and those beside it, unaltered, for a copy that never measured them."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from nizkbench import layout, made_from
from nizkbench.beside import GRID, HASHES, P1_GRINDING, PART, RANGES
from nizkbench.bundle import METADATA, BundleError, bundled, pack, unpack
from nizkbench.claim_verdicts import read_judged
from nizkbench.cli import application
from nizkbench.coverage import SCHEMA as COVERAGE_SCHEMA
from nizkbench.errors import NizkBenchError

REFERENCE = layout.root() / "data" / "reference"


@pytest.fixture(scope="module")
def run() -> Path:
    """The recorded run of MiMC, which the other experiments stand beside."""
    return REFERENCE / "standard"


#: What the paper of the standard profile is built from, of the recorded runs.
RECORDED = {
    made_from.MAIN: REFERENCE / "standard",
    GRID: REFERENCE / "full-stark-grid",
    P1_GRINDING: REFERENCE / "standard-p1-grinding",
    PART: REFERENCE / "standard-stark-grid",
    HASHES: REFERENCE / "full-hash-functions",
    RANGES: REFERENCE / "full-range-proofs",
}


def built_from(runs: dict[str, Path], folder: Path) -> Path:
    """What stands in for all that is built from these runs."""
    for name in (
        *("paper.pdf", "supplement.pdf", "report/index.html", "report/points.js", "mimc.ipynb"),
        "generated/figures/one.pdf",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    (folder / "latex.log").write_text("not part of it")
    for name in ("generated", "report"):
        made_from.keep(runs, folder / name)
    return folder


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_from(RECORDED, tmp_path_factory.mktemp("build"))


@pytest.fixture(scope="module")
def bundle(run: Path, build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bundle") / "run.zip"
    pack(run, file, build)
    return file


@pytest.fixture(scope="module")
def opened(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("unbundled") / "opened"
    unpack(bundle, into)
    return into


#: Where each run of the recorded ones is in a bundle.
LAYOUT = {
    "records": "standard",
    "records-stark-grid": "full-stark-grid",
    "records-p1-grinding": "standard-p1-grinding",
    "records-hash-functions": "full-hash-functions",
    "records-range-proofs": "full-range-proofs",
    "standard-stark-grid": "standard-stark-grid",
}


def test_bundle_opens_as_the_same_run_with_those_beside_it_and_what_was_built(
    opened: Path,
) -> None:
    built = opened / "built"
    assert {"paper.pdf", "supplement.pdf", "mimc.ipynb"} <= {one.name for one in built.iterdir()}
    # The report is whole: pages and what they have beside them.
    assert {one.name for one in (built / "report").iterdir()} == {
        *("index.html", "points.js", "runs.json")
    }
    assert not (built / "latex.log").exists()
    others = {"built", "verdicts.json", METADATA}
    assert {one.name for one in opened.iterdir()} - others == LAYOUT.keys()
    for folder, name in LAYOUT.items():
        run = REFERENCE / name
        assert {one.name for one in (opened / folder).iterdir()} == {
            one.name for one in run.iterdir()
        }
        for path in run.iterdir():
            assert (opened / folder / path.name).read_bytes() == path.read_bytes()
    assert pl.read_parquet(opened / "records" / "samples.parquet").height > 0


@pytest.mark.slow
def test_verdicts_are_those_on_the_recorded_runs_and_on_the_unpacked_ones(
    run: Path, opened: Path
) -> None:
    recorded = read_judged(run)
    assert read_judged(opened / "records") == recorded
    listed = json.loads((opened / "verdicts.json").read_text(encoding="utf-8"))
    assert [one["key"] for one in listed] == [one.claim.key for one in recorded]
    for said, one in zip(listed, recorded, strict=True):
        for side, verdict in (("as_published", one.published), ("on_equal_terms", one.equal)):
            assert said[side] == (
                None
                if verdict is None
                else {"outcome": str(verdict.outcome), "because": verdict.sentence}
            )


def test_build_from_what_is_unpacked_finds_every_run(opened: Path) -> None:
    told = subprocess.run(
        [
            *(Path(sys.executable).parent / "snakemake", "--cores", "1", "--dry-run"),
            *("--forceall", "--printshellcmds", "--nolock"),
            *("--config", "profile=standard", f"records={opened / 'records'}"),
            *("--", "build/standard/beside.pickle"),
        ],
        cwd=layout.root(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (command,) = (line for line in told.splitlines() if "nizkbench beside" in line)
    for option, folder in (
        ("--grid", "records-stark-grid"),
        ("--p1-grinding", "records-p1-grinding"),
        ("--grid-part", "standard-stark-grid"),
        ("--hashes", "records-hash-functions"),
        ("--ranges", "records-range-proofs"),
    ):
        assert f"{option} {opened / folder} " in command


def test_run_with_nothing_beside_it_is_bundled_alone_and_gives_the_same_bytes(
    run: Path, tmp_path: Path
) -> None:
    alone = tmp_path / "standard"
    shutil.copytree(run, alone)
    build = built_from({made_from.MAIN: run}, tmp_path / "build" / "standard")
    # From an earlier build, of a run that had a grid beside it.
    for left in ("stark_grid.ipynb", "report/stark-grid.html"):
        (build / left).write_text("of another run")
    names = pack(alone, tmp_path / "once.zip", build)
    assert {name.split("/")[0] for name in names} == {"records", "built", "verdicts.json", METADATA}
    assert not [name for name in names if "stark" in name]
    pack(alone, tmp_path / "again.zip", build)
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "once.zip").read_bytes()


def altered_run(run: Path, into: Path) -> Path:
    """A copy of a run that another machine might have measured a day later."""
    shutil.copytree(run, into)
    manifest = json.loads((into / "manifest.json").read_bytes())
    manifest["started_utc"] = "2026-11-24T01:03:26.879Z"
    manifest["machine"]["processor"] = "Another"
    (into / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return into


def test_what_was_built_from_another_run_is_refused_with_the_command_that_builds_it(
    run: Path, tmp_path: Path
) -> None:
    build = built_from({made_from.MAIN: run}, tmp_path / "build" / "standard")
    other = altered_run(run, tmp_path / "fake" / "standard")
    command = ["bundle", str(other), "--build", str(build), "--into", str(tmp_path / "run.zip")]
    answer = CliRunner().invoke(application(["bundle"]), command)
    assert answer.exit_code != 0
    assert isinstance(answer.exception, BundleError)
    assert str(answer.exception) == (
        f"{build}/generated was built from other runs than {other} and those beside it (not the"
        f" same: main run); `just rebuild standard {other}` builds it from these records"
    )
    assert not (tmp_path / "run.zip").exists()
    # The paper alone, and not the report, is built anew.
    made_from.keep({made_from.MAIN: other}, build / "generated")
    with pytest.raises(BundleError, match="/report was built from other runs than"):
        pack(other, tmp_path / "run.zip", build)
    made_from.keep({made_from.MAIN: other}, build / "report")
    assert "built/paper.pdf" in pack(other, tmp_path / "run.zip", build)


def test_run_beside_that_was_not_built_from_or_is_gone_is_named(run: Path, tmp_path: Path) -> None:
    mine = tmp_path / "standard"
    shutil.copytree(run, mine)
    shutil.copytree(REFERENCE / "standard-hash-functions", tmp_path / "standard-hash-functions")
    build = built_from({made_from.MAIN: run, RANGES: RECORDED[RANGES]}, tmp_path / "build")
    with pytest.raises(BundleError, match=r"\(not the same: hash-functions, range-proofs\); "):
        pack(mine, tmp_path / "run.zip", build)
    (build / "generated" / "runs.json").unlink()
    with pytest.raises(BundleError, match=r"lacks generated/runs\.json, .+; `just rebuild build "):
        pack(mine, tmp_path / "run.zip", build)


def test_table_beside_the_records_is_one_of_them_and_a_folder_is_not(tmp_path: Path) -> None:
    run = tmp_path / "standard"
    shutil.copytree(REFERENCE / "standard", run)
    assert made_from.digest(run) == made_from.digest(REFERENCE / "standard")
    kept = made_from.keep({made_from.MAIN: run}, tmp_path / "generated").read_text("utf-8")
    assert str(tmp_path) not in kept
    (run / "overhead.parquet").unlink()
    assert made_from.digest(run) != made_from.digest(REFERENCE / "standard")


def test_what_is_unpacked_would_be_bundled_whole_again(opened: Path) -> None:
    assert bundled(opened / "records") == {folder: opened / folder for folder in LAYOUT}


def test_numbers_say_what_runs_they_are_of(run: Path, tmp_path: Path) -> None:
    verbs = application(["estimate", "beside", "numbers"])
    build, generated = tmp_path / "build", tmp_path / "build" / "generated"
    pl.DataFrame(schema=COVERAGE_SCHEMA).write_parquet(tmp_path / "coverage.parquet")
    ranges = REFERENCE / "standard-range-proofs"
    others = build / "beside.pickle"
    for command in (
        ("estimate", run, "--into", build),
        ("beside", "--ranges", ranges, "--into", others),
        ("numbers", run, "--analysis", build, "--into", generated, "--beside", others),
    ):
        answer = CliRunner().invoke(verbs, [str(part) for part in command])
        assert answer.exit_code == 0, answer.exception
    assert made_from.read_kept(generated) == made_from.digests(
        {made_from.MAIN: run, RANGES: ranges}
    )


def test_grid_of_the_same_profile_has_no_part_and_queries_go_with_a_grid(tmp_path: Path) -> None:
    for name in ("mine", "mine-p1-grinding", "mine-hash-functions"):
        (tmp_path / name).mkdir()
        shutil.copy(REFERENCE / "standard" / "manifest.json", tmp_path / name)
    assert set(bundled(tmp_path / "mine")) == {"records", "records-hash-functions"}
    shutil.copytree(tmp_path / "mine", tmp_path / "mine-stark-grid")
    assert bundled(tmp_path / "mine") == {
        "records": tmp_path / "mine",
        **{
            f"records-{experiment}": tmp_path / f"mine-{experiment}"
            for experiment in ("stark-grid", "p1-grinding", "hash-functions")
        },
    }


#: What of the context of RO-Crate 1.1 a description uses. Whatever else it uses it must define.
TERMS_OF_THE_CONTEXT = {
    *("about", "conformsTo", "contentSize", "dateCreated", "datePublished", "description"),
    *("encodingFormat", "hasPart", "isBasedOn", "license", "name", "softwareVersion"),
}


def test_description_has_what_the_specification_asks_for(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        described = json.loads(archive.read(METADATA))
        names = {name for name in archive.namelist() if not name.endswith("/")}
        folders = set(archive.namelist()) - names
    context, terms = described["@context"]
    assert context == "https://w3id.org/ro/crate/1.1/context"
    used = {key for one in described["@graph"] for key in one}
    assert used == {"@id", "@type"} | TERMS_OF_THE_CONTEXT | terms.keys()
    entities = {one["@id"]: one for one in described["@graph"]}
    assert len(entities) == len(described["@graph"])
    assert entities[METADATA]["about"] == {"@id": "./"}
    root = entities["./"]
    assert root["@type"] == "Dataset"
    assert {"name", "description", "datePublished", "license"} <= root.keys()
    datasets = {f"{folder}/" for folder in LAYOUT}
    parts = {part["@id"] for part in root["hasPart"]}
    assert {one for one in parts if entities[one]["@type"] == "Dataset"} == datasets == folders
    of_runs = {part["@id"] for one in datasets for part in entities[one]["hasPart"]}
    assert (parts - datasets) | of_runs == names - {METADATA}
    assert all(f"{folder}/manifest.json" in of_runs for folder in LAYOUT)
    for one in datasets:
        assert {"name", "description", "dateCreated", "license"} <= entities[one].keys()
        manifest = json.loads((REFERENCE / LAYOUT[one[:-1]] / "manifest.json").read_bytes())
        software = entities[entities[one]["isBasedOn"]["@id"]]
        assert manifest["revision"]["commit"] in software["softwareVersion"]
        assert entities[one]["isBasedOn"] in root["isBasedOn"]
    assert root["license"]["@id"] in entities
    for name in names - {METADATA}:
        assert entities[name]["encodingFormat"] != "application/octet-stream", name


def _altered(bundle: Path, into: Path, change: dict[str, bytes | None]) -> Path:
    """A copy of a bundle with some files replaced, added or (None) left out."""
    with zipfile.ZipFile(bundle) as archive:
        files: dict[str, bytes | None] = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(into, "w") as archive:
        for name, content in (files | change).items():
            if content is not None:
                archive.writestr(name, content)
    return into


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"records/samples.parquet": b"other"}, "samples.parquet in .* SHA-256 differs"),
        ({"records-stark-grid/sizes.parquet": b""}, "sizes.parquet in .* SHA-256 differs"),
        ({"records/samples.parquet": None}, "lacks records/samples.parquet, which it lists"),
        ({"more.txt": b"x"}, "holds more.txt, which it does not list"),
        ({"../outside.txt": b"x"}, "outside of itself"),
        ({METADATA: None}, "has no ro-crate-metadata.json"),
        ({METADATA: b"{}"}, "has no ro-crate-metadata.json"),
    ],
)
def test_altered_bundle_is_refused_and_nothing_is_written(
    bundle: Path, tmp_path: Path, change: dict[str, bytes | None], said: str
) -> None:
    altered = _altered(bundle, tmp_path / "altered.zip", change)
    with pytest.raises(BundleError, match=said):
        unpack(altered, tmp_path / "opened")
    assert not (tmp_path / "opened").exists()
    assert not (tmp_path / "outside.txt").exists()


def test_what_is_no_bundle_is_named(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="there is no bundle at"):
        unpack(tmp_path / "none.zip", tmp_path / "opened")
    (tmp_path / "text.zip").write_text("text")
    with pytest.raises(BundleError, match="cannot be read as a zip"):
        unpack(tmp_path / "text.zip", tmp_path / "opened")
    with pytest.raises(BundleError, match="exists already"):
        unpack(bundle, tmp_path)


def test_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NizkBenchError, match=r"is no run: it holds no manifest\.json"):
        pack(tmp_path, tmp_path / "run.zip")
    shutil.copy(REFERENCE / "standard" / "manifest.json", tmp_path)
    with pytest.raises(BundleError, match="has no tables"):
        pack(tmp_path, tmp_path / "run.zip")
