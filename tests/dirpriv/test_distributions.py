"""The rotationally symmetric distributions: against high precision, against each other, and at the extremes."""

from itertools import pairwise
from pathlib import Path

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import integrate

from dirpriv import distributions
from dirpriv.distributions import Cardioid, PolarLaplace, Purkayastha, Uniform, VonMisesFisher, WrappedLaplace

REFERENCE = pd.read_csv(Path(__file__).parent / "reference" / "sphere.csv")
DISTRIBUTIONS = {"purkayastha": Purkayastha, "von_mises_fisher": VonMisesFisher}
EPSILON = np.finfo(float).eps


def value_of(distribution, quantity, theta):
    match quantity:
        case "log_normalizer_angle":
            return (
                distribution.log_normalizer() - distribution._log_area
                if distribution.dim < 50
                else (distribution._log_element_part + distribution._log_kernel_at_peak())
            )
        case "log_normalizer_surface":
            return distribution.log_normalizer()
        case "mean_angle" | "mean_chord":
            return getattr(distribution, quantity)()
        case "cdf" | "sf":
            return getattr(distribution, f"angle_{quantity}")(theta)


def allowed(quantity, dim, exact):
    if quantity.startswith("log"):
        return max(1e-13, 2e-15 * abs(exact))
    if quantity.startswith("mean"):
        return 1e-14 * exact
    # beyond n = 10 000 the angle's own rounding moves the probability by more than the method does
    return (5e-12 if dim >= 10_000 else 1e-12) * exact


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("dim", sorted(REFERENCE["dim"].unique()))
def test_reference_values(name, dim):
    rows = REFERENCE[(REFERENCE["distribution"] == name) & (REFERENCE["dim"] == dim)]
    assert len(rows) >= 30
    for kappa, group in rows.groupby("kappa"):
        distribution = DISTRIBUTIONS[name](dim, kappa)
        for row in group.itertuples():
            got = value_of(distribution, row.quantity, row.theta)
            assert abs(got - row.value) <= allowed(row.quantity, dim, row.value), (kappa, row, got)


CIRCLE = [
    Uniform(2),
    *[distribution(2, kappa) for distribution in DISTRIBUTIONS.values() for kappa in (0.0, 1e-6, 0.3, 1.0, 20.0, 6e7)],
    *[WrappedLaplace(kappa) for kappa in (0.0, 1e-6, 0.3, 1.0, 20.0, 6e7)],
]
SPHERES = [
    Uniform(3),
    Uniform(40),
    *[distribution(dim, 3.0) for distribution in DISTRIBUTIONS.values() for dim in (3, 4, 10, 100)],
]


@pytest.mark.parametrize("distribution", CIRCLE + SPHERES, ids=repr)
def test_density_cdf_and_survival_agree(distribution):
    middle = distribution.angle_ppf(np.array([0.001, 0.1, 0.5, 0.9, 0.999]))
    assert np.allclose(distribution.angle_cdf(middle) + distribution.angle_sf(middle), 1.0, rtol=0, atol=1e-12)
    for low, high in pairwise(middle):
        area = integrate.quad(distribution.angle_pdf, low, high, epsabs=0, epsrel=1e-11)[0]
        assert np.isclose(area, distribution.angle_cdf(high) - distribution.angle_cdf(low), rtol=1e-10, atol=0.0)
    assert distribution.angle_cdf(0.0) == distribution.angle_sf(np.pi) == 0.0
    assert distribution.angle_cdf(np.pi) == distribution.angle_sf(0.0) == 1.0
    assert distribution.angle_pdf(-0.1) == distribution.angle_pdf(3.2) == 0.0
    assert np.isnan(distribution.angle_cdf(np.nan)) and np.isnan(distribution.angle_pdf(np.nan))


