"""The columns that the settings of a release of a file ask for, and its input files."""

import contextlib
import glob
import os
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

from dirpriv._inputs import units, validate
from dirpriv._inputs.angles import refuse_swapped
from dirpriv._inputs.errors import InvalidArgument, MissingFile, named
from dirpriv._inputs.units import Quantity
from dirpriv.exact.export import REGION
from dirpriv.release.guarantee.column_cells import ColumnCells, PlaceCells, TimeCells
from dirpriv.release.guarantee.columns import FileColumn, HeadingColumn, ItemColumn, PlaceColumns, TimeColumn, combined
from dirpriv.release.release_arguments import TURN
from dirpriv.release.settings import FileSettings, LocalFileSettings, column_names
from dirpriv.tables.table import Table


def columns_to_read(settings: FileSettings) -> tuple[ColumnCells, ...]:
    """The columns of a file as cells, with all that was asked of them read."""
    names, headings = column_names("time", settings.time), column_names("heading", settings.heading)
    places = settings.latitude is not None or settings.longitude is not None
    if not names and not headings and not places and getattr(settings, "item", None) is None:
        pair = f"{named('latitude')} and {named('longitude')}"
        hint = f"give {named('time')}, {named('heading')}, {named('item')}, or {pair}, by the names of columns"
        raise InvalidArgument("no column is named", hint=hint)
    columns: list[ColumnCells] = [TimeCells(name, settings.cells, settings.period) for name in names]
    columns += [TimeCells(name, settings.cells, TURN) for name in headings]
    with_places = f"with {named('latitude')} and {named('longitude')}, which are not given"
    if settings.outside not in ("ask", "clamp") and not places:
        raise InvalidArgument("outside", f"goes {with_places}", got=settings.outside)
    if places:
        columns.append(_places(settings))
    elif extra := [name for name in REGION if getattr(settings, name) is not None]:
        what = f"{', '.join(map(named, extra))} {'goes' if len(extra) == 1 else 'go'}"
        raise InvalidArgument(f"{what} {with_places}")
    used = [name for column in columns for name in column.names]
    if twice := sorted({name for name in used if used.count(name) > 1}):
        raise InvalidArgument(f"the column {twice[0]!r} is named twice", hint="name each column once")
    return tuple(columns)


def promised_columns(settings: LocalFileSettings) -> tuple[FileColumn, ...]:
    """The columns to release, each with its level and radius."""
    cells = columns_to_read(settings)
    are_places = [isinstance(column, PlaceCells) for column in cells] + [True] * (settings.item is not None)
    radius, length = _radii(settings.radius, are_places)
    level, of_places = _levels(settings.level, are_places)
    columns: list[FileColumn] = []
    for each in cells:
        if isinstance(each, PlaceCells):
            region: Any = {name: getattr(each, name) for name in REGION}
            columns.append(PlaceColumns(each.names, of_places, length, **region, outside=each.outside))
        elif each.kind == "heading":
            columns.append(HeadingColumn(each.name, level, radius, each.cells))
        else:
            columns.append(TimeColumn(each.name, level, radius, each.cells, each.period))
    if (settings.item is None) != (settings.items is None):
        raise InvalidArgument(f"{named('item')} and {named('items')} go together: a column, and a public list")
    if settings.item is not None:
        how: Any = {"unknown": settings.unknown, "most_unchanged": settings.most_unchanged}
        columns.append(ItemColumn(settings.item, of_places, length, *public_list(settings.items), **how))
    return combined(columns, settings.together)


def public_list(path: Any) -> Any:
    """Items, latitudes and longitudes of the file of a public list."""
    table, names = Table("items", path), ("item", "latitude", "longitude")
    if lacking := [name for name in names if name not in table.names]:
        raise InvalidArgument("items", f"must have the columns {', '.join(names)}; it has no {lacking[0]!r}", got=path)
    item, *degrees = (table.sql(table.column("items", name)) for name in names)
    numbers = ", ".join(f"coalesce(TRY_CAST({each} AS DOUBLE), 'nan'::DOUBLE)" for each in degrees)
    rows = table.query(f"SELECT coalesce(trim(CAST({item} AS VARCHAR)), ''), {numbers} FROM {table.scan()}")
    return zip(*rows, strict=True)


def _places(settings: FileSettings) -> PlaceCells:
    refuse_swapped(settings.latitude, settings.longitude)
    needed = "latitude", "longitude", *REGION
    if lacking := [name for name in needed if getattr(settings, name) is None]:
        all_of_them, missing = (", ".join(map(named, names)) for names in (needed, lacking))
        rule = f"places need {all_of_them}, and none of them is taken from the data"
        raise InvalidArgument(f"{rule}; {missing} {'is' if len(lacking) == 1 else 'are'} missing")
    (latitude,), (longitude,) = (column_names(name, getattr(settings, name)) for name in needed[:2])
    reach, size = (_as_written(name, getattr(settings, name)) for name in REGION[1:])
    centre: Any = settings.region_centre
    return PlaceCells((latitude, longitude), centre, reach, size, settings.outside)


def _radii(radius: Any, are_places: list[bool]) -> tuple[Any, Any]:
    """The radius of times and that of places; None where there are no such columns."""
    times, places = not all(are_places), any(are_places)
    values = radius if isinstance(radius, list | tuple) else [radius]
    radii: dict[str, Quantity] = {}
    with contextlib.suppress(InvalidArgument):  # refused below
        for value in values:
            quantity = units.quantity("radius", value, units.CIRCLE + units.LENGTH)
            radii["places" if quantity.kind in units.LENGTH else "times"] = quantity
    if len(radii) == len(values) and ["times" in radii, "places" in radii] == [times, places]:
        return radii.get("times"), radii.get("places")
    if times and places:
        rule = "must be two radii with their units, of times and of places"
        raise InvalidArgument("radius", rule, got=radius, hint=f"give {named('radius', ['3h', '200m'])}")
    raise units.refused("radius", radius, units.CIRCLE if times else units.LENGTH)


def _levels(level: Any, are_places: list[bool]) -> tuple[Any, Any]:
    """The level of times and that of places: two, or one for both."""
    if not isinstance(level, tuple | list):
        return level, level
    if len(level) != 2 or len(set(are_places)) < 2:
        raise InvalidArgument("level", "must be one number, or two, of times and of places", got=level)
    return level[0], level[1]


def inputs(paths: Any) -> list[Any]:
    """The input files. A text with ``*``, ``?`` or ``[`` that is no file is a pattern for files."""
    files: list[Any] = []
    for path in paths if isinstance(paths, list | tuple) else [paths]:
        pattern = isinstance(path, str) and re.search("[*?[]", path) and not os.path.lexists(path)
        fitting = [*map(Path, sorted(glob.glob(path, recursive=True)))] if pattern else [path]
        if not fitting:
            hint = "give another pattern, such as 'days/*.csv', or the names of the files"
            raise MissingFile("input", "matches no file", got=path, hint=hint)
        files += fitting
    return files


def _as_written(name: str, value: Any) -> Quantity:
    """A length; a number of metres is the shortest decimal number that is this double."""
    if not isinstance(value, units.WITH_UNIT):
        value = f"{Decimal(repr(validate.positive(name, value))).normalize():f}m"
    return units.quantity(name, value, units.LENGTH)
