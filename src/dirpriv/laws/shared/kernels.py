"""Levels of a log kernel that is given as a function, by search on a grid of [0, π] that is refined.

No spike narrower than the grid (3e-4 rad) is seen. Differences are trusted beyond :func:`_noise`, which is
measured; a result that is not known to :data:`TOLERANCE` raises an error with the reason.
"""

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, FloatOrArray, Integers, Kernel
from dirpriv.geometry.spaces import CIRCLE

SPACE = CIRCLE  # whose distances are those of a kernel
TOLERANCE = 1e-6  # relative: what the levels are known to, or an error is raised
_SMALL = 1e-9  # per radian: a slope so small need not be known to a share of itself
_SHARE = 1e-7  # of the slope, which rounding may make up at the smallest step
_CELLS = 8192  # of the even grid
_POINTS = 13  # looked at in each place and round
_ROUNDS = 40  # enough for any step to reach the spacing of doubles
_PLACES = 96  # looked at in detail
_MISSED = 1e-9  # of the range: what a slope seen on the grid adds in half of the smallest step to an extremum
_GROWING = 0.7  # increments from round to round that fall less than this do not add up to a finite value
_EPS = np.finfo(float).eps


def values_of(kernel: Kernel, theta: ArrayLike) -> Array:
    """The kernel at the angles, as a checked array: one real number for each, and no nan."""
    theta = np.asarray(theta, dtype=float)
    with np.errstate(all="ignore"):
        try:
            values = np.asarray(kernel(theta.ravel()))
        except (TypeError, ValueError):  # written for one number, as with the functions of math
            values = None
        if values is None or values.shape != (theta.size,):
            values = np.asarray([kernel(float(angle)) for angle in theta.ravel()])
    if values.shape != (theta.size,) or values.dtype.kind not in "fiub":
        given = f"an array of shape {values.shape} and type {values.dtype}"
        rule = "the log kernel must give one real number for each angle"
        raise InvalidArgument(f"{rule}; for {theta.size} angles it gives {given}")
    values = values.astype(float).reshape(theta.shape)
    if np.isnan(values).any():
        remedy = "it must be a number, or inf, at every angle from 0 to π, both ends included"
        at = float(theta[np.isnan(values)][0])
        raise InvalidArgument(f"the log kernel is nan at θ = {at!r}", remedy=remedy)
    return values


def steps_to(distance: ArrayLike, width: float) -> FloatOrArray:
    """How many steps of a width reach so far: ⌈distance/width⌉ of these doubles, exactly."""
    rest = np.fmod(distance, width)  # is a double
    return np.round((distance - rest) / width) + (rest > 0.0)


def grid() -> Array:
    """Angles from 0 to π: even, and even by logarithm towards both ends."""
    near = np.concatenate([10.0 ** np.arange(-300.0, -16.0), np.geomspace(1e-16, 1e-2, 225)])
    beyond = np.pi - near[near > 1e-15]
    return np.unique(np.concatenate([np.linspace(0.0, np.pi, _CELLS + 1), near, beyond]))


def levels(kernel: Kernel) -> tuple[float, float, str]:
    """Metric and pure level of a kernel, and the reason where one of them is infinite, else an empty one."""
    theta = grid()
    values = values_of(kernel, theta)
    if np.isinf(values).any():
        at = float(theta[np.isinf(values)][0])
        return np.inf, np.inf, f"the log kernel is infinite at θ = {at:.6g}: outputs there tell inputs apart"
    highest, lowest, diverging = _extremes(kernel, theta, values)
    if diverging is not None:
        return np.inf, np.inf, f"the log kernel grows without bound towards θ = {diverging:.6g}"
    metric, reason = _steepest(kernel)
    missed = _MISSED * (highest - lowest) + 2.0 * _noise(kernel, values)
    return metric, _raised(highest - lowest, missed), reason


def _raised(level: float, error: float) -> float:
    """A level that is known up to an error, so that it is never below the true one."""
    return float(level + error)


