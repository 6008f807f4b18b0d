"""Noise in the plane, bounded from every input: for the bets of :mod:`dirpriv.estimators.betting_intervals`."""

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Integers
from dirpriv.distributions.planar_laplace import PlanarLaplace, quadrant_of
from dirpriv.distributions.shared.base import CellNoise
from dirpriv.estimators.betting_intervals import WindowedNoise
from dirpriv.estimators.circle_noise_bounds import ERROR, NEAR, OTHER_DISTRIBUTION

_SPACING, _SLOWLY = 0.1, 3.0  # of points near an edge, and over which way from it they get sparser, in 1/κ


class Extent(NamedTuple):
    """Inputs along an axis as whole numbers, from a first to a last: cells of a release, or borders."""

    unit: float  # length
    cells: int  # 1 of a release, else 0
    outer: tuple[int, int]  # cells that lie in part in some district
    inner: tuple[int, int]  # cells that lie in every one
    starts: Array  # of these numbers, for each district along an axis, in units


class DistrictNoise(WindowedNoise):
    """Noise from inputs around a district to classes of reports: products of intervals along both axes.

    ``quadrant`` has the probabilities of moves by 0 to some units along both axes, moves by 0 cells by half;
    ``level`` bounds their relative change per unit, ``error`` the total variation by which they are off, and
    ``half`` is half the side of the map in units. What a bet pays in the mean is known at products of some
    points along the axes, and bounded between them: see docs/mathematics.md, “Districts of a map”.
    """

    lowest, highest = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])  # outside, on the border, inside
    factors = [1.0, 4.0], [1.0, 0.25]  # the second: few people inside, or many
    blocks: tuple[float, ...] = (1 / 8, 1 / 4, 1 / 2)

    def __init__(
        self, quadrant: Callable[[Integers], Array], level: float, error: float, extent: Extent, half: float
    ) -> None:
        scale, (low, high), cells = 1.0 / level, extent.outer, extent.cells
        away = np.array([-2.0, -0.7, 0.0, *[0.7] * (0.7 * scale < 0.4 * (high - low))]) * scale
        self._extent, self._error = extent, error
        self._edges = np.unique(np.rint(np.concatenate([low + away, high + cells - away])))
        inner = extent.inner if extent.inner[0] <= extent.inner[1] else extent.outer
        firsts, lasts = np.transpose([extent.outer, inner])
        ends = np.concatenate([firsts - cells, firsts, lasts, lasts + cells])
        points = _points(np.unique([*(self._edges - cells), *self._edges, *ends]), scale)
        at = np.concatenate([[-np.inf], points, [np.inf]])
        moves = self._edges - cells - at[:, None]
        self._chances = _chances(quadrant, moves, cells, math.ceil(45.0 * scale))
        across = _pieces(extent, at[:-1], at[1:]) < 0
        alone = np.flatnonzero(across[1:] & across[:-1]) + 1  # points between two borders
        self._begin = np.concatenate([np.flatnonzero(~across), alone])
        self._end = np.concatenate([np.flatnonzero(~across) + 1, alone])
        first, last = at[self._begin], at[self._end]
        self._piece = _pieces(extent, first, last)
        length = np.where(self._begin == self._end, 0.0, last - first)
        turned = np.minimum(level * length, 2.0)
        self._slack = np.where(length <= cells, 0.0, np.minimum(0.5, turned * np.exp(turned) / 8.0))
        self._growth = np.exp(np.where(level * length < 50.0, level * length, np.inf))
        rows = np.unique([*range(0, at.size, 7), at.size - 1, *np.searchsorted(at, ends)])
        touching = (self._begin == rows[:, None]) | (self._end == rows[:, None])
        along = np.stack([touching[:, self._piece == piece].any(axis=1) for piece in range(3)])
        pairs = np.zeros((3, rows.size, rows.size), dtype=bool)
        for one, other in np.ndindex(3, 3):
            pairs[min(one, other)] |= along[one][:, None] & along[other]
        near = level * np.abs(at[rows][:, None] - self._edges).min(axis=1)
        central = rows == rows[np.argmin(np.abs(at[rows] - (low + high) / 2.0))]
        always = np.isinf(near) | central
        kept = (near[:, None] + near <= 4.0) | always[:, None] | always
        self._touching = pairs[:, kept]
        self.rows = self._chances[(rows[:, None] * at.size + rows)[kept]]
        middles = np.concatenate([[-np.inf] * 2, (points[1:] + points[:-1]) / 2.0, [np.inf] * 2])
        shares = np.diff(np.clip(middles - (low + high) / 2.0, -half, half)) / (2.0 * half)
        self.even = np.asarray(np.outer(shares, shares).ravel() @ self._chances)

    def at_rows(self, weights: Array) -> Array:
        return np.asarray((weights[:, None] * self._touching).max(axis=0))

    def most(self, bets: Array, reports: int, growth: Array) -> Array:
        count = self._edges.size + 1
        grid = bets.reshape(-1, count, count)
        falls = [_steps_to_last(grid, axis) for axis in (1, 2)]
        size = math.isqrt(len(self._chances))
        means = (np.concatenate([bets, *falls]) @ self._chances.T).reshape(3, len(bets), size, size)
        top = np.maximum(means[0][:, self._begin], means[0][:, self._end])
        top = np.maximum(top[:, :, self._begin], top[:, :, self._end])
        top += self._margins(means[1]) + self._margins(means[2].swapaxes(1, 2)).swapaxes(1, 2)
        pieces = np.minimum(self._piece[:, None], self._piece)
        tops = [top[:, pieces == piece].max(axis=1, initial=0.0) for piece in range(3)]
        room = self._error * np.ptp(bets, axis=1) + ERROR * np.max([bets, *falls], axis=(0, 2))
        return np.stack(tops, axis=1) + room[:, None]

    def _margins(self, falls: Array) -> Array:
        """By how much means between two points of the first axis may exceed those at both."""
        falls = (falls[:, self._begin] - falls[:, self._end]) * self._slack[:, None]
        one, other = np.maximum(falls[:, :, self._begin], 0.0), np.maximum(falls[:, :, self._end], 0.0)
        near = np.minimum(one, other) * np.minimum(self._growth, 1e300)
        return np.asarray(np.where(np.isfinite(self._growth), np.minimum(near, one + other), one + other))

    def finest(self, positions: Array) -> Array:
        """Middles of the cells of a release; positions that are doubles are as they are."""
        unit = self._extent.unit
        return np.asarray((np.rint(positions / unit) * unit if self._extent.cells else positions) + 0.0)

    def counted(self, positions: Array, weights: Array) -> Array:
        """Numbers of reports in each class, for the districts along the first axis and then the second."""
        at, cells, count = positions / self._extent.unit, self._extent.cells, self._edges.size + 1
        at = np.rint(at) if cells else at
        east, north = (
            [np.searchsorted(self._edges, axis - start, side="right") for start in self._extent.starts] for axis in at.T
        )
        numbers = [np.bincount(one * count + other, weights, count**2) for one in east for other in north]
        return np.array(numbers, dtype=float)


