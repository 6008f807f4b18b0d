"""Histograms on the circle: counting, the effect of noise, and deconvolution."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import NODES, integral
from dirpriv._lib.types import Array, Integers
from dirpriv.distributions.protocols import AngularNoise
from dirpriv.distributions.user.adapter import check_distribution, lacking
from dirpriv.geometry.spaces import CIRCLE

_BLOCK = 2**17  # values handled at a time, which bounds the scratch memory


def circular_histogram(
    angles: ArrayLike, bins: int = 24, *, groups: ArrayLike | None = None, group_count: int | None = None
) -> Integers:
    """Counts of angles in bins of equal width around the circle. Bin 0 begins at angle 0.

    They have the shape (bins,), or (group_count, bins) with ``groups``.

    Parameters
    ----------
    angles : array_like
        Radians, taken modulo 2π. An angle less than 1e-9 of a bin below a border, or two units in the last
        place of its type, counts as on it, so in the bin that begins there: a whole hour, with the rounding
        it has as an angle, falls into its own bin.
    bins : int
        Number of bins: 24 hours of the day.
    groups : array_like of int, optional, keyword-only
        For each angle, the histogram it belongs to, from 0 on: its venue, for example.
    group_count : int, optional, keyword-only
        Number of histograms; by default one more than the largest of ``groups``.

    Examples
    --------
    >>> from dirpriv.estimators import circular_histogram
    >>> from dirpriv.geometry import hours_to_angles
    >>> circular_histogram(hours_to_angles([23.5, 0.0, 7.0, 12.0]), bins=4).tolist()
    [1, 1, 1, 1]
    >>> circular_histogram(hours_to_angles([23.5, 0.0, 7.0]), bins=2, groups=[0, 0, 1]).tolist()
    [[1, 1], [1, 0]]
    """
    bins = validate.integer("bins", bins, 1)
    precision, angles = validate.precision(angles), np.ravel(validate.reals("angles", angles))
    index = bin_index(angles, bins, precision)
    if groups is None:
        if group_count is not None:
            raise InvalidArgument("group_count", "goes with 'groups'; got no 'groups'")
        return np.bincount(index, minlength=bins)
    groups = np.ravel(validate.unmasked("groups", groups))
    if groups.shape != angles.shape or (groups.size and groups.dtype.kind not in "iu"):
        rule = f"must hold one integer for each of the {angles.size} angles"
        raise InvalidArgument("groups", f"{rule}; got {groups.size} of type {groups.dtype}")
    low, high = (int(groups.min()), int(groups.max())) if groups.size else (0, -1)
    group_count = validate.integer("group_count", high + 1 if group_count is None else group_count, 0)
    if low < 0 or high >= group_count:
        raise InvalidArgument("groups", f"must lie in 0 to {group_count - 1}; got {low if low < 0 else high}")
    index += bins * groups.astype(np.intp)
    return np.bincount(index, minlength=group_count * bins).reshape(group_count, bins)


def bin_index(angles: Array, bins: int, precision: float = 2.0**-52) -> Integers:
    index = np.empty(angles.size, dtype=np.intp)
    for start in range(0, angles.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        turns = angles[block] / geometry.TURN
        if not np.isfinite(turns).all():
            raise InvalidArgument("angles", "must be finite radians; got nan or inf", hint="leave those rows out")
        slack = np.clip(2.0 * precision * bins * np.abs(turns), 1e-9, 0.5)
        index[block] = ((turns - np.floor(turns)) * bins + slack).astype(np.intp) % bins
    return index


def bin_transitions(distribution: AngularNoise, bins: int = 24) -> Array:
    """Probabilities that randomised angles from one bin (row) of a circular histogram fall into another.

    The true angle is uniform in its bin. Then the probabilities are second differences of the integral of
    the distribution's CDF, which is smooth within a bin, and are exact to rounding (1e-13). Rows add up to 1.

    Parameters
    ----------
    distribution : object
        A distribution on the circle: symmetric about its mode (:class:`dirpriv.distributions.SymmetricDistribution`),
        or with a method ``bin_transitions`` of its own, as :class:`dirpriv.distributions.ClippedLaplace`.
    bins : int
        Number of bins of equal width; bin 0 begins at angle 0.
    """
    bins = validate.integer("bins", bins, 1)
    check_distribution(distribution, "a distribution on the circle", CIRCLE, "angle_sf")
    if not lacking(distribution, "bin_transitions"):  # it is not symmetric, and knows better
        return distribution.bin_transitions(bins)  # type: ignore[attr-defined]
    width = geometry.TURN / bins
    # the probability of more than x on one side, averaged over each bin that x passes through up to π
    edges = np.minimum(width * np.arange(bins // 2 + 2), np.pi)
    # noise of any size: the first bin is cut into halves, down to the nearest of them to 0
    fine = np.concatenate([[0.0], edges[1] * 0.5 ** np.arange(40, 0, -1), edges[1:]])
    lengths = np.diff(fine)
    tail = lengths * integral(distribution.angle_sf(fine[:-1, None] + lengths[:, None] * NODES)) / 2.0
    mean_tail = np.concatenate([[tail[:41].sum()], tail[41:], [0.0]]) / width
    offsets = np.zeros(bins)
    offsets[0] = 1.0 - 2.0 * mean_tail[0]
    moved = np.maximum(-np.diff(mean_tail), 0.0)
    steps = np.arange(1, moved.size + 1)
    np.add.at(offsets, steps % bins, moved)
    np.add.at(offsets, -steps % bins, moved)
    return offsets[(np.arange(bins) - np.arange(bins)[:, None]) % bins]


def deconvolve(
    counts: ArrayLike, distribution: AngularNoise, *, subdivisions: int = 4, tolerance: float = 1e-8
) -> Array:
    """Estimate circular histograms from the histograms of their randomised angles (EMS).

    Expectation-maximisation for the probabilities of the bins, with a step of smoothing by the kernel [1, 2, 1]/4 after
    each: without it, the estimate follows the noise into a few high bins. It uses only released data (post-processing).
    The width of the kernel is given; :func:`estimate_histogram` chooses its width from the reports, and has intervals.
    Where the counts are too few for the noise to show any peak (300 at level 0.1 within 3 h), the estimated counts can
    be farther off than what was seen. They are nonnegative, of the shape and totals of ``counts``.

    Parameters
    ----------
    counts : array_like, shape (bins,) or (rows, bins)
        Histograms of randomised angles, see :func:`circular_histogram`; each row is estimated on its own.
    distribution : object
        The distribution they were drawn from, see :func:`bin_transitions`.
    subdivisions : int, keyword-only
        Parts of a bin for which probabilities are estimated and smoothed, before they are added up again:
        with 4 to the hour, the kernel is a quarter of an hour wide. More follow the data more closely. For
        days of two peaks and noise of hours, 2 is best for some hundreds of counts, 4 for ten thousand, 10
        or more for a million; 1 blurs all of them.
    tolerance : float, keyword-only
        The iteration of a row ends when no probability changes by more than this.

    Raises
    ------
    ValueError
        If a count is negative, infinite or nan, a histogram is empty, or the distribution not one on the circle.
    RuntimeError
        If a row does not settle in 100 000 iterations.

    References
    ----------
    .. [1] Silverman, B. W., Jones, M. C., Wilson, J. D., Nychka, D. W., "A smoothed EM approach to indirect
       estimation problems", Journal of the Royal Statistical Society B 52 (1990) 271-324.
    .. [2] Li, Z., Wang, T., Lopuhaä-Zwakenberg, M., Li, N., Škorić, B., "Estimating numerical distributions
       under local differential privacy", SIGMOD 2020, 621-635.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, distributions
    >>> from dirpriv.estimators.transport import circular_emd
    >>> distribution = distributions.Purkayastha(dim=2, kappa=1.27)  # level 1 within 3 hours
    >>> day = np.array([1, 0, 0, 0, 0, 0, 1, 5, 9, 6, 3, 3, 4, 4, 3, 3, 4, 7, 12, 16, 13, 9, 5, 2])
    >>> expected = day @ estimators.bin_transitions(distribution, bins=24)
    >>> [round(circular_emd(day, shares), 2) for shares in (expected, estimators.deconvolve(expected, distribution))]
    [1.0, 0.21]
    """
    shares, totals = validate.histogram("counts", counts)
    tolerance = validate.positive("tolerance", tolerance)
    bins, parts = shares.shape[-1], validate.integer("subdivisions", subdivisions, 1)
    transitions = bin_transitions(distribution, bins * parts).reshape(bins * parts, bins, parts).sum(axis=2)
    rows = shares.reshape(-1, bins)
    estimates = np.empty_like(rows)
    step = max(1, _BLOCK // (bins * parts))
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        fine = _smoothed_maximisation(rows[block], transitions, tolerance)
        estimates[block] = fine.reshape(-1, bins, parts).sum(axis=2)
    return estimates.reshape(shares.shape) * totals


def _smoothed_maximisation(shares: Array, transitions: Array, tolerance: float) -> Array:
    """Probabilities of the true bins, from rows of shares of the bins that were seen."""
    out = np.full((len(shares), len(transitions)), 1.0 / len(transitions))
    todo = np.arange(len(shares))
    # of the neighbours; to roll the rows themselves takes ten times longer
    left, right = (np.roll(np.arange(len(transitions)), by) for by in (1, -1))
    back = np.ascontiguousarray(transitions.T)
    for _ in range(100_000):
        before = out[todo]
        # 0 in bins that no likely cell reaches: nothing was counted there, so anything positive will do
        predicted = np.maximum(before @ transitions, np.finfo(float).tiny)
        after = before * ((shares[todo] / predicted) @ back)
        after = (2.0 * after + after.take(left, axis=-1) + after.take(right, axis=-1)) / 4.0
        after /= after.sum(axis=-1, keepdims=True)
        out[todo] = after
        todo = todo[np.abs(after - before).max(axis=-1) > tolerance]
        if todo.size == 0:
            return out
    raise RuntimeError(f"{todo.size} histograms did not converge: allow a larger 'tolerance' than {tolerance!r}")