def losses(kernel: Kernel, distances: Array, domain: str, closest: bool = False) -> Array:
    """Largest f(θ) - f(θ') of inputs at each distance, or at most so far apart; see :func:`_partners`."""
    theta = grid()
    values = values_of(kernel, theta)
    if np.isinf(values).any() or _extremes(kernel, theta, values)[2] is not None:
        return np.where(distances == 0.0, 0.0, np.inf)
    _, at = _zoom_points(lambda angles: -values_of(kernel, angles), theta, -values)
    theta = np.unique(np.concatenate([theta, at]))  # with the lowest points, an inner minimum is exact
    values = values_of(kernel, theta)
    table = _minima_table(values)
    out = np.zeros(len(distances))
    for i in np.flatnonzero(distances):

        def height(angles: Array, distance: float = distances[i]) -> Array:
            low, high = _partners(angles, distance, domain, closest)
            least = np.minimum(values_of(kernel, low), values_of(kernel, high))
            if domain != "circle" or closest:
                least = np.minimum(least, _minimum_between(table, theta, low, high))
            return values_of(kernel, angles) - least

        moved = np.concatenate([theta - distances[i], theta + distances[i]])
        candidates = np.unique(np.concatenate([theta, moved[(moved >= 0.0) & (moved <= np.pi)]]))
        out[i] = max(float(_zoom_points(height, candidates, height(candidates))[0][-1].max()), 0.0)
    return out


def _partners(theta: Array, distance: float, domain: str, closest: bool) -> tuple[Array, Array]:
    """Smallest and largest angle θ' from the second input, where the output has the angle θ from the first.

    |θ - θ'| ≤ d ≤ θ + θ' ≤ 2π - d on a sphere, on the circle only the two ends. Among rotations θ + θ' has no
    upper limit, as they go either way round. For inputs *at most* d apart only |θ - θ'| ≤ d remains.
    """
    if closest:
        return np.maximum(theta - distance, 0.0), np.minimum(theta + distance, np.pi)
    high = np.minimum(theta + distance, np.pi if domain == "rotations" else 2.0 * np.pi - distance - theta)
    return np.abs(theta - distance), np.clip(high, 0.0, np.pi)


def _tops(score: Array, count: int = _PLACES) -> Integers:
    """Indices of the highest local maxima of a sequence."""
    padded = np.concatenate([[-np.inf], score, [-np.inf]])
    local = np.flatnonzero((score >= padded[:-2]) & (score >= padded[2:]))
    return local[np.argsort(-score[local], kind="stable")[:count]]


def _zoom_points(function: Kernel, theta: Array, values: Array) -> tuple[Array, Array]:
    """The highest values near the highest points of a grid, and where they are; function is vectorised.

    The values are those of every round, shape (rounds, places).
    """
    top = _tops(values)
    low, high = theta[np.maximum(top - 1, 0)], theta[np.minimum(top + 1, len(theta) - 1)]
    at, best = theta[top], [values[top]]
    rows = np.arange(len(top))
    for _ in range(14):  # by 4^14 the step falls from 4e-4 to 1e-12
        points = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, _POINTS)
        heights = function(points)
        j = heights.argmax(axis=1)
        better = heights[rows, j] > best[-1]
        at = np.where(better, points[rows, j], at)
        best.append(np.maximum(best[-1], heights[rows, j]))
        width = (high - low) / 8.0
        low, high = np.maximum(at - width, low), np.minimum(at + width, high)
    return np.array(best), at


def _extremes(kernel: Kernel, theta: Array, values: Array) -> tuple[float, float, float | None]:
    """Largest and smallest value of the kernel, and the angle towards which it diverges, or None."""
    upper = _zoom_points(lambda angles: values_of(kernel, angles), theta, values)
    lower = _zoom_points(lambda angles: -values_of(kernel, angles), theta, -values)
    highest, lowest = upper[0][-1].max(), -lower[0][-1].max()
    least = TOLERANCE * (highest - lowest) + 64.0 * _EPS * np.abs(values).max()
    for best, at in (upper, lower):
        grown = np.diff(best, axis=0)[-3:]
        growing = (grown[-1] > least) & (grown[1:] >= _GROWING * grown[:-1]).all(axis=0)
        if growing.any():
            return highest, lowest, float(at[growing][0])
    for end, nearest in ((0.0, -300.0), (np.pi, -14.0)):  # per decade on the way to an end
        near = np.abs(end - 10.0 ** np.arange(nearest, nearest + 4.0))
        last, second, third = np.abs(np.diff(values_of(kernel, near)))
        if last > least and last >= 0.5 * second and second >= 0.5 * third:
            return highest, lowest, end
    return highest, lowest, None


def _noise(kernel: Kernel, values: Array) -> float:
    """What a value may be off by: rounding of the largest, or the scatter of values next to each other."""
    probes = np.linspace(0.01, np.pi - 0.01, 256)
    near = values_of(kernel, probes[:, None] + 2.0**-38 * np.arange(3.0))
    scatter = np.abs(near[:, 0] - 2.0 * near[:, 1] + near[:, 2])
    return max(4.0 * _EPS * np.abs(values).max(), float(np.quantile(scatter, 0.95)))


