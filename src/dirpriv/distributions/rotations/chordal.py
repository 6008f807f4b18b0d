"""Distributions of rotations whose density falls with the chord: isotropic Bingham, and chordal Laplace."""

import numpy as np

from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions.rotations.angle_sampling import draw_head_or_tail, draw_mirrored
from dirpriv.distributions.rotations.base import RotationDistribution
from dirpriv.distributions.shared.colatitude import Angle, ChordKernel

_NARROWEST = 1e100  # beyond, the cube of a rate overflows


class RotationBingham(ChordKernel, RotationDistribution):
    """Isotropic Bingham distribution on SO(3): log kernel f(θ) = -κ sin²(θ/2), θ = φ₆ the angle from the mode.

    In versors, exp(-κ (1 - (q·μ)²)): the distribution of the Bingham mechanism of Hildebrandt, Schömer and Hildebrandt
    (2025), Definition 1, with κ their ε; also the isotropic matrix Fisher distribution exp(k tr R) with κ = 4k.
    sin²(θ/2) is a beta variable (3/2, 1/2) tilted by exp(-κ ·).

    The **tight** privacy loss at the distance θ is κ sin(θ/2), reached by outputs on the great circle of the
    two versors, 45° from the middle of the two: κ/2 per radian of φ₆, κ/(2√2) per unit of φ₅. The paper's
    Theorem 1 shows 2κ sin(θ/2).

    References
    ----------
    .. [1] Hildebrandt, A. K., Schömer, E., Hildebrandt, A., "Metric Differential Privacy on the Special
       Orthogonal Group SO(3)", Journal of Cybersecurity and Privacy 5(57), 2025.

    Examples
    --------
    >>> from scipy.spatial.transform import Rotation
    >>> from dirpriv.distributions import RotationBingham
    >>> distribution = RotationBingham(kappa=8.0)
    >>> len(distribution.rvs(Rotation.identity(), size=5, rng=1))
    5
    """

    _likeliest_mode = "eigenvector"

    def _half_peak(self) -> tuple[float, float]:
        if self.kappa <= 1.0:
            return 1.0, 0.0
        return 1.0 / np.sqrt(self.kappa), np.sqrt((self.kappa - 1.0) / self.kappa)

    def _draw_block(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        if kappa <= 3.25:  # where the two ways cost the same; the first may be used up to 4
            # k = cosh x - σ sinh x ≤ 1, σ = sin φ, x = κσ/2, as tanh(κσ/4) ≤ σ for κ ≤ 4
            return draw_mirrored(size, self, rng, is_odd=True)
        return draw_head_or_tail(size, 2, kappa, 0.85, np.exp(self.log_normalizer()), rng)


class ChordalLaplace(RotationDistribution):
    """Chordal Laplace distribution on SO(3): log kernel f(θ) = -2κ sin(θ/2) = -κ φ₅/√2.

    The Laplace distribution of the chordal metric φ₅ (:mod:`dirpriv.geometry.rotation_distances`), whose privacy
    loss is at most κ/√2 per unit of φ₅ and κ per radian of φ₆. It is not in the papers and serves as a comparison.

    Examples
    --------
    >>> from dirpriv.distributions import ChordalLaplace, RotationLaplace
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

    def _draw_block(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        if kappa <= 2.0:
            # k(φ) ≤ 1 at κ = 2: on a fine grid, and 1 - (3√2 - 4) φ²/4 + ... about its maximum, at 0
            return draw_mirrored(size, self, rng, is_odd=False)
        if kappa > _NARROWEST:  # so narrow distributions have one form
            return ChordalLaplace(_NARROWEST)._draw_block(size, _NARROWEST, rng) * (_NARROWEST / kappa)
        return draw_head_or_tail(size, 1, 2.0 * kappa, 0.8, np.exp(self.log_normalizer()), rng)
