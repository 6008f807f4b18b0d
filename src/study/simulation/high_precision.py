"""Eqs. 6, 7, 13 and 14 of paper A as printed; the number of digits grows until two precisions agree."""

import math

from mpmath import beta, cos, exp, expm1, hyp1f1, hyp2f1, mp, mpf, pi, sin

SMALLEST = 330  # decimals: no positive double is below 10^-330


def evaluated(formula, *arguments, digits=40):
    """The value of a formula, and its number of digits: the second of two values that agree to 20 digits.

    A difference from 1 counts as 0 only with so many digits that no double is as small.
    """
    value = None
    while True:
        with mp.workdps(digits):
            before, value = value, formula(*map(mpf, arguments))
            nothing = abs(value) < mpf(10) ** -SMALLEST
            close = before is not None and abs(value - before) <= 1e-20 * abs(value)
            if digits > SMALLEST + 10 if nothing else close:
                return float(value), digits
        digits += digits // 2


def expected_chord(n, kappa):
    """Eq. 6."""
    a, z = (n - 1) / 2, 2 * kappa
    return 2 * beta(a, a + 0.5) * hyp1f1(a, 2 * a + 0.5, z) / (beta(a, a) * hyp1f1(a, 2 * a, z))


def expected_angle(n, kappa):
    """Eq. 13."""
    odd = int(n) % 2
    first = pi / (exp(pi * kappa) + 1) if odd else 1 / kappa - pi / (exp(pi * kappa) - 1)
    return first + sum(2 * kappa / (kappa**2 + step**2) for step in range(2 - odd, int(n) - 1, 2))


def humbert_cdf(n, kappa, theta):
    """Eq. 7, as 1 - P[t ≤ cos θ], with Φ₁ as a series in powers of y = 2κx.

    The inner sums, H_j = ₂F₁(a+j, 1-a; 1+a+j; x), follow from the last one by the contiguous relation H_j =
    (1-x)^a + x H_{j+1} (2a+j)/(1+a+j).
    """
    a, x = (n - 1) / 2, (1 + cos(theta)) / 2
    y = 2 * kappa * x
    last, size = int(y) + 1, float(y)
    while last * math.log(size) - math.lgamma(last + 1) > size - (mp.dps + 10) * math.log(10):
        last += 1  # until y^j/j! is negligible against exp(y)
    inner, power = hyp2f1(a + last, 1 - a, 1 + a + last, x), y**last / mp.factorial(last)
    total, rest = power * inner / (a + last), (1 - x) ** a
    for j in range(last - 1, -1, -1):
        inner, power = rest + x * inner * (2 * a + j) / (1 + a + j), power * (j + 1) / y
        total += power * inner / (a + j)
    return 1 - x**a * total / (beta(a, a) * hyp1f1(a, 2 * a, 2 * kappa))


def closed_form_cdf(n, kappa, theta):
    """Eq. 14."""
    return _finite_sum(int(n), -kappa, theta) / _finite_sum(int(n), -kappa, mp.pi)


def _finite_sum(n, a, theta):
    """F_{m,a}(θ), m = n - 2, by the recurrence of Eq. 14 from F_0 or F_1."""
    s, c, growth = sin(theta), cos(theta), exp(a * theta)
    total = (growth * (a * s - c) + 1) / (a**2 + 1) if n % 2 else expm1(a * theta) / a
    for m in range(2 + n % 2, n - 1, 2):
        total = (growth * s ** (m - 1) * (a * s - m * c) + m * (m - 1) * total) / (a**2 + m**2)
    return total
