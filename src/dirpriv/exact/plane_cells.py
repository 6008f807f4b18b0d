"""Places of a city as cells of a square lattice on a public map."""

import dataclasses
import math
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import units
from dirpriv._inputs.angles import degrees
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.types import Array, Integers, LatLon
from dirpriv.geometry import earth

_LEAST_REACH = 100  # metres: less is more likely a number of degrees
_MOST_REACH = 10_000_000  # metres: a quarter of a great circle is 10 007 543


@dataclasses.dataclass(frozen=True)
class PlaneCells:
    """Cells of the side ``size`` around ``centre``, up to the distance ``reach``: exact lengths in metres."""

    centre: LatLon
    reach: Fraction
    size: Fraction

    @classmethod
    def from_arguments(cls, region_centre: Any, region_reach: Any, cell_size: Any) -> Self:
        """The cells of a public region, checked."""
        return cls(_place(region_centre), *_region(region_reach, cell_size))

    @property
    def most(self) -> int:
        """The largest coordinate of a cell to which a place is rounded."""
        return math.ceil(self.reach / self.size)

    def cells_of(self, latitude: Any, longitude: Any) -> tuple[Integers, Integers]:
        """Cells of places, east and north of the central one."""
        latitude, longitude = degrees(latitude, longitude)
        self._refuse_exchanged(latitude, longitude)
        metres = _projected(self.centre, latitude, longitude, float(self.reach))
        size, most = float(self.size), self.most
        cells = [np.clip(np.floor(x / size + 0.5), -most, most).astype(np.intp) for x in metres]
        return cells[0], cells[1]

    def centres(self, east: ArrayLike, north: ArrayLike) -> tuple[Any, Any]:
        """Latitudes and longitudes of the centres of cells."""
        return self.unprojected(np.asarray(east) * float(self.size), np.asarray(north) * float(self.size))

    def unprojected(self, x: Array, y: Array) -> tuple[Any, Any]:
        """Latitudes and longitudes of points of the map: metres east and north of the centre."""
        places = earth.destination(self.centre, np.arctan2(x, y), np.hypot(x, y))
        return places[..., 0][()], places[..., 1][()]

    def outside(self, latitude: Any, longitude: Any) -> Any:
        """Which places lie beyond the reach, from where :meth:`cells_of` moves them to the border."""
        return self._distances(*degrees(latitude, longitude)) > float(self.reach)

    def _refuse_exchanged(self, latitude: Array, longitude: Array) -> None:
        """Refuse places that lie in the region only if exchanged; one alone may lie beyond it by right."""
        there = (latitude != 0.0) | (longitude != 0.0)  # 0° N 0° E stands where a row has no place
        latitude, longitude, reach = latitude[there], longitude[there], float(self.reach)
        if latitude.size < 2 or self._distances(*self.centre[::-1]) <= 2.0 * reach:
            return
        if self._distances(latitude[0], longitude[0]) <= reach or (np.abs(longitude) > 90.0).any():
            return
        beyond = self._distances(latitude, longitude) > reach
        if beyond.all() and (self._distances(longitude, latitude) <= reach).all():
            rule = f"all places lie beyond the {named('region_reach')} of the {named('region_centre')}, and "
            rule += "within it if latitude and longitude are exchanged"
            raise InvalidArgument(rule, hint="latitudes come first, longitudes second")

    def _distances(self, latitude: Any, longitude: Any) -> Array:
        """Metres from the centre; infinite beyond a pole."""
        places = np.stack([np.clip(latitude, -90.0, 90.0), longitude], axis=-1)
        metres = earth.great_circle_distance(self.centre, places)
        return np.where(np.abs(latitude) > 90.0, np.inf, metres)


def _region(reach: Any, size: Any) -> tuple[Fraction, Fraction]:
    region, width = units.metres("region_reach", reach), units.metres("cell_size", size)
    if not _LEAST_REACH <= region <= _MOST_REACH:
        rule = f"must be from {_LEAST_REACH} m to {_MOST_REACH} m, in metres and not in degrees"
        raise InvalidArgument("region_reach", rule, got=reach, hint="for the whole globe use SphereRelease")
    if not Fraction(1, 1000) <= width <= region:
        rule = "must be from 0.001 m to the region's reach, in metres and not in degrees"
        raise InvalidArgument("cell_size", rule, got=size)
    return region, width


def _place(centre: Any) -> LatLon:
    try:
        latitude, longitude = centre
    except (TypeError, ValueError):
        latitude = longitude = [0.0]  # no pair, refused below
    try:
        north, east = degrees(latitude, longitude)
    except InvalidArgument as error:
        raise InvalidArgument("region_centre", "is no place", hint=str(error)) from None
    if north.ndim:
        rule = f"must be one latitude and one longitude in degrees; got the type {type(centre).__name__}"
        raise InvalidArgument("region_centre", rule)
    return float(north), float(east)


def _projected(centre: LatLon, latitude: Array, longitude: Array, reach: float) -> tuple[Any, Any]:
    """Metres east and north of the centre, at the distance min(R θ, D, R (π - θ)); no term here cancels."""
    east, north, length, along = seen_from(centre, latitude, longitude)  # |cos θ| gives π - θ
    distance = np.minimum(earth.EARTH_RADIUS * np.arctan2(length, np.abs(along)), reach)
    scale = distance / np.where(length > 0.0, length, 1.0)
    return east * scale, north * scale


def seen_from(centre: LatLon, latitude: Array, longitude: Array) -> tuple[Any, Any, Any, Any]:
    """The direction of places, east and north, of the length sin θ, which comes third, and cos θ."""
    turn = np.deg2rad(earth._turned_in(longitude - centre[1]))
    sine, cosine = earth._sine_cosine(latitude)
    start_sine, start_cosine = earth._sine_cosine(np.asarray(centre[0]))
    east = cosine * np.sin(turn)
    north = np.sin(np.deg2rad(latitude - centre[0])) + 2.0 * start_sine * cosine * np.sin(turn / 2.0) ** 2
    return east, north, np.hypot(east, north), sine * start_sine + cosine * start_cosine * np.cos(turn)
