"""How far snapping to the nearest venue moves check-ins."""

import numpy as np

from dirpriv import geometry
from dirpriv.geometry import earth
from study.simulation.estimates import Estimate, share_of_draws


def sums_of(venue, reached, vectors, apart):
    """Sums over check-ins at ``venue`` that were snapped to ``reached``; ``apart``: no other venue is near.

    They are the numbers of all, of those snapped to their own venue, and of both kinds where venues are apart; metres
    and their squares. Those of several blocks can be added.
    """
    is_own, is_apart = reached == venue, apart[venue]
    away = np.flatnonzero(~is_own)
    metres = earth.EARTH_RADIUS * geometry.angle_between_vectors(vectors[venue[away]], vectors[reached[away]])
    counts = [np.count_nonzero(some) for some in (is_own, is_apart, is_apart & is_own)]
    return np.array([len(venue), *counts, metres.sum(), np.square(metres).sum()])


def means_of(sums):
    """Metric -> estimate, with the number of check-ins as repetitions; nan for no check-ins.

    The errors are those of independent draws from one distribution. This is exact for a random sample of check-ins
    only. With all check-ins, the venues are fixed and only the noise is random: errors are at most these.
    """
    (rows, own, rows_apart, own_apart), metres, error = map(int, sums[:4]), np.nan, np.nan
    if rows:
        metres = sums[4] / rows
        error = np.sqrt(max(sums[5] / rows - metres**2, 0.0) / rows)
    return {
        "own_share": share_of_draws(own, rows),
        "own_share_apart": share_of_draws(own_apart, rows_apart),
        "moved": Estimate(metres, error, rows),
    }
