"""Processor times of fits as ratios: ``python benchmarks/measure_fits.py 20000 100000 [--against FOLDER]``.

For each number of draws, Purkayastha.fit of vectors of length 3, 10 and 100 and at κ = 1e-3, 1 and 1e3, as a
multiple of the time of VonMisesFisher.fit of the same rows; and RotationBingham.fit of as many rotations, as
a multiple of that of their versors. Each time is the least of REPEATS, in a process of its own. With
``--against``, another checkout fits the same rows, each within --seconds, and ``sums_over_theirs`` is the sum
of arcs to the mode that is found here over that there, less 1. The table goes to the standard output as CSV.
The exit status is 1 if a ratio is above MOST, or a sum is larger than there by more than ROUNDED.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

REPEATS = 3
MOST = 20.0
ROUNDED = 1e-14  # of a sum of 100 000 arcs, by the order of the sum and the rounding of the mode
CASES = [(dim, kappa) for dim in (3, 10, 100) for kappa in (1e-3, 1.0, 1e3)]


def seconds_of(call, repeats):
    """The least of several processor times, and the last result."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        found = call()
        times.append(time.process_time() - started)
    return min(times), found


def measure(dim, kappa, count, repeats):
    """Seconds of the comparison and of the fit, and the sum of arcs (of 0: rotations); in this process."""
    from scipy.spatial.transform import Rotation

    from dirpriv import distributions, geometry

    warm = distributions.Purkayastha(3, 1.0).rvs(np.eye(3)[0], 100, rng=1)
    distributions.VonMisesFisher.fit(warm), distributions.Purkayastha.fit(warm)  # loads what they need
    if dim == 0:
        x = distributions.RotationBingham(kappa).rvs(Rotation.identity(), count, rng=1)
        versors = x.as_quat()
        one, _ = seconds_of(lambda: distributions.VonMisesFisher.fit(versors), REPEATS)
        fit, (mode, _) = seconds_of(lambda: distributions.RotationBingham.fit(x), repeats)
        return one, fit, float(np.sum((mode.inv() * x).magnitude()))
    x = distributions.Purkayastha(dim, kappa).rvs(np.eye(dim)[0], count, rng=1)
    one, _ = seconds_of(lambda: distributions.VonMisesFisher.fit(x), REPEATS)
    fit, (mode, _) = seconds_of(lambda: distributions.Purkayastha.fit(x), repeats)
    return one, fit, float(np.sum(geometry.angle_between_vectors(x, mode)))


def elsewhere(source, seconds, *case):
    """The same in a process of its own with the library of this folder; None if it takes longer."""
    command = [sys.executable, __file__, "--one", *map(repr, case)]
    environment = os.environ | {"PYTHONPATH": str(source)}
    try:
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout)


def main(arguments):
    ours, wrong = Path(__file__).resolve().parents[1] / "src", False
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow("fit dim kappa draws times times_there sums_over_theirs".split())
    for count in arguments.counts:
        for dim, kappa in [*CASES, (0, 1e-3), (0, 10.0)]:
            one, fit, arcs = elsewhere(ours, None, dim, kappa, count, REPEATS)
            row, there = [f"{fit / one:.1f}", "", ""], None
            if arguments.against:
                there = elsewhere(arguments.against / "src", arguments.seconds, dim, kappa, count, 1)
            if there:
                more = arcs / there[2] - 1.0
                row[1:] = f"{there[1] / there[0]:.1f}", f"{more:.1e}"
                wrong |= dim > 0 and more > ROUNDED
            elif arguments.against:
                row[1] = f"over {arguments.seconds:.0f} s"
            wrong |= fit > MOST * one
            name = "Purkayastha" if dim else "RotationBingham"
            out.writerow([name, dim or "", f"{kappa:g}", count, *row])
            sys.stdout.flush()
    return wrong


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        dim, kappa, count, repeats = map(json.loads, sys.argv[2:])
        print(json.dumps(measure(dim, kappa, count, repeats)))
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
        parser.add_argument("counts", type=int, nargs="+")
        parser.add_argument("--against", type=Path, help="folder of another checkout")
        parser.add_argument("--seconds", type=float, default=600.0, help="of a fit there, at most (600)")
        sys.exit(main(parser.parse_args()))
