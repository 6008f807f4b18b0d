"""Places where people may be, and the noise from each of them to classes of reports: for hours of places."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import sparse

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import NODES, integral
from dirpriv._lib.types import Array, Integers
from dirpriv.distributions.user.adapter import space_of
from dirpriv.estimators import place_densities, plane_density
from dirpriv.estimators.place_intervals import spline
from dirpriv.geometry.spaces import Product

MOST_PLACES = 1024
MARGIN = 4.0  # mean noises by which districts reach beyond the square that is asked for
_FAR = 6.0  # mean noises beyond which a venue has no reports
_SQUARES = 64, 256  # of reports along a side, at most: dense, and sparse


class PlaceSupport(NamedTuple):
    """Cells where people may be, with transitions from them to classes of reports, and places of them.

    ``spectrum`` gives the matrices (cells × classes), dense or sparse, of noise of time and place together for each
    wave around this many cells of the time; else the one of the place. ``parts`` are pairs of the class of each report,
    of which the last is beyond, and how much of it counts there.
    """

    places: Any
    side: float  # of a district, or of a square around a venue; else 0
    asked: Any
    spectrum: Callable[[int], list[Any]]
    parts: list[tuple[Integers, Array]]
    members: Any  # weight of each cell (rows) in each place
    soft: Any  # the same through the blur

    def counts(self, times: Integers, classes: int, weights: Array) -> Array:
        """Reports in each class of time (rows) and of place."""
        width = self.spectrum(1)[0].shape[1] + 1
        sums = [np.bincount(times * width + of, weights * share, classes * width) for of, share in self.parts]
        return np.sum(sums, axis=0).reshape(classes, width)[:, :-1]


def district_support(positions: Array, noise: Any, reach: float, districts: int, region: Any) -> PlaceSupport:
    """Districts of the square within ``reach`` of the origin, and of the same side beyond it."""
    side, mean = 2.0 * reach / districts, mean_noise(noise)
    beyond = math.ceil(MARGIN * mean / side)
    count = districts + 2 * beyond
    if count**2 > MOST_PLACES:
        rule = f"with those within 4 mean noises must be at most {MOST_PLACES} in all; got {count}²"
        raise InvalidArgument("districts", rule, hint="ask for fewer districts, or for larger ones")
    size = cell_size(noise)
    most = math.isqrt(MOST_PLACES) // count
    finer = min(max(round(side / max(mean, size)), 1), most)  # people in a cell are taken to be even
    cells, half = count * finer, 0.5 * count * side
    to_a_cell = max(1, min(math.ceil(2.0 * side / mean / finer), _SQUARES[0] // cells))
    to_a_cell = min(to_a_cell, max(1, int(side / finer / size))) if size else to_a_cell
    lows = _products(np.arange(cells) * float(to_a_cell))
    spectrum, parts = _on_squares(positions, noise, lows, to_a_cell, half, cells * to_a_cell)
    middles = (np.arange(count) + 0.5) * side - half
    inside = ((np.arange(cells)[:, None] + NODES) * (side / finer) - half)[:, :, None] - middles
    members, soft = np.repeat(np.eye(count), finer, axis=0), integral(spline(inside / side).swapaxes(1, 2))
    at = _products(middles)
    asked = (np.abs(at) < reach).all(axis=1)
    if region is not None:
        east, north, radius = validate.reals("region", region)
        asked &= np.hypot(*(np.abs(at - [east, north]) + side / 2.0).T) < radius - size
    of_cells = [np.kron(of, of) for of in (members, soft)]
    return PlaceSupport(at, side, asked, spectrum, parts, *of_cells)


def venue_support(positions: Array, noise: Any, venues: Any, side: float) -> PlaceSupport:
    """The venues of a list, to half a square of reports: these are half a mean noise wide, or wider.

    With a side, not 0, a venue is seen through a soft square around it.
    """
    at, mean = validate.reals("venues", venues), mean_noise(noise)
    if at.ndim != 2 or at.shape[1] != 2 or not at.size or not np.isfinite(at).all():
        raise InvalidArgument("venues", f"must be finite, of the shape (n, 2); got shape {at.shape}")
    _check_number(len(at))
    middle, half = (at.min(axis=0) + at.max(axis=0)) / 2.0, np.ptp(at, axis=0).max() / 2.0 + _FAR * mean
    squares = math.floor(min(2.0 * half / max(0.5 * mean, cell_size(noise)), _SQUARES[1]))
    lows = (at - middle + half) * (squares / half / 2.0) - 0.5
    support = _listed(at, *_on_squares(positions - middle, noise, lows, 1, half, squares))
    return support._replace(side=side, soft=spline((at[:, None] - at) / side).prod(axis=-1)) if side else support


def _on_squares(
    positions: Array, noise: Any, lows: Array, width: int, half: float, squares: int
) -> tuple[Callable[[int], list[Any]], Any]:
    """Transitions from boxes that begin at ``lows`` and are some squares wide, and the squares that hold reports."""
    side = 2.0 * half / squares
    reach = min(math.ceil(_FAR * mean_noise(noise) / side), squares)
    steps = np.arange(2 * reach + 1 + width)
    begins = np.floor(lows)
    overlaps = np.full((2, len(lows), width + 1), 1.0 / width)
    overlaps[..., 0], overlaps[..., -1] = (1.0 - lows + begins).T / width, (lows - begins).T / width
    east, north = ((begins.astype(np.intp) - reach)[:, axis, None] + steps for axis in (0, 1))
    inside = ((east >= 0) & (east < squares))[:, :, None] & ((north >= 0) & (north < squares))[:, None, :]
    rows, columns = np.nonzero(inside)[0], (east[:, :, None] * squares + north[:, None, :])[inside]

    def matrix(moves: Array) -> Any:
        moves = plane_density.cropped(moves, reach)
        moves = np.pad(moves, reach - len(moves) // 2 + width)
        moved = sliding_window_view(moves, (steps.size, steps.size))[::-1, ::-1]
        values = np.einsum("ia,ib,abxy->ixy", *overlaps, moved, optimize=True)
        table = sparse.csr_array((values[inside], (rows, columns)), shape=(len(lows), squares**2))
        return table.toarray() if squares <= _SQUARES[0] else table

    alone = [] if is_joint(noise) else [matrix(place_densities.square_moves(noise, side, reach))]

    @functools.cache
    def spectrum(times: int) -> list[Any]:
        if alone:
            return alone
        waves = np.fft.rfft(noise.transitions(max(times, 2), side, reach), axis=0).real
        return [matrix(of) for of in waves[: times // 2 + 1]]

    return spectrum, list(place_densities.in_squares(positions, half, squares, size=cell_size(noise)))


def is_joint(noise: Any) -> bool:
    """Whether a noise is that of the time and the place together."""
    return isinstance(space_of(noise), Product)


def cell_size(noise: Any) -> float:
    return float(noise.cell_size) if is_joint(noise) else place_densities.checked_cell_size(noise)


def _products(axis: Any) -> Array:
    """All pairs of numbers, by the first one and then the second."""
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)


def item_support(positions: Any, noise: Any) -> PlaceSupport:
    """The items of a list, by the table of their release."""
    transitions = noise.transitions()
    _check_number(count := len(transitions))
    items = validate.numbers_of("positions", positions, 0, count - 1, "is no item", "give their numbers").ravel()
    return _listed(np.arange(count), lambda _: [transitions], [(items, np.ones(items.size))])


def soft_bins(at: Any, cells: int, bins: int) -> Array:
    """Weight in each soft bin (rows) of places around the circle, in cells."""
    away = at * (bins / cells) - (np.arange(bins)[:, None] + 0.5)
    return spline(np.mod(away + bins / 2.0, bins) - bins / 2.0)


def _listed(places: Any, spectrum: Any, parts: list[tuple[Integers, Array]]) -> PlaceSupport:
    every = np.eye(len(places))
    return PlaceSupport(places, 0.0, np.ones(len(places), dtype=bool), spectrum, parts, every, every)


def _check_number(count: int) -> None:
    if count > MOST_PLACES:
        hint = "join those that are near each other, or ask for districts"
        raise InvalidArgument("venues", f"must be at most {MOST_PLACES}; got {count}", hint=hint)


def mean_noise(noise: Any) -> float:
    return float(noise.mean_radius() if is_joint(noise) else integral(noise.radius_ppf(NODES)))
