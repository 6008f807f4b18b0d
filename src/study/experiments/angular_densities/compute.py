"""Angular densities and mean angles of Purkayastha and its Laplace baselines (paper A, Figure 2).

The paper's formulas of densities, Eqs. 15 and 16 and Lemma 8, are compared with the same computed otherwise.
"""

import itertools
from functools import partial

import numpy as np
import pandas as pd
from scipy import special
from scipy.integrate import quad
from scipy.optimize import brentq

from dirpriv.laws import PolarLaplace, Purkayastha, VonMisesFisher, WrappedLaplace, published
from study.core.job import job, write_csv

LAWS = {
    (2, "purkayastha"): partial(Purkayastha, 2),
    (2, "wrapped_laplace"): WrappedLaplace,
    (3, "purkayastha"): partial(Purkayastha, 3),
    (3, "polar_laplace"): PolarLaplace,
}
"""The two laws compared in each dimension, by name."""

COLUMNS = ["formula", "law", "dim", "kappa", "relative", "mass"]  # of the table of formulas
TURNS = 1000  # of the line around the circle, to either side


def densities(settings):
    """Densities of the angle from the mode, per radian."""
    angles = np.linspace(0.0, np.pi, settings["points"])
    tables = [
        pd.DataFrame(dict(law=name, dim=dim, kappa=kappa, angle=angles, value=make(kappa).angle_pdf(angles)))
        for (dim, name), make in LAWS.items()
        for kappa in settings["kappas"]
    ]
    return pd.concat(tables, ignore_index=True)


def mean_angles(settings):
    """Mean angles over the range of concentrations: columns law, dim, kappa, value (radians)."""
    rows = [
        {"law": name, "dim": dim, "kappa": kappa, "value": make(kappa).mean_angle()}
        for (dim, name), make in LAWS.items()
        for kappa in np.geomspace(*settings["kappa_range"], settings["points"])
    ]
    return pd.DataFrame(rows)


def wrapped_densities(settings):
    """Eqs. 15 and 16 against the Laplace density of the line, summed over its turns around the circle.

    Eq. 15 is the density all around the circle, Eq. 16 that of the angle. In a row are the largest relative
    difference and the integral of the formula.
    """
    half, turns = np.linspace(0.0, np.pi, settings["points"])[:-1], 2.0 * np.pi * np.arange(-TURNS, TURNS + 1)
    rows = []
    for kappa in settings["kappas"]:
        for formula, printed, parts in (
            ("Eq. 15", published.wrapped_laplace_pdf, 1),
            ("Eq. 16", published.wrapped_laplace_angle_pdf, 2),
        ):
            angles = half * (2 / parts)
            wrapped = parts * kappa / 2.0 * np.exp(-kappa * np.abs(angles[:, None] + turns)).sum(axis=1)
            largest = _largest(printed(angles, kappa), wrapped)
            mass = quad(printed, 0.0, 2.0 * np.pi / parts, args=(kappa,))[0]
            rows.append((formula, "wrapped_laplace", 2, kappa, largest, mass))
    return rows


def mixture_densities(settings):
    """Lemma 8, S_{n-2} (1-t²)^((n-3)/2) times the kernel, against our density of the angle over sin θ.

    t is cos θ. The kernels have the paper's own constants. The paper defines the mixture density as the
    integral of the density over the x with μᵀx = t. They are a sphere of radius √(1-t²), so this has the
    exponent (n-2)/2.
    """
    t = np.linspace(-1.0, 1.0, settings["points"])[1:-1]
    rows = []
    for dim, kappa in itertools.product(settings["dimensions"], settings["kappas"]):
        for name, (law, kernel) in MIXTURES.items():
            expected = law(dim, kappa).angle_pdf(np.arccos(t)) / np.sin(np.arccos(t))
            for formula, power in (("Lemma 8", (dim - 3) / 2), ("definition", (dim - 2) / 2)):

                def printed(t, power=power, kernel=kernel, dim=dim, kappa=kappa):
                    return subsphere_area(dim) * (1.0 - t * t) ** power * kernel(t, dim, kappa)

                mass = quad(lambda theta, f=printed: f(np.cos(theta)) * np.sin(theta), 0.0, np.pi)[0]
                rows.append((formula, name, dim, kappa, _largest(printed(t), expected), mass))
    return rows


def _largest(values, expected):
    return np.abs(values / expected - 1.0).max()


def subsphere_area(dim):
    """S_{n-2}, the area of the unit sphere in R^(n-1) (Fact 6)."""
    return 2.0 * np.pi ** ((dim - 1) / 2.0) / special.gamma((dim - 1) / 2.0)


def von_mises_fisher_kernel(t, dim, kappa):
    """C_VMF exp(κt), C_VMF = κ^ν/((2π)^(ν+1) I_ν(κ)), ν = n/2 - 1 (paper B, Eqs. 7 and 8)."""
    order = dim / 2.0 - 1.0
    return kappa**order / (2.0 * np.pi) ** (dim / 2.0) / special.iv(order, kappa) * np.exp(kappa * t)


def purkayastha_kernel(t, dim, kappa):
    """exp(-κ arccos t)/(S_{n-2} F_{n-2,-κ}(π)), F as a product (paper B, Eqs. 10 and 11)."""
    even = dim % 2 == 0
    ends = -np.expm1(-kappa * np.pi) / kappa if even else 1.0 + np.exp(-kappa * np.pi)
    product = special.gamma(dim - 1.0) * ends / np.prod(kappa**2 + np.arange(1.0 + even, dim - 1.0, 2.0) ** 2)
    return np.exp(-kappa * np.arccos(t)) / (subsphere_area(dim) * product)


MIXTURES = {
    "von_mises_fisher": (VonMisesFisher, von_mises_fisher_kernel),
    "purkayastha": (Purkayastha, purkayastha_kernel),
}


def worse_than_uniform():
    """The concentration below which polar Laplace's mean angle exceeds π/2, that of uniform noise."""

    def excess(kappa):
        return float(PolarLaplace(kappa).mean_angle() - np.pi / 2.0)

    crossing = brentq(excess, 0.7, 2.0, xtol=1e-14, rtol=1e-14)
    return pd.DataFrame({"quantity": ["polar Laplace is worse than uniform below"], "value": [crossing]})


if __name__ == "__main__":
    with job(snakemake):
        settings = snakemake.params.settings
        write_csv(densities(settings), snakemake.output.densities)
        write_csv(mean_angles(settings), snakemake.output.means)
        write_csv(worse_than_uniform(), snakemake.output.crossing)
        rows = wrapped_densities(settings) + mixture_densities(settings)
        write_csv(pd.DataFrame(rows, columns=COLUMNS), snakemake.output.formulas)
