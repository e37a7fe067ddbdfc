"""What all tests share: a synthetic run, and how tests go to the processes that carry them out."""

import pytest
from xdist.scheduler import LoadScopeScheduling

from nizkbench.results import Results
from tests.synthetic_results import synthetic_results

#: Tests that take minutes a parameter and share nothing with their module.
ALONE = ("tests/test_conform.py::test_runner_keeps_every_promise[",)


class ByModule(LoadScopeScheduling):  # type: ignore[misc]  # it ships no types
    """A module to a process, where its tests share what they made; but those of `ALONE` one by one.

    The groups of pytest-xdist 3.8 would say the same in a mark, and do nothing under pytest 9.2
    (pytest-dev/pytest-xdist#1386).
    """

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if nodeid.startswith(ALONE) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByModule:
    """Schedule by module, whatever `--dist` says."""
    return ByModule(config, log)


@pytest.fixture(scope="session")
def results() -> Results:
    """A synthetic run of all systems with its real analysis."""
    return synthetic_results(blocks=4)
