"""Measure how good the estimates from private reports are: errors of histograms, coverage of intervals.

python benchmarks/measure_reports.py histogram [--runs 40] [--counts 1000 10000 100000] [--days flat ...]
python benchmarks/measure_reports.py mean [--runs 10000] [--counts 100 1000 10000]
python benchmarks/measure_reports.py coverage [--runs 20] [--counts 3000 30000] [--levels 0.1 1 10]
python benchmarks/measure_reports.py places [--runs 20] [--counts 3000 30000] [--levels 0.3 1 3]

``histogram``: earth mover's distance in hours between the estimated hours and the true hours of the same
people, for days of known form: of the reports as they are, with the best of all fixed widths, and with the
chosen width; their ratio with its standard error, the largest ratio that is accepted (of 10 000 reports or
more), how many bins the intervals cover, and how often there is a warning. The day "night" is reported only:
the logarithm of its density is nearly a parabola, as smooth as a day can be, and only a fixed width can know
that before.

``mean``: how often the interval of the mean covers the mean direction of the population, and how often it is
the whole circle; how often the other intervals miss; how often the interval of the resultant length covers.
At least 95 % is accepted of both, with three standard errors of the share of the runs.

``coverage``: how many of the intervals of 24 bins hold the true share, for days with peaks or jumps that are
sharper than the noise, at levels within 3 h: of all bins, of the bins with more than 5 % of the people, and
of the bins without people; and how often there is a warning. ``places``: the same for the 24 x 24 cells of a
square of 10 km, at levels within 200 m. Nothing is refused here: the docstrings of the estimators and the
help of the commands give these figures.

The tables go to the standard output as CSV; the exit status is 1 if a row is not accepted. All draws follow
from --seed.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import fft, optimize, special, stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from dirpriv import estimators, geometry
from dirpriv.distributions import PlanarLaplace
from dirpriv.estimators import transport
from dirpriv.mechanisms import PurkayasthaMechanism
from dirpriv.release import CircleRelease
from study.simulation import seeding

HOURS = (np.arange(1440) + 0.5) / 60.0
WIDTHS = [*geometry.hours_to_angles(np.geomspace(0.3, 8.0, 12)), np.inf]
LEVELS = (0.316, 1.0, 3.16, 10.0)
RADIUS = geometry.hours_to_angles(3.0)
BINS = 24
REACH = 5000.0  # metres
ACCEPTED_RATIO = {"commuters": 1.15, "office": 1.15, "alarm": 1.15, "flat": 1.5}
ACCEPTED_COVERAGE = 0.95
DEFAULTS = {
    "histogram": {"runs": 40, "counts": [1000, 10_000, 100_000], "levels": LEVELS},
    "mean": {"runs": 10_000, "counts": [100, 1000, 10_000]},
    "coverage": {"runs": 20, "counts": [3000, 30_000], "levels": [0.1, 0.3, 1.0, 3.0, 10.0]},
    "places": {"runs": 20, "counts": [3000, 30_000], "levels": [0.3, 1.0, 3.0]},
}


def peak(hour, width):
    """A bump around the clock, per minute."""
    return sum(np.exp(-0.5 * ((HOURS - hour + turn) / width) ** 2) for turn in (-24.0, 0.0, 24.0)) / width


def days():
    """Densities of days, per minute."""
    densities = {
        "commuters": 0.13 + 1.5 * peak(9.0, 1.5) + 3.0 * peak(19.0, 2.0),
        "office": np.where((HOURS >= 9.0) & (HOURS < 17.0), 1.0, 0.08),
        "alarm": 0.05 + peak(7.0, 0.5),
        "night": 0.01 + peak(23.5, 2.5),
        "flat": np.ones(1440),
    }
    return {name: density / density.sum() for name, density in densities.items()}


def sharp_days():
    """Densities of days with peaks or jumps that noise flattens, per minute, and a smooth one."""
    densities = {
        "two peaks": peak(8.5, 0.1) + peak(17.5, 0.1),
        "close peaks": peak(8.0, 0.15) + peak(10.5, 0.15),
        "timetable": np.where((np.arange(1440) % 20 == 0) & (HOURS >= 6.0) & (HOURS < 22.0), 1.0, 0.0),
        "clock times": np.isin(np.arange(1440), [495, 720, 1050]) * 1.0,
        "office hours": np.where((HOURS >= 9.0) & (HOURS < 17.0), 1.0, 0.0),
        "smooth": np.exp(np.cos(geometry.hours_to_angles(HOURS - 14.0))),
    }
    return {name: density / density.sum() for name, density in densities.items()}


def places():
    """How places in metres are drawn: at two addresses, a tenth at one spot, in two streets, or smoothly."""
    return {
        "two addresses": lambda count, rng: np.array([[-1100.0, 600.0], [1500.0, -300.0]])[rng.integers(0, 2, count)],
        "spot": lambda count, rng: np.where(
            rng.random((count, 1)) < 0.1, [1100.0, 700.0], rng.uniform(-REACH, REACH, (count, 2))
        ),
        "streets": lambda count, rng: np.where(
            rng.random((count, 1)) < 0.6,
            np.stack([rng.uniform(-4000.0, 4000.0, count), np.full(count, 700.0)], axis=1),
            np.stack([np.full(count, -1900.0), rng.uniform(-3000.0, 3000.0, count)], axis=1),
        ),
        "smooth": lambda count, rng: np.clip(rng.normal(0.0, 1500.0, (count, 2)), -REACH + 1.0, REACH - 1.0),
    }


def reports_of(distribution, angles, rng):
    """One private report for each person, in radians."""
    noise = distribution.angle_rvs(angles.size, rng=rng)
    return np.mod(angles + np.where(rng.integers(0, 2, angles.size), noise, -noise), geometry.TURN)


def histogram_errors(distribution, density, count, runs, rng, widths=None):
    """One row for each run: errors raw, with each fixed width, with the chosen one; covered bins; warning."""
    widths = WIDTHS if widths is None else widths
    rows = np.empty((runs, len(widths) + 4))
    for row in rows:
        minutes = rng.choice(1440, p=density, size=count) + rng.random(count)
        angles = geometry.hours_to_angles(minutes / 60.0)
        truth = estimators.circular_histogram(angles, BINS)
        reports = reports_of(distribution, angles, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fixed = [
                estimators.estimate_histogram(reports, distribution, width=width, intervals="smooth").shares
                for width in widths
            ]
            found = estimators.estimate_histogram(reports, distribution, intervals="smooth")
        raw = estimators.circular_histogram(reports, BINS)
        errors = [transport.circular_emd(shares, truth) for shares in (raw, *fixed, found.shares)]
        shares = truth / count
        row[:] = *errors, np.mean((found.low <= shares) & (shares <= found.high)), found.warning != ""
    return rows


def measure_histograms(arguments):
    """Rows of the table of histograms, and whether all are accepted."""
    print(
        "day,level,reports,runs,raw,best_fixed,best_width_h,chosen,ratio,ratio_error,accepted,covered,warned",
        flush=True,
    )
    good = True
    for level in arguments.levels:
        distribution = PurkayasthaMechanism.within(level, RADIUS).noise
        for count in arguments.counts:
            for name in arguments.days:
                rng = seeding.generator(arguments.seed, "histogram", name, str(level), count)
                rows = histogram_errors(distribution, days()[name], count, arguments.runs, rng)
                raw, *fixed, chosen, covered, warned = rows.mean(axis=0)
                best = int(np.argmin(fixed))
                ratio = chosen / min(raw, fixed[best])
                off = rows[:, -3] - ratio * rows[:, 0 if raw < fixed[best] else 1 + best]
                error = off.std() / np.sqrt(arguments.runs) / min(raw, fixed[best])
                accepted = ACCEPTED_RATIO.get(name, np.inf) if count >= 10_000 else np.inf
                good &= ratio <= accepted
                print(
                    f"{name},{level},{count},{arguments.runs},{raw:.4f},{fixed[best]:.4f},"
                    f"{24.0 * WIDTHS[best] / geometry.TURN:.2f},{chosen:.4f},{ratio:.3f},{error:.3f},"
                    f"{accepted},{covered:.3f},{warned:.2f}",
                    flush=True,
                )
    return good


def covered(found, shares):
    """Covered share of all intervals, of those with more than 5 % of the people, of those without people."""
    held = (found.low <= shares) & (shares <= found.high)
    parts = held, held[shares > 0.05], held[shares == 0.0]
    return [part.mean() if part.size else np.nan for part in parts] + [found.warning != ""]


def histogram_coverage(distribution, density, count, rng):
    """What :func:`covered` finds in one run of a day."""
    angles = geometry.hours_to_angles((rng.choice(1440, p=density, size=count) + rng.random(count)) / 60.0)
    found = estimators.estimate_histogram(
        reports_of(distribution, angles, rng), distribution, bins=BINS, intervals="smooth"
    )
    return covered(found, estimators.circular_histogram(angles, BINS) / count)


def place_coverage(distribution, draw, count, rng):
    """What :func:`covered` finds in one run of places."""
    positions = draw(count, rng)
    turns, radii = rng.uniform(0.0, geometry.TURN, count), distribution.radius_rvs(count, rng=rng)
    noise = radii[:, None] * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    found = estimators.estimate_place_density(
        positions + noise, distribution, reach=REACH, cells=BINS, intervals="smooth"
    )
    return covered(found, np.histogram2d(*positions.T, bins=[found.edges] * 2)[0] / count)


def measure_coverage(arguments):
    """Rows of the tables of coverage."""
    print("what,level,reports,runs,covered,covered_of_full,covered_of_empty,warned", flush=True)
    day = arguments.what == "coverage"
    for name, people in (sharp_days() if day else places()).items():
        for level in arguments.levels:
            distribution = PurkayasthaMechanism.within(level, RADIUS).noise if day else PlanarLaplace(level / 200.0)
            for count in arguments.counts:
                rng = seeding.generator(arguments.seed, arguments.what, name, str(level), count)
                once = histogram_coverage if day else place_coverage
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    rows = np.array([once(distribution, people, count, rng) for _ in range(arguments.runs)])
                    values = [f"{value:.3f}" for value in np.nanmean(rows, axis=0)]
                print(",".join([name, f"{level}", f"{count}", f"{arguments.runs}", *values]), flush=True)
    return True


def mean_coverage(distribution, resultant, count, runs, rng):
    """Shares of the runs in which the interval covers the mean direction, and is the whole circle.

    The people have a von Mises distribution of this resultant length about an angle of 1. The third number is the
    share in which the interval of the resultant length covers. All reports of a run are drawn at once: the
    numbers of those in each cell are multinomial, with probabilities from the two distributions.
    """
    kappa = optimize.brentq(lambda k: special.ive(1, k) / special.ive(0, k) - resultant, 1e-3, 1e3)
    cells = distribution.probabilities.size
    middles = (np.arange(cells) + 0.5) * (geometry.TURN / cells)
    people = np.diff(stats.vonmises.cdf(np.arange(cells + 1) * (geometry.TURN / cells), kappa, loc=1.0))
    released = np.maximum(fft.irfft(fft.rfft(people) * fft.rfft(distribution.probabilities), cells), 0.0)
    released /= released.sum()
    covered = whole = length = 0
    for _ in range(runs):
        counts = rng.multinomial(count, released)
        found = estimators.estimate_mean(middles, distribution, weights=counts, of="population")
        inside = (1.0 - found.low) % geometry.TURN <= (found.high - found.low) % geometry.TURN
        covered += found.whole_circle or inside
        whole += found.whole_circle
        length += found.resultant_low <= resultant <= found.resultant_high
    return covered / runs, whole / runs, length / runs


def measure_means(arguments):
    """Rows of the table of means, and whether all are accepted."""
    print("privacy,level,resultant,reports,runs,covered,whole_circles,arcs_missed,resultant_covered", flush=True)
    pure = 1.0, 4.0
    releases = [("pure cap", epsilon, CircleRelease.pure(epsilon)) for epsilon in pure]
    releases += [
        ("pure Purkayastha", epsilon, CircleRelease.from_mechanism(PurkayasthaMechanism.pure(epsilon)))
        for epsilon in pure
    ]
    releases += [("within 3 h", level, CircleRelease.within(level, "3h")) for level in (0.1, 0.316, 1.0, 10.0)]
    good = True
    for privacy, level, release in releases:
        for resultant in (0.97, 0.70, 0.45):
            for count in arguments.counts:
                rng = seeding.generator(arguments.seed, "mean", privacy, str(level), str(resultant), count)
                covered, whole, length = mean_coverage(release.noise, resultant, count, arguments.runs, rng)
                room = 3.0 * np.sqrt(0.05 * 0.95 / arguments.runs)
                good &= min(covered, length) >= ACCEPTED_COVERAGE - room
                missed = (1.0 - covered) / (1.0 - whole) if whole < 1.0 else np.nan
                print(
                    f"{privacy},{level},{resultant},{count},{arguments.runs},{covered:.4f},{whole:.4f},"
                    f"{missed:.4f},{length:.4f}",
                    flush=True,
                )
    return good


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=DEFAULTS)
    parser.add_argument("--runs", type=int, help="40 histograms, 10000 means or 20 coverages by default")
    parser.add_argument("--counts", type=int, nargs="+", help="numbers of reports")
    parser.add_argument("--levels", type=float, nargs="+", help="of histograms and places")
    parser.add_argument("--days", nargs="+", choices=days(), default=list(days()), help="of histograms")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name, value in DEFAULTS[arguments.what].items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    measure = {"histogram": measure_histograms, "mean": measure_means}.get(arguments.what, measure_coverage)
    good = measure(arguments)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
