"""The wrapped Laplace distribution: Laplace noise on the line, taken modulo one turn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions.sampling.directions import SMALLEST, draw_by_threshold, uniform
from dirpriv.distributions.shared.colatitude import PI_TAIL, Angle
from dirpriv.distributions.shared.spherical import SphericalDistribution


class CoshKernel:
    """The log kernel log cosh r(π - θ) - log cosh rπ, r a share of κ, and what it guarantees."""

    kappa: Any
    _share = 1.0

    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        return log_cosh_change(self._share * self.kappa, np.pi, -theta)

    def _log_kernel_change(self, at: Angle, shift: FloatOrArray) -> FloatOrArray:
        return log_cosh_change(self._share * self.kappa, at.from_pi, -shift)

    def _pure_level(self) -> float:
        return not_underflown(log_cosh(float(self._share * self.kappa * np.pi)), self.kappa)

    def _metric_level(self) -> float:
        rate = self._share * self.kappa
        return not_underflown(rate * np.tanh(rate * np.pi), rate)  # the slope at the mode

    def _loss_at(self, distance: Array) -> Array:
        return -self._log_kernel(distance)  # the kernel is convex, so it falls most from the mode on


class WrappedLaplace(CoshKernel, SphericalDistribution):
    """Wrapped Laplace distribution on the circle: f(θ) = log cosh κ(π - θ) - log cosh κπ.

    The density of Laplace noise with scale 1/κ added to an angle and reduced modulo 2π (Weggenmann and
    Kerschbaum 2021, Eqs. 15-17; Jammalamadaka and Kozubowski 2004).

    Parameters
    ----------
    kappa : float
        Finite concentration κ ≥ 0, per radian, else a ValueError; 0 is the uniform distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.distributions import WrappedLaplace
    >>> round(WrappedLaplace(kappa=1 / np.pi).mean_angle(), 4)
    1.4518
    """

    _likeliest_mode = "a draw"  # the kernel is convex except at 0, and so is the sum of many

    def __init__(self, kappa: ArrayLike) -> None:
        super().__init__(2, kappa)

    @classmethod
    def _from_dim(cls, dim: int, kappa: float) -> Self:
        if dim != 2:
            rule = f"wrapped Laplace is a distribution on the circle: 'x' must have 2 columns; got {dim}"
            raise InvalidArgument(rule)
        return cls(kappa)

    def _peak_sine_cosine(self) -> tuple[float, float]:
        return 0.0, 1.0

    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        return -self.kappa * np.tanh(self.kappa * (np.pi - theta + PI_TAIL))

    def mean_angle(self) -> float:
        """Expected angle tanh(κπ/2)/κ (Eq. 17), in radians."""
        kappa = self._one_kappa()
        return float(np.tanh(kappa * np.pi / 2.0) / kappa) if kappa > 0.0 else np.pi / 2.0

    def mean_cosine(self) -> float:
        """Expected cosine κ²/(1 + κ²): the characteristic function of the Laplace distribution at 1."""
        return self._one_kappa() ** 2 / (1.0 + self.kappa**2)

    def mean_squared_sine(self) -> float:
        """Expected squared sine 2/(4 + κ²): half of one minus the characteristic function at 2."""
        return 2.0 / (4.0 + self._one_kappa() ** 2)

    def _draw_angles(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        draws = uniform(np.pi), _inverse, _wrapped
        return draw_by_threshold(size, kappa, (SMALLEST, 1.0 / np.pi), draws, rng)


def _inverse(size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """By the inverse of the survival function sinh κ(π - θ) / sinh κπ."""
    return np.pi - np.arcsinh(rng.random(size) * np.sinh(kappa * np.pi)) / kappa


def _wrapped(size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """An exponential modulo 2π, folded to [0, π]."""
    turned = np.fmod(rng.standard_exponential(size) / kappa, 2.0 * np.pi)
    return np.minimum(turned, 2.0 * np.pi - turned)


def log_cosh(x: float) -> float:
    """log cosh x for x ≥ 0: no overflow, and no digits lost where it is nearly x²/2."""
    if x < 1.0:
        return float(0.5 * np.log1p(np.sinh(x) ** 2))
    return float(x + np.log1p(np.exp(-2.0 * x)) - np.log(2.0))


def concentration_at_slope(epsilon: float) -> float:
    """The κ at which the steepest slope κ tanh κπ of the log kernel is ``epsilon``."""
    # from the right, Newton falls monotonically onto it; near 0 it is √(ε/π), which halvings would not reach
    kappa = epsilon + 1.0 / np.pi if epsilon > 1e-30 else 1.1 * np.sqrt(epsilon / np.pi)
    for _ in range(60):
        tanh = np.tanh(kappa * np.pi)
        slope = tanh + kappa * np.pi * (1.0 - tanh) * (1.0 + tanh)
        step = (kappa * tanh - epsilon) / slope
        kappa -= step
        if abs(step) <= 2e-16 * kappa:
            break
    return kappa


def concentration_at_fall(epsilon: float) -> float:
    """The κ at which the whole fall log cosh κπ of the log kernel is ``epsilon``."""
    # acosh(e^ε) = ε + log(1 + √(1 - e^(-2ε)))
    return (epsilon + np.log1p(np.sqrt(-np.expm1(-2.0 * epsilon)))) / np.pi


def log_cosh_change(kappa: FloatOrArray, start: FloatOrArray, change: FloatOrArray) -> FloatOrArray:
    """log cosh κ(start + change) - log cosh(κ start), for arguments ≥ 0, without overflow."""
    rising = change >= 0.0
    low = np.where(rising, start, start + change)
    rise = kappa * np.abs(change)
    share = np.exp(-2.0 * kappa * low)
    change_of_log = rise + np.log1p(share * np.expm1(-2.0 * rise) / (1.0 + share))
    small = kappa * low + rise < 1e-3  # all but x²/2 of log cosh x cancels: write the change as a product
    if np.any(small):
        x, y = np.where(small, kappa * low, 0.0), np.where(small, rise, 0.0)
        product = 2.0 * np.sinh(x + y / 2.0) * np.sinh(y / 2.0) / np.cosh(x)
        change_of_log = np.where(small, np.log1p(product), change_of_log)
    return np.where(rising, change_of_log, -change_of_log)


def not_underflown(level: float, kappa: float) -> float:
    """A level in proportion to κ² for small κ; the least double where that is less."""
    return max(float(level), 5e-324 if kappa > 0.0 else 0.0)
