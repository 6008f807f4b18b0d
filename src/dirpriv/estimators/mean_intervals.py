"""Intervals of a mean direction and of a resultant length that hold for every number of reports.

``docs/mathematics.md``, section "Intervals of means", has the proof.
"""

import math
from collections.abc import Callable

import numpy as np

from dirpriv._lib.types import Array

_LARGEST = 0.75  # stake: what a report can take away of the evidence
_NOISY = 0.75  # weight of the stake for reports that are all over the circle
# directions of evidence from the hypothetical mean, and their weights
_Directions = tuple[Array, Array]
_ACROSS: _Directions = np.array([0.5, -0.5, 1.0]) * np.pi, np.array([0.46, 0.46, 0.08])
_RADIAL: _Directions = (
    np.arange(8.0) * (np.pi / 4.0),
    np.array([7.0, 1.0, 1.0, 1.0, 7.0, 1.0, 1.0, 1.0]) / 20.0,
)
_STEPS = 16


class MeanIntervals:
    """Intervals from the first four trigonometric moments of reports.

    The evidence against a mean vector is the mean of products over the reports, of 1 + λ(c - E c): c is the
    cosine of the report from some direction, and λ a stake. It is computed from below, by Taylor.
    """

    def __init__(self, angles: Array, weights: Array, rho: float, confidence: float) -> None:
        self.count, self.rho = float(weights.sum()), rho
        waves = np.exp(1j * np.arange(1, 5)[:, None] * angles)
        self.moments = waves @ weights / self.count
        self.mean, self.length = float(np.angle(self.moments[0])), abs(self.moments[0])
        self.enough = -math.log1p(-confidence)
        # best for a variance of 1/2, and for smaller ones
        stake = math.sqrt(4.0 * (self.enough + math.log(2.0)) / self.count)
        others = max(math.ceil(math.log2(_LARGEST / stake)), 0)
        self.stakes = np.minimum(stake * 2.0 ** np.arange(others + 1), _LARGEST)
        self.weights = np.append(_NOISY, np.full(others, (1.0 - _NOISY) / others)) if others else np.ones(1)

    def of_angle(self) -> tuple[float, float] | None:
        """How far the interval goes clockwise and counterclockwise from the mean; None: the whole circle."""
        clockwise, counterclockwise = (self._around(side) for side in (-1.0, 1.0))
        return None if max(clockwise, counterclockwise) >= np.pi else (clockwise, counterclockwise)

    def of_resultant(self) -> tuple[float, float]:
        """Ends of the interval of the resultant length of the people."""
        found = float(self.length) / self.rho
        turns = self.mean + np.append(0.0, np.outer((-1.0, 1.0), np.geomspace(1e-3, np.pi, 8)))

        def against(lengths: Array) -> Array:
            return self._against(turns, lengths[:, None], _RADIAL).min(axis=1)

        low = found - _farthest(lambda away: against(found - away), found, self.enough)
        high = found + _farthest(lambda away: against(found + away), 2.0 / self.rho, self.enough)
        return min(max(low, 0.0), 1.0), min(high, 1.0)

    def _around(self, side: float) -> float:
        def against(away: Array) -> Array:
            return self._against(self.mean + side * away, np.zeros_like(away), _ACROSS)

        return _farthest(against, np.pi, self.enough)

    def _against(self, means: Array, lengths: Array, around: _Directions) -> Array:
        """Logarithm of the evidence against people with this mean direction and resultant length."""
        turns, weights = around
        expected = self.rho * (lengths[..., None] * np.cos(turns))[..., None]
        toward = (means[..., None] + turns)[..., None]
        one, two, three, four = ((m * np.exp(-1j * k * toward)).real for k, m in enumerate(self.moments, 1))
        # means of powers of the cosine, and of its distance from the expected one
        two, three, four = (1.0 + two) / 2.0, (3.0 * one + three) / 4.0, (3.0 + 4.0 * two + four) / 8.0
        first, square = one - expected, two - 2.0 * expected * one + expected**2
        cube = three - 3.0 * expected * two + 3.0 * expected**2 * one - expected**3
        fourth = four - 4.0 * expected * three + 6.0 * expected**2 * two - 4.0 * expected**3 * one
        fourth = fourth + expected**4
        stakes, most = self.stakes / (1.0 + np.abs(expected)), self.stakes  # at most this is lost
        logs = (
            stakes * first
            - stakes**2 * square / 2.0
            + stakes**3 * cube / 3.0
            - _rest(most) * stakes**4 * fourth
        )
        logs = self.count * logs + np.log(self.weights) + np.log(weights)[:, None]
        return np.logaddexp.reduce(logs, axis=(-2, -1))


def _rest(most: Array) -> Array:
    """A number r with log(1 + z) ≥ z - z²/2 + z³/3 - r z⁴ for all z from -most on."""
    return 0.25 + 0.2 * most / (1.0 - most)


def _farthest(against: Callable[[Array], Array], end: float, enough: float) -> float:
    """The farthest of the distances from 0 against which there is too little evidence, rounded up."""
    distances = end * np.geomspace(1e-7, 1.0, _STEPS)
    far = float(distances[0])
    for _ in range(4):
        inside = np.flatnonzero(against(distances) < enough)
        if not inside.size:
            break
        if inside[-1] == _STEPS - 1:
            return float(end)
        near, far = distances[inside[-1] : inside[-1] + 2].tolist()
        distances = np.linspace(near, far, _STEPS)
    return far
