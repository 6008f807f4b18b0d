"""Whose circular mean is estimated: everyone at one direction, or the times of a table of check-ins."""

import numpy as np
import pandas as pd

from dirpriv import geometry

ONE_DIRECTION = "one_direction"


class Population:
    """People to draw responses from.

    Parameters
    ----------
    angles : array_like, shape (P,)
        Their times of day as angles in radians.
    """

    def __init__(self, angles):
        self.angles = np.atleast_1d(np.asarray(angles, dtype=float))
        self.vectors = geometry.angles_to_vectors(self.angles)

    def draw(self, shape, rng):
        """True directions of random people, drawn with replacement, as unit vectors of shape (*shape, 2)."""
        if len(self.angles) == 1:
            return np.broadcast_to(self.vectors[0], (*shape, 2))
        return self.vectors[rng.integers(len(self.angles), size=shape)]


def population_of_hour(hour):
    """Everyone at the same time of day."""
    return Population(geometry.hours_to_angles(hour))


def population_of_checkins(path):
    """The local times of the check-ins of a prepared Parquet table."""
    local = pd.read_parquet(path, columns=["local_time"])["local_time"]
    seconds = (local - local.dt.normalize()).dt.total_seconds().to_numpy()
    return Population(geometry.hours_to_angles(seconds / 3600.0))


def population_of(name, paths, hour):
    """The population called ``name``: of one direction, or of the check-ins in the first of ``paths``."""
    return population_of_hour(hour) if name == ONE_DIRECTION else population_of_checkins(paths[0])
