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
[ "$*" != "$BROKEN" ] || exit 1
case $* in
    'just smoke') mkdir -p build/smoke && echo PDF >build/smoke/paper.pdf ;;
    'just test') mkdir -p build/tests && echo '40 passed, 0 failed, 1 skipped' >build/tests/totals.txt ;;
esac
"""  # noqa: E501


def run(folder: Path, broken: str = "") -> tuple[int, str]:
    """Carry out .ci/run in `folder`; its status and closing line."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
    for name, text in (("enter", ENTER), ("nix", "#!/bin/sh\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    done = subprocess.run(
        ["bash", ".ci/run"],
        cwd=folder,
        env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "BROKEN": broken},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()[-1]


def test_tests_and_smoke_are_run_through_enter(tmp_path: Path) -> None:
    assert run(tmp_path) == (0, "45 passed, 0 failed")
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
    assert run(tmp_path, broken) == (1, closing)
