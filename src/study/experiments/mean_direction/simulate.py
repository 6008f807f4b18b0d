"""Error of the private mean direction of unit vectors, over privacy level and dimension.

Three views:

``central``         a trusted party randomises the mean direction once; one person can reverse it, so its
                    sensitivity is π (the diameter 2 for the baseline's noise), for any number of people.
                    It is integrated for a law that has a CDF, and simulated for the baseline
``central_vector``  the baseline alone: noise on the mean *vector*, which one of N people moves by at most
                    2/N, normalised afterwards; angular mechanisms have no such variant
``local``           every response is randomised; estimate = direction of the sum
"""

import itertools

import numpy as np

from dirpriv import estimators
from study.simulation import seeding
from study.simulation.estimates import Estimate, mean_of_cdf, tidy_row
from study.simulation.mean_errors import mean_central_error, mean_local_error
from study.simulation.mechanisms import distinct_calibrations, pure_mechanism
from study.simulation.populations import directions_of
from study.workflow.job import job, with_progress, write_rows

BASELINE = "vector_laplace"
PANELS = 256  # of the integral of the survival function of one draw; concentrated laws need as many


def simulate_point(view, population, mechanism, cell, people, seed, settings):
    """An estimate of one error, and its value by theory."""
    law, draws = mechanism.law, settings["most_numbers"] / population.vectors.shape[1]
    if view == "local":
        responses, wanted = settings["responses"], (seed, settings["local_half_width"], draws)
        error = mean_local_error(mechanism, population, responses, cell, people, *wanted)
        x = population.vectors if len(population.vectors) > 1 else None
        return error, estimators.normal_mean_error(law, responses, x=x)
    if hasattr(law, "angle_cdf"):
        return Estimate(mean_of_cdf(law.angle_cdf, PANELS), 0.0, 0), law.mean_angle()
    error = mean_central_error(mechanism, population, cell, seed, settings["central_half_width"], draws)
    return error, law.mean_angle()


def mechanism_at(name, view, epsilon, calibration, dim, population, responses):
    """The mechanism at one point of the study in this view."""
    if view == "central_vector":
        # noise with the rate Nε/2 on a mean vector of length R gives the same direction as noise with the
        # rate R Nε/2 on a unit vector
        resultant = float(np.linalg.norm(population.vectors.mean(axis=0)))
        return pure_mechanism(name, resultant * responses * epsilon, calibration, dim)
    return pure_mechanism(name, epsilon, calibration, dim)


def simulate(name, population_name, calibrations, settings, seed):
    """Mean absolute errors of one mechanism on one population, a row for each point."""

    def population_of(dim):
        rng = seeding.generator(seed, "mean_direction", "population", population_name, dim)
        return directions_of(population_name, dim, settings["resultant"], settings["people"], rng)

    rows, responses = [], settings["responses"]
    populations = {dim: population_of(dim) for dim in settings["dimensions"]}
    calibrations = distinct_calibrations(name, calibrations)
    views = ("central", "central_vector", "local") if name == BASELINE else ("central", "local")
    points = list(itertools.product(populations, calibrations, views, settings["epsilons"]))
    label = f"mean direction, {population_name}, {name}"
    for dim, calibration, view, epsilon in with_progress(label, points):
        population = populations[dim]
        mechanism = mechanism_at(name, view, epsilon, calibration, dim, population, responses)
        cell = ("mean_direction", view, population_name, name, calibration, dim, epsilon)
        people = ("mean_direction", "people", population_name, dim)
        error, expected = simulate_point(view, population, mechanism, cell, people, seed, settings)
        rows.append(tidy_row(
            "mean_direction", error, view=view, population=population_name, mechanism=name,
            calibration=calibration, dim=dim, epsilon=epsilon, kappa=mechanism.law.kappa, n=responses,
            metric="mae", unit="rad", expected=expected, repetitions=error.repetitions,
        ))  # fmt: skip
    return rows


if __name__ == "__main__":
    with job(snakemake):
        name, population_name = snakemake.wildcards.mechanism, snakemake.wildcards.population
        params = snakemake.params
        table = simulate(name, population_name, params.calibrations, params.settings, params.seed)
        write_rows(table, snakemake.output[0])
