"""The papers' own forms: right where the papers use them, and failing beyond as their docstrings say."""

import numpy as np
import pytest
from scipy import special
from statistics_of_draws import ks_refuses
from sweeps import swept, thinned

from dirpriv.distributions import Purkayastha, VonMisesFisher, WrappedLaplace
from study.papers import directions

BOTH_SIDES = np.array([0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999])


# ---------------------------------------------------------------------- constants


def test_areas_of_spheres():
    areas = [directions.subsphere_area(dim) for dim in (2, 3, 4, 5)]  # two points, a circle, and so on
    assert areas == pytest.approx([2.0, 2.0 * np.pi, 4.0 * np.pi, 2.0 * np.pi**2], rel=1e-15, abs=0.0)


@pytest.mark.parametrize("kappa", [0.2, 3.0])
def test_the_constant_of_von_mises_fisher(kappa):
    constant = directions.von_mises_fisher_constant
    assert constant(3, kappa) == pytest.approx(kappa / (4.0 * np.pi * np.sinh(kappa)), rel=1e-14, abs=0.0)
    for dim in (2, 3, 8):
        at_mode = VonMisesFisher(dim, kappa).logpdf(np.eye(dim)[0], np.eye(dim)[0])
        assert constant(dim, kappa) * np.exp(kappa) == pytest.approx(np.exp(at_mode), rel=1e-13, abs=0.0)


# ---------------------------------------------------------------------- Eq. 6


@pytest.mark.parametrize("dim", [2, 3, 10, 25, 50, 100, 500])
@pytest.mark.parametrize("kappa", [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3])
def test_expected_chord_on_the_grid_of_figure_10(dim, kappa):
    allowed = 3e-14 if dim <= 50 else 1e-12
    assert abs(directions.expected_chord(dim, kappa) / VonMisesFisher(dim, kappa).mean_chord() - 1) < allowed


def test_expected_chord_beyond():
    exact = VonMisesFisher(10_000, 1.0).mean_chord()
    assert 1e-12 < abs(directions.expected_chord(10_000, 1.0) / exact - 1) < 1e-11
    assert np.isnan(directions.expected_chord(500, 1e4)) and np.isnan(directions.expected_chord(10_000, 1e3))
    assert special.hyp1f1(1.0, 2.0, 2 * 354.0) < np.inf == special.hyp1f1(1.0, 2.0, 2 * 360.0)  # as printed
    assert directions.expected_chord(3, np.array([0.5, 1.0])).shape == (2,)


# ---------------------------------------------------------------------- Eq. 7


# dim, kappa, angle, and Eq. 7 as printed with 40 and 60 digits, of the exact doubles
HUMBERT = [
    (2, 1e3, 1e-3, 0.025223965859107016),
    (25, 1e4, 0.05, 0.594703715876623),
    (36, 10.0, 1.4, 0.730353147151349),
    (100, 1e3, 0.3, 0.30995046369177204),
    (500, 1e3, 0.65, 0.13639550646969342),
    (500, 1e-3, 1.6, 0.7428397309253708),
    (10_000, 100.0, 1.55, 0.14013528169432135),
]


@pytest.mark.parametrize(("dim", "kappa", "theta", "exact"), HUMBERT)
def test_humbert_series_at_extremes(dim, kappa, theta, exact):
    assert abs(directions.humbert_cdf(theta, dim, kappa) - exact) < 3e-15


@pytest.mark.parametrize(
    ("dim", "kappa"), thinned([2, 3, 4, 10, 25, 50, 100, 500], [0.0, 1e-6, 1e-3, 1.0, 10.0, 100.0, 1e3])
)
def test_humbert_series_has_absolute_precision(dim, kappa):
    distribution = VonMisesFisher(dim, kappa)
    theta = np.concatenate([np.linspace(0.0, np.pi, 9), distribution.angle_ppf([1e-12, *BOTH_SIDES])])
    assert np.abs(directions.humbert_cdf(theta, dim, kappa) - distribution.angle_cdf(theta)).max() < 4e-15


@pytest.mark.parametrize(("dim", "kappa"), [(10_000, 1e3), (25, 1e6), *swept((10_000, 1e6))])
def test_humbert_series_beyond_the_grid(dim, kappa):
    distribution = VonMisesFisher(dim, kappa)
    theta = distribution.angle_ppf([0.01, 0.5, 0.99])
    assert np.abs(directions.humbert_cdf(theta, dim, kappa) - distribution.angle_cdf(theta)).max() < 2e-14


def test_humbert_series_has_no_relative_precision():
    tiny = VonMisesFisher(3, 1.0).angle_cdf(1e-9)
    assert abs(directions.humbert_cdf(1e-9, 3, 1.0) / tiny - 1) > 0.1  # a difference from 1


