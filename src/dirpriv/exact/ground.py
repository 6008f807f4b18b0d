"""What releases of places share: columns of degrees, lengths in metres, and metres on the ground.

A distance between two inputs is in metres along the WGS 84 ellipsoid. The releases compute on the sphere of
the mean radius R, with the same degrees. No way on it is longer by a factor of more than R/M = 1.0057, which
they charge: M = a (1 - f)² is the ellipsoid's smallest radius of curvature (of meridians, at the equator).
"""

from fractions import Fraction
from typing import Any

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Integers
from dirpriv.geometry.earth import EARTH_RADIUS

RADIUS = Fraction(EARTH_RADIUS)
_MERIDIAN = 6_378_137 * (1 - Fraction(10**9, 298_257_223_563)) ** 2  # a (1 - f)² of WGS 84
GROUND = RADIUS / _MERIDIAN


def column_of_cells(name: str, cells: Any, least: int, most: int, rule: str, remedy: str) -> Integers:
    """Numbers of cells, checked."""
    values = validate.array(name, cells)
    if values.dtype.kind not in "iu" or values.ndim > 1:
        wanted = "must be one column of integers, the numbers of cells"
        found = f"got the type {values.dtype} of shape {values.shape}"
        raise InvalidArgument(name, f"{wanted}; {found}", remedy="degrees go into randomise_places")
    validate.refuse(name, (values < least) | (values > most), f"{rule} from {least} to {most}", remedy)
    return values.astype(np.intp)


def epsilon_within(level: float, radius: Fraction, stretch: Fraction, rounding: Fraction) -> Fraction:
    """The level per metre between centres of cells that is ``level`` between inputs at the radius."""
    return Fraction(level) / (stretch * radius + rounding)


def level_per_metre(epsilon: Any) -> Fraction:
    """The level as a rational number: exact from :func:`epsilon_within`, or the user's own number."""
    return epsilon if isinstance(epsilon, Fraction) else Fraction(validate.positive("epsilon", epsilon))
