"""Means of directions, and expected errors of private means: also of few responses, on the circle."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import scipy  # which imports its submodules where they are first used
from numpy.typing import ArrayLike
from scipy.special import gammaln, jv

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, describe
from dirpriv._lib.quadrature import WEIGHTS, panels
from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions.protocols import SymmetricNoise
from dirpriv.distributions.shared.base import scalar_or_array
from dirpriv.distributions.user.adapter import check_distribution, is_symmetric
from dirpriv.geometry.spaces import CIRCLE, Sphere

_EDGES = np.unique(np.concatenate([np.linspace(0.0, np.pi, 2049), np.geomspace(1e-9, 0.05, 500)]))  # of cells
_NARROWEST = 1e-6  # root mean square sine, for which the edges are fine enough


def mean_direction(x: ArrayLike, axis: int = -2) -> Array:
    """Direction of the sum of vectors, as a unit vector.

    Parameters
    ----------
    x : array_like, shape (..., N, n)
        Unit vectors.
    axis : int
        Axis over which vectors are added, any but the last, which holds their coordinates.

    Raises
    ------
    ValueError
        If ``axis`` is the last axis of ``x``, or none of its axes, or some vectors add up to zero, up to
        rounding, so that there is no direction.

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
    norm = np.linalg.norm(total, axis=-1)
    _check_direction("x", norm, np.linalg.norm(vectors, axis=-1).sum(axis=axis + (axis < 0)), x)
    return total / norm[..., None]


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
        If there is nothing to average, or the directions add up to zero, up to rounding.

    Examples
    --------
    >>> from dirpriv.estimators import circular_mean
    >>> from dirpriv.geometry import angles_to_hours, hours_to_angles
    >>> round(float(angles_to_hours(circular_mean(hours_to_angles([23.0, 2.0])))), 6)
    0.5
    """
    values = validate.reals("angles", angles)
    if values.size == 0:
        raise InvalidArgument("angles", "is empty", hint="a mean needs at least one angle")
    sums = np.stack([np.cos(values).sum(axis=axis), np.sin(values).sum(axis=axis)], axis=-1)
    most = np.clip(np.abs(values), 1.0, 1e6).sum(axis=axis)  # the rounding of an angle grows with it
    _check_direction("angles", np.linalg.norm(sums, axis=-1), most, angles)
    return scalar_or_array(geometry.vectors_to_angles(sums))


def _check_direction(name: str, lengths: Any, most: Any, values: Any) -> None:
    """Refuse sums of vectors that are 0 up to the rounding of terms of a total size."""
    none = lengths <= 4.0 * validate.precision(values) * most
    rule = "has no mean direction, as its directions add up to zero"
    validate.refuse(name, none, rule, "a mean needs directions that do not cancel")


def symmetric(distribution: Any, *names: str) -> Any:
    """The distribution, if it is symmetric about its mode, so that its mean points there, and has these methods."""
    if not is_symmetric(distribution):
        hint = "the mean of its draws tends to a wrong direction, see dirpriv.estimators.asymptotic_bias"
        raise InvalidArgument(f"{distribution!r} is not symmetric about its mode", hint=hint)
    check_distribution(distribution, "a distribution of directions", Sphere, "mean_cosine", *names)
    return distribution


def asymptotic_bias(distribution: Any, x: ArrayLike) -> float:
    """Angle by which the mean direction of randomised responses stays wrong, however many there are.

    In radians; 0 for every rotationally symmetric distribution, whose mean vector points to the mode.

    Parameters
    ----------
    distribution, x : object and array_like, shape (N, n)
        A distribution of :mod:`dirpriv.distributions`, and the true directions.

    Examples
    --------
    >>> from dirpriv import estimators, distributions
    >>> round(estimators.asymptotic_bias(distributions.ClippedLaplace(kappa=1.0), [[0.0, 1.0]]), 3)
    0.098
    """
    true, total = mean_direction(x), distribution.mean_vector(validate.reals("x", x)).sum(axis=0)
    length = np.linalg.norm(total)
    _check_direction("x", length, len(np.asarray(x)), x)
    return float(geometry.angle_between_vectors(total / length, true))


def expected_mean_error(
    distribution: SymmetricNoise, n: ArrayLike, *, x: ArrayLike | None = None, angles: ArrayLike | None = None
) -> FloatOrArray:
    """Expected error of the direction of the sum of ``n`` randomised responses, for large n, in radians.

    With the responses fixed, the part of the noisy sum across their mean direction is asymptotically normal, with the
    covariance Σ [E sin² θ/(dim - 1) (I - u uᵀ) + Var cos θ u uᵀ], u a response, both restricted to the directions
    across. So the expected angle between private and true mean of the same responses is asymptotically E‖Z‖ / (ρ R √n):
    Z normal with the mean of those covariances, ρ = E cos θ, R the mean resultant length of the responses. With all
    responses equal, and always on the circle, Z is isotropic and E‖Z‖ = σ √2 Γ(dim/2) / Γ((dim - 1)/2). Where the
    result exceeds about 0.5 it says only that the error is large, and :func:`normal_mean_error` says more.

    Parameters
    ----------
    distribution : dirpriv.distributions.SymmetricDistribution
        A distribution that is symmetric about its mode.
    n : array_like
        Number of responses.
    x : array_like, shape (P, dim), optional, keyword-only
        The true unit vectors from which responses are taken.
    angles : array_like, optional, keyword-only
        The same on the circle as angles in radians. With neither, all responses are equal (R = 1).

    Raises
    ------
    ValueError
        If ``n`` is not positive, the distribution uniform or not symmetric, both ``angles`` and ``x`` are given, or
        the responses have no mean direction.
    """
    n = validate.reals("n", n)
    if np.any(~(n > 0)):
        raise InvalidArgument("n", "must be positive", got=float(n.min()))
    if angles is not None:
        if x is not None:
            raise InvalidArgument("give the responses as 'angles' or as 'x', not as both")
        if symmetric(distribution).space != CIRCLE:
            raise InvalidArgument("angles", "go with a distribution on the circle (dim=2)", hint="give 'x'")
        values = np.ravel(angles)
        bad = ~np.isfinite(validate.reals("angles", values))
        validate.refuse("angles", bad, "is nan or infinite", "leave the row out")
        circular_mean(values)
        x = geometry.angles_to_vectors(values)
    rho, sideways, lengthwise, resultant, across2 = _spreads(distribution, x)
    validate.positive("mean cosine of the distribution", rho)
    variances = sideways * (1.0 - across2) + lengthwise * across2
    return scalar_or_array(_mean_norm(variances) / (rho * resultant * np.sqrt(n)))


def normal_mean_error(distribution: SymmetricNoise, n: float, *, x: ArrayLike | None = None) -> float:
    """Expected error in radians of the direction for any n at which the sum of responses is nearly normal.

    :func:`expected_mean_error` takes the angle for its tangent, and the length of the sum for its mean.
    This function approximates neither: the error is the expected angle of a normal vector with the mean and the
    covariance of the sum. It tends to π/2, the mean angle of uniform noise, where the responses hold no information.

    Parameters
    ----------
    distribution, n, x : distribution, float and array_like
        As for :func:`expected_mean_error`, with its errors; some tens of responses are many. The covariance across
        the mean direction of ``x`` is taken for isotropic, and for independent of the variance along it.

    Examples
    --------
    >>> from dirpriv.estimators import expected_mean_error, normal_mean_error
    >>> from dirpriv.distributions import Purkayastha
    >>> distribution = Purkayastha(dim=3, kappa=0.01)
    >>> [round(error(distribution, 1e4), 3) for error in (expected_mean_error, normal_mean_error)]
    [1.843, 1.16]
    """
    n = validate.positive("n", n)
    return _normal_error(_spreads(distribution, x), distribution.space.dimension, n)


def _normal_error(spreads: tuple[float, float, float, float, Array], dim: int, n: float) -> float:
    rho, sideways, lengthwise, resultant, across2 = spreads
    mixed = across2.sum()
    variance_along = lengthwise * (1.0 - mixed) + sideways * mixed
    variance_across = sideways + (lengthwise - sideways) * mixed / (dim - 1)
    along, along_weight = _normal_nodes(-9.0, 9.0, 0)
    middle = np.sqrt(dim - 2.0)
    across, across_weight = _normal_nodes(max(middle - 9.0, 0.0), middle + 9.0, dim - 2)
    along = rho * resultant + along * np.sqrt(max(variance_along, 0.0) / n)
    angles = np.arctan2(across[:, None] * np.sqrt(variance_across / n), along)
    return float((across_weight[:, None] * angles * along_weight).sum())


@functools.lru_cache(maxsize=8)
def _normal_nodes(low: float, high: float, power: int) -> tuple[Array, Array]:
    """Nodes and weights for the density ∝ |t|^power exp(-t²/2) on an interval."""
    nodes, _ = panels(np.linspace(low, high, 9))
    exponent = (power * np.log(np.abs(nodes)) if power else 0.0) - nodes**2 / 2.0
    weights = np.tile(WEIGHTS, 8) * np.exp(exponent - exponent.max())
    return nodes, weights / weights.sum()


def _spreads(distribution: SymmetricNoise, x: Any) -> tuple[float, float, float, float, Array]:
    """Mean cosine of a distribution, variances across and along; resultant length and second moments of vectors."""
    rho, sine2 = symmetric(distribution, "mean_squared_sine").mean_cosine(), distribution.mean_squared_sine()
    dim, lengthwise = distribution.space.dimension, 1.0 - sine2 - rho**2
    if x is None:  # all are equal
        return rho, sine2 / (dim - 1), lengthwise, 1.0, np.zeros(dim - 1)
    rows = validate.unit_vectors("x", np.atleast_2d(x), dim)
    total = rows.sum(axis=0)
    _check_direction("x", np.linalg.norm(total), len(rows), x)
    x, mean = rows, total / len(rows)
    resultant = float(np.linalg.norm(mean))
    direction = mean / resultant
    across = x - np.outer(x @ direction, direction)
    # along the principal axes, of which one is the mean direction itself, with no moment across
    moments = np.maximum(np.linalg.eigvalsh(across.T @ across / len(x))[1:], 0.0)
    return rho, sine2 / (dim - 1), lengthwise, resultant, moments


def _mean_norm(variances: Array) -> float:
    """E‖Z‖ of a normal vector with these variances along its principal axes.

    E√Q = 1/√π ∫ (1 - E exp(-u² Q)) / u² du over u > 0, for any Q ≥ 0; here with u = tan a.
    """
    total, count = variances.sum(), variances.size
    if np.ptp(variances) <= 1e-12 * total:
        return np.sqrt(2.0 * total / count) * np.exp(gammaln((count + 1) / 2.0) - gammaln(count / 2.0))
    # four panels: exp(-tan² a) is flat at the right end and steep before it
    a, _ = panels(np.linspace(0.0, np.pi / 2.0, 5))
    exponent = np.log1p(np.tan(a)[:, None] ** 2 * (variances / total)).sum(axis=1) / 2.0
    values = -np.expm1(-exponent) / np.sin(a) ** 2
    return np.sqrt(2.0 * total / np.pi) * float((values * np.tile(WEIGHTS, 4)).sum()) * np.pi / 8.0


def expected_circular_mean_error(distribution: SymmetricNoise, n: int) -> float:
    r"""Expected error of the circular mean of ``n`` responses around one direction, for every n, in radians.

    Let S be the sum of the responses, φ its angle from the true direction, and :math:`S_t` the component of S
    in the direction π/2 further than the angle t. :math:`S_t > 0` says that φ is in :math:`(t, t + \pi)`, so

    .. math:: \operatorname{E}|\varphi| = \int_0^\pi P(S_t > 0)\,dt ,

    exactly. :math:`S_t` is a sum of n independent numbers :math:`\sin(\Theta - t)`, Θ the signed angle of the
    noise. Their characteristic function is :math:`\sum_k J_k(u) a_k e^{-ikt}` with the moments
    :math:`a_k = \operatorname{E}\cos k\Theta` of the distribution, so that an inversion of its n-th power gives the
    probability. The result is right to about 5e-4 of its value. For large n, in all dimensions and for any
    people there is :func:`expected_mean_error`.

    Parameters
    ----------
    distribution, n : dirpriv.distributions.SymmetricDistribution and int
        A distribution on the circle that is symmetric about its mode, and the number of responses.

    Examples
    --------
    >>> from dirpriv.estimators import expected_circular_mean_error, expected_mean_error
    >>> from dirpriv.distributions import Purkayastha
    >>> distribution = Purkayastha(dim=2, kappa=1.0)
    >>> [round(error(distribution, 5), 3) for error in (expected_mean_error, expected_circular_mean_error)]
    [0.414, 0.458]
    """
    n = validate.integer("n", n, 1)
    if symmetric(distribution).space != CIRCLE:
        raise InvalidArgument("distribution", "must be one on the circle (dim=2)", got=distribution)
    if n == 1:
        edges = _edges_for(np.sqrt(distribution.mean_squared_sine()))
        survival = _survival(distribution, edges)  # the mean angle is ∫ P(θ > t) dt
        return float((np.diff(edges) * (survival[1:] + survival[:-1])).sum() / 2.0)
    if n > 1000:  # the error of the normal distribution is below 4e-4 there
        return normal_mean_error(distribution, n)
    length, sine = distribution.mean_cosine(), np.sqrt(distribution.mean_squared_sine())
    if length > 0.0 and sine < 0.03:  # such angles are their own sines, and their mean is that of the directions
        return _narrow_distribution_error(distribution, n, sine)
    return _integral(distribution, n, length, sine)


def sample_size_for_error(distribution: SymmetricNoise, error: float, *, x: ArrayLike | None = None) -> int:
    """Fewest responses whose mean direction has at most this expected error.

    By :func:`normal_mean_error`, and on the circle for at most 200 equal responses by
    :func:`expected_circular_mean_error`.

    Parameters
    ----------
    distribution : dirpriv.distributions.SymmetricDistribution
        A distribution that is symmetric about its mode, and not uniform.
    error : float
        Radians, below π/2.
    x : array_like, shape (P, dim), optional, keyword-only
        As for :func:`expected_mean_error`.

    Raises
    ------
    ValueError
        If the error is not positive, or not below π/2, which uniform noise has, the distribution is uniform, or the
        responses have no mean direction.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, distributions
    >>> estimators.sample_size_for_error(distributions.Purkayastha(dim=2, kappa=1 / np.pi), 0.1)
    791
    """
    error = validate.positive("error", error)
    if error >= np.pi / 2.0:
        raise InvalidArgument("error", "must be below π/2, the error of uniform noise", got=error)
    validate.positive("mean cosine of the distribution", symmetric(distribution).mean_cosine())

    spreads, dim = _spreads(distribution, x), distribution.space.dimension

    def excess(log_people: float) -> float:
        return _normal_error(spreads, dim, validate.positive("n", np.exp(log_people))) - error

    start = 2.0 * np.log(expected_mean_error(distribution, 1, x=x) / error)  # for large n, and near for others
    if start > 667.0:
        rule = "is too near the uniform distribution: no 1e290 responses are enough"
        raise InvalidArgument("distribution", rule, got=distribution)
    low, high = max(start - 1.0, 0.0), max(start, 0.0) + 1.0
    while excess(high) > 0.0:
        low, high = high, high + 2.0
    while low > 0.0 and excess(low) < 0.0:
        low, high = max(low - 2.0, 0.0), low
    number = 1.0 if excess(low) <= 0.0 else np.exp(scipy.optimize.brentq(excess, low, high, rtol=1e-9))
    # the error of the normal distribution is below 1e-3 of the value from 200 responses on
    if number > 200 or x is not None or distribution.space != CIRCLE:
        return math.ceil(number)
    people = max(int(number), 1)
    while expected_circular_mean_error(distribution, people) > error:
        people += 1
    while people > 1 and expected_circular_mean_error(distribution, people - 1) <= error:
        people -= 1
    return people


def _integral(distribution: SymmetricNoise, n: int, length: float, sine: float) -> float:
    """∫ P(S_t > 0) dt over [0, π], by Gil-Pelaez's inversion at the midpoints of even steps."""
    across = sine * np.sqrt(n)
    half = np.pi / 2.0  # the distribution is symmetric, and so t and π - t have the same probability
    reach = min(10.0 * across / (length * n), half) if length > 0.0 else half
    ends = np.unique([0.0, reach / 4.0, reach / 2.0, reach, (reach + half) / 2.0, half])
    # Bernstein's inequality at exp(-20): beyond it nothing is left, and S_t is too narrow for the frequencies
    farthest = (20.0 / 3.0 + np.sqrt(400.0 / 9.0 + 40.0 * across**2)) / max(length * n, 1e-300)
    if farthest < 0.5:
        ends = np.linspace(0.0, farthest, 6)
    t, weights = panels(ends)
    # the sum lies within ``room``; a step of π/room repeats it beyond, where nothing is
    room = min(n * length + 12.0 * np.sqrt(n), 1.05 * n)
    # where the n-th power has vanished: a kink of the density leaves (u sine)^(-2n), its breadth u^(-n/2)
    end = max(12.0 / across, 10.0 ** (3.5 / n) / sine, min(60.0, 0.7 * 1e16 ** (1.0 / n)))
    u = np.pi / room * (np.arange(int(min(end, 500.0) * room / np.pi) + 1) + 0.5)
    k = np.arange(int(u[-1] + 12.0 * np.cbrt(u[-1])) + 20)
    moments = _harmonics(1 << (len(k) - 1).bit_length())[: len(k)] @ -np.diff(_survival(distribution, _EDGES))
    terms = (moments * np.where(k == 0, 1.0, 2.0))[:, None] * jv(k[:, None], u)
    even = k % 2 == 0
    real = np.cos(np.outer(t, k[even])) @ terms[even]
    imaginary = -np.sin(np.outer(t, k[~even])) @ terms[~even]
    powers = ((real + 1j * imaginary) ** n).imag
    return float(2.0 * weights @ (0.5 + powers @ (1.0 / (np.arange(len(u)) + 0.5)) / np.pi))


