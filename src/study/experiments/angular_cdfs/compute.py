"""Angular CDFs by the distribution, by formula, by numerical integration and by draws (paper A, Appendix B.1.2)."""

import numpy as np
import pandas as pd

from study.papers.directions import closed_form_cdf, humbert_cdf
from study.simulation import seeding
from study.simulation.estimates import integrated
from study.simulation.mechanisms import distribution_of
from study.workflow.job import job, with_progress, write_csv

PUBLISHED = {"purkayastha": closed_form_cdf, "von_mises_fisher": humbert_cdf}  # Eq. 14 and Eq. 7


def compute(table, draws, seed):
    """The table of the formulas in high precision, with the CDF by distribution, formula, integral and draws."""
    tables, cells = [], list(table.groupby(["distribution", "dim", "kappa"], sort=False))
    for (name, dim, kappa), cell in with_progress("angular CDFs", cells):
        distribution, angles = distribution_of(name, dim, kappa), cell["angle"].to_numpy()
        drawn = np.sort(distribution.angle_rvs(draws, rng=seeding.generator(seed, "angular_cdfs", name, dim, kappa)))
        tables.append(cell.assign(
            cdf=distribution.angle_cdf(angles), published=PUBLISHED[name](angles, dim, kappa),
            numerical=integrated(distribution.angle_pdf, angles), drawn=np.searchsorted(drawn, angles) / draws,
        ))  # fmt: skip
    return pd.concat(tables, ignore_index=True)


if __name__ == "__main__":
    with job(snakemake):
        params, table = snakemake.params, pd.read_csv(snakemake.input[0], float_precision="round_trip")
        write_csv(compute(table, params.draws, params.seed), snakemake.output[0])
