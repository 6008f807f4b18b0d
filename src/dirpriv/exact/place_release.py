"""What releases of places share: columns of degrees, lengths in metres, and metres on the ground.

A distance between two inputs is in metres along the WGS 84 ellipsoid. The releases compute on the sphere of
the mean radius R, with the same degrees. No way on it is longer by a factor of more than R/M = 1.0057, which
they charge: M = a (1 - f)² is the ellipsoid's smallest radius of curvature (of meridians, at the equator).
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

from dirpriv._inputs import validate
from dirpriv._lib.immutable import Built
from dirpriv.geometry.earth import EARTH_RADIUS

RADIUS = Fraction(EARTH_RADIUS)
_MERIDIAN = 6_378_137 * (1 - Fraction(10**9, 298_257_223_563)) ** 2  # a (1 - f)² of WGS 84
GROUND = RADIUS / _MERIDIAN


class PlaceRelease(Built, ABC):
    """What releases of places share."""

    def randomise_places(self, latitude: Any, longitude: Any) -> tuple[Any, Any]:
        """Release each of the places on its own, with noise from the operating system.

        Latitudes and longitudes (in [-180, 180)) of the centres of the released cells come back, in the order
        of the input. It must not depend on the values: a file that is sorted by place gives places away.

        Parameters
        ----------
        latitude, longitude : array_like, shape () or (N,)
            Degrees from -90 to 90, and -180 to 360: lists, arrays, or columns of pandas, Polars or Arrow.

        Raises
        ------
        ValueError
            If a row is no place, with the row and the rule, never a value. With a region, if two or more rows
            lie all in it, but only with latitude and longitude exchanged.
        """
        return self._released(self.cells_of(latitude, longitude))

    @abstractmethod
    def cells_of(self, latitude: Any, longitude: Any) -> Any:
        """Cells to which places are rounded: east and north of the central one, or numbers. Not private.

        Parameters
        ----------
        latitude, longitude : array_like, shape () or (N,)
            As for :meth:`randomise_places`, with its errors.

        Examples
        --------
        >>> from dirpriv.release import PlaneRelease, SphereRelease
        >>> city = PlaneRelease(0.01, region_centre=(0.0, 0.0), region_reach="30km", cell_size="10m")
        >>> [cell.tolist() for cell in city.cells_of([0.0, 0.1, 0.0], [0.0, 0.1, -180.0])]
        [[0, 1112, 0], [0, 1112, 0]]
        >>> SphereRelease(1e-3, cells=100).cells_of([90.0, -90.0], [0.0, 0.0]).tolist()
        [0, 99]
        """

    @abstractmethod
    def _released(self, cells: Any) -> tuple[Any, Any]:
        """Latitudes and longitudes that are released for these cells."""


def level_per_metre(epsilon: Any) -> Fraction:
    level = validate.positive("epsilon", epsilon)
    return epsilon if isinstance(epsilon, Fraction) else Fraction(level)
