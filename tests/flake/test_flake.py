"""Hold flake.nix against its lock, the other lock files and what its inputs really offer.

A machine without a binary cache cannot build the flake, so these tests go as far as evaluation can:
the real inputs are replaced by stand-ins (`stub/`) that declare what is used of them and fail on
anything else. What they show is "evaluated, not built".
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

from nizkbench.layout import BINARIES_VARIABLE, BROWSER_VARIABLE, BROWSERS

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = ["aarch64-linux", "x86_64-linux"]
RUNNERS = sorted(path.parent.name for path in (ROOT / "provers").glob("*/runner.toml"))
# What measures no proof of a statement; a package of its own, or installed with a runner's.
PROGRAMS = {"hash-speed"}
DEADNIX = "1.3.1"
NOT_SOURCE = shutil.ignore_patterns("target", "vendor", "node_modules")

Nix = Callable[..., str]

# The runners' plain programs, by the names of their executables.
PLAIN = [
    settings["plain"]["command"][0]
    for name in RUNNERS
    if "plain" in (settings := tomllib.loads((ROOT / f"provers/{name}/runner.toml").read_text()))
]


@pytest.fixture(scope="session")
def nix(tmp_path_factory: pytest.TempPathFactory) -> Nix:
    """Any Nix from 2.8 on, with a store of its own, so that the machine's stays as it was."""
    if shutil.which("nix") is None:
        reason = "Nix is not installed here (Debian: apt-get install nix-bin)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    home = tmp_path_factory.mktemp("nix")
    environment = os.environ | {
        "HOME": str(home),
        "NIX_STORE_DIR": str(home / "store"),
        "NIX_STATE_DIR": str(home / "state"),
        "NIX_LOG_DIR": str(home / "log"),
        "NIX_CONF_DIR": str(home),
        "NIX_CONFIG": "build-users-group =\nexperimental-features = nix-command flakes",
    }

    def run(*command: str | Path) -> str:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command[0]} failed:\n{done.stderr}"
        return done.stdout

    return run


@pytest.fixture(scope="module")
def inputs(nix: Nix) -> dict[str, dict[str, Any]]:
    """The inputs as flake.nix declares them."""
    declared: dict[str, dict[str, Any]] = json.loads(
        nix(
            "nix-instantiate", "--eval", "--strict", "--json",
            "--expr", f"(import {ROOT}/flake.nix).inputs",
        )
    )  # fmt: skip
    return declared


@pytest.fixture(scope="module")
def lock() -> dict[str, Any]:
    """flake.lock."""
    content: dict[str, Any] = json.loads((ROOT / "flake.lock").read_text())
    return content


def as_original(url: str) -> dict[str, str]:
    """Write a `github:` URL as flake.lock writes what an input asked for."""
    scheme, _, path = url.partition(":")
    owner, repository, *reference = path.split("/")
    return {"type": scheme, "owner": owner, "repo": repository} | (
        {"ref": reference[0]} if reference else {}
    )


# -------------------------------------------------------------------------------- inputs and lock


def test_every_input_is_locked_as_it_is_declared(
    inputs: dict[str, dict[str, Any]], lock: dict[str, Any]
) -> None:
    root = lock["nodes"][lock["root"]]
    assert sorted(root["inputs"]) == sorted(inputs)
    for name, declared in inputs.items():
        node = lock["nodes"][root["inputs"][name]]
        original = as_original(declared["url"])
        assert node["original"] == original, name
        assert {key: node["locked"][key] for key in ("type", "owner", "repo")} == {
            key: original[key] for key in ("type", "owner", "repo")
        }, name


def test_inputs_share_what_they_declare_to_follow(
    inputs: dict[str, dict[str, Any]], lock: dict[str, Any]
) -> None:
    for name, declared in inputs.items():
        follows = {
            inner: value["follows"].split("/")
            for inner, value in declared.get("inputs", {}).items()
        }
        assert lock["nodes"][name].get("inputs", {}) == follows, name


def test_lock_pins_revisions_and_contents(lock: dict[str, Any]) -> None:
    for name, node in lock["nodes"].items():
        if name == lock["root"]:
            continue
        locked = node["locked"]
        assert re.fullmatch(r"[0-9a-f]{40}", locked["rev"]), name
        algorithm, _, digest = locked["narHash"].partition("-")
        assert algorithm == "sha256", name
        assert len(base64.b64decode(digest, validate=True)) == 32, name
        assert locked["lastModified"] > 0, name


