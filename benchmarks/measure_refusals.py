"""How often outputs refuse a level that is stated too small.

python benchmarks/measure_refusals.py RUNS FACTOR [name ...]

The audits are those of a mechanism of one's own before any job (src/study/simulation/mechanism_checks.py), without the
check of the log-density. A mechanism of the level FACTOR states the level 1; FACTOR 1 gives the share of right ones
that are refused. Each run has other draws. The table goes to the standard output as CSV; `docs/add_a_mechanism.md` has
the counts of 100 runs at 1.5.
"""

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from dirpriv.mechanisms import CapMechanism, PurkayasthaMechanism, VonMisesFisherMechanism
from study.simulation import mechanism_checks, seeding
from study.simulation.kernel_mechanisms import KernelMechanism


class SquaredMechanism(KernelMechanism):
    """The example of docs/add_a_mechanism.md."""

    finest = 1.0

    @staticmethod
    def log_density(theta):
        """That at κ = 1."""
        return -(theta**2)


MECHANISMS = {
    "purkayastha": (PurkayasthaMechanism, ("metric", "pure")),
    "von_mises_fisher": (VonMisesFisherMechanism, ("metric", "pure")),
    "squared": (SquaredMechanism, ("metric", "pure")),
    "cap": (CapMechanism, ("pure",)),
}
"""Mechanisms and their promises."""


def is_refused(name, promise, dim, factor, seed):
    """Whether the audits of a promise refuse a mechanism whose level is ``factor`` times the stated one."""
    cls, promises = MECHANISMS[name]
    mechanism = mechanism_checks.made(cls, promise, factor, dim)
    limit = mechanism_checks.level_of(mechanism, promise) / factor
    risk = mechanism_checks.RISK / (2 * len(promises))  # as for a mechanism of both spaces
    streams = "own_mechanism", name, {2: "circle", 3: "sphere"}[dim], promise, "tight"
    rngs = [seeding.generator(seed, *streams, number) for number in range(1, 6)]
    bounds = mechanism_checks.audited_bounds(mechanism, promise, rngs, risk)
    return any(bound > limit for bound, _ in bounds)


def rows(runs, factor, names):
    """A row for each mechanism and space: in how many runs any audit, and the audits of each promise, refuse it."""
    for name in names:
        for space, dim in mechanism_checks.DIMS.items():
            promises = MECHANISMS[name][1]
            refusals = [[is_refused(name, promise, dim, factor, seed) for promise in promises] for seed in range(runs)]
            counts = dict.fromkeys(("metric", "pure"), "")
            counts |= {promise: sum(run[i] for run in refusals) for i, promise in enumerate(promises)}
            of_any = sum(any(run) for run in refusals)
            yield dict(mechanism=name, space=space, factor=factor, runs=runs, refused=of_any, **counts)


if __name__ == "__main__":
    runs, factor, *names = sys.argv[1:] if len(sys.argv) > 2 else sys.exit(__doc__)
    table = rows(int(runs), float(factor), names or MECHANISMS)
    first = next(table)
    writer = csv.DictWriter(sys.stdout, first, lineterminator="\n")
    writer.writeheader()
    writer.writerow(first)
    writer.writerows(table)
