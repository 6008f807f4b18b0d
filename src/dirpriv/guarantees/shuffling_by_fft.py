"""The mean excess E max(X₁ + … + X_N, 0) of independent draws with finitely many values, never too small.

Each value is split over its two neighbours on a grid with its mean kept, which raises the expectation of
every convex function of a sum. With λ the tilt at which X has the mean zero, E max(S, 0) = M(λ)^N
E_λ[exp(-λS) max(S, 0)], M the moment generating function: no digits cancel, and exp(-λs) s ≤ 1/(eλ) bounds
what a mass contributes. The distribution of the tilted sum follows by FFT. At most exp(-38) on each side lies beyond
the window (Chernoff); it and the rounding of the FFT are added.
"""

from typing import Any

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import logsumexp

from dirpriv._lib.types import Array, Integers

_BEYOND = 38.0  # nats: exp(-38) lies beyond the window on a side
_LENGTH = 2**14  # of the FFT, where the grid may choose
_LONGEST = 2**18
_STEPS = 8, 512  # of the grid in a standard deviation of one draw, at least and at most
_SLOPES = np.geomspace(0.05, 200.0, 48)


def mean_excess(values: Array, masses: Array, count: int) -> float:
    """An upper bound of E max(S, 0) for the sum S of ``count`` draws, whose masses add up to 1."""
    used = masses > 0.0
    values, masses = values[used], masses[used]
    top = float(values.max(initial=0.0))
    if top <= 0.0:
        return 0.0
    values = np.maximum(values, -count * top) / top  # one draw of -N top leaves no sum above 0
    simple = count * float(masses @ np.maximum(values, 0.0))  # no value cancels another
    tilt, spread = _balance(values, masses)
    if not spread > 1e-9:
        return simple * top
    if count * _log_moment(values, masses, tilt) < -700.0:
        return float(np.exp(-700.0) / (np.e * tilt) * top)
    reach = 2.0 * np.sqrt(2.0 * _BEYOND * count) * spread + 0.5 * _BEYOND
    step = min(max(reach / _LENGTH, spread / _STEPS[1]), spread / _STEPS[0])
    while True:
        on_grid, index = _on_grid(values, masses, step)
        left, right = _window(step * index, on_grid, count, tilt)
        length = (left + right) / step + 8.0
        if length <= _LONGEST:
            break
        step *= 1.5 * length / _LONGEST
        if step > 4.0:  # the values are too rare for a grid
            return simple * top
    size = next_fast_len(int(length), real=True)
    base = _log_moment(step * index, on_grid, tilt)
    tilted = on_grid * np.exp(tilt * step * index - base)
    total = np.maximum(sum_masses(index, tilted, count, size)[1 : int(right / step) + 2], 0.0)
    places = step * np.arange(1, total.size + 1)
    rounding = 2.3e-16 * (count + 10) * np.log2(size) * np.sqrt(size) * float(np.linalg.norm(total))
    spare = rounding + 4.0 * np.exp(-_BEYOND)
    worst = min(1.0 / (np.e * tilt), float(count)) if tilt > 0.0 else float(count)
    mean = float(total @ (np.exp(-tilt * places) * places)) + spare * worst
    excess = np.exp(min(count * base, 700.0)) * mean * (1.0 + 1e-13 * (count + 100))
    return float(min(excess, simple) * top)


def sum_masses(index: Integers, masses: Array, count: int, size: int) -> Any:
    """Masses of the sum of ``count`` draws of an index, all modulo ``size``."""
    return irfft(rfft(np.bincount(index % size, masses, size)) ** count, size)


def on_neighbours(index: Integers, lower: Array, upper: Array, size: int) -> Any:
    """Masses on a grid, from those of each value at its lower and at its upper neighbour."""
    return np.bincount(index, lower, size) + np.bincount(index + 1, upper, size)


def _log_moment(values: Array, masses: Array, tilt: float) -> float:
    exponent = tilt * values
    largest = float(exponent.max())
    if abs(largest) < 1e-3:  # the moment is nearly 1: its distance from 1 keeps its digits
        return float(np.log1p(masses @ np.expm1(exponent) + (masses.sum() - 1.0)))
    return float(np.log(masses @ np.exp(exponent - largest)) + largest)


def _balance(values: Array, masses: Array) -> tuple[float, float]:
    """The tilt λ ≥ 0 at which the mean is 0 (0 where it is not below), and the standard deviation there."""

    def moments(tilt: float) -> tuple[float, float]:
        weights = masses * np.exp(tilt * (values - 1.0))
        weights /= weights.sum()
        mean = float(weights @ values)
        return mean, float(weights @ (values - mean) ** 2)

    mean, variance = moments(0.0)
    if mean >= 0.0:
        return 0.0, np.sqrt(max(variance, 1e-300))
    low, high = 0.0, 1.0
    while moments(high)[0] < 0.0:
        low, high = high, 4.0 * high
    tilt = min(max(-mean / variance, low), high)
    for _ in range(100):
        mean, variance = moments(tilt)
        low, high = (tilt, high) if mean < 0.0 else (low, tilt)
        newton = tilt - mean / max(variance, 1e-300)
        following = newton if low < newton < high else 0.5 * (low + high)
        if abs(following - tilt) <= 1e-6 * tilt:
            break
        tilt = following
    return tilt, np.sqrt(max(variance, 1e-300))


def _on_grid(values: Array, masses: Array, step: float) -> tuple[Any, Any]:
    """Masses at the multiples of ``step``, with the mean of each value kept, and the multiples."""
    place = values / step
    below = np.floor(place).astype(np.int64)
    upper = masses * (place - below)
    first = int(below.min())
    size = int(below.max()) - first + 2
    if size > 2**22:  # values far below all others: they need no neighbours
        index, where = np.unique(np.concatenate([below, below + 1]), return_inverse=True)
        return np.bincount(where, np.concatenate([masses - upper, upper])), index
    grid = on_neighbours(below - first, masses - upper, upper, size)
    used = np.flatnonzero(grid)
    return grid[used], used + first


def _window(values: Array, masses: Array, count: int, tilt: float) -> tuple[float, float]:
    """Distances below and above 0 beyond which the tilted sum has less than exp(-38) on a side."""
    base = _log_moment(values, masses, tilt)
    with np.errstate(divide="ignore"):
        logs = np.log(masses) + (tilt * values - base)
    weights = np.exp(logs)
    mean = float(weights @ values)
    spread = np.sqrt(float(weights @ (values - mean) ** 2))
    slopes = _SLOPES * min(np.sqrt(2.0 * _BEYOND / count) / spread, 1e3)
    ends = []
    for side in (-1.0, 1.0):
        moments = logsumexp(np.multiply.outer(side * slopes, values) + logs, axis=1)
        whole = count * max(side * float(values.max() if side > 0.0 else values.min()), 0.0)
        ends.append(float(min(((count * moments + _BEYOND) / slopes).min(), whole)))
    return ends[0], ends[1]
