"""Numbers of responses with the errors that paper A prints, one for each mechanism: could they be one number?

Section 1 prints three mean absolute errors for one number of responses, without that number and without the
unit of the errors. In the central model none of them depends on it.
"""

import itertools

import numpy as np
import pandas as pd

from dirpriv import geometry
from study.experiments.survey_size.search import search
from study.simulation.estimates import Z95
from study.simulation.mechanisms import pure_mechanism
from study.simulation.populations import ONE_DIRECTION, population_of_hour
from study.workflow.job import job, write_csv

UNITS = {"rad": 1.0, "h": float(geometry.hours_to_angles(1.0))}


def reconcile(population, calibrations, settings, seed):
    """A row for each calibration and unit: the numbers of responses, and the largest over the smallest.

    The interval is that of the logarithm of the ratio, as the sizes are simulated independently.
    """
    rows = []
    for calibration, (unit, radians) in itertools.product(calibrations, UNITS.items()):
        sizes = {}
        for name, error in settings["printed_errors"].items():
            cell = ("printed_errors", name, calibration, unit)
            mechanism = pure_mechanism(name, settings["printed_epsilon"], calibration)
            wanted = settings | {"error": error * radians}
            sizes[name], *_ = search(mechanism, population, cell, ("printed_errors", "people"), seed, wanted)
        values, errors = np.array([(size.value, size.standard_error) for size in sizes.values()]).T
        ends = [np.argmin(values), np.argmax(values)]
        ratio, width = values[ends[1]] / values[ends[0]], Z95 * np.hypot(*(errors[ends] / values[ends]))
        rows.append(dict(
            population=ONE_DIRECTION, calibration=calibration, unit=unit, epsilon=settings["printed_epsilon"],
            **{f"n_{name}": size.value for name, size in sizes.items()}, metric="size_ratio", value=ratio,
            low=ratio * np.exp(-width), high=ratio * np.exp(width),
        ))  # fmt: skip
    return pd.DataFrame(rows)


if __name__ == "__main__":
    with job(snakemake):
        params = snakemake.params
        given = params.calibrations, params.settings, params.seed
        write_csv(reconcile(population_of_hour(params.hour), *given), snakemake.output[0])
