"""The uniform law: what every concentrated law becomes at κ = 0, and the worst a mechanism should do."""

import functools
from typing import Self

import numpy as np

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.laws.colatitude import Angle
from dirpriv.laws.spherical import SphericalLaw


class Uniform(SphericalLaw):
    """Uniform law on the unit sphere.

    Parameters
    ----------
    dim : int
        Length n of the vectors.

    Raises
    ------
    ValueError
        If ``dim`` is below 2.

    Examples
    --------
    >>> from dirpriv.laws import Uniform
    >>> round(Uniform(dim=2).mean_angle(), 4)
    1.5708
    """

    def __init__(self, dim: int) -> None:
        super().__init__(dim, 0.0)

    def __repr__(self) -> str:
        return f"Uniform(dim={self.dim})"

    @classmethod
    def _of_dim(cls, dim: int, kappa: float) -> Self:
        raise InvalidArgument("the uniform law has neither mode nor concentration to fit")

    def _peak_sine_cosine(self) -> tuple[float, float]:
        return (1.0, 0.0) if self.dim > 2 else (0.0, 1.0)

    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        return np.zeros_like(theta)

    def _log_kernel_change(self, at: Angle, shift: FloatOrArray) -> FloatOrArray:
        return np.zeros(np.broadcast_shapes(np.shape(at.from_zero), np.shape(shift)))

    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        return np.zeros_like(theta)

    def _metric_level(self) -> float:
        return 0.0

    def _loss_at(self, distance: Array) -> Array:
        return np.zeros_like(distance)

    def _draw_angles(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        if self.dim == 2:
            return np.pi * rng.random(size)
        # half of 1 - cos θ is a beta variable, by symmetry; in two gammas, both ends keep their digits
        half = (self.dim - 1) / 2.0
        return 2.0 * np.arctan(np.sqrt(rng.standard_gamma(half, size) / rng.standard_gamma(half, size)))


@functools.lru_cache(maxsize=64, typed=True)
def on_sphere(dim: int) -> Uniform:
    """The uniform law of this dimension, one and the same each time."""
    return Uniform(dim)
