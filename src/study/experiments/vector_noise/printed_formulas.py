"""Formulas of the note beside what they stand for, found from the density ∝ exp(-‖z‖) in R^d alone."""

import numpy as np
from scipy import special

from study.papers.directions import erlang_cdf, log_jacobian
from study.simulation.estimates import integrated
from study.simulation.method_differences import both_sides

STEP = 1e-30  # of derivatives by a complex step, which have no cancellation


def radius_cdf(radii, dim):
    """P(‖z‖ ≤ R) at ascending R from 0, from the volumes of balls alone.

    As e^{-r} = ∫_r^∞ e^{-s} ds, the mass within R is ∫_0^∞ e^{-s} V(min(s, R)) ds with V(s) ∝ s^d.
    """

    def weight(s):
        return np.exp(special.xlogy(dim, s) - s - special.gammaln(dim + 1.0))

    return integrated(weight, radii) + weight(radii)


def log_determinant(r, phi):
    """Logarithm of the determinant of the derivatives of the point by r, φ₁, …, φ_{d-1}."""

    def point(r, phi):
        return r * np.append(np.cos(phi), 1.0) * np.append(1.0, np.cumprod(np.sin(phi)))

    steps = 1j * STEP * np.eye(len(phi) + 1)
    return np.linalg.slogdet([point(r + step[0], phi + step[1:]).imag / STEP for step in steps])[1]


def compare(dim, rng):
    """Both sides of the forms at radii up to the 0.999 quantile of ‖z‖, in units of 1/λ; random angles.

    ``printed_density`` is the CDF by the density that the note prints for the radius, ∝ exp(-λr).
    """
    radii = np.linspace(0.0, special.gammainccinv(dim, 1e-3), 41)
    cdf, radii = radius_cdf(radii, dim)[1:], radii[1:]
    places = list(zip(radii, rng.uniform(0.2, np.pi - 0.2, (40, dim - 1)), strict=True))
    sides = {
        "erlang_cdf": (erlang_cdf(radii, dim), cdf),
        "printed_density": (-np.expm1(-radii), cdf),
        "jacobian": [np.array([log(*at) for at in places]) for log in (log_jacobian, log_determinant)],
    }
    return both_sides("vector_noise", sides, dim=dim, radius=radii)
