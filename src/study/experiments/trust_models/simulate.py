"""People that a mean direction needs under three trust models, and the error of such surveys, simulated.

The first three trust models have pure levels. Two more, ``local_within`` and ``shuffled_within``, have levels
within a radius, with the noise of a release of times. ``people`` is the planner's number
(:mod:`dirpriv.planner`), ``value`` the mean absolute error of the surveys with its 95 % interval. ``cost`` is
how many people a mechanism needs after shuffling, per person of the central Gaussian mechanism, if the people
are many.
"""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd

from dirpriv import guarantees, planner
from study.simulation import seeding
from study.simulation.estimates import Estimate
from study.simulation.mean_errors import mean_local_error
from study.simulation.mechanisms import class_of
from study.simulation.populations import population_of_hour
from study.workflow.job import job, with_progress, write_csv

TRUSTS = ("local", "shuffled", "central")
SHUFFLED = ("cardioid", "purkayastha", "von_mises_fisher", "cap")
WITHIN = {"local_within": "local", "shuffled_within": "shuffled"}
PLANNED = {"central": "curator", **WITHIN}  # the planner's words
RELEASED = "Purkayastha, released"
FEWEST = 50  # surveys from which an error is taken


def surveys(settings, seed):
    """A row for each trust model, level, mechanism and calibration."""
    cells = [(trust, epsilon) for trust in (*TRUSTS, *WITHIN) for epsilon in settings["epsilons"]]
    rows = []
    for trust, epsilon in with_progress("trust_models", cells):
        for need in needs(trust, epsilon, settings):
            cell = ("trust_models", trust, need.mechanism, need.calibration, str(epsilon))
            error = simulated_error(need, settings, cell, seed)
            rows.append(dict(
                experiment="trust_models", trust=trust, mechanism=need.mechanism,
                calibration=need.calibration, epsilon=epsilon, people=need.people,
                local_level=need.local_level, metric="mae", unit="rad", value=error.value, low=error.low,
                high=error.high,
            ))  # fmt: skip
    return pd.DataFrame(rows)


def needs(trust, level, settings):
    """People that each mechanism needs; within a radius, those of the mechanism that is released."""
    options = {"trust": PLANNED.get(trust, trust), "delta": settings["delta"]}
    if trust in WITHIN:
        options |= {"level": level, "within": settings["within"]}
        found = planner.responses_needed("mean", settings["error"], **options)
        return [need for need in found if need.mechanism == RELEASED]
    return planner.responses_needed("mean", settings["error"], level, **options)


def simulated_error(need, settings, cell, seed):
    """MAE of surveys of the planned size; nan where none is enough, or too few can be drawn."""
    if not np.isfinite(need.people) or settings["most_draws"] < FEWEST * need.people:
        return Estimate(np.nan)
    if need.trust == "curator" or need.mechanism == RELEASED:
        # of a curator one draw of noise for a survey; a table has draws of its own
        most = settings["surveys"] if need.trust == "curator" else settings["most_draws"] // int(need.people)
        surveys = min(settings["surveys"], most)
        value, low, high = need.simulate(surveys, rng=seeding.generator(seed, *cell))
        return Estimate(value, interval=(low, high))
    reports = SimpleNamespace(law=need.law, randomise=need.law.rvs)
    wanted = settings["half_width"], settings["most_draws"]
    people, one_time = int(need.people), population_of_hour(0.0)
    return mean_local_error(reports, one_time, people, cell, ("trust_models", "people"), seed, *wanted)


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
