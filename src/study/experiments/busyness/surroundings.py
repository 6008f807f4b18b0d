"""What is around some venues, as far and as fine as the noise of places shows it.

Noise with a mean of 2 km does not tell the venues of a street apart, and noise of 20 m does not reach the next town. So
people are at one of the measured venues, or around one of them, near or far, or elsewhere: further than the last of
:data:`RINGS` from all, from where one report in 10 000 comes near. Reports within the first ring are taken for the
venue itself, and those in the others for who is around. Without the ring between, a full venue next door would count as
one anywhere around. The public list of places that may be released is as fine: the measured venues, the others around
them in squares of :data:`SIDE` mean noises, and all the rest as one item.

:data:`RINGS` are the outer borders of rings around a venue, in mean noises.
"""

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv.geometry import earth, spaces

RINGS = 1.75, 3.0, 6.0
SIDE = 2.0
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
    """Classes of places: the m measured venues, the rings around each in which other venues are, and elsewhere.

    ``vectors`` are the unit vectors of the venues, ``measured`` the numbers of those that are measured, and ``metres``
    is the mean of the noise. ``of_venues`` has the class of each venue, and ``elsewhere`` is the last class.
    """

    def __init__(self, vectors, measured, metres):
        self.count, self._vectors, self._side = len(measured), vectors, SIDE * metres / earth.EARTH_RADIUS
        self._tree = scipy.spatial.cKDTree(vectors[measured])
        self._ends = 2.0 * np.sin(np.minimum(np.array(RINGS) * metres / earth.EARTH_RADIUS, np.pi) / 2.0)
        chords, nearest = self._tree.query(vectors)
        ring = np.maximum(np.searchsorted(self._ends, chords), 1)  # of people, the first two together
        is_around = ring < len(RINGS)
        is_around[measured] = False
        has = np.zeros((self.count, len(RINGS)), dtype=bool)
        has[nearest[is_around], ring[is_around]] = True
        numbers = np.where(has, self.count - 1 + np.cumsum(has).reshape(has.shape), np.arange(self.count)[:, None])
        self._numbers = np.maximum.accumulate(numbers, axis=1)  # a ring without venues belongs to the one inside
        self.elsewhere = self.count + int(has.sum())
        self.of_venues = np.where(is_around, self._class(nearest, ring), self.elsewhere)
        self.of_venues[measured] = np.arange(self.count)

    def _class(self, nearest, ring):
        return self._numbers[nearest, np.minimum(ring, len(RINGS) - 1)]

    def classes(self, vectors):
        """The class that a report at each of these places on the globe is taken for."""
        chords, nearest = self._tree.query(vectors)
        ring = np.searchsorted(self._ends, chords)
        return np.where(ring < len(RINGS), self._class(nearest, ring), self.elsewhere)

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
