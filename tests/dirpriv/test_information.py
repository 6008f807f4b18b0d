"""Entropies and divergences against SciPy, closed forms and quadrature; small ones to their digits."""

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from dirpriv.laws import (
    FoldedVonMisesFisher,
    PolarLaplace,
    Purkayastha,
    RotationBingham,
    RotationLaplace,
    RotationUniform,
    Uniform,
    VonMisesFisher,
    WrappedLaplace,
)
from dirpriv.laws.shared import information


@pytest.mark.parametrize("kappa", [1e-3, 1.0, 30.0, 1e4])
@pytest.mark.parametrize("dim", [2, 3, 10])
def test_von_mises_fisher_as_scipy(dim, kappa):
    expected = (
        stats.vonmises_fisher(np.eye(1, dim)[0], kappa).entropy()
        if dim > 2
        else stats.vonmises(kappa).entropy()
    )
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
    law = Purkayastha(2, kappa)
    expected = np.log(-2.0 * np.expm1(-kappa * np.pi) / kappa) + kappa * law.mean_angle()
    assert np.isclose(law.entropy(), expected, rtol=1e-12, atol=1e-12)


def entropy_of_polar_laplace(kappa):
    law = PolarLaplace(kappa)
    normalizer = mpmath.mpf(law.log_normalizer())

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


PAIRS = [
    (VonMisesFisher(3, 5.0), VonMisesFisher(3, 9.0)),
    (Purkayastha(3, 5.0), VonMisesFisher(3, 2.0)),
    (Purkayastha(2, 1.0), WrappedLaplace(1.0)),
    (VonMisesFisher(40, 50.0), Purkayastha(40, 20.0)),
    (RotationLaplace(2.0), RotationBingham(4.0)),
    (FoldedVonMisesFisher(5.0), RotationUniform()),
    (VonMisesFisher(3, 5.0), Uniform(3)),
]


@pytest.mark.parametrize(("law", "other"), PAIRS, ids=lambda law: repr(law))
def test_divergence_by_quadrature(law, other):
    """Of the angles: the elements of the space cancel."""
    theta = (np.arange(50_000) + 0.5) / 50_000 * np.pi
    p, log_ratio = law.angle_pdf(theta), law.angle_logpdf(theta) - other.angle_logpdf(theta)
    expected = float(np.sum(np.where(p > 0.0, p * log_ratio, 0.0)) * np.pi / 50_000)
    assert np.isclose(law.kl_divergence(other), expected, rtol=2e-8, atol=0.0)
    assert type(law.kl_divergence(other)) is float and law.kl_divergence(law) == 0.0
    if isinstance(other, (Uniform, RotationUniform)):
        assert np.isclose(law.kl_divergence(other), other.entropy() - law.entropy(), rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("change", [1e-3, 1e-6])
def test_small_divergences_keep_their_digits(change):
    """½ Var(θ) (Δκ)² to first order; the difference of two entropies would be rounding by 1e-6."""
    law, other = Purkayastha(3, 4.0), Purkayastha(3, 4.0 + change)
    mean = law.mean_angle()
    variance = law.expectation(lambda theta: (theta - mean) ** 2)
    first_order = 0.5 * variance * (other.kappa - 4.0) ** 2
    assert law.kl_divergence(other) == pytest.approx(first_order, rel=max(change, 1e-8) * 3, abs=0.0)


@pytest.mark.parametrize("kappa", [0.5, 5.0, 1e4])
@pytest.mark.parametrize("change", [1e-5, 1e-7])
def test_small_divergences_of_fisher_laws_with_60_digits(kappa, change):
    """log of the constants κ/sinh κ, and (κ - κ') times the mean cosine coth κ - 1/κ."""
    law, other = VonMisesFisher(3, kappa), VonMisesFisher(3, kappa * (1.0 + change))
    with mpmath.workdps(60):
        k, other_k = mpmath.mpf(law.kappa), mpmath.mpf(other.kappa)
        constants = mpmath.log(k / other_k) + mpmath.log(mpmath.sinh(other_k) / mpmath.sinh(k))
        exact = float(constants + (k - other_k) * (mpmath.coth(k) - 1 / k))
    assert law.kl_divergence(other) == pytest.approx(exact, rel=1e-5, abs=0.0)


def test_extremes():
    for law in (
        VonMisesFisher(3, 6e7),
        Purkayastha(3, 6e7),
        VonMisesFisher(100_000, 1e3),
        RotationLaplace(1e6),
    ):
        assert np.isfinite(law.entropy()) and law.kl_divergence(type(law)(*_arguments(law, 2.0))) > 0.0
    # of Fisher's law: log(4π sinh κ/κ) - κ coth κ + 1 = log(2πe/κ)
    assert np.isclose(VonMisesFisher(3, 6e7).entropy(), np.log(2 * np.pi / 6e7) + 1.0, rtol=1e-12, atol=0.0)


def _arguments(law, factor):
    return (law.dim, law.kappa * factor) if hasattr(law, "dim") else (law.kappa * factor,)


def test_refusals():
    for other in (VonMisesFisher(2, 1.0), RotationLaplace(1.0), np.cos, None):
        with pytest.raises(ValueError, match="'other' must be a law on the space of"):
            VonMisesFisher(3, 1.0).kl_divergence(other)


def test_the_excess_of_a_loss_keeps_its_digits():
    for r in (-5.0, -0.031, -0.029, -1e-9, 1e-9, 0.01, 0.0299, 0.0301, 2.0):
        with mpmath.workdps(40):
            exact = float(mpmath.mpf(r) + mpmath.exp(-mpmath.mpf(r)) - 1)
        assert information._excess(np.float64(r)) == pytest.approx(exact, rel=1e-12, abs=0.0)
