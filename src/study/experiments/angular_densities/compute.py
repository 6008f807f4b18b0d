"""Angular densities and mean angles of Purkayastha and its Laplace baselines (paper A, Figure 2)."""

from functools import partial

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from dirpriv.laws import PolarLaplace, Purkayastha, WrappedLaplace
from study.core.job import job, write_csv

LAWS = {
    (2, "purkayastha"): partial(Purkayastha, 2),
    (2, "wrapped_laplace"): WrappedLaplace,
    (3, "purkayastha"): partial(Purkayastha, 3),
    (3, "polar_laplace"): PolarLaplace,
}
"""The two laws compared in each dimension, by name."""


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
