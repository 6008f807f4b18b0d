"""Entropies against SciPy, closed forms and quadrature."""

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from dirpriv.distributions import PolarLaplace, Purkayastha, RotationLaplace, RotationUniform, Uniform, VonMisesFisher


@pytest.mark.parametrize("kappa", [1e-3, 1.0, 30.0, 1e4])
@pytest.mark.parametrize("dim", [2, 3, 10])
def test_von_mises_fisher_as_scipy(dim, kappa):
    expected = stats.vonmises_fisher(np.eye(1, dim)[0], kappa).entropy() if dim > 2 else stats.vonmises(kappa).entropy()
    entropy = VonMisesFisher(dim, kappa).entropy()
    assert type(entropy) is float and np.isclose(entropy, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("dim", [2, 3, 7, 1000])
def test_uniform(dim):
    area = np.log(2.0) + dim / 2 * np.log(np.pi) - gammaln(dim / 2)
    assert np.isclose(Uniform(dim).entropy(), area, rtol=1e-12, atol=0.0)
    assert np.isclose(Purkayastha(dim, 0.0).entropy(), area, rtol=1e-12, atol=0.0)
    assert abs(RotationUniform().entropy()) < 1e-14


@pytest.mark.parametrize("kappa", [1e-6, 0.5, 20.0, 6e7])
def test_purkayastha_on_the_circle(kappa):
    """log Z + κ E θ, Z = 2 (1 - exp(-κπ))/κ."""
    distribution = Purkayastha(2, kappa)
    expected = np.log(-2.0 * np.expm1(-kappa * np.pi) / kappa) + kappa * distribution.mean_angle()
    assert np.isclose(distribution.entropy(), expected, rtol=1e-12, atol=1e-12)


def entropy_of_polar_laplace(kappa):
    distribution = PolarLaplace(kappa)
    normalizer = mpmath.mpf(distribution.log_normalizer())

    def integrand(theta):
        weight = sum(
            kappa * abs(theta + 2 * mpmath.pi * k) * mpmath.exp(-kappa * abs(theta + 2 * mpmath.pi * k))
            for k in range(-7, 8)  # of κ = 1 or more, what is left out is below 1e-17
        ) * -mpmath.expm1(-2 * mpmath.pi * kappa)
        log_density = mpmath.log(weight / mpmath.sin(theta)) - normalizer
        return -2 * mpmath.pi * weight * mpmath.exp(-normalizer) * log_density

    with mpmath.workdps(16):
        return float(mpmath.quad(integrand, [0, 1, mpmath.pi]))


@pytest.mark.parametrize("kappa", [1.0, 5.0])
def test_polar_laplace_with_its_two_poles(kappa):
    assert np.isclose(PolarLaplace(kappa).entropy(), entropy_of_polar_laplace(kappa), rtol=1e-10, atol=0.0)


def test_extremes():
    for distribution in (
        VonMisesFisher(3, 6e7),
        Purkayastha(3, 6e7),
        VonMisesFisher(100_000, 1e3),
        RotationLaplace(1e6),
    ):
        assert np.isfinite(distribution.entropy())
    # of Fisher's distribution: log(4π sinh κ/κ) - κ coth κ + 1 = log(2πe/κ)
    assert np.isclose(VonMisesFisher(3, 6e7).entropy(), np.log(2 * np.pi / 6e7) + 1.0, rtol=1e-12, atol=0.0)
