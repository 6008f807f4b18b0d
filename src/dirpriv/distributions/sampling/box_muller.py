"""Normals for directions: Box and Muller's transform of uniforms from many generators in turn."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence

from dirpriv._lib.types import Array

LANES = 16  # generators that take turns; numba's cache sees a change only with one of compiled.py


def brings_own_bits(rng: np.random.Generator) -> bool:
    """Whether it is not NumPy's generator: who brings one, a cryptographic one say, wants its bits."""
    bits = type(rng.bit_generator).__module__
    return type(rng) is not np.random.Generator or not bits.startswith("numpy.random.")


def lane_seeds(rng: np.random.Generator, count: int) -> Any:
    """Seeds for ``count`` normals, 192 bits a lane; None for a few, and for a caller's own bit generator."""
    if count < 2**14 or brings_own_bits(rng):  # to seed the lanes would take longer
        return None
    return rng.integers(2**64, size=(LANES, 3), dtype=np.uint64)


def source(rng: np.random.Generator, seeds: Any, compiled: Any) -> Callable[[Array], None]:
    """Way to fill arrays, of lengths that ``LANES`` divides, with normals; without seeds by ``rng``."""
    if seeds is None:
        return lambda out: (compiled.to_normals if compiled else to_normals)(rng.random(out=out))
    if compiled:
        state = compiled.seeded(seeds)
        return lambda out: compiled.draw_normals(out, state)
    lanes = [np.random.Generator(np.random.SFC64(_Words(words))) for words in seeds]  # type: ignore[arg-type]

    def draw(out: Array) -> None:
        for turn, lane in enumerate(lanes):
            out[turn::LANES] = lane.random(len(out) // LANES)
        to_normals(out)

    return draw


class _Words(ISeedSequence):
    """A seed that NumPy takes as it is: its words are random already."""

    def __init__(self, words: Any) -> None:
        self.words = words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        return self.words


def to_normals(uniforms: Array) -> None:
    """Turn an even number of uniforms into normals by Box and Muller; 1e-17 of them would be beyond 8.6 σ."""
    half = len(uniforms) // 2
    radius = np.sqrt(-2.0 * np.log1p(-uniforms[:half]))
    uniforms[:half], uniforms[half:] = on_circle(radius, uniforms[half:])


def on_circle(radius: Array, uniform: Array) -> tuple[Array, Array]:
    """Coordinates at a uniform angle φ; its cosine and sine come from tan(φ/2)."""
    tangent = np.tan(np.pi * (uniform - 0.5))
    square = tangent * tangent
    scale = radius / (1.0 + square)
    return (1.0 - square) * scale, 2.0 * tangent * scale
