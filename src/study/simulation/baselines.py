"""Baselines of the mechanisms: vector-valued Laplace noise, noise without information, and no noise."""

from functools import cached_property

import numpy as np

from dirpriv.distributions import Uniform, VectorLaplace
from dirpriv.geometry import spaces
from dirpriv.mechanisms import Mechanism
from study.simulation.quadrature import panels


class AngleMeans:
    """The means that a class gives in ``_means``: of the angle, of its cosine and of its squared sine."""

    def mean_angle(self):
        """Expected angle from the true vector, in radians."""
        return self._means[0]

    def mean_cosine(self):
        """Expected cosine of that angle."""
        return self._means[1]

    def mean_squared_sine(self):
        """Expected squared sine of that angle."""
        return self._means[2]


class ProjectedLaplace(AngleMeans):
    """Distribution of a unit vector plus noise of the density ∝ exp(-κ‖z‖) in R^n, divided by its length.

    It is symmetric about the true vector. The division is post-processing and costs no privacy: the loss
    between two inputs is at most κ times their straight-line distance, so at most 2κ on the sphere. It also
    reduces the error: it bounds the weight of one response, and the mean of normalised responses has an error
    smaller by √(1 + 1/n) if κ is small. The raw sum is as good if κ is large. It is better only at n = 2 and
    κ > 3.6 (by at most 2.5 %) and at n = 3 and κ > 6.3 (0.6 %).

    >>> distribution = ProjectedLaplace(dim=3, kappa=2.0)
    >>> distribution.rvs([[1.0, 0.0, 0.0]], rng=1).shape
    (1, 3)
    >>> 0.0 < distribution.mean_angle() < 1.6
    True
    """

    def __init__(self, dim, kappa):
        self.unprojected, self.space = VectorLaplace(dim, kappa), spaces.Sphere(dim)
        self.dim, self.kappa = self.unprojected.dim, self.unprojected.kappa

    def rvs(self, x, *, rng=None):
        """Draw a unit vector around each true one, along the last axis."""
        noisy = self.unprojected.rvs(x, rng=rng)
        noisy /= np.sqrt(np.einsum("...i,...i->...", noisy, noisy))[..., None]
        return noisy

    def angle_rvs(self, size, *, rng):
        """Draw angles from the true vector, from the length of the noise and its part along that vector."""
        length = self.unprojected.radius_rvs(size, rng=rng)
        along, across = rng.standard_normal(size), np.sqrt(rng.chisquare(self.dim - 1, size))
        length /= np.hypot(along, across)
        return np.arctan2(length * across, 1.0 + length * along)

    @cached_property
    def _means(self):
        """Means by quadrature over the length r of the noise and its angle φ from the true vector."""
        r, r_weight = self._lengths()
        phi, phi_weight = self._directions()
        along, across = 1.0 + np.outer(r, np.cos(phi)), np.outer(r, np.sin(phi))
        square = along * along + across * across
        values = np.arctan2(across, along), along / np.sqrt(square), across * across / square
        return tuple(float((r_weight[:, None] * value * phi_weight).sum()) for value in values)

    def _lengths(self):
        """Nodes for the gamma distribution of r; panels are small near r = 1, where noise can cancel the vector."""
        low, high = self.unprojected.radius_ppf(1e-17), self.unprojected.radius_isf(1e-17)
        focus = np.clip(1.0, low, high)
        steps = np.concatenate([2.0 ** -np.arange(12.0), [0.0]])
        ends = np.concatenate([focus - (focus - low) * steps, focus + (high - focus) * steps[::-1]])
        ends = np.union1d(ends, np.linspace(low, high, 5))
        r, width = panels(ends)
        weight = width * self.unprojected.radius_pdf(r)
        return r, weight / weight.sum()

    def _directions(self):
        """Nodes for φ, whose density is ∝ sin^(n-2) φ: symmetric, with small panels at the ends."""
        half = min(np.pi / 2.0, 9.5 / np.sqrt(max(self.dim - 2, 1)))
        steps = half * (1.0 - np.concatenate([2.0 ** -np.arange(6.0), [0.0]]))
        phi, width = panels(np.union1d(np.pi / 2.0 - steps, np.pi / 2.0 + steps))
        weight = width * np.sin(phi) ** (self.dim - 2)
        return phi, weight / weight.sum()


class NoiseOnSphere:
    """Unit vectors with vector-valued Laplace noise, normalised; ``kappa`` is the rate of the noise."""

    def __init__(self, dim, kappa):
        self.noise = ProjectedLaplace(dim, kappa)

    @classmethod
    def pure(cls, epsilon, dim, calibration="published"):
        """Noise for pure ε-differential privacy of one response: κ is ε over the diameter of the sphere."""
        return cls(dim, epsilon / 2.0)

    def randomise(self, x, *, rng=None):
        """Noisy unit vectors of the shape of ``x``."""
        return self.noise.rvs(x, rng=rng)


UNIFORM = "uniform"
NO_PRIVACY = "no_privacy"
REFERENCES = (UNIFORM, NO_PRIVACY)
VIEW = "reference"
"""The view in the rows of a reference, which has no level."""


def uniform_noise(dim):
    """Random directions instead of the true ones: the responses contain no information."""
    return Mechanism.from_distribution(Uniform(dim))


def fresh_counts(counts, responses, rng):
    """Histogram of as many true responses, drawn again from ``counts``: its error is the sampling error."""
    shares = np.asarray(counts, dtype=float)
    return rng.multinomial(responses, shares / shares.sum())
