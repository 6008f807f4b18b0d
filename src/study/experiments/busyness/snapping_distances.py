"""How far snapping to the nearest venue moves check-ins."""

import numpy as np

from dirpriv import geometry
from dirpriv.geometry import earth
from study.simulation.estimates import Estimate, share_of_draws


class Displacements:
    """Sums over check-ins about the venues that they were snapped to, at one level."""

    def __init__(self):
        self.rows = self.own = self.rows_apart = self.own_apart = 0
        self.metres = self.squares = 0.0

    def add(self, venue, reached, vectors, apart):
        """Add check-ins at ``venue`` that were snapped to ``reached``; ``apart``: no other venue is near."""
        is_away = reached != venue
        away = np.flatnonzero(is_away)
        angle = geometry.angle_between_vectors(vectors[venue[away]], vectors[reached[away]])
        metres = earth.EARTH_RADIUS * angle
        self.rows += len(venue)
        self.own += len(venue) - len(away)
        is_apart = apart[venue]
        self.rows_apart += np.count_nonzero(is_apart)
        self.own_apart += np.count_nonzero(is_apart & ~is_away)
        self.metres += metres.sum()
        self.squares += np.square(metres).sum()

    def means(self):
        """Metric -> estimate, with the number of check-ins as repetitions; nan for no check-ins.

        The errors are those of independent draws from one distribution. This is exact for a random sample of check-ins
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
