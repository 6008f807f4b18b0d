"""The papers' own forms: right where the papers use them, and failing beyond as their docstrings say."""

import numpy as np
import pytest
from scipy import special, stats
from statistics_of_draws import ALPHA

from dirpriv.laws import Purkayastha, VonMisesFisher, WrappedLaplace, published

BOTH_SIDES = np.array([0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999])


# ---------------------------------------------------------------------- Eq. 6


@pytest.mark.parametrize("dim", [2, 3, 10, 25, 50, 100, 500])
@pytest.mark.parametrize("kappa", [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3])
def test_expected_chord_on_the_grid_of_figure_10(dim, kappa):
    allowed = 3e-14 if dim <= 50 else 1e-12
    assert abs(published.expected_chord(dim, kappa) / VonMisesFisher(dim, kappa).mean_chord() - 1) < allowed


def test_expected_chord_beyond():
    exact = VonMisesFisher(10_000, 1.0).mean_chord()
    assert 1e-12 < abs(published.expected_chord(10_000, 1.0) / exact - 1) < 1e-11
    assert np.isnan(published.expected_chord(500, 1e4)) and np.isnan(published.expected_chord(10_000, 1e3))
    assert special.hyp1f1(1.0, 2.0, 2 * 354.0) < np.inf == special.hyp1f1(1.0, 2.0, 2 * 360.0)  # as printed
    assert published.expected_chord(3, np.array([0.5, 1.0])).shape == (2,)


# ---------------------------------------------------------------------- Eq. 7


@pytest.mark.parametrize(
    ("dim", "kappa", "allowed"),
    [
        *[(dim, kappa, 1e-12) for dim in (3, 5, 25, 101) for kappa in (1e-3, 1.0, 10.0, 100.0, 350.0)],
        *[(4, kappa, 1e-13) for kappa in (1e-3, 1.0, 10.0)],
        *[(2, kappa, 1e-11) for kappa in (1e-3, 1.0, 10.0)],
        (10, 1.0, 1e-11),
        (10, 10.0, 1e-11),
        (20, 10.0, 1e-6),
    ],
)
def test_humbert_series_where_it_works(dim, kappa, allowed):
    law = VonMisesFisher(dim, kappa)
    theta = law.angle_ppf(BOTH_SIDES)
    assert np.abs(published.humbert_cdf(theta, dim, kappa) - law.angle_cdf(theta)).max() < allowed


def test_humbert_series_beyond():
    def worst(dim, kappa):
        law = VonMisesFisher(dim, kappa)
        theta = law.angle_ppf(BOTH_SIDES)
        return np.abs(published.humbert_cdf(theta, dim, kappa) - law.angle_cdf(theta)).max()

    assert worst(36, 10.0) > 1e-5
    assert worst(50, 10.0) > 0.1
    assert worst(100, 1.0) > 1e6 and worst(500, 1.0) > 1e100
    for dim in (2, 10):
        theta = VonMisesFisher(dim, 100.0).angle_ppf(BOTH_SIDES)
        assert np.isnan(published.humbert_cdf(theta, dim, 100.0)).any()
    for dim in (2, 3, 10, 25, 500):  # the last column of the paper's figure 11
        assert np.isnan(published.humbert_cdf(1.0, dim, 1e3))
    tiny = VonMisesFisher(3, 1.0).angle_cdf(1e-9)
    assert abs(published.humbert_cdf(1e-9, 3, 1.0) / tiny - 1) > 0.5  # a difference from 1


# ---------------------------------------------------------------------- Eqs. 13 and 18


@pytest.mark.parametrize("dim", [2, 3, 4, 10, 25, 50, 101, 500, 1001])
def test_expected_angle_as_finite_sums(dim):
    kappa = np.array([0.1, 0.5, 1.0, 10.0, 1e3, 1e6, 6e7])
    exact = np.array([Purkayastha(dim, k).mean_angle() for k in kappa])
    assert np.abs(published.expected_angle(dim, kappa) / exact - 1).max() < 2e-15
    small = abs(published.expected_angle(dim, 1e-6) / Purkayastha(dim, 1e-6).mean_angle() - 1)
    assert small < 1e-15 if dim % 2 else 1e-9 < small < 1e-4
    assert np.isfinite(published.expected_angle(dim, 0.0)) == bool(dim % 2)


def test_circular_purkayastha_mean_angle():
    kappa = np.array([1e-2, 0.1, 1 / np.pi, 1.0, 30.0])
    exact = np.array([Purkayastha(2, k).mean_angle() for k in kappa])
    assert np.abs(published.circular_purkayastha_mean_angle(kappa) / exact - 1).max() < 1e-13
    assert abs(published.circular_purkayastha_mean_angle(1e-6) / (np.pi / 2) - 1) > 1e-6


# ---------------------------------------------------------------------- Eq. 14 and Algorithm 1


@pytest.mark.parametrize("dim", [2, 3, 10, 25, 100, 500, 1000])
@pytest.mark.parametrize("kappa", [0.0, 1e-3, 1.0, 10.0, 100.0])
def test_closed_form_has_absolute_precision(dim, kappa):
    law = Purkayastha(dim, kappa)
    theta = law.angle_ppf(BOTH_SIDES)
    error = np.abs(published.closed_form_cdf(theta, dim, kappa) - law.angle_cdf(theta)).max()
    assert error < (1e-15 if dim <= 3 else 1e-13)
    ends = published.closed_form_cdf([0.0, np.pi], dim, kappa)
    assert np.allclose(ends, [0.0, 1.0], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("dim", "kappa"), [(3, 1.0), (3, 10.0), (10, 1.0), (50, 1.0), (100, 100.0)])