def _steepest(kernel: Kernel) -> tuple[float, str]:
    """Supremum of |f'|, and the reason where it is infinite.

    Secants of ever smaller cells tend to it from below; they end where rounding counts, and are extrapolated.
    """
    theta = np.linspace(0.0, np.pi, _CELLS + 1)
    values = values_of(kernel, theta)
    noise = _noise(kernel, values)
    secants = np.maximum(np.abs(np.diff(values)) - 2.0 * noise, 0.0) / np.diff(theta)
    if not secants.any():
        return 0.0, ""
    top = _tops(secants)
    rows, at = np.arange(len(top)), 0.5 * (theta[top] + theta[top + 1])
    first = np.clip(top - 1, 0, _CELLS - 3)  # of three cells, one in the middle unless it is at an end
    low, high = theta[first], theta[first + 3]
    steepness, step = [secants[top]], np.full(len(top), theta[1])
    rounds, active = np.ones(len(top), dtype=int), np.ones(len(top), dtype=bool)
    for _ in range(_ROUNDS):
        smaller = (high - low) / (_POINTS - 1)
        # rounding must stay a small share, and the points distinct doubles
        active &= (2.0 * noise <= _SHARE * smaller * steepness[-1]) & (smaller > 8.0 * np.spacing(high))
        if not active.any():
            break
        points = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, _POINTS)
        rise = np.abs(np.diff(values_of(kernel, points), axis=1)) - 2.0 * noise
        slopes = rise / np.maximum(np.diff(points, axis=1), np.finfo(float).tiny)
        j = slopes.argmax(axis=1)
        steepness.append(np.where(active, slopes[rows, j], steepness[-1]))
        step, rounds = np.where(active, smaller, step), rounds + active
        at = np.where(active, 0.5 * (points[rows, j] + points[rows, j + 1]), at)
        first = np.clip(j - 1, 0, _POINTS - 4)
        low = np.where(active, points[rows, first], low)
        high = np.where(active, points[rows, first + 3], high)
    return _limit(np.array(steepness), rounds, at, 2.0 * noise / step)


def _limit(steepness: Array, rounds: Integers, at: Array, rounding: Array) -> tuple[float, str]:
    """What the secants of each place tend to, and the largest of them; cells get four times smaller.

    At an end or kink a secant is off by its width, inside by its square; at a jump it grows for ever.
    """
    places = np.arange(len(at))
    last, before, earlier = (steepness[np.maximum(rounds - back, 0), places] for back in (1, 2, 3))
    grown = last - before
    endless = (rounds >= 3) & (grown > TOLERANCE * last) & (grown >= _GROWING * (before - earlier))
    limits = np.where(endless, np.inf, last + grown / 3.0 + rounding)  # which the search has taken off
    errors = np.abs(grown) / 3.0 + rounding
    steepest = int(np.argmax(limits + errors))
    limit, error = float(limits[steepest]), float(errors[steepest])
    if limit == np.inf:
        return limit, f"the log kernel jumps, or its slope grows without bound, at θ = {at[steepest]:.6g}"
    if error > max(TOLERANCE * limit, _SMALL):
        found = f"the slope of the log kernel near θ = {at[steepest]:.6g} is {limit:.6g} ± {error:.1g}"
        remedy = (
            "its values are rounded, or it bends too sharply. Write it without cancellation "
            "(numpy.log1p, expm1, logaddexp) and without a large constant"
        )
        raise InvalidArgument(f"{found}, which is not known to {TOLERANCE:g} of it", remedy=remedy)
    return _raised(limit, error), ""


def _minima_table(values: Array) -> list[Array]:
    """Minima over 2^k neighbours from each point on, for every k: any range is the union of two of them."""
    table = [values]
    while 2 * (span := 2 ** (len(table) - 1)) <= len(values):
        last = table[-1]
        table.append(np.minimum(last[:-span], last[span:]))
    return table


def _minimum_between(table: list[Array], theta: Array, low: Array, high: Array) -> Array:
    """Smallest tabled value at the points of the grid from ``low`` to ``high``; inf where there is none."""
    first, last = np.searchsorted(theta, low, side="left"), np.searchsorted(theta, high, side="right")
    count = last - first
    out = np.full(np.shape(low), np.inf)
    order = np.zeros(np.shape(low), dtype=int)
    some = count > 0
    order[some] = np.log2(count[some]).astype(int)
    for k in np.unique(order[some]):
        here = some & (order == k)
        out[here] = np.minimum(table[k][first[here]], table[k][last[here] - 2**k])
    return out
