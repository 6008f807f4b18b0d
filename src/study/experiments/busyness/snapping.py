"""Snap noisy places to the nearest venue, and measure how far that moves check-ins."""

import numpy as np
from scipy.spatial import cKDTree

from dirpriv import geography, geometry
from study.core.estimates import Estimate, share_of_draws

AT_ONCE = 1 << 18  # venues searched in one call
RIVALS = 16  # near a measured venue, that may take a place from it; more let few less through to the search
ROUNDING = 1e-14  # safe bound for inner products of unit vectors; a rival nearer by less does not count


class Snapping:
    """Nearest venues of noisy places; :meth:`arrivals` considers only the venues ``kept``, at least one.

    For each venue, ``vectors`` has its unit vector, ``neighbour`` the straight-line distance to the nearest
    other one in radii of the Earth (infinite if there is none), ``rows`` its index among those kept, or -1.
    """

    def __init__(self, venues, kept):
        self.vectors = geography.places_to_vectors(venues.places)
        self.nearest = geography.NearestPlaces(venues.places)
        tree = cKDTree(self.vectors)
        self.neighbour = np.empty(len(self.vectors))
        for start in range(0, len(self.vectors), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            self.neighbour[some] = tree.query(self.vectors[some], k=2)[0][:, 1]
        self.rows = np.full(len(self.vectors), -1, dtype=np.int32)
        self.rows[kept] = np.arange(len(kept))
        own = self.vectors[kept]
        self._kept = cKDTree(own)
        rivals = tree.query(own, k=np.arange(1, min(RIVALS, len(self.vectors) - 1) + 2))[1][:, 1:]
        self._towards = self.vectors[rivals.T] - own  # rivals × venues kept × 3

    def apart(self, metres):
        """Whether the nearest other venue is more than ``metres`` away, for each venue."""
        return self.neighbour > 2.0 * np.sin(metres / geography.EARTH_RADIUS / 2.0)

    def snap(self, venue, noisy):
        """Numbers of the venues nearest to ``noisy``, unit vectors of places that were those of ``venue``."""
        astray = self._astray(venue, noisy)
        reached = venue.copy()
        reached[astray] = self.nearest.query_vectors(noisy[astray])
        return reached

    def arrivals(self, venue, noisy):
        """Which places are snapped to a kept venue, ascending, and the index of that venue among those kept.

        The result agrees with :meth:`snap`. But if few of many venues are kept, hardly any place needs a
        search among all venues: a small tree finds the nearest kept venue, and most places are nearer to one
        of the venues around it.
        """
        astray = self._astray(venue, noisy)
        rows = self.rows[venue]
        rows[astray] = self._rows_reached(noisy[astray])
        arrived = np.flatnonzero(rows >= 0)
        return arrived, rows[arrived]

    def _astray(self, venue, noisy):
        # a place that moved by less than half the way to the nearest other venue is still nearest to its own;
        # slightly less than half, because of rounding
        return np.flatnonzero(chords(noisy, self.vectors[venue]) >= 0.4999 * self.neighbour[venue])

    def _rows_reached(self, noisy):
        best = self._kept.query(noisy)[1]
        left = np.arange(len(noisy))
        for towards in self._towards:
            # |q - v|² < |q - m|² for unit vectors is q·(v - m) > 0: the place q is beyond the bisector
            beyond = np.einsum("ij,ij->i", noisy[left], towards[best[left]])
            left = left[beyond <= ROUNDING]
        rows = np.full(len(noisy), -1, dtype=np.int32)
        rows[left] = self.rows[self.nearest.query_vectors(noisy[left])]
        return rows


def chords(first, second):
    """Straight-line distance between unit vectors."""
    between = first - second
    return np.sqrt(np.einsum("ij,ij->i", between, between))


class Moves:
    """Sums over check-ins about the venues that they were snapped to, at one level."""

    def __init__(self):
        self.rows = self.own = self.rows_apart = self.own_apart = 0
        self.metres = self.squares = 0.0

    def add(self, venue, reached, vectors, apart):
        """Add a block of check-ins at ``venue``, snapped to ``reached``.

        For all venues, ``vectors`` are the unit vectors, and ``apart`` tells which have no other near them.
        """
        is_away = reached != venue
        away = np.flatnonzero(is_away)
        angle = geometry.angular_distance(vectors[venue[away]], vectors[reached[away]])
        metres = geography.EARTH_RADIUS * angle
        self.rows += len(venue)
        self.own += len(venue) - len(away)
        is_apart = apart[venue]
        self.rows_apart += np.count_nonzero(is_apart)
        self.own_apart += np.count_nonzero(is_apart & ~is_away)
        self.metres += metres.sum()
        self.squares += np.square(metres).sum()

    def means(self):
        """Metric -> estimate, with the number of check-ins as repetitions; nan for no check-ins.

        The errors are those of independent draws from one law. This is exact for a random sample of check-ins
        only. With all check-ins, the venues are fixed and only the noise is random: errors are at most these.
        """
        metres = error = np.nan
        if self.rows:
            metres = self.metres / self.rows
            error = np.sqrt(max(self.squares / self.rows - metres**2, 0.0) / self.rows)
        return {
            "own_share": share_of_draws(self.own, self.rows),
            "own_share_apart": share_of_draws(self.own_apart, self.rows_apart),
            "moved": Estimate(metres, error, self.rows),
        }
