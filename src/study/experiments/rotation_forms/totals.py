"""Numbers that formulas of the SO(3) paper must give, such as a whole probability, beside what they are."""

import numpy as np
import pandas as pd
from scipy import special

from dirpriv.distributions import RotationLaplace, RotationUniform
from study.papers import rotations
from study.papers.directions import subsphere_area
from study.simulation.estimates import integrated


def compare(settings):
    """All numbers as ``printed`` and ``exact``, a row for each, and their ``difference``."""
    dimensions, epsilons = settings["dimensions"], settings["epsilons"]
    cells = [({}, group_volumes())]
    cells += [(dict(dim=n), {"riccati_bessel": (largest_riccati_bessel(n - 2), subsphere_area(n))}) for n in dimensions]
    cells += [(dict(epsilon=epsilon), bingham_numbers(epsilon)) for epsilon in epsilons]
    cells += [(dict(dim=n, epsilon=kappa), sphere_masses(n, kappa)) for n in dimensions for kappa in epsilons]
    table = pd.DataFrame([
        {"experiment": "rotation_forms", "form": form, "dim": None, "epsilon": np.nan, **cell}
        | dict(printed=printed, exact=exact, difference=printed - exact)
        for cell, forms in cells for form, (printed, exact) in forms.items()
    ])  # fmt: skip
    return table.astype({"dim": "Int64"})


def group_volumes():
    """Volumes of SO(3) by Haar measure over axes and angles, as it is and normalised."""
    angle = _integral(lambda theta: np.sin(0.5 * theta) ** 2)
    return {
        "haar_volume": (8.0 * np.pi**2, 4.0 * angle * 4.0 * np.pi),
        "haar_unit": (1.0, angle / (2.0 * np.pi**2) * 4.0 * np.pi),
    }


def sphere_masses(dim, kappa):
    """Masses of the densities of Eqs. 7, 8 and 10, 11 on the sphere S^{n-1}, n = ``dim``.

    ``purkayastha`` has F_{n-1} as in Eq. 10, ``purkayastha_product`` the product of Eq. 11, which is of
    F_{n-2}; in both S_{n-2} is the area of the sphere S^{n-2}.
    """
    m, order, end = dim - 2, 0.5 * dim - 1.0, np.exp(-np.pi * kappa)
    constant = kappa**order / ((2.0 * np.pi) ** (order + 1.0) * special.ive(order, kappa))  # times e^κ
    mass = _integral(lambda theta: np.sin(theta) ** m * np.exp(kappa * (np.cos(theta) - 1.0)))
    f_m, f_next = (_integral(lambda t, n=n: np.sin(t) ** n * np.exp(-kappa * t)) for n in (m, m + 1))
    product = np.prod(kappa**2 + np.arange(2.0 - dim % 2, m + 1.0, 2.0) ** 2) / special.factorial(m)
    product *= 1.0 / (1.0 + end) if dim % 2 else kappa / (1.0 - end)
    return {
        "von_mises_fisher": (constant * subsphere_area(dim) * mass, 1.0),
        "purkayastha": (f_m / f_next, 1.0),
        "purkayastha_product": (product * f_m, 1.0),
    }


def bingham_numbers(epsilon):
    """Numbers of the Bingham distribution, and of rejection, at one ε.

    Mass of the density of Eq. 13 with C_BD the integral of Eq. 14. This integral by Eq. 15, whose function of
    a matrix is e^{-ε} times that of the number ε, as Z + εI has one entry that is not 0. The density at its
    mode, rightly normalised, with Z + cI and with Z (Eq. 16). The rate -d ln a/dε at which the share a of
    accepted proposals falls, at ε = 0 and at ε, which is the mean angle of what is accepted.
    """
    whole, shift = bingham_integral(-epsilon, 0.0), 0.5 * epsilon
    series = 2.0 * np.pi**2 * np.exp(-epsilon) * special.hyp1f1(0.5, 2.0, epsilon)
    return {
        "bingham": (whole**2, 1.0),
        "bingham_series": (series, whole),
        "bingham_shift": (np.exp(shift) / bingham_integral(shift - epsilon, shift), 1.0 / whole),
        "acceptance_haar": (RotationUniform().mean_angle(), RotationLaplace(epsilon).mean_angle()),
        "acceptance_printed": (0.5 * np.pi, rotations.printed_mean_angle(epsilon)),
    }


def largest_riccati_bessel(order):
    """Largest |x j_order(x)| over x: its first maximum, as the later ones fall towards 1."""
    x = np.linspace(0.0, 4.0 * order + 20.0, 100_001)
    return float(np.abs(x * special.spherical_jn(order, x)).max())


def bingham_integral(z, last):
    """∫ exp(xᵀZx) dx over S³ for Z = diag(z, z, z, last): Eq. 14."""
    ring = _integral(lambda t: np.sin(t) ** 2 * np.exp(z * np.sin(t) ** 2 + last * np.cos(t) ** 2))
    return 4.0 * np.pi * ring


def _integral(function):
    return integrated(function, [0.0, np.pi], epsabs=0.0)[-1]
