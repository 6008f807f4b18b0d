"""Readings of the numbers that paper A prints in Section 1, and how well each fits.

It prints three mean absolute errors for one number of responses, without that number, the unit of the errors
and the people; and two numbers of responses for the error 0.1, without the last two. In the central model no
error depends on the number of responses. A reading is a population, a unit and a calibration.
"""

import itertools

import numpy as np
import pandas as pd

from dirpriv import geometry
from study.checkins.prepared import population_of
from study.experiments.survey_size.search import search
from study.simulation.estimates import Z95
from study.simulation.mean_errors import mean_local_error
from study.simulation.mechanisms import pure_mechanism
from study.simulation.populations import ONE_DIRECTION
from study.workflow.job import job, with_progress, write_tables

UNITS = {"rad": 1.0, "h": float(geometry.hours_to_angles(1.0))}


def size_of(name, calibration, population, reading, error, settings, seed):
    """Responses with an error in radians, and standard error; beyond the search by the limit of large N."""
    mechanism = pure_mechanism(name, settings["printed_epsilon"], calibration)
    cell, people = ("printed_errors", name, *reading), ("printed_errors", "people", reading[0])
    size, expected, status = search(mechanism, population, cell, people, seed, settings | {"error": error})
    return (size.value, size.standard_error) if status == "found" else (expected, 0.0)


def ratio_of(values, errors):
    """The second of two independent numbers over the first; its 95 % interval is that of the logarithm."""
    ratio, width = values[1] / values[0], Z95 * np.hypot(*(np.asarray(errors) / values))
    return dict(value=ratio, low=ratio * np.exp(-width), high=ratio * np.exp(width))


def three_errors(population, reading, settings, seed):
    """Numbers of responses with the three errors, the largest over the smallest, and the one between.

    ``n`` is in the middle of these two by logarithm, and ``deviation`` the largest share by which a simulated
    error with this many responses is off the printed one.
    """
    name, calibration, unit = reading
    printed, radians = settings["printed_errors"], UNITS[unit]
    arguments = population, (*reading, "three_errors")
    sizes = {m: size_of(m, calibration, *arguments, e * radians, settings, seed) for m, e in printed.items()}
    values, errors = np.array(list(sizes.values())).T
    ends = [np.argmin(values), np.argmax(values)]
    between = round(float(np.sqrt(values[ends].prod())))
    deviations, draws = [], (settings["half_width"] / 2.0, settings["most_draws"])
    for mechanism, error in printed.items():
        case, people = pure_mechanism(mechanism, settings["printed_epsilon"], calibration), ("people", name)
        cell = ("printed_errors", "between", mechanism, *reading)
        mae = mean_local_error(case, population, between, cell, people, seed, *draws)
        deviations.append(mae.value / (error * radians) - 1.0)
    return dict(
        **{f"n_{mechanism}": size for mechanism, (size, _) in sizes.items()}, n=between,
        deviation=max(deviations, key=abs), metric="size_ratio", **ratio_of(values[ends], errors[ends]),
    )  # fmt: skip


def two_sizes(population, reading, settings, seed):
    """Numbers of responses with the error 0.1; the one furthest from the printed one, over that one."""
    _, calibration, unit = reading
    printed, error = settings["printed_responses"], settings["error"] * UNITS[unit]
    arguments = population, (*reading, "two_sizes")
    sizes = {m: size_of(m, calibration, *arguments, error, settings, seed) for m in printed}
    ratios = [ratio_of((printed[m], size), (0.0, se)) for m, (size, se) in sizes.items()]
    worst = max(ratios, key=lambda ratio: abs(np.log(ratio["value"])))
    sizes = {f"n_{mechanism}": size for mechanism, (size, _) in sizes.items()}
    return sizes | dict(metric="size_over_printed", **worst, deviation=worst["value"] - 1.0)


def specifications(populations, calibrations, settings, seed):
    """A row for each statement and reading; it fits exactly where ``value`` is 1."""
    statements = {"three errors": three_errors, "two sizes": two_sizes}
    readings = list(itertools.product(statements, populations, calibrations, UNITS))
    for statement, *reading in with_progress("readings of the printed numbers", readings):
        result = statements[statement](populations[reading[0]], tuple(reading), settings, seed)
        keys = dict(zip(("population", "calibration", "unit"), reading, strict=True))
        yield {"statement": statement, **keys, "epsilon": settings["printed_epsilon"], **result}


if __name__ == "__main__":
    with job(snakemake):
        params, paths = snakemake.params, dict(zip(snakemake.params.datasets, snakemake.input, strict=True))
        populations = {ONE_DIRECTION: population_of(ONE_DIRECTION, [], params.hour)}
        populations |= {name: population_of(name, [path], params.hour) for name, path in paths.items()}
        table = pd.DataFrame(specifications(populations, params.calibrations, params.settings, params.seed))
        errors = table[(table["statement"] == "three errors") & (table["population"] == ONE_DIRECTION)]
        write_tables(snakemake.output, specifications=table, printed_errors=errors.drop(columns="statement"))
