"""The expected error of a circular mean of few responses, against simulation and closed forms."""

import numpy as np
import pytest
from sweeps import swept

from dirpriv.distributions import Purkayastha, Uniform, VonMisesFisher, WrappedLaplace
from dirpriv.estimators import (
    expected_circular_mean_error,
    expected_mean_error,
    normal_mean_error,
    sample_size_for_error,
)

# a correct value is refused with the probability 6e-5 in each of the cells: four standard errors
CELLS = [
    (Purkayastha(2, 1.0), 2), (Purkayastha(2, 2.5), 5), (WrappedLaplace(2.0), 16),
    (VonMisesFisher(2, 4.0), 18), (VonMisesFisher(2, 0.5), 40), (Purkayastha(2, 30.0), 3),
    (Purkayastha(2, 0.02), 30), (Purkayastha(2, 2e3), 2),
]  # fmt: skip


def simulated(distribution, n, draws=400_000):
    """Mean error of the circular mean of n responses and its standard error."""
    rng = np.random.default_rng(n)
    angles = distribution.angle_rvs((draws // n, n), rng=rng)
    signed = np.where(rng.random(angles.shape) < 0.5, angles, -angles)
    errors = np.abs(np.arctan2(np.sin(signed).sum(axis=1), np.cos(signed).sum(axis=1)))
    return errors.mean(), errors.std() / np.sqrt(len(errors))


@pytest.mark.parametrize(("distribution", "n"), CELLS, ids=lambda value: str(value))
def test_the_error_is_that_of_a_simulation(distribution, n):
    value, deviation = simulated(distribution, n)
    assert abs(expected_circular_mean_error(distribution, n) - value) < 4.0 * deviation + 5e-4 * value


def test_the_distribution_of_many_responses_is_seen_to_be_wrong_for_few():
    """Wrong variant."""
    distribution, n = CELLS[1]
    value, deviation = simulated(distribution, n)
    for error in (expected_mean_error, normal_mean_error):
        assert abs(error(distribution, n) - value) > 4.0 * deviation + 5e-4 * value


@pytest.mark.parametrize("kappa", [0.0, 1e-6, 1.0, 50.0, 6e7])
def test_one_response_has_the_mean_angle(kappa):
    distribution = Purkayastha(2, kappa)
    assert expected_circular_mean_error(distribution, 1) == pytest.approx(distribution.mean_angle(), rel=3e-4)


def test_many_responses_have_the_limit():
    distribution = VonMisesFisher(2, 0.5)
    assert expected_circular_mean_error(distribution, 3000) == pytest.approx(
        normal_mean_error(distribution, 3000), rel=2e-4
    )
    assert expected_circular_mean_error(Uniform(2), 20) == pytest.approx(np.pi / 2.0, rel=1e-6)


@pytest.mark.parametrize("distribution", [Purkayastha(2, 1 / np.pi), VonMisesFisher(2, 4.0), Purkayastha(2, 8 / np.pi)])
def test_fewer_people_are_not_enough(distribution):
    people = sample_size_for_error(distribution, 0.1)
    error = expected_circular_mean_error if people <= 200 else normal_mean_error
    assert error(distribution, people) <= 0.1 < error(distribution, people - 1)


def test_people_with_different_times_need_more():
    distribution, times = VonMisesFisher(2, 2.0), VonMisesFisher(2, 1.0)
    x = times.rvs([1.0, 0.0], 2000, rng=1)
    people = sample_size_for_error(distribution, 0.1, x=x)
    assert people > sample_size_for_error(distribution, 0.1)
    assert normal_mean_error(distribution, people, x=x) <= 0.1 < normal_mean_error(distribution, people - 1, x=x)


def test_people_at_the_extremes():
    assert sample_size_for_error(Purkayastha(2, 1e6), 0.1) == 1
    assert sample_size_for_error(Purkayastha(2, 1e-6), 0.1) == pytest.approx(7.9e13, rel=0.02)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="'n' must be"):
        expected_circular_mean_error(Purkayastha(2, 1.0), 0)
    with pytest.raises(ValueError, match=r"'distribution' must be one on the circle"):
        expected_circular_mean_error(Purkayastha(3, 1.0), 5)
    with pytest.raises(ValueError, match="'error' must be below π/2"):
        sample_size_for_error(Purkayastha(2, 1.0), 1.6)
    with pytest.raises(ValueError, match="mean cosine of the distribution"):
        sample_size_for_error(Uniform(2), 0.1)


@pytest.mark.parametrize("distribution", [Purkayastha(2, 1.0), Purkayastha(2, 30.0), VonMisesFisher(2, 300.0)])
@pytest.mark.parametrize("n", [400, *swept((1000,)), 10**9])
def test_many_responses_are_nearly_normal(distribution, n):
    assert expected_circular_mean_error(distribution, n) == pytest.approx(normal_mean_error(distribution, n), rel=2e-3)
