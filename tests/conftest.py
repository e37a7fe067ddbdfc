import pytest

from nizkbench.results import Results
from tests.synthetic_results import synthetic_results


@pytest.fixture(scope="session")
def results() -> Results:
    """A synthetic run of all systems with its real analysis."""
    return synthetic_results(blocks=4)
