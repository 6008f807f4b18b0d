"""Maximum likelihood of the mode and the concentration of a distribution."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, minimize, minimize_scalar
from scipy.spatial.transform import Rotation

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array

_GAIN = 1e-15  # of the likelihood, from which on a step is worth it
_SAME = 1e-15  # radians: nearer points are one
_TIP = 1e-8  # sines: so near to the tip of a kernel, cosines tell no direction
_DRAWS, _BESIDE = 32, 4  # draws that are tried as modes: at first, and on each side of the best
_LOW, _HIGH, _HIGHEST = 1e-12, 1e15, 1e150  # concentrations


def fit_directions(cls: Any, directions: ArrayLike) -> tuple[Array, Any]:
    x = validate.reals("x", directions)
    if x.ndim != 2 or x.shape[-1] < 2 or len(x) < 2:
        raise InvalidArgument("x", f"must hold two unit vectors or more, one a row; got shape {x.shape}")
    x = validate.unit_vectors("x", x, x.shape[1])
    _check_apart(x)

    def make(kappa: float) -> Any:
        return cls._from_dim(x.shape[1], kappa)

    _check_family(cls)
    make(1.0)
    total = x.sum(axis=0)
    length = float(np.linalg.norm(total))
    start = total / length if length > 0.0 else x[0]
    if cls._likeliest_mode == "mean direction":
        return start, make(_concentration(make, geometry.angle_between_vectors(x, start)))
    if cls._likeliest_mode == "median" and x.shape[1] == 2:
        start = _median_on_circle(x)
        return start, make(_concentration(make, geometry.angle_between_vectors(x, start)))
    best_mode = _best_draw(x, start) if cls._likeliest_mode == "a draw" else _by_climbing(x, start, False)
    return _together(make, x, best_mode, folded=False)


def fit_rotations(cls: Any, rotations: Rotation) -> tuple[Rotation, Any]:
    from dirpriv.geometry import rotation_distances as metrics

    _check_family(cls)
    versors = metrics.checked("rotations", rotations).as_quat().reshape(-1, 4)
    if len(versors) < 2:
        raise InvalidArgument("rotations", f"must hold two rotations or more; got {len(versors)}")
    _check_apart(versors * np.where(versors @ versors[0] < 0.0, -1.0, 1.0)[:, None])
    start = np.linalg.eigh(versors.T @ versors)[1][:, -1]  # the same for q and -q
    is_eigenvector = cls._likeliest_mode == "eigenvector"
    best_mode = (lambda *_: start) if is_eigenvector else _by_climbing(versors, start, True)
    mode, distribution = _together(cls, versors, best_mode, folded=True)
    return Rotation.from_quat(mode), distribution


def _check_family(cls: Any) -> None:
    if cls._not_fitted:
        raise InvalidArgument(cls._not_fitted.format(cls.__name__))


def _check_apart(rows: Array) -> None:
    if not np.ptp(rows, axis=0).any():
        raise InvalidArgument("all rows are the same", hint="the likelihood grows with 'kappa' without bound")


def _together(
    make: Callable[[float], Any], x: Array, best_mode: Callable[[Any, Array | None], Array], *, folded: bool
) -> tuple[Array, Any]:
    """Mode and concentration in turns; one is enough where the log kernel is κ times a function."""
    distribution, mode = make(1.0), None
    for _ in range(100):
        before, last = distribution.kappa, mode
        mode = best_mode(distribution, last)
        if last is not None and np.array_equal(mode, last):
            break
        distribution = make(_concentration(make, _distances(x, mode, folded), before))
        if _is_linear(make) or abs(distribution.kappa - before) <= 1e-10 * distribution.kappa:
            break
    return np.asarray(mode), distribution


def _by_climbing(x: Array, start: Array, folded: bool) -> Callable[[Any, Array | None], Array]:
    """The search for a mode: from the mean and the best of some data points, later from the last mode."""

    def best_mode(distribution: Any, mode: Array | None) -> Array:
        if mode is not None:
            return _climbed(distribution, x, mode, folded)
        value = functools.partial(_likelihood, distribution, x, folded)
        steep = functools.partial(_steepness, distribution, x, folded)
        some = x[:: max(1, len(x) // int(np.clip(2e6 // x.size, 8, 64)))]
        rough = distribution._log_kernel(_angles_of(x @ some.T, folded)).sum(axis=0)
        starts = [_near(steep, start)]
        starts += [_near(steep, point, starts[0][1]) for point in some[np.argsort(-rough)[:4]]]
        best = _climbed(distribution, x, max(start, min(starts, key=lambda each: each[0])[1], key=value), folded)
        # where the kernel has a tip, a maximum may be a data point, to the last bit
        nearest: Array = x[int(np.argmin(_distances(x, best, folded)))]
        return nearest if value(nearest) >= value(best) else best

    return best_mode


def _near(steep: Callable[[Array], Any], mode: Array, optimum: Array | None = None) -> tuple[float, Array]:
    """Where to begin the climb, to some eight digits: by quasi-Newton steps (L-BFGS), unless it is known."""

    def look(at: Array) -> None:
        # a tenth of the way from a mode that is known, it is the one that is found
        if optimum is not None and np.linalg.norm(at - optimum) < 0.1 * np.linalg.norm(mode - optimum):
            raise StopIteration

    options = {"ftol": 1e-15, "gtol": 1e-12}
    result = minimize(steep, mode, jac=True, method="L-BFGS-B", options=options, callback=look)
    return float(result.fun), np.asarray(result.x / np.linalg.norm(result.x))


def _angles_of(cosines: Array, folded: bool) -> Array:
    """Angles with the digits that their cosines have; of rotations, by those of versors."""
    return np.asarray(np.arccos(np.clip(np.abs(cosines) if folded else cosines, -1.0, 1.0)) * (1 + folded))


def _steepness(distribution: Any, x: Array, folded: bool, point: Array) -> tuple[float, Array]:
    """The mean of minus the log kernel about a mode of any length, and its gradient, by cosines alone."""
    length = float(np.linalg.norm(point))
    cosines = x @ (point / length)
    angles = _angles_of(cosines, folded)
    sines = np.sqrt(np.maximum((1.0 - cosines) * (1.0 + cosines), 0.0))
    slopes = np.where(sines > _TIP, distribution._kernel_slope(angles), 0.0) / np.maximum(sines, _TIP)
    if folded:
        slopes *= np.sign(cosines)
    uphill = slopes @ x * ((1 + folded) / (length * len(x)))
    along = uphill @ point / length**2
    return -float(np.mean(distribution._log_kernel(angles))), uphill - along * point


def _best_draw(x: Array, start: Array) -> Callable[[Any, Array | None], Array]:
    """The search for a mode on the circle that is a draw, as the log kernel is convex except at its tip."""
    angles = np.arctan2(start[0] * x[:, 1] - start[1] * x[:, 0], x @ start)
    order = np.argsort(angles)
    angles = angles[order]
    beside = np.array([0, *(sign * step for step in range(1, _BESIDE + 1) for sign in (1, -1))])
    place = 0

    def best_mode(distribution: Any, mode: Array | None) -> Array:
        nonlocal place

        def best_of(places: Any) -> int:  # the first of equal ones
            apart = (np.abs(angles - angles[i]) for i in places)
            values = [distribution._log_kernel(np.minimum(away, geometry.TURN - away)).sum() for away in apart]
            return int(places[np.argmax(values)])

        step = -(-len(angles) // _DRAWS)
        place = best_of([place, *range(0, len(angles), step)])
        while (best := best_of((place + step * beside) % len(angles))) != place or step > 1:
            step = step if best != place else -(-step // _BESIDE)  # towards the best draw of all near it
            place = best
        return np.asarray(x[order[place]])

    return best_mode


def _distances(x: Array, mode: Array, folded: bool) -> Array:
    """Angles from the mode; of versors, the angles of the rotations."""
    if not folded:
        return np.asarray(geometry.angle_between_vectors(x, mode))
    near, far = np.linalg.norm(x - mode, axis=1), np.linalg.norm(x + mode, axis=1)
    return np.asarray(4.0 * np.arctan2(np.minimum(near, far), np.maximum(near, far)))


def _likelihood(distribution: Any, x: Array, folded: bool, mode: Array) -> float:
    return float(np.sum(distribution._log_kernel(_distances(x, mode, folded))))


def _climbed(distribution: Any, x: Array, mode: Array, folded: bool) -> Array:
    """Ascent by Weiszfeld's steps on the sphere (Fletcher, Venkatasubramanian, Joshi 2009), none downhill."""
    half = 0.5 if folded else 1.0
    here = _likelihood(distribution, x, folded, mode)
    for _ in range(1000):
        angles = half * _distances(x, mode, folded)
        cosines = x @ mode
        aside = x - cosines[:, None] * mode
        if folded:
            aside *= np.where(cosines < 0.0, -1.0, 1.0)[:, None]
        sines = np.linalg.norm(aside, axis=1)
        apart = (angles > _SAME) & (sines > _SAME)
        pull = -np.asarray(distribution._kernel_slope(angles[apart] / half))
        uphill = (pull / sines[apart]) @ aside[apart]
        steep = float(np.linalg.norm(uphill))
        tip_pull = float(-distribution._kernel_slope(np.zeros(1))[0]) * np.count_nonzero(angles <= _SAME)
        weight = float(np.sum(pull / angles[apart]))
        if steep <= tip_pull or weight <= 0.0:
            break
        length, step = (steep - tip_pull) / weight, uphill / steep
        if length * length * weight <= _GAIN * abs(here):
            break
        for _ in range(40):
            turned = np.cos(length) * mode + np.sin(length) * step
            turned /= np.linalg.norm(turned)
            there = _likelihood(distribution, x, folded, turned)
            if there > here:
                break
            length *= 0.5
        else:
            break
        gained = there - here
        mode, here = turned, there
        if gained <= _GAIN * abs(here):
            break
    return mode


