"""Times of day, times of the week and durations as hours, from any type of column.

A value is converted correctly or refused, with its row and the converter, never the value: it is personal.
"""

import contextlib
import datetime
import functools
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._inputs.validate import array, first, is_number, place_of, refuse

DIGITS = 20  # after the point of a number in a text
_SPACES = " \u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))  # as SQL trims them
_CLOCK = r"([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?|24:00(:00(\.0+)?)?"
_STAMP = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?"
_OFFSET = r" ?(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)"
_NUMBER = r"-?[0-9]{1,18}(\.[0-9]{0," + str(DIGITS) + r"})?|-?[0-9](\.[0-9]+)?[eE]-(0?[5-9]|[1-9][0-9]{1,2})"
# The texts that are times, for all doors, arrays and SQL alike: the pattern, what it is in words, what it
# counts from, whether it has a zone. Spaces around a text do not count.
TEXTS = {
    "clock": (_CLOCK, "a time 'HH:MM' or 'HH:MM:SS'", "midnight", False),
    "stamp": (_STAMP, "a time with a date, such as '2012-04-03T18:00:09'", "1970", False),
    "instant": (_STAMP + _OFFSET, "a time with a date and Z or an offset at its end", "1970", True),
    "number": (_NUMBER, f"a number, such as 8.25, of at most {DIGITS} digits after its point", "0", False),
}
_PER_HOUR = {"h": 1, "m": 60, "s": 3600, "ms": 3_600_000, "us": 3_600_000_000, "ns": 3_600_000_000_000}
_PER_HOUR |= {"ps": 3600 * 10**12, "fs": 3600 * 10**15, "as": 3600 * 10**18}
_UNDATED = {"a text", "a datetime.time"}
_NS = Fraction(_PER_HOUR["ns"])
_WEEK = 168.0
_MONDAY = 96  # hours from the beginning of 1970, a Thursday, to that of the next Monday


def hours(name: str, times: Any, period: float, *, in_turn: bool = False) -> NDArray[np.float64]:
    """Hours, in the shape of ``times``; timestamps count since midnight, or since Monday in a week.

    With ``in_turn`` numbers of hours must be from 0 to the period.
    """
    values = native(array(name, times))
    if values.dtype.kind in "fiu":
        numbers = np.asarray(values, dtype=float)
        refuse(name, ~np.isfinite(numbers), "is nan or infinite", "leave the row out")
    else:
        ticks, per_hour, start = exact(name, values, period)
        if ticks.dtype != object:
            turn = _turn_of_timestamps(name, period) if values.dtype.kind == "M" else period
            numbers = _modulo(ticks, per_hour, turn)
            return np.mod(numbers - start, turn) if start else numbers
        numbers = np.array([float(time / per_hour) for time in ticks.ravel()], dtype=float).reshape(values.shape)
    if in_turn and are_numbers(values):
        refuse_beyond(name, numbers, period, period)
    return numbers


def refuse_beyond(name: str, values: NDArray[Any], last: Any, period: float) -> None:
    """Raise an error for numbers of hours that are negative, or above the last: the period in their unit."""
    rule = f"is not a number of hours from 0 to {period:g}"
    hint = "divide minutes by 60 and seconds by 3600; add a period to negative hours"
    refuse(name, ~np.asarray((values >= 0) & (values <= last), dtype=bool), rule, hint)


def exact(name: str, values: NDArray[Any], period: float) -> tuple[NDArray[Any], Fraction, int]:
    """Times but arrays of numbers, as of :func:`native`, in whole ticks: nothing goes through a double.

    Gives the ticks, the ticks in an hour, and the hour at which a turn begins: 0, or 96 for timestamps in the
    week. Ticks are int64, or Fractions where a text has more digits and of numbers that are objects.
    """
    if values.dtype.kind in "mM":
        values, unit, step = _in_unit(name, values)
        in_week = values.dtype.kind == "M" and _turn_of_timestamps(name, period) == _WEEK
        return values.astype(np.int64), Fraction(_PER_HOUR[unit], step), _MONDAY if in_week else 0
    if values.dtype.kind == "O":
        return _read_objects(name, values, period), _NS, 0
    raise _no_times(name, values)


