"""People that a mean direction needs under three trust models, and the error of such surveys, simulated.

The first three trust models have pure levels. Two more, ``local_within`` and ``shuffled_within``, have levels
within a radius, with the noise of a release of times. ``people`` is the planner's number
(:mod:`dirpriv.planner`), ``value`` the mean absolute error of the surveys with its 95 % interval. Central trust
has one more row at each level: surveys of as many people as Laplace noise on the sum needs, with the integer
noise of :class:`dirpriv.release.CentralRelease`.

``cost`` is how many people a mechanism needs after shuffling, per person of the central Gaussian mechanism,
if the people are many. Histograms of one day are released under each trust model by the noise of a release,
and ``value`` is the mean total variation between the estimated and the true shares.
"""

import warnings
from itertools import product
from types import SimpleNamespace

import numpy as np
import scipy

from dirpriv import estimators, geometry, guarantees, planner
from dirpriv.release import CentralRelease, CircleRelease
from study.simulation import seeding
from study.simulation.estimates import Estimate, mean_of_draws
from study.simulation.mean_errors import mean_local_error
from study.simulation.mechanisms import class_of
from study.simulation.populations import angles_of_peaks, population_of_hour
from study.workflow.job import job, with_progress, write_tables

TRUSTS = ("local", "shuffled", "central")
SHUFFLED = ("cardioid", "purkayastha", "von_mises_fisher", "cap")
WITHIN = {"local_within": "local", "shuffled_within": "shuffled"}
RELEASED = "Purkayastha, released"
CENTRAL = "Laplace on the sum, released"
CELLS = 96  # of a released time: a quarter of an hour each
MOST_LEVEL = 12.0  # of a report before it is shuffled
FEWEST = 50  # surveys from which an error is taken


def surveys(settings, seed):
    """A row for each trust model, level, mechanism and calibration."""
    for trust, epsilon in with_progress("trust_models", product((*TRUSTS, *WITHIN), settings["epsilons"])):
        for need in needs(trust, epsilon, settings):
            cell = ("trust_models", trust, need.mechanism, need.calibration, str(epsilon))
            error = simulated_error(need, settings, cell, seed)
            row = dict(
                experiment="trust_models", trust=trust, mechanism=need.mechanism,
                calibration=need.calibration, epsilon=epsilon, people=need.people,
                local_level=need.local_level, metric="mae", unit="rad", value=error.value, low=error.low,
                high=error.high,
            )  # fmt: skip
            yield row
            if need.mechanism == "Laplace on the sum":
                rng = seeding.generator(seed, "trust_models", trust, CENTRAL, str(epsilon))
                error = central_error(epsilon, int(need.people), settings["surveys"], rng)
                yield row | dict(mechanism=CENTRAL, value=error.value, low=error.low, high=error.high)


def central_error(epsilon, people, surveys, rng):
    """MAE of central integers: all people in one cell, and the noise of its release, drawn by a seed."""
    release = CentralRelease(epsilon, cells=CELLS)
    total = people * release.rows[0] + lattice_noise(float(release.certificate.fall), surveys, rng)
    directions = total / np.linalg.norm(total, axis=1, keepdims=True)
    true = release.rows[0] / np.linalg.norm(release.rows[0])
    return mean_of_draws(geometry.angle_between_vectors(directions, true))


def lattice_noise(fall, count, rng):
    """Points v of the plane's integers with probabilities in proportion to exp(-fall ⌈‖v‖⌉).

    Layers k are drawn in proportion to (k + 1)(k + 2) exp(-fall k), and a point of the square of side 2k + 1
    for each. A point of the disc ‖v‖ ≤ k is kept in proportion to (2k + 1)²/((k + 1)(k + 2)), so that the
    layers from ⌈‖v‖⌉ on add up to the stated probability.
    """
    kept = np.empty((0, 2), dtype=np.int64)
    while len(kept) < count:
        layers = (rng.geometric(-np.expm1(-fall), size=(count, 3)) - 1).sum(axis=1)
        points = rng.integers(-layers, layers + 1, size=(2, count)).T
        share = (layers + 0.5) ** 2 / ((layers + 1.0) * (layers + 2.0))
        inside = (points * points).sum(axis=1) <= layers * layers
        kept = np.concatenate([kept, points[inside & (rng.random(count) < share)]])
    return kept[:count]


