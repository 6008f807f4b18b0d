"""Estimates from directions, private or not, and the errors to expect of them."""

import numpy as np
from scipy.special import gammaln

from dirpriv import _validate, geometry
from dirpriv.laws._quadrature import NODES, WEIGHTS, panels
from dirpriv.laws.clipped_laplace import ClippedLaplace

_BLOCK = 2**17  # values handled at a time, which bounds the scratch memory


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


def expected_mean_error(law, n, angles=None, *, x=None):
    """Expected error of the direction of the sum of ``n`` randomised responses, for large n.

    With the responses fixed, the part of the noisy sum across their mean direction is asymptotically
    normal, with the covariance Σ [E sin² θ/(dim - 1) (I - u uᵀ) + Var cos θ u uᵀ], u a response, both
    restricted to the directions across. So the expected angle between private and true mean of the same
    responses is asymptotically E‖Z‖ / (ρ R √n): Z normal with the mean of those covariances, ρ = E cos θ,
    R the resultant length of the responses. With all responses equal, and always on the circle, Z is
    isotropic and E‖Z‖ = σ √2 Γ(dim/2) / Γ((dim - 1)/2).

    Parameters
    ----------
    law : object
        A rotationally symmetric law.
    n : array_like
        Number of responses.
    angles : array_like, optional
        On the circle, the true angles in radians from which responses are taken.
    x : array_like, shape (P, dim), optional, keyword-only
        The same as unit vectors, in any dimension. With neither, all responses are equal (R = 1).

    Returns
    -------
    float or ndarray
        Radians. A law of large n: where it exceeds about 0.5 it says only that the error is large, and
        :func:`normal_mean_error` says more.

    Raises
    ------
    ValueError
        If ``n`` is not positive, the law uniform, or both ``angles`` and ``x`` are given.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import expected_mean_error
    >>> from dirpriv.laws import Purkayastha
    >>> round(float(expected_mean_error(Purkayastha(dim=2, kappa=1 / np.pi), 783)), 3)
    0.1
    >>> round(float(expected_mean_error(Purkayastha(dim=3, kappa=1 / np.pi), 1e4)), 3)
    0.058
    """
    n = np.asarray(n, dtype=float)
    if np.any(~(n > 0)):
        raise ValueError(f"'n' must be positive; got {n.min()!r}")
    if angles is not None:
        if x is not None:
            raise ValueError("give the responses as 'angles' or as 'x', not as both")
        x = geometry.angles_to_vectors(np.ravel(angles))
    rho, sine2 = law.mean_cosine(), law.mean_squared_sine()
    _validate.positive("mean cosine of the law", rho)
    resultant, across2 = (1.0, np.zeros(law.dim - 1)) if x is None else _spread(x, law.dim)
    sideways = sine2 / (law.dim - 1)
    variances = sideways * (1.0 - across2) + (1.0 - sine2 - rho**2) * across2
    return (_mean_norm(variances) / (rho * resultant * np.sqrt(n)))[()]


def normal_mean_error(law, n, x=None):
    """The same expected error for any n at which the sum of the responses is nearly normal.

    :func:`expected_mean_error` takes the angle for its tangent, and the length of the sum for its mean.
    Here both are left as they are: the error is the expected angle of a normal vector with the mean and
    the covariance of the sum. It tends to the right angle of uniform noise where nothing can be learnt.

    Parameters
    ----------
    law : object
        A rotationally symmetric law.
    n : float
        Number of responses; some tens are many.
    x : array_like, shape (P, dim), optional
        True unit vectors from which responses are taken; by default all are equal. The covariance across
        their mean direction is taken for isotropic, and for independent of the variance along it.

    Returns
    -------
    float
        Radians.

    Raises
    ------
    ValueError
        If ``n`` is not positive.

    Examples
    --------
    >>> from dirpriv.estimators import expected_mean_error, normal_mean_error
    >>> from dirpriv.laws import Purkayastha
    >>> law = Purkayastha(dim=3, kappa=0.01)
    >>> [round(float(error(law, 1e4)), 3) for error in (expected_mean_error, normal_mean_error)]
    [1.843, 1.16]
    """
    n = _validate.positive("n", n)
    rho, sine2 = law.mean_cosine(), law.mean_squared_sine()
    resultant, across2 = (1.0, np.zeros(law.dim - 1)) if x is None else _spread(x, law.dim)
    sideways, lengthwise = sine2 / (law.dim - 1), 1.0 - sine2 - rho**2
    mixed = across2.sum()
    variance_along = lengthwise * (1.0 - mixed) + sideways * mixed
    variance_across = sideways + (lengthwise - sideways) * mixed / (law.dim - 1)
    along, along_weight = _normal_nodes(-9.0, 9.0, 0)
    middle = np.sqrt(law.dim - 2.0)
    across, across_weight = _normal_nodes(max(middle - 9.0, 0.0), middle + 9.0, law.dim - 2)
    along = rho * resultant + along * np.sqrt(max(variance_along, 0.0) / n)
    angles = np.arctan2(across[:, None] * np.sqrt(variance_across / n), along)
    return float(across_weight @ angles @ along_weight)


