"""What is computed without scipy.stats, which takes long to load, is what scipy.stats computes."""

import numpy as np
import pytest
from scipy import stats

from nizkbench.distributions import (
    f_tail,
    fair_coin,
    gamma_quantile,
    share_interval,
    t_quantile,
    t_tail,
)
from nizkbench.intervals import LEVEL


@pytest.mark.parametrize(("found", "of"), [(0, 9), (1, 9), (5, 9), (9, 9), (3812, 4000)])
def test_interval_of_a_share_is_that_of_clopper_and_pearson(found: int, of: int) -> None:
    exact = stats.binomtest(found, of).proportion_ci(LEVEL)
    assert share_interval(found, of, LEVEL) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_quantiles_and_tails_are_those_of_the_distributions() -> None:
    degrees = np.array([1.0, 2.5, 30.0])
    assert t_quantile(0.975, degrees) == pytest.approx(stats.t.ppf(0.975, degrees))
    assert t_tail(np.array([0.5, 2.0, -1.0]), degrees) == pytest.approx(
        stats.t.sf([0.5, 2.0, -1.0], degrees)
    )
    assert f_tail(3.2, 2, 17) == pytest.approx(stats.f.sf(3.2, 2, 17))
    assert gamma_quantile(0.3, 4.5) == pytest.approx(stats.gamma.ppf(0.3, 4.5))
    assert fair_coin(3, 11) == pytest.approx(stats.binom.cdf(3, 11, 0.5))
