"""Measure the levels of densities of one's own: are they sound, tight and quick where what is declared holds?

python benchmarks/measure_levels.py [--honest 3000] [--false 1000] [--seed 1]

Honest kernels are drawn by lot: polygons, pieces of parabolas, sums of sines, log kernels of distributions, mixtures
given as densities, some with a large constant; their largest slope is known. Each is declared by ``finest``
(3e-3 to 3 rad), or one in five by ``steepest``. ``below`` counts levels below the true ones, and losses of
every tenth kernel below those that are found, ``refused`` refusals, ``loose`` metric levels that are more
than 0.2 % above though ``finest`` is at least 0.01, beside what rounding adds; ``seconds`` is the longest
processor time of a level.

False ones have in addition a jump, a cusp, a fall narrower than ``finest`` or a peak, or their ``steepest``
is too small. Of these a table says how many are refused, and of the others how many levels are still not
below the largest secant that was found where the fault lies.

The exit status is 1 if an honest kernel is below, refused or loose. All draws follow from --seed.
"""

import argparse
import collections
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from dirpriv import InvalidArgument, distributions, guarantees

DISTANCES = 1e-3, 1.0
LOOSE = 0.002
STEEP = 0.2  # share of kernels that declare it
SAMPLE = np.linspace(0.0, np.pi, 4001)


@dataclass
class Kernel:
    """A log kernel, its largest slope, and the largest ``finest`` that holds."""

    kind: str
    f: object
    metric: float
    finest: float
    make: object = distributions.from_log_density
    accuracy: object = None


def knots(rng, shortest):
    """Borders of pieces of this length or more, from 0 to π."""
    count = int(rng.integers(1, min(np.pi / shortest, 40) + 1))
    gaps = rng.dirichlet(np.ones(count)) * (np.pi - count * shortest * (1 + 1e-9)) + shortest * (1 + 1e-9)
    x = np.concatenate([[0.0], np.cumsum(gaps)])
    x[-1] = np.pi
    return x


def polygon(rng, finest):
    x = knots(rng, finest)
    y = np.concatenate([[0.0], np.cumsum(np.diff(x) * rng.standard_normal(len(x) - 1))])
    metric = float(np.abs(np.diff(y) / np.diff(x)).max())
    return Kernel("polygon", lambda t: np.interp(t, x, y), metric, finest)


def parabolas(rng, finest):
    x = knots(rng, finest)
    first, last = rng.standard_normal((2, len(x) - 1))
    if rng.random() < 0.5:
        last[:-1] = first[1:]  # no kinks
    widths = np.diff(x)
    bend = (last - first) / widths
    start = np.concatenate([[0.0], np.cumsum(0.5 * (first + last) * widths)])

    def f(t):
        k = np.clip(np.searchsorted(x, t, side="right") - 1, 0, len(widths) - 1)
        away = t - x[k]
        return start[k] + away * (first[k] + 0.5 * bend[k] * away)

    metric = float(max(np.abs(first).max(), np.abs(last).max()))
    return Kernel("parabolas", f, metric, float(min(finest, metric / np.abs(bend).max())))


def highest(slope, points):
    """Largest absolute value, refined around the best of the points."""
    step = points[1] - points[0]
    best = points[int(np.argmax(np.abs(slope(points))))]
    for _ in range(6):
        near = np.clip(best + np.linspace(-step, step, 401), 0.0, np.pi)
        best, step = near[int(np.argmax(np.abs(slope(near))))], step / 100.0
    return float(np.abs(slope(near)).max())


def waves(rng, finest):
    count = int(rng.integers(1, 6))
    k = rng.uniform(0.0, 1.0 / finest, count)
    a, phase = rng.standard_normal(count) / (1.0 + k), rng.uniform(0.0, 2.0 * np.pi, count)
    at = lambda t: np.multiply.outer(t, k) + phase  # noqa: E731
    points = np.linspace(0.0, np.pi, int(100 / finest) + 1000)
    metric = highest(lambda t: np.cos(at(t)) @ (a * k), points)
    return Kernel("waves", lambda t: np.sin(at(t)) @ a, metric, min(metric / float(np.abs(a) @ k**2), np.pi))


