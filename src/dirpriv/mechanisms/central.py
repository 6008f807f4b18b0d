"""Mechanisms of a trusted data owner: noise on the vector sum of the true directions.

People send their true directions to a data owner, who adds noise to the sum of the unit vectors and releases the
sum, or its direction. Replacing one person moves the sum by at most 2, the length of a diameter; the number
of people is public. Compared with randomising every response (the local model) the noise is that of about one
person, not of all: for directions of few coordinates that of :class:`VectorLaplaceSum` is the smaller one.

Noise on the *direction* of the sum would be far larger: one person among many whose vectors cancel can turn
it by π, and a mechanism must cover that.

**Not exact in floating point.** The guarantees are those of the exact noise and the exact sum. Here both are
doubles: their lowest bits, released as they are, can reveal more than the guarantee says (I. Mironov, "On
significance of the least significant bits for differential privacy", CCS 2012). They are made for studies and
for data owners who accept this. :class:`dirpriv.release.CentralRelease` is exact, on the circle.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, gammaincinv, log_ndtr

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.immutable import Frozen, constructed
from dirpriv._lib.quadrature import panels
from dirpriv._lib.types import Array, ReleaseRNG
from dirpriv.distributions.shared.spherical import Uniform
from dirpriv.distributions.vector_laplace import VectorLaplace

_WIDEST = 1e150
_SENSITIVITY = 2.0  # of a sum of unit vectors, when one of them is replaced


@dataclass(frozen=True)
class CentralGuarantee:
    """(ε, δ)-differential privacy of a release that is made by a trusted data owner.

    Attributes
    ----------
    epsilon, delta : float
        Level ε for two data sets that differ in the direction of one person; δ, 0 for pure privacy.

    Examples
    --------
    >>> from dirpriv.mechanisms import VectorLaplaceSum
    >>> VectorLaplaceSum(1.0).guarantee
    CentralGuarantee(epsilon=1.0, delta=0.0)
    """

    epsilon: float
    delta: float


class NoisySum(Frozen, ABC):
    """Base of the mechanisms that add rotationally symmetric noise to the sum of unit vectors."""

    epsilon: float
    delta: float
    dim: int
    __repr__ = constructed

    @property
    def guarantee(self) -> CentralGuarantee:
        """What a release guarantees when one person is replaced, with exact arithmetic."""
        return CentralGuarantee(self.epsilon, self.delta)

    @abstractmethod
    def _noise(self, rng: np.random.Generator) -> Array:
        """One draw of the noise."""

    @abstractmethod
    def _radii(self, share: Array) -> Array:
        """Lengths of the noise at these quantiles."""

    def randomise_sum(self, x: ArrayLike, *, rng: ReleaseRNG = None) -> Array:
        """The sum of unit vectors with noise. Divided by N, it estimates the mean vector.

        Each call is a separate release. Levels and δ of several releases of the same people add up.

        Parameters
        ----------
        x : array_like, shape (N, dim)
            One unit vector of each person.
        rng : None, Generator or BitGenerator, keyword-only
            Source of the noise, no seed: ``None`` takes entropy from the operating system.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.mechanisms import GaussianSum
        >>> total = GaussianSum(epsilon=1.0, delta=1e-6).randomise_sum(np.tile([0.0, 1.0], (1000, 1)))
        >>> bool(abs(total[1] - 1000.0) < 100.0)
        True
        """
        rng = validate.release_generator(rng)
        vectors = validate.unit_vectors("x", x, self.dim)
        if vectors.ndim != 2 or len(vectors) == 0:
            raise InvalidArgument("x", f"must have shape (N, {self.dim}), N at least 1; got shape {vectors.shape}")
        return vectors.sum(axis=0) + self._noise(rng)

    def mean_direction(self, x: ArrayLike, *, rng: ReleaseRNG = None) -> Array:
        """Direction of the sum of unit vectors with noise: of the noisy sum alone, with its guarantee.

        Parameters
        ----------
        x, rng : array_like, shape (N, dim), and keyword-only
            As for :meth:`randomise_sum`.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.mechanisms import VectorLaplaceSum
        >>> bool(VectorLaplaceSum(epsilon=1.0).mean_direction(np.tile([0.0, 1.0], (1000, 1)))[1] > 0.9)
        True
        """
        total = self.randomise_sum(x, rng=rng)
        return total / np.linalg.norm(total)

    def expected_error(self, people: int, resultant: float = 1.0) -> float:
        """Mean angle in radians between the released direction and the mean direction of the people.

        It is the error that the noise causes. The error of a sample of a larger population is not in it.

        Parameters
        ----------
        people, resultant : int and float
            Number of people N, at least 1, and their mean resultant length R in (0, 1]: 1 where all share one
            direction.

        Examples
        --------
        >>> from dirpriv.mechanisms import GaussianSum
        >>> round(GaussianSum(epsilon=1.0, delta=1e-6).expected_error(100), 4)
        0.0676
        """
        return self._error(validate.integer("people", people, 1) * checked_resultant(resultant))

    def sample_size(self, error: float, resultant: float = 1.0) -> int:
        """Smallest number of people for which the expected error is at most this.

        It is 1 from π/2 on, which is the error of a random direction.

        Parameters
        ----------
        error, resultant : float
            Mean angle in radians, positive; as for :meth:`expected_error`.
        """
        error, resultant = validate.positive("error", error), checked_resultant(resultant)
        low, high = 0, 1  # too few, unless none, and enough
        while self._error(high * resultant) > error:
            low, high = high, 2 * high
            if high >= 1 << 62:
                raise InvalidArgument("error", "is too small: no 1e18 people are enough for it", got=error)
        return bisect_left(range(high), True, low + 1, key=lambda n: self._error(n * resultant) <= error)

    @cached_property
    def _grid(self) -> tuple[Array, Array, Array, Array, Array]:
        """Lengths of the noise and its angles from the sum, with weights, for means."""
        share, of_share = panels(np.array([0.0, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999, 1.0 - 1e-6, 1.0 - 1e-12]))
        angle, of_angle = panels(np.linspace(0.0, np.pi, 5))
        of_angle = of_angle * Uniform(self.dim).angle_pdf(angle)
        return self._radii(share), of_share, np.cos(angle), np.sin(angle), of_angle / of_angle.sum()

    def _error(self, length: float) -> float:
        """Mean angle between a vector of this length and the same vector with noise."""
        radii, of_share, cosine, sine, of_angle = self._grid
        angle = np.arctan2(np.multiply.outer(radii, sine), length + np.multiply.outer(radii, cosine))
        return float(of_share @ angle @ of_angle)


class GaussianSum(NoisySum):
    """Normal noise on the sum of unit vectors, with (ε, δ)-differential privacy.

    With s = 2/σ the least δ is Φ(s/2 - ε/s) - exp(ε) Φ(-s/2 - ε/s), which grows with s. The guarantee is that
    of the exact distribution, not of doubles: see :mod:`dirpriv.mechanisms.central`.

    Parameters
    ----------
    epsilon, delta : float
        Level ε, positive; δ, in (0, 1), which should be much smaller than one over the number of people.
    dim : int, keyword-only
        Length of the vectors: 2 for the circle, 3 for the sphere.

    Attributes
    ----------
    sigma : float
        Standard deviation of the noise in each coordinate: the smallest that keeps ε and δ for two sums that
        are 2 apart (B. Balle, Y.-X. Wang, "Improving the Gaussian mechanism for differential privacy:
        analytical calibration and optimal denoising", ICML 2018, Theorem 8).

    Examples
    --------
    >>> from dirpriv.mechanisms import GaussianSum
    >>> mechanism = GaussianSum(epsilon=1.0, delta=1e-6)
    >>> round(mechanism.sigma, 3), mechanism.sample_size(error=0.1)
    (8.449, 68)
    """

    sigma: float

    def __init__(self, epsilon: float, delta: float, *, dim: int = 2) -> None:
        epsilon, delta = validate.positive("epsilon", epsilon), validate.share("delta", delta)
        log_delta = math.log(delta)

        def _above(sigma: float) -> float:
            return gaussian_log_delta(epsilon, _SENSITIVITY / sigma) - log_delta

        guess = min(_SENSITIVITY * math.sqrt(max(epsilon - 2.0 * log_delta, 1.0)) / epsilon, _WIDEST)
        low, high = guess, guess
        while _above(low) <= 0.0:
            low *= 0.5
        while _above(high) > 0.0:
            high *= 2.0
            if high > _WIDEST:
                rule = f"or {named('delta')} must be larger: the noise would be wider than {_WIDEST:g}"
                raise InvalidArgument("epsilon", rule, got=epsilon)
        while low < (middle := 0.5 * (low + high)) < high and high - low > 1e-13 * high:
            low, high = (low, middle) if _above(middle) <= 0.0 else (middle, high)
        sigma = high * (1.0 + 1e-9)  # for the rounding of δ, see gaussian_log_delta
        self._set(epsilon=epsilon, delta=delta, dim=validate.dimension(dim), sigma=sigma)

    def _noise(self, rng: np.random.Generator) -> Array:
        return self.sigma * rng.standard_normal(self.dim)

    def _radii(self, share: Array) -> Array:
        return self.sigma * np.sqrt(2.0 * gammaincinv(0.5 * self.dim, share))


class VectorLaplaceSum(NoisySum):
    """Noise with a density falling as exp(-ε‖z‖/2) on the sum of unit vectors, with pure ε.

    Two sums at most 2 apart have densities that differ by at most exp(ε/2 · 2). The length of the noise has a
    gamma distribution of shape ``dim`` and scale 2/ε; see :class:`dirpriv.distributions.VectorLaplace`. The guarantee
    is that of the exact distribution, not of doubles: see :mod:`dirpriv.mechanisms.central`.

    Parameters
    ----------
    epsilon : float
        Level ε of pure differential privacy, positive.
    dim : int, keyword-only
        Length of the vectors: 2 for the circle, 3 for the sphere.

    Examples
    --------
    >>> from dirpriv.mechanisms import VectorLaplaceSum
    >>> VectorLaplaceSum(epsilon=1.0).sample_size(error=0.1)
    26
    """

    def __init__(self, epsilon: float, *, dim: int = 2) -> None:
        self._set(epsilon=validate.positive("epsilon", epsilon), delta=0.0, dim=validate.dimension(dim))

    def _noise(self, rng: np.random.Generator) -> Array:
        return VectorLaplace(self.dim, self.epsilon / _SENSITIVITY).rvs(np.zeros(self.dim), rng=rng)

    def _radii(self, share: Array) -> Array:
        return gammaincinv(float(self.dim), share) * (_SENSITIVITY / self.epsilon)


def gaussian_log_delta(epsilon: float, distance: float) -> float:
    """Logarithm of the δ of :class:`GaussianSum` for s = ``distance``; -inf where that is 0 in doubles.

    With y = ε/s - s/2, δ is Φ(-y) - φ(y) R(y + s), R Mills' ratio, and ε cancels nowhere. For s < 1e-4 it is φ(y) times
    the integral of -R' from y to y + s. As R is completely monotone, -R' is convex: its mean at both ends gives a
    bound, at most 2e-9 of δ too large. Of -R'(t) = 1 - t R(t) cancel log10(1 + t²) digits, fewer than four. For larger
    s, rounding moves log δ by less than 9e-16 (|y| + 1)³/s. All this is less than 1e-9 of σ moves it.
    """
    near, far = epsilon / distance - 0.5 * distance, epsilon / distance + 0.5 * distance
    ratios = math.sqrt(0.5 * math.pi) * erfcx(np.array([max(near, -1.0), far]) / math.sqrt(2.0))
    if distance < 1e-4:  # standard deviations: δ is bounded by an integral
        fall = distance * float(np.mean(1.0 - ratios * [near, far]))
        return -0.5 * near * near - 0.5 * math.log(math.tau) + math.log(fall) if fall > 0.0 else -math.inf
    first, far_ratio = float(log_ndtr(-near)), float(ratios[1])
    ratio = math.log(far_ratio) - 0.5 * math.log(math.tau) - 0.5 * near * near - first
    return first + math.log(-math.expm1(ratio)) if ratio < 0.0 else -math.inf


def checked_resultant(resultant: float) -> float:
    value = validate.positive("resultant", resultant)
    validate.check_at_most("resultant", value, 1.0, "1, as it is a mean resultant length", resultant)
    return value
