"""Snap noisy places to the nearest of many places, fast where most of them hardly move.

A release of a place is a point on the globe. Where only certain places are possible, such as those of venues,
the nearest of them says more. This is post-processing and costs no privacy.
"""

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv.geometry import earth

_AT_ONCE = 1 << 18  # places searched in one call
_RIVALS = 16  # near a kept place, that may take a noisy one from it; more let few less through to the search
_ROUNDING = 1e-14  # safe bound for inner products of unit vectors; a rival nearer by less does not count


class SnappingIndex:
    """Nearest places of noisy ones; :meth:`SnappingIndex.arrivals` considers only some of them.

    ``places`` are latitudes and longitudes in degrees, shape (k, 2), all different; ``kept`` are the numbers
    of those that :meth:`SnappingIndex.arrivals` considers, at least one. ``vectors`` are the unit vectors of
    the places, ``neighbour`` the straight-line distance from each to the nearest other, in radii of the Earth
    and infinite if it is alone, and ``rows`` the index of each among those kept, or -1. ``apart`` says which
    have no other within ``metres``. A place that moves by less than its ``stay_angles`` is snapped to its
    own, or to none of those kept, as before.

    >>> towns = SnappingIndex([[52.5, 13.4], [48.1, 11.6]], kept=[0])
    >>> towns.snap(np.array([0, 0]), earth.places_to_vectors([[52.0, 13.0], [48.5, 11.0]]))
    array([0, 1])
    """

    def __init__(self, places, kept, metres=0.0):
        kept = np.asarray(kept, dtype=np.intp)
        self.vectors = earth.places_to_vectors(places)
        self.nearest = earth.NearestPlaces(places)
        tree = scipy.spatial.cKDTree(self.vectors)
        self.neighbour = np.empty(len(self.vectors))
        for start in range(0, len(self.vectors), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            self.neighbour[some] = tree.query(self.vectors[some], k=2)[0][:, 1]
        self.rows = np.full(len(self.vectors), -1, dtype=np.int32)
        self.rows[kept] = np.arange(len(kept))
        own = self.vectors[kept]
        self._kept = scipy.spatial.cKDTree(own)
        rivals = tree.query(own, k=np.arange(1, min(_RIVALS, len(self.vectors) - 1) + 2))[1][:, 1:]
        self._towards = self.vectors[rivals.T] - own  # rivals × places kept × 3
        self.apart = self.neighbour > 2.0 * np.sin(metres / earth.EARTH_RADIUS / 2.0)
        # Half the way from a kept place to its nearest neighbour, and from another one to the nearest kept
        # place: nearer than half the way to k, a point is nearer to where it comes from than to k.
        chords, others = self.neighbour.copy(), np.flatnonzero(self.rows < 0)
        chords[others] = self._kept.query(self.vectors[others])[0]
        self.stay_angles = 0.9998 * np.arcsin(np.minimum(chords, 2.0) / 2.0)  # a little less, for rounding

    def snap(self, true, noisy):
        """Numbers of the places nearest to ``noisy`` unit vectors of the places with the numbers ``true``."""
        astray = self._astray(true, noisy)
        reached = true.copy()
        reached[astray] = self.nearest.query_vectors(noisy[astray])
        return reached

    def arrivals(self, true, noisy):
        """Which noisy places are snapped to a kept one, ascending, and the indices of these among those kept.

        The result agrees with :meth:`snap`. But if few of many places are kept, hardly any needs a search
        among all: a small tree finds the nearest kept place, and most are nearer to one of those around it.
        """
        astray = self._astray(true, noisy)
        rows = self.rows[true]
        rows[astray] = self._rows_reached(noisy[astray])
        arrived = np.flatnonzero(rows >= 0)
        return arrived, rows[arrived]

    def _astray(self, true, noisy):
        # a place that moved by less than half the way to the nearest other is still nearest to its own;
        # slightly less than half, because of rounding
        between = noisy - self.vectors[true]
        chords = np.sqrt(np.einsum("ij,ij->i", between, between))
        return np.flatnonzero(chords >= 0.4999 * self.neighbour[true])

    def _rows_reached(self, noisy):
        best = self._kept.query(noisy)[1]
        left = np.arange(len(noisy))
        for towards in self._towards:
            # |q - v|² < |q - m|² for unit vectors is q·(v - m) > 0: the place q is beyond the bisector
            beyond = np.einsum("ij,ij->i", noisy[left], towards[best[left]])
            left = left[beyond <= _ROUNDING]
        rows = np.full(len(noisy), -1, dtype=np.int32)
        rows[left] = self.rows[self.nearest.query_vectors(noisy[left])]
        return rows