def test_lock_holds_no_unreachable_node(lock: dict[str, Any]) -> None:
    reached: set[str] = set()
    ahead = [lock["root"]]
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            # A list is a path that is followed from the root; a string names a node.
            inner = lock["nodes"][name].get("inputs", {}).values()
            ahead += [node for node in inner if isinstance(node, str)]
    assert reached == set(lock["nodes"])


def test_lock_is_written_as_nix_writes_it(lock: dict[str, Any]) -> None:
    canonical = json.dumps(lock, indent=2, sort_keys=True) + "\n"
    assert (ROOT / "flake.lock").read_text() == canonical
    assert lock["version"] == 7


def test_nix_accepts_the_lock_without_changing_it(nix: Nix, tmp_path: Path) -> None:
    # Git, for a flake sees only what git tracks; a copy, for metadata needs only these two files.
    for name in ("flake.nix", "flake.lock"):
        shutil.copy(ROOT / name, tmp_path)
    nix("git", "-C", tmp_path, "init", "--quiet")
    nix("git", "-C", tmp_path, "add", "flake.nix", "flake.lock")
    metadata = json.loads(
        nix("nix", "flake", "metadata", "--offline", "--no-update-lock-file", "--json", tmp_path)
    )
    assert metadata["locks"] == json.loads((ROOT / "flake.lock").read_text())
    assert (tmp_path / "flake.lock").read_bytes() == (ROOT / "flake.lock").read_bytes()


# ------------------------------------------------------------------------------------- evaluation


def test_every_output_evaluates_for_both_systems(nix: Nix) -> None:
    outputs = json.loads(
        nix("nix-instantiate", "--eval", "--strict", "--json", ROOT / "tests/flake/evaluate.nix")
    )
    assert {name: sorted(output) for name, output in outputs.items()} == dict.fromkeys(
        ["apps", "checks", "devShells", "formatter", "packages"], SYSTEMS
    )
    for system in SYSTEMS:
        packages = outputs["packages"][system]
        assert {name: packages[name] for name in RUNNERS} == {
            name: f"nizk-{name}" for name in RUNNERS
        }
        assert {name: packages[name] for name in PLAIN} == {name: name for name in PLAIN}
        assert packages.keys() - {*RUNNERS, *PLAIN, *PROGRAMS} == {
            *("container", "default", "python", "tex")
        }
        assert outputs["devShells"][system].keys() == {"default"}
        assert outputs["apps"][system].keys() == {"default"}


def given(nix: Nix, output: str) -> dict[str, Any]:
    """What an output is made of, by the stand-ins; each package in it is the path of its place."""
    attributes: dict[str, Any] = json.loads(
        nix(
            "nix-instantiate", "--eval", "--strict", "--json",
            "--expr", f"((import {ROOT}/flake.nix).outputs"
            f" (import {ROOT}/tests/flake/stub // {{ self = {{ }}; }})).{output}.given",
        )
    )  # fmt: skip
    return attributes


@pytest.mark.parametrize("system", SYSTEMS)
def test_shell_names_the_folder_of_every_runner_and_plain_program(nix: Nix, system: str) -> None:
    binaries = given(nix, f"packages.{system}.default")
    programs = {Path(path).name for path in binaries["paths"]}
    assert programs == {*(f"nizk-{name}" for name in [*RUNNERS, *PROGRAMS]), *PLAIN}

    shell = given(nix, f"devShells.{system}.default")
    folder = Path(shell["env"][BINARIES_VARIABLE])
    assert (folder.parent.name, folder.name) == (binaries["name"], "bin")
    assert str(folder.parent) in shell["packages"]
    assert Path(shell["env"][BROWSER_VARIABLE]).name in BROWSERS


