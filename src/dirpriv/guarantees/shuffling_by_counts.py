"""The mean excess of the variation-ratio distribution by sums of binomial probabilities, without a grid or an FFT."""

from typing import Any

import numpy as np
from scipy.special import betainc, gammaln, xlog1py, xlogy

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array

_BEYOND = 45.0  # nats: exp(-45) lies beyond a window of counts on a side
_CELLS = 2**17  # pairs of counts, about


def mean_excess(gain: float, loss: float, third: float, informative: float, other: float, count: int) -> float:
    """An upper bound of E max(gain·A - loss·B - third·C, 0) for multinomial counts A, B and C.

    Of ``count`` draws, A and B each have the probability ``informative``, C has ``other``. Given K = A + B, A
    is binomial with 1/2, so the excess over T is (K/2 - T) P(A ≥ t) + K/4 · P(A' = t - 1), t the next integer
    and A' binomial of K - 1. Blocks of values of C stand at their lowest, which raises the excess.
    """
    if gain <= 0.0:
        return 0.0
    (k,), (of_k,) = _binomial(np.array([count]), 2.0 * informative)
    # the pairs of counts, before they are put in blocks, take 2 GB at most
    if other > 0.0 and len(k) * min(np.sqrt(8.0 * _BEYOND * count * other) + 2.0 * _BEYOND, count) > 2**28:
        raise InvalidArgument(f"{count} responses have too many counts to sum over", hint="use method='blanket'")
    c, of_c = _binomial(count - k, min(other / (1.0 - 2.0 * informative), 1.0) if other > 0.0 else 0.0)
    threshold = (k[:, None] * loss + c * third) / (gain + loss)
    t = np.floor(threshold) + 1.0
    k = k[:, None]
    tail = betainc(t, np.maximum(k - t + 1.0, 1.0), 0.5)
    ways = gammaln(np.maximum(k, 1.0)) - gammaln(t) - gammaln(np.maximum(k - t + 1.0, 1.0))
    point = np.exp(ways - (k - 1.0) * np.log(2.0))
    excess = (0.5 * k - threshold) * tail + 0.25 * k * point
    excess = np.where(t <= k, np.maximum(excess, 0.0), 0.0)
    mean = float(of_k @ (of_c * excess).sum(axis=1)) * (gain + loss)
    return mean * (1.0 + 1e-6) + 4.0 * np.exp(-_BEYOND) * gain * count


def _binomial(trials: Array, probability: float) -> tuple[Any, Any]:
    """Counts and their probabilities, a row for each number of trials; the far tails are left out.

    Bernstein's inequality: a count is further than √(2vL) + L from its mean v with probability exp(-L).
    """
    if probability == 0.0:
        return np.zeros((len(trials), 1)), np.ones((len(trials), 1))
    mean = trials * probability
    reach = np.sqrt(2.0 * _BEYOND * mean) + _BEYOND
    low = np.maximum(np.floor(mean - reach), 0.0)
    high = np.minimum(np.ceil(mean + reach), trials)
    width = int((high - low).max()) + 1
    counts = low[:, None] + np.arange(width)
    n = trials[:, None].astype(float)
    with np.errstate(invalid="ignore"):
        logs = gammaln(n + 1.0) - gammaln(counts + 1.0) - gammaln(np.maximum(n - counts, 0.0) + 1.0)
        logs += xlogy(counts, probability) + xlog1py(n - counts, -probability)
    masses = np.exp(np.where(counts <= high[:, None], logs, -np.inf))
    blocks = max(_CELLS // len(trials), 32)
    if len(trials) > 1 and width > blocks:  # equal blocks, each at its lowest with the probability of all
        step = -(-width // blocks)
        starts = np.arange(0, width, step)
        counts, masses = counts[:, starts], np.add.reduceat(masses, starts, axis=1)
    return counts, masses
