"""Places on Earth as latitude and longitude: unit vectors, distances, destinations, nearest places, cells.

Places lie along the last axis as (latitude, longitude) in degrees, north and east positive. The Earth is the
sphere of the mean radius; on it the direct and inverse geodesic problems are great circles. No function goes
through an arc cosine, so ten metres are as exact as ten thousand kilometres, at the poles and across the
180th meridian too: one double of a coordinate in degrees is about a nanometre, and the error is at most five.
"""

from typing import Any

import numpy as np
import scipy  # which imports its submodules where they are first used
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Frozen
from dirpriv._lib.types import Array, FloatOrArray, Integers

EARTH_RADIUS = 6_371_008.8  # metres: the mean radius (2a + b)/3 of the WGS 84 ellipsoid
_ON_BORDER = 1e-14  # of the area, or of a turn
_BLOCK_ROWS = 2**16  # places looked up at a time: scratch memory is a few megabytes, however many there are


def places_to_vectors(places: ArrayLike) -> Array:
    """Unit vectors of places: x towards (0, 0), y towards (0, 90° E), z towards the north pole.

    Parameters
    ----------
    places : array_like, shape (..., 2)
        Latitude in [-90, 90] and longitude, in degrees.

    Examples
    --------
    >>> from dirpriv.geometry.earth import places_to_vectors
    >>> places_to_vectors([90.0, 17.0]).round(15).tolist()
    [0.0, 0.0, 1.0]
    """
    latitude, longitude = np.moveaxis(_checked("places", places), -1, 0)
    sine, cosine = _sine_cosine(latitude)
    turn = np.deg2rad(longitude)
    return np.stack([cosine * np.cos(turn), cosine * np.sin(turn), sine], axis=-1)


def vectors_to_places(vectors: ArrayLike) -> Array:
    """Places of vectors, whatever their length: degrees, the longitude in [-180, 180).

    Parameters
    ----------
    vectors : array_like, shape (..., 3)
        Vectors of any length but 0.

    Examples
    --------
    >>> from dirpriv.geometry.earth import vectors_to_places
    >>> vectors_to_places([0.0, -2.0, 0.0]).tolist()
    [0.0, -90.0]
    """
    vectors = validate.pointing("vectors", vectors, 3)
    x, y, z = np.moveaxis(vectors, -1, 0)
    latitude = np.rad2deg(np.arctan2(z, np.hypot(x, y)))
    return np.stack([latitude, _turned_in(np.rad2deg(np.arctan2(y, x)))], axis=-1)


def great_circle_distance(first: ArrayLike, second: ArrayLike, radius: float = EARTH_RADIUS) -> FloatOrArray:
    """Distance along the great circle between places, in metres with the default radius.

    2 atan2 of the half chords, from differences taken in degrees, where nearby ones are exact.

    Parameters
    ----------
    first, second : array_like, shape (..., 2)
        Latitude and longitude in degrees; broadcast against each other.
    radius : float
        Radius of the sphere; sets the unit of the result. 1 gives radians.

    Examples
    --------
    >>> from dirpriv.geometry.earth import great_circle_distance
    >>> float(great_circle_distance([40.75, -73.98], [40.75, -73.97]).round(3))
    842.375
    >>> float(great_circle_distance([0.0, 179.99999], [0.0, -179.99999]).round(3))
    2.224
    """
    radius = validate.positive("radius", radius)
    latitude, longitude = np.moveaxis(_checked("first", first), -1, 0)
    other_latitude, other_longitude = np.moveaxis(_checked("second", second), -1, 0)
    cosines = _sine_cosine(latitude)[1] * _sine_cosine(other_latitude)[1]
    turn = np.deg2rad(_turned_in(other_longitude - longitude)) / 2.0
    apart = np.deg2rad(other_latitude - latitude) / 2.0
    together = np.deg2rad(other_latitude + latitude) / 2.0
    # half chords to the place and to its antipode
    near = np.sin(apart) ** 2 + cosines * np.sin(turn) ** 2
    far = np.sin(together) ** 2 + cosines * np.cos(turn) ** 2
    return (2.0 * radius * np.arctan2(np.sqrt(near), np.sqrt(far)))[()]