def of_distribution(rng, finest):
    makes = (
        distributions.VonMisesFisher,
        distributions.Purkayastha,
        distributions.WrappedLaplace,
        distributions.FoldedVonMisesFisher,
    )
    make = makes[rng.integers(len(makes))]
    kappa = min(0.9 / finest, 300.0) * rng.uniform(0.1, 1.0)
    distribution = make(2, kappa) if make in makes[:2] else make(kappa)
    return Kernel(
        "distribution",
        distribution._log_kernel,
        distribution.metric_level(),
        0.75 / max(kappa, 1.0),
        accuracy=1e-15 * (1.0 + kappa),
    )


def mixture(rng, finest):
    count = int(rng.integers(1, 4))
    kappa, share = min(0.5 / finest, 60.0) * rng.random(count), rng.dirichlet(np.ones(count + 1))

    def density(t):
        return share[0] + np.exp(np.multiply.outer(np.cos(t) - 1.0, kappa)) @ share[1:]

    def slope(t):
        part = np.exp(np.multiply.outer(np.cos(t) - 1.0, kappa)) * share[1:] * kappa
        return -np.sin(t) * part.sum(axis=-1) / density(t)

    points = np.linspace(0.0, np.pi, 20_001)
    metric = highest(slope, points)
    bend = np.abs(np.diff(slope(points)) / np.diff(points)).max()
    return Kernel("mixture", density, metric, min(0.98 * metric / float(bend), np.pi), distributions.from_density)


def constant(rng, finest):
    of = polygon(rng, finest)
    large = 10.0 ** rng.uniform(2.0, 7.0)
    return Kernel("constant", lambda t: large + of.f(t), of.metric, of.finest)


HONEST = polygon, parabolas, waves, of_distribution, mixture, constant


def honest(rng):
    return HONEST[rng.integers(len(HONEST))](rng, 10.0 ** rng.uniform(np.log10(3e-3), np.log10(3.0)))


def log_kernel(kernel, t):
    return np.log(kernel.f(t)) if kernel.make is distributions.from_density else kernel.f(t)


def low_losses(kernel):
    """Lower bounds of the pure level, and of the losses at and within distances."""
    f = log_kernel(kernel, SAMPLE)
    at = []
    for distance in DISTANCES:
        near = SAMPLE[SAMPLE <= np.pi - distance]
        rise = log_kernel(kernel, near + distance) - log_kernel(kernel, near)
        at.append(float(np.abs(rise).max()))
    return float(np.ptp(f)), at


def examine(kernel, declared, whole):
    """Seconds for the metric level, whether it (or a loss) is below the true one, and how far it is above."""
    started = time.process_time()
    own = kernel.make(kernel.f, **declared)
    metric = guarantees.metric_level(own)
    seconds = time.process_time() - started
    pure, losses = low_losses(kernel)
    rounding = 1e-13 * (1.0 + float(np.abs(log_kernel(kernel, SAMPLE)).max()))
    below = metric < kernel.metric * (1.0 - 1e-11) or guarantees.pure_level(own) < pure - rounding
    if not whole:
        return seconds, below, metric / kernel.metric - 1.0
    for found in (
        guarantees.privacy_loss_at(own, DISTANCES, domain="circle"),
        guarantees.privacy_loss_within(own, DISTANCES),
    ):
        below |= bool((found < np.array(losses) - rounding).any())
    return seconds, below, metric / kernel.metric - 1.0


