"""Privacy losses of the mechanisms on circle, sphere and rotations, and the cost of the calibration.

Four tables: the levels of all distributions by closed forms, by brute force over outputs and by numerics for any
kernel; the loss against distance; the share of outputs where polar Laplace breaks its promise; and, by closed
forms, the responses that a mean direction needs with the published and the tight calibration.
"""

from functools import partial

import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from dirpriv import InvalidArgument, distributions, estimators, geometry, guarantees
from dirpriv.geometry import earth
from study.experiments.privacy import brute_force, polar_laplace_violations
from study.simulation.estimates import grid
from study.simulation.mechanisms import distribution_of, if_promised
from study.simulation.populations import vectors_at
from study.workflow.catalogue_rows import row, rows
from study.workflow.job import job, write_tables

DIMS = {"circle": 2, "sphere": 3, "rotation": 3}
"""The spaces in the order of the tables, with the length of their vectors; 3 for rotations."""


def cells():
    """Pairs of a space and a mechanism on it."""
    return [(space, name) for space in DIMS for name in rows(space)]


def outputs_at(space, angles):
    """Outputs at these angles from one input, along one great circle or about one axis."""
    angles = np.asarray(angles, dtype=float)
    if space == "rotation":
        return Rotation.from_rotvec(angles[..., None] * np.array([0.0, 0.0, 1.0]))
    return vectors_at(angles, DIMS[space])


def log_density(space, distribution, angles):
    """Log-density of outputs at these angles from the input, by the distribution's own density."""
    return distribution.logpdf(outputs_at(space, angles), outputs_at(space, 0.0))


def loss_by_brute_force(space, distribution, distance):
    """Largest log ratio of the two densities over outputs all around the great circle of two inputs."""

    def loss(angle):
        other = distribution.logpdf(outputs_at(space, angle), outputs_at(space, distance))
        return log_density(space, distribution, angle) - other

    return brute_force.largest_loss(loss, [distance, np.pi + distance])


def slope_by_brute_force(space, distribution):
    """Largest slope of the log-density."""
    return brute_force.largest_slope(partial(log_density, space, distribution), min(1.0, 2.0 / distribution.kappa))


def relative_difference(value, reference):
    """Relative difference; 0 for two infinities, nan if there is nothing to compare."""
    if np.isinf(value) and np.isinf(reference):
        return 0.0
    return abs(value - reference) / abs(reference)


def levels(kappas, distances):
    """Levels of all distributions by three methods, and the relative differences of the first from the others.

    ``exact`` is the closed form, ``brute_force`` a search over outputs by the density, and ``from_callable``
    the numerics that know the log kernel only as a function, and how fine it is. They give bounds from
    above. Clipped and polar Laplace have neither, as no output reaches their supremum. ``by_chord`` is κ
    times the chord of two vectors at a distance: the loss that κ d₂-privacy allows.
    """
    for space, mechanism in cells():
        for kappa in kappas if row(mechanism).distribution else ():
            distribution = distribution_of(mechanism, DIMS[space], kappa)
            exact = guarantees.from_distribution(distribution)
            bounded = np.isfinite(exact.metric_level)  # where a level is infinite, no output reaches it
            by_force, metric, pure, kernel = np.nan, np.nan, np.nan, None
            if bounded:
                by_force, kernel = slope_by_brute_force(space, distribution), declared(space, distribution)
            if kernel:
                metric, pure = guarantees.metric_level(kernel), guarantees.pure_level(kernel)
            cases = [("metric_level", np.nan, exact.metric_level, by_force, metric)]
            by_force = loss_by_brute_force(space, distribution, np.pi) if bounded else np.nan
            cases.append(("pure_level", np.nan, exact.pure_level, by_force, pure))
            domain = "rotations" if space == "rotation" else space
            for distance in distances:
                loss = guarantees.privacy_loss_at(kernel, distance, domain=domain) if kernel else np.nan
                by_force = loss_by_brute_force(space, distribution, distance) if bounded else np.nan
                cases.append(("loss", distance, guarantees.privacy_loss_at(distribution, distance), by_force, loss))
            for quantity, distance, value, brute, by_numerics in cases:
                yield dict(
                    space=space, mechanism=mechanism, dim=DIMS[space], kappa=kappa, quantity=quantity,
                    distance=distance, exact=value, brute_force=brute, from_callable=by_numerics,
                    disagreement=relative_difference(value, brute),
                    callable_disagreement=relative_difference(by_numerics, value),
                    by_chord=np.nan if space == "rotation" else kappa * 2.0 * np.sin(distance / 2.0),
                    reason=exact.reason if np.isinf(value) else "", assumes=exact.assumes.partition(":")[0],
                )  # fmt: skip


