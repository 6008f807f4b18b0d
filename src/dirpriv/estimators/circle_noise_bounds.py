"""Noise of angles, bounded from every input: for the bets of :mod:`dirpriv.estimators.betting_intervals`."""

import math
from typing import Any

import numpy as np

from dirpriv import geometry
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Integers, Mask
from dirpriv.distributions.shared.base import CircleCellNoise
from dirpriv.distributions.user.adapter import is_symmetric, lacking

_CLASSES = 48
_POINTS = 1440
_FINEST = 481 * _CLASSES  # the middles of minutes are no borders
_ROWS, _LEAST_ROWS = 6, 144  # in a bin, and in all: several for each class of reports
MOST_BINS, _MOST_ROWS = 168, 336
OTHER_DISTRIBUTION = "take intervals='smooth', or release by another distribution"
NEAR = 1e-9  # parts: a border so near to one of a part is meant to be there
ERROR = 1e-12  # above that of all sums of probabilities


class CircleNoise:
    """Noise around the circle.

    ``arcs`` are the probabilities of moves from a point by i to i + 1 parts of n. Of a release, inputs and
    reports are such parts, and ``slack`` is None. Else inputs lie between the points too, and ``slack`` is c
    of docs/mathematics.md, “Every input is checked”.
    """

    mixed, doublings = 3, 5

    def __init__(self, arcs: Array, slack: float | None, count: int, rows: Integers) -> None:
        parts = len(arcs)
        self.parts, self._slack, self._points = parts, slack, rows
        borders = -(-np.arange(count + 1) * parts // count)
        self.classes = np.repeat(np.arange(count), np.diff(borders))
        below = np.concatenate([[0.0], np.cumsum(np.tile(arcs, 2))])
        starts = (borders[:-1] - np.arange(parts)[:, None]) % parts
        self._chances = np.maximum(below[starts + np.diff(borders)] - below[starts], 0.0)
        if slack is not None:
            passing = arcs[(borders[:-1] - np.arange(parts)[:, None] - 1) % parts]
            self._moves = slack * passing + ERROR
        self.sizes = np.ones(parts)
        self.rows, self.even = self._chances[rows], self._chances.mean(axis=0)

    def at_rows(self, members: Mask) -> Mask:
        if self._slack is not None:
            members = members | np.roll(members, 1, axis=1)
        return np.asarray(members[:, self._points])

    def most(self, bets: Array) -> Array:
        means = bets @ self._chances.T
        if self._slack is not None:
            steps = np.abs(bets - np.roll(bets, 1, axis=1))
            means = np.maximum(means, np.roll(means, -1, axis=1)) + steps @ self._moves.T
        return np.asarray(means + ERROR * bets.max(axis=1, keepdims=True))

    def finest(self, angles: Array) -> Array:
        """Middles of the cells of a release; of a distribution of doubles, of cells of which a class has many."""
        cells = self.parts if self._slack is None else _FINEST
        turns = np.mod(angles / geometry.TURN, 1.0)
        return np.asarray((np.minimum(np.floor(turns * cells), cells - 1.0) + 0.5) * (geometry.TURN / cells))

    def counted(self, angles: Array, weights: Array) -> Array:
        """Numbers of reports in each class."""
        turns = np.mod(angles / geometry.TURN, 1.0)
        parts = np.minimum((turns * self.parts).astype(np.intp), self.parts - 1)
        return np.bincount(self.classes[parts], weights, len(self.even)).astype(float)

    def arcs(self, begins: Array, ends: Array) -> tuple[Mask, Mask]:
        """Which parts lie in arcs (rows) from a begin to before an end, in radians, and which touch them."""
        scale, shape = self.parts / geometry.TURN, (len(begins), 2, self.parts)  # this turn and the next
        at, begins, ends = np.arange(2 * self.parts), begins[:, None] * scale, ends[:, None] * scale
        inside = (at > begins - NEAR) & (at + 1 < ends + NEAR)
        touched = (at + 1 > begins + NEAR) & (at < ends - NEAR)
        either = np.logical_or.reduce
        return either(inside.reshape(shape), axis=1), either(touched.reshape(shape), axis=1)


def one_bin(distribution: Any, bins: int) -> tuple[CircleNoise, Mask, Mask]:
    """The noise of a distribution, and the parts that lie in the first of this many bins, and that touch it."""
    noise = circle_noise(distribution, bins)
    return noise, *noise.arcs(np.zeros(1), np.full(1, geometry.TURN / bins))


def circle_noise(distribution: Any, bins: int) -> CircleNoise:
    """Of a distribution on the circle, in parts of which as many as possible make up one of the bins."""
    if bins > MOST_BINS:
        rule = f"must be at most {MOST_BINS} for intervals that hold for every day"
        raise InvalidArgument("bins", rule, got=bins, hint="take fewer, or intervals='smooth', which has up to 1440")
    count = bins * max(min(_ROWS, _MOST_ROWS // bins), -(-_LEAST_ROWS // bins))
    if isinstance(distribution, CircleCellNoise):
        arcs, parts, slack = distribution.probabilities, len(distribution.probabilities), None
    else:
        if not is_symmetric(distribution):
            rule = "must be symmetric about its mode for intervals that hold for every day"
            raise InvalidArgument("distribution", rule, got=distribution, hint=OTHER_DISTRIBUTION)
        level = np.inf if lacking(distribution, "metric_level") else float(distribution.metric_level())
        unit = math.lcm(_CLASSES, bins, 2)
        wanted = max(_POINTS, 100.0 * level) if level < np.inf else 8 * _POINTS
        parts = unit * math.ceil(min(wanted, 16 * _POINTS) / unit)
        turned = min(level * geometry.TURN / parts, 2.0)
        slack = min(0.5, turned * math.exp(turned) / 8.0)
        half = -np.diff(np.asarray(distribution.angle_sf(np.linspace(0.0, np.pi, parts // 2 + 1)), dtype=float)) / 2.0
        arcs = np.maximum(np.concatenate([half, half[::-1]]), 0.0)
    rows = -(-np.arange(count) * parts // count)
    if slack is None:  # what ends at a border is another input than what begins there
        rows = np.concatenate([rows, rows[:: count // bins] - 1])
    return CircleNoise(arcs, slack, min(_CLASSES, parts), np.unique(rows % parts))
