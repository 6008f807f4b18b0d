"""Theorem 24 of paper A: the mean angles of wrapped Laplace and Purkayastha, and the printed term."""

import numpy as np
import pandas as pd

from dirpriv.distributions import Purkayastha, WrappedLaplace
from study.experiments.theorem_24.formulas import bound, crossing, difference, margin
from study.simulation.estimates import grid
from study.workflow.job import job, write_tables


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
    by_distributions = np.abs(wrapped - purkayastha - table["difference"])
    closed = np.abs(table["difference"] - table["bound"] - table["margin"])
    table["disagreement"] = np.maximum(by_distributions, closed)
    return table


def readings(table):
    """A row for each order of the scattered parts of the inequality, the one that errs less first.

    Both say that E_WL > E_Pur. With E_WL between the two others, the term bounds it from above; with E_Pur + term
    between, from below. ``margin``, in radians, is the least of what must be positive, at ``kappa``; ``shortfall``
    is its negative, and ``share`` this over E_WL. ``margin_of_half`` is the least where κ < 2/π or κ > 2/π, in which
    the order holds (``half``).
    """
    for reading, sign in (("wrapped_laplace_between", -1.0), ("printed_term_between", 1.0)):
        margin = sign * table["margin"]
        worst, half = margin.idxmin(), sign * (table["kappa"] - 2.0 / np.pi) > 0.0
        yield dict(
            reading=reading, kappa=table["kappa"][worst], margin=margin[worst], shortfall=-margin[worst],
            share=-margin[worst] / table["mean_wrapped_laplace"][worst], rows=len(table),
            rows_holding=(margin > 0.0).sum(),
            half="below 2/pi" if sign < 0.0 else "above 2/pi", margin_of_half=margin[half].min(),
        )  # fmt: skip


def limits(kappas):
    """Distance of both means from their limits: 0 as κ → ∞, where κ is above 1, and π/2 as κ → 0.

    ``rate`` is 1/κ or κ, and the distance is below it: 1/κ is above both means, which near κ = 0 are π/2 -
    κ²π³/24 (wrapped Laplace) and π/2 - κπ²/12.
    """
    for kappa in kappas:
        end, limit, rate = ("infinity", 0.0, 1.0 / kappa) if kappa > 1.0 else ("zero", np.pi / 2.0, kappa)
        for name, distribution in (("wrapped_laplace", WrappedLaplace(kappa)), ("purkayastha", Purkayastha(2, kappa))):
            distance = abs(float(distribution.mean_angle()) - limit)
            yield dict(distribution=name, kappa=kappa, end=end, limit=limit, distance=distance, rate=rate)


def summary(table):
    """Summary of the table in a few rows: quantity, value."""
    root = crossing(0.1, 2.0)
    rows = {
        "concentrations": len(table),
        "outer inequality holds at": int(table["outer_holds"].sum()),
        "crossing of the printed term": repr(root),
        "crossing less 2/pi": f"{root - 2.0 / np.pi:.1e}",
        "largest disagreement of distributions and closed forms": f"{table['disagreement'].max():.1e}",
    }
    return pd.DataFrame({"quantity": rows.keys(), "value": rows.values()})


if __name__ == "__main__":
    with job(snakemake):
        table = theorem_24(grid(snakemake.params.settings))
        ends = limits(snakemake.params.settings["limits"])
        write_tables(snakemake.output, table=table, summary=summary(table), readings=readings(table), limits=ends)
