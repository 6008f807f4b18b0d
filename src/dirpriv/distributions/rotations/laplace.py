"""The Laplace distribution of rotations: density falling exponentially with the angle."""

import numpy as np
from scipy.special import exprel, gammainc

from dirpriv._lib.types import Array, FloatOrArray, Mask
from dirpriv.distributions.rotations.angle_sampling import draw_mirrored
from dirpriv.distributions.rotations.base import RotationDistribution
from dirpriv.distributions.sampling.directions import draw_by_rejection
from dirpriv.distributions.shared.colatitude import PI_TAIL, StraightKernel


class RotationLaplace(StraightKernel, RotationDistribution):
    """Laplace distribution on SO(3): log kernel f(θ) = -κ θ, θ = φ₆ the angle from the mode.

    The distribution of the mechanism of Hildebrandt, Schömer and Hildebrandt (2025; see :class:`RotationBingham`),
    Section 3.3, whose ε is κ here, drawn exactly for every κ. Among all mechanisms that are ε·φ₆-private it
    has the stochastically smallest angle (docs/mathematics.md, "The Purkayastha mechanism is
    optimal"). Its CDF *is* elementary (the paper's Section 3.4 says otherwise)::

        F(x) = (1 - G(x)) / (1 - (1 + 2κ²) e^{-πκ}),   G(x) = e^{-κx} (1 + κ sin x + 2κ² sin²(x/2))

    and is evaluated here as sums of positive terms, in both tails.

    Examples
    --------
    >>> from dirpriv.distributions import RotationLaplace
    >>> round(RotationLaplace(kappa=1.0).mean_angle(), 4)
    1.7307
    """

    def _half_peak(self) -> tuple[float, float]:
        length = np.hypot(1.0, self.kappa)
        return 1.0 / length, self.kappa / length

    def _cdf_and_sf(self, theta: FloatOrArray) -> tuple[Array, Array]:
        """CDF and SF in closed form. Up to the same factor, with r = π - x and P the regularised gamma,

        CDF = P(3, κx)/κ + e^{-κx} [(x - sin x) + κ (cos x - 1 + x²/2)],
        SF = e^{-κx} [(1 + 2κ²)(1 - e^{-κr})/κ + sin r - 2κ sin²(r/2)], or [G(x) - G(π)]/κ where κr ≥ 1.
        """
        kappa = self.kappa
        bits = max(np.frexp(kappa)[1], 0)  # without this power of 2, products of tails and 1/κ underflow
        rest = np.pi - theta + PI_TAIL
        whole = self._whole()
        decay = np.exp(-kappa * theta)
        sine_gap, cosine_gap = _trigonometric_gaps(theta)
        ring = gammainc(3.0, kappa * theta) / kappa if kappa > 0.0 else 0.0
        below = (ring + decay * (sine_gap + kappa * cosine_gap)) / whole
        above = decay * (rest * exprel(-kappa * rest) * (1.0 + 2.0 * kappa**2) + np.sin(rest))
        above = np.ldexp(above - decay * 2.0 * kappa * np.sin(0.5 * rest) ** 2, bits)
        far = kappa * rest >= 1.0
        if far.any():
            x = theta[far]
            fall = 1.0 + kappa * np.sin(x) + 2.0 * (kappa * np.sin(0.5 * x)) ** 2
            end = (1.0 + 2.0 * kappa**2) * np.exp(-np.pi * kappa)
            above[far] = np.ldexp(decay[far] * fall - end, bits) / kappa
        return below, above / np.ldexp(whole, bits)

    def _whole(self) -> float:
        """(1 - (1 + 2κ²) e^(-πκ))/κ, π at κ = 0."""
        return np.pi * exprel(-np.pi * self.kappa) - 2.0 * self.kappa * np.exp(-np.pi * self.kappa)

    def _draw_block(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        if kappa <= 1.5:  # where the two ways cost the same; the first may be used up to 2
            # k = cosh κφ - sin φ sinh κφ ≤ 1 as tanh(κφ/2) ≤ tanh φ ≤ sin φ for κ ≤ 2
            return draw_mirrored(size, self, rng, is_odd=True)
        share = (kappa / np.hypot(1.0, kappa)) ** 2 * self._whole() * kappa
        return draw_by_rejection(size, share, lambda count, rows: _propose_gamma(count, kappa, rng))


def _propose_gamma(count: int, kappa: FloatOrArray, rng: np.random.Generator) -> tuple[Array, Mask]:
    """Proposals from the gamma distribution of (θ/2)² exp(-κθ), and whether they are accepted.

    The log of the ratio (sin(θ/2)/(θ/2))², none beyond π, is from -0.0916 θ² to -θ²/12: most need no sine.
    """
    theta = rng.standard_exponential((3, count)).sum(axis=0) / kappa
    energy = rng.standard_exponential(count)
    square = theta * theta
    accepted = (0.0916 * square < energy) & (theta <= np.pi)
    open_ = np.flatnonzero(~accepted & (square <= 12.0 * energy) & (theta <= np.pi))
    half = 0.5 * theta[open_]
    accepted[open_] = energy[open_] >= -2.0 * np.log(np.sin(half) / half)
    return theta, accepted


def _trigonometric_gaps(x: FloatOrArray) -> tuple[FloatOrArray, FloatOrArray]:
    """x - sin x and cos x - 1 + x²/2 on [0, π], by their series where they cancel."""
    square = x * x
    small = square < 2.0
    s = np.where(small, square, 0.0)
    sine, cosine = np.ones_like(x), np.ones_like(x)
    for k in range(11, 1, -1):
        sine = 1.0 - s * sine / ((2 * k) * (2 * k + 1))
        cosine = 1.0 - s * cosine / ((2 * k + 1) * (2 * k + 2))
    far_sine, far_cosine = x - np.sin(x), 0.5 * square - 2.0 * np.sin(0.5 * x) ** 2
    sine, cosine = sine * x * square / 6.0, cosine * square * square / 24.0
    return np.where(small, sine, far_sine), np.where(small, cosine, far_cosine)
