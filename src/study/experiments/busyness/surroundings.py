"""Where the reports at some venues may come from: the venues, what is around each of them, and districts beyond.

Noise of a mean of 2 km does not tell venues of one street apart, and noise of 20 m does not reach the next town. So the
list of places is as fine as the noise, and as large. It has each measured venue on its own. The other venues within
:data:`NEAR` mean noises of one are joined in squares of :data:`FINE` mean noises, and those up to :data:`FAR` in
squares of :data:`COARSE`. From those beyond, no report reaches a measured venue (probability 4e-10).
"""

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv.geometry import earth

NEAR, FAR = 6.0, 12.0
FINE, COARSE = 0.5, 3.0
CELL = 0.25  # mean noises: side of the squares in which reports are counted


class Surroundings:
    """Places from which reports at measured venues come, by the mean of the noise in ``metres``.

    ``numbers`` has for each venue the number of its place, or -1 beyond all of them; the measured venues come first,
    in their order. ``places`` are the middles of the places in degrees.
    """

    def __init__(self, venues, measured, metres):
        vectors = earth.places_to_vectors(venues)
        tree = scipy.spatial.cKDTree(vectors[measured])
        angles = 2.0 * np.arcsin(np.minimum(tree.query(vectors)[0] / 2.0, 1.0))
        away = angles * earth.EARTH_RADIUS / metres
        keys = np.where(away <= NEAR, squares(venues, FINE * metres), -2 - squares(venues, COARSE * metres))
        keys[away > FAR] = -1
        own, others = np.zeros(len(venues), dtype=bool), keys != -1
        own[measured] = True
        others[measured] = False
        self.numbers = np.full(len(venues), -1)
        self.numbers[measured] = np.arange(len(measured))
        joined, inverse = np.unique(keys[others], return_inverse=True)
        self.numbers[others] = len(measured) + inverse
        sums = np.zeros((len(measured) + len(joined), 3))
        np.add.at(sums, self.numbers[self.numbers >= 0], vectors[self.numbers >= 0])
        self.vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        self.places = earth.vectors_to_places(self.vectors)
        self.metres, self._tree = metres, tree