def _narrow_distribution_error(distribution: SymmetricNoise, n: int, sine: float) -> float:
    """E|ΣΘ|/n = 2/(πn) ∫ (1 - ψ(u)^n)/u² du, ψ(u) = E cos uΘ, by u = exp(v)."""
    v = np.linspace(-9.0, 7.0, 257)
    u = np.exp(v) / (sine * np.sqrt(n))
    edges = _edges_for(sine)
    moments = _mean_cosines(u, edges) @ -np.diff(_survival(distribution, edges))
    lost = -np.expm1(n * np.log(np.maximum(np.abs(moments), 1e-300)))
    inner = 0.5 * n * sine**2 * u[0]  # below, where 1 - ψ^n is n sine² u²/2
    return float(2.0 / (np.pi * n) * ((lost / u).sum() * (v[1] - v[0]) + inner + 1.0 / u[-1]))


def _edges_for(sine: float) -> Array:
    """Edges of cells, which are narrower where the distribution is so narrow that it would lie in few."""
    return _EDGES if sine > _NARROWEST else _EDGES * (sine / _NARROWEST)


def _mean_cosines(k: Array, edges: Array) -> Array:
    """The mean of cos kθ over each cell, a row for each k: the density is taken as constant within a cell."""
    half, middle, rows = np.diff(edges) / 2.0, (edges[1:] + edges[:-1]) / 2.0, k[:, None]
    return np.asarray(np.cos(rows * middle) * np.sinc(rows * half / np.pi))


@functools.lru_cache(maxsize=1, typed=True)
def _harmonics(count: int) -> Array:
    """The same for k = 0, 1, 2, …: all distributions share it, and a search asks for it hundreds of times."""
    return _mean_cosines(np.arange(count, dtype=float), _EDGES)


def _survival(distribution: SymmetricNoise, edges: Array) -> Array:
    """The share of the draws beyond each edge of the cells."""
    survival = np.asarray(distribution.angle_sf(edges), dtype=float)
    survival[0], survival[-1] = 1.0, 0.0
    return survival
