"""People that a mean direction needs under three trust models, and the error of such surveys, simulated.

``people`` is the planner's number (:mod:`dirpriv.planner`), ``value`` the mean absolute error of the surveys
with its 95 % interval. ``cost`` is how many people a mechanism needs after shuffling, per person of the
central Gaussian mechanism, if the people are many.
"""

from itertools import product

import numpy as np
import pandas as pd

from dirpriv import guarantees, planner
from study.simulation import seeding
from study.simulation.mechanisms import class_of
from study.workflow.job import job, with_progress, write_csv

TRUSTS = ("local", "shuffled", "central")
SHUFFLED = ("cardioid", "purkayastha", "von_mises_fisher", "cap")
FEWEST = 50  # surveys from which an error is taken


def surveys(settings, seed):
    """A row for each trust model, level, mechanism and calibration."""
    cells = [(trust, epsilon) for trust in TRUSTS for epsilon in settings["epsilons"]]
    rows = []
    for trust, epsilon in with_progress("trust_models", cells):
        for need in planner.responses_needed(
            "mean", settings["error"], epsilon, trust=trust, delta=settings["delta"]
        ):
            count = min(settings["surveys"], int(settings["most_draws"] / need.people))
            error = [np.nan] * 3
            if np.isfinite(need.people) and count >= FEWEST:
                cell = (trust, need.mechanism, need.calibration, epsilon)
                error = need.simulate(count, rng=seeding.generator(seed, "trust_models", *map(str, cell)))
            rows.append(dict(
                experiment="trust_models", trust=trust, mechanism=need.mechanism,
                calibration=need.calibration, epsilon=epsilon, people=need.people,
                local_level=need.local_level, metric="mae", unit="rad",
                **dict(zip(("value", "low", "high"), error, strict=True)),
            ))  # fmt: skip
    return pd.DataFrame(rows)


def costs(settings):
    """Cost after shuffling of mechanisms on the circle, a row for each and each level of a report."""
    rows = []
    for level, name in product(settings["local_levels"], SHUFFLED):
        law = class_of(name).pure(level, dim=2).law
        rows.append(dict(mechanism=name, local_level=level, cost=guarantees.shuffling_cost(law)))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    with job(snakemake):
        settings = snakemake.params.settings
        write_csv(surveys(settings, snakemake.params.seed), snakemake.output.surveys)
        write_csv(costs(settings), snakemake.output.costs)
