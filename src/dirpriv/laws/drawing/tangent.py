"""The tangent-normal step: from an angle and a uniform direction to a point around the mode."""

import functools
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._lib.types import RNG, Array
from dirpriv.laws.drawing import normals as _normals


def tangent_normal(mu: ArrayLike, theta: ArrayLike, *, rng: RNG = None) -> Array:
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
    rng : None, int, SeedSequence, BitGenerator or Generator, keyword-only
        What :func:`numpy.random.default_rng` takes, except a legacy RandomState. ``None`` takes entropy
        from the operating system.

    Raises
    ------
    ValueError
        If ``mu`` is not of unit norm, or has fewer than two coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.geometry import angular_distance
    >>> from dirpriv.laws.drawing.tangent import tangent_normal
    >>> x = tangent_normal(np.array([0.0, 0.0, 1.0]), 0.25, rng=1)
    >>> float(angular_distance(x, [0.0, 0.0, 1.0]).round(12))
    0.25
    """
    rng = validate.generator(rng)
    mu = validate.reals("mu", mu)
    mu = validate.unit_vectors("mu", mu, max([2, *mu.shape[-1:]]))
    theta = validate.reals("theta", theta)
    out = np.empty((*np.broadcast_shapes(mu.shape[:-1], theta.shape), mu.shape[-1]))
    angles = np.broadcast_to(theta, out.shape[:-1]).ravel()
    modes = mu if mu.ndim == 1 else np.broadcast_to(mu, out.shape).reshape(-1, mu.shape[-1])
    place(out.reshape(-1, mu.shape[-1]), modes, np.cos(angles), np.sin(angles), rng)
    return out


def place(out: Array, mu: Array, cosine: Array, sine: Array, rng: Generator) -> None:
    """Write cosine μ + sine ξ to the rows of the C-contiguous ``out``, with ξ uniform and orthogonal to μ.

    Its random numbers depend on the shape alone, so compiled code draws the same vectors up to rounding.
    """
    step = {2: _place_on_circle, 3: _place_on_sphere}.get(out.shape[-1], _place_normals)
    step(out, mu, cosine, sine, rng, compiled(out.size))


def _place_normals(out: Array, mu: Array, cosine: Array, sine: Array, rng: Generator, fast: Any) -> None:
    """n ≥ 4: ξ from normals, some rows at a time, whose normals stay in the cache."""
    n = out.shape[1]
    short = n < _MANY
    numbers = n - 1 if short else n
    rows = max(1, min(_CHUNK // n, len(out)))
    seeds = _normals.lane_seeds(rng, len(out) * numbers)
    if fast and seeds is not None:  # in one call, for which other threads need not wait
        fast.place_normals(out, _rows(mu), cosine, sine, numbers, rows, fast.seeded(seeds))
        return
    scratch = np.empty(rows * numbers + _normals.LANES)
    draw = _normals.source(rng, seeds, fast)
    for start in range(0, len(out), rows):
        part = slice(start, min(start + rows, len(out)))
        modes = mu if mu.ndim == 1 else mu[part]
        total = (part.stop - start) * numbers
        draw(scratch[: total + -total % _normals.LANES])
        normals = scratch[:total].reshape((numbers, -1) if short else (-1, numbers))
        if fast:
            step, modes = fast.reflect if short else fast.project, _rows(modes)
        else:
            step = _reflect if short else _project
        step(out[part], modes, cosine[part], sine[part], normals)


_CHUNK = 32_768


_MANY = 16  # coordinates from which no one of them holds most of a vector of normals


COMPILED_SIZE = 2**14  # numbers, those of a whole block on the circle, from which numba is used


def compiled(size: int) -> Any:
    """The samplers' compiled loops for this many numbers; None where NumPy is to make the draws."""
    return _compiled() if size >= COMPILED_SIZE else None


