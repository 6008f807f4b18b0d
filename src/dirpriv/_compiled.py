"""The direction step in compiled code (extra ``fast``, numba): the same draws in a third of the time.

Numba's normals are NumPy's, number for number, so a seed gives the same vectors with and without it, up to
the rounding of sums that are added in another order.
"""

import numpy as np
from numba import njit


@njit(cache=True, fastmath={"reassoc", "contract"})
def _dot(x, y):
    total = 0.0
    for j in range(x.size):
        total += x[j] * y[j]
    return total


@njit(cache=True)
def project(out, mu, cosine, sine, rng, many):
    """As ``geometry._project``: rows of ``out`` from their normals, less the part along the mode.

    ``mu`` has one row for all, or a row for each; ``many`` is ``geometry._MANY``.
    """
    n = out.shape[1]
    for i in range(out.shape[0]):
        row = out[i]
        mode = mu[i] if mu.shape[0] > 1 else mu[0]
        for j in range(n):
            row[j] = rng.standard_normal()
        along = _dot(row, mode)
        if n < many:
            for j in range(n):
                row[j] -= along * mode[j]
            along = 0.0
        across = sine[i] / np.sqrt(_dot(row, row) - along * along)
        back = cosine[i] - across * along
        for j in range(n):
            row[j] = across * row[j] + back * mode[j]


@njit(cache=True)
def reflect(out, mu, cosine, sine, rng):
    """As ``geometry._reflect``: the reflection that takes the first axis to the mode."""
    n = out.shape[1]
    for i in range(out.shape[0]):
        row = out[i]
        mode = mu[i] if mu.shape[0] > 1 else mu[0]
        square = 0.0
        for j in range(1, n):
            z = rng.standard_normal()
            row[j] = z
            square += z * z
        scale = sine[i] / np.sqrt(square)
        sign = -1.0 if mode[0] < 0.0 else 1.0
        v0 = mode[0] + sign
        along = v0 * cosine[i]
        for j in range(1, n):
            row[j] *= scale
            along += mode[j] * row[j]
        along *= sign / abs(v0)
        row[0] = along * v0 - sign * cosine[i]
        for j in range(1, n):
            row[j] = along * mode[j] - sign * row[j]
        scale = 1.5 - 0.5 * _dot(row, row)
        for j in range(n):
            row[j] *= scale
