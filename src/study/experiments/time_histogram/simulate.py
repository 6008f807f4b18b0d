"""Error of the hour-of-day histogram of randomised check-ins (paper A, Section 4.3).

Two views, two ways to say how private a time of day must be:

``within``  level ℓ for any two times at most a radius r apart: (ℓ, r)
``pure``    pure ε-differential privacy: no two times of day lose more

Every check-in is randomised on its own. The errors are those of the histogram of the responses against the
histogram of the same check-ins, in two estimates: ``counts``, the responses as they are, and ``deconvolved``,
the same after :func:`dirpriv.estimators.deconvolve`. In the reference ``no_privacy`` the error is that of a
sample of check-ins against all of them.

A sample of the check-ins is randomised by the mechanism, repeatedly. Of the whole table only the histogram of
the responses is drawn, once, from its exact distribution: see :func:`.seconds.draw_counts`.
"""

from typing import NamedTuple

import numpy as np

from dirpriv import estimators, geometry
from dirpriv.estimators import transport
from study.checkins import prepared
from study.experiments.time_histogram.bins_of_seconds import bin_probabilities, draw_counts, in_bins
from study.simulation import seeding
from study.simulation.baselines import NO_PRIVACY, REFERENCES, UNIFORM, VIEW, fresh_counts, uniform_noise
from study.simulation.estimates import Estimate, mean_of_draws, tidy_row
from study.simulation.histogram_errors import bin_errors, repeat, shares_of
from study.simulation.mechanisms import calibrations_within, distinct_calibrations, mechanism_within, pure_mechanism
from study.simulation.populations import Population
from study.workflow.catalogue_rows import row
from study.workflow.job import job, with_progress, write_rows

MODELS = 100  # histograms of the whole table, for the standard error of its error
METRICS = {"emd": "h", "mae": "share"}


class Point(NamedTuple):
    """One mechanism at one level."""

    view: str
    calibration: str
    level: float
    mechanism: object


class CheckinTimes(NamedTuple):
    """Times of day of a table of check-ins, in whole seconds since midnight."""

    name: str
    of_seconds: np.ndarray  # number of check-ins in each second
    sample: np.ndarray  # seconds of a sample of them


def times_of(name, path, settings, seed):
    """The check-ins of a prepared table."""
    rng = seeding.generator(seed, "time_histogram", "sample", name)
    sample = prepared.sample(path, ["local_time"], settings["responses"], rng)
    return CheckinTimes(name, prepared.counts_of_seconds(path), prepared.seconds_of_day(sample))


def points_of(name, calibrations, settings):
    """The mechanism at the levels of the study; a reference has none."""
    if name in REFERENCES:
        return [Point(VIEW, "", np.nan, uniform_noise(2))]
    radius = geometry.hours_to_angles(settings["radius_hours"])
    views = {
        "within": (calibrations_within, lambda level, c: mechanism_within(name, level, radius, c)),
        "pure": (distinct_calibrations, lambda level, c: pure_mechanism(name, level, c)),
    }
    return [
        Point(view, calibration, level, make(level, calibration))
        for view, (distinct, make) in views.items() if view in row(name).promises
        for calibration in distinct(name, calibrations)
        for level in settings["levels"]
    ]  # fmt: skip


def noisy_counts(mechanism, people, bins, rng):
    """Histogram of the responses of all people of a :class:`Population`."""
    return estimators.circular_histogram(mechanism.randomise_angles(people.angles, rng=rng), bins)


def errors_of(counts, truth):
    """Errors of rows of counts, by metric: one number for each row."""
    return {"emd": transport.circular_emd(counts, truth), "mae": bin_errors(counts, truth)}


