"""The polar Laplace distribution: planar Laplace noise walked along the great circles of the sphere."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc

from dirpriv._inputs import validate
from dirpriv._lib.quadrature import NODES, integral
from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions.sampling.directions import SMALLEST, draw_by_threshold, truncated_exponential, uniform
from dirpriv.distributions.shared.base import scalar_or_array
from dirpriv.distributions.shared.colatitude import PI_TAIL, Angle
from dirpriv.distributions.shared.spherical import SphericalDistribution

_TURN = 2.0 * np.pi


class PolarLaplace(SphericalDistribution):
    """Polar Laplace distribution on the unit sphere of R³.

    From the mode one walks a distance r ~ Gamma(2, rate κ) in a uniform direction along a great circle, past
    the antipode and past the mode again where r is long (Weggenmann and Kerschbaum, CCS 2021, Section 3.6.3).
    The angle is r folded to [0, π]: θ = min(r mod 2π, 2π - r mod 2π).

    The kernel is::

        (1 - exp(-2πκ)) Σ_k κ|θ + 2πk| exp(-κ|θ + 2πk|) / sin θ,    k = ..., -1, 0, 1, ...

    and the density on the sphere is the kernel over exp(log_normalizer) = 2π (1 - exp(-2πκ))/κ. It is
    **unbounded at the mode and at the antipode**, where whole circles of bearings meet in one point; so the
    distribution gives no differential privacy, metric or pure, at any κ. The density of the angle is finite there, and
    not 0. At κ = 0 it tends not to the uniform distribution of the sphere but to a uniform *angle* on [0, π], which
    crowds around both poles. Two more oddities, both measured: the expected angle exceeds the π/2 of uniform
    noise for 0 < κ < 1.02248475591976 (most, 1.73567483, at κ = 0.58565), and the mean cosine is negative for
    0 < κ < 1: a mean of many draws points *away* from the mode.

    All that is asked of the angle has a closed form, written here with positive terms only. Against 60-digit
    arithmetic over κ from 1e-12 to 1e17, CDF and survival function are within 6e-14 relative down to 1e-290,
    the limit that the rounding of κθ sets, and the means within 5e-16.

    Parameters
    ----------
    kappa : float or array_like
        Finite concentration κ ≥ 0, per radian, else a ValueError. An array, one concentration per row, can
        only be drawn from.

    Examples
    --------
    >>> from dirpriv.distributions import PolarLaplace
    >>> round(PolarLaplace(kappa=0.58565).mean_angle(), 8)
    1.73567483
    """

    _not_fitted = "polar Laplace has no likeliest mode: its density is infinite at every draw"

    def __init__(self, kappa: ArrayLike) -> None:
        super().__init__(3, kappa)

    # With q = exp(-2πκ), d = 1 - q and the share c = 2πκ q/d of whole turns, the density of r mod 2π at y is
    # (κ/d) exp(-κy) (κy + c), and θ has that of y = θ plus that of y = 2π - θ. Neither c nor κ/d is
    # troubled by a small κ: they tend to 1 and 1/2π.

    @property
    def _rate(self) -> float:
        """κ, or instead of a smaller one the least: in doubles all is as at κ = 0 there."""
        return max(self._one_kappa(), 1e-20)

    @cached_property
    def _constants(self) -> tuple[float, float, float, float]:
        """κ/d, d, q and c."""
        kappa = self._rate
        d = -np.expm1(-_TURN * kappa)
        q = np.exp(-_TURN * kappa)
        return kappa / d, d, q, _TURN * kappa / d * q

    def _log_sum(self, at: Angle) -> FloatOrArray:
        """log Σ_k κ|θ + 2πk| exp(-κ|θ + 2πk|) d."""
        theta, rest = at
        _, d, _, turns = self._constants
        kappa = self._rate
        with np.errstate(divide="ignore", invalid="ignore"):
            straight = np.logaddexp(np.log(kappa * theta), np.log(_TURN * kappa / d) - _TURN * kappa)
            around = np.log(kappa * (np.pi + rest) + turns) - 2.0 * kappa * rest
            return np.logaddexp(straight, around) - kappa * theta

    def _log_angle_density(self, theta: Array) -> FloatOrArray:
        return np.log(self._constants[0]) + self._log_sum(Angle.at(theta))

    def _cdf_and_sf(self, theta: FloatOrArray) -> tuple[Array, Array]:
        kappa = self._rate
        if self.kappa < kappa:  # the product with a tiny angle would underflow
            return theta / np.pi, (np.pi - theta + PI_TAIL) / np.pi
        _, d, _, turns = self._constants
        rest = np.pi - theta + PI_TAIL
        moved = kappa * theta
        ring, line = gammainc(2.0, moved), -np.expm1(-moved)  # of Gamma(2) and of the exponential, up to κθ
        back = np.exp(-kappa * (np.pi + rest))
        below = (ring + line * turns + back * (line * (kappa * (np.pi + rest) + turns) + ring)) / d
        # sinh κ(π - θ)/sinh κπ, and x coth x at both
        ratio = np.exp(-moved) * np.expm1(-2.0 * kappa * rest) / np.expm1(-_TURN * kappa)
        bend = moved + _excess(kappa * np.pi) - _excess(kappa * rest)
        return below, ratio * (1.0 + np.maximum(bend, 0.0))

    def mean_angle(self) -> float:
        """Expected angle (2/κ) tanh(πκ/2) - (π/2) sech²(πκ/2), in radians; π/2 at κ = 0."""
        half = 0.5 * np.pi * self._rate
        fall = np.exp(-2.0 * half)
        square = 4.0 * fall / (1.0 + fall) ** 2
        return float(np.pi * (np.tanh(half) / half - 0.5 * square))

    def mean_chord(self) -> float:
        """Expected straight-line distance E ‖x - μ‖ = E 2 sin(θ/2); 4/π at κ = 0."""
        kappa = self._rate
        per_turn, _, q, _ = self._constants
        pull = 1.0 / (kappa + 0.25 / kappa)
        straight = (1.0 + q) * pull * (pull * per_turn)
        return float(2.0 * (straight + _TURN * q * per_turn * (per_turn * pull) / kappa))

    def mean_cosine(self) -> float:
        """Expected cosine κ²(κ² - 1)/(κ² + 1)²: negative for 0 < κ < 1."""
        self._one_kappa()
        kappa, length = self.kappa, np.hypot(self.kappa, 1.0)
        return float((kappa / length) ** 2 * ((kappa - 1.0) / length) * ((kappa + 1.0) / length))

    def mean_squared_sine(self) -> float:
        """Expected squared sine (6κ² + 8)/(κ² + 4)²."""
        kappa = self._one_kappa()
        length = np.hypot(kappa, 2.0)
        return float((6.0 * (kappa / length) ** 2 + 8.0 / length**2) / length**2)

    def log_normalizer(self) -> float:
        return float(np.log(_TURN) - np.log(self._constants[0]))

    def logpdf(self, x: ArrayLike, mu: ArrayLike) -> FloatOrArray:
        x, mu = validate.unit_vectors("x", x, 3), validate.unit_vectors("mu", mu, 3)
        apart, together = np.linalg.norm(x - mu, axis=-1), np.linalg.norm(x + mu, axis=-1)
        at = Angle(2.0 * np.arctan2(apart, together), 2.0 * np.arctan2(together, apart))
        with np.errstate(divide="ignore"):
            log_sine = np.log(0.5 * apart * together)
        return scalar_or_array(self._log_sum(at) - log_sine - self.log_normalizer())

    def entropy(self) -> float:
        # by panels that grow from both ends, where the log-density is infinite
        share = np.concatenate([np.geomspace(1e-30, 1e-2, 60), np.linspace(0.0, 0.5, 51)[2:]])
        edges = np.unique(np.concatenate([self.angle_ppf(share), self.angle_isf(share)]))
        width = np.diff(edges)[:, None]
        theta = edges[:-1, None] + width * NODES
        mean = integral(self.angle_pdf(theta) * self._log_kernel(theta) * width).sum()
        return float(self.log_normalizer() - mean)

    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        """f(θ) itself, as f(0) is infinite."""
        return self._log_sum(Angle.at(theta)) - np.log(np.sin(theta))

    def _log_density_change(self, at: Angle, shift: FloatOrArray, there: FloatOrArray = None) -> FloatOrArray:
        """h(t) - h(T) of the angle density itself, where the kernel's poles cancel against the sine."""
        return self._log_sum(at.shifted(shift)) - self._log_sum(at)

    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        around = _TURN - theta
        turns = self._constants[3]
        back = np.exp(-2.0 * self.kappa * (np.pi - theta))
        change = (1.0 - self.kappa * theta - turns) - back * (1.0 - self.kappa * around - turns)
        total = (self.kappa * theta + turns) + back * (self.kappa * around + turns)
        return self.kappa * change / total - 1.0 / np.tan(theta)

    def _peak_sine_cosine(self) -> tuple[float, float]:
        """The angle density of a concentrated distribution is highest at 1/κ; 1 rad is high enough for a wide one."""
        mode = 1.0 / max(self.kappa, 1.0)
        return np.sin(mode), np.cos(mode)

    why_infinite = "the density is unbounded at the antipode of the input, and by whole turns at the input itself"

    def _metric_level(self) -> float:
        return np.inf

    def _pure_level(self) -> float:
        return np.inf

    def _loss_at(self, distance: Array) -> Array:
        return np.full_like(distance, np.inf)

    def _draw_angles(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        draws = uniform(np.pi), _sum_within_a_turn, _walk
        return draw_by_threshold(size, kappa, (SMALLEST, 1.0 / _TURN), draws, rng)


def _excess(x: FloatOrArray) -> FloatOrArray:
    """x coth x - x = 2x/(exp(2x) - 1), which falls from 1 to 0."""
    with np.errstate(over="ignore"):
        return np.where(x > 0.0, 2.0 * x / np.expm1(2.0 * np.where(x > 0.0, x, 1.0)), 1.0)


def _walk(size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """The walk as published: Gamma(2) is the sum of two exponentials, and at most a few turns long here."""
    length = rng.standard_exponential(size) + rng.standard_exponential(size)
    turned = np.fmod(length / kappa, _TURN)
    return np.minimum(turned, _TURN - turned)


def _sum_within_a_turn(size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """The same for walks of many turns, which would take the digits: r of 1e7 rad is known to 2e-9.

    Each of the two exponentials, modulo 2π, is the exponential truncated to [0, 2π).
    """
    total = truncated_exponential((2, size), _TURN * kappa, rng).sum(axis=0) / kappa
    turned = np.where(total >= _TURN, total - _TURN, total)
    return np.minimum(turned, _TURN - turned)
