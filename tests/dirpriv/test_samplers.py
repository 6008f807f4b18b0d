"""The samplers draw exactly from their laws. Error rate and sample size: see statistics_of_draws.py."""

import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ALPHA, DRAWS, assert_drawn_from, assert_not_drawn_from, ks_p_value

from dirpriv import geometry
from dirpriv.laws import Purkayastha, Uniform, VonMisesFisher, WrappedLaplace

KAPPAS = (0.0, 1e-6, 1e-3, 0.2, 0.3, 0.6, 1.0, 3.0, 10.0, 1e3, 1e6, 6e7)
CIRCLE = [
    Uniform(2),
    *[law(2, kappa) for law in (Purkayastha, VonMisesFisher) for kappa in KAPPAS],
    *[WrappedLaplace(kappa) for kappa in KAPPAS],
]
SPHERES = [
    Uniform(3),
    Uniform(50),
    *[
        law(dim, kappa)
        for law in (Purkayastha, VonMisesFisher)
        for dim in (3, 4, 5, 7, 50, 100_000)
        for kappa in (0.0, 0.7, 30.0, 6e7)
    ],
]


@pytest.mark.parametrize("seed, law", list(enumerate(CIRCLE)), ids=lambda value: repr(value))
def test_angles_on_the_circle(seed, law):
    assert_drawn_from(law.angle_rvs(DRAWS, rng=seed), law)


@pytest.mark.parametrize("seed, law", list(enumerate(SPHERES, 1000)), ids=lambda value: repr(value))
def test_angles_on_spheres(seed, law):
    assert_drawn_from(law.angle_rvs(20_000, rng=seed), law)


def test_p_values_are_uniform():
    """Over all cells at once a small common flaw would show; error rate ALPHA, for exact p-values."""
    p_values = [
        ks_p_value(law.angle_rvs(5_000, rng=seed), law) for seed, law in enumerate(CIRCLE + SPHERES, 2000)
    ]
    assert stats.kstest(p_values, "uniform").pvalue > ALPHA


@pytest.mark.parametrize("kappa", [1.0, 10.0, 1e3, 6e7])
def test_wrong_concentration_is_caught(kappa):
    for law in (Purkayastha, VonMisesFisher):
        assert_not_drawn_from(law(2, 1.05 * kappa).angle_rvs(DRAWS, rng=3), law(2, kappa))
    assert_not_drawn_from(WrappedLaplace(1.05 * kappa).angle_rvs(DRAWS, rng=3), WrappedLaplace(kappa))


def test_other_wrong_samplers_are_caught():
    rng = np.random.default_rng(4)
    # exponential clipped at π instead of taken modulo π
    assert_not_drawn_from(np.minimum(rng.standard_exponential(DRAWS), np.pi), Purkayastha(2, 1.0))
    # wrapped Laplace in the place of Purkayastha, and the other way round
    assert_not_drawn_from(WrappedLaplace(0.5).angle_rvs(DRAWS, rng=rng), Purkayastha(2, 0.5))
    assert_not_drawn_from(Purkayastha(2, 0.5).angle_rvs(DRAWS, rng=rng), WrappedLaplace(0.5))
    # one power of sin θ missing
    assert_not_drawn_from(Purkayastha(3, 2.0).angle_rvs(20_000, rng=rng), Purkayastha(4, 2.0))
    assert_not_drawn_from(VonMisesFisher(9, 2.0).angle_rvs(20_000, rng=rng), VonMisesFisher(10, 2.0))


@pytest.mark.parametrize(
    "law", [Purkayastha(2, 2.0), VonMisesFisher(2, 2.0), WrappedLaplace(2.0), Purkayastha(3, 2.0)], ids=repr
)
def test_vectors_have_the_angle_and_go_both_ways(law):
    mu = np.array([0.8, 0.6] if law.dim == 2 else [0.48, 0.6, -0.64])
    x = law.rvs(mu, DRAWS, rng=5)
    assert np.abs(np.linalg.norm(x, axis=1) - 1.0).max() <= 1e-15
    assert_drawn_from(geometry.angular_distance(x, mu), law)
    across = np.array([-0.6, 0.8] if law.dim == 2 else [0.0, -0.64, -0.6])
    left = int(np.sum(x @ across > 0))
    p = stats.binomtest(left, DRAWS).pvalue
    assert p > ALPHA, f"directions lean to one side (p = {p:.1e}, error rate {ALPHA})"
    assert stats.binomtest(int(DRAWS * 0.51), DRAWS).pvalue < ALPHA  # a lean of 1 % is caught


def test_directions_are_uniform_around_the_mode():
    mu = np.array([0.0, -0.6, 0.8])
    x = Purkayastha(3, 5.0).rvs(mu, DRAWS, rng=6)
    first = np.array([1.0, 0.0, 0.0])
    azimuth = np.arctan2(x @ np.cross(mu, first), x @ first)
    assert stats.kstest(azimuth, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > ALPHA
    lean = azimuth + 0.05 * np.sin(azimuth)
    assert stats.kstest(lean, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue < ALPHA


def test_one_draw_around_each_row():
    mu = geometry.angles_to_vectors(np.linspace(0.0, 6.0, DRAWS))
    x = Purkayastha(2, 4.0).rvs(mu, rng=7)
    assert_drawn_from(geometry.angular_distance(x, mu), Purkayastha(2, 4.0))


def test_tiny_angles_keep_their_digits():
    law = Purkayastha(2, 6e7)
    angles = law.angle_rvs(1000, rng=8)
    x = geometry.tangent_normal(np.array([1.0, 0.0]), angles, rng=9)
    assert np.abs(geometry.angular_distance(x, [1.0, 0.0]) - angles).max() < 1e-15


def test_same_seed_same_draws_and_no_seed_other_draws():
    law = VonMisesFisher(2, 1.0)
    assert np.array_equal(law.angle_rvs(9, rng=1), law.angle_rvs(9, rng=1))
    assert not np.array_equal(law.angle_rvs(9), law.angle_rvs(9))


@pytest.mark.parametrize("kappa", [1e12, 1e17, 1e150])
def test_extreme_concentrations_do_not_hang(kappa):
    for law in (
        Purkayastha(2, kappa),
        VonMisesFisher(2, kappa),
        WrappedLaplace(kappa),
        VonMisesFisher(10, kappa),
    ):
        angles = law.angle_rvs(1000, rng=10)
        assert np.all((angles >= 0) & (angles < 100 * law.mean_angle() + 1e-290))


@pytest.mark.sweep
@pytest.mark.parametrize("law", [Purkayastha, VonMisesFisher])
@pytest.mark.parametrize("dim", [2, 3, 4, 5, 10, 50, 150, 1000, 10_000, 100_000])
def test_sweep_of_dimensions_and_concentrations(law, dim):
    for kappa in (0.0, 1e-3, 0.3, 1.0, 10.0, 1e3, 1e6, 6e7):
        seed = hash((law.__name__ == "Purkayastha", dim, kappa)) % 2**32
        assert_drawn_from(law(dim, kappa).angle_rvs(1_000_000, rng=seed), law(dim, kappa))
