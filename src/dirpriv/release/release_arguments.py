"""Radii, cells and releases of times and places, exactly as the arguments of a call ask for them."""

import functools
from typing import Any

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


def is_turn(period: Any) -> bool:
    """Whether a circle is one of headings."""
    return isinstance(period, str) and period == TURN


def circle_cells(cells: Any, period: Any) -> CircleCells:
    """Cells of a circle of times, or of headings in degrees."""
    return CircleCells(cells, 360 if is_turn(period) else period)


def time_radius(radius: Any, circle: CircleCells, headings: bool) -> Quantity:
    """A radius of times, or of headings."""
    quantity = units.quantity("radius", radius, units.ANGLE if headings else units.CIRCLE)
    if headings and quantity.kind not in units.ANGLE:
        raise units.refused("radius", quantity.text, units.ANGLE)
    if headings and quantity.hours(circle.period) > 180:
        raise InvalidArgument("radius", "must be at most half a turn, 180deg", got=radius)
    return quantity


def time_release(level: Any, radius: Quantity, circle: CircleCells) -> CircleRelease:
    """The release of times at this level."""
    return _shared(CircleRelease, validate.positive("level", level), circle, circle.cells_within("radius", radius))


def place_release(level: Any, radius: Any, cells: PlaneCells) -> PlaneRelease:
    """The release of places at this level."""
    return _shared(PlaneRelease, validate.positive("level", level), units.radius("radius", radius), cells)


@functools.lru_cache(maxsize=16, typed=True)
def _shared(kind: Any, *asked: Any) -> Any:
    """A release of this level: it has no state, so calls can share it."""
    return kind._within(*asked)
