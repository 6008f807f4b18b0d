"""Angular CDFs by the law, by the paper's closed forms and by numerical integration (Appendix B.1.2)."""

import itertools

import numpy as np
import pandas as pd

from dirpriv.laws.published import closed_form_cdf, humbert_cdf
from study.core.estimates import integrated
from study.core.job import job, with_progress, write_csv
from study.core.mechanisms import law_of

PUBLISHED = {"purkayastha": closed_form_cdf, "von_mises_fisher": humbert_cdf}
"""The paper's forms: Eq. 14 and Eq. 7."""

METHODS = ("published", "numerical")


def angles_of(law, settings):
    """Angles at which a law is looked at: evenly over [0, π], and at some of its own quantiles.

    Without the quantiles a concentrated law would be compared only where its CDF is 0 or 1.
    """
    even = np.linspace(0.0, np.pi, settings["points"])
    return np.unique(np.concatenate([even, law.angle_ppf(settings["probabilities"])]))


def compute(name, settings):
    """CDFs of one law over the grid of dimensions and concentrations: ours, the paper's, and numerical."""
    cells = list(itertools.product(settings["dimensions"], settings["kappas"]))
    tables = []
    for dim, kappa in with_progress(f"angular CDFs, {name}", cells):
        law = law_of(name, dim, kappa)
        angles = angles_of(law, settings)
        with np.errstate(all="ignore"):
            by_paper = PUBLISHED[name](angles, dim, kappa)
        tables.append(pd.DataFrame(dict(
            law=name, dim=dim, kappa=kappa, angle=angles, cdf=law.angle_cdf(angles), published=by_paper,
            numerical=integrated(law.angle_pdf, angles),
        )))  # fmt: skip
    return pd.concat(tables, ignore_index=True)


if __name__ == "__main__":
    with job(snakemake):
        write_csv(compute(snakemake.wildcards.law, snakemake.params.settings), snakemake.output[0])
