"""Places in degrees: latitude and longitude, in two columns or along the last axis of an array."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dirpriv._inputs import rows
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.types import Array


def degrees(latitude: Any, longitude: Any) -> tuple[Array, Array]:
    """Columns of latitudes and longitudes, or an error with the row and the rule, without the value."""
    refuse_swapped(latitude, longitude)
    north, east = (
        _column("latitude", latitude, -90.0, 90.0),
        _column("longitude", longitude, -180.0, 360.0),
    )
    if north.shape != east.shape:
        raise InvalidArgument(
            f"{named('latitude')} and {named('longitude')} must be columns of one length; got the "
            f"shapes {north.shape} and {east.shape}",
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
                "latitude",
                f"comes first and {named('longitude')} second; the names of the columns say the "
                "other way round",
                remedy="exchange them",
            )


def _column(name: str, column: Any, least: float, most: float) -> Array:
    values = rows.array(name, column)
    if values.dtype.kind in "mM":
        raise InvalidArgument(name, "holds times", remedy="those go into a CircleRelease")
    values = rows.numbers(name, values, "give degrees as numbers, north and east positive")
    if values.ndim > 1:
        raise InvalidArgument(name, f"must be one column; got the shape {values.shape}")
    rows.refuse(name, ~np.isfinite(values), "is nan or infinite", "leave the row out")
    rule = f"is not between {least:g} and {most:g}, so it is no {name} in degrees"
    remedy = (
        "give latitudes, then longitudes, in degrees; metres of a map projection go back to degrees first"
    )
    rows.refuse(name, ~((values >= least) & (values <= most)), rule, remedy)
    return values


def checked_places(places: Any) -> NDArray[np.float64]:
    """Latitude and longitude along the last axis, or an error with the row and the rule."""
    _refuse_swapped(places)
    values = rows.array("places", places)
    if values.dtype.kind in "mM":
        raise InvalidArgument("places", "holds times", remedy="randomise_times takes them")
    values = rows.numbers("places", values, "give latitude and longitude in degrees as numbers")
    if values.ndim == 0 or values.shape[-1] != 2:
        raise InvalidArgument(
            "places",
            f"must hold latitude and longitude in degrees along its last axis; got shape {values.shape}",
        )
    latitude, longitude = values[..., 0], values[..., 1]
    missing = ~np.isfinite(values).all(axis=-1)
    rows.refuse("places", missing, "has a coordinate that is nan or infinite", "leave the row out")
    rule = "has a first coordinate that is not between -90 and 90, so it is no latitude in degrees"
    remedy = "latitudes in the first column, longitudes in the second; metres go into randomise"
    rows.refuse("places", np.abs(latitude) > 90.0, rule, remedy)
    rule = "has a second coordinate that is not between -180 and 360, so it is no longitude in degrees"
    rows.refuse("places", ~((longitude >= -180.0) & (longitude <= 360.0)), rule, remedy)
    return values


def _refuse_swapped(places: Any) -> None:
    """Raise an error for a table whose column names put the longitude first."""
    names = [str(name).lower() for name in getattr(places, "columns", [])]
    if names and (names[0].startswith(("lon", "lng", "long")) or names[-1].startswith("lat")):
        raise InvalidArgument(
            "places",
            "must have the latitude in its first column and the longitude in its second; its names "
            "say the other way round",
            remedy="select table[['latitude', 'longitude']], by your names of them",
        )
