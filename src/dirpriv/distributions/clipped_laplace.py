"""The clipped Laplace distribution: Laplace noise on the line, clipped to one turn; a baseline with a flaw."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._lib.types import RNG, Array, FloatOrArray, Mask, Size
from dirpriv.distributions.shared.base import scalar_or_array, shape_around
from dirpriv.distributions.shared.spherical import DirectionDistribution
from dirpriv.distributions.vector_laplace import VectorLaplace
from dirpriv.geometry.spaces import CIRCLE

_TURN = 2.0 * np.pi


class ClippedLaplace(DirectionDistribution):
    """Laplace noise with scale 1/κ added to an angle of [0, 2π) and clipped to that interval.

    The standard Laplace mechanism with post-processing (Weggenmann and Kerschbaum 2021, Section 3.6.1).
    It is *not* rotationally symmetric: all the noise that leaves the interval is put on the seam, the
    direction of angle 0, as a point mass, which densities leave out. So its distribution depends on how far the mode
    is from the seam, and a mean of clipped responses tends to the seam, not to the mode.

    The methods of the angle take the ``mode`` as an angle. The default is π, where the distribution is symmetric.

    Parameters
    ----------
    kappa : float
        One finite concentration κ ≥ 0, per radian, else a ValueError. 0 puts half of the mass on each side of the seam.

    Examples
    --------
    >>> from dirpriv.distributions import ClippedLaplace
    >>> distribution = ClippedLaplace(kappa=1.0)
    >>> round(distribution.seam_probability(), 4)  # of the mode π
    0.0432
    >>> distribution.mean_vector([0.0, 1.0]).round(3).tolist()  # drawn from (0, 1) towards the seam at (1, 0)
    [0.054, 0.55]
    """

    space = CIRCLE
    dim = 2
    is_symmetric = False

    def __init__(self, kappa: float) -> None:
        self._set(kappa=validate.one_concentration(kappa))

    def seam_probability(self, mode: ArrayLike = np.pi) -> FloatOrArray:
        """Probability of the point mass at the seam (angle 0), for modes at these angles.

        Parameters
        ----------
        mode : array_like
            Angle of the mode in radians.
        """
        return scalar_or_array(0.5 * sum(np.exp(-self.kappa * room) for room in _rooms(mode)))

    def angle_pdf(self, theta: ArrayLike, mode: ArrayLike = np.pi) -> FloatOrArray:
        """Density of the angle from the mode, per radian, without the point mass at the distance of the seam.

        Parameters
        ----------
        theta, mode : array_like
            Radians; broadcast against each other. For a ``theta`` outside [0, π] the density is 0.
        """
        theta = validate.reals("theta", theta)
        near = np.clip(theta, 0.0, np.pi)
        density = sum(
            np.where(moved <= room, np.exp(-self.kappa * moved), 0.0)
            for room in _rooms(mode)
            for moved in (near, _TURN - near)  # straight there, or past the antipode
        )
        inside = (theta >= 0.0) & (theta <= np.pi)
        value = np.where(inside, 0.5 * self.kappa * density, 0.0)
        return scalar_or_array(np.where(np.isnan(theta), np.nan, value))

    def angle_logpdf(self, theta: ArrayLike, mode: ArrayLike = np.pi) -> FloatOrArray:
        """Logarithm of :meth:`angle_pdf`; -inf where the density is 0.

        Parameters
        ----------
        theta, mode : array_like
            Radians.
        """
        with np.errstate(divide="ignore"):
            return scalar_or_array(np.log(self.angle_pdf(theta, mode)))

    def angle_cdf(self, theta: ArrayLike, mode: ArrayLike = np.pi) -> FloatOrArray:
        """Probability of an angle of at most ``theta``; it jumps at the distance of the seam.

        Parameters
        ----------
        theta, mode : array_like
            Radians.
        """
        theta = validate.reals("theta", theta)
        t = np.clip(theta, 0.0, np.pi)
        rooms = _rooms(mode)
        mass = 0.0
        for room in rooms:
            straight = -np.expm1(-self.kappa * np.minimum(t, room))
            around = np.maximum(np.exp(-self.kappa * (_TURN - t)) - np.exp(-self.kappa * room), 0.0)
            mass = mass + 0.5 * (straight + around)
        mass = mass + np.where(t >= np.minimum(*rooms), self.seam_probability(mode), 0.0)
        value = np.where(theta >= np.pi, 1.0, np.where(theta < 0.0, 0.0, mass))
        return scalar_or_array(np.where(np.isnan(theta), np.nan, value))

    def angle_sf(self, theta: ArrayLike, mode: ArrayLike = np.pi) -> FloatOrArray:
        """Probability of an angle of more than ``theta`` from the mode.

        Parameters
        ----------
        theta, mode : array_like
            Radians.
        """
        theta = validate.reals("theta", theta)
        t = np.clip(theta, 0.0, np.pi)
        rooms = _rooms(mode)
        mass = np.where(t < np.minimum(*rooms), self.seam_probability(mode), 0.0)
        for room in rooms:  # moved by more than θ and less than 2π - θ, without reaching the seam
            farthest = np.exp(-self.kappa * np.minimum(_TURN - t, room))
            mass = mass + 0.5 * np.maximum(np.exp(-self.kappa * t) - farthest, 0.0)
        value = np.where(theta >= np.pi, 0.0, np.where(theta < 0.0, 1.0, mass))
        return scalar_or_array(np.where(np.isnan(theta), np.nan, value))

    def angle_ppf(self, u: ArrayLike, mode: ArrayLike = np.pi) -> FloatOrArray:
        """Smallest angle in radians at which :meth:`angle_cdf` reaches ``u``, by bisection to the last digit.

        Parameters
        ----------
        u, mode : array_like
            Probabilities, of which those outside [0, 1] give nan; angles of the mode in radians.
        """
        u = validate.reals("u", u)
        return self._smallest(lambda theta: self.angle_cdf(theta, mode) >= u, u, u == 0.0, u == 1.0, mode)

    def angle_isf(self, q: ArrayLike, mode: ArrayLike = np.pi) -> FloatOrArray:
        """Smallest angle in radians with :meth:`angle_sf` at most ``q``, also where ``1 - q`` rounds to 1.

        By bisection to the last digit; for all ``q`` within the jump it is the distance of the seam.

        Parameters
        ----------
        q, mode : array_like
            As for :meth:`angle_ppf`; broadcast against each other.

        Examples
        --------
        >>> from dirpriv.distributions import ClippedLaplace
        >>> distribution = ClippedLaplace(kappa=10.0)
        >>> theta = distribution.angle_isf(1e-10)
        >>> round(float(theta), 4), round(float(distribution.angle_sf(theta) * 1e10), 9)
        (2.3026, 1.0)
        """
        q = validate.reals("q", q)
        return self._smallest(lambda theta: self.angle_sf(theta, mode) <= q, q, q == 1.0, q == 0.0, mode)

    def _smallest(self, reached: Any, share: Array, zero: Mask, pi: Mask, mode: ArrayLike) -> FloatOrArray:
        """Smallest angles at which a condition holds, by bisection. It also holds at all larger ones."""
        shape = np.broadcast_shapes(share.shape, np.shape(mode))
        low, high = np.zeros(shape), np.full(shape, np.pi)
        for _ in range(1100):  # at most the number of halvings down to the smallest double
            middle = (low + high) / 2.0
            if np.all((middle == low) | (middle == high)):
                break
            holds = reached(middle)
            high, low = np.where(holds, middle, high), np.where(holds, low, middle)
        high = np.where(zero, 0.0, np.where(pi & (self.kappa > 0.0), np.pi, high))
        return scalar_or_array(np.where((share >= 0.0) & (share <= 1.0), high, np.nan))

    def angle_rvs(self, size: Size | None = None, *, mode: float = np.pi, rng: RNG = None) -> FloatOrArray:
        """Exact draws of the angle from one ``mode``, in radians.

        Parameters
        ----------
        size, mode, rng : optional
            As for :meth:`dirpriv.distributions.VonMisesFisher.angle_rvs`; angle of the mode in radians.
        """
        modes = np.full(() if size is None else validate.shape("size", size), float(np.mod(mode, _TURN)))
        angles = geometry.circular_distance(self._draw_positions(modes, rng), mode)
        return float(angles) if size is None else angles

    def mean_angle(self, mode: ArrayLike = np.pi) -> FloatOrArray:
        """Expected angle from the mode, in radians: the error of one response.

        Parameters
        ----------
        mode : array_like
            Angle of the mode in radians.
        """
        rooms = _rooms(mode)
        total = self.seam_probability(mode) * np.minimum(*rooms)
        for room in rooms:
            short = np.minimum(room, np.pi)
            beyond = _TURN * (np.exp(-self.kappa * short) - np.exp(-self.kappa * room))
            total = total + 0.5 * (2.0 * self._first_moment(short) - self._first_moment(room) + beyond)
        return scalar_or_array(total)

    def mean_chord(self, mode: ArrayLike = np.pi) -> FloatOrArray:
        """Expected straight-line distance E 2 sin(θ/2) from the mode.

        Parameters
        ----------
        mode : array_like
            Angle of the mode in radians.
        """
        rooms = _rooms(mode)
        seam = self.seam_probability(mode) * 2.0 * np.sin(np.minimum(*rooms) / 2.0)
        return scalar_or_array(sum((self._transform(0.5, room).imag for room in rooms), seam))

    def mean_cosine(self, mode: ArrayLike = np.pi) -> FloatOrArray:
        """Expected cosine of the angle from the mode.

        Parameters
        ----------
        mode : array_like
            Angle of the mode in radians.
        """
        rooms = _rooms(mode)
        seam = self.seam_probability(mode) * np.cos(rooms[0])
        return scalar_or_array(sum((0.5 * self._transform(1.0, room).real for room in rooms), seam))

    def mean_vector(self, mu: ArrayLike) -> Array:
        mu = validate.unit_vectors("mu", mu, 2)
        mode = geometry.vectors_to_angles(mu)
        up, down = _rooms(mode)
        turned = 0.5 * (self._transform(1.0, up) + np.conj(self._transform(1.0, down)))
        mean = (mu[..., 0] + 1j * mu[..., 1]) * turned + self.seam_probability(mode)
        return np.stack([mean.real, mean.imag], axis=-1)

    def _first_moment(self, room: FloatOrArray) -> FloatOrArray:
        """∫₀^room s κ exp(-κs) ds, as an incomplete gamma function: without cancellation at small κ."""
        return gammainc(2.0, self.kappa * room) / self.kappa if self.kappa else np.zeros_like(room)

    def _transform(self, frequency: float, room: FloatOrArray) -> Any:
        """∫₀^room κ exp((i frequency - κ) s) ds."""
        rate = self.kappa - 1j * frequency
        return self.kappa * -np.expm1(-rate * room) / rate

    def log_normalizer(self) -> float:
        """Logarithm of ∫ exp(-κ|y|) dy = 2/κ over the line, the normalizer before clipping."""
        with np.errstate(divide="ignore"):
            return float(np.log(2.0) - np.log(self.kappa))

    def logpdf(self, x: ArrayLike, mu: ArrayLike) -> FloatOrArray:
        x, mu = validate.unit_vectors("x", x, 2), validate.unit_vectors("mu", mu, 2)
        moved = np.abs(geometry.vectors_to_angles(x) - geometry.vectors_to_angles(mu))
        return scalar_or_array(-self.kappa * moved - self.log_normalizer())

    def rvs(self, mu: ArrayLike, size: Size | None = None, *, rng: RNG = None) -> Array:
        """Exact draws of unit vectors around ``mu``, as :meth:`dirpriv.distributions.VonMisesFisher.rvs`.

        Parameters
        ----------
        mu, size, rng : array_like, shape (2,) or (N, 2), and optional
            As there.
        """
        mu = self._inputs("mu", mu)
        shape = shape_around("mu", "mode", mu.shape[:-1], size)
        modes = np.broadcast_to(geometry.vectors_to_angles(mu), shape)
        return geometry.angles_to_vectors(self._draw_positions(modes, rng))

    def _draw_positions(self, modes: Array, rng: RNG) -> Array:
        rng = validate.generator(rng)
        with np.errstate(divide="ignore", invalid="ignore"):
            noise = rng.standard_exponential(np.shape(modes)) / self.kappa
        noise = np.where(rng.integers(0, 2, size=np.shape(modes), dtype=np.uint8), noise, -noise)
        return np.mod(np.clip(modes + noise, 0.0, _TURN), _TURN)  # both ends of the interval are the seam

    def bin_transitions(self, bins: int) -> Array:
        """Probabilities that randomised angles from one bin of a circular histogram fall into another.

        Parameters
        ----------
        bins : int
            Number of bins of equal width; bin 0 begins at angle 0, the seam.
        """
        bins = validate.integer("bins", bins, 1)
        width = _TURN / bins
        rate = max(self.kappa, 1e-300)
        steps = width * np.arange(-bins, bins + 1)
        # the integral of the CDF of the noise, up to a constant
        integral = np.maximum(steps, 0.0) + np.expm1(-rate * np.abs(steps)) / (2.0 * rate)
        below = np.diff(integral) / width  # CDF at the border b, averaged over bin i: entry b - i - 1 + bins
        border, true = np.arange(bins + 1), np.arange(bins)[:, None]
        below = below[border - true - 1 + bins]
        inside = np.diff(below, axis=1)
        inside[:, 0] += below[:, 0] + 1.0 - below[:, -1]  # both ends of the line are the seam, in bin 0
        return np.maximum(inside, 0.0)

    why_infinite = (
        "angles just above 0 and just below 2π are neighbours on the circle, and lose 2πκ however near they are"
    )

    def _metric_level(self) -> float:
        return np.inf

    def _pure_level(self) -> float:
        return _TURN * self.kappa

    def _loss_at(self, distance: Array) -> Array:
        return self.kappa * (_TURN - distance)  # of inputs on both sides of the seam

    def _loss_within(self, radius: Array) -> Array:
        return np.full_like(radius, _TURN * self.kappa)  # of two that are next to each other

    def _loss_distribution(self, distance: float, loss: float) -> tuple[Array, Array]:
        """That of the noise before it is clipped, for inputs on both sides of the seam."""
        return VectorLaplace(1, self.kappa).privacy_loss_distribution(_TURN)


def _rooms(mode: ArrayLike) -> tuple[Array, Array]:
    """How far noise can move up and down from the mode before it is clipped: 2π - φ and φ."""
    phi = np.mod(validate.reals("mode", mode), _TURN)
    return _TURN - phi, phi
