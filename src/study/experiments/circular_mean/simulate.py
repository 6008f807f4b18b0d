"""Error of the private circular mean, in the central and the local model (paper A, Section 4.2)."""

import numpy as np

from dirpriv import estimators
from study.checkins.prepared import population_of
from study.simulation.estimates import tidy_row
from study.simulation.mean_errors import mean_central_error, mean_local_error
from study.simulation.mechanisms import distinct_calibrations, pure_mechanism
from study.workflow.job import job, with_progress, write_rows

UNITS = {"rad": 1.0, "h": 24.0 / (2.0 * np.pi)}


def settings_of_points(settings):
    """The points of the study: (view, ε, number of responses); the number is 0 in the central model."""
    points = [("central", epsilon, 0) for epsilon in settings["epsilons"]]
    points += [("local_epsilon", epsilon, settings["responses"]) for epsilon in settings["epsilons"]]
    points += [
        ("local_responses", settings["epsilon"], responses) for responses in settings["responses_grid"]
    ]
    return points


def expected_error(mechanism, population, view, responses):
    """The error by theory: exact in the central model, asymptotic in the local one.

    For a mechanism whose means tend to a wrong direction, it is the limit of the error.
    """
    law = mechanism.law
    if not law.is_symmetric:  # not symmetric: everything depends on where the mode is
        mode = float(estimators.circular_mean(population.angles))
        return law.mean_angle(mode) if view == "central" else estimators.limit_error(law, population.vectors)
    if view == "central":
        return law.mean_angle()
    return estimators.expected_mean_error(law, responses, angles=population.angles)


def simulate(name, population, population_name, calibrations, settings, seed):
    """Mean absolute errors of one mechanism on one population, a row for each point and unit."""
    calibrations = distinct_calibrations(name, calibrations)
    points = [(c, *point) for c in calibrations for point in settings_of_points(settings)]
    rows = []
    label = f"circular mean, {population_name}, {name}"
    for calibration, view, epsilon, responses in with_progress(label, points):
        mechanism = pure_mechanism(name, epsilon, calibration)
        model = view.split("_")[0]
        cell = ("circular_mean", model, population_name, name, calibration, epsilon)
        wanted = seed, settings[f"{model}_half_width"], settings["most_draws"]
        if view == "central":
            error = mean_central_error(mechanism, population, cell, *wanted)
        else:
            people = ("circular_mean", "people", population_name)
            error = mean_local_error(mechanism, population, responses, cell, people, *wanted)
        expected = expected_error(mechanism, population, view, responses)
        for unit, factor in UNITS.items():
            rows.append(tidy_row(
                "circular_mean", error, factor, view=view, population=population_name, mechanism=name,
                calibration=calibration, dim=2, epsilon=epsilon, kappa=mechanism.law.kappa,
                n=responses or len(population.angles), metric="mae", unit=unit, expected=expected * factor,
                repetitions=error.repetitions,
            ))  # fmt: skip
    return rows


if __name__ == "__main__":
    with job(snakemake):
        name, population_name = snakemake.wildcards.mechanism, snakemake.wildcards.population
        params = snakemake.params
        population = population_of(population_name, snakemake.input, params.hour)
        table = simulate(name, population, population_name, params.calibrations, params.settings, params.seed)
        write_rows(table, snakemake.output[0])