def destination(places: ArrayLike, bearing: ArrayLike, distance: ArrayLike, radius: float = EARTH_RADIUS) -> Array:
    """Places reached along great circles, in degrees: the direct geodesic problem on the sphere.

    Parameters
    ----------
    places : array_like, shape (..., 2)
        Start: latitude and longitude in degrees.
    bearing : array_like, shape (...)
        Direction of departure in *radians*, clockwise from north. At a pole the north is that of the
        meridian of the given longitude.
    distance, radius : array_like, shape (...), and float
        Length of the way and radius of the sphere, in one unit. The way may be of any size: half a turn past the
        antipode is a way back.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.geometry.earth import destination
    >>> destination([0.0, 179.9999], np.pi / 2, 20.0).round(7).tolist()  # 20 m east, over the antimeridian
    [0.0, -179.9999201]
    """
    radius = validate.positive("radius", radius)
    latitude, longitude = np.moveaxis(_checked("places", places), -1, 0)
    bearing, way = validate.reals("bearing", bearing), validate.reals("distance", distance) / radius
    sine, cosine = _sine_cosine(latitude)
    north, east = np.sin(way) * np.cos(bearing), np.sin(way) * np.sin(bearing)
    # in the frame whose x axis lies in the meridian of the start
    x = cosine * np.cos(way) - sine * north
    z = sine * np.cos(way) + cosine * north
    reached = np.rad2deg(np.arctan2(z, np.hypot(x, east)))
    turned = _turned_in(longitude + np.rad2deg(np.arctan2(east, x)))
    return np.stack(np.broadcast_arrays(reached, turned), axis=-1)


class NearestPlaces:
    """The nearest of a set of places, by great-circle distance.

    A k-d tree of the unit vectors (SciPy): the chord between two of them grows with the angle, so the nearest
    in space is the nearest on the sphere, across the 180th meridian and the poles too.

    Parameters
    ----------
    places : array_like, shape (k, 2)
        Latitude and longitude in degrees, at least one.

    Notes
    -----
    Ties. Of places at the same point (equal coordinates, 180° E and W, any longitudes at a pole) the first is
    returned. Of others that are equally far to within the rounding of the chords any one is, the same on
    every run. That rounding is 5 nm of distance; only where the nearest place is almost at the antipode of
    the query does it grow, to a decimetre.

    Examples
    --------
    >>> from dirpriv.geometry.earth import NearestPlaces
    >>> venues = NearestPlaces([[40.75, -73.98], [0.0, 179.9999], [89.99, 0.0]])
    >>> index, metres = venues.query([[0.0, -179.9999], [89.99, 180.0]])
    >>> index.tolist(), metres.round(1).tolist(), venues.query_vectors([0.0, 0.0, 1.0]).tolist()
    ([1, 2], [22.2, 2223.9], 2)
    """

    def __init__(self, places: ArrayLike) -> None:
        places = _checked("places", places)
        if places.ndim != 2 or len(places) == 0:
            raise InvalidArgument("places", f"must have the shape (k, 2), with at least one; got {places.shape}")
        vectors = _point_vectors(places)
        order = np.lexsort(vectors.T)  # stable: of equal ones, the first stays first
        new = np.ones(len(order), dtype=bool)
        new[1:] = (vectors[order[1:]] != vectors[order[:-1]]).any(axis=1)
        self._indices = np.sort(order[new])
        self._places = places
        # places come in towns: midpoints find their borders, medians do not; long leaves suit places far off
        self._tree = scipy.spatial.cKDTree(vectors[self._indices], leafsize=64, balanced_tree=False)

    def __len__(self) -> int:
        return len(self._places)

    def query(self, places: ArrayLike, *, workers: int = 1) -> tuple[Any, Any]:
        """Which of the places is nearest, and the distance to it in metres, to nanometres.

        Parameters
        ----------
        places : array_like, shape (..., 2)
            Latitude and longitude in degrees. Whatever their number, they need a few megabytes of scratch.
        workers : int, keyword-only
            Threads; the result does not depend on them.
        """
        places = _checked("places", places)
        rows = places.reshape(-1, 2)
        index, metres = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))
        for start in range(0, len(rows), _BLOCK_ROWS):
            block = slice(start, start + _BLOCK_ROWS)
            index[block] = self.query_vectors(_point_vectors(rows[block]), workers=workers)
            metres[block] = great_circle_distance(rows[block], self._places[index[block]])
        shape = places.shape[:-1]
        return index.reshape(shape)[()], metres.reshape(shape)[()]

    def query_vectors(self, vectors: ArrayLike, *, workers: int = 1) -> tuple[Any, Any]:
        """Which of the places is nearest to unit vectors: :meth:`query` without degrees and distances.

        Parameters
        ----------
        vectors : array_like, shape (..., 3)
            Unit vectors, as :func:`places_to_vectors` and the distributions on the sphere give them.
        workers : int, keyword-only
            As for :meth:`query`.
        """
        vectors = validate.vectors("vectors", vectors, 3)
        return self._indices[self._tree.query(vectors, workers=workers)[1]][()]


