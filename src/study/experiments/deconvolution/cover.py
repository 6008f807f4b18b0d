"""Coverage and width of three kinds of intervals of :func:`dirpriv.estimators.estimate_histogram`, day by day.

``distribution-free`` holds for every day, ``smooth`` for smooth ones, and ``soft`` for every day, of soft bins: seen
through a blur of three hours. The days have peaks far narrower than the noise,
atoms (clock times, a timetable), edges, and a spike on even ground; one is smooth; and there are the hours of
the check-ins, those of a user's files, too. Each day is drawn and randomised once for each level, and all
kinds are computed from the same reports. A bin counts as covered if its interval holds the share, or the mean
weight in a soft bin, of the people who reported.
"""

import warnings
from pathlib import Path

import numpy as np
from scipy.interpolate import BSpline

from dirpriv import estimators, geometry
from dirpriv.mechanisms import PurkayasthaMechanism
from study.checkins import prepared
from study.simulation import seeding
from study.simulation.estimates import Estimate, share_of_draws, tidy_row
from study.simulation.histogram_errors import shares_of
from study.workflow.job import job, with_progress, write_rows

KINDS = ("soft", "distribution-free", "smooth")
SOFT_BINS = 8
FULL = 0.05  # of the people: a bin with more is a full one
SHAPES = {
    "smooth day": lambda count, rng: 14.0 + rng.vonmises(0.0, 1.0, count) * 12.0 / np.pi,
    "two sharp peaks": lambda count, rng: rng.normal(rng.choice([8.5, 17.5], count), 0.1),
    "three clock times": lambda count, rng: rng.choice([8.25, 12.0, 17.5], count),
    "timetable": lambda count, rng: rng.integers(18, 66, count) / 3.0,
    "office hours": lambda count, rng: rng.uniform(9.0, 17.0, count),
    "spike on even ground": lambda count, rng: np.where(rng.random(count) < 0.1, 9.1, rng.uniform(0.0, 24.0, count)),
}
"""Hours of people, by the name of their day."""


def soft_shares(people):
    """Mean weights of people in soft bins: quadratic B-splines, three bins wide."""
    places = np.asarray(people) / geometry.TURN * SOFT_BINS
    parts = np.mod(places[:, None] - np.arange(SOFT_BINS) + 1.0, SOFT_BINS)
    return np.nan_to_num(BSpline.basis_element(range(4), extrapolate=False)(parts)).mean(axis=0)


def covered(people, reports, distribution, bins):
    """By kind, whether each interval holds the share of its bin, how wide it is, and the shares."""
    shares, results = shares_of(estimators.circular_histogram(people, bins)), {}
    for kind in KINDS:
        how = {"bins": SOFT_BINS, "edges": "soft"} if kind == "soft" else {"bins": bins, "intervals": kind}
        true = soft_shares(people) if kind == "soft" else shares
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            histogram = estimators.estimate_histogram(reports, distribution, **how)
        is_covered = (histogram.low <= true + 1e-12) & (true <= histogram.high + 1e-12)
        results[kind] = is_covered, histogram.high - histogram.low, true > FULL
    return results


def summarised(results):
    """Shares of covered bins, of all and of full ones, taken for independent; and the mean width."""
    is_covered, widths, full = (np.concatenate(parts) for parts in zip(*results, strict=True))
    yield "covered", "share", share_of_draws(int(is_covered.sum()), is_covered.size)
    yield "covered_full", "share", share_of_draws(int(is_covered[full].sum()), int(full.sum()))
    yield "width", "share", Estimate(float(widths.mean()))


def simulate(angles, settings, seed):
    """Rows for each day, level and kind, and for all days together; ``angles`` of check-ins by dataset."""
    days = [*SHAPES, *angles]
    radius, count = float(geometry.hours_to_angles(settings["radius_hours"])), settings["interval_reports"]
    results = {}
    cells = [(day, level) for day in days for level in settings["interval_levels"]]
    for day, level in with_progress("deconvolution, intervals", cells):
        rng = seeding.generator(seed, "deconvolution", "intervals", day, str(level))
        if day in angles:
            people = rng.choice(angles[day], min(count, len(angles[day])), replace=False)
        else:
            people = geometry.hours_to_angles(np.mod(SHAPES[day](count, rng), 24.0))
        mechanism = PurkayasthaMechanism.within(level, radius)
        reports = mechanism.randomise_angles(people, rng=rng)
        for kind, one in covered(people, reports, mechanism.noise, settings["bins"]).items():
            results.setdefault((day, level, kind), []).append(one)
            results.setdefault(("all days", level, kind), []).append(one)
    return [
        tidy_row(
            "deconvolution", number, day=day, mechanism="purkayastha", epsilon=level, n=count,
            intervals=kind, metric=metric, unit=unit, repetitions=number.repetitions,
        )
        for (day, level, kind), parts in results.items()
        for metric, unit, number in summarised(parts)
    ]  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        paths = {Path(path).stem: path for path in snakemake.input}
        angles = {name: prepared.population_of(name, [path], None).angles for name, path in paths.items()}
        write_rows(simulate(angles, snakemake.params.settings, snakemake.params.seed), snakemake.output[0])
