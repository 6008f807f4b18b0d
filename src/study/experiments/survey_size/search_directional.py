"""Survey sizes at the same directional level, ε·d∡, of the mechanisms that have one (paper A, Section 3.6.2)."""

import numpy as np

from study.experiments.survey_size.search import search
from study.simulation.estimates import Estimate, tidy_row
from study.simulation.mechanisms import if_promised
from study.simulation.populations import ONE_DIRECTION, Directions
from study.workflow import catalogue_rows
from study.workflow.job import job, with_progress, write_rows

DIMENSIONS = {"circle": 2, "sphere": 3}


def directional_sizes(levels, settings, seed):
    """A row for each space, mechanism and level per radian, all of which the mechanism spends."""
    cells = [(space, name, level) for space in DIMENSIONS for name in catalogue_rows.rows(space) for level in levels]
    for space, name, epsilon in with_progress("survey size per radian", cells):
        mechanism, dim = if_promised(name, "per_radian", epsilon, DIMENSIONS[space]), DIMENSIONS[space]
        kappa, size, expected, status = np.nan, Estimate(np.nan, repetitions=0), np.nan, "no such level"
        if mechanism:
            kappa, cell = mechanism.noise.kappa, ("directional_size", space, name, epsilon)
            people, everyone = ("directional_size", "people", space), Directions(np.eye(1, dim))
            wanted = settings | {"most_draws": settings["most_draws"] / (dim - 1)}  # on spheres they take longer
            size, expected, status = search(mechanism, everyone, cell, people, seed, wanted)
        yield tidy_row(
            "directional_size", size, space=space, population=ONE_DIRECTION, mechanism=name, calibration="tight",
            dim=dim, epsilon=epsilon, kappa=kappa, n=np.ceil(size.value), metric="survey_size", unit="responses",
            expected=expected, repetitions=size.repetitions, status=status,
        )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        settings = snakemake.params.settings
        wanted = settings | settings["directional"]
        rows = directional_sizes(settings["directional"]["epsilons"], wanted, snakemake.params.seed)
        write_rows(rows, snakemake.output[0])