class EqualAreaCells(Frozen):
    """A partition of the sphere into cells of exactly equal area, and of nearly equal width and height.

    The zonal partition of Leopardi [1]_: one cell at each pole, and between them bands of latitude, each cut
    by meridians into a number of cells in proportion to its circumference. The heights of the bands are set
    so that the areas are equal. Cells are numbered from north to south, and eastwards from the 180th
    meridian, which no cell but the polar ones crosses. A cell holds its northern and its western border.

    Parameters
    ----------
    count : int
        Number of cells, at least 2.

    References
    ----------
    .. [1] Leopardi, P., "A partition of the unit sphere into regions of equal area and small diameter",
       Electronic Transactions on Numerical Analysis 25 (2006) 309-327.

    Examples
    --------
    >>> from dirpriv.geometry.earth import EqualAreaCells
    >>> cells = EqualAreaCells(1000)
    >>> cells.cell_of([[90.0, 0.0], [40.75, -73.98], [-90.0, 0.0]]).tolist()
    [0, 180, 999]
    >>> cells.centres()[180].round(1).tolist()
    [38.4, -77.7]
    >>> int(cells.histogram([[40.75, -73.98], [40.76, -73.97]])[180])
    2
    """

    count: int
    _first: Integers
    _sectors: Integers

    def __init__(self, count: int) -> None:
        count = validate.integer("count", count, 2)
        cap = 2.0 * np.arcsin(np.sqrt(1.0 / count))
        side = np.sqrt(4.0 * np.pi / count)
        bands = max(1, round((np.pi - 2.0 * cap) / side)) if count > 2 else 0
        # the area north of each border, in cells; whole numbers of cells move the borders a little
        wanted = count * np.sin(np.linspace(cap, np.pi - cap, bands + 1) / 2.0) ** 2
        first = np.concatenate([[0], np.rint(wanted).astype(np.intp), [count]])
        self._set(count=count, _first=first, _sectors=np.diff(first))

    def __repr__(self) -> str:
        return f"EqualAreaCells({self.count})"

    def __len__(self) -> int:
        return self.count

    def cell_of(self, places: ArrayLike) -> Any:
        """Number of the cell that each place lies in, from 0 to ``count`` - 1.

        Parameters
        ----------
        places : array_like, shape (..., 2)
            Latitude and longitude in degrees.
        """
        latitude, longitude = np.moveaxis(_checked("places", places), -1, 0)
        # on a border, up to rounding, a place is in the cell that begins there
        north = self.count * ((1.0 - np.sin(np.deg2rad(latitude))) / 2.0 + _ON_BORDER)
        band = np.minimum(np.searchsorted(self._first, north, side="right"), len(self._sectors)) - 1
        sectors = self._sectors[band]
        turn = longitude / 360.0 + 0.5 + _ON_BORDER
        sector = np.minimum(((turn - np.floor(turn)) * sectors).astype(np.intp), sectors - 1)
        return (self._first[band] + sector)[()]

    def histogram(self, places: ArrayLike) -> Integers:
        """Number of places in each cell.

        Parameters
        ----------
        places : array_like, shape (..., 2)
            Latitude and longitude in degrees.
        """
        rows = _checked("places", places).reshape(-1, 2)
        counts = np.zeros(self.count, dtype=np.int64)
        for start in range(0, len(rows), _BLOCK_ROWS):
            counts += np.bincount(self.cell_of(rows[start : start + _BLOCK_ROWS]), minlength=self.count)
        return counts

    def borders(self) -> Array:
        """Borders of the cells in degrees, shape (count, 4): south, west, north, east."""
        below = self.count - self._first
        north = np.rad2deg(np.arctan2(below - self._first, 2.0 * np.sqrt(below * self._first.astype(float))))
        band = np.repeat(np.arange(len(self._sectors)), self._sectors)
        sectors = self._sectors[band]
        sector = np.arange(self.count) - self._first[band]
        west, east = (360.0 * (edge / sectors) - 180.0 for edge in (sector, sector + 1))
        return np.stack([north[band + 1], west, north[band], east], axis=-1)

    def centres(self) -> Array:
        """Centroids of the cells in degrees, shape (count, 2); the poles for the polar cells."""
        south, west, north, east = np.deg2rad(self.borders()).T
        height = (np.sin(north) + np.sin(south)) / 2.0
        # the mean of cos φ over the band, by area, and of the cosine of the turn from the middle meridian
        mean_cosine = (north - south + np.sin(north - south) * np.cos(north + south)) / 2.0
        mean_cosine /= np.sin(north) - np.sin(south)
        reach = mean_cosine * np.sinc((east - west) / (2.0 * np.pi))
        middle = np.rad2deg((east + west) / 2.0)
        return np.stack([np.rad2deg(np.arctan2(height, reach)), middle], axis=-1)

    def covering_radius(self, radius: float = EARTH_RADIUS) -> float:
        """Bound on the distance from a place to the centre of its cell, in metres with the default radius.

        It is the largest such distance, and 1e-9 of the radius more (6 mm), far beyond all rounding.

        Parameters
        ----------
        radius : float
            Radius of the sphere; sets the unit of the result. 1 gives radians.

        Notes
        -----
        The cosine of the distance from the centre (φ, 0) is least on the border at λ = w, half a width away:
        there it is C cos(φ' - φ*), tan φ* = tan φ/cos w, least at a corner, or at φ* ± π if in the cell.

        Examples
        --------
        >>> from dirpriv.geometry.earth import EqualAreaCells
        >>> round(EqualAreaCells(1000).covering_radius() / 1000)  # kilometres
        543
        """
        radius = validate.positive("radius", radius)
        south, west, north, east = np.deg2rad(self.borders()).T
        centre, width = np.deg2rad(self.centres()[:, 0]), (east - west) / 2.0
        height, reach = np.sin(centre), np.cos(centre) * np.cos(width)
        least = np.minimum(
            height * np.sin(south) + reach * np.cos(south), height * np.sin(north) + reach * np.cos(north)
        )
        opposite = np.arctan2(-height, -reach)
        least = np.where((south <= opposite) & (opposite <= north), -np.hypot(height, reach), least)
        return float(radius * (np.arccos(np.clip(least, -1.0, 1.0)).max() + 1e-9))


