"""Released columns of a file: their settings, their release made again, and what is guaranteed of them."""

import dataclasses
import math
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np

from dirpriv._inputs import units
from dirpriv._inputs.angles import degrees
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._inputs.units import Quantity
from dirpriv._lib.rounding import upwards
from dirpriv._lib.types import Integers, OutsideOfFile, Together
from dirpriv.exact.circle import CircleRelease
from dirpriv.exact.export import REGION
from dirpriv.exact.finite import FiniteRelease
from dirpriv.exact.plane import PlaneRelease
from dirpriv.exact.visit import VisitRelease
from dirpriv.release.guarantee import wording
from dirpriv.release.guarantee.column_cells import ColumnCells, PlaceCells, TimeCells, check_names
from dirpriv.release.release_arguments import TURN, place_release, time_radius, time_release


@dataclasses.dataclass(frozen=True)
class TimeColumn:
    """A released column of times of day, or of the week.

    Attributes
    ----------
    name : str
        Of the column.
    level, radius : float, str
        Level ℓ of indistinguishability within the radius, as ``"3h"``.
    cells : int
        Cells of a turn, each a whole number of seconds wide.
    period : {"24h", "7d"}
        What a turn is.

    Examples
    --------
    >>> from dirpriv.release import TimeColumn
    >>> column = TimeColumn("arrival", level=1.0, radius="3h", cells=96)
    >>> column.label(33), column.cells_of(["08:15"]).tolist(), column.release().certificate.loss("3h") <= 1.0
    ('08:22:30', [33], True)
    """

    kind: ClassVar[str] = "time"
    _asked_for: ClassVar[tuple[str, ...]] = ("name", "level", "radius", "period", "cells")

    name: str
    level: float
    radius: str
    cells: int = 1440
    period: str = "24h"
    read: TimeCells = dataclasses.field(init=False, repr=False, compare=False)
    _radius: Quantity = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        cells = TimeCells(self.name, self.cells, self.period)
        if cells.kind != self.kind:
            rule = f"must be {TURN!r} for headings" if self.kind == "heading" else "must be '24h' or '7d' for a file"
            raise InvalidArgument("period", rule, got=self.period)
        radius = time_radius(self.radius, cells.circle, cells.kind == "heading")
        vars(self).update(radius=radius.text, cells=cells.cells, period=cells.period, read=cells, _radius=radius)
        self.release()
        vars(self).update(level=float(self.level))

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column, alone."""
        return self.read.names

    @property
    def seconds(self) -> int:
        """Width of a cell, in seconds; of headings in thousandths of a degree."""
        return self.read.ticks

    def release(self) -> CircleRelease:
        """The release that this column went through, made again, with the distribution that estimates need."""
        return time_release(self.level, self._radius, self.read.circle)

    def label(self, cell: int) -> str:
        """How a cell is written: its middle, as ``"13:30"``, ``"Mon 08:15:30"``, or ``"8.375"`` degrees.

        Parameters
        ----------
        cell : int
            Number of the cell, from 0 on. All cells are written with as many decimals as are needed to be
            exact, and no more.
        """
        return self.read.label(cell)

    def cells_of(self, texts: list[str]) -> Integers:
        """The cells that contain texts of a file: middles of cells or, in files of earlier versions, their starts.

        Parameters
        ----------
        texts : list of str
            Times or headings. One on the border of two cells lies in the cell that begins there.
        """
        return self.read.cells_of(texts)

    def to_json(self) -> dict[str, Any]:
        """What the guarantee's file says about this column, in types of JSON."""
        release, mechanism = self.release(), "Purkayastha on a table of integers"
        loss = release.certificate.loss(self._radius)
        return _as_json(self, mechanism, {"level_per_radian_between_cells": release.metric_level}, loss)

    def text(self) -> str:
        """The guarantee of this column in words."""
        return wording.times(self.to_json(), self.seconds)


