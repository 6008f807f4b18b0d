"""The cardioid distribution: a density that is linear in the cosine of the angle."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions.shared.colatitude import Angle
from dirpriv.distributions.shared.spherical import SphericalDistribution, Uniform


class Cardioid(SphericalDistribution):
    """Cardioid distribution on the unit sphere: density 1 + c cos θ up to a constant, c = tanh(κ/2).

    It has the pure level κ, and the level sinh(κ/2) per radian. Relative to the mode the density is
    cos²(θ/2) + e^(-κ) sin²(θ/2), which no rounding spoils.

    References
    ----------
    .. [1] Mardia, K. V., Jupp, P. E., "Directional Statistics", Wiley 2000, Section 3.5.5.

    Examples
    --------
    >>> from dirpriv.distributions import Cardioid
    >>> distribution = Cardioid(dim=2, kappa=1.0)
    >>> distribution.pure_level(), round(distribution.mean_cosine(), 4)  # tanh(κ/2)/2
    (1.0, 0.2311)
    >>> round(distribution.metric_level(), 4)  # sinh(κ/2)
    0.5211
    """

    def _peak_sine_cosine(self) -> tuple[float, float]:
        m, c = self.dim - 2, np.tanh(0.5 * self.kappa)
        if m == 0:
            return 0.0, 1.0
        cosine = 2.0 * c / (m + np.sqrt(m * m + 4.0 * c * c * (m + 1.0)))  # m cos θ (1 + c cos θ) = c sin² θ
        return float(np.sqrt((1.0 - cosine) * (1.0 + cosine))), float(cosine)

    def _relative_density(self, sine: FloatOrArray, cosine: FloatOrArray) -> FloatOrArray:
        """The density relative to that of the mode, by the sine and cosine of θ/2."""
        return cosine * cosine + np.exp(-self.kappa) * (sine * sine)

    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        sine = np.sin(0.5 * theta)
        with np.errstate(divide="ignore"):
            near = np.log1p(np.expm1(-self.kappa) * np.minimum(sine * sine, 0.5))
            far = np.log(self._relative_density(sine, np.sin(0.5 * Angle.at(theta).from_pi)))
        return np.where(sine * sine <= 0.5, near, far)

    def _log_kernel_change(self, at: Angle, shift: FloatOrArray) -> FloatOrArray:
        here = self._relative_density(np.sin(0.5 * at.from_zero), np.sin(0.5 * at.from_pi))
        there = at.shifted(shift)
        change = np.expm1(-self.kappa) * np.sin(np.minimum(*at.shifted(0.5 * shift))) * np.sin(0.5 * shift)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            near = np.log1p(np.maximum(change / here, -0.5))
            far = self._relative_density(np.sin(0.5 * there.from_zero), np.sin(0.5 * there.from_pi))
            return np.where(change >= -0.5 * here, near, np.log(far / here))

    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        sine, cosine = np.sin(0.5 * theta), np.sin(0.5 * Angle.at(theta).from_pi)
        return np.expm1(-self.kappa) * sine * cosine / self._relative_density(sine, cosine)

    def mean_cosine(self) -> float:
        """Expected cosine tanh(κ/2)/n."""
        return float(np.tanh(0.5 * self._one_kappa()) / self.dim)

    def mean_squared_sine(self) -> float:
        """Expected squared sine 1 - 1/n, that of the uniform distribution."""
        self._one_kappa()
        return 1.0 - 1.0 / self.dim

    def _metric_level(self) -> float:
        with np.errstate(over="ignore"):
            return float(np.sinh(0.5 * self.kappa))

    def _pure_level(self) -> float:
        return float(self.kappa)

    def _loss_at(self, distance: Array) -> Array:
        """2 asinh(sinh(κ/2) sin(d/2)): of outputs in line, whose mean angle M has cos M = -c cos(d/2)."""
        half, sine = 0.5 * self.kappa, np.sin(0.5 * distance)
        if half <= 700.0:  # beyond, sinh overflows
            return np.minimum(2.0 * np.arcsinh(np.sinh(half) * sine), self.kappa)
        log_x = half - np.log(2.0) + np.log(sine)
        large = np.logaddexp(log_x, 0.5 * np.logaddexp(0.0, 2.0 * log_x))
        return 2.0 * np.where(log_x > 0.0, large, np.arcsinh(np.exp(np.minimum(log_x, 0.0))))

    def _draw_angles(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        """Uniform directions, each kept with the probability (1 + c cos θ)/2, and else reflected."""
        theta = Uniform(self.dim)._draw_angles(size, 0.0, rng)
        square = np.sin(0.5 * theta) ** 2
        kept = rng.random(size) < expit(kappa) * ((1.0 - square) + np.exp(-kappa) * square)
        return np.where(kept, theta, np.pi - theta)


def concentration_at_sinh(epsilon: float) -> float:
    """The κ at which the level sinh(κ/2) per radian is ``epsilon``."""
    return float(2.0 * np.arcsinh(epsilon))
