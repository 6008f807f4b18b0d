"""What is asked of a release, read once at a door and kept exactly, up to the guarantee's file."""

import dataclasses
import functools
from fractions import Fraction
from typing import Any, Self

from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._inputs.units import Quantity
from dirpriv.exact.circle import CircleRelease
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.exact.plane import PlaneRelease
from dirpriv.exact.plane_cells import PlaneCells

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
        headings, circle = is_turn(period), circle_cells(cells, period)
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
    """A level between places at most a radius apart, in metres, on the cells of a map."""

    level: float
    radius: Fraction
    cells: PlaneCells

    @classmethod
    def from_arguments(cls, level: Any, radius: Any, cells: PlaneCells) -> Self:
        quantity = units.radius("radius", radius)
        return cls(validate.positive("level", level), quantity, cells)

    def release(self) -> PlaneRelease:
        return _shared(PlaneRelease, *vars(self).values())


def is_turn(period: Any) -> bool:
    """Whether a circle is one of headings."""
    return isinstance(period, str) and period == TURN


def circle_cells(cells: Any, period: Any) -> CircleCells:
    """Cells of a circle of times, or of headings in degrees."""
    return CircleCells(cells, 360 if is_turn(period) else period)


@functools.lru_cache(maxsize=16, typed=True)
def _shared(kind: Any, *asked: Any) -> Any:
    """A release of this level: it has no state, so calls can share it."""
    return kind._within(*asked)
