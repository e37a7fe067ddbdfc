"""The workflows of a public forge are what its linter accepts, and do what README.md promises."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONLINT = "v1.7.7"


@pytest.fixture(scope="session")
def actionlint() -> Path:
    """Actionlint from its Go module, built once per machine."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nizk-bench"
    folder = cache / f"actionlint-{ACTIONLINT}"
    if not (folder / "actionlint").exists():
        subprocess.run(
            ["go", "install", f"github.com/rhysd/actionlint/cmd/actionlint@{ACTIONLINT}"],
            env=os.environ | {"GOBIN": str(folder), "GOFLAGS": "-mod=mod"},
            check=True,
        )
    return folder / "actionlint"


@pytest.mark.slow
@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_is_accepted_by_its_linter_and_a_slip_is_not(
    actionlint: Path, path: Path, tmp_path: Path
) -> None:
    def judged(file: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([actionlint, file], capture_output=True, text=True, check=False)

    good = judged(path)
    assert good.returncode == 0, good.stdout
    broken = tmp_path / path.name
    shutil.copy(path, broken)
    broken.write_text(broken.read_text(encoding="utf-8").replace("runs-on:", "run-on:"))
    assert judged(broken).returncode != 0


def test_forge_checks_both_ways_in() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    for command in ("run: .ci/run", "nix flake check", "nix develop --command just test"):
        assert command in text
    for command in (".ci/run", "enter"):
        assert os.access(ROOT / command, os.X_OK)
    assert (ROOT / "flake.nix").exists()
