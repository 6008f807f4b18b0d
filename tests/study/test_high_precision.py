"""The formulas of paper A in many digits: against mpmath's own functions, and where doubles lose them."""

import mpmath
import numpy as np
import pytest

from dirpriv.distributions import Purkayastha, VonMisesFisher
from study.papers import directions
from study.simulation import high_precision
from study.simulation.high_precision import evaluated


@pytest.mark.parametrize(("n", "kappa", "theta"), [(2, 0.5, 0.4), (3, 2.0, 1.0), (10, 5.0, 2.0), (7, 0.1, 3.0)])
def test_humbert_series_is_the_double_series(n, kappa, theta):
    """Against Φ₁ term by term, which mpmath sums in the order of the paper."""
    with mpmath.workdps(40):
        a, x = mpmath.mpf(n - 1) / 2, (1 + mpmath.cos(mpmath.mpf(theta))) / 2
        y = 2 * mpmath.mpf(kappa) * x
        phi = mpmath.hyper2d({"m+n": [a], "m": [1 - a]}, {"m+n": [1 + a]}, x, y)
        whole = a * mpmath.beta(a, a) * mpmath.hyp1f1(a, 2 * a, 2 * mpmath.mpf(kappa))
        exact = float(1 - x**a * phi / whole)
    assert abs(evaluated(high_precision.humbert_cdf, n, kappa, theta)[0] / exact - 1) < 1e-15


@pytest.mark.parametrize(
    ("formula", "distribution", "n", "kappa"),
    [
        (high_precision.humbert_cdf, VonMisesFisher, 200, 400.0),
        (high_precision.humbert_cdf, VonMisesFisher, 2, 1e-3),
        (high_precision.closed_form_cdf, Purkayastha, 500, 1e3),
        (high_precision.closed_form_cdf, Purkayastha, 25, 1e-3),
    ],
)
def test_relative_precision_in_the_tails(formula, distribution, n, kappa):
    """The distribution and the paper's formula agree where the formula in doubles has lost every digit."""
    distribution = distribution(n, kappa)
    for theta in distribution.angle_ppf([1e-200, 1e-30, 0.5]):
        assert abs(evaluated(formula, n, kappa, theta)[0] / distribution.angle_cdf(theta) - 1) < 1e-12
    assert evaluated(formula, n, kappa, 0.0)[0] == 0.0


def test_a_wrong_variant_is_no_cdf():
    """One term less in Eq. 14, and one thousandth more concentration in Eq. 7."""

    def one_term_less(n, kappa, theta):
        return high_precision.closed_form_cdf(n - 2, kappa, theta)

    exact = Purkayastha(10, 5.0).angle_cdf(1.0)
    assert abs(evaluated(one_term_less, 10, 5.0, 1.0)[0] - exact) > 0.1
    exact = VonMisesFisher(10, 5.0).angle_cdf(1.0)
    assert 1e-4 < abs(evaluated(high_precision.humbert_cdf, 10, 5.005, 1.0)[0] - exact) < 1e-2


def test_digits_are_raised_until_two_precisions_agree():
    assert evaluated(high_precision.expected_angle, 3, 1.0)[1] == 60
    value, digits = evaluated(lambda x: (1 + x) - 1, 1e-150)  # exactly 0 with 40, 60, 90 and 135 digits
    assert value == 1e-150 and digits > 170
    assert evaluated(lambda x: (1 + x) - 1, 0.0) == (0.0, 454)
    assert directions.expected_angle(2, 1e-9) != pytest.approx(np.pi / 2, rel=1e-9)
    assert evaluated(high_precision.expected_angle, 2, 1e-9)[0] == pytest.approx(np.pi / 2, rel=2e-9)


@pytest.mark.parametrize("n", [2, 3, 10, 25, 500])
@pytest.mark.parametrize("kappa", [1e-3, 1.0, 1e3])
def test_mean_distances(n, kappa):
    chord, _ = evaluated(high_precision.expected_chord, n, kappa)
    assert abs(chord / VonMisesFisher(n, kappa).mean_chord() - 1) < 4e-15
    angle, _ = evaluated(high_precision.expected_angle, n, kappa)
    assert abs(angle / Purkayastha(n, kappa).mean_angle() - 1) < 4e-15