def declared(space, distribution):
    """The log kernel, declared not to bend within .75/κ or .75 rad; None of a distribution that is finer."""
    kernel = partial(log_density, space, distribution)
    try:
        return distributions.from_log_density(kernel, finest=0.75 / max(distribution.kappa, 1.0))
    except InvalidArgument:
        return None


def losses(epsilon, pure_epsilon, points):
    """Loss against distance of every mechanism, for both promises and calibrations.

    The promises are ``epsilon`` per radian, and ``pure_epsilon`` at every distance; ``promised`` is the loss
    that they allow at a distance. If both calibrations give the same distribution, it is listed once, as tight.
    """
    distances = np.linspace(0.0, np.pi, points + 1)[1:]
    tables = []
    for promise, level in (("per_radian", epsilon), ("pure", pure_epsilon)):
        promised = level * distances if promise == "per_radian" else np.full(points, level)
        for space, mechanism in cells():
            kappas, dim = {}, None if space == "rotation" else DIMS[space]
            for calibration in ("tight", "published"):
                case = if_promised(mechanism, promise, level, dim, calibration)
                if case is None or case.noise.kappa in kappas.values():
                    continue
                kappas[calibration] = case.noise.kappa
                tables.append(pd.DataFrame(dict(
                    space=space, mechanism=mechanism, calibration=calibration, dim=DIMS[space],
                    promise=promise, epsilon=level, kappa=case.noise.kappa,
                    metric_level=case.guarantee.metric_level, pure_level=case.guarantee.pure_level,
                    distance=distances, loss=guarantees.privacy_loss_at(case.noise, distances), promised=promised,
                    assumes=case.guarantee.assumes.partition(":")[0],
                )))  # fmt: skip
    return pd.concat(tables, ignore_index=True)


def polar_breaks(epsilons):
    """Share of polar Laplace's outputs, κ = ε, at which the slope of its log kernel exceeds ε per radian.

    It does within the angle ``near`` from the mode and the angle ``rest`` from the antipode, in radians.
    """
    for epsilon in epsilons:
        near, rest = polar_laplace_violations.steep_angles(epsilon)
        log_share = polar_laplace_violations.log_steep_share(epsilon)
        share, log10_share = float(np.exp(log_share)), log_share / float(np.log(10.0))
        yield dict(epsilon=epsilon, near=near, rest=rest, share=share, log10_share=log10_share)


def costs(epsilons, error, hour):
    """Responses for a private mean direction with the mean error ``error`` in radians, by the limit of large N.

    Each response has pure ε-privacy. ``n`` is infinite if the mean tends to a direction further off than
    ``error``, and nan if the limit of large N gives no answer. The ``hour`` of everyone affects only clipped
    Laplace.
    """
    angle = geometry.hours_to_angles(hour)
    for space, mechanism in cells():
        if space == "rotation" or mechanism == "polar_laplace":
            continue
        for epsilon in epsilons:
            sizes = {}
            for calibration in row(mechanism).calibrations:
                case = if_promised(mechanism, "pure", epsilon, DIMS[space], calibration)
                if case is None:
                    continue
                distribution = case.noise
                if mechanism == "clipped_laplace":
                    limit = estimators.asymptotic_bias(distribution, [[np.cos(angle), np.sin(angle)]])
                    n = np.inf if limit >= error else np.nan
                else:
                    n = float((estimators.expected_mean_error(distribution, 1) / error) ** 2)
                sizes[calibration] = distribution.kappa, n
            for calibration, (kappa, n) in sizes.items():
                yield dict(
                    space=space, mechanism=mechanism, calibration=calibration, dim=DIMS[space],
                    epsilon=epsilon, kappa=kappa, error=error, n=n,
                    published_over_tight=sizes.get("published", (0.0, np.nan))[1] / sizes["tight"][1],
                )  # fmt: skip


def city_level(settings):
    """The level ε per radian of ``level`` within ``radius_metres`` on Earth."""
    return settings["level"] / settings["radius_metres"] * earth.EARTH_RADIUS


if __name__ == "__main__":
    with job(snakemake):
        settings = snakemake.params.settings
        compared = levels(settings["kappas"], settings["distances"])
        profiles = losses(settings["epsilon"], settings["pure_epsilon"], settings["points"])
        polar = polar_breaks([*settings["polar_epsilons"], city_level(settings["city"])])
        cost = costs(grid(settings["cost"]), snakemake.params.error, snakemake.params.hour)
        write_tables(snakemake.output, levels=compared, loss=profiles, polar=polar, cost=cost)
