"""Distances between all items of a public list: a matrix, and a proved bound of the error of its entries.

The distance that a promise is about is a metric: of the numbers as they are given, in exact arithmetic. What is
computed differs by rounding. Sums, products and square roots err by u = 2^-53, relatively; of the elementary
functions it is assumed that they err by less than 64 u.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.types import Array, Integers
from dirpriv.exact import place_release
from dirpriv.geometry import earth

_MOST_CLOSED = 2000
_ROUNDING = 2.0**-53
_SMALLEST, _NEAR = 1e-100, 1e-4  # distance above 0 whose square is no 0; 1 - |cos| that says too little of an angle
_BLOCK = 64  # rows that stay in a cache


Distances = tuple[Array, float]
"""Distances between all items, and what no entry errs by more."""


def between_places(places: Any, items: Sequence[Any] = (), radius: float = earth.EARTH_RADIUS) -> Distances:
    """Distances on the sphere between latitudes and longitudes, which are off by 1e-13 radians.

    :func:`great_circle_distance` takes four elementary functions, and no difference in it cancels.
    """
    rows = _rows("places", places, 2)
    validate.refuse("places", np.abs(rows[:, 0]) > 90.0, "has no latitude from -90 to 90", "give latitudes first")
    matrix = np.empty((len(rows), len(rows)))
    for i, place in enumerate(rows):
        matrix[i, i:] = matrix[i:, i] = earth.great_circle_distance(place, rows[i:], radius)
    return matrix, 1e-13 * radius


def between_points(points: Any, items: Sequence[Any]) -> Distances:
    """Metres between points of the plane or of space: n + 4 roundings, each of the distance."""
    from scipy.spatial.distance import cdist  # here, as few need it

    rows = _rows("points", points)
    matrix = cdist(rows, rows)
    return matrix, (rows.shape[1] + 8) * _ROUNDING * float(matrix.max())


def between_vectors(vectors: Any, items: Sequence[Any]) -> Distances:
    """Angles between vectors of n coordinates, of any length but 0.

    The cosine g of two vectors, divided by their lengths, errs by (2n + 8) u, and the angle by that over the sine.
    Where 1 - |g| is below 1e-4 it is 2 atan2(|a - b|, |a + b|), which errs by (n + 200) u. At the limit the sine
    is .014, so that all are within (150 n + 1000) u.
    """
    rows = _rows("vectors", vectors)
    rows = validate.pointing("vectors", rows, rows.shape[1])
    rows = rows / np.abs(rows).max(axis=1, keepdims=True)  # so that no square over- or underflows
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    matrix = rows @ rows.T
    for i, row in enumerate(matrix):
        near = np.flatnonzero(np.abs(row) > 1.0 - _NEAR)
        np.arccos(np.clip(row, -1.0, 1.0), out=row)
        row[near] = 2.0 * np.arctan2(*(np.linalg.norm(rows[i] + sign * rows[near], axis=1) for sign in (-1, 1)))
    np.maximum(matrix, matrix.T, out=matrix)
    return matrix, (150 * rows.shape[1] + 1000) * _ROUNDING


def along_edges(edges: Any, items: Sequence[Any]) -> Distances:
    """Lengths of the shortest ways along edges (item, item, length), which have both directions.

    Items with few neighbours are taken away, one after the other, and the ways over each become edges between its
    neighbours. Dijkstra's search joins the items that are left: one in twenty of a network of roads. The others are
    put back in reverse. All ways from one of them lead over the neighbours that it had when it was taken away.

    No length of an edge passes more than 2n sums on its way into a distance: one for each item that is taken away,
    one for each in the search, and one for each that is put back.
    """
    from scipy.sparse import csgraph  # here, as few need it

    numbers = {item: number for number, item in enumerate(items)}
    matrix = np.full((len(items), len(items)), np.inf)
    hint = "for one-way roads give as 'distance' the way there plus the way back, for which the promise then is"
    for row, edge in enumerate(edges):
        is_one = isinstance(edge, list | tuple) and len(edge) == 3
        if not is_one or not all(isinstance(end, Hashable) and end in numbers for end in edge[:2]):
            raise InvalidArgument("edges", "must be two items of the list, and the length of their edge", row=row)
        first, second = (numbers[item] for item in edge[:2])
        length = validate.positive("edges", edge[2])
        if matrix[first, second] not in (length, np.inf):
            raise InvalidArgument("edges", "has another length than before, and edges have one", row=row, hint=hint)
        matrix[first, second] = matrix[second, first] = length
    np.fill_diagonal(matrix, 0.0)
    is_left, taken = np.ones(len(items), dtype=bool), []
    for few in range(1, 17):  # neighbours of an item that is taken away
        for item in np.flatnonzero(is_left):
            near = np.flatnonzero(is_left & (matrix[item] < np.inf))  # and the item
            if len(near) <= few + 1:
                lengths, between = matrix[item, near], np.ix_(near, near)
                matrix[between] = np.minimum(matrix[between], lengths[:, None] + lengths)
                is_left[item] = False
                taken.append((item, near, lengths[:, None]))
    left = np.ix_(is_left, is_left)
    ways = csgraph.dijkstra(matrix[left])
    matrix[left] = np.minimum(ways, ways.T)  # there and back in another order
    for item, near, lengths in reversed(taken):
        matrix[item] = matrix[:, item] = (matrix[near] + lengths).min(axis=0)
    if (apart := np.flatnonzero(np.isinf(matrix[0]))).size:
        raise InvalidArgument("edges", f"must connect all items; none leads from {items[0]!r} to {items[apart[0]]!r}")
    return matrix, 2 * len(matrix) * _ROUNDING * float(matrix.max())


def along_matrix(matrix: Any, items: Sequence[Any]) -> Distances:
    """Distances that someone computed: the shortest ways by them, which are no longer, and a metric.

    They are sums of fewer lengths than there are items.
    """
    lengths = validate.reals("distance", matrix)
    if lengths.ndim != 2 or lengths.shape[0] != lengths.shape[1]:
        raise InvalidArgument("distance", f"must be a square matrix; got shape {lengths.shape}")
    if len(lengths) > _MOST_CLOSED:
        rule = f"must be of at most {_MOST_CLOSED} items, as each three are checked"
        raise InvalidArgument("distance", rule, hint=f"give {named('points')}, {named('vectors')} or {named('edges')}")
    wrong = ~(np.isfinite(lengths) & (lengths >= 0.0))
    validate.refuse("distance", wrong, "is no finite distance", "all are at least 0")
    if np.diagonal(lengths).any():
        raise InvalidArgument("distance", "must be 0 from an item to itself, on its diagonal")
    hint = f"of one-way roads give {named('distance')} + its transpose: the promise is then for both ways together"
    validate.refuse("distance", lengths != lengths.T, "is not the same in both directions", hint)
    ways = _shortest_ways(lengths.copy())
    return ways, len(ways) * _ROUNDING * float(ways.max())


def _shortest_ways(ways: Array) -> Array:
    """The ways over any other items, in place: Floyd and Warshall, by blocks of items that are passed."""
    for start in range(0, len(ways), _BLOCK):
        over = slice(start, start + _BLOCK)
        passed = ways[over]
        for k in range(len(passed)):
            np.minimum(passed, passed[:, start + k, None] + passed[k], out=passed)
        ways[:, over] = passed.T
        for first in range(0, len(ways), _BLOCK):  # above the diagonal: below it they are the same
            here = slice(first, first + _BLOCK)
            rows, to = ways[here, first:].copy(), ways[here, over]
            sums = np.empty_like(rows)
            for k, onwards in enumerate(passed[:, first:]):
                np.minimum(rows, np.add(to[:, k, None], onwards, out=sums), out=rows)
            ways[here, first:], ways[first:, here] = rows, rows.T
    return ways


def _rows(name: str, values: Any, length: int | None = None) -> Array:
    rows = validate.reals(name, values)
    if rows.ndim != 2 or rows.shape[1] < 1 or length not in (None, rows.shape[1]):
        raise InvalidArgument(name, f"must hold {length or 'the'} coordinates of each item; got shape {rows.shape}")
    validate.refuse(name, ~np.isfinite(rows).all(axis=1), "is not finite", "give numbers")
    return rows


def distinct(matrix: Array) -> tuple[Array, Integers]:
    """The distances between different places, and the place of each item."""
    largest = matrix.max()
    least = matrix.min(where=matrix > 0.0, initial=largest)
    if largest != 0.0 and not _SMALLEST < least <= largest < 1.0 / _SMALLEST:  # nan, too
        raise InvalidArgument(f"distances must be from {_SMALLEST:g} to {1.0 / _SMALLEST:g}, or 0")
    first = np.argmax(matrix == 0.0, axis=1)
    places, place = np.unique(first, return_inverse=True)
    return matrix if len(places) == len(first) else matrix[np.ix_(places, places)], place


KINDS: dict[str, tuple[Callable[[Any, Sequence[Any]], Distances], str, Fraction]] = {
    "places": (between_places, "m", place_release.GROUND),
    "points": (between_points, "m", Fraction(1)),
    "vectors": (between_vectors, "rad", Fraction(1)),
    "edges": (along_edges, "", Fraction(1)),
    "distance": (along_matrix, "", Fraction(1)),
}
"""What says how far items are apart: their distances, of its values and the items; the unit; and the largest factor
from the distance of a promise to that of the table."""
