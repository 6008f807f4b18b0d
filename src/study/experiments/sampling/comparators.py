"""Other samplers of the angle of von Mises-Fisher, written from the mathematics: the comparators of paper A.

Kurz and Hanebeck bisect the CDF of von Mises-Fisher, which is a finite sum for odd n; paper A (Section 3.4.1)
quotes them, without their sum. On the circle SciPy has the CDF, on the sphere the sum has one term and an
inverse. Ulrich's rejection, as Wood corrected it in 1994, is what the paper prefers.
"""

import numpy as np
from scipy import special, stats

from study.papers.directions import bisected

_STEPS = 60  # of the continued fraction of a Bessel ratio, where the Bessel functions themselves underflow


def bisection_rvs(cdf, size, iterations=53, *, rng=None):
    """Draw angles by bisection of the CDF of any distribution's angle: Algorithm 1 of paper A.

    53 halvings of [0, π] use all digits of a double.

    >>> angles = bisection_rvs(lambda theta: theta / np.pi, 1000, rng=1)  # uniform on the circle
    >>> bool(abs(angles.mean() - np.pi / 2) < 0.1)
    True
    """
    return bisected(cdf, np.random.default_rng(rng).random(size), iterations)


def circle_cdf(theta, kappa):
    """CDF of the angle of a von Mises distribution (n = 2) by SciPy, which uses the series of Hill (1977) for κ < 50.

    The absolute error is at most 1e-12 there, and 1e-5 beyond, where the distribution is nearly normal.

    >>> float(circle_cdf(np.pi / 2.0, 0.0))
    0.5
    """
    return 2.0 * stats.vonmises.cdf(theta, kappa) - 1.0


def sphere_cdf(theta, kappa):
    """CDF of the angle of a von Mises-Fisher distribution for n = 3, (1 - exp(κ(cos θ - 1)))/(1 - exp(-2κ)).

    >>> float(sphere_cdf(np.pi / 2.0, 1e-9).round(6))
    0.5
    """
    return np.expm1(-2.0 * kappa * np.sin(theta / 2.0) ** 2) / np.expm1(-2.0 * kappa)


def sphere_inverse_rvs(kappa, size, *, rng=None):
    """Draw angles for n = 3 by the inverse of :func:`sphere_cdf`: cos θ = 1 + log(1 + u (exp(-2κ) - 1))/κ.

    >>> angles = sphere_inverse_rvs(10.0, 1000, rng=1)
    >>> bool(abs(sphere_cdf(angles, 10.0).mean() - 0.5) < 0.05)
    True
    """
    u = np.random.default_rng(rng).random(size)
    return 2.0 * np.arcsin(np.sqrt(-0.5 * np.log1p(u * np.expm1(-2.0 * kappa)) / kappa))


def odd_cdf(theta, distribution):
    """CDF of the angle of a von Mises-Fisher distribution with odd n, as a finite sum of positive terms.

    The absolute error is at most 4e-13 for n ≤ 20 001 and κ ≤ 6e7. With a = (n-1)/2 and x = cos²(θ/2) the CDF
    is 1 - Σ_{i<a} T_i, T_i = x^a (a)_i/i! (1-x)^i M(a+i, 2a, 2κx) / M(a, 2a, 2κ). The ratios of one M to the
    next follow from the contiguous relation (a+i) M(a+i+1) = (a-i) M(a+i-1) + (2i + 2κx) M(a+i), in which all
    signs are positive. T_a is the density times sin θ/2a, so the sum is taken relative to it.

    >>> from dirpriv.distributions import VonMisesFisher
    >>> distribution = VonMisesFisher(dim=5, kappa=2.0)
    >>> bool(abs(odd_cdf(1.0, distribution) - distribution.angle_cdf(1.0)) < 4e-13)
    True
    """
    theta = np.asarray(theta, dtype=float)
    a, x, rest = (distribution.dim - 1) // 2, np.cos(theta / 2.0) ** 2, np.sin(theta / 2.0) ** 2
    z, total = 2.0 * distribution.kappa * x, np.zeros_like(x)
    growth = 1.0 + z / (2.0 * a) * (1.0 + _bessel_ratio(a - 0.5, distribution.kappa * x))  # M(a+1)/M(a)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        for i in range(a):
            if i:
                growth = ((a - i) / growth + (2 * i + z)) / (a + i)
            total = (total + 1.0) * ((i + 1) / (a + i)) / (rest * growth)
        last = distribution.angle_pdf(theta) * np.sin(theta) / (2.0 * a)
        # the terms rise and fall once: if the sum overflows relative to T_a, what it leaves of 1 is below T_a
        return 1.0 - np.where(np.isfinite(total), last * total, 1.0)


def _bessel_ratio(order, w):
    """I_{order+1}(w)/I_order(w)."""
    first = order + _STEPS + 1.0
    ratio = w / (first + np.hypot(first, w))
    for k in range(_STEPS, 0, -1):
        ratio = w / (2.0 * (order + k) + w * ratio)
    bessel = special.ive(order, w)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bessel > 0.0, special.ive(order + 1.0, w) / bessel, ratio)


def rejection_rvs(dim, kappa, size, *, rng=None):
    """Draw angles by Ulrich-Wood's rejection from a transformed beta distribution, for any n.

    >>> from dirpriv.distributions import VonMisesFisher
    >>> angles = rejection_rvs(3, 10.0, 1000, rng=1)
    >>> bool(abs(angles.mean() - VonMisesFisher(3, 10.0).mean_angle()) < 0.05)
    True
    """
    d, rng = dim - 1.0, np.random.default_rng(rng)
    b = d / (2.0 * kappa + np.hypot(2.0 * kappa, d))
    best = (1.0 - b) / (1.0 + b)
    y, filled = np.empty(size), 0  # 1 - cos θ
    while filled < size:
        count = int((size - filled + 2.0 * np.sqrt(size - filled)) / 0.8) + 4
        beta = rng.beta(d / 2.0, d / 2.0, count)
        values = 2.0 * b * beta / (1.0 - (1.0 - b) * beta)
        # the log ratio κw + d log(1 - x0 w), w = 1 - y, is highest at w = x0, the best
        log_ratio = d * np.log((1.0 - best + best * values) / (1.0 - best * best))
        log_ratio = kappa * (1.0 - values - best) + log_ratio
        values = values[rng.standard_exponential(count) >= -log_ratio][: size - filled]
        y[filled : filled + len(values)] = values
        filled += len(values)
    return 2.0 * np.arctan(np.sqrt(y / (2.0 - y)))
