"""Other samplers of the angle of von Mises-Fisher, written from the mathematics: the comparators of paper A.

Kurz and Hanebeck bisect the CDF of von Mises-Fisher, which is a finite sum for odd n; paper A (Section 3.4.1)
quotes them, without their sum. Ulrich's rejection, as Wood corrected it in 1994, is what the paper prefers.
"""

import numpy as np
from scipy import special

from dirpriv.laws.von_mises_fisher import _wood

STEPS = 60  # of the continued fraction of a Bessel ratio, where the Bessel functions themselves underflow


def bisection_rvs(cdf, size, iterations, rng):
    """Draws of an angle by bisection of its CDF: Algorithm 1 of paper A, with the CDF of any law."""
    u, low, high = rng.random(size), np.zeros(size), np.full(size, np.pi)
    for _ in range(iterations):
        middle = (low + high) / 2.0
        below = cdf(middle) < u
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2.0


def odd_cdf(theta, law):
    """CDF of the angle of a law of von Mises-Fisher with odd n, as a finite sum of positive terms.

    With a = (n-1)/2 and x = cos²(θ/2) it is 1 - Σ_{i<a} T_i, T_i = x^a (a)_i/i! (1-x)^i M(a+i, 2a, 2κx) /
    M(a, 2a, 2κ). The ratios of one M to the next follow from the contiguous relation (a+i) M(a+i+1) = (a-i)
    M(a+i-1) + (2i + 2κx) M(a+i), in which all signs are positive. T_a is the density times sin θ/2a, so the
    sum is taken relative to it. The absolute error is at most 4e-13 for n ≤ 20 001 and κ ≤ 6e7.
    """
    a, x, rest = (law.dim - 1) // 2, np.cos(theta / 2.0) ** 2, np.sin(theta / 2.0) ** 2
    z, total = 2.0 * law.kappa * x, np.zeros_like(x)
    growth = 1.0 + z / (2.0 * a) * (1.0 + _bessel_ratio(a - 0.5, law.kappa * x))  # M(a+1)/M(a)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        for i in range(a):
            if i:
                growth = ((a - i) / growth + (2 * i + z)) / (a + i)
            total = (total + 1.0) * ((i + 1) / (a + i)) / (rest * growth)
        last = law.angle_pdf(theta) * np.sin(theta) / (2.0 * a)
        # the terms rise and fall once: if the sum overflows relative to T_a, what it leaves of 1 is below T_a
        return 1.0 - np.where(np.isfinite(total), last * total, 1.0)


def _bessel_ratio(order, w):
    """I_{order+1}(w)/I_order(w)."""
    first = order + STEPS + 1.0
    ratio = w / (first + np.hypot(first, w))
    for k in range(STEPS, 0, -1):
        ratio = w / (2.0 * (order + k) + w * ratio)
    bessel = special.ive(order, w)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bessel > 0.0, special.ive(order + 1.0, w) / bessel, ratio)


def rejection_rvs(dim, kappa, size, rng):
    """Draws of the angle by Ulrich-Wood's rejection from a transformed beta law, for any n."""
    y = _wood(dim, size, kappa, rng)  # 1 - cos θ
    return 2.0 * np.arctan(np.sqrt(y / (2.0 - y)))
