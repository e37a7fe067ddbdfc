"""A run in one file that somebody else can verify and analyse again without measuring: an RO-Crate.

A bundle is a zip with the records of a run and its manifest, its verdict on every claim, and what
was built from it (executed notebooks, reports, figures, tables, paper), described by
`ro-crate-metadata.json` (RO-Crate 1.1, Soiland-Reyes et al. 2022), where every file stands with its
size and SHA-256. The same run gives the same bytes: files are in alphabetical order and have the
date on which the run began.
"""

import hashlib
import json
import mimetypes
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from nizkbench.claim_verdicts import Judged, read_judged
from nizkbench.errors import NizkBenchError
from nizkbench.paper import DOCUMENTS
from nizkbench.predicates import Verdict
from nizkbench.results import epoch_of, read_manifest

METADATA = "ro-crate-metadata.json"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
LICENCE = "https://spdx.org/licenses/MIT"

#: What is built from a run and goes with it, by the ends of names below build/PROFILE/.
BUILT = (
    *(f"{document}.pdf" for document in DOCUMENTS),
    *("summary.md", "*.ipynb", "report/*", "generated/**/*.pdf", "*.parquet"),
)
BUILT_TEXTS = ("generated/**/*.tex", "generated/*.json")

#: Types that Python does not know.
TYPES = {
    ".parquet": "application/vnd.apache.parquet",
    ".ipynb": "application/x-ipynb+json",
    ".md": "text/markdown",
    ".tex": "application/x-tex",
}


class BundleError(NizkBenchError):
    """A bundle is not what its description says, or cannot be made."""


def pack(run: Path, into: Path, build: Path | None = None) -> list[str]:
    """Write the bundle of a run to the file `into` and return the names in it.

    `build` is the folder of what was made from the run, if there is one. `BundleError` where the
    run is not complete.
    """
    manifest = read_manifest(run)
    files = {f"records/{path.name}": path.read_bytes() for path in _records(run)}
    for path in _built(build):
        assert build is not None
        files[f"built/{path.relative_to(build).as_posix()}"] = path.read_bytes()
    files["verdicts.json"] = _verdicts(read_judged(run, alone=True))
    files[METADATA] = described(manifest, files)
    date = datetime.fromtimestamp(epoch_of(manifest), UTC).timetuple()[:6]
    into.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, date), files[name], zipfile.ZIP_DEFLATED)
    return sorted(files)


def _records(run: Path) -> list[Path]:
    found = [run / "manifest.json", *sorted(run.glob("*.parquet"))]
    if len(found) == 1:
        raise BundleError(f"{run} has no tables; `just record` or the end of a run writes them")
    return found


def _built(build: Path | None) -> list[Path]:
    if build is None:
        return []
    found = {path for pattern in (*BUILT, *BUILT_TEXTS) for path in build.glob(pattern)}
    return sorted(path for path in found if path.is_file())


def _verdicts(judged: Iterable[Judged]) -> bytes:
    def said(verdict: Verdict | None) -> dict[str, str] | None:
        if verdict is None:
            return None
        return {"outcome": str(verdict.outcome), "because": verdict.sentence}

    listed = [
        {
            "key": one.claim.key,
            "source": one.claim.source,
            "claim": one.claim.said,
            "as_published": said(one.published),
            "on_equal_terms": said(one.equal),
        }
        for one in judged
    ]
    return _json(listed)


def described(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> bytes:
    """`ro-crate-metadata.json` for these files of a run."""
    begun = datetime.fromtimestamp(epoch_of(manifest), UTC).isoformat()
    revision = (manifest.get("revision") or {}).get("commit")
    entities = [
        {
            "@id": name,
            "@type": "File",
            "name": PurePosixPath(name).name,
            "encodingFormat": _type(name),
            "contentSize": str(len(content)),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        for name, content in sorted(files.items())
    ]
    graph = [
        {
            "@id": METADATA,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": SPECIFICATION},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": f"nizk-bench: a run of profile {manifest['name']}, begun {begun[:10]}",
            "description": "Records, manifest and verdicts of a run of nizk-bench, with what was"
            " built from them. `nizkbench unbundle` verifies them and lays them out for analysis.",
            "datePublished": begun,
            "license": {"@id": LICENCE},
            "hasPart": [{"@id": entity["@id"]} for entity in entities],
            "isBasedOn": {"@id": "#nizk-bench"},
        },
        *entities,
        {
            "@id": "#nizk-bench",
            "@type": "SoftwareApplication",
            "name": "nizk-bench",
            "softwareVersion": " ".join(filter(None, (manifest["nizkbench"], revision))),
        },
        {
            "@id": LICENCE,
            "@type": "CreativeWork",
            "name": "MIT License",
            "description": "A short permissive licence.",
        },
    ]
    return _json({"@context": f"{SPECIFICATION}/context", "@graph": graph})


def _type(name: str) -> str:
    suffix = PurePosixPath(name).suffix
    return TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def _json(content: object) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def unpack(bundle: Path, into: Path) -> list[str]:
    """Verify a bundle, lay it out in the new folder `into`, and return the names in it.

    Nothing is written unless every file is there with its SHA-256, and no other; `BundleError`
    names the first that is not, and a folder that already exists.
    """
    if into.exists():
        raise BundleError(f"{into} exists already; name a new folder")
    try:
        with zipfile.ZipFile(bundle) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
    except FileNotFoundError:
        raise BundleError(f"there is no bundle at {bundle}") from None
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        raise BundleError(f"{bundle} cannot be read as a zip ({error})") from error
    verified(bundle, files)
    for name, content in files.items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return sorted(files)


def verified(bundle: Path, files: Mapping[str, bytes]) -> None:
    """Hold the files of a bundle against its own description; `BundleError` where one differs."""
    try:
        graph = json.loads(files[METADATA])["@graph"]
        listed = {one["@id"]: one["sha256"] for one in graph if one.get("@type") == "File"}
    except (KeyError, TypeError, ValueError) as error:
        raise BundleError(f"{bundle} has no {METADATA} that lists its files") from error
    outside = [name for name in files if PurePosixPath(name).is_absolute() or ".." in name]
    if outside:
        raise BundleError(f"{bundle} has a file outside of itself, {outside[0]}")
    for name in sorted({*listed} | {*files} - {METADATA}):
        if name not in files:
            raise BundleError(f"{bundle} lacks {name}, which it lists")
        if name not in listed:
            raise BundleError(f"{bundle} holds {name}, which it does not list")
        if hashlib.sha256(files[name]).hexdigest() != listed[name]:
            raise BundleError(f"{name} in {bundle} is not what was bundled: its SHA-256 differs")
