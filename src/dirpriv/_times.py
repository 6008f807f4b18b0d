"""Times of day, times of the week and durations, converted to hours from any type of column.

One reader handles all types: it converts a value correctly or raises an error. The error names the row and
the converter. It never shows the value, which is personal data.
"""

import datetime
import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]+)?))?", re.ASCII)
_PER_HOUR = {"h": 1, "m": 60, "s": 3600, "ms": 3_600_000, "us": 3_600_000_000, "ns": 3_600_000_000_000}
_PER_HOUR |= {"ps": 3600 * 10**12, "fs": 3600 * 10**15, "as": 3600 * 10**18}
_WEEK = 168.0
_MONDAY = 96  # hours from the beginning of 1970, a Thursday, to that of the next Monday


def hours(name: str, times: Any, period: float) -> NDArray[np.float64]:
    """Hours from times, in the shape of ``times``.

    Parameters
    ----------
    name : str
        The argument's name, for messages.
    times : array_like
        Numbers (hours), datetime64, timedelta64, :class:`datetime.time`, :class:`datetime.datetime`,
        :class:`datetime.timedelta`, texts ``"08:15"`` and ``"08:15:30"``; a column of pandas, Polars or
        PyArrow of any of them. All of one kind.
    period : float
        Hours of a turn. Timestamps give hours since midnight, or since Monday where it is 168.

    Returns
    -------
    ndarray of float64

    Raises
    ------
    ValueError
        If a row is missing or cannot be read.
    """
    values = array(name, times)
    if values.dtype.kind == "M":
        return _of_timestamps(name, values, period)
    if values.dtype.kind == "m":
        return _of_durations(name, values, period)
    if values.dtype.kind in "OU" or values.dtype.kind == "T":
        return _of_objects(name, values.astype(object), period)
    if values.dtype.kind in "fiu":
        numbers = np.asarray(values, dtype=float)
        refuse(name, ~np.isfinite(numbers), "is nan or infinite", "leave the row out")
        return numbers
    raise ValueError(
        f"'{name}' must hold times: hours as numbers, datetime64, timedelta64, datetime.time, or texts such "
        f"as '08:15'; got the type {values.dtype}"
    )


def array(name: str, values: Any) -> NDArray[Any]:
    """The values as an array: missing ones named, and timestamps with a time zone as local time."""
    values = _local(values)
    if isinstance(values, np.ma.MaskedArray):
        refuse(name, np.ma.getmaskarray(values), "is masked", "leave the row out")
        values = values.data
    if not isinstance(values, np.ndarray):
        scalar = isinstance(
            values, (datetime.datetime, datetime.timedelta)
        )  # pandas' own have to_numpy, to UTC
        kept = values.to_numpy() if hasattr(values, "to_numpy") and not scalar else values
        values = np.asarray(kept)
        if values.dtype.kind in "USOM" and not isinstance(kept, np.ndarray):
            # a list: NumPy turns numbers among texts into texts, and takes a datetime's time zone off
            values = _objects(kept, values)
    if values.dtype.kind == "O":
        missing = np.array([_is_missing(value) for value in values.ravel()], dtype=bool)
        refuse(name, missing.reshape(values.shape), "has no value (None, nan or NaT)", "leave the row out")
    return np.asarray(values)


def refuse(name: str, bad: Any, rule: str, remedy: str) -> None:
    """Raise where ``bad`` holds: with the first row, how many there are, the rule and the remedy."""
    bad = np.asarray(bad)
    if not bad.any():
        return
    count = int(np.count_nonzero(bad))
    more = "" if count == 1 else f" ({count} such values)"
    raise ValueError(f"{row_of(name, np.argwhere(bad)[0])} {rule}{more}: {remedy}")


def row_of(name: str, index: Any) -> str:
    """Name of a place in an array for messages, as ``row 3 of 'times'``."""
    place = [int(i) for i in index]
    if not place:
        return f"'{name}'"
    return f"row {place[0] if len(place) == 1 else tuple(place)} of '{name}'"


def is_pandas(values: Any) -> bool:
    """Whether this is an object of pandas; pandas is not imported."""
    return type(values).__module__.split(".")[0] == "pandas"


def _local(values: Any) -> Any:
    """Columns of other libraries, without their time zone: as local time."""
    library = type(values).__module__.split(".")[0]
    if library == "polars":
        if getattr(values.dtype, "time_zone", None) is not None:
            values = values.dt.replace_time_zone(None)
        return values
    if library != "pandas" and not isinstance(values, np.ndarray) and hasattr(values, "to_pandas"):
        values = values.to_pandas()  # PyArrow's own way to NumPy is to UTC
    if is_pandas(values) and hasattr(values, "dtype"):
        fields = getattr(values, "dt", None) if values.ndim == 1 else None
        fields = values if fields is None and hasattr(values, "tz") else fields
        if fields is not None and getattr(fields, "tz", None) is not None:
            values = fields.tz_localize(None)
    return values


def _objects(values: Any, shaped: NDArray[Any]) -> NDArray[Any]:
    """The same array with the original objects, where they are not only texts."""
    if shaped.ndim == 0:
        shaped = np.empty((), dtype=object)
        shaped[()] = values
        return shaped
    try:
        return np.array(values, dtype=object).reshape(shaped.shape)
    except ValueError:
        return shaped


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def _of_timestamps(name: str, values: NDArray[Any], period: float) -> NDArray[np.float64]:
    """Hours since midnight or Monday, by integers: no digit of a nanosecond since 1970 is lost."""
    missing = np.isnat(values)
    refuse(name, missing, "has no value (NaT)", "leave the row out")
    unit, step = np.datetime_data(values.dtype)
    if unit not in _PER_HOUR:
        if values.size == 0:
            return np.empty(values.shape)
        raise ValueError(
            f"'{name}' holds dates without a time of day (datetime64[{unit}]): give the column that has the "
            "times"
        )
    turn = _turn_of_timestamps(name, period)
    hours_since_1970 = _modulo(values, unit, step, turn)
    return np.mod(hours_since_1970 - _MONDAY, _WEEK) if turn == _WEEK else hours_since_1970


