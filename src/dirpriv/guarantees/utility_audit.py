"""Lower bounds on a level from how good a mechanism is: no mechanism of a level is better than the best one.

docs/mathematics.md, "The audit by utility", has the proof. A mechanism that is better than the best one of a level has
a higher level. So no event is needed, and the bound is as sharp in many dimensions as on the circle.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import NODES, integral
from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions import optimal_widths
from dirpriv.distributions.piecewise.families import Cap, Staircase
from dirpriv.distributions.purkayastha import Purkayastha
from dirpriv.distributions.rotations.base import UNIFORM
from dirpriv.distributions.rotations.laplace import RotationLaplace
from dirpriv.distributions.shared.spherical import on_sphere
from dirpriv.guarantees.audit import LEAST_OUTPUTS
from dirpriv.guarantees.search import boundary

_MESH = 1 << 16  # cells of [0, π] over which first steps are bounded
_LEAST = 1e-9  # level that is looked for
_ROUNDING, _TINY = 1e-12, 1e-300  # of a mean cosine, and of a probability


def lower_bound(
    inputs: ArrayLike, outputs: ArrayLike, confidence: float = 0.99, *, radius: float | None = None, delta: float = 0.0
) -> float:
    """Lower confidence bound on a level, at least 0, from how near the outputs are to *uniformly random* inputs.

    It is at most the level at which the best mechanism has the mean cosine that the outputs surely have.

    Parameters
    ----------
    inputs : array_like, shape (N, n) or (N, 3, 3)
        Independent and uniformly random: unit vectors, or rotation matrices.
    outputs : array_like, of the shape of ``inputs``
        The output for each input, of independent calls of a function that keeps nothing from one call to the next. Only
        the direction of a vector counts. Where it has none (norm 0, NaN), or a matrix is no rotation, the row counts as
        the opposite of the input.
    confidence : float
        Least probability that the bound does not exceed the true level.
    radius : float, optional, keyword-only
        The bound is on the level within this radius, in radians; at π on ε of pure differential privacy. By default it
        is on the level per radian.
    delta : float, keyword-only
        The bound is on ε of (ε, δ)-differential privacy, with the radius π.

    Raises
    ------
    ValueError
        If an argument is out of its range, the inputs are fewer than 50 or no unit vectors or rotations, or the shapes
        differ.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.distributions import Purkayastha
    >>> from dirpriv.guarantees import utility_audit
    >>> inputs = np.random.default_rng(1).standard_normal((10_000, 64))
    >>> inputs /= np.linalg.norm(inputs, axis=1, keepdims=True)
    >>> outputs = Purkayastha(dim=64, kappa=20.0).rvs(inputs, rng=2)
    >>> 19.0 < utility_audit.lower_bound(inputs, outputs) < 20.0
    True
    """
    risk, delta = 1.0 - validate.share("confidence", confidence), validate.share("delta", delta, zero=True)
    if radius is not None and not np.pi / _MESH <= radius <= np.pi:
        raise InvalidArgument("radius", f"must be from {np.pi / _MESH:.1g} to π", got=radius)
    if delta and radius != np.pi:
        raise InvalidArgument("radius", "must be π where a delta is given", got=radius)
    cosines, dim = _cosines(inputs, outputs)
    mean, log, count = float(cosines.mean()), np.log(2.0 / risk), len(cosines)
    mean -= np.sqrt(2.0 * cosines.var(ddof=1) * log / count) + 14.0 * log / (3.0 * (count - 1)) + _ROUNDING
    if mean <= (0.0 if dim else -0.5):  # that of uniform outputs
        return 0.0
    if radius is None or delta:
        return _largest_level(lambda level: _best(dim, level, delta) - mean, 690.0 if delta else 1e12)
    return _largest_level(_best_within(dim, radius, mean))


def largest_mean_cosine(level: float, dim: int, *, radius: float | None = None, delta: float = 0.0) -> float:
    """The largest mean cosine of any mechanism of directions of a level, for uniformly random inputs.

    Parameters
    ----------
    level : float
        Positive.
    dim : int
        Length of the vectors.
    radius, delta : float, optional, keyword-only
        As for :func:`lower_bound`.

    Examples
    --------
    >>> from dirpriv.guarantees import utility_audit
    >>> round(utility_audit.largest_mean_cosine(1.0, 3), 4)
    0.3669
    >>> round(utility_audit.largest_mean_cosine(8.0, 768, radius=np.pi), 4)
    0.0988
    """
    if radius is None or delta:
        return _best(dim, level, delta)
    if radius == np.pi:
        return optimal_widths.cap(functools.partial(Cap, dim), level, "mean").mean_cosine()
    steps = functools.partial(Staircase, dim, level, radius)
    return optimal_widths.staircase(steps, radius, "mean").mean_cosine()


def _cosines(inputs: ArrayLike, outputs: ArrayLike) -> tuple[Array, int]:
    """Cosine of the angle between each input and its output, and the length of the vectors, 0 for rotations."""
    x, y = (np.asarray(validate.unmasked(*one)) for one in (("inputs", inputs), ("outputs", outputs)))
    rotations = x.shape[1:] == (3, 3)
    if y.shape != x.shape or not (x.ndim == 2 or rotations) or len(x) < LEAST_OUTPUTS or y.dtype.kind not in "fiu":
        rule = f"must hold at least {LEAST_OUTPUTS} vectors, or rotation matrices, and 'outputs' real numbers"
        raise InvalidArgument("inputs", f"{rule} of the same shape; got the shapes {x.shape} and {y.shape}")
    y = y.astype(float)
    with np.errstate(all="ignore"):
        if rotations:
            if not _are_rotations(x).all():
                raise InvalidArgument("inputs", "must hold rotation matrices")
            cosines = np.where(_are_rotations(y), 0.5 * (np.einsum("nij,nij->n", x, y) - 1.0), -1.0)
        else:
            x = validate.unit_vectors("inputs", x, x.shape[1])
            y /= np.abs(y).max(axis=1, keepdims=True)
            cosines = np.einsum("ni,ni->n", x, y) / np.sqrt(np.einsum("ni,ni->n", y, y))
    return np.where(np.isnan(cosines), -1.0, np.clip(cosines, -1.0, 1.0)), 0 if rotations else x.shape[1]


def _are_rotations(matrices: Array) -> Any:
    """Whether the columns are orthogonal and of norm 1, and right-handed."""
    apart = np.abs(matrices @ matrices.mT - np.eye(3)).max(axis=(1, 2))
    return (apart < 1e-6) & (np.linalg.det(matrices) > 0.0)


def _uniform(dim: int) -> Any:
    return on_sphere(dim) if dim else UNIFORM


def _mean_within(dim: int, theta: FloatOrArray) -> Any:
    """E[cos θ; θ ≤ t] of a uniform direction or rotation."""
    if dim:
        return np.sin(theta) * _uniform(dim).angle_pdf(theta) / (dim - 1.0)
    angles = np.expand_dims(theta, -1) * NODES
    return theta / np.pi * integral(2.0 * np.sin(0.5 * angles) ** 2 * np.cos(angles))


def _largest_level(excess: Callable[[float], float], most: float = 1e12) -> float:
    """A level that is refuted, by an excess below 0, at most 1e-7 of it below the largest one; 0 if none is."""
    return boundary(excess, 1.0, _LEAST, most, close=0.0) if excess(_LEAST) < 0.0 else 0.0


def _best(dim: int, level: float, delta: float) -> float:
    """The largest mean cosine of a level per radian, or of (ε, δ), and what rounding may take of it.

    For (ε, δ) it is that of δ at the input, and of the rest in a cap with e^ε times the density of the uniform one.
    """
    if not delta:
        best = Purkayastha(dim, level).mean_cosine() if dim else RotationLaplace(level).expectation(np.cos)
        return best + _ROUNDING
    share = (1.0 - delta) * np.exp(-level)
    return float(delta + (1.0 - delta) * _mean_within(dim, _uniform(dim).angle_ppf(share)) / share + _ROUNDING)


@functools.lru_cache(maxsize=4)
def _mesh(dim: int, radius: float) -> tuple[int, Array, Array, Array]:
    """Number of cells a radius, their borders θ, and E[cos θ; θ ≤ t] and the probability of θ ≤ t at each border."""
    steps, cells = int(np.ceil(np.pi / radius)), int(np.ceil(_MESH * radius / np.pi))
    theta = np.minimum(radius / cells * np.arange(steps * cells + 1.0), np.pi)
    return cells, theta, _mean_within(dim, theta), np.asarray(_uniform(dim).angle_cdf(theta))


def _best_within(dim: int, radius: float, mean: float) -> Callable[[float], float]:
    """Below 0 where no staircase of a level has this mean cosine: first steps are bounded for each cell of a mesh."""

    def excess(within: FloatOrArray, share: FloatOrArray) -> Any:
        return within - mean * share + _ROUNDING * (np.abs(within) + abs(mean) * share) + _TINY

    (cells, theta, *at_borders), peak = _mesh(dim, radius), np.arccos(mean)
    border, top = excess(*at_borders), excess(_mean_within(dim, peak), _uniform(dim).angle_cdf(peak))
    highest = np.where(theta[1:] <= peak, border[1:], np.where(theta[:-1] >= peak, border[:-1], top))
    highest = highest.reshape(-1, cells)

    def best(level: float) -> float:
        falls = np.exp(-level * np.arange(len(highest) + 1.0))
        return float(-np.expm1(-level) * (falls[:-1] @ highest).max() + falls[-1] * border[-1])

    return best
