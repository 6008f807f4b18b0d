"""The planar Laplace distribution, the noise of geo-indistinguishability."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv

from dirpriv._inputs import validate
from dirpriv._lib.types import RNG, Array, FloatOrArray, Size
from dirpriv.distributions.shared.base import scalar_or_array, shape_around
from dirpriv.distributions.vector_laplace import VectorLaplace
from dirpriv.geometry import earth


class PlanarLaplace(VectorLaplace):
    """Laplace distribution in the plane: log kernel -κ ‖z - center‖ (Andrés et al. 2013).

    The radius has the gamma distribution with shape 2 and rate κ, *not* the exponential distribution: it exceeds r with
    the probability (1 + κr) exp(-κr), and its quantiles are -(W(-1; (u - 1)/e) + 1)/κ, by Lambert's W. In the plane the
    distribution is ε·d-private for the Euclidean distance with ε = κ.

    On a globe use :meth:`rvs_places`, with κ per metre: metres along the great circle, not degrees (a degree
    of longitude is 111 km at the equator and nothing at the pole). That distribution is
    :class:`~dirpriv.distributions.PolarLaplace` with the concentration κ R, R = 6 371 008.8 m. Its density is
    unbounded at the antipode, so it has no guarantee in the strict sense. At the scale of a city the
    probability of losing more than κ promises is negligible (about 10^-60000).

    Parameters
    ----------
    kappa : float
        Finite concentration κ > 0, per unit of length, else a ValueError.

    References
    ----------
    .. [1] Andrés, M. E., Bordenabe, N. E., Chatzikokolakis, K., Palamidessi, C., "Geo-indistinguishability:
       differential privacy for location-based systems", CCS 2013.

    Examples
    --------
    >>> from dirpriv.distributions import PlanarLaplace
    >>> distribution = PlanarLaplace(kappa=0.01)  # per metre
    >>> distribution.mean_radius()
    200.0
    >>> round(distribution.radius_ppf(0.95), 1)
    474.4
    >>> distribution.rvs_places([40.75, -73.98], size=2, rng=1).shape
    (2, 2)
    """

    def __init__(self, kappa: float) -> None:
        super().__init__(2, kappa)

    def radius_sf(self, radius: ArrayLike) -> FloatOrArray:
        x = self._nats(radius)
        with np.errstate(invalid="ignore"):
            return scalar_or_array(np.where(x == np.inf, 0.0, (1.0 + x) * np.exp(-x)))

    def radius_ppf(self, u: ArrayLike) -> FloatOrArray:
        u = validate.reals("u", u)
        tiny = (u > 0.0) & (u < 1e-10)  # where the series has all digits, and gammaincinv loses some
        root = np.sqrt(2.0 * np.where(tiny, u, 0.0))
        series = root * (1.0 + root * (1.0 / 3.0 + root * (11.0 / 72.0 + root * (43.0 / 540.0))))
        return scalar_or_array(np.where(tiny, series, gammaincinv(2.0, u)) / self.kappa)

    def rvs_places(self, places: ArrayLike, size: Size | None = None, *, rng: RNG = None) -> Array:
        """Exact draws around places on Earth, with κ per metre.

        They are the ends, in degrees, of great circles of gamma length and uniform bearing.

        Parameters
        ----------
        places : array_like, shape (2,) or (N, 2)
            Latitude and longitude in degrees: one place, or one per row.
        size, rng : optional
            As for :meth:`rvs`, around a single place or one per row.
        """
        places = validate.reals("places", places)
        rng = validate.generator(rng)
        shape = shape_around("places", "place", places.shape[:-1], size)
        distance = rng.standard_gamma(2.0, shape) / self.kappa
        return earth.destination(places, 2.0 * np.pi * rng.random(shape), distance)


def quadrant_of(nats: Array) -> Array:
    """Probabilities of moves by 0 to some lengths times κ along both axes, to 1e-13.

    A rectangle is two triangles. The mass of one with a side at the distance a from the centre, from 0 to b
    along it, is the integral of P[radius ≤ a cosh u]/(2π cosh u) over u, up to arsinh b/a.
    """
    nodes, weights = np.polynomial.legendre.leggauss(48)
    one = np.empty((len(nats), len(nats)))
    for number, away in enumerate(np.maximum(nats, 1e-300)):  # a row at a time stays in the cache
        half = 0.5 * np.arcsinh(nats / away)
        stretch = np.cosh(half[:, None] * (1.0 + nodes))
        radii = away * stretch
        masses = ((1.0 - (1.0 + radii) * np.exp(-radii)) / stretch * weights).sum(-1)
        one[number] = masses * half / (2.0 * np.pi)
    return np.asarray(one + one.T)
