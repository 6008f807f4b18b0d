"""The end of an interval on which a condition holds, so that what is returned was itself tested."""

from collections.abc import Callable

import numpy as np
import scipy  # which imports its submodules where they are first used

_FLOOR = -1e3  # stands for the logarithm of 0


def boundary(
    excess: Callable[[float], float], guess: float, safe: float, limit: float, close: float = 1e-3, near: float = 1e-7
) -> float:
    """The point nearest to ``limit`` at which ``excess`` was found ≤ 0, except for ``close`` in it or a share ``near``.

    ``excess`` is monotone up to rounding and at most 0 at ``safe``; both ends are positive. The scale is
    logarithmic: outwards from a guess, then by false position (Illinois), by bisection where that is slow.
    """
    start, end = float(np.log(safe)), float(np.log(limit))
    towards = 1.0 if end > start else -1.0
    least, most = min(start, end), max(start, end)
    x = float(np.clip(np.log(guess), least, most))
    kept, at_kept, lost, at_lost = start, np.nan, end, np.nan
    best, stride, before = safe, 0.05, np.nan
    for step in range(200):
        point = {start: safe, end: limit}.get(x, float(np.exp(x)))
        value = max(excess(point), _FLOOR)
        if value <= 0.0:
            if kept == before:  # twice on this side
                at_lost *= 0.5
            before, kept, at_kept, best = x, x, value, point
            if value > -close or x == end:
                break
        else:
            if lost == before:
                at_kept *= 0.5
            before, lost, at_lost = x, x, value
        if abs(lost - kept) < near:
            break
        if np.isnan(at_lost) or np.isnan(at_kept):
            x = kept + towards * stride if np.isnan(at_lost) else lost - towards * stride
            x, stride = min(max(x, least), most), 2.0 * stride
        elif at_kept == _FLOOR or step % 8 == 7:
            x = 0.5 * (kept + lost)
        else:
            x = kept + (lost - kept) * min(max(at_kept / (at_kept - at_lost), 0.01), 0.99)
            x -= 0.1 * close / (at_lost - at_kept) * (lost - kept)  # to land on the side that counts
    return best


def smooth_root(excess: Callable[[float], float], start: float, near: float, evaluations: int) -> float:
    """A point at which a smooth rising function was found ≤ 0, and if this many evaluations suffice ≥ ``-near``.

    The function is ≤ 0 at ``start``, and its slope there is about 1, or it is -inf. The point is interpolated as a
    function of the value, by the latest point and the others nearest to the root. Where the function has small steps,
    rising or not, points beyond those that were found above 0 are tried, too.
    """
    point, samples = start, list[tuple[float, float]]()
    while len(samples) < evaluations:
        value = excess(point)
        if value == -np.inf:
            start, point = point, point + 2.0
            continue
        samples.append((value, point))
        if -near <= value <= 0.0:
            break
        apart: list[tuple[float, float]] = []  # rounding would tilt a line through points that are too near
        for one in [samples[-1], *sorted(samples, key=lambda pair: abs(pair[0]))]:
            apart += [one] * all(abs(one[0] - other[0]) > 20.0 * near for other in apart)
        values, points = np.array(apart[:4]).T
        low = max((at for of, at in samples if of <= 0.0), default=start)
        high = min((at for of, at in samples if of > 0.0), default=np.inf)
        point -= value
        if len(points) > 1:
            point = float(scipy.interpolate.barycentric_interpolate(values, points, -0.5 * near))
        if not low < point < high and high - low > 20.0 * near:
            point = 0.5 * (low + high) if high < np.inf else low - value
    return max((pair for pair in samples if pair[0] <= 0.0), default=(0.0, start))[1]