def histograms(settings, day, seed):
    """A row for each trust model and level: how far released shares of a day are from the true ones."""
    people, bins = settings["histogram_people"], day["bins"]
    for epsilon in with_progress("trust_models, histograms", settings["histogram_epsilons"]):
        levels = {"local": epsilon, "shuffled": own_level(epsilon, people, settings["delta"]), "central": None}
        for trust, level in levels.items():
            rng = seeding.generator(seed, "trust_models", "histogram", trust, str(epsilon))
            errors = []
            for _ in range(settings["histogram_surveys"]):
                angles = angles_of_peaks(day["peaks"], day["peak_deviation"], people, rng)
                cells = estimators.circular_histogram(angles, CELLS)
                true = cells.reshape(bins, -1).sum(axis=1) / people
                shares = reported(cells, level, bins, rng) if level else counted(true, people, epsilon, rng)
                errors.append(np.abs(shares - true).sum() / 2.0)
            error = mean_of_draws(np.array(errors))
            yield dict(
                experiment="trust_models", trust=trust, epsilon=epsilon, people=people, bins=bins,
                local_level=level, metric="total_variation", unit="share", value=error.value, low=error.low,
                high=error.high,
            )  # fmt: skip


def own_level(epsilon, people, delta):
    """The largest level of a report at which the shuffled reports have the level ε."""

    def excess(level):
        distribution = CircleRelease.pure(level, cells=CELLS, purpose="histogram").noise
        return np.log(max(guarantees.shuffled_delta(distribution, people, epsilon), 1e-300) / delta)

    if excess(MOST_LEVEL) <= 0.0:
        return MOST_LEVEL
    return scipy.optimize.brentq(excess, epsilon, MOST_LEVEL, xtol=1e-3) - 1e-3


def reported(cells, level, bins, rng):
    """Shares that are estimated from a released report of each person."""
    distribution = CircleRelease.pure(level, cells=CELLS, purpose="histogram").noise
    moved = rng.multinomial(cells, distribution.probabilities)  # a row for each true cell
    counts = sum(np.roll(row, cell) for cell, row in enumerate(moved))
    angles = (np.arange(CELLS) + 0.5) * (geometry.TURN / CELLS)
    # few reports of much noise may show only noise: so the error says
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        histogram = estimators.estimate_histogram(angles, distribution, bins=bins, weights=counts, intervals="smooth")
    return histogram.shares


def counted(true, people, epsilon, rng):
    """Central shares: counts with discrete Laplace noise, the difference of two geometric numbers."""
    fall = float(CentralRelease(epsilon).certificate.fall)
    up, down = rng.geometric(-np.expm1(-fall), size=(2, len(true)))
    return np.clip(true + (up - down) / people, 0.0, 1.0)


def needs(trust, level, settings):
    """People that each mechanism needs; within a radius, those of the mechanism that is released."""
    options = {"trust": WITHIN.get(trust, trust), "delta": settings["delta"]}
    if trust in WITHIN:
        options |= {"level": level, "radius": settings["radius"]}
        candidates = planner.sample_sizes("mean", settings["error"], **options)
        return [need for need in candidates if need.mechanism == RELEASED]
    return planner.sample_sizes("mean", settings["error"], level, **options)


def simulated_error(need, settings, cell, seed):
    """MAE of surveys of the planned size; nan where none is enough, or too few can be drawn."""
    if not np.isfinite(need.people) or settings["most_draws"] < FEWEST * need.people:
        return Estimate(np.nan)
    if need.trust == "central" or need.mechanism == RELEASED:
        # of a central release one draw of noise for a survey; a table has draws of its own
        most = settings["surveys"] if need.trust == "central" else settings["most_draws"] // int(need.people)
        surveys = min(settings["surveys"], most)
        value, low, high = need.simulate(surveys, rng=seeding.generator(seed, *cell))
        return Estimate(value, interval=(low, high))
    reports = SimpleNamespace(noise=need.noise, randomise=need.noise.rvs)
    wanted = settings["half_width"], settings["most_draws"]
    people, one_time = int(need.people), population_of_hour(0.0)
    return mean_local_error(reports, one_time, people, cell, ("trust_models", "people"), seed, *wanted)


def costs(settings):
    """Cost after shuffling of mechanisms on the circle, a row for each and each level of a report."""
    for level, name in product(settings["local_levels"], SHUFFLED):
        distribution = class_of(name).pure(level, dim=2).noise
        yield dict(mechanism=name, local_level=level, cost=guarantees.shuffled_sample_size_ratio(distribution))


if __name__ == "__main__":
    with job(snakemake):
        settings, seed = snakemake.params.settings, snakemake.params.seed
        of_day = histograms(settings, snakemake.params.day, seed)
        write_tables(snakemake.output, surveys=surveys(settings, seed), costs=costs(settings), histograms=of_day)