@dataclasses.dataclass(frozen=True)
class HeadingColumn(TimeColumn):
    """A released column of headings: the fields of :class:`TimeColumn`, with degrees.

    ``radius`` is an angle, as ``"45deg"``. A cell is whole thousandths of a degree wide, and a turn is ``"360deg"``.

    Examples
    --------
    >>> from dirpriv.release import HeadingColumn
    >>> column = HeadingColumn("wind", level=1.0, radius="45deg")
    >>> column.label(33), column.release().certificate.loss("45deg") <= 1.0
    ('8.375', True)
    """

    kind: ClassVar[str] = "heading"

    period: str = TURN


@dataclasses.dataclass(frozen=True)
class PlaceColumns:
    """Two released columns, of latitudes and longitudes.

    Attributes
    ----------
    names : (str, str)
        Of the columns of latitudes and of longitudes.
    level, radius : float, str
        Level ℓ of indistinguishability within the radius, as ``"200m"``.
    region_centre : (float, float)
        Latitude and longitude of the middle of the region, in degrees.
    region_reach, cell_size : str
        Radius of the region, as ``"30km"``, and side of a cell, as ``"10m"``.
    outside : {"clamp", "ask", "stop", "keep"}
        What was done with places beyond the reach; ``"ask"`` is ``"clamp"`` after a check that not all are.

    Examples
    --------
    >>> from dirpriv.release import PlaceColumns
    >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
    >>> columns = PlaceColumns(("lat", "lon"), level=1.0, radius="200m", **city)
    >>> columns.release().certificate.loss("200m") <= 1.0
    True
    """

    kind: ClassVar[str] = "place"
    period: ClassVar[None] = None  # places have none
    _asked_for: ClassVar[tuple[str, ...]] = ("names", "level", "radius", *REGION)

    names: tuple[str, str]
    level: float
    radius: str
    region_centre: tuple[float, float]
    region_reach: str
    cell_size: str
    outside: OutsideOfFile = "clamp"
    read: PlaceCells = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        radius = units.quantity("radius", self.radius, units.LENGTH)
        cells = PlaceCells(self.names, self.region_centre, self.region_reach, self.cell_size, self.outside)
        vars(self).update({name: getattr(cells, name) for name in REGION}, radius=radius.text, read=cells)
        self.release()
        vars(self).update(level=float(self.level))

    def release(self) -> PlaneRelease:
        """The release that these columns went through, made again: its distribution is what estimates need."""
        return place_release(self.level, self.radius, self.read.map)

    @property
    def digits(self) -> int:
        """Digits of a degree, after its point, that say where a cell is to a hundredth of its side."""
        return max(2, math.ceil(math.log10(111_320.0 * 100.0 / self.release().cell_size)))

    def to_json(self) -> dict[str, Any]:
        """What the guarantee's file says about these columns, in types of JSON."""
        certificate, mechanism = self.release().certificate, "planar Laplace on a lattice of integers"
        loss = certificate.loss(self.radius)
        document = _as_json(self, mechanism, {"level_per_metre_between_cells": certificate.cells}, loss)
        return document if self.outside == "clamp" else document | {"outside": self.outside}

    def text(self) -> str:
        """The guarantee of these columns in words."""
        return wording.places(self.to_json())


