"""Columns of a file as cells: what a reader of values and a reader of a released file know of them."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from dirpriv._inputs import times, units, validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib import formatting
from dirpriv._lib.types import Integers, OutsideOfFile
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.exact.plane_cells import PlaneCells
from dirpriv.release.release_arguments import TURN, circle_cells, is_turn

PERIODS = {"24h": 86_400, "7d": 604_800, TURN: 360_000}  # ticks: seconds, or thousandths of a degree
_PERIODS: dict[Any, str] = {24: "24h", 168: "7d"}  # hours


@dataclasses.dataclass(frozen=True)
class TimeCells:
    """A column of times, or of headings where the period is a turn, in cells of whole ticks."""

    name: str
    cells: int
    period: Any
    circle: CircleCells = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        circle, headings = circle_cells(self.cells, self.period), is_turn(self.period)
        check_names((self.name,), 1)
        cells, period = circle.count, TURN if headings else _PERIODS.get(circle.period)
        if period is None:
            raise InvalidArgument("period", "must be '24h' or '7d' for a file", got=self.period)
        if PERIODS[period] % cells:
            usual = (36, 72, 360, 720, 1440, 3600) if headings else (24, 48, 96, 288, 1440, 8640)
            counts = ", ".join(str((7 if period == "7d" else 1) * count) for count in usual)
            ticks = "thousandths of a degree" if headings else "seconds"
            rule = f"must be whole {ticks} wide in a file; got {cells} of {period}"
            raise InvalidArgument("cells", rule, hint=f"give one of {counts}, or another divisor of {PERIODS[period]}")
        vars(self).update(cells=cells, period=period, circle=circle)

    @property
    def kind(self) -> str:
        return "heading" if self.period == TURN else "time"

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def ticks(self) -> int:
        return PERIODS[self.period] // self.cells

    def label(self, cell: int) -> str:
        """How a cell is written: its middle."""
        return self.spelled(2 * int(cell) + 1, 1)

    def spelled(self, halves: int, step: int) -> str:
        """Halves of a cell from the beginning of the period, of which all are multiples of a step."""
        half = self.ticks * (500 if self.kind == "heading" else 500_000)
        return formatting.exactly(halves * half, step * half, float(self.circle.period))

    def cells_of(self, texts: list[str]) -> Integers:
        """The cells that contain texts of a file."""
        if self.period == "7d":  # the year 2024 began on a Monday
            texts = [f"2024-01-0{formatting.DAYS.index(text[:3]) + 1}{text[3:]}" for text in texts]
        kind = {"24h": "clock", "7d": "stamp", TURN: "number"}[self.period]
        if any(times.kind_of_text(text) != kind for text in texts):
            raise InvalidArgument("texts", "must be texts as in a released file")
        return self.circle.index_array("texts", np.array(texts, dtype=object))


@dataclasses.dataclass(frozen=True)
class PlaceCells:
    """Two columns, of latitudes and longitudes, in cells of a public map."""

    kind: ClassVar[str] = "place"
    period: ClassVar[None] = None  # places have none

    names: tuple[str, str]
    region_centre: tuple[float, float]
    region_reach: Any  # becomes its text
    cell_size: Any
    outside: OutsideOfFile = "clamp"
    map: PlaneCells = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_names(self.names, 2)
        validate.check_word("outside", self.outside, "clamp", "ask", "stop", "keep")
        names = "region_reach", "cell_size"
        lengths = {name: units.quantity(name, getattr(self, name), units.LENGTH) for name in names}
        cells = PlaneCells.from_arguments(self.region_centre, **lengths)
        texts = {name: length.text for name, length in lengths.items()}
        vars(self).update(texts, region_centre=cells.centre, map=cells)


ColumnCells = TimeCells | PlaceCells


def check_names(names: Any, count: int | None = None) -> None:
    """Refuse what are not as many different names of columns as ``count``, or at least one."""
    texts = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
    if not texts or not names or len(set(names)) < len(names) or count not in (None, len(names)):
        raise InvalidArgument(f"names of columns must be texts, {count or 'one or more'} and all different")