@pytest.mark.parametrize("distribution", CIRCLE + SPHERES, ids=repr)
def test_quantiles_return_what_they_were_given(distribution):
    u = np.concatenate([10.0 ** -np.array([300, 100, 30, 8, 2]), np.linspace(0.05, 0.5, 10)])
    assert np.allclose(distribution.angle_cdf(distribution.angle_ppf(u)), u, rtol=1e-12, atol=0)
    far = distribution.angle_isf(u)
    # where the distribution reaches up to π, π's own rounding is all that the angle can say
    spacing = np.abs(distribution.angle_pdf(far)) * far * EPSILON / u
    assert np.all(np.abs(distribution.angle_sf(far) / u - 1.0) <= np.maximum(1e-12, 2.0 * spacing))
    assert distribution.angle_ppf(0.0) == 0.0 and distribution.angle_ppf(1.0) == np.pi
    assert np.isnan(distribution.angle_ppf(-0.1)) and np.isnan(distribution.angle_ppf(1.1))


ROTATIONS = [
    make(3.0)
    for make in (
        *(distributions.RotationBingham, distributions.RotationLaplace, distributions.ChordalLaplace),
        *(distributions.FoldedPurkayastha, distributions.FoldedVonMisesFisher),
    )
] + [distributions.RotationBingham(1.5), distributions.ChordalLaplace(1.5), distributions.FoldedPurkayastha(1.5)]
FLAT = [
    *(distributions.RotationUniform(), distributions.RotationBingham(0.9), distributions.ChordalLaplace(0.9)),
    *(distributions.FoldedPurkayastha(1.4), distributions.FoldedVonMisesFisher(1.4)),
]


@pytest.mark.parametrize("distribution", [*SPHERES, Cardioid(3, 3.0), Cardioid(7, 0.5), *ROTATIONS], ids=repr)
def test_the_density_of_the_angle_is_level_at_its_peak(distribution):
    peak, step = distribution._peak.from_zero, 1e-5
    assert peak + distribution._peak.from_pi == pytest.approx(np.pi, rel=1e-15, abs=0.0)
    assert abs(distribution.angle_logpdf(peak + step) - distribution.angle_logpdf(peak - step)) < 1e-9
    assert distribution.angle_logpdf(peak) > max(distribution.angle_logpdf([peak - 0.01, peak + 0.01]))


EVERY = [*CIRCLE[:5], WrappedLaplace(0.3), *SPHERES, Cardioid(3, 3.0), PolarLaplace(1.3), *ROTATIONS, *FLAT]


