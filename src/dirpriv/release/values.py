"""Values of a table as cells of their release, by integers; a row that is no such value is named, not shown.

Ticks of DuckDB and texts are rounded down to seconds. This changes no cell: cells of files are whole seconds
wide and begin at a whole second.
"""

import datetime
import importlib
import re
import zoneinfo
from typing import Any, NamedTuple

import numpy as np

from dirpriv._inputs import times
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.types import Array, Integers, Mask
from dirpriv.exact.cells import CircleCells
from dirpriv.release.document import PERIODS, PlaceColumns, TimeColumn
from dirpriv.release.requests import Missing
from dirpriv.release.tables import Table, literal

NONE = -1  # where a cell would be, of a row without a value
_NO_VALUE, _UNREADABLE, _BEYOND = (-(2**63) + code for code in (1, 2, 3))
_UNITS = {"TIMESTAMP": "us", "TIMESTAMP_S": "us", "TIMESTAMP_MS": "ms", "TIMESTAMP_NS": "ns"}
_INSTANTS = {"TIMESTAMP WITH TIME ZONE": "us", "TIMESTAMPTZ_NS": "ns"}
_CLOCKS = {"TIME": "us", "TIME_NS": "ns", "TIME WITH TIME ZONE": "us"}  # pandas writes TIME as one of zone 0
_TICKS = (_UNITS, "1970", False), (_INSTANTS, "1970", True), (_CLOCKS, "midnight", False)
_NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"}
_NUMBERS |= {"U" + name for name in _NUMBERS if name.endswith("INT")} | {"UINTEGER"}
# in seconds since 1970, without two days at each end, as the local time is another
_YEARS = -62_135_596_800 + 2 * 86_400, 253_402_300_799 - 2 * 86_400
_PER_SECOND = {"ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}


class _Reading(NamedTuple):
    """How a column of times is read."""

    expression: str  # of a row, in SQL
    start: str  # what it counts from: midnight, 1970, or 0 for numbers of hours
    zoned: bool = False
    unit: str = "s"
    what: str = "a time"
    circle: CircleCells | None = None  # for hours that are doubles


class Times:
    """A column of times: ``expressions`` has what is read of each row, in SQL."""

    def __init__(self, column: TimeColumn, reading: _Reading, zone: str | None, missing: Missing) -> None:
        self.column = column
        self.expressions = [reading.expression]
        self.as_hours = reading.start == "0"  # of numbers
        self.dtype = np.dtype(np.uint16 if column.cells < 2**16 else np.uint32)
        self._reading, self._zone, self._missing = reading, zone, missing
        self._seconds = PERIODS[column.period]
        self._offset = 4 * 86_400 if reading.start == "1970" and column.period == "7d" else 0

    def cells(self, values: list[Array], first: int) -> Integers:
        """The cells of rows whose first has the number ``first``; ``NONE`` of rows without a value."""
        (ticks,), name = values, repr(self.column.name)
        hours, circle, unit = self._seconds // 3600, self._reading.circle, self._reading.unit
        if circle is not None:
            none = np.isnan(ticks)
            beyond = ~none & ~((ticks >= 0.0) & (ticks <= hours))
            unreadable = np.zeros(len(ticks), dtype=bool)
        else:
            none, unreadable, beyond = (ticks == code for code in (_NO_VALUE, _UNREADABLE, _BEYOND))
        _check_missing(name, none, first, self._missing)
        kind = f"is not {self._reading.what}, as the first one is: give times of one kind"
        gap = f"leave the field empty where there is no value, with {named('missing', 'pass')}"
        _refuse(name, unreadable, first, f"{kind}, and {gap}")
        rule = f"is no number of hours from 0 to {hours}: divide minutes by 60, seconds by 3600"
        _refuse(name, beyond, first, rule)
        if circle is not None:
            cells = circle.of_times(np.where(none, 0.0, ticks))
        else:
            seconds = np.where(none, 0, ticks)
            seconds = seconds // _PER_SECOND[unit] if unit != "s" else seconds
            if self._zone is not None:
                far = (seconds < _YEARS[0]) | (seconds > _YEARS[1])
                _refuse(name, far, first, "is not in the years 1 to 9999, in which zones are known")
            cells = self._of_seconds(seconds)
        cells[none] = NONE
        return cells

    def _of_seconds(self, seconds: Integers) -> Integers:
        """Cells of seconds since midnight, since Monday, or since 1970 began, on a Thursday."""
        if self._zone is not None:
            pandas: Any = importlib.import_module("pandas")
            stamps = pandas.DatetimeIndex(seconds.astype("datetime64[s]")).tz_localize("UTC")
            local = stamps.tz_convert(self._zone).tz_localize(None)
            seconds = local.to_numpy().astype("datetime64[s]").astype(np.int64)
        return np.asarray((seconds - self._offset) % self._seconds // self.column.seconds)


def times_of(table: Table, column: TimeColumn, zone: Any, time_format: Any, missing: Missing) -> Times:
    """The reader of a column of times, or an error where the zone, the format or the period do not fit it."""
    place, name = table.column("time", column.name), repr(column.name)
    sql, kind = table.sql(place), table.types[place]
    is_text = kind == "VARCHAR" or kind.startswith("ENUM")
    if time_format is not None:
        reading = _of_format(table, name, sql, is_text, time_format)
    elif is_text or kind.startswith("DECIMAL"):
        text = f"CAST({sql} AS VARCHAR)"
        reading = _of_texts(table, name, f"trim({text})" if is_text else text, PERIODS[column.period])
    else:
        reading = _of_type(column, sql, kind)
    wrong = ""
    if column.period == "7d" and reading.start == "midnight":
        wrong = "without a date, which have no place in a week"
        remedy = f"give timestamps, or {named('period')} '24h'"
    elif reading.zoned and zone is None:
        wrong = "of a time zone"
        remedy = f"give {named('zone')}, such as 'Europe/Berlin', in whose local time they are released"
    elif not reading.zoned and zone is not None:
        wrong = f"without a zone, and {named('zone')} is {zone!r}"
        remedy = "leave it out for local times, or write the times with Z or their offset"
    if wrong:
        raise InvalidArgument(f"the column {name} holds times {wrong}", remedy=remedy)
    return Times(column, reading, _zone(zone) if reading.zoned else None, missing)


def _of_type(column: TimeColumn, sql: str, kind: str) -> _Reading:
    """Of timestamps, times of day and numbers."""
    for units, start, zoned in _TICKS:
        if kind in units:
            unit = units[kind]
            ticks = f"coalesce(epoch_{unit}({sql}), {_UNREADABLE})"
            return _Reading(f"CASE WHEN {sql} IS NULL THEN {_NO_VALUE} ELSE {ticks} END", start, zoned, unit)
    if kind in _NUMBERS:
        expression = f"coalesce(CAST({sql} AS DOUBLE), 'nan'::DOUBLE)"
        return _Reading(expression, "0", circle=column.release()._circle)
    if kind == "DATE":
        what, remedy = "dates without a time of day", "give the one with times"
    else:
        what = f"no times, but values of the type {kind}"
        remedy = "give timestamps, times, hours as numbers, or texts"
    raise InvalidArgument(f"the column {column.name!r} holds {what}", remedy=remedy)


def _of_texts(table: Table, name: str, text: str, seconds: int) -> _Reading:
    """As of the first text of the column."""
    found = table.query(
        f"SELECT x FROM (SELECT {text} AS x FROM {table.scan()}) WHERE x IS NOT NULL AND x <> '' LIMIT 1"
    )
    kind = times.kind_of_text(found[0][0] if found else "00:00")
    if kind is None:
        raise InvalidArgument(
            f"the first value of the column {name} is no time",
            remedy="give texts such as '08:15', '08:15:30' or '2012-04-03T18:00:09', or hours as numbers "
            f"(divide seconds by 3600), or a {named('time_format')} such as '%d.%m.%Y %H:%M'",
        )
    pattern, what, start, zoned = times.TEXTS[kind]
    whole = "CASE WHEN contains(x, '.') THEN regexp_replace(x, '\\.[0-9]+', '') ELSE x END"
    if kind == "hours":
        # ⌊3600 · digits / 10^20⌋, in integers of 128 bits
        digits = f"rpad(split_part(x, '.', 2), {times.DIGITS}, '0')"
        number = f"CAST(split_part(x, '.', 1) || {digits} AS HUGEINT)"
        scale = f"CAST(1{'0' * times.DIGITS} AS HUGEINT)"
        # hours that doubles write with an exponent are less than a second
        read = f"CASE WHEN contains(lower(x), 'e') THEN 0 WHEN {number} > {seconds // 3600} * {scale} "
        read += f"THEN {_BEYOND} ELSE CAST({number} * 3600 // {scale} AS BIGINT) END"
    else:
        type_ = {"clock": "TIME", "stamp": "TIMESTAMP", "instant": "TIMESTAMPTZ"}[kind]
        if kind != "clock":  # with seconds, which older versions of DuckDB need before an offset
            with_seconds = "left(x, 16) || ':00' || substr(x, 17)"
            whole = f"CASE WHEN substr(x, 17, 1) = ':' THEN {whole} ELSE {with_seconds} END"
        read = f"epoch_us(TRY_CAST({whole} AS {type_}))"
    case = (
        f"CASE WHEN x IS NULL OR x = '' THEN {_NO_VALUE} "
        f"WHEN regexp_full_match(x, {literal(pattern)}) THEN coalesce({read}, {_UNREADABLE}) "
        f"ELSE {_UNREADABLE} END"
    )
    return _Reading(_with_x(text, case), start, zoned, "s" if kind == "hours" else "us", what)


def _of_format(table: Table, name: str, sql: str, is_text: bool, time_format: Any) -> _Reading:
    codes: set[str] = set()
    if isinstance(time_format, str):
        codes = set(re.findall(r"%-?([A-Za-z])", time_format.replace("%%", "")))
    clock = codes & {"H", "c", "X"} or codes >= {"I", "p"}
    if not is_text or not clock:
        raise InvalidArgument(
            "time_format",
            "must be a format of strptime with an hour, such as '%d.%m.%Y %H:%M' or '%I:%M %p', for a "
            f"column of texts; got {time_format!r}"
            + ("" if is_text else f" for {name}, which holds no texts"),
        )
    unit = "ns" if "n" in codes else "us"
    parsed = f"epoch_{unit}(TRY_STRPTIME(x, {literal(time_format)}))"
    try:
        table.query(f"SELECT {_with_x(chr(39) * 2, parsed)}")
    except ValueError:
        raise InvalidArgument("time_format", "must be a format of strptime", got=time_format) from None
    case = f"CASE WHEN x IS NULL OR x = '' THEN {_NO_VALUE} ELSE coalesce({parsed}, {_UNREADABLE}) END"
    dated = bool(codes & {"c", "x"} or codes >= {"d"} or "j" in codes)
    return _Reading(
        _with_x(f"trim(CAST({sql} AS VARCHAR))", case),
        "1970" if dated else "midnight",
        bool(codes & {"z", "Z"}),
        unit,
        f"a text of the {named('time_format')}",
    )


class Places:
    """Columns of degrees; the doubles of texts are off by 3e-9 m at most, where a release counts 1e-6 m."""

    dtype = np.dtype("2i4")

    def __init__(self, table: Table, column: PlaceColumns, *, missing: Missing) -> None:
        self.column = column
        self._missing, self._release = missing, column.release()
        self.expressions = []
        for argument, name in zip(("latitude", "longitude"), column.names, strict=True):
            place = table.column(argument, name)
            sql, kind = table.sql(place), table.types[place]
            if kind == "VARCHAR":
                number = "coalesce(nullif(TRY_CAST(x AS DOUBLE), 'nan'::DOUBLE), 'infinity'::DOUBLE)"
                case = f"CASE WHEN x IS NULL OR x = '' THEN 'nan'::DOUBLE ELSE {number} END"
                self.expressions.append(_with_x(f"trim({sql})", case))
            elif kind in _NUMBERS or kind.startswith("DECIMAL"):
                self.expressions.append(f"coalesce(CAST({sql} AS DOUBLE), 'nan'::DOUBLE)")
            else:
                rule = f"the column {name!r} holds no degrees, but values of the type {kind}"
                raise InvalidArgument(rule, remedy="give numbers")

    def cells(self, values: list[Array], first: int) -> Integers:
        """The cells of rows, east and north; ``NONE`` of rows without a value. As of :class:`Times`."""
        missing = [np.isnan(degrees) for degrees in values]
        names = self.column.names
        rule = "has no value, and the other coordinate has one: give both"
        for name, none, other in zip(names, missing, missing[::-1], strict=True):
            _refuse(repr(name), none & ~other, first, rule)
        _check_missing(repr(names[0]), missing[0], first, self._missing)
        for name, degrees, least, most in zip(names, values, (-90, -180), (90, 360), strict=True):
            _refuse(repr(name), np.isinf(degrees), first, "is no number: give degrees with a point")
            rule = f"is not between {least} and {most}: give degrees, and latitudes apart from longitudes"
            _refuse(repr(name), (degrees < least) | (degrees > most), first, rule)
        latitude, longitude = (np.where(missing[0], 0.0, degrees) for degrees in values)
        cells = np.stack(self._release.cells_of(latitude, longitude), axis=1)
        cells[missing[0]] = NO_PLACE
        return cells


NO_PLACE = np.iinfo(np.int32).min


def _check_missing(name: str, none: Mask, first: int, missing: Missing) -> None:
    """Raise an error at the first row without a value, if that is to stop the release."""
    if missing == "stop":
        remedy = f"has no value: leave the row out, or give {named('missing', 'pass')} and show who has none"
        _refuse(name, none, first, remedy)


def _refuse(name: str, bad: Mask, first: int, rule: str) -> None:
    if bad.any():
        raise InvalidArgument(f"row {first + int(np.argmax(bad))} of {name} {rule}")


def _with_x(value: str, expression: str) -> str:
    """An expression of x, for x the value: computed once."""
    return f"list_transform([{value}], lambda x: {expression})[1]"


def _zone(zone: Any) -> str:
    try:
        if not isinstance(zone, str):
            raise ValueError
        zoneinfo.ZoneInfo(zone).utcoffset(datetime.datetime(2000, 1, 1))
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        rule = "must be the name of a time zone, such as 'Europe/Berlin'"
        raise InvalidArgument("zone", rule, got=zone) from None
    return zone
