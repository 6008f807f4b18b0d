"""Intervals of means for every number of reports; docs/mathematics.md, “Intervals of means”, proves them."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dirpriv import geometry
from dirpriv._lib.types import Array, Mask
from dirpriv.estimators.betting_intervals import DividedReports
from dirpriv.estimators.circle_noise_bounds import Wave, window_ends

_LARGEST = 0.75  # stake: what a report can take away of the evidence
_NOISY = 0.75  # weight of the stake for reports that are all over the circle
# directions of evidence from the hypothetical mean, and their weights
_Directions = tuple[Array, Array]
_ACROSS = np.array([0.5, -0.5, 0.75, -0.75, 1.0]) * np.pi, np.array([0.44, 0.44, 0.035, 0.035, 0.05])
_RADIAL = np.arange(8.0) * (np.pi / 4.0), np.array([7.0, 1.0, 1.0, 1.0, 7.0, 1.0, 1.0, 1.0]) / 20.0
_COARSE = 72  # arcs of the turn that may hold the mean


class MeanIntervals:
    """Intervals by moments of reports: vectors of ``lengths`` up to 1, of means ``rho`` times the true."""

    def __init__(self, angles: Array, weights: Array, rho: float, confidence: float, lengths: ArrayLike = 1.0) -> None:
        self.count, self.rho = float(weights.sum()), rho
        numbers = np.arange(5)[:, None]
        waves, powers = np.exp(1j * numbers * angles), np.broadcast_to(lengths, angles.shape) ** numbers
        self.moments = (powers * weights) @ waves.T / self.count  # by the power of the length, and the wave
        self.mean, self.length = float(np.angle(self.moments[1, 1])), abs(self.moments[1, 1])
        self.enough = -math.log1p(-confidence)
        # best for a variance of half the square of a length, and for smaller ones
        stake = math.sqrt(4.0 * (self.enough + math.log(2.0)) / (self.count * self.moments[2, 0].real))
        others = max(math.ceil(math.log2(_LARGEST / stake)), 0)
        self.stakes = np.minimum(stake * 2.0 ** np.arange(others + 1), _LARGEST)
        self.weights = np.append(_NOISY, np.full(others, (1.0 - _NOISY) / others)) if others else np.ones(1)

    def angle_sides(self) -> tuple[float, float] | None:
        """How far the interval goes clockwise and counterclockwise from the mean; None: the whole circle."""
        low, high = self._ends(0, 0.0, _ACROSS)
        return None if max(-low, high) >= np.pi else (-low, high)

    def resultant_ends(self) -> tuple[float, float]:
        """Ends of the interval of the mean resultant length of the people."""
        return self._ends(1, 1.0, _RADIAL)

    def _ends(self, axis: int, longest: float, around: _Directions) -> tuple[float, float]:
        """Ends of the turns from the mean (axis 0) or of the lengths (1) with too little evidence."""
        stakes, rest = self.stakes, _rest(self.stakes)
        bent = stakes * (1.0 + stakes + stakes**2 + 4.0 * rest * stakes**3)
        bent += stakes**2 * (1.0 + 2.0 * stakes + 12.0 * rest * stakes**2)
        corners = _offsets(2, 2 if longest else 1)
        size = np.array([np.pi / 8.0, longest / 4.0])
        # boxes are cut into smaller ones where they may hold turns or lengths beyond those that are found
        boxes = (_offsets(16, 4 if longest else 1) - (8, 0)) * size
        middle = np.array([0.0, min(self.length / self.rho, longest)])
        away = np.outer((-np.pi, np.pi), np.geomspace(1e-7, 1.0, 100)).reshape(-1, 1) * np.eye(2)[axis]
        at = np.clip(middle + away, (-np.pi, 0.0), (np.pi, longest))
        logs, low, high = self._logs(at, around), np.inf, -np.inf
        while True:
            values = at[self._is_little(logs), axis]
            low, high = values.min(initial=low), values.max(initial=high)
            at = boxes[:, None, :] + corners * size
            logs = self._logs(at, around)
            margin = self.count * bent * (size[0] ** 2 + (2.0 * self.rho * size[1]) ** 2) / 8.0
            boxes = boxes[self._is_little(logs.min(axis=1) - margin)]
            begins, beyond = boxes[:, axis], boxes[:, axis] + size[axis]
            first, last = begins.min(initial=low), beyond.max(initial=high)
            left = low - first + last - high if len(boxes) else 0.0
            if not len(boxes) or left <= 0.003 * (high - low) or size[axis] < 1e-9:
                break
            boxes = boxes[(begins < low) | (beyond > high)]
            cuts = (1, 4) if left < 4.0 * size[1] else (4, 1)  # what is left is wide: by the turns
            size, parts = size / cuts, _offsets(*cuts)
            boxes = (boxes[:, None, :] + parts * size).reshape(-1, 2)
        if first > last:  # all are rejected
            first = last = middle[axis]
        return float(first), float(last)

    def _is_little(self, logs: Array) -> Mask:
        """Whether the sum of evidence over the last two axes is too little."""
        return np.asarray(np.exp(np.minimum(logs, 99.0)).sum(axis=(-2, -1)) < math.exp(self.enough))

    def _logs(self, people: Array, around: _Directions) -> Array:
        """Logarithms of the evidence against turns from the mean and lengths: last, directions and stakes."""
        (turns, weights), means, lengths = around, self.mean + people[..., 0], people[..., 1]
        expected = self.rho * (lengths[..., None] * np.cos(turns))[..., None]
        toward = (means[..., None] + turns)[..., None]
        turned = [np.exp(-1j * wave * toward) for wave in range(5)]

        def wave(power: int, number: int) -> Array:
            return np.asarray((self.moments[power, number] * turned[number]).real)

        # means of powers of the cosine, and of its distance from the expected one
        one, two = wave(1, 1), (wave(2, 0) + wave(2, 2)) / 2.0
        three = (3.0 * wave(3, 1) + wave(3, 3)) / 4.0
        four = (3.0 * wave(4, 0) + 4.0 * wave(4, 2) + wave(4, 4)) / 8.0
        first, square = one - expected, two - 2.0 * expected * one + expected**2
        cube = three - 3.0 * expected * two + 3.0 * expected**2 * one - expected**3
        fourth = four - 4.0 * expected * three + 6.0 * expected**2 * two - 4.0 * expected**3 * one
        fourth = fourth + expected**4
        stakes = self.stakes / (1.0 + np.abs(expected))  # at most self.stakes is lost
        logs = stakes * first - stakes**2 * square / 2.0 + stakes**3 * cube / 3.0
        logs -= _rest(self.stakes) * stakes**4 * fourth
        return np.asarray(self.count * logs + np.log(self.weights) + np.log(weights)[:, None])


def _offsets(*counts: int) -> Array:
    """Whole numbers from 0 to before each of two counts, in rows."""
    return np.asarray(np.stack(np.meshgrid(*map(np.arange, counts)), axis=-1).reshape(-1, 2))


def _rest(most: Array) -> Array:
    """A number r with log(1 + z) ≥ z - z²/2 + z³/3 - r z⁴ for all z from -most on."""
    return 0.25 + 0.2 * most / (1.0 - most)


def respondent_sides(reports: Sequence[DividedReports], mean: float, error: float) -> tuple[float, float] | None:
    """How far the mean of the people who reported may be to both sides of an angle; None: all around the circle.

    With the mean resultant length R, it lies in no arc from a to a + d ≤ π/2 where the mean of sin(x - a) is below 0 or
    above R d, or that of cos(x - a) below 0. There R cos d is at most the mean of cos(x - a). Each arc has its tests:
    coarse ones first, and fine ones in what is left.
    """
    step = geometry.TURN / _COARSE
    cosines, coarse, fine = 0.2 * error, 0.05 * error, 0.85 * error  # of cosines one end counts
    low, high = window_ends(reports, np.asarray(np.arange(_COARSE) * step), Wave(), [coarse, cosines])
    sines_low, sines_high = np.roll(low[0], -_COARSE // 4), np.roll(high[0], -_COARSE // 4)
    left = np.flatnonzero((sines_high >= 0.5) & (sines_low <= 0.5 + step / 2.0) & (high[1] >= 0.5))
    if not left.size:
        left = np.array([int(mean / step) % _COARSE])
    gaps = np.diff(left, append=left[0] + _COARSE)
    widest = int(gaps.argmax())
    longest = min(max(2.0 * float(high[1][left].max()) - 1.0, 0.0) / math.cos(step), 1.0)
    begin = left[(widest + 1) % left.size] * step
    length = geometry.TURN - (gaps[widest] - 1) * step
    cells = max(of.noise.parts for of in reports)
    cells *= math.ceil(4 * _COARSE / cells)  # arcs that begin at a few different parts of a cell share windows
    size = max(1, math.ceil(length / geometry.TURN * cells / 96.0)) * geometry.TURN / cells
    count = math.ceil(length / size - 1e-9)
    starts = np.mod(begin + np.arange(count) * size + geometry.TURN / 4.0, geometry.TURN)
    low, high = window_ends(reports, starts, Wave(), [fine])
    left = np.flatnonzero((high[0] >= 0.5) & (low[0] <= 0.5 + longest * size / 2.0))
    first, last = (left[0], left[-1] + 1) if left.size else (count // 2, count // 2 + 1)
    low_end, high_end = begin + first * size - mean, begin + last * size - mean
    turn = round((low_end + high_end) / 2.0 / geometry.TURN) * geometry.TURN
    sides = max(turn - low_end, 0.0), max(high_end - turn, 0.0)  # the estimate belongs to its interval
    return None if max(sides) >= np.pi else sides
