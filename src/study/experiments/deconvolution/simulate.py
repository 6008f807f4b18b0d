"""Error of the hours of the day from private reports: as they are, and with noise taken out at some width.

The estimates are those of :func:`dirpriv.estimators.estimate_histogram`. Its width says over which time a day
may change: a small one follows the noise, a large one flattens the day. Estimates by name:

``raw``      the reports as they are
``fixed``    at a width that is given
``chosen``   at the width that is chosen from the reports

A repetition draws people from the check-ins or from the model of a day, and randomises each of them at the
level ℓ within a radius by the Purkayastha mechanism. The error is the earth mover's distance of the estimate
to the histogram of the same people.
"""

import warnings

import numpy as np

from dirpriv import estimators, geometry
from dirpriv.estimators import transport
from dirpriv.mechanisms import PurkayasthaMechanism
from study.checkins import prepared
from study.simulation import seeding
from study.simulation.estimates import Estimate, mean_of_draws, tidy_row
from study.simulation.histogram_errors import shares_of
from study.simulation.populations import DAYS, angles_of_peaks
from study.workflow.job import job, with_progress, write_rows

ALPHA = 0.05  # error rate of the test that tells a day from a flat one
UNITS = {"emd": "h", "covered": "share", "told": "share", "warned": "share", "width": "h"}
UNITS |= {"against_best": "ratio"}


def draw_people(day, angles, settings, count, rng):
    """Angles of people of a day: a model by its name, or the angles of check-ins, of whom no one is drawn twice."""
    if day == "flat":
        return rng.uniform(0.0, geometry.TURN, count)
    if day == "two_peaks":
        return angles_of_peaks(settings["peaks"], settings["peak_deviation"], count, rng)
    return rng.choice(angles, min(count, len(angles)), replace=False)


def hours_of(width):
    """A width in hours: a flat day has none, and half a day stands for it."""
    return min(width * 12.0 / np.pi, 12.0)


def measured(people, reports, distribution, settings):
    """Numbers of one repetition, by estimate, its width in hours if that is fixed, and metric."""
    bins = settings["bins"]
    true = shares_of(estimators.circular_histogram(people, bins))
    raw = shares_of(estimators.circular_histogram(reports, bins))
    distances = {("raw", None, "emd"): transport.circular_emd(raw, true)}
    for hours in settings["widths"]:
        width = float(geometry.hours_to_angles(hours))
        fixed = estimators.estimate_histogram(reports, distribution, bins=bins, width=width, intervals="smooth")
        distances["fixed", hours, "emd"] = transport.circular_emd(fixed.shares, true)
    chosen = estimators.estimate_histogram(reports, distribution, bins=bins, intervals="smooth")
    covered = (chosen.low <= true + 1e-12) & (true <= chosen.high + 1e-12)
    numbers = {
        "emd": transport.circular_emd(chosen.shares, true),
        "covered": covered.mean(),
        "told": float(chosen.flat_p_value <= ALPHA),
        "warned": float(bool(chosen.warning)),
        "width": hours_of(chosen.width),
    }
    return distances | {("chosen", None, metric): value for metric, value in numbers.items()}


def against_best(drawn):
    """Error of the chosen width over that of the best of the others, in the same repetitions."""
    errors = {key: np.array(values) for key, values in drawn.items() if key[2] == "emd"}
    chosen = errors.pop(("chosen", None, "emd"))
    best = min(errors.values(), key=np.mean)
    ratio = chosen.mean() / best.mean()
    error = np.std(chosen - ratio * best, ddof=1) / np.sqrt(chosen.size) / best.mean()
    return Estimate(float(ratio), float(error), chosen.size)


def simulate(name, angles, settings, seed):
    """Errors of all estimates on one population, a model or ``angles``, for each level and number of reports.

    Of the chosen width there are also its error over that of the best of the other estimates
    (``against_best``), the mean width (``width``; a flat density counts as 12 h), the share of
    bins whose interval holds the true share (``covered``), the share of repetitions whose reports tell the
    day from a flat one (``told``), and that of repetitions with a warning (``warned``).
    """
    radius = float(geometry.hours_to_angles(settings["radius_hours"]))
    cells = [(level, count) for level in settings["levels"] for count in settings["reports"]]
    for level, count in with_progress(f"deconvolution, {name}", cells):
        mechanism, drawn = PurkayasthaMechanism.within(level, radius), {}
        for repetition in range(settings["repetitions"]):
            rng = seeding.generator(seed, "deconvolution", name, str(level), count, repetition)
            people = draw_people(name, angles, settings, count, rng)
            reports = mechanism.randomise_angles(people, rng=rng)
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # ``warned`` counts them
                for key, value in measured(people, reports, mechanism.noise, settings).items():
                    drawn.setdefault(key, []).append(float(value))
        numbers = {key: mean_of_draws(np.array(values)) for key, values in drawn.items()}
        numbers["chosen", None, "against_best"] = against_best(drawn)
        for (estimate, hours, metric), number in numbers.items():
            yield tidy_row(
                "deconvolution", number, population=name, mechanism="purkayastha",
                epsilon=level, n=len(people), estimate=estimate, fixed_width=hours, metric=metric,
                unit=UNITS[metric], repetitions=number.repetitions,
            )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        name, params = snakemake.wildcards.population, snakemake.params
        angles = None if name in DAYS else prepared.population_of(name, snakemake.input, None).angles
        write_rows(simulate(name, angles, params.settings, params.seed), snakemake.output[0])
