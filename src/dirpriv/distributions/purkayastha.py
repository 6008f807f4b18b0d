"""The Purkayastha distribution: density falling exponentially with the angle."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from dirpriv._lib.types import Array, FloatOrArray, Mask
from dirpriv.distributions.sampling import directions
from dirpriv.distributions.shared.colatitude import StraightKernel
from dirpriv.distributions.shared.spherical import SphericalDistribution


class Purkayastha(StraightKernel, SphericalDistribution):
    """Purkayastha distribution on the unit sphere: log kernel f(θ) = -κ θ.

    Among all mechanisms that are ε·d∡-private it has the stochastically smallest angle (docs/mathematics.md, "The
    Purkayastha mechanism is optimal"); Weggenmann and Kerschbaum (2021), Section 3.3, introduce it as a mechanism.

    References
    ----------
    .. [1] Weggenmann, B., Kerschbaum, F., "Differential Privacy for Directional Data", CCS 2021.
    .. [2] Purkayastha, S., "Simple characterizations of directional distributions", 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.distributions import Purkayastha
    >>> round(Purkayastha(dim=2, kappa=1 / np.pi).mean_angle(), 4)
    1.3133
    """

    _likeliest_mode = "median"

    def _peak_sine_cosine(self) -> tuple[float, float]:
        m = self.dim - 2
        length = np.hypot(m, self.kappa)
        if length == 0.0:  # the uniform distribution on the circle has no mode; 0 serves
            return 0.0, 1.0
        return m / length, self.kappa / length

    def _quantiles(self, u: Array, q: Array) -> Array:
        if self.dim > 2:
            return super()._quantiles(u, q)
        if self._one_kappa() < 1e-17:  # even, to the last digit
            return np.where((u >= 0.0) & (q >= 0.0), np.pi * u, np.nan)
        # the truncated exponential has a closed inverse, written for the end that is nearer
        kappa, end = self.kappa, self.kappa * np.pi
        with np.errstate(divide="ignore", invalid="ignore"):
            from_zero = -np.log1p(u * np.expm1(-end)) / kappa
            from_pi = from_zero if end < 1.0 else -np.log(q + (1.0 - q) * np.exp(-end)) / kappa
        theta = np.minimum(np.where(u <= 0.5, from_zero, from_pi), np.pi)
        theta = np.where(q == 0.0, np.pi, theta)
        return np.where((u >= 0.0) & (q >= 0.0), theta, np.nan)

    def _draw_angles(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        m = self.dim - 2
        if m == 0:
            thresholds, draws = (directions.SMALLEST, 1.0 / np.pi), (directions.uniform(np.pi), _inverse, _memoryless)
        else:
            thresholds = (m / np.tan(1.0),)  # from there on the mode is below 1 rad
            near_equator = _on_sphere if m == 1 else functools.partial(_near_equator, m)
            draws = near_equator, functools.partial(_near_mode, m)
        return directions.draw_by_threshold(size, kappa, thresholds, draws, rng, last_first=m > 0)


def _inverse(size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    return directions.truncated_exponential(size, kappa * np.pi, rng) / kappa


def _memoryless(size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """An exponential modulo π is the exponential truncated to [0, π)."""
    theta = rng.standard_exponential(size)
    theta /= kappa
    return np.fmod(theta, np.pi, out=theta)


def _near_mode(m: int, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """Rejection from the gamma distribution of θ^m exp(-mθ/mode), which has the same mode, below 1 rad.

    The log ratio m log(sin θ/θ) + m (1/mode - cot mode) θ is concave and highest at the mode. Its second
    derivative is m times -0.5948 (on [0, π/2]) to -1/3, which settles most proposals without a sine.
    """
    mode = np.arctan2(m, kappa)
    with np.errstate(invalid="ignore"):
        slope = np.where(mode > 0.01, 1.0 / mode - 1.0 / np.tan(mode), mode / 3.0 + mode**3 / 45.0)
    log_peak = np.log(np.sin(mode) / mode)
    per_row = np.ndim(kappa) > 0
    compiled = None if per_row else directions.compiled(2 * size)

    def propose(count: int, rows: Any) -> tuple[Array, Any]:
        if m == 1:  # the sum of two exponentials is twice as fast
            gamma = rng.standard_exponential(count)
            gamma += rng.standard_exponential(count)
        else:
            gamma = rng.standard_gamma(m + 1, count)
        energy = rng.standard_exponential(count)
        if compiled:
            return compiled.near_mode(gamma, energy, m, float(mode), float(slope), float(log_peak)), ...
        return _propose_near_mode(gamma, energy, m, mode[rows], slope[rows], log_peak[rows])

    share = 0.98 * np.sin(mode) / mode * m / (m + 0.25 * mode)
    return directions.draw_by_rejection(size, share, propose, per_row=per_row)


def _propose_near_mode(
    theta: Array, energy: Array, m: int, mode: Array, slope: Array, log_peak: Array
) -> tuple[Array, Mask]:
    """Proposals from gamma draws, which they overwrite, and whether each is accepted with its energy."""
    theta *= mode / m
    d = theta - mode
    bend = m * d
    bend *= d
    accepted = (0.2974 * bend < energy) & (theta <= np.pi / 2.0)
    open_ = np.flatnonzero(~accepted)
    open_ = open_[(bend[open_] <= 6.0 * energy[open_]) & (theta[open_] < np.pi)]
    t = theta[open_]
    mode, slope, log_peak = (np.broadcast_to(x, theta.shape)[open_] for x in (mode, slope, log_peak))
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = m * (np.log(np.sin(t) / t) - log_peak + slope * (t - mode))
    accepted[open_] = energy[open_] >= -log_ratio
    return theta, accepted


def _on_sphere(size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """n = 3: rejection from uniform directions, where the distribution is wide.

    θ and π - θ are equally likely there, so one stands for both: it is accepted with the mean of their
    kernels, relative to its peak at 0, and then sent to its own side.
    """
    kappa = np.asarray(kappa)
    peak = 1.0 + np.exp(-np.pi * kappa)

    def propose(count: int, rows: Any) -> tuple[Array, Mask]:
        u = rng.random(count)
        theta = 2.0 * np.arctan(np.sqrt(u / (2.0 - u)))  # cos θ = 1 - u
        here, there = np.exp(-kappa[rows] * theta), np.exp(kappa[rows] * (theta - np.pi))
        level = rng.random(count) * peak[rows]
        return np.where(level < here, theta, np.pi - theta), level < here + there

    share = 0.97 / (1.0 + kappa * kappa)  # exactly 1/(1 + κ²), less a little
    return directions.draw_by_rejection(size, share, propose, per_row=np.ndim(kappa) > 0)


def _near_equator(m: int, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """Rejection, for a small κ, from the normal distribution of variance 1/m about the mode, as h'' ≤ -m."""
    mode, cotangent = np.arctan2(m, kappa), np.asarray(kappa / m)

    def propose(count: int, rows: Any) -> tuple[Array, Mask]:
        d = rng.standard_normal(count)
        d *= 1.0 / np.sqrt(m)
        theta = mode[rows] + d
        # sin θ/sin mode - 1 = 2t (cot mode - t)/(1 + t²), with the half tangent t of d
        d *= 0.5
        tangent = np.tan(d)
        change = cotangent[rows] - tangent
        change *= tangent
        change *= 2.0
        tangent *= tangent
        tangent += 1.0
        change /= tangent
        bend = d - cotangent[rows]
        bend *= d
        bend *= 2.0
        with np.errstate(divide="ignore", invalid="ignore"):
            np.log1p(change, out=change)
            change += bend
            change *= -m
        return theta, (theta > 0.0) & (theta < np.pi) & (rng.standard_exponential(count) >= change)

    share = 0.98 * np.sin(mode) * m / (m + 0.25)
    return directions.draw_by_rejection(size, share, propose, per_row=np.ndim(kappa) > 0)
