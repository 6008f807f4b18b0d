"""Smallest survey with a given error: responses that a private circular mean needs (paper A, Section 4.2)."""

import numpy as np

from dirpriv import estimators
from study.checkins.prepared import population_of
from study.simulation.estimates import PILOT, Z95, Estimate, tidy_row
from study.simulation.mean_errors import mean_local_error
from study.simulation.mechanisms import distinct_calibrations, pure_mechanism
from study.simulation.populations import ONE_DIRECTION
from study.workflow.job import job, with_progress, write_rows

SPREAD = 1.25  # the final points lie at N/SPREAD, N and N*SPREAD: log MAE is a straight line over so little
AS_PRINTED = {"half_width": "printed_half_width", "most_draws": "printed_draws"}  # what claims need
LEAST_REPETITIONS = 400  # with fewer at a point, the simulation gives no result
ROUGH = 40  # repetitions that tell an error well enough to look near it, with controls; without, twice PILOT


def asymptotic_size(mechanism, population, error):
    """Survey size by the limit of large N; infinite for a mechanism whose mean tends to a wrong direction."""
    distribution = mechanism.noise
    if not distribution.is_symmetric:
        return np.inf if estimators.asymptotic_bias(distribution, population.vectors) >= error else np.nan
    return float((estimators.expected_mean_error(distribution, 1, x=population.vectors) / error) ** 2)


def bracket(error_at, start, error, largest):
    """Numbers of responses with an error above and below the target, a factor of two apart.

    ``error_at`` gives a rough estimate of the MAE at a number of responses. The numbers are (1, 1) where one
    response is enough; there are none where ``largest`` responses are not.
    """
    low = high = int(max(1, round(start)))
    if error_at(low) > error:
        while error_at(high := 2 * low) > error:
            low = high
            if low > largest:
                return None
        return low, high
    while high > 1:
        low = (high + 1) // 2 if high > 2 else 1
        if error_at(low) > error:
            return low, high
        high = low
    return 1, 1


def fitted_size(sizes, estimates, error):
    """Where the straight line through log MAE against log N crosses the target, with a 95 % interval."""
    x, y = np.log(sizes), np.log([e.value for e in estimates])
    weight = np.array([(e.value / e.standard_error) ** 2 for e in estimates])
    center = np.average(x, weights=weight)
    spread = np.sum(weight * (x - center) ** 2)
    slope = np.sum(weight * (x - center) * y) / spread
    level = np.average(y, weights=weight)
    distance = (np.log(error) - level) / slope
    # delta method: the line's height at the crossing, over its slope
    deviation = np.sqrt(1.0 / weight.sum() + distance**2 / spread) / abs(slope)
    log_size = Estimate(center + distance, deviation)
    value, low, high = np.exp([log_size.value, log_size.low, log_size.high]).tolist()
    repetitions = sum(e.repetitions for e in estimates)
    return Estimate(value, (high - low) / (2.0 * Z95), repetitions, (low, high))


def search(mechanism, population, cell, response_cell, seed, settings):
    """Survey size of one mechanism at one ε, found by simulation; nan if it is beyond the search.

    Also returns the size by the limit of large N, and a status: "found", "beyond the search", "never reached".
    """
    error, nothing = settings["error"], Estimate(np.nan, repetitions=0)
    expected = asymptotic_size(mechanism, population, error)
    if expected == np.inf:
        return nothing, expected, "never reached"
    # the final points share the draws: three of them, of N/1.25 to 1.25 N responses
    budget = settings["most_draws"]
    largest = budget / (3 * LEAST_REPETITIONS * SPREAD)

    def error_at(size, half_width, draws, stage):
        return mean_local_error(mechanism, population, size, (*cell, stage), response_cell, seed, half_width, draws)

    if expected > 2 * largest:
        return nothing, expected, "beyond the search"
    start, few = expected if np.isfinite(expected) else 1, ROUGH if mechanism.noise.is_symmetric else 2 * PILOT
    bounds = bracket(lambda n: error_at(n, 0.05, few * n, "bracket").value, start, error, 4 * largest)
    if bounds is None:
        return nothing, expected, "beyond the search"
    if bounds[1] == 1:  # a single response is accurate enough
        return Estimate(1.0, 0.0, 0), expected, "found"
    sizes = np.array(bounds)
    rough = [error_at(int(n), 0.02, 2 * few * n, "rough") for n in sizes]
    middle = np.clip(fitted_size(sizes, rough, error).value, sizes[0], sizes[1])
    if middle > largest:
        return nothing, expected, "beyond the search"
    sizes = np.unique(np.maximum(1, np.round(middle * np.array([1 / SPREAD, 1.0, SPREAD])))).astype(int)
    # N goes as the error to the power -2, so the error must be known twice as well, by all points together
    half_width = settings["half_width"] / 2.0 * np.sqrt(len(sizes))
    estimates = [error_at(int(n), half_width, budget / len(sizes), "final") for n in sizes]
    return fitted_size(sizes, estimates, error), expected, "found"


def survey_sizes(name, population, population_name, calibrations, settings, seed):
    """Survey sizes over ε: ``value``, where the fitted line meets the target, and ``n``, rounded up."""
    cells = [(c, e) for c in distinct_calibrations(name, calibrations) for e in settings["epsilons"]]
    for calibration, epsilon in with_progress(f"survey size, {population_name}, {name}", cells):
        mechanism = pure_mechanism(name, epsilon, calibration)
        cell = ("survey_size", population_name, name, calibration, epsilon)
        people = ("survey_size", "people", population_name)
        wanted = settings
        if population_name == ONE_DIRECTION and epsilon == settings["printed_epsilon"]:
            wanted = settings | {key: settings[source] for key, source in AS_PRINTED.items()}
        size, expected, status = search(mechanism, population, cell, people, seed, wanted)
        yield tidy_row(
            "survey_size", size, population=population_name, mechanism=name, calibration=calibration, dim=2,
            epsilon=epsilon, kappa=mechanism.noise.kappa, n=np.ceil(size.value), metric="survey_size",
            unit="responses", expected=expected, repetitions=size.repetitions, status=status,
        )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        name, population_name = snakemake.wildcards.mechanism, snakemake.wildcards.population
        params = snakemake.params
        population = population_of(population_name, snakemake.input, params.hour)
        arguments = params.calibrations, params.settings, params.seed
        write_rows(survey_sizes(name, population, population_name, *arguments), snakemake.output[0])
