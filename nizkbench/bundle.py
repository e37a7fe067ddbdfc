"""A run in one file that somebody else can verify and analyse without measuring: an RO-Crate.

A bundle is a zip with the records and manifests of a main run and of the runs beside it, the
verdict of them all on every claim, and what was built from them (executed notebooks, reports,
figures, tables, paper), described by `ro-crate-metadata.json` (RO-Crate 1.1, Soiland-Reyes et al.
2022), where every run is a dataset and every file stands with its size and SHA-256. The same runs
give the same bytes: files are in alphabetical order and have the date on which the main run began.
"""

import hashlib
import json
import mimetypes
import stat
import zipfile
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from nizkbench import made_from
from nizkbench.beside import GRID, HASHES, P1_GRINDING, PART, RANGES
from nizkbench.claim_verdicts import Judged, read_judged
from nizkbench.errors import NizkBenchError
from nizkbench.layout import recorded_beside
from nizkbench.paper import DOCUMENTS
from nizkbench.predicates import Verdict
from nizkbench.records import read_manifest
from nizkbench.results import epoch_of

METADATA = "ro-crate-metadata.json"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
LICENCE = "https://spdx.org/licenses/MIT"

#: The folder of the main run. The others are beside it as `recorded_beside` looks for them, so that
#: what is unpacked is analysed as it stands.
MAIN = "records"

#: What a run is of, by the end of its folder's name; of the main run it is MiMC.
EXPERIMENTS = {
    GRID: "the options of a STARK",
    P1_GRINDING: "an experiment of earlier work on queries",
    HASHES: "hash functions",
    RANGES: "ranges of committed values",
}

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

#: Terms of the description that the specification's own context does not define.
TERMS = {"sha256": "http://schema.org/sha256"}


class BundleError(NizkBenchError):
    """A bundle is not what its description says, or cannot be made."""


def pack(run: Path, into: Path, build: Path | None = None) -> list[str]:
    """Write the bundle of a run and those beside it to the file `into`; the names in it.

    `build` is the folder of what was made from them, if there is one. `BundleError` where a run is
    not complete, and where what was built is of other runs.
    """
    runs = bundled(run)
    manifests = {folder: read_manifest(records) for folder, records in runs.items()}
    files = {
        f"{folder}/{path.name}": path.read_bytes()
        for folder, records in runs.items()
        for path in _records(records)
    }
    if build is not None:
        built = _built(build, runs)
        _of_these(runs, build, built)
        for path in built:
            files[f"built/{path.relative_to(build).as_posix()}"] = path.read_bytes()
    files["verdicts.json"] = _verdicts(read_judged(run))
    files[METADATA] = described(manifests, files)
    date = datetime.fromtimestamp(epoch_of(manifests[MAIN]), UTC).timetuple()[:6]
    into.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        # The description says of a run's folder that it is part of the whole: it has an entry too.
        for folder in sorted(runs):
            entry = zipfile.ZipInfo(f"{folder}/", date)
            entry.external_attr = (stat.S_IFDIR | 0o755) << 16
            archive.writestr(entry, b"")
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, date), files[name], zipfile.ZIP_DEFLATED)
    return sorted(files)


def bundled(run: Path) -> dict[str, Path]:
    """Folders of a bundle → the runs in them: the main one, and all that verdicts rest on.

    Of a grid that is not of the main run's own profile, the part that is belongs to it.
    """
    found = {MAIN: run}
    for experiment in EXPERIMENTS:
        beside = recorded_beside(run, experiment)
        # An experiment on queries is read with a grid alone.
        if beside is not None and (experiment != P1_GRINDING or f"{MAIN}-{GRID}" in found):
            found[f"{MAIN}-{experiment}"] = beside
    # A build looks for it by its profile, of a run that was unpacked as well.
    part = run.parent / f"{read_manifest(run)['name']}-{GRID}"
    if found.get(f"{MAIN}-{GRID}", part) != part and (part / "manifest.json").exists():
        found[part.name] = part
    return found


def _of_these(runs: Mapping[str, Path], build: Path, built: Iterable[Path]) -> None:
    """Hold the runs that the built files were made of against those that are packed.

    `BundleError` where they are not the same.
    """
    folders = sorted({_made_at_once(path.relative_to(build)) for path in built})
    if not folders:
        return
    packed = made_from.digests({_called(folder): run for folder, run in runs.items()})
    run = runs[MAIN]
    build_it = f"`just rebuild {build.name} {run}` builds it from these records"
    for folder in folders:
        kept = made_from.read_kept(build / folder)
        if kept is None:
            raise BundleError(
                f"{build} lacks {folder}/{made_from.KEPT}, which says what runs it was built from;"
                f" {build_it}"
            )
        if apart := made_from.apart(kept, packed):
            raise BundleError(
                f"{build / folder} was built from other runs than {run} and those beside it (not"
                f" the same: {', '.join(apart)}); {build_it}"
            )


