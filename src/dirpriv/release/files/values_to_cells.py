"""Values of a table as cells of their release, by integers; a row that is no such value is named, not shown.

Ticks of DuckDB and texts are rounded down to seconds. This changes no cell: cells of files are whole seconds
wide and begin at a whole second.
"""

import datetime
import functools
import importlib
import re
import zoneinfo
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dirpriv._inputs import clock_units, times
from dirpriv._inputs.clock_units import Count
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.types import Array, Integers, Mask, Missing
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.release.files import hints
from dirpriv.release.files.tables import Table, literal
from dirpriv.release.guarantee.column_cells import PERIODS, PlaceCells, TimeCells
from dirpriv.release.guarantee.columns import ItemColumn
from dirpriv.release.release_arguments import INSIDE_IS_SEEN, NO_PLACE, NONE, OUTSIDE, TURN

_NO_VALUE, _UNREADABLE, _BEYOND = (-(2**63) + code for code in (1, 2, 3))
_UNITS = {"TIMESTAMP": "us", "TIMESTAMP_S": "us", "TIMESTAMP_MS": "ms", "TIMESTAMP_NS": "ns"}
_INSTANTS = {"TIMESTAMP WITH TIME ZONE": "us", "TIMESTAMPTZ_NS": "ns", hints.UNSAID: "us"}
_CLOCKS = {"TIME": "us", "TIME_NS": "ns", "TIME WITH TIME ZONE": "us"}  # pandas writes TIME as one of zone 0
_TICKS = (_UNITS, "1970", False), (_INSTANTS, "1970", True), (_CLOCKS, "midnight", False)
_NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"}
_NUMBERS |= {"U" + name for name in _NUMBERS if name.endswith("INT")} | {"UINTEGER"}
# in seconds since 1970, without two days at each end, as the local time is another
_YEARS = -62_135_596_800 + 2 * 86_400, 253_402_300_799 - 2 * 86_400
_PER_SECOND = {"ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}
# by unit, where in the page it is said what numbers beyond it may be
_BEYOND_UNIT = {"day": "dates-of-a-spreadsheet", "deg": "negative-headings"}
_BEYOND_UNIT |= dict.fromkeys(clock_units.EPOCHS, "microseconds")
# texts that are numbers of degrees
_DEGREES = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
# what in a format says UTC beside its codes, and the names of zones that %Z reads: letters such as BST or CST
# are the names of several zones, and CET is an hour off in summer
_UTC = r"(?<![a-z])(z|zulu|utc?|uct|gmt|greenwich|universal)(?![a-z]|\W*[+\u2212-]\W?[\d:.]*[1-9])"
_UTC += r"|[+\xb1]00?(:?00)*(?![\d:])|-00:?00\W*$"
_NAMES = r"\b(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|"
_NAMES += r"Mexico|Pacific|US)(/[A-Za-z0-9_+-]+)+|\bGMT\b"


class _Reading(NamedTuple):
    """How a column of times is read."""

    expression: str  # of a row, in SQL
    start: str  # what it counts from: midnight, 1970, or 0 for numbers
    zoned: bool = False
    unit: str = "s"
    what: str = "a time"
    counted: Count | None = None  # of numbers
    circle: CircleCells | None = None  # whose cells doubles become
    hint: str = ""  # for texts that are not read


class Times:
    """A column of times: ``expressions`` has what is read of each row, in SQL."""

    def __init__(self, table: Table, column: TimeCells, reading: _Reading, zone: Any, missing: Any) -> None:
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
        none, unreadable, beyond = (ticks == code for code in (_NO_VALUE, _UNREADABLE, _BEYOND))
        if reading.circle is not None and reading.counted is not None:
            none = np.isnan(ticks)
            beyond = ~none & reading.counted.beyond(ticks, float(reading.counted.turn))
        _check_missing(name, none, first, self._missing)
        if unreadable.any():
            right = _right(self._table, self.column.name, f"{self.expressions[0]} = {_UNREADABLE}")
            kind = f"is not {reading.what}: use one format in the whole column"
            _refuse(name, unreadable, first, f"{kind}, and {right or reading.hint or _EMPTY}")
        if reading.counted is not None:
            right = clock_units.RIGHT if self.column.period != TURN else "leave empty what stands for no heading"
            page = f"{hints.PAGE}#{_BEYOND_UNIT.get(reading.counted.unit, 'clocks-without-a-colon')}"
            _refuse(name, beyond, first, f"{reading.counted.rule}: {right}; see {page}")
        there = np.where(none, 0, ticks)
        if reading.circle is not None and reading.counted is not None:
            cells = reading.circle.index_numbers(there, reading.counted)
        else:
            seconds = there // _PER_SECOND[reading.unit] if reading.unit != "s" else there
            if self._zone is not None:
                far = (seconds < _YEARS[0]) | (seconds > _YEARS[1])
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


def times_of(tables: Sequence[Table], column: TimeCells, *how: Any) -> list[Times]:
    """The readers of a column of times in files that are one table; its first text says what texts are."""
    first = functools.cache(lambda: _first(tables, column.name))
    return [_times_of(table, first, column, *how) for table in tables]


def _times_of(
    table: Table, first: Any, column: TimeCells, zone: Any, time_format: Any, unit: Any, missing: Missing
) -> Times:
    """The reader of a column of times, or an error where the zone, the format or the period do not fit it."""
    place, name = table.column(column.kind, column.name), repr(column.name)
    sql, kind = table.sql(place), table.types[place]
    is_text = kind == "VARCHAR" or kind.startswith("ENUM")
    if time_format is not None and column.period != TURN:
        reading = _format_reading(table, name, sql, is_text, time_format)
    elif is_text or kind.startswith("DECIMAL"):
        text = f"CAST({sql} AS VARCHAR)"
        reading = _text_reading(table, column, f"trim({text})" if is_text else text, unit, first())
    else:
        reading = _type_reading(column, sql, kind, unit)
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
        if kind == hints.UNSAID:
            wrong = "of which the file does not say whether they are in UTC"
            hint += f". If they are local times, give {named('zone', 'UTC')}, which leaves them as they are"
    elif not reading.zoned and zone is not None:
        wrong = f"without a zone, and {named('zone')} is {zone!r}"
        hint = "leave it out for local times, or write the times with Z or their offset"
    else:
        return Times(table, column, reading, _zone(zone) if reading.zoned else None, missing)
    raise InvalidArgument(f"the column {name} contains times {wrong}", hint=hint)


def needed(table: Table, name: str, unit: Any) -> dict[str, str]:
    """Options that a column of times cannot be read without, from its type or its first text."""
    kind = table.types[table.column("time", name)]
    if kind == "VARCHAR":
        text = _first([table], name) or ""
        kind = times.kind_of_text(text) or ""
        formats = [] if kind else hints.texts_hint(table, table.column("time", name), text)[1]
        if formats:
            form = formats[0] if len(formats) == 1 else "FORMAT"
            return {"time_format": form} | ({"zone": "ZONE"} if _is_zoned(form) else {})
    zone = {"zone": "ZONE"}
    if kind == "number" or kind in _NUMBERS or kind.startswith("DECIMAL"):
        return {"unit": "UNIT"} | (zone if unit in clock_units.EPOCHS else {})
    return zone if kind == "instant" or kind in _INSTANTS else {}


def _first(tables: Sequence[Table], name: str) -> str | None:
    """The first text of a column that is not empty."""
    for table in tables:
        text = f"trim(CAST({table.sql(table.column('time', name))} AS VARCHAR))"
        inner = f"SELECT {text} AS x FROM {table.scan()}"
        if rows := table.query(f"SELECT x FROM ({inner}) WHERE x IS NOT NULL AND x <> '' LIMIT 1"):
            return str(rows[0][0])
    return None


def _type_reading(column: TimeCells, sql: str, kind: str, unit: Any) -> _Reading:
    """Of timestamps, times of day and numbers."""
    for units, start, zoned in _TICKS:
        if kind in units:
            unit = units[kind]
            ticks = f"coalesce(epoch_{unit}({sql}), {_UNREADABLE})"
            return _Reading(f"CASE WHEN {sql} IS NULL THEN {_NO_VALUE} ELSE {ticks} END", start, zoned, unit)
    if kind in _NUMBERS:
        counted = _counted(column, unit)
        if counted.unit in clock_units.EPOCHS:
            none = f"{sql} IS NULL" + (f" OR isnan({sql})" if kind in ("FLOAT", "DOUBLE") else "")
            return _epoch_reading(f"CASE WHEN {none} THEN {_NO_VALUE} ELSE %s END", sql, counted)
        expression = f"coalesce(CAST({sql} AS DOUBLE), 'nan'::DOUBLE)"
        return _Reading(expression, "0", counted=counted, circle=column.circle)
    if kind == "DATE":
        what, hint = "dates without a time of day", "use the column that has the times"
    else:
        what = f"values of the type {kind.partition('(')[0]}, which are not times"
        hint = "give timestamps, times, numbers, or texts"
    raise InvalidArgument(f"the column {column.name!r} contains {what}", hint=hint)


def _counted(column: TimeCells, unit: Any) -> Count:
    """What the numbers of a column count, which is said by the caller, or by the door of headings."""
    unit = "deg" if column.period == TURN else unit
    clock_units.refuse_none(f"the column {column.name!r}", unit, True)
    return clock_units.count(unit, column.circle.period)


def _epoch_reading(case: str, number: str, counted: Count) -> _Reading:
    """Of whole seconds or milliseconds since 1970; ``case`` has a place for what is read of a number."""
    unit, least, most = clock_units.EPOCHS[counted.unit]
    read = f"{number} BETWEEN {least} AND {most} OR {number} BETWEEN {-most} AND {-least}"
    seconds = f"CASE WHEN {read} THEN CAST(floor({number}) AS BIGINT) ELSE {_BEYOND} END"
    return _Reading(case % seconds, "1970", True, unit, "a number", counted)


def _text_reading(table: Table, column: TimeCells, text: str, unit: Any, first: str | None) -> _Reading:
    """As of ``first``, the first text of the column."""
    name = repr(column.name)
    kind = times.kind_of_text(first or ("00:00" if unit is None else "0"))
    if kind is None:
        place = table.column(column.kind, column.name)
        usual = "give texts such as '08:15', '08:15:30' or '2012-04-03T18:00:09', or numbers, or a "
        usual += f"{named('time_format')} such as '%d.%m.%Y %H:%M' ({hints.PAGE} has lines for other forms)"
        hint = hints.times_hint(table, place, first or "") or usual
        raise InvalidArgument(f"the first value of the column {name} is not a {column.kind}", hint=hint)
    pattern, what, start, zoned = times.TEXTS[kind]
    case = f"CASE WHEN x IS NULL OR x = '' THEN {_NO_VALUE} WHEN regexp_full_match(x, {literal(pattern)}) "
    case += f"THEN %s ELSE {_UNREADABLE} END"
    if kind == "number":
        counted, number = _counted(column, unit), f"CAST(x AS DECIMAL(38, {times.DIGITS}))"
        if counted.unit in clock_units.EPOCHS:
            reading = _epoch_reading(case, number, counted)
            return reading._replace(expression=_with_x(text, reading.expression), what=what)
        # exactly, as no double is
        turn, ticks = float(counted.turn), PERIODS[column.period] / counted.turn
        # what is negative by less than a DECIMAL has is 0 in it
        within = f"NOT regexp_matches(x, '^-[0.]*[1-9]') AND {number} BETWEEN 0 AND {turn:g}"
        if counted.bins:
            within += f" AND {number} < {turn:g} AND floor({number}) = {number}"
        sums = f"{number} * {int(ticks)} + {float(counted.later * ticks)}"
        read = f"CASE WHEN {within} THEN CAST(floor({sums}) AS BIGINT) ELSE {_BEYOND} END"
        return _Reading(_with_x(text, case % read), start, what=what, counted=counted)
    whole = "CASE WHEN contains(x, '.') THEN regexp_replace(x, '\\.[0-9]+', '') ELSE x END"
    type_ = {"clock": "TIME", "stamp": "TIMESTAMP", "instant": "TIMESTAMPTZ"}[kind]
    if kind != "clock":  # with seconds, which older versions of DuckDB need before an offset, and no space
        with_seconds = "left(x, 16) || ':00' || substr(x, 17)"
        whole = f"CASE WHEN substr(x, 17, 1) = ':' THEN {whole} ELSE {with_seconds} END"
    if kind == "instant":
        whole = f"left({whole}, 10) || 'T' || replace(substr({whole}, 12), ' ', '')"
    read = f"coalesce(epoch_us(TRY_CAST({whole} AS {type_})), {_UNREADABLE})"
    return _Reading(_with_x(text, case % read), start, zoned, "us", what)


def _format_reading(table: Table, name: str, sql: str, is_text: bool, time_format: Any) -> _Reading:
    form = time_format if isinstance(time_format, str) else ""
    codes = set(re.findall(r"%-?([A-Za-z])", form.replace("%%", "")))
    if not is_text or not (codes & {"H", "c", "X"} or codes >= {"I", "p"}):
        rule = "must be a format of strptime with an hour, such as '%d.%m.%Y %H:%M' or '%I:%M %p', for a "
        rule += f"column of texts; got {time_format!r}"
        rule += "" if is_text else f" for {name}, which contains no texts"
        raise InvalidArgument("time_format", rule)
    unit = "ns" if "n" in codes else "us"
    parsed, least = f"epoch_{unit}(TRY_STRPTIME(x, {literal(time_format)}))", _YEARS[0] + 99 * 31_556_952
    if unit == "us":  # DuckDB reads 24 by %Y, as the year 24
        parsed = f"nullif(greatest({parsed}, {least * 10**6}), {least * 10**6})"
    try:
        table.query(f"SELECT {_with_x(chr(39) * 2, parsed)}")
    except ValueError:
        raise InvalidArgument("time_format", "must be a format of strptime", got=time_format) from None
    hint = ""
    if "Z" in codes:
        # what stands for %Z is UTC, or becomes it
        plain = literal(re.sub("%-?Z", "UTC", form))
        utc = f"TRY_STRPTIME(regexp_replace(x, {literal(_NAMES)}, 'UTC'), {plain}) IS NOT NULL"
        parsed = f"CASE WHEN {utc} THEN {parsed} END"
        hint = "note that %Z reads UTC, GMT and names such as Europe/Berlin only, as BST is the name of "
        hint += f"several zones: write offsets, for %z. {hints.PAGE} says what else can be done"
    case = f"CASE WHEN x IS NULL OR x = '' THEN {_NO_VALUE} ELSE coalesce({parsed}, {_UNREADABLE}) END"
    month, week = codes & {"m", "b", "B"}, codes & {"U", "W"}
    day = "j" in codes or (month and "d" in codes) or (week and "w" in codes)  # DuckDB reads no %a
    dated = bool(codes & {"c", "x"} or (codes & {"Y", "y"} and day) or codes >= {"G", "V", "u"})
    zoned, text = _is_zoned(form), f"trim(CAST({sql} AS VARCHAR))"
    if zoned and not dated:
        rule = "has a zone and no full date, without which no local time is known"
        raise InvalidArgument("time_format", rule, got=time_format)
    start, what = "1970" if dated else "midnight", f"a text of the {named('time_format')}"
    return _Reading(_with_x(text, case), start, zoned, unit, what, hint=hint)


def _is_zoned(form: str) -> bool:
    """Whether times of a format have a zone: by its codes, or UTC by the text between them."""
    codes, text = form.replace("%%", ""), re.sub("%-?.", " ", form)
    return bool(re.search("%-?[zZ]", codes) or re.search(_UTC, text, re.I))


class Places:
    """Columns of degrees; the doubles of texts are off by 3e-9 m at most, where a release counts 1e-6 m."""

    dtype = np.dtype("2i4")

    def __init__(self, table: Table, column: PlaceCells, *, missing: Missing) -> None:
        self.column, self._table = column, table
        self._missing, self._outside, self._map = missing, column.outside, column.map
        self._read, self._inside = 0, False  # how many places, and whether one of them is within the reach
        self.expressions = []
        for argument, name in zip(("latitude", "longitude"), column.names, strict=True):
            place = table.column(argument, name)
            sql, kind = table.sql(place), table.types[place]
            if kind == "VARCHAR":
                read = f"CASE WHEN regexp_full_match(x, '{_DEGREES}') THEN TRY_CAST(x AS DOUBLE) END"
                number = f"coalesce({read}, 'infinity'::DOUBLE)"
                case = f"CASE WHEN x IS NULL OR x = '' THEN 'nan'::DOUBLE ELSE {number} END"
                self.expressions.append(_with_x(f"trim({sql})", case))
            elif kind in _NUMBERS or kind.startswith("DECIMAL"):
                self.expressions.append(f"coalesce(CAST({sql} AS DOUBLE), 'nan'::DOUBLE)")
            else:
                kind = kind.partition("(")[0]
                rule = f"the column {name!r} contains no degrees, but values of the type {kind}"
                raise InvalidArgument(rule, hint="give numbers")

    def cells(self, values: list[Array], first: int) -> Integers:
        """The cells of rows, east and north; ``NONE`` of rows without a value. As of :class:`Times`."""
        missing = [np.isnan(degrees) for degrees in values]
        names = [self._table.shown(name) for name in self.column.names]
        each = zip(self.column.names, names, values, ((-90, 90), (-180, 360)), strict=True)
        for i, (column, name, degrees, (least, most)) in enumerate(each):
            if np.isinf(degrees).any():
                right = _right(self._table, column, f"isinf({self.expressions[i]})")
                right = _EMPTY if "time_format" in right else right or _EMPTY
                _refuse(name, np.isinf(degrees), first, f"is no number: give degrees with a point, and {right}")
            rule = f"is not between {least} and {most}: give degrees, and latitudes apart from longitudes; "
            rule += f"of degrees times 10^7 see {hints.PAGE}#degrees-e7"
            _refuse(name, (degrees < least) | (degrees > most), first, rule)
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
                rule = f"{OUTSIDE}: {INSIDE_IS_SEEN}. Of rows at (0, 0) see {hints.PAGE}#no-fix"
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

    def __init__(self, table: Table, column: ItemColumn, *, missing: Missing) -> None:
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


def _right(table: Table, name: str, unread: str) -> str:
    """What to do about the texts that are not read; empty if that is not known."""
    place = table.column("column", name)
    text = f"lower(trim(CAST({table.sql(place)} AS VARCHAR)))"
    query = f"SELECT bool_and({text} IN {hints.NO_VALUE}) FROM {table.scan()} WHERE {unread}"
    if table.query(query)[0][0]:
        return f"{_EMPTY}, as by {hints.table_line('no-value', table, name)}"
    return hints.times_hint(table, place, _first([table], name) or "")


def _check_missing(name: str, none: Mask, first: int, missing: Missing) -> None:
    """Raise an error at the first row without a value, if that is to stop the release."""
    if missing == "stop":
        hint = f"leave the row out, or give {named('missing', 'keep')} (rows that are released show it)"
        _refuse(name, none, first, f"has no value: {hint}")


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
        raise InvalidArgument("zone", "must be the name of a time zone, such as 'Europe/Berlin'", got=zone) from None
    return zone