def plane_noise(distribution: Any, reach: float, districts: int) -> DistrictNoise:
    """Of a release of places or of a planar Laplace distribution, for districts of a square within this reach."""
    edges = np.linspace(-reach, reach, districts + 1)
    side = 2.0 * reach / districts
    if isinstance(distribution, CellNoise):
        size, fall = distribution.cell_size, distribution.kappa * distribution.cell_size
        first = np.floor(edges[:-1] / size + 0.5 + NEAR)
        last = np.ceil(edges[1:] / size + 0.5 - NEAR) - 1.0 - first
        begin = np.ceil(edges[:-1] / size + 0.5 - NEAR) - first
        end = np.floor(edges[1:] / size - 0.5 + NEAR) - first
        outer, inner = (0, int(last.max())), (int(begin.max()), int(end.min()))
        extent, level = Extent(size, 1, outer, inner, first), math.expm1(fall * (1.0 + 1e-8))
        return DistrictNoise(distribution._quadrant, level, distribution._quadrant_error, extent, reach / size)
    if not isinstance(distribution, PlanarLaplace):
        rule = "must be PlanarLaplace or that of a release for intervals that hold wherever people are"
        raise InvalidArgument("distribution", rule, got=distribution, hint=OTHER_DISTRIBUTION)
    count = math.ceil(20 * distribution.kappa * side)  # 20 units in 1/κ
    extent = Extent(side / count, 0, (0, count), (0, count), edges[:-1] / (side / count))
    level = distribution.kappa * extent.unit
    return DistrictNoise(lambda moves: quadrant_of(level * moves), level, 0.0, extent, reach / extent.unit)


