"""Tables of integer weights that keep a promise by construction.

Rounding e^(-κθ) to integers breaks its promise where they are small. So a table is built upwards from a
floor, w_(j-1) = ⌊w_j Q_j⌋ with a rational Q_j ≤ e^(s_j): logarithms of neighbours differ by s_j at most.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array
from dirpriv.exact import arithmetic
from dirpriv.exact.sampling import TOTAL_BITS

_MOST = 1 << TOTAL_BITS
_RATIO_BITS = 192
_FLOOR = 1 << 60  # relative to it, rounding down takes off 2^-60


def built_upwards(steps: Sequence[Fraction], count: int) -> list[int]:
    """Weights of ``count`` cells by distance from the input's, whose logarithms fall by ``steps`` at most.

    The table is flat from a distance J on. J is the largest for which the total is at most 2^128 with a floor
    of 2^60; then the floor is the largest for which it is.
    """
    counts = [1 if j in (0, count - j) else 2 for j in range(len(steps) + 1)]
    ratios: list[int] = []
    for j, step in enumerate(steps):  # often one and the same
        if j == 0 or step is not steps[j - 1]:  # surely at most e^step, in units of 2^-192
            # from the floor, a step steeper than 45 would not fit
            below = max(arithmetic.exp(min(step, Fraction(45))).below, Fraction(1))
            ratio = math.floor(below * (1 << _RATIO_BITS))
        ratios.append(ratio)

    def table(floor: int, reach: int) -> tuple[list[int], int]:
        """Weights from the farthest on and their total, or as far as they fit."""
        weights, total = [floor] * (len(counts) - reach), floor * sum(counts[reach:])
        for j in range(reach - 1, -1, -1):
            weights.append(weights[-1] * ratios[j] >> _RATIO_BITS)
            total += counts[j] * weights[-1]
            if total > _MOST:
                break
        return weights, total

    reach = _largest(lambda reach: table(_FLOOR, reach)[1] <= _MOST, 0, len(steps) + 1)
    near = _FLOOR  # the total is nearly in proportion to the floor: the first guess, made 2^-40 lower, fits
    for spare in (40, _RATIO_BITS):  # from it the second guess is a few units off; nothing is taken off it
        near = max(_FLOOR, near * _MOST // table(near, reach)[1])
        near = max(_FLOOR, near - (near >> spare))
    ends = max(_FLOOR, near - (1 << 16)), near + (1 << 16)
    if table(ends[0], reach)[1] > _MOST or table(ends[1], reach)[1] <= _MOST:
        ends = _FLOOR, _MOST
    floor = _largest(lambda floor: table(floor, reach)[1] <= _MOST, *ends)
    return table(floor, reach)[0][::-1]


def _largest(fits: Callable[[int], bool], low: int, high: int) -> int:
    """The largest integer below ``high`` that fits. ``low`` does, and all below one that does."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def limited(steps: Sequence[Fraction], metric: Fraction | None = None, pure: Fraction | None = None) -> list[Fraction]:
    """Steps cut to a level for each of them, and scaled to a level for all of them together."""
    if metric is not None:
        steps = [min(step, metric) for step in steps]
    if pure is not None and (total := sum(steps)) > pure:
        steps = [step * pure / total for step in steps]
    return list(steps)


def steps_of_kernel(log_kernel: Callable[[Array], Array], count: int) -> list[Fraction]:
    """Falls of a log kernel from one cell to the next, in doubles taken exactly; an error where it rises."""
    angles = np.minimum(2.0 * np.pi * np.arange(count // 2 + 1) / count, np.pi)
    values = np.asarray(log_kernel(angles), dtype=float)
    falls = -np.diff(values)
    if not np.isfinite(values).all():
        raise InvalidArgument("its log-density is not finite everywhere")
    if (falls < -1e-9 * (1.0 + np.abs(values[1:]))).any():
        raise InvalidArgument("its density increases with the angle somewhere")
    return [Fraction(fall) for fall in np.maximum(falls, 0.0).tolist()]


def staircase_steps(level: Fraction, distance: int, offset: float, count: int) -> list[Fraction]:
    """Falls of a staircase whose steps are ``distance`` cells wide, the first one at the angle ``offset``."""
    first = min(int(offset * count / (2.0 * np.pi)), distance - 1)
    return [level if j % distance == first else Fraction(0) for j in range(count // 2)]


def cap_cells(epsilon: float, count: int, purpose: str) -> int:
    """How many cells on each side of the input's own belong to the best cap, for two levels of ratio e^ε.

    The distribution of the table is a mixture of the uniform distribution and of the uniform distribution of n = 2c + 1
    cells, with the share n/(n + m/(e^ε - 1)) of the second.
    """
    half = (count - 1) // 2
    angles = 2.0 * np.pi * np.arange(half + 1) / count
    inside = 2.0 * np.arange(half + 1) + 1.0
    odds = -np.expm1(-epsilon)  # (e^ε - 1) e^(-ε)
    total = inside * odds + count * np.exp(-epsilon)
    if purpose == "mean":  # the largest mean cosine
        cosines = np.cumsum(np.where(angles > 0.0, 2.0, 1.0) * np.cos(angles))
        return int(np.argmax(odds * cosines / total))
    if purpose == "angle":  # the smallest mean angle
        everywhere = 2.0 * angles.sum() + (np.pi if count % 2 == 0 else 0.0)
        return int(np.argmin((2.0 * odds * np.cumsum(angles) + np.exp(-epsilon) * everywhere) / total))
    if purpose == "one direction":  # the smallest E sin² θ/(E cos θ)², of inputs spread over their cells
        both = np.where(angles > 0.0, 2.0, 1.0)
        cosines, doubled = (odds * np.cumsum(both * np.cos(k * angles)) / total for k in (1, 2))
        with np.errstate(divide="ignore"):
            return int(np.argmin((1.0 - np.sinc(2.0 / count) * doubled) / np.maximum(cosines, 0.0) ** 2))
    share = np.exp(-epsilon) / (1.0 + np.exp(-epsilon))  # of subset selection: 1/(e^ε + 1)
    return int(np.argmin(np.abs(inside - share * count)))


def steepest_ratio(weights: Sequence[int], distance: int) -> Fraction:
    """Largest ratio of two of these nonincreasing weights at most this many distances apart."""
    best, farthest = (weights[0], weights[0]), min(distance, len(weights) - 1)
    for weight, other in zip(weights, weights[farthest:], strict=False):
        if weight * best[1] > best[0] * other:
            best = weight, other
    return Fraction(*best)
