"""Angular densities and mean angles of Purkayastha and its Laplace baselines (paper A, Figure 2).

The paper's formulas of densities, Eqs. 15 and 16 and Lemma 8, are compared with the same computed otherwise.
"""

import itertools
from functools import partial

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.optimize import brentq

from dirpriv.distributions import PolarLaplace, Purkayastha, VonMisesFisher, WrappedLaplace
from study.papers import directions
from study.workflow.job import job, write_tables

DISTRIBUTIONS = {
    (2, "purkayastha"): partial(Purkayastha, 2),
    (2, "wrapped_laplace"): WrappedLaplace,
    (3, "purkayastha"): partial(Purkayastha, 3),
    (3, "polar_laplace"): PolarLaplace,
}
"""The two distributions compared in each dimension, by name."""

COLUMNS = ["formula", "distribution", "dim", "kappa", "relative", "mass", "mass_over_angle"]  # of the table of formulas
TURNS = 1000  # of the line around the circle, to either side


def densities(settings):
    """Densities of the angle from the mode, per radian."""
    angles = np.linspace(0.0, np.pi, settings["points"])
    tables = [
        pd.DataFrame(dict(distribution=name, dim=dim, kappa=kappa, angle=angles, value=make(kappa).angle_pdf(angles)))
        for (dim, name), make in DISTRIBUTIONS.items()
        for kappa in settings["kappas"]
    ]
    return pd.concat(tables, ignore_index=True)


def mean_angles(settings):
    """Mean angles over the range of concentrations: columns distribution, dim, kappa, value (radians)."""
    for (dim, name), make in DISTRIBUTIONS.items():
        for kappa in np.geomspace(*settings["kappa_range"], settings["points"]):
            yield {"distribution": name, "dim": dim, "kappa": kappa, "value": make(kappa).mean_angle()}


def wrapped_densities(settings):
    """Eqs. 15 (circle) and 16 (angle) against the wrapped line: largest relative difference, integral."""
    half, turns = np.linspace(0.0, np.pi, settings["points"])[:-1], 2.0 * np.pi * np.arange(-TURNS, TURNS + 1)
    for kappa in settings["kappas"]:
        for formula, printed, parts in (
            ("Eq. 15", directions.wrapped_laplace_pdf, 1),
            ("Eq. 16", directions.wrapped_laplace_angle_pdf, 2),
        ):
            angles = half * (2 / parts)
            wrapped = parts * kappa / 2.0 * np.exp(-kappa * np.abs(angles[:, None] + turns)).sum(axis=1)
            relative = np.abs(printed(angles, kappa) / wrapped - 1.0).max()
            mass = quad(printed, 0.0, 2.0 * np.pi / parts, args=(kappa,))[0]
            yield formula, "wrapped_laplace", 2, kappa, relative, mass, np.nan


def mixture_densities(settings):
    """Lemma 8, S_{n-2} (1-t²)^((n-3)/2) times the kernel, for von Mises-Fisher, against our density of cos θ.

    The paper defines the mixture density as the integral of the density over the x with μᵀx = t. They are a
    sphere of radius √(1-t²), so this integral has the exponent (n-2)/2. It is the density of the angle, over
    which it has the mass 1 (``mass_over_angle``); over t it has the mass E sin θ.
    """
    t = np.linspace(-1.0, 1.0, settings["points"])[1:-1]
    for dim, kappa in itertools.product(settings["dimensions"], settings["kappas"]):
        expected = VonMisesFisher(dim, kappa).angle_pdf(np.arccos(t)) / np.sin(np.arccos(t))
        factor = directions.subsphere_area(dim) * directions.von_mises_fisher_constant(dim, kappa)
        for formula, power in (("Lemma 8", (dim - 3) / 2), ("definition", (dim - 2) / 2)):

            def printed(t, power=power, factor=factor, kappa=kappa):
                return factor * (1.0 - t * t) ** power * np.exp(kappa * t)

            mass = quad(lambda theta, f=printed: f(np.cos(theta)) * np.sin(theta), 0.0, np.pi)[0]
            relative = np.abs(printed(t) / expected - 1.0).max()
            over_angle = quad(lambda theta, f=printed: f(np.cos(theta)), 0.0, np.pi)[0] if power > -0.5 else np.nan
            yield formula, "von_mises_fisher", dim, kappa, relative, mass, over_angle


def worse_than_uniform():
    """The concentration below which polar Laplace's mean angle exceeds π/2, that of uniform noise."""
    crossing = brentq(lambda kappa: PolarLaplace(kappa).mean_angle() - np.pi / 2.0, 0.7, 2.0, xtol=1e-14, rtol=1e-14)
    return pd.DataFrame({"quantity": ["polar Laplace is worse than uniform below"], "value": [crossing]})


if __name__ == "__main__":
    with job(snakemake):
        settings, output = snakemake.params.settings, snakemake.output
        rows = [*wrapped_densities(settings), *mixture_densities(settings)]
        write_tables(output, densities=densities(settings), means=mean_angles(settings), crossing=worse_than_uniform())
        write_tables(output, formulas=pd.DataFrame(rows, columns=COLUMNS))
