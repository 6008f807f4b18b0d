"""Ways to draw that several laws share; all are exact."""

from collections.abc import Sequence

import numpy as np

from dirpriv._types import Array, Draw, FloatOrArray, Propose, Size

BLOCK_ROWS = 8192  # draws made at a time: their angles stay in the cache, and scratch memory is bounded


def draw_by_rejection(size: int, share: FloatOrArray, propose: Propose, *, per_row: bool = False) -> Array:
    """Fill an array with accepted proposals.

    Parameters
    ----------
    size : int
    share : float
        About the share of proposals that is accepted; sets how many are made at a time.
    propose : callable
        ``propose(count, rows)`` gives ``count`` independent proposals and whether each is accepted. ``rows``
        are the rows they are for, or ``...`` where all rows have the same law.
    per_row : bool
        Whether the rows have laws of their own.

    Returns
    -------
    ndarray, shape (size,)
    """
    out = np.empty(size)
    if per_row:
        rows = np.arange(size)
        while rows.size:
            values, accepted = propose(rows.size, rows)
            out[rows[accepted]] = values[accepted]
            rows = rows[~accepted]
        return out
    filled = 0
    while filled < size:
        missing = size - filled
        values, accepted = propose(int((missing + 2.0 * np.sqrt(missing)) / share) + 4, ...)
        values = values[accepted][:missing]
        out[filled : filled + values.size] = values
        filled += values.size
    return out


def draw_by_threshold(
    size: int,
    kappa: FloatOrArray,
    thresholds: Sequence[float],
    draws: Sequence[Draw],
    rng: np.random.Generator,
    *,
    last_first: bool = False,
) -> Array:
    """Draws whose method depends on the concentration.

    Parameters
    ----------
    size : int
    kappa : float or ndarray, shape (size,)
    thresholds : sequence of float
        Ascending; there is one less than of ``draws``.
    draws : sequence of callable
        ``draw(size, kappa, rng)``: the first for concentrations below the first threshold, the second from
        there to below the second, and so on.
    rng : numpy.random.Generator
    last_first : bool, keyword-only
        Whether the rows of the highest concentrations are drawn first, which sets the numbers that they get.

    Returns
    -------
    ndarray, shape (size,)
    """
    case = np.digitize(kappa, thresholds)
    if np.ndim(kappa) == 0:
        return draws[case](size, kappa, rng)  # type: ignore[call-overload]
    out = np.empty(size)
    for number in sorted(range(len(draws)), reverse=last_first):
        rows = np.flatnonzero(case == number)
        if rows.size:
            out[rows] = draws[number](rows.size, kappa[rows], rng)
    return out


SMALLEST = np.finfo(float).smallest_subnormal
"""The first concentration above 0."""


def uniform(upper: float) -> Draw:
    """Way to draw from the uniform law on [0, upper), for κ = 0."""
    return lambda size, kappa, rng: upper * rng.random(size)  # type: ignore[return-value]


def truncated_exponential(size: Size, upper: FloatOrArray, rng: np.random.Generator) -> Array:
    """Draws of the standard exponential law truncated to [0, upper), by the inverse of its CDF.

    Where ``upper`` is large, an exponential modulo ``upper`` has the same law and is cheaper. Where it is
    small, that would lose digits.
    """
    return -np.log1p(rng.random(size) * np.expm1(-upper))
