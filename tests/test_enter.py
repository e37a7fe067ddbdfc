"""What `./enter` promises, on machines made up for each promise.

A made-up machine is a folder of tools on PATH, each a few lines of shell that note that they were
called, so that a test can say what was installed and what was not.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from nizkbench.layout import BROWSERS

ROOT = Path(__file__).resolve().parents[1]
INPUTS = [
    "enter", "flake.lock", "flake.nix", "pyproject.toml", "uv.lock", "provers/rust-toolchain.toml",
]  # fmt: skip
# What every Linux has, and ./enter takes for granted.
GIVEN = [
    "bash", "cat", "cut", "dirname", "env", "find", "flock", "grep", "head", "id", "ln", "mkdir",
    "mv", "printf", "sed", "sh", "sha256sum", "sort", "tail", "timeout", "touch", "tr", "true",
    "uname",
]  # fmt: skip

UV = """
    case $1 in --version) echo "uv 0.13.8"; exit ;; esac
    sleep 0.2
    mkdir -p "$UV_PROJECT_ENVIRONMENT/bin"
    for tool in just nizkbench snakemake; do
        ln -sf "$(type -P true)" "$UV_PROJECT_ENVIRONMENT/bin/$tool"
    done
"""


class Machine:
    """A clone of the project's environment files and a PATH of made-up tools."""

    def __init__(self, folder: Path) -> None:
        self.clone = folder / "clone"
        self.tools = folder / "tools"
        self.home = folder / "home"
        self.calls = folder / "calls"
        sources = [self.clone / name for name in ("provers", "data/schema", "data/vectors")]
        for path in (*sources, self.tools, self.home):
            path.mkdir(parents=True)
        for name in INPUTS:
            shutil.copy(ROOT / name, self.clone / name)
        for name in GIVEN:
            found = shutil.which(name)
            assert found is not None
            (self.tools / name).symlink_to(found)

    def tool(self, name: str, script: str = "") -> None:
        """Put a tool on PATH that notes its call, then runs `script`."""
        path = self.tools / name
        path.unlink(missing_ok=True)
        path.write_text(
            f'#!/bin/bash\necho "{name} $*" >>"{self.calls}"\n{textwrap.dedent(script)}'
        )
        path.chmod(0o755)

    def start(self, *command: str, **variables: str) -> subprocess.Popen[str]:
        """Start `./enter COMMAND…` without waiting for it."""
        return subprocess.Popen(
            [self.clone / "enter", *command],
            env={"PATH": str(self.tools), "HOME": str(self.home)} | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def enter(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Carry out `./enter COMMAND…`."""
        process = self.start(*command, **variables)
        output, errors = process.communicate(timeout=60)
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def called(self, pattern: str) -> list[str]:
        """Return the calls of tools that match a pattern, such as `uv .*sync`."""
        calls = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [call for call in calls if re.match(pattern, call)]


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    """Return a Linux with nothing on it."""
    return Machine(tmp_path)


@pytest.fixture
def equipped(tmp_path: Path) -> Machine:
    """Return a machine with every toolchain, but not yet the Python packages."""
    machine = Machine(tmp_path)
    for name in ("cc", "git", "curl", "chromium", "latexmk", "pdflatex", "bibtex", "kpsewhich"):
        machine.tool(name)
    channel = tomllib.loads((ROOT / "provers/rust-toolchain.toml").read_text())["toolchain"][
        "channel"
    ]
    for name in ("rustc", "cargo", "rustfmt", "cargo-clippy"):
        machine.tool(name, f"echo {name} {channel}\n")
    machine.tool("go", "echo go1.26.8\n")
    (machine.tools / "python3.13").symlink_to(sys._base_executable)  # type: ignore[attr-defined]
    machine.tool("uv", UV)
    return machine


def message(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line that ./enter itself wrote."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("enter: ")]
    return lines[-1].removeprefix("enter: ") if lines else ""


# ---------------------------------------------------------------------------- the command line


def test_help_names_both_ways_and_installs_nothing(bare: Machine) -> None:
    done = bare.enter("--help")
    assert done.returncode == 0
    assert "NIZK_BENCH_ENTER=nix|native" in done.stdout
    assert not (bare.clone / ".venv").exists()


def test_nothing_to_run_is_a_usage_error(bare: Machine) -> None:
    done = bare.enter()
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: ./enter COMMAND")


def test_unknown_command_is_named_in_one_sentence(equipped: Machine) -> None:
    equipped.enter("true")
    done = equipped.enter("frobnicate")
    assert done.returncode == 127
    assert done.stderr.count("\n") == 1
    assert "'frobnicate'" in message(done)


def test_status_arguments_and_output_are_those_of_the_command(equipped: Machine) -> None:
    done = equipped.enter("bash", "-c", 'printf "%s|" "$@"; exit 7', "name", "a b", "")
    assert done.returncode == 7
    assert done.stdout == "a b||"


def test_unknown_way_is_refused_with_the_legal_ones(bare: Machine) -> None:
    done = bare.enter("true", NIZK_BENCH_ENTER="docker")
    assert done.returncode == 1
    assert message(done) == "NIZK_BENCH_ENTER is 'docker'; it may be nix or native, or unset."


# ---------------------------------------------------------------------------- the stamp


def test_second_call_calls_no_installer_and_says_nothing(equipped: Machine) -> None:
    assert equipped.enter("true").returncode == 0
    assert len(equipped.called("uv .*sync --frozen")) == 1
    equipped.calls.unlink()

    for name in ("apt-get", "sudo", "rustup", "curl", "uv", "nix", "pip", "python3"):
        equipped.tool(name, "exit 1")
    done = equipped.enter("bash", "-c", "echo entered")
    assert (done.returncode, done.stdout, done.stderr) == (0, "entered\n", "")
    assert equipped.called(".*") == []


@pytest.mark.parametrize("changed", ["uv.lock", "provers/rust-toolchain.toml", "enter"])
def test_changed_lock_file_is_followed_at_the_next_call(equipped: Machine, changed: str) -> None:
    equipped.enter("true")
    with (equipped.clone / changed).open("a") as file:
        file.write("# changed\n")
    assert equipped.enter("true").returncode == 0
    assert len(equipped.called("uv .*sync")) == 2


@pytest.mark.parametrize("tool", ["latexmk", "chromium"])
def test_tool_that_has_gone_is_noticed(equipped: Machine, tool: str) -> None:
    equipped.enter("true")
    (equipped.tools / tool).unlink()
    done = equipped.enter("true")
    assert done.returncode == 1
    assert tool in message(done)


def test_moved_clone_gets_an_environment_of_its_own(equipped: Machine, tmp_path: Path) -> None:
    equipped.enter("true")
    equipped.clone = equipped.clone.rename(tmp_path / "moved")
    assert equipped.enter("true").returncode == 0
    assert len(equipped.called("uv .*sync")) == 2


def test_calls_at_once_prepare_once(equipped: Machine) -> None:
    started = [equipped.start("bash", "-c", "echo entered") for _ in range(5)]
    ended = [(process.communicate(timeout=60)[0], process.returncode) for process in started]
    assert ended == [("entered\n", 0)] * 5
    assert len(equipped.called("uv .*sync")) == 1


def test_failed_installation_leaves_no_stamp(equipped: Machine) -> None:
    equipped.tool(
        "uv", 'case $1 in --version) echo "uv 0.13.8" ;; *) echo no space; exit 1 ;; esac'
    )
    done = equipped.enter("true")
    assert done.returncode == 1
    assert "no space" in done.stderr
    assert message(done).startswith("The Python packages of uv.lock could not be installed")
    equipped.tool("uv", UV)
    assert equipped.enter("true").returncode == 0


def test_environment_of_another_project_does_not_leak_in(equipped: Machine) -> None:
    variables = {
        "PYTHONPATH": "/elsewhere",
        "PYTHONDONTWRITEBYTECODE": "1",
        "VIRTUAL_ENV": "/elsewhere",
        "RUSTUP_TOOLCHAIN": "1.0",
    }
    python = "${PYTHONPATH-unset} ${PYTHONDONTWRITEBYTECODE-unset}"
    shown = f'echo "{python} $VIRTUAL_ENV $RUSTUP_TOOLCHAIN $LC_ALL"'
    for _ in range(2):
        done = equipped.enter("bash", "-c", shown, **variables)
        assert done.stdout == f"unset unset {equipped.clone}/.venv 1.95.0 C.UTF-8\n"


# ---------------------------------------------------------------------------------- what is missing


def test_root_on_debian_gets_what_is_missing_from_apt(equipped: Machine) -> None:
    (equipped.tools / "chromium").unlink()
    equipped.tool("id", "echo 0")
    equipped.tool(
        "apt-get",
        f'case $* in *install*) ln -s "$(type -P true)" {equipped.tools}/chromium ;; esac',
    )
    done = equipped.enter("bash", "-c", "echo $BROWSER_PATH")
    assert done.stdout == f"{equipped.tools}/chromium\n"
    installed = equipped.called("apt-get .* install ")
    assert len(installed) == 1
    assert installed[0].endswith("--no-install-recommends chromium")


def test_package_without_its_program_is_not_taken_for_it(equipped: Machine) -> None:
    # Ubuntu's chromium package only points to a snap, which may not be there.
    (equipped.tools / "chromium").unlink()
    equipped.tool("id", "echo 0")
    equipped.tool("apt-get")
    done = equipped.enter("true")
    assert done.returncode == 1
    assert message(done).startswith("Chromium is missing, though its package is installed")


@pytest.mark.parametrize("name", BROWSERS)
def test_every_browser_that_draws_figures_is_taken(equipped: Machine, name: str) -> None:
    (equipped.tools / "chromium").unlink()
    equipped.tool(name)
    done = equipped.enter("bash", "-c", "echo $BROWSER_PATH")
    assert (done.stdout, done.returncode) == (f"{equipped.tools}/{name}\n", 0)


def test_user_on_debian_is_told_the_command(equipped: Machine) -> None:
    (equipped.tools / "latexmk").unlink()
    equipped.tool("id", "echo 1000")
    equipped.tool("apt-get")
    equipped.tool("sudo", "exit 1")
    done = equipped.enter("true")
    assert done.returncode == 1
    assert "run: sudo apt-get install --no-install-recommends texlive-" in message(done)
    assert equipped.called("apt-get") == []


def test_other_distribution_is_told_the_packages(bare: Machine) -> None:
    done = bare.enter("true")
    assert done.returncode == 1
    for package in ("build-essential", "git", "chromium", "texlive-science", "lmodern"):
        assert package in message(done)


@pytest.mark.parametrize(
    ("lost", "sentence"),
    [
        (["rustc", "cargo"], "Rust is missing and rustup could not be fetched"),
        (["rustc"], "cargo is here but not Rust 1.95.0"),
        (["go"], "Go 1.26 is missing and could not be fetched"),
        (["uv", "python3.13"], "uv 0.13.8 is missing and could not be fetched"),
    ],
)
def test_toolchain_that_cannot_be_had_is_named(
    equipped: Machine, lost: list[str], sentence: str
) -> None:
    equipped.tool("curl", "exit 6")
    for name in lost:
        (equipped.tools / name).unlink()
    done = equipped.enter("true")
    assert done.returncode == 1
    assert message(done).startswith(sentence)


def test_rustup_brings_the_toolchain_of_the_file(equipped: Machine) -> None:
    equipped.tool("rustc", 'test -e "$HOME/installed" || exit 1\necho rustc 1.95.0')
    equipped.tool("rustup", 'touch "$HOME/installed"')
    assert equipped.enter("true").returncode == 0
    (call,) = equipped.called("rustup")
    assert call.startswith("rustup toolchain install 1.95.0 --profile minimal")


def test_older_go_fetches_the_pinned_one(equipped: Machine) -> None:
    equipped.tool(
        "go", "if [ $GOTOOLCHAIN = local ]; then echo go1.22.1; else echo $GOTOOLCHAIN; fi"
    )
    assert equipped.enter("bash", "-c", "echo $GOTOOLCHAIN").stdout == "go1.26.8\n"


def test_node_is_asked_for_only_by_a_runner_that_needs_it(equipped: Machine) -> None:
    assert equipped.enter("true").returncode == 0
    (equipped.clone / "provers/zokrates").mkdir()
    (equipped.clone / "provers/zokrates/package-lock.json").write_text("{}")
    equipped.tool("curl", "exit 6")
    assert message(equipped.enter("true")).startswith("Node 20 or newer is missing")
    equipped.tool("node", "echo v20.20.2")
    equipped.tool("npm")
    assert equipped.enter("true").returncode == 0


# --------------------------------------------------------------------------------------------- Nix

NIX = """
    case $* in
        --version) echo "nix (Nix) 2.31.2" ;;
        *archive*) exit 1 ;;
        *print-dev-env*)
            while [ "$1" != --profile ]; do shift; done
            touch "$2"
            echo "export MARK=nix"
            echo 'export TMPDIR="$(mktemp -d -t nix-shell.XXXXXX)"'
            echo 'export HOOK=${UNSET}hooked'
            ;;
    esac
