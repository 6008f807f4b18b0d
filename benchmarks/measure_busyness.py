"""Measure the intervals of the hours of a place, the estimate, and the cost.

python benchmarks/measure_busyness.py coverage [--runs 300] [--variant other_noise]
python benchmarks/measure_busyness.py widths
python benchmarks/measure_busyness.py cost
python benchmarks/measure_busyness.py resolution

``coverage``: eight days of a square of 9 km around a place, at the levels 1 and 3 within 3 h and 200 m by turns. The
people of a run are drawn, then a report of the time and of the place of each, by the tables of releases. Each interval
of 95 % of the blurred hours of the district in the middle is compared with the truth, bin by bin. A row for each day
has the numbers of intervals and of those that miss, the least coverage of a bin, and the median width. A row is refused
where a binomial test of the bin with the most misses refuses 5 % at 1e-4 divided by the number of bins and days.
``--variant other_noise`` takes out noise of 0.8 times the level: it is refused.

``widths``: the widths of these bets where there are others to compare with: for soft bins of the time alone, those of
:func:`dirpriv.estimators.estimate_histogram`, whose bets are chosen by earlier reports.

``cost``: seconds of the processor and memory against reports, bins and districts. ``resolution``: the error of the
hours of one district without shrinkage, and the people that 10 points need.

The tables go to the standard output as CSV. The exit status is 1 if a row is refused. On one core ``coverage`` takes
about 8 minutes, and ``cost`` 2.
"""

import argparse
import math
import resource
import sys
import time
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from dirpriv import geometry
from dirpriv.estimators import busyness, busyness_intervals, estimate_busyness, estimate_histogram
from dirpriv.estimators.place_supports import district_support, soft_bins, spline
from dirpriv.release import CircleRelease, PlaneRelease

REGION = {"region_centre": (40.75, -73.98), "region_reach": "30km"}
HALF, SIDE = 4500.0, 1000.0
SETTINGS = {1.0: (4, 70_000), 3.0: (8, 20_000)}  # bins and people of a level


def noises(level, cell_size=50.0):
    time_noise = CircleRelease.within(level, "3h").noise
    return time_noise, PlaneRelease.within(level, "200m", cell_size=cell_size, **REGION).noise


