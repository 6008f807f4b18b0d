"""Expected distances from the mode, drawn and computed (paper A, Appendix B.1.1 and Figure 10)."""

import itertools

import numpy as np
import pandas as pd

from dirpriv import seeding
from dirpriv.laws.published import expected_angle, expected_chord
from study.core.estimates import mean_of_draws, tidy_row
from study.core.job import job, with_progress, write_csv
from study.core.mechanisms import law_of

METRICS = {"mean_chord": "1", "mean_angle": "rad"}
"""The distances and their units: the chord d₂ = 2 sin(θ/2) is in radii, the angle d∡ = θ in radians."""


FORMULAS = {("von_mises_fisher", "mean_chord"): expected_chord, ("purkayastha", "mean_angle"): expected_angle}
"""The paper's own, by law and distance: Eq. 6 and Eq. 13."""


def published_mean(name, dim, kappa, metric):
    """The paper's value of a mean distance, nan where it has no formula or none that can be evaluated."""
    formula = FORMULAS.get((name, metric), lambda dim, kappa: np.nan)
    with np.errstate(all="ignore"):
        return float(formula(dim, kappa))


def simulate(name, settings, seed):
    """Mean distances of one law over the grid of dimensions and concentrations.

    ``z`` is the difference to the expected mean in standard errors.
    """
    cells = list(itertools.product(settings["dimensions"], settings["kappas"]))
    draws = settings["draws"]
    rows = []
    for dim, kappa in with_progress(f"expected distances, {name}", cells):
        law = law_of(name, dim, kappa)
        angles = law.angle_rvs(draws, rng=seeding.generator(seed, "expected_distances", name, dim, kappa))
        distances = {"mean_chord": 2.0 * np.sin(angles / 2.0), "mean_angle": angles}
        for metric, unit in METRICS.items():
            mean, expected = mean_of_draws(distances[metric]), getattr(law, metric)()
            rows.append(tidy_row(
                "expected_distances", mean, law=name, dim=dim, kappa=kappa, n=draws, metric=metric,
                unit=unit, expected=expected, published=published_mean(name, dim, kappa, metric),
                z=(mean.value - expected) / mean.standard_error,
            ))  # fmt: skip
    return pd.DataFrame(rows)


if __name__ == "__main__":
    with job(snakemake):
        params = snakemake.params
        write_csv(simulate(snakemake.wildcards.law, params.settings, params.seed), snakemake.output[0])