def alternating_humbert_cdf(theta, dim, kappa):
    """Eq. 7 for odd n with the powers of x outside: the same numbers in the order that cancels."""
    a, x = (dim - 1) // 2, np.cos(theta / 2) ** 2
    total = sum(
        special.binom(a - 1, m) * (-x) ** m * special.hyp1f1(a + m, 1 + a + m, 2 * kappa * x) / (a + m)
        for m in range(a)
    )
    return 1 - x**a * total / special.beta(a, a) / special.hyp1f1(a, 2 * a, 2 * kappa)


@pytest.mark.parametrize(
    ("dim", "least", "most"), [(3, 0, 1e-14), (15, 1e-11, 1e-7), (25, 1e-8, 1e-4), (41, 0.01, np.inf)]
)
def test_the_other_order_of_the_humbert_series_cancels(dim, least, most):
    distribution = VonMisesFisher(dim, 10.0)
    theta = distribution.angle_ppf(BOTH_SIDES)
    assert least <= np.abs(alternating_humbert_cdf(theta, dim, 10.0) - distribution.angle_cdf(theta)).max() < most


# ---------------------------------------------------------------------- Eqs. 13 and 18


@pytest.mark.parametrize("dim", [2, 3, 4, 10, 25, 50, 101, 500, 1001])
def test_expected_angle_as_finite_sums(dim):
    kappa = np.array([0.1, 0.5, 1.0, 10.0, 1e3, 1e6, 6e7])
    exact = np.array([Purkayastha(dim, k).mean_angle() for k in kappa])
    assert np.abs(directions.expected_angle(dim, kappa) / exact - 1).max() < 2e-15
    small = abs(directions.expected_angle(dim, 1e-6) / Purkayastha(dim, 1e-6).mean_angle() - 1)
    assert small < 1e-15 if dim % 2 else 1e-9 < small < 1e-4
    assert np.isfinite(directions.expected_angle(dim, 0.0)) == bool(dim % 2)


# ---------------------------------------------------------------------- Eq. 14 and Algorithm 1


@pytest.mark.parametrize(
    ("dim", "kappa"), thinned([2, 3, 10, 25, 100, 500, 1000], [0.0, 1e-3, 1.0, 10.0, 100.0, 1e3, 1e6, 6e7])
)
def test_closed_form_has_absolute_precision(dim, kappa):
    distribution = Purkayastha(dim, kappa)
    theta = distribution.angle_ppf(BOTH_SIDES)
    error = np.abs(directions.closed_form_cdf(theta, dim, kappa) - distribution.angle_cdf(theta)).max()
    assert error < (1e-15 if dim <= 3 else 2e-13)
    ends = directions.closed_form_cdf([0.0, np.pi], dim, kappa)
    assert np.allclose(ends, [0.0, 1.0], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("dim", "kappa"), [(3, 1.0), (3, 10.0), (10, 1.0), (50, 1.0), (100, 100.0)])
def test_closed_form_has_no_relative_precision(dim, kappa):
    distribution = Purkayastha(dim, kappa)
    twelve, twenty = distribution.angle_ppf([1e-12, 1e-20])
    assert 1e-7 < abs(directions.closed_form_cdf(twelve, dim, kappa) / 1e-12 - 1) < 1e-2
    assert abs(directions.closed_form_cdf(twenty, dim, kappa) / 1e-20 - 1) > 0.5
    assert 1e-7 < abs((1.0 - directions.closed_form_cdf(distribution.angle_isf(1e-12), dim, kappa)) / 1e-12 - 1) < 1e-2


# dim, kappa, angle, and Eq. 14 as printed with 40 and 60 digits, of the exact doubles
FINITE_SUM = [
    (48, 6e7, 7.5e-7, 0.40239482555764167),
    (335, 6e7, 5.5e-6, 0.4201571827382709),
    (500, 1e3, 0.4, 0.0005295884121510387),
    (500, 1e3, 0.46, 0.44853984097438737),
    (500, 1e-3, 1.6, 0.7428397426094506),
    (10_000, 1e3, 1.46, 0.1319257677257641),
    (10_000, 6e7, 1.68e-4, 0.7913733379173737),
]


@pytest.mark.parametrize(("dim", "kappa", "theta", "exact"), FINITE_SUM)
def test_closed_form_at_extremes(dim, kappa, theta, exact):
    assert abs(directions.closed_form_cdf(theta, dim, kappa) - exact) < (1e-13 if dim <= 500 else 2e-12)


