"""Error of the private circular mean, in the central and the local model (paper A, Section 4.2).

In the central model it is the mean angle of one draw: ``value`` is the integral of the distribution's survival
function, ``expected`` the distribution's own formula. In the local model ``value`` is simulated.
"""

import numpy as np

from dirpriv import estimators
from study.checkins.prepared import population_of
from study.simulation.estimates import Estimate, mean_of_cdf, tidy_row
from study.simulation.mean_errors import mean_local_error
from study.simulation.mechanisms import distinct_calibrations, pure_mechanism
from study.workflow.job import job, with_progress, write_rows

UNITS = {"rad": 1.0, "h": 24.0 / (2.0 * np.pi)}
PANELS = 2048  # of the integral of a survival function; the jump of clipped Laplace leaves 1e-4 of it


def settings_of_points(settings):
    """The points of the study: (view, ε, number of responses); the number is 0 in the central model."""
    points = [("central", epsilon, 0) for epsilon in settings["epsilons"]]
    points += [("local_epsilon", epsilon, settings["responses"]) for epsilon in settings["epsilons"]]
    points += [("local_responses", settings["epsilon"], responses) for responses in settings["responses_grid"]]
    return points


def mode_of(distribution, population):
    """The mean of the population as an argument of a distribution that is not symmetric; none for others."""
    return () if distribution.is_symmetric else (float(estimators.circular_mean(population.angles)),)


def central_error(mechanism, population):
    """MAE of one draw around the mean of the population, integrated."""
    distribution, mode = mechanism.noise, mode_of(mechanism.noise, population)
    return Estimate(mean_of_cdf(lambda theta: distribution.angle_cdf(theta, *mode), PANELS), 0.0, 0)


def expected_error(mechanism, population, view, responses):
    """The error by theory: exact if central, asymptotic if local, and its limit if means tend elsewhere."""
    distribution = mechanism.noise
    if view == "central":
        return distribution.mean_angle(*mode_of(distribution, population))
    if not distribution.is_symmetric:
        return estimators.asymptotic_bias(distribution, population.vectors)
    return estimators.expected_mean_error(distribution, responses, angles=population.angles)


def simulate(name, population, population_name, calibrations, settings, seed):
    """Mean absolute errors of one mechanism on one population, a row for each point and unit."""
    calibrations = distinct_calibrations(name, calibrations)
    points = [(c, *point) for c in calibrations for point in settings_of_points(settings)]
    label = f"circular mean, {population_name}, {name}"
    for calibration, view, epsilon, responses in with_progress(label, points):
        mechanism = pure_mechanism(name, epsilon, calibration)
        cell = ("circular_mean", "local", population_name, name, calibration, epsilon)
        if view == "central":
            error = central_error(mechanism, population)
        else:
            people = ("circular_mean", "people", population_name)
            wanted = seed, settings["half_width"], settings["most_draws"]
            error = mean_local_error(mechanism, population, responses, cell, people, *wanted)
        expected = expected_error(mechanism, population, view, responses)
        for unit, factor in UNITS.items():
            yield tidy_row(
                "circular_mean", error, factor, view=view, population=population_name, mechanism=name,
                calibration=calibration, dim=2, epsilon=epsilon, kappa=mechanism.noise.kappa,
                n=responses or len(population.angles), metric="mae", unit=unit, expected=expected * factor,
                repetitions=error.repetitions,
            )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        name, population_name = snakemake.wildcards.mechanism, snakemake.wildcards.population
        params = snakemake.params
        population = population_of(population_name, snakemake.input, params.hour)
        table = simulate(name, population, population_name, params.calibrations, params.settings, params.seed)
        write_rows(table, snakemake.output[0])
