"""Unit vectors, angles and times of day; the tangent-normal step.

Vectors lie along the last axis. Angles are radians; hours and degrees appear only in the functions that
are named after them. Distances never go through ``arccos`` or ``1 - cos``, which lose everything below
1e-8 radians: the daily case on Earth, where 10 m are 1.6e-6 radians.
"""

import numpy as np

from dirpriv import _validate

TURN = 2.0 * np.pi


def hours_to_angles(hours, period=24.0):
    """Angles of times of day.

    Parameters
    ----------
    hours : array_like
        Times in hours; any number, taken modulo ``period``.
    period : float
        Length of one turn in hours: 24 for the day, 168 for the week.

    Returns
    -------
    float or ndarray
        Radians in [0, 2π): 0 h is 0, a quarter of the period is π/2.

    Examples
    --------
    >>> from dirpriv.geometry import hours_to_angles
    >>> hours_to_angles([0.0, 6.0, 30.0]).round(4).tolist()
    [0.0, 1.5708, 1.5708]
    """
    return np.mod(np.asarray(hours, dtype=float), period)[()] * (TURN / _validate.positive("period", period))


def angles_to_hours(angles, period=24.0):
    """Times of day of angles: the inverse of :func:`hours_to_angles`.

    Parameters
    ----------
    angles : array_like
        Radians; any number, taken modulo 2π.
    period : float
        Length of one turn in hours.

    Returns
    -------
    float or ndarray
        Hours in [0, period).

    Examples
    --------
    >>> from dirpriv.geometry import angles_to_hours
    >>> float(angles_to_hours(-3.141592653589793))
    12.0
    """
    period = _validate.positive("period", period)
    hours = np.mod(np.asarray(angles, dtype=float), TURN) * (period / TURN)
    return np.where(hours >= period, 0.0, hours)[()]  # np.mod of -1e-20 is 2π itself


def angles_to_vectors(angles):
    """Points of the unit circle at these angles.

    Parameters
    ----------
    angles : array_like, shape (...)
        Radians.

    Returns
    -------
    ndarray, shape (..., 2)

    Examples
    --------
    >>> from dirpriv.geometry import angles_to_vectors
    >>> angles_to_vectors(0.0).tolist()
    [1.0, 0.0]
    """
    angles = np.asarray(angles, dtype=float)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def vectors_to_angles(vectors):
    """Angles of vectors in the plane, whatever their length.

    Parameters
    ----------
    vectors : array_like, shape (..., 2)

    Returns
    -------
    float or ndarray, shape (...)
        Radians in [0, 2π).

    Raises
    ------
    ValueError
        If the last axis is not of length 2.

    Examples
    --------
    >>> from dirpriv.geometry import vectors_to_angles
    >>> float(vectors_to_angles([0.0, -2.0]).round(4))
    4.7124
    """
    vectors = np.asarray(vectors, dtype=float)
    if vectors.ndim == 0 or vectors.shape[-1] != 2:
        raise ValueError(
            f"'vectors' must hold vectors of length 2 along its last axis; got shape {vectors.shape}"
        )
    angles = np.arctan2(vectors[..., 1], vectors[..., 0])
    angles = np.where(angles < 0.0, angles + TURN, angles)
    return np.where(angles >= TURN, 0.0, angles)[()]  # a tiny negative angle rounds up to 2π


def angle_between(first, second):
    """Distance on the circle between two angles.

    Parameters
    ----------
    first, second : array_like
        Radians.

    Returns
    -------
    float or ndarray
        Radians in [0, π].

    Examples
    --------
    >>> from dirpriv.geometry import angle_between
    >>> float(angle_between(0.1, 6.2).round(4))
    0.1832
    """
    turned = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    return np.abs(np.remainder(turned + np.pi, TURN) - np.pi)[()] if np.size(turned) else np.abs(turned)


def angular_distance(x, y):
    """Angle between unit vectors: the surface distance d∡ of the sphere.

    Parameters
    ----------
    x, y : array_like, shape (..., n)
        Unit vectors; broadcast against each other.

    Returns
    -------
    float or ndarray
        Radians in [0, π], to full relative precision near 0: 2 atan2(‖x - y‖, ‖x + y‖).

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.geometry import angular_distance
    >>> float(angular_distance([1.0, 0.0], [np.cos(1e-8), np.sin(1e-8)]))
    1e-08
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return (2.0 * np.arctan2(np.linalg.norm(x - y, axis=-1), np.linalg.norm(x + y, axis=-1)))[()]


def tangent_normal(mu, theta, *, rng=None):
    """Unit vectors at angle ``theta`` from ``mu``, in a uniform direction.

    The tangent-normal decomposition x = cos θ μ + sin θ ξ with ξ uniform on the unit subsphere orthogonal
    to μ (Mardia and Jupp 2000, Eq. 9.1.2). The reflection that takes the first axis to μ is applied to
    (cos θ, sin θ ξ'); it keeps norms and angles to 8e-16.

    Parameters
    ----------
    mu : ndarray, shape (n,) or (..., n)
        Unit vectors.
    theta : array_like, shape (...)
        Radians; broadcasts with the leading axes of ``mu``.
    rng : None, int or numpy.random.Generator, keyword-only

    Returns
    -------
    ndarray, shape (..., n)

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.geometry import angular_distance, tangent_normal
    >>> x = tangent_normal(np.array([0.0, 0.0, 1.0]), 0.25, rng=1)
    >>> float(angular_distance(x, [0.0, 0.0, 1.0]).round(12))
    0.25
    """
    rng = _validate.generator(rng)
    mu = np.asarray(mu, dtype=float)
    theta = np.asarray(theta, dtype=float)
    shape = np.broadcast_shapes(mu.shape[:-1], theta.shape)
    n = mu.shape[-1]
    if n == 2:  # the subsphere is the two directions ±90°: turn by ±θ, as a product of complex numbers
        turned = np.empty(shape, dtype=complex)
        np.cos(theta, out=turned.real)
        left = rng.integers(0, 2, size=shape, dtype=np.uint8)
        np.sin(np.where(left, theta, -theta), out=turned.imag)
        turned *= np.ascontiguousarray(mu).view(complex)[..., 0]
        return turned[..., None].view(float)
    cosine, sine = np.cos(theta), np.sin(theta)
    out = np.empty((*shape, n))
    normals = rng.standard_normal((*shape, n - 1))
    normals *= (sine / np.linalg.norm(normals, axis=-1))[..., None]
    out[..., 0] = cosine
    out[..., 1:] = normals
    sign = np.where(mu[..., :1] < 0.0, -1.0, 1.0)
    mirror = mu.copy()
    mirror[..., :1] += sign
    along = np.einsum("...i,...i->...", mirror, out)[..., None] / np.abs(mirror[..., :1])
    return sign * (along * mirror - out)
