"""Times of day in whole seconds, as check-ins have them, and the bins that their responses fall into."""

import functools
import math

import numpy as np

from dirpriv.geometry import TURN
from study.checkins.prepared import DAY

TOGETHER = 20  # seconds; more share less of their distribution, and fewer leave more multinomials to draw


def in_bins(of_seconds, bins):
    """Sums over the bins of the day of what is given for each second."""
    first = -(-DAY * np.arange(bins) // bins)
    return np.add.reduceat(of_seconds, first)


@functools.lru_cache(maxsize=1)  # several estimates of one distribution follow each other
def bin_probabilities(distribution, bins):
    """Probabilities of the bins of a response, for each second of the day: seconds × bins.

    Of a distribution on the circle, or of clipped Laplace, whose noise is on a line: what leaves the day falls on the
    seam, which belongs to the first bin.
    """
    ticks = bins // math.gcd(bins, DAY)  # of a second, so that every bin begins at one
    day = DAY * ticks
    angles = np.arange(day + 1) * (TURN / day)
    if distribution.is_symmetric:
        beyond = distribution.angle_sf(angles[: day // 2 + 1]) / 2.0
        beyond = np.concatenate([beyond, -beyond[-2::-1]])  # more than half a turn up is less than half down
    else:
        beyond = np.exp(-distribution.kappa * angles) / 2.0
    rise = day // bins * np.arange(bins + 1) - ticks * np.arange(DAY)[:, None]
    beyond = beyond[np.abs(rise)]
    below = np.where(rise < 0, beyond, 1.0 - beyond)
    shares = np.diff(below, axis=1)
    shares[:, 0] += below[:, 0] + (1.0 - below[:, -1])
    return np.maximum(shares, 0.0) / np.maximum(shares, 0.0).sum(axis=1, keepdims=True)


def draw_counts(of_seconds, probabilities, rng):
    """Histogram of one response of each check-in, from the numbers of check-ins in each second.

    It has the distribution of a histogram of responses that are drawn one by one: all that matters of a response is
    its bin, and the bins of a second are of one distribution. The part of this distribution that a few neighbouring
    seconds share is drawn for their responses together, as a multinomial; the small rest response by response.
    """
    shape = DAY // TOGETHER, TOGETHER
    shared = probabilities.reshape(*shape, -1).min(axis=1)
    weight = np.minimum(shared.sum(axis=1, keepdims=True), 1.0)
    of_seconds = of_seconds.reshape(shape)
    rest = rng.binomial(of_seconds, 1.0 - weight)
    counts = rng.multinomial((of_seconds - rest).sum(axis=1), shared / shared.sum(axis=1, keepdims=True))
    second = np.repeat(np.arange(DAY), rest.ravel())
    beyond = np.cumsum(probabilities[second] - shared[second // TOGETHER], axis=1)
    level = rng.random(len(second)) * beyond[:, -1]
    of_rest = np.bincount((beyond[:, :-1] <= level[:, None]).sum(axis=1), minlength=counts.shape[1])
    return counts.sum(axis=0) + of_rest