"""


def test_nix_is_taken_when_it_is_new_enough_and_its_inputs_answer(equipped: Machine) -> None:
    equipped.tool("nix", NIX)
    for name in ("just", "nizkbench", "snakemake"):
        equipped.tool(name)
    shown = ("bash", "-c", "echo $MARK $HOOK $TMPDIR")
    assert equipped.enter(*shown, TMPDIR="/tmp").stdout == "nix hooked /tmp\n"
    assert not (equipped.clone / ".venv").exists()
    assert (equipped.clone / "build/nix/shell").exists()
    equipped.calls.unlink()

    # What Nix said was kept, so nothing is fetched, evaluated or looked up again.
    done = equipped.enter(*shown, TMPDIR="/tmp")
    assert (done.stdout, done.stderr) == ("nix hooked /tmp\n", "")
    assert equipped.called(".*") == []


def test_nix_environment_follows_the_sources_of_its_runners(equipped: Machine) -> None:
    equipped.tool("nix", NIX)
    for name in ("just", "nizkbench", "snakemake"):
        equipped.tool(name)
    source = equipped.clone / "provers/toy/src/main.rs"
    for text, prepared in (("fn main() {}", 1), ("fn main() { }", 2), ("fn main() { }", 2)):
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        left_behind = equipped.clone / f"provers/target/{len(text)}"
        left_behind.parent.mkdir(exist_ok=True)
        left_behind.touch()
        assert equipped.enter("true").returncode == 0
        assert len(equipped.called("nix .*print-dev-env")) == prepared


def test_nix_environment_imports_the_package_beside_it(equipped: Machine, tmp_path: Path) -> None:
    equipped.tool("nix", NIX)
    for name in ("just", "nizkbench", "snakemake"):
        equipped.tool(name)
    done = subprocess.run(
        [equipped.clone / "enter", "bash", "-c", "echo $PYTHONPATH"],
        cwd=tmp_path,
        env={"PATH": str(equipped.tools), "HOME": str(equipped.home), "PYTHONPATH": "/elsewhere"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{equipped.clone}\n"


def test_nix_that_cannot_build_is_no_reason_to_go_on_without(equipped: Machine) -> None:
    equipped.tool("nix", NIX.replace("touch", "exit 1 #"))
    done = equipped.enter("true")
    assert done.returncode == 1
    assert "NIZK_BENCH_ENTER=native" in message(done)
    assert equipped.called("uv .*sync") == []


@pytest.mark.parametrize("obstacle", ["old", "offline"])
def test_nix_that_cannot_serve_is_passed_over(equipped: Machine, obstacle: str) -> None:
    equipped.tool("nix", NIX.replace("2.31.2", "2.8.0") if obstacle == "old" else NIX)
    equipped.tool("curl", "exit 6" if obstacle == "offline" else "")
    assert equipped.enter("true").returncode == 0
    assert equipped.called("nix .*print-dev-env") == []
    assert len(equipped.called("uv .*sync")) == 1


def test_nix_asked_for_but_absent_is_an_error(equipped: Machine) -> None:
    done = equipped.enter("true", NIZK_BENCH_ENTER="nix")
    assert done.returncode == 1
    assert message(done).startswith("Nix 2.18 or newer is needed")


# ---------------------------------------------------------------------------- versions in one place


def test_versions_agree_with_the_other_files() -> None:
    script = (ROOT / "enter").read_text()
    pinned = dict(re.findall(r"^(\w+)=([\d.]+)", script, re.M))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == f"=={pinned['python_version']}.*"
    go = re.search(r"^go (\d+\.\d+)\.\d+$", (ROOT / "provers/go.mod").read_text(), re.M)
    assert go is not None
    assert go[1] == pinned["go_version"]
    assert pinned["go_release"].startswith(f"{pinned['go_version']}.")
    assert (
        f"pkgs.python{pinned['python_version'].replace('.', '')}"
        in (ROOT / "flake.nix").read_text()
    )


def test_python_lock_holds_what_the_project_asks_for() -> None:
    # ./enter installs the lock as it is; a lock that has fallen behind would go unnoticed there.
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (locked,) = (
        package
        for package in tomllib.loads((ROOT / "uv.lock").read_text())["package"]
        if package["name"] == asked["project"]["name"]
    )

    def pins(entries: list[dict[str, str]]) -> set[str]:
        return {entry["name"] + entry["specifier"] for entry in entries}

    assert pins(locked["metadata"]["requires-dist"]) == set(asked["project"]["dependencies"])
    groups = {name: pins(group) for name, group in locked["metadata"]["requires-dev"].items()}
    assert groups == {name: set(group) for name, group in asked["dependency-groups"].items()}


def test_this_machine_is_entered_without_preparing_twice() -> None:
    for _ in range(2):
        done = subprocess.run(
            [ROOT / "enter", "python", "-c", "import sys; print(sys.prefix)"],
            env=os.environ | {"NIZK_BENCH_ENTER": os.environ.get("NIZK_BENCH_ENTER", "")},
            capture_output=True,
            text=True,
            check=True,
        )
    assert done.stderr == ""
    assert Path(done.stdout.strip()).exists()
