"""How a column is read: the SQL that makes numbers of its values, by its type or the form of its texts.

A value of another form is a code in its row, so that the caller can name the row.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dirpriv._inputs import clock_units, times
from dirpriv._inputs.clock_units import Count
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv.tables import hints
from dirpriv.tables.forms import NUMBERS, codes_of, is_dated, is_zoned, ticks_of, typed_text
from dirpriv.tables.sql import literal, with_x
from dirpriv.tables.table import UNSAID, Table

NO_VALUE, UNREADABLE, BEYOND = (-(2**63) + code for code in (1, 2, 3))
_UNITS = {"TIMESTAMP": "us", "TIMESTAMP_S": "us", "TIMESTAMP_MS": "ms", "TIMESTAMP_NS": "ns"}
_INSTANTS = {"TIMESTAMP WITH TIME ZONE": "us", "TIMESTAMPTZ_NS": "ns", UNSAID: "us"}
_CLOCKS = {"TIME": "us", "TIME_NS": "ns", "TIME WITH TIME ZONE": "us"}  # pandas writes TIME as one of zone 0
# in seconds since 1970, without two days at each end, as the local time is another
YEARS = -62_135_596_800 + 2 * 86_400, 253_402_300_799 - 2 * 86_400
PER_SECOND = {"ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}
# texts that are numbers of degrees
_DEGREES = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"


class Cycle(NamedTuple):
    """What the values of a column run through: a day, a week, or a turn of headings."""

    kind: str  # "time" or "heading"
    length: Fraction  # in hours or degrees
    ticks: int  # in it: seconds, or thousandths of a degree


class Reading(NamedTuple):
    """How a column of times is read."""

    expression: str  # of a row, in SQL
    start: str  # what it counts from: midnight, 1970, or 0 for numbers
    zoned: bool = False
    unit: str = "s"
    what: str = "a time"
    counted: Count | None = None  # of numbers
    doubles: bool = False  # whether the numbers are as they are
    hint: str = ""  # for texts that are not read


def reading_of(table: Table, name: str, cycle: Cycle, first: Any, time_format: Any, unit: Any) -> Reading:
    """How a column of times or headings is read; ``first()`` is its first text."""
    place = table.column(cycle.kind, name)
    sql, kind = table.sql(place), table.types[place]
    is_text = kind == "VARCHAR" or kind.startswith("ENUM")
    if time_format is not None and cycle.kind == "time":
        return _format_reading(table, repr(name), sql, is_text, time_format)
    if is_text or kind.startswith("DECIMAL"):
        text = f"CAST({sql} AS VARCHAR)"
        return _text_reading(table, place, cycle, f"trim({text})" if is_text else text, unit, first())
    return _type_reading(name, cycle, sql, kind, unit)


def degrees_in_sql(table: Table, place: int) -> str:
    """Degrees of a column in SQL: NaN where there is no value, and infinity where it is no number."""
    sql, kind = table.sql(place), table.types[place]
    if kind == "VARCHAR":
        read = f"CASE WHEN regexp_full_match(x, '{_DEGREES}') THEN TRY_CAST(x AS DOUBLE) END"
        number = f"coalesce({read}, 'infinity'::DOUBLE)"
        return with_x(f"trim({sql})", f"CASE WHEN x IS NULL OR x = '' THEN 'nan'::DOUBLE ELSE {number} END")
    if kind in NUMBERS or kind.startswith("DECIMAL"):
        return f"coalesce(CAST({sql} AS DOUBLE), 'nan'::DOUBLE)"
    rule = f"the column {table.names[place]!r} contains no degrees, but values of the type {kind.partition('(')[0]}"
    raise InvalidArgument(rule, hint="give numbers")


def needed_options(table: Table, name: str, unit: Any) -> dict[str, str]:
    """Options that a column of times cannot be read without, from its type or its first text."""
    kind = table.types[table.column("time", name)]
    if kind == "VARCHAR":
        kind = times.kind_of_text(first_text([table], name) or "") or ""
        if formats := [] if kind else hints.formats_of(*hints.profiles_of(table, name)):
            form = formats[0] if len(formats) == 1 else "FORMAT"
            return {"time_format": form} | ({"zone": "ZONE"} if is_zoned(form) else {})
    zone = {"zone": "ZONE"}
    if kind == "number" or kind in NUMBERS or kind.startswith("DECIMAL"):
        return {"unit": "UNIT"} | (zone if unit in clock_units.EPOCHS else {})
    return zone if kind == "instant" or kind in _INSTANTS else {}


def first_text(tables: Sequence[Table], name: str) -> str | None:
    """The first text of a column that is not empty."""
    for table in tables:
        text = f"trim(CAST({table.sql(table.column('time', name))} AS VARCHAR))"
        inner = f"SELECT {text} AS x FROM {table.scan()}"
        if rows := table.query(f"SELECT x FROM ({inner}) WHERE x IS NOT NULL AND x <> '' LIMIT 1"):
            return str(rows[0][0])
    return None


def _type_reading(name: str, cycle: Cycle, sql: str, kind: str, unit: Any) -> Reading:
    """Of timestamps, times of day and numbers."""
    for units, start, zoned in ((_UNITS, "1970", False), (_INSTANTS, "1970", True), (_CLOCKS, "midnight", False)):
        if kind in units:
            unit = units[kind]
            ticks = f"coalesce(epoch_{unit}({sql}), {UNREADABLE})"
            return Reading(f"CASE WHEN {sql} IS NULL THEN {NO_VALUE} ELSE {ticks} END", start, zoned, unit)
    if kind in NUMBERS:
        counted = _counted(name, cycle, unit)
        if counted.unit in clock_units.EPOCHS:
            none = f"{sql} IS NULL" + (f" OR isnan({sql})" if kind in ("FLOAT", "DOUBLE") else "")
            return _epoch_reading(f"CASE WHEN {none} THEN {NO_VALUE} ELSE %s END", sql, counted)
        expression = f"coalesce(CAST({sql} AS DOUBLE), 'nan'::DOUBLE)"
        return Reading(expression, "0", counted=counted, doubles=True)
    if kind == "DATE":
        what, hint = "dates without a time of day", "use the column that has the times"
    else:
        what = f"values of the type {kind.partition('(')[0]}, which are not times"
        hint = "give timestamps, times, numbers, or texts"
    raise InvalidArgument(f"the column {name!r} contains {what}", hint=hint)


def _counted(name: str, cycle: Cycle, unit: Any) -> Count:
    """What the numbers of a column count, which is said by the caller, or by the door of headings."""
    unit = "deg" if cycle.kind == "heading" else unit
    clock_units.refuse_none(f"the column {name!r}", unit, True)
    return clock_units.count(unit, cycle.length)


def _epoch_reading(case: str, number: str, counted: Count) -> Reading:
    """Of whole seconds or milliseconds since 1970; ``case`` has a place for what is read of a number."""
    unit, least, most = clock_units.EPOCHS[counted.unit]
    read = f"{number} BETWEEN {least} AND {most} OR {number} BETWEEN {-most} AND {-least}"
    seconds = f"CASE WHEN {read} THEN CAST(floor({number}) AS BIGINT) ELSE {BEYOND} END"
    return Reading(case % seconds, "1970", True, unit, "a number", counted)


def _text_reading(table: Table, place: int, cycle: Cycle, text: str, unit: Any, first: str | None) -> Reading:
    """As of ``first``, the first text of the column."""
    name = table.names[place]
    kind = times.kind_of_text(first or ("00:00" if unit is None else "0"))
    if kind is None:
        usual = "give texts such as '08:15', '08:15:30' or '2012-04-03T18:00:09', or numbers, or a "
        usual += f"{named('time_format')} such as '%d.%m.%Y %H:%M' ({hints.PAGE} has other forms)"
        hint = hints.column_hint(table, name) or usual
        raise InvalidArgument(f"the first value of the column {name!r} is not a {cycle.kind}", hint=hint)
    pattern, what, start, zoned = times.TEXTS[kind]
    case = f"CASE WHEN x IS NULL OR x = '' THEN {NO_VALUE} WHEN regexp_full_match(x, {literal(pattern)}) "
    case += f"THEN %s ELSE {UNREADABLE} END"
    if kind != "number":
        read = f"coalesce(epoch_us({typed_text(kind).replace('{x}', 'x')}), {UNREADABLE})"
        return Reading(with_x(text, case % read), start, zoned, "us", what)
    counted, number = _counted(name, cycle, unit), f"CAST(x AS DECIMAL(38, {times.DIGITS}))"
    if counted.unit in clock_units.EPOCHS:
        reading = _epoch_reading(case, number, counted)
        return reading._replace(expression=with_x(text, reading.expression), what=what)
    # exactly, as no double is
    turn, ticks = float(counted.turn), cycle.ticks / counted.turn
    # what is negative by less than a DECIMAL has is 0 in it
    within = f"NOT regexp_matches(x, '^-[0.]*[1-9]') AND {number} BETWEEN 0 AND {turn:g}"
    if counted.bins:
        within += f" AND {number} < {turn:g} AND floor({number}) = {number}"
    sums = f"{number} * {int(ticks)} + {float(counted.later * ticks)}"
    read = f"CASE WHEN {within} THEN CAST(floor({sums}) AS BIGINT) ELSE {BEYOND} END"
    return Reading(with_x(text, case % read), start, what=what, counted=counted)


def _format_reading(table: Table, name: str, sql: str, is_text: bool, time_format: Any) -> Reading:
    form = time_format if isinstance(time_format, str) else ""
    codes = codes_of(form)
    if not is_text or not (codes & {"H", "c", "X"} or codes >= {"I", "p"}):
        rule = "must be a format of strptime with an hour, such as '%d.%m.%Y %H:%M' or '%I:%M %p', for a "
        rule += f"column of texts; got {time_format!r}"
        rule += "" if is_text else f" for {name}, which contains no texts"
        raise InvalidArgument("time_format", rule)
    ticks, unit = ticks_of(form)
    try:
        table.query(f"SELECT {with_x(chr(39) * 2, ticks)}")
    except ValueError:
        raise InvalidArgument("time_format", "must be a format of strptime", got=time_format) from None
    hint = ""
    if "Z" in codes:
        hint = "note that %Z reads UTC, GMT and names such as Europe/Berlin only, as BST is the name of "
        hint += f"several zones: write offsets, for %z. {hints.PAGE} says what else can be done"
    if is_zoned(form) and not is_dated(form):
        rule = "has a zone and no full date, without which no local time is known"
        raise InvalidArgument("time_format", rule, got=time_format)
    case = f"CASE WHEN x IS NULL OR x = '' THEN {NO_VALUE} ELSE coalesce({ticks}, {UNREADABLE}) END"
    start, what = "1970" if is_dated(form) else "midnight", f"a text of the {named('time_format')}"
    return Reading(with_x(f"trim(CAST({sql} AS VARCHAR))", case), start, is_zoned(form), unit, what, hint=hint)