@dataclasses.dataclass(frozen=True)
class ItemColumn:
    """A released column of items of a public list.

    Attributes
    ----------
    name : str
        Of the column.
    level, radius : float, str
        Level ℓ of indistinguishability within the radius, as ``"200m"``.
    items, latitude, longitude : tuple
        The items of the list, and where they are, in degrees.
    unknown : str, optional
        The item that stands for those that are not on the list.
    most_unchanged : float
        Refuse a list with an item that is released as itself with a larger probability.
    names, cells : tuple, int
        The name of the column, alone, and number of items, with that of the unknown ones.

    Examples
    --------
    >>> from dirpriv.release import ItemColumn
    >>> column = ItemColumn("venue", 1.0, "200m", ("bakery", "museum"), (40.75, 40.751), (-73.98, -73.981))
    >>> column.label(1), column.cells_of(["museum"]).tolist(), column.release().certificate.loss("200m") <= 1.0
    ('museum', [1], True)
    """

    kind: ClassVar[str] = "item"
    period: ClassVar[None] = None  # items have none
    _asked_for: ClassVar[tuple[str, ...]] = ("name", "level", "radius", "items", "latitude", "longitude", "unknown")

    name: str
    level: float
    radius: str
    items: tuple[str, ...]
    latitude: tuple[float, ...]
    longitude: tuple[float, ...]
    unknown: str | None = None
    most_unchanged: float = dataclasses.field(default=1.0, compare=False)
    names: tuple[str, ...] = dataclasses.field(init=False, repr=False, compare=False)
    cells: int = dataclasses.field(init=False, repr=False, compare=False)
    _release: FiniteRelease = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_names((self.name,), 1)
        radius = units.quantity("radius", self.radius, units.LENGTH)
        places = np.stack(degrees(self.latitude, self.longitude), axis=-1)
        how: Any = {"unknown": self.unknown, "most_unchanged": self.most_unchanged}
        release = FiniteRelease.within(self.level, radius.text, self.items, places=places, **how)
        if "" in release.items:
            raise InvalidArgument("items", "has an item without a name")
        vars(self).update(radius=radius.text, level=float(self.level), _release=release)
        vars(self).update(names=(self.name,), cells=len(release.items))

    @property
    def read(self) -> Self:
        """The items as they are read: by themselves."""
        return self

    def release(self) -> FiniteRelease:
        """The release that this column went through, made again, with the distribution that estimates need."""
        return self._release

    def label(self, cell: int) -> str:
        """The item of this number.

        Parameters
        ----------
        cell : int
            From 0 on.
        """
        return str(self._release.items[cell])

    def cells_of(self, texts: list[str]) -> Integers:
        """Numbers of items.

        Parameters
        ----------
        texts : list of str
            Items of the list.
        """
        return self._release.indices_of(texts)

    def to_json(self) -> dict[str, Any]:
        """What the guarantee's file says about this column, in types of JSON."""
        release, certificate = self._release, self._release.certificate
        scale = {"level_per_metre_on_the_ground": certificate.loss(1.0)}
        document = _as_json(self, "exponential weights on a table of integers", scale, certificate.loss(self.radius))
        # what follows from the weights depends on the machine in its last digits
        document["certificate"]["pure"] = float(upwards(certificate.pure, 3))
        unchanged, near = release.unchanged, release.neighbours(self.radius)
        document |= {"sha256": release.sha256, "items_within_radius": [float(np.median(near)), float(np.min(near))]}
        return document | {"unchanged": [round(float(f(unchanged)), 3) for f in (np.median, np.max)]}

    def text(self) -> str:
        """The guarantee of this column in words."""
        return wording.items(self.to_json())


