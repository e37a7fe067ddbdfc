"""A bundled run is the run, whole and unaltered, for a copy that never measured it."""

import json
import shutil
import zipfile
from pathlib import Path

import polars as pl
import pytest

from nizkbench import layout
from nizkbench.bundle import METADATA, BundleError, pack, unpack
from nizkbench.claim_verdicts import read_judged
from nizkbench.errors import NizkBenchError

REFERENCE = layout.root() / "data" / "reference"


@pytest.fixture(scope="module")
def run() -> Path:
    """The recorded run of MiMC, which the other experiments stand beside."""
    return REFERENCE / "standard"


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    for name in (
        *("paper.pdf", "supplement.pdf", "report/index.html", "report/points.js", "mimc.ipynb"),
        "generated/figures/one.pdf",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    (folder / "latex.log").write_text("not part of it")
    return folder


@pytest.fixture(scope="module")
def bundle(run: Path, build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bundle") / "run.zip"
    pack(run, file, build)
    return file


def test_bundle_opens_as_the_same_run_with_its_verdicts(
    run: Path, bundle: Path, tmp_path: Path
) -> None:
    names = unpack(bundle, tmp_path / "opened")
    assert {"records/manifest.json", "verdicts.json", METADATA} <= set(names)
    assert {"built/paper.pdf", "built/supplement.pdf"} <= set(names)
    # The report is whole: pages and what they have beside them.
    assert {"built/report/index.html", "built/report/points.js"} <= set(names)
    assert "built/latex.log" not in names
    opened = tmp_path / "opened" / "records"
    for path in run.iterdir():
        assert (opened / path.name).read_bytes() == path.read_bytes()
    assert pl.read_parquet(opened / "samples.parquet").height > 0
    verdicts = json.loads((tmp_path / "opened" / "verdicts.json").read_text(encoding="utf-8"))
    again = read_judged(opened)
    assert [one["key"] for one in verdicts] == [one.claim.key for one in again]
    assert [one["on_equal_terms"]["outcome"] for one in verdicts] == [
        str(one.equal.outcome) for one in again
    ]


def test_same_run_gives_the_same_bytes(
    run: Path, build: Path, bundle: Path, tmp_path: Path
) -> None:
    pack(run, tmp_path / "again.zip", build)
    assert (tmp_path / "again.zip").read_bytes() == bundle.read_bytes()


def test_description_has_what_the_specification_asks_for(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        described = json.loads(archive.read(METADATA))
        names = set(archive.namelist())
    assert described["@context"] == "https://w3id.org/ro/crate/1.1/context"
    entities = {one["@id"]: one for one in described["@graph"]}
    assert len(entities) == len(described["@graph"])
    assert entities[METADATA]["about"] == {"@id": "./"}
    root = entities["./"]
    assert root["@type"] == "Dataset"
    assert {"name", "description", "datePublished", "license"} <= root.keys()
    assert {part["@id"] for part in root["hasPart"]} == names - {METADATA}
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
    with pytest.raises(NizkBenchError, match=r"manifest\.json does not exist"):
        pack(tmp_path, tmp_path / "run.zip")
    shutil.copy(REFERENCE / "standard" / "manifest.json", tmp_path)
    with pytest.raises(BundleError, match="has no tables"):
        pack(tmp_path, tmp_path / "run.zip")