@functools.cache
def _compiled() -> Any:
    """The compiled direction step, or None where numba is not installed or cannot write its cache."""
    try:
        from dirpriv.laws.drawing import compiled as _compiled

        _compiled._products(np.ones(2), np.ones(2))  # the smallest: its code goes to the cache
    except ImportError:
        return None
    except (OSError, RuntimeError) as error:  # no folder for the cache (RuntimeError), or a full disk
        text = (
            f"numba cannot write its cache ({error}): NumPy makes the same draws, more slowly. Set the "
            "environment variable NUMBA_CACHE_DIR to a folder that can be written to"
        )
        warnings.warn(text, RuntimeWarning, stacklevel=2)
        return None
    return _compiled


def _place_on_circle(out: Array, mu: Array, cosine: Array, sine: Array, rng: Generator, fast: Any) -> None:
    """n = 2: the subsphere is the two directions ±90°, and the rest a product of complex numbers."""
    left = rng.integers(0, 2, size=len(out), dtype=np.uint8)
    if fast:
        fast.turn(out, _rows(mu), cosine, sine, left)
        return
    across = np.where(left, sine, -sine)
    first, second = mu.T  # two numbers, or two columns
    np.subtract(cosine * first, across * second, out=out[:, 0])
    np.add(cosine * second, across * first, out=out[:, 1])


def _place_on_sphere(out: Array, mu: Array, cosine: Array, sine: Array, rng: Generator, fast: Any) -> None:
    """n = 3: ξ turns by a uniform angle about the mode."""
    uniform = rng.random(len(out))
    if fast:
        fast.reflect_circle(out, _rows(mu), cosine, sine, uniform)
    else:
        _reflect_rows(out, mu, cosine, _normals.on_circle(sine, uniform))


def _rows(mu: Array) -> Array:
    """The modes as compiled code takes them: C-contiguous, one row or as many as there are draws."""
    return np.ascontiguousarray(np.atleast_2d(mu))


def _reflect(out: Array, mu: Array, cosine: Array, sine: Array, normals: Array) -> None:
    """n < 16: the reflection that takes the first axis to μ, applied to (cosine, sine ξ')."""
    normals *= sine / np.sqrt(np.einsum("ij,ij->j", normals, normals))
    _reflect_rows(out, mu, cosine, normals)


def _reflect_rows(out: Array, mu: Array, first: Array, rest: Iterable[Array]) -> None:
    """Reflect the vectors with the coordinates ``first`` and ``rest`` into the rows of ``out``.

    I - 2vvᵀ/‖v‖², v = μ + sign(μ₁) e₁, takes e₁ to -sign(μ₁) μ, to 8e-16, and ‖v‖² = 2 |v₁|.
    """
    coordinates = mu.T  # n numbers, or n columns
    sign = np.where(coordinates[0] < 0.0, -1.0, 1.0)
    v0 = coordinates[0] + sign
    along = v0 * first
    for axis, values in enumerate(rest, start=1):
        along += coordinates[axis] * values
    along *= sign / np.abs(v0)
    columns = [along * v0 - sign * first]
    columns += [along * coordinates[axis] - sign * values for axis, values in enumerate(rest, start=1)]
    # one Newton step towards norm 1: without it, the roundings of a handful of products add up to 1e-15
    scale = 1.5 - 0.5 * sum(column * column for column in columns)
    for axis, column in enumerate(columns):
        np.multiply(column, scale, out=out[:, axis])


def _project(out: Array, mu: Array, cosine: Array, sine: Array, normals: Array) -> None:
    """n ≥ 16: ξ from normals z less their part along μ, (z - (z·μ) μ)/‖·‖."""
    # not by BLAS, whose sums may depend on the number of threads
    along = np.einsum("ij,j->i" if mu.ndim == 1 else "ij,ij->i", normals, mu)
    # squares are added in pairs: a plain sum would lose digits for long vectors
    across = sine / np.sqrt(np.square(normals).sum(axis=1) - along * along)
    np.multiply(normals, across[:, None], out=out)
    out += (cosine - across * along)[:, None] * mu