def reports(hours, places, time_noise, place_noise, rng):
    """What releases with these tables report: radians and metres; and the values that they round to."""
    cell, parts = place_noise.cell_size, len(time_noise.probabilities)
    cells = np.floor(np.mod(hours / 24.0, 1.0) * parts).astype(int)
    moved = (cells + rng.choice(parts, p=time_noise.probabilities, size=hours.size)) % parts
    fall = place_noise.kappa * cell
    at = np.arange(-math.ceil(40.0 / fall), math.ceil(40.0 / fall) + 1)
    below = np.exp(-fall * np.hypot(at[:, None], at)).ravel().cumsum()
    drawn = np.searchsorted(below, rng.random(hours.size) * below[-1], side="right")
    middles = np.rint(places / cell) * cell
    moves = np.stack([at[drawn // at.size], at[drawn % at.size]], axis=1) * cell
    return (moved + 0.5) * (geometry.TURN / parts), middles + moves, (cells + 0.5) / parts, middles


def peak(hour, width, size, rng):
    return np.mod(rng.normal(hour, width, size), 24.0)


def even(people, rng):
    return rng.uniform(0.0, 24.0, people), rng.uniform(-HALF, HALF, (people, 2))


def same(people, rng):
    hours = np.where(rng.random(people) < 0.5, peak(8.5, 1.0, people, rng), peak(17.5, 1.5, people, rng))
    return hours, rng.uniform(-HALF, HALF, (people, 2))


def by_district(people, rng):
    places = rng.uniform(-HALF, HALF, (people, 2))
    east, north = np.floor(places / SIDE + 0.5).astype(int).T
    return np.mod(12.0 + 6.0 * np.sin(1.3 * east + 0.7 * north) + rng.normal(0.0, 2.0, people), 24.0), places


def crowd(people, rng):
    hours, places = same(people, rng)
    there = rng.random(people) < 0.3
    return np.where(there, 12.25, hours), np.where(there[:, None], [130.0, -70.0], places)


def empty_districts(people, rng):
    hours, places = by_district(people, rng)
    odd = np.floor(places / SIDE + 0.5).sum(axis=1) % 2 == 1
    return hours, np.where(odd[:, None], places + np.array([SIDE, 0.0]), places)


def empty_place(people, rng):
    hours, places = same(people, rng)
    inside = (np.abs(places) < SIDE / 2.0).all(axis=1)
    return hours, np.where(inside[:, None], places + np.array([0.0, SIDE]), places)


def border(people, rng):
    _, places = even(people, rng)
    inside = (np.abs(places) < SIDE / 2.0).all(axis=1)
    return np.where(inside, peak(9.0, 0.5, people, rng), peak(21.0, 0.5, people, rng)), places


def clock_times(people, rng):
    places = np.round(rng.uniform(-HALF, HALF, (people, 2)) / [450.0, 1.0]) * [450.0, 1.0]  # along streets
    return rng.choice([8.25, 12.0, 17.5], people, p=[0.5, 0.2, 0.3]), places


DAYS = even, same, by_district, crowd, empty_districts, empty_place, border, clock_times


def truth(turns, middles, bins, middle):
    """The hours of the people of a soft district, by the middles of their cells."""
    weights = np.prod(spline((middles - middle) / SIDE), axis=1)
    return soft_bins(turns, 1, bins) @ weights / weights.sum()


def coverage(arguments):
    print("day,intervals,missed,least coverage of a bin,median width,refused from,refused")
    refused = False
    for number, day in enumerate(DAYS):
        missed = {level: np.zeros(bins) for level, (bins, _) in SETTINGS.items()}
        runs, widths = dict.fromkeys(SETTINGS, 0), []
        for run in range(arguments.runs):
            level = list(SETTINGS)[run % len(SETTINGS)]
            (bins, people), rng = SETTINGS[level], np.random.default_rng([number, run, arguments.seed])
            pair = noises(level)
            angles, positions, turns, middles = reports(*day(people, rng), *pair, rng)
            known = noises(0.8 * level) if arguments.variant else pair
            support, numbers = district_support(positions, known[1], SIDE / 2.0, 1, None), np.ones(people)
            ends = busyness_intervals.intervals(support, (angles, positions, numbers), known, bins, 0.05)
            low, high = ends[:, support.asked.argmax()]
            true = truth(turns, middles, bins, 0.0)
            missed[level] += (true < low) | (true > high)
            widths.append(high - low)
            runs[level] += 1
        bins = sum(of.size for of in missed.values())
        limits = {level: stats.binom.isf(1e-4 / bins / len(DAYS), of, 0.05) for level, of in runs.items()}
        is_bad = any(missed[level].max() > limits[level] for level in missed if runs[level])
        least = min(1.0 - missed[level].max() / runs[level] for level in missed if runs[level])
        total = sum(missed[level].size * runs[level] for level in missed)
        row = [day.__name__, total, int(sum(of.sum() for of in missed.values())), f"{least:.4f}"]
        row += [f"{np.median(np.concatenate(widths)):.4f}", int(max(limits.values())) + 1, int(is_bad)]
        print(*row, sep=",", flush=True)
        refused |= is_bad
    return refused


def widths(arguments):
    print("level,people,bins,bets on scores,bets that learn")
    for level, people, bins in ((1.0, 3000, 8), (1.0, 30_000, 8), (1.0, 30_000, 16), (3.0, 3000, 8), (3.0, 30_000, 24)):
        rng = np.random.default_rng(arguments.seed)
        pair = noises(level)
        angles, *_ = reports(*same(people, rng), *pair, rng)
        day = estimate_histogram(angles, pair[0], bins=bins, edges="soft")
        hours, parts = busyness_intervals._hour_scores(pair[0], bins)
        one = busyness_intervals.Scores(np.ones((1, 1)), 0.0)
        counts = np.bincount((angles / geometry.TURN * parts).astype(int), minlength=parts)
        sums = np.stack([np.repeat((hours.values**power @ counts)[:, None], 4, axis=1) for power in range(5)])
        low, high = busyness_intervals._ends(sums, hours, one, float(people), float(people), 0.05)
        print(level, people, bins, f"{np.mean(high - low):.4f}", f"{np.mean(day.high - day.low):.4f}", sep=",")
    return False


def cost(arguments):
    print("reports,bins,districts asked for,all districts,seconds,GB at most so far")
    pair = noises(10.0, 20.0)
    settings = [(100_000, 24, 8), (1_000_000, 24, 8), (100_000, 8, 8), (100_000, 96, 8), (100_000, 24, 2)]
    settings += [(100_000, 24, 16), (100_000, 96, 30)]
    for count, bins, districts in settings:
        rng = np.random.default_rng(arguments.seed)
        hours, places = by_district(count, rng)
        angles, positions, *_ = reports(hours, places / HALF * (250.0 * districts + 200.0), *pair, rng)
        busyness._ERROR = math.inf  # whether they are supported or not
        begin = time.process_time()
        day = estimate_busyness(angles, positions, *pair, reach=250.0 * districts, bins=bins, districts=districts)
        seconds, memory = time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(count, bins, districts**2, len(day.places), f"{seconds:.1f}", f"{memory:.2f}", sep=",", flush=True)
    return False


def resolution(arguments):
    print("bins,reports,points of the middle district,of one in a corner,reports for 10 points")
    pair = noises(1.0, 10.0)
    support = district_support(np.zeros((1, 2)), pair[1], 250.0, 1, None)
    transitions = support.members.T @ support.spectrum(1)[0]
    middle = (support.places**2).sum(axis=1).argmin()
    corner = busyness.share_errors(transitions, transitions.mean(axis=0))[[0, middle]]
    for bins in (8, 24):
        enough = busyness.fewest_reports(support, pair[0], bins)
        for count in (100_000, 1_000_000):
            points = 10.0 * math.sqrt(enough / count)
            print(bins, count, f"{points:.1f},{points * corner[0] / corner[1]:.1f},{enough:.2g}", sep=",")
    return False


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("coverage", "widths", "cost", "resolution"))
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--variant", choices=("other_noise",))
    arguments = parser.parse_args()
    sys.exit(globals()[arguments.what](arguments))