@dataclasses.dataclass(frozen=True)
class VisitColumns:
    """A released column of times and two of places, with one noise for both: see :class:`VisitRelease`.

    A visit is a time at a place, as mobility studies call it.

    Attributes
    ----------
    time, place : TimeColumn, PlaceColumns
        Cells of both, each with its level and radius. Their own ``release`` is another one.
    names, level, radius : tuple of str, float, str
        Of the columns of times, latitudes and longitudes; the level ℓ within both radii; these, as ``"3h and 200m"``.

    Examples
    --------
    >>> from dirpriv.release import PlaceColumns, TimeColumn, VisitColumns
    >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
    >>> columns = VisitColumns(TimeColumn("at", 1.0, "3h"), PlaceColumns(("lat", "lon"), 1.0, "200m", **city))
    >>> columns.names, columns.radius, columns.release().certificate.loss(columns.radius) <= 1.0
    (('at', 'lat', 'lon'), '3h and 200m', True)
    """

    kind: ClassVar[str] = "visit"
    _asked_for: ClassVar[tuple[str, ...]] = ("names", "level", "radius", "columns")

    time: TimeColumn
    place: PlaceColumns
    period: str = dataclasses.field(init=False, repr=False, compare=False)
    outside: OutsideOfFile = dataclasses.field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = dataclasses.field(init=False, repr=False, compare=False)
    level: float = dataclasses.field(init=False, repr=False, compare=False)
    radius: str = dataclasses.field(init=False, repr=False, compare=False)
    _release: VisitRelease = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        time, place = self.time, self.place
        vars(self).update(names=(*time.names, *place.names), level=max(time.level, place.level))
        vars(self).update(radius=f"{time.radius} and {place.radius}", period=time.period, outside=place.outside)
        vars(self).update(_release=VisitRelease(time.release(), place.release()))

    @property
    def columns(self) -> list[dict[str, Any]]:
        """The settings of the columns of times and of places."""
        return [settings_of(self.time), settings_of(self.place) | {"outside": self.place.outside}]

    def release(self) -> VisitRelease:
        """The release that these columns went through, made again, with the distribution that estimates need."""
        return self._release

    def to_json(self) -> dict[str, Any]:
        """What the guarantee's file says about these columns, in types of JSON."""
        mechanism = "one kernel of both distances on a table of integers"
        levels = self.time.release().metric_level, self.place.release().certificate.cells
        scale = dict(zip(("level_per_radian_between_cells", "level_per_metre_between_cells"), levels, strict=True))
        return _as_json(self, mechanism, scale, self.release().certificate.loss(self.radius))

    def text(self) -> str:
        """The guarantee of these columns in words."""
        return wording.visits(self.to_json())


SeparateColumn = TimeColumn | PlaceColumns | ItemColumn
FileColumn = SeparateColumn | VisitColumns
ReadColumn = ColumnCells | ItemColumn


def separate(columns: Iterable[FileColumn]) -> tuple[SeparateColumn, ...]:
    """Columns as they are read and written, those of visits apart."""
    parts = [(each.time, each.place) if isinstance(each, VisitColumns) else (each,) for each in columns]
    return tuple(part for each in parts for part in each)


def combined(columns: list[Any], together: Together | None) -> tuple[FileColumn, ...]:
    """Columns with one promise for a time and a place, if there is to be one."""
    if together is not None and [column.kind for column in columns] != ["time", "place"]:
        rule = f"goes with one column of times, {named('latitude')} and {named('longitude')}, and no other column"
        raise InvalidArgument("together", rule, got=together)
    return (VisitColumns(*columns),) if together == "either" else tuple(columns)


def _as_json(column: FileColumn, mechanism: str, scale: dict[str, float], loss: float) -> dict[str, Any]:
    """What the guarantee's file says about a column; ``loss`` is that within the radius."""
    certificate = column.release().certificate
    bounds = {"privacy_loss_within": loss, "cells": certificate.cells, "pure": certificate.pure}
    return settings_of(column) | {"mechanism": mechanism} | scale | {"certificate": bounds}


def read_fields(document: Any, *names: str) -> dict[str, Any]:
    """These fields, all of which must be there."""
    for name in names:
        if name not in document:
            raise InvalidArgument(f"the field {name!r} is missing")
    return {name: document[name] for name in names}


def settings_of(column: FileColumn) -> dict[str, Any]:
    """What makes a column, in types of JSON."""
    values = {name: getattr(column, name) for name in ("kind", *column._asked_for)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def read_column(document: Any) -> FileColumn:
    """The column of these settings, and of what else is done with its places."""
    kind = read_fields(document, "kind")["kind"]
    for column in (TimeColumn, HeadingColumn, PlaceColumns, ItemColumn):
        if kind == column.kind:
            fields = read_fields(document, *column._asked_for)
            fields = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
            return column(**fields | ({"outside": document.get("outside", "clamp")} if column is PlaceColumns else {}))
    if kind == VisitColumns.kind:
        time, place = map(read_column, read_fields(document, "columns")["columns"])
        return VisitColumns(time, place)  # type: ignore[arg-type]  # other kinds have no such release
    raise InvalidArgument("the field 'kind' of a column is none of 'time', 'heading', 'place', 'item' and 'visit'")