def _median_on_circle(x: Array) -> Array:
    """Where the sum of angles to all is least: a data point, or the middle of two if it is even between."""
    angles = np.sort(geometry.vectors_to_angles(x))
    count = angles.size
    sums = np.concatenate([[0.0], np.cumsum(np.concatenate([angles, angles + geometry.TURN]))])
    turned = np.concatenate([angles, angles + geometry.TURN])
    own = np.arange(count)
    half = np.searchsorted(turned, angles + np.pi, side="right")  # the first beyond half a turn
    ahead = sums[half] - sums[own] - (half - own) * angles
    behind = (own + count - half) * (angles + geometry.TURN) - (sums[own + count] - sums[half])
    best = angles[int(np.argmin(ahead + behind))]
    away = np.mod(angles - best, geometry.TURN)
    least = float(np.minimum(away, geometry.TURN - away).sum()) * (1.0 + 1e-12)  # as even as rounding lets it be
    for beside in (away[away > 0.0].min(initial=np.inf), away.max() - geometry.TURN):
        apart = np.mod(away - 0.5 * beside, geometry.TURN)
        is_even = 2 * np.count_nonzero(apart < np.pi) == count
        if is_even and np.minimum(apart, geometry.TURN - apart).sum() <= least:
            return geometry.angles_to_vectors(best + 0.5 * beside)
    return np.asarray(x[int(np.argmin(np.abs(geometry.vectors_to_angles(x) - best)))])


