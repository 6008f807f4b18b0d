"""Busyness of venues from randomised check-ins (paper A, Section 4.3.2 and Appendix B.2).

Each check-in's time of day is randomised at the level ℓt within a radius of hours, and its venue's place at
the level ℓs within a radius of metres. The noisy place is snapped to the nearest venue, and each venue gets
the hours of the noisy times of the check-ins that were snapped to it. The metrics are

``emd``        earth mover's distance in hours between that histogram and the true one, averaged over the
               venues that have enough check-ins. A venue without snapped check-ins gets the uniform
               histogram: nothing is known about it
``own_share``  share of the check-ins that are snapped to their own venue, or one at the same coordinates
``own_share_apart``  the same of the check-ins at venues with no other one within the radius of metres
``moved``      mean distance from a check-in's venue to the one it is snapped to, in metres

One randomisation of the times for each ℓt and one of the places for each ℓs serve all their pairs. Noise that
no metric shows is not drawn: the direction of a place that moves too little to change a histogram, and the
time of a check-in that is counted in none. The histograms have the same distribution as those of a release of all.

All check-ins are randomised several times, and ``emd`` is the mean over these times. Its intervals cover the
variation over venues: they are for the mean over similar venues. ``noise_error`` is what the noise leaves of
the mean over these very venues. Intervals of the other metrics cover the noise of the first time, and the
random sample of check-ins that is used if there are very many.
"""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pandas as pd

from dirpriv import distributions, geometry
from dirpriv.estimators import transport
from dirpriv.geometry import earth
from study.checkins.venues_from_checkins import Venues
from study.experiments.busyness.snapping import SnappingIndex
from study.experiments.busyness.snapping_distances import means_of, sums_of
from study.simulation import seeding
from study.simulation.estimates import Z95, mean_of_draws, tidy_row
from study.simulation.mechanisms import calibrations_within, mechanism_within, usual
from study.workflow.catalogue_rows import row
from study.workflow.job import JobProgress, job, write_tables
from study.workflow.parquet import write_parquet

HOURS = 24
AT_ONCE = 1 << 15  # check-ins whose places are randomised together, so that they stay in the cache
FEWEST_TIMES = 5  # that all check-ins are randomised, or they are once
COPIES = 4  # of the times beside one copy of the places: few check-ins arrive where the noise is large


class PlaceNoise:
    """The mechanism of places of a level within ``metres``: on the sphere, or planar on great circles."""

    def __init__(self, name, level, metres):
        self.planar = name == "planar_laplace"
        radius, dim = (metres, 2) if self.planar else (metres / earth.EARTH_RADIUS, 3)
        self.mechanism = mechanism_within(name, level, radius, usual(name), dim)

    def ways(self, count, rng):
        """How far each of ``count`` places moves, as angles along great circles."""
        distribution = self.mechanism.noise
        if self.planar:
            return distribution.radius_rvs(count, rng=rng) / earth.EARTH_RADIUS
        return distribution.angle_rvs(count, rng=rng)

    @staticmethod
    def moved(vectors, ways, rng):
        """Unit vectors of noisy places: moved so far, each in a uniform direction."""
        return distributions.draw_at_angle(vectors, ways, rng=rng)


class Measured(NamedTuple):
    """The venues whose histograms are kept: the measured ones, and the example."""

    venues: np.ndarray  # numbers, ascending
    counted: np.ndarray  # whether a venue is measured
    example: int  # place of the example, the venue with the most check-ins, among ``venues``


def choose(venues, name, settings, seed):
    """The venues to measure, the same for all mechanisms: those with enough check-ins, or a sample."""
    enough = np.flatnonzero(venues.checkins >= settings["fewest_checkins"])
    if len(enough) > settings["most_venues"]:
        rng = seeding.generator(seed, "busyness", name, "venues")
        enough = np.sort(rng.choice(enough, settings["most_venues"], replace=False))
    example = int(np.argmax(venues.checkins))
    kept = np.union1d(enough, [example])
    return Measured(kept, np.isin(kept, enough), int(np.searchsorted(kept, example)))


