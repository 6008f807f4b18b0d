"""The chordal Laplace law of rotations: density falling exponentially with the chord."""

import numpy as np

from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.laws.rotations.base import RotationLaw
from dirpriv.laws.rotations.drawing import draw_haar, draw_head_or_tail, draw_mirrored
from dirpriv.laws.shared.colatitude import Angle

_MIRRORED_TO = 2.0
_EDGE = 0.8


class ChordalLaplace(RotationLaw):
    """Chordal Laplace law on SO(3): log kernel f(θ) = -2κ sin(θ/2) = -κ φ₅/√2.

    The Laplace law of the chordal metric φ₅ (:mod:`dirpriv.geometry.rotations`), whose privacy loss is at
    most κ/√2 per unit of φ₅ and κ per radian of φ₆. It is not in the papers and serves as a comparison.

    Parameters
    ----------
    kappa : float
        One finite concentration κ ≥ 0, else a ValueError; 0 is the uniform law.

    Examples
    --------
    >>> from dirpriv.laws import ChordalLaplace, RotationLaplace
    >>> ChordalLaplace(kappa=2.0).mean_angle() > RotationLaplace(kappa=2.0).mean_angle()
    True
    """

    def _half_peak(self) -> tuple[float, float]:
        sine = min(1.0, 1.0 / self.kappa) if self.kappa > 0.0 else 1.0
        return sine, np.sqrt((1.0 - sine) * (1.0 + sine))

    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        return -2.0 * self.kappa * np.sin(0.5 * theta)

    def _log_kernel_change(self, at: Angle, shift: FloatOrArray) -> FloatOrArray:
        # sin a - sin b = 2 cos((a + b)/2) sin((a - b)/2); the cosine is the sine of what is missing to π/2
        middle = 0.5 * at.from_pi - 0.25 * shift
        return -4.0 * self.kappa * np.sin(middle) * np.sin(0.25 * shift)

    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        return -self.kappa * np.cos(0.5 * theta)

    def _metric_level(self) -> float:
        return self.kappa  # the slope at the mode

    def _loss_at(self, distance: Array) -> Array:
        return -self._log_kernel(distance)  # the kernel is convex, so it falls most from the mode on

    def chordal_level(self) -> float:
        return float(self.kappa / np.sqrt(2.0))

    def _draw_block(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        if kappa == 0.0:
            return draw_haar(size, rng)
        if kappa <= _MIRRORED_TO:
            # k(φ) ≤ 1 at κ = 2: on a fine grid, and 1 - (3√2 - 4) φ²/4 + ... about its maximum, at 0
            share = np.exp(np.sqrt(2.0) * kappa + self.log_normalizer())

            def kernels(theta: Array) -> tuple[Array, Array]:
                half, top = 0.5 * theta, np.sqrt(2.0)
                return np.exp(kappa * (top - 2.0 * np.sin(half))), np.exp(kappa * (top - 2.0 * np.cos(half)))

            return draw_mirrored(size, kernels, share, rng)
        return draw_head_or_tail(size, 1, 2.0 * kappa, _EDGE, np.exp(self.log_normalizer()), rng)
