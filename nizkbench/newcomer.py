"""A runner for a library that has none yet: what `just new-runner` writes.

The sources of `provers/templates/LANGUAGE/` are a runner that keeps the structure of the protocol
and proves nothing; the word `newcomer` in them stands for its name. What else has to know of a
runner finds it by its `runner.toml`; what cannot is written here.
"""

import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from nizkbench import layout
from nizkbench.errors import NizkBenchError

Language = Literal["rust", "go", "node", "python"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

#: The name that the templates have.
TEMPLATE = "newcomer"

#: Short enough for a column of a table, and for a line of code.
LONGEST_NAME = 24
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

#: Where the two functions are that a newcomer has to write.
SCHEMES: dict[Language, str] = {
    "rust": "src/scheme.rs",
    "go": "scheme.go",
    "node": "src/scheme.js",
    "python": "src/nizk_newcomer/scheme.py",
}

#: Left behind by tools, and no part of a template.
_LEFT_BEHIND = ("__pycache__", "node_modules", ".ruff_cache", ".mypy_cache")


class NewRunnerError(NizkBenchError):
    """A runner cannot be made under this name or in this language."""


@dataclass(frozen=True, slots=True)
class NewRunner:
    """What was made: the folder, and what is left to write in which of its files."""

    name: str
    folder: Path
    left: tuple[str, ...]


def new_runner(name: str, language: str) -> NewRunner:
    """Make `provers/NAME/` from a template, and name it where it cannot be found.

    `NewRunnerError` for a name that is taken or not legal and for a language without a template;
    nothing is written then, nor is anything left behind if writing fails.
    """
    provers = layout.root() / "provers"
    chosen = _language(language)
    _refuse_name(name, provers)
    registered = _registered(name, chosen)
    before = {path: path.read_text(encoding="utf-8") for path in registered}
    folder = provers / name
    with tempfile.TemporaryDirectory(prefix=".new-", dir=provers) as made:
        for relative, content in _sources(name, chosen).items():
            target = Path(made) / "runner" / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
            if content.startswith("#!"):
                target.chmod(0o755)
        (Path(made) / "runner").rename(folder)
    try:
        for path, content in registered.items():
            path.write_text(content, encoding="utf-8")
    except BaseException:
        shutil.rmtree(folder)
        for path, content in before.items():
            path.write_text(content, encoding="utf-8")
        raise
    scheme = f"provers/{name}/{_named(SCHEMES[chosen], name)}"
    description = str(Path(scheme).with_stem("system"))
    return NewRunner(
        name,
        folder,
        (
            f"{scheme}: the functions prove and verify",
            f"{description}: what the system says of itself, wherever it reads 'not said yet'",
            f"provers/{name}/README.md: each choice with its reason",
        ),
    )


def _language(given: str) -> Language:
    for language in LANGUAGES:
        if given == language:
            return language
    raise NewRunnerError(f"there is no template in {given!r}, there is one in {_listed(LANGUAGES)}")


def _listed(values: tuple[str, ...]) -> str:
    return ", ".join(values[:-1]) + f" and {values[-1]}"


def _refuse_name(name: str, provers: Path) -> None:
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise NewRunnerError(
            f"a runner cannot be called {name!r}: a name is of lower-case letters and digits,"
            f" begins with a letter, may have single hyphens inside and is at most"
            f" {LONGEST_NAME} long"
        )
    if (provers / name).exists():
        raise NewRunnerError(f"provers/{name} is there already; take another name")
    lock = (provers / "Cargo.lock").read_text(encoding="utf-8")
    packages = [path.read_text(encoding="utf-8") for path in provers.glob("*/Cargo.toml")]
    programs = [path.stem for path in provers.glob("*/src/bin/*.rs")]
    named = any(f'name = "nizk-{name}"' in text for text in (lock, *packages))
    if name == TEMPLATE or named or f"nizk-{name}" in programs:
        raise NewRunnerError(f"nizk-{name} is the name of another program here; take another name")


def _sources(name: str, language: Language) -> dict[str, str]:
    """The files of the runner, by their paths in its folder."""
    templates = layout.root() / "provers" / "templates"
    files = {"README.md": (templates / "README.md").read_text(encoding="utf-8")}
    for path in sorted((templates / language).rglob("*")):
        if path.is_file() and not {*path.parts} & {*_LEFT_BEHIND}:
            relative = path.relative_to(templates / language).as_posix()
            files[relative] = path.read_text(encoding="utf-8")
    # A runner stands one folder less deep than its template.
    written = {
        _named(path, name): _named(text.replace("../../../protocol-", "../../protocol-"), name)
        for path, text in files.items()
    }
    return written | {
        "runner.toml": (
            f'name = "{name}"\nlanguage = "{language}"\nbinary = "nizk-{name}"\n\n'
            "# No plain program yet: a benchmark of the same circuit without the protocol's loop,\n"
            "# which `nizkbench overhead` compares with, is named here once there is one.\n"
        )
    }


def _named(text: str, name: str) -> str:
    """The template's name replaced; packages of Python have underscores for hyphens."""
    text = text.replace(f"nizk_{TEMPLATE}", f"nizk_{name.replace('-', '_')}")
    text = text.replace(f"test_{TEMPLATE}", f"test_{name.replace('-', '_')}")
    return text.replace(TEMPLATE, name)


def _registered(name: str, language: Language) -> dict[Path, str]:
    """Files outside the runner's folder that must name it, with what they say then."""
    root = layout.root()
    if language == "rust":
        manifest, lock = root / "provers" / "Cargo.toml", root / "provers" / "Cargo.lock"
        return {
            manifest: _member(manifest.read_text(encoding="utf-8"), name),
            lock: _locked(lock.read_text(encoding="utf-8"), name),
        }
    if language == "python":
        project = root / "pyproject.toml"
        text = project.read_text(encoding="utf-8")
        source = '"provers/templates/python/src"'
        return {project: text.replace(source, f'{source}, "provers/{name}/src"')}
    # Go finds a runner by its folder, and Node needs nobody to.
    return {}


def _member(manifest: str, name: str) -> str:
    """The workspace with one member more."""
    return re.sub(r"(members = \[[^\]]*)\]", rf'\1  "{name}",\n]', manifest, count=1)


def _locked(lock: str, name: str) -> str:
    """The lock file with the package of the runner, in the order that Cargo keeps."""
    head, *packages = lock.split("[[package]]\n")
    if packages:
        packages[-1] = packages[-1].rstrip("\n") + "\n\n"
    own = next(one for one in packages if one.startswith(f'name = "nizk-{TEMPLATE}"\n'))
    packages.append(own.replace(f"nizk-{TEMPLATE}", f"nizk-{name}"))
    packages.sort(key=_package)
    return "[[package]]\n".join([head, *packages]).rstrip("\n") + "\n"


def _package(text: str) -> tuple[str, tuple[int, ...]]:
    """Name and version of a package of a lock file, as Cargo orders them."""
    name = re.search(r'^name = "(.*)"$', text, re.MULTILINE)
    version = re.search(r'^version = "(\d+)\.(\d+)\.(\d+)', text, re.MULTILINE)
    if name is None or version is None:
        raise NewRunnerError("provers/Cargo.lock holds a package without a name or a version")
    return name[1], tuple(int(part) for part in version.groups())