@pytest.mark.parametrize("system", SYSTEMS)
def test_image_holds_what_the_shell_holds_and_works_on_a_mounted_clone(
    nix: Nix, system: str
) -> None:
    shell = given(nix, f"devShells.{system}.default")
    image = given(nix, f"packages.{system}.container")
    assert set(shell["packages"]) < set(image["contents"])
    variables = dict(one.split("=", 1) for one in image["config"]["Env"])
    assert shell["env"].items() <= variables.items()
    assert variables["PYTHONPATH"] == image["config"]["WorkingDir"]
    assert image["config"]["Cmd"] == ["just"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert image["tag"] == project["version"]


def test_git_reads_a_clone_of_another_owner_that_is_mounted_into_the_image(nix: Nix) -> None:
    config = given(nix, f"packages.{SYSTEMS[0]}.container")["config"]
    variables = dict(one.split("=", 1) for one in config["Env"])
    # Git takes this setting from the command line and variables, never from the clone itself.
    told = subprocess.run(
        ["git", "config", "--get-all", "safe.directory"],
        env={name: value for name, value in variables.items() if name.startswith("GIT_CONFIG_")}
        | {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert told.split() == [config["WorkingDir"]]


@pytest.mark.parametrize("system", SYSTEMS)
def test_check_of_go_runs_the_tests_of_every_runner_in_go(nix: Nix, system: str) -> None:
    languages = {
        name: tomllib.loads((ROOT / f"provers/{name}/runner.toml").read_text())["language"]
        for name in RUNNERS
    }
    in_go = [name for name, language in languages.items() if language == "go"]
    assert in_go
    packages = given(nix, f"checks.{system}.go")["subPackages"]
    assert sorted(packages) == sorted(["protocol-go", *in_go])
    assert all((ROOT / "provers" / name).is_dir() for name in packages)


def test_shell_imports_the_clone_it_is_entered_in(nix: Nix, tmp_path: Path) -> None:
    hook = given(nix, f"devShells.{SYSTEMS[0]}.default")["shellHook"]

    def imported_from(folder: Path) -> str:
        done = subprocess.run(
            ["bash", "-euc", hook + 'echo "${PYTHONPATH-unset}"'],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": "/elsewhere"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        return done.stdout.strip()

    clone, other = tmp_path / "clone", tmp_path / "other"
    (clone / "provers").mkdir(parents=True)
    (clone / "provers/PROTOCOL.md").touch()
    other.mkdir()
    assert imported_from(tmp_path) == "unset"
    for repository in (clone, other):
        subprocess.run(["git", "init", "--quiet", repository], check=True)
    assert imported_from(clone / "provers") == str(clone)
    assert imported_from(other) == "unset"


@pytest.mark.parametrize(
    ("sound", "broken"),
    [
        ("pkgs.go\n", "pkgs.go_0_1\n"),
        ("ctan.cm-super", "ctan.cm-supper"),
        ("./data/vectors", "./data/vektors"),
        ("cargoLock.lockFile", "cargoLock.lokFile"),
        ('"connection-pool"', '"connection-pond"'),
        ("rust = rustPlain", "rust = rustPlan"),
        (
            '"nizk-${folder}"\n                "--bench"',
            '"nizk-${foldr}"\n                "--bench"',
        ),
    ],
)
def test_evaluation_notices_a_slip(nix: Nix, tmp_path: Path, sound: str, broken: str) -> None:
    text = (ROOT / "flake.nix").read_text()
    assert sound in text
    for name in ("Justfile", "README.md", "pyproject.toml", "uv.lock", "flake.lock"):
        shutil.copy(ROOT / name, tmp_path)
    for folder in ("data/schema", "data/vectors", "nizkbench", "tests/flake"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copytree(ROOT / "provers", tmp_path / "provers", ignore=NOT_SOURCE)
    (tmp_path / "flake.nix").write_text(text)
    command = ("nix-instantiate", "--eval", "--strict", tmp_path / "tests/flake/evaluate.nix")
    nix(*command)

    (tmp_path / "flake.nix").write_text(text.replace(sound, broken))
    with pytest.raises(AssertionError):
        nix(*command)


@pytest.mark.slow
def test_flake_holds_no_dead_code(cached_deadnix: Path) -> None:
    files = [ROOT / "flake.nix", *sorted((ROOT / "tests/flake").rglob("*.nix"))]
    done = subprocess.run(
        [cached_deadnix, "--fail", *files], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def cached_deadnix() -> Path:
    """Deadnix from crates.io, compiled once per machine."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nizk-bench"
    folder = cache / f"deadnix-{DEADNIX}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "deadnix.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not (folder / "bin/deadnix").exists():
            subprocess.run(
                ["cargo", "install", "--quiet", "--locked", "--root", folder,
                 "--version", DEADNIX, "deadnix"],
                check=True,
            )  # fmt: skip
    return folder / "bin/deadnix"


def test_runners_read_no_file_that_their_nix_source_leaves_out() -> None:
    given = [ROOT / "provers", ROOT / "data/schema", ROOT / "data/vectors"]
    flake = (ROOT / "flake.nix").read_text()
    assert all(f"./{folder.relative_to(ROOT)}\n" in flake for folder in given)
    sources = [
        path
        for pattern in ("*.rs", "*.go", "*.toml")
        for path in (ROOT / "provers").rglob(pattern)
        if "target" not in path.relative_to(ROOT).parts
    ]
    assert sources
    for source in sources:
        for reference in re.findall(r'"/?((?:\.\./)+[\w./-]+)"', source.read_text()):
            # Relative to the file, as include_str! and go:embed have it, or to the crate.
            bases = [source.parent, *source.parents[1:3]]
            resolved = [(base / reference).resolve() for base in bases]
            assert any(
                path.exists() and any(path.is_relative_to(folder) for folder in given)
                for path in resolved
            ), f"{source.relative_to(ROOT)} reads {reference}"


# -------------------------------------------------------------------------------- other lock files


@pytest.mark.slow
def test_vendor_hash_is_that_of_the_go_modules(nix: Nix, tmp_path: Path) -> None:
    declared = re.findall(r'vendorHash = "([^"]+)"', (ROOT / "flake.nix").read_text())
    # In a copy, for go may complete go.mod and go.sum on its way, which would hide a fault here.
    module = shutil.copytree(ROOT / "provers", tmp_path / "provers", ignore=NOT_SOURCE)
    sums = (module / "go.sum").read_bytes()
    subprocess.run(["go", "-C", module, "mod", "vendor", "-o", tmp_path / "vendor"], check=True)
    assert (module / "go.sum").read_bytes() == sums
    computed = nix("nix", "hash", "path", tmp_path / "vendor").strip()
    assert declared == [computed], f'flake.nix should say vendorHash = "{computed}"'


def test_go_module_asks_for_what_nixpkgs_has() -> None:
    # nixpkgs sets GOTOOLCHAIN=local, so a later version or a toolchain line would not build there.
    module = (ROOT / "provers/go.mod").read_text()
    assert re.search(r"^go 1\.26\.0$", module, re.M)
    assert not re.search(r"^toolchain ", module, re.M)


def test_every_python_package_without_a_wheel_has_its_build_system_named() -> None:
    named = re.search(r"lib\.genAttrs \[([^]]*)\] \(\s*name:", (ROOT / "flake.nix").read_text())
    assert named is not None
    overridden = set(re.findall(r'"([^"]+)"', named[1]))

    packages = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    fetched = [package for package in packages if "registry" in package["source"]]
    without = {
        package["name"]
        for package in fetched
        for machine in ("x86_64", "aarch64")
        if not any(
            fits(wheel["url"].rsplit("/", 1)[-1], machine) for wheel in package.get("wheels", [])
        )
    }
    assert without == overridden


def fits(wheel: str, machine: str) -> bool:
    """Whether CPython 3.13 on a Linux machine with glibc, as in nixpkgs, can install the wheel."""
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in range(42, 16, -1)]
    platforms += [f"manylinux2014_{machine}", f"manylinux2010_{machine}", f"manylinux1_{machine}"]
    platforms += [f"linux_{machine}"]
    ours: set[Tag] = set(cpython_tags((3, 13), platforms=platforms))
    ours |= set(compatible_tags((3, 13), interpreter="cp313", platforms=platforms))
    return not ours.isdisjoint(parse_wheel_filename(wheel)[3])


def test_python_lock_names_public_addresses_only() -> None:
    hosts = set(re.findall(r'"https?://([^/"]+)', (ROOT / "uv.lock").read_text()))
    assert hosts == {"pypi.org", "files.pythonhosted.org"}
