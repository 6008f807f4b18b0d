"""Level of several responses of one person, by the distribution of their privacy loss.

The loss L of an output is the log ratio of its densities under two inputs. Losses of independent responses add up, and
they are (ε, δ)-indistinguishable where E[(1 - exp(ε - L))₊] ≤ δ (Sommer, Meiser, Mohammadi, PoPETs 2019(2)). Every step
here rounds up. The losses of a worst pair of inputs are brought to a grid so that the probabilities under both inputs
stay. The integrand is convex in exp(-L), so this is an upper bound, of second order in the step (Doroshenko, Ghazi,
Kamath, Kumar, Manurangsi, PoPETs 2022(4)). The distribution of the sum follows by FFT after an exponential tilt to the
tail of interest. What can wrap around and the rounding of the FFT are bounded and added.
"""

from bisect import bisect_left
from typing import Any

import numpy as np
from scipy.fft import next_fast_len
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from dirpriv._lib.types import Array
from dirpriv.distributions.shared.loss_distribution import randomised_response
from dirpriv.guarantees.shuffling_by_fft import on_neighbours, sum_masses

_STEPS = 2048  # of the grid from 0 to the largest loss, less where responses are many
_LEAST_STEPS = 64
_LONGEST = 2**23  # of the FFT
_BEYOND = 45.0  # nats: exp(-45) is more than can wrap around


def level_of_sum(pair: tuple[Array, Array], responses: int, delta: float, largest: float) -> float:
    """A level ε that ``responses`` keep with ``delta`` > 0, near the least, by the ``privacy_loss_distribution``."""
    level = _composed(*pair, responses, delta, largest)
    if pair[0].sum() > 1.0 + 1e-9:  # such a bound can be above that of any mechanism with this loss
        level = min(level, _composed(*randomised_response(largest), responses, delta, largest))
    return level


