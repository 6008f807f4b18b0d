"""What is asked of a release, read once at a door and kept exactly, up to the guarantee's file."""

import dataclasses
import functools
from fractions import Fraction
from typing import Any, Literal, Self

from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._inputs.units import Quantity
from dirpriv.exact.circle import CircleRelease
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.exact.plane import PlaneRelease, _place, _region

Missing = Literal["stop", "keep"]
Outside = Literal["clamp", "stop", "keep"]
OutsideOfFile = Literal["ask", "clamp", "stop", "keep"]
OUTSIDE = "is outside of the region"
INSIDE_IS_SEEN = f"leave the row out, or give {named('outside', 'clamp')} or {named('outside', 'keep')}. "
INSIDE_IS_SEEN += "A release with 'stop' reveals that nobody was outside"
NONE = -1  # where a cell would be, of a row without a value
NO_PLACE = -(2**31)  # the same of places
TURN = "360deg"  # the period of headings, whose circle has degrees for hours


@dataclasses.dataclass(frozen=True)
class TimeRequest:
    """A level between times at most a radius apart, on a circle of cells."""

    level: float
    radius: Quantity
    circle: CircleCells
    distance: int  # cells at the radius

    @classmethod
    def from_arguments(cls, level: Any, radius: Any, cells: Any, period: Any) -> Self:
        """What these arguments ask for, checked."""
        headings = isinstance(period, str) and period == TURN
        circle = CircleCells(cells, 360 if headings else period)
        quantity = units.quantity("radius", radius, units.ANGLE if headings else units.CIRCLE)
        if headings and quantity.kind not in units.ANGLE:
            raise units.refused("radius", quantity.text, units.ANGLE)
        if headings and quantity.hours(circle.period) > 180:
            raise InvalidArgument("radius", "must be at most half a turn, 180deg", got=radius)
        distance = circle.cells_within("radius", quantity)
        return cls(validate.positive("level", level), quantity, circle, distance)

    def release(self) -> CircleRelease:
        """The release that was asked for."""
        return _shared(CircleRelease, self.level, self.circle, self.distance)


@dataclasses.dataclass(frozen=True)
class PlaceRequest:
    """A level between places at most a radius apart, in a region of a map. Lengths are in metres."""

    level: float
    radius: Fraction
    region_centre: tuple[float, float]
    region_reach: Fraction
    cell_size: Fraction

    @classmethod
    def from_arguments(cls, level: Any, radius: Any, region_centre: Any, region_reach: Any, cell_size: Any) -> Self:
        quantity = units.radius("radius", radius)
        region = _place(region_centre), *_region(region_reach, cell_size)
        return cls(validate.positive("level", level), quantity, *region)

    def release(self) -> PlaneRelease:
        return _shared(PlaneRelease, *vars(self).values())


@functools.lru_cache(maxsize=16, typed=True)
def _shared(kind: Any, *asked: Any) -> Any:
    """A release of this level: it has no state, so calls can share it."""
    return kind._within(*asked)
