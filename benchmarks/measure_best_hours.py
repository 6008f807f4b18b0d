"""How near to the true hours of venues could any linear estimate come?

python benchmarks/measure_best_hours.py results/checkins/NAME.parquet [--repetitions 20]

The check-ins are those that the rule ``prepare_checkins`` has written. Reports at ℓt = 1 and several ℓs, as of Figure
12, are freed of their noise by an estimate that no data owner could have: the best linear one for the mean and the
covariance of the true hours of these very venues, which knows the hours of all people around them, and how many are at
each venue. It has the least expected square of every sum of bins. Of its numbers those below 0 become 0.

The table on the standard output has the mean earth mover's distance in hours of the reports that are snapped to the
venue, and of the estimate, and their ratio. It takes about a minute.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import yaml
from scipy.linalg import cho_factor, cho_solve

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from dirpriv.estimators import bin_transitions
from study.checkins.venues_from_checkins import Venues
from study.experiments.busyness.estimate import BusynessEstimates
from study.experiments.busyness.simulate import HOURS, add_counts, distances
from study.experiments.busyness.surroundings import Surroundings

CONFIGURATION = Path(__file__).resolve().parents[1] / "config/config.yaml"
LEVELS = [1.0, 3.16, 10.0, 31.6, 100.0]  # of places


def best_linear(hours_of, people, times, places):
    """The best linear estimate of hours (venues × 24) from counts of reports, classes of places × 24.

    ``hours_of`` has the true hours of venues, ``people`` the true numbers (classes × 24), of which the venues are the
    first, and ``times`` and ``places`` the transitions.
    """
    venues, mean, covariance = len(hours_of), hours_of.mean(axis=0), np.cov(hours_of.T, bias=True)
    reached = np.flatnonzero(places[:venues].sum(axis=0) > 1e-6)
    places = places[:, reached]
    expected = people.astype(float)
    expected[:venues] = people[:venues].sum(axis=1, keepdims=True) * mean
    one = np.einsum("ca,hk->chak", places, times).reshape(expected.size, -1)  # of each person
    reported = expected.ravel() @ one
    spread = one * np.sqrt(expected.reshape(-1, 1))
    slopes = (one.reshape(-1, HOURS, reported.size)[:venues].T * people[:venues].sum(axis=1)).T
    together = np.einsum("gh,vhy->vgy", covariance, slopes).reshape(venues * HOURS, -1)
    noise = np.diag(reported * (1.0 + 1e-9)) - spread.T @ spread
    factor = cho_factor(slopes.reshape(venues * HOURS, -1).T @ together + noise, lower=True, check_finite=False)

    def estimate(counts):
        apart = counts[reached].ravel() - reported
        found = np.maximum(mean + (together @ cho_solve(factor, apart)).reshape(venues, HOURS), 0.0)
        return found / found.sum(axis=1, keepdims=True)

    return estimate


def main(path, repetitions):
    configuration = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))
    settings = configuration["busyness"] | {"time_levels": [1.0], "place_levels": LEVELS, "estimated": repetitions}
    of = BusynessEstimates("purkayastha", path.stem, Venues(path), settings, configuration["seed"])
    times = bin_transitions(of.noise.times[0].noise, bins=HOURS)
    hours_of = of.true / of.true.sum(axis=1, keepdims=True)
    print("place_level,venues,raw,best linear,ratio")
    for number, level in enumerate(LEVELS):
        around = Surroundings(of.snapping.vectors, of.measured, 2.0 * settings["place_radius_metres"] / level)
        noise = around.noise(of.noise.places[number], of._rng("noise", level))
        people = np.zeros((around.elsewhere + 1, HOURS))
        np.add.at(people, (around.of_venues[of.venue], of.hours.astype(int)), 1.0)
        estimate, errors = best_linear(hours_of, people, times, noise.transitions()), []
        for again in range(repetitions):
            hours = of._times(0, again)
            rows, classes = of._places(around, number, of._rng("place", level, again))
            raw, counts = np.zeros_like(of.true), np.zeros_like(people)
            add_counts(raw, rows[rows >= 0], hours[rows >= 0])
            np.add.at(counts, (classes, hours), 1.0)
            errors.append([distances(each, of.true).mean() for each in (raw, estimate(counts))])
        raw, best = np.mean(errors, axis=0)
        print(level, len(hours_of), f"{raw:.3f},{best:.3f},{best / raw:.3f}", sep=",", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkins", type=Path)
    parser.add_argument("--repetitions", type=int, default=20)
    arguments = parser.parse_args()
    main(arguments.checkins, arguments.repetitions)
