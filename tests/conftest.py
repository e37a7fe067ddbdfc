"""What all tests share: a synthetic run, and how tests go to the processes that carry them out."""

import pytest

from nizkbench.results import Results
from tests.synthetic_results import synthetic_results


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a module in one process, where they share what they made.

    But for those marked `alone`, which share nothing and take minutes: each goes where room is.
    """
    for item in items:
        if item.get_closest_marker("alone") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(scope="session")
def results() -> Results:
    """A synthetic run of all systems with its real analysis."""
    return synthetic_results(blocks=4)
