"""Levels of privacy from below, by search over outputs from a density: a check of what is certified."""

import numpy as np
import scipy  # which imports its submodules where they are first used

_NODES = 15  # of each polynomial that is differentiated
_OUTPUTS = 4001  # around a great circle, before the refinement of the best one


def largest_loss(loss, kinks=()):
    """Largest value of a privacy loss, in nats, over outputs all around a great circle.

    ``loss`` is the log ratio of the densities of an output under two inputs, as a function of an array of its
    angles from the first input, towards the second, from 0 to 2π. ``kinks`` are the angles at which the
    densities have kinks.

    >>> round(largest_loss(lambda angle: np.cos(angle) - np.cos(angle - 1.0)), 9)
    0.958851077
    >>> round(2.0 * np.sin(0.5), 9)
    np.float64(0.958851077)
    """
    angles = np.concatenate([np.linspace(0.0, 2.0 * np.pi, _OUTPUTS), np.asarray(kinks, dtype=float)])
    losses = loss(angles)
    best, step = angles[np.argmax(losses)], 2.0 * np.pi / (_OUTPUTS - 1)
    refined = scipy.optimize.minimize_scalar(
        lambda x: -float(loss(x)), bounds=(best - step, best + step), method="bounded", options={"xatol": 1e-10}
    )
    return max(float(losses.max()), -float(refined.fun))


def largest_slope(log_density, length):
    """Largest slope per radian of a log-density over [0, π], by polynomials in many short windows.

    ``log_density`` is a function of an array of angles in radians, and changes little over the ``length`` of
    a window.

    >>> round(largest_slope(np.cos, 0.5), 6)
    1.0
    """
    nodes, matrix = _differentiation(_NODES)
    starts = np.linspace(0.0, np.pi - length, 201)

    def _slopes(starts):
        values = log_density(starts[..., None] + length * nodes)
        return np.abs(np.einsum("...j,ij->...i", values, matrix)) / length

    window, node = divmod(int(np.argmax(_slopes(starts))), len(nodes))
    around = starts[max(window - 1, 0)], starts[min(window + 1, len(starts) - 1)]

    def _steepness(start):
        return -float(_slopes(np.asarray(start, dtype=float))[node])

    refined = scipy.optimize.minimize_scalar(_steepness, bounds=around, method="bounded", options={"xatol": 1e-9})
    return max(float(_slopes(starts)[window, node]), -float(refined.fun))


def _differentiation(count):
    """Chebyshev points on [0, 1], and the matrix that differentiates a polynomial given at these points."""
    nodes = 0.5 * (1.0 - np.cos(np.pi * np.arange(count) / (count - 1.0)))
    weights = np.where(np.isin(np.arange(count), [0, count - 1]), 0.5, 1.0) * (-1.0) ** np.arange(count)
    return nodes, scipy.interpolate.BarycentricInterpolator(nodes, np.eye(count), wi=weights).derivative(nodes)