def test_closed_form_has_no_relative_precision(dim, kappa):
    law = Purkayastha(dim, kappa)
    twelve, twenty = law.angle_ppf([1e-12, 1e-20])
    assert 1e-7 < abs(published.closed_form_cdf(twelve, dim, kappa) / 1e-12 - 1) < 1e-2
    assert abs(published.closed_form_cdf(twenty, dim, kappa) / 1e-20 - 1) > 0.5
    assert 1e-7 < abs((1.0 - published.closed_form_cdf(law.angle_isf(1e-12), dim, kappa)) / 1e-12 - 1) < 1e-2


@pytest.mark.parametrize(("dim", "kappa"), [(335, 1e3), (67, 1e6), (47, 6e7)])
def test_closed_form_underflows(dim, kappa):
    """The last dimension whose sum is a normal double; the next; and one where nothing is left."""
    median = [Purkayastha(n, kappa).angle_ppf(0.5) for n in (dim, dim + 50)]
    assert abs(published.closed_form_cdf(median[0], dim, kappa) - 0.5) < 1e-12
    assert published.bisection_rvs(dim, kappa, 3, rng=1).shape == (3,)
    with pytest.raises(
        ValueError, match=f"underflows to .* at dim = {dim + 1}, .* Algorithm 1 cannot be run"
    ):
        published.bisection_rvs(dim + 1, kappa, 3)
    assert np.isnan(published.closed_form_cdf(median[1], dim + 50, kappa))


def test_factorial_on_its_own_overflows():
    """The sum with C_m = m!/(...) as printed stops at m = 170; the recurrence, at κ = 10, goes on."""
    assert special.factorial(170.0) < np.inf == special.factorial(171.0)
    theta = Purkayastha(10_000, 10.0).angle_ppf(BOTH_SIDES)
    assert np.abs(published.closed_form_cdf(theta, 10_000, 10.0) - BOTH_SIDES).max() < 1e-12


@pytest.mark.parametrize("dim", [2, 3, 10, 50])
def test_bisection_draws_from_the_law(dim):
    """Kolmogorov-Smirnov with 20 000 draws, error rate ALPHA; stopped after four halvings it is caught."""
    law = Purkayastha(dim, 1.3)

    def p_value(**options):
        return stats.kstest(published.bisection_rvs(dim, 1.3, 20_000, rng=1, **options), law.angle_cdf).pvalue

    assert p_value() > ALPHA
    assert p_value(tolerance=1e-6) > ALPHA
    assert p_value(iterations=4) < ALPHA
    assert p_value(tolerance=0.1) < ALPHA


def test_bisection_is_algorithm_1():
    """One draw by the listing, line by line; a tolerance ends it early; halvings bound the error."""
    u = np.random.default_rng(5).random(6)
    for iterations, tolerance in [(7, None), (50, None), (50, 1e-3)]:
        wanted = []
        for number in u:
            low, high = 0.0, np.pi
            for _ in range(iterations):
                theta = (low + high) / 2.0
                y = published.closed_form_cdf(theta, 5, 2.0)
                if tolerance is not None and abs(y - number) <= tolerance:
                    break
                if y < number:
                    low = theta
                if y > number:
                    high = theta
            wanted.append(theta)
        got = published.bisection_rvs(5, 2.0, 6, iterations=iterations, tolerance=tolerance, rng=5)
        assert np.allclose(got, wanted, rtol=0, atol=1e-14)
        exact = Purkayastha(5, 2.0).angle_ppf(u)
        allowed = 1e-2 if tolerance else np.pi / 2**iterations + 1e-13
        assert np.abs(got - exact).max() <= allowed
    assert published.bisection_rvs(3, 0.0, (2, 5000), rng=1).shape == (2, 5000)
    with pytest.raises(ValueError, match="'iterations' must be an integer of at least 1; got 0"):
        published.bisection_rvs(3, 1.0, 5, iterations=0)


# ---------------------------------------------------------------------- Eqs. 15-17


@pytest.mark.parametrize("kappa", [1e-3, 0.01, 0.6, 1.0, 2.5, 10.0, 100.0])
def test_wrapped_laplace(kappa):
    law, theta = WrappedLaplace(kappa), np.linspace(0.0, np.pi, 50)
    exact = law.angle_pdf(theta)
    assert np.abs(published.wrapped_laplace_angle_pdf(theta, kappa) / exact - 1).max() < 1e-13
    assert np.abs(published.wrapped_laplace_pdf(theta, kappa) / (exact / 2) - 1).max() < 1e-13
    around = published.wrapped_laplace_pdf(2 * np.pi - theta[1:], kappa)
    assert np.abs(around / (exact[1:] / 2) - 1).max() < 2e-13
    assert abs(published.wrapped_laplace_mean_angle(kappa) / law.mean_angle() - 1) < 1e-13


def test_wrapped_laplace_beyond():
    lost = published.wrapped_laplace_angle_pdf(np.pi, 113.0) / WrappedLaplace(113.0).angle_pdf(np.pi)
    assert abs(lost - 0.5) < 1e-10
    assert np.isnan(published.wrapped_laplace_pdf(6.0, 200.0)) and np.isnan(
        published.wrapped_laplace_pdf(1.0, 0)
    )
    error = abs(published.wrapped_laplace_pdf(1.0, 1e-6) * 2 * np.pi - 1)
    assert 1e-13 < error < 1e-10
    error = abs(published.wrapped_laplace_mean_angle(1e-6) / WrappedLaplace(1e-6).mean_angle() - 1)
    assert 1e-13 < error < 1e-10
    assert np.isnan(published.wrapped_laplace_mean_angle(0.0))
