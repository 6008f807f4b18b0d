"""Angles of noise on rotations at given radii of indistinguishability (SO(3) paper, Section 3.4, Figure 3).

Mechanisms at the ε at which rotation Laplace has the radius ρ: rotation Laplace, and Bingham with three
budgets. That of Appendix F is ε_B = (π/4)ε. As the abstract reads, Bingham is (π/4)ε_B φ₆-private, so ε_B =
(4/π)ε gives ε φ₆-privacy. The one that spends the same level is ε_B = 2ε.
"""

import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from dirpriv.geometry import rotation_distances as metrics
from study.papers import rotations
from study.simulation import seeding
from study.simulation.estimates import histogram_of_angles, mean_of_draws, quantile_of_draws, tidy_row
from study.simulation.mechanisms import class_of
from study.workflow.job import InputError, job, with_progress, write_tables

COMPARED = [
    ("rotation_laplace", "tight"),
    ("rotation_bingham", "published"),
    ("rotation_bingham", "abstract"),
    ("rotation_bingham", "tight"),
]


def mechanism_by(name, calibration, epsilon):
    """The mechanism of a calibration; that of the abstract is the tight one, 2ε', at ε' = (2/π)ε."""
    if calibration == "abstract":
        epsilon, calibration = 2.0 * epsilon / np.pi, "tight"
    return class_of(name)(epsilon, calibration=calibration)


def draw_angles(mechanism, truth, draws, rng):
    """Angles in degrees between a rotation and its private versions."""
    noisy = mechanism.noise.rvs(truth, draws, rng=rng)
    return np.rad2deg(metrics.phi6(truth, noisy))


def summarise(angles, distribution, cell, settings):
    """Mean, quantiles and radius ρ of drawn angles, one row each, with its interval and the distribution's value."""
    ordered = np.sort(angles)
    shares = {f"quantile_{share:g}": share for share in settings["probabilities"]}
    estimates = [("mean_angle", mean_of_draws(angles), distribution.mean_angle())] + [
        (metric, quantile_of_draws(ordered, share), distribution.radius(share))
        for metric, share in {**shares, "radius": settings["level"]}.items()
    ]
    cell = cell | dict(kappa=distribution.kappa, n=len(angles), unit="deg")
    return [
        tidy_row("rotation_angles", estimate, **cell, metric=metric, expected=np.rad2deg(expected))
        for metric, estimate, expected in estimates
    ]


def histogram(angles, distribution, cell, settings):
    """Drawn density of the angle per degree, in bins of equal width, with its interval and the distribution's."""
    columns = histogram_of_angles(angles, settings["bins"], expected=distribution.angle_cdf)
    return pd.DataFrame(dict(experiment="rotation_angles", **cell, kappa=distribution.kappa, n=len(angles), **columns))


def simulate(settings, seed):
    """All mechanisms at all radii: rows of :func:`summarise`, and of :func:`histogram`."""
    rows, histograms = [], []
    truth = Rotation.random(None, seeding.generator(seed, "rotation_angles", "truth"))
    cells = [(radius, *pair) for radius in settings["radii_degrees"] for pair in COMPARED]
    for radius, name, calibration in with_progress("angles of rotations", cells):
        try:
            epsilon = rotations.epsilon_of_radius(np.deg2rad(radius), settings["level"])
        except ValueError as error:
            raise InputError(str(error)) from None
        mechanism = mechanism_by(name, calibration, epsilon)
        rng = seeding.generator(seed, "rotation_angles", name, calibration, radius)
        angles = draw_angles(mechanism, truth, settings["draws"], rng)
        cell = dict(mechanism=name, calibration=calibration, radius=radius, epsilon=epsilon)
        rows += summarise(angles, mechanism.noise, cell, settings)
        histograms.append(histogram(angles, mechanism.noise, cell, settings))
    return pd.DataFrame(rows), pd.concat(histograms)


if __name__ == "__main__":
    with job(snakemake):
        summary, histograms = simulate(snakemake.params.settings, snakemake.params.seed)
        write_tables(snakemake.output, summary=summary, histograms=histograms)
