"""The rotationally symmetric distributions on the unit sphere of R^n: density exp(f(θ)), f the *log kernel*.

The angle θ from the mode has the density sin^(n-2) θ exp(f(θ)), up to a constant as well (Weggenmann and
Kerschbaum 2021, Corollary 9); :mod:`dirpriv.distributions.shared.colatitude` says how it is evaluated.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.special import gammaln

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Frozen
from dirpriv._lib.types import RNG, Array, FloatOrArray, Size
from dirpriv.distributions.sampling.directions import cosine_and_sine, draw_around, place
from dirpriv.distributions.shared import loss_distribution
from dirpriv.distributions.shared.base import BaseDistribution, scalar_or_array, shape_around
from dirpriv.distributions.shared.colatitude import Angle, ColatitudeDistribution, FlatKernel
from dirpriv.geometry.directions import TURN, in_turn
from dirpriv.geometry.spaces import Sphere


class DirectionDistribution(BaseDistribution):
    """What the distributions of directions share, symmetric or not."""

    dim: int

    @abstractmethod
    def mean_vector(self, mu: ArrayLike) -> Array:
        """Mean vector E x of draws around the unit vectors ``mu``: ρ μ of a symmetric distribution, ρ = E cos θ.

        Parameters
        ----------
        mu : array_like, shape (..., dim)
            Unit vectors: the modes.
        """

    @abstractmethod
    def logpdf(self, x: ArrayLike, mu: ArrayLike) -> FloatOrArray:
        """Log-density with respect to surface measure.

        Parameters
        ----------
        x, mu : array_like, shape (..., dim)
            Unit vectors; broadcast against each other.
        """

    def pdf(self, x: ArrayLike, mu: ArrayLike) -> FloatOrArray:
        """Density with respect to surface measure; see :meth:`logpdf`.

        Parameters
        ----------
        x, mu : array_like, shape (..., dim)
            As there.
        """
        return scalar_or_array(np.exp(self.logpdf(x, mu)))


class SphericalDistribution(DirectionDistribution, ColatitudeDistribution):
    """Base of the rotationally symmetric distributions with a log kernel that is smooth in (0, π) and falls there.

    A kernel with a kink or a jump within is integrated wrongly: see :class:`dirpriv.distributions.Trapezoid`. A
    subclass defines ``_peak_sine_cosine``, ``_log_kernel``, ``_kernel_slope``, ``_metric_level`` and ``_draw_angles``;
    where they have a better form, ``_log_kernel_change`` and ``_loss_at`` too; and ``_from_dim``, where its constructor
    takes other arguments than ``dim`` and ``kappa``, as ``fit`` makes distributions with it. ``kappa`` may be an array,
    one concentration per row: such a distribution can only be drawn from.

    Parameters
    ----------
    dim : int
        Length n of the vectors: 2 for the circle, 3 for the sphere.
    kappa : float
        Finite concentration κ ≥ 0; 0 is the uniform distribution. Anything else is a ValueError, as is a ``dim``
        below 2.
    """

    def __init__(self, dim: int, kappa: ArrayLike) -> None:
        dim = validate.dimension(dim)
        self._set(dim=dim, space=Sphere(dim), kappa=validate.concentration(kappa))

    @property
    def _uniform(self) -> ColatitudeDistribution:
        return on_sphere(self.dim)

    def _bearings(self) -> tuple[Any, Any]:
        return bearings_of(self.dim - 1), loss_distribution.away_on_sphere

    _likeliest_mode: ClassVar[str] = ""  # of a sample: "mean direction", "median", "a draw", or by a search

    @classmethod
    def _from_dim(cls, dim: int, kappa: float) -> Self:
        return cls(dim, kappa)

    @classmethod
    def fit(cls, x: ArrayLike) -> tuple[Array, Self]:
        """Mode and concentration of maximum likelihood.

        Parameters
        ----------
        x : array_like, shape (N, dim)
            Independent draws of the distribution, two or more: unit vectors.

        Returns
        -------
        mu : ndarray, shape (dim,)
            The mode: of von Mises-Fisher the mean direction, of Purkayastha the spherical median,
            which may be one of the draws.
        distribution : distribution of this class
            With the most likely ``kappa``, 0 where no concentration is more likely than the uniform distribution.

        Raises
        ------
        ValueError
            If there are fewer than two draws, all are the same, or the family has no such estimate.

        Notes
        -----
        The likelihood of other distributions than von Mises-Fisher can have several maxima where the draws are nearly
        uniform. The highest that is found from the mean direction and from some of the draws is returned.

        Examples
        --------
        >>> from dirpriv.distributions import VonMisesFisher
        >>> x = VonMisesFisher(dim=3, kappa=10.0).rvs([0.0, 0.0, 1.0], size=10_000, rng=1)
        >>> mu, distribution = VonMisesFisher.fit(x)
        >>> float(mu[2].round(3)), round(distribution.kappa)
        (1.0, 10)
        """
        from dirpriv.distributions.shared import fit as _fit  # here, as few need it

        return _fit.fit_directions(cls, x)

    def frozen(self, mu: ArrayLike) -> FrozenDistribution:
        """The distribution around one mode, with SciPy's ``rvs(size)``, ``pdf(x)``, ``logpdf(x)`` and ``entropy()``.

        Parameters
        ----------
        mu : array_like, shape (dim,)
            The mode.
        """
        return FrozenDistribution(self, mu)

    @abstractmethod
    def _peak_sine_cosine(self) -> tuple[float, float]:
        """Sine and cosine of the angle with the highest angle density."""

    def _peak_angle(self) -> Angle:
        sine, cosine = self._peak_sine_cosine()
        return Angle(np.arctan2(sine, cosine), np.arctan2(sine, -cosine) if sine > 0.0 else np.pi)

    def _log_element_change(self, at: Angle, shift: FloatOrArray, there: FloatOrArray = None) -> FloatOrArray:
        """The logarithm of sin t / sin T is taken of the difference, not as a difference of logarithms."""
        m = self.dim - 2
        if m == 0:
            return 0.0
        nearer = np.minimum(*at)
        with np.errstate(divide="ignore", invalid="ignore"):
            cotangent = np.where(at.from_zero <= at.from_pi, 1.0, -1.0) / np.tan(nearer)
            change = cotangent * np.sin(shift) - 2.0 * np.sin(shift / 2.0) ** 2
            near = np.log1p(np.maximum(change, -0.5))
            if np.all(change >= -0.5):
                return m * near
            nearer_there = np.minimum(*(at.shifted(shift) if there is None else Angle.at(there)))
            far = np.log(np.sin(np.maximum(nearer_there, 0.0)) / np.sin(nearer))
        return m * np.where(change >= -0.5, near, far)

    def _log_element_slope_and_bend(self, at: Angle) -> tuple[FloatOrArray, FloatOrArray]:
        m = self.dim - 2
        nearer = np.minimum(*at)
        slope = m / np.tan(nearer) * np.where(at.from_zero <= at.from_pi, 1.0, -1.0) if m else 0.0
        return slope, m / np.sin(nearer) ** 2

    def _log_element_at_peak(self) -> float:
        m = self.dim - 2
        sine, cosine = self._peak_sine_cosine()
        if m == 0:
            return 0.0
        return m * (0.5 * np.log1p(-(cosine**2)) if cosine**2 < 0.5 else np.log(sine))

    def mean_chord(self) -> float:
        """Expected straight-line distance E ‖x - μ‖ = E 2 sin(θ/2)."""
        return self.expectation(lambda theta: 2.0 * np.sin(theta / 2.0))

    def mean_cosine(self) -> float:
        """Expected cosine E cos θ: the length ρ of the mean vector.

        Integrating ``sin^(n-1) θ exp(f(θ))`` by parts gives E cos θ = E[-f'(θ) sin θ]/(n - 1), a sum of
        positive terms, which keeps its digits where κ is small and the cosine averages to almost nothing.
        """
        mean = self.expectation(lambda theta: -self._kernel_slope(theta) * np.sin(theta)) / (self.dim - 1)
        return min(mean, 1.0)  # which rounding may exceed

    def mean_vector(self, mu: ArrayLike) -> Array:
        return self.mean_cosine() * validate.unit_vectors("mu", mu, self.dim)

    def mean_squared_sine(self) -> float:
        """Expected squared sine E sin² θ, which sets the error of a mean direction."""
        return self.expectation(lambda theta: np.sin(theta) ** 2)

    def log_normalizer(self) -> float:
        """Logarithm of the constant that makes exp(log kernel) a density on the sphere (surface measure)."""
        return float(self._log_area + self._log_element_part + self._log_kernel_at_peak())

    @property
    def _log_area(self) -> float:
        """Of the unit sphere in R^(n-1)."""
        half = (self.dim - 1) / 2.0
        return float(np.log(2.0) + half * np.log(np.pi) - gammaln(half))

    def _log_kernel_at_peak(self) -> float:
        """f(peak), without subtracting f(0): for the von Mises-Fisher distribution the two can nearly cancel."""
        return float(self._log_kernel(np.float64(self._peak.from_zero)))

    def logpdf(self, x: ArrayLike, mu: ArrayLike) -> FloatOrArray:
        theta = np.asarray(geometry.angle_between_vectors(self._inputs("x", x), self._inputs("mu", mu)))
        constant = self._log_area + self._log_angle_normalizer  # first, as it refuses a kappa per row
        return scalar_or_array(self._log_kernel(theta) - constant)

    def rvs(
        self, mu: ArrayLike, size: Size | None = None, *, rng: RNG = None, out: Array | None = None, workers: int = 1
    ) -> Array:
        """Exact draws of unit vectors around ``mu``; for tiny angles see :meth:`rvs_tangent`.

        Parameters
        ----------
        mu : array_like, shape (dim,) or (N, dim)
            One mode, or one mode per row.
        size : int or tuple of int, optional
            Number of draws around a single mode; ``None`` gives one (or one per row of ``mu``,
            or one per concentration if ``kappa`` is an array).
        rng : None, int, SeedSequence, BitGenerator or Generator, keyword-only
            What :func:`numpy.random.default_rng` takes, except a legacy RandomState. ``None`` takes entropy
            from the operating system, as a release of real data must; a seed gives the same draws again.
        out : ndarray of float64, optional, keyword-only
            Array for the draws: C-contiguous, of the shape of the result. It is returned, and may share
            memory with ``mu``, which is then copied. Each worker needs a few megabytes more, whatever size.
        workers : int, keyword-only
            Most threads that draw; two are 1.3 to 1.8 times as fast as one. The draws are the same for any number.

        Notes
        -----
        Rows are drawn in blocks of about a million numbers, at most 32 768 rows. Each block has a generator
        of its own (SFC64), seeded from ``rng`` and the number of the block. Fewer than 65 536 numbers come
        from ``rng`` itself, and so do all of a generator or bit generator that is not NumPy's, on one core.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.distributions import Purkayastha
        >>> distribution = Purkayastha(dim=3, kappa=10.0)
        >>> x = distribution.rvs([0.0, 0.0, 1.0], 200_000, rng=1, workers=2)
        >>> np.array_equal(x, distribution.rvs([0.0, 0.0, 1.0], 200_000, rng=1))
        True
        """
        workers = validate.integer("workers", workers, 1)
        mu, shape = self._modes_and_shape(mu, size)
        rng = validate.generator(rng)
        out, mu = validate.output(out, (*shape, self.dim), mu)
        kappa = np.broadcast_to(self.kappa, shape).ravel() if np.ndim(self.kappa) else self.kappa
        draw_around(out, mu, functools.partial(self._draw_rows, kappa), rng, workers)
        return out

    def _draw_rows(self, kappa: FloatOrArray, rows: Array, mu: Array, block: slice, rng: Generator) -> None:
        concentrations = kappa[block] if np.ndim(kappa) else kappa
        place(rows, mu, *self._draw_cosines(len(rows), concentrations, rng), rng)

    def _rvs_around(self, angles: Array, rng: Generator) -> FloatOrArray:
        """Draws around angles, on the circle: those of :meth:`rvs` up to rounding, as angles in [0, 2π)."""
        moves = np.empty((*angles.shape, 2))  # the angle from the mode, and its side
        draw_around(moves, np.zeros(2), self._draw_moves, rng, 1)
        return in_turn(np.mod(angles + moves[..., 0] * moves[..., 1], TURN))

    def _draw_moves(self, rows: Array, mu: Array, block: slice, rng: Generator) -> None:
        rows[:, 0] = self._drawn_angles(len(rows), self.kappa, rng)
        rows[:, 1] = 2.0 * rng.integers(0, 2, size=len(rows), dtype=np.uint8) - 1.0

    def rvs_tangent(self, mu: ArrayLike, size: Size | None = None, *, rng: RNG = None) -> tuple[Array, Array]:
        """Exact draws as angles and tangent directions, x = cos θ μ + sin θ ξ.

        Storing x in double precision rounds θ by 1e-16 rad, however small it is: on Earth, by a nanometre.
        Where that matters (θ near 1e-8 and below), keep the two parts.

        Parameters
        ----------
        mu, size, rng : as for :meth:`rvs`
            Modes, number of draws and source of the noise.

        Returns
        -------
        theta : ndarray, shape (size,) or (N,) or ()
            Angles in radians, to full relative precision.
        xi : ndarray, shape (..., dim)
            Unit vectors orthogonal to ``mu``.
        """
        mu, shape = self._modes_and_shape(mu, size)
        rng = validate.generator(rng)
        theta = np.asarray(self.angle_rvs(shape, rng=rng))
        xi = np.empty((*shape, self.dim))
        modes = mu if mu.ndim == 1 else np.broadcast_to(mu, xi.shape).reshape(-1, self.dim)
        place(xi.reshape(-1, self.dim), modes, np.zeros(theta.size), np.ones(theta.size), rng)
        return theta, xi

    def _modes_and_shape(self, mu: ArrayLike, size: Size | None) -> tuple[Array, tuple[int, ...]]:
        mu = self._inputs("mu", mu)
        shape = shape_around("mu", "mode", mu.shape[:-1], size)
        return mu, self._shape_per_kappa(shape)

    def _draw_cosines(self, size: int, kappa: FloatOrArray, rng: Generator) -> tuple[Array, Array]:
        """Cosine and sine of draws of the angle, by way of t = tan(θ/2)."""
        theta = self._drawn_angles(size, kappa, rng)
        theta *= 0.5
        return cosine_and_sine(np.tan(theta, out=theta))


class FrozenDistribution(Frozen):
    """A distribution around one mode, by :meth:`SphericalDistribution.frozen`, with the methods of that one."""

    distribution: SphericalDistribution
    mu: Array

    def __init__(self, distribution: SphericalDistribution, mu: ArrayLike) -> None:
        mode = validate.unit_vectors("mu", mu, distribution.dim).copy()
        if mode.ndim != 1:
            raise InvalidArgument("mu", f"must be one unit vector; got shape {mode.shape}")
        self._set(distribution=distribution, mu=mode)

    def __repr__(self) -> str:
        return f"{self.distribution!r}.frozen({self.mu.tolist()!r})"

    def rvs(self, size: Size | None = None, *, rng: RNG = None, workers: int = 1) -> Array:
        return self.distribution.rvs(self.mu, size, rng=rng, workers=workers)

    def pdf(self, x: ArrayLike) -> FloatOrArray:
        return self.distribution.pdf(x, self.mu)

    def logpdf(self, x: ArrayLike) -> FloatOrArray:
        return self.distribution.logpdf(x, self.mu)

    def entropy(self) -> float:
        return self.distribution.entropy()


class Uniform(FlatKernel, SphericalDistribution):
    """Uniform distribution on the unit sphere.

    Parameters
    ----------
    dim : int
        Length n of the vectors, at least 2, else a ValueError.

    Examples
    --------
    >>> from dirpriv.distributions import Uniform
    >>> round(Uniform(dim=2).mean_angle(), 4)
    1.5708
    """

    def __init__(self, dim: int) -> None:
        super().__init__(dim, 0.0)

    def _peak_sine_cosine(self) -> tuple[float, float]:
        return (1.0, 0.0) if self.dim > 2 else (0.0, 1.0)

    def _draw_angles(self, size: int, kappa: FloatOrArray, rng: Generator) -> Array:
        if self.dim == 2:
            return np.pi * rng.random(size)
        # half of 1 - cos θ is a beta variable, by symmetry; in two gammas, both ends keep their digits
        half = (self.dim - 1) / 2.0
        return 2.0 * np.arctan(np.sqrt(rng.standard_gamma(half, size) / rng.standard_gamma(half, size)))


@functools.lru_cache(maxsize=64, typed=True)
def on_sphere(dim: int) -> Uniform:
    """The uniform distribution of this dimension, one and the same each time."""
    return Uniform(dim)


def bearings_of(coordinates: int) -> Uniform | None:
    """The uniform distribution of directions in a space; None on a line or circle, where there are two."""
    return on_sphere(coordinates) if coordinates > 1 else None
