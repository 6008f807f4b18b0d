"""The best kernel of each kind of level, by theorem and by linear programmes that do not use it.

``risk`` is the least expected loss of all kernels of a level on classes of angles, ``best`` that of the
family that holds the best one by the theorem: Purkayastha, cap, trapezoid or staircase. ``of_tables`` is the
least of all mechanisms on a circle of few cells, symmetric or not. ``wrong`` takes the family's scalar from
another loss (of ``angle`` from ``far``, of the others from ``angle``).
"""

from itertools import product

import numpy as np
import pandas as pd

from study.experiments.optimal_mechanisms import optimality
from study.simulation.mechanisms import class_of
from study.workflow.job import job, write_tables

PURE = ("purkayastha", "von_mises_fisher", "wrapped_laplace", "cardioid", "cap")
WITHIN = ("purkayastha", "von_mises_fisher", "wrapped_laplace", "staircase")

LOSSES = {
    "angle": lambda theta: theta,
    "mean": lambda theta: 1.0 - np.cos(theta),
    "far": lambda theta: (theta > np.pi / 4.0).astype(float),
}


def second_number(notion, level, settings):
    """The pure level of a mixed level, or the radius, as keyword arguments."""
    if notion == "both":
        return {"pure": settings["pure_share"] * level}
    return {"radius": np.deg2rad(settings["radius"])} if notion == "within" else {}


def programmes(settings):
    """A row for each space, kind of level, level and loss."""
    for space in settings["spaces"]:
        grid = optimality.classes(space, settings["classes"])
        for notion, level in product(settings["notions"], settings["levels"]):
            numbers = second_number(notion, level, settings)
            allowed = optimality.levels(notion, level, grid.angles, **numbers)
            costs = {loss: of_angle(grid.angles) for loss, of_angle in LOSSES.items()}
            best = {loss: optimality.best_kernel(notion, level, costs[loss], grid, **numbers) for loss in costs}
            for loss in settings["losses"]:
                cost, optimum = costs[loss], best[loss]
                risk, _ = optimality.least_risk(cost, allowed, grid.weights)
                other = best["far" if loss == "angle" else "angle"].kernel
                wrong = float((other * grid.weights * cost).sum())
                yield dict(
                    experiment="optimal_mechanisms", space=space, notion=notion, level=level, loss=loss,
                    risk=risk, best=optimum.risk, difference=abs(optimum.risk - risk), scalar=optimum.scalar,
                    wrong=wrong, wrong_difference=wrong - risk,
                )  # fmt: skip


def tables(settings):
    """The same on a circle of few cells, against all tables of probabilities."""
    grid = optimality.classes("circle", settings["cells"] // 2 + 1)
    within = np.ceil(settings["radius"] / np.rad2deg(grid.angles[1])) * grid.angles[1]
    for notion, level, loss in product(settings["notions"], settings["levels"], settings["losses"]):
        numbers = second_number(notion, level, settings) | ({"radius": within} if notion == "within" else {})
        cost = LOSSES[loss](grid.angles)
        allowed = optimality.levels(notion, level, grid.angles, **numbers)
        risk = optimality.least_risk_of_tables(cost, allowed)
        best = optimality.best_kernel(notion, level, cost, grid, **numbers).risk
        yield dict(
            experiment="optimal_mechanisms", notion=notion, level=level, loss=loss, of_tables=risk, best=best,
            difference=abs(best - risk),
        )  # fmt: skip


def kernels(settings):
    """Densities on the circle that are best for the mean angle: by theorem, and by the programme."""
    grid, level = optimality.classes("circle", settings["classes"]), settings["shown"]
    for notion in settings["notions"]:
        numbers = second_number(notion, level, settings)
        best = optimality.best_kernel(notion, level, grid.angles, grid, **numbers)
        allowed = optimality.levels(notion, level, grid.angles, **numbers)
        _, kernel = optimality.least_risk(grid.angles, allowed, grid.weights)
        yield pd.DataFrame(dict(notion=notion, level=level, angle=grid.angles, best=best.kernel, programme=kernel))


def errors(settings):
    """Mean angles of mechanisms of a pure level, or of one within a radius, over the least possible."""
    radius = np.deg2rad(settings["radius"])
    for level in settings["epsilons"]:
        of_level = {
            "pure": {name: class_of(name).pure(level, dim=2) for name in PURE},
            "within": {name: class_of(name).within(level, radius, dim=2) for name in WITHIN},
        }
        best = {
            "pure": class_of("cap").pure(level, dim=2, purpose="angle").noise.mean_angle(),
            "within": of_level["within"]["staircase"].noise.mean_angle(),
        }
        for notion, mechanisms in of_level.items():
            for name, mechanism in mechanisms.items():
                angle = float(mechanism.noise.mean_angle())
                yield dict(
                    notion=notion, level=level, mechanism=name, mean_angle=angle, best=best[notion],
                    ratio=angle / best[notion],
                )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        settings, output = snakemake.params.settings, snakemake.output
        write_tables(output, programmes=programmes(settings), tables=tables(settings))
        write_tables(output, kernels=pd.concat(kernels(settings)), errors=errors(settings))
