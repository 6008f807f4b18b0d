"""Bounds of composition and shuffling for a distribution of one's own, from its log-density.

The distribution's ``logpdf(y, x)`` is a function f of the distance alone. Its ``metric_level`` L bounds |f'|, so f is
within η = L h/2 of its straight interpolation g between points h apart. With g for f all bounds hold when

* probabilities are multiplied by exp(2η) and losses raised by 4η: both distributions change by a factor from exp(-2η)
  to exp(2η), with their totals;
* the loss in a cell of outputs is that in its middle, raised by L times the distances by which the cell
  reaches farther from both inputs;
* what lies beyond the last point, 1 - exp(-η) ∫ exp(g) at most, is counted with the largest loss.

A density that falls faster than ``metric_level``, or by more than ``pure_level``, is refused.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array
from dirpriv.distributions.rotations.base import UNIFORM
from dirpriv.distributions.shared import loss_distribution
from dirpriv.distributions.shared.spherical import on_sphere
from dirpriv.geometry.spaces import ROTATIONS, Euclidean, Sphere

_POINTS = 2**18
_QUADRATURE = 1e-6  # of the probability in the table
_LINE, _CELLS = 2**17, (2000, 800)  # cells of outputs: on a circle or a line, and by distance and bearing
_LIKE = 1e-6  # by which a function of the distance may differ around other inputs, by rounding
_NO_FUNCTION = "depends on more than the distance of the output from the input"


class _Table:
    """A density by its distance from the input, straight between points: what the bounds ask of a distribution."""

    def __init__(self, distribution: Any, space: "_Outputs", r: Array, log_density: Array, off: float) -> None:
        self.off, self.bounded = off, space.uniform is not None
        self._space, self._uniform, self._distribution = space, space.uniform, distribution
        self._slope = float(distribution.metric_level())
        self._r, self._f = r, np.minimum.accumulate(log_density)
        with np.errstate(divide="ignore"):
            height = self._f + (space.coordinates - 1.0) * np.log(space.arc(r)) if space.coordinates > 1 else self._f
        top = float(height.max())
        self._density = np.exp(height - top)
        panels = 0.5 * (self._density[1:] + self._density[:-1]) * np.diff(r)
        self.total = float(panels.sum() * np.exp(top + on_sphere(space.coordinates + 1)._log_area))
        self._density /= panels.sum()
        panels /= panels.sum()
        self._below = np.minimum(np.concatenate([[0.0], np.cumsum(panels)]), 1.0)
        self._above = np.minimum(np.concatenate([np.cumsum(panels[::-1])[::-1], [0.0]]), 1.0)
        self.beyond = 0.0 if self.bounded else max(1.0 - self.total * np.exp(-off), 0.0) + _QUADRATURE

    def __repr__(self) -> str:
        return repr(self._distribution)

    def pure_level(self) -> float:
        return float(self._distribution.pure_level())

    def _log_kernel(self, r: Any) -> Any:
        return np.interp(r, self._r, self._f) - self._f[0]

    def angle_pdf(self, r: Any) -> Any:
        return np.interp(r, self._r, self._density)

    def angle_logpdf(self, r: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(self.angle_pdf(r))

    def angle_cdf(self, r: Any) -> Any:
        return np.interp(r, self._r, self._below)

    def angle_sf(self, r: Any) -> Any:
        return np.interp(r, self._r, self._above)

    def largest_loss(self, distance: float) -> float:
        """Of two inputs at the distance, for a density that falls: straight away from the one of the two."""
        end = self._r[-1] if self.bounded else np.inf
        return float((self._f - np.interp(np.minimum(self._r + distance, end), self._r, self._f)).max())

    def cells(self, distance: float) -> tuple[Array, Array]:
        space = self._space
        edges = _edges(self._r, self._density, _LINE if space.coordinates == 1 else _CELLS[0])
        below = self.angle_cdf(edges)
        shares = np.where(below[1:] < 0.5, np.diff(below), -np.diff(self.angle_sf(edges)))
        r, half = 0.5 * (edges[1:] + edges[:-1])[:, None], 0.5 * np.diff(edges)[:, None]
        if space.coordinates == 1:  # the other input lies straight ahead or straight behind
            psi, width, part = np.array([0.0, np.pi]), np.zeros(2), np.array([0.5, 0.5])
        else:
            bearings = on_sphere(space.coordinates)
            psi = np.linspace(0.0, np.pi, 4097)
            psi = _edges(psi, np.asarray(bearings.angle_pdf(psi)), _CELLS[1])
            part, width = np.diff(bearings.angle_cdf(psi)), np.diff(psi)
            psi = 0.5 * (psi[1:] + psi[:-1])
        away = space.away(r, psi, distance)
        beyond = np.maximum(away - self._r[-1], 0.0)  # the table, in space
        # both distances change by up to half a cell outwards, and the second one by an arc beside
        reach = 2.0 * half + (space.arc(r) + half) * 0.5 * width
        losses = self._log_kernel(r) - self._log_kernel(away) + self._slope * (reach + beyond)
        return (shares[:, None] * part).ravel(), losses.ravel()


def _edges(points: Array, density: Array, count: int) -> Array:
    """Ends of cells whose mean width is least: it is proportional to 1/√density."""
    roots = np.sqrt(density)
    sums = np.concatenate([[0.0], np.cumsum(0.5 * (roots[1:] + roots[:-1]) * np.diff(points))])
    places = np.linspace(0.0, sums[-1], count + 1)
    return np.unique(np.concatenate([points[[0, -1]], np.interp(places, sums, points)]))


class _Outputs(NamedTuple):
    """What the bounds need to know of the outputs in a space."""

    coordinates: int
    away: Any
    arc: Callable[[Any], Any]
    """Largest change of a distance for each radian of the bearing, at a distance r."""
    uniform: Any  # the uniform distribution, None in space
    pairs: Callable[[Array, int], tuple[Any, Any]]
    """Outputs at these distances from one input, and the input; each integer stands for another input."""


def _outputs_of(distribution: Any) -> _Outputs | str:
    if distribution.logpdf is None:
        return "is not known, as it has no method logpdf(y, x)"
    if distribution.space == ROTATIONS:
        return _rotations()
    if not isinstance(distribution.space, Sphere | Euclidean) or distribution.space.dimension > 10_000:
        return f"is over {distribution.space!r}, where densities are not known here"
    dim = distribution.space.dimension

    def turned(vectors: Array, place: int) -> Array:
        if not place:
            return vectors
        if dim == 1:
            return -vectors
        basis = np.linalg.qr(np.random.default_rng(place).standard_normal((dim, dim)))[0]
        return np.asarray(vectors @ basis.T)

    def pairs(r: Array, place: int) -> tuple[Array, Array]:
        y = np.zeros((len(r), dim))
        if isinstance(distribution.space, Euclidean):
            y[:, 0], shift = r, 3.0 * place * np.ones(dim)
            return turned(y, place) + shift, shift
        y[:, 0], y[:, 1] = np.cos(r), np.sin(r)
        return turned(y, place), turned(np.eye(1, dim), place)[0]

    if isinstance(distribution.space, Euclidean):
        return _Outputs(dim, loss_distribution.away_in_space, lambda r: r, None, pairs)
    return _Outputs(dim - 1, loss_distribution.away_on_sphere, np.sin, on_sphere(dim), pairs)


def _rotations() -> _Outputs:
    from scipy.spatial.transform import Rotation

    def turns(r: Array, place: int) -> tuple[Any, Any]:
        y, x = Rotation.from_rotvec(np.outer(r, [1.0, 0.0, 0.0])), Rotation.identity()
        if place:
            before, after = Rotation.random(2, random_state=place)
            y, x = before * y * after, before * after
        return y, x

    return _Outputs(3, loss_distribution.away_of_rotations, lambda r: 2.0 * np.sin(0.5 * r), UNIFORM, turns)


def log_kernel(distribution: Any) -> Callable[[Array], Array] | str:
    """The log-density of a distribution on the circle by the distance from the input, or why it is not known."""
    space = _outputs_of(distribution)
    if isinstance(space, str):
        return space
    tried = np.linspace(0.0, np.pi, 65)
    if _unlike(distribution, space, tried, _densities(distribution, space, tried, 0)) > _LIKE:
        return _NO_FUNCTION
    return lambda r: _densities(distribution, space, r, 0)


def table_of(distribution: Any) -> _Table | str:
    """The density of a distribution in a table, or why there is none."""
    space, level = _outputs_of(distribution), float(distribution.metric_level())
    if isinstance(space, str):
        return space
    if not 0.0 < level < np.inf:
        return "has no positive finite slope (metric_level)"
    farthest = np.pi if space.uniform is not None else (space.coordinates + 40.0) / level
    for _ in range(6):
        r = np.linspace(0.0, farthest, _POINTS + 1)
        f = _densities(distribution, space, r, 0)
        if not np.isfinite(f).all():
            return "is 0 or not finite at some distance"
        unlike = _unlike(distribution, space, r[:: _POINTS // 64], f[:: _POINTS // 64])
        if unlike > _LIKE:
            return _NO_FUNCTION
        off = 0.5 * level * float(r[1]) + unlike * (1.0 + float(np.abs(f).max())) + 1e-9
        room, pure = 1e-9 * (1.0 + float(np.abs(f).max())), float(distribution.pure_level())
        if np.abs(np.diff(f)).max() > level * float(r[1]) * (1.0 + 1e-9) + room:
            raise contradiction(distribution, f"changes faster with the distance than its metric_level() {level!r}")
        if f.max() - f.min() > pure * (1.0 + 1e-9) + room:
            raise contradiction(distribution, f"varies by more than its pure_level() {pure!r}")
        if (np.diff(f) > 1e-12 * (1.0 + np.abs(f[1:]))).any():
            return "does not fall with the distance of the output from the input"
        table = _Table(distribution, space, r, f, off)
        if table.beyond <= 1e-4 + 2.0 * off:
            break
        farthest *= 4.0
    else:
        return "has too much of its probability far away"
    error = float(np.log(table.total))
    most, least = (1e-3, -1e-3) if table.bounded else (off + _QUADRATURE, -off - table.beyond - _QUADRATURE)
    if distribution.space != ROTATIONS and not least <= error <= most:  # of rotations, densities may have any constant
        rule = f"the density of {distribution!r} has the integral {table.total:.6g} over all outputs, and not 1"
        raise InvalidArgument(rule, hint="'logpdf' must be the log-density in radians or units of length")
    return table


def _densities(distribution: Any, space: _Outputs, r: Array, place: int) -> Array:
    blocks = np.array_split(r, -(-len(r) // 2**14))  # for which the density is asked at once
    values = [np.asarray(distribution.logpdf(*space.pairs(block, place)), float) for block in blocks]
    for each, block in zip(values, blocks, strict=True):
        if each.shape != block.shape:
            kind, hint = type(distribution.own).__name__, "outputs and input are unit vectors, points or rotations"
            rule = f"of a {kind} must give one number for each of {len(block)} outputs"
            rule = f"{rule}; got the shape {each.shape}"
            raise InvalidArgument("logpdf", rule, hint=f"{hint}, see dirpriv.distributions.Distribution")
    return np.concatenate(values)


def _unlike(distribution: Any, space: _Outputs, r: Array, f: Array) -> float:
    """By how much the density around three more inputs differs, relative to 1 + |f|; 0 of a function of r."""
    others = np.array([_densities(distribution, space, r, place) for place in (1, 2, 3)])
    with np.errstate(invalid="ignore"):
        off = np.where(others == f, 0.0, np.abs(others - f) / (1.0 + np.abs(f)))
    return float(np.nan_to_num(off, nan=np.inf).max())


def contradiction(distribution: Any, what: str) -> InvalidArgument:
    return InvalidArgument(f"the log-density of {distribution!r} {what}", hint="one of the two is wrong")
