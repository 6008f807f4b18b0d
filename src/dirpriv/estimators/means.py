"""Means of directions."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, describe
from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.geometry.spaces import Sphere
from dirpriv.laws.own.completed import check_law, is_symmetric
from dirpriv.laws.shared.base import scalar_or_array


def mean_direction(x: ArrayLike, axis: int = -2) -> Array:
    """Direction of the sum of vectors, as a unit vector.

    It is nan where the vectors add up to exactly zero and there is no direction.

    Parameters
    ----------
    x : array_like, shape (..., N, n)
        Unit vectors.
    axis : int
        Axis over which vectors are added, any but the last, which holds their coordinates.

    Raises
    ------
    ValueError
        If ``axis`` is the last axis of ``x``, or none of its axes.

    Examples
    --------
    >>> from dirpriv.estimators import mean_direction
    >>> mean_direction([[1.0, 0.0], [0.0, 1.0]]).round(3).tolist()
    [0.707, 0.707]
    """
    vectors = validate.reals("x", x)
    if axis not in [sign for number in range(vectors.ndim - 1) for sign in (number, number - vectors.ndim)]:
        rule = "must be an axis of 'x' before the last, which holds the coordinates"
        raise InvalidArgument("axis", f"{rule}; got {describe(axis)} for the shape {vectors.shape}")
    total = vectors.sum(axis=axis)
    norm = np.linalg.norm(total, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total / norm


def circular_mean(angles: ArrayLike, axis: int | None = None) -> FloatOrArray:
    """Circular mean of angles, in [0, 2π): the direction of the sum of their unit vectors.

    See K. V. Mardia, P. E. Jupp, "Directional Statistics", Wiley 2000, Section 2.2.1.

    Parameters
    ----------
    angles : array_like
        Radians.
    axis : int, optional
        Axis to average over; all of them by default.

    Raises
    ------
    ValueError
        If there is nothing to average.

    Examples
    --------
    >>> from dirpriv.estimators import circular_mean
    >>> from dirpriv.geometry import angles_to_hours, hours_to_angles
    >>> round(float(angles_to_hours(circular_mean(hours_to_angles([23.0, 2.0])))), 6)
    0.5
    """
    angles = validate.reals("angles", angles)
    if angles.size == 0:
        raise InvalidArgument("angles", "is empty", remedy="a mean needs at least one angle")
    sums = np.stack([np.cos(angles).sum(axis=axis), np.sin(angles).sum(axis=axis)], axis=-1)
    return scalar_or_array(geometry.vectors_to_angles(sums))


def symmetric(law: Any, *names: str) -> Any:
    """The law, if it is symmetric about its mode, so that its mean points there, and has these methods."""
    if not is_symmetric(law):
        remedy = "the mean of its draws tends to a wrong direction, see dirpriv.estimators.limit_error"
        raise InvalidArgument(f"{law!r} is not symmetric about its mode", remedy=remedy)
    check_law(law, "a law of directions", Sphere, "mean_cosine", *names)
    return law