def _composed(masses: Array, losses: Array, responses: int, delta: float, largest: float) -> float:
    masses, points, kept = _trimmed(masses, losses, 1e-4 * delta / responses)
    steps, widest = _STEPS, float(np.abs(points).max())
    delta = delta - responses * (1.0 - kept)
    if widest == 0.0:
        return 0.0
    while True:
        on_grid, losses = _on_grid(masses, points, widest, steps)
        tilt, bound = _chernoff(on_grid, losses, responses, delta)
        center, reach = _window(on_grid, losses, responses, tilt)
        length = max(2.0 * reach * steps / widest, min(4.0 * responses * steps, 2.0**16)) + 16.0
        if length <= _LONGEST or steps == _LEAST_STEPS:
            break
        steps = max(_LEAST_STEPS, steps // 2)
    if length <= _LONGEST:  # more responses than that are left to the bound of Chernoff
        size = next_fast_len(int(length), real=True)
        bound = min(bound, _level_of_sum(on_grid, losses, responses, delta, tilt, center, size))
    return float(min(max(bound, 0.0), responses * largest))


def _trimmed(mass: Array, loss: Array, spare: float) -> tuple[Array, Array, float]:
    """Masses and their losses without the ``spare`` at the largest ones, and the share that is left.

    δ covers what is left out; the same mass at the smallest losses is raised to the next loss. Else rounding
    errors at the largest loss would stretch the grid.
    """
    order = np.argsort(loss)
    mass, loss = mass[order], loss[order]
    last = int(np.searchsorted(-np.cumsum(mass[::-1])[::-1], -spare))
    first = min(int(np.searchsorted(np.cumsum(mass), spare)), last - 1)
    return mass[:last], np.maximum(loss[:last], loss[first]), 1.0 - float(mass[last:].sum())


def _on_grid(mass: Array, loss: Array, widest: float, steps: int) -> tuple[Any, Any]:
    """The masses on a grid of 2 ``steps`` + 1 losses."""
    step = widest * (1.0 + 1e-12) / steps
    place = loss / step + steps
    index = np.clip(np.floor(place), 0, 2 * steps - 1).astype(np.intp)
    upper = mass * np.clip(np.expm1(-step * (place - index)) / np.expm1(-step), 0.0, 1.0)
    grid = on_neighbours(index, mass - upper, upper, 2 * steps + 1)
    return grid, step * np.arange(-steps, steps + 1)


def _log_moment(masses: Array, losses: Array, tilt: float) -> float:
    with np.errstate(divide="ignore"):
        return float(logsumexp(np.log(masses) + tilt * losses))


def _tilted(masses: Array, losses: Array, tilt: float) -> tuple[float, Array]:
    """The logarithm of the moment, and the masses of the tilted distribution."""
    base = _log_moment(masses, losses, tilt)
    with np.errstate(divide="ignore"):
        return base, np.exp(np.log(masses) + tilt * losses - base)


def _chernoff(masses: Array, losses: Array, responses: int, delta: float) -> tuple[float, float]:
    """The tilt λ that gives the lowest bound of ε, by δ(ε) ≤ λ^λ/(1 + λ)^(1 + λ) exp(T K(λ) - λε), and it."""

    def bound(log_tilt: float) -> float:
        tilt = float(np.exp(log_tilt))
        constant = -tilt * np.log1p(1.0 / tilt) - np.log1p(tilt)
        return float((responses * _log_moment(masses, losses, tilt) + constant - np.log(delta)) / tilt)

    most = 2.0 / (losses[1] - losses[0])  # with more, the bound of the errors would rise too fast in a step
    best = minimize_scalar(bound, bounds=(np.log(1e-6 / losses[-1]), np.log(most)), options={"xatol": 1e-6})
    return float(np.exp(best.x)), float(best.fun)


def _window(masses: Array, losses: Array, responses: int, tilt: float) -> tuple[float, float]:
    """Mean of the tilted sum, and a distance from it beyond which it has less than exp(-45) on a side."""
    base, tilted = _tilted(masses, losses, tilt)
    mean = float(tilted @ losses / tilted.sum())
    slopes, reach = np.geomspace(1e-6, 1e3, 200) / losses[-1] / np.sqrt(responses), 0.0
    for side in (-1.0, 1.0):

        def bound(place: int, side: float = side) -> float:
            slope = side * slopes[place]
            moment = _log_moment(masses, losses, tilt + slope) - base - slope * mean
            return float((responses * moment + _BEYOND) / slopes[place])

        # they fall and then rise, as the moment is convex in the slope
        best = bisect_left(range(slopes.size - 1), True, key=lambda at: bound(at) <= bound(at + 1))
        reach = max(reach, min(bound(best), responses * (losses[-1] - side * mean)))
    return responses * mean, reach


def _level_of_sum(
    masses: Array, losses: Array, responses: int, delta: float, tilt: float, center: float, length: int
) -> float:
    """The level at which the sum of the losses keeps ``delta``, by FFT of its tilted distribution."""
    steps, step = losses.size // 2, losses[-1] / (losses.size // 2)
    base, tilted = _tilted(masses, losses, tilt)
    middle = round(center / responses / step)  # counted from it, indices of the sum stay small
    total = sum_masses(np.arange(-steps, steps + 1) - middle, tilted, responses, length)
    first = round(center / step - responses * middle) - length // 2
    places = first + np.arange(length)
    mass = np.maximum(total[places % length], 0.0)
    loss = step * (responses * middle + places)
    rounding = 2.2e-16 * (responses + 10) * np.log2(length) * np.sqrt(length) * np.linalg.norm(mass)
    spare = rounding + 4.0 * np.exp(-_BEYOND)
    # δ(ε) exp(λ c - T K) from ε = c - 500/(1 + λ) on, c the center: no exponential overflows
    kept = loss - center > -500.0 / (1.0 + tilt)
    loss, mass = loss[kept], mass[kept]
    moved = loss - center
    weights = mass * np.exp(-tilt * moved)
    ones = np.append(np.cumsum(weights[::-1])[::-1][1:], 0.0)  # of larger losses
    exps = np.append(np.cumsum((weights * np.exp(-moved))[::-1])[::-1][1:], 0.0)
    errors = spare * np.exp(-tilt * (moved + step))  # of masses at larger losses
    wanted = np.exp(np.log(delta) - responses * base + tilt * center)
    enough = np.flatnonzero(ones - np.exp(np.minimum(moved, 700.0)) * exps + errors <= wanted)
    if enough.size == 0:
        return np.inf
    i = int(enough[0])
    if i == 0 or exps[i - 1] <= 0.0 or ones[i - 1] + errors[i - 1] <= wanted:
        return float(loss[i])
    level = center + np.log((ones[i - 1] + errors[i - 1] - wanted) / exps[i - 1])
    return float(np.clip(level, loss[i - 1], loss[i]))
