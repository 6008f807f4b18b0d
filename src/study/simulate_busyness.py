"""Busyness of venues from randomised check-ins (paper A, Section 4.3.2 and Appendix B.2).

Each check-in's time of day is randomised at the level ℓt within a radius of hours, and its venue's place at
the level ℓs within a radius of metres. The noisy place is snapped to the nearest venue, and each venue gets
the hours of the noisy times of the check-ins that were snapped to it. Measured are

``emd``        earth mover's distance in hours between that histogram and the true one, averaged over the
               venues that have enough check-ins. A venue to which nothing is snapped gets the uniform
               histogram: nothing is known of it
``own_share``  share of the check-ins that are snapped to their own venue, or one at the same coordinates
``own_share_apart``  the same of the check-ins at venues with no other one within the radius of metres
``moved``      mean distance from a check-in's venue to the one it is snapped to, in metres

One randomisation of the times for each ℓt and one of the places for each ℓs serve all their pairs. Intervals
of ``emd`` are over venues, for the mean over others like them. Those of the others are over the noise.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pandas as pd

from dirpriv import geography, geometry, seeding, transport
from study.job import Progress, job, moved_into_place, write_csv
from study.mean_errors import Z95
from study.mechanisms import calibrations_within, mechanism_within, place_mechanism_of
from study.venues import Venues

HOURS = 24


class PlaceNoise:
    """The mechanism of the places at one level.

    Parameters
    ----------
    name : str
        On the sphere, or ``planar_laplace``, whose noise is in metres along great circles.
    level, metres : float
        Level within this radius.
    """

    def __init__(self, name, level, metres):
        self.planar = name == "planar_laplace"
        radius, dim = (metres, 2) if self.planar else (metres / geography.EARTH_RADIUS, 3)
        self.mechanism = mechanism_within(name, level, radius, "published", dim)

    def randomise(self, places, vectors, rng):
        """Unit vectors of noisy places."""
        if self.planar:
            return geography.places_to_vectors(self.mechanism.randomise_places(places, rng=rng))
        return self.mechanism.randomise(vectors, rng=rng)


class Snapping:
    """Nearest venues of noisy places.

    Parameters
    ----------
    venues : study.venues.Venues
    """

    def __init__(self, venues):
        self.vectors = venues.vectors()
        self.neighbour = venues.neighbour_chords()
        self.nearest = geography.NearestPlaces(venues.places)

    def snap(self, venue, noisy):
        """Numbers of the venues nearest to ``noisy``, unit vectors of places that were those of ``venue``."""
        # what moved by less than half the way to the nearest other venue is still nearest to its own; not
        # quite half, for the rounding
        astray = np.flatnonzero(chords(noisy, self.vectors[venue]) >= 0.4999 * self.neighbour[venue])
        reached = venue.copy()
        reached[astray] = self.nearest.query_vectors(noisy[astray])
        return reached

    def apart(self, metres):
        """Whether the nearest other venue is more than ``metres`` away, for each venue."""
        return self.neighbour > 2.0 * np.sin(metres / geography.EARTH_RADIUS / 2.0)


def chords(first, second):
    """Straight-line distance between unit vectors."""
    between = first - second
    return np.sqrt(np.einsum("ij,ij->i", between, between))


class Moves:
    """Sums over check-ins of where they were snapped to, at one level."""

    def __init__(self):
        self.rows = self.own = self.rows_apart = self.own_apart = 0
        self.metres = self.squares = 0.0

    def add(self, venue, reached, vectors, apart):
        """Take a block of check-ins.

        Parameters
        ----------
        venue, reached : ndarray of int
            Numbers of the venues of the check-ins, and of those they were snapped to.
        vectors : ndarray, shape (k, 3)
            Unit vectors of all venues.
        apart : ndarray of bool, shape (k,)
            Whether a venue has no other near it.
        """
        is_away = reached != venue
        away = np.flatnonzero(is_away)
        chord = chords(vectors[venue[away]], vectors[reached[away]])
        metres = 2.0 * geography.EARTH_RADIUS * np.arcsin(np.minimum(chord / 2.0, 1.0))
        self.rows += len(venue)
        self.own += len(venue) - len(away)
        is_apart = apart[venue]
        self.rows_apart += np.count_nonzero(is_apart)
        self.own_apart += np.count_nonzero(is_apart & ~is_away)
        self.metres += metres.sum()
        self.squares += np.square(metres).sum()

    def means(self):
        """Metric -> number of check-ins, mean and standard error over the noise.

        The venues are fixed, so the errors are at most these, those of independent draws from one law.
        """
        metres = self.metres / self.rows
        variance = max(self.squares / self.rows - metres**2, 0.0)
        return {
            "own_share": (self.rows, *share_of(self.own, self.rows)),
            "own_share_apart": (self.rows_apart, *share_of(self.own_apart, self.rows_apart)),
            "moved": (self.rows, metres, np.sqrt(variance / self.rows)),
        }


def share_of(some, rows):
    """Share of independent draws and its standard error; nan of none."""
    if not rows:
        return np.nan, np.nan
    share = some / rows
    return share, np.sqrt(share * (1.0 - share) / rows)


def interval_of_share(share, rows):
    """95 % interval of a share by Wilson's formula, which has a length where none or all were drawn too."""
    if not rows:
        return np.nan, np.nan
    square = Z95**2 / rows
    middle = (share + square / 2.0) / (1.0 + square)
    half = np.sqrt(square * share * (1.0 - share) + square**2 / 4.0) / (1.0 + square)
    # at the ends the formula gives 0 and 1 but for rounding
    return max(min(middle - half, share), 0.0), min(max(middle + half, share), 1.0)