def _pieces(extent: Extent, first: Array, last: Array) -> Integers:
    """Where inputs from a first to a last lie: 0 outside, 1 on the border, 2 inside, -1 in several."""
    (low, high), (begin, end), cells = extent.outer, extent.inner, extent.cells
    outside = (last <= low - cells) | (first >= high + cells)
    within, inside = (first >= low) & (last <= high), (first >= begin) & (last <= end)
    apart = (last <= begin - cells) | (first >= end + cells) | (begin > end)
    return np.select([outside, inside, within & apart], [0, 2, 1], -1)


def _points(marks: Array, scale: float) -> Array:
    """Points at marks, between them and beyond, the sparser the farther away."""
    points = [marks]
    ends = np.concatenate([[-np.inf], marks, [np.inf]])
    for first, last in itertools.pairwise(ends):
        length = _SLOWLY * math.log1p(min((last - first) / scale / 2.0, 8.0) / _SLOWLY)
        steps = np.linspace(0.0, length / _SLOWLY, math.ceil(length / _SPACING) + 1)
        steps = scale * _SLOWLY * np.expm1(steps)
        points += [end for end in (first + steps, last - steps) if np.isfinite(end[0])]
    return np.unique(np.rint(np.concatenate(points)))


def _chances(quadrant: Callable[[Integers], Array], moves: Array, cells: int, deepest: int) -> Array:
    """Probabilities of the classes from each product of two points, by the largest moves to each edge."""
    sign = np.where(moves >= 0.0, 1.0, -1.0)
    sizes = np.minimum(np.where(moves >= 0.0, moves, -moves - cells), deepest).astype(np.intp)
    values, index = np.unique(np.append(sizes, deepest), return_inverse=True)
    masses, index = quadrant(values), index[:-1].reshape(sizes.shape)
    along = 2.0 * sign * masses[index, -1]
    one, other = np.s_[:, None, :, None], np.s_[None, :, None, :]
    below = np.zeros((len(moves), len(moves), moves.shape[1] + 2, moves.shape[1] + 2))
    below[:, :, 1:-1, 1:-1] = 0.25 + (along[one] + along[other]) / 2.0
    below[:, :, 1:-1, 1:-1] += sign[one] * sign[other] * masses[index[one], index[other]]
    below[:, :, 1:-1, -1], below[:, :, -1, 1:-1] = 0.5 + along[:, None], 0.5 + along
    below[:, :, -1, -1] = 1.0
    chances = np.diff(np.diff(below, axis=2), axis=3)
    return np.asarray(np.maximum(chances, 0.0).reshape(len(moves) ** 2, -1))


def _steps_to_last(grid: Array, axis: int) -> Array:
    """The sum of the absolute steps from each class to the last, along an axis."""
    steps = np.flip(np.abs(np.diff(grid, axis=axis, append=np.take(grid, [-1], axis))), axis)
    return np.asarray(np.flip(np.cumsum(steps, axis=axis), axis).reshape(len(grid), -1))
