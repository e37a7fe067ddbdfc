"""`.ci/run` closes with the sum of its steps and tests, and fails where one of them did."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Stands for ./enter: makes what the real commands would leave behind, and fails at $BROKEN.
ENTER = """#!/bin/bash
echo "$*" >>calls
echo "$CI" >ci
[ "$*" != "$BROKEN" ] || exit 1
case $* in
    'just smoke') mkdir -p build/smoke && echo PDF >build/smoke/paper.pdf ;;
    'just test') mkdir -p build/tests && echo "$TOTALS" >build/tests/totals.txt ;;
esac
"""


def run(
    folder: Path, broken: str = "", totals: str = "40 passed, 0 failed", nix: bool = True
) -> tuple[int, list[str]]:
    """Carry out .ci/run in `folder`; its status and lines. Nix cannot be installed."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
    scripts = {"enter": ENTER, "nix": "#!/bin/sh\n", "apt-get": "#!/bin/sh\nexit 100\n"}
    if not nix:
        del scripts["nix"]
    for name, text in scripts.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    without = {name: value for name, value in os.environ.items() if name != "CI"}
    path = f"{folder}:{os.environ['PATH']}" if nix else f"{folder}:{_tools(folder)}"
    done = subprocess.run(
        ["bash", ".ci/run"],
        cwd=folder,
        env=without | {"PATH": path, "BROKEN": broken, "TOTALS": totals},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


def _tools(folder: Path) -> Path:
    """A folder with what .ci/run calls and nothing else."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("bash", "dirname", "mkdir", "rm"):
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    return tools


def test_tests_and_smoke_are_run_through_enter(tmp_path: Path) -> None:
    status, lines = run(tmp_path)
    assert (status, lines[-1]) == (0, "45 passed, 0 failed")
    calls = (tmp_path / "calls").read_text().splitlines()
    assert {"just lint", "just smoke", "just test"} <= set(calls)


@pytest.mark.parametrize(
    ("broken", "closing"),
    [
        ("just lint", "44 passed, 1 failed"),
        ("just smoke", "43 passed, 2 failed"),
        ("just test", "4 passed, 1 failed"),
    ],
)
def test_failed_step_is_counted_and_fails_the_whole(
    tmp_path: Path, broken: str, closing: str
) -> None:
    status, lines = run(tmp_path, broken)
    assert (status, lines[-1]) == (1, closing)


def test_skipped_tests_are_in_the_closing_line(tmp_path: Path) -> None:
    status, lines = run(tmp_path, totals="40 passed, 0 failed, 2 skipped")
    assert (status, lines[-1]) == (0, "45 passed, 0 failed, 2 skipped")


def test_what_a_machine_lacks_fails_tests_instead_of_skipping_them(tmp_path: Path) -> None:
    # tests/flake/test_flake.py, for one, reads CI.
    run(tmp_path)
    assert (tmp_path / "ci").read_text() == "1\n"


def test_browser_that_cannot_be_installed_is_said(tmp_path: Path) -> None:
    _, lines = run(tmp_path, nix=False)
    assert any("Chromium could not be installed" in line for line in lines)


def test_nix_that_cannot_be_installed_is_said(tmp_path: Path) -> None:
    _, lines = run(tmp_path, nix=False)
    assert any("Nix could not be installed" in line for line in lines)
