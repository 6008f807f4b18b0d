"""Theorem 24 of paper A: the mean angles of wrapped Laplace and Purkayastha, and the bound between them."""

import numpy as np
import pandas as pd

from dirpriv.distributions import Purkayastha, WrappedLaplace
from study.experiments.theorem_24.formulas import bound, crossing, difference, margin
from study.simulation.estimates import grid
from study.workflow.job import job, write_csv


def theorem_24(kappas):
    """Means by the distributions, the rest by the closed forms; ``disagreement`` is the largest deviation."""
    kappas = np.asarray(kappas, dtype=float)
    wrapped = np.array([WrappedLaplace(kappa).mean_angle() for kappa in kappas])
    purkayastha = np.array([Purkayastha(2, kappa).mean_angle() for kappa in kappas])
    table = pd.DataFrame(dict(
        kappa=kappas, mean_wrapped_laplace=wrapped, mean_purkayastha=purkayastha,
        difference=difference(kappas), bound=bound(kappas), middle=purkayastha + bound(kappas),
        margin=margin(kappas),
    ))  # fmt: skip
    table["outer_holds"] = table["difference"] > 0.0
    table["middle_holds"] = table["margin"] > 0.0
    by_distributions = np.abs(wrapped - purkayastha - table["difference"])
    closed = np.abs(table["difference"] - table["bound"] - table["margin"])
    table["disagreement"] = np.maximum(by_distributions, closed)
    return table


def limits(kappas):
    """Distance of both means from their limits: 0 as κ → ∞, where κ is above 1, and π/2 as κ → 0.

    ``rate`` is 1/κ or κ, and the distance is below it: 1/κ is above both means, which near κ = 0 are π/2 -
    κ²π³/24 (wrapped Laplace) and π/2 - κπ²/12.
    """
    rows = []
    for kappa in kappas:
        end, limit, rate = ("infinity", 0.0, 1.0 / kappa) if kappa > 1.0 else ("zero", np.pi / 2.0, kappa)
        for name, distribution in (("wrapped_laplace", WrappedLaplace(kappa)), ("purkayastha", Purkayastha(2, kappa))):
            distance = abs(float(distribution.mean_angle()) - limit)
            rows.append(dict(distribution=name, kappa=kappa, end=end, limit=limit, distance=distance, rate=rate))
    return pd.DataFrame(rows)


def summary(table):
    """Summary of the table in a few rows: quantity, value."""
    root = crossing(0.1, 2.0)
    rows = {
        "concentrations": len(table),
        "outer inequality holds at": int(table["outer_holds"].sum()),
        "middle inequality holds at": int(table["middle_holds"].sum()),
        "crossing of the middle inequality": repr(root),
        "crossing less 2/pi": f"{root - 2.0 / np.pi:.1e}",
        "largest disagreement of distributions and closed forms": f"{table['disagreement'].max():.1e}",
    }
    return pd.DataFrame({"quantity": rows.keys(), "value": rows.values()})


if __name__ == "__main__":
    with job(snakemake):
        table = theorem_24(grid(snakemake.params.settings))
        write_csv(table, snakemake.output.table)
        write_csv(summary(table), snakemake.output.summary)
        write_csv(limits(snakemake.params.settings["limits"]), snakemake.output.limits)
