"""A δ, a confidence and other numbers between 0 and 1 are checked by one rule."""

import numpy as np
import pytest

from dirpriv import InvalidArgument, guarantees, planner
from dirpriv.distributions import Purkayastha
from dirpriv.estimators import estimate_histogram, estimate_mean
from dirpriv.guarantees import audit
from dirpriv.mechanisms import GaussianSum, PurkayasthaMechanism

DISTRIBUTION = Purkayastha(2, 0.5)
OUTPUTS = np.random.default_rng(1).random((2, 1000))
REPORTS = DISTRIBUTION.rvs([1.0, 0.0], 1000, rng=1)
BELOW_1 = {
    "GaussianSum": ("delta", lambda value: GaussianSum(1.0, value)),
    "sample_sizes": ("delta", lambda value: planner.sample_sizes("mean", 0.1, 1.0, delta=value)),
    "shuffled_level": ("delta", lambda value: guarantees.shuffled_level(DISTRIBUTION, 100, value)),
    "lower_bound": ("confidence", lambda value: audit.lower_bound(*OUTPUTS, 1.0, value)),
    "share_interval": ("risk", lambda value: audit.share_interval(1, 10, value)),
    "epsilon_for": ("share", lambda value: PurkayasthaMechanism.epsilon_for(1.0, value)),
    "estimate_mean": ("confidence", lambda value: estimate_mean(REPORTS, DISTRIBUTION, confidence=value)),
    "estimate_histogram": ("confidence", lambda value: estimate_histogram(np.ones(24), DISTRIBUTION, confidence=value)),
}


@pytest.mark.parametrize("name", BELOW_1)
@pytest.mark.parametrize("value", [1.0, 1.5, 0.0, -0.5, np.nan, np.inf, "0.5", None, True, [0.5, 0.5]])
def test_a_share_is_between_0_and_1(name, value):
    argument, call = BELOW_1[name]
    with pytest.raises(InvalidArgument, match=f"'{argument}' must be") as refused:
        call(value)
    assert refused.value.argument == argument
    if value in (1.0, 1.5) and value is not True:
        assert str(refused.value) == f"'{argument}' must be between 0 and 1; got {value!r}"


def test_a_delta_of_0_adds_levels_up():
    assert guarantees.composed_level(DISTRIBUTION, 2, distance=1.0, delta=0.0) == 1.0
    with pytest.raises(InvalidArgument, match=r"'delta' must be from 0 to less than 1; got 1\.0"):
        guarantees.composed_level(DISTRIBUTION, 2, distance=1.0, delta=1.0)