def _no_times(name: str, values: NDArray[Any]) -> ValueError:
    hint = "hours as numbers, datetime64, timedelta64, datetime.time, or texts such as '08:15'"
    return InvalidArgument(name, "must hold times", hint=f"{hint}; got the type {values.dtype}")


def native(values: NDArray[Any]) -> NDArray[Any]:
    """Objects that are numbers, or datetime64 or timedelta64 of one unit, as such an array, with nothing lost.

    Rows that are None are 0. Other objects, and texts, stay or become objects.
    """
    if values.dtype.kind not in "OU":
        return values
    values = values.astype(object)
    types = set(map(type, values.ravel().tolist())) - {type(None)}
    if not types or not (types <= {int, float} or types in ({np.datetime64}, {np.timedelta64})):
        return values
    there = np.array([row is not None for row in values.ravel()]).reshape(values.shape)
    rows = values[there].tolist()
    kinds = {getattr(row, "dtype", float) for row in rows}
    if len(kinds) > 1:
        return values
    out = np.zeros(values.shape, kinds.pop())
    try:
        out[there] = rows
    except OverflowError:  # the reader of single objects says which row
        return values
    return out


def _modulo(count: NDArray[Any], per_hour: Fraction, period: float) -> NDArray[np.float64]:
    """Hours in [0, period); whole ticks are taken off as integers, so no digits are lost."""
    units, step = per_hour.as_integer_ratio()
    if not (period * units).is_integer() or period * units * step >= 2**63:
        return np.asarray(np.mod(count * (step / units), period))
    ticks = int(period * units)
    return np.asarray(np.mod(np.mod(count, ticks // math.gcd(step, ticks)) * step, ticks) / units)


def _turn_of_timestamps(name: str, period: float) -> float:
    """24 h, for periods that divide a day, or 168 h."""
    if period == _WEEK:
        return _WEEK
    if not (24.0 / period).is_integer():
        rule = "contains timestamps, which need a period of 24 hours (the day, or a divisor of it) or of 168 "
        rule += f"(the week, from Monday 0 h); got {named('period')} {period!r}"
        raise InvalidArgument(name, rule, hint="give hours as numbers")
    return 24.0


def _in_unit(name: str, values: NDArray[Any]) -> tuple[NDArray[Any], str, int]:
    """Timestamps or durations none of which is missing, with their unit, a part of an hour, and its step."""
    refuse(name, np.isnat(values), "has no value (NaT)", "leave the row out")
    is_time = values.dtype.kind == "M"
    if not is_time and np.datetime_data(values.dtype)[0] in ("D", "W"):
        values = values.astype("timedelta64[h]")
    unit, step = np.datetime_data(values.dtype)
    if unit in _PER_HOUR:
        return values, unit, step
    if is_time and values.size == 0:
        return values, "s", 1
    rule = f"contains durations in a unit that is no number of hours (timedelta64[{unit}])"
    hint = "give them in a unit from 'W' to 'ns'"
    if is_time:
        rule = f"contains dates without a time of day (datetime64[{unit}])"
        hint = "give the column that has the times"
    raise InvalidArgument(name, rule, hint=hint)


def _read_objects(name: str, values: NDArray[Any], period: float) -> NDArray[Any]:
    """Exact nanoseconds of Python objects, as int64 where that can be; equal texts are read once."""
    out: list[Any] = []
    kind = first = None

    def refused(rule: str, hint: str) -> InvalidArgument:
        return InvalidArgument(name, rule, row=place_of(np.unravel_index(len(out), values.shape)), hint=hint)

    read: Any = functools.partial(_read_object, name, period, refused)
    read_text = functools.cache(read)
    for value in values.ravel().tolist():
        if value is None:  # missing, as the caller knows
            out.append(0)
            continue
        this, ticks = read_text(value) if isinstance(value, str) else read(value)
        if this != kind:
            if kind is not None:
                advice = "give times of one kind, for example by pandas.to_datetime of the column"
                raise refused(f"is {this} and row {first} is {kind}", advice)
            if this in _UNDATED and not (24.0 / period).is_integer():
                rule = f"is {this} without a date, which has no place in a period of {period!r} hours"
                raise refused(rule, "give timestamps (datetime64), or hours as numbers")
            kind, first = this, len(out)
        out.append(ticks)
    with contextlib.suppress(OverflowError):  # of durations
        if set(map(type, out)) <= {int}:
            return np.array(out, dtype=np.int64).reshape(values.shape)
    return np.array(out, dtype=object).reshape(values.shape)


def _read_object(
    name: str, period: float, refused: Callable[[str, str], Exception], value: Any
) -> tuple[str, int | Fraction]:
    """What a value is, and its nanoseconds since midnight, since Monday, or as a number."""
    if isinstance(value, str):
        return _read_text(name, value, period, refused)
    if isinstance(value, datetime.datetime):
        this = "a timestamp" if value.tzinfo is None else "a timestamp with a time zone"
        return this, _clock_nanoseconds(value, _turn_of_timestamps(name, period))
    if isinstance(value, datetime.time):
        return "a datetime.time", _clock_nanoseconds(value)
    if isinstance(value, datetime.timedelta):
        extra = int(getattr(value, "nanoseconds", 0))  # of a pandas Timedelta
        whole = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
        return "a duration", whole * 1000 + extra
    if isinstance(value, (np.datetime64, np.timedelta64)):
        ticks, per_hour, start = exact(name, np.array([value]), period)
        since = int(ticks[0]) / per_hour - start
        if isinstance(value, np.timedelta64):
            return "a duration", since * _NS
        return "a timestamp", since % int(_turn_of_timestamps(name, period)) * _NS
    if not is_number(value):
        advice = "give hours as numbers, datetime64, datetime.time, datetime.datetime, or texts such as "
        raise refused(f"is not a time; it has the type {type(value).__name__}", advice + "'08:15'")
    if not math.isfinite(number := float(value)):
        raise refused("is nan or infinite", "leave the row out")
    return "a number", Fraction(number) * _NS


def _clock_nanoseconds(value: Any, turn: float = 24.0) -> int:
    """Nanoseconds of a time since midnight, or of a timestamp since Monday where a turn is the week."""
    days = value.weekday() if turn == _WEEK else 0
    whole = ((days * 24 + value.hour) * 60 + value.minute) * 60 + value.second
    extra = int(getattr(value, "nanosecond", 0))  # of a pandas Timestamp
    return (whole * 1_000_000 + value.microsecond) * 1000 + extra


def kind_of_text(text: str) -> str | None:
    """Which of ``TEXTS`` it is, if any."""
    text = text.strip(_SPACES)
    return next((kind for kind, (form, *_) in TEXTS.items() if re.fullmatch(form, text, re.ASCII)), None)


def are_numbers(values: NDArray[Any]) -> bool:
    """Whether times, all of one kind, are numbers, as such or as texts."""
    value = first(values)
    if isinstance(value, str):
        return kind_of_text(value) == "number"
    return values.dtype.kind in "fiu" or is_number(value)


def _read_text(
    name: str, text: str, period: float, refused: Callable[[str, str], Exception]
) -> tuple[str, int | Fraction]:
    """What a text is, and its nanoseconds since midnight, since Monday, or as a number."""
    text = text.strip(_SPACES)
    kind, days = kind_of_text(text), 0
    if kind == "instant":
        hint = "convert it to local time first: pandas.to_datetime(column, utc=True).dt.tz_convert(zone)"
        raise refused("is a text with a time zone", hint)
    if kind == "number":
        return "a text that is a number", Fraction(text) * _NS
    if kind == "stamp":
        try:
            day = int(np.datetime64(text[:10], "D").astype(np.int64))
        except ValueError:  # as of February 30
            kind = None
        else:
            days = (day - _MONDAY // 24) % 7 if _turn_of_timestamps(name, period) == _WEEK else 0
    if kind is None:
        rule = "is a text that is not 'HH:MM' or 'HH:MM:SS' between 00:00 and 24:00"
        rule += ", with a date before it or without, and no number of hours"
        raise refused(rule, "convert other texts of timestamps with pandas.to_datetime(column)")
    hour, minute, second = (*text[11 if kind == "stamp" else 0 :].split(":"), "0")[:3]
    minutes = (days * 24 + int(hour)) * 60 + int(minute)
    this = "a text" if kind == "clock" else "a text with a date"
    nanoseconds = (minutes * 60 + Fraction(second)) * 10**9
    return this, int(nanoseconds) if nanoseconds.denominator == 1 else nanoseconds
