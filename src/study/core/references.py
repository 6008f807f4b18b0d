"""What every mechanism is held against: noise that says nothing, and no noise at all."""

import numpy as np

from dirpriv.laws.uniform import Uniform

UNIFORM = "uniform"
NO_PRIVACY = "no_privacy"
REFERENCES = (UNIFORM, NO_PRIVACY)
VIEW = "reference"
"""What stands for the view in the rows of a reference, which has no level."""


class UniformNoise:
    """Random directions in place of the true ones: the responses hold no information.

    Parameters
    ----------
    dim : int
        Length of the vectors.
    """

    def __init__(self, dim):
        self.law = Uniform(dim)

    def randomise(self, x, *, rng=None):
        """Uniform unit vectors of the shape of ``x``."""
        return self.law.rvs(x, rng=rng)


def fresh_counts(counts, responses, rng):
    """Histogram of as many true responses, drawn anew from the people behind ``counts``.

    Without privacy a histogram of the responses themselves is exact. What is left then is that they are a
    sample: this draws another one.
    """
    shares = np.asarray(counts, dtype=float)
    return rng.multinomial(responses, shares / shares.sum())
