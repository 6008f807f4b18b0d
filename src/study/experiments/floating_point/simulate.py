"""What one double of a sampler tells: how often it excludes a wrong input with certainty.

A sampler in doubles has gaps, and the gaps lie at other places for another input. A double that falls into a
gap of a wrong input excludes this input, whatever level the distribution guarantees. Three samplers of the Purkayastha
distribution on the circle:

``inverse``    the textbook: the inverse of the CDF at a multiple of 2^-53, and a random side
``randomise``  :meth:`dirpriv.mechanisms.PurkayasthaMechanism.randomise_angles`
``release``    :meth:`dirpriv.release.CircleRelease.randomise_angles`, which draws cells from integers

For each double all random numbers that could have made it from the wrong input are tried. Where they are too
many to try, or rest on more of NumPy's algorithm than is known here, the double does not count as excluding:
so the shares are lower bounds.
"""

import numpy as np

from dirpriv import geometry
from dirpriv.mechanisms import PurkayasthaMechanism
from dirpriv.release import CircleRelease
from study.simulation import seeding
from study.simulation.estimates import share_of_draws, tidy_row
from study.workflow.job import job, with_progress, write_rows

ROUNDING = 2.0**-48  # three times all roundings of an angle together, which are 10 units of 2^-53
MOST = 1 << 14  # numbers tried for one double
ROWS = 100  # doubles whose numbers are tried together
ZIGGURAT = 7.69711747013104972  # where NumPy's exponential draws pass to their tail
LONGEST = 45.0  # beyond every exponential draw of NumPy's
UNIT = 2.0**-53  # between two uniform numbers of NumPy's


class Inverse:
    """The textbook sampler: an angle by the inverse of its CDF, added to the input or subtracted."""

    def __init__(self, kappa):
        self.kappa = kappa

    def outputs(self, x, numbers, sides):
        """Doubles from these inputs by these uniform numbers, whole multiples of 2^-53."""
        theta = -np.log1p(numbers * UNIT * np.expm1(-self.kappa * np.pi)) / self.kappa
        return np.mod(x + sides * theta, geometry.TURN)

    def draw(self, x, rng):
        """A double of each input."""
        return self.outputs(x, rng.integers(0, 2**53, x.size), rng.choice([-1, 1], x.size))

    def ways(self, theta):
        """Yield ranges of numbers that can move an input by these angles, and what turns them to numbers."""
        ends = np.expm1(-self.kappa * np.stack([theta - ROUNDING, theta + ROUNDING]))
        first, last = uniform_range(*(ends / np.expm1(-self.kappa * np.pi)))
        yield first, last, np.asarray


class Chosen(np.random.Generator):
    """A generator that gives chosen exponential draws and sides: from κ = 1 on no more is asked for."""

    def __init__(self, exponentials, sides):
        super().__init__(np.random.PCG64(0))
        self.exponentials, self.sides = exponentials, sides > 0

    def standard_exponential(self, size):
        part, self.exponentials = np.split(self.exponentials, [size])
        return part

    def integers(self, low, high, size, dtype):
        part, self.sides = np.split(self.sides, [size])
        return part.astype(dtype)

    def random(self, size=None):
        raise ValueError("the sampler asks for uniform numbers, and only exponential draws are chosen: use κ ≥ 1")


class Randomise:
    """The library's own draws, on numbers that are chosen."""

    def __init__(self, kappa):
        self.kappa, self.mechanism = kappa, PurkayasthaMechanism(kappa)

    def outputs(self, x, numbers, sides):
        """Doubles from these inputs by these exponential draws."""
        return self.mechanism.randomise_angles(x, rng=Chosen(numbers, sides))

    def draw(self, x, rng):
        """A double of each input."""
        return self.mechanism.randomise_angles(x, rng=rng)

    def ways(self, theta):
        """As of the textbook's: exponentials modulo π, any double up to the tail and numbers of the tail."""
        for turn in range(int(LONGEST / (self.kappa * np.pi)) + 1):
            width = ROUNDING + np.spacing((turn + 1) * np.pi)
            low, high = (self.kappa * np.maximum(theta + turn * np.pi + end, 0.0) for end in (-width, width))
            body = np.minimum(low, ZIGGURAT), np.minimum(high, ZIGGURAT)
            yield body[0].view(np.int64), np.where(low < ZIGGURAT, body[1].view(np.int64), 0), as_doubles
            beyond = (-np.expm1(ZIGGURAT - np.maximum(end, ZIGGURAT)) for end in (low, high))
            first, last = uniform_range(*beyond)
            yield first, np.where(high >= ZIGGURAT, last, -1), tail_draws


