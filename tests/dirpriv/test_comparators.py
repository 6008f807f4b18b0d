"""Other samplers of von Mises-Fisher: they draw from its distribution, and SciPy's is one of them."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ks_refuses
from sweeps import swept, thinned

from dirpriv.distributions import VonMisesFisher
from study.experiments.sampling import comparators

DRAWS = 20_000  # of each Kolmogorov-Smirnov test; its error rate: see statistics_of_draws.py


def refused(angles, dim, kappa):
    return ks_refuses(angles, VonMisesFisher(dim, kappa).angle_cdf)


@pytest.mark.parametrize(("dim", "kappa"), [(3, 2.0), (5, 0.1), (201, 1e4), *swept((11, 10.0), (51, 100.0))])
def test_kurz_hanebeck_draws_from_the_distribution(dim, kappa):
    """After five halvings it is caught, and so is a sum with one term too many: that of n + 2."""

    def refused_after(halvings, terms_too_many):
        cdf = partial(comparators.odd_cdf, distribution=VonMisesFisher(dim + 2 * terms_too_many, kappa))
        draws = comparators.bisection_rvs(cdf, DRAWS // 2, halvings, rng=1)
        return refused(draws, dim, kappa)

    assert not refused_after(53, 0)
    assert refused_after(5, 0) and refused_after(20, 1)


@pytest.mark.parametrize(("dim", "kappa"), thinned([3, 5, 25, 101, 1001, 20_001], [1e-3, 1.0, 30.0, 1e3, 1e6, 6e7]))
def test_odd_cdf_has_absolute_precision(dim, kappa):
    distribution = VonMisesFisher(dim, kappa)
    theta = np.concatenate([np.linspace(1e-9, np.pi, 9), distribution.angle_ppf([1e-12, 0.01, 0.3, 0.7, 0.99])])
    assert np.abs(comparators.odd_cdf(theta, distribution) - distribution.angle_cdf(theta)).max() < 4e-13


@pytest.mark.parametrize("kappa", [1e-3, 0.1, 10.0, 49.0, 51.0, 1e3, 1e6])
def test_cdfs_of_circle_and_sphere_have_their_precision(kappa):
    """SciPy's is nearly normal from κ = 50 on."""
    for dim, cdf, error in (
        (2, comparators.circle_cdf, 1e-12 if kappa < 50 else 1e-5),
        (3, comparators.sphere_cdf, 1e-14),
    ):
        distribution = VonMisesFisher(dim, kappa)
        theta = np.concatenate([np.linspace(0.0, np.pi, 9), distribution.angle_ppf([1e-6, 0.01, 0.3, 0.7, 0.99])])
        assert np.abs(cdf(theta, kappa) - distribution.angle_cdf(theta)).max() < error


@pytest.mark.parametrize("kappa", [0.1, 10.0, 1e6])
def test_explicit_inverse_draws_from_the_distribution(kappa):
    """Another concentration is caught."""
    angles = comparators.sphere_inverse_rvs(kappa, DRAWS, rng=1)
    assert not refused(angles, 3, kappa) and refused(angles, 3, 1.5 * kappa + 0.2)


@pytest.mark.parametrize(("dim", "kappa"), [(2, 0.5), (3, 10.0), (10, 1.0), (100, 50.0), (1000, 1e4)])
def test_ulrich_wood_draws_from_the_distribution(dim, kappa):
    """Without the rejection, where it rejects enough, it is caught."""
    angles = comparators.rejection_rvs(dim, kappa, DRAWS, rng=1)
    assert not refused(angles, dim, kappa)
    if dim < 10:
        y = wood_proposals(dim, kappa, DRAWS, np.random.default_rng(1))[0]
        assert refused(np.arccos(1.0 - y), dim, kappa)


def wood_proposals(dim, kappa, size, rng):
    """Proposals of 1 - cos θ by a transformed beta distribution, and the logarithm of their acceptance (Wood 1994)."""
    d = dim - 1.0
    b = d / (2.0 * kappa + np.hypot(2.0 * kappa, d))
    beta, x0 = rng.beta(d / 2.0, d / 2.0, size), (1.0 - b) / (1.0 + b)
    w = (1.0 - (1.0 + b) * beta) / (1.0 - (1.0 - b) * beta)
    ratio = kappa * (w - x0) + d * (np.log1p(-x0 * w) - np.log1p(-x0 * x0))
    return 1.0 - w, ratio


@pytest.mark.parametrize(("dim", "kappa"), [(4, 1.0), (10, 3.0), (100, 20.0)])
def test_scipy_is_ulrich_wood(dim, kappa):
    """Its cosines are the proposals that Wood's rule accepts, from the same random numbers."""
    mu = np.eye(1, dim)[0]
    cosines = stats.vonmises_fisher(mu, kappa, seed=np.random.default_rng(1)).rvs(1000) @ mu
    rng = np.random.default_rng(1)
    y, ratio = wood_proposals(dim, kappa, 1000, rng)
    kept = 1.0 - y[ratio > np.log(rng.random(1000))]
    assert len(kept) > 600 and np.allclose(cosines[: len(kept)], kept, rtol=0, atol=1e-12)
    assert not refused(np.arccos(cosines), dim, kappa)