def _is_linear(make: Callable[[float], Any]) -> bool:
    """Whether the log kernel is κ times a function of the angle."""
    theta = np.array([0.5, 1.5, 3.0])
    return bool(np.allclose(make(7.0)._log_kernel(theta), 7.0 * make(1.0)._log_kernel(theta), rtol=1e-12))


def _concentration(make: Callable[[float], Any], angles: ArrayLike, before: float = 1.0) -> float:
    """The most likely κ for angles from the mode; searched for near ``before`` first, then everywhere."""
    angles = np.asarray(angles)
    if _is_linear(make):
        one = make(1.0)._log_kernel
        wanted = float(np.mean(one(angles)))
        return _root(lambda kappa: make(kappa).expectation(one) / wanted - 1.0)

    def loss(log_kappa: float, angles: Array = angles) -> float:
        distribution = make(float(np.exp(log_kappa)))
        return float(distribution._log_angle_normalizer - np.mean(distribution._log_kernel(angles)))

    def least(low: float, high: float) -> float:
        return float(minimize_scalar(loss, bounds=(low, high), options={"xatol": 1e-12}).x)

    if before not in (0.0, 1.0):  # a later round
        near = np.log(before)
        optimum = least(near - 0.5, near + 0.5)
        if abs(optimum - near) < 0.4:
            return float(np.exp(optimum))
    grid = np.linspace(np.log(1e-6), np.log(_HIGH), 120)
    some = np.sort(angles)[:: -(-angles.size // 1000)]  # which tell the cell of the grid
    best = int(np.argmin([loss(value, some) for value in grid]))
    low, high = max(best - 2, 0), min(best + 3, grid.size)  # some of the angles may miss by a cell
    best = low + int(np.argmin([loss(value) for value in grid[low:high]]))
    optimum = least(grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)])
    if optimum > grid[-1] - 1e-5:  # as near as it goes
        raise InvalidArgument(f"'kappa' of these rows is above {_HIGH:g}, where the search ends")
    return 0.0 if best == 0 else float(np.exp(optimum))


def _root(off: Callable[[float], float]) -> float:
    """κ at which ``off(κ)``, which falls, is 0; and 0 where no κ is that small."""

    def at(log_kappa: float) -> float:
        return off(float(np.exp(log_kappa)))

    low, high = np.log(_LOW), np.log(_HIGH)
    if at(low) <= 0.0:
        return 0.0
    if at(high) > 0.0:
        low, high = high, np.log(_HIGHEST)
    return float(np.exp(brentq(at, low, high, xtol=1e-14, rtol=1e-14)))
