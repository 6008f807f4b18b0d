"""The populations whose mean is estimated: directions, or times of day."""

from functools import cached_property

import numpy as np
import scipy  # SciPy imports its submodules at their first use

from dirpriv import geometry

ONE_DIRECTION = "one_direction"
SPREAD = "spread"
MODELS = ("symmetric", "skewed")
"""Of people with several responses."""
DAYS = ("two_peaks", "flat")
"""Of people whose hours are counted."""
INVENTED = (ONE_DIRECTION, SPREAD, *MODELS, *DAYS)
"""Names that no dataset may have."""
MOMENTS = 64
"""Of the angles of people and of noise; the characteristic functions of sums need no more."""


class Directions:
    """Directions to draw responses from: unit vectors, an array of people × length."""

    def __init__(self, vectors):
        self.vectors = np.atleast_2d(np.asarray(vectors, dtype=float))

    def draw(self, shape, rng):
        """True directions of random people, drawn with replacement, as unit vectors of shape (*shape, n)."""
        if len(self.vectors) == 1:
            return np.broadcast_to(self.vectors[0], (*shape, self.vectors.shape[1]))
        return self.vectors[rng.integers(len(self.vectors), size=shape)]

    @cached_property
    def moments(self):
        """Means of exp(ika), k = 0, 1, …, over the angles a of people on the circle."""
        numbers = np.ascontiguousarray(self.vectors).view(complex).ravel()
        return np.array([np.mean(numbers**k) for k in range(MOMENTS)])


class Population(Directions):
    """People to draw responses from, given by their times of day as angles in radians."""

    def __init__(self, angles):
        self.angles = np.atleast_1d(np.asarray(angles, dtype=float))
        super().__init__(geometry.angles_to_vectors(self.angles))


def directions_of(name, dim, resultant, people, rng):
    """One direction, or a von Mises-Fisher sample of ``people`` whose distribution has this mean ``resultant``."""
    from dirpriv.distributions import VonMisesFisher  # every start of Snakemake reads the names above

    axis = np.eye(1, dim)[0]
    if name == ONE_DIRECTION:
        return Directions(axis)
    most = 2.0 * dim / (1.0 - resultant)
    kappa = scipy.optimize.brentq(lambda k: VonMisesFisher(dim, k).mean_cosine() - resultant, 0.0, most, rtol=1e-12)
    return Directions(VonMisesFisher(dim, kappa).rvs(axis, size=people, rng=rng))


def vectors_at(angles, dim):
    """Unit vectors at these angles on one great circle, an array of the shape of the angles and the length ``dim``."""
    x = np.zeros((*np.shape(angles), dim))
    x[..., 0], x[..., 1] = np.cos(angles), np.sin(angles)
    return x


def angles_of_peaks(peaks, deviation, count, rng):
    """Times of day as angles: normal about peaks that are equally likely, all in hours."""
    return geometry.hours_to_angles(np.mod(rng.normal(rng.choice(peaks, count), deviation), 24.0))


def population_of_hour(hour):
    """Everyone at the same time of day."""
    return Population(geometry.hours_to_angles(hour))
