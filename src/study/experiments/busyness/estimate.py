"""Hours of venues from the reports of Figures 8 and 12, with the known noise taken out, beside other estimates.

The first mechanism randomises each check-in's time and place as in ``simulate.py``, and the venues are those with
enough check-ins. From one set of reports, the hours of each venue are estimated in five ways:

``raw``          the hours of the reports that are snapped to the venue, as the papers do
``deconvolved``  the same reports, with the noise of times and places taken out
``table``        the same of other reports: an item of a public list for the true one, at the same levels
``city``         the hours of all reports, with the noise of times taken out, given to every venue
``uniform``      equally busy at all hours, without reports

The metric ``emd`` is the mean over the venues. ``emd_excess`` is that of ``deconvolved`` less that of the estimate,
from the same reports. Both are means over repetitions with other noise, and their intervals are for these very venues.
Of a larger file, a random sample of check-ins and of venues is used.
"""

from collections import defaultdict

import numpy as np

from dirpriv import geometry
from dirpriv.estimators import estimate_busyness
from dirpriv.release import FiniteRelease
from study.checkins.venues_from_checkins import Venues
from study.experiments.busyness.simulate import HOURS, BusynessSimulation, add_counts, distances
from study.experiments.busyness.snapping import SnappingIndex
from study.experiments.busyness.surroundings import ClassNoise, Surroundings
from study.simulation import seeding
from study.simulation.estimates import mean_of_draws, tidy_row
from study.simulation.mechanisms import usual
from study.workflow.job import job, with_progress, write_rows

COLUMNS = [
    *"experiment population mechanism place_mechanism calibration time_level place_level n venues estimate".split(),
    *"metric unit value standard_error low high repetitions".split(),
]
EVERY = 5  # repetitions, in one of which items are released: their curve needs no more
MIDDLES = geometry.hours_to_angles(np.arange(HOURS) + 0.5)


