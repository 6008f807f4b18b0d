"""Expected errors of private means."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import WEIGHTS, panels
from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.estimators.means import mean_direction, symmetric
from dirpriv.laws.protocols import SymmetricNoise
from dirpriv.laws.shared.base import scalar_or_array


def limit_error(law: Any, x: ArrayLike) -> float:
    """Angle by which the mean direction of randomised responses stays wrong, however many there are.

    In radians; 0 for every rotationally symmetric law, whose mean vector points to the mode.

    Parameters
    ----------
    law : object
        A law of :mod:`dirpriv.laws`.
    x : array_like, shape (N, n)
        The true directions.

    Examples
    --------
    >>> from dirpriv import estimators, laws
    >>> round(estimators.limit_error(laws.ClippedLaplace(kappa=1.0), [[0.0, 1.0]]), 3)
    0.098
    """
    x = validate.reals("x", x)
    total = law.mean_vector(x).sum(axis=0)
    return float(geometry.angular_distance(total / np.linalg.norm(total), mean_direction(x)))


def expected_mean_error(
    law: SymmetricNoise, n: ArrayLike, *, x: ArrayLike | None = None, angles: ArrayLike | None = None
) -> FloatOrArray:
    """Expected error of the direction of the sum of ``n`` randomised responses, for large n, in radians.

    With the responses fixed, the part of the noisy sum across their mean direction is asymptotically
    normal, with the covariance Σ [E sin² θ/(dim - 1) (I - u uᵀ) + Var cos θ u uᵀ], u a response, both
    restricted to the directions across. So the expected angle between private and true mean of the same
    responses is asymptotically E‖Z‖ / (ρ R √n): Z normal with the mean of those covariances, ρ = E cos θ,
    R the resultant length of the responses. With all responses equal, and always on the circle, Z is
    isotropic and E‖Z‖ = σ √2 Γ(dim/2) / Γ((dim - 1)/2). Where the result exceeds about 0.5 it says only that
    the error is large, and :func:`normal_mean_error` says more.

    Parameters
    ----------
    law : dirpriv.laws.SymmetricLaw
        A law that is symmetric about its mode.
    n : array_like
        Number of responses.
    x : array_like, shape (P, dim), optional, keyword-only
        The true unit vectors from which responses are taken.
    angles : array_like, optional, keyword-only
        The same on the circle as angles in radians. With neither, all responses are equal (R = 1).

    Raises
    ------
    ValueError
        If ``n`` is not positive, the law uniform or not symmetric, or both ``angles`` and ``x`` are given.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, laws
    >>> round(estimators.expected_mean_error(laws.Purkayastha(dim=2, kappa=1 / np.pi), 783), 3)
    0.1
    """
    n = validate.reals("n", n)
    if np.any(~(n > 0)):
        raise InvalidArgument("n", "must be positive", got=float(n.min()))
    if angles is not None:
        if x is not None:
            raise InvalidArgument("give the responses as 'angles' or as 'x', not as both")
        x = geometry.angles_to_vectors(np.ravel(angles))
    rho, sideways, lengthwise, resultant, across2 = _spreads(law, x)
    validate.positive("mean cosine of the law", rho)
    variances = sideways * (1.0 - across2) + lengthwise * across2
    return scalar_or_array(_mean_norm(variances) / (rho * resultant * np.sqrt(n)))


def normal_mean_error(law: SymmetricNoise, n: float, *, x: ArrayLike | None = None) -> float:
    """Expected error in radians of the direction for any n at which the sum of responses is nearly normal.

    :func:`expected_mean_error` takes the angle for its tangent, and the length of the sum for its mean.
    This function approximates neither: the error is the expected angle of a normal vector with the mean and
    the covariance of the sum. It tends to π/2, the mean angle of uniform noise, where the responses hold no
    information.

    Parameters
    ----------
    law, n, x : law, float and array_like
        As for :func:`expected_mean_error`; some tens of responses are many. The covariance across the mean
        direction of ``x`` is taken for isotropic, and for independent of the variance along it.

    Raises
    ------
    ValueError
        If ``n`` is not positive.

    Examples
    --------
    >>> from dirpriv.estimators import expected_mean_error, normal_mean_error
    >>> from dirpriv.laws import Purkayastha
    >>> law = Purkayastha(dim=3, kappa=0.01)
    >>> [round(error(law, 1e4), 3) for error in (expected_mean_error, normal_mean_error)]
    [1.843, 1.16]
    """
    n = validate.positive("n", n)
    rho, sideways, lengthwise, resultant, across2 = _spreads(law, x)
    dim, mixed = law.space.dimension, across2.sum()
    variance_along = lengthwise * (1.0 - mixed) + sideways * mixed
    variance_across = sideways + (lengthwise - sideways) * mixed / (dim - 1)
    along, along_weight = _normal_nodes(-9.0, 9.0, 0)
    middle = np.sqrt(dim - 2.0)
    across, across_weight = _normal_nodes(max(middle - 9.0, 0.0), middle + 9.0, dim - 2)
    along = rho * resultant + along * np.sqrt(max(variance_along, 0.0) / n)
    angles = np.arctan2(across[:, None] * np.sqrt(variance_across / n), along)
    return float(across_weight @ angles @ along_weight)


def _normal_nodes(low: float, high: float, power: int) -> tuple[Array, Array]:
    """Nodes and weights for the density ∝ |t|^power exp(-t²/2) on an interval."""
    nodes, _ = panels(np.linspace(low, high, 9))
    exponent = (power * np.log(np.abs(nodes)) if power else 0.0) - nodes**2 / 2.0
    weights = np.tile(WEIGHTS, 8) * np.exp(exponent - exponent.max())
    return nodes, weights / weights.sum()


def _spreads(law: SymmetricNoise, x: Any) -> tuple[float, float, float, float, Array]:
    """Mean cosine of a law, variances across and along; resultant length and second moments of unit vectors.

    The moments are along the principal axes across their mean. By default all vectors are equal.
    """
    rho, sine2 = symmetric(law, "mean_squared_sine").mean_cosine(), law.mean_squared_sine()
    dim, lengthwise = law.space.dimension, 1.0 - sine2 - rho**2
    if x is None:
        return rho, sine2 / (dim - 1), lengthwise, 1.0, np.zeros(dim - 1)
    x = validate.unit_vectors("x", np.atleast_2d(x), dim)
    mean = x.mean(axis=0)
    resultant = float(np.linalg.norm(mean))
    direction = mean / resultant
    across = x - np.outer(x @ direction, direction)
    # one of the principal axes is the mean direction itself, with no moment across
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
    return np.sqrt(2.0 * total / np.pi) * float(values @ np.tile(WEIGHTS, 4)) * np.pi / 8.0