class Outcome(NamedTuple):
    """Histograms and sums of one mechanism on one dataset."""

    true: np.ndarray  # venues kept × hours
    noisy: np.ndarray  # times mechanisms × places mechanisms × venues kept × hours
    displacements: np.ndarray  # sums about snapping: mechanisms of the places × sums


def randomise(venues, measured, times, places, generators, snapping, share=1.0, threads=1, progress=None):
    """Randomise all check-ins of a dataset and count each at the venue that it is snapped to.

    ``generators(kind, number, block)`` gives the random generator for a mechanism of the kind ``"time"`` or
    ``"place"``, by its number, and a block of check-ins. The kind ``"sample"`` is for the sample of check-ins
    that the displacements are about; it contains each with probability ``share``. ``snapping`` is the index
    of the venues. ``threads`` threads work on mechanisms in parallel; results do not depend on them.
    """
    shape = len(measured.venues), HOURS
    true = np.zeros(shape, dtype=np.int32)
    noisy = np.zeros((len(times), len(places), *shape), dtype=np.int32)
    displacements, done = np.zeros((len(places), 6)), 0

    def place(number, block, venue, sampled):
        """Check-ins of a block that are snapped to a kept venue, and the row of it, for one of the places."""
        rng = generators("place", number, block)
        parts = [slice(start, start + AT_ONCE) for start in range(0, len(venue), AT_ONCE)]
        results = [place_some(number, rng, venue[part], sampled[part]) for part in parts]
        arrived = [part.start + arrived for part, (arrived, _) in zip(parts, results, strict=True)]
        return np.concatenate(arrived), np.concatenate([rows for _, rows in results])

    def place_some(number, rng, venue, sampled):
        """The same of a part of a block."""
        ways = places[number].ways(len(venue), rng)
        is_far = ways >= snapping.stay_angles[venue]
        far, near = np.flatnonzero(is_far), np.flatnonzero(~is_far & (snapping.rows[venue] >= 0))
        moved = places[number].moved(snapping.vectors[venue[far]], ways[far], rng)
        arrived, rows = snapping.arrivals(venue[far], moved)
        # the others of the sample last: the histograms do not depend on it
        rest, is_seen = np.flatnonzero(sampled & ~is_far), sampled[far]
        at = venue[np.concatenate([far[is_seen], rest])]
        others = places[number].moved(snapping.vectors[venue[rest]], ways[rest], rng)
        reached = snapping.snap(at, np.concatenate([moved[is_seen], others]))
        displacements[number] += sums_of(at, reached, snapping.vectors, snapping.apart)
        return np.concatenate([near, far[arrived]]), np.concatenate([snapping.rows[venue[near]], rows])

    def time(number, block, seconds, arrivals):
        """Count the hours of one of the times at the venues where the check-ins arrived."""
        hours = times[number].randomise_times(seconds / 3600.0, rng=generators("time", number, block)).astype(np.int8)
        for of_place, (arrived, rows) in zip(noisy[number], arrivals, strict=True):
            add_counts(of_place, rows, hours[arrived])

    blocks = venues.blocks()
    with ThreadPoolExecutor(threads) as pool:
        block, coming = 0, pool.submit(next, blocks, None)
        while (arrays := coming.result()) is not None:
            venue, seconds = arrays
            coming = pool.submit(next, blocks, None)  # beside the places, so that no thread has to wait
            sampled = generators("sample", 0, block).random(len(venue)) < share
            at_work = [pool.submit(place, number, block, venue, sampled) for number in range(len(places))]
            rows = snapping.rows[venue]
            add_counts(true, rows[rows >= 0], seconds[rows >= 0] // 3600)
            arrivals = [of_level.result() for of_level in at_work]
            is_seen = np.zeros(len(venue), dtype=bool)
            for arrived, _ in arrivals:
                is_seen[arrived] = True
            number_of = np.cumsum(is_seen) - 1  # among those whose times are seen
            arrivals = [(number_of[arrived], rows) for arrived, rows in arrivals]
            at_work = [pool.submit(time, number, block, seconds[is_seen], arrivals) for number in range(len(times))]
            for of_level in at_work:
                of_level.result()
            block, done = block + 1, done + len(venue)
            if progress:
                progress.update(done)
    return Outcome(true, noisy, displacements)


def add_counts(counts, rows, hours):
    """Count hours in the histograms of these rows."""
    np.add.at(counts.reshape(-1), rows * np.int32(HOURS) + hours, 1)


def distances(noisy, true):
    """EMD in hours of each venue, from counts, venues × 24; one without check-ins counts as uniform."""
    if len(true) == 0:
        return np.empty(0)
    empty = noisy.sum(axis=-1, keepdims=True) == 0
    return transport.circular_emd(np.where(empty, 1, noisy), true)


def references(true, rng):
    """Histograms without information, by name: uniform, and of as many uniform random times as check-ins.

    The second is farther from the true one, as a few random times do not give an even histogram.
    """
    hours = np.full(HOURS, 1.0 / HOURS)
    noise = rng.multinomial(true.sum(axis=1), hours)
    return {"uniform_histogram": np.ones_like(true), "uniform_noise": noise}


class BusynessSimulation:
    """A mechanism of times with its calibrations, and that of places, on the check-ins of a dataset."""

    def __init__(self, name, population, calibrations, settings, seed):
        self.name, self.population, self.settings, self.seed = name, population, settings, seed
        self.place_name = row(name).places
        radius = geometry.hours_to_angles(settings["time_radius_hours"])
        distinct, metres = calibrations_within(name, calibrations), settings["place_radius_metres"]
        self.time_points = [(c, level) for c in distinct for level in settings["time_levels"]]
        self.times = [mechanism_within(name, level, radius, c) for c, level in self.time_points]
        self.places = [PlaceNoise(self.place_name, level, metres) for level in settings["place_levels"]]

    def generator(self, kind, number, block, repetition=0, copy=0):
        """The random generator of a mechanism and a block, or of the sample, the same for all mechanisms."""
        again = (repetition, copy) if repetition or copy else ()
        if kind == "time":
            calibration, level = self.time_points[number]
            point = (self.name, calibration, level, *again)
        elif kind == "place":
            point = (self.place_name, self.settings["place_levels"][number], *again)
        else:
            point = ()
        return seeding.generator(self.seed, "busyness", self.population, kind, *point, block)

    def repeat(self, venues, measured, threads):
        """The first outcome, and by numbers of time and place the EMDs and arrivals: repetitions × venues.

        A level of places is repeated until the noise leaves ``half_width`` of the mean over the venues.
        """
        checkins = int(venues.checkins.sum())
        snapping = SnappingIndex(venues.places, measured.venues, self.settings["place_radius_metres"])
        most, each = self.settings["most_randomised"] // checkins, len(self.places)  # levels of check-ins
        several = most >= FEWEST_TIMES * each and measured.counted.any()
        most, copies = (most, COPIES) if several else (each, 1)
        progress = JobProgress(f"busyness, {self.population}, {self.name}", checkins)
        first, counted, emd, arrivals = None, measured.counted, defaultdict(list), defaultdict(list)
        repetition, left = 0, list(range(each))
        while left and most >= len(left):

            def generators(kind, number, block, repetition=repetition, left=tuple(left)):
                copy, number = divmod(number, len(self.times)) if kind == "time" else (0, left[number])
                return self.generator(kind, number, block, repetition, copy)

            share, shown = (0.0, None) if first else (self.settings["most_checkins"] / checkins, progress)
            noise = self.times * copies, [self.places[j] for j in left], generators
            outcome = randomise(venues, measured, *noise, snapping, share, threads, shown)
            first, true = first or outcome, outcome.true[counted]
            for i in range(len(self.times)):
                for place, j in enumerate(left):
                    noisy = outcome.noisy[i :: len(self.times), place][:, counted]
                    emd[i, j].append(np.mean([distances(copy, true) for copy in noisy], axis=0))
                    arrivals[i, j].append(noisy[0].sum(axis=1))
            repetition, most = repetition + 1, most - len(left)
            if repetition >= FEWEST_TIMES:
                left = [j for j in left if self._is_open(j, emd)]
        return first, *({key: np.array(rows) for key, rows in kept.items()} for kept in (emd, arrivals))

    def _is_open(self, place, emd):
        """Whether the noise still leaves more than is wanted of a mean EMD at this level of places."""
        errors = [mean_of_draws(np.mean(emd[i, place], axis=1)).standard_error for i in range(len(self.times))]
        return Z95 * max(errors) > self.settings["half_width"]

    def run(self, venues, threads=1):
        """Randomise the check-ins of these venues; the results do not depend on the threads.

        Three tables: means, a row for each metric and level; a row for each measured venue and pair of
        levels, with its check-ins, those snapped to it and its ``emd``, means over the repetitions; hours of
        the venue with the most check-ins, true and noisy.
        """
        measured = choose(venues, self.population, self.settings, self.seed)
        outcome, emds, arrivals = self.repeat(venues, measured, threads)
        counted, checkins = measured.counted, int(venues.checkins.sum())
        true = outcome.true[counted]
        rng = seeding.generator(self.seed, "busyness", self.population, "uniform")
        useless = {k: mean_of_draws(distances(x, true)).value for k, x in references(true, rng).items()}
        rows, of_venues, example = [], [], []
        for j, level in enumerate(self.settings["place_levels"]):
            # metrics of the places alone have no calibration and no level of the times
            places_alone = self._levels("", np.nan, level)
            for metric, mean in means_of(outcome.displacements[j]).items():
                unit = "m" if metric == "moved" else "share"
                rows.append(tidy_row(
                    "busyness", mean, **places_alone, n=mean.repetitions, venues=np.nan, empty_venues=np.nan,
                    metric=metric, unit=unit, **dict.fromkeys(useless, np.nan), repetitions=1,
                    noise_error=np.nan,
                ))  # fmt: skip
            for i, point in enumerate(self.time_points):
                levels, emd, arrived = self._levels(*point, level), emds[i, j], arrivals[i, j]
                mean, times = emd.mean(axis=0), len(emd)
                noise_error = mean_of_draws(emd.mean(axis=1)).standard_error if mean.size else np.nan
                rows.append(tidy_row(
                    "busyness", mean_of_draws(mean), **levels, n=checkins, venues=mean.size,
                    empty_venues=(arrived == 0).sum(axis=1).mean(), metric="emd", unit="h", **useless,
                    repetitions=times, noise_error=noise_error,
                ))  # fmt: skip
                of_venues.append(pd.DataFrame(dict(
                    levels, venue=measured.venues[counted], checkins=true.sum(axis=1),
                    arrivals=arrived.mean(axis=0), emd=mean, noise_error=noise_error,
                    noise_variance=emd.var(axis=0, ddof=1) / times if times > 1 else np.nan,
                )))  # fmt: skip
                example.append(pd.DataFrame(dict(
                    levels, hour=np.arange(HOURS), true=outcome.true[measured.example],
                    noisy=outcome.noisy[i, j][measured.example],
                )))  # fmt: skip
        return pd.DataFrame(rows), pd.concat(of_venues, ignore_index=True), pd.concat(example)

    def _levels(self, calibration, time_level, place_level):
        return dict(
            population=self.population, mechanism=self.name, place_mechanism=self.place_name,
            calibration=calibration, time_level=time_level, place_level=place_level,
        )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake) as logger:
        name, population = snakemake.wildcards.mechanism, snakemake.wildcards.population
        venues = Venues(snakemake.input[0])
        logger.info("%d venues at %d places", venues.names, len(venues))
        params = snakemake.params
        simulation = BusynessSimulation(name, population, params.calibrations, params.settings, params.seed)
        table, of_venues, example = simulation.run(venues, snakemake.threads)
        write_tables(snakemake.output, table=table, example=example)
        write_parquet(of_venues, snakemake.output.venues)
