"""What is around some venues, as far and as fine as the noise of places shows it.

Noise with a mean of 2 km does not tell the venues of a street apart, and noise of 20 m does not reach the next town. So
people are at one of the measured venues, or around one of them, or elsewhere: further than :data:`REACH` mean noises
from all, from where one report in 10 000 comes near. The public list of places that may be released is as fine: the
measured venues, the others around them in squares of :data:`SIDE` mean noises, and all the rest as one item.
"""

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv.geometry import earth, spaces

REACH = 6.0
SIDE = 2.0
RING = 1.75  # mean noises around a venue, in which reports are taken for its own
DRAWS = 1000  # of the noise, for the probabilities of the classes of its reports


class ClassNoise:
    """Noise between numbered classes, as :func:`dirpriv.estimators.estimate_busyness` takes that of released items."""

    space = spaces.FiniteSet()

    def __init__(self, probabilities):
        self._probabilities = probabilities

    def transitions(self):
        """Probabilities that someone of one class (row) is reported in another (column)."""
        return self._probabilities


class Surroundings:
    """Classes of places: the m measured venues, what is around each that has other venues around it, and elsewhere.

    ``vectors`` are the unit vectors of the venues, ``measured`` the numbers of those that are measured, and ``metres``
    is the mean of the noise. ``of_venues`` has the class of each venue, and ``elsewhere`` is the last class.
    """

    def __init__(self, vectors, measured, metres):
        self.count, self._vectors, self._side = len(measured), vectors, SIDE * metres / earth.EARTH_RADIUS
        self._tree = scipy.spatial.cKDTree(vectors[measured])
        angles = np.minimum(np.array([RING, REACH]) * metres / earth.EARTH_RADIUS, np.pi)
        ring, self._reach = 2.0 * np.sin(angles / 2.0)
        chords, nearest = self._tree.query(vectors)
        is_around = chords <= self._reach
        is_around[measured] = False
        crowded = np.bincount(nearest[is_around], minlength=self.count) > 0
        self._rings = np.where(crowded, ring, self._reach)  # alone, a venue has all reports near it
        self._around = self.count + np.cumsum(crowded) - 1
        self.elsewhere = self.count + int(crowded.sum())
        self.of_venues = np.where(is_around, self._around[nearest], self.elsewhere)
        self.of_venues[measured] = np.arange(self.count)

    def classes(self, vectors):
        """The class that a report at each of these places on the globe is taken for."""
        chords, nearest = self._tree.query(vectors)
        near = np.where(chords <= self._rings[nearest], nearest, self._around[nearest])
        return np.where(chords <= self._reach, near, self.elsewhere)

    def noise(self, places, rng):
        """The noise between the classes, from draws for venues of each class, all of which are as likely."""
        venues = np.argsort(self.of_venues, kind="stable")
        ends = np.searchsorted(self.of_venues[venues], np.arange(self.elsewhere + 1))
        drawn = ends[:-1, None] + (rng.random((self.elsewhere, DRAWS)) * np.diff(ends)[:, None]).astype(int)
        moved = places.moved(self._vectors[venues[drawn.ravel()]], places.ways(drawn.size, rng), rng)
        probabilities = np.eye(self.elsewhere + 1)
        for of_class, reached in zip(probabilities, self.classes(moved).reshape(drawn.shape), strict=False):
            of_class[:] = np.bincount(reached, minlength=self.elsewhere + 1) / DRAWS
        return ClassNoise(probabilities)

    def listed(self):
        """Items of a public list: that of each venue, the place of each, and its class; the last one is elsewhere."""
        places = np.deg2rad(earth.vectors_to_places(self._vectors))
        rows = places[:, 0] // self._side
        columns = places[:, 1] * np.cos(rows * self._side) // self._side
        kinds = np.minimum(self.of_venues, self.count) + (self.of_venues == self.elsewhere)
        squares = np.stack([rows, columns]) * (kinds == self.count)
        _, first, item = np.unique(np.vstack([kinds, squares]), axis=1, return_index=True, return_inverse=True)
        sums = np.stack([np.bincount(item, axis) for axis in self._vectors.T], axis=-1)
        return item, earth.vectors_to_places(sums), self.of_venues[first]
