"""Error of the histogram of randomised places on the globe (paper A, Section 4.3).

The level ε is per radian of great-circle distance. Every place is randomised on its own; the errors are
those of the histogram of the responses over cells of equal area, against the histogram of the same
check-ins. In the reference ``no_privacy`` the error is that of a sample of check-ins against all of them.
"""

import functools

import numpy as np

from dirpriv.estimators import transport
from dirpriv.geometry import earth
from study.checkins import prepared
from study.simulation import seeding
from study.simulation.baselines import NO_PRIVACY, REFERENCES, VIEW, fresh_counts, uniform_noise
from study.simulation.estimates import mean_of_draws, tidy_row
from study.simulation.histogram_errors import bin_errors, repeat
from study.simulation.mechanisms import mechanism_within, usual
from study.workflow.job import job, with_progress, write_rows

METRICS = {"emd": "km", "mae": "share"}


class CheckinPlaces:
    """Places of the table of check-ins called ``name``, and a sample of them."""

    def __init__(self, name, path, settings, seed):
        self.name, self.path = name, path
        self.cells = earth.EqualAreaCells(settings["cells"])
        self.centres = self.cells.centres()
        rng = seeding.generator(seed, "place_histogram", "sample", name)
        sample = prepared.sample(path, prepared.PLACE, settings["responses"], rng)
        places = np.column_stack([sample[name] for name in prepared.PLACE])
        self.sample = earth.places_to_vectors(places)
        self.sample_counts = self.cells.histogram(places)

    @functools.cached_property
    def counts(self):
        """Histogram of all check-ins, which only the sampling error needs."""
        return sum(self.cells.histogram(places) for places in prepared.places(self.path))

    def noisy_counts(self, mechanism, rng):
        """Histogram of the sample's responses."""
        responses = mechanism.randomise(self.sample, rng=rng)
        return self.cells.histogram(earth.vectors_to_places(responses))


def points_of(name, settings):
    """Pairs (ε, mechanism); a reference has no ε."""
    if name in REFERENCES:
        return [(np.nan, uniform_noise(3))]
    mechanisms = [mechanism_within(name, epsilon, 1.0, usual(name), 3) for epsilon in settings["epsilons"]]
    return list(zip(settings["epsilons"], mechanisms, strict=True))


def simulate(name, places, settings, seed):
    """Errors of one mechanism, or of a reference, on the places of one table."""
    n = len(places.sample)
    truth = places.counts if name == NO_PRIVACY else places.sample_counts
    points = points_of(name, settings)
    for epsilon, mechanism in with_progress(f"place histogram, {places.name}, {name}", points):

        def draw(repetition, epsilon=epsilon, mechanism=mechanism):
            cell = ("place_histogram", places.name, name, str(epsilon), repetition)
            rng = seeding.generator(seed, *cell)
            if name == NO_PRIVACY:
                return fresh_counts(places.counts, n, rng)
            return places.noisy_counts(mechanism, rng)

        counts, distances = repeat(
            draw, functools.partial(transport.great_circle_emd, places.centres, truth, places.centres),
            settings["half_width"], settings["most_draws"] // n,
        )  # fmt: skip
        for metric, errors in (("emd", distances), ("mae", bin_errors(counts, truth))):
            is_reference, error = name in REFERENCES, mean_of_draws(errors)
            calibration = "" if is_reference else usual(name)
            yield tidy_row(
                "place_histogram", error, view=VIEW if is_reference else "metric", population=places.name,
                mechanism=name, calibration=calibration, dim=3, epsilon=epsilon,
                kappa=np.nan if is_reference else mechanism.noise.kappa, n=n, bins=len(places.cells),
                metric=metric, unit=METRICS[metric], repetitions=error.repetitions,
            )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        settings, seed = snakemake.params.settings, snakemake.params.seed
        places = CheckinPlaces(snakemake.wildcards.population, snakemake.input[0], settings, seed)
        write_rows(simulate(snakemake.wildcards.mechanism, places, settings, seed), snakemake.output[0])
