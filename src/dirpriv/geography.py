"""Places on Earth as latitude and longitude: unit vectors, distances, destinations.

Places lie along the last axis as (latitude, longitude) in degrees, north and east positive. The Earth is the
sphere of the mean radius; on it the direct and inverse geodesic problems are great circles. No function goes
through an arc cosine, so ten metres are as exact as ten thousand kilometres, at the poles and across the
180th meridian too: one double of a coordinate in degrees is about a nanometre, and the error is at most five.
"""

import numpy as np

from dirpriv import _validate

EARTH_RADIUS = 6_371_008.8  # metres: the mean radius (2a + b)/3 of the WGS 84 ellipsoid


def places_to_vectors(places):
    """Unit vectors of places: x towards (0, 0), y towards (0, 90° E), z towards the north pole.

    Parameters
    ----------
    places : array_like, shape (..., 2)
        Latitude in [-90, 90] and longitude, in degrees.

    Returns
    -------
    ndarray, shape (..., 3)

    Raises
    ------
    ValueError
        If the last axis is not of length 2, a latitude is beyond a pole, or a value is not finite.

    Examples
    --------
    >>> from dirpriv.geography import places_to_vectors
    >>> places_to_vectors([90.0, 17.0]).round(15).tolist()
    [0.0, 0.0, 1.0]
    """
    latitude, longitude = _latitude_longitude("places", places)
    sine, cosine = _sine_cosine(latitude)
    turn = np.deg2rad(longitude)
    return np.stack([cosine * np.cos(turn), cosine * np.sin(turn), sine], axis=-1)


def vectors_to_places(vectors):
    """Places of vectors, whatever their length: the inverse of :func:`places_to_vectors`.

    Parameters
    ----------
    vectors : array_like, shape (..., 3)

    Returns
    -------
    ndarray, shape (..., 2)
        Latitude and longitude in degrees, the longitude in [-180, 180).

    Raises
    ------
    ValueError
        If the last axis is not of length 3.

    Examples
    --------
    >>> from dirpriv.geography import vectors_to_places
    >>> vectors_to_places([0.0, -2.0, 0.0]).tolist()
    [0.0, -90.0]
    """
    vectors = np.asarray(vectors, dtype=float)
    if vectors.ndim == 0 or vectors.shape[-1] != 3:
        raise ValueError(
            f"'vectors' must hold vectors of length 3 along its last axis; got shape {vectors.shape}"
        )
    x, y, z = np.moveaxis(vectors, -1, 0)
    latitude = np.rad2deg(np.arctan2(z, np.hypot(x, y)))
    return np.stack([latitude, _turned_in(np.rad2deg(np.arctan2(y, x)))], axis=-1)


def great_circle_distance(first, second, radius=EARTH_RADIUS):
    """Distance along the great circle between places.

    Parameters
    ----------
    first, second : array_like, shape (..., 2)
        Latitude and longitude in degrees; broadcast against each other.
    radius : float
        Radius of the sphere; sets the unit of the result. 1 gives radians.

    Returns
    -------
    float or ndarray
        Metres, with the default radius. Differences of coordinates are taken in degrees, where nearby
        ones are exact, and half-angle formulas serve both ends: 2 atan2 of the two half chords.

    Examples
    --------
    >>> from dirpriv.geography import great_circle_distance
    >>> float(great_circle_distance([40.75, -73.98], [40.75, -73.97]).round(3))
    842.375
    >>> float(great_circle_distance([0.0, 179.99999], [0.0, -179.99999]).round(3))
    2.224
    """
    radius = _validate.positive("radius", radius)
    latitude, longitude = _latitude_longitude("first", first)
    other_latitude, other_longitude = _latitude_longitude("second", second)
    cosines = _sine_cosine(latitude)[1] * _sine_cosine(other_latitude)[1]
    turn = np.deg2rad(_turned_in(other_longitude - longitude)) / 2.0
    apart = np.deg2rad(other_latitude - latitude) / 2.0
    together = np.deg2rad(other_latitude + latitude) / 2.0
    # half chords to the place and to its antipode
    near = np.sin(apart) ** 2 + cosines * np.sin(turn) ** 2
    far = np.sin(together) ** 2 + cosines * np.cos(turn) ** 2
    return (2.0 * radius * np.arctan2(np.sqrt(near), np.sqrt(far)))[()]


def destination(places, bearing, distance, radius=EARTH_RADIUS):
    """Places reached along great circles: the direct geodesic problem on the sphere.

    Parameters
    ----------
    places : array_like, shape (..., 2)
        Start: latitude and longitude in degrees.
    bearing : array_like, shape (...)
        Direction of departure in *radians*, clockwise from north. At a pole the north is that of the
        meridian of the given longitude.
    distance : array_like, shape (...)
        Length of the way, in the unit of ``radius``; of any size: half a turn past the antipode is a way
        back.
    radius : float
        Radius of the sphere.

    Returns
    -------
    ndarray, shape (..., 2)
        Latitude and longitude in degrees, the longitude in [-180, 180).

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.geography import destination
    >>> destination([0.0, 179.9999], np.pi / 2, 20.0).round(7).tolist()  # 20 m east, over the antimeridian
    [0.0, -179.9999201]
    """
    radius = _validate.positive("radius", radius)
    latitude, longitude = _latitude_longitude("places", places)
    bearing, way = np.asarray(bearing, dtype=float), np.asarray(distance, dtype=float) / radius
    sine, cosine = _sine_cosine(latitude)
    north, east = np.sin(way) * np.cos(bearing), np.sin(way) * np.sin(bearing)
    # in the frame whose x axis lies in the meridian of the start
    x = cosine * np.cos(way) - sine * north
    z = sine * np.cos(way) + cosine * north
    reached = np.rad2deg(np.arctan2(z, np.hypot(x, east)))
    turned = _turned_in(longitude + np.rad2deg(np.arctan2(east, x)))
    return np.stack(np.broadcast_arrays(reached, turned), axis=-1)


def _latitude_longitude(name, places):
    places = np.asarray(places, dtype=float)
    if places.ndim == 0 or places.shape[-1] != 2:
        raise ValueError(
            f"'{name}' must hold latitude and longitude along its last axis; got shape {places.shape}"
        )
    if not np.isfinite(places).all():
        raise ValueError(f"'{name}' must hold finite degrees; got nan or inf")
    latitude, longitude = places[..., 0], places[..., 1]
    beyond = np.abs(latitude) > 90.0
    if beyond.any():
        worst = float(latitude[beyond].flat[0])
        raise ValueError(f"'{name}' must hold latitudes in [-90, 90] degrees; got {worst!r}")
    return latitude, longitude


def _sine_cosine(latitude):
    """Sine and cosine of latitudes in degrees; the cosine from the distance to the pole, exact near it."""
    return np.sin(np.deg2rad(latitude)), np.sin(np.deg2rad(90.0 - np.abs(latitude)))


def _turned_in(longitude):
    """Longitudes in [-180, 180); those that are there already keep every digit."""
    turned = longitude - 360.0 * np.floor((longitude + 180.0) / 360.0)
    return np.where(turned >= 180.0, turned - 360.0, turned)
