"""What the papers' own forms check of their arguments, and the types that their signatures share."""

import numbers
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]

FloatOrFloats: TypeAlias = Any
"""A float where one number was given, an array of float64 where more were given."""

DrawShape: TypeAlias = int | tuple[int, ...]
"""Shape of the draws."""

RandomSource: TypeAlias = (
    int | Sequence[int] | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | None
)
"""What ``numpy.random.default_rng`` takes."""


def integer(name: str, value: int, least: int) -> int:
    """An integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"'{name}' must be an integer of at least {least}; got {value!r}")
    return int(value)


def dimension(dim: int) -> int:
    """The length of vectors: 2 is the circle, 3 the sphere."""
    return integer("dim", dim, 2)


def positive(name: str, value: float) -> float:
    """A finite number above 0."""
    if not isinstance(value, numbers.Real) or not 0.0 < value < np.inf:
        raise ValueError(f"'{name}' must be positive and finite; got {value!r}")
    return float(value)


def concentration(kappa: float) -> float:
    """A finite number of at least 0."""
    if not isinstance(kappa, numbers.Real) or not 0.0 <= kappa < np.inf:
        raise ValueError(f"'kappa' must be nonnegative and finite; got {kappa!r}")
    return float(kappa)


def one_of(name: str, value: str, among: tuple[str, ...]) -> None:
    """Refuse what is none of these words."""
    if value not in among:
        raise ValueError(f"'{name}' must be one of {', '.join(among)}; got {value!r}")
