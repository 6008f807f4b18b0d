"""Ways to draw angles, and points at an angle from a mode, that distributions share; all are exact."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._lib.types import RNG, Array, DrawAngles, FloatOrArray, Propose, Size
from dirpriv.distributions.sampling import box_muller

BLOCK_ROWS = 8192  # angles that long rejections draw at a time: their scratch arrays stay in the cache
_STREAM_ROWS = 2**15  # with twice as many, scratch arrays leave the cache; with half, threads wait more
_STREAM_NUMBERS = 2**20  # a stream draws at most this many rows and about this many numbers
_FEW_NUMBERS = 2**16  # drawn in less than a millisecond: seeding a stream takes a tenth of that
_MANY = 16  # coordinates from which no one of them holds most of a vector of normals
COMPILED_SIZE = 2**14  # numbers, those of a whole block on the circle, from which numba is used


DrawRows: TypeAlias = Callable[[Array, Array, slice, Generator], None]
"""``draw(rows, centers, block, rng)``: fills the rows of a block."""


def draw_around(out: Array, centers: Array, draw: DrawRows, rng: Generator, workers: int) -> None:
    """Fill an array around one center, or one per row, as the notes of ``SphericalDistribution.rvs`` say.

    The rows of a stream are drawn at once: else threads would wait for Python's lock and for memory.
    """
    dim, per_row = out.shape[-1], centers.ndim > 1
    rows = out.reshape(-1, dim)
    centers = np.broadcast_to(centers, out.shape).reshape(-1, dim) if per_row else centers
    length = min(max(_STREAM_NUMBERS // dim, 1), _STREAM_ROWS)
    starts = range(0, len(rows), length)

    def draw_block(start: int, rng: Generator) -> None:
        block = slice(start, min(start + length, len(rows)))
        draw(rows[block], centers[block] if per_row else centers, block, rng)

    if rows.size < _FEW_NUMBERS or box_muller.brings_own_bits(rng):
        for start in starts:
            draw_block(start, rng)
        return
    # Once an array of this size is freed, the C library of Linux keeps freed memory for the next array.
    # Otherwise each scratch array may need new pages from the system, which takes longer than the draws.
    np.empty(_STREAM_NUMBERS)
    entropy = rng.integers(2**32, size=4).tolist()

    def draw_stream(number: int) -> None:
        seeds = np.random.SeedSequence(entropy, spawn_key=(number,))
        draw_block(starts[number], Generator(np.random.SFC64(seeds)))

    if workers == 1 or len(starts) == 1:
        for number in range(len(starts)):
            draw_stream(number)
    else:
        with ThreadPoolExecutor(min(workers, len(starts))) as pool:
            list(pool.map(draw_stream, range(len(starts))))  # raises what a stream raised


def draw_by_rejection(size: int, share: FloatOrArray, propose: Propose, *, per_row: bool = False) -> Array:
    """Fill an array with accepted proposals, about a share of all; ``per_row`` where rows have own distributions.

    ``propose`` takes ``...`` for rows that all have the same distribution, and may give the accepted ones and ``...``.
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


def draw_in_blocks(size: int, draw: Callable[[int], Array]) -> Array:
    """Draws by ``draw(count)``, in blocks, whose scratch arrays stay in the cache."""
    out = np.empty(size)
    for start in range(0, size, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, size)
        out[start:stop] = draw(stop - start)
    return out


def draw_by_threshold(
    size: int,
    kappa: FloatOrArray,
    thresholds: Sequence[float],
    draws: Sequence[DrawAngles],
    rng: Generator,
    *,
    last_first: bool = False,
) -> Array:
    """Draws whose method depends on the concentration: the first below the first threshold, and so on.

    With ``last_first`` the rows of the highest concentrations take the first random numbers.
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


def cosine_and_sine(tangent: Array) -> tuple[Array, Array]:
    """Cosine and sine of an angle θ from t = tan(θ/2), whose array is used for the sine."""
    cosine = tangent * tangent
    scale = 1.0 + cosine
    np.divide(1.0, scale, out=scale)
    np.subtract(1.0, cosine, out=cosine)
    cosine *= scale
    tangent *= 2.0
    tangent *= scale
    return cosine, tangent


SMALLEST = np.finfo(float).smallest_subnormal
"""The first concentration above 0."""


def uniform(upper: float) -> DrawAngles:
    """Way to draw from the uniform distribution on [0, upper), for κ = 0."""
    return lambda size, kappa, rng: upper * rng.random(size)  # type: ignore[return-value]


def truncated_exponential(size: Size, upper: FloatOrArray, rng: Generator) -> Array:
    """Draws of the standard exponential distribution truncated to [0, upper), by the inverse of its CDF.

    An exponential modulo ``upper`` is cheaper where that is large, and would lose digits where it is small.
    """
    return -np.log1p(rng.random(size) * np.expm1(-upper))


def draw_at_angle(mu: ArrayLike, theta: ArrayLike, *, rng: RNG = None) -> Array:
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
        As for :meth:`dirpriv.distributions.VonMisesFisher.rvs`.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.geometry import angle_between_vectors
    >>> from dirpriv.distributions import draw_at_angle
    >>> x = draw_at_angle(np.array([0.0, 0.0, 1.0]), 0.25, rng=1)
    >>> float(angle_between_vectors(x, [0.0, 0.0, 1.0]).round(12))
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
    rows = max(1, min(32_768 // n, len(out)))
    seeds = box_muller.lane_seeds(rng, len(out) * numbers)
    if fast and seeds is not None:  # in one call, for which other threads need not wait
        fast.place_normals(out, _rows(mu), cosine, sine, numbers, rows, fast.seeded(seeds))
        return
    scratch = np.empty(rows * numbers + box_muller.LANES)
    draw = box_muller.source(rng, seeds, fast)
    for start in range(0, len(out), rows):
        part = slice(start, min(start + rows, len(out)))
        modes = mu if mu.ndim == 1 else mu[part]
        total = (part.stop - start) * numbers
        draw(scratch[: total + -total % box_muller.LANES])
        drawn = scratch[:total].reshape((numbers, -1) if short else (-1, numbers))
        if fast:
            step, modes = fast.reflect if short else fast.project, _rows(modes)
        else:
            step = _reflect if short else _project
        step(out[part], modes, cosine[part], sine[part], drawn)


def compiled(size: int) -> Any:
    """The samplers' compiled loops for this many numbers; None where NumPy is to make the draws."""
    return _compiled() if size >= COMPILED_SIZE else None


@functools.cache
def _compiled() -> Any:
    """The compiled direction step, or None where numba is not installed or cannot write its cache."""
    try:
        from dirpriv.distributions.sampling import compiled as _compiled

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
        _reflect_rows(out, mu, cosine, box_muller.on_circle(sine, uniform))


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