def circular_histogram(angles, bins=24, *, groups=None, group_count=None):
    """Counts of angles in bins of equal width around the circle; bin 0 begins at angle 0.

    Parameters
    ----------
    angles : array_like
        Radians, taken modulo 2π. An angle less than 1e-9 of a bin below a border counts as on it, so in the
        bin that begins there: a whole hour, with the rounding it has as an angle, falls into its own bin.
    bins : int
        Number of bins: 24 hours of the day.
    groups : array_like of int, optional, keyword-only
        For each angle, the histogram it belongs to, from 0 on: its venue, for example.
    group_count : int, optional, keyword-only
        Number of histograms; by default one more than the largest of ``groups``.

    Returns
    -------
    ndarray of int, shape (bins,), or (group_count, bins) with ``groups``

    Raises
    ------
    ValueError
        If an angle is not finite, or ``bins`` or ``groups`` are not what they should be.

    Examples
    --------
    >>> from dirpriv.estimators import circular_histogram
    >>> from dirpriv.geometry import hours_to_angles
    >>> circular_histogram(hours_to_angles([23.5, 0.0, 7.0, 12.0]), bins=4).tolist()
    [1, 1, 1, 1]
    >>> circular_histogram(hours_to_angles([23.5, 0.0, 7.0]), bins=2, groups=[0, 0, 1]).tolist()
    [[1, 1], [1, 0]]
    """
    bins = _validate.integer("bins", bins, 1)
    angles = np.ravel(np.asarray(angles, dtype=float))
    index = np.empty(angles.size, dtype=np.intp)
    for start in range(0, angles.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        turns = angles[block] / geometry.TURN
        if not np.isfinite(turns).all():
            raise ValueError("'angles' must be finite radians; got nan or inf: leave those rows out")
        index[block] = ((turns - np.floor(turns)) * bins + 1e-9).astype(np.intp) % bins
    if groups is None:
        if group_count is not None:
            raise ValueError("'group_count' goes with 'groups'; got no 'groups'")
        return np.bincount(index, minlength=bins)
    groups = np.ravel(np.asarray(groups))
    if groups.shape != angles.shape or (groups.size and groups.dtype.kind not in "iu"):
        raise ValueError(
            f"'groups' must hold one integer for each of the {angles.size} angles; got {groups.size} of type "
            f"{groups.dtype}"
        )
    low, high = (int(groups.min()), int(groups.max())) if groups.size else (0, -1)
    group_count = _validate.integer("group_count", high + 1 if group_count is None else group_count, 0)
    if low < 0 or high >= group_count:
        raise ValueError(f"'groups' must lie in 0 to {group_count - 1}; got {low if low < 0 else high}")
    index += bins * groups.astype(np.intp)
    return np.bincount(index, minlength=group_count * bins).reshape(group_count, bins)


def bin_transitions(law, bins=24):
    """Probabilities that randomised angles from one bin of a circular histogram fall into another.

    The true angle is uniform in its bin. Then the probabilities are second differences of the integral of
    the law's CDF, which is smooth within a bin, and are exact to rounding (1e-13).

    Parameters
    ----------
    law : object
        A law on the circle: rotationally symmetric, or :class:`dirpriv.laws.ClippedLaplace`.
    bins : int
        Number of bins of equal width; bin 0 begins at angle 0.

    Returns
    -------
    ndarray, shape (bins, bins)
        Row: true bin; column: bin of the randomised angle. Rows add up to 1.

    Raises
    ------
    ValueError
        If the law is not one on the circle.

    Examples
    --------
    >>> from dirpriv.estimators import bin_transitions
    >>> from dirpriv.laws import Purkayastha
    >>> bin_transitions(Purkayastha(dim=2, kappa=2.0), bins=4).round(2).tolist()[0]
    [0.7, 0.15, 0.01, 0.15]
    """
    bins = _validate.integer("bins", bins, 1)
    if getattr(law, "dim", None) != 2:
        raise ValueError(f"'law' must be a law on the circle (dim = 2); got {law!r}")
    width = geometry.TURN / bins
    if isinstance(law, ClippedLaplace):
        return _clipped_transitions(law.kappa, bins, width)
    # the probability of more than x on one side, averaged over each bin that x passes through up to π
    edges = np.minimum(width * np.arange(bins // 2 + 2), np.pi)
    # noise of any size: the first bin is cut into halves, down to the nearest of them to 0
    fine = np.concatenate([[0.0], edges[1] * 0.5 ** np.arange(40, 0, -1), edges[1:]])
    lengths = np.diff(fine)
    tail = lengths * (law.angle_sf(fine[:-1, None] + lengths[:, None] * NODES) @ WEIGHTS) / 2.0
    mean_tail = np.concatenate([[tail[:41].sum()], tail[41:], [0.0]]) / width
    offsets = np.zeros(bins)
    offsets[0] = 1.0 - 2.0 * mean_tail[0]
    moved = np.maximum(-np.diff(mean_tail), 0.0)
    steps = np.arange(1, moved.size + 1)
    np.add.at(offsets, steps % bins, moved)
    np.add.at(offsets, -steps % bins, moved)
    return offsets[(np.arange(bins) - np.arange(bins)[:, None]) % bins]


def _clipped_transitions(kappa, bins, width):
    """The same for noise that is clipped to one turn of the line; both its ends are the seam, in bin 0."""
    rate = max(kappa, 1e-300)
    steps = width * np.arange(-bins, bins + 1)
    # the integral of the CDF of the noise, but for a constant
    integral = np.maximum(steps, 0.0) + np.expm1(-rate * np.abs(steps)) / (2.0 * rate)
    below = np.diff(integral) / width  # CDF at the border b, averaged over the bin i: entry b - i - 1 + bins
    border, true = np.arange(bins + 1), np.arange(bins)[:, None]
    below = below[border - true - 1 + bins]
    inside = np.diff(below, axis=1)
    inside[:, 0] += below[:, 0] + 1.0 - below[:, -1]
    return np.maximum(inside, 0.0)


def deconvolve(counts, law, *, subdivisions=4, tolerance=1e-8):
    """Estimate circular histograms from the histograms of their randomised angles (EMS).

    Expectation-maximisation for the probabilities of the bins, with a step of smoothing by the kernel
    [1, 2, 1]/4 after each: without it, the estimate follows the noise into a few high bins. It is
    post-processing: it uses only what was released, and takes nothing from the privacy.

    Parameters
    ----------
    counts : array_like, shape (bins,) or (rows, bins)
        Histograms of randomised angles, see :func:`circular_histogram`; each row is estimated on its own.
    law : object
        The law they were drawn from, see :func:`bin_transitions`.
    subdivisions : int, keyword-only
        Parts of a bin for which probabilities are estimated and smoothed, before they are added up again:
        with 4 to the hour, the kernel is a quarter of an hour wide. More follow the data more closely. For
        days of two peaks and noise of hours, 2 is best for some hundreds of counts, 4 for ten thousand, 10
        or more for a million; 1 blurs all of them.
    tolerance : float, keyword-only
        The iteration of a row ends when no probability changes by more than this.

    Returns
    -------
    ndarray
        Estimated counts, nonnegative, of the shape and with the totals of ``counts``. Where the counts are
        too few for the noise to show any peak (300 at level 0.1 within 3 h), it can be farther off than
        what was seen.

    Raises
    ------
    ValueError
        If a count is negative, infinite or nan, a histogram is empty, or the law not one on the circle.
    RuntimeError
        If a row does not settle in 100 000 iterations.

    References
    ----------
    .. [1] B. W. Silverman, M. C. Jones, J. D. Wilson, D. W. Nychka, "A smoothed EM approach to indirect
       estimation problems", Journal of the Royal Statistical Society B 52 (1990) 271-324.
    .. [2] Z. Li, T. Wang, M. Lopuhaä-Zwakenberg, N. Li, B. Škorić, "Estimating numerical distributions under
       local differential privacy", SIGMOD 2020, 621-635.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import bin_transitions, deconvolve
    >>> from dirpriv.laws import Purkayastha
    >>> from dirpriv.transport import circular_emd
    >>> law = Purkayastha(dim=2, kappa=1.27)  # level 1 within 3 hours
    >>> day = np.array([1, 0, 0, 0, 0, 0, 1, 5, 9, 6, 3, 3, 4, 4, 3, 3, 4, 7, 12, 16, 13, 9, 5, 2])
    >>> expected = day @ bin_transitions(law, bins=24)
    >>> [round(circular_emd(day, seen), 2) for seen in (expected, deconvolve(expected, law))]
    [1.0, 0.21]
    """
    shares, totals = _validate.histogram("counts", counts)
    tolerance = _validate.positive("tolerance", tolerance)
    bins, parts = shares.shape[-1], _validate.integer("subdivisions", subdivisions, 1)
    transitions = bin_transitions(law, bins * parts).reshape(bins * parts, bins, parts).sum(axis=2)
    rows = shares.reshape(-1, bins)
    estimates = np.empty_like(rows)
    step = max(1, _BLOCK // (bins * parts))
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        fine = _smoothed_maximisation(rows[block], transitions, tolerance)
        estimates[block] = fine.reshape(-1, bins, parts).sum(axis=2)
    return estimates.reshape(shares.shape) * totals


def _smoothed_maximisation(seen, transitions, tolerance):
    """Probabilities of the true bins, from rows of shares of the bins that were seen."""
    out = np.full((len(seen), len(transitions)), 1.0 / len(transitions))
    todo = np.arange(len(seen))
    back = np.ascontiguousarray(transitions.T)
    for _ in range(100_000):
        before = out[todo]
        after = before * ((seen[todo] / (before @ transitions)) @ back)
        after = (2.0 * after + np.roll(after, 1, axis=-1) + np.roll(after, -1, axis=-1)) / 4.0
        after /= after.sum(axis=-1, keepdims=True)
        out[todo] = after
        todo = todo[np.abs(after - before).max(axis=-1) > tolerance]
        if todo.size == 0:
            return out
    raise RuntimeError(
        f"{todo.size} histograms did not settle: allow a larger 'tolerance' than {tolerance!r}"
    )


def _normal_nodes(low, high, power):
    """Nodes and weights for the density ∝ |t|^power exp(-t²/2) on an interval."""
    ends = np.linspace(low, high, 9)
    nodes, _ = panels(ends)
    exponent = (power * np.log(np.abs(nodes)) if power else 0.0) - nodes**2 / 2.0
    weights = np.tile(WEIGHTS, 8) * np.exp(exponent - exponent.max())
    return nodes, weights / weights.sum()


def _spread(x, dim):
    """Resultant length of unit vectors, and their second moments along the principal axes across the mean."""
    x = _validate.unit_vectors("x", np.atleast_2d(x), dim)
    mean = x.mean(axis=0)
    resultant = float(np.linalg.norm(mean))
    direction = mean / resultant
    across = x - np.outer(x @ direction, direction)
    # one of the principal axes is the mean direction itself, with no moment across
    return resultant, np.maximum(np.linalg.eigvalsh(across.T @ across / len(x))[1:], 0.0)


def _mean_norm(variances):
    """E‖Z‖ of a normal vector with these variances along its principal axes.

    In general E√Q = 1/√π ∫ (1 - E exp(-u² Q)) / u² du over u > 0, for any Q ≥ 0; here with u = tan a.
    """
    total, count = variances.sum(), variances.size
    if np.ptp(variances) <= 1e-12 * total:
        return np.sqrt(2.0 * total / count) * np.exp(gammaln((count + 1) / 2.0) - gammaln(count / 2.0))
    # four panels: exp(-tan² a) is flat at the right end and steep before it
    ends = np.linspace(0.0, np.pi / 2.0, 5)
    a, _ = panels(ends)
    exponent = np.log1p(np.tan(a)[:, None] ** 2 * (variances / total)).sum(axis=1) / 2.0
    values = -np.expm1(-exponent) / np.sin(a) ** 2
    return np.sqrt(2.0 * total / np.pi) * float(values @ np.tile(WEIGHTS, 4)) * np.pi / 8.0
