"""Measure how often the intervals that hold for any people miss, bin by bin, and how wide they are.

python benchmarks/measure_intervals.py [--runs 1500] [--minutes 60] [--seed 1] [--kept runs.jsonl] [--maps]

Each run draws by lot one of 12 days (the six of measure_reports.py, and six mixtures of clock times, even
hours and peaks that are drawn by lot themselves), a number of people (300, 3000, 30 000) and a level within
3 h (0.1, 0.3, 1, 3, 10). The people of the run are drawn, then one report for each by the distribution of a release.
The table has, for each day and level, how many intervals of 24 bins missed the true share, of all bins and of
those with more than 5 % of the people; the bin that missed most often; and how many misses of one bin are
refused: this many have a probability below 1e-4 in the whole table if each bin misses in 5 % of the runs.
``caught_at`` is the probability of a miss that would be refused in 99 % of such tables. A second table has
the mean widths of these intervals and of those for smooth days.

With ``--maps`` each run is a map of 8 x 8 districts of a square of 10 km, by planar Laplace noise at a level
within 200 m, of people at two addresses, at a spot of even ground, in two streets or in a smooth density. A
district with more than 5 % of the people is full.

``--bets`` has wrong variants, which must be refused: ``seen``, bets on a block that are chosen by this block
too, and ``best_rate``, the λ that gives the best end, after the fact.

With ``--kept``, each run is a line of this file as soon as it is done, and a later call goes on from there.
``--minutes 0`` then only shows the tables.

The exit status is 1 if a bin is refused. All draws follow from --seed.
"""

import argparse
import collections
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import optimize, stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from measure_reports import HOURS, REACH, peak, places, sharp_days

from dirpriv import estimators
from dirpriv.distributions import PlanarLaplace
from dirpriv.estimators import betting_intervals, circle_noise_bounds
from dirpriv.release import CircleRelease

BINS = 24
DISTRICTS = 8
COUNTS = 300, 3000, 30_000
LEVELS = 0.1, 0.3, 1.0, 3.0, 10.0
FAMILY_ERROR = 1e-4


def days(seed):
    """Densities of 12 days, per minute."""
    found, rng = sharp_days(), np.random.default_rng([seed, 12])
    for number in range(6):
        day = np.zeros(1440)
        shares = rng.dirichlet(np.ones(3))
        np.add.at(day, rng.integers(0, 1440, rng.integers(1, 5)), shares[0])
        begin, end = np.sort(rng.integers(0, 25, 2))
        even = (HOURS >= begin) & (HOURS <= end + 1)
        day += shares[1] * even / even.sum()
        bump = peak(rng.uniform(0.0, 24.0), rng.uniform(0.1, 2.0))
        day += shares[2] * bump / bump.sum()
        found[f"lot {number + 1}"] = day / day.sum()
    return found


def one_run(density, count, distribution, rng, **options):
    """The true shares of a day's people, and the histogram of their reports."""
    people = rng.multinomial(count, density)
    cells = np.repeat(np.arange(1440), people)
    reports = (
        cells + rng.choice(1440, p=distribution.probabilities / distribution.probabilities.sum(), size=count)
    ) % 1440
    counts, angles = np.bincount(reports, minlength=1440), (np.arange(1440) + 0.5) * (2.0 * np.pi / 1440)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = estimators.private_histogram(angles, distribution, bins=BINS, weights=counts, **options)
    return people.reshape(BINS, -1).sum(axis=1) / count, found


