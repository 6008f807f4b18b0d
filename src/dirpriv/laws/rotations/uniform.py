"""Uniform rotations: what every concentrated law becomes at κ = 0."""

from typing import Self

import numpy as np

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, FloatOrArray, Rotations
from dirpriv.laws.colatitude import Angle
from dirpriv.laws.rotations.base import RotationLaw
from dirpriv.laws.rotations.drawing import draw_haar


class RotationUniform(RotationLaw):
    """Uniform law on SO(3), the Haar probability measure: angle density (2/π) sin²(θ/2).

    Examples
    --------
    >>> from dirpriv.laws import RotationUniform
    >>> round(RotationUniform().mean_angle(), 4)  # π/2 + 2/π
    2.2074
    """

    def __init__(self) -> None:
        super().__init__(0.0)

    @classmethod
    def fit(cls, rotations: Rotations) -> tuple[Rotations, Self]:
        """Not defined: there is neither mode nor concentration.

        Parameters
        ----------
        rotations : scipy.spatial.transform.Rotation
            Not used.
        """
        raise InvalidArgument("the uniform law has neither mode nor concentration to fit")

    def __repr__(self) -> str:
        return "RotationUniform()"

    def _half_peak(self) -> tuple[float, float]:
        return 1.0, 0.0

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

    def chordal_level(self) -> float:
        """Largest privacy loss per unit of the chordal metric φ₅, exactly.

        Returns
        -------
        float
            Per unit of φ₅.
        """
        return 0.0

    def _draw_block(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        return draw_haar(size, rng)


UNIFORM = RotationUniform()
