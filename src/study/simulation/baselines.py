"""Baselines of the mechanisms: vector-valued Laplace noise, noise without information, and no noise."""

import numpy as np

from dirpriv.laws.uniform import Uniform
from study.simulation.projected_laplace import ProjectedLaplace

DIAMETER = 2.0  # of the unit sphere: the Euclidean sensitivity of one of its points


class NoiseOnSphere:
    """Unit vectors with vector-valued Laplace noise, normalised; ``kappa`` is the rate of the noise."""

    def __init__(self, dim, kappa):
        self.law = ProjectedLaplace(dim, kappa)

    @classmethod
    def pure(cls, epsilon, dim, calibration="published"):
        """Noise for pure ε-differential privacy of one response: κ = ε over the diameter."""
        return cls(dim, epsilon / DIAMETER)

    def randomise(self, x, *, rng=None):
        """Noisy unit vectors of the shape of ``x``."""
        return self.law.rvs(x, rng=rng)


UNIFORM = "uniform"
NO_PRIVACY = "no_privacy"
REFERENCES = (UNIFORM, NO_PRIVACY)
VIEW = "reference"
"""The view in the rows of a reference, which has no level."""


class UniformNoise:
    """Random directions instead of the true ones: the responses contain no information."""

    def __init__(self, dim):
        self.law = Uniform(dim)

    def randomise(self, x, *, rng=None):
        """Uniform unit vectors of the shape of ``x``."""
        return self.law.rvs(x, rng=rng)


def fresh_counts(counts, responses, rng):
    """Histogram of ``responses`` true responses, drawn anew from the people counted in ``counts``.

    Without privacy a histogram of the responses is exact; the only error left is the sampling error.
    """
    shares = np.asarray(counts, dtype=float)
    return rng.multinomial(responses, shares / shares.sum())
