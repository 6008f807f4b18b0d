"""Distributions of S³ folded onto rotations: von Mises-Fisher and Purkayastha, the same for a versor and its negative.

Folding (future work in the SO(3) paper, Section 4) is a sum: the density of the versor plus that of its
negative. Privacy passes to SO(3) at half the level in φ₆, or a little better, as φ₆ is twice the angle on S³.
"""

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions.purkayastha import Purkayastha
from dirpriv.distributions.rotations.base import RotationDistribution
from dirpriv.distributions.shared.colatitude import Angle
from dirpriv.distributions.shared.spherical import SphericalDistribution
from dirpriv.distributions.von_mises_fisher import VonMisesFisher
from dirpriv.distributions.wrapped_laplace import CoshKernel, log_cosh, log_cosh_change, not_underflown


class _Folded(RotationDistribution):
    """Draws of the distribution on S³ with the same ``kappa``, folded: θ = 2 min(α, π - α)."""

    _distribution_on_s3: type[SphericalDistribution]

    def _draw_block(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        alpha = self._distribution_on_s3(4, kappa).angle_rvs(size, rng=rng)
        return 2.0 * np.minimum(alpha, np.pi - alpha)


class FoldedVonMisesFisher(_Folded):
    """Folded von Mises-Fisher distribution on SO(3): log kernel f(θ) = log cosh(κ cos(θ/2)) up to a constant.

    Examples
    --------
    >>> from scipy.spatial.transform import Rotation
    >>> from dirpriv.distributions import FoldedVonMisesFisher
    >>> len(FoldedVonMisesFisher(kappa=10.0).rvs(Rotation.identity(), size=5, rng=1))
    5
    """

    _distribution_on_s3 = VonMisesFisher

    def _half_peak(self) -> tuple[float, float]:
        """Where 2c = κ s² tanh κc, s = sin(θ/2), c = cos(θ/2); half a turn if κ² ≤ 2."""
        kappa = self.kappa
        if kappa * kappa <= 2.0:
            return 1.0, 0.0

        def off(c: float) -> float:
            return kappa * (1.0 - c) * (1.0 + c) * np.tanh(kappa * c) / c - 2.0

        cosine = scipy.optimize.brentq(off, 1e-9, 1.0)
        return np.sqrt(2.0 * cosine / (kappa * np.tanh(kappa * cosine))), cosine

    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        return log_cosh_change(self.kappa, 1.0, -2.0 * np.sin(0.25 * theta) ** 2)

    def _log_kernel_change(self, at: Angle, shift: FloatOrArray) -> FloatOrArray:
        change = -2.0 * np.sin(0.25 * shift) * np.sin(0.5 * at.from_zero + 0.25 * shift)
        return log_cosh_change(self.kappa, np.sin(0.5 * at.from_pi), change)

    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        return -0.5 * self.kappa * np.sin(0.5 * theta) * np.tanh(self.kappa * np.cos(0.5 * theta))

    def _metric_level(self) -> float:
        return not_underflown(steepest_fold(self.kappa), self.kappa)

    def _pure_level(self) -> float:
        return not_underflown(log_cosh(self.kappa), self.kappa)


class FoldedPurkayastha(CoshKernel, _Folded):
    """Folded Purkayastha distribution on SO(3): log kernel f(θ) = log(e^(-κθ/2) + e^(-κ(π - θ/2))) up to a constant.

    Examples
    --------
    >>> from scipy.spatial.transform import Rotation
    >>> from dirpriv.distributions import FoldedPurkayastha
    >>> len(FoldedPurkayastha(kappa=10.0).rvs(Rotation.identity(), size=5, rng=1))
    5
    """

    _distribution_on_s3 = Purkayastha
    _share = 0.5

    def _half_peak(self) -> tuple[float, float]:
        """Where 2 tan β = κ tanh κβ, β = (π - θ)/2; half a turn if κ² ≤ 2."""
        kappa = self.kappa
        if kappa * kappa <= 2.0:
            return 1.0, 0.0

        def off(b: float) -> float:
            return np.arctan(0.5 * kappa * np.tanh(kappa * b)) / b - 1.0

        beta = scipy.optimize.brentq(off, 1e-9, 0.5 * np.pi)
        tangent = 0.5 * kappa * np.tanh(kappa * beta)
        length = np.hypot(1.0, tangent)
        return 1.0 / length, tangent / length

    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        return -0.5 * self.kappa * np.tanh(0.5 * self.kappa * (np.pi - theta))


def steepest_fold(kappa: float) -> float:
    """Largest slope (κ/2) sin(θ/2) tanh a of log cosh a, a = κ cos(θ/2): where a sinh 2a = 2 (κ² - a²)."""
    if kappa < 1e-8:
        return 0.25 * kappa * kappa  # to the last digit; the equation would underflow

    # the equation, with both sides divided by a growing factor so that nothing overflows
    def beyond(a: float) -> float:
        return a * -np.expm1(-4.0 * a) - 4.0 * (kappa - a) * (kappa + a) * np.exp(-2.0 * a)

    high = np.log(2.0 * kappa) if kappa > 2.0 else kappa  # there both sides of the equation have crossed
    a = scipy.optimize.brentq(beyond, 0.0, high, xtol=1e-300, rtol=1e-15)
    sine = np.sqrt((1.0 - a / kappa) * (1.0 + a / kappa))
    return float(0.5 * kappa * sine * np.tanh(a))


def concentration_at_steepest_fold(epsilon: float) -> float:
    """The κ whose :func:`steepest_fold` is ``epsilon``, which is above 2ε and 2√ε, as s c ≤ 1/2."""
    low = max(2.0 * epsilon, 2.0 * np.sqrt(epsilon))
    if low < 1e-8:
        return low  # to the last digit
    high = 2.0 * low
    while steepest_fold(high) < epsilon:
        high *= 2.0
    return scipy.optimize.brentq(lambda kappa: steepest_fold(kappa) / epsilon - 1.0, low, high, xtol=1e-300, rtol=1e-15)
