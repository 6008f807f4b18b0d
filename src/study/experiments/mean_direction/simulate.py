"""Error of the private mean direction of unit vectors, over privacy level and dimension.

Three views:

``central``         a trusted party randomises the mean direction once; one person can reverse it, so its
                    sensitivity is π (the diameter 2 for the baseline's noise), for any number of people
                    and any population. It is integrated for a distribution that has a CDF, and simulated for the
                    baseline
``central_vector``  the baseline alone: noise on the mean *vector*, which one of N people moves by at most
                    2/N, normalised afterwards; angular mechanisms have no such variant
``local``           every response is randomised; estimate = direction of the sum
"""

import itertools

import numpy as np

from dirpriv import estimators
from study.simulation import seeding
from study.simulation.estimates import Estimate, mean_of_cdf, simulated_mean, tidy_row
from study.simulation.mean_errors import BLOCK_NUMBERS, mean_errors_on_sphere, mean_local_error, repetitions_on_sphere
from study.simulation.mechanisms import distinct_calibrations, pure_mechanism
from study.simulation.populations import ONE_DIRECTION, SPREAD, directions_of
from study.workflow.job import job, with_progress, write_rows

BASELINE = "vector_laplace"


def central_error(distribution, cell, settings, seed):
    """MAE of one draw: integrated, or simulated for the baseline."""
    if hasattr(distribution, "angle_cdf"):
        return Estimate(mean_of_cdf(distribution.angle_cdf), 0.0, 0)

    def draw(block, repetitions):
        return distribution.angle_rvs(repetitions, rng=seeding.generator(seed, *cell, block))

    block, half_width = BLOCK_NUMBERS // distribution.dim, settings["central_half_width"]
    return simulated_mean(draw, block, half_width, settings["most_numbers"])


def local_errors(mechanisms, population, cells, people, settings, seed):
    """MAE of each of these mechanisms, where it randomises every response."""
    responses, dim = settings["responses"], population.vectors.shape[1]
    half_width, most = settings["local_half_width"], settings["most_numbers"]
    if dim == 2:
        wanted = people, seed, half_width, most / dim
        points = zip(mechanisms, cells, strict=True)
        return [mean_local_error(one, population, responses, cell, *wanted) for one, cell in points]
    repetitions = repetitions_on_sphere(dim, responses, half_width, settings["least_repetitions"], most)
    distributions = [mechanism.noise for mechanism in mechanisms]
    return mean_errors_on_sphere(distributions, population, responses, repetitions, cells, people, seed)


def mechanism_at(name, view, epsilon, calibration, dim, population, responses):
    """The mechanism at one point of the study in this view."""
    if view == "central_vector":
        # noise with the rate Nε/2 on a mean vector of length R gives the same direction as noise with the
        # rate R Nε/2 on a unit vector
        epsilon *= float(np.linalg.norm(population.vectors.mean(axis=0))) * responses
    return pure_mechanism(name, epsilon, calibration, dim)


def simulate(name, calibrations, settings, seed):
    """Mean absolute errors of one mechanism, a row for each point."""
    responses = settings["responses"]
    levels = list(itertools.product(distinct_calibrations(name, calibrations), settings["epsilons"]))
    views = ("central", "central_vector", "local") if name == BASELINE else ("central", "local")
    points = list(itertools.product(settings["dimensions"], views, (ONE_DIRECTION, SPREAD)))
    for dim, view, population_name in with_progress(f"mean direction, {name}", points):
        rng = seeding.generator(seed, "mean_direction", "population", population_name, dim)
        population = directions_of(population_name, dim, settings["resultant"], settings["people"], rng)
        mechanisms = [mechanism_at(name, view, e, c, dim, population, responses) for c, e in levels]
        cells = [("mean_direction", view, population_name, name, c, dim, e) for c, e in levels]
        distributions = [mechanism.noise for mechanism in mechanisms]
        if view == "local":
            people = "mean_direction", "people", population_name, dim
            errors = local_errors(mechanisms, population, cells, people, settings, seed)
            x = population.vectors if len(population.vectors) > 1 else None
            expected = [estimators.normal_mean_error(distribution, responses, x=x) for distribution in distributions]
        elif view == "central_vector" or population_name == ONE_DIRECTION:  # one draw knows no population
            errors = [central_error(one, cell, settings, seed) for one, cell in zip(distributions, cells, strict=True)]
            expected = [distribution.mean_angle() for distribution in distributions]
        rows = zip(levels, distributions, errors, expected, strict=True)
        for (calibration, epsilon), distribution, error, theory in rows:
            yield tidy_row(
                "mean_direction", error, view=view, population=population_name, mechanism=name,
                calibration=calibration, dim=dim, epsilon=epsilon, kappa=distribution.kappa, n=responses,
                metric="mae", unit="rad", expected=theory, repetitions=error.repetitions,
            )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        params = snakemake.params
        table = simulate(snakemake.wildcards.mechanism, params.calibrations, params.settings, params.seed)
        write_rows(table, snakemake.output[0])
