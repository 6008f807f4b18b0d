"""Expected distances from the mode, by draws and by four methods (paper A, Appendix B.1.1, Figure 10)."""

import itertools

import numpy as np

from study.papers import directions
from study.simulation import high_precision, seeding
from study.simulation.estimates import integrated, mean_of_draws, tidy_row
from study.simulation.mechanisms import distribution_of
from study.workflow.job import job, with_progress, write_rows

METRICS = {"mean_chord": ("1", lambda angles: 2.0 * np.sin(angles / 2.0)), "mean_angle": ("rad", np.positive)}
"""The distances as functions of the angle, and their units: chord d₂ in radii, angle d∡ = θ in radians."""

FORMULAS = {
    ("von_mises_fisher", "mean_chord"): (directions.expected_chord, high_precision.expected_chord),
    ("purkayastha", "mean_angle"): (directions.expected_angle, high_precision.expected_angle),
}
"""The paper's formulas by distribution and distance: Eq. 6 and Eq. 13, in double and in high precision."""


def by_integration(distribution, distance):
    """A mean distance as an integral by SciPy's quadrature, between quantiles of the distribution."""
    ends = np.unique([0.0, *distribution.angle_ppf([1e-6, 0.01, 0.5, 0.99, 1.0 - 1e-6]), np.pi])
    return integrated(lambda angle: distance(angle) * distribution.angle_pdf(angle), ends)[-1]


def simulate(name, settings, seed):
    """Mean distances of one distribution over the grid; ``z`` is the difference in standard errors."""
    draws, cells = settings["draws"], itertools.product(settings["dimensions"], settings["kappas"])
    for dim, kappa in with_progress(f"expected distances, {name}", cells):
        distribution = distribution_of(name, dim, kappa)
        angles = distribution.angle_rvs(draws, rng=seeding.generator(seed, "expected_distances", name, dim, kappa))
        for metric, (unit, distance) in METRICS.items():
            in_doubles, in_digits = FORMULAS.get((name, metric), (lambda *cell: np.nan, None))
            value, digits = high_precision.evaluated(in_digits, dim, kappa) if in_digits else (np.nan, np.nan)
            mean, expected = mean_of_draws(distance(angles)), getattr(distribution, metric)()
            yield tidy_row(
                "expected_distances", mean, distribution=name, dim=dim, kappa=kappa, n=draws, metric=metric,
                unit=unit, expected=expected, z=(mean.value - expected) / mean.standard_error,
                numerical=by_integration(distribution, distance), published=in_doubles(dim, kappa),
                high_precision=value, digits=float(digits),
            )  # fmt: skip


def curves(name, settings):
    """The distribution's own mean distances at concentrations between those of the grid, for lines of a figure."""
    kappas = np.geomspace(min(settings["kappas"]), max(settings["kappas"]), settings["points"])
    for dim, kappa, metric in itertools.product(settings["dimensions"], kappas, METRICS):
        mean = float(getattr(distribution_of(name, dim, kappa), metric)())
        yield dict(distribution=name, dim=dim, kappa=kappa, metric=metric, expected=mean)


if __name__ == "__main__":
    with job(snakemake):
        params, name = snakemake.params, snakemake.wildcards.distribution
        write_rows(simulate(name, params.settings, params.seed), snakemake.output.table)
        write_rows(curves(name, params.settings), snakemake.output.curves)
