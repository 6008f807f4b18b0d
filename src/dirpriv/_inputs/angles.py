"""Checks of angles: radians of the circle, and degrees, which are latitudes and longitudes.

A text with its unit, such as ``"45deg"``, is a quantity: :mod:`dirpriv._inputs.units` reads it.
"""

from typing import Any

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.types import Array

_TURN = 2.0 * np.pi


def radians(angles: Any) -> Array:
    """Radians from -2π to 4π, or an error with the row and the rule."""
    hint = "times of day go into randomise_times"
    of_times = "contains times or texts", "randomise_times takes times of day"
    values = validate.real_rows("angles", angles, hint, of_times=of_times, kinds_of_times="mMUT")
    off = ~((values >= -_TURN) & (values <= 2.0 * _TURN))
    validate.refuse("angles", np.isnan(values), "is nan", "leave the row out")
    rule = "is not in radians from -2π to 4π"
    validate.refuse("angles", off, rule, "degrees go through numpy.deg2rad, hours into randomise_times")
    return values


def degrees(latitude: Any, longitude: Any) -> tuple[Array, Array]:
    """Columns of latitudes and longitudes, or an error with the row and the rule, without the value."""
    refuse_swapped(latitude, longitude)
    north = _column("latitude", latitude, -90.0, 90.0)
    east = _column("longitude", longitude, -180.0, 360.0)
    if north.shape != east.shape:
        rule = f"{named('latitude')} and {named('longitude')} must be columns of one length"
        raise InvalidArgument(f"{rule}; got the shapes {north.shape} and {east.shape}")
    return north, east


def refuse_swapped(latitude: Any, longitude: Any) -> None:
    """Refuse columns, or names of columns, with the longitude first."""
    for column, wrong in ((latitude, ("lon", "lng")), (longitude, ("lat",))):
        name = column if isinstance(column, str) else getattr(column, "name", "")
        if str(name).strip().lower().startswith(wrong):
            rule = f"comes first and {named('longitude')} second"
            rule += "; the names of these columns have the opposite order"
            raise InvalidArgument("latitude", rule, hint="exchange them")


def _column(name: str, column: Any, least: float, most: float) -> Array:
    hint = "give degrees as numbers, north and east positive"
    of_times = "contains times", "use a CircleRelease for times"
    values = validate.real_rows(name, column, hint, of_times=of_times)
    if values.ndim > 1:
        raise InvalidArgument(name, f"must be one column; got the shape {values.shape}")
    validate.refuse(name, ~np.isfinite(values), "is nan or infinite", "leave the row out")
    rule = f"is not between {least:g} and {most:g}, so it is no {name} in degrees"
    right = "give latitudes, then longitudes, in degrees; metres of a map projection go back to degrees first"
    validate.refuse(name, ~((values >= least) & (values <= most)), rule, right)
    return values


def pairs(latitude: Any, longitude: Any) -> Array:
    """Such columns as pairs along the last axis."""
    return np.stack(degrees(latitude, longitude), axis=-1)