def honest_table(count, seed):
    """Rows by kind: number, below, refused, loose, largest excess and longest time."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0, 0.0, 0.0])
    for number in range(count):
        rng = np.random.default_rng([seed, 1, number])
        kernel = honest(rng)
        steep = rng.random() < STEEP
        declared = {"steepest": kernel.metric * (1.0 + 1e-12)} if steep else {"finest": kernel.finest * (1.0 - 1e-9)}
        declared["accuracy"] = kernel.accuracy
        row = rows[kernel.kind]
        row[0] += 1
        try:
            seconds, below, excess = examine(kernel, declared, number % 10 == 0)
        except InvalidArgument as error:
            row[2] += "rounding hides" not in str(error)
            print(f"# {kernel.kind} {number}: {error}", flush=True)
            continue
        added = 0.02 if kernel.kind == "constant" else 0.0  # what rounding may add
        row[1] += below
        row[3] += kernel.finest >= 0.01 and excess > LOOSE + added
        row[4] = max(row[4], excess if kernel.finest >= 0.01 and not added else 0.0)
        row[5] = max(row[5], seconds if kernel.finest >= 0.01 else 0.0)
    return rows


def jump(rng, kernel):
    place, height = rng.uniform(0.0, np.pi), 10.0 ** rng.uniform(-8.0, 0.0)
    return lambda t: height * (t > place), place, 1e-12


def cusp(rng, kernel):
    place, power = rng.uniform(0.0, np.pi), rng.uniform(0.1, 0.9)
    size = kernel.metric * 10.0 ** rng.uniform(-5.0, 0.0)
    return lambda t: size * np.abs(t - place) ** power, place, 1e-11


def fall(rng, kernel):
    width = kernel.finest / 2.0 ** rng.uniform(1.0, np.log2(100.0))
    place, slope = rng.uniform(width, np.pi - width), kernel.metric * 10.0 ** rng.uniform(-2.0, 2.0)
    return lambda t: -slope * np.clip(t - place, -0.5 * width, 0.5 * width), place, width / 4.0


def peak(rng, kernel):
    width = 10.0 ** rng.uniform(-7.0, np.log10(0.5 * kernel.finest))
    place, height = rng.uniform(width, np.pi - width), kernel.metric * rng.uniform(0.1, 1.0)
    return (lambda t: height * np.maximum(1.0 - np.abs(t - place) / width, 0.0), place + 0.5 * width, width / 8.0)


FALSE = jump, cusp, fall, peak


def false_table(count, seed):
    """Rows by kind: number, refused, certified not below the slope that was found, certified below it."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for number in range(count):
        rng = np.random.default_rng([seed, 2, number])
        kernel = honest(rng)
        while kernel.kind in ("mixture", "constant"):
            kernel = honest(rng)
        which = int(rng.integers(len(FALSE) + 1))
        slope = kernel.metric
        if which == len(FALSE):
            name, f, declared = "steepest", kernel.f, {"steepest": kernel.metric * rng.uniform(0.5, 0.9999)}
        else:
            name = FALSE[which].__name__
            more, place, step = FALSE[which](rng, kernel)
            f = lambda t, kernel=kernel, more=more: kernel.f(t) + more(t)  # noqa: E731
            near = np.clip(np.array([place - step, place + step]), 0.0, np.pi)
            slope = max(slope, float(np.abs(np.diff(f(near)) / np.diff(near))[0]))
            declared = {"finest": kernel.finest * (1.0 - 1e-9)}
        declared["accuracy"] = kernel.accuracy
        row = rows[name]
        row[0] += 1
        try:
            found = guarantees.from_distribution(distributions.from_log_density(f, **declared))
        except InvalidArgument:
            row[1] += 1
            continue
        row[2 if found.metric_level >= slope * (1.0 - 1e-9) else 3] += 1
        if "declared, not proved" not in repr(found):
            raise AssertionError(repr(found))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--honest", type=int, default=3000)
    parser.add_argument("--false", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    good, bad = honest_table(given.honest, given.seed), false_table(given.false, given.seed)
    print("honest,kernels,below,refused,loose,most_above,seconds")
    for kind, (*counts, above, seconds) in sorted(good.items()):
        print(kind, *counts, f"{above:.6f}", f"{seconds:.2f}", sep=",")
    print("false,kernels,refused,not_below,below")
    for kind, counts in sorted(bad.items()):
        print(kind, *counts, sep=",")
    raise SystemExit(any(row[1] or row[2] or row[3] for row in good.values()))


if __name__ == "__main__":
    main()
