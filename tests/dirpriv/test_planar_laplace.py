"""The planar Laplace distribution: quantiles against many digits, draws in the plane and on the globe."""

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.special import lambertw
from statistics_of_draws import DRAWS, ks_refuses

from dirpriv.distributions import PlanarLaplace, PolarLaplace, VectorLaplace
from dirpriv.geometry import earth


@pytest.mark.parametrize(
    "u", [*10.0 ** -np.array([300.0, 100, 30, 19, 17, 16, 8, 3, 1]), 0.19999999, 0.2, 0.3, 0.5, 0.9, 0.999999]
)
def test_quantiles_to_the_last_digits(u):
    distribution = PlanarLaplace(1.0)
    with mpmath.workdps(700):
        x = mpmath.mpf(float(distribution.radius_ppf(u)))
        slope = x * mpmath.exp(-x)
        error = (1 - (1 + x) * mpmath.exp(-x) - mpmath.mpf(float(u))) / slope / x
        assert abs(error) < 4e-15
        x = mpmath.mpf(float(distribution.radius_isf(u)))
        error = ((1 + x) * mpmath.exp(-x) - mpmath.mpf(float(u))) / (x * mpmath.exp(-x)) / x
        assert abs(error) < 4e-15


def test_lambert_alone_loses_small_quantiles():
    """Andrés et al.'s form as it stands, at u = 1e-14: its argument is rounded next to the branch point."""
    alone = -1.0 - lambertw((1e-14 - 1.0) / np.e, -1).real
    assert abs(alone / np.sqrt(2e-14) - 1) > 1e-4
    assert abs(PlanarLaplace(1.0).radius_ppf(1e-14) / (np.sqrt(2e-14) * (1 + np.sqrt(2e-14) / 3)) - 1) < 1e-13


def test_it_is_the_vector_distribution_in_two_dimensions():
    distribution, general, r = PlanarLaplace(0.02), VectorLaplace(2, 0.02), np.array([0.0, 1e-9, 3.0, 100.0, 3e4])
    assert distribution.dim == 2 and repr(distribution) == "PlanarLaplace(kappa=0.02)"
    for name in ("radius_pdf", "radius_cdf", "radius_sf"):
        assert np.allclose(getattr(distribution, name)(r), getattr(general, name)(r), rtol=1e-13, atol=0.0)
    assert distribution.log_normalizer() == general.log_normalizer()
    assert np.isclose(distribution.log_normalizer(), np.log(2 * np.pi / 0.02**2), rtol=1e-15, atol=0.0)
    assert np.array_equal(distribution.rvs([1.0, 2.0], 9, rng=1), general.rvs([1.0, 2.0], 9, rng=1))
    assert distribution.radius_ppf([0.0, 1.0]).tolist() == [0.0, np.inf] == distribution.radius_isf([1.0, 0.0]).tolist()
    assert np.isnan(distribution.radius_ppf([-0.1, 1.1, np.nan])).all()
    assert (
        distribution.radius_sf(np.inf) == 0.0
        and distribution.radius_sf(-1.0) == 1.0
        and np.isnan(distribution.radius_sf(np.nan))
    )


@pytest.mark.parametrize("place", [(40.75, -73.98), (-17.0, 179.9995), (89.9999, 5.0), (-90.0, 0.0)])
def test_draws_around_places(place):
    """Metres from the place are gamma, bearings uniform, across the antimeridian and at the poles."""
    distribution = PlanarLaplace(0.01)
    drawn = distribution.rvs_places(place, DRAWS, rng=1)
    metres = earth.great_circle_distance(place, drawn)
    assert not ks_refuses(metres, distribution.radius_cdf)
    x = earth.places_to_vectors(drawn)
    turn = np.deg2rad(place[1])
    east = np.array([-np.sin(turn), np.cos(turn), 0.0])
    north = np.cross(earth.places_to_vectors(place), east)
    bearing = np.arctan2(x @ east, x @ north)
    uniform = stats.uniform(-np.pi, 2 * np.pi).cdf
    assert not ks_refuses(bearing, uniform)


def test_metres_as_degrees_are_caught():
    """The common mistakes: an exponential radius, and a degree of longitude taken for one of latitude."""
    distribution, place, rng = PlanarLaplace(0.01), np.array([59.91, 10.75]), np.random.default_rng(2)
    exponential = earth.destination(place, 2 * np.pi * rng.random(DRAWS), rng.standard_exponential(DRAWS) / 0.01)
    assert ks_refuses(earth.great_circle_distance(place, exponential), distribution.radius_cdf)
    flat = place + np.rad2deg(distribution.rvs([0.0, 0.0], DRAWS, rng=rng) / earth.EARTH_RADIUS)
    assert ks_refuses(earth.great_circle_distance(place, flat), distribution.radius_cdf)


def test_on_the_globe_it_is_polar_laplace():
    """With means of a third of the Earth's turn the walks go past the antipode: angles fold."""
    kappa = 1.5 / earth.EARTH_RADIUS
    place = [10.0, 20.0]
    drawn = PlanarLaplace(kappa).rvs_places(place, DRAWS, rng=3)
    angle = earth.great_circle_distance(place, drawn, radius=1.0)
    assert not ks_refuses(angle, PolarLaplace(1.5).angle_cdf)
    assert ks_refuses(angle, PlanarLaplace(1.5).radius_cdf)


def test_one_draw_per_place_and_bad_places():
    distribution = PlanarLaplace(0.01)
    places = np.array([[0.0, 0.0], [10.0, 10.0], [89.0, -170.0]])
    drawn = distribution.rvs_places(places, rng=1)
    assert drawn.shape == (3, 2) and earth.great_circle_distance(places, drawn).max() < 5000.0
    assert distribution.rvs_places(places[0]).shape == (2,) and distribution.rvs_places(places[0], (4, 5)).shape == (
        4,
        5,
        2,
    )
    with pytest.raises(ValueError, match="latitudes in"):
        distribution.rvs_places([91.0, 0.0])
    with pytest.raises(ValueError, match="'size' goes with a single place"):
        distribution.rvs_places(places, 3)
    with pytest.raises(ValueError, match="'kappa' must be positive"):
        PlanarLaplace(0.0)
