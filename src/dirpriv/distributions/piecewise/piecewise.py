"""What the distributions share whose log kernel falls in straight pieces, with or without jumps between them.

On each piece it is that of an *exponential distribution* with its slope, whose angle density is log-concave. So the
masses of pieces are integrated from their highest points, in logarithms, and both tails keep 12 digits; draws
are by rejection from tangents of the log-density in cells: they lie above it, with areas in closed form.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import exprel

from dirpriv._inputs import validate
from dirpriv._lib.quadrature import NODES, integral
from dirpriv._lib.types import Array, FloatOrArray, Integers, Mask
from dirpriv.distributions.purkayastha import Purkayastha
from dirpriv.distributions.sampling.directions import draw_by_rejection, draw_in_blocks
from dirpriv.distributions.shared import loss_distribution
from dirpriv.distributions.shared.colatitude import Angle, ColatitudeDistribution, Weight
from dirpriv.distributions.shared.spherical import SphericalDistribution

_NEGLIGIBLE = 900.0  # nats below the heaviest piece: no double holds such a probability
_SMOOTH = 8.0, 20.0  # power of a sine, and fall in nats, that one panel integrates to the last digit
_PANELS = 4  # of a side of a piece: 1e-15 instead of 1e-13
_BLOCK = 16384  # pieces at a time
_NEAREST = 1e-6  # share of the way from an end of [0, π] to the top of a piece, below which there is one cell


class PiecewiseKernel(NamedTuple):
    """A log kernel in straight pieces, which meet at ``edges`` and reach from 0 to π."""

    edges: Array  # ascending, within (0, π); an edge belongs to the piece before it
    values: Array  # of the pieces at their lower ends
    slopes: Array  # how fast they fall, per radian

    @property
    def lows(self) -> Array:
        return np.concatenate([[0.0], self.edges])

    @property
    def highs(self) -> Array:
        return np.concatenate([self.edges, [np.pi]])

    def at(self, piece: Any, theta: FloatOrArray) -> FloatOrArray:
        """Its values at angles of these pieces."""
        return self.values[piece] - self.slopes[piece] * (theta - self.lows[piece])

    def jumps(self) -> Array:
        """By how much the log kernel falls at the edges, all at once."""
        return (self.values[:-1] - self.slopes[:-1] * np.diff(self.lows)) - self.values[1:]


class _Pieces(NamedTuple):
    """Pieces that have mass, and the integrals of the angle density over them."""

    first: int  # the number of the first of them
    low: Array
    high: Array
    slope: Array
    top: Angle  # where the angle density is highest within the piece
    height: Array  # log-density there, from that at the distribution's peak
    down: Array  # signed lengths from there on, over which it falls by 38 nats, or to the ends of the piece
    up: Array
    left: Array  # integral of exp(h - height) from the lower end to the top
    right: Array  # and from there to the upper end
    before: Array  # probability of an angle below the piece
    after: Array  # probability of an angle above it
    log_total: float  # logarithm of the integral of exp(h - h(peak)) over all pieces


class _Tangents(NamedTuple):
    """Cells of [0, π] with a line above the log-density in each: its tangent at a point of the cell."""

    shares: Array  # cumulated shares of the areas below exp(tangent), without the last, which is 1
    end: Array  # the end of the cell at which the tangent is higher
    scale: Array  # signed length over which exp(tangent) falls by a factor of e, towards the other end
    share: Array  # 1 - exp(-fall), with the fall of the tangent over the cell
    point: Angle  # where the tangent touches
    pull: Array  # slope of the log element there
    bend: Array  # half of the steepest bend of the log element in the cell
    accepted: float  # share of the proposals that are accepted


class PiecewiseDistribution(ColatitudeDistribution):
    """Base of these distributions: a subclass gives ``_pieces_of_kernel``, levels and ``_loss_at``."""

    _bend_scale: tuple[float, float]
    """c and d for which -(log w)'' is the square of the slope of c log tan(θ/d)."""
    _dimension: int
    """Number of coordinates of the space."""
    _not_fitted = "a {} has more than one parameter beside its mode, and is not fitted"

    @abstractmethod
    def _pieces_of_kernel(self) -> PiecewiseKernel:
        """The log kernel; its value at 0 is 0."""

    @abstractmethod
    def _exponential(self, slope: float) -> ColatitudeDistribution:
        """The distribution of the same space with the log kernel -slope·θ."""

    @abstractmethod
    def _alignment(self, theta: FloatOrArray) -> FloatOrArray:
        """ℓ(θ), whose mean is the factor of the mean of draws; its mean over the space is 0."""

    @cached_property
    def _kernel(self) -> PiecewiseKernel:
        return self._pieces_of_kernel()

    def _radial(self) -> loss_distribution.Radial:
        return super()._radial()._replace(kinks=self._kernel.edges)

    def _loss_distribution(self, distance: float, loss: float) -> tuple[Array, Array]:
        if not np.any(self._kernel.jumps() > 0.0):
            return super()._loss_distribution(distance, loss)
        if self._dimension == 1:
            return loss_distribution.step_losses(self, distance)
        return loss_distribution.randomised_response(loss)  # cells of outputs would not resolve the jumps

    def _piece(self, theta: FloatOrArray) -> Integers:
        return np.asarray(np.searchsorted(self._kernel.edges, theta, side="left"))

    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        return self._kernel.at(self._piece(theta), theta)

    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        return -self._kernel.slopes[self._piece(theta)]

    def _log_density_from_peak(self, theta: FloatOrArray) -> FloatOrArray:
        return self._height(self._piece(theta), theta)

    def _height(self, piece: Any, theta: FloatOrArray) -> FloatOrArray:
        """Log-density at angles of these pieces, from that at the peak."""
        peak = self._peak
        fall = self._kernel.at(piece, theta) - self._log_kernel(np.float64(peak.from_zero))
        return fall + self._log_element_change(peak, theta - peak.from_zero, theta)

    @cached_property
    def _tops(self) -> tuple[Angle, Array, int]:
        """The highest point of each piece, its rough log-density there, and the highest piece of all."""
        lows, highs, slopes = self._kernel.lows, self._kernel.highs, self._kernel.slopes
        from_zero, from_pi = np.empty_like(lows), np.empty_like(lows)
        for slope in np.unique(slopes):
            peak, those = self._exponential(float(slope))._peak, slopes == slope
            from_zero[those] = np.clip(peak.from_zero, lows[those], highs[those])
            inside = from_zero[those] == peak.from_zero
            from_pi[those] = np.where(inside, peak.from_pi, Angle.at(from_zero[those]).from_pi)
        top = Angle(from_zero, from_pi)
        middle = Angle(np.float64(1.0), np.float64(np.pi - 1.0))
        height = self._kernel.values - slopes * (from_zero - lows)
        height = height + self._log_element_change(middle, from_zero - 1.0, from_zero)
        return top, height, int(np.argmax(height))

    def _peak_angle(self) -> Angle:
        top, _, highest = self._tops
        return top.part(highest)

    @cached_property
    def _pieces(self) -> _Pieces:
        top, rough, _ = self._tops
        lows, highs = self._kernel.lows, self._kernel.highs
        bound = rough + np.log(highs - lows)
        heavy = np.flatnonzero(bound > bound.max() - _NEGLIGIBLE)
        kept = slice(int(heavy[0]), int(heavy[-1]) + 1)
        low, high, slope, top = lows[kept], highs[kept], self._kernel.slopes[kept], top.part(kept)
        height = self._height(kept, top.from_zero)
        down = self._reach(slope, top, low - top.from_zero)
        up = self._reach(slope, top, high - top.from_zero)
        left, right = self._over(slope, top, down), self._over(slope, top, up)
        with np.errstate(divide="ignore"):
            log_mass = height + np.log(left + right)
        heaviest = log_mass.max()
        mass = np.exp(log_mass - heaviest)
        total = mass.sum()
        return _Pieces(
            kept.start, low, high, slope, top, height, down, up, left, right,
            before=np.concatenate([[0.0], np.cumsum(mass[:-1])]) / total,
            after=np.concatenate([np.cumsum(mass[:0:-1])[::-1], [0.0]]) / total,
            log_total=float(heaviest + np.log(total)),
        )  # fmt: skip

    def _reach(self, slopes: Array, at: Angle, room: Array) -> Array:
        """Signed lengths from T over which the angle density falls by 38 nats, or all the ``room``."""
        smooth = (self._bend_scale[0] ** 2 <= _SMOOTH[0]) & (slopes * np.abs(room) <= _SMOOTH[1])
        out = np.where(smooth, room, 0.0)
        for side in (-1, 1):
            for distribution, block in self._blocks(slopes, ~smooth & (side * room > 0.0)):
                support = distribution._support_length(at.part(block), side)
                out[block] = side * np.minimum(support, side * room[block])
        return out

    def _blocks(self, slopes: Array, wanted: Mask) -> Iterator[tuple[ColatitudeDistribution, Integers]]:
        """The wanted pieces in blocks of one slope, each with the distribution of that slope."""
        for slope in np.unique(slopes[wanted]):
            rows, distribution = np.flatnonzero(wanted & (slopes == slope)), self._exponential(float(slope))
            for block in np.array_split(rows, 1 + rows.size // _BLOCK):
                yield distribution, block

    def _averages(self, slopes: Array, at: Angle, length: Array, weight: Weight, panels: int) -> Array:
        """Averages of exp(h(T + u) - h(T)) weight(T + u), u from 0 to ``length``, on such pieces."""
        out = np.zeros(length.shape)
        for distribution, block in self._blocks(slopes, length != 0.0):
            start, panel = at.part((block, None)), length[block, None] / panels
            for k in reversed(range(panels)):
                shift = (k + NODES) * panel
                values = np.exp(distribution._log_density_change(start, shift))
                if weight is not None:
                    values = values * weight(start.from_zero + shift)
                out[block] += integral(values) / panels
        return out

    def _over(self, slopes: Array, at: Angle, length: Array, panels: int = _PANELS) -> Array:
        """∫ exp(h(T + u) - h(T)) |du|, u from 0 to ``length``, on pieces of these slopes."""
        return np.abs(length) * self._averages(slopes, at, length, None, panels)

    @property
    def _masses(self) -> tuple[float, ...]:
        """The integral of exp(h - h(peak)), in one part."""
        return (float(np.exp(self._pieces.log_total)),)

    def _cdf_and_sf(self, theta: FloatOrArray) -> tuple[Array, Array]:
        """Probabilities below and above: whole pieces, and a part of one from θ or from its top to θ."""
        pieces = self._pieces
        number = self._piece(theta) - pieces.first
        below, above = (number >= len(pieces.low)).astype(float), (number < 0).astype(float)
        inside = np.flatnonzero((number >= 0) & (number < len(pieces.low)))
        theta, number = theta[inside], number[inside]
        here, slope, top = Angle.at(theta), pieces.slope[number], pieces.top.part(number)
        at_top = np.exp(pieces.height[number] - pieces.log_total)
        at_theta = np.exp(self._log_density_from_peak(theta) - pieces.log_total)
        past = theta - top.from_zero
        offset = np.clip(past, pieces.down[number], pieces.up[number])
        to_theta = at_top * self._over(slope, top, offset, panels=1)
        end = np.where(past > 0.0, pieces.high[number], pieces.low[number])
        beyond = at_theta * self._over(slope, here, self._reach(slope, here, end - theta), panels=1)
        left, right = at_top * pieces.left[number], at_top * pieces.right[number]
        below[inside] = pieces.before[number] + np.where(past > 0.0, left + to_theta, beyond)
        above[inside] = pieces.after[number] + np.where(past > 0.0, beyond, to_theta + right)
        return below, above

    def _quantiles(self, u: Array, q: Array) -> Array:
        """Angles with the probabilities u below and q = 1 - u above; each is solved for in its piece."""
        pieces = self._pieces
        out = np.full(u.shape, np.nan)
        out[u == 0.0], out[q == 0.0] = 0.0, np.pi
        for rising in (True, False):
            rows = np.flatnonzero((u > 0.0) & (q > 0.0) & ((u <= q) == rising))
            wanted = (u if rising else q)[rows]
            if rising:
                number = np.searchsorted(pieces.before, wanted) - 1
            else:
                number = len(pieces.after) - np.searchsorted(pieces.after[::-1], wanted)
            number = np.clip(number, 0, len(pieces.low) - 1)
            low, high = pieces.low[number], pieces.high[number]
            for those in (low == 0.0, low > 0.0):
                if those.any():
                    out[rows[those]] = self._solve(wanted[those], rising, low[those], high[those])
        return out

    def expectation(self, function: Callable[[Array], Array]) -> float:
        # smooth between the edges of the kernel
        means, shares = self._means_of_pieces(function)
        return float((means * shares).sum())

    def _means_of_pieces(self, function: Callable[[Array], Array]) -> tuple[Array, Array]:
        """Expected values on the pieces, and the probabilities of these."""
        pieces = self._pieces
        shares = np.exp(pieces.height - pieces.log_total) * (pieces.left + pieces.right)
        whole = pieces.up - pieces.down  # lengths relative to it do not underflow where an angle is 1e-200
        down, up = (
            self._averages(pieces.slope, pieces.top, side, function, _PANELS) * np.abs(side / whole)
            for side in (pieces.down, pieces.up)
        )
        return (down + up) / (pieces.left / whole + pieces.right / whole), shares

    def _mean_of_piece(self, number: int, function: Callable[[Array], Array]) -> float:
        """Expected value of a positive function on one piece, however little mass it has."""
        pieces = self._pieces
        number -= pieces.first
        if not 0 <= number < len(pieces.low):  # less than exp(-900) of the mass: its end that is nearer to it
            kernel = self._kernel
            end = kernel.highs if number < 0 else kernel.lows
            return float(function(end[number + pieces.first]))
        return float(self._means_of_pieces(function)[0][number])

    def _mean_alignment(self) -> float:
        """E ℓ(θ), the factor of the mean of draws, by parts: d ℓ w is the slope of w sin θ in d dimensions.

        The terms are positive: E[-f' sin θ]/d, and at each edge its sine times the density lost there.
        """
        edges, _, slopes = self._kernel
        falling = 0.0
        if slopes.any():
            falling = self.expectation(lambda theta: -self._kernel_slope(theta) * np.sin(theta))
        log_density = self._log_density_from_peak(edges) - self._pieces.log_total  # on the lower sides
        lost = np.sin(edges) * np.exp(log_density) * -np.expm1(-self._kernel.jumps())
        return float((falling + lost.sum()) / self._dimension)

    @cached_property
    def _tangents(self) -> _Tangents:
        pieces = self._pieces
        low, high, point, number = self._cells()
        at = Angle.at(point)
        pull, _ = self._log_element_slope_and_bend(at)
        slope = pull - pieces.slope[number]
        height = self._height(number + pieces.first, point)
        width, end = high - low, np.where(slope > 0.0, high, low)
        drop = np.maximum(np.abs(slope) * width, 1e-100)  # instead of none
        log_area = height + slope * (end - point) + np.log(width * exprel(-drop))
        area = np.exp(log_area - log_area.max())
        with np.errstate(divide="ignore", invalid="ignore"):
            bends = [self._log_element_slope_and_bend(Angle.at(x))[1] for x in (low, high)]
        return _Tangents(
            shares=np.cumsum(area)[:-1] / area.sum(),
            end=end,
            scale=np.where(slope > 0.0, -1.0, 1.0) * width / drop,
            share=-np.expm1(-drop),
            point=at,
            pull=np.zeros_like(point) + pull,
            bend=np.zeros_like(point) + 0.5 * np.maximum(*bends),
            accepted=float(np.exp(pieces.log_total - log_area.max()) / area.sum()),
        )

    def _cells(self) -> tuple[Array, Array, Array, Integers]:
        """Ends of cells, a point of each, and the piece that it is in.

        Where the mass is, cells are even in z = c log tan(θ/d) and have their middle; others the nearer end.
        """
        pieces = self._pieces
        scale, divisor = self._bend_scale
        every = np.arange(len(pieces.low))
        if scale == 0.0:  # the element is flat, so that the log-density is straight on each piece
            return pieces.low, pieces.high, 0.5 * (pieces.low + pieces.high), every
        top = pieces.top  # z is infinite at 0, and on the sphere at π
        start = np.maximum(top.from_zero + pieces.down, _NEAREST * top.from_zero)
        stop = np.minimum(top.from_zero + pieces.up, np.pi - _NEAREST * top.from_pi)
        z_start, z_stop = (scale * np.log(np.tan(theta / divisor)) for theta in (start, stop))
        # in cells of a width of 1 the log-density bends by 1/8 at their ends
        counts = np.maximum(np.ceil(z_stop - z_start), 1.0).astype(np.intp)
        number = np.repeat(every, counts)
        step = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        z = z_start[number] + (z_stop - z_start)[number] * (step / counts[number])
        low = np.where(step == 0, start[number], divisor * np.arctan(np.exp(z / scale)))
        high = np.append(low[1:], 0.0)
        last = step == counts[number] - 1
        high[last] = stop
        low = np.concatenate([low, pieces.low, stop])
        high = np.concatenate([high, start, pieces.high])
        point = np.concatenate([0.5 * (low + high)[: number.size], start, stop])
        number = np.concatenate([number, every, every])
        wide = np.flatnonzero(high > low)
        order = wide[np.argsort(low[wide], kind="stable")]
        return low[order], high[order], point[order], number[order]

    def _draw_angles(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        """Rejection from the tangents, in blocks whose scratch arrays stay in the cache."""
        tangents, flat = self._tangents, self._bend_scale[0] == 0.0
        straight = not np.any(tangents.share > 1e-90)

        def propose(count: int, rows: Any) -> tuple[Array, Mask]:
            cell = np.searchsorted(tangents.shares, rng.random(count), side="right")
            moved = tangents.share[cell]
            moved *= rng.random(count)
            if not straight:
                np.log1p(np.negative(moved, out=moved), out=moved)
                np.negative(moved, out=moved)
            moved *= tangents.scale[cell]
            theta = tangents.end[cell]
            theta += moved
            if flat:
                return theta, np.ones(count, dtype=bool)
            away = theta - tangents.point.from_zero[cell]
            level = rng.random(count)
            with np.errstate(invalid="ignore"):
                accepted = level <= 1.0 - tangents.bend[cell] * away * away  # the log-density bends no more
            open_ = np.flatnonzero(~accepted)
            cell, away = cell[open_], away[open_]
            change = self._log_element_change(tangents.point.part(cell), away)
            with np.errstate(divide="ignore"):
                accepted[open_] = np.log(level[open_]) <= change - tangents.pull[cell] * away
            return theta, accepted

        out = draw_in_blocks(size, lambda count: draw_by_rejection(count, tangents.accepted, propose))
        return np.clip(out, 0.0, np.pi, out=out)


class PiecewiseSphericalDistribution(PiecewiseDistribution, SphericalDistribution):
    def __init__(self, dim: int, kappa: float) -> None:
        super().__init__(dim, validate.one_concentration(kappa))
        self._set(_bend_scale=(float(np.sqrt(self.dim - 2.0)), 2.0), _dimension=self.dim - 1)

    def _exponential(self, slope: float) -> ColatitudeDistribution:
        return Purkayastha(self.dim, slope)

    def _alignment(self, theta: FloatOrArray) -> FloatOrArray:
        return np.cos(theta)

    def _peak_sine_cosine(self) -> tuple[float, float]:
        from_zero, from_pi = self._peak
        return float(np.sin(min(from_zero, from_pi))), float(np.sin(0.5 * (from_pi - from_zero)))

    def mean_cosine(self) -> float:
        return min(self._mean_alignment(), 1.0)