def _modulo(values: NDArray[Any], unit: str, step: int, period: float) -> NDArray[np.float64]:
    """Hours in [0, period); whole ticks are taken off as integers, so no digits are lost."""
    per_hour = _PER_HOUR[unit]
    count, ticks = values.astype(np.int64), period * per_hour
    if not float(ticks).is_integer() or ticks * step >= 2**63:
        return np.asarray(np.mod(count * (step / per_hour), period))
    ticks = int(ticks)
    return np.asarray(np.mod(np.mod(count, ticks // math.gcd(step, ticks)) * step, ticks) / per_hour)


def _turn_of_timestamps(name: str, period: float) -> float:
    """24 h, for periods that divide a day, or 168 h."""
    if period == _WEEK:
        return _WEEK
    if not (24.0 / period).is_integer():
        raise ValueError(
            f"'{name}' holds timestamps, which have a place in a period of 24 hours (the day; or a part of "
            f"it that divides it) or 168 (the week, from Monday 0 h); got 'period' {period!r}: give hours as "
            "numbers"
        )
    return 24.0


def _of_durations(name: str, values: NDArray[Any], period: float) -> NDArray[np.float64]:
    missing = np.isnat(values)
    refuse(name, missing, "has no value (NaT)", "leave the row out")
    if np.datetime_data(values.dtype)[0] in ("D", "W"):
        values = values.astype("timedelta64[h]")
    unit, step = np.datetime_data(values.dtype)
    if unit not in _PER_HOUR:
        raise ValueError(
            f"'{name}' holds durations in a unit that is no number of hours (timedelta64[{unit}]): give them "
            "in a unit from 'W' to 'ns'"
        )
    return _modulo(values, unit, step, period)


def _of_objects(name: str, values: NDArray[Any], period: float) -> NDArray[np.float64]:
    """Hours of Python objects, one at a time; equal texts are read once."""
    out = np.empty(values.size)
    read: dict[str, float] = {}
    kind = first = None
    for row, value in enumerate(values.ravel()):
        index = np.unravel_index(row, values.shape)
        if isinstance(value, str):
            this = "a text"
            if value not in read:
                read[value] = _of_text(name, value, index)
            out[row] = read[value]
        elif isinstance(value, datetime.datetime):
            this = "a timestamp"
            moved = value.weekday() * 24.0 if _turn_of_timestamps(name, period) == _WEEK else 0.0
            out[row] = moved + _of_clock(value)
        elif isinstance(value, datetime.time):
            this, out[row] = "a datetime.time", _of_clock(value)
        elif isinstance(value, datetime.timedelta):
            this, out[row] = "a duration", value / datetime.timedelta(hours=1)
        elif isinstance(value, np.datetime64):
            this, out[row] = "a timestamp", _of_timestamps(name, np.array([value]), period)[0]
        elif isinstance(value, np.timedelta64):
            this, out[row] = "a duration", _of_durations(name, np.array([value]), period)[0]
        elif is_number(value):
            this, out[row] = "a number", float(value)
            if not math.isfinite(out[row]):
                raise ValueError(f"{row_of(name, index)} is nan or infinite: leave the row out")
        else:
            raise ValueError(
                f"{row_of(name, index)} is no time but of the type {type(value).__name__}: give hours as "
                "numbers, datetime64, datetime.time, datetime.datetime, or texts such as '08:15'"
            )
        kind, first = (this, row) if kind is None else (kind, first)
        if this != kind:
            raise ValueError(
                f"{row_of(name, index)} is {this} and row {first} is {kind}: give times of one kind, for "
                "example by pandas.to_datetime of the column"
            )
        if this in ("a text", "a datetime.time") and not (24.0 / period).is_integer():
            raise ValueError(
                f"{row_of(name, index)} is {this} without a date, which has no place in a period of "
                f"{period!r} hours: give timestamps (datetime64), or hours as numbers"
            )
    return out.reshape(values.shape)


def is_number(value: Any) -> bool:
    """Whether this is a real number that a double can hold; True, texts and times are not."""
    none = (bool, np.bool_, complex, np.complexfloating, str, bytes, np.datetime64, np.timedelta64)
    if not hasattr(value, "__float__") or isinstance(value, none):
        return False
    try:
        float(value)
    except OverflowError:  # as of 10**400
        return False
    return True


def _of_clock(value: datetime.time | datetime.datetime) -> float:
    whole = (value.hour * 60 + value.minute) * 60 + value.second
    extra = int(getattr(value, "nanosecond", 0))  # of a pandas Timestamp
    return ((whole * 1_000_000 + value.microsecond) * 1000 + extra) / _PER_HOUR["ns"]


def _of_text(name: str, value: str, index: Any) -> float:
    match = _CLOCK.fullmatch(value.strip())
    if match is None:
        raise ValueError(
            f"{row_of(name, index)} is a text that is not 'HH:MM' or 'HH:MM:SS' between 00:00 and 23:59:59: "
            "convert timestamps with pandas.to_datetime(column), and hours with numpy.asarray(column, "
            "dtype=float)"
        )
    hour, minute, second = match.groups()
    return (int(hour) * 3600 + int(minute) * 60 + float(second or 0.0)) / 3600.0
