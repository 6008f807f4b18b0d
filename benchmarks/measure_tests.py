"""Measure how often the tests of private reports reject a hypothesis that is true.

python benchmarks/measure_tests.py [--runs 10000] [--tests rayleigh ...] [--cells 2 3 ...] [--counts 20 ...]

``rayleigh`` is :func:`dirpriv.estimators.rayleigh_test` of uniform reports; ``uniform`` and ``peaked``
are :func:`dirpriv.estimators.two_sample_test` of two groups of reports, uniform or with the density
exp(2 cos θ). Reports are the middles of cells of equal width. ``limit`` is the largest share of rejections
that is accepted: the upper limit of the binomial distribution at the level 1e-4, divided by the number of rows and
levels. From 3000 reports in 7 cells or more, at least 0.04 must be rejected at 5 %.

The table goes to the standard output as CSV; the exit status is 1 if a row is not accepted. All draws follow
from --seed.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from dirpriv import estimators, geometry
from dirpriv.distributions import Purkayastha
from study.simulation import seeding

CELLS = (2, 3, 4, 7, 24, 96)
COUNTS = (20, 100, 3000)
TESTS = ("rayleigh", "uniform", "peaked")
LEVELS = (0.05, 0.01)
ERROR_RATE = 1e-4  # of the whole table
LEAST = 0.04  # of 3000 reports in 7 cells or more, at 5 %
DISTRIBUTION = Purkayastha(dim=2, kappa=1.0)  # any that is not uniform: a p-value does not depend on it


def middles(cells):
    """Middles of cells of equal width, in radians."""
    return (np.arange(cells) + 0.5) * (geometry.TURN / cells)


def p_value(test, *groups):
    """P-value of the test of the numbers of reports in each cell, of one group or of two."""
    angles = middles(len(groups[0]))
    if test == "rayleigh":
        return estimators.rayleigh_test(angles, DISTRIBUTION, weights=groups[0]).p_value
    weights = {"first_weights": groups[0], "second_weights": groups[1]}
    return estimators.two_sample_test(angles, angles, **weights).p_value


def shares(test, cells):
    """Probabilities of the cells."""
    values = np.exp(2.0 * np.cos(middles(cells))) if test == "peaked" else np.ones(cells)
    return values / values.sum()


def rejections(test, cells, count, runs, rng, p_value=p_value):
    """Shares of the runs that are rejected at each level."""
    drawn = rng.multinomial(count, shares(test, cells), (runs, 1 if test == "rayleigh" else 2))
    values = np.array([p_value(test, *groups) for groups in drawn])
    return [float(np.mean(values <= level)) for level in LEVELS]


def limits(runs, rows):
    """Largest accepted share at each level, for a table of this number of rows."""
    return [float(stats.binom.isf(ERROR_RATE / (rows * len(LEVELS)), runs, level)) / runs for level in LEVELS]


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--tests", nargs="+", choices=TESTS, default=TESTS)
    parser.add_argument("--cells", type=int, nargs="+", default=CELLS)
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS, help="numbers of reports of a group")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    most = limits(arguments.runs, len(TESTS) * len(CELLS) * len(COUNTS))
    print("test,cells,reports,runs,rejected_5,limit_5,rejected_1,limit_1,accepted", flush=True)
    good = True
    for test in arguments.tests:
        for cells in arguments.cells:
            for count in arguments.counts:
                rng = seeding.generator(arguments.seed, "tests", test, cells, count)
                found = rejections(test, cells, count, arguments.runs, rng)
                least = LEAST if cells >= 7 and count >= 3000 else 0.0
                accepted = least <= found[0] and all(np.less_equal(found, most))
                good &= accepted
                row = [f"{value:.4f}" for pair in zip(found, most, strict=True) for value in pair]
                print(",".join([test, str(cells), str(count), str(arguments.runs), *row, str(accepted)]), flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