class Measured(NamedTuple):
    """The venues whose histograms are kept: those that are measured, and the example."""

    venues: np.ndarray  # numbers, ascending
    counted: np.ndarray  # whether it is one of those measured
    example: int  # place of the example, the venue with the most check-ins, among ``venues``

    def rows_of(self, count):
        """For each of ``count`` venues its place among those kept, or -1."""
        rows = np.full(count, -1, dtype=np.int32)
        rows[self.venues] = np.arange(len(self.venues))
        return rows


def choose(venues, name, settings, seed):
    """The venues to measure, the same for all mechanisms.

    All that have enough check-ins, or a random sample of them if they are more than wanted.

    Parameters
    ----------
    venues : study.venues.Venues
    name : str
        Name of the dataset.
    settings : dict
        ``busyness`` of the configuration.
    seed : int

    Returns
    -------
    Measured
    """
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
    moves: list  # of Moves, for each mechanism of the places


def randomise(venues, measured, times, places, generators, metres, threads=1, progress=None):
    """Randomise all check-ins of a dataset and count them where they are snapped to.

    Parameters
    ----------
    venues : study.venues.Venues
    measured : Measured
    times : list
        Mechanisms on the circle.
    places : list of PlaceNoise
    generators : callable
        ``generators(kind, number, block)`` gives the generator of a mechanism of the kind ``"time"`` or
        ``"place"``, by its number, and a block of check-ins.
    metres : float
        A venue with no other one within it counts as apart.
    threads : int
        Mechanisms of places at work side by side; the results do not depend on them.
    progress : study.job.Progress, optional

    Returns
    -------
    Outcome
    """
    rows = measured.rows_of(len(venues))
    shape = len(measured.venues), HOURS
    true = np.zeros(shape, dtype=np.int64)
    noisy = np.zeros((len(times), len(places), *shape), dtype=np.int32)
    moves = [Moves() for _ in places]
    snapping, done = Snapping(venues), 0
    apart = snapping.apart(metres)

    def place(number, rng, venue, hours, around):
        """The work of one mechanism of places on one block."""
        reached = snapping.snap(venue, places[number].randomise(*around, rng))
        moves[number].add(venue, reached, snapping.vectors, apart)
        kept = rows[reached]
        for of_time, hour in zip(noisy[:, number], hours, strict=True):
            add_counts(of_time, kept, hour)

    blocks = venues.blocks()

    def read(block):
        """The next block of check-ins with the hours of its noisy times; None after the last."""
        venue, seconds = next(blocks, (None, None))
        if venue is None:
            return None
        vectors = geometry.angles_to_vectors(geometry.hours_to_angles(seconds / 3600.0))
        hours = [
            hours_of(mechanism.randomise(vectors, rng=generators("time", number, block)))
            for number, mechanism in enumerate(times)
        ]
        return venue, seconds, hours

    with ThreadPoolExecutor(threads) as pool:
        block, coming = 0, pool.submit(read, 0)
        while (found := coming.result()) is not None:
            venue, seconds, hours = found
            coming = pool.submit(read, block + 1)  # beside the places, so that no thread waits for it
            around = venues.places[venue], snapping.vectors[venue]
            at_work = [
                pool.submit(place, number, generators("place", number, block), venue, hours, around)
                for number in range(len(places))
            ]
            add_counts(true, rows[venue], seconds // 3600)
            for of_level in at_work:
                of_level.result()
            block, done = block + 1, done + len(venue)
            if progress:
                progress.update(done)
    return Outcome(true, noisy, moves)


def hours_of(vectors):
    """Hours of the day that times lie in, from their unit vectors.

    As in :func:`dirpriv.estimators.circular_histogram`, a whole hour with its rounding begins its own bin.
    """
    hours = geometry.angles_to_hours(geometry.vectors_to_angles(vectors))
    return (hours + 1e-9).astype(np.int8) % HOURS


def add_counts(counts, rows, hours):
    """Count hours in the histograms of these rows; -1 is none of them."""
    kept = np.flatnonzero(rows >= 0)
    index = rows[kept].astype(np.int64) * HOURS + hours[kept]
    counts += np.bincount(index, minlength=counts.size).reshape(counts.shape)


def distances(noisy, true):
    """Earth mover's distance in hours of each venue; one that nothing was snapped to counts as uniform.

    Parameters
    ----------
    noisy, true : ndarray of int, shape (venues, 24)

    Returns
    -------
    ndarray, shape (venues,)
    """
    if len(true) == 0:
        return np.empty(0)
    empty = noisy.sum(axis=-1, keepdims=True) == 0
    return transport.circular_emd(np.where(empty, 1, noisy), true)


def references(true, rng):
    """Histograms of no use, by name: every hour alike, and as many uniformly random times as check-ins.

    The second is farther from the true one, as few random times are no even histogram.
    """
    hours = np.full(HOURS, 1.0 / HOURS)
    return {
        "uniform_histogram": np.ones_like(true),
        "uniform_noise": rng.multinomial(true.sum(axis=1), hours),
    }


def mean_of_venues(values):
    """Mean and its standard error, over venues; nan where there are too few for them."""
    mean = float(values.mean()) if len(values) else np.nan
    return mean, float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


class Simulation:
    """One mechanism, of the times and of the places, on the check-ins of one dataset.

    Parameters
    ----------
    name : str
        Name of the mechanism of the times.
    population : str
        Name of the dataset.
    calibrations : list of str
        Of the times. Those of the places coincide.
    settings : dict
        ``busyness`` of the configuration.
    seed : int
    """

    def __init__(self, name, population, calibrations, settings, seed):
        self.name, self.population, self.settings, self.seed = name, population, settings, seed
        self.place_name = place_mechanism_of(name)
        radius = geometry.hours_to_angles(settings["time_radius_hours"])
        self.time_points = [
            (c, v) for c in calibrations_within(name, calibrations) for v in settings["time_levels"]
        ]
        self.times = [mechanism_within(name, level, radius, c) for c, level in self.time_points]
        self.places = [
            PlaceNoise(self.place_name, level, settings["place_radius_metres"])
            for level in settings["place_levels"]
        ]

    def generator(self, kind, number, block):
        """The generator of a mechanism and a block of check-ins."""
        if kind == "time":
            calibration, level = self.time_points[number]
            point = (self.name, calibration, level)
        else:
            point = (self.place_name, self.settings["place_levels"][number])
        return seeding.generator(self.seed, "busyness", self.population, kind, *point, block)

    def run(self, venues, threads=1, progress=None):
        """Randomise the check-ins of these venues.

        Parameters
        ----------
        venues : study.venues.Venues
        threads : int
            The results do not depend on them.
        progress : study.job.Progress, optional

        Returns
        -------
        table : pandas.DataFrame
            Means, a row for each metric and level; see :meth:`_row`.
        of_venues : pandas.DataFrame
            A row for each measured venue and pair of levels: its check-ins, those snapped to it, its ``emd``.
        example : pandas.DataFrame
            Hours of the venue with the most check-ins, true and noisy.
        """
        measured = choose(venues, self.population, self.settings, self.seed)
        metres = self.settings["place_radius_metres"]
        outcome = randomise(
            venues, measured, self.times, self.places, self.generator, metres, threads, progress
        )
        counted = measured.counted
        true = outcome.true[counted]
        rng = seeding.generator(self.seed, "busyness", self.population, "uniform")
        of_no_use = {k: mean_of_venues(distances(x, true))[0] for k, x in references(true, rng).items()}
        rows, of_venues, example = [], [], []
        for j, level in enumerate(self.settings["place_levels"]):
            for metric, (checkins, *estimate) in outcome.moves[j].means().items():
                unit = "m" if metric == "moved" else "share"
                row = self._row(metric, unit, ("", np.nan), level, estimate, checkins)
                if unit == "share":
                    row["low"], row["high"] = interval_of_share(row["value"], checkins)
                rows.append(row)
            for i, point in enumerate(self.time_points):
                noisy = outcome.noisy[i, j]
                emd = distances(noisy[counted], true)
                arrivals = noisy[counted].sum(axis=1)
                row = self._row("emd", "h", point, level, mean_of_venues(emd), outcome.moves[j].rows)
                row |= {"venues": len(emd), "empty_venues": int((arrivals == 0).sum())}
                rows.append(row | of_no_use)
                levels = self._levels(point, level)
                of_venues.append(
                    pd.DataFrame(
                        {
                            **levels,
                            "venue": measured.venues[counted],
                            "checkins": true.sum(axis=1),
                            "arrivals": arrivals,
                            "emd": emd,
                        }
                    )
                )
                example.append(
                    pd.DataFrame(
                        {
                            **levels,
                            "hour": np.arange(HOURS),
                            "true": outcome.true[measured.example],
                            "noisy": noisy[measured.example],
                        }
                    )
                )
        return pd.DataFrame(rows), pd.concat(of_venues, ignore_index=True), pd.concat(example)

    def _levels(self, point, place_level):
        calibration, time_level = point
        return {
            "population": self.population,
            "mechanism": self.name,
            "place_mechanism": self.place_name,
            "calibration": calibration,
            "time_level": time_level,
            "place_level": place_level,
        }

    def _row(self, metric, unit, point, place_level, estimate, checkins):
        """A row of the table. What is about the places alone has no calibration and no level of the times."""
        value, error = estimate
        return {
            "experiment": "busyness",
            **self._levels(point, place_level),
            "n": checkins,
            "venues": np.nan,
            "empty_venues": np.nan,
            "metric": metric,
            "unit": unit,
            "value": value,
            "standard_error": error,
            "low": value - Z95 * error,
            "high": value + Z95 * error,
            "uniform_histogram": np.nan,
            "uniform_noise": np.nan,
        }


if __name__ == "__main__":
    with job(snakemake) as logger:
        name, population = snakemake.wildcards.mechanism, snakemake.wildcards.population
        venues = Venues(snakemake.input[0])
        logger.info("%d venues at %d places", venues.names, len(venues))
        simulation = Simulation(
            name, population, snakemake.params.calibrations, snakemake.params.settings, snakemake.params.seed
        )
        progress = Progress(f"busyness, {population}, {name}", int(venues.checkins.sum()))
        table, of_venues, example = simulation.run(venues, snakemake.threads, progress)
        write_csv(table, snakemake.output.table)
        write_csv(example, snakemake.output.example)
        with moved_into_place(snakemake.output.venues) as temporary:
            of_venues.to_parquet(temporary, index=False, compression="zstd")
