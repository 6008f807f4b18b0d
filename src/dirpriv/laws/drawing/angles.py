"""Ways to draw that several laws share; all are exact."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from dirpriv._lib.types import Array, Draw, FloatOrArray, Propose, Size
from dirpriv.laws.drawing import normals

BLOCK_ROWS = 8192  # angles that long rejections draw at a time: their scratch arrays stay in the cache
_STREAM_ROWS = 2**15  # with twice as many, scratch arrays leave the cache; with half, threads wait more
_STREAM_NUMBERS = 2**20  # a stream draws at most this many rows and about this many numbers
_FEW_NUMBERS = 2**16  # drawn in less than a millisecond: seeding a stream takes a tenth of that


DrawRows: TypeAlias = Callable[[Array, Array, slice, Generator], None]
"""``draw(rows, centers, block, rng)``: fills the rows of a block."""


def draw_around(out: Array, centers: Array, draw: DrawRows, rng: Generator, workers: int) -> None:
    """Fill an array around one center, or one per row.

    Blocks of a fixed length are drawn from streams on several cores; the draws do not depend on the workers.
    A stream is an SFC64, seeded by 128 bits from ``rng`` and by its number. A few numbers, and those of
    somebody's own bit generator, come from ``rng`` itself. The rows of a stream are drawn at once: with short
    steps threads would wait for Python's lock and for memory.
    """
    dim, per_row = out.shape[-1], centers.ndim > 1
    rows = out.reshape(-1, dim)
    centers = np.broadcast_to(centers, out.shape).reshape(-1, dim) if per_row else centers
    length = min(max(_STREAM_NUMBERS // dim, 1), _STREAM_ROWS)
    starts = range(0, len(rows), length)

    def draw_block(start: int, rng: Generator) -> None:
        block = slice(start, min(start + length, len(rows)))
        draw(rows[block], centers[block] if per_row else centers, block, rng)

    if rows.size < _FEW_NUMBERS or normals.brings_own_bits(rng):
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
    """Fill an array with accepted proposals, about a share of all; ``per_row`` where rows have own laws.

    ``propose(count, rows)`` gives proposals for these rows (``...`` where all have the same law), and which
    are accepted, or the accepted ones and ``...``.
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
    draws: Sequence[Draw],
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


def uniform(upper: float) -> Draw:
    """Way to draw from the uniform law on [0, upper), for κ = 0."""
    return lambda size, kappa, rng: upper * rng.random(size)  # type: ignore[return-value]


def truncated_exponential(size: Size, upper: FloatOrArray, rng: Generator) -> Array:
    """Draws of the standard exponential law truncated to [0, upper), by the inverse of its CDF.

    An exponential modulo ``upper`` is cheaper where that is large, and would lose digits where it is small.
    """
    return -np.log1p(rng.random(size) * np.expm1(-upper))