@pytest.mark.parametrize("distribution", EVERY, ids=repr)
def test_the_slope_is_the_derivative_of_the_kernel(distribution):
    theta, step = np.array([0.2, 0.9, 1.9, 2.9]), 1e-5
    found = (distribution._log_kernel(theta + step) - distribution._log_kernel(theta - step)) / (2.0 * step)
    assert np.allclose(distribution._kernel_slope(theta), found, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("distribution", FLAT, ids=repr)
def test_the_density_of_the_angle_rises_to_half_a_turn(distribution):
    assert distribution._peak == (np.pi, 0.0)
    assert (np.diff(distribution.angle_logpdf(np.linspace(0.01, np.pi, 100))) > 0.0).all()


@pytest.mark.parametrize("distribution", CIRCLE, ids=repr)
def test_surface_density_integrates_to_one_on_the_circle(distribution):
    mu = np.array([0.6, -0.8])

    def density(angle):
        return distribution.pdf([np.cos(angle), np.sin(angle)], mu)

    center = np.arctan2(mu[1], mu[0])
    scale = min(np.pi, 40.0 * distribution.mean_angle())
    area = 2.0 * integrate.quad(lambda t: density(center + t), 0.0, scale, epsabs=0, epsrel=1e-9, limit=200)[0]
    # at κ = 6e7 the angle between two stored unit vectors is off by 1e-16 rad, that is by 1e-8 of the scale
    assert np.isclose(area, 1.0, rtol=1e-6 if distribution.kappa > 1e6 else 1e-8, atol=0.0)


@pytest.mark.parametrize("kappa", [1e-6, 0.01, 0.3, 1.0, 7.0, 60.0])
def test_closed_forms_of_the_circle(kappa):
    """Paper A, Eqs. 15 to 18, and the classical moments, where they do not cancel."""
    pur, wl = Purkayastha(2, kappa), WrappedLaplace(kappa)
    with mpmath.workdps(40):
        k, pi = mpmath.mpf(kappa), mpmath.pi
        pur_mean = 1 / k - pi / mpmath.expm1(pi * k)  # Eq. 18
        wl_mean = (1 - mpmath.exp(-k * pi)) / (k * (1 + mpmath.exp(-k * pi)))  # Eq. 17
        cosine = k**2 / (1 + k**2) * mpmath.coth(k * pi / 2)
        vmf_cosine = mpmath.besseli(1, k) / mpmath.besseli(0, k)
        wrap = mpmath.exp(-2 * k * pi)
        wl_pdf = [k * (mpmath.exp(-k * t) + wrap * mpmath.exp(k * t)) / (1 - wrap) for t in (0.25, 3)]  # Eq. 16
    assert np.isclose(pur.mean_angle(), float(pur_mean), rtol=1e-14, atol=0.0)
    assert np.isclose(wl.mean_angle(), float(wl_mean), rtol=1e-14, atol=0.0)
    assert np.isclose(wl.expectation(lambda t: t), float(wl_mean), rtol=1e-13, atol=0.0)
    assert np.isclose(pur.mean_cosine(), float(cosine), rtol=1e-13, atol=0.0)
    assert np.isclose(VonMisesFisher(2, kappa).mean_cosine(), float(vmf_cosine), rtol=1e-13, atol=0.0)
    assert np.allclose(wl.angle_pdf([0.25, 3.0]), [float(p) for p in wl_pdf], rtol=1e-13, atol=0.0)
    for distribution in (pur, wl, VonMisesFisher(2, kappa)):
        assert np.isclose(
            distribution.mean_squared_sine(), distribution.expectation(lambda t: np.sin(t) ** 2), rtol=1e-12, atol=0.0
        )
        assert np.isclose(distribution.mean_cosine(), distribution.expectation(np.cos), rtol=0, atol=1e-14)


def test_mean_angles_at_epsilon_one():
    assert round(Purkayastha(2, 1 / np.pi).mean_angle(), 4) == 1.3133
    assert round(VonMisesFisher(2, 1 / np.pi).mean_angle(), 4) == 1.3706
    assert round(VonMisesFisher(2, 1 / 2).mean_angle(), 4) == 1.2617
    assert round(WrappedLaplace(1 / np.pi).mean_angle(), 4) == 1.4518


@pytest.mark.parametrize("dim", [2, 3, 10])
def test_no_concentration_is_the_uniform_distribution(dim):
    theta = np.linspace(0.01, 3.1, 9)
    for distribution in DISTRIBUTIONS.values():
        assert np.allclose(distribution(dim, 0.0).angle_cdf(theta), Uniform(dim).angle_cdf(theta), rtol=1e-13, atol=0.0)
    assert np.isclose(Uniform(dim).mean_angle(), np.pi / 2, rtol=1e-15, atol=0.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Purkayastha(1, 1.0), "'dim' must be an integer of at least 2"),
        (lambda: Purkayastha(2.5, 1.0), "'dim' must be an integer"),
        (lambda: Purkayastha(2, -1.0), "'kappa' must be nonnegative and finite; got -1.0"),
        (lambda: VonMisesFisher(2, np.inf), "'kappa' must be nonnegative and finite; got inf"),
        (lambda: VonMisesFisher(2, np.nan), "'kappa' must be nonnegative and finite; got nan"),
        (lambda: WrappedLaplace("much"), "'kappa' must be a nonnegative finite number; got 'much'"),
        (lambda: Purkayastha(3, 1.0).rvs([1.0, 0.0]), "'mu' must hold vectors of length 3"),
        (lambda: Purkayastha(2, 1.0).rvs([2.0, 0.0]), "is no unit vector"),
        (lambda: Purkayastha(2, 1.0).rvs([[1.0, 0.0], [2.0, 0.0]]), "row 1 of 'mu' is no unit vector"),
        (lambda: Purkayastha(2, 1.0).rvs([np.nan, 0.0]), "is no unit vector"),
        (lambda: Purkayastha(2, 1.0).rvs([[1.0, 0.0]], size=3), "'size' goes with a single mode"),
        (lambda: Purkayastha(2, 1.0).rvs([1.0, 0.0], rng="dice"), "'rng' must be None, an integer or"),
        (lambda: Purkayastha(2, 1.0).pdf([1.0, 1.0], [1.0, 0.0]), "'x' is no unit vector"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        make()