def _point_vectors(places: Array) -> Array:
    """Unit vectors that are equal for equal points; the 180th meridian has two longitudes."""
    return places_to_vectors(np.stack([places[..., 0], _turned_in(places[..., 1])], axis=-1))


def _checked(name: str, places: ArrayLike) -> Array:
    places = validate.vectors(name, places, 2, "latitude and longitude")
    latitude, longitude = places[..., 0], places[..., 1]
    validate.refuse(
        name, ~np.isfinite(latitude + longitude), "must hold finite degrees, not nan or inf", "leave it out"
    )
    rule = "must hold latitudes in [-90, 90] degrees"
    validate.refuse(name, np.abs(latitude) > 90.0, rule, "latitudes come first, longitudes second")
    return places


def _sine_cosine(latitude: Array) -> tuple[Array, Array]:
    """Sine and cosine of latitudes in degrees; the cosine from the distance to the pole, exact near it."""
    return np.sin(np.deg2rad(latitude)), np.sin(np.deg2rad(90.0 - np.abs(latitude)))


def _turned_in(longitude: Array) -> Array:
    """Longitudes in [-180, 180); those already in this interval are unchanged."""
    turned = longitude - 360.0 * np.floor((longitude + 180.0) / 360.0)
    # the sum is rounded: a little less than 180 becomes a little less than -180
    turned = np.where(turned >= 180.0, turned - 360.0, np.maximum(turned, -180.0))
    return np.where((longitude >= -180.0) & (longitude < 180.0), longitude, turned)
