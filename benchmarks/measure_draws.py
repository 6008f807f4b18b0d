"""Processor time and memory of drawing directions: ``python benchmarks/measure_draws.py 3 1000 1000000``.

Draws von Mises-Fisher vectors in each of these dimensions, a block at a time, in a process of its own. Prints
the dimension, the number of draws, their processor seconds and the peak memory of the process in MB, as CSV:
the table ``draws.csv`` beside this script, from which ``tools/plan_costs.py`` computes.
"""

import resource
import subprocess
import sys
import time

import numpy as np

from dirpriv.distributions import VonMisesFisher

NUMBERS = 20_000_000
"""Coordinates of all draws of a dimension."""
BLOCK = 2_000_000
"""Coordinates of a block; at least sixteen draws."""
FEWEST = 16


def block_of(dim):
    """Number of draws in a block."""
    return max(BLOCK // dim, FEWEST)


def measure(dim):
    """Row of the table, measured in this process."""
    distribution, mu, rng = VonMisesFisher(dim, 10.0), np.eye(1, dim)[0], np.random.default_rng(1)
    rows = block_of(dim)
    out = np.zeros((rows, dim))
    distribution.rvs(mu, rows, rng=rng, out=out)  # compiles what numba compiles
    blocks = max(NUMBERS // out.size, 1)
    started = time.process_time()
    for _ in range(blocks):
        distribution.rvs(mu, rows, rng=rng, out=out)
    seconds = time.process_time() - started
    return dim, blocks * rows, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print("{},{},{:.3f},{:.1f}".format(*measure(int(sys.argv[2]))))
    else:
        print("dim,draws,cpu_s,mb", flush=True)
        for dim in sys.argv[1:]:
            subprocess.run([sys.executable, __file__, "--one", dim], check=True)
