"""Exact probabilities, means and normalizers of the distributions of rotations, by mpmath with 30 digits."""

from itertools import pairwise

import mpmath

KERNELS = {
    "RotationUniform": lambda k, t: mpmath.mpf(0),
    "RotationLaplace": lambda k, t: -k * t,
    "RotationBingham": lambda k, t: -k * mpmath.sin(t / 2) ** 2,
    "FoldedVonMisesFisher": lambda k, t: log_cosh(k * mpmath.cos(t / 2)) - log_cosh(k),
    "FoldedPurkayastha": lambda k, t: log_cosh(k * (mpmath.pi - t) / 2) - log_cosh(k * mpmath.pi / 2),
    "ChordalLaplace": lambda k, t: -2 * k * mpmath.sin(t / 2),
}


def log_cosh(x):
    return x + mpmath.log1p(mpmath.exp(-2 * x)) - mpmath.log(2)


def exact(name, kappa, theta):
    """CDF, SF, mean angle and Haar normalizer, for the exact doubles given."""
    with mpmath.workdps(30):
        k, t, pi = mpmath.mpf(kappa), mpmath.mpf(theta), mpmath.pi
        # stretches that double in length away from 0 and from t, from less than the narrowest width on
        marks, width = {mpmath.mpf(0), t, pi}, 1 / (k + 1)
        while width < pi:
            marks |= {m for m in (width, t - width, t + width) if 0 < m < pi}
            width *= 2
        stretches = list(pairwise(sorted(marks)))

        def density(x):
            return 2 / pi * mpmath.sin(x / 2) ** 2 * mpmath.exp(KERNELS[name](k, x))

        def integral(low, high, f):  # relative to its size: mpmath's tolerance is absolute
            size = max(f(low), f((low + high) / 2), f(high))
            return size * (high - low) * mpmath.quad(lambda u: f(low + u * (high - low)) / size, [0, 1])

        masses = [integral(low, high, density) for low, high in stretches]
        first = sum(integral(low, high, lambda x: x * density(x)) for low, high in stretches)
        below = sum(mass for mass, (low, _) in zip(masses, stretches, strict=True) if low < t)
        above = sum(mass for mass, (low, _) in zip(masses, stretches, strict=True) if low >= t)
        total = below + above
        return float(below / total), float(above / total), float(first / total), float(total)
