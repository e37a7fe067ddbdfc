"""The release is one: every place that names its version or its date names the same."""

import json
import re
import tomllib
from datetime import date

import nizkbench
from nizkbench import layout

ROOT = layout.root()


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def found(pattern: str, name: str) -> str:
    """What the pattern's one group is in a file."""
    match = re.search(pattern, text_of(name), re.MULTILINE)
    assert match is not None, f"{name} has nothing like {pattern}"
    return match[1]


def cited() -> dict[str, str]:
    """The fields of CITATION.cff that stand at its left edge, each with its line."""
    return dict(re.findall(r"^([a-z-]+):[ ]*(.*)$", text_of("CITATION.cff"), re.MULTILINE))


def test_every_place_names_the_same_version() -> None:
    locked = {one["name"]: one for one in tomllib.loads(text_of("uv.lock"))["package"]}
    versions = {
        "pyproject.toml": tomllib.loads(text_of("pyproject.toml"))["project"]["version"],
        "uv.lock": locked["nizkbench"]["version"],
        "nizkbench": nizkbench.__version__,
        "CITATION.cff": cited()["version"],
        "codemeta.json": json.loads(text_of("codemeta.json"))["version"],
        "CHANGELOG.md": found(r"^## (\d\S+)", "CHANGELOG.md"),
        "ARTIFACT.md": found(r"^## Version\n\n(\d+\.\d+\.\d+)", "ARTIFACT.md"),
        "README.md": found(r" nizk-bench:(\S+) ", "README.md"),
    }
    assert len(set(versions.values())) == 1, versions
    # The image, whose tag a person types, has its from the project.
    assert "tag = (lib.importTOML ./pyproject.toml).project.version;" in text_of("flake.nix")


def test_every_place_names_the_same_date() -> None:
    dates = {
        "CITATION.cff": cited()["date-released"],
        "codemeta.json": json.loads(text_of("codemeta.json"))["dateModified"],
        "CHANGELOG.md": found(r"^## \d\S+ \((\S+)\)", "CHANGELOG.md"),
        "ARTIFACT.md": found(r"^## Version\n\n\S+, of (\d\S+\d)\.", "ARTIFACT.md"),
    }
    assert len(set(dates.values())) == 1, dates
    date.fromisoformat(dates["CITATION.cff"])


def test_citation_has_what_its_format_requires() -> None:
    citation = cited()
    for required in ("message", "title", "version", "date-released"):
        assert citation[required], required
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert re.search(
        r"^authors:\n  - (?:name|family-names): \S", text_of("CITATION.cff"), re.MULTILINE
    )


def test_codemeta_has_its_context_and_type() -> None:
    described = json.loads(text_of("codemeta.json"))
    assert described["@context"] == "https://w3id.org/codemeta/3.0"
    assert described["type"] == "SoftwareSourceCode"
    assert described["name"] == cited()["title"]
