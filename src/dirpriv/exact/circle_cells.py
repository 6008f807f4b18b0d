"""Angles, times and radii on a circle of equal cells, exactly.

Cell i of m holds the angles from i·2π/m - s to before (i + 1)·2π/m - s. The shift s is a few units in the
last place of 4π: a multiple of π/k, which as a double is often a little less, lies in the cell that begins
there. As s is the same at all borders, two inputs at a distance d lie at most ⌈d/h⌉ cells of width h = 2π/m
apart. With ⌊x·m/2π⌋ in doubles it could be one more. So doubles are compared with borders, each the smallest
double not below its true value, and times are divided as integers.
"""

import dataclasses
import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from dirpriv._inputs import times, units, validate
from dirpriv._inputs.angles import radians
from dirpriv._inputs.clock_units import RIGHT, Count
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Integers
from dirpriv.exact import arithmetic

MOST_CELLS = 100_000
_ULPS = 4  # a double so near to a whole number of cells means that number


@dataclasses.dataclass(frozen=True)
class CircleCells:
    """A circle of ``count`` cells, whose turn is ``period`` hours."""

    count: int
    period: Fraction

    def __init__(self, count: Any, period: Any) -> None:
        number = validate.integer("cells", count, 2)
        if number > MOST_CELLS:
            raise InvalidArgument("cells", f"must be at most {MOST_CELLS}", got=count)
        vars(self).update(count=number, period=units.hours("period", period))

    def check_indices(self, indices: Any) -> Integers:
        """Numbers of cells, checked."""
        values = validate.array("indices", indices)
        if values.dtype.kind not in "iu":
            rule = f"must hold integers, the numbers of cells; got the type {values.dtype}"
            raise InvalidArgument("indices", rule, hint="angles go into randomise_angles, times into randomise_times")
        rule = f"is no cell from 0 to {self.count - 1}"
        validate.refuse("indices", (values < 0) | (values >= self.count), rule, "number the cells from 0 on")
        return values.astype(np.intp)

    def index_angles(self, angles: Any) -> Integers:
        """The cells of angles in radians."""
        values = radians(angles)
        return _place(_angle_borders(self.count, validate.precision(angles)), values) % self.count

    def index_times(self, times: Any) -> Integers:
        """The cells of times of day, times of the week or durations."""
        return self.index_array("times", validate.array("times", times))

    def index_array(self, name: str, values: npt.NDArray[Any], counted: Count | None = None) -> Integers:
        """The cells of such times as an array of NumPy; of numbers in hours, or as they are ``counted``."""
        values = times.native(values)
        turn, later = (self.period, Fraction(0)) if counted is None else (counted.turn, counted.later)
        if values.dtype.kind in "fiu":
            numbers = values.astype(np.float64)
            validate.refuse(name, ~np.isfinite(numbers), "is nan or infinite", "leave the row out")
            self._refuse_beyond(name, numbers, -arithmetic.double_not_below(-turn), 1, counted)
            return _place(_borders_of(self.count, turn, later), numbers) % self.count
        ticks, per_hour, start = times.exact(name, values, float(self.period))
        if values.dtype == object and times.are_numbers(values):
            self._refuse_beyond(name, ticks, turn * per_hour, per_hour, counted)
            ticks = ticks + later * per_hour
        # ⌊(ticks/per_hour - start)·count/turn⌋; per_hour = a/b, count/turn = c/d
        a, b, cells_per_hour = per_hour.numerator, per_hour.denominator, self.count / turn
        c, d = cells_per_hour.numerator, cells_per_hour.denominator
        whole = a * turn.numerator  # a whole number of turns, in ticks
        if ticks.dtype != object:
            ticks = np.mod(ticks, whole) if whole < 2**63 else ticks.astype(object)
        if (whole * b + start * a) * c >= 2**63:
            ticks = ticks.astype(object)
        return np.asarray((ticks * b - start * a) * c // (a * d) % self.count).astype(np.intp)

    def index_numbers(self, numbers: Array, counted: Count) -> Integers:
        """The cells of doubles that were found to lie in a turn of what they count."""
        return _place(_borders_of(self.count, counted.turn, counted.later), numbers) % self.count

    def _refuse_beyond(self, name: str, values: Any, last: Any, one: Any, counted: Count | None) -> None:
        if counted is None:
            times.refuse_beyond(name, values, last, float(self.period))
        else:
            validate.refuse(name, counted.beyond(values, last, one), counted.rule, RIGHT)

    def cells_within(self, name: str, distance: Any) -> int:
        """How many cells apart inputs at this distance (a number: of radians) can lie: ⌈distance/h⌉."""
        if isinstance(distance, units.WITH_UNIT):
            distance = units.quantity(name, distance, units.CIRCLE)
        if isinstance(distance, units.Quantity) and distance.kind != "radians":
            hours = distance.hours(self.period)
            cells, beyond = math.ceil(hours * self.count / self.period), hours > self.period / 2
        else:
            is_text = isinstance(distance, units.Quantity)
            radians = float(distance.size) if is_text else validate.nonnegative(name, distance)
            cells, beyond = self._within_radians(radians)
        if beyond:
            rule = f"must be at most half a turn, {float(self.period / 2):g} hours"
            raise InvalidArgument(name, rule, got=distance, hint="no two inputs can be farther apart")
        return min(cells, self.count // 2)

    def _within_radians(self, distance: float) -> tuple[int, bool]:
        exact, pi = Fraction(distance), arithmetic.pi()
        slack = _ULPS * Fraction(math.ulp(distance))
        cells = exact * self.count / (2 * pi.below)
        nearest = round(cells)
        low, high = (2 * bound * nearest / self.count for bound in pi)
        is_whole = nearest > 0 and low - slack <= exact <= high + slack
        return nearest if is_whole else math.ceil(cells), exact > pi.above + slack

    def angles(self, cells: Integers) -> Array:
        """The middles of cells, in radians."""
        return np.asarray((cells + 0.5) * (2.0 * np.pi / self.count), dtype=float)

    def hours(self, cells: Integers) -> Array:
        """The middles of cells, in hours."""
        return np.asarray((cells + 0.5) * (float(self.period) / self.count), dtype=float)


@functools.lru_cache(maxsize=8, typed=True)
def _angle_borders(count: int, precision: float) -> Array:
    """Borders of the cells from -2π to 4π, for angles of a precision: the smallest doubles not below them."""
    width = arithmetic.Bracket(*(2 * bound / count for bound in arithmetic.pi()))
    shift = min(Fraction(8 * _ULPS * precision), width.below / 4)  # 8 is the power of two below 4π
    borders = np.array(arithmetic.multiples_not_below(width, range(-count, 2 * count + 1), shift))
    borders.flags.writeable = False
    return borders


@functools.lru_cache(maxsize=8, typed=True)
def _borders_of(count: int, turn: Fraction, later: Fraction) -> Array:
    """Borders of the cells of a turn of numbers, to which ``later`` is added: the doubles not below them."""
    width = turn / count
    borders = np.array([arithmetic.double_not_below(i * width - later) for i in range(count + 1)])
    borders.flags.writeable = False
    return borders


def _place(borders: Array, values: Array) -> Integers:
    """How many borders are at most each value, less one: equal widths, then one comparison to each side."""
    # a search of the borders would take longer for mixed values than for equal ones
    last = len(borders) - 1
    positions = (values - borders[0]) * (last / (borders[last] - borders[0]))
    place = np.clip(positions, 0.0, last - 1.0).astype(np.intp)
    return np.asarray(place + (values >= borders[place + 1]) - (values < borders[place]))