class BusynessEstimates:
    """Reports of the check-ins of a dataset at all levels, and five estimates of the hours of its venues."""

    def __init__(self, name, population, venues, settings, seed):
        self.settings, self.seed, self.population, self.name = settings, seed, population, name
        self.noise = BusynessSimulation(name, population, [usual(name)], settings, seed)
        rng, most = self._rng("checkins"), settings["most_checkins"]
        share = min(most / venues.checkins.sum(), 1.0)
        blocks = [np.stack(block)[:, rng.random(len(block[0])) < share] for block in venues.blocks()]
        self.venue, seconds = np.concatenate(blocks, axis=1)
        enough = np.flatnonzero(np.bincount(self.venue, minlength=len(venues)) >= settings["fewest_checkins"])
        few = min(settings["most_estimated"], len(enough))
        self.snapping = SnappingIndex(venues.places, np.sort(rng.choice(enough, few, replace=False)))
        self.measured = np.flatnonzero(self.snapping.rows >= 0)
        self.hours, rows = seconds / 3600.0, self.snapping.rows[self.venue]
        self.true = np.zeros((few, HOURS), dtype=np.int32)
        add_counts(self.true, rows[rows >= 0], self.hours[rows >= 0].astype(int))

    def _rng(self, *cell):
        return seeding.generator(self.seed, "busyness_estimates", self.population, *cell)

    def errors(self):
        """Mean EMDs of the venues, one for each repetition, by estimate and by numbers of the levels."""
        repetitions, errors = range(self.settings["estimated"]), defaultdict(list)
        times = [[self._times(i, again) for i in range(len(self.noise.times))] for again in repetitions]
        cities = [[self._hours(i, of, 0 * of, ClassNoise(np.eye(1))) for i, of in enumerate(each)] for each in times]
        places = self.noise.places if len(self.measured) else []
        for j in with_progress(f"estimates of busyness, {self.population}", range(len(places))):
            level, metres = self.settings["place_levels"][j], self.settings["place_radius_metres"]
            around = Surroundings(self.snapping.vectors, self.measured, 2.0 * metres / level)
            noise = around.noise(places[j], self._rng("noise", level))
            table = ListRelease(around, level, metres)
            for again in repetitions:
                rows, classes = self._places(around, j, self._rng("place", level, again))
                is_released = again % EVERY == 0
                released = table.classes(self.venue, self._rng("item", level, again)) if is_released else None
                for i, hours in enumerate(times[again]):
                    raw = np.zeros_like(self.true)
                    add_counts(raw, rows[rows >= 0], hours[rows >= 0])
                    hours_of = {
                        "raw": raw, "city": cities[again][i], "uniform": np.ones((1, HOURS)),
                        "deconvolved": self._hours(i, hours, classes, noise),
                    }  # fmt: skip
                    if is_released:
                        hours_of["table"] = self._hours(i, hours, released, table.noise)
                    for estimate, of_venues in hours_of.items():
                        errors[estimate, i, j].append(distances(of_venues, self.true).mean())
        return {key: np.array(of) for key, of in errors.items()}

    def _times(self, level, again):
        """Hours of the reported times of all check-ins."""
        rng = self._rng("time", self.settings["time_levels"][level], again)
        return self.noise.times[level].randomise_times(self.hours, rng=rng).astype(np.int8)

    def _places(self, around, level, rng):
        """Of each check-in the row of the measured venue that its place is snapped to, or -1, and its class."""
        near = np.flatnonzero(around.of_venues[self.venue] < around.elsewhere)
        rows, classes = np.full(len(self.venue), -1), np.full(len(self.venue), around.elsewhere)
        venue, place = self.venue[near], self.noise.places[level]
        moved = place.moved(self.snapping.vectors[venue], place.ways(len(near), rng), rng)
        arrived, of = self.snapping.arrivals(venue, moved)
        rows[near[arrived]], classes[near] = of, around.classes(moved)
        return rows, classes

    def _hours(self, level, hours, classes, noise):
        """Hours of the measured venues, from counts of reported hours and classes."""
        counts = np.bincount(classes * HOURS + hours, minlength=HOURS * len(noise.transitions()))
        cells, how = np.flatnonzero(counts), {"bins": HOURS, "weights": counts[counts > 0], "confidence": None}
        noises = self.noise.times[level].noise, noise
        busyness = estimate_busyness(MIDDLES[cells % HOURS], cells // HOURS, *noises, **how)
        return busyness.hours[: len(self.true)]


class ListRelease:
    """Releases of the items of a public list around venues, and their noise between the classes of venues."""

    def __init__(self, around, level, metres):
        self._item, places, classes = around.listed()
        listed = len(places) - (classes[-1] == around.elsewhere)
        elsewhere = "elsewhere" if listed < len(places) else None
        release = FiniteRelease.within(level, metres, range(listed), places=places[:listed], unknown=elsewhere)
        probabilities = release.noise.transitions()
        self._ends, self._classes = np.cumsum(probabilities, axis=1), classes
        of_items = np.eye(around.elsewhere + 1)[classes]
        of_venues = np.zeros_like(of_items)
        np.add.at(of_venues, (self._item, around.of_venues), 1.0)
        sizes = of_venues.sum(axis=0)
        moves = of_venues.T @ (probabilities @ of_items) / np.maximum(sizes, 1.0)[:, None]
        self.noise = ClassNoise(moves + np.diag(sizes == 0.0))

    def classes(self, venues, rng):
        """The class of a released item for each of these venues."""
        ends = self._ends + np.arange(len(self._ends))[:, None]
        items = self._item[venues]
        released = np.searchsorted(ends.ravel(), items + rng.random(len(items)) * self._ends[items, -1])
        return self._classes[released % len(ends)]


def rows_of(simulated):
    """Rows of the table: EMDs of all estimates, and by how much that of ``deconvolved`` exceeds others."""
    errors, noise = simulated.errors(), simulated.noise
    for (estimate, i, j), emd in errors.items():
        values = {"emd": mean_of_draws(emd)}
        if estimate not in ("deconvolved", "table"):
            values["emd_excess"] = mean_of_draws(errors["deconvolved", i, j] - emd)
        for metric, mean in values.items():
            yield tidy_row(
                "busyness", mean, population=simulated.population, mechanism=simulated.name,
                place_mechanism=noise.place_name, calibration=noise.time_points[i][0],
                time_level=noise.time_points[i][1], place_level=noise.settings["place_levels"][j],
                n=len(simulated.venue), venues=len(simulated.measured), estimate=estimate, metric=metric, unit="h",
                repetitions=mean.repetitions,
            )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        params, populations = snakemake.params, snakemake.params.populations
        cells = zip(populations, map(Venues, snakemake.input), strict=True)
        of_all = [BusynessEstimates(params.mechanism, *cell, params.settings, params.seed) for cell in cells]
        write_rows([row for of in of_all for row in rows_of(of)], snakemake.output[0], COLUMNS)