def as_doubles(bits):
    """Doubles from their bits: positive doubles and their bits have the same order."""
    return bits.view(np.float64)


def tail_draws(numbers):
    """Exponential draws of NumPy's tail, from multiples of 2^-53."""
    return ZIGGURAT - np.log1p(-(numbers * UNIT))


def uniform_range(low, high):
    """Multiples of 2^-53 between two numbers, and one more on each side."""
    ends = np.floor(low / UNIT) - 1.0, np.ceil(high / UNIT) + 1.0
    return tuple(np.clip(end, 0.0, 2.0**53 - 1.0).astype(np.int64) for end in ends)


def excluded(sampler, y, x):
    """Whether each of the doubles ``y`` cannot come from the input ``x``."""
    parts = np.array_split(np.arange(y.size), -(-y.size // ROWS))
    return np.concatenate([_excluded(sampler, y[part], x[part]) for part in parts])


def _excluded(sampler, y, x):
    moved = np.angle(np.exp(1j * (y - x)))
    theta, sides, possible = np.abs(moved), np.where(moved < 0.0, -1, 1), np.zeros(y.size, dtype=bool)
    possible |= (theta < ROUNDING) | (theta > np.pi - ROUNDING)  # there both sides could have made it
    for first, last, to_numbers in sampler.ways(theta):
        counts = np.where(possible, 0, np.maximum(last - first + 1, 0))
        possible |= counts > MOST
        counts[possible] = 0
        rows = np.repeat(np.arange(y.size), counts)
        steps = np.arange(rows.size) - np.repeat(np.cumsum(counts) - counts, counts)
        numbers = to_numbers(first[rows] + steps)
        possible[rows[sampler.outputs(x[rows], numbers, sides[rows]) == y[rows]]] = True
    return ~possible


def excluded_by_release(release, y, x):
    """Whether the release of ``x`` cannot be the double ``y``: no middle of a cell, or a cell of weight 0."""
    middles = (np.arange(release.cells) + 0.5) * (geometry.TURN / release.cells)
    cell = np.searchsorted(middles, y).clip(max=release.cells - 1)
    own = np.floor(np.mod(x, geometry.TURN) * (release.cells / geometry.TURN)).astype(int)
    some = np.array([weight > 0 for weight in release.weights])
    return (middles[cell] != y) | ~some[(cell - own) % release.cells]


def simulate(settings, seed):
    """Shares of the doubles that exclude an input at a distance, and the right one, which must be 0."""
    samplers = {"inverse": Inverse, "randomise": Randomise, "release": CircleRelease}
    cells = [(name, kappa) for name in samplers for kappa in settings["kappas"]]
    for name, kappa in with_progress("floating point", cells):
        rng = seeding.generator(seed, "floating_point", name, str(kappa))
        sampler, draws = samplers[name](kappa), settings["draws"]
        x = rng.uniform(0.0, geometry.TURN, draws)
        if name == "release":  # it takes no generator: what is released differs from run to run
            y, test = sampler.randomise_angles(x), excluded_by_release
        else:
            y, test = sampler.draw(x, rng), excluded
        for minutes in [0.0, *settings["minutes"]]:
            wrong = np.mod(x + geometry.hours_to_angles(minutes / 60.0), geometry.TURN)
            share = share_of_draws(int(test(sampler, y, wrong).sum()), draws)
            yield tidy_row(
                "floating_point", share, mechanism="purkayastha", sampler=name, dim=2, kappa=kappa,
                minutes=minutes, metric="excluded" if minutes else "right_excluded", unit="share",
                repetitions=draws, level=kappa * geometry.hours_to_angles(minutes / 60.0),
            )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        write_rows(simulate(snakemake.params.settings, snakemake.params.seed), snakemake.output[0])
