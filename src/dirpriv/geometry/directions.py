"""Unit vectors, angles and times of day.

Vectors lie along the last axis. Angles are radians; only functions named after hours or degrees take those.
Distances never go through ``arccos`` or ``1 - cos``, which lose everything below 1e-8 rad (6 cm on Earth).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import times, units, validate
from dirpriv._lib.types import Array, FloatOrArray, WithUnit

TURN = 2.0 * np.pi


def hours_to_angles(hours: Any, period: WithUnit = 24.0) -> FloatOrArray:
    """Angles of times of day, radians in [0, 2π): 0 h is 0, a quarter of the period is π/2.

    Parameters
    ----------
    hours : array_like
        Times, all of one kind, as an array, a list, or a column of pandas, Polars or PyArrow:

        * numbers: hours, any number, taken modulo ``period``;
        * datetime64, :class:`datetime.datetime`: the time of day; with a time zone, the local one;
        * timedelta64, :class:`datetime.timedelta`: the duration;
        * :class:`datetime.time`, texts ``"08:15"`` and ``"08:15:30"``: the time of day;
        * texts ``"2024-03-05 08:15"`` as timestamps, and ``"8.25"`` as numbers.
    period : float, str or timedelta
        Length of one turn, in hours or as ``"24h"``: 24 for the day, 168 for the week. A week of timestamps
        begins on Monday at 0 h.

    Raises
    ------
    ValueError
        If a value is missing (None, nan, NaT) or cannot be read: with its row, and how to convert it.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.geometry import hours_to_angles
    >>> hours_to_angles([0.0, 6.0, 30.0]).round(4).tolist()
    [0.0, 1.5708, 1.5708]
    >>> hours_to_angles(np.array(["2024-01-01T08:15"], dtype="datetime64[m]")).round(5).tolist()
    [2.15984]
    >>> hours_to_angles(["08:15", "20:15:00"]).round(5).tolist()
    [2.15984, 5.30144]
    """
    period = float(units.hours("period", period))
    return to_angles(times.hours("hours", hours, period), period)


def angles_to_hours(angles: ArrayLike, period: WithUnit = 24.0) -> FloatOrArray:
    """Times of day of angles, hours in [0, ``period``): the inverse of :func:`hours_to_angles`.

    Parameters
    ----------
    angles, period : array_like, and float, str or timedelta
        Radians, taken modulo 2π; length of one turn in hours.

    Examples
    --------
    >>> from dirpriv.geometry import angles_to_hours
    >>> float(angles_to_hours(-3.141592653589793))
    12.0
    """
    period = float(units.hours("period", period))
    return to_hours(validate.reals("angles", angles), period)


def to_angles(hours: Array, period: float) -> FloatOrArray:
    return in_turn(np.mod(hours, period) * (TURN / period))


def to_hours(angles: Array, period: float) -> FloatOrArray:
    return in_turn(np.mod(angles, TURN) * (period / TURN), period)


def in_turn(values: Array, turn: float = TURN) -> FloatOrArray:
    """Values of a turn in [0, ``turn``): 0 for the turn itself, to which np.mod rounds -1e-20."""
    return np.where(values >= turn, 0.0, values)[()]


def to_vectors(angles: Array) -> Array:
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def polar_angles(vectors: Array) -> FloatOrArray:
    angles = np.arctan2(vectors[..., 1], vectors[..., 0])
    return in_turn(np.where(angles < 0.0, angles + TURN, angles))


def angles_to_vectors(angles: ArrayLike) -> Array:
    """Points of the unit circle at these angles.

    Parameters
    ----------
    angles : array_like, shape (...)
        Radians.

    Examples
    --------
    >>> from dirpriv.geometry import angles_to_vectors
    >>> angles_to_vectors(0.0).tolist()
    [1.0, 0.0]
    """
    return to_vectors(validate.reals("angles", angles))


def vectors_to_angles(vectors: ArrayLike) -> FloatOrArray:
    """Angles of vectors in the plane, whatever their length: radians in [0, 2π).

    Parameters
    ----------
    vectors : array_like, shape (..., 2)
        Vectors of any length but 0.

    Examples
    --------
    >>> from dirpriv.geometry import vectors_to_angles
    >>> float(vectors_to_angles([0.0, -2.0]).round(4))
    4.7124
    """
    return polar_angles(validate.pointing("vectors", vectors, 2))


def circular_distance(first: ArrayLike, second: ArrayLike) -> FloatOrArray:
    """Distance on the circle between two angles, in radians.

    Parameters
    ----------
    first, second : array_like
        Radians.

    Examples
    --------
    >>> from dirpriv.geometry import circular_distance
    >>> float(circular_distance(0.1, 6.2).round(4))
    0.1832
    """
    turned = validate.reals("first", first) - validate.reals("second", second)
    apart = np.abs(turned)  # of which a sum with π would take the digits where it is small
    return np.where(apart < 1e-6, apart, np.abs(np.remainder(turned + np.pi, TURN) - np.pi))[()]


def angle_between_vectors(x: ArrayLike, y: ArrayLike) -> FloatOrArray:
    """Angle between unit vectors in radians: the surface distance d∡ of the sphere.

    To full relative precision near 0: 2 atan2(‖x - y‖, ‖x + y‖).

    Parameters
    ----------
    x, y : array_like, shape (..., n)
        Unit vectors; broadcast against each other.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.geometry import angle_between_vectors
    >>> float(angle_between_vectors([1.0, 0.0], [np.cos(1e-8), np.sin(1e-8)]))
    1e-08
    """
    x, y = validate.reals("x", x), validate.reals("y", y)
    validate.unit_squares("x", x)
    validate.unit_squares("y", y)
    apart = np.linalg.norm((x - y) * 2.0**510, axis=-1) * 2.0**-510  # whose squares do not underflow
    return (2.0 * np.arctan2(apart, np.linalg.norm(x + y, axis=-1)))[()]
