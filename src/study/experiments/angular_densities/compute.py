"""Angular densities and mean angles of Purkayastha and its Laplace baselines (paper A, Figure 2)."""

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from dirpriv.laws import PolarLaplace, Purkayastha, WrappedLaplace
from study.core.job import job, write_csv

PAIRS = {
    2: {"purkayastha": lambda kappa: Purkayastha(2, kappa), "wrapped_laplace": WrappedLaplace},
    3: {"purkayastha": lambda kappa: Purkayastha(3, kappa), "polar_laplace": PolarLaplace},
}
"""By dimension: the two laws that are compared, by name."""


def densities(settings):
    """Densities of the angle from the mode, per radian."""
    angles = np.linspace(0.0, np.pi, settings["points"])
    tables = [
        pd.DataFrame(dict(law=name, dim=dim, kappa=kappa, angle=angles, value=make(kappa).angle_pdf(angles)))
        for dim, laws in PAIRS.items()
        for name, make in laws.items()
        for kappa in settings["kappas"]
    ]
    return pd.concat(tables, ignore_index=True)


def mean_angles(settings):
    """Mean angles over the range of concentrations: columns law, dim, kappa, value (radians)."""
    low, high = settings["kappa_range"]
    rows = [
        {"law": name, "dim": dim, "kappa": kappa, "value": make(kappa).mean_angle()}
        for dim, laws in PAIRS.items()
        for name, make in laws.items()
        for kappa in np.geomspace(low, high, settings["points"])
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