def one_map(draw, count, distribution, rng, **options):
    """The true shares of places in districts, and the map of their reports."""
    positions = draw(count, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = estimators.private_place_density(
            distribution.rvs(positions, rng=rng), distribution, reach=REACH, cells=DISTRICTS, **options
        )
    true = np.histogram2d(*positions.T, bins=[np.linspace(-REACH, REACH, DISTRICTS + 1)] * 2)[0]
    return true / count, found


def missed(true, found):
    return (true < found.low - 1e-9) | (true > found.high + 1e-9)


def refused(runs, tests):
    """The least number of misses of one bin that is refused."""
    return int(stats.binom.isf(FAMILY_ERROR / tests, runs, 0.05)) + 1


def caught_at(runs, tests):
    """The probability of a miss at which one bin is refused with a probability of 99 %."""
    least = refused(runs, tests)
    if least > runs:
        return 1.0
    return optimize.brentq(lambda p: stats.binom.sf(least - 1, runs, p) - 0.99, 1e-9, 1.0)


def use(variant, monkeypatch=setattr):
    """Put a wrong variant in place of the bets."""
    if variant == "seen":
        grown, expected, upto = betting_intervals._grown, betting_intervals._expected, []

        def kept(counts, *given):
            upto[:] = np.cumsum(counts.reshape(len(counts), -1, counts.shape[-1]), axis=0)
            return grown(counts, *given)

        def seen(noise, earlier):
            return expected(noise, next(total for total in upto if total.sum() > earlier.sum()))

        monkeypatch(betting_intervals, "_grown", kept)
        monkeypatch(betting_intervals, "_expected", seen)
    elif variant == "best_rate":
        monkeypatch(betting_intervals, "_FACTORS", np.array([np.geomspace(1 / 16, 16.0, 17)] * 2))
        monkeypatch(circle_noise_bounds.CircleNoise, "mixed", 17)
        monkeypatch(betting_intervals, "_SHARES", np.ones(17))  # the largest of the products, and more


def drawn(seed, run, known, distributions, counts, once):
    """One run: its people, level, number of people, missed bins, bins with many people, and mean widths."""
    rng = np.random.default_rng([seed, run])
    name, level = str(rng.choice(list(known))), float(rng.choice(list(distributions)))
    count = int(rng.choice(counts))
    true, found = once(known[name], count, distributions[level], rng)
    _, smooth = once(known[name], count, distributions[level], rng, intervals="smooth")
    return {
        "run": run,
        "day": name,
        "level": level,
        "count": count,
        "missed": np.flatnonzero(missed(true, found)).tolist(),
        "full": np.flatnonzero(true > 0.05).tolist(),
        "widths": [float(np.mean(one.high - one.low)) for one in (found, smooth)],
    }


def among(numbers, bins):
    """Numbers of bins as a row of 0 and 1."""
    return np.isin(np.arange(bins), numbers)


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=1500)
    parser.add_argument("--minutes", type=float, default=np.inf, help="no run begins later")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--levels", type=float, nargs="+", default=LEVELS)
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS)
    parser.add_argument("--bets", choices=("as_they_are", "seen", "best_rate"), default="as_they_are")
    parser.add_argument("--maps", action="store_true", help="maps of 64 districts, not days of 24 bins")
    parser.add_argument("--kept", type=Path, help="file of the runs that are done")
    arguments = parser.parse_args()
    if arguments.maps and arguments.bets == "seen":
        parser.error("--bets seen is for days: the districts of a map are many rows of reports")
    use(arguments.bets)
    start, levels = time.monotonic(), arguments.levels
    if arguments.maps:
        known, bins, once = places(), DISTRICTS**2, one_map
        distributions = {level: PlanarLaplace(level / 200.0) for level in levels}
    else:
        known, bins, once = days(arguments.seed), BINS, one_run
        distributions = {level: CircleRelease.within(level, "3h").noise for level in levels}
    options = {name: value for name, value in vars(arguments).items() if name not in ("runs", "minutes", "kept")}
    lines = arguments.kept.read_text().splitlines() if arguments.kept and arguments.kept.exists() else []
    found = [line for line in map(json.loads, lines) if line.pop("options") == json.loads(json.dumps(options))]
    done = {line["run"] for line in found}
    for run in sorted(set(range(arguments.runs)) - done):
        if time.monotonic() - start > 60.0 * arguments.minutes:
            break
        found.append(drawn(arguments.seed, run, known, distributions, arguments.counts, once))
        if arguments.kept:
            with arguments.kept.open("a") as kept:
                kept.write(json.dumps({**found[-1], "options": options}) + "\n")
    cells, widths = collections.defaultdict(list), collections.defaultdict(list)
    for line in found:
        cells[line["day"], line["level"]].append([among(line[of], bins) for of in ("missed", "full")])
        widths[line["count"], line["level"]].append(line["widths"])
    tests = bins * len(cells)
    print("people,level,runs,missed,missed_of_full,full,worst_bin,refused_from,caught_at")
    good = True
    for (name, level), rows in sorted(cells.items()):
        misses, full = (np.array(values) for values in zip(*rows, strict=True))
        worst, least = misses.sum(axis=0).max(), refused(len(rows), tests)
        good &= worst < least
        print(
            f"{name},{level},{len(rows)},{misses.sum()},{misses[full].sum()},{full.sum()},{worst},{least},"
            f"{caught_at(len(rows), tests):.2f}"
        )
    print("\nreports,level,runs,any,smooth,ratio")
    for (count, level), rows in sorted(widths.items()):
        either, smooth = np.mean(rows, axis=0)
        print(f"{count},{level},{len(rows)},{either:.4f},{smooth:.4f},{either / smooth:.2f}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
