"""Values of a table as cells of their release, by integers; a row that is no such value is named, not shown.

Ticks of DuckDB and texts are rounded down to seconds. This changes no cell: cells of files are whole seconds
wide and begin at a whole second.
"""

import datetime
import functools
import importlib
import zoneinfo
from collections.abc import Sequence
from typing import Any

import numpy as np

from dirpriv._inputs import clock_units
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.types import Array, Integers, Mask, Missing
from dirpriv.release.guarantee.column_cells import PERIODS, PlaceCells, TimeCells
from dirpriv.release.guarantee.columns import ItemColumn, ReadColumn
from dirpriv.release.release_arguments import INSIDE_IS_SEEN, NO_PLACE, NONE, OUTSIDE, TURN
from dirpriv.release.settings import FileSettings
from dirpriv.tables import hints
from dirpriv.tables.reading import (
    BEYOND,
    NO_VALUE,
    PER_SECOND,
    UNREADABLE,
    YEARS,
    Cycle,
    Reading,
    degrees_in_sql,
    first_text,
    reading_of,
)
from dirpriv.tables.table import UNSAID, Table


class Times:
    """A column of times: ``expressions`` has what is read of each row, in SQL."""

    def __init__(self, table: Table, column: TimeCells, reading: Reading, zone: Any, missing: Any) -> None:
        self.column, self._table = column, table
        self.expressions = [reading.expression]
        self.has_numbers = reading.counted is not None
        self.dtype = np.dtype(np.uint16 if column.cells < 2**16 else np.uint32)
        self._reading, self._zone, self._missing = reading, zone, missing
        self._seconds = PERIODS[column.period]
        self._offset = 4 * 86_400 if reading.start == "1970" and column.period == "7d" else 0

    def cells(self, values: list[Array], first: int) -> Integers:
        """The cells of rows whose first has the number ``first``; ``NONE`` of rows without a value."""
        (ticks,), name, reading = values, self._table.shown(self.column.name), self._reading
        none, unreadable, beyond = (ticks == code for code in (NO_VALUE, UNREADABLE, BEYOND))
        if reading.doubles and reading.counted is not None:
            none = np.isnan(ticks)
            beyond = ~none & reading.counted.beyond(ticks, float(reading.counted.turn))
        _check_missing(name, none, first, self._missing)
        if unreadable.any():
            right = hints.column_hint(self._table, self.column.name)
            kind = f"is not {reading.what}: use one format in the whole column"
            _refuse(name, unreadable, first, f"{kind}, and {right or reading.hint or _EMPTY}")
        if reading.counted is not None:
            right = clock_units.RIGHT if self.column.period != TURN else "leave empty what stands for no heading"
            if beyond.any():
                more = hints.numbers_hint(self._table, self.column.name, reading.counted.unit)
                right = "; ".join(filter(None, [right, more]))
            _refuse(name, beyond, first, f"{reading.counted.rule}: {right}")
        there = np.where(none, 0, ticks)
        if reading.doubles and reading.counted is not None:
            cells = self.column.circle.index_numbers(there, reading.counted)
        else:
            seconds = there // PER_SECOND[reading.unit] if reading.unit != "s" else there
            if self._zone is not None:
                far = (seconds < YEARS[0]) | (seconds > YEARS[1])
                _refuse(name, far, first, "is not in the years 1 to 9999, in which zones are known")
            cells = self._cells_from_seconds(seconds)
        cells[none] = NONE
        return cells

    def _cells_from_seconds(self, seconds: Integers) -> Integers:
        """Cells of seconds since midnight, since Monday, or since 1970 began, on a Thursday."""
        if self._zone is not None:
            pandas: Any = importlib.import_module("pandas")
            stamps = pandas.DatetimeIndex(seconds.astype("datetime64[s]")).tz_localize("UTC")
            local = stamps.tz_convert(self._zone).tz_localize(None)
            seconds = local.to_numpy().astype("datetime64[s]").astype(np.int64)
        return np.asarray((seconds - self._offset) % self._seconds // self.column.ticks)


def readers_of(tables: Sequence[Table], column: ReadColumn, settings: FileSettings) -> list[Any]:
    """The readers of a column in files that are one table; of times its first text says what texts are."""
    if isinstance(column, TimeCells):
        first = functools.cache(lambda: first_text(tables, column.name))
        return [_times_of(table, first, column, settings) for table in tables]
    kind: Any = Places if isinstance(column, PlaceCells) else Items
    return [kind(table, column, settings.missing) for table in tables]


def _times_of(table: Table, first: Any, column: TimeCells, settings: FileSettings) -> Times:
    """The reader of a column of times, or an error where the zone, the format or the period do not fit it."""
    cycle, name = Cycle(column.kind, column.circle.period, PERIODS[column.period]), repr(column.name)
    zone, missing = settings.zone, settings.missing
    reading = reading_of(table, column.name, cycle, first, settings.time_format, settings.unit)
    if column.period == TURN:
        if reading.counted is None:
            rule = f"the column {name} contains no numbers"
            raise InvalidArgument(rule, hint="give headings in degrees, from 0 to 360")
        return Times(table, column, reading, None, missing)
    if column.period == "7d" and reading.start == "midnight":
        wrong = "without a date, which have no place in a week"
        hint = f"give timestamps, or {named('period')} '24h'"
    elif reading.zoned and zone is None:
        wrong = "of a time zone"
        hint = f"give {named('zone')}, such as 'Europe/Berlin', in whose local time they are released"
        if table.types[table.column(column.kind, column.name)] == UNSAID:
            wrong = "of which the file does not say whether they are in UTC"
            hint += f". If they are local times, give {named('zone', 'UTC')}, which leaves them as they are"
    elif not reading.zoned and zone is not None:
        wrong = f"without a zone, and {named('zone')} is {zone!r}"
        hint = "leave it out for local times, or write the times with Z or their offset"
    else:
        return Times(table, column, reading, _zone(zone) if reading.zoned else None, missing)
    raise InvalidArgument(f"the column {name} contains times {wrong}", hint=hint)


class Places:
    """Columns of degrees; the doubles of texts are off by 3e-9 m at most, where a release counts 1e-6 m."""

    dtype = np.dtype("2i4")

    def __init__(self, table: Table, column: PlaceCells, missing: Missing) -> None:
        self.column, self._table = column, table
        self._missing, self._outside, self._map = missing, column.outside, column.map
        self._read, self._inside = 0, False  # how many places, and whether one of them is within the reach
        pairs = zip(("latitude", "longitude"), column.names, strict=True)
        self.expressions = [degrees_in_sql(table, table.column(*pair)) for pair in pairs]

    def cells(self, values: list[Array], first: int) -> Integers:
        """The cells of rows, east and north; ``NONE`` of rows without a value. As of :class:`Times`."""
        missing = [np.isnan(degrees) for degrees in values]
        names = [self._table.shown(name) for name in self.column.names]
        each = zip(self.column.names, names, values, ((-90, 90), (-180, 360)), strict=True)
        for column, name, degrees, (least, most) in each:
            if np.isinf(degrees).any():
                right = hints.column_hint(self._table, column)
                right = _EMPTY if "time_format" in right else right or _EMPTY
                _refuse(name, np.isinf(degrees), first, f"is no number: give degrees with a point, and {right}")
            beyond, rule = (degrees < least) | (degrees > most), f"is not between {least} and {most}: "
            if beyond.any():
                usual = "give degrees, and latitudes apart from longitudes"
                rule += hints.places_hint(self._table, self.column.names) or usual
            _refuse(name, beyond, first, rule)
        rule = "has no value, and the other coordinate has one: give both"
        for name, none, other in zip(names, missing, missing[::-1], strict=True):
            _refuse(name, none & ~other, first, rule)
        _check_missing(names[0], missing[0], first, self._missing)
        latitude, longitude = (np.where(missing[0], 0.0, degrees) for degrees in values)
        none = missing[0]
        if self._outside == "ask" and not self._inside:
            self._read += int(np.count_nonzero(~none))
            self._inside = bool((~none & ~self._map.outside(latitude, longitude)).any())
        elif self._outside in ("stop", "keep"):
            beyond = self._map.outside(latitude, longitude) & ~none
            if self._outside == "stop":
                rule = f"{OUTSIDE}: {INSIDE_IS_SEEN}"
                if beyond.any() and hints.has_values(self._table, self.column.names, [0, 0]):
                    rule += f". {hints.none_hint(self._table, self.column.names, '0,0')}"
                _refuse(names[0], beyond, first, rule)
            none = none | beyond
        cells = np.stack(self._map.cells_of(latitude, longitude), axis=1)
        cells[none] = NO_PLACE
        return cells

    @staticmethod
    def check_inside(parts: Sequence[Any]) -> None:
        """Refuse files read whole, as by ``parts``, of two places or more, all of them beyond the reach."""
        places = [part for part in parts if isinstance(part, Places) and part._outside == "ask"]
        if sum(part._read for part in places) > 1 and not any(part._inside for part in places):
            border = named("outside", "clamp")
            hint = f"check signs and order of degrees. If the map is right, give {border}"
            rule = f"all places lie beyond the {named('region_reach')} of the {named('region_centre')}"
            raise InvalidArgument(rule, hint=hint)


class Items:
    """A column of items of a public list."""

    dtype = np.dtype(np.uint16)

    def __init__(self, table: Table, column: ItemColumn, missing: Missing) -> None:
        self.column, self._table, self._missing = column, table, missing
        self.expressions = [f"coalesce(trim(CAST({table.sql(table.column('item', column.name))} AS VARCHAR)), '')"]
        self._numbers = {text: number for number, text in enumerate(column.items)}
        self._occurs = np.zeros(column.cells, dtype=bool)

    def cells(self, values: list[Any], first: int) -> Integers:
        """The numbers of items in the list; ``NONE`` of rows without a value. As of :class:`Times`."""
        (texts,), name = values, self._table.shown(self.column.name)
        other = NONE if self.column.unknown is None else self.column.cells - 1
        numbers, none = np.array([self._numbers.get(text, other) for text in texts], dtype=np.intp), texts == ""
        _check_missing(name, none, first, self._missing)
        rule = f"is not on the list: check its spelling, or give {named('unknown', 'other')}, an item for all others"
        _refuse(name, (numbers < 0) & ~none, first, rule)
        self._occurs[numbers[~none]] = True
        numbers[none] = NONE
        return numbers

    @staticmethod
    def check_list(parts: Sequence[Any]) -> None:
        """Refuse a list of exactly the items that occur in files read whole, as by ``parts``."""
        readers = [part for part in parts if isinstance(part, Items)]
        occur = np.any([part._occurs for part in readers], axis=0)
        if readers and np.array_equal(np.flatnonzero(occur), np.arange(len(readers[0].column.items))):
            rule = "has exactly the items that occur, as if it were made from the data"
            hint = f"give a list that does not depend on the data, and {named('public_list', True)} if it is one"
            raise InvalidArgument("items", rule, hint=hint)


_EMPTY = f"leave the field empty where there is no value, with {named('missing', 'keep')}"


def _check_missing(name: str, none: Mask, first: int, missing: Missing) -> None:
    """Raise an error at the first row without a value, if that is to stop the release."""
    if missing == "stop":
        hint = f"leave the row out, or give {named('missing', 'keep')} (rows that are released show it)"
        _refuse(name, none, first, f"has no value: {hint}")


def _refuse(name: str, bad: Mask, first: int, rule: str) -> None:
    if bad.any():
        raise InvalidArgument(f"row {first + int(np.argmax(bad))} of {name} {rule}")


def _zone(zone: Any) -> str:
    try:
        if not isinstance(zone, str):
            raise ValueError
        zoneinfo.ZoneInfo(zone).utcoffset(datetime.datetime(2000, 1, 1))
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        raise InvalidArgument("zone", "must be the name of a time zone, such as 'Europe/Berlin'", got=zone) from None
    return zone
