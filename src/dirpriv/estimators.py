"""Estimates from directions, private or not, and the errors to expect of them."""

import numpy as np

from dirpriv import _validate, geometry


def mean_direction(x, axis=-2):
    """Direction of the sum of vectors.

    Parameters
    ----------
    x : array_like, shape (..., N, n)
        Unit vectors.
    axis : int
        Axis over which vectors are added.

    Returns
    -------
    ndarray, shape (..., n)
        Unit vector; nan where the vectors add up to exactly zero and there is no direction.

    Examples
    --------
    >>> from dirpriv.estimators import mean_direction
    >>> mean_direction([[1.0, 0.0], [0.0, 1.0]]).round(3).tolist()
    [0.707, 0.707]
    """
    total = np.asarray(x, dtype=float).sum(axis=axis)
    norm = np.linalg.norm(total, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total / norm


def circular_mean(angles, axis=None):
    """Circular mean of angles: the direction of the sum of their unit vectors.

    Parameters
    ----------
    angles : array_like
        Radians.
    axis : int, optional
        Axis to average over; all of them by default.

    Returns
    -------
    float or ndarray
        Radians in [0, 2π).

    Raises
    ------
    ValueError
        If there is nothing to average.

    References
    ----------
    .. [1] K. V. Mardia, P. E. Jupp, "Directional Statistics", Wiley 2000, Section 2.2.1.

    Examples
    --------
    >>> from dirpriv.estimators import circular_mean
    >>> from dirpriv.geometry import angles_to_hours, hours_to_angles
    >>> float(angles_to_hours(circular_mean(hours_to_angles([23.0, 2.0]))).__round__(6))
    0.5
    """
    angles = np.asarray(angles, dtype=float)
    if angles.size == 0:
        raise ValueError("'angles' is empty: a mean needs at least one angle")
    return geometry.vectors_to_angles(
        np.stack([np.cos(angles).sum(axis=axis), np.sin(angles).sum(axis=axis)], axis=-1)
    )


def debiased_mean(x, law):
    """Unbiased estimate of the mean vector of the true directions, from their randomised versions.

    Each randomised vector has the mean ρ times the true one, ρ = ``law.mean_cosine()``, so their average
    divided by ρ is unbiased for the average of the true vectors.

    Parameters
    ----------
    x : array_like, shape (..., N, n)
        Randomised unit vectors.
    law : object
        The rotationally symmetric law they were drawn from.

    Returns
    -------
    ndarray, shape (..., n)
        Not a unit vector: its length estimates how concentrated the true directions are.

    Raises
    ------
    ValueError
        If the law is uniform (ρ = 0): the responses hold no information.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import debiased_mean
    >>> from dirpriv.laws import Purkayastha
    >>> law = Purkayastha(dim=2, kappa=2.0)
    >>> noisy = law.rvs(np.tile([1.0, 0.0], (100_000, 1)), rng=1)
    >>> [round(abs(float(value)), 1) for value in debiased_mean(noisy, law)]
    [1.0, 0.0]
    """
    rho = law.mean_cosine()
    if rho == 0.0:
        raise ValueError(f"{law!r} is uniform: its draws hold no information about the mean")
    return np.mean(np.asarray(x, dtype=float), axis=-2) / rho


def limit_error(law, x):
    """Angle by which the mean direction of randomised responses stays wrong, however many there are.

    Parameters
    ----------
    law : object
        A law of :mod:`dirpriv.laws`.
    x : array_like, shape (N, n)
        The true directions.

    Returns
    -------
    float
        Radians; 0 for every rotationally symmetric law, whose mean vector points to the mode.

    Examples
    --------
    >>> from dirpriv.estimators import limit_error
    >>> from dirpriv.laws import ClippedLaplace
    >>> round(limit_error(ClippedLaplace(kappa=1.0), [[0.0, 1.0]]), 3)
    0.098
    """
    x = np.asarray(x, dtype=float)
    total = law.mean_vector(x).sum(axis=0)
    return float(geometry.angular_distance(total / np.linalg.norm(total), mean_direction(x)))


def expected_mean_error(law, n, angles=None):
    """Expected error of the direction of the sum of ``n`` randomised responses on the circle, for large n.

    With the responses x fixed, the component of the noisy sum across their mean direction has the
    variance Σ [E sin² θ cos² δ + Var cos θ sin² δ], δ the angle between a response and the mean. So
    the expected angle between private and true mean of the same responses is asymptotically
    √(2/π) √(that mean) / (ρ R √n), with ρ = E cos θ and R the resultant length of the responses.

    Parameters
    ----------
    law : object
        A rotationally symmetric law on the circle.
    n : array_like
        Number of responses.
    angles : array_like, optional
        True angles in radians from which responses are taken; by default all are equal (R = 1).

    Returns
    -------
    float or ndarray
        Radians. A law of large n: where it exceeds about 0.5 it says only that the error is large.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import expected_mean_error
    >>> from dirpriv.laws import Purkayastha
    >>> round(float(expected_mean_error(Purkayastha(dim=2, kappa=1 / np.pi), 783)), 3)
    0.1
    """
    rho, sine2 = law.mean_cosine(), law.mean_squared_sine()
    resultant, along2 = 1.0, 1.0
    if angles is not None:
        deviations = np.asarray(angles, dtype=float) - circular_mean(angles)
        resultant, along2 = np.cos(deviations).mean(), (np.cos(deviations) ** 2).mean()
    variance = sine2 * along2 + (1.0 - sine2 - rho**2) * (1.0 - along2)
    n = np.asarray(n, dtype=float)
    if np.any(~(n > 0)):
        raise ValueError(f"'n' must be positive; got {n.min()!r}")
    _validate.positive("mean cosine of the law", rho)
    return (np.sqrt(2.0 / np.pi * variance / n) / (rho * resultant))[()]
