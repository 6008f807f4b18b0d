"""What releases of places share: columns of degrees, lengths in metres, and metres on the ground.

A distance between two inputs is in metres on the ground, along the WGS 84 ellipsoid. The releases compute on
the sphere of the mean radius R, with the same latitudes and longitudes. No way on the sphere is longer than
that on the ground by a factor of more than R/M, with M = a (1 - f)² the smallest radius of curvature of the
ellipsoid (of the meridians, at the equator): 1.0057. The releases charge this factor.
"""

import re
from fractions import Fraction
from typing import Any

import numpy as np

from dirpriv import _columns, _times, _validate
from dirpriv._errors import InvalidArgument
from dirpriv._types import Array
from dirpriv.geography import EARTH_RADIUS

RADIUS = Fraction(EARTH_RADIUS)
_MERIDIAN = 6_378_137 * (1 - Fraction(10**9, 298_257_223_563)) ** 2  # a (1 - f)² of WGS 84
GROUND = RADIUS / _MERIDIAN
_LENGTH = re.compile(r" *([0-9]+(?:\.[0-9]+)?) *(m|km) *", re.ASCII)


def metres(name: str, value: Any) -> Fraction:
    """A positive length in metres, exactly: a number, or a text such as ``"200m"`` or ``"1.5km"``."""
    if not isinstance(value, str):
        number = _validate.positive(name, value)
        return value if isinstance(value, Fraction) else Fraction(number)
    found = _LENGTH.fullmatch(value)
    length = Fraction(found[1]) * (1000 if found[2] == "km" else 1) if found else 0
    if not 0 < length < 10**300:
        raise InvalidArgument(
            f"'{name}' must be a number of metres, or a text as '200m' or '1.5km'; got "
            f"{_validate.told(value)}",
            argument=name,
        )
    return Fraction(length)


def is_length(value: Any) -> bool:
    """Whether this is a radius of places as a text."""
    try:
        return isinstance(value, str) and metres("within", value) > 0
    except InvalidArgument:
        return False


def radius(name: str, value: Any) -> Fraction:
    """A length of at least 1 m, exactly."""
    length = metres(name, value)
    if length < 1:
        raise InvalidArgument(
            f"'{name}' must be at least 1 m, in metres and not in degrees; got {_validate.told(value)}",
            argument=name,
        )
    return length


def epsilon_within(level: Any, radius: Fraction, stretch: Fraction, rounding: Fraction) -> Fraction:
    """The level per metre between centres of cells that is ``level`` between inputs at the radius."""
    return Fraction(_validate.positive("level", level)) / (stretch * radius + rounding)


def level_per_metre(epsilon: Any) -> Fraction:
    """The level as a rational number: exact from :func:`epsilon_within`, or a number of the user's."""
    return epsilon if isinstance(epsilon, Fraction) else Fraction(_validate.positive("epsilon", epsilon))


def degrees(latitude: Any, longitude: Any) -> tuple[Array, Array]:
    """Columns of latitudes and longitudes, or an error with the row and the rule, without the value."""
    refuse_swapped(latitude, longitude)
    north, east = (
        _column("latitude", latitude, -90.0, 90.0),
        _column("longitude", longitude, -180.0, 360.0),
    )
    if north.shape != east.shape:
        raise InvalidArgument(
            f"'latitude' and 'longitude' must be columns of one length; got the shapes {north.shape} and "
            f"{east.shape}"
        )
    return north, east


def refuse_swapped(latitude: Any, longitude: Any) -> None:
    """Raise an error for columns whose names say that the longitude comes first."""
    refuse_swapped_names(*(getattr(column, "name", "") for column in (latitude, longitude)))


def refuse_swapped_names(latitude: Any, longitude: Any) -> None:
    """The same of the names alone."""
    for name, wrong in ((latitude, ("lon", "lng")), (longitude, ("lat",))):
        if str(name).strip().lower().startswith(wrong):
            raise InvalidArgument(
                "'latitude' comes first and 'longitude' second; the names of the columns say the other way "
                "round: exchange them",
                argument="latitude",
            )


def _column(name: str, column: Any, least: float, most: float) -> Array:
    values = _times.array(name, column)
    if values.dtype.kind in "mM":
        raise InvalidArgument(f"'{name}' holds times: those go into a CircleRelease", argument=name)
    values = _columns._numbers(name, values, "give degrees as numbers, north and east positive")
    if values.ndim > 1:
        raise InvalidArgument(f"'{name}' must be one column; got the shape {values.shape}", argument=name)
    _times.refuse(name, ~np.isfinite(values), "is nan or infinite", "leave the row out")
    rule = f"is not between {least:g} and {most:g}, so it is no {name} in degrees"
    remedy = (
        "give latitudes, then longitudes, in degrees; metres of a map projection go back to degrees first"
    )
    _times.refuse(name, ~((values >= least) & (values <= most)), rule, remedy)
    return values
