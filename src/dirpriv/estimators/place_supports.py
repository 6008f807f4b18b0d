"""Places where people may be, and the noise from each of them to classes of reports: for hours of places."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import NODES, integral
from dirpriv._lib.types import Array, Integers, Mask
from dirpriv.distributions.shared.base import CellNoise
from dirpriv.distributions.user.adapter import lacking, space_of
from dirpriv.estimators import place_densities, plane_density
from dirpriv.geometry.spaces import PLANE, FiniteSet

MOST_PLACES = 1024
_MARGIN = 4.0  # mean noises by which districts reach beyond the square that is asked for
_FAR = 6.0  # mean noises beyond which a venue has no reports
_SQUARES = 64, 256  # of reports along a side, at most: dense, and sparse


class PlaceSupport(NamedTuple):
    """Cells where people may be, with one matrix of transitions from them to classes of reports, and places of them.

    ``parts`` are pairs of the class of each report and how much of it counts there; class -1 is that of no cell.
    """

    places: Any
    side: float  # of a district, else 0
    asked: Mask
    transitions: Any  # (cells × classes), dense or sparse
    parts: list[tuple[Integers, Array]]
    members: Any  # weight of each cell (rows) in each place
    soft: Any  # the same through the blur

    def counts(self, times: Integers, classes: int, weights: Array) -> Array:
        """Reports in each class of time (rows) and of place."""
        many = self.transitions.shape[1]
        counts = np.zeros(classes * many)
        for place, share in self.parts:
            inside = place >= 0
            flat = times[inside] * many + place[inside]
            counts += np.bincount(flat, (weights * share)[inside], counts.size)
        return counts.reshape(classes, many)


def district_support(positions: Array, noise: Any, reach: float, districts: int, region: Any) -> PlaceSupport:
    """Districts of the square within ``reach`` of the origin, and of the same side beyond it."""
    side, mean = 2.0 * reach / districts, mean_noise(noise)
    beyond = math.ceil(_MARGIN * mean / side)
    count = districts + 2 * beyond
    if count**2 > MOST_PLACES:
        most = math.isqrt(MOST_PLACES)
        fewest = 2.0 * _MARGIN * mean / (most - districts) if districts < most else math.inf
        hint = "ask for fewer districts" + f", or for districts of {fewest:.3g} m or more" * (fewest < math.inf)
        rule = f"with those within 4 mean noises must be at most {MOST_PLACES} in all; got {count}²"
        raise InvalidArgument("districts", rule, hint=hint)
    size = noise.cell_size if isinstance(noise, CellNoise) else 0.0
    finer = min(max(round(side / mean), 1), math.isqrt(MOST_PLACES) // count)  # people in a cell are taken to be even
    cells, half = count * finer, 0.5 * count * side
    to_a_cell = max(1, min(math.ceil(2.0 * side / mean / finer), _SQUARES[0] // cells))
    to_a_cell = min(to_a_cell, max(1, int(side / finer / size))) if size else to_a_cell
    squares = cells * to_a_cell
    moves = _padded(place_densities.square_moves(noise, 2.0 * half / squares, squares), squares)
    windows = np.lib.stride_tricks.sliding_window_view(moves, (to_a_cell, to_a_cell)).mean(axis=(2, 3))
    offsets = np.arange(squares) - np.arange(cells)[:, None] * to_a_cell + len(moves) // 2 + 1 - to_a_cell
    transitions = windows[offsets[:, None, :, None], offsets[None, :, None, :]].reshape(cells**2, -1)
    middles = (np.arange(count) + 0.5) * side - half
    inside = ((np.arange(cells)[:, None] + NODES) * (side / finer) - half)[:, :, None] - middles
    members, soft = np.repeat(np.eye(count), finer, axis=0), integral(spline(inside / side).swapaxes(1, 2))
    at = np.stack(np.meshgrid(middles, middles, indexing="ij"), axis=-1).reshape(-1, 2)
    asked = (np.abs(at) < reach).all(axis=1)
    if region is not None:
        *centre, radius = validate.reals("region", region)
        asked &= np.hypot(*(np.abs(at - centre) + side / 2.0).T) < radius - size
    parts = _parts(positions, half, squares, size)
    return PlaceSupport(at, side, asked, transitions, parts, *(np.kron(of, of) for of in (members, soft)))


def venue_support(positions: Array, noise: Any, venues: Any) -> PlaceSupport:
    """The venues of a list, at their positions. Squares of reports are half a mean noise wide, or wider."""
    at, mean = validate.reals("venues", venues), mean_noise(noise)
    if at.ndim != 2 or at.shape[1] != 2 or not np.isfinite(at).all():
        raise InvalidArgument("venues", f"must be finite, of the shape (n, 2); got shape {at.shape}")
    _check_number(len(at))
    middle, size = (at.min(axis=0) + at.max(axis=0)) / 2.0, noise.cell_size if isinstance(noise, CellNoise) else 0.0
    half = np.ptp(at, axis=0).max() / 2.0 + _FAR * mean
    side = max(0.5 * mean, 2.0 * half / _SQUARES[1], size)
    squares, reach = math.ceil(2.0 * half / side), math.ceil(_FAR * mean / side)
    half = 0.5 * squares * side
    moves = np.pad(_padded(place_densities.square_moves(noise, side, reach), reach), 1)
    steps, values = np.arange(2 * reach + 2), np.zeros((len(at), 1, 1))
    begins = np.floor((at - middle + half) / side - 0.5)
    after = (at - middle + half) / side - 0.5 - begins  # a venue is spread over four squares, by linear interpolation
    begins = begins.astype(np.intp) - reach
    for one, other in np.ndindex(2, 2):
        share = np.abs(1 - one - after[:, 0]) * np.abs(1 - other - after[:, 1])
        shifted = moves[1 - one : len(moves) - one, 1 - other : len(moves) - other]
        values = values + share[:, None, None] * shifted
    east, north = (begins[:, axis, None] + steps for axis in (0, 1))
    columns = np.clip(east, 0, squares - 1)[:, :, None] * squares + np.clip(north, 0, squares - 1)[:, None, :]
    rows = np.repeat(np.arange(len(at)), steps.size**2)
    transitions = sparse.csr_array((values.ravel(), (rows, columns.ravel())), shape=(len(at), squares**2))
    return _listed(at, transitions, _parts(positions - middle, half, squares, size))


def item_support(items: Array, noise: Any) -> PlaceSupport:
    """The items of a list, by the table of their release."""
    transitions = noise.transitions()
    count = len(transitions)
    _check_number(count)
    wrong = (items < 0) | (items >= count) | (items != np.floor(items))
    validate.refuse("positions", wrong, f"is no item from 0 to {count - 1}", "give their numbers")
    parts = [(items.astype(np.intp), np.ones(items.size))]
    return _listed(np.arange(count), transitions, parts)


def spline(away: Array) -> Array:
    """The quadratic B-spline at distances from its middle, in units of its width: docs/mathematics.md."""
    away = np.abs(away)
    return np.where(away < 0.5, 0.75 - away**2, 0.5 * np.maximum(1.5 - away, 0.0) ** 2)


def _listed(places: Array, transitions: Any, parts: list[tuple[Integers, Array]]) -> PlaceSupport:
    every = np.eye(len(places))
    return PlaceSupport(places, 0.0, np.ones(len(places), dtype=bool), transitions, parts, every, every)


def _parts(positions: Array, half: float, squares: int, size: float) -> list[tuple[Integers, Array]]:
    """The squares of a map that hold reports, and the shares of their cells there."""
    return [
        (np.where(flat == squares**2, -1, flat), share)
        for flat, share in place_densities.in_squares(positions, half, squares, size=size)
    ]


def _check_number(count: int) -> None:
    if count > MOST_PLACES:
        hint = "join those that are near each other, or ask for districts"
        raise InvalidArgument("venues", f"must be at most {MOST_PLACES}; got {count}", hint=hint)


def mean_noise(noise: Any) -> float:
    return float(integral(noise.radius_ppf(NODES)))


def is_finite(noise: Any) -> bool:
    """Whether the noise is that of a list of items; refused if it is not of places either."""
    if isinstance(space := space_of(noise), FiniteSet):
        return True
    needed = ["radius_ppf"] + ["pdf"] * (not isinstance(noise, CellNoise))
    if space != PLANE or lacking(noise, *needed):
        rule = "must be a distribution in the plane, or of a release of items"
        raise InvalidArgument("place_noise", rule, got=noise)
    return False


def _padded(moves: Array, reach: int) -> Array:
    """Moves by at most ``reach`` along both axes, in an array of all of them."""
    moves = plane_density.cropped(moves, reach)
    return np.pad(moves, reach - len(moves) // 2)