class TimesSimulation:
    """One mechanism, or a reference, on the check-ins of one table."""

    def __init__(self, name, times, settings, seed):
        self.name, self.times, self.settings, self.seed = name, times, settings, seed
        self.bins = settings["bins"]
        self.sample = Population(geometry.hours_to_angles(times.sample / 3600.0))
        self.of_seconds = np.bincount(times.sample, minlength=prepared.DAY)

    def _generator(self, point, *names):
        cell = ("time_histogram", self.times.name, self.name, point.view, point.calibration)
        return seeding.generator(self.seed, *cell, str(point.level), *names)

    def sample_results(self, point):
        """Rows of the repeatedly randomised sample, and the histograms of its first repetition."""
        n, settings = self.sample.angles.size, self.settings
        of_seconds = self.times.of_seconds if self.name == NO_PRIVACY else self.of_seconds
        truth = in_bins(of_seconds, self.bins)

        def draw(repetition):
            rng = self._generator(point, repetition)
            if self.name == NO_PRIVACY:
                return fresh_counts(truth, n, rng)
            return noisy_counts(point.mechanism, self.sample, self.bins, rng)

        wanted = settings["half_width"], settings["most_draws"] // n
        counts, _ = repeat(draw, lambda counts: errors_of(counts, truth)["emd"], *wanted)
        estimates = self._estimates(point, counts, of_seconds, settings["deconvolved"])
        samples = self._errors(estimates, truth)
        errors = {key: mean_of_draws(values[1:]) for key, values in samples.items()}
        histograms = {"true": truth, "noisy": counts[0]}
        if "deconvolved" in estimates:
            histograms["deconvolved"] = estimates["deconvolved"][1]
        shares = {kind: shares_of(histogram) for kind, histogram in histograms.items()}
        return self._rows(point, errors, samples, n), shares

    def table_rows(self, point):
        """Rows of the whole table, randomised once."""
        of_seconds = self.times.of_seconds
        truth, probabilities = (in_bins(of_seconds, self.bins), bin_probabilities(point.mechanism.noise, self.bins))
        counts = draw_counts(of_seconds, probabilities, self._generator(point, "all"))
        counts = np.vstack([counts, self._models(point, truth)])
        some = 1 + self.settings["deconvolved"]
        samples = self._errors(self._estimates(point, counts, of_seconds, some), truth)
        errors = {key: Estimate(float(x[1]), float(x[2:].std(ddof=1)), 1) for key, x in samples.items()}
        return self._rows(point, errors, samples, int(of_seconds.sum()))

    def _models(self, point, truth):
        """Histograms of times even within their hour: fast to draw, they give the one's standard error."""
        rng = self._generator(point, "model")
        moves = estimators.bin_transitions(point.mechanism.noise, self.bins)
        shares = moves / moves.sum(axis=1, keepdims=True)
        return sum(rng.multinomial(*of_bin, size=MODELS) for of_bin in zip(truth, shares, strict=True))

    def _estimates(self, point, counts, of_seconds, some):
        """Estimates by name, first their limit of many responses; ``some`` of the others are deconvolved."""
        if self.name == NO_PRIVACY:
            return {"counts": np.vstack([in_bins(of_seconds, self.bins), counts])}
        distribution = point.mechanism.noise
        of_bins = np.einsum("s,sb->b", of_seconds, bin_probabilities(distribution, self.bins))  # BLAS has many orders
        estimates = {"counts": np.vstack([of_bins, counts])}
        if self.name != UNIFORM:
            estimates["deconvolved"] = estimators.deconvolve(estimates["counts"][: 1 + some], distribution)
        return estimates

    @staticmethod
    def _errors(estimates, truth):
        """Errors of the rows of each estimate, by estimate and metric."""
        return {
            (estimate, metric): values
            for estimate, rows in estimates.items()
            for metric, values in errors_of(rows, truth).items()
        }

    def _rows(self, point, errors, limits, n):
        distribution = point.mechanism.noise
        for (estimate, metric), error in errors.items():
            yield tidy_row(
                "time_histogram", error, view=point.view, population=self.times.name, mechanism=self.name,
                calibration=point.calibration, dim=2, epsilon=point.level,
                kappa=distribution.kappa if self.name not in REFERENCES else np.nan, n=n, estimate=estimate,
                metric=metric, unit=METRICS[metric], repetitions=error.repetitions,
                expected=float(limits[estimate, metric][0]),
            )  # fmt: skip


def simulate(name, times, calibrations, settings, seed):
    """One mechanism, or a reference, on the check-ins of one table: its errors, and histograms.

    ``expected`` is the error that remains however many responses there are. The histograms are of one
    repetition at the example levels; ``hour`` is where the bin begins, ``kind`` true, noisy or deconvolved.
    """
    simulation = TimesSimulation(name, times, settings, seed)
    points = points_of(name, calibrations, settings)
    rows, rows_of_all, histograms = [], [], []
    for point in with_progress(f"time histogram, {times.name}, {name}", points):
        more, shares = simulation.sample_results(point)
        rows += more
        if name != NO_PRIVACY:  # the histogram of all check-ins is exact
            rows_of_all += simulation.table_rows(point)
        if point.level in settings["example_levels"]:
            cell = dict(
                view=point.view, population=times.name, mechanism=name, calibration=point.calibration,
                epsilon=point.level,
            )  # fmt: skip
            histograms += [
                cell | {"hour": 24.0 * number / settings["bins"], "kind": kind, "share": share}
                for kind, values in shares.items()
                for number, share in enumerate(values)
            ]
    return rows + rows_of_all, histograms


HISTOGRAM_COLUMNS = ["view", "population", "mechanism", "calibration", "epsilon", "hour", "kind", "share"]


if __name__ == "__main__":
    with job(snakemake):
        name, params = snakemake.wildcards.mechanism, snakemake.params
        times = times_of(snakemake.wildcards.population, snakemake.input[0], params.settings, params.seed)
        errors, histograms = simulate(name, times, params.calibrations, params.settings, params.seed)
        write_rows(errors, snakemake.output.errors)
        write_rows(histograms, snakemake.output.histograms, HISTOGRAM_COLUMNS)