def unscaled_closed_form_cdf(theta, dim, kappa):
    """Eq. 14 for even n with F_m(θ) and F_m(π) apart, as printed."""
    sine, cosine, decay = np.sin(theta), np.cos(theta), np.exp(-kappa * theta)
    above, whole = -np.expm1(-kappa * theta) / kappa, -np.expm1(-kappa * np.pi) / kappa
    for m in range(2, dim - 1, 2):
        above = m * (m - 1) * above - decay * sine ** (m - 1) * (kappa * sine + m * cosine)
        above, whole = above / (kappa**2 + m**2), m * (m - 1) * whole / (kappa**2 + m**2)
    with np.errstate(invalid="ignore"):
        return above / whole


def test_closed_form_without_scaling_underflows():
    assert abs(unscaled_closed_form_cdf(0.5, 300, 1e3) - directions.closed_form_cdf(0.5, 300, 1e3)) < 1e-13
    assert np.isnan(unscaled_closed_form_cdf(0.46, 500, 1e3))
    assert np.isnan(unscaled_closed_form_cdf(1.6e-6, 100, 6e7))
    assert special.factorial(170.0) < np.inf == special.factorial(171.0)  # C_m = m!/(...)


@pytest.mark.parametrize("dim", [2, 3, 10, 50])
def test_bisection_draws_from_the_distribution(dim):
    """Kolmogorov-Smirnov with 20 000 draws, error rate ALPHA; stopped after four halvings it is caught."""
    distribution = Purkayastha(dim, 1.3)

    def refused(**options):
        return ks_refuses(directions.bisection_rvs(dim, 1.3, 20_000, rng=1, **options), distribution.angle_cdf)

    assert not refused()
    assert refused(iterations=4)


def test_bisection_is_algorithm_1():
    """One draw by the listing, line by line; halvings bound the error."""
    u = np.random.default_rng(5).random(6)
    for iterations in (7, 50):
        wanted = []
        for number in u:
            low, high = 0.0, np.pi
            for _ in range(iterations):
                theta = (low + high) / 2.0
                y = directions.closed_form_cdf(theta, 5, 2.0)
                if y < number:
                    low = theta
                if y > number:
                    high = theta
            wanted.append(theta)
        got = directions.bisection_rvs(5, 2.0, 6, iterations=iterations, rng=5)
        assert np.allclose(got, wanted, rtol=0, atol=1e-14)
        exact = Purkayastha(5, 2.0).angle_ppf(u)
        assert np.abs(got - exact).max() <= np.pi / 2**iterations + 1e-13
    assert directions.bisection_rvs(3, 0.0, (2, 50), rng=1).shape == (2, 50)


@pytest.mark.parametrize(("dim", "kappa"), [(500, 1e3), (335, 6e7), *swept((10_000, 1e6))])
def test_bisection_where_the_sum_as_printed_is_0(dim, kappa):
    u = np.random.default_rng(5).random(4)
    got, distribution = directions.bisection_rvs(dim, kappa, 4, rng=5), Purkayastha(dim, kappa)
    assert np.abs(distribution.angle_cdf(got) - u).max() < 1e-8  # the last interval is 3e-15 rad long


# ---------------------------------------------------------------------- Eqs. 15 and 16


@pytest.mark.parametrize("kappa", [1e-3, 0.01, 0.6, 1.0, 2.5, 10.0, 100.0])
def test_wrapped_laplace(kappa):
    distribution, theta = WrappedLaplace(kappa), np.linspace(0.0, np.pi, 50)
    exact = distribution.angle_pdf(theta)
    assert np.abs(directions.wrapped_laplace_angle_pdf(theta, kappa) / exact - 1).max() < 1e-13
    assert np.abs(directions.wrapped_laplace_pdf(theta, kappa) / (exact / 2) - 1).max() < 1e-13
    around = directions.wrapped_laplace_pdf(2 * np.pi - theta[1:], kappa)
    assert np.abs(around / (exact[1:] / 2) - 1).max() < 2e-13


def test_wrapped_laplace_beyond():
    lost = directions.wrapped_laplace_angle_pdf(np.pi, 113.0) / WrappedLaplace(113.0).angle_pdf(np.pi)
    assert abs(lost - 0.5) < 1e-10
    assert np.isnan(directions.wrapped_laplace_pdf(6.0, 200.0)) and np.isnan(directions.wrapped_laplace_pdf(1.0, 0))
    error = abs(directions.wrapped_laplace_pdf(1.0, 1e-6) * 2 * np.pi - 1)
    assert 1e-13 < error < 1e-10


def test_the_sum_of_exponentials_is_a_gamma_variable():
    radii = np.array([0.0, 1e-3, 0.5, 3.0, 20.0])
    for dim in (1, 2, 5, 20):
        assert np.abs(directions.erlang_cdf(radii, dim) - special.gammainc(dim, radii)).max() < 1e-14
