"""Expected distances from the mode, drawn and computed (paper A, Appendix B.1.1 and Figure 10)."""

import numpy as np
import pandas as pd

from dirpriv import seeding
from dirpriv.laws.published import expected_angle, expected_chord
from study.core.job import Progress, job, write_csv
from study.core.mean_errors import Z95
from study.core.mechanisms import law_of

METRICS = {"mean_chord": "1", "mean_angle": "rad"}
"""The distances and their units: the chord d₂ = 2 sin(θ/2) is in radii, the angle d∡ = θ in radians."""


def published_mean(name, dim, kappa, metric):
    """The paper's own formula for a mean distance, nan where it has none or none that can be evaluated.

    Eq. 6 is for the chord of the von Mises-Fisher law, Eq. 13 for the angle of the Purkayastha law.
    """
    formula = {
        ("von_mises_fisher", "mean_chord"): expected_chord,
        ("purkayastha", "mean_angle"): expected_angle,
    }.get((name, metric))
    if formula is None:
        return np.nan
    with np.errstate(all="ignore"):
        return float(formula(dim, kappa))


def simulate(name, settings, seed, progress=None):
    """Mean distances of one law over the grid of dimensions and concentrations.

    Parameters
    ----------
    name : str
        Name of the law.
    settings : dict
        ``expected_distances`` of the configuration.
    seed : int
    progress : study.core.job.Progress, optional

    Returns
    -------
    pandas.DataFrame
        Columns experiment, law, dim, kappa, n (draws), metric, unit, value, standard_error, low, high,
        expected (by the law), published (by the paper's formula) and z, the standardised difference of
        value and expected; a row per cell and metric.
    """
    cells = [(dim, kappa) for dim in settings["dimensions"] for kappa in settings["kappas"]]
    draws = settings["draws"]
    rows = []
    for done, (dim, kappa) in enumerate(cells, start=1):
        law = law_of(name, dim, kappa)
        angles = law.angle_rvs(draws, rng=seeding.generator(seed, "expected_distances", name, dim, kappa))
        distances = {"mean_chord": 2.0 * np.sin(angles / 2.0), "mean_angle": angles}
        for metric, unit in METRICS.items():
            value = float(distances[metric].mean())
            error = float(distances[metric].std(ddof=1) / np.sqrt(draws))
            expected = getattr(law, metric)()
            rows.append(
                {
                    "experiment": "expected_distances",
                    "law": name,
                    "dim": dim,
                    "kappa": kappa,
                    "n": draws,
                    "metric": metric,
                    "unit": unit,
                    "value": value,
                    "standard_error": error,
                    "low": value - Z95 * error,
                    "high": value + Z95 * error,
                    "expected": expected,
                    "published": published_mean(name, dim, kappa, metric),
                    "z": (value - expected) / error,
                }
            )
        if progress:
            progress.update(done)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    with job(snakemake):
        name, settings = snakemake.wildcards.law, snakemake.params.settings
        total = len(settings["dimensions"]) * len(settings["kappas"])
        table = simulate(
            name, settings, snakemake.params.seed, Progress(f"expected distances, {name}", total)
        )
        write_csv(table, snakemake.output[0])
