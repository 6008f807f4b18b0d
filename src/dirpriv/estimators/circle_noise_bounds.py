"""Noise of angles around a window, bounded from every input: for the bets of :mod:`.betting_intervals`."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dirpriv import geometry
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Integers, Mask
from dirpriv.distributions.shared.base import CircleCellNoise
from dirpriv.distributions.user.adapter import check_distribution, is_symmetric, lacking
from dirpriv.estimators import betting_intervals
from dirpriv.estimators.betting_intervals import DividedReports
from dirpriv.geometry.spaces import CIRCLE

_SHARP_PARTS = 6000  # with more of them the tails are not worth their time
_CELLS = 1440  # of continuous reports that were counted: borders of classes lie on them
OTHER_DISTRIBUTION = "take intervals='smooth', or release by another distribution"
NEAR = 1e-9  # parts: a border so near to one of a part is meant to be there
ERROR = 1e-12  # above that of all sums of probabilities


class CircleNoise:
    """Noise around the circle.

    ``arcs`` are the probabilities of moves from a point by i to i + 1 parts of n. Of a release, inputs and
    reports are such parts, and ``slack`` is None. Else inputs lie between the points too, and ``slack`` is c
    of docs/mathematics.md, “Every input is checked”.
    """

    blocks: tuple[float, ...] = (1 / 16, 1 / 4)  # the last is large, for its sharp tails

    def __init__(self, arcs: Array, slack: float | None) -> None:
        self.arcs, self.slack, self.parts = arcs, slack, len(arcs)
        self.grain = 1 if slack is None else max(1, self.parts // _CELLS)  # parts between borders of classes
        self.below = np.concatenate([[0.0], np.cumsum(np.tile(arcs, 2))])
        half = np.cumsum(arcs[: self.parts // 2 + 1])  # half of the moves are within log 2 scales of Laplace noise
        self.scale = max(1.0, float(np.searchsorted(half, 0.25 * arcs.sum()) + 0.5) / math.log(2.0))

    def finest(self, angles: Array) -> Array:
        """Middles of the cells of a release; of a distribution of doubles, of cells of which a class has many."""
        cells = self.parts if self.slack is None else 15 * _CELLS  # the middle of a cell is that of a finest one
        turns = np.mod(angles / geometry.TURN, 1.0)
        return np.asarray((np.minimum(np.floor(turns * cells), cells - 1.0) + 0.5) * (geometry.TURN / cells))


class Arc(NamedTuple):
    """The window of an arc from a begin on, in radians, blurred by two moving averages.

    Without a blur the weight is 1 in the arc and 0 outside. Then a cell that a border cuts counts as inside or
    outside. Else the weight of a cell is that of its middle.
    """

    length: float
    blur: float = 0.0

    @property
    def middle(self) -> float:
        return self.length / 2.0

    def weight(self, away: Array) -> Array:
        """Of inputs at distances from the middle: it falls with the distance."""
        away, turns = np.asarray(away), geometry.TURN * np.arange(-2.0, 3.0)
        reach = (self.middle + self.blur) * (1.0 + 1e-9)  # beyond it the weight is 0
        turns = turns[(turns + away.min(initial=0.0) < reach) & (turns + away.max(initial=0.0) > -reach)]
        centres = away + turns.reshape(-1, *[1] * away.ndim)
        ends = [np.clip((centres + half) / self.blur, -1.0, 1.0) for half in (self.middle, -self.middle)]
        above, below = (0.5 * end * (2.0 - np.abs(end)) for end in ends)
        return np.asarray(np.clip((above - below).sum(axis=0), 0.0, 1.0))

    def borders(self, scale: float, finest: float) -> Array:
        """Borders of classes of reports: fine between knots, and coarser away from them."""
        length, blur = self
        count = int(np.clip(math.ceil(blur / scale), 6, 12))  # between two knots
        knots = np.arange(-count, count + 1) * (blur / count)
        first, growth = (scale / 4.0, 1.35) if blur else (scale / 8.0, 1.25)
        first = max(blur / count, first, finest)
        away = np.cumsum(first * growth ** np.arange(math.ceil(math.log(geometry.TURN / finest, growth))))
        inwards, outwards = (blur + away[away < room / 2.0 - blur] for room in (length, geometry.TURN - length))
        return np.concatenate([knots, length + knots, inwards, length - inwards, -outwards, length + outwards])


class Wave(NamedTuple):
    """The window (1 + cos θ)/2 of the distance θ from its begin."""

    middle: float = 0.0
    blur: float = geometry.TURN

    def weight(self, away: Array) -> Array:
        return np.asarray(0.5 + 0.5 * np.cos(away))

    def borders(self, scale: float, finest: float) -> Array:
        count = int(np.clip(geometry.TURN / scale, 24, 64))
        return np.asarray(np.arange(count) * (geometry.TURN / count))


class CircleWindow:
    """Noise around a window at several places: whole parts, plus a part of a part, ``offset``."""

    blocks: tuple[float, ...] = CircleNoise.blocks

    def __init__(self, noise: CircleNoise, shape: Arc | Wave, offset: float, places: Integers) -> None:
        parts, unit = noise.parts, geometry.TURN / noise.parts
        self._noise, self._places = noise, places
        self.factors = ([1.0], [1.0]) if shape.blur else ([1.25, 5.0], [1.25, 5.0])  # the second: few people at an edge
        self.has_sharp_tails = parts <= _SHARP_PARTS and (noise.slack is None or noise.slack < 0.5)
        if isinstance(shape, Arc) and not shape.blur:
            at, length = np.arange(parts) - offset + np.array([[0], [parts]]), shape.length / unit
            inside = (at > -NEAR) & (at + 1.0 < length + NEAR)
            touched = (at + 1.0 > NEAR) & (at < length - NEAR)
            self.lowest, self.highest = (of.any(axis=0).astype(float) for of in (inside, touched))
        else:
            begin = np.mod(np.arange(parts) - offset - shape.middle / unit + parts / 2.0, parts) - parts / 2.0
            far = np.minimum(np.maximum(-begin, begin + 1.0), parts / 2.0)
            near = np.maximum(np.maximum(begin, -begin - 1.0), 0.0)
            if noise.slack is None:
                far = near = np.abs(begin + 0.5)
            self.lowest, self.highest = shape.weight(far * unit), shape.weight(near * unit)
        edges = shape.borders(noise.scale * unit, unit) / unit + offset
        borders = np.unique(np.rint(edges / noise.grain).astype(np.intp) * noise.grain % parts)
        self.classes = (np.searchsorted(borders, np.arange(parts), side="right") - 1) % len(borders)
        widths = np.diff(np.append(borders, borders[0] + parts))
        starts = (borders - np.arange(parts)[:, None]) % parts
        self.chances = np.maximum(noise.below[starts + widths] - noise.below[starts], 0.0)
        if noise.slack is not None:
            self._moves = noise.slack * noise.arcs[(borders - np.arange(parts)[:, None] - 1) % parts] + ERROR
        # inputs by which bets are chosen: evenly around the circle, 4 to a scale; at the ends of the window 8
        away = np.arange(-2.0, 2.0, 0.125) * noise.scale
        ends = offset + np.array([0.0, 2.0 * shape.middle / unit])
        count = int(np.clip(4.0 * parts / noise.scale, 96, 288))
        rows = [borders, borders - 1, np.arange(count) * parts // count, ends, ends - 1, np.ravel(ends[:, None] + away)]
        self._rows = np.unique(np.floor(np.concatenate(rows)).astype(np.intp) % parts)
        self.rows, self.even = self.chances[self._rows], self.chances.mean(axis=0)

    def at_rows(self, weights: Array) -> Array:
        if self._noise.slack is not None:
            weights = np.maximum(weights, np.roll(weights, 1))
        return np.asarray(weights[self._rows])

    def most(self, bets: Array, reports: int, growth: Array) -> Array:
        means, steps, largest = bets @ self.chances.T, None, 1.0
        if self._noise.slack is not None:
            before = np.roll(bets, 1, axis=1)
            steps = (bets + before if reports else np.abs(bets - before)) @ self._moves.T

        def bounds(means: Array) -> Array:
            if steps is not None:
                means = np.maximum(means, np.roll(means, -1, axis=1)) + largest * steps
            return np.asarray(means + largest * ERROR * bets.max(axis=1, keepdims=True))

        if not reports:
            return bounds(means)
        largest, every = betting_intervals.largest_factor(reports), np.arange(len(bets))

        def paid(wanted: Mask) -> Array:
            """Bounds with the factors of the tail where they are wanted, and elsewhere with the largest."""
            if steps is not None:
                wanted = wanted | np.roll(wanted, 1, axis=1)
            factors = np.full(means.shape, largest)
            for row, of in enumerate(wanted):
                factors[row, of] = betting_intervals.tail_factors(self.chances[of], bets[row : row + 1], reports)
            return bounds(means * factors)

        # one that is reached with the factor of its tail rules out all that are below it with the largest
        highest = bounds(largest * means) * growth
        first = highest.argmax(axis=1)
        reached = (paid(first[:, None] == np.arange(means.shape[1])) * growth)[every, first]
        return paid(highest * (1.0 + 1e-8) >= reached[:, None])

    def counted(self, angles: Array, weights: Array) -> Array:
        parts = self._noise.parts
        turns = np.mod(angles / geometry.TURN, 1.0)
        counts = np.bincount(np.minimum((turns * parts).astype(np.intp), parts - 1), weights, parts)
        of, numbers = self.classes, len(self.even)
        return np.stack([np.bincount(of, np.roll(counts, -place), numbers) for place in self._places]).astype(float)


def windows(
    noises: Sequence[CircleNoise], starts: Array, shape: Arc | Wave
) -> Iterator[tuple[Integers, list[CircleWindow]]]:
    """Windows of each release that begin at angles in radians, and the numbers of the angles that they are at.

    Angles share windows if they begin at the same part of a grain, so that one is the other after a turn.
    """
    grains = np.array([noise.grain for noise in noises])
    at = np.outer(starts, [noise.parts / geometry.TURN for noise in noises])
    whole = np.floor(at / grains + NEAR) * grains
    offsets, of = np.unique(np.round(np.maximum(at - whole, 0.0), 9), axis=0, return_inverse=True)
    for number, offset in enumerate(offsets):
        chosen = np.flatnonzero(of.ravel() == number)
        places = whole[chosen].astype(np.intp).T
        of_each = zip(noises, offset.tolist(), places, strict=True)
        yield chosen, [CircleWindow(noise, shape, begin, at) for noise, begin, at in of_each]


def window_ends(
    reports: Sequence[DividedReports], starts: Array, shape: Arc | Wave, errors: Sequence[float], others: int = 0
) -> tuple[Array, Array]:
    """Intervals (errors × starts) of the mean weights of people in windows that begin at these angles.

    With ``others``, of that of the first releases less that of the people of this many last ones.
    """
    low, high = np.empty((2, len(errors), len(starts)))
    for chosen, around in windows([of.noise for of in reports], starts, shape):
        counted = [(window, of.around(window)) for window, of in zip(around, reports, strict=True)]
        low[:, chosen], high[:, chosen] = betting_intervals.ends(counted, errors, others)
    return low, high


def one_window(noises: Sequence[CircleNoise], shape: Arc | Wave) -> list[CircleWindow]:
    """Windows of each release that begin at the angle 0."""
    ((_, around),) = windows(noises, np.zeros(1), shape)
    return around


def circle_noise(distribution: Any) -> CircleNoise:
    """Of a distribution on the circle."""
    check_distribution(distribution, "a distribution on the circle", CIRCLE, "angle_sf")
    if isinstance(distribution, CircleCellNoise):
        return CircleNoise(distribution.probabilities, None)
    if not is_symmetric(distribution):
        rule = "must be symmetric about its mode for intervals that hold for every day"
        raise InvalidArgument("distribution", rule, got=distribution, hint=OTHER_DISTRIBUTION)
    level = np.inf if lacking(distribution, "metric_level") else float(distribution.metric_level())
    wanted = max(4.0, 100.0 * level / 1440.0) if level < np.inf else 8.0
    parts = 1440 * math.ceil(min(wanted, 16.0))  # in minutes of a day
    turned = min(level * geometry.TURN / parts, 2.0)
    slack = min(0.5, turned * math.exp(turned) / 8.0)
    half = -np.diff(np.asarray(distribution.angle_sf(np.linspace(0.0, np.pi, parts // 2 + 1)), dtype=float)) / 2.0
    return CircleNoise(np.maximum(np.concatenate([half, half[::-1]]), 0.0), slack)
