"""The paper's angular CDFs, Eqs. 7 and 14, with as many digits as they need."""

import itertools

import numpy as np

from study.simulation.high_precision import closed_form_cdf, evaluated, humbert_cdf
from study.simulation.mechanisms import distribution_of
from study.workflow.job import job, with_progress, write_csv

FORMULAS = {"purkayastha": closed_form_cdf, "von_mises_fisher": humbert_cdf}


def angles_of(distribution, settings):
    """Angles at which a CDF is evaluated: evenly spaced over [0, π], and some of the distribution's own quantiles.

    Without the quantiles a concentrated distribution would be compared only where its CDF is 0 or 1.
    """
    even = np.linspace(0.0, np.pi, settings["points"])
    return np.unique(np.concatenate([even, distribution.angle_ppf(settings["probabilities"])]))


def evaluate(name, settings):
    """The CDFs of one distribution over the grid of dimensions and concentrations, each with its number of digits."""
    cells = itertools.product(settings["dimensions"], settings["kappas"])
    for dim, kappa in with_progress(f"high precision, {name}", cells):
        for angle in angles_of(distribution_of(name, dim, kappa), settings):
            value, digits = evaluated(FORMULAS[name], dim, kappa, angle)
            yield dict(distribution=name, dim=dim, kappa=kappa, angle=angle, high_precision=value, digits=digits)


if __name__ == "__main__":
    with job(snakemake):
        write_csv(evaluate(snakemake.wildcards.distribution, snakemake.params.settings), snakemake.output[0])
