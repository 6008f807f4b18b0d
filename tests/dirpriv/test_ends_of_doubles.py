"""Concentrations, levels and probabilities near the ends of the doubles: no over- or underflow."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dirpriv import InvalidArgument, estimators, guarantees
from dirpriv.distributions import (
    Cardioid,
    ChordalLaplace,
    FoldedPurkayastha,
    FoldedVonMisesFisher,
    PlanarLaplace,
    Purkayastha,
    RotationLaplace,
    VectorLaplace,
    VonMisesFisher,
    WrappedLaplace,
)
from dirpriv.mechanisms import (
    FoldedPurkayasthaMechanism,
    FoldedVonMisesFisherMechanism,
    GaussianSum,
    VectorLaplaceSum,
    WrappedLaplaceMechanism,
)


def near(value, relative=1e-12):
    return pytest.approx(value, rel=relative, abs=0.0)


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# ------------------------------------------------------------------------- quantiles, densities and draws


def test_the_farthest_radii():
    """Of subnormal probabilities: with 50 digits, and as the distribution of vectors of length 2 has them."""
    distribution, parent = PlanarLaplace(1.0), VectorLaplace(2, 1.0)
    assert distribution.radius_isf(1e-323) == near(750.36882137, 1e-10)  # of the double 9.88e-324
    for q in (1e-290, 0.9e-300, 1e-305, 1e-320, 5e-324):
        assert distribution.radius_isf(q) == near(parent.radius_isf(q))


def test_the_tail_of_a_narrow_distribution_of_rotations_is_that_of_a_gamma_distribution():
    """κθ is a gamma variable of shape 3, of all distributions that fall like exp(-κθ) at the mode."""
    for kappa in (1e18, 1e50, 1e140):
        assert RotationLaplace(kappa).angle_isf(1e-300) * kappa == near(703.1964976)
        assert ChordalLaplace(kappa).angle_isf(1e-300) * kappa == near(703.1964976)


def test_quantiles_of_a_distribution_that_is_nearly_even():
    u = np.array([1e-16, 1e-20, 1e-50])
    for kappa in (1e-300, 1e-18, 1e-10):
        assert Purkayastha(2, kappa).angle_ppf(u) == near(np.pi * u, 1e-9)


def test_densities_of_points_that_are_far_away():
    distribution = VectorLaplace(2, 1e-200)
    assert distribution.logpdf([1e200, 0.0], [0.0, 0.0]) == near(-1.0 + 2.0 * np.log(1e-200) - np.log(2.0 * np.pi))
    assert np.isfinite(distribution.logpdf(distribution.rvs(np.zeros(2), 10, rng=1), np.zeros(2))).all()
    assert VectorLaplace(2, 1.0).logpdf([[1e200, 0.0], [1.0, 0.0]], [0.0, 0.0]) == near(
        np.array([-1e200, -1.0 - np.log(2.0 * np.pi)])
    )


@pytest.mark.parametrize("kappa", [1e103, 1e110, 1e150])
def test_draws_of_narrow_chordal_distributions_have_one_form(kappa):
    angles = ChordalLaplace(kappa).rvs(Rotation.identity(), 5, rng=1).magnitude() * kappa
    assert angles == near(ChordalLaplace(1e100).rvs(Rotation.identity(), 5, rng=1).magnitude() * 1e100)


# --------------------------------------------------------------------------------------------- levels


@pytest.mark.parametrize("epsilon", [1e-17, 1e-20, 1e-31, 1e-40, 1e-200, 1e-300])
@pytest.mark.parametrize(
    "mechanism", [WrappedLaplaceMechanism, FoldedPurkayasthaMechanism, FoldedVonMisesFisherMechanism]
)
def test_tiny_levels_are_kept(mechanism, epsilon):
    """As many steps as there are: κ is near the root of the level, far from where a search begins."""
    assert mechanism(epsilon).guarantee.metric_level == near(epsilon, 4e-16)


@pytest.mark.parametrize("distribution", [WrappedLaplace, FoldedPurkayastha, FoldedVonMisesFisher])
def test_no_level_is_0_that_is_positive(distribution):
    """They are in proportion to κ², which underflows; the least double is above them."""
    for kappa in (1e-163, 1e-170, 1e-300):
        assert distribution(kappa).pure_level() == distribution(kappa).metric_level() == 5e-324
    assert distribution(0.0).pure_level() == distribution(0.0).metric_level() == 0.0


@pytest.mark.parametrize(
    ("distribution", "level"),
    [(Purkayastha(2, 240.0), 240.0 * np.pi), (VonMisesFisher(2, 400.0), 800.0), (Purkayastha(2, 1e5), 1e5 * np.pi)],
)
def test_shuffling_hides_no_response_of_a_large_level(distribution, level):
    """Its density underflows at the far side, but falls and is not 0."""
    assert guarantees.shuffled_level(distribution, 1000, 1e-6) == near(level)
    assert guarantees.shuffled_delta(distribution, 1000, 0.5 * level) == 1.0
    assert guarantees.shuffled_delta(distribution, 1000, level) == 0.0


def test_shuffling_at_the_least_delta():
    assert guarantees.shuffled_level(Purkayastha(2, 0.5), 1000, 5e-324) == near(0.5 * np.pi)


@pytest.mark.parametrize("kappa", [1e-4, 1e-6, 1e-8, 1e-10, 1e-100])
def test_the_cost_of_shuffling_distributions_that_are_nearly_even(kappa):
    for dim in (2, 10):
        assert guarantees.shuffled_sample_size_ratio(Cardioid(dim, kappa)) == near(1.0)
    assert guarantees.shuffled_sample_size_ratio(Purkayastha(2, kappa)) == near(np.pi**4 / 96.0, 1e-8)


# ------------------------------------------------------------------------------------ errors and people


@pytest.mark.parametrize("kappa", [1e8, 1e10, 1e20, 1e150])
def test_errors_of_narrow_distributions(kappa):
    """On a line: 1/κ of one response, and of the mean of n normal ones √(2/(π n κ)), to what is promised."""
    assert estimators.expected_circular_mean_error(Purkayastha(2, kappa), 1) * kappa == near(1.0, 5e-4)
    of_two = estimators.expected_circular_mean_error(VonMisesFisher(2, kappa), 2)
    assert of_two * np.sqrt(kappa) == near(np.pi**-0.5, 5e-4)


def test_numbers_of_people_beyond_doubles():
    for sums in (GaussianSum(1.0, 1e-5), VectorLaplaceSum(1.0)):
        with pytest.raises(InvalidArgument, match="'error' is too small"):
            sums.sample_size(1e-300)
        with pytest.raises(InvalidArgument, match="'people' must be at most 1e300"):
            sums.expected_error(10**400)
    with pytest.raises(InvalidArgument, match="'distribution' is too near the uniform distribution"):
        estimators.sample_size_for_error(VonMisesFisher(2, 1e-160), 0.1)
    assert estimators.sample_size_for_error(VonMisesFisher(2, 1e-100), 0.1) > 10**200