def _made_at_once(built: Path) -> str:
    """The folder below build/PROFILE that says of which runs a built file is.

    The report is made by a command of its own. The rest goes into the paper or is made beside it.
    """
    return "report" if built.parts[0] == "report" else "generated"


def _called(folder: str) -> str:
    """What `nizkbench.made_from` calls the run in a folder of a bundle."""
    if folder == MAIN:
        return made_from.MAIN
    name = folder.removeprefix(f"{MAIN}-")
    return PART if name == folder else name


def _records(run: Path) -> list[Path]:
    found = made_from.records_of(run)
    if len(found) == 1:
        raise BundleError(f"{run} has no tables; `just record` or the end of a run writes them")
    return found


def _built(build: Path, runs: Collection[str]) -> list[Path]:
    """What was built, without notebooks and pages on experiments that are not among these runs.

    `runs` are folders of a bundle. Such a page is left from an earlier build, of other runs.
    """
    absent = {experiment for experiment in EXPERIMENTS if f"{MAIN}-{experiment}" not in runs}
    found = {path for pattern in (*BUILT, *BUILT_TEXTS) for path in build.glob(pattern)}
    left = (path for path in found if path.stem.replace("_", "-") not in absent)
    return sorted(path for path in left if path.is_file())


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


def described(manifests: Mapping[str, Mapping[str, Any]], files: Mapping[str, bytes]) -> bytes:
    """`ro-crate-metadata.json` for these files, of which runs are in the folders of `manifests`."""
    main = manifests[MAIN]
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
    runs = [
        {
            "@id": f"{folder}/",
            "@type": "Dataset",
            "name": f"{_subject(folder)}: {manifest['name']}, begun {_begun(manifest)[:10]}",
            "description": "The records of a run, a table a kind, and its manifest: profile,"
            " machine, tools, locks and revision.",
            "dateCreated": _begun(manifest),
            "license": {"@id": LICENCE},
            "hasPart": [{"@id": name} for name in sorted(files) if name.startswith(f"{folder}/")],
            "isBasedOn": {"@id": _software(manifest)["@id"]},
        }
        for folder, manifest in sorted(manifests.items())
    ]
    of_runs = tuple(f"{folder}/" for folder in manifests)
    others = [name for name in sorted(files) if not name.startswith(of_runs)]
    software = {one["@id"]: one for one in map(_software, manifests.values())}
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
            "name": f"nizk-bench: a run of profile {main['name']} and those beside it,"
            f" begun {_begun(main)[:10]}",
            "description": "Records, manifests and verdicts of runs of nizk-bench, with what was"
            " built from them. `nizkbench unbundle` verifies them and lays them out for analysis.",
            "datePublished": _begun(main),
            "license": {"@id": LICENCE},
            "hasPart": [{"@id": name} for name in (*(run["@id"] for run in runs), *others)],
            "isBasedOn": [{"@id": one} for one in sorted(software)],
        },
        *runs,
        *entities,
        *(software[one] for one in sorted(software)),
        {
            "@id": LICENCE,
            "@type": "CreativeWork",
            "name": "MIT License",
            "description": "A short permissive licence.",
        },
    ]
    return _json({"@context": [f"{SPECIFICATION}/context", TERMS], "@graph": graph})


def _begun(manifest: Mapping[str, Any]) -> str:
    return datetime.fromtimestamp(epoch_of(manifest), UTC).isoformat()


def _subject(folder: str) -> str:
    """What the run in a folder of a bundle is of."""
    return next((what for end, what in EXPERIMENTS.items() if folder.endswith(f"-{end}")), "MiMC")


def _software(manifest: Mapping[str, Any]) -> dict[str, str]:
    """What measured a run, by its version and revision."""
    version = " ".join(
        filter(None, (manifest["nizkbench"], (manifest.get("revision") or {}).get("commit")))
    )
    return {
        "@id": f"#nizk-bench-{version.replace(' ', '-')}",
        "@type": "SoftwareApplication",
        "name": "nizk-bench",
        "softwareVersion": version,
    }


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
            names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
            files = {name: archive.read(name) for name in names}
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
